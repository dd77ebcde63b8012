/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subject of the panels of densities, fits and tests, and wrapped text. */
#include "fit-internal.h"

#include <string.h>

#define DIGEST_DIGITS 32
#define DIGITS_SHOWN 6

static bool is_digest(const char *id)
{
	return strlen(id) == DIGEST_DIGITS && strspn(id, "0123456789abcdefABCDEF") == DIGEST_DIGITS;
}

const char *subject_path_name(struct view_panel *panel, const struct view_context *context,
			      uint32_t path)
{
	const struct call *call = &context->recording->calls[context->call];
	const char *id;

	if (path >= call->n_paths[context->settings->identity])
		return view_name(panel, call->name);
	id = call->paths[context->settings->identity][path].id;
	if (is_digest(id))
		return view_text(panel, "%.*s", DIGITS_SHOWN, id);
	return view_name(panel, id);
}

static void say(struct view_panel *panel, const char *words)
{
	struct view_line *line = view_add_line(panel, view_add_block(panel, BLOCK_LINES));

	view_puts(panel, line, ROLE_DIM, words);
}

bool subject_find(struct view_panel *panel, const struct view_context *context,
		  struct subject *subject)
{
	const struct recording *recording = context->recording;

	if (!recording || !recording->n_calls) {
		say(panel, "no executions");
		return false;
	}
	if (context->call >= recording->n_calls) {
		say(panel, "no call is selected");
		return false;
	}
	subject->call = &recording->calls[context->call];
	subject->path = context->path_a;
	if (subject->path >= subject->call->n_paths[context->settings->identity])
		subject->path = PATH_ALL;
	subject->name = subject_path_name(panel, context, subject->path);
	if (!recording->has_durations) {
		say(panel, "the traces have no durations");
		return false;
	}
	return true;
}

bool subject_emulated(const struct recording *recording)
{
	for (uint32_t i = 0; i < recording->n_inputs; i++)
		if (recording->inputs[i].emulated == EMULATION_HOST)
			return true;
	return false;
}

/* Bytes of the words that fit into width columns, broken at a blank where there is one. */
static size_t line_bytes(const char *words, int width_cols)
{
	size_t n = 0, last = 0;
	int columns = 0;

	for (;;) {
		size_t bytes;

		if (!words[n])
			return n;
		if (words[n] == ' ')
			last = n;
		if (columns == width_cols)
			break;
		bytes = text_decode(words + n, NULL);
		n += bytes ? bytes : 1;
		columns++;
	}
	return last ? last : n;
}

static const char *skip_blanks(const char *words)
{
	return words + strspn(words, " ");
}

int fit_wrap_lines(const char *words, int label_cols, int width_cols)
{
	int n = 0, room = width_cols - label_cols;

	for (words = skip_blanks(words); *words; n++)
		words = skip_blanks(words + line_bytes(words, room > 8 ? room : 8));
	return n;
}

int fit_wrap(struct view_panel *panel, struct view_block *block, enum role label_role,
	     const char *label, int label_cols, enum role role, const char *words, int width_cols,
	     int max_lines)
{
	int n = 0, room = width_cols - label_cols;

	for (words = skip_blanks(words); *words && n < max_lines; n++) {
		struct view_line *line = view_add_line(panel, block);
		size_t bytes = line_bytes(words, room > 8 ? room : 8);

		/* the last line is cut where it is drawn, with an ellipsis */
		if (n + 1 == max_lines)
			bytes = strlen(words);
		view_printf(panel, line, label_role, "%-*s", label_cols, n ? "" : label);
		view_printf(panel, line, role, "%.*s", (int)bytes, words);
		words = skip_blanks(words + bytes);
	}
	return n;
}
