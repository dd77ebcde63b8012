/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The .evtop file: a recording parsed once, in an SQLite database of plain
 * tables (schema in the manual evtop-file(5)). This module knows tables and rows alone; what is
 * written from a recording and read into one is src/recording's.
 */
#ifndef EVTOP_STORE_H
#define EVTOP_STORE_H

#include "evtop/base.h"

#endif
