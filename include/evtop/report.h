/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports: the analysis of a recording as text, JSON (schema 1) or CSV, and the
 * tree of one path. The same recording and options give the same bytes,
 * whatever the number of workers: no dates, no machine, no absolute paths.
 */
#ifndef EVTOP_REPORT_H
#define EVTOP_REPORT_H

#include "evtop/analysis.h"
#include "evtop/recording.h"
#include "evtop/settings.h"

struct report_deadline {
	char *call;
	uint64_t time_ns;
};

/* Paths of a call that get full tests where the user left it open. */
#define REPORT_FULL_PATHS 10

struct report_options {
	struct settings settings;
	/* the user asked for settings.tests; else all but the first
	   REPORT_FULL_PATHS of a call, and the call as a whole, are quick */
	bool tests_given;
	bool stratum_given; /* else it follows the identity */
	uint32_t top;	    /* paths of a call; 0: all */
	uint32_t jobs;	    /* 0: as many as there are processors */
	const char *path;   /* an id or its beginning; NULL: all */
	const struct report_deadline *deadlines;
	size_t n_deadlines;
	const struct load_options *load; /* how it was read; stated */
};

/*
 * Each appends to out. -1 with err set where options->path names no path, or
 * several.
 */
int report_text(const struct recording *recording, const struct report_options *options,
		struct text *out, struct error *err);
int report_json(const struct recording *recording, const struct report_options *options,
		struct text *out, struct error *err);
int report_csv(const struct recording *recording, const struct report_options *options,
	       struct text *out, struct error *err);

/* A fit chosen by hand, with its own settings. */
struct report_mark {
	const struct call *call; /* of the recording */
	uint32_t path;		 /* index in settings.identity, or PATH_ALL */
	struct settings settings;
	uint64_t deadline_ns; /* 0: none */
};

/* The text report of these fits alone, in the order given. */
void report_marks(const struct recording *recording, const struct report_options *options,
		  const struct report_mark *marks, size_t n_marks, struct text *out);

/*
 * The same into a file, which appears whole or not at all (a temporary name
 * beside it, then rename). A device or FIFO is written as it is.
 */
int report_marks_file(const struct recording *recording, const struct report_options *options,
		      const struct report_mark *marks, size_t n_marks, const char *file,
		      struct error *err);

/* Writes text to a file as report_marks_file() does. */
int report_write_file(const char *file, const struct text *text, struct error *err);

/* A path found by id in any call. */
struct report_found {
	const struct call *call;
	enum identity identity;
	uint32_t path;
};

/*
 * The path with this id or unique beginning of one, in the identity asked for
 * where it is one of both kinds. Several calls may have the same id only in
 * samples from CSV files; then the first is found.
 */
int report_find_path(const struct recording *recording, enum identity identity, const char *prefix,
		     struct report_found *found, struct error *err);

/* The call tree of a path with the times of its calls where there are any. */
void report_tree(const struct recording *recording, const struct report_found *found,
		 struct text *out);
/*
 * The lines whose MD5 is the path's id. -1 for a path without a tree (CSV).
 */
int report_calls(const struct recording *recording, const struct report_found *found,
		 struct text *out, struct error *err);

#endif
