/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line by getopt_long, and the configuration file. */
#include "evtop/cli.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void options_init(struct options *options)
{
	*options = (struct options){
		.campaigns = 1, .runs = 1, .top = 10, .width_cols = 80, .height_rows = 24};
	settings_init(&options->settings);
}

void options_release(struct options *options)
{
	free(options->syscalls.items);
	free(options->roots.items);
	free(options->opaque.items);
	free(options->comms.items);
	free(options->events.items);
	free(options->pids.items);
	free(options->cpus.items);
	for (size_t i = 0; i < options->deadlines.n; i++)
		free(options->deadlines.items[i].call);
	free(options->deadlines.items);
	text_release(&options->file);
	*options = (struct options){0};
}

void options_settle(struct options *options)
{
	struct settings *settings = &options->settings;

	if (!option_given(options, "stratum"))
		settings->stratum =
			settings->identity == IDENTITY_RAW ? STRATUM_ALL : STRATUM_UNDISTURBED;
	if (!option_given(options, "interval"))
		settings->interval = settings->estimator == ESTIMATOR_LMOMENTS ? INTERVAL_BOOTSTRAP
									       : INTERVAL_PROFILE;
	if (!option_given(options, "tests"))
		settings->tests = TESTS_FULL;
}

/* ---- command line ---- */

#define LONG_BASE 256 /* getopt's values of long options: above every letter */

static int next_option(int argc, char **argv, const char *letters, const struct option *longs)
{
	int found = getopt_long(argc, argv, letters, longs, NULL);

	for (size_t i = 0; found > 0 && found < LONG_BASE && i < n_option_table; i++)
		if (option_table[i].letter == found)
			return LONG_BASE + (int)i;
	return found;
}

/* What getopt did not take, as the user wrote it. */
static int refuse(int found, int letter, char **argv, struct error *err)
{
	char shown[128];

	if (letter >= LONG_BASE)
		return error_set(err, "option '%s' %s", option_table[letter - LONG_BASE].name,
				 found == ':' ? "needs a value" : "takes no value");
	if (letter)
		return error_set(
			err, found == ':' ? "option '-%c' needs a value" : "unknown option '-%c'",
			isprint(letter) ? letter : '?');
	text_printable(shown, sizeof shown, argv[optind - 1]);
	return error_set(err, "unknown or ambiguous option '%s'", shown);
}

int options_read_arguments(struct options *options, enum command_id command, int argc, char **argv,
			   struct error *err)
{
	struct option longs[N_OPTIONS_MAX + 1] = {{0}};
	char letters[2 * N_OPTIONS_MAX + 3] = "+:";
	/* with the plus the first word that is no option ends them */
	const char *order = letters + !command_table[command].takes_command;
	size_t n = 0, at = 2;
	int found;

	for (size_t i = 0; i < n_option_table; i++) {
		const struct option_row *row = &option_table[i];
		bool alone = row->kind == OPTION_FLAG || row->kind == OPTION_CHOICE;

		if (!(row->commands & 1u << command))
			continue;
		longs[n++] = (struct option){row->name, alone ? no_argument : required_argument,
					     NULL, LONG_BASE + (int)i};
		if (row->letter)
			letters[at++] = row->letter;
		if (row->letter && !alone)
			letters[at++] = ':';
	}
	optind = 0; /* start anew, also where it has run before */
	opterr = 0;
	while ((found = next_option(argc, argv, order, longs)) != -1) {
		if (found == '?' || found == ':')
			return refuse(found, optopt, argv, err);
		if (option_set(options, found - LONG_BASE, optarg, FROM_COMMAND_LINE, err))
			return -1;
	}
	options->operands = argv + optind;
	options->n_operands = argc - optind;
	return 0;
}

/* ---- configuration file ---- */

void options_default_file(struct text *file)
{
	const char *base = getenv("XDG_CONFIG_HOME");

	text_clear(file);
	text_puts(file, "");
	if (base && *base == '/') {
		text_printf(file, "%s/evtop/config", base);
	} else {
		base = getenv("HOME");
		if (base && *base)
			text_printf(file, "%s/.config/evtop/config", base);
	}
}

static char *strip(char *text)
{
	char *end = text + strlen(text);

	while (isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

static int read_line(struct options *options, char *line, struct error *err)
{
	char *value, *name;
	int row;

	name = strip(line);
	if (!*name || *name == '#')
		return 0;
	value = strchr(name, '=');
	if (value) {
		*value++ = '\0';
		value = strip(value);
	}
	name = strip(name);
	row = option_find(name);
	if (row < 0)
		return error_set(err, "unknown option '%s'", name);
	if (option_table[row].command_only)
		return error_set(err, "option '%s' is for the command line only", name);
	return option_set(options, row, value, FROM_FILE, err);
}

#define CONFIG_MOST (1 << 20)

static int read_whole(const char *file, struct text *text, struct error *err)
{
	char buffer[4096];
	size_t n;
	FILE *stream = fopen(file, "re");
	int failed;

	if (!stream)
		return errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : error_set(err, "cannot open '%s': %s", file, strerror(errno));
	while (text->n <= CONFIG_MOST && (n = fread(buffer, 1, sizeof buffer, stream)) > 0)
		text_add(text, buffer, n);
	failed = ferror(stream) ? errno : 0;
	fclose(stream);
	if (failed)
		return error_set(err, "cannot read '%s': %s", file, strerror(failed));
	if (text->n > CONFIG_MOST)
		return error_set(err, "'%s' is no configuration file: longer than 1 MiB", file);
	return 0;
}

int options_read_file(struct options *options, const char *file, struct error *err)
{
	unsigned line_number = 0;
	char *line, *end;

	text_clear(&options->file);
	if (read_whole(file, &options->file, err))
		return -1;
	for (line = options->file.bytes; line && *line; line = end) {
		struct error why;

		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		else
			end = line + strlen(line);
		line_number++;
		if (read_line(options, line, &why))
			return error_set(err, "%s:%u: %.800s", file, line_number, why.text);
	}
	return 0;
}
