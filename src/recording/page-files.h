/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of raw pages: which belong to one run, and what they are read with. */
#ifndef EVTOP_RECORDING_PAGE_FILES_H
#define EVTOP_RECORDING_PAGE_FILES_H

#include "evtop/binary.h"

/*
 * Whether a file of this name holds the pages of one CPU: "cpu1.raw",
 * "run-7.cpu1.raw", packed or not. stem_n: characters before "cpu", which all
 * files of a run have in common. Both may be NULL.
 */
bool page_file_name(const char *name, uint32_t *cpu, size_t *stem_n);
/* What lies beside pages and is no run: formats, names of functions and tasks, statistics. */
bool page_companion_name(const char *name);
/* Are both pages of one run? Paths. */
bool page_files_match(const char *a, const char *b);
/* What the run of such a file is called: "cpu*.raw". To be freed. */
char *page_files_name(const char *path);

struct page_file {
	uint32_t cpu;
	char *path;
};

/* The files of the run that path belongs to, by CPU; released by page_files_release(). */
uint32_t page_files_find(const char *path, struct page_file **files);
void page_files_release(struct page_file *files, uint32_t n);

/*
 * Reads formats, names of functions and of tasks from the folder, or where it is
 * NULL from those beside the pages at path. kernel (out of 128 bytes) is what a
 * file uname says, "" without one. -1 with err set where they are no use.
 */
int page_files_meta(struct trace_meta *meta, const char *folder, const char *path, char *kernel,
		    struct error *err);
/* Events lost by the CPUs of the run, as its statistics count them. */
uint64_t page_files_lost(const struct page_file *files, uint32_t n);

#endif
