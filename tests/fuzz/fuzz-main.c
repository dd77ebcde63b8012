/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replays a fuzz target over files, as TAP. Without arguments: the target's
 * corpus, and its large inputs, each also cut short.
 */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "evtop/base.h"

static unsigned n_done, n_failed;

static void report(bool passed, const char *name)
{
	printf("%s %u - %s\n", passed ? "ok" : "not ok", ++n_done, name);
	fflush(stdout);
	n_failed += !passed;
}

/* The input at its exact size, so that a read past its end is seen. */
static void run(const uint8_t *bytes, size_t n)
{
	uint8_t *copy = mem_alloc(n);

	if (n)
		memcpy(copy, bytes, n);
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
}

static bool read_file(const char *path, struct text *text)
{
	FILE *file = fopen(path, "rb");
	char chunk[65536];
	size_t n;

	if (!file)
		return false;
	while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
		text_add(text, chunk, n);
	n = (size_t)ferror(file);
	fclose(file);
	return n == 0;
}

/* The file, and every 97th beginning of it: what a full disk or a lost line leaves. */
static void replay_file(const char *path, const char *name)
{
	struct text text = {0};

	if (!read_file(path, &text)) {
		printf("# cannot read '%s': %s\n", path, strerror(errno));
		report(false, name);
		return;
	}
	run((const uint8_t *)text.bytes, text.n);
	for (size_t n = 0; n < text.n && text.n < 65536; n += 97)
		run((const uint8_t *)text.bytes, n);
	text_release(&text);
	report(true, name);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void replay_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	char **names = NULL;
	size_t n = 0, room = 0;
	struct dirent *entry;

	if (!dir) {
		printf("# cannot open '%s': %s\n", folder, strerror(errno));
		report(false, folder);
		return;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		ARRAY_RESERVE(names, n, room);
		names[n++] = mem_copy_text(entry->d_name);
	}
	closedir(dir);
	if (n)
		qsort(names, n, sizeof *names, compare_names);
	for (size_t i = 0; i < n; i++) {
		struct text path = {0};

		text_printf(&path, "%s/%s", folder, names[i]);
		replay_file(path.bytes, names[i]);
		text_release(&path);
		free(names[i]);
	}
	free(names);
}

static void replay_large(void)
{
	for (size_t i = 0; i < n_fuzz_large; i++) {
		size_t size;
		uint8_t *bytes = fuzz_large[i].make(&size);

		run(bytes, size);
		run(bytes, size / 2);
		free(bytes);
		report(true, fuzz_large[i].name);
	}
}

int main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir");

	for (int i = 1; i < argc; i++)
		replay_file(argv[i], argv[i]);
	if (argc == 1) {
		struct text folder = {0};

		text_printf(&folder, "%s/tests/fuzz/corpus-%s", top ? top : ".", fuzz_name);
		replay_folder(folder.bytes);
		text_release(&folder);
		replay_large();
	}
	printf("1..%u\n", n_done);
	return n_failed > 0;
}
