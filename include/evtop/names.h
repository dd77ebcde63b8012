/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interned names: each once, known by a number in order of first use. */
#ifndef EVTOP_NAMES_H
#define EVTOP_NAMES_H

#include "evtop/base.h"

#define NAME_NONE UINT32_MAX

struct names;

struct names *names_new(void);
void names_free(struct names *names);
/* The same names under the same numbers, which then go their own way. */
struct names *names_copy(const struct names *names);
/* For names that went through another table: any number of any length. */
void names_lift_limits(struct names *names);
/*
 * Number of the name bytes[0..n), added where it is new; NAME_NONE where the
 * table is full (a hostile file: a kernel has some 60,000 functions) or the
 * name longer than 128 KiB.
 */
uint32_t names_intern(struct names *names, const char *bytes, size_t n);
/* Number of a name that is there already, else NAME_NONE. */
uint32_t names_find(const struct names *names, const char *bytes, size_t n);
const char *names_text(const struct names *names, uint32_t name);
size_t names_length(const struct names *names, uint32_t name);
uint32_t names_count(const struct names *names);

#endif
