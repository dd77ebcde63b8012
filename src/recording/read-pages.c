/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run that is the raw pages of the CPUs' ring buffers. */
#include <stdio.h>
#include <stdlib.h>

#include "evtop/binary.h"
#include "page-files.h"
#include "read.h"

/* A CPU is read no further ahead than this while others are behind. */
#define AHEAD_BYTES (1u << 20)

/* One CPU's file on its way. */
struct cpu_file {
	struct source *source; /* NULL: at its end */
	char *bytes;	       /* a page */
	size_t n;	       /* of it that are there */
};

struct page_run {
	struct worker *worker;
	struct page_file *files;
	struct cpu_file *cpus;
	bool *quiet;
	uint32_t n;
	struct trace_meta *meta;
	struct page_reader *reader;
};

static void end_cpu(struct page_run *run, uint32_t cpu)
{
	source_close(run->cpus[cpu].source, NULL);
	run->cpus[cpu].source = NULL;
	run->quiet[cpu] = true;
}

static void complain(const struct page_run *run, uint32_t cpu, const char *reason)
{
	char text[1200];

	snprintf(text, sizeof text, "the pages of CPU %u: %s", (unsigned)run->files[cpu].cpu,
		 reason);
	read_complain(run->worker, read_this_run(run->worker), text);
}

static void open_cpu(struct page_run *run, uint32_t cpu)
{
	struct cpu_file *file = &run->cpus[cpu];
	struct error err = {""};
	const char *name;

	file->bytes = mem_alloc(trace_meta_page_bytes(run->meta));
	file->source = source_open(run->files[cpu].path, false, NULL, &err);
	if (file->source && source_next(file->source, &name, &err) == 1)
		return;
	complain(run, cpu, err.text);
	if (file->source)
		end_cpu(run, cpu);
	run->quiet[cpu] = true;
}

/* The CPU's next pages, as many as it may be ahead. */
static void fill(struct page_run *run, uint32_t cpu)
{
	struct cpu_file *file = &run->cpus[cpu];
	size_t page_bytes = trace_meta_page_bytes(run->meta);
	struct error err = {""};

	while (file->source && page_reader_waiting(run->reader, cpu) < AHEAD_BYTES) {
		ssize_t got = source_read(file->source, file->bytes + file->n, page_bytes - file->n,
					  &err);

		if (got > 0) {
			file->n += (size_t)got;
			if (file->n == page_bytes) {
				page_reader_page(run->reader, cpu, file->bytes, page_bytes);
				file->n = 0;
			}
			continue;
		}
		if (got < 0)
			complain(run, cpu, err.text);
		else if (file->n)
			complain(run, cpu, "end within a page, which is left out");
		end_cpu(run, cpu);
	}
}

static void read_all(struct page_run *run)
{
	struct collector *collector = run->worker->collector;
	bool more = true;

	for (uint32_t i = 0; i < run->n; i++)
		open_cpu(run, i);
	while (more && !read_stopped(run->worker)) {
		uint64_t executions = collector->n_executions;

		more = false;
		for (uint32_t i = 0; i < run->n; i++) {
			fill(run, i);
			more |= run->cpus[i].source != NULL;
		}
		page_reader_drain(run->reader, run->quiet);
		read_progress(run->worker, executions);
	}
	if (!read_stopped(run->worker))
		page_reader_end(run->reader);
	for (uint32_t i = 0; i < run->n; i++) {
		if (run->cpus[i].source)
			end_cpu(run, i);
		free(run->cpus[i].bytes);
	}
}

static void read_events_of(struct page_run *run)
{
	struct collector *collector = run->worker->collector;
	struct assembler_counts before;
	struct trace_counts counts;

	run->cpus = mem_zero(run->n, sizeof *run->cpus);
	run->quiet = mem_zero(run->n, sizeof *run->quiet);
	run->reader = page_reader_new(collector->names, run->meta, run->n, read_events,
				      collector->assembler);
	for (uint32_t i = 0; i < run->n; i++)
		page_reader_name_cpu(run->reader, i, run->files[i].cpu);
	read_begin_events(run->worker, &before);
	read_all(run);
	counts = *page_reader_counts(run->reader);
	if (counts.lost_events == 0)
		counts.lost_events = page_files_lost(run->files, run->n);
	read_end_events(run->worker, &before, &counts);
	read_this_run(run->worker)->format =
		page_reader_has_graph(run->reader) ? "raw" : "raw-events";
	if (counts.events == 0)
		read_complain(run->worker, read_this_run(run->worker),
			      "holds neither function_graph nor system calls' events");
	page_reader_free(run->reader);
	free(run->quiet);
	free(run->cpus);
}

void read_pages(struct worker *worker, struct collected_run *collected, const char *path,
		bool together)
{
	struct page_run run = {.worker = worker, .meta = trace_meta_new()};
	struct page_file alone = {.path = (char *)path};
	struct error err = {""};
	char kernel[128];

	collector_begin_run(worker->collector, collected);
	read_this_run(worker)->format = "raw";
	if (together)
		run.n = page_files_find(path, &run.files);
	else
		page_file_name(path, &alone.cpu, NULL);
	if (page_files_meta(run.meta, read_options(worker)->formats, path, kernel, &err)) {
		read_fail(worker, err.text);
	} else {
		if (*kernel)
			read_kernel(worker, collected->input, kernel);
		if (!together) {
			run.files = &alone;
			run.n = 1;
		}
		read_events_of(&run);
	}
	if (together)
		page_files_release(run.files, run.n);
	trace_meta_free(run.meta);
}
