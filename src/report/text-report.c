/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report as text: for a safety case and for people. The same parts make
 * the report of a recording and that of fits marked by hand.
 */
#include "results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- inputs ---- */

static const char *emulation_sentence(enum emulation emulation)
{
	switch (emulation) {
	case EMULATION_NO:
		return "real machine";
	case EMULATION_HOST:
		return "emulated on a host: its times mean nothing, its paths everything";
	case EMULATION_COUNTED:
		return "emulated, instructions counted: times are not those of hardware";
	case EMULATION_UNKNOWN:
		break;
	}
	return "not said by the recording";
}

/* What an .evtop file was made of, and how: its own digest says nothing of the traces. */
static void write_origins(const struct input *input, struct text *out)
{
	char name[VIEWED_NAME];

	for (uint32_t i = 0; i < input->n_origins; i++) {
		const struct origin *origin = &input->origins[i];

		text_printf(out, "    made from  %s (%s)\n", report_name(name, origin->name),
			    origin->format ? origin->format : "not read");
		text_printf(out, "               sha256 %s\n",
			    *origin->sha256 ? origin->sha256 : "not computed");
	}
	if (input->origin_options)
		text_printf(out, "    read with  %s\n", report_name(name, input->origin_options));
}

static void write_input(const struct input *input, struct text *out)
{
	char name[VIEWED_NAME], runs[NUMBER_SIZE], campaigns[NUMBER_SIZE], words[VIEWED_NAME];

	text_printf(out, "  %s\n", report_name(name, input->name));
	if (input->error) {
		text_printf(out, "    not read: %s\n", report_name(words, input->error));
		return;
	}
	text_printf(out, "    sha256     %s\n", *input->sha256 ? input->sha256 : "not computed");
	text_printf(out, "    format     %s, %s campaign%s, %s run%s\n",
		    input->format ? input->format : "-",
		    format_count(campaigns, input->n_campaigns), report_plural(input->n_campaigns),
		    format_count(runs, input->n_runs), report_plural(input->n_runs));
	write_origins(input, out);
	text_printf(out, "    kernel     %s\n",
		    input->kernel ? report_name(words, input->kernel)
				  : "not said by the recording");
	text_printf(out, "    machine    %s\n", emulation_sentence(input->emulated));
	if (input->scope) {
		text_puts(out, "    traced     ");
		report_wrap_behind(out, 15, 15, report_name(words, input->scope));
	}
}

static void write_inputs(const struct recording *recording, struct text *out)
{
	struct text name = {0};
	char room[VIEWED_NAME], reason[VIEWED_NAME];

	text_puts(out, "\nINPUTS\n");
	for (uint32_t i = 0; i < recording->n_inputs; i++)
		write_input(&recording->inputs[i], out);
	if (recording->n_complaints)
		text_puts(out, "  files not read, or in part only\n");
	for (uint32_t i = 0; i < recording->n_complaints; i++) {
		text_clear(&name);
		report_file_name(recording, recording->complaints[i].file, &name);
		text_printf(out, "    %s: %s\n", report_name(room, name.bytes),
			    report_name(reason, recording->complaints[i].reason));
	}
	text_release(&name);
}

/* ---- options ---- */

static void write_list(struct text *out, const char *what, const char *const *items, size_t n)
{
	char room[VIEWED_NAME];

	if (!n)
		return;
	text_printf(out, "  %-12s", what);
	for (size_t i = 0; i < n; i++)
		text_printf(out, " %s", report_name(room, items[i]));
	text_puts(out, "\n");
}

static void write_numbers(struct text *out, const char *what, const int *items, size_t n)
{
	if (!n)
		return;
	text_printf(out, "  %-12s", what);
	for (size_t i = 0; i < n; i++)
		text_printf(out, " %d", items[i]);
	text_puts(out, "\n");
}

static void write_reading(const struct report_options *options, struct text *out)
{
	const struct load_options *load = options->load;
	char room[VIEWED_NAME], time[NUMBER_SIZE];

	write_list(out, "syscall", load->syscalls, load->n_syscalls);
	write_list(out, "root", load->roots, load->n_roots);
	write_list(out, "opaque", load->opaque, load->n_opaque);
	write_list(out, "comm", load->comms, load->n_comms);
	write_numbers(out, "pid", load->pids, load->n_pids);
	write_numbers(out, "cpu", load->cpus, load->n_cpus);
	for (size_t i = 0; i < options->n_deadlines; i++)
		text_printf(out, "  deadline     %s %s\n",
			    report_name(room, options->deadlines[i].call),
			    report_duration(time, (double)options->deadlines[i].time_ns));
}

/* In a report of marks, whose other options stand with each fit. */
static void write_filters(const struct report_options *options, struct text *out)
{
	size_t heading;

	text_puts(out, "\nWHAT WAS READ\n");
	heading = out->n;
	write_reading(options, out);
	if (out->n == heading)
		text_puts(out, "  everything\n");
}

static void write_settings(const struct settings *settings, const char *tests, struct text *out)
{
	char level[NUMBER_SIZE], probability[NUMBER_SIZE];

	text_printf(out, "  identity %s   time %s   stratum %s\n",
		    identity_word(settings->identity), time_word(settings->time),
		    stratum_word(settings->stratum));
	text_printf(out, "  model %s   estimator %s   block-size %u   block-unit %s\n",
		    model_word(settings->model), estimator_word(settings->estimator),
		    (unsigned)settings->block_size, block_unit_word(settings->block_unit));
	text_printf(out, "  interval %s   level %s   unit %s   probability %s\n",
		    interval_word(settings->interval), format_exact(level, settings->level),
		    unit_word(settings->unit),
		    format_probability(probability, settings->probability));
	text_printf(out, "  tests %s\n", tests);
	text_printf(out, "  ticks off   seed %" PRIu64 "   force %s\n", settings->seed,
		    settings->force ? "yes" : "no");
}

static void write_options(const struct report_options *options, const struct settings *settings,
			  struct text *out)
{
	char room[VIEWED_NAME];

	text_puts(out, "\nOPTIONS IN FORCE\n");
	write_settings(settings,
		       options->tests_given ? tests_word(settings->tests)
					    : "full for the first 10 paths of a call, else quick",
		       out);
	if (options->path)
		text_printf(out, "  path         %s\n", report_name(room, options->path));
	else if (options->top)
		text_printf(out, "  top          %u\n", (unsigned)options->top);
	else
		text_puts(out, "  top          0 (all)\n");
	write_reading(options, out);
}

/* ---- discards ---- */

static void write_discards(const struct recording *recording, struct text *out)
{
	const struct discards *discards = &recording->discards;
	const struct {
		const char *what;
		uint64_t n;
	} rows[] = {
		{"lost events, as the tracer counted them", discards->lost_events},
		{"executions cut by a loss", discards->cut_by_loss},
		{"exits without an entry", discards->orphans},
		{"executions open at the end of a run", discards->unfinished},
		{"executions broken: an exit is missing", discards->broken},
		{"lines that nothing explains", discards->unread_lines},
	};
	char room[VIEWED_NAME], number[NUMBER_SIZE];

	text_puts(out, "\nDISCARDED (in no figure below)\n");
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		text_printf(out, "  %-40s %12s\n", rows[i].what, format_count(number, rows[i].n));
	if (discards->longest_broken_ns)
		text_printf(out, "  %-40s %12s\n", "longest of them, at least",
			    report_duration(number, (double)discards->longest_broken_ns));
	for (uint32_t i = 0; i < recording->n_unread; i++)
		text_printf(out, "    %s\n", report_name(room, recording->unread[i]));
}

/* ---- what limits everything below ---- */

static void write_caution(struct text *out, const char *words)
{
	report_wrap(out, 2, words);
}

static bool any_tree(const struct recording *recording)
{
	for (uint32_t i = 0; i < recording->n_calls; i++)
		if (report_disturbed_known(&recording->calls[i]))
			return true;
	return false;
}

static bool differ(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) != 0 : a != b;
}

/* Executions of all inputs are one sample below, whatever they were recorded on. */
static void write_differences(const struct recording *recording, struct text *out)
{
	const struct input *first = NULL;
	bool kernel = false, machine = false, scope = false;
	struct text words = {0};

	for (uint32_t i = 0; i < recording->n_inputs; i++) {
		const struct input *input = &recording->inputs[i];

		if (input->error)
			continue;
		if (!first)
			first = input;
		kernel |= input->kernel_differs || differ(input->kernel, first->kernel);
		machine |= input->machine_differs || input->emulated != first->emulated;
		scope |= input->scope_differs || differ(input->scope, first->scope);
	}
	if (!kernel && !machine && !scope)
		return;
	text_printf(&words,
		    "The inputs do not all say the same of:%s%s%s. Their executions are pooled "
		    "below as if they were of one system: report them apart.",
		    kernel ? " kernel" : "",
		    !machine ? ""
		    : kernel ? ", machine"
			     : " machine",
		    !scope		? ""
		    : kernel || machine ? ", what was traced"
					: " what was traced");
	write_caution(out, words.bytes);
	text_release(&words);
}

static void write_cautions(const struct recording *recording, struct text *out)
{
	const struct discards *discards = &recording->discards;
	size_t start = out->n, heading;
	bool host = false, counted = false;

	text_puts(out, "\nREAD THIS FIRST\n");
	heading = out->n;
	for (uint32_t i = 0; i < recording->n_inputs; i++) {
		host |= recording->inputs[i].emulated == EMULATION_HOST;
		counted |= recording->inputs[i].emulated == EMULATION_COUNTED;
	}
	if (host)
		write_caution(out,
			      "Recorded on a machine emulated on a host: the times mean nothing, "
			      "the paths everything. No time below says anything of hardware.");
	if (counted)
		write_caution(out,
			      "Recorded on an emulated machine that counts instructions: times "
			      "are reproducible, but they are not those of hardware.");
	write_differences(recording, out);
	if (recording->stopped)
		write_caution(out,
			      "Reading was stopped early: only a part of the inputs is in here.");
	if (discards->lost_events || discards->cut_by_loss || discards->broken)
		write_caution(out,
			      "Events were lost or executions are broken. They are not a random "
			      "sample: long executions meet a loss more often.");
	if (recording->n_executions && !recording->has_durations)
		write_caution(out, "The trace has no durations: paths can be told, times cannot.");
	for (uint32_t i = 0; i < recording->n_inputs; i++)
		if (input_has_events_alone(&recording->inputs[i])) {
			write_caution(out,
				      "There is no function_graph: calls are known by their entry "
				      "and exit alone. What they call, and whether they were "
				      "interrupted or preempted, is not seen.");
			break;
		}
	if (any_tree(recording) && !recording->clean_verified)
		write_caution(out, "The rules of clean paths are not verified for this kernel.");
	if (out->n == heading)
		out->n = start;
	out->bytes[out->n] = '\0';
}

/* ---- tables ---- */

static void write_calls(const struct report_results *results, struct text *out)
{
	double all = 0;
	char n[NUMBER_SIZE], median[NUMBER_SIZE], high[NUMBER_SIZE], max[NUMBER_SIZE];
	char disturbed[NUMBER_SIZE], share[NUMBER_SIZE], room[VIEWED_NAME], paths[32];

	for (size_t i = 0; i < results->n_calls; i++)
		if (results->calls[i].whole.summary.n)
			all += (double)results->calls[i].whole.summary.sum_ns;
	text_puts(out, "\nCALLS\n");
	text_printf(out, "  %-16s %10s %10s %9s %9s %9s %9s %6s\n", "call", "executions",
		    "clean/raw", "disturbed", "median", "P99.9", "max", "share");
	for (size_t i = 0; i < results->n_calls; i++) {
		const struct call *call = results->calls[i].call;
		const struct summary *summary = &results->calls[i].whole.summary;
		bool any = summary->n > 0;

		snprintf(paths, sizeof paths, "%u/%u", (unsigned)call->n_paths[IDENTITY_CLEAN],
			 (unsigned)call->n_paths[IDENTITY_RAW]);
		text_printf(
			out, "  %-16s %10s %10s %9s %9s %9s %9s %6s\n",
			report_name(room, call->name), format_count(n, call->n_seen), paths,
			format_share(disturbed,
				     report_disturbed_known(call)
					     ? (double)call->n_disturbed_seen / call->n_seen
					     : NAN),
			format_duration(median, summary->median_ns),
			format_duration(high, summary->p999_ns),
			format_duration(max, any ? (double)summary->max_ns : NAN),
			format_share(share, any && all > 0 ? (double)summary->sum_ns / all : NAN));
	}
}

/* The pWCET of a table: a figure where it is trusted, else the reason. */
static const char *format_pwcet(char *out, const struct report_entry *entry)
{
	const struct level *level = fit_pwcet(&entry->fit);
	char number[NUMBER_SIZE];

	if (entry->fit.refused || !level)
		return "no fit";
	if (!level->trusted && !entry->settings.force)
		return distrust_words(level->distrust);
	snprintf(out, NUMBER_SIZE, "%.20s", format_duration(number, level->estimate_ns));
	return out;
}

static void add_note(const char *note, bool holds, struct text *out)
{
	if (holds)
		text_printf(out, "%s%s", out->n ? ", " : "", note);
}

/* What stands against the numbers of a row: its path says more. */
static void write_notes(const struct report_entry *entry, struct text *notes)
{
	const struct level *level = fit_pwcet(&entry->fit);
	const struct test_results *tests = &entry->tests;
	bool shown = !entry->fit.refused && level && (level->trusted || entry->settings.force);
	char number[NUMBER_SIZE], warnings[NUMBER_SIZE + 16];

	snprintf(warnings, sizeof warnings, "%.20s warning%s",
		 format_count(number, entry->fit.n_warnings), report_plural(entry->fit.n_warnings));
	add_note("not trusted", shown && !level->trusted, notes);
	add_note("below max", shown && report_below_longest(entry), notes);
	if (!entry->fit.refused) {
		add_note("rejected", fit_rejected_by(&entry->fit) != NULL, notes);
		add_note("dependent", tests->independent.rejected, notes);
		add_note("not identical", tests->identically_distributed.rejected, notes);
	}
	add_note(warnings, entry->fit.n_warnings > 0, notes);
}

#define VERDICT_COLS 8

static void write_path_row(const struct report_entry *entry, double accumulated, struct text *out)
{
	const struct path *path = report_entry_path(entry);
	const struct summary *summary = &entry->summary;
	double all = entry->call->n_seen;
	char n[NUMBER_SIZE], median[NUMBER_SIZE], high[NUMBER_SIZE], max[NUMBER_SIZE];
	char pwcet[NUMBER_SIZE], room[VIEWED_NAME];
	struct text notes = {0};

	write_notes(entry, &notes);
	text_printf(out, "  %4u  %-8.8s %10s %6.3f %6.3f %9s %9s %9s  %-14s%s%-*s %s\n",
		    (unsigned)entry->path + 1, report_name(room, path->id),
		    format_count(n, path->n_seen), path->n_seen / all, accumulated / all,
		    format_duration(median, summary->median_ns),
		    format_duration(high, summary->p999_ns),
		    format_duration(max, summary->n ? (double)summary->max_ns : NAN),
		    format_pwcet(pwcet, entry), entry->deadline_ns ? " " : "",
		    entry->deadline_ns ? VERDICT_COLS : 0,
		    entry->deadline_ns ? verdict_word(entry->fit.deadline.verdict) : "",
		    notes.n ? notes.bytes : "");
	text_release(&notes);
}

static void trim_line(struct text *out)
{
	while (out->n >= 2 && out->bytes[out->n - 2] == ' ') {
		out->bytes[out->n - 2] = '\n';
		out->n--;
	}
	out->bytes[out->n] = '\0';
}

static void write_paths(const struct report_call *entry, const struct settings *settings,
			struct text *out)
{
	const struct call *call = entry->call;
	uint32_t n_shown = 0, all = call->n_paths[settings->identity];
	char number[NUMBER_SIZE], heading[NUMBER_SIZE + 8];
	double accumulated = 0;
	bool any_below = false;

	snprintf(heading, sizeof heading, "p %s",
		 format_probability(number, settings->probability));
	text_printf(out, "\n  %4s  %-8s %10s %6s %6s %9s %9s %9s  %-14s %s%s\n", "rank", "path",
		    "executions", "freq", "accum", "median", "P99.9", "max", heading,
		    entry->whole.deadline_ns ? "deadline " : "", "notes");
	for (uint32_t i = 0; i < entry->n_paths; i++) {
		accumulated += call->paths[settings->identity][i].n_seen;
		if (!entry->paths[i].shown)
			continue;
		write_path_row(&entry->paths[i], accumulated, out);
		trim_line(out);
		any_below |= report_below_longest(&entry->paths[i]);
		n_shown++;
	}
	if (any_below)
		write_caution(out,
			      "below max: the level is below the longest execution of that row. "
			      "Median, P99.9 and max are of all executions, the level is of "
			      "the fitted stratum alone; each path below shows them apart.");
	if (n_shown < all)
		text_printf(out, "  %s %s paths are not listed\n",
			    format_count(number, all - n_shown), identity_word(settings->identity));
}

/* ---- a call ---- */

static void write_removed(const struct call *call, struct text *out)
{
	char a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE];

	if (!report_disturbed_known(call)) {
		text_puts(out, "  disturbed not known: samples without call trees\n");
		return;
	}
	text_printf(out, "  disturbed %s (%s)\n", format_count(a, call->n_disturbed_seen),
		    format_share(b, (double)call->n_disturbed_seen / call->n_seen));
	text_printf(out, "  time in all: interrupts %s, preempted %s, off the CPU %s\n",
		    report_duration(a, (double)call->interrupt_ns),
		    report_duration(b, (double)call->preempted_ns),
		    report_duration(c, (double)call->off_cpu_ns));
	if (call->n_own_unknown)
		text_printf(out, "  own time not known of %s execution%s\n",
			    format_count(a, call->n_own_unknown),
			    report_plural(call->n_own_unknown));
}

/* An estimated number of paths: 3, 28.1. */
static char *format_paths(char *out, double n)
{
	if (n == nearbyint(n) && n < 1e15)
		return format_count(out, (uint64_t)n);
	if (n < 1e15)
		snprintf(out, NUMBER_SIZE, "%.1f", n);
	else
		format_significant(out, n, 4);
	return out;
}

static void write_coverage(const struct report_call *call, const struct settings *settings,
			   struct text *out)
{
	const struct unseen *unseen = &call->coverage.unseen;
	char a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE], d[NUMBER_SIZE];

	if (isnan(unseen->mass))
		return;
	text_printf(out, "  paths not seen yet (%s identity, %s%% intervals)\n",
		    identity_word(settings->identity), report_percent(d, settings->level));
	text_printf(out, "    share of executions %s  [%s, %s]\n", report_small(a, unseen->mass),
		    report_small(b, unseen->mass_ci.lower), report_small(c, unseen->mass_ci.upper));
	text_printf(out, "    one path never seen: at most %s of the executions\n",
		    report_small(d, unseen->new_path_upper));
	text_printf(out, "    number of paths: %s seen, at least %s by Chao1",
		    format_count(a, unseen->n_seen), format_paths(b, unseen->chao1));
	if (isfinite(unseen->chao1_ci.lower) && isfinite(unseen->chao1_ci.upper))
		text_printf(out, "  [%s, %s]", format_paths(c, unseen->chao1_ci.lower),
			    format_paths(d, unseen->chao1_ci.upper));
	text_puts(out, "\n");
}

/* Two numbers, never merged: conditional on what was fitted, and what that leaves out. */
static void write_bound(const struct bound *bound, bool force, struct text *out)
{
	char p[NUMBER_SIZE], level[NUMBER_SIZE], mass[NUMBER_SIZE];
	bool trusted = !*bound->refused && bound->distrust == TRUSTED;
	struct text words = {0};

	text_printf(out, "  the call as a whole at probability %s\n",
		    format_probability(p, bound->probability));
	if (*bound->refused) {
		text_printf(&words, "no number: %s", bound->refused);
		report_wrap(out, 4, words.bytes);
		text_clear(&words);
	}
	if (bound->n_untrusted) {
		text_printf(&words,
			    "no number: the level of %u of the %u fitted path%s is not trusted: %s",
			    (unsigned)bound->n_untrusted, (unsigned)bound->n_fitted,
			    report_plural(bound->n_fitted), distrust_sentence(bound->distrust));
		report_wrap(out, 4, words.bytes);
		text_clear(&words);
	}
	if (isfinite(bound->conditional_ns) && (force || trusted))
		text_printf(out, "    %s, given the %u path%s that could be fitted%s\n",
			    report_duration(level, bound->conditional_ns),
			    (unsigned)bound->n_fitted, report_plural(bound->n_fitted),
			    trusted ? "" : " (not trusted)");
	text_printf(
		&words,
		"left out by that: at most %s%% of the executions (paths not seen yet, and %u too "
		"rare to fit)",
		report_small(mass, 100 * bound->left_out_mass_upper), (unsigned)bound->n_rare);
	report_wrap(out, 4, words.bytes);
	text_release(&words);
}

static void write_call(const struct report_call *entry, const struct settings *settings,
		       struct text *out)
{
	const struct call *call = entry->call;
	char room[VIEWED_NAME], n[NUMBER_SIZE], clean[NUMBER_SIZE], raw[NUMBER_SIZE];

	text_printf(out, "\n\nCALL %s\n", report_name(room, call->name));
	text_printf(out, "  %s executions   %s clean path%s, %s raw\n",
		    format_count(n, call->n_seen),
		    format_count(clean, call->n_paths[IDENTITY_CLEAN]),
		    report_plural(call->n_paths[IDENTITY_CLEAN]),
		    format_count(raw, call->n_paths[IDENTITY_RAW]));
	write_removed(call, out);
	write_coverage(entry, settings, out);
	write_bound(&entry->bound, settings->force, out);
	write_paths(entry, settings, out);
	text_printf(out, "\nALL PATHS OF %s POOLED\n", report_name(room, call->name));
	write_caution(out,
		      "For comparison only: where paths differ, a fit of all of them together is "
		      "of no distribution at all.");
	report_entry_text(&entry->whole, out);
}

static void write_path(const struct recording *recording, const struct report_entry *entry,
		       struct text *out)
{
	const struct path *path = report_entry_path(entry);
	char name[VIEWED_NAME], id[VIEWED_NAME], n[NUMBER_SIZE], all[NUMBER_SIZE];
	char disturbed[NUMBER_SIZE];

	text_printf(out, "\nPATH %u OF %s: %s\n", (unsigned)entry->path + 1,
		    report_name(name, entry->call->name), report_name(id, path->id));
	text_printf(out, "  %s of %s executions", format_count(n, path->n_seen),
		    format_count(all, entry->call->n_seen));
	if (report_disturbed_known(entry->call))
		text_printf(out, ", %s disturbed", format_count(disturbed, path->n_disturbed_seen));
	if (entry->settings.identity == IDENTITY_CLEAN)
		text_printf(out, ", %s raw path%s", format_count(n, path->n_raw),
			    report_plural(path->n_raw));
	text_puts(out, "\n");
	if (recording->n_campaigns && path->first_campaign == path->last_campaign)
		text_printf(out, "  seen in campaign %s alone\n",
			    report_name(name, recording->campaigns[path->first_campaign].name));
	else if (recording->n_campaigns)
		text_printf(out, "  seen from campaign %s to %s\n",
			    report_name(name, recording->campaigns[path->first_campaign].name),
			    report_name(id, recording->campaigns[path->last_campaign].name));
	report_entry_text(entry, out);
}

/* ---- whole reports ---- */

static void write_head(const struct recording *recording, struct text *out)
{
	text_puts(out, "evtop " PACKAGE_VERSION ": report on execution times of system calls\n");
	write_cautions(recording, out);
	write_inputs(recording, out);
}

int report_text(const struct recording *recording, const struct report_options *options,
		struct text *out, struct error *err)
{
	struct report_results results;

	if (report_results_compute(recording, options, &results, err))
		return -1;
	write_head(recording, out);
	write_options(options, &results.settings, out);
	write_discards(recording, out);
	if (results.n_calls)
		write_calls(&results, out);
	else
		text_puts(out, "\nNo complete execution of a call was found.\n");
	for (size_t i = 0; i < results.n_calls; i++) {
		const struct report_call *call = &results.calls[i];

		write_call(call, &results.settings, out);
		for (uint32_t p = 0; p < call->n_paths; p++)
			if (call->paths[p].shown)
				write_path(recording, &call->paths[p], out);
	}
	report_results_release(&results);
	return 0;
}

static void write_mark(const struct recording *recording, const struct report_entry *entry,
		       size_t number, struct text *out)
{
	char name[VIEWED_NAME];

	text_printf(out, "\nFIT %u\n", (unsigned)number);
	write_settings(&entry->settings, tests_word(entry->settings.tests), out);
	if (entry->path != PATH_ALL) {
		write_path(recording, entry, out);
		return;
	}
	text_printf(out, "\nALL PATHS OF %s POOLED\n", report_name(name, entry->call->name));
	write_caution(out,
		      "Where paths differ, a fit of all of them together is of no distribution "
		      "at all.");
	report_entry_text(entry, out);
}

void report_marks(const struct recording *recording, const struct report_options *options,
		  const struct report_mark *marks, size_t n_marks, struct text *out)
{
	struct report_entry *entries = mem_zero(n_marks, sizeof *entries);
	struct report_entry **list = mem_zero(n_marks, sizeof(struct report_entry *));
	char number[NUMBER_SIZE];

	for (size_t i = 0; i < n_marks; i++) {
		entries[i] = (struct report_entry){
			.call = marks[i].call,
			.path = marks[i].path,
			.settings = marks[i].settings,
			.deadline_ns = marks[i].deadline_ns,
			.shown = true,
		};
		list[i] = &entries[i];
	}
	report_entries_compute(recording, list, n_marks, options->jobs);
	write_head(recording, out);
	write_filters(options, out);
	write_discards(recording, out);
	text_printf(out, "\n\nFITS CHOSEN BY HAND: %s\n", format_count(number, n_marks));
	for (size_t i = 0; i < n_marks; i++) {
		write_mark(recording, &entries[i], i + 1, out);
		report_entry_release(&entries[i]);
	}
	free(list);
	free(entries);
}
