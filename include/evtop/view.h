/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * View-models: what a panel shows, as values with roles. No text is laid out
 * here and no colour is named; draw.h turns a model into cells of a screen and
 * the reports turn the same models into text and CSV.
 */
#ifndef EVTOP_VIEW_H
#define EVTOP_VIEW_H

#include <math.h>

#include "evtop/analysis.h"
#include "evtop/base.h"
#include "evtop/recording.h"
#include "evtop/settings.h"

/*
 * What a cell of the screen means. A theme gives each a colour; whatever a
 * colour says is also said by a word or a glyph. X(enum, theme file's name, help)
 */
#define VIEW_ROLES(X)                                                                              \
	X(ROLE_TEXT, "text", "ordinary text")                                                      \
	X(ROLE_DIM, "dim", "units, explanations, what matters less")                               \
	X(ROLE_STRONG, "strong", "a figure that answers the question")                             \
	X(ROLE_TITLE, "title", "title of a panel")                                                 \
	X(ROLE_FOCUS, "focus", "title of the panel that has the keys")                             \
	X(ROLE_HEADING, "heading", "headings of columns")                                          \
	X(ROLE_SORTED, "sorted", "heading of the column that sorts")                               \
	X(ROLE_SELECTION, "selection", "selected row of the panel that has the keys")              \
	X(ROLE_SELECTION_IDLE, "selection-idle", "selected row of another panel")                  \
	X(ROLE_RULE, "rule", "lines between panels")                                               \
	X(ROLE_KEY, "key", "a key in the footer and in help")                                      \
	X(ROLE_GOOD, "good", "a verdict: holds")                                                   \
	X(ROLE_WARNING, "warning", "a verdict: with care")                                         \
	X(ROLE_BAD, "bad", "a verdict: does not hold; lost data")                                  \
	X(ROLE_ALL, "all", "the whole call in a plot")                                             \
	X(ROLE_A, "series-a", "path A, the selected one")                                          \
	X(ROLE_B, "series-b", "path B, the one beside it")                                         \
	X(ROLE_C, "series-c", "a third series")                                                    \
	X(ROLE_D, "series-d", "a fourth series")                                                   \
	X(ROLE_BAND, "band", "an interval around a line")                                          \
	X(ROLE_AXIS, "axis", "axes and their numbers")                                             \
	X(ROLE_BAR, "bar", "bars of shares")                                                       \
	X(ROLE_INTERRUPT, "interrupt", "time of interrupts")                                       \
	X(ROLE_PREEMPTED, "preempted", "time of preemption")                                       \
	X(ROLE_OFF_CPU, "off-cpu", "time asleep")                                                  \
	X(ROLE_PENDING, "pending", "a figure that is being computed again")                        \
	X(ROLE_MARK, "mark", "what the user marked")                                               \
	X(ROLE_MATCH, "match", "text found by the search")                                         \
	X(ROLE_INPUT, "input", "the line that takes text")

enum role {
#define X(id, name, help) id,
	VIEW_ROLES(X)
#undef X
		ROLE_COUNT
};

struct role_info {
	const char *name; /* in theme files */
	const char *help;
};
extern const struct role_info role_infos[ROLE_COUNT];

enum series_kind { SERIES_LINE, SERIES_STEPS, SERIES_BARS, SERIES_POINTS, SERIES_BAND };

/* A value with a role; draw and the reports decide how it is written. */
enum cell_kind {
	CELL_EMPTY,
	CELL_TEXT,	  /* text, left aligned */
	CELL_ID,	  /* text: a path's id; cut to its first 6 digits where room is short */
	CELL_COUNT,	  /* count: 12,002 */
	CELL_PAIR,	  /* pair: 2/295 */
	CELL_DURATION,	  /* number, ns: 9.44 ms; NaN: "-" */
	CELL_DIFFERENCE,  /* number, ns, always with its sign: +112 us */
	CELL_INTERVAL,	  /* range, ns: [ 398 us,  529 us] */
	CELL_SHARE,	  /* number 0..1: 10.3% */
	CELL_FREQUENCY,	  /* number 0..1: 0.500 */
	CELL_NUMBER,	  /* number, three significant digits: 0.614 */
	CELL_PROBABILITY, /* number: 1e-9 */
	CELL_P_VALUE,	  /* number: .41, <.001 */
	CELL_BAR,	  /* number 0..1: a bar of that part of the column's width */
	CELL_BOX,	  /* box on the column's axis: a box plot */
	CELL_SPARK,	  /* spark: a line of small bars */
	CELL_SWATCH,	  /* text: a sample of the series of the cell's role, then text (legends) */
};

/* A box plot's five values in ns; outliers beyond the whiskers are drawn as dots. */
struct view_box {
	double low, quarter, median, three_quarters, high; /* whiskers: low and high */
	double max;					   /* NaN or high: no dot */
};

struct view_cell {
	enum cell_kind kind;
	enum role role;
	/*
	 * In running lines: 0 stays, otherwise the cells with the highest value
	 * vanish first where the line does not fit (all of one value at once).
	 */
	uint8_t drop;
	uint8_t series; /* SWATCH: enum series_kind, as it is drawn */
	union {
		const char *text; /* UTF-8; names from a trace pass through text_printable() */
		uint64_t count;
		double number;
		struct {
			uint64_t first, second;
		} pair;
		struct {
			double low, high;
		} range;
		struct view_box box;
		struct {
			const double *values; /* any unit, NaN leaves a gap */
			uint32_t n;
		} spark;
	};
};

/*
 * A line: cells one after the other with nothing in between (texts bring their
 * own blanks), the last n_right of them at the right edge. In running text a
 * number is as wide as it is; min_widths are for tables only.
 */
struct view_line {
	struct view_cell *cells;
	uint32_t n, n_right, room;
};

enum align { ALIGN_LEFT, ALIGN_RIGHT };

/*
 * A column, one row of a static table from which headings, help, sorting and
 * the manual are made.
 */
struct view_column {
	const char *id; /* as in --sort and CSV; unique within its table */
	const char *heading;
	uint8_t priority;   /* 0 stays to the end; the highest vanish first on a narrow screen */
	uint8_t width_cols; /* the least; grows to its longest cell */
	uint8_t grow;	    /* share of the room that is left over; bars, boxes and names */
	enum align align;   /* of heading and cells */
	bool sortable;
	bool descending; /* the direction that sorting begins with */
	const char *help;
};

struct view_axis {
	const char *label; /* NULL: none */
	enum cell_kind
		kind; /* how its numbers are written: DURATION, PROBABILITY, COUNT, SHARE, NUMBER */
	bool log;
	double low, high;
};

#define ROW_PENDING 1u /* its figures are being computed */
#define ROW_NEW 2u     /* appeared since the data were opened */
#define ROW_MARKED 4u  /* marked by the user */
#define ROW_WARNING 8u /* a flag "!" stands at its end */
#define ROW_A 16u      /* the path A of the other panels */
#define ROW_B 32u      /* the path B of the other panels */

struct view_row {
	uint64_t identity; /* the same as long as the thing is the same; never 0 */
	uint32_t index;	   /* the builder's own: call, path or node index */
	uint64_t jump;	   /* identity of the row that "longest child" goes to, or 0 */
	uint64_t parent;   /* identity of the row above it in a tree, or 0 */
	uint8_t flags;
	bool has_children, expanded;
	uint16_t depth; /* indents the first column of a tree */
	enum role role; /* of cells that are ROLE_TEXT */
};

struct view_table {
	const struct view_column *columns; /* static */
	uint32_t n_columns;
	const char **headings;	/* n_columns; NULL entries take the column's own */
	struct view_axis *axis; /* of CELL_BOX; NULL: none */
	struct view_row *rows;
	struct view_cell *cells; /* n_rows x n_columns */
	uint32_t n_rows, room;
	bool is_tree;
	bool selectable; /* the cursor lives here */
	int sort;	 /* column, or -1 */
	bool descending;
	const char *empty;  /* said instead of rows, e.g. "no call matches" */
	uint16_t *measured; /* draw's own: the longest cell of each column */
};

/* x ascending but for POINTS; a NaN in y interrupts a line. Arrays belong to the panel. */
struct view_series {
	const char *name; /* drawn near its highest point; NULL: none */
	enum series_kind kind;
	enum role role;
	uint32_t n;
	const double *x, *y;
	const double *y2; /* BAND: the other edge; BARS: width in x (NULL: one cell) */
};

/* A line across the plot: a deadline, a median, the bounds of an ACF. */
struct view_mark {
	double at; /* on x, or on y with horizontal */
	bool horizontal;
	enum role role;
	const char *label; /* NULL: none */
};

struct view_plot {
	struct view_axis x, y;
	struct view_series *series;
	uint32_t n_series, room_series;
	struct view_mark *marks;
	uint32_t n_marks, room_marks;
	uint16_t min_rows; /* fewer: the plot is left out; 0: 4 */
	const char *empty; /* said instead of a plot with no points */
};

enum block_kind { BLOCK_LINES, BLOCK_TABLE, BLOCK_PLOT };

/* A panel is a stack of blocks. */
struct view_block {
	enum block_kind kind;
	uint8_t priority; /* 0 stays; the highest vanish first on a low screen */
	uint8_t grow;	  /* share of the rows left over; tables and plots */
	bool blank;	  /* an empty row above it where there is room */
	union {
		struct {
			struct view_line *lines;
			uint32_t n, room;
		} lines;
		struct view_table table;
		struct view_plot plot;
	};
};

/* One row each in panels[]. */
enum panel_id {
	PANEL_HEADER, /* source, trust line, first finding: no key, always shown */
	PANEL_CALLS,
	PANEL_PATHS,
	PANEL_TREE,
	PANEL_DENSITY,
	PANEL_FIT,
	PANEL_IID,
	PANEL_COUNT
};

#define PANEL_KINDS 5

struct panel {
	enum panel_id id;
	char key;	   /* 0: cannot be focused */
	const char *name;  /* "calls": in options, scripts and help */
	const char *title; /* "CALLS" */
	uint16_t min_width_cols, min_height_rows;
	const char *kinds[PANEL_KINDS]; /* what key c goes through; the first is the default */
	const char *help;
};
extern const struct panel panels[PANEL_COUNT];

/* Owns everything in it: one arena, released at once. */
struct view_panel {
	enum panel_id id;
	struct view_line title; /* after key and panel's title: "of openat", right part too */
	struct view_line
		condensed; /* the panel in one line, for 80x24: "5 GEV MLE B50 m26 weak: ..." */
	struct view_block **blocks;
	uint32_t n_blocks, room;
	bool pending; /* something in it waits for a job */
	/* that it could fill, its title included, where it was built for fewer; 0: its blocks' */
	uint16_t wanted_rows;
	struct view_chunk *chunks;
};

/*
 * Building. Memory, blocks and texts handed out live until
 * view_panel_release(); a pointer to a row, its cells or a line is valid until
 * the next one is added to the same table or block.
 */
void view_panel_init(struct view_panel *panel, enum panel_id id);
void view_panel_release(struct view_panel *panel);
void *view_alloc(struct view_panel *panel, size_t count, size_t size); /* zeroed */
const char *view_text(struct view_panel *panel, const char *format, ...) PRINTF_LIKE(2, 3);
/* A name from a trace, with nothing in it that could steer a terminal. */
const char *view_name(struct view_panel *panel, const char *name);

struct view_block *view_add_block(struct view_panel *panel, enum block_kind kind);
struct view_line *view_add_line(struct view_panel *panel, struct view_block *block);
/* A table with these static columns; returns its block's table. */
struct view_table *view_add_table(struct view_panel *panel, const struct view_column *columns,
				  uint32_t n_columns);
/* Adds a row of empty cells; returns the cells. The row is table->rows[n_rows - 1]. */
struct view_cell *view_add_row(struct view_panel *panel, struct view_table *table,
			       uint64_t identity);
struct view_plot *view_add_plot(struct view_panel *panel);
struct view_series *view_add_series(struct view_panel *panel, struct view_plot *plot,
				    enum series_kind kind, enum role role, const char *name);
void view_add_mark(struct view_panel *panel, struct view_plot *plot, bool horizontal, double at,
		   enum role role, const char *label);

/* Adds to a line; the last form adds to its right part. */
void view_put(struct view_panel *panel, struct view_line *line, struct view_cell cell);
void view_puts(struct view_panel *panel, struct view_line *line, enum role role, const char *text);
void view_printf(struct view_panel *panel, struct view_line *line, enum role role,
		 const char *format, ...) PRINTF_LIKE(4, 5);
void view_put_right(struct view_panel *panel, struct view_line *line, struct view_cell cell);

/*
 * The cell as text without padding, in ASCII but for what its own text holds:
 * for reports, search and running lines. Bars, boxes and sparks give "".
 * Returns out.
 */
#define VIEW_CELL_SIZE 256
char *view_format(char *out, size_t size, const struct view_cell *cell);

/* Cells by value. text must outlive the panel or come from view_text(). */
static inline struct view_cell cell_text(enum role role, const char *text)
{
	return (struct view_cell){.kind = CELL_TEXT, .role = role, .text = text};
}
static inline struct view_cell cell_id(enum role role, const char *id)
{
	return (struct view_cell){.kind = CELL_ID, .role = role, .text = id};
}
static inline struct view_cell cell_count(enum role role, uint64_t count)
{
	return (struct view_cell){.kind = CELL_COUNT, .role = role, .count = count};
}
static inline struct view_cell cell_pair(enum role role, uint64_t first, uint64_t second)
{
	return (struct view_cell){.kind = CELL_PAIR, .role = role, .pair = {first, second}};
}
/* DURATION, DIFFERENCE, SHARE, FREQUENCY, NUMBER, PROBABILITY, P_VALUE, BAR */
static inline struct view_cell cell_number(enum cell_kind kind, enum role role, double number)
{
	return (struct view_cell){.kind = kind, .role = role, .number = number};
}
static inline struct view_cell cell_interval(enum role role, double low, double high)
{
	return (struct view_cell){.kind = CELL_INTERVAL, .role = role, .range = {low, high}};
}

/* 64-bit FNV-1a of a string, never 0: identities of rows from names and ids. */
uint64_t view_identity(const char *text);

/* Where a row stands. */
struct view_place {
	uint64_t identity; /* of the row */
	uint32_t place;
};

/* How a table is sorted and filtered by the user; kept per panel. */
struct view_order {
	/* rows stay where they are, by ascending identity; others come behind; NULL: sorted */
	const struct view_place *held;
	uint32_t n_held;
	const char *column; /* id; NULL: the panel's own order */
	bool descending;
	const char *filter; /* NULL or "": none; rows whose name or id contains it */
};

/* Several samples of a call on one time axis. */
#define VIEW_SAMPLES_MAX 4

struct view_density {
	uint32_t call;
	uint32_t paths[VIEW_SAMPLES_MAX]; /* indices or PATH_ALL */
	uint32_t n_paths;
	bool weighted; /* each by its share of the call's executions */
	enum density_kind kind;
	enum axis_scale scale;
	double quantile;	    /* of the range worth looking at */
	double zoom_low, zoom_high; /* part of that range, 0..1 */
	uint32_t n_points;
};

/*
 * Where a view asks for what is computed on the side, for the settings in
 * force. path is an index in their identity, or PATH_ALL. Asking is what starts
 * a job; until it is done the latest earlier result for the same call and path
 * (of other settings: then *pending is set) or NULL (with *pending set) is
 * given. What is given stays as it is until the next view_build(). Results may
 * be NULL without *pending where there is nothing to compute from.
 */
struct view_results {
	const struct summary *(*summary)(void *owner, uint32_t call, uint32_t path,
					 enum stratum stratum, bool *pending);
	/* stage one at first (fit->pending), then with its intervals */
	const struct fit *(*fit)(void *owner, uint32_t call, uint32_t path, bool *pending);
	/* the same with settings changed by the view: both models side by side, both strata */
	const struct fit *(*fit_with)(void *owner, uint32_t call, uint32_t path,
				      const struct settings *settings, bool *pending);
	const struct test_results *(*tests)(void *owner, uint32_t call, uint32_t path,
					    bool *pending);
	/* over block_size_steps[0..n) */
	const struct stability *(*stability)(void *owner, uint32_t call, uint32_t path, size_t *n,
					     bool *pending);
	const struct density *(*density)(void *owner, const struct view_density *wanted,
					 bool *pending);
	/* durations in order of arrival, for the run-sequence plot */
	const struct sample *(*sample)(void *owner, uint32_t call, uint32_t path, bool *pending);
	void *owner;
};

/* A fit that the user marked for the report. */
struct view_marked {
	uint32_t call, path;
	enum identity identity;
};

/* A source that is still writing, or was until now. */
struct view_live {
	double events_per_second, executions_per_second;
	uint64_t executions, lost; /* by now; the recording may be a moment older */
	uint64_t unseen;	   /* executions since the screen stands still */
	double own_cpu;		   /* share of one processor that evtop takes */
	uint64_t resident_bytes;   /* of evtop; 0: not known */
	uint64_t elapsed_ns;	   /* since the start */
	uint64_t recording_ns;	   /* the same when the recording was taken */
	bool ended;		   /* the source has */
	bool session_over;	   /* whoever set it up says so */
	bool stopped;		   /* what comes is dropped uncounted */
	bool frozen;		   /* the screen stands still */
	bool thinned;		   /* not every execution is kept */
	char error[256];	   /* why reading ended; "" */
	char session[128];	   /* what whoever set it up has to say; "" */
	bool session_alarm;
};

/* Paths are new so long, but for those of the first moments: then all are. */
#define VIEW_NEW_NS 10000000000u
#define VIEW_LEARNING_NS 3000000000u

enum view_expand { EXPAND_DEFAULT, EXPAND_ALL, EXPAND_NONE };

/* Everything that the content of a panel depends on. */
struct view_context {
	const struct recording *recording; /* NULL or without calls: say so */
	const struct view_live *live;	   /* NULL: it was whole when it was opened */
	const struct settings *settings;
	struct view_results results;
	const char *source; /* what was opened, for the header */
	uint32_t call;	    /* the selected call; UINT32_MAX: none */
	uint32_t path_a;    /* the selected path, index in settings->identity; PATH_ALL: none */
	uint32_t path_b; /* beside it: the most common one, or the user's choice; PATH_ALL: none */
	struct view_order order[PANEL_COUNT];
	uint8_t kind[PANEL_COUNT]; /* index into panels[].kinds */
	bool log_x[PANEL_COUNT], log_y[PANEL_COUNT];
	double zoom_low, zoom_high; /* part of the density's time axis, 0..1 of the full one */
	/* rows of the tree whose expansion is not the default: sorted identities */
	const uint64_t *toggled;
	uint32_t n_toggled;
	enum view_expand expand;
	const struct view_marked *marked;
	uint32_t n_marked;
	uint64_t deadline_ns; /* of the selected call; 0: none */
	/* room for the panel, so that a histogram can choose its bins */
	uint16_t width_cols, height_rows;
	bool zoomed; /* it has the screen for itself: say more */
	bool narrow; /* one column of a small screen: say less */
};

/* Has it been seen first a moment ago, in a source that is still writing? */
bool view_is_new(const struct view_context *context, const struct path *path);
/* Clean paths of a call that are. */
uint32_t view_count_new(const struct view_context *context, const struct call *call);

/* Is this row's expansion other than by_default? */
bool view_expanded(const struct view_context *context, uint64_t identity, bool by_default);

/*
 * The content of a panel; out is initialised here and released by the caller
 * with view_panel_release(). Never waits. PANEL_HEADER gives one block of
 * context->height_rows lines (1 to 3): source and options in force; trust; the
 * first finding. Where there is one line it holds source and trust together.
 */
void view_build(struct view_panel *out, enum panel_id panel, const struct view_context *context);

#endif
