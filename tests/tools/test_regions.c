// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions: deltas between begin and end, by name and thread, with one READ at
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

/* number of the allocation that fails, from 1 (0: none) */
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

/* ---- results of regions ------------------------------------------------- */

/*
 * Check the results of a region that covers @steps steps of the fake device.  Each READ is one
 * step of a second, of which the counters run 0.9 s.
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

static void region_counts_what_happened_within(void **state)
{
	struct ucore_snapshot snap;

	(void)state;
	assert_int_equal(ucore_regions_join(regions, &err), 0);
	assert_null(ucore_regions_at(regions, 0));
	edges("solve");
	/* counts between two regions belong to none */
	for (int i = 0; i < 5; i++)
		assert_int_equal(ucore_session_read(session, 0, &snap, &err), 0);
	assert_int_equal(ucore_region_begin("solve"), 0);
	assert_int_equal(ucore_session_read(session, 0, &snap, &err), 0);
	assert_int_equal(ucore_region_end("solve"), 0);
	assert_region(ucore_regions_at(regions, 0), "solve", 2, 1 + 2);
	assert_int_equal(ucore_region_thread(ucore_regions_at(regions, 0)), 0);
	assert_null(ucore_regions_at(regions, 1));
}

static void begin_and_end_make_one_read(void **state)
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

static void nested_regions_are_measured(void **state)
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

/* Time in a region within itself is counted once */
static void recursive_region_is_measured_once(void **state)
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

static void region_delta_gives_metrics(void **state)
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

static void flags_reach_the_driver(void **state)
{
	struct ucore_regions *live;

	(void)state;
	assert_int_equal(ucore_regions_create(session, ~0U, 0, &live, &err), 0);
	assert_int_equal(ucore_regions_join(live, &err), 0);
	/* the flags reach the driver, which refuses unknown ones */
	assert_int_equal(ucore_region_begin("a"), -EINVAL);
	ucore_regions_free(live);
}

/* ---- threads ------------------------------------------------------------ */

/* Run a function in a new thread and wait for its end, because the fake has no locks */
static void thread_run(void *(*function)(void *), const char *name)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, function, (void *)(uintptr_t)name), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void *joined_edges(void *name)
{
	struct ucore_error why;

	/* joining and beginning in another thread does not affect this thread */
	assert_int_equal(ucore_region_begin(name), -ESRCH);
	assert_int_equal(ucore_regions_join(regions, &why), 0);
	assert_int_equal(ucore_region_end("main"), -EINVAL);
	edges(name);
	edges("common");
	return NULL;
}

static void threads_have_separate_regions(void **state)
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

static void join_and_leave_change_the_state(void **state)
{
	struct ucore_regions *others;
	unsigned int before = reads();

	(void)state;
	assert_int_equal(ucore_region_begin("a"), -ESRCH);
	assert_int_equal(ucore_region_end("a"), -ESRCH);
	assert_int_equal(reads(), before);
	assert_int_equal(ucore_regions_create(session, 0, 0, &others, &err), 0);
	assert_int_equal(ucore_regions_join(regions, &err), 0);
	assert_fails(ucore_regions_join(regions, &err), EALREADY, "Leave the other regions first");
	assert_fails(ucore_regions_join(others, &err), EBUSY, "Leave the other regions first");
	edges("a");
	assert_int_equal(ucore_region_begin("dropped"), 0);
	ucore_regions_leave();
	assert_int_equal(ucore_region_end("dropped"), -ESRCH);
	assert_int_equal(ucore_regions_join(others, &err), 0);
	edges("b");
	/* leaving drops open regions, and the thread can join again */
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

static void failed_read_drops_the_region(void **state)
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
	/* a READ without the value of an event is refused */
	assert_int_equal(ucore_region_begin("a"), 0);
	fake.events[3].id += 999;
	assert_int_equal(ucore_region_end("a"), -EPROTO);
	fake.events[3].id -= 999;
	assert_region(ucore_regions_at(regions, 0), "a", 1, 1);
}

static void changed_session_is_refused(void **state)
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

/* Each allocation of create and join fails once; the sanitizer checks for leaks */
static void allocation_failure_is_reported(void **state)
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
	/* allocations for a thread, names, values, 17 readings and 3 deltas */
	assert_true(nr > 3 + 17 * 2 + 3 * 3);
	edges("a");
	assert_region(ucore_regions_at(little, 0), "a", 1, 1);
	assert_int_equal(ucore_region_thread(ucore_regions_at(little, 0)), 0);
	ucore_regions_free(little);
}

static const struct CMUnitTest tests[] = {
	TEST_REGIONS(region_counts_what_happened_within),
	TEST_REGIONS(begin_and_end_make_one_read),
	TEST_REGIONS(nested_regions_are_measured),
	TEST_REGIONS(recursive_region_is_measured_once),
	TEST_REGIONS(region_delta_gives_metrics),
	TEST_REGIONS(flags_reach_the_driver),
	TEST_REGIONS(threads_have_separate_regions),
	TEST_REGIONS(join_and_leave_change_the_state),
	TEST_REGIONS(names_and_depth_are_limited),
	TEST_REGIONS(failed_read_drops_the_region),
	TEST_REGIONS(changed_session_is_refused),
	TEST_REGIONS(allocation_failure_is_reported),
};

UNIT_MAIN(tests)
