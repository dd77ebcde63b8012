/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evtop live */
#include "evtop/cli.h"
#include "evtop/ftrace.h"
#include "evtop/recording.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

static int undo(const struct options *options)
{
	struct error err;
	bool done;

	if (ftrace_undo(NULL, options->take_over, &done, &err)) {
		complain("%s", err.text);
		return STATUS_FAILED;
	}
	puts(done ? "evtop: the settings of ftrace are restored" : "evtop: nothing to undo");
	return STATUS_DONE;
}

/* A signal that ends reading; the first of them leaves time for the report. */
static volatile sig_atomic_t ended;

static void on_end(int number)
{
	(void)number;
	ended = 1;
}

static void watch_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
	struct sigaction action = {.sa_handler = on_end};

	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		sigaction(numbers[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* What is kept of pages until the report is made. */
#define KEPT_BYTES_MOST ((size_t)1 << 30)
#define READ_EVERY_MS 100

static int read_until_end(struct ftrace *ftrace, const struct held_command *command,
			  struct run_pages *pages, struct error *err)
{
	/* a child that ended before we looked has left its signal */
	while (!ended) {
		if (command->pid > 0 && waitpid(command->pid, NULL, WNOHANG) == command->pid)
			break;
		if (run_pages_read(pages, ftrace, err))
			return -1;
		if (run_pages_bytes(pages) > KEPT_BYTES_MOST) {
			complain("1 GiB of trace is read: ended here");
			break;
		}
		poll(NULL, 0, READ_EVERY_MS);
	}
	if (ftrace_switch(ftrace, false, err))
		return -1;
	return run_pages_read(pages, ftrace, err);
}

/* Reports are made of files: pages go through one without a name. */
static int report_pages(struct options *options, struct ftrace *ftrace,
			const struct run_pages *pages, const char *stats)
{
	FILE *file = tmpfile();
	struct text path = {0};
	struct error err;
	char *operands[1];
	int status;

	if (!file || dat_write(fileno(file), ftrace, pages, stats, &err)) {
		complain("cannot keep the trace for the report: %s",
			 file ? err.text : strerror(errno));
		return STATUS_FAILED;
	}
	text_printf(&path, "/proc/self/fd/%d", fileno(file));
	operands[0] = path.bytes;
	options->operands = operands;
	options->n_operands = 1;
	/* chosen when it was traced */
	options->syscalls.n = 0;
	options->roots.n = 0;
	options->pids.n = 0;
	status = command_report(options);
	fclose(file);
	text_release(&path);
	return status;
}

static int trace(struct options *options, struct ftrace *ftrace, struct held_command *command)
{
	struct run_pages pages = {0};
	struct text stats = {0};
	struct error err;
	int status = STATUS_FAILED;

	text_puts(&stats, "");
	if (ftrace_switch(ftrace, true, &err) ||
	    (command->pid > 0 && held_command_go(command, &err)) ||
	    read_until_end(ftrace, command, &pages, &err) || ftrace_stats(ftrace, &stats, &err))
		complain("%s", err.text);
	else
		status = report_pages(options, ftrace, &pages, stats.bytes);
	run_pages_release(&pages);
	text_release(&stats);
	return status;
}

int command_live(struct options *options)
{
	struct held_command command = {.go = -1, .failed = -1};
	struct ftrace_options wanted;
	struct ftrace *ftrace;
	struct error err;
	int status = STATUS_FAILED, pid;

	if (options->undo)
		return undo(options);
	if (options->n_operands && held_command_start(&command, options->operands, &err)) {
		complain("%s", err.text);
		return STATUS_FAILED;
	}
	options_trace(options, &wanted);
	pid = command.pid;
	wanted.pids = command.pid > 0 ? &pid : options->pids.items;
	wanted.n_pids = command.pid > 0 ? 1 : options->pids.n;
	watch_signals();
	ftrace = ftrace_open(&wanted, &err);
	if (ftrace) {
		status = trace(options, ftrace, &command);
		if (ftrace_close(ftrace, &err)) {
			complain("%s", err.text);
			status = STATUS_FAILED;
		}
	} else {
		complain("%s", err.text);
	}
	held_command_drop(&command);
	return status;
}
