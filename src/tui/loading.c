/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loading.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct loading_job {
	struct job job;
	struct loading *loading;
	struct recording *recording;
};

static void run(struct job *job, const _Atomic bool *stop)
{
	struct loading_job *this = (struct loading_job *)job;
	const struct explore_options *options = this->loading->options;

	(void)stop;
	this->recording = recording_load(options->paths, options->n_paths, &options->load,
					 &this->loading->progress);
}

static void done(struct job *job, void *owner)
{
	struct loading_job *this = (struct loading_job *)job;
	struct loading *loading = owner;

	loading->recording = this->recording;
	this->recording = NULL;
	loading->done = true;
}

static void release(struct job *job)
{
	struct loading_job *this = (struct loading_job *)job;

	if (this->recording)
		recording_free(this->recording);
	free(this);
}

int loading_start(struct loading *loading, const struct explore_options *options,
		  const char *source, struct error *err)
{
	struct loading_job *job;

	*loading = (struct loading){.options = options, .source = source};
	loading->worker = worker_new(loading);
	if (!loading->worker)
		return error_set(err, "cannot start a thread to read '%s'", source);
	job = mem_zero(1, sizeof *job);
	job->job.slot = 1;
	job->job.run = run;
	job->job.done = done;
	job->job.release = release;
	job->loading = loading;
	worker_submit(loading->worker, &job->job);
	return 0;
}

void loading_stop(struct loading *loading)
{
	loading->stopping = true;
	atomic_store(&loading->progress.stop, true);
}

void loading_release(struct loading *loading)
{
	atomic_store(&loading->progress.stop, true);
	worker_free(loading->worker);
	loading->worker = NULL;
}

void loading_look_at(struct loading *loading, uint64_t elapsed_ns, struct loading_look *look)
{
	struct load_progress *progress = &loading->progress;

	*look = (struct loading_look){
		.source = loading->source,
		.bytes_done = atomic_load(&progress->bytes_done),
		.bytes_total = atomic_load(&progress->bytes_total),
		.runs_done = atomic_load(&progress->runs_done),
		.runs_total = atomic_load(&progress->runs_total),
		.executions = atomic_load(&progress->executions),
		.elapsed_ns = elapsed_ns,
		.stopping = loading->stopping,
	};
}

/* 3.21 GB, 45.2 MB, 812 kB */
static char *format_bytes(char *out, double bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
	char number[NUMBER_SIZE];
	size_t unit = 0;

	while (bytes >= 999.5 && unit + 1 < COUNT_OF(units)) {
		bytes /= 1000;
		unit++;
	}
	if (unit == 0)
		snprintf(out, NUMBER_SIZE, "%.0f B", bytes);
	else
		snprintf(out, NUMBER_SIZE, "%.20s %s", format_significant(number, bytes, 3),
			 units[unit]);
	return out;
}

static void format_time_left(char *out, size_t size, double seconds)
{
	if (!isfinite(seconds))
		out[0] = '\0';
	else if (seconds < 100)
		snprintf(out, size, "%.0f s left", ceil(seconds));
	else
		snprintf(out, size, "%.0f min left", ceil(seconds / 60));
}

static void draw_figures(const struct loading_look *look, struct canvas *canvas, int y)
{
	double seconds = (double)look->elapsed_ns / 1e9;
	double rate = seconds > 0 ? (double)look->bytes_done / seconds : 0;
	double left = rate > 0 && look->bytes_total >= look->bytes_done
			      ? (double)(look->bytes_total - look->bytes_done) / rate
			      : NAN;
	char a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE], remaining[40], line[200];
	int width = canvas->width - 4;

	/* the first moments' rate says nothing */
	format_time_left(remaining, sizeof remaining, seconds < 0.5 ? NAN : left);
	snprintf(line, sizeof line, "%s of %s   %s/s   %s",
		 format_bytes(a, (double)look->bytes_done),
		 look->bytes_total ? format_bytes(b, (double)look->bytes_total) : "?",
		 format_bytes(c, rate), remaining);
	canvas_puts(canvas, 2, y, width, ROLE_TEXT, line);
	snprintf(line, sizeof line, "%s of %s runs   %s executions",
		 format_count(a, look->runs_done),
		 look->runs_total ? format_count(b, look->runs_total) : "?",
		 format_count(c, look->executions));
	canvas_puts(canvas, 2, y + 1, width, ROLE_TEXT, line);
}

void loading_draw(const struct loading_look *look, struct canvas *canvas)
{
	int y = canvas->height / 2 - 3, width = canvas->width - 4;
	double part = look->bytes_total ? (double)look->bytes_done / (double)look->bytes_total : 0;

	canvas_clear(canvas);
	if (y < 0)
		y = 0;
	canvas_puts(canvas, 2, y, width, ROLE_TITLE, "reading ");
	canvas_puts(canvas, 10, y, width - 8, ROLE_STRONG, look->source);
	canvas_repeat(canvas, 2, y + 2, width, 0x2591, ROLE_RULE);
	draw_bar(canvas, 2, y + 2, width, part, ROLE_BAR);
	draw_figures(look, canvas, y + 3);
	canvas_puts(canvas, 2, canvas->height - 1, width, ROLE_DIM,
		    look->stopping ? "stopping: what was read is kept"
				   : "q stops here and shows what was read");
}
