/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two lists of calls beside each other. */
#include "tree-internal.h"

#include <stdlib.h>
#include <string.h>

/* Cells of the table; beyond, the walk is greedy. */
#define TABLE_CELLS (4u << 20)
#define GREEDY_REACH 64

enum { SAME_FUNCTION = 2, SAME_TREE = 5 };

static uint32_t likeness(const struct tree_run *a, const struct tree_run *b)
{
	if (a->node == b->node)
		return SAME_TREE;
	return a->function == b->function ? SAME_FUNCTION : 0;
}

static bool equal(const struct tree_run *a, const struct tree_run *b)
{
	return a->node == b->node && a->n_each == b->n_each;
}

/* What is gone stands before what is new, as in a diff. */
static uint32_t put_apart(struct tree_pair *pairs, uint32_t at, uint32_t a, uint32_t a_end,
			  uint32_t b, uint32_t b_end)
{
	while (b < b_end)
		pairs[at++] = (struct tree_pair){RUN_NONE, b++};
	while (a < a_end)
		pairs[at++] = (struct tree_pair){a++, RUN_NONE};
	return at;
}

/*
 * best[i][j]: the most likeness that a[i..] and b[j..] can have. Followed from
 * the beginning, it gives the pairs.
 */
static uint32_t align_table(const struct tree_run *a, uint32_t n_a, const struct tree_run *b,
			    uint32_t n_b, uint32_t first_a, uint32_t first_b,
			    struct tree_pair *pairs)
{
	size_t width = n_b + 1;
	uint32_t *best = mem_zero((n_a + 1) * width, sizeof *best);
	uint32_t i, j, n = 0, from_a = 0, from_b = 0;

	for (i = n_a; i-- > 0;)
		for (j = n_b; j-- > 0;) {
			uint32_t like = likeness(&a[i], &b[j]);
			uint32_t *here = &best[i * width + j];

			*here = here[width] > here[1] ? here[width] : here[1];
			if (like && like + here[width + 1] > *here)
				*here = like + here[width + 1];
		}
	for (i = j = 0; i < n_a && j < n_b;) {
		uint32_t like = likeness(&a[i], &b[j]);
		const uint32_t *here = &best[i * width + j];

		if (like && *here == like + here[width + 1]) {
			n = put_apart(pairs, n, first_a + from_a, first_a + i, first_b + from_b,
				      first_b + j);
			pairs[n++] = (struct tree_pair){first_a + i, first_b + j};
			from_a = ++i;
			from_b = ++j;
		} else if (*here == here[1]) {
			j++;
		} else {
			i++;
		}
	}
	free(best);
	return put_apart(pairs, n, first_a + from_a, first_a + n_a, first_b + from_b,
			 first_b + n_b);
}

/* The nearest pair from here on, counting steps on both sides; false: none within reach. */
static bool find_next(const struct tree_run *a, uint32_t n_a, const struct tree_run *b,
		      uint32_t n_b, uint32_t *i, uint32_t *j)
{
	for (uint32_t steps = 0; steps < 2 * GREEDY_REACH; steps++)
		for (uint32_t k = 0; k <= steps; k++)
			if (*i + k < n_a && *j + steps - k < n_b &&
			    likeness(&a[*i + k], &b[*j + steps - k])) {
				*i += k;
				*j += steps - k;
				return true;
			}
	return false;
}

static uint32_t align_greedy(const struct tree_run *a, uint32_t n_a, const struct tree_run *b,
			     uint32_t n_b, uint32_t first_a, uint32_t first_b,
			     struct tree_pair *pairs)
{
	uint32_t n = 0, i = 0, j = 0;

	while (i < n_a && j < n_b) {
		uint32_t to_a = i, to_b = j;
		bool found = find_next(a, n_a, b, n_b, &to_a, &to_b);

		if (!found) {
			/* nothing alike near by: on by a step on both sides */
			to_a = i + 1;
			to_b = j + 1;
		}
		n = put_apart(pairs, n, first_a + i, first_a + to_a, first_b + j, first_b + to_b);
		if (found)
			pairs[n++] = (struct tree_pair){first_a + to_a++, first_b + to_b++};
		i = to_a;
		j = to_b;
	}
	return put_apart(pairs, n, first_a + i, first_a + n_a, first_b + j, first_b + n_b);
}

uint32_t tree_align(const struct tree_run *a, uint32_t n_a, const struct tree_run *b, uint32_t n_b,
		    struct tree_pair *pairs)
{
	uint32_t before = 0, after = 0, n, middle_a, middle_b;

	while (before < n_a && before < n_b && equal(&a[before], &b[before]))
		before++;
	while (after < n_a - before && after < n_b - before &&
	       equal(&a[n_a - 1 - after], &b[n_b - 1 - after]))
		after++;
	for (n = 0; n < before; n++)
		pairs[n] = (struct tree_pair){n, n};
	middle_a = n_a - before - after;
	middle_b = n_b - before - after;
	if ((uint64_t)(middle_a + 1) * (middle_b + 1) <= TABLE_CELLS)
		n += align_table(a + before, middle_a, b + before, middle_b, before, before,
				 pairs + n);
	else
		n += align_greedy(a + before, middle_a, b + before, middle_b, before, before,
				  pairs + n);
	for (uint32_t i = 0; i < after; i++)
		pairs[n++] = (struct tree_pair){n_a - after + i, n_b - after + i};
	return n;
}
