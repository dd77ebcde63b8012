/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "manifest.h"

#include <stdlib.h>
#include <string.h>

static void take_value(struct input *input, const char *key, const char *value)
{
	char printable[256];

	text_printable(printable, sizeof printable, value);
	if (strcmp(key, "kernel") == 0) {
		free(input->kernel);
		input->kernel = mem_copy_text(printable);
	} else if (strcmp(key, "scope") == 0) {
		free(input->scope);
		input->scope = mem_copy_text(printable);
	} else if (strcmp(key, "emulated") == 0) {
		for (enum emulation e = EMULATION_NO; e <= EMULATION_COUNTED; e++)
			if (strcmp(value, emulation_word(e)) == 0)
				input->emulated = e;
	}
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (*text == ' ' || *text == '\t')
		text++;
	while (end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		*--end = '\0';
	return text;
}

void manifest_read(struct input *input, const char *bytes, size_t n)
{
	char *copy = mem_copy_bytes(bytes, n), *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *equals = strchr(line, '=');

		if (*line == '#' || !equals)
			continue;
		*equals = '\0';
		take_value(input, trim(line), trim(equals + 1));
	}
	free(copy);
}
