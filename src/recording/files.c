/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "digest.h"
#include "manifest.h"

#define FOLDERS_DEEP_MAX 16

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	int order = compare_natural((*a)->d_name, (*b)->d_name);

	return order ? order : strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void add_file(struct file_list *files, uint32_t input, const char *path,
		     const char *relative, const struct stat *status)
{
	const char *slash = strrchr(relative, '/');

	ARRAY_RESERVE(files->list, files->n, files->room);
	files->list[files->n++] = (struct file){
		.input = input,
		.path = mem_copy_text(path),
		.relative = mem_copy_text(relative),
		.bytes = S_ISREG(status->st_mode) ? (uint64_t)status->st_size : 0,
		.manifest = strcmp(slash ? slash + 1 : relative, MANIFEST_NAME) == 0,
	};
}

static int add_folder(struct file_list *files, uint32_t input, const char *path,
		      const char *relative, unsigned deep, struct error *err)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_visible, compare_names);

	if (n < 0)
		return error_set(err, "cannot be opened: %s", strerror(errno));
	for (int i = 0; i < n; i++) {
		struct text below = {0}, name = {0};
		struct stat status;

		text_printf(&below, "%s/%s", path, entries[i]->d_name);
		text_printf(&name, "%s%s%s", relative, *relative ? "/" : "", entries[i]->d_name);
		if (stat(below.bytes, &status) == 0) {
			if (S_ISREG(status.st_mode))
				add_file(files, input, below.bytes, name.bytes, &status);
			else if (S_ISDIR(status.st_mode) && deep < FOLDERS_DEEP_MAX)
				add_folder(files, input, below.bytes, name.bytes, deep + 1, NULL);
		}
		text_release(&below);
		text_release(&name);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

int file_list_add(struct file_list *files, uint32_t input, const char *path, struct error *err)
{
	struct stat status;

	if (strcmp(path, "-") == 0) {
		status.st_mode = S_IFIFO;
		add_file(files, input, path, "", &status);
		return 0;
	}
	if (stat(path, &status) != 0)
		return error_set(err, "cannot be opened: %s", strerror(errno));
	if (S_ISDIR(status.st_mode))
		return add_folder(files, input, path, "", 0, err);
	add_file(files, input, path, "", &status);
	return 0;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void file_list_digest(const struct file_list *files, uint32_t input, char sha256[65])
{
	char **lines = mem_alloc((files->n + 1) * sizeof *lines);
	struct digest *digest;
	uint32_t n = 0;
	bool complete = true, folder = false;

	*sha256 = '\0';
	for (uint32_t i = 0; i < files->n; i++) {
		const struct file *file = &files->list[i];
		struct text line = {0};

		if (file->input != input)
			continue;
		complete &= file->sha256[0] != '\0';
		folder |= file->relative[0] != '\0';
		if (!file->relative[0])
			memcpy(sha256, file->sha256, sizeof file->sha256);
		text_printf(&line, "%s  %s\n", file->sha256, file->relative);
		lines[n++] = line.bytes;
	}
	if (folder && complete) {
		qsort(lines, n, sizeof *lines, compare_lines);
		digest = digest_new();
		for (uint32_t i = 0; i < n; i++)
			digest_add(digest, lines[i], strlen(lines[i]));
		digest_finish(digest, sha256);
	}
	while (n)
		free(lines[--n]);
	free(lines);
}

void file_list_release(struct file_list *files)
{
	for (uint32_t i = 0; i < files->n; i++) {
		free(files->list[i].path);
		free(files->list[i].relative);
	}
	free(files->list);
	*files = (struct file_list){0};
}

char *file_display_name(const char *path)
{
	size_t n = strlen(path), from;

	if (strcmp(path, "-") == 0)
		return mem_copy_text("standard input");
	while (n > 1 && path[n - 1] == '/')
		n--;
	for (from = n; from > 0 && path[from - 1] != '/'; from--)
		;
	return n ? mem_copy_bytes(path + from, n - from) : mem_copy_text("/");
}
