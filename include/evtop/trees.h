/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Call trees, hash-consed: a node is (function, children), equal sub-trees are
 * one node, so a path is the number of its root node.
 */
#ifndef EVTOP_TREES_H
#define EVTOP_TREES_H

#include "evtop/base.h"
#include "evtop/names.h"

#define NODE_NONE UINT32_MAX

struct trees;

struct trees *trees_new(void);
void trees_free(struct trees *trees);
/* The same nodes under the same numbers, to be looked at: none can be added. */
struct trees *trees_copy(const struct trees *trees);
/*
 * The node of a function with these children, added where it is new; NODE_NONE
 * where no more fit (2^30 nodes, 2^31 children).
 */
uint32_t trees_node(struct trees *trees, uint32_t function, const uint32_t *children,
		    uint32_t n_children);
/* The same, NODE_NONE too where the node is new and there are max nodes already. */
uint32_t trees_node_within(struct trees *trees, uint32_t max, uint32_t function,
			   const uint32_t *children, uint32_t n_children);
uint32_t trees_function(const struct trees *trees, uint32_t node);
/* The children of a node, in call order; valid until a node is added. */
const uint32_t *trees_children(const struct trees *trees, uint32_t node, uint32_t *n);
/* Calls in the tree under and including node: 1 for a leaf. */
uint32_t trees_size(const struct trees *trees, uint32_t node);
uint32_t trees_count(const struct trees *trees);

/*
 * Identity of a path: MD5 over one line per call in call order, "<depth>
 * <function>\n". out takes 32 hex digits and a NUL.
 */
void trees_identity(const struct trees *trees, const struct names *names, uint32_t root,
		    char out[33]);

/* Those lines themselves, in pieces. */
void trees_lines(const struct trees *trees, const struct names *names, uint32_t root,
		 void (*take)(void *context, const char *bytes, size_t n), void *context);

#endif
