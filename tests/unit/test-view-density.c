/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The panel of densities: what is drawn, on which axes, and what it says. */
#include "view-sample.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

#define N 1000

/* Path 0: 700 executions of 300..399 us; path 1: 300 of 500..599 us; evenly spread. */
static void two_paths_init(struct view_sample *sample)
{
	uint64_t ns[N];
	uint8_t path[N];

	for (int i = 0; i < N; i++) {
		path[i] = i % 10 >= 7;
		ns[i] = (path[i] ? 500000 : 300000) + (uint64_t)(i / 10) * 1000;
	}
	view_sample_init(sample, ns, path, NULL, N);
}

static const struct view_plot *plot_of(const struct view_sample *sample)
{
	const struct view_block *block = view_sample_block(sample, BLOCK_PLOT, 0);

	assert_non_null(block);
	return &block->plot;
}

static const struct view_series *series_of(const struct view_plot *plot, enum role role)
{
	for (uint32_t i = 0; i < plot->n_series; i++)
		if (plot->series[i].role == role)
			return &plot->series[i];
	return NULL;
}

static void test_kernel(void **state)
{
	struct view_sample sample;
	const struct view_plot *plot;
	const struct view_series *series;
	double area = 0;

	(void)state;
	two_paths_init(&sample);
	view_sample_build(&sample, PANEL_DENSITY, 100, 20);
	plot = plot_of(&sample);
	assert_int_equal(plot->n_series, 3);
	assert_false(plot->x.log);
	assert_int_equal(plot->x.kind, CELL_DURATION);
	assert_true(plot->x.low > 290000 && plot->x.low <= 300000);
	assert_true(plot->x.high > 590000 && plot->x.high < 620000);
	/* path A takes 7 in 10 of the call's executions, all but the kernel's edge in sight */
	series = series_of(plot, ROLE_A);
	for (uint32_t i = 1; i < series->n; i++)
		area += (series->x[i] - series->x[i - 1]) * (series->y[i] + series->y[i - 1]) / 2;
	assert_true(area > 0.64 && area < 0.705);
	assert_string_equal(series->name, "A 012345");
	assert_string_equal(series_of(plot, ROLE_B)->name, "B fedcba");
	/* the median of 0..99 is 49.5 */
	assert_true(view_sample_says(&sample, "A 012345 350 us   B fedcba 55"));
	assert_true(view_sample_says(&sample, "undisturbed, linear  kernel\n"));
	view_sample_release(&sample);
}

static double height_at(const struct view_series *series, double x)
{
	for (uint32_t i = series->n; i-- > 0;)
		if (series->x[i] <= x)
			return series->y[i];
	return NAN;
}

/* In every bin the paths add up to the call. */
static void test_histogram_adds_up(void **state)
{
	struct view_sample sample;
	const struct view_plot *plot;
	const struct view_series *all;

	(void)state;
	two_paths_init(&sample);
	sample.context.kind[PANEL_DENSITY] = 1;
	view_sample_build(&sample, PANEL_DENSITY, 80, 20);
	plot = plot_of(&sample);
	all = series_of(plot, ROLE_ALL);
	assert_int_equal(all->kind, SERIES_STEPS);
	assert_int_equal(all->n, 42);
	for (uint32_t i = 1; i + 1 < all->n; i++) {
		double x = all->x[i];
		double sum = height_at(series_of(plot, ROLE_A), x) +
			     height_at(series_of(plot, ROLE_B), x);

		assert_true(fabs(sum - all->y[i]) <= 1e-12 * plot->y.high);
	}
	/* an outline begins and ends on the base line */
	assert_true(all->y[0] == 0 && all->y[all->n - 1] == 0);
	view_sample_release(&sample);
}

static void test_one_path_has_bars(void **state)
{
	struct view_sample sample;
	uint64_t ns[100];
	const struct view_series *series;
	double sum = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		ns[i] = 1000 + (uint64_t)i;
	view_sample_init(&sample, ns, NULL, NULL, 100);
	sample.context.kind[PANEL_DENSITY] = 1;
	view_sample_build(&sample, PANEL_DENSITY, 60, 17);
	assert_int_equal(plot_of(&sample)->n_series, 1);
	series = &plot_of(&sample)->series[0];
	assert_int_equal(series->kind, SERIES_BARS);
	for (uint32_t i = 0; i < series->n; i++)
		sum += series->y[i] * series->y2[i];
	/* one execution or two lie beyond the axis */
	assert_true(sum > 0.97 && sum <= 1 + 1e-9);
	view_sample_release(&sample);
}

static void test_cumulative(void **state)
{
	struct view_sample sample;
	const struct view_plot *plot;
	const struct view_series *series;

	(void)state;
	two_paths_init(&sample);
	sample.context.kind[PANEL_DENSITY] = 2;
	view_sample_build(&sample, PANEL_DENSITY, 80, 20);
	plot = plot_of(&sample);
	assert_int_equal(plot->y.kind, CELL_SHARE);
	/* not weighted: each path reaches 1 by itself */
	series = series_of(plot, ROLE_A);
	assert_true(series->y[series->n - 1] == 1);
	assert_true(fabs(height_at(series_of(plot, ROLE_ALL), 450000) - 0.7) < 1e-9);

	sample.context.kind[PANEL_DENSITY] = 3;
	view_sample_build(&sample, PANEL_DENSITY, 80, 20);
	plot = plot_of(&sample);
	assert_true(plot->x.log && plot->y.log);
	assert_int_equal(plot->y.kind, CELL_PROBABILITY);
	assert_true(plot->y.low <= 1.0 / N && plot->y.low > 0.1 / N);
	assert_true(fabs(height_at(series_of(plot, ROLE_ALL), 450000) - 0.3) < 1e-9);
	/* the whole tail is in sight */
	assert_true(plot->x.high >= 599000);
	sample.context.log_x[PANEL_DENSITY] = true;
	sample.context.log_y[PANEL_DENSITY] = true;
	view_sample_build(&sample, PANEL_DENSITY, 80, 20);
	assert_false(plot_of(&sample)->x.log || plot_of(&sample)->y.log);
	view_sample_release(&sample);
}

/* The title tells what is not in sight. */
static void test_beyond(void **state)
{
	struct view_sample sample;
	uint64_t ns[1000];

	(void)state;
	for (int i = 0; i < 1000; i++)
		ns[i] = i % 40 ? 300000 + (uint64_t)i * 100 : 9000000;
	view_sample_init(&sample, ns, NULL, NULL, 1000);
	view_sample_build(&sample, PANEL_DENSITY, 80, 20);
	/* 25 of 1,000 are far out; a range up to 98% of them must reach there */
	assert_true(plot_of(&sample)->x.high >= 9000000);
	for (int i = 0; i < 1000; i++)
		sample.call.duration_ns[i] = i % 100 ? 300000 + (uint64_t)i * 100 : 9000000;
	view_sample_build(&sample, PANEL_DENSITY, 80, 20);
	assert_true(plot_of(&sample)->x.high < 500000);
	assert_true(view_sample_says(&sample, "of openat   29"));
	assert_true(view_sample_says(&sample, "(1.0% beyond)\n"));
	assert_true(view_sample_says(&sample, "max 9.00 ms"));
	view_sample_release(&sample);
}

static void test_zoom_and_marks(void **state)
{
	struct view_sample sample;
	double low, high;
	bool found = false;

	(void)state;
	two_paths_init(&sample);
	view_sample_build(&sample, PANEL_DENSITY, 80, 20);
	low = plot_of(&sample)->x.low;
	high = plot_of(&sample)->x.high;
	sample.context.zoom_low = 0.5;
	sample.context.deadline_ns = 550000;
	view_sample_build(&sample, PANEL_DENSITY, 80, 20);
	assert_true(fabs(plot_of(&sample)->x.low - (low + high) / 2) < 1);
	assert_true(fabs(plot_of(&sample)->x.high - high) < 1);
	assert_true(view_sample_says(&sample, "70.0% beyond)"));
	for (uint32_t i = 0; i < plot_of(&sample)->n_marks; i++)
		found |= plot_of(&sample)->marks[i].at == 550000 &&
			 !strcmp(plot_of(&sample)->marks[i].label, "deadline");
	assert_true(found);
	assert_true(view_sample_says(&sample, "deadline 550 us"));
	view_sample_release(&sample);
}

static void test_figures(void **state)
{
	struct view_sample sample;
	const struct view_table *table;

	(void)state;
	two_paths_init(&sample);
	sample.context.zoomed = true;
	view_sample_build(&sample, PANEL_DENSITY, 120, 34);
	table = &view_sample_block(&sample, BLOCK_TABLE, 0)->table;
	assert_int_equal(view_table_cell(table, "openat", "executions")->count, 1000);
	assert_int_equal(view_table_cell(table, "A 012345", "executions")->count, 700);
	assert_true(view_table_cell(table, "B fedcba", "min")->number == 500000);
	assert_true(view_table_cell(table, "B fedcba", "max")->number == 599000);
	view_sample_release(&sample);
}

static void test_waiting_and_empty(void **state)
{
	struct view_sample sample;
	uint64_t ns[2] = {1000, 2000};
	uint8_t flags[2] = {EXECUTION_DISTURBED, EXECUTION_DISTURBED};

	(void)state;
	two_paths_init(&sample);
	sample.late = true;
	view_sample_build(&sample, PANEL_DENSITY, 80, 20);
	assert_true(sample.panel.pending);
	assert_string_equal(plot_of(&sample)->empty, "computing");
	assert_int_equal(plot_of(&sample)->n_series, 0);
	view_sample_release(&sample);

	view_sample_init(&sample, ns, NULL, flags, 2);
	view_sample_build(&sample, PANEL_DENSITY, 80, 20);
	assert_int_equal(plot_of(&sample)->n_series, 0);
	assert_true(view_sample_says(&sample, "A 012345 none undisturbed"));
	view_sample_release(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_histogram_adds_up),
		cmocka_unit_test(test_one_path_has_bars),
		cmocka_unit_test(test_cumulative),
		cmocka_unit_test(test_beyond),
		cmocka_unit_test(test_zoom_and_marks),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_waiting_and_empty),
	};

	gsl_set_error_handler_off();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
