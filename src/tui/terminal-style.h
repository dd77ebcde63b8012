/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Styles as curses' colour pairs and attributes. Part of the terminal. */
#ifndef EVTOP_TERMINAL_STYLE_H
#define EVTOP_TERMINAL_STYLE_H

#include "evtop/draw.h"

#define PAIRS_MAX 256

struct terminal_styles {
	int colours; /* 0: none */
	bool has_default;
	struct {
		int16_t fg, bg;
	} pairs[PAIRS_MAX];
	int n_pairs, most_pairs;
};

void styles_start(struct terminal_styles *styles);
/* What is written from now on looks like this. */
void styles_set(struct terminal_styles *styles, const struct theme *theme, enum role role,
		enum role over);

#endif
