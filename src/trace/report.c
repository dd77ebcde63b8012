/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace-cmd report: "comm-pid [cpu] flags? time: funcgraph_entry: + 1.2 us | body".
 * Read from the event's name backwards, for comm may hold anything.
 */
#include "text.h"

#include <string.h>

/* The last word before end; end is moved before it and its spaces. */
static const char *last_word(const char *start, const char **end, size_t *n)
{
	const char *stop = *end, *p;

	while (stop > start && stop[-1] == ' ')
		stop--;
	for (p = stop; p > start && p[-1] != ' '; p--)
		;
	*n = (size_t)(stop - p);
	*end = p;
	return p;
}

static bool stamp_read(const char *word, size_t n, uint64_t *time_ns)
{
	uint64_t seconds = 0, fraction = 0, scale = 1000000000u;
	size_t i = 0;

	if (n < 3 || word[n - 1] != ':')
		return false;
	for (n--; i < n && is_digit(word[i]); i++) {
		seconds = 10 * seconds + (uint64_t)(word[i] - '0');
		if (seconds > UINT64_MAX / 20000000000u)
			return false;
	}
	if (i == 0)
		return false;
	if (i < n && word[i] == '.')
		for (i++; i < n && is_digit(word[i]); i++)
			if (scale > 1) {
				fraction = 10 * fraction + (uint64_t)(word[i] - '0');
				scale /= 10;
			}
	if (i != n)
		return false;
	*time_ns = seconds * 1000000000u + fraction * scale;
	return true;
}

/* "[003]", or CPU and flags in one as in "3d.h1." */
static bool cpu_word_read(const char *word, size_t n, int32_t *cpu)
{
	bool bracket = n > 2 && word[0] == '[' && word[n - 1] == ']';
	int32_t number = 0;
	size_t i = bracket ? 1 : 0, first = i;

	for (; i < n && is_digit(word[i]); i++) {
		number = 10 * number + (word[i] - '0');
		if (number >= CPUS_MAX)
			return false;
	}
	if (i == first || (bracket && i != n - 1))
		return false;
	*cpu = number;
	return true;
}

bool front_read(struct text_reader *reader, const char *line, const char *end, struct event *event)
{
	const char *word, *comm_end, *comm;
	size_t n;
	int32_t pid;

	word = last_word(line, &end, &n);
	if (!stamp_read(word, n, &event->time_ns))
		return false;
	word = last_word(line, &end, &n);
	if (!cpu_word_read(word, n, &event->cpu)) {
		/* flags stand between CPU and time */
		word = last_word(line, &end, &n);
		if (!cpu_word_read(word, n, &event->cpu))
			return false;
	}
	if (!task_read(line, end, &comm_end, &pid))
		return false;
	comm = skip_spaces(line, comm_end);
	event->comm = names_intern(reader->names, comm, (size_t)(comm_end - comm));
	event->task = task_of_pid(pid, event->cpu);
	return true;
}

enum body_kind report_read(struct text_reader *reader, const char *line, const char *end,
			   struct event *event)
{
	static const char entry[] = "funcgraph_entry:", leave[] = "funcgraph_exit:";
	const char *mark = memmem(line, (size_t)(end - line), entry, sizeof entry - 1), *p;
	size_t length = sizeof entry - 1;
	bool arrow;

	if (!mark) {
		mark = memmem(line, (size_t)(end - line), leave, sizeof leave - 1);
		length = sizeof leave - 1;
	}
	*event = (struct event){.cpu = CPU_NONE};
	if (!mark || !front_read(reader, line, mark, event))
		return BODY_NOT;
	p = mark + length;
	if (!duration_read(&p, end, &event->duration_ns, &arrow) || end - p < 2)
		return BODY_NOT;
	return body_read(reader, p + 2, end, event);
}
