/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread that understands what was read, and makes recordings of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live-internal.h"

/* Making recordings takes no more than a twentieth of the time. */
#define LEAST_INTERVAL_NS NS_PER_S
#define SHARE 20

/* With the lock held. */
static void publish(struct live *live, uint64_t now)
{
	const struct trace_counts *counts = live->feed->counts(live->feed);
	uint64_t lost = counts->lost_events + live->lost_by_overruns;
	const struct rate_point *last = &live->rates[(live->n_rates - 1) % N_RATE_POINTS];

	live->figures.events = counts->events;
	live->figures.lost_events = lost;
	live->figures.executions = keeper_executions(live->keeper);
	live->figures.thinned = keeper_thinned(live->keeper);
	if (live->n_rates && now - last->time_ns < RATE_STEP_NS)
		return;
	live->rates[live->n_rates++ % N_RATE_POINTS] = (struct rate_point){
		now,
		live->figures.events,
		live->figures.executions,
	};
}

static struct keeper_source describe(const struct live *live, uint64_t lost_by_overruns)
{
	const struct trace_counts *counts = live->feed->counts(live->feed);

	return (struct keeper_source){
		.name = live->name,
		.kernel = live->kernel,
		.scope = live->scope,
		.format = live->feed->format(live->feed),
		.emulated = live->emulated,
		.error = live->ended_seen ? live->feed->failure(live->feed) : NULL,
		.lost_events = counts->lost_events + lost_by_overruns,
		.unread_lines = counts->unread_lines,
		.unread = (const char *const *)counts->unread,
		.n_unread = counts->n_unread,
	};
}

static void signal_ready(const struct live *live)
{
	uint64_t one = 1;

	/* full only where it says so already */
	if (write(live->ready_fd, &one, sizeof one) < 0)
		return;
}

/* Without the lock: others may go on meanwhile. */
static void make_recording(struct live *live, uint64_t ticket)
{
	uint64_t before = live_now_ns(), took, lost;
	struct keeper_source source;
	struct recording *recording, *old;

	pthread_mutex_lock(&live->lock);
	lost = live->lost_by_overruns;
	live->anything_new = false;
	pthread_mutex_unlock(&live->lock);
	source = describe(live, lost);
	recording = keeper_recording(live->keeper, &source);
	took = live_now_ns() - before;
	live->next_recording_ns =
		before + (SHARE * took > LEAST_INTERVAL_NS ? SHARE * took : LEAST_INTERVAL_NS);
	pthread_mutex_lock(&live->lock);
	old = live->pending;
	live->pending = recording;
	live->wanted = false;
	live->figures.snapshot_ns = took;
	if (ticket > live->made)
		live->made = ticket;
	signal_ready(live);
	pthread_cond_broadcast(&live->served);
	pthread_mutex_unlock(&live->lock);
	recording_free(old);
}

static void reset(struct live *live)
{
	struct keeper_source source;
	struct recording *old;

	pthread_mutex_lock(&live->lock);
	source = describe(live, live->lost_by_overruns);
	live->reset_asked = false;
	live->figures.reset_ns = live_now_ns();
	live->figures.events_before = live->feed->counts(live->feed)->events;
	live->figures.lost_before = source.lost_events;
	live->n_rates = 0;
	old = live->pending;
	live->pending = NULL;
	live->wanted = live->anything_new = true;
	pthread_mutex_unlock(&live->lock);
	live->next_recording_ns = 0;
	recording_free(old);
	keeper_reset(live->keeper, &source);
	pthread_mutex_lock(&live->lock);
	publish(live, live_now_ns());
	pthread_mutex_unlock(&live->lock);
}

static void take_end(struct live *live)
{
	const char *failure;

	live->feed->end(live->feed);
	keeper_end_run(live->keeper);
	live->ended_seen = true;
	failure = live->feed->failure(live->feed);
	pthread_mutex_lock(&live->lock);
	if (failure && !live->error[0])
		snprintf(live->error, sizeof live->error, "cannot read '%s': %s", live->name,
			 failure);
	publish(live, live_now_ns());
	pthread_mutex_unlock(&live->lock);
	make_recording(live, 0);
	pthread_mutex_lock(&live->lock);
	live->ended = live->drainer_done = true;
	signal_ready(live);
	pthread_mutex_unlock(&live->lock);
}

static void take_chunk(struct live *live, struct chunk *chunk)
{
	uint64_t now = live_now_ns();

	keeper_tick(live->keeper, now);
	switch (chunk->kind) {
	case CHUNK_BYTES_READ:
		live->feed->take(live->feed, chunk->cpu, chunk->bytes, chunk->n);
		break;
	case CHUNK_ROUND:
		live->feed->round(live->feed, (const bool *)chunk->bytes);
		break;
	case CHUNK_PAUSE:
		live->feed->cut(live->feed);
		keeper_end_run(live->keeper);
		break;
	case CHUNK_MARK:
		make_recording(live, chunk->ticket);
		break;
	case CHUNK_END:
		take_end(live);
		break;
	}
	pthread_mutex_lock(&live->lock);
	if (chunk->kind == CHUNK_BYTES_READ || chunk->kind == CHUNK_PAUSE)
		live->anything_new = true;
	publish(live, now);
	queue_give_back(&live->queue, chunk);
	pthread_mutex_unlock(&live->lock);
}

/* With the lock held: until there is something to do, or a recording may be made. */
static void wait_for_work(struct live *live)
{
	struct timespec until = {
		.tv_sec = (time_t)(live->next_recording_ns / NS_PER_S),
		.tv_nsec = (long)(live->next_recording_ns % NS_PER_S),
	};

	if (live->wanted && live->anything_new)
		pthread_cond_timedwait(&live->changed, &live->lock, &until);
	else
		pthread_cond_wait(&live->changed, &live->lock);
}

/* With the lock held. Reading comes first where it has fallen behind, for a while. */
static bool may_make_recording(const struct live *live)
{
	uint64_t now = live_now_ns(), late = live->next_recording_ns;

	if (!live->wanted || !live->anything_new || now < live->next_recording_ns)
		return false;
	return live->queue.bytes < QUEUE_BYTES_MAX / 2 || now - late >= NS_PER_S;
}

enum work { WORK_STOP, WORK_CHUNK, WORK_RESET, WORK_RECORDING, WORK_TICKET };

static enum work next_work(struct live *live, struct chunk **chunk, uint64_t *ticket)
{
	enum work work;

	pthread_mutex_lock(&live->lock);
	for (;;) {
		*ticket = live->tickets;
		if (live->stop)
			work = WORK_STOP;
		else if (live->reset_asked)
			work = WORK_RESET;
		else if (may_make_recording(live))
			work = WORK_RECORDING;
		else if ((*chunk = queue_take(&live->queue)))
			work = WORK_CHUNK;
		else if (live->drainer_done && live->tickets > live->made)
			work = WORK_TICKET;
		else {
			wait_for_work(live);
			continue;
		}
		break;
	}
	if (work == WORK_CHUNK)
		pthread_cond_broadcast(&live->changed);
	pthread_mutex_unlock(&live->lock);
	return work;
}

void *live_parse(void *context)
{
	struct live *live = context;
	struct chunk *chunk = NULL;
	uint64_t ticket;

	for (;;) {
		switch (next_work(live, &chunk, &ticket)) {
		case WORK_STOP:
			return NULL;
		case WORK_RESET:
			reset(live);
			break;
		case WORK_RECORDING:
			make_recording(live, 0);
			break;
		case WORK_TICKET:
			make_recording(live, ticket);
			break;
		case WORK_CHUNK:
			take_chunk(live, chunk);
			break;
		}
	}
}
