/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages of a trace.dat file, handed to the merger CPU by CPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "pages.h"

/* What is read of a CPU at once, and of all of them together. */
#define CHUNK_BYTES (256u << 10)
#define CHUNKS_BYTES (64u << 20)
/* The largest packed chunk, trace-cmd makes them of some pages; and all that are unpacked at once.
 */
#define PACKED_MAX (64u << 20)
#define UNPACKED_MAX (UINT64_C(1) << 30)

/* Where the reading of a CPU's pages has got to. */
struct dat_stream {
	uint64_t at, end;  /* in the file: what is not taken yet */
	uint64_t n_chunks; /* packed ones that are left */
	uint8_t *bytes;	   /* pages, with PAGE_SLACK behind */
	size_t n, next, room;
	uint8_t *packed;
	size_t packed_room;
};

struct dat_reader {
	struct dat *dat;
	const struct dat_buffer *buffer;
	struct dat_stream *streams; /* by index in buffer->cpus */
	struct merger merger;
	uint64_t room; /* bytes of all streams */
	const _Atomic bool *stop;
	bool broken; /* a packed chunk that cannot be unpacked */
	bool events; /* executions are those of sys_enter and sys_exit */
};

bool tracedat_probe(const char *bytes, size_t n)
{
	return n >= 10 && memcmp(bytes, "\x17\x08\x44tracing", 10) == 0;
}

static void make_room(struct dat_reader *reader, struct dat_stream *stream, size_t n)
{
	if (n + PAGE_SLACK <= stream->room)
		return;
	reader->room += n + PAGE_SLACK - stream->room;
	stream->room = n + PAGE_SLACK;
	free(stream->bytes);
	stream->bytes = mem_zero(stream->room, 1);
}

/* The next whole pages as they stand in the file. */
static bool fill_plain(struct dat_reader *reader, struct dat_stream *stream)
{
	size_t page = reader->buffer->page_bytes, n = CHUNKS_BYTES / reader->buffer->n_cpus;

	n = n > CHUNK_BYTES ? CHUNK_BYTES : n;
	n = n < page ? page : n - n % page;
	if (n > stream->end - stream->at)
		n = (size_t)(stream->end - stream->at);
	n -= n % page;
	if (n == 0)
		return false;
	make_room(reader, stream, n);
	if (!dat_read(reader->dat, stream->at, stream->bytes, n)) {
		reader->dat->truncated = true;
		return false;
	}
	stream->at += n;
	stream->n = n;
	return true;
}

static bool broken(struct dat_reader *reader)
{
	reader->broken = true;
	return false;
}

/* The next packed chunk. */
static bool fill_packed(struct dat_reader *reader, struct dat_stream *stream)
{
	const struct dat *dat = reader->dat;
	uint8_t head[8];
	uint64_t packed_n, n;

	if (stream->n_chunks == 0)
		return false;
	if (!dat_read(dat, stream->at, head, sizeof head)) {
		reader->dat->truncated = true;
		return false;
	}
	packed_n = dat_number(dat, head, 4);
	n = dat_number(dat, head + 4, 4);
	if (packed_n == 0 || packed_n > PACKED_MAX || n == 0 || n > PACKED_MAX)
		return broken(reader);
	if (packed_n > stream->packed_room) {
		stream->packed_room = (size_t)packed_n;
		stream->packed = mem_resize(stream->packed, stream->packed_room, 1);
	}
	if (!dat_read(dat, stream->at + sizeof head, stream->packed, (size_t)packed_n)) {
		reader->dat->truncated = true;
		return false;
	}
	if (n > UNPACKED_MAX - reader->room)
		return broken(reader);
	make_room(reader, stream, (size_t)n);
	if (!dat_unpack(dat, stream->packed, (size_t)packed_n, stream->bytes, (size_t)n))
		return broken(reader);
	stream->at += sizeof head + packed_n;
	stream->n_chunks--;
	stream->n = (size_t)n - (size_t)n % reader->buffer->page_bytes;
	return stream->n > 0;
}

static enum page_status give_page(void *context, uint32_t cpu, void **page, size_t *n)
{
	struct dat_reader *reader = context;
	struct dat_stream *stream = &reader->streams[cpu];

	if (reader->stop && atomic_load_explicit(reader->stop, memory_order_relaxed))
		return PAGE_END;
	if (stream->next == stream->n) {
		stream->next = stream->n = 0;
		if (!(reader->buffer->packed ? fill_packed(reader, stream)
					     : fill_plain(reader, stream)))
			return PAGE_END;
	}
	*page = stream->bytes + stream->next;
	*n = reader->buffer->page_bytes;
	stream->next += *n;
	return PAGE_THERE;
}

static int check_buffer(const struct dat *dat, const struct dat_buffer *buffer, struct error *err)
{
	if (buffer->page_bytes < 1024 || buffer->page_bytes > (1u << 20))
		return error_set(err, "has pages of %zu bytes, which no machine has",
				 buffer->page_bytes);
	if (buffer->packed && dat->packing == PACKING_NONE)
		return error_set(err, "holds compressed events and does not say how");
	return 0;
}

/*
 * Do the places of pages lie one upon the other? Of those that do, a small file
 * could hold any number.
 */
static int check_places(const struct dat *dat, struct error *err)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < dat->n_buffers; i++)
		for (uint32_t k = 0; k < dat->buffers[i].n_cpus; k++) {
			const struct dat_cpu *cpu = &dat->buffers[i].cpus[k];
			uint64_t there = cpu->offset < dat->size ? dat->size - cpu->offset : 0;

			all += cpu->bytes < there ? cpu->bytes : there;
		}
	return all <= dat->size ? 0
				: error_set(err, "says of the same bytes that they are events of "
						 "several processors");
}

/* Where the pages of each CPU begin and end, as far as the file goes. */
static void place_streams(struct dat_reader *reader)
{
	struct dat *dat = reader->dat;

	for (uint32_t i = 0; i < reader->buffer->n_cpus; i++) {
		const struct dat_cpu *cpu = &reader->buffer->cpus[i];
		struct dat_stream *stream = &reader->streams[i];
		uint8_t count[4];

		if (cpu->bytes == 0)
			continue;
		stream->at = cpu->offset;
		stream->end = cpu->offset + cpu->bytes;
		if (cpu->offset > dat->size || cpu->bytes > dat->size - cpu->offset) {
			dat->truncated = true;
			stream->at = stream->at < dat->size ? stream->at : dat->size;
			stream->end = dat->size;
		}
		if (!reader->buffer->packed)
			continue;
		if (dat_read(dat, stream->at, count, sizeof count))
			stream->n_chunks = dat_number(dat, count, sizeof count);
		stream->at += sizeof count;
	}
}

static void open_buffer(struct dat_reader *reader, struct names *names, event_sink *sink,
			void *context)
{
	uint32_t n = reader->buffer->n_cpus;

	reader->streams = mem_zero(n, sizeof *reader->streams);
	reader->room = 0;
	place_streams(reader);
	merger_init(&reader->merger, names, reader->dat->meta, n, give_page, reader, sink, context);
	for (uint32_t i = 0; i < n; i++)
		reader->merger.streams[i].cpu = reader->buffer->cpus[i].cpu;
}

static void close_buffer(struct dat_reader *reader)
{
	merger_release(&reader->merger);
	for (uint32_t i = 0; i < reader->buffer->n_cpus; i++) {
		free(reader->streams[i].bytes);
		free(reader->streams[i].packed);
	}
	free(reader->streams);
}

/* What was counted of one instance more; the lines are theirs now. */
static void add_counts(struct trace_counts *all, struct trace_counts *counts)
{
	all->lines += counts->lines;
	all->events += counts->events;
	all->lost_events += counts->lost_events;
	all->unread_lines += counts->unread_lines;
	all->has_durations |= counts->has_durations;
	for (unsigned i = 0; i < counts->n_unread; i++) {
		if (all->n_unread < COUNT_OF(all->unread))
			all->unread[all->n_unread++] = counts->unread[i];
		else
			free(counts->unread[i]);
	}
	counts->n_unread = 0;
}

/* Is there function_graph in the first pages of any instance? */
static bool see_graph(struct dat_reader *reader, struct names *names)
{
	bool seen = false;

	for (uint32_t i = 0; i < reader->dat->n_buffers && !seen; i++) {
		reader->buffer = &reader->dat->buffers[i];
		if (!reader->buffer->holds)
			continue;
		open_buffer(reader, names, NULL, NULL);
		seen = merger_sees_graph(&reader->merger);
		close_buffer(reader);
	}
	return seen;
}

/* One instance after the other, each as a trace of its own; the top one stands first in the file.
 */
static void read_buffers(struct dat_reader *reader, struct names *names, event_sink *sink,
			 void *context, struct trace_counts *counts)
{
	static const struct event next_trace = {.kind = EVENT_TRACE};
	enum merge_mode mode = MODE_UNKNOWN;
	bool begun = false;

	/* what one instance holds decides how the others are read */
	if (reader->dat->n_buffers > 1 && see_graph(reader, names))
		mode = MODE_GRAPH;
	for (uint32_t i = 0; i < reader->dat->n_buffers; i++) {
		reader->buffer = &reader->dat->buffers[i];
		if (!reader->buffer->holds)
			continue;
		if (begun)
			sink(context, &next_trace, 1);
		begun = true;
		open_buffer(reader, names, sink, context);
		reader->merger.mode = mode;
		merger_run(&reader->merger);
		if (reader->merger.counts.events)
			mode = reader->merger.mode;
		add_counts(counts, &reader->merger.counts);
		close_buffer(reader);
	}
	reader->events = mode == MODE_CALLS;
}

static int judge(const struct dat_reader *reader, const struct trace_counts *counts,
		 struct error *err)
{
	if (reader->broken) {
		error_set(err, "has compressed events that cannot be decompressed: what stands "
			       "behind them is left out");
		return 1;
	}
	if (reader->dat->truncated) {
		error_set(err, "is cut off: what is whole in it is read");
		return 1;
	}
	if (counts->events && !counts->has_durations && !reader->dat->meta->stamps_in_ns) {
		error_set(err,
			  "was recorded by a clock that does not count time ('%s'): its "
			  "executions have no durations",
			  reader->dat->clock);
		return 1;
	}
	return 0;
}

/* Is there anything to be read, and can it be? 1: yes. */
static int check(const struct dat *dat, struct error *err)
{
	bool holds = false;

	for (uint32_t i = 0; i < dat->n_buffers; i++) {
		if (!dat->buffers[i].holds)
			continue;
		holds = true;
		if (check_buffer(dat, &dat->buffers[i], err))
			return -1;
	}
	if (holds)
		return check_places(dat, err) || !trace_meta_usable(dat->meta, err) ? -1 : 1;
	if (dat->has_text)
		return error_set(err, "holds a latency trace, which is not read: trace-cmd report "
				      "makes text of it");
	return dat->truncated ? error_set(err, "is cut off before its first event") : 0;
}

int tracedat_read(int fd, struct names *names, event_sink *sink, void *context,
		  struct tracedat_info *info, struct trace_counts *counts, const _Atomic bool *stop,
		  struct error *err)
{
	struct dat dat;
	struct dat_reader reader = {.dat = &dat, .stop = stop};
	int status = dat_open(&dat, fd, err);

	*info = (struct tracedat_info){.version = dat.version};
	*counts = (struct trace_counts){0};
	memcpy(info->kernel, dat.kernel, sizeof info->kernel);
	if (status == 0)
		status = check(&dat, err);
	if (status > 0) {
		read_buffers(&reader, names, sink, context, counts);
		info->events = reader.events;
		if (counts->lost_events == 0)
			counts->lost_events = dat.overruns;
		status = judge(&reader, counts, err);
	}
	info->truncated = dat.truncated;
	dat_release(&dat);
	return status;
}

void tracedat_counts_release(struct trace_counts *counts)
{
	for (unsigned i = 0; i < counts->n_unread; i++)
		free(counts->unread[i]);
	counts->n_unread = 0;
}
