/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that runs jobs. A job has a slot: a newer one for the same slot
 * stops and replaces an older one. Finished jobs are handed back to the thread
 * that submitted them, which learns of it by a file descriptor.
 */
#ifndef EVTOP_WORKER_H
#define EVTOP_WORKER_H

#include <stdatomic.h>

#include "evtop/base.h"

struct worker;

struct job {
	uint64_t slot;
	bool urgent; /* before all that wait and are not */
	/* On the worker's thread. Looks at *stop and ends early where it is set. */
	void (*run)(struct job *job, const _Atomic bool *stop);
	/* On the submitter's thread, unless the job was superseded or cancelled. */
	void (*done)(struct job *job, void *owner);
	/* Always the last; on the submitter's thread (or worker_free()'s). */
	void (*release)(struct job *job);
	/* the worker's own */
	struct job *next;
	_Atomic bool stop;
};

/* Signals are blocked in its thread. owner is handed to job->done. */
struct worker *worker_new(void *owner);
/* Stops what runs, releases everything, joins the thread. */
void worker_free(struct worker *worker);
/* Readable when results wait. */
int worker_fd(const struct worker *worker);
void worker_submit(struct worker *worker, struct job *job);
/* Withdraws what was submitted for the slot, running or not. */
void worker_cancel(struct worker *worker, uint64_t slot);
/* Calls done() and release() of what is finished; how many were done. */
int worker_collect(struct worker *worker);
/* Jobs submitted and not yet collected (cancelled ones do not count). */
int worker_pending(const struct worker *worker);

#endif
