// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions: what the counters did between two edges, by name and thread, for one READ at
 * most and no allocation.
 */
#include <math.h>
#include <pthread.h>

#include "unit.h"

static struct ucore_device *dev;
static struct ucore_session *session;
static struct ucore_regions *regions;

static int setup(void **state)
{
	fake_setup(state);
	dev = device_get();
	session = session_get(dev, NULL, "imc/CAS_COUNT.RD/", "cbo0/CLOCKTICKS,die=1/", NULL);
	return ucore_regions_create(session, 0, 0, &regions, &err) ||
	       ucore_session_start(session, &err);
}

static int teardown(void **state)
{
	ucore_regions_free(regions);
	regions = NULL;
	ucore_session_destroy(session);
	ucore_device_close(dev);
	return fake_teardown(state);
}

#define TEST_REGIONS(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

static unsigned int reads(void)
{
	return fake.calls[_IOC_NR(UCORE_READ)];
}

/* ---- allocations, which the linker leads here --------------------------- */

static unsigned int nr_allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
	nr_allocations++;
	return __real_malloc(size);
}

/* This one fails, from 1; 0: none */
static unsigned int fail_calloc;

void *__wrap_calloc(size_t nr, size_t size)
{
	nr_allocations++;
	if (fail_calloc && !--fail_calloc)
		return NULL;
	return __real_calloc(nr, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	nr_allocations++;
	return __real_realloc(old, size);
}

/* ---- what a region is --------------------------------------------------- */

/*
 * The counters moved by so many steps of the fake, which takes one at each READ.  A step
 * is a second, of which the counters count 0.9 s.
 */
static void assert_region(const struct ucore_region *region, const char *name, uint64_t count,
			  unsigned int steps)
{
	const struct ucore_delta_value *values;
	size_t nr;

	assert_non_null(region);
	assert_string_equal(ucore_region_name(region), name);
	assert_int_equal(ucore_region_count(region), count);
	assert_int_equal(ucore_region_time(region), steps * 1000000000ULL);
	values = ucore_delta_values(ucore_region_delta(region), &nr);
	assert_int_equal(nr, 9);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(values[i].count, steps * fake_step(&fake.events[i]));
		assert_int_equal(values[i].enabled, steps * 1000000000ULL);
		assert_int_equal(values[i].running, steps * 900000000ULL);
	}
}

static void edges(const char *name)
{
	assert_int_equal(ucore_region_begin(name), 0);
	assert_int_equal(ucore_region_end(name), 0);
}

static void a_region_has_what_moved_within(void **state)
{
	struct ucore_snapshot snap;

	(void)state;
	assert_int_equal(ucore_regions_join(regions, &err), 0);
	assert_null(ucore_regions_at(regions, 0));
	edges("solve");
	/* what is between two regions belongs to none */
	for (int i = 0; i < 5; i++)
		assert_int_equal(ucore_session_read(session, 0, &snap, &err), 0);
	assert_int_equal(ucore_region_begin("solve"), 0);
	assert_int_equal(ucore_session_read(session, 0, &snap, &err), 0);
	assert_int_equal(ucore_region_end("solve"), 0);
	assert_region(ucore_regions_at(regions, 0), "solve", 2, 1 + 2);
	assert_int_equal(ucore_region_thread(ucore_regions_at(regions, 0)), 0);
	assert_null(ucore_regions_at(regions, 1));
}

static void an_edge_is_one_read_and_no_allocation(void **state)
{
	unsigned int before;

	(void)state;
	assert_int_equal(ucore_regions_join(regions, &err), 0);
	nr_allocations = 0;
	for (unsigned int i = 0; i < 3; i++) {
		before = reads();
		assert_int_equal(ucore_region_begin("a"), 0);
		assert_int_equal(reads(), before + 1);
		assert_int_equal(ucore_region_begin("b"), 0);
		assert_int_equal(reads(), before + 2);
		assert_int_equal(ucore_region_end("b"), 0);
		assert_int_equal(reads(), before + 3);
		assert_int_equal(ucore_region_end("a"), 0);
		assert_int_equal(reads(), before + 4);
	}
	assert_int_equal(nr_allocations, 0);
}

static void regions_within_regions(void **state)
{
	(void)state;
	assert_int_equal(ucore_regions_join(regions, &err), 0);
	assert_int_equal(ucore_region_begin("outer"), 0);
	edges("inner");
	edges("inner");
	assert_int_equal(ucore_region_end("outer"), 0);
	assert_region(ucore_regions_at(regions, 0), "outer", 1, 5);
	assert_region(ucore_regions_at(regions, 1), "inner", 2, 2);
}

/* Time that is within it twice is counted once */
static void a_region_within_itself(void **state)
{
	unsigned int before;

	(void)state;
	assert_int_equal(ucore_regions_join(regions, &err), 0);
	assert_int_equal(ucore_region_begin("walk"), 0);
	before = reads();
	edges("walk");
	assert_int_equal(reads(), before);
	assert_int_equal(ucore_region_begin("walk"), 0);
	edges("leaf");
	assert_int_equal(ucore_region_end("walk"), 0);
	assert_int_equal(ucore_region_end("walk"), 0);
	assert_region(ucore_regions_at(regions, 0), "walk", 3, 3);
	assert_region(ucore_regions_at(regions, 1), "leaf", 1, 1);
}

static void metrics_of_a_region(void **state)
{
	const struct ucore_metric_value *value;
	struct ucore_metrics *metrics;
	struct ucore_regions *with;
	double wanted;

	(void)state;
	assert_int_equal(ucore_session_stop(session, &err), 0);
	assert_int_equal(ucore_metrics_create(dev, &metrics, &err), 0);
	assert_int_equal(ucore_metrics_choose(metrics,
					      "rate={cbo0/CLOCKTICKS,die=1/}/seconds", &err), 0);
	assert_int_equal(ucore_metrics_attach(metrics, session, UCORE_LEVEL_SYSTEM, &err), 0);
	assert_int_equal(ucore_regions_create(session, 0, 1, &with, &err), 0);
	assert_int_equal(ucore_session_start(session, &err), 0);
	assert_int_equal(ucore_regions_join(with, &err), 0);
	edges("solve");
	ucore_metrics_evaluate(metrics, ucore_region_delta(ucore_regions_at(with, 0)));
	value = ucore_metrics_value(metrics, 0);
	wanted = (double)fake_step(&fake.events[fake.nr_events - 1]) / 0.9;
	assert_true(fabs(value->value - wanted) <= 1e-9 * wanted);
	ucore_regions_free(with);
	ucore_metrics_free(metrics);
}

static void live_reads(void **state)
{
	struct ucore_regions *live;

	(void)state;
	assert_int_equal(ucore_regions_create(session, ~0U, 0, &live, &err), 0);
	assert_int_equal(ucore_regions_join(live, &err), 0);
	/* the flags reach the driver, which refuses what it does not know */
	assert_int_equal(ucore_region_begin("a"), -EINVAL);
	ucore_regions_free(live);
}

/* ---- threads ------------------------------------------------------------ */

/* In a thread of its own, to its end: the fake knows no locks */
static void thread_run(void *(*function)(void *), const char *name)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, function, (void *)(uintptr_t)name), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void *joined_edges(void *name)
{
	struct ucore_error why;

	/* neither what another thread has joined nor what it has begun is this one's */
	assert_int_equal(ucore_region_begin(name), -ESRCH);
	assert_int_equal(ucore_regions_join(regions, &why), 0);
	assert_int_equal(ucore_region_end("main"), -EINVAL);
	edges(name);
	edges("common");
	return NULL;
}

static void each_thread_has_its_own(void **state)
{
	(void)state;
	assert_int_equal(ucore_regions_join(regions, &err), 0);
	assert_int_equal(ucore_region_begin("main"), 0);
	thread_run(joined_edges, "first");
	thread_run(joined_edges, "second");
	assert_int_equal(ucore_region_end("main"), 0);
	assert_region(ucore_regions_at(regions, 0), "main", 1, 9);
	assert_region(ucore_regions_at(regions, 1), "first", 1, 1);
	assert_region(ucore_regions_at(regions, 2), "common", 1, 1);
	assert_region(ucore_regions_at(regions, 3), "second", 1, 1);
	assert_region(ucore_regions_at(regions, 4), "common", 1, 1);
	assert_int_equal(ucore_region_thread(ucore_regions_at(regions, 2)), 1);
	assert_int_equal(ucore_region_thread(ucore_regions_at(regions, 4)), 2);
	assert_null(ucore_regions_at(regions, 5));
}

static void joining_and_leaving(void **state)
{
	struct ucore_regions *others;
	unsigned int before = reads();

	(void)state;
	assert_int_equal(ucore_region_begin("a"), -ESRCH);
	assert_int_equal(ucore_region_end("a"), -ESRCH);
	assert_int_equal(reads(), before);
	assert_int_equal(ucore_regions_create(session, 0, 0, &others, &err), 0);
	assert_int_equal(ucore_regions_join(regions, &err), 0);
	assert_fails(ucore_regions_join(regions, &err), EALREADY, "leave them first");
	assert_fails(ucore_regions_join(others, &err), EBUSY, "leave them first");
	edges("a");
	assert_int_equal(ucore_region_begin("dropped"), 0);
	ucore_regions_leave();
	assert_int_equal(ucore_region_end("dropped"), -ESRCH);
	assert_int_equal(ucore_regions_join(others, &err), 0);
	edges("b");
	/* what the thread is in goes, and it may join again */
	ucore_regions_free(others);
	assert_int_equal(ucore_region_begin("b"), -ESRCH);
	assert_int_equal(ucore_regions_join(regions, &err), 0);
	edges("a");
	assert_region(ucore_regions_at(regions, 0), "a", 1, 1);
	assert_region(ucore_regions_at(regions, 1), "dropped", 0, 0);
	assert_region(ucore_regions_at(regions, 2), "a", 1, 1);
	assert_int_equal(ucore_region_thread(ucore_regions_at(regions, 2)), 1);
	ucore_regions_free(NULL);
}

/* ---- what goes wrong ---------------------------------------------------- */

static void names_and_depth_are_limited(void **state)
{
	char name[UCORE_REGION_NAME_LEN + 1] = "";
	struct ucore_regions *few;

	(void)state;
	assert_fails(ucore_regions_create(session, 0, 4097, &few, &err), ERANGE, "4097|4096");
	assert_int_equal(ucore_regions_create(session, 0, 2, &few, &err), 0);
	assert_int_equal(ucore_regions_join(few, &err), 0);
	assert_int_equal(ucore_region_begin(""), -ENAMETOOLONG);
	memset(name, 'x', sizeof(name) - 1);
	assert_int_equal(ucore_region_begin(name), -ENAMETOOLONG);
	name[UCORE_REGION_NAME_LEN - 1] = 0;
	edges(name);
	edges("two");
	assert_int_equal(ucore_region_begin("three"), -ENOSPC);
	for (int i = 0; i < UCORE_REGION_DEPTH; i++)
		assert_int_equal(ucore_region_begin("two"), 0);
	assert_int_equal(ucore_region_begin("two"), -EOVERFLOW);
	assert_int_equal(ucore_region_end(name), -EINVAL);
	for (int i = 0; i < UCORE_REGION_DEPTH; i++)
		assert_int_equal(ucore_region_end("two"), 0);
	assert_int_equal(ucore_region_end("two"), -EINVAL);
	assert_region(ucore_regions_at(few, 1), "two", 1 + UCORE_REGION_DEPTH, 2);
	assert_null(ucore_regions_at(few, 2));
	ucore_regions_free(few);
}

static void a_read_that_fails(void **state)
{
	(void)state;
	assert_int_equal(ucore_regions_join(regions, &err), 0);
	fake.fail_command = _IOC_NR(UCORE_READ);
	fake.fail_errno = EIO;
	assert_int_equal(ucore_region_begin("a"), -EIO);
	assert_int_equal(ucore_region_end("a"), -EINVAL);
	fake.fail_command = ~0U;
	assert_int_equal(ucore_region_begin("a"), 0);
	fake.fail_command = _IOC_NR(UCORE_READ);
	assert_int_equal(ucore_region_end("a"), -EIO);
	fake.fail_command = ~0U;
	assert_int_equal(ucore_region_end("a"), -EINVAL);
	edges("a");
	/* a driver that forgets an event is not believed */
	assert_int_equal(ucore_region_begin("a"), 0);
	fake.events[3].id += 999;
	assert_int_equal(ucore_region_end("a"), -EPROTO);
	fake.events[3].id -= 999;
	assert_region(ucore_regions_at(regions, 0), "a", 1, 1);
}

static void a_session_that_has_changed(void **state)
{
	struct ucore_regions *late;

	(void)state;
	assert_int_equal(ucore_regions_create(session, 0, 0, &late, &err), 0);
	assert_int_equal(ucore_regions_join(regions, &err), 0);
	assert_int_equal(ucore_region_begin("a"), 0);
	assert_int_equal(ucore_session_stop(session, &err), 0);
	assert_int_equal(ucore_session_add_list(session, "imc/CAS_COUNT.WR/", &err), 0);
	assert_int_equal(ucore_region_end("a"), -ESTALE);
	assert_int_equal(ucore_region_begin("a"), -ESTALE);
	ucore_regions_leave();
	assert_fails(ucore_regions_join(late, &err), ESTALE, "have changed");
	ucore_regions_free(late);
}

/* Each allocation of create and join fails once; nothing is lost (the sanitizer looks) */
static void out_of_memory(void **state)
{
	struct ucore_regions *little;
	unsigned int nr = 0;
	int ret;

	(void)state;
	fail_calloc = 1;
	assert_fails(ucore_regions_create(session, 0, 2, &little, &err), ENOMEM, "out of memory");
	assert_int_equal(ucore_regions_create(session, 0, 2, &little, &err), 0);
	do {
		fail_calloc = ++nr;
		ret = ucore_regions_join(little, &err);
		if (ret) {
			assert_int_equal(ret, -ENOMEM);
			assert_int_equal(ucore_region_begin("a"), -ESRCH);
		}
	} while (ret);
	fail_calloc = 0;
	/* a thread, its names and values, 17 readings and 3 deltas, of several parts each */
	assert_true(nr > 3 + 17 * 2 + 3 * 3);
	edges("a");
	assert_region(ucore_regions_at(little, 0), "a", 1, 1);
	assert_int_equal(ucore_region_thread(ucore_regions_at(little, 0)), 0);
	ucore_regions_free(little);
}

static const struct CMUnitTest tests[] = {
	TEST_REGIONS(a_region_has_what_moved_within),
	TEST_REGIONS(an_edge_is_one_read_and_no_allocation),
	TEST_REGIONS(regions_within_regions),
	TEST_REGIONS(a_region_within_itself),
	TEST_REGIONS(metrics_of_a_region),
	TEST_REGIONS(live_reads),
	TEST_REGIONS(each_thread_has_its_own),
	TEST_REGIONS(joining_and_leaving),
	TEST_REGIONS(names_and_depth_are_limited),
	TEST_REGIONS(a_read_that_fails),
	TEST_REGIONS(a_session_that_has_changed),
	TEST_REGIONS(out_of_memory),
};

UNIT_MAIN(tests)
