/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evtop: the explorer, or the text report where there is no terminal for it. */
#include "evtop/cli.h"
#include "evtop/recording.h"
#include "evtop/tui.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct explorer {
	const struct options *options;
	const struct load_options *load;
};

static uint64_t deadline_of(void *owner, const char *call)
{
	const struct deadline_list *deadlines = &((struct explorer *)owner)->options->deadlines;

	for (size_t i = 0; i < deadlines->n; i++)
		if (!strcmp(deadlines->items[i].call, call))
			return deadlines->items[i].time_ns;
	return 0;
}

static int write_marks(void *owner, const struct recording *recording,
		       const struct explore_mark *marks, size_t n_marks, const char *file,
		       struct error *err)
{
	const struct explorer *explorer = owner;
	struct report_mark *chosen = mem_zero(n_marks, sizeof *chosen);
	struct report_options report;
	int status;

	for (size_t i = 0; i < n_marks; i++)
		chosen[i] = (struct report_mark){
			.call = &recording->calls[marks[i].call],
			.path = marks[i].path,
			.settings = marks[i].settings,
			.deadline_ns = marks[i].deadline_ns,
		};
	options_report(explorer->options, explorer->load, &report);
	status = report_marks_file(recording, &report, chosen, n_marks, file, err);
	free(chosen);
	return status;
}

/* Where the trace comes from standard input, keys come from the terminal behind it. */
static bool has_keyboard(void)
{
	int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

	if (terminal >= 0)
		close(terminal);
	return terminal >= 0;
}

const char *no_terminal_reason(bool reads_input)
{
	const char *name = getenv("TERM");

	if (!isatty(STDOUT_FILENO))
		return "standard output is no terminal";
	if (!isatty(STDIN_FILENO) && !(reads_input && has_keyboard()))
		return "standard input is no terminal";
	if (!name || !*name)
		return "TERM is not set";
	if (!strcmp(name, "dumb") || !strcmp(name, "unknown"))
		return "the terminal cannot place a cursor (TERM is dumb)";
	return NULL;
}

static bool reads_input(const struct options *options)
{
	bool any = false;

	for (int i = 0; i < options->n_operands; i++)
		any |= !strcmp(options->operands[i], "-");
	return any;
}

static int save_seen(void *owner, const struct recording *recording, const char *file,
		     struct error *err)
{
	(void)owner;
	return recording_write_evtop(recording, NULL, file, err);
}

/* What recordings and live sources have in common. */
static void fill_options(struct options *options, struct explorer *explorer,
			 struct load_options *load, struct explore_options *explore)
{
	options_load(options, true, load);
	/* a key asks for the tests that take long */
	if (!option_given(options, "tests"))
		options->settings.tests = TESTS_QUICK;
	*explorer = (struct explorer){options, load};
	*explore = (struct explore_options){
		.load = *load,
		.settings = options->settings,
		.theme = options->theme,
		.glyphs = (enum glyphs_choice)options->glyphs,
		.syscall = options->syscalls.n == 1 ? options->syscalls.items[0] : NULL,
		.path_id = options->path,
		.report_file = options->output,
		.script = options->script,
		.width = options->width_cols,
		.height = options->height_rows,
		.deadline = deadline_of,
		.write_report = write_marks,
		.save = save_seen,
		.owner = explorer,
	};
}

int explore_input(struct options *options, const struct live_input *input,
		  const struct explore_session *session)
{
	struct explore_options explore;
	struct load_options load;
	struct explorer explorer;

	fill_options(options, &explorer, &load, &explore);
	explore.live = input;
	explore.session = session;
	return explore_run(&explore);
}

int command_explore(struct options *options)
{
	struct explore_options explore;
	struct load_options load;
	struct explorer explorer;
	const char *reason;

	if (!options->n_operands)
		return complain_usage(COMMAND_EXPLORE, "no recording named");
	reason = options->script ? NULL : no_terminal_reason(reads_input(options));
	if (reason) {
		complain("%s: here is the text report instead", reason);
		return command_report(options);
	}
	fill_options(options, &explorer, &load, &explore);
	explore.paths = (const char *const *)options->operands;
	explore.n_paths = (size_t)options->n_operands;
	return explore_run(&explore);
}
