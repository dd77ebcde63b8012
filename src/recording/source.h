/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files as runs: plain, compressed, or many in an archive. */
#ifndef EVTOP_RECORDING_SOURCE_H
#define EVTOP_RECORDING_SOURCE_H

#include <sys/types.h>

#include "evtop/recording.h"

struct source;

/*
 * Opens a file; "-" is standard input. Its bytes are counted in progress and,
 * with digest, hashed as they pass. NULL with err set where it cannot be read.
 */
struct source *source_open(const char *path, bool digest, struct load_progress *progress,
			   struct error *err);
/*
 * Steps to the next run of it: the file itself, or an archive's next regular
 * file. 1 and *name (NULL for the file itself; valid until the next step), 0
 * behind the last one, -1 with err set where the rest cannot be read; 2 with
 * name and err set for what an archive holds besides files and folders.
 */
int source_next(struct source *source, const char **name, struct error *err);
/* Size of the run where it is known beforehand, else -1. */
int64_t source_run_bytes(const struct source *source);
/* Up to n bytes of the run; 0 at its end, -1 with err set. */
ssize_t source_read(struct source *source, char *bytes, size_t n, struct error *err);
/*
 * A descriptor of the file that can be read at any place, to be closed by the
 * caller; -1 where it is packed or has no places (a pipe).
 */
int source_descriptor(const struct source *source);
/* The path of the file where that is the run itself, not packed, nor a pipe; else NULL. */
const char *source_path(const struct source *source);
/*
 * Closes it. sha256 (65 bytes, may be NULL) gets the digest of the whole file,
 * of which the rest is read for that; "" without a digest or after an error.
 */
void source_close(struct source *source, char *sha256);

#endif
