/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file that remembers what was touched. It is written whole before the
 * first change and trusted only where nobody else can have written it.
 */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATE_HEAD "evtop ftrace state 1"
#define STATE_NAME "ftrace-state"
#define STATE_BYTES_MOST (16u << 20)
#define PLACES_MOST 4

void state_release(struct state *state)
{
	free(state->dir);
	free(state->instance);
	settings_list_release(&state->settings);
	*state = (struct state){0};
}

uint64_t process_start(pid_t pid)
{
	struct text text = {0};
	char file[64];
	const char *at;
	uint64_t start = 0;

	snprintf(file, sizeof file, "/proc/%d/stat", (int)pid);
	/* field 22; a comm may hold anything but its last ')' */
	if (pid > 0 && !read_whole(file, &text, NULL) && (at = strrchr(text.bytes, ')')) &&
	    /* who is dead and waits to be reaped does not run */
	    !strchr("ZX", at[1] ? at[2] : 'X')) {
		for (int field = 2; at && field < 22; field++)
			at = strchr(at + 1, ' ');
		start = at ? strtoull(at + 1, NULL, 10) : 0;
	}
	text_release(&text);
	return start;
}

static void read_line(const char *file, char *line, size_t n)
{
	struct text text = {0};

	if (read_whole(file, &text, NULL))
		text_puts(&text, "unknown");
	text.bytes[strcspn(text.bytes, "\n")] = '\0';
	snprintf(line, n, "%s", text.bytes);
	text_release(&text);
}

void state_describe_self(struct state *state)
{
	read_line("/proc/sys/kernel/random/boot_id", state->boot, sizeof state->boot);
	read_line("/proc/self/comm", state->comm, sizeof state->comm);
	state->pid = getpid();
	state->pid_start = process_start(state->pid);
	state->keeper_start = process_start(state->keeper);
}

/* ---- where ---- */

/* Folders to try, the best first; fills places and returns how many. */
static size_t find_places(const char *given, char places[PLACES_MOST][PATH_MAX])
{
	const char *session = getenv("XDG_RUNTIME_DIR");
	size_t n = 0;

	if (given) {
		snprintf(places[n++], PATH_MAX, "%s", given);
		return n;
	}
	if (geteuid() == 0)
		snprintf(places[n++], PATH_MAX, "/run/evtop");
	else if (session && *session == '/')
		snprintf(places[n++], PATH_MAX, "%s/evtop", session);
	snprintf(places[n++], PATH_MAX, "/var/tmp/evtop-%u", (unsigned)geteuid());
	snprintf(places[n++], PATH_MAX, "/tmp/evtop-%u", (unsigned)geteuid());
	return n;
}

/* Ours or root's, and nobody else may write: anybody may have made it before us. */
static int check_owner(const char *path, const struct stat *status, struct error *err)
{
	if (status->st_uid != geteuid() && status->st_uid != 0)
		return error_set(err, "'%s' belongs to somebody else (user %u): not trusted", path,
				 (unsigned)status->st_uid);
	if (status->st_mode & (S_IWGRP | S_IWOTH))
		return error_set(err, "'%s' can be written by others: not trusted", path);
	return 0;
}

static int check_folder(const char *folder, struct error *err)
{
	struct stat status;

	if (lstat(folder, &status))
		return error_set(err, "cannot use '%s': %s", folder, strerror(errno));
	if (!S_ISDIR(status.st_mode))
		return error_set(err, "'%s' is no folder", folder);
	return check_owner(folder, &status, err);
}

static int make_folder(const char *folder, struct error *err)
{
	if (mkdir(folder, 0700) && errno != EEXIST)
		return error_set(err, "cannot make '%s': %s", folder, strerror(errno));
	return check_folder(folder, err);
}

/* ---- writing ---- */

static void write_value(struct text *out, const struct setting *setting)
{
	const char *at = setting->old;

	if (setting->kind == SETTING_VALUE) {
		text_printf(out, "set %s = %s\n", setting->file, at);
		return;
	}
	text_printf(out, "list %s\n", setting->file);
	while (*at) {
		size_t n = strcspn(at, "\n");

		text_puts(out, "add ");
		text_add(out, at, n);
		text_puts(out, "\n");
		at += n + (at[n] == '\n');
	}
}

static void write_state(struct text *out, const struct state *state)
{
	text_puts(out, STATE_HEAD "\n");
	text_printf(out, "boot = %s\n", state->boot);
	text_printf(out, "process = %d %llu\n", (int)state->pid,
		    (unsigned long long)state->pid_start);
	text_printf(out, "keeper = %d %llu\n", (int)state->keeper,
		    (unsigned long long)state->keeper_start);
	text_printf(out, "comm = %s\n", state->comm);
	text_printf(out, "tracefs = %s\n", state->dir);
	if (state->instance)
		text_printf(out, "instance = %s\n", state->instance);
	for (size_t i = 0; i < state->settings.n; i++)
		write_value(out, &state->settings.items[i]);
	text_puts(out, "end\n");
}

static int write_synced(int fd, const struct text *text)
{
	size_t done = 0;

	while (done < text->n) {
		ssize_t n = write(fd, text->bytes + done, text->n - done);

		if (n < 0 && errno != EINTR)
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return fsync(fd);
}

/*
 * Whole from its first moment: written apart, then linked to a name that is not
 * there yet, or put in the place of our own.
 */
static int write_file(const char *folder, const struct text *text, bool again, char *file,
		      struct error *err)
{
	struct text fresh = {0}, name = {0};
	int fd, status = 0;

	text_printf(&fresh, "%s/%s.%d", folder, STATE_NAME, (int)getpid());
	text_printf(&name, "%s/%s", folder, STATE_NAME);
	unlink(fresh.bytes);
	fd = open(fresh.bytes, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || write_synced(fd, text))
		status = error_set(err, "cannot write '%s': %s", fresh.bytes, strerror(errno));
	if (fd >= 0 && close(fd) && !status)
		status = error_set(err, "cannot write '%s': %s", fresh.bytes, strerror(errno));
	if (!status && (again ? rename(fresh.bytes, name.bytes) : link(fresh.bytes, name.bytes)))
		status = error_set(err, "cannot make '%s': %s", name.bytes,
				   errno == EEXIST ? "another evtop has just begun to trace"
						   : strerror(errno));
	unlink(fresh.bytes);
	if (!status)
		snprintf(file, PATH_MAX, "%s", name.bytes);
	text_release(&fresh);
	text_release(&name);
	return status;
}

int state_write(const struct state *state, const char *place, char *file, struct error *err)
{
	char places[PLACES_MOST][PATH_MAX];
	size_t n = find_places(place, places);
	struct text text = {0};
	struct error first = {""}, why;
	int status = -1;

	write_state(&text, state);
	for (size_t i = 0; i < n && status; i++) {
		status = make_folder(places[i], &why) ||
			 write_file(places[i], &text, false, file, &why);
		if (status && !i)
			first = why;
	}
	text_release(&text);
	if (status)
		return error_set(err,
				 "nothing is traced, because there is no place to remember the "
				 "settings in: %s",
				 first.text);
	return 0;
}

int state_rewrite(const struct state *state, const char *file, struct error *err)
{
	char *folder = mem_copy_text(file), *slash = strrchr(folder, '/'), written[PATH_MAX];
	struct text text = {0};
	int status;

	*slash = '\0';
	write_state(&text, state);
	status = write_file(folder, &text, true, written, err);
	text_release(&text);
	free(folder);
	return status;
}

/* ---- reading ---- */

static int take_process(const char *value, pid_t *pid, uint64_t *start)
{
	char *end;
	long long parsed = strtoll(value, &end, 10);

	if (end == value || parsed < 1 || parsed > INT_MAX || *end != ' ')
		return -1;
	*pid = (pid_t)parsed;
	*start = strtoull(end + 1, &end, 10);
	return *end ? -1 : 0;
}

static int take_instance(struct state *state, const char *value)
{
	if (strncmp(value, "evtop-", 6) || strspn(value + 6, "0123456789") != strlen(value + 6))
		return -1;
	free(state->instance);
	state->instance = mem_copy_text(value);
	return 0;
}

static int take_key(struct state *state, const char *key, const char *value)
{
	if (!strcmp(key, "boot"))
		snprintf(state->boot, sizeof state->boot, "%s", value);
	else if (!strcmp(key, "comm"))
		snprintf(state->comm, sizeof state->comm, "%s", value);
	else if (!strcmp(key, "process"))
		return take_process(value, &state->pid, &state->pid_start);
	else if (!strcmp(key, "keeper"))
		return take_process(value, &state->keeper, &state->keeper_start);
	else if (!strcmp(key, "instance"))
		return take_instance(state, value);
	else if (!strcmp(key, "tracefs") && *value == '/' && !state->dir)
		state->dir = mem_copy_text(value);
	else
		return -1;
	return 0;
}

static int take_setting(struct settings_list *list, const char *file, enum setting_kind wanted,
			const char *value)
{
	enum setting_kind kind;

	if (!setting_known(file, &kind) || kind != wanted)
		return -1;
	ARRAY_RESERVE(list->items, list->n, list->room);
	list->items[list->n++] = (struct setting){
		.file = mem_copy_text(file),
		.kind = kind,
		.old = mem_copy_text(value),
		.want = mem_copy_text(""),
	};
	return 0;
}

/* Lines of the list read last, gathered until it is whole. */
static void end_list(struct settings_list *list, struct text *lines)
{
	if (list->n && list->items[list->n - 1].kind == SETTING_LIST && lines->n) {
		free(list->items[list->n - 1].old);
		list->items[list->n - 1].old = mem_copy_bytes(lines->bytes, lines->n);
	}
	text_clear(lines);
}

static int take_line(struct state *state, char *line, struct text *lines)
{
	struct settings_list *list = &state->settings;
	char *equals = strstr(line, " = ");

	if (!strncmp(line, "add ", 4)) {
		if (!list->n || list->items[list->n - 1].kind != SETTING_LIST)
			return -1;
		text_printf(lines, "%s\n", line + 4);
		return 0;
	}
	end_list(list, lines);
	if (!strncmp(line, "list ", 5))
		return take_setting(list, line + 5, SETTING_LIST, "");
	if (!equals)
		return -1;
	*equals = '\0';
	if (!strncmp(line, "set ", 4))
		return take_setting(list, line + 4, SETTING_VALUE, equals + 3);
	return take_key(state, line, equals + 3);
}

int state_parse(struct state *state, const char *bytes, size_t n, struct error *err)
{
	char *copy = mem_copy_bytes(bytes, n), *rest = copy, *line = strsep(&rest, "\n");
	struct text lines = {0};
	bool whole = false, good = strlen(copy) == strcspn(copy, "\n") && !strcmp(line, STATE_HEAD);

	*state = (struct state){0};
	while (good && !whole && (line = strsep(&rest, "\n"))) {
		if (!strcmp(line, "end")) {
			end_list(&state->settings, &lines);
			whole = true;
		} else {
			good = !take_line(state, line, &lines);
		}
	}
	good = good && whole && state->dir && state->pid;
	text_release(&lines);
	free(copy);
	if (good)
		return 0;
	state_release(state);
	return error_set(err, "it is not whole, or not written by this program");
}

/* 1 where there is one, 0 where there is none. */
static int read_state(struct state *state, const char *file, struct error *err)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct text text = {0};
	struct stat status;
	struct error why;
	int result = 1;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &status))
		result = error_set(err, "cannot open '%s': %s", file, strerror(errno));
	else if (!S_ISREG(status.st_mode) || status.st_size > STATE_BYTES_MOST)
		result = error_set(err, "'%s' is no file of this program's", file);
	else if (check_owner(file, &status, err))
		result = -1;
	else if (read_descriptor(fd, &text))
		result = error_set(err, "cannot read '%s': %s", file, strerror(errno));
	else if (state_parse(state, text.bytes, text.n, &why))
		result = error_set(err, "cannot read '%s': %s", file, why.text);
	if (fd >= 0)
		close(fd);
	text_release(&text);
	return result;
}

int state_find(struct state *state, const char *place, char *file, struct error *err)
{
	char places[PLACES_MOST][PATH_MAX];
	size_t n = find_places(place, places);

	*state = (struct state){0};
	for (size_t i = 0; i < n; i++) {
		struct stat status;
		struct text name = {0};
		int found;

		if (lstat(places[i], &status))
			continue;
		if (check_folder(places[i], err))
			return -1;
		text_printf(&name, "%s/%s", places[i], STATE_NAME);
		found = read_state(state, name.bytes, err);
		snprintf(file, PATH_MAX, "%s", name.bytes);
		text_release(&name);
		if (found)
			return found;
	}
	return 0;
}

bool state_owner_runs(const struct state *state)
{
	char boot[sizeof state->boot];

	read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
	if (strcmp(boot, state->boot))
		return false;
	return (state->pid_start && process_start(state->pid) == state->pid_start) ||
	       (state->keeper_start && process_start(state->keeper) == state->keeper_start);
}

/* ---- undoing ---- */

/* After a restart of the machine nothing is left to undo. */
static bool is_of_this_boot(const struct state *state)
{
	char boot[sizeof state->boot];

	read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
	return !strcmp(boot, state->boot);
}

int state_undo(const struct state *state, const char *file, struct error *err)
{
	struct error why = {""}, other;
	struct tfs tfs;
	int status = 0;

	if (is_of_this_boot(state)) {
		if (tfs_start(&tfs, state->dir, &why))
			return error_set(err, "%s (what to restore stays in '%s')", why.text, file);
		status = settings_restore(&state->settings, &tfs, &why);
		tfs_end(&tfs);
		if (state->instance && tfs_remove_instance(state->dir, state->instance, &other)) {
			why = status ? why : other;
			status = -1;
		}
	}
	if (!status && unlink(file))
		status = error_set(&why, "cannot remove '%s': %s", file, strerror(errno));
	if (status)
		return error_set(err,
				 "not everything could be restored: %s (the values stand in "
				 "'%s')",
				 why.text, file);
	return 0;
}
