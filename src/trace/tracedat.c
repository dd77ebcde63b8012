/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages of a trace.dat file, handed to the merger CPU by CPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "pages.h"

#define CHUNK_BYTES (256u << 10)
/* The largest packed chunk: trace-cmd makes them of some hundred pages. */
#define PACKED_MAX (64u << 20)

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
	const _Atomic bool *stop;
	bool broken; /* a packed chunk that cannot be unpacked */
};

bool tracedat_probe(const char *bytes, size_t n)
{
	return n >= 10 && memcmp(bytes, "\x17\x08\x44tracing", 10) == 0;
}

static void make_room(struct dat_stream *stream, size_t n)
{
	if (n + PAGE_SLACK <= stream->room)
		return;
	stream->room = n + PAGE_SLACK;
	free(stream->bytes);
	stream->bytes = mem_zero(stream->room, 1);
}

/* The next whole pages as they stand in the file. */
static bool fill_plain(struct dat_reader *reader, struct dat_stream *stream)
{
	size_t page = reader->buffer->page_bytes, n = page > CHUNK_BYTES ? page : CHUNK_BYTES;

	n -= n % page;
	if (n > stream->end - stream->at)
		n = (size_t)(stream->end - stream->at);
	n -= n % page;
	if (n == 0)
		return false;
	make_room(stream, n);
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
	make_room(stream, (size_t)n);
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

/* The top instance where it holds anything, else the first one that does. */
static const struct dat_buffer *choose_buffer(const struct dat *dat, uint32_t *n_others)
{
	const struct dat_buffer *chosen = NULL;

	*n_others = 0;
	for (uint32_t i = 0; i < dat->n_buffers; i++) {
		const struct dat_buffer *buffer = &dat->buffers[i];

		if (!buffer->holds)
			continue;
		if (chosen)
			++*n_others;
		if (!chosen || (buffer->name[0] == '\0' && chosen->name[0] != '\0'))
			chosen = buffer;
	}
	return chosen;
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

static void read_pages(struct dat_reader *reader, struct names *names, event_sink *sink,
		       void *context)
{
	uint32_t n = reader->buffer->n_cpus;

	reader->streams = mem_zero(n, sizeof *reader->streams);
	place_streams(reader);
	merger_init(&reader->merger, names, reader->dat->meta, n, give_page, reader, sink, context);
	for (uint32_t i = 0; i < n; i++)
		reader->merger.streams[i].cpu = reader->buffer->cpus[i].cpu;
	merger_run(&reader->merger);
	for (uint32_t i = 0; i < n; i++) {
		free(reader->streams[i].bytes);
		free(reader->streams[i].packed);
	}
	free(reader->streams);
}

static int judge(const struct dat_reader *reader, uint32_t n_others, struct error *err)
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
	if (n_others) {
		error_set(err, "holds the buffers of %u more instances, which are not read",
			  (unsigned)n_others);
		return 1;
	}
	return 0;
}

int tracedat_read(int fd, struct names *names, event_sink *sink, void *context,
		  struct tracedat_info *info, struct trace_counts *counts, const _Atomic bool *stop,
		  struct error *err)
{
	struct dat dat;
	struct dat_reader reader = {.dat = &dat, .stop = stop};
	uint32_t n_others;
	int status = dat_open(&dat, fd, err);

	*info = (struct tracedat_info){.version = dat.version};
	*counts = (struct trace_counts){0};
	memcpy(info->kernel, dat.kernel, sizeof info->kernel);
	if (status == 0) {
		reader.buffer = choose_buffer(&dat, &n_others);
		if (!reader.buffer)
			status = dat.has_text
					 ? error_set(err,
						     "holds a latency trace, which is "
						     "not read: trace-cmd report makes text of it")
				 : dat.truncated
					 ? error_set(err, "is cut off before its first event")
					 : 0;
		else
			status = check_buffer(&dat, reader.buffer, err) ||
						 !trace_meta_usable(dat.meta, err)
					 ? -1
					 : 0;
		if (status == 0 && reader.buffer) {
			read_pages(&reader, names, sink, context);
			*counts = reader.merger.counts;
			info->events = reader.merger.mode == MODE_CALLS;
			if (counts->lost_events == 0)
				counts->lost_events = dat.overruns;
			reader.merger.counts.n_unread = 0; /* theirs now */
			merger_release(&reader.merger);
			status = judge(&reader, n_others, err);
		}
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
