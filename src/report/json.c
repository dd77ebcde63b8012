/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void json_init(struct json *json, struct text *out)
{
	*json = (struct json){.out = out};
}

static void write_string(struct text *out, const char *text)
{
	text_puts(out, "\"");
	while (*text) {
		uint32_t code = 0;
		size_t n = text_decode(text, &code);

		if (n == 0) {
			text_puts(out, "\xef\xbf\xbd");
			n = 1;
		} else if (code == '"' || code == '\\') {
			text_printf(out, "\\%c", (int)code);
		} else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
			text_printf(out, "\\u%04x", (unsigned)code);
		} else {
			text_add(out, text, n);
		}
		text += n;
	}
	text_puts(out, "\"");
}

/* What stands before a value: a comma, a key. */
static void begin(struct json *json, const char *key)
{
	if (json->filled[json->depth])
		text_puts(json->out, json->line ? "," : ", ");
	if (json->line)
		text_puts(json->out, "\n");
	json->line = false;
	json->filled[json->depth] = true;
	if (key) {
		write_string(json->out, key);
		text_puts(json->out, ": ");
	}
}

static void open_level(struct json *json, const char *key, const char *open, char close)
{
	begin(json, key);
	text_puts(json->out, open);
	if (json->depth == JSON_DEPTH_MOST)
		abort(); /* the schema is not that deep: a mistake in the program */
	json->depth++;
	json->filled[json->depth] = false;
	json->close[json->depth] = close;
}

void json_object(struct json *json, const char *key)
{
	open_level(json, key, "{", '}');
}

void json_array(struct json *json, const char *key)
{
	open_level(json, key, "[", ']');
}

void json_end(struct json *json)
{
	text_add(json->out, &json->close[json->depth], 1);
	json->depth--;
}

void json_text(struct json *json, const char *key, const char *text)
{
	if (!text) {
		json_null(json, key);
		return;
	}
	begin(json, key);
	write_string(json->out, text);
}

void json_count(struct json *json, const char *key, uint64_t count)
{
	begin(json, key);
	text_printf(json->out, "%" PRIu64, count);
}

#define WHOLE_MOST 1e15 /* whole numbers up to here are written without an exponent */

void json_number(struct json *json, const char *key, double number)
{
	char text[NUMBER_SIZE];

	if (!isfinite(number)) {
		json_null(json, key);
		return;
	}
	begin(json, key);
	if (fabs(number) <= WHOLE_MOST && number == nearbyint(number))
		snprintf(text, sizeof text, "%.0f", number == 0 ? 0.0 : number);
	else
		format_exact(text, number);
	text_puts(json->out, text);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin(json, key);
	text_puts(json->out, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	begin(json, key);
	text_puts(json->out, "null");
}

void json_line(struct json *json)
{
	json->line = true;
}
