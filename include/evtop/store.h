/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The .evtop file: an SQLite database of plain tables. This module knows tables
 * and rows alone; what is written of a recording, and read into one, is
 * src/recording's.
 */
#ifndef EVTOP_STORE_H
#define EVTOP_STORE_H

#include "evtop/base.h"

/* Of the file's layout: a newer one is refused. */
#define STORE_VERSION 1

/* In the order in which they are written and read: what is referred to comes first. */
enum store_table {
	STORE_ABOUT,
	STORE_ORIGIN,
	STORE_COMPLAINT,
	STORE_CAMPAIGN,
	STORE_RUN,
	STORE_DISCARD,
	STORE_UNREAD,
	STORE_FUNCTION,
	STORE_NODE,
	STORE_CALL,
	STORE_PATH,
	STORE_EXECUTION,
	STORE_REMOVED,
	STORE_NODE_TIME,
	STORE_KEPT,
	STORE_TALLY,
	N_STORE_TABLES
};

struct store_table_info {
	const char *name;
	const char *help;	/* one sentence without a full stop */
	const char *definition; /* columns and what they are, in SQL with comments */
	uint8_t n_columns;
	bool is_numbered; /* the first column is the key, and SQLite's rowid */
};
extern const struct store_table_info store_tables[N_STORE_TABLES];
/* Views for people, in SQL: no reader needs them. */
extern const char *const store_views[];
extern const size_t n_store_views;

/* A value of a row. Texts are borrowed. */
struct store_value {
	enum { STORE_NULL, STORE_INTEGER, STORE_REAL, STORE_TEXT } kind;
	int64_t integer;
	double real;
	const char *text;
};

#define STORE_NOTHING ((struct store_value){.kind = STORE_NULL})

static inline struct store_value store_integer(uint64_t value)
{
	return (struct store_value){.kind = STORE_INTEGER, .integer = (int64_t)value};
}

static inline struct store_value store_real(double value)
{
	return (struct store_value){.kind = STORE_REAL, .real = value};
}

/* NULL stays NULL. */
static inline struct store_value store_text(const char *text)
{
	return (struct store_value){.kind = text ? STORE_TEXT : STORE_NULL, .text = text};
}

/* ---- writing ---- */

struct store_writer;

/*
 * Begins a file beside the one to be: that is replaced only by store_commit().
 * NULL with err set.
 */
struct store_writer *store_create(const char *file, struct error *err);
/* A row, of as many values as the table has columns. An error is kept for store_commit(). */
void store_put(struct store_writer *writer, enum store_table table,
	       const struct store_value *values);
/* Finishes the file, on the disk and under its name; 0, or -1 with err set. Frees the writer. */
int store_commit(struct store_writer *writer, struct error *err);
/* Leaves nothing behind. */
void store_abandon(struct store_writer *writer);

/* ---- reading ---- */

struct store;
struct store_row; /* valid during the call that it is handed to */

bool store_probe(const char *bytes, size_t n);
/*
 * n_threads: that unpack the rows of large tables, besides the one that takes
 * them. NULL with err set: not a file of ours, of a newer version, broken.
 */
struct store *store_open(const char *file, uint32_t n_threads, struct error *err);
void store_close(struct store *store);

/* -1 with err set ends the reading. */
typedef int store_take(void *context, const struct store_row *row, struct error *err);

/*
 * All rows of a table, in the order in which they were written, on the calling
 * thread. 0, or -1 with err set.
 */
int store_each(struct store *store, enum store_table table, store_take *take, void *context,
	       struct error *err);
bool store_is_null(const struct store_row *row, int column);
bool store_is_integer(const struct store_row *row, int column);
/* 0, 0.0 and "" where the value is of another kind */
int64_t store_get_integer(const struct store_row *row, int column);
double store_get_real(const struct store_row *row, int column);
/* Never NULL */
const char *store_get_text(const struct store_row *row, int column);

#endif
