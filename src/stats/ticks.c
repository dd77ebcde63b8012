/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Interval likelihood of values known to a tick. With y = -ln F at both ends,
 *	ln(F(b) - F(a)) = -y_b + ln(1 - e^-(y_a - y_b)),
 * which loses nothing where both are near 1.
 */
#include "internal.h"

#include <math.h>

/* y at one end and its derivatives by location, scale and shape. */
struct end {
	double y, first[3], second[3][3];
};

static void gev_end(const double *theta, double x, struct end *end)
{
	double sigma = theta[SCALE], xi = theta[SHAPE], z = (x - theta[LOCATION]) / sigma;
	double w = 1 + xi * z, terms[3], by_z, by_zz, by_zxi;
	double t[3], tt[3][3];

	*end = (struct end){0};
	if (!(w > 0)) {
		end->y = xi > 0 ? INFINITY : 0;
		return;
	}
	reduced_terms(z, xi, terms);
	by_z = 1 / w;
	by_zz = -xi / (w * w);
	by_zxi = -z / (w * w);
	t[LOCATION] = -by_z / sigma;
	t[SCALE] = -z * by_z / sigma;
	t[SHAPE] = terms[1];
	tt[LOCATION][LOCATION] = by_zz / (sigma * sigma);
	tt[LOCATION][SCALE] = tt[SCALE][LOCATION] = (by_zz * z + by_z) / (sigma * sigma);
	tt[SCALE][SCALE] = (by_zz * z * z + 2 * by_z * z) / (sigma * sigma);
	tt[LOCATION][SHAPE] = tt[SHAPE][LOCATION] = -by_zxi / sigma;
	tt[SCALE][SHAPE] = tt[SHAPE][SCALE] = -by_zxi * z / sigma;
	tt[SHAPE][SHAPE] = terms[2];
	end->y = exp(-terms[0]);
	for (int i = 0; i < 3; i++) {
		end->first[i] = -end->y * t[i];
		for (int j = 0; j < 3; j++)
			end->second[i][j] = end->y * (t[i] * t[j] - tt[i][j]);
	}
}

bool ticks_likelihood_pass(const struct tick_counts *counts, const double *theta,
			   struct likelihood *likelihood)
{
	*likelihood = (struct likelihood){0};
	if (!(theta[SCALE] > 0))
		return false;
	for (size_t k = 0; k < counts->n; k++) {
		struct end a, b;
		double c = counts->count[k], gap, g;

		gev_end(theta, counts->x[k], &a);
		gev_end(theta, counts->x[k] + counts->tick, &b);
		gap = a.y - b.y;
		if (!(gap > 0) || isinf(b.y))
			return false;
		g = isinf(gap) ? 0 : 1 / expm1(gap);
		likelihood->value += c * (-b.y + (isinf(gap) ? 0 : log(-expm1(-gap))));
		for (int i = 0; i < 3; i++) {
			double d_i = a.first[i] - b.first[i];

			likelihood->gradient[i] += c * (g * d_i - b.first[i]);
			for (int j = 0; j < 3; j++) {
				double d_j = a.first[j] - b.first[j];

				likelihood->hessian[i][j] +=
					c * (g * (a.second[i][j] - b.second[i][j]) -
					     g * (1 + g) * d_i * d_j - b.second[i][j]);
			}
		}
	}
	return isfinite(likelihood->value) && isfinite(likelihood->hessian[SHAPE][SHAPE]);
}
