/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said: of deadlines, rejected fits, assumptions, and what was not seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
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

/* Executions of GEV(location, scale, shape), in one campaign. */
static void draw(struct sample *sample, uint32_t n, double location, double scale, double shape,
		 uint64_t seed)
{
	const double theta[] = {location, scale, shape};

	sample_alloc(sample, n);
	for (uint32_t i = 0; i < n; i++) {
		double y = -log(stats_random_uniform(&seed));

		sample->value_ns[i] =
			(uint64_t)fmax(0, stats_distribution(MODEL_GEV)->quantile(theta, y));
		sample->run[i] = i / 10;
	}
}

/* ---- deadlines ---- */

/* Executions of one path: durations 100 .. 100 + n - 1, the last disturbed and long. */
static void counts_all_waits(void **state)
{
	uint64_t duration_ns[] = {100, 101, 102, 103, 900, 1000, 50};
	uint8_t flags[] = {
		0, 0, 0, 0, EXECUTION_DISTURBED, EXECUTION_OWN_UNKNOWN, EXECUTION_NO_DURATION};
	uint32_t order[] = {0, 2, 4, 6, 1, 3, 5};
	struct path paths[] = {{.n_executions = 4, .n_seen = 4, .first = 0},
			       {.n_executions = 3, .n_seen = 3, .first = 4}};
	struct call call = {.n_executions = 7,
			    .n_seen = 7,
			    .duration_ns = duration_ns,
			    .flags = flags,
			    .paths = {paths},
			    .n_paths = {2},
			    .order = {order}};
	struct waits waits;

	(void)state;
	waits_count(&call, IDENTITY_CLEAN, PATH_ALL, 102, &waits);
	assert_true(waits.n == 6 && waits.n_exceeded == 3 && waits.longest_ns == 1000);
	waits_count(&call, IDENTITY_CLEAN, 0, 899, &waits);
	assert_true(waits.n == 3 && waits.n_exceeded == 1 && waits.longest_ns == 900);
	waits_count(&call, IDENTITY_CLEAN, 1, 0, &waits);
	assert_true(waits.n == 3 && waits.n_exceeded == 0 && waits.longest_ns == 1000);
}

/* A fit that meets its deadline, among executions of which some did not. */
static void judges_by_all_waits(void **state)
{
	struct waits waits = {20151, 151, 900000};
	struct sample sample;
	struct settings settings;
	struct fit fit;

	(void)state;
	settings_init(&settings);
	settings.model = MODEL_GUMBEL;
	draw(&sample, 20000, 250000, 10000, 0, 6);
	/* the truth at 1e-9 is 457 us */
	fit_compute(&sample, &settings, 600000, &fit);
	fit_intervals(&fit, NULL);
	assert_int_equal(fit.deadline.verdict, VERDICT_VALID);
	assert_int_equal(fit.deadline.n_exceeded, 0);
	fit_release(&fit);

	fit_compute_of_waits(&sample, &settings, 600000, &waits, &fit);
	fit_intervals(&fit, NULL);
	assert_int_equal(fit.deadline.verdict, VERDICT_INVALID);
	assert_int_equal(fit.deadline.n_exceeded, 151);
	assert_int_equal(fit.deadline.n_exceeded_fitted, 0);
	assert_non_null(strstr(fit.deadline.reason, "all strata"));
	/* the share is 151 of 20,151, not the model's 1e-15 */
	assert_int_equal(fit.deadline.source, LEVEL_EMPIRICAL);
	NEAR(fit.deadline.probability, 151.0 / 20151, 1e-15);
	assert_true(fit.deadline.lower > 0.006 && fit.deadline.upper < 0.009);
	fit_release(&fit);

	/* one of so many is not more than one in a hundred: still not valid */
	settings.probability = 0.01;
	waits.n_exceeded = 1;
	fit_compute_of_waits(&sample, &settings, 600000, &waits, &fit);
	fit_intervals(&fit, NULL);
	assert_int_equal(fit.deadline.verdict, VERDICT_UNKNOWN);
	assert_non_null(strstr(fit.deadline.reason, "executions took longer"));
	fit_release(&fit);

	/* a refused fit does not hide them */
	settings.probability = 1e-9;
	sample.n = 100;
	fit_compute_of_waits(&sample, &settings, 600000, &waits, &fit);
	assert_non_null(fit.refused);
	assert_int_equal(fit.deadline.verdict, VERDICT_INVALID);
	fit_release(&fit);
	sample_free(&sample);
}

/*
 * Gumbel maxima cut short have a negative shape: what the GEV says is met, the
 * Gumbel of the same maxima need not meet. Truth of GEV(250, 10, -0.1): it ends
 * at 350 us; Gumbel's own level at 1e-9 of these 400 maxima lies near 410 us.
 */
static void doubts_bounded_fits(void **state)
{
	struct sample sample;
	struct settings settings;
	struct fit fit;
	double meets_ns;

	(void)state;
	settings_init(&settings);
	draw(&sample, 20000, 250000, 10000, -0.1, 9);
	settings.model = MODEL_GUMBEL;
	fit_compute(&sample, &settings, 0, &fit);
	fit_intervals(&fit, NULL);
	meets_ns = fit_pwcet(&fit)->upper_ns;
	assert_true(meets_ns > 350000);
	assert_string_equal(fit_rejected_by(&fit), "likelihood ratio");
	assert_non_null(strstr(fit.warnings[0].text, "likelihood ratio rejects Gumbel"));
	assert_non_null(strstr(fit.warnings[0].text, "on the safe side"));
	fit_release(&fit);

	/* by the duality of interval and level, Gumbel meets just what lies beyond its upper end */
	settings.model = MODEL_GEV;
	fit_compute(&sample, &settings, (uint64_t)(meets_ns * 0.999), &fit);
	fit_intervals(&fit, NULL);
	assert_true(fit_is_bounded(&fit) && fit.deadline.upper <= 1e-9);
	assert_true(fit.deadline.gumbel_upper > 1e-9);
	assert_int_equal(fit.deadline.verdict, VERDICT_UNKNOWN);
	assert_non_null(strstr(fit.deadline.reason, "Gumbel"));
	assert_non_null(strstr(fit.warnings[0].text, "the GEV ends at"));
	assert_null(fit_rejected_by(&fit));
	fit_release(&fit);
	fit_compute(&sample, &settings, (uint64_t)(meets_ns * 1.001), &fit);
	fit_intervals(&fit, NULL);
	assert_int_equal(fit.deadline.verdict, VERDICT_VALID);
	fit_release(&fit);
	sample_free(&sample);
}

/* Two times in turn are of no Gumbel: mixed half and half, far apart. */
static void says_what_rejects(void **state)
{
	struct sample sample;
	struct settings settings;
	struct fit fit;
	bool said = false;

	(void)state;
	settings_init(&settings);
	settings.tests = TESTS_FULL;
	settings.model = MODEL_GUMBEL;
	draw(&sample, 10000, 250000, 1000, 0, 11);
	for (uint32_t i = 0; i < sample.n; i++)
		sample.value_ns[i] += i / 50 % 2 * 100000;
	fit_compute(&sample, &settings, 0, &fit);
	assert_null(fit_rejected_by(&fit));
	fit_intervals(&fit, NULL);
	assert_true(fit.anderson_darling_p < 0.01);
	assert_string_equal(fit_rejected_by(&fit), "Anderson-Darling");
	for (size_t i = 0; i < fit.n_warnings; i++)
		said |= !!strstr(fit.warnings[i].text, "Anderson-Darling rejects the fit (p 0.001");
	assert_true(said);
	fit_release(&fit);
	sample_free(&sample);
}

/* Clopper and Pearson's limits, from exact binomial sums with 60 digits. */
static void binomial_intervals_of_many(void **state)
{
	static const struct {
		uint64_t k, n;
		double lower, upper;
	} cases[] = {
		{0, 29000000, 0, 1.27202731707e-07},
		{1, 2900000, 8.73027857716e-09, 1.92125482734e-06},
		{3, 200000, 3.09337129691e-06, 4.3835733312e-05},
		{57, 200000, 0.00021586314039, 0.000369235001605},
		{151, 2646, 0.0485337902544, 0.0665963519328},
		{196, 200000, 0.000847651906108, 0.0011271368735},
		{1000, 2900000, 0.00032378715076, 0.000366876001283},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bounds bounds = stats_binomial_interval(cases[i].k, cases[i].n, 0.95);

		NEAR(bounds.lower, cases[i].lower, 1e-9 * cases[i].lower);
		NEAR(bounds.upper, cases[i].upper, 1e-9 * cases[i].upper);
	}
}

/* ---- words on the assumptions ---- */

/* The number behind a word in a sentence. */
static double number_after(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtod(at + strlen(word), NULL) : NAN;
}

/* A heavy tail hides the dependence of the values: the sentence speaks of the ranks. */
static void names_what_depends(void **state)
{
	struct sample sample;
	struct settings settings;
	struct test_results results;
	const char *reason;
	double said;

	(void)state;
	settings_init(&settings);
	draw(&sample, 2000, 250000, 10000, 0, 17);
	for (uint32_t i = 1; i < sample.n; i++)
		sample.value_ns[i] = (sample.value_ns[i] + sample.value_ns[i - 1]) / 2;
	for (uint32_t i = 0; i < sample.n; i++)
		sample.value_ns[i] = (uint64_t)exp((double)sample.value_ns[i] * 1e-4);
	assert_true(tests_compute(&sample, &settings, NULL, &results));
	reason = results.independent.reason;
	assert_non_null(strstr(reason, "Ljung-Box of ranks"));
	said = number_after(reason, "max |r| ");
	NEAR(said, results.execution_ranks.max_abs, 0.005 * said + 0.005);
	assert_true(results.executions.max_abs < 0.8 * said);
	assert_non_null(strstr(reason, "40 maxima"));
	assert_true(results.executions.effective_size == rint(results.executions.effective_size));
	sample_free(&sample);
}

static void says_how_far_p_is(void **state)
{
	struct sample sample;
	struct settings settings;
	struct test_results results;

	(void)state;
	settings_init(&settings);
	draw(&sample, 20000, 250000, 10000, 0, 17);
	for (uint32_t i = 0; i < sample.n; i++)
		sample.value_ns[i] += 10 * i;
	assert_true(tests_compute(&sample, &settings, NULL, &results));
	assert_non_null(strstr(results.independent.reason, "p <1e-300"));
	sample_free(&sample);

	/* a drift of about one scale over the whole sample */
	for (int sign = 1; sign >= -1; sign -= 2) {
		draw(&sample, 2000, 250000, 10000, 0, 17);
		for (uint32_t i = 0; i < sample.n; i++)
			sample.value_ns[i] += (uint64_t)(20000 + sign * 6 * (int)i);
		assert_true(tests_compute(&sample, &settings, NULL, &results));
		assert_non_null(strstr(results.identically_distributed.reason,
				       sign > 0 ? "grow longer" : "grow shorter"));
		sample_free(&sample);
	}
}

static void says_that_maxima_are_equal(void **state)
{
	struct sample sample;
	struct settings settings;
	struct test_results results;

	(void)state;
	settings_init(&settings);
	draw(&sample, 2950, 250000, 10000, 0, 23);
	for (uint32_t i = 0; i < sample.n; i++)
		if (i % 50 == 7)
			sample.value_ns[i] = 900000;
	assert_true(tests_compute(&sample, &settings, NULL, &results));
	assert_non_null(strstr(results.independent.reason, "all 59 maxima are equal"));
	for (uint32_t i = 0; i < sample.n; i++)
		sample.value_ns[i] = 900000;
	assert_true(tests_compute(&sample, &settings, NULL, &results));
	assert_false(results.independent.known);
	assert_non_null(strstr(results.independent.reason, "all 2950 executions are equal"));
	sample_free(&sample);
	draw(&sample, 900, 250000, 10000, 0, 17);
	assert_true(tests_compute(&sample, &settings, NULL, &results));
	assert_non_null(strstr(results.independent.reason, "too few maxima"));
	sample_free(&sample);
}

/* ---- what was not seen ---- */

/* Two paths, 15,000 and 5,000 times: 1 - 0.05^(1/20000) = 1.4978e-4. */
static void bounds_the_unseen(void **state)
{
	struct path paths[] = {{.n_executions = 15000, .n_seen = 15000},
			       {.n_executions = 5000, .n_seen = 5000}};
	struct call call = {
		.n_executions = 20000, .n_seen = 20000, .paths = {paths}, .n_paths = {2}};
	struct settings settings;
	struct coverage coverage;
	struct bound bound;

	(void)state;
	coverage_compute(&call, IDENTITY_CLEAN, 0.95, &coverage);
	assert_true(coverage.unseen.mass == 0 && coverage.unseen.mass_ci.lower == 0);
	NEAR(coverage.unseen.mass_ci.upper, 1 - pow(0.05, 1 / 20000.0), 1e-12);
	NEAR(coverage.unseen.mass_ci.upper, 1.4978e-4, 1e-8);
	/* one seen once: Esty's own interval */
	paths[1].n_executions = 1;
	paths[1].n_seen = 1;
	call.n_executions = 15001;
	call.n_seen = 15001;
	coverage_compute(&call, IDENTITY_CLEAN, 0.95, &coverage);
	NEAR(coverage.unseen.mass_ci.upper, (1 + 1.959964 * sqrt(1 - 1 / 15001.0)) / 15001, 1e-9);

	/* 196 of 200,000 too rare to fit: 0.00112714 by exact sums, and 1.498e-5 unseen */
	paths[0].n_executions = 199804;
	paths[0].n_seen = 199804;
	paths[1].n_executions = 196;
	paths[1].n_seen = 196;
	call.n_executions = 200000;
	call.n_seen = 200000;
	settings_init(&settings);
	bound_compute(&call, &settings,
		      (const struct fit *[]){&(struct fit){.n_executions = 199804}}, 1, &bound);
	NEAR(bound.left_out_mass_upper, 0.0011271368735 - expm1(log(0.05) / 200000), 1e-9);
	assert_int_equal(bound.n_rare, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_all_waits),
		cmocka_unit_test(judges_by_all_waits),
		cmocka_unit_test(doubts_bounded_fits),
		cmocka_unit_test(says_what_rejects),
		cmocka_unit_test(binomial_intervals_of_many),
		cmocka_unit_test(names_what_depends),
		cmocka_unit_test(says_how_far_p_is),
		cmocka_unit_test(says_that_maxima_are_equal),
		cmocka_unit_test(bounds_the_unseen),
	};

	stats_init();
	return cmocka_run_group_tests_name("deadlines", tests, NULL, NULL);
}
