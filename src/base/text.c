/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/base.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int error_set(struct error *err, const char *format, ...)
{
	va_list arguments;

	if (!err)
		return -1;
	va_start(arguments, format);
	vsnprintf(err->text, sizeof err->text, format, arguments);
	va_end(arguments);
	return -1;
}

void text_add(struct text *text, const char *bytes, size_t n)
{
	if (text->n + n + 1 > text->room) {
		size_t room = text->room ? text->room : 64;

		while (room < text->n + n + 1)
			room *= 2;
		text->bytes = mem_resize(text->bytes, room, 1);
		text->room = room;
	}
	memcpy(text->bytes + text->n, bytes, n);
	text->n += n;
	text->bytes[text->n] = '\0';
}

void text_puts(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

void text_printf(struct text *text, const char *format, ...)
{
	char small[512];
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(small, sizeof small, format, arguments);
	va_end(arguments);
	if (n < 0)
		return;
	if ((size_t)n < sizeof small) {
		text_add(text, small, (size_t)n);
		return;
	}
	char *large = mem_alloc((size_t)n + 1);

	va_start(arguments, format);
	vsnprintf(large, (size_t)n + 1, format, arguments);
	va_end(arguments);
	text_add(text, large, (size_t)n);
	free(large);
}

void text_clear(struct text *text)
{
	text->n = 0;
	if (text->bytes)
		text->bytes[0] = '\0';
}

void text_release(struct text *text)
{
	free(text->bytes);
	*text = (struct text){0};
}

int compare_natural(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			size_t na, nb;
			int order;

			while (*a == '0' && isdigit((unsigned char)a[1]))
				a++;
			while (*b == '0' && isdigit((unsigned char)b[1]))
				b++;
			na = strspn(a, "0123456789");
			nb = strspn(b, "0123456789");
			if (na != nb)
				return na < nb ? -1 : 1;
			order = strncmp(a, b, na);
			if (order)
				return order;
			a += na;
			b += nb;
		} else if (*a != *b) {
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		} else {
			a++;
			b++;
		}
	}
	return *a ? 1 : *b ? -1 : 0;
}

size_t text_decode(const char *text, uint32_t *code)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = {{0x80, 0x00, 1}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	const unsigned char *s = (const unsigned char *)text;

	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		uint32_t value;

		if ((s[0] & forms[i].mask) != forms[i].lead)
			continue;
		value = s[0] & (unsigned char)~forms[i].mask;
		for (size_t j = 1; j <= i; j++) {
			if ((s[j] & 0xc0) != 0x80)
				return 0;
			value = value << 6 | (s[j] & 0x3f);
		}
		/* longer than needed, a surrogate, or past the last code */
		if (value < forms[i].least || value > 0x10ffff ||
		    (value >= 0xd800 && value <= 0xdfff))
			return 0;
		if (code)
			*code = value;
		return i + 1;
	}
	return 0;
}

/* The same for what may be shown: no controls. */
static size_t printable_length(const char *text)
{
	uint32_t code = 0;
	size_t length = text_decode(text, &code);

	return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : length;
}

char *text_printable(char *out, size_t n, const char *text)
{
	const char *s = text;
	size_t at = 0;

	while (*s && at + 1 < n) {
		size_t length = printable_length(s);

		if (length == 0) {
			out[at++] = '?';
			s++;
			continue;
		}
		if (at + length >= n)
			break;
		memcpy(out + at, s, length);
		at += length;
		s += length;
	}
	if (n)
		out[at] = '\0';
	return out;
}
