// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Specs and events: syntax, resolution, and refusals.
 */
#include <stdio.h>
#include <stdlib.h>

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

static uint64_t value_of(const struct ucore_event *event, uint32_t field)
{
	for (unsigned int i = 0; i < event->nr_terms; i++)
		if (event->terms[i].field == field)
			return event->terms[i].value;
	return UINT64_MAX;
}

/* ---- specs ------------------------------------------------------------- */

static void lists_are_split_outside_slashes(void **state)
{
	const char *list = "imc/CAS_COUNT.RD,die=0/,UNC_M_CAS_COUNT.WR,cbo3/event=1,umask=0x2,edge/";
	struct ucore_spec spec;

	(void)state;
	assert_int_equal(ucore_spec_next(&list, &spec, &err), 1);
	assert_string_equal(spec.text, "imc/CAS_COUNT.RD,die=0/");
	assert_string_equal(spec.head, "imc");
	assert_int_equal(spec.nr, 2);
	assert_string_equal(spec.items[0].key, "CAS_COUNT.RD");
	assert_null(spec.items[0].value);
	assert_string_equal(spec.items[1].key, "die");
	assert_string_equal(spec.items[1].value, "0");
	assert_int_equal(ucore_spec_next(&list, &spec, &err), 1);
	assert_string_equal(spec.head, "UNC_M_CAS_COUNT.WR");
	assert_int_equal(spec.nr, 0);
	assert_int_equal(ucore_spec_next(&list, &spec, &err), 1);
	assert_int_equal(spec.nr, 3);
	assert_int_equal(ucore_spec_next(&list, &spec, &err), 0);
}

static void malformed_specs_are_refused(void **state)
{
	static const struct { const char *text, *words; } cases[] = {
		{ "", "empty" },
		{ ",imc/A/", "empty" },
		{ "imc/A/,", "" },
		{ "imc/", "two slashes" },
		{ "imc/A", "Write 'imc/A/'" },
		{ "imc//", "nothing between the slashes" },
		{ "/A/", "no box" },
		{ "imc/A/B/", "two slashes" },
		{ "imc/A/x", "exactly two slashes" },
		{ "imc/,/", "a term is empty" },
		{ "imc/A,,B/", "a term is empty" },
		{ "imc/umask=/", "a term is empty" },
		{ "imc/=3/", "a term is empty" },
		{ "imc/A b/", "position 6" },
		{ "imc/\033/", "position 5" },
		{ "imc/a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a/", "Use at most 32" },
	};
	char text[300];

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		const char *list = cases[i].text;
		struct ucore_spec spec;
		int ret;

		while ((ret = ucore_spec_next(&list, &spec, &err)) > 0)
			;
		assert_int_equal(ret, -EINVAL);
		assert_words(err.text, cases[i].words);
	}
	memset(text, 'a', sizeof(text));
	text[299] = 0;
	{
		const char *list = text;
		struct ucore_spec spec;

		assert_fails(ucore_spec_next(&list, &spec, &err), EINVAL, "at most 191 characters");
	}
}

/* ---- names ------------------------------------------------------------- */

static void named_event_sets_code_and_counters(void **state)
{
	static const char *const spellings[] = {
		"imc/CAS_COUNT.RD/", "imc/cas_count.rd/", "IMC/UNC_M_CAS_COUNT.RD/",
		"UNC_M_CAS_COUNT.RD", "unc_m_cas_count.rd",
	};
	struct ucore_event event;

	(void)state;
	for (size_t i = 0; i < NR(spellings); i++) {
		assert_int_equal(resolve(dev, spellings[i], &event), 0);
		assert_string_equal(event.label, spellings[i]);
		assert_string_equal(event.type, "imc");
		assert_int_equal(event.instance, UCORE_ANY);
		assert_int_equal(event.die, UCORE_ANY);
		assert_int_equal(event.nr_terms, 2);
		assert_int_equal(value_of(&event, UCORE_FIELD_EVENT), 4);
		assert_int_equal(value_of(&event, UCORE_FIELD_UMASK), 3);
		assert_int_equal(event.counters, 0xf);
		assert_int_equal(event.period, 0);
		assert_int_equal(event.desc.bytes, 64);
	}
}

static void box_and_die_select_one_box(void **state)
{
	struct ucore_event event;

	(void)state;
	assert_int_equal(resolve(dev, "imc2/CAS_COUNT.RD,die=1,period=1000/", &event), 0);
	assert_int_equal(event.instance, 2);
	assert_int_equal(event.die, 1);
	assert_int_equal(event.period, 1000);
	assert_int_equal(resolve(dev, "UNC_M_CAS_COUNT.RD/die=0/", &event), 0);
	assert_int_equal(event.die, 0);
	assert_int_equal(resolve(dev, "r2pcie/CLOCKTICKS/", &event), 0);
	assert_string_equal(event.type, "r2pcie");
	assert_int_equal(event.instance, UCORE_ANY);
	assert_int_equal(resolve(dev, "r3qpi1/CLOCKTICKS/", &event), 0);
	assert_string_equal(event.type, "r3qpi");
	assert_int_equal(event.instance, 1);
}

/* "type_12" is a type name, and only then number 2 of type_1 */
static void longest_type_name_matches(void **state)
{
	struct ucore_event event;

	(void)state;
	strcpy(fake.boxes[0].type, "type_12");
	strcpy(fake.boxes[1].type, "type_1");
	fake.boxes[1].instance = 2;
	assert_int_equal(ucore_device_refresh(dev, &err), 0);
	assert_int_equal(resolve(dev, "type_12/event=1/", &event), 0);
	assert_string_equal(event.type, "type_12");
	assert_int_equal(event.instance, UCORE_ANY);
	assert_int_equal(resolve(dev, "type_1/event=1/", &event), 0);
	assert_string_equal(event.type, "type_1");
}

static void special_encodings_are_applied(void **state)
{
	struct ucore_event event;

	(void)state;
	/* bit 8 of the event is the extension bit */
	assert_int_equal(resolve(dev, "qpi/RxL_FLITS_G1.DRS/", &event), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_EVENT), 0x102);
	assert_int_equal(value_of(&event, UCORE_FIELD_UMASK), 0x18);
	/* a umask of the PCU is the occupancy select */
	assert_int_equal(resolve(dev, "pcu/POWER_STATE_OCCUPANCY.CORES_C6/", &event), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_EVENT), 0x80);
	assert_int_equal(value_of(&event, UCORE_FIELD_OCC_SEL), 3);
	assert_int_equal(value_of(&event, UCORE_FIELD_UMASK), UINT64_MAX);
	/* an event without umask needs no such field, which the PCU lacks */
	assert_int_equal(resolve(dev, "pcu/CLOCKTICKS/", &event), 0);
	assert_int_equal(event.nr_terms, 1);
	/* counters */
	assert_int_equal(resolve(dev, "cbo/RING_BL_USED.UP/", &event), 0);
	assert_int_equal(event.counters, 0xc);
	assert_int_equal(resolve(dev, "cbo/TOR_OCCUPANCY.ALL/", &event), 0);
	assert_int_equal(event.counters, 1);
}

static void fixed_counters_are_selected(void **state)
{
	static const char *const spellings[] = {
		"imc/DCLK/", "imc/fixed/", "ubox/UCLK/", "UNC_U_UCLK", "ubox/fixed,period=100000/",
	};
	struct ucore_event event;

	(void)state;
	for (size_t i = 0; i < NR(spellings); i++) {
		assert_int_equal(resolve(dev, spellings[i], &event), 0);
		assert_int_equal(event.counters, 1ULL << UCORE_COUNTER_FIXED);
		assert_int_equal(event.nr_terms, 0);
	}
	assert_fails(resolve(dev, "cbo/fixed/", &event), ENXIO, "cbo has no fixed counter");
	assert_fails(resolve(dev, "imc/DCLK,umask=1/", &event), EINVAL, "invalid term for a fixed counter");
	assert_fails(resolve(dev, "imc/fixed,counter=1/", &event), EINVAL, "invalid term for a fixed counter");
	assert_fails(resolve(dev, "imc/fixed,DCLK/", &event), EINVAL, "second event");
	assert_fails(resolve(dev, "imc/DCLK,fixed/", &event), EINVAL, "second event");
}

static void irp_halves_use_their_counters(void **state)
{
	struct ucore_event event;

	(void)state;
	assert_int_equal(resolve(dev, "irp/CLOCKTICKS/", &event), 0);
	assert_int_equal(event.counters, 3);
	assert_int_equal(resolve(dev, "irp/CLOCKTICKS,counter=2/", &event), 0);
	assert_int_equal(event.counters, 4);
	assert_fails(resolve(dev, "irp/CLOCKTICKS,counter=4/", &event), ERANGE, "Use 0 to 3");
}

static void raw_events_set_their_fields(void **state)
{
	struct ucore_event event;

	(void)state;
	assert_int_equal(resolve(dev, "imc/event=0x04,umask=0x03,edge,thresh=1/", &event), 0);
	assert_null(event.desc.name);
	assert_int_equal(event.counters, 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_EDGE), 1);
	assert_int_equal(resolve(dev, "qpi/event=0x138,mask0=0x1e00,match0=0x1c00/", &event), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_EVENT), 0x138);
	assert_int_equal(resolve(dev, "imc/event=4,counter=3/", &event), 0);
	assert_int_equal(event.counters, 8);
}

static uint32_t box_id(const char *type, uint32_t instance, uint32_t die)
{
	for (uint32_t i = 0; i < fake.nr_boxes; i++)
		if (!strcmp(fake.boxes[i].type, type) && fake.boxes[i].instance == instance &&
		    fake.boxes[i].die == die)
			return i;
	fail_msg("no %s%u on die %u", type, instance, die);
	return 0;
}

/* Firmware can hide the filters of the first box of a type, but not of the others */
static void field_missing_in_one_box_is_found(void **state)
{
	const uint64_t match = 1ULL << UCORE_FIELD_MATCH0 | 1ULL << UCORE_FIELD_MASK0;
	struct ucore_event event;

	(void)state;
	fake.hidden_box = box_id("qpi", 1, 0);
	fake.hidden_fields = match;
	assert_int_equal(resolve(dev, "qpi1/event=0x38,match0=8,mask0=8,die=1/", &event), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_MATCH0), 8);
	assert_fails(resolve(dev, "qpi1/event=0x38,match0=8,die=0,mach1=8/", &event), ENOENT,
		     "qpi has no field 'mach1'|'match1'");
	ucore_device_close(dev);
	dev = device_get();
	assert_fails(resolve(dev, "qpi1/event=0x38,die=0,match0=8/", &event), ENOENT,
		     "qpi has no field 'match0'");
	assert_int_equal(resolve(dev, "qpi0/event=0x38,match0=8,mask0=8/", &event), 0);
	assert_int_equal(resolve(dev, "qpi1/CTO_COUNT,die=1/", &event), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_MASK0), 0);
}

/* ---- filters ----------------------------------------------------------- */

static void missing_filters_get_defaults_or_errors(void **state)
{
	struct ucore_event event;

	(void)state;
	assert_int_equal(resolve(dev, "cbo/LLC_LOOKUP.ANY/", &event), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_FILTER_STATE), 0x3f);
	assert_int_equal(resolve(dev, "cbo/LLC_LOOKUP.ANY,filter_state=1/", &event), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_FILTER_STATE), 1);
	assert_fails(resolve(dev, "cbo/LLC_LOOKUP.NID/", &event), EINVAL, "Add filter_nid=VALUE");
	assert_fails(resolve(dev, "cbo/TOR_INSERTS.MISS_OPCODE/", &event), EINVAL,
		     "TOR_INSERTS.MISS_OPCODE|Add filter_opc=VALUE|0x1ff");
	assert_int_equal(resolve(dev, "cbo/TOR_INSERTS.MISS_OPCODE,filter_opc=0x182/", &event), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_FILTER_OPC), 0x182);
	assert_int_equal(value_of(&event, UCORE_FIELD_EVENT), 0x35);
	assert_fails(resolve(dev, "cbo/TOR_INSERTS.NID_OPCODE,filter_opc=0x182/", &event), EINVAL,
		     "Add filter_nid=VALUE");
	assert_fails(resolve(dev, "ha/ADDR_OPC_MATCH.FILT,addr_match=0x1000/", &event), EINVAL,
		     "Add opc_match=VALUE");
	assert_fails(resolve(dev, "pcu/FREQ_BAND2_CYCLES/", &event), EINVAL, "Add band2=VALUE");
	assert_int_equal(resolve(dev, "qpi/CTO_COUNT/", &event), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_MASK0), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_MATCH1), 0);
	assert_fails(resolve(dev, "ubox/FILTER_MATCH.ENABLE/", &event), EINVAL,
		     "UBoxFilter[3:0]|does not support|ubox/event=0x41,umask=0x1/");
	/* filter_tid sets tid_en */
	assert_int_equal(resolve(dev, "cbo/RxR_INSERTS.IRQ,filter_tid=3/", &event), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_TID_EN), 1);
}

/* ---- refusals ---------------------------------------------------------- */

static void invalid_events_are_refused(void **state)
{
	static const struct { const char *text; int code; const char *words; } cases[] = {
		{ "imc/CAS_COUNT.RDD/", ENOENT, "CAS_COUNT.RDD|did you mean 'CAS_COUNT.RD'" },
		{ "imc/UNC_M_CAS_COUNT.READ/", ENOENT, "did you mean 'UNC_M_CAS_COUNT" },
		{ "imc/qqqqqqqqqq/", ENOENT, "no event or field 'qqqqqqqqqq'. See" },
		{ "imx/CAS_COUNT.RD/", ENOENT, "'imx' is not a box type|did you mean 'imc'" },
		{ "UNC_M_CAS_COUNT.RT", ENOENT, "did you mean 'UNC_M_CAS_COUNT.R" },
		{ "imc9/CAS_COUNT.RD/", ENOENT, "no imc9 on any die" },
		{ "imc99999999999/CAS_COUNT.RD/", ENOENT, "is not a box type" },
		{ "imc/CAS_COUNT.RD,die=7/", ENOENT, "no die 7" },
		{ "imc", EINVAL, "a box without an event|imc/EVENT/" },
		{ "imc/umask=3/", EINVAL, "no event" },
		{ "imc/CAS_COUNT.RD,CAS_COUNT.WR/", EINVAL, "second event" },
		{ "imc/CAS_COUNT.RD,umask=1/", EINVAL, "umask is given twice" },
		{ "imc/event=4,CAS_COUNT.RD/", EINVAL, "either the name or the fields" },
		{ "imc/event=4,event=4/", EINVAL, "event is given twice" },
		{ "imc/event=4,period=1,period=2/", EINVAL, "period is given twice" },
		{ "imc/event=4,period=0/", ERANGE, "Use 1 to" },
		{ "imc/event=4,period=x/", EINVAL, "period takes a number" },
		{ "imc/event=4,period/", EINVAL, "period takes a number" },
		{ "imc/event=-4/", EINVAL, "event=-4 is not a number" },
		{ "imc/event=0x4z/", EINVAL, "is not a number" },
		{ "imc/event=99999999999999999999999/", EINVAL, "is not a number" },
		{ "imc/event=0x200/", ERANGE, "event=0x200 is out of range|0x1ff" },
		{ "imc/event=4,tresh=1/", ENOENT, "no field 'tresh'|did you mean 'thresh'" },
		{ "imc/event=4,edge/", EINVAL, "Add thresh=1" },
		{ "imc/event=4,edge,thresh=0/", EINVAL, "Add thresh=1" },
		{ "ha/event=4,addr_match=0x1001/", ERANGE, "addr_match=0x1001 is out of range" },
		{ "cbo/TOR_OCCUPANCY.ALL,counter=1/", ENXIO, "cannot be counted on counter 1" },
		{ "imc/CAS_COUNT.RD,counter=4/", ERANGE, "Use 0 to 3" },
	};
	struct ucore_event event;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++)
		assert_fails(resolve(dev, cases[i].text, &event), cases[i].code, cases[i].words);
}

static void unknown_platform_counts_raw_events(void **state)
{
	struct ucore_event event;

	(void)state;
	strcpy(fake.platform, "future");
	assert_int_equal(ucore_device_refresh(dev, &err), 0);
	assert_int_equal(resolve(dev, "imc/event=4,umask=3/", &event), 0);
	assert_fails(resolve(dev, "imc/CAS_COUNT.RD/", &event), ENOENT, "no event or field");
	assert_int_equal(resolve(dev, "imc/fixed/", &event), 0);
}

/* ---- the table --------------------------------------------------------- */

/* Return the terms that satisfy the filter of an event */
static void filter_terms(const struct ucore_event_desc *desc, char *text, size_t size)
{
	static const struct { uint32_t field; const char *term; } values[] = {
		{ UCORE_FIELD_FILTER_OPC, ",filter_opc=0x182" },
		{ UCORE_FIELD_FILTER_NID, ",filter_nid=1" },
		{ UCORE_FIELD_ADDR_MATCH, ",addr_match=0x40" },
		{ UCORE_FIELD_OPC_MATCH, ",opc_match=1" },
		{ UCORE_FIELD_FILTER_CID, ",filter_cid=1" },
		{ UCORE_FIELD_FILTER_LINK, ",filter_link=1" },
		{ UCORE_FIELD_BAND0, ",band0=12" }, { UCORE_FIELD_BAND1, ",band1=12" },
		{ UCORE_FIELD_BAND2, ",band2=12" }, { UCORE_FIELD_BAND3, ",band3=12" },
	};

	for (unsigned int i = 0; desc->filter && i < desc->filter->nr; i++)
		for (size_t v = 0; v < NR(values); v++)
			if (desc->filter->needs[i].field == values[v].field)
				strncat(text, values[v].term, size - strlen(text) - 1);
}

/* Return true if the event depends on a filter for which its box has no field */
static bool filter_out_of_reach(const struct ucore_event_desc *desc)
{
	const struct ucore_field_info *fields;
	const struct ucore_box_info *boxes;
	size_t nr, box = 0, i;

	boxes = ucore_device_boxes(dev, &nr);
	while (box < nr && strcmp(boxes[box].type, desc->unit->type))
		box++;
	assert_true(box < nr);
	assert_int_equal(ucore_device_fields(dev, (uint32_t)box, &fields, &nr, &err), 0);
	for (unsigned int n = 0; desc->filter && n < desc->filter->nr; n++) {
		for (i = 0; i < nr && fields[i].field != desc->filter->needs[n].field; i++)
			;
		if (i == nr)
			return true;
	}
	return false;
}

/*
 * Check each event of a platform: the driver accepts it, or it is refused because the driver
 * has no field for its filter.
 */
static void events_can_be_added(const char *machine, const char *name, unsigned int expected,
				unsigned int expected_out_of_reach)
{
	const struct ucore_platform *platform = ucore_platform_find(name);
	unsigned int added = 0, out_of_reach = 0;

	ucore_device_close(dev);
	fake_machine(machine, 2);
	strcpy(fake.platform, name);
	dev = device_get();
	assert_non_null(platform);
	for (size_t i = 0; i < platform->nr_events; i++) {
		struct ucore_session *session;
		struct ucore_event_desc desc;
		struct ucore_event event;
		char text[UCORE_SPEC_LEN];

		ucore_platform_event_at(platform, i, &desc);
		snprintf(text, sizeof(text), "%s/%s", desc.unit->type,
			 ucore_event_desc_short(&desc));
		if (!filter_out_of_reach(&desc))
			filter_terms(&desc, text, sizeof(text));
		strcat(text, "/");
		if (filter_out_of_reach(&desc)) {
			assert_int_equal(resolve(dev, text, &event), -EINVAL);
			out_of_reach++;
			continue;
		}
		session = session_get(dev, NULL, text, NULL);
		assert_non_null(session);
		ucore_session_destroy(session);
		added++;
	}
	assert_int_equal(added + out_of_reach, expected);
	assert_int_equal(out_of_reach, expected_out_of_reach);
}

/* Events in Intel's tables, plus DCLK and UCLK; filters of UBox and IRP are unsupported */
static void table_events_can_be_added(void **state)
{
	(void)state;
	events_can_be_added("ivbep", "snbep", 540 - 37 + 2, 2);
	events_can_be_added("ivbep", "ivbep", 1075 + 2, 3);
	events_can_be_added("hswep", "hswep", 1278 + 2, 1);
	events_can_be_added("hswep", "bdxep", 1284 + 2, 1);
	events_can_be_added("bdxde", "bdxde", 900 + 2, 1);
	/* plus the free-running counters of an IIO */
	events_can_be_added("skx", "skx", 3308 + 2 + 17, 0);
	events_can_be_added("skx", "clx", 3419 + 2 + 17, 0);
	events_can_be_added("skx", "cpx", 3419 + 2 + 17, 0);
	/* plus UCLK, the events of all ports, and free-running counters of a memory controller */
	events_can_be_added("icx", "icx", 3987 + 1 + 2 + 4, 0);
	events_can_be_added("snr", "snr", 2520 + 1 + 2 + 2, 0);
	/* client processors, plus free-running counters of a memory controller */
	events_can_be_added("skl", "snb", 34 + 5, 0);
	events_can_be_added("skl", "ivb", 34 + 5, 0);
	events_can_be_added("skl", "hsw", 32 + 5, 0);
	events_can_be_added("skl", "bdw", 23 + 5, 0);
	events_can_be_added("skl", "skl", 23 + 5, 0);
	events_can_be_added("icl", "icl", 3 + 5, 0);
	events_can_be_added("skl", "rkl", 9 + 5, 0);
	events_can_be_added("tgl", "tgl", 12 + 3, 0);
	events_can_be_added("tgl", "tglh", 12 + 3, 0);
	events_can_be_added("adl", "adl", 12 + 21 + 3, 0);
	events_can_be_added("mtl", "mtl", 10 + 12 + 3, 0);
	events_can_be_added("mtl", "arl", 8 + 12 + 3, 0);
	events_can_be_added("mtl", "lnl", 27 + 3, 0);
	events_can_be_added("ptl", "ptl", 28 + 3, 0);
	events_can_be_added("nhm", "nhm", 176, 0);
	events_can_be_added("nhm", "wsm", 212, 0);
}

static void machine_get(const char *machine)
{
	ucore_device_close(dev);
	fake_machine(machine, 1);
	dev = device_get();
}

/* Compose FILTER1 of a CHA from the fields of an event */
static uint32_t filter1_of(const struct ucore_event *event)
{
	static const struct { uint32_t field; unsigned int shift; } fields[] = {
		{ UCORE_FIELD_FILTER_REM, 0 }, { UCORE_FIELD_FILTER_LOC, 1 },
		{ UCORE_FIELD_FILTER_ALL_OP, 3 }, { UCORE_FIELD_FILTER_NM, 4 },
		{ UCORE_FIELD_FILTER_NOT_NM, 5 }, { UCORE_FIELD_FILTER_OPC_0, 9 },
		{ UCORE_FIELD_FILTER_OPC_1, 19 },
	};
	uint32_t word = 0;

	for (size_t i = 0; i < NR(fields); i++)
		if (value_of(event, fields[i].field) != UINT64_MAX)
			word |= (uint32_t)value_of(event, fields[i].field) << fields[i].shift;
	return word;
}

/* FILTER_VALUE sets several fields; without it they match everything */
static void tor_filters_are_set(void **state)
{
	static const struct { const char *text; uint32_t filter1; } cases[] = {
		{ "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", 0x40433 },
		{ "cha/TOR_OCCUPANCY.IO_MISS_RDCUR/", 0x43c33 },
		{ "cha/TOR_INSERTS.IA_HIT_LlcPrefDRD/", 0x4b433 },
		{ "UNC_CHA_TOR_INSERTS.IA_MISS", 0x3b },
		{ "UNC_CHA_TOR_INSERTS.IPQ_HIT", 0x3b },
		{ "cha/TOR_INSERTS.IA_MISS,filter_opc_0=0x202/", 0x40433 },
		{ "cha/TOR_INSERTS.IA_MISS,filter_opc_1=0x259/", 0x12c80033 },
		{ "cha/TOR_INSERTS.IA_MISS,filter_loc=0/", 0x39 },
		{ "cha/TOR_INSERTS.IA_MISS_DRD,filter_rem=0,filter_opc_0=0x201/", 0x40232 },
		{ "cha/event=0x35,umask=0x21/", 0 },
	};
	struct ucore_event event;

	(void)state;
	machine_get("skx");
	for (size_t i = 0; i < NR(cases); i++) {
		if (resolve(dev, cases[i].text, &event))
			fail_msg("%s", err.text);
		if (filter1_of(&event) != cases[i].filter1)
			fail_msg("%s: %#x", cases[i].text, filter1_of(&event));
	}
}

/* Further properties of Skylake's events */
static void skylake_events_resolve(void **state)
{
	static const struct {
		const char *text;
		uint32_t field;
		uint64_t value;
		uint64_t counters;
	} cases[] = {
		{ "UNC_M_CLOCKTICKS_F", UCORE_FIELD_EVENT, UINT64_MAX, 1ULL << 32 },
		{ "UNC_U_CLOCKTICKS", UCORE_FIELD_EVENT, UINT64_MAX, 1ULL << 32 },
		{ "iio_free/IOCLK/", UCORE_FIELD_EVENT, UINT64_MAX, 1ULL << 32 },
		{ "iio_free/BW_OUT.PORT0/", UCORE_FIELD_EVENT, UINT64_MAX, 1ULL << 37 },
		{ "UNC_IIO_UTIL_OUT.PORT3", UCORE_FIELD_EVENT, UINT64_MAX, 1ULL << 48 },
		{ "UNC_P_POWER_STATE_OCCUPANCY.CORES_C6", UCORE_FIELD_OCC_SEL, 3, 0xf },
		{ "UNC_P_POWER_STATE_OCCUPANCY.CORES_C6", UCORE_FIELD_UMASK, UINT64_MAX, 0xf },
		{ "UNC_CHA_LLC_LOOKUP.ANY", UCORE_FIELD_FILTER_STATE, 0x3f, 0xf },
		{ "cha/UPI_CREDITS_ACQUIRED.VNA,filter_link=2/", UCORE_FIELD_FILTER_LINK, 2, 0xf },
		{ "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART3", UCORE_FIELD_CH_MASK, 8, 0x3 },
		{ "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART3", UCORE_FIELD_FC_MASK, 7, 0x3 },
		{ "UNC_I_CLOCKTICKS", UCORE_FIELD_EVENT, 1, 0x3 },
		{ "UNC_U_EVENT_MSG.IPI_RCVD", UCORE_FIELD_UMASK, 4, 0x3 },
	};
	struct ucore_event event;

	(void)state;
	machine_get("skx");
	for (size_t i = 0; i < NR(cases); i++) {
		if (resolve(dev, cases[i].text, &event))
			fail_msg("%s", err.text);
		if (value_of(&event, cases[i].field) != cases[i].value ||
		    event.counters != cases[i].counters)
			fail_msg("%s: %#llx on %#llx", cases[i].text,
				 (unsigned long long)value_of(&event, cases[i].field),
				 (unsigned long long)event.counters);
	}
	assert_fails(resolve(dev, "cha/UPI_CREDITS_ACQUIRED.VNA/", &event), EINVAL, "filter_link");
	assert_int_equal(resolve(dev, "iio_free/BW_IN.PORT2/", &event), 0);
	assert_int_equal(event.desc.bytes, 4);
	assert_int_equal(event.desc.bytes_per, 1);
}

/* One unit of Intel's lists has two box types, and an event may need a threshold */
static void client_events_resolve(void **state)
{
	struct ucore_event event;

	(void)state;
	ucore_device_close(dev);
	fake_machine("skl", 1);
	strcpy(fake.platform, "snb");
	dev = device_get();
	assert_int_equal(resolve(dev, "UNC_CLOCK.SOCKET", &event), 0);
	assert_string_equal(event.type, "clock");
	assert_int_equal(event.counters, 1ULL << UCORE_COUNTER_FIXED);
	assert_int_equal(resolve(dev, "arb/TRK_OCCUPANCY.CYCLES_OVER_HALF_FULL/", &event), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_THRESH), 10);
	assert_int_equal(value_of(&event, UCORE_FIELD_EVENT), 0x80);
	assert_int_equal(resolve(dev, "arb/TRK_REQUESTS.ALL,thresh=3/", &event), 0);
	assert_int_equal(value_of(&event, UCORE_FIELD_THRESH), 3);
	assert_fails(resolve(dev, "arb/thresh=2,TRK_OCCUPANCY.CYCLES_OVER_HALF_FULL/", &event),
		     EINVAL, "defines the threshold itself");
	assert_fails(resolve(dev, "arb/TRK_OCCUPANCY.CYCLES_OVER_HALF_FULL,thresh=2/", &event),
		     EINVAL, "thresh is given twice");
}

/* Properties of the events of Ice Lake and Snow Ridge */
static void icelake_events_resolve(void **state)
{
	static const struct {
		const char *machine, *text;
		uint32_t field;
		uint64_t value;
		uint64_t counters;
	} cases[] = {
		/* extended umasks of 26, 6 and 1 bits */
		{ "icx", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", UCORE_FIELD_UMASK_EXT, 0xc817fe, 0xf },
		{ "icx", "UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD", UCORE_FIELD_UMASK_EXT, 0xc817fe, 0x1 },
		{ "icx", "UNC_M2M_IMC_READS.ALL", UCORE_FIELD_UMASK_EXT, 7, 0xf },
		{ "icx", "UNC_UPI_RxL_BASIC_HDR_MATCH.NCB_OPC", UCORE_FIELD_UMASK_EXT, 1,
		  0xf },
		{ "snr", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_OPT", UCORE_FIELD_UMASK_EXT, 0xc827fe, 0xf },
		{ "icx", "iio/DATA_REQ_OF_CPU.MEM_READ.ALL_PARTS/", UCORE_FIELD_CH_MASK, 0xff, 0x3 },
		{ "snr", "iio/DATA_REQ_OF_CPU.MEM_WRITE.ALL_PARTS/", UCORE_FIELD_FC_MASK, 7, 0x3 },
		{ "icx", "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.IOMMU1", UCORE_FIELD_CH_MASK, 0x200, 0x3 },
		{ "icx", "UNC_IIO_COMP_BUF_OCCUPANCY.CMPD.ALL", UCORE_FIELD_FC_MASK, 4, 0xc },
		{ "icx", "UNC_P_POWER_STATE_OCCUPANCY.CORES_C3", UCORE_FIELD_OCC_SEL, 2, 0xf },
		{ "snr", "UNC_P_POWER_STATE_OCCUPANCY.CORES_C6", UCORE_FIELD_UMASK, UINT64_MAX, 0xf },
		/* a filter without a known register */
		{ "icx", "irp/TRANSACTIONS.ORDERINGQ/", UCORE_FIELD_UMASK, 0x40, 0x3 },
		/* fixed and free-running counters */
		{ "icx", "UNC_M_HCLOCKTICKS", UCORE_FIELD_EVENT, UINT64_MAX, 1ULL << 32 },
		{ "icx", "UNC_M_CLOCKTICKS", UCORE_FIELD_EVENT, 0, 0xf },
		{ "snr", "ubox/UCLK/", UCORE_FIELD_EVENT, UINT64_MAX, 1ULL << 32 },
		{ "icx", "imc_free/READ_FREERUN/", UCORE_FIELD_EVENT, UINT64_MAX, 1ULL << 32 },
		{ "icx", "UNC_M_PMM_WRITE_FREERUN", UCORE_FIELD_EVENT, UINT64_MAX, 1ULL << 35 },
		{ "snr", "UNC_M_WRITE_FREERUN", UCORE_FIELD_EVENT, UINT64_MAX, 1ULL << 33 },
		{ "snr", "UNC_M_CLOCKTICKS_FREERUN", UCORE_FIELD_EVENT, UINT64_MAX, 1ULL << 34 },
		{ "icx", "iio_free/CLOCKTICKS_FREERUN/", UCORE_FIELD_EVENT, UINT64_MAX, 1ULL << 32 },
		{ "icx", "UNC_IIO_BANDWIDTH_IN.PART7_FREERUN", UCORE_FIELD_EVENT, UINT64_MAX,
		  1ULL << 40 },
		{ "snr", "UNC_IIO_BANDWIDTH_OUT.PART7_FREERUN", UCORE_FIELD_EVENT, UINT64_MAX,
		  1ULL << 48 },
	};
	static const struct { const char *text; unsigned int bytes; } bytes[] = {
		{ "imc/CAS_COUNT.WR/", 64 }, { "imc/PMM_RPQ_INSERTS/", 64 },
		{ "imc_free/PMM_READ_FREERUN/", 64 }, { "imc_free/CLOCKTICKS_FREERUN/", 0 },
		{ "iio/DATA_REQ_OF_CPU.MEM_READ.ALL_PARTS/", 4 },
		{ "iio_free/BANDWIDTH_IN.PART2_FREERUN/", 32 },
		{ "iio_free/BANDWIDTH_OUT.PART2_FREERUN/", 0 },
	};
	struct ucore_event event;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		machine_get(cases[i].machine);
		if (resolve(dev, cases[i].text, &event))
			fail_msg("%s", err.text);
		if (value_of(&event, cases[i].field) != cases[i].value ||
		    event.counters != cases[i].counters)
			fail_msg("%s: %#llx on %#llx", cases[i].text,
				 (unsigned long long)value_of(&event, cases[i].field),
				 (unsigned long long)event.counters);
	}
	machine_get("icx");
	for (size_t i = 0; i < NR(bytes); i++) {
		assert_int_equal(resolve(dev, bytes[i].text, &event), 0);
		assert_int_equal(event.desc.bytes, bytes[i].bytes);
	}
	/* HCLOCKTICKS counts half of that clock */
	assert_fails(resolve(dev, "imc/DCLK/", &event), ENOENT, "no event or field 'DCLK'");
	/* only Ice Lake has persistent memory */
	machine_get("snr");
	assert_fails(resolve(dev, "UNC_M_PMM_READ_FREERUN", &event), ENOENT, "not a box type or full event name");
}

/* Spellings that differ on v1, v3 and v4 */
static void other_e5_events_resolve(void **state)
{
	static const struct {
		const char *machine, *platform, *text;
		uint32_t field;
		uint64_t value;
		uint64_t counters;
	} cases[] = {
		/* the fixed counter is not general counter 0 */
		{ "hswep", "bdxep", "UNC_M_CLOCKTICKS", UCORE_FIELD_EVENT, UINT64_MAX, 1ULL << 32 },
		{ "hswep", "bdxep", "UNC_U_CLOCKTICKS", UCORE_FIELD_EVENT, UINT64_MAX, 1ULL << 32 },
		{ "hswep", "hswep", "UNC_M_CLOCKTICKS", UCORE_FIELD_EVENT, 0, 0xf },
		/* v1's spelling of filters also applies to v3 and v4 */
		{ "ivbep", "snbep", "cbo/LLC_VICTIMS.NID,filter_nid=3/", UCORE_FIELD_FILTER_NID, 3,
		  0x3 },
		{ "ivbep", "snbep", "cbo/TOR_INSERTS.OPCODE,filter_opc=0x182/",
		  UCORE_FIELD_FILTER_OPC, 0x182, 0x3 },
		{ "hswep", "hswep", "cbo/LLC_VICTIMS.NID,filter_nid=3/", UCORE_FIELD_FILTER_NID, 3,
		  0xf },
		{ "hswep", "bdxep", "UNC_C_LLC_LOOKUP.READ", UCORE_FIELD_UMASK, 0x21, 0xf },
		{ "hswep", "hswep", "ubox/FILTER_MATCH.ENABLE,filter_cid=4/",
		  UCORE_FIELD_FILTER_CID, 4, 0x3 },
		{ "hswep", "hswep", "UNC_S_CLOCKTICKS", UCORE_FIELD_EVENT, 0, 0xf },
		{ "hswep", "hswep", "qpi/TxL_FLITS_G1.DRS/", UCORE_FIELD_EVENT, 0x100, 0xf },
		/* no extension bit, in contradiction to Intel's table */
		{ "ivbep", "snbep", "UNC_U_RACU_REQUESTS.COUNT", UCORE_FIELD_EVENT, 0x46, 0x3 },
		/* Intel's table has no ExtSel column, but the processor is an E5 */
		{ "bdxde", "bdxde", "UNC_P_POWER_STATE_OCCUPANCY.CORES_C6", UCORE_FIELD_OCC_SEL, 3,
		  0xf },
	};
	struct ucore_event event;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		ucore_device_close(dev);
		fake_machine(cases[i].machine, 1);
		strcpy(fake.platform, cases[i].platform);
		dev = device_get();
		if (resolve(dev, cases[i].text, &event))
			fail_msg("%s", err.text);
		assert_true(value_of(&event, cases[i].field) == cases[i].value);
		assert_true(event.counters == cases[i].counters);
	}
	/* filters in v1's spelling must be given; the state defaults to all states */
	assert_int_equal(resolve(dev, "UNC_C_LLC_LOOKUP.READ", &event), 0);
	assert_true(value_of(&event, UCORE_FIELD_FILTER_STATE) != UINT64_MAX);
	assert_fails(resolve(dev, "cbo/LLC_VICTIMS.NID/", &event), EINVAL, "filter_nid");
	assert_fails(resolve(dev, "imc/event=4,invert/", &event), EINVAL,
		     "invert counts nothing|Add thresh=1");
}

static void platforms_are_found_by_name(void **state)
{
	struct ucore_event_desc desc;
	const struct ucore_platform *platform;

	(void)state;
	for (size_t i = 0; (platform = ucore_platform_at(i)); i++) {
		assert_ptr_equal(ucore_platform_find(ucore_platform_name(platform)), platform);
		assert_true(ucore_platform_nr_events(platform) > 0);
	}
	assert_int_equal(ucore_platform_nr_events(NULL), 0);
	assert_non_null(ucore_platform_find("IVBEP"));
	assert_null(ucore_platform_find("8086"));
	assert_false(ucore_platform_event(NULL, "imc", "CAS_COUNT.RD", &desc));
}

static void processors_are_found_by_model(void **state)
{
	const struct ucore_model *model = ucore_model_find(6, 62, 4);

	(void)state;
	assert_string_equal(model->platform, "ivbep");
	assert_string_equal(model->name, "Xeon E5-2600 v2");
	assert_false(model->discovery);
	assert_string_equal(ucore_model_find(6, 63, 4)->platform, "hswep");
	assert_string_equal(ucore_model_find(6, 79, 4)->platform, "bdxep");
	assert_string_equal(ucore_model_find(6, 86, 4)->platform, "bdxde");
	assert_string_equal(ucore_model_find(6, 85, 0)->platform, "skx");
	assert_string_equal(ucore_model_find(6, 85, 4)->platform, "skx");
	assert_string_equal(ucore_model_find(6, 85, 5)->platform, "clx");
	assert_string_equal(ucore_model_find(6, 85, 9)->name, "Cascade Lake-SP");
	assert_string_equal(ucore_model_find(6, 85, 10)->platform, "cpx");
	assert_string_equal(ucore_model_find(6, 85, 11)->platform, "cpx");
	assert_string_equal(ucore_model_find(6, 106, 6)->platform, "icx");
	assert_string_equal(ucore_model_find(6, 108, 1)->name, "Ice Lake-D");
	assert_string_equal(ucore_model_find(6, 108, 1)->platform, "icx");
	assert_string_equal(ucore_model_find(6, 134, 5)->name, "Snow Ridge");
	assert_string_equal(ucore_model_find(6, 134, 5)->platform, "snr");
	model = ucore_model_find(6, 174, 4);
	assert_string_equal(model->platform, "gnr");
	assert_true(model->discovery);
	assert_null(ucore_model_find(6, 250, 4));
	assert_null(ucore_model_find(15, 62, 4));
}

static void cpu_term_selects_one_box(void **state)
{
	struct ucore_event event;
	struct ucore_box_info box = { .cpu = 2, .type = "core" };

	(void)state;
	fake_cpus(4);
	assert_int_equal(ucore_device_refresh(dev, &err), 0);
	assert_int_equal(resolve(dev, "core/event=0x3c,cpu=2/", &event), 0);
	assert_int_equal(event.cpu, 2);
	assert_int_equal(event.die, UCORE_ANY);
	assert_true(ucore_event_matches(&event, &box));
	box.cpu = 3;
	assert_false(ucore_event_matches(&event, &box));
	assert_int_equal(resolve(dev, "core/event=0x3c,die=0/", &event), 0);
	assert_true(ucore_event_matches(&event, &box));
	box.die = 1;
	assert_false(ucore_event_matches(&event, &box));
	assert_fails(resolve(dev, "core/event=0x3c,cpu=4/", &event), ENOENT, "cpu 4 has no core box");
	assert_fails(resolve(dev, "imc/event=4,cpu=2/", &event), ENOENT, "cpu 2 has no imc");
	assert_fails(resolve(dev, "core1/event=4/", &event), ENOENT, "no core1 on any cpu");
	assert_fails(resolve(dev, "core/event=4,cpu=1,cpu=2/", &event), EINVAL, "given twice");
	assert_fails(resolve(dev, "core/event=4,cpu=4294967295/", &event), ERANGE, "cpu=4294967295");
}

/* Core events have a table for all platforms; CPUID can report one as missing */
static void core_events_resolve(void **state)
{
	struct ucore_event event;

	(void)state;
	fake_cpus(4);
	assert_int_equal(ucore_device_refresh(dev, &err), 0);
	assert_int_equal(resolve(dev, "core/LLC_REFERENCES,cpu=1/", &event), 0);
	assert_string_equal(event.desc.name, "LLC_REFERENCES");
	assert_int_equal(event.terms[0].value, 0x2e);
	assert_int_equal(event.terms[1].value, 0x4f);
	assert_int_equal(event.counters, 0xf);	/* eight exist on some processors only */
	assert_int_equal(resolve(dev, "INSTRUCTIONS_RETIRED", &event), 0);
	assert_string_equal(event.type, "core");
	assert_fails(resolve(dev, "core/LLC_MISSES/", &event), ENXIO, "does not have|CPUID.0AH");
	assert_int_equal(resolve(dev, "core/event=0x2e,umask=0x41/", &event), 0);
	assert_int_equal(resolve(dev, "core/event=0xc0,edge=1,usr/", &event), 0);
	assert_fails(resolve(dev, "core/event=0xc0,inv=1/", &event), EINVAL, "Add thresh=1");
	assert_fails(resolve(dev, "core/event=0xc0,invert=1/", &event), EINVAL, "Add thresh=1");
	assert_int_equal(resolve(dev, "core/event=0xc0,inv=1,cmask=2/", &event), 0);
	assert_int_equal(resolve(dev, "core/event=0xc0,thresh=1/", &event), 0);
	assert_fails(resolve(dev, "core/event=0xc0,filter_nid=1/", &event), ENOENT, "no field");
	assert_fails(resolve(dev, "core/LLC_MISES/", &event), ENOENT, "did you mean 'LLC_MISSES'");
	assert_int_equal(resolve(dev, "imc/CAS_COUNT.RD/", &event), 0);
}

/* A name alone selects no kind of cores. ucore_events_find() returns an event for each kind. */
static void core_events_of_both_kinds_resolve(void **state)
{
	struct ucore_events *events;
	struct ucore_event event;

	(void)state;
	fake_cpus(2);
	fake_atoms(2);
	assert_int_equal(ucore_device_refresh(dev, &err), 0);
	assert_int_equal(resolve(dev, "atom/LLC_MISSES/", &event), 0);
	assert_string_equal(event.type, "atom");
	assert_int_equal(event.counters, 0x7);
	assert_fails(resolve(dev, "core/LLC_MISSES/", &event), ENXIO, "does not have");
	assert_fails(resolve(dev, "atom/LLC_REFERENCES,cpu=1/", &event), ENOENT,
		     "cpu 1 has no atom");
	assert_fails(resolve(dev, "atom/fixed=2/", &event), ENXIO, "There are 2");
	assert_fails(resolve(dev, "atom/fixed=1,cmask=1/", &event), EINVAL, "usr, os, any");
	assert_fails(resolve(dev, "LLC_REFERENCES", &event), EINVAL,
		     "Write core/LLC_REFERENCES/ or atom/LLC_REFERENCES/");
	assert_int_equal(ucore_events_find(dev, "LLC_REFERENCES/usr/", &events, &err), 0);
	assert_string_equal(ucore_events_at(events, 0)->text, "core/LLC_REFERENCES,usr/");
	assert_string_equal(ucore_events_at(events, 1)->text, "atom/LLC_REFERENCES,usr/");
	assert_null(ucore_events_at(events, 2));
	ucore_events_free(events);
}

static void core_fixed_counters_are_selected(void **state)
{
	struct ucore_event event;

	(void)state;
	fake_cpus(4);
	assert_int_equal(ucore_device_refresh(dev, &err), 0);
	assert_int_equal(resolve(dev, "core/INST_RETIRED.ANY/", &event), 0);
	assert_true(event.counters == 1ULL << UCORE_COUNTER_FIXED);
	assert_int_equal(event.nr_terms, 0);
	assert_int_equal(resolve(dev, "core/CPU_CLK_UNHALTED.REF_TSC,usr,period=9/", &event), 0);
	assert_true(event.counters == 4ULL << UCORE_COUNTER_FIXED);
	assert_int_equal(event.nr_terms, 1);
	assert_fails(resolve(dev, "core/TOPDOWN.SLOTS/", &event), ENXIO, "There are 3");
	assert_fails(resolve(dev, "core/fixed=1,cmask=1/", &event), EINVAL, "usr, os, any");
}

/* Without core counters the names of core events are unknown */
static void core_events_without_cores_are_refused(void **state)
{
	struct ucore_event event;

	(void)state;
	assert_fails(resolve(dev, "INSTRUCTIONS_RETIRED", &event), ENOENT, "not a box type");
	assert_fails(resolve(dev, "core/LLC_MISSES/", &event), ENOENT, "are not available");
}

/* ---- ranges, patterns, names ------------------------------------------- */

static int expand(const char *text, struct ucore_event **events, size_t *nr)
{
	const char *list = text;
	struct ucore_spec spec;

	assert_int_equal(ucore_spec_next(&list, &spec, &err), 1);
	return ucore_spec_expand(dev, &spec, events, nr, &err);
}

static void box_ranges_select_boxes(void **state)
{
	static const struct { const char *text; uint32_t first, last; } cases[] = {
		{ "imc/CAS_COUNT.RD/", UCORE_ANY, UCORE_ANY }, { "imc2/CAS_COUNT.RD/", 2, 2 },
		{ "imc1-3/CAS_COUNT.RD/", 1, 3 }, { "imc0-0/CAS_COUNT.RD/", 0, 0 },
		{ "r3qpi0-1/CLOCKTICKS/", 0, 1 },
	};
	static const struct { const char *text, *words; } wrong[] = {
		{ "imc2-1/CAS_COUNT.RD/", "'imc2-1' is not a box type" },
		{ "imc1-/CAS_COUNT.RD/", "'imc1-' is not a box type" },
		{ "imc-1/CAS_COUNT.RD/", "'imc-1' is not a box type" },
		{ "imc0-1-2/CAS_COUNT.RD/", "'imc0-1-2' is not a box type" },
		{ "imc0-1000000/CAS_COUNT.RD/", "is not a box type" },
		{ "imc3-4/CAS_COUNT.RD/", "no imc4 on any die" },
		{ "imc7-9/CAS_COUNT.RD/", "no imc7 on any die" },
	};
	struct ucore_event event;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		const struct ucore_box_info *boxes;
		size_t nr;

		if (resolve(dev, cases[i].text, &event))
			fail_msg("%s", err.text);
		assert_int_equal(event.instance, cases[i].first);
		assert_int_equal(event.last, cases[i].last);
		boxes = ucore_device_boxes(dev, &nr);
		for (size_t b = 0; b < nr; b++)
			assert_int_equal(ucore_event_matches(&event, &boxes[b]),
					 !strcmp(boxes[b].type, event.type) &&
					 (cases[i].first == UCORE_ANY ||
					  (boxes[b].instance >= cases[i].first &&
					   boxes[b].instance <= cases[i].last)));
	}
	for (size_t i = 0; i < NR(wrong); i++)
		assert_fails(resolve(dev, wrong[i].text, &event), ENOENT, wrong[i].words);
}

static void patterns_select_matching_events(void **state)
{
	static const struct { const char *text; size_t nr; const char *first, *last; } cases[] = {
		{ "imc/CAS_COUNT.RD/", 1, "imc/CAS_COUNT.RD/", "imc/CAS_COUNT.RD/" },
		{ "imc/CAS_COUNT.*/", 9, "imc/CAS_COUNT.ALL/", "imc/CAS_COUNT.WR_WMM/" },
		{ "imc0-1/cas_count.w?/", 1, "imc0-1/CAS_COUNT.WR/", "imc0-1/CAS_COUNT.WR/" },
		{ "imc/UNC_M_CAS_COUNT.W?/", 1, "imc/CAS_COUNT.WR/", "imc/CAS_COUNT.WR/" },
		{ "imc/CAS_COUNT.W[R],thresh=2,die=0/", 1, "imc/CAS_COUNT.WR,thresh=2,die=0/",
		  "imc/CAS_COUNT.WR,thresh=2,die=0/" },
		{ "im*/CAS_COUNT.RD/", 1, "imc/CAS_COUNT.RD/", "imc/CAS_COUNT.RD/" },
		{ "r*/CLOCKTICKS/", 2, "r2pcie/CLOCKTICKS/", "r3qpi/CLOCKTICKS/" },
		/* other types have no such event */
		{ "*/CAS_COUNT.RD/", 1, "imc/CAS_COUNT.RD/", "imc/CAS_COUNT.RD/" },
		{ "*/CAS_COUNT.W?/", 1, "imc/CAS_COUNT.WR/", "imc/CAS_COUNT.WR/" },
		{ "im*/event=0x04,umask=0x03/", 1, "imc/event=0x04,umask=0x03/",
		  "imc/event=0x04,umask=0x03/" },
		{ "UNC_M_CAS_COUNT.WR*", 3, "UNC_M_CAS_COUNT.WR", "UNC_M_CAS_COUNT.WR_WMM" },
		{ "UNC_M_CAS_COUNT.W?/die=0/", 1, "UNC_M_CAS_COUNT.WR/die=0/",
		  "UNC_M_CAS_COUNT.WR/die=0/" },
	};
	struct ucore_event *events;
	size_t nr;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		if (expand(cases[i].text, &events, &nr))
			fail_msg("%s", err.text);
		assert_int_equal(nr, cases[i].nr);
		assert_string_equal(events[0].label, cases[i].first);
		assert_string_equal(events[nr - 1].label, cases[i].last);
		free(events);
	}
}

static void patterns_without_match_are_refused(void **state)
{
	static const struct { const char *text; int code; const char *words; } cases[] = {
		{ "imc/ZZ*/", ENOENT, "no event of imc matches 'ZZ*'" },
		{ "UNC_M_CAS*/ZZ*/", ENOENT, "imc has no event or field 'ZZ*'" },
		{ "zz*/CLOCKTICKS/", ENOENT, "matches 'zz*'" },
		{ "UNC_Z*", ENOENT, "matches 'UNC_Z*'" },
		{ "im*/NOSUCH/", ENOENT, "'imc/NOSUCH/'|no event or field 'NOSUCH'" },
		{ "imc9/CAS_COUNT.*/", ENOENT, "no imc9" },
		{ "nosuch/CAS_COUNT.*/", ENOENT, "'nosuch' is not a box type" },
		{ "imc/CAS_COUNT.*,CAS_COUNT.*/", ENOENT, "no event or field 'CAS_COUNT.*'" },
		{ "imc/CAS_COUNT.*,name=x/", EINVAL, "9 events. Leave it out" },
		{ "imc/CAS_COUNT.*,thresh=1000/", ERANGE, "is out of range" },
	};
	struct ucore_event *events;
	size_t nr;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++)
		assert_fails(expand(cases[i].text, &events, &nr), cases[i].code, cases[i].words);
}

static void name_term_sets_the_label(void **state)
{
	struct ucore_event event;

	(void)state;
	assert_int_equal(resolve(dev, "imc/CAS_COUNT.RD,name=reads/", &event), 0);
	assert_string_equal(event.label, "reads");
	assert_int_equal(resolve(dev, "imc2/NAME=a=b,event=4/", &event), 0);
	assert_string_equal(event.label, "a=b");
	/* errors quote the text that the user wrote */
	assert_fails(resolve(dev, "imc/NOSUCH,name=reads/", &event), ENOENT,
		     "imc/NOSUCH,name=reads/");
	assert_fails(resolve(dev, "imc/CAS_COUNT.RD,name=a,name=b/", &event), EINVAL, "twice");
	assert_fails(resolve(dev, "imc/CAS_COUNT.RD,name/", &event), EINVAL, "takes a word");
	assert_fails(resolve(dev, "{imc/CAS_COUNT.RD/}", &event), EINVAL, "braces are not supported");
}

static void list_failure_adds_no_event(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, NULL);

	(void)state;
	assert_int_equal(ucore_session_add_list(session, "imc/CAS_COUNT.W?/,qpi/CLOCKTICKS/",
						&err), 0);
	assert_string_equal(ucore_session_event(session, 1)->label, "qpi/CLOCKTICKS/");
	assert_null(ucore_session_event(session, 2));
	assert_fails(ucore_session_add_list(session, "ha/CLOCKTICKS/,imc/CAS_COUNT.*/", &err),
		     ENOSPC, "has no free counter");
	assert_fails(ucore_session_add_list(session, "ha/CLOCKTICKS/,imc/NOSUCH/", &err), ENOENT,
		     "NOSUCH");
	assert_fails(ucore_session_add_list(session, "ha/CLOCKTICKS/,imc/", &err), EINVAL,
		     "slashes");
	assert_null(ucore_session_event(session, 2));
	ucore_session_destroy(session);
}

/* Two swapped characters are one edit */
static void similar_names_are_suggested(void **state)
{
	static const struct { const char *text, *guess; } cases[] = {
		{ "icm/CAS_COUNT.RD/", "'imc'" }, { "qip/CLOCKTICKS/", "'qpi'" },
		{ "cob/CLOCKTICKS/", "'cbo'" }, { "imc/CAS_CONUT.RD/", "'CAS_COUNT.RD'" },
		{ "imc/CAS_COUNT.RDD/", "'CAS_COUNT.RD'" }, { "ubx/UCLK/", "'ubox'" },
	};
	struct ucore_event event;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++)
		assert_fails(resolve(dev, cases[i].text, &event), ENOENT, cases[i].guess);
}

/* ---- public event functions ---------------------------------------------- */

static void list_is_split_into_events(void **state)
{
	const char *list = "imc/CAS_COUNT.RD,die=1/,qpi0/CLOCKTICKS/";
	char text[UCORE_SPEC_LEN], little[4];

	(void)state;
	assert_int_equal(ucore_list_next(&list, text, sizeof(text), &err), 1);
	assert_string_equal(text, "imc/CAS_COUNT.RD,die=1/");
	assert_int_equal(ucore_list_next(&list, little, sizeof(little), &err), 1);
	assert_string_equal(little, "qpi");
	assert_null(list);
	assert_int_equal(ucore_list_next(&list, text, sizeof(text), &err), 0);
	list = "imc/CAS_COUNT.RD";
	assert_fails(ucore_list_next(&list, text, sizeof(text), &err), EINVAL, "two slashes");
}

static void text_resolves_to_events(void **state)
{
	const struct ucore_box_info *boxes;
	const struct ucore_event *second;
	struct ucore_events *events;
	struct ucore_event *event;
	size_t nr;

	(void)state;
	assert_int_equal(ucore_events_find(dev, "imc1/CAS_COUNT.RD,period=7,name=reads/", &events,
					   &err), 0);
	event = ucore_events_at(events, 0);
	assert_null(ucore_events_at(events, 1));
	assert_string_equal(ucore_event_text(event), "imc1/CAS_COUNT.RD,period=7,name=reads/");
	assert_string_equal(ucore_event_label(event), "reads");
	assert_string_equal(ucore_event_type(event), "imc");
	assert_string_equal(ucore_event_desc_of(event)->name, "UNC_M_CAS_COUNT.RD");
	assert_int_equal(ucore_event_period(event), 7);
	boxes = ucore_device_boxes(dev, &nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(ucore_event_matches(event, &boxes[i]),
				 !strcmp(boxes[i].type, "imc") && boxes[i].instance == 1);
	ucore_events_free(events);

	assert_int_equal(ucore_events_find(dev, "imc/CAS_COUNT.*/", &events, &err), 0);
	second = ucore_events_at(events, 1);
	assert_non_null(second);
	assert_string_not_equal(ucore_event_label(second),
				ucore_event_label(ucore_events_at(events, 0)));
	ucore_events_free(events);

	assert_int_equal(ucore_events_find(dev, "imc/event=4,umask=3/", &events, &err), 0);
	assert_null(ucore_event_desc_of(ucore_events_at(events, 0)));
	ucore_events_free(events);
	ucore_events_free(NULL);
}

static void event_setters_change_period_and_flags(void **state)
{
	struct ucore_session *session = session_get(dev, NULL, NULL);
	struct ucore_events *events;
	struct ucore_event *event;

	(void)state;
	assert_int_equal(ucore_events_find(dev, "cbo0/CLOCKTICKS,die=0/", &events, &err), 0);
	event = ucore_events_at(events, 0);
	ucore_event_set_period(event, 1000000);
	assert_int_equal(ucore_event_period(event), 1000000);
	assert_int_equal(ucore_session_add(session, event, &err), 0);
	assert_int_equal(fake.events[0].period, 1000000);
	ucore_event_set_flags(event, UCORE_EVENT_F_NO_POLL);
	assert_fails(ucore_session_add(session, event, &err), EOPNOTSUPP, "no overflow interrupt");
	ucore_events_free(events);
	ucore_session_destroy(session);
}

static void invalid_texts_are_refused(void **state)
{
	struct ucore_events *events;

	(void)state;
	assert_fails(ucore_events_find(dev, "imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/", &events, &err),
		     EINVAL, "more than one");
	assert_fails(ucore_events_find(dev, "", &events, &err), EINVAL, "an event is empty");
	assert_fails(ucore_events_find(dev, "imc/NOSUCH.*/", &events, &err), ENOENT, "NOSUCH");
	assert_fails(ucore_events_find(dev, "imc/NOSUCH/", &events, &err), ENOENT, "NOSUCH");
}

static const struct CMUnitTest tests[] = {
	TEST_DEV(core_events_resolve),
	TEST_DEV(core_events_of_both_kinds_resolve),
	TEST_DEV(core_fixed_counters_are_selected),
	TEST_DEV(core_events_without_cores_are_refused),
	TEST_DEV(lists_are_split_outside_slashes),
	TEST_DEV(malformed_specs_are_refused),
	TEST_DEV(named_event_sets_code_and_counters),
	TEST_DEV(box_and_die_select_one_box),
	TEST_DEV(cpu_term_selects_one_box),
	TEST_DEV(longest_type_name_matches),
	TEST_DEV(special_encodings_are_applied),
	TEST_DEV(fixed_counters_are_selected),
	TEST_DEV(irp_halves_use_their_counters),
	TEST_DEV(raw_events_set_their_fields),
	TEST_DEV(field_missing_in_one_box_is_found),
	TEST_DEV(missing_filters_get_defaults_or_errors),
	TEST_DEV(invalid_events_are_refused),
	TEST_DEV(unknown_platform_counts_raw_events),
	TEST_DEV(table_events_can_be_added),
	TEST_DEV(other_e5_events_resolve),
	TEST_DEV(tor_filters_are_set),
	TEST_DEV(skylake_events_resolve),
	TEST_DEV(client_events_resolve),
	TEST_DEV(icelake_events_resolve),
	TEST_DEV(platforms_are_found_by_name),
	TEST_DEV(processors_are_found_by_model),
	TEST_DEV(box_ranges_select_boxes),
	TEST_DEV(patterns_select_matching_events),
	TEST_DEV(patterns_without_match_are_refused),
	TEST_DEV(name_term_sets_the_label),
	TEST_DEV(list_failure_adds_no_event),
	TEST_DEV(similar_names_are_suggested),
	TEST_DEV(list_is_split_into_events),
	TEST_DEV(text_resolves_to_events),
	TEST_DEV(event_setters_change_period_and_flags),
	TEST_DEV(invalid_texts_are_refused),
};

UNIT_MAIN(tests)
