/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/names.h"

#include <stdlib.h>
#include <string.h>

#include "evtop/hash.h"

/* More names than any kernel has; what a hostile file can make us keep. */
#define NAMES_MAX (1u << 21)
#define NAME_BYTES_MAX (1u << 17)
#define NAMES_BYTES_MAX (256u << 20)
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
	uint64_t n_bytes;
	bool unlimited;
	struct hash_key key;
};

struct names *names_new(void)
{
	struct names *names = mem_zero(1, sizeof *names);

	names->table_size = 1024;
	names->table = mem_zero(names->table_size, sizeof *names->table);
	hash_key_init(&names->key);
	return names;
}

void names_lift_limits(struct names *names)
{
	names->unlimited = true;
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

struct names *names_copy(const struct names *names)
{
	struct names *copy = mem_alloc(sizeof *copy);
	size_t bytes = 0;
	char *at;

	*copy = *names;
	for (uint32_t i = 0; i < names->n; i++)
		bytes += (size_t)names->list[i].length + 1;
	copy->n_blocks = copy->blocks_room = 1;
	copy->blocks = mem_alloc(sizeof *copy->blocks);
	copy->blocks[0] = at = mem_alloc(bytes);
	copy->block_used = copy->block_size = bytes;
	copy->room = names->n;
	copy->list = mem_alloc(names->n * sizeof *copy->list);
	for (uint32_t i = 0; i < names->n; i++) {
		size_t n = (size_t)names->list[i].length + 1;

		copy->list[i] = names->list[i];
		copy->list[i].text = memcpy(at, names->list[i].text, n);
		at += n;
	}
	copy->table = mem_alloc(names->table_size * sizeof *copy->table);
	memcpy(copy->table, names->table, names->table_size * sizeof *copy->table);
	return copy;
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
		if (hash_load8(a + i) != hash_load8(b + i))
			return false;
	return hash_load8(a + n - 8) == hash_load8(b + n - 8);
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
static inline uint32_t find_place(const struct names *names, const char *bytes, size_t n,
				  uint32_t hash)
{
	uint32_t at = hash & (names->table_size - 1);

	for (; names->table[at]; at = (at + 1) & (names->table_size - 1)) {
		const struct name *name = &names->list[names->table[at] - 1];

		if (name->hash == hash && name->length == n && same_bytes(name->text, bytes, n))
			break;
	}
	return at;
}

static bool has_room(const struct names *names, size_t n)
{
	return names->unlimited || (names->n < NAMES_MAX && n <= NAME_BYTES_MAX &&
				    names->n_bytes + n <= NAMES_BYTES_MAX);
}

uint32_t names_intern(struct names *names, const char *bytes, size_t n)
{
	uint32_t hash = (uint32_t)hash_bytes(&names->key, bytes, n);
	uint32_t at = find_place(names, bytes, n, hash);

	if (names->table[at])
		return names->table[at] - 1;
	if (!has_room(names, n))
		return NAME_NONE;
	names->n_bytes += n;
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
	uint32_t at = find_place(names, bytes, n, (uint32_t)hash_bytes(&names->key, bytes, n));

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
