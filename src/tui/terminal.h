/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real terminal, by curses; nothing else knows of it. */
#ifndef EVTOP_TERMINAL_H
#define EVTOP_TERMINAL_H

#include "evtop/tui.h"

struct terminal;

/*
 * Takes the terminal (/dev/tty for keys where standard input is something
 * else). From here to terminal_close() a crash, an abort or a lack of memory
 * gives it back as it was. NULL with err: not a terminal, unknown, too dumb.
 */
struct terminal *terminal_open(struct error *err);
void terminal_close(struct terminal *terminal);
/* To poll; -1 once it has hung up. */
int terminal_fd(const struct terminal *terminal);
void terminal_size(const struct terminal *terminal, int *width, int *height);
/* After SIGWINCH: asks for the size. */
void terminal_resized(struct terminal *terminal);
/* A key, 0 for one to be ignored, -1 where none waits. */
int terminal_key(struct terminal *terminal);
/* Draws what differs; before may be of another size, then everything. */
void terminal_draw(struct terminal *terminal, const struct canvas *before, const struct canvas *now,
		   const struct theme *theme);
/* Everything again with the next terminal_draw(): after fg, or where others wrote. */
void terminal_forget(struct terminal *terminal);
/* ^Z: gives the terminal back, stops this process, takes it again. */
void terminal_suspend(struct terminal *terminal);

#endif
