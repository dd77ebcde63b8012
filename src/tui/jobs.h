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

/* The last few samples that a worker took out of a recording: the newest that it has seen. */
#define CACHED_SAMPLES 4

struct cached_sample {
	const struct call *call; /* NULL: free */
	struct selection selection;
	struct sample sample;
	struct sorted sorted; /* n = 0 until it is asked for */
	uint64_t used;
};

struct sample_cache {
	uint64_t generation; /* of the recording */
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
	/* the store's own */
	uint64_t subject; /* call and path by name and id: the same in the next recording */
	uint64_t version; /* of their samples */
	uint64_t n;	  /* executions they have */
};

struct result_job {
	struct job job;
	struct question question;
	uint64_t key, same;	     /* as in the store's entries */
	struct recording *recording; /* held */
	uint64_t generation;	     /* of it */
	struct sample_cache *cache;  /* of the thread that runs it */
	bool modest;		     /* reading goes first */
	uint64_t cost_ns;	     /* out */
	void *value;		     /* in: a fit's first stage; out: the result */
};

/* Before the next result_compute(): what is of another recording is forgotten. */
void sample_cache_turn_to(struct sample_cache *cache, uint64_t generation);

/* Computes question into a new value; NULL where it was stopped. */
void *result_compute(const struct question *question, const struct recording *recording,
		     struct sample_cache *cache, void *before, const _Atomic bool *stop);
void result_free(enum result_kind kind, void *value);

#endif
