/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A collector whose recording is wanted again and again. */
#include "evtop/keeper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "renew.h"

#define KEPT_PER_PATH 65536
#define KEPT_IN_ALL (1u << 21)
#define NODES_LIMIT (1u << 20)
#define RAW_PATHS_MAX 200000
#define RAW_PATHS_IN_ALL (1u << 18)
/* Nodes are counted between pieces of the source; clean paths alone may need more than the limit.
 */
#define NODES_SHARE 4
#define TIMES_BYTES_MAX (96u << 20)

struct keeper {
	struct collector *collector;
	struct assembler_counts before; /* at the last reset */
	uint64_t lost_before, unread_before;
};

static uint32_t or_default(uint32_t chosen, uint32_t usual)
{
	return chosen ? chosen : usual;
}

static struct bounds *make_bounds(const struct keeper_options *options)
{
	struct bounds *bounds = mem_zero(1, sizeof *bounds);

	bounds->per_path = bounds->limit = or_default(options->kept_per_path, KEPT_PER_PATH);
	bounds->in_all = or_default(options->kept_in_all, KEPT_IN_ALL);
	bounds->nodes_limit = or_default(options->nodes_max, NODES_LIMIT);
	bounds->nodes_max = NODES_SHARE * bounds->nodes_limit;
	bounds->raw_paths_max = or_default(options->raw_paths_max, RAW_PATHS_MAX);
	bounds->raw_paths_in_all = RAW_PATHS_IN_ALL;
	bounds->random = options->seed;
	return bounds;
}

struct keeper *keeper_new(const struct keeper_options *options)
{
	struct keeper *keeper = mem_zero(1, sizeof *keeper);
	struct bounds *bounds = make_bounds(options);

	keeper->collector = collector_new_within(options->load, bounds->nodes_max, TIMES_BYTES_MAX);
	keeper->collector->bounds = bounds;
	collector_begin_run(keeper->collector, &(struct collected_run){
						       .campaign = mem_copy_text("."),
						       .name = mem_copy_text(options->name),
					       });
	return keeper;
}

void keeper_free(struct keeper *keeper)
{
	if (!keeper)
		return;
	collector_free(keeper->collector);
	free(keeper);
}

struct names *keeper_names(struct keeper *keeper)
{
	return keeper->collector->names;
}

void keeper_events(void *context, const struct event *events, size_t n)
{
	struct keeper *keeper = context;

	assembler_feed(keeper->collector->assembler, events, n);
}

void keeper_tick(struct keeper *keeper, uint64_t now_ns)
{
	keeper->collector->now_ns = now_ns;
	renew_trees(keeper->collector);
}

void keeper_end_run(struct keeper *keeper)
{
	assembler_end_run(keeper->collector->assembler);
}

uint64_t keeper_executions(const struct keeper *keeper)
{
	return keeper->collector->n_executions;
}

bool keeper_thinned(const struct keeper *keeper)
{
	return keeper->collector->bounds->thinned;
}

void keeper_reset(struct keeper *keeper, const struct keeper_source *source)
{
	keeper->before = *assembler_counts(keeper->collector->assembler);
	assembler_forget_longest(keeper->collector->assembler);
	keeper->lost_before = source->lost_events;
	keeper->unread_before = source->unread_lines;
	collector_reset(keeper->collector);
}

static void copy_kept(struct collected_kept *kept, uint32_t n, const struct collector *collector)
{
	for (uint32_t i = 0; i < n; i++) {
		size_t bytes = trees_size(collector->trees, kept[i].root) * sizeof *kept[i].node_ns;
		uint64_t *node_ns = mem_alloc(bytes);

		kept[i].node_ns = memcpy(node_ns, kept[i].node_ns, bytes);
	}
}

static struct collected_times *copy_times(const struct collected_times *times, uint32_t n_calls,
					  const struct collector *collector)
{
	struct collected_times *copy = mem_alloc(sizeof *copy);

	*copy = *times;
	copy->nodes = mem_alloc(n_calls * sizeof *copy->nodes);
	memcpy(copy->nodes, times->nodes, n_calls * sizeof *copy->nodes);
	copy_kept(copy->slowest, copy->n_slowest, collector);
	copy_kept(copy->typical, copy->n_typical, collector);
	return copy;
}

/*
 * The collector as the merge may have it: what that takes away is copied, what
 * it only reads is the collector's own.
 */
static struct collector copy_collector(const struct collector *collector)
{
	struct collector copy = *collector;

	copy.names = names_copy(collector->names);
	copy.trees = trees_copy(collector->trees);
	copy.cleans = mem_alloc(collector->n_cleans * sizeof *copy.cleans);
	for (uint32_t i = 0; i < collector->n_cleans; i++) {
		struct collected_clean *clean = &copy.cleans[i];

		*clean = collector->cleans[i];
		if (clean->times && clean->n_seen)
			clean->times = copy_times(clean->times, clean->n_calls, collector);
		else
			clean->times = NULL;
	}
	return copy;
}

static void release_copy(struct collector *copy)
{
	for (uint32_t i = 0; i < copy->n_cleans; i++) {
		if (copy->cleans[i].times)
			free(copy->cleans[i].times->nodes);
		free(copy->cleans[i].times);
	}
	free(copy->cleans);
}

/* The run in which everything is: what was discarded until now. */
static void fill_run(const struct keeper *keeper, const struct keeper_source *source,
		     struct collected_run *run)
{
	const struct assembler_counts *before = &keeper->before;
	const struct assembler_counts *now = assembler_counts(keeper->collector->assembler);

	run->format = source->format;
	run->discards = (struct discards){
		.lost_events = source->lost_events - keeper->lost_before,
		.unread_lines = source->unread_lines - keeper->unread_before,
		.cut_by_loss = now->cut_by_loss - before->cut_by_loss,
		.orphans = now->orphans - before->orphans,
		.unfinished = now->unfinished - before->unfinished,
		.broken = now->broken - before->broken,
		.longest_broken_ns = now->longest_broken_ns,
	};
	run->n_unread = 0;
	for (unsigned i = 0; i < source->n_unread && i < COUNT_OF(run->unread); i++)
		run->unread[run->n_unread++] = (char *)source->unread[i];
}

static struct input make_input(const struct keeper_source *source)
{
	return (struct input){
		.name = mem_copy_text(source->name),
		.path = mem_copy_text(source->name),
		.error = source->error ? mem_copy_text(source->error) : NULL,
		.kernel = source->kernel ? mem_copy_text(source->kernel) : NULL,
		.scope = source->scope ? mem_copy_text(source->scope) : NULL,
		.emulated = source->emulated,
	};
}

static void complain(struct recording *recording, const char *reason)
{
	recording->complaints = mem_resize(recording->complaints, recording->n_complaints + 1,
					   sizeof *recording->complaints);
	recording->complaints[recording->n_complaints++] = (struct complaint){
		.file = mem_copy_text(recording->inputs[0].name),
		.reason = mem_copy_text(reason),
	};
}

static void add_complaints(const struct keeper *keeper, struct recording *recording)
{
	const struct collector *collector = keeper->collector;
	uint64_t no_room = assembler_counts(collector->assembler)->no_room - keeper->before.no_room;
	char reason[160];

	if (no_room) {
		snprintf(reason, sizeof reason,
			 "%llu executions left out: more open tasks, open calls or different call "
			 "trees than there is room for",
			 (unsigned long long)no_room);
		complain(recording, reason);
	}
	if (collector->bounds->n_together) {
		snprintf(reason, sizeof reason,
			 "raw paths of %llu executions are not told apart: there are too many "
			 "(identity clean tells more)",
			 (unsigned long long)collector->bounds->n_together);
		complain(recording, reason);
	}
	if (collector->n_without_times) {
		snprintf(reason, sizeof reason,
			 "times of single calls are not kept for %u clean paths: there are too "
			 "many calls",
			 (unsigned)collector->n_without_times);
		complain(recording, reason);
	}
}

struct recording *keeper_recording(struct keeper *keeper, const struct keeper_source *source)
{
	struct recording *recording = mem_zero(1, sizeof *recording);
	struct collector copy, *copies = &copy;
	struct collected_run run;

	renew_ids(keeper->collector);
	copy = copy_collector(keeper->collector);
	/* the merge frees nothing of a run */
	run = keeper->collector->runs[0];
	fill_run(keeper, source, &run);
	copy.runs = &run;
	atomic_init(&recording->holders, 1);
	recording->inputs = mem_alloc(sizeof *recording->inputs);
	recording->inputs[0] = make_input(source);
	recording->n_inputs = 1;
	recording->live = true;
	merge_collectors(recording, &copies, 1, 1);
	release_copy(&copy);
	add_complaints(keeper, recording);
	recording->clean_verified = recording_is_verified(recording);
	return recording;
}
