/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every fit of the reference table: parameters, log-likelihood, errors, levels. */
#include "reference.h"

#include <gsl/gsl_errno.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_fit),
	};

	gsl_set_error_handler_off();
	return cmocka_run_group_tests_name("fits", tests, NULL, NULL);
}
