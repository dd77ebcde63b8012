/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a stream of entries and exits to executions, and from raw paths to clean ones. */
#ifndef EVTOP_PATH_H
#define EVTOP_PATH_H

#include "evtop/trace.h"
#include "evtop/trees.h"

/*
 * Whether a function is the root of a system call, and the call's name in it:
 * "__x64_sys_openat" is openat. name points into function.
 */
bool syscall_of_function(const char *function, size_t n, const char **name, size_t *name_n);

/* A complete execution, as it ends. Everything is valid only during the call. */
struct execution {
	uint32_t call; /* its name, in the names */
	uint32_t root; /* its raw tree */
	uint32_t n_calls;
	/* by raw pre-order; DURATION_NONE where the trace has none; [0] is the root's */
	const uint64_t *node_ns;
};

typedef void execution_sink(void *context, const struct execution *execution);

/* Why calls did not become executions. */
struct assembler_counts {
	uint64_t cut_by_loss, orphans, unfinished, broken;
	uint64_t longest_broken_ns;
	uint64_t no_room; /* of broken: too many tasks, calls or different trees for this program */
};

struct assembler_options {
	/* functions that are roots instead of system calls; none: system calls */
	const char *const *roots;
	size_t n_roots;
	/* only executions begun by these; none: all */
	const int *pids;
	size_t n_pids;
	const char *const *comms;
	size_t n_comms;
	const int *cpus;
	size_t n_cpus;
	uint32_t max_nodes; /* of trees; 0: as many as fit */
};

struct assembler;

struct assembler *assembler_new(struct names *names, struct trees *trees,
				const struct assembler_options *options, execution_sink *sink,
				void *context);
void assembler_feed(struct assembler *assembler, const struct event *events, size_t n);
/* The end of a run: what is open is unfinished, and the next run starts anew. */
void assembler_end_run(struct assembler *assembler);
const struct assembler_counts *assembler_counts(const struct assembler *assembler);
/*
 * Other trees take the place of those in use: map gives the new node of each
 * old one that an open execution still needs (never NODE_NONE for one that is).
 */
void assembler_renew(struct assembler *assembler, struct trees *trees,
		     uint32_t (*map)(void *context, uint32_t node), void *context);
/* longest_broken_ns starts from nothing again. */
void assembler_forget_longest(struct assembler *assembler);
void assembler_free(struct assembler *assembler);

/* What the machine did to a call. */
enum removed_kind { REMOVED_INTERRUPT, REMOVED_PREEMPTED, REMOVED_OFF_CPU, N_REMOVED_KINDS };

/* Calls next to each other in raw pre-order that are not part of the clean path. */
struct removed_piece {
	uint32_t first, n; /* raw pre-order */
	uint8_t kind;	   /* enum removed_kind, or N_REMOVED_KINDS for an opaque inside */
};

/* How the removed times of an execution follow from the times of its calls. */
struct removed_term {
	uint32_t index; /* raw pre-order */
	uint8_t kind;	/* enum removed_kind */
	/*
	 * A sibling that was removed adds its time. A switch without a call
	 * around it takes what its parent spent outside of all its children: the
	 * parent first, then they; never less than nothing.
	 */
	uint8_t part; /* TERM_ADD, TERM_GAP_PARENT, TERM_GAP_CHILD */
};

enum { TERM_ADD, TERM_GAP_PARENT, TERM_GAP_CHILD };

/* A raw path taken apart. */
struct clean_path {
	uint32_t root;		      /* the clean tree */
	struct removed_piece *pieces; /* by first */
	uint32_t n_pieces;
	struct removed_term *terms;
	uint32_t n_terms;
	bool disturbed;	  /* an interrupt or a preemption was removed */
	bool own_unknown; /* the time of what was removed is not known exactly */
};

struct clean_rules;

/* opaque: functions that stay while their inside goes. */
struct clean_rules *clean_rules_new(struct names *names, const char *const *opaque,
				    size_t n_opaque);
void clean_rules_free(struct clean_rules *rules);
/* Takes the raw path apart; the clean tree's nodes are added to trees. */
void clean_path_init(struct clean_path *path, struct clean_rules *rules, struct trees *trees,
		     uint32_t raw_root);
void clean_path_release(struct clean_path *path);
/* Times of what was removed, by kind, in one execution of the raw path. */
void clean_path_times(const struct clean_path *path, const uint64_t *node_ns,
		      uint64_t removed_ns[N_REMOVED_KINDS]);

#endif
