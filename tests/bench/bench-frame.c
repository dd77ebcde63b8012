/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a frame of the explorer costs at 200x50: drawing alone, and building
 * every panel first. Prints medians and their ratio to turning the finished
 * frame into text, asserts nothing.
 *   bench-frame RECORDING
 */
#include <gsl/gsl_errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../src/tui/explorer.h"

#define WIDTH 200
#define HEIGHT 50
#define N_REPEATS 101

struct subject {
	struct explorer explorer;
	struct canvas before, now;
	struct text text;
	int n_cells; /* that differed */
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void count_cells(void *owner, int x, int y, int n)
{
	(void)x;
	(void)y;
	((struct subject *)owner)->n_cells += n;
}

static void draw(struct subject *subject)
{
	explorer_draw(&subject->explorer, &subject->now);
	canvas_changes(&subject->before, &subject->now, count_cells, subject);
}

static void build_and_draw(struct subject *subject)
{
	subject->explorer.dirty = DIRTY_ALL;
	explorer_refresh(&subject->explorer);
	draw(subject);
}

static void build_list(struct subject *subject)
{
	subject->explorer.dirty = DIRTY(PANEL_PATHS);
	explorer_refresh(&subject->explorer);
	draw(subject);
}

/* The measure: every cell once, as bytes. */
static void as_text(struct subject *subject)
{
	text_clear(&subject->text);
	for (int y = 0; y < HEIGHT; y++)
		canvas_row_text(&subject->now, y, &subject->text);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_ms(void (*run)(struct subject *subject), struct subject *subject)
{
	double ms[N_REPEATS];

	for (int i = 0; i < N_REPEATS; i++) {
		double begin = now_ms();

		run(subject);
		ms[i] = now_ms() - begin;
	}
	qsort(ms, N_REPEATS, sizeof *ms, compare_doubles);
	return ms[N_REPEATS / 2];
}

static void settle(struct explorer *explorer)
{
	int fds[STORE_FDS];

	store_fds(explorer->store, fds);
	explorer_refresh(explorer);
	while (store_pending(explorer->store)) {
		struct pollfd wait[STORE_FDS];

		for (int i = 0; i < STORE_FDS; i++)
			wait[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
		poll(wait, STORE_FDS, -1);
		store_collect(explorer->store);
		explorer_refresh(explorer);
	}
}

static void measure(struct subject *subject, const char *title)
{
	static const struct {
		const char *name;
		void (*run)(struct subject *subject);
	} cases[] = {{"the frame as text", as_text},
		     {"draw, nothing new", draw},
		     {"build paths, draw", build_list},
		     {"build all six, draw", build_and_draw}};
	double unit = 0;

	settle(&subject->explorer);
	draw(subject);
	printf("%s\n", title);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		double ms = median_ms(cases[i].run, subject);

		if (i == 0)
			unit = ms;
		printf("  %-22s %7.3f ms  %6.1fx\n", cases[i].name, ms, ms / unit);
	}
}

int main(int argc, char **argv)
{
	struct subject subject = {.n_cells = 0};
	struct explore_options options = {.load = {.node_times = true}};
	struct recording *recording;
	struct error err;
	const char *path = argc > 1 ? argv[1] : "sample-data/rt.tar.zst";

	gsl_set_error_handler_off();
	settings_init(&options.settings);
	recording = recording_load(&path, 1, &options.load, NULL);
	if (!recording->n_executions) {
		fprintf(stderr, "bench-frame: nothing in '%s'\n", path);
		return 1;
	}
	explorer_init(&subject.explorer, &options, recording, path);
	subject.explorer.glyphs = GLYPHS_BRAILLE;
	if (explorer_start(&subject.explorer, &err))
		return 1;
	explorer_resize(&subject.explorer, WIDTH, HEIGHT);
	canvas_init(&subject.before, WIDTH, HEIGHT, GLYPHS_BRAILLE);
	canvas_init(&subject.now, WIDTH, HEIGHT, GLYPHS_BRAILLE);
	measure(&subject, "clean paths");
	explorer_set_identity(&subject.explorer, IDENTITY_RAW);
	measure(&subject, "raw paths");
	explorer_release(&subject.explorer);
	recording_free(recording);
	canvas_release(&subject.before);
	canvas_release(&subject.now);
	text_release(&subject.text);
	return 0;
}
