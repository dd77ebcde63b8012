/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns before a call: time, CPU, task, latency flags, duration. */
#include "text.h"

#include <limits.h>
#include <string.h>

/* Width of TASK/PID, centred, when the text is shorter. */
#define TASK_WIDTH 14
/* comm cut to 7, a dash, a pid of at most 10 digits */
#define TASK_WIDTH_MAX 18

static bool number_read(const char **at, const char *end, uint64_t *value)
{
	const char *p = *at;
	uint64_t number = 0;

	for (; p < end && is_digit(*p); p++) {
		if (number > (UINT64_MAX - 9) / 10)
			return false;
		number = 10 * number + (uint64_t)(*p - '0');
	}
	if (p == *at)
		return false;
	*at = p;
	*value = number;
	return true;
}

/* Moves behind " |" and the spaces that every column ends with. */
static bool bar_read(const char **at, const char *end)
{
	const char *p = skip_spaces(*at, end);

	if (p == end || *p != '|')
		return false;
	*at = p + 1;
	return true;
}

static bool time_read(const char **at, const char *end, uint64_t *time_ns)
{
	const char *p = skip_spaces(*at, end), *fraction;
	uint64_t seconds, rest;

	if (!number_read(&p, end, &seconds) || p == end || *p != '.')
		return false;
	fraction = ++p;
	if (!number_read(&p, end, &rest) || p - fraction != 6)
		return false;
	if (!bar_read(&p, end) || seconds > UINT64_MAX / 2000000000u)
		return false;
	*time_ns = seconds * 1000000000u + rest * 1000u;
	/* two spaces follow the bar; the CPU is right aligned behind them */
	*at = p;
	return true;
}

static bool relative_read(const char **at, const char *end)
{
	const char *p = skip_spaces(*at, end);

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	while (p < end && is_digit(*p))
		p++;
	p = skip_spaces(p, end);
	if (end - p < 2 || memcmp(p, "us", 2) != 0)
		return false;
	p += 2;
	if (!bar_read(&p, end))
		return false;
	*at = p;
	return true;
}

static bool cpu_read(const char **at, const char *end, int32_t *cpu)
{
	const char *p = skip_spaces(*at, end);
	uint64_t number;

	if (!number_read(&p, end, &number) || number >= CPUS_MAX || p == end || *p != ')')
		return false;
	p++;
	if (p < end && *p == ' ')
		p++;
	*cpu = (int32_t)number;
	*at = p;
	return true;
}

bool task_read(const char *start, const char *end, const char **comm_end, int32_t *pid)
{
	const char *p;
	int64_t number = 0;

	while (end > start && end[-1] == ' ')
		end--;
	for (p = end; p > start && is_digit(p[-1]); p--)
		;
	if (p == end || end - p > 10 || p == start || p[-1] != '-')
		return false;
	for (const char *digit = p; digit < end; digit++)
		number = 10 * number + (*digit - '0');
	if (number > INT32_MAX)
		return false;
	*comm_end = p - 1;
	*pid = (int32_t)number;
	return true;
}

static void remember_task(struct text_reader *reader, const char *start, const char *end,
			  const struct event *event)
{
	struct last_task *last = &reader->last_task;

	last->n = (uint32_t)(end - start);
	memcpy(last->bytes, start, last->n);
	last->cpu = event->cpu;
	last->task = event->task;
	last->comm = event->comm;
}

/*
 * comm holds any character, bars too: what tells the column's end is its
 * width.
 */
static bool task_column_read(struct text_reader *reader, const char **at, const char *end,
			     struct event *event)
{
	const char *start = *at;

	for (int width = TASK_WIDTH; width <= TASK_WIDTH_MAX; width++) {
		const char *comm_end, *bar = start + width + 1;
		int32_t pid;

		if (end - start <= width + 1)
			return false;
		if (bar[-1] != ' ' || *bar != '|' ||
		    !task_read(start, start + width, &comm_end, &pid))
			continue;
		if (reader) {
			const char *comm = skip_spaces(start, comm_end);

			event->comm = names_intern(reader->names, comm, (size_t)(comm_end - comm));
			event->task = task_of_pid(pid, event->cpu);
		}
		*at = bar + 1;
		if (*at < end && **at == ' ')
			(*at)++;
		if (reader)
			remember_task(reader, start, *at, event);
		return true;
	}
	return false;
}

/* " d..1. |": one space, 4 to 6 characters; 4.9 prints no bar behind them. */
static bool latency_read(const char **at, const char *end)
{
	const char *p = *at, *flags;

	if (p == end || *p != ' ')
		return false;
	flags = ++p;
	while (p < end && *p != ' ' && *p != '|' && p - flags < 7)
		p++;
	if (p - flags < 4 || p - flags > 6)
		return false;
	if (end - p >= 2 && p[0] == ' ' && p[1] == '|')
		p += 2;
	else if (p < end && *p == '|')
		p++;
	/* then the duration column's own first space, where there is one */
	if (p < end && *p == ' ')
		p++;
	*at = p;
	return true;
}

static bool is_mark(char c)
{
	return c == '+' || c == '!' || c == '#' || c == '*' || c == '@' || c == '$';
}

/* "10.606 us" at p; false where it is none or longer than 100 days. */
static bool microseconds_read(const char **at, const char *end, uint64_t *duration_ns)
{
	const char *p = *at;
	uint64_t whole = 0;
	unsigned fraction = 0, digits = 0;

	for (; p < end && is_digit(*p); p++) {
		whole = 10 * whole + (uint64_t)(*p - '0');
		if (whole > 9000000000000u)
			return false;
	}
	if (p == *at)
		return false;
	if (p < end && *p == '.') {
		for (p++; p < end && is_digit(*p) && digits < 3; p++, digits++)
			fraction = 10 * fraction + (unsigned)(*p - '0');
		for (; digits < 3; digits++)
			fraction *= 10;
	}
	if (end - p < 3 || p[0] != ' ' || p[1] != 'u' || p[2] != 's')
		return false;
	*duration_ns = whole * 1000 + fraction;
	*at = p + 3;
	return true;
}

static uint64_t load8(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return word;
}

#define EIGHT_SPACES 0x2020202020202020u
/* Where the bar stands in what the kernel prints: mark, 7 digits, " us ". */
#define BAR_AT 14

bool duration_read(const char **at, const char *end, uint64_t *duration_ns, bool *arrow)
{
	const char *p = *at;

	*duration_ns = DURATION_NONE;
	*arrow = false;
	if (end - p > BAR_AT && p[BAR_AT] == '|' && load8(p) == EIGHT_SPACES &&
	    load8(p + BAR_AT - 8) == EIGHT_SPACES) {
		*at = p + BAR_AT + 1;
		return true;
	}
	p = skip_spaces(p, end);
	if (p < end && is_mark(*p))
		p = skip_spaces(p + 1, end);
	if (p < end && is_digit(*p)) {
		if (!microseconds_read(&p, end, duration_ns))
			return false;
	} else if (p < end && (*p == '=' || *p == '<')) {
		static const char *const arrows[] = {"==========>", "<=========="};
		size_t i = *p == '<';

		if (end - p < 11 || memcmp(p, arrows[i], 11) != 0)
			return false;
		*arrow = true;
		p += 11;
	}
	if (!bar_read(&p, end))
		return false;
	*at = p;
	return true;
}

bool columns_read(struct text_reader *reader, unsigned columns, const char **at, const char *end,
		  struct event *event, bool *arrow)
{
	const char *p = *at;

	*arrow = false;
	if (columns & COLUMN_TIME && !time_read(&p, end, &event->time_ns))
		return false;
	if (columns & COLUMN_RELATIVE && !relative_read(&p, end))
		return false;
	if (columns & COLUMN_CPU && !cpu_read(&p, end, &event->cpu))
		return false;
	if (columns & COLUMN_TASK && !task_column_read(reader, &p, end, event))
		return false;
	if (columns & COLUMN_LATENCY && !latency_read(&p, end))
		return false;
	if (columns & COLUMN_DURATION && !duration_read(&p, end, &event->duration_ns, arrow))
		return false;
	*at = p;
	return true;
}

unsigned columns_guess(const char *line, const char *end)
{
	const char *p = line;
	struct event event = {.cpu = CPU_NONE};
	unsigned columns = 0;
	bool arrow;

	if (time_read(&p, end, &event.time_ns))
		columns |= COLUMN_TIME;
	if (relative_read(&p, end))
		columns |= COLUMN_RELATIVE;
	if (cpu_read(&p, end, &event.cpu))
		columns |= COLUMN_CPU;
	if (task_column_read(NULL, &p, end, &event))
		columns |= COLUMN_TASK;
	if (end - p > 2 && p[0] == ' ' && p[1] != ' ' && latency_read(&p, end))
		columns |= COLUMN_LATENCY;
	if (duration_read(&p, end, &event.duration_ns, &arrow))
		columns |= COLUMN_DURATION;
	/* "1000131 us |" with nothing but the call behind is a duration */
	if (columns == COLUMN_RELATIVE)
		columns = COLUMN_DURATION;
	return columns;
}

static bool contains(const char *line, const char *end, const char *word)
{
	return memmem(line, (size_t)(end - line), word, strlen(word)) != NULL;
}

unsigned columns_of_header(const char *line, const char *end)
{
	unsigned columns = 0;

	if (!contains(line, end, "FUNCTION CALLS"))
		return COLUMNS_UNKNOWN;
	if (contains(line, end, "REL TIME"))
		columns |= COLUMN_RELATIVE;
	/* both are there where TIME stands twice */
	if (contains(line, end, "  TIME"))
		columns |= COLUMN_TIME;
	if (contains(line, end, "CPU"))
		columns |= COLUMN_CPU;
	if (contains(line, end, "TASK/PID"))
		columns |= COLUMN_TASK;
	if (contains(line, end, "|||"))
		columns |= COLUMN_LATENCY;
	if (contains(line, end, "DURATION"))
		columns |= COLUMN_DURATION;
	return columns;
}
