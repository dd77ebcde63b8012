/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trace formats: from bytes to one stream of entries, exits and losses. A
 * reader knows columns and words of its format and nothing of system calls.
 */
#ifndef EVTOP_TRACE_H
#define EVTOP_TRACE_H

#include "evtop/base.h"
#include "evtop/names.h"

enum event_kind {
	EVENT_ENTRY, /* f() { */
	EVENT_LEAF,  /* f(); entry and exit in one */
	EVENT_EXIT,  /* } or } with the name in a comment behind */
	EVENT_LOST,  /* the tracer lost events on this CPU */
	EVENT_OWNER, /* what was former_task's belongs to task */
	EVENT_TRACE, /* another trace begins in the same file: what is open stays unfinished */
};

#define DURATION_NONE UINT64_MAX
#define TIME_NONE UINT64_MAX
#define CPU_NONE (-1)

struct event {
	enum event_kind kind;
	uint32_t function; /* in the reader's names; NAME_NONE for an exit without a name */
	int32_t depth;	   /* as printed */
	int32_t cpu;	   /* or CPU_NONE */
	/*
	 * Whose nesting this belongs to: a pid, or a number below 0 for the idle
	 * task of a CPU and for the unknown owner of one.
	 */
	int32_t task;
	int32_t former_task;  /* of EVENT_OWNER */
	uint32_t comm;	      /* in the reader's names, NAME_NONE where not printed */
	uint64_t duration_ns; /* children included, or DURATION_NONE */
	uint64_t time_ns;     /* of the record, or TIME_NONE */
};

/* Takes n events in record order. */
typedef void event_sink(void *context, const struct event *events, size_t n);

/* What a reader found besides events. */
struct trace_counts {
	uint64_t lines;
	uint64_t events;       /* entries, leaves and exits */
	uint64_t lost_events;  /* told by the tracer; at least 1 for a loss without a number */
	uint64_t unread_lines; /* that no rule explains */
	char *unread[5];       /* the first of them, cut, printable; owned by the reader */
	unsigned n_unread;
	bool has_durations; /* any event with one */
	bool binary;	    /* NUL bytes where text was expected: reading stopped */
};

/*
 * Reader of every text form: trace, trace_pipe, trace-cmd report, perf ftrace.
 * Feed it bytes as they come; it keeps no more of them than one line (at most
 * 1 MiB) and finds the columns by itself.
 */
struct text_reader;

struct text_reader *text_reader_new(struct names *names, event_sink *sink, void *context);
/* The next bytes of the trace. The first call should hold as much as is at hand. */
void text_reader_feed(struct text_reader *reader, const char *bytes, size_t n);
/* No more bytes: a last line without its newline is read too. */
void text_reader_end(struct text_reader *reader);
const struct trace_counts *text_reader_counts(const struct text_reader *reader);
/* text or tracecmd-report, with -events where calls are those; NULL while nothing was recognised. */
const char *text_reader_format(const struct text_reader *reader);
void text_reader_free(struct text_reader *reader);

#endif
