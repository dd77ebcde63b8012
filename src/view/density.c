/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panel 4: the whole call and the chosen paths on one axis of time. */
#include "fit-internal.h"

#include <string.h>

#define PLOT_ROWS_LEAST 4
#define SERIES_MAX 3

/* One of the samples drawn. */
struct curve {
	uint32_t path; /* PATH_ALL: the whole call */
	enum role role;
	const char *letter; /* "A ", or "" */
	const char *name;
	const struct summary *summary; /* NULL: not there yet */
};

struct density_view {
	struct view_panel *panel;
	const struct view_context *context;
	struct subject subject;
	enum density_kind kind;
	enum axis_scale scale;
	bool log_y;
	struct curve curves[SERIES_MAX];
	uint32_t n_curves;
	const struct density *density; /* NULL: not there yet, or of something else */
	bool stale;
};

static void add_curve(struct density_view *view, uint32_t path, enum role role, const char *letter)
{
	struct curve *curve = &view->curves[view->n_curves++];
	bool pending = false;

	*curve = (struct curve){.path = path, .role = role, .letter = letter};
	curve->name = subject_path_name(view->panel, view->context, path);
	curve->summary =
		view->context->results.summary(view->context->results.owner, view->context->call,
					       path, view->context->settings->stratum, &pending);
	view->panel->pending |= pending;
}

/* A path that is all of its call needs no second line for the call. */
static void choose_curves(struct density_view *view)
{
	const struct call *call = view->subject.call;
	enum identity identity = view->context->settings->identity;
	uint32_t a = view->subject.path, b = view->context->path_b;

	if (a == PATH_ALL || call->n_paths[identity] > 1)
		add_curve(view, PATH_ALL, ROLE_ALL, "");
	if (a != PATH_ALL)
		add_curve(view, a, ROLE_A, "A ");
	if (a != PATH_ALL && b < call->n_paths[identity] && b != a)
		add_curve(view, b, ROLE_B, "B ");
}

/* How much of the time axis is worth looking at before anybody zooms. */
static double range_quantile(const struct density_view *view)
{
	if (view->kind == DENSITY_CCDF)
		return 1;
	if (view->kind == DENSITY_ECDF || view->scale == AXIS_LOG)
		return 0.999;
	return 0.98;
}

static uint32_t point_count(const struct density_view *view)
{
	uint32_t width = view->context->width_cols;

	if (view->kind != DENSITY_HISTOGRAM)
		return width < 40 ? 80 : 2 * width;
	return width < 24 ? 12 : width > 240 ? 120 : width / 2;
}

/* A late answer to an older question may be of another kind or of other paths. */
static bool fits_question(const struct density_view *view, const struct density *density)
{
	return density && density->kind == view->kind && density->scale == view->scale &&
	       density->n_series == view->n_curves && density->n_points > 1;
}

static void ask(struct density_view *view)
{
	const struct view_context *context = view->context;
	struct view_density wanted = {.call = context->call,
				      .n_paths = view->n_curves,
				      .weighted = view->kind == DENSITY_KERNEL ||
						  view->kind == DENSITY_HISTOGRAM,
				      .kind = view->kind,
				      .scale = view->scale,
				      .quantile = range_quantile(view),
				      .zoom_low = context->zoom_low,
				      .zoom_high = context->zoom_high,
				      .n_points = point_count(view)};
	bool pending = false;

	if (!(wanted.zoom_high > wanted.zoom_low))
		wanted.zoom_low = 0, wanted.zoom_high = 1;
	for (uint32_t i = 0; i < view->n_curves; i++)
		wanted.paths[i] = view->curves[i].path;
	view->density = context->results.density(context->results.owner, &wanted, &pending);
	view->stale = pending;
	view->panel->pending |= pending;
	if (!fits_question(view, view->density))
		view->density = NULL;
}

static void add_title(struct density_view *view)
{
	struct view_panel *panel = view->panel;
	const struct density *density = view->density;
	struct view_line *title = &panel->title;
	enum role role = view->stale ? ROLE_PENDING : ROLE_TEXT;
	struct view_cell cells[] = {
		cell_number(CELL_DURATION, role, 0), cell_text(ROLE_DIM, " .. "),
		cell_number(CELL_DURATION, role, 0), cell_text(ROLE_DIM, " ("),
		cell_number(CELL_SHARE, role, 0),    cell_text(ROLE_DIM, " beyond)")};

	view_printf(panel, title, ROLE_TITLE, "of %s", view_name(panel, view->subject.call->name));
	if (view->n_curves > 1)
		view_put(panel, title,
			 (struct view_cell){.kind = CELL_TEXT,
					    .role = ROLE_DIM,
					    .drop = 2,
					    .text = view->n_curves > 2 ? " and two of its paths"
								       : " and a path of it"});
	if (!density || !density->series[0].n)
		return;
	cells[0].number = density->lower_ns;
	cells[2].number = density->upper_ns;
	cells[4].number = density->series[0].beyond;
	view_puts(panel, title, ROLE_DIM, "   ");
	for (size_t i = 0; i < COUNT_OF(cells); i++) {
		if (i >= 3)
			cells[i].drop = 1;
		if (i < 3 || density->series[0].beyond > 0)
			view_put(panel, title, cells[i]);
	}
}

static void add_condensed(struct density_view *view)
{
	const struct summary *summary = view->curves[0].summary;
	struct view_line *line = &view->panel->condensed;
	struct view_cell cells[] = {
		cell_text(ROLE_DIM, "median "), cell_number(CELL_DURATION, ROLE_TEXT, 0),
		cell_text(ROLE_DIM, "  P99.9 "), cell_number(CELL_DURATION, ROLE_TEXT, 0)};

	if (!summary || !summary->n) {
		view_puts(view->panel, line, ROLE_DIM, "density");
		return;
	}
	cells[1].number = summary->median_ns;
	cells[3].number = summary->p999_ns;
	cells[2].drop = cells[3].drop = 1;
	for (size_t i = 0; i < COUNT_OF(cells); i++)
		view_put(view->panel, line, cells[i]);
}

/* Where bin i of a histogram begins. */
static double bin_edge(const struct density *density, size_t i)
{
	double part = (double)i / density->n_points;

	if (density->scale == AXIS_LOG)
		return density->lower_ns * pow(density->upper_ns / density->lower_ns, part);
	return density->lower_ns + (density->upper_ns - density->lower_ns) * part;
}

/* The outline of the bins, closed on both sides; filled where it stands alone. */
static void add_bins(struct density_view *view, struct view_series *series, const double *y)
{
	const struct density *density = view->density;
	size_t n = density->n_points;
	double *x = view_alloc(view->panel, n + 2, sizeof *x);
	double *height = view_alloc(view->panel, n + 2, sizeof *height);
	double *width = NULL;

	if (series->kind == SERIES_BARS) {
		width = view_alloc(view->panel, n, sizeof *width);
		for (size_t i = 0; i < n; i++) {
			width[i] = bin_edge(density, i + 1) - bin_edge(density, i);
			x[i] = (bin_edge(density, i) + bin_edge(density, i + 1)) / 2;
			height[i] = y[i];
		}
	} else {
		x[0] = density->lower_ns;
		x[n + 1] = density->upper_ns;
		for (size_t i = 0; i < n; i++) {
			x[i + 1] = bin_edge(density, i);
			height[i + 1] = y[i];
		}
	}
	series->n = (uint32_t)(width ? n : n + 2);
	series->x = x;
	series->y = height;
	series->y2 = width;
}

static void add_points(struct density_view *view, struct view_series *series, const double *y)
{
	const struct density *density = view->density;
	size_t bytes = density->n_points * sizeof *y;
	double *x = view_alloc(view->panel, density->n_points, sizeof *x);
	double *copy = view_alloc(view->panel, density->n_points, sizeof *copy);

	memcpy(x, density->x_ns, bytes);
	memcpy(copy, y, bytes);
	series->n = (uint32_t)density->n_points;
	series->x = x;
	series->y = copy;
}

static void add_series(struct density_view *view, uint32_t i)
{
	const struct curve *curve = &view->curves[i];
	bool bins = view->kind == DENSITY_HISTOGRAM;
	/* the legend names the call */
	const char *name = i ? view_text(view->panel, "%s%s", curve->letter, curve->name) : NULL;
	struct view_series *series;

	if (!view->density->series[i].n)
		return;
	series = view_add_series(view->panel, &view->panel->blocks[view->panel->n_blocks - 1]->plot,
				 bins ? view->n_curves > 1 ? SERIES_STEPS : SERIES_BARS
				      : SERIES_LINE,
				 curve->role, name);
	if (bins)
		add_bins(view, series, view->density->series[i].y);
	else
		add_points(view, series, view->density->series[i].y);
}

/* The smallest share that a complementary ECDF can show. */
static double least_share(const struct density_view *view)
{
	size_t most = 1;

	for (size_t i = 0; i < view->density->n_series; i++)
		if (view->density->series[i].n > most)
			most = view->density->series[i].n;
	return 0.7 / (double)most;
}

static void set_y_axis(const struct density_view *view, struct view_axis *axis)
{
	bool shares = view->kind == DENSITY_ECDF || view->kind == DENSITY_CCDF;

	axis->log = view->log_y;
	axis->kind = view->kind == DENSITY_CCDF	  ? CELL_PROBABILITY
		     : view->kind == DENSITY_ECDF ? CELL_SHARE
						  : CELL_EMPTY;
	axis->high = shares ? 1 : 1.06 * view->density->y_max;
	if (axis->log)
		axis->low = shares ? least_share(view) : axis->high * 1e-4;
	if (view->kind == DENSITY_CCDF)
		axis->label = "share that takes longer";
}

static void add_marks(struct density_view *view, struct view_plot *plot)
{
	const struct summary *summary = view->curves[0].summary;
	double deadline = (double)view->context->deadline_ns;

	if (summary && summary->n)
		view_add_mark(view->panel, plot, false, summary->p999_ns, ROLE_DIM, "P99.9");
	if (deadline > 0)
		view_add_mark(view->panel, plot, false, deadline, ROLE_WARNING, "deadline");
}

static void add_plot(struct density_view *view)
{
	struct view_plot *plot = view_add_plot(view->panel);
	const struct density *density = view->density;

	plot->min_rows = PLOT_ROWS_LEAST;
	plot->empty = view->panel->pending ? "computing" : "no execution with these settings";
	if (!density)
		return;
	/* a kernel so narrow that it falls between the points: there is something, but no curve */
	if (density->series[0].n && !(density->y_max > 0))
		plot->empty = "peaks too narrow to draw: c for the histogram";
	plot->x = (struct view_axis){.kind = CELL_DURATION,
				     .log = density->scale == AXIS_LOG,
				     .low = density->lower_ns,
				     .high = density->upper_ns};
	set_y_axis(view, &plot->y);
	/* the chosen path last: it lies over the others */
	for (uint32_t i = 0; i < view->n_curves; i++)
		if (i != 1)
			add_series(view, i);
	if (view->n_curves > 1)
		add_series(view, 1);
	add_marks(view, plot);
}

static struct view_cell dropped(struct view_cell cell, uint8_t drop)
{
	cell.drop = drop;
	return cell;
}

/* Where a mark lies beyond the axis its figure still says so. */
static void put_tail(struct density_view *view, struct view_line *line)
{
	const struct summary *summary = view->curves[0].summary;
	struct view_panel *panel = view->panel;

	if (summary && summary->n) {
		view_put(panel, line, dropped(cell_text(ROLE_DIM, "P99.9 "), 2));
		view_put(panel, line,
			 dropped(cell_number(CELL_DURATION, ROLE_TEXT, summary->p999_ns), 2));
		view_put(panel, line, dropped(cell_text(ROLE_DIM, "   max "), 3));
		view_put(
			panel, line,
			dropped(cell_number(CELL_DURATION, ROLE_TEXT, (double)summary->max_ns), 3));
	}
	if (view->context->deadline_ns) {
		view_put(panel, line, dropped(cell_text(ROLE_WARNING, "   deadline "), 1));
		view_put(panel, line,
			 dropped(cell_number(CELL_DURATION, ROLE_TEXT,
					     (double)view->context->deadline_ns),
				 1));
	}
	view_put_right(panel, line,
		       dropped(cell_text(ROLE_DIM,
					 view_text(panel, "%s, %s  %s",
						   stratum_word(view->context->settings->stratum),
						   view->scale == AXIS_LOG ? "log" : "linear",
						   density_word(view->kind))),
			       4));
}

static const char *none_words(const struct settings *settings)
{
	switch (settings->stratum) {
	case STRATUM_UNDISTURBED:
		return "none undisturbed";
	case STRATUM_DISTURBED:
		return "none disturbed";
	case STRATUM_ALL:
		break;
	}
	return "none";
}

static void put_curve(struct density_view *view, struct view_line *line, uint32_t i)
{
	struct view_panel *panel = view->panel;
	const struct curve *curve = &view->curves[i];
	const struct summary *summary = curve->summary;
	/* the paths are what was chosen: the call goes first where room is short */
	uint8_t drop = curve->path == PATH_ALL && view->n_curves > 1 ? 2 : 0;
	struct view_cell swatch = cell_text(curve->role, NULL);

	swatch.kind = CELL_SWATCH;
	swatch.text = view_text(panel, "%s%s ", curve->letter, curve->name);
	view_put(panel, line, dropped(swatch, drop));
	if (summary && !summary->n)
		view_put(panel, line,
			 dropped(cell_text(ROLE_DIM, none_words(view->context->settings)), drop));
	else
		view_put(panel, line,
			 dropped(cell_number(CELL_DURATION, summary ? ROLE_TEXT : ROLE_PENDING,
					     summary ? summary->median_ns : NAN),
				 drop));
	if (i + 1 < view->n_curves)
		view_put(panel, line, dropped(cell_text(ROLE_TEXT, "   "), drop));
}

/* Each series with its median, and what the plot is. */
static void add_legend(struct density_view *view)
{
	struct view_block *block = view_add_block(view->panel, BLOCK_LINES);
	struct view_line *line = view_add_line(view->panel, block);

	view_put(view->panel, line, dropped(cell_text(ROLE_DIM, "median  "), 3));
	for (uint32_t i = 0; i < view->n_curves; i++)
		put_curve(view, line, i);
	if (view->context->width_cols >= 100) {
		view_puts(view->panel, line, ROLE_TEXT, "   ");
	} else {
		if (view->context->height_rows < 9)
			return;
		block = view_add_block(view->panel, BLOCK_LINES);
		block->priority = 1;
		line = view_add_line(view->panel, block);
	}
	put_tail(view, line);
}

enum figure_column {
	FIGURE_NAME,
	FIGURE_COUNT,
	FIGURE_MIN,
	FIGURE_MEDIAN,
	FIGURE_MEAN,
	FIGURE_P90,
	FIGURE_P99,
	FIGURE_P999,
	FIGURE_MAX,
	FIGURE_RATIO,
	FIGURE_MAD,
	FIGURE_BEYOND,
	FIGURE_BANDWIDTH,
	FIGURE_COLUMNS
};

/* clang-format off */
static const struct view_column figure_columns[FIGURE_COLUMNS] = {
	{"series", "", 0, 8, 0, ALIGN_LEFT, false, false, "the whole call, or a path of it"},
	{"executions", "exec", 1, 6, 0, ALIGN_RIGHT, false, false, "executions drawn"},
	{"min", "min", 3, 7, 0, ALIGN_RIGHT, false, false, "the shortest"},
	{"median", "median", 0, 7, 0, ALIGN_RIGHT, false, false, "half of them take longer"},
	{"mean", "mean", 4, 7, 0, ALIGN_RIGHT, false, false, "mean time"},
	{"p90", "P90", 5, 7, 0, ALIGN_RIGHT, false, false, "one in ten takes longer"},
	{"p99", "P99", 3, 7, 0, ALIGN_RIGHT, false, false, "one in a hundred takes longer"},
	{"p999", "P99.9", 1, 7, 0, ALIGN_RIGHT, false, false, "one in a thousand takes longer"},
	{"max", "max", 0, 7, 0, ALIGN_RIGHT, false, false, "the longest"},
	{"ratio", "max/med", 5, 7, 0, ALIGN_RIGHT, false, false, "the longest, in medians"},
	{"mad", "MAD", 6, 7, 0, ALIGN_RIGHT, false, false, "median distance from the median"},
	{"beyond", "beyond", 2, 6, 0, ALIGN_RIGHT, false, false, "share outside the axis"},
	{"bandwidth", "bandwidth", 7, 7, 0, ALIGN_RIGHT, false, false, "of the kernel"},
};
/* clang-format on */

static void put_figures(const struct density_view *view, uint32_t i, struct view_cell *cells)
{
	const struct summary *summary = view->curves[i].summary;
	const struct density_series *series = view->density ? &view->density->series[i] : NULL;
	const struct {
		enum figure_column column;
		double ns;
	} times[] = {{FIGURE_MIN, (double)summary->min_ns}, {FIGURE_MEDIAN, summary->median_ns},
		     {FIGURE_MEAN, summary->mean_ns},	    {FIGURE_P90, summary->p90_ns},
		     {FIGURE_P99, summary->p99_ns},	    {FIGURE_P999, summary->p999_ns},
		     {FIGURE_MAX, (double)summary->max_ns}, {FIGURE_MAD, summary->mad_ns}};

	cells[FIGURE_COUNT] = cell_count(ROLE_TEXT, summary->n);
	if (!summary->n)
		return;
	for (size_t k = 0; k < COUNT_OF(times); k++)
		cells[times[k].column] = cell_number(CELL_DURATION, ROLE_TEXT, times[k].ns);
	cells[FIGURE_RATIO] = cell_number(CELL_NUMBER, ROLE_TEXT, summary->jitter_ratio);
	if (!series)
		return;
	cells[FIGURE_BEYOND] = cell_number(CELL_SHARE, ROLE_TEXT, series->beyond);
	/* on a log axis it is a ratio, not a time */
	if (!isnan(series->bandwidth))
		cells[FIGURE_BANDWIDTH] =
			cell_number(view->scale == AXIS_LOG ? CELL_NUMBER : CELL_DURATION,
				    ROLE_TEXT, series->bandwidth);
}

static void add_figures(struct density_view *view)
{
	struct view_table *table = view_add_table(view->panel, figure_columns, FIGURE_COLUMNS);
	struct view_block *block = view->panel->blocks[view->panel->n_blocks - 1];

	block->priority = 2;
	block->blank = true;
	for (uint32_t i = 0; i < view->n_curves; i++) {
		const struct curve *curve = &view->curves[i];
		struct view_cell *cells = view_add_row(view->panel, table, i + 1);

		cells[FIGURE_NAME] = cell_text(
			curve->role, view_text(view->panel, "%s%s", curve->letter, curve->name));
		if (curve->summary)
			put_figures(view, i, cells);
	}
}

void view_density(struct view_panel *panel, const struct view_context *context)
{
	struct density_view view = {.panel = panel, .context = context};
	bool toggled = context->log_x[PANEL_DENSITY];

	view.kind = (enum density_kind)context->kind[PANEL_DENSITY];
	/* the tail is a straight line for many laws on log axes: it starts there */
	view.scale = toggled != (view.kind == DENSITY_CCDF) ? AXIS_LOG : AXIS_LINEAR;
	view.log_y = context->log_y[PANEL_DENSITY] != (view.kind == DENSITY_CCDF);
	if (!subject_find(panel, context, &view.subject))
		return;
	choose_curves(&view);
	ask(&view);
	add_title(&view);
	add_condensed(&view);
	add_plot(&view);
	add_legend(&view);
	if (context->zoomed && context->height_rows >= 14)
		add_figures(&view);
}
