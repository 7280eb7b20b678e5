// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Written beside its place and renamed into it.  The name beside begins with a dot and does
 * not end in .prom, so that nobody takes it for the file; one that a killed process
 * left there is replaced.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/textfile.h"

static int write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t done = write(fd, text, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		text += done;
		size -= (size_t)done;
	}
	return 0;
}

/* "/DIRECTORY/.NAME.tmp" */
static int beside(const char *path, char *text, size_t size)
{
	const char *name = strrchr(path, '/');
	int length;

	name = name ? name + 1 : path;
	length = snprintf(text, size, "%.*s.%s.tmp", (int)(name - path), path, name);
	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

static int file_fill(const char *path, const char *text, size_t size)
{
	int fd, ret;

	/* whoever may write to the directory does not make us write elsewhere */
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	ret = write_all(fd, text, size);
	/* the reader is another user, whatever our umask is */
	if (!ret && (fchmod(fd, 0644) || fsync(fd)))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

int textfile_write(const char *path, const char *text, size_t size)
{
	char other[PATH_MAX];
	int ret;

	if (!strcmp(path, "-"))
		return write_all(STDOUT_FILENO, text, size);
	ret = beside(path, other, sizeof(other));
	if (ret)
		return ret;
	ret = file_fill(other, text, size);
	if (!ret && rename(other, path))
		ret = -errno;
	if (ret)
		unlink(other);
	return ret;
}
