/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events of system calls, where there is no function_graph: "comm-pid [cpu]
 * flags? time: sys_openat(...)", "sys_openat -> 0x3", "sys_enter: NR 257 (...)",
 * "sys_exit: NR 257 = 3"; trace-cmd's "sys_enter_openat: ..." and
 * "sys_exit_openat: 0x3". Each is the entry or exit of a call without children.
 */
#include <stdlib.h>
#include <string.h>

#include "evtop/hash.h"
#include "syscalls.h"
#include "text.h"

#define TASKS_MAX (1u << 18)
#define SYS_ENTER "sys_enter"
#define SYS_EXIT "sys_exit"

/* When each task entered the call that it is in; TIME_NONE: in none. */
struct call_times {
	struct hash_key key;
	uint32_t n, size;
	struct call_time {
		int32_t task;
		bool used;
		uint64_t entry_ns;
	} * table;
};

void call_times_free(struct call_times *times)
{
	if (times)
		free(times->table);
	free(times);
}

static struct call_time *find_time(struct call_times *times, int32_t task)
{
	uint32_t at = (uint32_t)hash_add(&times->key, times->key.start, (uint32_t)task);

	while (times->table[at & (times->size - 1)].used &&
	       times->table[at & (times->size - 1)].task != task)
		at++;
	return &times->table[at & (times->size - 1)];
}

static void grow(struct call_times *times)
{
	struct call_times old = *times;

	times->size = old.size ? 2 * old.size : 64;
	times->table = mem_zero(times->size, sizeof *times->table);
	for (uint32_t i = 0; i < old.size; i++)
		if (old.table[i].used)
			*find_time(times, old.table[i].task) = old.table[i];
	free(old.table);
}

/* NULL where there are more tasks than any machine has. */
static struct call_time *time_of_task(struct text_reader *reader, int32_t task)
{
	struct call_times *times = reader->call_times;
	struct call_time *time;

	if (!times) {
		times = reader->call_times = mem_zero(1, sizeof *times);
		hash_key_init(&times->key);
	}
	if (times->n >= times->size / 2)
		grow(times);
	time = find_time(times, task);
	if (time->used)
		return time;
	if (times->n == TASKS_MAX)
		return NULL;
	times->n++;
	*time = (struct call_time){.task = task, .used = true, .entry_ns = TIME_NONE};
	return time;
}

static void note_time(struct text_reader *reader, struct event *event)
{
	struct call_time *time = time_of_task(reader, event->task);

	if (!time)
		return;
	if (event->kind == EVENT_EXIT && time->entry_ns != TIME_NONE &&
	    event->time_ns >= time->entry_ns)
		event->duration_ns = event->time_ns - time->entry_ns;
	time->entry_ns = event->kind == EVENT_ENTRY ? event->time_ns : TIME_NONE;
}

static uint32_t name_of_word(struct text_reader *reader, const char *word, size_t n)
{
	char name[SYSCALL_NAME_SIZE] = "sys_";

	if (n == 0 || n + 5 > sizeof name)
		return NAME_NONE;
	memcpy(name + 4, word, n);
	return names_intern(reader->names, name, n + 4);
}

/* " NR 257 (...)" or " NR 257 = 3" behind "sys_enter:" or "sys_exit:". */
static bool number_read(struct text_reader *reader, const char *at, const char *end, bool enter,
			uint32_t *name)
{
	char call[SYSCALL_NAME_SIZE];
	long number = 0;
	bool negative;

	at = skip_spaces(at, end);
	if (end - at < 4 || memcmp(at, "NR ", 3) != 0)
		return false;
	at += 3;
	negative = *at == '-';
	at += negative;
	if (at == end || !is_digit(*at))
		return false;
	for (; at < end && is_digit(*at) && number < 1000000; at++)
		number = 10 * number + (*at - '0');
	at = skip_spaces(at, end);
	if (at == end || *at != (enter ? '(' : '='))
		return false;
	/* what returns from a signal has no number: it ends whatever is open */
	*name = NAME_NONE;
	if (!negative) {
		syscall_function("", number, call);
		*name = names_intern(reader->names, call, strlen(call));
	}
	return true;
}

static bool begins(const char *word, size_t n, const char *with)
{
	return n >= strlen(with) && memcmp(word, with, strlen(with)) == 0;
}

/* The event at its name, "sys_": entry or exit, and of what. */
static bool name_read(struct text_reader *reader, const char *at, const char *end,
		      struct event *event, bool *of_report)
{
	const char *word = at;
	size_t n, enter = strlen(SYS_ENTER "_"), leave = strlen(SYS_EXIT "_");

	while (at < end && (is_digit(*at) || *at == '_' || (*at >= 'a' && *at <= 'z')))
		at++;
	n = (size_t)(at - word);
	*of_report = false;
	if (at == end)
		return false;
	if (*at == ':' && n == strlen(SYS_ENTER) && begins(word, n, SYS_ENTER)) {
		event->kind = EVENT_ENTRY;
		return number_read(reader, at + 1, end, true, &event->function);
	}
	if (*at == ':' && n == strlen(SYS_EXIT) && begins(word, n, SYS_EXIT)) {
		event->kind = EVENT_EXIT;
		return number_read(reader, at + 1, end, false, &event->function);
	}
	if (*at == ':') {
		*of_report = true;
		event->kind = begins(word, n, SYS_ENTER "_") ? EVENT_ENTRY : EVENT_EXIT;
		if (event->kind == EVENT_ENTRY)
			event->function = name_of_word(reader, word + enter, n - enter);
		else if (begins(word, n, SYS_EXIT "_"))
			event->function = name_of_word(reader, word + leave, n - leave);
	} else if (*at == '(') {
		event->kind = EVENT_ENTRY;
		event->function = name_of_word(reader, word + 4, n - 4);
	} else if (end - at > 4 && memcmp(at, " -> ", 4) == 0) {
		event->kind = EVENT_EXIT;
		event->function = name_of_word(reader, word + 4, n - 4);
	}
	return event->function != NAME_NONE;
}

bool call_event_read(struct text_reader *reader, const char *line, const char *end,
		     struct event *event)
{
	static const char mark[] = ": sys_";
	const char *at = line;

	/* comm may hold anything: the first place with a time before it */
	while ((at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1))) {
		bool of_report;

		*event = (struct event){
			.cpu = CPU_NONE,
			.function = NAME_NONE,
			.duration_ns = DURATION_NONE,
		};
		if (front_read(reader, line, at + 1, event) &&
		    name_read(reader, at + 2, end, event, &of_report)) {
			reader->calls_of_report |= of_report;
			note_time(reader, event);
			return true;
		}
		at++;
	}
	return false;
}

void call_look_ahead(struct text_reader *reader, const char *bytes, size_t n)
{
	static const char graph[] = "funcgraph_entry:";

	if (memmem(bytes, n, graph, sizeof graph - 1))
		reader->source = CALLS_OF_GRAPH;
}
