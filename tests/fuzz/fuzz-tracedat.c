/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of trace.dat files, and what it feeds. */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "evtop/binary.h"
#include "evtop/path.h"

const char fuzz_name[] = "tracedat";

struct seen {
	struct assembler *assembler;
	uint64_t n_events, n_executions;
};

static void take_events(void *context, const struct event *events, size_t n)
{
	struct seen *seen = context;

	for (size_t i = 0; i < n; i++)
		seen->n_events += events[i].kind != EVENT_LOST;
	assembler_feed(seen->assembler, events, n);
}

static void take_execution(void *context, const struct execution *execution)
{
	struct seen *seen = context;

	FUZZ_ASSERT(execution->n_calls > 0);
	seen->n_executions++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct assembler_options options = {.max_nodes = 1u << 20};
	struct names *names = names_new();
	struct trees *trees = trees_new();
	struct seen seen = {0};
	struct tracedat_info info;
	struct trace_counts counts;
	struct error err = {""};
	int fd = memfd_create("fuzz", 0), status;

	FUZZ_ASSERT(fd >= 0);
	for (size_t at = 0; at < size;) {
		ssize_t n = write(fd, data + at, size - at);

		FUZZ_ASSERT(n > 0);
		at += (size_t)n;
	}
	seen.assembler = assembler_new(names, trees, &options, take_execution, &seen);
	tracedat_probe((const char *)data, size);
	status = tracedat_read(fd, names, take_events, &seen, &info, &counts, NULL, &err);
	/* an error is told, and nothing is told that is none */
	FUZZ_ASSERT((status == 0) == (err.text[0] == '\0'));
	FUZZ_ASSERT(counts.events == seen.n_events);
	FUZZ_ASSERT(status >= 0 || seen.n_events == 0);
	assembler_end_run(seen.assembler);
	tracedat_counts_release(&counts);
	assembler_free(seen.assembler);
	trees_free(trees);
	names_free(names);
	close(fd);
	return 0;
}

const struct fuzz_large fuzz_large[1];
const size_t n_fuzz_large;
