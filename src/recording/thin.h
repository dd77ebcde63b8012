/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of a source without end not every execution is kept. A clean path that has
 * too many is thinned by half: of two neighbours in order of arrival one goes,
 * drawn by lot, and from then on one of twice as many is kept. What is kept is
 * an even draw of all, in order. Before that, figures of all are taken up, and
 * they go on exactly.
 */
#ifndef EVTOP_RECORDING_THIN_H
#define EVTOP_RECORDING_THIN_H

#include "collect.h"

/* Whether the execution that comes next on a clean path is drawn; makes room where needed. */
bool thin_draw(struct collector *collector, uint32_t call, uint32_t clean);
/* Takes an execution into the figures of all, where there are any. */
void thin_tally(struct collector *collector, const struct collected_call *call, uint32_t path,
		const struct tallied *one);
/* All are kept again: samples went. */
void thin_reset(struct collector *collector);
uint64_t thin_own_ns(uint64_t duration_ns, const struct removed *removed);

#endif
