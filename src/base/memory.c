/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*exhaustion_hook)(void);

void mem_on_exhaustion(void (*hook)(void))
{
	exhaustion_hook = hook;
}

static void *checked(void *memory)
{
	if (memory)
		return memory;
	if (exhaustion_hook)
		exhaustion_hook();
	fputs("evtop: out of memory\n", stderr);
	exit(1);
}

void *mem_alloc(size_t bytes)
{
	return checked(malloc(bytes ? bytes : 1));
}

void *mem_zero(size_t count, size_t size)
{
	return checked(count && size ? calloc(count, size) : calloc(1, 1));
}

void *mem_resize(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		checked(NULL);
	return checked(realloc(old, bytes ? bytes : 1));
}

char *mem_copy_bytes(const char *bytes, size_t n)
{
	char *copy = mem_alloc(n + 1);

	memcpy(copy, bytes, n);
	copy[n] = '\0';
	return copy;
}

char *mem_copy_text(const char *text)
{
	return mem_copy_bytes(text, strlen(text));
}
