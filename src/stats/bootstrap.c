/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Goodness of fit and the parametric bootstrap. */
#include "internal.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ln F(x) = -y and ln (1-F(x)) = ln(-expm1(-y)), each without losing its small values. */
static double log_tail_of_y(double y)
{
	return y < M_LN2 ? log(-expm1(-y)) : log1p(-exp(-y));
}

double stats_anderson_darling(const double *sorted, size_t n, enum model model, const double *theta)
{
	const struct distribution *distribution = stats_distribution(model);
	double sum = 0, size = (double)n;

	for (size_t i = 0; i < n; i++) {
		double y = distribution->y(theta, sorted[i]);

		/* ln F_i counts 2i+1 times, ln(1-F_i) as the (n-1-i)-th from above */
		sum += (2 * (double)i + 1) * -y + (2 * (size - (double)i) - 1) * log_tail_of_y(y);
	}
	return isnan(sum) ? INFINITY : -size - sum / size;
}

/*
 * Exponential order statistics come sorted as sums of independent steps (Renyi
 * 1953); they are y itself, from the largest x down.
 */
void draw_sorted(enum model model, const double *theta, double *x, size_t n, uint64_t *state)
{
	const struct distribution *distribution = stats_distribution(model);
	double y = 0;

	for (size_t i = 0; i < n; i++) {
		y -= log(stats_random_uniform(state)) / (double)(n - i);
		x[n - 1 - i] = distribution->quantile(theta, y);
	}
}

/*
 * The same fit to data drawn from it; false where there is none. L-moments are
 * taken whatever their support leaves out: what is wanted is how they vary.
 */
static bool refit(const struct estimate *estimate, double tick, double *x, uint64_t *state,
		  struct estimate *again)
{
	double lmoments[4];

	draw_sorted(estimate->model, estimate->theta, x, estimate->n, state);
	for (size_t i = 0; tick > 0 && i < estimate->n; i++)
		x[i] = tick * floor(x[i] / tick);
	if (estimate->estimator != ESTIMATOR_LMOMENTS) {
		fit_ordered(x, estimate->n, estimate->model, estimate->estimator, again);
		return !again->refused[0];
	}
	*again = (struct estimate){.model = estimate->model, .n = estimate->n};
	stats_lmoments(x, estimate->n, lmoments);
	return stats_of_lmoments(estimate->model, lmoments, again->theta);
}

static bool stopped(stats_stop stop)
{
	return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

double stats_anderson_darling_p(const struct estimate *estimate, double statistic, double tick,
				uint64_t seed, stats_stop stop, size_t *refits)
{
	double *x = mem_alloc(estimate->n * sizeof *x);
	size_t n_as_large = 0;

	*refits = 0;
	for (size_t i = 0; i < BOOTSTRAP_REPLICATES; i++) {
		struct estimate again;
		double drawn;

		if (stopped(stop)) {
			free(x);
			return NAN;
		}
		if (!refit(estimate, tick, x, &seed, &again))
			continue;
		drawn = stats_anderson_darling(x, estimate->n, estimate->model, again.theta);
		if (!isfinite(drawn)) /* its support leaves data out: such a fit is refused */
			continue;
		++*refits;
		n_as_large += drawn >= statistic;
	}
	free(x);
	return *refits ? (1 + (double)n_as_large) / (1 + (double)*refits) : NAN;
}

double stats_likelihood_ratio_p(double statistic)
{
	return statistic > 0 ? gsl_cdf_chisq_Q(statistic, 1) : 1;
}

/* Replicates, one row of draws per quantity: levels, y at x, parameters. */
struct replicates {
	size_t n, n_rows;
	double *draw;
};

static double *row_of(const struct replicates *replicates, size_t row)
{
	return replicates->draw + row * BOOTSTRAP_REPLICATES;
}

static void keep(struct replicates *replicates, const struct estimate *again, const double *y,
		 size_t n_y, double x)
{
	size_t at = replicates->n++;

	for (size_t i = 0; i < n_y; i++)
		row_of(replicates, i)[at] = stats_level(again, y[i]);
	row_of(replicates, n_y)[at] =
		isfinite(x) ? stats_distribution(again->model)->y(again->theta, x) : 0;
	for (size_t i = 0; i < N_PARAMETERS_MAX; i++)
		row_of(replicates, n_y + 1 + i)[at] = again->theta[i];
}

static struct bounds percentiles(const struct replicates *replicates, size_t row, double confidence)
{
	double *draw = row_of(replicates, row);

	stats_sort_doubles(draw, replicates->n);
	return (struct bounds){stats_quantile_doubles(draw, replicates->n, 0.5 - 0.5 * confidence),
			       stats_quantile_doubles(draw, replicates->n, 0.5 + 0.5 * confidence)};
}

static double deviation_of(const double *draw, size_t n)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		mean += draw[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (draw[i] - mean) * (draw[i] - mean);
	return sqrt(squares / (double)(n - 1));
}

static void conclude(const struct replicates *replicates, size_t n_y, double confidence,
		     struct bootstrap *bootstrap)
{
	for (size_t i = 0; i < N_PARAMETERS_MAX; i++)
		bootstrap->standard_error[i] =
			deviation_of(row_of(replicates, n_y + 1 + i), replicates->n);
	for (size_t i = 0; i < n_y; i++)
		bootstrap->level[i] = percentiles(replicates, i, confidence);
	bootstrap->y_at_x = percentiles(replicates, n_y, confidence);
	bootstrap->shape = percentiles(replicates, n_y + 1 + SHAPE, confidence);
}

bool stats_bootstrap(const struct estimate *estimate, const double *y, size_t n_y, double x,
		     double confidence, uint64_t seed, stats_stop stop, struct bootstrap *bootstrap)
{
	struct replicates replicates = {.n_rows = n_y + 1 + N_PARAMETERS_MAX};
	double *draws = mem_alloc(estimate->n * sizeof *draws);
	bool done = true;

	replicates.draw =
		mem_alloc(replicates.n_rows * BOOTSTRAP_REPLICATES * sizeof *replicates.draw);
	bootstrap->reason = NULL;
	for (size_t i = 0; i < BOOTSTRAP_REPLICATES && done; i++) {
		struct estimate again;

		done = !stopped(stop);
		if (done && refit(estimate, 0, draws, &seed, &again))
			keep(&replicates, &again, y, n_y, x);
	}
	bootstrap->n_replicates = replicates.n;
	if (!done) {
		bootstrap->reason = "stopped";
	} else if (replicates.n < 0.95 * BOOTSTRAP_REPLICATES) {
		bootstrap->reason = "more than 5% of the bootstrap's fits were refused";
		done = false;
	} else {
		conclude(&replicates, n_y, confidence, bootstrap);
	}
	free(replicates.draw);
	free(draws);
	return done;
}
