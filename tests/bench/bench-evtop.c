/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a recording, and nothing else: seconds, wall and CPU; prints, asserts nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "evtop/recording.h"

#define N_REPEATS 5

static double now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int measure(const char *file, const struct load_options *options, const char *what)
{
	double wall[N_REPEATS], cpu[N_REPEATS];

	for (int i = 0; i < N_REPEATS; i++) {
		double wall_start = now_s(CLOCK_MONOTONIC), cpu_start;
		struct recording *recording;

		cpu_start = now_s(CLOCK_PROCESS_CPUTIME_ID);
		recording = recording_load(&file, 1, options, NULL);
		wall[i] = now_s(CLOCK_MONOTONIC) - wall_start;
		cpu[i] = now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
		if (recording->inputs[0].error) {
			fprintf(stderr, "'%s': %s\n", file, recording->inputs[0].error);
			return 1;
		}
		recording_free(recording);
	}
	qsort(wall, N_REPEATS, sizeof *wall, compare);
	qsort(cpu, N_REPEATS, sizeof *cpu, compare);
	printf("%-44s %6.2f s  %6.2f s of CPU\n", what, wall[N_REPEATS / 2], cpu[N_REPEATS / 2]);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: bench-evtop FILE.evtop\n");
		return 2;
	}
	return measure(argv[1], &(struct load_options){.n_jobs = 1}, "one core") ||
	       measure(argv[1], &(struct load_options){0}, "all cores") ||
	       measure(argv[1], &(struct load_options){.digest = true}, "with SHA-256") ||
	       measure(argv[1], &(struct load_options){.node_times = true},
		       "with times of single calls") ||
	       measure(argv[1], &(struct load_options){.node_times = true, .digest = true},
		       "as the explorer opens it");
}
