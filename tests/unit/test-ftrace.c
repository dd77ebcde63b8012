/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Settings of ftrace saved and restored, on a folder of plain files that stands
 * for tracefs: what a real kernel does is for tests/vm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <limits.h>
#include <cmocka.h>

#include "../../src/ftrace/internal.h"

struct fake {
	char top[64], dir[80], state[80];
};

static void put(const struct fake *fake, const char *name, const char *text)
{
	char file[256];
	FILE *out;

	snprintf(file, sizeof file, "%s/%s", fake->dir, name);
	out = fopen(file, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void is(const struct fake *fake, const char *name, const char *wanted)
{
	struct text text = {0};
	char file[256];

	snprintf(file, sizeof file, "%s/%s", fake->dir, name);
	assert_int_equal(read_whole(file, &text, NULL), 0);
	assert_string_equal(text.bytes, wanted);
	text_release(&text);
}

static void make(const struct fake *fake, const char *folder)
{
	char name[256];

	snprintf(name, sizeof name, "%s/%s", fake->dir, folder);
	assert_int_equal(mkdir(name, 0755), 0);
}

static int set_up(void **state)
{
	struct fake *fake = mem_zero(1, sizeof *fake);

	snprintf(fake->top, sizeof fake->top, "/tmp/evtop-test.XXXXXX");
	assert_non_null(mkdtemp(fake->top));
	snprintf(fake->dir, sizeof fake->dir, "%s/tracing", fake->top);
	snprintf(fake->state, sizeof fake->state, "%s/state", fake->top);
	assert_int_equal(mkdir(fake->dir, 0755), 0);
	make(fake, "options");
	make(fake, "instances");
	make(fake, "per_cpu");
	make(fake, "per_cpu/cpu0");
	make(fake, "events");
	put(fake, "current_tracer", "nop\n");
	put(fake, "tracing_on", "1\n");
	put(fake, "trace", "");
	put(fake, "trace_clock", "local [global] counter\n");
	put(fake, "buffer_size_kb", "1408\n");
	put(fake, "max_graph_depth", "3\n");
	put(fake, "tracing_thresh", "0\n");
	put(fake, "set_ftrace_pid", "12\n13\n");
	put(fake, "set_event", "");
	put(fake, "set_graph_function", "vfs_read\nvfs_write [mod]\n");
	put(fake, "set_graph_notrace", "#### no functions disabled ####\n");
	put(fake, "available_tracers", "blk function_graph function nop\n");
	put(fake, "available_filter_functions",
	    "__x64_sys_read\n__ia32_sys_read\nvfs_read\nsys_imageblit [drm]\n__do_sys_getpid\n");
	put(fake, "options/function-fork", "0\n");
	put(fake, "per_cpu/cpu0/trace_pipe_raw", "");
	put(fake, "per_cpu/cpu0/stats", "entries: 0\noverrun: 7\ndropped events: 2\n");
	put(fake, "events/header_page",
	    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	    "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n");
	put(fake, "events/header_event", "# compressed entry header\n");
	put(fake, "saved_cmdlines", "12 some\n");
	*state = fake;
	return 0;
}

static int tear_down(void **state)
{
	struct fake *fake = *state;
	char command[128];
	pid_t child = fork();

	snprintf(command, sizeof command, "%s", fake->top);
	if (child == 0) {
		execlp("rm", "rm", "-rf", command, (char *)NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	free(fake);
	return 0;
}

/* A value is put back with its newline gone: the kernel takes both. */
static void is_restored(const struct fake *fake)
{
	is(fake, "current_tracer", "nop");
	is(fake, "tracing_on", "1");
	is(fake, "trace_clock", "global");
	is(fake, "buffer_size_kb", "1408");
	is(fake, "max_graph_depth", "3");
	is(fake, "set_ftrace_pid", "12\n13\n");
	is(fake, "set_graph_function", "vfs_read\nvfs_write\n");
	is(fake, "options/function-fork", "0");
	is(fake, "tracing_thresh", "0\n"); /* not touched */
}

static struct ftrace *open_fake(const struct fake *fake, struct error *err)
{
	static const char *const calls[] = {"read"};
	static const int pids[] = {4711};
	const struct ftrace_options options = {
		.syscalls = calls,
		.n_syscalls = 1,
		.pids = pids,
		.n_pids = 1,
		.buffer_kb = 4096,
		.dir = fake->dir,
		.state_place = fake->state,
	};

	return ftrace_open(&options, err);
}

static void test_set_and_restore(void **state)
{
	const struct fake *fake = *state;
	struct error err;
	struct ftrace *ftrace = open_fake(fake, &err);

	if (!ftrace)
		fail_msg("%s", err.text);
	is(fake, "current_tracer", "function_graph");
	is(fake, "tracing_on", "0");
	is(fake, "trace_clock", "local");
	is(fake, "buffer_size_kb", "4096");
	is(fake, "max_graph_depth", "0");
	is(fake, "set_ftrace_pid", "4711\n");
	is(fake, "set_graph_function", "__x64_sys_read\n__ia32_sys_read\n");
	is(fake, "options/function-fork", "1");
	assert_int_equal(ftrace_overruns(ftrace), 9);
	assert_false(ftrace_has_instance(ftrace));
	assert_int_equal(ftrace_close(ftrace, &err), 0);
	is_restored(fake);
}

static void wait_restored(const struct fake *fake)
{
	char file[128];

	snprintf(file, sizeof file, "%s/ftrace-state", fake->state);
	for (int i = 0; i < 1000 && access(file, F_OK) == 0; i++)
		usleep(10000);
	assert_int_not_equal(access(file, F_OK), 0);
}

/* In a process that ends as it is told to, once all is set; both: with its keeper. */
static void end_by(const struct fake *fake, int signal_number, bool both)
{
	int ready[2], status;
	pid_t child;
	char byte;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		struct error err;

		signal(SIGABRT, SIG_DFL);
		signal(SIGSEGV, SIG_DFL);
		if (!open_fake(fake, &err) || write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	if (both) {
		struct state saved;
		char file[PATH_MAX];
		struct error err;

		assert_int_equal(state_find(&saved, fake->state, file, &err), 1);
		assert_int_equal(saved.pid, child);
		assert_int_equal(kill(saved.keeper, SIGKILL), 0);
		for (int i = 0; i < 1000 && process_start(saved.keeper); i++)
			usleep(10000);
		state_release(&saved);
	}
	kill(child, signal_number);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
}

static void test_ends(void **state)
{
	static const int signals[] = {SIGKILL, SIGTERM, SIGHUP, SIGABRT};

	for (size_t i = 0; i < COUNT_OF(signals); i++) {
		end_by(*state, signals[i], false);
		wait_restored(*state);
		is_restored(*state);
	}
}

static void test_undo(void **state)
{
	const struct fake *fake = *state;
	struct error err;
	bool done;

	end_by(fake, SIGKILL, true);
	is(fake, "current_tracer", "function_graph");
	if (ftrace_undo(fake->state, false, &done, &err))
		fail_msg("%s", err.text);
	assert_true(done);
	is_restored(fake);
	if (ftrace_undo(fake->state, false, &done, &err))
		fail_msg("%s", err.text);
	assert_false(done);
}

static void test_next_start_restores(void **state)
{
	const struct fake *fake = *state;
	struct ftrace *ftrace;
	struct error err;

	end_by(fake, SIGKILL, true);
	ftrace = open_fake(fake, &err);
	assert_non_null(ftrace);
	assert_int_equal(ftrace_close(ftrace, &err), 0);
	is_restored(fake);
}

static void test_refused(void **state)
{
	const struct fake *fake = *state;
	struct ftrace *ftrace;
	struct error err;

	/* somebody's tracer */
	put(fake, "current_tracer", "function\n");
	assert_null(open_fake(fake, &err));
	assert_non_null(strstr(err.text, "in use: the tracer function is set"));
	is(fake, "current_tracer", "function\n");
	is(fake, "max_graph_depth", "3\n");
	put(fake, "current_tracer", "nop\n");
	/* another of us */
	ftrace = open_fake(fake, &err);
	assert_non_null(ftrace);
	assert_null(open_fake(fake, &err));
	assert_non_null(strstr(err.text, "is tracing"));
	assert_int_equal(ftrace_close(ftrace, &err), 0);
	/* no place to remember in */
	put(fake, "file", "");
	snprintf((*(struct fake **)state)->state, sizeof fake->state, "%.60s/file/x", fake->dir);
	put(fake, "max_graph_depth", "5\n");
	assert_null(open_fake(fake, &err));
	assert_non_null(strstr(err.text, "nothing is traced"));
	is(fake, "max_graph_depth", "5\n");
}

/* What others could have written is not believed. */
static void test_distrust(void **state)
{
	const struct fake *fake = *state;
	struct error err;
	char file[128];
	bool done;

	end_by(fake, SIGKILL, true);
	snprintf(file, sizeof file, "%s/ftrace-state", fake->state);
	assert_int_equal(chmod(file, 0666), 0);
	assert_int_equal(ftrace_undo(fake->state, false, &done, &err), -1);
	assert_non_null(strstr(err.text, "not trusted"));
	is(fake, "current_tracer", "function_graph");
	assert_int_equal(chmod(file, 0600), 0);
	if (ftrace_undo(fake->state, false, &done, &err))
		fail_msg("%s", err.text);
}

static void test_state_files(void **state)
{
	static const char head[] = "evtop ftrace state 1\nboot = b\nprocess = 5 6\nkeeper = 7 8\n"
				   "comm = evtop\ntracefs = /t\n";
	static const struct {
		const char *rest;
		int status;
	} cases[] = {
		{"end\n", 0},
		{"set tracing_on = 1\nlist set_ftrace_pid\nadd 1\nadd 2\nset options/raw = "
		 "0\nend\n",
		 0},
		{"list set_event\nend\n", 0},
		{"instance = evtop-77\nend\n", 0},
		{"", -1}, /* cut */
		{"set tracing_on = 1\n", -1},
		{"set ../../etc/passwd = 1\nend\n", -1}, /* no setting of ftrace */
		{"set options/../x = 1\nend\n", -1},
		{"set per_cpu/cpu0/trace_pipe_raw = 1\nend\n", -1},
		{"set set_ftrace_pid = 1\nend\n", -1}, /* a list */
		{"list tracing_on\nend\n", -1},
		{"add 1\nend\n", -1},
		{"instance = ../x\nend\n", -1},
		{"instance = evtop-7/..\nend\n", -1},
		{"nonsense\nend\n", -1},
		{"process = x\nend\n", -1},
	};
	struct state parsed;
	struct error err;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct text text = {0};

		text_printf(&text, "%s%s", head, cases[i].rest);
		assert_int_equal(state_parse(&parsed, text.bytes, text.n, &err), cases[i].status);
		if (i == 1) {
			assert_int_equal(parsed.settings.n, 3);
			assert_string_equal(parsed.settings.items[1].old, "1\n2\n");
			assert_string_equal(parsed.settings.items[2].file, "options/raw");
		}
		state_release(&parsed);
		text_release(&text);
	}
	assert_int_equal(state_parse(&parsed, "", 0, &err), -1);
	assert_int_equal(state_parse(&parsed, "evtop ftrace state 2\nend\n", 25, &err), -1);
}

static void test_functions(void **state)
{
	static const char available[] = "__x64_sys_read\n__x64_sys_write\n__ia32_sys_read [m]\n"
					"sys_open\nsys_imageblit\nvfs_read\n";
	static const char *const calls[] = {"read"}, *const none[] = {"nosuch"},
				 *const roots[] = {"vfs_read"};
	struct ftrace_options options = {.syscalls = calls, .n_syscalls = 1};
	struct text lines = {0};
	struct error err;

	(void)state;
	assert_int_equal(functions_chosen(available, strlen(available), &options, &lines, &err), 0);
	assert_string_equal(lines.bytes, "__x64_sys_read\n__ia32_sys_read\n");
	text_clear(&lines);
	options.n_syscalls = 0;
	/* a pattern only where nothing else begins so: sys_imageblit is no call */
	assert_int_equal(functions_chosen(available, strlen(available), &options, &lines, &err), 0);
	assert_string_equal(lines.bytes, "__x64_sys_*\n__ia32_sys_*\nsys_open\n");
	text_clear(&lines);
	options = (struct ftrace_options){.functions = roots, .n_functions = 1};
	assert_int_equal(functions_chosen(available, strlen(available), &options, &lines, &err), 0);
	assert_string_equal(lines.bytes, "vfs_read\n");
	options = (struct ftrace_options){.syscalls = none, .n_syscalls = 1};
	assert_int_equal(functions_chosen(available, strlen(available), &options, &lines, &err),
			 -1);
	text_release(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_set_and_restore, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_ends, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_undo, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_next_start_restores, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_distrust, set_up, tear_down),
		cmocka_unit_test(test_state_files),
		cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests_name("ftrace", tests, NULL, NULL);
}
