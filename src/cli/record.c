/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evtop record */
#include "evtop/cli.h"
#include "evtop/ftrace.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void options_trace(const struct options *options, struct ftrace_options *trace)
{
	*trace = (struct ftrace_options){
		.syscalls = options->syscalls.items,
		.n_syscalls = options->syscalls.n,
		.functions = options->roots.items,
		.n_functions = options->roots.n,
		.buffer_kb = options->buffer_kb,
		.clock = options->clock,
		.depth = options->depth,
		.events = options->events.items,
		.n_events = options->events.n,
		.take_over = options->take_over,
	};
}

static volatile int stop;

static void on_stop(int number)
{
	(void)number;
	stop = 1;
}

static void watch_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction action = {.sa_handler = on_stop};

	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		sigaction(numbers[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

struct teller {
	bool terminal;
	bool begun; /* a line of progress stands on the terminal */
	uint32_t told;
};

static void format_left(double seconds, char out[32])
{
	if (seconds < 0)
		snprintf(out, 32, "-");
	else if (seconds < 100)
		snprintf(out, 32, "%.0f s", seconds);
	else if (seconds < 6000)
		snprintf(out, 32, "%.0f min", seconds / 60);
	else
		snprintf(out, 32, "%.1f h", seconds / 3600);
}

/* On a terminal one line that changes; else a line for each tenth of the way. */
static void tell(void *owner, const struct campaign_progress *progress)
{
	struct teller *teller = owner;
	uint32_t tenth =
		progress->total ? (uint32_t)((uint64_t)progress->done * 10 / progress->total) : 10;
	char left[32];

	if (!teller->terminal && teller->begun && tenth == teller->told)
		return;
	teller->told = tenth;
	teller->begun = true;
	format_left(progress->seconds_left, left);
	fprintf(stderr, "%sevtop: %u of %u runs, %u with losses, %s left%s",
		teller->terminal ? "\r" : "", (unsigned)progress->done, (unsigned)progress->total,
		(unsigned)progress->lossy, left, teller->terminal ? "   " : "\n");
	fflush(stderr);
}

static void end_line(struct teller *teller)
{
	if (teller->terminal && teller->begun)
		fputc('\n', stderr);
	teller->begun = false;
}

static void note(void *owner, const char *line)
{
	end_line(owner);
	complain("%s", line);
}

static const char *emulated_given(const struct options *options)
{
	static const char *const words[] = {"no", "host", "counted"};

	return option_given(options, "emulated") ? words[options->emulated] : NULL;
}

int command_record(struct options *options)
{
	struct teller teller = {.terminal = isatty(STDERR_FILENO)};
	const struct campaign_watcher watcher = {tell, note, &teller};
	struct campaign_options campaign = {
		.command = options->operands,
		.folder = options->output,
		.campaigns = options->campaigns,
		.runs = options->runs,
		.repeat_lossy = options->repeat_lossy,
		.text = options->text_runs,
		.label = options->label,
		.version = PACKAGE_VERSION,
		.emulated = emulated_given(options),
	};
	struct error err = {""};
	int status;

	if (!options->n_operands)
		return complain_usage(COMMAND_RECORD, "no command named");
	if (!options->output)
		return complain_usage(COMMAND_RECORD, "no folder named: -o FOLDER");
	if ((uint64_t)campaign.campaigns * campaign.runs > 100000000)
		return complain_usage(COMMAND_RECORD, "more than 100 million runs");
	options_trace(options, &campaign.trace);
	watch_signals();
	status = campaigns_record(&campaign, &watcher, &stop, &err);
	end_line(&teller);
	if (status < 0)
		complain("%s", err.text);
	else if (status > 0)
		complain("interrupted: the same command line goes on from here");
	return status ? STATUS_FAILED : STATUS_DONE;
}
