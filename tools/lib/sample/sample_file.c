// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Files of samples: what record writes and report reads.
 *
 * The reader trusts nothing: every number of the file is checked before it
 * becomes a size, and what it hands out is whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define CLOCK_TRIES	8

struct ucore_file {
	FILE *stream;
	char *path;
	struct ucore_file_header header;
	struct ucore_file_domain *domains;
	struct ucore_file_box *boxes;
	struct ucore_file_field *fields;
	struct ucore_file_event *events;
	bool in_head;		/* while that is read */
	void *buffer;		/* what follows an entry */
	size_t capacity;
};

/* ---- both ways --------------------------------------------------------- */

static struct ucore_file *file_new(const char *path, const char *mode, struct ucore_error *err)
{
	struct ucore_file *file = calloc(1, sizeof(*file));
	bool write = *mode == 'w';

	if (file)
		file->path = strdup(path);
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
	if (file->stream != stdin && file->stream != stdout)
		fclose(file->stream);
	free(file->buffer);
	free(file->events);
	free(file->fields);
	free(file->boxes);
	free(file->domains);
	free(file->path);
	free(file);
}

/* ---- writing ----------------------------------------------------------- */

static int put_error(const struct ucore_file *file, struct ucore_error *err)
{
	return ucore_error_set(err, -EIO, "%s: cannot write: %s", file->path, strerror(errno));
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
 * How far the wall clock is ahead of CLOCK_MONOTONIC.  Whoever interrupts us between two
 * clocks makes them differ: of several tries the one that took the least time counts.
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

/* Does none of the sets before @i of its type have the field? */
static bool field_is_new(const struct ucore_device *dev, size_t i, const struct ucore_field_info *field)
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

/* The fields that events were resolved with, so that names mean the same when it is read */
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
	struct ucore_file *file = file_new(path, "we", err);

	if (!file)
		return -errno;
	*out = file;
	return 0;
}

void ucore_file_cores(struct ucore_file *file, unsigned int cores)
{
	file->header.cores = cores;
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
	return ret;
}

static int put_entry(struct ucore_file *file, uint32_t kind, uint32_t domain,
		     const void *data, uint32_t size, struct ucore_error *err)
{
	struct ucore_file_entry entry = { .kind = kind, .domain = domain, .size = size };
	int ret = file_put(file, &entry, sizeof(entry), err);

	return ret ? ret : file_put(file, data, size, err);
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

	return ret ? ret : ucore_file_flush(file, err);
}

/* ---- reading ----------------------------------------------------------- */

static int cut_off(const struct ucore_file *file, struct ucore_error *err)
{
	return ucore_error_set(err, -EBADMSG, "%s: cut off in %s", file->path,
			       file->in_head ? "its head" : "the middle of a record");
}

/* Return: 1 all of it, 0 end of file before the first byte, negative otherwise */
static int file_get(struct ucore_file *file, void *data, size_t size, struct ucore_error *err)
{
	size_t got = fread(data, 1, size, file->stream);

	if (got == size)
		return 1;
	if (ferror(file->stream)) {
		int code = errno ? errno : EIO;

		return ucore_error_set(err, -code, "%s: cannot read: %s", file->path,
				       strerror(code));
	}
	return got ? cut_off(file, err) : 0;
}

static int header_check(const struct ucore_file *file, struct ucore_error *err)
{
	const struct ucore_file_header *header = &file->header;

	if (header->version != UCORE_FILE_VERSION)
		return ucore_error_set(err, -EPROTO,
				       "%s: version %u, this ucoretool reads version %u: use the release that wrote it",
				       file->path, header->version, UCORE_FILE_VERSION);
	if (header->size != sizeof(*header) ||
	    header->domain_size != sizeof(struct ucore_file_domain) ||
	    header->box_size != sizeof(struct ucore_file_box) ||
	    header->field_size != sizeof(struct ucore_file_field) ||
	    header->event_size != sizeof(struct ucore_file_event) ||
	    !header->nr_domains || header->nr_domains > UCORE_FILE_MAX_DOMAINS ||
	    !header->nr_boxes || header->nr_boxes > UCORE_FILE_MAX_BOXES ||
	    header->nr_fields > UCORE_FILE_MAX_FIELDS ||
	    !header->nr_events || header->nr_events > UCORE_FILE_MAX_EVENTS)
		return ucore_error_set(err, -EBADMSG,
				       "%s: damaged: its head says %u domains, %u boxes, %u fields and %u events",
				       file->path, header->nr_domains, header->nr_boxes,
				       header->nr_fields, header->nr_events);
	return 0;
}

static int get_array(struct ucore_file *file, void *to, size_t nr, size_t size,
		     struct ucore_error *err)
{
	void *array = calloc(nr ? nr : 1, size);
	int ret;

	/* pointers to whatever there is to point to are alike */
	memcpy(to, &array, sizeof(array));
	if (!array)
		return ucore_error_set(err, -ENOMEM, "%s: out of memory for %zu elements",
				       file->path, nr);
	if (!nr)
		return 0;
	ret = file_get(file, array, nr * size, err);
	if (!ret)
		ret = cut_off(file, err);
	return ret < 0 ? ret : 0;
}

static bool text_ok(const char *text, size_t size)
{
	if (!memchr(text, 0, size))
		return false;
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

/* Ids rise, and the scope tells whether there is a CPU */
static int domain_check(const struct ucore_file *file, size_t i, struct ucore_error *err)
{
	const struct ucore_file_domain *domain = &file->domains[i];
	bool is_cpu = domain->scope == UCORE_SCOPE_CPU;
	bool has_cpu = domain->cpu >= 0;

	if (domain->scope > UCORE_SCOPE_CPU || is_cpu != has_cpu ||
	    (i && domain->domain <= domain[-1].domain))
		return ucore_error_set(err, -EBADMSG, "%s: damaged: domain %zu makes no sense",
				       file->path, i);
	return 0;
}

static int box_check(const struct ucore_file *file, size_t i, struct ucore_error *err)
{
	const struct ucore_file_box *box = &file->boxes[i];

	if (!ucore_file_domain(file, box->domain) || !text_ok(box->type, sizeof(box->type)) ||
	    box->nr_counters > UCORE_COUNTER_FIXED || box->nr_fixed > UCORE_COUNTER_FIXED)
		return ucore_error_set(err, -EBADMSG, "%s: damaged: box %zu makes no sense",
				       file->path, i);
	return 0;
}

static int field_check(const struct ucore_file *file, size_t i, struct ucore_error *err)
{
	const struct ucore_file_field *field = &file->fields[i];

	if (!text_ok(field->type, sizeof(field->type)) ||
	    !text_ok(field->field.name, sizeof(field->field.name)))
		return ucore_error_set(err, -EBADMSG, "%s: damaged: field %zu makes no sense",
				       file->path, i);
	return 0;
}

static int event_check(const struct ucore_file *file, size_t i, struct ucore_error *err)
{
	const struct ucore_file_event *event = &file->events[i];

	if (!ucore_file_domain(file, event->domain) || event->index >= file->header.nr_events ||
	    (i && event->event <= file->events[i - 1].event) ||
	    !text_ok(event->type, sizeof(event->type)) ||
	    !text_ok(event->text, sizeof(event->text)) ||
	    !text_ok(event->label, sizeof(event->label)))
		return ucore_error_set(err, -EBADMSG, "%s: damaged: event %zu makes no sense",
				       file->path, i);
	return 0;
}

static int domain_order(const void *a, const void *b)
{
	const struct ucore_file_domain *x = a, *y = b;

	return x->domain < y->domain ? -1 : x->domain > y->domain;
}

static int event_order(const void *a, const void *b)
{
	const struct ucore_file_event *x = a, *y = b;

	return x->event < y->event ? -1 : x->event > y->event;
}

/* A table of the head, whose elements are checked one by one */
static int get_table(struct ucore_file *file, void *table, size_t nr, size_t size,
		     int (*check)(const struct ucore_file *file, size_t i,
				  struct ucore_error *err),
		     struct ucore_error *err)
{
	int ret = get_array(file, table, nr, size, err);

	for (size_t i = 0; i < nr && !ret; i++)
		ret = check(file, i, err);
	return ret;
}

static int not_samples(const struct ucore_file *file, struct ucore_error *err)
{
	return ucore_error_set(err, -EBADMSG,
			       "%s: not a file of samples; 'ucoretool record' writes them",
			       file->path);
}

/* What the file begins with tells what it is, however short it is */
static int header_get(struct ucore_file *file, struct ucore_error *err)
{
	struct ucore_file_header *header = &file->header;
	size_t size = sizeof(header->magic);
	int ret = file_get(file, header->magic, size, err);

	if (!ret)
		return ucore_error_set(err, -EBADMSG, "%s: empty", file->path);
	if (ret < 0)
		return ret;
	if (memcmp(header->magic, UCORE_FILE_MAGIC, size))
		return not_samples(file, err);
	ret = file_get(file, (char *)header + size, sizeof(*header) - size, err);
	if (!ret)
		ret = cut_off(file, err);
	return ret < 0 ? ret : 0;
}

static int file_get_head(struct ucore_file *file, struct ucore_error *err)
{
	struct ucore_file_header *header = &file->header;
	int ret = header_get(file, err);

	if (!ret)
		ret = header_check(file, err);
	if (ret)
		return ret;
	header->platform[sizeof(header->platform) - 1] = 0;
	if (!text_ok(header->platform, sizeof(header->platform)))
		return ucore_error_set(err, -EBADMSG, "%s: damaged: platform name", file->path);

	ret = get_table(file, &file->domains, header->nr_domains, sizeof(*file->domains),
			domain_check, err);
	if (!ret)
		ret = get_table(file, &file->boxes, header->nr_boxes, sizeof(*file->boxes),
				box_check, err);
	if (!ret)
		ret = get_table(file, &file->fields, header->nr_fields, sizeof(*file->fields),
				field_check, err);
	if (ret)
		return ret;
	ret = get_array(file, &file->events, header->nr_events, sizeof(*file->events), err);
	if (ret)
		return ret;
	qsort(file->events, header->nr_events, sizeof(*file->events), event_order);
	for (size_t i = 0; i < header->nr_events && !ret; i++)
		ret = event_check(file, i, err);
	return ret;
}

int ucore_file_open(const char *path, struct ucore_file **out, struct ucore_error *err)
{
	struct ucore_file *file = file_new(path, "re", err);
	int ret;

	if (!file)
		return -errno;
	file->in_head = true;
	ret = file_get_head(file, err);
	file->in_head = false;
	if (ret) {
		ucore_file_close(file);
		return ret;
	}
	*out = file;
	return 0;
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

	return bsearch(&key, file->events, file->header.nr_events, sizeof(key), event_order);
}

static int file_reserve(struct ucore_file *file, size_t size, struct ucore_error *err)
{
	void *buffer;

	if (size <= file->capacity)
		return 0;
	buffer = realloc(file->buffer, size);
	if (!buffer)
		return ucore_error_set(err, -ENOMEM, "%s: out of memory", file->path);
	file->buffer = buffer;
	file->capacity = size;
	return 0;
}

/* A status without what it says of helpers */
#define STATUS_LEAST	offsetof(struct ucore_get_status, parallel_reads)

/* Is what follows the entry what its kind says? */
static bool entry_sane(const struct ucore_file *file, const struct ucore_file_entry *entry)
{
	const struct ucore_sample *sample = file->buffer;

	if (entry->kind == UCORE_FILE_STATUS)
		return entry->size >= STATUS_LEAST;
	if (entry->kind != UCORE_FILE_RECORD)
		return true;
	if (!ucore_file_domain(file, entry->domain) ||
	    ucore_record_check(file->buffer, entry->size) != (int)entry->size)
		return false;
	return sample->hdr.type != UCORE_RECORD_SAMPLE || sample->domain == entry->domain;
}

/* What an older status does not say is 0 */
static size_t entry_room(const struct ucore_file_entry *entry)
{
	if (entry->kind == UCORE_FILE_STATUS && entry->size < sizeof(struct ucore_get_status))
		return sizeof(struct ucore_get_status);
	return entry->size;
}

static int get_entry(struct ucore_file *file, struct ucore_file_entry *entry,
		     struct ucore_error *err)
{
	int ret = file_get(file, entry, sizeof(*entry), err);
	size_t room;

	if (ret <= 0)
		return ret;
	if (!entry->size || entry->size % 8 || entry->size > UCORE_FILE_MAX_RECORD)
		return ucore_error_set(err, -EBADMSG, "%s: damaged: an entry of %u bytes",
				       file->path, entry->size);
	room = entry_room(entry);
	ret = file_reserve(file, room, err);
	if (ret)
		return ret;
	memset((char *)file->buffer + entry->size, 0, room - entry->size);
	ret = file_get(file, file->buffer, entry->size, err);
	return ret ? ret : cut_off(file, err);
}

int ucore_file_next(struct ucore_file *file, struct ucore_file_entry *entry, const void **data,
		    struct ucore_error *err)
{
	int ret;

	do {
		ret = get_entry(file, entry, err);
		if (ret <= 0)
			return ret;
		if (!entry_sane(file, entry))
			return ucore_error_set(err, -EBADMSG,
					       "%s: damaged: a record that makes no sense",
					       file->path);
	} while (entry->kind != UCORE_FILE_RECORD && entry->kind != UCORE_FILE_STATUS);
	*data = file->buffer;
	return 1;
}
