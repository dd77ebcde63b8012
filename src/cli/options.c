/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of options. */
#include "evtop/cli.h"
#include "evtop/draw.h"

#define AT(member) offsetof(struct options, member)

static const char *emulated_word(unsigned value)
{
	static const char *const words[] = {"no", "host", "counted"};

	return words[value];
}

static const char *digest_word(unsigned value)
{
	return value ? "none" : "sha256";
}

/* Times as they are; steps of the clock in the likelihood are to come. */
static const char *ticks_word(unsigned value)
{
	(void)value;
	return "off";
}

static const char *format_word(unsigned value)
{
	static const char *const words[] = {"text", "json", "csv"};

	return words[value];
}

#define WORD_OF(function)                                                                          \
	static const char *function##_of(unsigned value)                                           \
	{                                                                                          \
		return function(value);                                                            \
	}
WORD_OF(identity_word)
WORD_OF(stratum_word)
WORD_OF(time_word)
WORD_OF(model_word)
WORD_OF(estimator_word)
WORD_OF(interval_word)
WORD_OF(unit_word)
WORD_OF(block_unit_word)
WORD_OF(tests_word)

const char *const option_groups[N_GROUPS] = {
	[GROUP_READ] = "What is read",	    [GROUP_TRACE] = "Tracing: live and record",
	[GROUP_SHOW] = "What is looked at", [GROUP_FIT] = "Fits and tests",
	[GROUP_SCREEN] = "The screen",	    [GROUP_OUTPUT] = "Output",
};

/* clang-format off */
#define READ .group = GROUP_READ, .commands = IN_ALL
#define READ_OR_TRACE .group = GROUP_READ, .commands = IN_ALL | IN_RECORD
#define TRACE .group = GROUP_TRACE, .commands = IN_TRACING
#define RECORD .group = GROUP_TRACE, .commands = IN_RECORD, .command_only = true
#define SHOW .group = GROUP_SHOW, .commands = IN_LOOK
#define FIT .group = GROUP_FIT, .commands = IN_LOOK
#define SCREEN .group = GROUP_SCREEN
#define OUTPUT .group = GROUP_OUTPUT
#define WORDS(function, count) .kind = OPTION_WORD, .word = function, .n_words = count

const struct option_row option_table[] = {
	{READ_OR_TRACE, .name = "syscall", .argument = "NAME", .kind = OPTION_TEXTS, .target = AT(syscalls),
	 .help = "only this system call (repeatable)"},
	{READ_OR_TRACE, .name = "root", .argument = "FUNCTION", .kind = OPTION_TEXTS, .target = AT(roots),
	 .help = "take the executions of this function instead of system calls (repeatable)"},
	{READ, .name = "pid", .argument = "N", .kind = OPTION_NUMBERS, .target = AT(pids),
	 .help = "only this task (repeatable)"},
	{READ, .name = "comm", .argument = "NAME", .kind = OPTION_TEXTS, .target = AT(comms),
	 .help = "only tasks of this name, as the trace prints it (repeatable)"},
	{READ, .name = "cpu", .argument = "N", .kind = OPTION_NUMBERS, .target = AT(cpus),
	 .help = "only this processor (repeatable)"},
	{READ, .name = "opaque", .argument = "FUNCTION", .kind = OPTION_TEXTS, .target = AT(opaque),
	 .help = "in clean paths keep calls of this function but not what is inside (repeatable)"},
	{READ_OR_TRACE, .name = "emulated", WORDS(emulated_word, 3), .target = AT(emulated),
	 .help = "the machine of a recording whose files do not say: real, emulated on a host "
		 "(times mean nothing), or emulated with instructions counted"},
	{READ, .name = "event-formats", .argument = "FOLDER", .kind = OPTION_TEXT, .target = AT(formats),
	 .help = "where the formats of events and kallsyms are that raw pages are read with; default "
		 "beside the pages"},
	{READ, .name = "digest", WORDS(digest_word, 2), .target = AT(digest),
	 .help = "digest of the inputs that reports state; default sha256"},
	{READ, .name = "jobs", .argument = "N", .kind = OPTION_COUNT, .target = AT(jobs),
	 .help = "workers; 0, the default, is one a processor; results do not depend on it"},

	{TRACE, .name = "buffer-size", .argument = "KIB", .kind = OPTION_COUNT, .value = 4,
	 .target = AT(buffer_kb),
	 .help = "the kernel's buffer of each processor; default as the kernel has it"},
	{TRACE, .name = "clock", .argument = "NAME", .kind = OPTION_TEXT, .target = AT(clock),
	 .help = "the kernel's clock of time stamps, as trace_clock lists them; default local"},
	{TRACE, .name = "depth", .argument = "N", .kind = OPTION_COUNT, .target = AT(depth),
	 .help = "trace no more than N calls below each other; 0, the default, is no limit"},
	{TRACE, .name = "event", .argument = "SYSTEM:EVENT", .kind = OPTION_TEXTS,
	 .target = AT(events), .help = "trace this event too: sched:sched_switch (repeatable)"},
	{TRACE, .name = "take-over", .kind = OPTION_FLAG, .target = AT(take_over),
	 .command_only = true,
	 .help = "trace also where ftrace is in use by somebody else: what is set is saved and put "
		 "back at the end; an evtop that traces is ended"},
	{.group = GROUP_TRACE, .commands = IN_LIVE, .name = "undo", .kind = OPTION_FLAG,
	 .target = AT(undo), .command_only = true,
	 .help = "restore the settings that a killed evtop left, and exit"},
	{RECORD, .name = "campaigns", .letter = 'c', .argument = "N", .kind = OPTION_COUNT,
	 .value = 1, .target = AT(campaigns), .help = "campaigns to record; default 1"},
	{RECORD, .name = "runs", .letter = 'r', .argument = "N", .kind = OPTION_COUNT, .value = 1,
	 .target = AT(runs), .help = "runs of the command in each campaign; default 1"},
	{RECORD, .name = "repeat-lossy", .argument = "N", .kind = OPTION_COUNT,
	 .target = AT(repeat_lossy),
	 .help = "record a run in which events were lost again, up to N times; default 0: it is "
		 "kept as it is, marked"},
	{RECORD, .name = "text", .kind = OPTION_FLAG, .target = AT(text_runs),
	 .help = "write the text of the kernel's file trace instead of raw pages in trace.dat files"},
	{RECORD, .name = "label", .argument = "TEXT", .kind = OPTION_TEXT, .target = AT(label),
	 .help = "noted in the manifest: the load that runs beside, the board"},

	{SHOW, .name = "path", .argument = "ID", .kind = OPTION_TEXT, .target = AT(path),
	 .command_only = true,
	 .help = "only this path; any beginning of its id that no other path has"},
	{SHOW, .name = "identity", WORDS(identity_word_of, 2), .target = AT(settings.identity),
	 .help = "paths without what interrupts and preemption put into them, or as recorded; "
		 "default clean"},
	{SHOW, .name = "stratum", WORDS(stratum_word_of, 3), .target = AT(settings.stratum),
	 .help = "executions that are fitted; default undisturbed with clean, all with raw"},
	{SHOW, .name = "time", WORDS(time_word_of, 2), .target = AT(settings.time),
	 .help = "whole durations, or without interrupts, preemption and sleep; default whole"},
	{SHOW, .name = "deadline", .argument = "CALL:TIME", .kind = OPTION_DEADLINES,
	 .target = AT(deadlines),
	 .help = "judge the paths of a call against this time, 500us for one (repeatable)"},
	{SHOW, .name = "top", .argument = "N", .kind = OPTION_COUNT, .target = AT(top),
	 .help = "the N most common paths of a call; 0 for all; default 10"},

	{FIT, .name = "model", WORDS(model_word_of, 2), .later = "gpd auto",
	 .target = AT(settings.model), .help = "distribution of the block maxima; default gev"},
	{FIT, .name = "estimator", WORDS(estimator_word_of, 2), .later = "auto",
	 .target = AT(settings.estimator),
	 .help = "maximum likelihood or L-moments; default mle"},
	{FIT, .name = "block-size", .argument = "N", .kind = OPTION_COUNT, .value = 1,
	 .later = "auto", .target = AT(settings.block_size),
	 .help = "executions (or runs) in a block; default 50"},
	{FIT, .name = "block-unit", WORDS(block_unit_word_of, 2), .target = AT(settings.block_unit),
	 .help = "what a block is made of; default executions"},
	{FIT, .name = "interval", WORDS(interval_word_of, 3), .target = AT(settings.interval),
	 .help = "how intervals are made: profile likelihood, delta method, parametric bootstrap; "
		 "default profile with mle, bootstrap with lmoments"},
	{FIT, .name = "level", .argument = "SHARE", .kind = OPTION_FRACTION,
	 .target = AT(settings.level), .help = "confidence of intervals; default 0.95"},
	{FIT, .name = "unit", WORDS(unit_word_of, 2), .target = AT(settings.unit),
	 .help = "what return levels count; default executions"},
	{FIT, .name = "probability", .argument = "P", .kind = OPTION_FRACTION,
	 .target = AT(settings.probability),
	 .help = "chance of one execution to exceed the pWCET; default 1e-9"},
	{FIT, .name = "ticks", WORDS(ticks_word, 1), .later = "auto DURATION", .target = AT(ticks),
	 .help = "the clock's step in the likelihood; off, the default, takes times as they are"},
	{FIT, .name = "tests", WORDS(tests_word_of, 2), .target = AT(settings.tests),
	 .help = "quick leaves out the p-values that need refits; default in reports: full for the "
		 "first 10 paths of a call, quick for all others"},
	{FIT, .name = "seed", .argument = "N", .kind = OPTION_SEED, .target = AT(settings.seed),
	 .help = "seed of every random draw; default 1"},
	{FIT, .name = "force", .kind = OPTION_FLAG, .target = AT(settings.force),
	 .help = "show levels that are not trusted, marked, instead of the reason"},

	{SCREEN, .name = "theme", .argument = "NAME", .kind = OPTION_TEXT, .target = AT(theme),
	 .commands = IN_LOOK, .help = "colours; see FILES in the manual"},
	{SCREEN, .name = "ascii", .kind = OPTION_CHOICE, .value = GLYPHS_FORCE_ASCII, .target = AT(glyphs),
	 .commands = IN_LOOK, .help = "draw with ASCII characters only"},
	{SCREEN, .name = "unicode", .kind = OPTION_CHOICE, .value = GLYPHS_FORCE_BLOCK,
	 .target = AT(glyphs), .commands = IN_LOOK, .help = "draw with lines and blocks"},
	{SCREEN, .name = "braille", .kind = OPTION_CHOICE, .value = GLYPHS_FORCE_BRAILLE,
	 .target = AT(glyphs), .commands = IN_LOOK, .help = "draw plots with braille cells"},
	{SCREEN, .name = "script", .argument = "FILE", .kind = OPTION_TEXT, .target = AT(script),
	 .commands = IN_EXPLORE, .command_only = true,
	 .help = "run without a terminal: lines of keys in, screens as text out"},
	{SCREEN, .name = "size", .argument = "COLUMNSxROWS", .kind = OPTION_SIZE,
	 .target = AT(width_cols), .commands = IN_EXPLORE, .command_only = true,
	 .help = "size of the screen of --script; default 80x24"},

	{OUTPUT, .name = "output", .letter = 'o', .argument = "FILE", .kind = OPTION_TEXT,
	 .commands = IN_ALL | IN_RECORD, .target = AT(output), .command_only = true,
	 .help = "write here instead of standard output; in the explorer the report of marked "
		 "fits; with record the folder of the recording, with import the file"},
	{OUTPUT, .name = "format", WORDS(format_word, 3), .target = AT(format),
	 .commands = IN_REPORT, .later = "markdown", .help = "form of the report; default text"},
	{OUTPUT, .name = "calls", .kind = OPTION_FLAG, .target = AT(calls), .commands = IN_PATH,
	 .command_only = true, .help = "print exactly the lines whose MD5 is the path's id"},
	{OUTPUT, .name = "help", .letter = 'h', .kind = OPTION_FLAG, .target = AT(help),
	 .commands = IN_ALL | IN_RECORD, .command_only = true, .help = "print this and exit"},
	{OUTPUT, .name = "version", .letter = 'V', .kind = OPTION_FLAG, .target = AT(version),
	 .commands = IN_ALL | IN_RECORD, .command_only = true, .help = "print the version and exit"},
};
/* clang-format on */

const size_t n_option_table = COUNT_OF(option_table);
_Static_assert(COUNT_OF(option_table) <= N_OPTIONS_MAX, "room in struct options");

const struct command_row command_table[N_COMMANDS] = {
	[COMMAND_EXPLORE] =
		{
			.synopsis = "[OPTIONS] PATH...",
			.help = "explore recordings in the terminal; a PATH is a directory, a file, an "
				"archive, a FIFO, or - for standard input",
		},
	[COMMAND_REPORT] =
		{
			.name = "report",
			.synopsis = "report [OPTIONS] PATH...",
			.help = "the same analysis on standard output, as text, JSON or CSV",
		},
	[COMMAND_PATH] =
		{
			.name = "path",
			.synopsis = "path ID [--calls] [OPTIONS] PATH...",
			.help = "the call tree of one path; with --calls the lines whose MD5 is ID",
		},
	[COMMAND_IMPORT] =
		{
			.name = "import",
			.synopsis = "import -o FILE.evtop [OPTIONS] PATH...",
			.help = "parse once and open at once afterwards: writes an SQLite file that is "
				"taken wherever a PATH is",
		},
	[COMMAND_LIVE] =
		{
			.name = "live",
			.synopsis = "live [OPTIONS] [--] [COMMAND...]",
			.help = "explore what this machine does now, or what COMMAND does: ftrace is set "
				"up, and all its settings are restored at the end, whatever ends it; in the "
				"explorer COMMAND reads and writes nothing, and ends with it; where there "
				"is no terminal a text report comes at the end of COMMAND, or at an "
				"interrupt",
			.takes_command = true,
		},
	[COMMAND_RECORD] =
		{
			.name = "record",
			.synopsis = "record [OPTIONS] -o FOLDER [--] COMMAND...",
			.help = "campaigns of runs of COMMAND under ftrace, each run in a file of its "
				"own; the same line again goes on where it was interrupted",
			.takes_command = true,
		},
};

const char *const commands_to_come[] = {"compare", "baseline", "selftest", "monitor", NULL};
