// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Session: results, and the explanation of every errno of the uapi.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static struct ucore_device *dev;

static int setup(void **state)
{
	fake_setup(state);
	dev = device_get();
	return 0;
}

static int teardown(void **state)
{
	ucore_device_close(dev);
	return fake_teardown(state);
}

#define TEST_DEV(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

static void fail_at(unsigned long command, int code)
{
	fake.fail_command = _IOC_NR(command);
	fake.fail_errno = code;
	fake.fail_skip = 0;
}

/* ---- create ------------------------------------------------------------ */

static void config_is_checked(void **state)
{
	static const struct { struct ucore_session_config config; const char *words; } cases[] = {
		{ { .timer_ns = 9999 }, "timer: 9999 ns|10us" },
		{ { .timer_ns = 1000000000001 }, "timer" },
		{ { .ring_size = 2048 }, "ring: 2048" },
		{ { .ring_size = 5000 }, "power of two" },
		{ { .ring_size = 1U << 27 }, "64M" },
		{ { .ring_size = 4096, .wakeup = 4096 }, "watermark: 4096" },
		{ { .wakeup = 1 }, "watermark: 1" },
		{ { .nr_readers = UCORE_READERS_MAX + 1 }, "readers: 9|at most 8 CPUs" },
	};
	static const struct ucore_session_config later = { .reserved = 1 };
	static const struct ucore_session_config turns = {
		.rotate_ns = UCORE_ROTATE_MIN_NS, .nr_readers = 2,
	};
	struct ucore_session *session;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++)
		assert_fails(ucore_session_create(dev, &cases[i].config, &session, &err), ERANGE,
			     cases[i].words);
	/* a reserved member that a later version uses */
	assert_fails(ucore_session_create(dev, &later, &session, &err), EINVAL, "reserved member");
	assert_fails(ucore_session_create(dev, &turns, &session, &err), EINVAL,
		     "event groups|one CPU of each die");
	assert_int_equal(fake.calls[_IOC_NR(UCORE_CREATE_SESSION)], 0);
}

static void create_failure_is_reported(void **state)
{
	struct ucore_session *session;

	(void)state;
	fail_at(UCORE_CREATE_SESSION, EMFILE);
	assert_fails(ucore_session_create(dev, NULL, &session, &err), EMFILE,
		     "session: cannot be created|Too many open files");
	fail_at(UCORE_CREATE_SESSION, EACCES);
	assert_fails(ucore_session_create(dev, NULL, &session, &err), EACCES, "tasks|CAP_PERFMON");
	fail_at(UCORE_CREATE_SESSION, EDQUOT);
	assert_fails(ucore_session_create(dev, NULL, &session, &err), EDQUOT,
		     "4096 sessions|doctor");
	/* the in-tree driver was loaded after the device was opened */
	fail_at(~0U, 0);
	fake.state = UCORE_STATE_INTREE;
	strcpy(fake.reason, "modprobe -r intel_uncore");
	assert_fails(ucore_session_create(dev, NULL, &session, &err), EBUSY,
		     "modprobe -r intel_uncore");
}

static void readers_are_requested(void **state)
{
	static const struct ucore_session_config config = { .nr_readers = UCORE_READERS_MAX };
	struct ucore_session *session = session_get(dev, &config, "imc/CAS_COUNT.RD,die=0/", NULL);
	struct ucore_snapshot snap;
	struct ucore_get_status status;

	(void)state;
	assert_int_equal(fake.config.nr_readers, UCORE_READERS_MAX);
	assert_int_equal(ucore_session_start(session, &err), 0);
	assert_int_equal(ucore_session_read(session, 0, &snap, &err), 0);
	assert_int_equal(ucore_session_status(session, &status, &err), 0);
	assert_int_equal(status.parallel_reads, UCORE_READERS_MAX - 2);
	ucore_session_destroy(session);
}

/* ---- add --------------------------------------------------------------- */

static void add_claims_all_matching_boxes(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, "imc/CAS_COUNT.RD/",
						    "imc2/CAS_COUNT.WR,die=1/", NULL);
	const struct ucore_slot *slots;
	size_t nr;

	(void)state;
	slots = ucore_session_slots(session, &nr);
	assert_int_equal(nr, 9);
	assert_int_equal(slots[0].index, 0);
	assert_int_equal(slots[7].domain, 1);
	assert_int_equal(slots[8].index, 1);
	assert_int_equal(slots[8].domain, 1);
	assert_int_equal(slots[8].instance, 2);
	assert_int_equal(slots[8].counter, 1);
	assert_string_equal(ucore_session_event(session, 1)->label, "imc2/CAS_COUNT.WR,die=1/");
	assert_null(ucore_session_event(session, 2));
	ucore_session_destroy(session);
}

static struct ucore_event event_get(const char *text)
{
	struct ucore_event event;

	if (resolve(dev, text, &event))
		fail_msg("%s", err.text);
	return event;
}

static void event_is_added_on_one_box(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, NULL);
	struct ucore_event event = event_get("imc/CAS_COUNT.RD/");
	const struct ucore_box_info *boxes;
	const struct ucore_slot *slots;
	uint32_t other = 0, box = 0;
	size_t nr;

	(void)state;
	boxes = ucore_device_boxes(dev, &nr);
	for (uint32_t i = 0; i < nr; i++)
		*(strcmp(boxes[i].type, "imc") ? &other : &box) = i;
	assert_int_equal(ucore_session_add_box(session, &event, box, &err), 0);
	slots = ucore_session_slots(session, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(slots[0].box, box);
	assert_fails(ucore_session_add_box(session, &event, other, &err), ENOENT,
		     "imc/CAS_COUNT.RD/|does not match the event");
	assert_fails(ucore_session_add_box(session, &event, ~0U, &err), ENOENT, "does not match");
	ucore_session_slots(session, &nr);
	assert_int_equal(nr, 1);
	ucore_session_destroy(session);
}

/* Create a session while another process uses imc2 */
static struct ucore_session *session_beside_another(void)
{
	struct ucore_session *session = session_get(dev, NULL, NULL);

	fake_scenario("own=imc2");
	fake.status.session = 1;
	fake.session_fd = ucore_session_fd(session);
	fake.nr_opens = 2;
	return session;
}

static void busy_box_names_its_owner(void **state)
{
	struct ucore_event event = event_get("imc/CAS_COUNT.RD/");
	struct ucore_session *session = session_beside_another();

	(void)state;
	assert_fails(ucore_session_add(session, &event, &err), EBUSY,
		     "imc2 of die 0: in use by process 4711 (other)");
	/* the two boxes that were acquired have been released */
	assert_int_equal(fake.nr_events, 0);
	assert_int_equal(fake.calls[_IOC_NR(UCORE_REMOVE_EVENT)], 2);
	ucore_session_destroy(session);
}

/* A shared box is shared with the caller itself, unless a third session has boxes */
static void busy_shared_box_names_others_only_if_there_are_any(void **state)
{
	struct ucore_event event = event_get("imc2/CAS_COUNT.RD,die=0/");
	struct ucore_session *session = session_get(dev, NULL, "imc2/CAS_COUNT.WR,die=0/", NULL);

	(void)state;
	fake_scenario("own=imc2");
	for (unsigned int i = 0; i < fake.nr_boxes; i++)
		if (fake.boxes[i].owner == FAKE_OTHER)
			fake.boxes[i].flags |= UCORE_BOX_F_SHARED;
	fake.status.session = 1;
	fake.session_fd = ucore_session_fd(session);
	fake.nr_opens = 2;
	fake_other(1, 1, 0);
	fake_other(FAKE_OTHER, 1, 0);
	fake_other(90, 0, 1);
	assert_fails(ucore_session_add(session, &event, &err), EBUSY, "process 4711 (other). Stop it");
	fake_other(91, 1, 0);
	assert_fails(ucore_session_add(session, &event, &err), EBUSY,
		     "process 4711 (other) and possibly others. Stop");
	ucore_session_truncate(session, 0);
	assert_fails(ucore_session_add(session, &event, &err), EBUSY,
		     "process 4711 (other) and others. Stop");
	ucore_session_destroy(session);
}

static void filter_conflict_names_the_owner(void **state)
{
	struct ucore_event event = event_get("imc2/CAS_COUNT.RD,die=0/");
	struct ucore_session *session = session_beside_another();

	(void)state;
	fail_at(UCORE_ADD_EVENT, EADDRINUSE);
	assert_fails(ucore_session_add(session, &event, &err), EADDRINUSE,
		     "imc2 of die 0|process 4711 (other) uses other values");
	ucore_session_destroy(session);
}

/* Other boxes of the type have the field, so that the event is valid */
static void field_missing_in_a_box_is_named(void **state)
{
	struct ucore_session *session;
	struct ucore_event event;
	uint32_t box = 0;

	(void)state;
	session = session_get(dev, NULL, NULL);
	while (strcmp(fake.boxes[box].type, "qpi") || fake.boxes[box].instance != 1)
		box++;
	fake.hidden_box = box;
	fake.hidden_fields = 1ULL << UCORE_FIELD_MATCH0;
	event = event_get("qpi/event=0x38,match0=8,mask0=8/");
	assert_fails(ucore_session_add(session, &event, &err), ENXIO,
		     "qpi1 of die|no field 'match0', unlike other boxes of type qpi");
	ucore_session_destroy(session);
}

/* The manual's own example: LLC_VICTIMS.M_STATE as event 03h on counter 2 */
static void counters_that_accept_an_event_are_named(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, NULL);
	struct ucore_event event = event_get("cbo0/event=0x03,umask=0x01,counter=2/");

	(void)state;
	fake.event_counters = 3;
	assert_fails(ucore_session_add(session, &event, &err), ENXIO,
		     "cannot count it on counter 2|event tables of the manual|on counter 0, 1");
	assert_int_equal(fake.calls[_IOC_NR(UCORE_REMOVE_EVENT)], 2);
	event = event_get("cbo0/event=0x03,umask=0x01,counter=1/");
	assert_int_equal(ucore_session_add(session, &event, &err), 0);
	ucore_session_destroy(session);
}

static void add_to_running_session_is_refused(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, "imc/CAS_COUNT.RD/", NULL);
	struct ucore_event event = event_get("imc/CAS_COUNT.WR/");

	(void)state;
	assert_int_equal(ucore_session_start(session, &err), 0);
	assert_fails(ucore_session_add(session, &event, &err), EBUSY, "while the session is running");
	ucore_session_destroy(session);
}

static void busy_names_the_intree_driver(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, NULL);
	struct ucore_event event = event_get("imc/CAS_COUNT.WR/");

	(void)state;
	fail_at(UCORE_ADD_EVENT, EBUSY);
	fake.state = UCORE_STATE_INTREE;
	assert_fails(ucore_session_add(session, &event, &err), EBUSY, "modprobe -r intel_uncore");
	fake.state = UCORE_STATE_READY;
	assert_fails(ucore_session_add(session, &event, &err), EBUSY, "a moment ago");
	ucore_session_destroy(session);
}

static void full_box_is_named(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, "cbo/TOR_INSERTS.ALL/",
						    "cbo/TOR_INSERTS.WB/", NULL);
	struct ucore_event event = event_get("cbo/TOR_INSERTS.EVICTION/");
	size_t nr;

	(void)state;
	assert_fails(ucore_session_add(session, &event, &err), ENOSPC,
		     "EVICTION|cbo0 of die 0 has no free counter|2 in use, no rotation");
	ucore_session_slots(session, &nr);
	assert_int_equal(nr, 16);
	ucore_session_destroy(session);
}

static void filter_conflict_names_both_events(void **state)
{
	struct ucore_session *session = session_get(dev, NULL,
		"cbo/TOR_INSERTS.MISS_OPCODE,filter_opc=0x182/", NULL);
	struct ucore_event event = event_get("cbo/TOR_INSERTS.OPCODE,filter_opc=0x180/");

	(void)state;
	assert_fails(ucore_session_add(session, &event, &err), EADDRINUSE,
		     "filter_opc=0x180|one filter_opc|MISS_OPCODE,filter_opc=0x182");
	ucore_session_destroy(session);
}

static void period_without_interrupt_is_refused(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, NULL);
	struct ucore_event event = event_get("cbo/CLOCKTICKS,period=1000000/");

	(void)state;
	event.flags = UCORE_EVENT_F_NO_POLL;
	assert_fails(ucore_session_add(session, &event, &err), EOPNOTSUPP,
		     "cbo has no overflow interrupt|polling|timer");
	event = event_get("cbo/CLOCKTICKS,period=1000/");
	assert_fails(ucore_session_add(session, &event, &err), ERANGE,
		     "cbo has no overflow interrupt|1000|100 us|at least 500000");
	event = event_get("imc/CAS_COUNT.RD,period=0x1000000000000/");
	assert_fails(ucore_session_add(session, &event, &err), ERANGE, "period|48-bit");
	ucore_session_destroy(session);
}

/* Slots report the polling interval */
static void polled_period_reports_its_interval(void **state)
{
	struct ucore_session *session = session_get(dev, NULL,
		"cbo0/CLOCKTICKS,period=1000000,die=0/", "imc0/CAS_COUNT.RD,period=1000,die=0/",
		NULL);
	const struct ucore_slot *slots;
	size_t nr;

	(void)state;
	slots = ucore_session_slots(session, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(slots[0].poll_ns, 200000);
	assert_int_equal(slots[1].poll_ns, 0);
	ucore_session_destroy(session);
}

/* ---- boxes that cannot count ------------------------------------------- */

static const struct ucore_omission *omission_at(struct ucore_session *session, size_t i, size_t nr)
{
	const struct ucore_omission *omissions;
	size_t found;

	omissions = ucore_session_omissions(session, &found);
	assert_int_equal(found, nr);
	return &omissions[i];
}

static void partial_session_counts_other_boxes_and_lists_causes(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, NULL);
	struct ucore_event event = event_get("imc/CAS_COUNT.RD/");
	uint32_t dead = fake_box("imc", 2, 1), busy = fake_box("imc", 3, 0);
	const struct ucore_omission *omission;
	const struct ucore_slot *slots;
	size_t nr;

	(void)state;
	fake.boxes[dead].flags |= UCORE_BOX_F_DEAD;
	fake_own(busy);
	/* not unless the caller permits it */
	assert_fails(ucore_session_add(session, &event, &err), EBUSY, "imc3 of die 0: in use");
	assert_int_equal(fake.nr_events, 0);
	omission_at(session, 0, 0);

	ucore_session_set_partial(session, true);
	assert_int_equal(ucore_session_add(session, &event, &err), 0);
	slots = ucore_session_slots(session, &nr);
	assert_int_equal(nr, 6);
	for (size_t i = 0; i < nr; i++)
		assert_true(slots[i].box != dead && slots[i].box != busy);
	omission = omission_at(session, 0, 2);
	assert_int_equal(omission->box, busy);
	assert_int_equal(omission->index, 0);
	assert_int_equal(omission->code, -EBUSY);
	assert_string_equal(omission->type, "imc");
	assert_string_equal(omission->text, "in use by process 4711 (other)");
	assert_string_equal(ucore_omission_reason(omission->code), "busy");
	omission = omission_at(session, 1, 2);
	assert_int_equal(omission->box, dead);
	assert_int_equal(omission->die, 1);
	assert_int_equal(omission->package, 1);
	assert_string_equal(omission->text, "does not respond");
	assert_string_equal(ucore_omission_reason(omission->code), "dead");
	ucore_session_destroy(session);
}

static void event_that_no_box_can_count_is_refused(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, NULL);
	struct ucore_event one = event_get("imc2/CAS_COUNT.RD,die=1/");
	struct ucore_event two = event_get("imc2/CAS_COUNT.RD/");

	(void)state;
	ucore_session_set_partial(session, true);
	fake.boxes[fake_box("imc", 2, 1)].flags |= UCORE_BOX_F_DEAD;
	assert_fails(ucore_session_add(session, &one, &err), ENODEV,
		     "imc2 of die 1 does not respond");
	fake_own(fake_box("imc", 2, 0));
	assert_fails(ucore_session_add(session, &two, &err), EBUSY,
		     "no box can count it|imc2 of die 0: in use by process 4711|imc2 of die 1: does not respond");
	omission_at(session, 0, 0);
	assert_int_equal(fake.nr_events, 0);
	ucore_session_destroy(session);
}

static void box_hidden_on_one_die_is_listed(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, NULL);
	const struct ucore_omission *omission;

	(void)state;
	fake_hide(fake_box("imc", 1, 1));
	assert_int_equal(ucore_device_refresh(dev, NULL), 0);
	assert_int_equal(ucore_session_add_list(session, "imc/CAS_COUNT.RD/", &err), 0);
	omission = omission_at(session, 0, 1);
	assert_int_equal(omission->box, UCORE_ANY);
	assert_int_equal(omission->instance, 1);
	assert_int_equal(omission->die, 1);
	assert_string_equal(ucore_omission_reason(omission->code), "hidden");
	/* the other types, the other boxes and the other die are complete */
	assert_int_equal(ucore_session_add_list(session,
			"cbo/CLOCKTICKS/,imc0/CAS_COUNT.RD/,imc/CAS_COUNT.RD,die=0/", &err), 0);
	omission_at(session, 0, 1);
	ucore_session_destroy(session);
}

static void absent_box_is_not_selected_until_it_responds(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, NULL);
	const struct ucore_get_info *info = ucore_device_info(dev);
	uint32_t absent = fake_box("imc", 2, 1), boxes = info->nr_boxes;
	const struct ucore_omission *omission;
	struct ucore_event event, named;
	size_t nr;

	(void)state;
	fake_absent(absent);
	assert_int_equal(ucore_device_refresh(dev, NULL), 0);
	assert_int_equal(info->nr_boxes, boxes - 1);
	assert_int_equal(ucore_device_boxes(dev, &nr)[absent].box, absent);
	assert_int_equal(nr, boxes);
	/* no partial session is needed; the box is missing, because the other die has it */
	event = event_get("imc/CAS_COUNT.RD/");
	assert_int_equal(ucore_session_add(session, &event, &err), 0);
	ucore_session_slots(session, &nr);
	assert_int_equal(nr, 7);
	omission = omission_at(session, 0, 1);
	assert_int_equal(omission->instance, 2);
	assert_int_equal(omission->die, 1);
	assert_string_equal(omission->text, "does not respond, unlike on another die");
	assert_fails(ucore_session_add_list(session, "imc2/CAS_COUNT.RD,die=1/", &err), ENOENT,
		     "imc2 on die 1 does not respond");
	ucore_session_destroy(session);

	fake.boxes[absent].flags &= ~(UCORE_BOX_F_ABSENT | UCORE_BOX_F_DEAD);
	assert_int_equal(ucore_device_refresh(dev, NULL), 0);
	assert_int_equal(info->nr_boxes, boxes);
	session = session_get(dev, NULL, NULL);
	named = event_get("imc2/CAS_COUNT.RD,die=1/");
	assert_int_equal(ucore_session_add(session, &named, &err), 0);
	assert_int_equal(ucore_session_slots(session, &nr)[0].box, absent);
	ucore_session_destroy(session);
}

static void box_absent_on_both_dies_is_not_missing(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, NULL);
	struct ucore_event event;

	(void)state;
	fake_absent(fake_box("imc", 2, 0));
	fake_absent(fake_box("imc", 2, 1));
	/* a die that uses none of its boxes of a type lacks none */
	for (uint32_t i = 0; i < fake.nr_boxes; i++)
		if (!strcmp(fake.boxes[i].type, "pcu") && fake.boxes[i].die)
			fake_absent(i);
	assert_int_equal(ucore_device_refresh(dev, NULL), 0);
	event = event_get("imc/CAS_COUNT.RD/");
	assert_int_equal(ucore_session_add(session, &event, &err), 0);
	event = event_get("pcu/CLOCKTICKS/");
	assert_int_equal(ucore_session_add(session, &event, &err), 0);
	omission_at(session, 0, 0);
	ucore_session_destroy(session);
}

static void type_of_absent_boxes_does_not_exist(void **state)
{
	struct ucore_event event;
	size_t nr;

	(void)state;
	for (uint32_t i = 0; i < fake.nr_boxes; i++)
		if (!strcmp(fake.boxes[i].type, "pcu"))
			fake_absent(i);
	assert_int_equal(ucore_device_refresh(dev, NULL), 0);
	assert_fails(resolve(dev, "pcu/CLOCKTICKS/", &event), ENOENT,
		     "no pcu of this machine responds");
	ucore_device_boxes(dev, &nr);
	assert_true(nr > ucore_device_info(dev)->nr_boxes);
}

static void omissions_of_removed_events_are_removed(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, NULL);

	(void)state;
	fake.boxes[fake_box("imc", 2, 1)].flags |= UCORE_BOX_F_DEAD;
	ucore_session_set_partial(session, true);
	assert_fails(ucore_session_add_list(session, "imc/CAS_COUNT.RD/,imc2/CAS_COUNT.RD,die=1/",
					    &err), ENODEV, "does not respond");
	omission_at(session, 0, 0);
	assert_int_equal(ucore_session_add_list(session, "imc/CAS_COUNT.RD/", &err), 0);
	assert_int_equal(omission_at(session, 0, 1)->index, 0);
	ucore_session_destroy(session);
}

static void add_failure_is_explained(void **state)
{
	static const struct { int code; const char *words; } cases[] = {
		{ ENXIO, "cannot count it" },
		{ ENODEV, "imc0 of die 0 does not respond|try again later" },
		{ ENOMEM, "imc0 of die 0: Cannot allocate" },
		{ EACCES, "CAP_PERFMON is needed" },
		{ EFAULT, "Bad address" },
	};
	struct ucore_session *session = session_get(dev, NULL, NULL);
	struct ucore_event event = event_get("imc/CAS_COUNT.RD/");

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		fail_at(UCORE_ADD_EVENT, cases[i].code);
		assert_fails(ucore_session_add(session, &event, &err), cases[i].code,
			     cases[i].words);
	}
	ucore_session_destroy(session);
}

/* ---- PMI core ---------------------------------------------------------- */

static void pmi_cpus_failure_is_explained(void **state)
{
	static const struct { int code; const char *words; } cases[] = {
		{ ENOENT, "CPU 3: no such CPU" }, { EAGAIN, "CPU 3: offline" },
		{ EPERM, "CPU 3: excluded by your CPU affinity" },
		{ ERANGE, "pmi_core_sel" }, { EBUSY, "another session" }, { EIO, "Input/output" },
	};
	static const uint32_t some[] = { 5, 1, 9 }, twice[] = { 5, 5 }, bad[] = { 5, 77 };
	struct ucore_session *session = session_get(dev, NULL, NULL);

	(void)state;
	assert_int_equal(ucore_session_pmi_cpus(session, some, 3, &err), 0);
	assert_int_equal(fake.pmi_cpu, 9);
	assert_int_equal(fake.nr_pmi_cpus, 3);
	assert_fails(ucore_session_pmi_cpus(session, twice, 2, &err), EINVAL, "CPUs 5,5|once");
	assert_fails(ucore_session_pmi_cpus(session, bad, 2, &err), ENOENT,
		     "CPUs 5,77: one of them: no such CPU");
	for (size_t i = 0; i < NR(cases); i++) {
		const uint32_t three = 3;

		fail_at(UCORE_SET_PMI_CPUS, cases[i].code);
		assert_fails(ucore_session_pmi_cpus(session, &three, 1, &err), cases[i].code,
			     cases[i].words);
	}
	ucore_session_destroy(session);
}

/* ---- start, stop, read ------------------------------------------------- */

static void start_failure_is_explained(void **state)
{
	static const struct { int code; const char *words; } cases[] = {
		{ ENOENT, "no events" }, { ENOSPC, "two samples" }, { EALREADY, "is running" },
		{ EAGAIN, "no online CPU" }, { ENODEV, "stopped responding" }, { EBUSY, "intel_uncore" },
		{ EOPNOTSUPP, "tracepoints of its scheduler" },
		{ EIO, "Input/output" },
	};
	struct ucore_session *session = session_get(dev, NULL, NULL);

	(void)state;
	assert_fails(ucore_session_start(session, &err), ENOENT, "no events");
	for (size_t i = 0; i < NR(cases); i++) {
		fail_at(UCORE_START, cases[i].code);
		assert_fails(ucore_session_start(session, &err), cases[i].code, cases[i].words);
	}
	fail_at(UCORE_STOP, EIO);
	assert_fails(ucore_session_stop(session, &err), EIO, "cannot stop");
	fail_at(UCORE_RESET, EAGAIN);
	assert_fails(ucore_session_reset(session, &err), EAGAIN, "cannot reset");
	fail_at(UCORE_GET_STATUS, EIO);
	assert_fails(ucore_session_status(session, &(struct ucore_get_status){ 0 }, &err), EIO,
		     "STATUS");
	ucore_session_destroy(session);
}

/* The error of START uses the numbers of GET_BUDGET, or a general text if it fails */
static void short_timer_is_refused(void **state)
{
	const struct ucore_session_config config = { .timer_ns = 150000 };
	struct ucore_session *session = session_get(dev, &config, "imc/CAS_COUNT.RD/", NULL);
	struct ucore_get_budget budget;

	(void)state;
	fake.budget.sample_ns = 100100;
	assert_fails(ucore_session_start(session, &err), ERANGE,
		     "takes 100 us|too much for a timer of 150 us (limit: 50 %|Use at least 201 us|fewer events");
	fail_at(UCORE_GET_BUDGET, EIO);
	assert_fails(ucore_session_start(session, &err), ERANGE, "cannot start");
	assert_fails(ucore_session_budget(session, &budget, &err), EIO, "BUDGET");
	fake.fail_command = ~0U;
	fake.budget.dropped = 3;
	assert_int_equal(ucore_session_budget(session, &budget, &err), 0);
	assert_int_equal(budget.timer_min_ns, 200200);
	assert_int_equal(budget.dropped, 3);
	ucore_session_destroy(session);
}

static void core_trigger_failure_is_explained(void **state)
{
	static const struct { int code; const char *words; } cases[] = {
		{ EACCES, "thread 7: permission denied|CAP_PERFMON is needed" },
		{ ESRCH, "there is no thread 7" },
		{ EINVAL, "unknown to the kernel's perf" },
		{ ERANGE, "Use 1 to 2^63 - 1" },
		{ ENOSPC, "at most 4096 CPUs and threads, half as many threads on a hybrid processor" },
		{ EOPNOTSUPP, "or task-clock" },
		{ EBUSY, "the core counters are in use" },
		{ ENOTTY, "the driver does not support it" },
		{ EIO, "thread 7: Input/output error" },
	};
	const struct ucore_core_target target = { .tid = 7 };
	struct ucore_session *session = session_get(dev, NULL, "imc/CAS_COUNT.RD/", NULL);
	struct ucore_core_event event;

	(void)state;
	assert_int_equal(ucore_core_event_find("instructions:u", &event, &err), 0);
	assert_int_equal(event.type, UCORE_PERF_HARDWARE);
	assert_int_equal(event.flags, UCORE_CORE_TRIGGER_F_USER);
	assert_int_equal(ucore_core_event_find("r01c2", &event, &err), 0);
	assert_int_equal(event.type, UCORE_PERF_RAW);
	assert_int_equal(event.config, 0x01c2);
	for (size_t i = 0; i < NR(cases); i++) {
		fail_at(UCORE_ADD_CORE_TRIGGER, cases[i].code);
		assert_fails(ucore_session_core_trigger(session, &event, 1000, &target, &err),
			     cases[i].code, cases[i].words);
	}
	ucore_session_destroy(session);
}

static void pmu_make(const char *folder, const char *name, const char *type)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s/type", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(type, file);
	fclose(file);
}

static void pmus_remove(const char *folder)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

/* For a thread perf counts on one kind of cores, unless the event has the type of a PMU. */
static void core_trigger_of_a_thread_counts_on_both_kinds(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, "imc0/event=4/", NULL);
	struct ucore_core_target cpu = { .cpu = 1 }, thread = { .tid = (uint32_t)getpid() };
	const char *devices = ucore_perf_devices;
	char folder[] = "/tmp/ucore-pmus-XXXXXX";
	struct ucore_core_event event;

	(void)state;
	assert_non_null(mkdtemp(folder));
	pmu_make(folder, "cpu_core", "4\n");
	pmu_make(folder, "cpu_atom", "10\n");
	ucore_perf_devices = folder;
	assert_int_equal(ucore_core_event_find("instructions", &event, &err), 0);
	assert_int_equal(ucore_session_core_trigger(session, &event, 1000, &cpu, &err), 0);
	assert_int_equal(fake.nr_core_triggers, 1);
	assert_int_equal(fake.core_trigger.config, event.config);
	assert_int_equal(ucore_session_core_trigger(session, &event, 1000, &thread, &err), 0);
	assert_int_equal(fake.nr_core_triggers, 3);
	assert_true(fake.core_trigger_before.config == (event.config | 4ULL << 32));
	assert_true(fake.core_trigger.config == (event.config | 10ULL << 32));
	assert_int_equal(ucore_core_event_find("page-faults", &event, &err), 0);
	assert_int_equal(ucore_session_core_trigger(session, &event, 1000, &thread, &err), 0);
	assert_int_equal(fake.nr_core_triggers, 4);
	assert_int_equal(ucore_core_event_find("r01c2", &event, &err), 0);
	assert_fails(ucore_session_core_trigger(session, &event, 1000, &thread, &err), EOPNOTSUPP,
		     "raw codes differ|choose performance cores");
	assert_int_equal(ucore_session_core_trigger(session, &event, 1000, &cpu, &err), 0);
	ucore_perf_devices = devices;
	pmus_remove(folder);
	ucore_session_destroy(session);
}

static void read_returns_values_in_slot_order(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, "imc/CAS_COUNT.RD/",
						    "ubox/UCLK,die=1/", NULL);
	struct ucore_snapshot snap;
	const struct ucore_slot *slots;
	size_t nr;

	(void)state;
	slots = ucore_session_slots(session, &nr);
	assert_int_equal(ucore_session_start(session, &err), 0);
	assert_int_equal(ucore_session_read(session, 0, &snap, &err), 0);
	assert_int_equal(snap.nr_values, nr);
	assert_int_equal(snap.nr_domains, 2);
	assert_int_equal(snap.skew_ns, 120);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(snap.values[i].event, slots[i].event);
		assert_int_equal(snap.values[i].count,
				 1000 * (slots[i].box + 1) + slots[i].counter);
	}
	assert_int_equal(ucore_session_stop(session, &err), 0);
	assert_int_equal(ucore_session_reset(session, &err), 0);
	assert_int_equal(ucore_session_read(session, UCORE_READ_F_NO_FREEZE, &snap, &err), 0);
	assert_int_equal(snap.values[0].count, 0);
	ucore_session_destroy(session);
}

static void values_are_matched_by_id(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, "imc/CAS_COUNT.RD/", NULL);
	struct ucore_snapshot snap;
	struct fake_event first;

	(void)state;
	/* a kernel that returns the values in another order */
	first = fake.events[0];
	memmove(&fake.events[0], &fake.events[1], (fake.nr_events - 1) * sizeof(first));
	fake.events[fake.nr_events - 1] = first;
	assert_int_equal(ucore_session_start(session, &err), 0);
	assert_int_equal(ucore_session_read(session, 0, &snap, &err), 0);
	assert_int_equal(snap.values[0].event, first.id);
	assert_int_equal(snap.values[0].count, fake_step(&first));
	/* a kernel that leaves out an event is refused */
	fake.events[3].id = 999;
	assert_fails(ucore_session_read(session, 0, &snap, &err), EPROTO, "cannot read");
	fail_at(UCORE_READ, EAGAIN);
	assert_fails(ucore_session_read(session, 0, &snap, &err), EAGAIN, "cannot read");
	ucore_session_destroy(session);
}

static const struct CMUnitTest tests[] = {
	TEST_DEV(config_is_checked),
	TEST_DEV(create_failure_is_reported),
	TEST_DEV(readers_are_requested),
	TEST_DEV(add_claims_all_matching_boxes),
	TEST_DEV(event_is_added_on_one_box),
	TEST_DEV(busy_box_names_its_owner),
	TEST_DEV(field_missing_in_a_box_is_named),
	TEST_DEV(counters_that_accept_an_event_are_named),
	TEST_DEV(busy_shared_box_names_others_only_if_there_are_any),
	TEST_DEV(filter_conflict_names_the_owner),
	TEST_DEV(add_to_running_session_is_refused),
	TEST_DEV(busy_names_the_intree_driver),
	TEST_DEV(full_box_is_named),
	TEST_DEV(filter_conflict_names_both_events),
	TEST_DEV(period_without_interrupt_is_refused),
	TEST_DEV(polled_period_reports_its_interval),
	TEST_DEV(partial_session_counts_other_boxes_and_lists_causes),
	TEST_DEV(event_that_no_box_can_count_is_refused),
	TEST_DEV(box_hidden_on_one_die_is_listed),
	TEST_DEV(absent_box_is_not_selected_until_it_responds),
	TEST_DEV(box_absent_on_both_dies_is_not_missing),
	TEST_DEV(type_of_absent_boxes_does_not_exist),
	TEST_DEV(omissions_of_removed_events_are_removed),
	TEST_DEV(add_failure_is_explained),
	TEST_DEV(pmi_cpus_failure_is_explained),
	TEST_DEV(start_failure_is_explained),
	TEST_DEV(short_timer_is_refused),
	TEST_DEV(core_trigger_failure_is_explained),
	TEST_DEV(core_trigger_of_a_thread_counts_on_both_kinds),
	TEST_DEV(read_returns_values_in_slot_order),
	TEST_DEV(values_are_matched_by_id),
};

UNIT_MAIN(tests)
