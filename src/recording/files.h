/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that an argument of the command line stands for. */
#ifndef EVTOP_RECORDING_FILES_H
#define EVTOP_RECORDING_FILES_H

#include "evtop/base.h"

enum file_role {
	FILE_RUN,
	FILE_MANIFEST,
	FILE_PAGES,	/* the first of the files that hold a run's pages, CPU by CPU */
	FILE_COMPANION, /* what others are read with: the other CPUs' pages, formats of events */
};

struct file {
	uint32_t input;
	char *path;
	char *relative; /* to the folder given; "" for a file given itself */
	uint64_t bytes;
	enum file_role role;
	const char *refused; /* NULL, or why it is not read: a complaint, and no more */
	char sha256[65];
};

struct file_list {
	struct file *list;
	uint32_t n, room;
	uint32_t n_folders;
};

/*
 * Adds a file, or all regular files below a folder in natural order. Hidden
 * ones are left out; what cannot be read is added as refused. -1 with err set
 * where the path cannot be read.
 */
int file_list_add(struct file_list *files, uint32_t input, const char *path, struct error *err);
/*
 * Digest of an input: the file's own, or that of the sorted lines
 * "digest  relative-name" of a folder; "" where any is missing.
 */
void file_list_digest(const struct file_list *files, uint32_t input, char sha256[65]);
void file_list_release(struct file_list *files);
/* Base name of a path, of "dir/" and "." too; to be freed. */
char *file_display_name(const char *path);

#endif
