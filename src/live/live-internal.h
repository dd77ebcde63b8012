/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two threads stand behind a live source. The drainer reads descriptors into a
 * bounded queue and never waits for anything but a full queue, so that the
 * kernel's buffers are emptied also while a recording is made. The parser takes
 * the queue apart and makes recordings in between.
 */
#ifndef EVTOP_LIVE_INTERNAL_H
#define EVTOP_LIVE_INTERNAL_H

#include <pthread.h>

#include "evtop/keeper.h"
#include "evtop/live.h"

#define CHUNK_BYTES (256u << 10)
#define QUEUE_BYTES_MAX (32u << 20)
#define NS_PER_S 1000000000u

enum chunk_kind {
	CHUNK_BYTES_READ, /* of a CPU, or of the text */
	CHUNK_ROUND,	  /* bytes: for every CPU, whether nothing of it was there to be read */
	CHUNK_PAUSE,	  /* what comes next does not follow what was before */
	CHUNK_MARK,	  /* all that could be read when somebody asked stands before this */
	CHUNK_END,	  /* the source has ended */
};

struct chunk {
	struct chunk *next;
	enum chunk_kind kind;
	uint32_t cpu;
	uint64_t ticket; /* of a mark */
	size_t n, room;
	char bytes[];
};

/* First in, first out, between two threads; a full one makes the writer wait. */
struct queue {
	struct chunk *first, **last;
	struct chunk *spare; /* to be used again */
	unsigned n_spare;
	size_t bytes; /* room of the chunks that wait */
};

/* How events come out of bytes: of text, or of pages. */
struct feed {
	void (*take)(struct feed *feed, uint32_t cpu, const char *bytes, size_t n);
	void (*round)(struct feed *feed, const bool *quiet);
	/* what comes next does not follow */
	void (*cut)(struct feed *feed);
	void (*end)(struct feed *feed);
	/* NULL while none was recognised */
	const char *(*format)(const struct feed *feed);
	const struct trace_counts *(*counts)(const struct feed *feed);
	/* why nothing more can be read of it; NULL */
	const char *(*failure)(struct feed *feed);
	void (*free)(struct feed *feed);
};

struct feed *feed_text_new(struct keeper *keeper);
struct feed *feed_pages_new(struct keeper *keeper, struct trace_meta *meta, uint32_t n_cpus);

#define N_RATE_POINTS 16
#define RATE_STEP_NS (NS_PER_S / 4)

struct rate_point {
	uint64_t time_ns, events, executions;
};

struct live {
	/* never changed after the start */
	char *name, *kernel, *scope;
	enum emulation emulated;
	int text_fd;
	int *page_fds;
	uint32_t n_cpus;
	size_t page_bytes; /* 0: text */
	uint64_t (*overruns)(void *owner);
	void *owner;
	uint64_t start_ns;
	int ready_fd; /* for who takes */
	int wake_fd;  /* wakes the drainer */
	pthread_t drainer, parser;

	/* the parser's own */
	struct keeper *keeper;
	struct feed *feed;
	uint64_t next_recording_ns; /* not before then */
	bool ended_seen, failed;

	pthread_mutex_t lock;
	pthread_cond_t changed; /* for the parser, and the drainer where the queue was full */
	pthread_cond_t served;	/* for who waits for a recording */
	/* under the lock: */
	struct queue queue;
	bool stop, paused, reset_asked;
	bool wanted;	  /* somebody waits for a recording, or will */
	uint64_t tickets; /* recordings that were asked for at once */
	uint64_t marked;  /* of them, those that the drainer has put a mark for */
	uint64_t made;	  /* of them, those that are made */
	bool anything_new;
	bool drainer_done, ended;
	struct recording *pending;
	uint64_t lost_by_overruns;
	char error[256];
	struct {
		uint64_t events, executions, lost_events; /* now */
		uint64_t events_before, lost_before;	  /* at the last reset */
		uint64_t reset_ns, snapshot_ns;
		bool thinned;
	} figures;
	struct rate_point rates[N_RATE_POINTS];
	unsigned n_rates;
	uint64_t cpu_asked_ns, cpu_used_ns;
	double own_cpu;
};

uint64_t live_now_ns(void);
void *live_drain(void *context);
void *live_parse(void *context);

/* With the lock held. A chunk of the kind, with CHUNK_BYTES of room where it is one of bytes. */
struct chunk *queue_new_chunk(struct queue *queue, enum chunk_kind kind, size_t room);
void queue_put(struct queue *queue, struct chunk *chunk);
struct chunk *queue_take(struct queue *queue); /* NULL where there is none */
void queue_give_back(struct queue *queue, struct chunk *chunk);
void queue_release(struct queue *queue);

#endif
