/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands share: errors, options as others take them, loading, output. */
#include "evtop/cli.h"
#include "evtop/draw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPLAINT_MOST 1200

void complain(const char *format, ...)
{
	char line[COMPLAINT_MOST], shown[COMPLAINT_MOST];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	fprintf(stderr, "evtop: %s\n", text_printable(shown, sizeof shown, line));
}

int complain_usage(enum command_id command, const char *text)
{
	const char *name = command_table[command].name;

	complain("%s (see 'evtop %s%s--help')", text, name ? name : "", name ? " " : "");
	return STATUS_USAGE;
}

void options_load(const struct options *options, bool node_times, struct load_options *load)
{
	*load = (struct load_options){
		.n_jobs = options->jobs,
		.digest = options->digest == 0,
		.node_times = node_times,
		.roots = options->roots.items,
		.n_roots = options->roots.n,
		.opaque = options->opaque.items,
		.n_opaque = options->opaque.n,
		.pids = options->pids.items,
		.n_pids = options->pids.n,
		.comms = options->comms.items,
		.n_comms = options->comms.n,
		.cpus = options->cpus.items,
		.n_cpus = options->cpus.n,
		.syscalls = options->syscalls.items,
		.n_syscalls = options->syscalls.n,
		.emulated = EMULATION_UNKNOWN,
		.formats = options->formats,
	};
	if (option_given(options, "emulated"))
		load->emulated = options->emulated == 0	  ? EMULATION_NO
				 : options->emulated == 1 ? EMULATION_HOST
							  : EMULATION_COUNTED;
}

void options_report(const struct options *options, const struct load_options *load,
		    struct report_options *report)
{
	*report = (struct report_options){
		.settings = options->settings,
		.tests_given = option_given(options, "tests"),
		.stratum_given = option_given(options, "stratum"),
		.top = options->top,
		.jobs = options->jobs,
		.path = options->path,
		.deadlines = options->deadlines.items,
		.n_deadlines = options->deadlines.n,
		.load = load,
	};
}

#define COMPLAINTS_MOST 20

struct recording *load_operands(const struct options *options, int first,
				const struct load_options *load)
{
	const char *const *paths = (const char *const *)options->operands + first;
	struct recording *recording =
		recording_load(paths, (size_t)(options->n_operands - first), load, NULL);
	uint32_t read = 0;

	for (uint32_t i = 0; i < recording->n_inputs; i++) {
		const struct input *input = &recording->inputs[i];

		if (input->error)
			complain("cannot read '%s': %s", input->path, input->error);
		else
			read++;
	}
	for (uint32_t i = 0; i < recording->n_complaints && i < COMPLAINTS_MOST; i++)
		complain("'%s': %s", recording->complaints[i].file,
			 recording->complaints[i].reason);
	if (recording->n_complaints > COMPLAINTS_MOST)
		complain("and %u more files with something wrong in them",
			 (unsigned)(recording->n_complaints - COMPLAINTS_MOST));
	if (read)
		return recording;
	recording_free(recording);
	return NULL;
}

bool check_theme(const struct options *options)
{
	struct theme theme;
	struct error err;

	if (options->given[option_find("theme")] != FROM_COMMAND_LINE ||
	    !theme_load(&theme, options->theme, &err))
		return true;
	complain("%s", err.text);
	return false;
}

void note_identity(const struct options *options, const struct report_found *found,
		   const char *prefix)
{
	if (found->identity != options->settings.identity)
		complain("no %s path has an id that begins with '%s', but a %s one has: that is "
			 "shown",
			 identity_word(options->settings.identity), prefix,
			 identity_word(found->identity));
}

bool check_syscalls(const struct options *options, const struct recording *recording)
{
	bool any = !options->syscalls.n;

	for (size_t i = 0; i < options->syscalls.n; i++) {
		const struct call *call =
			recording_find_call(recording, options->syscalls.items[i]);

		if (call && call->n_executions)
			any = true;
		else
			complain("no execution of '%s' in what was read",
				 options->syscalls.items[i]);
	}
	return any;
}

int write_output(const struct options *options, const struct text *text)
{
	struct error err;

	if (options->output && strcmp(options->output, "-")) {
		if (!report_write_file(options->output, text, &err))
			return STATUS_DONE;
		complain("%s", err.text);
		return STATUS_FAILED;
	}
	if (fwrite(text->bytes, 1, text->n, stdout) == text->n && !fflush(stdout))
		return STATUS_DONE;
	complain("cannot write to standard output: %s", strerror(errno));
	return STATUS_FAILED;
}
