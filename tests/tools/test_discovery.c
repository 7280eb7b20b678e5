// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Platforms with discovery tables: tables and units, and the events of these platforms, which
 * have wide masks and free-running counters.
 */
#include <stdio.h>

#include "unit.h"

static struct ucore_device *dev;

static void machine_open(const char *name, const char *platform)
{
	fake_machine(name, 2);
	strcpy(fake.platform, platform);
	dev = device_get();
}

static int spr_setup(void **state)
{
	fake_setup(state);
	machine_open("spr", "spr");
	return 0;
}

static int spr_teardown(void **state)
{
	ucore_device_close(dev);
	return fake_teardown(state);
}

#define TEST_SPR(name)	cmocka_unit_test_setup_teardown(name, spr_setup, spr_teardown)

static uint64_t value_of(const struct ucore_event *event, uint32_t field)
{
	for (unsigned int i = 0; i < event->nr_terms; i++)
		if (event->terms[i].field == field)
			return event->terms[i].value;
	return UINT64_MAX;
}

/* ---- tables and units -------------------------------------------------- */

static void tables_and_units_are_listed(void **state)
{
	struct ucore_discovery *discovery;
	const struct ucore_table_info *tables;
	const struct ucore_unit_info *units;
	const struct ucore_box_info *boxes;
	struct ucore_unit_fields fields;
	size_t nr, nr_boxes;

	(void)state;
	fake_reject(UCORE_UNIT_DUPLICATE, 0, "cha", 3, 4);
	assert_int_equal(ucore_discovery_get(dev, &discovery, &err), 0);
	tables = ucore_discovery_tables(discovery, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(tables[1].die, 1);
	assert_int_equal(tables[0].stride, 32);
	units = ucore_discovery_units(discovery, &nr);
	assert_int_equal(nr, fake.nr_units);
	assert_int_equal(units[nr - 1].reason, UCORE_UNIT_DUPLICATE);
	assert_int_equal(units[nr - 1].other, 4);

	boxes = ucore_device_boxes(dev, &nr_boxes);
	for (size_t i = 0; i < nr_boxes; i++) {
		const struct ucore_unit_info *unit = ucore_discovery_unit(discovery, boxes[i].box);

		if (boxes[i].flags & UCORE_BOX_F_FREE_RUNNING) {
			assert_null(unit);
			continue;
		}
		assert_non_null(unit);
		assert_string_equal(unit->name, boxes[i].type);
		ucore_unit_decode(unit, &fields);
		assert_int_equal(fields.num_regs, boxes[i].nr_counters);
		assert_int_equal(fields.width, boxes[i].width);
		assert_int_equal(fields.address, boxes[i].location);
		assert_int_equal(fields.id, boxes[i].instance);
	}
	assert_null(ucore_discovery_unit(discovery, UCORE_NO_BOX));
	ucore_discovery_free(discovery);
	ucore_discovery_free(NULL);
}

/* Each field is decoded with all its bits */
static void unit_words_are_decoded(void **state)
{
	static const struct {
		uint64_t word[3];
		struct ucore_unit_fields fields;
	} cases[] = {
		{ { 0xff, 0, 0 }, { .num_regs = 0xff } },
		{ { 0xff00, 0, 0 }, { .ctl_offset = 0xff } },
		{ { 0xff0000, 0, 0 }, { .width = 0xff } },
		{ { 0xff000000, 0, 0 }, { .ctr_offset = 0xff } },
		{ { 0xff00000000, 0, 0 }, { .status_offset = 0xff } },
		{ { 0x3fffff0000000000, 0, 0 }, { 0 } },
		{ { 0xc000000000000000, 0, 0 }, { .access = 3 } },
		{ { 0, UINT64_MAX, 0 }, { .address = UINT64_MAX } },
		{ { 0, 0, 0xffff }, { .type = 0xffff } },
		{ { 0, 0, 0xffff0000 }, { .id = 0xffff } },
		{ { 0, 0, 0xffff00000000 }, { .status_pos = 0xffff } },
		{ { 0, 0, 0xffff000000000000 }, { 0 } },
		/* record of an iMC of Sapphire Rapids */
		{ { 0x4000000008304004, 0xc8aa2800, 0x0000000000000006 },
		  { .num_regs = 4, .ctl_offset = 0x40, .width = 48, .ctr_offset = 8, .access = 1,
		    .address = 0xc8aa2800, .type = 6 } },
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		struct ucore_unit_info unit = { 0 };
		struct ucore_unit_fields fields;

		memset(&fields, 0xa5, sizeof(fields));
		memcpy(unit.word, cases[i].word, sizeof(unit.word));
		ucore_unit_decode(&unit, &fields);
		assert_int_equal(fields.num_regs, cases[i].fields.num_regs);
		assert_int_equal(fields.ctl_offset, cases[i].fields.ctl_offset);
		assert_int_equal(fields.width, cases[i].fields.width);
		assert_int_equal(fields.ctr_offset, cases[i].fields.ctr_offset);
		assert_int_equal(fields.status_offset, cases[i].fields.status_offset);
		assert_int_equal(fields.access, cases[i].fields.access);
		assert_true(fields.address == cases[i].fields.address);
		assert_int_equal(fields.type, cases[i].fields.type);
		assert_int_equal(fields.id, cases[i].fields.id);
		assert_int_equal(fields.status_pos, cases[i].fields.status_pos);
	}
}

static void reason_texts_are_complete(void **state)
{
	(void)state;
	assert_string_equal(ucore_unit_reason(UCORE_UNIT_OK), "");
	assert_string_equal(ucore_table_reason(UCORE_TABLE_OK), "");
	for (uint32_t i = 1; i <= UCORE_UNIT_BROKEN; i++) {
		assert_true(strlen(ucore_unit_reason(i)) > 10);
		assert_null(strstr(ucore_unit_reason(i), "does not know"));
		for (uint32_t j = 1; j < i; j++)
			assert_string_not_equal(ucore_unit_reason(i), ucore_unit_reason(j));
	}
	for (uint32_t i = 1; i <= UCORE_TABLE_FOREIGN; i++) {
		assert_true(strlen(ucore_table_reason(i)) > 10);
		assert_null(strstr(ucore_table_reason(i), "does not know"));
	}
	for (uint32_t i = 1; i <= UCORE_DIE_BY_ORDER; i++) {
		assert_true(strlen(ucore_table_die_by(i)) > 10);
		assert_null(strstr(ucore_table_die_by(i), "does not know"));
	}
	assert_string_equal(ucore_table_die_by(UCORE_DIE_BY_NONE), "");
	assert_words(ucore_table_die_by(UCORE_DIE_BY_ORDER + 1), "does not know");
	/* reason of a newer driver */
	assert_words(ucore_unit_reason(UCORE_UNIT_BROKEN + 1), "does not know");
	assert_words(ucore_table_reason(UINT32_MAX), "does not know");
}

static void discovery_failure_is_reported(void **state)
{
	static const struct {
		unsigned long command;
		unsigned int skip;
		const char *words;
	} cases[] = {
		{ UCORE_GET_TABLES, 0, "GET_TABLES|Bad address" },
		{ UCORE_GET_TABLES, 1, "GET_TABLES|Bad address" },
		{ UCORE_GET_UNITS, 0, "GET_UNITS|Bad address" },
		{ UCORE_GET_UNITS, 1, "GET_UNITS|Bad address" },
	};
	struct ucore_discovery *discovery;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		memset(fake.calls, 0, sizeof(fake.calls));
		fake.fail_command = _IOC_NR(cases[i].command);
		fake.fail_errno = EFAULT;
		fake.fail_skip = cases[i].skip;
		assert_fails(ucore_discovery_get(dev, &discovery, &err), EFAULT, cases[i].words);
	}
}

static void impossible_counts_are_refused(void **state)
{
	struct ucore_discovery *discovery;

	(void)state;
	for (uint32_t total = 0; total < 2; total++) {
		fake.lie_total = total << 21;
		fake.lie_command = _IOC_NR(UCORE_GET_TABLES);
		assert_fails(ucore_discovery_get(dev, &discovery, &err), EPROTO, "GET_TABLES");
		fake.lie_command = _IOC_NR(UCORE_GET_UNITS);
		assert_fails(ucore_discovery_get(dev, &discovery, &err), EPROTO, "GET_UNITS");
	}
}

static void missing_discovery_is_accepted(void **state)
{
	struct ucore_discovery *discovery;
	size_t nr = 1;

	(void)state;
	fake.old = true;
	assert_int_equal(ucore_discovery_get(dev, &discovery, &err), 0);
	ucore_discovery_tables(discovery, &nr);
	assert_int_equal(nr, 0);
	ucore_discovery_units(discovery, &nr);
	assert_int_equal(nr, 0);
	ucore_discovery_free(discovery);
}

/* ---- events ------------------------------------------------------------ */

static void selected_events_have_their_fields(void **state)
{
	static const struct {
		const char *text;
		uint64_t event, umask, ext, ch, fc, counters;
	} cases[] = {
#define NONE UINT64_MAX
		{ "cha/TOR_INSERTS.IA_MISS_DRD/", 0x35, 0x01, 0x00c817fe, NONE, NONE, 0xf },
		{ "cha/CLOCKTICKS/", 0x01, NONE, NONE, NONE, NONE, 0xf },
		{ "cha/TOR_OCCUPANCY.IA_MISS_DRD/", 0x36, 0x01, 0x00c817fe, NONE, NONE, 0x1 },
		{ "cha/LLC_LOOKUP.ALL/", 0x34, 0xff, 0x1fff, NONE, NONE, 0xf },
		{ "iio/DATA_REQ_OF_CPU.MEM_READ.PART0/", 0x83, 0x04, NONE, 0x001, 7, 0x3 },
		{ "iio/DATA_REQ_OF_CPU.MEM_WRITE.ALL_PARTS/", 0x83, 0x01, NONE, 0x0ff, 7, 0x3 },
		/* ports from PortMask, flow class from UMaskExt */
		{ "iio/COMP_BUF_OCCUPANCY.CMPD.PART3/", 0xd5, 0x08, NONE, 0x008, 7, 0xc },
		{ "iio/NUM_TGT_MATCHED_REQ_OF_CPU/", 0x8f, NONE, NONE, NONE, 7, 0xf },
		{ "imc/CAS_COUNT.RD/", 0x05, 0xcf, NONE, NONE, NONE, 0xf },
		{ "m2m/IMC_READS.ALL/", 0x24, 0x04, 0x3, NONE, NONE, 0xf },
		/* two units have this type: short names belong to M2M */
		{ "m2m/CLOCKTICKS/", 0x01, NONE, NONE, NONE, NONE, 0xf },
		{ "m2m/M2HBM_CLOCKTICKS/", 0x01, NONE, NONE, NONE, NONE, 0xf },
		{ "UNC_M2HBM_IMC_READS.ALL", 0x24, 0x04, 0x3, NONE, NONE, 0xf },
		{ "upi/RxL_BASIC_HDR_MATCH.NCB_OPC/", 0x05, 0x0e, 0x1, NONE, NONE, 0xf },
		/* a umask of the PCU, not an occupancy select as on older processors */
		{ "pcu/POWER_STATE_OCCUPANCY_CORES_C6/", 0x37, NONE, NONE, NONE, NONE, 0xf },
		{ "irp/CLOCKTICKS/", 0x01, NONE, NONE, NONE, NONE, 0x3 },
		{ "cxlcm/CLOCKTICKS/", 0x01, 0x02, NONE, NONE, NONE, 0xff },
		/* raw events, also of a type without a name */
		{ "cha/event=0x35,umask=1,umask_ext=0x00C817FE/", 0x35, 0x01, 0xc817fe,
		  NONE, NONE, 0 },
		{ "type_33/event=1,umask=2/", 0x01, 0x02, NONE, NONE, NONE, 0 },
		{ "iio/event=0x83,umask=4,ch_mask=0x80,fc_mask=7/", 0x83, 0x04, NONE, 0x80, 7, 0 },
		/* perf's wide umask */
		{ "cha/event=0x35,umask=0xC817FE01/", 0x35, 0x01, 0xc817fe, NONE, NONE, 0 },
		{ "cha/umask=0xffffffffff,event=0x35/", 0x35, 0xff, 0xffffffff, NONE, NONE, 0 },
		{ "upi/event=2,umask=0x10f/", 0x02, 0x0f, 0x1, NONE, NONE, 0 },
		{ "cha/event=0x35,umask=0xff/", 0x35, 0xff, NONE, NONE, NONE, 0 },
#undef NONE
	};
	struct ucore_event event;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		assert_int_equal(resolve(dev, cases[i].text, &event), 0);
		assert_true(value_of(&event, UCORE_FIELD_EVENT) == cases[i].event);
		assert_true(value_of(&event, UCORE_FIELD_UMASK) == cases[i].umask);
		assert_true(value_of(&event, UCORE_FIELD_UMASK_EXT) == cases[i].ext);
		assert_true(value_of(&event, UCORE_FIELD_CH_MASK) == cases[i].ch);
		assert_true(value_of(&event, UCORE_FIELD_FC_MASK) == cases[i].fc);
		assert_true(event.counters == cases[i].counters);
	}
}

static void oversized_masks_are_refused(void **state)
{
	static const struct { const char *text; int code; const char *words; } cases[] = {
		{ "upi/event=2,umask=0xffffffff0f/", ERANGE,
		  "umask_ext=0xffffffff is out of range. Use at most 0xffffff," },
		{ "cha/event=0x35,umask=0x10000000000/", ERANGE,
		  "umask_ext=0x100000000 is out of range" },
		{ "imc/event=5,umask=0x1cf/", ERANGE, "umask=0x1cf is out of range. Use at most 0xff" },
		{ "iio/event=0x83,umask=0x7001004/", ERANGE, "umask=0x7001004 is out of range" },
		{ "iio/event=0x83,ch_mask=0x1000/", ERANGE, "ch_mask=0x1000 is out of range" },
		{ "iio/event=0x83,fc_mask=8/", ERANGE, "fc_mask=0x8 is out of range" },
		{ "imc/event=5,umask_ext=1/", ENOENT, "imc has no field 'umask_ext'" },
		{ "cha/event=0x35,umask_ext=1,umask=0x101/", EINVAL, "umask_ext is given twice" },
		{ "cha/event=0x35,umask=0x101,umask=1/", EINVAL, "umask is given twice" },
		{ "cha/TOR_INSERTS.IA_MISS_DRD,umask_ext=1/", EINVAL, "umask_ext is given twice" },
		{ "cha/umask_ext=1,TOR_INSERTS.IA_MISS_DRD/", EINVAL, "defines these masks itself" },
		{ "iio/ch_mask=1,DATA_REQ_OF_CPU.MEM_READ.PART0/", EINVAL, "defines these masks itself" },
		{ "cha/event=0x135/", ERANGE, "event=0x135 is out of range" },
		{ "cha60/CLOCKTICKS/", ENOENT, "no cha60" },
		{ "type_34/event=1/", ENOENT, "'type_34' is not a box type" },
		{ "cha/TOR_INSERTS.IA_MISS_DRT/", ENOENT, "did you mean 'TOR_INSERTS.IA_MISS_DR" },
	};
	struct ucore_event event;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++)
		assert_fails(resolve(dev, cases[i].text, &event), cases[i].code, cases[i].words);
	/* masks that the event does not set can be given */
	assert_int_equal(resolve(dev, "upi/RxL_BASIC_HDR_MATCH.NCB,umask_ext=0x10/", &event), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_UMASK_EXT), 0x10);
}

static void fixed_and_free_running_events_resolve(void **state)
{
	static const struct { const char *text; unsigned int fixed; } cases[] = {
		{ "imc/DCLK/", 0 }, { "ubox/UCLK/", 0 }, { "imc/fixed/", 0 },
		{ "iio_free/CLOCKTICKS_FREERUN/", 0 },
		{ "iio_free/BANDWIDTH_IN.PART0_FREERUN/", 1 },
		{ "UNC_IIO_BANDWIDTH_IN.PART7_FREERUN", 8 },
		{ "iio_free3/BANDWIDTH_OUT.PART0_FREERUN/", 9 },
		{ "iio_free/bandwidth_out.part7_freerun,die=1/", 16 },
		{ "iio_free/fixed/", 0 }, { "iio_free/fixed=16/", 16 },
	};
	struct ucore_event event;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		assert_int_equal(resolve(dev, cases[i].text, &event), 0);
		assert_true(event.counters == 1ULL << (UCORE_COUNTER_FIXED + cases[i].fixed));
		assert_int_equal(event.nr_terms, 0);
	}
	assert_fails(resolve(dev, "iio_free/fixed=17/", &event), ENXIO,
		     "no fixed counter 17. There are 17");
	assert_fails(resolve(dev, "imc/fixed=1/", &event), ENXIO, "no fixed counter 1");
	assert_fails(resolve(dev, "imc/fixed=x/", &event), EINVAL, "fixed=x is not a number");
	assert_fails(resolve(dev, "imc/fixed,fixed/", &event), EINVAL, "second event");
	assert_fails(resolve(dev, "iio_free/CLOCKTICKS_FREERUN,fixed=1/", &event), EINVAL,
		     "second event");
	assert_fails(resolve(dev, "iio_free/event=1/", &event), ENOENT, "no field 'event'");
	assert_fails(resolve(dev, "iio/CLOCKTICKS_FREERUN/", &event), ENOENT,
		     "not an event of iio, but of iio_free. Write iio_free/CLOCKTICKS_FREERUN/");
}

static void byte_events_have_their_unit(void **state)
{
	static const struct { const char *text; unsigned int bytes, per; } cases[] = {
		{ "imc/CAS_COUNT.RD/", 64, 1 },
		{ "imc/PMM_RPQ_INSERTS/", 64, 1 },
		{ "upi/TxL_FLITS.ALL_DATA/", 64, 9 },
		{ "upi/TxL_FLITS.DATA/", 0, 0 },
		{ "cha/TOR_INSERTS.IO_PCIRDCUR/", 64, 1 },
		{ "cha/TOR_INSERTS.IO_MISS_PCIRDCUR/", 0, 0 },
		{ "iio/DATA_REQ_OF_CPU.MEM_READ.PART0/", 4, 1 },
		{ "iio_free/BANDWIDTH_IN.PART2_FREERUN/", 32, 1 },
		{ "iio_free/BANDWIDTH_OUT.PART2_FREERUN/", 0, 0 },
		{ "iio_free/CLOCKTICKS_FREERUN/", 0, 0 },
	};
	struct ucore_event event;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		assert_int_equal(resolve(dev, cases[i].text, &event), 0);
		assert_int_equal(event.desc.bytes, cases[i].bytes);
		assert_int_equal(event.desc.bytes_per, cases[i].per);
	}
}

/*
 * Check each event of the table on the first box: it resolves, the driver accepts it, its values
 * fit their fields, and the terms contain the values of the table.
 */
static void events_resolve(const char *machine, const char *name, size_t expected)
{
	const struct ucore_platform *platform = ucore_platform_find(name);
	struct ucore_session *session;

	ucore_device_close(dev);
	machine_open(machine, name);
	assert_non_null(platform);
	assert_int_equal(platform->nr_events, expected);
	for (size_t i = 0; i < platform->nr_events; i++) {
		struct ucore_event_desc desc;
		struct ucore_event event;
		char text[UCORE_SPEC_LEN];

		ucore_platform_event_at(platform, i, &desc);
		snprintf(text, sizeof(text), "%s0/%s,die=0/", desc.unit->type,
			 ucore_event_desc_short(&desc));
		if (resolve(dev, text, &event))
			fail_msg("%s", err.text);
		assert_string_equal(event.desc.name, desc.name);
		if (!ucore_event_desc_fixed(&desc)) {
			assert_int_equal(value_of(&event, UCORE_FIELD_EVENT), desc.event);
			/* a umask of 0 is not a term */
			assert_true(value_of(&event, UCORE_FIELD_UMASK) ==
				    (desc.umask ? desc.umask : UINT64_MAX));
		}
		assert_int_equal(ucore_session_create(dev, NULL, &session, &err), 0);
		if (ucore_session_add(session, &event, &err))
			fail_msg("%s", err.text);
		ucore_session_destroy(session);
	}
}

/* Number of events in Intel's tables, plus DCLK and UCLK */
static void table_events_resolve(void **state)
{
	(void)state;
	events_resolve("spr", "spr", 2282 + 2);
	events_resolve("spr", "emr", 2304 + 2);
	events_resolve("gnr", "gnr", 848 + 2);
	events_resolve("gnr", "srf", 776 + 2);
	/* plus the events of all ports of a stack */
	events_resolve("gnr", "grr", 438 + 2 + 2);
	events_resolve("gnr", "cwf", 776 + 2);
}

static void unknown_model_counts_raw_events(void **state)
{
	struct ucore_event event;

	(void)state;
	ucore_device_close(dev);
	machine_open("generic", "generic");
	assert_int_equal(resolve(dev, "type_0/event=0x35,umask=0xc817fe01/", &event), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_UMASK_EXT), 0xc817fe);
	assert_int_equal(resolve(dev, "type_01/event=1/", &event), 0);
	assert_int_equal(event.instance, 1);
	assert_fails(resolve(dev, "type_0/CLOCKTICKS/", &event), ENOENT, "no event or field");
}

/* ---- periods ----------------------------------------------------------- */

static void period_without_interrupt_is_polled(void **state)
{
	struct ucore_session *session;
	struct ucore_event event;

	(void)state;
	assert_int_equal(ucore_session_create(dev, NULL, &session, &err), 0);
	assert_int_equal(resolve(dev, "imc/CAS_COUNT.RD,period=1000/", &event), 0);
	event.flags = UCORE_EVENT_F_NO_POLL;
	assert_fails(ucore_session_add(session, &event, &err), EOPNOTSUPP,
		     "imc/CAS_COUNT.RD,period=1000/|has no overflow interrupt|timer");
	event.flags = 0;
	assert_fails(ucore_session_add(session, &event, &err), ERANGE, "no overflow interrupt");
	event.period = 600000;
	assert_int_equal(ucore_session_add(session, &event, &err), 0);
	ucore_session_destroy(session);

	fake_overflow_pmi();
	assert_int_equal(ucore_device_refresh(dev, &err), 0);
	session = session_get(dev, NULL, "imc/CAS_COUNT.RD,period=1000/", NULL);
	assert_int_equal(resolve(dev, "iio_free/CLOCKTICKS_FREERUN,period=5/", &event), 0);
	event.flags = UCORE_EVENT_F_NO_POLL;
	assert_fails(ucore_session_add(session, &event, &err), EOPNOTSUPP,
		     "iio_free has no overflow interrupt");
	ucore_session_destroy(session);
}

static const struct CMUnitTest tests[] = {
	TEST_SPR(tables_and_units_are_listed),
	TEST(unit_words_are_decoded),
	TEST(reason_texts_are_complete),
	TEST_SPR(discovery_failure_is_reported),
	TEST_SPR(impossible_counts_are_refused),
	TEST_SPR(missing_discovery_is_accepted),
	TEST_SPR(selected_events_have_their_fields),
	TEST_SPR(oversized_masks_are_refused),
	TEST_SPR(fixed_and_free_running_events_resolve),
	TEST_SPR(byte_events_have_their_unit),
	TEST_SPR(table_events_resolve),
	TEST_SPR(unknown_model_counts_raw_events),
	TEST_SPR(period_without_interrupt_is_polled),
};

UNIT_MAIN(tests)
