/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording built by hand and what the explorer would compute from it. */
#ifndef VIEW_SAMPLE_H
#define VIEW_SAMPLE_H

#include "evtop/view.h"
#include "view/fit-internal.h"

/* Before cmocka.h, which needs them. */
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define RESULTS_MAX 64

/* One call of one campaign; executions in order of arrival. */
struct view_sample {
	struct recording recording;
	struct input input;
	struct campaign campaign;
	struct run run;
	struct call call;
	struct path paths[2]; /* clean ones; raw are the same */
	struct settings settings;
	struct view_context context;
	struct view_panel panel;
	/* what is handed out */
	bool stage_one;			/* fits without their intervals */
	bool late;			/* there is nothing yet */
	const struct settings *earlier; /* fits are those of these settings still */
	struct {
		void *value;
		void (*release)(void *value);
	} results[RESULTS_MAX];
	int n_results;
};

/*
 * path[i] is 0 or 1 (NULL: all 0), flags[i] as in call->flags (NULL: none).
 * The settings are the defaults; the context selects path 0 beside path 1 where
 * there is one, in a panel of 120 x 34 of its own.
 */
void view_sample_init(struct view_sample *sample, const uint64_t *duration_ns, const uint8_t *path,
		      const uint8_t *flags, uint32_t n);
void view_sample_release(struct view_sample *sample);
/* Builds the panel anew; width and height include its title. */
void view_sample_build(struct view_sample *sample, enum panel_id panel, int width, int height);

/* All lines and rows as text, one a line, cells of a row joined by one blank; for strstr(). */
void view_sample_text(const struct view_sample *sample, struct text *out);
bool view_sample_says(const struct view_sample *sample, const char *words);
/* Rows that the blocks ask for: all of lines and tables, the least of plots. */
int view_sample_rows(const struct view_sample *sample);
void view_line_text(const struct view_line *line, struct text *out);
/* The n-th block of a kind, or NULL. */
const struct view_block *view_sample_block(const struct view_sample *sample, enum block_kind kind,
					   int n);
/* The cell of a table in the row whose first cell reads so, in the column with this id. */
const struct view_cell *view_table_cell(const struct view_table *table, const char *row,
					const char *column);
/* The first cell of lines whose text before it in its line ends so; NULL if there is none. */
const struct view_cell *view_cell_after(const struct view_sample *sample, const char *words);

/* Values of a law at probabilities (i - 1/2)/n in a fixed shuffled order, in ns. */
void view_sample_law(enum model model, double location_ns, double scale_ns, double shape,
		     uint64_t *duration_ns, uint32_t n);

#endif
