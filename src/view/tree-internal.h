/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree panel's two sides, and how their calls are laid beside each other. */
#ifndef EVTOP_TREE_INTERNAL_H
#define EVTOP_TREE_INTERNAL_H

#include "view-internal.h"

#define SIDE_KEPT_MOST (KEPT_TYPICAL + KEPT_SLOWEST)

/* A call tree with the times that there are for its calls. */
struct tree_side {
	const struct trees *trees;
	uint32_t root; /* NODE_NONE: there is nothing on this side */
	/* over all undisturbed executions, by pre-order of root; NULL: none */
	const struct node_times *nodes;
	/* executions kept whole: the time of every call */
	uint32_t n_kept;
	const uint64_t *kept_ns[SIDE_KEPT_MOST];
	/* from pre-order of root to that of the kept tree; NULL: they are the same */
	const uint32_t *kept_index[SIDE_KEPT_MOST];
};

/* The typical executions of a clean path. */
void tree_side_typical(struct view_panel *panel, const struct trees *trees,
		       const struct path *clean, struct tree_side *side);
/* The executions kept of a raw path; times of all where it was left alone. */
void tree_side_raw(const struct trees *trees, const struct path *raw, const struct path *clean,
		   struct tree_side *side);
/* One execution as it was recorded. */
void tree_side_one(const struct trees *trees, const struct kept_execution *kept,
		   struct tree_side *side);

/*
 * Calls that are equal and next to each other, below one parent or below
 * several equal ones: one row of the tree.
 */
struct tree_run {
	uint32_t node, function;
	uint32_t n_each;	 /* calls below one parent */
	uint32_t n;		 /* calls in all */
	const uint32_t *indices; /* n of them, pre-order of the side's root */
	uint32_t occurrence;	 /* among the runs of the same function beside it */
};

/* The run that is the root alone. */
struct tree_run tree_side_root(struct view_panel *panel, const struct tree_side *side);
/* The calls inside of a run, in order; arrays live as long as the panel. */
struct tree_run *tree_side_children(struct view_panel *panel, const struct tree_side *side,
				    const struct tree_run *run, uint32_t *n);

/*
 * The run inside of this one that takes the longest; without times, the one
 * that calls most. Its place among tree_side_children(), or RUN_NONE; its
 * function (NULL: not wanted) and occurrence. Looks at the first of equal
 * parents alone.
 */
#define RUN_NONE UINT32_MAX
uint32_t tree_side_longest(const struct tree_side *side, const struct tree_run *run,
			   uint32_t *function, uint32_t *occurrence);

/* Times of all calls of a run together; NaN where they are not known. */
struct tree_times {
	double total_ns, self_ns;	/* medians over the kept executions */
	double min_ns, mean_ns, max_ns; /* of one call, over all undisturbed executions */
};

struct tree_times tree_side_times(const struct tree_side *side, const struct tree_run *run);
/* total_ns alone: cheaper. */
double tree_side_total(const struct tree_side *side, const struct tree_run *run);

/* Runs of both sides that belong together; RUN_NONE: there is none on that side. */
struct tree_pair {
	uint32_t a, b;
};

/*
 * Lays two lists of runs beside each other, each in its order, so that most
 * calls find the same one on the other side (longest common subsequence, an
 * equal sub-tree counting more than an equal function; greedy where the lists
 * are very long). pairs takes n_a + n_b places. Returns their number.
 */
uint32_t tree_align(const struct tree_run *a, uint32_t n_a, const struct tree_run *b, uint32_t n_b,
		    struct tree_pair *pairs);

/* ---- the panel ---- */

/* As in panels[PANEL_TREE].kinds. */
enum tree_kind { TREE_TYPICAL, TREE_TIMES, TREE_SLOWEST };

struct tree_builder {
	struct view_panel *panel;
	const struct view_context *context;
	enum tree_kind kind;
	const struct call *call;
	const struct path *path, *clean; /* A; its clean path */
	struct tree_side a, b;
	bool has_b;
	const char *a_name, *b_name;		/* "8c559e" */
	const char *only_a, *only_b;		/* what is said of rows of one side */
	const struct kept_execution *execution; /* side A is this one; NULL: several */
	struct view_table *table;
	struct view_chosen chosen;
	double whole_ns;       /* the root's time, of A; NaN: not known */
	double more_ns;	       /* than of B */
	bool has_single_times; /* min, mean, max are among the columns */
	bool cut_short;	       /* more rows than are shown */
};

/* Adds the table with a row for every call that is in sight. */
void tree_add_table(struct tree_builder *builder);
/* Adds rows of what the machine did, after the calls. */
void tree_add_removed(struct tree_builder *builder);
/* A row that is no call, below the tree; the last one's cells. */
void tree_add_other_row(struct tree_builder *builder, const char *name, enum role role,
			uint64_t identity);
void tree_set_other(struct tree_builder *builder, uint64_t count, double total_ns, double max_ns,
		    const char *note);

#endif
