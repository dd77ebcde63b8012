/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread that reads: nothing that takes long happens here. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live-internal.h"

/*
 * Buffers of the kernel may say that they are readable only when they are half
 * full: they are asked again after this time.
 */
#define ASK_AGAIN_MS 50

struct stream {
	int fd;
	bool gone;
	bool nonblocking;
	struct chunk *part; /* of a page that has not come whole */
};

struct drain {
	struct live *live;
	struct stream *streams;
	struct pollfd *polls; /* of the streams, and of what wakes us */
	uint32_t n, n_gone;
	bool paused;
	bool tells; /* poll() says whatever comes: a pipe */
	uint64_t next_overruns_ns;
};

static struct chunk *new_chunk(struct live *live)
{
	struct chunk *chunk;

	pthread_mutex_lock(&live->lock);
	chunk = queue_new_chunk(&live->queue, CHUNK_BYTES_READ, CHUNK_BYTES);
	pthread_mutex_unlock(&live->lock);
	return chunk;
}

/* Waits while the queue is full: then the kernel's buffers must do. */
static void put(struct live *live, struct chunk *chunk)
{
	pthread_mutex_lock(&live->lock);
	while (live->queue.bytes > QUEUE_BYTES_MAX && !live->stop)
		pthread_cond_wait(&live->changed, &live->lock);
	queue_put(&live->queue, chunk);
	pthread_cond_broadcast(&live->changed);
	pthread_mutex_unlock(&live->lock);
}

static void put_kind(struct live *live, enum chunk_kind kind, uint64_t ticket)
{
	struct chunk *chunk;

	pthread_mutex_lock(&live->lock);
	chunk = queue_new_chunk(&live->queue, kind, 0);
	chunk->ticket = ticket;
	queue_put(&live->queue, chunk);
	pthread_cond_broadcast(&live->changed);
	pthread_mutex_unlock(&live->lock);
}

static void give_back(struct live *live, struct chunk *chunk)
{
	pthread_mutex_lock(&live->lock);
	queue_give_back(&live->queue, chunk);
	pthread_mutex_unlock(&live->lock);
}

static void note_error(struct drain *drain, uint32_t index, int number)
{
	struct live *live = drain->live;
	char why[128];

	if (live->text_fd >= 0)
		snprintf(why, sizeof why, "%s", strerror(number));
	else
		snprintf(why, sizeof why, "CPU %u: %s", (unsigned)index, strerror(number));
	pthread_mutex_lock(&live->lock);
	if (!live->error[0])
		snprintf(live->error, sizeof live->error, "cannot read '%s' any more: %s",
			 live->name, why);
	pthread_mutex_unlock(&live->lock);
}

static void lose(struct drain *drain, uint32_t index)
{
	drain->streams[index].gone = true;
	drain->polls[index].fd = -1;
	drain->n_gone++;
}

static bool is_ready(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return poll(&poll_fd, 1, 0) > 0;
}

/* Reads what is there, but no more than fills the chunk; asked: poll() said there is some. */
static void fill(struct drain *drain, uint32_t index, struct chunk *chunk, bool asked)
{
	struct stream *stream = &drain->streams[index];
	size_t page = drain->live->page_bytes;

	while (chunk->room - chunk->n >= (page ? page : 1)) {
		ssize_t n = read(stream->fd, chunk->bytes + chunk->n, chunk->room - chunk->n);

		if (n > 0) {
			chunk->n += (size_t)n;
			asked = false;
			if (stream->nonblocking || is_ready(stream->fd))
				continue;
			return;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		/* nobody may be writing to a FIFO yet: its end counts where poll() tells */
		if (n == 0 && !asked)
			return;
		if (n < 0)
			note_error(drain, index, errno);
		lose(drain, index);
		return;
	}
}

/* Pages that came in parts wait for the rest. */
static void keep_part(struct drain *drain, uint32_t index, struct chunk *chunk)
{
	size_t page = drain->live->page_bytes;
	struct chunk *part;

	if (!page || chunk->n % page == 0)
		return;
	part = new_chunk(drain->live);
	part->n = chunk->n % page;
	chunk->n -= part->n;
	memcpy(part->bytes, chunk->bytes + chunk->n, part->n);
	drain->streams[index].part = part;
}

/* Whether anything whole came of the stream. */
static bool read_stream(struct drain *drain, uint32_t index, struct chunk **read, bool asked)
{
	struct stream *stream = &drain->streams[index];
	struct chunk *chunk = stream->part ? stream->part : new_chunk(drain->live);

	stream->part = NULL;
	fill(drain, index, chunk, asked);
	keep_part(drain, index, chunk);
	if (chunk->n == 0 || drain->paused) {
		give_back(drain->live, chunk);
		return false;
	}
	chunk->cpu = index;
	*read = chunk;
	return true;
}

/*
 * One time round. What nothing came of was empty after the others' pages of the
 * round before had been read: that is said before this round's pages.
 */
static bool read_round(struct drain *drain)
{
	struct live *live = drain->live;
	struct chunk **read = mem_zero(drain->n, sizeof(struct chunk *));
	struct chunk *round = NULL;
	bool any = false;

	if (live->page_bytes) {
		pthread_mutex_lock(&live->lock);
		round = queue_new_chunk(&live->queue, CHUNK_ROUND, drain->n);
		pthread_mutex_unlock(&live->lock);
		round->n = drain->n;
	}
	for (uint32_t i = 0; i < drain->n; i++) {
		const struct stream *stream = &drain->streams[i];
		bool asked = drain->polls[i].revents != 0;
		bool came = false;

		if (!stream->gone && (asked || stream->nonblocking))
			came = read_stream(drain, i, &read[i], asked);
		any |= came;
		if (round)
			round->bytes[i] = !came;
	}
	if (round)
		put(live, round);
	for (uint32_t i = 0; i < drain->n; i++)
		if (read[i])
			put(live, read[i]);
	free(read);
	return any;
}

static void ask_overruns(struct drain *drain)
{
	struct live *live = drain->live;
	uint64_t now = live_now_ns(), lost;

	if (!live->overruns || now < drain->next_overruns_ns)
		return;
	drain->next_overruns_ns = now + NS_PER_S;
	lost = live->overruns(live->owner);
	pthread_mutex_lock(&live->lock);
	live->lost_by_overruns = lost;
	pthread_mutex_unlock(&live->lock);
}

static void begin_pause(struct drain *drain)
{
	for (uint32_t i = 0; i < drain->n; i++) {
		if (drain->streams[i].part)
			drain->streams[i].part->n = 0;
	}
	put_kind(drain->live, CHUNK_PAUSE, 0);
}

/* What others want; false where it is to stop. marks: recordings asked for by now. */
static bool take_orders(struct drain *drain, uint64_t *marks)
{
	struct live *live = drain->live;
	bool stop, paused;

	pthread_mutex_lock(&live->lock);
	stop = live->stop;
	paused = live->paused;
	*marks = live->tickets;
	pthread_mutex_unlock(&live->lock);
	if (paused && !drain->paused)
		begin_pause(drain);
	drain->paused = paused;
	return !stop;
}

static void clear_wake(int fd)
{
	uint64_t count;

	if (read(fd, &count, sizeof count) < 0)
		return;
}

static void drain_all(struct drain *drain)
{
	struct live *live = drain->live;
	uint64_t marks, marked = 0;
	bool any = false;

	while (take_orders(drain, &marks) && drain->n_gone < drain->n) {
		int timeout = any || marks > marked ? 0 : drain->tells ? -1 : ASK_AGAIN_MS;

		if (poll(drain->polls, drain->n + 1, timeout) < 0 && errno != EINTR)
			break;
		if (drain->polls[drain->n].revents)
			clear_wake(live->wake_fd);
		any = read_round(drain);
		ask_overruns(drain);
		if (marks > marked) {
			if (live->page_bytes)
				read_round(drain);
			put_kind(live, CHUNK_MARK, marks);
			marked = marks;
		}
	}
}

static void init(struct drain *drain, struct live *live)
{
	struct stat status;

	drain->live = live;
	drain->n = live->text_fd >= 0 ? 1 : live->n_cpus;
	drain->streams = mem_zero(drain->n, sizeof *drain->streams);
	drain->polls = mem_zero((size_t)drain->n + 1, sizeof *drain->polls);
	for (uint32_t i = 0; i < drain->n; i++) {
		int fd = live->text_fd >= 0 ? live->text_fd : live->page_fds[i];

		drain->streams[i].fd = fd;
		drain->polls[i] = (struct pollfd){.fd = fd, .events = POLLIN};
		if (fd < 0)
			lose(drain, i);
		else
			drain->streams[i].nonblocking = fcntl(fd, F_GETFL) & O_NONBLOCK;
	}
	drain->tells = live->text_fd >= 0 && fstat(live->text_fd, &status) == 0 &&
		       !S_ISREG(status.st_mode);
	drain->polls[drain->n] = (struct pollfd){.fd = live->wake_fd, .events = POLLIN};
}

void *live_drain(void *context)
{
	struct drain drain = {0};

	init(&drain, context);
	drain_all(&drain);
	for (uint32_t i = 0; i < drain.n; i++)
		free(drain.streams[i].part);
	put_kind(drain.live, CHUNK_END, 0);
	free(drain.streams);
	free(drain.polls);
	return NULL;
}
