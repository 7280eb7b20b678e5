// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the Diamond Rapids tables, against a second, independent copy of the facts
 * in the driver's sources.
 */
#include <kunit/test.h>

#include "find/discovery/discovery.h"
#include "platforms/match.h"
#include "event/event.h"

#define MAX_TYPES	64

/* By type number of a discovery unit, NULL if there is no such type */
static const char * const names[MAX_TYPES] = {
	[4] = "pcu", [5] = "ubox", [6] = "imc", [23] = "sca", [24] = "cxlcm", [30] = "hamvf",
	[31] = "cbo", [32] = "santa", [33] = "cncu", [34] = "sncu", [35] = "ula", [36] = "dda",
	[38] = "sbo", [43] = "ubr", [45] = "pcie4", [46] = "crs", [47] = "cpc", [48] = "itc",
	[49] = "otc", [50] = "cms", [51] = "pcie6",
};

static const struct ucore_disc_rules *rules(void)
{
	return ucore_platform_dmr.table;
}

static const struct ucore_disc_type *type_of(const struct ucore_disc_rules *its, u32 id)
{
	u32 i;

	for (i = 0; i < its->nr_types; i++)
		if (its->types[i].id == id)
			return &its->types[i];
	return NULL;
}

static void processor(u32 family, u32 model)
{
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = family;
	fake_boot_cpu.x86_model = model;
}

static void family_19_model_1_is_matched(struct kunit *test)
{
	fake_kernel_reset();
	processor(19, 1);
	KUNIT_EXPECT_PTR_EQ(test, ucore_platform_match(), &ucore_platform_dmr);
	KUNIT_EXPECT_STREQ(test, ucore_platform_dmr.name, "dmr");
	processor(6, 1);
	KUNIT_EXPECT_PTR_EQ(test, ucore_platform_match(), &ucore_platform_generic);
	processor(19, 2);
	KUNIT_EXPECT_PTR_EQ(test, ucore_platform_match(), &ucore_platform_generic);
	processor(19, 143);
	KUNIT_EXPECT_PTR_EQ(test, ucore_platform_match(), &ucore_platform_generic);
}

static void unit_types_have_their_names(struct kunit *test)
{
	const struct ucore_disc_type *type;
	u32 id, n = 0;

	for (id = 0; id < MAX_TYPES; id++) {
		type = type_of(rules(), id);
		KUNIT_EXPECT_EQ_MSG(test, !!type, !!names[id], "type %u", id);
		if (type && names[id])
			KUNIT_EXPECT_STREQ(test, type->type->name, names[id]);
		n += !!type;
	}
	KUNIT_EXPECT_EQ(test, rules()->nr_types, n);
	KUNIT_EXPECT_EQ(test, rules()->uncertain->nr_types, n + 1);	/* SB2UCIE */
}

static u64 mask_of(const struct ucore_box_type *type, u32 field)
{
	u32 i;

	for (i = 0; i < type->nr_fields; i++)
		if (type->fields[i].field == field)
			return type->fields[i].piece[0].mask;
	return 0;
}

/*
 * Masks that differ by type: invert, thresh, extended umask. All other fields have common
 * masks.
 */
static const struct control {
	u32 id;
	u64 invert, thresh, ext;
} controls[] = {
	{ 4, BIT(23), 0xff000000, 0 },
	{ 5, BIT(23), 0xff000000, 0 },
	{ 6, 0, 0, 0 },
	{ 23, BIT(23), 0xff000000, GENMASK_ULL(63, 32) },
	{ 24, BIT(21), 0xff800000, GENMASK_ULL(35, 32) },
	{ 30, BIT(23), 0xff000000, GENMASK_ULL(63, 32) },
	{ 31, BIT(23), 0xff000000, GENMASK_ULL(63, 32) },
	{ 32, BIT(23), 0xff000000, 0 },
	{ 33, BIT(23), 0xff000000, 0 },
	{ 34, BIT(23), 0xff000000, 0 },
	{ 35, BIT(23), 0xff000000, GENMASK_ULL(63, 32) },
	{ 36, BIT(23), 0xff000000, GENMASK_ULL(63, 32) },
	{ 38, BIT(23), 0xff000000, GENMASK_ULL(63, 32) },
	{ 43, BIT(23), 0xff000000, GENMASK_ULL(63, 32) },
	{ 45, BIT(23), GENMASK_ULL(35, 24), GENMASK_ULL(55, 36) },
	{ 46, BIT(23), 0xff000000, 0 },
	{ 47, BIT(23), 0xff000000, GENMASK_ULL(63, 32) },
	{ 48, BIT(23), 0xff000000, GENMASK_ULL(63, 32) },
	{ 49, BIT(23), 0xff000000, GENMASK_ULL(63, 32) },
	{ 50, BIT(23), 0xff000000, 0 },
	{ 51, BIT(23), GENMASK_ULL(35, 24), GENMASK_ULL(55, 36) },
};

static void field_masks_are_as_listed(struct kunit *test)
{
	const struct ucore_box_type *type;
	const struct control *c;

	KUNIT_EXPECT_EQ(test, rules()->nr_types, (u32)ARRAY_SIZE(controls));
	for (c = controls; c < controls + ARRAY_SIZE(controls); c++) {
		KUNIT_ASSERT_NOT_NULL(test, type_of(rules(), c->id));
		type = type_of(rules(), c->id)->type;
		KUNIT_EXPECT_EQ(test, mask_of(type, UCORE_FIELD_EVENT), 0xffULL);
		KUNIT_EXPECT_EQ(test, mask_of(type, UCORE_FIELD_UMASK), 0xff00ULL);
		/* edge needs a threshold, so that a type without one has no edge either */
		KUNIT_EXPECT_EQ_MSG(test, mask_of(type, UCORE_FIELD_EDGE),
				    c->thresh ? BIT_ULL(18) : 0, "%s", type->name);
		KUNIT_EXPECT_EQ_MSG(test, mask_of(type, UCORE_FIELD_INVERT), c->invert, "%s",
				    type->name);
		KUNIT_EXPECT_EQ_MSG(test, mask_of(type, UCORE_FIELD_THRESH), c->thresh, "%s",
				    type->name);
		KUNIT_EXPECT_EQ_MSG(test, mask_of(type, UCORE_FIELD_UMASK_EXT), c->ext, "%s",
				    type->name);
		KUNIT_EXPECT_EQ(test, type->nr_fields,
				2U + !!c->invert + 2 * !!c->thresh + !!c->ext);
	}
}

static const struct allowed {
	u32 id;
	u16 event, last;
	u32 counters;
} allowed[] = {
	{ 24, 0x01, 0x24, 0xf }, { 24, 0x41, 0x41, 0xf0 }, { 24, 0x50, 0x5e, 0xf0 },
	{ 24, 0x60, 0x61, 0xf0 },
	{ 31, 0x11, 0x11, 1 }, { 31, 0x19, 0x1a, 1 }, { 31, 0x1f, 0x1f, 1 }, { 31, 0x21, 0x21, 1 },
	{ 31, 0x25, 0x25, 1 }, { 31, 0x36, 0x36, 1 },
	{ 38, 0x1f, 0x1f, 1 }, { 38, 0x25, 0x25, 1 },
};

static u32 allowed_counters(u32 id, u32 event)
{
	const struct allowed *a;

	for (a = allowed; a < allowed + ARRAY_SIZE(allowed); a++)
		if (id == a->id && event >= a->event && event <= a->last)
			return a->counters;
	return 0xff;
}

static void event_constraints_are_as_listed(struct kunit *test)
{
	struct ucore_event_spec spec;
	struct ucore_box_type type;
	struct ucore_box box = { };
	u32 event, i;

	for (i = 0; i < rules()->nr_types; i++) {
		type = *rules()->types[i].type;
		type.nr_gp = 8;
		box.desc.type = &type;
		for (event = 0; event < 256; event++) {
			spec = (struct ucore_event_spec){ .value = { event } };
			KUNIT_EXPECT_EQ(test, 0,
					ucore_event_restrict(&box, 0, 0, UCORE_END_ANY, &spec));
			KUNIT_EXPECT_EQ_MSG(test, spec.counters,
					    (u64)allowed_counters(rules()->types[i].id, event),
					    "%s event %#x", type.name, event);
		}
	}
}

static void irregular_registers_are_as_listed(struct kunit *test)
{
	const struct ucore_disc_type *imc = type_of(rules(), 6), *ubox = type_of(rules(), 5);

	KUNIT_EXPECT_EQ(test, imc->access, UCORE_ACCESS_MMIO);
	KUNIT_EXPECT_EQ(test, imc->fixed_ctl, 0x10);
	KUNIT_EXPECT_EQ(test, imc->fixed_ctr, 0x18);
	KUNIT_EXPECT_EQ(test, ubox->fixed_ctl, 0);
	KUNIT_EXPECT_EQ(test, type_of(rules(), 24)->ctl_stride, 8);
	KUNIT_EXPECT_EQ(test, rules()->table_msr, 0x710U);
	KUNIT_EXPECT_EQ(test, rules()->table_device, 0x09a1);
}

/* Rules that the sources leave open are in a separate table, which is used on request only. */
static void uncertain_rules_are_separate(struct kunit *test)
{
	const struct ucore_disc_rules *open = rules()->uncertain;
	const struct ucore_box_type *imc = type_of(open, 6)->type;
	u32 i;

	KUNIT_EXPECT_NULL(test, open->uncertain);
	KUNIT_EXPECT_EQ(test, mask_of(imc, UCORE_FIELD_THRESH), GENMASK_ULL(31, 23));
	KUNIT_EXPECT_EQ(test, mask_of(imc, UCORE_FIELD_INVERT), 0ULL);
	KUNIT_EXPECT_EQ(test, type_of(open, 5)->fixed_ctl, 0xe);
	KUNIT_EXPECT_EQ(test, type_of(open, 5)->fixed_ctr, 0xd);
	KUNIT_EXPECT_EQ(test, open->table_msr, rules()->table_msr);
	KUNIT_EXPECT_NULL(test, type_of(rules(), 0x25));
	KUNIT_EXPECT_STREQ(test, type_of(open, 0x25)->type->name, "sb2ucie");
	KUNIT_EXPECT_NULL(test, rules()->free_fixed);
	for (i = 0; i < rules()->nr_types; i++)
		if (rules()->types[i].id != 6)
			KUNIT_EXPECT_PTR_EQ(test, type_of(open, rules()->types[i].id)->type,
					    rules()->types[i].type);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(family_19_model_1_is_matched),
	KUNIT_CASE(unit_types_have_their_names),
	KUNIT_CASE(field_masks_are_as_listed),
	KUNIT_CASE(event_constraints_are_as_listed),
	KUNIT_CASE(irregular_registers_are_as_listed),
	KUNIT_CASE(uncertain_rules_are_separate),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_dmr",
	.test_cases = cases,
};

kunit_test_suites(&suite);
