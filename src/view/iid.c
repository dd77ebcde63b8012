/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panel 6: are the executions independent and identically distributed? */
#include "fit-internal.h"

#include <string.h>

/* Kinds of the panel, as in panels[]. */
enum iid_kind { KIND_EXECUTIONS, KIND_RANKS, KIND_MAXIMA, KIND_SEQUENCE };

#define PLOT_ROWS_LEAST 5
#define ROWS_WANTED 20 /* however many there are: the plot takes the rest */

struct iid_view {
	struct view_panel *panel;
	const struct view_context *context;
	struct subject subject;
	enum iid_kind kind;
	const struct test_results *tests; /* NULL: not there yet */
	bool stale;
	int rows; /* of the body that are still free */
};

const struct test_row *iid_row(const struct test_results *tests, enum test_kind kind,
			       enum test_on on, uint32_t lag)
{
	for (size_t i = 0; i < tests->n_rows; i++) {
		const struct test_row *row = &tests->rows[i];

		if (row->kind == kind && row->on == on && row->lag == lag)
			return row;
	}
	return NULL;
}

const char *iid_words(const struct test_results *tests, enum role *role)
{
	const struct assumption *one = &tests->independent, *same = &tests->identically_distributed;

	*role = ROLE_WARNING;
	if (!one->known && !same->known)
		return "too few values";
	if (one->rejected && same->rejected)
		return "dependent, not identical";
	if (one->rejected)
		return "dependent";
	if (same->rejected)
		return "not identical";
	*role = ROLE_GOOD;
	return "ok";
}

static enum role stale_role(const struct iid_view *view, enum role role)
{
	return view->stale ? ROLE_PENDING : role;
}

/* What the plot is of; values NULL for the run sequence. */
struct shown {
	const char *words;
	const struct autocorrelation *of;
};

static struct shown what_is_shown(const struct iid_view *view)
{
	const struct test_results *tests = view->tests;

	switch (view->kind) {
	case KIND_RANKS:
		return (struct shown){"execution ranks", tests ? &tests->execution_ranks : NULL};
	case KIND_MAXIMA:
		return (struct shown){"block maxima", tests ? &tests->maxima : NULL};
	case KIND_SEQUENCE:
		return (struct shown){"order of arrival", NULL};
	case KIND_EXECUTIONS:
		break;
	}
	return (struct shown){"executions", tests ? &tests->executions : NULL};
}

static void add_title(struct iid_view *view)
{
	struct view_panel *panel = view->panel;
	const struct settings *settings = view->context->settings;
	const char *acf = view->kind == KIND_SEQUENCE ? "" : "autocorrelation of ";
	struct view_cell detail =
		cell_text(ROLE_TEXT, view_text(panel, "  %s%s", acf, what_is_shown(view).words));
	char n[NUMBER_SIZE] = "";

	view_printf(panel, &panel->title, ROLE_TITLE, "of %s", view->subject.name);
	detail.drop = 1;
	view_put(panel, &panel->title, detail);
	if (view->tests)
		format_count(n, view->tests->executions.n);
	detail = cell_text(ROLE_DIM,
			   view_text(panel, "  %s %s  B %u", stratum_word(settings->stratum), n,
				     settings->block_size));
	detail.drop = 2;
	view_put(panel, &panel->title, detail);
}

static void add_condensed(struct iid_view *view)
{
	enum role role;
	const char *words;

	if (!view->tests) {
		view_puts(view->panel, &view->panel->condensed, ROLE_PENDING, "i.i.d.");
		return;
	}
	words = iid_words(view->tests, &role);
	view_puts(view->panel, &view->panel->condensed, stale_role(view, role), words);
}

/* The words without the first part in brackets: which test said so gives way to what follows. */
static const char *without_brackets(struct view_panel *panel, const char *words)
{
	const char *open = strstr(words, " ("), *close = open ? strchr(open, ')') : NULL;

	if (!close)
		return words;
	return view_text(panel, "%.*s%s", (int)(open - words), words, close + 1);
}

/* The verdict, which tests said so, and what it does to the estimate. */
static void add_verdict(struct iid_view *view, const char *what,
			const struct assumption *assumption)
{
	struct view_panel *panel = view->panel;
	int height = view->context->height_rows, width = view->context->width_cols - 2;
	int most = height < 10 ? 1 : height < 14 ? 2 : height < 22 ? (width < 60 ? 4 : 2) : 4;
	enum role role = assumption->known && !assumption->rejected ? ROLE_GOOD : ROLE_WARNING;
	const char *lead = view_text(panel, "%s%s%s ", assumption->rejected ? "not " : "", what,
				     assumption->known ? ":" : "?");
	const char *words = assumption->reason;

	if (!*words)
		words = assumption->known ? "no test rejects" : "too few values to say";
	if (fit_wrap_lines(panel, lead, words, width) > most)
		words = without_brackets(panel, words);
	view->rows -= fit_wrap(panel, view_add_block(panel, BLOCK_LINES), stale_role(view, role),
			       lead, stale_role(view, ROLE_TEXT), words, width, most);
}

/* ---- autocorrelation ---- */

/* What the bars below are of, and how much their dependence costs. */
static void add_heading(struct iid_view *view, const struct autocorrelation *of, const char *what)
{
	struct view_panel *panel = view->panel;
	struct view_block *block = view_add_block(panel, BLOCK_LINES);
	struct view_line *line = view_add_line(panel, block);
	enum role role = stale_role(view, ROLE_TEXT);
	struct view_cell cells[] = {cell_text(ROLE_DIM, "   max |r| "),
				    cell_number(CELL_NUMBER, role, of->max_abs),
				    cell_text(ROLE_DIM, ", bound "),
				    cell_number(CELL_NUMBER, role, of->band),
				    cell_text(ROLE_DIM, "   effective n "),
				    cell_count(role, (uint64_t)(of->effective_size + 0.5)),
				    cell_text(ROLE_DIM, " of "),
				    cell_count(role, of->n)};

	block->priority = 3;
	block->blank = true;
	view_printf(panel, line, ROLE_HEADING, "autocorrelation of %s", what);
	for (size_t i = 0; of->n > 1 && i < COUNT_OF(cells); i++) {
		cells[i].drop = i < 4 ? 1 : 2;
		view_put(panel, line, cells[i]);
	}
}

static void add_bars(struct iid_view *view, const struct autocorrelation *of, const char *what)
{
	struct view_panel *panel = view->panel;
	struct view_plot *plot;
	struct view_series *series;
	double *x, *y;
	uint32_t n = of->n > N_LAGS ? N_LAGS : of->n > 1 ? (uint32_t)of->n - 1 : 0;

	if (view->rows >= 18)
		add_heading(view, of, what);
	plot = view_add_plot(panel);
	plot->min_rows = PLOT_ROWS_LEAST;
	plot->empty = "too few values";
	plot->x = (struct view_axis){
		.kind = CELL_COUNT, .low = 0.5, .high = N_LAGS + 0.5, .label = "lag"};
	plot->y.kind = CELL_NUMBER;
	if (!n || !isfinite(of->band))
		return;
	plot->y.low = -1.3 * of->band;
	plot->y.high = 1.3 * of->band;
	x = view_alloc(panel, n, sizeof *x);
	y = view_alloc(panel, n, sizeof *y);
	for (uint32_t i = 0; i < n; i++) {
		x[i] = i + 1;
		y[i] = of->lags[i];
		plot->y.low = fmin(plot->y.low, 1.1 * y[i]);
		plot->y.high = fmax(plot->y.high, 1.1 * y[i]);
	}
	series = view_add_series(panel, plot, SERIES_BARS, ROLE_A, NULL);
	series->n = n;
	series->x = x;
	series->y = y;
	view_add_mark(panel, plot, true, of->band, ROLE_BAND, NULL);
	view_add_mark(panel, plot, true, -of->band, ROLE_BAND, NULL);
}

static void add_autocorrelations(struct iid_view *view)
{
	struct shown shown = what_is_shown(view);

	add_bars(view, shown.of, shown.words);
	/* the fit needs independent maxima: both where there is room */
	if (view->kind != KIND_MAXIMA && view->rows >= 26)
		add_bars(view, &view->tests->maxima, "block maxima");
}

/* ---- tests ---- */

enum lag_column {
	LAG_ON,
	LAG_1,
	LAG_5,
	LAG_10,
	LAG_20,
	LAG_VERDICT,
	LAG_N,
	LAG_SIZE,
	LAG_MAX,
	LAG_STATISTIC,
	LAG_COLUMNS
};

/* clang-format off */
static const struct view_column lag_columns[LAG_COLUMNS] = {
	{"on", "Ljung-Box, p", 0, 12, 0, ALIGN_LEFT, false, false, "what the Ljung-Box test was made on"},
	{"lag1", "lag 1", 2, 5, 0, ALIGN_RIGHT, false, false, "p of lag 1 alone"},
	{"lag5", "5", 1, 5, 0, ALIGN_RIGHT, false, false, "p of lags 1 to 5 together"},
	{"lag10", "10", 0, 5, 0, ALIGN_RIGHT, false, false, "p of lags 1 to 10 together"},
	{"lag20", "20", 1, 5, 0, ALIGN_RIGHT, false, false, "p of lags 1 to 20 together"},
	{"verdict", "", 1, 8, 0, ALIGN_LEFT, false, false, "rejected: at one lag or more, by Holm over all tests"},
	{"n", "n", 4, 6, 0, ALIGN_RIGHT, false, false, "values"},
	{"size", "effective n", 5, 6, 0, ALIGN_RIGHT, false, false, "effective sample size: as many independent values would say as much"},
	{"max", "max |r|", 5, 6, 0, ALIGN_RIGHT, false, false, "largest autocorrelation of 40 lags"},
	{"q10", "Q(10)", 6, 6, 0, ALIGN_RIGHT, false, false, "Ljung-Box statistic of lags 1 to 10"},
};
/* clang-format on */

static const struct autocorrelation *acf_on(const struct test_results *tests, enum test_on on)
{
	switch (on) {
	case ON_EXECUTION_RANKS:
		return &tests->execution_ranks;
	case ON_MAXIMA:
		return &tests->maxima;
	case ON_MAXIMA_RANKS:
		return &tests->maxima_ranks;
	default:
		return &tests->executions;
	}
}

static void put_lags(const struct iid_view *view, enum test_on on, struct view_cell *cells,
		     struct view_row *row)
{
	static const uint32_t lags[] = {1, 5, 10, 20};
	const struct autocorrelation *of = acf_on(view->tests, on);
	bool known = false, rejected = false;

	for (size_t i = 0; i < COUNT_OF(lags); i++) {
		const struct test_row *test = iid_row(view->tests, TEST_LJUNG_BOX, on, lags[i]);

		if (!test || isnan(test->p))
			continue;
		known = true;
		rejected |= test->rejected;
		cells[LAG_1 + i] = cell_number(CELL_P_VALUE,
					       test->rejected ? ROLE_WARNING : ROLE_TEXT, test->p);
		if (lags[i] == 10)
			cells[LAG_STATISTIC] = cell_number(CELL_NUMBER, ROLE_TEXT, test->statistic);
	}
	cells[LAG_VERDICT] = !known	? cell_text(ROLE_DIM, "too few")
			     : rejected ? cell_text(ROLE_WARNING, "rejected")
					: cell_text(ROLE_GOOD, "ok");
	cells[LAG_N] = cell_count(ROLE_TEXT, of->n);
	if (known) {
		cells[LAG_SIZE] = cell_count(ROLE_TEXT, (uint64_t)(of->effective_size + 0.5));
		cells[LAG_MAX] = cell_number(CELL_NUMBER, ROLE_TEXT, of->max_abs);
	}
	if (rejected)
		row->flags |= ROW_WARNING;
	if (view->stale)
		row->flags |= ROW_PENDING;
}

static void add_lags(struct iid_view *view)
{
	static const enum test_on all[] = {ON_EXECUTIONS, ON_EXECUTION_RANKS, ON_MAXIMA,
					   ON_MAXIMA_RANKS};
	struct view_table *table = view_add_table(view->panel, lag_columns, LAG_COLUMNS);
	struct view_block *block = view->panel->blocks[view->panel->n_blocks - 1];
	/* where room is short: the ones that are drawn, and those that the fit needs */
	bool few = view->context->height_rows < 22;

	block->priority = 1;
	block->blank = true;
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		struct view_cell *cells;

		if (few && (i % 2 == 1) != (view->kind == KIND_RANKS))
			continue;
		cells = view_add_row(view->panel, table, i + 1);
		cells[LAG_ON] = cell_text(ROLE_TEXT, test_on_word(all[i]));
		put_lags(view, all[i], cells, &table->rows[table->n_rows - 1]);
	}
	view->rows -= 1 + (int)table->n_rows;
}

enum other_column {
	OTHER_TEST,
	OTHER_P,
	OTHER_VERDICT,
	OTHER_STATISTIC,
	OTHER_N,
	OTHER_SAYS,
	OTHER_COLUMNS
};

/* clang-format off */
static const struct view_column other_columns[OTHER_COLUMNS] = {
	{"test", "test", 0, 20, 0, ALIGN_LEFT, false, false, "test, and what it was made on"},
	{"p", "p", 0, 5, 0, ALIGN_RIGHT, false, false, "chance of a statistic like this where the assumption holds"},
	{"verdict", "", 1, 8, 0, ALIGN_LEFT, false, false, "by Holm over all tests"},
	{"statistic", "statistic", 3, 9, 0, ALIGN_RIGHT, false, false, "the test's statistic"},
	{"n", "n", 4, 6, 0, ALIGN_RIGHT, false, false, "values"},
	{"says", "a rejection says", 5, 30, 1, ALIGN_LEFT, false, false, "what a rejection means"},
};
/* clang-format on */

/* What a rejection means, in words. */
static const char *says(const struct test_row *row)
{
	switch (row->kind) {
	case TEST_KS_HALVES:
		return "early and late executions differ";
	case TEST_RUNS:
		return "long and short ones come in groups, or take turns";
	case TEST_MANN_KENDALL:
		if (!row->rejected)
			return "they grow longer, or shorter";
		return row->statistic > 0 ? "they grow longer" : "they grow shorter";
	case TEST_LJUNG_BOX:
		break;
	}
	return "neighbours are alike";
}

static const char *other_name(struct iid_view *view, const struct test_row *row)
{
	switch (row->kind) {
	case TEST_KS_HALVES:
		return view_text(view->panel, "KS of %s",
				 view->tests->halves ? view->tests->halves : "halves");
	case TEST_RUNS:
		return view_text(view->panel, "runs, %s", test_on_word(row->on));
	case TEST_MANN_KENDALL:
		return view_text(view->panel, "drift, %s", test_on_word(row->on));
	case TEST_LJUNG_BOX:
		break;
	}
	return test_name(row->kind);
}

static void add_others(struct iid_view *view)
{
	struct view_table *table = view_add_table(view->panel, other_columns, OTHER_COLUMNS);
	struct view_block *block = view->panel->blocks[view->panel->n_blocks - 1];

	block->priority = 2;
	for (size_t i = 0; i < view->tests->n_rows; i++) {
		const struct test_row *row = &view->tests->rows[i];
		struct view_cell *cells;

		if (row->kind == TEST_LJUNG_BOX)
			continue;
		cells = view_add_row(view->panel, table, i + 1);
		if (row->rejected)
			table->rows[table->n_rows - 1].flags |= ROW_WARNING;
		if (view->stale)
			table->rows[table->n_rows - 1].flags |= ROW_PENDING;
		cells[OTHER_TEST] = cell_text(ROLE_TEXT, other_name(view, row));
		cells[OTHER_P] =
			cell_number(CELL_P_VALUE, row->rejected ? ROLE_WARNING : ROLE_TEXT, row->p);
		cells[OTHER_VERDICT] = isnan(row->p)   ? cell_text(ROLE_DIM, "too few")
				       : row->rejected ? cell_text(ROLE_WARNING, "rejected")
						       : cell_text(ROLE_GOOD, "ok");
		cells[OTHER_STATISTIC] = cell_number(CELL_NUMBER, ROLE_TEXT, row->statistic);
		cells[OTHER_N] = cell_count(ROLE_TEXT, row->n);
		cells[OTHER_SAYS] = cell_text(ROLE_DIM, says(row));
	}
	view->rows -= 1 + (int)table->n_rows;
}

/* How many tests Holm was taken over: with many executions everything rejects. */
static void add_holm(struct iid_view *view)
{
	struct view_block *block = view_add_block(view->panel, BLOCK_LINES);

	block->priority = 4;
	view_printf(view->panel, view_add_line(view->panel, block), ROLE_DIM,
		    "%zu tests, Holm at %g: with many executions even a small effect is rejected",
		    view->tests->n_rows, TEST_LEVEL);
	view->rows--;
}

void view_iid(struct view_panel *panel, const struct view_context *context)
{
	struct iid_view view = {.panel = panel,
				.context = context,
				.kind = (enum iid_kind)context->kind[PANEL_IID],
				.rows = context->height_rows - 1};

	if (!subject_find(panel, context, &view.subject))
		return;
	view.tests = context->results.tests(context->results.owner, context->call,
					    view.subject.path, &view.stale);
	panel->pending |= view.stale;
	add_title(&view);
	add_condensed(&view);
	panel->wanted_rows = ROWS_WANTED;
	if (!view.tests) {
		view_puts(panel, view_add_line(panel, view_add_block(panel, BLOCK_LINES)),
			  ROLE_PENDING, view.stale ? "testing" : "no executions to test");
		if (view.kind == KIND_SEQUENCE)
			iid_sequence(panel, context, &view.subject);
		return;
	}
	add_verdict(&view, "independent", &view.tests->independent);
	add_verdict(&view, "identically distributed", &view.tests->identically_distributed);
	if (view.kind == KIND_SEQUENCE)
		iid_sequence(panel, context, &view.subject);
	else
		add_autocorrelations(&view);
	add_lags(&view);
	add_others(&view);
	if (context->zoomed)
		add_holm(&view);
}
