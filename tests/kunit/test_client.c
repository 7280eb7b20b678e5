// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of client processors: the tables against a second copy of the numbers, the number of
 * CBOs, the memory controllers behind MCHBAR, and each write of the global control.
 */
#include "abi/get_answers.h"
#include "fake_machine.h"
#include "find/static_table.h"

#define EN	BIT_ULL(29)
#define ANY	(EN | BIT_ULL(30) | BIT_ULL(31) | 0x1f)

static const struct ucore_static_table *table_of(const struct ucore_platform *platform)
{
	return platform->table;
}

/* ---- the tables ---- */

/**
 * struct expected - one row of the MSR boxes
 * @platform: platform
 * @name: box type
 * @max: number of boxes
 * @instance: box whose registers are listed
 * @ctl: legal bits of a general control, 0 for the clock
 * @bits: global status bits
 * @regs: MSRs of the controls, then of the counters, ended by 0
 */
struct expected {
	const struct ucore_platform *platform;
	const char *name;
	u32 max;
	u32 instance;
	u32 ctl;
	u32 bits;
	u16 regs[FAKE_ROW_REGS];
};

static const struct expected rows[] = {
	{ &ucore_platform_snb, "cbo", 4, 3, 0x1fd4ffff, 8, { 0x730, 0x731, 0x736, 0x737 } },
	{ &ucore_platform_snb, "arb", 1, 0, 0x1fd4ffff, 2, { 0x3b2, 0x3b3, 0x3b0, 0x3b1 } },
	{ &ucore_platform_snb, "clock", 1, 0, 0, 1, { 0x394, 0x395 } },
	{ &ucore_platform_skl, "cbo", 10, 6, 0x1fd4ffff, 8, { 0x760, 0x761, 0x766, 0x767 } },
	{ &ucore_platform_skl, "cbo", 10, 7, 0x1fd4ffff, 8, { 0xf70, 0xf71, 0xf76, 0xf77 } },
	{ &ucore_platform_skl, "cbo", 10, 9, 0x1fd4ffff, 8, { 0xf90, 0xf91, 0xf96, 0xf97 } },
	{ &ucore_platform_skl, "arb", 1, 0, 0x1fd4ffff, 2, { 0x3b2, 0x3b3, 0x3b0, 0x3b1 } },
	{ &ucore_platform_skl, "clock", 1, 0, 0, 1, { 0x394, 0x395 } },
	{ &ucore_platform_icl, "cbo", 8, 7, 0x1fd4ffff, 8, { 0x738, 0x739, 0x73a, 0x73b } },
	{ &ucore_platform_icl, "arb", 1, 0, 0x1fd4ffff, 2, { 0x3b3, 0x3b1 } },
	{ &ucore_platform_icl, "clock", 1, 0, 0, 1, { 0x394, 0x395 } },
	{ &ucore_platform_tgl, "cbo", 8, 0, 0x1fd4ffff, 8, { 0x700, 0x701, 0x702, 0x703 } },
	{ &ucore_platform_tgl, "arb", 1, 0, 0x1fd4ffff, 2, { 0x3b2, 0x3b3, 0x3b0, 0x3b1 } },
	{ &ucore_platform_tgl, "clock", 1, 0, 0, 1, { 0x394, 0x395 } },
	{ &ucore_platform_adl, "cbo", 12, 11, 0x3fd4ffff, 8, { 0x2058, 0x2059, 0x205a, 0x205b } },
	{ &ucore_platform_adl, "arb", 2, 1, 0x1fd4ffff, 2, { 0x2fd8, 0x2fd9, 0x2fda, 0x2fdb } },
	{ &ucore_platform_adl, "clock", 1, 0, 0, 1, { 0x2fde, 0x2fdf } },
};

static void row_name(const struct expected *e, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %s%u", e->platform->name, e->name, e->instance);
}

KUNIT_ARRAY_PARAM(row, rows, row_name);

static u64 control_bits(const struct ucore_box_type *type)
{
	u64 bits = type->ctl_en | type->ctl_ov_en;
	u32 i;

	for (i = 0; i < type->nr_fields; i++)
		bits |= type->fields[i].piece[0].mask;
	return bits;
}

static void msr_boxes_are_as_listed(struct kunit *test)
{
	const struct expected *e = test->param_value;
	const struct ucore_static_msr *row = table_of(e->platform)->msr;
	const struct ucore_box_type *type;

	while (strcmp(row->type->name, e->name))
		row++;
	type = row->type;
	KUNIT_EXPECT_EQ(test, row->max, e->max);
	KUNIT_EXPECT_EQ(test, control_bits(type), (u64)e->ctl);
	KUNIT_EXPECT_EQ(test, type->ctl_ov_en, type->nr_gp ? BIT(20) : 0);
	KUNIT_EXPECT_EQ(test, type->fixed_ov_en, type->nr_fixed ? BIT(20) : 0);
	KUNIT_EXPECT_EQ(test, type->status_fixed, type->nr_fixed ? UCORE_STATUS_GLOBAL : 0);
	/* lookups of a CBO, requests to the ARB */
	KUNIT_EXPECT_EQ(test, type->traffic, !type->nr_gp ? 0 :
			BIT(31) | (e->name[0] == 'c' ? 0x8f34 : 0x0181));
	KUNIT_EXPECT_EQ(test, type->caps, 0U);
	KUNIT_EXPECT_NULL(test, type->words);
	KUNIT_EXPECT_EQ(test, type->width, type->nr_gp ? 44 : 0);
	KUNIT_EXPECT_EQ(test, type->fixed_width, type->nr_fixed ? 48 : 0);
	KUNIT_EXPECT_EQ(test, type->least_fixed_width, type->nr_fixed ? 44 : 0);
	KUNIT_EXPECT_EQ(test, row->layout->box_ctl, UCORE_REG_NONE);
	KUNIT_EXPECT_EQ(test, row->layout->status, UCORE_REG_NONE);
	/* the bit is the same for all boxes of the type */
	KUNIT_EXPECT_EQ(test, ucore_static_instance_bits(row, row->global_gp, e->instance) |
			ucore_static_instance_bits(row, row->global_fixed, e->instance),
			(u64)e->bits);
	fake_expect_registers(test, row, e->instance, e->regs);
}

static const struct {
	const struct ucore_platform *platform;
	const char *intree;
	u32 ctl;
	u32 status;
	u32 nr_fixed;
	u32 nr_imc;
	u16 mc[5];		/* offsets from MCHBAR: reads, writes, others */
} platforms[] = {
	{ &ucore_platform_snb, "snb_uncore", 0x391, 0x392, 5, 1,
	  { 0x5050, 0x5054, 0x5040, 0x5044, 0x5048 } },
	{ &ucore_platform_ivb, "ivb_uncore", 0x391, 0x392, 5, 1,
	  { 0x5050, 0x5054, 0x5040, 0x5044, 0x5048 } },
	{ &ucore_platform_hsw, "hsw_uncore", 0x391, 0x392, 5, 1,
	  { 0x5050, 0x5054, 0x5040, 0x5044, 0x5048 } },
	{ &ucore_platform_bdw, "bdw_uncore", 0x391, 0x392, 5, 1,
	  { 0x5050, 0x5054, 0x5040, 0x5044, 0x5048 } },
	{ &ucore_platform_skl, "skl_uncore", 0xe01, 0xe02, 5, 1,
	  { 0x5050, 0x5054, 0x5040, 0x5044, 0x5048 } },
	{ &ucore_platform_icl, "icl_uncore", 0xe01, 0xe02, 5, 1,
	  { 0x5050, 0x5054, 0x5040, 0x5044, 0x5048 } },
	{ &ucore_platform_rkl, "rkl_uncore", 0xe01, 0xe02, 5, 1,
	  { 0x5050, 0x5054, 0x5040, 0x5044, 0x5048 } },
	{ &ucore_platform_tgl, NULL, 0xe01, 0xe02, 3, 2, { 0x5058, 0x50a0, 0x5040 } },
	{ &ucore_platform_tglh, NULL, 0xe01, 0xe02, 3, 2, { 0xd858, 0xd8a0, 0xd840 } },
	{ &ucore_platform_adl, NULL, 0x2ff0, 0x2ff2, 3, 2, { 0xd858, 0xd8a0, 0xd840 } },
};

static void platforms_are_as_listed(struct kunit *test)
{
	const struct ucore_static_table *table;
	const struct ucore_static_mmio *mc;
	u32 i, c;

	for (i = 0; i < ARRAY_SIZE(platforms); i++) {
		table = table_of(platforms[i].platform);
		mc = table->mmio;
		KUNIT_EXPECT_STREQ(test, platforms[i].platform->intree ?: "none",
				   platforms[i].intree ?: "none");
		KUNIT_EXPECT_EQ(test, platforms[i].platform->caps,
				(u32)(UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_PMI_TRIAL));
		KUNIT_EXPECT_EQ(test, table->global->ctl, platforms[i].ctl);
		KUNIT_EXPECT_EQ(test, table->global->status, platforms[i].status);
		KUNIT_EXPECT_EQ(test, table->global->unfreeze, EN);
		KUNIT_EXPECT_EQ(test, table->global->on_overflow, BIT_ULL(31));
		KUNIT_EXPECT_TRUE(test, table->global->untried && table->global->clear_untried);
		KUNIT_EXPECT_EQ(test, table->global->clear_other,
				platforms[i].ctl == 0x391 ? 0x393U : 0U);
		KUNIT_EXPECT_EQ(test, table->global->freeze, 0ULL);
		KUNIT_EXPECT_EQ(test, table->global->core_sel,
				platforms[i].ctl == 0x391 ? 0xfULL : 0x1fULL);
		KUNIT_EXPECT_EQ(test, table->global->wake, BIT_ULL(30));
		KUNIT_EXPECT_TRUE(test, table->global->sel_untried);
		KUNIT_EXPECT_EQ(test, table->global->keep, ANY);
		KUNIT_EXPECT_EQ(test, table->global_config, 0x396U);
		KUNIT_EXPECT_EQ(test, table->num_cbo, 0xfULL);
		KUNIT_EXPECT_EQ(test, table->nr_pci, 0U);
		/* Alder Lake has general counters, too (test_mtl.c) */
		KUNIT_ASSERT_EQ(test, table->nr_mmio, platforms[i].ctl == 0x2ff0 ? 2U : 1U);
		KUNIT_EXPECT_EQ(test, table->nr_imc, platforms[i].nr_imc);
		KUNIT_EXPECT_EQ(test, mc->type->fixed_width, platforms[i].nr_fixed == 5 ? 32 : 64);
		KUNIT_ASSERT_EQ(test, (u32)mc->type->nr_fixed, platforms[i].nr_fixed);
		for (c = 0; c < mc->type->nr_fixed; c++)
			KUNIT_EXPECT_EQ(test, mc->first + mc->layout->fixed_ctr[c],
					(u32)platforms[i].mc[c]);
	}
}

static void models_are_as_listed(struct kunit *test)
{
	static const struct {
		u8 model;
		const struct ucore_platform *platform;
	} models[] = {
		{ 0x2a, &ucore_platform_snb }, { 0x3a, &ucore_platform_ivb },
		{ 0x3c, &ucore_platform_hsw }, { 0x45, &ucore_platform_hsw },
		{ 0x46, &ucore_platform_hsw }, { 0x3d, &ucore_platform_bdw },
		{ 0x47, &ucore_platform_bdw }, { 0x4e, &ucore_platform_skl },
		{ 0x5e, &ucore_platform_skl }, { 0x8e, &ucore_platform_skl },
		{ 0x9e, &ucore_platform_skl }, { 0xa5, &ucore_platform_skl },
		{ 0xa6, &ucore_platform_skl }, { 0x7d, &ucore_platform_icl },
		{ 0x7e, &ucore_platform_icl }, { 0x9d, &ucore_platform_icl },
		{ 0xa7, &ucore_platform_rkl }, { 0x8c, &ucore_platform_tgl },
		{ 0x8d, &ucore_platform_tglh }, { 0x97, &ucore_platform_adl },
		{ 0x9a, &ucore_platform_adl }, { 0xbe, &ucore_platform_adl },
		{ 0xb7, &ucore_platform_adl }, { 0xba, &ucore_platform_adl },
		{ 0xbf, &ucore_platform_adl }, { 0xaa, &ucore_platform_mtl },
		{ 0xac, &ucore_platform_mtl }, { 0xb5, &ucore_platform_mtl },
		{ 0xc5, &ucore_platform_arl }, { 0xc6, &ucore_platform_arl },
		{ 0xbd, &ucore_platform_lnl }, { 0xcc, &ucore_platform_ptl },
		{ 0xd5, &ucore_platform_ptl }, { 0xe5, &ucore_platform_ptl },
	};
	u32 i;

	fake_kernel_reset();
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	for (i = 0; i < ARRAY_SIZE(models); i++) {
		fake_boot_cpu.x86_model = models[i].model;
		KUNIT_EXPECT_PTR_EQ(test, ucore_platform_match(), models[i].platform);
	}
}

static void events_are_restricted_to_their_counters(struct kunit *test)
{
	struct ucore_event_spec spec;
	struct ucore_box box = { };
	u32 i, event;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ucore_static_msr *row = table_of(rows[i].platform)->msr;

		while (strcmp(row->type->name, rows[i].name))
			row++;
		box.desc.type = row->type;
		for (event = 0; row->type->nr_gp && event < 256; event++) {
			bool first = !strcmp(rows[i].name, "arb") && row->type->nr_gp == 2 &&
				     (event == 0x80 || event == 0x83 || event == 0x85);

			spec = (struct ucore_event_spec){ .value = { event } };
			KUNIT_EXPECT_EQ(test, fake_restrict(&box, 0, 0, &spec), 0);
			KUNIT_EXPECT_EQ(test, spec.counters,
					first ? 1ULL : GENMASK_ULL(row->type->nr_gp - 1, 0));
		}
	}
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE_PARAM(msr_boxes_are_as_listed, row_gen_params),
	KUNIT_CASE(platforms_are_as_listed),
	KUNIT_CASE(models_are_as_listed),
	KUNIT_CASE(events_are_restricted_to_their_counters),
	{ }
};

static struct kunit_suite table_suite = {
	.name = "ucore_client_tables",
	.test_cases = table_cases,
};

/* ---- finding the boxes ---- */

#define BRIDGE_ID	0x191f
#define MCHBAR		0xfed10000ULL

static int find_init(struct kunit *test)
{
	fake_kernel_reset();
	fake_cpus_need_two(test);
	fake_pci_init(test);
	fake_kernel.buses[0].number = 0;
	fake_kernel.buses[1].number = 1;
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = 0x5e;
	fake_boot_cpu.x86_phys_bits = 39;
	return 0;
}

static u64 boxes_found(const char *type)
{
	u64 found = 0;
	u32 i;

	for (i = 0; i < 64; i++)
		if (box_find(type, 0, i))
			found |= BIT_ULL(i);
	return found;
}

/* All ten CBOs respond, and 770h is a register of the core. */
static void cbos_answer(void)
{
	static const u16 bases[] = {
		0x700, 0x710, 0x720, 0x730, 0x740, 0x750, 0x760, 0x770, 0xf70, 0xf80, 0xf90,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bases); i++)
		fake_msr_add(bases[i], 0);
}

static const struct {
	u8 model;
	u32 config;		/* value of 396h, or ~0U: not readable */
	u32 cbos;
} counts[] = {
	{ 0x5e, 5, 4 }, { 0x5e, 0x15, 4 }, { 0x5e, 9, 8 }, { 0x5e, 10, 10 }, { 0x5e, 0xf, 10 },
	{ 0x5e, 0, 10 }, { 0x5e, 1, 1 }, { 0x5e, ~0U, 10 }, { 0x2a, 5, 4 }, { 0x2a, 10, 4 },
	{ 0x2a, 3, 2 },
};

static void number_of_cbos_follows_the_register(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		find_init(test);
		fake_boot_cpu.x86_model = counts[i].model;
		cbos_answer();
		if (counts[i].config != ~0U)
			fake_msr_add(0x396, counts[i].config);
		KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
		KUNIT_EXPECT_EQ_MSG(test, boxes_found("cbo"), GENMASK_ULL(counts[i].cbos - 1, 0),
				    "%#x", counts[i].config);
		fake_catalog_exit(test);
	}
}

static struct fake_function *bridge_add(u64 mchbar)
{
	struct fake_function *bridge = fake_pci_add(BRIDGE_ID, 0, 0, 0);

	bridge->config[0x48 / 4] = lower_32_bits(mchbar);
	bridge->config[0x4c / 4] = upper_32_bits(mchbar);
	return bridge;
}

static void memory_controller_is_behind_the_host_bridge(struct kunit *test)
{
	struct ucore_box_info info;
	struct ucore_box *box;
	u8 *bytes;

	/* the address is in the registers of function 0:0.0 only */
	fake_pci_add(BRIDGE_ID, 1, 0, 0)->config[0x48 / 4] = 0xfe000001;
	fake_pci_add(BRIDGE_ID, 0, 1, 0)->config[0x48 / 4] = 0xfe000001;
	bridge_add(MCHBAR | 1);
	bytes = fake_memory_add(test, MCHBAR + 0x5040, 0x18);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 1U);
	box = box_find("imc_free", 0, 0);
	KUNIT_ASSERT_NOT_NULL(test, box);
	ucore_describe_box(box, true, &info);
	KUNIT_EXPECT_EQ(test, info.location, MCHBAR + 0x5040);
	KUNIT_EXPECT_EQ(test, info.access, (u32)UCORE_ACCESS_MMIO);
	KUNIT_EXPECT_EQ(test, info.flags, (u32)UCORE_BOX_F_FREE_RUNNING);
	KUNIT_EXPECT_EQ(test, info.nr_fixed, 5U);
	KUNIT_EXPECT_EQ(test, info.fixed_width, 32U);
	/* each counter is a dword of its own, and may be all ones */
	*(u32 *)(bytes + 0x10) = ~0U;
	*(u32 *)(bytes + 0x14) = 0x12345678;
	KUNIT_EXPECT_EQ(test, box->io.ops->read64(&box->io, 0x10), 0xffffffffULL);
	KUNIT_EXPECT_EQ(test, box->io.ops->read64(&box->io, 0x14), 0x12345678ULL);
	KUNIT_EXPECT_EQ(test, box->io.ops->read_running(&box->io, 0x10), 0xffffffffULL);
	KUNIT_EXPECT_EQ(test, box->io.ops->read_low(&box->io, 0x14), 0x12345678ULL);
}

static void both_controllers_of_alder_lake_are_found(struct kunit *test)
{
	u32 m;

	fake_boot_cpu.x86_model = 0x97;
	bridge_add(0x4000000001ULL);	/* above 4 GiB */
	for (m = 0; m < 2; m++)
		fake_memory_add(test, 0x400000d840ULL + 0x10000 * m, 0x68);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, boxes_found("imc_free"), 3ULL);
	KUNIT_EXPECT_EQ(test, box_find("imc_free", 0, 1)->desc.phys, 0x400001d840ULL);
	KUNIT_EXPECT_EQ(test, box_find("imc_free", 0, 1)->desc.type->fixed_width, 64);
}

static const struct {
	const char *name;
	u64 mchbar;
	u64 ram;		/* address of 4 bytes of RAM, or 0 */
	u32 log_lines;
} bad[] = {
	{ "disabled", MCHBAR, 0, 1 },
	{ "no address", 1, 0, 1 },
	{ "no answer", ~0ULL, 0, 1 },
	{ "local APIC", 0xfee00001, 0, 1 },
	{ "I/O APIC", 0xfec00001, 0, 1 },
	{ "TPM", 0xfed40001, 0, 1 },
	{ "TXT", 0xfed20001, 0, 1 },
	{ "RAM", 0x80000001, 0x80005044, 1 },
	{ "beyond the address space", BIT_ULL(39) | 1, 0, 1 },
};

static void invalid_mchbar_leaves_the_other_boxes(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		find_init(test);
		fake_msr_add(0x394, 0);
		fake_msr_add(0x395, 0);
		bridge_add(bad[i].mchbar);
		fake_kernel.ram_start = bad[i].ram;
		fake_kernel.ram_end = bad[i].ram ? bad[i].ram + 4 : 0;
		KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
		KUNIT_EXPECT_EQ_MSG(test, ucore_catalog.nr_boxes, 1U, "%s", bad[i].name);
		KUNIT_EXPECT_EQ_MSG(test, boxes_found("clock"), 1ULL, "%s", bad[i].name);
		KUNIT_EXPECT_EQ_MSG(test, fake_kernel.log_lines, bad[i].log_lines, "%s",
				    bad[i].name);
		fake_catalog_exit(test);
	}
}

/* There are no PCI functions of boxes that firmware could hide. */
static void missing_boxes_are_reported_without_pci(struct kunit *test)
{
	fake_msr_add(0x395, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_STREQ(test, ucore_catalog.hidden, "");
	fake_catalog_exit(test);
	find_init(test);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_STREQ(test, ucore_catalog.hidden,
			   "no uncore box answers: look for a BIOS option that hides them");
}

static struct kunit_case find_cases[] = {
	KUNIT_CASE(number_of_cbos_follows_the_register),
	KUNIT_CASE(memory_controller_is_behind_the_host_bridge),
	KUNIT_CASE(both_controllers_of_alder_lake_are_found),
	KUNIT_CASE(invalid_mchbar_leaves_the_other_boxes),
	KUNIT_CASE(missing_boxes_are_reported_without_pci),
	{ }
};

static struct kunit_suite find_suite = {
	.name = "ucore_client_find",
	.init = find_init,
	.exit = fake_catalog_exit,
	.test_cases = find_cases,
};

/* ---- the global control ---- */

#define CTL	0xe01

static struct ucore_domain *domain_of(struct kunit *test)
{
	return &ucore_catalog.domains[0];
}

/* Begin a use of the global control as @found, with all counters frozen. */
static struct fake_window *begin(struct kunit *test, u64 found)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	fake_poke(gw, CTL, found);
	raw_spin_lock_irq(&domain->lock);
	ucore_domain_acquire(domain);
	fake_bus_clear(bus_of(test));
	ucore_freeze_domain(domain, 1);
	return gw;
}

static void level_stops_and_starts_all_boxes(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);
	struct fake_window *gw = begin(test, EN | 0xf);

	ucore_unfreeze_domain(domain, true);
	ucore_domain_set_route(domain, 0);
	raw_spin_unlock_irq(&domain->lock);
	/* no core is selected, and a write of the route does not stop the boxes */
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, CTL, 0), FAKE_W(gw, CTL, EN),
		    FAKE_W(gw, CTL, EN));
}

static void value_found_is_restored_after_a_freeze(struct kunit *test)
{
	static const u64 found[] = { 0, EN, EN | 0xf, BIT_ULL(31) | 3, ANY };
	struct ucore_domain *domain = domain_of(test);
	struct fake_window *gw;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(found); i++) {
		gw = begin(test, found[i]);
		ucore_domain_release(domain);
		/* a box is restored after the release, with a freeze that is still in progress */
		ucore_unfreeze_domain(domain, false);
		ucore_freeze_domain(domain, 2);
		ucore_unfreeze_domain(domain, false);
		raw_spin_unlock_irq(&domain->lock);
		FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, CTL, 0), FAKE_W(gw, CTL, found[i]),
			    FAKE_R(gw, CTL), FAKE_W(gw, CTL, 0), FAKE_W(gw, CTL, found[i]));
	}
}

/* Between STOP and the end of the session, another program lets the boxes count. */
static void value_of_another_program_survives_a_restore(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);
	struct fake_window *gw = begin(test, 0);

	ucore_unfreeze_domain(domain, false);
	ucore_domain_release(domain);
	fake_poke(gw, CTL, EN | 0xf);
	fake_bus_clear(bus_of(test));
	ucore_freeze_domain(domain, 2);
	ucore_unfreeze_domain(domain, false);
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, CTL), FAKE_W(gw, CTL, 0),
		    FAKE_W(gw, CTL, EN | 0xf));
}

/* The die has no CPU for a while. The value found before is restored afterwards. */
static void value_found_survives_a_die_without_cpus(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);
	struct fake_window *gw = begin(test, 0xf);

	ucore_unfreeze_domain(domain, false);
	ucore_domain_release_offline(domain);
	ucore_domain_release(domain);
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, CTL, 0), FAKE_W(gw, CTL, EN),
		    FAKE_W(gw, CTL, 0xf));
}

static void value_found_is_restored_while_counting(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);
	struct fake_window *gw = begin(test, BIT_ULL(31) | 0xf);

	ucore_unfreeze_domain(domain, false);
	ucore_domain_release(domain);
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, CTL, 0), FAKE_W(gw, CTL, EN),
		    FAKE_W(gw, CTL, BIT_ULL(31) | 0xf));
}

static void panic_restores_the_value_found(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);
	struct fake_window *gw = begin(test, EN | 0xf);

	ucore_unfreeze_domain(domain, false);
	raw_spin_unlock_irq(&domain->lock);
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_TRUE(test, ucore_freeze_panic(domain));
	ucore_unfreeze_panic(domain);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, CTL, 0), FAKE_W(gw, CTL, EN | 0xf));
}

/* A deep package C-state, or other software, has cleared the enable bit. */
static void lost_enable_is_a_change(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);
	struct fake_window *gw = begin(test, 0);

	ucore_unfreeze_domain(domain, false);
	KUNIT_EXPECT_FALSE(test, ucore_domain_control_changed(domain));
	fake_poke(gw, CTL, 0);
	KUNIT_EXPECT_TRUE(test, ucore_domain_control_changed(domain));
	raw_spin_unlock_irq(&domain->lock);
}

/* Only a control that the hardware has cleared as a whole is written again. */
static void lost_level_is_set_again(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);
	struct fake_window *gw = begin(test, 0);

	ucore_unfreeze_domain(domain, false);
	fake_poke(gw, CTL, 0xf);
	fake_bus_clear(bus_of(test));
	ucore_domain_restart(domain);
	fake_poke(gw, CTL, 0);
	ucore_domain_restart(domain);
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, CTL), FAKE_R(gw, CTL), FAKE_W(gw, CTL, EN));
}

/* A freeze after an overflow notes whether the overflow has stopped the boxes. */
static void boxes_that_ran_on_are_noted(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);
	struct fake_window *gw = begin(test, 0);
	u32 i;

	for (i = 0; i < 2; i++) {
		domain->overflow_mode = true;
		ucore_unfreeze_domain(domain, false);
		fake_poke(gw, CTL, i ? EN : BIT_ULL(31));
		ucore_freeze_after_overflow(domain, 2);
		KUNIT_EXPECT_EQ(test, domain->ran_on, i == 1);
	}
	ucore_unfreeze_domain(domain, false);
	ucore_freeze_domain(domain, 3);
	KUNIT_EXPECT_FALSE(test, domain->ran_on);
	raw_spin_unlock_irq(&domain->lock);
}

/* After a trial each unfreeze sets the mode in which an overflow clears the enable bit. */
static void mode_of_overflows_is_set_with_the_level(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);
	struct fake_window *gw = begin(test, 0xf);

	domain->overflow_mode = true;
	ucore_unfreeze_domain(domain, false);
	KUNIT_EXPECT_FALSE(test, ucore_domain_control_changed(domain));
	fake_poke(gw, CTL, EN);
	KUNIT_EXPECT_TRUE(test, ucore_domain_control_changed(domain));
	ucore_domain_release(domain);
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, CTL, 0), FAKE_W(gw, CTL, EN | BIT_ULL(31)),
		    FAKE_R(gw, CTL), FAKE_R(gw, CTL), FAKE_W(gw, CTL, 0xf));
}

static const struct {
	const struct ucore_platform *platform;
	enum fake_clear clears;		/* what clears the status */
	int due;			/* enum ucore_clear, or -1 */
} clears[] = {
	{ &ucore_platform_skl, FAKE_CLEARED_BY_ONES, UCORE_CLEAR_ONES },
	{ &ucore_platform_skl, FAKE_CLEARED_BY_ZERO, UCORE_CLEAR_ZERO },
	{ &ucore_platform_skl, FAKE_CLEARED_BY_OTHER, -1 },
	{ &ucore_platform_snb, FAKE_CLEARED_BY_OTHER, UCORE_CLEAR_OTHER },
	{ &ucore_platform_snb, FAKE_CLEARED_BY_ZERO, UCORE_CLEAR_ZERO },
	{ &ucore_platform_snb, FAKE_CLEARED_BY_NOTHING, -1 },
};

static void what_clears_the_status_is_found(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);
	struct fake_window *gw = begin(test, 0);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(clears); i++) {
		domain->global = table_of(clears[i].platform)->global;
		gw->global = domain->global;
		gw->clears = clears[i].clears;
		domain->clear = UCORE_CLEAR_ONES;
		fake_poke(gw, domain->global->status, 9);
		KUNIT_ASSERT_EQ(test, ucore_domain_status(domain), 9ULL);
		KUNIT_EXPECT_EQ_MSG(test, ucore_domain_find_clear(domain), clears[i].due >= 0,
				    "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, (int)domain->clear, max(clears[i].due, 0), "case %u", i);
		/* the next service clears it in the same way */
		fake_poke(gw, domain->global->status, 2);
		ucore_domain_status(domain);
		ucore_domain_clear_status(domain);
		KUNIT_EXPECT_EQ_MSG(test, !ucore_domain_status(domain), clears[i].due >= 0,
				    "case %u", i);
	}
	raw_spin_unlock_irq(&domain->lock);
}

static struct kunit_case global_cases[] = {
	KUNIT_CASE(level_stops_and_starts_all_boxes),
	KUNIT_CASE(value_found_is_restored_after_a_freeze),
	KUNIT_CASE(value_found_is_restored_while_counting),
	KUNIT_CASE(value_of_another_program_survives_a_restore),
	KUNIT_CASE(value_found_survives_a_die_without_cpus),
	KUNIT_CASE(panic_restores_the_value_found),
	KUNIT_CASE(lost_enable_is_a_change),
	KUNIT_CASE(lost_level_is_set_again),
	KUNIT_CASE(boxes_that_ran_on_are_noted),
	KUNIT_CASE(mode_of_overflows_is_set_with_the_level),
	KUNIT_CASE(what_clears_the_status_is_found),
	{ }
};

static struct kunit_suite global_suite = {
	.name = "ucore_client_global",
	.init = fake_machine_init_skl,
	.exit = fake_machine_exit,
	.test_cases = global_cases,
};

kunit_test_suites(&table_suite, &find_suite, &global_suite);
