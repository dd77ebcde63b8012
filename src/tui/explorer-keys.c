/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each command does to the explorer. */
#include "explorer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"

static bool applies(const struct explorer *explorer, enum key_context context)
{
	switch (context) {
	case KEYS_LIST:
		return explorer->focus == PANEL_CALLS || explorer->focus == PANEL_PATHS;
	case KEYS_TREE:
		return explorer->focus == PANEL_TREE;
	case KEYS_PLOT:
		return explorer->focus >= PANEL_DENSITY;
	default:
		return true;
	}
}

static bool has_key(const char *keys, int key)
{
	char word[32];

	while (*keys) {
		size_t n = strcspn(keys, " ");

		if (n < sizeof word) {
			memcpy(word, keys, n);
			word[n] = '\0';
			if (key_parse(word) == key)
				return true;
		}
		keys += n + (keys[n] == ' ');
	}
	return false;
}

const struct key_command *explorer_find_command(const struct explorer *explorer, int key)
{
	const struct key_command *found = NULL;

	for (size_t i = 0; i < n_key_commands; i++) {
		const struct key_command *command = &key_commands[i];
		bool special = command->context == KEYS_LIST || command->context == KEYS_TREE ||
			       command->context == KEYS_PLOT;

		if (!applies(explorer, command->context) || !has_key(command->keys, key))
			continue;
		/* what the panel makes of a key goes first */
		if (special)
			return command;
		if (!found)
			found = command;
	}
	return found;
}

/* Panels that Tab goes through: those on the screen, in their order. */
static void step_panel(struct explorer *explorer, int direction)
{
	bool all = explorer->zoom || explorer->layout.narrow;
	int panel = (int)explorer->focus;

	for (int i = 0; i < PANEL_COUNT; i++) {
		panel = (panel + direction + PANEL_COUNT) % PANEL_COUNT;
		if (panels[panel].key && (all || layout_find(&explorer->layout, panel)))
			break;
	}
	explorer_focus(explorer, panel);
}

/* A panel without rows to choose from moves the paths: they are what it shows. */
static void step_path(struct explorer *explorer, int direction)
{
	const struct call *call = explorer_call(explorer);
	int64_t path = explorer->context.path_a, n;

	if (layout_find(&explorer->layout, PANEL_PATHS)) {
		explorer_select_row(explorer, PANEL_PATHS,
				    (int64_t)explorer->states[PANEL_PATHS].row + direction);
		return;
	}
	n = call ? call->n_paths[explorer->settings.identity] : 0;
	path = path == PATH_ALL ? 0 : path + direction;
	if (path >= 0 && path < n)
		explorer_select_path(explorer, (uint32_t)path);
}

/*
 * A panel without rows to choose from says what fits. Page down shows all of it, from its top
 * on; back beyond the top is what fits again.
 */
static void scroll_panel(struct explorer *explorer, int command)
{
	enum panel_id panel = explorer->focus;
	struct panel_state *state = &explorer->states[panel];
	const struct layout_place *place = layout_find(&explorer->layout, panel);
	uint32_t page = place && place->rect.height > 2 ? (uint32_t)place->rect.height - 1 : 1;
	uint32_t step = command == COMMAND_DOWN || command == COMMAND_UP ? 1 : page, rows;

	if (!state->whole && command != COMMAND_PAGE_DOWN && command != COMMAND_LAST)
		return;
	if (!state->whole) {
		state->whole = true;
		state->offset = 0;
		explorer->dirty |= DIRTY(panel);
		explorer_refresh(explorer);
		step = 0;
	}
	rows = (uint32_t)draw_whole_rows(&explorer->views[panel], (int)page);
	if (rows <= page || command == COMMAND_FIRST ||
	    ((command == COMMAND_UP || command == COMMAND_PAGE_UP) && !state->offset))
		explorer_unscroll(explorer, panel);
	else if (command == COMMAND_LAST)
		state->offset = rows - page;
	else if (command == COMMAND_UP || command == COMMAND_PAGE_UP)
		state->offset -= step < state->offset ? step : state->offset;
	else
		state->offset +=
			step < rows - page - state->offset ? step : rows - page - state->offset;
}

static void move(struct explorer *explorer, int command)
{
	struct panel_state *state = &explorer->states[explorer->focus];
	const struct view_table *table = panel_table(&explorer->views[explorer->focus]);
	int64_t page = state->page > 1 ? state->page : 1, row = state->row;
	bool rows = table && table->selectable;

	if (!rows) {
		if (panels[explorer->focus].id < PANEL_DENSITY)
			return;
		if (!state->whole && (command == COMMAND_DOWN || command == COMMAND_UP))
			step_path(explorer, command == COMMAND_DOWN ? 1 : -1);
		else
			scroll_panel(explorer, command);
		return;
	}
	switch (command) {
	case COMMAND_DOWN:
		row++;
		break;
	case COMMAND_UP:
		row--;
		break;
	case COMMAND_PAGE_DOWN:
		row += page;
		break;
	case COMMAND_PAGE_UP:
		row -= page;
		break;
	case COMMAND_FIRST:
		row = 0;
		break;
	default:
		row = (int64_t)table->n_rows - 1;
	}
	explorer_select_row(explorer, explorer->focus, row);
}

static void open_row(struct explorer *explorer)
{
	explorer_focus(explorer, explorer->focus == PANEL_CALLS ? PANEL_PATHS : PANEL_TREE);
}

static void keep_beside(struct explorer *explorer)
{
	struct view_context *context = &explorer->context;

	if (explorer->focus != PANEL_PATHS || context->path_a == PATH_ALL) {
		explorer_message(explorer, ROLE_DIM, "choose a path first");
		return;
	}
	if (explorer->beside == context->path_a) {
		explorer->beside = PATH_ALL;
		explorer_message(explorer, ROLE_TEXT, "B is the most common other path again");
	} else {
		explorer->beside = context->path_a;
		explorer_message(explorer, ROLE_TEXT,
				 "this path is B: the next one chosen stands beside it");
	}
	explorer_default_beside(explorer);
	explorer->dirty |= DIRTY_ALL;
}

/* The next column that sorts; beyond the last one the panel's own order. */
static void step_sort(struct explorer *explorer, int direction)
{
	const struct view_table *table = panel_table(&explorer->views[explorer->focus]);
	struct view_order *order = &explorer->context.order[explorer->focus];
	int n, at = -1;

	if (!table)
		return;
	n = (int)table->n_columns;
	for (int i = 0; i < n; i++)
		if (order->column && !strcmp(order->column, table->columns[i].id))
			at = i;
	if (at < 0)
		at = table->sort;
	for (int i = 0; i < n; i++) {
		at = (at + direction + n) % n;
		if (!table->columns[at].sortable)
			continue;
		order->column = table->columns[at].id;
		order->descending = table->columns[at].descending;
		break;
	}
	explorer_forget_order(explorer, explorer->focus);
	explorer->dirty |= DIRTY(explorer->focus);
}

static void invert_sort(struct explorer *explorer)
{
	const struct view_table *table = panel_table(&explorer->views[explorer->focus]);
	struct view_order *order = &explorer->context.order[explorer->focus];

	if (!table || table->sort < 0)
		return;
	order->column = table->columns[table->sort].id;
	order->descending = !table->descending;
	explorer_forget_order(explorer, explorer->focus);
	explorer->dirty |= DIRTY(explorer->focus);
}

static void step_block(struct explorer *explorer, int direction)
{
	uint32_t *size = &explorer->settings.block_size;

	if (direction > 0) {
		for (size_t i = 0; i < n_block_size_steps; i++)
			if (block_size_steps[i] > *size) {
				*size = block_size_steps[i];
				break;
			}
	} else {
		for (size_t i = n_block_size_steps; i-- > 0;)
			if (block_size_steps[i] < *size) {
				*size = block_size_steps[i];
				break;
			}
	}
	explorer_settings_changed(explorer);
}

/* Intervals of L-moments are by bootstrap alone; those of likelihood are as they were before. */
static void fit_interval(struct explorer *explorer)
{
	struct settings *settings = &explorer->settings;

	if (settings->estimator == ESTIMATOR_LMOMENTS) {
		explorer->likelihood_interval = settings->interval;
		settings->interval = INTERVAL_BOOTSTRAP;
	} else {
		settings->interval = explorer->likelihood_interval;
	}
}

static void step_interval(struct explorer *explorer)
{
	struct settings *settings = &explorer->settings;

	if (settings->estimator == ESTIMATOR_LMOMENTS) {
		explorer_message(explorer, ROLE_DIM,
				 "intervals of L-moments are by bootstrap alone");
		return;
	}
	settings->interval = (settings->interval + 1) % (INTERVAL_BOOTSTRAP + 1);
	explorer_settings_changed(explorer);
}

static void change_setting(struct explorer *explorer, int command)
{
	struct settings *settings = &explorer->settings;

	switch (command) {
	case COMMAND_MODEL:
		settings->model = settings->model == MODEL_GEV ? MODEL_GUMBEL : MODEL_GEV;
		break;
	case COMMAND_ESTIMATOR:
		settings->estimator =
			settings->estimator == ESTIMATOR_MLE ? ESTIMATOR_LMOMENTS : ESTIMATOR_MLE;
		fit_interval(explorer);
		break;
	case COMMAND_STRATUM:
		settings->stratum = (settings->stratum + 1) % (STRATUM_ALL + 1);
		break;
	case COMMAND_TIME:
		settings->time = settings->time == TIME_WHOLE ? TIME_OWN : TIME_WHOLE;
		break;
	case COMMAND_UNIT:
		settings->unit = settings->unit == UNIT_EXECUTIONS ? UNIT_BLOCKS : UNIT_EXECUTIONS;
		break;
	case COMMAND_TESTS:
		settings->tests = settings->tests == TESTS_QUICK ? TESTS_FULL : TESTS_QUICK;
		break;
	case COMMAND_FORCE:
		settings->force = !settings->force;
		break;
	}
	explorer_settings_changed(explorer);
}

static void step_kind(struct explorer *explorer)
{
	enum panel_id panel = explorer->focus;
	uint8_t *kind = &explorer->context.kind[panel];

	explorer_unscroll(explorer, panel);
	*kind = *kind + 1u < PANEL_KINDS && panels[panel].kinds[*kind + 1] ? *kind + 1 : 0;
	explorer->dirty |= DIRTY(panel);
}

/* The visible part of the time axis, 0..1 of the whole. */
static void move_axis(struct explorer *explorer, int command)
{
	struct view_context *context = &explorer->context;
	double width = context->zoom_high - context->zoom_low;
	double middle = (context->zoom_low + context->zoom_high) / 2;

	if (command == COMMAND_NARROWER && width > 1e-3)
		width /= 2;
	else if (command == COMMAND_WIDER)
		width = fmin(2 * width, 1);
	else if (command == COMMAND_EARLIER)
		middle -= width / 4;
	else if (command == COMMAND_LATER)
		middle += width / 4;
	else if (command == COMMAND_WHOLE_AXIS)
		width = 1;
	middle = fmin(fmax(middle, width / 2), 1 - width / 2);
	context->zoom_low = middle - width / 2;
	context->zoom_high = middle + width / 2;
	explorer->dirty |= DIRTY(PANEL_DENSITY);
}

static void change_axis(struct explorer *explorer, int command)
{
	enum panel_id panel = explorer->focus;

	if (command == COMMAND_LOG_X)
		explorer->context.log_x[panel] = !explorer->context.log_x[panel];
	else
		explorer->context.log_y[panel] = !explorer->context.log_y[panel];
	explorer->dirty |= DIRTY(panel);
}

/* One Esc for all that was typed: no text is found or hides rows any more. */
static void cancel(struct explorer *explorer)
{
	char *filter = explorer->filters[explorer->focus];

	if (explorer->mode == MODE_HELP) {
		explorer->mode = MODE_NORMAL;
	} else if (*explorer->search || *filter) {
		*explorer->search = '\0';
		*filter = '\0';
		explorer_forget_order(explorer, explorer->focus);
		explorer->dirty |= DIRTY(explorer->focus);
	} else if (explorer->states[explorer->focus].whole) {
		explorer_unscroll(explorer, explorer->focus);
	} else if (explorer->zoom) {
		explorer->zoom = false;
		explorer->dirty |= DIRTY_ALL;
	}
}

static void change_screen(struct explorer *explorer, int command, int key)
{
	switch (command) {
	case COMMAND_QUIT:
		explorer_quit(explorer);
		break;
	case COMMAND_HELP:
		explorer->mode = MODE_HELP;
		explorer->help_top = 0;
		break;
	case COMMAND_PANEL:
		for (int i = 0; i < PANEL_COUNT; i++)
			if (panels[i].key == key)
				explorer_focus(explorer, i);
		break;
	case COMMAND_NEXT_PANEL:
		step_panel(explorer, 1);
		break;
	case COMMAND_PREVIOUS_PANEL:
		step_panel(explorer, -1);
		break;
	case COMMAND_ZOOM:
		explorer_unscroll(explorer, explorer->focus);
		explorer->zoom = !explorer->zoom;
		explorer->dirty |= DIRTY_ALL;
		break;
	case COMMAND_THEME:
		explorer_next_theme(explorer);
		break;
	case COMMAND_REDRAW:
		explorer->redraw = true;
		break;
	case COMMAND_CANCEL:
		cancel(explorer);
		break;
	}
}

static void change_list(struct explorer *explorer, int command)
{
	switch (command) {
	case COMMAND_OPEN:
		open_row(explorer);
		break;
	case COMMAND_BESIDE:
		keep_beside(explorer);
		break;
	case COMMAND_SORT_NEXT:
		step_sort(explorer, 1);
		break;
	case COMMAND_SORT_PREVIOUS:
		step_sort(explorer, -1);
		break;
	case COMMAND_SORT_INVERT:
		invert_sort(explorer);
		break;
	case COMMAND_SEARCH:
		explorer_open_input(explorer, MODE_SEARCH);
		break;
	case COMMAND_FILTER:
		explorer_open_input(explorer, MODE_FILTER);
		break;
	case COMMAND_SEARCH_NEXT:
		explorer_search(explorer, 1, false);
		break;
	case COMMAND_SEARCH_PREVIOUS:
		explorer_search(explorer, -1, false);
		break;
	}
}

void explorer_command(struct explorer *explorer, int command, int key)
{
	if (command <= COMMAND_CANCEL)
		change_screen(explorer, command, key);
	else if (command <= COMMAND_LAST)
		move(explorer, command);
	else if (command <= COMMAND_BESIDE)
		change_list(explorer, command);
	else if (command <= COMMAND_LONGEST_CHILD)
		explorer_tree_command(explorer, command);
	else if (command == COMMAND_KIND)
		step_kind(explorer);
	else if (command == COMMAND_LOG_X || command == COMMAND_LOG_Y)
		change_axis(explorer, command);
	else if (command <= COMMAND_WHOLE_AXIS)
		move_axis(explorer, command);
	else if (command == COMMAND_BLOCK_SMALLER || command == COMMAND_BLOCK_LARGER)
		step_block(explorer, command == COMMAND_BLOCK_LARGER ? 1 : -1);
	else if (command == COMMAND_INTERVAL)
		step_interval(explorer);
	else if (command == COMMAND_IDENTITY)
		explorer_set_identity(explorer, explorer->settings.identity == IDENTITY_CLEAN
							? IDENTITY_RAW
							: IDENTITY_CLEAN);
	else if (command == COMMAND_MARK)
		explorer_mark(explorer);
	else if (command == COMMAND_WRITE)
		explorer_write(explorer);
	else if (command >= COMMAND_PAUSE)
		explorer_live_command(explorer, command);
	else
		change_setting(explorer, command);
}

/* Keys while help is on the screen: they scroll it or close it. */
static void help_key(struct explorer *explorer, int command)
{
	uint32_t *top = &explorer->help_top, page, most;

	help_measure(explorer);
	page = explorer->help_page;
	most = explorer->help_lines > page ? explorer->help_lines - page : 0;
	if (command == COMMAND_DOWN)
		*top += 1;
	else if (command == COMMAND_PAGE_DOWN || command == COMMAND_TOGGLE)
		*top += page;
	else if (command == COMMAND_UP)
		*top -= *top ? 1 : 0;
	else if (command == COMMAND_PAGE_UP)
		*top -= *top > page ? page : *top;
	else if (command == COMMAND_FIRST)
		*top = 0;
	else if (command == COMMAND_LAST)
		*top = most;
	else if (command == COMMAND_THEME)
		explorer_next_theme(explorer);
	else if (command == COMMAND_REDRAW)
		explorer->redraw = true;
	else
		explorer->mode = MODE_NORMAL;
	if (*top > most)
		*top = most;
}

/* Who moves wants to stay there, whatever a live source brings. */
static void act(struct explorer *explorer, int command, int key)
{
	uint32_t call = explorer->context.call, path = explorer->context.path_a;

	explorer_command(explorer, command, key);
	explorer->chosen |= call != explorer->context.call || path != explorer->context.path_a;
}

void explorer_key(struct explorer *explorer, int key)
{
	const struct key_command *command;

	if (explorer->mode == MODE_SEARCH || explorer->mode == MODE_FILTER) {
		explorer_input_key(explorer, key);
		return;
	}
	/* keys act on what is on the screen, so it must be what was chosen */
	explorer_refresh(explorer);
	*explorer->message = '\0';
	explorer->told_new = false;
	command = explorer_find_command(explorer, key);
	if (explorer->mode == MODE_HELP) {
		/* F10 leaves the program from anywhere, q leaves help */
		if (key == KEY_NAME_F10) {
			explorer->mode = MODE_NORMAL;
			explorer_quit(explorer);
		} else {
			help_key(explorer, command ? command->command : COMMAND_NONE);
		}
		return;
	}
	/* whoever goes on with something else is asked again */
	if (!command || command->command != COMMAND_QUIT)
		explorer->quit_asked = false;
	if (!command || command->command != COMMAND_RESET)
		explorer->reset_asked = false;
	if (command)
		act(explorer, command->command, key);
}
