/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/stats.h"

#include <math.h>

/* Place of the type 7 quantile among n sorted values: its index and the part beyond. */
static size_t place_of_quantile(size_t n, double q, double *part)
{
	double place = q * (double)(n - 1);
	size_t below = (size_t)place;

	if (below >= n - 1)
		below = n - 1;
	*part = below == n - 1 ? 0 : place - (double)below;
	return below;
}

double stats_quantile(const uint64_t *sorted, size_t n, double q)
{
	double part;
	size_t below;

	if (n == 0)
		return NAN;
	below = place_of_quantile(n, q, &part);
	if (part == 0)
		return (double)sorted[below];
	return (double)sorted[below] + part * (double)(sorted[below + 1] - sorted[below]);
}

double stats_quantile_doubles(const double *sorted, size_t n, double q)
{
	double part;
	size_t below;

	if (n == 0)
		return NAN;
	below = place_of_quantile(n, q, &part);
	if (part == 0)
		return sorted[below];
	return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

/*
 * The k-th smallest distance (from 0) to center among sorted values: from the
 * middle outward, always the nearer one of both sides, so without sorting.
 */
static double median_distance(const uint64_t *sorted, size_t n, double center)
{
	size_t right = 0, left;
	double last = 0, before = 0;

	for (size_t low = 0, high = n; low < high; right = low) {
		size_t middle = low + (high - low) / 2;

		if ((double)sorted[middle] < center)
			low = middle + 1;
		else
			high = middle;
	}
	left = right; /* values [0, left) lie below center */
	for (size_t i = 0; i <= n / 2; i++) {
		double down = left ? center - (double)sorted[left - 1] : INFINITY;
		double up = right < n ? (double)sorted[right] - center : INFINITY;

		before = last;
		last = down <= up ? down : up;
		if (down <= up)
			left--;
		else
			right++;
	}
	return n % 2 ? last : 0.5 * (before + last);
}

static double deviation(const uint64_t *sorted, size_t n, double mean)
{
	double squares = 0;

	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++)
		squares += ((double)sorted[i] - mean) * ((double)sorted[i] - mean);
	return sqrt(squares / (double)(n - 1));
}

void stats_summarise(const uint64_t *sorted, size_t n, struct summary *summary)
{
	unsigned __int128 sum = 0;

	*summary = (struct summary){.n = n, .n_kept = n};
	for (size_t i = 0; i < n; i++)
		sum += sorted[i];
	summary->sum_ns = sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
	summary->mean_ns = n ? (double)sum / (double)n : NAN;
	summary->median_ns = stats_quantile(sorted, n, 0.5);
	summary->p90_ns = stats_quantile(sorted, n, 0.9);
	summary->p99_ns = stats_quantile(sorted, n, 0.99);
	summary->p999_ns = stats_quantile(sorted, n, 0.999);
	summary->deviation_ns = deviation(sorted, n, summary->mean_ns);
	summary->jitter_ns = summary->jitter_ratio = summary->mad_ns = NAN;
	if (n == 0)
		return;
	summary->min_ns = sorted[0];
	summary->max_ns = sorted[n - 1];
	summary->jitter_ns = (double)(sorted[n - 1] - sorted[0]);
	summary->jitter_ratio = (double)sorted[n - 1] / summary->median_ns;
	summary->mad_ns = median_distance(sorted, n, summary->median_ns);
}
