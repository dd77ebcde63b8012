/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folding the tree, and moving in it. */
#include "explorer.h"

#include <stdlib.h>
#include <string.h>

#include "commands.h"

static uint32_t toggled_place(const struct explorer *explorer, uint64_t identity)
{
	uint32_t low = 0, high = explorer->n_toggled;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (explorer->toggled[middle] < identity)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void toggle(struct explorer *explorer, const struct view_row *row)
{
	uint32_t at = toggled_place(explorer, row->identity);
	uint64_t *place;

	if (!row->has_children)
		return;
	if (at < explorer->n_toggled && explorer->toggled[at] == row->identity) {
		place = &explorer->toggled[at];
		memmove(place, place + 1, (explorer->n_toggled - at - 1) * sizeof *place);
		explorer->n_toggled--;
	} else {
		ARRAY_RESERVE(explorer->toggled, explorer->n_toggled, explorer->toggled_room);
		place = &explorer->toggled[at];
		memmove(place + 1, place, (explorer->n_toggled - at) * sizeof *place);
		*place = row->identity;
		explorer->n_toggled++;
	}
	explorer->dirty |= DIRTY(PANEL_TREE);
}

static void go_to(struct explorer *explorer, uint64_t identity)
{
	const struct view_table *table = panel_table(&explorer->views[PANEL_TREE]);
	int64_t row = table ? table_find(table, identity) : -1;

	if (row >= 0)
		explorer_select_row(explorer, PANEL_TREE, row);
	else
		/* it comes into sight with the next build */
		explorer->states[PANEL_TREE].selected = identity;
}

static void expand(struct explorer *explorer, const struct view_row *row)
{
	if (!row->has_children)
		return;
	if (row->expanded)
		explorer_select_row(explorer, PANEL_TREE,
				    (int64_t)explorer->states[PANEL_TREE].row + 1);
	else
		toggle(explorer, row);
}

static void collapse(struct explorer *explorer, const struct view_row *row)
{
	if (row->has_children && row->expanded)
		toggle(explorer, row);
	else if (row->parent)
		go_to(explorer, row->parent);
}

static void longest_child(struct explorer *explorer, const struct view_row *row)
{
	uint64_t identity = row->jump;

	if (!identity) {
		explorer_message(explorer, ROLE_DIM, "it calls nothing");
		return;
	}
	if (!row->expanded)
		toggle(explorer, row);
	go_to(explorer, identity);
}

static void expand_all(struct explorer *explorer, enum view_expand how)
{
	explorer->n_toggled = 0;
	explorer->context.expand = how;
	explorer->dirty |= DIRTY(PANEL_TREE);
}

void explorer_tree_command(struct explorer *explorer, int command)
{
	const struct view_table *table = panel_table(&explorer->views[PANEL_TREE]);
	uint32_t at = explorer->states[PANEL_TREE].row;
	const struct view_row *row;

	if (command == COMMAND_EXPAND_ALL) {
		expand_all(explorer, EXPAND_ALL);
		return;
	}
	if (command == COMMAND_COLLAPSE_ALL) {
		expand_all(explorer,
			   explorer->context.expand == EXPAND_NONE ? EXPAND_DEFAULT : EXPAND_NONE);
		return;
	}
	if (!table || at >= table->n_rows)
		return;
	row = &table->rows[at];
	if (command == COMMAND_TOGGLE)
		toggle(explorer, row);
	else if (command == COMMAND_EXPAND)
		expand(explorer, row);
	else if (command == COMMAND_COLLAPSE)
		collapse(explorer, row);
	else if (command == COMMAND_LONGEST_CHILD)
		longest_child(explorer, row);
}

/* ---- searching ---- */

void explorer_build_whole_tree(struct explorer *explorer)
{
	const struct layout_place *place = layout_find(&explorer->layout, PANEL_TREE);
	struct view_context context = explorer->context;

	if (place)
		context.width_cols = (uint16_t)place->rect.width;
	context.expand = EXPAND_ALL;
	context.n_toggled = 0;
	view_panel_release(&explorer->whole_tree);
	view_build(&explorer->whole_tree, PANEL_TREE, &context);
}

/* Opens what the row lies in, from the outermost on: an inner one is known once it is in sight. */
static void unfold_to(struct explorer *explorer, const struct view_table *whole, int64_t row)
{
	uint64_t parent = whole->rows[row].parent;
	const struct view_table *table;
	int64_t at = parent ? table_find(whole, parent) : -1;

	if (at < 0)
		return;
	unfold_to(explorer, whole, at);
	table = panel_table(&explorer->views[PANEL_TREE]);
	at = table ? table_find(table, parent) : -1;
	if (at < 0 || table->rows[at].expanded)
		return;
	toggle(explorer, &table->rows[at]);
	explorer_refresh(explorer);
}

void explorer_search_tree(struct explorer *explorer, int direction, bool from_here)
{
	bool typing = explorer->whole_tree.n_blocks > 0;
	const struct view_table *whole;
	int64_t row = -1;

	if (!typing)
		explorer_build_whole_tree(explorer);
	whole = panel_table(&explorer->whole_tree);
	if (whole && whole->n_rows) {
		row = table_find(whole, explorer->states[PANEL_TREE].selected);
		row = explorer_find_match(explorer, whole, row < 0 ? 0 : row, direction, from_here);
	}
	if (row >= 0) {
		unfold_to(explorer, whole, row);
		go_to(explorer, whole->rows[row].identity);
	} else {
		explorer_message(explorer, ROLE_WARNING, "no function contains '%s'",
				 explorer->search);
	}
	if (!typing)
		view_panel_release(&explorer->whole_tree);
}

void explorer_search_tree_begin(struct explorer *explorer)
{
	explorer_build_whole_tree(explorer);
	explorer->n_toggled_before = explorer->n_toggled;
	explorer->toggled_before =
		mem_alloc((explorer->n_toggled + 1) * sizeof *explorer->toggled_before);
	if (explorer->n_toggled)
		memcpy(explorer->toggled_before, explorer->toggled,
		       explorer->n_toggled * sizeof *explorer->toggled);
}

void explorer_search_tree_reset(struct explorer *explorer)
{
	uint32_t n = explorer->n_toggled_before;

	if (n == explorer->n_toggled &&
	    (!n || !memcmp(explorer->toggled, explorer->toggled_before, n * sizeof(uint64_t))))
		return;
	/* the array never shrinks: what was in it has room */
	if (n)
		memcpy(explorer->toggled, explorer->toggled_before, n * sizeof(uint64_t));
	explorer->n_toggled = n;
	explorer->dirty |= DIRTY(PANEL_TREE);
	explorer_refresh(explorer);
}

void explorer_search_tree_end(struct explorer *explorer)
{
	view_panel_release(&explorer->whole_tree);
	free(explorer->toggled_before);
	explorer->toggled_before = NULL;
	explorer->n_toggled_before = 0;
}
