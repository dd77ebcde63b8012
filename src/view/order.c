/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which columns and rows a table shows, and in which order. */
#include "view-internal.h"

#include <stdlib.h>
#include <string.h>

void view_choose_columns(struct view_panel *panel, const struct view_column *all, uint32_t n,
			 const bool *hidden, struct view_chosen *chosen)
{
	*chosen = (struct view_chosen){.columns = view_alloc(panel, n, sizeof *all)};
	memset(chosen->at, -1, sizeof chosen->at);
	for (uint32_t i = 0; i < n; i++) {
		if (hidden[i])
			continue;
		chosen->at[i] = (int8_t)chosen->n;
		chosen->columns[chosen->n++] = all[i];
	}
}

int view_sort_column(struct view_table *table, const struct view_chosen *chosen,
		     const struct view_column *all, const struct view_order *order, int own)
{
	int column = own;

	table->descending = all[own].descending;
	for (uint32_t i = 0; order->column && i < VIEW_COLUMNS_MAX; i++)
		if (chosen->at[i] >= 0 && all[i].sortable && !strcmp(all[i].id, order->column)) {
			column = (int)i;
			table->descending = order->descending;
		}
	table->sort = chosen->at[column];
	return column;
}

static int compare_ties(const struct view_key *a, const struct view_key *b)
{
	return a->index < b->index ? -1 : a->index > b->index;
}

static int compare_numbers(const void *x, const void *y)
{
	const struct view_key *a = x, *b = y;

	if (isnan(a->number) || isnan(b->number))
		return isnan(a->number) && isnan(b->number) ? compare_ties(a, b)
							    : (isnan(a->number) ? 1 : -1);
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return compare_ties(a, b);
}

static int compare_texts(const void *x, const void *y)
{
	const struct view_key *a = x, *b = y;
	int order = strcmp(a->text, b->text);

	return order ? order : compare_ties(a, b);
}

static int compare_texts_down(const void *x, const void *y)
{
	const struct view_key *a = x, *b = y;
	int order = strcmp(b->text, a->text);

	return order ? order : compare_ties(a, b);
}

void view_sort(struct view_key *keys, uint32_t n, bool by_text, bool descending)
{
	if (by_text) {
		qsort(keys, n, sizeof *keys, descending ? compare_texts_down : compare_texts);
		return;
	}
	for (uint32_t i = 0; descending && i < n; i++)
		keys[i].number = -keys[i].number;
	qsort(keys, n, sizeof *keys, compare_numbers);
}

bool view_filtered(const struct view_order *order, const char *name)
{
	return !order->filter || !*order->filter || strcasestr(name, order->filter);
}

double view_held_place(const struct view_order *order, uint64_t identity)
{
	uint32_t low = 0, high = order->n_held;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (order->held[middle].identity == identity)
			return order->held[middle].place;
		if (order->held[middle].identity < identity)
			low = middle + 1;
		else
			high = middle;
	}
	return NAN;
}

void view_title_order(struct view_panel *panel, const struct view_table *table,
		      const struct view_order *order)
{
	const struct view_column *column;
	struct view_cell cell;

	if (order->held) {
		cell = cell_text(ROLE_WARNING, "  order held");
		cell.drop = 1;
		view_put_right(panel, &panel->title, cell);
		return;
	}
	if (table->sort < 0)
		return;
	column = &table->columns[table->sort];
	cell = cell_text(ROLE_DIM, view_text(panel, "  by %s %s", column->id,
					     table->descending ? "\u25bc" : "\u25b2"));
	/* what the user chose may stand in a column that does not fit */
	cell.drop = order->column ? 1 : 3;
	view_put_right(panel, &panel->title, cell);
}

void view_title_filter(struct view_panel *panel, const struct view_order *order, uint32_t n_shown,
		       uint32_t n_all)
{
	struct view_cell cell;
	char number[NUMBER_SIZE];

	if (!order->filter || !*order->filter)
		return;
	cell = cell_text(ROLE_WARNING,
			 view_text(panel, "  '%s': ", view_name(panel, order->filter)));
	cell.drop = 2;
	view_put_right(panel, &panel->title, cell);
	view_put_right(panel, &panel->title, cell_count(ROLE_WARNING, n_shown));
	view_put_right(
		panel, &panel->title,
		cell_text(ROLE_WARNING, view_text(panel, " of %s", format_count(number, n_all))));
	cell = cell_text(ROLE_WARNING, " shown");
	cell.drop = 1;
	view_put_right(panel, &panel->title, cell);
}

void view_reserve_rows(struct view_panel *panel, struct view_table *table, uint32_t n)
{
	table->room = n;
	table->rows = view_alloc(panel, n, sizeof *table->rows);
	table->cells = view_alloc(panel, n, table->n_columns * sizeof *table->cells);
}

bool view_in_reach(const struct view_context *context, uint32_t row, uint32_t selected)
{
	uint32_t reach = context->height_rows;

	if (!reach)
		return true;
	return row + reach >= selected && row <= selected + reach;
}
