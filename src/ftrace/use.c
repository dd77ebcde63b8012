/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tracing that is set up: switched, read, described. */
#include "open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ftrace_set_pid(struct ftrace *ftrace, pid_t pid, struct error *err)
{
	char line[16];

	snprintf(line, sizeof line, "%d\n", (int)pid);
	if (tfs_write_list(&ftrace->tfs, PLACE_OWN, "set_ftrace_pid", line, false, err))
		return -1;
	/* of events only where they were planned for: else it is not ours to write */
	for (size_t place = 0; place < 2; place++) {
		const struct settings_list *list = place ? &ftrace->own : &ftrace->top;

		for (size_t i = 0; i < list->n; i++)
			if (!strcmp(list->items[i].file, "set_event_pid"))
				return tfs_write_list(&ftrace->tfs, PLACE_OWN, "set_event_pid",
						      line, false, err);
	}
	return 0;
}

int ftrace_switch(struct ftrace *ftrace, bool on, struct error *err)
{
	if (write(ftrace->switch_fd, on ? "1" : "0", 1) != 1)
		return error_set(err, "cannot switch tracing %s: %s", on ? "on" : "off",
				 strerror(errno));
	return 0;
}

int ftrace_clear(struct ftrace *ftrace, struct error *err)
{
	return tfs_write(&ftrace->tfs, PLACE_OWN, "trace", "", err);
}

uint32_t ftrace_n_cpus(const struct ftrace *ftrace)
{
	return ftrace->n_cpus;
}

const int *ftrace_page_fds(const struct ftrace *ftrace)
{
	return ftrace->page_fds;
}

int ftrace_open_text(const struct ftrace *ftrace, struct error *err)
{
	return tfs_file(&ftrace->tfs, PLACE_OWN, "trace", O_RDONLY, err);
}

static int read_stats(int fd, struct text *text)
{
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -1;
	return read_descriptor(fd, text);
}

/* Sums what stands behind the keys in the stats of all CPUs. */
static uint64_t sum_stats(const struct ftrace *ftrace, const char *const *keys, size_t n)
{
	struct text text = {0};
	uint64_t sum = 0;

	for (uint32_t cpu = 0; cpu < ftrace->n_cpus; cpu++) {
		text_clear(&text);
		/* a line before the first, so that each key begins one */
		text_puts(&text, "\n");
		if (ftrace->stats_fds[cpu] < 0 || read_stats(ftrace->stats_fds[cpu], &text))
			continue;
		for (size_t i = 0; i < n; i++) {
			const char *at = strstr(text.bytes, keys[i]);

			sum += at ? strtoull(at + strlen(keys[i]), NULL, 10) : 0;
		}
	}
	text_release(&text);
	return sum;
}

uint64_t ftrace_overruns(void *owner)
{
	static const char *const keys[] = {
		"\noverrun: ", "\ncommit overrun: ", "\ndropped events: "};

	return sum_stats(owner, keys, COUNT_OF(keys));
}

uint64_t ftrace_unread(const struct ftrace *ftrace)
{
	static const char *const keys[] = {"\nentries: "};

	return sum_stats(ftrace, keys, COUNT_OF(keys));
}

int ftrace_stats(const struct ftrace *ftrace, struct text *text, struct error *err)
{
	for (uint32_t cpu = 0; cpu < ftrace->n_cpus; cpu++) {
		if (ftrace->stats_fds[cpu] < 0)
			continue;
		text_printf(text, "CPU: %u\n", (unsigned)cpu);
		if (read_stats(ftrace->stats_fds[cpu], text))
			return error_set(err, "cannot read the stats of CPU %u: %s", (unsigned)cpu,
					 strerror(errno));
	}
	return 0;
}

bool ftrace_has_graph(const struct ftrace *ftrace)
{
	return ftrace->graph;
}

bool ftrace_has_instance(const struct ftrace *ftrace)
{
	return ftrace->tfs.own_name != NULL;
}

const char *ftrace_scope(const struct ftrace *ftrace)
{
	return ftrace->scope.bytes;
}

const char *ftrace_kernel(const struct ftrace *ftrace)
{
	return ftrace->kernel.bytes;
}

const char *ftrace_clock(const struct ftrace *ftrace)
{
	return ftrace->clock;
}

uint32_t ftrace_buffer_kb(const struct ftrace *ftrace)
{
	struct text value = {0};
	uint32_t kb = 0;

	if (!setting_read(&ftrace->tfs, PLACE_OWN, "buffer_size_kb", &value, NULL))
		kb = (uint32_t)strtoul(value.bytes, NULL, 10);
	text_release(&value);
	return kb;
}
