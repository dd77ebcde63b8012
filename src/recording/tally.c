/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

/* Blocks twice as long: an even number of whole ones becomes half as many. */
static void merge_neighbours(struct tally *tally)
{
	for (uint32_t i = 0; i < tally->n_maxima / 2; i++) {
		uint64_t a = tally->maxima_ns[2 * i], b = tally->maxima_ns[2 * i + 1];

		tally->maxima_ns[i] = a > b ? a : b;
	}
	tally->n_maxima /= 2;
	tally->block_size *= 2;
}

static void end_block(struct growing_tally *tally)
{
	ARRAY_RESERVE(tally->sum.maxima_ns, tally->sum.n_maxima, tally->room);
	tally->sum.maxima_ns[tally->sum.n_maxima++] = tally->open_max_ns;
	tally->open_n = 0;
	tally->open_max_ns = 0;
	if (tally->sum.n_maxima == TALLY_MAXIMA_MAX)
		merge_neighbours(&tally->sum);
}

void tally_add(struct growing_tally *tally, uint64_t ns)
{
	struct tally *sum = &tally->sum;

	if (sum->n == 0) {
		sum->min_ns = ns;
		sum->block_size = TALLY_BLOCK;
	}
	sum->n++;
	sum->sum_ns += (double)ns;
	sum->min_ns = ns < sum->min_ns ? ns : sum->min_ns;
	sum->max_ns = ns > sum->max_ns ? ns : sum->max_ns;
	tally->open_max_ns = ns > tally->open_max_ns ? ns : tally->open_max_ns;
	if (++tally->open_n == sum->block_size)
		end_block(tally);
}

void tallies_add(struct growing_tallies *tallies, const struct tallied *one)
{
	enum stratum stratum =
		one->flags & EXECUTION_DISTURBED ? STRATUM_DISTURBED : STRATUM_UNDISTURBED;

	if (one->flags & EXECUTION_NO_DURATION)
		return;
	tally_add(&tallies->of[STRATUM_ALL][TIME_WHOLE], one->whole_ns);
	tally_add(&tallies->of[stratum][TIME_WHOLE], one->whole_ns);
	if (one->flags & EXECUTION_OWN_UNKNOWN)
		return;
	tally_add(&tallies->of[STRATUM_ALL][TIME_OWN], one->own_ns);
	tally_add(&tallies->of[stratum][TIME_OWN], one->own_ns);
}

void tallies_free(struct growing_tallies *tallies)
{
	if (!tallies)
		return;
	for (size_t i = 0; i < COUNT_OF(tallies->of); i++)
		for (size_t j = 0; j < COUNT_OF(tallies->of[i]); j++)
			free(tallies->of[i][j].sum.maxima_ns);
	free(tallies);
}

struct tallies *tallies_finish(const struct growing_tallies *tallies)
{
	struct tallies *copy;

	if (!tallies)
		return NULL;
	copy = mem_alloc(sizeof *copy);
	for (size_t i = 0; i < COUNT_OF(tallies->of); i++)
		for (size_t j = 0; j < COUNT_OF(tallies->of[i]); j++) {
			const struct tally *from = &tallies->of[i][j].sum;
			struct tally *to = &copy->of[i][j];
			size_t bytes = from->n_maxima * sizeof *from->maxima_ns;

			*to = *from;
			to->maxima_ns = mem_alloc(bytes);
			if (bytes)
				memcpy(to->maxima_ns, from->maxima_ns, bytes);
		}
	return copy;
}
