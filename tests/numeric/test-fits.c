/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every fit of the reference table: parameters, log-likelihood, errors, levels. */
#include "reference.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evtop/stats.h"

/* The data set, its maxima and their fit that a row of a table is about. */
struct subject {
	char dataset[64];
	struct series series;
	double *maxima;
	size_t n;
	struct estimate estimate;
	char name[120];
};

static void subject_release(struct subject *subject)
{
	series_release(&subject->series);
	free(subject->maxima);
	*subject = (struct subject){0};
}

static void subject_of_row(struct subject *subject, const struct table *table, size_t row)
{
	const char *dataset = table_text(table, row, "dataset");
	const char *model = table_text(table, row, "model");
	const char *estimator = table_text(table, row, "estimator");
	size_t b = (size_t)table_number(table, row, "B");

	if (strcmp(subject->dataset, dataset)) {
		subject_release(subject);
		snprintf(subject->dataset, sizeof subject->dataset, "%s", dataset);
		assert_true(series_read(dataset, &subject->series));
		subject->maxima = mem_alloc(subject->series.n * sizeof *subject->maxima);
	}
	/* the reference has taken the maxima of s16 already: its B is only told */
	if (!strcmp(dataset, "s16_maxima_58041"))
		b = 1;
	subject->n = series_maxima(&subject->series, b, subject->maxima);
	stats_fit(subject->maxima, subject->n, strcmp(model, "gumbel") ? MODEL_GEV : MODEL_GUMBEL,
		  strncmp(estimator, "lmom", 4) ? ESTIMATOR_MLE : ESTIMATOR_LMOMENTS,
		  &subject->estimate);
	snprintf(subject->name, sizeof subject->name, "%s B=%zu %s %s", dataset, b, model,
		 estimator);
}

enum { MU, SIGMA, XI, LIKELIHOOD, SE_MU, SE_SIGMA, SE_XI, COVARIANCES, N_FIT_COLUMNS };

static void compare_fit(struct worst *worst, const struct subject *subject,
			const struct table *table, size_t row)
{
	const struct estimate *e = &subject->estimate;
	const char *name = subject->name;
	double likelihood = table_number(table, row, "nllh");

	assert_int_equal(subject->n, (size_t)table_number(table, row, "m"));
	compare(&worst[MU], e->theta[LOCATION], table_number(table, row, "mu"), 0, name);
	compare(&worst[SIGMA], e->theta[SCALE], table_number(table, row, "sigma"), 0, name);
	/* xi passes through 0: its size is 1 where it is smaller */
	compare(&worst[XI], e->theta[SHAPE], table_number(table, row, "xi"), 1, name);
	if (!isnan(likelihood))
		compare(&worst[LIKELIHOOD], -e->log_likelihood, likelihood, 0, name);
	if (e->no_errors || isnan(table_number(table, row, "se_mu")))
		return;
	compare(&worst[SE_MU], e->standard_error[LOCATION], table_number(table, row, "se_mu"), 0,
		name);
	compare(&worst[SE_SIGMA], e->standard_error[SCALE], table_number(table, row, "se_sigma"), 0,
		name);
	compare(&worst[COVARIANCES], e->covariance[LOCATION][SCALE],
		table_number(table, row, "cov_mu_sigma"),
		e->standard_error[LOCATION] * e->standard_error[SCALE], name);
	if (e->n_parameters < 3)
		return;
	compare(&worst[SE_XI], e->standard_error[SHAPE], table_number(table, row, "se_xi"), 0,
		name);
	compare(&worst[COVARIANCES], e->covariance[SCALE][SHAPE],
		table_number(table, row, "cov_sigma_xi"),
		e->standard_error[SHAPE] * e->standard_error[SCALE], name);
	compare(&worst[COVARIANCES], e->covariance[LOCATION][SHAPE],
		table_number(table, row, "cov_mu_xi"),
		e->standard_error[LOCATION] * e->standard_error[SHAPE], name);
}

/*
 * The reference gives parameters also where they make the data impossible; we
 * refuse exactly those. Their parameters are compared from the L-moments.
 */
static void compare_refused(struct worst *worst, const struct subject *subject,
			    const struct table *table, size_t row)
{
	double lmoments[4], theta[3], *sorted = mem_alloc(subject->n * sizeof *sorted);

	memcpy(sorted, subject->maxima, subject->n * sizeof *sorted);
	stats_sort_doubles(sorted, subject->n);
	stats_lmoments(sorted, subject->n, lmoments);
	free(sorted);
	assert_true(stats_of_lmoments(subject->estimate.model, lmoments, theta));
	compare(&worst[MU], theta[LOCATION], table_number(table, row, "mu"), 0, subject->name);
	compare(&worst[SIGMA], theta[SCALE], table_number(table, row, "sigma"), 0, subject->name);
	compare(&worst[XI], theta[SHAPE], table_number(table, row, "xi"), 1, subject->name);
}

static void every_fit(void **state)
{
	struct worst worst[N_FIT_COLUMNS] = {
		{.what = "location", .tolerance = 1e-7},
		{.what = "scale", .tolerance = 1e-7},
		{.what = "shape (absolute)", .tolerance = 1e-7},
		{.what = "log-likelihood", .tolerance = 1e-7},
		{.what = "error of location", .tolerance = 1e-5},
		{.what = "error of scale", .tolerance = 1e-5},
		{.what = "error of shape", .tolerance = 1e-5},
		{.what = "covariances (of errors)", .tolerance = 1e-5},
	};
	struct subject subject = {0};
	struct table table;
	size_t n_left_out = 0, n_withheld = 0, n_refused = 0;

	(void)state;
	if (!table_read("fits/fits_A.csv", &table))
		skip();
	for (size_t row = 0; row < table.n_rows; row++) {
		/* Hosking's approximation is there to show its error */
		if (!strcmp(table_text(&table, row, "estimator"), "lmom_hosking85")) {
			n_left_out++;
			continue;
		}
		subject_of_row(&subject, &table, row);
		assert_int_equal(isinf(table_number(&table, row, "nllh")),
				 subject.estimate.refused[0] != '\0');
		if (subject.estimate.refused[0]) {
			n_refused++;
			compare_refused(worst, &subject, &table, row);
			continue;
		}
		n_withheld +=
			subject.estimate.no_errors && subject.estimate.estimator == ESTIMATOR_MLE;
		compare_fit(worst, &subject, &table, row);
	}
	print_message("%zu rows, %zu of Hosking's approximation left out, %zu refused, errors of "
		      "%zu withheld\n",
		      table.n_rows, n_left_out, n_refused, n_withheld);
	subject_release(&subject);
	table_release(&table);
	assert_worst(worst, N_FIT_COLUMNS);
}

/* The same for the two built in, from the table: always tested. */
static void built_in_fits(void **state)
{
	static const struct {
		const char *dataset;
		enum model model;
		enum estimator estimator;
		double theta[3], likelihood, error[3];
	} rows[] = {
		{"portpirie",
		 MODEL_GEV,
		 ESTIMATOR_MLE,
		 {3.874749855058516e+00, 1.980439571222131e-01, -5.010953151973296e-02},
		 -(-4.339058473679420e+00),
		 {2.793218071147913e-02, 2.024923888651113e-02, 9.825553243496880e-02}},
		{"portpirie",
		 MODEL_GUMBEL,
		 ESTIMATOR_MLE,
		 {3.869443543540058e+00, 1.948894463534699e-01, 0.000000000000000e+00},
		 -(-4.217681896261779e+00),
		 {2.549385646198453e-02, 1.885484436260370e-02, 0}},
		{"portpirie",
		 MODEL_GEV,
		 ESTIMATOR_LMOMENTS,
		 {3.873147622413526, 0.2032222857167818, -0.05121191736106017},
		 -(-4.294953299743688e+00),
		 {0, 0, 0}},
		{"portpirie",
		 MODEL_GUMBEL,
		 ESTIMATOR_LMOMENTS,
		 {3.868490916149923e+00, 1.942505640150784e-01, 0},
		 NAN,
		 {0, 0, 0}},
		{"venice_r1",
		 MODEL_GEV,
		 ESTIMATOR_MLE,
		 {1.110979229000492e+02, 1.717599317631956e+01, -7.672272659280933e-02},
		 -(2.227145296651119e+02),
		 {2.628061671713583e+00, 1.803546346435456e+00, 7.353371804358738e-02}},
		{"venice_r1",
		 MODEL_GUMBEL,
		 ESTIMATOR_MLE,
		 {1.103858056035087e+02, 1.700345270784884e+01, 0.000000000000000e+00},
		 -(2.231647323606718e+02),
		 {2.514628027781775e+00, 1.767646163736596e+00, 0}},
		{"venice_r1",
		 MODEL_GEV,
		 ESTIMATOR_LMOMENTS,
		 {111.0705530769001, 16.84260865156791, -0.07600234012599246},
		 -(2.227334908271270e+02),
		 {0, 0, 0}},
		{"venice_r1",
		 MODEL_GUMBEL,
		 ESTIMATOR_LMOMENTS,
		 {1.105024984647711e+02, 1.577459730590827e+01, 0},
		 NAN,
		 {0, 0, 0}},
	};
	struct worst worst[] = {{.what = "parameters", .tolerance = 1e-7},
				{.what = "log-likelihood", .tolerance = 1e-7},
				{.what = "errors", .tolerance = 1e-5}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct series series;
		struct estimate e;

		assert_true(series_read(rows[i].dataset, &series));
		stats_fit(series.x, series.n, rows[i].model, rows[i].estimator, &e);
		series_release(&series);
		assert_string_equal(e.refused, "");
		for (int j = 0; j < 3; j++)
			compare(&worst[0], e.theta[j], rows[i].theta[j], j == 2, rows[i].dataset);
		if (!isnan(rows[i].likelihood))
			compare(&worst[1], e.log_likelihood, rows[i].likelihood, 0,
				rows[i].dataset);
		for (int j = 0; j < e.n_parameters && !e.no_errors; j++)
			compare(&worst[2], e.standard_error[j], rows[i].error[j], 0,
				rows[i].dataset);
	}
	assert_worst(worst, COUNT_OF(worst));
}

static double y_of_row(const struct table *table, size_t row)
{
	double argument = table_number(table, row, "arg");

	return strcmp(table_text(table, row, "kind"), "p")
		       ? stats_y_of_period(argument)
		       : stats_y_of_probability(argument, table_number(table, row, "B"));
}

/* Levels and their intervals by the delta method, per block and per execution. */
static void every_level(void **state)
{
	struct worst worst[] = {
		{.what = "y", .tolerance = 1e-12},
		{.what = "level", .tolerance = 1e-6},
		{.what = "error of the level", .tolerance = 1e-5},
		{.what = "lower end (delta)", .tolerance = 1e-6},
		{.what = "upper end (delta)", .tolerance = 1e-6},
	};
	struct subject subject = {0};
	struct table table;

	(void)state;
	if (!table_read("fits/return_levels_A.csv", &table))
		skip();
	for (size_t row = 0; row < table.n_rows; row++) {
		double y = y_of_row(&table, row), estimate;
		struct bounds bounds;
		char name[200];

		subject_of_row(&subject, &table, row);
		estimate = table_number(&table, row, "estimate");
		snprintf(name, sizeof name, "%.120s %s=%s", subject.name,
			 table_text(&table, row, "kind"), table_text(&table, row, "arg"));
		compare(&worst[0], y, table_number(&table, row, "y"), 0, name);
		compare(&worst[1], stats_level(&subject.estimate, y), estimate, 0, name);
		if (isnan(table_number(&table, row, "se")))
			continue;
		if (subject.estimate.no_errors)
			continue;
		bounds = stats_level_delta(&subject.estimate, y, 0.95);
		compare(&worst[2], stats_level_error(&subject.estimate, y),
			table_number(&table, row, "se"), 0, name);
		/* an end may lie near 0 beside a large estimate */
		compare(&worst[3], bounds.lower, table_number(&table, row, "ci95_lo"),
			fabs(estimate), name);
		compare(&worst[4], bounds.upper, table_number(&table, row, "ci95_hi"),
			fabs(estimate), name);
	}
	print_message("%zu rows\n", table.n_rows);
	subject_release(&subject);
	table_release(&table);
	assert_worst(worst, COUNT_OF(worst));
}

/* Profile intervals of the shape and of levels; the inverse leads back to y. */
static void every_profile(void **state)
{
	struct worst worst[] = {
		{.what = "lower end (profile)", .tolerance = 1e-6},
		{.what = "upper end (profile)", .tolerance = 1e-6},
		{.what = "ln y of a lower end", .tolerance = 1e-6},
		{.what = "ln y of an upper end", .tolerance = 1e-6},
	};
	struct subject subject = {0};
	struct table table;

	(void)state;
	if (!table_read("fits/profile_ci_A.csv", &table))
		skip();
	for (size_t row = 0; row < table.n_rows; row++) {
		const char *what = table_text(&table, row, "target");
		double lower = table_number(&table, row, "method2_lo");
		double upper = table_number(&table, row, "method2_hi");
		struct profile *profile;
		struct bounds bounds;
		char name[200];

		subject_of_row(&subject, &table, row);
		profile = stats_profile_new(subject.maxima, subject.n, &subject.estimate);
		snprintf(name, sizeof name, "%.120s %s", subject.name, what);
		if (strcmp(what, "xi")) {
			double y = stats_y_of_period(atof(what + 2));

			bounds = stats_profile_level(profile, y, 0.95);
			compare(&worst[2], log(stats_profile_y(profile, lower, 0.95).lower), log(y),
				0, name);
			compare(&worst[3], log(stats_profile_y(profile, upper, 0.95).upper), log(y),
				0, name);
		} else {
			bounds = stats_profile_shape(profile, 0.95);
		}
		compare(&worst[0], bounds.lower, lower, 0, name);
		compare(&worst[1], bounds.upper, upper, 0, name);
		stats_profile_free(profile);
	}
	subject_release(&subject);
	table_release(&table);
	assert_worst(worst, COUNT_OF(worst));
}

/* Maxima cut down to ticks, by the interval likelihood. */
static void every_tick(void **state)
{
	struct worst worst[] = {
		{.what = "location (ticks)", .tolerance = 1e-7},
		{.what = "scale (ticks)", .tolerance = 1e-7},
		{.what = "shape (ticks, absolute)", .tolerance = 1e-7},
		{.what = "interval likelihood", .tolerance = 1e-9},
		{.what = "errors (ticks)", .tolerance = 1e-5},
	};
	struct subject subject = {0};
	struct table table;

	(void)state;
	if (!table_read("fits/rounded_likelihood.csv", &table))
		skip();
	for (size_t row = 0; row < table.n_rows; row++) {
		struct estimate e;
		const char *errors = strstr(table_text(&table, row, "note"), "se=") + 3;
		char *next;

		subject_of_row(&subject, &table, row);
		stats_fit_ticks(subject.maxima, subject.n, subject.estimate.model,
				table_number(&table, row, "tick"), &e);
		compare(&worst[0], e.theta[0], table_number(&table, row, "mu"), 0, subject.name);
		compare(&worst[1], e.theta[1], table_number(&table, row, "sigma"), 0, subject.name);
		compare(&worst[2], e.theta[2], table_number(&table, row, "xi"), 1, subject.name);
		compare(&worst[3], -e.log_likelihood, table_number(&table, row, "nll_interval"), 0,
			subject.name);
		for (int i = 0; i < e.n_parameters; i++, errors = next)
			compare(&worst[4], e.standard_error[i], strtod(errors, &next), 0,
				subject.name);
	}
	subject_release(&subject);
	table_release(&table);
	assert_worst(worst, COUNT_OF(worst));
}

/* The likelihood with one level held, as a plain function for GSL's simplex. */
struct held {
	const double *maxima;
	size_t n;
	enum model model;
	double level, y;
	double theta[3]; /* where the search begins, and its units */
};

static double minus_likelihood(const gsl_vector *free, void *data)
{
	const struct held *held = data;
	const struct distribution *distribution = stats_distribution(held->model);
	double theta[3] = {0, exp(gsl_vector_get(free, 0)), 0}, sum = 0;

	if (held->model == MODEL_GEV)
		theta[SHAPE] = gsl_vector_get(free, 1);
	theta[LOCATION] = held->level - distribution->quantile(theta, held->y);
	for (size_t i = 0; i < held->n; i++)
		sum -= distribution->log_density(theta, held->maxima[i]);
	return isfinite(sum) ? sum : 1e300;
}

static double held_likelihood(struct held *held)
{
	size_t n = held->model == MODEL_GEV ? 2 : 1;
	gsl_vector *free = gsl_vector_alloc(n), *size = gsl_vector_alloc(n);
	gsl_multimin_function f = {minus_likelihood, n, held};
	gsl_multimin_fminimizer *search =
		gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, n);
	double best;

	gsl_vector_set(free, 0, log(held->theta[SCALE]));
	if (n == 2)
		gsl_vector_set(free, 1, held->theta[SHAPE]);
	gsl_vector_set_all(size, 0.1);
	/* a simplex that has collapsed is begun anew */
	for (int restart = 0; restart < 6; restart++) {
		gsl_multimin_fminimizer_set(search, &f, free, size);
		for (int i = 0; i < 400; i++)
			gsl_multimin_fminimizer_iterate(search);
		gsl_vector_memcpy(free, search->x);
		gsl_vector_set_all(size, 0.01);
	}
	best = search->fval;
	gsl_multimin_fminimizer_free(search);
	gsl_vector_free(free);
	gsl_vector_free(size);
	return -best;
}

/*
 * Far out no table helps: there both ends must have the deviance that they
 * claim, by an optimiser that shares nothing with ours. Far out the simplex is
 * slow in its own coordinates: begin where the shape alone makes the level.
 */
static void compare_deviance(struct worst *worst, const struct subject *subject, double y,
			     double end, const char *name)
{
	const struct estimate *e = &subject->estimate;
	struct held held = {subject->maxima,
			    subject->n,
			    e->model,
			    end,
			    y,
			    {e->theta[0], e->theta[1], e->theta[2]}};
	double ln_y = log(y), k = (end - e->theta[LOCATION]) / e->theta[SCALE];

	if (e->model == MODEL_GEV) {
		double low = -0.999, high = 3;

		for (int i = 0; i < 100; i++) {
			double xi = 0.5 * (low + high);

			if (expm1(-xi * ln_y) / xi > k)
				high = xi;
			else
				low = xi;
		}
		held.theta[SHAPE] = low;
	} else {
		held.theta[SCALE] = k / -ln_y * e->theta[SCALE];
	}
	compare(worst, 2 * (e->log_likelihood - held_likelihood(&held)),
		stats_chi2_quantile(0.95, 1), 0, name);
}

static void profiles_far_out(void **state)
{
	static const char *const datasets[] = {"portpirie",	    "venice_r1",
					       "s03_gev_p015_2000", "s05_gev_m010_20",
					       "s01_gumbel_2000",   "s04_gev_m060_500"};
	struct worst worst[] = {{.what = "deviance of lower ends", .tolerance = 1e-5},
				{.what = "deviance of upper ends", .tolerance = 1e-5}};
	struct subject subject = {0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(datasets); i++) {
		if (!series_read(datasets[i], &subject.series))
			continue;
		subject.maxima = mem_alloc(subject.series.n * sizeof *subject.maxima);
		subject.n = series_maxima(&subject.series, 1, subject.maxima);
		for (int model = 0; model < 2; model++) {
			struct profile *profile;

			stats_fit(subject.maxima, subject.n, model ? MODEL_GUMBEL : MODEL_GEV,
				  ESTIMATOR_MLE, &subject.estimate);
			profile = stats_profile_new(subject.maxima, subject.n, &subject.estimate);
			for (int k = 3; k <= 15; k += 4) {
				double y = stats_y_of_probability(pow(10, -k), 50);
				struct bounds ends = stats_profile_level(profile, y, 0.95);
				char name[120];

				snprintf(name, sizeof name, "%s %s 1e-%d [%g, %g]", datasets[i],
					 model_word(subject.estimate.model), k, ends.lower,
					 ends.upper);
				compare_deviance(&worst[0], &subject, y, ends.lower, name);
				compare_deviance(&worst[1], &subject, y, ends.upper, name);
			}
			stats_profile_free(profile);
		}
		subject_release(&subject);
	}
	if (worst[0].n == 0)
		skip();
	assert_worst(worst, COUNT_OF(worst));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(built_in_fits), cmocka_unit_test(every_fit),
		cmocka_unit_test(every_level),	 cmocka_unit_test(every_tick),
		cmocka_unit_test(every_profile), cmocka_unit_test(profiles_far_out),
	};

	gsl_set_error_handler_off();
	return cmocka_run_group_tests_name("fits", tests, NULL, NULL);
}
