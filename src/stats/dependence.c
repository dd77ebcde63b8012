/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Are executions independent, and is their distribution the same throughout? */
#include "evtop/stats.h"
#include "lanes.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CACHED_VALUES 2048
#define KS_EXACT_MOST 1e6 /* n_a n_b */

/*
 * Sums of products of centered values at every lag, begin..end of them: short
 * enough a stretch to stay in the nearest cache for all lags.
 */
FOR_EVERY_MACHINE
static void add_products(const double *centered, size_t begin, size_t end, double *sum,
			 size_t n_lags)
{
	for (size_t lag = 1; lag <= n_lags; lag++) {
		size_t i = begin < lag ? lag : begin;
		lanes even = {0}, odd = {0};

		for (; i + 2 * N_LANES <= end; i += 2 * N_LANES) {
			even += lanes_load(centered + i) * lanes_load(centered + i - lag);
			odd += lanes_load(centered + i + N_LANES) *
			       lanes_load(centered + i + N_LANES - lag);
		}
		sum[lag - 1] += lanes_sum(even + odd);
		for (; i < end; i++)
			sum[lag - 1] += centered[i] * centered[i - lag];
	}
}

void stats_autocorrelation(const double *values, size_t n, double *r, size_t n_lags)
{
	double mean = 0, variance = 0, *centered = mem_alloc(n * sizeof *centered);

	/* from the first value on: of a constant series nothing is left, not even rounding */
	for (size_t i = 0; i < n; i++)
		mean += values[i] - values[0];
	mean /= n ? (double)n : 1;
	for (size_t i = 0; i < n; i++) {
		centered[i] = values[i] - values[0] - mean;
		variance += centered[i] * centered[i];
	}
	memset(r, 0, n_lags * sizeof *r);
	for (size_t begin = 0; begin < n; begin += CACHED_VALUES)
		add_products(centered, begin, begin + CACHED_VALUES < n ? begin + CACHED_VALUES : n,
			     r, n_lags);
	for (size_t i = 0; i < n_lags; i++)
		r[i] = variance > 0 ? r[i] / variance : 0;
	free(centered);
}

double stats_effective_size(const double *r, size_t n_lags, size_t n)
{
	double sum = 0, size;

	for (size_t k = 0; k + 1 < n_lags && r[k] + r[k + 1] > 0; k += 2)
		sum += r[k] + r[k + 1];
	size = (double)n / (1 + 2 * sum);
	return fmin(size, (double)n);
}

/* ln of chi2's upper tail, by its leading terms where the tail underflows. */
static double log_chi2_tail(double q, double df)
{
	int sign; /* lgamma() would write it to a global: a race between workers */
	double tail = gsl_cdf_chisq_Q(q, df), half = 0.5 * df, x = 0.5 * q;

	if (tail > 1e-290)
		return log(tail);
	/* Gamma(a, x)/Gamma(a) ~ x^(a-1) e^-x / Gamma(a) (1 + (a-1)/x + (a-1)(a-2)/x^2) */
	return (half - 1) * log(x) - x - lgamma_r(half, &sign) +
	       log1p((half - 1) / x + (half - 1) * (half - 2) / (x * x));
}

struct test stats_ljung_box(const double *r, size_t n, size_t lag)
{
	struct test test = {NAN, NAN, NAN, n};
	double sum = 0, size = (double)n;

	if (lag == 0 || n <= lag + 1)
		return test;
	for (size_t k = 1; k <= lag; k++)
		sum += r[k - 1] * r[k - 1] / (size - (double)k);
	test.statistic = size * (size + 2) * sum;
	test.p = gsl_cdf_chisq_Q(test.statistic, (double)lag);
	test.log_p = log_chi2_tail(test.statistic, (double)lag);
	return test;
}

/* ---- Kolmogorov-Smirnov ---- */

/* The largest distance of both ECDFs; tie_ends[i]: a tie ends with the i-th of the pool. */
static double ks_distance(const double *a, size_t n_a, const double *b, size_t n_b, bool *tie_ends)
{
	double distance = 0;
	size_t i = 0, j = 0;

	while (i < n_a || j < n_b) {
		double value = j == n_b || (i < n_a && a[i] < b[j]) ? a[i] : b[j];

		while (i < n_a && a[i] == value)
			i++;
		while (j < n_b && b[j] == value)
			j++;
		distance = fmax(distance, fabs((double)i / (double)n_a - (double)j / (double)n_b));
		if (tie_ends)
			tie_ends[i + j] = true;
	}
	return distance;
}

/*
 * Of all orders in which the pool could have been drawn, the share that reaches
 * the distance, looking only where ties end (Schroeer and Trenkler 1995).
 * Everything is added, so that a small p is exact. u[j] is the share for a path
 * to (i, j).
 */
static double ks_exact_p(double distance, size_t n_a, size_t n_b, const bool *tie_ends)
{
	double a = (double)n_a, b = (double)n_b, p;
	/* distances are multiples of 1/(a b): compare between two of them */
	double reached = (0.5 + floor(distance * a * b - 1e-7)) / (a * b);
	double *u = mem_zero(n_b + 1, sizeof *u);

	for (size_t i = 0; i <= n_a; i++) {
		for (size_t j = 0; j <= n_b; j++) {
			double gap = fabs((double)i / a - (double)j / b);

			if (gap > reached && i + j > 0 && tie_ends[i + j])
				u[j] = 1;
			else if (j == 0)
				u[0] = i ? u[0] : 0;
			else if (i == 0)
				u[j] = u[j - 1];
			else
				u[j] = ((double)i * u[j] + (double)j * u[j - 1]) / (double)(i + j);
		}
	}
	p = u[n_b];
	free(u);
	return p;
}

/* P(sup |Brownian bridge| > lambda), and its logarithm far out (Smirnov 1948). */
static void ks_asymptotic(double lambda, struct test *test)
{
	double sum = 0;

	if (lambda < 0.3) {
		/* the series for the other tail: all but 1 */
		double below = 0;

		for (int k = 1; k <= 20 && lambda > 0; k++)
			below += exp(-gsl_pow_2((2 * k - 1) * M_PI / lambda) / 8);
		test->p = 1 - (lambda > 0 ? sqrt(2 * M_PI) / lambda * below : 0);
		test->log_p = log(test->p);
		return;
	}
	/* 2 e^(-2 l^2) (1 - e^(-6 l^2) + e^(-16 l^2) - ...) */
	for (int k = 2; k <= 100; k++) {
		double term = exp(-2 * lambda * lambda * (k * k - 1));

		sum += k % 2 ? term : -term;
		if (term < 1e-18)
			break;
	}
	test->log_p = fmin(0, M_LN2 - 2 * lambda * lambda + log1p(sum));
	test->p = exp(test->log_p);
}

struct test stats_ks_two_asymptotic(const double *sorted_a, size_t n_a, const double *sorted_b,
				    size_t n_b)
{
	struct test test = {NAN, NAN, NAN, n_a + n_b};
	double a = (double)n_a, b = (double)n_b;

	if (n_a == 0 || n_b == 0)
		return test;
	test.statistic = ks_distance(sorted_a, n_a, sorted_b, n_b, NULL);
	ks_asymptotic(test.statistic * sqrt(a * b / (a + b)), &test);
	return test;
}

struct test stats_ks_two(const double *sorted_a, size_t n_a, const double *sorted_b, size_t n_b)
{
	struct test test = {NAN, NAN, NAN, n_a + n_b};
	bool *tie_ends;

	if (n_a == 0 || n_b == 0 || (double)n_a * (double)n_b > KS_EXACT_MOST)
		return stats_ks_two_asymptotic(sorted_a, n_a, sorted_b, n_b);
	tie_ends = mem_zero(n_a + n_b + 1, sizeof *tie_ends);
	test.statistic = ks_distance(sorted_a, n_a, sorted_b, n_b, tie_ends);
	test.p = ks_exact_p(test.statistic, n_a, n_b, tie_ends);
	test.log_p = log(test.p);
	free(tie_ends);
	return test;
}

/* ---- runs, trend ---- */

/* Two-sided p of a standard normal. */
static void normal_test(double z, struct test *test)
{
	double x = fabs(z);

	test->p = 2 * gsl_cdf_ugaussian_Q(x);
	/* ln Q(x) ~ -x^2/2 - ln(x sqrt(2 pi)) + ln(1 - 1/x^2 + 3/x^4) where it underflows */
	test->log_p = test->p > 1e-290 ? log(test->p)
				       : M_LN2 - x * x / 2 - log(x * sqrt(2 * M_PI)) +
						 log1p(-1 / (x * x) + 3 / gsl_pow_4(x));
}

struct test stats_runs(const double *values, size_t n, double median)
{
	struct test test = {NAN, NAN, NAN, 0};
	double above = 0, below = 0, n_runs = 0, total;
	double mean, variance;
	int last = 0;

	for (size_t i = 0; i < n; i++) {
		int side = (values[i] > median) - (values[i] < median);

		if (!side)
			continue;
		above += side > 0;
		below += side < 0;
		n_runs += side != last;
		last = side;
	}
	total = above + below;
	test.n = (size_t)total;
	if (above < 1 || below < 1 || total < 10)
		return test;
	mean = 2 * above * below / total + 1;
	variance = 2 * above * below * (2 * above * below - total) / (total * total * (total - 1));
	test.statistic = (n_runs - mean) / sqrt(variance);
	normal_test(test.statistic, &test);
	return test;
}

/* Inversions of values by merge sort: pairs in falling order; equal ones are none. */
static double count_inversions(double *values, double *work, size_t n)
{
	size_t half = n / 2, i = 0, j = half, k = 0;
	double inversions;

	if (n < 2)
		return 0;
	inversions = count_inversions(values, work, half) +
		     count_inversions(values + half, work, n - half);
	while (i < half && j < n) {
		if (values[i] <= values[j]) {
			work[k++] = values[i++];
		} else {
			inversions += (double)(half - i);
			work[k++] = values[j++];
		}
	}
	while (i < half)
		work[k++] = values[i++];
	memcpy(values, work, k * sizeof *values);
	return inversions;
}

/* Kendall's tau-b of value against time, which has no ties; variance with ties (Kendall 1970). */
struct test stats_mann_kendall(const double *values, size_t n)
{
	struct test test = {NAN, NAN, NAN, n};
	double size = (double)n, pairs = size * (size - 1) / 2, tied = 0, tie_variance = 0;
	double *copy, discordant, score, variance;

	if (n < 10)
		return test;
	copy = mem_alloc(2 * n * sizeof *copy);
	memcpy(copy, values, n * sizeof *copy);
	discordant = count_inversions(copy, copy + n, n); /* and copy is sorted */
	for (size_t i = 0, next; i < n; i = next) {
		double t;

		for (next = i + 1; next < n && copy[next] == copy[i];)
			next++;
		t = (double)(next - i);
		tied += t * (t - 1) / 2;
		tie_variance += t * (t - 1) * (2 * t + 5);
	}
	free(copy);
	score = pairs - tied - 2 * discordant;
	variance = (size * (size - 1) * (2 * size + 5) - tie_variance) / 18;
	if (!(variance > 0))
		return test;
	test.statistic = score / sqrt(pairs * (pairs - tied));
	normal_test(score / sqrt(variance), &test);
	return test;
}

/* ---- many tests at once ---- */

void stats_holm(const double *p, size_t n, double level, bool *rejected)
{
	size_t n_tests = 0, n_rejected = 0;

	for (size_t i = 0; i < n; i++) {
		n_tests += !isnan(p[i]);
		rejected[i] = false;
	}
	/* the smallest that is left, against the level over the number that are left */
	while (n_rejected < n_tests) {
		size_t smallest = n;

		for (size_t i = 0; i < n; i++)
			if (!isnan(p[i]) && !rejected[i] && (smallest == n || p[i] < p[smallest]))
				smallest = i;
		if (p[smallest] > level / (double)(n_tests - n_rejected))
			return;
		rejected[smallest] = true;
		n_rejected++;
	}
}
