/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest.h"
#include "unpack.h"

#define HEAD_BYTES 1024
#define PIECE_BYTES (256u << 10)

struct source {
	int fd;
	char *path;
	struct load_progress *progress;
	struct digest *digest;
	char head[HEAD_BYTES]; /* read ahead to see what it is */
	size_t head_n, head_at;
	struct unpack *unpack; /* NULL for a plain file */
	char *piece;	       /* the archive's input */
	int64_t run_bytes;
	bool begun, failed, ended;
};

static ssize_t read_counted(struct source *source, void *bytes, size_t n)
{
	ssize_t got;

	do
		got = read(source->fd, bytes, n);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		source->failed = true;
	if (got == 0)
		source->ended = true;
	if (got <= 0)
		return got;
	if (source->digest)
		digest_add(source->digest, bytes, (size_t)got);
	if (source->progress)
		atomic_fetch_add(&source->progress->bytes_done, (uint64_t)got);
	return got;
}

static ssize_t give_packed(void *context, const void **bytes)
{
	struct source *source = context;
	size_t n = source->head_n - source->head_at;

	*bytes = source->piece;
	if (!n)
		return read_counted(source, source->piece, PIECE_BYTES);
	memcpy(source->piece, source->head + source->head_at, n);
	source->head_at = source->head_n;
	return (ssize_t)n;
}

static int open_packed(struct source *source, struct error *err)
{
	source->piece = mem_alloc(PIECE_BYTES);
	source->unpack = unpack_open(give_packed, source, err);
	return source->unpack ? 0 : -1;
}

struct source *source_open(const char *path, bool digest, struct load_progress *progress,
			   struct error *err)
{
	struct source *source = mem_zero(1, sizeof *source);
	ssize_t got = 1;

	source->path = mem_copy_text(path);
	source->progress = progress;
	source->run_bytes = -1;
	source->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	if (source->fd < 0) {
		error_set(err, "cannot be opened: %s", strerror(errno));
		source_close(source, NULL);
		return NULL;
	}
	if (digest)
		source->digest = digest_new();
	while (source->head_n < HEAD_BYTES && got > 0) {
		got = read_counted(source, source->head + source->head_n,
				   HEAD_BYTES - source->head_n);
		if (got > 0)
			source->head_n += (size_t)got;
	}
	if (got < 0) {
		error_set(err, "cannot be read: %s", strerror(errno));
		source_close(source, NULL);
		return NULL;
	}
	if (unpack_probe(source->head, source->head_n) && open_packed(source, err) != 0) {
		source_close(source, NULL);
		return NULL;
	}
	return source;
}

int source_next(struct source *source, const char **name, struct error *err)
{
	int status;

	*name = NULL;
	if (!source->unpack) {
		bool first = !source->begun;

		source->begun = true;
		return first;
	}
	status = unpack_next(source->unpack, name, &source->run_bytes, err);
	source->failed |= status < 0;
	return status;
}

int64_t source_run_bytes(const struct source *source)
{
	return source->run_bytes;
}

ssize_t source_read(struct source *source, char *bytes, size_t n, struct error *err)
{
	ssize_t got;

	if (source->unpack) {
		got = unpack_read(source->unpack, bytes, n, err);
		source->failed |= got < 0;
		return got;
	}
	if (source->head_at < source->head_n) {
		size_t rest = source->head_n - source->head_at;

		n = n < rest ? n : rest;
		memcpy(bytes, source->head + source->head_at, n);
		source->head_at += n;
		return (ssize_t)n;
	}
	got = read_counted(source, bytes, n);
	if (got < 0)
		error_set(err, "cannot be read: %s", strerror(errno));
	return got;
}

int source_descriptor(const struct source *source)
{
	struct stat status;

	if (source->unpack || fstat(source->fd, &status) != 0 || !S_ISREG(status.st_mode))
		return -1;
	return fcntl(source->fd, F_DUPFD_CLOEXEC, 0);
}

const char *source_path(const struct source *source)
{
	struct stat status;
	bool plain = !source->unpack && fstat(source->fd, &status) == 0 && S_ISREG(status.st_mode);

	return plain && strcmp(source->path, "-") != 0 ? source->path : NULL;
}

/* /dev/zero and its kin have no end to be read to. */
static bool has_end(const struct source *source)
{
	struct stat status;

	return source->unpack || (fstat(source->fd, &status) == 0 && S_ISREG(status.st_mode));
}

void source_close(struct source *source, char *sha256)
{
	if (sha256)
		*sha256 = '\0';
	if (!source->ended && source->fd >= 0 && !has_end(source))
		source->failed = true;
	/* what follows the archive's end belongs to the file */
	if (source->digest && sha256 && !source->failed) {
		char *rest = mem_alloc(PIECE_BYTES);

		while (!(source->progress && atomic_load(&source->progress->stop)) &&
		       read_counted(source, rest, PIECE_BYTES) > 0)
			;
		free(rest);
	}
	unpack_free(source->unpack);
	if (source->digest)
		digest_finish(
			source->digest,
			source->failed || (source->progress && atomic_load(&source->progress->stop))
				? NULL
				: sha256);
	if (source->fd >= 0)
		close(source->fd);
	free(source->piece);
	free(source->path);
	free(source);
}
