/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of text. */
#include "read.h"

#include <stdio.h>
#include <string.h>

static bool is_trace_dat(const char *bytes, size_t n)
{
	return n >= 10 && memcmp(bytes, "\x17\x08\x44tracing", 10) == 0;
}

static void judge_text(struct worker *worker, const struct text_reader *reader, const char *first,
		       size_t first_n)
{
	const struct trace_counts *counts = text_reader_counts(reader);
	struct collected_run *run = read_this_run(worker);
	char line[61], printable[61], reason[200];
	size_t n = 0;

	run->format = text_reader_format(reader);
	if (counts->binary) {
		read_fail(worker, is_trace_dat(first, first_n)
					  ? "is a trace.dat file, which this version does not read "
					    "(trace-cmd report makes text of it)"
					  : "is binary, not a trace");
		return;
	}
	if (run->format)
		return;
	while (n < first_n && n < sizeof line - 1 && first[n] != '\n')
		n++;
	memcpy(line, first, n);
	line[n] = '\0';
	snprintf(reason, sizeof reason, "is not a trace: no call in %llu lines, the first is '%s'",
		 (unsigned long long)counts->lines,
		 text_printable(printable, sizeof printable, line));
	read_fail(worker, reason);
}

void read_text(struct worker *worker, struct run_bytes *from, size_t n, struct collected_run *run)
{
	struct collector *collector = worker->collector;
	struct text_reader *reader;
	struct assembler_counts before;
	struct error err = {""};
	char first[64];
	size_t first_n = n < sizeof first ? n : sizeof first;
	ssize_t got = (ssize_t)n;

	collector_begin_run(collector, run);
	read_begin_events(worker, &before);
	reader = text_reader_new(collector->names, read_events, collector->assembler);
	memcpy(first, worker->chunk, first_n);
	while (got > 0) {
		uint64_t executions = collector->n_executions;

		text_reader_feed(reader, worker->chunk, (size_t)got);
		read_progress(worker, executions);
		if (read_stopped(worker) || text_reader_counts(reader)->binary)
			break;
		got = run_bytes_next(from, worker->chunk, &err);
	}
	if (!read_stopped(worker))
		text_reader_end(reader);
	read_end_events(worker, &before, text_reader_counts(reader));
	judge_text(worker, reader, first, first_n);
	if (got < 0 && !read_this_run(worker)->failed)
		read_complain(worker, read_this_run(worker), err.text);
	text_reader_free(reader);
}
