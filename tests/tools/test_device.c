// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Device: open, failures, and the description of the machine.
 */
#include <stdlib.h>

#include "unit.h"

static void device_open_reads_the_machine(void **state)
{
	struct ucore_device *dev = device_get();
	const struct ucore_box_info *boxes;
	const struct ucore_domain_info *domains;
	size_t nr;

	(void)state;
	boxes = ucore_device_boxes(dev, &nr);
	assert_int_equal(nr, 34);
	assert_string_equal(boxes[0].type, "cbo");
	domains = ucore_device_domains(dev, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(domains[1].package, 1);
	assert_int_equal(ucore_device_ready(dev, &err), 0);
	assert_ptr_equal(ucore_device_domain(dev, 1), &domains[1]);
	assert_null(ucore_device_domain(dev, 2));
	ucore_device_close(dev);
}

static void device_open_failure_names_the_remedy(void **state)
{
	static const struct { int code; const char *words; } cases[] = {
		{ ENOENT, "/dev/ucore|not loaded|modprobe ucore" },
		{ ENXIO, "/dev/ucore|not loaded|modprobe ucore" },
		{ EACCES, "/dev/ucore|permission denied|root" },
		{ EMFILE, "/dev/ucore|Too many open files" },
	};
	struct ucore_device *dev;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		fake.open_errno = cases[i].code;
		assert_fails(ucore_device_open(NULL, &fake_sys, &dev, &err), cases[i].code,
			     cases[i].words);
	}
	fake.open_errno = ENOENT;
	assert_fails(ucore_device_open("/dev/other", &fake_sys, &dev, &err), ENOENT, "/dev/other");
	assert_int_equal(ucore_device_open(NULL, &fake_sys, &dev, NULL), -ENOENT);
}

static void sessions_are_listed(void **state)
{
	struct ucore_device *dev = device_get();
	struct ucore_session_info *sessions;
	size_t nr;

	(void)state;
	assert_int_equal(ucore_device_sessions(dev, &sessions, &nr, &err), 0);
	assert_int_equal(nr, 0);
	free(sessions);
	/* more sessions than one call returns, and exactly as many */
	for (uint64_t id = 1; id <= 64; id++)
		fake_other(3 * id, 1, 0);
	assert_int_equal(ucore_device_sessions(dev, &sessions, &nr, &err), 0);
	assert_int_equal(nr, 64);
	free(sessions);
	fake_other(200, 0, 2);
	assert_int_equal(ucore_device_sessions(dev, &sessions, &nr, &err), 0);
	assert_int_equal(nr, 65);
	assert_int_equal(sessions[0].session, 3);
	assert_int_equal(sessions[63].session, 192);
	assert_int_equal(sessions[64].nr_pinned, 2);
	free(sessions);
	fake.fail_command = _IOC_NR(UCORE_GET_SESSIONS);
	fake.fail_errno = ENOTTY;
	assert_fails(ucore_device_sessions(dev, &sessions, &nr, &err), ENOTTY, "GET_SESSIONS");
	ucore_device_close(dev);
}

static void session_is_revoked(void **state)
{
	struct ucore_device *dev = device_get();

	(void)state;
	fake_other(5, 1, 0);
	assert_fails(ucore_device_revoke(dev, 6, &err), ENOENT, "session 6: no such session");
	assert_int_equal(ucore_device_revoke(dev, 5, &err), 0);
	assert_int_equal(fake.sessions[0].state, UCORE_SESSION_REVOKED);
	fake.user = true;
	assert_fails(ucore_device_revoke(dev, 5, &err), EPERM, "session 5|CAP_SYS_ADMIN");
	fake.fail_command = _IOC_NR(UCORE_REVOKE_SESSION);
	fake.fail_errno = EINTR;
	assert_fails(ucore_device_revoke(dev, 5, &err), EINTR, "session 5|Interrupted");
	ucore_device_close(dev);
}

static void query_failure_is_reported(void **state)
{
	static const struct { unsigned long command; int code; const char *words; } cases[] = {
		{ UCORE_GET_INFO, ENOTTY, "/dev/ucore: not a ucore device" },
		{ UCORE_GET_INFO, EFAULT, "INFO|Bad address" },
		{ UCORE_GET_DOMAINS, EINVAL, "GET_DOMAINS|Invalid argument" },
		{ UCORE_GET_BOXES, E2BIG, "GET_BOXES" },
	};
	struct ucore_device *dev;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		fake.fail_command = _IOC_NR(cases[i].command);
		fake.fail_errno = cases[i].code;
		assert_fails(ucore_device_open(NULL, &fake_sys, &dev, &err), cases[i].code,
			     cases[i].words);
		assert_int_equal(fake.nr_opens, 0);
	}
}

static void other_device_is_named(void **state)
{
	struct ucore_device *dev;

	(void)state;
	assert_fails(ucore_device_open("/dev/null", ucore_sys_default(), &dev, &err), ENOTTY,
		     "/dev/null: not a ucore device. Use /dev/ucore");
}

static void older_driver_abi_is_refused(void **state)
{
	struct ucore_device *dev;

	(void)state;
	fake.abi = 0;
	assert_fails(ucore_device_open(NULL, &fake_sys, &dev, &err), EPROTO, "ABI version 0|same release");
}

static void newer_driver_abi_is_accepted(void **state)
{
	(void)state;
	fake.abi = UCORE_ABI_VERSION + 1;
	ucore_device_close(device_get());
}

static void device_not_ready_reports_the_reason(void **state)
{
	struct ucore_device *dev;

	(void)state;
	fake.state = UCORE_STATE_INTREE;
	strcpy(fake.reason, "intel_uncore holds it: modprobe -r intel_uncore");
	dev = device_get();
	assert_fails(ucore_device_ready(dev, &err), EBUSY, "modprobe -r intel_uncore");
	fake.state = UCORE_STATE_HIDDEN;
	strcpy(fake.reason, "a virtual machine");
	assert_int_equal(ucore_device_refresh(dev, &err), 0);
	assert_fails(ucore_device_ready(dev, &err), ENODEV, "a virtual machine");
	ucore_device_close(dev);
}

static void reason_control_characters_are_replaced(void **state)
{
	struct ucore_device *dev;

	(void)state;
	fake.state = UCORE_STATE_UNKNOWN;
	strcpy(fake.reason, "red \033[31m");
	dev = device_get();
	assert_fails(ucore_device_ready(dev, &err), ENODEV, "red ?[31m");
	ucore_device_close(dev);
}

static void links_are_queried_once(void **state)
{
	const struct ucore_link_info *ends;
	struct ucore_device *dev;

	(void)state;
	fake_machine("skx", 2);
	dev = device_get();
	assert_int_equal(ucore_device_links(dev, &ends, &err), 0);
	assert_int_equal(ends[28].kind, UCORE_LINK_BUS);
	assert_int_equal(ends[29].box, 29);
	assert_int_equal(ends[29].bus, 0x10);
	assert_int_equal(ucore_device_links(dev, &ends, &err), 0);
	assert_int_equal(fake.calls[_IOC_NR(UCORE_GET_LINKS)], 1);
	assert_int_equal(ucore_device_refresh(dev, &err), 0);
	assert_int_equal(ucore_device_links(dev, &ends, &err), 0);
	assert_int_equal(fake.calls[_IOC_NR(UCORE_GET_LINKS)], 2);
	ucore_device_close(dev);
}

static void links_of_older_driver_are_none(void **state)
{
	const struct ucore_link_info *ends;
	struct ucore_device *dev;

	(void)state;
	fake_machine("skx", 1);
	fake.old = true;
	dev = device_get();
	assert_int_equal(ucore_device_links(dev, &ends, &err), 0);
	assert_int_equal(ends[28].kind, UCORE_LINK_NONE);
	ucore_device_close(dev);
	fake.old = false;
	fake.fail_command = _IOC_NR(UCORE_GET_LINKS);
	fake.fail_errno = EIO;
	dev = device_get();
	assert_fails(ucore_device_links(dev, &ends, &err), EIO, "GET_LINKS");
	ucore_device_close(dev);
}

static void ports_of_a_stack_are_listed(void **state)
{
	struct ucore_port_info ports[4] = { 0 };
	struct ucore_device *dev;
	uint32_t box;

	(void)state;
	fake_machine("spr", 1);
	box = fake_box("iio", 0, 0);
	dev = device_get();
	assert_int_equal(ucore_device_ports(dev, box, ports, 2, &err), 3);
	assert_int_equal(ports[1].device, 2);
	assert_int_equal(ports[2].ports, 0);
	assert_int_equal(ucore_device_ports(dev, box, ports, 4, &err), 3);
	assert_int_equal(ports[2].bus, 0x6b);
	assert_int_equal(ucore_device_ports(dev, fake_box("cha", 0, 0), ports, 4, &err), 0);
	assert_fails(ucore_device_ports(dev, 100000, ports, 4, &err), ENOENT, "GET_PORTS");
	fake.old = true;
	assert_int_equal(ucore_device_ports(dev, box, ports, 4, &err), 0);
	ucore_device_close(dev);
}

static void fields_are_queried_once_per_type(void **state)
{
	struct ucore_device *dev = device_get();
	const struct ucore_field_info *fields;
	unsigned int calls;
	size_t nr;

	(void)state;
	assert_int_equal(ucore_device_fields(dev, 0, &fields, &nr, &err), 0);
	assert_true(nr > 3);
	calls = fake.calls[_IOC_NR(UCORE_GET_FIELDS)];
	assert_int_equal(ucore_device_fields(dev, 1, &fields, &nr, &err), 0);
	assert_int_equal(fake.calls[_IOC_NR(UCORE_GET_FIELDS)], calls);
	assert_fails(ucore_device_fields(dev, 34, &fields, &nr, &err), ENOENT, "box 34: no such box");
	fake.fail_command = _IOC_NR(UCORE_GET_FIELDS);
	fake.fail_errno = EFAULT;
	assert_fails(ucore_device_fields(dev, 4, &fields, &nr, &err), EFAULT, "GET_FIELDS|ubox");
	ucore_device_close(dev);
}

static void domain_id_differs_from_die(void **state)
{
	const struct ucore_domain_info *domain;
	struct ucore_device *dev;
	const struct ucore_box_info *boxes;
	char name[UCORE_DOMAIN_NAME_LEN];
	size_t nr;

	(void)state;
	fake_only_die(1);
	fake_cpus(3);
	dev = device_get();
	ucore_device_domains(dev, &nr);
	assert_int_equal(nr, 4);
	domain = ucore_device_domain(dev, 0);
	assert_int_equal(domain->scope, UCORE_SCOPE_DIE);
	ucore_domain_name(domain->die, domain->cpu, name, sizeof(name));
	assert_string_equal(name, "die 1");
	domain = ucore_device_domain(dev, 3);
	assert_int_equal(domain->scope, UCORE_SCOPE_CPU);
	ucore_domain_name(domain->die, domain->cpu, name, sizeof(name));
	assert_string_equal(name, "cpu 10");
	boxes = ucore_device_boxes(dev, &nr);
	assert_int_equal(boxes[nr - 1].domain, 3);
	ucore_device_close(dev);
}

static const struct CMUnitTest tests[] = {
	TEST(domain_id_differs_from_die),
	TEST(device_open_reads_the_machine),
	TEST(device_open_failure_names_the_remedy),
	TEST(sessions_are_listed),
	TEST(session_is_revoked),
	TEST(query_failure_is_reported),
	TEST(other_device_is_named),
	TEST(older_driver_abi_is_refused),
	TEST(newer_driver_abi_is_accepted),
	TEST(device_not_ready_reports_the_reason),
	TEST(reason_control_characters_are_replaced),
	TEST(links_are_queried_once),
	TEST(links_of_older_driver_are_none),
	TEST(ports_of_a_stack_are_listed),
	TEST(fields_are_queried_once_per_type),
};

UNIT_MAIN(tests)
