/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The likelihood of the GEV in terms of t = -ln y = ln(1 + xi z)/xi:
 *	l = -ln sigma - (1 + xi) t - exp(-t)
 * which has no pole at xi = 0: t -> z, t_xi -> -z^2/2, t_xixi -> 2 z^3/3.
 */
#include "internal.h"
#include "lanes.h"

#include <math.h>
#include <string.h>

/* Where |xi| is below, values with |xi z| < SERIES_REACH take the series. */
#define SERIES_SHAPE 1e-3
#define SERIES_REACH 0.03
#define SERIES_TERMS 11

struct values values_of(const double *x, size_t n)
{
	struct values values = {x, n, INFINITY, -INFINITY};

	for (size_t i = 0; i < n; i++) {
		values.min = x[i] < values.min ? x[i] : values.min;
		values.max = x[i] > values.max ? x[i] : values.max;
	}
	return values;
}

bool support_holds(const struct values *values, const double *theta)
{
	double reach = theta[SHAPE] < 0 ? values->max : values->min;

	if (!(theta[SCALE] > 0) || !isfinite(theta[LOCATION]) || !isfinite(theta[SHAPE]))
		return false;
	return 1 + theta[SHAPE] * (reach - theta[LOCATION]) / theta[SCALE] > 0;
}

/* t and its derivatives by xi. */
struct reduced {
	lanes t, t_xi, t_xixi;
};

/* t = sum_k (-1)^k z^(k+1) xi^k/(k+1), by Horner */
static INLINE struct reduced reduce_by_series(lanes z, lanes u)
{
	struct reduced r = {0};

	for (int k = SERIES_TERMS; k >= 0; k--) {
		r.t = r.t * -u + 1.0 / (k + 1);
		if (k >= 1)
			r.t_xi = r.t_xi * -u + (double)k / (k + 1);
		if (k >= 2)
			r.t_xixi = r.t_xixi * -u + (double)k * (k - 1) / (k + 1);
	}
	r.t *= z;
	r.t_xi *= -z * z;
	r.t_xixi *= z * z * z;
	return r;
}

static INLINE struct reduced reduce(lanes z, lanes u, lanes w, lanes inverse_w, double inverse_xi)
{
	struct reduced r;
	lanes zw = z * inverse_w;

	/* ln(1+u) from w = 1+u as rounded: good to the last digits for any u (Kahan) */
	r.t = (lanes_log(w) - ((w - 1.0) - u) * inverse_w) * inverse_xi;
	r.t_xi = (zw - r.t) * inverse_xi;
	r.t_xixi = -(zw * zw + 2.0 * r.t_xi) * inverse_xi;
	return r;
}

/* Near the Gumbel: the closed form loses its digits where u is small. */
static INLINE struct reduced reduce_near(lanes z, lanes u, lanes w, lanes inverse_w, double xi)
{
	struct reduced series = reduce_by_series(z, u), closed;
	lane_bits small = (lane_bits)(u < SERIES_REACH) & (lane_bits)(u > -SERIES_REACH);

	if (xi == 0)
		return series;
	closed = reduce(z, u, w, inverse_w, 1 / xi);
	series.t = lanes_choose(small, series.t, closed.t);
	series.t_xi = lanes_choose(small, series.t_xi, closed.t_xi);
	series.t_xixi = lanes_choose(small, series.t_xixi, closed.t_xixi);
	return series;
}

void reduced_terms(double z, double xi, double terms[3])
{
	lanes w = 1.0 + LANES(xi * z);
	struct reduced r = reduce_near(LANES(z), LANES(xi * z), w, 1.0 / w, xi);

	terms[0] = r.t[0];
	terms[1] = r.t_xi[0];
	terms[2] = r.t_xixi[0];
}

/* Sums over the values; z1 is dl/dz at fixed xi, zx its derivative by xi, and so on. */
struct sums {
	lanes t, y;
	lanes z1, z1z;
	lanes z2, z2z, z2zz;
	lanes x1, x2, zx, zxz;
};

static INLINE void add(struct sums *sums, lanes z, lanes inverse_w, double xi,
		       const struct reduced *r)
{
	lanes y = lanes_exp(-r->t), a = y - (1 + xi); /* a is dl/dt */
	lanes z1 = a * inverse_w;
	lanes z2 = -(y + a * xi) * inverse_w * inverse_w;
	lanes zx = -inverse_w * (1.0 + y * r->t_xi + z1 * z);

	sums->t += r->t;
	sums->y += y;
	sums->z1 += z1;
	sums->z1z += z1 * z;
	sums->z2 += z2;
	sums->z2z += z2 * z;
	sums->z2zz += z2 * z * z;
	sums->x1 += a * r->t_xi - r->t;
	sums->x2 += a * r->t_xixi - r->t_xi * (2.0 + y * r->t_xi);
	sums->zx += zx;
	sums->zxz += zx * z;
}

/* near is a constant where it is called: two loops come of it. */
static INLINE void sum_lanes(struct sums *sums, const double *x, size_t n, const double *theta,
			     bool near)
{
	double scale = 1 / theta[SCALE], xi = theta[SHAPE], inverse_xi = 1 / xi;
	struct sums here = *sums; /* cannot alias x */

	for (size_t i = 0; i + N_LANES <= n; i += N_LANES) {
		lanes z = (lanes_load(x + i) - theta[LOCATION]) * scale, u = xi * z;
		lanes w = 1.0 + u, inverse_w = 1.0 / w;
		struct reduced r = near ? reduce_near(z, u, w, inverse_w, xi)
					: reduce(z, u, w, inverse_w, inverse_xi);

		add(&here, z, inverse_w, xi, &r);
	}
	*sums = here;
}

FOR_EVERY_MACHINE
static void sum_near(struct sums *sums, const double *x, size_t n, const double *theta)
{
	sum_lanes(sums, x, n, theta, true);
}

FOR_EVERY_MACHINE
static void sum_far(struct sums *sums, const double *x, size_t n, const double *theta)
{
	sum_lanes(sums, x, n, theta, false);
}

/* Each sum ends in its lane 0. */
static void sum_all(struct sums *sums, const struct values *values, const double *theta)
{
	void (*sum)(struct sums *, const double *, size_t, const double *) =
		fabs(theta[SHAPE]) < SERIES_SHAPE ? sum_near : sum_far;
	size_t n_left = values->n % N_LANES, n_sums = sizeof *sums / sizeof(lanes);
	lanes *total = (lanes *)sums;

	sum(sums, values->x, values->n, theta);
	for (size_t i = 0; i < n_sums; i++)
		total[i][0] = lanes_sum(total[i]);
	for (size_t i = values->n - n_left; i < values->n; i++) {
		const double alike[N_LANES] = {values->x[i], values->x[i], values->x[i],
					       values->x[i]};
		struct sums last = {0};

		sum(&last, alike, N_LANES, theta);
		for (size_t j = 0; j < n_sums; j++)
			total[j][0] += ((lanes *)&last)[j][0];
	}
}

bool likelihood_pass(const struct values *values, const double *theta,
		     struct likelihood *likelihood)
{
	struct sums s = {0};
	double n = (double)values->n, scale = 1 / theta[SCALE], scale2 = scale * scale;
	double(*h)[3] = likelihood->hessian;

	if (!support_holds(values, theta))
		return false;
	sum_all(&s, values, theta);
	likelihood->value = -n * log(theta[SCALE]) - (1 + theta[SHAPE]) * s.t[0] - s.y[0];
	likelihood->gradient[LOCATION] = -s.z1[0] * scale;
	likelihood->gradient[SCALE] = -(n + s.z1z[0]) * scale;
	likelihood->gradient[SHAPE] = s.x1[0];
	h[LOCATION][LOCATION] = s.z2[0] * scale2;
	h[LOCATION][SCALE] = h[SCALE][LOCATION] = (s.z2z[0] + s.z1[0]) * scale2;
	h[SCALE][SCALE] = (n + s.z2zz[0] + 2 * s.z1z[0]) * scale2;
	h[LOCATION][SHAPE] = h[SHAPE][LOCATION] = -s.zx[0] * scale;
	h[SCALE][SHAPE] = h[SHAPE][SCALE] = -s.zxz[0] * scale;
	h[SHAPE][SHAPE] = s.x2[0];
	return isfinite(likelihood->value) && isfinite(s.x2[0]) && isfinite(s.z2zz[0]);
}

/* The value alone: t = z for Gumbel. */
double stats_log_likelihood(const double *maxima, size_t n, enum model model, const double *theta)
{
	struct values values = values_of(maxima, n);
	double scale = 1 / theta[SCALE], sum_t = 0, sum_y = 0;
	double xi = model == MODEL_GUMBEL ? 0 : theta[SHAPE];
	const double own[3] = {theta[LOCATION], theta[SCALE], xi};

	if (!support_holds(&values, own))
		return -INFINITY;
	for (size_t i = 0; i < n; i++) {
		double t = (maxima[i] - theta[LOCATION]) * scale;

		if (xi != 0)
			t = log1p(xi * t) / xi;
		sum_t += t;
		sum_y += exp(-t);
	}
	return -(double)n * log(theta[SCALE]) - (1 + xi) * sum_t - sum_y;
}

/* Lower triangle of the Cholesky factor; false where a is not positive definite. */
static bool factor(const double a[3][3], int n, double l[3][3])
{
	for (int i = 0; i < n; i++) {
		for (int j = 0; j <= i; j++) {
			double sum = a[i][j];

			for (int k = 0; k < j; k++)
				sum -= l[i][k] * l[j][k];
			if (i == j && !(sum > 1e-14 * fabs(a[i][i])))
				return false;
			l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
		}
	}
	return true;
}

static void substitute(double l[3][3], int n, const double *b, double *x)
{
	for (int i = 0; i < n; i++) {
		x[i] = b[i];
		for (int k = 0; k < i; k++)
			x[i] -= l[i][k] * x[k];
		x[i] /= l[i][i];
	}
	for (int i = n - 1; i >= 0; i--) {
		for (int k = i + 1; k < n; k++)
			x[i] -= l[k][i] * x[k];
		x[i] /= l[i][i];
	}
}

bool solve_positive(const double a[3][3], int n, const double *b, double *x)
{
	double l[3][3];

	if (!factor(a, n, l))
		return false;
	substitute(l, n, b, x);
	return true;
}

bool invert_positive(const double a[3][3], int n, double inverse[3][3])
{
	double l[3][3];

	if (!factor(a, n, l))
		return false;
	for (int i = 0; i < n; i++) {
		double unit[3] = {0}, column[3];

		unit[i] = 1;
		substitute(l, n, unit, column);
		for (int j = 0; j < n; j++)
			inverse[j][i] = column[j];
	}
	return true;
}
