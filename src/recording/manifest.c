/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "manifest.h"

#include <stdlib.h>
#include <string.h>

/* Manifests are read in any order: what they contradict each other in has no first value. */
static void take_text(char **text, bool *differs, const char *value)
{
	char printable[256];

	text_printable(printable, sizeof printable, value);
	if (*text && strcmp(*text, printable) == 0)
		return;
	*differs |= *text != NULL;
	free(*text);
	*text = mem_copy_text(*differs ? "several" : printable);
}

/* Of several the one whose times mean the least. */
static void take_emulation(struct input *input, const char *value)
{
	static const int rank[] = {[EMULATION_UNKNOWN] = 0,
				   [EMULATION_NO] = 1,
				   [EMULATION_COUNTED] = 2,
				   [EMULATION_HOST] = 3};

	for (enum emulation e = EMULATION_NO; e <= EMULATION_COUNTED; e++) {
		if (strcmp(value, emulation_word(e)) != 0)
			continue;
		input->machine_differs |=
			input->emulated != EMULATION_UNKNOWN && input->emulated != e;
		if (rank[e] > rank[input->emulated])
			input->emulated = e;
	}
}

static void take_value(struct input *input, const char *key, const char *value)
{
	if (strcmp(key, "kernel") == 0 && !input->kernel_said) {
		/* what runs said before it was read no longer counts */
		free(input->kernel);
		input->kernel = NULL;
		input->kernel_differs = false;
		input->kernel_said = true;
	}
	if (strcmp(key, "kernel") == 0)
		take_text(&input->kernel, &input->kernel_differs, value);
	else if (strcmp(key, "scope") == 0)
		take_text(&input->scope, &input->scope_differs, value);
	else if (strcmp(key, "emulated") == 0)
		take_emulation(input, value);
}

void manifest_kernel(struct input *input, const char *kernel)
{
	if (!input->kernel_said)
		take_text(&input->kernel, &input->kernel_differs, kernel);
}

void input_take(struct input *input, const struct input *more)
{
	if (more->kernel)
		take_text(&input->kernel, &input->kernel_differs, more->kernel);
	if (more->scope)
		take_text(&input->scope, &input->scope_differs, more->scope);
	if (more->emulated != EMULATION_UNKNOWN)
		take_emulation(input, emulation_word(more->emulated));
	input->kernel_differs |= more->kernel_differs;
	input->scope_differs |= more->scope_differs;
	input->machine_differs |= more->machine_differs;
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
