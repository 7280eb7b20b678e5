// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the E5-2600 v2's table, against a second copy of the manual's numbers, and
 * for internal consistency.
 */
#include <kunit/test.h>

#include "find/die_topology.h"
#include "find/static_table.h"
#include "platforms/match.h"

static const struct ucore_static_table *table(void)
{
	return ucore_platform_ivbep.table;
}

/* Rows of both lists have one common index. */
static u32 nr_rows(void)
{
	return table()->nr_msr + table()->nr_pci;
}

static bool row_is_msr(u32 row)
{
	return row < table()->nr_msr;
}

static const struct ucore_box_type *row_type(u32 row)
{
	return row_is_msr(row) ? table()->msr[row].type :
				 table()->pci[row - table()->nr_msr].type;
}

static const struct ucore_layout *row_layout(u32 row)
{
	return row_is_msr(row) ? table()->msr[row].layout :
				 table()->pci[row - table()->nr_msr].layout;
}

/* The boxes of 329468-002, and the legal bits of their controls */
static const struct {
	const char *name;
	u8 nr_gp;
	u8 nr_fixed;
	u8 width;
	u8 fixed_width;
	bool box_ctl;
	bool status;
	bool overflow;
	bool fixed_overflow;
	u32 legal_ctl;
	s8 status_gp;
	s8 status_fixed;
} expected[] = {
	{ "cbo", 4, 0, 44, 0, true, false, false, false, 0xff4cffff, 0, 0 },
	{ "ubox", 2, 1, 44, 48, false, true, true, true, 0x1f54ffff, 0, -1 },
	{ "pcu", 4, 0, 48, 0, true, true, true, false, 0xdf74c0ff, 0, 0 },
	{ "ha", 4, 0, 48, 0, true, true, true, false, 0xff55ffff, 0, 0 },
	{ "imc", 4, 1, 48, 48, true, true, true, true, 0xff54ffff, 1, 0 },
	{ "qpi", 4, 0, 48, 0, true, true, true, false, 0xff74ffff, 0, 0 },
	{ "r2pcie", 4, 0, 44, 0, true, true, true, false, 0xff54ffff, 0, 0 },
	{ "r3qpi", 3, 0, 44, 0, true, true, true, false, 0xff54ffff, 0, 0 },
	{ "irp", 4, 0, 48, 0, true, true, false, false, 0xff44ffff, 0, 0 },
};

static u32 expected_index(struct kunit *test, const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(expected); i++)
		if (!strcmp(expected[i].name, name))
			return i;
	KUNIT_FAIL(test, "unexpected box type %s", name);
	return 0;
}

static void box_types_are_as_in_the_manual(struct kunit *test)
{
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	u32 row, e;

	for (row = 0; row < nr_rows(); row++) {
		type = row_type(row);
		layout = row_layout(row);
		e = expected_index(test, type->name);
		KUNIT_EXPECT_EQ(test, type->nr_gp, expected[e].nr_gp);
		KUNIT_EXPECT_EQ(test, type->nr_fixed, expected[e].nr_fixed);
		KUNIT_EXPECT_EQ(test, type->width, expected[e].width);
		KUNIT_EXPECT_EQ(test, type->fixed_width, expected[e].fixed_width);
		KUNIT_EXPECT_EQ(test, !!type->words, expected[e].box_ctl);
		KUNIT_EXPECT_EQ(test, layout->box_ctl != UCORE_REG_NONE, expected[e].box_ctl);
		KUNIT_EXPECT_EQ(test, layout->status != UCORE_REG_NONE, expected[e].status);
		KUNIT_EXPECT_EQ(test, !!(type->caps & UCORE_BOX_F_OVERFLOW), expected[e].overflow);
		KUNIT_EXPECT_EQ(test, !!(type->caps & UCORE_BOX_F_FIXED_OVERFLOW),
				expected[e].fixed_overflow);
		KUNIT_EXPECT_EQ(test, !!(type->caps & UCORE_BOX_F_FREEZE), expected[e].box_ctl);
		KUNIT_EXPECT_EQ(test, type->ctl_en, (u32)BIT(22));
		KUNIT_EXPECT_EQ(test, type->ctl_ov_en, expected[e].overflow ? (u32)BIT(20) : 0U);
		KUNIT_EXPECT_EQ(test, type->fixed_en, type->nr_fixed ? (u32)BIT(22) : 0U);
		KUNIT_EXPECT_EQ(test, type->fixed_ov_en, type->nr_fixed ? (u32)BIT(20) : 0U);
		KUNIT_EXPECT_EQ(test, type->status_gp_shift, expected[e].status_gp);
		if (type->nr_fixed)
			KUNIT_EXPECT_EQ(test, type->status_fixed, expected[e].status_fixed);
		KUNIT_EXPECT_LE(test, type->nr_gp, UCORE_MAX_GP);
		KUNIT_EXPECT_LE(test, type->nr_fixed, UCORE_MAX_FIXED);
		KUNIT_EXPECT_LE(test, layout->nr_shared, UCORE_MAX_SHARED);
		KUNIT_EXPECT_LT(test, strlen(type->name), (size_t)UCORE_NAME_LEN);
	}
}

static void control_fields_use_legal_bits_only(struct kunit *test)
{
	const struct ucore_box_type *type;
	u64 bits, own;
	u32 row, i, j;

	for (row = 0; row < nr_rows(); row++) {
		type = row_type(row);
		own = type->ctl_en | type->ctl_ov_en;
		for (bits = 0, i = 0; i < type->nr_fields; i++)
			for (j = 0; j < 2; j++)
				if (type->fields[i].piece[j].slot == UCORE_SLOT_CTL)
					bits |= type->fields[i].piece[j].mask;
		KUNIT_EXPECT_EQ(test, bits & own, 0ULL);
		KUNIT_EXPECT_EQ_MSG(test, bits | own,
				    (u64)expected[expected_index(test, type->name)].legal_ctl,
				    "%s", type->name);
	}
}

/* The register of a shared field is in the layout. */
static void shared_fields_have_a_register(struct kunit *test)
{
	const struct ucore_piece *piece;
	u32 row, i, j;

	for (row = 0; row < nr_rows(); row++) {
		for (i = 0; i < row_type(row)->nr_fields; i++) {
			for (j = 0; j < 2; j++) {
				piece = &row_type(row)->fields[i].piece[j];
				KUNIT_EXPECT_LE(test, piece->slot, row_layout(row)->nr_shared);
				KUNIT_EXPECT_EQ(test, piece->mask >> 32, 0ULL);
			}
		}
	}
}

/* Bits 17:16 of a box control are always written as 1 (329468-002). */
static void box_control_words_are_as_in_the_manual(struct kunit *test)
{
	const struct ucore_box_words *words;
	u32 row;

	for (row = 0; row < nr_rows(); row++) {
		words = row_type(row)->words;
		if (!words)
			continue;
		KUNIT_EXPECT_EQ(test, words->freeze, 0x30100U);
		KUNIT_EXPECT_EQ(test, words->reset, 0x30103U);
		KUNIT_EXPECT_EQ(test, words->run, 0x30000U);
	}
}

/* Absolute addresses of 329468-002, in the order of a layout */
static const struct {
	const char *name;
	u32 base;
	u16 regs[16];
} addresses[] = {
	{ "cbo", 0xd00, { 0xd04, 0xd10, 0xd11, 0xd12, 0xd13, 0xd16, 0xd17, 0xd18, 0xd19,
			  0xd14, 0xd1a } },
	{ "ubox", 0, { 0xc15, 0xc10, 0xc11, 0xc16, 0xc17, 0xc08, 0xc09 } },
	{ "pcu", 0, { 0xc24, 0xc35, 0xc30, 0xc31, 0xc32, 0xc33, 0xc36, 0xc37, 0xc38, 0xc39,
		      0xc34 } },
	{ "ha", 0, { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8, 0x40, 0x44,
		     0x48 } },
	{ "imc", 0, { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8, 0xf0, 0xd0 } },
	{ "qpi", 0, { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8, 0x228, 0x22c,
		      0x238, 0x23c } },
	{ "r2pcie", 0, { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8 } },
	{ "r3qpi", 0, { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xa0, 0xa8, 0xb0 } },
	{ "irp", 0, { 0xf4, 0xf8, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xb0, 0xb8, 0xc0 } },
};

/* List the registers of a row: box control, status, ctl, ctr, fixed, shared. */
static u32 layout_regs(u32 row, u16 *regs)
{
	const struct ucore_layout *layout = row_layout(row);
	const struct ucore_box_type *type = row_type(row);
	u32 n = 0;

	if (layout->box_ctl != UCORE_REG_NONE)
		regs[n++] = layout->box_ctl;
	if (layout->status != UCORE_REG_NONE)
		regs[n++] = layout->status;
	memcpy(&regs[n], layout->ctl, type->nr_gp * sizeof(*regs));
	n += type->nr_gp;
	memcpy(&regs[n], layout->ctr, type->nr_gp * sizeof(*regs));
	n += type->nr_gp;
	memcpy(&regs[n], layout->fixed_ctl, type->nr_fixed * sizeof(*regs));
	n += type->nr_fixed;
	memcpy(&regs[n], layout->fixed_ctr, type->nr_fixed * sizeof(*regs));
	n += type->nr_fixed;
	memcpy(&regs[n], layout->shared, layout->nr_shared * sizeof(*regs));
	return n + layout->nr_shared;
}

static void registers_are_as_in_the_manual(struct kunit *test)
{
	u32 row, i, j, n, base;
	u16 regs[32];

	for (row = 0; row < nr_rows(); row++) {
		for (i = 0; i < ARRAY_SIZE(addresses); i++)
			if (!strcmp(addresses[i].name, row_type(row)->name))
				break;
		KUNIT_ASSERT_LT(test, i, (u32)ARRAY_SIZE(addresses));
		base = row_is_msr(row) ? table()->msr[row].base : 0;
		KUNIT_EXPECT_EQ(test, base, addresses[i].base);
		n = layout_regs(row, regs);
		for (j = 0; j < n; j++)
			KUNIT_EXPECT_EQ_MSG(test, base + regs[j], (u32)addresses[i].regs[j],
					    "%s register %u", addresses[i].name, j);
		KUNIT_EXPECT_EQ(test, addresses[i].regs[n], 0);
	}
}

/* The bytes of a register (PCI), or the MSR itself, must not belong to another register. */
static void registers_do_not_overlap(struct kunit *test)
{
	const struct ucore_layout *layout;
	u32 row, i, j, n, size;
	u16 regs[32];

	for (row = 0; row < nr_rows(); row++) {
		layout = row_layout(row);
		n = layout_regs(row, regs);
		for (i = 0; i < n; i++) {
			size = row_is_msr(row) ? 1 : 4;
			if (!row_is_msr(row) && ((regs[i] >= layout->ctr[0] && regs[i] < 0xd8)))
				size = 8;
			for (j = 0; j < n; j++)
				if (i != j)
					KUNIT_EXPECT_TRUE_MSG(test, regs[j] < regs[i] ||
							      regs[j] >= regs[i] + size,
							      "%s: %#x and %#x",
							      row_type(row)->name, regs[i],
							      regs[j]);
		}
	}
}

static void msr_boxes_do_not_overlap(struct kunit *test)
{
	const struct ucore_global *global = table()->global;
	u32 row, inst, i, n, nr_seen = 0;
	u32 *seen = kunit_kcalloc(test, 512, sizeof(*seen), GFP_KERNEL);
	u16 regs[32];
	u32 msr, k;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	seen[nr_seen++] = global->ctl;
	seen[nr_seen++] = global->status;
	seen[nr_seen++] = table()->global_config;
	for (row = 0; row < table()->nr_msr; row++) {
		n = layout_regs(row, regs);
		for (inst = 0; inst < table()->msr[row].max; inst++) {
			for (i = 0; i < n; i++) {
				msr = table()->msr[row].base + inst * table()->msr[row].stride +
				      regs[i];
				for (k = 0; k < nr_seen; k++)
					KUNIT_EXPECT_NE(test, seen[k], msr);
				seen[nr_seen++] = msr;
			}
		}
	}
}

static void constraints_name_existing_counters(struct kunit *test)
{
	const struct ucore_constraint *c;
	const struct ucore_box_type *type;
	u32 row, last;

	for (row = 0; row < nr_rows(); row++) {
		type = row_type(row);
		for (last = 0, c = type->constraints; c && c->counters; c++) {
			KUNIT_EXPECT_EQ(test, c->counters & ~(u32)GENMASK(type->nr_gp - 1, 0), 0U);
			KUNIT_EXPECT_LE(test, c->event, c->last);
			KUNIT_EXPECT_LE(test, c->last, 0xff);
			if (c != type->constraints)
				KUNIT_EXPECT_GT(test, (u32)c->event, last);
			last = c->last;
		}
	}
}

static void increments_are_bounded(struct kunit *test)
{
	const struct ucore_increment *inc;
	const struct ucore_box_type *type;
	u32 row, last;

	for (row = 0; row < nr_rows(); row++) {
		type = row_type(row);
		KUNIT_EXPECT_GT(test, type->max_increment, 0);
		for (last = 0, inc = type->increments; inc && inc->max; inc++) {
			KUNIT_EXPECT_LE(test, inc->max, type->max_increment);
			KUNIT_EXPECT_LE(test, inc->event, inc->last);
			KUNIT_EXPECT_LE(test, inc->last, 0xff);
			if (inc != type->increments)
				KUNIT_EXPECT_GT(test, (u32)inc->event, last);
			last = inc->last;
		}
	}
}

/* U_MSR_PMON_GLOBAL_STATUS of 329468-002 */
static void global_status_bits_are_as_listed(struct kunit *test)
{
	static const struct {
		const char *name;
		u32 instance;
		u64 gp;
		u64 fixed;
	} bits[] = {
		{ "cbo", 0, BIT(3), 0 }, { "ubox", 0, BIT(1), BIT(0) }, { "pcu", 0, BIT(2), 0 },
		{ "ha", 0, BIT(18), 0 }, { "ha", 1, BIT(19), 0 },
		{ "imc", 0, BIT(20), BIT(20) }, { "imc", 1, BIT(20), BIT(20) },
		{ "imc", 2, BIT(20), BIT(20) }, { "imc", 3, BIT(20), BIT(20) },
		{ "imc", 4, BIT(21), BIT(21) }, { "imc", 5, BIT(21), BIT(21) },
		{ "imc", 6, BIT(21), BIT(21) }, { "imc", 7, BIT(21), BIT(21) },
		{ "qpi", 0, BIT(22) | BIT(23), 0 }, { "qpi", 1, BIT(22) | BIT(23), 0 },
		{ "qpi", 2, BIT(22) | BIT(23), 0 },
		{ "r2pcie", 0, BIT(26), 0 },
		{ "r3qpi", 0, BIT(24) | BIT(25), 0 }, { "r3qpi", 1, BIT(24) | BIT(25), 0 },
		{ "r3qpi", 2, BIT(24) | BIT(25), 0 },
		{ "irp", 0, 0, 0 },
	};
	u32 row, i, instance, found = 0;
	u64 gp, fixed;

	for (row = 0; row < nr_rows(); row++) {
		instance = 0;
		if (!row_is_msr(row))
			instance = table()->pci[row - table()->nr_msr].instance;
		gp = row_is_msr(row) ? table()->msr[row].global_gp :
				       table()->pci[row - table()->nr_msr].global_gp;
		fixed = row_is_msr(row) ? table()->msr[row].global_fixed :
					  table()->pci[row - table()->nr_msr].global_fixed;
		for (i = 0; i < ARRAY_SIZE(bits); i++) {
			if (strcmp(bits[i].name, row_type(row)->name) ||
			    bits[i].instance != instance)
				continue;
			found++;
			KUNIT_EXPECT_EQ_MSG(test, gp, bits[i].gp, "%s%u", bits[i].name, instance);
			if (row_type(row)->nr_fixed)
				KUNIT_EXPECT_EQ(test, fixed, bits[i].fixed);
		}
	}
	KUNIT_EXPECT_EQ(test, found, (u32)ARRAY_SIZE(bits));
	KUNIT_EXPECT_EQ(test, nr_rows(), (u32)ARRAY_SIZE(bits));
}

static void cbo_row_is_as_listed(struct kunit *test)
{
	const struct ucore_static_msr *cbo = &table()->msr[0];

	KUNIT_EXPECT_STREQ(test, cbo->type->name, "cbo");
	KUNIT_EXPECT_EQ(test, cbo->stride, 0x20U);
	KUNIT_EXPECT_EQ(test, cbo->max, 15U);
	KUNIT_EXPECT_TRUE(test, cbo->per_core);
	/* C-Box 14 has the last bit before those of the home agents */
	KUNIT_EXPECT_EQ(test, cbo->global_gp << (cbo->max - 1), (u64)BIT(17));
}

/* Each function's id, and that of its filter function */
static void pci_ids_are_as_listed(struct kunit *test)
{
	static const struct {
		const char *name;
		u16 device[8];
		u16 aux[8];
	} ids[] = {
		{ "ha", { 0x0e30, 0x0e38 } },
		{ "imc", { 0x0eb4, 0x0eb5, 0x0eb0, 0x0eb1, 0x0ef4, 0x0ef5, 0x0ef0, 0x0ef1 } },
		{ "qpi", { 0x0e32, 0x0e33, 0x0e3a }, { 0x0e86, 0x0e96, 0x0e46 } },
		{ "r2pcie", { 0x0e34 } },
		{ "r3qpi", { 0x0e36, 0x0e37, 0x0e3e } },
		{ "irp", { 0x0e39 } },
	};
	const struct ucore_static_pci *row;
	u32 i;

	for (row = table()->pci; row < table()->pci + table()->nr_pci; row++) {
		for (i = 0; i < ARRAY_SIZE(ids); i++) {
			if (strcmp(ids[i].name, row->type->name))
				continue;
			KUNIT_EXPECT_EQ(test, row->device, ids[i].device[row->instance]);
			KUNIT_EXPECT_EQ(test, row->aux, ids[i].aux[row->instance]);
		}
	}
	KUNIT_EXPECT_EQ(test, table()->ubox.device, 0x0e1e);
}

static void platform_is_as_listed(struct kunit *test)
{
	const struct ucore_platform *p = &ucore_platform_ivbep;

	KUNIT_EXPECT_STREQ(test, p->name, "ivbep");
	KUNIT_EXPECT_STREQ(test, p->intree, "ivbep_uncore");
	KUNIT_EXPECT_EQ(test, p->caps, (u32)(UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI));
	KUNIT_EXPECT_EQ(test, table()->global->ctl, 0xc00U);
	KUNIT_EXPECT_EQ(test, table()->global->status, 0xc01U);
	KUNIT_EXPECT_EQ(test, table()->global->freeze, BIT_ULL(31));
	KUNIT_EXPECT_EQ(test, table()->global->wake, BIT_ULL(30));
	KUNIT_EXPECT_EQ(test, table()->global->unfreeze, BIT_ULL(29));
	KUNIT_EXPECT_EQ(test, table()->global->core_sel, 0x7fffULL);
	KUNIT_EXPECT_EQ(test, table()->global_config, 0xc06U);
	KUNIT_EXPECT_EQ(test, table()->num_cbo, 0x1fULL);
}

/* ---- socket of a UBox ---- */

static void socket_map_of_identity_is_decoded(struct kunit *test)
{
	u32 node;

	for (node = 0; node < 8; node++)
		KUNIT_EXPECT_EQ(test, ucore_bus_package(node, 0xfac688), (int)node);
}

static void socket_map_of_permutation_is_decoded(struct kunit *test)
{
	/* sockets 0 and 1 are nodes 5 and 2, the rest of the map is empty */
	KUNIT_EXPECT_EQ(test, ucore_bus_package(5, 2 << 3 | 5), 0);
	KUNIT_EXPECT_EQ(test, ucore_bus_package(2, 2 << 3 | 5), 1);
	KUNIT_EXPECT_EQ(test, ucore_bus_package(0, 2 << 3 | 5), 2);	/* the first match */
	KUNIT_EXPECT_EQ(test, ucore_bus_package(7, 7 << 21), 7);		/* the last field */
}

static void socket_map_ignores_other_bits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ucore_bus_package(0xfffffff9, 0xfac688), 1);
	KUNIT_EXPECT_EQ(test, ucore_bus_package(3, 0xff000000 | 0xfac688), 3);
}

static void socket_map_without_the_node_fails(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ucore_bus_package(4, 0), -ENOENT);
	/* there is no ninth field */
	KUNIT_EXPECT_EQ(test, ucore_bus_package(7, 7 << 24), -ENOENT);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(box_types_are_as_in_the_manual),
	KUNIT_CASE(control_fields_use_legal_bits_only),
	KUNIT_CASE(shared_fields_have_a_register),
	KUNIT_CASE(box_control_words_are_as_in_the_manual),
	KUNIT_CASE(registers_are_as_in_the_manual),
	KUNIT_CASE(registers_do_not_overlap),
	KUNIT_CASE(msr_boxes_do_not_overlap),
	KUNIT_CASE(constraints_name_existing_counters),
	KUNIT_CASE(increments_are_bounded),
	KUNIT_CASE(global_status_bits_are_as_listed),
	KUNIT_CASE(cbo_row_is_as_listed),
	KUNIT_CASE(pci_ids_are_as_listed),
	KUNIT_CASE(platform_is_as_listed),
	KUNIT_CASE(socket_map_of_identity_is_decoded),
	KUNIT_CASE(socket_map_of_permutation_is_decoded),
	KUNIT_CASE(socket_map_ignores_other_bits),
	KUNIT_CASE(socket_map_without_the_node_fails),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_tables",
	.test_cases = cases,
};

kunit_test_suites(&suite);
