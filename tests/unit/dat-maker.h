/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes trace.dat files and pages as kernels and trace-cmd write them, for
 * machines and layouts that no recording at hand is of. From the manual pages
 * trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5) and the kernel's ring_buffer.h.
 */
#ifndef DAT_MAKER_H
#define DAT_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MADE_PAGE_BYTES 4096
#define MADE_INSTANCES_MAX 4
#define MADE_CPUS_MAX 300

enum made_packing { MADE_V6, MADE_V7_NONE, MADE_V7_ZLIB, MADE_V7_ZSTD };

struct made_machine {
	const char *name;
	bool big_endian;
	unsigned long_bytes;
};

/*
 * Fields of a record behind the common ones, "func:L depth:4": bytes, or L for
 * a long. common_more: bytes that all records have more than other kernels'.
 */
struct made_shape {
	const char *name, *entry, *leave;
	unsigned common_more;
};

enum made_kind { MADE_ENTRY, MADE_EXIT, MADE_CALL_ENTER, MADE_CALL_EXIT, MADE_OTHER };

/* A record of task 7 ("dd"). */
struct made_record {
	enum made_kind kind;
	uint64_t time;
	unsigned function; /* 0: __x64_sys_read, 1: vfs_read, 2: nameless */
	int depth;
	uint64_t calltime, rettime;
};

struct made_bytes {
	uint8_t *at;
	size_t n, room;
	struct made_machine machine;
};

void made_put(struct made_bytes *bytes, uint64_t number, unsigned n);
void made_text(struct made_bytes *bytes, const char *text); /* and its NUL */
void made_release(struct made_bytes *bytes);

/* Texts as tracefs has them; static, overwritten by the next call. */
const char *made_header_page(const struct made_machine *machine);
const char *made_format(const struct made_machine *machine, const struct made_shape *shape,
			enum made_kind kind);
const char *made_kallsyms(const struct made_machine *machine);
#define MADE_COMMS "7 dd\n"

/* A page under way: its header, records, and what else may stand in one. */
void made_page_begin(struct made_bytes *page, uint64_t time);
void made_page_record(struct made_bytes *page, const struct made_shape *shape,
		      const struct made_record *record, uint64_t delta);
/* The word that a thing in a page begins with. */
void made_page_word(struct made_bytes *page, unsigned type, uint64_t delta);
/* missed: -1 none, 0 some, else so many. */
void made_page_end(struct made_bytes *page, int missed);
/* All of it, records in order, each on top of the last one's time. */
void made_page(struct made_bytes *page, const struct made_shape *shape,
	       const struct made_record *records, size_t n);

/* A file: pages[instance][cpu], of whole pages. */
struct made_file {
	struct made_machine machine;
	struct made_shape shape;
	enum made_packing packing;
	uint32_t n_instances, n_cpus;
	const char *names[MADE_INSTANCES_MAX]; /* "" is the top one, the first */
	struct made_bytes pages[MADE_INSTANCES_MAX][MADE_CPUS_MAX];
	const char *clock; /* NULL: not said */
	uint32_t multiplier, shift;
	/* lies */
	bool overlap;	      /* all CPUs' pages are the first one's */
	uint32_t chunk_bytes; /* unpacked, it says; 0: the truth */
};

/* The whole file, to be released. */
struct made_bytes made_file(const struct made_file *file);

#endif
