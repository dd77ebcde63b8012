/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree panel: which two sides stand in it, and what is said about them. */
#include "tree-internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the machine did ---- */

struct removed_class {
	const char *name;
	enum role role;
	size_t offset; /* of the time in struct removed */
};

static const struct removed_class removed_classes[] = {
	{"interrupts", ROLE_INTERRUPT, offsetof(struct removed, interrupt_ns)},
	{"preempted", ROLE_PREEMPTED, offsetof(struct removed, preempted_ns)},
	{"asleep", ROLE_OFF_CPU, offsetof(struct removed, off_cpu_ns)},
};

static uint64_t time_of(const struct removed *removed, const struct removed_class *class)
{
	uint64_t ns;

	memcpy(&ns, (const char *)removed + class->offset, sizeof ns);
	return ns;
}

static bool is_of_path(const struct tree_builder *builder, uint32_t execution)
{
	const struct call *call = builder->call;
	enum identity identity = builder->context->settings->identity;
	uint32_t raw = call->raw[execution];
	uint32_t path = identity == IDENTITY_RAW ? raw : call->paths[IDENTITY_RAW][raw].clean;

	return path == builder->context->path_a;
}

/* Over all executions of the path; or of the one that is shown. */
static uint32_t gather_removed(const struct tree_builder *builder,
			       const struct removed_class *class, uint64_t *time_ns)
{
	const struct call *call = builder->call;
	uint32_t n = 0;

	for (uint32_t i = 0; i < call->n_removed; i++) {
		const struct removed *removed = &call->removed[i];

		if (builder->execution ? removed->execution != builder->execution->execution
				       : !is_of_path(builder, removed->execution))
			continue;
		time_ns[n] = time_of(removed, class);
		n += time_ns[n] > 0;
	}
	stats_sort(time_ns, NULL, n);
	return n;
}

/* "interrupts, in 10.3% of executions": how often; the cells say how long. */
static void add_class(struct tree_builder *builder, const struct removed_class *class,
		      const uint64_t *time_ns, uint32_t n)
{
	double median = stats_quantile(time_ns, n, 0.5), max = (double)time_ns[n - 1];
	const char *name = class->name, *note = "";
	char number[NUMBER_SIZE];
	double share;

	if (!builder->execution) {
		share = 100 * (double)n / builder->path->n_executions;
		name = view_text(builder->panel, "%s in %.*f%% of executions", class->name,
				 share < 99.5, share);
		note = view_text(builder->panel, "max %s", format_duration(number, max));
	}
	tree_add_other_row(builder, name, class->role, view_identity(class->name));
	tree_set_other(builder, n, median, max, note);
}

void tree_add_removed(struct tree_builder *builder)
{
	uint64_t *time_ns = mem_alloc(builder->call->n_removed * sizeof *time_ns + 1);

	for (size_t i = 0; i < COUNT_OF(removed_classes); i++) {
		uint32_t n = gather_removed(builder, &removed_classes[i], time_ns);

		if (n)
			add_class(builder, &removed_classes[i], time_ns, n);
	}
	free(time_ns);
}

/* ---- sides ---- */

static const struct kept_execution *slowest_of(const struct tree_builder *builder)
{
	const struct path_times *times = builder->clean->times;

	for (uint32_t i = 0; times && i < times->n_slowest; i++)
		if (builder->context->settings->identity == IDENTITY_CLEAN ||
		    times->slowest[i].raw_root == builder->path->root)
			return &times->slowest[i];
	return NULL;
}

static void set_beside(struct tree_builder *builder, const char *name)
{
	builder->has_b = true;
	builder->b_name = name;
	builder->only_a = view_text(builder->panel, "not in %s", name);
	builder->only_b = view_text(builder->panel, "only in %s", name);
}

static const struct path *clean_of(const struct tree_builder *builder, const struct path *path)
{
	return builder->context->settings->identity == IDENTITY_CLEAN
		       ? path
		       : &builder->call->paths[IDENTITY_CLEAN][path->clean];
}

static void set_side_a(struct tree_builder *builder)
{
	const struct trees *trees = builder->context->recording->trees;
	const struct kept_execution *slowest = slowest_of(builder);

	if (builder->context->settings->identity == IDENTITY_CLEAN)
		tree_side_typical(builder->panel, trees, builder->clean, &builder->a);
	else
		tree_side_raw(trees, builder->path, builder->clean, &builder->a);
	if (!slowest)
		return;
	/* a clean path that was never left alone has no typical times: one of it, as it was */
	if (builder->kind == TREE_SLOWEST || !builder->a.n_kept) {
		builder->execution = slowest;
		tree_side_one(trees, slowest, &builder->a);
	}
}

/* The typical execution of the path's own clean path, or the path beside it. */
static void set_side_b(struct tree_builder *builder)
{
	const struct view_context *context = builder->context;
	const struct trees *trees = context->recording->trees;
	const struct path *beside = view_path(context, context->path_b);
	bool raw = context->settings->identity == IDENTITY_RAW;

	if (builder->kind == TREE_TIMES)
		return;
	if (builder->kind == TREE_SLOWEST || (raw && !builder->a.n_kept)) {
		tree_side_typical(builder->panel, trees, builder->clean, &builder->b);
		if (builder->kind == TREE_SLOWEST && !builder->b.n_kept)
			return;
		set_beside(builder,
			   builder->kind == TREE_SLOWEST
				   ? "typical"
				   : view_text(builder->panel, "clean %s",
					       view_short_id(builder->panel, builder->clean->id)));
		if (builder->kind == TREE_SLOWEST) {
			builder->only_a = "only here";
			builder->only_b = "not here";
		}
		return;
	}
	if (!beside || beside == builder->path || beside->root == NODE_NONE)
		return;
	if (raw)
		tree_side_raw(trees, beside, clean_of(builder, beside), &builder->b);
	else
		tree_side_typical(builder->panel, trees, beside, &builder->b);
	set_beside(builder, view_short_id(builder->panel, beside->id));
}

/* ---- what is said ---- */

static const char *where_of(const struct tree_builder *builder)
{
	const struct recording *recording = builder->context->recording;
	const struct run *run = &recording->runs[builder->call->run[builder->execution->execution]];

	return view_text(builder->panel, "%s of %s", view_name(builder->panel, run->name),
			 view_name(builder->panel, recording->campaigns[run->campaign].name));
}

static void put_title(struct tree_builder *builder)
{
	struct view_panel *panel = builder->panel;
	struct view_line *title = &panel->title;
	const char *kind = panels[PANEL_TREE].kinds[builder->kind];
	struct view_cell right;

	view_puts(panel, title, ROLE_DIM, "of ");
	view_puts(panel, title, ROLE_A, builder->a_name);
	if (builder->execution) {
		view_puts(panel, title, ROLE_TEXT, ": its slowest execution, ");
		view_put(panel, title,
			 cell_number(CELL_DURATION, ROLE_STRONG,
				     (double)builder->execution->duration_ns));
		view_printf(panel, title, ROLE_DIM, ", in %s", where_of(builder));
		title->cells[title->n - 1].drop = 2;
	}
	if (builder->has_b) {
		view_puts(panel, title, ROLE_DIM,
			  builder->kind == TREE_SLOWEST ? " beside " : " against ");
		view_puts(panel, title, ROLE_B, builder->b_name);
	}
	right = cell_text(ROLE_DIM, view_text(panel, "  %s", kind ? kind : ""));
	right.drop = 3;
	view_put_right(panel, title, right);
}

static void add_leave(struct tree_builder *builder)
{
	const struct view_context *context = builder->context;
	const struct path *beside = view_path(context, context->path_b);
	struct view_line *line;
	struct view_block *block;

	if (!beside || !builder->has_b || builder->kind != TREE_TYPICAL ||
	    beside->root != builder->b.root)
		return;
	block = view_add_block(builder->panel, BLOCK_LINES);
	block->priority = 1;
	line = view_add_line(builder->panel, block);
	view_put_leave(builder->panel, line, context, context->path_a, context->path_b);
	if (!line->n)
		block->lines.n = 0;
}

/* From which executions the times come, for everything that is not plain. */
static const char *say_times(const struct tree_builder *builder)
{
	struct view_panel *panel = builder->panel;
	const struct path_times *times = builder->clean->times;
	char count[NUMBER_SIZE];
	bool raw = builder->context->settings->identity == IDENTITY_RAW;

	if (!builder->context->recording->has_durations)
		return "the trace has no durations: calls without times";
	if (!times)
		return "times of single calls were not kept";
	if (builder->kind == TREE_SLOWEST)
		return !builder->execution
			       ? "none of the slowest executions that were kept took this raw path"
		       : builder->has_b
			       ? view_text(panel, "typical: median of %u undisturbed executions",
					   (unsigned)builder->b.n_kept)
			       : "no undisturbed execution to set beside it";
	if (builder->execution)
		return "no execution of this path was left undisturbed: this is the slowest one, "
		       "as it was";
	if (!builder->a.n_kept)
		return raw ? "no execution of this raw path was kept whole: its calls, and the "
			     "times of its clean path beside them"
			   : "no execution of this path was kept whole";
	if (builder->has_b && !builder->b.n_kept)
		return view_text(panel, "no undisturbed execution of %s: its times are not known",
				 builder->b_name);
	if (!builder->a.nodes)
		return view_text(panel, "times: median of %u executions of this raw path",
				 (unsigned)builder->a.n_kept);
	return view_text(
		panel,
		builder->has_single_times
			? "total and self: median of %u undisturbed executions; min, mean, "
			  "max of all %s"
			: "median of %u of the %s undisturbed executions",
		(unsigned)builder->a.n_kept, format_count(count, builder->a.nodes[0].n));
}

static void add_notes(struct tree_builder *builder)
{
	struct view_block *block = view_add_block(builder->panel, BLOCK_LINES);

	block->priority = 2;
	if (builder->cut_short)
		view_puts(builder->panel, view_add_line(builder->panel, block), ROLE_WARNING,
			  "more calls than are shown: fold some of them");
	view_puts(builder->panel, view_add_line(builder->panel, block), ROLE_DIM,
		  say_times(builder));
}

static void put_condensed(struct tree_builder *builder)
{
	const struct recording *recording = builder->context->recording;
	char count[NUMBER_SIZE];

	view_printf(builder->panel, &builder->panel->condensed, ROLE_TEXT, "%s calls",
		    format_count(count, trees_size(recording->trees, builder->path->root)));
}

void view_tree(struct view_panel *panel, const struct view_context *context)
{
	struct tree_builder builder = {.panel = panel, .context = context};

	builder.call = view_call(context, context->call);
	builder.path = view_path(context, context->path_a);
	if (!builder.path) {
		view_say(panel, ROLE_DIM, "no path is selected");
		return;
	}
	if (builder.path->root == NODE_NONE) {
		view_say(panel, ROLE_DIM,
			 context->recording->live
				 ? "a rare raw path: its calls are not kept, its count is"
				 : "samples without call trees: there is nothing to show");
		return;
	}
	builder.kind = context->kind[PANEL_TREE] <= TREE_SLOWEST ? context->kind[PANEL_TREE]
								 : TREE_TYPICAL;
	builder.clean = clean_of(&builder, builder.path);
	builder.a_name = view_short_id(panel, builder.path->id);
	set_side_a(&builder);
	set_side_b(&builder);
	put_title(&builder);
	put_condensed(&builder);
	add_leave(&builder);
	tree_add_table(&builder);
	tree_add_removed(&builder);
	add_notes(&builder);
}
