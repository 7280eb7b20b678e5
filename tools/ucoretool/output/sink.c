// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Output streams whose first failed write is final.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "output/sink.h"

struct sink {
	struct sink *next;
	FILE *stream;
	int fd;
	int error;		/* errno of the first failed write, 0: none */
};

static struct sink *sinks;	/* open sinks, to find the sink of a stream */

static struct sink *sink_find(const FILE *stream)
{
	struct sink *sink = sinks;

	while (sink && sink->stream != stream)
		sink = sink->next;
	return sink;
}

/* Write all of @data, unless a write has failed before; return 0 on failure (fopencookie(3)) */
static ssize_t sink_write(void *cookie, const char *data, size_t size)
{
	struct sink *sink = cookie;
	size_t done = 0;

	while (done < size && !sink->error) {
		ssize_t ret = write(sink->fd, data + done, size - done);

		if (ret >= 0)
			done += (size_t)ret;
		else if (errno != EINTR)
			sink->error = errno;
	}
	errno = sink->error;
	return sink->error ? 0 : (ssize_t)size;
}

FILE *sink_open(int fd)
{
	struct sink *sink = calloc(1, sizeof(*sink));

	if (sink)
		sink->stream = fopencookie(sink, "w",
					   (cookie_io_functions_t) { .write = sink_write });
	if (!sink || !sink->stream) {
		free(sink);
		errno = ENOMEM;
		return NULL;
	}
	sink->fd = fd;
	sink->next = sinks;
	sinks = sink;
	return sink->stream;
}

FILE *sink_create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	FILE *stream = fd < 0 ? NULL : sink_open(fd);

	if (fd >= 0 && !stream)
		close(fd);
	return stream;
}

void sink_stdout(void)
{
	FILE *stream;

	/* a terminal keeps its line buffering, and the descriptor that ncurses needs */
	if (isatty(STDOUT_FILENO))
		return;
	stream = sink_open(STDOUT_FILENO);
	if (stream)
		stdout = stream;
}

int sink_flush(FILE *stream)
{
	const struct sink *sink = sink_find(stream);

	if (fflush(stream) && !sink)
		return errno;
	if (sink)
		return sink->error;
	return ferror(stream) ? EIO : 0;
}

int sink_close(FILE *stream)
{
	struct sink *sink = sink_find(stream), **link = &sinks;
	int error = sink_flush(stream);

	while (*link != sink)
		link = &(*link)->next;
	*link = sink->next;
	fclose(stream);
	/* network filesystems report failed writes at close(2) */
	if (close(sink->fd) && !error)
		error = errno;
	free(sink);
	return error;
}
