/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "internal.h"
#include "lanes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_VALUES 1024
#define GUMBEL_STEPS 200
#define SPARSE 6 /* of many values, every sixth finds the start */

static void refuse(struct estimate *estimate, const char *reason)
{
	snprintf(estimate->refused, sizeof estimate->refused, "%s", reason);
}

/* Most of the values one and the same: no density has its maximum there. */
static bool mostly_equal(const struct values *values)
{
	size_t n_equal = 0, n = values->n;
	double median, *sorted = mem_alloc(n * sizeof *sorted);

	memcpy(sorted, values->x, n * sizeof *sorted);
	stats_sort_doubles(sorted, n);
	median = sorted[n / 2]; /* of a value that more than half share */
	for (size_t i = 0; i < n; i++)
		n_equal += sorted[i] == median;
	free(sorted);
	return 2 * n_equal > n;
}

static void refuse_search(const struct values *values, struct estimate *estimate)
{
	if (mostly_equal(values))
		refuse(estimate, "more than half of the maxima are one and the same value");
	else if (estimate->theta[SHAPE] < SHAPE_LEAST + 0.01)
		refuse(estimate, "the likelihood has no maximum with a shape above -1");
	else
		refuse(estimate, "the search for the maximum did not converge");
}

/* Covariance from the observed information, where it means anything. */
static void invert_information(const struct likelihood *here, struct estimate *estimate)
{
	double information[3][3];

	if (estimate->theta[SHAPE] <= -0.5) {
		estimate->no_errors = "standard errors do not exist for a shape of -0.5 or less";
		return;
	}
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			information[i][j] = -here->hessian[i][j];
	if (!invert_positive(information, estimate->n_parameters, estimate->covariance))
		estimate->no_errors = "the information matrix is not positive definite";
}

/* ---- GEV by maximum likelihood, on standardised values ---- */

static bool continuous_pass(const struct surface *surface, const double *theta,
			    struct likelihood *here)
{
	return likelihood_pass(surface->data, theta, here);
}

static bool maximise(const struct values *values, double *theta, struct likelihood *here,
		     struct estimate *estimate)
{
	const struct surface surface = {continuous_pass, values, values->n, 3};

	return climb_to_top(&surface, theta, here, &estimate->n_steps) &&
	       support_holds(values, theta);
}

static bool maximise_from_start(const struct values *values, double *theta, struct likelihood *here,
				struct estimate *estimate);

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

	if (!maximise_from_start(values, estimate->theta, &here, estimate)) {
		refuse_search(values, estimate);
		return;
	}
	estimate->log_likelihood = here.value;
	invert_information(&here, estimate);
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

	for (*n_steps = 0; *n_steps < GUMBEL_STEPS; ++*n_steps) {
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
	struct likelihood here;

	stats_lmoments(values->x, values->n, lmoments);
	if (!stats_of_lmoments(estimate->model, lmoments, estimate->theta)) {
		refuse(estimate, "no distribution of this kind has these L-moments");
		return;
	}
	if (!support_holds(values, estimate->theta)) {
		refuse(estimate, "the support of the fitted GEV leaves observations out");
		return;
	}
	estimate->log_likelihood = -INFINITY;
	if (likelihood_pass(values, estimate->theta, &here))
		estimate->log_likelihood = here.value;
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
		refuse(estimate, "fewer than 4 different maxima");
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

/* ---- values known to a tick: interval likelihood ---- */

static bool ticks_pass(const struct surface *surface, const double *theta, struct likelihood *here)
{
	return ticks_likelihood_pass(surface->data, theta, here);
}

/* Different values of sorted x, standardised, with how often each occurs. */
static void count_ticks(const double *sorted, size_t n, double location, double scale,
			struct tick_counts *counts)
{
	counts->x = mem_alloc(n * sizeof *counts->x);
	counts->count = mem_alloc(n * sizeof *counts->count);
	counts->n = 0;
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && sorted[next] == sorted[i];)
			next++;
		counts->x[counts->n] = (sorted[i] - location) / scale;
		counts->count[counts->n++] = (double)(next - i);
	}
}

/* From the continuous fit of the middles of the ticks, by MLE or else by L-moments. */
static bool start_of_ticks(const double *sorted, size_t n, double tick, struct estimate *estimate)
{
	double *middle = mem_alloc(n * sizeof *middle);

	for (size_t i = 0; i < n; i++)
		middle[i] = sorted[i] + 0.5 * tick;
	fit_ordered(middle, n, estimate->model, ESTIMATOR_MLE, estimate);
	if (estimate->refused[0])
		fit_ordered(middle, n, estimate->model, ESTIMATOR_LMOMENTS, estimate);
	free(middle);
	return !estimate->refused[0];
}

void stats_fit_ticks(const double *maxima, size_t n, enum model model, double tick,
		     struct estimate *estimate)
{
	double *sorted = mem_alloc(n * sizeof *sorted), location, scale;
	struct tick_counts counts;
	struct surface surface = {ticks_pass, &counts, n, 0};
	struct likelihood here;

	blank(estimate, n, model, ESTIMATOR_MLE);
	if (n)
		memcpy(sorted, maxima, n * sizeof *sorted);
	stats_sort_doubles(sorted, n);
	if (!start_of_ticks(sorted, n, tick, estimate)) {
		free(sorted);
		return;
	}
	location = estimate->theta[LOCATION];
	scale = estimate->theta[SCALE];
	count_ticks(sorted, n, location, scale, &counts);
	free(sorted);
	counts.tick = tick / scale;
	blank(estimate, n, model, ESTIMATOR_MLE);
	estimate->theta[SCALE] = 1;
	surface.n_free = estimate->n_parameters;
	if (!climb_to_top(&surface, estimate->theta, &here, &estimate->n_steps)) {
		refuse(estimate, "the search for the maximum did not converge");
		forget_numbers(estimate);
	} else {
		estimate->log_likelihood = here.value;
		invert_information(&here, estimate);
		rescale(estimate, location, scale);
		/* a sum of probabilities, not of densities: no unit in it */
		estimate->log_likelihood = here.value;
	}
	free(counts.x);
	free(counts.count);
}
