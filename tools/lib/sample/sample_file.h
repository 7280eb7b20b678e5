/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal structure of an open file of samples, shared by writer and reader.
 */
#ifndef UCORE_SAMPLE_FILE_H
#define UCORE_SAMPLE_FILE_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct ucore_file {
	FILE *stream;
	char *path;
	struct ucore_file_header header;
	struct ucore_file_domain *domains;
	struct ucore_file_box *boxes;
	struct ucore_file_field *fields;
	struct ucore_file_event *events;
	struct ucore_file_omission *omissions;
	size_t nr_omissions;
	struct ucore_file_entry ahead;	/* first entry that is no omission, read by open() */
	int ahead_result;		/* result of reading @ahead */
	bool has_ahead;			/* ucore_file_next() has not returned @ahead yet */
	struct ucore_error ahead_error;	/* error of reading @ahead */
	bool in_head;		/* true while the header and the tables are read */
	void *buffer;		/* data of the entry that was read last */
	size_t capacity;	/* size of @buffer in bytes */
};

/*
 * Allocate a struct ucore_file and open its stream; @mode is the mode of fopen().  Returns NULL
 * on failure, with errno set.
 */
struct ucore_file *ucore_file_new(const char *path, const char *mode, struct ucore_error *err);

/* Compare the ids of two struct ucore_file_event, for qsort() and bsearch() */
int ucore_file_event_order(const void *a, const void *b);

#endif /* UCORE_SAMPLE_FILE_H */
