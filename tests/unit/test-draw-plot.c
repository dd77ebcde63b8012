/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots: dots where the values are, axes with round numbers. Screens are written out by hand. */
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

struct scene {
	struct canvas canvas;
	struct view_panel panel;
	struct view_plot *plot;
};

static void scene_init(struct scene *scene, int width, int height, enum glyphs glyphs)
{
	canvas_init(&scene->canvas, width, height, glyphs);
	view_panel_init(&scene->panel, PANEL_DENSITY);
	scene->plot = view_add_plot(&scene->panel);
	scene->plot->x = (struct view_axis){.kind = CELL_NUMBER, .low = 0, .high = 1};
	scene->plot->y = (struct view_axis){.low = 0, .high = 1};
}

static void scene_add(struct scene *scene, enum series_kind kind, enum role role, const char *name,
		      const double *x, const double *y, uint32_t n)
{
	struct view_series *series = view_add_series(&scene->panel, scene->plot, kind, role, name);

	series->x = x;
	series->y = y;
	series->n = n;
}

/* Rows from the first on; the scene is gone then. */
static void scene_check(struct scene *scene, const char *const *rows, int n)
{
	draw_plot(&scene->canvas, (struct rect){0, 0, scene->canvas.width, scene->canvas.height},
		  scene->plot);
	for (int y = 0; y < n; y++) {
		struct text row = {0};

		text_puts(&row, "");
		canvas_row_text(&scene->canvas, y, &row);
		assert_string_equal(row.bytes, rows[y]);
		text_release(&row);
	}
	view_panel_release(&scene->panel);
	canvas_release(&scene->canvas);
}

static const double zero_one[] = {0, 1}, falling[] = {1, 0};

static void test_a_diagonal_in_each_kind_of_glyphs(void **state)
{
	/* 8 columns by 4 rows under a margin of one column */
	static const struct {
		enum glyphs glyphs;
		enum role role;
		const char *rows[4];
	} cases[] = {
		/* 16 x 16 dots: one dot to the right for one down */
		{GLYPHS_BRAILLE, ROLE_A, {" ⠑⢄", "   ⠑⢄", "     ⠑⢄", "       ⠑⢄"}},
		/* every other dot: told apart without colour */
		{GLYPHS_BRAILLE, ROLE_B, {" ⠑⢄", "   ⠑⢄", "     ⠑⢄", "       ⠑⢄"}},
		/* 16 x 8 dots: two to the right for one down */
		{GLYPHS_BLOCK, ROLE_A, {" ▀▄", "   ▀▄", "     ▀▄", "       ▀▄"}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct scene scene;

		scene_init(&scene, 9, 5, cases[i].glyphs);
		scene_add(&scene, SERIES_LINE, cases[i].role, NULL, zero_one, falling, 2);
		scene_check(&scene, cases[i].rows, 4);
	}
}

static void test_gaps_stay_gaps(void **state)
{
	static const double x[] = {0, 0.25, 0.5, 0.75, 1}, y[] = {1, 1, NAN, 1, 1};
	/* 17 columns in ASCII are 17 dots: 0..4 and 12..16 */
	static const char *const rows[] = {" *****       *****", "", ""};
	struct scene scene;

	(void)state;
	scene_init(&scene, 18, 4, GLYPHS_ASCII);
	scene_add(&scene, SERIES_LINE, ROLE_A, NULL, x, y, 5);
	scene_check(&scene, rows, 3);
}

static void test_what_a_log_axis_cannot_show_is_left_out(void **state)
{
	static const double x[] = {1, 10, 100}, y[] = {0, 1e-3, 1};
	/* 21 columns: 1 on the first, 10 on the eleventh, 100 on the last */
	static const char *const rows[] = {"                     o", "", "", "           o",
					   " 1        10       100"};
	struct scene scene;

	(void)state;
	scene_init(&scene, 22, 5, GLYPHS_ASCII);
	scene.plot->x = (struct view_axis){.kind = CELL_COUNT, .low = 1, .high = 100, .log = true};
	scene.plot->y = (struct view_axis){.low = 1e-3, .high = 1, .log = true};
	scene_add(&scene, SERIES_POINTS, ROLE_A, NULL, x, y, 3);
	scene_check(&scene, rows, 5);
}

static void test_bars_stand_on_zero(void **state)
{
	/* x from 0 to 4 over 9 columns; zero is the fifth of nine dots */
	static const double x[] = {1, 2, 3}, y[] = {1, -1, 0};
	static const char *const rows[] = {"   |", "   ' .", "     |"};
	struct scene scene;

	(void)state;
	scene_init(&scene, 10, 4, GLYPHS_ASCII);
	scene.plot->x.high = 4;
	scene.plot->y = (struct view_axis){.low = -1, .high = 1};
	scene_add(&scene, SERIES_BARS, ROLE_BAR, NULL, x, y, 3);
	scene_check(&scene, rows, 3);
}

static void test_axes_have_round_numbers(void **state)
{
	static const struct {
		struct view_axis axis;
		int width;
		const char *row;
	} cases[] = {
		/* 50 columns are 2 us each; the middle of a number stands at its place, and the
		   unit once where they share it */
		{{.kind = CELL_DURATION, .low = 290000, .high = 390000},
		 52,
		 "     300       320       340       360       380 us"},
		/* 20 columns a decade */
		{{.kind = CELL_DURATION, .low = 1e4, .high = 1e7, .log = true},
		 62,
		 " 10 us            100 us               1 ms              10 ms"},
		/* executions; large numbers by their power */
		{{.kind = CELL_COUNT, .low = 100, .high = 1e6, .log = true},
		 42,
		 " 100     1,000    10,000      1e5      1e6"},
		{{.kind = CELL_PROBABILITY, .low = 0.1, .high = 1e-5, .log = true},
		 42,
		 " 0.1     0.01      1e-3      1e-4     1e-5"},
		{{.kind = CELL_SHARE, .low = 0, .high = 1},
		 42,
		 " 0      20      40      60      80    100%"},
	};
	static const double one = 1;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct scene scene;
		struct text row = {0};

		scene_init(&scene, cases[i].width, 4, GLYPHS_BLOCK);
		scene.plot->x = cases[i].axis;
		scene_add(&scene, SERIES_POINTS, ROLE_A, NULL, &one, &one, 1);
		draw_plot(&scene.canvas, (struct rect){0, 0, cases[i].width, 4}, scene.plot);
		canvas_row_text(&scene.canvas, 3, &row);
		assert_string_equal(row.bytes, cases[i].row);
		text_release(&row);
		view_panel_release(&scene.panel);
		canvas_release(&scene.canvas);
	}
}

static void test_names_stand_where_nothing_is_drawn(void **state)
{
	static const double x[] = {0, 0.5, 1}, y[] = {0, 1, 0};
	struct scene scene;
	struct text row = {0};

	(void)state;
	scene_init(&scene, 40, 9, GLYPHS_BRAILLE);
	scene_add(&scene, SERIES_LINE, ROLE_A, "A 7d331b", x, y, 3);
	draw_plot(&scene.canvas, (struct rect){0, 0, 40, 9}, scene.plot);
	canvas_row_text(&scene.canvas, 0, &row);
	assert_non_null(strstr(row.bytes, "A 7d331b"));
	text_release(&row);
	view_panel_release(&scene.panel);
	canvas_release(&scene.canvas);
}

static void test_nothing_to_draw_is_said(void **state)
{
	static const char *const rows[] = {"", "", "  no execution has a duration", ""};
	struct scene scene;

	(void)state;
	scene_init(&scene, 40, 5, GLYPHS_BRAILLE);
	scene.plot->empty = "no execution has a duration";
	scene_check(&scene, rows, 4);
}

/* Values beyond all bounds end at the plot's edge, in time. */
static void test_wild_values(void **state)
{
	static const double x[] = {-1e300, -1, NAN, 0.5, INFINITY, 1e300, 0.2};
	static const double y[] = {1e300, -1e300, 0.5, INFINITY, -INFINITY, NAN, 0.4};
	static const enum series_kind kinds[] = {SERIES_LINE, SERIES_STEPS, SERIES_BARS,
						 SERIES_POINTS, SERIES_BAND};

	(void)state;
	for (int glyphs = GLYPHS_ASCII; glyphs <= GLYPHS_BRAILLE; glyphs++)
		for (size_t i = 0; i < COUNT_OF(kinds); i++)
			for (int width = 1; width < 40; width += 7) {
				struct scene scene;

				scene_init(&scene, width, 6, glyphs);
				scene_add(&scene, kinds[i], ROLE_A, "name", x, y, 7);
				scene.plot->series[0].y2 = y;
				view_add_mark(&scene.panel, scene.plot, false, 1e300, ROLE_DIM,
					      "x");
				view_add_mark(&scene.panel, scene.plot, true, NAN, ROLE_DIM, "y");
				scene_check(&scene, NULL, 0);
			}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_diagonal_in_each_kind_of_glyphs),
		cmocka_unit_test(test_gaps_stay_gaps),
		cmocka_unit_test(test_what_a_log_axis_cannot_show_is_left_out),
		cmocka_unit_test(test_bars_stand_on_zero),
		cmocka_unit_test(test_axes_have_round_numbers),
		cmocka_unit_test(test_names_stand_where_nothing_is_drawn),
		cmocka_unit_test(test_nothing_to_draw_is_said),
		cmocka_unit_test(test_wild_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
