/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of what is named on the command line is still being written, and reading it. */
#ifndef EVTOP_LIVE_SOURCE_H
#define EVTOP_LIVE_SOURCE_H

#include "evtop/tui.h"

struct live_source {
	struct live_input input;
	int fd; /* opened here, or -1 */
	bool is_live;
	struct live *live;
};

/*
 * Is it a live source? Standard input that is no file, a FIFO, a device, a pipe
 * of tracefs: yes, unless what is in it is packed, binary or samples, which are
 * read to their end. patient: waits for the first bytes to know. 0, or -1 with err
 * where it cannot be opened. Not before live_source_close() is an FIFO let go.
 */
int live_source_open(struct live_source *source, const struct explore_options *options,
		     bool patient, struct error *err);
/* Of bytes that a script writes to *feed_fd, which is the caller's to close. */
int live_source_of_script(struct live_source *source, int *feed_fd, struct error *err);
int live_source_start(struct live_source *source, const struct explore_options *options,
		      struct error *err);
/* Reading ends before what it is read from is closed. */
void live_source_close(struct live_source *source);

#endif
