/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that are no calls: headers, task-switch banners, losses, a tool's own words. */
#include "text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool starts_with(const char *line, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - line) >= n && memcmp(line, word, n) == 0;
}

static bool ends_with(const char *line, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - line) >= n && memcmp(end - n, word, n) == 0;
}

/*
 * " 1)   kworker-7    =>   rcu_pre-15": both sides end with a pid, whatever
 * the names hold.
 */
static bool banner_parse(const char *line, const char *end, int *cpu, int32_t pid[2])
{
	const char *p = skip_spaces(line, end), *start, *comm_end;
	uint64_t number = 0;

	for (start = p; p < end && is_digit(*p) && number < CPUS_MAX; p++)
		number = 10 * number + (uint64_t)(*p - '0');
	if (p == start || number >= CPUS_MAX || p == end || *p != ')')
		return false;
	*cpu = (int)number;
	start = ++p;
	for (; end - p >= 4; p++) {
		if (memcmp(p, " => ", 4) != 0 || !task_read(start, p, &comm_end, &pid[0]))
			continue;
		return task_read(p + 4, end, &comm_end, &pid[1]);
	}
	return false;
}

static bool banner_read(struct text_reader *reader, const char *line, const char *end)
{
	int32_t pid[2], *owner;
	int cpu;

	if (!banner_parse(line, end, &cpu, pid))
		return false;
	owner = text_owner(reader, cpu);
	if (*owner == TASK_UNKNOWN) {
		/* what nobody owned so far was the left side's */
		struct event *event = text_emit(reader);

		event->kind = EVENT_OWNER;
		event->cpu = cpu;
		event->task = task_of_pid(pid[0], cpu);
		event->former_task = task_of_cpu(cpu);
	}
	*owner = task_of_pid(pid[1], cpu);
	return true;
}

void other_look_ahead(struct text_reader *reader, const char *bytes, size_t n)
{
	const char *at = bytes, *end = bytes + n;

	while (at < end) {
		const char *arrow = memmem(at, (size_t)(end - at), "=>", 2), *line, *stop;
		int32_t pid[2], *owner;
		int cpu;

		if (!arrow)
			return;
		line = memrchr(at, '\n', (size_t)(arrow - at));
		line = line ? line + 1 : at;
		stop = memchr(arrow, '\n', (size_t)(end - arrow));
		if (!stop)
			return;
		at = stop + 1;
		if (!banner_parse(line, stop, &cpu, pid))
			continue;
		owner = text_owner(reader, cpu);
		if (*owner == TASK_UNKNOWN)
			*owner = task_of_pid(pid[0], cpu);
	}
}

/* CPU:1 [LOST 1912 EVENTS], [LOST EVENTS], [236 EVENTS DROPPED] */
static bool loss_read(struct text_reader *reader, const char *line, const char *end)
{
	char text[64], *p;
	size_t n = (size_t)(end - line);
	unsigned long cpu, lost = 0;
	struct event *event;

	if (n >= sizeof text || !starts_with(line, end, "CPU:"))
		return false;
	memcpy(text, line, n);
	text[n] = '\0';
	cpu = strtoul(text + 4, &p, 10);
	if (p == text + 4 || cpu >= CPUS_MAX || !strstr(p, "EVENTS"))
		return false;
	p += strcspn(p, "0123456789");
	if (*p)
		lost = strtoul(p, NULL, 10);
	if (lost > UINT32_MAX)
		return false;
	reader->counts.lost_events += lost ? lost : 1;
	event = text_emit(reader);
	event->kind = EVENT_LOST;
	event->cpu = (int)cpu;
	return true;
}

/* Traces put behind each other: the next one knows nothing of the one before. */
static void begin_trace(struct text_reader *reader)
{
	reader->columns = COLUMNS_UNKNOWN;
	if (reader->counts.events == 0)
		return;
	text_emit(reader)->kind = EVENT_TRACE;
	for (int cpu = 0; cpu < reader->cpus; cpu++)
		reader->owner[cpu] = TASK_UNKNOWN;
}

static void header_read(struct text_reader *reader, const char *line, const char *end)
{
	unsigned columns = columns_of_header(line, end);

	/* other lines with a hash in front are anybody's: they do not make a file a trace */
	if (starts_with(line, end, "# tracer:"))
		begin_trace(reader);
	else if (columns != COLUMNS_UNKNOWN)
		reader->columns = columns;
	else
		return;
	reader->header_seen = true;
}

/* An event of another tracer in trace-cmd's report: "... 9.014055: sched_switch: ..." */
static bool is_other_event(const char *line, const char *end)
{
	const char *p = line;

	while ((p = memchr(p, ':', (size_t)(end - p)))) {
		const char *q = p;

		while (q > line && (is_digit(q[-1]) || q[-1] == '.'))
			q--;
		if (p - q >= 3 && p + 1 < end && p[1] == ' ')
			return true;
		p++;
	}
	return false;
}

bool other_read(struct text_reader *reader, const char *line, const char *end)
{
	static const char *const first[] = {"(Overruns:",
					    "##### CPU ",
					    "cpus=",
					    "version = ",
					    "CPU ",
					    "Dumping ftrace buffer",
					    "(ftrace buffer empty)",
					    "sysrq:",
					    "trace-cmd"};
	const char *p = skip_spaces(line, end);

	if (p == end)
		return true;
	if (*p == '#' && !starts_with(p, end, "#####")) {
		header_read(reader, p, end);
		return true;
	}
	if (starts_with(p, end, "-----"))
		return true;
	if (loss_read(reader, p, end) || banner_read(reader, p, end))
		return true;
	for (size_t i = 0; i < COUNT_OF(first); i++)
		if (starts_with(p, end, first[i])) {
			if (starts_with(p, end, "cpus=") || ends_with(p, end, "is empty"))
				reader->header_seen = true;
			return true;
		}
	return (reader->is_report || reader->source == CALLS_OF_EVENTS) &&
	       is_other_event(line, end);
}
