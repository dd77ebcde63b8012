/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An .evtop file, put back into a collector as if its runs had just been read.
 * Every number of it is checked: a row may refer only to rows before it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evtop-rows.h"
#include "evtop/store.h"
#include "manifest.h"
#include "read.h"

/* Above the largest recordings of ours a hundred times. */
#define ROWS_MAX (1u << 28)

/* Numbers of the file, and what they are in the collector. */
struct numbers {
	uint32_t *of;
	uint32_t n, room;
};

struct restored_path {
	uint32_t call, index; /* in the collector's paths, or cleans */
	uint32_t node;	      /* in the collector's trees, NODE_NONE: not known */
	bool clean, seen;
};

struct restored_execution {
	uint32_t call, sample; /* in the collector; call UINT32_MAX: not chosen */
};

struct restoring {
	struct worker *worker;
	struct collector *collector;
	struct collected_run base; /* input and names of the file */
	struct input like;	   /* what the origins say, for the input */
	struct numbers campaigns, runs, functions, nodes, calls;
	char **campaign_names;
	struct restored_path *paths;
	uint32_t n_paths, paths_room;
	struct restored_execution *executions; /* only where there are parts to come */
	uint32_t n_executions, executions_room;
	uint32_t *list;
	uint32_t list_room;
	uint64_t *durations;
	uint32_t durations_room;
};

static int broken(struct error *err, enum store_table table)
{
	return error_set(err, "is broken: a row of its table %s makes no sense",
			 store_tables[table].name);
}

/* Rows are numbered from 0 without a gap. */
static int add_number(struct numbers *numbers, const struct store_row *row, uint32_t value,
		      enum store_table table, struct error *err)
{
	if (store_get_integer(row, 0) != (int64_t)numbers->n || numbers->n == ROWS_MAX)
		return broken(err, table);
	ARRAY_RESERVE(numbers->of, numbers->n, numbers->room);
	numbers->of[numbers->n++] = value;
	return 0;
}

/* The number in a column, below a limit. */
static int get_number(const struct store_row *row, int column, uint64_t limit, uint64_t *number,
		      enum store_table table, struct error *err)
{
	int64_t value = store_get_integer(row, column);

	*number = 0;
	if (store_is_null(row, column) || value < 0 || (uint64_t)value >= limit)
		return broken(err, table);
	*number = (uint64_t)value;
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

	if (get_number(row, 1, restoring->like.n_origins, &origin, STORE_CAMPAIGN, err) ||
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

	if (get_number(row, 1, restoring->campaigns.n, &campaign, STORE_RUN, err) ||
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

	if (get_number(row, 1, INT64_MAX, &count, STORE_DISCARD, err))
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

/* The next number of a JSON array of integers; false at its end. */
static bool next_number(const char **at, int64_t *number)
{
	char *end;

	while (**at == '[' || **at == ',' || **at == ' ')
		++*at;
	if (**at != '-' && (**at < '0' || **at > '9'))
		return false;
	errno = 0;
	*number = strtoll(*at, &end, 10);
	*at = end;
	return errno == 0;
}

static int take_node(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	uint64_t function;
	const char *children = store_get_text(row, 2);
	uint32_t n = 0, node;
	int64_t child;

	if (get_number(row, 1, restoring->functions.n, &function, STORE_NODE, err))
		return -1;
	while (next_number(&children, &child)) {
		if (child < 0 || child >= restoring->nodes.n)
			return broken(err, STORE_NODE);
		ARRAY_RESERVE(restoring->list, n, restoring->list_room);
		restoring->list[n++] = restoring->nodes.of[child];
	}
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

	if (name == NAME_NONE)
		return error_set(err, "has more or longer names than there is room for");
	if (is_chosen(collector->options, text))
		call = (uint32_t)(collector_find_call(collector, name) - collector->calls);
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

static uint32_t restore_raw(struct restoring *restoring, const struct restored_path *path,
			    uint32_t clean, bool disturbed, const char *digest)
{
	struct collector *collector = restoring->collector;
	bool named = path->node == NODE_NONE;
	uint32_t root = named ? names_intern(collector->names, digest, strlen(digest)) : path->node;
	uint32_t index = pair_table_index(&collector->path_table, 2 * path->call + named, root,
					  collector->n_paths);

	if (index < collector->n_paths)
		return index;
	ARRAY_RESERVE(collector->paths, collector->n_paths, collector->paths_room);
	collector->paths[collector->n_paths++] = (struct collected_path){
		.call = path->call,
		.root = root,
		.from_csv = named,
		.clean = clean,
		.n_calls = named ? 0 : trees_size(collector->trees, root),
		.disturbed = disturbed,
		.id = named ? NULL : mem_copy_text(digest),
	};
	return index;
}

/* clean: the clean path of a raw one. */
static void restore_path(struct restoring *restoring, struct restored_path *path,
			 const struct store_row *row, uint32_t clean, uint64_t seen)
{
	struct collector *collector = restoring->collector;

	if (path->clean) {
		path->index = restore_clean(restoring, path, store_get_text(row, 3));
		collector->cleans[path->index].n_seen += seen;
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
	    get_number(row, 1, restoring->calls.n, &call, STORE_PATH, err) ||
	    (!path.clean && get_number(row, 2, restoring->n_paths, &clean, STORE_PATH, err)) ||
	    (!store_is_null(row, 4) &&
	     get_number(row, 4, restoring->nodes.n, &node, STORE_PATH, err)) ||
	    get_number(row, 6, INT64_MAX, &seen, STORE_PATH, err))
		return broken(err, STORE_PATH);
	path.seen = seen > 0;
	path.call = restoring->calls.of[call];
	if (!store_is_null(row, 4))
		path.node = restoring->nodes.of[node];
	if (!path.clean &&
	    (!restoring->paths[clean].clean || restoring->paths[clean].call != path.call ||
	     (path.seen && !restoring->paths[clean].seen)))
		return broken(err, STORE_PATH);
	if (path.call != UINT32_MAX)
		restore_path(restoring, &path, row, path.clean ? 0 : restoring->paths[clean].index,
			     seen);
	ARRAY_RESERVE(restoring->paths, restoring->n_paths, restoring->paths_room);
	restoring->paths[restoring->n_paths++] = path;
	return 0;
}

/* ---- executions ---- */

static int take_execution(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	struct collector *collector = restoring->collector;
	struct restored_execution execution = {.call = UINT32_MAX};
	uint64_t path, run, duration_ns = 0, flags;
	bool none = store_is_null(row, 4);

	if (store_get_integer(row, 0) != restoring->n_executions ||
	    restoring->n_executions == UINT32_MAX - 1 ||
	    get_number(row, 2, restoring->n_paths, &path, STORE_EXECUTION, err) ||
	    get_number(row, 3, restoring->runs.n, &run, STORE_EXECUTION, err) ||
	    (!none && get_number(row, 4, INT64_MAX, &duration_ns, STORE_EXECUTION, err)) ||
	    get_number(row, 5, 4, &flags, STORE_EXECUTION, err) || restoring->paths[path].clean ||
	    !restoring->paths[path].seen)
		return broken(err, STORE_EXECUTION);
	execution.call = restoring->paths[path].call;
	if (execution.call != UINT32_MAX) {
		struct collected_call *call = &collector->calls[execution.call];
		uint32_t index = restoring->paths[path].index;

		if (call->n == UINT32_MAX)
			return error_set(err, "has more executions than there is room for");
		execution.sample = call->n;
		collector_add_sample(collector, call, index, duration_ns,
				     (uint8_t)(flags | (none ? EXECUTION_NO_DURATION : 0)));
		call->run[execution.sample] = restoring->runs.of[run];
		call->n_disturbed += (flags & EXECUTION_DISTURBED) != 0;
		call->n_own_unknown += (flags & EXECUTION_OWN_UNKNOWN) != 0;
		collector->n_executions++;
	}
	ARRAY_RESERVE(restoring->executions, restoring->n_executions, restoring->executions_room);
	restoring->executions[restoring->n_executions++] = execution;
	return 0;
}

static int take_removed(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	struct collected_call *call;
	struct removed removed;
	uint64_t number, ns[3];

	if (get_number(row, 0, restoring->n_executions, &number, STORE_REMOVED, err))
		return -1;
	for (int i = 0; i < 3; i++)
		if (get_number(row, i + 1, INT64_MAX, &ns[i], STORE_REMOVED, err))
			return -1;
	if (restoring->executions[number].call == UINT32_MAX)
		return 0;
	call = &restoring->collector->calls[restoring->executions[number].call];
	removed = (struct removed){restoring->executions[number].sample, ns[0], ns[1], ns[2]};
	call->removed_ns[REMOVED_INTERRUPT] += ns[0];
	call->removed_ns[REMOVED_PREEMPTED] += ns[1];
	call->removed_ns[REMOVED_OFF_CPU] += ns[2];
	ARRAY_RESERVE(call->removed, call->n_removed, call->removed_room);
	call->removed[call->n_removed++] = removed;
	return 0;
}

/* ---- times of single calls ---- */

/* The clean path that a row is of; NULL with *wrong unset where it was not chosen or has no room.
 */
static struct collected_clean *clean_of(struct restoring *restoring, const struct store_row *row,
					enum store_table table, bool *wrong, struct error *err)
{
	uint64_t path;
	struct collected_clean *clean;

	*wrong = get_number(row, 0, restoring->n_paths, &path, table, err) ||
		 !restoring->paths[path].clean;
	if (*wrong || restoring->paths[path].call == UINT32_MAX)
		return NULL;
	clean = &restoring->collector->cleans[restoring->paths[path].index];
	return clean->times ? clean : NULL;
}

static int take_node_time(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	bool wrong;
	struct collected_clean *clean = clean_of(restoring, row, STORE_NODE_TIME, &wrong, err);
	uint64_t position, value[9];
	struct node_times times;

	if (wrong)
		return broken(err, STORE_NODE_TIME);
	if (!clean)
		return 0;
	if (get_number(row, 1, clean->n_calls, &position, STORE_NODE_TIME, err))
		return -1;
	for (int i = 0; i < 9; i++)
		value[i] = (uint64_t)store_get_integer(row, i + 2);
	times = (struct node_times){
		.n = value[0],
		.sum = value[1],
		.min = value[2],
		.max = value[3],
		.self_sum = value[4],
		.self_min = value[5],
		.self_max = value[6],
		.squares_low = value[7],
		.squares_high = value[8],
	};
	clean->times->nodes[position] = times;
	return 0;
}

/* Durations by call order; false where there are not as many as calls. */
static bool read_durations(struct restoring *restoring, const char *text, uint32_t n_calls)
{
	uint32_t n = 0;
	int64_t number;

	while (next_number(&text, &number) && n < n_calls) {
		ARRAY_RESERVE(restoring->durations, n, restoring->durations_room);
		restoring->durations[n++] = number < 0 ? DURATION_NONE : (uint64_t)number;
	}
	return n == n_calls;
}

static int keep(struct collected_times *times, bool typical, const struct collected_kept *kept,
		struct error *err)
{
	uint32_t *n = typical ? &times->n_typical : &times->n_slowest;

	if (*n == (typical ? KEPT_TYPICAL : KEPT_SLOWEST)) {
		free(kept->node_ns);
		return broken(err, STORE_KEPT);
	}
	(typical ? times->typical : times->slowest)[(*n)++] = *kept;
	return 0;
}

static int take_kept(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	bool wrong, typical = strcmp(store_get_text(row, 1), KEPT_TYPICAL_WORD) == 0;
	struct collected_clean *clean = clean_of(restoring, row, STORE_KEPT, &wrong, err);
	const struct collected_path *path;
	struct collected_kept kept = {0};
	uint64_t execution, raw, rank;

	if (wrong || get_number(row, 2, KEPT_TYPICAL, &rank, STORE_KEPT, err) ||
	    get_number(row, 3, restoring->n_executions, &execution, STORE_KEPT, err) ||
	    get_number(row, 4, restoring->n_paths, &raw, STORE_KEPT, err) ||
	    restoring->paths[raw].clean ||
	    restoring->executions[execution].call != restoring->paths[raw].call)
		return broken(err, STORE_KEPT);
	if (!clean)
		return 0;
	path = &restoring->collector->paths[restoring->paths[raw].index];
	if (path->from_csv || &restoring->collector->cleans[path->clean] != clean ||
	    !read_durations(restoring, store_get_text(row, 5), path->n_calls))
		return broken(err, STORE_KEPT);
	kept.sample = restoring->executions[execution].sample;
	kept.path = restoring->paths[raw].index;
	kept.root = path->root;
	kept.run = restoring->collector->calls[path->call].run[kept.sample];
	kept.index = rank;
	/* they were drawn already: those drawn first go first */
	kept.key = typical ? UINT64_MAX - rank : restoring->durations[0];
	kept.node_ns = mem_alloc(path->n_calls * sizeof *kept.node_ns);
	memcpy(kept.node_ns, restoring->durations, path->n_calls * sizeof *kept.node_ns);
	return keep(clean->times, typical, &kept, err);
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
		{STORE_NODE_TIME, take_node_time, true},
		{STORE_KEPT, take_kept, true},
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

static int open_and_restore(struct restoring *restoring, struct run_bytes *from, struct error *err)
{
	const char *path = from->source ? source_path(from->source) : NULL;
	const char *lost = lost_choice(restoring->collector->options);
	struct store *store;
	int status;

	if (!path)
		return error_set(err, "is an .evtop file in an archive, compressed or from a pipe, "
				      "where it cannot be read: unpack it first");
	if (lost)
		return error_set(err,
				 "is an .evtop file, of which %s can choose no longer: use it "
				 "with the traces that the file was made of",
				 lost);
	store = store_open(path, err);
	if (!store)
		return -1;
	status = restore(restoring, store, err);
	store_close(store);
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
