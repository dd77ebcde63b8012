/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording once it is loaded: inputs, campaigns, runs and, for every call,
 * its executions in order of arrival. Read-only for everybody but the loader,
 * so that any number of threads may look at it.
 */
#ifndef EVTOP_RECORDING_H
#define EVTOP_RECORDING_H

#include <stdatomic.h>

#include "evtop/base.h"
#include "evtop/settings.h"
#include "evtop/trees.h"

enum emulation { EMULATION_UNKNOWN, EMULATION_NO, EMULATION_HOST, EMULATION_COUNTED };

/* What an .evtop file was made of. */
struct origin {
	char *name;
	char *format;	 /* NULL where nothing was read */
	char sha256[65]; /* "" where not computed */
};

/* One argument of the command line. Strings are never NULL unless it says so. */
struct input {
	char *name;	    /* base name */
	char *path;	    /* as given */
	char *error;	    /* NULL, or why nothing was read from it */
	char sha256[65];    /* "" where not computed */
	char *kernel;	    /* NULL where not known */
	char *scope;	    /* what was traced, one line; NULL where not known */
	const char *format; /* text, tracecmd-report, perf, csv, ... NULL where nothing was read */
	enum emulation emulated;
	/* manifests of one input (a folder of recordings) that contradict each other */
	bool kernel_differs, machine_differs, scope_differs;
	bool kernel_said;	/* by a manifest, not by runs themselves */
	struct origin *origins; /* of an .evtop file; else none */
	uint32_t n_origins;
	char *origin_options; /* that it was read with; NULL: none of note */
	uint32_t n_runs, n_campaigns;
};

/* A file among others that could not be read, or only in part. */
struct complaint {
	char *file;
	char *reason;
};

struct campaign {
	char *name;
	uint32_t input;
	uint32_t first_run, n_runs;
};

struct run {
	char *name;
	uint32_t campaign;
};

/* What did not become an execution, by reason. */
struct discards {
	uint64_t lost_events;	    /* told by the tracer */
	uint64_t cut_by_loss;	    /* executions open where events were lost */
	uint64_t orphans;	    /* exits of a root whose entry is not recorded */
	uint64_t unfinished;	    /* open at the end of a run */
	uint64_t broken;	    /* open ones whose exit cannot be theirs */
	uint64_t unread_lines;	    /* that no rule explains */
	uint64_t longest_broken_ns; /* a lower bound; 0 where none had time stamps */
};

/* Bits of call->flags. */
#define EXECUTION_DISTURBED 1u	 /* interrupted or preempted */
#define EXECUTION_OWN_UNKNOWN 2u /* its own time is not known exactly */
#define EXECUTION_NO_DURATION 4u /* the trace had no durations: no sample */
#define EXECUTION_APART 8u	 /* there because it is kept whole: not one of those drawn */

/* Times taken out of an execution; only for those that have any. */
struct removed {
	uint32_t execution;
	uint64_t interrupt_ns, preempted_ns, off_cpu_ns;
};

/* Times of one call of a clean path over its undisturbed executions, in ns. */
struct node_times {
	uint64_t n;
	uint64_t sum, min, max;
	uint64_t self_sum, self_min, self_max;
	uint64_t squares_low, squares_high; /* sum of squares, in ns^2, 128 bits */
};

/* An execution kept whole. */
struct kept_execution {
	uint32_t execution; /* index among the call's executions */
	uint32_t raw_root;  /* its raw tree */
	uint64_t duration_ns;
	uint64_t *node_ns; /* by raw pre-order, trees_size(raw_root) of them */
};

#define KEPT_SLOWEST 5
#define KEPT_TYPICAL 15

/* What is kept per clean path that came from a trace. */
struct path_times {
	struct node_times *nodes; /* by clean pre-order: trees_size(path->root) */
	struct kept_execution slowest[KEPT_SLOWEST]; /* longest first */
	uint32_t n_slowest;
	/* undisturbed executions drawn evenly, the same ones however it was read */
	struct kept_execution typical[KEPT_TYPICAL];
	uint32_t n_typical;
};

/*
 * Executions of a live source of which not all are kept (see live.h): figures of
 * all of them, and the maxima of all blocks. Where there is none, everything is
 * in the arrays of executions.
 */
struct tally {
	uint64_t n; /* with a duration */
	uint64_t min_ns, max_ns;
	double sum_ns;
	uint32_t block_size; /* executions in a block; doubles when there are too many blocks */
	uint32_t n_maxima;   /* of whole blocks, in order of arrival */
	uint64_t *maxima_ns;
};

/* By stratum (enum stratum) and time (enum time_kind). */
struct tallies {
	struct tally of[3][2];
};

struct path {
	char *id;	/* 32 hex digits, or what a CSV file gave */
	uint32_t root;	/* in recording->trees; NODE_NONE for samples without trees */
	uint32_t clean; /* a raw path's clean one, an index into paths[IDENTITY_CLEAN] */
	uint32_t n_executions, n_disturbed; /* kept */
	uint64_t n_seen, n_disturbed_seen;  /* all: equal to those kept but for a live source */
	uint64_t new_ns;	 /* live: time since the path was seen first; UINT64_MAX else */
	struct tallies *tallies; /* NULL where all are kept */
	uint32_t thinning;	 /* of 2^thinning executions one is kept, evenly */
	uint32_t n_raw;		 /* a clean path: raw paths behind it */
	uint32_t first;		 /* its executions are order[identity][first ...] */
	uint32_t first_campaign, last_campaign;
	struct path_times *times; /* NULL for raw paths and CSV */
};

/* A system call, or another function chosen as the root of executions. */
struct call {
	char *name;
	uint32_t n_executions;		   /* kept */
	uint64_t n_seen, n_disturbed_seen; /* all: equal to those kept but for a live source */
	struct tallies *tallies;	   /* NULL where all are kept */
	/* by execution, in order of arrival */
	uint64_t *duration_ns;
	uint32_t *raw; /* index into paths[IDENTITY_RAW] */
	uint32_t *run;
	uint8_t *flags;
	struct removed *removed; /* sorted by execution */
	uint32_t n_removed;
	uint32_t n_disturbed, n_own_unknown;
	uint64_t interrupt_ns, preempted_ns, off_cpu_ns; /* summed */
	/* by enum identity; ranked by executions, ties by id */
	struct path *paths[2];
	uint32_t n_paths[2];
	uint32_t *order[2]; /* executions grouped by path, in order of arrival within */
};

struct recording {
	_Atomic uint32_t holders; /* see recording_hold() */
	struct input *inputs;
	uint32_t n_inputs;
	struct complaint *complaints;
	uint32_t n_complaints;
	struct campaign *campaigns;
	uint32_t n_campaigns;
	struct run *runs;
	uint32_t n_runs;
	struct call *calls; /* by name */
	uint32_t n_calls;
	uint64_t n_executions; /* all, kept or not */
	struct discards discards;
	struct names *names;
	struct trees *trees;
	bool has_durations;
	bool live;	     /* made of a source that was still writing */
	bool stopped;	     /* reading was stopped early by the user */
	bool clean_verified; /* the clean rules have been tested for this kernel's calls */
	char **unread;	     /* the first few lines that no rule explains, "file: line" */
	uint32_t n_unread;
};

struct load_options {
	uint32_t n_jobs;	  /* 0: as many as there are cores */
	bool digest;		  /* SHA-256 of the inputs */
	bool node_times;	  /* keep path->times */
	const char *const *roots; /* functions to be roots instead of system calls */
	size_t n_roots;
	const char *const *opaque;
	size_t n_opaque;
	/* Only these; empty means all. */
	const int *pids;
	size_t n_pids;
	const char *const *comms;
	size_t n_comms;
	const int *cpus;
	size_t n_cpus;
	const char *const *syscalls;
	size_t n_syscalls;
	enum emulation emulated; /* said by the user; EMULATION_UNKNOWN otherwise */
	const char *formats;	 /* folder of the formats of raw pages; NULL: beside them */
};

/* Watched by another thread while the loader works. */
struct load_progress {
	_Atomic uint64_t bytes_done, bytes_total;
	_Atomic uint64_t runs_done, runs_total;
	_Atomic uint64_t executions;
	_Atomic bool stop; /* set it to end early with what is read so far */
};

/*
 * Reads everything that paths name: directories, files, archives. An input
 * that cannot be read gets its error and the rest is still loaded; the caller
 * judges. The result does not depend on n_jobs. progress may be NULL.
 */
struct recording *recording_load(const char *const *paths, size_t n_paths,
				 const struct load_options *options,
				 struct load_progress *progress);
/* Its calls are known by their entry and exit alone: no function_graph. */
bool input_has_events_alone(const struct input *input);
/* Freed when as many have let it go as hold it; it is made with one holder. */
struct recording *recording_hold(struct recording *recording);
void recording_free(struct recording *recording);

/*
 * Writes it as an .evtop file, whole or not at all. options: what it was read
 * with, in words ("--root=f"), or NULL. 0, or -1 with err.
 */
int recording_write_evtop(const struct recording *recording, const char *options, const char *file,
			  struct error *err);

const struct call *recording_find_call(const struct recording *recording, const char *name);

#define PATH_ALL UINT32_MAX

/*
 * Which executions of a call: of one path or all, of one stratum, their whole
 * or own time.
 */
struct selection {
	enum identity identity;
	uint32_t path; /* index into call->paths[identity], or PATH_ALL */
	enum stratum stratum;
	enum time_kind time;
};

/* The values chosen, in order of arrival. Owns its arrays. */
struct sample {
	uint32_t n;
	uint64_t *value_ns;
	uint32_t *execution;
	uint32_t *campaign;  /* of each value, ascending */
	uint32_t *run;	     /* of each value, ascending */
	uint32_t n_left_out; /* chosen by path and stratum, but own time unknown or no duration */
	/* figures of all where the values are a draw of them, else NULL; the recording's */
	const struct tally *tally;
};

void sample_select(const struct recording *recording, const struct call *call,
		   const struct selection *selection, struct sample *sample);
void sample_release(struct sample *sample);
/*
 * Which of a call's executions are an even draw of all, whatever their paths:
 * an array of call->n_executions for free(), or NULL: all of them.
 */
bool *call_drawn(const struct call *call);

/* The path with this id or unique prefix: an index, or PATH_ALL with err set. */
uint32_t call_find_path(const struct call *call, enum identity identity, const char *prefix,
			struct error *err);

enum emulation emulation_of_word(const char *word);   /* EMULATION_UNKNOWN for any other */
const char *emulation_word(enum emulation emulation); /* no, host, counted; NULL unknown */

#endif
