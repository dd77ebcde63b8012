/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One side of the tree panel: its calls, and what is known of their times. */
#include "tree-internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- from clean to raw ---- */

struct step {
	uint32_t clean, raw; /* nodes */
	uint32_t next;	     /* child to be gone into */
	uint32_t clean_at, raw_at;
};

/*
 * Where every call of a clean tree stands in the raw tree of an undisturbed
 * execution. Nothing was taken out of that but what lies inside of calls that
 * sleep or are opaque, and those have no children in the clean tree. NULL
 * where the trees are not so.
 */
static const uint32_t *match_raw(struct view_panel *panel, const struct trees *trees,
				 uint32_t clean, uint32_t raw)
{
	uint32_t *index = view_alloc(panel, trees_size(trees, clean), sizeof *index);
	struct step *steps = NULL;
	uint32_t depth = 0, room = 0;
	bool matches = true;

	ARRAY_RESERVE(steps, depth, room);
	steps[depth++] = (struct step){.clean = clean, .raw = raw, .clean_at = 1, .raw_at = 1};
	index[0] = 0;
	while (depth && matches) {
		struct step *step = &steps[depth - 1], below;
		uint32_t n, n_raw;
		const uint32_t *children = trees_children(trees, step->clean, &n);
		const uint32_t *raws = trees_children(trees, step->raw, &n_raw);

		if (step->next == n) {
			matches = n == 0 || n == n_raw;
			depth--;
			continue;
		}
		matches = step->next < n_raw && trees_function(trees, children[step->next]) ==
							trees_function(trees, raws[step->next]);
		if (!matches)
			break;
		below = (struct step){.clean = children[step->next],
				      .raw = raws[step->next],
				      .clean_at = step->clean_at + 1,
				      .raw_at = step->raw_at + 1};
		index[step->clean_at] = step->raw_at;
		step->clean_at += trees_size(trees, below.clean);
		step->raw_at += trees_size(trees, below.raw);
		step->next++;
		ARRAY_RESERVE(steps, depth, room);
		steps[depth++] = below;
	}
	free(steps);
	return matches ? index : NULL;
}

/* ---- sides ---- */

void tree_side_typical(struct view_panel *panel, const struct trees *trees,
		       const struct path *clean, struct tree_side *side)
{
	const struct path_times *times = clean->times;

	*side = (struct tree_side){.trees = trees, .root = clean->root};
	if (!times)
		return;
	side->nodes = times->nodes;
	for (uint32_t i = 0; i < times->n_typical; i++) {
		const struct kept_execution *kept = &times->typical[i];
		const uint32_t *index = NULL;

		if (!kept->node_ns)
			continue;
		if (kept->raw_root != clean->root) {
			index = match_raw(panel, trees, clean->root, kept->raw_root);
			if (!index)
				continue;
		}
		side->kept_ns[side->n_kept] = kept->node_ns;
		side->kept_index[side->n_kept++] = index;
	}
}

static void keep(struct tree_side *side, const struct kept_execution *kept)
{
	if (kept->node_ns && kept->raw_root == side->root && side->n_kept < SIDE_KEPT_MOST)
		side->kept_ns[side->n_kept++] = kept->node_ns;
}

static bool is_typical(const struct path_times *times, uint32_t execution)
{
	for (uint32_t i = 0; i < times->n_typical; i++)
		if (times->typical[i].execution == execution)
			return true;
	return false;
}

void tree_side_raw(const struct trees *trees, const struct path *raw, const struct path *clean,
		   struct tree_side *side)
{
	const struct path_times *times = clean->times;

	*side = (struct tree_side){.trees = trees, .root = raw->root};
	if (!times)
		return;
	if (raw->root == clean->root)
		side->nodes = times->nodes;
	for (uint32_t i = 0; i < times->n_typical; i++)
		keep(side, &times->typical[i]);
	/* the slowest are no fair sample: only where there is nothing else */
	for (uint32_t i = 0; side->n_kept == 0 && i < times->n_slowest; i++)
		if (!is_typical(times, times->slowest[i].execution))
			keep(side, &times->slowest[i]);
}

void tree_side_one(const struct trees *trees, const struct kept_execution *kept,
		   struct tree_side *side)
{
	*side = (struct tree_side){.trees = trees, .root = kept->raw_root};
	keep(side, kept);
}

/* ---- runs ---- */

struct tree_run tree_side_root(struct view_panel *panel, const struct tree_side *side)
{
	return (struct tree_run){.node = side->root,
				 .function = trees_function(side->trees, side->root),
				 .n_each = 1,
				 .n = 1,
				 .indices = view_alloc(panel, 1, sizeof(uint32_t))};
}

/* first, count and offset of runs of equal children; returns how many there are. */
static uint32_t group_children(const struct trees *trees, const uint32_t *children, uint32_t n,
			       struct tree_run *runs, uint32_t *offset)
{
	uint32_t n_runs = 0, at = 1;

	for (uint32_t i = 0; i < n; i++) {
		if (n_runs && runs[n_runs - 1].node == children[i]) {
			runs[n_runs - 1].n_each++;
		} else {
			offset[n_runs] = at;
			runs[n_runs++] =
				(struct tree_run){.node = children[i],
						  .function = trees_function(trees, children[i]),
						  .n_each = 1};
		}
		at += trees_size(trees, children[i]);
	}
	return n_runs;
}

struct named {
	uint32_t function, at;
};

static int compare_named(const void *x, const void *y)
{
	const struct named *a = x, *b = y;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void number_occurrences(struct tree_run *runs, uint32_t n)
{
	struct named *named = mem_alloc(n * sizeof *named + 1);

	for (uint32_t i = 0; i < n; i++)
		named[i] = (struct named){runs[i].function, i};
	qsort(named, n, sizeof *named, compare_named);
	for (uint32_t i = 1; i < n; i++)
		if (named[i].function == named[i - 1].function)
			runs[named[i].at].occurrence = runs[named[i - 1].at].occurrence + 1;
	free(named);
}

struct tree_run *tree_side_children(struct view_panel *panel, const struct tree_side *side,
				    const struct tree_run *run, uint32_t *n)
{
	uint32_t n_children;
	const uint32_t *children = trees_children(side->trees, run->node, &n_children);
	struct tree_run *runs = view_alloc(panel, n_children, sizeof *runs);
	uint32_t *offset = mem_alloc(n_children * sizeof *offset + 1);

	*n = group_children(side->trees, children, n_children, runs, offset);
	for (uint32_t i = 0; i < *n; i++) {
		uint32_t size = trees_size(side->trees, runs[i].node), at = 0;
		uint32_t *indices =
			view_alloc(panel, (size_t)run->n * runs[i].n_each, sizeof *indices);

		for (uint32_t p = 0; p < run->n; p++)
			for (uint32_t k = 0; k < runs[i].n_each; k++)
				indices[at++] = run->indices[p] + offset[i] + k * size;
		runs[i].n = at;
		runs[i].indices = indices;
	}
	free(offset);
	number_occurrences(runs, *n);
	return runs;
}

/* ---- times ---- */

static uint64_t kept_time(const struct tree_side *side, uint32_t kept, uint32_t index)
{
	const uint32_t *to = side->kept_index[kept];

	return side->kept_ns[kept][to ? to[index] : index];
}

/* A time that a trace does not have is the largest number. */
#define UNKNOWN_NS UINT64_MAX

static double weight_of(const struct tree_side *side, uint32_t index, uint32_t node)
{
	uint64_t ns;

	if (side->nodes)
		return (double)side->nodes[index].sum;
	if (!side->n_kept)
		return trees_size(side->trees, node);
	ns = kept_time(side, 0, index);
	return ns == UNKNOWN_NS ? 0 : (double)ns;
}

uint32_t tree_side_longest(const struct tree_side *side, const struct tree_run *run,
			   uint32_t *function, uint32_t *occurrence)
{
	uint32_t n, at = run->indices[0] + 1, place = 0, longest = RUN_NONE, node = NODE_NONE;
	const uint32_t *children = trees_children(side->trees, run->node, &n);
	double weight = 0, most = -1;

	for (uint32_t i = 0; i < n; i++) {
		if (i && children[i] != children[i - 1])
			weight = 0, place++;
		weight += weight_of(side, at, children[i]);
		at += trees_size(side->trees, children[i]);
		if (weight > most)
			most = weight, longest = place, node = children[i];
	}
	*occurrence = 0;
	if (longest == RUN_NONE)
		return longest;
	if (function)
		*function = trees_function(side->trees, node);
	for (uint32_t i = place = 0; i < n && place < longest; i++)
		if (i + 1 == n || children[i + 1] != children[i]) {
			*occurrence += trees_function(side->trees, children[i]) ==
				       trees_function(side->trees, node);
			place++;
		}
	return longest;
}

static uint64_t sum_calls(const struct tree_side *side, uint32_t kept, const struct tree_run *run)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < run->n; i++) {
		uint64_t ns = kept_time(side, kept, run->indices[i]);

		if (ns == UNKNOWN_NS)
			return UNKNOWN_NS;
		sum += ns;
	}
	return sum;
}

/* What the calls directly inside of a run take; never more than the run itself. */
static uint64_t sum_inside(const struct tree_side *side, uint32_t kept, const struct tree_run *run)
{
	uint32_t n;
	const uint32_t *children = trees_children(side->trees, run->node, &n);
	uint64_t sum = 0;

	for (uint32_t p = 0; p < run->n; p++) {
		uint64_t own = kept_time(side, kept, run->indices[p]), inside = 0;
		uint32_t at = run->indices[p] + 1;

		for (uint32_t i = 0; i < n; i++) {
			uint64_t ns = kept_time(side, kept, at);

			inside += ns == UNKNOWN_NS ? 0 : ns;
			at += trees_size(side->trees, children[i]);
		}
		sum += inside < own ? inside : own;
	}
	return sum;
}

static double median_of(uint64_t *values, uint32_t n)
{
	/* some 15 of them: by insertion */
	for (uint32_t i = 1; i < n; i++) {
		uint64_t value = values[i];
		uint32_t at = i;

		for (; at && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
	return stats_quantile(values, n, 0.5);
}

double tree_side_total(const struct tree_side *side, const struct tree_run *run)
{
	uint64_t values[SIDE_KEPT_MOST];
	uint32_t n = 0;

	for (uint32_t i = 0; i < side->n_kept; i++) {
		values[n] = sum_calls(side, i, run);
		n += values[n] != UNKNOWN_NS;
	}
	return median_of(values, n);
}

static double median_self(const struct tree_side *side, const struct tree_run *run)
{
	uint64_t values[SIDE_KEPT_MOST];
	uint32_t n = 0;

	for (uint32_t i = 0; i < side->n_kept; i++) {
		uint64_t sum = sum_calls(side, i, run);

		if (sum != UNKNOWN_NS)
			values[n++] = sum - sum_inside(side, i, run);
	}
	return median_of(values, n);
}

struct tree_times tree_side_times(const struct tree_side *side, const struct tree_run *run)
{
	struct tree_times times = {NAN, NAN, NAN, NAN, NAN};
	uint64_t n = 0, sum = 0, min = UINT64_MAX, max = 0;

	times.total_ns = tree_side_total(side, run);
	times.self_ns = median_self(side, run);
	for (uint32_t i = 0; side->nodes && i < run->n; i++) {
		const struct node_times *node = &side->nodes[run->indices[i]];

		if (!node->n)
			continue;
		n += node->n;
		sum += node->sum;
		min = node->min < min ? node->min : min;
		max = node->max > max ? node->max : max;
	}
	if (n) {
		times.min_ns = (double)min;
		times.mean_ns = (double)sum / (double)n;
		times.max_ns = (double)max;
	}
	return times;
}
