/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text reader, and what is built from its events: executions, trees, clean paths. */
#include "fuzz.h"

#include <string.h>

#include "evtop/path.h"
#include "evtop/trace.h"

const char fuzz_name[] = "text";

struct pipeline {
	struct names *names;
	struct trees *trees;
	struct clean_rules *rules;
	struct assembler *assembler;
	struct text_reader *reader;
	uint64_t n_events, n_executions, n_calls;
};

static void take_execution(void *context, const struct execution *execution)
{
	struct pipeline *pipeline = context;
	struct clean_path clean;
	uint64_t removed[N_REMOVED_KINDS];

	FUZZ_ASSERT(execution->n_calls == trees_size(pipeline->trees, execution->root));
	FUZZ_ASSERT(execution->call < names_count(pipeline->names));
	clean_path_init(&clean, pipeline->rules, pipeline->trees, execution->root);
	FUZZ_ASSERT(trees_size(pipeline->trees, clean.root) <= execution->n_calls);
	clean_path_times(&clean, execution->node_ns, removed);
	clean_path_release(&clean);
	pipeline->n_executions++;
	pipeline->n_calls += execution->n_calls;
}

static void take_events(void *context, const struct event *events, size_t n)
{
	struct pipeline *pipeline = context;

	for (size_t i = 0; i < n; i++) {
		bool named = events[i].kind == EVENT_ENTRY || events[i].kind == EVENT_LEAF;

		FUZZ_ASSERT(!named || events[i].function < names_count(pipeline->names));
		FUZZ_ASSERT(!named || events[i].depth >= 0);
	}
	pipeline->n_events += n;
	assembler_feed(pipeline->assembler, events, n);
}

static void pipeline_init(struct pipeline *pipeline)
{
	static const struct assembler_options everything;

	*pipeline = (struct pipeline){.names = names_new(), .trees = trees_new()};
	pipeline->rules = clean_rules_new(pipeline->names, NULL, 0);
	pipeline->assembler = assembler_new(pipeline->names, pipeline->trees, &everything,
					    take_execution, pipeline);
	pipeline->reader = text_reader_new(pipeline->names, take_events, pipeline);
}

static void pipeline_release(struct pipeline *pipeline)
{
	text_reader_free(pipeline->reader);
	assembler_free(pipeline->assembler);
	clean_rules_free(pipeline->rules);
	trees_free(pipeline->trees);
	names_free(pipeline->names);
}

/* The first bytes at once, as the reader asks for; the rest in pieces. */
static void pipeline_read(struct pipeline *pipeline, const uint8_t *data, size_t size, size_t first,
			  size_t piece)
{
	const char *bytes = (const char *)data;

	if (first > size)
		first = size;
	text_reader_feed(pipeline->reader, bytes, first);
	for (size_t at = first; at < size; at += piece)
		text_reader_feed(pipeline->reader, bytes + at,
				 piece < size - at ? piece : size - at);
	text_reader_end(pipeline->reader);
	assembler_end_run(pipeline->assembler);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipeline whole, pieces;
	const struct trace_counts *a, *b;

	pipeline_init(&whole);
	pipeline_init(&pieces);
	pipeline_read(&whole, data, size, 1u << 20, 1u << 20);
	/* larger inputs would take minutes in small pieces */
	pipeline_read(&pieces, data, size, 65536, size > 1u << 20 ? 4099 : 7);
	a = text_reader_counts(whole.reader);
	b = text_reader_counts(pieces.reader);
	FUZZ_ASSERT(a->lines == b->lines);
	FUZZ_ASSERT(a->events == b->events);
	FUZZ_ASSERT(a->lost_events == b->lost_events);
	FUZZ_ASSERT(a->unread_lines == b->unread_lines);
	FUZZ_ASSERT(whole.n_events == pieces.n_events);
	FUZZ_ASSERT(whole.n_executions == pieces.n_executions);
	FUZZ_ASSERT(whole.n_calls == pieces.n_calls);
	pipeline_release(&whole);
	pipeline_release(&pieces);
	return 0;
}

/* A text that grows by pieces. */
static void add(struct text *text, const char *piece, size_t times)
{
	for (size_t i = 0; i < times; i++)
		text_puts(text, piece);
}

static uint8_t *finish(struct text *text, size_t *size)
{
	*size = text->n;
	return (uint8_t *)text->bytes;
}

static uint8_t *make_endless_line(size_t *size)
{
	struct text text = {0};

	add(&text, " 0)   1.000 us    |  __x64_sys_read();\n", 3);
	add(&text, "all work and no newline ", 1 << 20);
	return finish(&text, size);
}

static uint8_t *make_depth_of_a_million(size_t *size)
{
	struct text text = {0};

	add(&text, " 0)               |  __x64_sys_read() {\n", 1);
	for (int i = 0; i < 3; i++) {
		add(&text, " 0)               |  ", 1);
		add(&text, "        ", 250000);
		add(&text, "f() {\n", 1);
	}
	add(&text, " 0)   1.000 us    |  }\n", 1);
	return finish(&text, size);
}

/* As deep as each line allows, with every exit in its place. */
static uint8_t *make_deep_nesting(size_t *size)
{
	static char blanks[2 * 3000 + 1];
	struct text text = {0};

	memset(blanks, ' ', sizeof blanks - 1);
	for (int depth = 0; depth < 3000; depth++)
		text_printf(&text, " 0)               |  %.*s%s() {\n", 2 * depth, blanks,
			    depth ? "f" : "__x64_sys_read");
	for (int depth = 2999; depth >= 0; depth--)
		text_printf(&text, " 0)   1.000 us    |  %.*s}\n", 2 * depth, blanks);
	return finish(&text, size);
}

static uint8_t *make_long_names(size_t *size)
{
	struct text text = {0};

	for (int i = 0; i < 64; i++) {
		text_printf(&text, " 0)   1.000 us    |  __x64_sys_%d", i);
		add(&text, "abcdefgh", 8192);
		add(&text, "();\n", 1);
	}
	return finish(&text, size);
}

static uint8_t *make_many_names(size_t *size)
{
	struct text text = {0};

	add(&text, " 0)               |  __x64_sys_read() {\n", 1);
	for (int i = 0; i < 200000; i++)
		text_printf(&text, " 0)   1.000 us    |    f%d();\n", i);
	add(&text, " 0)   1.000 us    |  }\n", 1);
	return finish(&text, size);
}

static uint8_t *make_many_tasks(size_t *size)
{
	struct text text = {0};

	for (int i = 0; i < 50000; i++)
		text_printf(&text, " 0)   t-%d   |               |  __x64_sys_read() {\n", i);
	return finish(&text, size);
}

static uint8_t *make_zeros(size_t *size)
{
	*size = 16 << 20;
	return mem_zero(*size, 1);
}

const struct fuzz_large fuzz_large[] = {
	{"a line of 24 MiB", make_endless_line},
	{"a depth of a million", make_depth_of_a_million},
	{"3,000 nested calls", make_deep_nesting},
	{"names of 64 KiB", make_long_names},
	{"200,000 names", make_many_names},
	{"50,000 tasks inside a call", make_many_tasks},
	{"16 MiB of zeros", make_zeros},
};
const size_t n_fuzz_large = COUNT_OF(fuzz_large);
