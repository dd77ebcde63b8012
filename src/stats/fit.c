/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STEPS 200
#define MANY 5000 /* values: a pass over more is worth saving */

static void refuse(struct estimate *estimate, const char *reason)
{
	snprintf(estimate->refused, sizeof estimate->refused, "%s", reason);
}

/* ---- GEV by maximum likelihood, on standardised values ---- */

/* The step of Newton, or where the surface bends the wrong way of a ridge beside it. */
static void ascent_step(const struct likelihood *here, double *step)
{
	double information[3][3], ridge = 0, largest = 0;

	for (int i = 0; i < 3; i++)
		largest = fmax(largest, fabs(here->hessian[i][i]));
	for (int attempt = 0; attempt < 60; attempt++) {
		for (int i = 0; i < 3; i++)
			for (int j = 0; j < 3; j++)
				information[i][j] = -here->hessian[i][j] + (i == j ? ridge : 0);
		if (solve_positive(information, 3, here->gradient, step))
			return;
		ridge = ridge > 0 ? 4 * ridge : 1e-3 * largest;
	}
	memset(step, 0, 3 * sizeof *step);
}

static double rise(const struct likelihood *here, const double *step)
{
	double sum = 0;

	for (int i = 0; i < 3; i++)
		sum += here->gradient[i] * step[i];
	return sum;
}

/* Goes as far along step as is feasible and uphill; false where nowhere is. */
static bool climb(const struct values *values, double *theta, struct likelihood *here,
		  const double *step)
{
	double slope = rise(here, step), share = 1;

	if (theta[SHAPE] + step[SHAPE] < SHAPE_LEAST)
		share = 0.5 * (theta[SHAPE] - SHAPE_LEAST) / -step[SHAPE];
	for (int halvings = 0; halvings < 60; halvings++, share *= 0.5) {
		double next[3];
		struct likelihood there;

		for (int i = 0; i < 3; i++)
			next[i] = theta[i] + share * step[i];
		/* a flat top differs by rounding alone */
		if (likelihood_pass(values, next, &there) &&
		    there.value >= here->value + 1e-4 * share * slope - 1e-13 * fabs(here->value)) {
			memcpy(theta, next, sizeof next);
			*here = there;
			return true;
		}
	}
	return false;
}

/*
 * Newton's decrement (the square of the distance to the top in standard errors)
 * at which the next step is the last: the error after it is its square.
 */
static double last_decrement(size_t n)
{
	return n > MANY ? 1e-10 : 1e-18;
}

static bool maximise(const struct values *values, double *theta, struct likelihood *here,
		     struct estimate *estimate)
{
	if (!likelihood_pass(values, theta, here))
		return false;
	for (estimate->n_steps = 0; estimate->n_steps < MOST_STEPS; estimate->n_steps++) {
		double step[3], decrement;

		ascent_step(here, step);
		decrement = rise(here, step);
		if (decrement < last_decrement(values->n)) {
			for (int i = 0; i < 3; i++)
				theta[i] += step[i];
			here->value += 0.5 * decrement;
			return support_holds(values, theta);
		}
		if (theta[SHAPE] < SHAPE_LEAST + 1e-4 && here->gradient[SHAPE] < 0)
			return false;
		if (!climb(values, theta, here, step))
			return decrement < 1e-8;
	}
	return false;
}

/* The L-moments fit where it is feasible, else nearly a Gumbel. */
static void start(const struct values *values, const double *lmoments, double *theta)
{
	if (stats_of_lmoments(MODEL_GEV, lmoments, theta) && theta[SHAPE] > -0.9 &&
	    theta[SHAPE] < 2 && support_holds(values, theta))
		return;
	stats_of_lmoments(MODEL_GUMBEL, lmoments, theta);
	for (theta[SHAPE] = 0.01; !support_holds(values, theta); theta[SHAPE] *= 0.1)
		if (theta[SHAPE] < 1e-12) {
			theta[SHAPE] = 0;
			return;
		}
}

static void gev_by_likelihood(const struct values *values, const double *lmoments,
			      struct estimate *estimate)
{
	struct likelihood here;
	double information[3][3];

	start(values, lmoments, estimate->theta);
	if (!maximise(values, estimate->theta, &here, estimate)) {
		refuse(estimate, estimate->theta[SHAPE] < SHAPE_LEAST + 0.01
					 ? "the likelihood has no maximum with a shape above -1"
					 : "the search for the maximum did not converge");
		return;
	}
	estimate->log_likelihood = here.value;
	if (estimate->theta[SHAPE] <= -0.5) {
		estimate->no_errors = "standard errors do not exist for a shape of -0.5 or less";
		return;
	}
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			information[i][j] = -here.hessian[i][j];
	if (!invert_positive(information, 3, estimate->covariance))
		estimate->no_errors = "the information matrix is not positive definite";
}

/* ---- Gumbel by maximum likelihood ---- */

/* Weighted sums with weights exp(-(x - min)/scale). */
struct gumbel_sums {
	double w, wx, wxx;
};

static void gumbel_pass(const struct values *values, double scale, struct gumbel_sums *sums)
{
	double inverse = -1 / scale, w0 = 0, w1 = 0, w2 = 0;

	for (size_t i = 0; i < values->n; i++) {
		double x = values->x[i] - values->min, w = exp(x * inverse);

		w0 += w;
		w1 += w * x;
		w2 += w * x * x;
	}
	*sums = (struct gumbel_sums){w0, w1, w2};
}

/*
 * Root of f(scale) = scale - mean + sum w x / sum w: f grows with scale, so
 * Newton inside a bracket cannot miss it.
 */
static bool gumbel_scale(const struct values *values, double mean, double *scale,
			 struct gumbel_sums *sums, int *n_steps)
{
	double lower = 0, upper = INFINITY;

	for (*n_steps = 0; *n_steps < MOST_STEPS; ++*n_steps) {
		double center, gap, slope, next;

		gumbel_pass(values, *scale, sums);
		center = sums->wx / sums->w;
		gap = *scale - (mean - values->min) + center;
		slope = 1 + (sums->wxx / sums->w - center * center) / (*scale * *scale);
		if (fabs(gap) <= 1e-13 * *scale * slope)
			return true;
		if (gap > 0)
			upper = *scale;
		else
			lower = *scale;
		next = *scale - gap / slope;
		if (!(next > lower && next < upper))
			next = isinf(upper) ? 2 * *scale : 0.5 * (lower + upper);
		if (fabs(next - *scale) < 1e-15 * next)
			return true;
		*scale = next;
	}
	return false;
}

static void gumbel_by_likelihood(const struct values *values, const double *lmoments,
				 struct estimate *estimate)
{
	double n = (double)values->n, mean = lmoments[0], scale, location, zy, zzy;
	double information[3][3] = {{0}};
	struct gumbel_sums sums;

	stats_of_lmoments(MODEL_GUMBEL, lmoments, estimate->theta);
	if (!gumbel_scale(values, mean, &estimate->theta[SCALE], &sums, &estimate->n_steps)) {
		refuse(estimate, "the search for the maximum did not converge");
		return;
	}
	scale = estimate->theta[SCALE];
	location = -scale * log(sums.w / n); /* above the shortest */
	estimate->theta[LOCATION] = values->min + location;
	estimate->log_likelihood =
		-n * log(scale) - n * (mean - values->min - location) / scale - n;
	/* with y = n w / sum w: sums of z y and z^2 y; that of y is n */
	zy = n / scale * (sums.wx / sums.w - location);
	zzy = n / (scale * scale) *
	      (sums.wxx / sums.w - 2 * location * sums.wx / sums.w + location * location);
	information[LOCATION][LOCATION] = n / (scale * scale);
	information[LOCATION][SCALE] = information[SCALE][LOCATION] = zy / (scale * scale);
	information[SCALE][SCALE] =
		(zzy - 2 * zy + 2 * n * (mean - values->min - location) / scale - n) /
		(scale * scale);
	if (!invert_positive(information, 2, estimate->covariance))
		estimate->no_errors = "the information matrix is not positive definite";
}

/* ---- L-moments ---- */

static void by_lmoments(const struct values *values, const double *lmoments,
			struct estimate *estimate)
{
	if (!stats_of_lmoments(estimate->model, lmoments, estimate->theta)) {
		refuse(estimate, "no distribution of this kind has these L-moments");
		return;
	}
	if (!support_holds(values, estimate->theta)) {
		refuse(estimate, "the support of the fitted GEV leaves observations out");
		return;
	}
	estimate->log_likelihood =
		stats_log_likelihood(values->x, values->n, estimate->model, estimate->theta);
	estimate->no_errors = "L-moments have standard errors by bootstrap only";
}

/* ---- estimators: {estimator, model, function} ---- */

static const struct {
	enum estimator estimator;
	enum model model;
	void (*fit)(const struct values *values, const double *lmoments, struct estimate *estimate);
} estimators[] = {
	{ESTIMATOR_MLE, MODEL_GEV, gev_by_likelihood},
	{ESTIMATOR_MLE, MODEL_GUMBEL, gumbel_by_likelihood},
	{ESTIMATOR_LMOMENTS, MODEL_GEV, by_lmoments},
	{ESTIMATOR_LMOMENTS, MODEL_GUMBEL, by_lmoments},
};

static void blank(struct estimate *estimate, size_t n, enum model model, enum estimator estimator)
{
	*estimate = (struct estimate){.model = model, .estimator = estimator, .n = n};
	estimate->n_parameters = stats_distribution(model)->n_parameters;
}

static void forget_numbers(struct estimate *estimate)
{
	for (int i = 0; i < N_PARAMETERS_MAX; i++) {
		estimate->theta[i] = estimate->standard_error[i] = NAN;
		for (int j = 0; j < N_PARAMETERS_MAX; j++)
			estimate->covariance[i][j] = NAN;
	}
	estimate->log_likelihood = NAN;
	estimate->no_errors = "there is no fit";
}

/* Back from values of location 0 and scale 1 to those given. */
static void rescale(struct estimate *estimate, double location, double scale)
{
	estimate->theta[LOCATION] = location + scale * estimate->theta[LOCATION];
	estimate->theta[SCALE] *= scale;
	estimate->log_likelihood -= (double)estimate->n * log(scale);
	for (int i = 0; i < N_PARAMETERS_MAX; i++) {
		bool known = !estimate->no_errors && i < estimate->n_parameters;

		for (int j = 0; j < N_PARAMETERS_MAX; j++) {
			double factor = (i == SHAPE ? 1 : scale) * (j == SHAPE ? 1 : scale);
			bool inside = i < estimate->n_parameters && j < estimate->n_parameters;

			estimate->covariance[i][j] = estimate->no_errors ? NAN
						     : inside ? factor * estimate->covariance[i][j]
							      : 0;
		}
		estimate->standard_error[i] = known ? sqrt(estimate->covariance[i][i])
					      : estimate->no_errors ? NAN
								    : 0;
	}
}

static bool worth_fitting(const double *sorted, size_t n, struct estimate *estimate)
{
	size_t n_distinct = n > 0;

	if (n < LEAST_MAXIMA) {
		snprintf(estimate->refused, sizeof estimate->refused, "needs %d blocks, has %zu",
			 LEAST_MAXIMA, n);
		return false;
	}
	if (!isfinite(sorted[0]) || !isfinite(sorted[n - 1])) {
		refuse(estimate, "a maximum is not finite");
		return false;
	}
	for (size_t i = 1; i < n && n_distinct < 4; i++)
		n_distinct += sorted[i] != sorted[i - 1];
	if (n_distinct == 1)
		refuse(estimate, "all maxima are equal");
	else if (n_distinct < 4)
		refuse(estimate, "the maxima have fewer than 4 different values");
	return n_distinct >= 4;
}

void fit_sorted(const double *sorted, size_t n, enum model model, enum estimator estimator,
		struct estimate *estimate)
{
	double lmoments[4], location, scale, *standard;
	const double zero_one[4] = {0, 1, 0, 0};
	struct values values;

	blank(estimate, n, model, estimator);
	if (!worth_fitting(sorted, n, estimate)) {
		forget_numbers(estimate);
		return;
	}
	stats_lmoments(sorted, n, lmoments);
	location = lmoments[0];
	scale = lmoments[1];
	standard = mem_alloc(n * sizeof *standard);
	for (size_t i = 0; i < n; i++)
		standard[i] = (sorted[i] - location) / scale;
	values = (struct values){standard, n, standard[0], standard[n - 1]};
	lmoments[2] /= scale;
	lmoments[3] /= scale;
	memcpy(lmoments, zero_one, 2 * sizeof *lmoments);
	for (size_t i = 0; i < COUNT_OF(estimators); i++)
		if (estimators[i].estimator == estimator && estimators[i].model == model)
			estimators[i].fit(&values, lmoments, estimate);
	free(standard);
	if (estimate->refused[0])
		forget_numbers(estimate);
	else
		rescale(estimate, location, scale);
}

void stats_fit(const double *maxima, size_t n, enum model model, enum estimator estimator,
	       struct estimate *estimate)
{
	double *sorted = mem_alloc(n * sizeof *sorted);

	memcpy(sorted, maxima, n * sizeof *sorted);
	stats_sort_doubles(sorted, n);
	fit_sorted(sorted, n, model, estimator, estimate);
	free(sorted);
}
