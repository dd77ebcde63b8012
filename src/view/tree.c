/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of the tree panel: the calls of both sides beside each other. */
#include "tree-internal.h"

#include <string.h>

enum { NAME, CALLS, TOTAL, SELF, BESIDE, DIFFERENCE, MIN, MEAN, MAX, SHARE, NOTE, N_COLUMNS };

/* clang-format off */
static const struct view_column columns[N_COLUMNS] = {
	[NAME] = {"function", "function", 0, 16, 1, ALIGN_LEFT, false, false,
		"the call; - only the path beside it makes it, + only this one"},
	[CALLS] = {"calls", "calls", 4, 4, 0, ALIGN_RIGHT, false, false,
		"equal calls in a row, in all calls above them together"},
	[TOTAL] = {"total", "total", 0, 7, 0, ALIGN_RIGHT, false, false,
		"their time with what they call: median of the executions kept whole"},
	[SELF] = {"self", "self", 3, 7, 0, ALIGN_RIGHT, false, false,
		"their time without what they call"},
	[BESIDE] = {"beside", "beside", 1, 7, 0, ALIGN_RIGHT, false, false,
		"total of the same calls on the path beside it"},
	[DIFFERENCE] = {"difference", "diff", 1, 7, 0, ALIGN_RIGHT, false, false,
		"how much longer than beside it; below 0.5% of the whole it is left out"},
	[MIN] = {"min", "min", 6, 7, 0, ALIGN_RIGHT, false, false,
		"the shortest single call, of all undisturbed executions"},
	[MEAN] = {"mean", "mean", 6, 7, 0, ALIGN_RIGHT, false, false,
		"mean of single calls, of all undisturbed executions"},
	[MAX] = {"max", "max", 6, 7, 0, ALIGN_RIGHT, false, false,
		"the longest single call, of all undisturbed executions"},
	[SHARE] = {"share", "share", 5, 8, 0, ALIGN_LEFT, false, false,
		"share of the whole execution's time"},
	[NOTE] = {"note", "", 2, 0, 0, ALIGN_LEFT, false, false,
		"what is different beside it"},
};
/* clang-format on */

#define ROWS_MOST 20000
#define DEPTH_MOST 1000
#define HEAVY_SHARE 0.3	       /* of the whole, for a call to be opened by itself */
#define PART_OF_DIFFERENCE 0.1 /* of all that a slow execution takes more, to be followed */
#define LEAST_DIFFERENCE 0.005 /* of the whole, to be worth a figure */
#define WIDE_ENOUGH_FOR_ALL 140
#define WIDE_ENOUGH_FOR_NOTES 96

/* A row in the making: the calls of either side. */
struct tree_row {
	const struct tree_run *a, *b; /* NULL: not on that side */
	uint64_t identity, parent;
	uint16_t depth;
	bool heavy;	    /* on the way to where the time goes */
	bool differs;	    /* on the way to where the sides differ */
	bool inside_of_one; /* the row above is on one side alone */
};

/* By the function's name: its number is another one in the next recording of a live source. */
static uint64_t child_identity(const struct tree_builder *builder, uint64_t parent,
			       uint32_t function, uint32_t occurrence, bool only_b)
{
	uint64_t name = view_identity(names_text(builder->context->recording->names, function));
	uint64_t parts[] = {parent, name, occurrence, only_b}, hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		for (int bit = 0; bit < 64; bit += 8)
			hash = (hash ^ (parts[i] >> bit & 0xff)) * 0x100000001b3u;
	return hash ? hash : 1;
}

static uint64_t identity_of_run(const struct tree_builder *builder, uint64_t parent,
				const struct tree_run *run, bool only_b)
{
	return child_identity(builder, parent, trees_function(builder->a.trees, run->node),
			      run->occurrence, only_b);
}

/* ---- what is inside of a row ---- */

struct inside {
	struct tree_run *a, *b;
	uint32_t n_a, n_b;
	uint32_t longest; /* of a; RUN_NONE: none */
};

static void look_inside(const struct tree_builder *builder, const struct tree_row *row,
			struct inside *inside)
{
	uint32_t occurrence;

	*inside = (struct inside){.longest = RUN_NONE};
	if (row->a) {
		inside->a = tree_side_children(builder->panel, &builder->a, row->a, &inside->n_a);
		inside->longest = tree_side_longest(&builder->a, row->a, NULL, &occurrence);
	}
	if (row->b)
		inside->b = tree_side_children(builder->panel, &builder->b, row->b, &inside->n_b);
}

/* Identity of the row that the time goes to, whether it is shown or not. */
static uint64_t longest_identity(const struct tree_builder *builder, const struct tree_row *row)
{
	uint32_t function, occurrence, longest;

	if (row->a)
		longest = tree_side_longest(&builder->a, row->a, &function, &occurrence);
	else
		longest = tree_side_longest(&builder->b, row->b, &function, &occurrence);
	return longest == RUN_NONE
		       ? 0
		       : child_identity(builder, row->identity, function, occurrence, !row->a);
}

/* ---- cells ---- */

static bool same_inside(const struct tree_row *row)
{
	return row->a->node == row->b->node;
}

static const char *note_of(const struct tree_builder *builder, const struct tree_row *row,
			   bool expanded)
{
	/* said once, of the row above */
	if (!builder->has_b || row->inside_of_one)
		return "";
	if (!row->b)
		return builder->only_a;
	if (!row->a)
		return builder->only_b;
	if (row->a->n != row->b->n)
		return view_text(builder->panel, "%u calls in %s", (unsigned)row->b->n,
				 builder->b_name);
	return same_inside(row) || expanded ? "" : "differs inside";
}

static void put_name(struct tree_builder *builder, struct view_cell *cells,
		     const struct tree_row *row)
{
	const struct tree_run *run = row->a ? row->a : row->b;
	uint32_t function = trees_function(builder->a.trees, run->node);
	const char *name =
		view_name(builder->panel, names_text(builder->context->recording->names, function));
	const char *sign = !builder->has_b || (row->a && row->b) ? "" : row->a ? "+ " : "- ";

	if (*sign)
		name = view_text(builder->panel, "%s%s", sign, name);
	view_set(cells, &builder->chosen, NAME, cell_text(ROLE_TEXT, name));
}

static void put_times(struct tree_builder *builder, struct view_cell *cells,
		      const struct tree_times *times)
{
	const struct view_chosen *chosen = &builder->chosen;

	view_set(cells, chosen, TOTAL, cell_number(CELL_DURATION, ROLE_TEXT, times->total_ns));
	view_set(cells, chosen, SELF, cell_number(CELL_DURATION, ROLE_TEXT, times->self_ns));
	view_set(cells, chosen, MIN, cell_number(CELL_DURATION, ROLE_TEXT, times->min_ns));
	view_set(cells, chosen, MEAN, cell_number(CELL_DURATION, ROLE_TEXT, times->mean_ns));
	view_set(cells, chosen, MAX, cell_number(CELL_DURATION, ROLE_TEXT, times->max_ns));
	if (times->total_ns > 0 && builder->whole_ns > 0)
		view_set(cells, chosen, SHARE,
			 cell_number(CELL_BAR, ROLE_BAR, times->total_ns / builder->whole_ns));
}

/* A call that one side lacks takes no time there. */
static void put_beside(struct tree_builder *builder, struct view_cell *cells,
		       const struct tree_row *row, double total_ns)
{
	double beside_ns = row->b ? tree_side_total(&builder->b, row->b) : NAN;
	double difference = (row->a ? total_ns : 0) - (row->b ? beside_ns : 0);
	double whole = builder->whole_ns;

	view_set(cells, &builder->chosen, BESIDE, cell_number(CELL_DURATION, ROLE_TEXT, beside_ns));
	if (fabs(difference) >= LEAST_DIFFERENCE * (whole > 0 ? whole : 0) && difference != 0)
		view_set(cells, &builder->chosen, DIFFERENCE,
			 cell_number(CELL_DIFFERENCE, ROLE_STRONG, difference));
}

static void put_cells(struct tree_builder *builder, struct view_cell *cells,
		      const struct tree_row *row, bool expanded)
{
	struct tree_times times = {NAN, NAN, NAN, NAN, NAN};

	put_name(builder, cells, row);
	if (row->a)
		times = tree_side_times(&builder->a, row->a);
	put_times(builder, cells, &times);
	view_set(cells, &builder->chosen, CALLS, cell_count(ROLE_TEXT, row->a ? row->a->n : 0));
	if (builder->has_b)
		put_beside(builder, cells, row, times.total_ns);
	view_set(cells, &builder->chosen, NOTE,
		 cell_text(ROLE_DIM, note_of(builder, row, expanded)));
}

/* ---- rows ---- */

static void add_row(struct tree_builder *builder, const struct tree_row *row);

/* Where the sides first differ, or where the slow one loses most; RUN_NONE: nowhere. */
static uint32_t find_difference(const struct tree_builder *builder, const struct inside *inside,
				const struct tree_pair *pairs, uint32_t n)
{
	uint32_t found = RUN_NONE;
	double most = PART_OF_DIFFERENCE * builder->more_ns;

	for (uint32_t i = 0; i < n; i++) {
		const struct tree_run *a = pairs[i].a == RUN_NONE ? NULL : &inside->a[pairs[i].a];
		const struct tree_run *b = pairs[i].b == RUN_NONE ? NULL : &inside->b[pairs[i].b];
		double more;

		if (builder->kind != TREE_SLOWEST) {
			if (!a || !b || a->node != b->node || a->n != b->n)
				return i;
			continue;
		}
		more = (a ? tree_side_total(&builder->a, a) : 0) -
		       (b ? tree_side_total(&builder->b, b) : 0);
		if (more > most)
			most = more, found = i;
	}
	return found;
}

static void add_inside(struct tree_builder *builder, const struct tree_row *row,
		       const struct inside *inside)
{
	struct tree_pair *pairs =
		view_alloc(builder->panel, (size_t)inside->n_a + inside->n_b, sizeof *pairs);
	uint32_t n = tree_align(inside->a, inside->n_a, inside->b, inside->n_b, pairs);
	uint32_t different = row->differs ? find_difference(builder, inside, pairs, n) : RUN_NONE;

	for (uint32_t i = 0; i < n; i++) {
		struct tree_row child = {.parent = row->identity,
					 .depth = row->depth + 1,
					 .inside_of_one = !row->a || !row->b};
		const struct tree_run *run;

		if (pairs[i].a != RUN_NONE)
			child.a = &inside->a[pairs[i].a];
		if (pairs[i].b != RUN_NONE)
			child.b = &inside->b[pairs[i].b];
		run = child.a ? child.a : child.b;
		child.identity = identity_of_run(builder, row->identity, run, !child.a);
		child.differs = i == different && child.a;
		child.heavy = row->heavy && child.a && pairs[i].a == inside->longest &&
			      (builder->a.n_kept || child.b || !builder->has_b);
		if (child.heavy && builder->whole_ns > 0)
			child.heavy = tree_side_total(&builder->a, child.a) >=
				      HEAVY_SHARE * builder->whole_ns;
		add_row(builder, &child);
	}
}

static bool has_calls(const struct tree_builder *builder, const struct tree_run *run)
{
	return run && trees_size(builder->a.trees, run->node) > 1;
}

static void add_row(struct tree_builder *builder, const struct tree_row *row)
{
	bool has_children = has_calls(builder, row->a) || has_calls(builder, row->b), expanded;
	struct inside inside;
	struct view_cell *cells;
	struct view_row *about;

	if (builder->table->n_rows >= ROWS_MOST) {
		builder->cut_short = true;
		return;
	}
	if (row->depth >= DEPTH_MOST && has_children) {
		has_children = false;
		builder->cut_short = true;
	}
	expanded = has_children &&
		   view_expanded(builder->context, row->identity, row->heavy || row->differs);
	cells = view_add_row(builder->panel, builder->table, row->identity);
	about = &builder->table->rows[builder->table->n_rows - 1];
	about->index = builder->table->n_rows - 1;
	about->parent = row->parent;
	about->depth = row->depth;
	about->has_children = has_children;
	about->expanded = expanded;
	about->role = !builder->has_b || (row->a && row->b) ? ROLE_TEXT : row->a ? ROLE_A : ROLE_B;
	if (has_children)
		about->jump = longest_identity(builder, row);
	put_cells(builder, cells, row, expanded);
	if (!expanded)
		return;
	look_inside(builder, row, &inside);
	add_inside(builder, row, &inside);
}

/* ---- the table ---- */

static void choose(struct tree_builder *builder)
{
	bool times = builder->a.n_kept, beside = builder->has_b && builder->b.n_kept;
	bool all = builder->a.nodes && (builder->kind == TREE_TIMES ||
					(builder->kind == TREE_TYPICAL &&
					 builder->context->width_cols >= WIDE_ENOUGH_FOR_ALL));
	builder->has_single_times = times && all;

	bool hidden[N_COLUMNS] = {[TOTAL] = !times,
				  [SELF] = !times,
				  [BESIDE] = !beside,
				  [DIFFERENCE] = !times || !beside,
				  [MIN] = !times || !all,
				  [MEAN] = !times || !all,
				  [MAX] = !times || !all,
				  [SHARE] = !times,
				  [NOTE] = builder->context->width_cols < WIDE_ENOUGH_FOR_NOTES};

	view_choose_columns(builder->panel, columns, N_COLUMNS, hidden, &builder->chosen);
}

static void add_roots(struct tree_builder *builder)
{
	struct tree_run *a = view_alloc(builder->panel, 2, sizeof *a), *b = a + 1;
	struct tree_row row = {.heavy = true, .differs = builder->has_b};
	uint32_t functions[2];

	*a = tree_side_root(builder->panel, &builder->a);
	row.a = a;
	functions[0] = functions[1] = trees_function(builder->a.trees, a->node);
	if (builder->has_b) {
		*b = tree_side_root(builder->panel, &builder->b);
		functions[1] = trees_function(builder->b.trees, b->node);
	}
	builder->whole_ns = tree_side_total(&builder->a, a);
	if (builder->has_b && functions[0] == functions[1])
		row.b = b;
	row.differs = row.b && a->node != b->node;
	builder->more_ns = row.b ? builder->whole_ns - tree_side_total(&builder->b, b) : 0;
	if (builder->kind == TREE_SLOWEST)
		row.differs = row.b;
	row.identity = child_identity(builder, 1, functions[0], 0, false);
	add_row(builder, &row);
	if (!builder->has_b || row.b)
		return;
	/* entered by another root: two trees */
	row = (struct tree_row){.b = b, .heavy = true};
	row.identity = child_identity(builder, 1, functions[1], 0, true);
	add_row(builder, &row);
}

void tree_add_table(struct tree_builder *builder)
{
	choose(builder);
	builder->table = view_add_table(builder->panel, builder->chosen.columns, builder->chosen.n);
	builder->table->is_tree = true;
	builder->table->selectable = true;
	if (builder->has_b)
		view_set_heading(builder->table, &builder->chosen, BESIDE, builder->b_name);
	if (builder->execution)
		view_set_heading(builder->table, &builder->chosen, TOTAL, "slowest");
	add_roots(builder);
}

void tree_add_other_row(struct tree_builder *builder, const char *name, enum role role,
			uint64_t identity)
{
	struct view_cell *row = view_add_row(builder->panel, builder->table, identity);
	struct view_row *about = &builder->table->rows[builder->table->n_rows - 1];

	about->role = role;
	about->index = builder->table->n_rows - 1;
	view_set(row, &builder->chosen, NAME, cell_text(ROLE_TEXT, name));
}

void tree_set_other(struct tree_builder *builder, uint64_t count, double total_ns, double max_ns,
		    const char *note)
{
	const struct view_chosen *chosen = &builder->chosen;
	struct view_cell *row =
		&builder->table
			 ->cells[(size_t)(builder->table->n_rows - 1) * builder->table->n_columns];

	view_set(row, chosen, CALLS, cell_count(ROLE_TEXT, count));
	view_set(row, chosen, TOTAL, cell_number(CELL_DURATION, ROLE_TEXT, total_ns));
	view_set(row, chosen, MAX, cell_number(CELL_DURATION, ROLE_TEXT, max_ns));
	/* where there is no column for it */
	if (chosen->at[MAX] < 0)
		view_set(row, chosen, NOTE, cell_text(ROLE_TEXT, note));
}
