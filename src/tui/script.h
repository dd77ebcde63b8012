/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the explorer by a script of keys, without a terminal. */
#ifndef EVTOP_SCRIPT_H
#define EVTOP_SCRIPT_H

#include <stdio.h>

#include "explorer.h"

/*
 * Lines: key NAME, type TEXT, resize WxH, wait, screen; blank ones and those
 * that begin with # say nothing. A script that is itself the live source also
 * says feed FILE (its bytes) and end (no more of them). wait: until nothing is
 * being computed and all that was fed has been taken; of another live source,
 * until it has ended. Screens go to out. 0, or -1 with err ("name:line: reason").
 * Ends early where a key quits.
 */
int script_run(struct explorer *explorer, FILE *script, const char *name, int feed_fd, FILE *out,
	       struct error *err);

/* Does it feed? Reads on from the beginning. */
bool script_feeds(FILE *script);

#endif
