/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Radix sorts: durations share most of their high bits, so few passes remain. */
#include "evtop/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 8
#define N_DIGITS (1u << DIGIT_BITS)
#define FEW 48 /* below: insertion sort */

static void sort_few(uint64_t *values, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t value = values[i];
		size_t j = i;

		for (; j && values[j - 1] > value; j--)
			values[j] = values[j - 1];
		values[j] = value;
	}
}

/* Places where the values of each digit begin, from how often it occurs. */
static void count_to_places(uint32_t *count)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < N_DIGITS; i++) {
		uint32_t here = count[i];

		count[i] = sum;
		sum += here;
	}
}

static uint64_t *sort_by_digits(uint64_t *from, uint64_t *to, size_t n, uint64_t differs)
{
	uint32_t place[64 / DIGIT_BITS][N_DIGITS] = {{0}};
	unsigned int shift[64 / DIGIT_BITS], n_digits = 0;

	for (unsigned int s = 0; s < 64; s += DIGIT_BITS)
		if (differs >> s & (N_DIGITS - 1))
			shift[n_digits++] = s;
	for (size_t i = 0; i < n; i++)
		for (unsigned int d = 0; d < n_digits; d++)
			place[d][from[i] >> shift[d] & (N_DIGITS - 1)]++;
	for (unsigned int d = 0; d < n_digits; d++) {
		uint64_t *other = from;

		count_to_places(place[d]);
		for (size_t i = 0; i < n; i++)
			to[place[d][from[i] >> shift[d] & (N_DIGITS - 1)]++] = from[i];
		from = to;
		to = other;
	}
	return from;
}

void stats_sort(uint64_t *values, uint64_t *work, size_t n)
{
	uint64_t differs = 0, *own = NULL, *sorted;

	if (n < FEW) {
		sort_few(values, n);
		return;
	}
	for (size_t i = 1; i < n; i++)
		differs |= values[i] ^ values[0];
	if (!work)
		work = own = mem_alloc(n * sizeof *own);
	sorted = sort_by_digits(values, work, n, differs);
	if (sorted != values)
		memcpy(values, sorted, n * sizeof *values);
	free(own);
}

/* Integers in the order of the doubles that they stand for. */
static uint64_t key_of_double(double value)
{
	uint64_t bits;

	value += 0.0; /* -0 becomes 0 */
	memcpy(&bits, &value, sizeof bits);
	return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static double double_of_key(uint64_t key)
{
	uint64_t bits = key >> 63 ? key & ~(1ull << 63) : ~key;
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

void stats_sort_doubles(double *values, size_t n)
{
	uint64_t *keys = mem_alloc(2 * n * sizeof *keys);

	for (size_t i = 0; i < n; i++)
		keys[i] = key_of_double(values[i]);
	stats_sort(keys, keys + n, n);
	for (size_t i = 0; i < n; i++)
		values[i] = double_of_key(keys[i]);
	free(keys);
}

struct keyed {
	uint64_t key;
	uint32_t index;
};

/* Sorts by key; equal keys keep their order. Returns from or to, whichever holds the result. */
static struct keyed *sort_keyed(struct keyed *from, struct keyed *to, size_t n, uint64_t differs)
{
	for (unsigned int shift = 0; shift < 64 && differs >> shift; shift += DIGIT_BITS) {
		uint32_t place[N_DIGITS] = {0};
		struct keyed *other = from;

		if (!(differs >> shift & (N_DIGITS - 1)))
			continue;
		for (size_t i = 0; i < n; i++)
			place[from[i].key >> shift & (N_DIGITS - 1)]++;
		count_to_places(place);
		for (size_t i = 0; i < n; i++)
			to[place[from[i].key >> shift & (N_DIGITS - 1)]++] = from[i];
		from = to;
		to = other;
	}
	return from;
}

void stats_order(const double *values, uint32_t *order, size_t n)
{
	struct keyed *keyed = mem_alloc(2 * n * sizeof *keyed), *sorted;
	uint64_t differs = 0;

	for (size_t i = 0; i < n; i++) {
		keyed[i] = (struct keyed){key_of_double(values[i]), (uint32_t)i};
		differs |= keyed[i].key ^ keyed[0].key;
	}
	sorted = sort_keyed(keyed, keyed + n, n, differs);
	for (size_t i = 0; i < n; i++)
		order[i] = sorted[i].index;
	free(keyed);
}

void stats_ranks(const double *values, const uint32_t *order, double *rank, size_t n)
{
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && values[order[next]] == values[order[i]];)
			next++;
		/* the mean of ranks i+1 .. next */
		for (size_t j = i; j < next; j++)
			rank[order[j]] = 0.5 * (double)(i + 1 + next);
	}
}
