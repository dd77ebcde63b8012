/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dat-maker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* ---- bytes ---- */

static void put_bytes(struct made_bytes *bytes, const void *from, size_t n)
{
	if (bytes->n + n > bytes->room) {
		bytes->room = 2 * (bytes->n + n);
		bytes->at = realloc(bytes->at, bytes->room);
		if (!bytes->at)
			abort();
	}
	if (n)
		memcpy(bytes->at + bytes->n, from, n);
	bytes->n += n;
}

static void set(struct made_bytes *bytes, size_t at, uint64_t number, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		bytes->at[at + (bytes->machine.big_endian ? n - 1 - i : i)] =
			(uint8_t)(number >> 8 * i);
}

void made_put(struct made_bytes *bytes, uint64_t number, unsigned n)
{
	static const uint8_t nought[8];

	put_bytes(bytes, nought, n);
	set(bytes, bytes->n - n, number, n);
}

void made_text(struct made_bytes *bytes, const char *text)
{
	put_bytes(bytes, text, strlen(text) + 1);
}

void made_release(struct made_bytes *bytes)
{
	free(bytes->at);
	*bytes = (struct made_bytes){0};
}

/* Noughts up to a multiple of a page. */
static void fill_up(struct made_bytes *bytes)
{
	while (bytes->n % MADE_PAGE_BYTES)
		made_put(bytes, 0, 1);
}

/* ---- what the kernel says of itself ---- */

static const unsigned types[] = {11, 10, 301, 300, 99};
static const char *const names[] = {"funcgraph_entry", "funcgraph_exit", "sys_enter_read",
				    "sys_exit_read", "sched_wakeup"};

const char *made_header_page(const struct made_machine *machine)
{
	static char text[400];
	unsigned head = 8 + machine->long_bytes;

	snprintf(text, sizeof text,
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		 "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
		 machine->long_bytes, head, MADE_PAGE_BYTES - head);
	return text;
}

static const char *fields_of(const struct made_shape *shape, enum made_kind kind)
{
	switch (kind) {
	case MADE_ENTRY:
		return shape->entry;
	case MADE_EXIT:
		return shape->leave;
	case MADE_CALL_ENTER:
		return "__syscall_nr:4 fd:L buf:L count:L";
	case MADE_CALL_EXIT:
		return "__syscall_nr:4 ret:L";
	default:
		return "other:4";
	}
}

/* The next "name:bytes" of fields; false at their end. */
static bool next_field(const char **fields, const struct made_machine *machine, char name[32],
		       unsigned *bytes)
{
	char size;
	int n;

	if (sscanf(*fields, " %31[^:]:%c%n", name, &size, &n) != 2)
		return false;
	*fields += n;
	*bytes = size == 'L' ? machine->long_bytes : (unsigned)(size - '0');
	return true;
}

const char *made_format(const struct made_machine *machine, const struct made_shape *shape,
			enum made_kind kind)
{
	static char text[4096];
	const char *fields = fields_of(shape, kind);
	unsigned offset = 8 + shape->common_more, bytes;
	char name[32];
	size_t n;

	n = (size_t)snprintf(
		text, sizeof text,
		"name: %s\nID: %u\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n%s\n",
		names[kind], types[kind],
		shape->common_more
			? "\tfield:unsigned char common_preempt_lazy_count;\toffset:8;\tsize:1;"
			  "\tsigned:0;\n"
			: "");
	for (; next_field(&fields, machine, name, &bytes); offset += bytes)
		n += (size_t)snprintf(
			text + n, sizeof text - n,
			"\tfield:unsigned long %s;\toffset:%u;\tsize:%u;\tsigned:0;\n", name,
			offset, bytes);
	snprintf(text + n, sizeof text - n, "\nprint fmt: \"%%lx\", REC->%s\n", "func");
	return text;
}

static uint64_t address_of(const struct made_machine *machine, unsigned function)
{
	uint64_t base = machine->long_bytes == 4 ? 0x80100000 : 0xffffffff81000000;

	return base + 0x100 * function;
}

/* An address with two names, as that of calls without arguments, and one in a module. */
const char *made_kallsyms(const struct made_machine *machine)
{
	static char text[400];

	snprintf(text, sizeof text,
		 "%" PRIx64 " T __x64_sys_read\n%" PRIx64 " T __ia32_sys_read\n"
		 "%" PRIx64 " t vfs_read\t[mod]\n",
		 address_of(machine, 0), address_of(machine, 0), address_of(machine, 1));
	return text;
}

/* ---- pages ---- */

void made_page_begin(struct made_bytes *page, uint64_t time)
{
	made_put(page, time, 8);
	made_put(page, 0, page->machine.long_bytes);
}

void made_page_word(struct made_bytes *page, unsigned type, uint64_t delta)
{
	uint64_t word = page->machine.big_endian ? (uint64_t)type << 27 | delta : delta << 5 | type;

	made_put(page, word, 4);
}

static uint64_t value_of(const struct made_machine *machine, const struct made_record *record,
			 const char *field)
{
	if (strcmp(field, "func") == 0)
		return record->function == 2 ? 16 : address_of(machine, record->function);
	if (strcmp(field, "depth") == 0)
		return (uint64_t)record->depth;
	if (strcmp(field, "calltime") == 0)
		return record->calltime;
	if (strcmp(field, "rettime") == 0)
		return record->rettime;
	/* what nobody should look at */
	return 0x5a5a5a5a5a5a5a5a;
}

void made_page_record(struct made_bytes *page, const struct made_shape *shape,
		      const struct made_record *record, uint64_t delta)
{
	const char *fields = fields_of(shape, record->kind);
	size_t word = page->n;
	char field[32];
	unsigned bytes;

	made_page_word(page, 0, delta);
	made_put(page, types[record->kind], 2);
	made_put(page, 0, 2);
	made_put(page, 7, 4);
	for (unsigned i = 0; i < shape->common_more; i++)
		made_put(page, 0xff, 1);
	while (next_field(&fields, &page->machine, field, &bytes))
		made_put(page, value_of(&page->machine, record, field), bytes);
	while ((page->n - word) % 4)
		made_put(page, 0, 1);
	bytes = (unsigned)(page->n - word - 4) / 4;
	set(page, word, page->machine.big_endian ? bytes << 27 | delta : delta << 5 | bytes, 4);
}

static size_t page_of(const struct made_bytes *page)
{
	return (page->n - 1) / MADE_PAGE_BYTES * MADE_PAGE_BYTES;
}

void made_page_end(struct made_bytes *page, int missed)
{
	unsigned bytes = page->machine.long_bytes;
	size_t begin = page_of(page), commit = page->n - begin - 8 - bytes;

	if (missed >= 0)
		commit |= 1u << 31;
	if (missed > 0) {
		commit |= 1u << 30;
		made_put(page, (uint64_t)missed, bytes);
	}
	set(page, begin + 8, commit, bytes);
	fill_up(page);
}

void made_page(struct made_bytes *page, const struct made_shape *shape,
	       const struct made_record *records, size_t n)
{
	made_page_begin(page, records[0].time);
	for (size_t i = 0; i < n; i++)
		made_page_record(page, shape, &records[i],
				 i ? records[i].time - records[i - 1].time : 0);
	made_page_end(page, -1);
}

/* ---- files ---- */

static void put_counted(struct made_bytes *out, const char *text, unsigned n)
{
	made_put(out, strlen(text), n);
	put_bytes(out, text, strlen(text));
}

static void put_header_page(struct made_bytes *out, const struct made_file *file)
{
	made_text(out, "header_page");
	put_counted(out, made_header_page(&file->machine), 8);
	made_text(out, "header_event");
	put_counted(out, "# compressed entry header\n", 8);
}

static void put_formats(struct made_bytes *out, const struct made_file *file, enum made_kind from,
			enum made_kind to)
{
	made_put(out, to - from + 1, 4);
	for (enum made_kind kind = from; kind <= to; kind++)
		put_counted(out, made_format(&file->machine, &file->shape, kind), 8);
}

static void put_systems(struct made_bytes *out, const struct made_file *file)
{
	made_put(out, 1, 4);
	made_text(out, "syscalls");
	put_formats(out, file, MADE_CALL_ENTER, MADE_OTHER);
}

static void put_option(struct made_bytes *out, unsigned id, const struct made_bytes *option)
{
	made_put(out, id, 2);
	made_put(out, option->n, 4);
	put_bytes(out, option->at, option->n);
}

static void put_plain_options(struct made_bytes *out, const struct made_file *file)
{
	struct made_bytes option = {.machine = file->machine};

	if (file->clock) {
		made_text(&option, file->clock);
		put_option(out, 4, &option);
	}
	option.n = 0;
	if (file->multiplier) {
		made_put(&option, file->multiplier, 4);
		made_put(&option, file->shift, 4);
		made_put(&option, 0, 8);
		put_option(out, 14, &option);
	}
	option.n = 0;
	made_text(&option, "Linux box 6.1.0-test x86_64");
	put_option(out, 5, &option);
	made_release(&option);
}

/* Where the CPUs' pages will be; v6 keeps the places of an instance beside them. */
static size_t put_flyrecord(struct made_bytes *out, const struct made_file *file, uint32_t instance)
{
	size_t table;

	made_text(out, "flyrecord");
	table = out->n;
	for (uint32_t cpu = 0; cpu < file->n_cpus; cpu++) {
		made_put(out, 0, 8);
		made_put(out, file->pages[instance][cpu].n, 8);
	}
	return table;
}

static void put_pages(struct made_bytes *out, const struct made_file *file, uint32_t instance,
		      size_t table)
{
	for (uint32_t cpu = 0; cpu < file->n_cpus; cpu++) {
		const struct made_bytes *pages = &file->pages[instance][file->overlap ? 0 : cpu];

		if (!file->overlap || cpu == 0)
			fill_up(out);
		set(out, table + 16 * cpu, file->overlap && cpu ? out->n - pages->n : out->n, 8);
		set(out, table + 16 * cpu + 8, pages->n, 8);
		if (!file->overlap || cpu == 0)
			put_bytes(out, pages->at, pages->n);
	}
}

static void put_version_6(struct made_bytes *out, const struct made_file *file)
{
	struct made_bytes option = {.machine = file->machine};
	size_t places[MADE_INSTANCES_MAX], table;

	put_header_page(out, file);
	put_formats(out, file, MADE_ENTRY, MADE_EXIT);
	put_systems(out, file);
	put_counted(out, made_kallsyms(&file->machine), 4);
	made_put(out, 0, 4);
	put_counted(out, MADE_COMMS, 8);
	made_put(out, file->n_cpus, 4);
	made_text(out, "options  ");
	put_plain_options(out, file);
	for (uint32_t i = 1; i < file->n_instances; i++) {
		option.n = 0;
		made_put(&option, 0, 8);
		made_text(&option, file->names[i]);
		put_option(out, 3, &option);
		places[i] = out->n - option.n;
	}
	made_release(&option);
	made_put(out, 0, 2);
	table = put_flyrecord(out, file, 0);
	put_pages(out, file, 0, table);
	for (uint32_t i = 1; i < file->n_instances; i++) {
		set(out, places[i], out->n, 8);
		table = put_flyrecord(out, file, i);
		put_pages(out, file, i, table);
	}
}

/* Bytes packed, with their sizes before them. */
static void put_packed(struct made_bytes *out, const struct made_file *file, const uint8_t *bytes,
		       size_t n, uint32_t said_n)
{
	size_t room = compressBound((uLong)n) + ZSTD_compressBound(n);
	uint8_t *packed = malloc(room);
	uLongf packed_n = (uLongf)room;

	if (!packed)
		abort();
	if (file->packing == MADE_V7_ZLIB)
		compress(packed, &packed_n, bytes, (uLong)n);
	else
		packed_n = (uLongf)ZSTD_compress(packed, room, bytes, n, 1);
	made_put(out, packed_n, 4);
	made_put(out, said_n ? said_n : n, 4);
	put_bytes(out, packed, packed_n);
	free(packed);
}

/* body is released; the place of the section is what comes back. */
static size_t put_section(struct made_bytes *out, const struct made_file *file, unsigned id,
			  struct made_bytes *body)
{
	size_t place = out->n;
	bool packed = file->packing != MADE_V7_NONE && id != 0;

	made_put(out, id, 2);
	made_put(out, packed, 2);
	made_put(out, 0, 4);
	made_put(out, 0, 8);
	if (packed)
		put_packed(out, file, body->at, body->n, 0);
	else
		put_bytes(out, body->at, body->n);
	set(out, place + 8, out->n - place - 16, 8);
	made_release(body);
	*body = (struct made_bytes){.machine = file->machine};
	return place;
}

static size_t put_cpu_7(struct made_bytes *out, const struct made_file *file,
			const struct made_bytes *pages)
{
	size_t place;

	fill_up(out);
	place = out->n;
	if (file->packing == MADE_V7_NONE) {
		put_bytes(out, pages->at, pages->n);
		return place;
	}
	/* a chunk a page */
	made_put(out, pages->n / MADE_PAGE_BYTES, 4);
	for (size_t at = 0; at < pages->n; at += MADE_PAGE_BYTES)
		put_packed(out, file, pages->at + at, MADE_PAGE_BYTES, file->chunk_bytes);
	return place;
}

static void put_instance_7(struct made_bytes *out, const struct made_file *file, uint32_t instance,
			   struct made_bytes *options)
{
	struct made_bytes option = {.machine = file->machine};
	size_t place = out->n;

	made_put(out, 3, 2);
	made_put(out, file->packing != MADE_V7_NONE, 2);
	made_put(out, 0, 4);
	made_put(out, 0, 8);
	made_put(&option, place, 8);
	made_text(&option, file->names[instance]);
	made_text(&option, "local");
	made_put(&option, MADE_PAGE_BYTES, 4);
	made_put(&option, file->n_cpus, 4);
	for (uint32_t cpu = 0, first = 0; cpu < file->n_cpus; cpu++) {
		const struct made_bytes *pages = &file->pages[instance][cpu];
		size_t at = file->overlap && cpu ? first : put_cpu_7(out, file, pages);

		first = cpu ? first : (uint32_t)at;
		made_put(&option, cpu, 4);
		made_put(&option, at, 8);
		made_put(&option, pages->n ? out->n - at : 0, 8);
	}
	set(out, place + 8, out->n - place - 16, 8);
	put_option(options, 3, &option);
	made_release(&option);
}

static void put_place(struct made_bytes *options, unsigned id, size_t place)
{
	struct made_bytes option = {.machine = options->machine};

	made_put(&option, place, 8);
	put_option(options, id, &option);
	made_release(&option);
}

static void put_version_7(struct made_bytes *out, const struct made_file *file)
{
	struct made_bytes body = {.machine = file->machine}, options = body;
	size_t first;

	made_text(out, file->packing == MADE_V7_ZLIB   ? "zlib"
		       : file->packing == MADE_V7_ZSTD ? "zstd"
						       : "none");
	made_text(out, "1");
	first = out->n;
	made_put(out, 0, 8);
	put_header_page(&body, file);
	put_place(&options, 16, put_section(out, file, 16, &body));
	put_formats(&body, file, MADE_ENTRY, MADE_EXIT);
	put_place(&options, 17, put_section(out, file, 17, &body));
	put_systems(&body, file);
	put_place(&options, 18, put_section(out, file, 18, &body));
	put_counted(&body, made_kallsyms(&file->machine), 4);
	put_place(&options, 19, put_section(out, file, 19, &body));
	put_counted(&body, MADE_COMMS, 8);
	put_place(&options, 21, put_section(out, file, 21, &body));
	put_plain_options(&options, file);
	for (uint32_t i = 0; i < file->n_instances; i++)
		put_instance_7(out, file, i, &options);
	put_place(&options, 0, 0);
	set(out, first, out->n, 8);
	put_section(out, file, 0, &options);
}

struct made_bytes made_file(const struct made_file *file)
{
	struct made_bytes out = {.machine = file->machine};

	put_bytes(&out, "\x17\x08\x44tracing", 10);
	made_text(&out, file->packing == MADE_V6 ? "6" : "7");
	made_put(&out, file->machine.big_endian, 1);
	made_put(&out, file->machine.long_bytes, 1);
	made_put(&out, MADE_PAGE_BYTES, 4);
	if (file->packing == MADE_V6)
		put_version_6(&out, file);
	else
		put_version_7(&out, file);
	return out;
}
