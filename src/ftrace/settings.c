/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of ftrace: read, planned, written, put back. */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Everything that is ever written, but for options and the sizes of single CPUs. */
static const struct {
	const char *file;
	enum setting_kind kind;
} known[] = {
	{"tracing_on", SETTING_VALUE},
	{"current_tracer", SETTING_VALUE},
	{"trace_clock", SETTING_VALUE},
	{"buffer_size_kb", SETTING_VALUE},
	{"max_graph_depth", SETTING_VALUE},
	{"tracing_thresh", SETTING_VALUE},
	{"tracing_cpumask", SETTING_VALUE},
	{"set_ftrace_pid", SETTING_LIST},
	{"set_ftrace_notrace_pid", SETTING_LIST},
	{"set_event_pid", SETTING_LIST},
	{"set_event_notrace_pid", SETTING_LIST},
	{"set_graph_function", SETTING_LIST},
	{"set_graph_notrace", SETTING_LIST},
	{"set_ftrace_filter", SETTING_LIST},
	{"set_ftrace_notrace", SETTING_LIST},
	{"set_event", SETTING_LIST},
};

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

static bool is_cpu_size(const char *file)
{
	static const char before[] = "per_cpu/cpu", after[] = "/buffer_size_kb";
	const char *number = file + sizeof before - 1;

	return !strncmp(file, before, sizeof before - 1) && strspn(number, "0123456789") > 0 &&
	       !strcmp(number + strspn(number, "0123456789"), after);
}

bool setting_known(const char *file, enum setting_kind *kind)
{
	static const char options[] = "options/";

	*kind = SETTING_VALUE;
	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (!strcmp(known[i].file, file)) {
			*kind = known[i].kind;
			return true;
		}
	if (!strncmp(file, options, sizeof options - 1)) {
		const char *name = file + sizeof options - 1;

		return *name && strspn(name, NAME_CHARACTERS) == strlen(name);
	}
	return is_cpu_size(file);
}

void settings_list_release(struct settings_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->items[i].file);
		free(list->items[i].old);
		free(list->items[i].want);
	}
	free(list->items);
	*list = (struct settings_list){0};
}

/* "local [global] counter": global. */
static void chosen_word(const char *raw, struct text *value)
{
	const char *open = strchr(raw, '['), *close = open ? strchr(open, ']') : NULL;

	if (close)
		text_add(value, open + 1, (size_t)(close - open) - 1);
	else
		text_add(value, raw, strcspn(raw, " \n"));
}

/* "7 (expanded: 1408)" is 1408: what it becomes at the first use, for good. */
static void buffer_size(const char *raw, struct text *value)
{
	const char *expanded = strstr(raw, "(expanded: ");

	raw = expanded ? expanded + strlen("(expanded: ") : raw;
	text_add(value, raw, strcspn(raw, " \n)"));
}

/*
 * Names without comments ("#### all functions enabled ####", "no pid") and
 * modules; function commands ("f:traceoff:...") outlive a truncation.
 */
static void list_lines(const char *raw, bool events, struct text *value)
{
	while (*raw) {
		size_t n = strcspn(raw, "\n"), word = strcspn(raw, " \n");

		if (n && *raw != '#' && !(n == 6 && !memcmp(raw, "no pid", 6)) &&
		    (events || !memchr(raw, ':', n))) {
			text_add(value, raw, word);
			text_puts(value, "\n");
		}
		raw += n + (raw[n] == '\n');
	}
}

int setting_read(const struct tfs *tfs, enum place place, const char *file, struct text *value,
		 struct error *err)
{
	struct text raw = {0};
	enum setting_kind kind;

	if (!setting_known(file, &kind))
		return error_set(err, "'%s' is no setting of ftrace that is ours to write", file);
	if (tfs_read(tfs, place, file, &raw, err)) {
		text_release(&raw);
		return -1;
	}
	text_clear(value);
	text_puts(value, "");
	if (kind == SETTING_LIST)
		list_lines(raw.bytes, !strcmp(file, "set_event"), value);
	else if (!strcmp(file, "trace_clock"))
		chosen_word(raw.bytes, value);
	else if (strstr(file, "buffer_size_kb"))
		buffer_size(raw.bytes, value);
	else
		text_add(value, raw.bytes, strcspn(raw.bytes, "\n"));
	text_release(&raw);
	return 0;
}

int setting_plan(struct settings_list *list, const struct tfs *tfs, enum place place,
		 const char *file, const char *want, bool always, struct error *err)
{
	struct text old = {0};
	enum setting_kind kind;

	if (setting_read(tfs, place, file, &old, err)) {
		text_release(&old);
		return -1;
	}
	setting_known(file, &kind);
	if (!always && !strcmp(old.bytes, want)) {
		text_release(&old);
		return 0;
	}
	ARRAY_RESERVE(list->items, list->n, list->room);
	list->items[list->n++] = (struct setting){
		.file = mem_copy_text(file),
		.kind = kind,
		.old = old.bytes,
		.want = mem_copy_text(want),
	};
	return 0;
}

static int write_setting(const struct tfs *tfs, enum place place, const char *file,
			 enum setting_kind kind, const char *value, struct error *err)
{
	if (kind == SETTING_LIST)
		return tfs_write_list(tfs, place, file, value, false, err);
	return tfs_write(tfs, place, file, value, err);
}

int settings_apply(const struct settings_list *list, const struct tfs *tfs, enum place place,
		   struct error *err)
{
	for (size_t i = 0; i < list->n; i++)
		if (write_setting(tfs, place, list->items[i].file, list->items[i].kind,
				  list->items[i].want, err))
			return -1;
	return 0;
}

static const struct setting *find(const struct settings_list *list, const char *file)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->items[i].file, file))
			return &list->items[i];
	return NULL;
}

/* The first error stays. */
static void keep_error(struct error *first, bool *failed, const struct error *why)
{
	if (!*failed)
		*first = *why;
	*failed = true;
}

static void restore_one(const struct setting *setting, const struct tfs *tfs, struct error *first,
			bool *failed)
{
	struct error why;

	if (write_setting(tfs, PLACE_TOP, setting->file, setting->kind, setting->old, &why))
		keep_error(first, failed, &why);
}

int settings_restore(const struct settings_list *list, const struct tfs *tfs, struct error *err)
{
	const struct setting *tracer = find(list, "current_tracer"), *on = find(list, "tracing_on");
	struct error first = {""}, why;
	bool failed = false;

	/* nothing is traced while settings are put back, and our trace goes with the tracer */
	if (on && tfs_write(tfs, PLACE_TOP, "tracing_on", "0", &why))
		keep_error(&first, &failed, &why);
	if (tracer && tfs_write(tfs, PLACE_TOP, "current_tracer", "nop", &why))
		keep_error(&first, &failed, &why);
	if (tracer && tfs_has(tfs, PLACE_TOP, "trace") &&
	    tfs_write(tfs, PLACE_TOP, "trace", "", &why))
		keep_error(&first, &failed, &why);
	for (size_t i = list->n; i-- > 0;)
		if (&list->items[i] != tracer && &list->items[i] != on)
			restore_one(&list->items[i], tfs, &first, &failed);
	if (tracer)
		restore_one(tracer, tfs, &first, &failed);
	if (on)
		restore_one(on, tfs, &first, &failed);
	return failed ? error_set(err, "%s", first.text) : 0;
}
