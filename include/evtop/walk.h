/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks a call tree in call order (pre-order) without recursion. */
#ifndef EVTOP_WALK_H
#define EVTOP_WALK_H

#include "evtop/trees.h"

struct tree_walk {
	const struct trees *trees;
	uint32_t root;
	/* after tree_walk_next(): */
	uint32_t node;
	uint32_t depth; /* 0 for the root */
	uint32_t index; /* in pre-order, 0 for the root */
	/* private */
	struct tree_walk_level {
		uint32_t node, next;
	} * levels;
	uint32_t n_levels, room;
	bool started;
};

void tree_walk_init(struct tree_walk *walk, const struct trees *trees, uint32_t root);
/* Steps to the next call; false behind the last one. */
bool tree_walk_next(struct tree_walk *walk);
/* Steps over what is inside the call just returned. */
void tree_walk_skip(struct tree_walk *walk);
void tree_walk_release(struct tree_walk *walk);

#endif
