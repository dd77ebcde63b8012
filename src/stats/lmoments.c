/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L-moments: Hosking 1990; the GEV from them: Hosking, Wallis and Wood 1985, solved exactly. */
#include "internal.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

#define LN3 1.09861228866810969140

void stats_lmoments(const double *sorted, size_t n, double lmoments[4])
{
	double b[4] = {0};

	for (size_t i = 0; i < n; i++) {
		double w = sorted[i];

		b[0] += w;
		for (size_t r = 1; r < 4; r++) {
			w *= ((double)i - (double)(r - 1)) / (double)(n - r);
			b[r] += w;
		}
	}
	for (size_t r = 0; r < 4; r++)
		b[r] /= (double)n;
	lmoments[0] = b[0];
	lmoments[1] = 2 * b[1] - b[0];
	lmoments[2] = 6 * b[2] - 6 * b[1] + b[0];
	lmoments[3] = 20 * b[3] - 30 * b[2] + 12 * b[1] - b[0];
}

/* 2 (1 - 3^-k)/(1 - 2^-k) - 3 - t3 */
static double skewness_gap(double k, void *t3)
{
	double ratio = k == 0 ? LN3 / M_LN2 : expm1(-k * LN3) / expm1(-k * M_LN2);

	return 2 * ratio - 3 - *(const double *)t3;
}

/* ln Gamma(1+k) without losing k in 1+k. */
static double log_gamma_one_plus(double k)
{
	static const double zeta[] = {1.6449340668482264, 1.2020569031595942, 1.0823232337111382,
				      1.0369277551433699, 1.0173430619844491, 1.0083492773819228};
	double sum = 0;

	if (fabs(k) > 1e-3)
		return gsl_sf_lngamma(1 + k);
	/* -euler k + sum_{j>=2} zeta(j) (-k)^j / j */
	for (int j = 7; j >= 2; j--)
		sum = zeta[j - 2] / j + sum * -k;
	return -M_EULER * k + sum * k * k;
}

static bool solve_shape(double t3, double *k)
{
	/* mean and t3 exist for k > -1, where t3 -> 1; t3 -> -1 as k grows */
	double lower = -1 + 1e-12, upper = 1;
	gsl_function gap = {skewness_gap, &t3};
	gsl_root_fsolver *solver;
	int status = GSL_CONTINUE;

	while (upper < 1e3 && skewness_gap(upper, &t3) > 0)
		upper *= 2;
	if (!(skewness_gap(lower, &t3) > 0) || !(skewness_gap(upper, &t3) <= 0))
		return false;
	solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	gsl_root_fsolver_set(solver, &gap, lower, upper);
	for (int i = 0; i < 200 && status == GSL_CONTINUE; i++) {
		gsl_root_fsolver_iterate(solver);
		status = gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
						gsl_root_fsolver_x_upper(solver), 1e-15, 1e-15);
	}
	*k = gsl_root_fsolver_root(solver);
	gsl_root_fsolver_free(solver);
	return status == GSL_SUCCESS;
}

static bool gumbel_of_lmoments(const double *lmoments, double *theta)
{
	theta[SCALE] = lmoments[1] / M_LN2;
	theta[LOCATION] = lmoments[0] - M_EULER * theta[SCALE];
	theta[SHAPE] = 0;
	return lmoments[1] > 0;
}

static bool gev_of_lmoments(const double *lmoments, double *theta)
{
	double k, gamma_gap; /* (1 - Gamma(1+k))/k */

	if (!(lmoments[1] > 0) || !solve_shape(lmoments[2] / lmoments[1], &k))
		return false;
	if (k == 0)
		return gumbel_of_lmoments(lmoments, theta);
	gamma_gap = -expm1(log_gamma_one_plus(k)) / k;
	theta[SCALE] = lmoments[1] * k / (exp(log_gamma_one_plus(k)) * -expm1(-k * M_LN2));
	theta[LOCATION] = lmoments[0] - theta[SCALE] * gamma_gap;
	theta[SHAPE] = -k;
	return isfinite(theta[SCALE]) && isfinite(theta[LOCATION]);
}

bool stats_of_lmoments(enum model model, const double *lmoments, double *theta)
{
	return model == MODEL_GUMBEL ? gumbel_of_lmoments(lmoments, theta)
				     : gev_of_lmoments(lmoments, theta);
}
