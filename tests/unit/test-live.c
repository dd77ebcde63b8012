/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Live sources: through a pipe, in pieces of any size, comes the same recording
 * as from the file; pausing, resetting and ends of all kinds.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "evtop/live.h"

static const struct load_options quick = {.n_jobs = 1, .node_times = true};

static const char *shipped(char *out, size_t n, const char *name)
{
	const char *top = getenv("top_srcdir");

	snprintf(out, n, "%s/%s", top ? top : ".", name);
	return out;
}

/* Writes a file into a pipe, so many bytes at a time. */
struct writer {
	const char *path;
	int fd;
	size_t piece;
	pthread_t thread;
};

static void *write_all(void *context)
{
	struct writer *writer = context;
	FILE *file = fopen(writer->path, "r");
	char *bytes = malloc(writer->piece);
	size_t n;

	while (file && (n = fread(bytes, 1, writer->piece, file)) > 0)
		for (size_t done = 0; done < n;) {
			ssize_t more = write(writer->fd, bytes + done, n - done);

			if (more <= 0)
				break;
			done += (size_t)more;
		}
	if (file)
		fclose(file);
	free(bytes);
	close(writer->fd);
	return NULL;
}

static struct live *start(int fd, const char *name, const struct load_options *load)
{
	struct error err;
	struct live *live = live_start(&(struct live_input){.name = name, .text_fd = fd},
				       &(struct live_options){.load = load, .seed = 1}, &err);

	assert_non_null(live);
	return live;
}

static void wait_for(const struct live *live)
{
	struct pollfd poll_fd = {.fd = live_fd(live), .events = POLLIN};

	assert_int_equal(poll(&poll_fd, 1, 60000), 1);
}

static bool has_ended(const struct live *live)
{
	struct live_status status;

	live_status(live, &status);
	return status.ended;
}

/* Recordings made on the way must be consistent in themselves. */
static void check_sums(const struct recording *recording)
{
	uint64_t all = 0;

	for (uint32_t c = 0; c < recording->n_calls; c++) {
		const struct call *call = &recording->calls[c];

		for (int i = 0; i < 2; i++) {
			uint64_t n = 0, seen = 0, disturbed = 0;

			for (uint32_t p = 0; p < call->n_paths[i]; p++) {
				n += call->paths[i][p].n_executions;
				seen += call->paths[i][p].n_seen;
				disturbed += call->paths[i][p].n_disturbed_seen;
				assert_true(call->paths[i][p].first +
						    call->paths[i][p].n_executions <=
					    call->n_executions);
			}
			assert_int_equal(n, call->n_executions);
			assert_int_equal(seen, call->n_seen);
			assert_int_equal(disturbed, call->n_disturbed_seen);
		}
		all += call->n_seen;
	}
	assert_int_equal(all, recording->n_executions);
}

static void check_same_path(const struct path *a, const struct path *b)
{
	assert_string_equal(a->id, b->id);
	assert_int_equal(a->clean, b->clean);
	assert_int_equal(a->n_executions, b->n_executions);
	assert_int_equal(a->n_disturbed, b->n_disturbed);
	assert_int_equal(a->n_seen, b->n_seen);
	assert_int_equal(a->n_disturbed_seen, b->n_disturbed_seen);
	assert_int_equal(a->n_raw, b->n_raw);
	assert_int_equal(a->first, b->first);
	assert_int_equal(!a->times, !b->times);
}

static void check_same_kept(const struct kept_execution *a, const struct kept_execution *b,
			    uint32_t n, const struct trees *of_a, const struct trees *of_b)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t size = trees_size(of_a, a[i].raw_root);

		assert_int_equal(a[i].execution, b[i].execution);
		assert_int_equal(a[i].duration_ns, b[i].duration_ns);
		assert_int_equal(size, trees_size(of_b, b[i].raw_root));
		assert_memory_equal(a[i].node_ns, b[i].node_ns, size * sizeof *a[i].node_ns);
	}
}

static void check_same_times(const struct recording *a, const struct recording *b,
			     const struct path *of_a, const struct path *of_b)
{
	const struct path_times *x = of_a->times, *y = of_b->times;

	if (!x)
		return;
	assert_memory_equal(x->nodes, y->nodes,
			    trees_size(a->trees, of_a->root) * sizeof *x->nodes);
	assert_int_equal(x->n_slowest, y->n_slowest);
	check_same_kept(x->slowest, y->slowest, x->n_slowest, a->trees, b->trees);
	assert_int_equal(x->n_typical, y->n_typical);
	check_same_kept(x->typical, y->typical, x->n_typical, a->trees, b->trees);
}

static void check_same_call(const struct recording *a, const struct recording *b, uint32_t index)
{
	const struct call *x = &a->calls[index], *y = &b->calls[index];
	size_t n = x->n_executions;

	assert_string_equal(x->name, y->name);
	assert_int_equal(n, y->n_executions);
	assert_int_equal(x->n_seen, y->n_seen);
	assert_int_equal(x->n_disturbed, y->n_disturbed);
	assert_int_equal(x->n_own_unknown, y->n_own_unknown);
	assert_int_equal(x->interrupt_ns, y->interrupt_ns);
	assert_int_equal(x->preempted_ns, y->preempted_ns);
	assert_int_equal(x->off_cpu_ns, y->off_cpu_ns);
	assert_memory_equal(x->duration_ns, y->duration_ns, n * sizeof *x->duration_ns);
	assert_memory_equal(x->raw, y->raw, n * sizeof *x->raw);
	assert_memory_equal(x->flags, y->flags, n * sizeof *x->flags);
	assert_int_equal(x->n_removed, y->n_removed);
	for (uint32_t i = 0; i < x->n_removed; i++) {
		assert_int_equal(x->removed[i].execution, y->removed[i].execution);
		assert_int_equal(x->removed[i].interrupt_ns, y->removed[i].interrupt_ns);
		assert_int_equal(x->removed[i].preempted_ns, y->removed[i].preempted_ns);
		assert_int_equal(x->removed[i].off_cpu_ns, y->removed[i].off_cpu_ns);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(x->n_paths[i], y->n_paths[i]);
		assert_memory_equal(x->order[i], y->order[i], n * sizeof *x->order[i]);
		for (uint32_t p = 0; p < x->n_paths[i]; p++) {
			check_same_path(&x->paths[i][p], &y->paths[i][p]);
			check_same_times(a, b, &x->paths[i][p], &y->paths[i][p]);
		}
	}
}

static void check_same(const struct recording *a, const struct recording *b)
{
	assert_int_equal(a->n_executions, b->n_executions);
	assert_memory_equal(&a->discards, &b->discards, sizeof a->discards);
	assert_int_equal(a->has_durations, b->has_durations);
	assert_int_equal(a->clean_verified, b->clean_verified);
	assert_int_equal(a->n_unread, b->n_unread);
	assert_string_equal(a->inputs[0].format, b->inputs[0].format);
	assert_int_equal(a->n_calls, b->n_calls);
	for (uint32_t c = 0; c < a->n_calls; c++)
		check_same_call(a, b, c);
}

static void through_a_pipe(const char *path, size_t piece)
{
	struct writer writer = {.path = path, .piece = piece};
	struct recording *file = recording_load(&path, 1, &quick, NULL), *last;
	struct live *live;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	writer.fd = fds[1];
	live = start(fds[0], strrchr(path, '/') + 1, &quick);
	assert_int_equal(pthread_create(&writer.thread, NULL, write_all, &writer), 0);
	while (!has_ended(live)) {
		struct recording *recording = live_take_now(live);

		assert_non_null(recording);
		assert_true(recording->live);
		check_sums(recording);
		assert_true(recording->n_executions <= file->n_executions);
		recording_free(recording);
	}
	last = live_take_now(live);
	check_sums(last);
	check_same(last, file);
	live_free(live);
	pthread_join(writer.thread, NULL);
	close(fds[0]);
	/* it stays when its source is gone */
	check_same(last, file);
	recording_free(last);
	recording_free(file);
}

static void test_same_as_file(void **state)
{
	static const char *const names[] = {
		"tests/data/traces/x86_64-6.1/aa_filter.txt",
		"tests/data/traces/x86_64-6.1/h_depth2.txt",
		"tests/data/traces/x86_64-6.1/j_overrun_trace.txt",
	};
	const char *data = getenv("EVTOP_TEST_DATA");
	char path[512];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		shipped(path, sizeof path, names[i]);
		if (access(path, R_OK) == 0) {
			through_a_pipe(path, 1 << 16);
			through_a_pipe(path, 777);
		}
	}
	snprintf(path, sizeof path, "%s/traces/x86_64-6.1/l_pipe.txt", data ? data : "");
	if (access(path, R_OK) != 0)
		return;
	through_a_pipe(path, 1 << 16);
	through_a_pipe(path, 777);
}

/* ---- pages ---- */

static char *read_whole(const char *command, size_t *n)
{
	FILE *file = popen(command, "r");
	char *bytes = malloc(16 << 20);

	assert_non_null(file);
	*n = fread(bytes, 1, 16 << 20, file);
	assert_int_equal(pclose(file), 0);
	return bytes;
}

static char *read_meta(const char *folder, const char *name, size_t *n)
{
	char command[512];

	snprintf(command, sizeof command, "%s '%s/%s'", strstr(name, ".gz") ? "gzip -dc" : "cat",
		 folder, name);
	return read_whole(command, n);
}

static struct trace_meta *meta_of(const char *folder)
{
	struct trace_meta *meta = trace_meta_new();
	struct error err;
	size_t n;
	char *text = read_meta(folder, "fmt/header_page", &n);

	assert_int_equal(trace_meta_header_page(meta, text, n, &err), 0);
	free(text);
	text = read_meta(folder, "fmt/funcgraph_entry.format", &n);
	assert_int_equal(trace_meta_format(meta, "ftrace", text, n, &err), 0);
	free(text);
	text = read_meta(folder, "fmt/funcgraph_exit.format", &n);
	assert_int_equal(trace_meta_format(meta, "ftrace", text, n, &err), 0);
	free(text);
	text = read_meta(folder, "raw/kallsyms.gz", &n);
	assert_int_equal(trace_meta_kallsyms(meta, text, n, &err), 0);
	free(text);
	text = read_meta(folder, "raw/saved_cmdlines", &n);
	trace_meta_comms(meta, text, n);
	free(text);
	return meta;
}

/* What the pages hold is what the kernel printed of them. */
static void check_as_printed(const struct recording *pages, const char *text_path)
{
	struct recording *text = recording_load(&text_path, 1, &quick, NULL);

	assert_int_equal(pages->n_executions, text->n_executions);
	assert_true(text->n_executions > 0);
	assert_int_equal(pages->n_calls, text->n_calls);
	for (uint32_t c = 0; c < text->n_calls; c++) {
		const struct call *a = &pages->calls[c], *b = &text->calls[c];

		assert_string_equal(a->name, b->name);
		assert_int_equal(a->n_paths[1], b->n_paths[1]);
		for (uint32_t p = 0; p < a->n_paths[1]; p++) {
			assert_string_equal(a->paths[1][p].id, b->paths[1][p].id);
			assert_int_equal(a->paths[1][p].n_seen, b->paths[1][p].n_seen);
		}
	}
	recording_free(text);
}

static void test_pages(void **state)
{
	const char *data = getenv("EVTOP_TEST_DATA");
	char folder[512], path[2][600], text[600];
	struct writer writers[2];
	struct recording *recording;
	struct trace_meta *meta;
	struct live *live;
	struct error err;
	/* of three CPUs one is not there */
	int fds[2][2], page_fds[3] = {-1, -1, -1};

	(void)state;
	snprintf(folder, sizeof folder, "%s/traces/x86_64-5.10", data ? data : "");
	snprintf(path[0], sizeof path[0], "%s/raw/cpu1.raw", folder);
	if (!data || access(path[0], R_OK) != 0)
		skip();
	meta = meta_of(folder);
	for (int i = 0; i < 2; i++) {
		snprintf(path[i], sizeof path[i], "%s/raw/cpu%d.raw", folder, i);
		assert_int_equal(pipe(fds[i]), 0);
		page_fds[i] = fds[i][0];
		/* a page is 4096: cut everywhere */
		writers[i] = (struct writer){path[i], fds[i][1], i ? 777 : 5000, 0};
	}
	live = live_start(&(struct live_input){.name = "pages",
					       .text_fd = -1,
					       .page_fds = page_fds,
					       .n_cpus = 3,
					       .meta = meta},
			  &(struct live_options){.load = &quick}, &err);
	assert_non_null(live);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&writers[i].thread, NULL, write_all, &writers[i]),
				 0);
	while (!has_ended(live)) {
		recording = live_take_now(live);
		check_sums(recording);
		recording_free(recording);
	}
	recording = live_take_now(live);
	snprintf(text, sizeof text, "%s/raw/same_as_text.txt", folder);
	check_as_printed(recording, text);
	assert_string_equal(recording->inputs[0].format, "raw");
	recording_free(recording);
	live_free(live);
	for (int i = 0; i < 2; i++) {
		pthread_join(writers[i].thread, NULL);
		close(fds[i][0]);
	}
	trace_meta_free(meta);
}

/* ---- pieces of text by hand ---- */

static void say(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static const char getpid_call[] = " 0)   1.500 us    |  __x64_sys_getpid();\n";

static uint64_t count_now(struct live *live)
{
	struct recording *recording = live_take_now(live);
	uint64_t n = recording->n_executions;

	check_sums(recording);
	recording_free(recording);
	return n;
}

static void test_as_it_comes(void **state)
{
	struct live *live;
	struct recording *recording;
	struct live_status status;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	live = start(fds[0], "pipe", &quick);
	assert_int_equal(count_now(live), 0);
	say(fds[1], getpid_call);
	assert_int_equal(count_now(live), 1);
	/* a line without its end is not there yet */
	say(fds[1], " 0)   2.500 us    |  __x64_sys_getp");
	assert_int_equal(count_now(live), 1);
	say(fds[1], "id();\n");
	recording = live_take_now(live);
	assert_int_equal(recording->n_executions, 2);
	assert_int_equal(recording->calls[0].duration_ns[1], 2500);
	assert_true(recording->calls[0].paths[0][0].new_ns != UINT64_MAX);
	recording_free(recording);
	live_status(live, &status);
	assert_int_equal(status.executions, 2);
	assert_false(status.ended);
	assert_true(status.resident_bytes > 0);
	/* an end in the midst of a call leaves it unfinished */
	say(fds[1], " 0)               |  __x64_sys_read() {\n");
	close(fds[1]);
	do {
		wait_for(live);
		recording = live_take(live);
		live_status(live, &status);
		if (!status.ended)
			recording_free(recording);
	} while (!status.ended);
	if (!recording)
		recording = live_take_now(live);
	assert_int_equal(recording->discards.unfinished, 1);
	assert_string_equal(status.error, "");
	recording_free(recording);
	live_free(live);
	close(fds[0]);
}

static void test_pause(void **state)
{
	struct live *live;
	struct recording *recording;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	live = start(fds[0], "pipe", &quick);
	say(fds[1], getpid_call);
	say(fds[1], " 0)               |  __x64_sys_read() {\n 0)   1.0");
	assert_int_equal(count_now(live), 1);
	live_pause(live, true);
	assert_int_equal(count_now(live), 1);
	/* dropped, uncounted: the rest of a line too */
	say(fds[1], "00 us    |    foo();\n");
	say(fds[1], getpid_call);
	say(fds[1], getpid_call);
	assert_int_equal(count_now(live), 1);
	live_pause(live, false);
	assert_int_equal(count_now(live), 1);
	say(fds[1], getpid_call);
	recording = live_take_now(live);
	assert_int_equal(recording->n_executions, 2);
	assert_int_equal(recording->discards.unfinished, 1);
	assert_int_equal(recording->discards.unread_lines, 0);
	recording_free(recording);
	live_free(live);
	close(fds[0]);
	close(fds[1]);
}

static void test_reset(void **state)
{
	struct live *live;
	struct recording *recording;
	struct live_status status;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	live = start(fds[0], "pipe", &quick);
	say(fds[1], " 0)   1.500 us    |  __x64_sys_getpid();\n"
		    "what is this line\n"
		    " 0)   9.500 us    |  __x64_sys_getuid();\n");
	recording = live_take_now(live);
	assert_int_equal(recording->n_executions, 2);
	assert_int_equal(recording->discards.unread_lines, 1);
	recording_free(recording);
	live_reset(live);
	recording = live_take_now(live);
	assert_int_equal(recording->n_executions, 0);
	assert_int_equal(recording->n_calls, 0);
	assert_int_equal(recording->discards.unread_lines, 0);
	recording_free(recording);
	say(fds[1], getpid_call);
	recording = live_take_now(live);
	assert_int_equal(recording->n_executions, 1);
	assert_int_equal(recording->n_calls, 1);
	assert_int_equal(recording->calls[0].n_executions, 1);
	live_status(live, &status);
	assert_int_equal(status.events, 1);
	/* known since before */
	assert_true(recording->calls[0].paths[0][0].new_ns > status.since_reset_ns);
	recording_free(recording);
	live_free(live);
	close(fds[0]);
	close(fds[1]);
}

/* What is no trace says so, and an endless line is not kept. */
static void test_not_a_trace(void **state)
{
	struct live *live;
	struct live_status status;
	char *much = malloc(8 << 20);
	int fds[2];

	(void)state;
	memset(much, 'x', 8 << 20);
	assert_int_equal(pipe(fds), 0);
	live = start(fds[0], "pipe", &quick);
	for (size_t done = 0; done < 8 << 20;)
		done += (size_t)write(fds[1], much + done, (8 << 20) - done);
	close(fds[1]);
	do {
		wait_for(live);
		recording_free(live_take(live));
		live_status(live, &status);
	} while (!status.ended);
	assert_non_null(strstr(status.error, "cannot read 'pipe': is not a trace"));
	live_free(live);
	close(fds[0]);
	free(much);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_file), cmocka_unit_test(test_as_it_comes),
		cmocka_unit_test(test_pause),	     cmocka_unit_test(test_reset),
		cmocka_unit_test(test_not_a_trace),  cmocka_unit_test(test_pages),
	};

	return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
