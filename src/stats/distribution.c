/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "internal.h"

#include <math.h>

/*
 * c(xi) = expm1(-xi L)/xi with L = ln y, so that the level is mu + sigma c.
 * Series: c = -sum_{k>=1} (-1)^(k-1) L^k xi^(k-1)/k!
 */
static void level_terms_by_series(double xi, double l, double terms[3])
{
	double power = 1; /* (-L)^k/k! without xi */

	terms[0] = terms[1] = terms[2] = 0;
	for (int k = 1; k <= 16; k++) {
		power *= -l / k;
		terms[0] += power * pow(xi, k - 1);
		if (k >= 2)
			terms[1] += power * (k - 1) * pow(xi, k - 2);
		if (k >= 3)
			terms[2] += power * (k - 1) * (k - 2) * pow(xi, k - 3);
	}
}

void level_terms(double xi, double ln_y, double terms[3])
{
	double grown;

	if (fabs(xi * ln_y) < 0.1) {
		level_terms_by_series(xi, ln_y, terms);
		return;
	}
	grown = exp(-xi * ln_y);
	terms[0] = expm1(-xi * ln_y) / xi;
	terms[1] = (-ln_y * grown - terms[0]) / xi;
	terms[2] = (ln_y * ln_y * grown - 2 * terms[1]) / xi;
}

static double gev_quantile(const double *theta, double y)
{
	double ln_y = log(y), xi = theta[SHAPE];

	if (xi == 0)
		return theta[LOCATION] - theta[SCALE] * ln_y;
	/* y = 0 is the end of the support */
	return theta[LOCATION] + theta[SCALE] * expm1(-xi * ln_y) / xi;
}

static void gev_gradient(const double *theta, double y, double *gradient)
{
	double terms[3];

	level_terms(theta[SHAPE], log(y), terms);
	gradient[LOCATION] = 1;
	gradient[SCALE] = terms[0];
	gradient[SHAPE] = theta[SCALE] * terms[1];
}

static double gumbel_y(const double *theta, double x)
{
	return exp(-(x - theta[LOCATION]) / theta[SCALE]);
}

static double gev_y(const double *theta, double x)
{
	double xi = theta[SHAPE], u = xi * (x - theta[LOCATION]) / theta[SCALE];

	if (xi == 0)
		return gumbel_y(theta, x);
	if (u <= -1)
		return xi > 0 ? INFINITY : 0;
	return exp(-log1p(u) / xi);
}

static double gumbel_quantile(const double *theta, double y)
{
	return theta[LOCATION] - theta[SCALE] * log(y);
}

static void gumbel_gradient(const double *theta, double y, double *gradient)
{
	(void)theta;
	gradient[LOCATION] = 1;
	gradient[SCALE] = -log(y);
}

static double gumbel_log_density(const double *theta, double x)
{
	double z = (x - theta[LOCATION]) / theta[SCALE];

	return -log(theta[SCALE]) - z - exp(-z);
}

static double gev_log_density(const double *theta, double x)
{
	double xi = theta[SHAPE], u = xi * (x - theta[LOCATION]) / theta[SCALE], t;

	if (xi == 0)
		return gumbel_log_density(theta, x);
	if (u <= -1)
		return -INFINITY;
	t = log1p(u) / xi;
	return -log(theta[SCALE]) - (1 + xi) * t - exp(-t);
}

static const char *const parameter_names[] = {"location", "scale", "shape"};

static const struct distribution distributions[] = {
	{MODEL_GEV, 3, parameter_names, gev_log_density, gev_y, gev_quantile, gev_gradient},
	{MODEL_GUMBEL, 2, parameter_names, gumbel_log_density, gumbel_y, gumbel_quantile,
	 gumbel_gradient},
};

const struct distribution *stats_distribution(enum model model)
{
	for (size_t i = 0; i < COUNT_OF(distributions); i++)
		if (distributions[i].model == model)
			return &distributions[i];
	return NULL;
}

double stats_cdf_of_y(double y)
{
	return exp(-y);
}

double stats_tail_of_y(double y)
{
	return -expm1(-y);
}
