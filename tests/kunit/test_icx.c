// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of Ice Lake-SP, Ice Lake-D and Snow Ridge. The tables are compared with a
 * second, independent copy. Other tests check how boxes are found, mainly those in memory,
 * and register accesses that earlier generations do not have.
 */
#include "box/core_select.h"
#include "abi/get_answers.h"
#include "fake_machine.h"
#include "find/static_table.h"
#include "event/event.h"

/* ---- the tables ---- */

static const u16 cha_msrs[40] = {
	0xe00, 0xe0e, 0xe1c, 0xe2a, 0xe38, 0xe46, 0xe54, 0xe62, 0xe70, 0xe7e,
	0xe8c, 0xe9a, 0xea8, 0xeb6, 0xec4, 0xed2, 0xee0, 0xeee, 0xf0a, 0xf18,
	0xf26, 0xf34, 0xf42, 0xf50, 0xf5e, 0xf6c, 0xf7a, 0xf88, 0xf96, 0xfa4,
	0xfb2, 0xfc0, 0xfce, 0xfdc, 0xb60, 0xb6e, 0xb7c, 0xb8a, 0xb98, 0xba6,
};

static const struct ucore_static_table *table_of(const struct ucore_platform *platform)
{
	return platform->table;
}

static u32 nr_rows(const struct ucore_static_table *table)
{
	return table->nr_msr + table->nr_pci + table->nr_mmio;
}

/* Return the type of a row, and the layout and first register of one instance. */
static const struct ucore_box_type *row_of(const struct ucore_static_table *table, u32 i,
					   u32 instance, const struct ucore_layout **layout,
					   u32 *base)
{
	*base = 0;
	if (i < table->nr_msr) {
		*base = ucore_static_base(&table->msr[i], instance);
		*layout = ucore_static_layout(&table->msr[i], instance);
		return table->msr[i].type;
	}
	i -= table->nr_msr;
	if (i < table->nr_pci) {
		*layout = table->pci[i].layout;
		return table->pci[i].type;
	}
	i -= table->nr_pci;
	*layout = table->mmio[i].layout;
	return table->mmio[i].type;
}

/**
 * struct expected - a box type with all registers of one instance
 * @platform: platform of the type
 * @name: name of the type
 * @instance: instance that @regs describes
 * @nr_gp: number of general-purpose counters
 * @nr_fixed: number of fixed counters
 * @wide: controls have 64 bits
 * @ctl: legal bits of a control except reset
 * @regs: box control, status, controls, counters, fixed, filters
 */
struct expected {
	const struct ucore_platform *platform;
	const char *name;
	u32 instance;
	u8 nr_gp, nr_fixed;
	bool wide;
	u64 ctl;
	u16 regs[20];
};

static const struct expected types[] = {
	{ &ucore_platform_icx, "cha", 17, 4, 0, true, 0x3ffffffffdcffffULL,
	  { 0xeee, 0xef5, 0xeef, 0xef0, 0xef1, 0xef2, 0xef6, 0xef7, 0xef8, 0xef9, 0xef3 } },
	{ &ucore_platform_icx, "cha", 39, 4, 0, true, 0x3ffffffffdcffffULL,
	  { 0xba6, 0xbad, 0xba7, 0xba8, 0xba9, 0xbaa, 0xbae, 0xbaf, 0xbb0, 0xbb1, 0xbab } },
	{ &ucore_platform_icx, "iio", 2, 4, 0, true, 0x7ffffffd4ffffULL,
	  { 0xa90, 0xa97, 0xa98, 0xa99, 0xa9a, 0xa9b, 0xa91, 0xa92, 0xa93, 0xa94 } },
	{ &ucore_platform_icx, "iio", 3, 4, 0, true, 0x7ffffffd4ffffULL,
	  { 0xae0, 0xae7, 0xae8, 0xae9, 0xaea, 0xaeb, 0xae1, 0xae2, 0xae3, 0xae4 } },
	{ &ucore_platform_icx, "iio_free", 2, 0, 9, false, 0,
	  { 0xa95, 0xac0, 0xac1, 0xac2, 0xac3, 0xac4, 0xac5, 0xac6, 0xac7 } },
	{ &ucore_platform_icx, "iio_free", 5, 0, 9, false, 0,
	  { 0xb25, 0xb50, 0xb51, 0xb52, 0xb53, 0xb54, 0xb55, 0xb56, 0xb57 } },
	{ &ucore_platform_icx, "irp", 0, 2, 0, false, 0xffd4ffff,
	  { 0xa4a, 0xa4f, 0xa4d, 0xa4e, 0xa4b, 0xa4c } },
	{ &ucore_platform_icx, "irp", 5, 2, 0, false, 0xffd4ffff,
	  { 0xb1a, 0xb1f, 0xb1d, 0xb1e, 0xb1b, 0xb1c } },
	{ &ucore_platform_icx, "m2pcie", 0, 4, 0, false, 0xffd4ffff,
	  { 0xa40, 0xa45, 0xa46, 0xa47, 0xa48, 0xa49, 0xa41, 0xa42, 0xa43, 0xa44 } },
	{ &ucore_platform_icx, "m2pcie", 4, 4, 0, false, 0xffd4ffff,
	  { 0xaf0, 0xaf5, 0xaf6, 0xaf7, 0xaf8, 0xaf9, 0xaf1, 0xaf2, 0xaf3, 0xaf4 } },
	{ &ucore_platform_icx, "ubox", 0, 2, 1, false, 0x1fd4ffff,
	  { 0x708, 0x705, 0x706, 0x709, 0x70a, 0x703, 0x704 } },
	{ &ucore_platform_icx, "pcu", 0, 4, 0, false, 0xdfd4c0ff,
	  { 0x710, 0x716, 0x711, 0x712, 0x713, 0x714, 0x717, 0x718, 0x719, 0x71a, 0x715 } },
	{ &ucore_platform_icx, "upi", 0, 4, 0, true, 0xffffffffd4ffffULL,
	  { 0x318, 0x37c, 0x350, 0x358, 0x360, 0x368, 0x320, 0x328, 0x330, 0x338 } },
	{ &ucore_platform_icx, "m3upi", 0, 4, 0, false, 0xffd4ffff,
	  { 0xa0, 0xf8, 0xd8, 0xdc, 0xe0, 0xe4, 0xa8, 0xb0, 0xb8, 0xc0 } },
	{ &ucore_platform_icx, "m2m", 0, 4, 0, true, 0xffffd4ffffULL,
	  { 0x438, 0x4a8, 0x468, 0x470, 0x478, 0x480, 0x440, 0x448, 0x450, 0x458 } },
	{ &ucore_platform_icx, "imc", 0, 4, 1, false, 0xffd4ffff,
	  { 0x0, 0x5c, 0x40, 0x44, 0x48, 0x4c, 0x8, 0x10, 0x18, 0x20, 0x54, 0x38 } },
	{ &ucore_platform_icx, "imc_free", 0, 0, 5, false, 0,
	  { 0x0, 0x8, 0x10, 0x18, 0x20 } },
	{ &ucore_platform_snr, "cha", 5, 4, 0, true, 0x3ffffffffccffffULL,
	  { 0x1c50, 0x1c51, 0x1c52, 0x1c53, 0x1c54, 0x1c58, 0x1c59, 0x1c5a, 0x1c5b, 0x1c55 } },
	{ &ucore_platform_snr, "iio", 4, 4, 0, true, 0x7ffffffc4ffffULL,
	  { 0x1e40, 0x1e48, 0x1e49, 0x1e4a, 0x1e4b, 0x1e41, 0x1e42, 0x1e43, 0x1e44 } },
	{ &ucore_platform_snr, "iio_free", 4, 0, 9, false, 0,
	  { 0x1eec, 0x1f40, 0x1f41, 0x1f42, 0x1f43, 0x1f44, 0x1f45, 0x1f46, 0x1f47 } },
	{ &ucore_platform_snr, "irp", 4, 2, 0, false, 0xffc4ffff,
	  { 0x1ee0, 0x1ee8, 0x1ee9, 0x1ee1, 0x1ee2 } },
	{ &ucore_platform_snr, "m2pcie", 4, 4, 0, false, 0xffc4ffff,
	  { 0x1e90, 0x1e98, 0x1e99, 0x1e9a, 0x1e9b, 0x1e91, 0x1e92, 0x1e93, 0x1e94 } },
	{ &ucore_platform_snr, "ubox", 0, 2, 1, false, 0xffc4ffff,
	  { 0x1f91, 0x1f92, 0x1f98, 0x1f99, 0x1f93, 0x1f94 } },
	{ &ucore_platform_snr, "pcu", 0, 4, 0, false, 0xdfc4c0ff,
	  { 0x1ef0, 0x1ef1, 0x1ef2, 0x1ef3, 0x1ef4, 0x1ef8, 0x1ef9, 0x1efa, 0x1efb, 0x1efc } },
	{ &ucore_platform_snr, "m2m", 0, 4, 0, true, 0xffffc4ffffULL,
	  { 0x438, 0x468, 0x470, 0x478, 0x480, 0x440, 0x448, 0x450, 0x458 } },
	{ &ucore_platform_snr, "pcie3", 0, 4, 0, true, 0x7fffffc4ffffULL,
	  { 0x4e0, 0x508, 0x510, 0x518, 0x520, 0x4e8, 0x4f0, 0x4f8, 0x500 } },
	{ &ucore_platform_snr, "imc", 0, 4, 1, false, 0xffc4ffff,
	  { 0x0, 0x40, 0x44, 0x48, 0x4c, 0x8, 0x10, 0x18, 0x20, 0x54, 0x38 } },
	{ &ucore_platform_snr, "imc_free", 0, 0, 3, false, 0,
	  { 0x0, 0x8, 0x20 } },
};

static void type_name(const struct expected *e, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%s %s%u", e->platform->name, e->name, e->instance);
}

KUNIT_ARRAY_PARAM(type, types, type_name);

static u32 put_regs(u16 *regs, u32 n, u32 base, const u16 *from, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		regs[n + i] = base + from[i];
	return n + nr;
}

static u32 all_regs(const struct ucore_box_type *type, const struct ucore_layout *layout, u32 base,
		    u16 *regs)
{
	u32 n = 0;

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

static u64 control_bits(const struct ucore_box_type *type)
{
	u64 bits = type->ctl_en | type->ctl_ov_en;
	u32 i;

	for (i = 0; i < type->nr_fields; i++)
		if (type->fields[i].piece[0].slot == UCORE_SLOT_CTL)
			bits |= type->fields[i].piece[0].mask;
	return bits;
}

static void box_types_are_as_listed(struct kunit *test)
{
	const struct expected *e = test->param_value;
	const struct ucore_static_table *table = table_of(e->platform);
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	u32 i, r, n, base, seen = 0;
	u16 regs[32];

	for (i = 0; i < nr_rows(table); i++) {
		type = row_of(table, i, 0, &layout, &base);
		if (strcmp(type->name, e->name))
			continue;
		seen++;
		row_of(table, i, e->instance, &layout, &base);
		KUNIT_EXPECT_EQ(test, type->nr_gp, e->nr_gp);
		KUNIT_EXPECT_EQ(test, type->nr_fixed, e->nr_fixed);
		KUNIT_EXPECT_EQ(test, type->width, e->nr_gp ? 48 : 0);
		KUNIT_EXPECT_EQ(test, type->fixed_width, e->nr_fixed ? 48 : 0);
		KUNIT_EXPECT_EQ(test, layout->wide_ctl, e->wide);
		KUNIT_EXPECT_EQ(test, control_bits(type), e->ctl);
		n = all_regs(type, layout, base, regs);
		for (r = 0; r < n; r++)
			KUNIT_EXPECT_EQ_MSG(test, regs[r], e->regs[r], "register %u", r);
		for (; r < ARRAY_SIZE(e->regs); r++)
			KUNIT_EXPECT_EQ(test, e->regs[r], 0);
	}
	KUNIT_EXPECT_GT(test, seen, 0U);
}

/* The tables contain no other types: each row of both platforms is in the list. */
static void every_table_row_is_listed(struct kunit *test)
{
	static const struct ucore_platform * const both[] = { &ucore_platform_icx,
							      &ucore_platform_snr };
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	u32 p, i, t, base;

	for (p = 0; p < ARRAY_SIZE(both); p++) {
		for (i = 0; i < nr_rows(table_of(both[p])); i++) {
			type = row_of(table_of(both[p]), i, 0, &layout, &base);
			for (t = 0; t < ARRAY_SIZE(types); t++)
				if (types[t].platform == both[p] &&
				    !strcmp(types[t].name, type->name))
					break;
			KUNIT_EXPECT_LT_MSG(test, t, (u32)ARRAY_SIZE(types), "%s %s",
					    both[p]->name, type->name);
		}
	}
}

static void cha_msrs_are_as_listed(struct kunit *test)
{
	const struct ucore_static_msr *row = table_of(&ucore_platform_icx)->msr;
	u32 i;

	KUNIT_ASSERT_EQ(test, row->max, 40U);
	for (i = 0; i < 40; i++)
		KUNIT_EXPECT_EQ_MSG(test, ucore_static_base(row, i), (u32)cha_msrs[i], "cha%u", i);
}

/* Registers of different stacks interleave, but no register belongs to two boxes. */
static void msr_boxes_do_not_overlap(struct kunit *test)
{
	u32 *seen = kunit_kcalloc(test, 1024, sizeof(*seen), GFP_KERNEL);
	const struct ucore_static_table *table = table_of(&ucore_platform_icx);
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	u32 i, inst, r, n, k, base, nr_seen = 0;
	u16 regs[32];

	KUNIT_ASSERT_NOT_NULL(test, seen);
	for (i = 0; i < table->nr_msr; i++) {
		for (inst = 0; inst < table->msr[i].max; inst++) {
			type = row_of(table, i, inst, &layout, &base);
			n = all_regs(type, layout, base, regs);
			for (r = 0; r < n; r++) {
				for (k = 0; k < nr_seen; k++)
					KUNIT_EXPECT_NE(test, seen[k], (u32)regs[r]);
				seen[nr_seen++] = regs[r];
			}
		}
	}
}

static const struct {
	const struct ucore_platform *platform;
	const char *name;
	u32 instance;
	u16 device, slot, function;
} places[] = {
	{ &ucore_platform_icx, "upi", 0, 0x3441, 2, 1 },
	{ &ucore_platform_icx, "upi", 1, 0x3441, 3, 1 },
	{ &ucore_platform_icx, "upi", 2, 0x3441, 4, 1 },
	{ &ucore_platform_icx, "m3upi", 0, 0x3446, 5, 1 },
	{ &ucore_platform_icx, "m3upi", 1, 0x3446, 6, 1 },
	{ &ucore_platform_icx, "m3upi", 2, 0x3446, 7, 1 },
	{ &ucore_platform_icx, "m2m", 0, 0x344a, 12, 0 },
	{ &ucore_platform_icx, "m2m", 1, 0x344a, 13, 0 },
	{ &ucore_platform_icx, "m2m", 2, 0x344a, 14, 0 },
	{ &ucore_platform_icx, "m2m", 3, 0x344a, 15, 0 },
	{ &ucore_platform_snr, "m2m", 0, 0x344a, 12, 0 },
	{ &ucore_platform_snr, "m2m", 1, 0x344a, 13, 0 },
	{ &ucore_platform_snr, "m2m", 2, 0x344a, 14, 0 },
	{ &ucore_platform_snr, "m2m", 3, 0x344a, 15, 0 },
	{ &ucore_platform_snr, "pcie3", 0, 0x334a, 4, 0 },
};

static void pci_boxes_have_listed_ids_and_places(struct kunit *test)
{
	const struct ucore_static_table *table;
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		table = table_of(places[i].platform);
		for (j = 0; j < table->nr_pci; j++)
			if (!strcmp(table->pci[j].type->name, places[i].name) &&
			    table->pci[j].instance == places[i].instance)
				break;
		KUNIT_ASSERT_LT_MSG(test, j, table->nr_pci, "%s%u", places[i].name,
				    places[i].instance);
		KUNIT_EXPECT_EQ(test, table->pci[j].device, places[i].device);
		KUNIT_EXPECT_EQ(test, table->pci[j].at,
				(u16)PCI_DEVFN(places[i].slot, places[i].function));
	}
	KUNIT_EXPECT_EQ(test, i, table_of(&ucore_platform_icx)->nr_pci +
				 table_of(&ucore_platform_snr)->nr_pci);
}

static void platforms_are_as_listed(struct kunit *test)
{
	static const struct {
		u8 model;
		const struct ucore_platform *platform;
	} models[] = {
		{ 0x6a, &ucore_platform_icx }, { 0x6c, &ucore_platform_icx },
		{ 0x86, &ucore_platform_snr },
	};
	const struct ucore_static_table *table = table_of(&ucore_platform_icx);
	const struct ucore_global *global = table->global;
	u32 i;

	fake_kernel_reset();
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	for (i = 0; i < ARRAY_SIZE(models); i++) {
		fake_boot_cpu.x86_model = models[i].model;
		KUNIT_EXPECT_PTR_EQ(test, ucore_platform_match(), models[i].platform);
	}
	KUNIT_EXPECT_STREQ(test, ucore_platform_icx.intree, "icx_uncore");
	KUNIT_EXPECT_STREQ(test, ucore_platform_snr.intree, "snr_uncore");
	KUNIT_EXPECT_EQ(test, ucore_platform_icx.caps,
			(u32)(UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI));
	KUNIT_EXPECT_EQ(test, ucore_platform_snr.caps, 0U);
	KUNIT_EXPECT_NULL(test, table_of(&ucore_platform_snr)->global);
	KUNIT_EXPECT_EQ(test, global->ctl, 0x700U);
	KUNIT_EXPECT_EQ(test, global->status, 0x70eU);
	KUNIT_EXPECT_EQ(test, global->status_stride, 1U);
	KUNIT_EXPECT_EQ(test, global->nr_status, 2U);
	KUNIT_EXPECT_EQ(test, global->freeze, BIT_ULL(63));
	KUNIT_EXPECT_EQ(test, global->wake, BIT_ULL(62));
	KUNIT_EXPECT_EQ(test, global->unfreeze, BIT_ULL(61));
	KUNIT_EXPECT_EQ(test, global->core_sel, GENMASK_ULL(60, 0));
	KUNIT_EXPECT_EQ(test, global->keep, BIT_ULL(62) | GENMASK_ULL(60, 0));
	KUNIT_EXPECT_EQ(test, table->ubox.device, 0x3450);
	KUNIT_EXPECT_EQ(test, table_of(&ucore_platform_snr)->ubox.device, 0x3460);
	KUNIT_EXPECT_EQ(test, table->ubox.nodeid, 0xc0);
	KUNIT_EXPECT_EQ(test, table->ubox.gidnidmap, 0xd4);
	KUNIT_EXPECT_EQ(test, table->fuse_device, 0x345b);
	KUNIT_EXPECT_EQ(test, table->fuse_reg, 0x9c);
	KUNIT_EXPECT_EQ(test, table->fuses, ~0ULL);
}

/* On Ice Lake each box with a control reports overflows. On Snow Ridge none does. */
static void box_capabilities_are_as_listed(struct kunit *test)
{
	const struct expected *e = test->param_value;
	const struct ucore_static_table *table = table_of(e->platform);
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	bool icx = e->platform != &ucore_platform_snr, ubox = !strcmp(e->name, "ubox");
	u32 i, caps, base;

	caps = e->nr_gp ? 0 : UCORE_BOX_F_FREE_RUNNING;
	if (e->nr_gp && !ubox)
		caps |= UCORE_BOX_F_FREEZE;
	if (e->nr_gp && icx)
		caps |= UCORE_BOX_F_OVERFLOW;
	if (e->nr_gp && e->nr_fixed && icx)
		caps |= UCORE_BOX_F_FIXED_OVERFLOW;
	for (i = 0; i < nr_rows(table); i++) {
		type = row_of(table, i, 0, &layout, &base);
		if (strcmp(type->name, e->name))
			continue;
		KUNIT_EXPECT_EQ(test, type->caps, caps);
		KUNIT_EXPECT_EQ(test, layout->status != UCORE_REG_NONE, e->nr_gp && icx);
	}
}

static const struct {
	const char *type;
	u16 first, last;
	u32 counters;
} allowed[] = {
	{ "cha", 0x11, 0x11, 0x1 }, { "cha", 0x36, 0x36, 0x1 },
	{ "iio", 0x02, 0x03, 0x3 }, { "iio", 0x83, 0x83, 0x3 }, { "iio", 0x88, 0x88, 0xc },
	{ "iio", 0xc0, 0xc0, 0xc }, { "iio", 0xc5, 0xc5, 0xc }, { "iio", 0xd5, 0xd5, 0xc },
	{ "m2pcie", 0x14, 0x14, 0x3 }, { "m2pcie", 0x23, 0x23, 0x3 },
	{ "m2pcie", 0x2d, 0x2d, 0x3 }, { "m3upi", 0x1c, 0x1f, 0x1 },
	{ "m3upi", 0x40, 0x40, 0x7 }, { "m3upi", 0x4e, 0x50, 0x7 },
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
	const struct expected *e = test->param_value;
	const struct ucore_static_table *table = table_of(e->platform);
	const struct ucore_layout *layout;
	struct ucore_event_spec spec;
	struct ucore_box box = { };
	u32 i, event, base;

	for (i = 0; i < nr_rows(table); i++) {
		box.desc.type = row_of(table, i, 0, &layout, &base);
		if (strcmp(box.desc.type->name, e->name))
			continue;
		for (event = 0; e->nr_gp && event < 256; event++) {
			spec = (struct ucore_event_spec){ .value = { event | 0xa500 } };
			KUNIT_EXPECT_EQ(test, fake_restrict(&box, 0, 0, &spec), 0);
			KUNIT_EXPECT_EQ_MSG(test, spec.counters,
					    (u64)allowed_counters(box.desc.type, event),
					    "event %#x", event);
		}
	}
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE_PARAM(box_types_are_as_listed, type_gen_params),
	KUNIT_CASE(every_table_row_is_listed),
	KUNIT_CASE(cha_msrs_are_as_listed),
	KUNIT_CASE(msr_boxes_do_not_overlap),
	KUNIT_CASE(pci_boxes_have_listed_ids_and_places),
	KUNIT_CASE(platforms_are_as_listed),
	KUNIT_CASE_PARAM(box_capabilities_are_as_listed, type_gen_params),
	KUNIT_CASE_PARAM(every_event_is_restricted_to_its_counters, type_gen_params),
	{ }
};

static struct kunit_suite table_suite = {
	.name = "ucore_icx_tables",
	.test_cases = table_cases,
};

/* ---- finding the boxes ---- */

static int find_init(struct kunit *test)
{
	fake_kernel_reset();
	fake_cpus_need_two(test);
	fake_pci_init(test);
	fake_kernel.buses[1].number = 0x40;
	fake_kernel.buses[2].number = 0x41;
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = 0x6a;
	fake_boot_cpu.x86_phys_bits = 46;
	return 0;
}

/* Return a mask of the instances that were found. */
static u64 boxes_found(const char *type, u32 die)
{
	u64 found = 0;
	u32 i;

	for (i = 0; i < 64; i++)
		if (box_find(type, die, i))
			found |= BIT_ULL(i);
	return found;
}

static void ubox_add(u32 bus, u32 package)
{
	struct fake_function *ubox = fake_pci_add(0x3450, bus, 0, 0);

	ubox->config[0xc0 / 4] = package;
	ubox->config[0xd4 / 4] = 0xfac688;
}

static void caps_add(u32 bus, u32 low, u32 high)
{
	struct fake_function *caps = fake_pci_add(0x345b, bus, 30, 3);

	caps->config[0x9c / 4] = low;
	caps->config[0xa0 / 4] = high;
}

static void chas_answer(u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		fake_msr_add(cha_msrs[i], 0);
}

/* The fuses of both dwords count, and each CHA must answer. */
static void cha_count_follows_the_fuses(struct kunit *test)
{
	chas_answer(40);
	caps_add(0, 0xf000000f, 0x00000103);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, boxes_found("cha", 0), GENMASK_ULL(10, 0));
}

static void forty_chas_are_found(struct kunit *test)
{
	u32 i;

	chas_answer(40);
	caps_add(0, 0xffffffff, 0x000000ff);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, boxes_found("cha", 0), GENMASK_ULL(39, 0));
	for (i = 0; i < 40; i++)
		KUNIT_EXPECT_EQ(test, box_find("cha", 0, i)->io.msr, (u32)cha_msrs[i]);
}

/* The function with the fuses is on the bus above its UBox, even if that bus has another UBox. */
static void fuses_belong_to_next_lower_ubox(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	chas_answer(40);
	ubox_add(0, 1);
	ubox_add(1, 0);
	caps_add(1, 0x7, 0);
	caps_add(2, 0x1, 0xf);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, boxes_found("cha", 1), GENMASK_ULL(2, 0));
	KUNIT_EXPECT_EQ(test, boxes_found("cha", 0), GENMASK_ULL(4, 0));
}

/* No bus is below bus 0: fuses there are ignored, and all answering CHAs are used. */
static void fuses_on_bus_0_are_ignored(struct kunit *test)
{
	fake_kernel.buses[0].number = 0;
	chas_answer(5);
	caps_add(0, 0x3, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, boxes_found("cha", 0), GENMASK_ULL(4, 0));
}

/* A bus without a UBox belongs to the socket of the next higher bus that has one. */
static void bus_without_ubox_uses_next_higher_one(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(0, 0);
	ubox_add(2, 1);
	fake_pci_add(0x344a, 1, 12, 0);
	fake_pci_add(0x344a, 0, 13, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, boxes_found("m2m", 1), BIT_ULL(0));
	KUNIT_EXPECT_EQ(test, boxes_found("m2m", 0), BIT_ULL(1));
}

#define MAP_BASE	0x123		/* unit: 8 MiB */
#define MAP_OFFSET(m)	(0x100 * ((m) + 1))	/* unit: 4 KiB */
#define ADDRESS(m)	(0x91800000ULL + 0x100000 * ((m) + 1))
#define CHANNEL(m, c)	(ADDRESS(m) + 0x22800 + 0x4000 * (c))

static struct fake_function *map_add(u32 bus)
{
	struct fake_function *map = fake_pci_add(0x3451, bus, 0, 1);
	u32 m;

	map->config[0xd0 / 4] = 0xe0000000 | MAP_BASE;
	for (m = 0; m < 4; m++)
		map->config[0xd8 / 4 + m] = 0xfffff800 | MAP_OFFSET(m);
	return map;
}

/* Add the registers of all channels and of the free-running counters of controller @m. */
static u8 *controller_add(struct kunit *test, u32 m)
{
	return fake_memory_add(test, ADDRESS(m), 0x34000);
}

static void memory_controllers_are_found_by_the_map(struct kunit *test)
{
	struct ucore_box_info info;
	u8 *bytes[4];
	u32 m, c;

	map_add(0);
	for (m = 0; m < 4; m++)
		bytes[m] = controller_add(test, m);
	memset(bytes[1] + 0x2a800, 0xff, 0x60);		/* no third channel */
	memset(bytes[2] + 0x2290, 0xff, 0x28);		/* no free-running counters */
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, boxes_found("imc", 0), GENMASK_ULL(11, 0) & ~BIT_ULL(5));
	KUNIT_ASSERT_EQ(test, boxes_found("imc_free", 0), 0xbULL);
	for (m = 0; m < 4; m++)
		for (c = 0; c < 3; c++)
			if (m != 1 || c != 2)
				KUNIT_EXPECT_EQ(test, box_find("imc", 0, 3 * m + c)->desc.phys,
						CHANNEL(m, c));
	ucore_describe_box(box_find("imc_free", 0, 3), true, &info);
	KUNIT_EXPECT_EQ(test, info.location, ADDRESS(3) + 0x2290);
	KUNIT_EXPECT_EQ(test, info.nr_fixed, 5U);
	KUNIT_EXPECT_EQ(test, info.flags, (u32)UCORE_BOX_F_FREE_RUNNING);
	ucore_describe_box(box_find("imc", 0, 11), true, &info);
	KUNIT_EXPECT_EQ(test, info.access, (u32)UCORE_ACCESS_MMIO);
	KUNIT_EXPECT_EQ(test, info.location, CHANNEL(3, 2));
}

static void discovery_of_boxes_only_reads(struct kunit *test)
{
	const struct fake_dword *dword = fake_kernel.dwords;
	u32 n;

	map_add(0);
	controller_add(test, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	n = min_t(u32, fake_kernel.nr_dwords, ARRAY_SIZE(fake_kernel.dwords));
	KUNIT_EXPECT_GT(test, n, 0U);
	for (; dword < fake_kernel.dwords + n; dword++)
		KUNIT_EXPECT_NOT_NULL(test, strchr("RL", dword->op));
}

/* Each socket has its own map. */
static void memory_controllers_belong_to_their_sockets(struct kunit *test)
{
	struct fake_function *map;
	u32 m;

	fake_kernel.nr_dies = 2;
	ubox_add(0, 1);
	ubox_add(2, 0);
	map_add(0);
	map = map_add(2);
	for (m = 0; m < 4; m++) {
		map->config[0xd8 / 4 + m] = MAP_OFFSET(4 + m);
		if (m < 2) {
			controller_add(test, m);
			controller_add(test, 4 + m);
		}
	}
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, boxes_found("imc", 1), GENMASK_ULL(5, 0));
	KUNIT_ASSERT_EQ(test, boxes_found("imc", 0), GENMASK_ULL(5, 0));
	KUNIT_EXPECT_EQ(test, box_find("imc", 0, 3)->desc.phys, CHANNEL(5, 0));
}

/* Each segment has its own map. */
static void memory_controllers_of_two_segments_are_found(struct kunit *test)
{
	static struct pci_sysdata other = { .domain = 1 };
	struct fake_function *map;

	fake_kernel.buses[2].sysdata = &other;
	map_add(0);
	controller_add(test, 0);
	map = map_add(2);
	map->config[0xdc / 4] = MAP_OFFSET(5);
	controller_add(test, 5);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, boxes_found("imc", 0), GENMASK_ULL(2, 0));
}

/* The map belongs to a socket whose CPUs are all offline. */
static void memory_controllers_of_offline_socket_are_skipped(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(0, 0);
	ubox_add(2, 5);
	map_add(2);
	controller_add(test, 0);
	fake_pci_add(0x344a, 0, 12, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 1U);
	KUNIT_EXPECT_EQ(test, boxes_found("m2m", 0), BIT_ULL(0));
	KUNIT_EXPECT_EQ(test, fake_kernel.log_lines, 1U);
}

/**
 * struct bad_map - a map that is rejected completely or in parts
 * @name: name of the case
 * @base: base of the map
 * @offset: offsets of controllers 0 and 1
 * @ram: physical address of 4 bytes of RAM, or 0
 * @phys_bits: width of physical addresses (bits)
 * @found: mask of the boxes that are found
 * @bar: physical address of another function's BAR of 4 bytes, or 0
 * @busy: physical address of 4 bytes that a driver holds, or 0
 * @special: physical address of 4 bytes of persistent memory, or 0
 */
struct bad_map {
	const char *name;
	u32 base;
	u32 offset[2];
	u64 ram;
	u32 phys_bits;
	u64 found;
	u64 bar;
	u64 busy;
	u64 special;
};

static const struct bad_map bad_maps[] = {
	{ "good", MAP_BASE, { MAP_OFFSET(0), MAP_OFFSET(1) }, 0, 46, 0x3f },
	{ "no base", 0xe0000000, { MAP_OFFSET(0), MAP_OFFSET(1) }, 0, 46, 0 },
	{ "base does not answer", ~0U, { MAP_OFFSET(0), MAP_OFFSET(1) }, 0, 46, 0 },
	{ "no offset", MAP_BASE, { 0xfffff800, MAP_OFFSET(1) }, 0, 46, 0x38 },
	{ "offset does not answer", MAP_BASE, { ~0U, MAP_OFFSET(1) }, 0, 46, 0x38 },
	{ "RAM", MAP_BASE, { MAP_OFFSET(0), MAP_OFFSET(1) }, CHANNEL(0, 1) + 0x5c, 46, 0x38 },
	{ "RAM behind", MAP_BASE, { MAP_OFFSET(0), MAP_OFFSET(1) }, CHANNEL(0, 1) + 0x60, 46,
	  0x3f },
	{ "RAM behind the last channel", MAP_BASE, { MAP_OFFSET(0), MAP_OFFSET(1) }, CHANNEL(0, 3),
	  46, 0x3f },
	{ "no address", MAP_BASE, { MAP_OFFSET(0), MAP_OFFSET(1) }, 0, 31, 0 },
	{ "two at one address", MAP_BASE, { MAP_OFFSET(0), MAP_OFFSET(0) }, 0, 46, 0x7 },
	{ "overlapping channels", MAP_BASE, { MAP_OFFSET(0), MAP_OFFSET(0) + 4 }, 0, 46, 0x7 },
	{ "BAR of a card", MAP_BASE, { MAP_OFFSET(0), MAP_OFFSET(1) }, 0, 46, 0x38,
	  .bar = CHANNEL(0, 1) + 0x5c },
	{ "BAR of a card behind them", MAP_BASE, { MAP_OFFSET(0), MAP_OFFSET(1) }, 0, 46, 0x3f,
	  .bar = CHANNEL(0, 1) + 0x60 },
	{ "region of a driver", MAP_BASE, { MAP_OFFSET(0), MAP_OFFSET(1) }, 0, 46, 0x7,
	  .busy = CHANNEL(1, 0) },
	{ "persistent memory", MAP_BASE, { MAP_OFFSET(0), MAP_OFFSET(1) }, 0, 46, 0x7,
	  .special = CHANNEL(1, 0) },
	{ "region of a driver in front", MAP_BASE, { MAP_OFFSET(0), MAP_OFFSET(1) }, 0, 46, 0x3f,
	  .busy = CHANNEL(1, 0) - 4 },
};

static void bad_map_name(const struct bad_map *bad, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%s", bad->name);
}

KUNIT_ARRAY_PARAM(bad_map, bad_maps, bad_map_name);

static struct resource memory_of(u64 address)
{
	return (struct resource){ .start = address, .end = address + 3, .flags = IORESOURCE_MEM };
}

/* Registers answer at the wrong addresses, so that a test fails if they are used. */
static void invalid_memory_maps_are_rejected(struct kunit *test)
{
	const struct bad_map *bad = test->param_value;
	struct fake_function *map = map_add(0);
	u32 m;

	for (m = 0; m < 2; m++) {
		map->config[0xd8 / 4 + m] = bad->offset[m];
		controller_add(test, m);
		fake_memory_add(test, MAP_OFFSET(m) << 12, 0x34000);
	}
	fake_memory_add(test, (u64)MAP_BASE << 23, 0x34000);
	fake_memory_add(test, ((u64)MAP_BASE << 23) + 0x7ff000, 0x34000);
	map->config[0xe0 / 4] = 0;
	map->config[0xe4 / 4] = 0;
	map->config[0xd0 / 4] = bad->base;
	fake_boot_cpu.x86_phys_bits = bad->phys_bits;
	fake_kernel.ram_start = bad->ram;
	fake_kernel.ram_end = bad->ram ? bad->ram + 4 : 0;
	if (bad->bar)
		fake_pci_add(0x1572, 3, 0, 0)->pdev.resource[0] = memory_of(bad->bar);
	if (bad->busy)
		fake_kernel.busy = memory_of(bad->busy);
	if (bad->special) {
		fake_kernel.special = memory_of(bad->special);
		fake_kernel.special.desc = IORES_DESC_PERSISTENT_MEMORY;
	}
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, boxes_found("imc", 0), bad->found);
}

/* A socket without memory controllers is reported, as for other missing boxes. */
static void missing_memory_controllers_are_reported(struct kunit *test)
{
	fake_pci_add(0x344a, 0, 12, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_STREQ(test, ucore_catalog.hidden,
			   "a BIOS option may hide boxes: imc");
}

static void snow_ridge_boxes_are_found(struct kunit *test)
{
	u32 m;

	fake_boot_cpu.x86_model = 0x86;
	for (m = 0; m < 7; m++)
		fake_msr_add(0x1c00 + 0x10 * m, 0);
	fake_msr_add(0x1e40, 0);
	fake_msr_add(0x1eec, 0);
	fake_pci_add(0x334a, 0, 4, 0);
	fake_pci_add(0x334a, 0, 5, 0);
	map_add(0);
	for (m = 0; m < 3; m++)
		controller_add(test, m);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, boxes_found("cha", 0), GENMASK_ULL(5, 0));
	KUNIT_EXPECT_EQ(test, boxes_found("iio", 0), BIT_ULL(4));
	KUNIT_EXPECT_EQ(test, boxes_found("iio_free", 0), BIT_ULL(4));
	KUNIT_EXPECT_EQ(test, boxes_found("pcie3", 0), BIT_ULL(0));
	KUNIT_ASSERT_EQ(test, boxes_found("imc", 0), GENMASK_ULL(3, 0));
	KUNIT_EXPECT_EQ(test, box_find("imc", 0, 2)->desc.phys, CHANNEL(1, 0));
	KUNIT_EXPECT_EQ(test, boxes_found("imc_free", 0), 0x3ULL);
	KUNIT_EXPECT_NULL(test, ucore_catalog.domains[0].global);
}

/* Whichever allocation fails, nothing is leaked. */
static void build_without_memory_leaks_nothing(struct kunit *test)
{
	u32 n;

	map_add(0);
	controller_add(test, 0);
	for (n = 1; n < 100; n++) {
		fake_kernel.fail_in = n;
		if (!ucore_catalog_build())
			break;
		KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 0);
	}
	fake_kernel.fail_in = 0;
	KUNIT_EXPECT_GT(test, n, 1U);
	KUNIT_EXPECT_LT(test, n, 100U);
}

static struct kunit_case find_cases[] = {
	KUNIT_CASE(cha_count_follows_the_fuses),
	KUNIT_CASE(forty_chas_are_found),
	KUNIT_CASE(fuses_belong_to_next_lower_ubox),
	KUNIT_CASE(fuses_on_bus_0_are_ignored),
	KUNIT_CASE(bus_without_ubox_uses_next_higher_one),
	KUNIT_CASE(memory_controllers_are_found_by_the_map),
	KUNIT_CASE(discovery_of_boxes_only_reads),
	KUNIT_CASE(memory_controllers_belong_to_their_sockets),
	KUNIT_CASE(memory_controllers_of_two_segments_are_found),
	KUNIT_CASE(memory_controllers_of_offline_socket_are_skipped),
	KUNIT_CASE_PARAM(invalid_memory_maps_are_rejected, bad_map_gen_params),
	KUNIT_CASE(missing_memory_controllers_are_reported),
	KUNIT_CASE(snow_ridge_boxes_are_found),
	KUNIT_CASE(build_without_memory_leaks_nothing),
	{ }
};

static struct kunit_suite find_suite = {
	.name = "ucore_icx_find",
	.init = find_init,
	.exit = fake_catalog_exit,
	.test_cases = find_cases,
};

/* ---- register accesses ---- */

static const u64 no_filters[UCORE_MAX_SHARED];

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

/* The MSR has an extended umask of 26 bits. */
static void program_cha_writes_extended_umask(struct kunit *test)
{
	static const struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x35 },
		{ .field = UCORE_FIELD_UMASK, .value = 0x01 },
		{ .field = UCORE_FIELD_UMASK_EXT, .value = 0x2c816fe },
	};
	struct ucore_box *box = fake_box(test, 0, "cha", 2);
	struct fake_window *w = fake_window(box);

	program(test, box, 1, terms, ARRAY_SIZE(terms));
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 2, 0x2c816fe00400135ULL), FAKE_R(w, 2));
}

/*
 * A control in config space has two dwords, and both are written. Without the extended umask
 * another event would count.
 */
static void program_m2m_writes_both_dwords(struct kunit *test)
{
	static const struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x37 },
		{ .field = UCORE_FIELD_UMASK, .value = 0x20 },
		{ .field = UCORE_FIELD_UMASK_EXT, .value = 0x07 },
	};
	struct ucore_box *box = fake_box(test, 0, "m2m", 3);
	struct fake_window *w = fake_window(box);

	program(test, box, 2, terms, ARRAY_SIZE(terms));
	/* the fake bus stores both dwords in the lower one */
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x47c, 0),
		    FAKE_W(w, 0x478, 0x700402037ULL), FAKE_R(w, 0x478), FAKE_R(w, 0x47c));
}

/* In memory a control is one dword, and the box control is that of the v2. */
static void program_imc_writes_one_dword(struct kunit *test)
{
	static const struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x04 },
		{ .field = UCORE_FIELD_UMASK, .value = 0x0f },
	};
	struct ucore_box *box = fake_box(test, 0, "imc", 11);
	struct fake_window *w = fake_window(box);

	program(test, box, 3, terms, ARRAY_SIZE(terms));
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x4c, 0x400f04));
	ucore_box_unfreeze(box);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0), 0x30000ULL);
	ucore_box_stop(box);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0), 0x30100ULL);
}

static void imc_free_running_counters_are_only_read(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc_free", 2);
	struct fake_window *w = fake_window(box);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_counter *ctr;

	fake_poke(w, 0x20, BIT_ULL(48) - 7);
	ctr = fake_ctx_add(ctx, box, UCORE_COUNTER_FIXED + 4, 0, 0);
	ucore_box_program(box, no_filters);
	ucore_counter_program(ctr);
	ucore_box_unfreeze(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0x20));
	fake_poke(w, 0x20, 5);
	ucore_counter_update(ctr, UCORE_RUNNING);
	KUNIT_EXPECT_EQ(test, ctr->total, 12ULL);
	ucore_box_stop(box);
	ucore_box_restore(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0x20));
}

/*
 * The driver reads both status words. Any set bit makes it check all armed boxes. The bits
 * that were read are cleared.
 */
static void overflow_in_second_status_word_is_sampled(struct kunit *test)
{
	struct ucore_box *iio = fake_box(test, 0, "iio", 1), *m2p = fake_box(test, 0, "m2pcie", 1);
	struct fake_window *gw = fake_global(0), *a = fake_window(iio), *b = fake_window(m2p);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct ucore_domain *domain = ctx->domain;
	const struct ucore_sample *sample;
	struct ucore_readout ro;

	fake_ctx_add(ctx, iio, 2, 0x5000c0, 100);
	fake_ctx_add(ctx, m2p, 1, 0x500018, 200);
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	ucore_ctx_program(ctx);
	fake_ctx_list(ctx);
	ucore_unfreeze_domain(domain, true);
	ucore_ctx_start_times(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	fake_bus_clear(bus_of(test));

	fake_overflow(m2p, 2, 9, BIT(1), 0);
	fake_poke(gw, 0x70f, BIT_ULL(40));
	raw_spin_lock_irq(&domain->lock);
	ucore_readout_begin_overflow(&ro, domain, ktime_get_mono_fast_ns(), false);
	ucore_readout_end(&ro);
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, 0x700, BIT_ULL(63)), FAKE_R(gw, 0x70e),
		    FAKE_R(gw, 0x70f), FAKE_R(a, 7), FAKE_R(b, 5), FAKE_R(a, 3), FAKE_R(b, 2),
		    FAKE_W(b, 5, BIT(1)), FAKE_W(gw, 0x70f, BIT_ULL(40)),
		    FAKE_W(b, 2, BIT_ULL(48) - 200), FAKE_W(gw, 0x700, BIT_ULL(61)));
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, 101U);
}

/* pmi_core_sel has 61 bits. */
static void core_above_60_is_not_selectable(struct kunit *test)
{
	struct ucore_domain *domain = ucore_catalog_domain(0);

	fake_kernel.core_id[0] = 60;
	KUNIT_EXPECT_EQ(test, ucore_core_select_bit(domain, 0), BIT_ULL(60));
	fake_kernel.core_id[0] = 61;
	KUNIT_EXPECT_EQ(test, ucore_core_select_bit(domain, 0), 0ULL);
}

static struct kunit_case box_cases[] = {
	KUNIT_CASE(program_cha_writes_extended_umask),
	KUNIT_CASE(program_m2m_writes_both_dwords),
	KUNIT_CASE(program_imc_writes_one_dword),
	KUNIT_CASE(imc_free_running_counters_are_only_read),
	KUNIT_CASE(overflow_in_second_status_word_is_sampled),
	KUNIT_CASE(core_above_60_is_not_selectable),
	{ }
};

static struct kunit_suite box_suite = {
	.name = "ucore_icx_boxes",
	.init = fake_machine_init_icx,
	.exit = fake_machine_exit,
	.test_cases = box_cases,
};

/* ---- Snow Ridge ---- */

static void period_on_snow_ridge_box_fails(struct kunit *test)
{
	static const char * const names[] = { "cha", "iio", "irp", "m2pcie", "ubox", "pcu", "m2m",
					      "pcie3", "imc" };
	struct ucore_event_spec spec;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		spec = (struct ucore_event_spec){ };
		KUNIT_EXPECT_EQ_MSG(test, fake_restrict(fake_box(test, 0, names[i], 0), 0, 1000,
							&spec), -EOPNOTSUPP, "%s", names[i]);
	}
}

/* PCIE3 has the IIO's masks at the positions of Skylake-SP. */
static void program_pcie3_writes_masks_as_skylake(struct kunit *test)
{
	static const struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x83 },
		{ .field = UCORE_FIELD_CH_MASK, .value = 0xff },
		{ .field = UCORE_FIELD_FC_MASK, .value = 0x7 },
	};
	struct ucore_box *box = fake_box(test, 0, "pcie3", 0);
	struct fake_window *w = fake_window(box);

	program(test, box, 0, terms, ARRAY_SIZE(terms));
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x50c, 0),
		    FAKE_W(w, 0x508, 0x7ff000400083ULL), FAKE_R(w, 0x508), FAKE_R(w, 0x50c));
}

static struct kunit_case snr_cases[] = {
	KUNIT_CASE(period_on_snow_ridge_box_fails),
	KUNIT_CASE(program_pcie3_writes_masks_as_skylake),
	{ }
};

static struct kunit_suite snr_suite = {
	.name = "ucore_snr_boxes",
	.init = fake_machine_init_snr,
	.exit = fake_machine_exit,
	.test_cases = snr_cases,
};

kunit_test_suites(&table_suite, &find_suite, &box_suite, &snr_suite);
