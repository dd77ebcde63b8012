/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of single calls, executions kept whole and tallies, out of an .evtop file. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evtop-rows.h"
#include "restore.h"
#include "tally.h"

int restore_broken(struct error *err, enum store_table table)
{
	return error_set(err, "is broken: a row of its table %s makes no sense",
			 store_tables[table].name);
}

int restore_number(const struct store_row *row, int column, uint64_t limit, uint64_t *number,
		   enum store_table table, struct error *err)
{
	int64_t value = store_get_integer(row, column);

	*number = 0;
	if (!store_is_integer(row, column) || value < 0 || (uint64_t)value >= limit)
		return restore_broken(err, table);
	*number = (uint64_t)value;
	return 0;
}

bool restore_next(const char **at, int64_t *number)
{
	const char *begin;
	char *end;

	while (**at == '[' || **at == ',' || **at == ' ')
		++*at;
	if (**at != '-' && (**at < '0' || **at > '9'))
		return false;
	errno = 0;
	begin = *at;
	*number = strtoll(begin, &end, 10);
	*at = end;
	return end > begin && errno == 0;
}

bool restore_ended(const char *at)
{
	return *at == ']' || *at == '\0';
}

bool restore_sample(const struct restoring *restoring, uint32_t call, uint64_t execution,
		    uint32_t *sample)
{
	const struct restored_call *executions = &restoring->executions[call];

	*sample = (uint32_t)(execution - executions->first);
	return execution - executions->first < executions->n;
}

/* ---- times of single calls ---- */

/* The clean path that a row is of; NULL with *wrong unset where it was not chosen or has no room.
 */
static struct collected_clean *clean_of(struct restoring *restoring, const struct store_row *row,
					enum store_table table, bool *wrong, struct error *err)
{
	uint64_t path;
	struct collected_clean *clean;

	*wrong = restore_number(row, 0, restoring->n_paths, &path, table, err) ||
		 !restoring->paths[path].clean;
	if (*wrong || restoring->paths[path].call == UINT32_MAX)
		return NULL;
	clean = &restoring->collector->cleans[restoring->paths[path].index];
	return clean->times ? clean : NULL;
}

int restore_node_time(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	bool wrong;
	struct collected_clean *clean = clean_of(restoring, row, STORE_NODE_TIME, &wrong, err);
	uint64_t position, value[9];
	struct node_times times;

	if (wrong)
		return restore_broken(err, STORE_NODE_TIME);
	if (!clean)
		return 0;
	if (restore_number(row, 1, clean->n_calls, &position, STORE_NODE_TIME, err))
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

	while (n < n_calls && restore_next(&text, &number)) {
		ARRAY_RESERVE(restoring->durations, n, restoring->durations_room);
		restoring->durations[n++] = number < 0 ? DURATION_NONE : (uint64_t)number;
	}
	return n == n_calls && restore_ended(text);
}

static int keep(struct collected_times *times, bool typical, const struct collected_kept *kept,
		struct error *err)
{
	uint32_t *n = typical ? &times->n_typical : &times->n_slowest;

	if (*n == (typical ? KEPT_TYPICAL : KEPT_SLOWEST)) {
		free(kept->node_ns);
		return restore_broken(err, STORE_KEPT);
	}
	(typical ? times->typical : times->slowest)[(*n)++] = *kept;
	return 0;
}

int restore_kept(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	bool wrong, typical = strcmp(store_get_text(row, 1), KEPT_TYPICAL_WORD) == 0;
	struct collected_clean *clean = clean_of(restoring, row, STORE_KEPT, &wrong, err);
	const struct collected_path *path;
	struct collected_kept kept = {0};
	uint64_t execution, raw, rank;

	if (wrong || restore_number(row, 2, KEPT_TYPICAL, &rank, STORE_KEPT, err) ||
	    restore_number(row, 3, restoring->n_executions, &execution, STORE_KEPT, err) ||
	    restore_number(row, 4, restoring->n_paths, &raw, STORE_KEPT, err) ||
	    restoring->paths[raw].clean)
		return restore_broken(err, STORE_KEPT);
	if (!clean)
		return 0;
	if (restoring->paths[raw].call != clean->call / 2 ||
	    !restore_sample(restoring, clean->call / 2, execution, &kept.sample))
		return restore_broken(err, STORE_KEPT);
	path = &restoring->collector->paths[restoring->paths[raw].index];
	if (path->from_csv || &restoring->collector->cleans[path->clean] != clean ||
	    !read_durations(restoring, store_get_text(row, 5), path->n_calls))
		return restore_broken(err, STORE_KEPT);
	kept.path = restoring->paths[raw].index;
	kept.root = path->root;
	kept.index = rank;
	/* they were drawn already: those drawn first go first */
	kept.key = typical ? UINT64_MAX - rank : restoring->durations[0];
	kept.node_ns = mem_alloc(path->n_calls * sizeof *kept.node_ns);
	memcpy(kept.node_ns, restoring->durations, path->n_calls * sizeof *kept.node_ns);
	return keep(clean->times, typical, &kept, err);
}

/* ---- figures of what was not kept ---- */

/* Where the tallies of a row's call or path belong; NULL where it was not chosen. */
static struct growing_tallies **tallies_of(struct restoring *restoring, const struct store_row *row,
					   struct error *err)
{
	struct collector *collector = restoring->collector;
	const struct restored_path *path;
	uint64_t number;

	if (store_is_null(row, 1)) {
		if (restore_number(row, 0, restoring->calls.n, &number, STORE_TALLY, err) ||
		    restoring->calls.of[number] == UINT32_MAX)
			return NULL;
		return &collector->calls[restoring->calls.of[number]].tallies;
	}
	if (restore_number(row, 1, restoring->n_paths, &number, STORE_TALLY, err))
		return NULL;
	path = &restoring->paths[number];
	if (path->call == UINT32_MAX)
		return NULL;
	return path->clean ? &collector->cleans[path->index].tallies
			   : &collector->paths[path->index].tallies;
}

static int take_maxima(struct growing_tally *tally, const char *list, struct error *err)
{
	int64_t number;

	tally->sum.n_maxima = 0;
	while (tally->sum.n_maxima < TALLY_MAXIMA_MAX && restore_next(&list, &number)) {
		ARRAY_RESERVE(tally->sum.maxima_ns, tally->sum.n_maxima, tally->room);
		tally->sum.maxima_ns[tally->sum.n_maxima++] = number < 0 ? 0 : (uint64_t)number;
	}
	return restore_ended(list) ? 0 : restore_broken(err, STORE_TALLY);
}

int restore_tally(void *context, const struct store_row *row, struct error *err)
{
	struct restoring *restoring = context;
	uint64_t figure[3], block_size;
	struct growing_tallies **tallies;
	struct growing_tally *tally;
	int stratum = STRATUM_ALL, kind = TIME_OWN;

	while (stratum >= 0 &&
	       strcmp(store_get_text(row, 2), stratum_word((enum stratum)stratum)) != 0)
		stratum--;
	while (kind >= 0 && strcmp(store_get_text(row, 3), time_word((enum time_kind)kind)) != 0)
		kind--;
	for (int i = 0; i < 3; i++)
		if (restore_number(row, 4 + i, INT64_MAX, &figure[i], STORE_TALLY, err))
			return -1;
	if (stratum < 0 || kind < 0 || store_is_null(row, 0) || !isfinite(store_get_real(row, 7)) ||
	    restore_number(row, 8, UINT32_MAX, &block_size, STORE_TALLY, err) || block_size == 0)
		return restore_broken(err, STORE_TALLY);
	err->text[0] = '\0';
	tallies = tallies_of(restoring, row, err);
	if (!tallies)
		return err->text[0] ? -1 : 0;
	if (!*tallies)
		*tallies = mem_zero(1, sizeof **tallies);
	tally = &(*tallies)->of[stratum][kind];
	tally->sum.n = figure[0];
	tally->sum.min_ns = figure[1];
	tally->sum.max_ns = figure[2];
	tally->sum.sum_ns = store_get_real(row, 7);
	tally->sum.block_size = (uint32_t)block_size;
	return take_maxima(tally, store_get_text(row, 9), err);
}
