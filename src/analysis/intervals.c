/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The second stage of a fit: intervals, and p-values that need refits. */
#include "fit-internal.h"

#include <math.h>
#include <string.h>

static bool stopped(stats_stop stop)
{
	return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/* Streams of draws that differ between fits and purposes. */
static uint64_t seed_of(const struct fit *fit, uint64_t purpose)
{
	uint64_t state = fit->seed;

	state = stats_random(&state) ^ fit->block_size;
	state = stats_random(&state) ^ ((uint64_t)fit->model << 8 | fit->estimator);
	state = stats_random(&state) ^ fit->n_executions;
	return stats_random(&state) ^ purpose;
}

static bool has_model_deadline(const struct fit *fit)
{
	return fit->deadline.time_ns && fit->deadline.source == LEVEL_MODEL;
}

static void set_deadline(struct fit *fit, struct bounds y)
{
	fit->deadline.lower = stats_probability_of_y(y.lower, fit->executions_per_block);
	fit->deadline.upper = stats_probability_of_y(y.upper, fit->executions_per_block);
}

static bool profile_levels(struct fit *fit, struct profile *profile, stats_stop stop)
{
	for (size_t i = 0; i < fit->n_levels; i++) {
		struct level *level = &fit->levels[i];
		struct bounds bounds;

		if (stopped(stop))
			return false;
		if (level->source != LEVEL_MODEL)
			continue;
		bounds = stats_profile_level(profile, level->y, fit->confidence);
		level->lower_ns = bounds.lower;
		level->upper_ns = bounds.upper;
	}
	return true;
}

static void delta_levels(struct fit *fit)
{
	for (size_t i = 0; i < fit->n_levels; i++) {
		struct level *level = &fit->levels[i];
		struct bounds bounds;

		if (level->source != LEVEL_MODEL)
			continue;
		bounds = stats_level_delta(&fit->estimate, level->y, fit->confidence);
		level->lower_ns = bounds.lower;
		level->upper_ns = bounds.upper;
	}
}

static bool bootstrap_levels(struct fit *fit, stats_stop stop)
{
	struct bounds bounds[N_LEVELS_MAX];
	double y[N_LEVELS_MAX];
	struct bootstrap bootstrap = {.level = bounds};
	double x = has_model_deadline(fit) ? (double)fit->deadline.time_ns : NAN;

	for (size_t i = 0; i < fit->n_levels; i++)
		y[i] = fit->levels[i].source == LEVEL_MODEL ? fit->levels[i].y : 1;
	if (!stats_bootstrap(&fit->estimate, y, fit->n_levels, x, fit->confidence, seed_of(fit, 1),
			     stop, &bootstrap))
		return !stopped(stop);
	for (size_t i = 0; i < fit->n_levels; i++) {
		if (fit->levels[i].source != LEVEL_MODEL)
			continue;
		fit->levels[i].lower_ns = bounds[i].lower;
		fit->levels[i].upper_ns = bounds[i].upper;
	}
	if (has_model_deadline(fit))
		set_deadline(fit, bootstrap.y_at_x);
	/* the likelihood's errors stay where there are any */
	if (fit->no_errors) {
		memcpy(fit->standard_error, bootstrap.standard_error, sizeof fit->standard_error);
		fit->no_errors = NULL;
	}
	return true;
}

/* By profile for every MLE: the delta method has nothing to say near an end point. */
static void profile_deadline(struct fit *fit, struct profile *profile)
{
	if (has_model_deadline(fit))
		set_deadline(fit, stats_profile_y(profile, (double)fit->deadline.time_ns,
						  fit->confidence));
}

/* What a verdict on a bounded GEV is held against. */
static void bound_deadline(struct fit *fit)
{
	struct profile *profile;
	struct bounds y;

	if (!has_model_deadline(fit) || !fit_is_bounded(fit) || fit->gumbel.refused[0])
		return;
	profile = stats_profile_new(fit->maxima_ns, fit->n_maxima, &fit->gumbel);
	y = stats_profile_y(profile, (double)fit->deadline.time_ns, fit->confidence);
	fit->deadline.gumbel_upper = stats_probability_of_y(y.upper, fit->executions_per_block);
	stats_profile_free(profile);
}

static bool likelihood_levels(struct fit *fit, stats_stop stop)
{
	struct profile *profile = stats_profile_new(fit->maxima_ns, fit->n_maxima, &fit->estimate);
	bool done = true;

	if (fit->interval == INTERVAL_DELTA)
		delta_levels(fit);
	else
		done = profile_levels(fit, profile, stop);
	if (done)
		profile_deadline(fit, profile);
	stats_profile_free(profile);
	return done;
}

/* Of the GEV by MLE, whatever the fit: trust asks for it. */
static void profile_shape(struct fit *fit)
{
	struct profile *profile;
	struct bounds shape;

	if (fit->gev.refused[0])
		return;
	profile = stats_profile_new(fit->maxima_ns, fit->n_maxima, &fit->gev);
	shape = stats_profile_shape(profile, fit->confidence);
	if (!isnan(shape.lower) && !isnan(shape.upper))
		fit->shape = shape;
	stats_profile_free(profile);
}

/* With coarse ticks the model drawn from is that which knows of them. */
static bool refit_anderson_darling(struct fit *fit, stats_stop stop)
{
	struct estimate drawn_from = fit->estimate;
	double tick = 0;

	if (fit->tests != TESTS_FULL)
		return true;
	if (fit_has_coarse_ticks(fit)) {
		tick = (double)fit->tick_ns;
		stats_fit_ticks(fit->maxima_ns, fit->n_maxima, fit->model, tick, &drawn_from);
		drawn_from.estimator = fit->estimator;
	}
	if (!drawn_from.refused[0])
		fit->anderson_darling_p = stats_anderson_darling_p(
			&drawn_from, fit->anderson_darling, tick, seed_of(fit, 2), stop,
			&fit->anderson_darling_refits);
	return !stopped(stop);
}

bool fit_intervals(struct fit *fit, stats_stop stop)
{
	bool done;

	if (!fit->pending)
		return true;
	profile_shape(fit);
	done = !stopped(stop);
	if (done)
		done = fit->interval == INTERVAL_BOOTSTRAP ? bootstrap_levels(fit, stop)
							   : likelihood_levels(fit, stop);
	if (done)
		bound_deadline(fit);
	if (done)
		done = refit_anderson_darling(fit, stop);
	if (!done)
		return false;
	fit->pending = false;
	fit_judge(fit);
	fit_warn(fit);
	return true;
}
