/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "thin.h"

#include <stdlib.h>
#include <string.h>

/* However many paths there are, each may keep so many. */
#define LEAST_KEPT 16
#define LEVELS_MAX 40

static uint64_t draw_below(struct bounds *bounds, uint64_t n)
{
	/* splitmix64; n is a power of two */
	uint64_t x = bounds->random += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (x ^ (x >> 31)) & (n - 1);
}

uint64_t thin_own_ns(uint64_t duration_ns, const struct removed *removed)
{
	uint64_t gone = removed->interrupt_ns + removed->preempted_ns + removed->off_cpu_ns;

	return duration_ns > gone ? duration_ns - gone : 0;
}

void thin_tally(struct collector *collector, const struct collected_call *call, uint32_t path,
		const struct tallied *one)
{
	struct collected_path *raw = &collector->paths[path];
	struct collected_clean *clean = &collector->cleans[raw->clean];

	if (call->tallies)
		tallies_add(call->tallies, one);
	if (!clean->tallies)
		return;
	tallies_add(clean->tallies, one);
	if (!raw->tallies)
		raw->tallies = mem_zero(1, sizeof *raw->tallies);
	tallies_add(raw->tallies, one);
}

/* Which clean paths of a call are thinned now, and what follows for their executions. */
struct thinning {
	struct collector *collector;
	struct collected_call *call;
	bool *chosen;	 /* by clean */
	bool *begun;	 /* by clean: its figures are taken up now */
	uint64_t *n_met; /* by clean: drawn executions met so far */
	bool *second;	 /* by clean: of the pair at hand the second stays */
	bool *marked;	 /* by sample: is kept whole */
	uint32_t *place; /* by sample: where it goes */
};

static void mark_kept(struct thinning *thinning, const struct collected_kept *kept, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		thinning->marked[kept[i].sample] = true;
}

static bool is_of_call(const struct thinning *thinning, const struct collected_clean *clean)
{
	return clean->call / 2 == (uint32_t)(thinning->call - thinning->collector->calls);
}

/* Those of the call that have most; those near to it too, to save them a pass of their own. */
static void choose(struct thinning *thinning)
{
	struct collector *collector = thinning->collector;
	uint32_t limit = collector->bounds->limit;

	for (uint32_t i = 0; i < collector->n_cleans; i++) {
		struct collected_clean *clean = &collector->cleans[i];

		if (!is_of_call(thinning, clean))
			continue;
		if (clean->times) {
			mark_kept(thinning, clean->times->slowest, clean->times->n_slowest);
			mark_kept(thinning, clean->times->typical, clean->times->n_typical);
		}
		thinning->chosen[i] = clean->kept > limit - limit / 4 && clean->level < LEVELS_MAX;
		if (!thinning->chosen[i])
			continue;
		thinning->begun[i] = !clean->tallies;
		if (!clean->tallies)
			clean->tallies = mem_zero(1, sizeof *clean->tallies);
	}
}

/* Figures of everything so far, of the call and of paths that are thinned for the first time. */
static void take_up(struct thinning *thinning)
{
	struct collector *collector = thinning->collector;
	struct collected_call *call = thinning->call;
	bool whole_call = !call->tallies;

	if (whole_call)
		call->tallies = mem_zero(1, sizeof *call->tallies);
	for (uint32_t i = 0, at = 0; i < call->n; i++) {
		struct collected_path *path = &collector->paths[call->path[i]];
		struct tallied one = {call->duration_ns[i], call->duration_ns[i], call->flags[i]};

		if (at < call->n_removed && call->removed[at].execution == i)
			one.own_ns = thin_own_ns(one.whole_ns, &call->removed[at++]);
		if (whole_call)
			tallies_add(call->tallies, &one);
		if (!thinning->begun[path->clean])
			continue;
		tallies_add(collector->cleans[path->clean].tallies, &one);
		if (!path->tallies)
			path->tallies = mem_zero(1, sizeof *path->tallies);
		tallies_add(path->tallies, &one);
	}
}

/* Whether a sample stays, and as what. */
static bool stays(struct thinning *thinning, uint32_t sample)
{
	struct collected_call *call = thinning->call;
	uint32_t clean = thinning->collector->paths[call->path[sample]].clean;
	uint64_t met;

	if (call->flags[sample] & EXECUTION_APART)
		return thinning->marked[sample];
	if (!thinning->chosen[clean])
		return true;
	met = thinning->n_met[clean]++;
	if (met % 2 == 0)
		thinning->second[clean] = draw_below(thinning->collector->bounds, 2);
	if ((met % 2 == 1) == thinning->second[clean])
		return true;
	thinning->collector->cleans[clean].kept--;
	thinning->collector->bounds->n_kept--;
	call->flags[sample] |= EXECUTION_APART;
	return thinning->marked[sample];
}

static void drop(struct thinning *thinning)
{
	struct collected_call *call = thinning->call;
	uint32_t n = 0, n_removed = 0;

	for (uint32_t i = 0; i < call->n; i++) {
		thinning->place[i] = UINT32_MAX;
		if (!stays(thinning, i))
			continue;
		call->duration_ns[n] = call->duration_ns[i];
		call->path[n] = call->path[i];
		call->run[n] = call->run[i];
		call->flags[n] = call->flags[i];
		thinning->place[i] = n++;
	}
	for (uint32_t i = 0; i < call->n_removed; i++) {
		struct removed removed = call->removed[i];

		removed.execution = thinning->place[removed.execution];
		if (removed.execution != UINT32_MAX)
			call->removed[n_removed++] = removed;
	}
	call->n = n;
	call->n_removed = n_removed;
}

static void move_kept(const struct thinning *thinning, struct collected_kept *kept, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		kept[i].sample = thinning->place[kept[i].sample];
}

/*
 * From now on one of twice as many is drawn. The block under way becomes the
 * first or the second half of a longer one, of which the same lot decides.
 */
static void lengthen_block(struct thinning *thinning, uint32_t index)
{
	struct bounds *bounds = thinning->collector->bounds;
	struct collected_clean *clean = &thinning->collector->cleans[index];
	uint64_t size = (uint64_t)1 << clean->level;
	uint64_t whole = clean->arrived >> clean->level, phase = clean->arrived & (size - 1);
	uint64_t chosen = phase ? clean->drawn : draw_below(bounds, size);
	bool second = thinning->second[index];

	if (whole % 2 == 0 && thinning->n_met[index] == whole)
		second = draw_below(bounds, 2);
	if (whole % 2)
		clean->drawn = second ? size + chosen : 0;
	else
		clean->drawn = second ? size + draw_below(bounds, size) : chosen;
	clean->level++;
}

static void finish(struct thinning *thinning)
{
	struct collector *collector = thinning->collector;

	for (uint32_t i = 0; i < collector->n_cleans; i++) {
		struct collected_clean *clean = &collector->cleans[i];

		if (thinning->chosen[i])
			lengthen_block(thinning, i);
		if (!is_of_call(thinning, clean) || !clean->times)
			continue;
		move_kept(thinning, clean->times->slowest, clean->times->n_slowest);
		move_kept(thinning, clean->times->typical, clean->times->n_typical);
	}
}

static void thin_call(struct collector *collector, struct collected_call *call)
{
	uint32_t n = collector->n_cleans;
	struct thinning thinning = {
		.collector = collector,
		.call = call,
		.chosen = mem_zero(n, sizeof *thinning.chosen),
		.begun = mem_zero(n, sizeof *thinning.begun),
		.n_met = mem_zero(n, sizeof *thinning.n_met),
		.second = mem_zero(n, sizeof *thinning.second),
		.marked = mem_zero(call->n, sizeof *thinning.marked),
		.place = mem_alloc(call->n * sizeof *thinning.place),
	};

	choose(&thinning);
	take_up(&thinning);
	drop(&thinning);
	finish(&thinning);
	free(thinning.chosen);
	free(thinning.begun);
	free(thinning.n_met);
	free(thinning.second);
	free(thinning.marked);
	free(thinning.place);
	collector->bounds->thinned = true;
}

static void thin_all(struct collector *collector)
{
	struct bounds *bounds = collector->bounds;
	uint32_t before = bounds->n_kept;

	bounds->limit /= 2;
	for (uint32_t i = 0; i < collector->n_calls; i++)
		if (collector->calls[i].n > bounds->limit / 2)
			thin_call(collector, &collector->calls[i]);
	/* nothing to be had: no pass for each execution */
	if (bounds->n_kept == before)
		bounds->in_all = before + before / 2;
}

bool thin_draw(struct collector *collector, uint32_t call, uint32_t index)
{
	struct bounds *bounds = collector->bounds;
	struct collected_clean *clean = &collector->cleans[index];
	uint64_t size, phase;
	bool drawn;

	if (clean->kept >= bounds->limit)
		thin_call(collector, &collector->calls[call]);
	if (bounds->n_kept >= bounds->in_all && bounds->limit >= 2 * LEAST_KEPT)
		thin_all(collector);
	size = (uint64_t)1 << clean->level;
	phase = clean->arrived & (size - 1);
	if (phase == 0)
		clean->drawn = draw_below(bounds, size);
	drawn = phase == clean->drawn;
	clean->arrived++;
	clean->kept += drawn;
	bounds->n_kept += drawn;
	return drawn;
}

void thin_reset(struct collector *collector)
{
	struct bounds *bounds = collector->bounds;

	for (uint32_t i = 0; i < collector->n_calls; i++) {
		tallies_free(collector->calls[i].tallies);
		collector->calls[i].tallies = NULL;
	}
	for (uint32_t i = 0; i < collector->n_paths; i++) {
		tallies_free(collector->paths[i].tallies);
		collector->paths[i].tallies = NULL;
	}
	for (uint32_t i = 0; i < collector->n_cleans; i++) {
		struct collected_clean *clean = &collector->cleans[i];

		tallies_free(clean->tallies);
		clean->tallies = NULL;
		clean->arrived = clean->drawn = 0;
		clean->kept = clean->level = 0;
	}
	if (!bounds)
		return;
	bounds->n_kept = 0;
	bounds->n_together = 0;
	bounds->thinned = false;
	bounds->limit = bounds->per_path;
}
