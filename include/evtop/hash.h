/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hashing of what a file holds. The key is drawn anew for every table: who
 * writes the file cannot know which of its names or trees fall together, and
 * no result depends on where they fall.
 */
#ifndef EVTOP_HASH_H
#define EVTOP_HASH_H

#include <string.h>

#include "evtop/base.h"

struct hash_key {
	uint64_t start, factor;
};

/* Draws a key. */
void hash_key_init(struct hash_key *key);

/* One word more: both halves of a product with a factor that nobody knows. */
static inline uint64_t hash_add(const struct hash_key *key, uint64_t hash, uint64_t word)
{
#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)(hash ^ word) * key->factor;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
	uint64_t x = hash ^ word, y = key->factor;
	uint64_t a = (x & UINT32_MAX) * (y >> 32), b = (x >> 32) * (y & UINT32_MAX);

	return x * y ^ a ^ (b << 32 | b >> 32);
#endif
}

static inline uint64_t hash_load8(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof word);
	return word;
}

/* Eight bytes at a time, the last eight overlapping those before. */
static inline uint64_t hash_bytes(const struct hash_key *key, const char *bytes, size_t n)
{
	uint64_t hash = key->start ^ n, word = 0;
	const char *last = bytes + n - 8;

	if (n < 8) {
		for (size_t i = 0; i < n; i++)
			word = word << 8 | (unsigned char)bytes[i];
		return hash_add(key, hash, word);
	}
	for (; bytes < last; bytes += 8)
		hash = hash_add(key, hash, hash_load8(bytes));
	return hash_add(key, hash, hash_load8(last));
}

#endif
