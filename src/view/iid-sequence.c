/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run-sequence plot: durations in order of arrival. */
#include "fit-internal.h"

#include <string.h>

/* More points than this cannot be told apart: each group then shows its extremes and a few more. */
#define POINTS_MAX 4000
#define PER_GROUP 8
#define CAMPAIGN_MARKS_MAX 40
#define LOG_RATIO 20 /* of longest to shortest, from where a log axis shows more */

struct points {
	double *x, *y;
	uint32_t n;
};

static void add_point(struct points *points, uint32_t i, uint64_t value_ns)
{
	points->x[points->n] = i + 1.0;
	points->y[points->n++] = (double)value_ns;
}

/* Shortest and longest of [from, to) and some in between, evenly spaced. */
static void add_group(struct points *points, const struct sample *sample, uint32_t from,
		      uint32_t to)
{
	uint32_t low = from, high = from, step = (to - from) / PER_GROUP;

	for (uint32_t i = from; i < to; i++) {
		if (sample->value_ns[i] < sample->value_ns[low])
			low = i;
		if (sample->value_ns[i] > sample->value_ns[high])
			high = i;
	}
	for (uint32_t i = 0; step && i < PER_GROUP; i++)
		add_point(points, from + i * step, sample->value_ns[from + i * step]);
	add_point(points, low, sample->value_ns[low]);
	add_point(points, high, sample->value_ns[high]);
}

static void collect_points(struct view_panel *panel, const struct sample *sample,
			   struct points *points)
{
	uint32_t groups = POINTS_MAX / PER_GROUP;
	uint32_t most = sample->n <= POINTS_MAX ? sample->n : groups * (PER_GROUP + 2);

	points->x = view_alloc(panel, most, sizeof *points->x);
	points->y = view_alloc(panel, most, sizeof *points->y);
	if (sample->n <= POINTS_MAX) {
		for (uint32_t i = 0; i < sample->n; i++)
			add_point(points, i, sample->value_ns[i]);
		return;
	}
	for (uint32_t i = 0; i < groups; i++)
		add_group(points, sample, (uint32_t)((uint64_t)sample->n * i / groups),
			  (uint32_t)((uint64_t)sample->n * (i + 1) / groups));
}

static void set_axes(struct view_plot *plot, const struct sample *sample, bool toggled)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (uint32_t i = 0; i < sample->n; i++) {
		low = sample->value_ns[i] < low ? sample->value_ns[i] : low;
		high = sample->value_ns[i] > high ? sample->value_ns[i] : high;
	}
	plot->x = (struct view_axis){.kind = CELL_COUNT,
				     .label = "execution",
				     .low = 1,
				     .high = sample->n > 1 ? sample->n : 2};
	plot->y =
		(struct view_axis){.kind = CELL_DURATION, .low = (double)low, .high = (double)high};
	plot->y.log = ((double)high > LOG_RATIO * (double)low) != toggled;
	if (plot->y.log && low == 0)
		plot->y.low = 1;
	if (plot->y.high <= plot->y.low)
		plot->y.high = plot->y.low + 1;
}

/* Where campaigns meet: a step there is a change between them and not a drift. */
static void mark_campaigns(struct view_panel *panel, struct view_plot *plot,
			   const struct sample *sample)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < sample->n; i++)
		n += sample->campaign[i] != sample->campaign[i - 1];
	if (n > CAMPAIGN_MARKS_MAX)
		return;
	for (uint32_t i = 1; i < sample->n; i++)
		if (sample->campaign[i] != sample->campaign[i - 1])
			view_add_mark(panel, plot, false, i + 1, ROLE_DIM, NULL);
}

/* The median of every tenth of the executions: a drift shows as a staircase. */
static void add_medians(struct view_panel *panel, struct view_plot *plot,
			const struct sample *sample)
{
	enum { PARTS = 10 };
	struct view_series *series;
	double *x = view_alloc(panel, PARTS + 1, sizeof *x);
	double *y = view_alloc(panel, PARTS + 1, sizeof *y);
	uint64_t *values;

	if (sample->n < 10 * PARTS)
		return;
	values = view_alloc(panel, sample->n / PARTS + 1, sizeof *values);
	for (uint32_t part = 0; part < PARTS; part++) {
		uint32_t from = (uint32_t)((uint64_t)sample->n * part / PARTS);
		uint32_t to = (uint32_t)((uint64_t)sample->n * (part + 1) / PARTS);

		memcpy(values, sample->value_ns + from, (to - from) * sizeof *values);
		stats_sort(values, NULL, to - from);
		x[part] = from + 1.0;
		y[part] = stats_quantile(values, to - from, 0.5);
	}
	x[PARTS] = sample->n;
	y[PARTS] = y[PARTS - 1];
	series = view_add_series(panel, plot, SERIES_STEPS, ROLE_B, NULL);
	series->n = PARTS + 1;
	series->x = x;
	series->y = y;
}

void iid_sequence(struct view_panel *panel, const struct view_context *context,
		  const struct subject *subject)
{
	bool pending = false;
	const struct sample *sample = context->results.sample(context->results.owner, context->call,
							      subject->path, &pending);
	struct view_plot *plot = view_add_plot(panel);
	struct view_series *series;
	struct points points = {0};

	panel->pending |= pending;
	panel->blocks[panel->n_blocks - 1]->blank = true;
	plot->min_rows = 5;
	plot->empty = pending ? "computing" : "no execution with these settings";
	if (!sample || !sample->n)
		return;
	set_axes(plot, sample, context->log_y[PANEL_IID]);
	mark_campaigns(panel, plot, sample);
	collect_points(panel, sample, &points);
	series = view_add_series(panel, plot, SERIES_POINTS, ROLE_A, NULL);
	series->n = points.n;
	series->x = points.x;
	series->y = points.y;
	add_medians(panel, plot, sample);
}
