/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EVTOP_STORE_INTERNAL_H
#define EVTOP_STORE_INTERNAL_H

#include "evtop/store.h"

/* "evtp": what file(1) and we know it by. */
#define STORE_APPLICATION 0x65767470

#endif
