/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Medians of the CPU time that fits take; prints, asserts nothing. */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "evtop/analysis.h"

#define N_MAXIMA 58041
#define N_EXECUTIONS 2900000
#define N_REPEATS 11

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

struct subject {
	double *maxima;
	uint64_t *executions;
	uint32_t *campaign;
};

static void gev_mle(const struct subject *subject)
{
	struct estimate estimate;

	stats_fit(subject->maxima, N_MAXIMA, MODEL_GEV, ESTIMATOR_MLE, &estimate);
}

static void gumbel_mle(const struct subject *subject)
{
	struct estimate estimate;

	stats_fit(subject->maxima, N_MAXIMA, MODEL_GUMBEL, ESTIMATOR_MLE, &estimate);
}

static void gev_lmoments(const struct subject *subject)
{
	struct estimate estimate;

	stats_fit(subject->maxima, N_MAXIMA, MODEL_GEV, ESTIMATOR_LMOMENTS, &estimate);
}

static void gumbel_lmoments(const struct subject *subject)
{
	struct estimate estimate;

	stats_fit(subject->maxima, N_MAXIMA, MODEL_GUMBEL, ESTIMATOR_LMOMENTS, &estimate);
}

static void maxima_and_levels(const struct subject *subject)
{
	double *maxima = mem_alloc(N_EXECUTIONS * sizeof *maxima);
	struct estimate estimate;
	size_t m = stats_block_maxima(subject->executions, subject->campaign, NULL, N_EXECUTIONS,
				      BLOCK_EXECUTIONS, 50, maxima, NULL);

	stats_fit(maxima, m, MODEL_GEV, ESTIMATOR_MLE, &estimate);
	for (int k = 1; k <= 15; k++)
		stats_level(&estimate, stats_y_of_probability(pow(10, -k), 50));
	free(maxima);
}

static void sort_executions(const struct subject *subject)
{
	uint64_t *copy = mem_alloc(N_EXECUTIONS * sizeof *copy);

	memcpy(copy, subject->executions, N_EXECUTIONS * sizeof *copy);
	stats_sort(copy, NULL, N_EXECUTIONS);
	free(copy);
}

static struct sample sample_of(const struct subject *subject)
{
	return (struct sample){.n = N_EXECUTIONS,
			       .value_ns = subject->executions,
			       .campaign = subject->campaign,
			       .run = subject->campaign};
}

/* What a change of the block size costs: parameters and levels. */
static void change_block_size(const struct subject *subject)
{
	struct sample sample = sample_of(subject);
	struct settings settings;
	struct fit fit;

	settings_init(&settings);
	fit_compute(&sample, &settings, 0, &fit);
	fit_release(&fit);
}

static void intervals(const struct subject *subject)
{
	struct sample sample = sample_of(subject);
	struct settings settings;
	struct fit fit;

	settings_init(&settings);
	fit_compute(&sample, &settings, 0, &fit);
	fit_intervals(&fit, NULL);
	fit_release(&fit);
}

static void assumptions(const struct subject *subject)
{
	struct sample sample = sample_of(subject);
	struct settings settings;
	struct test_results results;

	settings_init(&settings);
	tests_compute(&sample, &settings, NULL, &results);
}

static void density(const struct subject *subject)
{
	struct sample sample = sample_of(subject);
	struct sorted sorted;
	const struct sorted *one = &sorted;
	struct density result;

	sorted_from(&sample, &sorted);
	density_compute(&one, NULL, 1, DENSITY_KERNEL, AXIS_LINEAR, BANDWIDTH_SHEATHER_JONES,
			250000, 400000, 400, NULL, &result);
	density_release(&result);
	sorted_release(&sorted);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The measure to hold the others against: the C library's sort of the maxima. */
static void library_sort(const struct subject *subject)
{
	double *copy = mem_alloc(N_MAXIMA * sizeof *copy);

	memcpy(copy, subject->maxima, N_MAXIMA * sizeof *copy);
	qsort(copy, N_MAXIMA, sizeof *copy, compare_doubles);
	free(copy);
}

static const struct {
	const char *name;
	void (*run)(const struct subject *subject);
} cases[] = {
	{"qsort of 58,041 maxima", library_sort},
	{"GEV MLE of 58,041 maxima", gev_mle},
	{"Gumbel MLE of 58,041 maxima", gumbel_mle},
	{"GEV L-moments of 58,041", gev_lmoments},
	{"Gumbel L-moments of 58,041", gumbel_lmoments},
	{"maxima, GEV, levels of 2.9M", maxima_and_levels},
	{"radix sort of 2.9M", sort_executions},
	{"fit_compute() of 2.9M, B=50", change_block_size},
	{"with profile intervals", intervals},
	{"sort and density of 2.9M", density},
	{"all tests of 2.9M", assumptions},
};

static double median_ms(void (*run)(const struct subject *subject), const struct subject *subject,
			double *least)
{
	double ms[N_REPEATS];

	for (size_t i = 0; i < N_REPEATS; i++) {
		double begin = now_ms();

		run(subject);
		ms[i] = now_ms() - begin;
	}
	qsort(ms, N_REPEATS, sizeof *ms, compare_doubles);
	*least = ms[0];
	return ms[N_REPEATS / 2];
}

int main(void)
{
	const double of_maxima[] = {290000, 10670, -0.05}, of_executions[] = {250000, 10670, -0.05};
	struct subject subject = {mem_alloc(N_MAXIMA * sizeof(double)),
				  mem_alloc(N_EXECUTIONS * sizeof(uint64_t)),
				  mem_zero(N_EXECUTIONS, sizeof(uint32_t))};
	uint64_t seed = 16;
	double measure = 0;

	gsl_set_error_handler_off();
	for (size_t i = 0; i < N_MAXIMA; i++)
		/* whole ns, as durations are */
		subject.maxima[i] = floor(stats_distribution(MODEL_GEV)->quantile(
			of_maxima, -log(stats_random_uniform(&seed))));
	for (size_t i = 0; i < N_EXECUTIONS; i++)
		subject.executions[i] = (uint64_t)stats_distribution(MODEL_GEV)->quantile(
			of_executions, -log(stats_random_uniform(&seed)));
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		double least, ms = median_ms(cases[i].run, &subject, &least);

		measure = i ? measure : ms;
		printf("%-30s median %8.3f ms  least %8.3f ms  %6.2f of the qsort\n", cases[i].name,
		       ms, least, ms / measure);
	}
	free(subject.maxima);
	free(subject.executions);
	free(subject.campaign);
	return 0;
}
