/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compressed files and archives: the only place that knows libarchive, and can do without. */
#ifndef EVTOP_RECORDING_UNPACK_H
#define EVTOP_RECORDING_UNPACK_H

#include <sys/types.h>

#include "evtop/base.h"

struct unpack;

/* The next bytes of the packed file, valid until the next call; 0 at its end, -1 with errno. */
typedef ssize_t unpack_input(void *context, const void **bytes);

/* Whether a file that begins with these bytes is packed. */
bool unpack_probe(const char *head, size_t n);
/* NULL with err set where it cannot be unpacked. */
struct unpack *unpack_open(unpack_input *input, void *context, struct error *err);
/*
 * Steps to the next file. 1, with *name NULL where it is only compressed, and
 * its size or -1; 0 behind the last one; -1 with err set where the rest cannot
 * be read; 2 with name and err set for what is neither a file nor a folder.
 */
int unpack_next(struct unpack *unpack, const char **name, int64_t *size_bytes, struct error *err);
/* Up to n bytes of it; 0 at its end, -1 with err set. */
ssize_t unpack_read(struct unpack *unpack, char *bytes, size_t n, struct error *err);
void unpack_free(struct unpack *unpack);

#endif
