/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The explorer keeps its place by names and ids while recordings follow each other. */
#include <gsl/gsl_errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/tui/explorer.h"

/* How often a path is taken in a recording. */
struct part {
	const char *call, *path;
	int n, first_ns;
};

#define PARTS_MAX 8

struct fixture {
	struct explore_options options;
	struct explorer explorer;
};

static struct recording *record(const struct explore_options *options, const struct part *parts)
{
	char file[] = "/tmp/evtop-test-XXXXXX";
	const char *path = file;
	struct recording *recording;
	FILE *out = fdopen(mkstemp(file), "w");

	assert_non_null(out);
	fputs("syscall,path,duration_ns,campaign,run\n", out);
	/* one far away, so that a recording of nothing is still one */
	for (; parts->call; parts++)
		for (int i = 0; i < parts->n; i++)
			fprintf(out, "%s,%s,%d,1,1\n", parts->call, parts->path,
				parts->first_ns + i * 7919 % 1009);
	fclose(out);
	recording = recording_load(&path, 1, &options->load, NULL);
	recording->live = true;
	unlink(file);
	return recording;
}

/* openat is the longest; in the second one paths and calls change their places. */
static const struct part first[] = {{"openat", "a0", 600, 10000},
				    {"openat", "b1", 300, 10000},
				    {"openat", "c2", 100, 10000},
				    {"read", "d3", 50, 500},
				    {NULL, NULL, 0, 0}};
static const struct part second[] = {{"close", "e4", 90, 50000000},
				     {"openat", "a0", 600, 10000},
				     {"openat", "b1", 300, 10000},
				     {"openat", "c2", 5000, 10000},
				     {"openat", "f5", 5500, 10000},
				     {"read", "d3", 50, 500},
				     {NULL, NULL, 0, 0}};
static const struct part none[] = {{NULL, NULL, 0, 0}};

static int set_up_with(void **state, const struct part *parts)
{
	struct fixture *fixture = mem_zero(1, sizeof *fixture);
	struct recording *recording;
	struct error err;

	gsl_set_error_handler_off();
	settings_init(&fixture->options.settings);
	recording = record(&fixture->options, parts);
	explorer_init(&fixture->explorer, &fixture->options, recording, "live");
	/* held by the explorer */
	recording_free(recording);
	if (explorer_start(&fixture->explorer, &err))
		return -1;
	explorer_resize(&fixture->explorer, 120, 34);
	explorer_refresh(&fixture->explorer);
	*state = fixture;
	return 0;
}

static int set_up(void **state)
{
	return set_up_with(state, first);
}

static int set_up_empty(void **state)
{
	return set_up_with(state, none);
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	explorer_release(&fixture->explorer);
	free(fixture);
	return 0;
}

static void next(struct fixture *fixture, const struct part *parts)
{
	struct recording *recording = record(&fixture->options, parts);

	explorer_set_recording(&fixture->explorer, recording);
	recording_free(recording);
	explorer_refresh(&fixture->explorer);
}

static void press(struct explorer *explorer, const char *names)
{
	char *copy = mem_copy_text(names), *save = NULL;

	for (char *name = strtok_r(copy, " ", &save); name; name = strtok_r(NULL, " ", &save))
		explorer_key(explorer, key_parse(name));
	free(copy);
	explorer_refresh(explorer);
}

static void settle(struct explorer *explorer)
{
	int fds[EXPLORER_FDS];

	explorer_fds(explorer, fds);
	while (explorer_pending(explorer)) {
		struct pollfd wait[EXPLORER_FDS];

		for (int i = 0; i < EXPLORER_FDS; i++)
			wait[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
		poll(wait, EXPLORER_FDS, -1);
		explorer_collect(explorer);
		explorer_refresh(explorer);
	}
}

static const char *path_id(const struct explorer *explorer, uint32_t path)
{
	return path == PATH_ALL ? "" : explorer_call(explorer)->paths[IDENTITY_CLEAN][path].id;
}

/* The row that the panel's cursor stands on. */
static uint64_t cursor(const struct explorer *explorer, enum panel_id panel)
{
	const struct view_table *table = panel_table(&explorer->views[panel]);

	return table->rows[explorer->states[panel].row].identity;
}

static void test_place(void **state)
{
	struct fixture *fixture = *state;
	struct explorer *explorer = &fixture->explorer;

	/* c2 beside b1, marked */
	press(explorer, "2 j b M j");
	assert_string_equal(path_id(explorer, explorer->context.path_a), "c2");
	assert_string_equal(path_id(explorer, explorer->context.path_b), "b1");
	next(fixture, second);
	assert_string_equal(explorer_call(explorer)->name, "openat");
	assert_string_equal(path_id(explorer, explorer->context.path_a), "c2");
	assert_string_equal(path_id(explorer, explorer->context.path_b), "b1");
	assert_int_equal(cursor(explorer, PANEL_CALLS), view_identity("openat"));
	assert_int_equal(cursor(explorer, PANEL_PATHS), view_identity("c2"));
	assert_int_equal(explorer->n_marks, 1);
	assert_string_equal(path_id(explorer, explorer->marks[0].path), "b1");
	settle(explorer);
	assert_int_equal(explorer->n_aside, 0);
}

/* After a reset there may be nothing for a moment. */
static void test_comes_back(void **state)
{
	struct fixture *fixture = *state;
	struct explorer *explorer = &fixture->explorer;

	press(explorer, "2 j M");
	next(fixture, none);
	assert_null(explorer_call(explorer));
	assert_int_equal(explorer->marks[0].call, UINT32_MAX);
	press(explorer, "1 j 2 j w p p");
	next(fixture, second);
	assert_string_equal(explorer_call(explorer)->name, "openat");
	assert_string_equal(path_id(explorer, explorer->context.path_a), "b1");
	assert_string_equal(path_id(explorer, explorer->marks[0].path), "b1");
}

/* Ids of one identity are none of the other, though places are the same. */
static void test_identity_changed(void **state)
{
	struct fixture *fixture = *state;
	struct explorer *explorer = &fixture->explorer;

	next(fixture, first);
	press(explorer, "2 j i");
	next(fixture, second);
	assert_string_equal(
		explorer_call(explorer)->paths[IDENTITY_RAW][explorer->context.path_a].id, "b1");
}

static void test_from_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct explorer *explorer = &fixture->explorer;
	struct canvas canvas;

	press(explorer, "1 j 2 b s & 3 J 5 m M 6 c 4 l z z");
	canvas_init(&canvas, 120, 34, GLYPHS_ASCII);
	explorer_draw(explorer, &canvas);
	assert_null(explorer_call(explorer));
	next(fixture, first);
	assert_string_equal(explorer_call(explorer)->name, "openat");
	/* that another call takes more time now moves nobody */
	next(fixture, second);
	assert_string_equal(explorer_call(explorer)->name, "openat");
	explorer_draw(explorer, &canvas);
	canvas_release(&canvas);
}

/* A sample that is the same is not fitted again; one that grew is pending until it is. */
static void test_results(void **state)
{
	struct fixture *fixture = *state;
	struct explorer *explorer = &fixture->explorer;
	const struct view_results *results;
	const struct fit *before, *after;
	bool pending = false;
	uint32_t call, path;

	settle(explorer);
	results = &explorer->context.results;
	call = explorer->context.call;
	before = results->fit(results->owner, call, 0, &pending);
	assert_non_null(before);
	assert_false(pending);
	assert_int_equal(before->n_executions, 600);
	next(fixture, second);
	path = call_find_path(explorer_call(explorer), IDENTITY_CLEAN, "a0", NULL);
	after = results->fit(results->owner, explorer->context.call, path, &pending);
	assert_ptr_equal(after, before);
	assert_false(pending);
	path = call_find_path(explorer_call(explorer), IDENTITY_CLEAN, "c2", NULL);
	press(explorer, "2 G k k k g");
	settle(explorer);
	while (strcmp(path_id(explorer, explorer->context.path_a), "c2"))
		press(explorer, "j");
	settle(explorer);
	after = results->fit(results->owner, explorer->context.call, path, &pending);
	assert_non_null(after);
	assert_int_equal(after->n_executions, 5000);
	assert_false(after->pending);
}

/* The fit of the path that is looked at stays, with its intervals, until there is a better one. */
static void test_stale_fit_stays(void **state)
{
	static const struct part grown[] = {{"openat", "a0", 900, 10000}, {NULL, NULL, 0, 0}};
	struct fixture *fixture = *state;
	struct explorer *explorer = &fixture->explorer;
	const struct view_results *results = &explorer->context.results;
	const struct fit *fit;
	bool pending = false;

	settle(explorer);
	next(fixture, grown);
	fit = results->fit(results->owner, 0, 0, &pending);
	assert_non_null(fit);
	assert_true(pending);
	assert_int_equal(fit->n_executions, 600);
	assert_false(fit->pending);
	settle(explorer);
	pending = false;
	fit = results->fit(results->owner, 0, 0, &pending);
	assert_int_equal(fit->n_executions, 900);
	assert_false(pending);
	assert_false(fit->pending);
}

static void test_hold(void **state)
{
	struct fixture *fixture = *state;
	struct explorer *explorer = &fixture->explorer;
	const struct view_table *table;

	press(explorer, "2 o");
	next(fixture, second);
	table = panel_table(&explorer->views[PANEL_PATHS]);
	assert_int_equal(table->n_rows, 4);
	assert_int_equal(table->rows[0].identity, view_identity("a0"));
	assert_int_equal(table->rows[1].identity, view_identity("b1"));
	assert_int_equal(table->rows[2].identity, view_identity("c2"));
	assert_int_equal(table->rows[3].identity, view_identity("f5"));
	table = panel_table(&explorer->views[PANEL_CALLS]);
	assert_int_equal(table->rows[0].identity, view_identity("openat"));
	assert_int_equal(table->rows[2].identity, view_identity("close"));
	press(explorer, "o");
	table = panel_table(&explorer->views[PANEL_PATHS]);
	assert_int_equal(table->rows[0].identity, view_identity("f5"));
	assert_int_equal(cursor(explorer, PANEL_PATHS), view_identity("a0"));
}

/* First seen 4 s ago in a source of 20 s: new; of one of 5 s: all of it is. */
static void test_new(void **state)
{
	struct fixture *fixture = *state;
	struct explorer *explorer = &fixture->explorer;
	struct path path = {.new_ns = 4000000000u};
	struct view_live live = {.elapsed_ns = 20000000000u, .recording_ns = 20000000000u};
	struct view_context context = explorer->context;

	context.live = NULL;
	assert_false(view_is_new(&context, &path));
	context.live = &live;
	assert_true(view_is_new(&context, &path));
	/* nothing has come since */
	live.elapsed_ns += 7000000000u;
	assert_false(view_is_new(&context, &path));
	live.elapsed_ns = live.recording_ns = 5000000000u;
	assert_false(view_is_new(&context, &path));
	path.new_ns = UINT64_MAX;
	live.elapsed_ns = live.recording_ns = 20000000000u;
	assert_false(view_is_new(&context, &path));
}

static void test_keys_of_files(void **state)
{
	struct fixture *fixture = *state;
	struct explorer *explorer = &fixture->explorer;

	press(explorer, "R");
	assert_string_equal(explorer->message, "this is no live source: nothing changes");
	press(explorer, "W");
	assert_string_equal(explorer->message, "what was seen cannot be saved from here");
}

static int save(void *owner, const struct recording *recording, const char *file, struct error *err)
{
	(void)owner;
	assert_int_equal(recording->n_executions, 1050);
	assert_int_equal(strncmp(file, "evtop-live-20", 13), 0);
	return error_set(err, "cannot write '%s': it is a test", "x");
}

static void test_save(void **state)
{
	struct fixture *fixture = *state;
	struct explorer *explorer = &fixture->explorer;

	fixture->options.save = save;
	press(explorer, "W");
	assert_int_equal(explorer->writing, 1);
	/* it is being written still, and holds what it writes */
	next(fixture, second);
	while (explorer->writing) {
		int fds[EXPLORER_FDS];
		struct pollfd wait = {.events = POLLIN};

		explorer_fds(explorer, fds);
		wait.fd = fds[0];
		poll(&wait, 1, -1);
		explorer_collect(explorer);
	}
	assert_string_equal(explorer->message, "cannot write 'x': it is a test");
}

#define WITH(test, set_up) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(test_place, set_up),
		WITH(test_comes_back, set_up),
		WITH(test_identity_changed, set_up),
		WITH(test_from_nothing, set_up_empty),
		WITH(test_results, set_up),
		WITH(test_stale_fit_stays, set_up),
		WITH(test_hold, set_up),
		WITH(test_new, set_up),
		WITH(test_keys_of_files, set_up),
		WITH(test_save, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
