/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folding the tree, and moving in it. */
#include "explorer.h"

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
