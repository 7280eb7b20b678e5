// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Files of samples: open, close, and access to the header and the tables.  libucore.h
 * describes the format.
 */
#include "sample/sample_file.h"

struct ucore_file *ucore_file_new(const char *path, const char *mode, struct ucore_error *err)
{
	struct ucore_file *file = calloc(1, sizeof(*file));
	bool write = *mode == 'w';

	if (file)
		file->path = strdup(strcmp(path, "-") ? path :
				    write ? "standard output" : "standard input");
	if (!file || !file->path) {
		free(file);
		ucore_error_set(err, -ENOMEM, "out of memory");
		errno = ENOMEM;
		return NULL;
	}
	if (!strcmp(path, "-"))
		file->stream = write ? stdout : stdin;
	else
		file->stream = fopen(path, mode);
	if (!file->stream) {
		int code = errno;

		ucore_error_set(err, -code, "%s: cannot %s: %s", path, write ? "create" : "open",
				strerror(code));
		free(file->path);
		free(file);
		errno = code;
		return NULL;
	}
	return file;
}

void ucore_file_close(struct ucore_file *file)
{
	if (!file)
		return;
	if (file->stream && file->stream != stdin && file->stream != stdout)
		fclose(file->stream);
	free(file->buffer);
	free(file->omissions);
	free(file->events);
	free(file->fields);
	free(file->boxes);
	free(file->domains);
	free(file->path);
	free(file);
}

static int domain_order(const void *a, const void *b)
{
	const struct ucore_file_domain *x = a, *y = b;

	return x->domain < y->domain ? -1 : x->domain > y->domain;
}

int ucore_file_event_order(const void *a, const void *b)
{
	const struct ucore_file_event *x = a, *y = b;

	return x->event < y->event ? -1 : x->event > y->event;
}

const struct ucore_file_header *ucore_file_header(const struct ucore_file *file)
{
	return &file->header;
}

const struct ucore_file_domain *ucore_file_domains(const struct ucore_file *file)
{
	return file->domains;
}

const struct ucore_file_domain *ucore_file_domain(const struct ucore_file *file, uint32_t domain)
{
	struct ucore_file_domain key = { .domain = domain };

	return bsearch(&key, file->domains, file->header.nr_domains, sizeof(key), domain_order);
}

const struct ucore_file_box *ucore_file_boxes(const struct ucore_file *file)
{
	return file->boxes;
}

const struct ucore_file_field *ucore_file_fields(const struct ucore_file *file)
{
	return file->fields;
}

const struct ucore_file_omission *ucore_file_omissions(const struct ucore_file *file, size_t *nr)
{
	*nr = file->nr_omissions;
	return file->omissions;
}

uint64_t ucore_file_real(const struct ucore_file *file, uint64_t time)
{
	return time - file->header.start + file->header.start_real;
}

const struct ucore_file_event *ucore_file_events(const struct ucore_file *file)
{
	return file->events;
}

const struct ucore_file_event *ucore_file_find(const struct ucore_file *file, uint32_t event)
{
	struct ucore_file_event key = { .event = event };

	return bsearch(&key, file->events, file->header.nr_events, sizeof(key),
		       ucore_file_event_order);
}
