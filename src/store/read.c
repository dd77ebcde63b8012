/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "internal.h"

/* No text of ours is longer: durations of the longest execution kept. */
#define TEXT_BYTES_MAX (128 << 20)

struct store {
	sqlite3 *database;
};

struct store_row {
	sqlite3_stmt *statement;
};

bool store_probe(const char *bytes, size_t n)
{
	return n >= 16 && memcmp(bytes, "SQLite format 3", 16) == 0;
}

static int broken(struct store *store, struct error *err)
{
	return error_set(err, "is broken: %s", sqlite3_errmsg(store->database));
}

static int read_number(struct store *store, const char *sql, int64_t *number, struct error *err)
{
	sqlite3_stmt *statement = NULL;
	int status = -1;

	if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW) {
		*number = sqlite3_column_int64(statement, 0);
		status = 0;
	} else {
		broken(store, err);
	}
	sqlite3_finalize(statement);
	return status;
}

/* Nothing in a file that somebody sent is trusted to be run. */
static void lock_down(sqlite3 *database)
{
	sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(database, SQLITE_LIMIT_LENGTH, TEXT_BYTES_MAX);
	sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 100000);
	sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_exec(database, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", NULL, NULL,
		     NULL);
}

static int check_version(struct store *store, struct error *err)
{
	int64_t application, version;

	if (read_number(store, "PRAGMA application_id", &application, err) ||
	    read_number(store, "PRAGMA user_version", &version, err))
		return -1;
	if (application != STORE_APPLICATION)
		return error_set(err, "is an SQLite database of another program");
	if (version < 1 || version > STORE_VERSION)
		return error_set(err,
				 "is an .evtop file of version %lld, and this evtop knows those up "
				 "to %d: open it with a newer one, or import the recording again",
				 (long long)version, STORE_VERSION);
	return 0;
}

/* A name as SQLite wants it in a URI. */
static void add_escaped(struct text *uri, const char *file)
{
	for (; *file; file++) {
		if (strchr("?#%", *file))
			text_printf(uri, "%%%02x", (unsigned)(unsigned char)*file);
		else
			text_add(uri, file, 1);
	}
}

struct store *store_open(const char *file, struct error *err)
{
	struct store *store = mem_zero(1, sizeof *store);
	struct text uri = {0};
	int status;

	/* it is never changed in place: no lock, no look at a journal */
	text_puts(&uri, *file == '/' ? "file://" : "file:");
	add_escaped(&uri, file);
	text_puts(&uri, "?immutable=1");
	status =
		sqlite3_open_v2(uri.bytes, &store->database,
				SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	text_release(&uri);
	if (status != SQLITE_OK) {
		broken(store, err);
		store_close(store);
		return NULL;
	}
	lock_down(store->database);
	if (check_version(store, err)) {
		store_close(store);
		return NULL;
	}
	return store;
}

void store_close(struct store *store)
{
	sqlite3_close(store->database);
	free(store);
}

/* "SELECT * FROM name ORDER BY rowid", with as many columns as there should be. */
static sqlite3_stmt *prepare(struct store *store, enum store_table table, struct error *err)
{
	const struct store_table_info *info = &store_tables[table];
	sqlite3_stmt *statement = NULL;
	struct text sql = {0};

	text_printf(&sql, "SELECT * FROM %s ORDER BY rowid", info->name);
	if (sqlite3_prepare_v2(store->database, sql.bytes, -1, &statement, NULL) != SQLITE_OK) {
		broken(store, err);
	} else if (sqlite3_column_count(statement) != info->n_columns) {
		error_set(err, "is broken: its table %s has other columns", info->name);
		sqlite3_finalize(statement);
		statement = NULL;
	}
	text_release(&sql);
	return statement;
}

int store_each(struct store *store, enum store_table table, store_take *take, void *context,
	       struct error *err)
{
	struct store_row row = {prepare(store, table, err)};
	int step = SQLITE_DONE, status = 0;

	if (!row.statement)
		return -1;
	while (status == 0 && (step = sqlite3_step(row.statement)) == SQLITE_ROW)
		status = take(context, &row, err);
	if (status == 0 && step != SQLITE_DONE)
		status = broken(store, err);
	sqlite3_finalize(row.statement);
	return status;
}

bool store_is_null(const struct store_row *row, int column)
{
	return sqlite3_column_type(row->statement, column) == SQLITE_NULL;
}

int64_t store_get_integer(const struct store_row *row, int column)
{
	return sqlite3_column_int64(row->statement, column);
}

double store_get_real(const struct store_row *row, int column)
{
	return sqlite3_column_double(row->statement, column);
}

const char *store_get_text(const struct store_row *row, int column)
{
	const unsigned char *text = sqlite3_column_text(row->statement, column);

	return text ? (const char *)text : "";
}
