/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Newton's way up a log-likelihood, damped where it must be. */
#include "internal.h"

#include <math.h>
#include <string.h>

#define MOST_STEPS 200

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
static bool ascent_step(const struct likelihood *here, int n, double *step)
{
	double information[3][3], ridge = 0;

	for (int attempt = 0; attempt < 40; attempt++) {
		for (int i = 0; i < 3; i++)
			for (int j = 0; j < 3; j++)
				information[i][j] = -here->hessian[i][j];
		for (int i = 0; i < 3; i++)
			information[i][i] += ridge * fabs(information[i][i]);
		if (solve_positive(information, n, here->gradient, step))
			return true;
		ridge = ridge > 0 ? 4 * ridge : 1e-2;
	}
	return false;
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
static bool climb(const struct surface *surface, double *theta, struct likelihood *here,
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
		if (surface->pass(surface, next, &there) &&
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

bool climb_to_top(const struct surface *surface, double *theta, struct likelihood *here,
		  int *n_steps)
{
	if (!surface->pass(surface, theta, here))
		return false;
	for (*n_steps = 0; *n_steps < MOST_STEPS; ++*n_steps) {
		double step[3] = {0}, decrement;
		struct likelihood local = *here;

		by_log_scale(theta, &local);
		if (!ascent_step(&local, surface->n_free, step))
			return false;
		decrement = rise(&local, step);
		if (decrement < last_decrement(surface->n)) {
			walk(theta, step, 1);
			here->value += 0.5 * decrement;
			return true;
		}
		if (surface->n_free > SHAPE && theta[SHAPE] < SHAPE_LEAST + 1e-4 &&
		    here->gradient[SHAPE] < 0)
			return false;
		if (!climb(surface, theta, here, &local, step))
			return decrement < 1e-8;
	}
	return false;
}
