// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's own intel_uncore driver holds the hardware:
 *
 *	uapi_intree busy	it does so now
 *	uapi_intree arrives	it is loaded after "ready", and then there is /tmp/loaded;
 *				unloaded after "refused", and there is /tmp/unloaded
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

static void busy(const void *arg)
{
	(void)arg;
	expect_refusals();
}

/* A session without boxes does not keep it away, and may not add any then */
static void arrives(const void *arg)
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
	{ "busy", busy, 0, 0 },
	{ "arrives", arrives, 0, 0 },
};

int main(int argc, char **argv)
{
	return argc < 2 ? 2 : run_tests(tests, ARRAY_SIZE(tests), argc, argv);
}
