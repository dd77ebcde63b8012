/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	/* under the lock */
	struct job *queue, **queue_end;
	struct job *running;
	struct job *finished, **finished_end;
	bool ending;
	/* the submitter's */
	int fd;
	void *owner;
};

static void append(struct job ***end, struct job *job)
{
	job->next = NULL;
	**end = job;
	*end = &job->next;
}

static struct job *take_first(struct job **list, struct job ***end)
{
	struct job *job = *list;

	if (job) {
		*list = job->next;
		if (!*list)
			*end = list;
	}
	return job;
}

/* Under the lock. Urgent ones go behind the urgent ones, before the rest. */
static void enqueue(struct worker *worker, struct job *job)
{
	struct job **at = &worker->queue;

	while (*at && ((*at)->urgent || !job->urgent))
		at = &(*at)->next;
	job->next = *at;
	*at = job;
	if (!job->next)
		worker->queue_end = &job->next;
}

static void tell(const struct worker *worker)
{
	const uint64_t one = 1;

	/* fails only where the counter is full, and then it is readable anyway */
	if (write(worker->fd, &one, sizeof one) < 0)
		return;
}

static void *work(void *argument)
{
	struct worker *worker = argument;

	pthread_mutex_lock(&worker->lock);
	for (;;) {
		while (!worker->queue && !worker->ending)
			pthread_cond_wait(&worker->wake, &worker->lock);
		if (worker->ending)
			break;
		worker->running = take_first(&worker->queue, &worker->queue_end);
		pthread_mutex_unlock(&worker->lock);
		worker->running->run(worker->running, &worker->running->stop);
		pthread_mutex_lock(&worker->lock);
		append(&worker->finished_end, worker->running);
		worker->running = NULL;
		tell(worker);
	}
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

struct worker *worker_new(void *owner)
{
	struct worker *worker = mem_zero(1, sizeof *worker);
	sigset_t all, before;

	worker->owner = owner;
	worker->queue_end = &worker->queue;
	worker->finished_end = &worker->finished;
	worker->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->wake, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (worker->fd < 0 || pthread_create(&worker->thread, NULL, work, worker)) {
		if (worker->fd >= 0)
			close(worker->fd);
		free(worker);
		worker = NULL;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return worker;
}

static void release_all(struct job *job)
{
	struct job *next;

	for (; job; job = next) {
		next = job->next;
		job->release(job);
	}
}

void worker_free(struct worker *worker)
{
	if (!worker)
		return;
	pthread_mutex_lock(&worker->lock);
	worker->ending = true;
	if (worker->running)
		atomic_store(&worker->running->stop, true);
	pthread_cond_signal(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
	pthread_join(worker->thread, NULL);
	release_all(worker->queue);
	release_all(worker->finished);
	pthread_cond_destroy(&worker->wake);
	pthread_mutex_destroy(&worker->lock);
	close(worker->fd);
	free(worker);
}

int worker_fd(const struct worker *worker)
{
	return worker->fd;
}

/*
 * Under the lock. What waits is taken out and returned for release; what runs
 * or is finished is stopped, which keeps it from being done.
 */
static struct job *withdraw(struct worker *worker, uint64_t slot)
{
	struct job *out = NULL;

	for (struct job **at = &worker->queue; *at;) {
		struct job *job = *at;

		if (job->slot != slot) {
			at = &job->next;
			continue;
		}
		*at = job->next;
		job->next = out;
		out = job;
	}
	worker->queue_end = &worker->queue;
	while (*worker->queue_end)
		worker->queue_end = &(*worker->queue_end)->next;
	if (worker->running && worker->running->slot == slot)
		atomic_store(&worker->running->stop, true);
	for (struct job *job = worker->finished; job; job = job->next)
		if (job->slot == slot)
			atomic_store(&job->stop, true);
	return out;
}

void worker_submit(struct worker *worker, struct job *job)
{
	struct job *old;

	atomic_init(&job->stop, false);
	pthread_mutex_lock(&worker->lock);
	old = withdraw(worker, job->slot);
	enqueue(worker, job);
	pthread_cond_signal(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
	release_all(old);
}

void worker_cancel(struct worker *worker, uint64_t slot)
{
	struct job *old;

	pthread_mutex_lock(&worker->lock);
	old = withdraw(worker, slot);
	pthread_mutex_unlock(&worker->lock);
	release_all(old);
}

int worker_collect(struct worker *worker)
{
	struct job *job;
	uint64_t ignored;
	int n = 0;

	while (read(worker->fd, &ignored, sizeof ignored) > 0)
		;
	for (;;) {
		pthread_mutex_lock(&worker->lock);
		job = take_first(&worker->finished, &worker->finished_end);
		pthread_mutex_unlock(&worker->lock);
		if (!job)
			return n;
		if (!atomic_load(&job->stop)) {
			job->done(job, worker->owner);
			n++;
		}
		job->release(job);
	}
}

static int count(const struct job *job)
{
	int n = 0;

	for (; job; job = job->next)
		n += !atomic_load(&job->stop);
	return n;
}

int worker_pending(const struct worker *worker)
{
	struct worker *mutable_worker = (struct worker *)worker;
	int n;

	pthread_mutex_lock(&mutable_worker->lock);
	n = count(worker->queue) + count(worker->finished);
	n += worker->running && !atomic_load(&worker->running->stop);
	pthread_mutex_unlock(&mutable_worker->lock);
	return n;
}
