/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of single calls and executions kept whole, put together. */
#include "merge.h"

#include <stdlib.h>
#include <string.h>

static void add_nodes(struct node_times *sum, const struct node_times *more, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (more[i].n == 0)
			continue;
		if (sum[i].n == 0) {
			sum[i] = more[i];
			continue;
		}
		sum[i].n += more[i].n;
		sum[i].sum += more[i].sum;
		sum[i].self_sum += more[i].self_sum;
		sum[i].squares_high += more[i].squares_high;
		sum[i].squares_high += __builtin_add_overflow(
			sum[i].squares_low, more[i].squares_low, &sum[i].squares_low);
		if (more[i].min < sum[i].min)
			sum[i].min = more[i].min;
		if (more[i].max > sum[i].max)
			sum[i].max = more[i].max;
		if (more[i].self_min < sum[i].self_min)
			sum[i].self_min = more[i].self_min;
		if (more[i].self_max > sum[i].self_max)
			sum[i].self_max = more[i].self_max;
	}
}

static void keep(struct ranked_kept *list, uint32_t *n, uint32_t room,
		 const struct ranked_kept *one)
{
	uint32_t at = *n;

	while (at > 0 &&
	       (list[at - 1].key < one->key || (list[at - 1].key == one->key &&
						list[at - 1].kept.execution > one->kept.execution)))
		at--;
	if (at == room) {
		free(one->kept.node_ns);
		return;
	}
	if (*n == room)
		free(list[--*n].kept.node_ns);
	memmove(&list[at + 1], &list[at], (*n - at) * sizeof *list);
	list[at] = *one;
	++*n;
}

/* Moves a worker's kept executions of a clean path into the list. */
static void keep_all(struct ranked_kept *list, uint32_t *n, uint32_t room, const struct maps *maps,
		     struct collected_kept *kept, uint32_t *n_kept, const uint32_t *place)
{
	for (uint32_t i = 0; i < *n_kept; i++) {
		struct ranked_kept one = {
			.key = kept[i].key,
			.kept = {.execution = place[kept[i].sample],
				 .raw_root = maps->nodes[kept[i].root],
				 .duration_ns = kept[i].node_ns[0],
				 .node_ns = kept[i].node_ns},
		};

		keep(list, n, room, &one);
	}
	*n_kept = 0;
}

void merge_times(struct merge *merge, struct maps *maps, uint32_t clean_index)
{
	struct collected_clean *clean = &maps->collector->cleans[clean_index];
	struct collected_times *theirs = clean->times;
	struct merged_path *path = &merge->paths[IDENTITY_CLEAN][maps->cleans[clean_index]];
	const uint32_t *place = maps->places[clean->call / 2];

	path->without_times |= !theirs;
	if (!theirs)
		return;
	if (!path->times) {
		path->times = mem_zero(1, sizeof *path->times);
		path->times->times = mem_zero(1, sizeof *path->times->times);
		path->times->times->nodes = theirs->nodes;
		theirs->nodes = NULL;
	} else {
		add_nodes(path->times->times->nodes, theirs->nodes, clean->n_calls);
	}
	keep_all(path->times->slowest, &path->times->times->n_slowest, KEPT_SLOWEST, maps,
		 theirs->slowest, &theirs->n_slowest, place);
	keep_all(path->times->typical, &path->times->times->n_typical, KEPT_TYPICAL, maps,
		 theirs->typical, &theirs->n_typical, place);
}

struct path_times *merged_times_finish(struct merged_times *merged, bool without)
{
	struct path_times *times = merged->times;

	/* times of some of the executions would look like those of all */
	if (without) {
		for (uint32_t i = 0; i < times->n_slowest; i++)
			free(merged->slowest[i].kept.node_ns);
		for (uint32_t i = 0; i < times->n_typical; i++)
			free(merged->typical[i].kept.node_ns);
		free(times->nodes);
		free(times);
		free(merged);
		return NULL;
	}

	for (uint32_t i = 0; i < times->n_slowest; i++)
		times->slowest[i] = merged->slowest[i].kept;
	for (uint32_t i = 0; i < times->n_typical; i++)
		times->typical[i] = merged->typical[i].kept;
	free(merged);
	return times;
}
