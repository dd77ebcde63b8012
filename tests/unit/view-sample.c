/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view-sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the recording ---- */

static void add_paths(struct view_sample *sample, const uint8_t *path)
{
	static char id_a[] = "0123456789abcdef0123456789abcdef";
	static char id_b[] = "fedcba9876543210fedcba9876543210";
	struct call *call = &sample->call;
	uint32_t at = 0, n = call->n_executions;

	call->order[0] = mem_alloc((n + 1) * sizeof *call->order[0]);
	for (uint32_t k = 0; k < 2; k++) {
		struct path *to = &sample->paths[k];

		*to = (struct path){.id = k ? id_b : id_a, .clean = k, .n_raw = 1, .first = at};
		for (uint32_t i = 0; i < n; i++) {
			if ((path ? path[i] : 0) != k)
				continue;
			call->order[0][at++] = i;
			to->n_executions++;
			to->n_seen++;
			to->n_disturbed += call->flags[i] & EXECUTION_DISTURBED;
			to->n_disturbed_seen += call->flags[i] & EXECUTION_DISTURBED;
		}
	}
	call->order[1] = call->order[0];
	call->paths[0] = call->paths[1] = sample->paths;
	call->n_paths[0] = call->n_paths[1] = sample->paths[1].n_executions ? 2 : 1;
}

/* ---- what a store would answer ---- */

static void *keep(struct view_sample *sample, void *value, void (*release)(void *value))
{
	assert_true(sample->n_results < RESULTS_MAX);
	sample->results[sample->n_results].value = value;
	sample->results[sample->n_results++].release = release;
	return value;
}

static void select_sample(struct view_sample *of, const struct settings *settings, uint32_t path,
			  enum stratum stratum, struct sample *out)
{
	const struct selection selection = {.identity = settings->identity,
					    .path = path,
					    .stratum = stratum,
					    .time = settings->time};

	sample_select(&of->recording, &of->call, &selection, out);
}

static void free_fit(void *fit)
{
	fit_release(fit);
	free(fit);
}

static void free_sample(void *sample)
{
	sample_release(sample);
	free(sample);
}

static void free_density(void *density)
{
	density_release(density);
	free(density);
}

static const struct summary *give_summary(void *owner, uint32_t call, uint32_t path,
					  enum stratum stratum, bool *pending)
{
	struct view_sample *of = owner;
	struct summary *summary = keep(of, mem_zero(1, sizeof *summary), free);
	struct sample sample;
	struct sorted sorted;

	(void)call;
	if (of->late) {
		*pending = true;
		return NULL;
	}
	select_sample(of, &of->settings, path, stratum, &sample);
	sorted_from(&sample, &sorted);
	stats_summarise(sorted.value_ns, sorted.n, summary);
	sorted_release(&sorted);
	sample_release(&sample);
	return summary;
}

static const struct fit *give_fit_with(void *owner, uint32_t call, uint32_t path,
				       const struct settings *settings, bool *pending)
{
	struct view_sample *of = owner;
	struct sample sample;
	struct fit *fit;

	(void)call;
	if (of->late) {
		*pending = true;
		return NULL;
	}
	fit = keep(of, mem_zero(1, sizeof *fit), free_fit);
	select_sample(of, settings, path, settings->stratum, &sample);
	fit_compute(&sample, settings, of->context.deadline_ns, fit);
	if (fit->pending && !of->stage_one)
		assert_true(fit_intervals(fit, NULL));
	sample_release(&sample);
	return fit;
}

static const struct fit *give_fit(void *owner, uint32_t call, uint32_t path, bool *pending)
{
	struct view_sample *of = owner;

	if (of->earlier)
		*pending = true;
	return give_fit_with(owner, call, path, of->earlier ? of->earlier : &of->settings, pending);
}

static const struct test_results *give_tests(void *owner, uint32_t call, uint32_t path,
					     bool *pending)
{
	struct view_sample *of = owner;
	struct test_results *results;
	struct sample sample;

	(void)call;
	if (of->late || of->stage_one) {
		*pending = true;
		return NULL;
	}
	results = keep(of, mem_zero(1, sizeof *results), free);
	select_sample(of, &of->settings, path, of->settings.stratum, &sample);
	assert_true(tests_compute(&sample, &of->settings, NULL, results));
	sample_release(&sample);
	return results;
}

static const struct stability *give_stability(void *owner, uint32_t call, uint32_t path, size_t *n,
					      bool *pending)
{
	struct view_sample *of = owner;
	struct stability *rows = keep(of, mem_zero(n_block_size_steps, sizeof *rows), free);
	struct sample sample;

	(void)call;
	(void)pending;
	select_sample(of, &of->settings, path, of->settings.stratum, &sample);
	fit_stability(&sample, &of->settings, block_size_steps, n_block_size_steps, rows);
	sample_release(&sample);
	*n = n_block_size_steps;
	return rows;
}

static const struct sample *give_sample(void *owner, uint32_t call, uint32_t path, bool *pending)
{
	struct view_sample *of = owner;
	struct sample *sample = keep(of, mem_zero(1, sizeof *sample), free_sample);

	(void)call;
	(void)pending;
	select_sample(of, &of->settings, path, of->settings.stratum, sample);
	return sample;
}

static double axis_place(const struct view_density *wanted, double low, double high, double part)
{
	return wanted->scale == AXIS_LOG ? low * pow(high / low, part) : low + (high - low) * part;
}

static const struct density *give_density(void *owner, const struct view_density *wanted,
					  bool *pending)
{
	struct view_sample *of = owner;
	struct density *density;
	struct sorted sorted[VIEW_SAMPLES_MAX];
	const struct sorted *samples[VIEW_SAMPLES_MAX];
	double weight[VIEW_SAMPLES_MAX], low, high;

	if (of->late) {
		*pending = true;
		return NULL;
	}
	density = keep(of, mem_zero(1, sizeof *density), free_density);
	for (uint32_t i = 0; i < wanted->n_paths; i++) {
		struct sample sample;

		select_sample(of, &of->settings, wanted->paths[i], of->settings.stratum, &sample);
		sorted_from(&sample, &sorted[i]);
		samples[i] = &sorted[i];
		weight[i] = (double)sample.n / of->call.n_executions;
		sample_release(&sample);
	}
	density_range(samples, wanted->n_paths, wanted->scale, wanted->quantile, &low, &high);
	assert_true(density_compute(
		samples, wanted->weighted ? weight : NULL, wanted->n_paths, wanted->kind,
		wanted->scale, BANDWIDTH_SILVERMAN, axis_place(wanted, low, high, wanted->zoom_low),
		axis_place(wanted, low, high, wanted->zoom_high), wanted->n_points, NULL, density));
	for (uint32_t i = 0; i < wanted->n_paths; i++)
		sorted_release(&sorted[i]);
	return density;
}

void view_sample_init(struct view_sample *sample, const uint64_t *duration_ns, const uint8_t *path,
		      const uint8_t *flags, uint32_t n)
{
	struct call *call = &sample->call;

	*sample = (struct view_sample){.input = {.name = "hand-built"}, .campaign = {.n_runs = 1}};
	sample->recording = (struct recording){.inputs = &sample->input,
					       .n_inputs = 1,
					       .campaigns = &sample->campaign,
					       .n_campaigns = 1,
					       .runs = &sample->run,
					       .n_runs = 1,
					       .calls = call,
					       .n_calls = 1,
					       .n_executions = n,
					       .has_durations = true};
	call->name = "openat";
	call->n_executions = n;
	call->n_seen = n;
	call->duration_ns = mem_alloc((n + 1) * sizeof *call->duration_ns);
	call->run = mem_zero(n + 1, sizeof *call->run);
	call->flags = mem_zero(n + 1, 1);
	memcpy(call->duration_ns, duration_ns, n * sizeof *duration_ns);
	if (flags)
		memcpy(call->flags, flags, n);
	add_paths(sample, path);
	settings_init(&sample->settings);
	sample->context = (struct view_context){.recording = &sample->recording,
						.settings = &sample->settings,
						.results = {give_summary, give_fit, give_fit_with,
							    give_tests, give_stability,
							    give_density, give_sample, sample},
						.path_b = call->n_paths[0] > 1 ? 1 : PATH_ALL,
						.zoom_high = 1};
}

static void forget(struct view_sample *sample)
{
	view_panel_release(&sample->panel);
	while (sample->n_results) {
		sample->n_results--;
		sample->results[sample->n_results].release(
			sample->results[sample->n_results].value);
	}
}

void view_sample_release(struct view_sample *sample)
{
	forget(sample);
	free(sample->call.duration_ns);
	free(sample->call.run);
	free(sample->call.flags);
	free(sample->call.order[0]);
}

void view_sample_build(struct view_sample *sample, enum panel_id panel, int width, int height)
{
	forget(sample);
	sample->context.width_cols = (uint16_t)width;
	sample->context.height_rows = (uint16_t)height;
	view_panel_init(&sample->panel, panel);
	if (panel == PANEL_DENSITY)
		view_density(&sample->panel, &sample->context);
	else if (panel == PANEL_FIT)
		view_fit(&sample->panel, &sample->context);
	else
		view_iid(&sample->panel, &sample->context);
}

/* ---- what it says ---- */

void view_line_text(const struct view_line *line, struct text *out)
{
	char cell[VIEW_CELL_SIZE];

	for (uint32_t i = 0; i < line->n; i++)
		text_puts(out, view_format(cell, sizeof cell, &line->cells[i]));
	text_puts(out, "\n");
}

static void table_text(const struct view_table *table, struct text *out)
{
	char cell[VIEW_CELL_SIZE];

	for (uint32_t i = 0; i < table->n_columns; i++)
		text_printf(out, "%s ",
			    table->headings[i] ? table->headings[i] : table->columns[i].heading);
	text_puts(out, "\n");
	for (uint32_t row = 0; row < table->n_rows; row++) {
		for (uint32_t i = 0; i < table->n_columns; i++)
			text_printf(out, "%s ",
				    view_format(cell, sizeof cell,
						&table->cells[row * table->n_columns + i]));
		text_puts(out, "\n");
	}
}

void view_sample_text(const struct view_sample *sample, struct text *out)
{
	const struct view_panel *panel = &sample->panel;

	view_line_text(&panel->title, out);
	for (uint32_t i = 0; i < panel->n_blocks; i++) {
		const struct view_block *block = panel->blocks[i];

		if (block->kind == BLOCK_TABLE)
			table_text(&block->table, out);
		for (uint32_t k = 0; block->kind == BLOCK_LINES && k < block->lines.n; k++)
			view_line_text(&block->lines.lines[k], out);
	}
}

bool view_sample_says(const struct view_sample *sample, const char *words)
{
	struct text text = {0};
	bool found;

	view_sample_text(sample, &text);
	found = strstr(text.bytes, words);
	if (!found)
		print_message("# no \"%s\" in:\n%s", words, text.bytes);
	text_release(&text);
	return found;
}

int view_sample_rows(const struct view_sample *sample)
{
	const struct view_panel *panel = &sample->panel;
	int rows = 0;

	for (uint32_t i = 0; i < panel->n_blocks; i++) {
		const struct view_block *block = panel->blocks[i];

		if (block->kind == BLOCK_LINES)
			rows += (int)block->lines.n;
		else if (block->kind == BLOCK_TABLE)
			rows += 1 + (int)block->table.n_rows;
		else
			rows += block->plot.min_rows;
	}
	return rows;
}

const struct view_block *view_sample_block(const struct view_sample *sample, enum block_kind kind,
					   int n)
{
	for (uint32_t i = 0; i < sample->panel.n_blocks; i++)
		if (sample->panel.blocks[i]->kind == kind && n-- == 0)
			return sample->panel.blocks[i];
	return NULL;
}

const struct view_cell *view_table_cell(const struct view_table *table, const char *row,
					const char *column)
{
	char cell[VIEW_CELL_SIZE];

	for (uint32_t i = 0; i < table->n_rows; i++) {
		const struct view_cell *cells = &table->cells[i * table->n_columns];

		if (strcmp(view_format(cell, sizeof cell, &cells[0]), row))
			continue;
		for (uint32_t k = 0; k < table->n_columns; k++)
			if (!strcmp(table->columns[k].id, column))
				return &cells[k];
	}
	return NULL;
}

static const struct view_cell *cell_after(const struct view_line *line, const char *words)
{
	struct text text = {0};
	char cell[VIEW_CELL_SIZE];
	size_t n = strlen(words);

	for (uint32_t i = 0; i + 1 < line->n; i++) {
		text_puts(&text, view_format(cell, sizeof cell, &line->cells[i]));
		if (text.n >= n && !strcmp(text.bytes + text.n - n, words)) {
			text_release(&text);
			return &line->cells[i + 1];
		}
	}
	text_release(&text);
	return NULL;
}

const struct view_cell *view_cell_after(const struct view_sample *sample, const char *words)
{
	for (uint32_t i = 0; i < sample->panel.n_blocks; i++) {
		const struct view_block *block = sample->panel.blocks[i];

		for (uint32_t k = 0; block->kind == BLOCK_LINES && k < block->lines.n; k++) {
			const struct view_cell *cell = cell_after(&block->lines.lines[k], words);

			if (cell)
				return cell;
		}
	}
	return NULL;
}

void view_sample_law(enum model model, double location_ns, double scale_ns, double shape,
		     uint64_t *duration_ns, uint32_t n)
{
	const double theta[N_PARAMETERS_MAX] = {location_ns, scale_ns, shape};
	uint64_t state = 1;

	for (uint32_t i = 0; i < n; i++)
		duration_ns[i] =
			(uint64_t)stats_distribution(model)->quantile(theta, -log((i + 0.5) / n));
	for (uint32_t i = n; i > 1; i--) {
		uint32_t other = (uint32_t)(stats_random(&state) % i);
		uint64_t value = duration_ns[i - 1];

		duration_ns[i - 1] = duration_ns[other];
		duration_ns[other] = value;
	}
}
