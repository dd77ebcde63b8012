/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Canvas, tables, trees and the graphics of one row. Screens are written out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evtop/draw.h"

static void check_row(const struct canvas *canvas, int y, const char *wanted)
{
	struct text row = {0};

	text_puts(&row, "");
	canvas_row_text(canvas, y, &row);
	assert_string_equal(row.bytes, wanted);
	text_release(&row);
}

/* ---- canvas ---- */

static void test_canvas_clips(void **state)
{
	struct canvas canvas;

	(void)state;
	canvas_init(&canvas, 5, 2, GLYPHS_BLOCK);
	canvas_put(&canvas, -1, 0, 'x', ROLE_TEXT);
	canvas_put(&canvas, 5, 0, 'x', ROLE_TEXT);
	canvas_put(&canvas, 0, 2, 'x', ROLE_TEXT);
	canvas_put(&canvas, 0, -1, 'x', ROLE_TEXT);
	canvas_over(&canvas, (struct rect){-3, -3, 100, 100}, ROLE_MATCH);
	assert_int_equal(canvas_puts(&canvas, 3, 1, 10, ROLE_TEXT, "abcdef"), 6);
	check_row(&canvas, 0, "");
	check_row(&canvas, 1, "   ab");
	canvas_release(&canvas);
}

static void test_text_is_cut_with_an_ellipsis(void **state)
{
	static const struct {
		const char *text;
		int width;
		enum glyphs glyphs;
		const char *wanted;
	} cases[] = {
		{"openat", 6, GLYPHS_BLOCK, "openat"},
		{"openat", 5, GLYPHS_BLOCK, "open…"},
		{"openat", 5, GLYPHS_ASCII, "open~"},
		{"openat", 1, GLYPHS_BLOCK, "…"},
		{"openat", 0, GLYPHS_BLOCK, ""},
		{"grün", 4, GLYPHS_BLOCK, "grün"},
		{"a · b ▸", 7, GLYPHS_ASCII, "a . b >"},
		/* one sign of two columns, cut where there is room for one of them */
		{"3 ±2", 4, GLYPHS_BLOCK, "3 ±2"},
		{"3 ±2", 5, GLYPHS_ASCII, "3 +-2"},
		{"3 ±2", 4, GLYPHS_ASCII, "3 +~"},
		/* two columns wide, controls, what is no UTF-8: one '?' each */
		{"a中b", 3, GLYPHS_BRAILLE, "a?b"},
		{"a\033[2Jb", 9, GLYPHS_BRAILLE, "a?[2Jb"},
		{"a\xff"
		 "b",
		 3, GLYPHS_BRAILLE, "a?b"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct canvas canvas;

		canvas_init(&canvas, 20, 1, cases[i].glyphs);
		canvas_puts(&canvas, 0, 0, cases[i].width, ROLE_TEXT, cases[i].text);
		check_row(&canvas, 0, cases[i].wanted);
		canvas_release(&canvas);
	}
}

struct runs {
	int n, x, y, length;
};

static void note_run(void *owner, int x, int y, int n)
{
	struct runs *runs = owner;

	*runs = (struct runs){runs->n + 1, x, y, n};
}

static void test_only_what_changed_is_drawn(void **state)
{
	struct canvas before, now;
	struct runs runs = {0};

	(void)state;
	canvas_init(&before, 10, 3, GLYPHS_BLOCK);
	canvas_init(&now, 10, 3, GLYPHS_BLOCK);
	canvas_changes(&before, &now, note_run, &runs);
	assert_int_equal(runs.n, 0);
	assert_true(canvas_equal(&before, &now));
	canvas_puts(&now, 3, 1, 4, ROLE_TEXT, "abcd");
	canvas_changes(&before, &now, note_run, &runs);
	assert_int_equal(runs.n, 1);
	assert_int_equal(runs.x, 3);
	assert_int_equal(runs.y, 1);
	assert_int_equal(runs.length, 4);
	assert_false(canvas_equal(&before, &now));
	/* another role or overlay is a change, too */
	canvas_puts(&before, 3, 1, 4, ROLE_TEXT, "abcd");
	canvas_over(&now, (struct rect){4, 1, 2, 1}, ROLE_SELECTION);
	canvas_changes(&before, &now, note_run, &runs);
	assert_int_equal(runs.n, 2);
	assert_int_equal(runs.x, 4);
	assert_int_equal(runs.length, 2);
	canvas_release(&before);
	canvas_release(&now);
}

static void test_glyphs_follow_locale_and_terminal(void **state)
{
	static const struct {
		enum glyphs_choice choice;
		const char *codeset, *term;
		enum glyphs wanted;
	} cases[] = {
		{GLYPHS_AUTO, "UTF-8", "xterm-256color", GLYPHS_BRAILLE},
		{GLYPHS_AUTO, "utf8", NULL, GLYPHS_BRAILLE},
		{GLYPHS_AUTO, "UTF-8", "linux", GLYPHS_BLOCK},
		{GLYPHS_AUTO, "UTF-8", "vt100", GLYPHS_ASCII},
		{GLYPHS_AUTO, "ANSI_X3.4-1968", "xterm", GLYPHS_ASCII},
		{GLYPHS_AUTO, "ISO-8859-1", "xterm", GLYPHS_ASCII},
		{GLYPHS_AUTO, NULL, NULL, GLYPHS_ASCII},
		{GLYPHS_FORCE_BRAILLE, "ANSI_X3.4-1968", "linux", GLYPHS_BRAILLE},
		{GLYPHS_FORCE_ASCII, "UTF-8", "xterm", GLYPHS_ASCII},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(glyphs_choose(cases[i].choice, cases[i].codeset, cases[i].term),
				 cases[i].wanted);
}

/* ---- tables ---- */

static const struct view_column columns[] = {
	{"call", "call", 0, 4, 0, ALIGN_LEFT, true, false, "name"},
	{"exec", "exec", 1, 4, 0, ALIGN_RIGHT, true, true, "executions"},
	{"max", "max", 2, 4, 0, ALIGN_RIGHT, true, true, "longest"},
	{"min", "min", 3, 4, 0, ALIGN_RIGHT, true, true, "shortest"},
};

static const struct {
	const char *name;
	uint64_t n;
	double max_ns, min_ns;
} calls[] = {
	{"openat", 3000, 13400000, 307000},
	{"close", 4501, 8510000, 96100},
	{"read", 1501, 7370000, 54300},
};

static struct view_table *add_calls(struct view_panel *panel)
{
	struct view_table *table;

	view_panel_init(panel, PANEL_CALLS);
	table = view_add_table(panel, columns, COUNT_OF(columns));
	table->selectable = true;
	table->sort = 1;
	table->descending = true;
	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		struct view_cell *cells = view_add_row(panel, table, view_identity(calls[i].name));

		cells[0] = cell_text(ROLE_TEXT, calls[i].name);
		cells[1] = cell_count(ROLE_TEXT, calls[i].n);
		cells[2] = cell_number(CELL_DURATION, ROLE_TEXT, calls[i].max_ns);
		cells[3] = cell_number(CELL_DURATION, ROLE_TEXT, calls[i].min_ns);
	}
	draw_measure(panel);
	return table;
}

static void test_columns_vanish_by_priority(void **state)
{
	static const struct {
		int width;
		const char *heading, *row;
	} cases[] = {
		/* all, with air */
		{38, "  call    exec▼      max      min", "▸ openat  3,000  13.4 ms   307 us"},
		/* the least matters least */
		{30, " call   exec▼     max     min", "▸openat 3,000 13.4 ms  307 us"},
		{22, " call   exec▼     max", "▸openat 3,000 13.4 ms"},
		{14, " call   exec▼", "▸openat 3,000"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct view_panel panel;
		struct view_table *table = add_calls(&panel);
		struct panel_state cursor = {.selected = view_identity("openat")};
		struct panel_look look = {.focused = true};
		struct canvas canvas;
		/* the gutter has two columns where there is room */
		int width = cases[i].width;

		canvas_init(&canvas, width < 48 && i == 0 ? 48 : width, 5, GLYPHS_BLOCK);
		draw_table(&canvas, (struct rect){0, 0, canvas.width, 5}, table, &cursor, &look);
		check_row(&canvas, 0, cases[i].heading);
		check_row(&canvas, 1, cases[i].row);
		canvas_release(&canvas);
		view_panel_release(&panel);
	}
}

static int selected_row(const struct canvas *canvas)
{
	for (int y = 0; y < canvas->height; y++)
		if (canvas->cells[y * canvas->width].glyph == 0x25b8)
			return y;
	return -1;
}

static void test_the_cursor_follows_the_identity(void **state)
{
	struct view_panel panel;
	struct view_table *table = add_calls(&panel);
	struct panel_state cursor = {.selected = view_identity("read")};
	struct panel_look look = {.focused = true};
	struct canvas canvas;
	struct view_row row;

	(void)state;
	canvas_init(&canvas, 40, 5, GLYPHS_BLOCK);
	draw_table(&canvas, (struct rect){0, 0, 40, 5}, table, &cursor, &look);
	assert_int_equal(selected_row(&canvas), 3);
	/* the data change their order */
	row = table->rows[0];
	table->rows[0] = table->rows[2];
	table->rows[2] = row;
	canvas_clear(&canvas);
	draw_table(&canvas, (struct rect){0, 0, 40, 5}, table, &cursor, &look);
	assert_int_equal(selected_row(&canvas), 1);
	/* the whole row lies under the selection */
	for (int x = 0; x < 40; x++)
		assert_int_equal(canvas.cells[40 + x].over, ROLE_SELECTION);
	/* gone: what took its place */
	cursor.selected = 12345;
	cursor.row = 2;
	canvas_clear(&canvas);
	draw_table(&canvas, (struct rect){0, 0, 40, 5}, table, &cursor, &look);
	assert_int_equal(selected_row(&canvas), 3);
	canvas_release(&canvas);
	view_panel_release(&panel);
}

static void test_scrolling_moves_no_more_than_needed(void **state)
{
	static const struct view_column column[] = {
		{"n", "n", 0, 3, 0, ALIGN_RIGHT, false, false, "number"}};
	static const struct {
		uint64_t selected;
		uint32_t top;
	} steps[] = {{1, 0}, {4, 0}, {5, 1}, {3, 1}, {2, 1}, {1, 0}, {20, 16}, {17, 16}, {16, 15}};
	struct view_panel panel;
	struct view_table *table;
	struct panel_state cursor = {0};
	struct panel_look look = {0};
	struct canvas canvas;

	(void)state;
	view_panel_init(&panel, PANEL_CALLS);
	table = view_add_table(&panel, column, 1);
	table->selectable = true;
	for (uint64_t i = 1; i <= 20; i++)
		*view_add_row(&panel, table, i) = cell_count(ROLE_TEXT, i);
	draw_measure(&panel);
	canvas_init(&canvas, 20, 5, GLYPHS_BLOCK);
	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		cursor.selected = steps[i].selected;
		draw_table(&canvas, (struct rect){0, 0, 20, 5}, table, &cursor, &look);
		assert_int_equal(cursor.top, steps[i].top);
		assert_int_equal(cursor.page, 4);
	}
	/* more room: no empty rows below while there are rows above */
	cursor.selected = 20;
	draw_table(&canvas, (struct rect){0, 0, 20, 11}, table, &cursor, &look);
	assert_int_equal(cursor.top, 10);
	canvas_release(&canvas);
	view_panel_release(&panel);
}

static void test_flags_and_marks_are_glyphs(void **state)
{
	struct view_panel panel;
	struct view_table *table = add_calls(&panel);
	struct panel_state cursor = {.selected = view_identity("openat")};
	struct panel_look look = {.search = "REA"};
	struct canvas canvas;

	(void)state;
	table->rows[0].flags = ROW_A | ROW_WARNING;
	table->rows[1].flags = ROW_MARKED;
	canvas_init(&canvas, 48, 4, GLYPHS_BLOCK);
	draw_table(&canvas, (struct rect){0, 0, 48, 4}, table, &cursor, &look);
	check_row(&canvas, 1, "▸Aopenat  3,000  13.4 ms   307 us              !");
	check_row(&canvas, 2, " ★close   4,501  8.51 ms  96.1 us");
	/* found by the search, in either case */
	check_row(&canvas, 3, " /read    1,501  7.37 ms  54.3 us");
	canvas_release(&canvas);
	view_panel_release(&panel);
}

static void test_a_tree_keeps_its_names_at_any_depth(void **state)
{
	static const struct view_column column[] = {
		{"function", "function", 0, 10, 1, ALIGN_LEFT, false, false, "name"}};
	struct view_panel panel;
	struct view_table *table;
	struct panel_state cursor = {.selected = 1};
	struct panel_look look = {0};
	struct canvas canvas;

	(void)state;
	view_panel_init(&panel, PANEL_TREE);
	table = view_add_table(&panel, column, 1);
	table->selectable = table->is_tree = true;
	for (int i = 0; i < 4; i++) {
		*view_add_row(&panel, table, i + 1u) = cell_text(ROLE_TEXT, "do_filp_open");
		table->rows[i].depth = (uint16_t)(i == 3 ? 300 : i);
		table->rows[i].has_children = i < 2;
		table->rows[i].expanded = i == 0;
	}
	draw_measure(&panel);
	canvas_init(&canvas, 30, 5, GLYPHS_BLOCK);
	draw_table(&canvas, (struct rect){0, 0, 30, 5}, table, &cursor, &look);
	check_row(&canvas, 1, "»▾ do_filp_open");
	check_row(&canvas, 2, "   ▸ do_filp_open");
	check_row(&canvas, 3, "       do_filp_open");
	/* as deep as it fits, and the depth in figures */
	check_row(&canvas, 4, " 300·         do_filp_open");
	canvas_release(&canvas);
	view_panel_release(&panel);
}

/* ---- graphics of one row ---- */

static void test_bars(void **state)
{
	static const struct {
		double part;
		enum glyphs glyphs;
		const char *wanted;
	} cases[] = {
		{0, GLYPHS_BLOCK, ""},
		{NAN, GLYPHS_BLOCK, ""},
		{-1, GLYPHS_BLOCK, ""},
		{0.5, GLYPHS_BLOCK, "████"},
		{1, GLYPHS_BLOCK, "████████"},
		{7, GLYPHS_BLOCK, "████████"},
		{0.25 + 3.0 / 64, GLYPHS_BLOCK, "██▍"},
		/* something is never nothing */
		{1e-12, GLYPHS_BLOCK, "▏"},
		{0.5, GLYPHS_ASCII, "####"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct canvas canvas;

		canvas_init(&canvas, 10, 1, cases[i].glyphs);
		draw_bar(&canvas, 0, 0, 8, cases[i].part, ROLE_BAR);
		check_row(&canvas, 0, cases[i].wanted);
		canvas_release(&canvas);
	}
}

static void test_boxes(void **state)
{
	static const struct view_axis linear = {.low = 0, .high = 20},
				      logarithmic = {.low = 1, .high = 1e4, .log = true};
	static const struct {
		const struct view_axis *axis;
		struct view_box box;
		const char *wanted;
	} cases[] = {
		{&linear, {2, 5, 7, 10, 14, 19}, "  ───▒▒█▒▒▒────    ·"},
		/* the whisker reaches the maximum: no dot */
		{&linear, {2, 5, 7, 10, 19, 19}, "  ───▒▒█▒▒▒─────────"},
		/* beyond the axis: at its ends */
		{&linear, {-5, -5, 3, 30, 30, 90}, "▒▒▒█▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒"},
		/* five columns a decade */
		{&logarithmic, {1, 1, 10, 100, 1000, NAN}, "▒▒▒▒▒█▒▒▒▒▒─────"},
		{&linear, {NAN, NAN, NAN, NAN, NAN, NAN}, ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct canvas canvas;

		canvas_init(&canvas, 20, 1, GLYPHS_BLOCK);
		draw_box(&canvas, 0, 0, 20, &cases[i].box, cases[i].axis);
		check_row(&canvas, 0, cases[i].wanted);
		canvas_release(&canvas);
	}
}

static void test_sparks_show_peaks(void **state)
{
	static const double values[] = {0, 0, 8, 0, 4, NAN, 0, 0};
	struct canvas canvas;

	(void)state;
	canvas_init(&canvas, 8, 2, GLYPHS_BLOCK);
	draw_spark(&canvas, 0, 0, 8, values, 8);
	check_row(&canvas, 0, "▁▁█▁▄ ▁▁");
	/* two values a column: the peak is still there */
	draw_spark(&canvas, 0, 1, 4, values, 8);
	check_row(&canvas, 1, "▁█▄▁");
	canvas_release(&canvas);
}

/* ---- lines ---- */

static void test_lines_drop_what_matters_least(void **state)
{
	static const struct {
		int width;
		const char *wanted;
	} cases[] = {
		{40, "evtop  405 us of openat            clean"},
		{24, "evtop  405 us      clean"},
		{14, "evtop  405 us"},
		{8, "evtop…"},
	};
	struct view_panel panel;
	struct view_line line = {0};
	struct view_cell cell;

	(void)state;
	view_panel_init(&panel, PANEL_HEADER);
	view_puts(&panel, &line, ROLE_STRONG, "evtop");
	view_puts(&panel, &line, ROLE_TEXT, "  ");
	view_put(&panel, &line, cell_number(CELL_DURATION, ROLE_TEXT, 405000));
	cell = cell_text(ROLE_DIM, " of openat");
	cell.drop = 2;
	view_put(&panel, &line, cell);
	cell = cell_text(ROLE_TEXT, "clean");
	cell.drop = 1;
	view_put_right(&panel, &line, cell);
	for (size_t i = 0; i < COUNT_OF(cases) - 1; i++) {
		struct canvas canvas;

		canvas_init(&canvas, cases[i].width, 1, GLYPHS_BLOCK);
		draw_line(&canvas, (struct rect){0, 0, cases[i].width, 1}, &line);
		check_row(&canvas, 0, cases[i].wanted);
		canvas_release(&canvas);
	}
	view_panel_release(&panel);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_canvas_clips),
		cmocka_unit_test(test_text_is_cut_with_an_ellipsis),
		cmocka_unit_test(test_only_what_changed_is_drawn),
		cmocka_unit_test(test_glyphs_follow_locale_and_terminal),
		cmocka_unit_test(test_columns_vanish_by_priority),
		cmocka_unit_test(test_the_cursor_follows_the_identity),
		cmocka_unit_test(test_scrolling_moves_no_more_than_needed),
		cmocka_unit_test(test_flags_and_marks_are_glyphs),
		cmocka_unit_test(test_a_tree_keeps_its_names_at_any_depth),
		cmocka_unit_test(test_bars),
		cmocka_unit_test(test_boxes),
		cmocka_unit_test(test_sparks_show_peaks),
		cmocka_unit_test(test_lines_drop_what_matters_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
