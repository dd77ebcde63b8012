/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The execution paths of the selected call. */
#include "view-internal.h"

#include <string.h>

enum {
	RANK,
	ID,
	COUNT,
	FREQUENCY,
	ACCUMULATED,
	RAW,
	CLEAN,
	DISTURBED,
	CALLS,
	MIN,
	MEDIAN,
	P999,
	MAX,
	PWCET,
	INTERVAL,
	DEADLINE,
	CAMPAIGNS,
	BOX,
	N_COLUMNS
};

/* clang-format off */
static const struct view_column columns[N_COLUMNS] = {
	[RANK] = {"rank", "#", 1, 1, 0, ALIGN_RIGHT, false, false,
		"place among the paths by frequency"},
	[ID] = {"path", "path", 0, 6, 0, ALIGN_LEFT, true, false,
		"first digits of the path's id: the MD5 of its calls"},
	[COUNT] = {"frequency", "count", 0, 5, 0, ALIGN_RIGHT, true, true,
		"executions that took this path"},
	[FREQUENCY] = {"share", "freq", 3, 5, 0, ALIGN_RIGHT, false, true,
		"share of the call's executions"},
	[ACCUMULATED] = {"accumulated", "accum", 4, 5, 0, ALIGN_RIGHT, false, true,
		"share of this path and all more frequent ones"},
	[RAW] = {"raw", "raw", 3, 4, 0, ALIGN_RIGHT, true, true,
		"raw paths that become this one when what the machine did is taken out"},
	[CLEAN] = {"clean", "clean", 5, 6, 0, ALIGN_LEFT, true, false,
		"the clean path that is left when what the machine did is taken out"},
	[DISTURBED] = {"disturbed", "disturbed", 7, 5, 0, ALIGN_RIGHT, true, true,
		"share of its executions that were interrupted or preempted"},
	[CALLS] = {"calls", "calls", 9, 4, 0, ALIGN_RIGHT, true, true,
		"functions called on this path, its own root included"},
	[MIN] = {"min", "min", 6, 7, 0, ALIGN_RIGHT, true, true,
		"its shortest execution"},
	[MEDIAN] = {"median", "median", 0, 7, 0, ALIGN_RIGHT, true, true,
		"median of all its executions"},
	[P999] = {"p999", "P99.9", 3, 7, 0, ALIGN_RIGHT, true, true,
		"999 of 1,000 of its executions are not longer"},
	[MAX] = {"max", "max", 0, 7, 0, ALIGN_RIGHT, true, true,
		"its longest execution"},
	[PWCET] = {"pwcet", "pWCET", 6, 8, 0, ALIGN_RIGHT, true, true,
		"time exceeded with the probability in the heading by one execution; a reason where the fit does not carry it"},
	[INTERVAL] = {"interval", "interval", 8, 8, 0, ALIGN_RIGHT, false, false,
		"confidence interval of the pWCET"},
	[DEADLINE] = {"deadline", "deadline", 2, 8, 0, ALIGN_LEFT, false, false,
		"does the path keep the deadline with the probability asked for?"},
	[CAMPAIGNS] = {"campaigns", "seen in", 8, 5, 0, ALIGN_LEFT, false, false,
		"first and last campaign in which the path was seen"},
	[BOX] = {"box", "", 4, 16, 1, ALIGN_LEFT, false, false,
		"box plot of its times; the axis is common to all paths, a dot is the longest"},
};
/* clang-format on */

#define WIDE_ENOUGH_FOR_FITS 96
#define WIDE_ENOUGH_FOR_BOX 60
#define PATHS_FITTED 10 /* the most common ones; and the selected one */
#define BOX_VALUES 256	/* executions that a box plot of some columns is made from */

struct builder {
	struct view_panel *panel;
	const struct view_context *context;
	const struct call *call;
	const struct path *paths;
	uint32_t n_paths;
	struct view_chosen chosen;
	bool has_axis;
	bool fits_wanted;
};

/* ---- what a row shows of times ---- */

static void put_times(const struct builder *builder, struct view_cell *row,
		      const struct summary *summary)
{
	const struct view_chosen *chosen = &builder->chosen;

	view_set(row, chosen, MIN,
		 cell_number(CELL_DURATION, ROLE_TEXT, summary ? (double)summary->min_ns : NAN));
	view_set(row, chosen, MEDIAN,
		 cell_number(CELL_DURATION, ROLE_STRONG, summary ? summary->median_ns : NAN));
	view_set(row, chosen, P999,
		 cell_number(CELL_DURATION, ROLE_TEXT, summary ? summary->p999_ns : NAN));
	view_set(row, chosen, MAX,
		 cell_number(CELL_DURATION, ROLE_STRONG, summary ? (double)summary->max_ns : NAN));
}

/* Whiskers reach as far as values do within 1.5 times the box (Tukey). */
static void put_box(const struct builder *builder, struct view_cell *row, uint32_t index,
		    const struct summary *summary)
{
	uint64_t time_ns[BOX_VALUES];
	uint32_t n = view_some_times(builder->context, builder->context->call, index, time_ns,
				     BOX_VALUES);
	struct view_cell cell = {.kind = CELL_BOX};
	struct view_box *box = &cell.box;
	double reach;

	if (!n || !summary)
		return;
	box->quarter = stats_quantile(time_ns, n, 0.25);
	box->three_quarters = stats_quantile(time_ns, n, 0.75);
	box->median = summary->median_ns;
	box->max = (double)summary->max_ns;
	reach = 1.5 * (box->three_quarters - box->quarter);
	for (uint32_t i = n; i-- > 0;)
		if ((double)time_ns[i] >= box->quarter - reach)
			box->low = (double)time_ns[i];
	for (uint32_t i = 0; i < n; i++)
		if ((double)time_ns[i] <= box->three_quarters + reach)
			box->high = (double)time_ns[i];
	view_set(row, &builder->chosen, BOX, cell);
}

static enum role verdict_role(enum verdict verdict)
{
	return verdict == VERDICT_VALID	    ? ROLE_GOOD
	       : verdict == VERDICT_INVALID ? ROLE_BAD
					    : ROLE_WARNING;
}

static void put_fit(const struct builder *builder, struct view_cell *row, uint32_t index,
		    bool *pending)
{
	const struct view_chosen *chosen = &builder->chosen;
	const struct settings *settings = builder->context->settings;
	const struct fit *fit = view_fit_of(builder->panel, builder->context,
					    builder->context->call, index, pending);
	const struct level *level = fit && !fit->refused ? fit_pwcet(fit) : NULL;

	view_set(row, chosen, PWCET, view_pwcet_cell(builder->panel, fit, settings));
	if (level && (level->trusted || settings->force) && !isnan(level->lower_ns))
		view_set(row, chosen, INTERVAL,
			 cell_interval(ROLE_TEXT, level->lower_ns, level->upper_ns));
	if (fit && builder->context->deadline_ns)
		view_set(row, chosen, DEADLINE,
			 cell_text(verdict_role(fit->deadline.verdict),
				   verdict_word(fit->deadline.verdict)));
}

/* ---- rows ---- */

static bool is_marked(const struct view_context *context, uint32_t path)
{
	for (uint32_t i = 0; i < context->n_marked; i++)
		if (context->marked[i].call == context->call && context->marked[i].path == path &&
		    context->marked[i].identity == context->settings->identity)
			return true;
	return false;
}

static uint8_t flags_of(const struct builder *builder, uint32_t index)
{
	const struct view_context *context = builder->context;
	uint8_t flags = 0;

	if (index == context->path_a)
		flags |= ROW_A;
	else if (index == context->path_b)
		flags |= ROW_B;
	if (is_marked(context, index))
		flags |= ROW_MARKED;
	/* seen once: it may as well not have been */
	if (builder->paths[index].n_seen == 1)
		flags |= ROW_WARNING;
	if (view_is_new(context, &builder->paths[index]))
		flags |= ROW_NEW;
	return flags;
}

static double share_of(const struct builder *builder, double count)
{
	return builder->call->n_seen ? count / (double)builder->call->n_seen : NAN;
}

/* What search, widths and the way through the list need of every row. */
static void put_identity(const struct builder *builder, struct view_cell *row, uint32_t index)
{
	const struct view_chosen *chosen = &builder->chosen;
	const struct path *path = &builder->paths[index], *clean;

	view_set(row, chosen, RANK, cell_count(ROLE_DIM, index + 1));
	view_set(row, chosen, ID, cell_id(ROLE_TEXT, view_name(builder->panel, path->id)));
	view_set(row, chosen, COUNT, cell_count(ROLE_TEXT, path->n_seen));
	if (chosen->at[CLEAN] < 0)
		return;
	clean = &builder->call->paths[IDENTITY_CLEAN][path->clean];
	view_set(row, chosen, CLEAN, cell_id(ROLE_TEXT, view_name(builder->panel, clean->id)));
}

static void put_counts(const struct builder *builder, struct view_cell *row, uint32_t index,
		       double accumulated)
{
	const struct view_chosen *chosen = &builder->chosen;
	const struct path *path = &builder->paths[index];
	unsigned first = path->first_campaign + 1, last = path->last_campaign + 1;
	const char *campaigns;

	view_set(row, chosen, FREQUENCY,
		 cell_number(CELL_FREQUENCY, ROLE_TEXT, share_of(builder, (double)path->n_seen)));
	view_set(row, chosen, ACCUMULATED,
		 cell_number(CELL_FREQUENCY, ROLE_DIM, share_of(builder, accumulated)));
	view_set(row, chosen, RAW, cell_count(ROLE_TEXT, path->n_raw));
	view_set(row, chosen, DISTURBED,
		 cell_number(CELL_SHARE, ROLE_TEXT,
			     path->n_seen ? (double)path->n_disturbed_seen / (double)path->n_seen
					  : NAN));
	if (path->root != NODE_NONE)
		view_set(row, chosen, CALLS,
			 cell_count(ROLE_DIM,
				    trees_size(builder->context->recording->trees, path->root)));
	campaigns = first == last ? view_text(builder->panel, "%u", first)
				  : view_text(builder->panel, "%u-%u", first, last);
	view_set(row, chosen, CAMPAIGNS, cell_text(ROLE_DIM, campaigns));
}

static void add_row(const struct builder *builder, struct view_table *table, uint32_t index,
		    double accumulated, bool in_reach)
{
	struct view_panel *panel = builder->panel;
	const struct view_context *context = builder->context;
	struct view_cell *row = view_add_row(panel, table, view_identity(builder->paths[index].id));
	struct view_row *about = &table->rows[table->n_rows - 1];
	const struct summary *summary;
	bool pending = false;

	about->index = index;
	about->flags = flags_of(builder, index);
	put_identity(builder, row, index);
	/* thousands of raw paths: only what can come into sight is filled in */
	if (!in_reach)
		return;
	put_counts(builder, row, index, accumulated);
	if (!context->recording->has_durations)
		return;
	summary = view_summary(panel, context, context->call, index, &pending);
	put_times(builder, row, summary);
	if (builder->has_axis)
		put_box(builder, row, index, summary);
	if (builder->fits_wanted && (index < PATHS_FITTED || index == context->path_a))
		put_fit(builder, row, index, &pending);
	else if (builder->fits_wanted)
		view_set(row, &builder->chosen, PWCET, cell_text(ROLE_DIM, "not asked"));
	if (pending)
		about->flags |= ROW_PENDING;
}

/* ---- order ---- */

static double time_key(const struct builder *builder, uint32_t index, int column)
{
	const struct view_context *context = builder->context;
	const struct summary *summary;
	const struct level *level;
	const struct fit *fit;

	if (column == PWCET) {
		fit = index < PATHS_FITTED || index == context->path_a
			      ? view_fit_of(builder->panel, context, context->call, index, NULL)
			      : NULL;
		level = fit && !fit->refused ? fit_pwcet(fit) : NULL;
		return level ? level->estimate_ns : NAN;
	}
	summary = view_summary(builder->panel, context, context->call, index, NULL);
	if (!summary)
		return NAN;
	return column == MIN	  ? (double)summary->min_ns
	       : column == MEDIAN ? summary->median_ns
	       : column == P999	  ? summary->p999_ns
				  : (double)summary->max_ns;
}

static double key_of(const struct builder *builder, uint32_t index, int column)
{
	const struct path *path = &builder->paths[index];

	switch (column) {
	case COUNT:
		return (double)path->n_seen;
	case RAW:
		return path->n_raw;
	case DISTURBED:
		return path->n_seen ? (double)path->n_disturbed_seen / (double)path->n_seen : NAN;
	case CALLS:
		return path->root == NODE_NONE
			       ? NAN
			       : trees_size(builder->context->recording->trees, path->root);
	case MIN:
	case MEDIAN:
	case P999:
	case MAX:
	case PWCET:
		return time_key(builder, index, column);
	default:
		return NAN;
	}
}

static bool passes(const struct builder *builder, uint32_t index)
{
	const struct view_order *order = &builder->context->order[PANEL_PATHS];
	const struct path *path = &builder->paths[index];

	return view_filtered(order, path->id) ||
	       (builder->context->settings->identity == IDENTITY_RAW &&
		view_filtered(order, builder->call->paths[IDENTITY_CLEAN][path->clean].id));
}

static const char *text_of(const struct builder *builder, uint32_t index, int column)
{
	const struct path *path = &builder->paths[index];

	return column == CLEAN ? builder->call->paths[IDENTITY_CLEAN][path->clean].id : path->id;
}

static void add_rows(const struct builder *builder, struct view_table *table, int column)
{
	const struct view_context *context = builder->context;
	struct view_key *keys = view_alloc(builder->panel, builder->n_paths, sizeof *keys);
	double *accumulated = view_alloc(builder->panel, builder->n_paths, sizeof *accumulated);
	const struct view_order *order = &context->order[PANEL_PATHS];
	uint32_t n = 0, selected = 0;
	double sum = 0;

	for (uint32_t i = 0; i < builder->n_paths; i++) {
		sum += (double)builder->paths[i].n_seen;
		accumulated[i] = sum;
		if (!passes(builder, i))
			continue;
		keys[n++] = (struct view_key){
			.index = i,
			.text = text_of(builder, i, column),
			.number = order->held ? view_held_place(order,
								view_identity(builder->paths[i].id))
					      : key_of(builder, i, column)};
	}
	view_sort(keys, n, (column == ID || column == CLEAN) && !order->held,
		  table->descending && !order->held);
	view_reserve_rows(builder->panel, table, n);
	for (uint32_t i = 0; i < n; i++)
		if (keys[i].index == context->path_a)
			selected = i;
	for (uint32_t i = 0; i < n; i++)
		add_row(builder, table, keys[i].index, accumulated[keys[i].index],
			view_in_reach(context, i, selected));
}

/* ---- the panel ---- */

static void choose(struct builder *builder)
{
	const struct view_context *context = builder->context;
	bool clean = context->settings->identity == IDENTITY_CLEAN;
	bool times = context->recording->has_durations;
	bool wide = context->width_cols >= WIDE_ENOUGH_FOR_FITS;
	bool trees = false;

	for (uint32_t i = 0; i < builder->n_paths && !trees; i++)
		trees = builder->paths[i].root != NODE_NONE;
	builder->fits_wanted = times && context->results.fit && (wide || context->deadline_ns);

	bool hidden[N_COLUMNS] = {[RAW] = !clean || !trees,
				  [CLEAN] = clean || !trees,
				  [DISTURBED] = !trees,
				  [CALLS] = !trees,
				  [MIN] = !times,
				  [MEDIAN] = !times,
				  [P999] = !times,
				  [MAX] = !times,
				  [PWCET] = !builder->fits_wanted || !wide,
				  [INTERVAL] = !builder->fits_wanted || !wide,
				  [DEADLINE] = !builder->fits_wanted || !context->deadline_ns,
				  [CAMPAIGNS] = context->recording->n_campaigns < 2,
				  [BOX] = !times || context->width_cols < WIDE_ENOUGH_FOR_BOX};

	view_choose_columns(builder->panel, columns, N_COLUMNS, hidden, &builder->chosen);
}

/* A common axis, logarithmic where the longest would press all boxes to the left. */
static void set_axis(struct builder *builder, struct view_table *table)
{
	const struct view_context *context = builder->context;
	const struct summary *summary;

	if (builder->chosen.at[BOX] < 0)
		return;
	summary = view_summary(builder->panel, context, context->call, PATH_ALL, NULL);
	if (!summary)
		return;
	table->axis = view_alloc(builder->panel, 1, sizeof *table->axis);
	*table->axis = (struct view_axis){.kind = CELL_DURATION,
					  .low = summary->min_ns ? (double)summary->min_ns : 1,
					  .high = (double)summary->max_ns};
	table->axis->log = table->axis->high > 8 * table->axis->low;
	builder->has_axis = true;
}

static void set_headings(const struct builder *builder, struct view_table *table)
{
	const struct view_context *context = builder->context;
	char number[NUMBER_SIZE];

	view_set_heading(table, &builder->chosen, PWCET,
			 view_text(builder->panel, "pWCET %s",
				   format_probability(number, context->settings->probability)));
	view_set_heading(
		table, &builder->chosen, INTERVAL,
		view_text(builder->panel, "%.4g%% interval", 100 * context->settings->level));
	if (context->deadline_ns)
		view_set_heading(table, &builder->chosen, DEADLINE,
				 view_text(builder->panel, "%s",
					   format_duration(number, (double)context->deadline_ns)));
}

static void put_title(const struct builder *builder)
{
	struct view_panel *panel = builder->panel;
	const struct call *call = builder->call;
	struct view_line *title = &panel->title;
	uint32_t clean = call->n_paths[IDENTITY_CLEAN], raw = call->n_paths[IDENTITY_RAW];
	bool is_clean = builder->context->settings->identity == IDENTITY_CLEAN;

	view_puts(panel, title, ROLE_DIM, "of ");
	view_printf(panel, title, ROLE_STRONG, "%s", view_name(panel, call->name));
	/* samples of a file have one identity */
	if (builder->paths[0].root == NODE_NONE)
		return;
	view_printf(panel, title, is_clean ? ROLE_TEXT : ROLE_DIM, "  %u clean, ", (unsigned)clean);
	title->cells[title->n - 1].drop = 2;
	view_printf(panel, title, is_clean ? ROLE_DIM : ROLE_TEXT, "%u raw", (unsigned)raw);
	title->cells[title->n - 1].drop = 2;
	view_puts(panel, title, ROLE_DIM, ", all");
	title->cells[title->n - 1].drop = 3;
	view_puts(panel, title, ROLE_DIM, " executions");
	title->cells[title->n - 1].drop = 4;
}

static void put_condensed(const struct builder *builder)
{
	const struct view_context *context = builder->context;
	struct view_line *line = &builder->panel->condensed;
	const struct path *path = view_path(context, context->path_a);
	const struct summary *summary;

	view_put(builder->panel, line,
		 cell_pair(ROLE_TEXT, builder->call->n_paths[IDENTITY_CLEAN],
			   builder->call->n_paths[IDENTITY_RAW]));
	view_puts(builder->panel, line, ROLE_DIM, " paths");
	if (!path)
		return;
	view_printf(builder->panel, line, ROLE_A, ", %s", view_short_id(builder->panel, path->id));
	summary = view_summary(builder->panel, context, context->call, context->path_a, NULL);
	if (!summary)
		return;
	view_puts(builder->panel, line, ROLE_TEXT, " ");
	view_put(builder->panel, line, cell_number(CELL_DURATION, ROLE_TEXT, summary->median_ns));
	view_puts(builder->panel, line, ROLE_DIM, " median, ");
	view_put(builder->panel, line,
		 cell_number(CELL_DURATION, ROLE_TEXT, (double)summary->max_ns));
	view_puts(builder->panel, line, ROLE_DIM, " max");
}

static void add_leave(const struct builder *builder)
{
	const struct view_context *context = builder->context;
	struct view_block *block;
	struct view_line *line;

	if (!view_path(context, context->path_a) || !view_path(context, context->path_b) ||
	    context->path_a == context->path_b)
		return;
	block = view_add_block(builder->panel, BLOCK_LINES);
	block->priority = 1;
	line = view_add_line(builder->panel, block);
	view_put_leave(builder->panel, line, context, context->path_a, context->path_b);
	if (!line->n)
		block->lines.n = 0;
}

void view_paths(struct view_panel *panel, const struct view_context *context)
{
	struct builder builder = {.panel = panel, .context = context};
	struct view_table *table;
	int column;

	builder.call = view_call(context, context->call);
	if (!builder.call || !builder.call->n_paths[context->settings->identity]) {
		view_say(panel, ROLE_DIM, "no call is selected");
		return;
	}
	builder.paths = builder.call->paths[context->settings->identity];
	builder.n_paths = builder.call->n_paths[context->settings->identity];
	choose(&builder);
	table = view_add_table(panel, builder.chosen.columns, builder.chosen.n);
	table->selectable = true;
	table->empty = "no path matches the filter";
	set_headings(&builder, table);
	set_axis(&builder, table);
	column = view_sort_column(table, &builder.chosen, columns, &context->order[PANEL_PATHS],
				  COUNT);
	add_rows(&builder, table, column);
	put_title(&builder);
	view_title_filter(panel, &context->order[PANEL_PATHS], table->n_rows, builder.n_paths);
	view_title_order(panel, table, &context->order[PANEL_PATHS]);
	put_condensed(&builder);
	add_leave(&builder);
}
