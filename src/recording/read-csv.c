/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file of samples. */
#include "read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"

/* Rows of a CSV file become samples; a new campaign or run there begins a new run here. */
struct csv_context {
	struct worker *worker;
	struct collected_run base; /* borrowed names */
	char *campaign, *run;	   /* of the row before */
	uint32_t sequence;
};

static bool differs(const char *new, const char *old)
{
	return new && (!old || strcmp(new, old) != 0);
}

static const char *take_row(void *context, const struct csv_row *row)
{
	struct csv_context *csv = context;
	struct collector *collector = csv->worker->collector;
	const char *call = row->syscall ? row->syscall : "samples";
	const char *path = row->path ? row->path : "all";

	if (csv->sequence == 0 || differs(row->campaign, csv->campaign) ||
	    differs(row->run, csv->run)) {
		struct collected_run run = {
			.input = csv->base.input,
			.campaign =
				mem_copy_text(row->campaign ? row->campaign : csv->base.campaign),
			.name = mem_copy_text(row->run ? row->run : csv->base.name),
			.sequence = ++csv->sequence,
			.file_campaign = csv->base.file_campaign,
			.file_name = csv->base.file_name,
			.member = csv->base.member,
			.format = "csv",
		};

		free(csv->campaign);
		free(csv->run);
		csv->campaign = row->campaign ? mem_copy_text(row->campaign) : NULL;
		csv->run = row->run ? mem_copy_text(row->run) : NULL;
		collector_begin_run(collector, &run);
	}
	return collector_sample(collector, names_intern(collector->names, call, strlen(call)),
				names_intern(collector->names, path, strlen(path)),
				row->duration_ns)
		       ? NULL
		       : "more or longer names than there is room for";
}

static void judge_csv(struct csv_context *csv, const struct csv_reader *reader,
		      const struct error *err)
{
	uint64_t bad = csv_reader_bad_rows(reader);
	char reason[256];

	if (err->text[0]) {
		read_complain(csv->worker, &csv->base, err->text);
	} else if (bad) {
		snprintf(reason, sizeof reason, "%llu rows without a sample; %s",
			 (unsigned long long)bad, csv_reader_first_bad(reader));
		read_complain(csv->worker, &csv->base, reason);
	} else if (csv->sequence == 0) {
		read_complain(csv->worker, &csv->base, "has no rows");
	}
	if (csv->sequence)
		read_this_run(csv->worker)->discards.unread_lines += bad;
}

void read_csv(struct worker *worker, struct run_bytes *from, size_t n, struct collected_run *run)
{
	struct csv_context csv = {.worker = worker, .base = *run};
	struct csv_reader *reader = csv_reader_new(take_row, &csv);
	struct error err = {""};
	ssize_t got = (ssize_t)n;
	int status = 0;

	csv.base.file_campaign = collector_keep_text(worker->collector, run->campaign);
	csv.base.file_name = collector_keep_text(worker->collector, run->name);
	while (got > 0 && status == 0 && !read_stopped(worker)) {
		status = csv_reader_feed(reader, worker->chunk, (size_t)got, &err);
		if (status == 0)
			got = run_bytes_next(from, worker->chunk, &err);
	}
	if (status == 0 && got == 0)
		csv_reader_end(reader, &err);
	judge_csv(&csv, reader, &err);
	csv_reader_free(reader);
	free(csv.campaign);
	free(csv.run);
	free(run->campaign);
	free(run->name);
}

bool read_csv_probe(const char *name, const char *bytes, size_t n)
{
	(void)name;
	return csv_probe(bytes, n);
}
