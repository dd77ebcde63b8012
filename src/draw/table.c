/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables and trees: which columns fit, how wide, and the rows that are in sight. */
#include "draw-internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COLUMNS_MAX 32
#define TREE_LABEL_COLS 18 /* of a tree's label that indentation must leave */

/* The columns shown, where, and how wide. */
struct plan {
	int n;
	int column[COLUMNS_MAX], x[COLUMNS_MAX], width[COLUMNS_MAX];
	int gutter, gap, flags;
	int sort_cols; /* of the mark behind the heading of the column that sorts */
};

static bool is_graphic(enum cell_kind kind)
{
	return kind == CELL_BAR || kind == CELL_BOX || kind == CELL_SPARK;
}

/* Long tables are measured with every build: the common numbers have a width that is known. */
static int known_columns(const struct view_cell *cell)
{
	if (cell->kind == CELL_DURATION && cell->number >= 1000 && cell->number < 999e9)
		return 7; /* 99.9 us */
	return cell->kind == CELL_FREQUENCY && cell->number >= 0 ? 5 : -1;
}

static int cell_columns(const struct view_column *column, const struct view_cell *cell)
{
	char out[VIEW_CELL_SIZE];
	int n;

	if (is_graphic(cell->kind) || cell->kind == CELL_EMPTY)
		return 0;
	if (known_columns(cell) >= 0)
		return known_columns(cell);
	n = text_columns(view_format(out, sizeof out, cell));
	if (cell->kind == CELL_ID && n > 6 && n > column->width_cols)
		return column->width_cols > 6 ? column->width_cols : 6;
	return n;
}

static int tree_prefix(const struct view_row *row)
{
	return 2 * row->depth + 2;
}

static void measure_table(struct view_panel *panel, struct view_table *table)
{
	table->measured = view_alloc(panel, table->n_columns, sizeof *table->measured);
	for (uint32_t row = 0; row < table->n_rows; row++)
		for (uint32_t i = 0; i < table->n_columns; i++) {
			const struct view_cell *cell = &table->cells[row * table->n_columns + i];
			int n = cell_columns(&table->columns[i], cell);

			if (table->is_tree && i == 0)
				n += tree_prefix(&table->rows[row]);
			if (n > table->measured[i])
				table->measured[i] = (uint16_t)n;
		}
}

void draw_measure(struct view_panel *panel)
{
	for (uint32_t i = 0; i < panel->n_blocks; i++)
		if (panel->blocks[i]->kind == BLOCK_TABLE)
			measure_table(panel, &panel->blocks[i]->table);
}

struct view_table *panel_table(const struct view_panel *panel)
{
	struct view_table *first = NULL;

	for (uint32_t i = 0; i < panel->n_blocks; i++) {
		if (panel->blocks[i]->kind != BLOCK_TABLE)
			continue;
		if (panel->blocks[i]->table.selectable)
			return &panel->blocks[i]->table;
		if (!first)
			first = &panel->blocks[i]->table;
	}
	return first;
}

int64_t table_find(const struct view_table *table, uint64_t identity)
{
	for (uint32_t i = 0; i < table->n_rows; i++)
		if (table->rows[i].identity == identity)
			return i;
	return -1;
}

bool table_row_matches(const struct view_table *table, uint32_t row, const char *search)
{
	for (uint32_t i = 0; i < table->n_columns; i++) {
		const struct view_cell *cell = &table->cells[row * table->n_columns + i];

		if ((cell->kind == CELL_TEXT || cell->kind == CELL_ID) && cell->text &&
		    strcasestr(cell->text, search))
			return true;
	}
	return false;
}

static const char *heading(const struct view_table *table, int column)
{
	const char *own = table->headings ? table->headings[column] : NULL;

	return own ? own : table->columns[column].heading;
}

/* Columns that a column asks for before what is left over is shared out. */
static int least_width(const struct canvas *canvas, const struct view_table *table, int column,
		       int sort_cols)
{
	int width = table->columns[column].width_cols;
	int title = canvas_columns(canvas, heading(table, column)) +
		    (table->sort == column ? sort_cols : 0);

	if (table->measured && table->measured[column] > width)
		width = table->measured[column];
	return title > width ? title : width;
}

static int count_flags(const struct view_table *table)
{
	uint8_t flags = 0;

	for (uint32_t i = 0; i < table->n_rows; i++)
		flags |= table->rows[i].flags;
	return !!(flags & ROW_WARNING) + !!(flags & ROW_NEW);
}

static int plan_width(const struct plan *plan)
{
	int width = plan->gutter + plan->flags;

	for (int i = 0; i < plan->n; i++)
		width += plan->width[i] + (i ? plan->gap : 0);
	return width;
}

/* The column that sorts stays in sight as long as any. */
static int priority(const struct view_table *table, int column)
{
	return table->sort == column ? 0 : table->columns[column].priority;
}

static int highest_priority(const struct plan *plan, const struct view_table *table)
{
	int highest = 0;

	for (int i = 0; i < plan->n; i++)
		if (priority(table, plan->column[i]) > highest)
			highest = priority(table, plan->column[i]);
	return highest;
}

static void drop_column(struct plan *plan, const struct view_table *table)
{
	int worst = 0;

	for (int i = 1; i < plan->n; i++)
		if (priority(table, plan->column[i]) >= priority(table, plan->column[worst]))
			worst = i;
	for (int i = worst; i + 1 < plan->n; i++) {
		plan->column[i] = plan->column[i + 1];
		plan->width[i] = plan->width[i + 1];
	}
	plan->n--;
}

/* The first column that is text gives way before any of the vital ones vanish. */
static bool shrink_text(struct plan *plan, const struct view_table *table, int width)
{
	int excess = plan_width(plan) - width;
	int tree_least = width * 11 / 20 > 16 ? width * 11 / 20 : 16;

	for (int i = 0; i < plan->n; i++) {
		const struct view_column *column = &table->columns[plan->column[i]];
		int least = table->is_tree && i == 0 ? tree_least : 8;

		if (column->align == ALIGN_RIGHT || plan->width[i] - excess < least)
			continue;
		plan->width[i] -= excess;
		return true;
	}
	return false;
}

static void share_room(struct plan *plan, const struct view_table *table, int room)
{
	int shares = 0, given = 0, last = -1;

	for (int i = 0; i < plan->n; i++)
		shares += table->columns[plan->column[i]].grow;
	for (int i = 0; shares && i < plan->n; i++) {
		int grow = table->columns[plan->column[i]].grow;
		int add = room * grow / shares;

		if (!grow)
			continue;
		plan->width[i] += add;
		given += add;
		last = i;
	}
	if (last >= 0)
		plan->width[last] += room - given;
}

static void plan_columns(struct plan *plan, const struct canvas *canvas,
			 const struct view_table *table, int width)
{
	int x;

	*plan = (struct plan){.gap = 2, .flags = count_flags(table)};
	/* "share v" where a letter stands for the triangle: else it reads as one word */
	plan->sort_cols = canvas->glyphs == GLYPHS_ASCII ? 2 : 1;
	plan->gutter = !table->selectable ? 1 : width < 44 ? 1 : 2;
	if (plan->flags)
		plan->flags++;
	for (uint32_t i = 0; i < table->n_columns && i < COLUMNS_MAX; i++) {
		plan->column[plan->n] = (int)i;
		plan->width[plan->n++] = least_width(canvas, table, (int)i, plan->sort_cols);
	}
	/* air before what matters least */
	while (plan->n > 1 && plan_width(plan) > width && highest_priority(plan, table) >= 5)
		drop_column(plan, table);
	if (plan_width(plan) > width)
		plan->gap = 1;
	while (plan->n > 1 && plan_width(plan) > width) {
		if ((highest_priority(plan, table) <= 1 || table->is_tree) &&
		    shrink_text(plan, table, width))
			break;
		drop_column(plan, table);
	}
	if (plan_width(plan) < width)
		share_room(plan, table, width - plan_width(plan));
	x = plan->gutter;
	for (int i = 0; i < plan->n; i++) {
		plan->x[i] = x;
		if (x + plan->width[i] > width - plan->flags)
			plan->width[i] = width - plan->flags - x;
		x += plan->width[i] + plan->gap;
	}
}

static void draw_box_heading(struct canvas *canvas, int x, int y, int width,
			     const struct view_axis *axis)
{
	char low[NUMBER_SIZE], high[NUMBER_SIZE];
	int n;

	format_duration(low, axis->low);
	format_duration(high, axis->high);
	n = text_columns(high);
	if (text_columns(low) + n + 1 > width)
		return;
	canvas_puts(canvas, x, y, width, ROLE_AXIS, low);
	canvas_puts(canvas, x + width - n, y, n, ROLE_AXIS, high);
}

static void draw_headings(struct canvas *canvas, struct rect rect, const struct view_table *table,
			  const struct plan *plan)
{
	for (int i = 0; i < plan->n; i++) {
		int column = plan->column[i], x = rect.x + plan->x[i], width = plan->width[i];
		const char *text = heading(table, column);
		int sorted = table->sort == column ? plan->sort_cols : 0;
		int n = canvas_columns(canvas, text) + sorted;

		if (table->axis && !*text) {
			draw_box_heading(canvas, x, rect.y, width, table->axis);
			continue;
		}
		if (n > width)
			n = width;
		if (table->columns[column].align == ALIGN_RIGHT)
			x += width - n;
		canvas_puts(canvas, x, rect.y, n - sorted, sorted ? ROLE_SORTED : ROLE_HEADING,
			    text);
		if (sorted)
			canvas_put(canvas, x + n - 1, rect.y, table->descending ? 0x25bc : 0x25b2,
				   ROLE_SORTED);
	}
}

/* Deep rows keep room for their name: beyond that the depth is written. */
static int draw_tree_prefix(struct canvas *canvas, int x, int y, int width,
			    const struct view_row *row)
{
	int indent = 2 * row->depth, most = width - TREE_LABEL_COLS;
	char depth[NUMBER_SIZE];

	if (most < 4)
		most = 4;
	if (indent > most) {
		format_count(depth, row->depth);
		canvas_puts(canvas, x, y, most - 1, ROLE_DIM, depth);
		canvas_put(canvas, x + text_columns(depth), y, 0xb7, ROLE_DIM);
		indent = most;
	}
	if (row->has_children)
		canvas_put(canvas, x + indent, y, row->expanded ? 0x25be : 0x25b8, ROLE_DIM);
	return indent + 2 < width ? indent + 2 : width - 1;
}

/* An id cut short is still an id: no ellipsis. */
static int cut_columns(char *text, int width)
{
	int n = 0;

	while (*text && n < width) {
		size_t bytes = text_decode(text, NULL);

		text += bytes ? bytes : 1;
		n++;
	}
	*text = '\0';
	return n;
}

static void draw_cell(struct canvas *canvas, int x, int y, int width,
		      const struct view_table *table, int column, const struct view_row *row,
		      const struct view_cell *cell)
{
	enum role role = cell->role == ROLE_TEXT ? row->role : cell->role;
	char out[VIEW_CELL_SIZE];
	int n;

	if (row->flags & ROW_PENDING && cell->role == ROLE_TEXT && cell->kind != CELL_TEXT &&
	    cell->kind != CELL_ID)
		role = ROLE_PENDING;
	if (cell->kind == CELL_BAR) {
		draw_bar(canvas, x, y, width, cell->number, role == ROLE_TEXT ? ROLE_BAR : role);
	} else if (cell->kind == CELL_BOX) {
		if (table->axis)
			draw_box(canvas, x, y, width, &cell->box, table->axis);
	} else if (cell->kind == CELL_SPARK) {
		draw_spark(canvas, x, y, width, cell->spark.values, cell->spark.n);
	} else {
		view_format(out, sizeof out, cell);
		n = canvas_columns(canvas, out);
		if (cell->kind == CELL_ID && n > width)
			n = cut_columns(out, width);
		if (table->columns[column].align == ALIGN_RIGHT && n < width)
			x += width - n, width = n;
		canvas_puts(canvas, x, y, width, role, out);
	}
}

static void draw_row_marks(struct canvas *canvas, struct rect rect, int y,
			   const struct view_row *row, const struct plan *plan, bool selected,
			   bool matches, bool is_tree)
{
	int x = rect.x + rect.width - 1;
	uint32_t second = matches		    ? '/'
			  : row->flags & ROW_MARKED ? 0x2605
			  : row->flags & ROW_B	    ? 'B'
			  : row->flags & ROW_A	    ? 'A'
						    : ' ';
	enum role role = matches		   ? ROLE_MATCH
			 : row->flags & ROW_MARKED ? ROLE_MARK
			 : row->flags & ROW_B	   ? ROLE_B
						   : ROLE_A;

	if (selected)
		canvas_put(canvas, rect.x, y,
			   !is_tree			    ? 0x25b8
			   : canvas->glyphs == GLYPHS_ASCII ? '*' /* ">" is a folded call */
							    : 0xbb,
			   ROLE_STRONG);
	else if (plan->gutter < 2 && second != ' ')
		canvas_put(canvas, rect.x, y, second, role);
	if (plan->gutter > 1 && second != ' ')
		canvas_put(canvas, rect.x + 1, y, second, role);
	if (row->flags & ROW_WARNING)
		canvas_put(canvas, x--, y, '!', ROLE_WARNING);
	if (row->flags & ROW_NEW)
		canvas_put(canvas, x, y, '+', ROLE_MARK);
}

static void draw_row(struct canvas *canvas, struct rect rect, int y, const struct view_table *table,
		     uint32_t at, const struct plan *plan)
{
	const struct view_row *row = &table->rows[at];

	for (int i = 0; i < plan->n; i++) {
		int column = plan->column[i], x = rect.x + plan->x[i], width = plan->width[i];
		const struct view_cell *cell = &table->cells[at * table->n_columns + column];

		if (width <= 0)
			continue;
		if (table->is_tree && column == 0) {
			int prefix = draw_tree_prefix(canvas, x, y, width, row);

			x += prefix;
			width -= prefix;
		}
		draw_cell(canvas, x, y, width, table, column, row, cell);
	}
}

/* Keeps the selected row in sight without moving more than needed. */
static int64_t scroll(struct panel_state *state, const struct view_table *table, int page)
{
	int64_t at = state->selected ? table_find(table, state->selected) : 0;

	if (at < 0)
		at = state->row;
	if (at >= table->n_rows)
		at = (int64_t)table->n_rows - 1;
	state->page = page > 0 ? (uint32_t)page : 1;
	if (at < state->top)
		state->top = at < 0 ? 0 : (uint32_t)at;
	if (at >= (int64_t)state->top + state->page)
		state->top = (uint32_t)(at - state->page + 1);
	/* no empty rows at the end while there are rows above */
	if (state->top + state->page > table->n_rows)
		state->top = table->n_rows > state->page ? table->n_rows - state->page : 0;
	return at;
}

void draw_table(struct canvas *canvas, struct rect rect, const struct view_table *table,
		struct panel_state *state, const struct panel_look *look)
{
	struct panel_state none = {0};
	struct plan plan;
	int64_t selected;
	int page = rect.height - 1;

	if (rect.height < 1 || rect.width < 4)
		return;
	if (!state || !table->selectable)
		state = &none;
	plan_columns(&plan, canvas, table, rect.width);
	draw_headings(canvas, rect, table, &plan);
	selected = scroll(state, table, page);
	if (!table->n_rows && table->empty)
		canvas_puts(canvas, rect.x + plan.gutter, rect.y + 1, rect.width - plan.gutter,
			    ROLE_DIM, table->empty);
	for (int i = 0; i < page && state->top + i < table->n_rows; i++) {
		uint32_t at = state->top + i;
		bool is_selected = table->selectable && at == selected;
		bool matches = look->search && *look->search && table->selectable &&
			       table_row_matches(table, at, look->search);
		int y = rect.y + 1 + i;

		draw_row(canvas, rect, y, table, at, &plan);
		draw_row_marks(canvas, rect, y, &table->rows[at], &plan, is_selected, matches,
			       table->is_tree);
		if (is_selected)
			canvas_over(canvas, (struct rect){rect.x, y, rect.width, 1},
				    look->focused ? ROLE_SELECTION : ROLE_SELECTION_IDLE);
	}
}
