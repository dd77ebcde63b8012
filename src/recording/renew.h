/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Interrupts make raw paths without end. Their trees live in epochs: when there
 * are too many nodes, the trees are made anew of what is worth it, and the other
 * raw paths keep their identity and their counts only. One of them that comes
 * again is known by its identity.
 */
#ifndef EVTOP_RECORDING_RENEW_H
#define EVTOP_RECORDING_RENEW_H

#include "collect.h"

/*
 * The path of a raw tree that is not in the table: one that was forgotten, a
 * new one, or that of all those of a clean path that are not told apart, which
 * has no tree (NODE_NONE).
 */
uint32_t renew_find_path(struct collector *collector, uint32_t call, uint32_t root);
/* Makes the trees anew where it is time; between two pieces of the source. */
void renew_trees(struct collector *collector);
/* Computes ids that nobody knows yet: MD5 of everything new. */
void renew_ids(struct collector *collector);

#endif
