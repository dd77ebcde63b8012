/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A source that is still writing: read on a thread of its own, bounded in
 * memory, looked at through recordings that are made of it from time to time.
 */
#ifndef EVTOP_LIVE_H
#define EVTOP_LIVE_H

#include "evtop/binary.h"
#include "evtop/recording.h"

/* What is read. Descriptors stay the caller's and are non-blocking or polled. */
struct live_input {
	const char *name;	    /* shown: "trace_pipe", "standard input" */
	const char *kernel, *scope; /* NULL where not known */
	enum emulation emulated;
	int text_fd; /* text, or -1: then pages */
	/* pages: one descriptor a CPU, of which some may be -1 (a CPU that is not there) */
	const int *page_fds;
	uint32_t n_cpus;
	struct trace_meta *meta;
	/*
	 * Overruns of the kernel's buffers so far, where the pages themselves do not
	 * tell; NULL: not asked. Called on the reading thread, at most once a second.
	 */
	uint64_t (*overruns)(void *owner);
	void *owner;
};

struct live_options {
	const struct load_options *load;
	uint32_t kept_per_path; /* executions of a clean path that are kept; 0: 65,536 */
	uint64_t seed;		/* of what is kept beyond that */
};

/* How it goes: figures since the start, or the last reset where they say so. */
struct live_status {
	uint64_t elapsed_ns;	  /* since the start */
	uint64_t since_reset_ns;  /* of the counts */
	double events_per_second; /* over the last second or two */
	double executions_per_second;
	uint64_t events, executions, lost_events;
	double own_cpu; /* share of one CPU that this process takes */
	uint64_t resident_bytes;
	bool ended; /* the source has */
	bool paused;
	bool thinned;	      /* not every execution is kept */
	uint64_t snapshot_ns; /* that the last recording took to make */
	char error[256];      /* why reading ended early; "" */
};

struct live;

/* Starts reading; NULL with err. input's strings and arrays are copied. */
struct live *live_start(const struct live_input *input, const struct live_options *options,
			struct error *err);
/* Readable when a recording waits to be taken, or when the source has ended. */
int live_fd(const struct live *live);
/*
 * The newest recording made of what was read, complete in itself and never
 * changed again; NULL where none is new. The caller's: recording_free(). Asks
 * for the next one, which comes as soon as there is anything new, but no more
 * often than once a second (less often where making one takes long).
 */
struct recording *live_take(struct live *live);
/* As live_take(), but waits for one that holds all that is read by now. */
struct recording *live_take_now(struct live *live);
void live_status(const struct live *live, struct live_status *status);
/* While paused what comes is read and dropped uncounted, so that the source is not held up. */
void live_pause(struct live *live, bool paused);
/* Counts and samples start from nothing; paths keep being known (none is new for a reset). */
void live_reset(struct live *live);
/* Stops reading and joins the thread; recordings that were taken stay. */
void live_free(struct live *live);

#endif
