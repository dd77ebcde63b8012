/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a file that appears whole or not at all. */
#include "evtop/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int descriptor, const struct text *text)
{
	size_t done = 0;

	while (done < text->n) {
		ssize_t n = write(descriptor, text->bytes + done, text->n - done);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0)
			done += (size_t)n;
	}
	return 0;
}

/* A device, a FIFO: nothing to rename there. */
static int write_through(const char *file, const struct text *text, struct error *err)
{
	int descriptor = open(file, O_WRONLY | O_CLOEXEC | O_NOCTTY), failed;

	if (descriptor < 0)
		return error_set(err, "cannot open '%s': %s", file, strerror(errno));
	failed = write_all(descriptor, text) ? errno : 0;
	if (close(descriptor) && !failed)
		failed = errno;
	return failed ? error_set(err, "cannot write '%s': %s", file, strerror(failed)) : 0;
}

/* mkstemp keeps a file to its owner; a report is like any file of the user. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int write_beside(char *temporary, const char *file, const struct text *text)
{
	int descriptor = mkstemp(temporary), failed;

	if (descriptor < 0)
		return errno;
	failed =
		write_all(descriptor, text) || fchmod(descriptor, usual_mode()) || fsync(descriptor)
			? errno
			: 0;
	if (close(descriptor) && !failed)
		failed = errno;
	if (!failed && rename(temporary, file))
		failed = errno;
	if (failed)
		unlink(temporary);
	return failed;
}

int report_write_file(const char *file, const struct text *text, struct error *err)
{
	struct text temporary = {0};
	struct stat status;
	char *real = NULL;
	int failed;

	if (!stat(file, &status) && S_ISDIR(status.st_mode))
		return error_set(err, "cannot write '%s': %s", file, strerror(EISDIR));
	if (!stat(file, &status) && !S_ISREG(status.st_mode))
		return write_through(file, text, err);
	/* a link stays a link: what it points to is replaced */
	if (!lstat(file, &status) && S_ISLNK(status.st_mode))
		real = realpath(file, NULL);
	text_printf(&temporary, "%s.XXXXXX", real ? real : file);
	failed = write_beside(temporary.bytes, real ? real : file, text);
	text_release(&temporary);
	free(real);
	return failed ? error_set(err, "cannot write '%s': %s", file, strerror(failed)) : 0;
}

int report_marks_file(const struct recording *recording, const struct report_options *options,
		      const struct report_mark *marks, size_t n_marks, const char *file,
		      struct error *err)
{
	struct text out = {0};
	int status;

	report_marks(recording, options, marks, n_marks, &out);
	status = report_write_file(file, &out, err);
	text_release(&out);
	return status;
}
