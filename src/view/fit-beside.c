/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands beside a fit: assumptions, goodness, deadline, other fits, warnings. */
#include "fit-internal.h"

#include <stdio.h>
#include <string.h>

#define LABEL_COLS 11 /* of the lines below the levels */

static struct view_line *add_line(struct fit_view *view, const char *label)
{
	struct view_line *line =
		view_add_line(view->panel, view_add_block(view->panel, BLOCK_LINES));

	view_printf(view->panel, line, ROLE_DIM, "%-*s", LABEL_COLS, label);
	view->rows--;
	return line;
}

static void put_dropped(struct fit_view *view, struct view_line *line, uint8_t drop,
			struct view_cell cell)
{
	cell.drop = drop;
	view_put(view->panel, line, cell);
}

/* ---- assumptions ---- */

static void put_p(struct fit_view *view, struct view_line *line, uint8_t drop, const char *words,
		  const struct test_row *row)
{
	enum role role = view->tests_stale ? ROLE_PENDING : ROLE_TEXT;

	if (!row || isnan(row->p))
		return;
	if (row->rejected && !view->tests_stale)
		role = ROLE_WARNING;
	put_dropped(view, line, drop, cell_text(ROLE_DIM, words));
	put_dropped(view, line, drop, cell_number(CELL_P_VALUE, role, row->p));
	if (row->rejected)
		put_dropped(view, line, drop, cell_text(role, "!"));
}

void fit_add_iid(struct fit_view *view)
{
	struct view_line *line = add_line(view, "i.i.d.");
	const struct test_results *tests = view->tests;
	enum role role;
	const char *words;

	if (!tests) {
		view_puts(view->panel, line, ROLE_PENDING, view->tests_stale ? "testing" : "-");
		return;
	}
	words = iid_words(tests, &role);
	view_puts(view->panel, line, view->tests_stale ? ROLE_PENDING : role, words);
	put_p(view, line, 1, "   Ljung-Box(10) p ",
	      iid_row(tests, TEST_LJUNG_BOX, ON_EXECUTIONS, 10));
	put_p(view, line, 3, ", of maxima ", iid_row(tests, TEST_LJUNG_BOX, ON_MAXIMA, 10));
	if (tests->ks_halves < tests->n_rows)
		put_p(view, line, 2, "   halves ", &tests->rows[tests->ks_halves]);
	if (tests->runs < tests->n_rows)
		put_p(view, line, 4, "   runs ", &tests->rows[tests->runs]);
}

/* ---- goodness of fit ---- */

void fit_add_goodness(struct fit_view *view)
{
	struct view_line *line = add_line(view, "fit");
	const struct fit *fit = view->fit;
	struct view_panel *panel = view->panel;
	enum role role = fit_role(view, ROLE_TEXT);

	view_puts(panel, line, ROLE_DIM, "AD ");
	view_put(panel, line, cell_number(CELL_NUMBER, role, fit->anderson_darling));
	if (!isnan(fit->anderson_darling_p)) {
		view_puts(panel, line, ROLE_DIM, ", p ");
		view_put(panel, line,
			 cell_number(CELL_P_VALUE,
				     fit->anderson_darling_p < FIT_REJECTED
					     ? fit_role(view, ROLE_WARNING)
					     : role,
				     fit->anderson_darling_p));
		if (fit->anderson_darling_p < FIT_REJECTED)
			put_dropped(view, line, 2,
				    cell_text(fit_role(view, ROLE_WARNING), ": rejected"));
		put_dropped(view, line, 3,
			    cell_text(ROLE_DIM, view_text(panel, " of %zu refits",
							  fit->anderson_darling_refits)));
	} else {
		put_dropped(view, line, 3,
			    fit->tests == TESTS_QUICK
				    ? cell_text(ROLE_DIM, ", p with full tests: key A")
				    : cell_text(ROLE_PENDING, ", p computing"));
	}
	if (isnan(fit->likelihood_ratio_p))
		return;
	put_dropped(view, line, 1, cell_text(ROLE_DIM, "   Gumbel in GEV "));
	put_dropped(view, line, 1, cell_number(CELL_P_VALUE, role, fit->likelihood_ratio_p));
	if (fit->likelihood_ratio_p < FIT_REJECTED)
		put_dropped(view, line, 2,
			    cell_text(fit_role(view, fit->model == MODEL_GUMBEL ? ROLE_WARNING
										: ROLE_TEXT),
				      ": rejected"));
}

/* ---- deadline ---- */

void fit_add_deadline(struct fit_view *view)
{
	static const enum role roles[] = {[VERDICT_UNKNOWN] = ROLE_WARNING,
					  [VERDICT_VALID] = ROLE_GOOD,
					  [VERDICT_INVALID] = ROLE_BAD};
	struct view_line *line = add_line(view, "deadline");
	const struct deadline *deadline = &view->fit->deadline;
	struct view_panel *panel = view->panel;
	enum role role = fit_role(view, ROLE_TEXT);

	if (!deadline->time_ns) {
		view_puts(panel, line, ROLE_DIM, "none");
		return;
	}
	view_put(panel, line, cell_number(CELL_DURATION, ROLE_TEXT, (double)deadline->time_ns));
	view_printf(panel, line, fit_role(view, roles[deadline->verdict]), "  %s",
		    verdict_word(deadline->verdict));
	if (!isnan(deadline->probability)) {
		put_dropped(view, line, 1, cell_text(ROLE_DIM, "   P "));
		put_dropped(view, line, 1,
			    cell_number(CELL_PROBABILITY, role, deadline->probability));
	}
	if (!isnan(deadline->lower) && !isnan(deadline->upper)) {
		put_dropped(view, line, 3, cell_text(ROLE_DIM, " ["));
		put_dropped(view, line, 3, cell_number(CELL_PROBABILITY, role, deadline->lower));
		put_dropped(view, line, 3, cell_text(ROLE_DIM, ", "));
		put_dropped(view, line, 3, cell_number(CELL_PROBABILITY, role, deadline->upper));
		put_dropped(view, line, 3, cell_text(ROLE_DIM, "]"));
	}
	put_dropped(view, line, 2, cell_text(ROLE_DIM, "   seen beyond "));
	put_dropped(view, line, 2, cell_count(role, deadline->n_exceeded));
	if (deadline->reason)
		put_dropped(view, line, 4,
			    cell_text(ROLE_DIM, view_text(panel, "   %s", deadline->reason)));
}

/* ---- other fits ---- */

static void ask_other(const struct fit_view *view, struct fit_other *other)
{
	const struct view_context *context = view->context;
	struct settings settings = *context->settings;

	settings.model = other->model;
	settings.stratum = other->stratum;
	other->fit = context->results.fit_with(context->results.owner, context->call,
					       view->subject.path, &settings, &other->pending);
	if (other->pending || (other->fit && other->fit->pending))
		view->panel->pending = true;
}

int fit_others(const struct fit_view *view, struct fit_other others[FIT_OTHERS_MAX])
{
	const struct settings *settings = view->context->settings;
	enum model other = settings->model == MODEL_GEV ? MODEL_GUMBEL : MODEL_GEV;
	int n = 0;

	others[n++] = (struct fit_other){
		.words = model_title(other), .model = other, .stratum = settings->stratum};
	if (settings->stratum != STRATUM_UNDISTURBED)
		others[n++] = (struct fit_other){.words = stratum_word(STRATUM_UNDISTURBED),
						 .model = settings->model,
						 .stratum = STRATUM_UNDISTURBED};
	if (settings->stratum != STRATUM_DISTURBED)
		others[n++] = (struct fit_other){.words = stratum_word(STRATUM_DISTURBED),
						 .model = settings->model,
						 .stratum = STRATUM_DISTURBED};
	for (int i = 0; i < n; i++)
		ask_other(view, &others[i]);
	return n;
}

void fit_add_disturbed(struct fit_view *view)
{
	struct view_line *line = add_line(view, stratum_word(STRATUM_DISTURBED));
	struct fit_other other = {.model = view->context->settings->model,
				  .stratum = STRATUM_DISTURBED};
	struct view_panel *panel = view->panel;
	const struct level *pwcet;
	enum role role;

	ask_other(view, &other);
	if (!other.fit) {
		view_puts(panel, line, ROLE_PENDING, other.pending ? "fitting" : "-");
		return;
	}
	role = other.pending ? ROLE_PENDING : ROLE_TEXT;
	if (!other.fit->n_executions) {
		view_puts(panel, line, ROLE_DIM, "none");
		return;
	}
	view_put(panel, line, cell_count(role, other.fit->n_executions));
	put_dropped(view, line, 2, cell_text(ROLE_DIM, "   longest "));
	put_dropped(view, line, 2, cell_number(CELL_DURATION, role, (double)other.fit->longest_ns));
	pwcet = fit_pwcet(other.fit);
	if (other.fit->refused) {
		put_dropped(view, line, 3, cell_text(ROLE_DIM, "   no fit:"));
		put_dropped(view, line, 1,
			    cell_text(ROLE_DIM, view_text(panel, " %s", other.fit->refused)));
	} else if (pwcet) {
		view_puts(panel, line, ROLE_DIM, "   pWCET ");
		fit_put_level(view, line, other.fit, pwcet, true);
	}
}

enum beside_column {
	BESIDE_WHAT,
	BESIDE_EXECUTIONS,
	BESIDE_MAXIMA,
	BESIDE_LONGEST,
	BESIDE_LOCATION,
	BESIDE_SCALE,
	BESIDE_SHAPE,
	BESIDE_SHAPE_ERROR,
	BESIDE_AD,
	BESIDE_LIKELIHOOD,
	BESIDE_PWCET,
	BESIDE_INTERVAL,
	BESIDE_COLUMNS
};

/* clang-format off */
static const struct view_column beside_columns[BESIDE_COLUMNS] = {
	{"fit", "fits", 0, 9, 0, ALIGN_LEFT, false, false, "this fit, and others of the same selection"},
	{"executions", "exec", 1, 5, 0, ALIGN_RIGHT, false, false, "executions"},
	{"maxima", "m", 3, 3, 0, ALIGN_RIGHT, false, false, "block maxima"},
	{"longest", "longest", 4, 7, 0, ALIGN_RIGHT, false, false, "the longest execution"},
	{"location", "location", 4, 7, 0, ALIGN_RIGHT, false, false, "parameter of location"},
	{"scale", "scale", 4, 7, 0, ALIGN_RIGHT, false, false, "parameter of scale"},
	{"shape", "shape", 2, 6, 0, ALIGN_RIGHT, false, false, "parameter of shape: above 0 heavy-tailed, below 0 bounded"},
	{"error", "error", 5, 5, 0, ALIGN_RIGHT, false, false, "standard error of the shape"},
	{"ad", "AD", 5, 5, 0, ALIGN_RIGHT, false, false, "Anderson-Darling statistic"},
	{"likelihood", "log lik.", 6, 7, 0, ALIGN_RIGHT, false, false, "log-likelihood of the maxima in ns"},
	{"pwcet", "pWCET", 0, 9, 0, ALIGN_RIGHT, false, false, "level at the probability chosen"},
	{"interval", "interval", 2, 12, 1, ALIGN_LEFT, false, false, "its interval, or why there is no number"},
};
/* clang-format on */

static void put_pwcet(const struct fit_view *view, const struct fit *fit, struct view_cell *cells)
{
	const struct level *pwcet = fit_pwcet(fit);

	if (!pwcet)
		return;
	if (!fit_level_shown(view, pwcet)) {
		cells[BESIDE_PWCET] = cell_text(ROLE_WARNING, "not trusted");
		cells[BESIDE_INTERVAL] = cell_text(ROLE_WARNING, distrust_words(pwcet->distrust));
		return;
	}
	cells[BESIDE_PWCET] =
		view_level_cell(view->panel, ROLE_TEXT, pwcet->estimate_ns, pwcet->trusted);
	if (!isnan(pwcet->lower_ns) && !isnan(pwcet->upper_ns))
		cells[BESIDE_INTERVAL] = cell_interval(fit->pending ? ROLE_PENDING : ROLE_TEXT,
						       pwcet->lower_ns, pwcet->upper_ns);
	else if (fit->pending)
		cells[BESIDE_INTERVAL] = cell_text(ROLE_PENDING, "computing");
}

static void put_fit(const struct fit_view *view, const struct fit *fit, struct view_cell *cells)
{
	cells[BESIDE_EXECUTIONS] = cell_count(ROLE_TEXT, fit->n_executions);
	if (fit->n_executions)
		cells[BESIDE_LONGEST] =
			cell_number(CELL_DURATION, ROLE_TEXT, (double)fit->longest_ns);
	cells[BESIDE_MAXIMA] = cell_count(ROLE_TEXT, fit->n_maxima);
	if (fit->refused) {
		cells[BESIDE_PWCET] = cell_text(ROLE_WARNING, "no fit");
		cells[BESIDE_INTERVAL] =
			cell_text(ROLE_WARNING, view_text(view->panel, "%s", fit->refused));
		return;
	}
	cells[BESIDE_LOCATION] =
		cell_number(CELL_DURATION, ROLE_TEXT, fit->estimate.theta[LOCATION]);
	cells[BESIDE_SCALE] = cell_number(CELL_DURATION, ROLE_TEXT, fit->estimate.theta[SCALE]);
	if (fit->estimate.n_parameters > SHAPE) {
		cells[BESIDE_SHAPE] =
			cell_number(CELL_NUMBER, ROLE_TEXT, fit->estimate.theta[SHAPE]);
		cells[BESIDE_SHAPE_ERROR] =
			cell_number(CELL_NUMBER, ROLE_TEXT, fit->standard_error[SHAPE]);
	}
	cells[BESIDE_AD] = cell_number(CELL_NUMBER, ROLE_TEXT, fit->anderson_darling);
	cells[BESIDE_LIKELIHOOD] = cell_number(CELL_NUMBER, ROLE_TEXT, fit->log_likelihood);
	put_pwcet(view, fit, cells);
}

static void add_beside_row(const struct fit_view *view, struct view_table *table, const char *words,
			   const struct fit *fit, bool stale)
{
	struct view_cell *cells = view_add_row(view->panel, table, table->n_rows + 1);

	if (stale)
		table->rows[table->n_rows - 1].flags |= ROW_PENDING;
	cells[BESIDE_WHAT] = cell_text(ROLE_TEXT, words);
	if (fit)
		put_fit(view, fit, cells);
	else
		cells[BESIDE_PWCET] = cell_text(ROLE_PENDING, "fitting");
}

int fit_beside_rows(const struct fit_view *view)
{
	/* heading, this fit, the other model and the other strata */
	return view->context->settings->stratum == STRATUM_ALL ? 5 : 4;
}

void fit_add_beside(struct fit_view *view)
{
	struct fit_other others[FIT_OTHERS_MAX];
	int n = fit_others(view, others);
	struct view_table *table = view_add_table(view->panel, beside_columns, BESIDE_COLUMNS);
	struct fit_other *other = others;
	char number[NUMBER_SIZE];

	view->panel->blocks[view->panel->n_blocks - 1]->blank = true;
	table->headings[BESIDE_PWCET] =
		view_text(view->panel, "pWCET %s",
			  format_probability(number, view->context->settings->probability));
	add_beside_row(view, table, view_text(view->panel, "%s", model_title(view->fit->model)),
		       view->fit, view->stale);
	for (int i = 0; i < n; i++, other++)
		add_beside_row(view, table, other->words, other->fit, other->pending);
	view->rows -= 1 + (int)table->n_rows;
}

/* ---- warnings ---- */

#define OWN_WARNINGS 2

struct warnings {
	const char *text[N_WARNINGS_MAX + OWN_WARNINGS];
	size_t n;
};

static void collect_warnings(const struct fit_view *view, struct warnings *warnings)
{
	const struct fit *fit = view->fit;

	*warnings = (struct warnings){0};
	if (subject_emulated(view->context->recording))
		warnings->text[warnings->n++] = "emulated: times mean little";
	if (!fit->refused && fit->no_errors)
		warnings->text[warnings->n++] =
			view_text(view->panel, "no standard errors: %s", fit->no_errors);
	for (size_t i = 0; i < fit->n_warnings && i < N_WARNINGS_MAX; i++)
		warnings->text[warnings->n++] = fit->warnings[i].text;
}

static int warning_width(const struct fit_view *view)
{
	return view->context->width_cols - 2;
}

int fit_warning_lines(const struct fit_view *view)
{
	struct warnings warnings;
	int n = 0;

	collect_warnings(view, &warnings);
	for (size_t i = 0; i < warnings.n; i++)
		n += fit_wrap_lines(view->panel, "! ", warnings.text[i], warning_width(view));
	return n;
}

void fit_add_warnings(struct fit_view *view, int max_lines)
{
	struct view_block *block = view_add_block(view->panel, BLOCK_LINES);
	struct warnings warnings;
	int left = max_lines;

	collect_warnings(view, &warnings);
	for (size_t i = 0; i < warnings.n && left > 0; i++) {
		int after = (int)(warnings.n - i) - 1;

		/* a line for each first, more of one where there is room */
		left -= fit_wrap(view->panel, block, ROLE_WARNING, "! ", ROLE_WARNING,
				 warnings.text[i], warning_width(view),
				 left > after ? left - after : 1);
	}
	view->rows -= max_lines;
}
