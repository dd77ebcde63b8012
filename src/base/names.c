/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/names.h"

#include <stdlib.h>
#include <string.h>

/* More names than any kernel has; what a hostile file can make us keep. */
#define NAMES_MAX (1u << 21)
#define ARENA_BLOCK (64u << 10)

struct name {
	const char *text;
	uint32_t length;
	uint32_t hash;
};

struct names {
	struct name *list;
	uint32_t n, room;
	uint32_t *table;     /* number + 1, 0 for a free place */
	uint32_t table_size; /* a power of two */
	char **blocks;
	size_t n_blocks, blocks_room;
	size_t block_used, block_size;
};

struct names *names_new(void)
{
	struct names *names = mem_zero(1, sizeof *names);

	names->table_size = 1024;
	names->table = mem_zero(names->table_size, sizeof *names->table);
	return names;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->n_blocks; i++)
		free(names->blocks[i]);
	free(names->blocks);
	free(names->list);
	free(names->table);
	free(names);
}

static inline uint64_t load8(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof word);
	return word;
}

static inline uint64_t fold(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0xff51afd7ed558ccdu;
	return hash ^ hash >> 32;
}

/*
 * Multiply and fold, eight bytes at a time, the last eight overlapping those
 * before: this is on the way of every line.
 */
static inline uint32_t hash_bytes(const char *bytes, size_t n)
{
	uint64_t hash = n * 0x9e3779b97f4a7c15u, word = 0;
	const char *last = bytes + n - 8;

	if (n < 8) {
		for (size_t i = 0; i < n; i++)
			word = word << 8 | (unsigned char)bytes[i];
		return (uint32_t)fold(hash, word);
	}
	for (; bytes < last; bytes += 8)
		hash = fold(hash, load8(bytes));
	return (uint32_t)fold(hash, load8(last));
}

static inline bool same_bytes(const char *a, const char *b, size_t n)
{
	if (n < 8) {
		for (size_t i = 0; i < n; i++)
			if (a[i] != b[i])
				return false;
		return true;
	}
	for (size_t i = 0; i + 8 < n; i += 8)
		if (load8(a + i) != load8(b + i))
			return false;
	return load8(a + n - 8) == load8(b + n - 8);
}

static void grow_table(struct names *names)
{
	free(names->table);
	names->table_size *= 2;
	names->table = mem_zero(names->table_size, sizeof *names->table);
	for (uint32_t i = 0; i < names->n; i++) {
		uint32_t at = names->list[i].hash & (names->table_size - 1);

		while (names->table[at])
			at = (at + 1) & (names->table_size - 1);
		names->table[at] = i + 1;
	}
}

static const char *keep_text(struct names *names, const char *bytes, size_t n)
{
	char *text;

	if (n + 1 > names->block_size - names->block_used) {
		names->block_size = n + 1 > ARENA_BLOCK ? n + 1 : ARENA_BLOCK;
		names->block_used = 0;
		ARRAY_RESERVE(names->blocks, names->n_blocks, names->blocks_room);
		names->blocks[names->n_blocks++] = mem_alloc(names->block_size);
	}
	text = names->blocks[names->n_blocks - 1] + names->block_used;
	memcpy(text, bytes, n);
	text[n] = '\0';
	names->block_used += n + 1;
	return text;
}

/* Place of the name in the table, or of the free place where it belongs. */
static inline uint32_t find_place(const struct names *names, const char *bytes, size_t n, uint32_t hash)
{
	uint32_t at = hash & (names->table_size - 1);

	for (; names->table[at]; at = (at + 1) & (names->table_size - 1)) {
		const struct name *name = &names->list[names->table[at] - 1];

		if (name->hash == hash && name->length == n && same_bytes(name->text, bytes, n))
			break;
	}
	return at;
}

uint32_t names_intern(struct names *names, const char *bytes, size_t n)
{
	uint32_t hash = hash_bytes(bytes, n);
	uint32_t at = find_place(names, bytes, n, hash);

	if (names->table[at])
		return names->table[at] - 1;
	if (names->n == NAMES_MAX || n > UINT32_MAX)
		return NAME_NONE;
	ARRAY_RESERVE(names->list, names->n, names->room);
	names->list[names->n] = (struct name){
		.text = keep_text(names, bytes, n),
		.length = (uint32_t)n,
		.hash = hash,
	};
	names->table[at] = ++names->n;
	if (names->n > names->table_size / 2)
		grow_table(names);
	return names->n - 1;
}

uint32_t names_find(const struct names *names, const char *bytes, size_t n)
{
	uint32_t at = find_place(names, bytes, n, hash_bytes(bytes, n));

	return names->table[at] ? names->table[at] - 1 : NAME_NONE;
}

const char *names_text(const struct names *names, uint32_t name)
{
	return names->list[name].text;
}

size_t names_length(const struct names *names, uint32_t name)
{
	return names->list[name].length;
}

uint32_t names_count(const struct names *names)
{
	return names->n;
}
