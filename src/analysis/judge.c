/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a fit may be believed, and the words for it. */
#include "fit-internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define HORIZON 10.0	  /* times the executions */
#define LONGEST_MOST 10.0 /* times the longest observation */
#define TIED_MUCH 0.05
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

bool fit_is_bounded(const struct fit *fit)
{
	return !fit->refused && fit->model == MODEL_GEV &&
	       (fit->estimate.theta[SHAPE] < 0 || fit->shape.upper < 0);
}

const char *fit_rejected_by(const struct fit *fit)
{
	if (fit->refused)
		return NULL;
	if (fit->anderson_darling_p < REJECTION_LEVEL)
		return "Anderson-Darling";
	if (fit->model == MODEL_GUMBEL && fit->likelihood_ratio_p < REJECTION_LEVEL)
		return "likelihood ratio";
	return NULL;
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
	else if (deadline->upper <= fit->probability && fit_is_bounded(fit) &&
		 !(deadline->gumbel_upper <= fit->probability))
		give_verdict(deadline, VERDICT_UNKNOWN,
			     isnan(deadline->gumbel_upper)
				     ? "the GEV ends below it, and there is no Gumbel to confirm it"
				     : "the bounded GEV meets it, the Gumbel of the same maxima, "
				       "the cautious choice, does not");
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

/* Of a GEV with an end: what the cautious choice says. */
static void warn_of_end(struct fit *fit)
{
	double end = fit->estimate.theta[LOCATION] -
		     fit->estimate.theta[SCALE] / fit->estimate.theta[SHAPE];
	const struct level *pwcet = &fit->levels[fit->pwcet];
	char number[NUMBER_SIZE], level[NUMBER_SIZE], p[NUMBER_SIZE];

	if (!(fit->estimate.theta[SHAPE] < 0))
		return;
	format_duration(number, end);
	if (fit->gumbel.refused[0] || pwcet->source != LEVEL_MODEL)
		warn(fit,
		     "the GEV ends at %s: a bounded fit may be too low, Gumbel is the cautious "
		     "choice",
		     number);
	else
		warn(fit,
		     "the GEV ends at %s: a bounded fit may be too low; Gumbel, the cautious "
		     "choice, gives %s at %s",
		     number, format_duration(level, stats_level(&fit->gumbel, pwcet->y)),
		     format_probability(p, fit->probability));
}

static void warn_of_model(struct fit *fit)
{
	double shape = fit->gev.theta[SHAPE];

	if (fit->model == MODEL_GUMBEL && fit->likelihood_ratio_p < REJECTION_LEVEL)
		warn(fit,
		     "the likelihood ratio rejects Gumbel for a GEV of shape %+.3f (p %.2g): its "
		     "levels are too %s",
		     shape, fit->likelihood_ratio_p, shape > 0 ? "low" : "high, on the safe side");
	if (fit->anderson_darling_p < REJECTION_LEVEL)
		warn(fit,
		     "Anderson-Darling rejects the fit (p %.2g of %zu refits): its levels need "
		     "not hold",
		     fit->anderson_darling_p, fit->anderson_darling_refits);
	if (fit->model != MODEL_GEV)
		return;
	warn_of_end(fit);
	if (fit->shape.lower > 0)
		warn(fit, "heavy tail: the shape's interval lies above 0, no level beyond the "
			  "data's horizon is claimed");
}

/* Of what was not fitted: a level below a time that callers did wait. */
static void warn_of_waits(struct fit *fit)
{
	const struct level *pwcet = &fit->levels[fit->pwcet];
	char longest[NUMBER_SIZE], p[NUMBER_SIZE];

	if (fit->waits.longest_ns <= fit->longest_ns ||
	    !((double)fit->waits.longest_ns > pwcet->estimate_ns))
		return;
	warn(fit,
	     "the longest execution of all strata took %s, more than the level at %s: that holds "
	     "for what was fitted alone",
	     format_duration(longest, (double)fit->waits.longest_ns),
	     format_probability(p, fit->probability));
}

/* A source without end: see recording.h. */
static void warn_of_draw(struct fit *fit)
{
	char kept[NUMBER_SIZE], all[NUMBER_SIZE];

	if (fit->n_kept >= fit->n_executions)
		return;
	warn(fit,
	     "the maxima are of all %s executions; quantiles and tests are of %s drawn evenly from "
	     "them",
	     format_count(all, fit->n_executions), format_count(kept, fit->n_kept));
	if (fit->block_size != fit->block_size_asked)
		warn(fit, "blocks of %u executions, where %u was asked: shorter ones are not kept",
		     (unsigned)fit->block_size, (unsigned)fit->block_size_asked);
}

void fit_warn(struct fit *fit)
{
	fit->n_warnings = 0;
	if (fit->refused)
		return;
	if (fit->weak)
		warn(fit, "weak: %zu maxima, fewer than %d", fit->n_maxima, WEAK_MAXIMA);
	warn_of_draw(fit);
	warn_of_ticks(fit);
	warn_of_model(fit);
	warn_of_waits(fit);
	if (fit->stratum == STRATUM_ALL)
		warn(fit, "a mixture: executions that were interrupted or preempted are in it");
	if (!fit->pending && fit->interval == INTERVAL_BOOTSTRAP &&
	    isnan(fit->levels[fit->pwcet].lower_ns) &&
	    fit->levels[fit->pwcet].source == LEVEL_MODEL)
		warn(fit, "no intervals: more than 5%% of the bootstrap's fits were refused");
}
