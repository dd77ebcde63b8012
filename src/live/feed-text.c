/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text that comes in pieces and may be cut anywhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live-internal.h"

/* A line may be this long before its beginning is handed on. */
#define LINE_MAX_BYTES (1u << 20)

struct feed_text {
	struct feed feed;
	struct text_reader *reader;
	struct text rest; /* of a line whose end has not come */
	bool ended;
	char failure[200];
	char first[61]; /* the beginning of the first line */
	bool has_first;
};

static struct feed_text *of(struct feed *feed)
{
	return (struct feed_text *)feed;
}

static void note_first(struct feed_text *text, const char *bytes, size_t n)
{
	size_t used = 0;

	while (used < n && used < sizeof text->first - 1 && bytes[used] != '\n')
		used++;
	memcpy(text->first, bytes, used);
	text->first[used] = '\0';
	text->has_first = true;
}

static void hand_on_rest(struct feed_text *text)
{
	if (text->rest.n)
		text_reader_feed(text->reader, text->rest.bytes, text->rest.n);
	text_clear(&text->rest);
}

/* Hands on whole lines, so that a pause cuts between two of them. */
static void take(struct feed *feed, uint32_t cpu, const char *bytes, size_t n)
{
	struct feed_text *text = of(feed);
	const char *end = memrchr(bytes, '\n', n);
	size_t whole = end ? (size_t)(end - bytes) + 1 : 0;

	(void)cpu;
	if (!text->has_first)
		note_first(text, bytes, n);
	if (whole) {
		hand_on_rest(text);
		text_reader_feed(text->reader, bytes, whole);
	}
	text_add(&text->rest, bytes + whole, n - whole);
	if (text->rest.n > LINE_MAX_BYTES)
		hand_on_rest(text);
}

static void do_nothing(struct feed *feed, const bool *quiet)
{
	(void)feed;
	(void)quiet;
}

static void cut(struct feed *feed)
{
	text_clear(&of(feed)->rest);
}

static void end(struct feed *feed)
{
	struct feed_text *text = of(feed);

	hand_on_rest(text);
	text_reader_end(text->reader);
	text->ended = true;
}

static const char *format(const struct feed *feed)
{
	return text_reader_format(((const struct feed_text *)feed)->reader);
}

static const struct trace_counts *counts(const struct feed *feed)
{
	return text_reader_counts(((const struct feed_text *)feed)->reader);
}

static const char *failure(struct feed *feed)
{
	struct feed_text *text = of(feed);
	const struct trace_counts *counts = text_reader_counts(text->reader);
	char printable[sizeof text->first];

	if (counts->binary)
		return "is binary, not a trace";
	if (!text->ended || text_reader_format(text->reader))
		return NULL;
	if (!text->has_first)
		return "is empty";
	snprintf(text->failure, sizeof text->failure,
		 "is not a trace: no call in %llu lines, the first is '%s'",
		 (unsigned long long)counts->lines,
		 text_printable(printable, sizeof printable, text->first));
	return text->failure;
}

static void free_feed(struct feed *feed)
{
	text_reader_free(of(feed)->reader);
	text_release(&of(feed)->rest);
	free(feed);
}

struct feed *feed_text_new(struct keeper *keeper)
{
	struct feed_text *text = mem_zero(1, sizeof *text);

	text->feed = (struct feed){take, do_nothing, cut, end, format, counts, failure, free_feed};
	text->reader = text_reader_new(keeper_names(keeper), keeper_events, keeper);
	return &text->feed;
}
