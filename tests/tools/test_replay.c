// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Replays: recorded events are found by their field values, and metrics have a value for each
 * interval in which all of their domains had a sample.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

static const struct ucore_session_config config = { .ring_size = 65536 };

static char path[] = "/tmp/ucore-test-XXXXXX";
static struct ucore_device *dev;
static struct ucore_session *session;
static struct ucore_file *file;
static struct ucore_replay *replay;
static struct ucore_metrics *metrics;

static int setup(void **state)
{
	fake_setup(state);
	strcpy(path + sizeof(path) - 7, "XXXXXX");
	close(mkstemp(path));
	dev = device_get();
	return 0;
}

static int teardown(void **state)
{
	ucore_metrics_free(metrics);
	ucore_replay_close(replay);
	ucore_file_close(file);
	metrics = NULL;
	replay = NULL;
	file = NULL;
	ucore_session_destroy(session);
	ucore_device_close(dev);
	unlink(path);
	return fake_teardown(state);
}

#define TEST_REPLAY(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

static struct ucore_ring *rings[2];

static void rings_open(void)
{
	for (unsigned int die = 0; die < 2; die++)
		assert_int_equal(ucore_ring_open(session, die, &rings[die], &err), 0);
}

static void rings_close(void)
{
	for (unsigned int die = 0; die < 2; die++)
		ucore_ring_close(rings[die]);
}

/* Write a file with the session's header and all records of its rings */
static void file_make(void)
{
	const struct ucore_record *record;
	struct ucore_file *out;

	assert_int_equal(ucore_file_create(path, &out, &err), 0);
	ucore_file_cores(out, 6);
	assert_int_equal(ucore_file_begin(out, dev, session, &config, FAKE_EPOCH, &err), 0);
	for (unsigned int die = 0; die < 2; die++)
		while (ucore_ring_next(rings[die], &record) > 0)
			assert_int_equal(ucore_file_write(out, die, record, &err), 0);
	ucore_file_close(out);
}

static void replay_make(void)
{
	assert_int_equal(ucore_file_open(path, &file, &err), 0);
	assert_int_equal(ucore_replay_open(file, &replay, &err), 0);
	assert_int_equal(ucore_metrics_create(ucore_replay_device(replay), &metrics, &err), 0);
}

static int attach(const char *metric, uint32_t level)
{
	int ret = ucore_metrics_choose(metrics, metric, &err);

	return ret ? ret : ucore_metrics_attach(metrics, ucore_replay_session(replay), level, &err);
}

static void recorded_events_are_found_by_value(void **state)
{
	static const char *const spellings[] = {
		"imc/CAS_COUNT.RD/", "UNC_M_CAS_COUNT.RD", "imc/event=4,umask=3/",
		"imc/umask=0x3,event=0x04,thresh=0/", "imc/UNC_M_CAS_COUNT.RD,period=5000/",
	};

	(void)state;
	for (size_t i = 0; i < NR(spellings); i++) {
		size_t nr;

		session = session_get(dev, &config, spellings[i], NULL);
		rings_open();
		file_make();
		rings_close();
		replay_make();
		assert_int_equal(attach("memory_bandwidth_read", UCORE_LEVEL_BOX), 0);
		assert_non_null(ucore_session_slots(ucore_replay_session(replay), &nr));
		assert_int_equal(nr, 8);
		ucore_metrics_free(metrics);
		ucore_replay_close(replay);
		ucore_file_close(file);
		ucore_session_destroy(session);
	}
	metrics = NULL;
	replay = NULL;
	file = NULL;
	session = NULL;
}

static void unrecorded_events_are_refused(void **state)
{
	static const struct { const char *event, *words; } cases[] = {
		/* first case, because resolving an event makes the fields of its type known */
		{ "ubox/UCLK/", "imc: no event of this box type was recorded" },
		{ "imc/CAS_COUNT.WR/", "'UNC_M_CAS_COUNT.RD': not recorded on imc0 of die 0" },
		{ "imc/CAS_COUNT.RD,thresh=1/", "not recorded" },
		{ "imc/CAS_COUNT.RD,die=0/", "not recorded on imc0 of die 1" },
		{ "imc0/CAS_COUNT.RD/", "not recorded on imc1 of die 0" },
		{ "imc/DCLK/", "not recorded" },
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		session = session_get(dev, &config, cases[i].event, "ubox/event=1/", NULL);
		assert_int_equal(ucore_ring_open(session, 0, &rings[0], &err), 0);
		assert_int_equal(ucore_ring_open(session, 1, &rings[1], &err), 0);
		file_make();
		rings_close();
		replay_make();
		assert_fails(attach("memory_bandwidth_read", UCORE_LEVEL_SYSTEM), ENOENT,
			     cases[i].words);
		ucore_metrics_free(metrics);
		ucore_replay_close(replay);
		ucore_file_close(file);
		ucore_session_destroy(session);
	}
	metrics = NULL;
	replay = NULL;
	file = NULL;
	session = NULL;
}

/* Pass the records of both rings to the metrics, sorted by time */
static int take_all(struct ucore_metrics *of, unsigned int die)
{
	const struct ucore_record *record;
	int fresh = 0;

	while (ucore_ring_next(rings[die], &record) > 0)
		fresh = ucore_metrics_take(of, die, record);
	ucore_ring_release(rings[die]);
	return fresh;
}

static void live_make(const char *metric, uint32_t level)
{
	assert_int_equal(ucore_session_create(dev, &config, &session, &err), 0);
	assert_int_equal(ucore_metrics_create(dev, &metrics, &err), 0);
	assert_int_equal(ucore_metrics_choose(metrics, metric, &err), 0);
	assert_int_equal(ucore_metrics_attach(metrics, session, level, &err), 0);
	rings_open();
}

/* Return the bytes of a die's sample: the fake's steps of its four channels */
static double bytes_of(unsigned int die)
{
	double sum = 0;

	for (unsigned int i = 0; i < fake.nr_events; i++)
		if (fake.boxes[fake.events[i].box].domain == die)
			sum += 64.0 * (double)fake_step(&fake.events[i]);
	return sum;
}

static void socket_value_follows_each_sample(void **state)
{
	const struct ucore_metric_value *value;

	(void)state;
	live_make("memory_bandwidth_read", UCORE_LEVEL_SOCKET);
	for (unsigned int i = 0; i < 3; i++) {
		fake_sample(1);
		assert_int_equal(take_all(metrics, 1), 1);
		value = ucore_metrics_value(metrics, 1);
		assert_true(value->fresh);
		assert_false(ucore_metrics_value(metrics, 0)->fresh);
		assert_int_equal(value->running, 1000000);
		/* a ms, in MB/s */
		assert_true(fabs(value->value - bytes_of(1) / 1000) < 1e-6);
	}
	rings_close();
}

static void system_value_waits_for_all_sockets(void **state)
{
	const struct ucore_metric_value *value;

	(void)state;
	live_make("memory_bandwidth_read", UCORE_LEVEL_SYSTEM);
	value = ucore_metrics_value(metrics, 0);
	fake_sample(0);
	assert_int_equal(take_all(metrics, 0), 0);
	fake_sample(0);
	assert_int_equal(take_all(metrics, 0), 0);
	fake_sample(1);
	assert_int_equal(take_all(metrics, 1), 1);
	/* two samples of one die and one of the other, which covers 3 ms */
	assert_int_equal(value->running, 3000000);
	assert_true(fabs(value->value - (2 * bytes_of(0) + bytes_of(1)) / 3000) < 1e-6);
	/* no sample is counted twice */
	fake_sample(0);
	assert_int_equal(take_all(metrics, 0), 0);
	fake_sample(1);
	assert_int_equal(take_all(metrics, 1), 1);
	assert_int_equal(value->running, 2000000);
	assert_true(fabs(value->value - (bytes_of(0) + bytes_of(1)) / 2000) < 1e-6);
	rings_close();
}

static void put_gap(unsigned int die, uint32_t reason)
{
	struct ucore_gap gap = {
		.hdr = { UCORE_RECORD_GAP, sizeof(gap), 0 }, .time = fake.time, .domain = die,
		.reason = reason, .cpu_from = 8, .cpu_to = -1, .box = UCORE_ANY,
	};

	fake_put(die, &gap, sizeof(gap));
}

static void offline_die_is_not_waited_for(void **state)
{
	(void)state;
	live_make("memory_bandwidth_read", UCORE_LEVEL_SYSTEM);
	put_gap(1, UCORE_GAP_BOX_DEAD);
	take_all(metrics, 1);
	fake_sample(0);
	assert_int_equal(take_all(metrics, 0), 0);
	put_gap(1, UCORE_GAP_OFFLINE);
	take_all(metrics, 1);
	fake_sample(0);
	assert_int_equal(take_all(metrics, 0), 1);
	put_gap(1, UCORE_GAP_ONLINE);
	fake_sample(1);
	assert_int_equal(take_all(metrics, 1), 0);
	fake_sample(0);
	assert_int_equal(take_all(metrics, 0), 1);
	put_gap(1, UCORE_GAP_SUSPEND);
	take_all(metrics, 1);
	fake_sample(0);
	assert_int_equal(take_all(metrics, 0), 1);
	rings_close();
}

static void first_kept_sample_is_the_base(void **state)
{
	const struct ucore_metric_value *value;

	(void)state;
	live_make("memory_bandwidth_read", UCORE_LEVEL_SOCKET);
	value = ucore_metrics_value(metrics, 0);
	fake.rings[0].seq = 7;
	fake_sample(0);
	assert_int_equal(take_all(metrics, 0), 0);
	fake_sample(0);
	assert_int_equal(take_all(metrics, 0), 1);
	assert_true(fabs(value->value - bytes_of(0) / 1000) < 1e-6);
	rings_close();
}

static void replay_matches_the_live_session(void **state)
{
	const struct ucore_metric_value *live, *again;
	struct ucore_metrics *of_session = NULL;
	struct ucore_file_entry entry;
	const void *data;

	(void)state;
	live_make("memory_bandwidth_read", UCORE_LEVEL_BOX);
	of_session = metrics;
	for (unsigned int i = 0; i < 5; i++)
		for (unsigned int die = 0; die < 2; die++)
			fake_sample(die);
	file_make();
	replay_make();
	assert_int_equal(attach("memory_bandwidth_read", UCORE_LEVEL_BOX), 0);
	assert_int_equal(ucore_file_header(file)->cores, 6);
	while (ucore_file_next(file, &entry, &data, &err) > 0) {
		if (entry.kind != UCORE_FILE_RECORD)
			continue;
		assert_int_equal(ucore_metrics_take(metrics, entry.domain, data), 4);
		assert_int_equal(ucore_metrics_take(of_session, entry.domain, data), 4);
		for (size_t i = 0; (live = ucore_metrics_value(of_session, i)); i++) {
			again = ucore_metrics_value(metrics, i);
			assert_int_equal(live->fresh, again->fresh);
			if (live->fresh)
				assert_true(live->value == again->value && live->value > 0);
			assert_int_equal(live->die, again->die);
			assert_int_equal(live->instance, again->instance);
		}
	}
	rings_close();
	ucore_metrics_free(of_session);
}

/* A file with an event on a box that it does not contain */
static void inconsistent_file_is_refused(void **state)
{
	uint32_t instance = 99;
	size_t at;
	FILE *stream;

	(void)state;
	session = session_get(dev, &config, "imc/CAS_COUNT.RD/", NULL);
	rings_open();
	file_make();
	rings_close();
	assert_int_equal(ucore_file_open(path, &file, &err), 0);
	at = sizeof(struct ucore_file_header) +
	     ucore_file_header(file)->nr_domains * sizeof(struct ucore_file_domain) +
	     ucore_file_header(file)->nr_boxes * sizeof(struct ucore_file_box) +
	     ucore_file_header(file)->nr_fields * sizeof(struct ucore_file_field) +
	     offsetof(struct ucore_file_event, instance);
	ucore_file_close(file);
	stream = fopen(path, "r+");
	assert_int_equal(fseek(stream, (long)at, SEEK_SET), 0);
	assert_int_equal(fwrite(&instance, sizeof(instance), 1, stream), 1);
	fclose(stream);
	assert_int_equal(ucore_file_open(path, &file, &err), 0);
	assert_fails(ucore_replay_open(file, &replay, &err), EBADMSG,
		     "an event refers to an unknown box");
	replay = NULL;
}

static const struct CMUnitTest tests[] = {
	TEST_REPLAY(recorded_events_are_found_by_value),
	TEST_REPLAY(unrecorded_events_are_refused),
	TEST_REPLAY(socket_value_follows_each_sample),
	TEST_REPLAY(system_value_waits_for_all_sockets),
	TEST_REPLAY(offline_die_is_not_waited_for),
	TEST_REPLAY(first_kept_sample_is_the_base),
	TEST_REPLAY(replay_matches_the_live_session),
	TEST_REPLAY(inconsistent_file_is_refused),
};

UNIT_MAIN(tests)
