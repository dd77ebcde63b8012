/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a fit may be believed, and the words for it. */
#include "fit-internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define HORIZON 10.0	  /* times the executions */
#define LONGEST_MOST 10.0 /* times the longest observation */
#define TIED_MUCH 0.05
#define RATIO_LEVEL 0.05
#define SMALL_STEP 0.05 /* of the scale: shifts the location by 1/40 of it at most */

/* Model levels: statistics.md, 3. Empirical ones are data. */
static enum distrust distrust_of(const struct fit *fit, const struct level *level)
{
	bool beyond = level->probability * HORIZON * (double)fit->n_executions < 1;

	if (level->source == LEVEL_EMPIRICAL)
		return isnan(level->estimate_ns) ? DISTRUST_NO_FIT : TRUSTED;
	if (fit->refused)
		return DISTRUST_NO_FIT;
	if (!isfinite(level->estimate_ns))
		return DISTRUST_NOT_FINITE;
	if (level->estimate_ns > LONGEST_MOST * (double)fit->longest_ns)
		return DISTRUST_TOO_LONG;
	if (beyond && isnan(fit->shape.lower)) {
		/* no delta interval below -0.5: that shape is not above 0 */
		if (fit->gev.refused[0] || fit->gev.theta[SHAPE] > 0)
			return DISTRUST_SHAPE_UNKNOWN;
	} else if (beyond && fit->shape.lower > 0) {
		return DISTRUST_HEAVY_TAIL;
	}
	return TRUSTED;
}

static void give_verdict(struct deadline *deadline, enum verdict verdict, const char *reason)
{
	deadline->verdict = verdict;
	deadline->reason = reason;
}

static void judge_deadline(struct fit *fit)
{
	struct deadline *deadline = &fit->deadline;
	const struct waits *waits = &fit->waits;

	if (!deadline->time_ns)
		return;
	if ((double)waits->n_exceeded > fit->probability * (double)waits->n)
		give_verdict(deadline, VERDICT_INVALID,
			     waits->n_exceeded > deadline->n_exceeded_fitted
				     ? "more executions took longer than the probability allows, "
				       "all strata and whole times counted"
				     : "more executions took longer than the probability allows");
	else if (waits->n_exceeded)
		give_verdict(deadline, VERDICT_UNKNOWN,
			     "executions took longer, though not more than the probability "
			     "allows");
	else if (fit->refused)
		give_verdict(deadline, VERDICT_UNKNOWN, "there is no fit");
	else if (!fit->levels[fit->pwcet].trusted)
		give_verdict(deadline, VERDICT_UNKNOWN,
			     "the model is not trusted at this probability");
	else if (isnan(deadline->upper))
		give_verdict(deadline, VERDICT_UNKNOWN,
			     fit->pending ? "its interval is not computed yet"
					  : "its probability has no interval");
	else if (deadline->upper <= fit->probability)
		give_verdict(deadline, VERDICT_VALID,
			     "the probability's whole interval is below the one allowed");
	else if (deadline->lower > fit->probability)
		give_verdict(deadline, VERDICT_INVALID,
			     "the probability's whole interval is above the one allowed");
	else
		give_verdict(deadline, VERDICT_UNKNOWN,
			     "the probability's interval includes the one allowed");
}

void fit_judge(struct fit *fit)
{
	for (size_t i = 0; i < fit->n_levels; i++) {
		fit->levels[i].distrust = distrust_of(fit, &fit->levels[i]);
		fit->levels[i].trusted = fit->levels[i].distrust == TRUSTED;
	}
	judge_deadline(fit);
}

static void warn(struct fit *fit, const char *format, ...) PRINTF_LIKE(2, 3);

static void warn(struct fit *fit, const char *format, ...)
{
	va_list arguments;

	if (fit->n_warnings == N_WARNINGS_MAX)
		return;
	va_start(arguments, format);
	vsnprintf(fit->warnings[fit->n_warnings].text, sizeof fit->warnings[0].text, format,
		  arguments);
	va_end(arguments);
	fit->n_warnings++;
}

bool fit_has_coarse_ticks(const struct fit *fit)
{
	return fit->tied_share > TIED_MUCH &&
	       (double)fit->tick_ns > SMALL_STEP * fit->estimate.theta[SCALE];
}

/* What the level would be if the fit knew of the steps. */
static double level_with_ticks(const struct fit *fit)
{
	struct estimate estimate;

	stats_fit_ticks(fit->maxima_ns, fit->n_maxima, fit->model, (double)fit->tick_ns, &estimate);
	return stats_level(&estimate, fit->levels[fit->pwcet].y);
}

static void warn_of_ticks(struct fit *fit)
{
	char tick[NUMBER_SIZE], scale[NUMBER_SIZE], with[NUMBER_SIZE], p[NUMBER_SIZE];
	const struct level *pwcet = &fit->levels[fit->pwcet];

	if (fit->tied_share <= TIED_MUCH)
		return;
	format_duration(tick, (double)fit->tick_ns);
	format_duration(scale, fit->estimate.theta[SCALE]);
	if (!fit_has_coarse_ticks(fit))
		warn(fit,
		     "%.0f%% of the maxima equal another one: steps of %s, small beside the "
		     "scale",
		     100 * fit->tied_share, tick);
	else if (pwcet->source != LEVEL_MODEL)
		warn(fit,
		     "%.0f%% of the maxima equal another one: steps of %s beside a scale of %s, "
		     "which the fit takes as continuous",
		     100 * fit->tied_share, tick, scale);
	else
		warn(fit,
		     "%.0f%% of the maxima equal another one: steps of %s beside a scale of %s, "
		     "which the fit takes as continuous; with the steps in the likelihood the "
		     "level at %s is %s",
		     100 * fit->tied_share, tick, scale, format_probability(p, fit->probability),
		     format_duration(with, level_with_ticks(fit)));
}

static void warn_of_model(struct fit *fit)
{
	double shape = fit->gev.theta[SHAPE], end;
	char number[NUMBER_SIZE];

	if (fit->gev.refused[0])
		return;
	end = fit->gev.theta[LOCATION] - fit->gev.theta[SCALE] / shape;
	if (fit->model == MODEL_GUMBEL && fit->likelihood_ratio_p < RATIO_LEVEL)
		warn(fit,
		     "the data reject Gumbel for a GEV of shape %+.3f (p %.2g): Gumbel's "
		     "levels are too %s",
		     shape, fit->likelihood_ratio_p, shape > 0 ? "low" : "high");
	if (fit->model == MODEL_GEV && shape < 0)
		warn(fit,
		     "the GEV ends at %s: a bounded fit may be too low, Gumbel is the cautious "
		     "choice",
		     format_duration(number, end));
	if (fit->model == MODEL_GEV && fit->shape.lower > 0)
		warn(fit, "heavy tail: the shape's interval lies above 0, no level beyond the "
			  "data's horizon is claimed");
}

void fit_warn(struct fit *fit)
{
	fit->n_warnings = 0;
	if (fit->refused)
		return;
	if (fit->weak)
		warn(fit, "weak: %zu maxima, fewer than %d", fit->n_maxima, WEAK_MAXIMA);
	warn_of_ticks(fit);
	warn_of_model(fit);
	if (fit->stratum == STRATUM_ALL)
		warn(fit, "a mixture: executions that were interrupted or preempted are in it");
	if (!fit->pending && fit->interval == INTERVAL_BOOTSTRAP &&
	    isnan(fit->levels[fit->pwcet].lower_ns) &&
	    fit->levels[fit->pwcet].source == LEVEL_MODEL)
		warn(fit, "no intervals: more than 5%% of the bootstrap's fits were refused");
}
