/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panel 5: the fit of the selection. The answer first, then what it rests on. */
#include "fit-internal.h"

#include <string.h>

/* Kinds of the panel, as in panels[]. */
enum fit_kind { KIND_LEVELS, KIND_LEVEL_PLOT, KIND_QQ, KIND_STABILITY };

#define PLOT_ROWS_LEAST 5
#define ROWS_WANTED 17 /* until it is known what there is to show */
#define BESIDE_COLS 60 /* a narrower table of fits has no room for their levels */

enum role fit_role(const struct fit_view *view, enum role role)
{
	return view->stale ? ROLE_PENDING : role;
}

bool fit_level_shown(const struct fit_view *view, const struct level *level)
{
	return !isnan(level->estimate_ns) && (level->trusted || view->context->settings->force);
}

bool fit_rejected(const struct fit *fit)
{
	if (fit->refused)
		return false;
	return fit->anderson_darling_p < FIT_REJECTED ||
	       (fit->model == MODEL_GUMBEL && fit->likelihood_ratio_p < FIT_REJECTED);
}

double fit_level_at(const struct level *level)
{
	return 1 / level->count;
}

void fit_put_level(const struct fit_view *view, struct view_line *line, const struct fit *fit,
		   const struct level *level, bool interval)
{
	struct view_panel *panel = view->panel;
	struct view_cell cell;

	if (!fit_level_shown(view, level)) {
		view_puts(panel, line, fit_role(view, ROLE_WARNING), "not trusted");
		cell = cell_text(fit_role(view, ROLE_WARNING),
				 view_text(panel, ": %s", distrust_words(level->distrust)));
		cell.drop = 2;
		view_put(panel, line, cell);
		return;
	}
	view_put(panel, line,
		 view_level_cell(view->panel, fit_role(view, ROLE_STRONG), level->estimate_ns,
				 level->trusted));
	if (interval && !isnan(level->lower_ns) && !isnan(level->upper_ns)) {
		cell = cell_text(ROLE_TEXT,
				 view->context->width_cols < FIT_NARROW_COLS ? " " : "  ");
		cell.drop = 2;
		view_put(panel, line, cell);
		cell = cell_interval(fit_role(view, fit->pending ? ROLE_PENDING : ROLE_TEXT),
				     level->lower_ns, level->upper_ns);
		cell.drop = 2;
		view_put(panel, line, cell);
	}
	if (!level->trusted)
		view_puts(panel, line, ROLE_WARNING, " not trusted");
}

/* ---- title and the one line of a small screen ---- */

static void add_title(struct fit_view *view)
{
	struct view_panel *panel = view->panel;
	struct view_line *title = &panel->title;
	const struct settings *settings = view->context->settings;
	struct view_cell cell;

	view_printf(panel, title, ROLE_TITLE, "of %s", view->subject.name);
	view_printf(panel, title, ROLE_STRONG, "  %s", model_title(settings->model));
	if (view->fit && fit_rejected(view->fit))
		view_puts(panel, title, fit_role(view, ROLE_WARNING), " rejected");
	cell = cell_text(ROLE_STRONG,
			 view_text(panel, "  %s", estimator_title(settings->estimator)));
	cell.drop = 1;
	view_put(panel, title, cell);
	if (settings->block_unit == BLOCK_RUN)
		view_printf(panel, title, ROLE_STRONG, "  B %u run%s", settings->block_size,
			    settings->block_size == 1 ? "" : "s");
	else
		view_printf(panel, title, ROLE_STRONG, "  B %u", settings->block_size);
	cell = cell_text(ROLE_TITLE, view_text(panel, "  %s ", stratum_word(settings->stratum)));
	cell.drop = 2;
	view_put(panel, title, cell);
	if (!view->fit)
		return;
	cell = cell_count(fit_role(view, ROLE_TITLE), view->fit->n_executions);
	cell.drop = 2;
	view_put(panel, title, cell);
}

/* A trusted level of the model to stand beside a pWCET that is not; NULL if there is none. */
static const struct level *last_trusted(const struct fit *fit)
{
	const struct level *last = NULL;

	for (size_t i = 0; i < fit->n_levels; i++)
		if (fit->levels[i].trusted && !isnan(fit->levels[i].estimate_ns))
			last = &fit->levels[i];
	return last;
}

static void put_condensed_level(struct fit_view *view, const struct level *level, uint8_t drop)
{
	struct view_line *line = &view->panel->condensed;
	struct view_cell cells[] = {cell_number(CELL_PROBABILITY, ROLE_DIM, level->probability),
				    cell_text(ROLE_DIM, " "),
				    view_level_cell(view->panel, fit_role(view, ROLE_TEXT),
						    level->estimate_ns, level->trusted),
				    cell_text(ROLE_DIM, ", ")};

	if (!fit_level_shown(view, level))
		cells[2] = cell_text(fit_role(view, ROLE_WARNING), "not trusted");
	for (size_t i = 0; i < COUNT_OF(cells) - (drop == 0); i++) {
		cells[i].drop = drop;
		view_put(view->panel, line, cells[i]);
	}
}

static void add_condensed(struct fit_view *view)
{
	const struct settings *settings = view->context->settings;
	struct view_panel *panel = view->panel;
	struct view_line *line = &panel->condensed;
	const struct level *last, *pwcet;
	struct view_cell count;

	view_printf(panel, line, ROLE_TEXT, "%s %s B%u", model_title(settings->model),
		    estimator_title(settings->estimator), settings->block_size);
	if (!view->fit)
		return;
	if (view->fit->refused) {
		view_printf(panel, line, fit_role(view, ROLE_WARNING), " no fit: %s",
			    view->fit->refused);
		return;
	}
	count = cell_text(fit_role(view, ROLE_TEXT),
			  view_text(panel, " m%zu", view->fit->n_maxima));
	count.drop = 1;
	view_put(panel, line, count);
	if (view->fit->weak)
		view_puts(panel, line, fit_role(view, ROLE_WARNING), " weak");
	if (fit_rejected(view->fit))
		view_puts(panel, line, fit_role(view, ROLE_WARNING), " rejected");
	view_puts(panel, line, ROLE_TEXT, ": ");
	pwcet = fit_pwcet(view->fit);
	last = last_trusted(view->fit);
	if (pwcet && !fit_level_shown(view, pwcet) && last)
		put_condensed_level(view, last, 2);
	if (pwcet)
		put_condensed_level(view, pwcet, 0);
}

/* ---- the first lines ---- */

static void put_maxima(struct fit_view *view, struct view_line *line)
{
	const struct fit *fit = view->fit;
	struct view_panel *panel = view->panel;
	struct view_cell m = cell_text(ROLE_DIM, "m "), words = cell_text(ROLE_DIM, " blocks");
	struct view_cell count = cell_count(fit_role(view, ROLE_TEXT), fit->n_maxima);

	const struct level *pwcet = fit_pwcet(fit);

	/* the interval needs the room more, and brings doubt of its own */
	if (pwcet && pwcet->trusted && !fit->refused && !fit->weak)
		m.drop = count.drop = 3;
	view_put_right(panel, line, m);
	view_put_right(panel, line, count);
	words.drop = 4;
	view_put_right(panel, line, words);
	if (!fit->weak || fit->refused)
		return;
	view_put_right(panel, line, cell_text(fit_role(view, ROLE_WARNING), ", weak"));
	words = cell_text(fit_role(view, ROLE_WARNING),
			  view_text(panel, ": fewer than %d", WEAK_MAXIMA));
	words.drop = 5;
	view_put_right(panel, line, words);
}

/* Too few blocks: there are more of smaller ones. How many there are has been said by then. */
static bool put_way_out(struct fit_view *view, struct view_line *line)
{
	struct view_cell cells[] = {cell_text(ROLE_KEY, "  ["), cell_text(ROLE_DIM, " smaller"),
				    cell_text(ROLE_DIM, " blocks")};

	if (strncmp(view->fit->refused, "needs ", 6) ||
	    view->context->settings->block_size <= block_size_steps[0])
		return false;
	for (size_t i = 0; i < COUNT_OF(cells); i++) {
		cells[i].drop = i < 2 ? 3 : 4;
		view_put(view->panel, line, cells[i]);
	}
	return true;
}

void fit_add_answer(struct fit_view *view)
{
	struct view_panel *panel = view->panel;
	struct view_line *line = view_add_line(panel, view_add_block(panel, BLOCK_LINES));
	const struct fit *fit = view->fit;
	const struct level *pwcet = fit_pwcet(fit);

	view->rows--;
	if (fit->refused) {
		view_puts(panel, line, fit_role(view, ROLE_WARNING), "no fit: ");
		view_puts(panel, line, fit_role(view, ROLE_WARNING), fit->refused);
		if (put_way_out(view, line))
			return;
	} else if (pwcet) {
		view_puts(panel, line, ROLE_TEXT, "pWCET ");
		view_put(panel, line, cell_number(CELL_PROBABILITY, ROLE_TEXT, pwcet->probability));
		view_puts(panel, line, ROLE_TEXT,
			  view->context->width_cols < FIT_NARROW_COLS ? " " : "  ");
		fit_put_level(view, line, fit, pwcet, true);
	}
	put_maxima(view, line);
}

static void put_parameter(struct fit_view *view, struct view_line *line, int i)
{
	bool narrow = view->context->width_cols < 60;
	const char *const names[] = {narrow ? "loc " : "location ", "scale ", "shape "};
	const struct fit *fit = view->fit;
	enum cell_kind kind = i == SHAPE ? CELL_NUMBER : CELL_DURATION;
	struct view_cell cells[] = {
		cell_text(ROLE_TEXT, !i	      ? ""
				     : narrow ? "  "
					      : "   "),
		cell_text(ROLE_DIM, names[i]),
		cell_number(kind, fit_role(view, ROLE_TEXT), fit->estimate.theta[i]),
		cell_text(ROLE_DIM, " \302\261"),
		cell_number(kind, fit_role(view, ROLE_TEXT), fit->standard_error[i])};
	bool error = !isnan(fit->standard_error[i]);

	/* without its name a time is still told from the others by its place */
	cells[1].drop = i == SHAPE ? 0 : 1;
	cells[3].drop = cells[4].drop = i == SHAPE ? 0 : 3;
	for (size_t k = 0; k < COUNT_OF(cells); k++)
		if (error || k < 3)
			view_put(view->panel, line, cells[k]);
}

void fit_add_parameters(struct fit_view *view)
{
	struct view_panel *panel = view->panel;
	struct view_line *line;

	if (view->fit->refused)
		return;
	line = view_add_line(panel, view_add_block(panel, BLOCK_LINES));
	for (int i = 0; i < view->fit->estimate.n_parameters; i++)
		put_parameter(view, line, i);
	view->rows--;
}

/* ---- what stands where ---- */

/* What may follow the levels, in the order of the screen. */
enum part {
	PART_LEVELS,
	PART_IID,
	PART_GOODNESS,
	PART_DEADLINE,
	PART_DISTURBED,
	PART_BESIDE,
	PART_WARNINGS,
	PART_COUNT
};

struct plan {
	int rows[PART_COUNT];
	int left;
};

/* So many rows more for a part, if they are there: all or none. */
static bool grant(struct plan *plan, enum part part, int rows)
{
	if (rows <= 0 || rows > plan->left)
		return false;
	plan->rows[part] += rows;
	plan->left -= rows;
	return true;
}

/* As many as there are up to this number in all. */
static void grant_some(struct plan *plan, enum part part, int all)
{
	int more = all - plan->rows[part];

	grant(plan, part, more < plan->left ? more : plan->left);
}

/* Important things first: the levels, the assumptions, warnings, the rest. */
static void make_plan(struct fit_view *view, struct plan *plan, int rows, bool table)
{
	const struct fit *fit = view->fit;
	const struct view_context *context = view->context;
	int levels = table ? fit_level_rows(view) : 0, warnings = fit_warning_lines(view);
	bool disturbed = context->settings->stratum != STRATUM_DISTURBED;
	bool beside = context->width_cols >= BESIDE_COLS;

	*plan = (struct plan){.left = rows - (table ? 1 : PLOT_ROWS_LEAST)};
	grant_some(plan, PART_LEVELS, levels < 3 ? levels : 3);
	grant(plan, PART_IID, 1);
	if (fit->deadline.time_ns)
		grant(plan, PART_DEADLINE, 1);
	grant_some(plan, PART_WARNINGS, warnings < 2 ? warnings : 2);
	grant_some(plan, PART_LEVELS, levels < 7 ? levels : 7);
	if (!fit->refused)
		grant(plan, PART_GOODNESS, 1);
	if (!context->zoomed || !beside || !grant(plan, PART_BESIDE, fit_beside_rows(view)))
		if (disturbed)
			grant(plan, PART_DISTURBED, 1);
	if (!context->zoomed && !table)
		return;
	grant_some(plan, PART_WARNINGS, warnings);
	grant_some(plan, PART_LEVELS, levels);
	if (beside && !plan->rows[PART_BESIDE] && grant(plan, PART_BESIDE, fit_beside_rows(view))) {
		plan->left += plan->rows[PART_DISTURBED];
		plan->rows[PART_DISTURBED] = 0;
	}
	if (!fit->deadline.time_ns)
		grant(plan, PART_DEADLINE, 1);
}

/* With title, the rows above the plan and a table's heading or a plot worth looking at. */
static int wanted_rows(struct fit_view *view, bool table)
{
	enum { MANY = 200, PLOT_ROWS_WANTED = 12 };
	struct plan plan;
	int above = view->context->height_rows - view->rows;

	make_plan(view, &plan, MANY, table);
	return above + (table ? 1 : PLOT_ROWS_WANTED) + MANY - plan.left -
	       (table ? 1 : PLOT_ROWS_LEAST);
}

static void add_parts(struct fit_view *view, const struct plan *plan)
{
	if (plan->rows[PART_IID])
		fit_add_iid(view);
	if (plan->rows[PART_GOODNESS])
		fit_add_goodness(view);
	if (plan->rows[PART_DEADLINE])
		fit_add_deadline(view);
	if (plan->rows[PART_DISTURBED])
		fit_add_disturbed(view);
	if (plan->rows[PART_BESIDE])
		fit_add_beside(view);
	if (plan->rows[PART_WARNINGS])
		fit_add_warnings(view, plan->rows[PART_WARNINGS]);
}

static void add_kind(struct fit_view *view, enum fit_kind kind, const struct plan *plan)
{
	switch (kind) {
	case KIND_LEVELS:
		if (plan->rows[PART_LEVELS])
			fit_add_levels(view, plan->rows[PART_LEVELS]);
		break;
	case KIND_LEVEL_PLOT:
		fit_add_level_plot(view);
		break;
	case KIND_QQ:
		fit_add_qq(view);
		break;
	case KIND_STABILITY:
		fit_add_stability(view);
		break;
	}
}

/* A later answer may be of other settings: its figures are then grey. */
static bool is_of(const struct fit *fit, const struct settings *settings)
{
	return fit->model == settings->model && fit->estimator == settings->estimator &&
	       fit->block_size == settings->block_size && fit->stratum == settings->stratum &&
	       fit->unit == settings->unit;
}

void view_fit(struct view_panel *panel, const struct view_context *context)
{
	struct fit_view view = {
		.panel = panel, .context = context, .rows = context->height_rows - 1};
	enum fit_kind kind = (enum fit_kind)context->kind[PANEL_FIT];
	const struct view_results *results = &context->results;
	struct plan plan;
	bool pending = false;

	if (!subject_find(panel, context, &view.subject))
		return;
	view.fit = results->fit(results->owner, context->call, view.subject.path, &pending);
	panel->pending = pending || (view.fit && view.fit->pending);
	view.stale = view.fit && (pending || !is_of(view.fit, context->settings));
	add_title(&view);
	add_condensed(&view);
	panel->wanted_rows = ROWS_WANTED;
	if (context->height_rows < 2)
		return;
	if (!view.fit) {
		view_puts(panel, view_add_line(panel, view_add_block(panel, BLOCK_LINES)),
			  pending ? ROLE_PENDING : ROLE_DIM,
			  pending ? "fitting" : "nothing to fit");
		return;
	}
	view.tests =
		results->tests(results->owner, context->call, view.subject.path, &view.tests_stale);
	fit_add_answer(&view);
	fit_add_parameters(&view);
	panel->wanted_rows = (uint16_t)wanted_rows(&view, kind == KIND_LEVELS);
	make_plan(&view, &plan, view.rows, kind == KIND_LEVELS);
	add_kind(&view, kind, &plan);
	add_parts(&view, &plan);
}
