/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run that is a trace.dat file. */
#include <unistd.h>

#include "evtop/binary.h"
#include "read.h"

bool read_dat_probe(const char *name, const char *bytes, size_t n)
{
	(void)name;
	return tracedat_probe(bytes, n);
}

static void judge(struct worker *worker, int status, const struct tracedat_info *info,
		  const struct trace_counts *counts, const struct error *err)
{
	struct collected_run *run = read_this_run(worker);

	run->format = info->events ? "trace.dat-events" : "trace.dat";
	if (info->kernel[0])
		read_kernel(worker, run->input, info->kernel);
	if (status < 0)
		read_fail(worker, err->text);
	else if (status > 0)
		read_complain(worker, run, err->text);
	else if (counts->events == 0)
		read_complain(worker, run, "holds neither function_graph nor system calls' events");
}

/* And tells who watches of the executions found. */
static void take_events(void *context, const struct event *events, size_t n)
{
	struct worker *worker = context;
	uint64_t executions = worker->collector->n_executions;

	assembler_feed(worker->collector->assembler, events, n);
	if (worker->collector->n_executions != executions)
		read_progress(worker, executions);
}

void read_dat(struct worker *worker, struct run_bytes *from, size_t n, struct collected_run *run)
{
	struct assembler_counts before;
	struct trace_counts counts = {0};
	struct tracedat_info info = {0};
	struct error err = {""};
	int fd, status = -1;

	collector_begin_run(worker->collector, run);
	read_begin_events(worker, &before);
	fd = run_bytes_file(from, worker->chunk, n, &err);
	if (fd >= 0) {
		status = tracedat_read(fd, worker->collector->names, take_events, worker, &info,
				       &counts, read_stop(worker), &err);
		close(fd);
	}
	read_end_events(worker, &before, &counts);
	judge(worker, status, &info, &counts, &err);
	tracedat_counts_release(&counts);
}
