/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as JSON, schema 1. Integers are nanoseconds. */
#include "json.h"
#include "results.h"

#include <math.h>

#define SCHEMA 1

/* A whole number of nanoseconds, rounded half to even; null for NaN. */
static void json_rounded(struct json *json, const char *key, double value)
{
	json_number(json, key, nearbyint(value));
}

/* Where a live source keeps fewer executions than it saw. */
static void write_kept(struct json *json, uint64_t n_kept, uint64_t n_seen)
{
	if (n_kept < n_seen)
		json_count(json, "kept", n_kept);
}

static void write_duration(struct json *json, const char *key, const struct summary *summary)
{
	if (!summary->n) {
		json_null(json, key);
		return;
	}
	json_object(json, key);
	json_count(json, "min", summary->min_ns);
	json_rounded(json, "median", summary->median_ns);
	json_number(json, "mean", summary->mean_ns);
	json_rounded(json, "p90", summary->p90_ns);
	json_rounded(json, "p99", summary->p99_ns);
	json_rounded(json, "p999", summary->p999_ns);
	json_count(json, "max", summary->max_ns);
	if (summary->sum_ns == UINT64_MAX)
		json_null(json, "sum");
	else
		json_count(json, "sum", summary->sum_ns);
	json_number(json, "deviation", summary->deviation_ns);
	json_number(json, "mad", summary->mad_ns);
	json_end(json);
}

/* Undisturbed and disturbed executions apart, in the time chosen. */
static void write_strata(struct json *json, const struct report_entry *entry)
{
	write_duration(json, "duration_ns", &entry->summary);
	json_line(json);
	json_object(json, "strata");
	for (unsigned i = STRATUM_UNDISTURBED; i <= STRATUM_DISTURBED; i++) {
		json_object(json, stratum_word(i));
		json_count(json, "executions", entry->strata[i].n);
		write_duration(json, "duration_ns", &entry->strata[i]);
		json_end(json);
	}
	json_end(json);
}

static void write_disturbed(struct json *json, const struct call *call, uint64_t n)
{
	if (report_disturbed_known(call))
		json_count(json, "disturbed", n);
	else
		json_null(json, "disturbed");
}

/* ---- fit ---- */

static void write_levels(struct json *json, const struct fit *fit)
{
	json_array(json, "return_levels");
	for (size_t i = 0; i < fit->n_levels; i++) {
		const struct level *level = &fit->levels[i];

		json_line(json);
		json_object(json, NULL);
		json_number(json, "executions", level->executions);
		if (fit->unit == UNIT_BLOCKS)
			json_number(json, "blocks", level->count);
		json_number(json, "probability", level->probability);
		json_number(json, "estimate_ns", level->estimate_ns);
		json_number(json, "lower_ns", level->lower_ns);
		json_number(json, "upper_ns", level->upper_ns);
		json_text(json, "source", level_source_word(level->source));
		json_bool(json, "trusted", level->trusted);
		json_text(json, "reason", distrust_sentence(level->distrust));
		json_end(json);
	}
	json_end(json);
}

static void write_deadline(struct json *json, const struct report_entry *entry)
{
	const struct deadline *deadline = &entry->fit.deadline;

	if (!deadline->time_ns) {
		json_null(json, "deadline");
		return;
	}
	json_object(json, "deadline");
	json_count(json, "time_ns", deadline->time_ns);
	json_number(json, "probability", deadline->probability);
	json_number(json, "lower", deadline->lower);
	json_number(json, "upper", deadline->upper);
	json_text(json, "verdict", verdict_word(deadline->verdict));
	json_text(json, "reason", deadline->reason);
	json_count(json, "exceeded", deadline->n_exceeded);
	json_count(json, "exceeded_fitted", deadline->n_exceeded_fitted);
	json_count(json, "exceeded_disturbed", entry->n_exceeded_disturbed);
	json_count(json, "exceeded_among", entry->fit.waits.n);
	json_end(json);
}

static void write_errors(struct json *json, const struct fit *fit)
{
	if (fit->refused || !isfinite(fit->standard_error[LOCATION])) {
		json_null(json, "standard_errors");
		return;
	}
	json_array(json, "standard_errors");
	for (int i = 0; i < fit->estimate.n_parameters; i++)
		json_number(json, NULL, fit->standard_error[i]);
	json_end(json);
}

static void write_fit(struct json *json, const struct report_entry *entry)
{
	const struct fit *fit = &entry->fit;
	const double *theta = fit->estimate.theta;

	json_object(json, "fit");
	json_text(json, "stratum", stratum_word(fit->stratum));
	json_count(json, "executions", fit->n_executions);
	write_kept(json, fit->n_kept, fit->n_executions);
	json_count(json, "left_out", entry->n_left_out);
	json_text(json, "model", model_word(fit->model));
	json_text(json, "estimator", estimator_word(fit->estimator));
	json_count(json, "block_size", fit->block_size);
	json_count(json, "maxima", fit->n_maxima);
	json_count(json, "in_blocks", report_in_blocks(fit));
	json_count(json, "in_partial_blocks", fit->n_executions - report_in_blocks(fit));
	if (fit->n_executions)
		json_count(json, "longest_ns", fit->longest_ns);
	else
		json_null(json, "longest_ns");
	json_number(json, "location_ns", fit->refused ? NAN : theta[LOCATION]);
	json_number(json, "scale_ns", fit->refused ? NAN : theta[SCALE]);
	json_number(json, "shape", fit->refused ? NAN : theta[SHAPE]);
	write_errors(json, fit);
	json_text(json, "no_errors", fit->no_errors);
	json_number(json, "shape_lower", fit->shape.lower);
	json_number(json, "shape_upper", fit->shape.upper);
	json_number(json, "log_likelihood", fit->log_likelihood);
	json_bool(json, "weak", fit->weak);
	json_text(json, "refused", fit->refused);
	write_levels(json, fit);
	json_text(json, "rejected_by", fit_rejected_by(fit));
	json_bool(json, "pwcet_below_longest", report_below_longest(entry));
	write_deadline(json, entry);
	json_array(json, "warnings");
	for (size_t i = 0; i < fit->n_warnings; i++)
		json_text(json, NULL, fit->warnings[i].text);
	json_end(json);
	json_end(json);
}

/* ---- tests ---- */

static void write_row(struct json *json, const char *key, const struct test_row *row)
{
	json_object(json, key);
	json_text(json, "on", test_on_word(row->on));
	if (row->kind == TEST_LJUNG_BOX)
		json_count(json, "lag", row->lag);
	json_number(json, "statistic", row->statistic);
	json_number(json, "p", row->p);
	json_number(json, "log_p", row->log_p);
	json_count(json, "n", row->n);
	json_bool(json, "rejected", row->rejected);
	json_end(json);
}

static void write_kind(struct json *json, const char *key, const struct test_results *tests,
		       enum test_kind kind)
{
	json_array(json, key);
	for (size_t i = 0; i < tests->n_rows; i++)
		if (tests->rows[i].kind == kind) {
			json_line(json);
			write_row(json, NULL, &tests->rows[i]);
		}
	json_end(json);
}

static void write_one(struct json *json, const char *key, const struct test_results *tests,
		      size_t at)
{
	if (at < tests->n_rows)
		write_row(json, key, &tests->rows[at]);
	else
		json_null(json, key);
}

static void write_assumption(struct json *json, const char *key,
			     const struct assumption *assumption)
{
	if (!assumption->known) {
		json_null(json, key);
		return;
	}
	json_object(json, key);
	json_bool(json, "rejected", assumption->rejected);
	json_text(json, "reason", assumption->reason);
	json_end(json);
}

static void write_autocorrelation(struct json *json, const struct autocorrelation *of)
{
	if (!of->n) {
		json_null(json, "autocorrelation");
		return;
	}
	json_object(json, "autocorrelation");
	json_array(json, "lags");
	for (size_t i = 0; i < N_LAGS && i + 1 < of->n; i++)
		json_number(json, NULL, of->lags[i]);
	json_end(json);
	json_number(json, "max_abs", of->max_abs);
	json_number(json, "band", of->band);
	json_number(json, "effective_size", of->effective_size);
	json_end(json);
}

static void write_goodness(struct json *json, const struct fit *fit)
{
	if (isnan(fit->anderson_darling)) {
		json_null(json, "anderson_darling");
	} else {
		json_object(json, "anderson_darling");
		json_number(json, "statistic", fit->anderson_darling);
		json_number(json, "p", fit->anderson_darling_p);
		json_count(json, "refits", fit->anderson_darling_refits);
		json_end(json);
	}
	if (isnan(fit->likelihood_ratio)) {
		json_null(json, "likelihood_ratio");
	} else {
		json_object(json, "likelihood_ratio");
		json_number(json, "statistic", fit->likelihood_ratio);
		json_number(json, "p", fit->likelihood_ratio_p);
		json_end(json);
	}
}

static void write_tests(struct json *json, const struct report_entry *entry)
{
	const struct test_results *tests = &entry->tests;

	json_object(json, "tests");
	write_autocorrelation(json, &tests->executions);
	write_kind(json, "ljung_box", tests, TEST_LJUNG_BOX);
	write_one(json, "ks_halves", tests, tests->ks_halves);
	json_text(json, "halves", tests->halves);
	write_one(json, "runs", tests, tests->runs);
	write_kind(json, "mann_kendall", tests, TEST_MANN_KENDALL);
	write_goodness(json, &entry->fit);
	json_number(json, "level", TEST_LEVEL);
	json_count(json, "n_tests", report_tests_made(tests));
	write_assumption(json, "independent", &tests->independent);
	write_assumption(json, "identically_distributed", &tests->identically_distributed);
	json_end(json);
}

/* ---- calls and paths ---- */

static void write_path(struct json *json, const struct recording *recording,
		       const struct report_entry *entry, double accumulated)
{
	const struct path *path = report_entry_path(entry);
	double all = entry->call->n_seen;

	json_line(json);
	json_object(json, NULL);
	json_count(json, "rank", (uint64_t)entry->path + 1);
	json_text(json, "id", path->id);
	json_count(json, "executions", path->n_seen);
	write_kept(json, path->n_executions, path->n_seen);
	json_number(json, "frequency", path->n_seen / all);
	json_number(json, "accumulated", accumulated / all);
	write_disturbed(json, entry->call, path->n_disturbed_seen);
	if (entry->settings.identity == IDENTITY_CLEAN)
		json_count(json, "raw_paths", path->n_raw);
	if (recording->n_campaigns) {
		json_text(json, "first_campaign", recording->campaigns[path->first_campaign].name);
		json_text(json, "last_campaign", recording->campaigns[path->last_campaign].name);
	}
	write_strata(json, entry);
	json_line(json);
	write_fit(json, entry);
	json_line(json);
	write_tests(json, entry);
	json_null(json, "grade");
	json_end(json);
}

static void write_paths(struct json *json, const struct recording *recording,
			const struct report_call *entry, enum identity identity)
{
	double accumulated = 0;

	json_array(json, "paths");
	for (uint32_t i = 0; i < entry->n_paths; i++) {
		accumulated += entry->call->paths[identity][i].n_seen;
		if (entry->paths[i].shown)
			write_path(json, recording, &entry->paths[i], accumulated);
	}
	json_end(json);
}

static void write_coverage(struct json *json, const struct unseen *unseen)
{
	json_object(json, "coverage");
	json_number(json, "unseen_mass", unseen->mass);
	json_number(json, "lower", unseen->mass_ci.lower);
	json_number(json, "upper", unseen->mass_ci.upper);
	json_number(json, "new_path_upper", unseen->new_path_upper);
	json_number(json, "chao1", unseen->chao1);
	json_number(json, "chao1_lower", unseen->chao1_ci.lower);
	json_number(json, "chao1_upper", unseen->chao1_ci.upper);
	json_count(json, "seen", unseen->n_seen);
	json_count(json, "seen_once", unseen->n_once);
	json_count(json, "seen_twice", unseen->n_twice);
	json_end(json);
}

static void write_bound(struct json *json, const struct bound *bound)
{
	json_object(json, "bound");
	json_number(json, "probability", bound->probability);
	json_number(json, "conditional_ns", bound->conditional_ns);
	json_number(json, "left_out_mass_upper", bound->left_out_mass_upper);
	json_text(json, "refused", *bound->refused ? bound->refused : NULL);
	json_bool(json, "trusted", bound->n_fitted && bound->distrust == TRUSTED);
	json_text(json, "reason", distrust_sentence(bound->distrust));
	json_count(json, "paths_untrusted", bound->n_untrusted);
	json_count(json, "paths_fitted", bound->n_fitted);
	json_count(json, "paths_too_rare", bound->n_rare);
	json_end(json);
}

static void write_call(struct json *json, const struct recording *recording,
		       const struct report_call *entry, enum identity identity)
{
	const struct call *call = entry->call;

	json_line(json);
	json_object(json, NULL);
	json_text(json, "name", call->name);
	json_count(json, "executions", call->n_seen);
	write_kept(json, call->n_executions, call->n_seen);
	json_count(json, "unique_paths", call->n_paths[identity]);
	json_count(json, "raw_paths", call->n_paths[IDENTITY_RAW]);
	json_count(json, "clean_paths", call->n_paths[IDENTITY_CLEAN]);
	write_strata(json, &entry->whole);
	json_object(json, "removed_ns");
	json_count(json, "interrupt", call->interrupt_ns);
	json_count(json, "preempted", call->preempted_ns);
	json_count(json, "off_cpu", call->off_cpu_ns);
	json_end(json);
	write_disturbed(json, call, call->n_disturbed_seen);
	json_count(json, "own_unknown", call->n_own_unknown);
	json_line(json);
	write_fit(json, &entry->whole);
	json_line(json);
	write_tests(json, &entry->whole);
	json_line(json);
	write_coverage(json, &entry->coverage.unseen);
	write_bound(json, &entry->bound);
	json_line(json);
	write_paths(json, recording, entry, identity);
	json_end(json);
}

/* ---- what stands before the calls ---- */

/* What an .evtop file was made of, and how. */
static void write_origins(struct json *json, const struct input *input)
{
	if (!input->n_origins)
		return;
	json_array(json, "origins");
	for (uint32_t i = 0; i < input->n_origins; i++) {
		const struct origin *origin = &input->origins[i];

		json_object(json, NULL);
		json_text(json, "name", origin->name);
		json_text(json, "sha256", *origin->sha256 ? origin->sha256 : NULL);
		json_text(json, "format", origin->format);
		json_end(json);
	}
	json_end(json);
	json_text(json, "read_with", input->origin_options);
}

static void write_inputs(struct json *json, const struct recording *recording)
{
	json_array(json, "inputs");
	for (uint32_t i = 0; i < recording->n_inputs; i++) {
		const struct input *input = &recording->inputs[i];

		json_line(json);
		json_object(json, NULL);
		json_text(json, "name", input->name);
		json_text(json, "sha256", *input->sha256 ? input->sha256 : NULL);
		json_text(json, "error", input->error);
		if (input->scope) {
			json_object(json, "scope");
			json_text(json, "words", input->scope);
			json_end(json);
		} else {
			json_null(json, "scope");
		}
		json_text(json, "emulated", emulation_word(input->emulated));
		json_text(json, "kernel", input->kernel);
		json_text(json, "format", input->format);
		json_count(json, "runs", input->n_runs);
		json_count(json, "campaigns", input->n_campaigns);
		write_origins(json, input);
		json_end(json);
	}
	json_end(json);
}

static void write_complaints(struct json *json, const struct recording *recording)
{
	struct text name = {0};

	json_array(json, "complaints");
	for (uint32_t i = 0; i < recording->n_complaints; i++) {
		text_clear(&name);
		report_file_name(recording, recording->complaints[i].file, &name);
		json_line(json);
		json_object(json, NULL);
		json_text(json, "file", name.bytes);
		json_text(json, "reason", recording->complaints[i].reason);
		json_end(json);
	}
	json_end(json);
	text_release(&name);
}

static void write_texts(struct json *json, const char *key, const char *const *texts, size_t n)
{
	json_array(json, key);
	for (size_t i = 0; i < n; i++)
		json_text(json, NULL, texts[i]);
	json_end(json);
}

static void write_numbers(struct json *json, const char *key, const int *numbers, size_t n)
{
	json_array(json, key);
	for (size_t i = 0; i < n; i++)
		json_number(json, NULL, numbers[i]);
	json_end(json);
}

static void write_selected(struct json *json, const struct load_options *load)
{
	write_texts(json, "syscall", load->syscalls, load->n_syscalls);
	write_texts(json, "root", load->roots, load->n_roots);
	write_texts(json, "opaque", load->opaque, load->n_opaque);
	write_texts(json, "comm", load->comms, load->n_comms);
	write_numbers(json, "pid", load->pids, load->n_pids);
	write_numbers(json, "cpu", load->cpus, load->n_cpus);
}

static void write_options(struct json *json, const struct report_options *options,
			  const struct settings *settings)
{
	json_object(json, "options");
	json_text(json, "identity", identity_word(settings->identity));
	json_text(json, "time", time_word(settings->time));
	json_text(json, "model", model_word(settings->model));
	json_text(json, "estimator", estimator_word(settings->estimator));
	json_count(json, "block_size", settings->block_size);
	json_text(json, "block_unit", block_unit_word(settings->block_unit));
	json_text(json, "interval", interval_word(settings->interval));
	json_number(json, "level", settings->level);
	json_text(json, "unit", unit_word(settings->unit));
	json_text(json, "stratum", stratum_word(settings->stratum));
	json_number(json, "probability", settings->probability);
	json_text(json, "ticks", "off"); /* every fit takes durations as they are */
	json_text(json, "tests", tests_word(settings->tests));
	json_count(json, "seed", settings->seed);
	json_count(json, "top", options->top);
	json_text(json, "path", options->path);
	write_selected(json, options->load);
	json_end(json);
}

static void write_discarded(struct json *json, const struct discards *discards, bool durations)
{
	json_object(json, "discarded");
	json_count(json, "lost_events", discards->lost_events);
	json_count(json, "cut_by_loss", discards->cut_by_loss);
	json_count(json, "orphans", discards->orphans);
	json_count(json, "unfinished", discards->unfinished);
	json_count(json, "broken", discards->broken);
	json_count(json, "unread_lines", discards->unread_lines);
	if (durations && discards->longest_broken_ns)
		json_count(json, "longest_broken_ns", discards->longest_broken_ns);
	else
		json_null(json, "longest_broken_ns");
	json_end(json);
}

int report_json(const struct recording *recording, const struct report_options *options,
		struct text *out, struct error *err)
{
	struct report_results results;
	struct json json;

	if (report_results_compute(recording, options, &results, err))
		return -1;
	json_init(&json, out);
	json_object(&json, NULL);
	json_text(&json, "evtop", PACKAGE_VERSION);
	json_count(&json, "schema", SCHEMA);
	json_line(&json);
	write_inputs(&json, recording);
	json_line(&json);
	write_complaints(&json, recording);
	json_line(&json);
	write_options(&json, options, &results.settings);
	json_line(&json);
	write_discarded(&json, &recording->discards, recording->has_durations);
	json_line(&json);
	json_array(&json, "syscalls");
	for (size_t i = 0; i < results.n_calls; i++)
		write_call(&json, recording, &results.calls[i], results.settings.identity);
	json_end(&json);
	json_end(&json);
	text_puts(out, "\n");
	report_results_release(&results);
	return 0;
}
