/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of ring buffer pages to events, CPU by CPU in order of time. */
#include "pages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "syscalls.h"

#define COMMIT_MASK ((UINT64_C(1) << 27) - 1)
#define DELTA_MASK COMMIT_MASK
#define MISSED_EVENTS (UINT64_C(1) << 31)
/* Types of what stands in a page, where it is not a length of data. */
enum { TYPE_DATA = 0, TYPE_PADDING = 29, TYPE_TIME_EXTEND = 30, TYPE_TIME_STAMP = 31 };
#define TASKS_MAX (1u << 18)
#define TASKS_WITH_TIMES_MAX (1u << 14)

static inline uint64_t load(const struct trace_meta *meta, const void *record, struct place place)
{
	const uint8_t *at = (const uint8_t *)record + place.offset;
	uint64_t eight;
	uint32_t four;
	uint16_t two;

	switch (place.bytes) {
	case 8:
		memcpy(&eight, at, sizeof eight);
		return meta->swapped ? __builtin_bswap64(eight) : eight;
	case 4:
		memcpy(&four, at, sizeof four);
		return meta->swapped ? __builtin_bswap32(four) : four;
	case 2:
		memcpy(&two, at, sizeof two);
		return meta->swapped ? __builtin_bswap16(two) : two;
	default:
		return *at;
	}
}

void merger_init(struct merger *merger, struct names *names, struct trace_meta *meta,
		 uint32_t n_streams, next_page *next, void *next_context, event_sink *sink,
		 void *context)
{
	*merger = (struct merger){
		.names = names,
		.meta = meta,
		.streams = mem_zero(n_streams, sizeof *merger->streams),
		.n_streams = n_streams,
		.next = next,
		.next_context = next_context,
		.sink = sink,
		.context = context,
		.last_task = UINT32_MAX,
	};
	hash_key_init(&merger->key);
	merger->layout_calls = mem_alloc(meta->n_layouts * sizeof *merger->layout_calls);
	for (uint32_t i = 0; i < meta->n_layouts; i++)
		merger->layout_calls[i] = NAME_NONE;
	for (uint32_t i = 0; i < n_streams; i++) {
		merger->streams[i].cpu = i;
		merger->streams[i].kbuffer = kbuffer_alloc(
			meta->commit_bytes == 4 ? KBUFFER_LSIZE_4 : KBUFFER_LSIZE_8,
			meta->big_endian ? KBUFFER_ENDIAN_BIG : KBUFFER_ENDIAN_LITTLE);
		if (!merger->streams[i].kbuffer)
			abort();
	}
}

void merger_release(struct merger *merger)
{
	for (uint32_t i = 0; i < merger->n_streams; i++)
		kbuffer_free(merger->streams[i].kbuffer);
	for (uint32_t i = 0; i < merger->tasks_size; i++)
		free(merger->tasks[i].entry_ns);
	for (unsigned i = 0; i < merger->counts.n_unread; i++)
		free(merger->counts.unread[i]);
	free(merger->streams);
	free(merger->functions);
	free(merger->layout_calls);
	free(merger->tasks);
}

static void complain(struct merger *merger, const char *what, uint32_t cpu)
{
	struct trace_counts *counts = &merger->counts;
	struct text text = {0};

	counts->unread_lines++;
	if (counts->n_unread == COUNT_OF(counts->unread))
		return;
	text_printf(&text, "%s of CPU %u", what, (unsigned)cpu);
	counts->unread[counts->n_unread++] = text.bytes;
}

/* ---- pages ---- */

/*
 * Bytes of the page's data that make sense. kbuffer trusts its pages: a length
 * that leads behind the end or backwards would have it read anywhere or for ever.
 * Padding without a length fills a page up: nothing stands behind it, and commit
 * is set back to where it begins.
 */
static size_t sound_bytes(const struct trace_meta *meta, const uint8_t *data, size_t *commit_bytes)
{
	const struct place word = {0, 4};
	size_t at = 0, commit = *commit_bytes;

	while (at < commit) {
		uint64_t type, delta, length = 0;

		if (commit - at < 4)
			return at;
		type = load(meta, data + at, word);
		delta = meta->big_endian ? type & DELTA_MASK : type >> 5;
		type = meta->big_endian ? type >> 27 & 0x1f : type & 0x1f;
		if (type == TYPE_PADDING && delta == 0) {
			*commit_bytes = at;
			return at;
		}
		if (type == TYPE_DATA || type >= TYPE_PADDING) {
			if (commit - at < 8)
				return at;
			length = load(meta, data + at + 4, word);
		}
		if (type == TYPE_TIME_EXTEND || type == TYPE_TIME_STAMP)
			length = 4;
		else if (type == TYPE_DATA)
			length = length < 4 ? 0 : (length + 3) & ~UINT64_C(3);
		else if (type != TYPE_PADDING)
			length = 4 * type;
		if (length == 0 || length > commit - at - 4)
			return at;
		at += 4 + (size_t)length;
	}
	return at;
}

/* Makes a page fit to be walked; false where there is nothing in it. */
static bool admit(struct merger *merger, uint32_t cpu, uint8_t *page, size_t n)
{
	const struct trace_meta *meta = merger->meta;
	const struct place place = {8, (uint8_t)meta->commit_bytes};
	size_t header = 8 + meta->commit_bytes, commit, sound;
	uint64_t field;

	if (n < header) {
		complain(merger, "a cut page", cpu);
		return false;
	}
	field = load(meta, page, place);
	commit = (size_t)(field & COMMIT_MASK);
	if (commit > n - header) {
		complain(merger, "a page with a wrong length", cpu);
		commit = n - header;
	}
	sound = sound_bytes(meta, page + header, &commit);
	if (sound < commit)
		complain(merger, "a record with a wrong length", cpu);
	if (sound != (field & COMMIT_MASK)) {
		/* in a page cut short the count of lost events is not where it was, but lost
		 * they are */
		uint64_t fixed = sound | (field & MISSED_EVENTS);
		uint32_t four = (uint32_t)fixed;

		if (meta->swapped) {
			fixed = __builtin_bswap64(fixed);
			four = __builtin_bswap32(four);
		}
		memcpy(page + 8, meta->commit_bytes == 4 ? (void *)&four : (void *)&fixed,
		       meta->commit_bytes);
	}
	return true;
}

static void take_loss(struct merger *merger, struct stream *stream)
{
	int missed = kbuffer_missed_events(stream->kbuffer);

	if (missed == 0)
		return;
	merger->counts.lost_events += missed > 0 ? (uint64_t)missed : 1;
	stream->lost = 1;
}

/* Steps to the CPU's next page with a record; false where there is none for now. */
static bool next_record_page(struct merger *merger, uint32_t index)
{
	struct stream *stream = &merger->streams[index];
	void *page;
	size_t n;

	while (!stream->ended) {
		/* what comes next takes its place: nobody may look at it any more */
		stream->page = NULL;
		switch (merger->next(merger->next_context, index, &page, &n)) {
		case PAGE_NONE_YET:
			return false;
		case PAGE_END:
			stream->ended = true;
			return false;
		case PAGE_THERE:
			break;
		}
		if (!admit(merger, stream->cpu, page, n) ||
		    kbuffer_load_subbuffer(stream->kbuffer, page) != 0)
			continue;
		stream->page = page;
		take_loss(merger, stream);
		stream->record = kbuffer_read_event(stream->kbuffer, &stream->time_ns);
		if (stream->record)
			return true;
	}
	return false;
}

/* ---- names ---- */

static void grow_functions(struct merger *merger)
{
	struct known_function *old = merger->functions;
	uint32_t old_size = merger->functions_size;

	merger->functions_size = old_size ? 2 * old_size : 1024;
	merger->functions = mem_zero(merger->functions_size, sizeof *merger->functions);
	for (uint32_t i = 0; i < old_size; i++) {
		uint32_t at;

		if (!old[i].name)
			continue;
		at = (uint32_t)hash_add(&merger->key, merger->key.start, old[i].address);
		while (merger->functions[at & (merger->functions_size - 1)].name)
			at++;
		merger->functions[at & (merger->functions_size - 1)] = old[i];
	}
	free(old);
}

/* As ftrace prints it: the function that holds the address, else the address. */
static uint32_t name_of_address(struct merger *merger, uint64_t address)
{
	const struct symbol *symbol = meta_symbol(merger->meta, address);
	char hex[24];

	if (symbol)
		return names_intern(merger->names, merger->meta->symbol_names.bytes + symbol->name,
				    symbol->length);
	snprintf(hex, sizeof hex, "0x%" PRIx64, address);
	return names_intern(merger->names, hex, strlen(hex));
}

static uint32_t name_of_number(struct merger *merger, uint64_t number)
{
	char name[SYSCALL_NAME_SIZE];

	syscall_function(merger->meta->machine, (long)number, name);
	return names_intern(merger->names, name, strlen(name));
}

/* A function by its address or, in a trace that has only those, a system call by its number. */
static uint32_t find_known(struct merger *merger, uint64_t address, bool number)
{
	uint32_t at = (uint32_t)hash_add(&merger->key, merger->key.start, address);
	struct known_function *known;
	uint32_t name;

	if (merger->n_functions >= merger->functions_size / 2)
		grow_functions(merger);
	for (;; at++) {
		known = &merger->functions[at & (merger->functions_size - 1)];
		if (known->name && known->address == address)
			return known->name - 1;
		if (!known->name)
			break;
	}
	name = number ? name_of_number(merger, address) : name_of_address(merger, address);
	/* a hostile file may have any number of addresses: names run out first */
	if (name == NAME_NONE)
		return NAME_NONE;
	*known = (struct known_function){address, name + 1};
	merger->n_functions++;
	return name;
}

/* The function whose one call an event of a system call stands for; NAME_NONE: not known. */
static uint32_t name_of_call(struct merger *merger, const struct layout *layout, const void *record)
{
	uint32_t index = (uint32_t)(layout - merger->meta->layouts);
	int64_t number;

	if (layout->call) {
		if (merger->layout_calls[index] == NAME_NONE)
			merger->layout_calls[index] =
				names_intern(merger->names, layout->call, strlen(layout->call));
		return merger->layout_calls[index];
	}
	number = (int64_t)load(merger->meta, record, layout->number);
	if (layout->number.bytes == 4)
		number = (int32_t)number;
	if (number < 0)
		return NAME_NONE;
	return find_known(merger, (uint64_t)number, true);
}

/* ---- tasks ---- */

/* pid > 0, else the idle task of the CPU: the same numbers as in text. */
static int32_t task_id(int32_t pid, uint32_t cpu)
{
	return pid > 0 ? pid : -(2 * (int32_t)cpu + 2);
}

static uint32_t task_place(const struct merger *merger, int32_t id)
{
	uint32_t at = (uint32_t)hash_add(&merger->key, merger->key.start, (uint32_t)id);

	while (merger->tasks[at & (merger->tasks_size - 1)].used &&
	       merger->tasks[at & (merger->tasks_size - 1)].id != id)
		at++;
	return at & (merger->tasks_size - 1);
}

static void grow_tasks(struct merger *merger)
{
	struct merged_task *old = merger->tasks;
	uint32_t old_size = merger->tasks_size;

	merger->tasks_size = old_size ? 2 * old_size : 64;
	merger->tasks = mem_zero(merger->tasks_size, sizeof *merger->tasks);
	for (uint32_t i = 0; i < old_size; i++)
		if (old[i].used)
			merger->tasks[task_place(merger, old[i].id)] = old[i];
	free(old);
}

/* NULL where there are more tasks than any machine has. */
static struct merged_task *find_task(struct merger *merger, int32_t id, int32_t pid)
{
	struct merged_task *task;
	const char *comm;

	if (merger->last_task < merger->tasks_size && merger->tasks[merger->last_task].id == id &&
	    merger->tasks[merger->last_task].used)
		return &merger->tasks[merger->last_task];
	if (merger->n_tasks >= merger->tasks_size / 2)
		grow_tasks(merger);
	merger->last_task = task_place(merger, id);
	task = &merger->tasks[merger->last_task];
	if (task->used)
		return task;
	if (merger->n_tasks == TASKS_MAX)
		return NULL;
	comm = pid > 0 ? meta_comm(merger->meta, pid) : "<idle>";
	*task = (struct merged_task){
		.id = id,
		.used = true,
		.comm = comm ? names_intern(merger->names, comm, strlen(comm)) : NAME_NONE,
	};
	merger->n_tasks++;
	return task;
}

/* When the call of this depth was entered, by the record's own time. */
static uint64_t *entry_time(struct merger *merger, struct merged_task *task, int32_t depth)
{
	if (!task || depth < 0 || depth >= GRAPH_DEPTH_MAX)
		return NULL;
	if (!task->entry_ns) {
		if (merger->n_tasks > TASKS_WITH_TIMES_MAX)
			return NULL;
		task->entry_ns = mem_alloc(GRAPH_DEPTH_MAX * sizeof *task->entry_ns);
		for (int i = 0; i < GRAPH_DEPTH_MAX; i++)
			task->entry_ns[i] = TIME_NONE;
	}
	return &task->entry_ns[depth];
}

/* The time since the entry, once. */
static uint64_t take_duration(struct merger *merger, struct merged_task *task, int32_t depth,
			      uint64_t now_ns)
{
	uint64_t *entry = entry_time(merger, task, depth), then;

	if (!entry || now_ns == TIME_NONE)
		return DURATION_NONE;
	then = *entry;
	*entry = TIME_NONE;
	return then == TIME_NONE || then > now_ns ? DURATION_NONE : now_ns - then;
}

/* ---- records ---- */

static void flush(struct merger *merger)
{
	if (merger->n_batch)
		merger->sink(merger->context, merger->batch, merger->n_batch);
	merger->n_batch = 0;
}

static inline struct event *next_event(struct merger *merger)
{
	if (merger->n_batch == PAGE_BATCH)
		flush(merger);
	return &merger->batch[merger->n_batch++];
}

/* When the stream's record was made, in ns; TIME_NONE where its clock does not say. */
static inline uint64_t time_of(const struct trace_meta *meta, const struct stream *stream)
{
	if (meta->stamps_in_ns)
		return stream->time_ns;
	if (!meta->stamp_multiplier)
		return TIME_NONE;
	return (uint64_t)((unsigned __int128)stream->time_ns * meta->stamp_multiplier >>
			  meta->stamp_shift);
}

static void emit_loss(struct merger *merger, struct stream *stream)
{
	*next_event(merger) = (struct event){
		.kind = EVENT_LOST,
		.function = NAME_NONE,
		.cpu = (int32_t)stream->cpu,
		.task = -1,
		.comm = NAME_NONE,
		.duration_ns = DURATION_NONE,
		.time_ns = time_of(merger->meta, stream),
	};
	stream->lost = 0;
}

static inline void emit(struct merger *merger, const struct event *event)
{
	merger->counts.events++;
	merger->counts.has_durations |= event->duration_ns != DURATION_NONE;
	*next_event(merger) = *event;
}

static inline uint64_t graph_duration(struct merger *merger, const struct layout *layout,
				      const void *record, struct merged_task *task, int32_t depth,
				      uint64_t now_ns)
{
	uint64_t call, ret;

	if (!layout->calltime.bytes || !layout->rettime.bytes)
		return take_duration(merger, task, depth, now_ns);
	call = load(merger->meta, record, layout->calltime);
	ret = load(merger->meta, record, layout->rettime);
	return ret >= call ? ret - call : DURATION_NONE;
}

static void take_graph(struct merger *merger, const struct layout *layout, const void *record,
		       struct event *event, struct merged_task *task)
{
	bool entry = layout->kind == RECORD_ENTRY;

	event->function = find_known(merger, load(merger->meta, record, layout->function), false);
	event->depth = (int32_t)load(merger->meta, record, layout->depth);
	event->kind = entry ? EVENT_ENTRY : EVENT_EXIT;
	if (entry) {
		if (!merger->meta->has_call_times) {
			uint64_t *time = entry_time(merger, task, event->depth);

			if (time)
				*time = event->time_ns;
		}
	} else {
		event->duration_ns =
			graph_duration(merger, layout, record, task, event->depth, event->time_ns);
	}
	if (event->function == NAME_NONE && entry) {
		merger->counts.unread_lines++;
		return;
	}
	emit(merger, event);
}

static void take_call(struct merger *merger, const struct layout *layout, const void *record,
		      struct event *event, struct merged_task *task)
{
	event->function = name_of_call(merger, layout, record);
	event->depth = 0;
	if (layout->kind == RECORD_CALL_ENTER) {
		uint64_t *time = entry_time(merger, task, 0);

		if (event->function == NAME_NONE)
			return;
		if (time)
			*time = event->time_ns;
		event->kind = EVENT_ENTRY;
	} else {
		event->kind = EVENT_EXIT;
		event->duration_ns = take_duration(merger, task, 0, event->time_ns);
	}
	emit(merger, event);
}

/* Is there a call of function_graph in any of the pages at hand? */
static bool see_graph(const struct merger *merger)
{
	const struct trace_meta *meta = merger->meta;
	struct kbuffer *kbuffer =
		kbuffer_alloc(meta->commit_bytes == 4 ? KBUFFER_LSIZE_4 : KBUFFER_LSIZE_8,
			      meta->big_endian ? KBUFFER_ENDIAN_BIG : KBUFFER_ENDIAN_LITTLE);
	unsigned long long time;
	bool seen = false;

	for (uint32_t cpu = 0; kbuffer && cpu < merger->n_streams && !seen; cpu++) {
		const void *record;

		if (!merger->streams[cpu].page ||
		    kbuffer_load_subbuffer(kbuffer, merger->streams[cpu].page) != 0)
			continue;
		for (record = kbuffer_read_event(kbuffer, &time); record && !seen;
		     record = kbuffer_next_event(kbuffer, &time)) {
			const struct layout *layout = NULL;

			if (kbuffer_event_size(kbuffer) >= 4)
				layout =
					meta_layout(meta, (uint32_t)load(meta, record, meta->type));
			seen = layout && layout->kind == RECORD_ENTRY;
		}
	}
	kbuffer_free(kbuffer);
	return seen;
}

static bool choose_mode(struct merger *merger, enum record_kind kind)
{
	bool graph = kind == RECORD_ENTRY || kind == RECORD_EXIT;

	if (merger->mode == MODE_UNKNOWN)
		merger->mode = graph || see_graph(merger) ? MODE_GRAPH : MODE_CALLS;
	if (graph && merger->mode == MODE_CALLS) {
		complain(merger,
			 "function_graph begins after executions were taken from events: on a page",
			 0);
		merger->mode = MODE_GRAPH;
	}
	return graph == (merger->mode == MODE_GRAPH);
}

static void take_record(struct merger *merger, struct stream *stream)
{
	uint32_t cpu = stream->cpu;
	const struct trace_meta *meta = merger->meta;
	const void *record = stream->record;
	const struct layout *layout;
	struct merged_task *task;
	struct event event;
	int32_t pid;
	int size = kbuffer_event_size(stream->kbuffer);

	merger->counts.lines++;
	if (stream->lost)
		emit_loss(merger, stream);
	if (size < meta->type.offset + meta->type.bytes)
		return;
	layout = meta_layout(meta, (uint32_t)load(meta, record, meta->type));
	if (!layout || !choose_mode(merger, layout->kind))
		return;
	if ((uint32_t)size < layout->bytes_least) {
		complain(merger, "a short record", cpu);
		return;
	}
	pid = (int32_t)load(meta, record, layout->pid);
	task = find_task(merger, task_id(pid, cpu), pid);
	event = (struct event){
		.cpu = (int32_t)cpu,
		.task = task_id(pid, cpu),
		.comm = task ? task->comm : NAME_NONE,
		.duration_ns = DURATION_NONE,
		.time_ns = time_of(meta, stream),
	};
	if (merger->mode == MODE_GRAPH)
		take_graph(merger, layout, record, &event, task);
	else
		take_call(merger, layout, record, &event, task);
}

/* ---- merging ---- */

/*
 * The CPU with the earliest record, and the time up to which it stays that one;
 * of two at the same time the lower CPU's goes first.
 */
static struct stream *earliest(struct merger *merger, unsigned long long *until)
{
	struct stream *first = NULL;

	for (uint32_t i = 0; i < merger->n_streams; i++) {
		struct stream *stream = &merger->streams[i];

		if (!stream->record || (first && stream->time_ns >= first->time_ns))
			continue;
		first = stream;
	}
	*until = UINT64_MAX;
	for (uint32_t i = 0; first && i < merger->n_streams; i++) {
		const struct stream *stream = &merger->streams[i];
		unsigned long long bound = stream->time_ns - (stream < first);

		/* a lower CPU's time is above that of the first one, so not 0 */
		if (stream != first && stream->record && bound < *until)
			*until = bound;
	}
	return first;
}

bool merger_sees_graph(struct merger *merger)
{
	for (uint32_t i = 0; i < merger->n_streams; i++)
		if (!merger->streams[i].record)
			next_record_page(merger, i);
	return see_graph(merger);
}

bool merger_run(struct merger *merger)
{
	for (;;) {
		struct stream *stream;
		unsigned long long until;
		bool waits = false;

		for (uint32_t i = 0; i < merger->n_streams; i++)
			if (!merger->streams[i].record && !next_record_page(merger, i))
				waits |= !merger->streams[i].ended && !merger->streams[i].quiet;
		stream = waits ? NULL : earliest(merger, &until);
		if (!stream) {
			bool ended = !waits;

			for (uint32_t i = 0; i < merger->n_streams; i++)
				ended &= merger->streams[i].ended;
			flush(merger);
			return ended;
		}
		do {
			take_record(merger, stream);
			stream->record = kbuffer_next_event(stream->kbuffer, &stream->time_ns);
		} while (stream->record && stream->time_ns <= until);
	}
}
