/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An .evtop file, put back into a collector as if its runs had just been read.
 * Every number of it is checked: a row may refer only to rows before it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evtop-rows.h"
#include "manifest.h"
#include "restore.h"

/* Above the largest recordings of ours a hundred times. */
#define ROWS_MAX (1u << 28)

/* Rows are numbered from 0 without a gap. */
static int add_number(struct numbers *numbers, const struct store_row *row, uint32_t value,
		      enum store_table table, struct error *err)
{
	if (store_get_integer(row, 0) != (int64_t)numbers->n || numbers->n == ROWS_MAX)
		return restore_broken(err, table);
	ARRAY_RESERVE(numbers->of, numbers->n, numbers->room);
	numbers->of[numbers->n++] = value;
	return 0;
}

/* ---- what it is of ---- */

static int take_about(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	const char *key = store_get_text(row, 0), *value = store_get_text(row, 1);

	(void)err;
	if (strcmp(key, ABOUT_DURATIONS) == 0)
		restoring->collector->has_durations |= strcmp(value, "1") == 0;
	else if (strcmp(key, ABOUT_OPTIONS) == 0 && *value && !restoring->like.origin_options)
		restoring->like.origin_options = mem_copy_text(value);
	else if (strcmp(key, ABOUT_STOPPED) == 0 && strcmp(value, "1") == 0)
		read_complain(restoring->worker, &restoring->base,
			      "holds what was read until reading was stopped, not all");
	return 0;
}

static char *text_or_null(const struct store_row *row, int column)
{
	return store_is_null(row, column) ? NULL : mem_copy_text(store_get_text(row, column));
}

static int take_origin(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	struct input *like = &restoring->like, one = {0};
	struct origin *origin;

	(void)err;
	like->origins =
		mem_resize(like->origins, (size_t)like->n_origins + 1, sizeof *like->origins);
	origin = &like->origins[like->n_origins++];
	*origin = (struct origin){.name = text_or_null(row, 1), .format = text_or_null(row, 3)};
	if (!origin->name)
		origin->name = mem_copy_text("");
	snprintf(origin->sha256, sizeof origin->sha256, "%s", store_get_text(row, 2));
	one.kernel = text_or_null(row, 4);
	one.scope = text_or_null(row, 5);
	one.emulated = emulation_of_word(store_get_text(row, 6));
	one.kernel_differs = store_get_integer(row, 7) & DIFFERS_KERNEL;
	one.machine_differs = store_get_integer(row, 7) & DIFFERS_MACHINE;
	one.scope_differs = store_get_integer(row, 7) & DIFFERS_SCOPE;
	input_take(like, &one);
	free(one.kernel);
	free(one.scope);
	return 0;
}

static int take_complaint(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	struct collected_run run = {
		.input = restoring->base.input,
		.campaign = ".",
		.name = (char *)store_get_text(row, 1),
	};
	char *reason = mem_copy_text(store_get_text(row, 2));

	(void)err;
	run.name = mem_copy_text(run.name);
	read_complain(restoring->worker, &run, reason);
	free(run.name);
	free(reason);
	return 0;
}

/* ---- campaigns and runs ---- */

static int take_campaign(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	uint32_t n = restoring->campaigns.n;
	uint64_t origin;
	struct text name = {0};

	if (restore_number(row, 1, restoring->like.n_origins, &origin, STORE_CAMPAIGN, err) ||
	    add_number(&restoring->campaigns, row, n, STORE_CAMPAIGN, err))
		return -1;
	/* campaigns of several recordings may have one name */
	if (restoring->like.n_origins > 1)
		text_printf(&name, "%s/", restoring->like.origins[origin].name);
	text_puts(&name, store_get_text(row, 2));
	restoring->campaign_names = mem_resize(restoring->campaign_names, (size_t)n + 1,
					       sizeof *restoring->campaign_names);
	restoring->campaign_names[n] = name.bytes;
	return 0;
}

static int take_run(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	struct collector *collector = restoring->collector;
	uint64_t campaign;
	struct collected_run run = restoring->base;

	if (restore_number(row, 1, restoring->campaigns.n, &campaign, STORE_RUN, err) ||
	    add_number(&restoring->runs, row, collector->n_runs, STORE_RUN, err))
		return -1;
	run.campaign = mem_copy_text(restoring->campaign_names[campaign]);
	run.name = mem_copy_text(store_get_text(row, 2));
	run.sequence = restoring->runs.n;
	run.format = "evtop";
	collector_begin_run(collector, &run);
	return 0;
}

/* Losses are known of all runs together: the first one has them. */
static int take_discard(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	uint64_t count;

	if (restore_number(row, 1, INT64_MAX, &count, STORE_DISCARD, err))
		return -1;
	for (size_t i = 0; restoring->collector->n_runs && i < n_discard_rows; i++)
		if (strcmp(store_get_text(row, 0), discard_rows[i].reason) == 0)
			*discard_row_of(&restoring->collector->runs[0].discards, i) = count;
	return 0;
}

static int take_unread(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	struct collected_run *run;

	(void)err;
	if (!restoring->collector->n_runs)
		return 0;
	run = &restoring->collector->runs[0];
	run->unread_named = true;
	if (run->n_unread < COUNT_OF(run->unread))
		run->unread[run->n_unread++] = mem_copy_text(store_get_text(row, 1));
	return 0;
}

/* ---- trees ---- */

static int take_function(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	const char *name = store_get_text(row, 1);
	uint32_t interned = names_intern(restoring->collector->names, name, strlen(name));

	if (interned == NAME_NONE)
		return error_set(err, "has more or longer names than there is room for");
	return add_number(&restoring->functions, row, interned, STORE_FUNCTION, err);
}

static int take_node(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	uint64_t function;
	const char *children = store_get_text(row, 2);
	uint32_t n = 0, node;
	int64_t child;

	if (restore_number(row, 1, restoring->functions.n, &function, STORE_NODE, err))
		return -1;
	while (restore_next(&children, &child)) {
		if (child < 0 || child >= restoring->nodes.n)
			return restore_broken(err, STORE_NODE);
		ARRAY_RESERVE(restoring->list, n, restoring->list_room);
		restoring->list[n++] = restoring->nodes.of[child];
	}
	if (!restore_ended(children))
		return restore_broken(err, STORE_NODE);
	node = trees_node(restoring->collector->trees, restoring->functions.of[function],
			  restoring->list, n);
	if (node == NODE_NONE)
		return error_set(err, "has larger call trees than there is room for");
	return add_number(&restoring->nodes, row, node, STORE_NODE, err);
}

/* ---- calls and paths ---- */

static bool is_chosen(const struct load_options *options, const char *name)
{
	for (size_t i = 0; i < options->n_syscalls; i++)
		if (strcmp(options->syscalls[i], name) == 0)
			return true;
	return options->n_syscalls == 0;
}

static int take_call(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	struct collector *collector = restoring->collector;
	const char *text = store_get_text(row, 1);
	uint32_t name = names_intern(collector->names, text, strlen(text)), call = UINT32_MAX;
	uint64_t figure[5];

	if (name == NAME_NONE)
		return error_set(err, "has more or longer names than there is room for");
	for (int i = 0; i < 5; i++)
		if (restore_number(row, 3 + i, INT64_MAX, &figure[i], STORE_CALL, err))
			return -1;
	if (is_chosen(collector->options, text)) {
		struct collected_call *found = collector_find_call(collector, name);

		call = (uint32_t)(found - collector->calls);
		restoring->executions = mem_resize(restoring->executions, collector->n_calls,
						   sizeof *restoring->executions);
		restoring->executions[call] = (struct restored_call){0};
		found->n_disturbed += figure[0];
		found->n_own_unknown += figure[1];
		found->removed_ns[REMOVED_INTERRUPT] += figure[2];
		found->removed_ns[REMOVED_PREEMPTED] += figure[3];
		found->removed_ns[REMOVED_OFF_CPU] += figure[4];
	}
	return add_number(&restoring->calls, row, call, STORE_CALL, err);
}

static uint32_t restore_clean(struct restoring *restoring, const struct restored_path *path,
			      const char *digest)
{
	struct collector *collector = restoring->collector;
	bool named = path->node == NODE_NONE;
	uint32_t root = named ? names_intern(collector->names, digest, strlen(digest)) : path->node;
	uint32_t index = collector_find_clean(collector, 2 * path->call + named, root, root, named);

	if (!named && !collector->cleans[index].id)
		collector->cleans[index].id = mem_copy_text(digest);
	return index;
}

static uint32_t add_path(struct collector *collector, const struct collected_path *path)
{
	ARRAY_RESERVE(collector->paths, collector->n_paths, collector->paths_room);
	collector->paths[collector->n_paths] = *path;
	return collector->n_paths++;
}

/* Without its tree it is of a CSV file, or one whose tree a live source forgot. */
static uint32_t restore_raw(struct restoring *restoring, const struct restored_path *path,
			    uint32_t clean, bool disturbed, const char *digest)
{
	struct collector *collector = restoring->collector;
	bool named = path->node == NODE_NONE && collector->cleans[clean].from_csv;
	struct collected_path raw = {
		.call = path->call,
		.root = named ? names_intern(collector->names, digest, strlen(digest)) : path->node,
		.from_csv = named,
		.clean = clean,
		.disturbed = disturbed,
	};
	uint32_t index = collector->n_paths;

	if (raw.root != NODE_NONE)
		index = pair_table_index(&collector->path_table, 2 * path->call + named, raw.root,
					 collector->n_paths);
	if (index < collector->n_paths)
		return index;
	if (!named)
		raw.id = mem_copy_text(digest);
	if (path->node != NODE_NONE)
		raw.n_calls = trees_size(collector->trees, path->node);
	return add_path(collector, &raw);
}

/* clean: the clean path of a raw one. */
static void restore_path(struct restoring *restoring, struct restored_path *path,
			 const struct store_row *row, uint32_t clean, uint64_t seen)
{
	struct collector *collector = restoring->collector;

	if (path->clean) {
		path->index = restore_clean(restoring, path, store_get_text(row, 3));
		collector->cleans[path->index].n_seen += seen;
		collector->cleans[path->index].level = (uint32_t)store_get_integer(row, 8) & 63;
		return;
	}
	path->index = restore_raw(restoring, path, clean, store_get_integer(row, 5) != 0,
				  store_get_text(row, 3));
	collector->paths[path->index].n_seen += seen;
	collector->calls[path->call].n_seen += seen;
}

static int take_path(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	struct restored_path path = {.node = NODE_NONE, .clean = store_is_null(row, 2)};
	uint64_t call, clean = 0, node = 0, seen;

	if (store_get_integer(row, 0) != restoring->n_paths || restoring->n_paths == ROWS_MAX ||
	    restore_number(row, 1, restoring->calls.n, &call, STORE_PATH, err) ||
	    (!path.clean && restore_number(row, 2, restoring->n_paths, &clean, STORE_PATH, err)) ||
	    (!store_is_null(row, 4) &&
	     restore_number(row, 4, restoring->nodes.n, &node, STORE_PATH, err)) ||
	    restore_number(row, 6, INT64_MAX, &seen, STORE_PATH, err))
		return restore_broken(err, STORE_PATH);
	path.seen = seen > 0;
	path.call = restoring->calls.of[call];
	if (!store_is_null(row, 4))
		path.node = restoring->nodes.of[node];
	if (!path.clean &&
	    (!restoring->paths[clean].clean || restoring->paths[clean].call != path.call ||
	     (path.seen && !restoring->paths[clean].seen)))
		return restore_broken(err, STORE_PATH);
	if (path.call != UINT32_MAX)
		restore_path(restoring, &path, row, path.clean ? 0 : restoring->paths[clean].index,
			     seen);
	ARRAY_RESERVE(restoring->paths, restoring->n_paths, restoring->paths_room);
	restoring->paths[restoring->n_paths++] = path;
	return 0;
}

/* ---- executions ---- */

/* The next execution is this call's: false where calls are not one after the other. */
static bool begin_execution(struct restoring *restoring, uint32_t call)
{
	struct restored_call *executions = &restoring->executions[call];

	if (call < restoring->call || executions->n == UINT32_MAX)
		return false;
	if (!executions->n)
		executions->first = restoring->n_executions;
	executions->n++;
	restoring->call = call;
	return true;
}

static int add_execution(struct restoring *restoring, const struct restored_path *path,
			 uint64_t duration_ns, uint8_t flags, uint32_t run, struct error *err)
{
	struct collector *collector = restoring->collector;
	struct collected_call *call = &collector->calls[path->call];

	if (!begin_execution(restoring, path->call))
		return restore_broken(err, STORE_EXECUTION);
	collector_add_sample(collector, call, path->index, duration_ns, flags);
	call->run[call->n - 1] = run;
	collector->n_executions++;
	return 0;
}

static int take_execution(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	uint64_t path, run, duration_ns = 0, flags;
	bool none = store_is_null(row, 3);

	if (store_get_integer(row, 0) != restoring->n_executions ||
	    restoring->n_executions == UINT32_MAX - 1 ||
	    restore_number(row, 1, restoring->n_paths, &path, STORE_EXECUTION, err) ||
	    restore_number(row, 2, restoring->runs.n, &run, STORE_EXECUTION, err) ||
	    (!none && restore_number(row, 3, INT64_MAX, &duration_ns, STORE_EXECUTION, err)) ||
	    restore_number(row, 4, 2 * EXECUTION_APART, &flags, STORE_EXECUTION, err) ||
	    restoring->paths[path].clean || !restoring->paths[path].seen)
		return restore_broken(err, STORE_EXECUTION);
	if (restoring->paths[path].call != UINT32_MAX &&
	    add_execution(restoring, &restoring->paths[path], duration_ns,
			  (uint8_t)(flags | (none ? EXECUTION_NO_DURATION : 0)),
			  restoring->runs.of[run], err))
		return -1;
	if (++restoring->n_executions % 65536 == 0 && read_stopped(restoring->worker))
		return error_set(err, "was not read to its end");
	return 0;
}

static uint64_t end_of(const struct restored_call *executions)
{
	return (uint64_t)executions->first + executions->n;
}

static int take_removed(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	struct collected_call *call;
	struct removed removed;
	uint64_t number, ns[3];

	if (restore_number(row, 0, restoring->n_executions, &number, STORE_REMOVED, err))
		return -1;
	for (int i = 0; i < 3; i++)
		if (restore_number(row, i + 1, INT64_MAX, &ns[i], STORE_REMOVED, err))
			return -1;
	/* they ascend, as calls do: on to the call that it is of, or is before */
	while (restoring->removed_call < restoring->collector->n_calls &&
	       number >= end_of(&restoring->executions[restoring->removed_call]))
		restoring->removed_call++;
	if (restoring->removed_call == restoring->collector->n_calls ||
	    !restore_sample(restoring, restoring->removed_call, number, &removed.execution))
		return 0;
	call = &restoring->collector->calls[restoring->removed_call];
	removed.interrupt_ns = ns[0];
	removed.preempted_ns = ns[1];
	removed.off_cpu_ns = ns[2];
	ARRAY_RESERVE(call->removed, call->n_removed, call->removed_room);
	call->removed[call->n_removed++] = removed;
	return 0;
}

/* ---- all of it ---- */

/* What can no longer be chosen, or NULL. */
static const char *lost_choice(const struct load_options *options)
{
	return options->n_roots	   ? "--root"
	       : options->n_pids   ? "--pid"
	       : options->n_comms  ? "--comm"
	       : options->n_cpus   ? "--cpu"
	       : options->n_opaque ? "--opaque"
				   : NULL;
}

static int restore(struct restoring *restoring, struct store *store, struct error *err)
{
	static const struct {
		enum store_table table;
		store_take *take;
		bool of_single_calls;
	} tables[] = {
		{STORE_ABOUT, take_about, false},
		{STORE_ORIGIN, take_origin, false},
		{STORE_COMPLAINT, take_complaint, false},
		{STORE_CAMPAIGN, take_campaign, false},
		{STORE_RUN, take_run, false},
		{STORE_DISCARD, take_discard, false},
		{STORE_UNREAD, take_unread, false},
		{STORE_FUNCTION, take_function, false},
		{STORE_NODE, take_node, false},
		{STORE_CALL, take_call, false},
		{STORE_PATH, take_path, false},
		{STORE_EXECUTION, take_execution, false},
		{STORE_REMOVED, take_removed, false},
		{STORE_TALLY, restore_tally, false},
		{STORE_NODE_TIME, restore_node_time, true},
		{STORE_KEPT, restore_kept, true},
	};

	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		uint64_t executions = restoring->collector->n_executions;

		if (tables[i].of_single_calls && !restoring->collector->options->node_times)
			continue;
		if (store_each(store, tables[i].table, tables[i].take, restoring, err))
			return -1;
		read_progress(restoring->worker, executions);
	}
	return 0;
}

static void release(struct restoring *restoring)
{
	for (uint32_t i = 0; i < restoring->campaigns.n; i++)
		free(restoring->campaign_names[i]);
	free(restoring->campaign_names);
	free(restoring->campaigns.of);
	free(restoring->runs.of);
	free(restoring->functions.of);
	free(restoring->nodes.of);
	free(restoring->calls.of);
	free(restoring->paths);
	free(restoring->executions);
	free(restoring->list);
	free(restoring->durations);
}

bool read_evtop_probe(const char *name, const char *bytes, size_t n)
{
	(void)name;
	return store_probe(bytes, n);
}

struct byte_reader {
	const struct worker *worker;
	struct run_bytes *from;
};

/* The file's bytes, for its digest, while its rows are read. */
static void *read_bytes(void *context)
{
	const struct byte_reader *reader = context;
	char *chunk = mem_alloc(CHUNK_BYTES);
	struct error err;

	while (!read_stopped(reader->worker) && run_bytes_next(reader->from, chunk, &err) > 0)
		;
	free(chunk);
	return NULL;
}

static int open_and_restore(struct restoring *restoring, struct run_bytes *from, struct error *err)
{
	const char *path = from->source ? source_path(from->source) : NULL;
	const char *lost = lost_choice(restoring->collector->options);
	struct byte_reader reader = {restoring->worker, from};
	struct store *store;
	pthread_t thread;
	bool reads;
	int status;

	if (!path)
		return error_set(err, "is an .evtop file in an archive, compressed or from a pipe, "
				      "where it cannot be read: unpack it first");
	if (lost)
		return error_set(err,
				 "is an .evtop file, of which %s can choose no longer: use it "
				 "with the traces that the file was made of",
				 lost);
	/* SQLite reads by itself: what is left of the source is there for the digest alone */
	reads = read_options(restoring->worker)->digest && read_jobs(restoring->worker) > 1 &&
		pthread_create(&thread, NULL, read_bytes, &reader) == 0;
	store = store_open(path, read_jobs(restoring->worker), err);
	status = store ? restore(restoring, store, err) : -1;
	if (store)
		store_close(store);
	if (reads)
		pthread_join(thread, NULL);
	return status;
}

void read_evtop(struct worker *worker, struct run_bytes *from, size_t n, struct collected_run *run)
{
	struct collector *others = worker->collector;
	struct restoring restoring = {.worker = worker, .base = *run};
	struct error err = {""};

	(void)n;
	/* of a broken file nothing is used: it is collected apart */
	restoring.collector = worker->collector = collector_new(read_options(worker), 1);
	/* in the order in which they stand in the file, whatever their names */
	restoring.base.file_campaign = collector_keep_text(restoring.collector, run->campaign);
	restoring.base.file_name = collector_keep_text(restoring.collector, run->name);
	if (open_and_restore(&restoring, from, &err)) {
		read_complain(worker, run, err.text);
		collector_free(restoring.collector);
	} else {
		read_input(worker, run->input, &restoring.like);
		read_add_collector(worker, restoring.collector);
	}
	worker->collector = others;
	release(&restoring);
	input_release(&restoring.like);
	free(run->campaign);
	free(run->name);
}
