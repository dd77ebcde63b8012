/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small graphics inside one row: bars, box plots, sparks. */
#include "evtop/draw.h"

static double clamp(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

void draw_bar(struct canvas *canvas, int x, int y, int width, double part, enum role role)
{
	int eighths, whole;

	if (isnan(part) || width <= 0)
		return;
	eighths = (int)(clamp(part, 0, 1) * width * 8 + 0.5);
	/* something is never drawn as nothing */
	if (part > 0 && eighths == 0)
		eighths = 1;
	whole = eighths / 8;
	canvas_repeat(canvas, x, y, whole, 0x2588, role);
	if (eighths % 8 && whole < width)
		canvas_put(canvas, x + whole, y, 0x2590 - (uint32_t)(eighths % 8), role);
}

/* Column of a value on an axis, clamped to it. */
static int axis_column(const struct view_axis *axis, double value, int width)
{
	double low = axis->low, high = axis->high;

	if (axis->log) {
		low = log(low > 0 ? low : 1);
		high = log(high > 0 ? high : 1);
		value = log(value > 0 ? value : 1);
	}
	if (!(high > low))
		return width / 2;
	/* a decade must not fall short of its column by rounding */
	return (int)clamp(floor((value - low) / (high - low) * width + 1e-9), 0, width - 1);
}

void draw_box(struct canvas *canvas, int x, int y, int width, const struct view_box *box,
	      const struct view_axis *axis)
{
	int low, quarter, median, three, high, max;

	if (width < 3 || isnan(box->median))
		return;
	low = axis_column(axis, box->low, width);
	quarter = axis_column(axis, box->quarter, width);
	median = axis_column(axis, box->median, width);
	three = axis_column(axis, box->three_quarters, width);
	high = axis_column(axis, box->high, width);
	canvas_repeat(canvas, x + low, y, high - low + 1, 0x2500, ROLE_DIM);
	canvas_repeat(canvas, x + quarter, y, three - quarter + 1, 0x2592, ROLE_BAR);
	canvas_put(canvas, x + median, y, 0x2588, ROLE_STRONG);
	if (!isnan(box->max)) {
		max = axis_column(axis, box->max, width);
		if (max > high)
			canvas_put(canvas, x + max, y, 0xb7, ROLE_WARNING);
	}
}

void draw_spark(struct canvas *canvas, int x, int y, int width, const double *values, uint32_t n)
{
	double most = 0;

	for (uint32_t i = 0; i < n; i++)
		if (values[i] > most)
			most = values[i];
	for (int i = 0; i < width && n > 0; i++) {
		/* the largest of the values that share a column: peaks must not hide */
		uint32_t from = (uint32_t)((uint64_t)i * n / width);
		uint32_t to = (uint32_t)((uint64_t)(i + 1) * n / width);
		double value = NAN;

		for (uint32_t j = from; j < to || j == from; j++)
			if (!isnan(values[j]) && !(values[j] <= value))
				value = values[j];
		if (isnan(value) || most <= 0)
			continue;
		canvas_put(canvas, x + i, y, 0x2581 + (uint32_t)(clamp(value / most, 0, 1) * 7.49),
			   ROLE_BAR);
	}
}
