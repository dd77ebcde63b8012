/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256, by libcrypto. */
#ifndef EVTOP_RECORDING_DIGEST_H
#define EVTOP_RECORDING_DIGEST_H

#include "evtop/base.h"

struct digest;

struct digest *digest_new(void);
void digest_add(struct digest *digest, const void *bytes, size_t n);
/* Frees it; hex (65 bytes) gets the digest, or is NULL. */
void digest_finish(struct digest *digest, char *hex);

#endif
