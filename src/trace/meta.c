/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "meta.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <event-parse.h>

#define TYPES (UINT16_MAX + 1u)
#define SYMBOLS_MAX (1u << 23)
#define COMMS_MAX (1u << 22)
#define PAGE_LEAST 1024u
#define PAGE_MOST (1u << 20)
#define SYS_ENTER "sys_enter_"
#define SYS_EXIT "sys_exit_"

static bool this_machine_is_big(void)
{
	const uint16_t one = 1;

	return *(const uint8_t *)&one == 0;
}

struct trace_meta *trace_meta_new(void)
{
	struct trace_meta *meta = mem_zero(1, sizeof *meta);
	struct utsname name;

	meta->tep = tep_alloc();
	if (!meta->tep) {
		free(meta);
		return NULL;
	}
	/* its complaints of what we do not ask for are nobody's */
	tep_set_loglevel(TEP_LOG_NONE);
	meta->layout_of = mem_zero(TYPES, sizeof *meta->layout_of);
	meta->stamps_in_ns = true;
	trace_meta_machine(meta, this_machine_is_big(), sizeof(long));
	if (uname(&name) == 0)
		snprintf(meta->machine, sizeof meta->machine, "%.31s", name.machine);
	return meta;
}

void trace_meta_free(struct trace_meta *meta)
{
	if (!meta)
		return;
	for (uint32_t i = 0; i < meta->n_layouts; i++)
		free(meta->layouts[i].call);
	tep_free(meta->tep);
	free(meta->layouts);
	free(meta->layout_of);
	free(meta->symbols);
	free(meta->comms);
	text_release(&meta->symbol_names);
	text_release(&meta->comm_names);
	free(meta);
}

void trace_meta_machine(struct trace_meta *meta, bool big_endian, unsigned long_bytes)
{
	meta->big_endian = big_endian;
	meta->swapped = big_endian != this_machine_is_big();
	meta->long_bytes = meta->commit_bytes = long_bytes;
	tep_set_file_bigendian(meta->tep, big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(meta->tep, (int)long_bytes);
}

void trace_meta_kernel(struct trace_meta *meta, const char *uname_text)
{
	const char *word = strrchr(uname_text, ' ');

	/* "Linux host 6.1.0-18-amd64 x86_64", or with GNU/Linux behind it */
	if (word && strncmp(word, " GNU/", 5) == 0) {
		const char *end = word;

		while (word > uname_text && *--word != ' ')
			;
		snprintf(meta->machine, sizeof meta->machine, "%.*s", (int)(end - word - 1),
			 word + 1);
	} else if (word) {
		snprintf(meta->machine, sizeof meta->machine, "%.31s", word + 1);
	}
}

/* The number behind a key in a line of a format: "offset:16;". */
static bool number_behind(const char *line, const char *key, unsigned *number)
{
	const char *at = strstr(line, key);

	return at && sscanf(at + strlen(key), "%u", number) == 1;
}

int trace_meta_header_page(struct trace_meta *meta, const char *text, size_t n, struct error *err)
{
	char *copy = mem_copy_bytes(text, n), *data, *commit;
	unsigned offset = 0, size = 0, commit_bytes = 0;
	int status = 0;

	data = strstr(copy, " data;");
	commit = strstr(copy, " commit;");
	if (!data || !commit || !number_behind(data, "offset:", &offset) ||
	    !number_behind(data, "size:", &size) ||
	    !number_behind(commit, "size:", &commit_bytes) ||
	    (commit_bytes != 4 && commit_bytes != 8) || offset != 8 + commit_bytes ||
	    size > PAGE_MOST || offset + size < PAGE_LEAST || offset + size > PAGE_MOST)
		status = error_set(err, "header_page does not parse");
	meta->commit_bytes = status ? meta->commit_bytes : commit_bytes;
	meta->page_bytes = status ? meta->page_bytes : offset + size;
	free(copy);
	return status;
}

static struct place place_of(struct tep_format_field *field)
{
	struct place none = {0, 0};

	if (!field || field->offset < 0 || field->offset > 4096 ||
	    (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8))
		return none;
	return (struct place){(uint16_t)field->offset, (uint8_t)field->size};
}

static void need(struct layout *layout, struct place place)
{
	if (place.offset + (uint32_t)place.bytes > layout->bytes_least)
		layout->bytes_least = place.offset + (uint32_t)place.bytes;
}

/* Names are the same whatever system they are said to be of: a folder of formats does not say. */
static enum record_kind kind_of(const char *event)
{
	static const struct {
		const char *name;
		bool begins;
		enum record_kind kind;
	} kinds[] = {
		{"funcgraph_entry", false, RECORD_ENTRY}, {"funcgraph_exit", false, RECORD_EXIT},
		{"sys_enter", false, RECORD_CALL_ENTER},  {"sys_exit", false, RECORD_CALL_EXIT},
		{SYS_ENTER, true, RECORD_CALL_ENTER},	  {SYS_EXIT, true, RECORD_CALL_EXIT},
	};

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (kinds[i].begins ? strncmp(event, kinds[i].name, strlen(kinds[i].name)) == 0
				    : strcmp(event, kinds[i].name) == 0)
			return kinds[i].kind;
	return RECORD_OTHER;
}

/* The system call that an event is of; NULL where it is of all. */
static const char *call_of(const char *event)
{
	if (strncmp(event, SYS_ENTER, strlen(SYS_ENTER)) == 0)
		return event + strlen(SYS_ENTER);
	if (strncmp(event, SYS_EXIT, strlen(SYS_EXIT)) == 0)
		return event + strlen(SYS_EXIT);
	return NULL;
}

/* Where all fields are, of those that are looked at. -1 where one that is needed is not. */
static int lay_out(struct layout *layout, struct tep_event *event)
{
	bool graph = layout->kind == RECORD_ENTRY || layout->kind == RECORD_EXIT;
	bool raw = !graph && !call_of(event->name);

	layout->pid = place_of(tep_find_common_field(event, "common_pid"));
	if (graph) {
		layout->function = place_of(tep_find_field(event, "func"));
		layout->depth = place_of(tep_find_field(event, "depth"));
		layout->calltime = place_of(tep_find_field(event, "calltime"));
		layout->rettime = place_of(tep_find_field(event, "rettime"));
	} else if (raw) {
		layout->number = place_of(tep_find_field(event, "id"));
	}
	if (!layout->pid.bytes || (graph && (!layout->function.bytes || !layout->depth.bytes)) ||
	    (raw && !layout->number.bytes))
		return -1;
	need(layout, layout->pid);
	need(layout, layout->function);
	need(layout, layout->depth);
	need(layout, layout->calltime);
	need(layout, layout->rettime);
	need(layout, layout->number);
	return 0;
}

static int add_layout(struct trace_meta *meta, struct tep_event *event, enum record_kind kind)
{
	struct layout layout = {.kind = kind};
	struct text call = {0};

	if (event->id < 0 || event->id > UINT16_MAX || meta->n_layouts == UINT16_MAX - 1 ||
	    lay_out(&layout, event) != 0)
		return -1;
	if (call_of(event->name)) {
		text_printf(&call, "sys_%s", call_of(event->name));
		layout.call = call.bytes;
	}
	ARRAY_RESERVE(meta->layouts, meta->n_layouts, meta->layouts_room);
	meta->layouts[meta->n_layouts++] = layout;
	meta->layout_of[event->id] = (uint16_t)meta->n_layouts;
	meta->has_graph |= kind == RECORD_ENTRY;
	meta->has_calls |= kind == RECORD_CALL_ENTER;
	meta->has_call_times |= layout.calltime.bytes && layout.rettime.bytes;
	return 0;
}

/* Every record begins with its type, at the same place whatever it is. */
static void find_type(struct trace_meta *meta, struct tep_event *event)
{
	if (!meta->type.bytes)
		meta->type = place_of(tep_find_common_field(event, "common_type"));
}

/* The word behind "name: " at the beginning of a format. */
static bool format_name(const char *text, size_t n, char name[64])
{
	char head[96];

	snprintf(head, sizeof head, "%.*s", (int)(n < sizeof head - 1 ? n : sizeof head - 1), text);
	return sscanf(head, "name: %63[A-Za-z0-9_]", name) == 1;
}

/* One word of C: a name or a part of a type. */
static const char *skip_word(const char *at, const char *end)
{
	while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
		at++;
	return at;
}

/*
 * "field:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;" of a plain number:
 * copied where it is to the letter as the kernel writes it.
 */
static void copy_field(struct text *copy, const char *line, const char *end)
{
	const char *at = line, *word;
	unsigned offset, size, is_signed = 0, words = 0;
	char numbers[80];

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (end - at < 6 || memcmp(at, "field:", 6) != 0)
		return;
	for (at = word = at + 6; at < end && *at != ';'; words++) {
		const char *behind = skip_word(at, end);

		if (behind == at)
			return;
		at = behind;
		while (at < end && *at == ' ')
			at++;
	}
	if (words < 2 || words > 6 || at == end)
		return;
	snprintf(numbers, sizeof numbers, "%.*s", (int)(end - at < 79 ? end - at : 79), at);
	if (sscanf(numbers, ";\toffset:%5u;\tsize:%5u;\tsigned:%1u;", &offset, &size, &is_signed) <
	    2)
		return;
	text_printf(copy, "\tfield:%.*s;\toffset:%u;\tsize:%u;\tsigned:%u;\n", (int)(at - word),
		    word, offset, size, is_signed);
}

/*
 * What of a format is asked for, and nothing else: libtraceevent trusts its
 * input more than a file deserves (1.7.1 ends at a NULL where a field or the
 * expression of "print fmt" is not as it should be).
 */
static bool copy_format(struct text *copy, const char *text, size_t n, const char *name)
{
	const char *at = text, *end = text + n, *id = memmem(text, n, "\nID: ", 5);
	char number[12];
	unsigned type;
	bool own = false;

	if (!id)
		return false;
	snprintf(number, sizeof number, "%.*s", (int)(end - id - 5 < 11 ? end - id - 5 : 11),
		 id + 5);
	if (sscanf(number, "%6u", &type) != 1)
		return false;
	text_printf(copy, "name: %s\nID: %u\nformat:\n", name, type);
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;

		copy_field(copy, at, line_end);
		/* between the fields that all events have and its own */
		if (line_end == at && !own) {
			text_puts(copy, "\n");
			own = true;
		}
		at = line_end + 1;
	}
	text_puts(copy, "\nprint fmt: \"\"\n");
	return true;
}

int trace_meta_format(struct trace_meta *meta, const char *system, const char *text, size_t n,
		      struct error *err)
{
	struct tep_event *event = NULL;
	enum record_kind kind;
	struct text fields = {0};
	char name[64];
	int status = 0;

	if (!format_name(text, n, name))
		return error_set(err, "a format of %.60s does not parse", system);
	kind = kind_of(name);
	/* hundreds of formats are in a file, and of few events anything is wanted */
	if (kind == RECORD_OTHER && meta->type.bytes)
		return 0;
	if (!copy_format(&fields, text, n, name) ||
	    tep_parse_format(meta->tep, &event, fields.bytes, fields.n, system) !=
		    TEP_ERRNO__SUCCESS ||
	    !event) {
		status = kind == RECORD_OTHER
				 ? 0
				 : error_set(err, "the format of %.60s:%s does not parse", system,
					     name);
	} else {
		find_type(meta, event);
		if (kind != RECORD_OTHER && add_layout(meta, event, kind) != 0)
			status = error_set(err, "the format of %.60s:%s lacks a field", system,
					   name);
	}
	text_release(&fields);
	/* the event is the handle's */
	return status;
}

/* ---- functions ---- */

/* A line of /proc/kallsyms: "ffffffff81000000 T _stext", a module in brackets behind it. */
static bool add_symbol(struct trace_meta *meta, const char *line, const char *end)
{
	uint64_t address = 0;
	const char *at = line, *name;

	for (; at < end && isxdigit((unsigned char)*at) && at - line < 16; at++)
		address = address << 4 | (uint64_t)(*at <= '9' ? *at - '0' : (*at | 32) - 'a' + 10);
	if (at == line || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	name = at + 3;
	for (at = name; at < end && !isspace((unsigned char)*at); at++)
		;
	if (at == name || meta->n_symbols == SYMBOLS_MAX || meta->symbol_names.n > UINT32_MAX / 2)
		return false;
	/* of per-CPU variables; and without permission all are nought */
	if (address == 0)
		return true;
	ARRAY_RESERVE(meta->symbols, meta->n_symbols, meta->symbols_room);
	meta->symbols[meta->n_symbols++] = (struct symbol){
		.address = address,
		.name = (uint32_t)meta->symbol_names.n,
		.length = (uint32_t)(at - name),
	};
	text_add(&meta->symbol_names, name, (size_t)(at - name));
	return true;
}

int trace_meta_kallsyms(struct trace_meta *meta, const char *text, size_t n, struct error *err)
{
	const char *at = text, *end = text + n;
	uint32_t before = meta->n_symbols, bad = 0;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;

		/* trace.dat files end theirs with a NUL */
		if (line_end > at && *at != '\0')
			bad += !add_symbol(meta, at, line_end);
		at = line_end + 1;
	}
	meta->symbols_sorted = false;
	if (meta->n_symbols > before || n == 0)
		return 0;
	return error_set(err, bad ? "kallsyms does not parse"
				  : "kallsyms names no address (read it as root)");
}

/* The first of those at one address is the one that the kernel prints: names keep their order. */
static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

const struct symbol *meta_symbol(struct trace_meta *meta, uint64_t address)
{
	uint32_t low = 0, high;

	if (!meta->symbols_sorted && meta->n_symbols > 1)
		qsort(meta->symbols, meta->n_symbols, sizeof *meta->symbols, compare_symbols);
	meta->symbols_sorted = true;
	/* the first one above the address */
	for (high = meta->n_symbols; low < high;) {
		uint32_t middle = low + (high - low) / 2;

		if (meta->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	for (low--; low > 0 && meta->symbols[low - 1].address == meta->symbols[low].address;)
		low--;
	return &meta->symbols[low];
}

/* ---- tasks ---- */

void trace_meta_comms(struct trace_meta *meta, const char *text, size_t n)
{
	const char *at = text, *end = text + n;

	while (at < end && meta->n_comms < COMMS_MAX) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;
		int32_t pid = 0;

		for (; at < line_end && isdigit((unsigned char)*at) && pid < 100000000; at++)
			pid = 10 * pid + (*at - '0');
		if (pid > 0 && at < line_end && *at == ' ') {
			ARRAY_RESERVE(meta->comms, meta->n_comms, meta->comms_room);
			meta->comms[meta->n_comms++] =
				(struct comm){pid, (uint32_t)meta->comm_names.n};
			text_add(&meta->comm_names, at + 1, (size_t)(line_end - at - 1));
			text_add(&meta->comm_names, "", 1);
		}
		at = line_end + 1;
	}
	meta->comms_sorted = false;
}

/* What is known later of a task stands behind: the last one holds. */
static int compare_comms(const void *a, const void *b)
{
	const struct comm *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

const char *meta_comm(struct trace_meta *meta, int32_t pid)
{
	uint32_t low = 0, high = meta->n_comms;

	if (!meta->comms_sorted && meta->n_comms > 1)
		qsort(meta->comms, meta->n_comms, sizeof *meta->comms, compare_comms);
	meta->comms_sorted = true;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (meta->comms[middle].pid <= pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low && meta->comms[low - 1].pid == pid
		       ? meta->comm_names.bytes + meta->comms[low - 1].name
		       : NULL;
}

/* ---- what it is good for ---- */

size_t trace_meta_page_bytes(const struct trace_meta *meta)
{
	return meta->page_bytes ? meta->page_bytes : 4096;
}

bool trace_meta_usable(const struct trace_meta *meta, struct error *err)
{
	if (!meta->has_graph && !meta->has_calls)
		return error_set(err, "there is no format of function_graph or of system calls") ==
		       0;
	if (!meta->type.bytes)
		return error_set(err, "the formats do not say where an event's type is") == 0;
	if (meta->has_graph && meta->n_symbols == 0 && !meta->has_calls)
		return error_set(err, "there are no names of functions (kallsyms)") == 0;
	return true;
}
