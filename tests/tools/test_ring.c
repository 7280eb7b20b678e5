// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Ring: order of records, wrap, loss, and invalid content.
 */
#include <stdlib.h>

#include "unit.h"

#define RING	4096U
#define PAGE	4096U

static struct ucore_device *dev;
static struct ucore_session *session;
static struct ucore_ring *ring;

static int setup(void **state)
{
	static const struct ucore_session_config config = { .ring_size = RING };

	fake_setup(state);
	dev = device_get();
	session = session_get(dev, &config, "imc/CAS_COUNT.RD,period=1000/", NULL);
	assert_int_equal(ucore_ring_open(session, 1, &ring, &err), 0);
	return 0;
}

static int teardown(void **state)
{
	ucore_ring_close(ring);
	ucore_session_destroy(session);
	ucore_device_close(dev);
	return fake_teardown(state);
}

#define TEST_RING(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

static struct ucore_ring_producer *producer(void)
{
	return (void *)fake.rings[1].map;
}

static uint64_t *tail(void)
{
	return (void *)fake.rings[1].consumer;
}

static void record_put(uint64_t position, uint32_t type, uint32_t size)
{
	struct ucore_record head = { type, size, 7 };

	memcpy(fake.rings[1].map + PAGE + position % RING, &head, 8);
}

static void ring_open_failure_is_reported(void **state)
{
	struct ucore_ring *other;

	(void)state;
	assert_fails(ucore_ring_open(session, 7, &other, &err), ENOENT, "domain 7|no events in this domain");
	fake.mmap_skip = 0;
	assert_fails(ucore_ring_open(session, 0, &other, &err), ENOMEM, "die 0|cannot map");
	fake.mmap_skip = 1;
	assert_fails(ucore_ring_open(session, 0, &other, &err), ENOMEM, "die 0|cannot map");
	fake.mmap_skip = -1;
	fake.config.ring_size = 3000;
	assert_fails(ucore_ring_open(session, 0, &other, &err), EPROTO, "invalid size (3000 bytes)");
	fake.config.ring_size = RING;
}

static void empty_ring_returns_no_record(void **state)
{
	const struct ucore_record *record;

	(void)state;
	assert_int_equal(ucore_ring_domain(ring), 1);
	assert_int_equal(ucore_ring_next(ring, &record), 0);
	ucore_ring_release(ring);
	assert_int_equal(*tail(), 0);
}

static void records_keep_order_across_the_wrap(void **state)
{
	const struct ucore_record *record;
	uint64_t seq = 0;

	(void)state;
	/* a sample has 160 bytes, so that the ring wraps about forty times, with PADs */
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 10; i++)
			fake_sample(1);
		for (int i = 0; i < 10; i++) {
			const struct ucore_sample *sample;

			assert_int_equal(ucore_ring_next(ring, &record), 1);
			assert_int_equal(record->type, UCORE_RECORD_SAMPLE);
			assert_int_equal(record->seq, seq++);
			sample = (const void *)record;
			assert_int_equal(sample->nr_values, 4);
			assert_true((uintptr_t)(sample + 1) + 64 <=
				    (uintptr_t)fake.rings[1].map + PAGE + RING);
		}
		assert_int_equal(ucore_ring_next(ring, &record), 0);
		ucore_ring_release(ring);
		assert_int_equal(*tail(), producer()->head);
	}
	assert_int_equal(ucore_ring_lost(ring), 0);
}

static void space_is_held_until_release(void **state)
{
	const struct ucore_record *record;

	(void)state;
	fake_sample(1);
	assert_int_equal(ucore_ring_next(ring, &record), 1);
	assert_int_equal(*tail(), 0);
	ucore_ring_release(ring);
	assert_int_equal(*tail(), record->size);
}

static void full_ring_reports_lost_records(void **state)
{
	const struct ucore_record *record;
	unsigned int got = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		fake_sample(1);
	assert_true(ucore_ring_lost(ring) > 0);
	while (ucore_ring_next(ring, &record) > 0)
		got++;
	ucore_ring_release(ring);
	assert_int_equal(got + ucore_ring_lost(ring), 100);
	fake_sample(1);
	assert_int_equal(ucore_ring_next(ring, &record), 1);
	assert_int_equal(record->type, UCORE_RECORD_LOST);
	assert_int_equal(((const struct ucore_lost *)record)->lost, ucore_ring_lost(ring));
	assert_int_equal(ucore_ring_next(ring, &record), 1);
	assert_int_equal(record->type, UCORE_RECORD_SAMPLE);
}

static void short_pad_is_skipped(void **state)
{
	const struct ucore_record *record;
	struct ucore_lost lost = { .hdr = { UCORE_RECORD_LOST, sizeof(lost), 0 } };

	(void)state;
	record_put(0, UCORE_RECORD_PAD, 8);
	memcpy(fake.rings[1].map + PAGE + 8, &lost, sizeof(lost));
	producer()->head = 8 + sizeof(lost);
	assert_int_equal(ucore_ring_next(ring, &record), 1);
	assert_int_equal(record->type, UCORE_RECORD_LOST);
}

static void unknown_types_are_returned(void **state)
{
	const struct ucore_record *record;

	(void)state;
	record_put(0, 99, 24);
	producer()->head = 24;
	assert_int_equal(ucore_ring_next(ring, &record), 1);
	assert_int_equal(record->type, 99);
	assert_int_equal(ucore_ring_next(ring, &record), 0);
}

/* In each case an error is returned, the content is skipped, and the next record is read */
static void invalid_content_is_skipped(void **state)
{
	static const struct { uint32_t type, size; uint64_t bytes; } cases[] = {
		{ UCORE_RECORD_PAD, 0, 64 },
		{ UCORE_RECORD_PAD, 4, 64 },
		{ UCORE_RECORD_SAMPLE, 16, 64 },
		{ UCORE_RECORD_SAMPLE, 65, 128 },
		{ UCORE_RECORD_LOST, 24, 64 },
		{ UCORE_RECORD_GAP, 40, 64 },
		{ 99, 8, 64 },
		{ 99, 20, 64 },
		{ 99, 72, 64 },			/* beyond the head */
		{ 99, 0xfffffff8, 64 },
		{ 99, 24, 12 },			/* head in the middle of a word */
		{ 99, 24, RING + 8 },		/* more bytes than the ring has */
		{ 99, 24, UINT64_MAX - 7 },
	};
	const struct ucore_record *record;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		memset(fake.rings[1].map + PAGE, 0xff, RING);
		record_put(0, cases[i].type, cases[i].size);
		producer()->head = cases[i].bytes;
		assert_int_equal(ucore_ring_next(ring, &record), -EBADMSG);
		assert_int_equal(ucore_ring_next(ring, &record), 0);
		ucore_ring_release(ring);
		assert_int_equal(*tail(), cases[i].bytes);
		if (cases[i].bytes % 8 == 0 && cases[i].bytes < RING) {
			fake_sample(1);
			assert_int_equal(ucore_ring_next(ring, &record), 1);
		}
		ucore_ring_close(ring);
		assert_int_equal(ucore_ring_open(session, 1, &ring, &err), 0);
	}
}

static void record_across_the_end_is_refused(void **state)
{
	const struct ucore_record *record;

	(void)state;
	record_put(0, UCORE_RECORD_PAD, RING - 64);
	producer()->head = RING - 64;
	assert_int_equal(ucore_ring_next(ring, &record), 0);
	ucore_ring_release(ring);
	record_put(RING - 64, 99, 128);
	producer()->head = RING + 64;
	assert_int_equal(ucore_ring_next(ring, &record), -EBADMSG);
}

static void sample_with_wrong_count_is_refused(void **state)
{
	const struct ucore_record *record;
	uint32_t *nr;

	(void)state;
	fake_sample(1);
	nr = (uint32_t *)(fake.rings[1].map + PAGE + offsetof(struct ucore_sample, nr_values));
	*nr += 1;
	assert_int_equal(ucore_ring_next(ring, &record), -EBADMSG);
}

static void random_content_stays_within_the_mapping(void **state)
{
	unsigned int seed = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		const struct ucore_record *record;
		int ret;

		for (size_t i = 0; i < RING; i += 4)
			*(uint32_t *)(fake.rings[1].map + PAGE + i) =
				(uint32_t)rand_r(&seed) % (round % 3 ? 20 : 4) * (i % 8 ? 8 : 1);
		producer()->head = *tail() + (uint64_t)rand_r(&seed) % (RING / 8 + 8) * 8;
		while ((ret = ucore_ring_next(ring, &record)) > 0) {
			uintptr_t from = (uintptr_t)record;

			assert_true(from >= (uintptr_t)fake.rings[1].map + PAGE);
			assert_true(from + record->size <=
				    (uintptr_t)fake.rings[1].map + PAGE + RING);
		}
		ucore_ring_release(ring);
		assert_int_equal(*tail(), producer()->head);
	}
}

static const struct CMUnitTest tests[] = {
	TEST_RING(ring_open_failure_is_reported),
	TEST_RING(empty_ring_returns_no_record),
	TEST_RING(records_keep_order_across_the_wrap),
	TEST_RING(space_is_held_until_release),
	TEST_RING(full_ring_reports_lost_records),
	TEST_RING(short_pad_is_skipped),
	TEST_RING(unknown_types_are_returned),
	TEST_RING(invalid_content_is_skipped),
	TEST_RING(record_across_the_end_is_refused),
	TEST_RING(sample_with_wrong_count_is_refused),
	TEST_RING(random_content_stays_within_the_mapping),
};

UNIT_MAIN(tests)
