/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line that takes text, searching and filtering. */
#include "explorer.h"

#include <stdio.h>
#include <string.h>

void explorer_open_input(struct explorer *explorer, enum explorer_mode mode)
{
	const char *now = mode == MODE_SEARCH ? "" : explorer->filters[explorer->focus];

	explorer->mode = mode;
	explorer->input_panel = explorer->focus;
	explorer->input_selected = explorer->states[explorer->focus].selected;
	explorer->input_call = explorer->context.call;
	explorer->input_path = explorer->context.path_a;
	/* Esc forgets a search, and goes back to the filter that was in force */
	snprintf(explorer->before, sizeof explorer->before, "%s", now);
	snprintf(explorer->input, sizeof explorer->input, "%s", now);
	if (mode == MODE_SEARCH && explorer->focus == PANEL_TREE)
		explorer_search_tree_begin(explorer);
}

int64_t explorer_find_match(const struct explorer *explorer, const struct view_table *table,
			    int64_t row, int direction, bool from_here)
{
	for (uint32_t i = 0; i < table->n_rows; i++) {
		if (i || !from_here)
			row = (row + direction + table->n_rows) % table->n_rows;
		if (table_row_matches(table, (uint32_t)row, explorer->search))
			return row;
	}
	return -1;
}

void explorer_search(struct explorer *explorer, int direction, bool from_here)
{
	const struct view_table *table = panel_table(&explorer->views[explorer->focus]);
	int64_t row;

	if (!table || !table->n_rows)
		return;
	if (!*explorer->search) {
		explorer_message(explorer, ROLE_DIM, "nothing to search for: / takes a text");
		return;
	}
	if (explorer->focus == PANEL_TREE) {
		explorer_search_tree(explorer, direction, from_here);
		return;
	}
	row = explorer_find_match(explorer, table, explorer->states[explorer->focus].row, direction,
				  from_here);
	if (row >= 0)
		explorer_select_row(explorer, explorer->focus, row);
	else
		explorer_message(explorer, ROLE_WARNING, "no row contains '%s'", explorer->search);
}

/* The search follows the typing, from where it began. */
static void search_again(struct explorer *explorer)
{
	const struct view_table *table;
	int64_t row;

	if (explorer->focus == PANEL_TREE)
		explorer_search_tree_reset(explorer);
	table = panel_table(&explorer->views[explorer->focus]);
	row = table ? table_find(table, explorer->input_selected) : -1;
	snprintf(explorer->search, sizeof explorer->search, "%s", explorer->input);
	*explorer->message = '\0';
	if (row >= 0)
		explorer_select_row(explorer, explorer->focus, row);
	if (*explorer->search)
		explorer_search(explorer, 1, true);
}

static void input_changed(struct explorer *explorer)
{
	if (explorer->mode == MODE_SEARCH) {
		search_again(explorer);
		return;
	}
	/* half a filter may have moved the choice away: it goes back where it can */
	if (explorer->context.call != explorer->input_call)
		explorer_select_call(explorer, explorer->input_call);
	if (explorer->context.path_a != explorer->input_path)
		explorer_select_path(explorer, explorer->input_path);
	snprintf(explorer->filters[explorer->input_panel], INPUT_SIZE, "%s", explorer->input);
	explorer_forget_order(explorer, explorer->input_panel);
	explorer->dirty |= DIRTY(explorer->input_panel);
}

static void leave_input(struct explorer *explorer, bool keep)
{
	if (!keep) {
		snprintf(explorer->input, sizeof explorer->input, "%s", explorer->before);
		input_changed(explorer);
		*explorer->message = '\0';
	}
	explorer_search_tree_end(explorer);
	explorer->mode = MODE_NORMAL;
}

static void remove_last(char *text)
{
	size_t n = strlen(text);

	while (n > 0 && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
		n--;
	if (n > 0)
		text[n - 1] = '\0';
}

static void add_code(char *text, uint32_t code)
{
	size_t n = strlen(text);

	if (n + 5 > INPUT_SIZE)
		return;
	if (code < 0x80)
		text[n++] = (char)code;
	else if (code < 0x800)
		text[n++] = (char)(0xc0 | code >> 6);
	else if (code < 0x10000)
		text[n++] = (char)(0xe0 | code >> 12), text[n++] = (char)(0x80 | (code >> 6 & 63));
	else
		return;
	if (code >= 0x80)
		text[n++] = (char)(0x80 | (code & 63));
	text[n] = '\0';
}

void explorer_input_key(struct explorer *explorer, int key)
{
	explorer_refresh(explorer);
	if (key == KEY_NAME_ENTER) {
		leave_input(explorer, true);
	} else if (key == KEY_NAME_ESCAPE || key == 3 || key == 7) {
		leave_input(explorer, false);
	} else if (key == KEY_NAME_BACKSPACE || key == KEY_NAME_DELETE || key == 8 || key == 127) {
		/* nothing left to take away: as in less, the line closes */
		if (!*explorer->input) {
			leave_input(explorer, explorer->mode == MODE_FILTER);
			return;
		}
		remove_last(explorer->input);
		input_changed(explorer);
	} else if (key == 21) {
		*explorer->input = '\0';
		input_changed(explorer);
	} else if (key >= ' ' && key < KEY_NAMED) {
		add_code(explorer->input, (uint32_t)key);
		input_changed(explorer);
	}
}
