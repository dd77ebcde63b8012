/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory, errors, growable text and the writing of numbers. Knows nothing of
 * traces.
 */
#ifndef EVTOP_BASE_H
#define EVTOP_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define PRINTF_LIKE(at, first) __attribute__((format(printf, at, first)))

/*
 * Memory. None of these returns NULL: where the machine has none left, the
 * program says so in one line and ends (mem_on_exhaustion() first, which the
 * terminal uses to restore itself). Free with free().
 */
void *mem_alloc(size_t bytes);
void *mem_zero(size_t count, size_t size);
void *mem_resize(void *old, size_t count, size_t size);
char *mem_copy_text(const char *text);
char *mem_copy_bytes(const char *bytes, size_t n); /* adds the final NUL */
void mem_on_exhaustion(void (*hook)(void));

/* Makes room for one element more in an array that doubles. */
#define ARRAY_RESERVE(array, n, room)                                                              \
	do {                                                                                       \
		if ((n) == (room)) {                                                               \
			(room) = (room) ? 2 * (room) : 16;                                         \
			(array) = mem_resize((array), (room), sizeof *(array));                    \
		}                                                                                  \
	} while (0)

/*
 * An error is one lower-case line without a full stop: what, which file, why.
 * Functions that can fail return 0 or -1 and fill it; err may be NULL.
 */
struct error {
	char text[1024];
};

int error_set(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3); /* returns -1 */

/* Growable text, always NUL-terminated once anything was added. */
struct text {
	char *bytes;
	size_t n, room;
};

void text_add(struct text *text, const char *bytes, size_t n);
void text_puts(struct text *text, const char *string);
void text_printf(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);
void text_clear(struct text *text);
void text_release(struct text *text);

/*
 * Numbers for people. Each writes into out (at least NUMBER_SIZE bytes) and
 * returns it. The decimal point is always a point.
 */
#define NUMBER_SIZE 32

/* 405 us, 9.44 ms, 2.31e+09 s: three significant digits and a unit; "-" for NaN, inf. */
char *format_duration(char *out, double duration_ns);
/* The same with so many digits. */
char *format_duration_digits(char *out, double duration_ns, int digits);
/* The unit alone apart: for axes and columns that share one. */
char *format_significant(char *out, double value, int digits);
/* 12,002 */
char *format_count(char *out, uint64_t count);
/* 10.3% */
char *format_share(char *out, double share);
/* 0.1, 0.01, 1e-3 .. 1e-15, 2.5e-4 */
char *format_probability(char *out, double probability);
/* The shortest decimal text that reads back as the same double (JSON, CSV). */
char *format_exact(char *out, double value);
/* "33.267 us" read as nanoseconds and the like: 10us, 2.5ms, 1s, 300 (ns). */
int parse_duration(const char *text, uint64_t *duration_ns, struct error *err);

/* Natural order: run-2 before run-10. */
int compare_natural(const char *a, const char *b);

/*
 * Bytes of the valid UTF-8 character at text (which ends with a NUL) and its
 * code; 0 where there is none. code may be NULL.
 */
size_t text_decode(const char *text, uint32_t *code);

/*
 * Copies text into out (n bytes) with everything that could steer a terminal
 * (controls, invalid UTF-8) replaced by '?'. Returns out.
 */
char *text_printable(char *out, size_t n, const char *text);

#endif
