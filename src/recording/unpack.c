/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool unpack_probe(const char *head, size_t n)
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

#ifdef HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>

struct unpack {
	struct archive *archive;
	unpack_input *input;
	void *context;
};

static la_ssize_t give(struct archive *archive, void *context, const void **bytes)
{
	struct unpack *unpack = context;
	ssize_t got = unpack->input(unpack->context, bytes);

	if (got < 0)
		archive_set_error(archive, errno, "%s", strerror(errno));
	return got;
}

struct unpack *unpack_open(unpack_input *input, void *context, struct error *err)
{
	struct unpack *unpack = mem_zero(1, sizeof *unpack);
	struct archive *archive = archive_read_new();

	*unpack = (struct unpack){archive, input, context};
	if (!archive) {
		error_set(err, "out of memory");
		unpack_free(unpack);
		return NULL;
	}
	archive_read_support_filter_gzip(archive);
	archive_read_support_filter_xz(archive);
	archive_read_support_filter_zstd(archive);
	archive_read_support_filter_bzip2(archive);
	archive_read_support_filter_lz4(archive);
	archive_read_support_format_tar(archive);
	archive_read_support_format_raw(archive);
	archive_read_support_format_empty(archive);
	if (archive_read_open(archive, unpack, NULL, give, NULL) == ARCHIVE_OK)
		return unpack;
	error_set(err, "%s", archive_error_string(archive));
	unpack_free(unpack);
	return NULL;
}

int unpack_next(struct unpack *unpack, const char **name, int64_t *size_bytes, struct error *err)
{
	struct archive_entry *entry;
	int status;

	*name = NULL;
	for (;;) {
		status = archive_read_next_header(unpack->archive, &entry);
		if (status == ARCHIVE_EOF)
			return 0;
		if (status < ARCHIVE_WARN)
			return error_set(err, "%s", archive_error_string(unpack->archive));
		*size_bytes = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : -1;
		if (archive_format(unpack->archive) == ARCHIVE_FORMAT_RAW)
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

ssize_t unpack_read(struct unpack *unpack, char *bytes, size_t n, struct error *err)
{
	ssize_t got = archive_read_data(unpack->archive, bytes, n);

	return got < 0 ? error_set(err, "%s", archive_error_string(unpack->archive)) : got;
}

void unpack_free(struct unpack *unpack)
{
	if (!unpack)
		return;
	archive_read_free(unpack->archive);
	free(unpack);
}
#else
struct unpack *unpack_open(unpack_input *input, void *context, struct error *err)
{
	(void)input;
	(void)context;
	error_set(err, "is compressed or an archive, and this evtop was built without libarchive: "
		       "unpack it first");
	return NULL;
}

int unpack_next(struct unpack *unpack, const char **name, int64_t *size_bytes, struct error *err)
{
	(void)unpack;
	(void)name;
	(void)size_bytes;
	(void)err;
	return 0;
}

ssize_t unpack_read(struct unpack *unpack, char *bytes, size_t n, struct error *err)
{
	(void)unpack;
	(void)bytes;
	(void)n;
	(void)err;
	return 0;
}

void unpack_free(struct unpack *unpack)
{
	(void)unpack;
}
#endif
