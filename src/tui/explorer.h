/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The explorer without a terminal: its state, what keys do to it, and the
 * frame that it makes. Driven by the loop, by a script or by a test.
 */
#ifndef EVTOP_EXPLORER_H
#define EVTOP_EXPLORER_H

#include "evtop/tui.h"
#include "store.h"

#define INPUT_SIZE 128
#define ID_SIZE 128

enum explorer_mode { MODE_NORMAL, MODE_HELP, MODE_SEARCH, MODE_FILTER };

/* What a mark is of, for the next recording. */
struct mark_names {
	char *call, *path; /* path: an id, or NULL: all of the call */
};

/* What is looked at, by names, also while the recording has nothing of it. */
struct explorer_wish {
	char *call, *path_a, *beside; /* ids; NULL: none */
	/* where it was found, or what was shown instead: if that changed, the user has moved */
	uint32_t found_call, found_a, found_beside;
};

struct explorer {
	const struct explore_options *options;
	struct recording *recording; /* held */
	/* earlier ones that panels on the screen still point into */
	struct recording **aside;
	uint32_t n_aside, aside_room;
	struct live *live; /* NULL: nothing goes on */
	struct view_live live_now;
	bool scripted; /* figures of the machine are left out */
	struct explorer_wish wish;
	uint64_t told_ns; /* since the start of the source */
	bool told_new; /* the message is of new paths */
	bool chosen;   /* the user has moved, or what was asked for is found */
	bool hold;     /* rows stay in their order */
	bool reset_asked;
	struct view_place *held[PANEL_COUNT];
	struct store *store;
	struct settings settings;
	enum interval likelihood_interval; /* to go back to from L-moments */
	struct view_context context;	   /* what views are built from; kept up to date */
	char *source;

	enum panel_id focus;
	bool zoom, tree, paused;
	enum panel_id lower; /* fit or i.i.d., which share a place */
	uint32_t beside;     /* path B by the user's hand; PATH_ALL: the most common other one */
	struct panel_state states[PANEL_COUNT];
	struct view_panel views[PANEL_COUNT];
	bool built[PANEL_COUNT];
	uint32_t dirty; /* panels to be built again, by bit */
	struct layout layout;

	enum explorer_mode mode;
	uint32_t help_top, help_page, help_lines;
	char input[INPUT_SIZE], before[INPUT_SIZE]; /* before: to go back to on Esc */
	enum panel_id input_panel;
	uint64_t input_selected; /* the choice when the input began: it comes back */
	uint32_t input_call, input_path;
	char search[INPUT_SIZE];
	char filters[PANEL_COUNT][INPUT_SIZE];
	char message[512];
	enum role message_role;

	uint64_t *toggled;
	uint32_t n_toggled, toggled_room;
	/* while a text is searched for: all rows of the tree, and what was unfolded before */
	struct view_panel whole_tree;
	uint64_t *toggled_before;
	uint32_t n_toggled_before;
	struct explore_mark *marks; /* call UINT32_MAX: not in this recording */
	struct mark_names *mark_names;
	size_t n_marks, marks_room, mark_names_room;
	struct view_marked *marked;	       /* the same for views */
	uint32_t marks_changed, marks_written; /* equal: the report has them all */
	struct worker *writer;		       /* of reports */
	int writing;			       /* files on their way */

	bool quit_asked; /* by the key before this one */
	bool quit_when_written;

	struct theme theme;
	int width, height;
	enum glyphs glyphs;
	bool quit, redraw;
};

/* recording may be without calls; it is held. Borrowed: options. */
void explorer_init(struct explorer *explorer, const struct explore_options *options,
		   struct recording *recording, const char *source);
/* Jobs start here; 0, or -1 with err. */
int explorer_start(struct explorer *explorer, struct error *err);
/* Waits for a report that is being written. */
void explorer_release(struct explorer *explorer);
/*
 * Another recording of the same source, which is held. What is selected, marked,
 * unfolded, filtered and searched for stays what it is, by names and ids; results
 * stay until there are newer ones.
 */
void explorer_set_recording(struct explorer *explorer, struct recording *recording);

/* From now on recordings come from a live source, which is borrowed; after explorer_start(). */
void explorer_set_live(struct explorer *explorer, struct live *live, bool scripted);
/* About once a second: how the source goes. */
void explorer_live_tick(struct explorer *explorer);
/* Takes the next recording, where there is one: now: waits for it. */
bool explorer_live_take(struct explorer *explorer, bool now);

void explorer_resize(struct explorer *explorer, int width, int height);
void explorer_key(struct explorer *explorer, int key);
/* To poll, the first also while the explorer is paused; then explorer_collect(). */
#define EXPLORER_FDS (1 + STORE_FDS)
void explorer_fds(const struct explorer *explorer, int fds[EXPLORER_FDS]);
void explorer_collect(struct explorer *explorer);
/* Jobs that will be collected. */
int explorer_pending(const struct explorer *explorer);
/* Builds what is dirty until nothing is; true where something was built. */
bool explorer_refresh(struct explorer *explorer);
/* Draws the whole frame into a canvas of the explorer's size. */
void explorer_draw(struct explorer *explorer, struct canvas *canvas);
void explorer_message(struct explorer *explorer, enum role role, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* ---- between the explorer's files ---- */

#define DIRTY(panel) (1u << (panel))
#define DIRTY_ALL ((1u << PANEL_COUNT) - 1)

/* What one comes for, and what the command line asked for as soon as it is there. */
void explorer_choose_first(struct explorer *explorer);
void explorer_live_command(struct explorer *explorer, int command);
/* After the panels in sight are built: frees recordings that nothing points into. */
void explorer_let_go(struct explorer *explorer, uint32_t in_sight);
/* While the order is held: as the panel shows its rows now; and not that way any more. */
void explorer_keep_order(struct explorer *explorer, enum panel_id panel);
void explorer_forget_order(struct explorer *explorer, enum panel_id panel);
/* As a job. */
void explorer_save(struct explorer *explorer);
void explorer_publish_marks(struct explorer *explorer);
void explorer_build_whole_tree(struct explorer *explorer);

/* The command that a key stands for in the panel that has the keys. */
const struct key_command *explorer_find_command(const struct explorer *explorer, int key);
void explorer_command(struct explorer *explorer, int command, int key);
void explorer_input_key(struct explorer *explorer, int key);
void explorer_open_input(struct explorer *explorer, enum explorer_mode mode);
void explorer_focus(struct explorer *explorer, enum panel_id panel);
/* Moves the cursor of the panel; what depends on it follows. */
void explorer_select_row(struct explorer *explorer, enum panel_id panel, int64_t row);
void explorer_select_call(struct explorer *explorer, uint32_t call);
void explorer_select_path(struct explorer *explorer, uint32_t path);
void explorer_search(struct explorer *explorer, int direction, bool from_here);
/* A panel that was scrolled says again what fits. */
void explorer_unscroll(struct explorer *explorer, enum panel_id panel);
void explorer_settings_changed(struct explorer *explorer);
void explorer_set_identity(struct explorer *explorer, enum identity identity);
void explorer_mark(struct explorer *explorer);
/* As a job: full tests take long. */
void explorer_write(struct explorer *explorer);
/* Leaves; with marks that no report has it asks once before. */
void explorer_quit(struct explorer *explorer);
void explorer_next_theme(struct explorer *explorer);
void explorer_tree_command(struct explorer *explorer, int command);
/* The row that matches the search, from row on or behind it; -1: none. */
int64_t explorer_find_match(const struct explorer *explorer, const struct view_table *table,
			    int64_t row, int direction, bool from_here);
/* In all of the tree, unfolded or not; unfolds the way to what it finds. */
void explorer_search_tree(struct explorer *explorer, int direction, bool from_here);
/* Around the typing of a text: what the search unfolds is folded again with each reset. */
void explorer_search_tree_begin(struct explorer *explorer);
void explorer_search_tree_reset(struct explorer *explorer);
void explorer_search_tree_end(struct explorer *explorer);
const struct call *explorer_call(const struct explorer *explorer);
void explorer_default_beside(struct explorer *explorer);

/* How long help is at this size, for scrolling in it. */
void help_measure(struct explorer *explorer);
void help_draw(struct explorer *explorer, struct canvas *canvas);
void footer_draw(const struct explorer *explorer, struct canvas *canvas, int y);

#endif
