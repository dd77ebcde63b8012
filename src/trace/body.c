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

/* Cuts what people write behind a call in an excerpt: "f();      # here". */
static const char *without_note(const char *at, const char *end)
{
	const char *p = memmem(at, (size_t)(end - at), " # ", 3);

	if (!p)
		return end;
	while (p > at && p[-1] == ' ')
		p--;
	return p > at && (p[-1] == ';' || p[-1] == '{') ? p : end;
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
	end = without_comment(p, without_note(p, end));
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

/*
 * Number of a name that stands alone before the brackets. Looking it up comes
 * first: nearly all names have been seen, and then were found to be in order.
 */
static inline uint32_t plain_name_read(struct text_reader *reader, const char *at, const char *end)
{
	uint32_t name = names_find(reader->names, at, (size_t)(end - at));

	if (name < reader->is_function_room && reader->is_function[name])
		return name;
	if (!is_plain_name(at, end))
		return NAME_NONE;
	name = names_intern(reader->names, at, (size_t)(end - at));
	if (name == NAME_NONE)
		return name;
	if (name >= reader->is_function_room) {
		uint32_t room = 2 * name + 256;

		reader->is_function = mem_resize(reader->is_function, room, 1);
		memset(reader->is_function + reader->is_function_room, 0,
		       room - reader->is_function_room);
		reader->is_function_room = room;
	}
	reader->is_function[name] = 1;
	return name;
}

/* Whether the bytes before end are "() {" or "();", the end of most lines. */
static inline bool ends_entry(const char *p, const char *end)
{
	return end - p > 4 && memcmp(end - 4, "() {", 4) == 0;
}

static inline bool ends_leaf(const char *p, const char *end)
{
	return end - p > 3 && end[-1] == ';' && end[-2] == ')' && end[-3] == '(';
}

enum body_kind body_read(struct text_reader *reader, const char *at, const char *end,
			 struct event *event)
{
	const char *p = indentation_read(at, end, &event->depth);

	if (p == end)
		return BODY_NOT;
	if (*p == '}') {
		event->kind = EVENT_EXIT;
		event->function =
			p + 1 == end ? NAME_NONE : name_behind_exit(reader->names, p + 1, end);
		return BODY_EVENT;
	}
	if (ends_leaf(p, end)) {
		event->kind = EVENT_LEAF;
		event->function = plain_name_read(reader, p, end - 3);
	} else if (ends_entry(p, end)) {
		event->kind = EVENT_ENTRY;
		event->function = plain_name_read(reader, p, end - 4);
	} else {
		event->function = NAME_NONE;
	}
	if (event->function != NAME_NONE)
		return BODY_EVENT;
	if (end - p >= 2 && p[0] == '/' && p[1] == '*')
		return end - p >= 4 && end[-1] == '/' && end[-2] == '*' ? BODY_COMMENT
									: BODY_OPEN_COMMENT;
	return call_read(reader->names, p, end, event);
}
