/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/trees.h"

#include <stdlib.h>
#include <string.h>

#include "evtop/hash.h"

#define NODES_MAX (1u << 30)
#define CHILDREN_MAX (1u << 31)

struct node {
	uint32_t function;
	uint32_t first_child; /* in the pool */
	uint32_t n_children;
	uint32_t size; /* calls, itself included; saturates */
	uint32_t hash;
};

struct trees {
	struct node *nodes;
	uint32_t n, room;
	uint32_t *pool; /* the children of all nodes */
	size_t pool_n, pool_room;
	uint32_t *table; /* node + 1, 0 for a free place */
	uint32_t table_size;
	uint32_t *leaves; /* by function: its node without children, NODE_NONE */
	uint32_t leaves_room;
	struct hash_key key;
};

struct trees *trees_new(void)
{
	struct trees *trees = mem_zero(1, sizeof *trees);

	trees->table_size = 1024;
	trees->table = mem_zero(trees->table_size, sizeof *trees->table);
	hash_key_init(&trees->key);
	trees->pool_room = 1024;
	trees->pool = mem_resize(NULL, trees->pool_room, sizeof *trees->pool);
	return trees;
}

void trees_free(struct trees *trees)
{
	if (!trees)
		return;
	free(trees->nodes);
	free(trees->pool);
	free(trees->table);
	free(trees->leaves);
	free(trees);
}

struct trees *trees_copy(const struct trees *trees)
{
	struct trees *copy = mem_zero(1, sizeof *copy);

	copy->n = copy->room = trees->n;
	copy->nodes = mem_alloc(trees->n * sizeof *copy->nodes);
	if (trees->n)
		memcpy(copy->nodes, trees->nodes, trees->n * sizeof *copy->nodes);
	copy->pool_n = copy->pool_room = trees->pool_n;
	copy->pool = mem_alloc(trees->pool_n * sizeof *copy->pool);
	if (trees->pool_n)
		memcpy(copy->pool, trees->pool, trees->pool_n * sizeof *copy->pool);
	return copy;
}

static uint32_t hash_node(const struct trees *trees, uint32_t function, const uint32_t *children,
			  uint32_t n)
{
	uint64_t hash = hash_add(&trees->key, trees->key.start, function);

	for (uint32_t i = 0; i < n; i++)
		hash = hash_add(&trees->key, hash, children[i]);
	return (uint32_t)hash;
}

static void grow_table(struct trees *trees)
{
	free(trees->table);
	trees->table_size *= 2;
	trees->table = mem_zero(trees->table_size, sizeof *trees->table);
	for (uint32_t i = 0; i < trees->n; i++) {
		uint32_t at = trees->nodes[i].hash & (trees->table_size - 1);

		while (trees->table[at])
			at = (at + 1) & (trees->table_size - 1);
		trees->table[at] = i + 1;
	}
}

static bool is_node(const struct trees *trees, uint32_t node, uint32_t hash, uint32_t function,
		    const uint32_t *children, uint32_t n)
{
	const struct node *it = &trees->nodes[node];

	return it->hash == hash && it->function == function && it->n_children == n &&
	       (n == 0 ||
		memcmp(trees->pool + it->first_child, children, n * sizeof *children) == 0);
}

static uint32_t add_node(struct trees *trees, uint32_t max, uint32_t hash, uint32_t function,
			 const uint32_t *children, uint32_t n)
{
	uint64_t size = 1;

	if (trees->n >= max || trees->n == NODES_MAX || trees->pool_n + n > CHILDREN_MAX)
		return NODE_NONE;
	ARRAY_RESERVE(trees->nodes, trees->n, trees->room);
	if (trees->pool_n + n > trees->pool_room) {
		while (trees->pool_n + n > trees->pool_room)
			trees->pool_room *= 2;
		trees->pool = mem_resize(trees->pool, trees->pool_room, sizeof *trees->pool);
	}
	if (n)
		memcpy(trees->pool + trees->pool_n, children, n * sizeof *children);
	for (uint32_t i = 0; i < n; i++)
		size += trees->nodes[children[i]].size;
	trees->nodes[trees->n] = (struct node){
		.function = function,
		.first_child = (uint32_t)trees->pool_n,
		.n_children = n,
		.size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
		.hash = hash,
	};
	trees->pool_n += n;
	return trees->n++;
}

static uint32_t find_or_add(struct trees *trees, uint32_t max, uint32_t function,
			    const uint32_t *children, uint32_t n)
{
	uint32_t hash = hash_node(trees, function, children, n);
	uint32_t at = hash & (trees->table_size - 1);
	uint32_t node;

	for (; trees->table[at]; at = (at + 1) & (trees->table_size - 1))
		if (is_node(trees, trees->table[at] - 1, hash, function, children, n))
			return trees->table[at] - 1;
	node = add_node(trees, max, hash, function, children, n);
	if (node == NODE_NONE)
		return node;
	trees->table[at] = node + 1;
	if (trees->n > trees->table_size / 2)
		grow_table(trees);
	return node;
}

uint32_t trees_node(struct trees *trees, uint32_t function, const uint32_t *children,
		    uint32_t n_children)
{
	return trees_node_within(trees, NODES_MAX, function, children, n_children);
}

uint32_t trees_node_within(struct trees *trees, uint32_t max, uint32_t function,
			   const uint32_t *children, uint32_t n_children)
{
	if (n_children)
		return find_or_add(trees, max, function, children, n_children);
	/* most calls are leaves: a look-up by number is all they need */
	if (function < trees->leaves_room && trees->leaves[function] != NODE_NONE)
		return trees->leaves[function];
	if (function >= trees->leaves_room) {
		uint32_t room = trees->leaves_room ? trees->leaves_room : 256;

		while (room <= function)
			room *= 2;
		trees->leaves = mem_resize(trees->leaves, room, sizeof *trees->leaves);
		memset(trees->leaves + trees->leaves_room, 0xff,
		       (room - trees->leaves_room) * sizeof *trees->leaves);
		trees->leaves_room = room;
	}
	trees->leaves[function] = find_or_add(trees, max, function, NULL, 0);
	return trees->leaves[function];
}

uint32_t trees_function(const struct trees *trees, uint32_t node)
{
	return trees->nodes[node].function;
}

const uint32_t *trees_children(const struct trees *trees, uint32_t node, uint32_t *n)
{
	*n = trees->nodes[node].n_children;
	return trees->pool + trees->nodes[node].first_child;
}

uint32_t trees_size(const struct trees *trees, uint32_t node)
{
	return trees->nodes[node].size;
}

uint32_t trees_count(const struct trees *trees)
{
	return trees->n;
}
