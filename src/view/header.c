/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was opened, whether it can be trusted, and the first thing found in it. */
#include "view-internal.h"

#include <string.h>

/* Cells are left out by these where a line is too long: the highest first. */
enum { DROP_NEVER, DROP_LATE, DROP_SOON, DROP_SOONER, DROP_FIRST };

static void put(struct view_panel *panel, struct view_line *line, uint8_t drop, enum role role,
		const char *text)
{
	struct view_cell cell = cell_text(role, text);

	cell.drop = drop;
	view_put(panel, line, cell);
}

static void put_count(struct view_panel *panel, struct view_line *line, uint8_t drop,
		      enum role role, uint64_t count)
{
	struct view_cell cell = cell_count(role, count);

	cell.drop = drop;
	view_put(panel, line, cell);
}

/* "1 run", "1,500 runs" */
static void put_plural(struct view_panel *panel, struct view_line *line, uint8_t drop,
		       uint64_t count, const char *thing)
{
	put_count(panel, line, drop, ROLE_TEXT, count);
	put(panel, line, drop, ROLE_DIM, view_text(panel, " %s%s  ", thing, count == 1 ? "" : "s"));
}

/* ---- what was opened ---- */

static void put_options(struct view_panel *panel, struct view_line *line,
			const struct settings *settings, bool alone, bool live)
{
	/* what is counted and fitted stays in sight longer than what is said of it in full */
	uint8_t last = alone && !live ? DROP_LATE : DROP_SOON;
	uint8_t full = alone && live ? DROP_SOONER : DROP_SOON;
	const char *between = alone ? " " : " \u00b7 ", *stratum = stratum_word(settings->stratum);
	const struct {
		uint8_t drop;
		enum role role;
		const char *text;
	} parts[] = {
		{last, ROLE_STRONG, identity_word(settings->identity)},
		{last, ROLE_DIM, between},
		{full, ROLE_TEXT, time_word(settings->time)},
		{full, ROLE_DIM, between},
		{last, ROLE_TEXT, view_text(panel, "%.3s", stratum)},
		{full, ROLE_TEXT, view_text(panel, "%.3s", stratum + 3)},
		{DROP_SOONER, ROLE_TEXT, strlen(stratum) > 6 ? stratum + 6 : ""},
		{DROP_FIRST, ROLE_DIM, alone ? "" : "  ?help"},
	};

	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		struct view_cell cell = cell_text(parts[i].role, parts[i].text);

		cell.drop = parts[i].drop;
		view_put_right(panel, line, cell);
	}
}

/* The name without what only says how it is packed. */
static const char *bare_name(struct view_panel *panel, const char *source)
{
	static const char *const endings[] = {".zst", ".gz", ".xz", ".tar", ".evtop"};
	size_t n = strlen(source);

	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		size_t end = strlen(endings[i]);

		if (n > end && !strncmp(source + n - end, endings[i], end))
			n -= end;
	}
	return view_name(panel, view_text(panel, "%.*s", (int)n, source));
}

static void put_source(struct view_panel *panel, struct view_line *line,
		       const struct view_context *context, bool alone)
{
	const char *source = context->source ? context->source : "";

	put(panel, line, alone ? DROP_NEVER : DROP_FIRST, ROLE_TITLE, "evtop ");
	put(panel, line, DROP_NEVER, ROLE_STRONG,
	    view_text(panel, "%s  ", bare_name(panel, source)));
}

static void put_executions(struct view_panel *panel, struct view_line *line, uint64_t n,
			   uint32_t n_calls)
{
	put_count(panel, line, DROP_NEVER, ROLE_STRONG, n);
	put(panel, line, DROP_NEVER, ROLE_DIM, " exec");
	put(panel, line, DROP_SOONER, ROLE_DIM, n == 1 ? "ution" : "utions");
	put(panel, line, DROP_SOONER, ROLE_DIM,
	    view_text(panel, " of %u call%s", (unsigned)n_calls, n_calls == 1 ? "" : "s"));
	put(panel, line, DROP_NEVER, ROLE_DIM, "  ");
}

static void put_opened(struct view_panel *panel, struct view_line *line,
		       const struct view_context *context)
{
	const struct recording *recording = context->recording;

	put_source(panel, line, context, true);
	if (!recording)
		return;
	if (!context->live) {
		put_plural(panel, line, DROP_SOON, recording->n_campaigns, "campaign");
		put_plural(panel, line, DROP_SOON, recording->n_runs, "run");
	}
	put_executions(panel, line, recording->n_executions, recording->n_calls);
	put_options(panel, line, context->settings, false, context->live);
}

/* ---- whether it can be trusted ---- */

/* Nought is said quietly, anything else in capitals. */
static void put_loss(struct view_panel *panel, struct view_line *line, uint8_t drop,
		     const char *word, uint64_t count, uint64_t of)
{
	char loud[32] = "";

	if (!count) {
		put(panel, line, drop, ROLE_DIM, view_text(panel, "%s 0  ", word));
		return;
	}
	for (size_t i = 0; word[i] && i + 1 < sizeof loud; i++)
		loud[i] = (char)(word[i] >= 'a' && word[i] <= 'z' ? word[i] - 'a' + 'A' : word[i]);
	put(panel, line, DROP_NEVER, ROLE_BAD, view_text(panel, "%s ", loud));
	put_count(panel, line, DROP_NEVER, ROLE_BAD, count);
	if (of)
		put(panel, line, DROP_LATE, ROLE_BAD,
		    view_text(panel, " (%.1f%%)", 100 * (double)count / (double)(count + of)));
	put(panel, line, DROP_NEVER, ROLE_DIM, "  ");
}

static void put_losses(struct view_panel *panel, struct view_line *line,
		       const struct recording *recording, bool all, bool little_room)
{
	const struct discards *discards = &recording->discards;

	put_loss(panel, line, DROP_NEVER, "lost", discards->lost_events, 0);
	put_loss(panel, line, little_room ? DROP_SOON : DROP_NEVER, "cut", discards->cut_by_loss,
		 recording->n_executions);
	if (discards->broken)
		put_loss(panel, line, DROP_NEVER, "broken", discards->broken,
			 recording->n_executions);
	put_loss(panel, line, all ? DROP_LATE : DROP_SOON, "unread", discards->unread_lines, 0);
	if (discards->orphans)
		put_loss(panel, line, DROP_NEVER, "orphans", discards->orphans, 0);
	if (!all)
		return;
	/* where tracing is turned off, a call is open: to be known, not a loss */
	put(panel, line, DROP_SOON, discards->unfinished ? ROLE_WARNING : ROLE_DIM, "unfinished ");
	put_count(panel, line, DROP_SOON, discards->unfinished ? ROLE_WARNING : ROLE_DIM,
		  discards->unfinished);
	put(panel, line, DROP_SOON, ROLE_DIM, "  ");
}

static void put_bar(struct view_panel *panel, struct view_line *line, uint8_t drop)
{
	put(panel, line, drop, ROLE_RULE, "\u2502 ");
}

/* What could not be read, from all inputs together. */
static void put_unread_inputs(struct view_panel *panel, struct view_line *line,
			      const struct recording *recording)
{
	const struct input *bad = NULL;
	unsigned n_bad = 0;

	for (uint32_t i = 0; i < recording->n_inputs; i++)
		if (recording->inputs[i].error && !n_bad++)
			bad = &recording->inputs[i];
	if (bad) {
		put(panel, line, DROP_NEVER, ROLE_BAD,
		    n_bad == 1 ? view_text(panel, "NOT READ %s", view_name(panel, bad->name))
			       : view_text(panel, "%u INPUTS NOT READ", n_bad));
		put(panel, line, DROP_SOONER, ROLE_BAD,
		    view_text(panel, ": %s", view_name(panel, bad->error)));
		put(panel, line, DROP_NEVER, ROLE_DIM, "  ");
	}
	if (recording->n_complaints)
		put(panel, line, DROP_LATE, ROLE_BAD,
		    view_text(panel, "%u FILE%s NOT READ IN FULL  ",
			      (unsigned)recording->n_complaints,
			      recording->n_complaints == 1 ? "" : "S"));
	if (recording->stopped)
		put(panel, line, DROP_NEVER, ROLE_WARNING, "READING WAS STOPPED  ");
}

/* The worst that is said of any input: times of a host-run emulation mean the least. */
static void put_emulation(struct view_panel *panel, struct view_line *line,
			  const struct recording *recording)
{
	bool seen[EMULATION_COUNTED + 1] = {false};

	for (uint32_t i = 0; i < recording->n_inputs; i++)
		seen[recording->inputs[i].emulated] = true;
	if (!seen[EMULATION_HOST] && !seen[EMULATION_COUNTED])
		return;
	/* whatever else has to go: without this word times would be taken at their value */
	put_bar(panel, line, DROP_LATE);
	if (seen[EMULATION_HOST]) {
		put(panel, line, DROP_NEVER, ROLE_WARNING, "emul");
		put(panel, line, DROP_LATE, ROLE_WARNING, "ated");
		put(panel, line, DROP_SOONER, ROLE_WARNING, ": times mean little");
	} else {
		put(panel, line, DROP_NEVER, ROLE_TEXT, "counted");
		put(panel, line, DROP_SOONER, ROLE_TEXT, ": times are of instructions");
	}
	put(panel, line, DROP_NEVER, ROLE_DIM, " ");
}

/* What was traced, where the recording says so; several inputs may differ. */
static void put_scope(struct view_panel *panel, struct view_line *line,
		      const struct recording *recording)
{
	const char *scope = NULL;
	bool differ = false;

	for (uint32_t i = 0; i < recording->n_inputs; i++) {
		const char *one = recording->inputs[i].scope;

		differ = differ || (scope && one && strcmp(scope, one));
		scope = scope ? scope : one;
	}
	if (!scope)
		return;
	put_bar(panel, line, DROP_FIRST);
	put(panel, line, DROP_FIRST, differ ? ROLE_WARNING : ROLE_DIM,
	    differ ? "inputs of different scopes "
		   : view_text(panel, "%s ", view_name(panel, scope)));
}

/* ---- how a live source goes ---- */

/* "412", "8.13 k", "1.2 M" */
static const char *say_rate(struct view_panel *panel, double rate)
{
	static const char *const units[] = {"", " k", " M", " G"};
	char number[NUMBER_SIZE];
	size_t unit = 0;

	while (rate >= 999.5 && unit + 1 < COUNT_OF(units)) {
		rate /= 1000;
		unit++;
	}
	if (!unit)
		return view_text(panel, "%.0f", rate);
	return view_text(panel, "%s%s", format_significant(number, rate, 3), units[unit]);
}

/* The state, loudly where it is not what one expects; it goes last where room is short. */
static void put_state(struct view_panel *panel, struct view_line *line,
		      const struct view_live *live, bool little_room)
{
	if (live->frozen) {
		put(panel, line, DROP_NEVER, ROLE_BAD, "PAUSED ");
		if (live->unseen)
			put(panel, line, DROP_LATE, ROLE_WARNING,
			    view_text(panel, "+%s exec ", say_rate(panel, (double)live->unseen)));
	}
	if (live->ended || live->session_over) {
		put(panel, line, DROP_NEVER, ROLE_WARNING,
		    little_room ? "ENDED " : "the source has ended  ");
		return;
	}
	if (live->stopped)
		put(panel, line, DROP_NEVER, ROLE_BAD, little_room ? "STOPPED " : "NOT COUNTING  ");
	else if (!live->frozen)
		put(panel, line, DROP_NEVER, ROLE_GOOD, "live ");
}

static void put_rates(struct view_panel *panel, struct view_line *line,
		      const struct view_live *live, bool little_room)
{
	if (live->ended || live->session_over || live->stopped)
		return;
	put(panel, line, DROP_LATE, ROLE_STRONG, say_rate(panel, live->events_per_second));
	put(panel, line, DROP_LATE, ROLE_DIM, little_room ? " ev/s " : " ev");
	if (little_room)
		return;
	put(panel, line, DROP_SOONER, ROLE_DIM, "ents");
	put(panel, line, DROP_LATE, ROLE_DIM, "/s  ");
	put(panel, line, DROP_SOON, ROLE_TEXT, say_rate(panel, live->executions_per_second));
	put(panel, line, DROP_SOON, ROLE_DIM, " exec");
	put(panel, line, DROP_FIRST, ROLE_DIM, "utions");
	put(panel, line, DROP_SOON, ROLE_DIM, "/s  ");
}

/* "kept 65,536 of 1,204,311", of the call that is looked at. */
static void put_kept(struct view_panel *panel, struct view_line *line,
		     const struct view_context *context)
{
	const struct call *call = view_call(context, context->call);

	if (!call || call->n_seen <= call->n_executions)
		return;
	put_bar(panel, line, DROP_SOON);
	put(panel, line, DROP_SOON, ROLE_DIM, "kept ");
	put_count(panel, line, DROP_SOON, ROLE_TEXT, call->n_executions);
	put(panel, line, DROP_SOON, ROLE_DIM, " of ");
	put_count(panel, line, DROP_SOON, ROLE_TEXT, call->n_seen);
	put(panel, line, DROP_SOON, ROLE_DIM, " ");
}

/* What evtop itself takes from the machine that is measured. */
static void put_own_cost(struct view_panel *panel, struct view_line *line,
			 const struct view_live *live)
{
	if (live->ended || !live->resident_bytes)
		return;
	put_bar(panel, line, DROP_SOON);
	put(panel, line, DROP_SOONER, ROLE_DIM, "evtop ");
	put(panel, line, DROP_SOON, ROLE_TEXT, view_text(panel, "%.0f%%", 100 * live->own_cpu));
	put(panel, line, DROP_SOONER, ROLE_DIM, " CPU");
	put(panel, line, DROP_SOON, ROLE_TEXT,
	    view_text(panel, " %llu MB ",
		      (unsigned long long)(live->resident_bytes + (1 << 19)) >> 20));
}

static void put_session(struct view_panel *panel, struct view_line *line,
			const struct view_live *live)
{
	uint8_t drop = live->session_alarm ? DROP_NEVER : DROP_FIRST;

	if (!*live->session)
		return;
	put_bar(panel, line, drop);
	put(panel, line, drop, live->session_alarm ? ROLE_BAD : ROLE_TEXT,
	    view_text(panel, "%s ", view_name(panel, live->session)));
}

static void put_live(struct view_panel *panel, struct view_line *line,
		     const struct view_context *context)
{
	const struct view_live *live = context->live;

	put_state(panel, line, live, false);
	put_rates(panel, line, live, false);
	put_losses(panel, line, context->recording, false, false);
	if (*live->error)
		put(panel, line, DROP_LATE, ROLE_BAD,
		    view_text(panel, "%s  ", view_name(panel, live->error)));
	put_session(panel, line, live);
	put_own_cost(panel, line, live);
	put_kept(panel, line, context);
}

static void put_clean(struct view_panel *panel, struct view_line *line,
		      const struct view_context *context)
{
	const struct recording *recording = context->recording;
	/* how a source goes is worth more room */
	uint8_t drop = context->live ? DROP_SOONER : DROP_SOON;

	if (context->live && !recording->n_calls)
		return;
	put_bar(panel, line, drop);
	if (!view_has_trees(recording))
		put(panel, line, drop, ROLE_DIM, "samples without calls");
	else if (recording->clean_verified)
		put(panel, line, drop, ROLE_GOOD, "clean rules: verified");
	else
		put(panel, line, drop, ROLE_WARNING, "clean: not verified here");
}

static void put_trust(struct view_panel *panel, struct view_line *line,
		      const struct view_context *context)
{
	const struct recording *recording = context->recording;

	if (context->live) {
		put_live(panel, line, context);
	} else {
		put(panel, line, DROP_SOONER, ROLE_TITLE, "trust ");
		put_unread_inputs(panel, line, recording);
		put_losses(panel, line, recording, true, false);
	}
	if (!recording->has_durations && recording->n_executions)
		put(panel, line, DROP_LATE, ROLE_WARNING, "no durations: paths only  ");
	put_emulation(panel, line, recording);
	put_scope(panel, line, recording);
	put_clean(panel, line, context);
}

/* ---- both in one line ---- */

static void put_one_line(struct view_panel *panel, struct view_line *line,
			 const struct view_context *context)
{
	const struct recording *recording = context->recording;
	const struct call *call = view_call(context, context->call);

	if (context->width_cols < 60 && call) {
		put(panel, line, DROP_NEVER, ROLE_STRONG,
		    view_text(panel, "%s ", view_name(panel, call->name)));
		if (context->live)
			put_state(panel, line, context->live, true);
		put_count(panel, line, DROP_NEVER, ROLE_TEXT, call->n_seen);
		put(panel, line, DROP_NEVER, ROLE_DIM, " exec ");
		view_put(panel, line,
			 cell_pair(ROLE_TEXT, call->n_paths[IDENTITY_CLEAN],
				   call->n_paths[IDENTITY_RAW]));
		put(panel, line, DROP_SOON, ROLE_DIM, " paths");
		put(panel, line, DROP_NEVER, ROLE_DIM, " ");
		put_unread_inputs(panel, line, recording);
		put_losses(panel, line, recording, false, true);
		put_emulation(panel, line, recording);
		put_options(panel, line, context->settings, true, context->live);
		return;
	}
	put_source(panel, line, context, false);
	if (context->live) {
		put_state(panel, line, context->live, true);
		put_rates(panel, line, context->live, true);
	}
	put_executions(panel, line, recording->n_executions, recording->n_calls);
	put_unread_inputs(panel, line, recording);
	put_losses(panel, line, recording, false, false);
	if (context->live) {
		put_own_cost(panel, line, context->live);
		put_kept(panel, line, context);
	}
	put_emulation(panel, line, recording);
	put_options(panel, line, context->settings, true, context->live);
}

/* ---- the first finding ---- */

/*
 * The selected call, else the one that takes the most time (UINT32_MAX where
 * times are not known), and its share of the time of all.
 */
static uint32_t choose_call(struct view_panel *panel, const struct view_context *context,
			    double *share)
{
	const struct recording *recording = context->recording;
	uint32_t chosen = context->call < recording->n_calls ? context->call : UINT32_MAX;
	double sum = 0, most = -1, of_chosen = NAN;

	for (uint32_t i = 0; i < recording->n_calls; i++) {
		const struct summary *summary = view_summary(panel, context, i, PATH_ALL, NULL);
		double own = summary ? (double)summary->sum_ns : 0;

		sum += own;
		if (!summary || (context->call < recording->n_calls && i != chosen))
			continue;
		if (i == chosen || own > most)
			most = of_chosen = own, chosen = i;
	}
	*share = sum > 0 ? of_chosen / sum : NAN;
	return chosen;
}

static uint32_t most_frequent_call(const struct recording *recording)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < recording->n_calls; i++)
		if (recording->calls[i].n_seen > recording->calls[most].n_seen)
			most = i;
	return most;
}

#define COMMON_SHARE 0.1 /* of the executions, for a path to be a common one */
/* Medians further apart than so many of both deviations make peaks of their own. */
#define PEAKS_APART 3

/* How far the medians of the two most common paths are apart. */
static void put_distance(struct view_panel *panel, struct view_line *line,
			 const struct view_context *context, uint32_t call_index)
{
	enum identity identity = context->settings->identity;
	const struct call *call = view_call(context, call_index);
	const struct summary *first, *second;
	char number[NUMBER_SIZE];
	double apart, spread;

	if (call->n_paths[identity] < 2 ||
	    (double)call->paths[identity][1].n_seen < COMMON_SHARE * (double)call->n_seen)
		return;
	first = view_summary(panel, context, call_index, 0, NULL);
	second = view_summary(panel, context, call_index, 1, NULL);
	if (!first || !second)
		return;
	apart = fabs(first->median_ns - second->median_ns);
	spread = first->mad_ns + second->mad_ns;
	/* less is no distance worth a word */
	if (apart < 0.005 * first->median_ns)
		return;
	put(panel, line, DROP_LATE, ROLE_TEXT,
	    view_text(panel, ", %s%s apart",
		      identity == IDENTITY_RAW	     ? "common two raw ones "
		      : call->n_paths[identity] == 2 ? ""
						     : "common two ",
		      format_duration(number, apart)));
	if (apart > PEAKS_APART * spread)
		put(panel, line, DROP_FIRST, ROLE_TEXT, ": two peaks of its density");
}

static void put_disturbed(struct view_panel *panel, struct view_line *line,
			  const struct recording *recording, const struct call *call)
{
	double share = (double)call->n_disturbed_seen / (double)call->n_seen;

	/* samples do not tell */
	if (!view_has_trees(recording))
		return;
	if (!call->n_disturbed_seen)
		put(panel, line, DROP_FIRST, ROLE_DIM, " \u00b7 no execution disturbed");
	else
		put(panel, line, DROP_SOONER, ROLE_TEXT,
		    view_text(panel, " \u00b7 %.*f%% disturbed", share < 0.095, 100 * share));
}

/* Levels stand by falling probability: how far they are trusted, and how far the data reach. */
struct tail {
	const struct level *trusted; /* the last before one that is not */
	const struct level *seen;    /* the last of those within the data's horizon */
	bool ends;		     /* one that is not trusted follows */
};

static void find_tail(const struct fit *fit, struct tail *tail)
{
	/* one in ten times as many executions as there are: beyond it, the model speaks alone */
	double horizon = 0.1 / (double)fit->n_executions;

	*tail = (struct tail){0};
	for (size_t i = 0; i < fit->n_levels; i++) {
		const struct level *level = &fit->levels[i];

		tail->ends = !level->trusted;
		if (tail->ends)
			return;
		tail->trusted = level;
		if (level->probability >= horizon * (1 - 1e-9))
			tail->seen = level;
	}
}

/* "1e-3", "0.01 per block" */
static const char *say_level(struct view_panel *panel, const struct fit *fit,
			     const struct level *level)
{
	char number[NUMBER_SIZE];

	return view_text(panel, "%s%s", format_probability(number, 1 / level->count),
			 fit->unit == UNIT_BLOCKS ? " per block" : "");
}

static void put_tail(struct view_panel *panel, struct view_line *line, const struct fit *fit,
		     const char *of)
{
	struct tail tail;

	if (!fit || fit->pending)
		return;
	if (fit->refused) {
		put(panel, line, DROP_SOON, ROLE_WARNING,
		    view_text(panel, " \u00b7 no fit%s: %s", of, fit->refused));
		return;
	}
	find_tail(fit, &tail);
	if (!tail.seen) {
		put(panel, line, DROP_SOON, ROLE_WARNING,
		    view_text(panel, " \u00b7 no level of the fit%s is trusted", of));
	} else if (fit->model == MODEL_GEV && fit->shape.upper < 0) {
		/* an end point that is too near: such a fit is no upper bound */
		put(panel, line, DROP_SOON, ROLE_WARNING,
		    view_text(panel, " \u00b7 tail%s bounded: Gumbel is the safe side", of));
	} else if (tail.ends) {
		put(panel, line, DROP_SOON, ROLE_WARNING,
		    view_text(panel, " \u00b7 tail%s not trusted beyond %s", of,
			      say_level(panel, fit, tail.seen)));
	} else {
		put(panel, line, DROP_SOON, ROLE_TEXT,
		    view_text(panel, " \u00b7 tail%s: data reach %s%s", of,
			      say_level(panel, fit, tail.seen), fit->weak ? ", few blocks" : ""));
		put(panel, line, DROP_FIRST, ROLE_TEXT, ", beyond is extrapolated");
	}
}

/* Of the path that the other panels are about; of the most common one of another call. */
static void put_tail_of(struct view_panel *panel, struct view_line *line,
			const struct view_context *context, uint32_t index)
{
	enum identity identity = context->settings->identity;
	const struct call *call = view_call(context, index);
	uint32_t path = index == context->call ? context->path_a : 0;
	const char *of = "";

	if (path >= call->n_paths[identity])
		path = PATH_ALL;
	else if (call->n_paths[identity] > 1)
		of = view_text(panel, " of %s",
			       view_short_id(panel, call->paths[identity][path].id));
	put_tail(panel, line, view_fit_of(panel, context, index, path, NULL), of);
}

static void put_paths(struct view_panel *panel, struct view_line *line, const struct call *call)
{
	uint32_t clean = call->n_paths[IDENTITY_CLEAN];

	put(panel, line, DROP_NEVER, ROLE_TEXT,
	    view_text(panel, ": %u path%s", (unsigned)clean, clean == 1 ? "" : "s"));
	if (call->n_paths[IDENTITY_RAW] != clean)
		put(panel, line, DROP_FIRST, ROLE_DIM,
		    view_text(panel, " (%u raw)", (unsigned)call->n_paths[IDENTITY_RAW]));
}

static void put_finding(struct view_panel *panel, struct view_line *line,
			const struct view_context *context)
{
	const struct recording *recording = context->recording;
	const struct call *call;
	double share;
	uint32_t index;

	if (!recording->n_calls || !recording->n_executions) {
		put(panel, line, DROP_NEVER, ROLE_WARNING,
		    context->live && !context->live->ended
			    ? "waiting for the first execution of a system call"
			    : "no complete execution of a system call was found");
		return;
	}
	index = choose_call(panel, context, &share);
	if (isnan(share)) {
		bool most = index == UINT32_MAX || index == most_frequent_call(recording);

		call = &recording->calls[most ? most_frequent_call(recording) : index];
		put(panel, line, DROP_NEVER, ROLE_STRONG,
		    view_text(panel, "%s%s", view_name(panel, call->name),
			      most ? " is the most frequent" : ""));
		put_paths(panel, line, call);
		put_disturbed(panel, line, recording, call);
		return;
	}
	call = &recording->calls[index];
	put(panel, line, DROP_NEVER, ROLE_STRONG, view_name(panel, call->name));
	if (recording->n_calls > 1)
		put(panel, line, DROP_LATE, ROLE_TEXT,
		    view_text(panel, " takes %.*f%% of the time", share < 0.095, 100 * share));
	put_paths(panel, line, call);
	put_distance(panel, line, context, index);
	put_disturbed(panel, line, recording, call);
	put_tail_of(panel, line, context, index);
}

void view_header(struct view_panel *panel, const struct view_context *context)
{
	struct view_block *block = view_add_block(panel, BLOCK_LINES);
	uint16_t rows = context->height_rows;

	if (!context->recording) {
		put_source(panel, view_add_line(panel, block), context, true);
	} else if (rows <= 1) {
		put_one_line(panel, view_add_line(panel, block), context);
	} else {
		put_opened(panel, view_add_line(panel, block), context);
		put_trust(panel, view_add_line(panel, block), context);
		if (rows > 2)
			put_finding(panel, view_add_line(panel, block), context);
	}
}
