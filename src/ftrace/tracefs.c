/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of tracefs, by libtracefs. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tracefs.h>

/* Why tracefs cannot be used, in words that help. */
static int explain_dir(const char *dir, struct error *err)
{
	if (errno == EACCES || errno == EPERM)
		return error_set(
			err,
			"no permission on '%s': tracing needs root, or a group that tracefs "
			"is mounted for (mount -o remount,gid=GROUP,mode=750)",
			dir);
	return error_set(err, "cannot use '%s': %s", dir, strerror(errno));
}

static int find_dir(char **dir, struct error *err)
{
	const char *found = NULL;

	/* 0: it was mounted already; nothing is mounted by us */
	if (tracefs_tracing_dir_is_mounted(false, &found) != 1 && !found)
		return error_set(err, "tracefs is not mounted: mount -t tracefs nodev "
				      "/sys/kernel/tracing (or this kernel has no tracing)");
	*dir = mem_copy_text(found);
	return 0;
}

int tfs_start(struct tfs *tfs, const char *dir, struct error *err)
{
	char *found = dir ? mem_copy_text(dir) : NULL;

	*tfs = (struct tfs){0};
	if (!found && find_dir(&found, err))
		return -1;
	if (access(found, R_OK | X_OK)) {
		explain_dir(found, err);
		free(found);
		return -1;
	}
	tfs->dir = found;
	tfs->instances[PLACE_TOP] = tracefs_instance_alloc(found, NULL);
	if (!tfs->instances[PLACE_TOP]) {
		error_set(err, "'%s' is no tracefs", found);
		tfs_end(tfs);
		return -1;
	}
	tfs->instances[PLACE_OWN] = tfs->instances[PLACE_TOP];
	return 0;
}

void tfs_drop_own(struct tfs *tfs)
{
	if (tfs->instances[PLACE_OWN] != tfs->instances[PLACE_TOP])
		tracefs_instance_free(tfs->instances[PLACE_OWN]);
	tfs->instances[PLACE_OWN] = tfs->instances[PLACE_TOP];
	free(tfs->own_name);
	tfs->own_name = NULL;
}

void tfs_end(struct tfs *tfs)
{
	tfs_drop_own(tfs);
	if (tfs->instances[PLACE_TOP])
		tracefs_instance_free(tfs->instances[PLACE_TOP]);
	free(tfs->dir);
	*tfs = (struct tfs){0};
}

int tfs_own_instance(struct tfs *tfs, const char *name, bool make, struct error *err)
{
	struct tracefs_instance *instance;
	struct text path = {0};
	int status = 0;

	text_printf(&path, "%s/instances/%s", tfs->dir, name);
	if (make && mkdir(path.bytes, 0750))
		status = error_set(err, "cannot make '%s': %s", path.bytes, strerror(errno));
	instance = status ? NULL : tracefs_instance_alloc(tfs->dir, name);
	if (!status && !instance)
		status = error_set(err, "cannot use '%s'", path.bytes);
	if (!status) {
		tfs->instances[PLACE_OWN] = instance;
		tfs->own_name = mem_copy_text(name);
	}
	text_release(&path);
	return status;
}

#define BUSY_TRIES 40
#define BUSY_WAIT_US 50000

int tfs_remove_instance(const char *dir, const char *name, struct error *err)
{
	struct text path = {0};
	int failed;

	text_printf(&path, "%s/instances/%s", dir, name);
	failed = rmdir(path.bytes) ? errno : 0;
	/* who was killed may not yet have let its descriptors go */
	for (int i = 0; failed == EBUSY && i < BUSY_TRIES; i++) {
		usleep(BUSY_WAIT_US);
		failed = rmdir(path.bytes) ? errno : 0;
	}
	if (failed && failed != ENOENT)
		error_set(err, "cannot remove '%s': %s", path.bytes, strerror(failed));
	text_release(&path);
	return failed && failed != ENOENT ? -1 : 0;
}

bool tfs_has(const struct tfs *tfs, enum place place, const char *file)
{
	return tracefs_file_exists(tfs->instances[place], file);
}

int tfs_file(const struct tfs *tfs, enum place place, const char *file, int flags,
	     struct error *err)
{
	int fd = tracefs_instance_file_open(tfs->instances[place], file, flags | O_CLOEXEC);
	struct text path = {0};

	if (fd >= 0)
		return fd;
	text_printf(&path, "%s/%s", tfs->dir, file);
	explain_dir(path.bytes, err);
	text_release(&path);
	return -1;
}

int read_descriptor(int fd, struct text *text)
{
	char bytes[16384];
	ssize_t n;

	text_add(text, "", 0);
	while ((n = read(fd, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			text_add(text, bytes, (size_t)n);
	return n < 0 ? -1 : 0;
}

int read_whole(const char *file, struct text *text, struct error *err)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC), failed;

	if (fd < 0)
		return error_set(err, "cannot open '%s': %s", file, strerror(errno));
	failed = read_descriptor(fd, text) ? errno : 0;
	close(fd);
	return failed ? error_set(err, "cannot read '%s': %s", file, strerror(failed)) : 0;
}

int tfs_read(const struct tfs *tfs, enum place place, const char *file, struct text *text,
	     struct error *err)
{
	int fd = tfs_file(tfs, place, file, O_RDONLY, err), failed;

	if (fd < 0)
		return -1;
	failed = read_descriptor(fd, text) ? errno : 0;
	close(fd);
	return failed ? error_set(err, "cannot read '%s': %s", file, strerror(failed)) : 0;
}

static int write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		bytes += done;
		n -= (size_t)done;
	}
	return 0;
}

static int refused(const char *file, const char *value, size_t n, struct error *err)
{
	int why = errno;
	char shown[64];

	snprintf(shown, sizeof shown, "%.*s", n < 60 ? (int)n : 60, value);
	return error_set(err, "cannot write '%s' to '%s': %s", shown, file, strerror(why));
}

int tfs_write(const struct tfs *tfs, enum place place, const char *file, const char *value,
	      struct error *err)
{
	int fd = tfs_file(tfs, place, file, O_WRONLY | O_TRUNC, err);
	int status = 0;

	if (fd < 0)
		return -1;
	if (*value && write_all(fd, value, strlen(value)))
		status = refused(file, value, strlen(value), err);
	if (close(fd) && !status)
		status = refused(file, value, strlen(value), err);
	return status;
}

int tfs_write_list(const struct tfs *tfs, enum place place, const char *file, const char *lines,
		   bool append, struct error *err)
{
	int fd = tfs_file(tfs, place, file, O_WRONLY | (append ? O_APPEND : O_TRUNC), err);
	int status = 0;

	if (fd < 0)
		return -1;
	while (*lines) {
		size_t n = strcspn(lines, "\n");

		/*
		 * With its newline: what ends a word for the kernel. One that is not
		 * taken (a function of a module that went) holds up no other.
		 */
		if (write_all(fd, lines, n + (lines[n] == '\n')) && !status)
			status = refused(file, lines, n, err);
		lines += n + (lines[n] == '\n');
	}
	if (close(fd) && !status)
		status = error_set(err, "cannot write to '%s': %s", file, strerror(errno));
	return status;
}
