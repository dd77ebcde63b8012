/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The panel of the assumptions, on series whose dependence is known. */
#include "view-sample.h"
#include "../numeric/reference.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct view_plot *plot_of(const struct view_sample *sample)
{
	const struct view_block *block = view_sample_block(sample, BLOCK_PLOT, 0);

	assert_non_null(block);
	return &block->plot;
}

static double reference_of(const char *test, const char *param, const char *column)
{
	struct table table;
	double found = NAN;

	if (!table_read("tests/iid_gof_reference.csv", &table))
		skip();
	for (size_t i = 0; i < table.n_rows; i++)
		if (!strncmp(table_text(&table, i, "data"), "s17", 3) &&
		    !strcmp(table_text(&table, i, "test"), test) &&
		    !strcmp(table_text(&table, i, "param"), param))
			found = table_number(&table, i, column);
	table_release(&table);
	return found;
}

/* A Gaussian AR(1) of 0.3: R's acf and Box.test say so. */
static void test_reference(void **state)
{
	static const int lags[] = {1, 2, 3, 5, 10, 20};
	struct view_sample sample;
	struct series series;
	const struct view_plot *plot;
	const struct view_table *table;
	uint64_t *ns;

	(void)state;
	if (!series_read("s17_ar1_500", &series))
		skip();
	ns = mem_alloc(series.n * sizeof *ns);
	for (size_t i = 0; i < series.n; i++)
		ns[i] = (uint64_t)llround((series.x[i] + 100) * 1e6);
	view_sample_init(&sample, ns, NULL, NULL, (uint32_t)series.n);
	sample.settings.block_size = 5;
	view_sample_build(&sample, PANEL_IID, 80, 24);
	plot = plot_of(&sample);
	for (size_t i = 0; i < COUNT_OF(lags); i++) {
		char param[16];
		double right;

		snprintf(param, sizeof param, "lag=%d", lags[i]);
		right = reference_of("acf", param, "stat");
		assert_true(plot->series[0].x[lags[i] - 1] == lags[i]);
		assert_true(fabs(plot->series[0].y[lags[i] - 1] - right) < 1e-5);
	}
	assert_true(fabs(plot->marks[0].at - 1.96 / sqrt(500)) < 1e-4);
	assert_true(plot->marks[1].at == -plot->marks[0].at);
	table = &view_sample_block(&sample, BLOCK_TABLE, 0)->table;
	assert_true(fabs(view_table_cell(table, "executions", "lag10")->number /
				 reference_of("ljung-box", "lag=10", "p") -
			 1) < 1e-3);
	assert_true(fabs(view_table_cell(table, "executions", "q10")->number -
			 reference_of("ljung-box", "lag=10", "stat")) < 1e-3);
	assert_string_equal(view_table_cell(table, "executions", "verdict")->text, "rejected");
	assert_true(view_sample_says(&sample, "not independent: "));
	view_sample_release(&sample);
	series_release(&series);
	free(ns);
}

static void shuffled_init(struct view_sample *sample, uint32_t n)
{
	uint64_t *ns = mem_alloc(n * sizeof *ns);

	view_sample_law(MODEL_GUMBEL, 300e3, 10e3, 0, ns, n);
	view_sample_init(sample, ns, NULL, NULL, n);
	sample->settings.block_size = 20;
	free(ns);
}

static void test_good(void **state)
{
	struct view_sample sample;
	struct text line = {0};

	(void)state;
	shuffled_init(&sample, 2000);
	view_sample_build(&sample, PANEL_IID, 100, 30);
	assert_true(view_sample_says(&sample, "\nindependent: "));
	assert_true(view_sample_says(&sample, "\nidentically distributed: "));
	view_line_text(&sample.panel.condensed, &line);
	assert_string_equal(line.bytes, "ok\n");
	text_release(&line);
	view_sample_release(&sample);
}

/* Sorted: every neighbour is alike and the halves have nothing in common. */
static void test_drift(void **state)
{
	struct view_sample sample;
	struct text line = {0};
	const struct view_table *table;

	(void)state;
	shuffled_init(&sample, 2000);
	stats_sort(sample.call.duration_ns, NULL, 2000);
	view_sample_build(&sample, PANEL_IID, 100, 30);
	assert_true(view_sample_says(&sample, "\nnot independent: "));
	assert_true(view_sample_says(&sample, "\nnot identically distributed: "));
	/* sorted: the last one is the longest */
	assert_true(view_sample_says(&sample, "they grow longer"));
	/* where there is little room, what follows from it stays before which test said so */
	view_sample_build(&sample, PANEL_IID, 70, 12);
	assert_false(view_sample_says(&sample, "(KS D "));
	assert_true(view_sample_says(&sample, " for neither\n"));
	view_line_text(&sample.panel.condensed, &line);
	assert_string_equal(line.bytes, "dependent, not identical\n");
	text_release(&line);
	table = &view_sample_block(&sample, BLOCK_TABLE, 1)->table;
	for (uint32_t i = 0; i < table->n_rows; i++)
		assert_true(table->rows[i].flags & ROW_WARNING);
	assert_true(view_sample_says(&sample, "drift, executions <.001 rejected "));
	view_sample_release(&sample);
}

static void test_too_few(void **state)
{
	struct view_sample sample;
	struct text line = {0};

	(void)state;
	shuffled_init(&sample, 12);
	view_sample_build(&sample, PANEL_IID, 80, 20);
	assert_true(view_sample_says(&sample, "\nindependent? "));
	view_line_text(&sample.panel.condensed, &line);
	assert_string_equal(line.bytes, "too few values\n");
	text_release(&line);
	view_sample_release(&sample);
}

static void test_waiting(void **state)
{
	struct view_sample sample;

	(void)state;
	shuffled_init(&sample, 100);
	sample.late = true;
	view_sample_build(&sample, PANEL_IID, 80, 20);
	assert_true(sample.panel.pending);
	assert_true(view_sample_says(&sample, "testing"));
	view_sample_release(&sample);
}

static void test_kinds(void **state)
{
	static const char *const words[] = {"autocorrelation of executions",
					    "autocorrelation of execution ranks",
					    "autocorrelation of block maxima", "order of arrival"};
	struct view_sample sample;

	(void)state;
	shuffled_init(&sample, 2000);
	for (size_t kind = 0; kind < COUNT_OF(words); kind++) {
		sample.context.kind[PANEL_IID] = (uint8_t)kind;
		view_sample_build(&sample, PANEL_IID, 80, 20);
		assert_true(view_sample_says(&sample, words[kind]));
	}
	/* 100 maxima of blocks of 20 */
	sample.context.kind[PANEL_IID] = 2;
	view_sample_build(&sample, PANEL_IID, 80, 20);
	assert_true(fabs(plot_of(&sample)->marks[0].at - 0.196) < 1e-4);
	/* both plots where there is room */
	sample.context.kind[PANEL_IID] = 0;
	sample.context.zoomed = true;
	view_sample_build(&sample, PANEL_IID, 120, 40);
	assert_non_null(view_sample_block(&sample, BLOCK_PLOT, 1));
	view_sample_release(&sample);
}

/* However many they are, the longest one is drawn where it was. */
static void test_sequence_keeps_extremes(void **state)
{
	struct view_sample sample;
	const struct view_series *series;
	bool longest = false, shortest = false;

	(void)state;
	shuffled_init(&sample, 50000);
	sample.call.duration_ns[31415] = 9000000;
	sample.call.duration_ns[27182] = 17;
	sample.context.kind[PANEL_IID] = 3;
	view_sample_build(&sample, PANEL_IID, 80, 24);
	series = &plot_of(&sample)->series[0];
	assert_true(series->n <= 5000);
	for (uint32_t i = 0; i < series->n; i++) {
		longest |= series->x[i] == 31416 && series->y[i] == 9000000;
		shortest |= series->x[i] == 27183 && series->y[i] == 17;
	}
	assert_true(longest && shortest);
	assert_true(plot_of(&sample)->y.log);
	sample.context.log_y[PANEL_IID] = true;
	view_sample_build(&sample, PANEL_IID, 80, 24);
	assert_false(plot_of(&sample)->y.log);
	view_sample_release(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reference),
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_drift),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_waiting),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_sequence_keeps_extremes),
	};

	gsl_set_error_handler_off();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
