/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the store's jobs compute; runs on the workers' threads. */
#ifndef EVTOP_JOBS_H
#define EVTOP_JOBS_H

#include "evtop/view.h"
#include "worker.h"

enum result_kind {
	RESULT_SUMMARY,
	RESULT_FIT,
	RESULT_INTERVALS, /* the second stage of a fit */
	RESULT_TESTS,
	RESULT_STABILITY,
	RESULT_DENSITY,
	RESULT_SAMPLE,
	RESULT_KINDS
};

/* The last few samples that a worker took out of the recording. */
#define CACHED_SAMPLES 4

struct cached_sample {
	const struct call *call; /* NULL: free */
	struct selection selection;
	struct sample sample;
	struct sorted sorted; /* n = 0 until it is asked for */
	uint64_t used;
};

struct sample_cache {
	struct cached_sample entries[CACHED_SAMPLES];
	uint64_t clock;
	uint64_t pinned; /* what was used after it is in use */
};

void sample_cache_release(struct sample_cache *cache);

/* What a result is of: everything that it depends on. */
struct question {
	enum result_kind kind;
	uint32_t call, path;
	struct settings settings;
	uint64_t deadline_ns;
	struct view_density density;
};

struct result_job {
	struct job job;
	struct question question;
	uint64_t key;
	const struct recording *recording;
	struct sample_cache *cache; /* of the thread that runs it */
	void *value;		    /* in: a fit's first stage; out: the result */
};

/* Computes question into a new value; NULL where it was stopped. */
void *result_compute(const struct question *question, const struct recording *recording,
		     struct sample_cache *cache, void *before, const _Atomic bool *stop);
void result_free(enum result_kind kind, void *value);

#endif
