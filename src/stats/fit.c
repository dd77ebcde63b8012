/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "internal.h"
#include "lanes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STEPS 200
#define UNIT_VALUES 1024
#define MANY 20000 /* values: a pass over more is worth saving */
#define SPARSE 6   /* of many values, every sixth finds the start */

static void refuse(struct estimate *estimate, const char *reason)
{
	snprintf(estimate->refused, sizeof estimate->refused, "%s", reason);
}

/* ---- GEV by maximum likelihood, on standardised values ---- */

/* By ln scale instead of scale: along the ridge of a heavy tail it is ln scale that moves. */
static void by_log_scale(const double *theta, struct likelihood *here)
{
	double scale = theta[SCALE];

	for (int i = 0; i < 3; i++) {
		here->hessian[i][SCALE] *= scale;
		here->hessian[SCALE][i] *= scale;
	}
	here->gradient[SCALE] *= scale;
	here->hessian[SCALE][SCALE] += here->gradient[SCALE];
}

/*
 * The step of Newton, or where the surface bends the wrong way that of a ridge
 * beside it, in units of each parameter's own curvature.
 */
static void ascent_step(const struct likelihood *here, double *step)
{
	double information[3][3], ridge = 0;

	for (int attempt = 0; attempt < 40; attempt++) {
		for (int i = 0; i < 3; i++)
			for (int j = 0; j < 3; j++)
				information[i][j] = -here->hessian[i][j];
		for (int i = 0; i < 3; i++)
			information[i][i] += ridge * fabs(information[i][i]);
		if (solve_positive(information, 3, here->gradient, step))
			return;
		ridge = ridge > 0 ? 4 * ridge : 1e-2;
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

static void walk(double *theta, const double *step, double share)
{
	theta[LOCATION] += share * step[LOCATION];
	theta[SCALE] *= exp(share * step[SCALE]);
	theta[SHAPE] += share * step[SHAPE];
}

/* Goes as far along step as is feasible and uphill; false where nowhere is. */
static bool climb(const struct values *values, double *theta, struct likelihood *here,
		  const struct likelihood *local, const double *step)
{
	double slope = rise(local, step), share = 1;

	if (theta[SHAPE] + step[SHAPE] < SHAPE_LEAST)
		share = 0.5 * (theta[SHAPE] - SHAPE_LEAST) / -step[SHAPE];
	for (int halvings = 0; halvings < 60; halvings++, share *= 0.5) {
		double next[3];
		struct likelihood there;

		memcpy(next, theta, sizeof next);
		walk(next, step, share);
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
 * at which the next step is the last: the error after it is about 3/sqrt(n)
 * decrements, and the information changes by 3 sqrt(decrement/n) of itself.
 */
static double last_decrement(size_t n)
{
	return n > MANY ? 1e-12 * (double)n : 1e-18;
}

static bool maximise_from_start(const struct values *values, double *theta, struct likelihood *here,
				struct estimate *estimate);

static bool maximise(const struct values *values, double *theta, struct likelihood *here,
		     struct estimate *estimate)
{
	if (!likelihood_pass(values, theta, here))
		return false;
	for (estimate->n_steps = 0; estimate->n_steps < MOST_STEPS; estimate->n_steps++) {
		double step[3], decrement;
		struct likelihood local = *here;

		by_log_scale(theta, &local);
		ascent_step(&local, step);
		decrement = rise(&local, step);
		if (decrement < last_decrement(values->n)) {
			walk(theta, step, 1);
			here->value += 0.5 * decrement;
			return support_holds(values, theta);
		}
		if (theta[SHAPE] < SHAPE_LEAST + 1e-4 && here->gradient[SHAPE] < 0)
			return false;
		if (!climb(values, theta, here, &local, step))
			return decrement < 1e-8;
	}
	return false;
}

/*
 * For tails so heavy that one value is the mean: the shape from how far the
 * quantiles at 0.9, 0.5 and 0.1 lie apart.
 */
static void start_from_quantiles(const double *sorted, size_t n, double *theta)
{
	double x[3], terms[3][3], ln_y[3], low = -0.9, high = 20, end, far;

	for (int i = 0; i < 3; i++) {
		double q = 0.1 + 0.4 * i;

		x[i] = stats_quantile_doubles(sorted, n, q);
		ln_y[i] = log(-log(q));
	}
	for (int i = 0; i < 60; i++) {
		theta[SHAPE] = 0.5 * (low + high);
		for (int j = 0; j < 3; j++)
			level_terms(theta[SHAPE], ln_y[j], terms[j]);
		if ((terms[2][0] - terms[1][0]) * (x[1] - x[0]) >
		    (terms[1][0] - terms[0][0]) * (x[2] - x[1]))
			high = theta[SHAPE];
		else
			low = theta[SHAPE];
	}
	/* wide enough for the support to hold the longest or the shortest */
	end = -1 / theta[SHAPE] - terms[1][0];
	far = theta[SHAPE] > 0 ? sorted[0] : sorted[n - 1];
	theta[SCALE] = fmax((x[2] - x[0]) / (terms[2][0] - terms[0][0]), 1.05 * (far - x[1]) / end);
	theta[LOCATION] = x[1] - theta[SCALE] * terms[1][0];
}

/* The first of L-moments, quantiles and nearly a Gumbel that is feasible. */
static void start_from_few_numbers(const struct values *values, double *theta)
{
	double lmoments[4], *sorted = mem_alloc(values->n * sizeof *sorted);
	bool found;

	memcpy(sorted, values->x, values->n * sizeof *sorted);
	stats_sort_doubles(sorted, values->n);
	stats_lmoments(sorted, values->n, lmoments);
	found = stats_of_lmoments(MODEL_GEV, lmoments, theta) && theta[SHAPE] > -0.9 &&
		theta[SHAPE] < 0.7 && support_holds(values, theta);
	if (!found) {
		start_from_quantiles(sorted, values->n, theta);
		found = support_holds(values, theta);
	}
	free(sorted);
	if (found)
		return;
	stats_of_lmoments(MODEL_GUMBEL, lmoments, theta);
	for (theta[SHAPE] = 0.01; !support_holds(values, theta); theta[SHAPE] *= 0.1)
		if (theta[SHAPE] < 1e-12) {
			theta[SHAPE] = 0;
			return;
		}
}

/* Of many values, the fit of every sixth of them, where it holds for all. */
static bool start_from_few(const struct values *values, double *theta)
{
	size_t n = values->n / SPARSE;
	double *x = mem_alloc(n * sizeof *x);
	struct estimate estimate = {0};
	struct likelihood here;
	struct values few;
	bool good;

	for (size_t i = 0; i < n; i++)
		x[i] = values->x[i * SPARSE];
	few = values_of(x, n);
	good = few.min < few.max && maximise_from_start(&few, theta, &here, &estimate) &&
	       support_holds(values, theta);
	free(x);
	return good;
}

static bool maximise_from_start(const struct values *values, double *theta, struct likelihood *here,
				struct estimate *estimate)
{
	if (values->n <= MANY || !start_from_few(values, theta))
		start_from_few_numbers(values, theta);
	return maximise(values, theta, here, estimate);
}

static void gev_by_likelihood(const struct values *values, struct estimate *estimate)
{
	struct likelihood here;
	double information[3][3];

	if (!maximise_from_start(values, estimate->theta, &here, estimate)) {
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

FOR_EVERY_MACHINE
static void gumbel_pass(const struct values *values, double scale, struct gumbel_sums *sums)
{
	double inverse = -1 / scale;
	size_t n_left = values->n % N_LANES;
	lanes w0 = {0}, w1 = {0}, w2 = {0};

	for (size_t i = 0; i + N_LANES <= values->n; i += N_LANES) {
		lanes x = lanes_load(values->x + i) - values->min, w = lanes_exp(x * inverse);

		w0 += w;
		w1 += w * x;
		w2 += w * x * x;
	}
	*sums = (struct gumbel_sums){lanes_sum(w0), lanes_sum(w1), lanes_sum(w2)};
	for (size_t i = values->n - n_left; i < values->n; i++) {
		double x = values->x[i] - values->min, w = exp(x * inverse);

		sums->w += w;
		sums->wx += w * x;
		sums->wxx += w * x * x;
	}
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

static void gumbel_by_likelihood(const struct values *values, struct estimate *estimate)
{
	double n = (double)values->n, mean = 0, scale, location, zy, zzy;
	double information[3][3] = {{0}};
	struct gumbel_sums sums;

	for (size_t i = 0; i < values->n; i++)
		mean += values->x[i] / n;
	estimate->theta[SCALE] = 0.64; /* a Gumbel's, where the quartiles are 1 apart */
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

/* values sorted */
static void by_lmoments(const struct values *values, struct estimate *estimate)
{
	double lmoments[4];

	stats_lmoments(values->x, values->n, lmoments);
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

/* ---- estimators: {estimator, model, needs sorted values, function} ---- */

static const struct method {
	enum estimator estimator;
	enum model model;
	bool sorted;
	void (*fit)(const struct values *standardised, struct estimate *estimate);
} methods[] = {
	{ESTIMATOR_MLE, MODEL_GEV, false, gev_by_likelihood},
	{ESTIMATOR_MLE, MODEL_GUMBEL, false, gumbel_by_likelihood},
	{ESTIMATOR_LMOMENTS, MODEL_GEV, true, by_lmoments},
	{ESTIMATOR_LMOMENTS, MODEL_GUMBEL, true, by_lmoments},
};

static const struct method *find_method(enum estimator estimator, enum model model)
{
	size_t i = 0;

	while (methods[i].estimator != estimator || methods[i].model != model)
		i++;
	return &methods[i];
}

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

/* Different values among x, counted up to 4. */
static size_t count_different(const double *x, size_t n)
{
	double seen[4];
	size_t n_seen = 0;

	for (size_t i = 0; i < n && n_seen < COUNT_OF(seen); i++) {
		size_t j = 0;

		while (j < n_seen && seen[j] != x[i])
			j++;
		if (j == n_seen)
			seen[n_seen++] = x[i];
	}
	return n_seen;
}

static bool worth_fitting(const double *x, size_t n, struct estimate *estimate)
{
	size_t n_different;

	if (n < LEAST_MAXIMA) {
		snprintf(estimate->refused, sizeof estimate->refused, "needs %d blocks, has %zu",
			 LEAST_MAXIMA, n);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i])) {
			refuse(estimate, "a maximum is not finite");
			return false;
		}
	n_different = count_different(x, n);
	if (n_different == 1)
		refuse(estimate, "all maxima are equal");
	else if (n_different < 4)
		refuse(estimate, "the maxima have fewer than 4 different values");
	return n_different >= 4;
}

/* Middle and spread of every so-many-th value: one value far away must not set the unit. */
static void find_unit(const double *x, size_t n, double *location, double *scale)
{
	double few[UNIT_VALUES];
	size_t n_few = n < UNIT_VALUES ? n : UNIT_VALUES;

	for (size_t i = 0; i < n_few; i++)
		few[i] = x[n_few == n ? i : (size_t)((double)i * (double)n / (double)n_few)];
	stats_sort_doubles(few, n_few);
	*location = stats_quantile_doubles(few, n_few, 0.5);
	*scale =
		stats_quantile_doubles(few, n_few, 0.75) - stats_quantile_doubles(few, n_few, 0.25);
	if (*scale > 0)
		return;
	/* ties: the mean distance from the middle, which is not 0 */
	for (size_t i = 0; i < n; i++)
		*scale += fabs(x[i] - *location) / (double)n;
}

static struct values standardise(const double *x, size_t n, double *copy, double *location,
				 double *scale)
{
	double inverse;

	find_unit(x, n, location, scale);
	inverse = 1 / *scale;
	for (size_t i = 0; i < n; i++)
		copy[i] = (x[i] - *location) * inverse;
	return values_of(copy, n);
}

void fit_ordered(const double *sorted, size_t n, enum model model, enum estimator estimator,
		 struct estimate *estimate)
{
	double location, scale, *copy;
	struct values values;

	blank(estimate, n, model, estimator);
	if (!worth_fitting(sorted, n, estimate)) {
		forget_numbers(estimate);
		return;
	}
	copy = mem_alloc(n * sizeof *copy);
	values = standardise(sorted, n, copy, &location, &scale);
	find_method(estimator, model)->fit(&values, estimate);
	free(copy);
	if (estimate->refused[0])
		forget_numbers(estimate);
	else
		rescale(estimate, location, scale);
}

void stats_fit(const double *maxima, size_t n, enum model model, enum estimator estimator,
	       struct estimate *estimate)
{
	double *sorted;

	if (!find_method(estimator, model)->sorted) {
		fit_ordered(maxima, n, model, estimator, estimate);
		return;
	}
	sorted = mem_alloc(n * sizeof *sorted);
	memcpy(sorted, maxima, n * sizeof *sorted);
	stats_sort_doubles(sorted, n);
	fit_ordered(sorted, n, model, estimator, estimate);
	free(sorted);
}
