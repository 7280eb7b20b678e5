// SPDX-License-Identifier: GPL-2.0-only
/* /dev/ucore on a machine without boxes.  Usage: uapi_none STATE-NUMBER */
#include "session.h"

static uint32_t want_state;

static void info_reports_why_no_boxes(const void *arg)
{
	struct ucore_get_info info = { .size = sizeof(info) };

	(void)arg;
	do_command(device_open(), UCORE_GET_INFO, &info);
	expect_eq(info.abi, UCORE_ABI_VERSION);
	expect_eq(info.state, want_state);
	expect_eq(info.nr_domains | info.nr_boxes | info.nr_counters, 0);
	expect(strnlen(info.reason, sizeof(info.reason)) > 10 &&
	       strnlen(info.reason, sizeof(info.reason)) < sizeof(info.reason),
	       "reason: '%.160s'", info.reason);
	printf("# %.160s\n", info.reason);
}

static void lists_are_empty(const void *arg)
{
	struct ucore_domain_info domain;
	struct ucore_box_info box;
	struct ucore_get_domains domains = {
		.size = sizeof(domains), .nr = 1, .domains = address(&domain),
	};
	struct ucore_get_boxes boxes = { .size = sizeof(boxes), .nr = 1, .boxes = address(&box) };

	(void)arg;
	memset(&domain, POISON, sizeof(domain));
	memset(&box, POISON, sizeof(box));
	do_command(device_open(), UCORE_GET_DOMAINS, &domains);
	do_command(device_open(), UCORE_GET_BOXES, &boxes);
	expect_eq(domains.nr | domains.total | boxes.nr | boxes.total, 0);
	expect(memory_differs(&domain, POISON, sizeof(domain)) < 0, "a domain was written");
	expect(memory_differs(&box, POISON, sizeof(box)) < 0, "a box was written");
}

static void tables_are_empty(const void *arg)
{
	(void)arg;
	expect_no_tables();
}

static void fields_are_refused(const void *arg)
{
	struct ucore_get_fields get = { .size = sizeof(get) };

	(void)arg;
	expect_rc(try_command(device_open(), UCORE_GET_FIELDS, &get), ENOENT);
}

static void session_is_refused(const void *arg)
{
	struct ucore_create_session create = { .size = sizeof(create), .fd = -12345 };

	(void)arg;
	expect_rc(try_command(device_open(), UCORE_CREATE_SESSION, &create), ENODEV);
	expect_eq(create.fd, -12345);
	/* invalid arguments are also refused without boxes */
	expect_rc(try_create(1, 0, 0), ERANGE);
	create.flags = 1U << 31;
	expect_rc(try_command(device_open(), UCORE_CREATE_SESSION, &create), EINVAL);
	expect_rc(try_start(device_open()), ENOTTY);
}

static const struct test tests[] = {
	{ "info_reports_why_no_boxes", info_reports_why_no_boxes, 0, 0 },
	{ "lists_are_empty", lists_are_empty, 0, 0 },
	{ "tables_are_empty", tables_are_empty, 0, 0 },
	{ "fields_are_refused", fields_are_refused, 0, 0 },
	{ "session_is_refused", session_is_refused, 0, 0 },
};

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	want_state = atoi(argv[1]);
	return run_tests(tests, ARRAY_SIZE(tests), argc - 1, argv + 1);
}
