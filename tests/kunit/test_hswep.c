// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the E5-2600 v3 and v4 and the Xeon D-1500. The tables are compared with a
 * second, independent copy. Other tests check the exact register accesses of the boxes, and
 * how overflows are attributed.
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
 * @intree: name of the kernel's own driver
 * @model: CPUID model
 * @v4: the table has the fields of the v4
 * @nr_rows: number of rows of MSR and PCI boxes
 */
struct expected {
	const struct ucore_platform *platform;
	const char *name;
	const char *intree;
	u32 model;
	bool v4;
	u32 nr_rows;
};

static const struct expected processors[] = {
	{ &ucore_platform_hswep, "hswep", "hswep_uncore", 63, false, 4 + 18 },
	{ &ucore_platform_bdxep, "bdxep", "bdx_uncore", 79, true, 4 + 18 },
	{ &ucore_platform_bdxde, "bdxde", "bdx_uncore", 86, true, 3 + 7 },
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

/**
 * struct row - a row of either list
 * @type: box type
 * @layout: register layout
 * @gp: global status bits of the general-purpose counters
 * @fixed: global status bits of the fixed counters
 * @base: first register of instance 0
 * @stride: distance to the next instance
 * @max: maximum number of instances
 */
struct row {
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	u64 gp, fixed;
	u32 base, stride, max;
};

static struct row row_of(struct kunit *test, u32 i)
{
	const struct ucore_static_table *table = table_of(test);
	const struct ucore_static_pci *pci = &table->pci[i - table->nr_msr];
	const struct ucore_static_msr *msr = &table->msr[i];

	if (i >= table->nr_msr)
		return (struct row){ pci->type, pci->layout, pci->global_gp, pci->global_fixed,
				     0, 0, 1 };
	return (struct row){ msr->type, msr->layout, msr->global_gp, msr->global_fixed,
			     msr->base, msr->stride, msr->max };
}

static u32 nr_rows(struct kunit *test)
{
	return table_of(test)->nr_msr + table_of(test)->nr_pci;
}

/*
 * Sections 2 and 4, and common.md 5. Legal bits of a control exclude reset (17). The SBOX's
 * bit 19 is legal, but has no filter.
 */
static const struct {
	const char *name;
	u8 nr_gp, nr_fixed, width, width_v4;
	bool box_ctl, status, overflow;
	u32 legal_ctl;
	u16 regs[16];		/* box control, status, controls, counters, fixed, filters */
} types[] = {
	{ "cbo", 4, 0, 48, 48, true, true, false, 0xffccffff,
	  { 0xe00, 0xe07, 0xe01, 0xe02, 0xe03, 0xe04, 0xe08, 0xe09, 0xe0a, 0xe0b, 0xe05, 0xe06 } },
	{ "sbox", 4, 0, 44, 48, true, false, false, 0xffc4ffff,
	  { 0x720, 0x721, 0x722, 0x723, 0x724, 0x726, 0x727, 0x728, 0x729 } },
	{ "ubox", 2, 1, 48, 48, false, true, true, 0x1fd4ffff,
	  { 0x708, 0x705, 0x706, 0x709, 0x70a, 0x703, 0x704, 0x707 } },
	{ "pcu", 4, 0, 48, 48, true, true, true, 0xdff4c0ff,
	  { 0x710, 0x716, 0x711, 0x712, 0x713, 0x714, 0x717, 0x718, 0x719, 0x71a, 0x715 } },
	{ "ha", 4, 0, 48, 48, true, true, true, 0xffd4ffff,
	  { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8, 0x40, 0x44, 0x48 } },
	{ "imc", 4, 1, 48, 48, true, true, true, 0xffd4ffff,
	  { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8, 0xf0, 0xd0 } },
	{ "qpi", 4, 0, 48, 48, true, true, true, 0xfff4ffff,
	  { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8, 0x228, 0x22c, 0x238,
	    0x23c } },
	{ "r2pcie", 4, 0, 48, 48, true, true, true, 0xffd4ffff,
	  { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8 } },
	{ "r3qpi", 3, 0, 44, 48, true, true, true, 0xfff4ffff,
	  { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xa0, 0xa8, 0xb0 } },
	{ "irp", 4, 0, 48, 48, true, true, false, 0xffc4ffff,
	  { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8 } },
};

static u32 type_index(struct kunit *test, const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i].name, name))
			return i;
	KUNIT_FAIL(test, "unexpected box type %s", name);
	return 0;
}

static u32 put_regs(u16 *regs, u32 n, const u16 *from, u32 nr)
{
	memcpy(&regs[n], from, nr * sizeof(*regs));
	return n + nr;
}

static u32 layout_regs(const struct row *row, u16 *regs)
{
	const struct ucore_layout *layout = row->layout;
	u32 n = 0;

	if (layout->box_ctl != UCORE_REG_NONE)
		regs[n++] = layout->box_ctl;
	if (layout->status != UCORE_REG_NONE)
		regs[n++] = layout->status;
	n = put_regs(regs, n, layout->ctl, row->type->nr_gp);
	n = put_regs(regs, n, layout->ctr, row->type->nr_gp);
	n = put_regs(regs, n, layout->fixed_ctl, row->type->nr_fixed);
	n = put_regs(regs, n, layout->fixed_ctr, row->type->nr_fixed);
	return put_regs(regs, n, layout->shared, layout->nr_shared);
}

static void box_types_are_as_listed(struct kunit *test)
{
	const struct expected *e = test->param_value;
	const struct ucore_box_type *type;
	struct row row;
	u32 i, t;

	KUNIT_EXPECT_EQ(test, nr_rows(test), e->nr_rows);
	for (i = 0; i < nr_rows(test); i++) {
		row = row_of(test, i);
		type = row.type;
		t = type_index(test, type->name);
		KUNIT_EXPECT_EQ(test, type->nr_gp, types[t].nr_gp);
		KUNIT_EXPECT_EQ(test, type->nr_fixed, types[t].nr_fixed);
		KUNIT_EXPECT_EQ_MSG(test, type->width,
				    e->v4 ? types[t].width_v4 : types[t].width, "%s", type->name);
		KUNIT_EXPECT_EQ(test, type->fixed_width, types[t].nr_fixed ? 48 : 0);
		KUNIT_EXPECT_EQ(test, !!type->words, types[t].box_ctl);
		KUNIT_EXPECT_EQ(test, row.layout->box_ctl != UCORE_REG_NONE, types[t].box_ctl);
		KUNIT_EXPECT_EQ(test, row.layout->status != UCORE_REG_NONE, types[t].status);
		KUNIT_EXPECT_EQ(test, type->caps,
				(types[t].box_ctl ? UCORE_BOX_F_FREEZE : 0) |
				(types[t].overflow ? UCORE_BOX_F_OVERFLOW : 0) |
				(types[t].nr_fixed ? UCORE_BOX_F_FIXED_OVERFLOW : 0));
		KUNIT_EXPECT_EQ(test, type->ctl_en, (u32)BIT(22));
		KUNIT_EXPECT_EQ(test, type->ctl_ov_en, types[t].overflow ? (u32)BIT(20) : 0U);
		KUNIT_EXPECT_EQ(test, type->fixed_en, type->nr_fixed ? (u32)BIT(22) : 0U);
		KUNIT_EXPECT_EQ(test, type->fixed_ov_en, type->nr_fixed ? (u32)BIT(20) : 0U);
		KUNIT_EXPECT_EQ(test, type->status_gp_shift, strcmp(type->name, "imc") ? 0 : 1);
	}
}

static void control_fields_use_legal_bits_only(struct kunit *test)
{
	const struct ucore_box_type *type;
	u64 bits;
	u32 row, i, j;

	for (row = 0; row < nr_rows(test); row++) {
		type = row_of(test, row).type;
		bits = type->ctl_en | type->ctl_ov_en;
		for (i = 0; i < type->nr_fields; i++) {
			for (j = 0; j < 2; j++) {
				if (type->fields[i].piece[j].slot != UCORE_SLOT_CTL)
					continue;
				KUNIT_EXPECT_EQ(test, bits & type->fields[i].piece[j].mask, 0ULL);
				bits |= type->fields[i].piece[j].mask;
			}
		}
		KUNIT_EXPECT_EQ_MSG(test, bits,
				    (u64)types[type_index(test, type->name)].legal_ctl, "%s",
				    type->name);
	}
}

/* Section 4: bits of the filters */
static void filter_fields_are_as_listed(struct kunit *test)
{
	static const struct {
		const char *name;
		u64 mask[2];
	} filters[] = {
		{ "cbo", { 0x00fe03ff, 0xfff0ffff } },
		{ "ubox", { 0x3f } },
		{ "pcu", { 0xffffffff } },
	};
	u64 mask[UCORE_NR_SLOTS];
	u32 i, f, row, seen = 0;
	struct row r;

	for (row = 0; row < table_of(test)->nr_msr; row++) {
		r = row_of(test, row);
		memset(mask, 0, sizeof(mask));
		for (f = 0; f < r.type->nr_fields; f++)
			mask[r.type->fields[f].piece[0].slot] |= r.type->fields[f].piece[0].mask;
		for (i = 0; i < ARRAY_SIZE(filters); i++) {
			if (strcmp(filters[i].name, r.type->name))
				continue;
			seen++;
			KUNIT_EXPECT_EQ(test, mask[1], filters[i].mask[0]);
			KUNIT_EXPECT_EQ(test, mask[2], filters[i].mask[1]);
		}
	}
	KUNIT_EXPECT_EQ(test, seen, (u32)ARRAY_SIZE(filters));
}

static void registers_are_as_listed(struct kunit *test)
{
	u16 regs[32];
	struct row row;
	u32 i, j, n, t;

	for (i = 0; i < nr_rows(test); i++) {
		row = row_of(test, i);
		t = type_index(test, row.type->name);
		n = layout_regs(&row, regs);
		for (j = 0; j < n; j++)
			KUNIT_EXPECT_EQ_MSG(test, row.base + regs[j], (u32)types[t].regs[j],
					    "%s register %u", types[t].name, j);
		KUNIT_EXPECT_EQ(test, types[t].regs[n], 0);
	}
}

/* No MSR belongs to two boxes: the 24 C-Boxes end before the next block. */
static void msr_boxes_do_not_overlap(struct kunit *test)
{
	u32 *seen = kunit_kcalloc(test, 512, sizeof(*seen), GFP_KERNEL);
	u32 i, inst, r, n, k, nr_seen = 3, msr;
	struct row row;
	u16 regs[32];

	KUNIT_ASSERT_NOT_NULL(test, seen);
	seen[0] = 0x700;
	seen[1] = 0x701;
	seen[2] = 0x702;
	for (i = 0; i < table_of(test)->nr_msr; i++) {
		row = row_of(test, i);
		n = layout_regs(&row, regs);
		for (inst = 0; inst < row.max; inst++) {
			for (r = 0; r < n; r++) {
				msr = row.base + inst * row.stride + regs[r];
				for (k = 0; k < nr_seen; k++)
					KUNIT_EXPECT_NE(test, seen[k], msr);
				seen[nr_seen++] = msr;
			}
		}
	}
}

static void box_counts_are_as_listed(struct kunit *test)
{
	const struct expected *e = test->param_value;
	const struct ucore_static_table *table = table_of(test);
	const struct ucore_static_msr *row;

	for (row = table->msr; row < table->msr + table->nr_msr; row++) {
		if (!strcmp(row->type->name, "cbo")) {
			KUNIT_EXPECT_EQ(test, row->max, e->v4 ? 24U : 18U);
			KUNIT_EXPECT_EQ(test, row->stride, 0x10U);
			KUNIT_EXPECT_TRUE(test, row->per_core);
		} else if (!strcmp(row->type->name, "sbox")) {
			KUNIT_EXPECT_EQ(test, row->max, 4U);
			KUNIT_EXPECT_EQ(test, row->stride, 0xaU);
			KUNIT_EXPECT_TRUE(test, row->by_chop);
			KUNIT_EXPECT_EQ(test, row->small, e->v4 ? 0U : 2U);
			KUNIT_EXPECT_EQ(test, table->chop_device, e->v4 ? 0x6fc0 : 0x2fc0);
			KUNIT_EXPECT_EQ(test, table->chop_reg, 0x94);
			KUNIT_EXPECT_EQ(test, table->chop, 0xc0U);
		} else {
			KUNIT_EXPECT_EQ(test, row->max, 1U);
		}
	}
}

/*
 * Any status bit makes the driver read all armed boxes. Bits of instances are made by a
 * shift, so that a type with several instances must have none.
 */
static void any_status_bit_covers_all_boxes(struct kunit *test)
{
	struct row row;
	u32 i;

	for (i = 0; i < nr_rows(test); i++) {
		row = row_of(test, i);
		KUNIT_EXPECT_EQ_MSG(test, row.gp,
				    row.type->caps & UCORE_BOX_F_OVERFLOW ? ~0ULL : 0ULL, "%s",
				    row.type->name);
		if (row.type->nr_fixed)
			KUNIT_EXPECT_EQ(test, row.fixed, ~0ULL);
		KUNIT_EXPECT_TRUE(test, !row.gp || row.max == 1);
	}
}

/* Section 3: device ids, and those of the filter functions */
static void pci_ids_are_as_listed(struct kunit *test)
{
	static const struct {
		const char *name;
		u16 device[8];
		u16 aux[8];
	} ids[] = {
		{ "ha", { 0xf30, 0xf38 } },
		{ "imc", { 0xfb0, 0xfb1, 0xfb4, 0xfb5, 0xfd0, 0xfd1, 0xfd4, 0xfd5 } },
		{ "qpi", { 0xf32, 0xf33, 0xf3a }, { 0xf86, 0xf96, 0xf46 } },
		{ "r2pcie", { 0xf34 } },
		{ "r3qpi", { 0xf36, 0xf37, 0xf3e } },
		{ "irp", { 0xf39 } },
	};
	const struct expected *e = test->param_value;
	const struct ucore_static_table *table = table_of(test);
	u16 ctx = e->v4 ? 0x6000 : 0x2000, aux;
	const struct ucore_static_pci *row;
	u32 i;

	for (row = table->pci; row < table->pci + table->nr_pci; row++) {
		for (i = 0; i < ARRAY_SIZE(ids) && strcmp(ids[i].name, row->type->name); i++)
			;
		KUNIT_ASSERT_LT(test, i, (u32)ARRAY_SIZE(ids));
		aux = ids[i].aux[row->instance];
		/* no source lists a filter function for v3's third port */
		if (aux == 0xf46 && !e->v4)
			aux = 0;
		KUNIT_EXPECT_EQ(test, row->device, ctx | ids[i].device[row->instance]);
		KUNIT_EXPECT_EQ(test, row->aux, aux ? ctx | aux : 0);
	}
	KUNIT_EXPECT_EQ(test, table->ubox.device, ctx | 0xf1e);
	KUNIT_EXPECT_EQ(test, table->ubox.nodeid, 0x40);
	KUNIT_EXPECT_EQ(test, table->ubox.gidnidmap, 0x54);
	KUNIT_EXPECT_FALSE(test, table->ubox.lower);
}

static void platforms_are_as_listed(struct kunit *test)
{
	const struct expected *e = test->param_value;
	const struct ucore_global *global = table_of(test)->global;

	fake_kernel_reset();
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = e->model;
	KUNIT_EXPECT_PTR_EQ(test, ucore_platform_match(), e->platform);
	KUNIT_EXPECT_STREQ(test, e->platform->name, e->name);
	KUNIT_EXPECT_STREQ(test, e->platform->intree, e->intree);
	KUNIT_EXPECT_EQ(test, e->platform->caps,
			(u32)(UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI));
	KUNIT_EXPECT_EQ(test, global->ctl, 0x700U);
	KUNIT_EXPECT_EQ(test, global->status, 0x701U);
	KUNIT_EXPECT_EQ(test, global->nr_status, 1U);
	KUNIT_EXPECT_EQ(test, global->freeze, BIT_ULL(31));
	KUNIT_EXPECT_EQ(test, global->wake, BIT_ULL(30));
	KUNIT_EXPECT_EQ(test, global->unfreeze, BIT_ULL(29));
	KUNIT_EXPECT_EQ(test, global->core_sel, 0x3ffffULL);
	KUNIT_EXPECT_EQ(test, table_of(test)->global_config, 0x702U);
	KUNIT_EXPECT_EQ(test, table_of(test)->num_cbo, 0x1fULL);
}

/*
 * Section 5, and the event files where they are stricter (HA, and on the v4 R2PCIe 0x2a, 0x32
 * and 0x33, R3QPI 0x2a and 0x2b).
 */
static const struct allowed {
	const char *type;
	bool v4;
	u16 first, last;
	u32 counters;
} allowed[] = {
	{ "cbo", false, 0x01, 0x01, 0x1 }, { "cbo", false, 0x09, 0x09, 0x1 },
	{ "cbo", false, 0x11, 0x11, 0x1 }, { "cbo", false, 0x36, 0x36, 0x1 },
	{ "cbo", false, 0x38, 0x38, 0x3 }, { "cbo", false, 0x3b, 0x3b, 0x1 },
	{ "cbo", false, 0x3e, 0x3e, 0x1 },
	{ "cbo", true, 0x09, 0x09, 0x3 }, { "cbo", true, 0x11, 0x11, 0x1 },
	{ "cbo", true, 0x36, 0x36, 0x1 }, { "cbo", true, 0x3e, 0x3e, 0x1 },
	{ "pcu", true, 0x80, 0xff, 0xe },
	{ "ha", false, 0x61, 0x62, 0x7 }, { "ha", false, 0x64, 0x65, 0x7 },
	{ "ha", true, 0x61, 0x62, 0x7 }, { "ha", true, 0x64, 0x65, 0x7 },
	{ "r2pcie", false, 0x10, 0x11, 0x3 }, { "r2pcie", false, 0x13, 0x13, 0x1 },
	{ "r2pcie", false, 0x23, 0x25, 0x1 }, { "r2pcie", false, 0x26, 0x26, 0x3 },
	{ "r2pcie", false, 0x27, 0x27, 0x1 }, { "r2pcie", false, 0x28, 0x29, 0x3 },
	{ "r2pcie", false, 0x2a, 0x2a, 0x1 }, { "r2pcie", false, 0x2b, 0x2d, 0x3 },
	{ "r2pcie", false, 0x32, 0x35, 0x3 },
	{ "r2pcie", true, 0x10, 0x11, 0x3 }, { "r2pcie", true, 0x13, 0x13, 0x1 },
	{ "r2pcie", true, 0x23, 0x23, 0x1 }, { "r2pcie", true, 0x25, 0x25, 0x1 },
	{ "r2pcie", true, 0x26, 0x26, 0x3 }, { "r2pcie", true, 0x28, 0x28, 0x3 },
	{ "r2pcie", true, 0x2a, 0x2a, 0x1 }, { "r2pcie", true, 0x2c, 0x2d, 0x3 },
	{ "r2pcie", true, 0x32, 0x33, 0x3 },
	{ "r3qpi", false, 0x01, 0x01, 0x3 }, { "r3qpi", false, 0x10, 0x12, 0x3 },
	{ "r3qpi", false, 0x13, 0x13, 0x1 }, { "r3qpi", false, 0x14, 0x15, 0x3 },
	{ "r3qpi", false, 0x1f, 0x23, 0x3 }, { "r3qpi", false, 0x25, 0x26, 0x3 },
	{ "r3qpi", false, 0x28, 0x29, 0x3 }, { "r3qpi", false, 0x2a, 0x2b, 0x1 },
	{ "r3qpi", false, 0x2c, 0x2f, 0x3 }, { "r3qpi", false, 0x31, 0x34, 0x3 },
	{ "r3qpi", false, 0x36, 0x39, 0x3 },
	{ "r3qpi", true, 0x10, 0x11, 0x3 },
	{ "r3qpi", true, 0x13, 0x13, 0x1 }, { "r3qpi", true, 0x14, 0x15, 0x3 },
	{ "r3qpi", true, 0x1f, 0x23, 0x3 }, { "r3qpi", true, 0x25, 0x26, 0x3 },
	{ "r3qpi", true, 0x28, 0x29, 0x3 }, { "r3qpi", true, 0x2a, 0x2b, 0x1 },
	{ "r3qpi", true, 0x2c, 0x2f, 0x3 }, { "r3qpi", true, 0x33, 0x34, 0x3 },
	{ "r3qpi", true, 0x36, 0x39, 0x3 },
};

static u32 allowed_counters(const struct ucore_box_type *type, bool v4, u32 event)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(allowed); i++)
		if (!strcmp(allowed[i].type, type->name) && allowed[i].v4 == v4 &&
		    event >= allowed[i].first && event <= allowed[i].last)
			return allowed[i].counters;
	return GENMASK(type->nr_gp - 1, 0);
}

static void every_event_is_restricted_to_its_counters(struct kunit *test)
{
	const struct expected *e = test->param_value;
	struct ucore_event_spec spec;
	struct ucore_box box = { };
	u32 i, event;

	for (i = 0; i < nr_rows(test); i++) {
		box.desc.type = row_of(test, i).type;
		for (event = 0; event < 256; event++) {
			spec = (struct ucore_event_spec){ .value = { event | 0xa500 } };
			KUNIT_EXPECT_EQ(test, fake_restrict(&box, 0, 0, &spec), 0);
			KUNIT_EXPECT_EQ_MSG(test, spec.counters,
					    (u64)allowed_counters(box.desc.type, e->v4, event),
					    "%s event %#x", box.desc.type->name, event);
		}
	}
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE_PARAM(box_types_are_as_listed, processor_gen_params),
	KUNIT_CASE_PARAM(control_fields_use_legal_bits_only, processor_gen_params),
	KUNIT_CASE_PARAM(filter_fields_are_as_listed, processor_gen_params),
	KUNIT_CASE_PARAM(registers_are_as_listed, processor_gen_params),
	KUNIT_CASE_PARAM(msr_boxes_do_not_overlap, processor_gen_params),
	KUNIT_CASE_PARAM(box_counts_are_as_listed, processor_gen_params),
	KUNIT_CASE_PARAM(any_status_bit_covers_all_boxes, processor_gen_params),
	KUNIT_CASE_PARAM(pci_ids_are_as_listed, processor_gen_params),
	KUNIT_CASE_PARAM(platforms_are_as_listed, processor_gen_params),
	KUNIT_CASE_PARAM(every_event_is_restricted_to_its_counters, processor_gen_params),
	{ }
};

static struct kunit_suite table_suite = {
	.name = "ucore_hswep_tables",
	.test_cases = table_cases,
};

/* ---- register accesses ---- */

#define RESET	0x30103
#define RUN	0x30000

static const u64 no_filters[UCORE_MAX_SHARED];

/* Bits 17:16 are written and read back once. */
static void program_cbo_probes_enables_once(struct kunit *test)
{
	static const u64 filters[UCORE_MAX_SHARED] = { 0x20000, 0x18200000 };
	struct ucore_box *box = fake_box(test, 0, "cbo", 2);
	struct fake_window *w = fake_window(box);

	ucore_box_program(box, filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 5), FAKE_R(w, 6),
		    FAKE_W(w, 0, RESET), FAKE_R(w, 0),
		    FAKE_W(w, 0, RESET), FAKE_R(w, 7), FAKE_W(w, 5, 0x20000),
		    FAKE_W(w, 6, 0x18200000));
	ucore_box_unfreeze(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0, RUN));
	ucore_box_stop(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0, RESET));
	ucore_box_restore(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0, RESET), FAKE_R(w, 7), FAKE_W(w, 5, 0),
		    FAKE_W(w, 6, 0), FAKE_W(w, 0, RUN));

	/* the enables are known now */
	ucore_box_program(box, no_filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 5), FAKE_R(w, 6), FAKE_W(w, 0, RESET),
		    FAKE_R(w, 7), FAKE_W(w, 5, 0), FAKE_W(w, 6, 0));
}

/* Unlike the v2, the C-Box has a status register: old overflow bits are cleared. */
static void program_cbo_clears_old_status(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "cbo", 0);
	struct fake_window *w = fake_window(box);

	fake_poke(w, 7, 0xa);
	ucore_box_program(box, no_filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 5), FAKE_R(w, 6), FAKE_W(w, 0, RESET),
		    FAKE_R(w, 0), FAKE_W(w, 0, RESET), FAKE_R(w, 7), FAKE_W(w, 7, 0xa),
		    FAKE_W(w, 5, 0), FAKE_W(w, 6, 0));
	KUNIT_EXPECT_EQ(test, fake_peek(w, 7), 0ULL);
}

/* Neither enable bit exists, and a write with one of them is dropped. */
static void box_control_without_enables_is_detected(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "pcu", 0);
	struct fake_window *w = fake_window(box);

	w->absent = 0x30000;
	w->faults = true;
	ucore_box_program(box, no_filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0x715),
		    FAKE_W(w, 0x710, 0x30103), FAKE_R(w, 0x710),
		    FAKE_W(w, 0x710, 0x10103), FAKE_R(w, 0x710),
		    FAKE_W(w, 0x710, 0x20103), FAKE_R(w, 0x710),
		    FAKE_W(w, 0x710, 0x103), FAKE_R(w, 0x716), FAKE_W(w, 0x715, 0));
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x710), 0x100ULL);
	ucore_box_unfreeze(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x710, 0));
	ucore_box_stop(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x710, 0x103));
	ucore_box_restore(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x710, 0x103), FAKE_R(w, 0x716),
		    FAKE_W(w, 0x715, 0), FAKE_W(w, 0x710, 0));
}

/*
 * Only one of the enable bits exists. A write with the missing bit is dropped, or only the
 * bit is ignored.
 */
static void box_control_with_one_enable_is_detected(struct kunit *test)
{
	static const u32 absent[] = { 0x10000, 0x20000 };
	struct fake_window *w;
	struct ucore_box *box;
	u32 i, faults;

	for (i = 0; i < ARRAY_SIZE(absent); i++) {
		for (faults = 0; faults < 2; faults++) {
			box = fake_box(test, 0, "imc", 2 * i + faults);
			w = fake_window(box);
			w->absent = absent[i];
			w->faults = faults;
			ucore_box_program(box, no_filters);
			fake_bus_clear(bus_of(test));
			ucore_box_unfreeze(box);
			FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xf4, RUN & ~absent[i]));
			KUNIT_EXPECT_EQ(test, fake_peek(w, 0xf4), (u64)(RUN & ~absent[i]));
		}
	}
}

/*
 * Bits are written one by one, because several at once may fault. Register 5 is undocumented
 * and unused.
 */
static void program_sbox_writes_bit_by_bit(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "sbox", 3);
	struct fake_window *w = fake_window(box);

	ucore_box_program(box, no_filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0, 0x1), FAKE_W(w, 0, 0x3),
		    FAKE_W(w, 0, 0x10003), FAKE_W(w, 0, 0x10103));
	ucore_box_unfreeze(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0, 0x10000));
	ucore_box_stop(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0, 0x1), FAKE_W(w, 0, 0x3),
		    FAKE_W(w, 0, 0x10003), FAKE_W(w, 0, 0x10103));
	ucore_box_restore(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0, 0x1), FAKE_W(w, 0, 0x3),
		    FAKE_W(w, 0, 0x10003), FAKE_W(w, 0, 0x10103), FAKE_W(w, 0, 0x10000));
}

/* Registers are cleared one by one. The filter is restored. */
static void program_ubox_clears_each_register_and_restores_filter(struct kunit *test)
{
	static const u64 filters[UCORE_MAX_SHARED] = { 0x15 };
	struct ucore_box *box = fake_box(test, 0, "ubox", 0);
	struct fake_window *w = fake_window(box);

	fake_poke(w, 0x707, 0x2a);
	ucore_box_program(box, filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0x707), FAKE_W(w, 0x705, 0), FAKE_W(w, 0x706, 0),
		    FAKE_W(w, 0x703, 0), FAKE_W(w, 0x709, 0), FAKE_W(w, 0x70a, 0),
		    FAKE_W(w, 0x704, 0), FAKE_R(w, 0x708), FAKE_W(w, 0x709, BIT_ULL(48) - 1),
		    FAKE_R(w, 0x709), FAKE_W(w, 0x709, 0), FAKE_W(w, 0x704, BIT_ULL(48) - 1),
		    FAKE_R(w, 0x704), FAKE_W(w, 0x704, 0), FAKE_W(w, 0x707, 0x15));
	ucore_box_restore(box);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x707), 0x2aULL);
}

/* Sources differ about the UBox's width (44 or 48 bits): it is detected once. */
static void ubox_counter_width_is_detected_once(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "ubox", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct fake_window *w = fake_window(box);
	struct ucore_event_spec spec = { };
	struct ucore_counter *ctr, *longest;
	struct ucore_box_info info;

	KUNIT_EXPECT_EQ(test, fake_restrict(box, BIT(0), BIT_ULL(44), &spec), 0);
	w->width = 44;
	ctr = fake_ctx_add(ctx, box, 1, 0x500042, 1000);
	longest = fake_ctx_add(ctx, box, UCORE_COUNTER_FIXED, 0x500000, BIT_ULL(47));
	ucore_box_program(box, no_filters);
	ucore_counter_program(ctr);
	ucore_counter_program(longest);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x709), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x70a), BIT_ULL(44) - 1000);
	KUNIT_EXPECT_EQ(test, ctr->prev, BIT_ULL(44) - 1000);
	KUNIT_EXPECT_EQ(test, longest->prev, 1ULL);
	KUNIT_EXPECT_TRUE(test, ucore_counter_accumulate(ctr, 5));
	KUNIT_EXPECT_EQ(test, ctr->total, 1005ULL);
	ucore_describe_box(box, false, &info);
	KUNIT_EXPECT_EQ(test, info.width, 44U);
	KUNIT_EXPECT_EQ(test, info.fixed_width, 44U);
	KUNIT_EXPECT_EQ(test, fake_restrict(box, BIT(0), BIT_ULL(44), &spec), -ERANGE);
	fake_bus_clear(bus_of(test));
	ucore_box_program(box, no_filters);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w, 'R'), 1U);	/* the status */
}

/* The UBox's filter has two fields: core and thread. */
static void ubox_filter_encodes_core_and_thread(struct kunit *test)
{
	static const struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x41 },
		{ .field = UCORE_FIELD_UMASK, .value = 1 },
		{ .field = UCORE_FIELD_FILTER_CID, .value = 0x11 },
		{ .field = UCORE_FIELD_FILTER_TID, .value = 1 },
	};
	struct ucore_box *box = fake_box(test, 0, "ubox", 0);
	struct ucore_event_spec spec;
	struct ucore_field_info field;

	KUNIT_EXPECT_EQ(test, ucore_event_encode(box, terms, ARRAY_SIZE(terms), &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.value[UCORE_SLOT_CTL], 0x141ULL);
	KUNIT_EXPECT_EQ(test, spec.value[UCORE_SLOT_SHARED(0)], 0x23ULL);
	KUNIT_EXPECT_EQ(test, spec.claimed[UCORE_SLOT_SHARED(0)], 0x3fULL);
	ucore_field_describe(box, box->desc.type->nr_fields - 1, &field);
	KUNIT_EXPECT_STREQ(test, field.name, "filter_cid");
	KUNIT_EXPECT_EQ(test, field.flags,
			(u32)(UCORE_FIELD_F_SHARED | UCORE_FIELD_F_PERFMON));
}

/* ---- overflows ---- */

static void ctx_run(struct kunit *test, struct ucore_domain_ctx *ctx)
{
	struct ucore_domain *domain = ctx->domain;
	u64 now = ktime_get_mono_fast_ns();

	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, now);
	ucore_ctx_program(ctx);
	fake_ctx_list(ctx);
	ucore_unfreeze_domain(domain, true);
	ucore_ctx_start_times(ctx, now);
	raw_spin_unlock_irq(&domain->lock);
	fake_bus_clear(bus_of(test));
}

static void overflow_sample(struct ucore_domain *domain)
{
	struct ucore_readout ro;

	raw_spin_lock_irq(&domain->lock);
	ucore_readout_begin_overflow(&ro, domain, ktime_get_mono_fast_ns(), false);
	ucore_readout_end(&ro);
	raw_spin_unlock_irq(&domain->lock);
}

static const struct ucore_sample *sample_next(struct kunit *test, struct ucore_domain_ctx *ctx)
{
	const struct ucore_sample *sample = fake_record(ctx->ring);

	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_ASSERT_EQ(test, sample->hdr.type, (u32)UCORE_RECORD_SAMPLE);
	return sample;
}

/* C-Box, SBOX and IRP raise no PMI. */
static void period_on_box_without_overflow_fails(struct kunit *test)
{
	static const char * const names[] = { "cbo", "sbox", "irp" };
	struct ucore_event_spec spec = { };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		KUNIT_EXPECT_EQ(test, fake_restrict(fake_box(test, 0, names[i], 0), 0, 1000, &spec),
				-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, fake_restrict(fake_box(test, 0, "pcu", 0), 0, 1000, &spec), 0);
}

/*
 * For an unknown status bit all armed boxes are checked. Box status is cleared first. The
 * global status is cleared as it was read, including bits above 32.
 */
static void any_status_bit_reads_all_armed_boxes(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 5), *pcu = fake_box(test, 0, "pcu", 0);
	struct ucore_box *ha = fake_box(test, 0, "ha", 0);
	struct fake_window *gw = fake_global(0), *i = fake_window(imc), *p = fake_window(pcu);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	const u64 bits = BIT_ULL(35) | BIT_ULL(7);

	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	fake_ctx_add(ctx, pcu, 3, 0x500000, 200);
	fake_ctx_add(ctx, ha, 0, 0x400000, 0);
	ctx_run(test, ctx);
	fake_overflow(pcu, 0x71a, 7, BIT(3), bits);
	overflow_sample(ctx->domain);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, 0x700, FREEZE), FAKE_R(gw, 0x701),
		    FAKE_R(i, 0xf8), FAKE_R(p, 0x716),
		    FAKE_R(i, 0xa0), FAKE_R(i, 0xa4), FAKE_R(p, 0x71a),
		    FAKE_R(fake_window(ha), 0xa0), FAKE_R(fake_window(ha), 0xa4),
		    FAKE_W(p, 0x716, BIT(3)), FAKE_W(gw, 0x701, bits),
		    FAKE_W(p, 0x71a, BIT_ULL(48) - 200), FAKE_W(gw, 0x700, UNFREEZE));
	KUNIT_EXPECT_EQ(test, fake_peek(gw, 0x701), 0ULL);
	KUNIT_EXPECT_EQ(test, sample_next(test, ctx)->trigger_event, 101U);
}

/* No status bit reports an overflow of the UBox's fixed counter: its value shows a wrap. */
static void ubox_fixed_overflow_is_found_by_its_value(struct kunit *test)
{
	struct ucore_box *ubox = fake_box(test, 0, "ubox", 0), *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct fake_window *w = fake_window(ubox);
	const struct ucore_sample *sample;

	fake_ctx_add(ctx, ubox, UCORE_COUNTER_FIXED, 0x500000, 100000);
	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	ctx_run(test, ctx);
	fake_overflow(ubox, 0x704, 4, 0, BIT_ULL(0));
	overflow_sample(ctx->domain);
	sample = sample_next(test, ctx);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, 100U);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 100004ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x704), BIT_ULL(48) - 100000);

	/* an overflow of another box */
	fake_poke(w, 0x704, BIT_ULL(48) - 60000);
	fake_overflow(imc, 0xa0, 0, BIT(1), BIT_ULL(23));
	overflow_sample(ctx->domain);
	sample = sample_next(test, ctx);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, 101U);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 140004ULL);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, 0U);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x704), BIT_ULL(48) - 60000);
}

/* A read between the wrap and the PMI: the wrap is remembered until the overflow is serviced. */
static void ubox_fixed_wrap_before_pmi_is_remembered(struct kunit *test)
{
	struct ucore_box *ubox = fake_box(test, 0, "ubox", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct fake_window *w = fake_window(ubox);
	const struct ucore_sample *sample;

	fake_ctx_add(ctx, ubox, UCORE_COUNTER_FIXED, 0x500000, 1000);
	ctx_run(test, ctx);
	fake_poke(w, 0x704, 3);
	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_ctx_read_running(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&ctx->domain->lock);
	fake_overflow(ubox, 0x704, 5, 0, BIT_ULL(0));
	overflow_sample(ctx->domain);
	sample = sample_next(test, ctx);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, 100U);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 1005ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x704), BIT_ULL(48) - 1000);
}

/* pmi_core_sel has 18 bits: a core beyond them cannot be selected. */
static void core_above_17_is_not_selectable(struct kunit *test)
{
	struct ucore_domain *domain = ucore_catalog_domain(0);

	fake_kernel.core_id[0] = 17;
	KUNIT_EXPECT_EQ(test, ucore_core_select_bit(domain, 0), BIT_ULL(17));
	KUNIT_EXPECT_TRUE(test, ucore_core_select_possible(domain, 0));
	fake_kernel.core_id[0] = 18;
	KUNIT_EXPECT_EQ(test, ucore_core_select_bit(domain, 0), 0ULL);
	KUNIT_EXPECT_FALSE(test, ucore_core_select_possible(domain, 0));
}

static struct kunit_case box_cases[] = {
	KUNIT_CASE(program_cbo_probes_enables_once),
	KUNIT_CASE(program_cbo_clears_old_status),
	KUNIT_CASE(box_control_without_enables_is_detected),
	KUNIT_CASE(box_control_with_one_enable_is_detected),
	KUNIT_CASE(program_sbox_writes_bit_by_bit),
	KUNIT_CASE(program_ubox_clears_each_register_and_restores_filter),
	KUNIT_CASE(ubox_counter_width_is_detected_once),
	KUNIT_CASE(ubox_filter_encodes_core_and_thread),
	KUNIT_CASE(period_on_box_without_overflow_fails),
	KUNIT_CASE(any_status_bit_reads_all_armed_boxes),
	KUNIT_CASE(ubox_fixed_overflow_is_found_by_its_value),
	KUNIT_CASE(ubox_fixed_wrap_before_pmi_is_remembered),
	KUNIT_CASE(core_above_17_is_not_selectable),
	{ }
};

static struct kunit_suite box_suite = {
	.name = "ucore_hswep_boxes",
	.init = fake_machine_init_hswep,
	.exit = fake_machine_exit,
	.test_cases = box_cases,
};

kunit_test_suites(&table_suite, &box_suite);
