/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of a fit: return levels, quantiles against quantiles, block sizes. */
#include "fit-internal.h"

#include <string.h>

#define CURVE_POINTS 120
#define PLOT_ROWS_LEAST 5
#define POINTS_MAX 3000

/* A line that says what the plot below it shows. */
static struct view_line *add_heading(struct fit_view *view)
{
	struct view_block *block = view_add_block(view->panel, BLOCK_LINES);

	block->priority = 3;
	block->blank = true;
	return view_add_line(view->panel, block);
}

static void put_swatch(struct fit_view *view, struct view_line *line, enum role role,
		       enum series_kind series, const char *words)
{
	struct view_cell cell = cell_text(role, words);

	cell.kind = CELL_SWATCH;
	cell.series = (uint8_t)series;
	view_put(view->panel, line, cell);
}

static struct view_plot *add_plot(struct fit_view *view, const char *empty)
{
	struct view_plot *plot = view_add_plot(view->panel);

	plot->min_rows = PLOT_ROWS_LEAST;
	plot->empty = empty;
	return plot;
}

static void set_points(struct view_series *series, uint32_t n, const double *x, const double *y)
{
	series->n = n;
	series->x = x;
	series->y = y;
}

/* ---- return levels ---- */

/* One in so many executions (or blocks) is what the horizontal axis shows. */
struct range {
	double first, last;		/* of the counts drawn */
	double low_ns, high_ns;		/* an interval that grows far beyond is cut */
	const struct level *end;	/* the first level that is not drawn, or NULL */
	const struct level *distrusted; /* the first one that is drawn by force alone, or NULL */
};

static void widen(struct range *range, double ns)
{
	if (!isfinite(ns))
		return;
	range->low_ns = fmin(range->low_ns, ns);
	range->high_ns = fmax(range->high_ns, ns);
}

static void find_range(const struct fit_view *view, struct range *range)
{
	const struct fit *fit = view->fit;

	*range = (struct range){.first = 1, .last = 10, .low_ns = INFINITY, .high_ns = -INFINITY};
	for (size_t i = 0; i < fit->n_levels; i++) {
		const struct level *level = &fit->levels[i];

		if (!fit_level_shown(view, level)) {
			if (level->source == LEVEL_MODEL && !range->end)
				range->end = level;
			continue;
		}
		if (range->end)
			break;
		if (!level->trusted && !range->distrusted)
			range->distrusted = level;
		range->last = fmax(range->last, level->count);
		widen(range, level->estimate_ns);
	}
	/* a little beyond what can be said, so that the end is seen */
	if (range->end)
		range->last *= 10;
}

static double executions_per_count(const struct fit *fit)
{
	return fit->unit == UNIT_BLOCKS ? fit->executions_per_block : 1;
}

/* The model between the decades, from one in a block on to the last level shown. */
static void add_curve(struct fit_view *view, struct view_plot *plot, const struct range *range)
{
	const struct fit *fit = view->fit;
	const struct distribution *law = stats_distribution(fit->estimate.model);
	double per_count = executions_per_count(fit);
	double from = fmax(fit->executions_per_block / per_count, range->first) * 1.0001;
	double to = range->end ? range->last / 10 : range->last;
	double *x, *y;
	struct view_series *series;

	if (!(to > from))
		return;
	x = view_alloc(view->panel, CURVE_POINTS, sizeof *x);
	y = view_alloc(view->panel, CURVE_POINTS, sizeof *y);
	for (int i = 0; i < CURVE_POINTS; i++) {
		double count = from * pow(to / from, (double)i / (CURVE_POINTS - 1));

		x[i] = count;
		y[i] = law->quantile(
			fit->estimate.theta,
			fit->unit == UNIT_BLOCKS
				? stats_y_of_period(count)
				: stats_y_of_probability(1 / count, fit->executions_per_block));
	}
	series = view_add_series(view->panel, plot, SERIES_LINE, fit_role(view, ROLE_A), NULL);
	set_points(series, CURVE_POINTS, x, y);
}

static void add_band(struct fit_view *view, struct view_plot *plot, const struct range *range)
{
	const struct fit *fit = view->fit;
	double *x = view_alloc(view->panel, fit->n_levels, sizeof *x);
	double *low = view_alloc(view->panel, fit->n_levels, sizeof *low);
	double *high = view_alloc(view->panel, fit->n_levels, sizeof *high);
	struct view_series *series;
	uint32_t n = 0;

	for (size_t i = 0; i < fit->n_levels; i++) {
		const struct level *level = &fit->levels[i];

		if (level->source != LEVEL_MODEL || !fit_level_shown(view, level) ||
		    level->count > range->last || isnan(level->lower_ns) || isnan(level->upper_ns))
			continue;
		x[n] = level->count;
		low[n] = level->lower_ns;
		high[n++] = level->upper_ns;
	}
	if (!n)
		return;
	series = view_add_series(view->panel, plot, SERIES_BAND, ROLE_BAND, NULL);
	set_points(series, n, x, low);
	series->y2 = high;
}

/* Beyond POINTS_MAX every so-manieth will do, but the longest are all drawn. */
static bool is_drawn(size_t rank, size_t n)
{
	return n <= POINTS_MAX || rank <= 200 || rank % (n / POINTS_MAX + 1) == 0;
}

/*
 * What was observed: the k-th longest of n executions is exceeded with
 * probability k/(n+1) (Weibull's plotting position), and so for blocks.
 */
static void add_observed(struct fit_view *view, struct view_plot *plot, struct range *range)
{
	const struct fit *fit = view->fit;
	bool blocks = fit->unit == UNIT_BLOCKS;
	size_t n = blocks ? fit->n_maxima : fit->n_tail;
	double all = blocks ? (double)fit->n_maxima : (double)fit->n_executions;
	double *x = view_alloc(view->panel, n + 1, sizeof *x);
	double *y = view_alloc(view->panel, n + 1, sizeof *y);
	uint32_t drawn = 0;

	for (size_t rank = n; rank >= 1; rank--) {
		double ns =
			blocks ? fit->sorted_maxima_ns[n - rank] : (double)fit->tail_ns[n - rank];

		if (!is_drawn(rank, n))
			continue;
		x[drawn] = (all + 1) / (double)rank;
		y[drawn++] = ns;
		widen(range, ns);
	}
	if (!drawn)
		return;
	range->last = fmax(range->last, x[drawn - 1] * 2);
	set_points(view_add_series(view->panel, plot, SERIES_POINTS, ROLE_ALL, NULL), drawn, x, y);
}

static void add_level_marks(struct fit_view *view, struct view_plot *plot,
			    const struct range *range)
{
	const struct fit *fit = view->fit;
	const struct level *pwcet = fit_pwcet(fit);
	char number[NUMBER_SIZE];

	if (fit->deadline.time_ns)
		view_add_mark(view->panel, plot, true, (double)fit->deadline.time_ns, ROLE_WARNING,
			      "deadline");
	if (range->end && !fit->refused)
		view_add_mark(view->panel, plot, false, range->last / 10, ROLE_WARNING,
			      view_text(view->panel, "not trusted: %s",
					distrust_words(range->end->distrust)));
	if (range->distrusted && !fit->refused)
		view_add_mark(view->panel, plot, false, range->distrusted->count, ROLE_WARNING,
			      "not trusted from here");
	if (pwcet && pwcet->count <= range->last)
		view_add_mark(view->panel, plot, false, pwcet->count, ROLE_DIM,
			      view_text(view->panel, "pWCET %s",
					format_probability(number, pwcet->probability)));
}

static void add_level_heading(struct fit_view *view)
{
	const struct fit *fit = view->fit;
	struct view_panel *panel = view->panel;
	struct view_line *line = add_heading(view);
	struct view_cell what =
		cell_text(ROLE_HEADING,
			  view_text(panel, "exceeded once in so many %s   ", unit_word(fit->unit)));

	what.drop = 1;
	view_put(panel, line, what);
	put_swatch(view, line, ROLE_A, SERIES_LINE,
		   view_text(panel, "%s   ", model_title(fit->model)));
	put_swatch(view, line, ROLE_BAND, SERIES_BAND,
		   view_text(panel, "%g%% %s   ", 100 * fit->confidence,
			     interval_word(fit->interval)));
	put_swatch(view, line, ROLE_ALL, SERIES_POINTS, "observed");
}

static void set_level_axes(struct fit_view *view, struct view_plot *plot, const struct range *range)
{
	/* twice the estimates, so that an interval without end leaves the rest readable */
	double margin = range->high_ns - range->low_ns;

	plot->x = (struct view_axis){.kind = CELL_COUNT, .log = true, .high = range->last};
	plot->x.low = view->fit->unit == UNIT_BLOCKS ? 1 : 10;
	plot->y = (struct view_axis){.kind = CELL_DURATION,
				     .log = view->context->log_y[PANEL_FIT],
				     .low = range->low_ns,
				     .high = range->high_ns + 0.6 * margin};
	if (plot->y.high <= plot->y.low)
		plot->y.high = 1.05 * plot->y.low + 1;
	if (plot->y.log && !(plot->y.low > 0))
		plot->y.low = fmin(1, plot->y.high / 10);
}

void fit_add_level_plot(struct fit_view *view)
{
	const struct fit *fit = view->fit;
	struct view_plot *plot;
	struct range range;

	add_level_heading(view);
	plot = add_plot(view, fit->refused ? fit->refused : "no level that can be trusted");
	find_range(view, &range);
	/* what was observed is there even where nothing can be fitted */
	add_observed(view, plot, &range);
	if (!fit->refused) {
		add_band(view, plot, &range);
		add_curve(view, plot, &range);
	}
	add_level_marks(view, plot, &range);
	set_level_axes(view, plot, &range);
}

/* ---- quantiles against quantiles ---- */

void fit_add_qq(struct fit_view *view)
{
	const struct fit *fit = view->fit;
	struct view_plot *plot;
	size_t n = fit->n_maxima;
	double *model = view_alloc(view->panel, n + 1, sizeof *model);
	double *observed = view_alloc(view->panel, n + 1, sizeof *observed);
	double *line = view_alloc(view->panel, 2, sizeof *line);
	bool log = view->context->log_y[PANEL_FIT];

	view_printf(view->panel, add_heading(view), ROLE_HEADING,
		    "block maxima observed (up) against those of the %s (across)",
		    model_title(fit->model));
	plot = add_plot(view, fit->refused ? fit->refused : "nothing to draw");
	if (!n || !fit_qq(fit, model, observed))
		return;
	line[0] = fmin(model[0], observed[0]);
	line[1] = fmax(model[n - 1], observed[n - 1]);
	set_points(view_add_series(view->panel, plot, SERIES_LINE, ROLE_BAND, NULL), 2, line, line);
	set_points(view_add_series(view->panel, plot, SERIES_POINTS, fit_role(view, ROLE_A), NULL),
		   (uint32_t)n, model, observed);
	plot->x = (struct view_axis){
		.kind = CELL_DURATION, .log = log && line[0] > 0, .low = line[0], .high = line[1]};
	plot->y = plot->x;
}

/* ---- block sizes ---- */

enum size_column {
	SIZE_B,
	SIZE_MAXIMA,
	SIZE_LOCATION,
	SIZE_SCALE,
	SIZE_SHAPE,
	SIZE_ERROR,
	SIZE_TAIL,
	SIZE_PWCET,
	SIZE_COLUMNS
};

/* clang-format off */
static const struct view_column size_columns[SIZE_COLUMNS] = {
	{"block-size", "B", 0, 8, 0, ALIGN_LEFT, false, false, "executions (or runs) in a block"},
	{"maxima", "m", 1, 4, 0, ALIGN_RIGHT, false, false, "block maxima"},
	{"location", "location", 4, 7, 0, ALIGN_RIGHT, false, false, "parameter of location: grows with B"},
	{"scale", "scale", 3, 7, 0, ALIGN_RIGHT, false, false, "parameter of scale"},
	{"shape", "shape", 0, 6, 0, ALIGN_RIGHT, false, false, "parameter of shape: the same for every B that is large enough"},
	{"error", "\302\261", 2, 5, 0, ALIGN_RIGHT, false, false, "standard error of the shape"},
	{"tail", "1e-6", 2, 11, 0, ALIGN_RIGHT, false, false, "level at 1e-6 per execution"},
	{"pwcet", "pWCET", 0, 11, 0, ALIGN_RIGHT, false, false, "level at the probability chosen"},
};
/* clang-format on */

#define TAIL_PROBABILITY 1e-6
#define TOO_LONG 10 /* times the longest execution */

/*
 * The rule of the levels, with the error of the shape at this block size in the
 * place of its interval. Where there is none, the fit in force answers.
 */
static bool row_trusted(const struct fit_view *view, const struct stability *row, double level_ns,
			double probability)
{
	const struct fit *fit = view->fit;
	const struct level *pwcet = fit_pwcet(fit);
	bool within = probability >= 1 / (10 * (double)fit->n_executions);

	if (!isfinite(level_ns) || level_ns > TOO_LONG * (double)fit->longest_ns)
		return false;
	if (within)
		return true;
	if (fit->model == MODEL_GEV && !isnan(row->shape_error))
		return row->theta[SHAPE] <=
		       stats_normal_quantile(0.5 + fit->confidence / 2) * row->shape_error;
	return pwcet && pwcet->trusted;
}

static struct view_cell level_cell(const struct fit_view *view, const struct stability *row,
				   double level_ns, double probability)
{
	bool trusted = row_trusted(view, row, level_ns, probability);

	if (!trusted && !view->context->settings->force)
		return cell_text(ROLE_WARNING, "not trusted");
	return view_level_cell(view->panel, ROLE_TEXT, level_ns, trusted);
}

static double pwcet_probability(const struct fit *fit)
{
	const struct level *pwcet = fit_pwcet(fit);

	return pwcet ? pwcet->probability : fit->probability;
}

static void put_size(const struct fit_view *view, const struct stability *row,
		     struct view_cell *cells)
{
	cells[SIZE_B] = cell_count(ROLE_TEXT, row->block_size);
	cells[SIZE_MAXIMA] = cell_count(ROLE_TEXT, row->n_maxima);
	if (isnan(row->theta[LOCATION])) {
		cells[SIZE_PWCET] = cell_text(ROLE_WARNING, "no fit");
		return;
	}
	cells[SIZE_LOCATION] = cell_number(CELL_DURATION, ROLE_TEXT, row->theta[LOCATION]);
	cells[SIZE_SCALE] = cell_number(CELL_DURATION, ROLE_TEXT, row->theta[SCALE]);
	if (view->fit->model == MODEL_GEV) {
		cells[SIZE_SHAPE] = cell_number(CELL_NUMBER, ROLE_TEXT, row->theta[SHAPE]);
		if (!isnan(row->shape_error))
			cells[SIZE_ERROR] = cell_number(CELL_NUMBER, ROLE_TEXT, row->shape_error);
	}
	cells[SIZE_TAIL] = level_cell(view, row, row->tail_ns, TAIL_PROBABILITY);
	cells[SIZE_PWCET] = level_cell(view, row, row->pwcet_ns, pwcet_probability(view->fit));
}

static void add_size_rows(struct fit_view *view, struct view_table *table,
			  const struct stability *rows, size_t n, bool pending)
{
	for (size_t i = 0; i < n; i++) {
		const struct stability *row = &rows[i];
		struct view_cell *cells = view_add_row(view->panel, table, row->block_size);
		struct view_row *to = &table->rows[table->n_rows - 1];
		char number[NUMBER_SIZE];

		if (pending)
			to->flags |= ROW_PENDING;
		if (row->block_size == view->context->settings->block_size)
			to->role = ROLE_STRONG;
		/* all larger ones have fewer still */
		if (row->n_maxima < LEAST_MAXIMA) {
			cells[SIZE_B] = cell_text(ROLE_DIM,
						  view_text(view->panel, "%s ..",
							    format_count(number, row->block_size)));
			cells[SIZE_MAXIMA] = cell_count(ROLE_DIM, row->n_maxima);
			cells[SIZE_PWCET] = cell_text(
				ROLE_WARNING, view_text(view->panel, "m < %d", LEAST_MAXIMA));
			return;
		}
		put_size(view, row, cells);
	}
}

/* The shape with its interval over the block sizes: flat where they are large enough. */
static void add_shape_plot(struct fit_view *view, const struct stability *rows, size_t n)
{
	struct view_plot *plot;
	struct view_line *line;
	double *x = view_alloc(view->panel, n, sizeof *x);
	double *shape = view_alloc(view->panel, n, sizeof *shape);
	double *low = view_alloc(view->panel, n, sizeof *low);
	double *high = view_alloc(view->panel, n, sizeof *high);
	double times = stats_normal_quantile(0.5 + view->fit->confidence / 2);
	struct view_axis *y;
	struct view_series *band;
	uint32_t k = 0;

	line = add_heading(view);
	/* it goes before the plot goes, not after */
	view->panel->blocks[view->panel->n_blocks - 1]->priority = 6;
	view_printf(view->panel, line, ROLE_HEADING,
		    "shape over block size, with its %g%% interval", 100 * view->fit->confidence);
	plot = add_plot(view, "no shape to draw");
	view->panel->blocks[view->panel->n_blocks - 1]->priority = 5;
	y = &plot->y;
	*y = (struct view_axis){.kind = CELL_NUMBER, .low = -0.1, .high = 0.1};
	for (size_t i = 0; i < n; i++) {
		double error = times * rows[i].shape_error;

		if (isnan(rows[i].theta[SHAPE]))
			continue;
		x[k] = rows[i].block_size;
		shape[k] = rows[i].theta[SHAPE];
		low[k] = shape[k] - error;
		high[k] = shape[k] + error;
		y->low = fmin(y->low, isnan(error) ? shape[k] : low[k]);
		y->high = fmax(y->high, isnan(error) ? shape[k] : high[k]);
		k++;
	}
	if (k < 2)
		return;
	plot->x =
		(struct view_axis){.kind = CELL_NUMBER, .log = true, .low = x[0], .high = x[k - 1]};
	band = view_add_series(view->panel, plot, SERIES_BAND, ROLE_BAND, NULL);
	set_points(band, k, x, low);
	band->y2 = high;
	set_points(view_add_series(view->panel, plot, SERIES_LINE, ROLE_A, NULL), k, x, shape);
	view_add_mark(view->panel, plot, true, 0, ROLE_DIM, "0");
}

void fit_add_stability(struct fit_view *view)
{
	const struct view_context *context = view->context;
	struct view_table *table = view_add_table(view->panel, size_columns, SIZE_COLUMNS);
	const struct stability *rows;
	char number[NUMBER_SIZE];
	bool pending = false;
	size_t n = 0;

	rows = context->results.stability(context->results.owner, context->call, view->subject.path,
					  &n, &pending);
	view->panel->pending |= pending;
	table->empty = pending ? "fitting every block size" : "nothing to fit";
	table->headings[SIZE_PWCET] =
		view_text(view->panel, "pWCET %s",
			  format_probability(number, context->settings->probability));
	if (!rows || !n)
		return;
	add_size_rows(view, table, rows, n, pending);
	if (view->fit->model == MODEL_GEV && !view->fit->refused)
		add_shape_plot(view, rows, n);
}
