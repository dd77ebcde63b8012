/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All rows of a table, in order. Stepping through millions of them is what
 * opening a large file costs, so several threads unpack chunks of rows, each
 * over a connection of its own, while the caller takes those that are ready.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "internal.h"

#define CHUNK_ROWS 8192
#define THREADS_MAX 16

/* Rows whose rowid is in [first, first + CHUNK_ROWS), unpacked. */
struct chunk {
	uint64_t number; /* of the chunk that it holds, + 1; 0: none */
	uint32_t n_rows;
	int64_t *value; /* by row and column; reals as their bits, texts as offsets */
	uint8_t *kind;
	struct text texts;
	struct error err;
	bool failed;
};

struct store_row {
	const struct chunk *chunk;
	const int64_t *value;
	const uint8_t *kind;
};

struct scan {
	struct store *store;
	const struct store_table_info *table;
	uint64_t n_chunks;
	struct chunk *ring;
	uint32_t ring_n;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock: */
	uint64_t next, taken; /* chunks that are being unpacked, and that are done with */
	bool stop;
};

static sqlite3_stmt *prepare(const struct scan *scan, sqlite3 *database, struct error *err)
{
	sqlite3_stmt *statement = NULL;
	struct text sql = {0};

	/* in most tables the first column is the rowid */
	text_printf(
		&sql,
		"SELECT %s* FROM %s NOT INDEXED WHERE rowid >= ?1 AND rowid < ?2 ORDER BY rowid",
		scan->table->is_numbered ? "" : "rowid, ", scan->table->name);
	if (sqlite3_prepare_v2(database, sql.bytes, -1, &statement, NULL) != SQLITE_OK)
		store_broken(database, err);
	text_release(&sql);
	return statement;
}

/*
 * Texts of a file take room in it. One that is cut so that all rows share the
 * bytes of one would have no end.
 */
static int take_text(const struct scan *scan, struct chunk *chunk, sqlite3_stmt *statement,
		     int column, int64_t *value)
{
	struct store *store = scan->store;
	const char *text = (const char *)sqlite3_column_text(statement, column);
	size_t n = (size_t)sqlite3_column_bytes(statement, column);

	if (atomic_fetch_add(&store->text_bytes, n) > 2 * store->file_bytes)
		return error_set(&chunk->err, "is broken: more text than fits in it");
	*value = (int64_t)chunk->texts.n;
	text_add(&chunk->texts, text ? text : "", text ? n : 0);
	text_add(&chunk->texts, "", 1);
	return 0;
}

static int take_row(const struct scan *scan, struct chunk *chunk, sqlite3_stmt *statement)
{
	unsigned n_columns = scan->table->n_columns, first = !scan->table->is_numbered;
	int64_t *value = chunk->value + (size_t)chunk->n_rows * n_columns;
	uint8_t *kind = chunk->kind + (size_t)chunk->n_rows * n_columns;

	for (unsigned i = 0; i < n_columns; i++) {
		sqlite3_value *from = sqlite3_column_value(statement, (int)(i + first));
		double real;

		value[i] = 0;
		switch (sqlite3_value_type(from)) {
		case SQLITE_NULL:
			kind[i] = STORE_NULL;
			break;
		case SQLITE_INTEGER:
			kind[i] = STORE_INTEGER;
			value[i] = sqlite3_value_int64(from);
			break;
		case SQLITE_FLOAT:
			kind[i] = STORE_REAL;
			real = sqlite3_value_double(from);
			memcpy(&value[i], &real, sizeof real);
			break;
		default:
			kind[i] = STORE_TEXT;
			if (take_text(scan, chunk, statement, (int)(i + first), &value[i]))
				return -1;
		}
	}
	chunk->n_rows++;
	return 0;
}

/* Rowids only ascend: a tree of pages that refers to itself gives no row twice. */
static int unpack(const struct scan *scan, struct chunk *chunk, sqlite3_stmt *statement,
		  uint64_t number)
{
	int64_t first = (int64_t)(number * CHUNK_ROWS), last = first - 1;
	int step;

	chunk->n_rows = 0;
	text_clear(&chunk->texts);
	sqlite3_bind_int64(statement, 1, first);
	sqlite3_bind_int64(statement, 2, first + CHUNK_ROWS);
	while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
		int64_t rowid = sqlite3_column_int64(statement, 0);

		if (rowid <= last || rowid >= first + CHUNK_ROWS)
			return error_set(&chunk->err,
					 "is broken: rows of its table %s are mixed up",
					 scan->table->name);
		last = rowid;
		if (take_row(scan, chunk, statement))
			return -1;
	}
	if (step != SQLITE_DONE)
		return store_broken(sqlite3_db_handle(statement), &chunk->err);
	sqlite3_reset(statement);
	return 0;
}

/* ---- several threads ---- */

/* The next chunk to be unpacked, once there is room for it; NULL: none, or no more wanted. */
static struct chunk *begin_chunk(struct scan *scan, uint64_t *number)
{
	struct chunk *chunk = NULL;

	pthread_mutex_lock(&scan->lock);
	while (!scan->stop && scan->next < scan->n_chunks &&
	       scan->next >= scan->taken + scan->ring_n)
		pthread_cond_wait(&scan->changed, &scan->lock);
	if (!scan->stop && scan->next < scan->n_chunks) {
		*number = scan->next++;
		chunk = &scan->ring[*number % scan->ring_n];
	}
	pthread_mutex_unlock(&scan->lock);
	return chunk;
}

static void end_chunk(struct scan *scan, struct chunk *chunk, uint64_t number)
{
	pthread_mutex_lock(&scan->lock);
	chunk->number = number + 1;
	pthread_cond_broadcast(&scan->changed);
	pthread_mutex_unlock(&scan->lock);
}

static void *unpack_chunks(void *context)
{
	struct scan *scan = context;
	struct error err = {""};
	sqlite3 *database = store_connect(scan->store->uri, &err);
	sqlite3_stmt *statement = database ? prepare(scan, database, &err) : NULL;
	struct chunk *chunk;
	uint64_t number;

	while ((chunk = begin_chunk(scan, &number))) {
		chunk->err = err;
		chunk->failed = !statement || unpack(scan, chunk, statement, number) != 0;
		end_chunk(scan, chunk, number);
	}
	sqlite3_finalize(statement);
	sqlite3_close(database);
	return NULL;
}

static int take_chunk(struct scan *scan, const struct chunk *chunk, store_take *take, void *context,
		      struct error *err)
{
	struct store_row row = {chunk, chunk->value, chunk->kind};
	int status = 0;

	if (chunk->failed) {
		*err = chunk->err;
		return -1;
	}
	for (uint32_t i = 0; status == 0 && i < chunk->n_rows; i++) {
		status = take(context, &row, err);
		row.value += scan->table->n_columns;
		row.kind += scan->table->n_columns;
	}
	return status;
}

static int take_chunks(struct scan *scan, store_take *take, void *context, struct error *err)
{
	int status = 0;

	for (uint64_t i = 0; status == 0 && i < scan->n_chunks; i++) {
		struct chunk *chunk = &scan->ring[i % scan->ring_n];

		pthread_mutex_lock(&scan->lock);
		while (chunk->number != i + 1)
			pthread_cond_wait(&scan->changed, &scan->lock);
		pthread_mutex_unlock(&scan->lock);
		status = take_chunk(scan, chunk, take, context, err);
		pthread_mutex_lock(&scan->lock);
		scan->taken++;
		pthread_cond_broadcast(&scan->changed);
		pthread_mutex_unlock(&scan->lock);
	}
	return status;
}

/* False where no thread could be begun: nothing was read then. */
static bool scan_with_threads(struct scan *scan, store_take *take, void *context, int *status,
			      struct error *err)
{
	pthread_t threads[THREADS_MAX];
	uint32_t most = scan->store->n_threads, n = 0;

	most = most < THREADS_MAX ? most : THREADS_MAX;
	while (n < most && pthread_create(&threads[n], NULL, unpack_chunks, scan) == 0)
		n++;
	if (n == 0)
		return false;
	*status = take_chunks(scan, take, context, err);
	pthread_mutex_lock(&scan->lock);
	scan->stop = true;
	pthread_cond_broadcast(&scan->changed);
	pthread_mutex_unlock(&scan->lock);
	while (n)
		pthread_join(threads[--n], NULL);
	return true;
}

static int scan_alone(struct scan *scan, store_take *take, void *context, struct error *err)
{
	sqlite3_stmt *statement = prepare(scan, scan->store->database, err);
	struct chunk *chunk = &scan->ring[0];
	int status = statement ? 0 : -1;

	for (uint64_t i = 0; status == 0 && i < scan->n_chunks; i++) {
		chunk->failed = unpack(scan, chunk, statement, i) != 0;
		status = take_chunk(scan, chunk, take, context, err);
	}
	sqlite3_finalize(statement);
	return status;
}

/* ---- all of it ---- */

/* How many chunks there are; rows take room, so that a small file has no large rowids. */
static int count_chunks(struct scan *scan, struct error *err)
{
	struct text sql = {0};
	sqlite3_stmt *statement = NULL;
	int64_t least, greatest;
	int status = -1;

	text_printf(&sql,
		    "SELECT coalesce((SELECT min(rowid) FROM %s NOT INDEXED), 0), "
		    "coalesce((SELECT max(rowid) FROM %s NOT INDEXED), -1)",
		    scan->table->name, scan->table->name);
	if (sqlite3_prepare_v2(scan->store->database, sql.bytes, -1, &statement, NULL) !=
		    SQLITE_OK ||
	    sqlite3_step(statement) != SQLITE_ROW) {
		store_broken(scan->store->database, err);
	} else {
		least = sqlite3_column_int64(statement, 0);
		greatest = sqlite3_column_int64(statement, 1);
		status = least < 0 || greatest >= (int64_t)scan->store->file_bytes
				 ? error_set(err, "is broken: rows of its table %s are mixed up",
					     scan->table->name)
				 : 0;
		scan->n_chunks = (uint64_t)(greatest + CHUNK_ROWS) / CHUNK_ROWS;
	}
	sqlite3_finalize(statement);
	text_release(&sql);
	return status;
}

static void make_ring(struct scan *scan)
{
	size_t n_cells = (size_t)CHUNK_ROWS * scan->table->n_columns;

	scan->ring = mem_zero(scan->ring_n, sizeof *scan->ring);
	for (uint32_t i = 0; i < scan->ring_n; i++) {
		scan->ring[i].value = mem_alloc(n_cells * sizeof *scan->ring[i].value);
		scan->ring[i].kind = mem_alloc(n_cells);
	}
}

static void free_ring(struct scan *scan)
{
	for (uint32_t i = 0; i < scan->ring_n; i++) {
		free(scan->ring[i].value);
		free(scan->ring[i].kind);
		text_release(&scan->ring[i].texts);
	}
	free(scan->ring);
}

int store_each(struct store *store, enum store_table table, store_take *take, void *context,
	       struct error *err)
{
	struct scan scan = {.store = store, .table = &store_tables[table]};
	int status = count_chunks(&scan, err);
	bool threads = scan.n_chunks > 1 && store->n_threads > 1;

	if (status || !scan.n_chunks)
		return status;
	scan.ring_n = threads ? 2 * store->n_threads : 1;
	make_ring(&scan);
	pthread_mutex_init(&scan.lock, NULL);
	pthread_cond_init(&scan.changed, NULL);
	if (!threads || !scan_with_threads(&scan, take, context, &status, err))
		status = scan_alone(&scan, take, context, err);
	pthread_cond_destroy(&scan.changed);
	pthread_mutex_destroy(&scan.lock);
	free_ring(&scan);
	return status;
}

bool store_is_null(const struct store_row *row, int column)
{
	return row->kind[column] == STORE_NULL;
}

bool store_is_integer(const struct store_row *row, int column)
{
	return row->kind[column] == STORE_INTEGER;
}

int64_t store_get_integer(const struct store_row *row, int column)
{
	return row->kind[column] == STORE_INTEGER ? row->value[column] : 0;
}

double store_get_real(const struct store_row *row, int column)
{
	double real = 0;

	if (row->kind[column] == STORE_REAL)
		memcpy(&real, &row->value[column], sizeof real);
	return real;
}

const char *store_get_text(const struct store_row *row, int column)
{
	return row->kind[column] == STORE_TEXT ? row->chunk->texts.bytes + row->value[column] : "";
}
