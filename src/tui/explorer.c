/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The explorer's state, and how panels are kept up to date with it. */
#include "explorer.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct call *explorer_call(const struct explorer *explorer)
{
	if (!explorer->recording || explorer->context.call >= explorer->recording->n_calls)
		return NULL;
	return &explorer->recording->calls[explorer->context.call];
}

/* The call that takes the most time is what one came for; without times the most frequent. */
static uint32_t first_call(const struct recording *recording, const char *wanted)
{
	uint32_t best = UINT32_MAX;
	double most = -1;

	for (uint32_t i = 0; i < recording->n_calls; i++) {
		const struct call *call = &recording->calls[i];
		double sum = 0;

		if (wanted && !strcmp(call->name, wanted))
			return i;
		for (uint32_t j = 0; recording->has_durations && j < call->n_executions; j++)
			sum += (double)call->duration_ns[j];
		if (!recording->has_durations)
			sum = call->n_executions;
		if (sum > most)
			most = sum, best = i;
	}
	return best;
}

void explorer_default_beside(struct explorer *explorer)
{
	const struct call *call = explorer_call(explorer);
	struct view_context *context = &explorer->context;
	uint32_t n = call ? call->n_paths[explorer->settings.identity] : 0;

	if (explorer->beside < n && explorer->beside != context->path_a)
		context->path_b = explorer->beside;
	else if (context->path_a == PATH_ALL || n < 2)
		context->path_b = PATH_ALL;
	else
		context->path_b = context->path_a == 0 ? 1 : 0;
}

void explorer_select_call(struct explorer *explorer, uint32_t call_index)
{
	struct view_context *context = &explorer->context;
	const struct call *call;

	context->call = call_index;
	explorer->beside = PATH_ALL;
	call = explorer_call(explorer);
	context->path_a = call && call->n_paths[explorer->settings.identity] ? 0 : PATH_ALL;
	context->deadline_ns =
		call && explorer->options->deadline
			? explorer->options->deadline(explorer->options->owner, call->name)
			: 0;
	explorer->states[PANEL_PATHS] = (struct panel_state){0};
	explorer->states[PANEL_TREE] = (struct panel_state){0};
	explorer_forget_order(explorer, PANEL_PATHS);
	explorer_default_beside(explorer);
	explorer->dirty |= DIRTY_ALL;
}

/* A path named on the command line may be of either identity and of any call. */
static bool choose_first_path(struct explorer *explorer)
{
	const char *id = explorer->options->path_id;
	enum identity own = explorer->settings.identity;

	for (int i = 0; id && i < 2; i++) {
		enum identity identity =
			i ? (own == IDENTITY_RAW ? IDENTITY_CLEAN : IDENTITY_RAW) : own;

		for (uint32_t j = 0; j < explorer->recording->n_calls; j++) {
			/* the chosen call first */
			uint32_t at =
				j ? j - (j <= explorer->context.call) : explorer->context.call;
			uint32_t path =
				call_find_path(&explorer->recording->calls[at], identity, id, NULL);

			if (path == PATH_ALL)
				continue;
			if (identity != own)
				explorer_set_identity(explorer, identity);
			explorer_select_call(explorer, at);
			explorer->context.path_a = path;
			explorer_default_beside(explorer);
			return true;
		}
	}
	return !id;
}

void explorer_choose_first(struct explorer *explorer)
{
	const struct recording *recording = explorer->recording;
	const char *syscall = explorer->options->syscall;

	if (!recording->n_calls) {
		explorer->context.call = UINT32_MAX;
		explorer->context.path_a = explorer->context.path_b = PATH_ALL;
		explorer->dirty = DIRTY_ALL;
		return;
	}
	explorer_select_call(explorer, first_call(recording, syscall));
	if (choose_first_path(explorer))
		explorer->chosen = !syscall || recording_find_call(recording, syscall);
	/* in a live source it may still come */
	else if (!recording->live)
		explorer_message(explorer, ROLE_WARNING, "there is no path '%.40s' here",
				 explorer->options->path_id);
	if (!recording->live && syscall && !recording_find_call(recording, syscall))
		explorer_message(explorer, ROLE_WARNING, "there is no call '%.40s' here", syscall);
}

void explorer_init(struct explorer *explorer, const struct explore_options *options,
		   struct recording *recording, const char *source)
{
	struct view_context *context = &explorer->context;

	*explorer = (struct explorer){.options = options, .recording = recording_hold(recording)};
	explorer->settings = options->settings;
	explorer->likelihood_interval = options->settings.estimator == ESTIMATOR_MLE
						? options->settings.interval
						: INTERVAL_PROFILE;
	explorer->source = mem_copy_text(source);
	explorer->focus = PANEL_CALLS;
	explorer->lower = PANEL_FIT;
	theme_mono(&explorer->theme);
	*context = (struct view_context){.recording = recording,
					 .settings = &explorer->settings,
					 .source = explorer->source,
					 .call = UINT32_MAX,
					 .path_a = PATH_ALL,
					 .path_b = PATH_ALL,
					 .zoom_high = 1};
	for (int i = 0; i < PANEL_COUNT; i++) {
		view_panel_init(&explorer->views[i], i);
		context->order[i].filter = explorer->filters[i];
	}
	explorer->dirty = DIRTY_ALL;
	explorer_choose_first(explorer);
}

static void news(void *owner, uint32_t bits)
{
	struct explorer *explorer = owner;

	explorer->dirty |= bits;
}

int explorer_start(struct explorer *explorer, struct error *err)
{
	explorer->store = store_new(explorer->recording, news, explorer,
				    explorer->options->deadline, explorer->options->owner);
	explorer->writer = worker_new(explorer);
	if (!explorer->store || !explorer->writer)
		return error_set(err, "cannot start a thread for computations");
	explorer->context.results = store_results(explorer->store);
	return 0;
}

void explorer_fds(const struct explorer *explorer, int fds[EXPLORER_FDS])
{
	fds[0] = worker_fd(explorer->writer);
	store_fds(explorer->store, fds + 1);
}

void explorer_collect(struct explorer *explorer)
{
	worker_collect(explorer->writer);
	if (!explorer->paused)
		store_collect(explorer->store);
}

int explorer_pending(const struct explorer *explorer)
{
	return explorer->writing + (explorer->paused ? 0 : store_pending(explorer->store));
}

static void finish_writing(struct explorer *explorer)
{
	while (explorer->writing) {
		struct pollfd wait = {.fd = worker_fd(explorer->writer), .events = POLLIN};

		poll(&wait, 1, -1);
		worker_collect(explorer->writer);
	}
}

void explorer_release(struct explorer *explorer)
{
	finish_writing(explorer);
	worker_free(explorer->writer);
	store_free(explorer->store);
	for (int i = 0; i < PANEL_COUNT; i++)
		view_panel_release(&explorer->views[i]);
	explorer_search_tree_end(explorer);
	explorer_let_go(explorer, 0);
	recording_free(explorer->recording);
	for (int i = 0; i < PANEL_COUNT; i++)
		free(explorer->held[i]);
	for (size_t i = 0; i < explorer->n_marks; i++) {
		free(explorer->mark_names[i].call);
		free(explorer->mark_names[i].path);
	}
	free(explorer->aside);
	free(explorer->wish.call);
	free(explorer->wish.path_a);
	free(explorer->wish.beside);
	free(explorer->mark_names);
	free(explorer->toggled);
	free(explorer->marks);
	free(explorer->marked);
	free(explorer->source);
}

void explorer_message(struct explorer *explorer, enum role role, const char *format, ...)
{
	char raw[sizeof explorer->message];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(raw, sizeof raw, format, arguments);
	va_end(arguments);
	text_printable(explorer->message, sizeof explorer->message, raw);
	explorer->message_role = role;
}

void explorer_unscroll(struct explorer *explorer, enum panel_id panel)
{
	struct panel_state *state = &explorer->states[panel];

	if (state->whole)
		explorer->dirty |= DIRTY(panel);
	state->whole = false;
	state->offset = 0;
}

void explorer_resize(struct explorer *explorer, int width, int height)
{
	explorer_unscroll(explorer, explorer->focus);
	explorer->width = width;
	explorer->height = height;
	explorer->dirty |= DIRTY_ALL;
}

void explorer_focus(struct explorer *explorer, enum panel_id panel)
{
	if (panel == explorer->focus)
		return;
	explorer_unscroll(explorer, explorer->focus);
	explorer->focus = panel;
	if (panel == PANEL_TREE)
		explorer->tree = true;
	else if (panel >= PANEL_DENSITY)
		explorer->tree = false;
	if (panel == PANEL_FIT || panel == PANEL_IID)
		explorer->lower = panel;
	/* sizes change, and with them what a panel says */
	explorer->dirty |= DIRTY_ALL;
}

void explorer_settings_changed(struct explorer *explorer)
{
	explorer->dirty |= DIRTY_ALL;
}

/* The path of the other identity that has the same calls as the selected one. */
static uint32_t same_path(const struct call *call, enum identity from, uint32_t path)
{
	if (!call || path == PATH_ALL)
		return path;
	if (from == IDENTITY_RAW)
		return call->paths[IDENTITY_RAW][path].clean;
	/* ranked by executions: the first is the most common */
	for (uint32_t i = 0; i < call->n_paths[IDENTITY_RAW]; i++)
		if (call->paths[IDENTITY_RAW][i].clean == path)
			return i;
	return call->n_paths[IDENTITY_RAW] ? 0 : PATH_ALL;
}

void explorer_set_identity(struct explorer *explorer, enum identity identity)
{
	struct view_context *context = &explorer->context;
	const struct call *call = explorer_call(explorer);
	enum identity from = explorer->settings.identity;

	if (from == identity)
		return;
	context->path_a = same_path(call, from, context->path_a);
	explorer->beside = same_path(call, from, explorer->beside);
	explorer->settings.identity = identity;
	/* ids of the other identity are none of this one */
	explorer->wish.found_call = UINT32_MAX - 1;
	/* raw paths hold what the machine did: strata are of clean ones */
	explorer->settings.stratum = identity == IDENTITY_RAW ? STRATUM_ALL : STRATUM_UNDISTURBED;
	explorer->states[PANEL_PATHS] = (struct panel_state){0};
	explorer_forget_order(explorer, PANEL_PATHS);
	explorer_default_beside(explorer);
	explorer_settings_changed(explorer);
}

void explorer_select_path(struct explorer *explorer, uint32_t path)
{
	explorer->context.path_a = path;
	explorer->states[PANEL_TREE] = (struct panel_state){0};
	explorer_default_beside(explorer);
	explorer->dirty |= DIRTY_ALL & ~DIRTY(PANEL_CALLS);
}

/* What the cursor of a list stands on decides what the other panels show. */
static void follow_row(struct explorer *explorer, enum panel_id panel, uint32_t index)
{
	if (panel == PANEL_CALLS && index != explorer->context.call) {
		explorer_select_call(explorer, index);
	} else if (panel == PANEL_PATHS && index != explorer->context.path_a) {
		explorer_select_path(explorer, index);
	}
}

void explorer_select_row(struct explorer *explorer, enum panel_id panel, int64_t row)
{
	const struct view_table *table = panel_table(&explorer->views[panel]);
	struct panel_state *state = &explorer->states[panel];

	if (!table || !table->selectable || !table->n_rows)
		return;
	if (row >= table->n_rows)
		row = (int64_t)table->n_rows - 1;
	if (row < 0)
		row = 0;
	state->row = (uint32_t)row;
	state->selected = table->rows[row].identity;
	follow_row(explorer, panel, table->rows[row].index);
}

/* Row that shows the chosen call or path; -1 where it is not among the rows. */
static int64_t chosen_row(const struct explorer *explorer, enum panel_id panel,
			  const struct view_table *table)
{
	uint32_t index = panel == PANEL_CALLS ? explorer->context.call : explorer->context.path_a;

	if (panel == PANEL_TREE)
		return table_find(table, explorer->states[panel].selected);
	for (uint32_t i = 0; i < table->n_rows; i++)
		if (table->rows[i].index == index)
			return i;
	return -1;
}

/* After a build the cursor is where it was, or on what took its place. */
static void settle(struct explorer *explorer, enum panel_id panel)
{
	const struct view_table *table = panel_table(&explorer->views[panel]);
	struct panel_state *state = &explorer->states[panel];
	int64_t row;

	if (!table || !table->selectable || !table->n_rows)
		return;
	row = chosen_row(explorer, panel, table);
	explorer_select_row(explorer, panel, row >= 0 ? row : state->row);
}

/* Rows for which a panel leaves nothing out. */
#define ROWS_FOR_ALL 64

static void set_room(struct explorer *explorer, enum panel_id panel)
{
	const struct layout_place *place = layout_find(&explorer->layout, panel);
	struct view_context *context = &explorer->context;

	context->width_cols = (uint16_t)(place ? place->rect.width : explorer->width);
	context->height_rows = (uint16_t)(place ? place->rect.height : 1);
	if (explorer->states[panel].whole && context->height_rows < ROWS_FOR_ALL)
		context->height_rows = ROWS_FOR_ALL;
	if (panel == PANEL_HEADER)
		context->height_rows = (uint16_t)explorer->layout.header_rows;
	context->zoomed = explorer->zoom;
	context->narrow = explorer->layout.narrow;
	context->toggled = explorer->toggled;
	context->n_toggled = explorer->n_toggled;
	context->marked = explorer->marked;
	context->n_marked = (uint32_t)explorer->n_marks;
}

static void build(struct explorer *explorer, enum panel_id panel)
{
	set_room(explorer, panel);
	view_panel_release(&explorer->views[panel]);
	if (explorer->store) {
		store_look_at(explorer->store, explorer->context.call, explorer->context.path_a);
		store_begin(explorer->store, panel, &explorer->settings);
	}
	view_build(&explorer->views[panel], panel, &explorer->context);
	draw_measure(&explorer->views[panel]);
	explorer->built[panel] = true;
	explorer->dirty &= ~DIRTY(panel);
	explorer_keep_order(explorer, panel);
	settle(explorer, panel);
}

static void lay_out(struct explorer *explorer)
{
	struct layout_wish wish = {.focus = explorer->focus,
				   .zoom = explorer->zoom,
				   .tree = explorer->tree,
				   .lower = explorer->lower};

	for (int i = 0; i < PANEL_COUNT; i++)
		if (explorer->built[i])
			wish.rows[i] = draw_wanted_rows(&explorer->views[i]);
	layout_make(&explorer->layout, explorer->width, explorer->height, &wish);
}

/* Is the panel on the screen, as itself or in the condensed line? */
static bool in_sight(const struct explorer *explorer, enum panel_id panel)
{
	if (panel == PANEL_HEADER)
		return explorer->layout.header_rows > 0;
	/* lists also hold the chosen call and path */
	return layout_find(&explorer->layout, panel) || explorer->layout.condensed.height > 0;
}

static uint32_t panels_in_sight(const struct explorer *explorer)
{
	uint32_t bits = 0;

	for (int i = 0; i < PANEL_COUNT; i++)
		if (in_sight(explorer, (enum panel_id)i))
			bits |= DIRTY(i);
	return bits;
}

bool explorer_refresh(struct explorer *explorer)
{
	bool built = false;

	/* building a list may move its cursor, which makes others dirty; sizes
	   follow contents: a few rounds, then good enough */
	for (int round = 0; round < 4; round++) {
		struct layout before = explorer->layout;
		bool more = false;

		lay_out(explorer);
		if (memcmp(&before, &explorer->layout, sizeof before))
			explorer->dirty |= DIRTY_ALL;
		for (int i = 0; i < PANEL_COUNT; i++) {
			enum panel_id panel = (enum panel_id)i;

			if (!(explorer->dirty & DIRTY(panel)) || !in_sight(explorer, panel))
				continue;
			build(explorer, panel);
			more = built = true;
		}
		if (!more)
			break;
	}
	if (built && explorer->store)
		store_tidy(explorer->store, panels_in_sight(explorer));
	explorer_let_go(explorer, panels_in_sight(explorer));
	return built;
}
