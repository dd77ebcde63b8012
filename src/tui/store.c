/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "jobs.h"

#define BUCKETS 4096
/* Samples up to this size are summarised at once: it costs less than a job. */
#define AT_ONCE_VALUES 50000
/* ... but not more than this in one go: a key never waits. */
#define AT_ONCE_BUDGET 400000
/* ... and while data flow this is done every second. */
#define AT_ONCE_BUDGET_MODEST 100000
#define KEPT_RESULTS 4000
/* Of a processor's time, for computing again what new data have made old. */
#define RENEWAL_SHARE 0.2
#define RENEWAL_SAVED_NS 400000000 /* that may be saved up */
#define RENEWAL_NICE 10
#define GROWN 1.1 /* times as many executions make an old result worth a remark */

enum { QUICK, SLOW }; /* the workers: parameters never wait for intervals */

struct entry {
	struct entry *next_entry;
	enum result_kind kind;
	uint64_t slot;
	/* what is wanted, with the version of its data; "same" is the same without that */
	uint64_t key, same;
	uint64_t done_key, done_same; /* of value; 0: none */
	uint64_t queued, queued_same; /* of the job on its way; 0: none */
	void *value;
	void *next;	 /* a fit's first stage, while one of older data stays with its intervals */
	uint32_t wanted; /* by panels */
	/* of data that have moved on */
	struct question question;
	bool renew;
	uint64_t done_n, done_ns;
	uint64_t cost_ns; /* of all stages, the last time */
};

struct store {
	struct recording *recording;
	uint64_t generation;
	bool modest;
	double saved_ns; /* of the time for computing again; below 0: owed */
	uint64_t saved_at_ns;
	struct worker *workers[STORE_FDS];
	struct sample_cache caches[STORE_FDS];
	struct sample_cache inline_cache; /* of the caller's thread */
	store_news news;
	void *owner;
	uint64_t (*deadline)(void *owner, const char *call);
	void *deadline_owner;
	struct entry *buckets[BUCKETS];
	size_t n_entries;
	/* the build that is going on */
	enum panel_id panel;
	struct settings settings;
	uint32_t call, path; /* what the user looks at */
	uint64_t spent;	     /* values summarised at once */
	/* replaced, but the panels on the screen may still point to them */
	struct retired {
		enum result_kind kind;
		void *value;
	} * retired;
	size_t n_retired, retired_room;
};

static void retire(struct store *store, enum result_kind kind, void *value)
{
	if (!value)
		return;
	ARRAY_RESERVE(store->retired, store->n_retired, store->retired_room);
	store->retired[store->n_retired++] = (struct retired){kind, value};
}

static void free_retired(struct store *store)
{
	for (size_t i = 0; i < store->n_retired; i++)
		result_free(store->retired[i].kind, store->retired[i].value);
	store->n_retired = 0;
}

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

struct hash {
	uint64_t value;
};

static void hash_add(struct hash *hash, uint64_t value)
{
	for (int i = 0; i < 8; i++, value >>= 8)
		hash->value = (hash->value ^ (value & 0xff)) * 0x100000001b3u;
}

static void hash_double(struct hash *hash, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	hash_add(hash, bits);
}

static uint64_t hash_end(const struct hash *hash)
{
	return hash->value ? hash->value : 1;
}

/* Which sample: never by its place, which another recording gives to another path. */
static void hash_sample(struct hash *hash, const struct question *question)
{
	hash_add(hash, question->subject);
	hash_add(hash, question->settings.identity);
}

static void add_subject(const struct store *store, struct question *question, uint32_t path_index)
{
	const struct call *call = &store->recording->calls[question->call];
	enum identity identity = question->settings.identity;
	const struct path *path =
		path_index == PATH_ALL ? NULL : &call->paths[identity][path_index];
	uint32_t n = path ? path->n_executions : call->n_executions;
	struct hash subject = {question->subject}, version = {question->version};

	hash_add(&subject, view_identity(call->name));
	hash_add(&subject, path ? view_identity(path->id) : 1);
	question->subject = subject.value;
	if (!store->recording->live)
		return;
	hash_add(&version, path ? path->n_seen : call->n_seen);
	hash_add(&version, path ? path->n_disturbed_seen : call->n_disturbed_seen);
	hash_add(&version, n);
	/* as many again after a reset are others all the same */
	if (n) {
		const uint32_t *order = path ? call->order[identity] + path->first : NULL;

		hash_add(&version, call->duration_ns[order ? order[0] : 0]);
		hash_add(&version, call->duration_ns[order ? order[n - 1] : n - 1]);
	}
	question->version = version.value;
	question->n = path ? path->n_seen : call->n_seen;
}

/* Everything that the result depends on, but for the version of the data. */
static uint64_t question_same(const struct question *question)
{
	struct hash hash = {0xcbf29ce484222325u};
	const struct settings *settings = &question->settings;

	hash_add(&hash, question->kind == RESULT_INTERVALS ? RESULT_FIT : question->kind);
	hash_sample(&hash, question);
	hash_add(&hash, settings->stratum);
	hash_add(&hash, settings->time);
	if (question->kind == RESULT_SUMMARY || question->kind == RESULT_SAMPLE)
		return hash_end(&hash);
	if (question->kind == RESULT_DENSITY) {
		const struct view_density *wanted = &question->density;

		hash_add(&hash, wanted->kind);
		hash_add(&hash, (uint64_t)wanted->weighted << 32 | wanted->n_points);
		hash_add(&hash, wanted->scale);
		hash_double(&hash, wanted->quantile);
		hash_double(&hash, wanted->zoom_low);
		hash_double(&hash, wanted->zoom_high);
		return hash_end(&hash);
	}
	hash_add(&hash, settings->block_size);
	hash_add(&hash, settings->block_unit);
	hash_add(&hash, settings->tests);
	hash_double(&hash, settings->level);
	hash_add(&hash, settings->seed);
	if (question->kind == RESULT_TESTS)
		return hash_end(&hash);
	hash_add(&hash, settings->model);
	hash_add(&hash, settings->estimator);
	hash_add(&hash, settings->interval);
	hash_add(&hash, settings->unit);
	hash_double(&hash, settings->probability);
	hash_add(&hash, question->deadline_ns);
	return hash_end(&hash);
}

static uint64_t question_key(const struct question *question)
{
	struct hash hash = {question_same(question)};

	hash_add(&hash, question->version);
	return hash_end(&hash);
}

/* What a newer answer replaces: the same thing under other settings. extra tells apart the rest. */
static uint64_t question_slot(const struct question *question, uint64_t extra)
{
	struct hash hash = {0xcbf29ce484222325u};

	hash_add(&hash, question->kind == RESULT_INTERVALS ? RESULT_FIT : question->kind);
	hash_sample(&hash, question);
	hash_add(&hash, extra);
	if (question->kind == RESULT_DENSITY) {
		hash_add(&hash, question->density.kind);
		hash_add(&hash, question->density.scale);
	}
	if (question->kind == RESULT_SUMMARY)
		hash_add(&hash, question->settings.stratum);
	return hash_end(&hash);
}

static struct entry *find_entry(struct store *store, enum result_kind kind, uint64_t slot)
{
	struct entry **at = &store->buckets[slot % BUCKETS];

	while (*at && (*at)->slot != slot)
		at = &(*at)->next_entry;
	if (!*at) {
		*at = mem_zero(1, sizeof **at);
		(*at)->slot = slot;
		(*at)->kind = kind;
		store->n_entries++;
	}
	return *at;
}

static void run_job(struct job *job, const _Atomic bool *stop)
{
	struct result_job *this = (struct result_job *)job;
	uint64_t before = now_ns();
	void *value;

	/* of this thread alone */
	if (this->modest)
		setpriority(PRIO_PROCESS, 0, RENEWAL_NICE);
	sample_cache_turn_to(this->cache, this->generation);
	value = result_compute(&this->question, this->recording, this->cache, this->value, stop);
	if (value)
		this->value = value;
	this->cost_ns = now_ns() - before;
}

static void release_job(struct job *job)
{
	struct result_job *this = (struct result_job *)job;

	result_free(this->question.kind, this->value);
	recording_free(this->recording);
	free(this);
}

static void job_done(struct job *job, void *owner);

static void submit(struct store *store, struct entry *entry, const struct question *question,
		   uint64_t key, void *before)
{
	bool slow = question->kind == RESULT_INTERVALS || question->kind == RESULT_TESTS ||
		    question->kind == RESULT_STABILITY;
	struct result_job *job = mem_zero(1, sizeof *job);

	job->job.slot = entry->slot;
	job->job.urgent = question->call == store->call && question->path == store->path &&
			  (question->kind == RESULT_FIT || question->kind == RESULT_INTERVALS);
	job->job.run = run_job;
	job->job.done = job_done;
	job->job.release = release_job;
	job->question = *question;
	job->key = key;
	job->same = question_same(question);
	job->recording = recording_hold(store->recording);
	job->generation = store->generation;
	job->modest = store->modest;
	job->cache = &store->caches[slow ? SLOW : QUICK];
	job->value = before;
	entry->queued = key;
	entry->queued_same = job->same;
	/* an earlier stage or a later one of the same thing */
	worker_cancel(store->workers[slow ? QUICK : SLOW], entry->slot);
	worker_submit(store->workers[slow ? SLOW : QUICK], &job->job);
}

/* The second stage works on a copy: the first one stays on the screen. */
static void submit_intervals(struct store *store, struct entry *entry,
			     const struct question *question, uint64_t key,
			     const struct fit *first_stage)
{
	struct question next = *question;
	struct fit *copy = mem_zero(1, sizeof *copy);

	next.kind = RESULT_INTERVALS;
	fit_copy(copy, first_stage);
	submit(store, entry, &next, key, copy);
}

static bool lacks_intervals(const struct entry *entry, const void *value)
{
	return entry->kind == RESULT_FIT && value && ((const struct fit *)value)->pending;
}

static void drop_next(struct store *store, struct entry *entry)
{
	retire(store, entry->kind, entry->next);
	entry->next = NULL;
}

static void job_done(struct job *job, void *owner)
{
	struct result_job *this = (struct result_job *)job;
	struct store *store = owner;
	struct entry *entry = find_entry(store, this->question.kind, job->slot);
	bool first = this->question.kind == RESULT_FIT && lacks_intervals(entry, this->value);

	if (this->key != entry->queued)
		return;
	store->saved_ns -= (double)this->cost_ns;
	entry->cost_ns =
		this->cost_ns + (this->question.kind == RESULT_INTERVALS ? entry->cost_ns : 0);
	entry->queued = 0;
	drop_next(store, entry);
	if (first && entry->done_same == this->same && !lacks_intervals(entry, entry->value)) {
		/* the same of older data is more than half of the new: it stays meanwhile */
		entry->next = this->value;
		this->value = NULL;
		submit_intervals(store, entry, &this->question, this->key, entry->next);
		return;
	}
	retire(store, entry->kind, entry->value);
	entry->value = this->value;
	entry->done_key = this->key;
	entry->done_same = this->same;
	entry->done_n = this->question.n;
	entry->done_ns = now_ns();
	this->value = NULL;
	if (first)
		submit_intervals(store, entry, &this->question, this->key, entry->value);
	store->news(store->owner, entry->wanted);
}

/* Asks for a better answer than there is, or notes that there should be one when it may be. */
static void improve(struct store *store, struct entry *entry, const struct question *question)
{
	entry->renew = false;
	if (entry->done_key == entry->key) {
		if (lacks_intervals(entry, entry->value) && !entry->queued)
			submit_intervals(store, entry, question, entry->key, entry->value);
	} else if (entry->queued && entry->queued_same == entry->same) {
		/* of older data perhaps, but were it given up for newer ones it would never end */
	} else if (entry->value && entry->done_same == entry->same) {
		entry->question = *question;
		entry->renew = true;
	} else {
		submit(store, entry, question, entry->key, NULL);
	}
}

/* The answer there is; asks for a better one where it is not what is wanted. */
static const void *ask(struct store *store, const struct question *question, uint64_t extra,
		       bool *pending)
{
	struct entry *entry = find_entry(store, question->kind, question_slot(question, extra));

	entry->key = question_key(question);
	entry->same = question_same(question);
	entry->wanted |= 1u << store->panel;
	improve(store, entry, question);
	if (entry->done_key != entry->key && (entry->done_same != entry->same ||
					      (double)question->n > GROWN * (double)entry->done_n))
		*pending = true;
	return entry->value;
}

static struct question question_for(const struct store *store, enum result_kind kind, uint32_t call,
				    uint32_t path)
{
	struct question question = {.kind = kind, .call = call, .path = path};

	question.settings = store->settings;
	if (store->deadline)
		question.deadline_ns =
			store->deadline(store->deadline_owner, store->recording->calls[call].name);
	add_subject(store, &question, path);
	return question;
}

static bool has_samples(const struct store *store, uint32_t call, uint32_t path)
{
	if (call >= store->recording->n_calls)
		return false;
	return path == PATH_ALL ||
	       path < store->recording->calls[call].n_paths[store->settings.identity];
}

static void summarise_at_once(struct store *store, struct entry *entry,
			      const struct question *question, uint32_t n)
{
	store->spent += n + 100;
	retire(store, entry->kind, entry->value);
	sample_cache_turn_to(&store->inline_cache, store->generation);
	entry->value = result_compute(question, store->recording, &store->inline_cache, NULL, NULL);
	entry->done_key = entry->key = question_key(question);
	entry->done_same = entry->same = question_same(question);
	entry->done_n = question->n;
	entry->done_ns = now_ns();
	entry->queued = 0;
	entry->renew = false;
}

static const struct summary *ask_summary(void *owner, uint32_t call, uint32_t path,
					 enum stratum stratum, bool *pending)
{
	struct store *store = owner;
	struct question question;
	struct entry *entry;
	const struct call *of;
	uint32_t n;

	if (!has_samples(store, call, path))
		return NULL;
	of = &store->recording->calls[call];
	question = question_for(store, RESULT_SUMMARY, call, path);
	question.settings.stratum = stratum;
	n = path == PATH_ALL ? of->n_executions
			     : of->paths[store->settings.identity][path].n_executions;
	if (n <= AT_ONCE_VALUES &&
	    store->spent + n <= (store->modest ? AT_ONCE_BUDGET_MODEST : AT_ONCE_BUDGET)) {
		entry = find_entry(store, RESULT_SUMMARY, question_slot(&question, 0));
		if (entry->done_key != question_key(&question))
			summarise_at_once(store, entry, &question, n);
	}
	return ask(store, &question, 0, pending);
}

static const struct fit *ask_fit(void *owner, uint32_t call, uint32_t path, bool *pending)
{
	struct store *store = owner;
	struct question question;

	if (!has_samples(store, call, path))
		return NULL;
	question = question_for(store, RESULT_FIT, call, path);
	return ask(store, &question, 0, pending);
}

static const struct fit *ask_fit_with(void *owner, uint32_t call, uint32_t path,
				      const struct settings *settings, bool *pending)
{
	struct store *store = owner;
	struct question question;

	if (!has_samples(store, call, path))
		return NULL;
	question = question_for(store, RESULT_FIT, call, path);
	question.settings = *settings;
	/* each in its own place: several are on the screen at once */
	return ask(store, &question, question_same(&question), pending);
}

static const struct test_results *ask_tests(void *owner, uint32_t call, uint32_t path,
					    bool *pending)
{
	struct store *store = owner;
	struct question question;

	if (!has_samples(store, call, path))
		return NULL;
	question = question_for(store, RESULT_TESTS, call, path);
	return ask(store, &question, 0, pending);
}

static const struct stability *ask_stability(void *owner, uint32_t call, uint32_t path, size_t *n,
					     bool *pending)
{
	struct store *store = owner;
	struct question question;
	const struct stability *rows;

	*n = 0;
	if (!has_samples(store, call, path))
		return NULL;
	question = question_for(store, RESULT_STABILITY, call, path);
	rows = ask(store, &question, 0, pending);
	*n = rows ? n_block_size_steps : 0;
	return rows;
}

static const struct density *ask_density(void *owner, const struct view_density *wanted,
					 bool *pending)
{
	struct store *store = owner;
	struct question question;

	for (uint32_t i = 0; i < wanted->n_paths; i++)
		if (!has_samples(store, wanted->call, wanted->paths[i]))
			return NULL;
	if (!wanted->n_paths || wanted->n_paths > VIEW_SAMPLES_MAX || wanted->n_points < 2)
		return NULL;
	question = question_for(store, RESULT_DENSITY, wanted->call, wanted->paths[0]);
	question.density = *wanted;
	for (uint32_t i = 1; i < wanted->n_paths; i++)
		add_subject(store, &question, wanted->paths[i]);
	return ask(store, &question, 0, pending);
}

static const struct sample *ask_sample(void *owner, uint32_t call, uint32_t path, bool *pending)
{
	struct store *store = owner;
	struct question question;

	if (!has_samples(store, call, path))
		return NULL;
	question = question_for(store, RESULT_SAMPLE, call, path);
	return ask(store, &question, 0, pending);
}

struct view_results store_results(struct store *store)
{
	return (struct view_results){.summary = ask_summary,
				     .fit = ask_fit,
				     .fit_with = ask_fit_with,
				     .tests = ask_tests,
				     .stability = ask_stability,
				     .density = ask_density,
				     .sample = ask_sample,
				     .owner = store};
}

struct store *store_new(struct recording *recording, store_news news, void *owner,
			uint64_t (*deadline)(void *owner, const char *call), void *deadline_owner)
{
	struct store *store = mem_zero(1, sizeof *store);

	store->recording = recording_hold(recording);
	store->generation = 1;
	store->saved_at_ns = now_ns();
	store->news = news;
	store->owner = owner;
	store->deadline = deadline;
	store->deadline_owner = deadline_owner;
	for (int i = 0; i < STORE_FDS; i++) {
		store->workers[i] = worker_new(store);
		if (!store->workers[i]) {
			store_free(store);
			return NULL;
		}
	}
	return store;
}

static void free_entry(struct entry *entry)
{
	result_free(entry->kind, entry->value);
	result_free(entry->kind, entry->next);
	free(entry);
}

void store_free(struct store *store)
{
	if (!store)
		return;
	for (int i = 0; i < STORE_FDS; i++) {
		worker_free(store->workers[i]);
		sample_cache_release(&store->caches[i]);
	}
	sample_cache_release(&store->inline_cache);
	free_retired(store);
	free(store->retired);
	for (int i = 0; i < BUCKETS; i++) {
		struct entry *next;

		for (struct entry *entry = store->buckets[i]; entry; entry = next) {
			next = entry->next_entry;
			free_entry(entry);
		}
	}
	recording_free(store->recording);
	free(store);
}

void store_set_recording(struct store *store, struct recording *recording)
{
	recording_hold(recording);
	recording_free(store->recording);
	store->recording = recording;
	store->generation++;
	/* it would keep as much as the recording that is let go */
	sample_cache_turn_to(&store->inline_cache, store->generation);
}

void store_set_modest(struct store *store, bool modest)
{
	store->modest = modest;
}

/* Of those that somebody looks at the one that has waited longest. */
static struct entry *oldest_to_renew(const struct store *store)
{
	struct entry *oldest = NULL;

	for (int i = 0; i < BUCKETS; i++)
		for (struct entry *entry = store->buckets[i]; entry; entry = entry->next_entry)
			if (entry->renew && entry->wanted && !entry->queued &&
			    (!oldest || entry->done_ns < oldest->done_ns))
				oldest = entry;
	return oldest;
}

static void save_up(struct store *store)
{
	uint64_t now = now_ns();

	store->saved_ns += RENEWAL_SHARE * (double)(now - store->saved_at_ns);
	store->saved_at_ns = now;
	if (store->saved_ns > RENEWAL_SAVED_NS)
		store->saved_ns = RENEWAL_SAVED_NS;
}

bool store_renew(struct store *store)
{
	double left;
	struct entry *entry;

	save_up(store);
	left = store->saved_ns;
	while ((entry = oldest_to_renew(store))) {
		if (store->modest && left <= 0)
			return true;
		/* taken away for good when it is known what it has cost */
		left -= (double)entry->cost_ns;
		entry->renew = false;
		submit(store, entry, &entry->question, entry->key, NULL);
	}
	return false;
}

void store_look_at(struct store *store, uint32_t call, uint32_t path)
{
	store->call = call;
	store->path = path;
}

void store_begin(struct store *store, enum panel_id panel, const struct settings *settings)
{
	store->panel = panel;
	store->settings = *settings;
	store->spent = 0;
	for (int i = 0; i < BUCKETS; i++)
		for (struct entry *entry = store->buckets[i]; entry; entry = entry->next_entry)
			entry->wanted &= ~(1u << panel);
}

/* Large results go as soon as nobody looks at them, the rest when there are many. */
static bool may_go(const struct store *store, const struct entry *entry)
{
	if (entry->wanted)
		return false;
	return store->n_entries > KEPT_RESULTS || entry->kind == RESULT_SAMPLE ||
	       entry->kind == RESULT_DENSITY || !entry->value;
}

void store_tidy(struct store *store, uint32_t panels_in_sight)
{
	free_retired(store);
	for (int i = 0; i < BUCKETS; i++)
		for (struct entry **at = &store->buckets[i]; *at;) {
			struct entry *entry = *at;

			entry->wanted &= panels_in_sight;
			if (!entry->wanted && entry->queued) {
				for (int j = 0; j < STORE_FDS; j++)
					worker_cancel(store->workers[j], entry->slot);
				entry->queued = 0;
			}
			if (!may_go(store, entry)) {
				at = &entry->next_entry;
				continue;
			}
			*at = entry->next_entry;
			free_entry(entry);
			store->n_entries--;
		}
	store_renew(store);
}

void store_fds(const struct store *store, int fds[STORE_FDS])
{
	for (int i = 0; i < STORE_FDS; i++)
		fds[i] = worker_fd(store->workers[i]);
}

int store_collect(struct store *store)
{
	int n = 0;

	for (int i = 0; i < STORE_FDS; i++)
		n += worker_collect(store->workers[i]);
	return n;
}

int store_pending(const struct store *store)
{
	int n = 0;

	for (int i = 0; i < STORE_FDS; i++)
		n += worker_pending(store->workers[i]);
	return n;
}
