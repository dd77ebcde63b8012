/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For a build without SQLite: such files are known, and refused. */
#include "evtop/store.h"

#include <string.h>

#define WITHOUT "this evtop was built without SQLite"

bool store_probe(const char *bytes, size_t n)
{
	return n >= 16 && memcmp(bytes, "SQLite format 3", 16) == 0;
}

struct store_writer *store_create(const char *file, struct error *err)
{
	error_set(err, "cannot write '%s': " WITHOUT, file);
	return NULL;
}

struct store *store_open(const char *file, uint32_t n_threads, struct error *err)
{
	(void)file;
	(void)n_threads;
	error_set(err, "is an .evtop file, and " WITHOUT);
	return NULL;
}

/* Nothing below is ever called: there is no writer and no store to call it with. */

void store_put(struct store_writer *writer, enum store_table table,
	       const struct store_value *values)
{
	(void)writer;
	(void)table;
	(void)values;
}

int store_commit(struct store_writer *writer, struct error *err)
{
	(void)writer;
	return error_set(err, WITHOUT);
}

void store_abandon(struct store_writer *writer)
{
	(void)writer;
}

void store_close(struct store *store)
{
	(void)store;
}

int store_each(struct store *store, enum store_table table, store_take *take, void *context,
	       struct error *err)
{
	(void)store;
	(void)table;
	(void)take;
	(void)context;
	return error_set(err, WITHOUT);
}

bool store_is_null(const struct store_row *row, int column)
{
	(void)row;
	(void)column;
	return true;
}

bool store_is_integer(const struct store_row *row, int column)
{
	(void)row;
	(void)column;
	return false;
}

int64_t store_get_integer(const struct store_row *row, int column)
{
	(void)row;
	(void)column;
	return 0;
}

double store_get_real(const struct store_row *row, int column)
{
	(void)row;
	(void)column;
	return 0;
}

const char *store_get_text(const struct store_row *row, int column)
{
	(void)row;
	(void)column;
	return "";
}
