/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of panels share: a recording, results computed on the spot, rows as text. */
#ifndef EVTOP_TEST_VIEW_FIXTURE_H
#define EVTOP_TEST_VIEW_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "evtop/view.h"

#define RESULTS_MOST 4096

struct fixture {
	struct recording *recording;
	struct settings settings;
	struct view_context context;
	struct view_panel panel;
	struct summary *summaries[RESULTS_MOST];
	struct fit *fits[RESULTS_MOST];
	uint32_t n_summaries, n_fits; /* asked for */
	bool never_ready;
};

static inline void fixture_select(struct fixture *fixture, uint32_t call, uint32_t path,
				  enum stratum stratum, struct sample *sample)
{
	struct selection selection = {fixture->settings.identity, path, stratum,
				      fixture->settings.time};

	sample_select(fixture->recording, &fixture->recording->calls[call], &selection, sample);
}

static inline const struct summary *fixture_summary(void *owner, uint32_t call, uint32_t path,
						    enum stratum stratum, bool *pending)
{
	struct fixture *fixture = owner;
	struct summary *summary;
	struct sample sample;

	assert_true(fixture->n_summaries < RESULTS_MOST);
	if (fixture->never_ready) {
		*pending = true;
		return NULL;
	}
	summary = mem_zero(1, sizeof *summary);
	fixture_select(fixture, call, path, stratum, &sample);
	stats_sort(sample.value_ns, NULL, sample.n);
	stats_summarise(sample.value_ns, sample.n, summary);
	sample_release(&sample);
	fixture->summaries[fixture->n_summaries++] = summary;
	return summary;
}

static inline const struct fit *fixture_fit(void *owner, uint32_t call, uint32_t path,
					    bool *pending)
{
	struct fixture *fixture = owner;
	struct fit *fit;
	struct sample sample;

	assert_true(fixture->n_fits < RESULTS_MOST);
	if (fixture->never_ready) {
		*pending = true;
		return NULL;
	}
	fit = mem_zero(1, sizeof *fit);
	fixture_select(fixture, call, path, fixture->settings.stratum, &sample);
	fit_compute(&sample, &fixture->settings, fixture->context.deadline_ns, fit);
	fit_intervals(fit, NULL);
	sample_release(&sample);
	fixture->fits[fixture->n_fits++] = fit;
	return fit;
}

static inline void fixture_forget(struct fixture *fixture)
{
	while (fixture->n_summaries)
		free(fixture->summaries[--fixture->n_summaries]);
	while (fixture->n_fits) {
		fit_release(fixture->fits[--fixture->n_fits]);
		free(fixture->fits[fixture->n_fits]);
	}
}

static inline void fixture_init(struct fixture *fixture, const char *path)
{
	static const struct load_options options = {.n_jobs = 1, .node_times = true};

	*fixture = (struct fixture){0};
	settings_init(&fixture->settings);
	fixture->recording = recording_load(&path, 1, &options, NULL);
	fixture->context = (struct view_context){
		.recording = fixture->recording,
		.settings = &fixture->settings,
		.results = {.summary = fixture_summary, .fit = fixture_fit, .owner = fixture},
		.source = "source",
		.path_a = 0,
		.path_b = 1,
		.zoom_high = 1,
		.width_cols = 200,
		.height_rows = 50,
	};
}

static inline void fixture_build(struct fixture *fixture, enum panel_id id)
{
	view_panel_release(&fixture->panel);
	fixture_forget(fixture);
	view_build(&fixture->panel, id, &fixture->context);
}

static inline void fixture_release(struct fixture *fixture)
{
	view_panel_release(&fixture->panel);
	fixture_forget(fixture);
	recording_free(fixture->recording);
}

static inline struct view_table *fixture_table(const struct fixture *fixture)
{
	for (uint32_t i = 0; i < fixture->panel.n_blocks; i++)
		if (fixture->panel.blocks[i]->kind == BLOCK_TABLE)
			return &fixture->panel.blocks[i]->table;
	return NULL;
}

/* The cell of a column by its id; NULL where the column is not shown. */
static inline const struct view_cell *fixture_cell(const struct fixture *fixture, uint32_t row,
						   const char *column)
{
	const struct view_table *table = fixture_table(fixture);

	assert_non_null(table);
	assert_true(row < table->n_rows);
	for (uint32_t i = 0; i < table->n_columns; i++)
		if (!strcmp(table->columns[i].id, column))
			return &table->cells[(size_t)row * table->n_columns + i];
	return NULL;
}

/* The same as the text that a user reads; "" where there is nothing. */
static inline const char *fixture_read(const struct fixture *fixture, uint32_t row,
				       const char *column, char out[VIEW_CELL_SIZE])
{
	const struct view_cell *cell = fixture_cell(fixture, row, column);

	out[0] = '\0';
	return cell ? view_format(out, VIEW_CELL_SIZE, cell) : out;
}

#define assert_cell(fixture, row, column, expected)                                                \
	do {                                                                                       \
		char fixture_out[VIEW_CELL_SIZE];                                                  \
		assert_string_equal(fixture_read(fixture, row, column, fixture_out), expected);    \
	} while (0)

/* A running line with nothing left out. */
static inline void fixture_line(const struct view_line *line, struct text *out)
{
	char cell[VIEW_CELL_SIZE];

	text_clear(out);
	for (uint32_t i = 0; i < line->n; i++)
		text_puts(out, view_format(cell, sizeof cell, &line->cells[i]));
}

/* All running text of the panel's blocks, a line each. */
static inline char *fixture_lines(const struct fixture *fixture)
{
	struct text all = {0}, one = {0};

	text_puts(&all, "");
	for (uint32_t i = 0; i < fixture->panel.n_blocks; i++) {
		const struct view_block *block = fixture->panel.blocks[i];

		for (uint32_t k = 0; block->kind == BLOCK_LINES && k < block->lines.n; k++) {
			fixture_line(&block->lines.lines[k], &one);
			text_printf(&all, "%s\n", one.bytes ? one.bytes : "");
		}
	}
	text_release(&one);
	return all.bytes;
}

/* ---- a trace made by hand ---- */

/*
 * Five executions of a call. Four take the common path, the last of them with
 * an interrupt; one takes a rare one. Times in us:
 *
 *	common  root(p(x y) q q r(z))		rare  root(p(x n) q q q r(z) s)
 *	30: p 10 (2 3)  q 1 1  r 8 (4)		45: p 12 (2 7)  q 1 1 1  r 8 (4)  s 6
 *	33: p 12 (2 5)  q 1 2  r 8 (4)
 *	34: p 11 (4 3)  q 1 1  r 9 (5)
 *	90: p 10 (2 3)  q 1 1  r 61 (irq 1 + 50 + 2, z 4)
 */
static const char fixture_trace[] = "# tracer: function_graph\n"
				    " 0)               |  __x64_sys_a() {\n"
				    " 0)               |    p() {\n"
				    " 0)   2.000 us    |      x();\n"
				    " 0)   3.000 us    |      y();\n"
				    " 0) + 10.000 us   |    }\n"
				    " 0)   1.000 us    |    q();\n"
				    " 0)   1.000 us    |    q();\n"
				    " 0)               |    r() {\n"
				    " 0)   4.000 us    |      z();\n"
				    " 0)   8.000 us    |    }\n"
				    " 0) + 30.000 us   |  }\n"
				    " 0)               |  __x64_sys_a() {\n"
				    " 0)               |    p() {\n"
				    " 0)   2.000 us    |      x();\n"
				    " 0)   5.000 us    |      y();\n"
				    " 0) + 12.000 us   |    }\n"
				    " 0)   1.000 us    |    q();\n"
				    " 0)   2.000 us    |    q();\n"
				    " 0)               |    r() {\n"
				    " 0)   4.000 us    |      z();\n"
				    " 0)   8.000 us    |    }\n"
				    " 0) + 33.000 us   |  }\n"
				    " 0)               |  __x64_sys_a() {\n"
				    " 0)               |    p() {\n"
				    " 0)   4.000 us    |      x();\n"
				    " 0)   3.000 us    |      y();\n"
				    " 0) + 11.000 us   |    }\n"
				    " 0)   1.000 us    |    q();\n"
				    " 0)   1.000 us    |    q();\n"
				    " 0)               |    r() {\n"
				    " 0)   5.000 us    |      z();\n"
				    " 0)   9.000 us    |    }\n"
				    " 0) + 34.000 us   |  }\n"
				    " 0)               |  __x64_sys_a() {\n"
				    " 0)               |    p() {\n"
				    " 0)   2.000 us    |      x();\n"
				    " 0)   3.000 us    |      y();\n"
				    " 0) + 10.000 us   |    }\n"
				    " 0)   1.000 us    |    q();\n"
				    " 0)   1.000 us    |    q();\n"
				    " 0)               |    r() {\n"
				    " 0)   1.000 us    |      irq_enter_rcu();\n"
				    " 0) + 50.000 us   |      __sysvec_apic_timer_interrupt();\n"
				    " 0)   2.000 us    |      irq_exit_rcu();\n"
				    " 0)   4.000 us    |      z();\n"
				    " 0) + 61.000 us   |    }\n"
				    " 0) + 90.000 us   |  }\n"
				    " 0)               |  __x64_sys_a() {\n"
				    " 0)               |    p() {\n"
				    " 0)   2.000 us    |      x();\n"
				    " 0)   7.000 us    |      n();\n"
				    " 0) + 12.000 us   |    }\n"
				    " 0)   1.000 us    |    q();\n"
				    " 0)   1.000 us    |    q();\n"
				    " 0)   1.000 us    |    q();\n"
				    " 0)               |    r() {\n"
				    " 0)   4.000 us    |      z();\n"
				    " 0)   8.000 us    |    }\n"
				    " 0)   6.000 us    |    s();\n"
				    " 0) + 45.000 us   |  }\n";

enum { COMMON, RARE };

static inline void fixture_load(struct fixture *fixture, const char *trace)
{
	char name[] = "/tmp/evtop-view-XXXXXX";
	int fd = mkstemp(name);
	size_t n = strlen(trace);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, trace, n), n);
	close(fd);
	fixture_init(fixture, name);
	unlink(name);
	assert_null(fixture->recording->inputs[0].error);
}

/* A file of the package. */
static inline const char *fixture_shipped(char *out, size_t n, const char *name)
{
	const char *top = getenv("top_srcdir");

	snprintf(out, n, "%s/%s", top ? top : ".", name);
	return out;
}

#endif
