/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The builders of panels, one a row, and how they ask for what they show. */
#include "view-internal.h"

#include <ctype.h>
#include <string.h>

static void (*const builders[PANEL_COUNT])(struct view_panel *panel,
					   const struct view_context *context) = {
	[PANEL_HEADER] = view_header, [PANEL_CALLS] = view_calls,     [PANEL_PATHS] = view_paths,
	[PANEL_TREE] = view_tree,     [PANEL_DENSITY] = view_density, [PANEL_FIT] = view_fit,
	[PANEL_IID] = view_iid,
};

void view_build(struct view_panel *out, enum panel_id panel, const struct view_context *context)
{
	view_panel_init(out, panel);
	builders[panel](out, context);
}

const struct call *view_call(const struct view_context *context, uint32_t call)
{
	const struct recording *recording = context->recording;

	return recording && call < recording->n_calls ? &recording->calls[call] : NULL;
}

const struct path *view_path(const struct view_context *context, uint32_t path)
{
	const struct call *call = view_call(context, context->call);
	enum identity identity = context->settings->identity;

	return call && path < call->n_paths[identity] ? &call->paths[identity][path] : NULL;
}

bool view_has_trees(const struct recording *recording)
{
	return recording->trees && trees_count(recording->trees) > 0;
}

#define ID_DIGITS 6
#define OTHER_ID 16 /* of an id that a file gave */

const char *view_short_id(struct view_panel *panel, const char *id)
{
	bool digest = strlen(id) == 32;

	for (const char *at = id; digest && *at; at++)
		digest = isxdigit((unsigned char)*at);
	if (digest)
		return view_text(panel, "%.*s", ID_DIGITS, id);
	return view_name(panel, view_text(panel, "%.*s", OTHER_ID, id));
}

void view_say(struct view_panel *panel, enum role role, const char *text)
{
	struct view_block *block = view_add_block(panel, BLOCK_LINES);

	view_puts(panel, view_add_line(panel, block), role, text);
}

static void note_pending(struct view_panel *panel, bool now, bool *pending)
{
	if (!now)
		return;
	panel->pending = true;
	if (pending)
		*pending = true;
}

const struct summary *view_summary(struct view_panel *panel, const struct view_context *context,
				   uint32_t call, uint32_t path, bool *pending)
{
	const struct view_results *results = &context->results;
	const struct summary *summary;
	bool now = false;

	if (!results->summary || !context->recording->has_durations)
		return NULL;
	summary = results->summary(results->owner, call, path, STRATUM_ALL, &now);
	note_pending(panel, now, pending);
	return summary && summary->n ? summary : NULL;
}

const struct fit *view_fit_of(struct view_panel *panel, const struct view_context *context,
			      uint32_t call, uint32_t path, bool *pending)
{
	const struct view_results *results = &context->results;
	const struct fit *fit;
	bool now = false;

	if (!results->fit || !context->recording->has_durations)
		return NULL;
	fit = results->fit(results->owner, call, path, &now);
	note_pending(panel, now, pending);
	return fit;
}

static const struct removed *find_removed(const struct call *call, uint32_t execution)
{
	uint32_t low = 0, high = call->n_removed;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (call->removed[middle].execution < execution)
			low = middle + 1;
		else
			high = middle;
	}
	return low < call->n_removed && call->removed[low].execution == execution
		       ? &call->removed[low]
		       : NULL;
}

static bool execution_time(const struct call *call, uint32_t execution, enum time_kind kind,
			   uint64_t *time_ns)
{
	const struct removed *removed;
	uint64_t gone = 0;

	if (call->flags[execution] & EXECUTION_NO_DURATION ||
	    (kind == TIME_OWN && call->flags[execution] & EXECUTION_OWN_UNKNOWN))
		return false;
	*time_ns = call->duration_ns[execution];
	removed = kind == TIME_OWN ? find_removed(call, execution) : NULL;
	if (removed)
		gone = removed->interrupt_ns + removed->preempted_ns + removed->off_cpu_ns;
	*time_ns -= gone < *time_ns ? gone : *time_ns;
	return true;
}

uint32_t view_some_times(const struct view_context *context, uint32_t call_index, uint32_t path,
			 uint64_t *time_ns, uint32_t room)
{
	const struct call *call = view_call(context, call_index);
	enum identity identity = context->settings->identity;
	const uint32_t *order = NULL;
	uint32_t all = call->n_executions, wanted, n = 0;

	if (path != PATH_ALL) {
		order = call->order[identity] + call->paths[identity][path].first;
		all = call->paths[identity][path].n_executions;
	}
	wanted = all < room ? all : room;
	for (uint32_t i = 0; i < wanted; i++) {
		uint32_t at = (uint32_t)((uint64_t)i * all / wanted);

		n += execution_time(call, order ? order[at] : at, context->settings->time,
				    &time_ns[n]);
	}
	stats_sort(time_ns, NULL, n);
	return n;
}

struct view_cell view_level_cell(struct view_panel *panel, enum role role, double level_ns,
				 bool trusted)
{
	char number[NUMBER_SIZE];

	if (trusted || isnan(level_ns))
		return cell_number(CELL_DURATION, trusted ? role : ROLE_WARNING, level_ns);
	return cell_text(ROLE_WARNING, view_text(panel, "%s?", format_duration(number, level_ns)));
}

struct view_cell view_pwcet_cell(struct view_panel *panel, const struct fit *fit,
				 const struct settings *settings)
{
	const struct level *level = fit ? fit_pwcet(fit) : NULL;

	if (!fit)
		return (struct view_cell){0};
	if (fit->refused || !level)
		return cell_text(ROLE_DIM, distrust_words(DISTRUST_NO_FIT));
	if (!level->trusted && !settings->force)
		return cell_text(ROLE_WARNING, distrust_words(level->distrust));
	return view_level_cell(panel, ROLE_STRONG, level->estimate_ns, level->trusted);
}
