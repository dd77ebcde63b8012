/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evtop live */
#include "evtop/cli.h"
#include "evtop/ftrace.h"
#include "evtop/live.h"
#include "evtop/recording.h"
#include "evtop/tui.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* What is read, as the engine and the explorer take it. */
struct session {
	struct options *options;
	struct ftrace *ftrace;
	struct trace_meta *meta;
	struct held_command command;
	bool command_ended;
	struct live_input input;
};

static bool command_has_ended(struct session *session)
{
	struct held_command *command = &session->command;

	if (command->pid > 0 && waitpid(command->pid, NULL, WNOHANG) == command->pid) {
		session->command_ended = true;
		command->pid = 0;
	}
	return session->command_ended;
}

#define LOOK_EVERY_MS 50
#define LOOKS_MOST 200

/* Switched off, what is still in the buffers comes; a reader that stands still is not waited for.
 */
static void drain(const struct session *session)
{
	for (int i = 0; i < LOOKS_MOST && ftrace_unread(session->ftrace); i++)
		poll(NULL, 0, LOOK_EVERY_MS);
}

static struct recording *read_until_end(struct session *session, const struct load_options *load,
					struct error *err)
{
	struct live_options options = {.load = load, .seed = session->options->settings.seed};
	struct live *live = live_start(&session->input, &options, err);
	struct recording *recording = NULL;
	bool begun;

	if (!live)
		return NULL;
	begun = !ftrace_switch(session->ftrace, true, err) &&
		(session->command.pid <= 0 || !held_command_go(&session->command, err));
	while (begun && !ended && !command_has_ended(session))
		poll(NULL, 0, LOOK_EVERY_MS);
	if (begun && !ftrace_switch(session->ftrace, false, err)) {
		drain(session);
		recording = live_take_now(live);
	}
	live_free(live);
	if (begun && !recording)
		error_set(err, "nothing was traced");
	return recording;
}

/* Where there is no terminal: the text report of what the command, or all, did until the end. */
static int report_live(struct session *session)
{
	struct options *options = session->options;
	struct recording *recording;
	struct load_options load;
	struct error err;
	int status;

	options_load(options, false, &load);
	load.digest = false;
	recording = read_until_end(session, &load, &err);
	if (!recording) {
		complain("%s", err.text);
		return STATUS_FAILED;
	}
	status = report_recording(options, recording, &load);
	recording_free(recording);
	return status;
}

/* Words for the trust line; false: the command has ended, and all of it is read. */
static bool say(void *owner, char *line, size_t size, bool *alarm)
{
	struct session *session = owner;

	*alarm = false;
	snprintf(line, size, "%s", session->command_ended ? "command ended" : "");
	if (session->command_ended || !command_has_ended(session))
		return true;
	snprintf(line, size, "command ended");
	ftrace_switch(session->ftrace, false, NULL);
	drain(session);
	return false;
}

static int explore_live(struct session *session)
{
	struct explore_session watch = {.fd = -1, .says = say, .owner = session};
	struct error err;

	if (ftrace_switch(session->ftrace, true, &err) ||
	    (session->command.pid > 0 && held_command_go(&session->command, &err))) {
		complain("%s", err.text);
		return STATUS_FAILED;
	}
	return explore_input(session->options, &session->input, &watch);
}

static enum emulation find_emulation(const struct options *options)
{
	struct machine machine;
	enum emulation found = EMULATION_UNKNOWN;
	struct load_options load;

	options_load(options, false, &load);
	if (load.emulated != EMULATION_UNKNOWN)
		return load.emulated;
	machine_look(&machine);
	if (machine.emulated)
		found = strcmp(machine.emulated, "host") ? EMULATION_NO : EMULATION_HOST;
	machine_release(&machine);
	return found;
}

static int trace(struct session *session, const char *no_terminal)
{
	struct error err;

	session->meta = ftrace_meta(session->ftrace, &err);
	if (!session->meta) {
		complain("%s", err.text);
		return STATUS_FAILED;
	}
	session->input = (struct live_input){
		.name = "ftrace",
		.kernel = ftrace_kernel(session->ftrace),
		.scope = ftrace_scope(session->ftrace),
		.emulated = find_emulation(session->options),
		.text_fd = -1,
		.page_fds = ftrace_page_fds(session->ftrace),
		.n_cpus = ftrace_n_cpus(session->ftrace),
		.meta = session->meta,
		.overruns = ftrace_overruns,
		.owner = session->ftrace,
	};
	if (!ftrace_has_graph(session->ftrace))
		complain("this kernel has no function_graph: system calls are traced by their "
			 "events, without what is inside them");
	return no_terminal ? report_live(session) : explore_live(session);
}

/* The command is held before anything is set up, and so before it is kept out of the trace. */
static int run(struct session *session, const char *no_terminal)
{
	const struct options *options = session->options;
	int pid = session->command.pid, status = STATUS_FAILED;
	struct ftrace_options wanted;
	struct error err;

	options_trace(options, &wanted);
	wanted.pids = pid > 0 ? &pid : options->pids.items;
	wanted.n_pids = pid > 0 ? 1 : options->pids.n;
	session->ftrace = ftrace_open(&wanted, &err);
	if (!session->ftrace) {
		complain("%s", err.text);
		return STATUS_FAILED;
	}
	/* what is parsed from here on needs no rights, but a command of root's could not be ended
	 */
	if (pid <= 0 && ftrace_drop_rights(&err))
		complain("%s", err.text);
	else
		status = trace(session, no_terminal);
	if (ftrace_close(session->ftrace, &err)) {
		complain("%s", err.text);
		status = STATUS_FAILED;
	}
	if (session->meta)
		trace_meta_free(session->meta);
	return status;
}

int command_live(struct options *options)
{
	struct session session = {.options = options, .command = {.go = -1, .failed = -1}};
	const char *no_terminal;
	struct error err;
	int status;

	if (options->undo)
		return undo(options);
	if (!check_theme(options))
		return STATUS_USAGE;
	if (options->n_operands && options->pids.n)
		return complain_usage(COMMAND_LIVE, "a command or a pid, not both");
	no_terminal = no_terminal_reason(false);
	if (no_terminal) {
		complain("%s: the text report comes at the end%s", no_terminal,
			 options->n_operands ? " of the command" : " (interrupt it)");
		watch_signals();
	}
	if (options->n_operands &&
	    held_command_start(&session.command, options->operands, !no_terminal, &err)) {
		complain("%s", err.text);
		return STATUS_FAILED;
	}
	status = run(&session, no_terminal);
	held_command_drop(&session.command);
	return status;
}
