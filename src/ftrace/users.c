/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who else uses ftrace, as far as it can be known. */
#include "internal.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef TRACEFS_MAGIC
#define TRACEFS_MAGIC 0x74726163
#endif

#define NAMED_MOST 4

struct search {
	const char *dir;
	dev_t device;
	bool real;    /* a tracefs and not a folder that stands for one */
	bool readers; /* any that reads a trace_pipe */
	unsigned n;
	struct text names;
};

/* A file of tracefs, by whatever mount it was opened; path gets its name. */
static bool is_ours(const struct search *search, const char *link, char path[PATH_MAX])
{
	ssize_t n = readlink(link, path, PATH_MAX - 1);
	size_t dir_n = strlen(search->dir);
	struct stat status;

	if (n <= 0)
		return false;
	path[n] = '\0';
	if (!strncmp(path, search->dir, dir_n) && path[dir_n] == '/')
		return true;
	return search->real && *path == '/' && !stat(link, &status) &&
	       status.st_dev == search->device;
}

static void add_process(struct search *search, const char *pid)
{
	struct text comm = {0};
	char file[64], shown[32];

	if (search->n++ >= NAMED_MOST)
		return;
	snprintf(file, sizeof file, "/proc/%.16s/comm", pid);
	if (read_whole(file, &comm, NULL))
		text_puts(&comm, "?");
	comm.bytes[strcspn(comm.bytes, "\n")] = '\0';
	text_printf(&search->names, "%s%s (pid %s)", search->n > 1 ? ", " : "",
		    text_printable(shown, sizeof shown, comm.bytes), pid);
	text_release(&comm);
}

static void look_at_process(struct search *search, const char *pid)
{
	char folder[64], link[128], path[PATH_MAX];
	const struct dirent *entry;
	bool found = false;
	DIR *fds;

	snprintf(folder, sizeof folder, "/proc/%.16s/fd", pid);
	fds = opendir(folder);
	while (fds && (entry = readdir(fds))) {
		snprintf(link, sizeof link, "%s/%.20s", folder, entry->d_name);
		if (!isdigit((unsigned char)*entry->d_name) || !is_ours(search, link, path))
			continue;
		found = true;
		/* those of an instance take nothing from others */
		search->readers |= strstr(path, "/trace_pipe") && !strstr(path, "/instances/");
	}
	if (fds)
		closedir(fds);
	if (found)
		add_process(search, pid);
}

static void find_processes(struct search *search, const char *dir)
{
	const struct dirent *entry;
	struct statfs fs;
	struct stat status;
	DIR *proc = opendir("/proc");

	*search = (struct search){.dir = dir};
	search->real = !statfs(dir, &fs) && (unsigned long)fs.f_type == TRACEFS_MAGIC;
	if (!stat(dir, &status))
		search->device = status.st_dev;
	text_puts(&search->names, "");
	while (proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)*entry->d_name) &&
		    strtol(entry->d_name, NULL, 10) != getpid())
			look_at_process(search, entry->d_name);
	if (proc)
		closedir(proc);
}

/* The tracer of a folder, where one is set: appended. */
static bool has_tracer(const struct tfs *tfs, const char *file, bool graph_only,
		       struct text *tracer)
{
	struct text text = {0};
	bool set = false;

	if (!tfs_read(tfs, PLACE_TOP, file, &text, NULL)) {
		text.bytes[strcspn(text.bytes, "\n")] = '\0';
		set = graph_only ? !strncmp(text.bytes, "function_graph", 14)
				 : *text.bytes && strcmp(text.bytes, "nop") != 0;
	}
	if (set)
		text_puts(tracer, text.bytes);
	text_release(&text);
	return set;
}

/* An instance of somebody with function_graph: what is chosen and how deep is one for all. */
static bool has_graph_instance(const struct tfs *tfs, struct text *what)
{
	struct text folder = {0}, tracer = {0};
	const struct dirent *entry;
	bool found = false;
	DIR *instances;

	text_printf(&folder, "%s/instances", tfs->dir);
	instances = opendir(folder.bytes);
	while (instances && !found && (entry = readdir(instances))) {
		struct text file = {0};

		if (*entry->d_name == '.' ||
		    (tfs->own_name && !strcmp(entry->d_name, tfs->own_name)))
			continue;
		text_printf(&file, "instances/%s/current_tracer", entry->d_name);
		found = has_tracer(tfs, file.bytes, true, &tracer);
		if (found)
			text_printf(what, "the instance '%s' uses function_graph", entry->d_name);
		text_release(&file);
	}
	if (instances)
		closedir(instances);
	text_release(&folder);
	text_release(&tracer);
	return found;
}

static bool has_events(const struct tfs *tfs, struct text *what)
{
	struct text events = {0};
	bool any = false;

	if (!setting_read(tfs, PLACE_TOP, "set_event", &events, NULL) && events.n) {
		any = true;
		text_printf(what, "events are on (%.*s%s)", (int)strcspn(events.bytes, "\n"),
			    events.bytes, strchr(events.bytes, '\n')[1] ? ", ..." : "");
	}
	text_release(&events);
	return any;
}

bool tfs_in_use(const struct tfs *tfs, bool own, struct error *err)
{
	struct text what = {0}, tracer = {0};
	struct search search;
	char shown[256];
	bool used = false;

	find_processes(&search, tfs->dir);
	if (has_tracer(tfs, "current_tracer", own, &tracer)) {
		text_printf(&what, "the tracer %s is set", tracer.bytes);
		used = true;
	} else {
		used = has_graph_instance(tfs, &what) || (!own && has_events(tfs, &what));
	}
	if (!used && !own && search.readers) {
		text_puts(&what, "its trace_pipe is being read");
		used = true;
	}
	if (used)
		error_set(err,
			  "ftrace is in use: %s, by %s%s; nothing was touched (--take-over saves "
			  "what is set and puts it back at the end)",
			  text_printable(shown, sizeof shown, what.bytes),
			  search.n ? search.names.bytes : "somebody who has no file of it open now",
			  search.n > NAMED_MOST ? " and others" : "");
	text_release(&what);
	text_release(&tracer);
	text_release(&search.names);
	return used;
}
