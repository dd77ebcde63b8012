/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace.dat, versions 6 and 7, as trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5)
 * describe them. Every size in it may lie.
 */
#include "container.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* The largest part that is taken into memory: kallsyms has some 10 MB. */
#define PART_MAX (256u << 20)
#define NAME_MAX_BYTES 256
#define CPUS_MAX 8192
#define OPTIONS_MAX 100000
#define BUFFERS_MAX 1024

enum option {
	OPTION_DONE = 0,
	OPTION_CPUSTAT = 2,
	OPTION_BUFFER = 3,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_TSC2NSEC = 14,
	OPTION_HEADER_INFO = 16,
	OPTION_FTRACE_FORMATS = 17,
	OPTION_EVENT_FORMATS = 18,
	OPTION_KALLSYMS = 19,
	OPTION_COMMS = 21,
	OPTION_BUFFER_TEXT = 22,
};

#define SECTION_PACKED 1u

bool dat_read(const struct dat *dat, uint64_t offset, void *bytes, size_t n)
{
	char *to = bytes;

	if (offset > dat->size || n > dat->size - offset)
		return false;
	while (n) {
		ssize_t got = pread(dat->fd, to, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

uint64_t dat_number(const struct dat *dat, const uint8_t *bytes, unsigned n)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < n; i++)
		number |= (uint64_t)bytes[i] << 8 * (dat->big_endian ? n - 1 - i : i);
	return number;
}

bool dat_unpack(const struct dat *dat, const void *packed, size_t n, void *out, size_t out_n)
{
	uLongf got = (uLongf)out_n;

	switch (dat->packing) {
	case PACKING_ZLIB:
		return uncompress(out, &got, packed, (uLong)n) == Z_OK && got == out_n;
	case PACKING_ZSTD:
		return ZSTD_decompress(out, out_n, packed, n) == out_n;
	default:
		return false;
	}
}

/* ---- a place in the file, or in a part that was unpacked ---- */

struct cursor {
	const struct dat *dat;
	const uint8_t *memory; /* NULL: the file */
	uint64_t at, end;
	uint8_t *scratch; /* what was taken last */
	size_t scratch_room;
	bool failed; /* it ends before what was asked for */
};

static struct cursor file_cursor(const struct dat *dat, uint64_t at)
{
	return (struct cursor){.dat = dat, .at = at, .end = dat->size, .failed = at > dat->size};
}

static void cursor_release(struct cursor *cursor)
{
	free(cursor->scratch);
}

/* n bytes, valid until the next call; NULL where there are not so many. */
static const uint8_t *take(struct cursor *cursor, uint64_t n)
{
	const uint8_t *bytes;

	if (cursor->failed || n > cursor->end - cursor->at || n > PART_MAX) {
		cursor->failed = true;
		return NULL;
	}
	if (cursor->memory) {
		bytes = cursor->memory + cursor->at;
	} else {
		if (n + 1 > cursor->scratch_room) {
			cursor->scratch_room = (size_t)n + 1;
			cursor->scratch = mem_resize(cursor->scratch, cursor->scratch_room, 1);
		}
		if (!dat_read(cursor->dat, cursor->at, cursor->scratch, (size_t)n)) {
			cursor->failed = true;
			return NULL;
		}
		bytes = cursor->scratch;
	}
	cursor->at += n;
	return bytes;
}

static uint64_t take_number(struct cursor *cursor, unsigned n)
{
	const uint8_t *bytes = take(cursor, n);

	return bytes ? dat_number(cursor->dat, bytes, n) : 0;
}

/* Text up to its NUL. */
static bool take_string(struct cursor *cursor, char out[NAME_MAX_BYTES])
{
	for (size_t i = 0; i < NAME_MAX_BYTES; i++) {
		const uint8_t *byte = take(cursor, 1);

		if (!byte)
			return false;
		out[i] = (char)*byte;
		if (!*byte)
			return true;
	}
	cursor->failed = true;
	return false;
}

static int ended_early(struct dat *dat, const char *where, struct error *err)
{
	dat->truncated = true;
	return error_set(err, "is cut off or broken in its %s: no event in it can be read", where);
}

/* ---- the parts that both versions have ---- */

static int read_header_page(struct dat *dat, struct cursor *cursor, struct error *err)
{
	char word[NAME_MAX_BYTES];
	uint64_t n;
	const uint8_t *bytes;

	if (!take_string(cursor, word) || strcmp(word, "header_page") != 0)
		return ended_early(dat, "header", err);
	n = take_number(cursor, 8);
	/* very old kernels have none: the layout is then that of a 64-bit page */
	bytes = take(cursor, n);
	if (!bytes || (n && trace_meta_header_page(dat->meta, (const char *)bytes, (size_t)n, err)))
		return bytes ? -1 : ended_early(dat, "header", err);
	if (!take_string(cursor, word) || strcmp(word, "header_event") != 0)
		return ended_early(dat, "header", err);
	n = take_number(cursor, 8);
	return take(cursor, n) ? 0 : ended_early(dat, "header", err);
}

static int read_formats(struct dat *dat, struct cursor *cursor, const char *system,
			struct error *err)
{
	uint64_t n_events = take_number(cursor, 4);

	for (uint64_t i = 0; i < n_events && !cursor->failed; i++) {
		uint64_t n = take_number(cursor, 8);
		const uint8_t *bytes = take(cursor, n);

		if (bytes &&
		    trace_meta_format(dat->meta, system, (const char *)bytes, (size_t)n, err))
			return -1;
	}
	return cursor->failed ? ended_early(dat, "formats of events", err) : 0;
}

static int read_systems(struct dat *dat, struct cursor *cursor, struct error *err)
{
	uint64_t n_systems = take_number(cursor, 4);
	char system[NAME_MAX_BYTES];

	for (uint64_t i = 0; i < n_systems && !cursor->failed; i++)
		if (take_string(cursor, system) && read_formats(dat, cursor, system, err))
			return -1;
	return cursor->failed ? ended_early(dat, "formats of events", err) : 0;
}

static int read_kallsyms(struct dat *dat, struct cursor *cursor, struct error *err)
{
	uint64_t n = take_number(cursor, 4);
	const uint8_t *bytes = take(cursor, n);
	struct error ignored;

	if (!bytes)
		return ended_early(dat, "names of functions", err);
	/* without names the addresses stand for them */
	trace_meta_kallsyms(dat->meta, (const char *)bytes, (size_t)n, &ignored);
	return 0;
}

static int read_comms(struct dat *dat, struct cursor *cursor, struct error *err)
{
	uint64_t n = take_number(cursor, 8);
	const uint8_t *bytes = take(cursor, n);

	if (!bytes)
		return ended_early(dat, "names of tasks", err);
	trace_meta_comms(dat->meta, (const char *)bytes, (size_t)n);
	return 0;
}

/* ---- options ---- */

static void take_uname(struct dat *dat, const char *text)
{
	char release[128] = "";

	trace_meta_kernel(dat->meta, text);
	if (sscanf(text, "%*s %*s %127s", release) == 1)
		memcpy(dat->kernel, release, sizeof dat->kernel);
}

/* Text of trace_clock, the one in brackets is in force: "local [global] counter". */
static void take_clock(struct dat *dat, const char *text)
{
	static const char *const not_of_ns[] = {"counter", "uptime", "x86-tsc", "ppc-tb"};
	const char *bracket = strchr(text, '[');
	char word[sizeof dat->clock], printable[sizeof dat->clock];

	if (sscanf(bracket ? bracket + 1 : text, "%31[^] \n]", word) != 1)
		return;
	text_printable(printable, sizeof printable, word);
	memcpy(dat->clock, printable, sizeof dat->clock);
	for (size_t i = 0; i < COUNT_OF(not_of_ns); i++)
		if (strcmp(word, not_of_ns[i]) == 0)
			dat->meta->stamps_in_ns = false;
}

/* How cycles become ns; said only where the clock counts cycles. */
static void take_cycles(struct dat *dat, struct cursor *option)
{
	uint32_t multiplier = (uint32_t)take_number(option, 4),
		 shift = (uint32_t)take_number(option, 4);

	if (option->failed || multiplier == 0 || shift > 63)
		return;
	dat->meta->stamps_in_ns = false;
	dat->meta->stamp_multiplier = multiplier;
	dat->meta->stamp_shift = shift;
}

/* Text of per_cpu/cpuN/stats. */
static void take_cpu_statistics(struct dat *dat, const char *text)
{
	static const char *const keys[] = {"\noverrun: ", "\ndropped events: "};

	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		const char *at = strstr(text, keys[i]);

		if (at)
			dat->overruns += strtoull(at + strlen(keys[i]), NULL, 10);
	}
}

static struct dat_buffer *add_buffer(struct dat *dat, const char *name, uint32_t n_cpus)
{
	struct dat_buffer *buffer;

	ARRAY_RESERVE(dat->buffers, dat->n_buffers, dat->buffers_room);
	buffer = &dat->buffers[dat->n_buffers++];
	*buffer = (struct dat_buffer){
		.name = mem_copy_text(name),
		.page_bytes = dat->page_bytes,
		.cpus = mem_zero(n_cpus, sizeof *buffer->cpus),
	};
	return buffer;
}

static int check_cpus(uint64_t n_cpus, struct error *err)
{
	return n_cpus <= CPUS_MAX ? 0 : error_set(err, "has a wrong number of processors");
}

static void add_cpu(struct dat_buffer *buffer, uint32_t cpu, uint64_t offset, uint64_t bytes)
{
	buffer->cpus[buffer->n_cpus++] = (struct dat_cpu){cpu, offset, bytes};
	buffer->holds |= bytes > 0;
}

/* "flyrecord" and the places of the CPUs' pages; v6. */
static int read_flyrecord(struct dat *dat, struct cursor *cursor, const char *name, uint32_t n_cpus,
			  struct error *err)
{
	struct dat_buffer *buffer = add_buffer(dat, name, n_cpus);

	for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
		uint64_t offset = take_number(cursor, 8), bytes = take_number(cursor, 8);

		if (cursor->failed)
			return ended_early(dat, "table of processors", err);
		add_cpu(buffer, cpu, offset, bytes);
	}
	return 0;
}

static int read_instance_6(struct dat *dat, uint64_t offset, const char *name, uint32_t n_cpus,
			   struct error *err)
{
	struct cursor cursor = file_cursor(dat, offset);
	char word[NAME_MAX_BYTES];
	int status = 0;

	/* of a file cut off the places are all that is missing */
	if (take_string(&cursor, word) && strcmp(word, "flyrecord") == 0)
		status = read_flyrecord(dat, &cursor, name, n_cpus, err);
	else
		dat->truncated = true;
	cursor_release(&cursor);
	return status;
}

static int read_buffer_7(struct dat *dat, struct cursor *option, struct error *err)
{
	uint64_t offset = take_number(option, 8), n_cpus;
	char name[NAME_MAX_BYTES], clock[NAME_MAX_BYTES];
	struct dat_buffer *buffer;
	uint8_t head[16];
	size_t page_bytes;

	take_string(option, name);
	take_string(option, clock);
	page_bytes = (size_t)take_number(option, 4);
	n_cpus = take_number(option, 4);
	if (option->failed)
		return ended_early(dat, "options", err);
	if (check_cpus(n_cpus, err))
		return -1;
	buffer = add_buffer(dat, name, (uint32_t)n_cpus);
	buffer->page_bytes = page_bytes;
	for (uint64_t i = 0; i < n_cpus && !option->failed; i++) {
		uint32_t cpu = (uint32_t)take_number(option, 4);
		uint64_t at = take_number(option, 8), bytes = take_number(option, 8);

		if (cpu >= CPUS_MAX)
			return error_set(err, "has a wrong number of a processor");
		add_cpu(buffer, cpu, at, bytes);
	}
	if (option->failed)
		return ended_early(dat, "options", err);
	if (!dat_read(dat, offset, head, sizeof head))
		dat->truncated = true;
	else
		buffer->packed = dat_number(dat, head + 2, 2) & SECTION_PACKED;
	return 0;
}

static int take_buffer(struct dat *dat, struct cursor *option, uint32_t n_cpus, struct error *err)
{
	char name[NAME_MAX_BYTES];
	uint64_t offset;

	if (dat->n_buffers >= BUFFERS_MAX)
		return error_set(err, "has more instances than any kernel");
	if (dat->version >= 7)
		return read_buffer_7(dat, option, err);
	offset = take_number(option, 8);
	if (!take_string(option, name))
		return ended_early(dat, "options", err);
	return read_instance_6(dat, offset, name, n_cpus, err);
}

static int take_option(struct dat *dat, uint64_t id, struct cursor *option, uint32_t n_cpus,
		       struct error *err)
{
	uint64_t *place = NULL;
	char *text;

	switch (id) {
	case OPTION_CPUSTAT:
	case OPTION_UNAME:
	case OPTION_TRACECLOCK:
		text = mem_copy_bytes((const char *)option->memory, (size_t)option->end);
		if (id == OPTION_UNAME)
			take_uname(dat, text);
		else if (id == OPTION_TRACECLOCK)
			take_clock(dat, text);
		else
			take_cpu_statistics(dat, text);
		free(text);
		return 0;
	case OPTION_TSC2NSEC:
		take_cycles(dat, option);
		return 0;
	case OPTION_BUFFER:
		return take_buffer(dat, option, n_cpus, err);
	case OPTION_BUFFER_TEXT:
		dat->has_text = true;
		return 0;
	case OPTION_HEADER_INFO:
		place = &dat->header_info;
		break;
	case OPTION_FTRACE_FORMATS:
		place = &dat->ftrace_formats;
		break;
	case OPTION_EVENT_FORMATS:
		place = &dat->event_formats;
		break;
	case OPTION_KALLSYMS:
		place = &dat->kallsyms;
		break;
	case OPTION_COMMS:
		place = &dat->comms;
		break;
	}
	if (place && dat->version >= 7)
		*place = take_number(option, 8);
	return 0;
}

/* A list of options; version 7 says at its end where the next one is. */
static int read_options(struct dat *dat, struct cursor *cursor, uint32_t n_cpus, struct error *err)
{
	for (uint32_t i = 0; i < OPTIONS_MAX; i++) {
		uint64_t id = take_number(cursor, 2), n;
		struct cursor option = {.dat = dat};
		uint8_t *copy;
		int status;

		if (id == OPTION_DONE && dat->version < 7)
			return cursor->failed ? ended_early(dat, "options", err) : 0;
		n = take_number(cursor, 4);
		option.memory = take(cursor, n);
		if (!option.memory)
			return ended_early(dat, "options", err);
		option.end = n;
		if (id == OPTION_DONE) {
			dat->next_options = take_number(&option, 8);
			return 0;
		}
		/* what an option leads to may be read with the same cursor */
		copy = mem_alloc((size_t)n + 1);
		memcpy(copy, option.memory, (size_t)n);
		option.memory = copy;
		status = take_option(dat, id, &option, n_cpus, err);
		free(copy);
		if (status)
			return -1;
	}
	return error_set(err, "has options without end");
}

/* ---- version 6: everything in one order ---- */

static int read_tail_6(struct dat *dat, struct cursor *cursor, struct error *err)
{
	uint64_t n_cpus = take_number(cursor, 4);
	char word[NAME_MAX_BYTES];

	if (cursor->failed)
		return ended_early(dat, "header", err);
	if (check_cpus(n_cpus, err))
		return -1;
	for (int i = 0; i < 2 && take_string(cursor, word); i++) {
		if (strcmp(word, "options  ") == 0) {
			if (read_options(dat, cursor, (uint32_t)n_cpus, err))
				return -1;
			continue;
		}
		if (strcmp(word, "flyrecord") == 0)
			return read_flyrecord(dat, cursor, "", (uint32_t)n_cpus, err);
		if (strcmp(word, "latency  ") == 0)
			dat->has_text = true;
		break;
	}
	if (dat->has_text)
		return 0;
	return ended_early(dat, "header", err);
}

static int read_version_6(struct dat *dat, struct cursor *cursor, struct error *err)
{
	if (read_header_page(dat, cursor, err) || read_formats(dat, cursor, "ftrace", err) ||
	    read_systems(dat, cursor, err) || read_kallsyms(dat, cursor, err))
		return -1;
	/* formats of trace_printk() */
	if (!take(cursor, take_number(cursor, 4)))
		return ended_early(dat, "header", err);
	if (read_comms(dat, cursor, err))
		return -1;
	return read_tail_6(dat, cursor, err);
}

/* ---- version 7: sections that options point to ---- */

typedef int section_reader(struct dat *dat, struct cursor *cursor, struct error *err);

static int read_packed_section(struct dat *dat, struct cursor *file, section_reader *reader,
			       struct error *err)
{
	uint64_t packed_n = take_number(file, 4), n = take_number(file, 4);
	const uint8_t *packed = take(file, packed_n);
	struct cursor cursor = {.dat = dat, .end = n};
	uint8_t *bytes;
	int status = -1;

	if (!packed)
		return ended_early(dat, "header", err);
	if (n > PART_MAX)
		return error_set(err, "has a section of %llu bytes, more than any real one",
				 (unsigned long long)n);
	bytes = mem_alloc((size_t)n + 1);
	cursor.memory = bytes;
	if (dat_unpack(dat, packed, (size_t)packed_n, bytes, (size_t)n))
		status = reader(dat, &cursor, err);
	else
		error_set(err, "has a section that cannot be decompressed");
	free(bytes);
	return status;
}

static int read_section(struct dat *dat, uint64_t offset, unsigned id, section_reader *reader,
			struct error *err)
{
	struct cursor cursor = file_cursor(dat, offset);
	uint64_t found, flags;
	int status;

	if (offset == 0)
		return 0;
	found = take_number(&cursor, 2);
	flags = take_number(&cursor, 2);
	take(&cursor, 12); /* its description and its size */
	if (cursor.failed)
		status = ended_early(dat, "header", err);
	else if (found != id)
		status = error_set(err, "has another section where one of kind %u should be", id);
	else if (flags & SECTION_PACKED)
		status = read_packed_section(dat, &cursor, reader, err);
	else
		status = reader(dat, &cursor, err);
	cursor_release(&cursor);
	return status;
}

static int read_options_7(struct dat *dat, struct cursor *cursor, struct error *err)
{
	return read_options(dat, cursor, 0, err);
}

static int read_ftrace_formats_7(struct dat *dat, struct cursor *cursor, struct error *err)
{
	return read_formats(dat, cursor, "ftrace", err);
}

#define SECTIONS_MAX 64
#define CHUNKS_MAX 10000000u

/*
 * The packed pages of CPUs, one behind the other, of a file that ends before
 * it says where they are. Which CPUs they are of is not known: they are numbered.
 */
static void find_packed_cpus(const struct dat *dat, struct dat_buffer *buffer, uint64_t at)
{
	uint8_t head[8];

	at += (dat->page_bytes - at % dat->page_bytes) % dat->page_bytes;
	while (buffer->n_cpus < CPUS_MAX && dat_read(dat, at, head, 4)) {
		uint64_t n_chunks = dat_number(dat, head, 4), begin = at;

		if (n_chunks == 0 || n_chunks > CHUNKS_MAX)
			return;
		for (at += 4; n_chunks && dat_read(dat, at, head, sizeof head); n_chunks--)
			at += sizeof head + dat_number(dat, head, 4);
		add_cpu(buffer, buffer->n_cpus, begin, (at < dat->size ? at : dat->size) - begin);
	}
}

/* Of a file that was cut off: the first section of pages that begins in it. */
static void find_lost_buffer(struct dat *dat, uint64_t at)
{
	uint8_t head[16];

	for (int i = 0; i < SECTIONS_MAX && dat_read(dat, at, head, sizeof head); i++) {
		uint64_t bytes = dat_number(dat, head + 8, 8);

		if (dat_number(dat, head, 2) == OPTION_BUFFER) {
			/* pages that are not packed do not show where a CPU's end */
			if (dat_number(dat, head + 2, 2) & SECTION_PACKED) {
				struct dat_buffer *buffer = add_buffer(dat, "", CPUS_MAX);

				buffer->packed = true;
				find_packed_cpus(dat, buffer, at + sizeof head);
			}
			return;
		}
		if (bytes > dat->size)
			return;
		at += sizeof head + bytes;
	}
}

static int read_version_7(struct dat *dat, struct cursor *cursor, struct error *err)
{
	uint64_t offset = take_number(cursor, 8), first_section = cursor->at;

	if (cursor->failed || offset == 0 || offset >= dat->size)
		return ended_early(dat, "header", err);
	for (int i = 0; offset; i++) {
		if (i == SECTIONS_MAX)
			return error_set(err, "has sections of options without end");
		dat->next_options = 0;
		/* those behind the first ones tell of buffers alone */
		if (i && offset >= dat->size) {
			dat->truncated = true;
			find_lost_buffer(dat, first_section);
			break;
		}
		if (read_section(dat, offset, 0, read_options_7, err))
			return -1;
		offset = dat->next_options;
	}
	if (!dat->header_info || !dat->ftrace_formats)
		return ended_early(dat, "header", err);
	return read_section(dat, dat->header_info, OPTION_HEADER_INFO, read_header_page, err) ||
			       read_section(dat, dat->ftrace_formats, OPTION_FTRACE_FORMATS,
					    read_ftrace_formats_7, err) ||
			       read_section(dat, dat->event_formats, OPTION_EVENT_FORMATS,
					    read_systems, err) ||
			       read_section(dat, dat->kallsyms, OPTION_KALLSYMS, read_kallsyms,
					    err) ||
			       read_section(dat, dat->comms, OPTION_COMMS, read_comms, err)
		       ? -1
		       : 0;
}

/* ---- opening ---- */

static int read_packing(struct dat *dat, struct cursor *cursor, struct error *err)
{
	char name[NAME_MAX_BYTES], version[NAME_MAX_BYTES], printable[NAME_MAX_BYTES];

	if (!take_string(cursor, name) || !take_string(cursor, version))
		return ended_early(dat, "header", err);
	if (strcmp(name, "none") == 0)
		dat->packing = PACKING_NONE;
	else if (strcmp(name, "zlib") == 0)
		dat->packing = PACKING_ZLIB;
	else if (strcmp(name, "zstd") == 0)
		dat->packing = PACKING_ZSTD;
	else
		return error_set(err, "is compressed by '%s', which is not known",
				 text_printable(printable, sizeof printable, name));
	return 0;
}

static int read_version(struct dat *dat, struct cursor *cursor, struct error *err)
{
	char version[NAME_MAX_BYTES], printable[32];

	take(cursor, 10); /* what it was known by */
	if (!take_string(cursor, version))
		return ended_early(dat, "header", err);
	if (strcmp(version, "6") != 0 && strcmp(version, "7") != 0)
		return error_set(err,
				 "is a trace.dat file of version '%s'; versions 6 and 7 are read",
				 text_printable(printable, sizeof printable, version));
	dat->version = version[0] - '0';
	return 0;
}

#define PAGE_LEAST 1024u
#define PAGE_MOST (1u << 20)

static int read_machine(struct dat *dat, struct cursor *cursor, struct error *err)
{
	uint64_t endian = take_number(cursor, 1), long_bytes = take_number(cursor, 1);

	if (cursor->failed)
		return ended_early(dat, "header", err);
	if (endian > 1 || (long_bytes != 4 && long_bytes != 8))
		return error_set(err, "is of a machine that there is not: %u bytes in a long",
				 (unsigned)long_bytes);
	dat->big_endian = endian == 1;
	dat->page_bytes = (size_t)take_number(cursor, 4);
	if (cursor->failed)
		return ended_early(dat, "header", err);
	if (dat->page_bytes < PAGE_LEAST || dat->page_bytes > PAGE_MOST)
		return error_set(err, "has pages of %zu bytes, which no machine has",
				 dat->page_bytes);
	trace_meta_machine(dat->meta, dat->big_endian, (unsigned)long_bytes);
	return 0;
}

int dat_open(struct dat *dat, int fd, struct error *err)
{
	struct cursor cursor;
	struct stat status;
	int result;

	*dat = (struct dat){.fd = fd, .meta = trace_meta_new()};
	if (fstat(fd, &status) != 0)
		return error_set(err, "cannot be read: %s", strerror(errno));
	dat->size = (uint64_t)status.st_size;
	cursor = file_cursor(dat, 0);
	result = read_version(dat, &cursor, err) || read_machine(dat, &cursor, err) ? -1 : 0;
	if (result == 0 && dat->version == 7)
		result = read_packing(dat, &cursor, err) || read_version_7(dat, &cursor, err) ? -1
											      : 0;
	else if (result == 0)
		result = read_version_6(dat, &cursor, err);
	cursor_release(&cursor);
	return result;
}

void dat_release(struct dat *dat)
{
	for (uint32_t i = 0; i < dat->n_buffers; i++) {
		free(dat->buffers[i].name);
		free(dat->buffers[i].cpus);
	}
	free(dat->buffers);
	trace_meta_free(dat->meta);
}
