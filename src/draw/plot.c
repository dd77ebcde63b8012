/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots: marks behind, series as dots over them, names near their peaks, axes. */
#include "draw-internal.h"

#include <string.h>

/* The part of the screen that has the dots, and its scales. */
struct area {
	struct canvas *canvas;
	const struct view_plot *plot;
	struct rect rect;
	struct raster raster;
};

static double dot_x(const struct area *area, double x)
{
	return axis_part(&area->plot->x, x) * (area->raster.columns * area->raster.dots_x - 1);
}

static double dot_y(const struct area *area, double y)
{
	return (1 - axis_part(&area->plot->y, y)) * (area->raster.rows * area->raster.dots_y - 1);
}

static void draw_lines(struct area *area, const struct view_series *series, const double *y,
		       bool steps)
{
	double last_x = NAN, last_y = NAN;

	for (uint32_t i = 0; i < series->n; i++) {
		double px = dot_x(area, series->x[i]), py = dot_y(area, y[i]);

		if (!isnan(px) && !isnan(py)) {
			if (isnan(last_x) || isnan(last_y)) {
				raster_line(&area->raster, px, py, px, py, series->role);
			} else if (steps) {
				raster_line(&area->raster, last_x, last_y, px, last_y,
					    series->role);
				raster_line(&area->raster, px, last_y, px, py, series->role);
			} else {
				raster_line(&area->raster, last_x, last_y, px, py, series->role);
			}
		}
		last_x = px;
		last_y = py;
	}
}

static void draw_bars(struct area *area, const struct view_series *series)
{
	double zero = area->plot->y.log ? area->plot->y.low : 0;
	double base = dot_y(area, fmin(fmax(zero, area->plot->y.low), area->plot->y.high));

	for (uint32_t i = 0; i < series->n; i++) {
		double half = series->y2 ? series->y2[i] / 2 : 0;
		double from = dot_x(area, series->x[i] - half);
		double to = dot_x(area, series->x[i] + half), top = dot_y(area, series->y[i]);

		if (isnan(from) || isnan(to) || isnan(top))
			continue;
		/* an empty bin leaves nothing on the base line */
		if (series->y[i] == zero)
			continue;
		if (!series->y2)
			to = from = floor(from / area->raster.dots_x) * area->raster.dots_x;
		from = fmax(from, -1);
		to = fmin(to, area->raster.columns * area->raster.dots_x);
		do {
			raster_line(&area->raster, from, base, from, top, series->role);
		} while (++from < to);
	}
}

/* A few points stand out as glyphs of their own (drawn over the dots), a cloud is of dots. */
static bool is_cloud(const struct area *area, const struct view_series *series)
{
	return series->n > 4 * (uint32_t)area->raster.columns;
}

static void draw_cloud(struct area *area, const struct view_series *series)
{
	for (uint32_t i = 0; i < series->n; i++) {
		double px = dot_x(area, series->x[i]), py = dot_y(area, series->y[i]);

		if (!isnan(px) && !isnan(py))
			raster_line(&area->raster, px, py, px, py, series->role);
	}
}

static void draw_points(struct area *area, const struct view_series *series)
{
	const struct rect *rect = &area->rect;

	if (series->kind != SERIES_POINTS || is_cloud(area, series))
		return;
	for (uint32_t i = 0; i < series->n; i++) {
		double x = axis_part(&area->plot->x, series->x[i]);
		double y = axis_part(&area->plot->y, series->y[i]);

		if (x >= 0 && x <= 1 && y >= 0 && y <= 1)
			canvas_put(area->canvas, rect->x + (int)(x * (rect->width - 1) + 0.5),
				   rect->y + (int)((1 - y) * (rect->height - 1) + 0.5), 0x2022,
				   series->role);
	}
}

static void draw_series(struct area *area, const struct view_series *series)
{
	switch (series->kind) {
	case SERIES_BAND:
		draw_lines(area, series, series->y2, false);
		draw_lines(area, series, series->y, false);
		break;
	case SERIES_LINE:
	case SERIES_STEPS:
		draw_lines(area, series, series->y, series->kind == SERIES_STEPS);
		break;
	case SERIES_BARS:
		draw_bars(area, series);
		break;
	case SERIES_POINTS:
		if (is_cloud(area, series))
			draw_cloud(area, series);
		break;
	}
}

static void draw_mark(struct area *area, const struct view_mark *mark)
{
	const struct rect *rect = &area->rect;
	double part = axis_part(mark->horizontal ? &area->plot->y : &area->plot->x, mark->at);

	if (!(part >= 0 && part <= 1))
		return;
	if (mark->horizontal) {
		int y = rect->y + (int)((1 - part) * (rect->height - 1) + 0.5);

		canvas_repeat(area->canvas, rect->x, y, rect->width, 0x254c, mark->role);
		return;
	}
	for (int y = 0; y < rect->height; y++)
		canvas_put(area->canvas, rect->x + (int)(part * (rect->width - 1) + 0.5),
			   rect->y + y, 0x254e, mark->role);
}

static bool is_blank(const struct canvas *canvas, int x, int y, int width)
{
	for (int i = 0; i < width; i++)
		if (x + i < 0 || x + i >= canvas->width || y < 0 || y >= canvas->height ||
		    canvas->cells[(size_t)y * canvas->width + x + i].glyph != ' ')
			return false;
	return true;
}

/* Writes a label near a cell, where nothing is drawn yet; left out where there is no such place. */
static void place_label(struct area *area, int x, int y, enum role role, const char *label)
{
	static const int down[] = {0, 1, -1, 2, -2, 3, 4, 5};
	const struct rect *rect = &area->rect;
	int n = text_columns(label);

	for (size_t i = 0; i < COUNT_OF(down); i++) {
		int at_y = y + down[i];

		if (at_y < rect->y || at_y >= rect->y + rect->height)
			continue;
		for (int side = 0; side < 2; side++) {
			int at_x = side ? x - n - 2 : x + 3;

			/* a blank on either side keeps it readable */
			if (at_x - 1 < rect->x || at_x + n > rect->x + rect->width ||
			    !is_blank(area->canvas, at_x - 1, at_y, n + 1))
				continue;
			canvas_puts(area->canvas, at_x, at_y, n, role, label);
			return;
		}
	}
}

static void name_series(struct area *area, const struct view_series *series)
{
	double best = INFINITY, best_x = NAN;

	if (!series->name || !*series->name)
		return;
	for (uint32_t i = 0; i < series->n; i++) {
		double px = axis_part(&area->plot->x, series->x[i]);
		double py = 1 - axis_part(&area->plot->y, series->y[i]);

		if (px >= 0 && px <= 1 && py >= -0.01 && py < best)
			best = py, best_x = px;
	}
	if (isnan(best_x))
		return;
	place_label(area, area->rect.x + (int)(best_x * (area->rect.width - 1)),
		    area->rect.y + (int)(fmax(best, 0) * (area->rect.height - 1)), series->role,
		    series->name);
}

static void label_mark(struct area *area, const struct view_mark *mark)
{
	const struct rect *rect = &area->rect;
	double part = axis_part(mark->horizontal ? &area->plot->y : &area->plot->x, mark->at);

	if (!mark->label || !(part >= 0 && part <= 1))
		return;
	if (mark->horizontal)
		place_label(area, rect->x + rect->width - 1,
			    rect->y + (int)((1 - part) * (rect->height - 1) + 0.5) - 1, mark->role,
			    mark->label);
	else
		place_label(area, rect->x + (int)(part * (rect->width - 1) + 0.5) - 2, rect->y,
			    mark->role, mark->label);
}

static int y_label_width(const struct axis_ticks *ticks, const struct view_axis *axis)
{
	int width = 0;

	for (int i = 0; i < ticks->n; i++)
		if (text_columns(ticks->label[i]) > width)
			width = text_columns(ticks->label[i]);
	/* a column of air where there are no numbers */
	return axis->kind == CELL_EMPTY || !width ? 1 : width + 2;
}

static void draw_y_axis(struct area *area, const struct axis_ticks *ticks, int x, int width)
{
	for (int i = 0; i < ticks->n; i++) {
		double part = axis_part(&area->plot->y, ticks->at[i]);
		int y = area->rect.y + (int)((1 - part) * (area->rect.height - 1) + 0.5);
		int n = text_columns(ticks->label[i]);

		if (part >= -1e-9 && part <= 1 + 1e-9)
			canvas_puts(area->canvas, x + width - 1 - n, y, n, ROLE_AXIS,
				    ticks->label[i]);
	}
}

static void draw_x_axis(struct area *area, int y)
{
	const struct view_axis *axis = &area->plot->x;
	struct axis_ticks ticks;
	int end = area->rect.x + area->rect.width, free_to = end, last = area->rect.x;

	ticks_make(&ticks, axis, area->rect.width / (axis->log ? 7 : 10) + 1);
	/* from the right: the one that bears the unit stays where two do not fit */
	for (int k = 0; k < ticks.n; k++) {
		int i = axis->low > axis->high ? k : ticks.n - 1 - k;
		int n = text_columns(ticks.label[i]);
		/* a unit for all hangs over */
		int number = axis->log ? n : (int)strcspn(ticks.label[i], " %");
		int x = area->rect.x - number / 2 +
			(int)(axis_part(axis, ticks.at[i]) * (area->rect.width - 1) + 0.5);

		if (x < area->rect.x)
			x = area->rect.x;
		if (x + n > end)
			x = end - n;
		if (x + n > free_to)
			continue;
		canvas_puts(area->canvas, x, y, n, ROLE_AXIS, ticks.label[i]);
		free_to = x - 1;
		if (x + n > last)
			last = x + n;
	}
	if (axis->label && last + 2 + text_columns(axis->label) <= end)
		canvas_puts(area->canvas, end - text_columns(axis->label), y, 40, ROLE_DIM,
			    axis->label);
}

static bool has_points(const struct view_plot *plot)
{
	for (uint32_t i = 0; i < plot->n_series; i++)
		if (plot->series[i].n)
			return plot->x.high != plot->x.low && plot->y.high != plot->y.low;
	return false;
}

void draw_plot(struct canvas *canvas, struct rect rect, const struct view_plot *plot)
{
	struct area area = {.canvas = canvas, .plot = plot};
	struct axis_ticks ticks = {0};
	int label_width;

	if (rect.height < 2 || rect.width < 8)
		return;
	if (!has_points(plot)) {
		canvas_puts(canvas, rect.x + 2, rect.y + rect.height / 2, rect.width - 2, ROLE_DIM,
			    plot->empty ? plot->empty : "nothing to draw");
		return;
	}
	if (plot->y.kind != CELL_EMPTY)
		ticks_make(&ticks, &plot->y, rect.height / 2);
	label_width = y_label_width(&ticks, &plot->y);
	area.rect = (struct rect){rect.x + label_width, rect.y, rect.width - label_width,
				  rect.height - 1};
	if (area.rect.width < 4)
		return;
	raster_init(&area.raster, area.rect.width, area.rect.height, canvas->glyphs);
	for (uint32_t i = 0; i < plot->n_marks; i++)
		draw_mark(&area, &plot->marks[i]);
	for (uint32_t i = 0; i < plot->n_series; i++)
		draw_series(&area, &plot->series[i]);
	raster_draw(&area.raster, canvas, area.rect.x, area.rect.y);
	for (uint32_t i = 0; i < plot->n_series; i++)
		draw_points(&area, &plot->series[i]);
	draw_y_axis(&area, &ticks, rect.x, label_width);
	draw_x_axis(&area, rect.y + rect.height - 1);
	if (plot->y.label && is_blank(canvas, area.rect.x, rect.y, text_columns(plot->y.label) + 1))
		canvas_puts(canvas, area.rect.x, rect.y, area.rect.width, ROLE_DIM, plot->y.label);
	for (uint32_t i = 0; i < plot->n_series; i++)
		name_series(&area, &plot->series[i]);
	for (uint32_t i = 0; i < plot->n_marks; i++)
		label_mark(&area, &plot->marks[i]);
	raster_release(&area.raster);
}
