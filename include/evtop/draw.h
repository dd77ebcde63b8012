/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From view-models to a grid of (glyph, role) cells: tables, trees, plots,
 * layout, themes. Knows nothing of a terminal.
 */
#ifndef EVTOP_DRAW_H
#define EVTOP_DRAW_H

#include "evtop/view.h"

/* Which characters may be used. All text is written for Unicode and replaced at the canvas. */
enum glyphs {
	GLYPHS_ASCII,
	GLYPHS_BLOCK,  /* lines, arrows, eighths and quadrants of blocks */
	GLYPHS_BRAILLE /* these, and braille for plots */
};
enum glyphs_choice { GLYPHS_AUTO, GLYPHS_FORCE_ASCII, GLYPHS_FORCE_BLOCK, GLYPHS_FORCE_BRAILLE };

/*
 * By choice, else by the locale's code set (nl_langinfo(CODESET), LC_CTYPE
 * must be set) and the terminal's name (may be NULL): the Linux console's fonts
 * have no braille.
 */
enum glyphs glyphs_choose(enum glyphs_choice choice, const char *codeset, const char *term);

struct rect {
	int x, y, width, height;
};

/* A cell: one column wide. over lies over it (selection, match) or is ROLE_TEXT. */
struct canvas_cell {
	uint32_t glyph; /* code point; ' ' is empty */
	uint8_t role, over;
};

struct canvas {
	int width, height;
	enum glyphs glyphs;
	struct canvas_cell *cells;
};

void canvas_init(struct canvas *canvas, int width, int height, enum glyphs glyphs);
void canvas_release(struct canvas *canvas);
void canvas_clear(struct canvas *canvas);
/* Outside the canvas nothing happens. The glyph is replaced by what the canvas can show. */
void canvas_put(struct canvas *canvas, int x, int y, uint32_t glyph, enum role role);
/*
 * Writes UTF-8 from x on, at most width columns; what does not fit is cut, its
 * last column becomes an ellipsis. Returns the columns used.
 */
int canvas_puts(struct canvas *canvas, int x, int y, int width, enum role role, const char *utf8);
void canvas_repeat(struct canvas *canvas, int x, int y, int width, uint32_t glyph, enum role role);
/* Lays a role over the cells of a rectangle. */
void canvas_over(struct canvas *canvas, struct rect rect, enum role over);
bool canvas_equal(const struct canvas *a, const struct canvas *b);
/* One row as UTF-8, trailing blanks cut, without a newline. */
void canvas_row_text(const struct canvas *canvas, int y, struct text *out);
/* Columns that a text takes: one a code point, as canvas_puts() draws it. */
int text_columns(const char *utf8);
/* Calls draw for every run of cells [x, x + n) of a row that differs from before. */
void canvas_changes(const struct canvas *before, const struct canvas *now,
		    void (*draw)(void *owner, int x, int y, int n), void *owner);

/* What a panel's drawing keeps between frames; the cursor follows an identity. */
struct panel_state {
	uint64_t selected; /* identity of the row; 0: the first one */
	uint32_t row;	   /* where it was, for when it is gone */
	uint32_t top;	   /* first row shown */
	uint32_t page;	   /* rows that fitted last time, set by drawing */
	/* all blocks in full length, scrolled, instead of those that fit (no list of its own) */
	bool whole;
	uint32_t offset; /* rows scrolled; drawing keeps it inside */
};

struct panel_look {
	bool focused;
	bool keys_shown;    /* the panel's digit stands before its title */
	const char *search; /* NULL or "": rows that match are shown by role and glyph */
	const char *filter; /* NULL or "": said in the title, for rows are hidden */
};

/* Longest cells of every table of a panel; once after each view_build(). */
void draw_measure(struct view_panel *panel);
/* Rows that the panel would like to have, its title included. */
int draw_wanted_rows(const struct view_panel *panel);
/* Rows of all its blocks in full length, without the title, in a panel of so many rows. */
int draw_whole_rows(const struct view_panel *panel, int height);
void draw_panel(struct canvas *canvas, struct rect rect, const struct view_panel *panel,
		struct panel_state *state, const struct panel_look *look);
/* The pieces of it. Returns the columns used. */
int draw_line(struct canvas *canvas, struct rect rect, const struct view_line *line);
void draw_table(struct canvas *canvas, struct rect rect, const struct view_table *table,
		struct panel_state *state, const struct panel_look *look);
void draw_plot(struct canvas *canvas, struct rect rect, const struct view_plot *plot);
void draw_bar(struct canvas *canvas, int x, int y, int width, double part, enum role role);
void draw_box(struct canvas *canvas, int x, int y, int width, const struct view_box *box,
	      const struct view_axis *axis);
void draw_spark(struct canvas *canvas, int x, int y, int width, const double *values, uint32_t n);
/* The main table of a panel, or NULL. */
struct view_table *panel_table(const struct view_panel *panel);
/* Row of an identity, or -1. */
int64_t table_find(const struct view_table *table, uint64_t identity);
/* Does any text of the row contain it (ASCII letters in either case)? */
bool table_row_matches(const struct view_table *table, uint32_t row, const char *search);

/* Where each panel goes. */
struct layout_place {
	enum panel_id panel;
	struct rect rect;
};

#define LAYOUT_RULES 8

struct layout {
	struct layout_place places[PANEL_COUNT];
	int n_places;
	struct rect rules[LAYOUT_RULES]; /* one column or one row */
	int n_rules;
	int header_rows;
	struct rect condensed; /* one row for the panels that have no place; height 0: none */
	int footer_y;	       /* -1: none */
	bool narrow;	       /* one column */
};

struct layout_wish {
	enum panel_id focus;
	bool zoom;
	bool tree;	       /* the tree lies below calls and paths, not density and fit */
	enum panel_id lower;   /* fit or i.i.d., which share a place */
	int rows[PANEL_COUNT]; /* wanted; 0: not known */
};

void layout_make(struct layout *layout, int width, int height, const struct layout_wish *wish);
const struct layout_place *layout_find(const struct layout *layout, enum panel_id panel);
void draw_rules(struct canvas *canvas, const struct layout *layout);

/*
 * Themes: lines "role = FOREGROUND BACKGROUND ATTRIBUTES", '#' starts a
 * comment. A colour is default, a name (red, bright-red), a number up to 255,
 * or NUMBER/NAME with a name for terminals of fewer colours. Attributes: bold,
 * dim, underline, reverse, italic.
 */
#define STYLE_BOLD 1u
#define STYLE_DIM 2u
#define STYLE_UNDERLINE 4u
#define STYLE_REVERSE 8u
#define STYLE_ITALIC 16u
#define COLOUR_DEFAULT (-1)

struct style {
	int16_t fg, bg;		    /* COLOUR_DEFAULT or 0..255 */
	int16_t fg_basic, bg_basic; /* the same with 16 colours: COLOUR_DEFAULT or 0..15 */
	uint8_t attributes;
};

struct theme {
	char name[64];
	struct style styles[ROLE_COUNT];
};

/* The mono theme built in: attributes alone. */
void theme_mono(struct theme *theme);
/* -1 with "file:line: reason". Roles that the file does not name stay as in mono. */
int theme_parse(struct theme *theme, const char *name, const char *file, const char *content,
		struct error *err);
/*
 * Looks in $XDG_CONFIG_HOME/evtop/themes (or ~/.config), the themes folder
 * beside the program when it runs from where it was built, and THEMES_DIR. A
 * name with a slash is a file.
 */
int theme_load(struct theme *theme, const char *name, struct error *err);
/* Names of all themes that can be found, sorted, each once; free each and the array. */
char **theme_names(size_t *n);
/* The style of a role on a terminal of so many colours (below 8: attributes only). */
struct style theme_style(const struct theme *theme, enum role role, enum role over, int colours);

#endif
