// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of Skylake-SP, Cascade Lake-SP and Cooper Lake. The tables are compared with a
 * second, independent copy. Other tests check how boxes are found, and register accesses that
 * earlier generations do not have.
 */
#include "box/core_select.h"
#include "abi/get_answers.h"
#include "fake_machine.h"
#include "find/static_table.h"
#include "event/event.h"

/* ---- the tables ---- */

/**
 * struct expected - expected facts of a processor
 * @platform: platform of the processor
 * @name: name of the platform
 * @first: first stepping
 * @last: last stepping
 * @links: number of UPI links
 */
struct expected {
	const struct ucore_platform *platform;
	const char *name;
	u32 first;
	u32 last;
	u32 links;
};

static const struct expected processors[] = {
	{ &ucore_platform_skx, "skx", 0, 4, 3 },
	{ &ucore_platform_clx, "clx", 5, 9, 3 },
	{ &ucore_platform_cpx, "cpx", 10, 15, 6 },
};

static void processor_name(const struct expected *e, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%s", e->name);
}

KUNIT_ARRAY_PARAM(processor, processors, processor_name);

static const struct ucore_static_table *table_of(struct kunit *test)
{
	const struct expected *e = test->param_value;

	return e->platform->table;
}

static u32 nr_rows(struct kunit *test)
{
	return table_of(test)->nr_msr + table_of(test)->nr_pci;
}

static const struct ucore_box_type *row_type(struct kunit *test, u32 i)
{
	const struct ucore_static_table *table = table_of(test);

	return i < table->nr_msr ? table->msr[i].type : table->pci[i - table->nr_msr].type;
}

/* Return the layout and the first register of instance @instance of a row. */
static const struct ucore_layout *row_layout(struct kunit *test, u32 i, u32 instance, u32 *base)
{
	const struct ucore_static_table *table = table_of(test);

	*base = 0;
	if (i >= table->nr_msr)
		return table->pci[i - table->nr_msr].layout;
	*base = table->msr[i].base + instance * table->msr[i].stride;
	return ucore_static_layout(&table->msr[i], instance);
}

/* Legal bits of a control except reset (17), and all registers of instance @instance */
static const struct {
	const char *name;
	u32 instance;
	u8 nr_gp, nr_fixed, width, fixed_width;
	bool wide;
	u64 legal_ctl;
	u16 regs[20];		/* box control, status, controls, counters, fixed, filters */
} types[] = {
	{ "cha", 0, 4, 0, 48, 0, false, 0xffdcffff,
	  { 0xe00, 0xe07, 0xe01, 0xe02, 0xe03, 0xe04, 0xe08, 0xe09, 0xe0a, 0xe0b, 0xe05, 0xe06 } },
	{ "cha", 27, 4, 0, 48, 0, false, 0xffdcffff,
	  { 0xfb0, 0xfb7, 0xfb1, 0xfb2, 0xfb3, 0xfb4, 0xfb8, 0xfb9, 0xfba, 0xfbb, 0xfb5, 0xfb6 } },
	{ "iio", 0, 4, 0, 48, 0, true, 0x7fffffd4ffffULL,
	  { 0xa40, 0xa47, 0xa48, 0xa49, 0xa4a, 0xa4b, 0xa41, 0xa42, 0xa43, 0xa44 } },
	{ "iio", 5, 4, 0, 48, 0, true, 0x7fffffd4ffffULL,
	  { 0xae0, 0xae7, 0xae8, 0xae9, 0xaea, 0xaeb, 0xae1, 0xae2, 0xae3, 0xae4 } },
	{ "irp", 0, 2, 0, 48, 0, false, 0xffd4ffff,
	  { 0xa58, 0xa5f, 0xa5b, 0xa5c, 0xa59, 0xa5a } },
	{ "irp", 5, 2, 0, 48, 0, false, 0xffd4ffff,
	  { 0xaf8, 0xaff, 0xafb, 0xafc, 0xaf9, 0xafa } },
	{ "iio_free", 0, 0, 17, 0, 36, false, 0,
	  { 0xa45, 0xb00, 0xb01, 0xb02, 0xb03, 0xb04, 0xb05, 0xb06, 0xb07, 0xb08, 0xb0a, 0xb0c,
	    0xb0e, 0xb09, 0xb0b, 0xb0d, 0xb0f } },
	{ "iio_free", 5, 0, 17, 0, 36, false, 0,
	  { 0xae5, 0xb50, 0xb51, 0xb52, 0xb53, 0xb54, 0xb55, 0xb56, 0xb57, 0xb58, 0xb5a, 0xb5c,
	    0xb5e, 0xb59, 0xb5b, 0xb5d, 0xb5f } },
	{ "ubox", 0, 2, 1, 48, 48, false, 0x1fd4ffff,
	  { 0x708, 0x705, 0x706, 0x709, 0x70a, 0x703, 0x704 } },
	{ "pcu", 0, 4, 0, 48, 0, false, 0xdfd4c0ff,
	  { 0x710, 0x716, 0x711, 0x712, 0x713, 0x714, 0x717, 0x718, 0x719, 0x71a, 0x715 } },
	{ "imc", 0, 4, 1, 48, 48, false, 0xffd4ffff,
	  { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8, 0xf0, 0xd0 } },
	{ "m2m", 0, 4, 0, 48, 0, false, 0xffd4ffff,
	  { 0x258, 0x260, 0x228, 0x230, 0x238, 0x240, 0x200, 0x208, 0x210, 0x218 } },
	{ "upi", 0, 4, 0, 48, 0, true, 0xffefffffd4ffffULL,
	  { 0x378, 0x37c, 0x350, 0x358, 0x360, 0x368, 0x318, 0x320, 0x328, 0x330 } },
	{ "m3upi", 0, 3, 0, 48, 0, false, 0xffd4ffff,
	  { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xa0, 0xa8, 0xb0 } },
	{ "m2pcie", 0, 4, 0, 48, 0, false, 0xffd4ffff,
	  { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8 } },
};

static u32 put_regs(u16 *regs, u32 n, u32 base, const u16 *from, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		regs[n + i] = base + from[i];
	return n + nr;
}

static u32 row_regs(struct kunit *test, u32 i, u32 instance, u16 *regs)
{
	const struct ucore_box_type *type = row_type(test, i);
	const struct ucore_layout *layout;
	u32 base, n = 0;

	layout = row_layout(test, i, instance, &base);
	if (layout->box_ctl != UCORE_REG_NONE)
		n = put_regs(regs, n, base, &layout->box_ctl, 1);
	if (layout->status != UCORE_REG_NONE)
		n = put_regs(regs, n, base, &layout->status, 1);
	n = put_regs(regs, n, base, layout->ctl, type->nr_gp);
	n = put_regs(regs, n, base, layout->ctr, type->nr_gp);
	if (type->nr_fixed && layout->fixed_ctl[0] != UCORE_REG_NONE)
		n = put_regs(regs, n, base, layout->fixed_ctl, type->nr_fixed);
	n = put_regs(regs, n, base, layout->fixed_ctr, type->nr_fixed);
	return put_regs(regs, n, base, layout->shared, layout->nr_shared);
}

static u64 control_bits(struct kunit *test, const struct ucore_box_type *type)
{
	u64 bits = type->ctl_en | type->ctl_ov_en;
	u32 i;

	for (i = 0; i < type->nr_fields; i++) {
		if (type->fields[i].piece[0].slot != UCORE_SLOT_CTL)
			continue;
		KUNIT_EXPECT_EQ(test, bits & type->fields[i].piece[0].mask, 0ULL);
		bits |= type->fields[i].piece[0].mask;
	}
	return bits;
}

/* Check each row of each type, for the instances listed above. */
static void box_types_are_as_listed(struct kunit *test)
{
	u32 i, t, r, n, base, seen = 0;
	const struct ucore_box_type *type;
	u16 regs[32];

	for (i = 0; i < nr_rows(test); i++) {
		type = row_type(test, i);
		for (t = 0; t < ARRAY_SIZE(types); t++) {
			if (strcmp(types[t].name, type->name))
				continue;
			seen |= BIT(t);
			KUNIT_EXPECT_EQ(test, type->nr_gp, types[t].nr_gp);
			KUNIT_EXPECT_EQ(test, type->nr_fixed, types[t].nr_fixed);
			KUNIT_EXPECT_EQ(test, type->width, types[t].width);
			KUNIT_EXPECT_EQ(test, type->fixed_width, types[t].fixed_width);
			KUNIT_EXPECT_EQ(test, row_layout(test, i, 0, &base)->wide_ctl,
					types[t].wide);
			KUNIT_EXPECT_EQ_MSG(test, control_bits(test, type), types[t].legal_ctl,
					    "%s", type->name);
			n = row_regs(test, i, types[t].instance, regs);
			for (r = 0; r < n; r++)
				KUNIT_EXPECT_EQ_MSG(test, regs[r], types[t].regs[r],
						    "%s register %u", type->name, r);
			KUNIT_EXPECT_EQ(test, types[t].regs[n], 0);
		}
	}
	KUNIT_EXPECT_EQ(test, seen, (u32)GENMASK(ARRAY_SIZE(types) - 1, 0));
}

/*
 * Each box with controls reports overflows. Each except the UBox has a box control to freeze
 * it.
 */
static void box_capabilities_are_as_listed(struct kunit *test)
{
	const struct ucore_box_type *type;
	u32 i, caps, base;
	bool ubox;

	for (i = 0; i < nr_rows(test); i++) {
		type = row_type(test, i);
		ubox = !strcmp(type->name, "ubox");
		caps = type->nr_gp ? UCORE_BOX_F_OVERFLOW : UCORE_BOX_F_FREE_RUNNING;
		if (type->nr_gp && !ubox)
			caps |= UCORE_BOX_F_FREEZE;
		if (type->nr_gp && type->nr_fixed)
			caps |= UCORE_BOX_F_FIXED_OVERFLOW;
		KUNIT_EXPECT_EQ_MSG(test, type->caps, caps, "%s", type->name);
		KUNIT_EXPECT_EQ(test, type->ctl_en, type->nr_gp ? (u32)BIT(22) : 0U);
		KUNIT_EXPECT_EQ(test, type->ctl_ov_en, type->nr_gp ? (u32)BIT(20) : 0U);
		KUNIT_EXPECT_EQ(test, !!type->words, type->nr_gp && !ubox);
		KUNIT_EXPECT_EQ(test, type->status_gp_shift, strcmp(type->name, "imc") ? 0 : 1);
		KUNIT_EXPECT_EQ(test, row_layout(test, i, 0, &base)->status == UCORE_REG_NONE,
				!type->nr_gp);
	}
}

static void cha_filters_are_as_listed(struct kunit *test)
{
	static const struct {
		u32 field;
		u8 slot;
		u64 mask;
	} fields[] = {
		{ UCORE_FIELD_FILTER_TID, 1, 0x1ff }, { UCORE_FIELD_FILTER_LINK, 1, 0x1e00 },
		{ UCORE_FIELD_FILTER_STATE, 1, 0x7fe0000 }, { UCORE_FIELD_FILTER_REM, 2, 0x1 },
		{ UCORE_FIELD_FILTER_LOC, 2, 0x2 }, { UCORE_FIELD_FILTER_ALL_OP, 2, 0x8 },
		{ UCORE_FIELD_FILTER_NM, 2, 0x10 }, { UCORE_FIELD_FILTER_NOT_NM, 2, 0x20 },
		{ UCORE_FIELD_FILTER_OPC_0, 2, 0x7fe00 },
		{ UCORE_FIELD_FILTER_OPC_1, 2, 0x1ff80000 },
		{ UCORE_FIELD_FILTER_NC, 2, 0x40000000 },
		{ UCORE_FIELD_FILTER_ISOC, 2, 0x80000000 },
	};
	const struct ucore_box_type *type = row_type(test, 0);
	u32 i, f, seen = 0;

	for (f = 0; f < type->nr_fields; f++) {
		if (type->fields[f].piece[0].slot == UCORE_SLOT_CTL)
			continue;
		for (i = 0; i < ARRAY_SIZE(fields); i++)
			if (fields[i].field == type->fields[f].field)
				break;
		KUNIT_ASSERT_LT(test, i, (u32)ARRAY_SIZE(fields));
		KUNIT_EXPECT_EQ(test, type->fields[f].piece[0].slot, fields[i].slot);
		KUNIT_EXPECT_EQ(test, type->fields[f].piece[0].mask, fields[i].mask);
		seen |= BIT(i);
	}
	KUNIT_EXPECT_EQ(test, seen, (u32)GENMASK(ARRAY_SIZE(fields) - 1, 0));
}

static void msr_boxes_do_not_overlap(struct kunit *test)
{
	u32 *seen = kunit_kcalloc(test, 1024, sizeof(*seen), GFP_KERNEL);
	const struct ucore_static_table *table = table_of(test);
	u32 i, inst, r, n, k, nr_seen = 3;
	u16 regs[32];

	KUNIT_ASSERT_NOT_NULL(test, seen);
	seen[0] = 0x700;
	seen[1] = 0x701;
	seen[2] = 0x702;
	for (i = 0; i < table->nr_msr; i++) {
		for (inst = 0; inst < table->msr[i].max; inst++) {
			n = row_regs(test, i, inst, regs);
			for (r = 0; r < n; r++) {
				for (k = 0; k < nr_seen; k++)
					KUNIT_EXPECT_NE(test, seen[k], (u32)regs[r]);
				seen[nr_seen++] = regs[r];
			}
		}
	}
}

/* Ids and places, of Cooper Lake and of the others */
static const struct {
	const char *name;
	u32 instance;
	u16 device, slot, function;
	bool cpx, others;
} places[] = {
	{ "imc", 0, 0x2042, 10, 2, true, true }, { "imc", 1, 0x2046, 10, 6, true, true },
	{ "imc", 2, 0x204a, 11, 2, true, true }, { "imc", 3, 0x2042, 12, 2, true, true },
	{ "imc", 4, 0x2046, 12, 6, true, true }, { "imc", 5, 0x204a, 13, 2, true, true },
	{ "m2m", 0, 0x2066, 8, 0, true, true }, { "m2m", 1, 0x2066, 9, 0, true, true },
	{ "upi", 0, 0x2058, 14, 0, true, true }, { "upi", 1, 0x2058, 15, 0, true, true },
	{ "upi", 2, 0x2058, 16, 0, true, true }, { "upi", 3, 0x2058, 14, 4, true, false },
	{ "upi", 4, 0x2058, 15, 4, true, false }, { "upi", 5, 0x2058, 16, 4, true, false },
	{ "m3upi", 0, 0x204d, 18, 1, true, true }, { "m3upi", 1, 0x204e, 18, 2, true, true },
	{ "m3upi", 2, 0x204d, 18, 5, false, true }, { "m3upi", 2, 0x204d, 19, 1, true, false },
	{ "m3upi", 3, 0x204e, 19, 2, true, false }, { "m3upi", 4, 0x204d, 20, 1, true, false },
	{ "m3upi", 5, 0x204e, 20, 2, true, false },
	{ "m2pcie", 0, 0x2088, 21, 1, true, true }, { "m2pcie", 1, 0x2088, 22, 1, true, true },
	{ "m2pcie", 2, 0x2088, 23, 1, true, true }, { "m2pcie", 3, 0x2088, 22, 5, true, true },
};

static void pci_boxes_have_listed_ids_and_places(struct kunit *test)
{
	const struct ucore_static_table *table = table_of(test);
	const struct expected *e = test->param_value;
	const struct ucore_static_pci *row = table->pci;
	u32 i, j, n = 0;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		if (!(e->links == 6 ? places[i].cpx : places[i].others))
			continue;
		n++;
		for (j = 0; j < table->nr_pci; j++)
			if (!strcmp(row[j].type->name, places[i].name) &&
			    row[j].instance == places[i].instance)
				break;
		KUNIT_ASSERT_LT_MSG(test, j, table->nr_pci, "%s%u", places[i].name,
				    places[i].instance);
		KUNIT_EXPECT_EQ(test, row[j].device, places[i].device);
		KUNIT_EXPECT_EQ(test, row[j].at,
				(u16)PCI_DEVFN(places[i].slot, places[i].function));
	}
	KUNIT_EXPECT_EQ(test, table->nr_pci, n);
}

static void platforms_are_as_listed(struct kunit *test)
{
	const struct ucore_static_table *table = table_of(test);
	const struct expected *e = test->param_value;
	const struct ucore_global *global = table->global;
	u32 stepping;

	fake_kernel_reset();
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = 85;
	for (stepping = e->first; stepping <= e->last; stepping++) {
		fake_boot_cpu.x86_stepping = stepping;
		KUNIT_EXPECT_PTR_EQ(test, ucore_platform_match(), e->platform);
	}
	KUNIT_EXPECT_STREQ(test, e->platform->name, e->name);
	KUNIT_EXPECT_STREQ(test, e->platform->intree, "skx_uncore");
	KUNIT_EXPECT_EQ(test, e->platform->caps,
			(u32)(UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI));
	KUNIT_EXPECT_EQ(test, global->ctl, 0x700U);
	KUNIT_EXPECT_EQ(test, global->status, 0x701U);
	KUNIT_EXPECT_EQ(test, global->nr_status, 1U);
	KUNIT_EXPECT_EQ(test, global->freeze, BIT_ULL(63));
	KUNIT_EXPECT_EQ(test, global->wake, BIT_ULL(62));
	KUNIT_EXPECT_EQ(test, global->unfreeze, BIT_ULL(61));
	KUNIT_EXPECT_EQ(test, global->core_sel, 0xffffffffffffULL);
	KUNIT_EXPECT_EQ(test, global->keep, BIT_ULL(62) | 0xffffffffffffULL);
	KUNIT_EXPECT_EQ(test, table->ubox.device, 0x2014);
	KUNIT_EXPECT_EQ(test, table->ubox.nodeid, 0xc0);
	KUNIT_EXPECT_EQ(test, table->ubox.gidnidmap, 0xd4);
	KUNIT_EXPECT_TRUE(test, table->ubox.lower);
	KUNIT_EXPECT_EQ(test, table->global_config, 0x702U);
	KUNIT_EXPECT_EQ(test, table->num_cbo, 0x3fULL);
	KUNIT_EXPECT_EQ(test, table->fuse_device, 0x2083);
	KUNIT_EXPECT_EQ(test, table->fuse_reg, 0x9c);
	KUNIT_EXPECT_EQ(test, table->fuses, 0xfffffffU);
}

/* Events that the kernel's own driver allows on all counters are not listed. */
static const struct allowed {
	const char *type;
	u16 first, last;
	u32 counters;
} allowed[] = {
	{ "cha", 0x11, 0x11, 0x1 }, { "cha", 0x36, 0x36, 0x1 }, { "cha", 0x3b, 0x3b, 0x1 },
	{ "iio", 0x83, 0x83, 0x3 }, { "iio", 0x88, 0x88, 0xc }, { "iio", 0x95, 0x95, 0xc },
	{ "iio", 0xc0, 0xc0, 0xc }, { "iio", 0xc5, 0xc5, 0xc }, { "iio", 0xd4, 0xd5, 0xc },
	{ "m2pcie", 0x23, 0x23, 0x3 }, { "m3upi", 0x1c, 0x1e, 0x1 }, { "m3upi", 0x3c, 0x3c, 0x1 },
	{ "m3upi", 0x8e, 0x8e, 0x1 },
};

static u32 allowed_counters(const struct ucore_box_type *type, u32 event)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(allowed); i++)
		if (!strcmp(allowed[i].type, type->name) && event >= allowed[i].first &&
		    event <= allowed[i].last)
			return allowed[i].counters;
	return GENMASK(type->nr_gp - 1, 0);
}

static void every_event_is_restricted_to_its_counters(struct kunit *test)
{
	struct ucore_event_spec spec;
	struct ucore_box box = { };
	u32 i, event;

	for (i = 0; i < nr_rows(test); i++) {
		box.desc.type = row_type(test, i);
		for (event = 0; box.desc.type->nr_gp && event < 256; event++) {
			spec = (struct ucore_event_spec){ .value = { event | 0xa500 } };
			KUNIT_EXPECT_EQ(test, fake_restrict(&box, 0, 0, &spec), 0);
			KUNIT_EXPECT_EQ_MSG(test, spec.counters,
					    (u64)allowed_counters(box.desc.type, event),
					    "%s event %#x", box.desc.type->name, event);
		}
	}
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE_PARAM(box_types_are_as_listed, processor_gen_params),
	KUNIT_CASE_PARAM(box_capabilities_are_as_listed, processor_gen_params),
	KUNIT_CASE_PARAM(cha_filters_are_as_listed, processor_gen_params),
	KUNIT_CASE_PARAM(msr_boxes_do_not_overlap, processor_gen_params),
	KUNIT_CASE_PARAM(pci_boxes_have_listed_ids_and_places, processor_gen_params),
	KUNIT_CASE_PARAM(platforms_are_as_listed, processor_gen_params),
	KUNIT_CASE_PARAM(every_event_is_restricted_to_its_counters, processor_gen_params),
	{ }
};

static struct kunit_suite table_suite = {
	.name = "ucore_skx_tables",
	.test_cases = table_cases,
};

/* ---- finding the boxes ---- */

static int find_init(struct kunit *test)
{
	fake_kernel_reset();
	fake_cpus_need_two(test);
	fake_pci_init(test);
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = 85;
	fake_boot_cpu.x86_stepping = 4;
	return 0;
}

static u32 boxes_found(const char *type, u32 die)
{
	u32 i, n = 0;

	for (i = 0; i < 64; i++)
		n += !!box_find(type, die, i);
	return n;
}

static void ubox_add(u32 bus, u32 package)
{
	struct fake_function *ubox = fake_pci_add(0x2014, bus, 8, 0);

	ubox->config[0xc0 / 4] = package;
	ubox->config[0xd4 / 4] = 0xfac688;
}

/* Add the function with the fuses, with unrelated bits set. */
static void caps_add(u32 bus, u32 fuses)
{
	fake_pci_add(0x2083, bus, 30, 3)->config[0x9c / 4] = 0xf0000000 | fuses;
}

static void chas_answer(u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		fake_msr_add(0xe00 + 0x10 * i, 0);
}

/**
 * struct slices - number of CHAs of a die
 * @fuses: CAPID6, 0 if its PCI function is hidden
 * @config: value of the configuration MSR, 0 if the MSR does not answer
 * @answer: number of CHAs that answer
 * @nr: number of CHAs that are found
 */
struct slices {
	u32 fuses, config, answer, nr;
};

static const struct slices slices[] = {
	{ 0xfffffff, 28, 28, 28 },
	{ 0x0a0a00f, 8, 28, 8 },	/* numbered without gaps, whichever fuses are set */
	{ 0x0a0a00f, 0, 28, 8 },
	{ 0x0a0a00f, 20, 28, 8 },	/* the fuses take precedence */
	{ 0x0a0a00f, 8, 5, 5 },		/* but each CHA must answer */
	{ 0, 10, 28, 10 },
	{ 0, 0, 28, 28 },
	{ 0, 0, 12, 12 },
	{ 0xfffffff, 63, 28, 28 },
};

static void slices_name(const struct slices *s, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "fuses %x register %u answers %u", s->fuses,
		 s->config, s->answer);
}

KUNIT_ARRAY_PARAM(slices, slices, slices_name);

static void cha_count_follows_the_fuses(struct kunit *test)
{
	const struct slices *s = test->param_value;

	fake_kernel.nr_cores = 4;
	chas_answer(s->answer);
	if (s->config)
		fake_msr_add(0x702, 0x3c0 | s->config);
	if (s->fuses)
		caps_add(0, s->fuses);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, boxes_found("cha", 0), s->nr);
	KUNIT_EXPECT_EQ(test, box_find("cha", 0, s->nr - 1)->io.msr, 0xe00 + 0x10 * (s->nr - 1));
	KUNIT_EXPECT_EQ(test, box_find("cha", 0, s->nr - 1)->desc.global_gp, ~0ULL);
}

/* Each socket has its own function, on the bus after its UBox. */
static void cha_count_is_per_socket(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	chas_answer(28);
	ubox_add(0, 1);
	ubox_add(2, 0);
	caps_add(1, 0x7);
	caps_add(2, 0x1f);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, boxes_found("cha", 1), 3U);
	KUNIT_EXPECT_EQ(test, boxes_found("cha", 0), 5U);
}

/* Functions of a socket are on buses from its UBox up to the next UBox. */
static void bus_without_ubox_uses_next_lower_one(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(0, 0);
	ubox_add(2, 1);
	fake_pci_add(0x2042, 1, 10, 2);
	fake_pci_add(0x2042, 2, 12, 2);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 0, 0));
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 1, 3));
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 2U);
}

/* Two dies in a package, as on Cascade Lake-AP: the UBoxes number dies. */
static void dies_of_one_package_are_numbered_by_ubox(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	fake_kernel.one_package = true;
	ubox_add(0, 1);
	ubox_add(2, 0);
	fake_pci_add(0x2042, 0, 10, 2);
	fake_pci_add(0x2042, 2, 10, 2);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_NOT_NULL(test, box_find("imc", 0, 0));
	KUNIT_ASSERT_NOT_NULL(test, box_find("imc", 1, 0));
	KUNIT_EXPECT_EQ(test, box_find("imc", 1, 0)->io.pdev->bus->number, 0x3f);
}

static void bus_below_every_ubox_is_skipped(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(1, 0);
	ubox_add(2, 1);
	fake_pci_add(0x2042, 0, 10, 2);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 0U);
}

/* Several functions have the same id: slot and function decide which box each is, or none. */
static void instance_follows_pci_slot_and_function(struct kunit *test)
{
	fake_pci_add(0x2042, 0, 12, 2);
	fake_pci_add(0x2042, 0, 10, 2);
	fake_pci_add(0x2042, 0, 14, 2);
	fake_pci_add(0x2088, 0, 22, 5);
	fake_pci_add(0x2088, 0, 21, 5);
	fake_pci_add(0x204d, 0, 18, 5);
	fake_pci_add(0x204d, 0, 19, 1);		/* on Cooper Lake only */
	fake_pci_add(0x2058, 0, 14, 4);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
	KUNIT_ASSERT_NOT_NULL(test, box_find("imc", 0, 0));
	KUNIT_ASSERT_NOT_NULL(test, box_find("imc", 0, 3));
	KUNIT_EXPECT_EQ(test, box_find("imc", 0, 0)->io.pdev->devfn, (u32)PCI_DEVFN(10, 2));
	KUNIT_EXPECT_EQ(test, box_find("imc", 0, 3)->io.pdev->devfn, (u32)PCI_DEVFN(12, 2));
	KUNIT_EXPECT_NOT_NULL(test, box_find("m2pcie", 0, 3));
	KUNIT_EXPECT_NOT_NULL(test, box_find("m3upi", 0, 2));
}

static void six_links_of_cooper_lake_are_found(struct kunit *test)
{
	u32 i;

	fake_boot_cpu.x86_stepping = 11;
	for (i = 0; i < 3; i++) {
		fake_pci_add(0x2058, 0, 14 + i, 0);
		fake_pci_add(0x2058, 0, 14 + i, 4);
		fake_pci_add(0x204d, 0, 18 + i, 1);
		fake_pci_add(0x204e, 0, 18 + i, 2);
	}
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, boxes_found("upi", 0), 6U);
	KUNIT_EXPECT_EQ(test, boxes_found("m3upi", 0), 6U);
}

/* The free-running counters of a stack exist if its clock answers. */
static void free_running_counters_are_found_by_their_clock(struct kunit *test)
{
	struct ucore_box_info info;

	fake_msr_add(0xa45, 0);
	fake_msr_add(0xae5, 0);
	fake_msr_add(0xa80, 0);		/* an IIO without free-running counters */
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 3U);
	KUNIT_EXPECT_NOT_NULL(test, box_find("iio", 0, 2));
	KUNIT_EXPECT_NOT_NULL(test, box_find("iio_free", 0, 0));
	KUNIT_ASSERT_NOT_NULL(test, box_find("iio_free", 0, 5));
	ucore_describe_box(box_find("iio_free", 0, 5), true, &info);
	KUNIT_EXPECT_EQ(test, info.location, 0xae5ULL);
	KUNIT_EXPECT_EQ(test, info.nr_fixed, 17U);
	KUNIT_EXPECT_EQ(test, info.fixed_width, 36U);
	KUNIT_EXPECT_EQ(test, info.flags, (u32)UCORE_BOX_F_FREE_RUNNING);
}

static struct kunit_case find_cases[] = {
	KUNIT_CASE_PARAM(cha_count_follows_the_fuses, slices_gen_params),
	KUNIT_CASE(cha_count_is_per_socket),
	KUNIT_CASE(bus_without_ubox_uses_next_lower_one),
	KUNIT_CASE(dies_of_one_package_are_numbered_by_ubox),
	KUNIT_CASE(bus_below_every_ubox_is_skipped),
	KUNIT_CASE(instance_follows_pci_slot_and_function),
	KUNIT_CASE(six_links_of_cooper_lake_are_found),
	KUNIT_CASE(free_running_counters_are_found_by_their_clock),
	{ }
};

static struct kunit_suite find_suite = {
	.name = "ucore_skx_find",
	.init = find_init,
	.exit = fake_catalog_exit,
	.test_cases = find_cases,
};

/* ---- register accesses ---- */

static const u64 no_filters[UCORE_MAX_SHARED];

/* Encode an event and program it on counter @counter of a reset box. */
static void program(struct kunit *test, struct ucore_box *box, u32 counter,
		    const struct ucore_term *terms, u32 nr)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_event_spec spec;

	KUNIT_ASSERT_EQ(test, ucore_event_encode(box, terms, nr, &spec), 0);
	ucore_box_program(box, no_filters);
	fake_bus_clear(bus_of(test));
	ucore_counter_program(fake_ctx_add(ctx, box, counter,
					   spec.value[UCORE_SLOT_CTL] | BIT(22), 0));
}

/* A 64-bit control in one MSR: port and class masks and a threshold of 12 bits. */
static void program_iio_writes_64_bits(struct kunit *test)
{
	static const struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x83 },
		{ .field = UCORE_FIELD_UMASK, .value = 0x04 },
		{ .field = UCORE_FIELD_THRESH, .value = 0x321 },
		{ .field = UCORE_FIELD_CH_MASK, .value = 0x0f },
		{ .field = UCORE_FIELD_FC_MASK, .value = 0x7 },
	};
	struct ucore_box *box = fake_box(test, 0, "iio", 5);
	struct fake_window *w = fake_window(box);

	program(test, box, 1, terms, ARRAY_SIZE(terms));
	KUNIT_EXPECT_EQ(test, fake_peek(w, 9), 0x70f321400483ULL);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 9, 0x70f321400483ULL), FAKE_R(w, 9));
}

/*
 * The upper dword is written before the lower one. Without the extended umask another event
 * would count.
 */
static void program_upi_writes_upper_dword_first(struct kunit *test)
{
	static const struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x05 },
		{ .field = UCORE_FIELD_UMASK, .value = 0x0e },
		{ .field = UCORE_FIELD_UMASK_EXT, .value = 0x8a2001 },
	};
	struct ucore_box *box = fake_box(test, 0, "upi", 2);
	struct fake_window *w = fake_window(box);

	program(test, box, 3, terms, ARRAY_SIZE(terms));
	/* the fake bus stores both dwords in the lower one */
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x36c, 0),
		    FAKE_W(w, 0x368, 0x8a200100400e05ULL), FAKE_R(w, 0x368), FAKE_R(w, 0x36c));
}

/* A switch from or to a control with an extended umask writes both dwords. */
static void switch_writes_both_dwords(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "upi", 1);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_counter *wide, *plain;
	struct fake_window *w = fake_window(box);

	wide = fake_ctx_add(ctx, box, 1, 0x8a200100400e05ULL, 0);
	plain = fake_ctx_add(ctx, box, 1, 0x400305, 0);
	box->selftest.missing = BIT(9);
	ucore_counter_switch(NULL, wide);
	KUNIT_EXPECT_EQ(test, fake_peek(w, wide->ctl_reg), 0x8a200100400e05ULL);
	/* because of the lower dword */
	KUNIT_EXPECT_EQ(test, wide->flags, (u32)UCORE_VALUE_F_PARTIAL);
	fake_bus_clear(bus_of(test));
	ucore_counter_switch(wide, plain);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, wide->ctl_reg + 4, 0),
		    FAKE_W(w, wide->ctl_reg, 0x400305));
	ucore_counter_switch(plain, wide);
	fake_bus_clear(bus_of(test));
	ucore_counter_disable(wide);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, wide->ctl_reg + 4, 0),
		    FAKE_W(w, wide->ctl_reg, 0));
}

/* A single bit in the upper dword is verified as well. */
static void switch_verifies_the_upper_dword(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "upi", 1);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_counter *wide = fake_ctx_add(ctx, box, 1, BIT_ULL(32) | 0x400e05, 0);
	struct ucore_counter *plain = fake_ctx_add(ctx, box, 1, 0x400305, 0);
	struct fake_window *w = fake_window(box);

	w->reserved = BIT_ULL(32);
	ucore_counter_switch(NULL, wide);
	KUNIT_EXPECT_EQ(test, wide->flags, (u32)UCORE_VALUE_F_PARTIAL);
	w->reserved = 0;
	ucore_counter_switch(plain, wide);
	KUNIT_EXPECT_EQ(test, fake_peek(w, wide->ctl_reg), BIT_ULL(32) | 0x400e05);
}

/* Bit 44 is not part of the extended umask. */
static void upi_umask_ext_bit_44_is_refused(struct kunit *test)
{
	static const struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x05 },
		{ .field = UCORE_FIELD_UMASK_EXT, .value = 0x1000 },
	};
	struct ucore_box *box = fake_box(test, 0, "upi", 0);
	struct ucore_event_spec spec;

	KUNIT_EXPECT_EQ(test, ucore_event_encode(box, terms, ARRAY_SIZE(terms), &spec), -ERANGE);
}

/* TOR filters, which the event lists give as one number: 40433h */
static void tor_filter_matches_event_list(struct kunit *test)
{
	static const struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x35 },
		{ .field = UCORE_FIELD_UMASK, .value = 0x21 },
		{ .field = UCORE_FIELD_FILTER_REM, .value = 1 },
		{ .field = UCORE_FIELD_FILTER_LOC, .value = 1 },
		{ .field = UCORE_FIELD_FILTER_NM, .value = 1 },
		{ .field = UCORE_FIELD_FILTER_NOT_NM, .value = 1 },
		{ .field = UCORE_FIELD_FILTER_OPC_0, .value = 0x202 },
	};
	struct ucore_box *box = fake_box(test, 0, "cha", 1);
	struct fake_window *w = fake_window(box);
	struct ucore_event_spec spec;

	KUNIT_ASSERT_EQ(test, ucore_event_encode(box, terms, ARRAY_SIZE(terms), &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.value[UCORE_SLOT_CTL], 0x2135ULL);
	KUNIT_EXPECT_EQ(test, spec.value[UCORE_SLOT_SHARED(0)], 0ULL);
	KUNIT_EXPECT_EQ(test, spec.value[UCORE_SLOT_SHARED(1)], 0x40433ULL);
	ucore_box_program(box, &spec.value[UCORE_SLOT_SHARED(0)]);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 6), 0x40433ULL);
}

/*
 * Counters that cannot be stopped are never written. They have 36 bits and count from their
 * current value.
 */
static void free_running_counters_are_only_read(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "iio_free", 3);
	struct fake_window *w = fake_window(box);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_counter *ctr;
	u32 clock = 0, in2 = 0xb02 + 0x30 - (0xa45 + 0x60);

	fake_poke(w, in2, BIT_ULL(36) - 7);
	ctr = fake_ctx_add(ctx, box, UCORE_COUNTER_FIXED + 3, 0, 0);
	fake_ctx_add(ctx, box, UCORE_COUNTER_FIXED, 0, 0);
	ucore_box_program(box, no_filters);
	ucore_counter_program(ctr);
	ucore_box_unfreeze(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, in2));
	fake_poke(w, in2, 5);
	ucore_counter_update(ctr, UCORE_RUNNING);
	ucore_counter_update(ctr + 1, UCORE_RUNNING);
	KUNIT_EXPECT_EQ(test, ctr->total, 12ULL);
	ucore_box_stop(box);
	ucore_box_restore(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, in2), FAKE_R(w, clock));
}

/*
 * The counter continues in other groups' time slices. Its next time slice starts from the new
 * value.
 */
static void free_running_counter_in_rotation_restarts(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "iio_free", 3);
	struct fake_window *w = fake_window(box);
	struct ucore_counter *ctr;

	ctr = fake_ctx_add(fake_ctx(test, 0, 0), box, UCORE_COUNTER_FIXED + 3, 0, 0);
	ctr->total = 20;
	ctr->prev = 900;
	fake_poke(w, ctr->reg, 1000);
	ucore_counter_switch(NULL, ctr);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, ctr->reg));
	fake_poke(w, ctr->reg, 1004);
	ucore_counter_update(ctr, UCORE_RUNNING);
	KUNIT_EXPECT_EQ(test, ctr->total, 24ULL);
	fake_bus_clear(bus_of(test));
	ucore_counter_switch(ctr, NULL);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* All types except free-running counters report overflows. */
static void all_boxes_with_controls_report_overflows(struct kunit *test)
{
	static const char * const names[] = { "cha", "iio", "irp", "ubox", "pcu", "imc", "m2m",
					      "upi", "m3upi", "m2pcie" };
	struct ucore_event_spec spec;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		spec = (struct ucore_event_spec){ };
		KUNIT_EXPECT_EQ_MSG(test, fake_restrict(fake_box(test, 0, names[i], 0), 0, 1000,
							&spec), 0, "%s", names[i]);
	}
	spec = (struct ucore_event_spec){ };
	KUNIT_EXPECT_EQ(test, fake_restrict(fake_box(test, 0, "iio_free", 0),
					    BIT_ULL(UCORE_COUNTER_FIXED), 1000, &spec),
			-EOPNOTSUPP);
}

/*
 * A global status bit covers an IIO and its IRP: both box statuses are checked. Each write of
 * the global control has the bits of this generation.
 */
static void overflow_checks_all_armed_boxes(struct kunit *test)
{
	struct ucore_box *iio = fake_box(test, 0, "iio", 1), *irp = fake_box(test, 0, "irp", 1);
	struct fake_window *gw = fake_global(0), *a = fake_window(iio), *b = fake_window(irp);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct ucore_domain *domain = ctx->domain;
	const struct ucore_sample *sample;
	struct ucore_readout ro;

	fake_ctx_add(ctx, iio, 2, 0x5000c0, 100);
	fake_ctx_add(ctx, irp, 1, 0x500018, 200);
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	ucore_ctx_program(ctx);
	fake_ctx_list(ctx);
	ucore_unfreeze_domain(domain, true);
	ucore_ctx_start_times(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	fake_bus_clear(bus_of(test));

	fake_overflow(irp, 2, 9, BIT(1), BIT_ULL(57));
	raw_spin_lock_irq(&domain->lock);
	ucore_readout_begin_overflow(&ro, domain, ktime_get_mono_fast_ns(), false);
	ucore_readout_end(&ro);
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, 0x700, BIT_ULL(63)), FAKE_R(gw, 0x701),
		    FAKE_R(a, 7), FAKE_R(b, 7), FAKE_R(a, 3), FAKE_R(b, 2),
		    FAKE_W(b, 7, BIT(1)), FAKE_W(gw, 0x701, BIT_ULL(57)),
		    FAKE_W(b, 2, BIT_ULL(48) - 200), FAKE_W(gw, 0x700, BIT_ULL(61)));
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, 101U);
}

/* pmi_core_sel has 48 bits. */
static void core_above_47_is_not_selectable(struct kunit *test)
{
	struct ucore_domain *domain = ucore_catalog_domain(0);

	fake_kernel.core_id[0] = 47;
	KUNIT_EXPECT_EQ(test, ucore_core_select_bit(domain, 0), BIT_ULL(47));
	fake_kernel.core_id[0] = 48;
	KUNIT_EXPECT_EQ(test, ucore_core_select_bit(domain, 0), 0ULL);
}

static struct kunit_case box_cases[] = {
	KUNIT_CASE(program_iio_writes_64_bits),
	KUNIT_CASE(program_upi_writes_upper_dword_first),
	KUNIT_CASE(switch_writes_both_dwords),
	KUNIT_CASE(switch_verifies_the_upper_dword),
	KUNIT_CASE(upi_umask_ext_bit_44_is_refused),
	KUNIT_CASE(tor_filter_matches_event_list),
	KUNIT_CASE(free_running_counters_are_only_read),
	KUNIT_CASE(free_running_counter_in_rotation_restarts),
	KUNIT_CASE(all_boxes_with_controls_report_overflows),
	KUNIT_CASE(overflow_checks_all_armed_boxes),
	KUNIT_CASE(core_above_47_is_not_selectable),
	{ }
};

static struct kunit_suite box_suite = {
	.name = "ucore_skx_boxes",
	.init = fake_machine_init_skx,
	.exit = fake_machine_exit,
	.test_cases = box_cases,
};

kunit_test_suites(&table_suite, &find_suite, &box_suite);
