/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evtop report */
#include "evtop/cli.h"

typedef int report_writer(const struct recording *recording, const struct report_options *options,
			  struct text *out, struct error *err);

static report_writer *const writers[] = {
	[FORMAT_TEXT] = report_text,
	[FORMAT_JSON] = report_json,
	[FORMAT_CSV] = report_csv,
};

/* A deadline of a call that is not there is most often a slip. */
static void check_deadlines(const struct options *options, const struct recording *recording)
{
	for (size_t i = 0; i < options->deadlines.n; i++)
		if (!recording_find_call(recording, options->deadlines.items[i].call))
			complain("no execution of '%s' to judge against its deadline",
				 options->deadlines.items[i].call);
}

int report_recording(const struct options *options, const struct recording *recording,
		     const struct load_options *load)
{
	struct report_options report_options;
	struct report_found found;
	struct text out = {0};
	struct error err;
	int status = STATUS_FAILED;

	if (!check_syscalls(options, recording))
		return STATUS_FAILED;
	check_deadlines(options, recording);
	options_report(options, load, &report_options);
	/* where there is none, the writer says so */
	if (options->path &&
	    !report_find_path(recording, options->settings.identity, options->path, &found, &err))
		note_identity(options, &found, options->path);
	if (writers[options->format](recording, &report_options, &out, &err))
		complain("%s", err.text);
	else
		status = write_output(options, &out);
	text_release(&out);
	return status;
}

int command_report(struct options *options)
{
	struct load_options load;
	struct recording *recording;
	int status;

	if (!options->n_operands)
		return complain_usage(COMMAND_REPORT, "no recording named");
	if (!check_theme(options))
		return STATUS_USAGE;
	options_load(options, false, &load);
	recording = load_operands(options, 0, &load);
	if (!recording)
		return STATUS_FAILED;
	status = report_recording(options, recording, &load);
	recording_free(recording);
	return status;
}
