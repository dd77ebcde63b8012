/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/recording.h"

#include <stdlib.h>
#include <string.h>

#include "manifest.h"

const char *emulation_word(enum emulation emulation)
{
	static const char *const words[] = {NULL, "no", "host", "counted"};

	return words[emulation];
}

enum emulation emulation_of_word(const char *word)
{
	for (enum emulation e = EMULATION_NO; e <= EMULATION_COUNTED; e++)
		if (strcmp(word, emulation_word(e)) == 0)
			return e;
	return EMULATION_UNKNOWN;
}

bool input_has_events_alone(const struct input *input)
{
	static const char ending[] = "-events";
	size_t n = input->format ? strlen(input->format) : 0;

	return n >= sizeof ending && strcmp(input->format + n - (sizeof ending - 1), ending) == 0;
}

void input_release(struct input *input)
{
	free(input->name);
	free(input->path);
	free(input->error);
	free(input->kernel);
	free(input->scope);
	free(input->origin_options);
	for (uint32_t i = 0; i < input->n_origins; i++) {
		free(input->origins[i].name);
		free(input->origins[i].format);
	}
	free(input->origins);
}

static void free_tallies(struct tallies *tallies)
{
	if (!tallies)
		return;
	for (size_t stratum = 0; stratum < COUNT_OF(tallies->of); stratum++)
		for (size_t time = 0; time < COUNT_OF(tallies->of[stratum]); time++)
			free(tallies->of[stratum][time].maxima_ns);
	free(tallies);
}

static void free_path(struct path *path)
{
	free(path->id);
	free_tallies(path->tallies);
	if (!path->times)
		return;
	for (uint32_t i = 0; i < path->times->n_slowest; i++)
		free(path->times->slowest[i].node_ns);
	for (uint32_t i = 0; i < path->times->n_typical; i++)
		free(path->times->typical[i].node_ns);
	free(path->times->nodes);
	free(path->times);
}

static void free_call(struct call *call)
{
	for (enum identity i = IDENTITY_CLEAN; i <= IDENTITY_RAW; i++) {
		for (uint32_t p = 0; p < call->n_paths[i]; p++)
			free_path(&call->paths[i][p]);
		free(call->paths[i]);
		free(call->order[i]);
	}
	free_tallies(call->tallies);
	free(call->name);
	free(call->duration_ns);
	free(call->raw);
	free(call->run);
	free(call->flags);
	free(call->removed);
}

struct recording *recording_hold(struct recording *recording)
{
	atomic_fetch_add(&recording->holders, 1);
	return recording;
}

void recording_free(struct recording *recording)
{
	if (!recording || atomic_fetch_sub(&recording->holders, 1) > 1)
		return;
	for (uint32_t i = 0; i < recording->n_inputs; i++)
		input_release(&recording->inputs[i]);
	for (uint32_t i = 0; i < recording->n_complaints; i++) {
		free(recording->complaints[i].file);
		free(recording->complaints[i].reason);
	}
	for (uint32_t i = 0; i < recording->n_campaigns; i++)
		free(recording->campaigns[i].name);
	for (uint32_t i = 0; i < recording->n_runs; i++)
		free(recording->runs[i].name);
	for (uint32_t i = 0; i < recording->n_calls; i++)
		free_call(&recording->calls[i]);
	for (uint32_t i = 0; i < recording->n_unread; i++)
		free(recording->unread[i]);
	free(recording->inputs);
	free(recording->complaints);
	free(recording->campaigns);
	free(recording->runs);
	free(recording->calls);
	free(recording->unread);
	names_free(recording->names);
	trees_free(recording->trees);
	free(recording);
}

const struct call *recording_find_call(const struct recording *recording, const char *name)
{
	for (uint32_t i = 0; i < recording->n_calls; i++)
		if (strcmp(recording->calls[i].name, name) == 0)
			return &recording->calls[i];
	return NULL;
}

/* The entry of an execution, walking along with ascending executions. */
static const struct removed *removed_of(const struct call *call, uint32_t execution, uint32_t *at)
{
	while (*at < call->n_removed && call->removed[*at].execution < execution)
		++*at;
	return *at < call->n_removed && call->removed[*at].execution == execution
		       ? &call->removed[*at]
		       : NULL;
}

static bool in_stratum(enum stratum stratum, uint8_t flags)
{
	bool disturbed = flags & EXECUTION_DISTURBED;

	return stratum == STRATUM_ALL || disturbed == (stratum == STRATUM_DISTURBED);
}

static uint64_t own_time(uint64_t duration_ns, const struct removed *removed)
{
	uint64_t gone;

	if (!removed)
		return duration_ns;
	gone = removed->interrupt_ns + removed->preempted_ns + removed->off_cpu_ns;
	return duration_ns > gone ? duration_ns - gone : 0;
}

/*
 * Of a call's paths some are thinned more than others. A sample of the whole
 * call takes so few of each as of the one that is thinned most: an even draw.
 */
struct evening {
	uint32_t most;	 /* thinning */
	uint64_t *n_met; /* by clean path */
};

static void evening_init(struct evening *evening, const struct call *call, bool whole_call)
{
	*evening = (struct evening){0};
	if (!whole_call || !call->tallies)
		return;
	for (uint32_t i = 0; i < call->n_paths[IDENTITY_CLEAN]; i++) {
		const struct path *path = &call->paths[IDENTITY_CLEAN][i];

		evening->most = path->thinning > evening->most ? path->thinning : evening->most;
	}
	evening->n_met = mem_zero(call->n_paths[IDENTITY_CLEAN], sizeof *evening->n_met);
}

static bool is_drawn(struct evening *evening, const struct call *call, uint32_t execution)
{
	uint32_t clean, less;
	uint64_t met, lot;

	if (call->flags[execution] & EXECUTION_APART)
		return false;
	if (!evening->n_met)
		return true;
	clean = call->paths[IDENTITY_RAW][call->raw[execution]].clean;
	less = evening->most - call->paths[IDENTITY_CLEAN][clean].thinning;
	met = evening->n_met[clean]++;
	/* the same lot for all of one stretch: one of them has it */
	lot = ((met >> less) + 1) * 0x9e3779b97f4a7c15u ^ clean;
	lot = (lot ^ (lot >> 30)) * 0xbf58476d1ce4e5b9u;
	lot ^= lot >> 31;
	return ((met ^ lot) & (((uint64_t)1 << less) - 1)) == 0;
}

bool *call_drawn(const struct call *call)
{
	struct evening evening;
	bool *drawn;

	if (!call->tallies)
		return NULL;
	evening_init(&evening, call, true);
	drawn = mem_alloc(call->n_executions * sizeof *drawn);
	for (uint32_t i = 0; i < call->n_executions; i++)
		drawn[i] = is_drawn(&evening, call, i);
	free(evening.n_met);
	return drawn;
}

/* Figures of all that are selected, where not all are kept. */
static const struct tally *tally_of(const struct call *call, const struct path *path,
				    const struct selection *selection)
{
	const struct tallies *tallies = path ? path->tallies : call->tallies;

	return tallies ? &tallies->of[selection->stratum][selection->time] : NULL;
}

void sample_select(const struct recording *recording, const struct call *call,
		   const struct selection *selection, struct sample *sample)
{
	const struct path *path = selection->path == PATH_ALL
					  ? NULL
					  : &call->paths[selection->identity][selection->path];
	const uint32_t *order = path ? call->order[selection->identity] + path->first : NULL;
	uint32_t n = path ? path->n_executions : call->n_executions, at = 0;
	struct evening evening;

	evening_init(&evening, call, !path);
	*sample = (struct sample){
		.value_ns = mem_alloc(n * sizeof *sample->value_ns),
		.execution = mem_alloc(n * sizeof *sample->execution),
		.campaign = mem_alloc(n * sizeof *sample->campaign),
		.run = mem_alloc(n * sizeof *sample->run),
	};
	for (uint32_t i = 0; i < n; i++) {
		uint32_t e = order ? order[i] : i, to = sample->n;
		uint8_t flags = call->flags[e];

		if (!is_drawn(&evening, call, e) || !in_stratum(selection->stratum, flags))
			continue;
		if (flags & EXECUTION_NO_DURATION ||
		    (selection->time == TIME_OWN && flags & EXECUTION_OWN_UNKNOWN)) {
			sample->n_left_out++;
			continue;
		}
		sample->value_ns[to] = call->duration_ns[e];
		if (selection->time == TIME_OWN)
			sample->value_ns[to] =
				own_time(call->duration_ns[e], removed_of(call, e, &at));
		sample->execution[to] = e;
		sample->run[to] = call->run[e];
		sample->campaign[to] = recording->runs[call->run[e]].campaign;
		sample->n++;
	}
	free(evening.n_met);
	sample->tally = tally_of(call, path, selection);
	if (sample->tally && sample->tally->n == sample->n)
		sample->tally = NULL;
}

void sample_release(struct sample *sample)
{
	free(sample->value_ns);
	free(sample->execution);
	free(sample->campaign);
	free(sample->run);
	*sample = (struct sample){0};
}

uint32_t call_find_path(const struct call *call, enum identity identity, const char *prefix,
			struct error *err)
{
	size_t n = strlen(prefix);
	uint32_t found = PATH_ALL;

	for (uint32_t i = 0; i < call->n_paths[identity]; i++) {
		const char *id = call->paths[identity][i].id;

		if (strncmp(id, prefix, n) != 0)
			continue;
		if (id[n] == '\0')
			return i;
		if (found != PATH_ALL) {
			error_set(err, "'%s' begins the id of more than one path", prefix);
			return PATH_ALL;
		}
		found = i;
	}
	if (found == PATH_ALL)
		error_set(err, "no path of %s has an id that begins with '%s'", call->name, prefix);
	return found;
}
