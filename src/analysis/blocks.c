/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of all executions where only a draw of them is kept. */
#include <stdlib.h>

#include "fit-internal.h"

/* The maxima of a tally's blocks, so many of them together. */
static size_t join_blocks(const struct tally *tally, uint32_t together, double *maxima)
{
	size_t n = tally->n_maxima / together;

	for (size_t i = 0; i < n; i++) {
		const uint64_t *block = tally->maxima_ns + i * together;
		uint64_t max = 0;

		for (uint32_t j = 0; j < together; j++)
			max = block[j] > max ? block[j] : max;
		maxima[i] = (double)max;
	}
	return n;
}

double *block_maxima(const struct sample *sample, enum block_unit unit, uint32_t *block_size,
		     size_t *n, size_t *used)
{
	const struct tally *tally = unit == BLOCK_EXECUTIONS ? sample->tally : NULL;
	uint32_t together = tally && tally->block_size
				    ? (*block_size + tally->block_size - 1) / tally->block_size
				    : 1;
	size_t room = tally		  ? tally->n_maxima / together
		      : unit == BLOCK_RUN ? sample->n
					  : sample->n / *block_size;
	double *maxima = mem_alloc(room * sizeof *maxima);

	if (!tally) {
		*n = stats_block_maxima(sample->value_ns, sample->campaign, sample->run, sample->n,
					unit, *block_size, maxima, used);
		return mem_resize(maxima, *n, sizeof *maxima);
	}
	if (tally->block_size)
		*block_size = together * tally->block_size;
	*n = join_blocks(tally, together, maxima);
	*used = *n * *block_size;
	return maxima;
}

void sample_summarise(const struct sample *sample, const struct sorted *sorted,
		      struct summary *summary)
{
	const struct tally *tally = sample->tally;

	stats_summarise(sorted->value_ns, sorted->n, summary);
	if (!tally || !tally->n)
		return;
	summary->n = tally->n;
	summary->min_ns = tally->min_ns;
	summary->max_ns = tally->max_ns;
	summary->sum_ns = tally->sum_ns < 0x1p63 ? (uint64_t)tally->sum_ns : UINT64_MAX;
	summary->mean_ns = tally->sum_ns / (double)tally->n;
	summary->jitter_ns = (double)(tally->max_ns - tally->min_ns);
	summary->jitter_ratio = (double)tally->max_ns / summary->median_ns;
}
