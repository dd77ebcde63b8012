/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source that goes on: the next recording takes the place of the last one. */
#include "explorer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"

/* ---- the next recording ---- */

/* What the places of an input that is open stand for. */
struct place_names {
	const char *input_call, *input_path; /* NULL: none */
};

static const char *call_name(const struct recording *recording, uint32_t call)
{
	return call < recording->n_calls ? recording->calls[call].name : NULL;
}

static const char *path_id(const struct recording *recording, uint32_t call, enum identity identity,
			   uint32_t path)
{
	if (call >= recording->n_calls || path >= recording->calls[call].n_paths[identity])
		return NULL;
	return recording->calls[call].paths[identity][path].id;
}

static uint32_t find_call(const struct recording *recording, const char *name)
{
	const struct call *call = name ? recording_find_call(recording, name) : NULL;

	return call ? (uint32_t)(call - recording->calls) : UINT32_MAX;
}

/* In whole: an id may be the beginning of another one where a file gave them. */
static uint32_t find_path(const struct recording *recording, uint32_t call, enum identity identity,
			  const char *id)
{
	uint32_t n = call < recording->n_calls ? recording->calls[call].n_paths[identity] : 0;

	for (uint32_t i = 0; id && i < n; i++)
		if (!strcmp(recording->calls[call].paths[identity][i].id, id))
			return i;
	return PATH_ALL;
}

static void replace(char **text, const char *by)
{
	free(*text);
	*text = by ? mem_copy_text(by) : NULL;
}

static void name_places(struct explorer *explorer, struct place_names *names)
{
	const struct recording *old = explorer->recording;
	const struct view_context *context = &explorer->context;
	enum identity identity = explorer->settings.identity;
	struct explorer_wish *wish = &explorer->wish;

	names->input_call = call_name(old, explorer->input_call);
	names->input_path = path_id(old, explorer->input_call, identity, explorer->input_path);
	if (wish->call && wish->found_call == context->call && wish->found_a == context->path_a &&
	    wish->found_beside == explorer->beside)
		return;
	replace(&wish->call, call_name(old, context->call));
	replace(&wish->path_a, path_id(old, context->call, identity, context->path_a));
	replace(&wish->beside, path_id(old, context->call, identity, explorer->beside));
}

/* After a reset there may be nothing of it for a while: it comes back where it comes back. */
static void find_wish(struct explorer *explorer)
{
	const struct recording *recording = explorer->recording;
	enum identity identity = explorer->settings.identity;
	struct view_context *context = &explorer->context;
	struct explorer_wish *wish = &explorer->wish;
	uint32_t call = find_call(recording, wish->call);

	if (call == UINT32_MAX || !explorer->chosen) {
		explorer_choose_first(explorer);
		return;
	}
	context->call = call;
	context->deadline_ns =
		explorer->options->deadline
			? explorer->options->deadline(explorer->options->owner, wish->call)
			: 0;
	context->path_a = find_path(recording, call, identity, wish->path_a);
	if (context->path_a == PATH_ALL && recording->calls[call].n_paths[identity])
		context->path_a = 0;
	explorer->beside = find_path(recording, call, identity, wish->beside);
	explorer_default_beside(explorer);
}

static void find_places(struct explorer *explorer, const struct place_names *names)
{
	const struct recording *recording = explorer->recording;
	struct explorer_wish *wish = &explorer->wish;

	explorer->input_call = find_call(recording, names->input_call);
	explorer->input_path = find_path(recording, explorer->input_call,
					 explorer->settings.identity, names->input_path);
	find_wish(explorer);
	wish->found_call = explorer->context.call;
	wish->found_a = explorer->context.path_a;
	wish->found_beside = explorer->beside;
}

static void find_marks(struct explorer *explorer)
{
	for (size_t i = 0; i < explorer->n_marks; i++) {
		struct explore_mark *mark = &explorer->marks[i];
		const struct mark_names *names = &explorer->mark_names[i];

		mark->call = find_call(explorer->recording, names->call);
		mark->path = find_path(explorer->recording, mark->call, mark->settings.identity,
				       names->path);
		/* one of a path that is gone is of nothing, not of the whole call */
		if (names->path && mark->path == PATH_ALL)
			mark->call = UINT32_MAX;
	}
	explorer_publish_marks(explorer);
}

/* Panels on the screen still point into it: it goes when they have been built again. */
static void put_aside(struct explorer *explorer, struct recording *recording)
{
	ARRAY_RESERVE(explorer->aside, explorer->n_aside, explorer->aside_room);
	explorer->aside[explorer->n_aside++] = recording;
}

void explorer_let_go(struct explorer *explorer, uint32_t in_sight)
{
	if (!explorer->n_aside || explorer->dirty & in_sight)
		return;
	for (int i = 0; i < PANEL_COUNT; i++)
		if (explorer->dirty & DIRTY(i)) {
			view_panel_release(&explorer->views[i]);
			explorer->built[i] = false;
		}
	for (uint32_t i = 0; i < explorer->n_aside; i++)
		recording_free(explorer->aside[i]);
	explorer->n_aside = 0;
}

/* Paths that are new by now, of all calls. */
static uint32_t count_new(const struct explorer *explorer, const struct call **of)
{
	const struct recording *recording = explorer->recording;
	uint32_t n = 0;

	for (uint32_t i = 0; i < recording->n_calls; i++) {
		uint32_t own = view_count_new(&explorer->context, &recording->calls[i]);

		if (own && !*of)
			*of = &recording->calls[i];
		n += own;
	}
	return n;
}

/* A line at the bottom, which goes when nothing is new any more. */
static void tell_new(struct explorer *explorer)
{
	const struct call *of = NULL;
	uint32_t n = count_new(explorer, &of);

	if (explorer->told_new && !n) {
		*explorer->message = '\0';
		explorer->told_new = false;
	}
	if (!n || (*explorer->message && !explorer->told_new))
		return;
	explorer_message(explorer, ROLE_WARNING,
			 n == 1 ? "%u new path, of %s" : "%u new paths, one of %s", (unsigned)n,
			 of->name);
	explorer->told_new = true;
	explorer->told_ns = explorer->live_now.elapsed_ns;
}

/* What was new a while ago is so no more, also where nothing comes after it. */
static void forget_new(struct explorer *explorer)
{
	if (explorer->live_now.elapsed_ns < explorer->told_ns + VIEW_NEW_NS)
		return;
	*explorer->message = '\0';
	explorer->told_new = false;
	explorer->dirty |= DIRTY(PANEL_CALLS) | DIRTY(PANEL_PATHS);
}

void explorer_set_recording(struct explorer *explorer, struct recording *recording)
{
	struct place_names names;

	name_places(explorer, &names);
	put_aside(explorer, explorer->recording);
	explorer->recording = recording_hold(recording);
	explorer->context.recording = recording;
	if (explorer->store)
		store_set_recording(explorer->store, recording);
	find_places(explorer, &names);
	find_marks(explorer);
	explorer->dirty = DIRTY_ALL;
	if (explorer->whole_tree.n_blocks)
		explorer_build_whole_tree(explorer);
	if (explorer->context.live)
		tell_new(explorer);
}

/* ---- how the source goes ---- */

void explorer_set_live(struct explorer *explorer, struct live *live, bool scripted)
{
	explorer->live = live;
	explorer->scripted = scripted;
	explorer->context.live = &explorer->live_now;
	if (explorer->store)
		store_set_modest(explorer->store, !scripted);
	explorer_live_tick(explorer);
}

/* "412", "8.13 k": what is read at a glance; alike ones draw nothing. */
static bool looks_alike(const struct view_live *a, const struct view_live *b)
{
	return a->events_per_second == b->events_per_second &&
	       a->executions_per_second == b->executions_per_second && a->lost == b->lost &&
	       a->unseen == b->unseen && fabs(a->own_cpu - b->own_cpu) < 0.005 &&
	       a->resident_bytes >> 20 == b->resident_bytes >> 20 && a->ended == b->ended &&
	       a->stopped == b->stopped && a->frozen == b->frozen && a->thinned == b->thinned &&
	       !strcmp(a->session, b->session) && !strcmp(a->error, b->error);
}

static void take_status(struct explorer *explorer, struct view_live *now)
{
	struct live_status status;

	live_status(explorer->live, &status);
	now->executions = status.executions;
	now->lost = status.lost_events;
	now->elapsed_ns = status.elapsed_ns;
	now->ended = status.ended;
	now->stopped = status.paused;
	now->thinned = status.thinned;
	text_printable(now->error, sizeof now->error, status.error);
	/* a script's screens are the same whatever the machine is */
	if (explorer->scripted)
		return;
	now->events_per_second = status.ended ? 0 : status.events_per_second;
	now->executions_per_second = status.ended ? 0 : status.executions_per_second;
	now->own_cpu = status.own_cpu;
	now->resident_bytes = status.resident_bytes;
}

static void ask_session(const struct explorer *explorer, struct view_live *now)
{
	const struct explore_session *session = explorer->options->session;
	char line[sizeof now->session] = "";
	bool alarm = false;

	if (!session || !session->says)
		return;
	if (!session->says(session->owner, line, sizeof line, &alarm))
		now->session_over = true;
	text_printable(now->session, sizeof now->session, line);
	now->session_alarm = alarm;
}

void explorer_live_tick(struct explorer *explorer)
{
	struct view_live now = {0};
	bool ended = explorer->live_now.ended;

	if (!explorer->live)
		return;
	take_status(explorer, &now);
	if (!explorer->live_now.session_over)
		ask_session(explorer, &now);
	now.frozen = explorer->paused;
	now.recording_ns = explorer->live_now.recording_ns;
	now.session_over |= explorer->live_now.session_over;
	if (now.frozen && now.executions > explorer->recording->n_executions)
		now.unseen = now.executions - explorer->recording->n_executions;
	if (now.ended && !ended)
		store_set_modest(explorer->store, false);
	if (!looks_alike(&now, &explorer->live_now))
		explorer->dirty |= DIRTY(PANEL_HEADER);
	explorer->live_now = now;
	if (explorer->told_new && !now.frozen)
		forget_new(explorer);
	/* what waited for its turn may have it now, also where nothing new comes */
	store_renew(explorer->store);
}

bool explorer_live_take(struct explorer *explorer, bool now)
{
	struct recording *recording;

	if (!explorer->live || (explorer->paused && !now))
		return false;
	recording = now ? live_take_now(explorer->live) : live_take(explorer->live);
	explorer_live_tick(explorer);
	if (!recording)
		return false;
	explorer->live_now.recording_ns = explorer->live_now.elapsed_ns;
	explorer_set_recording(explorer, recording);
	recording_free(recording);
	return true;
}

/* ---- keys ---- */

static bool need_live(struct explorer *explorer)
{
	if (!explorer->live)
		explorer_message(explorer, ROLE_DIM, "this is no live source: nothing changes");
	return explorer->live != NULL;
}

static void pause_screen(struct explorer *explorer)
{
	explorer->paused = !explorer->paused;
	explorer->dirty |= DIRTY(PANEL_HEADER);
	if (explorer->live && explorer->paused)
		explorer_message(explorer, ROLE_WARNING,
				 "the screen stands still, counting goes on: p");
	explorer_live_tick(explorer);
	if (!explorer->paused)
		explorer_live_take(explorer, false);
}

static void stop_counting(struct explorer *explorer)
{
	bool stop = !explorer->live_now.stopped;

	if (!need_live(explorer))
		return;
	live_pause(explorer->live, stop);
	explorer_live_tick(explorer);
	explorer->dirty |= DIRTY(PANEL_HEADER);
	explorer_message(explorer, stop ? ROLE_WARNING : ROLE_TEXT,
			 stop ? "what comes is dropped uncounted until the next P"
			      : "counting goes on");
}

static void reset_counts(struct explorer *explorer)
{
	if (!need_live(explorer))
		return;
	if (!explorer->reset_asked) {
		explorer->reset_asked = true;
		explorer_message(explorer, ROLE_WARNING, "R again: all counts begin anew");
		return;
	}
	explorer->reset_asked = false;
	live_reset(explorer->live);
	explorer_message(explorer, ROLE_TEXT, "counts begin anew; known paths stay known");
}

static void hold_order(struct explorer *explorer)
{
	explorer->hold = !explorer->hold;
	for (int i = 0; i < PANEL_COUNT; i++)
		explorer_forget_order(explorer, i);
	if (explorer->hold) {
		/* as it stands on the screen */
		explorer_keep_order(explorer, PANEL_CALLS);
		explorer_keep_order(explorer, PANEL_PATHS);
	}
	explorer->dirty |= DIRTY(PANEL_CALLS) | DIRTY(PANEL_PATHS);
	explorer_message(explorer, ROLE_TEXT,
			 explorer->hold ? "rows stay in their order; new ones come last"
					: "rows are sorted again");
}

void explorer_live_command(struct explorer *explorer, int command)
{
	switch (command) {
	case COMMAND_PAUSE:
		pause_screen(explorer);
		break;
	case COMMAND_STOP_COUNTING:
		stop_counting(explorer);
		break;
	case COMMAND_RESET:
		reset_counts(explorer);
		break;
	case COMMAND_HOLD:
		hold_order(explorer);
		break;
	case COMMAND_SAVE:
		explorer_save(explorer);
		break;
	}
}

/* ---- an order that is held ---- */

static int compare_places(const void *x, const void *y)
{
	const struct view_place *a = x, *b = y;

	return a->identity < b->identity ? -1 : a->identity > b->identity;
}

void explorer_forget_order(struct explorer *explorer, enum panel_id panel)
{
	explorer->context.order[panel].held = NULL;
	explorer->context.order[panel].n_held = 0;
}

void explorer_keep_order(struct explorer *explorer, enum panel_id panel)
{
	const struct view_table *table = panel_table(&explorer->views[panel]);
	struct view_order *order = &explorer->context.order[panel];
	struct view_place *places;

	if ((panel != PANEL_CALLS && panel != PANEL_PATHS) || !explorer->hold || order->held ||
	    !table || !table->n_rows)
		return;
	free(explorer->held[panel]);
	places = mem_zero(table->n_rows, sizeof *places);
	for (uint32_t i = 0; i < table->n_rows; i++)
		places[i] = (struct view_place){table->rows[i].identity, i};
	qsort(places, table->n_rows, sizeof *places, compare_places);
	explorer->held[panel] = places;
	order->held = places;
	order->n_held = table->n_rows;
}

/* ---- saving ---- */

struct saving {
	struct job job;
	const struct explore_options *options;
	struct recording *recording; /* held */
	char file[128];
	int failed;
	struct error err;
};

static void run_saving(struct job *job, const _Atomic bool *stop)
{
	struct saving *this = (struct saving *)job;

	(void)stop;
	this->failed =
		this->options->save(this->options->owner, this->recording, this->file, &this->err);
}

static void saving_done(struct job *job, void *owner)
{
	struct saving *this = (struct saving *)job;
	struct explorer *explorer = owner;

	explorer->writing--;
	if (this->failed) {
		explorer->quit_when_written = false;
		explorer_message(explorer, ROLE_BAD, "%s", this->err.text);
		return;
	}
	explorer->quit |= explorer->quit_when_written && !explorer->writing;
	explorer_message(explorer, ROLE_GOOD, "saved in '%s'", this->file);
}

static void release_saving(struct job *job)
{
	recording_free(((struct saving *)job)->recording);
	free(job);
}

/* evtop-live-20261201-142501.evtop; -2, ... where it is taken. */
static void name_saving(char *out, size_t size)
{
	time_t now = time(NULL);
	struct tm parts;
	char date[32];

	localtime_r(&now, &parts);
	strftime(date, sizeof date, "%Y%m%d-%H%M%S", &parts);
	snprintf(out, size, "evtop-live-%s.evtop", date);
	for (int i = 2; i < 10000 && !access(out, F_OK); i++)
		snprintf(out, size, "evtop-live-%s-%d.evtop", date, i);
}

void explorer_save(struct explorer *explorer)
{
	const struct explore_options *options = explorer->options;
	struct saving *job;

	if (!options->save || !explorer->writer) {
		explorer_message(explorer, ROLE_WARNING, "what was seen cannot be saved from here");
		return;
	}
	if (explorer->writing) {
		explorer_message(explorer, ROLE_DIM, "a file is still being written");
		return;
	}
	job = mem_zero(1, sizeof *job);
	job->job.slot = 2;
	job->job.run = run_saving;
	job->job.done = saving_done;
	job->job.release = release_saving;
	job->options = options;
	job->recording = recording_hold(explorer->recording);
	name_saving(job->file, sizeof job->file);
	explorer->writing++;
	explorer_message(explorer, ROLE_TEXT, "saving what is on the screen in '%s'", job->file);
	worker_submit(explorer->writer, &job->job);
}
