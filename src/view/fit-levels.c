/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of return levels. */
#include "fit-internal.h"

#include <string.h>

/* Levels first .. last as one row: not trusted, for one reason. */
struct group {
	size_t first, last;
};

enum level_column {
	LEVEL_AT,
	LEVEL_ESTIMATE,
	LEVEL_INTERVAL,
	LEVEL_NOTE,
	LEVEL_EXECUTIONS,
	LEVEL_OTHER,
	LEVEL_OTHER_INTERVAL,
	LEVEL_DISTURBED,
	LEVEL_DISTURBED_INTERVAL,
	LEVEL_COLUMNS
};

/* clang-format off */
static const struct view_column level_columns[LEVEL_COLUMNS] = {
	{"probability", "per exec.", 0, 8, 0, ALIGN_LEFT, false, false, "probability that one execution (or block of them) takes longer"},
	{"level", "level", 0, 9, 0, ALIGN_RIGHT, false, false, "the time that is exceeded with this probability"},
	{"interval", "interval", 1, 12, 0, ALIGN_LEFT, false, false, "confidence interval of the level, or why there is no number"},
	{"note", "", 2, 0, 0, ALIGN_LEFT, false, false, "pWCET: the level at the probability chosen"},
	{"executions", "per exec.", 3, 8, 0, ALIGN_LEFT, false, false, "the same probability per execution"},
	{"other", "other", 4, 9, 0, ALIGN_RIGHT, false, false, "the level by the other model"},
	{"other-interval", "interval", 5, 12, 0, ALIGN_LEFT, false, false, "its interval"},
	{"disturbed", "disturbed", 6, 9, 0, ALIGN_RIGHT, false, false, "the level of the other stratum"},
	{"disturbed-interval", "interval", 7, 12, 0, ALIGN_LEFT, false, false, "its interval"},
};
/* clang-format on */

/* The table with those of the columns that say something here. */
struct level_table {
	struct view_table *table;
	struct view_chosen chosen;
	struct fit_other others[FIT_OTHERS_MAX];
	int n_others;
};

static bool same_group(const struct fit_view *view, const struct level *a, const struct level *b)
{
	return !fit_level_shown(view, a) && !fit_level_shown(view, b) && a->distrust == b->distrust;
}

/* Consecutive levels that say the same are one row, but where there is room for all. */
static size_t make_groups(const struct fit_view *view, struct group groups[N_LEVELS_MAX])
{
	const struct fit *fit = view->fit;
	bool all = view->context->zoomed && view->context->height_rows > 24 && !fit->refused;
	size_t n = 0;

	for (size_t i = 0; i < fit->n_levels && i < N_LEVELS_MAX; i++) {
		if (n && !all &&
		    same_group(view, &fit->levels[groups[n - 1].last], &fit->levels[i]))
			groups[n - 1].last = i;
		else
			groups[n++] = (struct group){i, i};
	}
	return n;
}

int fit_level_rows(const struct fit_view *view)
{
	struct group groups[N_LEVELS_MAX];

	return (int)make_groups(view, groups);
}

static bool in_group(const struct group *group, size_t i)
{
	return i >= group->first && i <= group->last;
}

/*
 * Up to the pWCET, row at: all of them, or every step-th back from it and then
 * those nearest to it. Rarer ones only where all of the others are in sight.
 * Row must is one of them in any case.
 */
static void choose_rows(bool *keep, size_t n, size_t at, size_t must, size_t rows)
{
	size_t step = 1, kept = 0;

	if (must < n && must != at && rows > 1)
		rows--;
	else
		must = n;
	while (at / step + 1 > rows && step <= at)
		step++;
	for (size_t i = 0; i < n; i++) {
		keep[i] = i == must || (i <= at && (at - i) % step == 0);
		kept += keep[i] && i != must;
	}
	for (size_t i = at; i-- > 0 && kept < rows;)
		if (!keep[i])
			keep[i] = true, kept++;
	for (size_t i = at + 1; i < n && kept < rows; i++)
		if (!keep[i])
			keep[i] = true, kept++;
}

static bool is_refused(const struct fit_view *view, const struct group *group)
{
	const struct level *level = &view->fit->levels[group->first];

	return level->source == LEVEL_MODEL && !fit_level_shown(view, level);
}

/*
 * All levels from the first refused one on in one row, with its reason: what is
 * beyond it is no better, so that no refused level hides in a gap.
 */
static size_t join_refused(const struct fit_view *view, struct group groups[N_LEVELS_MAX], size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept && is_refused(view, &groups[kept - 1]) && is_refused(view, &groups[i]))
			groups[kept - 1].last = groups[i].last;
		else
			groups[kept++] = groups[i];
	}
	return kept;
}

/*
 * Leaves out decades until the rest fits into so many rows; the pWCET and the
 * first level that is refused stay.
 */
static size_t thin_groups(const struct fit_view *view, struct group groups[N_LEVELS_MAX], size_t n,
			  size_t rows)
{
	bool keep[N_LEVELS_MAX];
	size_t at = 0, must = 0, kept = 0;

	if (n <= rows)
		return n;
	n = join_refused(view, groups, n);
	while (at + 1 < n && !in_group(&groups[at], view->fit->pwcet))
		at++;
	while (must < n && !is_refused(view, &groups[must]))
		must++;
	choose_rows(keep, n, at, must, rows);
	for (size_t i = 0; i < n; i++)
		if (keep[i])
			groups[kept++] = groups[i];
	return kept;
}

static void put_estimate(const struct fit_view *view, const struct fit *fit,
			 const struct level *level, struct view_cell *estimate,
			 struct view_cell *interval)
{
	bool bounds = !isnan(level->lower_ns) && !isnan(level->upper_ns);

	if (fit->refused && level->source == LEVEL_MODEL) {
		*estimate = cell_text(ROLE_WARNING, "no fit");
		*interval = cell_text(ROLE_WARNING, view_text(view->panel, "%s", fit->refused));
		return;
	}
	/* no execution to take it from */
	if (level->source == LEVEL_EMPIRICAL && isnan(level->estimate_ns)) {
		*estimate = cell_number(CELL_DURATION, ROLE_TEXT, NAN);
		return;
	}
	if (!fit_level_shown(view, level)) {
		/* the intervals need the room more than the words do */
		*estimate = cell_text(ROLE_WARNING, view->context->width_cols < FIT_NARROW_COLS
							    ? "-"
							    : "not trusted");
		*interval = cell_text(ROLE_WARNING, distrust_words(level->distrust));
		return;
	}
	*estimate = view_level_cell(view->panel, ROLE_TEXT, level->estimate_ns, level->trusted);
	if (level->source == LEVEL_EMPIRICAL)
		*interval = cell_text(ROLE_DIM, "(empirical)");
	else if (bounds)
		*interval = cell_interval(fit->pending ? ROLE_PENDING : ROLE_TEXT, level->lower_ns,
					  level->upper_ns);
	else if (fit->pending)
		*interval = cell_text(ROLE_PENDING, "computing");
	else if (!level->trusted)
		*interval = cell_text(ROLE_WARNING, distrust_words(level->distrust));
}

static struct view_cell at_cell(const struct fit_view *view, const struct group *group,
				enum role role, double first)
{
	char number[NUMBER_SIZE];

	if (group->first == group->last)
		return cell_number(CELL_PROBABILITY, role, first);
	return cell_text(role, view_text(view->panel, "%s ..", format_probability(number, first)));
}

static const struct level *level_at(const struct fit *fit, double count)
{
	for (size_t i = 0; fit && i < fit->n_levels; i++)
		if (fit->levels[i].count == count)
			return &fit->levels[i];
	return NULL;
}

static void put_level(const struct fit_view *view, struct level_table *to, struct view_cell *cells,
		      enum level_column column, const struct fit *fit, const struct level *level)
{
	struct view_cell estimate = {0}, interval = {0};

	put_estimate(view, fit, level, &estimate, &interval);
	view_set(cells, &to->chosen, column, estimate);
	view_set(cells, &to->chosen, column + 1, interval);
}

static void add_level_row(const struct fit_view *view, struct level_table *to,
			  const struct group *group)
{
	const struct fit *fit = view->fit;
	const struct level *level = &fit->levels[group->first];
	struct view_cell *cells = view_add_row(view->panel, to->table, group->first + 1);
	struct view_row *row = &to->table->rows[to->table->n_rows - 1];
	bool pwcet = in_group(group, fit->pwcet) && fit_pwcet(fit);

	if (view->stale)
		row->flags |= ROW_PENDING;
	if (pwcet)
		row->role = ROLE_STRONG;
	view_set(cells, &to->chosen, LEVEL_AT,
		 at_cell(view, group, ROLE_TEXT, fit_level_at(level)));
	view_set(cells, &to->chosen, LEVEL_EXECUTIONS,
		 at_cell(view, group, ROLE_DIM, level->probability));
	put_level(view, to, cells, LEVEL_ESTIMATE, fit, level);
	if (pwcet)
		view_set(cells, &to->chosen, LEVEL_NOTE, cell_text(ROLE_STRONG, "pWCET"));
	for (int i = 0; i < to->n_others; i++) {
		const struct level *other = level_at(to->others[i].fit, level->count);

		if (other)
			put_level(view, to, cells, LEVEL_OTHER + 2 * (enum level_column)i,
				  to->others[i].fit, other);
	}
}

/* Fits of other models and strata that have levels to show. */
static void choose_others(struct fit_view *view, struct level_table *to)
{
	struct fit_other others[FIT_OTHERS_MAX];
	int n = fit_others(view, others);

	for (int i = 0; i < n && to->n_others < 2; i++)
		if (others[i].fit && !others[i].fit->refused)
			to->others[to->n_others++] = others[i];
}

static void choose_columns(struct fit_view *view, struct level_table *to)
{
	const struct view_context *context = view->context;
	bool hidden[LEVEL_COLUMNS];

	if (context->zoomed && context->width_cols >= 70)
		choose_others(view, to);
	for (int i = 0; i < LEVEL_COLUMNS; i++)
		hidden[i] = i >= LEVEL_OTHER + 2 * to->n_others;
	hidden[LEVEL_EXECUTIONS] = view->fit->unit != UNIT_BLOCKS;
	view_choose_columns(view->panel, level_columns, LEVEL_COLUMNS, hidden, &to->chosen);
}

static void name_columns(struct fit_view *view, struct level_table *to)
{
	const struct fit *fit = view->fit;
	const struct view_chosen *chosen = &to->chosen;

	view_set_heading(to->table, chosen, LEVEL_AT,
			 fit->unit == UNIT_BLOCKS ? "per block" : "per exec.");
	view_set_heading(to->table, chosen, LEVEL_INTERVAL,
			 view_text(view->panel, "%g%% %s", 100 * fit->confidence,
				   interval_word(fit->interval)));
	for (int i = 0; i < to->n_others; i++)
		view_set_heading(to->table, chosen, LEVEL_OTHER + 2 * i, to->others[i].words);
}

void fit_add_levels(struct fit_view *view, int rows)
{
	struct group groups[N_LEVELS_MAX];
	struct level_table to = {0};
	size_t n = make_groups(view, groups);

	choose_columns(view, &to);
	to.table = view_add_table(view->panel, to.chosen.columns, to.chosen.n);
	name_columns(view, &to);
	n = thin_groups(view, groups, n, rows > 0 ? (size_t)rows : 1);
	for (size_t i = 0; i < n; i++)
		add_level_row(view, &to, &groups[i]);
	view->rows -= 1 + (int)n;
}
