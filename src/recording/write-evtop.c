/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as the rows of an .evtop file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "evtop-rows.h"
#include "evtop/path.h"
#include "evtop/recording.h"
#include "evtop/store.h"

/* What is being written: calls, paths and executions are numbered through all calls. */
struct writing {
	const struct recording *recording;
	struct store_writer *writer;
	uint32_t call;
	uint64_t first_path[2]; /* of the call, by identity */
	uint64_t first_execution;
	struct text list;
};

static void write_about(struct writing *writing, const char *options)
{
	char date[32];
	time_t now = time(NULL);
	struct tm utc;

	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	const char *const rows[][2] = {
		{ABOUT_EVTOP, PACKAGE_VERSION},
		{ABOUT_DATE, date},
		{ABOUT_OPTIONS, options},
		{ABOUT_DURATIONS, writing->recording->has_durations ? "1" : "0"},
		{ABOUT_STOPPED, writing->recording->stopped ? "1" : "0"},
		{ABOUT_LIVE, writing->recording->live ? "1" : "0"},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		store_put(writing->writer, STORE_ABOUT,
			  (struct store_value[]){store_text(rows[i][0]), store_text(rows[i][1])});
}

static void write_origin(struct writing *writing, uint32_t id, const struct origin *origin,
			 const struct input *input)
{
	unsigned differs = (input->kernel_differs ? DIFFERS_KERNEL : 0) |
			   (input->machine_differs ? DIFFERS_MACHINE : 0) |
			   (input->scope_differs ? DIFFERS_SCOPE : 0);

	store_put(writing->writer, STORE_ORIGIN,
		  (struct store_value[]){
			  store_integer(id),
			  store_text(origin->name),
			  store_text(*origin->sha256 ? origin->sha256 : NULL),
			  store_text(origin->format),
			  store_text(input->kernel),
			  store_text(input->scope),
			  store_text(emulation_word(input->emulated)),
			  store_integer(differs),
			  store_text(input->error),
		  });
}

/* What an input was itself made of stands in its place. Returns the first origin of each input. */
static uint32_t *write_origins(struct writing *writing)
{
	const struct recording *recording = writing->recording;
	uint32_t *first = mem_alloc(recording->n_inputs * sizeof *first), id = 0;

	for (uint32_t i = 0; i < recording->n_inputs; i++) {
		const struct input *input = &recording->inputs[i];
		struct origin itself = {.name = input->name, .format = (char *)input->format};

		first[i] = id;
		snprintf(itself.sha256, sizeof itself.sha256, "%s", input->sha256);
		for (uint32_t j = 0; j < input->n_origins; j++)
			write_origin(writing, id++, &input->origins[j], input);
		if (!input->n_origins)
			write_origin(writing, id++, &itself, input);
	}
	return first;
}

static void write_runs(struct writing *writing, const uint32_t *origin_of_input)
{
	const struct recording *recording = writing->recording;

	for (uint32_t i = 0; i < recording->n_campaigns; i++)
		store_put(writing->writer, STORE_CAMPAIGN,
			  (struct store_value[]){
				  store_integer(i),
				  store_integer(origin_of_input[recording->campaigns[i].input]),
				  store_text(recording->campaigns[i].name),
			  });
	for (uint32_t i = 0; i < recording->n_runs; i++)
		store_put(writing->writer, STORE_RUN,
			  (struct store_value[]){
				  store_integer(i),
				  store_integer(recording->runs[i].campaign),
				  store_text(recording->runs[i].name),
			  });
}

static void write_losses(struct writing *writing)
{
	const struct recording *recording = writing->recording;

	for (size_t i = 0; i < n_discard_rows; i++)
		store_put(writing->writer, STORE_DISCARD,
			  (struct store_value[]){
				  store_text(discard_rows[i].reason),
				  store_integer(*discard_row_of(
					  (struct discards *)&recording->discards, i)),
			  });
	for (uint32_t i = 0; i < recording->n_complaints; i++)
		store_put(writing->writer, STORE_COMPLAINT,
			  (struct store_value[]){
				  store_integer(i),
				  store_text(recording->complaints[i].file),
				  store_text(recording->complaints[i].reason),
			  });
	for (uint32_t i = 0; i < recording->n_unread; i++)
		store_put(
			writing->writer, STORE_UNREAD,
			(struct store_value[]){store_integer(i), store_text(recording->unread[i])});
}

/* ---- trees ---- */

static void list_begin(struct text *list)
{
	text_clear(list);
	text_add(list, "[", 1);
}

static void list_add(struct text *list, int64_t number)
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%s%" PRId64, list->n > 1 ? "," : "", number);

	text_add(list, digits, (size_t)n);
}

static const char *list_end(struct text *list)
{
	text_add(list, "]", 1);
	return list->bytes;
}

static void write_trees(struct writing *writing)
{
	const struct trees *trees = writing->recording->trees;
	const struct names *names = writing->recording->names;

	for (uint32_t i = 0; i < names_count(names); i++)
		store_put(
			writing->writer, STORE_FUNCTION,
			(struct store_value[]){store_integer(i), store_text(names_text(names, i))});
	for (uint32_t i = 0; i < trees_count(trees); i++) {
		uint32_t n;
		const uint32_t *children = trees_children(trees, i, &n);

		list_begin(&writing->list);
		for (uint32_t j = 0; j < n; j++)
			list_add(&writing->list, children[j]);
		list_end(&writing->list);
		store_put(writing->writer, STORE_NODE,
			  (struct store_value[]){
				  store_integer(i),
				  store_integer(trees_function(trees, i)),
				  n ? store_text(writing->list.bytes) : STORE_NOTHING,
			  });
	}
}

/* ---- calls ---- */

static uint64_t path_number(const struct writing *writing, enum identity identity, uint32_t path)
{
	return writing->first_path[identity] + path;
}

static void write_paths(struct writing *writing, const struct call *call, enum identity identity)
{
	for (uint32_t i = 0; i < call->n_paths[identity]; i++) {
		const struct path *path = &call->paths[identity][i];
		bool disturbed = identity == IDENTITY_RAW && path->n_disturbed_seen > 0;

		store_put(
			writing->writer, STORE_PATH,
			(struct store_value[]){
				store_integer(path_number(writing, identity, i)),
				store_integer(writing->call),
				identity == IDENTITY_RAW
					? store_integer(
						  path_number(writing, IDENTITY_CLEAN, path->clean))
					: STORE_NOTHING,
				store_text(path->id),
				path->root == NODE_NONE ? STORE_NOTHING : store_integer(path->root),
				store_integer(disturbed),
				store_integer(path->n_seen),
				store_integer(path->n_disturbed_seen),
				store_integer(path->thinning),
			});
	}
}

static void write_executions(struct writing *writing, const struct call *call)
{
	for (uint32_t i = 0; i < call->n_executions; i++) {
		bool none = call->flags[i] & EXECUTION_NO_DURATION;

		store_put(writing->writer, STORE_EXECUTION,
			  (struct store_value[]){
				  store_integer(writing->first_execution + i),
				  store_integer(path_number(writing, IDENTITY_RAW, call->raw[i])),
				  store_integer(call->run[i]),
				  none ? STORE_NOTHING : store_integer(call->duration_ns[i]),
				  store_integer(call->flags[i] & ~EXECUTION_NO_DURATION),
			  });
	}
	for (uint32_t i = 0; i < call->n_removed; i++) {
		const struct removed *removed = &call->removed[i];

		store_put(writing->writer, STORE_REMOVED,
			  (struct store_value[]){
				  store_integer(writing->first_execution + removed->execution),
				  store_integer(removed->interrupt_ns),
				  store_integer(removed->preempted_ns),
				  store_integer(removed->off_cpu_ns),
			  });
	}
}

/* ---- times of single calls ---- */

static void write_node_times(struct writing *writing, uint64_t path, const struct path_times *times,
			     uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct node_times *node = &times->nodes[i];

		store_put(writing->writer, STORE_NODE_TIME,
			  (struct store_value[]){
				  store_integer(path),
				  store_integer(i),
				  store_integer(node->n),
				  store_integer(node->sum),
				  store_integer(node->min),
				  store_integer(node->max),
				  store_integer(node->self_sum),
				  store_integer(node->self_min),
				  store_integer(node->self_max),
				  store_integer(node->squares_low),
				  store_integer(node->squares_high),
			  });
	}
}

static void write_kept(struct writing *writing, const struct call *call, uint32_t path,
		       const char *kind, const struct kept_execution *kept, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_calls = trees_size(writing->recording->trees, kept[i].raw_root);

		list_begin(&writing->list);
		for (uint32_t j = 0; j < n_calls; j++)
			list_add(&writing->list, kept[i].node_ns[j] == DURATION_NONE
							 ? -1
							 : (int64_t)kept[i].node_ns[j]);
		store_put(writing->writer, STORE_KEPT,
			  (struct store_value[]){
				  store_integer(path_number(writing, IDENTITY_CLEAN, path)),
				  store_text(kind),
				  store_integer(i),
				  store_integer(writing->first_execution + kept[i].execution),
				  store_integer(path_number(writing, IDENTITY_RAW,
							    call->raw[kept[i].execution])),
				  store_text(list_end(&writing->list)),
			  });
	}
}

static void write_times(struct writing *writing, const struct call *call)
{
	for (uint32_t i = 0; i < call->n_paths[IDENTITY_CLEAN]; i++) {
		const struct path *path = &call->paths[IDENTITY_CLEAN][i];

		if (!path->times)
			continue;
		write_node_times(writing, path_number(writing, IDENTITY_CLEAN, i), path->times,
				 trees_size(writing->recording->trees, path->root));
		write_kept(writing, call, i, KEPT_SLOWEST_WORD, path->times->slowest,
			   path->times->n_slowest);
		write_kept(writing, call, i, KEPT_TYPICAL_WORD, path->times->typical,
			   path->times->n_typical);
	}
}

static void write_tallies(struct writing *writing, const struct tallies *tallies,
			  struct store_value path)
{
	for (int stratum = 0; tallies && stratum < 3; stratum++)
		for (int kind = 0; kind < 2; kind++) {
			const struct tally *tally = &tallies->of[stratum][kind];

			if (!tally->n)
				continue;
			list_begin(&writing->list);
			for (uint32_t i = 0; i < tally->n_maxima; i++)
				list_add(&writing->list, (int64_t)tally->maxima_ns[i]);
			store_put(writing->writer, STORE_TALLY,
				  (struct store_value[]){
					  store_integer(writing->call),
					  path,
					  store_text(stratum_word((enum stratum)stratum)),
					  store_text(time_word((enum time_kind)kind)),
					  store_integer(tally->n),
					  store_integer(tally->min_ns),
					  store_integer(tally->max_ns),
					  store_real(tally->sum_ns),
					  store_integer(tally->block_size),
					  store_text(list_end(&writing->list)),
				  });
		}
}

static void write_call_tallies(struct writing *writing, const struct call *call)
{
	write_tallies(writing, call->tallies, STORE_NOTHING);
	for (enum identity i = IDENTITY_CLEAN; i <= IDENTITY_RAW; i++)
		for (uint32_t p = 0; p < call->n_paths[i]; p++)
			write_tallies(writing, call->paths[i][p].tallies,
				      store_integer(path_number(writing, i, p)));
}

static void write_call_row(struct writing *writing, const struct call *call)
{
	store_put(writing->writer, STORE_CALL,
		  (struct store_value[]){
			  store_integer(writing->call), store_text(call->name),
			  store_integer(call->n_seen), store_integer(call->n_disturbed_seen),
			  store_integer(call->n_own_unknown), store_integer(call->interrupt_ns),
			  store_integer(call->preempted_ns), store_integer(call->off_cpu_ns)});
	write_paths(writing, call, IDENTITY_CLEAN);
	write_paths(writing, call, IDENTITY_RAW);
}

typedef void write_part(struct writing *writing, const struct call *call);

/* Of all calls one after the other: tables are read whole, one after the other. */
static void write_calls(struct writing *writing, write_part *part)
{
	writing->first_path[IDENTITY_CLEAN] = writing->first_execution = 0;
	for (uint32_t c = 0; c < writing->recording->n_calls; c++) {
		const struct call *call = &writing->recording->calls[c];

		writing->call = c;
		writing->first_path[IDENTITY_RAW] =
			writing->first_path[IDENTITY_CLEAN] + call->n_paths[IDENTITY_CLEAN];
		part(writing, call);
		writing->first_path[IDENTITY_CLEAN] =
			writing->first_path[IDENTITY_RAW] + call->n_paths[IDENTITY_RAW];
		writing->first_execution += call->n_executions;
	}
}

int recording_write_evtop(const struct recording *recording, const char *options, const char *file,
			  struct error *err)
{
	struct writing writing = {.recording = recording, .writer = store_create(file, err)};
	uint32_t *origin_of_input;

	if (!writing.writer)
		return -1;
	write_about(&writing, options);
	origin_of_input = write_origins(&writing);
	write_runs(&writing, origin_of_input);
	write_losses(&writing);
	write_trees(&writing);
	write_calls(&writing, write_call_row);
	write_calls(&writing, write_executions);
	write_calls(&writing, write_times);
	write_calls(&writing, write_call_tallies);
	free(origin_of_input);
	text_release(&writing.list);
	return store_commit(writing.writer, err);
}
