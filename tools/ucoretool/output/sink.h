/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output streams whose first failed write is final.
 *
 * stdio(3) drops data that it could not write, and continues with the next data. If a full disk
 * gets space again, the file would lack rows, and have parts of two rows on one line. A sink
 * writes nothing after the first failure, and keeps the error until the stream is checked.
 */
#ifndef UCORETOOL_SINK_H
#define UCORETOOL_SINK_H

#include <stdio.h>

/** sink_stdout() - make standard output a sink, unless it is a terminal */
void sink_stdout(void);

/** sink_create() - create or truncate the file @path; return NULL with errno on failure */
FILE *sink_create(const char *path);

/** sink_open() - return a stream that writes to @fd; return NULL with errno on failure */
FILE *sink_open(int fd);

/** sink_flush() - flush @stream; return the errno of the first failed write, or 0 */
int sink_flush(FILE *stream);

/** sink_close() - close a sink and its file; return the errno of the first failed write, or 0 */
int sink_close(FILE *stream);

#endif /* UCORETOOL_SINK_H */
