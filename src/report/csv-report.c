/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as CSV: a row for every path of every call. */
#include "results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A field, quoted where it must be (RFC 4180), with nothing in it that steers a
 * terminal.
 */
static void write_field(struct text *out, const char *name)
{
	char *printable, *text;

	if (!name)
		return;
	printable = text = mem_alloc(strlen(name) + 1);
	text_printable(text, strlen(name) + 1, name);
	if (!strpbrk(text, ",\"\r\n")) {
		text_puts(out, text);
		free(printable);
		return;
	}
	text_puts(out, "\"");
	for (; *text; text++) {
		if (*text == '"')
			text_puts(out, "\"");
		text_add(out, text, 1);
	}
	text_puts(out, "\"");
	free(printable);
}

/* The figures of one row, in the order of the columns below. */
struct csv_row {
	const char *call, *path;
	double rank, executions, frequency, accumulated, disturbed;
	double min_ns, median_ns, mean_ns, p90_ns, p99_ns, p999_ns, max_ns, sum_ns;
	const char *stratum;
	double fitted;
	const char *model, *estimator;
	double block_size, maxima, location_ns, scale_ns, shape;
	double location_error_ns, scale_error_ns, shape_error, log_likelihood;
	const char *weak, *refused;
	double pwcet_probability, pwcet_ns, pwcet_lower_ns, pwcet_upper_ns;
	const char *pwcet_source, *pwcet_trusted, *pwcet_reason;
	double deadline_ns, deadline_probability, deadline_lower, deadline_upper;
	const char *verdict;
	const char *independent, *identical;
	double longest_fitted_ns, in_blocks, in_partial_blocks;
	double undisturbed_max_ns, disturbed_max_ns;
	const char *rejected_by, *below_longest;
	double exceeded, exceeded_disturbed;
	const char *warnings;
};

#define TEXT_COLUMN(name, member)                                                                  \
	{                                                                                          \
		name, true, offsetof(struct csv_row, member)                                       \
	}
#define NUMBER_COLUMN(name, member)                                                                \
	{                                                                                          \
		name, false, offsetof(struct csv_row, member)                                      \
	}

static const struct {
	const char *heading;
	bool is_text;
	size_t at;
} columns[] = {
	TEXT_COLUMN("syscall", call),
	TEXT_COLUMN("path", path),
	NUMBER_COLUMN("rank", rank),
	NUMBER_COLUMN("executions", executions),
	NUMBER_COLUMN("frequency", frequency),
	NUMBER_COLUMN("accumulated", accumulated),
	NUMBER_COLUMN("disturbed", disturbed),
	NUMBER_COLUMN("min_ns", min_ns),
	NUMBER_COLUMN("median_ns", median_ns),
	NUMBER_COLUMN("mean_ns", mean_ns),
	NUMBER_COLUMN("p90_ns", p90_ns),
	NUMBER_COLUMN("p99_ns", p99_ns),
	NUMBER_COLUMN("p999_ns", p999_ns),
	NUMBER_COLUMN("max_ns", max_ns),
	NUMBER_COLUMN("sum_ns", sum_ns),
	TEXT_COLUMN("stratum", stratum),
	NUMBER_COLUMN("fitted_executions", fitted),
	TEXT_COLUMN("model", model),
	TEXT_COLUMN("estimator", estimator),
	NUMBER_COLUMN("block_size", block_size),
	NUMBER_COLUMN("maxima", maxima),
	NUMBER_COLUMN("location_ns", location_ns),
	NUMBER_COLUMN("scale_ns", scale_ns),
	NUMBER_COLUMN("shape", shape),
	NUMBER_COLUMN("location_error_ns", location_error_ns),
	NUMBER_COLUMN("scale_error_ns", scale_error_ns),
	NUMBER_COLUMN("shape_error", shape_error),
	NUMBER_COLUMN("log_likelihood", log_likelihood),
	TEXT_COLUMN("weak", weak),
	TEXT_COLUMN("refused", refused),
	NUMBER_COLUMN("pwcet_probability", pwcet_probability),
	NUMBER_COLUMN("pwcet_ns", pwcet_ns),
	NUMBER_COLUMN("pwcet_lower_ns", pwcet_lower_ns),
	NUMBER_COLUMN("pwcet_upper_ns", pwcet_upper_ns),
	TEXT_COLUMN("pwcet_source", pwcet_source),
	TEXT_COLUMN("pwcet_trusted", pwcet_trusted),
	TEXT_COLUMN("pwcet_reason", pwcet_reason),
	NUMBER_COLUMN("deadline_ns", deadline_ns),
	NUMBER_COLUMN("deadline_probability", deadline_probability),
	NUMBER_COLUMN("deadline_lower", deadline_lower),
	NUMBER_COLUMN("deadline_upper", deadline_upper),
	TEXT_COLUMN("deadline_verdict", verdict),
	TEXT_COLUMN("independence_rejected", independent),
	TEXT_COLUMN("identical_distribution_rejected", identical),
	NUMBER_COLUMN("longest_fitted_ns", longest_fitted_ns),
	NUMBER_COLUMN("in_blocks", in_blocks),
	NUMBER_COLUMN("in_partial_blocks", in_partial_blocks),
	NUMBER_COLUMN("undisturbed_max_ns", undisturbed_max_ns),
	NUMBER_COLUMN("disturbed_max_ns", disturbed_max_ns),
	TEXT_COLUMN("rejected_by", rejected_by),
	TEXT_COLUMN("pwcet_below_longest", below_longest),
	NUMBER_COLUMN("deadline_exceeded", exceeded),
	NUMBER_COLUMN("deadline_exceeded_disturbed", exceeded_disturbed),
	TEXT_COLUMN("warnings", warnings),
};

#define WHOLE_MOST 1e15

static void write_number(struct text *out, double number)
{
	char text[NUMBER_SIZE];

	if (!isfinite(number))
		return;
	if (fabs(number) <= WHOLE_MOST && number == nearbyint(number))
		snprintf(text, sizeof text, "%.0f", number == 0 ? 0.0 : number);
	else
		format_exact(text, number);
	text_puts(out, text);
}

static void write_row(struct text *out, const struct csv_row *row)
{
	for (size_t i = 0; i < COUNT_OF(columns); i++) {
		const void *at = (const char *)row + columns[i].at;

		if (i)
			text_puts(out, ",");
		if (columns[i].is_text)
			write_field(out, *(const char *const *)at);
		else
			write_number(out, *(const double *)at);
	}
	text_puts(out, "\n");
}

static const char *yes_or_no(bool yes)
{
	return yes ? "yes" : "no";
}

static void fill_summary(struct csv_row *row, const struct summary *summary)
{
	bool any = summary->n > 0;

	row->min_ns = any ? (double)summary->min_ns : NAN;
	row->median_ns = nearbyint(summary->median_ns);
	row->mean_ns = summary->mean_ns;
	row->p90_ns = nearbyint(summary->p90_ns);
	row->p99_ns = nearbyint(summary->p99_ns);
	row->p999_ns = nearbyint(summary->p999_ns);
	row->max_ns = any ? (double)summary->max_ns : NAN;
	row->sum_ns = any && summary->sum_ns != UINT64_MAX ? (double)summary->sum_ns : NAN;
}

static void fill_fit(struct csv_row *row, const struct fit *fit)
{
	row->stratum = stratum_word(fit->stratum);
	row->fitted = (double)fit->n_executions;
	row->model = model_word(fit->model);
	row->estimator = estimator_word(fit->estimator);
	row->block_size = fit->block_size;
	row->maxima = (double)fit->n_maxima;
	row->location_ns = fit->refused ? NAN : fit->estimate.theta[LOCATION];
	row->scale_ns = fit->refused ? NAN : fit->estimate.theta[SCALE];
	row->shape = fit->refused ? NAN : fit->estimate.theta[SHAPE];
	row->location_error_ns = fit->standard_error[LOCATION];
	row->scale_error_ns = fit->standard_error[SCALE];
	row->shape_error = fit->estimate.n_parameters > SHAPE ? fit->standard_error[SHAPE] : NAN;
	row->log_likelihood = fit->log_likelihood;
	row->weak = yes_or_no(fit->weak);
	row->refused = fit->refused;
}

static void fill_pwcet(struct csv_row *row, const struct fit *fit)
{
	const struct level *level = fit_pwcet(fit);

	row->pwcet_probability = fit->probability;
	row->pwcet_ns = row->pwcet_lower_ns = row->pwcet_upper_ns = NAN;
	if (!level)
		return;
	row->pwcet_ns = level->estimate_ns;
	row->pwcet_lower_ns = level->lower_ns;
	row->pwcet_upper_ns = level->upper_ns;
	row->pwcet_source = level_source_word(level->source);
	row->pwcet_trusted = yes_or_no(level->trusted);
	row->pwcet_reason = distrust_sentence(level->distrust);
}

static void fill_deadline(struct csv_row *row, const struct deadline *deadline)
{
	bool any = deadline->time_ns > 0;

	row->deadline_ns = any ? (double)deadline->time_ns : NAN;
	row->deadline_probability = any ? deadline->probability : NAN;
	row->deadline_lower = any ? deadline->lower : NAN;
	row->deadline_upper = any ? deadline->upper : NAN;
	row->verdict = any ? verdict_word(deadline->verdict) : NULL;
}

static double longest_of(const struct summary *summary)
{
	return summary->n ? (double)summary->max_ns : NAN;
}

/* What limits the numbers of the row; warnings is the text that the row points to. */
static void fill_limits(struct csv_row *row, const struct report_entry *entry,
			struct text *warnings)
{
	const struct fit *fit = &entry->fit;
	bool any = fit->deadline.time_ns > 0;

	row->longest_fitted_ns = fit->n_executions ? (double)fit->longest_ns : NAN;
	row->in_blocks = (double)report_in_blocks(fit);
	row->in_partial_blocks = (double)(fit->n_executions - report_in_blocks(fit));
	row->undisturbed_max_ns = longest_of(&entry->strata[STRATUM_UNDISTURBED]);
	row->disturbed_max_ns = longest_of(&entry->strata[STRATUM_DISTURBED]);
	row->below_longest = fit->refused ? NULL : yes_or_no(report_below_longest(entry));
	row->rejected_by = fit_rejected_by(fit);
	row->exceeded = any ? (double)fit->deadline.n_exceeded : NAN;
	row->exceeded_disturbed = any ? (double)entry->n_exceeded_disturbed : NAN;
	for (size_t i = 0; i < fit->n_warnings; i++)
		text_printf(warnings, "%s%s", i ? "; " : "", fit->warnings[i].text);
	row->warnings = warnings->n ? warnings->bytes : NULL;
}

static void write_entry(struct text *out, const struct report_entry *entry, double accumulated)
{
	const struct path *path = report_entry_path(entry);
	const struct test_results *tests = &entry->tests;
	struct csv_row row = {
		.call = entry->call->name,
		.path = path->id,
		.rank = (double)entry->path + 1,
		.executions = path->n_seen,
		.frequency = (double)path->n_seen / entry->call->n_seen,
		.accumulated = accumulated / entry->call->n_seen,
		.disturbed = report_disturbed_known(entry->call) ? path->n_disturbed_seen : NAN,
	};
	struct text warnings = {0};

	fill_summary(&row, &entry->summary);
	fill_fit(&row, &entry->fit);
	fill_pwcet(&row, &entry->fit);
	fill_deadline(&row, &entry->fit.deadline);
	if (tests->independent.known)
		row.independent = yes_or_no(tests->independent.rejected);
	if (tests->identically_distributed.known)
		row.identical = yes_or_no(tests->identically_distributed.rejected);
	fill_limits(&row, entry, &warnings);
	write_row(out, &row);
	text_release(&warnings);
}

int report_csv(const struct recording *recording, const struct report_options *options,
	       struct text *out, struct error *err)
{
	struct report_results results;

	if (report_results_compute(recording, options, &results, err))
		return -1;
	for (size_t i = 0; i < COUNT_OF(columns); i++)
		text_printf(out, "%s%s", i ? "," : "", columns[i].heading);
	text_puts(out, "\n");
	for (size_t i = 0; i < results.n_calls; i++) {
		const struct report_call *call = &results.calls[i];
		double accumulated = 0;

		for (uint32_t p = 0; p < call->n_paths; p++) {
			accumulated += call->call->paths[results.settings.identity][p].n_seen;
			if (call->paths[p].shown)
				write_entry(out, &call->paths[p], accumulated);
		}
	}
	report_results_release(&results);
	return 0;
}
