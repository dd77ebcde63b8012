/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the text reader: the columns of a line, its body, its other lines. */
#ifndef EVTOP_TRACE_TEXT_H
#define EVTOP_TRACE_TEXT_H

#include "evtop/trace.h"

#define CPUS_MAX 8192
#define BATCH 256

/* The columns of a trace, in the order in which they are printed. */
enum column {
	COLUMN_TIME = 1,      /* ssss.uuuuuu | */
	COLUMN_RELATIVE = 2,  /* n us | */
	COLUMN_CPU = 4,	      /* n) */
	COLUMN_TASK = 8,      /* comm-pid | */
	COLUMN_LATENCY = 16,  /* d..1. | */
	COLUMN_DURATION = 32, /* + 10.606 us | */
};
#define COLUMNS_UNKNOWN UINT_MAX

struct text_reader {
	struct names *names;
	event_sink *sink;
	void *context;
	struct trace_counts counts;

	struct event batch[BATCH];
	size_t n_batch;

	unsigned columns;  /* of this trace, or COLUMNS_UNKNOWN */
	unsigned failures; /* lines in a row that these columns do not fit */
	bool is_report;	   /* trace-cmd report */
	bool header_seen;
	/* where calls are taken from: function_graph, or else events of system calls */
	enum { CALLS_UNKNOWN, CALLS_OF_GRAPH, CALLS_OF_EVENTS } source;
	bool calls_of_report; /* events are in trace-cmd's form */
	struct call_times *call_times;
	bool in_comment; /* inside a marker's text that holds a newline */
	unsigned comment_lines;

	uint8_t *is_function; /* by name: seen to be one of a function */
	uint32_t is_function_room;

	struct last_task { /* the last TASK/PID column, its bar and blank included */
		char bytes[24];
		uint32_t n; /* 0: none yet */
		int32_t cpu, task;
		uint32_t comm;
	} last_task;

	int32_t *owner;	  /* by CPU: the task that the banners tell; TASK_UNKNOWN */
	int32_t last_cpu; /* of the last event */
	int cpus;	  /* entries of owner */

	struct text carry; /* a line whose end is still to come */
	bool overlong;	   /* dropping the rest of a line past the limit */
	bool fed;
};

/* Numbers for tasks that have no pid of their own. */
#define TASK_UNKNOWN INT32_MIN
static inline int32_t task_of_pid(int32_t pid, int cpu)
{
	return pid > 0 ? pid : -(2 * (cpu < 0 ? 0 : cpu) + 2);
}
static inline int32_t task_of_cpu(int cpu)
{
	return cpu < 0 ? -1 : -(2 * cpu + 3);
}

struct event *text_emit(struct text_reader *reader);
/* The entry of the owner table of a CPU, made where it is new. */
int32_t *text_owner(struct text_reader *reader, int cpu);

/*
 * The columns of a line. On success at is moved to the body and event holds
 * CPU, task, comm, duration and time. arrow is set where the duration column
 * holds an interrupt's arrow instead.
 */
bool columns_read(struct text_reader *reader, unsigned columns, const char **at, const char *end,
		  struct event *event, bool *arrow);
/* The columns that a line without further knowledge seems to have. */
unsigned columns_guess(const char *line, const char *end);
/* The columns that a header line names; COLUMNS_UNKNOWN where it names none. */
unsigned columns_of_header(const char *line, const char *end);
/* "comm-pid" with the pid behind the last dash; false where it is none. */
bool task_read(const char *start, const char *end, const char **comm_end, int32_t *pid);
/* "+ 10.606 us   |": at is moved behind the bar. */
bool duration_read(const char **at, const char *end, uint64_t *duration_ns, bool *arrow);

enum body_kind { BODY_NOT, BODY_EVENT, BODY_COMMENT, BODY_OPEN_COMMENT };
/* The body of a line, its indentation first; fills kind, function, depth. */
enum body_kind body_read(struct text_reader *reader, const char *at, const char *end,
			 struct event *event);

/*
 * The same for a line as nearly all are, in a trace with the columns CPU and
 * duration, and no others than time and task; false: take the long way.
 */
bool quick_read(struct text_reader *reader, const char *line, const char *end, struct event *event);

/* A line of trace-cmd report that holds an event; BODY_NOT where it is none. */
enum body_kind report_read(struct text_reader *reader, const char *line, const char *end,
			   struct event *event);

/* What stands before an event's name: who, where, when. */
bool front_read(struct text_reader *reader, const char *line, const char *end, struct event *event);
/* A line that holds the event of a system call, and how long the call took. */
bool call_event_read(struct text_reader *reader, const char *line, const char *end,
		     struct event *event);
/* Is there function_graph in these first bytes? */
void call_look_ahead(struct text_reader *reader, const char *bytes, size_t n);
void call_times_free(struct call_times *times);

/*
 * A line that is no call: header, banner, losses and the like. Takes notice of
 * it and returns true, or false where no rule explains it.
 */
bool other_read(struct text_reader *reader, const char *line, const char *end);
/* Who runs on each CPU before its first banner: the left side of that banner. */
void other_look_ahead(struct text_reader *reader, const char *bytes, size_t n);

static inline const char *skip_spaces(const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	return at;
}

static inline bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

#endif
