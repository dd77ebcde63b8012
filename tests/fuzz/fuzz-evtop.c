/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening .evtop files, times of single calls and all. */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "evtop/recording.h"

const char fuzz_name[] = "evtop";

static void walk_kept(const struct recording *recording, const struct call *call,
		      const struct kept_execution *kept)
{
	uint64_t sum = 0;

	FUZZ_ASSERT(kept->execution < call->n_executions);
	FUZZ_ASSERT(kept->raw_root < trees_count(recording->trees));
	for (uint32_t i = 0; i < trees_size(recording->trees, kept->raw_root); i++)
		sum += kept->node_ns[i];
	(void)sum;
}

/* Every number that leads somewhere leads there. */
static void walk_call(const struct recording *recording, const struct call *call)
{
	for (uint32_t i = 0; i < call->n_executions; i++) {
		FUZZ_ASSERT(call->raw[i] < call->n_paths[IDENTITY_RAW]);
		FUZZ_ASSERT(call->run[i] < recording->n_runs);
	}
	for (uint32_t i = 0; i < call->n_removed; i++)
		FUZZ_ASSERT(call->removed[i].execution < call->n_executions);
	for (uint32_t i = 0; i < call->n_paths[IDENTITY_RAW]; i++)
		FUZZ_ASSERT(call->paths[IDENTITY_RAW][i].clean < call->n_paths[IDENTITY_CLEAN]);
	for (uint32_t i = 0; i < call->n_paths[IDENTITY_CLEAN]; i++) {
		const struct path *path = &call->paths[IDENTITY_CLEAN][i];

		FUZZ_ASSERT(path->root == NODE_NONE || path->root < trees_count(recording->trees));
		for (uint32_t k = 0; path->times && k < path->times->n_slowest; k++)
			walk_kept(recording, call, &path->times->slowest[k]);
		for (uint32_t k = 0; path->times && k < path->times->n_typical; k++)
			walk_kept(recording, call, &path->times->typical[k]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct load_options options = {.n_jobs = 1, .node_times = true};
	int fd = memfd_create("fuzz", 0);
	char path[64];
	const char *const paths[] = {path};
	struct recording *recording;
	uint64_t n = 0;

	FUZZ_ASSERT(fd >= 0);
	for (size_t at = 0; at < size;) {
		ssize_t written = write(fd, data + at, size - at);

		FUZZ_ASSERT(written > 0);
		at += (size_t)written;
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	recording = recording_load(paths, 1, &options, NULL);
	for (uint32_t c = 0; c < recording->n_calls; c++) {
		n += recording->calls[c].n_executions;
		walk_call(recording, &recording->calls[c]);
	}
	FUZZ_ASSERT(n == recording->n_executions);
	recording_free(recording);
	close(fd);
	return 0;
}

const struct fuzz_large fuzz_large[1];
const size_t n_fuzz_large;
