/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages of several CPUs, merged by time, to events. */
#ifndef EVTOP_TRACE_PAGES_H
#define EVTOP_TRACE_PAGES_H

#include <kbuffer.h>

#include "evtop/hash.h"
#include "meta.h"

#define PAGE_BATCH 512
/* What must be readable behind a page: kbuffer looks at the word behind its end. */
#define PAGE_SLACK 16
#define GRAPH_DEPTH_MAX 512

enum merge_mode { MODE_UNKNOWN, MODE_GRAPH, MODE_CALLS };

/* One CPU's pages on their way. */
struct stream {
	uint32_t cpu;
	struct kbuffer *kbuffer;
	void *page; /* that is being read; NULL: none */
	const void *record;
	unsigned long long time_ns;
	uint64_t lost; /* to be told before the record */
	bool quiet;    /* not to be waited for */
	bool ended;
};

enum page_status { PAGE_THERE, PAGE_NONE_YET, PAGE_END };

/*
 * The next page of a CPU: n bytes at *page, writable, with PAGE_SLACK behind
 * them, valid until the next call for this CPU.
 */
typedef enum page_status next_page(void *context, uint32_t cpu, void **page, size_t *n);

struct merger {
	struct names *names;
	struct trace_meta *meta;
	struct stream *streams;
	uint32_t n_streams;
	next_page *next;
	void *next_context;
	event_sink *sink;
	void *context;
	struct trace_counts counts;
	enum merge_mode mode;
	struct event batch[PAGE_BATCH];
	size_t n_batch;
	/* interned names of functions by address, and of system calls by layout or number */
	struct known_function {
		uint64_t address;
		uint32_t name; /* + 1; 0: free */
	} * functions;
	uint32_t n_functions, functions_size;
	struct hash_key key;
	uint32_t *layout_calls; /* by layout; NAME_NONE: not asked */
	/* what is known of tasks, open addressing by number */
	struct merged_task {
		int32_t id;
		bool used;
		uint32_t comm;
		uint64_t *entry_ns; /* by depth; NULL until it is needed */
	} * tasks;
	uint32_t n_tasks, tasks_size, last_task;
};

void merger_init(struct merger *merger, struct names *names, struct trace_meta *meta,
		 uint32_t n_streams, next_page *next, void *next_context, event_sink *sink,
		 void *context);
/* Hands events out until a CPU that is not quiet has no page; true at the end of all. */
bool merger_run(struct merger *merger);
/* Is there a call of function_graph in the first pages at hand? Before merger_run(). */
bool merger_sees_graph(struct merger *merger);
void merger_release(struct merger *merger);

#endif
