// SPDX-License-Identifier: GPL-2.0-only
/*
 * The commands while Linux's in-tree driver intel_uncore owns the boxes.  The argument names
 * the subtest that fits the state of that driver:
 *
 *	loaded_intree_driver_refuses_sessions		it is loaded
 *	intree_driver_loaded_later_refuses_events	the caller loads it after the line "ready"
 *							and creates /tmp/loaded, then unloads it
 *							after "refused" and creates /tmp/unloaded
 */
#include "session.h"

static void expect_refusals(void)
{
	struct ucore_get_info info = { .size = sizeof(info) };
	struct ucore_create_session create = { .size = sizeof(create), .fd = -12345 };
	int device = device_open();

	do_command(device, UCORE_GET_INFO, &info);
	expect_eq(info.state, UCORE_STATE_INTREE);
	expect(strstr(info.reason, "modprobe -r intel_uncore"), "reason: %.160s", info.reason);
	expect_rc(try_command(device, UCORE_CREATE_SESSION, &create), EBUSY);
	expect_eq(create.fd, -12345);
}

static void loaded_intree_driver_refuses_sessions(const void *arg)
{
	(void)arg;
	expect_refusals();
}

/* A session without boxes does not block the in-tree driver, and can add no event afterwards */
static void intree_driver_loaded_later_refuses_events(const void *arg)
{
	uint32_t imc = box_find("imc", 0);
	int session = session_create(0, 0, 0);

	(void)arg;
	printf("ready\n");
	fflush(stdout);
	wait_for(!access("/tmp/loaded", F_OK));
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4)), 0, 0), EBUSY);
	expect_eq(session_status(session).nr_events, 0);
	expect_refusals();
	printf("refused\n");
	fflush(stdout);
	wait_for(!access("/tmp/unloaded", F_OK));
	add_cas_reads(session, imc, 0);
	session_start(session);
	wait_for(session_count(session) > 1000);
}

static const struct test tests[] = {
	{ "loaded_intree_driver_refuses_sessions", loaded_intree_driver_refuses_sessions, 0, 0 },
	{ "intree_driver_loaded_later_refuses_events",
	  intree_driver_loaded_later_refuses_events, 0, 0 },
};

int main(int argc, char **argv)
{
	return argc < 2 ? 2 : run_tests(tests, ARRAY_SIZE(tests), argc, argv);
}
