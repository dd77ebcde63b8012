/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest.h"

#define HEAD_BYTES 1024
#define PIECE_BYTES (256u << 10)

struct source {
	int fd;
	char *path;
	struct load_progress *progress;
	struct digest *digest;
	char head[HEAD_BYTES]; /* read ahead to see what it is */
	size_t head_n, head_at;
	struct archive *archive; /* NULL for a plain file */
	char *piece;		 /* the archive's input */
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

static bool is_packed(const char *head, size_t n)
{
	static const struct {
		const char *bytes;
		size_t n, at;
	} magics[] = {
		{"\x1f\x8b", 2, 0}, /* gzip */
		{"\xfd"
		 "7zXZ",
		 5, 0},			    /* xz */
		{"\x28\xb5\x2f\xfd", 4, 0}, /* zstd */
		{"BZh", 3, 0},		    /* bzip2 */
		{"\x04\x22\x4d\x18", 4, 0}, /* lz4 */
		{"ustar", 5, 257},	    /* tar */
	};

	for (size_t i = 0; i < COUNT_OF(magics); i++)
		if (n >= magics[i].at + magics[i].n &&
		    memcmp(head + magics[i].at, magics[i].bytes, magics[i].n) == 0)
			return true;
	return false;
}

static la_ssize_t give_archive(struct archive *archive, void *context, const void **bytes)
{
	struct source *source = context;
	size_t n = source->head_n - source->head_at;
	ssize_t got;

	*bytes = source->piece;
	if (n) {
		memcpy(source->piece, source->head + source->head_at, n);
		source->head_at = source->head_n;
		return (la_ssize_t)n;
	}
	got = read_counted(source, source->piece, PIECE_BYTES);
	if (got < 0)
		archive_set_error(archive, errno, "%s", strerror(errno));
	return got;
}

static int open_archive(struct source *source, struct error *err)
{
	source->piece = mem_alloc(PIECE_BYTES);
	source->archive = archive_read_new();
	if (!source->archive)
		return error_set(err, "out of memory");
	archive_read_support_filter_gzip(source->archive);
	archive_read_support_filter_xz(source->archive);
	archive_read_support_filter_zstd(source->archive);
	archive_read_support_filter_bzip2(source->archive);
	archive_read_support_filter_lz4(source->archive);
	archive_read_support_format_tar(source->archive);
	archive_read_support_format_raw(source->archive);
	archive_read_support_format_empty(source->archive);
	if (archive_read_open(source->archive, source, NULL, give_archive, NULL) != ARCHIVE_OK)
		return error_set(err, "%s", archive_error_string(source->archive));
	return 0;
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
	if (is_packed(source->head, source->head_n) && open_archive(source, err) != 0) {
		source_close(source, NULL);
		return NULL;
	}
	return source;
}

int source_next(struct source *source, const char **name, struct error *err)
{
	struct archive_entry *entry;
	int status;

	*name = NULL;
	if (!source->archive) {
		bool first = !source->begun;

		source->begun = true;
		return first;
	}
	for (;;) {
		status = archive_read_next_header(source->archive, &entry);
		if (status == ARCHIVE_EOF)
			return 0;
		if (status < ARCHIVE_WARN) {
			source->failed = true;
			return error_set(err, "%s", archive_error_string(source->archive));
		}
		source->run_bytes =
			archive_entry_size_is_set(entry) ? archive_entry_size(entry) : -1;
		if (archive_format(source->archive) == ARCHIVE_FORMAT_RAW)
			return 1;
		*name = archive_entry_pathname(entry);
		if (!*name)
			*name = "a file with a name that cannot be read";
		if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) == AE_IFLNK) {
			error_set(err, "is a link: what it leads to is read under its own name");
			return 2;
		}
		if (archive_entry_filetype(entry) == AE_IFREG)
			return 1;
		if (archive_entry_filetype(entry) != AE_IFDIR) {
			error_set(err, "is neither a file nor a folder");
			return 2;
		}
	}
}

int64_t source_run_bytes(const struct source *source)
{
	return source->run_bytes;
}

ssize_t source_read(struct source *source, char *bytes, size_t n, struct error *err)
{
	ssize_t got;

	if (source->archive) {
		got = archive_read_data(source->archive, bytes, n);
		if (got < 0) {
			source->failed = true;
			return error_set(err, "%s", archive_error_string(source->archive));
		}
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

/* /dev/zero and its kin have no end to be read to. */
static bool has_end(const struct source *source)
{
	struct stat status;

	return source->archive || (fstat(source->fd, &status) == 0 && S_ISREG(status.st_mode));
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
	if (source->archive)
		archive_read_free(source->archive);
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
