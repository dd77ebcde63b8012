/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The panel of the fit: what it says of samples whose fit is known. */
#include "view-sample.h"
#include "../numeric/reference.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Metres as milliseconds. */
static void portpirie_init(struct view_sample *sample)
{
	uint64_t ns[PORTPIRIE_N];

	for (int i = 0; i < PORTPIRIE_N; i++)
		ns[i] = (uint64_t)llround(portpirie[i] * 1e6);
	view_sample_init(sample, ns, NULL, NULL, PORTPIRIE_N);
	sample->settings.block_size = 1;
	sample->settings.unit = UNIT_BLOCKS;
}

/* The numbers are those of fits/fits_A.csv and profile_ci_A.csv, and of Coles 2001 (3.4.1). */
static void test_port_pirie(void **state)
{
	struct view_sample sample;

	(void)state;
	portpirie_init(&sample);
	view_sample_build(&sample, PANEL_FIT, 100, 30);
	assert_true(view_sample_says(&sample, "of 012345  GEV  MLE  B 1  undisturbed 65\n"));
	assert_true(view_sample_says(&sample, "location 3.87 ms \302\26127.9 us   "
					      "scale 198 us \302\26120.2 us   "
					      "shape -0.0501 \302\2610.0983\n"));
	assert_true(view_sample_says(&sample, "m 65 blocks\n"));
	assert_true(view_sample_says(&sample, "per block level 95% profile"));
	assert_true(view_sample_says(&sample, "\n0.1 4.30 ms [4.20 ms, 4.45 ms]"));
	assert_true(view_sample_says(&sample, "\n0.01 4.69 ms [4.49 ms, 5.26 ms]"));
	assert_true(view_sample_says(&sample, "\n1e-3 5.03 ms [4.66 ms, 6.47 ms]"));
	/* twice the difference of the log-likelihoods is 0.24275: chi2 with one df */
	assert_true(view_sample_says(&sample, "Gumbel in GEV .62\n"));
	assert_true(view_sample_says(&sample, "p with full tests: key A"));
	view_sample_release(&sample);
}

static double reference_of(const char *file, const char *column, const char *target)
{
	struct table table;
	double found = NAN;

	if (!table_read(file, &table))
		skip();
	for (size_t i = 0; i < table.n_rows; i++)
		if (!strcmp(table_text(&table, i, "dataset"), "portpirie") &&
		    !strcmp(table_text(&table, i, "model"), "gev") &&
		    (!target || !strcmp(table_text(&table, i, "target"), target)) && isnan(found))
			found = table_number(&table, i, column) * 1e6;
	table_release(&table);
	return found;
}

static void assert_near(double ours, double right, double relative)
{
	if (!(fabs(ours - right) <= relative * fabs(right)))
		fail_msg("%.10g instead of %.10g", ours, right);
}

/* The cells carry the numbers themselves, not what was rounded for the screen. */
static void test_port_pirie_reference(void **state)
{
	static const struct {
		const char *row, *target;
	} levels[] = {{"0.1", "T=10"}, {"0.01", "T=100"}, {"1e-3", "T=1000"}};
	struct view_sample sample;
	const struct view_table *table;

	(void)state;
	portpirie_init(&sample);
	view_sample_build(&sample, PANEL_FIT, 100, 30);
	assert_near(view_cell_after(&sample, "location ")->number,
		    reference_of("fits/fits_A.csv", "mu", NULL), 1e-7);
	assert_near(view_cell_after(&sample, "scale ")->number,
		    reference_of("fits/fits_A.csv", "sigma", NULL), 1e-7);
	assert_near(1e6 * view_cell_after(&sample, "shape ")->number,
		    reference_of("fits/fits_A.csv", "xi", NULL), 1e-6);
	table = &view_sample_block(&sample, BLOCK_TABLE, 0)->table;
	for (size_t i = 0; i < COUNT_OF(levels); i++) {
		const struct view_cell *level = view_table_cell(table, levels[i].row, "level");
		const struct view_cell *bounds = view_table_cell(table, levels[i].row, "interval");
		const char *file = "fits/profile_ci_A.csv";

		assert_non_null(level);
		assert_near(level->number, reference_of(file, "estimate", levels[i].target), 1e-6);
		assert_near(bounds->range.low, reference_of(file, "method2_lo", levels[i].target),
			    1e-6);
		assert_near(bounds->range.high, reference_of(file, "method2_hi", levels[i].target),
			    1e-6);
	}
	view_sample_release(&sample);
}

static void test_unit_is_named(void **state)
{
	struct view_sample sample;

	(void)state;
	portpirie_init(&sample);
	sample.settings.unit = UNIT_EXECUTIONS;
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	assert_true(view_sample_says(&sample, "\nper exec. level"));
	sample.settings.unit = UNIT_BLOCKS;
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	assert_true(view_sample_says(&sample, "\nper block level"));
	view_sample_release(&sample);
}

/* A block of ten says nothing of what happens more often than once in ten. */
static void test_empirical(void **state)
{
	struct view_sample sample;
	uint64_t ns[1000];

	(void)state;
	view_sample_law(MODEL_GUMBEL, 300e3, 10e3, 0, ns, 1000);
	view_sample_init(&sample, ns, NULL, NULL, 1000);
	sample.settings.block_size = 20;
	view_sample_build(&sample, PANEL_FIT, 60, 30);
	/* type 7 between the quantiles at 0.8995 and 0.9005: 322.451 and 322.556 us */
	assert_true(view_sample_says(&sample, "\n0.1 322 us (empirical)"));
	assert_true(view_sample_says(&sample, "\n0.01 34"));
	view_sample_release(&sample);
}

static void test_refused(void **state)
{
	struct view_sample sample;
	uint64_t ns[40];

	(void)state;
	for (int i = 0; i < 40; i++)
		ns[i] = 1000 + (uint64_t)(i * 7 % 40);
	view_sample_init(&sample, ns, NULL, NULL, 39);
	sample.settings.block_size = 2;
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	assert_true(view_sample_says(&sample, "no fit: needs 20 blocks, has 19m 19 blocks\n"));
	assert_true(view_sample_says(&sample, "no fit needs 20 blocks, has 19"));
	assert_null(view_cell_after(&sample, "location "));
	view_sample_release(&sample);

	view_sample_init(&sample, ns, NULL, NULL, 40);
	sample.settings.block_size = 2;
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	assert_true(view_sample_says(&sample, "m 20 blocks, weak: fewer than 50\n"));
	assert_non_null(view_cell_after(&sample, "location "));
	view_sample_release(&sample);

	for (int i = 0; i < 40; i++)
		ns[i] = 1000;
	view_sample_init(&sample, ns, NULL, NULL, 40);
	sample.settings.block_size = 1;
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	assert_true(view_sample_says(&sample, "no fit: all maxima are equal"));
	assert_null(view_cell_after(&sample, "location "));
	view_sample_release(&sample);
}

static void heavy_init(struct view_sample *sample)
{
	uint64_t ns[2000];

	view_sample_law(MODEL_GEV, 300e3, 20e3, 0.9, ns, 2000);
	view_sample_init(sample, ns, NULL, NULL, 2000);
	sample->settings.block_size = 20;
}

/* No number for a pWCET that a heavy tail would make minutes long. */
static void test_not_trusted(void **state)
{
	struct view_sample sample;
	const struct view_table *table;
	const struct view_cell *cell;
	struct text line = {0};

	(void)state;
	heavy_init(&sample);
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	assert_true(view_sample_says(&sample, "pWCET 1e-9  not trusted: over 10x max"));
	/* one row for all that is not trusted, with the reason and with the mark */
	table = &view_sample_block(&sample, BLOCK_TABLE, 0)->table;
	cell = &table->cells[(table->n_rows - 1) * table->n_columns];
	assert_non_null(strstr(cell[0].text, " .."));
	assert_string_equal(cell[1].text, "not trusted");
	assert_string_equal(cell[2].text, "over 10x max");
	assert_string_equal(cell[3].text, "pWCET");
	view_line_text(&sample.panel.condensed, &line);
	assert_non_null(strstr(line.bytes, "1e-9 not trusted"));
	text_release(&line);

	sample.settings.force = true;
	view_sample_build(&sample, PANEL_FIT, 60, 30);
	cell = view_cell_after(&sample, "pWCET 1e-9  ");
	/* a number without colour still says that nobody vouches for it */
	assert_int_equal(cell->kind, CELL_TEXT);
	assert_int_equal(cell->text[strlen(cell->text) - 1], '?');
	assert_true(strtod(cell->text, NULL) > 60);
	assert_true(view_sample_says(&sample, " not trusted"));
	view_sample_release(&sample);
}

static const char *row_text(const struct view_table *table, uint32_t row, uint32_t column,
			    char out[VIEW_CELL_SIZE])
{
	return view_format(out, VIEW_CELL_SIZE, &table->cells[row * table->n_columns + column]);
}

/* Of a short table decades are left out, but never the one where trust ends. */
static void test_first_refused_stays(void **state)
{
	struct view_sample sample;
	char first[VIEW_CELL_SIZE] = "", text[VIEW_CELL_SIZE];
	bool found, cut = false;
	uint64_t ns[2000];

	(void)state;
	/* heavy enough for two reasons: beyond the horizon at first, too long later */
	view_sample_law(MODEL_GEV, 300e3, 20e3, 0.3, ns, 2000);
	view_sample_init(&sample, ns, NULL, NULL, 2000);
	sample.settings.block_size = 20;
	view_sample_build(&sample, PANEL_FIT, 60, 40);
	const struct view_table *table = &view_sample_block(&sample, BLOCK_TABLE, 0)->table;
	uint32_t all = table->n_rows;

	for (uint32_t i = 0; i < table->n_rows && !*first; i++)
		if (!strcmp(row_text(table, i, 1, text), "not trusted"))
			row_text(table, i, 0, first);
	assert_non_null(strstr(first, "1e-"));
	first[4] = '\0';
	for (uint16_t height = 9; height < 20; height++) {
		view_sample_build(&sample, PANEL_FIT, 60, height);
		table = &view_sample_block(&sample, BLOCK_TABLE, 0)->table;
		cut = cut || table->n_rows < all;
		found = false;
		for (uint32_t i = 0; i < table->n_rows; i++)
			found = found || !strncmp(row_text(table, i, 0, text), first, 4);
		if (!found)
			fail_msg("no row of %s in a panel of %u rows", first, height);
	}
	assert_true(cut);
	view_sample_release(&sample);
}

/* Gumbel's own levels are tame, but the maxima are not: beyond the horizon nothing is claimed. */
static void test_gumbel_of_heavy_tail(void **state)
{
	struct view_sample sample;

	(void)state;
	heavy_init(&sample);
	sample.settings.model = MODEL_GUMBEL;
	view_sample_build(&sample, PANEL_FIT, 70, 20);
	assert_true(view_sample_says(&sample, "pWCET 1e-9  not trusted: heavy tail"));
	/* 2,000 executions: the horizon is 5e-5 */
	assert_true(view_sample_says(&sample, "\n1e-5 .. not trusted heavy tail pWCET"));
	assert_true(view_sample_says(&sample, "Gumbel in GEV <.001: rejected"));
	/* where the model is named, too */
	assert_true(view_sample_says(&sample, "  Gumbel rejected  MLE"));
	view_sample_release(&sample);
}

static void test_pending(void **state)
{
	struct view_sample sample;
	const struct view_table *table;

	(void)state;
	portpirie_init(&sample);
	sample.stage_one = true;
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	assert_true(sample.panel.pending);
	table = &view_sample_block(&sample, BLOCK_TABLE, 0)->table;
	assert_string_equal(view_table_cell(table, "1e-3", "interval")->text, "computing");
	assert_int_equal(view_table_cell(table, "1e-3", "interval")->role, ROLE_PENDING);
	assert_int_equal(view_table_cell(table, "1e-3", "level")->kind, CELL_DURATION);
	assert_true(view_sample_says(&sample, "testing"));
	sample.stage_one = false;
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	assert_false(sample.panel.pending);

	sample.late = true;
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	assert_true(sample.panel.pending);
	assert_true(view_sample_says(&sample, "fitting"));
	view_sample_release(&sample);
}

/* What is of the settings before is grey, and the title names the new ones. */
static void test_stale(void **state)
{
	struct view_sample sample;
	struct settings earlier;

	(void)state;
	portpirie_init(&sample);
	earlier = sample.settings;
	sample.settings.block_size = 2;
	sample.earlier = &earlier;
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	assert_true(sample.panel.pending);
	assert_true(view_sample_says(&sample, "  B 2"));
	assert_int_equal(view_cell_after(&sample, "location ")->role, ROLE_PENDING);
	assert_true(view_sample_block(&sample, BLOCK_TABLE, 0)->table.rows[0].flags & ROW_PENDING);
	view_sample_release(&sample);
}

static void test_deadline(void **state)
{
	struct view_sample sample;

	(void)state;
	portpirie_init(&sample);
	view_sample_build(&sample, PANEL_FIT, 80, 34);
	assert_true(view_sample_says(&sample, "deadline   none"));
	/* 35 of 65 years exceed it */
	sample.context.deadline_ns = 3900000;
	view_sample_build(&sample, PANEL_FIT, 80, 24);
	assert_true(view_sample_says(&sample, "deadline   3.90 ms  invalid"));
	assert_int_equal(view_cell_after(&sample, "3.90 ms")->role, ROLE_BAD);
	/* beyond the end that a shape at the upper end of its interval has: never at 1e-2 */
	sample.settings.probability = 0.01;
	sample.context.deadline_ns = 30000000;
	view_sample_build(&sample, PANEL_FIT, 80, 24);
	assert_true(view_sample_says(&sample, "deadline   30.0 ms  valid"));
	assert_int_equal(view_cell_after(&sample, "30.0 ms")->role, ROLE_GOOD);
	view_sample_release(&sample);
}

static void test_strata_and_models(void **state)
{
	struct view_sample sample;
	uint64_t ns[1000];
	uint8_t flags[1000] = {0};

	(void)state;
	view_sample_law(MODEL_GUMBEL, 300e3, 10e3, 0, ns, 1000);
	for (int i = 0; i < 1000; i += 100) {
		flags[i] = EXECUTION_DISTURBED;
		ns[i] += 9000000;
	}
	view_sample_init(&sample, ns, NULL, flags, 1000);
	sample.settings.block_size = 20;
	sample.context.zoomed = true;
	view_sample_build(&sample, PANEL_FIT, 120, 34);
	assert_true(view_sample_says(&sample, "undisturbed 990\n"));
	assert_true(view_sample_says(&sample, "\nGEV 990 49 "));
	assert_true(view_sample_says(&sample, "\nGumbel 990 49 "));
	assert_true(view_sample_says(&sample, "\ndisturbed 10 0 9.3"));
	assert_true(view_sample_says(&sample, "no fit needs 20 blocks, has 0"));
	sample.context.zoomed = false;
	view_sample_build(&sample, PANEL_FIT, 70, 17);
	assert_true(view_sample_says(&sample, "disturbed  10   longest 9.3"));
	sample.settings.stratum = STRATUM_ALL;
	view_sample_build(&sample, PANEL_FIT, 120, 34);
	assert_true(view_sample_says(&sample, "\nundisturbed 990 49 "));
	view_sample_release(&sample);
}

static void test_emulated_is_said_once(void **state)
{
	struct view_sample sample;
	struct text text = {0};
	const char *at;

	(void)state;
	portpirie_init(&sample);
	sample.input.emulated = EMULATION_HOST;
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	view_sample_text(&sample, &text);
	at = strstr(text.bytes, "emulated: times mean little");
	assert_non_null(at);
	assert_null(strstr(at + 1, "emulated"));
	text_release(&text);
	sample.input.emulated = EMULATION_COUNTED;
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	view_sample_text(&sample, &text);
	assert_null(strstr(text.bytes, "emulated"));
	text_release(&text);
	view_sample_release(&sample);
}

/* Whatever the size: nothing that was put there is cut, and the pWCET is in sight. */
static void check_size(struct view_sample *sample, int width, int height)
{
	const struct view_block *table;
	bool found = false;

	view_sample_build(sample, PANEL_FIT, width, height);
	if (height < 4)
		return;
	if (view_sample_rows(sample) > height - 1)
		fail_msg("%d rows in %dx%d", view_sample_rows(sample), width, height);
	table = view_sample_block(sample, BLOCK_TABLE, 0);
	if (!table || height < 5)
		return;
	for (uint32_t i = 0; i < table->table.n_rows; i++)
		for (uint32_t k = 0; k < table->table.n_columns; k++) {
			const struct view_cell *cell =
				&table->table.cells[i * table->table.n_columns + k];

			found |= cell->kind == CELL_TEXT && cell->text &&
				 !strcmp(cell->text, "pWCET");
		}
	if (!found)
		fail_msg("no pWCET in %dx%d", width, height);
}

static void test_sizes(void **state)
{
	static const int widths[] = {30, 40, 60, 80, 120, 200};
	struct view_sample sample;

	(void)state;
	for (int heavy = 0; heavy < 2; heavy++) {
		if (heavy)
			heavy_init(&sample);
		else
			portpirie_init(&sample);
		sample.stage_one = true; /* the layout does not need intervals */
		for (size_t i = 0; i < COUNT_OF(widths); i++)
			for (int height = 1; height <= 40; height += 1 + height / 12)
				for (int zoomed = 0; zoomed < 2; zoomed++) {
					sample.context.zoomed = zoomed;
					check_size(&sample, widths[i], height);
				}
		view_sample_release(&sample);
	}
}

/* ---- the other kinds ---- */

static void test_qq(void **state)
{
	struct view_sample sample;
	const struct view_plot *plot;

	(void)state;
	portpirie_init(&sample);
	sample.context.kind[PANEL_FIT] = 2;
	view_sample_build(&sample, PANEL_FIT, 80, 24);
	plot = &view_sample_block(&sample, BLOCK_PLOT, 0)->plot;
	assert_int_equal(plot->n_series, 2);
	assert_int_equal(plot->series[1].n, PORTPIRIE_N);
	assert_near(plot->series[1].y[0], 3.57e6, 1e-12);
	assert_near(plot->series[1].y[PORTPIRIE_N - 1], 4.69e6, 1e-12);
	/* the model's quantile at 1/66: 3.8747 - 0.19804 (1 - (ln 66)^0.0501) / 0.0501 */
	assert_near(plot->series[1].x[0],
		    1e6 * (3.874749855 +
			   0.1980439571 / -0.05010953152 * (pow(log(66), 0.05010953152) - 1)),
		    1e-6);
	view_sample_release(&sample);
}

static void test_level_plot(void **state)
{
	struct view_sample sample;
	const struct view_plot *plot;

	(void)state;
	heavy_init(&sample);
	sample.context.kind[PANEL_FIT] = 1;
	view_sample_build(&sample, PANEL_FIT, 80, 24);
	plot = &view_sample_block(&sample, BLOCK_PLOT, 0)->plot;
	/* nothing is drawn of what is not trusted */
	assert_true(plot->x.high < 1e9);
	for (uint32_t i = 0; i < plot->n_series; i++)
		for (uint32_t k = 0; k < plot->series[i].n; k++)
			assert_true(plot->series[i].x[k] <= plot->x.high);
	assert_true(plot->n_marks > 0);
	assert_non_null(strstr(plot->marks[0].label, "not trusted"));
	view_sample_release(&sample);

	portpirie_init(&sample);
	sample.context.kind[PANEL_FIT] = 1;
	view_sample_build(&sample, PANEL_FIT, 80, 24);
	plot = &view_sample_block(&sample, BLOCK_PLOT, 0)->plot;
	/* the longest of 65 is exceeded once in 66 */
	assert_int_equal(plot->series[0].kind, SERIES_POINTS);
	assert_near(plot->series[0].x[plot->series[0].n - 1], 66, 1e-12);
	assert_near(plot->series[0].y[plot->series[0].n - 1], 4.69e6, 1e-12);
	assert_near(plot->x.high, 1e15, 1e-9);
	view_sample_release(&sample);
}

static void test_block_sizes(void **state)
{
	struct view_sample sample;
	const struct view_table *table;
	const struct view_cell *cell;

	(void)state;
	heavy_init(&sample);
	sample.context.kind[PANEL_FIT] = 3;
	view_sample_build(&sample, PANEL_FIT, 80, 24);
	table = &view_sample_block(&sample, BLOCK_TABLE, 0)->table;
	/* 2,000 executions have 20 blocks of 100 and 10 of 200 */
	assert_int_equal(table->n_rows, 5);
	assert_int_equal(view_table_cell(table, "20", "maxima")->count, 100);
	assert_int_equal(table->rows[1].role, ROLE_STRONG);
	assert_int_equal(view_table_cell(table, "100", "maxima")->count, 20);
	cell = view_table_cell(table, "200 ..", "pwcet");
	assert_non_null(cell);
	assert_string_equal(cell->text, "m < 20");
	/* xi near 0.9 at every size: a tail beyond the horizon is not told */
	cell = view_table_cell(table, "20", "shape");
	assert_true(cell->number > 0.6 && cell->number < 1.2);
	assert_string_equal(view_table_cell(table, "20", "pwcet")->text, "not trusted");
	view_sample_release(&sample);
}

static void test_nothing_selected(void **state)
{
	struct view_sample sample;

	(void)state;
	portpirie_init(&sample);
	sample.context.call = UINT32_MAX;
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	assert_true(view_sample_says(&sample, "no call is selected"));
	sample.context.call = 0;
	sample.recording.has_durations = false;
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	assert_true(view_sample_says(&sample, "the traces have no durations"));
	sample.context.recording = NULL;
	view_sample_build(&sample, PANEL_FIT, 60, 17);
	assert_true(view_sample_says(&sample, "no executions"));
	view_sample_release(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_port_pirie),
		cmocka_unit_test(test_port_pirie_reference),
		cmocka_unit_test(test_unit_is_named),
		cmocka_unit_test(test_empirical),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_not_trusted),
		cmocka_unit_test(test_first_refused_stays),
		cmocka_unit_test(test_gumbel_of_heavy_tail),
		cmocka_unit_test(test_pending),
		cmocka_unit_test(test_stale),
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_strata_and_models),
		cmocka_unit_test(test_emulated_is_said_once),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_qq),
		cmocka_unit_test(test_level_plot),
		cmocka_unit_test(test_block_sizes),
		cmocka_unit_test(test_nothing_selected),
	};

	gsl_set_error_handler_off();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
