/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text reader: every column and body that kernels and tools print, a line at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evtop/trace.h"

#define EVENTS_MAX 64

struct seen {
	struct names *names;
	struct text_reader *reader;
	struct event events[EVENTS_MAX];
	size_t n;
};

static void take(void *context, const struct event *events, size_t n)
{
	struct seen *seen = context;

	for (size_t i = 0; i < n && seen->n < EVENTS_MAX; i++)
		seen->events[seen->n++] = events[i];
}

static void begin(struct seen *seen)
{
	*seen = (struct seen){.names = names_new()};
	seen->reader = text_reader_new(seen->names, take, seen);
}

static void feed(struct seen *seen, const char *text)
{
	text_reader_feed(seen->reader, text, strlen(text));
}

static void end(struct seen *seen)
{
	text_reader_free(seen->reader);
	names_free(seen->names);
}

static const char *name_of(const struct seen *seen, uint32_t name)
{
	return name == NAME_NONE ? "" : names_text(seen->names, name);
}

#define NO_TIME TIME_NONE
#define NO_NS DURATION_NONE

struct line_case {
	const char *header; /* before the line */
	const char *line;
	enum event_kind kind;
	const char *function;
	int depth, cpu, task; /* task: a pid, or below 0 */
	uint64_t duration_ns, time_ns;
};

#define CPU_DURATION "# CPU  DURATION                  FUNCTION CALLS\n"
#define ALL "#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS\n"
#define TASK "# CPU  TASK/PID         DURATION                  FUNCTION CALLS\n"

static const struct line_case lines[] = {
	/* the default columns; the three ways a duration is printed */
	{CPU_DURATION, " 1)   2.153 us    |  f();", EVENT_LEAF, "f", 0, 1, -5, 2153, NO_TIME},
	{CPU_DURATION, " 0) + 12.699 us   |    }", EVENT_EXIT, "", 1, 0, -3, 12699, NO_TIME},
	{CPU_DURATION, " 0)               |      g() {", EVENT_ENTRY, "g", 2, 0, -3, NO_NS,
	 NO_TIME},
	{CPU_DURATION, " 0) * 33998.59 us |  }", EVENT_EXIT, "", 0, 0, -3, 33998590, NO_TIME},
	{CPU_DURATION, " 0) $ 3594274 us  |  }", EVENT_EXIT, "", 0, 0, -3, 3594274000, NO_TIME},
	{CPU_DURATION, " 0) $ 10001311 us |  }", EVENT_EXIT, "", 0, 0, -3, 10001311000, NO_TIME},
	{CPU_DURATION, "128) ! 100.5 us    |  f();", EVENT_LEAF, "f", 0, 128, -259, 100500,
	 NO_TIME},
	/* without a header, from the line alone */
	{"", " 1)   2.153 us    |  f();", EVENT_LEAF, "f", 0, 1, -5, 2153, NO_TIME},
	{"", " 1) mutex_unlock();", EVENT_LEAF, "mutex_unlock", 0, 1, -5, NO_NS, NO_TIME},
	{"", "  10.526 us   |    f();", EVENT_LEAF, "f", 1, -1, -1, 10526, NO_TIME},
	{"", "      getname() {", EVENT_ENTRY, "getname", 3, -1, -1, NO_NS, NO_TIME},
	/* all columns; comm holds what it likes, the pid follows the last dash */
	{ALL, "   22.525215 |   1)     wl-170     |   1.111 us    |  f();", EVENT_LEAF, "f", 0, 1,
	 170, 1111, 22525215000},
	{TASK, " 1)  a | b-1-77    |   1.111 us    |  f();", EVENT_LEAF, "f", 0, 1, 77, 1111,
	 NO_TIME},
	{TASK, " 1)  () {;-12-77   |   1.111 us    |  f();", EVENT_LEAF, "f", 0, 1, 77, 1111,
	 NO_TIME},
	{TASK, " 3)   <idle>-0     |   1.111 us    |  f();", EVENT_LEAF, "f", 0, 3, -8, 1111,
	 NO_TIME},
	{TASK, " 3) kworker-4194303 |   1.111 us    |  f();", EVENT_LEAF, "f", 0, 3, 4194303, 1111,
	 NO_TIME},
	/* latency flags, with and without a bar behind them */
	{"", " 1)  ...1. |   1.322 us    |          f();", EVENT_LEAF, "f", 4, 1, -5, 1322,
	 NO_TIME},
	{"", " 1)  d.h1   1.322 us    |  f();", EVENT_LEAF, "f", 0, 1, -5, 1322, NO_TIME},
	{"", "   50.763354 |   1)     wl-190     |  ...1. |   1.432 us    |    f();", EVENT_LEAF,
	 "f", 1, 1, 190, 1432, 50763354000},
	/* bodies */
	{CPU_DURATION, " 0)   1.000 us    |  f [ext4]();", EVENT_LEAF, "f", 0, 0, -3, 1000,
	 NO_TIME},
	{CPU_DURATION, " 0)               |  f.isra.0 [mod]() {", EVENT_ENTRY, "f.isra.0", 0, 0, -3,
	 NO_NS, NO_TIME},
	{CPU_DURATION, " 0)   1.000 us    |  } /* f */", EVENT_EXIT, "f", 0, 0, -3, 1000, NO_TIME},
	{CPU_DURATION, " 0)   1.000 us    |  } /* f() */", EVENT_EXIT, "f", 0, 0, -3, 1000,
	 NO_TIME},
	{CPU_DURATION, " 0)   1.000 us    |  } /* = 0x0 */", EVENT_EXIT, "", 0, 0, -3, 1000,
	 NO_TIME},
	{CPU_DURATION, " 0)   1.000 us    |  } /* f = -38 */", EVENT_EXIT, "f", 0, 0, -3, 1000,
	 NO_TIME},
	{CPU_DURATION, " 0)   1.000 us    |  } /* ret=0x0 */", EVENT_EXIT, "", 0, 0, -3, 1000,
	 NO_TIME},
	{CPU_DURATION, " 0)   1.000 us    |  } /* f ret=-8 */", EVENT_EXIT, "f", 0, 0, -3, 1000,
	 NO_TIME},
	{CPU_DURATION, " 0)   1.000 us    |  f(); /* = 0x0 */", EVENT_LEAF, "f", 0, 0, -3, 1000,
	 NO_TIME},
	{CPU_DURATION, " 0)   1.000 us    |  f(a=0x1, mode=0 [X]);", EVENT_LEAF, "f", 0, 0, -3,
	 1000, NO_TIME},
	{CPU_DURATION, " 0)   0.081 us    |    f(rq=0xff); /* <-x+0x48/0x3b0 ret=0x0 */",
	 EVENT_LEAF, "f", 1, 0, -3, 81, NO_TIME},
	{CPU_DURATION, " 0)               |  f(rq=0xff) { /* <-x+0x154/0x700 */", EVENT_ENTRY, "f",
	 0, 0, -3, NO_NS, NO_TIME},
	{CPU_DURATION, " 0)   1.000 us    |  0xffffffff81000000();", EVENT_LEAF,
	 "0xffffffff81000000", 0, 0, -3, 1000, NO_TIME},
	{CPU_DURATION, " 1)   0.120 us    |    f();             # here it sleeps", EVENT_LEAF, "f",
	 1, 1, -5, 120, NO_TIME},
	/* what mail and printk put before */
	{"", "> >  1)   2.153 us    |  f();", EVENT_LEAF, "f", 0, 1, -5, 2153, NO_TIME},
	{"", "[  247.746648]  1) + 11.747 us   |  f();", EVENT_LEAF, "f", 0, 1, -5, 11747, NO_TIME},
	{"", " 1)   2.153 us    |  f();\r", EVENT_LEAF, "f", 0, 1, -5, 2153, NO_TIME},
	/* trace-cmd report */
	{"cpus=2\n",
	 "            work-113   [000]     9.014055: funcgraph_entry:      ! 393.224 us |  f();",
	 EVENT_LEAF, "f", 0, 0, 113, 393224, 9014055000},
	{"",
	 "   a b-c-113   [001] d.h.     9.014640: funcgraph_entry:                   |        f() "
	 "{",
	 EVENT_ENTRY, "f", 3, 1, 113, NO_NS, 9014640000},
	{"", "    sshd-4371    0d....  1401.282297: funcgraph_exit:       + 13.599 us  |  }",
	 EVENT_EXIT, "", 0, 0, 4371, 13599, 1401282297000},
};

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		const struct line_case *line = &lines[i];
		const struct event *event;
		struct seen seen;

		begin(&seen);
		feed(&seen, line->header);
		feed(&seen, line->line);
		feed(&seen, "\n");
		if (seen.n != 1)
			fail_msg("%zu events from '%s'", seen.n, line->line);
		event = &seen.events[0];
		if (event->kind != line->kind ||
		    strcmp(name_of(&seen, event->function), line->function) ||
		    event->depth != line->depth || event->cpu != line->cpu ||
		    event->task != line->task || event->duration_ns != line->duration_ns ||
		    event->time_ns != line->time_ns)
			fail_msg(
				"'%s' read as kind %d '%s' depth %d cpu %d task %d %llu ns at %llu",
				line->line, event->kind, name_of(&seen, event->function),
				event->depth, event->cpu, event->task,
				(unsigned long long)event->duration_ns,
				(unsigned long long)event->time_ns);
		assert_int_equal(text_reader_counts(seen.reader)->unread_lines, 0);
		end(&seen);
	}
}

/* The same line a second time, when the reader knows its columns and names. */
static void test_lines_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct seen seen;

		begin(&seen);
		feed(&seen, lines[i].header);
		for (int twice = 0; twice < 3; twice++) {
			feed(&seen, lines[i].line);
			feed(&seen, "\n");
		}
		if (seen.n != 3)
			fail_msg("%zu events from three times '%s'", seen.n, lines[i].line);
		for (int j = 1; j < 3; j++) {
			assert_int_equal(seen.events[j].kind, seen.events[0].kind);
			assert_int_equal(seen.events[j].function, seen.events[0].function);
			assert_int_equal(seen.events[j].depth, seen.events[0].depth);
			assert_int_equal(seen.events[j].cpu, seen.events[0].cpu);
			assert_int_equal(seen.events[j].task, seen.events[0].task);
			assert_int_equal(seen.events[j].comm, seen.events[0].comm);
			assert_true(seen.events[j].duration_ns == seen.events[0].duration_ns);
			assert_true(seen.events[j].time_ns == seen.events[0].time_ns);
		}
		end(&seen);
	}
}

/* Lines that are known and no calls: nothing is unread, nothing is a call. */
static void test_other_lines(void **state)
{
	static const char *const others[] = {
		"",
		"# tracer: function_graph",
		"#",
		"# |     |   |                     |   |   |   |",
		" ------------------------------------------",
		"##### CPU 2 buffer started ####",
		" (Overruns: 0)",
		"cpus=2",
		"version = 6",
		"CPU 0 is empty",
		" 0)   ==========> |",
		" 0)   <========== |",
		" 0)               |  /* sched_switch: prev_comm=a ==> next_comm=b */",
		"[  247.746191] Dumping ftrace buffer:",
	};
	struct seen seen;

	(void)state;
	begin(&seen);
	feed(&seen, " 0)   1.000 us    |  f();\n");
	for (size_t i = 0; i < COUNT_OF(others); i++) {
		feed(&seen, others[i]);
		feed(&seen, "\n");
		if (text_reader_counts(seen.reader)->unread_lines)
			fail_msg("unread: '%s'", others[i]);
	}
	/* but for the header that begins another trace */
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.events[1].kind, EVENT_TRACE);
	assert_int_equal(text_reader_counts(seen.reader)->events, 1);
	end(&seen);
}

static void test_losses(void **state)
{
	static const struct {
		const char *line;
		uint64_t lost;
	} cases[] = {
		{"CPU:1 [LOST 1912 EVENTS]\n", 1912},
		{"CPU:1 [LOST EVENTS]\n", 1},
		{"CPU:1 [236 EVENTS DROPPED]\n", 236},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct seen seen;

		begin(&seen);
		feed(&seen, cases[i].line);
		assert_int_equal(seen.n, 1);
		assert_int_equal(seen.events[0].kind, EVENT_LOST);
		assert_int_equal(seen.events[0].cpu, 1);
		assert_int_equal(text_reader_counts(seen.reader)->lost_events, cases[i].lost);
		end(&seen);
	}
}

static void test_unread_lines_are_counted_and_shown(void **state)
{
	struct seen seen;

	(void)state;
	begin(&seen);
	feed(&seen, " 0)   1.000 us    |  f();\nwhat is \033[31mthis\n");
	assert_int_equal(text_reader_counts(seen.reader)->unread_lines, 1);
	assert_string_equal(text_reader_counts(seen.reader)->unread[0], "what is ?[31mthis");
	end(&seen);
}

/* A marker's text may look like code, and may hold newlines. */
static void test_marker(void **state)
{
	struct seen seen;

	(void)state;
	begin(&seen);
	feed(&seen, CPU_DURATION " 0)               |  /* hello */ } world() { ; 3) us | */\n"
				 " 0)               |  /* two\n"
				 "} f() {\n"
				 "lines */\n"
				 " 0)   1.000 us    |  g();\n");
	assert_int_equal(seen.n, 1);
	assert_string_equal(name_of(&seen, seen.events[0].function), "g");
	assert_int_equal(text_reader_counts(seen.reader)->unread_lines, 0);
	end(&seen);
}

/* An excerpt's line without its CPU goes on where the line before was. */
static void test_lost_cpu(void **state)
{
	struct seen seen;

	(void)state;
	begin(&seen);
	feed(&seen, " 1)   1.000 us    |  f();\n               |    g() {\n");
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.events[1].cpu, 1);
	assert_int_equal(seen.events[1].task, seen.events[0].task);
	assert_int_equal(seen.events[1].depth, 1);
	end(&seen);
}

/* Who owns a CPU's lines: banners, and before the first one its left side. */
static void test_banners(void **state)
{
	struct seen seen;

	(void)state;
	begin(&seen);
	feed(&seen, CPU_DURATION " 1)   1.000 us    |  f();\n"
				 " ------------------------------------------\n"
				 " 1)   a => b-7    =>   rcu_pre-15  \n"
				 " ------------------------------------------\n"
				 "\n"
				 " 1)   1.000 us    |  f();\n"
				 " 0)   1.000 us    |  f();\n");
	assert_int_equal(seen.n, 3);
	assert_int_equal(seen.events[0].task, 7);
	assert_int_equal(seen.events[1].task, 15);
	assert_int_equal(seen.events[2].task, -3); /* nobody knows */
	end(&seen);
}

/* A line longer than any can be is dropped, counted, and the next is read. */
static void test_endless_line(void **state)
{
	struct seen seen;
	char piece[4096];

	(void)state;
	memset(piece, 'x', sizeof piece);
	begin(&seen);
	feed(&seen, " 0)   1.000 us    |  f();\n");
	for (int i = 0; i < 1024; i++)
		text_reader_feed(seen.reader, piece, sizeof piece);
	feed(&seen, "\n 0)   1.000 us    |  f();\n");
	assert_int_equal(seen.n, 2);
	assert_int_equal(text_reader_counts(seen.reader)->unread_lines, 1);
	end(&seen);
}

static void test_long_name_and_deep_line(void **state)
{
	struct seen seen;
	char *name = malloc(65537), *deep = malloc(200001);

	(void)state;
	memset(name, 'n', 65536);
	name[65536] = '\0';
	memset(deep, ' ', 200000);
	deep[200000] = '\0';
	begin(&seen);
	feed(&seen, " 0)   1.000 us    |  ");
	feed(&seen, name);
	feed(&seen, "();\n 0)               |  ");
	feed(&seen, deep);
	feed(&seen, "f() {\n");
	assert_int_equal(seen.n, 2);
	assert_int_equal(names_length(seen.names, seen.events[0].function), 65536);
	assert_int_equal(seen.events[1].depth, 100000);
	end(&seen);
	free(name);
	free(deep);
}

static void test_binary_is_told(void **state)
{
	struct seen seen;

	(void)state;
	begin(&seen);
	text_reader_feed(seen.reader, "\x17\x08\x44tracing\0", 11);
	assert_true(text_reader_counts(seen.reader)->binary);
	assert_null(text_reader_format(seen.reader));
	end(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_lines_again),
		cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_unread_lines_are_counted_and_shown),
		cmocka_unit_test(test_marker),
		cmocka_unit_test(test_lost_cpu),
		cmocka_unit_test(test_banners),
		cmocka_unit_test(test_endless_line),
		cmocka_unit_test(test_long_name_and_deep_line),
		cmocka_unit_test(test_binary_is_told),
	};

	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
