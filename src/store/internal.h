/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EVTOP_STORE_INTERNAL_H
#define EVTOP_STORE_INTERNAL_H

#include <stdatomic.h>

#include "evtop/store.h"

/* "evtp": what file(1) and we know it by. */
#define STORE_APPLICATION 0x65767470

struct sqlite3;

struct store {
	struct sqlite3 *database;
	char *uri;
	uint64_t file_bytes;
	uint32_t n_threads;
	_Atomic uint64_t text_bytes; /* handed out so far */
};

/* Another connection to the file; NULL with err set. */
struct sqlite3 *store_connect(const char *uri, struct error *err);
/* "is broken: ..." with what SQLite says; -1 */
int store_broken(struct sqlite3 *database, struct error *err);

#endif
