/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening .evtop files, times of single calls and all. */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "evtop/recording.h"

const char fuzz_name[] = "evtop";

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
		const struct call *call = &recording->calls[c];

		n += call->n_executions;
		for (uint32_t i = 0; i < call->n_executions; i++) {
			FUZZ_ASSERT(call->raw[i] < call->n_paths[IDENTITY_RAW]);
			FUZZ_ASSERT(call->run[i] < recording->n_runs);
		}
	}
	FUZZ_ASSERT(n == recording->n_executions);
	recording_free(recording);
	close(fd);
	return 0;
}

const struct fuzz_large fuzz_large[1];
const size_t n_fuzz_large;
