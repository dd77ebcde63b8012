/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the panels of densities, fits and their assumptions share. */
#ifndef EVTOP_VIEW_FIT_INTERNAL_H
#define EVTOP_VIEW_FIT_INTERNAL_H

#include "view-internal.h"

/* The call and path that these panels are about. */
struct subject {
	const struct call *call;
	uint32_t path;	  /* PATH_ALL: the whole call */
	const char *name; /* of the path, else of the call */
};

/* false, having said why, where there is nothing to show. */
bool subject_find(struct view_panel *panel, const struct view_context *context,
		  struct subject *subject);
/* The short id of a path of the selected call; the call's name for PATH_ALL. */
const char *subject_path_name(struct view_panel *panel, const struct view_context *context,
			      uint32_t path);
/* Is any input's time that of an emulator on a busy host? */
bool subject_emulated(const struct recording *recording);

/*
 * Words wrapped to width columns, after a lead of another role; further lines
 * are indented by two. What does not fit into max_lines is cut at the end of
 * the last. Returns the lines added.
 */
int fit_wrap(struct view_panel *panel, struct view_block *block, enum role lead_role,
	     const char *lead, enum role role, const char *words, int width_cols, int max_lines);
/* Lines that fit_wrap() would take without a limit. */
int fit_wrap_lines(struct view_panel *panel, const char *lead, const char *words, int width_cols);

/* What the tests say in two or three words, with its role: "ok", "not independent". */
const char *iid_words(const struct test_results *tests, enum role *role);
/* The row of a test; NULL where it was not made. lag 0 but for Ljung-Box. */
const struct test_row *iid_row(const struct test_results *tests, enum test_kind kind,
			       enum test_on on, uint32_t lag);
/* The run-sequence plot: durations in order of arrival. */
void iid_sequence(struct view_panel *panel, const struct view_context *context,
		  const struct subject *subject);

#define FIT_NARROW_COLS 44 /* a panel this narrow saves every column */
#define FIT_REJECTED 0.05  /* level of tests that stand outside Holm's family */

/* A fit on its way to the screen. */
struct fit_view {
	struct view_panel *panel;
	const struct view_context *context;
	struct subject subject;
	const struct fit *fit; /* NULL: not there yet */
	bool stale;	       /* of other settings, shown until the new one is there */
	const struct test_results *tests;
	bool tests_stale;
	int rows; /* of the panel's body that are still free */
};

/* Role of a figure of the fit: greyed while it is of other settings. */
enum role fit_role(const struct fit_view *view, enum role role);
/* "not trusted: heavy tail", "4.21 ms [3.9 ms, 5.1 ms]": a level in running text. */
void fit_put_level(const struct fit_view *view, struct view_line *line, const struct fit *fit,
		   const struct level *level, bool interval);
/* Does a test say that the maxima are not of this model? */
bool fit_rejected(const struct fit *fit);
/* May the number of this level be shown? */
bool fit_level_shown(const struct fit_view *view, const struct level *level);
/* The probability by which a level's row is named: of the unit chosen. */
double fit_level_at(const struct level *level);

/* The pieces of the panel; each adds blocks. */
void fit_add_answer(struct fit_view *view);	/* one line */
void fit_add_parameters(struct fit_view *view); /* one line */
/* Rows of the level table without its heading, and the table in so many rows. */
int fit_level_rows(const struct fit_view *view);
void fit_add_levels(struct fit_view *view, int rows);
void fit_add_iid(struct fit_view *view);       /* one line */
void fit_add_goodness(struct fit_view *view);  /* one line */
void fit_add_deadline(struct fit_view *view);  /* one line */
void fit_add_disturbed(struct fit_view *view); /* one line */
int fit_warning_lines(const struct fit_view *view);
void fit_add_warnings(struct fit_view *view, int max_lines);
/* Other models and strata beside this one: the rows it will take, heading included. */
int fit_beside_rows(const struct fit_view *view);
void fit_add_beside(struct fit_view *view);
/* Other kinds of the panel: each a plot (or table) that takes the rows left over. */
void fit_add_level_plot(struct fit_view *view);
void fit_add_qq(struct fit_view *view);
void fit_add_stability(struct fit_view *view);

/* The fits that stand beside the chosen one. */
#define FIT_OTHERS_MAX 3

struct fit_other {
	const char *words; /* "Gumbel", "disturbed" */
	enum model model;
	enum stratum stratum;
	const struct fit *fit; /* NULL: not there yet */
	bool pending;
};

/* Asks for them; returns how many. */
int fit_others(const struct fit_view *view, struct fit_other others[FIT_OTHERS_MAX]);

#endif
