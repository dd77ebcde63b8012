/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only code that writes tracefs: sets tracing up, remembers what it
 * touched, and restores it on whatever end.
 */
#ifndef EVTOP_FTRACE_H
#define EVTOP_FTRACE_H

#include "evtop/binary.h"

#endif
