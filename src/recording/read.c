/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of formats, and what is told of every run of events. */
#include "read.h"

#include <stdio.h>

static bool probe_any(const char *name, const char *bytes, size_t n)
{
	(void)name;
	(void)bytes;
	(void)n;
	return true;
}

const struct run_format run_formats[] = {
	{"evtop", read_evtop_probe, read_evtop},
	{"trace.dat", read_dat_probe, read_dat},
	{"csv", read_csv_probe, read_csv},
	{"text", probe_any, read_text},
};

void read_events(void *context, const struct event *events, size_t n)
{
	assembler_feed(context, events, n);
}

void read_begin_events(const struct worker *worker, struct assembler_counts *before)
{
	*before = *assembler_counts(worker->collector->assembler);
	assembler_forget_longest(worker->collector->assembler);
}

/* A hostile trace: what there was no room for is counted as broken, and this tells why. */
static void note_no_room(const struct worker *worker, uint64_t before)
{
	uint64_t n = assembler_counts(worker->collector->assembler)->no_room - before;
	char reason[160];

	if (!n)
		return;
	snprintf(reason, sizeof reason,
		 "%llu executions left out: more open tasks, open calls or different call trees "
		 "than there is room for",
		 (unsigned long long)n);
	read_complain(worker, read_this_run(worker), reason);
}

void read_end_events(const struct worker *worker, const struct assembler_counts *before,
		     const struct trace_counts *counts)
{
	struct collected_run *run = read_this_run(worker);
	const struct assembler_counts *after;

	assembler_end_run(worker->collector->assembler);
	after = assembler_counts(worker->collector->assembler);
	run->discards.lost_events = counts->lost_events;
	run->discards.unread_lines = counts->unread_lines;
	run->discards.cut_by_loss = after->cut_by_loss - before->cut_by_loss;
	run->discards.orphans = after->orphans - before->orphans;
	run->discards.unfinished = after->unfinished - before->unfinished;
	run->discards.broken = after->broken - before->broken;
	run->discards.longest_broken_ns = after->longest_broken_ns;
	for (unsigned i = 0; i < counts->n_unread; i++)
		run->unread[run->n_unread++] = mem_copy_text(counts->unread[i]);
	note_no_room(worker, before->no_room);
}
