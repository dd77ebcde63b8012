/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs on a thread: results come back, newer ones replace older ones, nothing leaks or is done
 * twice. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../src/tui/worker.h"

/* What happened; each job says where it is noted. */
struct log {
	_Atomic int ran, stopped;
	int done, released;
	uint64_t last;	 /* of what was done */
	int place[8];	 /* in the order of what was done, by value */
	_Atomic bool go; /* lets a waiting job end */
};

struct test_job {
	struct job job;
	struct log *log;
	uint64_t value;
	bool waits;
};

static void run(struct job *job, const _Atomic bool *stop)
{
	struct test_job *this = (struct test_job *)job;

	while (this->waits && !atomic_load(&this->log->go))
		if (atomic_load(stop)) {
			atomic_fetch_add(&this->log->stopped, 1);
			return;
		}
	atomic_fetch_add(&this->log->ran, 1);
}

static void done(struct job *job, void *owner)
{
	struct test_job *this = (struct test_job *)job;

	assert_ptr_equal(owner, this->log);
	if (this->value < COUNT_OF(this->log->place))
		this->log->place[this->value] = this->log->done;
	this->log->done++;
	this->log->last = this->value;
}

static void release(struct job *job)
{
	struct test_job *this = (struct test_job *)job;

	this->log->released++;
	free(this);
}

static void submit(struct worker *worker, struct log *log, uint64_t slot, uint64_t value,
		   bool waits)
{
	struct test_job *job = mem_zero(1, sizeof *job);

	job->job = (struct job){.slot = slot, .run = run, .done = done, .release = release};
	job->log = log;
	job->value = value;
	job->waits = waits;
	worker_submit(worker, &job->job);
}

static void submit_urgent(struct worker *worker, struct log *log, uint64_t slot, uint64_t value)
{
	struct test_job *job = mem_zero(1, sizeof *job);

	job->job = (struct job){
		.slot = slot, .urgent = true, .run = run, .done = done, .release = release};
	job->log = log;
	job->value = value;
	worker_submit(worker, &job->job);
}

static void collect_all(struct worker *worker)
{
	while (worker_pending(worker)) {
		struct pollfd wait = {.fd = worker_fd(worker), .events = POLLIN};

		poll(&wait, 1, -1);
		worker_collect(worker);
	}
}

static void test_each_job_is_done_once(void **state)
{
	struct log log = {0};
	struct worker *worker = worker_new(&log);

	(void)state;
	for (uint64_t i = 1; i <= 100; i++)
		submit(worker, &log, i, i, false);
	collect_all(worker);
	assert_int_equal(log.done, 100);
	assert_int_equal(log.released, 100);
	/* in the order of submission */
	assert_int_equal(log.last, 100);
	assert_int_equal(worker_collect(worker), 0);
	worker_free(worker);
}

static void test_newer_replaces_older(void **state)
{
	struct log log = {0};
	struct worker *worker = worker_new(&log);

	(void)state;
	submit(worker, &log, 7, 1, true);
	/* whether it runs or waits by now: only the last one is done */
	submit(worker, &log, 7, 2, true);
	submit(worker, &log, 7, 3, true);
	submit(worker, &log, 8, 4, true);
	assert_int_equal(worker_pending(worker), 2);
	atomic_store(&log.go, true);
	collect_all(worker);
	assert_int_equal(log.done, 2);
	assert_int_equal(log.last, 4);
	worker_free(worker);
	assert_int_equal(log.released, 4);
}

/* A job that is finished, but not yet collected, is replaced as well. */
static void test_a_finished_one_is_replaced(void **state)
{
	struct log log = {0};
	struct worker *worker = worker_new(&log);
	struct pollfd wait = {.fd = worker_fd(worker), .events = POLLIN};

	(void)state;
	submit(worker, &log, 1, 1, false);
	poll(&wait, 1, -1);
	submit(worker, &log, 1, 2, false);
	collect_all(worker);
	assert_int_equal(log.done, 1);
	assert_int_equal(log.last, 2);
	worker_free(worker);
	assert_int_equal(log.released, 2);
}

static void test_cancelled_jobs_are_not_done(void **state)
{
	struct log log = {0};
	struct worker *worker = worker_new(&log);

	(void)state;
	submit(worker, &log, 1, 1, true);
	submit(worker, &log, 2, 2, true);
	submit(worker, &log, 3, 3, true);
	worker_cancel(worker, 2);
	worker_cancel(worker, 1);
	worker_cancel(worker, 99);
	assert_int_equal(worker_pending(worker), 1);
	atomic_store(&log.go, true);
	collect_all(worker);
	assert_int_equal(log.done, 1);
	assert_int_equal(log.last, 3);
	worker_free(worker);
	assert_int_equal(log.released, 3);
}

/* What the user looks at goes first. */
static void test_urgent_ones_first(void **state)
{
	struct log log = {0};
	struct worker *worker = worker_new(&log);

	(void)state;
	submit(worker, &log, 1, 1, true);
	submit(worker, &log, 2, 2, false);
	submit_urgent(worker, &log, 3, 3);
	submit_urgent(worker, &log, 4, 4);
	submit(worker, &log, 5, 5, false);
	/* the first one may run by now or not */
	atomic_store(&log.go, true);
	collect_all(worker);
	assert_int_equal(log.done, 5);
	assert_true(log.place[3] < log.place[4]);
	assert_true(log.place[4] < log.place[2]);
	assert_true(log.place[2] < log.place[5]);
	worker_free(worker);
}

/* Leaving never waits for a job that could be stopped. */
static void test_the_end_stops_what_runs(void **state)
{
	struct log log = {0};
	struct worker *worker = worker_new(&log);

	(void)state;
	for (uint64_t i = 1; i <= 10; i++)
		submit(worker, &log, i, i, true);
	worker_free(worker);
	assert_int_equal(log.done, 0);
	assert_int_equal(log.released, 10);
	assert_int_equal(log.ran, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_job_is_done_once),
		cmocka_unit_test(test_newer_replaces_older),
		cmocka_unit_test(test_a_finished_one_is_replaced),
		cmocka_unit_test(test_cancelled_jobs_are_not_done),
		cmocka_unit_test(test_urgent_ones_first),
		cmocka_unit_test(test_the_end_stops_what_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
