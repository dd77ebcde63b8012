/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histogram, kernel density and ECDF of sorted durations. Counts between two
 * edges come from binary searches, so that the cost hangs on what is drawn and
 * not on millions of values.
 */
#include "evtop/stats.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_REACH 5.0   /* bandwidths: what lies farther is below 4e-6 */
#define BINS_PER_WIDTH 40  /* for 2,000 values right to 1/3000 of the peak */
#define FEW_VALUES 256	   /* within reach: summed one by one */
#define THINNED_SIZE 65536 /* values that bandwidths are found from */
#define PAIR_BINS_MOST 65536
#define HALF_TICK 0.5

/* How many of sorted[0..n) lie below edge. */
static size_t count_below(const uint64_t *sorted, size_t n, double edge)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if ((double)sorted[middle] < edge)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t count_up_to(const uint64_t *sorted, size_t n, double x)
{
	return count_below(sorted, n, nextafter(x, INFINITY));
}

/* The same for an edge in units of the axis; 0 ns stands at 1 ns on a log one. */
static size_t count_below_on_axis(const uint64_t *sorted, size_t n, enum axis_scale scale,
				  double edge)
{
	if (scale == AXIS_LINEAR)
		return count_below(sorted, n, edge);
	return edge <= 0 ? 0 : count_below(sorted, n, exp(edge));
}

static double on_axis(uint64_t value_ns, enum axis_scale scale)
{
	if (scale == AXIS_LINEAR)
		return (double)value_ns;
	return value_ns ? log((double)value_ns) : 0;
}

void stats_histogram(const uint64_t *sorted, size_t n, enum axis_scale scale, double lower,
		     double upper, uint64_t *count, size_t n_bins)
{
	double from = scale == AXIS_LOG ? log(lower) : lower;
	double to = scale == AXIS_LOG ? log(upper) : upper;
	size_t before = count_below(sorted, n, lower);

	for (size_t i = 0; i < n_bins; i++) {
		double edge = from + (to - from) * (double)(i + 1) / (double)n_bins;
		size_t below = i + 1 == n_bins ? count_up_to(sorted, n, upper)
					       : count_below(sorted, n,
							     scale == AXIS_LOG ? exp(edge) : edge);

		count[i] = below > before ? below - before : 0;
		before = below > before ? below : before;
	}
}

void stats_ecdf(const uint64_t *sorted, size_t n, const double *x, double *share, size_t n_points)
{
	for (size_t i = 0; i < n_points; i++)
		share[i] = n ? (double)count_up_to(sorted, n, x[i]) / (double)n : 0;
}

void stats_ccdf(const uint64_t *sorted, size_t n, const double *x, double *share, size_t n_points)
{
	for (size_t i = 0; i < n_points; i++)
		share[i] = n ? (double)(n - count_up_to(sorted, n, x[i])) / (double)n : 0;
}

/* ---- kernel density ---- */

/* Sum of exp(-d^2/2) over the values, d their distance in bandwidths. */
static double kernel_sum(const uint64_t *sorted, size_t n, enum axis_scale scale, double bandwidth,
			 double at)
{
	double from = at - KERNEL_REACH * bandwidth, width = bandwidth / BINS_PER_WIDTH, sum = 0;
	size_t first = count_below_on_axis(sorted, n, scale, from), before = first;
	size_t last = count_below_on_axis(sorted, n, scale, at + KERNEL_REACH * bandwidth);

	if (last - first <= FEW_VALUES) {
		for (size_t i = first; i < last; i++)
			sum += exp(-0.5 * gsl_pow_2((on_axis(sorted[i], scale) - at) / bandwidth));
		return sum;
	}
	for (int bin = 0; bin < 2 * (int)KERNEL_REACH * BINS_PER_WIDTH; bin++) {
		double edge = from + width * (bin + 1);
		size_t below =
			before + count_below_on_axis(sorted + before, last - before, scale, edge);

		/* a bin's values stand between its first and its last */
		if (below > before) {
			double middle = 0.5 * (on_axis(sorted[before], scale) +
					       on_axis(sorted[below - 1], scale));

			sum += (double)(below - before) *
			       exp(-0.5 * gsl_pow_2((middle - at) / bandwidth));
		}
		before = below;
	}
	return sum;
}

void stats_kernel_density(const uint64_t *sorted, size_t n, enum axis_scale scale, double bandwidth,
			  double lower, double upper, double *density, size_t n_points)
{
	double from = scale == AXIS_LOG ? log(lower) : lower;
	double to = scale == AXIS_LOG ? log(upper) : upper;
	double whole = (double)n * bandwidth * sqrt(2 * M_PI);

	for (size_t i = 0; i < n_points; i++) {
		double at = from + (to - from) * (double)i / (double)(n_points - 1);

		density[i] = n ? kernel_sum(sorted, n, scale, bandwidth, at) / whole : 0;
	}
}

/* ---- bandwidths ---- */

/* Evenly chosen order statistics, on the axis: their shape is that of all. */
struct thinned {
	double *x;
	size_t n;
	double size;   /* of the whole sample */
	double spread; /* min(sd, IQR/1.34); sd where there is no IQR */
};

static void thin(const uint64_t *sorted, size_t n, enum axis_scale scale, struct thinned *thinned)
{
	size_t m = n < THINNED_SIZE ? n : THINNED_SIZE;
	double mean = 0, squares = 0, range;

	thinned->x = mem_alloc(m * sizeof *thinned->x);
	thinned->n = m;
	thinned->size = (double)n;
	for (size_t i = 0; i < m; i++) {
		size_t place = m == n ? i : (size_t)(((double)i + 0.5) * (double)n / (double)m);

		thinned->x[i] = on_axis(sorted[place], scale);
		mean += thinned->x[i] / (double)m;
	}
	for (size_t i = 0; i < m; i++)
		squares += gsl_pow_2(thinned->x[i] - mean);
	thinned->spread = sqrt(squares / (double)(m - 1));
	range = stats_quantile_doubles(thinned->x, m, 0.75) -
		stats_quantile_doubles(thinned->x, m, 0.25);
	if (range > 0)
		thinned->spread = fmin(thinned->spread, range / 1.34);
}

/* Pairs of values by their distance in bins. */
struct pairs {
	double *count;
	size_t n_bins;
	double width;
	double n; /* values binned */
};

/* Autocorrelation of the bins' counts by FFT: n log n where pairs are n^2. */
static void count_pairs(const struct thinned *thinned, double finest, struct pairs *pairs)
{
	size_t n = thinned->n, n_bins = 64;
	/* a few far values would make the bins too wide for all the others */
	double lower = stats_quantile_doubles(thinned->x, n, 0.001);
	double upper = stats_quantile_doubles(thinned->x, n, 0.999);
	double near = 4 * (upper - lower), *bin;

	lower = fmax(thinned->x[0], lower - near);
	upper = fmin(thinned->x[n - 1], upper + near);
	while (n_bins < PAIR_BINS_MOST && (upper - lower) / (double)n_bins > finest)
		n_bins *= 2;
	*pairs = (struct pairs){.n_bins = n_bins,
				.width = (upper - lower) * 1.0001 / (double)n_bins};
	bin = mem_zero(2 * n_bins, sizeof *bin);
	for (size_t i = 0; i < n; i++) {
		if (thinned->x[i] < lower || thinned->x[i] > upper)
			continue;
		bin[(size_t)((thinned->x[i] - lower) / pairs->width)]++;
		pairs->n++;
	}
	gsl_fft_real_radix2_transform(bin, 1, 2 * n_bins);
	bin[0] *= bin[0];
	bin[n_bins] *= bin[n_bins];
	for (size_t i = 1; i < n_bins; i++) {
		bin[i] = gsl_pow_2(bin[i]) + gsl_pow_2(bin[2 * n_bins - i]);
		bin[2 * n_bins - i] = 0;
	}
	gsl_fft_halfcomplex_radix2_inverse(bin, 1, 2 * n_bins);
	bin[0] = (bin[0] - pairs->n) / 2; /* a value is no pair with itself */
	for (size_t i = 0; i < n_bins; i++)
		bin[i] = fmax(0, round(bin[i]));
	pairs->count = bin;
}

/*
 * Estimates of the integrals of f''^2 (order 4) and -f'''^2 (order 6) with a
 * Gaussian kernel of width h (Wand and Jones 1995, 3.5).
 */
static double functional(const struct pairs *pairs, double size, int order, double h)
{
	double sum = 0, n = pairs->n, alone = order == 4 ? 3 : -15; /* a value with itself */

	for (size_t i = 0; i < pairs->n_bins; i++) {
		double d = gsl_pow_2((double)i * pairs->width / h), hermite;

		if (d > 1000)
			break;
		hermite = order == 4 ? d * d - 6 * d + 3 : d * d * d - 15 * d * d + 45 * d - 15;
		sum += pairs->count[i] * exp(-0.5 * d) * hermite;
	}
	sum = 2 * sum / (n * (n - 1)) + alone / (size - 1);
	return sum / (pow(h, order + 1) * sqrt(2 * M_PI));
}

struct equation {
	const struct pairs *pairs;
	double factor, n;
};

static double bandwidth_gap(double h, void *data)
{
	const struct equation *equation = data;
	double roughness =
		functional(equation->pairs, equation->n, 4, equation->factor * pow(h, 5.0 / 7));

	return pow(1 / (2 * sqrt(M_PI) * equation->n * roughness), 0.2) - h;
}

/* Solve-the-equation; NaN where there is no root. */
static double sheather_jones(const struct thinned *thinned)
{
	double most = 1.144 * thinned->spread * pow(thinned->size, -0.2), roughness, least,
	       found = NAN;
	struct pairs pairs;
	struct equation equation;
	gsl_function gap = {bandwidth_gap, &equation};
	gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);

	count_pairs(thinned, most / 64, &pairs);
	roughness = -functional(&pairs, thinned->size, 6,
				1.23 * thinned->spread * pow(thinned->size, -1.0 / 9));
	equation = (struct equation){&pairs, NAN, thinned->size};
	equation.factor =
		1.357 * pow(functional(&pairs, thinned->size, 4,
				       1.24 * thinned->spread * pow(thinned->size, -1.0 / 7)) /
				    roughness,
			    1.0 / 7);
	/* down by halves: near 0 the estimate of roughness is noise and may be negative */
	for (least = most / 2; least > 0.01 * most && bandwidth_gap(least, &equation) <= 0;)
		least /= 2;
	if (bandwidth_gap(least, &equation) > 0 && bandwidth_gap(most, &equation) < 0 &&
	    gsl_root_fsolver_set(solver, &gap, least, most) == GSL_SUCCESS)
		for (int i = 0; i < 100; i++) {
			gsl_root_fsolver_iterate(solver);
			found = gsl_root_fsolver_root(solver);
			if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
						   gsl_root_fsolver_x_upper(solver), 0,
						   1e-6) == GSL_SUCCESS)
				break;
		}
	gsl_root_fsolver_free(solver);
	free(pairs.count);
	return found;
}

/* What no bandwidth may go below: values come in ticks. */
static double least_bandwidth(const uint64_t *sorted, size_t n, enum axis_scale scale)
{
	double median = stats_quantile(sorted, n, 0.5);
	struct ticks ticks;

	stats_ticks(sorted, n, &ticks);
	return HALF_TICK * (double)ticks.tick_ns / (scale == AXIS_LOG ? fmax(1, median) : 1);
}

double stats_bandwidth(const uint64_t *sorted, size_t n, enum axis_scale scale,
		       enum bandwidth_rule rule)
{
	double least, width = NAN;
	struct thinned thinned;

	if (n < 2)
		return HALF_TICK;
	least = least_bandwidth(sorted, n, scale);
	thin(sorted, n, scale, &thinned);
	if (thinned.spread > 0 && rule == BANDWIDTH_SHEATHER_JONES)
		width = sheather_jones(&thinned);
	if (isnan(width))
		width = 0.9 * thinned.spread * pow(thinned.size, -0.2);
	free(thinned.x);
	return fmax(width, least);
}
