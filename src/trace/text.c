/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text reader: bytes to lines, lines to events. */
#include "text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Longer lines hold no call: a name has at most 64 KiB, an indentation less. */
#define LINE_MAX_BYTES (1u << 20)
/* A marker's text that never ends must not swallow the trace. */
#define COMMENT_LINES_MAX 64
/* So many lines in a row that the known columns do not fit: look again. */
#define FAILURES_MAX 64

#define QUICK_NEEDS (COLUMN_CPU | COLUMN_DURATION)
#define QUICK_KNOWS (QUICK_NEEDS | COLUMN_TIME | COLUMN_TASK)

struct text_reader *text_reader_new(struct names *names, event_sink *sink, void *context)
{
	struct text_reader *reader = mem_zero(1, sizeof *reader);

	reader->names = names;
	reader->sink = sink;
	reader->context = context;
	reader->columns = COLUMNS_UNKNOWN;
	return reader;
}

void text_reader_free(struct text_reader *reader)
{
	if (!reader)
		return;
	for (unsigned i = 0; i < reader->counts.n_unread; i++)
		free(reader->counts.unread[i]);
	free(reader->owner);
	free(reader->is_function);
	text_release(&reader->carry);
	call_times_free(reader->call_times);
	free(reader);
}

static void flush(struct text_reader *reader)
{
	if (reader->n_batch)
		reader->sink(reader->context, reader->batch, reader->n_batch);
	reader->n_batch = 0;
}

struct event *text_emit(struct text_reader *reader)
{
	struct event *event;

	if (reader->n_batch == BATCH)
		flush(reader);
	event = &reader->batch[reader->n_batch++];
	*event = (struct event){
		.function = NAME_NONE,
		.cpu = CPU_NONE,
		.task = -1,
		.comm = NAME_NONE,
		.duration_ns = DURATION_NONE,
		.time_ns = TIME_NONE,
	};
	return event;
}

int32_t *text_owner(struct text_reader *reader, int cpu)
{
	if (cpu >= reader->cpus) {
		int cpus = reader->cpus ? reader->cpus : 8;

		while (cpus <= cpu)
			cpus *= 2;
		reader->owner = mem_resize(reader->owner, (size_t)cpus, sizeof *reader->owner);
		for (int i = reader->cpus; i < cpus; i++)
			reader->owner[i] = TASK_UNKNOWN;
		reader->cpus = cpus;
	}
	return &reader->owner[cpu];
}

static void complain(struct text_reader *reader, const char *line, const char *end)
{
	struct trace_counts *counts = &reader->counts;
	char cut[81], printable[81];
	size_t n = (size_t)(end - line);

	counts->unread_lines++;
	if (counts->n_unread == COUNT_OF(counts->unread))
		return;
	if (n > sizeof cut - 1)
		n = sizeof cut - 1;
	memcpy(cut, line, n);
	cut[n] = '\0';
	counts->unread[counts->n_unread++] =
		mem_copy_text(text_printable(printable, sizeof printable, cut));
}

/* What mail and printk put before a line: "> ", "[  247.746648] ". */
static const char *skip_prefix(const char *line, const char *end)
{
	while (end - line >= 2 && line[0] == '>' && line[1] == ' ')
		line += 2;
	if (line < end && *line == '[') {
		const char *p = skip_spaces(line + 1, end);

		if (p < end && is_digit(*p)) {
			while (p < end && (is_digit(*p) || *p == '.'))
				p++;
			if (end - p >= 2 && p[0] == ']' && p[1] == ' ')
				return p + 2;
		}
	}
	return line;
}

/* Which tasks' nesting a line without a TASK/PID column belongs to. */
static int32_t task_of_line(struct text_reader *reader, int cpu)
{
	int32_t owner;

	if (cpu < 0)
		return -1;
	owner = *text_owner(reader, cpu);
	return owner == TASK_UNKNOWN ? task_of_cpu(cpu) : owner;
}

/*
 * A call by the given columns. Columns that end with a bar, and only they,
 * leave two spaces before the body's indentation.
 */
static enum body_kind line_read(struct text_reader *reader, unsigned columns, const char *line,
				const char *end, struct event *event)
{
	const char *at = line;
	bool arrow;

	*event = (struct event){
		.cpu = CPU_NONE,
		.task = -1,
		.comm = NAME_NONE,
		.duration_ns = DURATION_NONE,
		.time_ns = TIME_NONE,
	};
	if (!columns_read(reader, columns, &at, end, event, &arrow))
		return BODY_NOT;
	if (arrow)
		return BODY_COMMENT;
	if (columns & COLUMN_DURATION) {
		if (end - at < 2 || at[0] != ' ' || at[1] != ' ')
			return BODY_NOT;
		at += 2;
	}
	if (!(columns & COLUMN_TASK))
		event->task = task_of_line(reader, event->cpu);
	return body_read(reader, at, end, event);
}

static unsigned count_columns(unsigned columns)
{
	return columns == COLUMNS_UNKNOWN ? 0 : (unsigned)__builtin_popcount(columns);
}

/* The line does not fit what is known of the columns: do others fit? */
static enum body_kind line_read_anew(struct text_reader *reader, const char *line, const char *end,
				     struct event *event)
{
	unsigned guess;
	enum body_kind kind;

	if (reader->is_report)
		return BODY_NOT;
	if (reader->columns == COLUMNS_UNKNOWN) {
		kind = report_read(reader, line, end, event);
		if (kind != BODY_NOT) {
			reader->is_report = true;
			reader->columns = 0;
			return kind;
		}
	}
	guess = columns_guess(line, end);
	if (guess == reader->columns)
		return BODY_NOT;
	/* a marker's text can look like a call, but not like one with more columns */
	if (reader->columns != COLUMNS_UNKNOWN && reader->failures < FAILURES_MAX &&
	    count_columns(guess) <= count_columns(reader->columns))
		return BODY_NOT;
	kind = line_read(reader, guess, line, end, event);
	if (kind != BODY_NOT)
		reader->columns = guess;
	return kind;
}

/* What was taken for a marker's text has no end: its lines are unread ones. */
static void give_comment_up(struct text_reader *reader, unsigned lines)
{
	reader->counts.unread_lines += lines;
	reader->in_comment = false;
}

/* Inside a marker's text: true while the line belongs to it. */
static bool comment_goes_on(struct text_reader *reader, const char *line, const char *end)
{
	struct event scratch;

	/* a line with the trace's columns is a call again, unless there are none to tell by */
	if (reader->columns && reader->columns != COLUMNS_UNKNOWN &&
	    line_read(reader, reader->columns, line, end, &scratch) == BODY_EVENT) {
		reader->in_comment = false;
		return false;
	}
	reader->comment_lines++;
	if (end - line >= 2 && end[-1] == '/' && end[-2] == '*') {
		reader->in_comment = false;
	} else if (reader->comment_lines == COMMENT_LINES_MAX) {
		complain(reader, line, end);
		give_comment_up(reader, COMMENT_LINES_MAX - 1);
	}
	return true;
}

static void count_event(struct text_reader *reader, const struct event *event)
{
	reader->counts.events++;
	reader->counts.has_durations |= event->duration_ns != DURATION_NONE;
	reader->failures = 0;
	reader->last_cpu = event->cpu;
}

/*
 * A line whose CPU was lost in an excerpt: "               |  f() {" goes on
 * where the line before was.
 */
static enum body_kind line_read_without_cpu(struct text_reader *reader, const char *line,
					    const char *end, struct event *event)
{
	unsigned columns = reader->columns;
	enum body_kind kind;

	if (columns == COLUMNS_UNKNOWN || (columns & QUICK_NEEDS) != QUICK_NEEDS ||
	    columns & COLUMN_TASK || reader->counts.events == 0)
		return BODY_NOT;
	kind = line_read(reader, columns & ~(unsigned)COLUMN_CPU, line, end, event);
	event->cpu = reader->last_cpu;
	event->task = task_of_line(reader, event->cpu);
	return kind;
}

/* Room for an event; what fills it sets every field. */
static inline struct event *next_event(struct text_reader *reader)
{
	if (reader->n_batch == BATCH)
		flush(reader);
	return &reader->batch[reader->n_batch];
}

/* Events of system calls make calls only where function_graph makes none. */
static bool read_call_event(struct text_reader *reader, const char *line, const char *end,
			    struct event *event)
{
	if (reader->source == CALLS_OF_GRAPH || !call_event_read(reader, line, end, event))
		return false;
	reader->source = CALLS_OF_EVENTS;
	return true;
}

/* A call of function_graph: from now on, and hopefully so far, the only ones. */
static void note_graph(struct text_reader *reader, const char *line, const char *end)
{
	if (reader->source == CALLS_OF_EVENTS)
		complain(reader, line, end);
	reader->source = CALLS_OF_GRAPH;
}

/* A line that is not as nearly all are. */
static void handle_special(struct text_reader *reader, const char *line, const char *end)
{
	struct event event;
	enum body_kind kind = BODY_NOT;
	bool of_events = false;

	if (end > line && end[-1] == '\r')
		end--;
	line = skip_prefix(line, end);
	if (reader->in_comment && comment_goes_on(reader, line, end))
		return;
	if (reader->is_report)
		kind = report_read(reader, line, end, &event);
	else if (reader->columns != COLUMNS_UNKNOWN)
		kind = line_read(reader, reader->columns, line, end, &event);
	if (kind == BODY_NOT && read_call_event(reader, line, end, &event)) {
		kind = BODY_EVENT;
		of_events = true;
	}
	if (kind == BODY_NOT && other_read(reader, line, end))
		return;
	if (kind == BODY_NOT)
		kind = line_read_anew(reader, line, end, &event);
	if (kind == BODY_NOT)
		kind = line_read_without_cpu(reader, line, end, &event);
	switch (kind) {
	case BODY_EVENT:
		if (!of_events && reader->source != CALLS_OF_GRAPH)
			note_graph(reader, line, end);
		count_event(reader, &event);
		*next_event(reader) = event;
		reader->n_batch++;
		break;
	case BODY_OPEN_COMMENT:
		reader->in_comment = true;
		reader->comment_lines = 0;
		break;
	case BODY_COMMENT:
		break;
	case BODY_NOT:
		reader->failures++;
		complain(reader, line, end);
	}
}

static inline void handle_line(struct text_reader *reader, const char *line, const char *end)
{
	reader->counts.lines++;
	if ((reader->columns & QUICK_NEEDS) == QUICK_NEEDS && !(reader->columns & ~QUICK_KNOWS) &&
	    !reader->in_comment) {
		struct event *event = next_event(reader);

		if (quick_read(reader, line, end, event)) {
			count_event(reader, event);
			reader->n_batch++;
			return;
		}
	}
	handle_special(reader, line, end);
}

/* Ends the line that was begun by earlier bytes. */
static void end_carry(struct text_reader *reader, const char *bytes, size_t n)
{
	if (reader->overlong || reader->carry.n + n > LINE_MAX_BYTES) {
		if (!reader->overlong)
			complain(reader, reader->carry.bytes,
				 reader->carry.bytes + reader->carry.n);
		reader->overlong = false;
	} else {
		text_add(&reader->carry, bytes, n);
		handle_line(reader, reader->carry.bytes, reader->carry.bytes + reader->carry.n);
	}
	text_clear(&reader->carry);
}

static void keep_carry(struct text_reader *reader, const char *bytes, size_t n)
{
	if (reader->overlong)
		return;
	if (reader->carry.n + n > LINE_MAX_BYTES) {
		if (reader->carry.n == 0)
			text_add(&reader->carry, bytes, 80);
		complain(reader, reader->carry.bytes, reader->carry.bytes + reader->carry.n);
		text_clear(&reader->carry);
		reader->overlong = true;
		return;
	}
	text_add(&reader->carry, bytes, n);
}

void text_reader_feed(struct text_reader *reader, const char *bytes, size_t n)
{
	const char *at = bytes, *end = bytes + n;

	if (reader->counts.binary)
		return;
	if (!reader->fed) {
		size_t look = n < 4096 ? n : 4096;

		reader->fed = true;
		if (memchr(bytes, '\0', look)) {
			reader->counts.binary = true;
			return;
		}
		other_look_ahead(reader, bytes, n);
		call_look_ahead(reader, bytes, n);
	}
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		if (!newline) {
			keep_carry(reader, at, (size_t)(end - at));
			break;
		}
		if (reader->carry.n || reader->overlong)
			end_carry(reader, at, (size_t)(newline - at));
		else
			handle_line(reader, at, newline);
		at = newline + 1;
	}
	flush(reader);
}

void text_reader_end(struct text_reader *reader)
{
	if (reader->carry.n)
		end_carry(reader, "", 0);
	if (reader->in_comment)
		give_comment_up(reader, reader->comment_lines);
	flush(reader);
}

const struct trace_counts *text_reader_counts(const struct text_reader *reader)
{
	return &reader->counts;
}

const char *text_reader_format(const struct text_reader *reader)
{
	if (reader->source == CALLS_OF_EVENTS)
		return reader->calls_of_report ? "tracecmd-report-events" : "text-events";
	if (reader->is_report)
		return "tracecmd-report";
	return reader->counts.events || reader->header_seen ? "text" : NULL;
}
