/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report states, computed once for all formats. Private to src/report. */
#ifndef EVTOP_REPORT_RESULTS_H
#define EVTOP_REPORT_RESULTS_H

#include "evtop/report.h"

/* A call as a whole, or one of its paths. */
struct report_entry {
	const struct call *call;
	uint32_t path; /* index in settings.identity, or PATH_ALL */
	struct settings settings;
	uint64_t deadline_ns;
	bool shown;		  /* else only the first stage of its fit, for the call's bound */
	struct summary summary;	  /* of all executions, whatever the stratum */
	struct summary strata[2]; /* of the undisturbed and of the disturbed ones */
	/* of those that took longer than the deadline, in whole time, the disturbed */
	uint64_t n_exceeded_disturbed;
	uint32_t n_left_out; /* of the fit: own time or duration not known */
	struct fit fit;
	struct test_results tests; /* of the sample that is fitted */
};

struct report_call {
	const struct call *call;
	struct report_entry whole;
	struct report_entry *paths; /* by rank; those not shown and not needed are empty */
	uint32_t n_paths;
	struct coverage coverage;
	struct bound bound;
};

struct report_results {
	struct settings settings; /* in force: the identity may follow from options->path */
	struct report_call *calls;
	size_t n_calls;
};

int report_results_compute(const struct recording *recording, const struct report_options *options,
			   struct report_results *results, struct error *err);
void report_results_release(struct report_results *results);

/* One entry; call, path, settings, deadline_ns and shown are set. */
void report_entry_compute(const struct recording *recording, struct report_entry *entry);
void report_entry_release(struct report_entry *entry);

/* Entries of an array on so many workers (0: one a processor). */
void report_entries_compute(const struct recording *recording, struct report_entry *const *entries,
			    size_t n_entries, uint32_t jobs);

/* ---- words that several formats share ---- */

/* A complaint's file below its input's name, without the way there. */
void report_file_name(const struct recording *recording, const char *file, struct text *out);
/* Executions in the blocks of a fit; those in partial blocks are not. */
uint64_t report_in_blocks(const struct fit *fit);
/*
 * The pWCET is shown and below the longest execution of the entry, although less
 * than one execution as long is to be expected among those seen.
 */
bool report_below_longest(const struct report_entry *entry);
/* Whether executions were disturbed: samples from CSV files do not tell. */
bool report_disturbed_known(const struct call *call);
/* Executions of a path, or of the call. */
uint64_t report_entry_executions(const struct report_entry *entry);
/* Tests that could be made: the number that Holm counts. */
size_t report_tests_made(const struct test_results *tests);
/* The path of an entry; NULL for a call as a whole. */
const struct path *report_entry_path(const struct report_entry *entry);

/* ---- parts of the text report (text.c, fit-text.c) ---- */

void report_entry_text(const struct report_entry *entry, struct text *out);
/* Words in lines of 79 columns, each indented by so many blanks. */
void report_wrap(struct text *out, unsigned indent, const char *words);
/* The same behind at columns that the first line has already, at least indent. */
void report_wrap_behind(struct text *out, size_t at, unsigned indent, const char *words);
/* A name from a trace, safe for a terminal; room is VIEWED_NAME. */
#define VIEWED_NAME 160
const char *report_name(char *room, const char *name);
/* Five digits and a unit: for the figures that a reader may copy. */
char *report_duration(char *out, double duration_ns);
/* Three digits; nothing is 0, all is 1. */
char *report_small(char *out, double share);
/* "s" but for one. */
const char *report_plural(uint64_t n);
/* 95 of 0.95, as many digits as it has. */
char *report_percent(char *out, double share);

#endif
