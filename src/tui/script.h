/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the explorer by a script of keys, without a terminal. */
#ifndef EVTOP_SCRIPT_H
#define EVTOP_SCRIPT_H

#include <stdio.h>

#include "explorer.h"

/*
 * Lines: key NAME, type TEXT, resize WxH, wait, screen; blank ones and those
 * that begin with # say nothing. Screens go to out. 0, or -1 with err
 * ("name:line: reason"). Ends early where a key quits.
 */
int script_run(struct explorer *explorer, FILE *script, const char *name, FILE *out,
	       struct error *err);

#endif
