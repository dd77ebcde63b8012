/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages of the kernel's ring buffers, CPU by CPU. */
#include <stdlib.h>
#include <string.h>

#include "live-internal.h"

/* Pages of one CPU that may wait for another that is far behind. */
#define WAITING_BYTES_MAX (16u << 20)

struct feed_pages {
	struct feed feed;
	struct page_reader *reader;
	size_t page_bytes;
	bool *all; /* every CPU is quiet */
};

static struct feed_pages *of(struct feed *feed)
{
	return (struct feed_pages *)feed;
}

static void take(struct feed *feed, uint32_t cpu, const char *bytes, size_t n)
{
	struct feed_pages *pages = of(feed);

	for (size_t at = 0; at + pages->page_bytes <= n; at += pages->page_bytes)
		page_reader_page(pages->reader, cpu, bytes + at, pages->page_bytes);
	if (page_reader_waiting(pages->reader, cpu) > WAITING_BYTES_MAX)
		page_reader_drain(pages->reader, pages->all);
}

static void go_round(struct feed *feed, const bool *quiet)
{
	page_reader_drain(of(feed)->reader, quiet);
}

static void cut(struct feed *feed)
{
	page_reader_drain(of(feed)->reader, of(feed)->all);
}

static void end(struct feed *feed)
{
	page_reader_end(of(feed)->reader);
}

static const char *format(const struct feed *feed)
{
	const struct page_reader *reader = ((const struct feed_pages *)feed)->reader;

	if (!page_reader_counts(reader)->events)
		return NULL;
	return page_reader_has_graph(reader) ? "raw" : "raw-events";
}

static const struct trace_counts *counts(const struct feed *feed)
{
	return page_reader_counts(((const struct feed_pages *)feed)->reader);
}

static const char *failure(struct feed *feed)
{
	(void)feed;
	return NULL;
}

static void free_feed(struct feed *feed)
{
	page_reader_free(of(feed)->reader);
	free(of(feed)->all);
	free(feed);
}

struct feed *feed_pages_new(struct keeper *keeper, struct trace_meta *meta, uint32_t n_cpus)
{
	struct feed_pages *pages = mem_zero(1, sizeof *pages);

	pages->feed = (struct feed){take, go_round, cut, end, format, counts, failure, free_feed};
	pages->page_bytes = trace_meta_page_bytes(meta);
	pages->all = mem_alloc(n_cpus * sizeof *pages->all);
	memset(pages->all, true, n_cpus * sizeof *pages->all);
	pages->reader = page_reader_new(keeper_names(keeper), meta, n_cpus, keeper_events, keeper);
	return &pages->feed;
}
