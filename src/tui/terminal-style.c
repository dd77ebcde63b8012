/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "terminal-style.h"

#define _XOPEN_SOURCE_EXTENDED 1
#include <curses.h>

void styles_start(struct terminal_styles *styles)
{
	*styles = (struct terminal_styles){0};
	if (!has_colors() || start_color() != OK)
		return;
	styles->colours = COLORS;
	styles->has_default = use_default_colors() == OK;
	styles->most_pairs = COLOR_PAIRS < PAIRS_MAX ? COLOR_PAIRS : PAIRS_MAX;
	styles->n_pairs = 1; /* pair 0 is the terminal's own */
}

/* The pair of two colours, made when it is first needed; 0 where there are no more. */
static short pair_of(struct terminal_styles *styles, int16_t fg, int16_t bg)
{
	if (!styles->colours || (fg == COLOUR_DEFAULT && bg == COLOUR_DEFAULT))
		return 0;
	if (!styles->has_default) {
		fg = fg == COLOUR_DEFAULT ? COLOR_WHITE : fg;
		bg = bg == COLOUR_DEFAULT ? COLOR_BLACK : bg;
	}
	for (int i = 1; i < styles->n_pairs; i++)
		if (styles->pairs[i].fg == fg && styles->pairs[i].bg == bg)
			return (short)i;
	if (styles->n_pairs >= styles->most_pairs ||
	    init_pair((short)styles->n_pairs, fg, bg) != OK)
		return 0;
	styles->pairs[styles->n_pairs].fg = fg;
	styles->pairs[styles->n_pairs].bg = bg;
	return (short)styles->n_pairs++;
}

void styles_set(struct terminal_styles *styles, const struct theme *theme, enum role role,
		enum role over)
{
	struct style style = theme_style(theme, role, over, styles->colours);
	attr_t attributes = A_NORMAL;

	if (style.attributes & STYLE_BOLD)
		attributes |= A_BOLD;
	if (style.attributes & STYLE_DIM)
		attributes |= A_DIM;
	if (style.attributes & STYLE_UNDERLINE)
		attributes |= A_UNDERLINE;
	if (style.attributes & STYLE_REVERSE)
		attributes |= A_REVERSE;
	if (style.attributes & STYLE_ITALIC)
		attributes |= A_ITALIC;
	attr_set(attributes, pair_of(styles, style.fg, style.bg), NULL);
}
