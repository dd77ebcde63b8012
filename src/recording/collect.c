/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect.h"

#include <stdlib.h>
#include <string.h>

#include "renew.h"
#include "thin.h"

/*
 * What all workers together may take, in nodes of raw trees (some 40 bytes
 * each) and in bytes of times of single calls. Far above what real recordings
 * need: the largest of ours has 400,000 nodes.
 */
#define RAW_NODES_MAX (1u << 26)
#define TIMES_BYTES_MAX ((uint64_t)1 << 30)

static uint64_t mix(uint64_t x)
{
	/* finaliser of splitmix64: neighbours become strangers */
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

struct pair *pair_table_pair(struct pair_table *table, uint64_t key)
{
	uint32_t at;

	if (table->n >= table->size / 2) {
		struct pair_table old = *table;

		table->size = old.size ? 2 * old.size : 64;
		if (!old.size)
			hash_key_init(&table->hash);
		table->pairs = mem_zero(table->size, sizeof *table->pairs);
		table->n = 0;
		for (uint32_t i = 0; i < old.size; i++)
			if (old.pairs[i].value) {
				*pair_table_pair(table, old.pairs[i].key) = old.pairs[i];
				table->n++;
			}
		free(old.pairs);
	}
	at = (uint32_t)hash_add(&table->hash, table->hash.start, key) & (table->size - 1);
	while (table->pairs[at].value && table->pairs[at].key != key)
		at = (at + 1) & (table->size - 1);
	return &table->pairs[at];
}

uint32_t pair_table_index(struct pair_table *table, uint32_t first, uint32_t second,
			  uint32_t n_next)
{
	uint64_t key = (uint64_t)first << 32 | second;
	struct pair *pair = pair_table_pair(table, key);

	if (!pair->value) {
		*pair = (struct pair){.key = key, .value = n_next + 1};
		table->n++;
	}
	return pair->value - 1;
}

struct collector *collector_new(const struct load_options *options, uint32_t n_workers)
{
	return collector_new_within(options, RAW_NODES_MAX / n_workers,
				    TIMES_BYTES_MAX / n_workers);
}

struct collector *collector_new_within(const struct load_options *options, uint32_t max_nodes,
				       uint64_t times_bytes)
{
	struct collector *collector = mem_zero(1, sizeof *collector);

	collector->options = options;
	collector->names = names_new();
	collector->trees = trees_new();
	collector->rules = clean_rules_new(collector->names, options->opaque, options->n_opaque);
	collector->assembler_options = (struct assembler_options){
		.roots = options->roots,
		.n_roots = options->n_roots,
		.pids = options->pids,
		.n_pids = options->n_pids,
		.comms = options->comms,
		.n_comms = options->n_comms,
		.cpus = options->cpus,
		.n_cpus = options->n_cpus,
		.max_nodes = max_nodes,
	};
	collector->times_bytes_max = times_bytes;
	collector->assembler =
		assembler_new(collector->names, collector->trees, &collector->assembler_options,
			      collector_execution, collector);
	return collector;
}

static void free_kept(struct collected_kept *kept, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		free(kept[i].node_ns);
}

void collector_free(struct collector *collector)
{
	if (!collector)
		return;
	thin_reset(collector);
	if (collector->bounds)
		free(collector->bounds->forgotten.pairs);
	free(collector->bounds);
	for (uint32_t i = 0; i < collector->n_runs; i++) {
		free(collector->runs[i].campaign);
		free(collector->runs[i].name);
		for (unsigned j = 0; j < collector->runs[i].n_unread; j++)
			free(collector->runs[i].unread[j]);
	}
	for (uint32_t i = 0; i < collector->n_calls; i++) {
		struct collected_call *call = &collector->calls[i];

		free(call->duration_ns);
		free(call->path);
		free(call->run);
		free(call->flags);
		free(call->removed);
	}
	for (uint32_t i = 0; i < collector->n_paths; i++) {
		clean_path_release(&collector->paths[i].parts);
		free(collector->paths[i].id);
	}
	for (uint32_t i = 0; i < collector->n_cleans; i++) {
		struct collected_times *times = collector->cleans[i].times;

		free(collector->cleans[i].id);
		if (!times)
			continue;
		free(times->parent);
		free(times->nodes);
		free_kept(times->slowest, times->n_slowest);
		free_kept(times->typical, times->n_typical);
		free(times);
	}
	for (uint32_t i = 0; i < collector->n_texts; i++)
		free(collector->texts[i]);
	free(collector->texts);
	free(collector->runs);
	free(collector->calls);
	free(collector->paths);
	free(collector->cleans);
	free(collector->call_table.pairs);
	free(collector->path_table.pairs);
	free(collector->clean_table.pairs);
	free(collector->scratch);
	assembler_free(collector->assembler);
	clean_rules_free(collector->rules);
	trees_free(collector->trees);
	names_free(collector->names);
	free(collector);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = mix(hash ^ (unsigned char)*text);
	return hash;
}

const char *collector_keep_text(struct collector *collector, const char *text)
{
	ARRAY_RESERVE(collector->texts, collector->n_texts, collector->texts_room);
	return collector->texts[collector->n_texts++] = mem_copy_text(text);
}

void collector_begin_run(struct collector *collector, const struct collected_run *run)
{
	ARRAY_RESERVE(collector->runs, collector->n_runs, collector->runs_room);
	collector->runs[collector->n_runs++] = *run;
	/* by name, not by number: the same whoever reads the run, and when */
	collector->run_hash = hash_text(hash_text(run->sequence + 1, run->campaign), run->name);
}

struct collected_call *collector_find_call(struct collector *collector, uint32_t name)
{
	uint32_t index = pair_table_index(&collector->call_table, 0, name, collector->n_calls);

	if (index == collector->n_calls) {
		ARRAY_RESERVE(collector->calls, collector->n_calls, collector->calls_room);
		collector->calls[collector->n_calls++] =
			(struct collected_call){.name = name, .last_path = UINT32_MAX};
	}
	return &collector->calls[index];
}

/* Room for the times of every call, and parents by pre-order. */
static struct collected_times *make_times(const struct collector *collector, uint32_t root)
{
	uint32_t n = trees_size(collector->trees, root), at = 0, room = 16;
	struct collected_times *times = mem_zero(1, sizeof *times);
	struct {
		uint32_t node, index, next;
	} *stack = mem_alloc(room * sizeof *stack);
	uint32_t depth = 0;

	times->parent = mem_zero(n, sizeof *times->parent);
	times->nodes = mem_zero(n, sizeof *times->nodes);
	stack[depth].node = root;
	stack[depth].index = at++;
	stack[depth].next = 0;
	for (;;) {
		uint32_t n_children;
		const uint32_t *children =
			trees_children(collector->trees, stack[depth].node, &n_children);

		if (stack[depth].next == n_children) {
			if (depth-- == 0)
				break;
			continue;
		}
		times->parent[at] = stack[depth].index;
		if (depth + 1 == room)
			stack = mem_resize(stack, room *= 2, sizeof *stack);
		stack[depth + 1].node = children[stack[depth].next++];
		stack[++depth].index = at++;
		stack[depth].next = 0;
	}
	free(stack);
	return times;
}

/*
 * Times of a clean path's calls, unless there would be too many of them: with
 * all that will be kept whole, for a raw path may be much longer.
 */
static void init_times(struct collector *collector, struct collected_clean *clean, uint32_t raw)
{
	uint64_t of_clean = sizeof(struct node_times) + sizeof(uint32_t);
	uint64_t bytes = sizeof *clean->times + of_clean * clean->n_calls +
			 (uint64_t)trees_size(collector->trees, raw) *
				 (KEPT_SLOWEST + KEPT_TYPICAL) * sizeof(uint64_t);

	if (collector->times_bytes + bytes > collector->times_bytes_max) {
		collector->n_without_times++;
		return;
	}
	collector->times_bytes += bytes;
	clean->times = make_times(collector, clean->root);
}

uint32_t collector_find_clean(struct collector *collector, uint32_t call, uint32_t root,
			      uint32_t raw, bool from_csv)
{
	uint32_t index = pair_table_index(&collector->clean_table, call, root, collector->n_cleans);

	if (index == collector->n_cleans) {
		struct collected_clean *clean;

		ARRAY_RESERVE(collector->cleans, collector->n_cleans, collector->cleans_room);
		clean = &collector->cleans[collector->n_cleans++];
		*clean = (struct collected_clean){
			.call = call,
			.root = root,
			.from_csv = from_csv,
			.first_ns = collector->now_ns,
		};
		if (from_csv)
			return index;
		clean->n_calls = trees_size(collector->trees, root);
		if (collector->options->node_times)
			init_times(collector, clean, raw);
	}
	return index;
}

void collector_part(struct collector *collector, struct collected_path *path, uint32_t root)
{
	clean_path_release(&path->parts);
	path->n_calls = trees_size(collector->trees, root);
	clean_path_init(&path->parts, collector->rules, collector->trees, root);
	path->disturbed = path->parts.disturbed;
	path->clean =
		collector_find_clean(collector, 2 * path->call, path->parts.root, root, false);
}

uint32_t collector_new_path(struct collector *collector, uint32_t call, uint32_t root,
			    bool from_csv)
{
	struct collected_path *path;

	ARRAY_RESERVE(collector->paths, collector->n_paths, collector->paths_room);
	path = &collector->paths[collector->n_paths++];
	*path = (struct collected_path){
		.call = call,
		.root = root,
		.from_csv = from_csv,
		.first_ns = collector->now_ns,
	};
	if (from_csv)
		path->clean = collector_find_clean(collector, 2 * call + 1, root, root, true);
	else
		collector_part(collector, path, root);
	collector->calls[call].n_paths++;
	return collector->n_paths - 1;
}

/* call is the call's index twice, plus one for a CSV file's: their roots are names. */
static uint32_t find_path(struct collector *collector, struct collected_call *call, uint32_t root,
			  bool from_csv)
{
	uint32_t number = (uint32_t)(call - collector->calls);
	struct pair *pair;

	if (call->last_path != UINT32_MAX && collector->paths[call->last_path].root == root &&
	    collector->paths[call->last_path].from_csv == from_csv)
		return call->last_path;
	pair = pair_table_pair(&collector->path_table,
			       (uint64_t)(2 * number + from_csv) << 32 | root);
	if (!pair->value) {
		uint32_t index = collector->bounds
					 ? renew_find_path(collector, number, root)
					 : collector_new_path(collector, number, root, from_csv);

		/* one of those that are counted together has no place of its own */
		if (collector->paths[index].root != root)
			return index;
		pair->key = (uint64_t)(2 * number + from_csv) << 32 | root;
		pair->value = index + 1;
		collector->path_table.n++;
	}
	call->last_path = pair->value - 1;
	return call->last_path;
}

void collector_reset(struct collector *collector)
{
	thin_reset(collector);
	for (uint32_t i = 0; i < collector->n_calls; i++) {
		struct collected_call *call = &collector->calls[i];

		call->n = call->n_removed = call->last_run = 0;
		call->n_seen = call->n_disturbed = call->n_own_unknown = 0;
		memset(call->removed_ns, 0, sizeof call->removed_ns);
	}
	for (uint32_t i = 0; i < collector->n_paths; i++)
		collector->paths[i].n_seen = 0;
	for (uint32_t i = 0; i < collector->n_cleans; i++) {
		struct collected_times *times = collector->cleans[i].times;

		collector->cleans[i].n_seen = 0;
		if (!times)
			continue;
		memset(times->nodes, 0, collector->cleans[i].n_calls * sizeof *times->nodes);
		free_kept(times->slowest, times->n_slowest);
		free_kept(times->typical, times->n_typical);
		times->n_slowest = times->n_typical = 0;
	}
	collector->n_executions = 0;
}

/* How many of the run under way the call has. */
static uint64_t count_in_run(const struct collector *collector, const struct collected_call *call)
{
	return call->last_run == collector->n_runs ? call->in_run : 0;
}

void collector_add_sample(struct collector *collector, struct collected_call *call, uint32_t path,
			  uint64_t duration_ns, uint8_t flags)
{
	if (call->n == call->room) {
		call->room = call->room ? 2 * call->room : 8;
		call->duration_ns =
			mem_resize(call->duration_ns, call->room, sizeof *call->duration_ns);
		call->path = mem_resize(call->path, call->room, sizeof *call->path);
		call->run = mem_resize(call->run, call->room, sizeof *call->run);
		call->flags = mem_resize(call->flags, call->room, sizeof *call->flags);
	}
	call->duration_ns[call->n] = duration_ns;
	call->path[call->n] = path;
	call->run[call->n] = collector->n_runs - 1;
	call->flags[call->n] = flags;
	call->n++;
}

void collector_count_seen(struct collector *collector, struct collected_call *call, uint32_t path,
			  uint8_t flags)
{
	call->in_run = count_in_run(collector, call) + 1;
	call->last_run = collector->n_runs;
	call->n_seen++;
	call->n_disturbed += (flags & EXECUTION_DISTURBED) != 0;
	call->n_own_unknown += (flags & EXECUTION_OWN_UNKNOWN) != 0;
	collector->paths[path].n_seen++;
	collector->cleans[collector->paths[path].clean].n_seen++;
	collector->n_executions++;
}

static uint8_t take_removed(struct collected_call *call, const struct collected_path *path,
			    const uint64_t *node_ns, struct removed *removed)
{
	uint64_t ns[N_REMOVED_KINDS];

	clean_path_times(&path->parts, node_ns, ns);
	removed->interrupt_ns = ns[REMOVED_INTERRUPT];
	removed->preempted_ns = ns[REMOVED_PREEMPTED];
	removed->off_cpu_ns = ns[REMOVED_OFF_CPU];
	for (unsigned i = 0; i < N_REMOVED_KINDS; i++)
		call->removed_ns[i] += ns[i];
	return (uint8_t)((path->parts.disturbed ? EXECUTION_DISTURBED : 0) |
			 (path->parts.own_unknown ? EXECUTION_OWN_UNKNOWN : 0));
}

static void add_removed(struct collected_call *call, const struct removed *removed)
{
	ARRAY_RESERVE(call->removed, call->n_removed, call->removed_room);
	call->removed[call->n_removed] = *removed;
	call->removed[call->n_removed++].execution = call->n;
}

static uint64_t known(uint64_t duration_ns)
{
	return duration_ns == DURATION_NONE ? 0 : duration_ns;
}

static uint64_t *scratch(struct collector *collector, uint32_t n)
{
	if (n > collector->scratch_room) {
		collector->scratch_room = 2 * n;
		collector->scratch = mem_resize(collector->scratch, collector->scratch_room,
						sizeof *collector->scratch);
	}
	return collector->scratch;
}

/* The calls of the clean path out of the raw ones: what lies between the pieces. */
static void pick_clean(const struct collected_path *path, const uint64_t *node_ns, uint64_t *clean)
{
	uint32_t from = 0, at = 0;

	for (uint32_t i = 0; i <= path->parts.n_pieces; i++) {
		bool last = i == path->parts.n_pieces;
		uint32_t to = last ? path->n_calls : path->parts.pieces[i].first;

		for (; from < to; from++)
			clean[at++] = known(node_ns[from]);
		if (!last)
			from += path->parts.pieces[i].n;
	}
}

/* Exact, so that the order of addition cannot show. Durations are below 2^53. */
static void add_square(struct node_times *node, uint64_t ns)
{
	uint64_t low = ns & UINT32_MAX, high = ns >> 32, cross = 2 * high * low;
	uint64_t square = low * low, more = cross << 32;

	node->squares_high += high * high + (cross >> 32);
	node->squares_high += __builtin_add_overflow(square, more, &square);
	node->squares_high += __builtin_add_overflow(node->squares_low, square, &node->squares_low);
}

static void add_node_times(struct collector *collector, struct collected_clean *clean,
			   const struct collected_path *path, const uint64_t *node_ns)
{
	uint32_t n = clean->n_calls;
	uint64_t *total = scratch(collector, 2 * n), *self = total + n;

	pick_clean(path, node_ns, total);
	memcpy(self, total, n * sizeof *self);
	for (uint32_t i = n - 1; i > 0; i--) {
		uint64_t *of_parent = &self[clean->times->parent[i]];

		/* digits cut off can make the children longer than their parent */
		*of_parent -= total[i] < *of_parent ? total[i] : *of_parent;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct node_times *node = &clean->times->nodes[i];

		if (node->n == 0) {
			node->min = total[i];
			node->self_min = self[i];
		}
		node->n++;
		node->sum += total[i];
		node->self_sum += self[i];
		add_square(node, total[i]);
		node->min = total[i] < node->min ? total[i] : node->min;
		node->max = total[i] > node->max ? total[i] : node->max;
		node->self_min = self[i] < node->self_min ? self[i] : node->self_min;
		node->self_max = self[i] > node->self_max ? self[i] : node->self_max;
	}
}

static int compare_files(const struct collected_run *a, const struct collected_run *b)
{
	const char *x = a->file_campaign ? a->file_campaign : a->campaign;
	const char *y = b->file_campaign ? b->file_campaign : b->campaign;
	const char *x_name = a->file_name ? a->file_name : a->name;
	const char *y_name = b->file_name ? b->file_name : b->name;
	int order = compare_natural(x, y);

	if (order == 0)
		order = compare_natural(x_name, y_name);
	/* 01 and 1 are equal to a natural order, but not the same run */
	if (order == 0)
		order = strcmp(x, y);
	return order ? order : strcmp(x_name, y_name);
}

int collected_run_order(const struct collected_run *a, const struct collected_run *b)
{
	int order;

	if (a->input != b->input)
		return a->input < b->input ? -1 : 1;
	order = compare_files(a, b);
	if (order)
		return order;
	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

/* Whether a comes before b among the executions to be kept. */
static bool kept_before(const struct collected_run *runs, const struct collected_kept *a,
			const struct collected_kept *b)
{
	int order;

	if (a->key != b->key)
		return a->key > b->key;
	order = a->run == b->run ? 0 : collected_run_order(&runs[a->run], &runs[b->run]);
	return order ? order < 0 : a->index < b->index;
}

/* Keeps an execution among the room first ones. */
static bool keep(struct collector *collector, struct collected_kept *kept, uint32_t *n,
		 uint32_t room, const struct collected_kept *one, const struct execution *execution)
{
	size_t bytes = execution->n_calls * sizeof *execution->node_ns;
	uint32_t at;

	if (*n == room) {
		if (!kept_before(collector->runs, one, &kept[room - 1]))
			return false;
		free(kept[--*n].node_ns);
	}
	for (at = *n; at > 0 && kept_before(collector->runs, one, &kept[at - 1]); at--)
		kept[at] = kept[at - 1];
	kept[at] = *one;
	kept[at].node_ns = mem_alloc(bytes);
	memcpy(kept[at].node_ns, execution->node_ns, bytes);
	++*n;
	return true;
}

static bool keep_whole(struct collector *collector, const struct collected_call *call,
		       uint32_t path_index, const struct execution *execution, bool disturbed)
{
	const struct collected_path *path = &collector->paths[path_index];
	struct collected_times *times = collector->cleans[path->clean].times;
	struct collected_kept one = {
		.key = execution->node_ns[0],
		.sample = call->n,
		.path = path_index,
		.root = execution->root,
		.run = collector->n_runs - 1,
		.index = count_in_run(collector, call),
	};
	bool kept;

	kept = keep(collector, times->slowest, &times->n_slowest, KEPT_SLOWEST, &one, execution);
	if (disturbed)
		return kept;
	one.key = mix(collector->run_hash ^ mix(one.index));
	return keep(collector, times->typical, &times->n_typical, KEPT_TYPICAL, &one, execution) ||
	       kept;
}

static bool is_chosen(const struct collector *collector, uint32_t call_name)
{
	const struct load_options *options = collector->options;

	for (size_t i = 0; i < options->n_syscalls; i++)
		if (strcmp(options->syscalls[i], names_text(collector->names, call_name)) == 0)
			return true;
	return options->n_syscalls == 0;
}

/* Times of the calls, where they are kept; whether the execution is among those kept whole. */
static bool add_times(struct collector *collector, const struct collected_call *call,
		      uint32_t index, const struct execution *execution, bool disturbed)
{
	const struct collected_path *path = &collector->paths[index];
	struct collected_clean *clean = &collector->cleans[path->clean];

	if (!clean->times)
		return false;
	if (!disturbed)
		add_node_times(collector, clean, path, execution->node_ns);
	return keep_whole(collector, call, index, execution, disturbed);
}

static void add_execution(struct collector *collector, struct collected_call *call, uint32_t index,
			  const struct execution *execution)
{
	const struct collected_path *path = &collector->paths[index];
	struct tallied one = {.whole_ns = execution->node_ns[0]};
	struct removed removed = {0};
	bool has_removed = false, drawn = true, whole = false;

	if (collector->bounds)
		drawn = thin_draw(collector, path->call, path->clean);
	if (one.whole_ns == DURATION_NONE) {
		one.whole_ns = 0;
		one.flags = (uint8_t)(EXECUTION_NO_DURATION |
				      (path->disturbed ? EXECUTION_DISTURBED : 0));
	} else {
		collector->has_durations = true;
		has_removed = path->parts.n_pieces > 0;
		if (has_removed)
			one.flags = take_removed(call, path, execution->node_ns, &removed);
		whole = add_times(collector, call, index, execution,
				  one.flags & EXECUTION_DISTURBED);
	}
	collector_count_seen(collector, call, index, one.flags);
	one.own_ns = thin_own_ns(one.whole_ns, &removed);
	thin_tally(collector, call, index, &one);
	if (!drawn && !whole)
		return;
	if (has_removed)
		add_removed(call, &removed);
	collector_add_sample(collector, call, index, one.whole_ns,
			     (uint8_t)(one.flags | (drawn ? 0 : EXECUTION_APART)));
}

void collector_execution(void *context, const struct execution *execution)
{
	struct collector *collector = context;
	struct collected_call *call;

	if (!is_chosen(collector, execution->call))
		return;
	call = collector_find_call(collector, execution->call);
	if (call->n == UINT32_MAX)
		return;
	add_execution(collector, call, find_path(collector, call, execution->root, false),
		      execution);
}

bool collector_sample(struct collector *collector, uint32_t call_name, uint32_t path_name,
		      uint64_t duration_ns)
{
	struct collected_call *call;
	uint32_t path;

	if (call_name == NAME_NONE || path_name == NAME_NONE)
		return false;
	if (!is_chosen(collector, call_name))
		return true;
	call = collector_find_call(collector, call_name);
	if (call->n == UINT32_MAX)
		return false;
	collector->has_durations = true;
	path = find_path(collector, call, path_name, true);
	collector_count_seen(collector, call, path, 0);
	collector_add_sample(collector, call, path, duration_ns, 0);
	return true;
}
