/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Executions of a source that goes on: kept within a bounded memory, and made
 * a recording of whenever one is wanted. For one thread.
 */
#ifndef EVTOP_KEEPER_H
#define EVTOP_KEEPER_H

#include "evtop/path.h"
#include "evtop/recording.h"

struct keeper;

struct keeper_options {
	const struct load_options *load; /* outlives the keeper */
	const char *name;		 /* of the source: what is drawn depends on it */
	uint32_t kept_per_path;		 /* executions of a clean path; 0: 65,536 */
	uint32_t kept_in_all;		 /* of all paths; 0: 2,097,152 */
	uint32_t nodes_max;		 /* of call trees, before rare ones go; 0: 1,048,576 */
	uint32_t raw_paths_max;		 /* of a call, told apart; 0: 200,000 */
	uint64_t seed;
};

/* What the recording says of where it comes from. Strings are copied. */
struct keeper_source {
	const char *name;	    /* as in the options */
	const char *kernel, *scope; /* NULL where not known */
	const char *format;	    /* a constant; NULL while none was recognised */
	enum emulation emulated;
	const char *error; /* why nothing can be read; NULL */
	/* what readers found, since the start */
	uint64_t lost_events, unread_lines;
	const char *const *unread;
	unsigned n_unread;
};

struct keeper *keeper_new(const struct keeper_options *options);
void keeper_free(struct keeper *keeper);
/* For the reader that feeds the keeper. */
struct names *keeper_names(struct keeper *keeper);
/* The event_sink: context is the keeper. */
void keeper_events(void *context, const struct event *events, size_t n);
/* Between pieces of the source: the time now, for when paths are seen first; tidies up. */
void keeper_tick(struct keeper *keeper, uint64_t now_ns);
/* What is open stays unfinished. */
void keeper_end_run(struct keeper *keeper);
/*
 * Counts and samples start from nothing; paths stay known. source: what was
 * counted until now.
 */
void keeper_reset(struct keeper *keeper, const struct keeper_source *source);
/* Executions since the start, or the last reset. */
uint64_t keeper_executions(const struct keeper *keeper);
/* Not all executions are kept. */
bool keeper_thinned(const struct keeper *keeper);
/* All as it stands, complete in itself; the caller's. */
struct recording *keeper_recording(struct keeper *keeper, const struct keeper_source *source);

#endif
