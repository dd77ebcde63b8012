/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON writer: commas, nesting, any bytes, any number. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../src/report/json.h"

static void test_nesting(void **state)
{
	struct text out = {0};
	struct json json;

	(void)state;
	json_init(&json, &out);
	json_object(&json, NULL);
	json_count(&json, "a", UINT64_MAX);
	json_array(&json, "b");
	json_end(&json);
	json_line(&json);
	json_array(&json, "c");
	json_number(&json, NULL, 1);
	json_bool(&json, NULL, true);
	json_null(&json, NULL);
	json_object(&json, NULL);
	json_text(&json, "d", NULL);
	json_end(&json);
	json_end(&json);
	json_object(&json, "e");
	json_end(&json);
	json_end(&json);
	assert_string_equal(out.bytes, "{\"a\": 18446744073709551615, \"b\": [],\n"
				       "\"c\": [1, true, null, {\"d\": null}], \"e\": {}}");
	text_release(&out);
}

static void test_numbers(void **state)
{
	static const struct {
		double number;
		const char *text;
	} cases[] = {
		{0, "0"},
		{-0.0, "0"},
		{0.1, "0.1"},
		{-2.5, "-2.5"},
		{1e15, "1000000000000000"},
		{1e-15, "1e-15"},
		{1e300, "1e+300"},
		{179859, "179859"},
		{NAN, "null"},
		{INFINITY, "null"},
		{-INFINITY, "null"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct text out = {0};
		struct json json;

		json_init(&json, &out);
		json_number(&json, NULL, cases[i].number);
		assert_string_equal(out.bytes, cases[i].text);
		text_release(&out);
	}
}

static void test_strings(void **state)
{
	static const struct {
		const char *bytes, *text;
	} cases[] = {
		{"", "\"\""},
		{"plain", "\"plain\""},
		{"a\"b\\c/", "\"a\\\"b\\\\c/\""},
		{"\n\t\x1b[31m\x7f", "\"\\u000a\\u0009\\u001b[31m\\u007f\""},
		{"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		 "\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""},
		/* a C1 control is a character, but not one to send to a terminal */
		{"\xc2\x9b", "\"\\u009b\""},
		/* lone, cut, overlong, a surrogate, past the last code */
		{"\xff", "\"\xef\xbf\xbd\""},
		{"\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
		{"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
		{"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
		{"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct text out = {0};
		struct json json;

		json_init(&json, &out);
		json_text(&json, NULL, cases[i].bytes);
		assert_string_equal(out.bytes, cases[i].text);
		text_release(&out);
	}
}

/* Pseudo-random bytes as keys and values: a parser of others must take them. */
static void test_hostile(void **state)
{
	char file[] = "/tmp/evtop-test-json-XXXXXX", command[256];
	struct text out = {0};
	struct json json;
	uint64_t seed = 1;
	FILE *stream;

	(void)state;
	if (system("command -v jq >/dev/null 2>&1"))
		skip();
	json_init(&json, &out);
	json_array(&json, NULL);
	for (int i = 0; i < 2000; i++) {
		char bytes[24] = "";

		for (size_t at = 0; at + 1 < sizeof bytes; at++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bytes[at] = (char)(seed >> 56);
		}
		json_object(&json, NULL);
		json_text(&json, bytes, bytes + 7);
		json_end(&json);
	}
	json_end(&json);
	stream = fdopen(mkstemp(file), "w");
	assert_non_null(stream);
	fwrite(out.bytes, 1, out.n, stream);
	fclose(stream);
	text_release(&out);
	snprintf(command, sizeof command, "test \"$(jq length '%s')\" = 2000", file);
	assert_int_equal(system(command), 0);
	unlink(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
