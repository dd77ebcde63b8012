/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fuzz target is one file with these; it is built twice: with libFuzzer to
 * run free, and with fuzz-main.c, which replays the corpus in make check.
 */
#ifndef EVTOP_FUZZ_H
#define EVTOP_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The corpus is tests/fuzz/corpus-NAME. */
extern const char fuzz_name[];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Inputs too large to be stored, made when they are needed. */
struct fuzz_large {
	const char *name;
	/* Writes the whole input; free() it. */
	uint8_t *(*make)(size_t *size);
};

extern const struct fuzz_large fuzz_large[];
extern const size_t n_fuzz_large;

/* What must hold whatever the input is; ends the program where it does not. */
#define FUZZ_ASSERT(condition)                                                                     \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#endif
