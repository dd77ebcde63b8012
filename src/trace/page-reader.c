/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages as they come, kept until no other CPU can precede what is in them. */
#include <stdlib.h>
#include <string.h>

#include "pages.h"

/* A queued page; what must be readable behind it is there. */
struct queued {
	struct queued *next;
	size_t n;
	uint8_t bytes[];
};

struct queue {
	struct queued *first, *last, *current; /* current: handed out, not yet done with */
	size_t waiting_bytes;
};

struct page_reader {
	struct merger merger;
	struct queue *queues;
	uint32_t n_cpus;
	bool ended;
};

static enum page_status give_page(void *context, uint32_t cpu, void **page, size_t *n)
{
	struct page_reader *reader = context;
	struct queue *queue = &reader->queues[cpu];

	free(queue->current);
	queue->current = queue->first;
	if (!queue->current)
		return reader->ended ? PAGE_END : PAGE_NONE_YET;
	queue->first = queue->current->next;
	if (!queue->first)
		queue->last = NULL;
	queue->waiting_bytes -= queue->current->n;
	*page = queue->current->bytes;
	*n = queue->current->n;
	return PAGE_THERE;
}

struct page_reader *page_reader_new(struct names *names, struct trace_meta *meta, uint32_t n_cpus,
				    event_sink *sink, void *context)
{
	struct page_reader *reader = mem_zero(1, sizeof *reader);

	reader->n_cpus = n_cpus;
	reader->queues = mem_zero(n_cpus, sizeof *reader->queues);
	merger_init(&reader->merger, names, meta, n_cpus, give_page, reader, sink, context);
	return reader;
}

void page_reader_name_cpu(struct page_reader *reader, uint32_t stream, uint32_t cpu)
{
	reader->merger.streams[stream].cpu = cpu;
}

void page_reader_page(struct page_reader *reader, uint32_t cpu, const void *page, size_t n)
{
	struct queue *queue = &reader->queues[cpu];
	struct queued *queued = mem_alloc(sizeof *queued + n + PAGE_SLACK);

	queued->next = NULL;
	queued->n = n;
	memcpy(queued->bytes, page, n);
	memset(queued->bytes + n, 0, PAGE_SLACK);
	if (queue->last)
		queue->last->next = queued;
	else
		queue->first = queued;
	queue->last = queued;
	queue->waiting_bytes += n;
}

void page_reader_drain(struct page_reader *reader, const bool *quiet)
{
	for (uint32_t i = 0; i < reader->n_cpus; i++)
		reader->merger.streams[i].quiet = quiet && quiet[i];
	merger_run(&reader->merger);
}

size_t page_reader_waiting(const struct page_reader *reader, uint32_t cpu)
{
	return reader->queues[cpu].waiting_bytes;
}

void page_reader_end(struct page_reader *reader)
{
	reader->ended = true;
	page_reader_drain(reader, NULL);
}

const struct trace_counts *page_reader_counts(const struct page_reader *reader)
{
	return &reader->merger.counts;
}

bool page_reader_has_graph(const struct page_reader *reader)
{
	return reader->merger.mode != MODE_CALLS;
}

void page_reader_free(struct page_reader *reader)
{
	if (!reader)
		return;
	for (uint32_t i = 0; i < reader->n_cpus; i++) {
		struct queue *queue = &reader->queues[i];

		free(queue->current);
		while (queue->first) {
			struct queued *next = queue->first->next;

			free(queue->first);
			queue->first = next;
		}
	}
	free(reader->queues);
	merger_release(&reader->merger);
	free(reader);
}
