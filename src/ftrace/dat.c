/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pages of a run as a trace.dat file, version 6 (trace-cmd.dat.v6(5)): the names
 * in it are those of functions and tasks that occur in the run.
 */
#include "open.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evtop/names.h"

/* Options of the file that are written. */
enum { OPTION_CPUSTAT = 2, OPTION_TRACECLOCK = 4, OPTION_UNAME = 5 };

void run_pages_release(struct run_pages *pages)
{
	for (uint32_t i = 0; i < pages->n_cpus; i++)
		text_release(&pages->cpus[i]);
	free(pages->cpus);
	*pages = (struct run_pages){0};
}

size_t run_pages_bytes(const struct run_pages *pages)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < pages->n_cpus; i++)
		bytes += pages->cpus[i].n;
	return bytes;
}

/* A read gives one page; nothing more is told as EAGAIN or as the end. */
static int read_pages(int fd, size_t page_bytes, struct text *pages)
{
	char *page = mem_alloc(page_bytes);
	ssize_t n;

	while ((n = read(fd, page, page_bytes)) > 0 || (n < 0 && errno == EINTR)) {
		if (n <= 0)
			continue;
		memset(page + n, 0, page_bytes - (size_t)n);
		text_add(pages, page, page_bytes);
	}
	free(page);
	return n < 0 && errno != EAGAIN ? -1 : 0;
}

int run_pages_read(struct run_pages *pages, const struct ftrace *ftrace, struct error *err)
{
	if (!pages->cpus) {
		pages->cpus = mem_zero(ftrace->n_cpus, sizeof *pages->cpus);
		pages->n_cpus = ftrace->n_cpus;
		pages->page_bytes = ftrace->page_bytes;
	}
	for (uint32_t cpu = 0; cpu < ftrace->n_cpus; cpu++)
		if (ftrace->page_fds[cpu] >= 0 &&
		    read_pages(ftrace->page_fds[cpu], pages->page_bytes, &pages->cpus[cpu]))
			return error_set(err, "cannot read trace_pipe_raw of CPU %u: %s",
					 (unsigned)cpu, strerror(errno));
	return 0;
}

/* ---- what occurs ---- */

struct occurring {
	struct names *names; /* of functions and calls */
	int32_t *tasks;
	size_t n_tasks, room;
};

static void note_events(void *context, const struct event *events, size_t n)
{
	struct occurring *occurring = context;

	for (size_t i = 0; i < n; i++) {
		size_t last = occurring->n_tasks;

		if (events[i].task <= 0 || (last && occurring->tasks[last - 1] == events[i].task))
			continue;
		ARRAY_RESERVE(occurring->tasks, occurring->n_tasks, occurring->room);
		occurring->tasks[occurring->n_tasks++] = events[i].task;
	}
}

static int compare_tasks(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return x < y ? -1 : x > y;
}

static int find_occurring(struct occurring *occurring, struct ftrace *ftrace,
			  const struct run_pages *pages, struct error *err)
{
	struct page_reader *reader;

	/* the kernel's names are the same for all runs */
	if (!ftrace->meta)
		ftrace->meta = ftrace_meta(ftrace, err);
	if (!ftrace->meta)
		return -1;
	occurring->names = names_new();
	reader = page_reader_new(occurring->names, ftrace->meta, pages->n_cpus, note_events,
				 occurring);
	for (uint32_t cpu = 0; cpu < pages->n_cpus; cpu++)
		for (size_t at = 0; at < pages->cpus[cpu].n; at += pages->page_bytes)
			page_reader_page(reader, cpu, pages->cpus[cpu].bytes + at,
					 pages->page_bytes);
	page_reader_end(reader);
	page_reader_free(reader);
	if (occurring->n_tasks)
		qsort(occurring->tasks, occurring->n_tasks, sizeof *occurring->tasks,
		      compare_tasks);
	return 0;
}

static void occurring_release(struct occurring *occurring)
{
	if (occurring->names)
		names_free(occurring->names);
	free(occurring->tasks);
}

static const char *next_line(const char *at, size_t *n)
{
	*n = strcspn(at, "\n");
	return at + *n + (at[*n] == '\n');
}

/* The line of the first symbol behind an address; NULL where it is the last. */
static const char *symbol_behind(const struct text *kallsyms, uint64_t address)
{
	uint64_t nearest = UINT64_MAX;
	const char *found = NULL;
	size_t n;

	for (const char *at = kallsyms->bytes; *at; at = next_line(at, &n)) {
		uint64_t here = strtoull(at, NULL, 16);

		if (here > address && here < nearest) {
			nearest = here;
			found = at;
		}
	}
	return found;
}

/*
 * The lines of kallsyms whose name occurs: "ffffffff810 T name\t[module]", and
 * the one behind the last of them: for libtraceevent a symbol reaches to the
 * next, and the last one nowhere.
 */
static void add_symbols(struct text *out, const struct text *kallsyms, const struct names *names)
{
	uint64_t last = 0;
	const char *next;
	size_t n;

	for (const char *at = kallsyms->bytes; *at; at = next) {
		size_t address = strcspn(at, " \n");
		const char *name = at + address + 3;

		next = next_line(at, &n);
		if (address + 3 < n &&
		    names_find(names, name, strcspn(name, " \t\n")) != NAME_NONE) {
			uint64_t here = strtoull(at, NULL, 16);

			text_printf(out, "%.*s\n", (int)n, at);
			last = here > last ? here : last;
		}
	}
	next = last ? symbol_behind(kallsyms, last) : NULL;
	if (next)
		text_printf(out, "%.*s\n", (int)strcspn(next, "\n"), next);
}

static void add_comms(struct text *out, const struct ftrace *ftrace,
		      const struct occurring *occurring)
{
	struct text comms = {0};
	const char *at;

	kernel_texts_comms(&ftrace->texts, &comms);
	for (at = comms.bytes; *at;) {
		size_t n = strcspn(at, "\n");
		int32_t pid = (int32_t)strtol(at, NULL, 10);

		if (occurring->n_tasks &&
		    bsearch(&pid, occurring->tasks, occurring->n_tasks, sizeof pid, compare_tasks))
			text_printf(out, "%.*s\n", (int)n, at);
		at += n + (at[n] == '\n');
	}
	text_release(&comms);
}

/* ---- the file ---- */

static void put_16(struct text *out, uint16_t number)
{
	text_add(out, (const char *)&number, sizeof number);
}

static void put_32(struct text *out, uint32_t number)
{
	text_add(out, (const char *)&number, sizeof number);
}

static void put_64(struct text *out, uint64_t number)
{
	text_add(out, (const char *)&number, sizeof number);
}

static void put_string(struct text *out, const char *string)
{
	text_add(out, string, strlen(string) + 1);
}

static void put_text_64(struct text *out, const struct text *text)
{
	put_64(out, text->n);
	text_add(out, text->bytes, text->n);
}

static uint32_t count_formats(const struct kernel_texts *texts, const char *system)
{
	uint32_t n = 0;

	for (size_t i = 0; i < texts->n_formats; i++)
		n += !strcmp(texts->formats[i].system, system);
	return n;
}

static void put_formats(struct text *out, const struct kernel_texts *texts, const char *system)
{
	put_32(out, count_formats(texts, system));
	for (size_t i = 0; i < texts->n_formats; i++)
		if (!strcmp(texts->formats[i].system, system))
			put_text_64(out, &texts->formats[i].text);
}

static bool is_first_of_system(const struct kernel_texts *texts, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(texts->formats[i].system, texts->formats[at].system))
			return false;
	return strcmp(texts->formats[at].system, "ftrace") != 0;
}

static void put_events(struct text *out, const struct kernel_texts *texts)
{
	uint32_t systems = 0;

	for (size_t i = 0; i < texts->n_formats; i++)
		systems += is_first_of_system(texts, i);
	put_32(out, systems);
	for (size_t i = 0; i < texts->n_formats; i++)
		if (is_first_of_system(texts, i)) {
			put_string(out, texts->formats[i].system);
			put_formats(out, texts, texts->formats[i].system);
		}
}

static void put_option(struct text *out, uint16_t id, const char *string)
{
	put_16(out, id);
	put_32(out, (uint32_t)strlen(string) + 1);
	put_string(out, string);
}

/* One for each CPU: what a heading "CPU: N" begins. */
static void put_stats(struct text *out, const char *stats)
{
	while (*stats) {
		const char *next = strstr(stats + 1, "\nCPU: ");
		size_t n = next ? (size_t)(next + 1 - stats) : strlen(stats);
		char *one = mem_copy_bytes(stats, n);

		put_option(out, OPTION_CPUSTAT, one);
		free(one);
		stats += n;
	}
}

static void put_options(struct text *out, const struct ftrace *ftrace, const char *stats)
{
	struct text clock = {0}, uname_text = {0};

	text_printf(&clock, "[%s]", ftrace->clock);
	text_printf(&uname_text, "Linux - %s", ftrace->kernel.bytes);
	text_add(out, "options  ", 10);
	put_stats(out, stats);
	put_option(out, OPTION_TRACECLOCK, clock.bytes);
	put_option(out, OPTION_UNAME, uname_text.bytes);
	put_16(out, 0);
	text_release(&clock);
	text_release(&uname_text);
}

static void put_head(struct text *out, const struct ftrace *ftrace, const struct run_pages *pages,
		     const struct occurring *occurring)
{
	const uint16_t one = 1;
	struct text symbols = {0}, comms = {0};

	text_add(out, "\027\010\104tracing6", 12);
	text_add(out, *(const char *)&one ? "\0" : "\1", 1);
	text_add(out, sizeof(long) == 8 ? "\10" : "\4", 1);
	put_32(out, (uint32_t)pages->page_bytes);
	put_string(out, "header_page");
	put_text_64(out, &ftrace->texts.header_page);
	put_string(out, "header_event");
	put_text_64(out, &ftrace->texts.header_event);
	put_formats(out, &ftrace->texts, "ftrace");
	put_events(out, &ftrace->texts);
	text_puts(&symbols, "");
	add_symbols(&symbols, &ftrace->texts.kallsyms, occurring->names);
	put_32(out, (uint32_t)symbols.n);
	text_add(out, symbols.bytes, symbols.n);
	put_32(out, 0); /* formats of trace_printk */
	text_puts(&comms, "");
	add_comms(&comms, ftrace, occurring);
	put_text_64(out, &comms);
	text_release(&symbols);
	text_release(&comms);
}

/* Where the pages of each CPU will be; pads to the first. */
static void put_places(struct text *out, const struct run_pages *pages)
{
	uint64_t at;

	text_add(out, "flyrecord", 10);
	at = out->n + 16 * (uint64_t)pages->n_cpus;
	at = (at + pages->page_bytes - 1) / pages->page_bytes * pages->page_bytes;
	for (uint32_t cpu = 0; cpu < pages->n_cpus; cpu++) {
		put_64(out, at);
		put_64(out, pages->cpus[cpu].n);
		at += pages->cpus[cpu].n;
	}
	while (out->n % pages->page_bytes)
		text_add(out, "", 1);
}

static int write_bytes(int fd, const char *bytes, size_t n, struct error *err)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return error_set(err, "%s", strerror(errno));
		bytes += done;
		n -= (size_t)done;
	}
	return 0;
}

int dat_write(int fd, struct ftrace *ftrace, const struct run_pages *pages, const char *stats,
	      struct error *err)
{
	struct occurring occurring = {0};
	struct text head = {0};
	int status = find_occurring(&occurring, ftrace, pages, err);

	if (!status) {
		put_head(&head, ftrace, pages, &occurring);
		put_32(&head, pages->n_cpus);
		put_options(&head, ftrace, stats);
		put_places(&head, pages);
		status = write_bytes(fd, head.bytes, head.n, err);
	}
	for (uint32_t cpu = 0; cpu < pages->n_cpus && !status; cpu++)
		status = write_bytes(fd, pages->cpus[cpu].bytes, pages->cpus[cpu].n, err);
	text_release(&head);
	occurring_release(&occurring);
	return status;
}
