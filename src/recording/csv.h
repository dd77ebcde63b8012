/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples without call trees: CSV with a header that names its columns. */
#ifndef EVTOP_RECORDING_CSV_H
#define EVTOP_RECORDING_CSV_H

#include "evtop/recording.h"

/* A row; texts are NULL where the file has no such column. Valid during the call. */
struct csv_row {
	const char *syscall, *path, *campaign, *run;
	uint64_t duration_ns;
};

/* NULL, or why the row gives no sample. */
typedef const char *csv_sink(void *context, const struct csv_row *row);

struct csv_reader;

/* Whether a file that begins with these bytes is CSV of samples. */
bool csv_probe(const char *bytes, size_t n);

struct csv_reader *csv_reader_new(csv_sink *sink, void *context);
/* The next bytes; -1 with err set where the header makes the file useless. */
int csv_reader_feed(struct csv_reader *reader, const char *bytes, size_t n, struct error *err);
int csv_reader_end(struct csv_reader *reader, struct error *err);
/* Rows that gave no sample, and why the first of them did not ("" without any). */
uint64_t csv_reader_bad_rows(const struct csv_reader *reader);
const char *csv_reader_first_bad(const struct csv_reader *reader);
void csv_reader_free(struct csv_reader *reader);

#endif
