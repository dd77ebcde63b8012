/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which panels stand where on a screen of a size. */
#include "evtop/draw.h"

#include <string.h>

#define WIDE_COLS 100	   /* two columns from here */
#define VERY_WIDE_COLS 165 /* three */
#define TALL_ROWS 22	   /* fewer rows have one column */

/* What stands below the main panel in one column, where there is room. */
static enum panel_id companion(enum panel_id panel)
{
	switch (panel) {
	case PANEL_CALLS:
		return PANEL_PATHS;
	case PANEL_PATHS:
		return PANEL_DENSITY;
	case PANEL_DENSITY:
	case PANEL_IID:
		return PANEL_FIT;
	case PANEL_FIT:
		return PANEL_DENSITY;
	default:
		return PANEL_COUNT;
	}
}

static void place(struct layout *layout, enum panel_id panel, int x, int y, int width, int height)
{
	if (width > 0 && height > 0)
		layout->places[layout->n_places++] =
			(struct layout_place){panel, {x, y, width, height}};
}

static void rule(struct layout *layout, int x, int y, int width, int height)
{
	layout->rules[layout->n_rules++] = (struct rect){x, y, width, height};
}

static int between(int value, int low, int high)
{
	return value > high ? (high > low ? high : low) : value < low ? low : value;
}

/* Rows of the upper panels: what they can fill, at most two fifths of the body. */
static int upper_rows(const struct layout_wish *wish, int body)
{
	int wanted = wish->rows[PANEL_CALLS];

	if (wish->rows[PANEL_PATHS] > wanted)
		wanted = wish->rows[PANEL_PATHS];
	return between(wanted ? wanted : body / 3, 6, body * 2 / 5);
}

static void place_wide(struct layout *layout, int width, int y, int body,
		       const struct layout_wish *wish)
{
	int left = width >= 140 ? width * 57 / 100 : width * 60 / 100;
	int upper = upper_rows(wish, body), lower = body - upper - 1;

	place(layout, PANEL_CALLS, 0, y, left, upper);
	place(layout, PANEL_PATHS, left + 1, y, width - left - 1, upper);
	rule(layout, 0, y + upper, width, 1);
	if (wish->tree) {
		rule(layout, left, y, 1, upper);
		place(layout, PANEL_TREE, 0, y + upper + 1, width, lower);
		return;
	}
	rule(layout, left, y, 1, body);
	place(layout, PANEL_DENSITY, 0, y + upper + 1, left, lower);
	place(layout, wish->lower, left + 1, y + upper + 1, width - left - 1, lower);
}

static void place_very_wide(struct layout *layout, int width, int y, int body,
			    const struct layout_wish *wish)
{
	int left = width * 38 / 100, middle = (width - left) / 2 - 1;
	int right = width - left - middle - 2;
	int upper = upper_rows(wish, body), lower;

	/* the tree stands above here and can use more */
	if (upper < body * 2 / 5)
		upper = body * 2 / 5;
	lower = body - upper - 1;
	place(layout, PANEL_CALLS, 0, y, left, upper);
	place(layout, PANEL_PATHS, left + 1, y, middle, upper);
	place(layout, PANEL_TREE, left + middle + 2, y, right, upper);
	rule(layout, 0, y + upper, width, 1);
	rule(layout, left, y, 1, body);
	rule(layout, left + middle + 1, y, 1, body);
	y += upper + 1;
	place(layout, PANEL_DENSITY, 0, y, left, lower);
	place(layout, PANEL_FIT, left + 1, y, middle, lower);
	place(layout, PANEL_IID, left + middle + 2, y, right, lower);
}

static void place_narrow(struct layout *layout, int width, int y, int body,
			 const struct layout_wish *wish)
{
	enum panel_id below = companion(wish->focus);
	/* lists take the rows they can fill; the others say as much as there is room for */
	bool list = wish->focus == PANEL_CALLS || wish->focus == PANEL_PATHS;
	int main = list ? wish->rows[wish->focus] : 0, most = body * 3 / 5;

	layout->narrow = true;
	if (below == PANEL_COUNT || body < 18) {
		place(layout, wish->focus, 0, y, width, body);
		return;
	}
	main = between(main ? main : most, 4, most);
	place(layout, wish->focus, 0, y, width, main);
	rule(layout, 0, y + main, width, 1);
	place(layout, below, 0, y + main + 1, width, body - main - 1);
}

void layout_make(struct layout *layout, int width, int height, const struct layout_wish *wish)
{
	bool wide = width >= WIDE_COLS && height >= TALL_ROWS;
	int y, end = height;

	/* to the last byte, so that layouts can be compared */
	memset(layout, 0, sizeof *layout);
	layout->footer_y = -1;
	layout->header_rows = height < 6 ? 0 : !wide && height < 30 ? 1 : height < 28 ? 2 : 3;
	y = layout->header_rows;
	if (height >= 4)
		layout->footer_y = --end;
	if (wide) {
		rule(layout, 0, y++, width, 1);
		if (height >= 28)
			rule(layout, 0, --end, width, 1);
	} else if (height >= 16 && !wish->zoom) {
		layout->condensed = (struct rect){0, --end, width, 1};
	}
	if (wish->zoom)
		place(layout, wish->focus, 0, y, width, end - y);
	else if (wide && width >= VERY_WIDE_COLS && height >= 32)
		place_very_wide(layout, width, y, end - y, wish);
	else if (wide)
		place_wide(layout, width, y, end - y, wish);
	else
		place_narrow(layout, width, y, end - y, wish);
	layout->narrow = !wide;
}

const struct layout_place *layout_find(const struct layout *layout, enum panel_id panel)
{
	for (int i = 0; i < layout->n_places; i++)
		if (layout->places[i].panel == panel)
			return &layout->places[i];
	return NULL;
}

static bool on_row(const struct layout *layout, int x, int y)
{
	for (int i = 0; i < layout->n_rules; i++) {
		const struct rect *rect = &layout->rules[i];

		if (rect->height == 1 && rect->width > 1 && rect->y == y && x >= rect->x &&
		    x < rect->x + rect->width)
			return true;
	}
	return false;
}

void draw_rules(struct canvas *canvas, const struct layout *layout)
{
	for (int i = 0; i < layout->n_rules; i++)
		if (layout->rules[i].height == 1 && layout->rules[i].width > 1)
			canvas_repeat(canvas, layout->rules[i].x, layout->rules[i].y,
				      layout->rules[i].width, 0x2500, ROLE_RULE);
	for (int i = 0; i < layout->n_rules; i++) {
		const struct rect *rect = &layout->rules[i];
		int end = rect->y + rect->height;

		if (rect->width != 1)
			continue;
		for (int y = rect->y; y < end; y++)
			canvas_put(canvas, rect->x, y, on_row(layout, rect->x, y) ? 0x253c : 0x2502,
				   ROLE_RULE);
		if (on_row(layout, rect->x, rect->y - 1))
			canvas_put(canvas, rect->x, rect->y - 1, 0x252c, ROLE_RULE);
		if (on_row(layout, rect->x, end))
			canvas_put(canvas, rect->x, end, 0x2534, ROLE_RULE);
	}
}
