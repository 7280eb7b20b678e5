// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Atomic replacement of a file. The text is written to a temporary file in the same directory,
 * which is then renamed. The temporary name starts with a dot and does not end in .prom, so
 * that node_exporter ignores it. A temporary file left by a killed process is replaced.
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

/* Write the name of the temporary file for @path: "/DIRECTORY/.NAME.tmp" */
static int temporary_name(const char *path, char *text, size_t size)
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

	/* Remove a symbolic link that another user may have placed in the directory */
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	ret = write_all(fd, text, size);
	/* Set the mode regardless of the umask, because node_exporter runs as another user */
	if (!ret && (fchmod(fd, 0644) || fsync(fd)))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

int textfile_write(const char *path, const char *text, size_t size)
{
	char temporary[PATH_MAX];
	int ret;

	ret = temporary_name(path, temporary, sizeof(temporary));
	if (ret)
		return ret;
	ret = file_fill(temporary, text, size);
	if (!ret && rename(temporary, path))
		ret = -errno;
	if (ret)
		unlink(temporary);
	return ret;
}
