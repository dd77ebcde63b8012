/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>

void stats_init(void)
{
	gsl_set_error_handler_off();
}

double stats_normal_quantile(double p)
{
	return gsl_cdf_ugaussian_Pinv(p);
}

double stats_chi2_quantile(double confidence, double df)
{
	return gsl_cdf_chisq_Pinv(confidence, df);
}

/*
 * Where tail(x, a, b), which falls (sign -1) or rises (1) with x, is level.
 * Bisection: GSL's own inverses give up (NaN) for hundreds of 10^5.
 */
static double beta_place(double (*tail)(double, double, double), double sign, double a, double b,
			 double level, double lower, double upper)
{
	for (int i = 0; i < 200 && upper - lower > 1e-15 * upper; i++) {
		double middle = 0.5 * (lower + upper);

		if (sign * (tail(middle, a, b) - level) < 0)
			lower = middle;
		else
			upper = middle;
	}
	return 0.5 * (lower + upper);
}

struct bounds stats_binomial_interval(uint64_t k, uint64_t n, double confidence)
{
	double half = 0.5 * (1 - confidence), share = (double)k / (double)n;
	struct bounds bounds = {0, 1};

	if (n == 0)
		return bounds;
	if (k > 0)
		bounds.lower = beta_place(gsl_cdf_beta_P, 1, (double)k, (double)(n - k) + 1, half,
					  0, share);
	if (k < n)
		bounds.upper = beta_place(gsl_cdf_beta_Q, -1, (double)k + 1, (double)(n - k), half,
					  share, 1);
	return bounds;
}

uint64_t stats_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

double stats_random_uniform(uint64_t *state)
{
	return ((double)(stats_random(state) >> 11) + 0.5) * 0x1p-53;
}
