/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system calls of a recording. */
#include "view-internal.h"

#include <string.h>

enum {
	NAME,
	EXECUTIONS,
	PATHS,
	NEW,
	DISTURBED,
	MIN,
	MEDIAN,
	P999,
	MAX,
	JITTER,
	RATIO,
	SHARE,
	TIMES,
	PWCET,
	LEFT_OUT,
	N_COLUMNS
};

/* clang-format off */
static const struct view_column columns[N_COLUMNS] = {
	[NAME] = {"name", "call", 0, 8, 0, ALIGN_LEFT, true, false,
		"the system call, or the function chosen as root"},
	[EXECUTIONS] = {"executions", "exec", 0, 4, 0, ALIGN_RIGHT, true, true,
		"complete executions, disturbed ones included"},
	[PATHS] = {"paths", "paths", 0, 5, 0, ALIGN_RIGHT, true, true,
		"unique execution paths: clean/raw"},
	[NEW] = {"new", "new", 2, 3, 0, ALIGN_RIGHT, true, true,
		"live: clean paths that were seen first within the last 10 seconds"},
	[DISTURBED] = {"disturbed", "disturbed", 3, 5, 0, ALIGN_RIGHT, true, true,
		"share of the executions that were interrupted or preempted"},
	[MIN] = {"min", "min", 6, 7, 0, ALIGN_RIGHT, true, true,
		"the shortest execution"},
	[MEDIAN] = {"median", "median", 1, 7, 0, ALIGN_RIGHT, true, true,
		"the median of all executions"},
	[P999] = {"p999", "P99.9", 4, 7, 0, ALIGN_RIGHT, true, true,
		"999 of 1,000 executions are not longer"},
	[MAX] = {"max", "max", 1, 7, 0, ALIGN_RIGHT, true, true,
		"the longest execution"},
	[JITTER] = {"jitter", "jitter", 8, 7, 0, ALIGN_RIGHT, true, true,
		"the longest less the shortest"},
	[RATIO] = {"ratio", "max/med", 9, 6, 0, ALIGN_RIGHT, true, true,
		"the longest over the median"},
	[SHARE] = {"share", "share", 2, 5, 0, ALIGN_RIGHT, true, true,
		"share of the time of all calls together"},
	[TIMES] = {"times", "times", 5, 8, 1, ALIGN_LEFT, false, false,
		"how often which time: logarithmic from the shortest to the longest, heights as square roots"},
	[PWCET] = {"pwcet", "pWCET", 7, 8, 0, ALIGN_RIGHT, true, true,
		"time exceeded with the probability in the heading, if only the paths that were seen and fitted can happen"},
	[LEFT_OUT] = {"left-out", "left out", 7, 6, 0, ALIGN_RIGHT, true, true,
		"upper bound of the probability of all paths that the pWCET beside it leaves out"},
};
/* clang-format on */

#define LITTLE_ROOM 48
#define WIDE_ENOUGH_FOR_FITS 112
#define FITS_MOST 32   /* of a call */
#define CALLS_FITTED 8 /* rows to either side of the selected one */
#define SPARK_BINS 12
#define SPARK_VALUES 512 /* executions that a histogram of some columns is made from */

/* Everything that one row shows, once it is known which row it is. */
struct builder {
	struct view_panel *panel;
	const struct view_context *context;
	struct view_chosen chosen;
	double sum_ns; /* of all calls; NaN while one is not known */
};

static double number_of(const struct summary *summary, double sum_ns, int column)
{
	if (!summary)
		return NAN;
	switch (column) {
	case MIN:
		return (double)summary->min_ns;
	case MEDIAN:
		return summary->median_ns;
	case P999:
		return summary->p999_ns;
	case MAX:
		return (double)summary->max_ns;
	case JITTER:
		return summary->jitter_ns;
	case RATIO:
		return summary->jitter_ratio;
	case SHARE:
		return sum_ns > 0 ? (double)summary->sum_ns / sum_ns : NAN;
	default:
		return NAN;
	}
}

/* ---- one number for a call: of the paths seen, and what that leaves out ---- */

static uint32_t n_fittable(const struct call *call, const struct settings *settings)
{
	uint32_t n = 0, least = LEAST_MAXIMA;

	if (settings->block_unit == BLOCK_EXECUTIONS)
		least *= settings->block_size;
	while (n < call->n_paths[settings->identity] && n < FITS_MOST &&
	       call->paths[settings->identity][n].n_seen >= least)
		n++;
	return n;
}

/* false where fits are not there yet. */
static bool bound_of(const struct builder *builder, uint32_t index, struct bound *bound)
{
	const struct settings *settings = builder->context->settings;
	const struct call *call = view_call(builder->context, index);
	const struct fit *fits[FITS_MOST];
	uint32_t n = n_fittable(call, settings);
	bool pending = false;

	for (uint32_t i = 0; i < n; i++) {
		fits[i] = view_fit_of(builder->panel, builder->context, index, i, &pending);
		if (!fits[i])
			return false;
	}
	if (pending)
		return false;
	bound_compute(call, settings, fits, n, bound);
	return true;
}

/* Two digits, upwards: it is an upper bound. */
static double rounded_up(double probability)
{
	double step;

	if (!(probability > 0))
		return probability;
	step = pow(10, floor(log10(probability)) - 1);
	return ceil(probability / step * (1 - 1e-12)) * step;
}

static void put_bound(const struct builder *builder, struct view_cell *row, uint32_t index)
{
	struct bound bound;

	if (!bound_of(builder, index, &bound))
		return;
	if (!bound.n_fitted)
		view_set(row, &builder->chosen, PWCET,
			 cell_text(ROLE_DIM, distrust_words(DISTRUST_NO_FIT)));
	else if (bound.distrust != TRUSTED && !builder->context->settings->force)
		view_set(row, &builder->chosen, PWCET,
			 cell_text(ROLE_WARNING, distrust_words(bound.distrust)));
	else
		view_set(row, &builder->chosen, PWCET,
			 view_level_cell(builder->panel, ROLE_STRONG, bound.conditional_ns,
					 bound.distrust == TRUSTED));
	view_set(row, &builder->chosen, LEFT_OUT,
		 cell_number(CELL_PROBABILITY, *bound.refused ? ROLE_WARNING : ROLE_TEXT,
			     rounded_up(bound.left_out_mass_upper)));
}

/* ---- rows ---- */

static void put_spark(const struct builder *builder, struct view_cell *row, uint32_t index)
{
	uint64_t time_ns[SPARK_VALUES], count[SPARK_BINS];
	uint32_t n = view_some_times(builder->context, index, PATH_ALL, time_ns, SPARK_VALUES);
	double *values = view_alloc(builder->panel, SPARK_BINS, sizeof *values), low, high;
	struct view_cell cell = {.kind = CELL_SPARK, .role = ROLE_BAR};

	if (!n)
		return;
	low = time_ns[0] ? (double)time_ns[0] : 1;
	high = (double)time_ns[n - 1];
	if (!(high > low))
		high = low * 1.01;
	stats_histogram(time_ns, n, AXIS_LOG, low, high, count, SPARK_BINS);
	for (int i = 0; i < SPARK_BINS; i++)
		values[i] = count[i] ? sqrt((double)count[i]) : NAN;
	cell.spark.values = values;
	cell.spark.n = SPARK_BINS;
	view_set(row, &builder->chosen, TIMES, cell);
}

static void put_times(const struct builder *builder, struct view_cell *row,
		      const struct summary *summary)
{
	static const int durations[] = {MIN, P999, JITTER};

	for (size_t i = 0; i < COUNT_OF(durations); i++)
		view_set(
			row, &builder->chosen, durations[i],
			cell_number(CELL_DURATION, ROLE_TEXT, number_of(summary, 0, durations[i])));
	view_set(row, &builder->chosen, MEDIAN,
		 cell_number(CELL_DURATION, ROLE_STRONG, number_of(summary, 0, MEDIAN)));
	view_set(row, &builder->chosen, MAX,
		 cell_number(CELL_DURATION, ROLE_STRONG, number_of(summary, 0, MAX)));
	view_set(row, &builder->chosen, RATIO,
		 cell_number(CELL_NUMBER, ROLE_TEXT, number_of(summary, 0, RATIO)));
	view_set(row, &builder->chosen, SHARE,
		 cell_number(CELL_SHARE, ROLE_TEXT, number_of(summary, builder->sum_ns, SHARE)));
}

static bool is_marked(const struct view_context *context, uint32_t call)
{
	for (uint32_t i = 0; i < context->n_marked; i++)
		if (context->marked[i].call == call)
			return true;
	return false;
}

static void put_new(const struct builder *builder, struct view_cell *row, const struct call *call)
{
	uint32_t n = view_count_new(builder->context, call);

	if (n)
		view_set(row, &builder->chosen, NEW,
			 cell_text(ROLE_MARK, view_text(builder->panel, "+%u", (unsigned)n)));
	else
		view_set(row, &builder->chosen, NEW, cell_text(ROLE_DIM, "0"));
}

static void add_row(const struct builder *builder, struct view_table *table, uint32_t index,
		    bool in_reach, bool fitted)
{
	struct view_panel *panel = builder->panel;
	const struct view_context *context = builder->context;
	const struct call *call = view_call(context, index);
	const char *name = view_name(panel, call->name);
	struct view_cell *row = view_add_row(panel, table, view_identity(call->name));
	bool pending = false;

	table->rows[table->n_rows - 1].index = index;
	view_set(row, &builder->chosen, NAME, cell_text(ROLE_TEXT, name));
	view_set(row, &builder->chosen, EXECUTIONS, cell_count(ROLE_TEXT, call->n_seen));
	view_set(row, &builder->chosen, PATHS,
		 cell_pair(ROLE_TEXT, call->n_paths[IDENTITY_CLEAN], call->n_paths[IDENTITY_RAW]));
	put_new(builder, row, call);
	view_set(row, &builder->chosen, DISTURBED,
		 cell_number(CELL_SHARE, ROLE_TEXT,
			     call->n_seen ? (double)call->n_disturbed_seen / (double)call->n_seen
					  : NAN));
	if (context->recording->has_durations) {
		put_times(builder, row, view_summary(panel, context, index, PATH_ALL, &pending));
		if (in_reach)
			put_spark(builder, row, index);
		if (fitted && builder->chosen.at[PWCET] >= 0)
			put_bound(builder, row, index);
		else
			view_set(row, &builder->chosen, PWCET, cell_text(ROLE_DIM, "not asked"));
	}
	if (pending)
		table->rows[table->n_rows - 1].flags |= ROW_PENDING;
	if (is_marked(context, index))
		table->rows[table->n_rows - 1].flags |= ROW_MARKED;
}

static void add_up(struct builder *builder)
{
	const struct view_context *context = builder->context;

	builder->sum_ns = 0;
	for (uint32_t i = 0; i < context->recording->n_calls; i++) {
		bool pending = false;
		const struct summary *summary =
			view_summary(builder->panel, context, i, PATH_ALL, &pending);

		if (!summary && pending)
			builder->sum_ns = NAN;
		else if (summary)
			builder->sum_ns += (double)summary->sum_ns;
	}
}

static double key_of(const struct builder *builder, uint32_t index, int column)
{
	const struct call *call = view_call(builder->context, index);
	struct bound bound;

	switch (column) {
	case EXECUTIONS:
		return (double)call->n_seen;
	case PATHS:
		return call->n_paths[builder->context->settings->identity];
	case NEW:
		return view_count_new(builder->context, call);
	case DISTURBED:
		return call->n_seen ? (double)call->n_disturbed_seen / (double)call->n_seen : NAN;
	case PWCET:
	case LEFT_OUT:
		if (!bound_of(builder, index, &bound))
			return NAN;
		return column == PWCET ? bound.conditional_ns : bound.left_out_mass_upper;
	default:
		return number_of(
			view_summary(builder->panel, builder->context, index, PATH_ALL, NULL),
			builder->sum_ns, column);
	}
}

static void add_rows(struct builder *builder, struct view_table *table, int column)
{
	const struct view_context *context = builder->context;
	const struct recording *recording = context->recording;
	const struct view_order *order = &context->order[PANEL_CALLS];
	struct view_key *keys = view_alloc(builder->panel, recording->n_calls, sizeof *keys);
	uint32_t n = 0, selected = 0;

	for (uint32_t i = 0; i < recording->n_calls; i++) {
		if (!view_filtered(order, recording->calls[i].name))
			continue;
		keys[n] = (struct view_key){.index = i, .text = recording->calls[i].name};
		if (order->held)
			keys[n].number =
				view_held_place(order, view_identity(recording->calls[i].name));
		else if (column != NAME)
			keys[n].number = key_of(builder, i, column);
		n++;
	}
	view_sort(keys, n, column == NAME && !order->held, table->descending && !order->held);
	view_reserve_rows(builder->panel, table, n);
	for (uint32_t i = 0; i < n; i++)
		if (keys[i].index == context->call)
			selected = i;
	for (uint32_t i = 0; i < n; i++)
		add_row(builder, table, keys[i].index, view_in_reach(context, i, selected),
			i + CALLS_FITTED >= selected && i <= selected + CALLS_FITTED);
}

static void choose(struct builder *builder)
{
	const struct view_context *context = builder->context;
	bool times = context->recording->has_durations;
	bool fits = times && context->results.fit && context->width_cols >= WIDE_ENOUGH_FOR_FITS;
	bool hidden[N_COLUMNS] = {
		[NEW] = !context->live, [DISTURBED] = !view_has_trees(context->recording),
		[MIN] = !times,		[MEDIAN] = !times,
		[P999] = !times,	[MAX] = !times,
		[JITTER] = !times,	[RATIO] = !times,
		[SHARE] = !times,	[TIMES] = !times,
		[PWCET] = !fits,	[LEFT_OUT] = !fits};

	view_choose_columns(builder->panel, columns, N_COLUMNS, hidden, &builder->chosen);
}

static void put_condensed(struct view_panel *panel, const struct view_context *context)
{
	const struct call *call = view_call(context, context->call);

	if (call)
		view_printf(panel, &panel->condensed, ROLE_TEXT, "%s, 1 of %u calls",
			    view_name(panel, call->name), (unsigned)context->recording->n_calls);
}

void view_calls(struct view_panel *panel, const struct view_context *context)
{
	const struct recording *recording = context->recording;
	struct builder builder = {.panel = panel, .context = context};
	char number[NUMBER_SIZE];
	struct view_table *table;
	int column;

	if (!recording || !recording->n_calls) {
		view_say(panel, ROLE_DIM,
			 context->live && !context->live->ended
				 ? "no execution of a system call has completed yet"
				 : "no complete execution of a system call");
		return;
	}
	choose(&builder);
	table = view_add_table(panel, builder.chosen.columns, builder.chosen.n);
	table->selectable = true;
	table->empty = "no call matches the filter";
	view_set_heading(table, &builder.chosen, PWCET,
			 view_text(panel, "pWCET %s",
				   format_probability(number, context->settings->probability)));
	column = view_sort_column(table, &builder.chosen, columns, &context->order[PANEL_CALLS],
				  recording->has_durations ? SHARE : EXECUTIONS);
	if (recording->has_durations)
		add_up(&builder);
	add_rows(&builder, table, column);
	view_puts(panel, &panel->title, ROLE_DIM, "all executions");
	panel->title.cells[panel->title.n - 1].drop = 2;
	view_title_filter(panel, &context->order[PANEL_CALLS], table->n_rows, recording->n_calls);
	view_title_order(panel, table, &context->order[PANEL_CALLS]);
	/* the column that sorts stays on the screen: here the longest time is worth more */
	if (context->width_cols < LITTLE_ROOM && !context->order[PANEL_CALLS].column)
		table->sort = -1;
	put_condensed(panel, context);
}
