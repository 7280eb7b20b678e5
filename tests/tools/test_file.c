// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Files of samples: written files are read back, damaged files are refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

static const struct ucore_session_config config = { .ring_size = 65536 };

static struct ucore_device *dev;
static struct ucore_session *session;
static char path[] = "/tmp/ucore-test-XXXXXX";

/* Create a file with @samples samples per die, and read it into memory */
static unsigned char image[65536];
static size_t image_size;

static void rings_write(struct ucore_file *file, unsigned int samples)
{
	for (unsigned int die = 0; die < 2; die++) {
		const struct ucore_record *record;
		struct ucore_ring *ring;

		assert_int_equal(ucore_ring_open(session, die, &ring, &err), 0);
		for (unsigned int i = 0; i < samples; i++)
			fake_sample(die);
		while (ucore_ring_next(ring, &record) > 0)
			assert_int_equal(ucore_file_write(file, die, record, &err), 0);
		ucore_ring_close(ring);
	}
}

static void file_make(unsigned int samples)
{
	struct ucore_file *file;
	struct ucore_get_status status;
	FILE *stream;

	assert_int_equal(ucore_file_create(path, &file, &err), 0);
	assert_int_equal(ucore_file_begin(file, dev, session, &config, FAKE_EPOCH, &err), 0);
	rings_write(file, samples);
	assert_int_equal(ucore_session_status(session, &status, &err), 0);
	assert_int_equal(ucore_file_finish(file, &status, &err), 0);
	ucore_file_close(file);
	stream = fopen(path, "r");
	image_size = fread(image, 1, sizeof(image), stream);
	fclose(stream);
}

static void file_write(const void *data, size_t size)
{
	FILE *stream = fopen(path, "w");

	assert_int_equal(fwrite(data, 1, size, stream), size);
	fclose(stream);
}

static int setup(void **state)
{
	fake_setup(state);
	strcpy(path + sizeof(path) - 7, "XXXXXX");
	close(mkstemp(path));
	dev = device_get();
	session = session_get(dev, &config, "imc/CAS_COUNT.RD,period=1000/",
			      "UNC_U_UCLK/die=1/", NULL);
	return 0;
}

static int teardown(void **state)
{
	unlink(path);
	ucore_session_destroy(session);
	ucore_device_close(dev);
	return fake_teardown(state);
}

#define TEST_FILE(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Read all entries; return the last result and count the entries */
static int file_read(unsigned int *entries)
{
	struct ucore_file_entry entry;
	struct ucore_file *file;
	const void *data;
	int ret = ucore_file_open(path, &file, &err);

	*entries = 0;
	if (ret)
		return ret;
	while ((ret = ucore_file_next(file, &entry, &data, &err)) > 0)
		++*entries;
	ucore_file_close(file);
	return ret;
}

static void written_file_is_read_back(void **state)
{
	const struct ucore_file_event *event;
	struct ucore_file_entry entry;
	const struct ucore_sample *sample;
	struct ucore_file *file;
	const void *data;

	(void)state;
	file_make(3);
	assert_int_equal(ucore_file_open(path, &file, &err), 0);
	assert_int_equal(ucore_file_header(file)->nr_domains, 2);
	assert_int_equal(ucore_file_header(file)->nr_events, 9);
	assert_string_equal(ucore_file_header(file)->platform, "ivbep");
	assert_int_equal(ucore_file_header(file)->nr_boxes, 34);
	assert_string_equal(ucore_file_boxes(file)[17].type, "cbo");
	assert_int_equal(ucore_file_boxes(file)[17].domain, 1);
	assert_int_equal(ucore_file_header(file)->nr_fields, 8);
	assert_string_equal(ucore_file_fields(file)[0].type, "imc");
	assert_string_equal(ucore_file_fields(file)[0].field.name, "event");
	assert_int_equal(ucore_file_header(file)->start, FAKE_EPOCH);
	assert_int_equal(ucore_file_domains(file)[1].package, 1);
	event = &ucore_file_events(file)[8];
	assert_string_equal(event->label, "UNC_U_UCLK/die=1/");
	assert_string_equal(event->type, "ubox");
	assert_int_equal(event->index, 1);
	assert_ptr_equal(ucore_file_find(file, event->event), event);
	assert_null(ucore_file_find(file, 12345));
	assert_int_equal(ucore_file_events(file)[0].bytes, 64);
	assert_int_equal(ucore_file_events(file)[0].period, 1000);
	for (unsigned int i = 0; i < 6; i++) {
		assert_int_equal(ucore_file_next(file, &entry, &data, &err), 1);
		assert_int_equal(entry.kind, UCORE_FILE_RECORD);
		assert_int_equal(entry.domain, i / 3);
		sample = data;
		assert_int_equal(sample->hdr.seq, i % 3);
		assert_int_equal(sample->nr_values, i < 3 ? 4 : 5);
	}
	assert_int_equal(ucore_file_next(file, &entry, &data, &err), 1);
	assert_int_equal(entry.kind, UCORE_FILE_STATUS);
	assert_int_equal(((const struct ucore_get_status *)data)->samples, 6);
	assert_int_equal(ucore_file_next(file, &entry, &data, &err), 0);
	ucore_file_close(file);
}

/* Write a file whose status lacks the last @less bytes and has all others set */
static void status_shorten(unsigned int less)
{
	size_t size = sizeof(struct ucore_get_status);
	struct ucore_file_entry entry = {
		.kind = UCORE_FILE_STATUS, .size = (uint32_t)(size - less),
	};

	memcpy(image + image_size - size - sizeof(entry), &entry, sizeof(entry));
	memset(image + image_size - size, 0xff, size);
	file_write(image, image_size - less);
}

/* A status of an older library, without parallel reads */
static void shorter_status_is_read(void **state)
{
	const struct ucore_get_status *status;
	struct ucore_file_entry entry;
	struct ucore_file *file;
	unsigned int entries;
	const void *data;

	(void)state;
	file_make(0);
	status_shorten(sizeof(status->parallel_reads));
	assert_int_equal(ucore_file_open(path, &file, &err), 0);
	assert_int_equal(ucore_file_next(file, &entry, &data, &err), 1);
	status = data;
	assert_int_equal(status->writes, UINT64_MAX);
	assert_int_equal(status->parallel_reads, 0);
	ucore_file_close(file);
	status_shorten(2 * sizeof(status->parallel_reads));
	assert_int_equal(file_read(&entries), -EBADMSG);
}

static void domains_keep_scope_and_cpu(void **state)
{
	const struct ucore_file_domain *domain;
	struct ucore_file *file;

	(void)state;
	fake_cpus(2);
	assert_int_equal(ucore_device_refresh(dev, &err), 0);
	file_make(1);
	assert_int_equal(ucore_file_open(path, &file, &err), 0);
	assert_int_equal(ucore_file_header(file)->nr_domains, 4);
	domain = ucore_file_domain(file, 1);
	assert_int_equal(domain->scope, UCORE_SCOPE_DIE);
	assert_int_equal(domain->die, 1);
	assert_int_equal(domain->cpu, -1);
	domain = ucore_file_domain(file, 3);
	assert_int_equal(domain->scope, UCORE_SCOPE_CPU);
	assert_int_equal(domain->die, 0);
	assert_int_equal(domain->cpu, 1);
	assert_null(ucore_file_domain(file, 4));
	ucore_file_close(file);
}

/* The start times lie between clock reads before and after writing the header */
static void start_time_matches_both_clocks(void **state)
{
	struct timespec real, monotonic;
	struct ucore_file *file;
	int64_t before, after;

	(void)state;
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	before = (real.tv_sec - monotonic.tv_sec) * 1000000000LL + real.tv_nsec - monotonic.tv_nsec;
	file_make(1);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	clock_gettime(CLOCK_REALTIME, &real);
	after = (real.tv_sec - monotonic.tv_sec) * 1000000000LL + real.tv_nsec - monotonic.tv_nsec;
	assert_int_equal(ucore_file_open(path, &file, &err), 0);
	/* the two clocks are read one after the other, which allows for a small difference */
	before = (int64_t)(ucore_file_real(file, 5000) - 5000) - before;
	after -= (int64_t)(ucore_file_real(file, 5000) - 5000);
	assert_true(before > -1000000 && after > -1000000);
	assert_int_equal(ucore_file_real(file, FAKE_EPOCH), ucore_file_header(file)->start_real);
	assert_int_equal(ucore_file_real(file, FAKE_EPOCH + 7),
			 ucore_file_real(file, FAKE_EPOCH) + 7);
	ucore_file_close(file);
}

static void invalid_files_are_refused(void **state)
{
	struct ucore_file *file;

	(void)state;
	assert_fails(ucore_file_open("/nonexistent/x", &file, &err), ENOENT,
		     "/nonexistent/x|cannot open");
	assert_fails(ucore_file_open("/tmp", &file, &err), EISDIR, "/tmp: cannot read");
	assert_fails(ucore_file_create("/nonexistent/x", &file, &err), ENOENT,
		     "/nonexistent/x|cannot create");
	file_write("", 0);
	assert_fails(ucore_file_open(path, &file, &err), EBADMSG, "empty");
	file_write("#!/bin/sh\nexit 0\n# this is no file of samples, it is a shell script, long enough\n",
		   80);
	assert_fails(ucore_file_open(path, &file, &err), EBADMSG,
		     "not a file of samples|ucoretool record");
}

/* The header fits into the stream's buffer, the end does not */
static int head_and_end(struct ucore_file *file)
{
	struct ucore_get_status status = { 0 };
	int ret = ucore_file_begin(file, dev, session, &config, 0, &err);

	return ret ? ret : ucore_file_finish(file, &status, &err);
}

static void full_disk_is_reported(void **state)
{
	struct ucore_file *file;

	(void)state;
	assert_int_equal(ucore_file_create("/dev/full", &file, &err), 0);
	assert_fails(head_and_end(file), EIO, "/dev/full: cannot write");
	ucore_file_close(file);
}

/* A file truncated at any length ends after an entry or is refused */
static void truncated_file_is_detected(void **state)
{
	unsigned int entries, whole = 0, last = 0;

	(void)state;
	file_make(2);
	for (size_t size = 0; size < image_size; size++) {
		int ret;

		file_write(image, size);
		ret = file_read(&entries);
		assert_true(ret == 0 || ret == -EBADMSG);
		whole += !ret;
		if (!ret) {
			assert_true(entries >= last);
			last = entries;
		}
	}
	/* valid ends: after the header and after each entry except the last */
	assert_int_equal(whole, 5);
}

static void header_fields_are_checked(void **state)
{
	static const struct { size_t offset; uint32_t value; int code; const char *words; } cases[] = {
		{ offsetof(struct ucore_file_header, magic), 0, EBADMSG, "not a file of samples" },
		{ offsetof(struct ucore_file_header, version), 1, EPROTO, "version 1" },
		{ offsetof(struct ucore_file_header, size), 8, EBADMSG, "damaged" },
		{ offsetof(struct ucore_file_header, domain_size), 0, EBADMSG, "damaged" },
		{ offsetof(struct ucore_file_header, event_size), 1 << 30, EBADMSG, "damaged" },
		{ offsetof(struct ucore_file_header, box_size), 8, EBADMSG, "damaged" },
		{ offsetof(struct ucore_file_header, field_size), 8, EBADMSG, "damaged" },
		{ offsetof(struct ucore_file_header, nr_boxes), 0, EBADMSG, "0 boxes" },
		{ offsetof(struct ucore_file_header, nr_boxes), 65537, EBADMSG, "65537 boxes" },
		{ offsetof(struct ucore_file_header, nr_boxes), 65536, EBADMSG, "truncated" },
		{ offsetof(struct ucore_file_header, nr_fields), 4097, EBADMSG, "4097 fields" },
		{ offsetof(struct ucore_file_header, nr_fields), 4096, EBADMSG, "truncated" },
		{ offsetof(struct ucore_file_header, nr_domains), 0, EBADMSG, "0 domains" },
		{ offsetof(struct ucore_file_header, nr_domains), 16385, EBADMSG, "16385 domains" },
		{ offsetof(struct ucore_file_header, nr_domains), 16384, EBADMSG, "truncated" },
		{ offsetof(struct ucore_file_header, nr_events), 0, EBADMSG, "0 events" },
		{ offsetof(struct ucore_file_header, nr_events), ~0U, EBADMSG, "damaged" },
		{ offsetof(struct ucore_file_header, nr_events), 65536, EBADMSG, "truncated" },
		{ offsetof(struct ucore_file_header, platform), 0x01010101, EBADMSG, "platform" },
	};
	struct ucore_file *file;

	(void)state;
	file_make(1);
	for (size_t i = 0; i < NR(cases); i++) {
		unsigned char copy[sizeof(image)];

		memcpy(copy, image, image_size);
		memcpy(copy + cases[i].offset, &cases[i].value, 4);
		file_write(copy, image_size);
		assert_fails(ucore_file_open(path, &file, &err), cases[i].code, cases[i].words);
	}
}

/* Offsets in a file of 2 dies with 17 boxes each, with the fields of iMC and UBox */
#define DOMAINS	sizeof(struct ucore_file_header)
#define BOXES	(DOMAINS + 2 * sizeof(struct ucore_file_domain))
#define FIELDS	(BOXES + 34 * sizeof(struct ucore_file_box))
#define EVENTS	(FIELDS + 8 * sizeof(struct ucore_file_field))
#define ENTRIES	(EVENTS + 9 * sizeof(struct ucore_file_event))

static void tables_and_entries_are_checked(void **state)
{
	static const struct { size_t offset; uint32_t value; const char *words; } cases[] = {
		{ DOMAINS + offsetof(struct ucore_file_domain, scope), 2, "domain 0 is invalid" },
		{ DOMAINS + offsetof(struct ucore_file_domain, scope), 1, "domain 0 is invalid" },
		{ DOMAINS + offsetof(struct ucore_file_domain, cpu), 3, "domain 0 is invalid" },
		{ DOMAINS + offsetof(struct ucore_file_domain, domain), 1, "domain 1 is invalid" },
		{ DOMAINS + offsetof(struct ucore_file_domain, domain), 7, "domain 1 is invalid" },
		{ BOXES + offsetof(struct ucore_file_box, domain), 5, "box 0 is invalid" },
		{ BOXES + offsetof(struct ucore_file_box, nr_counters), 33, "box 0 is invalid" },
		{ BOXES + offsetof(struct ucore_file_box, nr_fixed), 33, "box 0 is invalid" },
		{ BOXES + offsetof(struct ucore_file_box, type), 0x0a0a0a0a, "box 0 is invalid" },
		{ FIELDS + offsetof(struct ucore_file_field, type), 0x0a0a0a0a, "field 0 is invalid" },
		{ FIELDS + offsetof(struct ucore_file_field, field.name), 0x1b1b1b1b,
		  "field 0 is invalid" },
		{ EVENTS + offsetof(struct ucore_file_event, domain), 5, "event 0 is invalid" },
		{ EVENTS + offsetof(struct ucore_file_event, index), 9, "event 0" },
		{ EVENTS + offsetof(struct ucore_file_event, event), 2, "event 1" },
		{ EVENTS + offsetof(struct ucore_file_event, type), 0x0a0a0a0a, "event 0" },
		{ EVENTS + offsetof(struct ucore_file_event, text), 0x1b1b1b1b, "event 0" },
		{ EVENTS + offsetof(struct ucore_file_event, label), 0x1b1b1b1b, "event 0" },
		{ ENTRIES + offsetof(struct ucore_file_entry, size), 0, "entry has 0 bytes" },
		{ ENTRIES + offsetof(struct ucore_file_entry, size), 12, "entry has 12 bytes" },
		{ ENTRIES + offsetof(struct ucore_file_entry, size), 1 << 30, "an entry has" },
		{ ENTRIES + offsetof(struct ucore_file_entry, domain), 2, "a record is invalid" },
		{ ENTRIES + offsetof(struct ucore_file_entry, domain), 1, "a record is invalid" },
		{ ENTRIES + offsetof(struct ucore_file_entry, kind), UCORE_FILE_STATUS,
		  "" },	/* long enough for a status, which is therefore accepted */
		{ ENTRIES + 16 + offsetof(struct ucore_record, size), 8, "a record is invalid" },
		{ ENTRIES + 16 + offsetof(struct ucore_record, size), ~0U, "a record is invalid" },
		{ ENTRIES + 16 + offsetof(struct ucore_sample, nr_values), 1 << 28, "a record is invalid" },
		{ ENTRIES + 16 + offsetof(struct ucore_sample, domain), 1, "a record is invalid" },
	};
	unsigned int entries;

	(void)state;
	file_make(1);
	for (size_t i = 0; i < NR(cases); i++) {
		unsigned char copy[sizeof(image)];

		memcpy(copy, image, image_size);
		memcpy(copy + cases[i].offset, &cases[i].value, 4);
		file_write(copy, image_size);
		if (*cases[i].words)
			assert_fails(file_read(&entries), EBADMSG, cases[i].words);
		else
			assert_int_equal(file_read(&entries), 0);
	}
}

static void unknown_entries_are_skipped(void **state)
{
	uint32_t kind = 77;
	unsigned int entries;

	(void)state;
	file_make(1);
	memcpy(image + ENTRIES, &kind, 4);
	file_write(image, image_size);
	assert_int_equal(file_read(&entries), 0);
	assert_int_equal(entries, 2);
}

static const struct CMUnitTest tests[] = {
	TEST_FILE(written_file_is_read_back),
	TEST_FILE(shorter_status_is_read),
	TEST_FILE(domains_keep_scope_and_cpu),
	TEST_FILE(start_time_matches_both_clocks),
	TEST_FILE(invalid_files_are_refused),
	TEST_FILE(full_disk_is_reported),
	TEST_FILE(truncated_file_is_detected),
	TEST_FILE(header_fields_are_checked),
	TEST_FILE(tables_and_entries_are_checked),
	TEST_FILE(unknown_entries_are_skipped),
};

UNIT_MAIN(tests)
