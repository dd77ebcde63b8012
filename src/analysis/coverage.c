/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Esty's normal interval has no width where no path was seen just once: [0, 0]
 * would claim that there is nothing more to see. What a path never seen may
 * still have is the least that its upper end can be.
 */
static void widen_mass(struct unseen *unseen)
{
	if (unseen->n && !unseen->n_once)
		unseen->mass_ci.upper = fmax(unseen->mass_ci.upper, unseen->new_path_upper);
}

void coverage_compute(const struct call *call, enum identity identity, double confidence,
		      struct coverage *coverage)
{
	uint32_t n = call->n_paths[identity];
	uint32_t *count = mem_alloc(n * sizeof *count);

	*coverage = (struct coverage){0};
	for (uint32_t i = 0; i < n; i++) {
		const struct path *path = &call->paths[identity][i];

		count[i] = path->n_seen < UINT32_MAX ? (uint32_t)path->n_seen : UINT32_MAX;
		if (path->n_seen && path->last_campaign + 1ull > coverage->campaigns)
			coverage->campaigns = path->last_campaign + 1ull;
	}
	stats_unseen(count, n, confidence, &coverage->unseen);
	widen_mass(&coverage->unseen);
	free(count);
}

void coverage_campaigns(const struct recording *recording, const struct call *call,
			enum identity identity, uint32_t *n_unique, uint32_t *n_new)
{
	for (uint32_t i = 0; i < recording->n_campaigns; i++)
		n_unique[i] = n_new[i] = 0;
	for (uint32_t i = 0; i < call->n_paths[identity]; i++) {
		const struct path *path = &call->paths[identity][i];
		uint32_t last = UINT32_MAX;

		/* a path's executions stand in order of arrival: campaigns ascend */
		for (uint32_t j = 0; j < path->n_executions; j++) {
			uint32_t execution = call->order[identity][path->first + j];
			uint32_t campaign = recording->runs[call->run[execution]].campaign;

			if (campaign == last)
				continue;
			n_new[campaign] += last == UINT32_MAX;
			n_unique[campaign]++;
			last = campaign;
		}
	}
}

/* P(X > x) of one execution, under one fit. */
static double tail_of_fit(const struct fit *fit, double x_ns)
{
	const struct estimate *estimate = &fit->estimate;
	double y = stats_distribution(estimate->model)->y(estimate->theta, x_ns);

	return stats_probability_of_y(y, fit->executions_per_block);
}

static double mixture_tail(const struct call *call, const struct fit *const *fits, uint32_t n_fits,
			   double x_ns)
{
	double sum = 0;

	for (uint32_t i = 0; i < n_fits; i++)
		if (fits[i] && !fits[i]->refused)
			sum += (double)fits[i]->n_executions / (double)call->n_seen *
			       tail_of_fit(fits[i], x_ns);
	return sum;
}

/* The level of the mixture lies between 0 and the largest of its paths' levels. */
static double mixture_level(const struct call *call, const struct fit *const *fits, uint32_t n_fits,
			    double probability)
{
	double lower = 0, upper = -INFINITY;

	for (uint32_t i = 0; i < n_fits; i++) {
		if (!fits[i] || fits[i]->refused)
			continue;
		upper = fmax(upper,
			     stats_level(&fits[i]->estimate,
					 stats_y_of_probability(probability,
								fits[i]->executions_per_block)));
	}
	if (!isfinite(upper) || upper <= 0)
		return NAN;
	for (int i = 0; i < 200 && upper - lower > 1e-12 * upper; i++) {
		double middle = 0.5 * (lower + upper);

		if (mixture_tail(call, fits, n_fits, middle) > probability)
			lower = middle;
		else
			upper = middle;
	}
	return upper;
}

/* A mixture is no better than the worst of what is mixed. */
static void judge_levels(struct bound *bound, const struct fit *const *fits, uint32_t n_fits)
{
	for (uint32_t i = 0; i < n_fits; i++) {
		const struct level *level =
			!fits[i] || fits[i]->refused ? NULL : fit_pwcet(fits[i]);

		if (!level || level->trusted)
			continue;
		if (!bound->n_untrusted++)
			bound->distrust = level->distrust;
	}
}

void bound_compute(const struct call *call, const struct settings *settings,
		   const struct fit *const *fits, uint32_t n_fits, struct bound *bound)
{
	uint64_t n_covered = 0;
	struct coverage coverage;
	struct bounds rare;

	*bound = (struct bound){.probability = settings->probability, .conditional_ns = NAN};
	for (uint32_t i = 0; i < n_fits; i++) {
		if (!fits[i] || fits[i]->refused)
			continue;
		bound->n_fitted++;
		n_covered += fits[i]->n_executions;
	}
	judge_levels(bound, fits, n_fits);
	bound->n_rare = call->n_paths[settings->identity] - bound->n_fitted;
	if (bound->n_fitted)
		bound->conditional_ns = mixture_level(call, fits, n_fits, settings->probability);
	coverage_compute(call, settings->identity, settings->level, &coverage);
	rare = stats_binomial_interval(call->n_seen - n_covered, call->n_seen, settings->level);
	bound->left_out_mass_upper =
		fmin(1, fmax(coverage.unseen.new_path_upper, coverage.unseen.mass_ci.upper) +
				(n_covered < call->n_seen ? rare.upper : 0));
	if (!bound->n_fitted)
		snprintf(bound->refused, sizeof bound->refused, "no path could be fitted");
	else if (settings->probability < bound->left_out_mass_upper)
		snprintf(
			bound->refused, sizeof bound->refused,
			"up to %.3g%% of the executions may take paths that are unseen or too rare "
			"to fit: no claim holds below that",
			100 * bound->left_out_mass_upper);
}
