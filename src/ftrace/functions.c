/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the system calls that were asked for to the functions where they begin. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include "evtop/path.h"

/* A name of the kernel's list: without " [module]". */
struct function {
	const char *name;
	size_t n;
};

static const char *next_function(const char *at, const char *end, struct function *function)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	size_t n = newline ? (size_t)(newline - at) : (size_t)(end - at);
	const char *blank = memchr(at, ' ', n);

	*function = (struct function){at, blank ? (size_t)(blank - at) : n};
	return newline ? newline + 1 : end;
}

static bool is_name(const struct function *function, const char *name)
{
	return strlen(name) == function->n && !memcmp(function->name, name, function->n);
}

static void add_line(struct text *lines, const char *name, size_t n)
{
	text_add(lines, name, n);
	text_puts(lines, "\n");
}

/* All functions where this call begins: native and compat forms. */
static bool add_call(const char *available, size_t n, const char *call, struct text *lines)
{
	const char *at = available, *end = available + n, *name;
	struct function function;
	size_t before = lines->n, name_n;

	while (at < end) {
		at = next_function(at, end, &function);
		if (syscall_of_function(function.name, function.n, &name, &name_n) &&
		    name_n == strlen(call) && !memcmp(name, call, name_n))
			add_line(lines, function.name, function.n);
	}
	return lines->n > before;
}

static bool add_function(const char *available, size_t n, const char *wanted, struct text *lines)
{
	const char *at = available, *end = available + n;
	struct function function;
	bool found = false;

	while (at < end && !found) {
		at = next_function(at, end, &function);
		found = is_name(&function, wanted);
	}
	if (found)
		add_line(lines, wanted, strlen(wanted));
	return found;
}

/* What stands before the name of the call in its functions: __x64_sys_ and the like. */
#define PREFIX_MOST 32

struct prefix {
	char text[PREFIX_MOST];
	size_t n;
	bool mixed; /* others begin with it too: no pattern for these */
};

#define PREFIXES_MOST 32

static void add_prefix(struct prefix *prefixes, size_t *n_prefixes, const char *name, size_t n)
{
	for (size_t i = 0; i < *n_prefixes; i++)
		if (prefixes[i].n == n && !memcmp(prefixes[i].text, name, n))
			return;
	if (*n_prefixes == PREFIXES_MOST || n >= PREFIX_MOST)
		return;
	memcpy(prefixes[*n_prefixes].text, name, n);
	prefixes[(*n_prefixes)++].n = n;
}

/* The prefix that a root has, one of those known; NULL for none. */
static struct prefix *prefix_of(struct prefix *prefixes, size_t n_prefixes,
				const struct function *function)
{
	for (size_t i = 0; i < n_prefixes; i++)
		if (function->n > prefixes[i].n &&
		    !memcmp(function->name, prefixes[i].text, prefixes[i].n))
			return &prefixes[i];
	return NULL;
}

/*
 * All system calls: a pattern where all that it takes are system calls (the
 * kernel looks through all its functions for each line that is written), else
 * one by one.
 */
static void add_all_calls(const char *available, size_t n, struct text *lines)
{
	struct prefix prefixes[PREFIXES_MOST] = {{{0}, 0, false}};
	const char *at = available, *end = available + n, *name;
	struct function function;
	size_t n_prefixes = 0, name_n;

	while (at < end) {
		at = next_function(at, end, &function);
		if (syscall_of_function(function.name, function.n, &name, &name_n))
			add_prefix(prefixes, &n_prefixes, function.name,
				   (size_t)(name - function.name));
	}
	for (at = available; at < end;) {
		at = next_function(at, end, &function);
		for (size_t i = 0; i < n_prefixes; i++)
			if (function.n >= prefixes[i].n &&
			    !memcmp(function.name, prefixes[i].text, prefixes[i].n) &&
			    !syscall_of_function(function.name, function.n, &name, &name_n))
				prefixes[i].mixed = true;
	}
	for (size_t i = 0; i < n_prefixes; i++)
		if (!prefixes[i].mixed)
			text_printf(lines, "%s*\n", prefixes[i].text);
	for (at = available; at < end;) {
		const struct prefix *prefix;

		at = next_function(at, end, &function);
		if (!syscall_of_function(function.name, function.n, &name, &name_n))
			continue;
		prefix = prefix_of(prefixes, n_prefixes, &function);
		if (!prefix || prefix->mixed)
			add_line(lines, function.name, function.n);
	}
}

int functions_chosen(const char *available, size_t n, const struct ftrace_options *options,
		     struct text *lines, struct error *err)
{
	text_puts(lines, "");
	for (size_t i = 0; i < options->n_syscalls; i++)
		if (!add_call(available, n, options->syscalls[i], lines))
			return error_set(err,
					 "this kernel has no traceable function of the system "
					 "call '%s'",
					 options->syscalls[i]);
	for (size_t i = 0; i < options->n_functions; i++)
		if (!add_function(available, n, options->functions[i], lines))
			return error_set(err, "this kernel cannot trace the function '%s'",
					 options->functions[i]);
	if (!options->n_syscalls && !options->n_functions)
		add_all_calls(available, n, lines);
	if (!lines->n)
		return error_set(err, "this kernel lists no function of a system call");
	return 0;
}
