/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An .evtop file on its way back into a collector: what its readers share. */
#ifndef EVTOP_RECORDING_RESTORE_H
#define EVTOP_RECORDING_RESTORE_H

#include "evtop/store.h"
#include "read.h"

/* Numbers of the file, and what they are in the collector. */
struct numbers {
	uint32_t *of;
	uint32_t n, room;
};

struct restored_path {
	uint32_t call, index; /* in the collector's paths, or cleans */
	uint32_t node;	      /* in the collector's trees, NODE_NONE: not known */
	bool clean, seen;
};

/* The executions of a call: they follow each other in the file. */
struct restored_call {
	uint32_t first, n;
};

struct restoring {
	struct worker *worker;
	struct collector *collector;
	struct collected_run base; /* input and names of the file */
	struct input like;	   /* what the origins say, for the input */
	struct numbers campaigns, runs, functions, nodes, calls;
	char **campaign_names;
	struct restored_path *paths;
	uint32_t n_paths, paths_room;
	struct restored_call *executions; /* by the collector's calls */
	uint32_t n_executions;		  /* of all calls, chosen or not */
	uint32_t call, removed_call;	  /* of the last row */
	uint32_t *list;
	uint32_t list_room;
	uint64_t *durations;
	uint32_t durations_room;
};

int restore_broken(struct error *err, enum store_table table);
/* The number in a column, below a limit; -1 with err set. */
int restore_number(const struct store_row *row, int column, uint64_t limit, uint64_t *number,
		   enum store_table table, struct error *err);
/* The next number of a JSON array of integers; false at its end. */
bool restore_next(const char **at, int64_t *number);
bool restore_ended(const char *at);
/* The number of an execution among its call's; false where it is another call's. */
bool restore_sample(const struct restoring *restoring, uint32_t call, uint64_t execution,
		    uint32_t *sample);

/* Rows of tables about executions, once all of these are there. */
store_take restore_node_time, restore_kept, restore_tally;

#endif
