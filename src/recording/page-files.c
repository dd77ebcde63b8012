/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-files.h"

#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

/* The largest of what lies beside pages: kallsyms has some 10 MB. */
#define COMPANION_BYTES_MAX (256u << 20)
#define CPUS_MAX 8192

/* ---- names ---- */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool page_file_name(const char *name, uint32_t *cpu, size_t *stem_n)
{
	static const char *const endings[] = {"*.raw", "*.raw.gz", "*.raw.xz", "*.raw.zst"};
	bool raw = false;

	for (size_t i = 0; i < COUNT_OF(endings); i++)
		raw |= fnmatch(endings[i], name, 0) == 0;
	if (!raw)
		return false;
	/* the last "cpu" with a number behind it */
	for (const char *at = name + strlen(name); at-- > name;) {
		unsigned number;

		if (strncmp(at, "cpu", 3) != 0 || !isdigit((unsigned char)at[3]) ||
		    sscanf(at + 3, "%4u", &number) != 1 || number >= CPUS_MAX)
			continue;
		if (cpu)
			*cpu = number;
		if (stem_n)
			*stem_n = (size_t)(at - name);
		return true;
	}
	return false;
}

bool page_companion_name(const char *name)
{
	static const char *const patterns[] = {
		"*.format",	  "format",	    "header_page",  "header_event", "kallsyms",
		"kallsyms.gz",	  "kallsyms.xz",    "kallsyms.zst", "cpu*.stats",   "*.cpu*.stats",
		"saved_cmdlines", "printk_formats", "uname",
	};

	for (size_t i = 0; i < COUNT_OF(patterns); i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	return false;
}

bool page_files_match(const char *a, const char *b)
{
	size_t folder = (size_t)(base_of(a) - a), a_stem, b_stem;

	return folder == (size_t)(base_of(b) - b) && strncmp(a, b, folder) == 0 &&
	       page_file_name(base_of(a), NULL, &a_stem) &&
	       page_file_name(base_of(b), NULL, &b_stem) && a_stem == b_stem &&
	       strncmp(a + folder, b + folder, a_stem) == 0;
}

char *page_files_name(const char *path)
{
	struct text name = {0};
	size_t stem = 0;

	page_file_name(base_of(path), NULL, &stem);
	text_printf(&name, "%.*scpu*.raw", (int)stem, base_of(path));
	return name.bytes;
}

/* ---- the files of a run ---- */

/* "folder/name", to be freed. folder ends with a slash or is empty. */
static char *join(const char *folder, size_t folder_n, const char *name)
{
	struct text path = {0};

	text_printf(&path, "%.*s%s", (int)folder_n, folder, name);
	return path.bytes;
}

static int compare_files(const void *a, const void *b)
{
	const struct page_file *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return strcmp(x->path, y->path);
}

uint32_t page_files_find(const char *path, struct page_file **files)
{
	size_t folder_n = (size_t)(base_of(path) - path);
	char *folder = folder_n ? mem_copy_bytes(path, folder_n) : mem_copy_text(".");
	DIR *entries = opendir(folder);
	struct dirent *entry;
	uint32_t n = 0, room = 0;

	*files = NULL;
	while (entries && (entry = readdir(entries))) {
		struct page_file file = {.path = join(path, folder_n, entry->d_name)};

		if (entry->d_name[0] != '.' && page_files_match(path, file.path)) {
			page_file_name(entry->d_name, &file.cpu, NULL);
			ARRAY_RESERVE(*files, n, room);
			(*files)[n++] = file;
		} else {
			free(file.path);
		}
	}
	if (entries)
		closedir(entries);
	free(folder);
	if (n)
		qsort(*files, n, sizeof **files, compare_files);
	return n;
}

void page_files_release(struct page_file *files, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		free(files[i].path);
	free(files);
}

/* ---- what they are read with ---- */

/* A whole file, unpacked where it is packed; false where there is none or it is too large. */
static bool read_text(const char *path, struct text *text)
{
	struct source *source = source_open(path, false, NULL, NULL);
	char *piece = mem_alloc(64u << 10);
	const char *name;
	ssize_t got = 0;

	text_clear(text);
	if (source && source_next(source, &name, NULL) == 1)
		while ((got = source_read(source, piece, 64u << 10, NULL)) > 0 &&
		       text->n < COMPANION_BYTES_MAX)
			text_add(text, piece, (size_t)got);
	if (source)
		source_close(source, NULL);
	free(piece);
	return source && got == 0 && text->n > 0;
}

/* What was found so far of what is needed. */
struct found {
	struct trace_meta *meta;
	char *kernel;
	bool page, functions, comms;
	struct text text; /* of the file being read */
	struct error err;
};

static void take_format(struct found *found, const char *path, const char *system)
{
	struct error err;

	if (read_text(path, &found->text) &&
	    trace_meta_format(found->meta, system, found->text.bytes, found->text.n, &err))
		error_set(&found->err, "%.400s ('%.500s')", err.text, path);
}

static void take_companion(struct found *found, const char *path)
{
	struct error err = {""};
	const char *name = base_of(path);

	if (strcmp(name, "header_page") == 0 && !found->page) {
		found->page = read_text(path, &found->text) &&
			      !trace_meta_header_page(found->meta, found->text.bytes, found->text.n,
						      &err);
	} else if (strncmp(name, "kallsyms", 8) == 0 && !found->functions) {
		found->functions =
			read_text(path, &found->text) &&
			!trace_meta_kallsyms(found->meta, found->text.bytes, found->text.n, &err);
	} else if (strcmp(name, "saved_cmdlines") == 0 && !found->comms) {
		found->comms = read_text(path, &found->text);
		if (found->comms)
			trace_meta_comms(found->meta, found->text.bytes, found->text.n);
	} else if (strcmp(name, "uname") == 0 && !*found->kernel && read_text(path, &found->text)) {
		char *end = strpbrk(found->text.bytes, "\n");

		if (end)
			*end = '\0';
		trace_meta_kernel(found->meta, found->text.bytes);
		sscanf(found->text.bytes, "%*s %*s %127s", found->kernel);
	} else if (fnmatch("*.format", name, 0) == 0) {
		take_format(found, path, "");
	}
	if (err.text[0])
		error_set(&found->err, "%.400s ('%.500s')", err.text, path);
}

/* A folder as tracefs has them: events/SYSTEM/EVENT/format. */
static void look_in_system(struct found *found, const char *folder, const char *system)
{
	char *inside = join(folder, strlen(folder), system);
	DIR *entries = opendir(inside);
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		struct text path = {0};

		text_printf(&path, "%s/%s/format", inside, entry->d_name);
		if (entry->d_name[0] != '.')
			take_format(found, path.bytes, system);
		text_release(&path);
	}
	if (entries)
		closedir(entries);
	free(inside);
}

/* folder ends with a slash. */
static void look_in(struct found *found, const char *folder)
{
	DIR *entries = opendir(folder);
	struct dirent *entry;

	if (!entries)
		return;
	while ((entry = readdir(entries))) {
		char *path = join(folder, strlen(folder), entry->d_name);

		if (page_companion_name(entry->d_name))
			take_companion(found, path);
		free(path);
	}
	closedir(entries);
	look_in_system(found, folder, "ftrace");
	look_in_system(found, folder, "raw_syscalls");
	look_in_system(found, folder, "syscalls");
}

int page_files_meta(struct trace_meta *meta, const char *folder, const char *path, char *kernel,
		    struct error *err)
{
	static const char *const places[] = {"",    "fmt/",    "formats/",    "events/",
					     "../", "../fmt/", "../formats/", "../events/"};
	struct found found = {.meta = meta, .kernel = kernel};
	size_t folder_n = (size_t)(base_of(path) - path);
	int status = 0;

	*kernel = '\0';
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		struct text place = {0};

		if (folder)
			text_printf(&place, "%s/%s", folder, places[i]);
		else
			text_printf(&place, "%.*s%s", (int)folder_n, path, places[i]);
		if (!folder || i < 4)
			look_in(&found, *place.bytes ? place.bytes : "./");
		text_release(&place);
	}
	text_release(&found.text);
	if (!trace_meta_usable(meta, err))
		status =
			found.err.text[0]
				? error_set(err, "%.1000s", found.err.text)
				: error_set(err,
					    "are raw pages, and %s, neither beside them nor in a "
					    "folder fmt, formats or events there: "
					    "--event-formats=FOLDER",
					    found.functions ? "the formats of events are not there"
							    : "formats and kallsyms are not there");
	return status;
}

uint64_t page_files_lost(const struct page_file *files, uint32_t n)
{
	static const char *const keys[] = {"overrun: ", "dropped events: "};
	struct text text = {0};
	uint64_t lost = 0;

	for (uint32_t i = 0; i < n; i++) {
		size_t stem = 0, folder_n = (size_t)(base_of(files[i].path) - files[i].path);
		struct text path = {0};

		page_file_name(base_of(files[i].path), NULL, &stem);
		text_printf(&path, "%.*scpu%u.stats", (int)(folder_n + stem), files[i].path,
			    (unsigned)files[i].cpu);
		for (size_t k = 0; read_text(path.bytes, &text) && k < COUNT_OF(keys); k++) {
			const char *at = strstr(text.bytes, keys[k]);

			/* "commit overrun" is another thing */
			if (at && (at == text.bytes || at[-1] == '\n'))
				lost += strtoull(at + strlen(keys[k]), NULL, 10);
		}
		text_release(&path);
	}
	text_release(&text);
	return lost;
}
