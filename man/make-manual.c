/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the manual: its text from standard input, with lines @COMMANDS@ and
 * the like replaced by what the program's own tables say.
 */
#include <stdio.h>
#include <string.h>

#include "evtop/cli.h"
#include "evtop/store.h"
#include "evtop/tui.h"

static void write_version(struct text *out)
{
	text_puts(out, ".TH EVTOP 1 \"\" \"evtop " PACKAGE_VERSION "\" \"User Commands\"\n");
}

/* "j Down" with every key in bold. */
static void write_key_names(struct text *out, const char *keys)
{
	bool first = true;

	while (*keys) {
		size_t n = strcspn(keys, " ");
		char name[32];

		snprintf(name, sizeof name, "%.*s", (int)n, keys);
		text_puts(out, first ? "\\fB" : ", \\fB");
		manual_escape(out, name);
		text_puts(out, "\\fR");
		first = false;
		keys += n + (keys[n] == ' ');
	}
	text_puts(out, "\n");
}

static void write_keys(struct text *out)
{
	for (int context = 0; context < KEY_CONTEXT_COUNT; context++) {
		text_puts(out, ".SS ");
		manual_escape(out, key_context_title(context));
		text_puts(out, "\n");
		for (size_t i = 0; i < n_key_commands; i++) {
			if (key_commands[i].context != (enum key_context)context)
				continue;
			text_puts(out, ".TP\n");
			write_key_names(out, key_commands[i].keys);
			manual_escape(out, key_commands[i].help);
			text_puts(out, "\n");
		}
	}
}

static void write_panels(struct text *out)
{
	for (size_t i = 0; i < PANEL_COUNT; i++) {
		if (!panels[i].key)
			continue;
		text_printf(out, ".TP\n\\fB%c\\fR ", panels[i].key);
		manual_escape(out, panels[i].name);
		text_puts(out, "\n");
		manual_escape(out, panels[i].help);
		text_puts(out, "\n");
	}
}

static void write_roles(struct text *out)
{
	for (size_t i = 0; i < ROLE_COUNT; i++) {
		text_puts(out, ".TP\n\\fB");
		manual_escape(out, role_infos[i].name);
		text_puts(out, "\\fR\n");
		manual_escape(out, role_infos[i].help);
		text_puts(out, "\n");
	}
}

static void write_tables(struct text *out)
{
	for (size_t i = 0; i < N_STORE_TABLES; i++) {
		text_puts(out, ".TP\n\\fB");
		manual_escape(out, store_tables[i].name);
		text_puts(out, "\\fR\n");
		manual_escape(out, store_tables[i].help);
		text_puts(out, "\n");
	}
}

static const struct {
	const char *line;
	void (*write)(struct text *out);
} parts[] = {
	{"@TITLE@\n", write_version},	   {"@SYNOPSIS@\n", manual_usage},
	{"@COMMANDS@\n", manual_commands}, {"@OPTIONS@\n", manual_options},
	{"@PANELS@\n", write_panels},	   {"@KEYS@\n", write_keys},
	{"@ROLES@\n", write_roles},	   {"@TABLES@\n", write_tables},
};

int main(void)
{
	struct text out = {0};
	char line[4096];

	while (fgets(line, sizeof line, stdin)) {
		size_t i = 0;

		while (i < COUNT_OF(parts) && strcmp(line, parts[i].line))
			i++;
		if (i < COUNT_OF(parts))
			parts[i].write(&out);
		else
			text_puts(&out, line);
	}
	if (fwrite(out.bytes, 1, out.n, stdout) != out.n || fflush(stdout)) {
		perror("make-manual");
		return 1;
	}
	text_release(&out);
	return 0;
}
