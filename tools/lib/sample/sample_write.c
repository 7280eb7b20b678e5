// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writer of files of samples, for `ucoretool record`.
 */
#include <stdio_ext.h>
#include <time.h>

#include "sample/sample_file.h"

#define CLOCK_TRIES	8	/* number of clock comparisons in real_offset() */

/* Discard the unwritten data, because the file must not continue after a gap */
static int put_error(const struct ucore_file *file, struct ucore_error *err)
{
	int code = errno;

	__fpurge(file->stream);
	return ucore_error_set(err, -EIO, "%s: cannot write: %s", file->path, strerror(code));
}

static int file_put(struct ucore_file *file, const void *data, size_t size,
		    struct ucore_error *err)
{
	if (fwrite(data, 1, size, file->stream) == size)
		return 0;
	return put_error(file, err);
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * Return CLOCK_REALTIME - CLOCK_MONOTONIC (ns).  An interrupt between the two clock reads
 * falsifies the difference.  Therefore the fastest of several attempts is used.
 */
static uint64_t real_offset(void)
{
	uint64_t best = UINT64_MAX, offset = 0;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		uint64_t before = clock_ns(CLOCK_MONOTONIC);
		uint64_t real = clock_ns(CLOCK_REALTIME);
		uint64_t took = clock_ns(CLOCK_MONOTONIC) - before;

		if (took >= best)
			continue;
		best = took;
		offset = real - (before + took / 2);
	}
	return offset;
}

/* Return true if no earlier set in dev->sets[] with the box type of sets[i] contains @field */
static bool field_is_new(const struct ucore_device *dev, size_t i,
			 const struct ucore_field_info *field)
{
	const struct ucore_field_set *set = dev->sets;

	for (; set < dev->sets + i; set++)
		if (!strcmp(set->type, dev->sets[i].type) &&
		    ucore_field_by_id(set->fields, set->nr, field->field))
			return false;
	return true;
}

static uint32_t nr_fields(const struct ucore_device *dev)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < dev->nr_sets; i++)
		for (size_t j = 0; j < dev->sets[i].nr; j++)
			nr += field_is_new(dev, i, &dev->sets[i].fields[j]);
	return nr;
}

static int put_header(struct ucore_file *file, const struct ucore_device *dev,
		      const struct ucore_session *session,
		      const struct ucore_session_config *config, uint64_t start,
		      struct ucore_error *err)
{
	struct ucore_file_header *header = &file->header;

	memcpy(header->magic, UCORE_FILE_MAGIC, sizeof(header->magic));
	header->version = UCORE_FILE_VERSION;
	header->size = sizeof(*header);
	header->domain_size = sizeof(struct ucore_file_domain);
	header->box_size = sizeof(struct ucore_file_box);
	header->field_size = sizeof(struct ucore_file_field);
	header->event_size = sizeof(struct ucore_file_event);
	header->nr_domains = (uint32_t)dev->nr_domains;
	header->nr_boxes = (uint32_t)dev->nr_boxes;
	header->nr_fields = nr_fields(dev);
	header->nr_events = (uint32_t)session->nr_slots;
	header->timer_ns = config->timer_ns;
	header->start = start;
	header->start_real = start + real_offset();
	memcpy(header->platform, dev->info.platform, sizeof(header->platform));
	return file_put(file, header, sizeof(*header), err);
}

static int put_domains(struct ucore_file *file, const struct ucore_device *dev,
		       struct ucore_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < dev->nr_domains && !ret; i++) {
		const struct ucore_domain_info *info = &dev->domains[i];
		struct ucore_file_domain domain = {
			.domain = info->domain,
			.scope = info->scope,
			.die = info->die,
			.package = info->package,
			.cpu = info->cpu,
		};

		ret = file_put(file, &domain, sizeof(domain), err);
	}
	return ret;
}

static int put_boxes(struct ucore_file *file, const struct ucore_device *dev,
		     struct ucore_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < dev->nr_boxes && !ret; i++) {
		const struct ucore_box_info *info = &dev->boxes[i];
		struct ucore_file_box box = {
			.domain = info->domain,
			.instance = info->instance,
			.nr_counters = info->nr_counters,
			.nr_fixed = info->nr_fixed,
		};

		memcpy(box.type, info->type, sizeof(box.type));
		ret = file_put(file, &box, sizeof(box), err);
	}
	return ret;
}

static int put_set(struct ucore_file *file, const struct ucore_device *dev, size_t i,
		   struct ucore_error *err)
{
	const struct ucore_field_set *set = &dev->sets[i];
	int ret = 0;

	for (size_t j = 0; j < set->nr && !ret; j++) {
		struct ucore_file_field field = { .field = set->fields[j] };

		if (!field_is_new(dev, i, &set->fields[j]))
			continue;
		memcpy(field.type, set->type, sizeof(field.type));
		ret = file_put(file, &field, sizeof(field), err);
	}
	return ret;
}

static bool type_is_new(const struct ucore_device *dev, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(dev->sets[j].type, dev->sets[i].type))
			return false;
	return true;
}

/* Write the cached event fields, so that a replay resolves events like the recording did */
static int put_fields(struct ucore_file *file, const struct ucore_device *dev,
		      struct ucore_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < dev->nr_sets; i++)
		for (size_t j = i; j < dev->nr_sets && type_is_new(dev, i) && !ret; j++)
			if (!strcmp(dev->sets[j].type, dev->sets[i].type))
				ret = put_set(file, dev, j, err);
	return ret;
}

static int put_event(struct ucore_file *file, const struct ucore_session *session,
		     const struct ucore_slot *slot, struct ucore_error *err)
{
	const struct ucore_event *event = &session->events[slot->index];
	struct ucore_file_event entry = {
		.event = slot->event,
		.index = slot->index,
		.domain = slot->domain,
		.instance = slot->instance,
		.counter = slot->counter,
		.bytes = event->desc.bytes,
		.bytes_per = event->desc.bytes_per,
		.period = event->period,
	};

	memcpy(entry.type, event->type, sizeof(entry.type));
	memcpy(entry.text, event->text, sizeof(entry.text));
	memcpy(entry.label, event->label, sizeof(entry.label));
	return file_put(file, &entry, sizeof(entry), err);
}

int ucore_file_create(const char *path, struct ucore_file **out, struct ucore_error *err)
{
	struct ucore_file *file = ucore_file_new(path, "we", err);

	if (!file)
		return -errno;
	*out = file;
	return 0;
}

void ucore_file_cores(struct ucore_file *file, unsigned int cores)
{
	file->header.cores = cores;
}

static int put_entry(struct ucore_file *file, uint32_t kind, uint32_t domain,
		     const void *data, uint32_t size, struct ucore_error *err)
{
	struct ucore_file_entry entry = { .kind = kind, .domain = domain, .size = size };
	int ret = file_put(file, &entry, sizeof(entry), err);

	return ret ? ret : file_put(file, data, size, err);
}

/* Write an omission; boxes that the machine does not have are missing in the table of boxes, too */
static int put_omission(struct ucore_file *file, const struct ucore_omission *omission,
			struct ucore_error *err)
{
	struct ucore_file_omission entry = {
		.index = omission->index,
		.domain = omission->domain,
		.instance = omission->instance,
		.code = omission->code,
	};

	if (omission->box == UCORE_ANY)
		return 0;
	memcpy(entry.type, omission->type, sizeof(entry.type));
	snprintf(entry.text, sizeof(entry.text), "%.*s", (int)sizeof(entry.text) - 1,
		 omission->text);
	return put_entry(file, UCORE_FILE_OMISSION, omission->domain, &entry, sizeof(entry), err);
}

int ucore_file_begin(struct ucore_file *file, const struct ucore_device *dev,
		     const struct ucore_session *session,
		     const struct ucore_session_config *config, uint64_t start,
		     struct ucore_error *err)
{
	int ret = put_header(file, dev, session, config, start, err);

	if (!ret)
		ret = put_domains(file, dev, err);
	if (!ret)
		ret = put_boxes(file, dev, err);
	if (!ret)
		ret = put_fields(file, dev, err);
	for (size_t i = 0; i < session->nr_slots && !ret; i++)
		ret = put_event(file, session, &session->slots[i], err);
	for (size_t i = 0; i < session->nr_omissions && !ret; i++)
		ret = put_omission(file, &session->omissions[i], err);
	return ret;
}

int ucore_file_write(struct ucore_file *file, uint32_t domain,
		     const struct ucore_record *record, struct ucore_error *err)
{
	return put_entry(file, UCORE_FILE_RECORD, domain, record, record->size, err);
}

int ucore_file_flush(struct ucore_file *file, struct ucore_error *err)
{
	return fflush(file->stream) ? put_error(file, err) : 0;
}

int ucore_file_finish(struct ucore_file *file, const struct ucore_get_status *status,
		      struct ucore_error *err)
{
	int ret = put_entry(file, UCORE_FILE_STATUS, 0, status, sizeof(*status), err);

	if (!ret)
		ret = ucore_file_flush(file, err);
	if (ret || file->stream == stdout)
		return ret;
	/* network filesystems report failed writes at close(2) */
	if (fclose(file->stream))
		ret = ucore_error_set(err, -EIO, "%s: cannot write: %s", file->path,
				      strerror(errno));
	file->stream = NULL;
	return ret;
}
