// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of a discovery table whose address an MSR holds, and of a domain with several
 * global controls, as on Diamond Rapids.
 */
#include <kunit/test.h>

#include "box/catalog.h"
#include "fake_machine.h"
#include "find/discovery/make_boxes.h"
#include "platforms/match.h"

/* ---- from both tables to the catalog ---- */

#define BAR_BASE	0xfe000000ULL
#define BAR_SIZE	0x1000
#define MSR_TABLE	0xd0000000ULL	/* table whose address the MSR holds */
#define MSR_TABLE_SIZE	0x200
#define GLOBAL_AT	0xd0010000ULL	/* global control of that table */
#define SANTA_AT	0xd0020000ULL
#define RAM_START	0x100000000ULL

#define G0(access, units)	((u64)(access) << 62 | (u64)(units) << 16 | 3 << 8)
#define MSR_WORD	(BIT_ULL(32) | 8 << 24 | 48 << 16 | 2 << 8 | 4)
#define MMIO_WORD	(BIT_ULL(62) | 0x50ULL << 32 | 8 << 24 | 48 << 16 | 0x28 << 8 | 4)
#define UNIT(type, id, position) \
	((u64)(position) << 32 | (u64)(id) << 16 | (type))

static bool *param(const char *name)
{
	return fake_param(name);
}

static int find_init(struct kunit *test)
{
	fake_kernel_reset();
	fake_cpus_need_two(test);
	fake_pci_init(test);
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 19;
	fake_boot_cpu.x86_model = 1;
	fake_boot_cpu.x86_phys_bits = 46;
	fake_kernel.ram_start = RAM_START;
	fake_kernel.ram_end = 2 * RAM_START;
	fake_kernel.nr_nodes = 1;
	*param("uncertain") = false;
	return 0;
}

static void find_exit(struct kunit *test)
{
	fake_catalog_exit(test);
	*param("uncertain") = false;
}

static void record_set(u64 *word, u32 record, u64 w0, u64 w1, u64 w2)
{
	word[3 * record] = w0;
	word[3 * record + 1] = w1;
	word[3 * record + 2] = w2;
}

/* Add the hub's table: global control, two units with MSRs, and a broken unit. */
static u64 *hub_table(struct kunit *test)
{
	struct fake_function *function = fake_pci_add(0x09a1, 0, 1, 0);
	u64 *word = (u64 *)fake_memory_add(test, BAR_BASE, BAR_SIZE);

	function->config[1] = PCI_COMMAND_MEMORY;
	function->config[4] = BAR_BASE;
	function->config[0x40] = 1 << 16 | 0x23;
	function->config[0x41] = 0x01008086;
	function->config[0x42] = 1;
	function->pdev.resource[0].start = BAR_BASE;
	function->pdev.resource[0].end = BAR_BASE + BAR_SIZE - 1;
	record_set(word, 0, G0(0, 3), 0x2ff0, 3 << 8 | 2);
	record_set(word, 1, MSR_WORD, 0x2fc0, UNIT(4, 0, 0));
	record_set(word, 2, MSR_WORD, 0x8000, UNIT(35, 0x8000, 1));
	record_set(word, 3, MSR_WORD, 0x8040, UNIT(19, 0, 2));
	fake_msr_add(0x2ff0, 1);
	fake_msr_add(0x2ff2, 0);	/* the word of the global status */
	fake_msr_add(0x2fc0, 0);
	fake_msr_add(0x2fc1, 0);	/* status registers of the units */
	fake_msr_add(0x8000, 0);
	fake_msr_add(0x8001, 0);
	return word;
}

/* Add the block's table: global control, a unit in memory, and a unit with MSRs. */
static u64 *msr_table(struct kunit *test)
{
	u64 *word = (u64 *)fake_memory_add(test, MSR_TABLE, MSR_TABLE_SIZE);

	record_set(word, 0, G0(1, 2), GLOBAL_AT, 2 << 8 | 8);
	record_set(word, 1, MSR_WORD, 0x2000, UNIT(31, 0, 0));
	record_set(word, 2, MMIO_WORD, SANTA_AT, UNIT(32, 0, 1));
	fake_memory_add(test, GLOBAL_AT, 16);
	fake_memory_add(test, SANTA_AT, 0x60);
	fake_msr_add(0x2000, 0);
	fake_msr_add(0x2001, 0);
	return word;
}

static struct ucore_table_info table_info(u32 i)
{
	struct ucore_table_info info;

	ucore_discovery_report.table(i, &info);
	return info;
}

static u32 unit_reason(u32 i)
{
	struct ucore_unit_info info;

	ucore_discovery_report.unit(i, &info);
	return info.reason;
}

#define EXPECT_TABLE(test, i, _reason) \
	KUNIT_EXPECT_EQ(test, table_info(i).reason, (u32)UCORE_TABLE_##_reason)

static void die_with_both_tables_is_one_domain(struct kunit *test)
{
	static const char * const found[] = { "pcu", "ula", "cbo", "santa" };
	const struct ucore_domain *domain;
	struct ucore_table_info table;
	u32 i;

	hub_table(test);
	msr_table(test);
	fake_msr_add(0x710, MSR_TABLE);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_discovery_report.nr_tables(), 2U);
	EXPECT_TABLE(test, 0, OK);
	KUNIT_EXPECT_EQ(test, table_info(0).msr, 0U);
	KUNIT_EXPECT_EQ(test, table_info(0).dvsec, 0x100U);
	table = table_info(1);
	KUNIT_EXPECT_EQ(test, table.reason, (u32)UCORE_TABLE_OK);
	KUNIT_EXPECT_EQ(test, table.msr, 0x710U);
	KUNIT_EXPECT_EQ(test, table.address, MSR_TABLE);
	KUNIT_EXPECT_EQ(test, table.die, 0);
	KUNIT_EXPECT_EQ(test, table.dvsec, 0U);
	KUNIT_EXPECT_EQ(test, table.nr_units, 2U);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 4U);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_STREQ(test, ucore_catalog.boxes[i].desc.type->name, found[i]);
	KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[1].desc.instance, 0x8000U);
	KUNIT_EXPECT_EQ(test, unit_reason(2), (u32)UCORE_UNIT_BROKEN);
	/* a single domain, frozen by both global controls */
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_domains, 1U);
	domain = &ucore_catalog.domains[0];
	KUNIT_EXPECT_EQ(test, domain->global->ctl, 0x2ff0U);
	KUNIT_EXPECT_EQ(test, domain->io.ops->access, (u32)UCORE_ACCESS_MSR);
	KUNIT_ASSERT_EQ(test, domain->nr_further, 1U);
	KUNIT_EXPECT_PTR_EQ(test, domain->further[0].global, domain->global->next);
	KUNIT_EXPECT_EQ(test, (u64)domain->further[0].global->phys, GLOBAL_AT);
	KUNIT_EXPECT_EQ(test, domain->further[0].io.ops->access, (u32)UCORE_ACCESS_MMIO);
	KUNIT_EXPECT_NULL(test, domain->further[0].global->next);
}

/* Each unit reports overflows in the status that its table describes. */
static void units_report_in_status_of_their_table(struct kunit *test)
{
	const struct ucore_domain *domain;
	u32 i;

	hub_table(test)[2] = 1 << 8 | 2;	/* a single status bit, for the first unit */
	msr_table(test);
	fake_msr_add(0x710, MSR_TABLE);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	domain = &ucore_catalog.domains[0];
	KUNIT_ASSERT_EQ(test, domain->nr_further, 1U);
	KUNIT_EXPECT_EQ(test, domain->global->nr_status, 1U);
	KUNIT_EXPECT_EQ(test, domain->global->status, 0x2ff2U);
	KUNIT_EXPECT_EQ(test, domain->further[0].global->nr_status, 1U);
	KUNIT_EXPECT_EQ(test, domain->further[0].global->status, 8U);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 4U);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_PTR_EQ_MSG(test, ucore_catalog.boxes[i].desc.reported_in,
					i == 1 ? NULL : i < 2 ? domain->global :
					domain->further[0].global, "box %u", i);
	KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[2].desc.global_gp, BIT_ULL(0));
	KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[3].desc.global_gp, BIT_ULL(1));
}

static u32 boxes_of_type(const char *name)
{
	u32 i, n = 0;

	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		n += !strcmp(ucore_catalog.boxes[i].desc.type->name, name);
	return n;
}

static void uncertain_fields_need_parameter(struct kunit *test)
{
	u64 *word = hub_table(test);

	record_set(word, 1, MMIO_WORD, SANTA_AT, UNIT(6, 0, 0));
	fake_memory_add(test, SANTA_AT, 0x60);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_GT(test, ucore_catalog.nr_boxes, 0U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[0].desc.type->nr_fields, 2U);
	ucore_catalog_destroy();
	*param("uncertain") = true;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_GT(test, ucore_catalog.nr_boxes, 0U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[0].desc.type->nr_fields, 4U);
}

#define HIOP0		0x1ffff6ae7000ULL
#define HIOP3		0x1ffff6aff000ULL	/* the third of four: HIOP 2 does not exist */

/* The addresses are a guess: boxes exist only where all counters respond. */
static void free_running_ports_need_parameter_and_answer(struct kunit *test)
{
	const struct ucore_box *box;
	u8 *silent;

	hub_table(test);
	fake_memory_add(test, HIOP0 + 0x4d40, 0x6bb8 - 0x4d40);
	silent = fake_memory_add(test, HIOP3 + 0x4d40, 0x6bb8 - 0x4d40);
	memset(silent + 0x6bb0 - 0x4d40, 0xff, 8);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, boxes_of_type("iio_free"), 0U);
	ucore_catalog_destroy();
	*param("uncertain") = true;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, boxes_of_type("iio_free"), 1U);
	box = &ucore_catalog.boxes[ucore_catalog.nr_boxes - 1];
	KUNIT_EXPECT_EQ(test, (u64)box->desc.phys, HIOP0 + 0x4d40);
	KUNIT_EXPECT_EQ(test, box->desc.type->nr_fixed, 25);
	KUNIT_EXPECT_EQ(test, box->desc.layout->fixed_ctr[0], 0x6bb0 - 0x4d40);
	KUNIT_EXPECT_EQ(test, box->desc.layout->fixed_ctr[8], 0x6b38 - 0x4d40);
	KUNIT_EXPECT_EQ(test, box->desc.layout->fixed_ctr[9], 0x6b60 - 0x4d40);
	KUNIT_EXPECT_EQ(test, box->desc.layout->fixed_ctr[24], 0x38);
	KUNIT_EXPECT_TRUE(test, box->caps & UCORE_BOX_F_FREE_RUNNING);
}

/* Values of the MSR, and the resulting reason for that table */
static const struct pointer_case {
	const char *name;
	u64 value;
	u32 reason;
} pointers[] = {
	{ "zero", 0, UCORE_TABLE_MSR },
	{ "all ones", ~0ULL, UCORE_TABLE_MSR },
	{ "not aligned", MSR_TABLE + 4, UCORE_TABLE_MSR },
	{ "beyond the address space", 1ULL << 46, UCORE_TABLE_RAM },
	{ "the last address", (1ULL << 46) - 8, UCORE_TABLE_RAM },
	{ "RAM", RAM_START + 0x1000, UCORE_TABLE_RAM },
	{ "up to RAM", RAM_START - 16, UCORE_TABLE_RAM },
	{ "the local APIC", 0xfee00000, UCORE_TABLE_FOREIGN },
	{ "BIOS data", 0x9fc00, UCORE_TABLE_FOREIGN },
	{ "another function's BAR", 0xfd000000, UCORE_TABLE_FOREIGN },
	{ "nothing", 0xd0800000, UCORE_TABLE_UNMAPPED },
};

static void pointer_name(const struct pointer_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(pointer, pointers, pointer_name);

static void msr_table_address_is_validated(struct kunit *test)
{
	const struct pointer_case *c = test->param_value;
	struct fake_function *other;

	hub_table(test);
	other = fake_pci_add(0x1234, 0, 2, 0);
	other->pdev.resource[0].start = 0xfd000000;
	other->pdev.resource[0].end = 0xfd000fff;
	other->pdev.resource[0].flags = IORESOURCE_MEM;
	fake_memory_add(test, 0xfd000000, 0x1000);
	fake_msr_add(0x710, c->value);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_TABLE(test, 0, OK);
	KUNIT_EXPECT_EQ(test, table_info(1).reason, c->reason);
	KUNIT_EXPECT_EQ(test, table_info(1).nr_units, 0U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 2U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].nr_further, 0U);
}

static void faulting_table_msr_is_reported(struct kunit *test)
{
	hub_table(test);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_discovery_report.nr_tables(), 2U);
	EXPECT_TABLE(test, 1, MSR);
	KUNIT_EXPECT_EQ(test, table_info(1).address, 0ULL);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 2U);
}

/* No function has a DVSEC table. Functions of the machine are not mistaken for one. */
static void msr_table_without_dvsec_table_is_used(struct kunit *test)
{
	fake_pci_add(0x1234, 0, 0, 0);
	msr_table(test);
	fake_msr_add(0x710, MSR_TABLE);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_discovery_report.nr_tables(), 1U);
	EXPECT_TABLE(test, 0, OK);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 2U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].nr_further, 0U);
}

/* The two tables have the same global control. The second one only adds units. */
static void msr_table_with_same_global_control_adds_units(struct kunit *test)
{
	u64 *word;

	hub_table(test);
	word = msr_table(test);
	word[0] = G0(0, 2);
	word[1] = 0x2ff0;
	fake_msr_add(0x710, MSR_TABLE);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_TABLE(test, 1, DUPLICATE);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].nr_further, 0U);
}

/* Two dies: each reads the table MSR on its own CPUs. */
static void msr_table_is_read_on_each_die(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	hub_table(test);
	msr_table(test);
	fake_msr_add(0x710, MSR_TABLE);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_discovery_report.nr_tables(), 3U);
	KUNIT_EXPECT_EQ(test, table_info(1).die, 0);
	KUNIT_EXPECT_EQ(test, table_info(2).die, 1);
	EXPECT_TABLE(test, 1, OK);
	/* a global control in memory exists once and belongs to the first die */
	EXPECT_TABLE(test, 2, GLOBAL);
}

/* Each allocation fails in turn: nothing stays mapped or referenced. */
static void build_without_memory_leaks_nothing(struct kunit *test)
{
	hub_table(test);
	msr_table(test);
	fake_msr_add(0x710, MSR_TABLE);
	fake_build_without_memory(test);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].nr_further, 1U);
}

static struct kunit_case find_cases[] = {
	KUNIT_CASE(die_with_both_tables_is_one_domain),
	KUNIT_CASE(units_report_in_status_of_their_table),
	KUNIT_CASE(uncertain_fields_need_parameter),
	KUNIT_CASE(free_running_ports_need_parameter_and_answer),
	KUNIT_CASE_PARAM(msr_table_address_is_validated, pointer_gen_params),
	KUNIT_CASE(faulting_table_msr_is_reported),
	KUNIT_CASE(msr_table_without_dvsec_table_is_used),
	KUNIT_CASE(msr_table_with_same_global_control_adds_units),
	KUNIT_CASE(msr_table_is_read_on_each_die),
	KUNIT_CASE(build_without_memory_leaks_nothing),
	{ }
};

static struct kunit_suite find_suite = {
	.name = "ucore_msr_table",
	.init = find_init,
	.exit = find_exit,
	.test_cases = find_cases,
};

/* ---- a domain with two global controls ---- */

#define FIRST_CTL	0x2ff0
#define FIRST_STATUS	0x2ff2
#define NEXT_STATUS	8
#define FRZ		BIT_ULL(0)
#define ROUTE		(BIT_ULL(17) | BIT_ULL(1))

/* The second global control is in memory: its offsets begin at 0. */
static const struct ucore_global next_global = {
	.status = NEXT_STATUS, .status_stride = 8, .nr_status = 1,
	.freeze = FRZ, .wake = BIT_ULL(1), .core_sel = GENMASK_ULL(63, 16),
	.keep = FRZ | BIT_ULL(1) | GENMASK_ULL(63, 16), .level = true,
};

static const struct ucore_global first_global = {
	.ctl = FIRST_CTL, .status = FIRST_STATUS, .status_stride = 1, .nr_status = 1,
	.freeze = FRZ, .wake = BIT_ULL(1), .core_sel = GENMASK_ULL(63, 16),
	.keep = FRZ | BIT_ULL(1) | GENMASK_ULL(63, 16), .level = true, .next = &next_global,
};

static struct fake_window *next_window(void)
{
	return ucore_catalog.domains[0].further[0].io.priv;
}

static int domain_init(struct kunit *test)
{
	int ret = fake_machine_init(test);
	struct ucore_domain *domain;
	struct fake_window *win;

	if (ret)
		return ret;
	domain = &ucore_catalog.domains[0];
	domain->global = &first_global;
	fake_global(0)->global = &first_global;
	win = kunit_kzalloc(test, sizeof(*win), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, win);
	win->bus = bus_of(test);
	win->global = &next_global;
	strscpy(win->name, "global.0.1", sizeof(win->name));
	/* freed with the domain */
	domain->further = kzalloc(sizeof(*domain->further), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, domain->further);
	domain->nr_further = 1;
	domain->further[0].global = &next_global;
	domain->further[0].io = (struct ucore_io){
		.ops = &fake_msr_ops, .tally = &domain->tally, .priv = win,
	};
	return 0;
}

static void freeze_writes_both_global_controls(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct fake_window *gw = fake_global(0), *next = next_window();

	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, 100);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, FIRST_CTL, FRZ), FAKE_W(next, 0, FRZ));
	ucore_freeze_domain(domain, 200);
	ucore_unfreeze_domain(domain, true);
	FAKE_EXPECT_NONE(test, bus_of(test));
	ucore_unfreeze_domain(domain, true);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, FIRST_CTL, 0), FAKE_W(next, 0, 0));
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_FALSE(test, domain->frozen);
	KUNIT_EXPECT_EQ(test, domain->skew_max_ns, domain->skew_ns);
}

static void overflow_of_either_control_freezes_both(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct fake_window *gw = fake_global(0), *next = next_window();

	domain->armed = 1;
	domain->armed_mask = BIT_ULL(5);
	next->frozen = true;
	fake_poke(next, NEXT_STATUS, BIT_ULL(5));
	raw_spin_lock_irq(&domain->lock);
	ucore_domain_set_route(domain, ROUTE);
	/* frozen by an overflow of the second one: no write may unfreeze it */
	KUNIT_EXPECT_TRUE(test, next->frozen);
	fake_bus_clear(bus_of(test));
	ucore_freeze_after_overflow(domain, 100);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, FIRST_CTL, FRZ | ROUTE),
		    FAKE_W(next, 0, FRZ | ROUTE));
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), BIT_ULL(5));
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, FIRST_STATUS), FAKE_R(next, NEXT_STATUS));
	ucore_domain_clear_status(domain);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(next, NEXT_STATUS, BIT_ULL(5)));
	ucore_unfreeze_domain(domain, false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, FIRST_CTL, ROUTE), FAKE_W(next, 0, ROUTE));
	domain->armed = 0;
	raw_spin_unlock_irq(&domain->lock);
}

static void statuses_of_both_controls_are_combined(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct fake_window *gw = fake_global(0), *next = next_window();

	fake_poke(gw, FIRST_STATUS, BIT_ULL(3));
	fake_poke(next, NEXT_STATUS, BIT_ULL(3) | BIT_ULL(40));
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), BIT_ULL(3) | BIT_ULL(40));
	fake_bus_clear(bus_of(test));
	ucore_domain_clear_status(domain);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, FIRST_STATUS, BIT_ULL(3)),
		    FAKE_W(next, NEXT_STATUS, BIT_ULL(3) | BIT_ULL(40)));
	/* a status of all ones is ignored */
	fake_poke(gw, FIRST_STATUS, ~0ULL);
	fake_poke(next, NEXT_STATUS, BIT_ULL(7));
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), BIT_ULL(7));
}

/* Frozen at power-on, perhaps with a route: both controls are restored to that state. */
static void release_restores_both_controls(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct fake_window *gw = fake_global(0), *next = next_window();

	fake_poke(gw, FIRST_CTL, FRZ | BIT_ULL(16));
	fake_poke(next, 0, FRZ);
	raw_spin_lock_irq(&domain->lock);
	ucore_domain_acquire(domain);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, FIRST_CTL), FAKE_R(next, 0));
	ucore_freeze_domain(domain, 1);
	ucore_unfreeze_domain(domain, true);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, FIRST_CTL), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(next, 0), 0ULL);
	ucore_domain_release(domain);
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, FIRST_CTL), FRZ | BIT_ULL(16));
	KUNIT_EXPECT_EQ(test, fake_peek(next, 0), FRZ);
}

/* A control without status has no route: the bits may have another meaning there. */
static void route_is_written_to_controls_with_status_only(struct kunit *test)
{
	static const struct ucore_global plain = { .freeze = FRZ, .keep = FRZ, .level = true };
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct fake_window *gw = fake_global(0), *next = next_window();

	domain->further[0].global = &plain;
	raw_spin_lock_irq(&domain->lock);
	ucore_domain_set_route(domain, ROUTE);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, FIRST_CTL, ROUTE), FAKE_W(next, 0, 0));
	raw_spin_unlock_irq(&domain->lock);
}

/* A freeze of either control by other software is detected. */
static void change_of_either_control_is_detected(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct fake_window *gw = fake_global(0), *next = next_window();

	KUNIT_EXPECT_FALSE(test, ucore_domain_control_changed(domain));
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, FIRST_CTL), FAKE_R(next, 0));
	fake_poke(next, 0, FRZ);
	KUNIT_EXPECT_TRUE(test, ucore_domain_control_changed(domain));
	fake_poke(next, 0, 0);
	fake_poke(gw, FIRST_CTL, FRZ);
	KUNIT_EXPECT_TRUE(test, ucore_domain_control_changed(domain));
}

/* A panic freezes all controls or none: half a frozen domain would continue to count. */
static void panic_freeze_needs_access_to_both_controls(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct fake_window *gw = fake_global(0), *next = next_window();
	struct ucore_io_ops ops = *domain->further[0].io.ops;

	domain->further[0].io.ops = &ops;
	raw_spin_lock_irq(&domain->lock);
	ops.access = UCORE_ACCESS_PCI;		/* needs a kernel lock */
	KUNIT_EXPECT_FALSE(test, ucore_freeze_panic(domain));
	FAKE_EXPECT_NONE(test, bus_of(test));
	ops.access = UCORE_ACCESS_MMIO;
	KUNIT_EXPECT_TRUE(test, ucore_freeze_panic(domain));
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, FIRST_CTL, FRZ), FAKE_W(next, 0, FRZ));
	raw_spin_unlock_irq(&domain->lock);
	domain->further[0].io.ops = &fake_msr_ops;
}

static struct kunit_case domain_cases[] = {
	KUNIT_CASE(freeze_writes_both_global_controls),
	KUNIT_CASE(overflow_of_either_control_freezes_both),
	KUNIT_CASE(statuses_of_both_controls_are_combined),
	KUNIT_CASE(release_restores_both_controls),
	KUNIT_CASE(route_is_written_to_controls_with_status_only),
	KUNIT_CASE(change_of_either_control_is_detected),
	KUNIT_CASE(panic_freeze_needs_access_to_both_controls),
	{ }
};

static struct kunit_suite domain_suite = {
	.name = "ucore_globals",
	.init = domain_init,
	.exit = fake_machine_exit,
	.test_cases = domain_cases,
};

kunit_test_suites(&find_suite, &domain_suite);
