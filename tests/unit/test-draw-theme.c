/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Themes: what the parser takes, what it says of the rest, colours on terminals of few. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evtop/draw.h"

static void test_lines(void **state)
{
	static const char content[] = "# a comment\n"
				      "\n"
				      "series-a = 81/bright-cyan default bold\n"
				      "bad =\tred 160 bold underline # why\r\n"
				      "dim = 245 default\n"
				      "text = default";
	struct theme theme;
	struct error err;
	const struct style *style;

	(void)state;
	assert_int_equal(theme_parse(&theme, "own", "own", content, &err), 0);
	assert_string_equal(theme.name, "own");
	style = &theme.styles[ROLE_A];
	assert_int_equal(style->fg, 81);
	assert_int_equal(style->fg_basic, 14);
	assert_int_equal(style->bg, COLOUR_DEFAULT);
	assert_int_equal(style->attributes, STYLE_BOLD);
	style = &theme.styles[ROLE_BAD];
	assert_int_equal(style->fg, 1);
	assert_int_equal(style->bg, 160);
	/* 160 is (4,0,0) of the cube of 6: bright red of the 16 */
	assert_int_equal(style->bg_basic, 9);
	assert_int_equal(style->attributes, STYLE_BOLD | STYLE_UNDERLINE);
	/* 245 is a middle grey */
	assert_int_equal(theme.styles[ROLE_DIM].fg_basic, 7);
	/* what the file does not name is as in mono */
	assert_int_equal(theme.styles[ROLE_SELECTION].attributes, STYLE_REVERSE);
}

static void test_errors_name_the_line(void **state)
{
	static const struct {
		const char *content, *said;
	} cases[] = {
		{"text default default", "t:1: expected 'role = foreground background attributes'"},
		{"\n\ntitel = red", "t:3: 'titel' is no role"},
		{"title = rde", "t:1: 'rde' is no colour (default, a name such as bright-red, "
				"0..255, 208/yellow)"},
		{"title = 256", "t:1: '256' is no colour (default, a name such as bright-red, "
				"0..255, 208/yellow)"},
		{"title = 25x", "t:1: '25x' is no colour (default, a name such as bright-red, "
				"0..255, 208/yellow)"},
		{"title = 25/rde", "t:1: '25/rde' is no colour (default, a name such as "
				   "bright-red, 0..255, 208/yellow)"},
		{"title =", "t:1: 'title' has no foreground"},
		{"title = red red blink",
		 "t:1: 'blink' is no attribute (bold, dim, underline, reverse, italic)"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct theme theme;
		struct error err;

		assert_int_equal(theme_parse(&theme, "t", "t", cases[i].content, &err), -1);
		assert_string_equal(err.text, cases[i].said);
	}
}

static void test_few_colours(void **state)
{
	struct theme theme;
	struct style style;

	(void)state;
	assert_int_equal(theme_parse(&theme, "t", "t",
				     "warning = 215/bright-yellow default\n"
				     "selection = default 24/blue bold\n",
				     NULL),
			 0);
	style = theme_style(&theme, ROLE_WARNING, ROLE_TEXT, 256);
	assert_int_equal(style.fg, 215);
	assert_int_equal(style.attributes, 0);
	style = theme_style(&theme, ROLE_WARNING, ROLE_TEXT, 16);
	assert_int_equal(style.fg, 11);
	/* bold makes bright of eight */
	style = theme_style(&theme, ROLE_WARNING, ROLE_TEXT, 8);
	assert_int_equal(style.fg, 3);
	assert_int_equal(style.attributes, STYLE_BOLD);
	style = theme_style(&theme, ROLE_WARNING, ROLE_TEXT, 0);
	assert_int_equal(style.fg, COLOUR_DEFAULT);
	/* what lies over a cell keeps the cell's colour where it has none of its own */
	style = theme_style(&theme, ROLE_WARNING, ROLE_SELECTION, 256);
	assert_int_equal(style.fg, 215);
	assert_int_equal(style.bg, 24);
	assert_int_equal(style.attributes, STYLE_BOLD);
}

static bool same_style(struct style a, struct style b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attributes == b.attributes;
}

/* Each file of themes/ names every role, and shows the selection and bad news at any colours. */
static void test_themes_that_come_along(void **state)
{
	static const char *const names[] = {"default", "mono", "light", "colour-blind"};
	static const int colours[] = {0, 8, 16, 256};
	const char *source = getenv("top_srcdir");

	(void)state;
	if (!source)
		skip();
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct theme theme;
		struct error err;
		char file[1024], line[256];
		bool named[ROLE_COUNT] = {false};
		FILE *in;

		snprintf(file, sizeof file, "%s/themes/%s", source, names[i]);
		assert_int_equal(theme_load(&theme, file, &err), 0);
		assert_string_equal(theme.name, names[i]);
		in = fopen(file, "r");
		assert_non_null(in);
		while (fgets(line, sizeof line, in))
			for (int role = 0; role < ROLE_COUNT; role++) {
				size_t n = strlen(role_infos[role].name);

				if (!strncmp(line, role_infos[role].name, n) && line[n] == ' ')
					named[role] = true;
			}
		fclose(in);
		for (int role = 0; role < ROLE_COUNT; role++)
			assert_true(named[role]);
		for (size_t j = 0; j < COUNT_OF(colours); j++) {
			struct style text = theme_style(&theme, ROLE_TEXT, ROLE_TEXT, colours[j]);

			assert_false(same_style(
				text, theme_style(&theme, ROLE_TEXT, ROLE_SELECTION, colours[j])));
			assert_false(same_style(
				text, theme_style(&theme, ROLE_BAD, ROLE_TEXT, colours[j])));
		}
	}
}

static void test_a_theme_that_is_not_there(void **state)
{
	struct theme theme;
	struct error err;

	(void)state;
	assert_int_equal(theme_load(&theme, "no-such-theme", &err), -1);
	assert_non_null(strstr(err.text, "there is no theme 'no-such-theme'"));
	assert_int_equal(theme_load(&theme, "/nowhere/theme", &err), -1);
	assert_string_equal(err.text,
			    "cannot read theme '/nowhere/theme': No such file or directory");
	/* this one needs no file */
	assert_int_equal(theme_load(&theme, "mono", &err), 0);
}

static void test_roles_table(void **state)
{
	(void)state;
	for (int i = 0; i < ROLE_COUNT; i++) {
		assert_true(role_infos[i].name && *role_infos[i].help);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(role_infos[i].name, role_infos[j].name);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_errors_name_the_line),
		cmocka_unit_test(test_few_colours),
		cmocka_unit_test(test_themes_that_come_along),
		cmocka_unit_test(test_a_theme_that_is_not_there),
		cmocka_unit_test(test_roles_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
