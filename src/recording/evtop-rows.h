/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words in the rows of an .evtop file that its writer and its reader share. */
#ifndef EVTOP_RECORDING_EVTOP_ROWS_H
#define EVTOP_RECORDING_EVTOP_ROWS_H

#include "evtop/recording.h"

#define ABOUT_EVTOP "evtop"
#define ABOUT_DATE "date"
#define ABOUT_OPTIONS "options"
#define ABOUT_DURATIONS "has_durations"
#define ABOUT_STOPPED "stopped"
#define ABOUT_LIVE "live"

#define KEPT_SLOWEST_WORD "slowest"
#define KEPT_TYPICAL_WORD "typical"

enum { DIFFERS_KERNEL = 1, DIFFERS_MACHINE = 2, DIFFERS_SCOPE = 4 };

/* The reasons of struct discards. */
struct discard_row {
	const char *reason;
	size_t offset;
};
extern const struct discard_row discard_rows[];
extern const size_t n_discard_rows;

static inline uint64_t *discard_row_of(struct discards *discards, size_t row)
{
	return (uint64_t *)((char *)discards + discard_rows[row].offset);
}

#endif
