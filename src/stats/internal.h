/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder share. */
#ifndef EVTOP_STATS_INTERNAL_H
#define EVTOP_STATS_INTERNAL_H

#include "evtop/stats.h"

/* The MLE looks no further down: below -1 the likelihood has no maximum. */
#define SHAPE_LEAST (-1 + 1e-6)

/* Values and what decides whether a support holds them all. */
struct values {
	const double *x;
	size_t n;
	double min, max;
};

struct values values_of(const double *x, size_t n);

/* Whether every value lies inside the support of theta, and the scale is positive. */
bool support_holds(const struct values *values, const double *theta);

/*
 * Log-likelihood of the GEV (xi = 0: Gumbel) with its score and its matrix of
 * second derivatives, by location, scale and shape, in one pass.
 */
struct likelihood {
	double value;
	double gradient[3];
	double hessian[3][3];
};

/* false where theta is infeasible or a sum is not finite. */
bool likelihood_pass(const struct values *values, const double *theta,
		     struct likelihood *likelihood);

/* MANY values: a pass over more is worth saving. */
#define MANY 20000

/* A log-likelihood to climb; shape stays where it is with n_free = 2. */
struct surface {
	bool (*pass)(const struct surface *surface, const double *theta, struct likelihood *here);
	const void *data;
	size_t n; /* values behind it */
	int n_free;
};

/* From theta to the maximum; false where it is not found above SHAPE_LEAST. */
bool climb_to_top(const struct surface *surface, double *theta, struct likelihood *here,
		  int *n_steps);

/* Values cut down to ticks: each stands for [x, x + tick). */
struct tick_counts {
	double *x, *count;
	size_t n;
	double tick;
};

/* Sum of count ln(F(x + tick) - F(x)), as likelihood_pass(). */
bool ticks_likelihood_pass(const struct tick_counts *counts, const double *theta,
			   struct likelihood *likelihood);

/* t = ln(1 + xi z)/xi and its first two derivatives by xi; 1 + xi z > 0. */
void reduced_terms(double z, double xi, double terms[3]);

/*
 * Linear algebra of at most 3x3. GSL's Cholesky tells an indefinite matrix by
 * its error handler, which is global; here that is an ordinary answer.
 */
bool solve_positive(const double a[3][3], int n, const double *b, double *x);
bool invert_positive(const double a[3][3], int n, double inverse[3][3]);

/* expm1(-xi L)/xi, and its first and second derivative in xi, good at xi = 0. */
void level_terms(double shape, double ln_y, double terms[3]);

/* stats_fit() that does not sort: x is sorted already, or the estimator is MLE. */
void fit_ordered(const double *x, size_t n, enum model model, enum estimator estimator,
		 struct estimate *estimate);

/* n sorted draws from theta without sorting them. */
void draw_sorted(enum model model, const double *theta, double *x, size_t n, uint64_t *state);

#endif
