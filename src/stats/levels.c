/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Return levels and their intervals by the delta method. */
#include "internal.h"

#include <math.h>

double stats_y_of_period(double blocks)
{
	return -log1p(-1 / blocks);
}

double stats_y_of_probability(double p, double block_size)
{
	return -block_size * log1p(-p);
}

double stats_probability_of_y(double y, double block_size)
{
	return -expm1(-y / block_size);
}

double stats_level(const struct estimate *estimate, double y)
{
	return stats_distribution(estimate->model)->quantile(estimate->theta, y);
}

double stats_level_error(const struct estimate *estimate, double y)
{
	double gradient[N_PARAMETERS_MAX] = {0}, variance = 0;

	stats_distribution(estimate->model)->quantile_gradient(estimate->theta, y, gradient);
	for (int i = 0; i < estimate->n_parameters; i++)
		for (int j = 0; j < estimate->n_parameters; j++)
			variance += gradient[i] * estimate->covariance[i][j] * gradient[j];
	return sqrt(variance);
}

static struct bounds around(double middle, double error, double confidence)
{
	double half = stats_normal_quantile(0.5 + 0.5 * confidence) * error;

	return (struct bounds){middle - half, middle + half};
}

struct bounds stats_level_delta(const struct estimate *estimate, double y, double confidence)
{
	return around(stats_level(estimate, y), stats_level_error(estimate, y), confidence);
}

struct bounds stats_shape_delta(const struct estimate *estimate, double confidence)
{
	return around(estimate->theta[SHAPE], estimate->standard_error[SHAPE], confidence);
}
