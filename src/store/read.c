/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a file that somebody sent: nothing in it is trusted, to be right or to be run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "internal.h"

/* No text of ours is longer: durations of the longest execution kept. */
#define TEXT_BYTES_MAX (128 << 20)

bool store_probe(const char *bytes, size_t n)
{
	return n >= 16 && memcmp(bytes, "SQLite format 3", 16) == 0;
}

int store_broken(struct sqlite3 *database, struct error *err)
{
	return error_set(err, "is broken: %s", sqlite3_errmsg(database));
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
		store_broken(store->database, err);
	}
	sqlite3_finalize(statement);
	return status;
}

static void lock_down(sqlite3 *database)
{
	sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_limit(database, SQLITE_LIMIT_LENGTH, TEXT_BYTES_MAX);
	sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 100000);
	sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
	/* no mapping: a file that somebody cuts off meanwhile is an error, no signal */
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

/* Tables as they were written: no view, no virtual table, nothing that is computed by reading it.
 */
static int check_tables(struct store *store, struct error *err)
{
	struct text sql = {0};
	int64_t n = 0;
	int status = 0;

	for (size_t i = 0; status == 0 && i < N_STORE_TABLES; i++) {
		const char *name = store_tables[i].name;

		text_clear(&sql);
		text_printf(&sql,
			    "SELECT (SELECT count(*) FROM sqlite_master WHERE type = 'table' AND "
			    "name = '%s' AND rootpage > 0) = 1 AND (SELECT count(*) FROM "
			    "pragma_table_xinfo('%s') WHERE hidden = 0 AND lower(name) NOT IN "
			    "('rowid', '_rowid_', 'oid')) = %u AND (SELECT count(*) FROM "
			    "pragma_table_xinfo('%s')) = %u",
			    name, name, store_tables[i].n_columns, name, store_tables[i].n_columns);
		status = read_number(store, sql.bytes, &n, err);
		if (status == 0 && !n)
			status = error_set(err, "is broken: its table %s is missing or another one",
					   name);
	}
	text_release(&sql);
	return status;
}

/* A name as SQLite wants it in a URI. */
static char *uri_of(const char *file)
{
	struct text uri = {0};

	/* it is never changed in place: no lock, no look at a journal */
	text_puts(&uri, *file == '/' ? "file://" : "file:");
	for (; *file; file++) {
		if (strchr("?#%", *file))
			text_printf(&uri, "%%%02x", (unsigned)(unsigned char)*file);
		else
			text_add(&uri, file, 1);
	}
	text_puts(&uri, "?immutable=1");
	return uri.bytes;
}

struct sqlite3 *store_connect(const char *uri, struct error *err)
{
	sqlite3 *database = NULL;

	if (sqlite3_open_v2(uri, &database,
			    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
			    NULL) == SQLITE_OK) {
		lock_down(database);
		return database;
	}
	store_broken(database, err);
	sqlite3_close(database);
	return NULL;
}

struct store *store_open(const char *file, uint32_t n_threads, struct error *err)
{
	struct store *store = mem_zero(1, sizeof *store);
	struct stat status;

	store->uri = uri_of(file);
	store->n_threads = sqlite3_threadsafe() ? n_threads : 1;
	if (stat(file, &status) == 0)
		store->file_bytes = (uint64_t)status.st_size;
	store->database = store_connect(store->uri, err);
	if (store->database && check_version(store, err) == 0 && check_tables(store, err) == 0)
		return store;
	store_close(store);
	return NULL;
}

void store_close(struct store *store)
{
	sqlite3_close(store->database);
	free(store->uri);
	free(store);
}
