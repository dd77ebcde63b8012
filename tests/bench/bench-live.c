/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replays what comes on descriptors into a live source, with a recording a
 * second, and prints what it did.
 *   bench-live                      text from standard input
 *   bench-live FORMATS FIFO...      pages, one FIFO a CPU; FORMATS: a folder with header_page,
 *                                   funcgraph_entry.format, funcgraph_exit.format, kallsyms
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "evtop/live.h"

#define CPUS_MAX 64

static char *read_file(const char *folder, const char *name, size_t *n)
{
	char path[1024];
	FILE *file;
	char *bytes = malloc(64 << 20);

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "r");
	*n = file ? fread(bytes, 1, 64 << 20, file) : 0;
	if (file)
		fclose(file);
	return bytes;
}

static struct trace_meta *read_meta(const char *folder)
{
	struct trace_meta *meta = trace_meta_new();
	struct error err = {""};
	size_t n;
	char *text = read_file(folder, "header_page", &n);

	trace_meta_header_page(meta, text, n, &err);
	free(text);
	text = read_file(folder, "funcgraph_entry.format", &n);
	trace_meta_format(meta, "ftrace", text, n, &err);
	free(text);
	text = read_file(folder, "funcgraph_exit.format", &n);
	trace_meta_format(meta, "ftrace", text, n, &err);
	free(text);
	text = read_file(folder, "kallsyms", &n);
	trace_meta_kallsyms(meta, text, n, &err);
	free(text);
	if (err.text[0])
		fprintf(stderr, "%s\n", err.text);
	return meta;
}

static struct live *start(int argc, char **argv)
{
	static int fds[CPUS_MAX];
	const struct load_options *load = &(const struct load_options){.node_times = true};
	struct live_input input = {.name = "replay", .text_fd = argc > 1 ? -1 : STDIN_FILENO};
	static struct load_options kept;
	struct error err = {""};
	struct live *live;

	kept = *load;
	if (argc > 1) {
		input.meta = read_meta(argv[1]);
		for (int i = 2; i < argc && i - 2 < CPUS_MAX; i++)
			fds[input.n_cpus++] = open(argv[i], O_RDONLY);
		input.page_fds = fds;
	}
	live = live_start(&input, &(struct live_options){.load = &kept}, &err);
	if (!live) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	return live;
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct live *live = start(argc, argv);
	struct live_status status;
	unsigned n = 0;
	double longest = 0;
	struct rusage usage;
	uint64_t elapsed;

	do {
		struct pollfd ready = {.fd = live_fd(live), .events = POLLIN};
		struct recording *recording;

		poll(&ready, 1, -1);
		recording = live_take(live);
		live_status(live, &status);
		n += recording != NULL;
		longest =
			(double)status.snapshot_ns > longest ? (double)status.snapshot_ns : longest;
		recording_free(recording);
	} while (!status.ended);
	elapsed = status.elapsed_ns;
	getrusage(RUSAGE_SELF, &usage);
	printf("seconds %.3f cpu %.3f events %llu executions %llu lost %llu recordings %u "
	       "longest_ms %.1f resident_mib %.0f\n",
	       (double)elapsed / 1e9, seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime),
	       (unsigned long long)status.events, (unsigned long long)status.executions,
	       (unsigned long long)status.lost_events, n, longest / 1e6,
	       (double)status.resident_bytes / (1 << 20));
	if (status.error[0])
		fprintf(stderr, "%s\n", status.error);
	live_free(live);
	return status.error[0] != '\0';
}
