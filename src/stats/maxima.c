/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/stats.h"

#include <math.h>

static uint64_t longest(const uint64_t *value_ns, size_t n)
{
	uint64_t most = value_ns[0];

	for (size_t i = 1; i < n; i++)
		most = value_ns[i] > most ? value_ns[i] : most;
	return most;
}

/* End of the stretch of equal keys that begins at i. */
static size_t stretch_end(const uint32_t *key, size_t n, size_t i)
{
	size_t end = i + 1;

	if (!key)
		return n;
	while (end < n && key[end] == key[i])
		end++;
	return end;
}

/* One campaign, in blocks of size values. */
static size_t maxima_of_values(const uint64_t *value_ns, size_t n, size_t size, double *maxima)
{
	size_t m = n / size;

	for (size_t i = 0; i < m; i++)
		maxima[i] = (double)longest(value_ns + i * size, size);
	return m;
}

/* One campaign, in blocks of size runs. */
static size_t maxima_of_runs(const uint64_t *value_ns, const uint32_t *run, size_t n, size_t size,
			     double *maxima, size_t *used)
{
	size_t m = 0, begin = 0, n_runs = 0;

	for (size_t end = 0; end < n;) {
		end = stretch_end(run, n, end);
		if (++n_runs < size)
			continue;
		maxima[m++] = (double)longest(value_ns + begin, end - begin);
		*used += end - begin;
		begin = end;
		n_runs = 0;
	}
	return m;
}

size_t stats_block_maxima(const uint64_t *value_ns, const uint32_t *campaign, const uint32_t *run,
			  size_t n, enum block_unit unit, uint32_t size, double *maxima,
			  size_t *used)
{
	size_t m = 0, n_used = 0;

	for (size_t begin = 0, end; size && begin < n; begin = end) {
		end = stretch_end(campaign, n, begin);
		if (unit == BLOCK_RUN) {
			m += maxima_of_runs(value_ns + begin, run + begin, end - begin, size,
					    maxima + m, &n_used);
		} else {
			size_t here =
				maxima_of_values(value_ns + begin, end - begin, size, maxima + m);

			n_used += here * size;
			m += here;
		}
	}
	if (used)
		*used = n_used;
	return m;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * A clock that ticks every 52.08 ns has no common divisor in whole ns, but no
 * two different values closer than 52. Only said where values do repeat.
 */
static uint64_t smallest_gap(const uint64_t *sorted, size_t n)
{
	uint64_t gap = UINT64_MAX;

	for (size_t i = 1; i < n; i++) {
		uint64_t here = sorted[i] - sorted[i - 1];

		if (here && here < gap)
			gap = here;
	}
	return gap;
}

void stats_ticks(const uint64_t *sorted, size_t n, struct ticks *ticks)
{
	uint64_t divisor = 0;
	size_t n_tied = 0;

	*ticks = (struct ticks){.tick_ns = 1};
	for (size_t i = 0, next; i < n; i = next) {
		next = i + 1;
		while (next < n && sorted[next] == sorted[i])
			next++;
		if (next - i > 1)
			n_tied += next - i;
		ticks->n_distinct++;
		if (divisor != 1)
			divisor = common_divisor(divisor, sorted[i]);
	}
	ticks->tied_share = n ? (double)n_tied / (double)n : 0;
	if (ticks->n_distinct < 2)
		return;
	ticks->tick_ns = divisor ? divisor : 1;
	if (divisor == 1 && ticks->tied_share > 0.05)
		ticks->tick_ns = smallest_gap(sorted, n);
}

double stats_tied_share(const double *sorted, size_t n)
{
	size_t n_tied = 0;

	for (size_t i = 0; i < n; i++)
		if ((i && sorted[i - 1] == sorted[i]) || (i + 1 < n && sorted[i + 1] == sorted[i]))
			n_tied++;
	return n ? (double)n_tied / (double)n : 0;
}
