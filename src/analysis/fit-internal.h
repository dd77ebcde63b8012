/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EVTOP_FIT_INTERNAL_H
#define EVTOP_FIT_INTERNAL_H

#include "evtop/analysis.h"

/* Trust of every level and the verdict on the deadline, from what is known so far. */
void fit_judge(struct fit *fit);
/* More than 5% tied, by steps that are not small beside the scale. */
bool fit_has_coarse_ticks(const struct fit *fit);
/*
 * Maxima of blocks of a sample, or of all executions where it is a draw: then
 * *block_size grows to the next multiple of what is kept. For free(); used:
 * executions in them.
 */
double *block_maxima(const struct sample *sample, enum block_unit unit, uint32_t *block_size,
		     size_t *n, size_t *used);
/* The warnings, anew. */
void fit_warn(struct fit *fit);

#endif
