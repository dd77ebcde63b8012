/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subject of the panels of densities, fits and tests, and wrapped text. */
#include "fit-internal.h"

#include <string.h>

const char *subject_path_name(struct view_panel *panel, const struct view_context *context,
			      uint32_t path)
{
	const struct path *of = view_path(context, path);

	if (!of)
		return view_name(panel, view_call(context, context->call)->name);
	return view_short_id(panel, of->id);
}

bool subject_find(struct view_panel *panel, const struct view_context *context,
		  struct subject *subject)
{
	const struct recording *recording = context->recording;

	if (!recording || !recording->n_calls) {
		view_say(panel, ROLE_DIM, "no executions");
		return false;
	}
	if (context->call >= recording->n_calls) {
		view_say(panel, ROLE_DIM, "no call is selected");
		return false;
	}
	subject->call = &recording->calls[context->call];
	subject->path = context->path_a;
	if (subject->path >= subject->call->n_paths[context->settings->identity])
		subject->path = PATH_ALL;
	subject->name = subject_path_name(panel, context, subject->path);
	if (!recording->has_durations) {
		view_say(panel, ROLE_DIM, "the traces have no durations");
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

#define INDENT 2

/* Bytes of the words that fit into width columns, broken at a blank where there is one. */
static size_t line_bytes(const char *words, int width_cols)
{
	size_t n = 0, last = 0;

	for (int columns = 0;; columns++) {
		size_t bytes;

		if (!words[n])
			return n;
		if (words[n] == ' ')
			last = n;
		if (columns == width_cols)
			return last ? last : n;
		bytes = text_decode(words + n, NULL);
		n += bytes ? bytes : 1;
	}
}

/* Where line i of the words ends; moves on to where the next one begins. */
static size_t next_line(const char **words, int i, int width_cols)
{
	int room = width_cols - (i ? INDENT : 0);
	size_t bytes = line_bytes(*words, room > 8 ? room : 8);

	*words += bytes;
	*words += strspn(*words, " ");
	return bytes;
}

int fit_wrap_lines(struct view_panel *panel, const char *lead, const char *words, int width_cols)
{
	const char *at = view_text(panel, "%s%s", lead, words);
	int n = 0;

	while (*at)
		next_line(&at, n++, width_cols);
	return n;
}

int fit_wrap(struct view_panel *panel, struct view_block *block, enum role lead_role,
	     const char *lead, enum role role, const char *words, int width_cols, int max_lines)
{
	const char *at = view_text(panel, "%s%s", lead, words);
	int n = 0, led = (int)strlen(lead);

	for (; *at && n < max_lines; n++) {
		struct view_line *line = view_add_line(panel, block);
		const char *start = at;
		int bytes = (int)next_line(&at, n, width_cols);

		/* the last line is cut where it is drawn, with an ellipsis */
		if (n + 1 == max_lines)
			bytes = (int)strlen(start);
		if (n) {
			view_printf(panel, line, role, "%*s%.*s", INDENT, "", bytes, start);
			continue;
		}
		led = led < bytes ? led : bytes;
		view_printf(panel, line, lead_role, "%.*s", led, start);
		view_printf(panel, line, role, "%.*s", bytes - led, start + led);
	}
	return n;
}
