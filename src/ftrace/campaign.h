/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files that record campaigns. */
#ifndef EVTOP_FTRACE_CAMPAIGN_H
#define EVTOP_FTRACE_CAMPAIGN_H

#include "internal.h"

struct recorder {
	const struct campaign_options *options;
	const struct campaign_watcher *watcher;
	const volatile int *stop;
	struct ftrace *ftrace;
	struct machine machine;
	struct campaign_progress progress;
	struct text manifest; /* without what changes while it is recorded */
};

struct run_result {
	uint64_t lost;
	uint32_t attempts;
	int status; /* of the command, as waitpid() gives it */
	double seconds;
};

/* Syncs, closes and renames part to name; failed is an errno that came before. */
int file_replace(const char *part, const char *name, int fd, int failed, struct error *err);
int file_write(const char *part, const char *name, const char *bytes, size_t n, struct error *err);

/*
 * Writes the manifest of a new folder; compares that of one that is gone on
 * with: everything but dates and counts must be the same.
 */
int manifest_begin(struct recorder *recorder, struct error *err);
/* Adds dates and counts. */
int manifest_end(struct recorder *recorder, struct error *err);

#endif
