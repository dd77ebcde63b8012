/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop-rows.h"

#define ROW(member)                                                                                \
	{                                                                                          \
#member, offsetof(struct discards, member)                                         \
	}

const struct discard_row discard_rows[] = {
	ROW(lost_events), ROW(cut_by_loss),  ROW(orphans),	     ROW(unfinished),
	ROW(broken),	  ROW(unread_lines), ROW(longest_broken_ns),
};
const size_t n_discard_rows = COUNT_OF(discard_rows);
