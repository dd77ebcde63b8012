/* SPDX-License-Identifier: GPL-3.0-or-later */
/* struct ftrace, for those who set it up and those who use it. */
#ifndef EVTOP_FTRACE_OPEN_H
#define EVTOP_FTRACE_OPEN_H

#include <limits.h>

#include "internal.h"

/* What the kernel says of its buffers, as text. */
struct kernel_texts {
	struct text header_page, header_event, kallsyms;
	struct kernel_format {
		char *system; /* ftrace, raw_syscalls, ... */
		struct text text;
	} * formats;
	size_t n_formats, formats_room;
	int comms_fd; /* saved_cmdlines */
};

struct ftrace {
	struct tfs tfs;
	struct keeper keeper;
	struct settings_list top, own; /* what is written where */
	bool graph;
	uint32_t n_cpus;
	int *page_fds, *stats_fds;
	size_t page_bytes;
	int switch_fd; /* tracing_on */
	uint32_t buffer_kb;
	char clock[32];
	struct text scope, kernel;
	struct kernel_texts texts;
	struct trace_meta *meta; /* for files; NULL: not needed yet */
};

/* plan.c */
int plan_settings(struct ftrace *ftrace, const struct ftrace_options *options, struct error *err);
/* Enables events, once everything that was on is remembered. */
int plan_events(struct ftrace *ftrace, const struct ftrace_options *options, struct error *err);
void describe_scope(struct ftrace *ftrace, const struct ftrace_options *options);

/* meta.c */
int kernel_texts_read(struct ftrace *ftrace, struct error *err);
void kernel_texts_release(struct kernel_texts *texts);
/* saved_cmdlines as it is now, appended. */
void kernel_texts_comms(const struct kernel_texts *texts, struct text *comms);

#endif
