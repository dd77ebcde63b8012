/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file `manifest` of a recording: how it was made, in lines "key = value". */
#include "campaign.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What stands behind it changes while it is recorded. */
#define CHANGING "# as far as it is recorded\n"

static void line(struct text *out, const char *key, const char *value)
{
	char shown[4096];

	text_printf(out, "%s = %s\n", key, text_printable(shown, sizeof shown, value));
}

static void number(struct text *out, const char *key, uint64_t value)
{
	text_printf(out, "%s = %llu\n", key, (unsigned long long)value);
}

static void date(struct text *out, const char *key)
{
	time_t now = time(NULL);
	struct tm tm;
	char value[32];

	strftime(value, sizeof value, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	line(out, key, value);
}

/* The command as a shell would take it, roughly: words with blanks in quotes. */
static void command_line(struct text *out, char *const *argv)
{
	text_puts(out, "");
	for (size_t i = 0; argv[i]; i++) {
		bool plain = *argv[i] && !strpbrk(argv[i], " \t\n'\"\\$`*?;&|<>()");

		text_printf(out, "%s%s%s%s", i ? " " : "", plain ? "" : "'", argv[i],
			    plain ? "" : "'");
	}
}

static void describe(struct recorder *recorder, struct text *out)
{
	const struct campaign_options *options = recorder->options;
	const char *emulated = options->emulated ? options->emulated : recorder->machine.emulated;
	struct text command = {0};

	command_line(&command, options->command);
	text_puts(out, "# how this was recorded, by evtop record\n");
	line(out, "evtop", options->version);
	line(out, "command", command.bytes);
	line(out, "label", options->label ? options->label : "");
	number(out, "campaigns", options->campaigns);
	number(out, "runs", options->runs);
	line(out, "form", options->text ? "text" : "trace.dat");
	line(out, "scope", ftrace_scope(recorder->ftrace));
	line(out, "clock", ftrace_clock(recorder->ftrace));
	number(out, "buffer_kb", ftrace_buffer_kb(recorder->ftrace));
	line(out, "options", "function-fork sleep-time graph-time funcgraph-irqs overwrite");
	line(out, "instance", ftrace_has_instance(recorder->ftrace) ? "yes" : "no");
	text_puts(out, recorder->machine.facts.bytes);
	if (emulated)
		line(out, "emulated", emulated);
	text_release(&command);
}

static void file_names(const struct recorder *recorder, struct text *name, struct text *part)
{
	text_printf(name, "%s/manifest", recorder->options->folder);
	text_printf(part, "%s/.manifest.part", recorder->options->folder);
}

static int write_manifest(struct recorder *recorder, bool ended, struct error *err)
{
	struct text name = {0}, part = {0}, out = {0};
	int status;

	file_names(recorder, &name, &part);
	text_puts(&out, recorder->manifest.bytes);
	if (ended) {
		date(&out,
		     recorder->progress.done == recorder->progress.total ? "ended" : "interrupted");
		number(&out, "recorded", recorder->progress.done);
		number(&out, "lossy_runs_of_last_session", recorder->progress.lossy);
		number(&out, "lost_events_of_last_session", recorder->progress.lost_events);
		number(&out, "failed_runs_of_last_session", recorder->progress.failed);
	}
	status = file_write(part.bytes, name.bytes, out.bytes, out.n, err);
	text_release(&name);
	text_release(&part);
	text_release(&out);
	return status;
}

/* The first line in which the two differ, up to what changes; NULL where none does. */
static char *find_difference(const char *was, const char *is)
{
	while (*was || *is) {
		size_t was_n = strcspn(was, "\n"), is_n = strcspn(is, "\n");

		if (was_n != is_n || memcmp(was, is, is_n))
			return mem_copy_bytes(was_n ? was : is, was_n ? was_n : is_n);
		was += was_n + (was[was_n] == '\n');
		is += is_n + (is[is_n] == '\n');
	}
	return NULL;
}

static bool folder_is_empty(const char *folder)
{
	const struct dirent *entry;
	DIR *dir = opendir(folder);
	bool empty = true;

	while (dir && (entry = readdir(dir)))
		empty &= *entry->d_name == '.';
	if (dir)
		closedir(dir);
	return empty;
}

/* Is there any run in a folder of a campaign? */
static bool holds_runs(const char *folder)
{
	const struct dirent *entry, *inner;
	DIR *dir = opendir(folder), *campaign;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		struct text name = {0};

		text_printf(&name, "%s/%s", folder, entry->d_name);
		campaign = strncmp(entry->d_name, "campaign-", 9) ? NULL : opendir(name.bytes);
		while (campaign && !found && (inner = readdir(campaign)))
			found = *inner->d_name != '.';
		if (campaign)
			closedir(campaign);
		text_release(&name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Goes on with an older one: its beginning stays, its lines about the last session go. */
static int go_on(struct recorder *recorder, const char *file, struct text *old, struct error *err)
{
	char *changing = strstr(old->bytes, CHANGING), *difference, *begun, *end;

	if (!changing)
		return error_set(err, "'%s' was not written by evtop record", file);
	*changing = '\0';
	difference = find_difference(old->bytes, recorder->manifest.bytes);
	*changing = *CHANGING;
	/* one that failed before its first run holds nobody to anything */
	if (difference && !holds_runs(recorder->options->folder)) {
		free(difference);
		text_puts(&recorder->manifest, CHANGING);
		date(&recorder->manifest, "begun");
		return 0;
	}
	if (difference) {
		error_set(err,
			  "'%s' was recorded in another way (%.200s): use another folder, or the "
			  "same command line on the same machine",
			  recorder->options->folder, difference);
		free(difference);
		return -1;
	}
	begun = strstr(changing, "begun = ");
	text_puts(&recorder->manifest, CHANGING);
	if (begun && (end = strchr(begun, '\n')))
		text_add(&recorder->manifest, begun, (size_t)(end + 1 - begun));
	date(&recorder->manifest, "resumed");
	return 0;
}

int manifest_begin(struct recorder *recorder, struct error *err)
{
	struct text name = {0}, part = {0}, old = {0};
	int status = 0;

	file_names(recorder, &name, &part);
	describe(recorder, &recorder->manifest);
	if (access(name.bytes, F_OK) == 0) {
		status =
			read_whole(name.bytes, &old, err) || go_on(recorder, name.bytes, &old, err);
	} else if (!folder_is_empty(recorder->options->folder)) {
		status = error_set(err, "'%s' is not empty and holds no manifest of a recording",
				   recorder->options->folder);
	} else {
		text_puts(&recorder->manifest, CHANGING);
		date(&recorder->manifest, "begun");
	}
	if (!status)
		status = write_manifest(recorder, false, err);
	text_release(&name);
	text_release(&part);
	text_release(&old);
	return status ? -1 : 0;
}

int manifest_end(struct recorder *recorder, struct error *err)
{
	/* where nothing was begun there is nothing to end */
	return recorder->manifest.n ? write_manifest(recorder, true, err) : 0;
}
