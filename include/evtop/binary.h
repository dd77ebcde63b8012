/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Binary traces: pages of the kernel's ring buffers, as trace_pipe_raw gives
 * them and as trace.dat files hold them. Fields are found by name in the
 * kernel's own descriptions, never by position.
 */
#ifndef EVTOP_BINARY_H
#define EVTOP_BINARY_H

#include <stdatomic.h>

#include "evtop/trace.h"

/*
 * What the kernel says of its buffers: layout of pages and events, addresses
 * and names of functions, comms of tasks. Made from the texts of the files
 * named; each text is copied as far as it is needed. 0, or -1 with err where
 * one does not parse.
 */
struct trace_meta;

struct trace_meta *trace_meta_new(void);
void trace_meta_free(struct trace_meta *meta);
/* The machine that wrote: before all others. The default is this one. */
void trace_meta_machine(struct trace_meta *meta, bool big_endian, unsigned long_bytes);
/* What uname says of it, "Linux host 6.1.0-18-amd64 x86_64": for the numbers of its system calls.
 */
void trace_meta_kernel(struct trace_meta *meta, const char *uname_text);
/* events/header_page */
int trace_meta_header_page(struct trace_meta *meta, const char *text, size_t n, struct error *err);
/* events/SYSTEM/EVENT/format */
int trace_meta_format(struct trace_meta *meta, const char *system, const char *text, size_t n,
		      struct error *err);
/* /proc/kallsyms */
int trace_meta_kallsyms(struct trace_meta *meta, const char *text, size_t n, struct error *err);
/* saved_cmdlines */
void trace_meta_comms(struct trace_meta *meta, const char *text, size_t n);
/* Bytes of a page (sub-buffer), header included. */
size_t trace_meta_page_bytes(const struct trace_meta *meta);
/* Can executions be read by it: is the format of function_graph or of system calls' events there?
 */
bool trace_meta_usable(const struct trace_meta *meta, struct error *err);

/*
 * Reader of pages: one stream of them per CPU in, events of all CPUs in order
 * of time out. Where no event of function_graph is seen, sys_enter and sys_exit
 * events are calls without children.
 */
struct page_reader;

/* meta is borrowed and outlives the reader. */
struct page_reader *page_reader_new(struct names *names, struct trace_meta *meta, uint32_t n_cpus,
				    event_sink *sink, void *context);
/* The number of a CPU where its place among the streams is another one. */
void page_reader_name_cpu(struct page_reader *reader, uint32_t stream, uint32_t cpu);
/*
 * The next page of a CPU, copied. Hostile pages are counted (unread_lines) and
 * left out from where they stop making sense.
 */
void page_reader_page(struct page_reader *reader, uint32_t cpu, const void *page, size_t n);
/*
 * Hands out, merged, all events that no CPU can precede any more: those up to
 * the last event of the CPU that has got least far. CPUs marked quiet are not
 * waited for: nothing of theirs was there to be read when last asked.
 */
void page_reader_drain(struct page_reader *reader, const bool *quiet);
/* Bytes of pages that wait to be handed out; a live source bounds them by draining. */
size_t page_reader_waiting(const struct page_reader *reader, uint32_t cpu);
/* No more pages: hands out the rest. */
void page_reader_end(struct page_reader *reader);
/* lines: records. */
const struct trace_counts *page_reader_counts(const struct page_reader *reader);
/* Calls are those of sys_enter and sys_exit. */
bool page_reader_has_graph(const struct page_reader *reader);
void page_reader_free(struct page_reader *reader);

/*
 * Reads a whole trace.dat file, version 6 or 7, from a descriptor that can be
 * read at any place. What is whole of a truncated one is read, and err says
 * what is not: then the result is 1. 0 where all was read; -1 with err where
 * nothing could be. stop may be NULL.
 */
struct tracedat_info {
	int version;
	char kernel[128]; /* of the machine traced; "" where not said */
	bool truncated;
	bool events; /* calls are those of sys_enter and sys_exit */
};

bool tracedat_probe(const char *bytes, size_t n);
int tracedat_read(int fd, struct names *names, event_sink *sink, void *context,
		  struct tracedat_info *info, struct trace_counts *counts, const _Atomic bool *stop,
		  struct error *err);
/* Of what tracedat_read() left in counts. */
void tracedat_counts_release(struct trace_counts *counts);

#endif
