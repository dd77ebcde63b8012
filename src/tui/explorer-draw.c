/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One frame: header, panels, the condensed line, footer or input. */
#include "explorer.h"

#include <stdio.h>
#include <string.h>

static void draw_header(struct explorer *explorer, struct canvas *canvas)
{
	const struct view_panel *view = &explorer->views[PANEL_HEADER];
	int rows = explorer->layout.header_rows;

	if (!explorer->built[PANEL_HEADER] || !view->n_blocks)
		return;
	for (int i = 0; i < rows && i < (int)view->blocks[0]->lines.n; i++)
		draw_line(canvas, (struct rect){1, i, canvas->width - 2, 1},
			  &view->blocks[0]->lines.lines[i]);
}

/* The panels that have no place, in a line: as many as fit, the next after the focus first. */
static void draw_condensed(struct explorer *explorer, struct canvas *canvas)
{
	struct rect rect = explorer->layout.condensed;
	int x = 1, end = rect.x + rect.width;

	for (int i = 0; i < PANEL_COUNT && rect.height; i++) {
		struct view_line *line = &explorer->views[i].condensed;
		int room = end - x - (x > 1 ? 3 : 0), n;

		if (!panels[i].key || layout_find(&explorer->layout, i) || !line->n || room < 12)
			continue;
		if (x > 1) {
			canvas_put(canvas, x + 1, rect.y, 0xb7, ROLE_RULE);
			x += 3;
		}
		canvas_put(canvas, x, rect.y, (unsigned char)panels[i].key, ROLE_KEY);
		n = draw_line(canvas, (struct rect){x + 2, rect.y, room - 2, 1}, line);
		x += 2 + n;
	}
}

static void draw_input(const struct explorer *explorer, struct canvas *canvas, int y)
{
	bool search = explorer->mode == MODE_SEARCH;
	int x = 1;

	canvas_put(canvas, x++, y, search ? '/' : '&', ROLE_KEY);
	x += canvas_puts(canvas, x, y, canvas->width - x - 1, ROLE_INPUT, explorer->input);
	canvas_put(canvas, x, y, '_', ROLE_INPUT);
	if (*explorer->message)
		canvas_puts(canvas, x + 3, y, canvas->width - x - 4, explorer->message_role,
			    explorer->message);
	else
		canvas_puts(canvas, x + 3, y, canvas->width - x - 4, ROLE_DIM,
			    search ? "Enter keeps the search, Esc forgets it"
				   : "Enter keeps the filter, Esc goes back");
}

static void draw_bottom(struct explorer *explorer, struct canvas *canvas)
{
	int y = explorer->layout.footer_y;

	if (explorer->mode == MODE_SEARCH || explorer->mode == MODE_FILTER)
		draw_input(explorer, canvas, y >= 0 ? y : canvas->height - 1);
	else if (*explorer->message)
		canvas_puts(canvas, 1, y >= 0 ? y : canvas->height - 1, canvas->width - 2,
			    explorer->message_role, explorer->message);
	else if (y >= 0)
		footer_draw(explorer, canvas, y);
}

static void draw_place(struct explorer *explorer, struct canvas *canvas,
		       const struct layout_place *place)
{
	enum panel_id panel = place->panel;
	struct panel_look look = {.focused = panel == explorer->focus,
				  .keys_shown = true,
				  .search = explorer->search,
				  .filter = explorer->filters[panel]};

	draw_panel(canvas, place->rect, &explorer->views[panel], &explorer->states[panel], &look);
}

/* What goes on whatever is on the screen. */
static void draw_state(const struct explorer *explorer, struct canvas *canvas)
{
	int x = canvas->width;

	/* the trust line says it, with how much has come since */
	if (explorer->paused && !explorer->live)
		canvas_puts(canvas, x -= 8, 0, 8, ROLE_BAD, " PAUSED ");
	if (explorer->writing)
		canvas_puts(canvas, x - 9, 0, 9, ROLE_MARK, " WRITING ");
}

void explorer_draw(struct explorer *explorer, struct canvas *canvas)
{
	canvas_clear(canvas);
	if (canvas->width < 16 || canvas->height < 3) {
		canvas_puts(canvas, 0, 0, canvas->width, ROLE_WARNING, "too small");
		return;
	}
	if (explorer->mode == MODE_HELP) {
		help_draw(explorer, canvas);
		return;
	}
	draw_header(explorer, canvas);
	draw_rules(canvas, &explorer->layout);
	for (int i = 0; i < explorer->layout.n_places; i++)
		draw_place(explorer, canvas, &explorer->layout.places[i]);
	draw_condensed(explorer, canvas);
	draw_bottom(explorer, canvas);
	draw_state(explorer, canvas);
}
