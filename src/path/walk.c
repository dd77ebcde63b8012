/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/walk.h"

#include <stdlib.h>

void tree_walk_init(struct tree_walk *walk, const struct trees *trees, uint32_t root)
{
	*walk = (struct tree_walk){.trees = trees, .root = root};
}

static void arrive(struct tree_walk *walk, uint32_t node)
{
	walk->node = node;
	walk->depth = walk->n_levels;
	ARRAY_RESERVE(walk->levels, walk->n_levels, walk->room);
	walk->levels[walk->n_levels++] = (struct tree_walk_level){.node = node};
}

bool tree_walk_next(struct tree_walk *walk)
{
	if (!walk->started) {
		walk->started = true;
		arrive(walk, walk->root);
		return true;
	}
	while (walk->n_levels) {
		struct tree_walk_level *level = &walk->levels[walk->n_levels - 1];
		uint32_t n;
		const uint32_t *children = trees_children(walk->trees, level->node, &n);

		if (level->next < n) {
			walk->index++;
			arrive(walk, children[level->next++]);
			return true;
		}
		walk->n_levels--;
	}
	return false;
}

void tree_walk_skip(struct tree_walk *walk)
{
	walk->index += trees_size(walk->trees, walk->node) - 1;
	walk->n_levels--;
}

void tree_walk_release(struct tree_walk *walk)
{
	free(walk->levels);
	*walk = (struct tree_walk){0};
}
