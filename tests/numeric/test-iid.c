/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of dependence, distribution and fit, and unseen paths, against the reference tables. */
#include "reference.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evtop/stats.h"

/* The data sets by the short names of that table. */
static bool read_short(const char *name, struct series *series)
{
	static const char *const full[] = {"portpirie",		 "venice_r1",
					   "s01_gumbel_2000",	 "s13_exec_drift_20k",
					   "s14_exec_shift_20k", "s17_ar1_500"};
	size_t length = strcspn(name, " _");

	for (size_t i = 0; i < COUNT_OF(full); i++)
		if (!strncmp(full[i], name, length))
			return series_read(full[i], series);
	return false;
}

enum { ACF, LJUNG_BOX, KS_EXACT, KS_ASYMPTOTIC, RUNS, KENDALL, ANDERSON, RATIO, N_TESTS };

struct case_of_row {
	const struct table *table;
	size_t row;
	struct series series;
	double statistic, p;
	char name[200];
	struct worst *of_statistic, *of_p;
};

static size_t lag_of(const struct case_of_row *c)
{
	return (size_t)atoi(table_text(c->table, c->row, "param") + strlen("lag="));
}

static void compare_p(const struct case_of_row *c, size_t kind, double p)
{
	/* 0 in the table is an underflow: no digits to hold against */
	if (!isnan(c->p) && c->p > 0)
		compare(&c->of_p[kind], p, c->p, 0, c->name);
}

static void try_acf(const struct case_of_row *c)
{
	double r[N_LAGS];

	stats_autocorrelation(c->series.x, c->series.n, r, N_LAGS);
	compare(&c->of_statistic[ACF], r[lag_of(c) - 1], c->statistic, 0, c->name);
}

/* Of an even number of degrees of freedom it has a closed form. */
static double even_chi2_tail(double q, size_t df)
{
	double sum = 0, term = 1;

	for (size_t k = 0; k < df / 2; k++) {
		sum += term;
		term *= q / 2 / (double)(k + 1);
	}
	return exp(-q / 2) * sum;
}

static void try_ljung_box(const struct case_of_row *c)
{
	double r[N_LAGS];
	struct test test;

	stats_autocorrelation(c->series.x, c->series.n, r, N_LAGS);
	test = stats_ljung_box(r, c->series.n, lag_of(c));
	compare(&c->of_statistic[LJUNG_BOX], test.statistic, c->statistic, 0, c->name);
	/* theirs is 1 - F: right to 1e-16, not to so many digits */
	compare(&c->of_p[LJUNG_BOX], test.p, c->p, 1e-6, c->name);
	compare(&c->of_p[LJUNG_BOX], exp(test.log_p), test.p, 0, c->name);
	if (lag_of(c) % 2 == 0)
		compare(&c->of_p[LJUNG_BOX], test.p, even_chi2_tail(test.statistic, lag_of(c)), 0,
			c->name);
}

/* Cuts the sample in two as the row says, both sorted. */
static void cut(const struct case_of_row *c, double **a, size_t *n_a, double **b, size_t *n_b)
{
	bool alternate = strstr(c->name, "odd/even") != NULL;

	*a = mem_alloc(c->series.n * sizeof **a);
	*b = mem_alloc(c->series.n * sizeof **b);
	*n_a = *n_b = 0;
	for (size_t i = 0; i < c->series.n; i++) {
		if (alternate ? i % 2 == 0 : i < c->series.n / 2)
			(*a)[(*n_a)++] = c->series.x[i];
		else
			(*b)[(*n_b)++] = c->series.x[i];
	}
	stats_sort_doubles(*a, *n_a);
	stats_sort_doubles(*b, *n_b);
}

static void try_ks(const struct case_of_row *c)
{
	bool exact = strstr(table_text(c->table, c->row, "param"), "exact=TRUE") != NULL;
	double *a, *b;
	size_t n_a, n_b;
	struct test test;

	cut(c, &a, &n_a, &b, &n_b);
	test = exact ? stats_ks_two(a, n_a, b, n_b) : stats_ks_two_asymptotic(a, n_a, b, n_b);
	compare(&c->of_statistic[exact ? KS_EXACT : KS_ASYMPTOTIC], test.statistic, c->statistic, 0,
		c->name);
	if (exact &&
	    n_a == 1000) /* the table has .689 of 1,000 draws; by counting paths in integers: */
		compare(&c->of_p[KS_EXACT], test.p, 0.6854967337920596, 0, c->name);
	else
		compare_p(c, exact ? KS_EXACT : KS_ASYMPTOTIC, test.p);
	if (!exact && n_a == 1000) /* the whole series */
		assert_true(fabs(test.p - 0.6852314029196169) < 1e-12);
	if (c->p == 0) {
		/* it underflows for them; ours has its logarithm, here by hand */
		double lambda2 = test.statistic * test.statistic * (double)n_a * (double)n_b /
				 (double)(n_a + n_b);

		assert_true(fabs(test.log_p - (log(2) - 2 * lambda2)) < 1e-9 * fabs(test.log_p));
		assert_true(isfinite(test.log_p));
	}
	free(a);
	free(b);
}

static void try_runs(const struct case_of_row *c)
{
	double *sorted = mem_alloc(c->series.n * sizeof *sorted);
	struct test test;

	memcpy(sorted, c->series.x, c->series.n * sizeof *sorted);
	stats_sort_doubles(sorted, c->series.n);
	test = stats_runs(c->series.x, c->series.n,
			  stats_quantile_doubles(sorted, c->series.n, 0.5));
	free(sorted);
	compare(&c->of_statistic[RUNS], test.statistic, c->statistic, 0, c->name);
	compare_p(c, RUNS, test.p);
}

static void try_kendall(const struct case_of_row *c)
{
	size_t step = strstr(c->name, "every 10th") ? 10 : 1, n = 0;
	double *x = mem_alloc(c->series.n * sizeof *x);
	struct test test;

	/* the 10th, the 20th ... */
	for (size_t i = step - 1; i < c->series.n; i += step)
		x[n++] = c->series.x[i];
	test = stats_mann_kendall(x, n);
	free(x);
	compare(&c->of_statistic[KENDALL], test.statistic, c->statistic, 0, c->name);
	compare_p(c, KENDALL, test.p);
}

static void try_anderson(const struct case_of_row *c)
{
	double *sorted = mem_alloc(c->series.n * sizeof *sorted);
	struct estimate estimate;

	memcpy(sorted, c->series.x, c->series.n * sizeof *sorted);
	stats_sort_doubles(sorted, c->series.n);
	stats_fit(sorted, c->series.n, strstr(c->name, "gumbel mle") ? MODEL_GUMBEL : MODEL_GEV,
		  ESTIMATOR_MLE, &estimate);
	compare(&c->of_statistic[ANDERSON],
		stats_anderson_darling(sorted, c->series.n, estimate.model, estimate.theta),
		c->statistic, 0, c->name);
	free(sorted);
}

static void try_ratio(const struct case_of_row *c)
{
	struct estimate gev, gumbel;
	double statistic;

	stats_fit(c->series.x, c->series.n, MODEL_GEV, ESTIMATOR_MLE, &gev);
	stats_fit(c->series.x, c->series.n, MODEL_GUMBEL, ESTIMATOR_MLE, &gumbel);
	statistic = 2 * (gev.log_likelihood - gumbel.log_likelihood);
	compare(&c->of_statistic[RATIO], statistic, c->statistic, 0, c->name);
	compare_p(c, RATIO, stats_likelihood_ratio_p(statistic));
}

static const struct {
	const char *test;
	void (*run)(const struct case_of_row *c);
} kinds[] = {
	{"acf", try_acf},
	{"ljung-box", try_ljung_box},
	{"ks2", try_ks},
	{"runs(median)", try_runs},
	{"mann-kendall(tau-b)", try_kendall},
	{"anderson-darling", try_anderson},
	{"LRT gev vs gumbel", try_ratio},
};

static void every_test(void **state)
{
	struct worst of_statistic[N_TESTS] = {
		{.what = "autocorrelation", .tolerance = 1e-12},
		{.what = "Ljung-Box Q", .tolerance = 1e-12},
		{.what = "KS distance (exact)", .tolerance = 1e-12},
		{.what = "KS distance", .tolerance = 1e-12},
		{.what = "runs z", .tolerance = 1e-12},
		{.what = "Kendall tau-b", .tolerance = 1e-12},
		{.what = "Anderson-Darling", .tolerance = 1e-7},
		/* a difference of likelihoods of 7,800 that agree to 1e-13 */
		{.what = "likelihood ratio", .tolerance = 1e-6},
	};
	struct worst of_p[N_TESTS] = {
		[LJUNG_BOX] = {.what = "p of Ljung-Box", .tolerance = 1e-9},
		[KS_EXACT] = {.what = "p of KS (exact)", .tolerance = 1e-9},
		/* R ends the series where its terms are 1e-8 */
		[KS_ASYMPTOTIC] = {.what = "p of KS (asymptotic)", .tolerance = 1e-8},
		[RUNS] = {.what = "p of runs", .tolerance = 1e-9},
		[KENDALL] = {.what = "p of Kendall", .tolerance = 1e-9},
		[RATIO] = {.what = "p of likelihood ratio", .tolerance = 1e-6},
	};
	struct table table;
	size_t n_others = 0;

	(void)state;
	if (!table_read("tests/iid_gof_reference.csv", &table))
		skip();
	for (size_t row = 0; row < table.n_rows; row++) {
		struct case_of_row c = {.table = &table, .row = row};
		size_t kind = 0;

		while (kind < COUNT_OF(kinds) &&
		       strcmp(kinds[kind].test, table_text(&table, row, "test")))
			kind++;
		if (kind == COUNT_OF(kinds)) {
			n_others++;
			continue;
		}
		assert_true(read_short(table_text(&table, row, "data"), &c.series));
		c.statistic = table_number(&table, row, "stat");
		c.p = table_number(&table, row, "p");
		c.of_statistic = of_statistic;
		c.of_p = of_p;
		snprintf(c.name, sizeof c.name, "%.20s %.40s %.40s",
			 table_text(&table, row, "test"), table_text(&table, row, "data"),
			 table_text(&table, row, "param"));
		kinds[kind].run(&c);
		series_release(&c.series);
	}
	print_message("%zu rows, %zu of tests that evtop does not make\n", table.n_rows, n_others);
	table_release(&table);
	assert_worst(of_statistic, N_TESTS);
	assert_worst(of_p + LJUNG_BOX, 4);
	assert_worst(of_p + KENDALL, 1);
	assert_worst(of_p + RATIO, 1);
}

/* p of Anderson-Darling by bootstrap with refit, each the mean of ten seeds. */
static void anderson_darling_by_refit(void **state)
{
	/* Of tests/ad_bootstrap.txt, 3000 refits: +- .009. */
	static const struct {
		const char *dataset;
		double statistic, p;
	} rows[] = {
		{"portpirie", 0.154356, 0.94169},
		{"venice_r1", 0.331867, 0.36088},
		{"s15_maxima_tick_300", 5.616569, 0.00033},
	};
	const int n_seeds = 10;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct series series;
		struct estimate estimate;
		double statistic, p = 0, error;
		size_t refits;

		if (!series_read(rows[i].dataset, &series))
			skip();
		stats_sort_doubles(series.x, series.n);
		stats_fit(series.x, series.n, MODEL_GEV, ESTIMATOR_MLE, &estimate);
		statistic = stats_anderson_darling(series.x, series.n, MODEL_GEV, estimate.theta);
		for (int seed = 1; seed <= n_seeds; seed++)
			p += stats_anderson_darling_p(&estimate, statistic, 0, (uint64_t)seed, NULL,
						      &refits) /
			     n_seeds;
		error = 1.96 * sqrt(rows[i].p * (1 - rows[i].p) * (1.0 / 3000 + 1.0 / 9990));
		print_message("%-20s A2 %.6f (%.6f), p %.4f (%.4f +- %.4f), %zu refits\n",
			      rows[i].dataset, statistic, rows[i].statistic, p, rows[i].p, error,
			      refits);
		/* their parameters come of Nelder-Mead, good to 5 digits */
		assert_true(fabs(statistic - rows[i].statistic) < 1e-4 * rows[i].statistic);
		/* no p is below 1/(1 + refits) */
		assert_true(fabs(p - rows[i].p) < fmax(error, 1.0 / 999));
		assert_true(stats_anderson_darling_p(&estimate, statistic, 0, 7, NULL, &refits) ==
			    stats_anderson_darling_p(&estimate, statistic, 0, 7, NULL, &refits));
		/* s15 is a Gumbel cut down to ticks of 1: told so, the test has nothing to say */
		if (rows[i].p < 0.01) {
			stats_fit_ticks(series.x, series.n, MODEL_GEV, 1, &estimate);
			p = stats_anderson_darling_p(&estimate, statistic, 1, 7, NULL, &refits);
			print_message("                     with its ticks p %.3f\n", p);
			assert_true(p > 0.05);
		}
		series_release(&series);
	}
}

/* How often each species was seen, in s18 or its first rows. */
static uint32_t *count_species(const char *name, size_t *n)
{
	struct series series;
	size_t most = !strcmp(name, "s18_zipf_first2000") ? 2000 : SIZE_MAX;
	uint32_t *count;

	assert_true(series_read("s18_pathids_zipf_20k", &series));
	*n = 0;
	for (size_t i = 0; i < series.n; i++)
		*n = fmax((double)*n, series.x[i] + 1);
	count = mem_zero(*n, sizeof *count);
	for (size_t i = 0; i < series.n && i < most; i++)
		count[(size_t)series.x[i]]++;
	series_release(&series);
	return count;
}

/* Counts with the same n, S, f1 and f2 as published ones whose list is not at hand. */
static uint32_t *invent_species(const struct table *table, size_t row, size_t *n)
{
	uint32_t total = (uint32_t)table_number(table, row, "n"), *count;
	uint32_t f1 = (uint32_t)table_number(table, row, "f1");
	uint32_t f2 = (uint32_t)table_number(table, row, "f2");

	*n = (size_t)table_number(table, row, "S_obs");
	count = mem_zero(*n, sizeof *count);
	for (size_t i = 0; i < *n; i++) {
		count[i] = i < f1 ? 1 : i < f1 + f2 ? 2 : 3;
		total -= count[i];
	}
	count[*n - 1] += total;
	return count;
}

static void unseen_paths(void **state)
{
	struct worst worst[] = {
		{.what = "unseen mass", .tolerance = 1e-12},
		{.what = "Esty's interval", .tolerance = 1e-9},
		{.what = "Chao1", .tolerance = 1e-12},
		{.what = "Chao1's interval", .tolerance = 1e-9},
		{.what = "a path never seen", .tolerance = 1e-12},
	};
	struct table table;

	(void)state;
	if (!table_read("spc/spc_reference.csv", &table))
		skip();
	for (size_t row = 0; row < table.n_rows; row++) {
		const char *name = table_text(&table, row, "data");
		const char *what = table_text(&table, row, "quantity");
		double value = table_number(&table, row, "value");
		double lower = table_number(&table, row, "lo95");
		double upper = table_number(&table, row, "hi95");
		struct unseen unseen;
		uint32_t *count;
		size_t n;

		if (!strcmp(name, "s18_TRUE"))
			continue;
		count = strncmp(name, "s18", 3) ? invent_species(&table, row, &n)
						: count_species(name, &n);
		stats_unseen(count, n, 0.95, &unseen);
		free(count);
		assert_int_equal(unseen.n, (uint64_t)table_number(&table, row, "n"));
		assert_int_equal(unseen.n_seen, (uint64_t)table_number(&table, row, "S_obs"));
		if (!strcmp(what, "good_turing_unseen_mass"))
			compare(&worst[0], unseen.mass, value, 0, name);
		if (!strcmp(what, "gt_mass_se_esty")) {
			compare(&worst[1], unseen.mass_ci.lower, lower, 0, name);
			compare(&worst[1], unseen.mass_ci.upper, upper, 0, name);
		}
		if (!strcmp(what, "chao1_S")) {
			compare(&worst[2], unseen.chao1, value, 0, name);
			compare(&worst[3], unseen.chao1_ci.lower, lower, 0, name);
			compare(&worst[3], unseen.chao1_ci.upper, upper, 0, name);
		}
		if (!strcmp(what, "single_unseen_path_upper95"))
			compare(&worst[4], unseen.new_path_upper, value, 0, name);
	}
	table_release(&table);
	assert_worst(worst, COUNT_OF(worst));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_test),
		cmocka_unit_test(anderson_darling_by_refit),
		cmocka_unit_test(unseen_paths),
	};

	gsl_set_error_handler_off();
	return cmocka_run_group_tests_name("iid", tests, NULL, NULL);
}
