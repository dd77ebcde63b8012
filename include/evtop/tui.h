/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The explorer: state, keys, the loop and the terminal. Only terminal*.c
 * knows curses; the key table below links without it.
 */
#ifndef EVTOP_TUI_H
#define EVTOP_TUI_H

#include "evtop/draw.h"
#include "evtop/live.h"

/* ---- keys: one table for key map, help, footer and manual ---- */

/* Where a command is meant. */
enum key_context {
	KEYS_EVERYWHERE,
	KEYS_MOVE,
	KEYS_ANALYSIS,
	KEYS_LIST,
	KEYS_TREE,
	KEYS_PLOT,
	KEY_CONTEXT_COUNT
};

struct key_command {
	int command;	  /* enum command, commands.h */
	const char *name; /* unique: "next-row" */
	enum key_context context;
	const char *keys;  /* names separated by blanks: "j Down" */
	const char *label; /* in the footer: "select"; NULL: not there */
	const char *help;  /* one sentence without a full stop */
};

extern const struct key_command key_commands[];
extern const size_t n_key_commands;

const char *key_context_title(enum key_context context); /* "Everywhere" */

/*
 * Keys are code points, or these. key_parse() reads "j", "Enter", "PgDn",
 * "Ctrl-L", "F1"...; -1 for what is none. key_text() writes it back (out of 16 bytes).
 */
enum key {
	KEY_NAMED = 0x200000,
	KEY_NAME_UP,
	KEY_NAME_DOWN,
	KEY_NAME_LEFT,
	KEY_NAME_RIGHT,
	KEY_NAME_PAGE_UP,
	KEY_NAME_PAGE_DOWN,
	KEY_NAME_HOME,
	KEY_NAME_END,
	KEY_NAME_BACK_TAB,
	KEY_NAME_BACKSPACE,
	KEY_NAME_DELETE,
	KEY_NAME_F1,
	KEY_NAME_F10 = KEY_NAME_F1 + 9
};
#define KEY_NAME_ENTER '\n'
#define KEY_NAME_TAB '\t'
#define KEY_NAME_ESCAPE 27

int key_parse(const char *name);
const char *key_text(char out[16], int key);

/* ---- running it ---- */

/* A fit that the user marked: what it was of, and with which settings. */
struct explore_mark {
	uint32_t call; /* index in recording->calls */
	uint32_t path; /* index in settings.identity, or PATH_ALL */
	struct settings settings;
	uint64_t deadline_ns; /* of the call; 0: none */
};

/*
 * Whoever set a live source up and has to undo it (evtop live). All of it is
 * called on the thread of explore_run(); each function may be NULL.
 */
struct explore_session {
	int fd; /* readable when says() has something new, or -1: asked once a second */
	/*
	 * Takes what is there to be read and puts a few words for the trust line
	 * into line ("" says nothing); *alarm: loudly. false: the session is over,
	 * and the source will give no more.
	 */
	bool (*says)(void *owner, char *line, size_t size, bool *alarm);
	/*
	 * Once, when reading has ended and the terminal is as it was, whatever ended
	 * the explorer: a key, a signal (of which the process dies afterwards) or a
	 * terminal that hung up. Nothing has been freed that the source needs.
	 */
	void (*end)(void *owner);
	void *owner;
};

struct explore_options {
	const char *const *paths; /* recordings to open */
	size_t n_paths;
	/* a source that is still writing, instead of paths; NULL: paths say what is read */
	const struct live_input *live;
	const struct explore_session *session; /* NULL: nobody's */
	uint32_t kept_per_path;		       /* as in live_options */
	struct load_options load;
	struct settings settings;
	const char *theme; /* NULL: default, or mono under NO_COLOR */
	enum glyphs_choice glyphs;
	const char *syscall;	 /* selected at first; NULL: the one with the most time */
	const char *path_id;	 /* selected at first: an id or a unique prefix; NULL */
	const char *report_file; /* where key w writes; NULL: evtop-report.txt, -2, ... */
	const char *script;	 /* file of a script, "-": standard input; NULL: a terminal */
	int width, height;	 /* of the screen under a script; 0: 80x24 */
	/* ns by call; 0 or NULL function: none */
	uint64_t (*deadline)(void *owner, const char *call);
	/*
	 * Writes the marked fits as a text report to file; 0, or -1 with err.
	 * NULL: key w says that it cannot.
	 */
	int (*write_report)(void *owner, const struct recording *recording,
			    const struct explore_mark *marks, size_t n_marks, const char *file,
			    struct error *err);
	/*
	 * Saves the recording as an .evtop file, on a thread of its own; 0, or -1
	 * with err. NULL: the key says that it cannot.
	 */
	int (*save)(void *owner, const struct recording *recording, const char *file,
		    struct error *err);
	void *owner;
};

/*
 * Loads and explores until the user quits. Returns the exit status: 0, 1 with
 * one line on standard error where nothing could be loaded or there is no
 * usable terminal, 2 for an error in a script (one line, too).
 */
int explore_run(const struct explore_options *options);

/*
 * Can this terminal show the explorer? 0, or -1 with the reason: not a terminal,
 * unknown, or without cursor addressing (TERM=dumb). The caller falls back to a
 * text report.
 */
int explore_check_terminal(struct error *err);

/*
 * "100x30" read as columns (16..1000) and rows (3..1000); -1 with err for
 * anything else.
 */
int explore_parse_size(const char *text, int *width, int *height, struct error *err);

#endif
