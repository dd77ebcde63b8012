/* SPDX-License-Identifier: GPL-3.0-or-later */
/* While the workers' tables are put together. */
#ifndef EVTOP_RECORDING_MERGE_H
#define EVTOP_RECORDING_MERGE_H

#include "collect.h"

#define NOT_MAPPED UINT32_MAX /* what was seen not once */

/* What numbers of one worker are in the recording. */
struct maps {
	struct collector *collector;
	uint32_t *names, *nodes, *runs, *calls, *paths, *cleans;
	uint32_t **places; /* by the worker's calls: where its samples went */
};

struct merge {
	struct recording *recording;
	struct maps *maps;
	uint32_t n;
	uint32_t n_jobs;
	uint64_t now_ns; /* of a live source */
	struct pair_table call_table, path_table, clean_table;
	/* calls and paths in order of first sight, before they are ranked */
	struct merged_path {
		uint32_t call;
		struct path path;
		struct merged_times *times;
		bool without_times; /* a worker had no room for them */
	} * paths[2];
	uint32_t n_paths[2], paths_room[2];
	uint32_t calls_room;
};

/* Greater keys first, then earlier executions. */
struct ranked_kept {
	uint64_t key;
	struct kept_execution kept;
};

/* Times of a clean path while the workers' are put together. */
struct merged_times {
	struct path_times *times;
	struct ranked_kept slowest[KEPT_SLOWEST + 1], typical[KEPT_TYPICAL + 1];
};

/* The times of a worker's clean path join those of the recording's. */
void merge_times(struct merge *merge, struct maps *maps, uint32_t clean_index);
/* Of a path, once all have joined: NULL where a worker had no room for them. */
struct path_times *merged_times_finish(struct merged_times *merged, bool without);

#endif
