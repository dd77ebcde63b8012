/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One call or path in the text report: sample, fit, levels, tests, warnings. */
#include "results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

char *report_duration(char *out, double duration_ns)
{
	if (isinf(duration_ns)) {
		snprintf(out, NUMBER_SIZE, duration_ns > 0 ? "infinite" : "-infinite");
		return out;
	}
	return format_duration_digits(out, duration_ns, 5);
}

char *report_percent(char *out, double share)
{
	snprintf(out, NUMBER_SIZE, "%.10g", 100 * share);
	return out;
}

const char *report_name(char *room, const char *name)
{
	return text_printable(room, VIEWED_NAME, name);
}

const char *report_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

char *report_small(char *out, double share)
{
	if (share == 0 || share == 1 || share == 100)
		snprintf(out, NUMBER_SIZE, "%.0f", share);
	else
		format_significant(out, share, 3);
	return out;
}

#define TEXT_COLS 79

void report_wrap_behind(struct text *out, size_t at, unsigned indent, const char *words)
{
	bool first = true;

	while (*words) {
		size_t n = strcspn(words, " ");

		if (!first && at + 1 + n > TEXT_COLS) {
			text_puts(out, "\n");
			at = 0;
			first = true;
		}
		if (!first)
			text_puts(out, " ");
		else if (at < indent)
			text_printf(out, "%*s", (int)(indent - at), "");
		at = first ? (at < indent ? indent : at) + n : at + 1 + n;
		first = false;
		text_add(out, words, n);
		words += n + (words[n] == ' ');
	}
	text_puts(out, "\n");
}

void report_wrap(struct text *out, unsigned indent, const char *words)
{
	report_wrap_behind(out, 0, indent, words);
}

#define LEAST_P 1e-300

/* A p-value: below LEAST_P its digits are those of an approximation. */
static char *format_p(char *out, double p)
{
	if (isnan(p))
		snprintf(out, NUMBER_SIZE, "-");
	else if (p < LEAST_P)
		snprintf(out, NUMBER_SIZE, "<1e-300");
	else
		format_significant(out, p, 3);
	return out;
}

/* ---- sample ---- */

static void write_summary(const struct report_entry *entry, struct text *out)
{
	const struct summary *summary = &entry->summary;
	char n[NUMBER_SIZE], a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE], d[NUMBER_SIZE];
	char e[NUMBER_SIZE], f[NUMBER_SIZE];

	if (!summary->n) {
		text_puts(out, "  no durations\n");
		return;
	}
	text_printf(out, "  %s time of %s execution%s%s\n", time_word(entry->settings.time),
		    format_count(n, summary->n), report_plural(summary->n),
		    report_disturbed_known(entry->call) ? ", disturbed or not" : "");
	text_printf(out, "    min %s   median %s   mean %s\n",
		    report_duration(a, (double)summary->min_ns),
		    report_duration(b, summary->median_ns), report_duration(c, summary->mean_ns));
	text_printf(out, "    P90 %s   P99 %s   P99.9 %s   max %s\n",
		    report_duration(a, summary->p90_ns), report_duration(b, summary->p99_ns),
		    report_duration(c, summary->p999_ns),
		    report_duration(d, (double)summary->max_ns));
	text_printf(out, "    jitter %s (%s of the median)\n    standard deviation %s   MAD %s\n",
		    report_duration(a, summary->jitter_ns),
		    format_significant(b, summary->jitter_ratio, 3),
		    report_duration(e, summary->deviation_ns), report_duration(f, summary->mad_ns));
}

static void write_stratum(const struct report_entry *entry, enum stratum stratum, struct text *out)
{
	const struct summary *summary = &entry->strata[stratum];
	char n[NUMBER_SIZE], a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE];

	text_printf(out, "    %-11s %8s:  median %s   P99.9 %s   max %s\n", stratum_word(stratum),
		    format_count(n, summary->n), report_duration(a, summary->median_ns),
		    report_duration(b, summary->p999_ns),
		    report_duration(c, (double)summary->max_ns));
}

/* Two distributions: what is fitted is most often one of them alone. */
static void write_strata(const struct report_entry *entry, struct text *out)
{
	if (!entry->strata[STRATUM_DISTURBED].n || !entry->strata[STRATUM_UNDISTURBED].n)
		return;
	write_stratum(entry, STRATUM_UNDISTURBED, out);
	write_stratum(entry, STRATUM_DISTURBED, out);
}

/* ---- parameters ---- */

static void write_parameters(const struct fit *fit, struct text *out)
{
	static const char *const names[] = {"location", "scale", "shape"};
	char value[NUMBER_SIZE], error[NUMBER_SIZE], lower[NUMBER_SIZE], upper[NUMBER_SIZE];
	bool errors = isfinite(fit->standard_error[LOCATION]);

	for (int i = 0; i < fit->estimate.n_parameters; i++) {
		double theta = fit->estimate.theta[i], deviation = fit->standard_error[i];

		if (i == SHAPE)
			format_significant(value, theta, 5);
		else
			report_duration(value, theta);
		text_printf(out, "    %-14s %s", names[i], value);
		if (errors && i == SHAPE)
			text_printf(out, "   standard error %s",
				    format_significant(error, deviation, 3));
		else if (errors)
			text_printf(out, "   standard error %s", format_duration(error, deviation));
		text_puts(out, "\n");
	}
	if (!errors && fit->no_errors)
		text_printf(out, "    no standard errors: %s\n", fit->no_errors);
	text_printf(out, "    log likelihood %s (maxima in ns)\n",
		    format_significant(value, fit->log_likelihood, 8));
	if (isfinite(fit->shape.lower) || isfinite(fit->shape.upper))
		text_printf(out,
			    "    shape of the GEV of the same maxima: %s%% interval [%s, %s]\n",
			    report_percent(value, fit->confidence),
			    format_significant(lower, fit->shape.lower, 3),
			    format_significant(upper, fit->shape.upper, 3));
}

static void write_fit_heading(const struct report_entry *entry, struct text *out)
{
	const struct fit *fit = &entry->fit;
	char size[NUMBER_SIZE], n[NUMBER_SIZE], maxima[NUMBER_SIZE];

	text_printf(out, "  fit: %s by %s, blocks of %s %s%s\n", model_title(fit->model),
		    estimator_title(fit->estimator), format_count(size, fit->block_size),
		    block_unit_word(fit->block_unit),
		    fit->block_unit == BLOCK_RUN && fit->block_size > 1 ? "s" : "");
	text_printf(out, "    of %s executions: %s time, %s, %s identity\n",
		    format_count(n, fit->n_executions), time_word(entry->settings.time),
		    !report_disturbed_known(entry->call) ? "disturbed or not not known"
		    : fit->stratum == STRATUM_ALL	 ? "disturbed and undisturbed"
							 : stratum_word(fit->stratum),
		    identity_word(entry->settings.identity));
	if (entry->n_left_out)
		text_printf(out, "    %s execution%s left out: time not known\n",
			    format_count(n, entry->n_left_out), report_plural(entry->n_left_out));
	if (fit->n_executions)
		text_printf(out, "    the longest of them %s\n",
			    report_duration(n, (double)fit->longest_ns));
	text_printf(out, "    %s block maxima%s\n", format_count(maxima, fit->n_maxima),
		    fit->weak && !fit->refused ? ", weak: fewer than 50" : "");
	if (fit->n_executions)
		text_printf(out,
			    "    %s executions in whole blocks, %s dropped with partial ones\n",
			    format_count(n, report_in_blocks(fit)),
			    format_count(size, fit->n_executions - report_in_blocks(fit)));
	if (fit->refused)
		text_printf(out, "    no fit: %s\n", fit->refused);
	else
		write_parameters(fit, out);
}

/* Where the numbers begin that they are about. */
static void write_warnings(const struct fit *fit, struct text *out)
{
	for (size_t i = 0; i < fit->n_warnings; i++) {
		text_puts(out, "  !");
		report_wrap_behind(out, 3, 4, fit->warnings[i].text);
	}
}

/* ---- return levels ---- */

static void write_interval(const struct level *level, char out[2 * NUMBER_SIZE + 8])
{
	char lower[NUMBER_SIZE], upper[NUMBER_SIZE];

	if (isnan(level->lower_ns) && isnan(level->upper_ns))
		out[0] = '\0';
	else
		snprintf(out, 2 * NUMBER_SIZE + 8, "[%s, %s]",
			 report_duration(lower, level->lower_ns),
			 report_duration(upper, level->upper_ns));
}

/* 1,000 and 1e7; a count that is not whole (of blocks, say) keeps four digits. */
static char *format_one_in(char *out, double count)
{
	char *plus;

	if (count >= 1e6)
		snprintf(out, NUMBER_SIZE, "%.4g", count);
	else if (count == floor(count))
		format_count(out, (uint64_t)count);
	else
		format_significant(out, count, 4);
	/* 1e+07 */
	plus = strchr(out, '+');
	if (plus)
		memmove(plus, plus + 1 + (plus[1] == '0'), strlen(plus + 1 + (plus[1] == '0')) + 1);
	return out;
}

/* 0.1, 1e-3; four digits of what is not round. */
static char *format_level_probability(char *out, double probability)
{
	if (probability >= 0.00999)
		snprintf(out, NUMBER_SIZE, "%.4g", probability);
	else
		format_probability(out, probability);
	return out;
}

static void write_level(const struct fit *fit, const struct level *level, bool force,
			struct text *out)
{
	char probability[NUMBER_SIZE], estimate[NUMBER_SIZE], interval[2 * NUMBER_SIZE + 8];
	char count[NUMBER_SIZE];
	bool known = isfinite(level->estimate_ns);

	write_interval(level, interval);
	text_printf(out, "    %10s  %-11s  ", format_one_in(count, level->count),
		    format_level_probability(probability, level->probability));
	if (level->trusted || (force && known))
		text_printf(out, "%-12s  %-27s%s%s%s",
			    report_duration(estimate, level->estimate_ns), interval,
			    level->source == LEVEL_EMPIRICAL ? "  empirical" : "",
			    level->trusted ? "" : "  not trusted: ",
			    level->trusted ? "" : distrust_words(level->distrust));
	else
		text_printf(out, "not trusted: %s", distrust_words(level->distrust));
	while (out->n && out->bytes[out->n - 1] == ' ')
		out->n--;
	text_printf(out, "%s\n", level == fit_pwcet(fit) ? "  <- pWCET" : "");
}

/* Every reason once, in a sentence. */
static void write_distrust(const struct fit *fit, struct text *out)
{
	bool said[8] = {false};

	for (size_t i = 0; i < fit->n_levels; i++) {
		const char *sentence = distrust_sentence(fit->levels[i].distrust);
		unsigned kind = fit->levels[i].distrust;

		if (!sentence || kind >= COUNT_OF(said) || said[kind])
			continue;
		said[kind] = true;
		text_printf(out, "    %s:\n", distrust_words(fit->levels[i].distrust));
		report_wrap(out, 6, sentence);
	}
}

static void write_below_longest(const struct report_entry *entry, struct text *out)
{
	const struct fit *fit = &entry->fit;
	struct text words = {0};
	char longest[NUMBER_SIZE];

	text_printf(&words, "the pWCET is below the longest execution seen, %s",
		    report_duration(longest, (double)entry->summary.max_ns));
	if (entry->summary.max_ns > fit->longest_ns)
		text_printf(&words, ": it is of %s executions alone and says nothing of others",
			    stratum_word(fit->stratum));
	text_puts(out, "  !");
	report_wrap_behind(out, 3, 4, words.bytes);
	text_release(&words);
}

static void write_levels(const struct report_entry *entry, struct text *out)
{
	const struct fit *fit = &entry->fit;
	char share[NUMBER_SIZE];

	if (!fit->n_executions)
		return;
	text_printf(out, "  return levels in %s, %s%% intervals (%s)\n", unit_word(fit->unit),
		    report_percent(share, fit->confidence), interval_word(fit->interval));
	text_printf(out, "    %10s  %-11s  %-12s  %s\n", "one in", "probability", "level",
		    "interval");
	/* without a fit only what was seen: the reason stands above */
	for (size_t i = 0; i < fit->n_levels; i++)
		if (!fit->refused || isfinite(fit->levels[i].estimate_ns))
			write_level(fit, &fit->levels[i], entry->settings.force, out);
	if (!fit->refused)
		write_distrust(fit, out);
	if (report_below_longest(entry))
		write_below_longest(entry, out);
}

/* Of all, whatever is fitted: the caller waits for the disturbed ones too. */
static void write_beyond(const struct report_entry *entry, struct text *out)
{
	char n[NUMBER_SIZE], all[NUMBER_SIZE];

	text_printf(out, "    executions seen beyond it: %s of %s",
		    format_count(n, entry->fit.deadline.n_exceeded),
		    format_count(all, entry->fit.waits.n));
	if (entry->n_exceeded_disturbed)
		text_printf(out, ", %s of them disturbed",
			    format_count(n, entry->n_exceeded_disturbed));
	text_puts(out, "\n");
}

static void write_deadline(const struct report_entry *entry, struct text *out)
{
	const struct deadline *deadline = &entry->fit.deadline;
	char time[NUMBER_SIZE], p[NUMBER_SIZE], lower[NUMBER_SIZE], upper[NUMBER_SIZE];

	if (!deadline->time_ns)
		return;
	text_printf(out, "  deadline %s: %s at probability %s\n",
		    report_duration(time, (double)deadline->time_ns),
		    verdict_word(deadline->verdict), format_probability(p, entry->fit.probability));
	if (isfinite(deadline->probability))
		text_printf(out, "    chance to exceed it %s  [%s, %s]%s\n",
			    report_small(p, deadline->probability),
			    report_small(lower, deadline->lower),
			    report_small(upper, deadline->upper),
			    deadline->source == LEVEL_EMPIRICAL ? "  empirical" : "");
	write_beyond(entry, out);
	if (deadline->reason)
		report_wrap(out, 4, deadline->reason);
}

/* ---- tests ---- */

static const char *verdict_of_p(double p)
{
	return p < REJECTION_LEVEL ? "rejected" : "not rejected";
}

static void write_goodness(const struct fit *fit, struct text *out)
{
	char statistic[NUMBER_SIZE], p[NUMBER_SIZE], n[NUMBER_SIZE];

	if (isnan(fit->anderson_darling))
		return;
	text_printf(out, "  goodness of fit\n    Anderson-Darling A2 %s",
		    format_significant(statistic, fit->anderson_darling, 4));
	if (isfinite(fit->anderson_darling_p))
		text_printf(out, ", p %s from %s refits: %s %s\n",
			    format_significant(p, fit->anderson_darling_p, 3),
			    format_count(n, fit->anderson_darling_refits), model_title(fit->model),
			    verdict_of_p(fit->anderson_darling_p));
	else
		text_printf(out, ", no p%s\n",
			    fit->tests == TESTS_QUICK ? ": it takes --tests=full (explorer: A)"
						      : "");
	if (isfinite(fit->likelihood_ratio))
		text_printf(out, "    Gumbel within GEV: likelihood ratio %s, p %s: Gumbel %s\n",
			    format_significant(statistic, fit->likelihood_ratio, 4),
			    format_p(p, fit->likelihood_ratio_p),
			    verdict_of_p(fit->likelihood_ratio_p));
}

static void write_row(const struct test_row *row, bool worst, struct text *out)
{
	char statistic[NUMBER_SIZE], p[NUMBER_SIZE], n[NUMBER_SIZE], name[48];

	if (row->kind == TEST_LJUNG_BOX)
		snprintf(name, sizeof name, "%s, %slag %u", test_name(row->kind),
			 worst ? "worst is " : "", (unsigned)row->lag);
	else
		snprintf(name, sizeof name, "%s", test_name(row->kind));
	text_printf(out, "    %-26s %-16s %10s %10s %10s  %s\n", name, test_on_word(row->on),
		    format_significant(statistic, row->statistic, 4), format_p(p, row->p),
		    format_count(n, row->n), row->rejected ? "rejected" : "not rejected");
}

/* Rows from at on that are the same test of the same values, of other lags. */
static size_t count_lags(const struct test_results *tests, size_t at)
{
	const struct test_row *first = &tests->rows[at];
	size_t n = 1;

	while (at + n < tests->n_rows && first->kind == TEST_LJUNG_BOX &&
	       tests->rows[at + n].kind == first->kind && tests->rows[at + n].on == first->on)
		n++;
	return n;
}

/* Lags of which none is rejected stand in one row, that of the least p. */
static bool write_lags(const struct test_row *rows, size_t n, struct text *out)
{
	const struct test_row *worst = rows;
	bool rejected = false;

	for (size_t i = 0; i < n; i++) {
		rejected |= rows[i].rejected;
		if (isnan(worst->p) || rows[i].p < worst->p)
			worst = &rows[i];
	}
	if (n > 1 && !rejected) {
		if (!isnan(worst->p))
			write_row(worst, true, out);
		return true;
	}
	for (size_t i = 0; i < n; i++)
		if (!isnan(rows[i].p))
			write_row(&rows[i], false, out);
	return false;
}

static void write_rows(const struct test_results *tests, struct text *out)
{
	bool merged = false;
	size_t n;

	text_printf(out, "    %-26s %-16s %10s %10s %10s\n", "test", "on", "statistic", "p", "n");
	for (size_t i = 0; i < tests->n_rows; i += n) {
		n = count_lags(tests, i);
		merged |= write_lags(&tests->rows[i], n, out);
	}
	if (merged)
		text_puts(out, "    worst: the lag of the least p, where none of them is "
			       "rejected\n");
}

static void write_assumption(const char *what, const struct assumption *assumption,
			     struct text *out)
{
	text_printf(out, "    %s: %s\n", what,
		    !assumption->known	   ? "too few values to say"
		    : assumption->rejected ? "rejected"
					   : "not rejected");
	if (*assumption->reason)
		report_wrap(out, 6, assumption->reason);
}

static void write_autocorrelation(const char *what, const struct autocorrelation *of,
				  struct text *out)
{
	char most[NUMBER_SIZE], band[NUMBER_SIZE], size[NUMBER_SIZE], n[NUMBER_SIZE];
	struct text words = {0};

	if (of->n < 2)
		return;
	text_printf(
		&words,
		"autocorrelation of %s: at most %s in %d lags (band %s), effective size %s of %s",
		what, format_significant(most, of->max_abs, 3), N_LAGS,
		format_significant(band, of->band, 3),
		format_count(size, (uint64_t)of->effective_size), format_count(n, of->n));
	report_wrap(out, 4, words.bytes);
	text_release(&words);
}

static void write_tests(const struct report_entry *entry, struct text *out)
{
	const struct test_results *tests = &entry->tests;
	char level[NUMBER_SIZE];

	if (!report_tests_made(tests)) {
		text_puts(out, "  tests of the assumptions: too few values\n");
		return;
	}
	text_printf(out, "  tests of the assumptions (%u tests, Holm at %s)\n",
		    (unsigned)report_tests_made(tests), format_significant(level, TEST_LEVEL, 1));
	write_rows(tests, out);
	if (tests->halves)
		text_printf(out, "    Kolmogorov-Smirnov compares the %s\n", tests->halves);
	write_autocorrelation("executions", &tests->executions, out);
	write_autocorrelation("maxima", &tests->maxima, out);
	write_assumption("independent", &tests->independent, out);
	write_assumption("identically distributed", &tests->identically_distributed, out);
}

void report_entry_text(const struct report_entry *entry, struct text *out)
{
	const struct fit *fit = &entry->fit;

	write_summary(entry, out);
	write_strata(entry, out);
	write_fit_heading(entry, out);
	write_warnings(fit, out);
	write_levels(entry, out);
	write_deadline(entry, out);
	write_goodness(fit, out);
	write_tests(entry, out);
}
