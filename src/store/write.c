/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "internal.h"

struct store_writer {
	sqlite3 *database;
	sqlite3_stmt *insert[N_STORE_TABLES];
	char *file, *temporary;
	struct error err; /* the first */
	bool failed;
};

static void fail(struct store_writer *writer, const char *what)
{
	if (!writer->failed)
		error_set(&writer->err, "cannot write '%s': %s", writer->file, what);
	writer->failed = true;
}

static void run(struct store_writer *writer, const char *sql)
{
	if (!writer->failed && sqlite3_exec(writer->database, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail(writer, sqlite3_errmsg(writer->database));
}

/* "INSERT INTO name VALUES (?, ?)" */
static void prepare(struct store_writer *writer, enum store_table table)
{
	struct text sql = {0};

	text_printf(&sql, "INSERT INTO %s VALUES (?", store_tables[table].name);
	for (int i = 1; i < store_tables[table].n_columns; i++)
		text_puts(&sql, ", ?");
	text_puts(&sql, ")");
	if (!writer->failed && sqlite3_prepare_v2(writer->database, sql.bytes, -1,
						  &writer->insert[table], NULL) != SQLITE_OK)
		fail(writer, sqlite3_errmsg(writer->database));
	text_release(&sql);
}

static void make_tables(struct store_writer *writer)
{
	struct text sql = {0};

	for (size_t i = 0; i < N_STORE_TABLES; i++) {
		text_clear(&sql);
		text_printf(&sql, "CREATE TABLE %s ( -- %s%s\n)", store_tables[i].name,
			    store_tables[i].help, store_tables[i].definition);
		run(writer, sql.bytes);
	}
	for (size_t i = 0; i < n_store_views; i++)
		run(writer, store_views[i]);
	text_clear(&sql);
	text_printf(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d", STORE_APPLICATION,
		    STORE_VERSION);
	run(writer, sql.bytes);
	text_release(&sql);
	for (size_t i = 0; i < N_STORE_TABLES; i++)
		prepare(writer, (enum store_table)i);
}

/*
 * What stands in the file's place is lost when it gets its name: only nothing, or
 * an .evtop file, may stand there. Not a device, a link, or somebody's trace.
 */
static int check_place(const char *file, struct error *err)
{
	struct stat status;
	char head[72] = "";
	const unsigned char *id = (const unsigned char *)head + 68;
	ssize_t n;
	int fd;

	if (lstat(file, &status) != 0)
		return errno == ENOENT
			       ? 0
			       : error_set(err, "cannot write '%s': %s", file, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return error_set(err, "cannot write '%s': it is there, and no ordinary file", file);
	fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	n = fd < 0 ? -1 : read(fd, head, sizeof head);
	if (fd >= 0)
		close(fd);
	if (n == 0)
		return 0; /* empty: nothing is lost */
	/* the application's number, as SQLite's file format has it */
	if (n == (ssize_t)sizeof head && store_probe(head, (size_t)n) &&
	    ((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3]) ==
		    STORE_APPLICATION)
		return 0;
	return error_set(err, "cannot write '%s': it is there, and not an .evtop file", file);
}

/* A file of our own beside the one to be, so that renaming it is one step. */
static int make_temporary(struct store_writer *writer, struct error *err)
{
	struct text name = {0};
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	text_printf(&name, "%s.XXXXXX.tmp", writer->file);
	fd = mkostemps(name.bytes, 4, O_CLOEXEC);
	writer->temporary = name.bytes;
	if (fd < 0)
		return error_set(err, "cannot write '%s': %s", writer->file, strerror(errno));
	fchmod(fd, 0666 & ~mask);
	close(fd);
	return 0;
}

static void free_writer(struct store_writer *writer)
{
	for (size_t i = 0; i < N_STORE_TABLES; i++)
		sqlite3_finalize(writer->insert[i]);
	sqlite3_close(writer->database);
	free(writer->temporary);
	free(writer->file);
	free(writer);
}

struct store_writer *store_create(const char *file, struct error *err)
{
	struct store_writer *writer = mem_zero(1, sizeof *writer);

	writer->file = mem_copy_text(file);
	if (check_place(file, err) || make_temporary(writer, err)) {
		free_writer(writer);
		return NULL;
	}
	if (sqlite3_open_v2(writer->temporary, &writer->database, SQLITE_OPEN_READWRITE, NULL) !=
	    SQLITE_OK)
		fail(writer, sqlite3_errmsg(writer->database));
	/* nobody sees the file before it is whole: no journal, one flush at the end */
	run(writer, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
		    "PRAGMA locking_mode = EXCLUSIVE; BEGIN");
	make_tables(writer);
	if (!writer->failed)
		return writer;
	*err = writer->err;
	store_abandon(writer);
	return NULL;
}

void store_put(struct store_writer *writer, enum store_table table,
	       const struct store_value *values)
{
	sqlite3_stmt *insert = writer->insert[table];

	for (int i = 0; !writer->failed && i < store_tables[table].n_columns; i++) {
		switch (values[i].kind) {
		case STORE_NULL:
			sqlite3_bind_null(insert, i + 1);
			break;
		case STORE_INTEGER:
			sqlite3_bind_int64(insert, i + 1, values[i].integer);
			break;
		case STORE_REAL:
			sqlite3_bind_double(insert, i + 1, values[i].real);
			break;
		case STORE_TEXT:
			sqlite3_bind_text(insert, i + 1, values[i].text, -1, SQLITE_STATIC);
			break;
		}
	}
	if (!writer->failed && sqlite3_step(insert) != SQLITE_DONE)
		fail(writer, sqlite3_errmsg(writer->database));
	if (insert)
		sqlite3_reset(insert);
}

/* On the disk before it gets its name, and the name too. */
static int put_in_place(struct store_writer *writer)
{
	int fd = open(writer->temporary, O_RDONLY | O_CLOEXEC), status;
	char *folder = mem_copy_text(writer->file), *slash = strrchr(folder, '/');

	status = fd >= 0 && fsync(fd) == 0 && rename(writer->temporary, writer->file) == 0 ? 0 : -1;
	if (status)
		fail(writer, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (slash)
		slash[slash == folder] = '\0';
	fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(folder);
	return status;
}

int store_commit(struct store_writer *writer, struct error *err)
{
	run(writer, "COMMIT");
	for (size_t i = 0; i < N_STORE_TABLES; i++) {
		sqlite3_finalize(writer->insert[i]);
		writer->insert[i] = NULL;
	}
	if (!writer->failed && sqlite3_close(writer->database) != SQLITE_OK)
		fail(writer, sqlite3_errmsg(writer->database));
	else if (!writer->failed)
		writer->database = NULL;
	if (writer->failed || put_in_place(writer)) {
		*err = writer->err;
		store_abandon(writer);
		return -1;
	}
	free_writer(writer);
	return 0;
}

void store_abandon(struct store_writer *writer)
{
	unlink(writer->temporary);
	free_writer(writer);
}
