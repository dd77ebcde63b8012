/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One path: found by its id, its call tree, the lines that its id is made of. */
#include "evtop/walk.h"
#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding ---- */

struct search {
	const char *prefix;
	struct report_found found;
	const char *id;	   /* of what was found */
	const char *other; /* another id that begins so */
	bool exact;
};

static void search_path(struct search *search, const struct call *call, enum identity identity,
			uint32_t path)
{
	const char *id = call->paths[identity][path].id;
	size_t n = strlen(search->prefix);
	bool exact = !strcmp(id, search->prefix);

	if (strncmp(id, search->prefix, n) || (search->exact && !exact))
		return;
	if (!search->id || (exact && !search->exact)) {
		search->found = (struct report_found){call, identity, path};
		search->id = id;
		search->exact = exact;
		search->other = NULL;
	} else if (strcmp(id, search->id)) {
		search->other = id;
	}
}

static void search_identity(struct search *search, const struct recording *recording,
			    enum identity identity)
{
	for (uint32_t i = 0; i < recording->n_calls; i++) {
		const struct call *call = &recording->calls[i];

		for (uint32_t p = 0; p < call->n_paths[identity]; p++)
			search_path(search, call, identity, p);
	}
}

int report_find_path(const struct recording *recording, enum identity identity, const char *prefix,
		     struct report_found *found, struct error *err)
{
	enum identity other = identity == IDENTITY_CLEAN ? IDENTITY_RAW : IDENTITY_CLEAN;
	struct search search = {.prefix = prefix};
	char shown[64], first[64], second[64];

	search_identity(&search, recording, identity);
	if (!search.id)
		search_identity(&search, recording, other);
	text_printable(shown, sizeof shown, prefix);
	if (!search.id)
		return error_set(err, "no path has an id that begins with '%s'", shown);
	if (search.other)
		return error_set(err, "path '%s' is ambiguous: '%s' and '%s' begin so", shown,
				 text_printable(first, sizeof first, search.id),
				 text_printable(second, sizeof second, search.other));
	*found = search.found;
	return 0;
}

/* ---- medians of calls over the executions kept ---- */

/*
 * Raw pre-order index of every clean call of one undisturbed execution: its
 * raw tree is the clean one but for what lies inside of calls that sleep or are
 * opaque. false where the trees do not match.
 */
static bool match_trees(const struct trees *trees, uint32_t clean, uint32_t raw, uint32_t *index)
{
	struct tree_walk a, b;
	bool matches = true;
	uint32_t n;

	tree_walk_init(&a, trees, clean);
	tree_walk_init(&b, trees, raw);
	while (matches && tree_walk_next(&a)) {
		matches = tree_walk_next(&b) && a.depth == b.depth &&
			  trees_function(trees, a.node) == trees_function(trees, b.node);
		if (matches)
			index[a.index] = b.index;
		trees_children(trees, a.node, &n);
		if (matches && !n)
			tree_walk_skip(&b);
	}
	matches = matches && !tree_walk_next(&b);
	tree_walk_release(&a);
	tree_walk_release(&b);
	return matches;
}

/* Median time of every call by clean pre-order, NaN where it is not known. Free it. */
static double *node_medians(const struct trees *trees, const struct path *path, uint32_t *used)
{
	const struct path_times *times = path->times;
	uint32_t size = trees_size(trees, path->root);
	double *median = mem_zero(size, sizeof *median);
	uint64_t *values = mem_zero((size_t)size * KEPT_TYPICAL, sizeof *values);
	uint32_t *index = mem_zero(size, sizeof *index);

	*used = 0;
	for (uint32_t k = 0; k < times->n_typical; k++) {
		const struct kept_execution *kept = &times->typical[k];

		if (!kept->node_ns || !match_trees(trees, path->root, kept->raw_root, index))
			continue;
		for (uint32_t i = 0; i < size; i++)
			values[(size_t)i * KEPT_TYPICAL + *used] = kept->node_ns[index[i]];
		(*used)++;
	}
	for (uint32_t i = 0; i < size; i++) {
		uint64_t *of = values + (size_t)i * KEPT_TYPICAL;

		stats_sort(of, NULL, *used);
		median[i] = stats_quantile(of, *used, 0.5);
	}
	free(values);
	free(index);
	return median;
}

/* ---- the tree as text ---- */

static void write_times(struct text *out, const struct node_times *times, double median)
{
	char mean[NUMBER_SIZE], middle[NUMBER_SIZE], min[NUMBER_SIZE], max[NUMBER_SIZE];
	char self[NUMBER_SIZE], count[NUMBER_SIZE];

	if (!times->n) {
		text_printf(out, "%10s %9s %9s %9s %9s %9s  ", "-", "-", "-", "-", "-", "-");
		return;
	}
	text_printf(out, "%10s %9s %9s %9s %9s %9s  ", format_count(count, times->n),
		    format_duration(middle, median),
		    format_duration(mean, (double)times->sum / (double)times->n),
		    format_duration(min, (double)times->min),
		    format_duration(max, (double)times->max),
		    format_duration(self, (double)times->self_sum / (double)times->n));
}

/* A tree of a hostile trace may be as deep as it is long. */
#define INDENT_MOST 100

static void write_nodes(const struct recording *recording, const struct path *path,
			struct text *out)
{
	const struct path_times *times = path->times;
	double *median = NULL;
	uint32_t used = 0;
	struct tree_walk walk;
	char room[VIEWED_NAME];

	/* no times where every execution was disturbed */
	if (times && !times->nodes[0].n)
		times = NULL;
	if (times) {
		median = node_medians(recording->trees, path, &used);
		text_printf(out, "%10s %9s %9s %9s %9s %9s  call\n", "executions", "median", "mean",
			    "min", "max", "self mean");
	}
	tree_walk_init(&walk, recording->trees, path->root);
	while (tree_walk_next(&walk)) {
		const char *name =
			names_text(recording->names, trees_function(recording->trees, walk.node));
		uint32_t indent = walk.depth > INDENT_MOST ? INDENT_MOST : walk.depth;

		if (times)
			write_times(out, &times->nodes[walk.index], median[walk.index]);
		text_printf(out, "%*s%s\n", (int)(2 * indent), "", report_name(room, name));
	}
	tree_walk_release(&walk);
	if (times)
		text_printf(out,
			    "\nTimes are of undisturbed executions, with the calls inside; self is "
			    "without them.\nThe median is that of %u executions drawn evenly.\n",
			    (unsigned)used);
	else if (path->times)
		text_puts(out,
			  "\nEvery execution of this path was disturbed: there are no times of "
			  "its calls.\n");
	free(median);
}

void report_tree(const struct recording *recording, const struct report_found *found,
		 struct text *out)
{
	const struct call *call = found->call;
	const struct path *path = &call->paths[found->identity][found->path];
	char room[VIEWED_NAME], count[NUMBER_SIZE], all[NUMBER_SIZE], share[NUMBER_SIZE];

	text_printf(out, "path       %s\n", report_name(room, path->id));
	text_printf(out, "call       %s, %s identity, rank %u of %u\n",
		    report_name(room, call->name), identity_word(found->identity),
		    (unsigned)found->path + 1, (unsigned)call->n_paths[found->identity]);
	text_printf(out, "executions %s of %s (%s)", format_count(count, path->n_seen),
		    format_count(all, call->n_seen),
		    format_share(share, (double)path->n_seen / call->n_seen));
	text_printf(out, ", %s disturbed\n", format_count(count, path->n_disturbed_seen));
	if (found->identity == IDENTITY_CLEAN)
		text_printf(out, "raw paths  %s\n", format_count(count, path->n_raw));
	if (path->root == NODE_NONE) {
		text_puts(out, "\nSamples without call trees: there is nothing more to show.\n");
		return;
	}
	text_printf(out, "calls      %s\n\n",
		    format_count(count, trees_size(recording->trees, path->root)));
	write_nodes(recording, path, out);
}

static void take_lines(void *context, const char *bytes, size_t n)
{
	text_add(context, bytes, n);
}

int report_calls(const struct recording *recording, const struct report_found *found,
		 struct text *out, struct error *err)
{
	const struct path *path = &found->call->paths[found->identity][found->path];
	char shown[64];

	if (path->root == NODE_NONE)
		return error_set(err, "path '%s' has no call tree: it comes from samples",
				 text_printable(shown, sizeof shown, path->id));
	trees_lines(recording->trees, recording->names, path->root, take_lines, out);
	return 0;
}
