/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t report_entry_executions(const struct report_entry *entry)
{
	const struct path *path = report_entry_path(entry);

	return path ? path->n_seen : entry->call->n_seen;
}

const struct path *report_entry_path(const struct report_entry *entry)
{
	return entry->path == PATH_ALL ? NULL
				       : &entry->call->paths[entry->settings.identity][entry->path];
}

uint64_t report_in_blocks(const struct fit *fit)
{
	return fit->n_maxima ? (uint64_t)llround((double)fit->n_maxima * fit->executions_per_block)
			     : 0;
}

bool report_below_longest(const struct report_entry *entry)
{
	const struct level *level = fit_pwcet(&entry->fit);

	return level && !entry->fit.refused && (level->trusted || entry->settings.force) &&
	       entry->summary.n && isfinite(level->estimate_ns) &&
	       entry->fit.probability * (double)entry->summary.n < 1 &&
	       level->estimate_ns < (double)entry->summary.max_ns;
}

bool report_disturbed_known(const struct call *call)
{
	for (uint32_t i = 0; i < call->n_paths[IDENTITY_RAW]; i++)
		if (call->paths[IDENTITY_RAW][i].root != NODE_NONE)
			return true;
	return call->n_disturbed_seen > 0;
}

/* ---- one entry ---- */

static void summarise(const struct recording *recording, struct report_entry *entry,
		      enum stratum stratum, struct summary *summary)
{
	struct selection selection = {entry->settings.identity, entry->path, stratum,
				      entry->settings.time};
	struct sample sample;
	struct sorted sorted;

	sample_select(recording, entry->call, &selection, &sample);
	sorted_from(&sample, &sorted);
	sample_summarise(&sample, &sorted, summary);
	sorted_release(&sorted);
	sample_release(&sample);
}

static void count_disturbed(const struct recording *recording, struct report_entry *entry)
{
	struct selection selection = {entry->settings.identity, entry->path, STRATUM_DISTURBED,
				      TIME_WHOLE};
	struct sample sample;

	sample_select(recording, entry->call, &selection, &sample);
	for (uint32_t i = 0; i < sample.n; i++)
		entry->n_exceeded_disturbed += sample.value_ns[i] > entry->deadline_ns;
	sample_release(&sample);
}

static void describe(const struct recording *recording, struct report_entry *entry)
{
	summarise(recording, entry, STRATUM_ALL, &entry->summary);
	summarise(recording, entry, STRATUM_UNDISTURBED, &entry->strata[STRATUM_UNDISTURBED]);
	summarise(recording, entry, STRATUM_DISTURBED, &entry->strata[STRATUM_DISTURBED]);
	if (entry->deadline_ns)
		count_disturbed(recording, entry);
}

void report_entry_compute(const struct recording *recording, struct report_entry *entry)
{
	struct selection selection = {entry->settings.identity, entry->path,
				      entry->settings.stratum, entry->settings.time};
	struct sample sample;
	struct waits waits;

	sample_select(recording, entry->call, &selection, &sample);
	entry->n_left_out = sample.n_left_out;
	waits_count(entry->call, selection.identity, entry->path, entry->deadline_ns, &waits);
	fit_compute_of_waits(&sample, &entry->settings, entry->deadline_ns, &waits, &entry->fit);
	if (entry->shown) {
		fit_intervals(&entry->fit, NULL);
		tests_compute(&sample, &entry->settings, NULL, &entry->tests);
		describe(recording, entry);
	}
	sample_release(&sample);
}

void report_entry_release(struct report_entry *entry)
{
	fit_release(&entry->fit);
}

/* ---- many, on workers ---- */

struct work {
	const struct recording *recording;
	struct report_entry *const *entries;
	size_t n_entries;
	atomic_size_t next;
};

static void *worker(void *context)
{
	struct work *work = context;
	size_t i;

	while ((i = atomic_fetch_add(&work->next, 1)) < work->n_entries)
		report_entry_compute(work->recording, work->entries[i]);
	return NULL;
}

#define WORKERS_MOST 256

void report_entries_compute(const struct recording *recording, struct report_entry *const *entries,
			    size_t n_entries, uint32_t jobs)
{
	struct work work = {recording, entries, n_entries, 0};
	pthread_t threads[WORKERS_MOST];
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = jobs ? jobs : processors > 0 ? (size_t)processors : 1, started = 0;

	if (n > n_entries)
		n = n_entries;
	if (n > WORKERS_MOST)
		n = WORKERS_MOST;
	/* this thread is one of them; one that cannot be started is not missed */
	while (started + 1 < n && !pthread_create(&threads[started], NULL, worker, &work))
		started++;
	worker(&work);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

/* ---- the whole recording ---- */

static uint64_t deadline_of(const struct report_options *options, const struct call *call)
{
	for (size_t i = 0; i < options->n_deadlines; i++)
		if (!strcmp(options->deadlines[i].call, call->name))
			return options->deadlines[i].time_ns;
	return 0;
}

static struct report_entry entry_of(const struct report_options *options,
				    const struct settings *settings, const struct call *call,
				    uint32_t path, bool shown, bool full)
{
	struct report_entry entry = {
		.call = call,
		.path = path,
		.settings = *settings,
		.deadline_ns = deadline_of(options, call),
		.shown = shown,
	};

	if (!options->tests_given)
		entry.settings.tests = full ? TESTS_FULL : TESTS_QUICK;
	return entry;
}

/* Paths that have executions enough for a fit: the bound needs them all. */
static uint32_t n_fittable(const struct call *call, const struct settings *settings)
{
	uint64_t needed = LEAST_MAXIMA;
	uint32_t n = 0;

	if (settings->block_unit == BLOCK_EXECUTIONS)
		needed *= settings->block_size;
	while (n < call->n_paths[settings->identity] &&
	       call->paths[settings->identity][n].n_seen >= needed)
		n++;
	return n;
}

/* Paths of the call by rank up to the last that is shown or fitted. */
static void add_call(struct report_results *results, const struct report_options *options,
		     const struct call *call, uint32_t only)
{
	const struct settings *settings = &results->settings;
	struct report_call *entry = &results->calls[results->n_calls++];
	uint32_t all = call->n_paths[settings->identity], n_fit = n_fittable(call, settings);
	uint32_t n_shown = options->top && options->top < all ? options->top : all;

	if (only != PATH_ALL)
		n_shown = only + 1;
	entry->call = call;
	entry->whole = entry_of(options, settings, call, PATH_ALL, true, false);
	entry->n_paths = n_shown > n_fit ? n_shown : n_fit;
	entry->paths = mem_zero(entry->n_paths, sizeof *entry->paths);
	for (uint32_t i = 0; i < entry->n_paths; i++) {
		bool shown = only == PATH_ALL ? i < n_shown : i == only;

		if (shown || i < n_fit)
			entry->paths[i] = entry_of(options, settings, call, i, shown,
						   i == only || i < REPORT_FULL_PATHS);
	}
}

/* The calls of the report; with options->path those that have it. */
static int choose_calls(const struct recording *recording, const struct report_options *options,
			struct report_results *results, struct error *err)
{
	struct report_found found;
	const char *id;

	results->settings = options->settings;
	results->calls = mem_zero(recording->n_calls, sizeof *results->calls);
	if (!options->path) {
		/* a call whose executions were all left out by a filter says nothing */
		for (uint32_t i = 0; i < recording->n_calls; i++)
			if (recording->calls[i].n_seen)
				add_call(results, options, &recording->calls[i], PATH_ALL);
		return 0;
	}
	if (report_find_path(recording, options->settings.identity, options->path, &found, err))
		return -1;
	if (found.identity != results->settings.identity && !options->stratum_given)
		results->settings.stratum =
			found.identity == IDENTITY_RAW ? STRATUM_ALL : STRATUM_UNDISTURBED;
	results->settings.identity = found.identity;
	id = found.call->paths[found.identity][found.path].id;
	for (uint32_t i = 0; i < recording->n_calls; i++) {
		const struct call *call = &recording->calls[i];

		for (uint32_t p = 0; p < call->n_paths[found.identity]; p++)
			if (!strcmp(call->paths[found.identity][p].id, id))
				add_call(results, options, call, p);
	}
	return 0;
}

/* Work in the order that takes longest first: whole calls, then paths by rank. */
static struct report_entry **gather(struct report_results *results, size_t *n)
{
	struct report_entry **entries;
	size_t most = 0;

	for (size_t i = 0; i < results->n_calls; i++)
		most += 1 + results->calls[i].n_paths;
	entries = mem_zero(most, sizeof(struct report_entry *));
	*n = 0;
	for (size_t i = 0; i < results->n_calls; i++)
		entries[(*n)++] = &results->calls[i].whole;
	for (size_t i = 0; i < results->n_calls; i++)
		for (uint32_t p = 0; p < results->calls[i].n_paths; p++)
			if (results->calls[i].paths[p].call)
				entries[(*n)++] = &results->calls[i].paths[p];
	return entries;
}

static void finish_call(struct report_call *call, const struct settings *settings)
{
	uint32_t n_fits = n_fittable(call->call, settings);
	const struct fit **fits = mem_zero(n_fits, sizeof(struct fit *));

	for (uint32_t i = 0; i < n_fits; i++)
		fits[i] = &call->paths[i].fit;
	coverage_compute(call->call, settings->identity, settings->level, &call->coverage);
	bound_compute(call->call, settings, fits, n_fits, &call->bound);
	free(fits);
}

int report_results_compute(const struct recording *recording, const struct report_options *options,
			   struct report_results *results, struct error *err)
{
	struct report_entry **entries;
	size_t n_entries;

	*results = (struct report_results){0};
	if (choose_calls(recording, options, results, err)) {
		report_results_release(results);
		return -1;
	}
	entries = gather(results, &n_entries);
	report_entries_compute(recording, entries, n_entries, options->jobs);
	free(entries);
	for (size_t i = 0; i < results->n_calls; i++)
		finish_call(&results->calls[i], &results->settings);
	return 0;
}

void report_results_release(struct report_results *results)
{
	for (size_t i = 0; i < results->n_calls; i++) {
		struct report_call *call = &results->calls[i];

		report_entry_release(&call->whole);
		for (uint32_t p = 0; p < call->n_paths; p++)
			report_entry_release(&call->paths[p]);
		free(call->paths);
	}
	free(results->calls);
	*results = (struct report_results){0};
}

size_t report_tests_made(const struct test_results *tests)
{
	size_t n = 0;

	for (size_t i = 0; i < tests->n_rows; i++)
		n += !isnan(tests->rows[i].p);
	return n;
}

/* ---- names ---- */

void report_file_name(const struct recording *recording, const char *file, struct text *out)
{
	const char *slash = strrchr(file, '/');

	for (uint32_t i = 0; i < recording->n_inputs; i++) {
		const struct input *input = &recording->inputs[i];
		size_t n = strlen(input->path);

		while (n > 1 && input->path[n - 1] == '/')
			n--;
		if (n && !strncmp(file, input->path, n) && (file[n] == '/' || !file[n])) {
			text_printf(out, "%s%s", input->name, file + n);
			return;
		}
	}
	text_puts(out, slash && *file == '/' ? slash + 1 : file);
}
