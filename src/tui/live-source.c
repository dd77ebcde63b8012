/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "live-source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define TRACEFS_OF_KERNEL 0x74726163 /* TRACEFS_MAGIC of linux/magic.h */
#define PEEK_BYTES 512
#define PEEK_MS 300 /* that a packer may take for its first bytes */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* trace_pipe waits for more; all other files of tracefs end. */
static bool is_trace_pipe(const char *path, int fd)
{
	struct statfs about;

	if (strcmp(base_name(path), "trace_pipe"))
		return false;
	return !(fd >= 0 ? fstatfs(fd, &about) : statfs(path, &about)) &&
	       (unsigned long)about.f_type == TRACEFS_OF_KERNEL;
}

/* Readers of whole files know these: packed, trace.dat, samples. */
static bool is_text_of_trace(const char *bytes, size_t n)
{
	static const char *const columns[] = {"duration_ns", "duration_us"};
	const char *end = memchr(bytes, '\n', n);
	size_t line = end ? (size_t)(end - bytes) : n;

	if (memchr(bytes, '\0', n))
		return false;
	if (n >= 2 && (!memcmp(bytes, "\x1f\x8b", 2) || !memcmp(bytes, "BZ", 2) ||
		       !memcmp(bytes, "\x28\xb5", 2) ||
		       !memcmp(bytes,
			       "\xfd"
			       "7",
			       2)))
		return false;
	for (size_t i = 0; i < COUNT_OF(columns); i++)
		if (memmem(bytes, line, columns[i], strlen(columns[i])))
			return false;
	return true;
}

/* Looks at the first bytes of a pipe and leaves them there. */
static bool holds_text(int fd, bool patient)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	char bytes[PEEK_BYTES];
	int copy[2];
	ssize_t n = 0;

	if (poll(&wait, 1, patient ? -1 : PEEK_MS) <= 0 || pipe2(copy, O_CLOEXEC | O_NONBLOCK))
		return true;
	if (tee(fd, copy[1], sizeof bytes, SPLICE_F_NONBLOCK) > 0)
		n = read(copy[0], bytes, sizeof bytes);
	close(copy[0]);
	close(copy[1]);
	return n <= 0 || is_text_of_trace(bytes, (size_t)n);
}

static int open_path(struct live_source *source, const char *path, bool patient, struct error *err)
{
	struct stat about;

	/* what cannot be looked at is complained of by who reads it */
	if (stat(path, &about))
		return 0;
	if (!S_ISFIFO(about.st_mode) && !is_trace_pipe(path, -1))
		return 0;
	/* a writer may come later: nobody waits for it here */
	source->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (source->fd < 0)
		return error_set(err, "cannot open '%s': %s", path, strerror(errno));
	source->is_live = !S_ISFIFO(about.st_mode) || holds_text(source->fd, patient);
	source->input.text_fd = source->fd;
	source->input.name = base_name(path);
	return 0;
}

static void take_standard_input(struct live_source *source, bool patient)
{
	struct stat about;

	if (fstat(STDIN_FILENO, &about) || S_ISDIR(about.st_mode) || isatty(STDIN_FILENO))
		return;
	if (S_ISREG(about.st_mode) && !is_trace_pipe("trace_pipe", STDIN_FILENO))
		return;
	if (S_ISBLK(about.st_mode))
		return;
	source->is_live = !S_ISFIFO(about.st_mode) || holds_text(STDIN_FILENO, patient);
	source->input.text_fd = STDIN_FILENO;
	source->input.name = "standard input";
}

int live_source_open(struct live_source *source, const struct explore_options *options,
		     bool patient, struct error *err)
{
	*source = (struct live_source){.fd = -1, .input = {.text_fd = -1}};
	if (options->live) {
		source->input = *options->live;
		source->is_live = true;
		return 0;
	}
	if (options->n_paths != 1)
		return 0;
	if (strcmp(options->paths[0], "-"))
		return open_path(source, options->paths[0], patient, err);
	take_standard_input(source, patient);
	return 0;
}

int live_source_of_script(struct live_source *source, int *feed_fd, struct error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return error_set(err, "cannot make a pipe: %s", strerror(errno));
	*source = (struct live_source){.fd = ends[0],
				       .is_live = true,
				       .input = {.text_fd = ends[0], .name = "standard input"}};
	*feed_fd = ends[1];
	return 0;
}

int live_source_start(struct live_source *source, const struct explore_options *options,
		      struct error *err)
{
	struct live_options how = {.load = &options->load,
				   .kept_per_path = options->kept_per_path,
				   .seed = options->settings.seed};

	source->live = live_start(&source->input, &how, err);
	return source->live ? 0 : -1;
}

void live_source_close(struct live_source *source)
{
	live_free(source->live);
	source->live = NULL;
	if (source->fd >= 0)
		close(source->fd);
	source->fd = -1;
}
