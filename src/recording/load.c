/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading: a queue of runs, as many workers as there are cores, one merge at the end. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest.h"
#include "files.h"
#include "manifest.h"
#include "page-files.h"
#include "read.h"

/* An archive's member up to this size is handed to another worker in memory. */
#define PARCEL_BYTES_MAX (8u << 20)
#define JOBS_MAX 64

/* A member of an archive on its way to a worker. */
struct parcel {
	struct collected_run run;
	char *bytes;
	size_t n;
};

struct loader {
	const struct load_options *options;
	struct load_progress *progress;
	struct recording *recording;
	struct file_list files;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock: */
	uint32_t next_file;
	uint32_t n_reading; /* workers that may still add parcels */
	struct parcel parcels[2 * JOBS_MAX];
	uint32_t n_parcels, parcels_max;
	struct noted_complaint {
		struct complaint complaint;
		uint32_t input;
	} * complaints;
	uint32_t n_complaints, complaints_room;
	struct collector **collectors; /* to be merged */
	uint32_t n_collectors, collectors_room;
};

ssize_t run_bytes_next(struct run_bytes *from, char *chunk, struct error *err)
{
	size_t n = from->n < CHUNK_BYTES ? from->n : CHUNK_BYTES;
	ssize_t got = 0, more;

	if (!from->source) {
		memcpy(chunk, from->bytes, n);
		from->bytes += n;
		from->n -= n;
		return (ssize_t)n;
	}
	/* as much as there is: the reader looks ahead in its first bytes */
	do {
		more = source_read(from->source, chunk + got, CHUNK_BYTES - (size_t)got, err);
		if (more > 0)
			got += more;
	} while (more > 0 && got < (ssize_t)CHUNK_BYTES);
	return more < 0 && got == 0 ? -1 : got;
}

static bool stopped(const struct loader *loader)
{
	return loader->progress && atomic_load(&loader->progress->stop);
}

static void complain(struct loader *loader, uint32_t input, const struct collected_run *run,
		     const char *reason)
{
	struct text file = {0}, text = {0};
	char printable[512];

	if (run && strcmp(run->campaign, ".") != 0)
		text_printf(&file, "%s/", run->campaign);
	text_puts(&file, run ? run->name : "");
	text_puts(&text, text_printable(printable, sizeof printable, reason));
	pthread_mutex_lock(&loader->lock);
	ARRAY_RESERVE(loader->complaints, loader->n_complaints, loader->complaints_room);
	loader->complaints[loader->n_complaints++] = (struct noted_complaint){
		.complaint = {.file = file.bytes, .reason = text.bytes},
		.input = input,
	};
	pthread_mutex_unlock(&loader->lock);
}

bool read_stopped(const struct worker *worker)
{
	return stopped(worker->loader);
}

const struct load_options *read_options(const struct worker *worker)
{
	return worker->loader->options;
}

static uint32_t count_jobs(const struct load_options *options)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t n = options->n_jobs ? options->n_jobs : cores > 0 ? (uint32_t)cores : 1;

	return n < JOBS_MAX ? n : JOBS_MAX;
}

uint32_t read_jobs(const struct worker *worker)
{
	return count_jobs(worker->loader->options);
}

const _Atomic bool *read_stop(const struct worker *worker)
{
	return worker->loader->progress ? &worker->loader->progress->stop : NULL;
}

void read_kernel(const struct worker *worker, uint32_t input, const char *kernel)
{
	struct loader *loader = worker->loader;

	pthread_mutex_lock(&loader->lock);
	manifest_kernel(&loader->recording->inputs[input], kernel);
	pthread_mutex_unlock(&loader->lock);
}

void read_input(const struct worker *worker, uint32_t input, struct input *like)
{
	struct loader *loader = worker->loader;
	struct input *to = &loader->recording->inputs[input];

	pthread_mutex_lock(&loader->lock);
	input_take(to, like);
	for (uint32_t i = 0; i < like->n_origins; i++) {
		to->origins =
			mem_resize(to->origins, (size_t)to->n_origins + 1, sizeof *to->origins);
		to->origins[to->n_origins++] = like->origins[i];
	}
	like->n_origins = 0;
	if (!to->origin_options) {
		to->origin_options = like->origin_options;
		like->origin_options = NULL;
	}
	pthread_mutex_unlock(&loader->lock);
}

void read_add_collector(const struct worker *worker, struct collector *collector)
{
	struct loader *loader = worker->loader;

	pthread_mutex_lock(&loader->lock);
	ARRAY_RESERVE(loader->collectors, loader->n_collectors, loader->collectors_room);
	loader->collectors[loader->n_collectors++] = collector;
	pthread_mutex_unlock(&loader->lock);
}

void read_progress(const struct worker *worker, uint64_t executions_before)
{
	if (worker->loader->progress)
		atomic_fetch_add(&worker->loader->progress->executions,
				 worker->collector->n_executions - executions_before);
}

void read_complain(const struct worker *worker, const struct collected_run *run, const char *reason)
{
	complain(worker->loader, run->input, run, reason);
}

struct collected_run *read_this_run(const struct worker *worker)
{
	return &worker->collector->runs[worker->collector->n_runs - 1];
}

void read_fail(const struct worker *worker, const char *reason)
{
	struct collected_run *run = read_this_run(worker);

	read_complain(worker, run, reason);
	run->failed = true;
}

/* Reads one run, whatever its format; takes the run's names over. */
static void read_run(struct worker *worker, struct collected_run *run, struct run_bytes *from)
{
	struct loader *loader = worker->loader;
	struct error err = {""};
	ssize_t n = run_bytes_next(from, worker->chunk, &err);
	const struct run_format *format = run_formats;

	if (n > 0) {
		while (!format->probe(run->name, worker->chunk, (size_t)n))
			format++;
		format->read(worker, from, (size_t)n, run);
	} else {
		collector_begin_run(worker->collector, run);
		read_fail(worker, n < 0 ? err.text : "is empty");
	}
	if (loader->progress)
		atomic_fetch_add(&loader->progress->runs_done, 1);
}

static char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return mem_copy_text(slash ? slash + 1 : path);
}

static char *folder_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	while (path[0] == '.' && path[1] == '/')
		path += 2;
	return slash && slash > path ? mem_copy_bytes(path, (size_t)(slash - path))
				     : mem_copy_text(".");
}

static bool read_whole(struct source *source, struct parcel *parcel, struct error *err)
{
	int64_t size = source_run_bytes(source);
	ssize_t got = 1;

	parcel->bytes = mem_alloc((size_t)size);
	while (parcel->n < (size_t)size && got > 0) {
		got = source_read(source, parcel->bytes + parcel->n, (size_t)size - parcel->n, err);
		if (got > 0)
			parcel->n += (size_t)got;
	}
	if (got >= 0)
		return true;
	return parcel->n > 0;
}

/* Whether the parcel found room in the queue. */
static bool send_parcel(struct loader *loader, const struct parcel *parcel)
{
	bool sent;

	pthread_mutex_lock(&loader->lock);
	sent = loader->n_parcels < loader->parcels_max;
	if (sent) {
		loader->parcels[loader->n_parcels++] = *parcel;
		pthread_cond_signal(&loader->changed);
	}
	pthread_mutex_unlock(&loader->lock);
	return sent;
}

static void read_parcel(struct worker *worker, struct parcel *parcel)
{
	struct run_bytes from = {.bytes = parcel->bytes, .n = parcel->n};

	read_run(worker, &parcel->run, &from);
	free(parcel->bytes);
}

static void read_manifest(struct worker *worker, struct source *source, uint32_t input)
{
	struct loader *loader = worker->loader;
	struct error err = {""};
	ssize_t n = source_read(source, worker->chunk, CHUNK_BYTES - 1, &err);

	if (n < 0)
		return;
	pthread_mutex_lock(&loader->lock);
	manifest_read(&loader->recording->inputs[input], worker->chunk, (size_t)n);
	pthread_mutex_unlock(&loader->lock);
}

static struct collected_run run_of_member(const struct file *file, const char *name)
{
	struct collected_run run = {
		.input = file->input,
		.campaign = folder_name(name),
		.name = base_name(name),
	};

	/* an archive among other files of a folder is campaigns of its own name */
	if (strcmp(file->relative, "") != 0) {
		struct text campaign = {0};

		text_printf(&campaign, "%s/%s", file->relative, run.campaign);
		free(run.campaign);
		run.campaign = campaign.bytes;
	}
	return run;
}

static void refuse_member(struct worker *worker, const struct file *file, const char *name,
			  const char *reason)
{
	struct collected_run run = run_of_member(file, name);

	complain(worker->loader, file->input, &run, reason);
	free(run.campaign);
	free(run.name);
}

static void read_member(struct worker *worker, const struct file *file, struct source *source,
			const char *name, uint32_t member)
{
	struct loader *loader = worker->loader;
	int64_t size = source_run_bytes(source);
	struct parcel parcel = {.run = run_of_member(file, name)};
	struct run_bytes from = {.source = source};
	struct error err;

	parcel.run.member = member;
	if (strcmp(parcel.run.name, MANIFEST_NAME) == 0 || parcel.run.name[0] == '.') {
		if (parcel.run.name[0] != '.')
			read_manifest(worker, source, file->input);
		free(parcel.run.campaign);
		free(parcel.run.name);
		return;
	}
	if (loader->progress)
		atomic_fetch_add(&loader->progress->runs_total, 1);
	if (loader->parcels_max == 0 || size < 0 || size > PARCEL_BYTES_MAX ||
	    !read_whole(source, &parcel, &err)) {
		free(parcel.bytes);
		read_run(worker, &parcel.run, &from);
	} else if (!send_parcel(loader, &parcel)) {
		read_parcel(worker, &parcel);
	}
}

static void read_plain(struct worker *worker, const struct file *file, struct source *source)
{
	struct collected_run run = {
		.input = file->input,
		.campaign = folder_name(file->relative),
		.name = file_display_name(file->path),
	};
	struct run_bytes from = {.source = source};

	if (worker->loader->progress)
		atomic_fetch_add(&worker->loader->progress->runs_total, 1);
	read_run(worker, &run, &from);
}

/* The pages of all CPUs of one run. */
static void read_page_files(struct worker *worker, const struct file *file)
{
	struct collected_run run = {
		.input = file->input,
		.campaign = folder_name(file->relative),
		.name = *file->relative ? page_files_name(file->path)
					: file_display_name(file->path),
	};

	if (worker->loader->progress)
		atomic_fetch_add(&worker->loader->progress->runs_total, 1);
	read_pages(worker, &run, file->path, *file->relative != '\0');
	if (worker->loader->progress)
		atomic_fetch_add(&worker->loader->progress->runs_done, 1);
}

static void read_file(struct worker *worker, struct file *file)
{
	struct loader *loader = worker->loader;
	struct collected_run unnamed = {
		.campaign = folder_name(file->relative),
		.name = file_display_name(file->path),
	};
	struct error err = {""};
	struct source *source = NULL;
	const char *name;
	uint32_t members = 0;
	int status;

	if (!file->refused)
		source = source_open(file->path, loader->options->digest, loader->progress, &err);
	if (!source) {
		complain(loader, file->input, &unnamed, file->refused ? file->refused : err.text);
	} else if (file->role == FILE_MANIFEST || file->role == FILE_COMPANION) {
		/* read for its digest too */
		if (file->role == FILE_MANIFEST && source_next(source, &name, &err) == 1)
			read_manifest(worker, source, file->input);
		source_close(source, file->sha256);
	} else if (file->role == FILE_PAGES) {
		read_page_files(worker, file);
		source_close(source, file->sha256);
	} else {
		while ((status = source_next(source, &name, &err)) > 0 && !stopped(loader)) {
			if (status == 2)
				refuse_member(worker, file, name, err.text);
			else if (name)
				read_member(worker, file, source, name, members++);
			else
				read_plain(worker, file, source);
		}
		if (status < 0)
			complain(loader, file->input, &unnamed, err.text);
		source_close(source, file->sha256);
	}
	free(unnamed.campaign);
	free(unnamed.name);
}

/* The next thing to do: a parcel or a file. False when nothing is left or to come. */
static bool next_work(struct loader *loader, struct parcel *parcel, struct file **file)
{
	bool found = true;

	*file = NULL;
	pthread_mutex_lock(&loader->lock);
	for (;;) {
		if (loader->n_parcels) {
			*parcel = loader->parcels[--loader->n_parcels];
			break;
		}
		if (loader->next_file < loader->files.n && !stopped(loader)) {
			*file = &loader->files.list[loader->next_file++];
			loader->n_reading++;
			break;
		}
		if (loader->n_reading == 0) {
			found = false;
			break;
		}
		pthread_cond_wait(&loader->changed, &loader->lock);
	}
	pthread_mutex_unlock(&loader->lock);
	return found;
}

static void *work(void *context)
{
	struct worker *worker = context;
	struct loader *loader = worker->loader;
	struct parcel parcel;
	struct file *file;

	worker->chunk = mem_alloc(CHUNK_BYTES);
	while (next_work(loader, &parcel, &file)) {
		if (!file) {
			read_parcel(worker, &parcel);
			continue;
		}
		read_file(worker, file);
		pthread_mutex_lock(&loader->lock);
		loader->n_reading--;
		pthread_cond_broadcast(&loader->changed);
		pthread_mutex_unlock(&loader->lock);
	}
	free(worker->chunk);
	return NULL;
}

static int compare_complaints(const void *a, const void *b)
{
	const struct noted_complaint *x = a, *y = b;
	int order;

	if (x->input != y->input)
		return x->input < y->input ? -1 : 1;
	order = compare_natural(x->complaint.file, y->complaint.file);
	return order ? order : strcmp(x->complaint.reason, y->complaint.reason);
}

/*
 * An input of which nothing could be read has an error; for others, what
 * could not be read is told file by file.
 */
static void finish_complaints(struct loader *loader)
{
	struct recording *recording = loader->recording;

	if (loader->n_complaints > 1)
		qsort(loader->complaints, loader->n_complaints, sizeof *loader->complaints,
		      compare_complaints);
	recording->complaints = mem_alloc(loader->n_complaints * sizeof *recording->complaints);
	for (uint32_t i = 0; i < loader->n_complaints; i++) {
		struct noted_complaint *noted = &loader->complaints[i];
		struct input *input = &recording->inputs[noted->input];

		if (input->n_runs == 0 && !input->error) {
			struct text text = {0};
			bool single = loader->n_complaints == 1 ||
				      strcmp(noted->complaint.file, input->name) == 0;

			if (!single)
				text_printf(&text, "%s: ", noted->complaint.file);
			text_puts(&text, noted->complaint.reason);
			input->error = text.bytes;
			free(noted->complaint.file);
			free(noted->complaint.reason);
			continue;
		}
		recording->complaints[recording->n_complaints++] = noted->complaint;
	}
	for (uint32_t i = 0; i < recording->n_inputs; i++)
		if (recording->inputs[i].n_runs == 0 && !recording->inputs[i].error)
			recording->inputs[i].error =
				mem_copy_text(recording->stopped ? "was not read" : "holds no run");
	free(loader->complaints);
}

static void finish_inputs(struct loader *loader)
{
	struct recording *recording = loader->recording;

	for (uint32_t i = 0; i < recording->n_inputs; i++) {
		if (loader->options->digest && !recording->stopped)
			file_list_digest(&loader->files, i, recording->inputs[i].sha256);
		if (loader->options->emulated != EMULATION_UNKNOWN)
			recording->inputs[i].emulated = loader->options->emulated;
		if (input_has_events_alone(&recording->inputs[i]) && !recording->inputs[i].scope)
			recording->inputs[i].scope = mem_copy_text(
				"events of system calls: what happens inside is not seen");
	}
}

/* For wrappers since 4.17. */
bool recording_is_verified(const struct recording *recording)
{
	static const char *const tested[] = {"__x64_sys_", "__ia32_", "__arm64_sys_", "__do_sys_",
					     "__se_sys_"};
	bool any = false;

	for (uint32_t c = 0; c < recording->n_calls; c++)
		for (uint32_t i = 0; i < recording->calls[c].n_paths[IDENTITY_CLEAN]; i++) {
			uint32_t root = recording->calls[c].paths[IDENTITY_CLEAN][i].root;
			const char *name;
			bool found = false;

			if (root == NODE_NONE)
				return false;
			any = true;
			/* of a call by itself nothing can be taken away */
			if (trees_size(recording->trees, root) == 1)
				continue;
			name = names_text(recording->names, trees_function(recording->trees, root));
			for (size_t j = 0; j < COUNT_OF(tested); j++)
				found |= strncmp(name, tested[j], strlen(tested[j])) == 0;
			if (!found)
				return false;
		}
	return any;
}

static void note_without_times(struct loader *loader, uint32_t n)
{
	const struct recording *recording = loader->recording;
	char reason[128];
	uint32_t input = 0;

	while (input + 1 < recording->n_inputs && recording->inputs[input].n_runs == 0)
		input++;
	snprintf(reason, sizeof reason,
		 "times of single calls are not kept for %u clean paths: there are too many calls",
		 (unsigned)n);
	complain(loader, input,
		 &(struct collected_run){.campaign = ".", .name = recording->inputs[input].name},
		 reason);
}

/* Those that hold anything, and at least one: a single one's tables are taken as they are. */
static void merge_all(struct loader *loader, uint32_t n_threads)
{
	uint32_t n = 0, without_times = 0;

	for (uint32_t i = 0; i < loader->n_collectors; i++) {
		struct collector *collector = loader->collectors[i];

		if (collector->n_runs || (n == 0 && i + 1 == loader->n_collectors))
			loader->collectors[n++] = collector;
		else
			collector_free(collector);
	}
	merge_collectors(loader->recording, loader->collectors, n, n_threads);
	for (uint32_t i = 0; i < n; i++) {
		without_times += loader->collectors[i]->n_without_times;
		collector_free(loader->collectors[i]);
	}
	free(loader->collectors);
	if (without_times)
		note_without_times(loader, without_times);
}

static void run_workers(struct loader *loader, uint32_t n_jobs)
{
	struct worker workers[JOBS_MAX] = {0};
	pthread_t threads[JOBS_MAX];
	uint32_t n = 1;

	for (uint32_t i = 0; i < n_jobs; i++) {
		workers[i].loader = loader;
		workers[i].collector = collector_new(loader->options, n_jobs);
		read_add_collector(&workers[i], workers[i].collector);
	}
	while (n < n_jobs && pthread_create(&threads[n], NULL, work, &workers[n]) == 0)
		n++;
	work(&workers[0]);
	for (uint32_t i = 1; i < n; i++)
		pthread_join(threads[i], NULL);
	loader->recording->stopped = stopped(loader);
	merge_all(loader, n);
}

struct recording *recording_load(const char *const *paths, size_t n_paths,
				 const struct load_options *options, struct load_progress *progress)
{
	struct recording *recording = mem_zero(1, sizeof *recording);
	struct loader loader = {.options = options, .progress = progress, .recording = recording};
	uint32_t n_jobs = count_jobs(options);
	uint64_t bytes = 0;

	atomic_init(&recording->holders, 1);
	recording->inputs = mem_zero(n_paths, sizeof *recording->inputs);
	for (size_t i = 0; i < n_paths; i++) {
		struct input *input = &recording->inputs[recording->n_inputs];
		struct error err;

		input->path = mem_copy_text(paths[i]);
		input->name = file_display_name(paths[i]);
		if (file_list_add(&loader.files, recording->n_inputs, paths[i], &err) != 0)
			input->error = mem_copy_text(err.text);
		recording->n_inputs++;
	}
	for (uint32_t i = 0; i < loader.files.n; i++)
		bytes += loader.files.list[i].bytes;
	if (progress)
		atomic_store(&progress->bytes_total, bytes);
	pthread_mutex_init(&loader.lock, NULL);
	pthread_cond_init(&loader.changed, NULL);
	/* one worker reads archives as they come */
	loader.parcels_max = n_jobs > 1 ? 2 * n_jobs : 0;
	run_workers(&loader, n_jobs);
	finish_inputs(&loader);
	finish_complaints(&loader);
	recording->clean_verified = recording_is_verified(recording);
	file_list_release(&loader.files);
	pthread_cond_destroy(&loader.changed);
	pthread_mutex_destroy(&loader.lock);
	return recording;
}
