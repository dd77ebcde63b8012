/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of all executions, for when not all are kept. */
#ifndef EVTOP_RECORDING_TALLY_H
#define EVTOP_RECORDING_TALLY_H

#include "evtop/recording.h"

/* Executions in a block at first, and blocks before neighbours are merged. */
#define TALLY_BLOCK 5
#define TALLY_MAXIMA_MAX 16384

/* A tally that grows: a block is open at its end. */
struct growing_tally {
	struct tally sum;
	uint32_t room;
	uint32_t open_n;
	uint64_t open_max_ns;
};

/* One execution, as tallies see it. */
struct tallied {
	uint64_t whole_ns, own_ns;
	uint8_t flags;
};

/* By stratum and time. */
struct growing_tallies {
	struct growing_tally of[3][2];
};

void tally_add(struct growing_tally *tally, uint64_t ns);
void tallies_add(struct growing_tallies *tallies, const struct tallied *one);
void tallies_free(struct growing_tallies *tallies);
/* A copy as it stands, for a recording. */
struct tallies *tallies_finish(const struct growing_tallies *tallies);

#endif
