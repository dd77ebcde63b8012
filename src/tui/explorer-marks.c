/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marked fits and the report of them; themes. */
#include "explorer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void explorer_publish_marks(struct explorer *explorer)
{
	free(explorer->marked);
	explorer->marked = mem_zero(explorer->n_marks + 1, sizeof *explorer->marked);
	for (size_t i = 0; i < explorer->n_marks; i++)
		explorer->marked[i] =
			(struct view_marked){explorer->marks[i].call, explorer->marks[i].path,
					     explorer->marks[i].settings.identity};
	explorer->dirty |= DIRTY_ALL;
}

static void marks_changed(struct explorer *explorer)
{
	explorer->marks_changed++;
	explorer_publish_marks(explorer);
}

static void remove_mark(struct explorer *explorer, size_t at)
{
	size_t n = --explorer->n_marks - at;

	free(explorer->mark_names[at].call);
	free(explorer->mark_names[at].path);
	memmove(&explorer->marks[at], &explorer->marks[at + 1], n * sizeof *explorer->marks);
	memmove(&explorer->mark_names[at], &explorer->mark_names[at + 1],
		n * sizeof *explorer->mark_names);
	marks_changed(explorer);
}

static void add_mark(struct explorer *explorer, const struct explore_mark *mark)
{
	const struct call *call = explorer_call(explorer);
	size_t at = explorer->n_marks;

	ARRAY_RESERVE(explorer->mark_names, at, explorer->mark_names_room);
	ARRAY_RESERVE(explorer->marks, at, explorer->marks_room);
	explorer->marks[at] = *mark;
	explorer->mark_names[at].call = mem_copy_text(call->name);
	explorer->mark_names[at].path =
		mark->path == PATH_ALL
			? NULL
			: mem_copy_text(call->paths[mark->settings.identity][mark->path].id);
	explorer->n_marks++;
	marks_changed(explorer);
}

/*
 * The same fit: all that decides its numbers, one by one for the bytes between are nobody's.
 * Tests do not: the report makes all of them.
 */
static bool same_mark(const struct explore_mark *a, const struct explore_mark *b)
{
	const struct settings *s = &a->settings, *t = &b->settings;

	return a->call == b->call && a->path == b->path && s->identity == t->identity &&
	       s->time == t->time && s->stratum == t->stratum && s->model == t->model &&
	       s->estimator == t->estimator && s->block_size == t->block_size &&
	       s->block_unit == t->block_unit && s->interval == t->interval && s->unit == t->unit &&
	       s->force == t->force;
}

void explorer_mark(struct explorer *explorer)
{
	struct explore_mark mark = {.call = explorer->context.call,
				    .path = explorer->context.path_a,
				    .settings = explorer->settings,
				    .deadline_ns = explorer->context.deadline_ns};

	if (!explorer_call(explorer))
		return;
	for (size_t i = 0; i < explorer->n_marks; i++) {
		if (!same_mark(&explorer->marks[i], &mark))
			continue;
		remove_mark(explorer, i);
		explorer_message(explorer, ROLE_MARK, "unmarked; %zu marked", explorer->n_marks);
		return;
	}
	add_mark(explorer, &mark);
	explorer_message(explorer, ROLE_MARK, "marked %s %s B %u %s; %zu marked, w writes them",
			 model_title(mark.settings.model), estimator_title(mark.settings.estimator),
			 mark.settings.block_size, stratum_word(mark.settings.stratum),
			 explorer->n_marks);
}

/* A name that is not taken: nothing of the user's is overwritten. */
static void free_name(char *out, size_t size)
{
	snprintf(out, size, "evtop-report.txt");
	for (int i = 2; i < 10000 && !access(out, F_OK); i++)
		snprintf(out, size, "evtop-report-%d.txt", i);
}

/* A report on its way: what it needs is its own, for the user goes on marking. */
struct writing {
	struct job job;
	const struct explore_options *options;
	struct recording *recording; /* held */
	struct explore_mark *marks;
	size_t n_marks;
	uint32_t version; /* of the marks */
	char file[4096];
	int failed;
	struct error err;
};

static void run_writing(struct job *job, const _Atomic bool *stop)
{
	struct writing *this = (struct writing *)job;
	const struct explore_options *options = this->options;

	(void)stop;
	this->failed = options->write_report(options->owner, this->recording, this->marks,
					     this->n_marks, this->file, &this->err);
}

static void writing_done(struct job *job, void *owner)
{
	struct writing *this = (struct writing *)job;
	struct explorer *explorer = owner;

	explorer->writing--;
	if (this->failed) {
		explorer->quit_when_written = false;
		explorer_message(explorer, ROLE_BAD, "%s", this->err.text);
		return;
	}
	explorer->marks_written = this->version;
	explorer->quit |= explorer->quit_when_written;
	explorer_message(explorer, ROLE_GOOD, "%zu fit%s written to '%s'", this->n_marks,
			 this->n_marks == 1 ? "" : "s", this->file);
}

static void release_writing(struct job *job)
{
	struct writing *this = (struct writing *)job;

	recording_free(this->recording);
	free(this->marks);
	free(this);
}

static void start_writing(struct explorer *explorer, const char *file)
{
	struct writing *job = mem_zero(1, sizeof *job);

	job->job.slot = 1;
	job->job.run = run_writing;
	job->job.done = writing_done;
	job->job.release = release_writing;
	job->options = explorer->options;
	job->recording = recording_hold(explorer->recording);
	job->marks = mem_zero(explorer->n_marks, sizeof *job->marks);
	/* what is not in this recording cannot be fitted */
	for (size_t i = 0; i < explorer->n_marks; i++)
		if (explorer->marks[i].call < explorer->recording->n_calls)
			job->marks[job->n_marks++] = explorer->marks[i];
	/* a report is what one keeps: with every p-value, however the screen was set */
	for (size_t i = 0; i < job->n_marks; i++)
		job->marks[i].settings.tests = TESTS_FULL;
	job->version = explorer->marks_changed;
	snprintf(job->file, sizeof job->file, "%s", file);
	explorer->writing++;
	explorer_message(explorer, ROLE_TEXT, "writing %zu fit%s with full tests to '%s'",
			 job->n_marks, job->n_marks == 1 ? "" : "s", file);
	worker_submit(explorer->writer, &job->job);
}

void explorer_write(struct explorer *explorer)
{
	const struct explore_options *options = explorer->options;
	char name[64];
	const char *file = options->report_file;

	if (explorer->writing) {
		explorer_message(explorer, ROLE_DIM, "a file is still being written");
	} else if (!explorer->n_marks) {
		explorer_message(explorer, ROLE_WARNING,
				 "nothing is marked: M marks the fit shown");
	} else if (!options->write_report || !explorer->writer) {
		explorer_message(explorer, ROLE_WARNING, "reports cannot be written from here");
	} else {
		if (!file) {
			free_name(name, sizeof name);
			file = name;
		}
		start_writing(explorer, file);
	}
}

void explorer_quit(struct explorer *explorer)
{
	bool unwritten = explorer->n_marks && explorer->options->write_report &&
			 explorer->marks_changed != explorer->marks_written;

	if (explorer->writing) {
		explorer->quit_when_written = true;
		explorer_message(explorer, ROLE_TEXT, "leaving when the file is written");
	} else if (unwritten && !explorer->quit_asked) {
		explorer->quit_asked = true;
		/* short: it must fit the smallest screen */
		explorer_message(explorer, ROLE_WARNING, "%zu unwritten mark%s: w writes, q leaves",
				 explorer->n_marks, explorer->n_marks == 1 ? "" : "s");
	} else {
		explorer->quit = true;
	}
}

void explorer_next_theme(struct explorer *explorer)
{
	size_t n, at = 0;
	char **names = theme_names(&n);
	struct error err;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], explorer->theme.name))
			at = (i + 1) % n;
	if (theme_load(&explorer->theme, names[at], &err))
		explorer_message(explorer, ROLE_BAD, "%s", err.text);
	else
		explorer_message(explorer, ROLE_TEXT, "theme %s", explorer->theme.name);
	/* the next C goes on from here even where the file is bad */
	snprintf(explorer->theme.name, sizeof explorer->theme.name, "%s", names[at]);
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}
