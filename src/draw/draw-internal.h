/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/draw share. */
#ifndef EVTOP_DRAW_INTERNAL_H
#define EVTOP_DRAW_INTERNAL_H

#include "evtop/draw.h"

/* Columns that a text takes on this canvas: what ASCII has no sign for may need two. */
int canvas_columns(const struct canvas *canvas, const char *utf8);

/* A plot's dots, several a cell; bits by cell in reading order of its dots. */
struct raster {
	int columns, rows;    /* cells */
	int dots_x, dots_y;   /* per cell */
	uint8_t *bits, *role; /* columns x rows */
};

void raster_init(struct raster *raster, int columns, int rows, enum glyphs glyphs);
void raster_release(struct raster *raster);
/* In dots from the upper left corner; outside nothing happens. */
void raster_dot(struct raster *raster, int x, int y, enum role role);
void raster_line(struct raster *raster, double x0, double y0, double x1, double y1, enum role role);
void raster_draw(const struct raster *raster, struct canvas *canvas, int x, int y);

/* Values at which an axis has a number. */
#define TICKS_MAX 24

struct axis_ticks {
	int n;
	double at[TICKS_MAX];
	char label[TICKS_MAX][NUMBER_SIZE];
};

/* At most so many, each label short; the unit stands with the last where they share one. */
void ticks_make(struct axis_ticks *ticks, const struct view_axis *axis, int most);
/* 0 at low, 1 at high; NaN for what a log axis cannot show. */
double axis_part(const struct view_axis *axis, double value);

#endif
