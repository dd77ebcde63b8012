/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The container of trace.dat files: what it says of itself, and its compressed parts. */
#ifndef EVTOP_TRACE_CONTAINER_H
#define EVTOP_TRACE_CONTAINER_H

#include "meta.h"

enum packing { PACKING_NONE, PACKING_ZLIB, PACKING_ZSTD };

/* Where the pages of a CPU lie. */
struct dat_cpu {
	uint32_t cpu;
	uint64_t offset, bytes; /* as the file says */
};

/* The ring buffers of one instance. */
struct dat_buffer {
	char *name; /* "" for the top one */
	bool packed;
	size_t page_bytes;
	struct dat_cpu *cpus;
	uint32_t n_cpus;
	bool holds; /* any bytes */
};

struct dat {
	int fd;
	uint64_t size;
	int version;
	bool big_endian, swapped, truncated;
	enum packing packing;
	size_t page_bytes;
	struct trace_meta *meta;
	char kernel[128];
	char clock[32];	   /* that stamped the records; "" where not said */
	uint64_t overruns; /* as the statistics of the CPUs count them */
	struct dat_buffer *buffers;
	uint32_t n_buffers, buffers_room;
	/* v7: where the sections lie; 0: nowhere */
	uint64_t header_info, ftrace_formats, event_formats, kallsyms, comms, next_options;
	bool has_text; /* a latency trace, as text */
};

/* Reads all but the pages. 0, or -1 with err. */
int dat_open(struct dat *dat, int fd, struct error *err);
void dat_release(struct dat *dat);
/* n bytes at an offset; false where the file ends before. */
bool dat_read(const struct dat *dat, uint64_t offset, void *bytes, size_t n);
uint64_t dat_number(const struct dat *dat, const uint8_t *bytes, unsigned n);
/* Unpacks into exactly out_n bytes; false where the packed ones are no such thing. */
bool dat_unpack(const struct dat *dat, const void *packed, size_t n, void *out, size_t out_n);

#endif
