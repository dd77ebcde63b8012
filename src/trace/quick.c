/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The quick way for lines as nearly all are: known columns, nothing special in
 * them. Whatever is not to the letter as expected is left to the long way,
 * which gives the same result: a test compares the two.
 */
#include "text.h"

#include <string.h>

#define EIGHT_SPACES 0x2020202020202020u

static inline uint64_t load8(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return word;
}

/* "   22.525198 |  " */
static inline const char *quick_time(const char *p, const char *end, uint64_t *time_ns)
{
	uint64_t seconds = 0, micros = 0;
	int digits = 0;

	while (p < end && *p == ' ')
		p++;
	for (; p < end && is_digit(*p) && digits < 9; p++, digits++)
		seconds = 10 * seconds + (uint64_t)(*p - '0');
	if (digits == 0 || end - p < 10 || *p != '.')
		return NULL;
	for (p++, digits = 0; digits < 6; digits++, p++) {
		if (!is_digit(*p))
			return NULL;
		micros = 10 * micros + (uint64_t)(*p - '0');
	}
	if (p[0] != ' ' || p[1] != '|')
		return NULL;
	*time_ns = seconds * 1000000000u + micros * 1000u;
	return p + 2;
}

static inline const char *quick_cpu(const char *p, const char *end, int32_t *cpu)
{
	int32_t number;

	while (p < end && *p == ' ')
		p++;
	if (end - p < 6 || !is_digit(*p))
		return NULL;
	number = *p++ - '0';
	for (int i = 0; i < 3 && is_digit(*p); i++)
		number = 10 * number + (*p++ - '0');
	if (p[0] != ')' || p[1] != ' ')
		return NULL;
	*cpu = number;
	return p + 2;
}

/* The same task as on the line before: the column's bytes are the same. */
static inline const char *quick_task(const struct text_reader *reader, const char *p,
				     const char *end, struct event *event)
{
	const struct last_task *last = &reader->last_task;

	if (last->n == 0 || end - p < (ptrdiff_t)last->n || last->cpu != event->cpu ||
	    memcmp(p, last->bytes, last->n) != 0)
		return NULL;
	event->task = last->task;
	event->comm = last->comm;
	return p + last->n;
}

/* "  2.153 us    |  ", or blanks before the bar; at least 17 bytes are there. */
static inline const char *quick_duration(const char *p, uint64_t *duration_ns)
{
	const char *q = p + 2;
	uint64_t whole = 0;

	if (p[14] != '|' || p[15] != ' ' || p[16] != ' ')
		return NULL;
	if (load8(p) == EIGHT_SPACES && load8(p + 6) == EIGHT_SPACES) {
		*duration_ns = DURATION_NONE;
		return p + 17;
	}
	if (p[1] != ' ' || !is_digit(*q))
		return NULL;
	do
		whole = 10 * whole + (uint64_t)(*q++ - '0');
	while (is_digit(*q) && q < p + 6);
	if (q[0] != '.' || !is_digit(q[1]) || !is_digit(q[2]) || !is_digit(q[3]) || q[4] != ' ' ||
	    q[5] != 'u' || q[6] != 's' || q[7] != ' ')
		return NULL;
	*duration_ns = 1000 * whole + 100 * (uint64_t)(q[1] - '0') + 10 * (uint64_t)(q[2] - '0') +
		       (uint64_t)(q[3] - '0');
	return p + 17;
}

/* A name that was seen to be one of a function, else NAME_NONE. */
static inline uint32_t quick_name(const struct text_reader *reader, const char *p, const char *end)
{
	uint32_t name = names_find(reader->names, p, (size_t)(end - p));

	return name < reader->is_function_room && reader->is_function[name] ? name : NAME_NONE;
}

bool quick_read(struct text_reader *reader, const char *line, const char *end, struct event *event)
{
	const char *p = line, *body;
	int32_t owner;

	event->time_ns = TIME_NONE;
	event->comm = NAME_NONE;
	if (reader->columns & COLUMN_TIME && !(p = quick_time(p, end, &event->time_ns)))
		return false;
	p = quick_cpu(p, end, &event->cpu);
	if (!p || event->cpu >= reader->cpus)
		return false;
	if (reader->columns & COLUMN_TASK) {
		p = quick_task(reader, p, end, event);
		if (!p)
			return false;
	} else {
		owner = reader->owner[event->cpu];
		event->task = owner == TASK_UNKNOWN ? task_of_cpu(event->cpu) : owner;
	}
	if (end - p < 18 || !(p = quick_duration(p, &event->duration_ns)))
		return false;
	for (body = p; end - p >= 8 && load8(p) == EIGHT_SPACES;)
		p += 8;
	while (p < end && *p == ' ')
		p++;
	event->depth = (int32_t)((p - body) / 2);
	if (end - p == 1 && *p == '}') {
		event->kind = EVENT_EXIT;
		event->function = NAME_NONE;
		return true;
	}
	if (end - p < 5)
		return false;
	if (end[-1] == ';' && end[-2] == ')' && end[-3] == '(') {
		event->kind = EVENT_LEAF;
		event->function = quick_name(reader, p, end - 3);
	} else if (memcmp(end - 4, "() {", 4) == 0) {
		event->kind = EVENT_ENTRY;
		event->function = quick_name(reader, p, end - 4);
	} else {
		return false;
	}
	return event->function != NAME_NONE;
}
