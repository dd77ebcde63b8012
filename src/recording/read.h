/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Formats of runs, one row of a table each. A reader takes a run's bytes and
 * feeds the worker's collector; it runs on the worker's thread.
 */
#ifndef EVTOP_RECORDING_READ_H
#define EVTOP_RECORDING_READ_H

#include "collect.h"
#include "source.h"

struct loader;

struct worker {
	struct loader *loader;
	struct collector *collector;
	char *chunk; /* CHUNK_BYTES: the run's bytes that are at hand */
};

#define CHUNK_BYTES (1u << 20)

/* Bytes of a run: from a source, or from memory. */
struct run_bytes {
	struct source *source; /* NULL: memory */
	const char *bytes;
	size_t n;
};

struct run_format {
	const char *name;
	/* Is it this format? By the file's name and its first n bytes. */
	bool (*probe)(const char *name, const char *bytes, size_t n);
	/*
	 * Reads the run, whose first n bytes (n > 0) are in worker->chunk; begins
	 * it in the collector, which takes the names of run over.
	 */
	void (*read)(struct worker *worker, struct run_bytes *from, size_t n,
		     struct collected_run *run);
};

/* Probed in this order; the last one takes what is left. */
extern const struct run_format run_formats[];

/* As many of the next bytes as fill chunk (CHUNK_BYTES); 0 at the end, -1 with err. */
ssize_t run_bytes_next(struct run_bytes *from, char *chunk, struct error *err);
/*
 * The whole run as a file that can be read at any place: itself, or a copy
 * without a name. head: its first n bytes, which were taken already. To be
 * closed; -1 with err set. What is left of the run is read by then.
 */
int run_bytes_file(struct run_bytes *from, const char *head, size_t n, struct error *err);
/* The user wants what is read so far, and no more. */
bool read_stopped(const struct worker *worker);
const struct load_options *read_options(const struct worker *worker);
uint32_t read_jobs(const struct worker *worker); /* threads that may work at once, at least 1 */
const _Atomic bool *read_stop(const struct worker *worker); /* the same as a flag; or NULL */
/* Counts executions that were found since, for who watches. */
void read_progress(const struct worker *worker, uint64_t executions_before);
/* Something is wrong with the run, of which the rest is still used. */
void read_complain(const struct worker *worker, const struct collected_run *run,
		   const char *reason);
/* The run's own file says what kernel it is of; a manifest knows better. */
void read_kernel(const struct worker *worker, uint32_t input, const char *kernel);
/* What a run says of the whole input: origins go over to it. */
void read_input(const struct worker *worker, uint32_t input, struct input *like);
/* A collector of the run's own joins those that are merged; taken over. */
void read_add_collector(const struct worker *worker, struct collector *collector);
/* The run that was begun last; nothing of it can be used. */
struct collected_run *read_this_run(const struct worker *worker);
void read_fail(const struct worker *worker, const char *reason);

/*
 * Around the events of one run: the end of what is open, and what was counted.
 * counts: what the reader found.
 */
void read_begin_events(const struct worker *worker, struct assembler_counts *before);
void read_end_events(const struct worker *worker, const struct assembler_counts *before,
		     const struct trace_counts *counts);
/* The event_sink of a run: context is the collector's assembler. */
void read_events(void *context, const struct event *events, size_t n);

/* ---- the rows' readers ---- */

/*
 * A run of pages as trace_pipe_raw gives them, which are files of a folder and
 * so in no table: path is the first CPU's; together: with those of the others.
 */
void read_pages(struct worker *worker, struct collected_run *run, const char *path, bool together);
bool read_evtop_probe(const char *name, const char *bytes, size_t n);
void read_evtop(struct worker *worker, struct run_bytes *from, size_t n, struct collected_run *run);
bool read_dat_probe(const char *name, const char *bytes, size_t n);
void read_dat(struct worker *worker, struct run_bytes *from, size_t n, struct collected_run *run);
bool read_csv_probe(const char *name, const char *bytes, size_t n);
void read_csv(struct worker *worker, struct run_bytes *from, size_t n, struct collected_run *run);
void read_text(struct worker *worker, struct run_bytes *from, size_t n, struct collected_run *run);

#endif
