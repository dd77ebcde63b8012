/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Analysis of samples made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evtop/analysis.h"

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static void sample_alloc(struct sample *sample, uint32_t n)
{
	*sample = (struct sample){.n = n};
	sample->value_ns = mem_zero(n, sizeof *sample->value_ns);
	sample->execution = mem_zero(n, sizeof *sample->execution);
	sample->campaign = mem_zero(n, sizeof *sample->campaign);
	sample->run = mem_zero(n, sizeof *sample->run);
}

static void sample_free(struct sample *sample)
{
	free(sample->value_ns);
	free(sample->execution);
	free(sample->campaign);
	free(sample->run);
}

/* Executions of GEV(location, scale, shape), in campaigns of 1000 and runs of 10. */
static void draw(struct sample *sample, uint32_t n, double location, double scale, double shape,
		 uint64_t seed)
{
	const double theta[] = {location, scale, shape};

	sample_alloc(sample, n);
	for (uint32_t i = 0; i < n; i++) {
		double y = -log(stats_random_uniform(&seed));

		sample->value_ns[i] =
			(uint64_t)fmax(0, stats_distribution(MODEL_GEV)->quantile(theta, y));
		sample->execution[i] = i;
		sample->campaign[i] = i / 1000;
		sample->run[i] = i / 10;
	}
}

/* ---- the fit ---- */

static void recovers_the_truth(void **state)
{
	struct sample sample;
	struct settings settings;
	struct fit fit;
	double truth;

	(void)state;
	settings_init(&settings);
	settings.model = MODEL_GUMBEL;
	draw(&sample, 20000, 250000, 10000, 0, 6);
	/* F(x) of one execution is the Gumbel itself: P(X > x) = 1 - exp(-y) */
	truth = 250000 - 10000 * log(-log1p(-1e-9));
	fit_compute(&sample, &settings, 0, &fit);
	assert_null(fit.refused);
	assert_true(fit.pending && isnan(fit_pwcet(&fit)->lower_ns));
	assert_int_equal(fit.n_maxima, 400);
	assert_true(fit_intervals(&fit, NULL));
	assert_false(fit.pending);
	assert_true(fit_pwcet(&fit)->lower_ns < truth && truth < fit_pwcet(&fit)->upper_ns);
	assert_true(fit_pwcet(&fit)->trusted);
	assert_int_equal(fit.n_levels, N_DECADES);
	assert_true(fit_pwcet(&fit)->probability == 1e-9 && fit.pwcet == 8);
	/* 0.1 is above 1/50: data, and its type 7 quantile; 0.01 is the model's */
	assert_int_equal(fit.levels[0].source, LEVEL_EMPIRICAL);
	assert_int_equal(fit.levels[1].source, LEVEL_MODEL);
	stats_sort(sample.value_ns, NULL, sample.n);
	NEAR(fit.levels[0].estimate_ns, stats_quantile(sample.value_ns, sample.n, 0.9), 1e-6);
	assert_true(fit.longest_ns == sample.value_ns[sample.n - 1]);
	for (size_t i = 2; i < fit.n_levels; i++) {
		assert_true(fit.levels[i].estimate_ns > fit.levels[i - 1].estimate_ns);
		assert_true(fit.levels[i].upper_ns > fit.levels[i - 1].upper_ns);
	}
	fit_release(&fit);
	sample_free(&sample);
}

static void places_the_pwcet(void **state)
{
	static const struct {
		double probability;
		size_t place, n;
	} cases[] = {{1e-9, 8, 15},   {1e-15, 14, 15}, {2.5e-4, 3, 16},
		     {1e-16, 15, 16}, {0.5, 0, 16},    {0.1, 0, 15}};
	struct sample sample;
	struct settings settings;
	struct fit fit;

	(void)state;
	settings_init(&settings);
	draw(&sample, 5000, 250000, 10000, 0, 6);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		settings.probability = cases[i].probability;
		fit_compute(&sample, &settings, 0, &fit);
		assert_int_equal(fit.pwcet, cases[i].place);
		assert_int_equal(fit.n_levels, cases[i].n);
		NEAR(fit_pwcet(&fit)->probability / cases[i].probability, 1, 1e-12);
		assert_true(isfinite(fit_pwcet(&fit)->estimate_ns));
		for (size_t j = 1; j < fit.n_levels; j++)
			assert_true(fit.levels[j].probability < fit.levels[j - 1].probability);
		fit_release(&fit);
	}
	/* in blocks: 10^k blocks of 50 */
	settings.unit = UNIT_BLOCKS;
	settings.probability = 1e-9;
	fit_compute(&sample, &settings, 0, &fit);
	assert_int_equal(fit.n_levels, 16);
	NEAR(fit.levels[2].count, 1000, 0);
	NEAR(fit.levels[2].executions, 50000, 0);
	NEAR(fit.levels[2].probability, -expm1(log1p(-1e-3) / 50), 1e-18);
	assert_true(fit_pwcet(&fit)->probability == 1e-9);
	NEAR(fit_pwcet(&fit)->count, 2e7, 1);
	fit_release(&fit);
	sample_free(&sample);
}

static void refuses_and_still_counts(void **state)
{
	struct sample sample, none = {0};
	struct settings settings;
	struct fit fit;

	(void)state;
	settings_init(&settings);
	draw(&sample, 900, 250000, 10000, 0, 6);
	fit_compute(&sample, &settings, 400000, &fit);
	assert_string_equal(fit.refused, "needs 20 blocks, has 18");
	assert_false(fit.pending);
	assert_true(fit_intervals(&fit, NULL));
	assert_true(isnan(fit.log_likelihood) && isnan(fit.anderson_darling));
	/* what data can say is said; the rest has its reason */
	assert_true(fit.levels[0].trusted && isfinite(fit.levels[0].estimate_ns));
	assert_int_equal(fit.levels[5].distrust, DISTRUST_NO_FIT);
	assert_true(isnan(fit.levels[5].estimate_ns));
	assert_int_equal(fit.deadline.verdict, VERDICT_UNKNOWN);
	assert_int_equal(fit.n_warnings, 0);
	fit_release(&fit);
	fit_compute(&none, &settings, 400000, &fit);
	assert_string_equal(fit.refused, "needs 20 blocks, has 0");
	assert_false(fit.levels[0].trusted);
	fit_release(&fit);
	sample_free(&sample);
}

/* Every reason fits a cell of 14 columns and has a sentence. */
static void words_of_distrust(void **state)
{
	(void)state;
	assert_null(distrust_words(TRUSTED));
	for (int i = TRUSTED + 1; i <= DISTRUST_NOT_FINITE; i++) {
		assert_true(strlen(distrust_words((enum distrust)i)) <= 14);
		assert_true(strlen(distrust_sentence((enum distrust)i)) > 20);
	}
}

static void trusts_no_heavy_tail(void **state)
{
	struct sample sample;
	struct settings settings;
	struct fit fit;

	(void)state;
	settings_init(&settings);
	draw(&sample, 20000, 250000, 10000, 0.5, 7);
	for (int model = MODEL_GEV; model <= MODEL_GUMBEL; model++) {
		settings.model = (enum model)model;
		fit_compute(&sample, &settings, 0, &fit);
		assert_true(fit_intervals(&fit, NULL));
		assert_true(fit.shape.lower > 0.3 && fit.shape.upper < 0.7);
		/* the horizon is 1/(10 n) = 5e-6 */
		assert_true(fit.levels[4].trusted || fit.levels[4].distrust == DISTRUST_TOO_LONG);
		assert_false(fit.levels[5].trusted);
		if (model == MODEL_GUMBEL) {
			/* a tame model does not make the tail tame */
			assert_int_equal(fit.levels[5].distrust, DISTRUST_HEAVY_TAIL);
			assert_true(fit.likelihood_ratio_p < 1e-6);
			assert_non_null(strstr(fit.warnings[0].text, "too low"));
		}
		assert_int_equal(fit.levels[14].distrust == DISTRUST_TOO_LONG, model == MODEL_GEV);
		fit_release(&fit);
	}
	sample_free(&sample);
}

/* The one rule on each side of each of its edges. */
static void trust_has_edges(void **state)
{
	struct sample sample;
	struct settings settings;
	struct fit fit;

	(void)state;
	settings_init(&settings);
	draw(&sample, 20000, 250000, 10000, 0.02, 30);
	fit_compute(&sample, &settings, 0, &fit);
	assert_true(fit_intervals(&fit, NULL));
	/* covers 0: trusted beyond the horizon while below 10 times the longest */
	assert_true(fit.shape.lower <= 0);
	for (size_t i = 0; i < fit.n_levels; i++)
		assert_int_equal(fit.levels[i].trusted,
				 fit.levels[i].estimate_ns <= 10.0 * (double)fit.longest_ns);
	fit_release(&fit);
	sample_free(&sample);
}

static void judges_deadlines(void **state)
{
	struct sample sample;
	struct settings settings;
	struct fit fit;
	double level;

	(void)state;
	settings_init(&settings);
	settings.model = MODEL_GUMBEL;
	draw(&sample, 20000, 250000, 10000, 0, 6);
	fit_compute(&sample, &settings, 0, &fit);
	fit_intervals(&fit, NULL);
	level = fit_pwcet(&fit)->upper_ns;
	fit_release(&fit);

	/* beyond the level's upper end the probability's upper end is below 1e-9: duality */
	fit_compute(&sample, &settings, (uint64_t)(level * 1.001), &fit);
	assert_int_equal(fit.deadline.verdict, VERDICT_UNKNOWN);
	assert_string_equal(fit.deadline.reason, "its interval is not computed yet");
	fit_intervals(&fit, NULL);
	assert_int_equal(fit.deadline.verdict, VERDICT_VALID);
	assert_true(fit.deadline.lower < fit.deadline.probability &&
		    fit.deadline.probability < fit.deadline.upper && fit.deadline.upper < 1e-9);
	fit_release(&fit);
	fit_compute(&sample, &settings, (uint64_t)(level * 0.999), &fit);
	fit_intervals(&fit, NULL);
	assert_int_equal(fit.deadline.verdict, VERDICT_UNKNOWN);
	assert_true(fit.deadline.upper > 1e-9);
	fit_release(&fit);
	/* observed beyond it */
	fit_compute(&sample, &settings, 270000, &fit);
	assert_true(fit.deadline.n_exceeded > 1000);
	assert_int_equal(fit.deadline.source, LEVEL_EMPIRICAL);
	assert_int_equal(fit.deadline.verdict, VERDICT_INVALID);
	NEAR(fit.deadline.probability, (double)fit.deadline.n_exceeded / 20000, 1e-15);
	fit_release(&fit);
	sample_free(&sample);

	/* a bounded fit: beyond its end the estimate is 0, and 0 is not the upper end */
	settings.model = MODEL_GEV;
	draw(&sample, 20000, 250000, 10000, -0.3, 9);
	fit_compute(&sample, &settings, 283334, &fit);
	fit_intervals(&fit, NULL);
	assert_true(fit.deadline.lower <= fit.deadline.probability);
	assert_true(fit.deadline.upper > fit.deadline.probability);
	fit_release(&fit);
	sample_free(&sample);
}

static void lmoments_have_bootstrap_intervals(void **state)
{
	struct sample sample;
	struct settings settings;
	struct fit fit, copy;
	_Atomic bool stop = true;

	(void)state;
	settings_init(&settings);
	settings.estimator = ESTIMATOR_LMOMENTS;
	draw(&sample, 5000, 250000, 10000, 0.1, 10);
	fit_compute(&sample, &settings, 500000, &fit);
	assert_int_equal(fit.interval, INTERVAL_BOOTSTRAP);
	assert_non_null(fit.no_errors);
	fit_copy(&copy, &fit);
	assert_false(fit_intervals(&fit, &stop));
	assert_true(fit.pending);
	assert_true(fit_intervals(&fit, NULL));
	assert_true(fit_intervals(&copy, NULL));
	assert_null(fit.no_errors);
	assert_true(fit.standard_error[SHAPE] > 0);
	for (size_t i = 1; i < fit.n_levels; i++) {
		assert_true(fit.levels[i].lower_ns < fit.levels[i].estimate_ns);
		assert_true(fit.levels[i].estimate_ns < fit.levels[i].upper_ns);
		assert_true(fit.levels[i].upper_ns == copy.levels[i].upper_ns);
	}
	assert_true(fit.deadline.lower < fit.deadline.upper);
	fit_release(&fit);
	fit_release(&copy);
	sample_free(&sample);
}

static void runs_make_blocks(void **state)
{
	struct sample sample;
	struct settings settings;
	struct fit fit;

	(void)state;
	settings_init(&settings);
	settings.block_unit = BLOCK_RUN;
	settings.block_size = 3;
	draw(&sample, 6000, 250000, 10000, 0, 12);
	fit_compute(&sample, &settings, 0, &fit);
	/* six campaigns of 100 runs of 10: 33 blocks each, the last run left over */
	assert_int_equal(fit.n_maxima, 198);
	NEAR(fit.executions_per_block, 30, 1e-12);
	assert_true(fit_intervals(&fit, NULL));
	fit_release(&fit);
	sample_free(&sample);
}

static void full_tests_refit(void **state)
{
	struct sample sample;
	struct settings settings;
	struct fit fit;

	(void)state;
	settings_init(&settings);
	settings.tests = TESTS_FULL;
	draw(&sample, 5000, 250000, 10000, 0.1, 13);
	fit_compute(&sample, &settings, 0, &fit);
	assert_true(isnan(fit.anderson_darling_p));
	assert_true(fit_intervals(&fit, NULL));
	assert_true(fit.anderson_darling_p > 0.01 && fit.anderson_darling_refits > 950);
	fit_release(&fit);
	sample_free(&sample);
}

/* Values in steps as wide as the scale. */
static void warns_of_ties(void **state)
{
	struct sample sample;
	struct settings settings;
	struct fit fit;

	(void)state;
	settings_init(&settings);
	draw(&sample, 5000, 20000, 1500, 0, 14);
	for (uint32_t i = 0; i < sample.n; i++)
		sample.value_ns[i] -= sample.value_ns[i] % 1000;
	fit_compute(&sample, &settings, 0, &fit);
	assert_true(fit.tick_ns == 1000 && fit.tied_share > 0.9);
	assert_non_null(strstr(fit.warnings[0].text, "1.00 us"));
	fit_release(&fit);
	sample_free(&sample);
}

static void shows_stability_and_qq(void **state)
{
	const uint32_t sizes[] = {10, 50, 100, 1000};
	struct stability rows[4];
	struct sample sample;
	struct settings settings;
	struct fit fit;
	double model[100], observed[100];

	(void)state;
	settings_init(&settings);
	draw(&sample, 5000, 250000, 10000, 0, 15);
	fit_stability(&sample, &settings, sizes, 4, rows);
	assert_int_equal(rows[0].n_maxima, 500);
	assert_true(isfinite(rows[2].theta[SHAPE]) && rows[2].shape_error > 0);
	assert_true(isnan(rows[3].theta[SHAPE]) && isnan(rows[3].pwcet_ns));
	fit_compute(&sample, &settings, 0, &fit);
	assert_true(rows[1].pwcet_ns == fit_pwcet(&fit)->estimate_ns);
	assert_true(fit_qq(&fit, model, observed));
	for (size_t i = 0; i < 100; i++)
		NEAR(model[i] / observed[i], 1, 0.1);
	fit_release(&fit);
	sample_free(&sample);
}

/* ---- tests of the assumptions ---- */

static void finds_nothing_in_noise(void **state)
{
	struct sample sample;
	struct settings settings;
	struct test_results results;
	_Atomic bool stop = true;

	(void)state;
	settings_init(&settings);
	draw(&sample, 5000, 250000, 10000, 0, 16);
	assert_true(tests_compute(&sample, &settings, NULL, &results));
	assert_true(results.independent.known && !results.independent.rejected);
	assert_true(!results.identically_distributed.rejected);
	assert_string_equal(results.halves, "halves of the campaigns");
	assert_int_equal(results.n_rows, 19);
	assert_int_equal(results.maxima.n, 100);
	assert_false(tests_compute(&sample, &settings, &stop, &results));
	assert_int_equal(results.n_rows, 0);
	sample.n = 7;
	assert_true(tests_compute(&sample, &settings, NULL, &results));
	assert_false(results.independent.known);
	sample.n = 0;
	assert_true(tests_compute(&sample, &settings, NULL, &results));
	assert_false(results.identically_distributed.known);
	sample_free(&sample);
}

static void finds_dependence_and_drift(void **state)
{
	struct sample sample;
	struct settings settings;
	struct test_results results;

	(void)state;
	settings_init(&settings);
	draw(&sample, 5000, 250000, 10000, 0, 17);
	for (uint32_t i = 1; i < sample.n; i++)
		sample.value_ns[i] = (sample.value_ns[i] + sample.value_ns[i - 1]) / 2;
	assert_true(tests_compute(&sample, &settings, NULL, &results));
	assert_true(results.independent.rejected);
	NEAR(results.executions.lags[0], 0.5, 0.1);
	assert_true(results.executions.effective_size < 2500);
	assert_non_null(strstr(results.independent.reason, "Ljung-Box"));
	sample_free(&sample);

	draw(&sample, 5000, 250000, 10000, 0, 18);
	for (uint32_t i = 3000; i < sample.n; i++)
		sample.value_ns[i] += 5000;
	assert_true(tests_compute(&sample, &settings, NULL, &results));
	assert_true(results.identically_distributed.rejected);
	/* five campaigns: two against three */
	assert_int_equal(results.rows[results.ks_halves].n, 5000);
	/* a shift of half a scale in two thirds of one half: D near 0.12, 2 D^2 1200 = 37 */
	assert_true(results.rows[results.ks_halves].log_p < -20);
	assert_non_null(strstr(results.identically_distributed.reason, "campaigns differ"));
	sample_free(&sample);
}

/* ---- density ---- */

static void draws_densities(void **state)
{
	struct sample sample;
	struct sorted sorted, empty = {0};
	const struct sorted *both[] = {&sorted, &empty};
	double lower, upper;

	(void)state;
	draw(&sample, 3000, 250000, 10000, 0, 19);
	sorted_from(&sample, &sorted);
	for (int scale = AXIS_LINEAR; scale <= AXIS_LOG; scale++) {
		density_range(both, 2, (enum axis_scale)scale, 1, &lower, &upper);
		assert_true(lower < (double)sorted.value_ns[0]);
		assert_true(upper > (double)sorted.value_ns[2999]);
		for (int kind = DENSITY_KERNEL; kind <= DENSITY_CCDF; kind++) {
			struct density density;
			double area = 0,
			       width = scale == AXIS_LOG ? log(upper / lower) : upper - lower;

			assert_true(density_compute(
				both, NULL, 2, (enum density_kind)kind, (enum axis_scale)scale,
				BANDWIDTH_SHEATHER_JONES, lower, upper, 400, NULL, &density));
			for (size_t i = 0; i < 400; i++) {
				area += density.series[0].y[i] * width / 400;
				assert_true(density.series[1].y[i] == 0);
			}
			if (kind == DENSITY_KERNEL || kind == DENSITY_HISTOGRAM)
				NEAR(area, 1, 0.02);
			if (kind == DENSITY_ECDF)
				NEAR(density.series[0].y[399], 1, 0);
			if (kind == DENSITY_CCDF)
				NEAR(density.series[0].y[399], 0, 0);
			NEAR(density.series[0].beyond, 0, 0);
			density_release(&density);
		}
	}
	density_range(both + 1, 1, AXIS_LOG, 1, &lower, &upper);
	assert_true(lower > 0 && upper > lower);
	/* the longest that a file can claim: still a range */
	for (size_t i = 0; i < sorted.n; i++)
		sorted.value_ns[i] = UINT64_MAX;
	density_range(both, 1, AXIS_LINEAR, 1, &lower, &upper);
	assert_true(upper > lower && lower < 0x1p64 && upper > 0x1p64);
	sorted_release(&sorted);
	sample_free(&sample);
}

/* ---- coverage and bound ---- */

/* A call with two common paths and three seen once, over two campaigns. */
struct made_call {
	struct call call;
	struct path paths[5];
	uint32_t order[43], run[43];
	struct run runs[2];
	struct campaign campaigns[2];
	struct recording recording;
};

static void make_call(struct made_call *made)
{
	const uint32_t counts[] = {25, 15, 1, 1, 1};
	uint32_t at = 0;

	*made = (struct made_call){0};
	for (uint32_t i = 0; i < 5; i++) {
		made->paths[i] =
			(struct path){.n_executions = counts[i], .n_seen = counts[i], .first = at};
		at += counts[i];
	}
	for (uint32_t i = 0; i < at; i++) {
		made->order[i] = i;
		made->run[i] = i == 2 + 40 || (i >= 10 && i < 25);
	}
	made->runs[1].campaign = 1;
	made->call.n_executions = at;
	made->call.n_seen = at;
	made->call.run = made->run;
	made->call.paths[IDENTITY_CLEAN] = made->paths;
	made->call.n_paths[IDENTITY_CLEAN] = 5;
	made->call.order[IDENTITY_CLEAN] = made->order;
	made->recording = (struct recording){
		.campaigns = made->campaigns, .n_campaigns = 2, .runs = made->runs, .n_runs = 2};
}

static void counts_coverage(void **state)
{
	struct made_call made;
	struct coverage coverage;
	uint32_t unique[2], new[2];

	(void)state;
	make_call(&made);
	coverage_compute(&made.call, IDENTITY_CLEAN, 0.95, &coverage);
	NEAR(coverage.unseen.mass, 3.0 / 43, 1e-15);
	assert_int_equal(coverage.unseen.n_seen, 5);
	coverage_campaigns(&made.recording, &made.call, IDENTITY_CLEAN, unique, new);
	/* first campaign: both common paths and two rare ones; second: the first again, one rare */
	assert_true(unique[0] == 4 && new[0] == 4 && unique[1] == 2 && new[1] == 1);
}

/* The mixture's tail at its level is the probability asked for, by its definition. */
static void bounds_a_call(void **state)
{
	struct made_call made;
	struct sample a, b;
	struct settings settings;
	struct fit fit_a, fit_b;
	const struct fit *fits[] = {&fit_a, &fit_b};
	struct bound bound;
	double tail;

	(void)state;
	settings_init(&settings);
	settings.model = MODEL_GUMBEL;
	make_call(&made);
	draw(&a, 6000, 250000, 10000, 0, 20);
	draw(&b, 3000, 300000, 12000, 0, 21);
	fit_compute(&a, &settings, 0, &fit_a);
	fit_compute(&b, &settings, 0, &fit_b);
	made.paths[0].n_executions = 6000;
	made.paths[0].n_seen = 6000;
	made.paths[1].n_executions = 3000;
	made.paths[1].n_seen = 3000;
	made.call.n_executions = 9003;
	made.call.n_seen = 9003;
	bound_compute(&made.call, &settings, fits, 2, &bound);
	tail = 6000.0 / 9003 *
		       -expm1(-exp(-(bound.conditional_ns - fit_a.estimate.theta[0]) /
				   fit_a.estimate.theta[1]) /
			      50) +
	       3000.0 / 9003 *
		       -expm1(-exp(-(bound.conditional_ns - fit_b.estimate.theta[0]) /
				   fit_b.estimate.theta[1]) /
			      50);
	NEAR(tail / 1e-9, 1, 1e-6);
	assert_int_equal(bound.n_rare, 3);
	/* three of 9003 are left out, and more are unseen: 1e-9 cannot be claimed */
	assert_true(bound.left_out_mass_upper > 3.0 / 9003 && bound.refused[0]);
	assert_true(bound.distrust == TRUSTED && bound.n_untrusted == 0);
	/* one level of those mixed that is not trusted: neither is the mixture's */
	fit_b.levels[fit_b.pwcet].trusted = false;
	fit_b.levels[fit_b.pwcet].distrust = DISTRUST_TOO_LONG;
	bound_compute(&made.call, &settings, fits, 2, &bound);
	assert_true(bound.distrust == DISTRUST_TOO_LONG && bound.n_untrusted == 1);
	settings.probability = 0.01;
	bound_compute(&made.call, &settings, fits, 2, &bound);
	assert_string_equal(bound.refused, "");
	bound_compute(&made.call, &settings, fits, 0, &bound);
	assert_true(isnan(bound.conditional_ns) && bound.refused[0]);
	fit_release(&fit_a);
	fit_release(&fit_b);
	sample_free(&a);
	sample_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recovers_the_truth),
		cmocka_unit_test(places_the_pwcet),
		cmocka_unit_test(refuses_and_still_counts),
		cmocka_unit_test(words_of_distrust),
		cmocka_unit_test(trusts_no_heavy_tail),
		cmocka_unit_test(trust_has_edges),
		cmocka_unit_test(judges_deadlines),
		cmocka_unit_test(lmoments_have_bootstrap_intervals),
		cmocka_unit_test(runs_make_blocks),
		cmocka_unit_test(full_tests_refit),
		cmocka_unit_test(warns_of_ties),
		cmocka_unit_test(shows_stability_and_qq),
		cmocka_unit_test(finds_nothing_in_noise),
		cmocka_unit_test(finds_dependence_and_drift),
		cmocka_unit_test(draws_densities),
		cmocka_unit_test(counts_coverage),
		cmocka_unit_test(bounds_a_call),
	};

	gsl_set_error_handler_off();
	return cmocka_run_group_tests_name("analysis", tests, NULL, NULL);
}
