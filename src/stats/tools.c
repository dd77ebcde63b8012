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

struct bounds stats_binomial_interval(uint64_t k, uint64_t n, double confidence)
{
	double half = 0.5 * (1 - confidence);
	struct bounds bounds = {0, 1};

	if (k > 0)
		bounds.lower = gsl_cdf_beta_Pinv(half, (double)k, (double)(n - k) + 1);
	if (k < n)
		bounds.upper = gsl_cdf_beta_Qinv(half, (double)k + 1, (double)(n - k));
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
