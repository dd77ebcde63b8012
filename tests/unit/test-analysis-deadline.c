/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of deadlines, of rejected fits and of what was not seen. */
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
	struct path paths[] = {{.n_executions = 4, .first = 0}, {.n_executions = 3, .first = 4}};
	struct call call = {.n_executions = 7,
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_all_waits),
		cmocka_unit_test(judges_by_all_waits),
		cmocka_unit_test(binomial_intervals_of_many),
	};

	stats_init();
	return cmocka_run_group_tests_name("deadlines", tests, NULL, NULL);
}
