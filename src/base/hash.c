/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/hash.h"

#include <sys/random.h>
#include <time.h>

void hash_key_init(struct hash_key *key)
{
	if (getrandom(key, sizeof *key, GRND_NONBLOCK) != sizeof *key) {
		struct timespec now;

		/* early in the life of a machine: better than nothing */
		clock_gettime(CLOCK_MONOTONIC, &now);
		key->start = (uint64_t)(uintptr_t)key ^ (uint64_t)now.tv_nsec << 20;
		key->factor = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u;
	}
	/* many ones in every part of it, and no even number */
	key->factor |= 0x0100010001000101u;
}
