/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes JSON: commas, nesting and escapes are its business. */
#ifndef EVTOP_REPORT_JSON_H
#define EVTOP_REPORT_JSON_H

#include "evtop/base.h"

#define JSON_DEPTH_MOST 16

struct json {
	struct text *out;
	unsigned depth;
	bool line;			  /* the next member begins a line */
	bool filled[JSON_DEPTH_MOST + 1]; /* has this level a member yet? */
	char close[JSON_DEPTH_MOST + 1];
};

void json_init(struct json *json, struct text *out);

/*
 * A member of the object that is open, or with key NULL an element of the array
 * (or the document itself).
 */
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_end(struct json *json); /* the innermost that is open */
/* Any bytes: what is not UTF-8 becomes U+FFFD; NULL gives null. */
void json_text(struct json *json, const char *key, const char *text);
void json_count(struct json *json, const char *key, uint64_t count);
/* NaN and infinities give null. */
void json_number(struct json *json, const char *key, double number);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/* The next member begins a line. */
void json_line(struct json *json);

#endif
