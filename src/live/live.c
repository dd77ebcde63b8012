/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/live.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "live-internal.h"

#define RATE_SPAN_NS (2ull * NS_PER_S)

uint64_t live_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static char *copy_or_null(const char *text)
{
	return text ? mem_copy_text(text) : NULL;
}

static void init_locks(struct live *live)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&live->lock, NULL);
	pthread_cond_init(&live->changed, &attributes);
	pthread_cond_init(&live->served, &attributes);
	pthread_condattr_destroy(&attributes);
}

static struct live *new_live(const struct live_input *input, const struct live_options *options)
{
	struct live *live = mem_zero(1, sizeof *live);

	live->name = mem_copy_text(input->name);
	live->kernel = copy_or_null(input->kernel);
	live->scope = copy_or_null(input->scope);
	live->emulated = options->load->emulated != EMULATION_UNKNOWN ? options->load->emulated
								      : input->emulated;
	live->text_fd = input->text_fd;
	live->overruns = input->overruns;
	live->owner = input->owner;
	live->keeper = keeper_new(&(struct keeper_options){
		.load = options->load,
		.name = input->name,
		.kept_per_path = options->kept_per_path,
		.seed = options->seed,
	});
	live->ready_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	live->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	live->wanted = true;
	live->start_ns = live->figures.reset_ns = live_now_ns();
	keeper_tick(live->keeper, live->start_ns);
	init_locks(live);
	return live;
}

static void free_live(struct live *live)
{
	if (live->feed)
		live->feed->free(live->feed);
	keeper_free(live->keeper);
	recording_free(live->pending);
	queue_release(&live->queue);
	if (live->ready_fd >= 0)
		close(live->ready_fd);
	if (live->wake_fd >= 0)
		close(live->wake_fd);
	pthread_mutex_destroy(&live->lock);
	pthread_cond_destroy(&live->changed);
	pthread_cond_destroy(&live->served);
	free(live->page_fds);
	free(live->name);
	free(live->kernel);
	free(live->scope);
	free(live);
}

/* Signals are the business of the program's own thread. */
static int start_threads(struct live *live)
{
	sigset_t all, before;
	int status;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pthread_create(&live->parser, NULL, live_parse, live);
	if (status == 0) {
		status = pthread_create(&live->drainer, NULL, live_drain, live);
		if (status != 0) {
			pthread_mutex_lock(&live->lock);
			live->stop = true;
			pthread_cond_broadcast(&live->changed);
			pthread_mutex_unlock(&live->lock);
			pthread_join(live->parser, NULL);
		}
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}

static void take_pages(struct live *live, const struct live_input *input)
{
	live->n_cpus = input->n_cpus;
	live->page_fds = mem_alloc(input->n_cpus * sizeof *live->page_fds);
	if (input->n_cpus)
		memcpy(live->page_fds, input->page_fds, input->n_cpus * sizeof *live->page_fds);
	live->page_bytes = trace_meta_page_bytes(input->meta);
	live->feed = feed_pages_new(live->keeper, input->meta, input->n_cpus);
}

struct live *live_start(const struct live_input *input, const struct live_options *options,
			struct error *err)
{
	struct live *live = new_live(input, options);
	int status = live->ready_fd < 0 || live->wake_fd < 0 ? EMFILE : 0;

	if (live->text_fd >= 0)
		live->feed = feed_text_new(live->keeper);
	else if (trace_meta_usable(input->meta, err))
		take_pages(live, input);
	else
		status = -1;
	if (status == 0)
		status = start_threads(live);
	if (status == 0)
		return live;
	if (status > 0)
		error_set(err, "cannot read '%s': %s", input->name, strerror(status));
	free_live(live);
	return NULL;
}

int live_fd(const struct live *live)
{
	return live->ready_fd;
}

static void wake(const struct live *live)
{
	uint64_t one = 1;

	if (write(live->wake_fd, &one, sizeof one) < 0)
		return;
}

/* With the lock held. */
static struct recording *take_pending(struct live *live)
{
	struct recording *recording = live->pending;
	uint64_t count;

	live->pending = NULL;
	live->wanted = true;
	if (read(live->ready_fd, &count, sizeof count) < 0)
		count = 0;
	pthread_cond_broadcast(&live->changed);
	return recording;
}

struct recording *live_take(struct live *live)
{
	struct recording *recording;

	pthread_mutex_lock(&live->lock);
	recording = take_pending(live);
	pthread_mutex_unlock(&live->lock);
	return recording;
}

struct recording *live_take_now(struct live *live)
{
	struct recording *recording;
	uint64_t ticket;

	pthread_mutex_lock(&live->lock);
	ticket = ++live->tickets;
	wake(live);
	pthread_cond_broadcast(&live->changed);
	while (live->made < ticket)
		pthread_cond_wait(&live->served, &live->lock);
	recording = take_pending(live);
	pthread_mutex_unlock(&live->lock);
	return recording;
}

void live_pause(struct live *live, bool paused)
{
	pthread_mutex_lock(&live->lock);
	live->paused = paused;
	wake(live);
	pthread_mutex_unlock(&live->lock);
}

void live_reset(struct live *live)
{
	pthread_mutex_lock(&live->lock);
	live->reset_asked = true;
	pthread_cond_broadcast(&live->changed);
	pthread_mutex_unlock(&live->lock);
}

void live_free(struct live *live)
{
	if (!live)
		return;
	pthread_mutex_lock(&live->lock);
	live->stop = true;
	wake(live);
	pthread_cond_broadcast(&live->changed);
	pthread_mutex_unlock(&live->lock);
	pthread_join(live->drainer, NULL);
	pthread_join(live->parser, NULL);
	free_live(live);
}

/* The newest point that is old enough, else the oldest there is. */
static const struct rate_point *rate_from(const struct live *live, uint64_t now)
{
	unsigned n = live->n_rates < N_RATE_POINTS ? live->n_rates : N_RATE_POINTS;
	const struct rate_point *point = NULL;

	for (unsigned i = 1; i <= n; i++) {
		point = &live->rates[(live->n_rates - i) % N_RATE_POINTS];
		if (now - point->time_ns >= RATE_SPAN_NS)
			break;
	}
	return point;
}

static void fill_rates(const struct live *live, uint64_t now, struct live_status *status)
{
	const struct rate_point *from = rate_from(live, now);
	double seconds;

	if (!from || now <= from->time_ns)
		return;
	seconds = (double)(now - from->time_ns) / NS_PER_S;
	status->events_per_second = (double)(live->figures.events - from->events) / seconds;
	status->executions_per_second =
		(double)(live->figures.executions - from->executions) / seconds;
}

/* Where nothing comes nobody else does it, and the rate would fall for ever. */
static void add_rate_point(struct live *live, uint64_t now)
{
	const struct rate_point *last = &live->rates[(live->n_rates - 1) % N_RATE_POINTS];

	if (live->n_rates && now - last->time_ns >= NS_PER_S / 2)
		live->rates[live->n_rates++ % N_RATE_POINTS] = (struct rate_point){
			now,
			live->figures.events,
			live->figures.executions,
		};
}

static uint64_t time_of(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_usec * 1000;
}

/* Over the last second or so: who asks more often gets the same again. */
static void measure_cpu(struct live *live, uint64_t now)
{
	struct rusage usage;
	uint64_t used;

	if (live->cpu_asked_ns && now - live->cpu_asked_ns < NS_PER_S)
		return;
	getrusage(RUSAGE_SELF, &usage);
	used = time_of(&usage.ru_utime) + time_of(&usage.ru_stime);
	if (live->cpu_asked_ns)
		live->own_cpu =
			(double)(used - live->cpu_used_ns) / (double)(now - live->cpu_asked_ns);
	live->cpu_asked_ns = now;
	live->cpu_used_ns = used;
}

static uint64_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long size, resident = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%llu %llu", &size, &resident) != 2)
		resident = 0;
	fclose(file);
	return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

void live_status(const struct live *live_const, struct live_status *status)
{
	struct live *live = (struct live *)live_const; /* the lock is */
	uint64_t now = live_now_ns();

	*status = (struct live_status){.resident_bytes = resident_bytes()};
	pthread_mutex_lock(&live->lock);
	measure_cpu(live, now);
	fill_rates(live, now, status);
	add_rate_point(live, now);
	status->elapsed_ns = now - live->start_ns;
	status->since_reset_ns = now - live->figures.reset_ns;
	status->events = live->figures.events - live->figures.events_before;
	status->executions = live->figures.executions;
	status->lost_events = live->figures.lost_events - live->figures.lost_before;
	status->own_cpu = live->own_cpu;
	status->ended = live->ended;
	status->paused = live->paused;
	status->thinned = live->figures.thinned;
	status->snapshot_ns = live->figures.snapshot_ns;
	memcpy(status->error, live->error, sizeof status->error);
	pthread_mutex_unlock(&live->lock);
}
