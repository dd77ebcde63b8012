/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the readers of pages need of what the kernel says of its buffers. */
#ifndef EVTOP_TRACE_META_H
#define EVTOP_TRACE_META_H

#include "evtop/binary.h"

enum record_kind {
	RECORD_OTHER,
	RECORD_ENTRY, /* function_graph */
	RECORD_EXIT,
	RECORD_CALL_ENTER, /* sys_enter and sys_enter_NAME */
	RECORD_CALL_EXIT,
};

/* Where a field lies in a record; no bytes where there is none. */
struct place {
	uint16_t offset;
	uint8_t bytes;
};

/* An event's record. */
struct layout {
	enum record_kind kind;
	struct place pid, function, depth, calltime, rettime, number;
	char *call; /* sys_NAME, of events that are one call's; else NULL */
	uint32_t bytes_least;
};

struct symbol {
	uint64_t address;
	uint32_t name, length; /* in meta->symbol_names */
};

struct comm {
	int32_t pid;
	uint32_t name;
};

struct tep_handle;

struct trace_meta {
	struct tep_handle *tep;
	bool big_endian, swapped; /* swapped: not as this machine */
	unsigned long_bytes;
	char machine[32]; /* as uname says: "x86_64"; "" where not known */
	unsigned commit_bytes;
	size_t page_bytes;
	struct place type; /* of every record; no bytes until there is an event */
	struct layout *layouts;
	uint32_t n_layouts, layouts_room;
	uint16_t *layout_of; /* by type: index + 1, or 0 */
	struct symbol *symbols;
	uint32_t n_symbols, symbols_room;
	struct text symbol_names;
	bool symbols_sorted;
	struct comm *comms;
	uint32_t n_comms, comms_room;
	struct text comm_names;
	bool comms_sorted;
	bool has_graph, has_calls; /* formats of them */
	bool has_call_times;	   /* function_graph's exits say when the call began */
	/* time stamps of records; else ns are stamps times the multiplier, shifted right; 0: of no
	 * unit of time */
	bool stamps_in_ns;
	uint32_t stamp_multiplier, stamp_shift;
};

/* The layout of records of a type, NULL where nothing is known of them. */
static inline const struct layout *meta_layout(const struct trace_meta *meta, uint32_t type)
{
	uint16_t at = type <= UINT16_MAX ? meta->layout_of[type] : 0;

	return at ? &meta->layouts[at - 1] : NULL;
}

/* The function that holds an address; NULL where none does. Sorts what is not yet. */
const struct symbol *meta_symbol(struct trace_meta *meta, uint64_t address);
const char *meta_comm(struct trace_meta *meta, int32_t pid);

#endif
