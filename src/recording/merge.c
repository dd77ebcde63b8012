/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what the workers gathered to one recording that does not depend on who gathered it. */
#include "merge.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void map_names(struct merge *merge, struct maps *maps)
{
	struct names *names = maps->collector->names;
	uint32_t n = names_count(names);

	maps->names = mem_alloc(n * sizeof *maps->names);
	for (uint32_t i = 0; i < n; i++)
		maps->names[i] = names_intern(merge->recording->names, names_text(names, i),
					      names_length(names, i));
}

/* A node's children are older than it is: one pass does. */
static void map_nodes(struct merge *merge, struct maps *maps)
{
	struct trees *trees = maps->collector->trees;
	uint32_t n = trees_count(trees), room = 0, *children = NULL;

	maps->nodes = mem_alloc(n * sizeof *maps->nodes);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_children;
		const uint32_t *theirs = trees_children(trees, i, &n_children);

		if (n_children > room) {
			room = 2 * n_children;
			children = mem_resize(children, room, sizeof *children);
		}
		for (uint32_t j = 0; j < n_children; j++)
			children[j] = maps->nodes[theirs[j]];
		maps->nodes[i] =
			trees_node(merge->recording->trees, maps->names[trees_function(trees, i)],
				   children, n_children);
	}
	free(children);
}

/* One worker's tables are taken as they are. */
static void take_tables(struct merge *merge, struct maps *maps)
{
	struct collector *collector = maps->collector;
	uint32_t n_names = names_count(collector->names), n_nodes = trees_count(collector->trees);

	merge->recording->names = collector->names;
	merge->recording->trees = collector->trees;
	collector->names = NULL;
	collector->trees = NULL;
	maps->names = mem_alloc(n_names * sizeof *maps->names);
	maps->nodes = mem_alloc(n_nodes * sizeof *maps->nodes);
	for (uint32_t i = 0; i < n_names; i++)
		maps->names[i] = i;
	for (uint32_t i = 0; i < n_nodes; i++)
		maps->nodes[i] = i;
}

struct run_place {
	struct maps *maps;
	uint32_t local;
};

static const struct collected_run *run_of(const struct run_place *place)
{
	return &place->maps->collector->runs[place->local];
}

static int compare_places(const void *a, const void *b)
{
	return collected_run_order(run_of(a), run_of(b));
}

static void add_discards(struct discards *sum, const struct discards *more)
{
	sum->lost_events += more->lost_events;
	sum->cut_by_loss += more->cut_by_loss;
	sum->orphans += more->orphans;
	sum->unfinished += more->unfinished;
	sum->broken += more->broken;
	sum->unread_lines += more->unread_lines;
	if (more->longest_broken_ns > sum->longest_broken_ns)
		sum->longest_broken_ns = more->longest_broken_ns;
}

/* The run's campaign, a new one where input or name differ from the run before. */
static uint32_t campaign_of(struct recording *recording, const struct collected_run *run,
			    uint32_t *room)
{
	struct campaign *last =
		recording->n_campaigns ? &recording->campaigns[recording->n_campaigns - 1] : NULL;

	if (!last || last->input != run->input || strcmp(last->name, run->campaign) != 0) {
		ARRAY_RESERVE(recording->campaigns, recording->n_campaigns, *room);
		last = &recording->campaigns[recording->n_campaigns++];
		*last = (struct campaign){
			.name = mem_copy_text(run->campaign),
			.input = run->input,
			.first_run = recording->n_runs,
		};
		recording->inputs[run->input].n_campaigns++;
	}
	last->n_runs++;
	return recording->n_campaigns - 1;
}

#define UNREAD_SHOWN 5

static void keep_unread(struct recording *recording, const struct collected_run *run)
{
	for (unsigned i = 0; i < run->n_unread && recording->n_unread < UNREAD_SHOWN; i++) {
		struct text text = {0};

		if (!run->unread_named)
			text_printf(&text, "%s: ", run->name);
		text_puts(&text, run->unread[i]);
		recording->unread = mem_resize(recording->unread, recording->n_unread + 1,
					       sizeof *recording->unread);
		recording->unread[recording->n_unread++] = text.bytes;
	}
}

static void merge_runs(struct merge *merge)
{
	struct recording *recording = merge->recording;
	struct run_place *places;
	uint32_t n = 0, room = 0;

	for (uint32_t i = 0; i < merge->n; i++)
		n += merge->maps[i].collector->n_runs;
	places = mem_alloc(n * sizeof *places);
	n = 0;
	for (uint32_t i = 0; i < merge->n; i++) {
		struct maps *maps = &merge->maps[i];

		maps->runs = mem_alloc(maps->collector->n_runs * sizeof *maps->runs);
		for (uint32_t j = 0; j < maps->collector->n_runs; j++)
			if (!maps->collector->runs[j].failed)
				places[n++] = (struct run_place){maps, j};
	}
	qsort(places, n, sizeof *places, compare_places);
	recording->runs = mem_alloc(n * sizeof *recording->runs);
	for (uint32_t i = 0; i < n; i++) {
		const struct collected_run *run = run_of(&places[i]);
		struct input *input = &recording->inputs[run->input];

		places[i].maps->runs[places[i].local] = recording->n_runs;
		recording->runs[recording->n_runs].campaign = campaign_of(recording, run, &room);
		recording->runs[recording->n_runs++].name = mem_copy_text(run->name);
		input->n_runs++;
		if (!input->format)
			input->format = run->format;
		add_discards(&recording->discards, &run->discards);
		keep_unread(recording, run);
	}
	free(places);
}

static uint32_t merged_call(struct merge *merge, uint32_t name)
{
	struct recording *recording = merge->recording;
	uint32_t index = pair_table_index(&merge->call_table, 0, name, recording->n_calls);

	if (index == recording->n_calls) {
		ARRAY_RESERVE(recording->calls, recording->n_calls, merge->calls_room);
		recording->calls[recording->n_calls++] = (struct call){
			.name = mem_copy_text(names_text(recording->names, name)),
		};
	}
	return index;
}

static uint32_t new_path(struct merge *merge, enum identity identity, uint32_t call, uint32_t root)
{
	ARRAY_RESERVE(merge->paths[identity], merge->n_paths[identity],
		      merge->paths_room[identity]);
	merge->paths[identity][merge->n_paths[identity]] = (struct merged_path){
		.call = call,
		.path = {.root = root, .new_ns = UINT64_MAX},
	};
	return merge->n_paths[identity]++;
}

/* A path of a call by its root; made where it is new. */
static uint32_t merged_path(struct merge *merge, enum identity identity, uint32_t call,
			    uint32_t root, bool from_csv)
{
	struct pair_table *table =
		identity == IDENTITY_RAW ? &merge->path_table : &merge->clean_table;
	uint32_t index =
		pair_table_index(table, 2 * call + from_csv, root, merge->n_paths[identity]);

	if (index == merge->n_paths[identity]) {
		struct merged_path *path;

		/* it may move the others */
		new_path(merge, identity, call, root);
		path = &merge->paths[identity][index];
		if (from_csv) {
			path->path.id = mem_copy_text(names_text(merge->recording->names, root));
			path->path.root = NODE_NONE;
		}
	}
	return index;
}

/* An id that was computed before is taken over. */
static void take_id(struct path *path, const char *id)
{
	if (id && !path->id)
		path->id = mem_copy_text(id);
}

static void note_first(struct merge *merge, struct path *path, uint64_t first_ns)
{
	if (first_ns)
		path->new_ns = merge->now_ns - first_ns;
}

static void count_path(struct path *path, uint64_t n, bool disturbed)
{
	path->n_seen += n;
	path->n_disturbed_seen += disturbed ? n : 0;
}

static void map_path(struct merge *merge, struct maps *maps, uint32_t index)
{
	const struct collected_path *path = &maps->collector->paths[index];
	const uint32_t *map = path->from_csv ? maps->names : maps->nodes;
	struct path *raw, *clean;
	uint32_t to;

	/* without a tree it is of one worker only */
	if (path->root == NODE_NONE)
		to = new_path(merge, IDENTITY_RAW, maps->calls[path->call], NODE_NONE);
	else
		to = merged_path(merge, IDENTITY_RAW, maps->calls[path->call], map[path->root],
				 path->from_csv);
	maps->paths[index] = to;
	raw = &merge->paths[IDENTITY_RAW][to].path;
	raw->clean = maps->cleans[path->clean];
	clean = &merge->paths[IDENTITY_CLEAN][raw->clean].path;
	take_id(raw, path->id);
	raw->tallies = tallies_finish(path->tallies);
	raw->thinning = maps->collector->cleans[path->clean].level;
	note_first(merge, raw, path->first_ns);
	clean->n_raw += raw->n_seen == 0;
	count_path(raw, path->n_seen, path->disturbed);
	count_path(clean, path->n_seen, path->disturbed);
}

static void map_paths(struct merge *merge, struct maps *maps)
{
	struct collector *collector = maps->collector;
	struct path *to;

	maps->calls = mem_alloc(collector->n_calls * sizeof *maps->calls);
	maps->paths = mem_alloc(collector->n_paths * sizeof *maps->paths);
	maps->cleans = mem_alloc(collector->n_cleans * sizeof *maps->cleans);
	for (uint32_t i = 0; i < collector->n_calls; i++)
		maps->calls[i] = collector->calls[i].n_seen
					 ? merged_call(merge, maps->names[collector->calls[i].name])
					 : NOT_MAPPED;
	for (uint32_t i = 0; i < collector->n_cleans; i++) {
		const struct collected_clean *clean = &collector->cleans[i];
		uint32_t *map = clean->from_csv ? maps->names : maps->nodes;

		maps->cleans[i] = NOT_MAPPED;
		if (!clean->n_seen)
			continue;
		maps->cleans[i] = merged_path(merge, IDENTITY_CLEAN, maps->calls[clean->call / 2],
					      map[clean->root], clean->from_csv);
		to = &merge->paths[IDENTITY_CLEAN][maps->cleans[i]].path;
		take_id(to, clean->id);
		to->tallies = tallies_finish(clean->tallies);
		to->thinning = clean->level;
		note_first(merge, to, clean->first_ns);
	}
	for (uint32_t i = 0; i < collector->n_paths; i++) {
		const struct collected_path *path = &collector->paths[i];

		maps->paths[i] = NOT_MAPPED;
		if (path->n_seen)
			map_path(merge, maps, i);
	}
}

/* Samples of one call and one run, as they lie in a worker. */
struct segment {
	const struct maps *maps;
	const struct collected_call *call;
	uint32_t run, first, n;
	uint32_t *place; /* where the worker's samples of this call go */
};

static int compare_segments(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void fill_segment(struct call *call, const struct segment *segment)
{
	const struct collected_call *from = segment->call;

	for (uint32_t i = segment->first; i < segment->first + segment->n; i++) {
		uint32_t at = call->n_executions++;

		segment->place[i] = at;
		call->duration_ns[at] = from->duration_ns[i];
		call->raw[at] = segment->maps->paths[from->path[i]];
		call->run[at] = segment->run;
		call->flags[at] = from->flags[i];
		call->n_disturbed += from->flags[i] & EXECUTION_DISTURBED ? 1 : 0;
	}
}

static int compare_removed(const void *a, const void *b)
{
	const struct removed *x = a, *y = b;

	return x->execution < y->execution ? -1 : x->execution > y->execution;
}

static void fill_removed(struct call *call, const struct collected_call *from,
			 const uint32_t *place)
{
	for (uint32_t i = 0; i < from->n_removed; i++) {
		struct removed *removed = &call->removed[call->n_removed++];

		*removed = from->removed[i];
		removed->execution = place[removed->execution];
	}
}

/* Figures of all executions, kept or not. */
static void add_seen(struct call *call, const struct collected_call *from)
{
	if (from->tallies)
		call->tallies = tallies_finish(from->tallies);
	call->n_seen += from->n_seen;
	call->n_disturbed_seen += from->n_disturbed;
	call->n_own_unknown += (uint32_t)from->n_own_unknown;
	call->interrupt_ns += from->removed_ns[REMOVED_INTERRUPT];
	call->preempted_ns += from->removed_ns[REMOVED_PREEMPTED];
	call->off_cpu_ns += from->removed_ns[REMOVED_OFF_CPU];
}

/* A call as one worker has it. */
struct share {
	struct maps *maps;
	uint32_t call; /* index into the worker's calls */
};

/* The shares of all calls grouped by call: shares[first[c]] to shares[first[c + 1]]. */
static struct share *find_shares(struct merge *merge, uint32_t **first)
{
	uint32_t n_calls = merge->recording->n_calls, n = 0;
	uint32_t *at = mem_zero((size_t)n_calls + 2, sizeof *at);
	struct share *shares;

	for (uint32_t w = 0; w < merge->n; w++)
		for (uint32_t c = 0; c < merge->maps[w].collector->n_calls; c++)
			if (merge->maps[w].calls[c] != NOT_MAPPED) {
				at[merge->maps[w].calls[c] + 2]++;
				n++;
			}
	for (uint32_t c = 2; c < n_calls + 2; c++)
		at[c] += at[c - 1];
	shares = mem_alloc(n * sizeof *shares);
	for (uint32_t w = 0; w < merge->n; w++)
		for (uint32_t c = 0; c < merge->maps[w].collector->n_calls; c++)
			if (merge->maps[w].calls[c] != NOT_MAPPED)
				shares[at[merge->maps[w].calls[c] + 1]++] =
					(struct share){&merge->maps[w], c};
	*first = at;
	return shares;
}

/* The samples of one call as they lie in all workers, in the recording's order. */
static struct segment *find_segments(const struct share *shares, uint32_t n_shares, uint32_t *n,
				     uint32_t *n_samples, uint32_t *n_removed)
{
	struct segment *segments = NULL;
	uint32_t room = 0;

	for (uint32_t s = 0; s < n_shares; s++) {
		struct maps *maps = shares[s].maps;
		uint32_t c = shares[s].call;
		const struct collected_call *from = &maps->collector->calls[c];

		maps->places[c] = mem_alloc(from->n * sizeof *maps->places[c]);
		*n_samples += from->n;
		*n_removed += from->n_removed;
		for (uint32_t i = 0; i < from->n; i++) {
			if (i && from->run[i] == from->run[i - 1]) {
				segments[*n - 1].n++;
				continue;
			}
			ARRAY_RESERVE(segments, *n, room);
			segments[(*n)++] = (struct segment){
				.maps = maps,
				.call = from,
				.run = maps->runs[from->run[i]],
				.first = i,
				.n = 1,
				.place = maps->places[c],
			};
		}
	}
	if (*n > 1)
		qsort(segments, *n, sizeof *segments, compare_segments);
	return segments;
}

static void merge_samples(struct merge *merge, struct call *call, const struct share *shares,
			  uint32_t n_shares)
{
	uint32_t n = 0, n_samples = 0, n_removed = 0;
	struct segment *segments = find_segments(shares, n_shares, &n, &n_samples, &n_removed);

	call->duration_ns = mem_alloc(n_samples * sizeof *call->duration_ns);
	call->raw = mem_alloc(n_samples * sizeof *call->raw);
	call->run = mem_alloc(n_samples * sizeof *call->run);
	call->flags = mem_alloc(n_samples * sizeof *call->flags);
	call->removed = mem_alloc(n_removed * sizeof *call->removed);
	for (uint32_t i = 0; i < n; i++)
		fill_segment(call, &segments[i]);
	free(segments);
	for (uint32_t s = 0; s < n_shares; s++) {
		const struct maps *maps = shares[s].maps;
		uint32_t c = shares[s].call;

		fill_removed(call, &maps->collector->calls[c], maps->places[c]);
		add_seen(call, &maps->collector->calls[c]);
	}
	if (call->n_removed > 1)
		qsort(call->removed, call->n_removed, sizeof *call->removed, compare_removed);
	merge->recording->n_executions += call->n_seen;
}

static void merge_calls(struct merge *merge)
{
	struct recording *recording = merge->recording;
	uint32_t *first;
	struct share *shares = find_shares(merge, &first);

	for (uint32_t c = 0; c < recording->n_calls; c++)
		merge_samples(merge, &recording->calls[c], shares + first[c],
			      first[c + 1] - first[c]);
	free(shares);
	free(first);
}

/* Executions, disturbed ones and campaigns of every path. */
static void count_paths(struct merge *merge)
{
	const struct recording *recording = merge->recording;

	for (uint32_t c = 0; c < recording->n_calls; c++) {
		const struct call *call = &recording->calls[c];

		for (uint32_t i = 0; i < call->n_executions; i++) {
			struct path *raw = &merge->paths[IDENTITY_RAW][call->raw[i]].path;
			struct path *clean = &merge->paths[IDENTITY_CLEAN][raw->clean].path;
			uint32_t campaign = recording->runs[call->run[i]].campaign;
			bool disturbed = call->flags[i] & EXECUTION_DISTURBED;

			if (raw->n_executions == 0)
				raw->first_campaign = campaign;
			if (clean->n_executions == 0)
				clean->first_campaign = campaign;
			raw->n_executions++;
			clean->n_executions++;
			raw->n_disturbed += disturbed;
			clean->n_disturbed += disturbed;
			raw->last_campaign = clean->last_campaign = campaign;
		}
	}
}

/* Identities, by as many threads as allowed: MD5 of everything is the slow part. */
struct identities {
	const struct recording *recording;
	struct merged_path *paths;
	uint32_t n;
	_Atomic uint32_t next;
};

static void *compute_identities(void *context)
{
	struct identities *work = context;
	uint32_t i;

	while ((i = atomic_fetch_add(&work->next, 1)) < work->n) {
		struct path *path = &work->paths[i].path;
		char id[33];

		if (path->id)
			continue;
		trees_identity(work->recording->trees, work->recording->names, path->root, id);
		path->id = mem_copy_text(id);
	}
	return NULL;
}

static void name_paths(struct merge *merge, enum identity identity)
{
	struct identities work = {
		.recording = merge->recording,
		.paths = merge->paths[identity],
		.n = merge->n_paths[identity],
	};
	pthread_t threads[64];
	uint32_t n = 0;

	while (n + 1 < merge->n_jobs && n < COUNT_OF(threads) && work.n > 64 &&
	       pthread_create(&threads[n], NULL, compute_identities, &work) == 0)
		n++;
	compute_identities(&work);
	while (n)
		pthread_join(threads[--n], NULL);
}

struct ranked {
	const struct merged_path *path;
	uint32_t index;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct merged_path *x = ((const struct ranked *)a)->path;
	const struct merged_path *y = ((const struct ranked *)b)->path;

	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	if (x->path.n_seen != y->path.n_seen)
		return x->path.n_seen > y->path.n_seen ? -1 : 1;
	return strcmp(x->path.id, y->path.id);
}

/* Hands the calls their paths by rank; rank[i] is where the merged path i went. */
static void rank_paths(struct merge *merge, enum identity identity, uint32_t *rank)
{
	struct recording *recording = merge->recording;
	uint32_t n = merge->n_paths[identity];
	struct ranked *ranked = mem_alloc(n * sizeof *ranked);

	for (uint32_t i = 0; i < n; i++) {
		ranked[i] = (struct ranked){&merge->paths[identity][i], i};
		recording->calls[ranked[i].path->call].n_paths[identity]++;
	}
	qsort(ranked, n, sizeof *ranked, compare_ranked);
	for (uint32_t c = 0, at = 0; c < recording->n_calls; c++) {
		struct call *call = &recording->calls[c];
		uint32_t first = 0;

		call->paths[identity] =
			mem_alloc(call->n_paths[identity] * sizeof *call->paths[identity]);
		for (uint32_t i = 0; i < call->n_paths[identity]; i++, at++) {
			struct path *path = &call->paths[identity][i];

			*path = ranked[at].path->path;
			if (ranked[at].path->times)
				path->times = merged_times_finish(ranked[at].path->times,
								  ranked[at].path->without_times);
			path->first = first;
			first += path->n_executions;
			rank[ranked[at].index] = i;
		}
	}
	free(ranked);
}

/* Executions grouped by path: a counting sort, so that order of arrival stays. */
static void group_executions(struct call *call, enum identity identity)
{
	uint32_t n_paths = call->n_paths[identity];
	uint32_t *next = mem_alloc(n_paths * sizeof *next);

	call->order[identity] = mem_alloc(call->n_executions * sizeof *call->order[identity]);
	for (uint32_t i = 0; i < n_paths; i++)
		next[i] = call->paths[identity][i].first;
	for (uint32_t i = 0; i < call->n_executions; i++) {
		uint32_t path = call->raw[i];

		if (identity == IDENTITY_CLEAN)
			path = call->paths[IDENTITY_RAW][path].clean;
		call->order[identity][next[path]++] = i;
	}
	free(next);
}

static void finish_paths(struct merge *merge)
{
	struct recording *recording = merge->recording;
	uint32_t *rank[2];

	count_paths(merge);
	for (enum identity i = IDENTITY_CLEAN; i <= IDENTITY_RAW; i++) {
		name_paths(merge, i);
		rank[i] = mem_alloc(merge->n_paths[i] * sizeof *rank[i]);
		rank_paths(merge, i, rank[i]);
	}
	for (uint32_t c = 0; c < recording->n_calls; c++) {
		struct call *call = &recording->calls[c];

		for (uint32_t i = 0; i < call->n_executions; i++)
			call->raw[i] = rank[IDENTITY_RAW][call->raw[i]];
		for (uint32_t i = 0; i < call->n_paths[IDENTITY_RAW]; i++) {
			struct path *path = &call->paths[IDENTITY_RAW][i];

			path->clean = rank[IDENTITY_CLEAN][path->clean];
		}
		group_executions(call, IDENTITY_CLEAN);
		group_executions(call, IDENTITY_RAW);
	}
	free(rank[IDENTITY_CLEAN]);
	free(rank[IDENTITY_RAW]);
}

static int compare_calls(const void *a, const void *b)
{
	return strcmp(((const struct call *)a)->name, ((const struct call *)b)->name);
}

static void release_maps(struct maps *maps)
{
	for (uint32_t c = 0; c < maps->collector->n_calls; c++)
		free(maps->places[c]);
	free(maps->places);
	free(maps->names);
	free(maps->nodes);
	free(maps->runs);
	free(maps->calls);
	free(maps->paths);
	free(maps->cleans);
}

void merge_collectors(struct recording *recording, struct collector **collectors, uint32_t n,
		      uint32_t n_jobs)
{
	struct merge merge = {.recording = recording, .n = n, .n_jobs = n_jobs};

	merge.maps = mem_zero(n, sizeof *merge.maps);
	for (uint32_t i = 0; i < n; i++) {
		struct maps *maps = &merge.maps[i];

		maps->collector = collectors[i];
		maps->places = mem_zero(collectors[i]->n_calls, sizeof *maps->places);
		recording->has_durations |= collectors[i]->has_durations;
		merge.now_ns = collectors[i]->now_ns;
	}
	merge_runs(&merge);
	if (n == 1) {
		take_tables(&merge, &merge.maps[0]);
	} else {
		recording->names = names_new();
		names_lift_limits(recording->names);
		recording->trees = trees_new();
	}
	for (uint32_t i = 0; i < n; i++) {
		if (n > 1) {
			map_names(&merge, &merge.maps[i]);
			map_nodes(&merge, &merge.maps[i]);
		}
		map_paths(&merge, &merge.maps[i]);
	}
	merge_calls(&merge);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t c = 0; c < collectors[i]->n_cleans; c++)
			if (merge.maps[i].cleans[c] != NOT_MAPPED)
				merge_times(&merge, &merge.maps[i], c);
	finish_paths(&merge);
	if (recording->n_calls)
		qsort(recording->calls, recording->n_calls, sizeof *recording->calls,
		      compare_calls);
	for (uint32_t i = 0; i < n; i++)
		release_maps(&merge.maps[i]);
	for (enum identity i = IDENTITY_CLEAN; i <= IDENTITY_RAW; i++)
		free(merge.paths[i]);
	free(merge.call_table.pairs);
	free(merge.path_table.pairs);
	free(merge.clean_table.pairs);
	free(merge.maps);
}
