/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which function is which command. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "evtop/cli.h"

static int (*const commands[N_COMMANDS])(struct options *options) = {
	[COMMAND_EXPLORE] = command_explore,
	[COMMAND_REPORT] = command_report,
	[COMMAND_PATH] = command_path,
	[COMMAND_IMPORT] = command_import,
	[COMMAND_LIVE] = command_live,
	[COMMAND_RECORD] = command_record,
};

/* The command that a word names; COMMAND_EXPLORE where it is none. */
static enum command_id find_command(const char *word)
{
	for (enum command_id i = 0; i < N_COMMANDS; i++)
		if (word && command_table[i].name && !strcmp(word, command_table[i].name))
			return i;
	return COMMAND_EXPLORE;
}

static bool is_to_come(const char *word)
{
	for (size_t i = 0; word && commands_to_come[i]; i++)
		if (!strcmp(word, commands_to_come[i]))
			return true;
	return false;
}

/* Command line first, then what it leaves open from the file. */
static int run(struct options *options, enum command_id command, int argc, char **argv)
{
	struct text text = {0};
	struct error err;
	int status;

	if (options_read_arguments(options, command, argc, argv, &err))
		return complain_usage(command, err.text);
	if (options->help || options->version) {
		if (options->help)
			help_write(command, &text);
		else
			version_write(&text);
		options->output = NULL;
		status = write_output(options, &text);
		text_release(&text);
		return status;
	}
	options_default_file(&text);
	status = *text.bytes ? options_read_file(options, text.bytes, &err) : 0;
	text_release(&text);
	if (status) {
		complain("%s", err.text);
		return STATUS_USAGE;
	}
	options_settle(options);
	return commands[command](options);
}

int main(int argc, char **argv)
{
	/* of a locale only the characters: numbers are the same everywhere */
	setlocale(LC_CTYPE, "");
	stats_init();

	struct options options;
	const char *word = argc > 1 ? argv[1] : NULL;
	enum command_id command = find_command(word);
	int named = command != COMMAND_EXPLORE, status;

	if (is_to_come(word)) {
		complain("'%s' is not available in this version", word);
		return STATUS_USAGE;
	}
	options_init(&options);
	status = run(&options, command, argc - named, argv + named);
	options_release(&options);
	return status;
}
