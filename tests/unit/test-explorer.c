/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The explorer by its keys, on samples written here: what they do to its state. */
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
#include "../../src/tui/loading.h"
#include "../../src/tui/script.h"

struct fixture {
	char file[64];
	struct explore_options options;
	struct recording *recording;
	struct explorer explorer;
};

/* openat: 600 executions of path a0, 300 of b1, 100 of c2; close: 50 of d3; read: 5 of a4. */
static void write_samples(FILE *out)
{
	fputs("syscall,path,duration_ns,campaign,run\n", out);
	for (int i = 0; i < 1000; i++)
		fprintf(out, "openat,%s,%d,1,%d\n",
			i % 10 < 6   ? "a0"
			: i % 10 < 9 ? "b1"
				     : "c2",
			10000 + i * 7919 % 1009, i / 100);
	for (int i = 0; i < 50; i++)
		fprintf(out, "close,d3,%d,1,%d\n", 500 + i, i / 10);
	for (int i = 0; i < 5; i++)
		fprintf(out, "read,a4,%d,1,0\n", 900 + i);
}

/*
 * openat spends its time in do_filp_open, so that what getname calls is folded; two of its calls
 * lead to new_slab, and schedule is nowhere.
 */
static const char traced[] = "# tracer: function_graph\n#\n"
			     "# CPU  DURATION                  FUNCTION CALLS\n"
			     "# |     |   |                     |   |   |   |\n"
			     " 0)               |  __x64_sys_openat() {\n"
			     " 0)               |    getname() {\n"
			     " 0)               |      kmem_cache_alloc() {\n"
			     " 0)   1.000 us    |        new_slab();\n"
			     " 0)   1.500 us    |      }\n"
			     " 0)   2.000 us    |    }\n"
			     " 0)               |    do_filp_open() {\n"
			     " 0) + 90.000 us   |      path_openat();\n"
			     " 0) + 91.000 us   |    }\n"
			     " 0)               |    fd_install() {\n"
			     " 0)               |      new_slab() {\n"
			     " 0)   0.500 us    |        memset();\n"
			     " 0)   0.600 us    |      }\n"
			     " 0)   0.700 us    |    }\n"
			     " 0) + 95.000 us   |  }\n";

static int set_up_with(void **state, bool trees);

static int set_up(void **state)
{
	return set_up_with(state, false);
}

static int set_up_trees(void **state)
{
	return set_up_with(state, true);
}

static int set_up_with(void **state, bool trees)
{
	struct fixture *fixture = mem_zero(1, sizeof *fixture);
	const char *path = fixture->file;
	struct error err;
	FILE *out;
	int fd;

	snprintf(fixture->file, sizeof fixture->file, "/tmp/evtop-test-XXXXXX");
	fd = mkstemp(fixture->file);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out)
		return -1;
	if (trees)
		fputs(traced, out);
	else
		write_samples(out);
	fclose(out);
	gsl_set_error_handler_off();
	settings_init(&fixture->options.settings);
	fixture->options.load.node_times = trees;
	fixture->recording = recording_load(&path, 1, &fixture->options.load, NULL);
	explorer_init(&fixture->explorer, &fixture->options, fixture->recording, "samples");
	if (explorer_start(&fixture->explorer, &err))
		return -1;
	explorer_resize(&fixture->explorer, 120, 34);
	explorer_refresh(&fixture->explorer);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	explorer_release(&fixture->explorer);
	recording_free(fixture->recording);
	unlink(fixture->file);
	free(fixture);
	return 0;
}

static void press(struct explorer *explorer, const char *names)
{
	char *copy = mem_copy_text(names), *save = NULL;

	for (char *name = strtok_r(copy, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
		int key = key_parse(name);

		assert_int_not_equal(key, -1);
		explorer_key(explorer, key);
	}
	free(copy);
	explorer_refresh(explorer);
}

static const char *call_name(const struct explorer *explorer)
{
	return explorer_call(explorer)->name;
}

static const char *path_id(const struct explorer *explorer)
{
	return explorer_call(explorer)
		->paths[explorer->settings.identity][explorer->context.path_a]
		.id;
}

static void test_it_opens_on_the_call_with_the_most_time(void **state)
{
	struct explorer *explorer = &((struct fixture *)*state)->explorer;

	assert_string_equal(call_name(explorer), "openat");
	assert_string_equal(path_id(explorer), "a0");
	assert_int_equal(explorer->focus, PANEL_CALLS);
	/* B is the most common other path */
	assert_int_equal(explorer->context.path_b, 1);
}

static void test_the_selection_is_an_identity(void **state)
{
	struct explorer *explorer = &((struct fixture *)*state)->explorer;
	int sorts = 0;

	press(explorer, "2 j");
	assert_string_equal(path_id(explorer), "b1");
	assert_int_equal(explorer->context.path_b, 0);
	/* whatever it is sorted by, forwards or back, it stays */
	for (; sorts < 12; sorts++) {
		press(explorer, "s");
		assert_string_equal(path_id(explorer), "b1");
		press(explorer, "I");
		assert_string_equal(path_id(explorer), "b1");
	}
	/* at either end there is an end */
	press(explorer, "G j j j");
	press(explorer, "g k k k");
	press(explorer, "PgDn PgDn PgUp PgUp");
	/* another call begins with its most common path */
	press(explorer, "1 g");
	press(explorer, "G");
	assert_int_equal(explorer->context.path_a, 0);
}

static void test_panels_by_digit_and_tab(void **state)
{
	struct explorer *explorer = &((struct fixture *)*state)->explorer;

	press(explorer, "5");
	assert_int_equal(explorer->focus, PANEL_FIT);
	press(explorer, "6");
	assert_int_equal(explorer->focus, PANEL_IID);
	/* i.i.d. took the place of the fit: Tab goes on to the first */
	assert_null(layout_find(&explorer->layout, PANEL_FIT));
	press(explorer, "Tab");
	assert_int_equal(explorer->focus, PANEL_CALLS);
	press(explorer, "BackTab");
	assert_int_equal(explorer->focus, PANEL_IID);
	press(explorer, "1 Enter");
	assert_int_equal(explorer->focus, PANEL_PATHS);
	press(explorer, "Enter");
	assert_int_equal(explorer->focus, PANEL_TREE);
	assert_non_null(layout_find(&explorer->layout, PANEL_TREE));
	press(explorer, "z");
	assert_int_equal(explorer->layout.n_places, 1);
	press(explorer, "Esc");
	assert_false(explorer->zoom);
}

static void test_settings_change_by_one_key(void **state)
{
	struct explorer *explorer = &((struct fixture *)*state)->explorer;
	struct settings *settings = &explorer->settings;

	press(explorer, "m");
	assert_int_equal(settings->model, MODEL_GUMBEL);
	press(explorer, "v v");
	assert_int_equal(settings->interval, INTERVAL_BOOTSTRAP);
	press(explorer, "v");
	assert_int_equal(settings->interval, INTERVAL_PROFILE);
	press(explorer, "v");
	assert_int_equal(settings->interval, INTERVAL_DELTA);
	press(explorer, "e");
	assert_int_equal(settings->estimator, ESTIMATOR_LMOMENTS);
	/* L-moments have intervals by bootstrap alone; likelihood goes back to its own */
	assert_int_equal(settings->interval, INTERVAL_BOOTSTRAP);
	press(explorer, "v");
	assert_int_equal(settings->interval, INTERVAL_BOOTSTRAP);
	press(explorer, "e");
	assert_int_equal(settings->interval, INTERVAL_DELTA);
	press(explorer, "]");
	assert_int_equal(settings->block_size, 100);
	press(explorer, "[ [ [ [ [ [");
	assert_int_equal(settings->block_size, 10);
	/* a size between two steps goes to the next one either way */
	settings->block_size = 37;
	press(explorer, "]");
	assert_int_equal(settings->block_size, 50);
	settings->block_size = 37;
	press(explorer, "[");
	assert_int_equal(settings->block_size, 20);
	press(explorer, "d");
	assert_int_equal(settings->stratum, STRATUM_DISTURBED);
	press(explorer, "t u A f");
	assert_int_equal(settings->time, TIME_OWN);
	assert_int_equal(settings->unit, UNIT_BLOCKS);
	assert_int_equal(settings->tests, TESTS_FULL);
	assert_true(settings->force);
}

static void test_raw_paths_have_no_strata(void **state)
{
	struct explorer *explorer = &((struct fixture *)*state)->explorer;

	press(explorer, "2 j i");
	assert_int_equal(explorer->settings.identity, IDENTITY_RAW);
	assert_int_equal(explorer->settings.stratum, STRATUM_ALL);
	/* the same path, under its other name */
	assert_string_equal(path_id(explorer), "b1");
	press(explorer, "i");
	assert_int_equal(explorer->settings.stratum, STRATUM_UNDISTURBED);
	assert_string_equal(path_id(explorer), "b1");
}

static void type(struct explorer *explorer, const char *text)
{
	for (; *text; text++)
		explorer_key(explorer, *text);
	explorer_refresh(explorer);
}

static void test_search(void **state)
{
	struct explorer *explorer = &((struct fixture *)*state)->explorer;

	press(explorer, "/");
	type(explorer, "REA");
	/* it follows the typing, in either case */
	assert_string_equal(call_name(explorer), "read");
	press(explorer, "Backspace Backspace Backspace");
	type(explorer, "close");
	assert_string_equal(call_name(explorer), "close");
	press(explorer, "Enter");
	assert_int_equal(explorer->mode, MODE_NORMAL);
	press(explorer, "n");
	assert_string_equal(call_name(explorer), "close");
	press(explorer, "/");
	type(explorer, "openat");
	press(explorer, "Esc");
	/* one Esc: nothing is searched for, and the cursor is where it stood */
	assert_string_equal(explorer->search, "");
	assert_string_equal(call_name(explorer), "close");
	press(explorer, "/");
	type(explorer, "nothing");
	assert_non_null(strstr(explorer->message, "no row contains 'nothing'"));
	/* keys are text here */
	type(explorer, "q");
	assert_false(explorer->quit);
}

/* The row chosen in the tree, and how many there are. */
static void check_tree_row(const struct explorer *explorer, const char *name, int n_rows)
{
	const struct view_table *table = panel_table(&explorer->views[PANEL_TREE]);
	uint32_t row = explorer->states[PANEL_TREE].row;

	assert_int_equal(table->n_rows, n_rows);
	assert_string_equal(table->cells[(size_t)row * table->n_columns].text, name);
}

static void test_search_in_folded_calls(void **state)
{
	struct explorer *explorer = &((struct fixture *)*state)->explorer;

	press(explorer, "3");
	/* openat, getname, do_filp_open, path_openat, fd_install */
	check_tree_row(explorer, "__x64_sys_openat", 5);
	press(explorer, "/");
	/* openat itself has an n, so nothing is unfolded; then what lies deeper */
	type(explorer, "n");
	check_tree_row(explorer, "__x64_sys_openat", 5);
	type(explorer, "ew_slab");
	check_tree_row(explorer, "new_slab", 7);
	/* an earlier text folds again what this one opened */
	press(explorer, "Backspace Backspace Backspace Backspace Backspace Backspace Backspace");
	check_tree_row(explorer, "__x64_sys_openat", 5);
	type(explorer, "ew_slab");
	press(explorer, "Enter n");
	/* the other one, which can be unfolded itself */
	check_tree_row(explorer, "new_slab", 8);
	assert_int_equal(explorer->states[PANEL_TREE].row, 7);
	press(explorer, "n");
	check_tree_row(explorer, "new_slab", 8);
	assert_int_equal(explorer->states[PANEL_TREE].row, 3);
	press(explorer, "N N");
	assert_int_equal(explorer->states[PANEL_TREE].row, 3);
	press(explorer, "Esc /");
	type(explorer, "memset");
	check_tree_row(explorer, "memset", 9);
	press(explorer, "Esc");
	check_tree_row(explorer, "new_slab", 8);
	press(explorer, "/");
	type(explorer, "schedule");
	assert_non_null(strstr(explorer->message, "no function contains 'schedule'"));
}

static void test_filter(void **state)
{
	struct explorer *explorer = &((struct fixture *)*state)->explorer;

	press(explorer, "&");
	type(explorer, "e");
	press(explorer, "Enter");
	assert_int_equal(panel_table(&explorer->views[PANEL_CALLS])->n_rows, 3);
	press(explorer, "&");
	type(explorer, "a");
	/* "ea": only read is left, so it is chosen */
	assert_int_equal(panel_table(&explorer->views[PANEL_CALLS])->n_rows, 1);
	assert_string_equal(call_name(explorer), "read");
	press(explorer, "Enter Esc");
	assert_int_equal(panel_table(&explorer->views[PANEL_CALLS])->n_rows, 3);
	assert_string_equal(call_name(explorer), "read");
	/* one Esc for a filter and a search */
	press(explorer, "&");
	type(explorer, "clo");
	press(explorer, "Enter /");
	type(explorer, "s");
	press(explorer, "Enter Esc");
	assert_string_equal(explorer->search, "");
	assert_int_equal(panel_table(&explorer->views[PANEL_CALLS])->n_rows, 3);
	press(explorer, "/");
	type(explorer, "read");
	press(explorer, "Enter Esc");
	assert_string_equal(call_name(explorer), "read");
	/* a filter that nothing passes leaves the choice alone */
	press(explorer, "&");
	type(explorer, "nothing");
	assert_int_equal(panel_table(&explorer->views[PANEL_CALLS])->n_rows, 0);
	assert_string_equal(call_name(explorer), "read");
	press(explorer, "j k g G PgDn Enter j Enter Enter");
	press(explorer, "Esc");
}

static void test_b_is_kept_beside(void **state)
{
	struct explorer *explorer = &((struct fixture *)*state)->explorer;

	press(explorer, "2 G b k");
	assert_string_equal(path_id(explorer), "b1");
	assert_int_equal(explorer->context.path_b, 2);
	press(explorer, "k");
	assert_int_equal(explorer->context.path_b, 2);
	/* kept no longer */
	press(explorer, "G b");
	assert_int_equal(explorer->context.path_b, 0);
}

/* On the writer's thread, where nothing can be asserted. */
struct seen {
	size_t n_marks;
	struct settings first;
	char file[32];
};

static int write_marks(void *owner, const struct recording *recording,
		       const struct explore_mark *marks, size_t n_marks, const char *file,
		       struct error *err)
{
	struct seen *seen = owner;

	(void)recording;
	seen->n_marks = n_marks;
	seen->first = marks[0].settings;
	snprintf(seen->file, sizeof seen->file, "%s", file);
	return strcmp(file, "there.txt") ? error_set(err, "no room for '%s'", file) : 0;
}

static void wait_for_report(struct explorer *explorer)
{
	while (explorer->writing) {
		struct pollfd wait = {.fd = worker_fd(explorer->writer), .events = POLLIN};

		assert_int_equal(poll(&wait, 1, 10000), 1);
		explorer_collect(explorer);
	}
}

static void test_quitting_asks_for_marks_once(void **state)
{
	struct fixture *fixture = *state;
	struct explorer *explorer = &fixture->explorer;
	struct seen seen = {0};

	fixture->options.write_report = write_marks;
	fixture->options.report_file = "there.txt";
	fixture->options.owner = &seen;
	press(explorer, "M q");
	assert_false(explorer->quit);
	assert_non_null(strstr(explorer->message, "1 unwritten mark: w writes, q leaves"));
	/* asked again after anything else */
	press(explorer, "j q");
	assert_false(explorer->quit);
	/* while it is written q waits, then there is nothing to ask */
	press(explorer, "w q");
	wait_for_report(explorer);
	assert_int_equal(seen.n_marks, 1);
	assert_true(explorer->quit);
	explorer->quit = false;
	press(explorer, "q");
	assert_true(explorer->quit);
	/* a changed mark asks, and q again leaves */
	explorer->quit = false;
	press(explorer, "k ] M q");
	assert_false(explorer->quit);
	press(explorer, "q");
	assert_true(explorer->quit);
}

static void test_marks(void **state)
{
	struct fixture *fixture = *state;
	struct explorer *explorer = &fixture->explorer;
	struct seen seen = {0};

	fixture->options.write_report = write_marks;
	fixture->options.report_file = "there.txt";
	fixture->options.owner = &seen;
	press(explorer, "w");
	assert_int_equal(seen.n_marks, 0);
	press(explorer, "M");
	assert_int_equal(explorer->n_marks, 1);
	/* another setting is another fit; the same one again takes the mark away */
	press(explorer, "] M [ M");
	assert_int_equal(explorer->n_marks, 1);
	press(explorer, "M");
	/* marked at 100, and at 50 as the second */
	assert_int_equal(explorer->n_marks, 2);
	press(explorer, "] M [");
	assert_int_equal(explorer->n_marks, 1);
	press(explorer, "w");
	assert_non_null(strstr(explorer->message, "writing 1 fit"));
	wait_for_report(explorer);
	assert_int_equal(seen.n_marks, 1);
	assert_string_equal(seen.file, "there.txt");
	assert_int_equal(seen.first.block_size, 50);
	/* on the screen they were quick */
	assert_int_equal(explorer->settings.tests, TESTS_QUICK);
	assert_int_equal(seen.first.tests, TESTS_FULL);
	assert_non_null(strstr(explorer->message, "there.txt"));
	/* what cannot be written stays unwritten, and the program stays */
	fixture->options.report_file = "full";
	press(explorer, "w q");
	wait_for_report(explorer);
	assert_false(explorer->quit);
	assert_non_null(strstr(explorer->message, "no room"));
}

static void test_the_time_axis(void **state)
{
	struct explorer *explorer = &((struct fixture *)*state)->explorer;
	struct view_context *context = &explorer->context;

	press(explorer, "4 +");
	assert_float_equal(context->zoom_low, 0.25, 1e-12);
	assert_float_equal(context->zoom_high, 0.75, 1e-12);
	press(explorer, "Left Left Left Left Left");
	assert_float_equal(context->zoom_low, 0, 1e-12);
	press(explorer, "Right Right Right Right Right Right");
	assert_float_equal(context->zoom_high, 1, 1e-12);
	press(explorer, "0");
	assert_float_equal(context->zoom_low, 0, 1e-12);
	press(explorer, "l c c");
	assert_true(context->log_x[PANEL_DENSITY]);
	assert_int_equal(context->kind[PANEL_DENSITY], 2);
	press(explorer, "c c");
	assert_int_equal(context->kind[PANEL_DENSITY], 0);
	/* without rows of its own the panel goes through the paths */
	press(explorer, "j");
	assert_string_equal(path_id(explorer), "b1");
	press(explorer, "z j j j j");
	assert_string_equal(path_id(explorer), "c2");
}

static void check_screen_has(struct explorer *explorer, const char *text, bool wanted)
{
	struct text screen = {0};
	struct canvas canvas;

	canvas_init(&canvas, explorer->width, explorer->height, GLYPHS_BLOCK);
	explorer_draw(explorer, &canvas);
	for (int y = 0; y < canvas.height; y++)
		canvas_row_text(&canvas, y, &screen);
	if (!!strstr(screen.bytes, text) != wanted)
		fail_msg("'%s' in: %s", text, screen.bytes);
	text_release(&screen);
	canvas_release(&canvas);
}

static void wait_for_results(struct explorer *explorer)
{
	int fds[EXPLORER_FDS];

	explorer_fds(explorer, fds);
	while (explorer_pending(explorer)) {
		struct pollfd wait[EXPLORER_FDS];

		for (int i = 0; i < EXPLORER_FDS; i++)
			wait[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
		assert_true(poll(wait, EXPLORER_FDS, 10000) > 0);
		explorer_collect(explorer);
		explorer_refresh(explorer);
	}
}

/* Whatever a panel has to say can be reached on the smallest screen. */
static void test_scrolling_what_does_not_fit(void **state)
{
	struct explorer *explorer = &((struct fixture *)*state)->explorer;
	uint32_t path = explorer->context.path_a;
	const struct panel_state *iid = &explorer->states[PANEL_IID];

	explorer_resize(explorer, 40, 10);
	press(explorer, "6");
	wait_for_results(explorer);
	check_screen_has(explorer, "Space: more", true);
	check_screen_has(explorer, "runs, executions", false);
	press(explorer, "Space");
	wait_for_results(explorer);
	assert_true(iid->whole);
	check_screen_has(explorer, " 1-7/", true);
	press(explorer, "Down j Space");
	assert_int_equal(iid->offset, 2 + 7);
	press(explorer, "G");
	check_screen_has(explorer, "runs, executions", true);
	press(explorer, "PgDn Down");
	check_screen_has(explorer, "runs, executions", true);
	/* the arrows did not change what is shown */
	assert_int_equal(explorer->context.path_a, path);
	press(explorer, "k g");
	assert_false(iid->whole);
	/* a list goes on by rows */
	press(explorer, "j");
	assert_int_equal(explorer->context.path_a, path + 1);
	/* another kind, panel or size begins with what fits; so does going back beyond the top */
	press(explorer, "Space c");
	assert_false(iid->whole);
	press(explorer, "Space 5");
	assert_false(iid->whole);
	press(explorer, "6 Space PgUp");
	assert_false(iid->whole);
	press(explorer, "Space Esc");
	assert_false(iid->whole);
	/* where all of it fits there is nothing to scroll */
	explorer_resize(explorer, 200, 100);
	press(explorer, "z Space");
	assert_false(iid->whole);
}

static void test_help_covers_and_leaves(void **state)
{
	struct explorer *explorer = &((struct fixture *)*state)->explorer;
	struct canvas canvas;

	canvas_init(&canvas, 120, 34, GLYPHS_BLOCK);
	press(explorer, "?");
	assert_int_equal(explorer->mode, MODE_HELP);
	explorer_draw(explorer, &canvas);
	press(explorer, "G Space j");
	assert_int_equal(explorer->help_top, explorer->help_lines - explorer->help_page);
	press(explorer, "q");
	assert_int_equal(explorer->mode, MODE_NORMAL);
	assert_false(explorer->quit);
	press(explorer, "F1 F10");
	assert_true(explorer->quit);
	canvas_release(&canvas);
}

/* Any key in any state at any size: nothing breaks, the choice stays inside. */
static void test_random_keys(void **state)
{
	struct explorer *explorer = &((struct fixture *)*state)->explorer;
	static const struct {
		int width, height;
	} sizes[] = {{120, 34}, {80, 24}, {40, 10}, {200, 50}, {16, 3}, {10, 2}, {100, 23}};
	uint64_t random = 1;
	struct canvas canvas = {0};

	for (int i = 0; i < 3000; i++) {
		const struct key_command *command;
		char name[16];
		size_t n;

		random = random * 6364136223846793005u + 1442695040888963407u;
		command = &key_commands[(random >> 33) % n_key_commands];
		n = strcspn(command->keys, " ");
		if (!strcmp(command->name, "quit") || !strcmp(command->name, "write") ||
		    !strcmp(command->name, "theme"))
			continue;
		snprintf(name, sizeof name, "%.*s", (int)n, command->keys);
		if (random >> 60 == 0)
			explorer_resize(explorer, sizes[(random >> 40) % COUNT_OF(sizes)].width,
					sizes[(random >> 40) % COUNT_OF(sizes)].height);
		press(explorer, name);
		if (random >> 50 & 1)
			store_collect(explorer->store);
		if (canvas.width != explorer->width || canvas.height != explorer->height) {
			canvas_release(&canvas);
			canvas_init(&canvas, explorer->width, explorer->height, GLYPHS_BRAILLE);
		}
		explorer_draw(explorer, &canvas);
		assert_true(explorer->context.call < explorer->recording->n_calls);
		assert_true(explorer->context.path_a == PATH_ALL ||
			    explorer->context.path_a <
				    explorer_call(explorer)->n_paths[explorer->settings.identity]);
	}
	canvas_release(&canvas);
}

static void test_scripts_say_what_is_wrong(void **state)
{
	struct explorer *explorer = &((struct fixture *)*state)->explorer;
	static const struct {
		const char *script, *said;
	} cases[] = {
		{"# nothing\n\nwait\nkey j\n", NULL},
		{"kye j\n", "s:1: 'kye' is none of key, type, resize, wait, screen, feed, end"},
		{"\nkey jj\n", "s:2: 'jj' is no key"},
		{"key\n", "s:1: '' is no key"},
		{"resize 8\n", "s:1: '8' is no size (80x24, at most 1000x1000)"},
		{"resize 80x24x\n", "s:1: '80x24x' is no size (80x24, at most 1000x1000)"},
		{"resize 9999x24\n", "s:1: '9999x24' is no size (80x24, at most 1000x1000)"},
		{"wait 5\n", "s:1: 'wait' takes nothing after it"},
		{"type \xff\n", "s:1: the text to type is not UTF-8"},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FILE *in =
			fmemopen((void *)(uintptr_t)cases[i].script, strlen(cases[i].script), "r");
		struct error err = {.text = ""};
		int status;

		assert_non_null(in);
		status = script_run(explorer, in, "s", -1, stdout, &err);
		fclose(in);
		assert_int_equal(status, cases[i].said ? -1 : 0);
		assert_string_equal(err.text, cases[i].said ? cases[i].said : "");
	}
}

static void check_row(const struct canvas *canvas, int y, const char *wanted)
{
	struct text row = {0};

	text_puts(&row, "");
	canvas_row_text(canvas, y, &row);
	assert_string_equal(row.bytes, wanted);
	text_release(&row);
}

static void test_the_loading_screen(void **state)
{
	struct loading_look look = {.source = "uc2",
				    .bytes_done = 250000000,
				    .bytes_total = 1000000000,
				    .runs_done = 1000,
				    .runs_total = 8000,
				    .executions = 16003,
				    .elapsed_ns = 2000000000};
	struct canvas canvas;

	(void)state;
	canvas_init(&canvas, 44, 10, GLYPHS_ASCII);
	loading_draw(&look, &canvas);
	check_row(&canvas, 2, "  reading uc2");
	/* a quarter of 40 columns */
	check_row(&canvas, 4, "  ##########..............................");
	/* 125 MB/s; 750 MB to go */
	check_row(&canvas, 5, "  250 MB of 1.00 GB   125 MB/s   6 s left");
	check_row(&canvas, 6, "  1,000 of 8,000 runs   16,003 executions");
	check_row(&canvas, 9, "  q stops here and shows what was read");
	/* a pipe: nobody knows how much comes */
	look.bytes_total = 0;
	look.runs_total = 0;
	look.stopping = true;
	loading_draw(&look, &canvas);
	check_row(&canvas, 5, "  250 MB of ?   125 MB/s");
	check_row(&canvas, 9, "  stopping: what was read is kept");
	canvas_release(&canvas);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_it_opens_on_the_call_with_the_most_time),
		TEST(test_the_selection_is_an_identity),
		TEST(test_panels_by_digit_and_tab),
		TEST(test_settings_change_by_one_key),
		TEST(test_raw_paths_have_no_strata),
		TEST(test_search),
		cmocka_unit_test_setup_teardown(test_search_in_folded_calls, set_up_trees,
						tear_down),
		TEST(test_filter),
		TEST(test_b_is_kept_beside),
		TEST(test_marks),
		TEST(test_quitting_asks_for_marks_once),
		TEST(test_the_time_axis),
		TEST(test_scrolling_what_does_not_fit),
		TEST(test_help_covers_and_leaves),
		TEST(test_random_keys),
		TEST(test_scripts_say_what_is_wrong),
		cmocka_unit_test(test_the_loading_screen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
