/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that must be read at any place, and do not come as plain files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "read.h"

/* A file that nobody sees and that goes with its descriptor. */
static int open_unnamed(struct error *err)
{
	const char *folder = getenv("TMPDIR");
	struct text name = {0};
	int fd;

	text_printf(&name, "%s/evtop-XXXXXX", folder && *folder ? folder : "/tmp");
	fd = mkostemp(name.bytes, O_CLOEXEC);
	if (fd < 0)
		error_set(err, "cannot be unpacked to '%s': %s", name.bytes, strerror(errno));
	else
		unlink(name.bytes);
	text_release(&name);
	return fd;
}

static int write_all(int fd, const char *bytes, size_t n, struct error *err)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return error_set(err, "cannot be unpacked to a temporary file: %s",
					 strerror(errno));
		bytes += done;
		n -= (size_t)done;
	}
	return 0;
}

static int copy_rest(int fd, struct run_bytes *from, struct error *err)
{
	char *chunk = mem_alloc(CHUNK_BYTES);
	ssize_t got;
	int status = 0;

	while (status == 0 && (got = run_bytes_next(from, chunk, err)) != 0)
		status = got < 0 ? -1 : write_all(fd, chunk, (size_t)got, err);
	free(chunk);
	return status;
}

int run_bytes_file(struct run_bytes *from, const char *head, size_t n, struct error *err)
{
	int fd = from->source ? source_descriptor(from->source) : -1;

	if (fd >= 0)
		return fd;
	fd = from->source ? -1 : memfd_create("evtop", MFD_CLOEXEC);
	if (fd < 0)
		fd = open_unnamed(err);
	if (fd >= 0 && (write_all(fd, head, n, err) || copy_rest(fd, from, err))) {
		close(fd);
		fd = -1;
	}
	return fd;
}
