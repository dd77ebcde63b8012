/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Are the executions independent and identically distributed, and what if not? */
#include "fit-internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TREND_POINTS 20000 /* the trend is looked for in as many at most */
#define LEAST_VALUES 20

static bool stopped(stats_stop stop)
{
	return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

static const uint32_t ljung_box_lags[] = {1, 5, 10, 20};

static struct test_row *add_row(struct test_results *results, enum test_kind kind, enum test_on on,
				uint32_t lag, const struct test *test)
{
	struct test_row *row = &results->rows[results->n_rows++];

	*row = (struct test_row){.kind = kind,
				 .on = on,
				 .lag = lag,
				 .statistic = test->statistic,
				 .p = test->p,
				 .log_p = test->log_p,
				 .n = test->n};
	return row;
}

static void correlate(const double *values, size_t n, enum test_on on,
		      struct autocorrelation *correlation, struct test_results *results)
{
	*correlation = (struct autocorrelation){.n = n};
	stats_autocorrelation(values, n, correlation->lags, N_LAGS);
	for (size_t i = 0; i < N_LAGS; i++)
		correlation->max_abs = fmax(correlation->max_abs, fabs(correlation->lags[i]));
	correlation->band = n ? 1.96 / sqrt((double)n) : NAN;
	/* whole ones, so that every place shows the same */
	correlation->effective_size = rint(stats_effective_size(correlation->lags, N_LAGS, n));
	for (size_t i = 0; i < COUNT_OF(ljung_box_lags); i++) {
		struct test test = {NAN, NAN, NAN, n};

		/* 20 lags of 21 values say nothing, nor does a constant */
		if (n >= LEAST_VALUES && n > 2 * ljung_box_lags[i] && correlation->max_abs > 0)
			test = stats_ljung_box(correlation->lags, n, ljung_box_lags[i]);
		add_row(results, TEST_LJUNG_BOX, on, ljung_box_lags[i], &test);
	}
}

/* A series with its order: sorted once, for ranks, halves, median and trend alike. */
struct series {
	size_t n;
	double *value, *rank;
	uint32_t *order;
};

/* Takes value over. */
static void series_make(struct series *series, double *value, size_t n)
{
	series->n = n;
	series->value = value;
	series->rank = mem_alloc(n * sizeof *series->rank);
	series->order = mem_alloc(n * sizeof *series->order);
	stats_order(value, series->order, n);
	stats_ranks(value, series->order, series->rank, n);
}

static void series_release(struct series *series)
{
	free(series->value);
	free(series->rank);
	free(series->order);
}

/* Values and their ranks: with a heavy tail the values alone show nothing. */
static void correlate_both(const struct series *series, enum test_on on,
			   struct autocorrelation *of_values, struct autocorrelation *of_ranks,
			   struct test_results *results)
{
	correlate(series->value, series->n, on, of_values, results);
	correlate(series->rank, series->n, on + 1, of_ranks, results);
}

/* Where the second half begins: of the campaigns, or of the executions of a single one. */
static size_t find_half(const struct sample *sample, const char **halves)
{
	uint32_t n_campaigns = 0, seen = 0;

	for (uint32_t i = 0; i < sample->n; i++)
		n_campaigns += i == 0 || sample->campaign[i] != sample->campaign[i - 1];
	*halves = n_campaigns > 1 ? "halves of the campaigns" : "halves of the executions";
	if (n_campaigns < 2)
		return sample->n / 2;
	for (uint32_t i = 0; i < sample->n; i++) {
		seen += i == 0 || sample->campaign[i] != sample->campaign[i - 1];
		if (seen > n_campaigns / 2)
			return i;
	}
	return sample->n;
}

static void compare_halves(const struct series *series, const struct sample *sample,
			   struct test_results *results)
{
	size_t n = series->n, half = find_half(sample, &results->halves), at[2] = {0, half};
	double *sorted = mem_alloc(n * sizeof *sorted);
	struct test test = {NAN, NAN, NAN, n};

	for (size_t i = 0; i < n; i++) {
		uint32_t place = series->order[i];

		sorted[at[place >= half]++] = series->value[place];
	}
	if (n >= LEAST_VALUES)
		test = stats_ks_two(sorted, half, sorted + half, n - half);
	results->ks_halves = results->n_rows;
	add_row(results, TEST_KS_HALVES, ON_EXECUTIONS, 0, &test);
	free(sorted);
}

/*
 * Trend of the executions; of many, of the mean ranks of so many consecutive
 * ones: a drift shows as well there, and at a hundredth of the cost.
 */
static void find_trend(const struct series *series, struct test_results *results)
{
	size_t block = series->n / TREND_POINTS + 1, n = series->n / block;
	double *mean = mem_zero(n, sizeof *mean);
	struct test test;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < block; j++)
			mean[i] += series->rank[i * block + j];
	test = stats_mann_kendall(mean, n);
	add_row(results, TEST_MANN_KENDALL, ON_EXECUTIONS, 0, &test);
	free(mean);
}

static void count_runs(const struct series *series, struct test_results *results)
{
	size_t n = series->n;
	struct test test = {NAN, NAN, NAN, n};

	if (n)
		test = stats_runs(series->value, n,
				  0.5 * (series->value[series->order[(n - 1) / 2]] +
					 series->value[series->order[n / 2]]));
	results->runs = results->n_rows;
	add_row(results, TEST_RUNS, ON_EXECUTIONS, 0, &test);
}

static void apply_holm(struct test_results *results)
{
	double p[N_TEST_ROWS_MAX];
	bool rejected[N_TEST_ROWS_MAX];

	for (size_t i = 0; i < results->n_rows; i++)
		p[i] = results->rows[i].p;
	stats_holm(p, results->n_rows, TEST_LEVEL, rejected);
	for (size_t i = 0; i < results->n_rows; i++)
		results->rows[i].rejected = rejected[i];
}

/* ---- verdicts ---- */

/* Rows of a kind on values or ranks of something: made, rejected, the smallest p. */
struct lag_tally {
	size_t n, n_rejected;
	const struct test_row *strongest;
};

static struct lag_tally tally_of(const struct test_results *results, enum test_kind kind,
				 enum test_on on)
{
	struct lag_tally tally = {0};

	for (size_t i = 0; i < results->n_rows; i++) {
		const struct test_row *row = &results->rows[i];

		if (row->kind != kind || (row->on != on && row->on != on + 1) || isnan(row->p))
			continue;
		tally.n++;
		tally.n_rejected += row->rejected;
		if (!tally.strongest || row->log_p < tally.strongest->log_p)
			tally.strongest = row;
	}
	return tally;
}

/* p of a row for a sentence. */
static const char *p_text(const struct test_row *row, char out[NUMBER_SIZE])
{
	if (row->p >= 1e-300)
		snprintf(out, NUMBER_SIZE, "p %.2g", row->p);
	else
		snprintf(out, NUMBER_SIZE, "p <1e-300");
	return out;
}

/* What a row was computed from. */
static const struct autocorrelation *correlation_of(const struct test_results *results,
						    const struct test_row *row)
{
	switch (row->on) {
	case ON_EXECUTIONS:
		return &results->executions;
	case ON_EXECUTION_RANKS:
		return &results->execution_ranks;
	case ON_MAXIMA:
		return &results->maxima;
	default:
		return &results->maxima_ranks;
	}
}

/* "Ljung-Box of ranks, lag 20, p 1.4e-217, max |r| 0.17": all of the same series. */
static const char *ljung_box_text(const struct test_results *results, const struct test_row *row,
				  char *out, size_t size)
{
	bool ranks = row->on == ON_EXECUTION_RANKS || row->on == ON_MAXIMA_RANKS;
	char p[NUMBER_SIZE];

	snprintf(out, size, "Ljung-Box%s, lag %u, %s, max |r| %.2g", ranks ? " of ranks" : "",
		 row->lag, p_text(row, p), correlation_of(results, row)->max_abs);
	return out;
}

/* Why the maxima were not tested. */
static const char *untested_maxima(const struct test_results *results, char *out, size_t size)
{
	if (results->maxima.n < LEAST_VALUES)
		snprintf(out, size, "too few maxima to test them");
	else
		snprintf(out, size, "all %" PRIu64 " maxima are equal: nothing to test in them",
			 results->maxima.n);
	return out;
}

/* Maxima that no test rejects need not be independent: how far they could be from it. */
static const char *quiet_maxima(const struct test_results *results, char *out, size_t size)
{
	const struct autocorrelation *values = &results->maxima, *ranks = &results->maxima_ranks;
	double max_abs = fmax(values->max_abs, ranks->max_abs);

	if (max_abs > values->band)
		snprintf(out, size,
			 "no test rejects the %" PRIu64 " maxima, yet max |r| %.2g is over the "
			 "band of %.2g",
			 values->n, max_abs, values->band);
	else
		snprintf(out, size, "not seen in the %" PRIu64 " maxima (max |r| %.2g, band %.2g)",
			 values->n, max_abs, values->band);
	return out;
}

static void say_maxima_depend(struct test_results *results, const struct test_row *row)
{
	struct assumption *verdict = &results->independent;
	bool hidden = results->maxima.effective_size >= (double)results->maxima.n;
	char test[120];

	snprintf(verdict->reason, sizeof verdict->reason,
		 "the maxima depend on each other (%s): intervals are too narrow; try larger "
		 "blocks%s",
		 ljung_box_text(results, row, test, sizeof test),
		 hidden ? "; the effective size does not show it" : "");
}

static void say_executions_depend(struct test_results *results, const struct test_row *row,
				  bool tested_maxima)
{
	struct assumption *verdict = &results->independent;
	char test[120], maxima[120];

	ljung_box_text(results, row, test, sizeof test);
	if (tested_maxima)
		snprintf(verdict->reason, sizeof verdict->reason,
			 "executions depend on each other (%s); %s: levels per execution may be "
			 "too low",
			 test, quiet_maxima(results, maxima, sizeof maxima));
	else
		snprintf(verdict->reason, sizeof verdict->reason,
			 "executions depend on each other (%s), %s", test,
			 untested_maxima(results, maxima, sizeof maxima));
}

static void judge_independence(struct test_results *results)
{
	struct assumption *verdict = &results->independent;
	struct lag_tally executions = tally_of(results, TEST_LJUNG_BOX, ON_EXECUTIONS);
	struct lag_tally maxima = tally_of(results, TEST_LJUNG_BOX, ON_MAXIMA);
	const struct test_row *runs = &results->rows[results->runs];
	char text[120];

	verdict->known = executions.n > 0;
	verdict->rejected = executions.n_rejected || maxima.n_rejected || runs->rejected;
	if (!verdict->known && results->executions.n >= LEAST_VALUES)
		snprintf(verdict->reason, sizeof verdict->reason,
			 "all %" PRIu64 " executions are equal: nothing to test",
			 results->executions.n);
	else if (!verdict->known)
		snprintf(verdict->reason, sizeof verdict->reason, "fewer than %d executions",
			 LEAST_VALUES);
	else if (!verdict->rejected)
		snprintf(verdict->reason, sizeof verdict->reason,
			 "no test rejects; max |r| %.2g on executions%s%s",
			 results->executions.max_abs, maxima.n ? "" : "; ",
			 maxima.n ? "" : untested_maxima(results, text, sizeof text));
	else if (maxima.n_rejected)
		say_maxima_depend(results, maxima.strongest);
	else if (executions.n_rejected)
		say_executions_depend(results, executions.strongest, maxima.n > 0);
	else
		snprintf(verdict->reason, sizeof verdict->reason,
			 "runs about the median are not random (z %.2f, %s): executions near in "
			 "time are alike",
			 runs->statistic, p_text(runs, text));
}

static void judge_identity(struct test_results *results)
{
	struct assumption *verdict = &results->identically_distributed;
	const struct test_row *halves = &results->rows[results->ks_halves];
	const struct test_row *trend = halves + 1; /* Mann-Kendall stands behind it */
	const char *direction = trend->statistic > 0 ? "longer" : "shorter";
	char p[NUMBER_SIZE];

	verdict->known = !isnan(halves->p);
	verdict->rejected = halves->rejected || trend->rejected;
	if (!verdict->known)
		snprintf(verdict->reason, sizeof verdict->reason, "fewer than %d executions",
			 LEAST_VALUES);
	else if (halves->rejected)
		snprintf(verdict->reason, sizeof verdict->reason,
			 "the %s differ (KS D %.2g, %s)%s%s: one fit mixes different conditions, "
			 "its levels hold for neither",
			 results->halves, halves->statistic, p_text(halves, p),
			 trend->rejected ? ", executions grow " : "",
			 trend->rejected ? direction : "");
	else if (trend->rejected)
		snprintf(verdict->reason, sizeof verdict->reason,
			 "executions grow %s as time goes by (Mann-Kendall tau %+.2g, %s): later "
			 "ones need not follow the fit",
			 direction, trend->statistic, p_text(trend, p));
	else
		snprintf(verdict->reason, sizeof verdict->reason, "the %s agree (KS D %.2g, %s)",
			 results->halves, halves->statistic, p_text(halves, p));
}

/* ---- the whole ---- */

static void test_maxima(const struct sample *sample, const struct settings *settings,
			struct test_results *results)
{
	uint32_t size = settings->block_size ? settings->block_size : 1;
	size_t m, used;
	double *maxima = block_maxima(sample, settings->block_unit, &size, &m, &used);
	struct series series;

	series_make(&series, maxima, m);
	correlate_both(&series, ON_MAXIMA, &results->maxima, &results->maxima_ranks, results);
	series_release(&series);
}

static void series_of_sample(struct series *series, const struct sample *sample)
{
	double *values = mem_alloc(sample->n * sizeof *values);

	for (uint32_t i = 0; i < sample->n; i++)
		values[i] = (double)sample->value_ns[i];
	series_make(series, values, sample->n);
}

bool tests_compute(const struct sample *sample, const struct settings *settings, stats_stop stop,
		   struct test_results *results)
{
	struct series series;

	*results = (struct test_results){.ks_halves = SIZE_MAX, .runs = SIZE_MAX};
	if (sample->tally)
		results->n_all = sample->tally->n;
	series_of_sample(&series, sample);
	if (!stopped(stop))
		correlate_both(&series, ON_EXECUTIONS, &results->executions,
			       &results->execution_ranks, results);
	if (!stopped(stop))
		test_maxima(sample, settings, results);
	if (!stopped(stop)) {
		compare_halves(&series, sample, results);
		find_trend(&series, results);
		count_runs(&series, results);
	}
	series_release(&series);
	if (stopped(stop)) {
		*results = (struct test_results){.ks_halves = SIZE_MAX, .runs = SIZE_MAX};
		return false;
	}
	apply_holm(results);
	judge_independence(results);
	judge_identity(results);
	return true;
}
