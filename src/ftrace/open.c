/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Setting tracing up, and ending it. */
#include "open.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- what was left by others of us ---- */

#define OWNER_TRIES 100
#define OWNER_WAIT_US 50000

/* Asks the evtop that traces to end, and waits until it has restored. */
static int end_owner(const struct state *state, struct error *err)
{
	if (process_start(state->pid) == state->pid_start && kill(state->pid, SIGTERM))
		return error_set(err, "cannot end %s (pid %d): %s", state->comm, (int)state->pid,
				 strerror(errno));
	for (int i = 0; i < OWNER_TRIES && state_owner_runs(state); i++)
		usleep(OWNER_WAIT_US);
	return state_owner_runs(state) ? error_set(err, "%s (pid %d) was asked to end and does not",
						   state->comm, (int)state->pid)
				       : 0;
}

int ftrace_undo(const char *state_place, bool take_over, bool *done, struct error *err)
{
	char file[PATH_MAX];
	struct state state;
	int found = state_find(&state, state_place, file, err);
	char shown[80];

	*done = false;
	if (found <= 0)
		return found;
	if (state_owner_runs(&state) && !take_over)
		found = error_set(err,
				  "%s (pid %d) is tracing: its settings are restored when it ends "
				  "(--take-over ends it)",
				  text_printable(shown, sizeof shown, state.comm), (int)state.pid);
	else if (state_owner_runs(&state) && end_owner(&state, err))
		found = -1;
	state_release(&state);
	if (found < 0)
		return -1;
	/* who ended by himself has restored */
	*done = true;
	found = state_find(&state, state_place, file, err);
	if (found > 0)
		found = state_undo(&state, file, err);
	state_release(&state);
	return found < 0 ? -1 : 0;
}

int ftrace_drop_rights(struct error *err)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	long user = uid ? strtol(uid, NULL, 10) : 0, group = gid ? strtol(gid, NULL, 10) : 0;

	if (geteuid() != 0 || user <= 0 || group <= 0)
		return 0;
	if (setgroups(0, NULL) || setgid((gid_t)group) || setuid((uid_t)user))
		return error_set(err, "cannot give up the rights of root: %s", strerror(errno));
	return 0;
}

/* ---- opening ---- */

static int open_pages(struct ftrace *ftrace, struct error *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	bool any = false;
	char file[64];

	ftrace->n_cpus = cpus > 0 && cpus < 65536 ? (uint32_t)cpus : 1;
	ftrace->page_fds = mem_alloc(ftrace->n_cpus * sizeof *ftrace->page_fds);
	ftrace->stats_fds = mem_alloc(ftrace->n_cpus * sizeof *ftrace->stats_fds);
	for (uint32_t cpu = 0; cpu < ftrace->n_cpus; cpu++) {
		snprintf(file, sizeof file, "per_cpu/cpu%u/trace_pipe_raw", (unsigned)cpu);
		ftrace->page_fds[cpu] = tfs_has(&ftrace->tfs, PLACE_OWN, file)
						? tfs_file(&ftrace->tfs, PLACE_OWN, file,
							   O_RDONLY | O_NONBLOCK, err)
						: -1;
		any |= ftrace->page_fds[cpu] >= 0;
		snprintf(file, sizeof file, "per_cpu/cpu%u/stats", (unsigned)cpu);
		ftrace->stats_fds[cpu] =
			tfs_has(&ftrace->tfs, PLACE_OWN, file)
				? tfs_file(&ftrace->tfs, PLACE_OWN, file, O_RDONLY, err)
				: -1;
	}
	ftrace->switch_fd = tfs_file(&ftrace->tfs, PLACE_OWN, "tracing_on", O_WRONLY, err);
	if (ftrace->switch_fd < 0)
		return -1;
	return any ? 0 : error_set(err, "'%s' has no trace_pipe_raw", ftrace->tfs.dir);
}

static bool lists_word(const struct tfs *tfs, const char *file, const char *word)
{
	struct text text = {0};
	bool found = false;

	if (!tfs_read(tfs, PLACE_TOP, file, &text, NULL))
		for (char *rest = text.bytes, *at; !found && (at = strsep(&rest, " \n"));)
			found = !strcmp(at, word);
	text_release(&text);
	return found;
}

/*
 * An instance of our own where function_graph works in one: only trying tells.
 * Without function_graph an instance does for events.
 */
static void try_instance(struct ftrace *ftrace, const char *name)
{
	struct error err;

	if (tfs_own_instance(&ftrace->tfs, name, true, &err))
		return;
	if (tfs_has(&ftrace->tfs, PLACE_OWN, "tracing_on") &&
	    !tfs_write(&ftrace->tfs, PLACE_OWN, "tracing_on", "0", &err) &&
	    (!ftrace->graph ||
	     !tfs_write(&ftrace->tfs, PLACE_OWN, "current_tracer", "function_graph", &err)))
		return;
	tfs_drop_own(&ftrace->tfs);
	tfs_remove_instance(ftrace->tfs.dir, name, &err);
}

/*
 * The top level's buffer grows at the first use of any: on some kernels (6.1) the
 * use of an instance counts as that and leaves the top level with its few KiB for
 * good. Where it has not grown yet, it is to be written in any case.
 */
static int plan_growth(struct ftrace *ftrace, struct error *err)
{
	struct text raw = {0}, grown = {0};
	int status = tfs_read(&ftrace->tfs, PLACE_TOP, "buffer_size_kb", &raw, err);

	if (!status && strstr(raw.bytes, "(expanded: ")) {
		status = setting_read(&ftrace->tfs, PLACE_TOP, "buffer_size_kb", &grown, err);
		if (!status)
			status = setting_plan(&ftrace->top, &ftrace->tfs, PLACE_TOP,
					      "buffer_size_kb", grown.bytes, true, err);
	}
	text_release(&raw);
	text_release(&grown);
	return status;
}

/*
 * What is about to be touched is written down before it is: the name of the
 * instance before it is tried, every value of the top level before the first
 * write there.
 */
static int set_up(struct ftrace *ftrace, const struct ftrace_options *options, struct error *err)
{
	struct state state = {.keeper = ftrace->keeper.pid, .dir = ftrace->tfs.dir};
	struct text name = {0};
	char file[PATH_MAX];
	int status;

	text_printf(&name, "evtop-%d", (int)getpid());
	state.instance = name.bytes;
	state_describe_self(&state);
	status = plan_growth(ftrace, err);
	state.settings = ftrace->top;
	if (!status)
		status = state_write(&state, options->state_place, file, err);
	if (!status) {
		try_instance(ftrace, name.bytes);
		/* it still grows by itself */
		if (ftrace->tfs.own_name)
			settings_list_release(&ftrace->top);
		status = !options->take_over &&
					 tfs_in_use(&ftrace->tfs, ftrace->tfs.own_name != NULL, err)
				 ? -1
				 : plan_settings(ftrace, options, err);
	}
	if (!status) {
		state.settings = ftrace->top;
		status = state_rewrite(&state, file, err);
	}
	text_release(&name);
	if (status || settings_apply(&ftrace->top, &ftrace->tfs, PLACE_TOP, err) ||
	    settings_apply(&ftrace->own, &ftrace->tfs, PLACE_OWN, err) ||
	    plan_events(ftrace, options, err))
		return -1;
	return open_pages(ftrace, err) || kernel_texts_read(ftrace, err) ? -1 : 0;
}

static int open_all(struct ftrace *ftrace, const struct ftrace_options *options, struct error *err)
{
	bool undone;

	if (tfs_start(&ftrace->tfs, options->dir, err) ||
	    ftrace_undo(options->state_place, options->take_over, &undone, err))
		return -1;
	if (access(ftrace->tfs.dir, W_OK) && geteuid() != 0)
		return error_set(err, "no permission on '%s': tracing needs root", ftrace->tfs.dir);
	ftrace->graph = lists_word(&ftrace->tfs, "available_tracers", "function_graph");
	if (keeper_start(&ftrace->keeper, options->state_place, err))
		return -1;
	return set_up(ftrace, options, err);
}

struct ftrace *ftrace_open(const struct ftrace_options *options, struct error *err)
{
	struct ftrace *ftrace = mem_zero(1, sizeof *ftrace);
	struct utsname name;
	struct error ignored;

	ftrace->switch_fd = -1;
	ftrace->texts.comms_fd = -1;
	ftrace->buffer_kb = options->buffer_kb;
	snprintf(ftrace->clock, sizeof ftrace->clock, "%s",
		 options->clock ? options->clock : "local");
	uname(&name);
	text_printf(&ftrace->kernel, "%s %s %s", name.release, name.version, name.machine);
	if (!open_all(ftrace, options, err)) {
		describe_scope(ftrace, options);
		return ftrace;
	}
	ftrace_close(ftrace, &ignored);
	return NULL;
}

static void close_fds(int *fds, uint32_t n)
{
	for (uint32_t i = 0; fds && i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(fds);
}

int ftrace_close(struct ftrace *ftrace, struct error *err)
{
	int status = 0;

	if (ftrace->switch_fd >= 0 && write(ftrace->switch_fd, "0", 1) < 0)
		status = error_set(err, "cannot switch tracing off: %s", strerror(errno));
	if (ftrace->switch_fd >= 0)
		close(ftrace->switch_fd);
	close_fds(ftrace->page_fds, ftrace->n_cpus);
	close_fds(ftrace->stats_fds, ftrace->n_cpus);
	tfs_end(&ftrace->tfs);
	if (keeper_finish(&ftrace->keeper, err))
		status = -1;
	settings_list_release(&ftrace->top);
	settings_list_release(&ftrace->own);
	text_release(&ftrace->scope);
	text_release(&ftrace->kernel);
	kernel_texts_release(&ftrace->texts);
	if (ftrace->meta)
		trace_meta_free(ftrace->meta);
	free(ftrace);
	return status;
}
