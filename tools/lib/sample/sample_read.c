// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reader of files of samples.  It checks every number in the file before use.  Therefore all
 * records that the reader returns are complete and consistent.
 */
#include "sample/sample_file.h"

static int cut_off(const struct ucore_file *file, struct ucore_error *err)
{
	return ucore_error_set(err, -EBADMSG, "%s: truncated in %s", file->path,
			       file->in_head ? "the header" : "the middle of a record");
}

/* Read @size bytes.  Returns 1, 0 at the end of the file, -EBADMSG (fewer bytes), or -errno. */
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
				       "%s: file version %u, but this ucoretool reads version %u. Use the release that wrote the file",
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
				       "%s: damaged: the header has %u domains, %u boxes, %u fields and %u events",
				       file->path, header->nr_domains, header->nr_boxes,
				       header->nr_fields, header->nr_events);
	return 0;
}

static int get_array(struct ucore_file *file, void *to, size_t nr, size_t size,
		     struct ucore_error *err)
{
	void *array = calloc(nr ? nr : 1, size);
	int ret;

	/* @to is the address of a pointer of any type; object pointers have one representation */
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

/* Check element @i of the domain table: ids must rise, only UCORE_SCOPE_CPU has a CPU */
static int domain_check(const struct ucore_file *file, size_t i, struct ucore_error *err)
{
	const struct ucore_file_domain *domain = &file->domains[i];
	bool is_cpu = domain->scope == UCORE_SCOPE_CPU;
	bool has_cpu = domain->cpu >= 0;

	if (domain->scope > UCORE_SCOPE_CPU || is_cpu != has_cpu ||
	    (i && domain->domain <= domain[-1].domain))
		return ucore_error_set(err, -EBADMSG, "%s: damaged: domain %zu is invalid",
				       file->path, i);
	return 0;
}

static int box_check(const struct ucore_file *file, size_t i, struct ucore_error *err)
{
	const struct ucore_file_box *box = &file->boxes[i];

	if (!ucore_file_domain(file, box->domain) || !text_ok(box->type, sizeof(box->type)) ||
	    box->nr_counters > UCORE_COUNTER_FIXED || box->nr_fixed > UCORE_COUNTER_FIXED)
		return ucore_error_set(err, -EBADMSG, "%s: damaged: box %zu is invalid",
				       file->path, i);
	return 0;
}

static int field_check(const struct ucore_file *file, size_t i, struct ucore_error *err)
{
	const struct ucore_file_field *field = &file->fields[i];

	if (!text_ok(field->type, sizeof(field->type)) ||
	    !text_ok(field->field.name, sizeof(field->field.name)))
		return ucore_error_set(err, -EBADMSG, "%s: damaged: field %zu is invalid",
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
		return ucore_error_set(err, -EBADMSG, "%s: damaged: event %zu is invalid",
				       file->path, i);
	return 0;
}

/* Read a table that follows the file's header, and check each element by @check */
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
			       "%s: not a file of samples. Use a file of 'ucoretool record'",
			       file->path);
}

/* Read the header; check the magic first, so that a short file of another format is refused */
static int header_get(struct ucore_file *file, struct ucore_error *err)
{
	struct ucore_file_header *header = &file->header;
	size_t size = sizeof(header->magic);
	int ret = file_get(file, header->magic, size, err);

	if (!ret)
		return ucore_error_set(err, -EBADMSG,
				       "%s: the file is empty. Use a file of 'ucoretool record'",
				       file->path);
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
		return ucore_error_set(err, -EBADMSG, "%s: damaged: the platform name is invalid",
				       file->path);

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
	qsort(file->events, header->nr_events, sizeof(*file->events),
	      ucore_file_event_order);
	for (size_t i = 0; i < header->nr_events && !ret; i++)
		ret = event_check(file, i, err);
	return ret;
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

/* Minimum size of a status (bytes): old libraries omit the statistics of parallel reads */
#define STATUS_MIN	offsetof(struct ucore_get_status, parallel_reads)

/* Return true if the data of an entry are valid for the entry's kind */
static bool entry_is_valid(const struct ucore_file *file, const struct ucore_file_entry *entry)
{
	const struct ucore_sample *sample = file->buffer;

	if (entry->kind == UCORE_FILE_STATUS)
		return entry->size >= STATUS_MIN;
	if (entry->kind != UCORE_FILE_RECORD)
		return true;
	if (!ucore_file_domain(file, entry->domain) ||
	    ucore_record_check(file->buffer, entry->size) != (int)entry->size)
		return false;
	return sample->hdr.type != UCORE_RECORD_SAMPLE || sample->domain == entry->domain;
}

/* Return the buffer size for an entry (bytes); a shorter, older status is extended by zeros */
static size_t entry_capacity(const struct ucore_file_entry *entry)
{
	if (entry->kind == UCORE_FILE_STATUS && entry->size < sizeof(struct ucore_get_status))
		return sizeof(struct ucore_get_status);
	return entry->size;
}

static int get_entry(struct ucore_file *file, struct ucore_file_entry *entry,
		     struct ucore_error *err)
{
	int ret = file_get(file, entry, sizeof(*entry), err);
	size_t capacity;

	if (ret <= 0)
		return ret;
	if (!entry->size || entry->size % 8 || entry->size > UCORE_FILE_MAX_RECORD)
		return ucore_error_set(err, -EBADMSG, "%s: damaged: an entry has %u bytes",
				       file->path, entry->size);
	capacity = entry_capacity(entry);
	ret = file_reserve(file, capacity, err);
	if (ret)
		return ret;
	memset((char *)file->buffer + entry->size, 0, capacity - entry->size);
	ret = file_get(file, file->buffer, entry->size, err);
	return ret ? ret : cut_off(file, err);
}

/* Return true if a text has only printable characters and ends with NUL */
static bool line_ok(const char *text, size_t size)
{
	if (!memchr(text, 0, size))
		return false;
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

/* Add the omission in the buffer to the file's list, which doubles at each power of two */
static int omission_add(struct ucore_file *file, const struct ucore_file_entry *entry)
{
	const struct ucore_file_omission *omission = file->buffer;
	size_t nr = file->nr_omissions;
	struct ucore_file_omission *grown = file->omissions;

	if (entry->size != sizeof(*omission) || nr == UCORE_FILE_MAX_EVENTS ||
	    !ucore_file_domain(file, omission->domain) ||
	    !text_ok(omission->type, sizeof(omission->type)) ||
	    !line_ok(omission->text, sizeof(omission->text)))
		return ucore_error_set(&file->ahead_error, -EBADMSG,
				       "%s: damaged: an omission is invalid", file->path);
	if (!(nr & (nr - 1)))
		grown = realloc(grown, (nr ? 2 * nr : 1) * sizeof(*grown));
	if (!grown)
		return ucore_error_set(&file->ahead_error, -ENOMEM, "%s: out of memory",
				       file->path);
	file->omissions = grown;
	grown[nr] = *omission;
	file->nr_omissions++;
	return 0;
}

/* Read the omissions, which precede the records, and keep the first other entry */
static void omissions_get(struct ucore_file *file)
{
	int ret;

	file->has_ahead = true;
	while ((ret = get_entry(file, &file->ahead, &file->ahead_error)) > 0 &&
	       file->ahead.kind == UCORE_FILE_OMISSION) {
		ret = omission_add(file, &file->ahead);
		if (ret)
			break;
	}
	file->ahead_result = ret;
}

int ucore_file_open(const char *path, struct ucore_file **out, struct ucore_error *err)
{
	struct ucore_file *file = ucore_file_new(path, "re", err);
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
	omissions_get(file);
	*out = file;
	return 0;
}

/* Get the next entry: the one that was read with the omissions, or one from the file */
static int next_entry(struct ucore_file *file, struct ucore_file_entry *entry,
		      struct ucore_error *err)
{
	if (!file->has_ahead)
		return get_entry(file, entry, err);
	file->has_ahead = false;
	*entry = file->ahead;
	if (file->ahead_result < 0)
		return ucore_error_set(err, file->ahead_result, "%s", file->ahead_error.text);
	return file->ahead_result;
}

int ucore_file_next(struct ucore_file *file, struct ucore_file_entry *entry, const void **data,
		    struct ucore_error *err)
{
	int ret;

	do {
		ret = next_entry(file, entry, err);
		if (ret <= 0)
			return ret;
		if (!entry_is_valid(file, entry))
			return ucore_error_set(err, -EBADMSG,
					       "%s: damaged: a record is invalid", file->path);
	} while (entry->kind != UCORE_FILE_RECORD && entry->kind != UCORE_FILE_STATUS);
	*data = file->buffer;
	return 1;
}
