/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one loop: poll() over terminal, signals, timer and workers; then draw once. */
#ifndef EVTOP_LOOP_H
#define EVTOP_LOOP_H

#include "explorer.h"
#include "loading.h"
#include "terminal.h"

struct loop {
	struct terminal *terminal;
	struct explorer *explorer; /* NULL while loading */
	struct loading *loading;   /* NULL after it */
	const struct theme *theme;
	enum glyphs glyphs;
	struct canvas before, now;
	int signal_fd, timer_fd;
	uint64_t started_ns;
	uint64_t drawn_ns; /* the last frame */
	bool pressed;	   /* keys or the size want a frame at once */
	int signal;	   /* that ended it, or 0 */
	bool hung_up;
};

/* Blocks the signals that the loop reads; before any thread is made. 0, or -1 with err. */
int loop_init(struct loop *loop, struct error *err);
void loop_release(struct loop *loop);
/* Until it is read; false where a signal or the terminal's end came first. */
bool loop_load(struct loop *loop, struct loading *loading);
/* Until the user quits or a signal ends it. */
void loop_explore(struct loop *loop, struct explorer *explorer);

#endif
