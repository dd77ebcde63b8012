/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The body of a line: f(); f() { } and what newer kernels put around them. */
#include "text.h"

#include <string.h>

static uint64_t load8(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return word;
}

/* Depth is the indentation: two spaces a level. */
static const char *indentation_read(const char *at, const char *end, int32_t *depth)
{
	const char *p = at;

	while (end - p >= 8 && load8(p) == 0x2020202020202020u)
		p += 8;
	p = skip_spaces(p, end);
	*depth = (int32_t)((p - at) / 2);
	return p;
}

static bool is_name_char(char c)
{
	return (unsigned char)c > ' ' && c != '(' && c != ')' && c != '{' && c != '}' && c != ';' &&
	       c != '|';
}

/* "} /" "* f *" "/" and its kin: the name, or none where the comment holds other things. */
static uint32_t name_behind_exit(struct names *names, const char *at, const char *end)
{
	const char *p = skip_spaces(at, end), *start;

	if (end - p < 2 || p[0] != '/' || p[1] != '*')
		return NAME_NONE;
	p = skip_spaces(p + 2, end);
	start = p;
	while (p < end && is_name_char(*p))
		p++;
	if (p == start || *start == '=' || *start == '<' || *start == '*' ||
	    (p - start > 4 && memcmp(start, "ret=", 4) == 0))
		return NAME_NONE;
	return names_intern(names, start, (size_t)(p - start));
}

/* Cuts a comment (return value, caller) and spaces off the end. */
static const char *without_comment(const char *at, const char *end)
{
	while (end > at && end[-1] == ' ')
		end--;
	if (end - at < 4 || end[-1] != '/' || end[-2] != '*')
		return end;
	for (const char *p = end - 4; p > at; p--)
		if (p[0] == '/' && p[1] == '*') {
			end = p;
			break;
		}
	while (end > at && end[-1] == ' ')
		end--;
	return end;
}

/* Everything but "f();" and "f() {": modules, arguments, comments behind. */
static enum body_kind call_read(struct names *names, const char *at, const char *end,
				struct event *event)
{
	const char *p = at, *name_end;

	while (p < end && is_name_char(*p))
		p++;
	name_end = p;
	if (name_end == at)
		return BODY_NOT;
	p = skip_spaces(p, end);
	if (p < end && *p == '[') {
		p = memchr(p, ']', (size_t)(end - p));
		if (!p)
			return BODY_NOT;
		p++;
	}
	if (p == end || *p != '(')
		return BODY_NOT;
	end = without_comment(p, end);
	if (end[-1] == ';')
		event->kind = EVENT_LEAF;
	else if (end[-1] == '{')
		event->kind = EVENT_ENTRY;
	else
		return BODY_NOT;
	event->function = names_intern(names, at, (size_t)(name_end - at));
	return event->function == NAME_NONE ? BODY_NOT : BODY_EVENT;
}

/* Whether at[0..n) can be a name to the letter: no space, no bracket. */
static bool is_plain_name(const char *at, const char *end)
{
	if (at >= end)
		return false;
	for (; at < end; at++)
		if (!is_name_char(*at))
			return false;
	return true;
}

enum body_kind body_read(struct names *names, const char *at, const char *end, struct event *event)
{
	const char *p = indentation_read(at, end, &event->depth);
	const char *name_end;

	if (p == end)
		return BODY_NOT;
	if (*p == '}') {
		event->kind = EVENT_EXIT;
		event->function = p + 1 == end ? NAME_NONE : name_behind_exit(names, p + 1, end);
		return BODY_EVENT;
	}
	if (end - p >= 2 && p[0] == '/' && p[1] == '*')
		return end - p >= 4 && end[-1] == '/' && end[-2] == '*' ? BODY_COMMENT
									: BODY_OPEN_COMMENT;
	if (end - p > 4 && memcmp(end - 4, "() {", 4) == 0) {
		event->kind = EVENT_ENTRY;
		name_end = end - 4;
	} else if (end - p > 3 && memcmp(end - 3, "();", 3) == 0) {
		event->kind = EVENT_LEAF;
		name_end = end - 3;
	} else {
		return call_read(names, p, end, event);
	}
	if (!is_plain_name(p, name_end))
		return call_read(names, p, end, event);
	event->function = names_intern(names, p, (size_t)(name_end - p));
	return event->function == NAME_NONE ? BODY_NOT : BODY_EVENT;
}
