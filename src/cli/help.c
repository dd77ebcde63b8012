/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --help and the manual, from the tables. */
#include "evtop/cli.h"

#include <string.h>

#define HELP_COLS 79

/* Text in lines of at most HELP_COLS, from column at on, indented by indent. */
static void wrap(struct text *out, size_t at, size_t indent, const char *words)
{
	bool first = true;

	while (*words) {
		size_t n = strcspn(words, " ");

		if (!first && at + 1 + n > HELP_COLS) {
			text_puts(out, "\n");
			at = 0;
			first = true;
		}
		if (first && at < indent) {
			text_printf(out, "%*s", (int)(indent - at), "");
			at = indent;
		} else if (!first) {
			text_puts(out, " ");
			at++;
		}
		text_add(out, words, n);
		at += n;
		first = false;
		words += n + (words[n] == ' ');
	}
	text_puts(out, "\n");
}

#define HELP_INDENT 30

static void help_option(const struct option_row *row, struct text *out)
{
	size_t start = out->n;

	text_puts(out, "  ");
	if (row->letter)
		text_printf(out, "-%c, ", row->letter);
	text_printf(out, "--%s", row->name);
	option_argument(row, out);
	if (out->n - start > HELP_INDENT - 2) {
		text_puts(out, "\n");
		start = out->n;
	}
	wrap(out, out->n - start, HELP_INDENT, row->help);
}

void help_write(enum command_id command, struct text *out)
{
	const char *name = command_table[command].name;

	text_puts(out, "evtop explores Linux system-call traces: paths of execution, their times, "
		       "and\nhow long each can take.\n\n");
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (name && i != command)
			continue;
		text_printf(out, "%s evtop %s\n",
			    i && !name ? "      " : "Usage:", command_table[i].synopsis);
		wrap(out, 0, 11, command_table[i].help);
	}
	for (size_t group = 0; group < N_GROUPS; group++) {
		text_printf(out, "\n%s:\n", option_groups[group]);
		for (size_t i = 0; i < n_option_table; i++)
			if (option_table[i].group == group &&
			    (!name || option_table[i].commands & 1u << command))
				help_option(&option_table[i], out);
	}
	text_puts(out, "\nDefaults may stand in $XDG_CONFIG_HOME/evtop/config as lines 'name = "
		       "value'.\nExit status: 0 done, 1 could not do it, 2 wrong usage. The manual "
		       "is evtop(1).\n");
}

void version_write(struct text *out)
{
	text_puts(out, "evtop " PACKAGE_VERSION "\n"
		       "License GPL-3.0-or-later: you may change and share it; there is no "
		       "warranty.\n");
}

/* ---- manual ---- */

void manual_escape(struct text *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		text_puts(out, "\\&");
	for (; *text; text++) {
		if (*text == '\\')
			text_puts(out, "\\e");
		else if (*text == '-')
			text_puts(out, "\\-");
		else
			text_add(out, text, 1);
	}
}

/* "[OPTIONS] PATH..." with what the user replaces in italics. */
static void manual_synopsis(struct text *out, const char *synopsis)
{
	while (*synopsis) {
		size_t n = strcspn(synopsis, " ");
		char word[64];
		bool variable = *synopsis == '[' || (*synopsis >= 'A' && *synopsis <= 'Z');

		if (n >= sizeof word)
			n = sizeof word - 1;
		memcpy(word, synopsis, n);
		word[n] = '\0';
		text_puts(out, variable ? " \\fI" : " \\fB");
		manual_escape(out, word);
		text_puts(out, "\\fR");
		synopsis += n + (synopsis[n] == ' ');
	}
}

void manual_usage(struct text *out)
{
	for (size_t i = 0; i < N_COMMANDS; i++) {
		text_puts(out, i ? ".br\n\\fBevtop\\fR" : "\\fBevtop\\fR");
		manual_synopsis(out, command_table[i].synopsis);
		text_puts(out, "\n");
	}
}

void manual_commands(struct text *out)
{
	for (size_t i = 0; i < N_COMMANDS; i++) {
		text_puts(out, ".TP\n\\fBevtop\\fR");
		manual_synopsis(out, command_table[i].synopsis);
		text_puts(out, "\n");
		manual_escape(out, command_table[i].help);
		text_puts(out, "\n");
	}
}

static void manual_option(const struct option_row *row, struct text *out)
{
	struct text argument = {0};

	text_puts(out, ".TP\n");
	if (row->letter)
		text_printf(out, "\\fB\\-%c\\fR, ", row->letter);
	text_puts(out, "\\fB\\-\\-");
	manual_escape(out, row->name);
	text_puts(out, "\\fR");
	text_puts(&argument, "");
	option_argument(row, &argument);
	if (argument.n) {
		text_puts(out, row->n_words ? "=\\fB" : "=\\fI");
		manual_escape(out, argument.bytes + 1);
		text_puts(out, "\\fR");
	}
	text_release(&argument);
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (row->commands == 1u << i && command_table[i].name)
			text_printf(out, " (\\fB%s\\fR)", command_table[i].name);
	text_puts(out, "\n");
	manual_escape(out, row->help);
	text_puts(out, "\n");
}

void manual_options(struct text *out)
{
	for (size_t group = 0; group < N_GROUPS; group++) {
		text_puts(out, ".SS ");
		manual_escape(out, option_groups[group]);
		text_puts(out, "\n");
		for (size_t i = 0; i < n_option_table; i++)
			if (option_table[i].group == group)
				manual_option(&option_table[i], out);
	}
}
