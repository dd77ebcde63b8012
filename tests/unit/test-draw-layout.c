/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts of every size: nothing overlaps, nothing sticks out, the panel with the keys is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evtop/draw.h"

#define WIDTH_MAX 260
#define HEIGHT_MAX 80

/* How often each cell of the screen is given away. */
struct screen {
	int width, height;
	uint8_t taken[HEIGHT_MAX][WIDTH_MAX];
};

static void take(struct screen *screen, struct rect rect, bool may_cross)
{
	assert_true(rect.x >= 0 && rect.y >= 0 && rect.width > 0 && rect.height > 0);
	assert_true(rect.x + rect.width <= screen->width);
	assert_true(rect.y + rect.height <= screen->height);
	for (int y = rect.y; y < rect.y + rect.height; y++)
		for (int x = rect.x; x < rect.x + rect.width; x++) {
			assert_true(!screen->taken[y][x] ||
				    (may_cross && screen->taken[y][x] == 2));
			screen->taken[y][x] = may_cross ? 2 : 1;
		}
}

static void check_layout(int width, int height, const struct layout_wish *wish)
{
	static struct screen screen;
	struct layout layout;

	screen = (struct screen){.width = width, .height = height};
	layout_make(&layout, width, height, wish);
	if (layout.header_rows)
		take(&screen, (struct rect){0, 0, width, layout.header_rows}, false);
	if (layout.footer_y >= 0)
		take(&screen, (struct rect){0, layout.footer_y, width, 1}, false);
	if (layout.condensed.height)
		take(&screen, layout.condensed, false);
	for (int i = 0; i < layout.n_places; i++)
		take(&screen, layout.places[i].rect, false);
	for (int i = 0; i < layout.n_rules; i++)
		take(&screen, layout.rules[i], true);
	assert_non_null(layout_find(&layout, wish->focus));
	assert_true(layout.n_rules <= LAYOUT_RULES);
	if (wish->zoom)
		assert_int_equal(layout.n_places, 1);
	/* every row and column is somebody's */
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			assert_true(screen.taken[y][x]);
}

static void test_every_size(void **state)
{
	static const int rows[] = {0, 2, 7, 30, 1000};

	(void)state;
	for (int width = 16; width <= WIDTH_MAX; width += width < 120 ? 4 : 20)
		for (int height = 3; height <= HEIGHT_MAX; height += height < 40 ? 1 : 13)
			for (int panel = PANEL_CALLS; panel < PANEL_COUNT; panel++)
				for (int i = 0; i < (int)(2 * COUNT_OF(rows)); i++) {
					struct layout_wish wish = {.focus = panel};

					wish.zoom = i % 2;
					wish.tree = panel == PANEL_TREE;
					wish.lower = panel == PANEL_IID ? PANEL_IID : PANEL_FIT;
					for (int j = 0; j < PANEL_COUNT; j++)
						wish.rows[j] = rows[i / 2];
					check_layout(width, height, &wish);
				}
}

static void test_what_stands_where(void **state)
{
	static const struct {
		int width, height;
		enum panel_id focus;
		int n_places;
		bool has[PANEL_COUNT];
	} cases[] = {
		{120,
		 34,
		 PANEL_CALLS,
		 4,
		 {[PANEL_CALLS] = 1, [PANEL_PATHS] = 1, [PANEL_DENSITY] = 1, [PANEL_FIT] = 1}},
		{100,
		 30,
		 PANEL_PATHS,
		 4,
		 {[PANEL_CALLS] = 1, [PANEL_PATHS] = 1, [PANEL_DENSITY] = 1, [PANEL_FIT] = 1}},
		{120,
		 34,
		 PANEL_IID,
		 4,
		 {[PANEL_CALLS] = 1, [PANEL_PATHS] = 1, [PANEL_DENSITY] = 1, [PANEL_IID] = 1}},
		{120, 34, PANEL_TREE, 3, {[PANEL_CALLS] = 1, [PANEL_PATHS] = 1, [PANEL_TREE] = 1}},
		{200,
		 50,
		 PANEL_CALLS,
		 6,
		 {[PANEL_CALLS] = 1,
		  [PANEL_PATHS] = 1,
		  [PANEL_TREE] = 1,
		  [PANEL_DENSITY] = 1,
		  [PANEL_FIT] = 1,
		  [PANEL_IID] = 1}},
		{80, 24, PANEL_PATHS, 2, {[PANEL_PATHS] = 1, [PANEL_DENSITY] = 1}},
		{40, 10, PANEL_PATHS, 1, {[PANEL_PATHS] = 1}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct layout_wish wish = {.focus = cases[i].focus,
					   .tree = cases[i].focus == PANEL_TREE,
					   .lower = cases[i].focus == PANEL_IID ? PANEL_IID
										: PANEL_FIT};
		struct layout layout;

		layout_make(&layout, cases[i].width, cases[i].height, &wish);
		assert_int_equal(layout.n_places, cases[i].n_places);
		for (int j = 0; j < PANEL_COUNT; j++)
			assert_int_equal(!!layout_find(&layout, j), cases[i].has[j]);
	}
}

static void test_panels_table(void **state)
{
	(void)state;
	for (int i = 0; i < PANEL_COUNT; i++) {
		assert_int_equal(panels[i].id, i);
		assert_true(*panels[i].name && *panels[i].title && *panels[i].help);
		for (int j = 0; j < i; j++) {
			assert_string_not_equal(panels[i].name, panels[j].name);
			assert_true(panels[i].key != panels[j].key);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_what_stands_where),
		cmocka_unit_test(test_panels_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
