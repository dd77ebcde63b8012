/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The readers of trace.dat files and of pages, on what no recording at hand
 * shows: other machines, layouts of all kernels, several instances, and lies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "dat-maker.h"
#include "evtop/binary.h"

static const struct made_machine machines[] = {
	{"64-bit, little", false, 8},
	{"32-bit, little", false, 4},
	{"64-bit, big", true, 8},
	{"32-bit, big", true, 4},
};

#define ENTRY_OLD "func:L depth:4"

static const struct made_shape shapes[] = {
	{"6.1", ENTRY_OLD, "func:L depth:4 overrun:4 calltime:8 rettime:8", 0},
	{"5.10", ENTRY_OLD, "func:L overrun:L calltime:8 rettime:8 depth:4", 0},
	{"with a return value", ENTRY_OLD, "func:L retval:L depth:4 overrun:4 calltime:8 rettime:8",
	 0},
	{"7.3", "func:L depth:L args:8", "func:L depth:4 overrun:4 calltime:8 rettime:8", 0},
	{"of a vendor's RT kernel", ENTRY_OLD, "func:L depth:4 overrun:4 calltime:8 rettime:8", 4},
};
static const struct made_shape without_times = {"without times", ENTRY_OLD,
						"func:L depth:4 overrun:4", 0};

/* read() of one call inside; the record's own times are outside of the call's. */
static const struct made_record one_read[] = {
	{MADE_ENTRY, 1000, 0, 0, 0, 0},	     {MADE_OTHER, 1050, 0, 0, 0, 0},
	{MADE_ENTRY, 1100, 1, 1, 0, 0},	     {MADE_EXIT, 1300, 1, 1, 1105, 1290},
	{MADE_EXIT, 1500, 0, 0, 1005, 1490},
};
#define ONE_READ                                                                                   \
	"+__x64_sys_read 0 dd-7 0@1000\n+vfs_read 1 dd-7 0@1100\n-vfs_read 1 dd-7 0@1300 185\n"    \
	"-__x64_sys_read 0 dd-7 0@1500 485\n"

static const struct made_record one_call[] = {
	{MADE_CALL_ENTER, 2000, 0, 0, 0, 0},
	{MADE_CALL_EXIT, 2700, 0, 0, 0, 0},
};

/* ---- what was read, as text ---- */

struct seen {
	struct names *names;
	struct text text;
};

static const char *word(const struct seen *seen, uint32_t name)
{
	return name == NAME_NONE ? "" : names_text(seen->names, name);
}

/* "+function depth comm-pid cpu@time", "-" for exits with the duration behind. */
static void take(void *context, const struct event *events, size_t n)
{
	struct seen *seen = context;

	for (size_t i = 0; i < n; i++) {
		const struct event *event = &events[i];

		if (event->kind == EVENT_TRACE) {
			text_puts(&seen->text, "another\n");
			continue;
		}
		if (event->kind == EVENT_LOST) {
			text_printf(&seen->text, "lost %d\n", event->cpu);
			continue;
		}
		text_printf(&seen->text, "%c%s %d %s-%d %d@",
			    event->kind == EVENT_ENTRY ? '+' : '-', word(seen, event->function),
			    event->depth, word(seen, event->comm), event->task, event->cpu);
		if (event->time_ns == TIME_NONE)
			text_puts(&seen->text, "?");
		else
			text_printf(&seen->text, "%llu", (unsigned long long)event->time_ns);
		if (event->duration_ns != DURATION_NONE)
			text_printf(&seen->text, " %llu", (unsigned long long)event->duration_ns);
		text_puts(&seen->text, "\n");
	}
}

static void begin(struct seen *seen)
{
	*seen = (struct seen){.names = names_new()};
	text_puts(&seen->text, "");
}

static void end(struct seen *seen)
{
	text_release(&seen->text);
	names_free(seen->names);
}

/* What is wrong is said with the case that it is wrong in. */
static void check_text(const struct seen *seen, const char *wanted, const char *what,
		       const char *more)
{
	const char *text = seen->text.bytes ? seen->text.bytes : "";

	if (strcmp(text, wanted) != 0)
		fail_msg("%s, %s: got\n%s", what, more, text);
}

/* ---- trace.dat ---- */

struct result {
	int status;
	struct tracedat_info info;
	struct trace_counts counts;
	struct error err;
};

static struct result read_bytes(struct seen *seen, const uint8_t *bytes, size_t n)
{
	struct result result = {.err = {""}};
	int fd = memfd_create("made", 0);

	assert_true(fd >= 0);
	for (size_t at = 0; at < n;) {
		ssize_t done = write(fd, bytes + at, n - at);

		assert_true(done > 0);
		at += (size_t)done;
	}
	begin(seen);
	result.status = tracedat_read(fd, seen->names, take, seen, &result.info, &result.counts,
				      NULL, &result.err);
	tracedat_counts_release(&result.counts);
	close(fd);
	return result;
}

/* Of a file that is released, pages and all. */
static struct result read_made(struct seen *seen, struct made_file *file)
{
	struct made_bytes bytes = made_file(file);
	struct result result = read_bytes(seen, bytes.at, bytes.n);

	made_release(&bytes);
	for (uint32_t i = 0; i < file->n_instances; i++)
		for (uint32_t cpu = 0; cpu < file->n_cpus; cpu++)
			made_release(&file->pages[i][cpu]);
	return result;
}

static void start_file(struct made_file *file, const struct made_machine *machine,
		       const struct made_shape *shape, enum made_packing packing,
		       uint32_t n_instances)
{
	static const char *const names[] = {"", "one", "two", "three"};

	*file = (struct made_file){
		.machine = *machine,
		.shape = *shape,
		.packing = packing,
		.n_instances = n_instances,
		.n_cpus = 2,
	};
	for (uint32_t i = 0; i < MADE_INSTANCES_MAX; i++) {
		file->names[i] = names[i];
		for (uint32_t cpu = 0; cpu < MADE_CPUS_MAX; cpu++)
			file->pages[i][cpu].machine = *machine;
	}
}

static const char *const packings[] = {"6", "7, plain", "7, zlib", "7, zstd"};

static void test_machines(void **state)
{
	struct made_file *file = malloc(sizeof *file);

	(void)state;
	assert_non_null(file);
	for (size_t m = 0; m < COUNT_OF(machines); m++)
		for (int packing = MADE_V6; packing <= MADE_V7_ZSTD; packing++) {
			struct seen seen;
			struct result result;

			start_file(file, &machines[m], &shapes[0], packing, 1);
			made_page(&file->pages[0][0], &shapes[0], one_read, COUNT_OF(one_read));
			result = read_made(&seen, file);
			check_text(&seen, ONE_READ, machines[m].name, packings[packing]);
			assert_int_equal(result.status, 0);
			assert_int_equal(result.info.version, packing == MADE_V6 ? 6 : 7);
			assert_string_equal(result.info.kernel, "6.1.0-test");
			assert_int_equal(result.counts.events, 4);
			assert_int_equal(result.counts.unread_lines, 0);
			end(&seen);
		}
	free(file);
}

static void test_shapes(void **state)
{
	struct made_file *file = malloc(sizeof *file);

	(void)state;
	assert_non_null(file);
	for (size_t i = 0; i < COUNT_OF(shapes); i++)
		for (size_t m = 0; m < COUNT_OF(machines); m++) {
			struct seen seen;

			start_file(file, &machines[m], &shapes[i], MADE_V6, 1);
			made_page(&file->pages[0][0], &shapes[i], one_read, COUNT_OF(one_read));
			assert_int_equal(read_made(&seen, file).status, 0);
			check_text(&seen, ONE_READ, shapes[i].name, machines[m].name);
			end(&seen);
		}
	free(file);
}

/* The records' own times are then all that there is. */
static void test_without_times(void **state)
{
	struct made_file *file = malloc(sizeof *file);
	struct seen seen;

	(void)state;
	assert_non_null(file);
	start_file(file, &machines[0], &without_times, MADE_V7_ZSTD, 1);
	made_page(&file->pages[0][1], &without_times, one_read, COUNT_OF(one_read));
	assert_int_equal(read_made(&seen, file).status, 0);
	check_text(&seen,
		   "+__x64_sys_read 0 dd-7 1@1000\n+vfs_read 1 dd-7 1@1100\n"
		   "-vfs_read 1 dd-7 1@1300 200\n-__x64_sys_read 0 dd-7 1@1500 500\n",
		   without_times.name, "");
	end(&seen);
	free(file);
}

/* Clocks that count cycles, with and without what makes ns of them. */
static void test_clocks(void **state)
{
	static const struct {
		const char *clock;
		uint32_t multiplier, shift;
		int status;
		const char *wanted;
	} clocks[] = {
		{"[local] global counter", 0, 0, 0,
		 "+sys_read 0 dd-7 0@2000\n-sys_read 0 dd-7 0@2700 700\n"},
		{"local global [mono]", 0, 0, 0,
		 "+sys_read 0 dd-7 0@2000\n-sys_read 0 dd-7 0@2700 700\n"},
		{"local [counter]", 0, 0, 1, "+sys_read 0 dd-7 0@?\n-sys_read 0 dd-7 0@?\n"},
		{"local [x86-tsc]", 0, 0, 1, "+sys_read 0 dd-7 0@?\n-sys_read 0 dd-7 0@?\n"},
		{"local [x86-tsc]", 2, 2, 0,
		 "+sys_read 0 dd-7 0@1000\n-sys_read 0 dd-7 0@1350 350\n"},
	};
	struct made_file *file = malloc(sizeof *file);

	(void)state;
	assert_non_null(file);
	for (size_t i = 0; i < COUNT_OF(clocks); i++)
		for (int packing = MADE_V6; packing <= MADE_V7_NONE; packing++) {
			struct seen seen;
			struct result result;

			start_file(file, &machines[0], &shapes[0], packing, 1);
			file->clock = clocks[i].clock;
			file->multiplier = clocks[i].multiplier;
			file->shift = clocks[i].shift;
			made_page(&file->pages[0][0], &shapes[0], one_call, COUNT_OF(one_call));
			result = read_made(&seen, file);
			check_text(&seen, clocks[i].wanted, clocks[i].clock, packings[packing]);
			assert_int_equal(result.status, clocks[i].status);
			assert_true(result.info.events);
			if (result.status)
				assert_non_null(strstr(result.err.text, "does not count time"));
			end(&seen);
		}
	free(file);
}

/* function_graph is read wherever it is; what one instance holds is no part of another's. */
static void test_instances(void **state)
{
	static const struct {
		const char *what;
		bool graph[3], calls[3];
		const char *wanted;
	} cases[] = {
		{"in an instance alone", {false, true}, {false}, ONE_READ},
		{"in an instance, others hold calls",
		 {false, true, false},
		 {true, false, true},
		 "another\n" ONE_READ "another\n"},
		{"in two of them", {true, true}, {false}, ONE_READ "another\n" ONE_READ},
		{"calls alone",
		 {false},
		 {false, true},
		 "+sys_read 0 dd-7 0@2000\n-sys_read 0 dd-7 0@2700 700\n"},
	};
	struct made_file *file = malloc(sizeof *file);

	(void)state;
	assert_non_null(file);
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (int packing = MADE_V6; packing <= MADE_V7_ZSTD; packing++) {
			struct seen seen;
			struct result result;

			start_file(file, &machines[0], &shapes[0], packing, 3);
			for (uint32_t k = 0; k < 3; k++) {
				if (cases[i].graph[k])
					made_page(&file->pages[k][0], &shapes[0], one_read,
						  COUNT_OF(one_read));
				if (cases[i].calls[k])
					made_page(&file->pages[k][0], &shapes[0], one_call,
						  COUNT_OF(one_call));
			}
			result = read_made(&seen, file);
			if (strchr(cases[i].what, ',') && packing == MADE_V6) {
				/* there the top one stands last */
				check_text(&seen, ONE_READ "another\nanother\n", cases[i].what,
					   packings[packing]);
			} else {
				check_text(&seen, cases[i].wanted, cases[i].what,
					   packings[packing]);
			}
			assert_int_equal(result.status, 0);
			end(&seen);
		}
	free(file);
}

/* A file that names the same bytes for every CPU would be of any length. */
static void test_overlap(void **state)
{
	struct made_file *file = malloc(sizeof *file);

	(void)state;
	assert_non_null(file);
	for (int packing = MADE_V6; packing <= MADE_V7_ZSTD; packing++) {
		struct seen seen;
		struct result result;

		start_file(file, &machines[0], &shapes[0], packing, 1);
		file->n_cpus = 100;
		file->overlap = true;
		for (uint32_t cpu = 0; cpu < file->n_cpus; cpu++)
			made_page(&file->pages[0][cpu], &shapes[0], one_read, COUNT_OF(one_read));
		result = read_made(&seen, file);
		assert_int_equal(result.status, -1);
		assert_non_null(strstr(result.err.text, "of several processors"));
		end(&seen);
	}
	free(file);
}

static void test_chunks_that_lie(void **state)
{
	static const uint32_t sizes[] = {1,	    MADE_PAGE_BYTES - 1, MADE_PAGE_BYTES + 1,
					 60u << 20, 65u << 20,		 UINT32_MAX};
	struct made_file *file = malloc(sizeof *file);

	(void)state;
	assert_non_null(file);
	for (size_t i = 0; i < COUNT_OF(sizes); i++)
		for (int packing = MADE_V7_ZLIB; packing <= MADE_V7_ZSTD; packing++) {
			struct seen seen;
			struct result result;

			start_file(file, &machines[0], &shapes[0], packing, 1);
			file->n_cpus = MADE_CPUS_MAX;
			file->chunk_bytes = sizes[i];
			for (uint32_t cpu = 0; cpu < file->n_cpus; cpu++)
				made_page(&file->pages[0][cpu], &shapes[0], one_read,
					  COUNT_OF(one_read));
			result = read_made(&seen, file);
			assert_int_equal(result.status, 1);
			assert_non_null(strstr(result.err.text, "cannot be decompressed"));
			check_text(&seen, "", "chunks that lie", packings[packing]);
			end(&seen);
		}
	free(file);
}

/* Cut off anywhere, and each byte of what is not a page changed: an answer or an error. */
static void test_broken(void **state)
{
	struct made_file *file = malloc(sizeof *file);

	(void)state;
	assert_non_null(file);
	for (int packing = MADE_V6; packing <= MADE_V7_ZSTD; packing++) {
		struct made_bytes bytes;
		struct seen seen;

		start_file(file, &machines[0], &shapes[0], packing, 2);
		for (uint32_t i = 0; i < 2; i++)
			made_page(&file->pages[i][0], &shapes[0], one_read, COUNT_OF(one_read));
		bytes = made_file(file);
		for (size_t n = 0; n < bytes.n; n += 1 + n / 200) {
			struct result result = read_bytes(&seen, bytes.at, n);

			assert_true((result.status == 0) == (result.err.text[0] == '\0'));
			end(&seen);
		}
		for (size_t at = 0; at < bytes.n; at += 1 + at / 1500) {
			uint8_t was = bytes.at[at];
			struct result result;

			bytes.at[at] ^= (uint8_t)(1u << at % 8);
			result = read_bytes(&seen, bytes.at, bytes.n);
			assert_true((result.status == 0) == (result.err.text[0] == '\0'));
			end(&seen);
			bytes.at[at] = was;
		}
		made_release(&bytes);
		made_release(&file->pages[0][0]);
		made_release(&file->pages[1][0]);
	}
	free(file);
}

/* ---- pages ---- */

struct pages_case {
	struct seen seen;
	struct trace_meta *meta;
	struct page_reader *reader;
};

static void begin_pages(struct pages_case *pages, const struct made_machine *machine,
			uint32_t n_cpus)
{
	static const enum made_kind kinds[] = {MADE_ENTRY, MADE_EXIT};
	struct error err;
	const char *text = made_header_page(machine);

	begin(&pages->seen);
	pages->meta = trace_meta_new();
	trace_meta_machine(pages->meta, machine->big_endian, machine->long_bytes);
	assert_int_equal(trace_meta_header_page(pages->meta, text, strlen(text), &err), 0);
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		text = made_format(machine, &shapes[0], kinds[i]);
		assert_int_equal(trace_meta_format(pages->meta, "ftrace", text, strlen(text), &err),
				 0);
	}
	text = made_kallsyms(machine);
	assert_int_equal(trace_meta_kallsyms(pages->meta, text, strlen(text), &err), 0);
	trace_meta_comms(pages->meta, MADE_COMMS, strlen(MADE_COMMS));
	assert_true(trace_meta_usable(pages->meta, &err));
	pages->reader = page_reader_new(pages->seen.names, pages->meta, n_cpus, take, &pages->seen);
}

static void end_pages(struct pages_case *pages)
{
	page_reader_free(pages->reader);
	trace_meta_free(pages->meta);
	end(&pages->seen);
}

/* What stands in pages besides records: each of its own machine's order of bytes. */
static void test_page_words(void **state)
{
	(void)state;
	for (size_t m = 0; m < COUNT_OF(machines); m++) {
		struct made_bytes page = {.machine = machines[m]};
		struct pages_case pages;

		begin_pages(&pages, &machines[m], 1);
		made_page_begin(&page, 1000);
		made_page_record(&page, &shapes[0], &one_read[0], 0);
		/* a record that was taken back, its length in the word behind */
		made_page_word(&page, 29, 50);
		made_put(&page, 12, 4);
		made_put(&page, 0, 8);
		/* more time than 27 bits hold: 2^27 ns, less what is known */
		made_page_word(&page, 30, 50);
		made_put(&page, 1, 4);
		made_page_record(&page, &shapes[0], &one_read[2], 0);
		/* the time itself */
		made_page_word(&page, 31, 5000);
		made_put(&page, 2, 4);
		made_page_record(&page, &shapes[0], &one_read[3], 300);
		made_page_record(&page, &shapes[0], &one_read[4], 200);
		/* no room for more: padding without a length */
		made_page_word(&page, 29, 0);
		made_page_end(&page, -1);
		page_reader_page(pages.reader, 0, page.at, page.n);
		page_reader_end(pages.reader);
		check_text(&pages.seen,
			   "+__x64_sys_read 0 dd-7 0@1000\n+vfs_read 1 dd-7 0@134218828\n"
			   "-vfs_read 1 dd-7 0@268440756 185\n-__x64_sys_read 0 dd-7 0@268440956 "
			   "485\n",
			   machines[m].name, "words of a page");
		assert_int_equal(page_reader_counts(pages.reader)->unread_lines, 0);
		made_release(&page);
		end_pages(&pages);
	}
}

/* The numbers of lost events: said, not said, and in a page that is itself broken. */
static void test_losses(void **state)
{
	(void)state;
	for (size_t m = 0; m < COUNT_OF(machines); m++) {
		struct made_bytes page = {.machine = machines[m]};
		struct pages_case pages;

		begin_pages(&pages, &machines[m], 1);
		for (int i = 0; i < 3; i++) {
			made_page_begin(&page, 1000 + 1000 * (uint64_t)i);
			made_page_record(&page, &shapes[0], &one_read[0], 0);
			if (i == 2) {
				/* a record longer than the page */
				made_page_word(&page, 0, 0);
				made_put(&page, 1 << 20, 4);
			}
			made_page_end(&page, (int[]){42, 0, 7}[i]);
			page_reader_page(pages.reader, 0, page.at + MADE_PAGE_BYTES * (size_t)i,
					 MADE_PAGE_BYTES);
		}
		page_reader_end(pages.reader);
		check_text(&pages.seen,
			   "lost 0\n+__x64_sys_read 0 dd-7 0@1000\nlost 0\n+__x64_sys_read 0 dd-7 "
			   "0@2000\n"
			   "lost 0\n+__x64_sys_read 0 dd-7 0@3000\n",
			   machines[m].name, "losses");
		assert_int_equal(page_reader_counts(pages.reader)->lost_events, 44);
		assert_int_equal(page_reader_counts(pages.reader)->unread_lines, 1);
		made_release(&page);
		end_pages(&pages);
	}
}

/* Records dealt to many CPUs come back in order; an address without a name stands for itself. */
static void test_merging(void **state)
{
	struct pages_case pages;
	struct text wanted = {0};
	enum { CPUS = 300, RECORDS = 6000 };
	struct made_bytes *page = calloc(CPUS, sizeof *page);
	uint64_t *last = calloc(CPUS, sizeof *last);

	(void)state;
	assert_true(page && last);
	begin_pages(&pages, &machines[0], CPUS);
	for (int i = 0; i < RECORDS; i++) {
		int cpu = (int)((unsigned)i * 2654435761u >> 8) % CPUS;
		struct made_record record = {MADE_ENTRY, 1000 + (uint64_t)i, 2, 0, 0, 0};

		if (!page[cpu].at) {
			page[cpu].machine = machines[0];
			made_page_begin(&page[cpu], 1000);
			last[cpu] = 1000;
		}
		made_page_record(&page[cpu], &shapes[0], &record, record.time - last[cpu]);
		last[cpu] = record.time;
		text_printf(&wanted, "+0x10 0 dd-7 %d@%d\n", cpu, 1000 + i);
	}
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		if (page[cpu].at) {
			made_page_end(&page[cpu], -1);
			assert_int_equal(page[cpu].n, MADE_PAGE_BYTES);
			page_reader_page(pages.reader, cpu, page[cpu].at, page[cpu].n);
			made_release(&page[cpu]);
		}
	page_reader_end(pages.reader);
	assert_string_equal(pages.seen.text.bytes, wanted.bytes);
	text_release(&wanted);
	free(page);
	free(last);
	end_pages(&pages);
}

/* ---- formats ---- */

static void test_formats_that_do_not_parse(void **state)
{
	static const struct {
		const char *text, *error;
	} formats[] = {
		{"", "a format of ftrace does not parse"},
		{"name: funcgraph_entry\n", "the format of ftrace:funcgraph_entry does not parse"},
		{"name: funcgraph_entry\nID: x\n",
		 "the format of ftrace:funcgraph_entry does not parse"},
		{"name: funcgraph_entry\nID: 11\nformat:\n\tfield:int "
		 "depth;\toffset:8;\tsize:4;\tsigned:1;\n",
		 "the format of ftrace:funcgraph_entry lacks a field"},
		{"name: sys_enter\nID: 11\nformat:\n\n",
		 "the format of ftrace:sys_enter lacks a field"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		struct trace_meta *meta = trace_meta_new();
		struct error err = {""};

		assert_int_equal(trace_meta_format(meta, "ftrace", formats[i].text,
						   strlen(formats[i].text), &err),
				 -1);
		assert_string_equal(err.text, formats[i].error);
		assert_false(trace_meta_usable(meta, &err));
		assert_int_equal(trace_meta_header_page(meta, "\tfield: char data;", 18, &err), -1);
		assert_int_equal(trace_meta_kallsyms(meta, "0000000000000000 T _text\n", 25, &err),
				 -1);
		trace_meta_free(meta);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_without_times),
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_instances),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_chunks_that_lie),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_page_words),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_merging),
		cmocka_unit_test(test_formats_that_do_not_parse),
	};

	return cmocka_run_group_tests_name("binary", tests, NULL, NULL);
}
