/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder show to each other. */
#ifndef EVTOP_FTRACE_INTERNAL_H
#define EVTOP_FTRACE_INTERNAL_H

#include <sys/types.h>

#include "evtop/ftrace.h"

/* ---- tracefs.c: the folder of files ---- */

/* Where settings are: the top level, or our own instance. */
enum place { PLACE_TOP, PLACE_OWN, N_PLACES };

struct tracefs_instance;

struct tfs {
	char *dir;				      /* /sys/kernel/tracing */
	char *own_name;				      /* of the instance; NULL: none */
	struct tracefs_instance *instances[N_PLACES]; /* OWN is TOP where there is no instance */
};

/* dir: NULL finds it. */
int tfs_start(struct tfs *tfs, const char *dir, struct error *err);
void tfs_end(struct tfs *tfs);
/* An instance of that name, made or (make false) taken as it is. */
int tfs_own_instance(struct tfs *tfs, const char *name, bool make, struct error *err);
/* Takes the top level instead. */
void tfs_drop_own(struct tfs *tfs);
/* Removes it; 0 too where there is none of that name. */
int tfs_remove_instance(const char *dir, const char *name, struct error *err);
bool tfs_has(const struct tfs *tfs, enum place place, const char *file);
/* The whole of a file, appended to text. */
int tfs_read(const struct tfs *tfs, enum place place, const char *file, struct text *text,
	     struct error *err);
/* Opens with flags (and O_CLOEXEC); -1 with err. */
int tfs_file(const struct tfs *tfs, enum place place, const char *file, int flags,
	     struct error *err);
/* Truncates and writes; a list is written a line at a time, as the kernel takes it. */
int tfs_write(const struct tfs *tfs, enum place place, const char *file, const char *value,
	      struct error *err);
int tfs_write_list(const struct tfs *tfs, enum place place, const char *file, const char *lines,
		   bool append, struct error *err);
/* All of a file of this machine (/proc and the like). */
int read_whole(const char *file, struct text *text, struct error *err);
int read_descriptor(int fd, struct text *text);

/* ---- settings.c: what is touched, with its value before ---- */

enum setting_kind { SETTING_VALUE, SETTING_LIST };

struct setting {
	char *file;
	enum setting_kind kind;
	char *old, *want; /* lines of a list end with a newline each */
};

struct settings_list {
	struct setting *items;
	size_t n, room;
};

void settings_list_release(struct settings_list *list);
/* Is it a setting that this program may write, and of which kind? */
bool setting_known(const char *file, enum setting_kind *kind);
/*
 * The value of a setting in the form that can be written back: a chosen word
 * without its brackets, a list without its comments.
 */
int setting_read(const struct tfs *tfs, enum place place, const char *file, struct text *value,
		 struct error *err);
/* Is to become want: notes file and old value, where it differs or always is set. */
int setting_plan(struct settings_list *list, const struct tfs *tfs, enum place place,
		 const char *file, const char *want, bool always, struct error *err);
int settings_apply(const struct settings_list *list, const struct tfs *tfs, enum place place,
		   struct error *err);
/* Puts back what was; goes on after an error and tells the first. */
int settings_restore(const struct settings_list *list, const struct tfs *tfs, struct error *err);

/* ---- state.c: what is needed to undo, in a file ---- */

struct state {
	char boot[64];
	pid_t pid, keeper;
	uint64_t pid_start, keeper_start; /* clock ticks since boot */
	char comm[64];
	char *dir;		       /* tracefs */
	char *instance;		       /* NULL: none */
	struct settings_list settings; /* of the top level, in order of writing */
};

void state_release(struct state *state);
void state_describe_self(struct state *state);
/*
 * Writes the file, whole or not at all, where no other is. place: the folder,
 * or NULL for the first that can be written. file (of PATH_MAX) gets its name.
 */
int state_write(const struct state *state, const char *place, char *file, struct error *err);
/* Puts a new one in the place of what state_write() wrote. */
int state_rewrite(const struct state *state, const char *file, struct error *err);
/*
 * The state left by this user or root: 1 and the file's name where there is one,
 * 0 where there is none, -1 with err where it cannot be trusted or read.
 */
int state_find(struct state *state, const char *place, char *file, struct error *err);
int state_parse(struct state *state, const char *text, size_t n, struct error *err);
/* Does who wrote it, or its keeper, still run? */
bool state_owner_runs(const struct state *state);
/* Undoes what it says, and removes the file where that went well. */
int state_undo(const struct state *state, const char *file, struct error *err);
/* When a process began, in clock ticks since boot; 0 where there is none. */
uint64_t process_start(pid_t pid);

/* ---- keeper.c: the process that outlives us ---- */

struct keeper {
	pid_t pid;
	int hold;   /* closing it ends tracing */
	int answer; /* what came of it */
};

int keeper_start(struct keeper *keeper, const char *state_place, struct error *err);
/* Lets it restore and waits for it. */
int keeper_finish(struct keeper *keeper, struct error *err);

/* ---- users.c: who else uses ftrace ---- */

/*
 * Does anybody use what we would touch? own: we have an instance of our own, so
 * that only what all instances share counts. Then err says what and who, and the
 * result is true.
 */
bool tfs_in_use(const struct tfs *tfs, bool own, struct error *err);

/* ---- functions.c: from system calls to functions ---- */

/*
 * The names to write to set_graph_function, a line each: entries of the calls
 * named, or of all system calls, and the functions named. -1 with err where a
 * name has none.
 */
int functions_chosen(const char *available, size_t n, const struct ftrace_options *options,
		     struct text *lines, struct error *err);

#endif
