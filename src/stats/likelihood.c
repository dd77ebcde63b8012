/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The likelihood of the GEV in terms of t = -ln y = ln(1 + xi z)/xi:
 *	l = -ln sigma - (1 + xi) t - exp(-t)
 * which has no pole at xi = 0: t -> z, t_xi -> -z^2/2, t_xixi -> 2 z^3/3.
 */
#include "internal.h"

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
	double t, t_xi, t_xixi;
};

/* t = sum_k (-1)^k z^(k+1) xi^k/(k+1), by Horner */
static struct reduced reduce_by_series(double z, double xi)
{
	double u = -xi * z;
	struct reduced r = {0, 0, 0};

	for (int k = SERIES_TERMS; k >= 0; k--) {
		r.t = r.t * u + 1.0 / (k + 1);
		if (k >= 1)
			r.t_xi = r.t_xi * u + (double)k / (k + 1);
		if (k >= 2)
			r.t_xixi = r.t_xixi * u + (double)k * (k - 1) / (k + 1);
	}
	r.t *= z;
	r.t_xi *= -z * z;
	r.t_xixi *= z * z * z;
	return r;
}

/* ln(1+u) from w = 1+u as rounded: exact to the last digits for any u (Kahan). */
static inline double log_one_plus(double u, double w, double inverse_w)
{
	return log(w) - ((w - 1) - u) * inverse_w;
}

static inline struct reduced reduce(double z, double u, double w, double inverse_w,
				    double inverse_xi)
{
	struct reduced r;
	double zw = z * inverse_w;

	r.t = log_one_plus(u, w, inverse_w) * inverse_xi;
	r.t_xi = (zw - r.t) * inverse_xi;
	r.t_xixi = -(zw * zw + 2 * r.t_xi) * inverse_xi;
	return r;
}

/* Sums over the values; l_z is dl/dz at fixed xi and so on. */
struct sums {
	double t, y;
	double z1, z1z;		/* l_z, l_z z */
	double z2, z2z, z2zz;	/* l_zz, l_zz z, l_zz z^2 */
	double x1, x2, zx, zxz; /* l_xi, l_xixi, l_zxi, l_zxi z */
};

static inline void add(struct sums *sums, double z, double inverse_w, double xi,
		       const struct reduced *r)
{
	double y = exp(-r->t), a = y - 1 - xi; /* a is dl/dt */
	double z1 = a * inverse_w;
	double z2 = -(y + a * xi) * inverse_w * inverse_w;
	double zx = -inverse_w * (1 + y * r->t_xi + z1 * z);

	sums->t += r->t;
	sums->y += y;
	sums->z1 += z1;
	sums->z1z += z1 * z;
	sums->z2 += z2;
	sums->z2z += z2 * z;
	sums->z2zz += z2 * z * z;
	sums->x1 += a * r->t_xi - r->t;
	sums->x2 += a * r->t_xixi - r->t_xi * (2 + y * r->t_xi);
	sums->zx += zx;
	sums->zxz += zx * z;
}

static void sum_near_gumbel(const struct values *values, const double *theta, struct sums *sums)
{
	double scale = 1 / theta[SCALE], xi = theta[SHAPE];

	for (size_t i = 0; i < values->n; i++) {
		double z = (values->x[i] - theta[LOCATION]) * scale, u = xi * z;
		double w = 1 + u, inverse_w = 1 / w;
		struct reduced r = fabs(u) < SERIES_REACH ? reduce_by_series(z, xi)
							  : reduce(z, u, w, inverse_w, 1 / xi);

		add(sums, z, inverse_w, xi, &r);
	}
}

static void sum_general(const struct values *values, const double *theta, struct sums *sums)
{
	double scale = 1 / theta[SCALE], xi = theta[SHAPE], inverse_xi = 1 / xi;

	for (size_t i = 0; i < values->n; i++) {
		double z = (values->x[i] - theta[LOCATION]) * scale, u = xi * z;
		double w = 1 + u, inverse_w = 1 / w;
		struct reduced r = reduce(z, u, w, inverse_w, inverse_xi);

		add(sums, z, inverse_w, xi, &r);
	}
}

bool likelihood_pass(const struct values *values, const double *theta,
		     struct likelihood *likelihood)
{
	struct sums s = {0};
	double n = (double)values->n, scale = 1 / theta[SCALE];
	double(*h)[3] = likelihood->hessian;

	if (!support_holds(values, theta))
		return false;
	if (fabs(theta[SHAPE]) < SERIES_SHAPE)
		sum_near_gumbel(values, theta, &s);
	else
		sum_general(values, theta, &s);
	likelihood->value = -n * log(theta[SCALE]) - (1 + theta[SHAPE]) * s.t - s.y;
	likelihood->gradient[LOCATION] = -s.z1 * scale;
	likelihood->gradient[SCALE] = -(n + s.z1z) * scale;
	likelihood->gradient[SHAPE] = s.x1;
	h[LOCATION][LOCATION] = s.z2 * scale * scale;
	h[LOCATION][SCALE] = h[SCALE][LOCATION] = (s.z2z + s.z1) * scale * scale;
	h[SCALE][SCALE] = (n + s.z2zz + 2 * s.z1z) * scale * scale;
	h[LOCATION][SHAPE] = h[SHAPE][LOCATION] = -s.zx * scale;
	h[SCALE][SHAPE] = h[SHAPE][SCALE] = -s.zxz * scale;
	h[SHAPE][SHAPE] = s.x2;
	return isfinite(likelihood->value) && isfinite(s.x2) && isfinite(s.z2zz);
}

double stats_log_likelihood(const double *maxima, size_t n, enum model model, const double *theta)
{
	struct values values = values_of(maxima, n);
	double own[3] = {theta[LOCATION], theta[SCALE], model == MODEL_GUMBEL ? 0 : theta[SHAPE]};
	struct likelihood likelihood;

	return likelihood_pass(&values, own, &likelihood) ? likelihood.value : -INFINITY;
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
