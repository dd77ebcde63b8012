/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dots inside cells: braille 2x4, quadrants 2x2, characters 1x3. */
#include "draw-internal.h"

#include <stdlib.h>

void raster_init(struct raster *raster, int columns, int rows, enum glyphs glyphs)
{
	static const struct {
		int x, y;
	} dots[] = {[GLYPHS_ASCII] = {1, 3}, [GLYPHS_BLOCK] = {2, 2}, [GLYPHS_BRAILLE] = {2, 4}};
	size_t n = (size_t)columns * rows;

	*raster = (struct raster){.columns = columns, .rows = rows};
	raster->dots_x = dots[glyphs].x;
	raster->dots_y = dots[glyphs].y;
	raster->bits = mem_zero(n, 1);
	raster->role = mem_zero(n, 1);
}

void raster_release(struct raster *raster)
{
	free(raster->bits);
	free(raster->role);
}

/* The second series is dotted, so that it is told apart without colour too. */
static bool left_blank(const struct raster *raster, int x, int y, enum role role)
{
	if (raster->dots_x == 1)
		return false;
	if (role == ROLE_B)
		return (x + y) % 2;
	return role == ROLE_BAND && x % 4;
}

void raster_dot(struct raster *raster, int x, int y, enum role role)
{
	int column = x / raster->dots_x, row = y / raster->dots_y;
	size_t at;

	if (x < 0 || y < 0 || column >= raster->columns || row >= raster->rows ||
	    left_blank(raster, x, y, role))
		return;
	at = (size_t)row * raster->columns + column;
	raster->bits[at] |=
		(uint8_t)(1u << (y % raster->dots_y * raster->dots_x + x % raster->dots_x));
	raster->role[at] = role;
}

static double limit(double value, double most)
{
	return value < -most ? -most : value > 2 * most ? 2 * most : value;
}

void raster_line(struct raster *raster, double x0, double y0, double x1, double y1, enum role role)
{
	double most_x = raster->columns * raster->dots_x, most_y = raster->rows * raster->dots_y;
	int steps;

	x0 = limit(x0, most_x), x1 = limit(x1, most_x);
	y0 = limit(y0, most_y), y1 = limit(y1, most_y);
	steps = (int)ceil(fmax(fabs(x1 - x0), fabs(y1 - y0)));
	for (int i = 0; i <= steps; i++) {
		double part = steps ? (double)i / steps : 0;

		raster_dot(raster, (int)floor(x0 + part * (x1 - x0) + 0.5),
			   (int)floor(y0 + part * (y1 - y0) + 0.5), role);
	}
}

/* Dots in reading order to the numbering of braille. */
static uint32_t braille(uint8_t bits)
{
	static const uint8_t dots[8] = {0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80};
	uint32_t glyph = 0x2800;

	for (int i = 0; i < 8; i++)
		if (bits & 1u << i)
			glyph |= dots[i];
	return glyph;
}

static uint32_t quadrants(uint8_t bits)
{
	static const uint32_t glyphs[16] = {' ',    0x2598, 0x259d, 0x2580, 0x2596, 0x258c,
					    0x259e, 0x259b, 0x2597, 0x259a, 0x2590, 0x259c,
					    0x2584, 0x2599, 0x259f, 0x2588};

	return glyphs[bits & 15];
}

/* In characters each series has its own, but the whole call, which shows its shape. */
static uint32_t character(uint8_t bits, enum role role)
{
	switch (role) {
	case ROLE_A:
		return '*';
	case ROLE_B:
		return 'o';
	case ROLE_C:
		return '+';
	case ROLE_D:
		return 'x';
	default:
		return (unsigned char)" '-'.:.|"[bits & 7];
	}
}

void raster_draw(const struct raster *raster, struct canvas *canvas, int x, int y)
{
	for (int row = 0; row < raster->rows; row++)
		for (int column = 0; column < raster->columns; column++) {
			size_t at = (size_t)row * raster->columns + column;
			uint8_t bits = raster->bits[at];
			enum role role = raster->role[at];

			if (bits)
				canvas_put(canvas, x + column, y + row,
					   raster->dots_y == 4	 ? braille(bits)
					   : raster->dots_x == 2 ? quadrants(bits)
								 : character(bits, role),
					   role);
		}
}
