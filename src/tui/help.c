/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help and footer, both from the table of keys. */
#include "explorer.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"

#define HELP_KEYS_COLS 18

/* A line of help: a title, or keys and what they do; wrapped text goes on without keys. */
struct help_line {
	const char *title;
	const char *keys;
	char text[160];
};

typedef void (*help_visit)(void *owner, const struct help_line *line);

/* Words of text in lines of at most width columns; ASCII, as the table is. */
static void wrap(const char *keys, const char *text, int width, help_visit visit, void *owner)
{
	struct help_line line = {.keys = keys};

	width = width > 150 ? 150 : width < 12 ? 12 : width;
	while (*text) {
		int n = (int)strlen(text);

		if (n > width) {
			n = width;
			while (n > 0 && text[n] != ' ')
				n--;
			if (!n)
				n = width;
		}
		snprintf(line.text, sizeof line.text, "%.*s", n, text);
		visit(owner, &line);
		line.keys = NULL;
		text += n;
		while (*text == ' ')
			text++;
	}
}

static void visit_context(enum key_context context, int width, help_visit visit, void *owner)
{
	struct help_line title = {.title = key_context_title(context)}, blank = {0};

	visit(owner, &title);
	for (size_t i = 0; i < n_key_commands; i++)
		if (key_commands[i].context == context)
			wrap(key_commands[i].keys, key_commands[i].help, width, visit, owner);
	visit(owner, &blank);
}

static void visit_panels(int width, help_visit visit, void *owner)
{
	struct help_line title = {.title = "Panels"}, blank = {0};
	char text[320], key[2] = "";
	size_t n;

	visit(owner, &title);
	for (int i = 0; i < PANEL_COUNT; i++) {
		if (!panels[i].key)
			continue;
		key[0] = panels[i].key;
		n = (size_t)snprintf(text, sizeof text, "%s: %s", panels[i].title, panels[i].help);
		for (int kind = 0; kind < PANEL_KINDS && panels[i].kinds[kind]; kind++)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s",
					      kind ? ", " : " (c: ", panels[i].kinds[kind]);
		if (panels[i].kinds[0])
			snprintf(text + n, sizeof text - n, ")");
		wrap(key, text, width, visit, owner);
	}
	visit(owner, &blank);
}

/* What the screen says shortly. */
static const struct {
	const char *term, *text;
} glossary[] = {
	{"A, B",
	 "the chosen path, and the path beside it: the most common other one, or what b keeps"},
	{"P99.9", "99.9% of the executions took no longer than this; P50 is the median"},
	{"3/295",
	 "3 clean paths, 295 raw ones: clean ones without interrupts, preemption and sleep"},
	{"disturbed", "an interrupt or a preemption came into the execution"},
	{"stratum", "the executions that are analysed: undisturbed, disturbed, or all"},
	{"whole, own",
	 "time from entry to return; own leaves out interrupts, preemption and sleep"},
	{"B 50, m", "executions per block, and the blocks: the longest of each is a maximum, m of "
		    "them are fitted"},
	{"effective n", "or worth: so many independent executions would say as much as these, "
			"which depend on each other"},
	{"pWCET 1e-9",
	 "the time that one execution exceeds with probability 1e-9, if the model holds there"},
	{"weak", "a fit to fewer than 50 maxima"},
	{"emulated", "traced in an emulator: paths are right, times mean little"},
	{"call 104", "calls of a path are counted from 0, its system call; (6) is the depth of a "
		     "call in the tree"},
	{"\u2605", "a fit of it is marked for the report"},
	{"!", "a warning, or a test that rejects"},
	{"\u00bb", "the panel that has the keys; in the tree the row chosen"},
	{"/", "the search finds this row"},
	{"more", "the panel has more to say than fits: Space shows all of it, to be scrolled"},
	{"& text", "rows are hidden: only those with the text are shown, Esc shows all"},
	{"+ -", "in the tree: only the chosen path makes this call; only the path beside it does"},
};

static void visit_glossary(int width, help_visit visit, void *owner)
{
	struct help_line title = {.title = "Words and marks"};

	visit(owner, &title);
	for (size_t i = 0; i < COUNT_OF(glossary); i++)
		wrap(glossary[i].term, glossary[i].text, width, visit, owner);
}

/* What belongs to the panel that has the keys first. */
static void visit_all(const struct explorer *explorer, int width, help_visit visit, void *owner)
{
	enum key_context own = explorer->focus == PANEL_TREE	  ? KEYS_TREE
			       : explorer->focus >= PANEL_DENSITY ? KEYS_PLOT
								  : KEYS_LIST;
	static const enum key_context order[] = {KEYS_ANALYSIS, KEYS_MOVE, KEYS_EVERYWHERE,
						 KEYS_LIST,	KEYS_TREE, KEYS_PLOT};

	visit_context(own, width, visit, owner);
	for (size_t i = 0; i < COUNT_OF(order); i++)
		if (order[i] != own)
			visit_context(order[i], width, visit, owner);
	visit_panels(width, visit, owner);
	visit_glossary(width, visit, owner);
}

struct help_drawing {
	struct canvas *canvas;
	uint32_t line, top, rows;
	int keys_cols;
};

static void draw_help_line(void *owner, const struct help_line *line)
{
	struct help_drawing *drawing = owner;
	uint32_t at = drawing->line++;
	int y, width = drawing->canvas->width;

	if (at < drawing->top || at >= drawing->top + drawing->rows)
		return;
	y = 1 + (int)(at - drawing->top);
	if (line->title)
		canvas_puts(drawing->canvas, 1, y, width - 2, ROLE_TITLE, line->title);
	if (line->keys)
		canvas_puts(drawing->canvas, 3, y, drawing->keys_cols - 1, ROLE_KEY, line->keys);
	canvas_puts(drawing->canvas, 3 + drawing->keys_cols, y, width - 4 - drawing->keys_cols,
		    ROLE_TEXT, line->text);
}

static int keys_cols(int width)
{
	return width < 60 ? 12 : HELP_KEYS_COLS;
}

static void count_line(void *owner, const struct help_line *line)
{
	(void)line;
	++*(uint32_t *)owner;
}

void help_measure(struct explorer *explorer)
{
	int width = explorer->width;

	explorer->help_page = explorer->height > 3 ? (uint32_t)explorer->height - 2 : 1;
	explorer->help_lines = 0;
	visit_all(explorer, width - 5 - keys_cols(width), count_line, &explorer->help_lines);
}

void help_draw(struct explorer *explorer, struct canvas *canvas)
{
	struct help_drawing drawing = {.canvas = canvas, .top = explorer->help_top};
	char position[64];

	drawing.rows = (uint32_t)(canvas->height - 2);
	drawing.keys_cols = keys_cols(canvas->width);
	canvas_puts(canvas, 1, 0, canvas->width - 2, ROLE_FOCUS, "evtop keys");
	visit_all(explorer, canvas->width - 5 - drawing.keys_cols, draw_help_line, &drawing);
	snprintf(position, sizeof position, "%u-%u of %u", drawing.top + 1,
		 drawing.top + drawing.rows < drawing.line ? drawing.top + drawing.rows
							   : drawing.line,
		 drawing.line);
	canvas_puts(canvas, 1, canvas->height - 1, canvas->width - 2, ROLE_DIM,
		    canvas->width < 60 ? "j k scroll  q back" : "j k Space scroll   q Esc ? back");
	canvas_puts(canvas, canvas->width - 1 - text_columns(position), canvas->height - 1,
		    text_columns(position), ROLE_DIM, position);
}

/* In the footer: what belongs to the panel first, then the rest, in the table's order. */
static int rank(const struct explorer *explorer, const struct key_command *command)
{
	switch (command->context) {
	case KEYS_MOVE:
		return 0;
	case KEYS_LIST:
		return explorer->focus == PANEL_CALLS || explorer->focus == PANEL_PATHS ? 1 : -1;
	case KEYS_TREE:
		return explorer->focus == PANEL_TREE ? 1 : -1;
	case KEYS_PLOT:
		return explorer->focus >= PANEL_DENSITY ? 1 : -1;
	case KEYS_ANALYSIS:
		return 2;
	default:
		return 3;
	}
}

static size_t first_key(char *out, size_t size, const char *keys)
{
	size_t n = strcspn(keys, " ");

	return (size_t)snprintf(out, size, "%.*s", (int)n, keys);
}

/* Keys of a command and of the next ones that share its label: "j/k", "[ ]". */
static void footer_keys(char *out, size_t size, size_t *at)
{
	const char *label = key_commands[*at].label;
	size_t n = first_key(out, size, key_commands[*at].keys);

	while (*at + 1 < n_key_commands && key_commands[*at + 1].label &&
	       !strcmp(key_commands[*at + 1].label, label) &&
	       key_commands[*at + 1].context == key_commands[*at].context) {
		++*at;
		n += (size_t)snprintf(out + n, size - n, "/");
		n += first_key(out + n, size - n, key_commands[*at].keys);
	}
}

struct footer {
	struct canvas *canvas;
	int x, y, end;
};

static bool put_footer(struct footer *footer, const char *keys, const char *label)
{
	int n = text_columns(keys) + 1 + text_columns(label);

	if (footer->x + n > footer->end)
		return false;
	footer->x += canvas_puts(footer->canvas, footer->x, footer->y, n, ROLE_KEY, keys) + 1;
	footer->x += canvas_puts(footer->canvas, footer->x, footer->y, n, ROLE_DIM, label) + 2;
	return true;
}

void footer_draw(const struct explorer *explorer, struct canvas *canvas, int y)
{
	/* the way out and the way to help are always there */
	static const char last[] = "? help  q quit";
	struct footer footer = {canvas, 1, y, canvas->width - (int)sizeof last - 2};
	char keys[64];

	put_footer(&footer, "1-6", "panel");
	for (int wanted = 0; wanted < 4; wanted++)
		for (size_t i = 0; i < n_key_commands; i++) {
			const struct key_command *command = &key_commands[i];

			if (!command->label || rank(explorer, command) != wanted ||
			    command->command == COMMAND_HELP || command->command == COMMAND_QUIT)
				continue;
			footer_keys(keys, sizeof keys, &i);
			put_footer(&footer, keys, command->label);
		}
	footer.end = canvas->width;
	put_footer(&footer, "?", "help");
	put_footer(&footer, "q", "quit");
}
