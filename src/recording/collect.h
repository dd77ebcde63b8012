/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one worker gathers from its runs; merged into a recording at the end. */
#ifndef EVTOP_RECORDING_COLLECT_H
#define EVTOP_RECORDING_COLLECT_H

#include "evtop/hash.h"
#include "evtop/path.h"
#include "evtop/recording.h"
#include "tally.h"

/* A run as its worker knows it; order decides where it stands in the recording. */
struct collected_run {
	uint32_t input;
	char *campaign;
	char *name;
	/* the file it comes from, by which runs are ordered: NULL where named the same */
	const char *file_campaign, *file_name;
	uint32_t member;   /* place in its archive, where two may have one name */
	uint32_t sequence; /* among runs of the same file: rows of CSV */
	bool failed;	   /* nothing could be read of it */
	const char *format;
	struct discards discards;
	char *unread[5];
	unsigned n_unread;
	bool unread_named; /* they say themselves which run they are of */
};

struct collected_path {
	uint32_t call; /* index into calls */
	uint32_t root; /* raw tree, or the name of a CSV file's path */
	bool from_csv;
	uint32_t clean; /* index into cleans */
	uint32_t n_calls;
	struct clean_path parts;
	bool disturbed;			 /* as in parts */
	uint64_t n_seen;		 /* executions, kept or not */
	uint64_t first_ns;		 /* on the clock of its finder; 0 where there is none */
	char *id;			 /* NULL while nobody asked */
	struct growing_tallies *tallies; /* NULL while all executions of its clean path are kept */
};

/* An execution kept whole, with what tells it from others. */
struct collected_kept {
	uint64_t key; /* duration, or the number drawn */
	uint32_t sample, path, run;
	uint32_t root;	/* raw tree */
	uint64_t index; /* among the call's executions of its run */
	uint64_t *node_ns;
};

struct collected_clean {
	uint32_t call;
	uint32_t root;
	bool from_csv;
	uint32_t n_calls;
	struct collected_times *times; /* NULL for CSV, and where they are not kept */
	uint64_t n_seen, first_ns;     /* as of a path */
	char *id;
	/* of a source without end, see thin.h: one of 2^level executions is kept */
	uint32_t kept, level;
	uint64_t arrived;
	uint64_t drawn; /* which one of the block under way */
	/* raw paths that are not told apart, undisturbed and disturbed: index + 1 */
	uint32_t together[2];
	struct growing_tallies *tallies; /* NULL while all are kept */
};

struct collected_times {
	uint32_t *parent; /* by clean pre-order */
	struct node_times *nodes;
	struct collected_kept slowest[KEPT_SLOWEST], typical[KEPT_TYPICAL];
	uint32_t n_slowest, n_typical;
};

struct collected_call {
	uint32_t name;
	uint32_t n, room;
	uint64_t *duration_ns;
	uint32_t *path; /* index into paths */
	uint32_t *run;	/* index into runs */
	uint8_t *flags;
	struct removed *removed;
	uint32_t n_removed, removed_room;
	uint32_t last_path; /* the path of the execution before: a good guess */
	uint32_t n_paths;   /* raw ones, as many as were told apart */
	uint64_t in_run;    /* executions in the run of the last one */
	uint32_t last_run;  /* that run, + 1 */
	/* of all, kept or not */
	uint64_t n_seen, n_disturbed, n_own_unknown, removed_ns[N_REMOVED_KINDS];
	struct growing_tallies *tallies; /* NULL while all are kept */
};

/* From (call, root) to an index, open addressing. */
struct pair_table {
	struct pair {
		uint64_t key;
		uint32_t value; /* + 1 */
	} * pairs;
	uint32_t n, size;
	struct hash_key hash;
};

/* What a source without end may take. */
struct bounds {
	uint32_t per_path; /* executions kept of a clean path, asked for */
	uint32_t limit;	   /* and as there is room for */
	uint32_t in_all, n_kept;
	uint64_t random;
	bool thinned;
	/* see renew.h */
	uint32_t nodes_limit, nodes_max; /* trees are made anew at the first, not at the second */
	uint32_t raw_paths_max, raw_paths_in_all; /* told apart */
	struct pair_table forgotten;		  /* by digest: paths without trees */
	uint64_t n_together;			  /* executions not told apart */
};

/* Where runs stand: by input, then in natural order of files, then as they lie there. */
int collected_run_order(const struct collected_run *a, const struct collected_run *b);

struct collector {
	const struct load_options *options;
	struct names *names;
	struct trees *trees;
	struct clean_rules *rules;
	struct assembler *assembler;
	struct assembler_options assembler_options;
	struct collected_run *runs;
	uint32_t n_runs, runs_room;
	char **texts; /* that runs share */
	uint32_t n_texts, texts_room;
	struct collected_call *calls;
	uint32_t n_calls, calls_room;
	struct collected_path *paths;
	uint32_t n_paths, paths_room;
	struct collected_clean *cleans;
	uint32_t n_cleans, cleans_room;
	struct pair_table call_table, path_table, clean_table;
	uint64_t run_hash;
	uint64_t n_executions;
	uint64_t now_ns; /* of a live source: when what comes was read; 0 else */
	bool has_durations;
	uint64_t times_bytes, times_bytes_max; /* for times of single calls */
	uint32_t n_without_times;	       /* clean paths for which there was no room */
	uint64_t *scratch;		       /* clean and self times of one execution */
	uint32_t scratch_room;
	struct bounds *bounds; /* NULL: what is read has an end, and all is kept */
};

/* Workers share what a hostile file may take: n_workers of them are made. */
struct collector *collector_new(const struct load_options *options, uint32_t n_workers);
/* The same with the nodes of trees and the bytes for times of single calls that it may take. */
struct collector *collector_new_within(const struct load_options *options, uint32_t max_nodes,
				       uint64_t times_bytes);
void collector_free(struct collector *collector);
/* A copy of a text that lives as long as the collector. */
const char *collector_keep_text(struct collector *collector, const char *text);
/* Takes the names over. Executions that follow are this run's. */
void collector_begin_run(struct collector *collector, const struct collected_run *run);
/* The sink of the collector's assembler. */
void collector_execution(void *context, const struct execution *execution);
/* A sample without a call tree; false where there is no room for it. */
bool collector_sample(struct collector *collector, uint32_t call_name, uint32_t path_name,
		      uint64_t duration_ns);

/* A new raw path, not yet in the table. */
uint32_t collector_new_path(struct collector *collector, uint32_t call, uint32_t root,
			    bool from_csv);
/* Takes the raw path apart, for the first time or again. */
void collector_part(struct collector *collector, struct collected_path *path, uint32_t root);
/* The pair of a key: its value is 0 where the key is new. Valid until another is added. */
struct pair *pair_table_pair(struct pair_table *table, uint64_t key);

/* ---- for what was collected before and is put back ---- */

struct collected_call *collector_find_call(struct collector *collector, uint32_t name);
/*
 * A clean path of a call: call is its index twice, plus one for a CSV file's,
 * whose roots are names. raw: the raw root of the execution by which it is found.
 */
uint32_t collector_find_clean(struct collector *collector, uint32_t call, uint32_t root,
			      uint32_t raw, bool from_csv);
/* An execution of the run begun last, of the path with this index. */
void collector_add_sample(struct collector *collector, struct collected_call *call, uint32_t path,
			  uint64_t duration_ns, uint8_t flags);
void collector_count_seen(struct collector *collector, struct collected_call *call, uint32_t path,
			  uint8_t flags);
/* Counts and samples go; calls and paths stay known. */
void collector_reset(struct collector *collector);

/* Index of a key in the table; n_next where it is new, and then the caller makes that one. */
uint32_t pair_table_index(struct pair_table *table, uint32_t first, uint32_t second,
			  uint32_t n_next);

/*
 * Puts what the workers gathered together; they keep nothing of it. What was
 * seen not once is left out.
 */
void merge_collectors(struct recording *recording, struct collector **collectors, uint32_t n,
		      uint32_t n_jobs);

/* The clean rules have rows, with traces to test them, for all calls of the recording. */
bool recording_is_verified(const struct recording *recording);

#endif
