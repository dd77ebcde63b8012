/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evtop import */
#include <stdlib.h>
#include <string.h>

#include "evtop/cli.h"

static void add_texts(struct text *words, const char *option, const struct string_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		text_printf(words, "%s--%s=%s", words->n ? " " : "", option, list->items[i]);
}

static void add_numbers(struct text *words, const char *option, const struct number_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		text_printf(words, "%s--%s=%d", words->n ? " " : "", option, list->items[i]);
}

/* What is chosen while reading can be chosen otherwise no more: the file says it. */
static void describe_reading(const struct options *options, struct text *words)
{
	add_texts(words, "syscall", &options->syscalls);
	add_texts(words, "root", &options->roots);
	add_texts(words, "opaque", &options->opaque);
	add_texts(words, "comm", &options->comms);
	add_numbers(words, "pid", &options->pids);
	add_numbers(words, "cpu", &options->cpus);
}

int command_import(struct options *options)
{
	struct load_options load;
	struct recording *recording;
	struct text words = {0};
	struct error err;
	int status = STATUS_DONE;

	if (!options->n_operands)
		return complain_usage(COMMAND_IMPORT, "no recording named");
	if (!options->output || strcmp(options->output, "-") == 0)
		return complain_usage(COMMAND_IMPORT, "no file to write: -o FILE.evtop");
	options_load(options, true, &load);
	recording = load_operands(options, 0, &load);
	if (!recording)
		return STATUS_FAILED;
	describe_reading(options, &words);
	if (recording_write_evtop(recording, words.bytes, options->output, &err)) {
		complain("%s", err.text);
		status = STATUS_FAILED;
	}
	text_release(&words);
	recording_free(recording);
	return status;
}
