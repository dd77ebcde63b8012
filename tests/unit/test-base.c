/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The base: numbers for people, growable text, natural order, safe text, settings. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evtop/base.h"
#include "evtop/settings.h"

struct number_case {
	double value;
	const char *text;
};

static void check_numbers(char *(*format)(char *, double), const struct number_case *cases,
			  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char out[NUMBER_SIZE];

		assert_ptr_equal(format(out, cases[i].value), out);
		assert_string_equal(out, cases[i].text);
	}
}

static void test_duration(void **state)
{
	static const struct number_case cases[] = {
		{0, "0 ns"},	      {7, "7 ns"},
		{822, "822 ns"},      {0.5, "0.500 ns"},
		{999.4, "999 ns"},    {1000, "1.00 us"},
		{33267, "33.3 us"},   {405000, "405 us"},
		{999499, "999 us"},   {999600, "1.00 ms"}, /* never 1000 us */
		{9444000, "9.44 ms"}, {13400000, "13.4 ms"},
		{1e9, "1.00 s"},      {9.996e9, "10.0 s"}, /* three digits, not 10.00 */
		{-112000, "-112 us"}, {NAN, "-"},
		{INFINITY, "inf"},    {2.31e18, "2.31e+09 s"},
	};

	(void)state;
	check_numbers(format_duration, cases, COUNT_OF(cases));
}

static void test_duration_of_extremes_fits(void **state)
{
	static const double values[] = {9.2e18, 1.8e19, 1e300, INFINITY, -1e300, 5e-324};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(values); i++) {
		char out[NUMBER_SIZE];

		assert_in_range(strlen(format_duration(out, values[i])), 1, NUMBER_SIZE - 1);
	}
}

static void test_share(void **state)
{
	static const struct number_case cases[] = {
		{0, "0.0%"}, {0.103, "10.3%"}, {1, "100.0%"}, {NAN, "-"}};

	(void)state;
	check_numbers(format_share, cases, COUNT_OF(cases));
}

static void test_probability(void **state)
{
	static const struct number_case cases[] = {
		{0.5, "0.5"},	    {0.1, "0.1"},   {0.01, "0.01"},   {1e-3, "1e-3"},
		{2.5e-4, "2.5e-4"}, {1e-9, "1e-9"}, {1e-10, "1e-10"}, {1e-15, "1e-15"},
	};

	(void)state;
	check_numbers(format_probability, cases, COUNT_OF(cases));
}

static void test_exact_reads_back(void **state)
{
	static const double values[] = {0,     0.1,    1.0 / 3, 1e-15,	618.529,
					1e300, 5e-324, 120.28,	-0.227, 9007199254740993.0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(values); i++) {
		char out[NUMBER_SIZE];

		assert_true(strtod(format_exact(out, values[i]), NULL) == values[i]);
	}
	char out[NUMBER_SIZE];

	assert_string_equal(format_exact(out, 0.1), "0.1");
	assert_string_equal(format_exact(out, 50), "50");
}

static void test_count(void **state)
{
	static const struct {
		uint64_t count;
		const char *text;
	} cases[] = {
		{0, "0"},
		{999, "999"},
		{1000, "1,000"},
		{12002, "12,002"},
		{1234567, "1,234,567"},
		{UINT64_MAX, "18,446,744,073,709,551,615"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char out[NUMBER_SIZE];

		assert_string_equal(format_count(out, cases[i].count), cases[i].text);
	}
}

static void test_parse_duration(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{"300", 300},	    {"300ns", 300},	{"10us", 10000}, {"33.267 us", 33267},
		{"2.5ms", 2500000}, {"1s", 1000000000}, {"0", 0},
	};
	static const char *const bad[] = {"", "us", "-1us", "10 parsecs", "nan", "1e30s", "10us x"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		uint64_t ns = 1;

		assert_int_equal(parse_duration(good[i].text, &ns, NULL), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct error err = {""};
		uint64_t ns;

		assert_int_equal(parse_duration(bad[i], &ns, &err), -1);
		assert_non_null(strstr(err.text, bad[i]));
	}
}

static void test_text_grows(void **state)
{
	struct text text = {0};
	char long_word[2000];

	(void)state;
	memset(long_word, 'x', sizeof long_word - 1);
	long_word[sizeof long_word - 1] = '\0';
	text_puts(&text, "a");
	text_printf(&text, "%d %s", 42, long_word); /* longer than any buffer on the stack */
	text_add(&text, "b\0c", 3);
	assert_int_equal(text.n, 1 + 3 + 1999 + 3);
	assert_memory_equal(text.bytes, "a42 xxx", 7);
	assert_memory_equal(text.bytes + text.n - 4, "xb\0c", 5);
	text_clear(&text);
	assert_string_equal(text.bytes, "");
	text_release(&text);
	assert_null(text.bytes);
}

static void test_error_may_be_unwanted(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(error_set(NULL, "cannot open '%s'", "x"), -1);
	assert_int_equal(error_set(&err, "cannot open '%s'", "x"), -1);
	assert_string_equal(err.text, "cannot open 'x'");
}

static void test_natural_order(void **state)
{
	/* each before the next */
	static const char *const names[] = {"",
					    "campaign-2/run-9",
					    "campaign-2/run-10",
					    "campaign-10/run-1",
					    "run",
					    "run-1",
					    "run-2",
					    "run-010",
					    "run-11",
					    "run-a",
					    "run-b"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		for (size_t j = 0; j < COUNT_OF(names); j++) {
			int order = compare_natural(names[i], names[j]);

			assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
		}
}

static void test_printable(void **state)
{
	static const struct {
		const char *text, *printable;
	} cases[] = {
		{"openat", "openat"},
		{"a\x1b[31mb", "a?[31mb"}, /* escape */
		{"tab\there\n", "tab?here?"},
		{"\x7f", "?"},
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
		{"\xc2\x9b"
		 "31m",
		 "??31m"},		 /* CSI as one C1 character */
		{"\xc0\xaf", "??"},	 /* overlong slash */
		{"\xed\xa0\x80", "???"}, /* surrogate */
		{"cut \xe2\x82", "cut ??"},
		{"\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7"},
		{"\xf4\x90\x80\x80", "????"}, /* past the last code */
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char out[64];

		assert_string_equal(text_printable(out, sizeof out, cases[i].text),
				    cases[i].printable);
	}
}

static void test_printable_never_cuts_a_character(void **state)
{
	char out[4];

	(void)state;
	assert_string_equal(text_printable(out, sizeof out, "ab\xc3\xbc"), "ab");
	assert_string_equal(text_printable(out, 1, "ab"), "");
}

static void test_settings_defaults(void **state)
{
	struct settings settings;

	(void)state;
	settings_init(&settings);
	assert_string_equal(identity_word(settings.identity), "clean");
	assert_string_equal(stratum_word(settings.stratum), "undisturbed");
	assert_string_equal(time_word(settings.time), "whole");
	assert_string_equal(model_word(settings.model), "gev");
	assert_string_equal(estimator_word(settings.estimator), "mle");
	assert_string_equal(interval_word(settings.interval), "profile");
	assert_string_equal(unit_word(settings.unit), "executions");
	assert_string_equal(block_unit_word(settings.block_unit), "executions");
	assert_string_equal(tests_word(settings.tests), "quick");
	assert_int_equal(settings.block_size, 50);
	assert_true(settings.level == 0.95 && settings.probability == 1e-9);
	assert_int_equal(settings.seed, 1);
	assert_false(settings.force);
}

static void test_block_sizes_ascend(void **state)
{
	(void)state;
	assert_int_equal(block_size_steps[0], 10);
	assert_int_equal(block_size_steps[n_block_size_steps - 1], 16000);
	for (size_t i = 1; i < n_block_size_steps; i++)
		assert_true(block_size_steps[i - 1] < block_size_steps[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_duration_of_extremes_fits),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_probability),
		cmocka_unit_test(test_exact_reads_back),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_parse_duration),
		cmocka_unit_test(test_text_grows),
		cmocka_unit_test(test_error_may_be_unwanted),
		cmocka_unit_test(test_natural_order),
		cmocka_unit_test(test_printable),
		cmocka_unit_test(test_printable_never_cuts_a_character),
		cmocka_unit_test(test_settings_defaults),
		cmocka_unit_test(test_block_sizes_ascend),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
