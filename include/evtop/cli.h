/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command line: one table of commands and one of options, from which
 * parsing, the configuration file, --help and the manual are made.
 */
#ifndef EVTOP_CLI_H
#define EVTOP_CLI_H

#include "evtop/base.h"
#include "evtop/report.h"
#include "evtop/settings.h"

/* Exit statuses. */
enum { STATUS_DONE, STATUS_FAILED, STATUS_USAGE };

enum command_id {
	COMMAND_EXPLORE,
	COMMAND_REPORT,
	COMMAND_PATH,
	COMMAND_IMPORT,
	COMMAND_LIVE,
	COMMAND_RECORD,
	N_COMMANDS
};

/* What help and manual say of a command; main.c ties the id to a function. */
struct command_row {
	const char *name;     /* NULL: taken where no command is named */
	const char *synopsis; /* after the program's name */
	const char *help;
	bool takes_command; /* what follows the options is a command with options of its own */
};
extern const struct command_row command_table[N_COMMANDS];

/* Commands that are planned and refused by name: a NULL ends them. */
extern const char *const commands_to_come[];

enum output_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct string_list {
	const char **items; /* owned by argv or by the text of the configuration file */
	size_t n, room;
};

struct number_list {
	int *items;
	size_t n, room;
};

struct deadline_list {
	struct report_deadline *items;
	size_t n, room;
};

#define N_OPTIONS_MAX 64

/* Everything that the command line and the configuration file can say. */
struct options {
	struct settings settings;
	struct string_list syscalls, roots, opaque, comms;
	struct number_list pids, cpus;
	struct deadline_list deadlines;
	const char *formats; /* folder; NULL: beside the pages */
	const char *path;    /* an id or its beginning; NULL: all */
	unsigned emulated;   /* 0 no, 1 host, 2 counted; means nothing where not given */
	unsigned digest;     /* 0: sha256, 1: none */
	unsigned ticks;	     /* 0: off, all there is so far */
	unsigned format;     /* enum output_format */
	unsigned glyphs;     /* enum glyphs_choice */
	uint32_t top;
	uint32_t jobs;
	const char *theme;		  /* NULL: the default */
	const char *output;		  /* NULL: standard output */
	const char *script;		  /* NULL: a terminal */
	uint16_t width_cols, height_rows; /* of --script */
	/* of live and record */
	uint32_t buffer_kb, depth; /* 0: as it is, no limit */
	uint32_t campaigns, runs, repeat_lossy;
	const char *clock, *label; /* NULL: local, none */
	struct string_list events;
	bool take_over, undo, text_runs;
	bool calls, help, version;
	/* by row of option_table: 0 not given, else enum option_source */
	uint8_t given[N_OPTIONS_MAX];
	/* what is left of the command line: points into argv */
	char **operands;
	int n_operands;
	struct text file; /* the configuration file; texts point into it */
};

enum option_source { FROM_NOWHERE, FROM_FILE, FROM_COMMAND_LINE };

enum option_kind {
	OPTION_FLAG,	  /* bool */
	OPTION_CHOICE,	  /* unsigned, set to row->value */
	OPTION_WORD,	  /* unsigned, one of n_words */
	OPTION_COUNT,	  /* uint32_t, at least row->value */
	OPTION_SEED,	  /* uint64_t */
	OPTION_FRACTION,  /* double inside (0, 1) */
	OPTION_TEXT,	  /* const char * */
	OPTION_TEXTS,	  /* struct string_list */
	OPTION_NUMBERS,	  /* struct number_list */
	OPTION_DEADLINES, /* struct deadline_list, CALL:TIME */
	OPTION_SIZE,	  /* two uint16_t, COLUMNSxROWS */
};

enum option_group {
	GROUP_READ,
	GROUP_TRACE,
	GROUP_SHOW,
	GROUP_FIT,
	GROUP_SCREEN,
	GROUP_OUTPUT,
	N_GROUPS
};

#define IN_EXPLORE (1u << COMMAND_EXPLORE)
#define IN_REPORT (1u << COMMAND_REPORT)
#define IN_PATH (1u << COMMAND_PATH)
#define IN_IMPORT (1u << COMMAND_IMPORT)
#define IN_LIVE (1u << COMMAND_LIVE)
#define IN_RECORD (1u << COMMAND_RECORD)
#define IN_LOOK (IN_EXPLORE | IN_REPORT | IN_PATH | IN_LIVE) /* what is read is looked at */
#define IN_ALL (IN_LOOK | IN_IMPORT)
#define IN_TRACING (IN_LIVE | IN_RECORD)

struct option_row {
	const char *name;     /* long name, and key of the configuration file */
	const char *argument; /* what the help calls it; NULL: none, or the words */
	const char *help;
	const char *(*word)(unsigned value); /* WORD */
	const char *later; /* values of the future, refused as such: "gpd auto", "DURATION" */
	size_t target;	   /* offset in struct options */
	uint32_t value;	   /* CHOICE: what is set; COUNT: the least */
	uint8_t n_words;
	uint8_t kind, group;
	uint16_t commands;
	char letter;	   /* 0: none */
	bool command_only; /* not in the configuration file */
};
extern const struct option_row option_table[];
extern const size_t n_option_table;
extern const char *const option_groups[N_GROUPS]; /* their titles */

/* Index of a long name in option_table, or -1. */
int option_find(const char *name);
/* "=gev|gumbel", "=N" or "": as help and manual write it. Appended to out. */
void option_argument(const struct option_row *row, struct text *out);
/* Was it given on the command line or in the file? */
bool option_given(const struct options *options, const char *name);

/*
 * Sets one option from its text (NULL: none); err names value and reason. What
 * the command line has said stays where the file, read later, says otherwise.
 */
int option_set(struct options *options, int row, const char *value, enum option_source source,
	       struct error *err);

void options_init(struct options *options);
void options_release(struct options *options);
/*
 * Reads a configuration file: lines "name = value", "name" for a flag, # for
 * comments. A file that does not exist is no error. Paths in errors as given.
 */
int options_read_file(struct options *options, const char *file, struct error *err);
/* $XDG_CONFIG_HOME/evtop/config or ~/.config/evtop/config; "" where there is neither. */
void options_default_file(struct text *file);
/*
 * Reads the command line behind the command's word: argv[0] is not looked at.
 * Reorders argv. What the user left open follows from the rest afterwards: see
 * options_settle().
 */
int options_read_arguments(struct options *options, enum command_id command, int argc, char **argv,
			   struct error *err);
/* The defaults that hang on other options: stratum, interval. */
void options_settle(struct options *options);

void help_write(enum command_id command, struct text *out);
void version_write(struct text *out);
/* Parts of the manual as man macros: synopsis, commands, options. */
void manual_usage(struct text *out);
void manual_commands(struct text *out);
void manual_options(struct text *out);
/* Text with what roff would take for its own escaped. */
void manual_escape(struct text *out, const char *text);

/* ---- what the commands share ---- */

/* "evtop: text" on standard error, with nothing in it that steers a terminal. */
void complain(const char *format, ...) PRINTF_LIKE(1, 2);
/* Complains of usage and returns its status. */
int complain_usage(enum command_id command, const char *text);
/* The options as the loader and the report take them; pointers into options. */
void options_load(const struct options *options, bool node_times, struct load_options *load);
void options_report(const struct options *options, const struct load_options *load,
		    struct report_options *report);
/*
 * Loads the operands from first on. What failed stands on standard error, one
 * line each. NULL where nothing at all could be read.
 */
struct recording *load_operands(const struct options *options, int first,
				const struct load_options *load);
/* A theme that is not there, named on the command line: complains, false. */
bool check_theme(const struct options *options);
/* Says on standard error where an id names a path of the identity not asked for. */
void note_identity(const struct options *options, const struct report_found *found,
		   const char *prefix);
/* The report of what is loaded, as the options ask for it. */
int report_recording(const struct options *options, const struct recording *recording,
		     const struct load_options *load);
/*
 * Why there is no terminal for the explorer; NULL where there is. reads_input:
 * standard input is the trace, and keys come from elsewhere.
 */
const char *no_terminal_reason(bool reads_input);
/* The explorer on a source that is still writing. */
struct live_input;
struct explore_session;
int explore_input(struct options *options, const struct live_input *input,
		  const struct explore_session *session);
/* What is to be traced, of the options; pids are the caller's. */
struct ftrace_options;
void options_trace(const struct options *options, struct ftrace_options *trace);
/* Complains of calls asked for that the recording does not have; false where none is there. */
bool check_syscalls(const struct options *options, const struct recording *recording);
/* Writes to options->output, or standard output; complains where it fails. */
int write_output(const struct options *options, const struct text *text);

/*
 * The commands: options are read, help and version done. They return an exit
 * status.
 */
int command_explore(struct options *options);
int command_report(struct options *options);
int command_path(struct options *options);
int command_import(struct options *options);
int command_live(struct options *options);
int command_record(struct options *options);

#endif
