// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions with UCORE_EVENTS_MAX events, in as many groups as necessary. The machine must have
 * more than UCORE_EVENTS_MAX / UCORE_GROUP_MAX counters.
 */
#include "session.h"

#define ROTATE_NS	1000000000ULL	/* a time slice programs hundreds of counters */

static struct ucore_value values[UCORE_EVENTS_MAX];

static int rotating(void)
{
	int fd = try_create_as((struct ucore_create_session) { .rotate_ns = ROTATE_NS });

	must(fd >= 0, "CREATE_SESSION: %s", error_name(fd));
	return fd;
}

/* Add an event that any counter of most boxes can count; return 0 or -errno */
static int try_group(int session, uint32_t box, uint32_t group)
{
	struct ucore_term term = TERM(EVENT, 0);
	struct ucore_add_event add = {
		.size = sizeof(add), .box = box, .nr_terms = 1, .terms = address(&term),
		.group = group,
	};

	return try_command(session, UCORE_ADD_EVENT, &add);
}

/* Add events to all groups until the session has UCORE_EVENTS_MAX; return the last box */
static uint32_t fill(int session)
{
	static struct ucore_box_info boxes[MAX_BOXES];
	uint32_t nr = boxes_get(boxes), left = UCORE_EVENTS_MAX;

	for (uint32_t group = 1; group <= UCORE_GROUP_MAX; group++)
		for (uint32_t i = 0; i < nr; i++)
			for (uint32_t n = boxes[i].nr_counters; n; n--) {
				int rc = try_group(session, i, group);

				if (rc)
					break;
				if (!--left)
					return i;
			}
	must(!left, "the machine has too few counters: %u events are missing", left);
	return 0;
}

static void expect_values(int session, uint32_t nr)
{
	static struct ucore_read_domain domains[MAX_DOMAINS];
	struct ucore_read read = {
		.size = sizeof(read), .nr_values = UCORE_EVENTS_MAX, .nr_domains = MAX_DOMAINS,
		.values = address(values), .domains = address(domains),
	};

	do_command(session, UCORE_READ, &read);
	expect_eq(read.nr_values, nr);
	for (uint32_t i = 1; i < read.nr_values; i++)
		must(values[i].event > values[i - 1].event, "event %u follows event %u",
		     values[i].event, values[i - 1].event);
}

/* Each session that follows has the same counters: none is left behind */
static void events_of_a_session_are_limited(const void *arg)
{
	(void)arg;
	for (unsigned int times = 0; times < 2; times++) {
		int session = rotating();
		uint32_t box = fill(session);

		expect_rc(try_group(session, box, UCORE_GROUP_MAX), ENOSPC);
		session_start(session);
		expect_values(session, UCORE_EVENTS_MAX);
		expect_rc(try_group(session, box, UCORE_GROUP_MAX), EBUSY);
		session_stop(session);
		/* one event ends, and one more can be added */
		expect_rc(try_remove(session, values[100].event), 0);
		expect_values(session, UCORE_EVENTS_MAX - 1);
		expect_rc(try_group(session, box, UCORE_GROUP_MAX), 0);
		expect_rc(try_group(session, box, UCORE_GROUP_MAX), ENOSPC);
		close(session);
	}
}

static const struct test tests[] = {
	{ "events_of_a_session_are_limited", events_of_a_session_are_limited, 0, 0 },
};

int main(int argc, char **argv)
{
	return run_tests(tests, ARRAY_SIZE(tests), argc, argv);
}
