/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first stage of a fit: what a key press waits for. */
#include "fit-internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_PROBABILITY 1e-9 /* relative: 1e-9 and 10^-9 as computed */
#define GUESS_VALUES 4096
#define GUESS_MARGIN 0.02 /* 4 standard errors of a tenth of them */
#define COLLECT_BLOCK 1024
#define TAIL_SHARE 0.1 /* or the probability asked for, where that is larger */

/* ---- the longest executions ---- */

/* A value that at least this share of the executions reaches, by one in so many of them. */
static uint64_t guess_reached(const struct sample *sample, double share)
{
	uint64_t few[GUESS_VALUES];
	double place = GUESS_VALUES * (1 - share - GUESS_MARGIN);

	if (sample->n < 4 * GUESS_VALUES || place < 0)
		return 0;
	for (size_t i = 0; i < GUESS_VALUES; i++)
		few[i] = sample->value_ns[i * sample->n / GUESS_VALUES];
	stats_sort(few, NULL, GUESS_VALUES);
	return few[(size_t)place];
}

/* Appends what reaches least; by blocks, since a branch a value costs more than a store. */
static void collect_reaching(const struct sample *sample, uint64_t least, struct fit *fit)
{
	size_t room = 0;

	fit->n_tail = 0;
	for (size_t begin = 0; begin < sample->n; begin += COLLECT_BLOCK) {
		uint64_t found[COLLECT_BLOCK];
		size_t n_found = 0;
		size_t end = begin + COLLECT_BLOCK < sample->n ? begin + COLLECT_BLOCK : sample->n;

		for (size_t i = begin; i < end; i++) {
			found[n_found] = sample->value_ns[i];
			n_found += sample->value_ns[i] >= least;
		}
		if (fit->n_tail + n_found > room) {
			room = 2 * room + COLLECT_BLOCK;
			fit->tail_ns = mem_resize(fit->tail_ns, room, sizeof *fit->tail_ns);
		}
		memcpy(fit->tail_ns + fit->n_tail, found, n_found * sizeof *found);
		fit->n_tail += n_found;
	}
}

/*
 * Sorted copy of a tenth of the executions, the longest: what empirical levels
 * are read from. One pass instead of a sort of millions.
 */
static void keep_tail(const struct sample *sample, struct fit *fit)
{
	double share = fmax(TAIL_SHARE, fit->probability);
	size_t wanted = (size_t)ceil(share * sample->n) + 2;

	wanted = wanted < sample->n ? wanted : sample->n;
	collect_reaching(sample, guess_reached(sample, share), fit);
	if (fit->n_tail < wanted)
		collect_reaching(sample, 0, fit);
	if (!fit->n_tail)
		return;
	stats_sort(fit->tail_ns, NULL, fit->n_tail);
	memmove(fit->tail_ns, fit->tail_ns + fit->n_tail - wanted, wanted * sizeof *fit->tail_ns);
	fit->n_tail = wanted;
	fit->tail_ns = mem_resize(fit->tail_ns, wanted, sizeof *fit->tail_ns);
	fit->longest_ns = fit->tail_ns[wanted - 1];
}

/* Type 7 quantile that executions exceed with probability p, counted from above. */
static double empirical_level(const struct fit *fit, double p)
{
	double place = p * (double)(fit->n_kept - 1), part;
	size_t above = (size_t)place;
	double upper, lower;

	if (fit->n_kept == 0 || above + 1 > fit->n_tail)
		return NAN;
	part = place - (double)above;
	upper = (double)fit->tail_ns[fit->n_tail - 1 - above];
	if (part == 0)
		return upper;
	if (above + 2 > fit->n_tail)
		return NAN;
	lower = (double)fit->tail_ns[fit->n_tail - 2 - above];
	return upper - part * (upper - lower);
}

/* ---- levels ---- */

static struct level level_of_decade(const struct fit *fit, int decade)
{
	struct level level = {.count = pow(10, decade)};

	if (fit->unit == UNIT_BLOCKS) {
		level.y = stats_y_of_period(level.count);
		level.probability = stats_probability_of_y(level.y, fit->executions_per_block);
		level.executions = level.count * fit->executions_per_block;
	} else {
		/* 1/10^k is the double nearest to 1e-k; pow(10, -k) need not be */
		level.probability = 1 / level.count;
		level.executions = level.count;
	}
	return level;
}

static struct level level_of_probability(const struct fit *fit, double probability)
{
	struct level level = {.probability = probability, .executions = 1 / probability};

	level.count = level.executions;
	if (fit->unit == UNIT_BLOCKS) {
		double y = stats_y_of_probability(probability, fit->executions_per_block);

		level.count = 1 / stats_tail_of_y(y);
	}
	return level;
}

static void estimate_level(const struct fit *fit, struct level *level)
{
	level->estimate_ns = level->lower_ns = level->upper_ns = level->y = NAN;
	level->source =
		level->probability * fit->executions_per_block > 1 ? LEVEL_EMPIRICAL : LEVEL_MODEL;
	if (level->source == LEVEL_EMPIRICAL) {
		level->estimate_ns = empirical_level(fit, level->probability);
		return;
	}
	level->y = stats_y_of_probability(level->probability, fit->executions_per_block);
	if (!fit->refused)
		level->estimate_ns = stats_level(&fit->estimate, level->y);
}

static void make_levels(struct fit *fit)
{
	struct level own = level_of_probability(fit, fit->probability);
	bool placed = false;

	fit->n_levels = 0;
	for (int decade = 1; decade <= N_DECADES; decade++) {
		struct level level = level_of_decade(fit, decade);

		if (!placed && level.probability <= fit->probability * (1 + SAME_PROBABILITY)) {
			placed = true;
			fit->pwcet = fit->n_levels;
			if (level.probability < fit->probability * (1 - SAME_PROBABILITY))
				fit->levels[fit->n_levels++] = own;
		}
		fit->levels[fit->n_levels++] = level;
	}
	if (!placed) {
		fit->pwcet = fit->n_levels;
		fit->levels[fit->n_levels++] = own;
	}
	for (size_t i = 0; i < fit->n_levels; i++)
		estimate_level(fit, &fit->levels[i]);
}

/* ---- the whole ---- */

static void take_maxima(const struct sample *sample, struct fit *fit)
{
	size_t used;

	fit->maxima_ns =
		block_maxima(sample, fit->block_unit, &fit->block_size, &fit->n_maxima, &used);
	fit->executions_per_block = fit->block_size;
	if (fit->block_unit == BLOCK_RUN)
		fit->executions_per_block =
			fit->n_maxima ? (double)used / (double)fit->n_maxima : NAN;
	fit->sorted_maxima_ns = mem_alloc(fit->n_maxima * sizeof *fit->sorted_maxima_ns);
	if (fit->n_maxima)
		memcpy(fit->sorted_maxima_ns, fit->maxima_ns,
		       fit->n_maxima * sizeof *fit->sorted_maxima_ns);
	stats_sort_doubles(fit->sorted_maxima_ns, fit->n_maxima);
	fit->tied_share = stats_tied_share(fit->sorted_maxima_ns, fit->n_maxima);
}

static void find_tick(struct fit *fit)
{
	uint64_t *maxima = mem_alloc(fit->n_maxima * sizeof *maxima);
	struct ticks ticks;

	for (size_t i = 0; i < fit->n_maxima; i++)
		maxima[i] = (uint64_t)fit->sorted_maxima_ns[i];
	stats_ticks(maxima, fit->n_maxima, &ticks);
	fit->tick_ns = ticks.tick_ns;
	free(maxima);
}

/* The model chosen, and the likelihoods that tell Gumbel and GEV apart. */
static void fit_models(struct fit *fit)
{
	const double *x = fit->maxima_ns;
	size_t n = fit->n_maxima;

	stats_fit(x, n, MODEL_GEV, ESTIMATOR_MLE, &fit->gev);
	stats_fit(x, n, MODEL_GUMBEL, ESTIMATOR_MLE, &fit->gumbel);
	if (fit->estimator == ESTIMATOR_MLE)
		fit->estimate = fit->model == MODEL_GEV ? fit->gev : fit->gumbel;
	else
		stats_fit(x, n, fit->model, fit->estimator, &fit->estimate);
	fit->refused = fit->estimate.refused[0] ? fit->estimate.refused : NULL;
	fit->weak = !fit->refused && n < WEAK_MAXIMA;
	fit->log_likelihood = fit->estimate.log_likelihood;
	fit->no_errors = fit->estimate.no_errors;
	memcpy(fit->standard_error, fit->estimate.standard_error, sizeof fit->standard_error);
	fit->likelihood_ratio = 2 * (fit->gev.log_likelihood - fit->gumbel.log_likelihood);
	fit->likelihood_ratio_p = isnan(fit->likelihood_ratio)
					  ? NAN
					  : stats_likelihood_ratio_p(fit->likelihood_ratio);
	fit->shape = stats_shape_delta(&fit->gev, fit->confidence);
	fit->anderson_darling = fit->anderson_darling_p = NAN;
	if (!fit->refused)
		fit->anderson_darling = stats_anderson_darling(fit->sorted_maxima_ns, n, fit->model,
							       fit->estimate.theta);
}

static void estimate_deadline(struct fit *fit)
{
	struct deadline *deadline = &fit->deadline;
	const struct waits *waits = &fit->waits;
	struct bounds share = {0, 1};
	double y;

	deadline->probability = deadline->lower = deadline->upper = NAN;
	deadline->gumbel_upper = NAN;
	if (!deadline->time_ns)
		return;
	deadline->n_exceeded = waits->n_exceeded;
	if (waits->n)
		share = stats_binomial_interval(waits->n_exceeded, waits->n, fit->confidence);
	y = fit->refused ? INFINITY
			 : stats_distribution(fit->model)
				   ->y(fit->estimate.theta, (double)deadline->time_ns);
	/* y of 1 is a probability of 1/B: above, the model says nothing */
	deadline->source = LEVEL_EMPIRICAL;
	if (y <= 1) {
		deadline->probability = stats_probability_of_y(y, fit->executions_per_block);
		if (share.lower <= deadline->probability)
			deadline->source = LEVEL_MODEL;
	}
	if (deadline->source == LEVEL_EMPIRICAL && waits->n) {
		deadline->probability = (double)waits->n_exceeded / (double)waits->n;
		deadline->lower = share.lower;
		deadline->upper = share.upper;
	}
}

static uint64_t count_exceeding(const uint64_t *value_ns, size_t n, uint64_t time_ns)
{
	uint64_t n_exceeded = 0;

	for (size_t i = 0; time_ns && i < n; i++)
		n_exceeded += value_ns[i] > time_ns;
	return n_exceeded;
}

static void take_waits(const struct sample *sample, const struct waits *waits, struct fit *fit)
{
	uint64_t n_fitted = count_exceeding(sample->value_ns, sample->n, fit->deadline.time_ns);

	fit->deadline.n_exceeded_fitted = n_fitted;
	fit->waits = waits ? *waits : (struct waits){sample->n, n_fitted, fit->longest_ns};
}

void waits_count(const struct call *call, enum identity identity, uint32_t path,
		 uint64_t deadline_ns, struct waits *waits)
{
	const struct path *one = path == PATH_ALL ? NULL : &call->paths[identity][path];
	uint32_t n = one ? one->n_executions : call->n_executions;
	const struct tallies *all = one ? one->tallies : call->tallies;
	bool *drawn = one ? NULL : call_drawn(call);

	*waits = (struct waits){0};
	for (uint32_t i = 0; i < n; i++) {
		uint32_t execution = one ? call->order[identity][one->first + i] : i;
		uint64_t duration_ns = call->duration_ns[execution];

		if (call->flags[execution] & (EXECUTION_NO_DURATION | EXECUTION_APART) ||
		    (drawn && !drawn[execution]))
			continue;
		waits->n++;
		waits->n_exceeded += deadline_ns && duration_ns > deadline_ns;
		waits->longest_ns =
			duration_ns > waits->longest_ns ? duration_ns : waits->longest_ns;
	}
	free(drawn);
	if (!all)
		return;
	/* those drawn tell the share; that one was too long is known whether it was drawn or not */
	waits->longest_ns = all->of[STRATUM_ALL][TIME_WHOLE].max_ns;
	if (deadline_ns && waits->longest_ns > deadline_ns && !waits->n_exceeded)
		waits->n_exceeded = 1;
}

/* L-moments have intervals by bootstrap only. */
static enum interval interval_of(const struct settings *settings)
{
	return settings->estimator == ESTIMATOR_LMOMENTS ? INTERVAL_BOOTSTRAP : settings->interval;
}

static void take_settings(struct fit *fit, const struct settings *settings)
{
	fit->stratum = settings->stratum;
	fit->model = settings->model;
	fit->estimator = settings->estimator;
	fit->interval = interval_of(settings);
	fit->unit = settings->unit;
	fit->block_unit = settings->block_unit;
	fit->tests = settings->tests;
	fit->block_size = fit->block_size_asked = settings->block_size ? settings->block_size : 1;
	fit->confidence = settings->level;
	fit->probability = settings->probability;
	fit->seed = settings->seed;
}

void fit_compute_of_waits(const struct sample *sample, const struct settings *settings,
			  uint64_t deadline_ns, const struct waits *waits, struct fit *fit)
{
	const struct tally *all = sample->tally;

	*fit = (struct fit){
		.n_executions = all ? all->n : sample->n,
		.n_kept = sample->n,
		.deadline = {.time_ns = deadline_ns},
	};
	take_settings(fit, settings);
	keep_tail(sample, fit);
	if (all)
		fit->longest_ns = all->max_ns;
	take_waits(sample, waits, fit);
	take_maxima(sample, fit);
	find_tick(fit);
	fit_models(fit);
	make_levels(fit);
	estimate_deadline(fit);
	fit->pending = !fit->refused;
	fit_judge(fit);
	fit_warn(fit);
}

void fit_compute(const struct sample *sample, const struct settings *settings, uint64_t deadline_ns,
		 struct fit *fit)
{
	fit_compute_of_waits(sample, settings, deadline_ns, NULL, fit);
}

const struct level *fit_pwcet(const struct fit *fit)
{
	return fit->n_levels ? &fit->levels[fit->pwcet] : NULL;
}

static void *copy_array(const void *from, size_t n, size_t size)
{
	void *copy = mem_alloc(n * size);

	if (n)
		memcpy(copy, from, n * size);
	return copy;
}

void fit_copy(struct fit *to, const struct fit *from)
{
	*to = *from;
	to->maxima_ns = copy_array(from->maxima_ns, from->n_maxima, sizeof *to->maxima_ns);
	to->sorted_maxima_ns =
		copy_array(from->sorted_maxima_ns, from->n_maxima, sizeof *to->sorted_maxima_ns);
	to->tail_ns = copy_array(from->tail_ns, from->n_tail, sizeof *to->tail_ns);
	/* the reason lives in the estimate */
	to->refused = from->refused ? to->estimate.refused : NULL;
}

void fit_release(struct fit *fit)
{
	free(fit->maxima_ns);
	free(fit->sorted_maxima_ns);
	free(fit->tail_ns);
	*fit = (struct fit){0};
}

bool fit_qq(const struct fit *fit, double *model_ns, double *observed_ns)
{
	double n = (double)fit->n_maxima;

	if (fit->refused)
		return false;
	for (size_t i = 0; i < fit->n_maxima; i++) {
		double y = -log((double)(i + 1) / (n + 1));

		if (model_ns)
			model_ns[i] = stats_level(&fit->estimate, y);
		if (observed_ns)
			observed_ns[i] = fit->sorted_maxima_ns[i];
	}
	return true;
}

void fit_stability(const struct sample *sample, const struct settings *settings,
		   const uint32_t *block_sizes, size_t n, struct stability *rows)
{
	for (size_t i = 0; i < n; i++) {
		struct fit fit = {0};

		take_settings(&fit, settings);
		fit.block_size = block_sizes[i] ? block_sizes[i] : 1;
		take_maxima(sample, &fit);
		stats_fit(fit.maxima_ns, fit.n_maxima, fit.model, fit.estimator, &fit.estimate);
		rows[i] = (struct stability){.block_size = block_sizes[i],
					     .n_maxima = fit.n_maxima,
					     .shape_error = fit.estimate.standard_error[SHAPE]};
		memcpy(rows[i].theta, fit.estimate.theta, sizeof rows[i].theta);
		rows[i].pwcet_ns = stats_level(
			&fit.estimate,
			stats_y_of_probability(fit.probability, fit.executions_per_block));
		rows[i].tail_ns = stats_level(
			&fit.estimate, stats_y_of_probability(1e-6, fit.executions_per_block));
		fit_release(&fit);
	}
}
