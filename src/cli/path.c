/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evtop path ID */
#include "evtop/cli.h"

static int show(const struct options *options, const struct recording *recording)
{
	struct report_found found;
	struct text out = {0};
	struct error err;
	int status = STATUS_FAILED;

	if (report_find_path(recording, options->settings.identity, options->operands[0], &found,
			     &err)) {
		complain("%s", err.text);
		return STATUS_FAILED;
	}
	note_identity(options, &found, options->operands[0]);
	if (!options->calls)
		report_tree(recording, &found, &out);
	if (options->calls && report_calls(recording, &found, &out, &err))
		complain("%s", err.text);
	else
		status = write_output(options, &out);
	text_release(&out);
	return status;
}

int command_path(struct options *options)
{
	struct load_options load;
	struct recording *recording;
	int status;

	if (!options->n_operands)
		return complain_usage(COMMAND_PATH, "no path named");
	if (!*options->operands[0])
		return complain_usage(COMMAND_PATH, "an id is empty");
	if (options->n_operands < 2)
		return complain_usage(COMMAND_PATH, "no recording named");
	if (!check_theme(options))
		return STATUS_USAGE;
	options_load(options, !options->calls, &load);
	load.digest = false;
	recording = load_operands(options, 1, &load);
	if (!recording)
		return STATUS_FAILED;
	status = show(options, recording);
	recording_free(recording);
	return status;
}
