/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "jobs.h"

#include <stdlib.h>
#include <string.h>

/* Beyond this a cached sample costs more memory than taking it out again costs time. */
#define CACHED_VALUES_MAX 8000000

static bool same_selection(const struct selection *a, const struct selection *b)
{
	return a->identity == b->identity && a->path == b->path && a->stratum == b->stratum &&
	       a->time == b->time;
}

static void forget(struct cached_sample *entry)
{
	if (!entry->call)
		return;
	sample_release(&entry->sample);
	sorted_release(&entry->sorted);
	*entry = (struct cached_sample){0};
}

void sample_cache_release(struct sample_cache *cache)
{
	for (int i = 0; i < CACHED_SAMPLES; i++)
		forget(&cache->entries[i]);
}

void sample_cache_turn_to(struct sample_cache *cache, uint64_t generation)
{
	if (cache->generation != generation)
		sample_cache_release(cache);
	cache->generation = generation;
}

static uint64_t cached_values(const struct sample_cache *cache)
{
	uint64_t n = 0;

	for (int i = 0; i < CACHED_SAMPLES; i++)
		n += cache->entries[i].sample.n;
	return n;
}

/* The sample of a selection, from the cache where it is there. */
static struct cached_sample *take_sample(struct sample_cache *cache,
					 const struct recording *recording, const struct call *call,
					 const struct selection *selection)
{
	struct cached_sample *oldest = &cache->entries[0];

	cache->clock++;
	for (int i = 0; i < CACHED_SAMPLES; i++) {
		struct cached_sample *entry = &cache->entries[i];

		if (entry->call == call && same_selection(&entry->selection, selection)) {
			entry->used = cache->clock;
			return entry;
		}
		if (entry->used < oldest->used)
			oldest = entry;
	}
	forget(oldest);
	for (int i = 0; i < CACHED_SAMPLES && cached_values(cache) > CACHED_VALUES_MAX; i++)
		if (cache->entries[i].used <= cache->pinned)
			forget(&cache->entries[i]);
	oldest->call = call;
	oldest->selection = *selection;
	oldest->used = cache->clock;
	sample_select(recording, call, selection, &oldest->sample);
	return oldest;
}

static const struct sorted *take_sorted(struct cached_sample *entry)
{
	if (!entry->sorted.value_ns && entry->sample.n)
		sorted_from(&entry->sample, &entry->sorted);
	return &entry->sorted;
}

static struct selection selection_of(const struct question *question, uint32_t path)
{
	return (struct selection){.identity = question->settings.identity,
				  .path = path,
				  .stratum = question->settings.stratum,
				  .time = question->settings.time};
}

static void *compute_summary(struct cached_sample *entry)
{
	const struct sorted *sorted = take_sorted(entry);
	struct summary *summary = mem_zero(1, sizeof *summary);

	sample_summarise(&entry->sample, sorted, summary);
	return summary;
}

static void *compute_fit(const struct question *question, const struct cached_sample *entry)
{
	struct fit *fit = mem_zero(1, sizeof *fit);
	struct waits waits;

	waits_count(entry->call, entry->selection.identity, entry->selection.path,
		    question->deadline_ns, &waits);
	fit_compute_of_waits(&entry->sample, &question->settings, question->deadline_ns, &waits,
			     fit);
	return fit;
}

static void *compute_intervals(struct fit *before, const _Atomic bool *stop)
{
	return fit_intervals(before, stop) ? before : NULL;
}

static void *compute_tests(const struct question *question, const struct cached_sample *entry,
			   const _Atomic bool *stop)
{
	struct test_results *results = mem_zero(1, sizeof *results);

	if (tests_compute(&entry->sample, &question->settings, stop, results))
		return results;
	free(results);
	return NULL;
}

static void *compute_stability(const struct question *question, const struct cached_sample *entry)
{
	struct stability *rows = mem_zero(n_block_size_steps, sizeof *rows);

	fit_stability(&entry->sample, &question->settings, block_size_steps, n_block_size_steps,
		      rows);
	return rows;
}

static double stratum_count(enum stratum stratum, uint64_t n, uint64_t n_disturbed)
{
	switch (stratum) {
	case STRATUM_UNDISTURBED:
		return (double)n - (double)n_disturbed;
	case STRATUM_DISTURBED:
		return (double)n_disturbed;
	case STRATUM_ALL:
		break;
	}
	return (double)n;
}

/* Of the call's executions in the stratum that is drawn: the paths add up to the call. */
static double share(const struct call *call, const struct question *question, uint32_t path)
{
	enum stratum stratum = question->settings.stratum;
	double all = stratum_count(stratum, call->n_seen, call->n_disturbed_seen);
	const struct path *of;

	if (path == PATH_ALL || !(all > 0))
		return 1;
	of = &call->paths[question->settings.identity][path];
	return stratum_count(stratum, of->n_seen, of->n_disturbed_seen) / all;
}

static void *compute_density(const struct question *question, const struct recording *recording,
			     const struct call *call, struct sample_cache *cache,
			     const _Atomic bool *stop)
{
	const struct view_density *wanted = &question->density;
	const struct sorted *samples[VIEW_SAMPLES_MAX];
	struct sorted copies[VIEW_SAMPLES_MAX];
	double weight[VIEW_SAMPLES_MAX], low, high, from, to;
	struct density *density = mem_zero(1, sizeof *density);
	bool done;

	for (uint32_t i = 0; i < wanted->n_paths; i++) {
		struct selection selection = selection_of(question, wanted->paths[i]);

		copies[i] = *take_sorted(take_sample(cache, recording, call, &selection));
		samples[i] = &copies[i];
		weight[i] = share(call, question, wanted->paths[i]);
	}
	density_range(samples, wanted->n_paths, wanted->scale, wanted->quantile, &low, &high);
	if (wanted->scale == AXIS_LOG) {
		from = low * pow(high / low, wanted->zoom_low);
		to = low * pow(high / low, wanted->zoom_high);
	} else {
		from = low + (high - low) * wanted->zoom_low;
		to = low + (high - low) * wanted->zoom_high;
	}
	done = density_compute(samples, wanted->weighted ? weight : NULL, wanted->n_paths,
			       wanted->kind, wanted->scale, BANDWIDTH_SHEATHER_JONES, from, to,
			       wanted->n_points, stop, density);
	if (done)
		return density;
	density_release(density);
	free(density);
	return NULL;
}

/* A copy that outlives the cache. */
static void *compute_sample(const struct recording *recording, const struct call *call,
			    const struct selection *selection)
{
	struct sample *sample = mem_zero(1, sizeof *sample);

	sample_select(recording, call, selection, sample);
	/* the recording's, which may go first */
	sample->tally = NULL;
	return sample;
}

void *result_compute(const struct question *question, const struct recording *recording,
		     struct sample_cache *cache, void *before, const _Atomic bool *stop)
{
	const struct call *call = &recording->calls[question->call];
	struct selection selection = selection_of(question, question->path);

	cache->pinned = cache->clock;
	switch (question->kind) {
	case RESULT_SUMMARY:
		return compute_summary(take_sample(cache, recording, call, &selection));
	case RESULT_FIT:
		return compute_fit(question, take_sample(cache, recording, call, &selection));
	case RESULT_INTERVALS:
		return compute_intervals(before, stop);
	case RESULT_TESTS:
		return compute_tests(question, take_sample(cache, recording, call, &selection),
				     stop);
	case RESULT_STABILITY:
		return compute_stability(question, take_sample(cache, recording, call, &selection));
	case RESULT_DENSITY:
		return compute_density(question, recording, call, cache, stop);
	case RESULT_SAMPLE:
		return compute_sample(recording, call, &selection);
	case RESULT_KINDS:
		break;
	}
	return NULL;
}

void result_free(enum result_kind kind, void *value)
{
	if (!value)
		return;
	if (kind == RESULT_FIT || kind == RESULT_INTERVALS)
		fit_release(value);
	else if (kind == RESULT_DENSITY)
		density_release(value);
	else if (kind == RESULT_SAMPLE)
		sample_release(value);
	free(value);
}
