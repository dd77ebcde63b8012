/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "digest.h"
#include "manifest.h"
#include "page-files.h"

#define FOLDERS_DEEP_MAX 16
#define FOLDERS_MAX (1u << 16)

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	int order = compare_natural((*a)->d_name, (*b)->d_name);

	return order ? order : strcmp((*a)->d_name, (*b)->d_name);
}

/* What evtop record notes beside each run. */
static bool is_note(const char *name)
{
	static const char ending[] = ".stats";
	size_t n = strlen(name);

	return n > sizeof ending - 1 && !strcmp(name + n - (sizeof ending - 1), ending);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && !is_note(entry->d_name);
}

static enum file_role role_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (strcmp(name, MANIFEST_NAME) == 0)
		return FILE_MANIFEST;
	if (page_file_name(name, NULL, NULL))
		return FILE_PAGES;
	return page_companion_name(name) ? FILE_COMPANION : FILE_RUN;
}

static struct file *add_file(struct file_list *files, uint32_t input, const char *path,
			     const char *relative)
{
	ARRAY_RESERVE(files->list, files->n, files->room);
	files->list[files->n] = (struct file){
		.input = input,
		.path = mem_copy_text(path),
		.relative = mem_copy_text(relative),
		.role = role_of(*relative ? relative : path),
	};
	return &files->list[files->n++];
}

/* A folder on the way down, and those that it lies in. */
struct folder {
	const char *path, *relative;
	dev_t device;
	ino_t inode;
	unsigned deep;
	const struct folder *around;
};

static bool lies_in_itself(const struct folder *folder)
{
	for (const struct folder *it = folder->around; it; it = it->around)
		if (it->device == folder->device && it->inode == folder->inode)
			return true;
	return false;
}

/* Why a folder below the one given is not entered, or NULL. */
static const char *refuse_folder(struct file_list *files, const struct folder *folder)
{
	if (lies_in_itself(folder))
		return "leads back to a folder that it lies in";
	if (folder->deep > FOLDERS_DEEP_MAX)
		return "lies in more folders than are followed (16)";
	if (files->n_folders == FOLDERS_MAX)
		return "comes after more folders than are read (65,536)";
	files->n_folders++;
	return NULL;
}

/* Pages of other CPUs of the same run stand before it in the list. */
static bool is_first_of_pages(const struct file_list *files, const struct file *file)
{
	for (uint32_t i = files->n - 1; i-- > 0;) {
		const struct file *other = &files->list[i];

		if (other->input != file->input)
			return true;
		if (other->role == FILE_PAGES && page_files_match(other->path, file->path))
			return false;
	}
	return true;
}

static int add_folder(struct file_list *files, uint32_t input, const struct folder *folder,
		      struct error *err);

static void add_entry(struct file_list *files, uint32_t input, const struct folder *around,
		      const char *path, const char *relative)
{
	struct stat status;
	const char *refused = NULL;
	uint64_t bytes = 0;

	if (stat(path, &status) != 0) {
		refused = errno == ENOENT ? "leads nowhere" : "cannot be opened";
	} else if (S_ISDIR(status.st_mode)) {
		struct folder folder = {path,	       relative,	 status.st_dev,
					status.st_ino, around->deep + 1, around};

		refused = refuse_folder(files, &folder);
		if (!refused && add_folder(files, input, &folder, NULL) == 0)
			return;
		if (!refused)
			refused = "cannot be opened: a folder without permission";
	} else if (S_ISREG(status.st_mode)) {
		bytes = (uint64_t)status.st_size;
	} else {
		refused = "is neither a file nor a folder";
	}
	struct file *file = add_file(files, input, path, relative);

	file->bytes = bytes;
	file->refused = refused;
	if (file->role == FILE_PAGES && !is_first_of_pages(files, file))
		file->role = FILE_COMPANION;
}

static int add_folder(struct file_list *files, uint32_t input, const struct folder *folder,
		      struct error *err)
{
	struct dirent **entries;
	int n = scandir(folder->path, &entries, is_visible, compare_names);

	if (n < 0)
		return error_set(err, "cannot be opened: %s", strerror(errno));
	for (int i = 0; i < n; i++) {
		struct text below = {0}, name = {0};

		text_printf(&below, "%s/%s", folder->path, entries[i]->d_name);
		text_printf(&name, "%s%s%s", folder->relative, *folder->relative ? "/" : "",
			    entries[i]->d_name);
		add_entry(files, input, folder, below.bytes, name.bytes);
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
		add_file(files, input, path, "");
		return 0;
	}
	if (stat(path, &status) != 0)
		return error_set(err, "cannot be opened: %s", strerror(errno));
	if (S_ISDIR(status.st_mode)) {
		const struct folder folder = {path, "", status.st_dev, status.st_ino, 0, NULL};

		return add_folder(files, input, &folder, err);
	}
	add_file(files, input, path, "")->bytes =
		S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
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

		if (file->input != input || file->refused)
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
