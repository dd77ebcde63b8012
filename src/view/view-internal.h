/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the builders of panels share. */
#ifndef EVTOP_VIEW_INTERNAL_H
#define EVTOP_VIEW_INTERNAL_H

#include "evtop/view.h"

/* ---- one a panel; the table of them is in build.c ---- */

void view_header(struct view_panel *panel, const struct view_context *context);
void view_calls(struct view_panel *panel, const struct view_context *context);
void view_paths(struct view_panel *panel, const struct view_context *context);
void view_tree(struct view_panel *panel, const struct view_context *context);
void view_density(struct view_panel *panel, const struct view_context *context);
void view_fit(struct view_panel *panel, const struct view_context *context);
void view_iid(struct view_panel *panel, const struct view_context *context);

/* ---- what is selected ---- */

const struct call *view_call(const struct view_context *context, uint32_t call); /* or NULL */
/* Path of the selected call in the identity of the settings; NULL for PATH_ALL. */
const struct path *view_path(const struct view_context *context, uint32_t path);
/* Or were all of them samples, of which no calls are known? */
bool view_has_trees(const struct recording *recording);
/* The id as running text names it: 6 digits of an MD5, else what a file gave. */
const char *view_short_id(struct view_panel *panel, const char *id);
/* A line of ordinary text in a block of its own. */
void view_say(struct view_panel *panel, enum role role, const char *text);

/* ---- results, where there are any; pending may be NULL and is only ever set ---- */

/* Of all executions: whatever happened, in whatever stratum fits are made. */
const struct summary *view_summary(struct view_panel *panel, const struct view_context *context,
				   uint32_t call, uint32_t path, bool *pending);
const struct fit *view_fit_of(struct view_panel *panel, const struct view_context *context,
			      uint32_t call, uint32_t path, bool *pending);

/*
 * Up to room times of a path or of all of a call (PATH_ALL), spread evenly over
 * its executions, whole or own as the settings say; sorted. For what is drawn
 * in a few columns. Returns their number.
 */
uint32_t view_some_times(const struct view_context *context, uint32_t call, uint32_t path,
			 uint64_t *time_ns, uint32_t room);

/* A level's number; with a "?" behind it where it is shown although it is not trusted. */
struct view_cell view_level_cell(struct view_panel *panel, enum role role, double level_ns,
				 bool trusted);
/* The pWCET of a fit as a cell: the level, or in a few words why there is none. */
struct view_cell view_pwcet_cell(struct view_panel *panel, const struct fit *fit,
				 const struct settings *settings);

/* ---- tables ---- */

#define VIEW_COLUMNS_MAX 24

/* Those columns of a static table that have something to say here. */
struct view_chosen {
	struct view_column *columns;
	uint32_t n;
	int8_t at[VIEW_COLUMNS_MAX]; /* place of a column of the static table, or -1 */
};

/* hidden: by the static table's index. */
void view_choose_columns(struct view_panel *panel, const struct view_column *all, uint32_t n,
			 const bool *hidden, struct view_chosen *chosen);
static inline void view_set(struct view_cell *row, const struct view_chosen *chosen, int column,
			    struct view_cell cell)
{
	if (chosen->at[column] >= 0)
		row[chosen->at[column]] = cell;
}
static inline void view_set_heading(struct view_table *table, const struct view_chosen *chosen,
				    int column, const char *heading)
{
	if (chosen->at[column] >= 0)
		table->headings[chosen->at[column]] = heading;
}

/* What a row is sorted by. */
struct view_key {
	uint32_t index; /* of the call or path; breaks ties */
	double number;	/* NaN goes last */
	const char *text;
};

/*
 * The column of the static table that the user sorts by, or the panel's own;
 * sets how the table is marked.
 */
int view_sort_column(struct view_table *table, const struct view_chosen *chosen,
		     const struct view_column *all, const struct view_order *order, int own);
void view_sort(struct view_key *keys, uint32_t n, bool by_text, bool descending);
/* Is the order held? Then by the place that the row had; those that had none come last. */
double view_held_place(const struct view_order *order, uint64_t identity);
/* Does the filter let it through? Either case of ASCII letters. */
bool view_filtered(const struct view_order *order, const char *name);
/* "by median": what the rows are ordered by, for the title's right part. */
void view_title_order(struct view_panel *panel, const struct view_table *table,
		      const struct view_order *order);
/* "'slab': 1 of 5 shown" while a filter hides rows, in the title's right part. */
void view_title_filter(struct view_panel *panel, const struct view_order *order, uint32_t n_shown,
		       uint32_t n_all);
/* Room for so many rows at once, in a table that has none yet. */
void view_reserve_rows(struct view_panel *panel, struct view_table *table, uint32_t n);

/*
 * Rows that may come into sight while the cursor stays on the selected one: a
 * screenful to either side. No height: all.
 */
bool view_in_reach(const struct view_context *context, uint32_t row, uint32_t selected);

/* ---- where one path leaves another ---- */

struct view_leave {
	bool differs;
	uint32_t call; /* of either path, in call order from 0: the first that differs */
	uint32_t depth, other_depth;
	uint32_t function;	 /* the call of the path that leaves, NAME_NONE: it has ended */
	uint32_t other_function; /* the call of the path that is left */
};

void view_find_leave(const struct trees *trees, uint32_t root, uint32_t other,
		     struct view_leave *leave);
/*
 * "8c559e leaves 7d331b at call 104: make_vfsuid (6); there 8c559e calls
 * generic_permission": the rarer of two paths of the selected call leaves the
 * more common one. Calls count from 0, the root; in brackets the depth, of the
 * second one where it is another.
 */
void view_put_leave(struct view_panel *panel, struct view_line *line,
		    const struct view_context *context, uint32_t a, uint32_t b);

#endif
