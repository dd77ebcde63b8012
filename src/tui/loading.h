/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a recording on a thread of its own, and the screen that shows how far it is. */
#ifndef EVTOP_LOADING_H
#define EVTOP_LOADING_H

#include "evtop/tui.h"
#include "worker.h"

struct loading {
	const struct explore_options *options;
	struct load_progress progress;
	struct worker *worker;
	struct recording *recording; /* once it is done */
	const char *source;
	bool done, stopping;
};

/* What the screen shows, as plain numbers: drawn by the loop and by tests. */
struct loading_look {
	const char *source;
	uint64_t bytes_done, bytes_total, runs_done, runs_total, executions;
	uint64_t elapsed_ns;
	bool stopping;
};

int loading_start(struct loading *loading, const struct explore_options *options,
		  const char *source, struct error *err);
/* Ends early and keeps what was read. */
void loading_stop(struct loading *loading);
/* Joins the thread; the recording stays with the caller. */
void loading_release(struct loading *loading);
void loading_look_at(struct loading *loading, uint64_t elapsed_ns, struct loading_look *look);
void loading_draw(const struct loading_look *look, struct canvas *canvas);

#endif
