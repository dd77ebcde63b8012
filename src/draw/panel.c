/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A panel: its title, and its blocks stacked in the rows there are. */
#include "draw-internal.h"

#include <stdio.h>
#include <string.h>

#define BLOCKS_MAX 24
#define PLOT_ROWS 12
#define LINE_BAR_COLS 8

static int line_cell_columns(const struct canvas *canvas, const struct view_cell *cell)
{
	char out[VIEW_CELL_SIZE];

	if (cell->kind == CELL_BAR || cell->kind == CELL_SPARK || cell->kind == CELL_BOX)
		return LINE_BAR_COLS;
	return canvas_columns(canvas, view_format(out, sizeof out, cell)) +
	       2 * (cell->kind == CELL_SWATCH);
}

/* The glyph that a series is drawn with, for legends. */
static uint32_t swatch(enum glyphs glyphs, const struct view_cell *cell)
{
	enum role role = cell->role;

	if (cell->series == SERIES_POINTS)
		return 0x2022;
	/* two edges, each of single dots */
	if (cell->series == SERIES_BAND)
		return glyphs == GLYPHS_ASCII ? '.' : 0x2508;
	if (glyphs == GLYPHS_ASCII)
		return role == ROLE_A ? '*' : role == ROLE_B ? 'o' : role == ROLE_C ? '+' : '-';
	return role == ROLE_B ? 0x2504 : 0x2500;
}

static int draw_line_cell(struct canvas *canvas, int x, int y, int width,
			  const struct view_cell *cell)
{
	char out[VIEW_CELL_SIZE];
	int at = 0;

	if (cell->kind == CELL_BAR || cell->kind == CELL_SPARK) {
		int n = width < LINE_BAR_COLS ? width : LINE_BAR_COLS;

		if (cell->kind == CELL_BAR)
			draw_bar(canvas, x, y, n, cell->number, cell->role);
		else
			draw_spark(canvas, x, y, n, cell->spark.values, cell->spark.n);
		return n;
	}
	if (cell->kind == CELL_SWATCH && width > 2) {
		canvas_put(canvas, x, y, swatch(canvas->glyphs, cell), cell->role);
		at = 2;
	}
	return at + canvas_puts(canvas, x + at, y, width - at, cell->role,
				view_format(out, sizeof out, cell));
}

static int line_width(const struct canvas *canvas, const struct view_line *line, int keep)
{
	int width = 0;

	for (uint32_t i = 0; i < line->n; i++)
		if (line->cells[i].drop <= keep)
			width += line_cell_columns(canvas, &line->cells[i]);
	return width;
}

/* What may stay: the cells that vanish first are left out until the rest fits. */
static int choose_drop(const struct canvas *canvas, const struct view_line *line, int width)
{
	int keep = 0;

	for (uint32_t i = 0; i < line->n; i++)
		if (line->cells[i].drop > keep)
			keep = line->cells[i].drop;
	while (keep > 0 && line_width(canvas, line, keep) + (line->n_right > 0) > width)
		keep--;
	return keep;
}

int draw_line(struct canvas *canvas, struct rect rect, const struct view_line *line)
{
	int keep = choose_drop(canvas, line, rect.width), x = rect.x, right = 0, most, end;
	uint32_t n_left = line->n - line->n_right;

	for (uint32_t i = n_left; i < line->n; i++)
		if (line->cells[i].drop <= keep)
			right += line_cell_columns(canvas, &line->cells[i]);
	/* half of the line is the right part's in any case, more where the left one leaves it */
	most = rect.width - (line_width(canvas, line, keep) - right);
	if (most < rect.width / 2)
		most = rect.width / 2;
	end = rect.x + rect.width - (right < most ? right : most);
	for (uint32_t i = 0; i < n_left; i++)
		if (line->cells[i].drop <= keep)
			x += draw_line_cell(canvas, x, rect.y, end - x, &line->cells[i]);
	for (uint32_t i = n_left; i < line->n; i++)
		if (line->cells[i].drop <= keep)
			end += draw_line_cell(canvas, end, rect.y, rect.x + rect.width - end,
					      &line->cells[i]);
	return line->n_right ? rect.width : x - rect.x;
}

/* Blocks that are shown, and the rows of each. */
struct stack {
	int n;
	const struct view_block *block[BLOCKS_MAX];
	int rows[BLOCKS_MAX], wanted[BLOCKS_MAX];
};

static int least_rows(const struct view_block *block)
{
	if (block->kind == BLOCK_LINES)
		return (int)block->lines.n;
	if (block->kind == BLOCK_TABLE)
		return block->table.n_rows < 3 ? (int)block->table.n_rows + 1 : 4;
	return block->plot.min_rows ? block->plot.min_rows : 4;
}

static int wanted_rows(const struct view_block *block)
{
	if (block->kind == BLOCK_LINES)
		return (int)block->lines.n;
	if (block->kind == BLOCK_TABLE)
		return (int)(block->table.n_rows < 1000 ? block->table.n_rows : 1000) + 1 +
		       (block->table.n_rows == 0);
	return block->plot.min_rows > PLOT_ROWS ? block->plot.min_rows : PLOT_ROWS;
}

int draw_wanted_rows(const struct view_panel *panel)
{
	int rows = 1;

	if (panel->wanted_rows)
		return panel->wanted_rows;
	for (uint32_t i = 0; i < panel->n_blocks; i++)
		rows += wanted_rows(panel->blocks[i]);
	return rows;
}

static void drop_blocks(struct stack *stack, int rows)
{
	for (;;) {
		int sum = 0, worst = 0;

		for (int i = 0; i < stack->n; i++) {
			sum += stack->rows[i];
			if (stack->block[i]->priority >= stack->block[worst]->priority)
				worst = i;
		}
		if (sum <= rows || !stack->n || !stack->block[worst]->priority)
			return;
		for (int i = worst; i + 1 < stack->n; i++) {
			stack->block[i] = stack->block[i + 1];
			stack->rows[i] = stack->rows[i + 1];
			stack->wanted[i] = stack->wanted[i + 1];
		}
		stack->n--;
	}
}

/* Tables get the rows they can fill, plots what is left over then. */
static void share_rows(struct stack *stack, int rows)
{
	int left = rows, shares = 0;

	for (int i = 0; i < stack->n; i++)
		left -= stack->rows[i];
	for (int i = 0; i < stack->n && left > 0; i++) {
		int more = stack->wanted[i] - stack->rows[i];

		if (stack->block[i]->kind != BLOCK_TABLE || more <= 0)
			continue;
		more = more < left ? more : left;
		stack->rows[i] += more;
		left -= more;
	}
	for (int i = 0; i < stack->n; i++)
		shares += stack->block[i]->kind == BLOCK_PLOT ? stack->block[i]->grow : 0;
	for (int i = 0; i < stack->n && shares && left > 0; i++) {
		int grow = stack->block[i]->grow;

		if (stack->block[i]->kind != BLOCK_PLOT || !grow)
			continue;
		stack->rows[i] += left * grow / shares;
		left -= left * grow / shares;
		shares -= grow;
	}
}

static void draw_lines_block(struct canvas *canvas, struct rect rect,
			     const struct view_block *block)
{
	for (int i = 0; i < (int)block->lines.n && i < rect.height; i++)
		draw_line(canvas, (struct rect){rect.x + 1, rect.y + i, rect.width - 1, 1},
			  &block->lines.lines[i]);
}

static void draw_block(struct canvas *canvas, struct rect rect, const struct view_block *block,
		       struct panel_state *state, const struct panel_look *look)
{
	if (block->kind == BLOCK_LINES)
		draw_lines_block(canvas, rect, block);
	else if (block->kind == BLOCK_TABLE)
		draw_table(canvas, rect, &block->table, state, look);
	else
		draw_plot(canvas, rect, &block->plot);
}

/* False where a block was left out or cut. */
static bool draw_blocks(struct canvas *canvas, struct rect rect, const struct view_panel *panel,
			struct panel_state *state, const struct panel_look *look)
{
	struct stack stack = {0};
	int y = rect.y, spare = rect.height;
	bool complete;

	for (uint32_t i = 0; i < panel->n_blocks && stack.n < BLOCKS_MAX; i++) {
		stack.block[stack.n] = panel->blocks[i];
		stack.rows[stack.n] = least_rows(panel->blocks[i]);
		stack.wanted[stack.n++] = wanted_rows(panel->blocks[i]);
	}
	drop_blocks(&stack, rect.height);
	complete = stack.n == (int)panel->n_blocks;
	share_rows(&stack, rect.height);
	for (int i = 0; i < stack.n; i++)
		spare -= stack.rows[i];
	for (int i = 0; i < stack.n; i++) {
		int left = rect.y + rect.height - y - (spare > 0 && stack.block[i]->blank);
		struct rect part;

		if (spare > 0 && stack.block[i]->blank)
			spare--, y++;
		part = (struct rect){rect.x, y, rect.width,
				     stack.rows[i] < left ? stack.rows[i] : left};
		if (stack.rows[i] > left ||
		    (stack.block[i]->kind == BLOCK_TABLE && stack.rows[i] < stack.wanted[i]))
			complete = false;
		if (part.height <= 0)
			break;
		draw_block(canvas, part, stack.block[i], state, look);
		y += stack.rows[i];
	}
	return complete && panel->wanted_rows <= rect.height + 1;
}

/* A plot is never higher than the panel: it can be seen at once. */
static int whole_rows(const struct view_block *block, int height)
{
	int rows = wanted_rows(block), least = least_rows(block);

	if (block->kind == BLOCK_PLOT && rows > height)
		rows = height > least ? height : least;
	return rows;
}

int draw_whole_rows(const struct view_panel *panel, int height)
{
	int rows = 0;

	for (uint32_t i = 0; i < panel->n_blocks; i++)
		rows += whole_rows(panel->blocks[i], height) + (i > 0 && panel->blocks[i]->blank);
	return rows;
}

static void copy_row(struct canvas *to, int x, int to_y, const struct canvas *from, int y)
{
	int n = from->width < to->width - x ? from->width : to->width - x;

	if (x >= 0 && n > 0 && to_y >= 0 && to_y < to->height)
		memcpy(&to->cells[(size_t)to_y * (size_t)to->width + (size_t)x],
		       &from->cells[(size_t)y * (size_t)from->width],
		       (size_t)n * sizeof *from->cells);
}

/* All blocks on a canvas of their own, of which the panel shows a part. */
static void draw_whole(struct canvas *canvas, struct rect rect, const struct view_panel *panel,
		       struct panel_state *state, const struct panel_look *look)
{
	int rows = draw_whole_rows(panel, rect.height), y = 0;
	int most = rows > rect.height ? rows - rect.height : 0;
	struct canvas all;

	if ((int)state->offset > most)
		state->offset = (uint32_t)most;
	canvas_init(&all, rect.width, rows > 0 ? rows : 1, canvas->glyphs);
	for (uint32_t i = 0; i < panel->n_blocks; i++) {
		struct panel_state unmoved = {0};
		int height = whole_rows(panel->blocks[i], rect.height);

		y += i > 0 && panel->blocks[i]->blank;
		draw_block(&all, (struct rect){0, y, rect.width, height}, panel->blocks[i],
			   &unmoved, look);
		y += height;
	}
	for (y = 0; y < rect.height && y + (int)state->offset < rows; y++)
		copy_row(canvas, rect.x, rect.y + y, &all, y + (int)state->offset);
	canvas_release(&all);
}

/* "1-8/31" of a panel that is scrolled. */
static void say_scrolled(char *out, size_t size, const struct view_panel *panel,
			 const struct panel_state *state, int height)
{
	int rows = draw_whole_rows(panel, height), end = (int)state->offset + height;

	snprintf(out, size, "  %u-%d/%d", (unsigned)state->offset + 1, end < rows ? end : rows,
		 rows);
}

/* As long as nothing of the title gives way to it: that holds the options in force. */
static const char *say_more(const struct canvas *canvas, const struct view_panel *panel, int width)
{
	static const char *const words[] = {"  Space: more", "  more", ""};
	int room = width - 4 - text_columns(panels[panel->id].title);
	int keep = choose_drop(canvas, &panel->title, room);
	size_t i = 0;

	while (*words[i] && line_width(canvas, &panel->title, keep) + text_columns(words[i]) > room)
		i++;
	return words[i];
}

/*
 * "12/295" where not all rows are in sight, "computing" where a job runs, how to see what does
 * not fit.
 */
static int draw_title_end(struct canvas *canvas, struct rect rect, const struct view_panel *panel,
			  const struct panel_state *state, const struct panel_look *look,
			  bool complete)
{
	const struct view_table *table = panel_table(panel);
	char position[2 * NUMBER_SIZE + 4] = "", a[NUMBER_SIZE], b[NUMBER_SIZE];
	bool rows = table && table->selectable;
	int n;

	if (!rows && state && state->whole)
		say_scrolled(position, sizeof position, panel, state, rect.height - 1);
	else if (panel->pending)
		snprintf(position, sizeof position, " computing");
	else if (!rows && look->focused && !complete)
		snprintf(position, sizeof position, "%s", say_more(canvas, panel, rect.width));
	else if (rows && state && table->n_rows > state->page && state->page)
		snprintf(position, sizeof position, "  %s/%s", format_count(a, state->row + 1),
			 format_count(b, table->n_rows));
	n = text_columns(position);
	if (n + 12 > rect.width)
		return 0;
	canvas_puts(canvas, rect.x + rect.width - n, rect.y, n,
		    panel->pending ? ROLE_PENDING : ROLE_DIM, position);
	return n;
}

static void draw_title(struct canvas *canvas, struct rect rect, const struct view_panel *panel,
		       const struct panel_state *state, const struct panel_look *look,
		       bool complete)
{
	const struct panel *info = &panels[panel->id];
	enum role role = look->focused ? ROLE_FOCUS : ROLE_TITLE;
	int x = rect.x, end = draw_title_end(canvas, rect, panel, state, look, complete);

	canvas_put(canvas, x++, rect.y, look->focused ? 0xbb : ' ', role);
	if (look->keys_shown && info->key) {
		canvas_put(canvas, x++, rect.y, (unsigned char)info->key, role);
		canvas_put(canvas, x++, rect.y, ' ', role);
	}
	x += canvas_puts(canvas, x, rect.y, rect.x + rect.width - x, role, info->title) + 1;
	if (look->filter && *look->filter && x + 8 < rect.x + rect.width - end) {
		int room = (rect.width - end) / 3;

		canvas_put(canvas, x++, rect.y, '&', ROLE_MATCH);
		x += canvas_puts(canvas, x, rect.y, room, ROLE_MATCH, look->filter) + 1;
	}
	draw_line(canvas, (struct rect){x, rect.y, rect.x + rect.width - end - x, 1},
		  &panel->title);
}

void draw_panel(struct canvas *canvas, struct rect rect, const struct view_panel *panel,
		struct panel_state *state, const struct panel_look *look)
{
	struct rect body = {rect.x, rect.y + 1, rect.width, rect.height - 1};
	bool complete = true;

	if (rect.height < 1 || rect.width < 8)
		return;
	if (state && state->whole)
		draw_whole(canvas, body, panel, state, look);
	else
		complete = draw_blocks(canvas, body, panel, state, look);
	draw_title(canvas, rect, panel, state, look, complete);
}
