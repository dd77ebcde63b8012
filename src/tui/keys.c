/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one table of keys, and their names. */
#include "evtop/tui.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "commands.h"

/* Rows with the same label that follow each other share one place in the footer. */
/* clang-format off */
const struct key_command key_commands[] = {
	{COMMAND_DOWN, "down", KEYS_MOVE, "j Down", "select", "next row, or scroll down"},
	{COMMAND_UP, "up", KEYS_MOVE, "k Up", "select", "previous row, or scroll up"},
	{COMMAND_PAGE_DOWN, "page-down", KEYS_MOVE, "PgDn Space", NULL, "one screen down; density, fit, i.i.d.: what does not fit"},
	{COMMAND_PAGE_UP, "page-up", KEYS_MOVE, "PgUp", NULL, "one screen up; density, fit, i.i.d.: back to what fits"},
	{COMMAND_FIRST, "first", KEYS_MOVE, "g Home", NULL, "first row"},
	{COMMAND_LAST, "last", KEYS_MOVE, "G End", NULL, "last row"},
	{COMMAND_NEXT_PANEL, "next-panel", KEYS_EVERYWHERE, "Tab", NULL, "give the keys to the next panel on the screen"},
	{COMMAND_PREVIOUS_PANEL, "previous-panel", KEYS_EVERYWHERE, "BackTab", NULL, "give the keys to the previous panel"},
	{COMMAND_PANEL, "panel", KEYS_EVERYWHERE, "1 2 3 4 5 6", NULL, "show a panel and give it the keys: 1 calls, 2 paths, 3 tree, 4 density, 5 fit, 6 tests of i.i.d. data"},
	{COMMAND_ZOOM, "zoom", KEYS_EVERYWHERE, "z", "zoom", "give the panel the whole screen, and back"},

	{COMMAND_OPEN, "open", KEYS_LIST, "Enter", "open", "from a call to its paths, from a path to its tree"},
	{COMMAND_BESIDE, "beside", KEYS_LIST, "b", "beside", "keep this path as B, beside the selected one; again: the most common path"},
	{COMMAND_SORT_NEXT, "sort-next", KEYS_LIST, "s", "sort", "sort by the next column"},
	{COMMAND_SORT_PREVIOUS, "sort-previous", KEYS_LIST, "S", NULL, "sort by the previous column"},
	{COMMAND_SORT_INVERT, "sort-invert", KEYS_LIST, "I", NULL, "turn the order round"},
	{COMMAND_SEARCH, "search", KEYS_LIST, "/", "search", "find rows that contain a text"},
	{COMMAND_SEARCH_NEXT, "search-next", KEYS_LIST, "n", NULL, "next row that was found"},
	{COMMAND_SEARCH_PREVIOUS, "search-previous", KEYS_LIST, "N", NULL, "previous row that was found"},
	{COMMAND_FILTER, "filter", KEYS_LIST, "&", NULL, "show only rows that contain a text; empty: all"},

	{COMMAND_TOGGLE, "toggle", KEYS_TREE, "Enter Space", "fold", "unfold or fold the function's calls"},
	{COMMAND_EXPAND, "expand", KEYS_TREE, "Right", NULL, "unfold, or go to the first call inside"},
	{COMMAND_COLLAPSE, "collapse", KEYS_TREE, "Left", NULL, "fold, or go to the function that calls it"},
	{COMMAND_LONGEST_CHILD, "longest-child", KEYS_TREE, "J", "longest child", "go to the call inside that takes the longest"},
	{COMMAND_EXPAND_ALL, "expand-all", KEYS_TREE, "+", "all", "unfold everything"},
	{COMMAND_COLLAPSE_ALL, "collapse-all", KEYS_TREE, "-", "all", "fold everything; again: as at first"},
	{COMMAND_SEARCH, "tree-search", KEYS_TREE, "/", "search", "find functions that contain a text, in folded calls too"},
	{COMMAND_SEARCH_NEXT, "tree-search-next", KEYS_TREE, "n", NULL, "next function that was found"},
	{COMMAND_SEARCH_PREVIOUS, "tree-search-previous", KEYS_TREE, "N", NULL, "previous function that was found"},
	{COMMAND_KIND, "tree-kind", KEYS_TREE, "c", "kind", "next kind: typical times beside the other path; times of single calls; the slowest execution beside a typical one"},

	{COMMAND_KIND, "kind", KEYS_PLOT, "c", "kind", "next kind of the panel, as listed under Panels"},
	{COMMAND_LOG_X, "log-x", KEYS_PLOT, "l", "log", "logarithmic or linear axis of time"},
	{COMMAND_LOG_Y, "log-y", KEYS_PLOT, "L", NULL, "logarithmic or linear vertical axis"},
	{COMMAND_NARROWER, "narrower", KEYS_PLOT, "+ =", "axis", "look closer: half of the time axis"},
	{COMMAND_WIDER, "wider", KEYS_PLOT, "-", "axis", "twice as much of the time axis"},
	{COMMAND_EARLIER, "earlier", KEYS_PLOT, "Left", NULL, "move the time axis to shorter times"},
	{COMMAND_LATER, "later", KEYS_PLOT, "Right", NULL, "move the time axis to longer times"},
	{COMMAND_WHOLE_AXIS, "whole-axis", KEYS_PLOT, "0", NULL, "the whole time axis again"},

	{COMMAND_MODEL, "model", KEYS_ANALYSIS, "m", "model", "GEV or Gumbel"},
	{COMMAND_ESTIMATOR, "estimator", KEYS_ANALYSIS, "e", "estimator", "maximum likelihood or L-moments"},
	{COMMAND_BLOCK_SMALLER, "block-smaller", KEYS_ANALYSIS, "[", "block", "smaller blocks"},
	{COMMAND_BLOCK_LARGER, "block-larger", KEYS_ANALYSIS, "]", "block", "larger blocks"},
	{COMMAND_IDENTITY, "identity", KEYS_ANALYSIS, "i", "identity", "clean paths or raw ones"},
	{COMMAND_STRATUM, "stratum", KEYS_ANALYSIS, "d", "strata", "undisturbed executions, disturbed ones, or all"},
	{COMMAND_TIME, "time", KEYS_ANALYSIS, "t", "time", "whole time or own time (without interrupts, preemption and sleep)"},
	{COMMAND_UNIT, "unit", KEYS_ANALYSIS, "u", "unit", "return levels in executions or in blocks"},
	{COMMAND_INTERVAL, "interval", KEYS_ANALYSIS, "v", "interval", "intervals by profile likelihood, delta method or bootstrap (L-moments: bootstrap)"},
	{COMMAND_TESTS, "tests", KEYS_ANALYSIS, "A", NULL, "quick tests, or full ones with p-values that need refits"},
	{COMMAND_FORCE, "force", KEYS_ANALYSIS, "f", NULL, "show numbers that are not trusted, or the reason in their place"},
	{COMMAND_MARK, "mark", KEYS_ANALYSIS, "M", "mark", "mark this fit, as it is set now, for the report; again: unmark"},
	{COMMAND_WRITE, "write", KEYS_ANALYSIS, "w", "write", "write the marked fits to a text report, with full tests"},

	{COMMAND_THEME, "theme", KEYS_EVERYWHERE, "C", NULL, "next theme"},
	{COMMAND_PAUSE, "pause", KEYS_EVERYWHERE, "p", NULL, "the screen stands still until the next p; results wait, and a live source is counted on"},
	{COMMAND_HOLD, "hold", KEYS_EVERYWHERE, "o", NULL, "hold the order of calls and paths: rows change in place, new ones come last; again: sorted"},
	{COMMAND_STOP_COUNTING, "stop-counting", KEYS_EVERYWHERE, "P", NULL, "live: drop what comes uncounted until the next P"},
	{COMMAND_RESET, "reset", KEYS_EVERYWHERE, "R", NULL, "live: all counts begin anew, known paths stay known; asks once"},
	{COMMAND_SAVE, "save", KEYS_EVERYWHERE, "W", NULL, "save what was seen in evtop-live-DATE.evtop, in this folder"},
	{COMMAND_REDRAW, "redraw", KEYS_EVERYWHERE, "Ctrl-L", NULL, "draw the screen again"},
	{COMMAND_CANCEL, "cancel", KEYS_EVERYWHERE, "Esc", NULL, "leave help or an input; forget search and filter at once"},
	{COMMAND_HELP, "help", KEYS_EVERYWHERE, "? F1", "help", "this help"},
	{COMMAND_QUIT, "quit", KEYS_EVERYWHERE, "q F10", "quit", "leave evtop; asks once for marked fits that were not written"},
};
/* clang-format on */
const size_t n_key_commands = COUNT_OF(key_commands);

static const struct {
	const char *name;
	int key;
} named_keys[] = {
	{"Enter", KEY_NAME_ENTER},    {"Space", ' '},
	{"Tab", KEY_NAME_TAB},	      {"BackTab", KEY_NAME_BACK_TAB},
	{"Esc", KEY_NAME_ESCAPE},     {"Up", KEY_NAME_UP},
	{"Down", KEY_NAME_DOWN},      {"Left", KEY_NAME_LEFT},
	{"Right", KEY_NAME_RIGHT},    {"PgUp", KEY_NAME_PAGE_UP},
	{"PgDn", KEY_NAME_PAGE_DOWN}, {"Home", KEY_NAME_HOME},
	{"End", KEY_NAME_END},	      {"Backspace", KEY_NAME_BACKSPACE},
	{"Delete", KEY_NAME_DELETE},
};

const char *key_context_title(enum key_context context)
{
	static const char *const titles[KEY_CONTEXT_COUNT] = {[KEYS_EVERYWHERE] = "Everywhere",
							      [KEYS_MOVE] = "Moving",
							      [KEYS_ANALYSIS] =
								      "What is analysed, and how",
							      [KEYS_LIST] = "Calls and paths",
							      [KEYS_TREE] = "Tree",
							      [KEYS_PLOT] = "Density, fit, i.i.d."};

	return titles[context];
}

int key_parse(const char *name)
{
	uint32_t code;
	size_t n;
	int number, end;

	for (size_t i = 0; i < COUNT_OF(named_keys); i++)
		if (!strcasecmp(name, named_keys[i].name))
			return named_keys[i].key;
	if (sscanf(name, "F%d%n", &number, &end) == 1 && !name[end] && number >= 1 && number <= 10)
		return KEY_NAME_F1 + number - 1;
	if (!strncmp(name, "Ctrl-", 5) && name[5] >= 'A' && name[5] <= 'Z' && !name[6])
		return name[5] - 'A' + 1;
	n = text_decode(name, &code);
	return n && !name[n] && code > ' ' && code != 0x7f ? (int)code : -1;
}

const char *key_text(char out[16], int key)
{
	for (size_t i = 0; i < COUNT_OF(named_keys); i++)
		if (named_keys[i].key == key) {
			snprintf(out, 16, "%s", named_keys[i].name);
			return out;
		}
	if (key >= KEY_NAME_F1 && key <= KEY_NAME_F10)
		snprintf(out, 16, "F%d", key - KEY_NAME_F1 + 1);
	else if (key > 0 && key < ' ')
		snprintf(out, 16, "Ctrl-%c", key + 'A' - 1);
	else if (key > ' ' && key < 0x7f)
		snprintf(out, 16, "%c", key);
	else
		snprintf(out, 16, "U+%04X", (unsigned)key);
	return out;
}
