/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where theme files are looked for. */
#include "evtop/draw.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THEME_BYTES_MAX 65536
#define FOLDERS 3

/* The user's, the source tree's where the program runs from it, the installed one's. */
static int find_folders(char out[FOLDERS][512])
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char program[400];
	ssize_t length;
	int n = 0;

	if (config && *config)
		snprintf(out[n++], 512, "%s/evtop/themes", config);
	else if (home && *home)
		snprintf(out[n++], 512, "%s/.config/evtop/themes", home);
	length = readlink("/proc/self/exe", program, sizeof program - 1);
	if (length > 0) {
		char *slash;

		program[length] = '\0';
		slash = strrchr(program, '/');
		if (slash) {
			*slash = '\0';
			snprintf(out[n++], 512, "%s/themes", program);
		}
	}
	snprintf(out[n++], 512, "%s", THEMES_DIR);
	return n;
}

/* The whole file; NULL with errno. */
static char *read_file(const char *file)
{
	FILE *in = fopen(file, "r");
	char *content;
	size_t n;

	if (!in)
		return NULL;
	content = mem_alloc(THEME_BYTES_MAX);
	n = fread(content, 1, THEME_BYTES_MAX - 1, in);
	content[n] = '\0';
	if (ferror(in)) {
		free(content);
		content = NULL;
	}
	fclose(in);
	return content;
}

static int load_file(struct theme *theme, const char *name, const char *file, struct error *err)
{
	char *content = read_file(file);
	int failed;

	if (!content)
		return error_set(err, "cannot read theme '%s': %s", file, strerror(errno));
	failed = theme_parse(theme, name, file, content, err);
	free(content);
	return failed;
}

int theme_load(struct theme *theme, const char *name, struct error *err)
{
	char folders[FOLDERS][512], file[1024];
	int n = find_folders(folders);

	theme_mono(theme);
	if (strchr(name, '/')) {
		const char *base = strrchr(name, '/') + 1;

		return load_file(theme, base, name, err);
	}
	for (int i = 0; i < n; i++) {
		int length = snprintf(file, sizeof file, "%s/%s", folders[i], name);

		if (length > 0 && (size_t)length < sizeof file && !access(file, R_OK))
			return load_file(theme, name, file, err);
	}
	/* the one that needs no file */
	if (!strcmp(name, "mono"))
		return 0;
	return error_set(err, "there is no theme '%s' in '%s'", name, folders[n - 1]);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Theme files have names of letters, digits and dashes: no backups, no Makefiles. */
static bool is_theme_name(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

char **theme_names(size_t *n)
{
	char folders[FOLDERS][512];
	int n_folders = find_folders(folders);
	char **names = NULL;
	size_t room = 0, kept = 0;

	*n = 0;
	ARRAY_RESERVE(names, *n, room);
	names[(*n)++] = mem_copy_text("mono");
	for (int i = 0; i < n_folders; i++) {
		DIR *folder = opendir(folders[i]);
		struct dirent *entry;

		while (folder && (entry = readdir(folder))) {
			if (!is_theme_name(entry->d_name))
				continue;
			ARRAY_RESERVE(names, *n, room);
			names[(*n)++] = mem_copy_text(entry->d_name);
		}
		if (folder)
			closedir(folder);
	}
	qsort(names, *n, sizeof *names, by_name);
	for (size_t i = 0; i < *n; i++) {
		if (kept && !strcmp(names[kept - 1], names[i]))
			free(names[i]);
		else
			names[kept++] = names[i];
	}
	*n = kept;
	return names;
}
