/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marked fits and the report of them; themes. */
#include "explorer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void publish_marks(struct explorer *explorer)
{
	free(explorer->marked);
	explorer->marked = mem_zero(explorer->n_marks + 1, sizeof *explorer->marked);
	for (size_t i = 0; i < explorer->n_marks; i++)
		explorer->marked[i] =
			(struct view_marked){explorer->marks[i].call, explorer->marks[i].path,
					     explorer->marks[i].settings.identity};
	explorer->dirty |= DIRTY_ALL;
}

/* The same fit: all that decides its numbers, one by one for the bytes between are nobody's. */
static bool same_mark(const struct explore_mark *a, const struct explore_mark *b)
{
	const struct settings *s = &a->settings, *t = &b->settings;

	return a->call == b->call && a->path == b->path && s->identity == t->identity &&
	       s->time == t->time && s->stratum == t->stratum && s->model == t->model &&
	       s->estimator == t->estimator && s->block_size == t->block_size &&
	       s->block_unit == t->block_unit && s->interval == t->interval && s->unit == t->unit &&
	       s->tests == t->tests && s->force == t->force;
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
		memmove(&explorer->marks[i], &explorer->marks[i + 1],
			(--explorer->n_marks - i) * sizeof mark);
		publish_marks(explorer);
		explorer_message(explorer, ROLE_MARK, "unmarked; %zu marked", explorer->n_marks);
		return;
	}
	ARRAY_RESERVE(explorer->marks, explorer->n_marks, explorer->marks_room);
	explorer->marks[explorer->n_marks++] = mark;
	publish_marks(explorer);
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

void explorer_write(struct explorer *explorer)
{
	const struct explore_options *options = explorer->options;
	char name[64];
	const char *file = options->report_file;
	struct error err;

	if (!explorer->n_marks) {
		explorer_message(explorer, ROLE_WARNING,
				 "nothing is marked: M marks the fit shown");
		return;
	}
	if (!options->write_report) {
		explorer_message(explorer, ROLE_WARNING, "reports cannot be written from here");
		return;
	}
	if (!file) {
		free_name(name, sizeof name);
		file = name;
	}
	if (options->write_report(options->owner, explorer->recording, explorer->marks,
				  explorer->n_marks, file, &err)) {
		explorer_message(explorer, ROLE_BAD, "%s", err.text);
		return;
	}
	explorer_message(explorer, ROLE_GOOD, "%zu fit%s written to '%s'", explorer->n_marks,
			 explorer->n_marks == 1 ? "" : "s", file);
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
