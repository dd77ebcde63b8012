/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recording: campaigns x runs of a command, each run in a file that is whole or not there. */
#include "campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void notice(const struct recorder *recorder, const char *line)
{
	recorder->watcher->notice(recorder->watcher->owner, line);
}

/* ---- files ---- */

static void run_name(const struct recorder *recorder, uint32_t campaign, uint32_t run,
		     const char *ending, struct text *name)
{
	text_clear(name);
	text_printf(name, "%s/campaign-%03u/%srun-%04u%s", recorder->options->folder,
		    (unsigned)campaign, *ending == '~' ? "." : "", (unsigned)run,
		    *ending == '~' ? ".part" : ending);
}

static const char *run_ending(const struct recorder *recorder)
{
	return recorder->options->text ? ".txt" : ".dat";
}

static bool run_is_there(const struct recorder *recorder, uint32_t campaign, uint32_t run)
{
	struct text name = {0};
	struct stat status;
	bool there;

	run_name(recorder, campaign, run, run_ending(recorder), &name);
	there = stat(name.bytes, &status) == 0;
	text_release(&name);
	return there;
}

int file_replace(const char *part, const char *name, int fd, int failed, struct error *err)
{
	if (!failed && fsync(fd))
		failed = errno;
	if (close(fd) && !failed)
		failed = errno;
	if (!failed && rename(part, name))
		failed = errno;
	if (!failed)
		return 0;
	unlink(part);
	return error_set(err, "cannot write '%s': %s", name, strerror(failed));
}

int file_write(const char *part, const char *name, const char *bytes, size_t n, struct error *err)
{
	int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), failed = 0;

	if (fd < 0)
		return error_set(err, "cannot write '%s': %s", part, strerror(errno));
	while (n && !failed) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno != EINTR)
			failed = errno;
		bytes += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return file_replace(part, name, fd, failed, err);
}

/* The text of `trace`, as the kernel makes it. */
static int copy_text(int fd, const struct ftrace *ftrace, struct error *err)
{
	int from = ftrace_open_text(ftrace, err), failed = 0;
	char bytes[65536];
	ssize_t n;

	if (from < 0)
		return -1;
	while (!failed && ((n = read(from, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR)))
		for (ssize_t at = 0; at < n && !failed;) {
			ssize_t done = write(fd, bytes + at, (size_t)(n - at));

			if (done < 0 && errno != EINTR)
				failed = errno;
			at += done > 0 ? done : 0;
		}
	close(from);
	return failed ? error_set(err, "%s", strerror(failed)) : 0;
}

static int write_run(struct recorder *recorder, uint32_t campaign, uint32_t run, const char *stats,
		     struct error *err)
{
	struct text part = {0}, name = {0};
	struct run_pages pages = {0};
	struct error why = {""};
	int fd, status;

	run_name(recorder, campaign, run, "~", &part);
	run_name(recorder, campaign, run, run_ending(recorder), &name);
	fd = open(part.bytes, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		status = error_set(err, "cannot write '%s': %s", part.bytes, strerror(errno));
	} else {
		status = recorder->options->text
				 ? copy_text(fd, recorder->ftrace, &why)
				 : run_pages_read(&pages, recorder->ftrace, &why) ||
					   dat_write(fd, recorder->ftrace, &pages, stats, &why);
		recorder->progress.run_bytes = (uint64_t)lseek(fd, 0, SEEK_CUR);
		if (status) {
			close(fd);
			unlink(part.bytes);
			status = error_set(err, "cannot write '%s': %s", name.bytes, why.text);
		} else {
			status = file_replace(part.bytes, name.bytes, fd, 0, err);
		}
	}
	run_pages_release(&pages);
	text_release(&part);
	text_release(&name);
	return status;
}

/* Beside the run; the loader takes no .stats for one. */
static int write_stats(struct recorder *recorder, uint32_t campaign, uint32_t run,
		       const struct run_result *result, const char *stats, struct error *err)
{
	struct text part = {0}, name = {0}, out = {0};
	int status;

	run_name(recorder, campaign, run, ".stats", &name);
	run_name(recorder, campaign, run, "~", &part);
	text_printf(&out, "lost_events = %llu\n", (unsigned long long)result->lost);
	text_printf(&out, "lossy = %s\n", result->lost ? "yes" : "no");
	text_printf(&out, "attempts = %u\n", (unsigned)result->attempts);
	if (WIFEXITED(result->status))
		text_printf(&out, "exit_status = %d\n", WEXITSTATUS(result->status));
	else
		text_printf(&out, "killed_by_signal = %d\n", WTERMSIG(result->status));
	text_printf(&out, "wall_seconds = %.6f\n", result->seconds);
	text_puts(&out, stats);
	status = file_write(part.bytes, name.bytes, out.bytes, out.n, err);
	text_release(&part);
	text_release(&name);
	text_release(&out);
	return status;
}

/* ---- a run ---- */

#define LOOK_EVERY_MS 20
#define PATIENCE_S 2.0

/* Waits for the command; stopped by the user it gets a moment to end. */
static int wait_command(struct recorder *recorder, struct held_command *command, int *status)
{
	double asked = 0;

	for (;;) {
		pid_t done = waitpid(command->pid, status, *recorder->stop ? WNOHANG : 0);

		if (done == command->pid || (done < 0 && errno != EINTR))
			break;
		if (!*recorder->stop)
			continue;
		if (asked == 0)
			kill(command->pid, SIGTERM);
		else if (now_s() - asked > PATIENCE_S)
			kill(command->pid, SIGKILL);
		asked = asked == 0 ? now_s() : asked;
		poll(NULL, 0, LOOK_EVERY_MS);
	}
	command->pid = 0;
	return *recorder->stop ? 1 : 0;
}

static int trace_command(struct recorder *recorder, struct run_result *result, struct error *err)
{
	struct held_command command;
	struct error ignored;
	double begin = now_s();
	int status;

	if (held_command_start(&command, recorder->options->command, false, err))
		return -1;
	status = ftrace_clear(recorder->ftrace, err) ||
		 ftrace_set_pid(recorder->ftrace, command.pid, err) ||
		 ftrace_switch(recorder->ftrace, true, err) || held_command_go(&command, err);
	if (!status)
		status = wait_command(recorder, &command, &result->status);
	else
		status = -1;
	if (ftrace_switch(recorder->ftrace, false, status < 0 ? &ignored : err))
		status = -1;
	held_command_drop(&command);
	result->seconds = now_s() - begin;
	result->lost = ftrace_overruns(recorder->ftrace);
	return status;
}

static void note_result(struct recorder *recorder, const struct run_result *result)
{
	struct text line = {0};

	recorder->progress.lossy += result->lost > 0;
	recorder->progress.lost_events += result->lost;
	recorder->progress.failed += result->status != 0;
	if (result->lost && recorder->progress.lossy == 1) {
		text_printf(
			&line,
			"the buffer is too small: %llu events were lost in a run, which is kept "
			"and marked (--buffer-size, now %u KiB a CPU; --repeat-lossy)",
			(unsigned long long)result->lost,
			(unsigned)ftrace_buffer_kb(recorder->ftrace));
		notice(recorder, line.bytes);
	}
	if (result->status && recorder->progress.failed == 1)
		notice(recorder, "the command did not end with status 0 in a run: see its .stats");
	text_release(&line);
}

static int record_run(struct recorder *recorder, uint32_t campaign, uint32_t run, struct error *err)
{
	struct run_result result = {0};
	struct text stats = {0};
	int status;

	do {
		status = trace_command(recorder, &result, err);
		result.attempts++;
	} while (!status && result.lost && result.attempts <= recorder->options->repeat_lossy);
	text_puts(&stats, "");
	if (!status)
		status = ftrace_stats(recorder->ftrace, &stats, err);
	/* the run last: what has a run has its stats */
	if (!status)
		status = write_stats(recorder, campaign, run, &result, stats.bytes, err) ||
					 write_run(recorder, campaign, run, stats.bytes, err)
				 ? -1
				 : 0;
	text_release(&stats);
	if (!status)
		note_result(recorder, &result);
	return status;
}

/* ---- all of them ---- */

#define ROOM_LEAST (UINT64_C(4) << 20)

/* Is there room for what is to come? bytes of a run: 0 where none is known yet. */
static int check_room(const struct recorder *recorder, uint64_t run_bytes, struct error *err)
{
	const struct campaign_progress *progress = &recorder->progress;
	uint64_t left = progress->total - progress->done, need, there;
	struct statvfs fs;

	if (statvfs(recorder->options->folder, &fs))
		return error_set(err, "cannot use '%s': %s", recorder->options->folder,
				 strerror(errno));
	there = (uint64_t)fs.f_bavail * fs.f_frsize;
	need = ROOM_LEAST + left * run_bytes;
	if (there >= need)
		return 0;
	return error_set(err,
			 "no room in '%s': %llu MiB are free, %u more runs need about %llu MiB",
			 recorder->options->folder, (unsigned long long)(there >> 20),
			 (unsigned)left, (unsigned long long)(need >> 20));
}

static void tell_progress(struct recorder *recorder, double begun, uint32_t done_before)
{
	struct campaign_progress *progress = &recorder->progress;
	uint32_t done = progress->done - done_before;

	progress->seconds_left =
		done ? (now_s() - begun) / done * (progress->total - progress->done) : -1;
	recorder->watcher->progress(recorder->watcher->owner, progress);
}

static int make_folder(const struct recorder *recorder, uint32_t campaign, struct error *err)
{
	struct text name = {0};
	int status = 0;

	text_printf(&name, "%s/campaign-%03u", recorder->options->folder, (unsigned)campaign);
	if (mkdir(name.bytes, 0777) && errno != EEXIST)
		status = error_set(err, "cannot make '%s': %s", name.bytes, strerror(errno));
	text_release(&name);
	return status;
}

static int record_all(struct recorder *recorder, struct error *err)
{
	const struct campaign_options *options = recorder->options;
	uint32_t done_before = recorder->progress.done;
	double begun = now_s();
	int status = check_room(recorder, 0, err);

	tell_progress(recorder, begun, done_before);
	for (uint32_t campaign = 1; campaign <= options->campaigns && !status; campaign++) {
		status = make_folder(recorder, campaign, err);
		for (uint32_t run = 1; run <= options->runs && !status; run++) {
			if (run_is_there(recorder, campaign, run))
				continue;
			status = *recorder->stop ? 1 : record_run(recorder, campaign, run, err);
			if (status)
				break;
			recorder->progress.done++;
			tell_progress(recorder, begun, done_before);
			status = check_room(recorder, recorder->progress.run_bytes, err);
		}
	}
	return status;
}

static void count_done(struct recorder *recorder)
{
	const struct campaign_options *options = recorder->options;

	recorder->progress.total = options->campaigns * options->runs;
	for (uint32_t campaign = 1; campaign <= options->campaigns; campaign++)
		for (uint32_t run = 1; run <= options->runs; run++)
			recorder->progress.done += run_is_there(recorder, campaign, run);
}

/* What would spoil the times, before it begins. */
static void tell_warnings(struct recorder *recorder)
{
	char *copy = mem_copy_text(recorder->machine.warnings.bytes), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			notice(recorder, line);
	notice(recorder, "tracing makes calls slower: short ones to several times their time");
	if (!ftrace_has_graph(recorder->ftrace))
		notice(recorder, "this kernel has no function_graph: system calls are recorded by "
				 "their events, without what is inside them");
	free(copy);
}

static int begin(struct recorder *recorder, struct error *err)
{
	struct ftrace_options trace = recorder->options->trace;
	struct error why;

	trace.only_pids = true;
	trace.text = recorder->options->text;
	if (mkdir(recorder->options->folder, 0777) && errno != EEXIST)
		return error_set(err, "cannot make '%s': %s", recorder->options->folder,
				 strerror(errno));
	recorder->ftrace = ftrace_open(&trace, &why);
	if (!recorder->ftrace)
		return error_set(err, "%s", why.text);
	tell_warnings(recorder);
	return manifest_begin(recorder, err);
}

int campaigns_record(const struct campaign_options *options, const struct campaign_watcher *watcher,
		     const volatile int *stop, struct error *err)
{
	struct recorder recorder = {.options = options, .watcher = watcher, .stop = stop};
	struct error why;
	int status;

	machine_look(&recorder.machine);
	count_done(&recorder);
	status = begin(&recorder, err);
	if (!status)
		status = record_all(&recorder, err);
	if (status >= 0 && manifest_end(&recorder, &why)) {
		error_set(err, "%s", why.text);
		status = -1;
	}
	if (recorder.ftrace && ftrace_close(recorder.ftrace, &why)) {
		error_set(err, "%s", why.text);
		status = -1;
	}
	text_release(&recorder.manifest);
	machine_release(&recorder.machine);
	return status;
}
