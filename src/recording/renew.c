/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "renew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- by identity ---- */

void renew_ids(struct collector *collector)
{
	char id[33];

	for (uint32_t i = 0; i < collector->n_paths; i++) {
		struct collected_path *path = &collector->paths[i];

		if (path->id || path->from_csv)
			continue;
		trees_identity(collector->trees, collector->names, path->root, id);
		path->id = mem_copy_text(id);
	}
	for (uint32_t i = 0; i < collector->n_cleans; i++) {
		struct collected_clean *clean = &collector->cleans[i];

		if (clean->id || clean->from_csv)
			continue;
		trees_identity(collector->trees, collector->names, clean->root, id);
		clean->id = mem_copy_text(id);
	}
}

static uint64_t key_of(uint32_t call, const char *id)
{
	char half[17];

	memcpy(half, id, 16);
	half[16] = '\0';
	return strtoull(half, NULL, 16) + call;
}

/* The path without a tree that has this identity, or UINT32_MAX. */
static uint32_t find_forgotten(struct collector *collector, uint32_t call, const char *id)
{
	const struct collected_path *path;
	const struct pair *pair;

	if (!collector->bounds->forgotten.n)
		return UINT32_MAX;
	pair = pair_table_pair(&collector->bounds->forgotten, key_of(call, id));
	if (!pair->value)
		return UINT32_MAX;
	path = &collector->paths[pair->value - 1];
	return path->call == call && strcmp(path->id, id) == 0 ? pair->value - 1 : UINT32_MAX;
}

/* ---- paths that are not told apart ---- */

static uint32_t new_together(struct collector *collector, const struct collected_path *like)
{
	struct collected_clean *clean = &collector->cleans[like->clean];
	char id[33];

	if (!clean->id) {
		trees_identity(collector->trees, collector->names, clean->root, id);
		clean->id = mem_copy_text(id);
	}
	/* no digits of a digest: nobody takes it for one */
	snprintf(id, sizeof id, "rest%c-%.10s", like->disturbed ? '+' : '-', clean->id);
	ARRAY_RESERVE(collector->paths, collector->n_paths, collector->paths_room);
	collector->paths[collector->n_paths++] = (struct collected_path){
		.call = like->call,
		.root = NODE_NONE,
		.clean = like->clean,
		.first_ns = collector->now_ns,
		.id = mem_copy_text(id),
	};
	return collector->n_paths - 1;
}

static uint32_t put_together(struct collector *collector, uint32_t call, uint32_t root)
{
	struct collected_path one = {.call = call, .root = root};
	struct collected_path *path;
	uint32_t *place;

	collector_part(collector, &one, root);
	place = &collector->cleans[one.clean].together[one.disturbed];
	if (!*place) {
		uint32_t index = new_together(collector, &one);

		*place = index + 1;
	}
	path = &collector->paths[*place - 1];
	clean_path_release(&path->parts);
	path->parts = one.parts;
	path->n_calls = one.n_calls;
	path->disturbed = one.disturbed;
	collector->bounds->n_together++;
	return *place - 1;
}

uint32_t renew_find_path(struct collector *collector, uint32_t call, uint32_t root)
{
	struct bounds *bounds = collector->bounds;
	bool full = collector->calls[call].n_paths >= bounds->raw_paths_max ||
		    collector->n_paths >= bounds->raw_paths_in_all;
	uint32_t index;
	char id[33];

	if (!bounds->forgotten.n && !full)
		return collector_new_path(collector, call, root, false);
	trees_identity(collector->trees, collector->names, root, id);
	index = find_forgotten(collector, call, id);
	if (index != UINT32_MAX) {
		struct collected_path *path = &collector->paths[index];

		path->root = root;
		collector_part(collector, path, root);
		return index;
	}
	if (full)
		return put_together(collector, call, root);
	index = collector_new_path(collector, call, root, false);
	collector->paths[index].id = mem_copy_text(id);
	return index;
}

/* ---- trees made anew ---- */

struct renewal {
	struct collector *collector;
	bool *needed;  /* by old node */
	uint32_t *map; /* by old node: the new one */
	uint32_t n_needed;
	uint32_t *stack;
	uint32_t stack_room;
};

static void push(struct renewal *renewal, uint32_t *n, uint32_t node)
{
	if (renewal->needed[node])
		return;
	renewal->needed[node] = true;
	renewal->n_needed++;
	ARRAY_RESERVE(renewal->stack, *n, renewal->stack_room);
	renewal->stack[(*n)++] = node;
}

/* A node and all below it. */
static void need(struct renewal *renewal, uint32_t node)
{
	uint32_t n = 0;

	if (node == NODE_NONE)
		return;
	push(renewal, &n, node);
	while (n) {
		uint32_t n_children;
		const uint32_t *children =
			trees_children(renewal->collector->trees, renewal->stack[--n], &n_children);

		for (uint32_t i = 0; i < n_children; i++)
			push(renewal, &n, children[i]);
	}
}

static uint32_t need_open(void *context, uint32_t node)
{
	need(context, node);
	return node;
}

static uint32_t map_open(void *context, uint32_t node)
{
	const struct renewal *renewal = context;

	return node == NODE_NONE ? NODE_NONE : renewal->map[node];
}

static void need_kept(struct renewal *renewal, const struct collected_kept *kept, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		need(renewal, kept[i].root);
}

struct seen_path {
	uint32_t index;
	uint64_t n_seen;
};

static int compare_seen(const void *a, const void *b)
{
	const struct seen_path *x = a, *y = b;

	if (x->n_seen != y->n_seen)
		return x->n_seen > y->n_seen ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* The most frequent raw paths, while there is room for them. */
static void need_frequent(struct renewal *renewal)
{
	struct collector *collector = renewal->collector;
	struct seen_path *seen = mem_alloc(collector->n_paths * sizeof *seen);
	uint32_t n = 0;

	for (uint32_t i = 0; i < collector->n_paths; i++)
		if (collector->paths[i].root != NODE_NONE && !collector->paths[i].from_csv)
			seen[n++] = (struct seen_path){i, collector->paths[i].n_seen};
	if (n > 1)
		qsort(seen, n, sizeof *seen, compare_seen);
	for (uint32_t i = 0; i < n && renewal->n_needed < collector->bounds->nodes_limit / 4; i++)
		need(renewal, collector->paths[seen[i].index].root);
	free(seen);
}

/* A node's children are older than it is: one pass does. */
static struct trees *rebuild(struct renewal *renewal)
{
	const struct trees *old = renewal->collector->trees;
	struct trees *trees = trees_new();
	uint32_t n = trees_count(old), room = 0, *children = NULL;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_children;
		const uint32_t *theirs = trees_children(old, i, &n_children);

		renewal->map[i] = NODE_NONE;
		if (!renewal->needed[i])
			continue;
		if (n_children > room) {
			room = 2 * n_children;
			children = mem_resize(children, room, sizeof *children);
		}
		for (uint32_t j = 0; j < n_children; j++)
			children[j] = renewal->map[theirs[j]];
		renewal->map[i] = trees_node(trees, trees_function(old, i), children, n_children);
	}
	free(children);
	return trees;
}

static void note_pair(struct pair_table *table, uint64_t key, uint32_t index)
{
	struct pair *pair = pair_table_pair(table, key);

	if (pair->value)
		return;
	*pair = (struct pair){.key = key, .value = index + 1};
	table->n++;
}

static void forget_table(struct pair_table *table)
{
	free(table->pairs);
	*table = (struct pair_table){0};
}

static void move_paths(struct renewal *renewal)
{
	struct collector *collector = renewal->collector;
	struct bounds *bounds = collector->bounds;

	forget_table(&collector->path_table);
	forget_table(&bounds->forgotten);
	for (uint32_t i = 0; i < collector->n_paths; i++) {
		struct collected_path *path = &collector->paths[i];

		if (path->root != NODE_NONE)
			path->root = renewal->map[path->root];
		if (path->root != NODE_NONE) {
			path->parts.root = renewal->map[path->parts.root];
			note_pair(&collector->path_table,
				  (uint64_t)(2 * path->call) << 32 | path->root, i);
			continue;
		}
		clean_path_release(&path->parts);
		path->parts = (struct clean_path){0};
		if (strlen(path->id) == 32)
			note_pair(&bounds->forgotten, key_of(path->call, path->id), i);
	}
}

static void move_kept(const struct renewal *renewal, struct collected_kept *kept, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		kept[i].root = renewal->map[kept[i].root];
}

static void move_cleans(struct renewal *renewal)
{
	struct collector *collector = renewal->collector;

	forget_table(&collector->clean_table);
	for (uint32_t i = 0; i < collector->n_cleans; i++) {
		struct collected_clean *clean = &collector->cleans[i];

		clean->root = renewal->map[clean->root];
		note_pair(&collector->clean_table, (uint64_t)clean->call << 32 | clean->root, i);
		if (!clean->times)
			continue;
		move_kept(renewal, clean->times->slowest, clean->times->n_slowest);
		move_kept(renewal, clean->times->typical, clean->times->n_typical);
	}
}

static void need_all(struct renewal *renewal)
{
	struct collector *collector = renewal->collector;

	for (uint32_t i = 0; i < collector->n_cleans; i++) {
		const struct collected_clean *clean = &collector->cleans[i];

		need(renewal, clean->root);
		if (!clean->times)
			continue;
		need_kept(renewal, clean->times->slowest, clean->times->n_slowest);
		need_kept(renewal, clean->times->typical, clean->times->n_typical);
	}
	assembler_renew(collector->assembler, collector->trees, need_open, renewal);
	need_frequent(renewal);
}

void renew_trees(struct collector *collector)
{
	struct bounds *bounds = collector->bounds;
	uint32_t n = trees_count(collector->trees);
	struct renewal renewal = {.collector = collector};
	struct trees *trees;

	if (n < bounds->nodes_limit)
		return;
	renew_ids(collector);
	renewal.needed = mem_zero(n, sizeof *renewal.needed);
	renewal.map = mem_alloc(n * sizeof *renewal.map);
	need_all(&renewal);
	trees = rebuild(&renewal);
	move_paths(&renewal);
	move_cleans(&renewal);
	assembler_renew(collector->assembler, trees, map_open, &renewal);
	trees_free(collector->trees);
	collector->trees = trees;
	/* so much is needed that it would soon be time again */
	if (trees_count(trees) > bounds->nodes_limit / 2)
		bounds->nodes_limit = bounds->nodes_limit < bounds->nodes_max / 2
					      ? 2 * bounds->nodes_limit
					      : UINT32_MAX;
	free(renewal.needed);
	free(renewal.map);
	free(renewal.stack);
}
