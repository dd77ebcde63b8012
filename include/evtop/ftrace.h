/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only code that writes tracefs: sets tracing up, remembers what it
 * touched, and restores it on whatever end. Around it, recording: the machine
 * as it is, runs of a command, files of them.
 */
#ifndef EVTOP_FTRACE_H
#define EVTOP_FTRACE_H

#include <sys/types.h>

#include "evtop/binary.h"

/* What is asked for. Strings and arrays are the caller's. */
struct ftrace_options {
	const char *const *syscalls; /* only these calls; none, and no functions: all */
	size_t n_syscalls;
	const char *const *functions; /* roots besides system calls */
	size_t n_functions;
	const int *pids; /* only these tasks and what they fork; none: all but ourselves */
	size_t n_pids;
	bool only_pids;		   /* nothing at all until ftrace_set_pid() */
	uint32_t buffer_kb;	   /* of a CPU; 0: as it is */
	const char *clock;	   /* NULL: local */
	uint32_t depth;		   /* of calls below the root; 0: no limit */
	const char *const *events; /* system:event, besides */
	size_t n_events;
	bool take_over;		 /* also where somebody else uses ftrace */
	bool text;		 /* the columns of `trace` are to be read */
	bool no_overwrite;	 /* a full buffer keeps its beginning, not its end */
	const char *dir;	 /* of tracefs; NULL: found */
	const char *state_place; /* folder of the state file; NULL: found */
};

struct ftrace;

/*
 * Prepares tracing, which begins with ftrace_switch(). Before anything is
 * touched a process of its own is begun that restores everything when this one
 * ends, in whatever way, and a file is written from which ftrace_undo() does so
 * if that process is gone too. Call it before threads are made. NULL with err:
 * nothing was changed then.
 */
struct ftrace *ftrace_open(const struct ftrace_options *options, struct error *err);
/* Ends tracing and restores. Frees ftrace in any case; -1 with err where not all went back. */
int ftrace_close(struct ftrace *ftrace, struct error *err);

/* Only this task and what it forks; what was traced before is no more. */
int ftrace_set_pid(struct ftrace *ftrace, pid_t pid, struct error *err);
int ftrace_switch(struct ftrace *ftrace, bool on, struct error *err);
/* Empties the buffers. */
int ftrace_clear(struct ftrace *ftrace, struct error *err);

/* Processors that may be; a descriptor of pages for each, -1 where one is not there. */
uint32_t ftrace_n_cpus(const struct ftrace *ftrace);
const int *ftrace_page_fds(const struct ftrace *ftrace);
/* The text file `trace` opened for reading (the caller's); -1 with err. */
int ftrace_open_text(const struct ftrace *ftrace, struct error *err);
/* What is read with the pages: made anew, the caller's; NULL with err. */
struct trace_meta *ftrace_meta(const struct ftrace *ftrace, struct error *err);
/* Events that the kernel has thrown away since the last clearing; owner is the ftrace. */
uint64_t ftrace_overruns(void *owner);
/* Events in the buffers that nobody has read yet. */
uint64_t ftrace_unread(const struct ftrace *ftrace);
/* per_cpu/cpuN/stats of all processors, a heading line before each. Appended. */
int ftrace_stats(const struct ftrace *ftrace, struct text *text, struct error *err);

/* Function calls, or only system calls because this kernel has no function_graph? */
bool ftrace_has_graph(const struct ftrace *ftrace);
/* Is it an instance of our own? Else the top level. */
bool ftrace_has_instance(const struct ftrace *ftrace);
/* What is traced, one line: syscalls=..., depth=..., and the like. */
const char *ftrace_scope(const struct ftrace *ftrace);
const char *ftrace_kernel(const struct ftrace *ftrace);
const char *ftrace_clock(const struct ftrace *ftrace);
uint32_t ftrace_buffer_kb(const struct ftrace *ftrace);

/*
 * Restores what a killed evtop left. done says whether there was anything; a
 * running one is ended first where take_over says so, and is an error else.
 */
int ftrace_undo(const char *state_place, bool take_over, bool *done, struct error *err);

/*
 * A root process that sudo began gives its rights up for those of the user who
 * called it; what is open stays open. Nothing happens to others.
 */
int ftrace_drop_rights(struct error *err);

/*
 * A command that waits: a process made and held before its exec, so that it can
 * be chosen by its pid. It ends without having run when its owner does.
 */
struct held_command {
	pid_t pid;
	int go; /* internal */
	int failed;
};

/* quiet: what it reads and writes is /dev/null; else what is ours. */
int held_command_start(struct held_command *command, char *const *argv, bool quiet,
		       struct error *err);
/* Lets it run; -1 with err where it could not be executed (it is reaped then). */
int held_command_go(struct held_command *command, struct error *err);
/* Ends one that has not ended, asking first, and reaps it. */
void held_command_drop(struct held_command *command);

/* ---- a run in a file ---- */

/* Pages of a run by CPU, as they were read. */
struct run_pages {
	struct text *cpus; /* ftrace_n_cpus() of them */
	uint32_t n_cpus;
	size_t page_bytes;
};

/* Adds all that is in the buffers now; pages begin as {0}. */
int run_pages_read(struct run_pages *pages, const struct ftrace *ftrace, struct error *err);
void run_pages_release(struct run_pages *pages);
size_t run_pages_bytes(const struct run_pages *pages);
/*
 * Writes pages, and what is needed to read them, as a trace.dat file of version
 * 6. stats: as ftrace_stats() gives them. -1 with err; errno stays that of the
 * write that failed.
 */
int dat_write(int fd, struct ftrace *ftrace, const struct run_pages *pages, const char *stats,
	      struct error *err);

/* ---- the machine ---- */

/* What times depend on, as "key = value" lines for the manifest; and what would spoil them. */
struct machine {
	struct text facts;    /* lines of the manifest */
	const char *emulated; /* no, host, or NULL where it cannot be told */
	struct text warnings; /* a line each */
};

void machine_look(struct machine *machine);
void machine_release(struct machine *machine);

/* ---- campaigns ---- */

struct campaign_options {
	struct ftrace_options trace;
	char *const *command;
	const char *folder;
	uint32_t campaigns, runs;
	uint32_t repeat_lossy; /* how often a run with losses is recorded again */
	bool text;
	const char *label;    /* NULL: none */
	const char *version;  /* of the program */
	const char *emulated; /* no, host, counted: said by the user; NULL: as found */
};

/* How far it is. */
struct campaign_progress {
	uint32_t done, total; /* runs there are in the folder */
	uint32_t lossy;	      /* of those recorded now */
	uint32_t failed;      /* of those recorded now: the command's status was not 0 */
	uint64_t run_bytes;   /* of the last file */
	uint64_t lost_events;
	double seconds_left; /* below 0: not known yet */
};

/* notice: a line that the user should read. */
struct campaign_watcher {
	void (*progress)(void *owner, const struct campaign_progress *progress);
	void (*notice)(void *owner, const char *line);
	void *owner;
};

/*
 * Records what is not there yet. stop is looked at between and within runs: a
 * run that is not whole is not kept. 0 where all runs are there, 1 where it was
 * stopped, -1 with err; what was whole stays in all cases, and settings are
 * restored.
 */
int campaigns_record(const struct campaign_options *options, const struct campaign_watcher *watcher,
		     const volatile int *stop, struct error *err);

#endif
