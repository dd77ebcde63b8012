/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EVTOP_FIT_INTERNAL_H
#define EVTOP_FIT_INTERNAL_H

#include "evtop/analysis.h"

/* Trust of every level and the verdict on the deadline, from what is known so far. */
void fit_judge(struct fit *fit);
/* More than 5% tied, by steps that are not small beside the scale. */
bool fit_has_coarse_ticks(const struct fit *fit);
/* The warnings, anew. */
void fit_warn(struct fit *fit);

#endif
