/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Building of view-models in one arena a panel. */
#include "evtop/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 16384

struct view_chunk {
	struct view_chunk *next;
	size_t used, room;
	_Alignas(max_align_t) unsigned char bytes[];
};

void view_panel_init(struct view_panel *panel, enum panel_id id)
{
	*panel = (struct view_panel){.id = id};
}

void view_panel_release(struct view_panel *panel)
{
	struct view_chunk *next;

	for (struct view_chunk *chunk = panel->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	*panel = (struct view_panel){.id = panel->id};
}

void *view_alloc(struct view_panel *panel, size_t count, size_t size)
{
	const size_t step = _Alignof(max_align_t);
	struct view_chunk *chunk = panel->chunks;
	size_t bytes;
	void *out;

	/* more than half the address space can only be a wrong number */
	if (size && count > SIZE_MAX / 2 / size)
		return mem_zero(count, size);
	bytes = (count * size + step - 1) / step * step;
	if (!chunk || chunk->room - chunk->used < bytes) {
		size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;

		chunk = mem_alloc(sizeof *chunk + room);
		*chunk = (struct view_chunk){.next = panel->chunks, .room = room};
		panel->chunks = chunk;
	}
	out = chunk->bytes + chunk->used;
	chunk->used += bytes;
	return memset(out, 0, bytes);
}

/* Room for one element more in an array of the arena; the old array is left behind. */
static void *grow(struct view_panel *panel, void *old, uint32_t n, uint32_t *room, size_t size)
{
	void *new;

	if (n < *room)
		return old;
	*room = *room ? 2 * *room : 8;
	new = view_alloc(panel, *room, size);
	if (n)
		memcpy(new, old, n * size);
	return new;
}

static const char *format_text(struct view_panel *panel, const char *format, va_list arguments)
{
	va_list again;
	int n;
	char *out;

	va_copy(again, arguments);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (n < 0)
		return "";
	out = view_alloc(panel, (size_t)n + 1, 1);
	vsnprintf(out, (size_t)n + 1, format, arguments);
	return out;
}

const char *view_text(struct view_panel *panel, const char *format, ...)
{
	va_list arguments;
	const char *out;

	va_start(arguments, format);
	out = format_text(panel, format, arguments);
	va_end(arguments);
	return out;
}

const char *view_name(struct view_panel *panel, const char *name)
{
	size_t room = 3 * strlen(name) + 1;

	return text_printable(view_alloc(panel, room, 1), room, name);
}

struct view_block *view_add_block(struct view_panel *panel, enum block_kind kind)
{
	struct view_block *block = view_alloc(panel, 1, sizeof *block);

	panel->blocks =
		grow(panel, panel->blocks, panel->n_blocks, &panel->room, sizeof *panel->blocks);
	panel->blocks[panel->n_blocks++] = block;
	block->kind = kind;
	return block;
}

struct view_line *view_add_line(struct view_panel *panel, struct view_block *block)
{
	block->lines.lines = grow(panel, block->lines.lines, block->lines.n, &block->lines.room,
				  sizeof *block->lines.lines);
	return &block->lines.lines[block->lines.n++];
}

struct view_table *view_add_table(struct view_panel *panel, const struct view_column *columns,
				  uint32_t n_columns)
{
	struct view_block *block = view_add_block(panel, BLOCK_TABLE);
	struct view_table *table = &block->table;

	block->grow = 1;
	table->columns = columns;
	table->n_columns = n_columns;
	table->headings = view_alloc(panel, n_columns, sizeof *table->headings);
	table->sort = -1;
	return table;
}

struct view_cell *view_add_row(struct view_panel *panel, struct view_table *table,
			       uint64_t identity)
{
	uint32_t room = table->room;
	size_t width = table->n_columns * sizeof *table->cells;

	table->rows = grow(panel, table->rows, table->n_rows, &table->room, sizeof *table->rows);
	table->cells = grow(panel, table->cells, table->n_rows, &room, width);
	table->rows[table->n_rows] = (struct view_row){.identity = identity};
	return &table->cells[(size_t)table->n_rows++ * table->n_columns];
}

struct view_plot *view_add_plot(struct view_panel *panel)
{
	struct view_block *block = view_add_block(panel, BLOCK_PLOT);

	block->grow = 1;
	return &block->plot;
}

struct view_series *view_add_series(struct view_panel *panel, struct view_plot *plot,
				    enum series_kind kind, enum role role, const char *name)
{
	struct view_series *series;

	plot->series =
		grow(panel, plot->series, plot->n_series, &plot->room_series, sizeof *plot->series);
	series = &plot->series[plot->n_series++];
	*series = (struct view_series){.kind = kind, .role = role, .name = name};
	return series;
}

void view_add_mark(struct view_panel *panel, struct view_plot *plot, bool horizontal, double at,
		   enum role role, const char *label)
{
	plot->marks =
		grow(panel, plot->marks, plot->n_marks, &plot->room_marks, sizeof *plot->marks);
	plot->marks[plot->n_marks++] = (struct view_mark){
		.at = at, .horizontal = horizontal, .role = role, .label = label};
}

void view_put(struct view_panel *panel, struct view_line *line, struct view_cell cell)
{
	uint32_t at = line->n - line->n_right;

	line->cells = grow(panel, line->cells, line->n, &line->room, sizeof *line->cells);
	memmove(line->cells + at + 1, line->cells + at, line->n_right * sizeof *line->cells);
	line->cells[at] = cell;
	line->n++;
}

void view_put_right(struct view_panel *panel, struct view_line *line, struct view_cell cell)
{
	line->cells = grow(panel, line->cells, line->n, &line->room, sizeof *line->cells);
	line->cells[line->n++] = cell;
	line->n_right++;
}

void view_puts(struct view_panel *panel, struct view_line *line, enum role role, const char *text)
{
	view_put(panel, line, cell_text(role, view_text(panel, "%s", text)));
}

void view_printf(struct view_panel *panel, struct view_line *line, enum role role,
		 const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	view_put(panel, line, cell_text(role, format_text(panel, format, arguments)));
	va_end(arguments);
}

uint64_t view_identity(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash ? hash : 1;
}

bool view_is_new(const struct view_context *context, const struct path *path)
{
	const struct view_live *live = context->live;

	return live && path->new_ns < VIEW_NEW_NS &&
	       path->new_ns + (live->elapsed_ns - live->recording_ns) < VIEW_NEW_NS &&
	       path->new_ns + VIEW_LEARNING_NS < live->recording_ns;
}

uint32_t view_count_new(const struct view_context *context, const struct call *call)
{
	uint32_t n = 0;

	for (uint32_t i = 0; context->live && i < call->n_paths[IDENTITY_CLEAN]; i++)
		n += view_is_new(context, &call->paths[IDENTITY_CLEAN][i]);
	return n;
}

bool view_expanded(const struct view_context *context, uint64_t identity, bool by_default)
{
	uint32_t low = 0, high = context->n_toggled;

	if (context->expand != EXPAND_DEFAULT)
		by_default = context->expand == EXPAND_ALL;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (context->toggled[middle] == identity)
			return !by_default;
		if (context->toggled[middle] < identity)
			low = middle + 1;
		else
			high = middle;
	}
	return by_default;
}
