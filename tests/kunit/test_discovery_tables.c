// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the tables for Sapphire Rapids, Granite Rapids and related models, against a
 * second, independent copy of the facts in the driver's sources.
 */
#include <kunit/test.h>

#include "find/die_topology.h"
#include "find/discovery/discovery.h"
#include "platforms/match.h"
#include "event/event.h"

#define MAX_TYPES	24

/* By type number of a discovery unit, NULL if there is no such type */
static const char * const spr_names[MAX_TYPES] = {
	"cha", "iio", "irp", "m2pcie", "pcu", "ubox", "imc", "m2m", "upi", "m3upi", "pcie", "mdf",
	"cxlcm", "cxldp", "mchbm",
};

static const char * const gnr_names[MAX_TYPES] = {
	"cha", "iio", "irp", NULL, "pcu", "ubox", "imc", NULL, "upi", NULL, NULL, NULL,
	"cxlcm", "cxldp", NULL, "b2hot", "b2cmi", "b2cxl", "b2upi", NULL, "mdf", "pciex16",
	"pciex8",
};

/**
 * struct expected - expected facts of a processor
 * @platform: platform of the processor
 * @name: name of the platform
 * @model: CPUID model
 * @names: names of the box types
 */
struct expected {
	const struct ucore_platform *platform;
	const char *name;
	u32 model;
	const char * const *names;
};

static const struct expected platforms[] = {
	{ &ucore_platform_spr, "spr", 0x8f, spr_names },
	{ &ucore_platform_emr, "emr", 0xcf, spr_names },
	{ &ucore_platform_gnr, "gnr", 0xad, gnr_names },
	{ &ucore_platform_gnr, "gnr", 0xae, gnr_names },
	{ &ucore_platform_srf, "srf", 0xaf, gnr_names },
	{ &ucore_platform_grr, "grr", 0xb6, gnr_names },
	{ &ucore_platform_cwf, "cwf", 0xdd, gnr_names },
};

static void platform_name(const struct expected *e, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "model %02x", e->model);
}

KUNIT_ARRAY_PARAM(platform, platforms, platform_name);

static const struct ucore_disc_rules *rules_of(struct kunit *test)
{
	const struct expected *e = test->param_value;

	return e->platform->table;
}

static const struct ucore_disc_type *find(const struct ucore_disc_rules *rules, u32 id)
{
	u32 i;

	for (i = 0; i < rules->nr_types; i++)
		if (rules->types[i].id == id)
			return &rules->types[i];
	return NULL;
}

static void platform_is_matched(struct kunit *test)
{
	const struct expected *e = test->param_value;

	fake_kernel_reset();
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = e->model;
	KUNIT_EXPECT_PTR_EQ(test, ucore_platform_match(), e->platform);
	KUNIT_EXPECT_STREQ(test, e->platform->name, e->name);
	KUNIT_EXPECT_NULL(test, e->platform->intree);
	KUNIT_EXPECT_NOT_NULL(test, e->platform->drop);
	KUNIT_EXPECT_NOT_NULL(test, e->platform->report);
}

static void unit_types_have_their_names(struct kunit *test)
{
	const struct expected *e = test->param_value;
	const struct ucore_disc_type *type;
	u32 id, n = 0;

	for (id = 0; id < MAX_TYPES; id++) {
		type = find(rules_of(test), id);
		KUNIT_EXPECT_EQ_MSG(test, !!type, !!e->names[id], "type %u", id);
		if (type && e->names[id])
			KUNIT_EXPECT_STREQ(test, type->type->name, e->names[id]);
		n += !!type;
	}
	KUNIT_EXPECT_EQ(test, rules_of(test)->nr_types, n);
}

/* Section 4: one reset word for all types, and no bit that must stay set */
static void control_words_are_as_listed(struct kunit *test)
{
	const struct ucore_box_type *type;
	u32 i;

	for (i = 0; i < rules_of(test)->nr_types; i++) {
		type = rules_of(test)->types[i].type;
		KUNIT_EXPECT_EQ(test, type->words->reset, 0x301U);
		KUNIT_EXPECT_EQ(test, type->words->run, 0U);
		KUNIT_EXPECT_EQ(test, type->ctl_ov_en, (u32)BIT(20));
		KUNIT_EXPECT_EQ(test, type->fixed_en, (u32)BIT(22));
		KUNIT_EXPECT_EQ(test, type->fixed_ov_en, 0U);
		KUNIT_EXPECT_EQ(test, type->fixed_width, 48);
		KUNIT_EXPECT_EQ(test, type->status_gp_shift, 0);
		KUNIT_EXPECT_EQ(test, type->caps, (u32)UCORE_BOX_F_FREEZE);
		KUNIT_EXPECT_GT(test, type->max_increment, 0);
		/* known only from the discovery table */
		KUNIT_EXPECT_EQ(test, type->nr_gp, 0);
		KUNIT_EXPECT_EQ(test, type->nr_fixed, 0);
		KUNIT_EXPECT_EQ(test, type->width, 0);
	}
}

struct field {
	u32 field;
	u64 mask;
	u32 slot;
};

static const struct field common_fields[] = {
	{ UCORE_FIELD_EVENT, 0xff }, { UCORE_FIELD_UMASK, 0xff00 },
	{ UCORE_FIELD_EDGE, BIT(18) }, { UCORE_FIELD_INVERT, BIT(23) },
};

static const struct field cha_fields[] = {
	{ UCORE_FIELD_THRESH, 0xff000000 }, { UCORE_FIELD_UMASK_EXT, GENMASK_ULL(63, 32) },
};

static const struct field spr_cha_fields[] = {
	{ UCORE_FIELD_THRESH, 0xff000000 }, { UCORE_FIELD_UMASK_EXT, GENMASK_ULL(63, 32) },
	{ UCORE_FIELD_TID_EN, BIT(16) }, { UCORE_FIELD_FILTER_TID, 0x3ff, 1 },
};

static const struct field iio_fields[] = {
	{ UCORE_FIELD_THRESH, GENMASK_ULL(35, 24) }, { UCORE_FIELD_CH_MASK, GENMASK_ULL(47, 36) },
	{ UCORE_FIELD_FC_MASK, GENMASK_ULL(50, 48) },
};

static const struct field other_fields[] = {
	{ UCORE_FIELD_THRESH, 0xff000000 }, { UCORE_FIELD_UMASK_EXT, GENMASK_ULL(55, 32) },
};

/* PCU and UBox, and B2HOT and MDF of Granite Rapids and later, have no extended umask. */
static const struct field narrow_fields[] = {
	{ UCORE_FIELD_THRESH, 0xff000000 },
};

static bool is_narrow(u32 id, bool spr)
{
	return id == 4 || id == 5 || (!spr && (id == 15 || id == 20));
}

static void expect_fields(struct kunit *test, const struct ucore_box_type *type,
			  const struct field *want, u32 nr)
{
	u32 i, j;

	for (i = 0; i < nr; i++) {
		for (j = 0; j < type->nr_fields; j++)
			if (type->fields[j].field == want[i].field)
				break;
		KUNIT_ASSERT_LT_MSG(test, j, type->nr_fields, "%s", type->name);
		KUNIT_EXPECT_EQ_MSG(test, type->fields[j].piece[0].mask, want[i].mask, "%s %u",
				    type->name, want[i].field);
		KUNIT_EXPECT_EQ(test, type->fields[j].piece[0].slot, want[i].slot);
		KUNIT_EXPECT_EQ(test, type->fields[j].piece[0].shift, 0);
		KUNIT_EXPECT_EQ(test, type->fields[j].piece[1].mask, 0ULL);
	}
}

#define EXPECT_FIELDS(test, type, fields) do {					\
	expect_fields(test, type, common_fields, ARRAY_SIZE(common_fields));	\
	expect_fields(test, type, fields, ARRAY_SIZE(fields));			\
	KUNIT_EXPECT_EQ(test, (type)->nr_fields,				\
			(u32)(ARRAY_SIZE(common_fields) + ARRAY_SIZE(fields)));	\
} while (0)

static void field_masks_are_as_listed(struct kunit *test)
{
	const struct expected *e = test->param_value;
	const struct ucore_disc_type *type;
	u32 i;

	for (i = 0; i < rules_of(test)->nr_types; i++) {
		type = &rules_of(test)->types[i];
		if (type->id == 0 && e->names == spr_names)
			EXPECT_FIELDS(test, type->type, spr_cha_fields);
		else if (type->id == 0)
			EXPECT_FIELDS(test, type->type, cha_fields);
		else if (type->id == 1)
			EXPECT_FIELDS(test, type->type, iio_fields);
		else if (is_narrow(type->id, e->names == spr_names))
			EXPECT_FIELDS(test, type->type, narrow_fields);
		else
			EXPECT_FIELDS(test, type->type, other_fields);
	}
	/* an unknown type has an extended umask of 32 bits */
	EXPECT_FIELDS(test, rules_of(test)->unknown, cha_fields);
}

/* Fields also avoid reset (17), overflow (20) and the reserved bits. */
static void fields_do_not_overlap(struct kunit *test)
{
	const struct ucore_box_type *type;
	u64 bits, mask;
	u32 i, j;

	for (i = 0; i < rules_of(test)->nr_types; i++) {
		type = rules_of(test)->types[i].type;
		bits = BIT(17) | BIT(19) | BIT(20) | BIT(21) | BIT(22);
		for (j = 0; j < type->nr_fields; j++) {
			mask = type->fields[j].piece[0].mask;
			if (type->fields[j].piece[0].slot != UCORE_SLOT_CTL)
				continue;
			KUNIT_EXPECT_EQ_MSG(test, bits & mask, 0ULL, "%s %u", type->name,
					    type->fields[j].field);
			bits |= mask;
		}
	}
}

/* Where Linux and Intel's event files differ, the counters that both allow. */
static const struct allowed {
	u32 type;
	u16 event, last;
	u8 umask;
	u32 counters;
} spr_allowed[] = {
	{ 0, 0x11, 0x11, 0, 0x1 }, { 0, 0x36, 0x36, 0, 0x1 },
	{ 1, 0x02, 0x03, 0, 0x3 }, { 1, 0x40, 0x40, 0, 0x1 }, { 1, 0x41, 0x41, 0xc0, 0x1 },
	{ 1, 0x83, 0x83, 0, 0x3 }, { 1, 0x88, 0x88, 0, 0xc }, { 1, 0xc0, 0xc0, 0, 0xc },
	{ 1, 0xc5, 0xc5, 0, 0xc }, { 1, 0xd5, 0xd5, 0, 0xc },
	{ 3, 0x14, 0x14, 0, 0x3 }, { 3, 0x23, 0x23, 0, 0x3 }, { 3, 0x2d, 0x2d, 0, 0x3 },
	{ 4, 0x06, 0x06, 0, 0x1 }, { 5, 0x4c, 0x4f, 0, 0x1 },
	{ 9, 0x1c, 0x1f, 0, 0x1 }, { 9, 0x21, 0x21, 0, 0x1 }, { 9, 0x30, 0x30, 0, 0x1 },
	{ 9, 0x35, 0x35, 0, 0x1 }, { 9, 0x40, 0x40, 0, 0x7 }, { 9, 0x43, 0x43, 0, 0x1 },
	{ 9, 0x47, 0x4d, 0, 0x1 }, { 9, 0x4e, 0x50, 0, 0x7 }, { 9, 0x51, 0x61, 0, 0x1 },
	{ 9, 0x7d, 0x7e, 0, 0x1 },
	{ 12, 0x02, 0x02, 0, 0xf }, { 12, 0x05, 0x05, 0, 0xf }, { 12, 0x40, 0x43, 0, 0xf0 },
	{ 12, 0x4b, 0x4b, 0, 0xf0 }, { 12, 0x52, 0x52, 0, 0xf0 },
	{ }
}, gnr_allowed[] = {
	{ 0, 0x11, 0x11, 0, 0x1 }, { 0, 0x36, 0x36, 0, 0x1 },
	{ 1, 0x02, 0x03, 0, 0x3 }, { 1, 0x83, 0x84, 0, 0x3 }, { 1, 0x88, 0x88, 0, 0xc },
	{ 1, 0xc0, 0xc1, 0, 0xc }, { 1, 0xc5, 0xc5, 0, 0xc }, { 1, 0xd5, 0xd5, 0, 0xc },
	{ 12, 0x01, 0x01, 0, 0xf0 }, { 12, 0x02, 0x02, 0, 0xf }, { 12, 0x05, 0x05, 0, 0xf },
	{ 12, 0x40, 0x43, 0, 0xf0 }, { 12, 0x4b, 0x4b, 0, 0xf0 }, { 12, 0x52, 0x52, 0, 0xf0 },
	{ }
};

static u32 allowed_counters(const struct allowed *a, u32 type, u32 event, u32 umask, u32 all)
{
	for (; a->counters; a++)
		if (type == a->type && event >= a->event && event <= a->last &&
		    (!a->umask || a->umask == umask))
			return a->counters;
	return all;
}

/* Check each event on eight counters. The driver restricts it by the control word. */
static void event_constraints_are_as_listed(struct kunit *test)
{
	const struct expected *e = test->param_value;
	const struct allowed *allowed = e->names == spr_names ? spr_allowed : gnr_allowed;
	static const u8 umasks[] = { 0, 0x40, 0xc0 };
	const struct ucore_disc_type *t;
	struct ucore_event_spec spec;
	struct ucore_box_type type;
	struct ucore_box box = { };
	u32 event, i, want;

	for (t = rules_of(test)->types; t < rules_of(test)->types + rules_of(test)->nr_types; t++) {
		type = *t->type;
		type.nr_gp = 8;
		box.desc.type = &type;
		for (event = 0; event < 256; event++) {
			for (i = 0; i < ARRAY_SIZE(umasks); i++) {
				spec = (struct ucore_event_spec){
					.value = { event | umasks[i] << 8 },
				};
				want = allowed_counters(allowed, t->id, event, umasks[i], 0xff);
				KUNIT_EXPECT_EQ(test, 0,
						ucore_event_restrict(&box, 0, 0, UCORE_END_ANY,
								     &spec));
				KUNIT_EXPECT_EQ_MSG(test, spec.counters, (u64)want,
						    "%s event %#x umask %#x", type.name, event,
						    umasks[i]);
			}
		}
	}
}

/* Sections 3 and 4: registers that the records do not contain */
static void irregular_registers_are_as_listed(struct kunit *test)
{
	const struct expected *e = test->param_value;
	const struct ucore_disc_rules *rules = rules_of(test);
	bool spr = e->names == spr_names;
	const struct ucore_disc_type *t;
	u32 i;

	for (i = 0; i < rules->nr_types; i++) {
		t = &rules->types[i];
		switch (t->id) {
		case 0:
			KUNIT_EXPECT_EQ(test, t->filter, spr ? 0xe : 0);
			KUNIT_EXPECT_EQ(test, t->access, UCORE_ACCESS_MSR);
			break;
		case 5:
			KUNIT_EXPECT_EQ(test, t->fixed_ctl, 0xe);
			KUNIT_EXPECT_EQ(test, t->fixed_ctr, spr ? 0xf : 0xd);
			KUNIT_EXPECT_EQ(test, t->access, UCORE_ACCESS_MSR);
			break;
		case 6:
		case 14:
			KUNIT_EXPECT_EQ(test, t->fixed_ctl, 0x54);
			KUNIT_EXPECT_EQ(test, t->fixed_ctr, 0x38);
			KUNIT_EXPECT_EQ(test, t->ctl_stride, 4);
			KUNIT_EXPECT_EQ(test, t->access, UCORE_ACCESS_MMIO);
			break;
		case 12:
		case 13:
		case 17:
			KUNIT_EXPECT_EQ(test, t->ctl_stride, 8);
			break;
		}
		if (t->id != 0)
			KUNIT_EXPECT_EQ(test, t->filter, 0);
		if (t->id != 5 && t->id != 6 && t->id != 14)
			KUNIT_EXPECT_EQ(test, t->fixed_ctl, 0);
	}
}

/* Section 7.2, and the CHA count of 7.1 */
static void known_places_are_as_listed(struct kunit *test)
{
	const struct expected *e = test->param_value;
	const struct ucore_disc_rules *rules = rules_of(test);
	const struct ucore_disc_place *upi = rules->places, *m3upi = rules->places + 1;

	if (e->names == gnr_names) {
		KUNIT_EXPECT_EQ(test, rules->nr_places, 0U);
		KUNIT_EXPECT_EQ(test, rules->count_msr, 0U);
		return;
	}
	KUNIT_EXPECT_EQ(test, rules->count_msr, 0x2ffeU);
	KUNIT_EXPECT_EQ(test, rules->count_type, 0U);
	KUNIT_ASSERT_EQ(test, rules->nr_places, 2U);
	KUNIT_EXPECT_EQ(test, upi->type, 8U);
	KUNIT_EXPECT_EQ(test, upi->device, 0x3241);
	KUNIT_EXPECT_EQ(test, upi->slot, 1);
	KUNIT_EXPECT_EQ(test, upi->offset, 0x318U);
	KUNIT_EXPECT_EQ(test, m3upi->type, 9U);
	KUNIT_EXPECT_EQ(test, m3upi->device, 0x3246);
	KUNIT_EXPECT_EQ(test, m3upi->slot, 5);
	KUNIT_EXPECT_EQ(test, m3upi->offset, 0xa0U);
	KUNIT_EXPECT_EQ(test, upi->function, 1);
	KUNIT_EXPECT_EQ(test, m3upi->function, 1);
	KUNIT_EXPECT_EQ(test, upi->nr, 4U);
	/* 4 counters of 48 bits, controls 38h and counters 8 behind the box control, PCI */
	KUNIT_EXPECT_EQ(test, upi->word0, 2ULL << 62 | 8 << 24 | 48 << 16 | 0x38 << 8 | 4);
	KUNIT_EXPECT_EQ(test, m3upi->word0, upi->word0);
	KUNIT_EXPECT_EQ(test, rules->ubox->device, 0x3250);
	KUNIT_EXPECT_EQ(test, rules->ubox->nodeid, 0xc0);
	KUNIT_EXPECT_EQ(test, rules->ubox->gidnidmap, 0xd4);
}

static void generic_platform_has_no_rules(struct kunit *test)
{
	const struct ucore_disc_rules *rules = ucore_platform_generic.table;

	KUNIT_EXPECT_EQ(test, rules->nr_types, 0U);
	KUNIT_EXPECT_EQ(test, rules->nr_places, 0U);
	KUNIT_EXPECT_EQ(test, rules->count_msr, 0U);
	KUNIT_EXPECT_EQ(test, rules->unknown->words->reset, 0x301U);
	KUNIT_EXPECT_STREQ(test, ucore_platform_generic.name, "generic");
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(platform_is_matched, platform_gen_params),
	KUNIT_CASE_PARAM(unit_types_have_their_names, platform_gen_params),
	KUNIT_CASE_PARAM(control_words_are_as_listed, platform_gen_params),
	KUNIT_CASE_PARAM(field_masks_are_as_listed, platform_gen_params),
	KUNIT_CASE_PARAM(fields_do_not_overlap, platform_gen_params),
	KUNIT_CASE_PARAM(event_constraints_are_as_listed, platform_gen_params),
	KUNIT_CASE_PARAM(irregular_registers_are_as_listed, platform_gen_params),
	KUNIT_CASE_PARAM(known_places_are_as_listed, platform_gen_params),
	KUNIT_CASE(generic_platform_has_no_rules),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_disc_tables",
	.test_cases = cases,
};

kunit_test_suites(&suite);
