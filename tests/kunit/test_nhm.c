// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of Nehalem and Westmere: the tables against a second copy of the numbers, a package
 * as a die, and an enable bit and a status bit for each counter.
 */
#include "cpu/global_ctl_in_nmi.h"
#include "fake_machine.h"
#include "find/static_table.h"

#define CTL		0x391
#define STATUS		0x392
#define CLEAR		0x393
#define EN		(0xffULL | BIT_ULL(32))
#define PMI_FRZ		BIT_ULL(63)
#define CORES		(0xfULL << 48)
#define COUNTERS	(0xffULL | BIT_ULL(32))
#define OTHERS		(BIT_ULL(61) | BIT_ULL(63))	/* bits that show no counter */

static const struct ucore_platform * const platforms[] = {
	&ucore_platform_nhm, &ucore_platform_wsm,
};

/* ---- the tables ---- */

static u32 field_bits(const struct ucore_box_type *type)
{
	u32 i, bits = 0;

	for (i = 0; i < type->nr_fields; i++)
		bits |= type->fields[i].piece[0].mask;
	return bits;
}

static void expect_uncore(struct kunit *test, const struct ucore_static_msr *row)
{
	const struct ucore_box_type *type = row->type;
	u32 i;

	KUNIT_EXPECT_STREQ(test, type->name, "uncore");
	KUNIT_EXPECT_EQ(test, row->max, 1U);
	KUNIT_ASSERT_EQ(test, type->nr_gp, 8);
	KUNIT_EXPECT_EQ(test, type->nr_fixed, 0);
	KUNIT_EXPECT_EQ(test, type->width, 48);
	/* the pulse in bit 17 is no field */
	KUNIT_EXPECT_EQ(test, field_bits(type), 0xff84ffffU);
	KUNIT_EXPECT_EQ(test, type->max_increment, 256);
	/* lookups, and transfers of the memory controller */
	KUNIT_EXPECT_EQ(test, type->increments[0].event, 0x08);
	KUNIT_EXPECT_EQ(test, type->increments[0].max, 4);
	KUNIT_EXPECT_EQ(test, type->increments[1].last, 0x2f);
	KUNIT_EXPECT_EQ(test, type->increments[1].max, 4);
	KUNIT_EXPECT_EQ(test, type->ctl_en, (u32)BIT(22));
	KUNIT_EXPECT_EQ(test, type->ctl_ov_en, (u32)BIT(20));
	KUNIT_EXPECT_EQ(test, type->traffic, (u32)BIT(31) | 0x0309);
	KUNIT_EXPECT_TRUE(test, type->status_global);
	KUNIT_EXPECT_EQ(test, type->status_gp_shift, 0);
	KUNIT_EXPECT_EQ(test, row->global_gp, 0xffULL);
	KUNIT_EXPECT_TRUE(test, row->one_bit);
	for (i = 0; i < 8; i++) {
		KUNIT_EXPECT_EQ(test, row->base + row->layout->ctr[i], 0x3b0 + i);
		KUNIT_EXPECT_EQ(test, row->base + row->layout->ctl[i], 0x3c0 + i);
	}
}

/* The control follows the counter, and overflows are not used. */
static void expect_clock(struct kunit *test, const struct ucore_static_msr *row)
{
	const struct ucore_box_type *type = row->type;

	KUNIT_EXPECT_STREQ(test, type->name, "clock");
	KUNIT_EXPECT_EQ(test, type->nr_gp, 0);
	KUNIT_EXPECT_EQ(test, type->nr_fixed, 1);
	KUNIT_EXPECT_EQ(test, type->fixed_width, 48);
	KUNIT_EXPECT_EQ(test, type->fixed_en, (u32)BIT(0));
	KUNIT_EXPECT_EQ(test, type->fixed_ov_en, 0U);
	KUNIT_EXPECT_EQ(test, type->status_fixed, UCORE_STATUS_VALUE);
	KUNIT_EXPECT_EQ(test, row->global_fixed, 0ULL);
	KUNIT_EXPECT_EQ(test, row->base + row->layout->fixed_ctr[0], 0x394U);
	KUNIT_EXPECT_EQ(test, row->base + row->layout->fixed_ctl[0], 0x395U);
}

static void platforms_are_as_listed(struct kunit *test)
{
	const struct ucore_static_table *table;
	const struct ucore_global *global;
	u32 i, r;

	for (i = 0; i < ARRAY_SIZE(platforms); i++) {
		table = platforms[i]->table;
		global = table->global;
		KUNIT_EXPECT_NULL(test, platforms[i]->intree);
		KUNIT_EXPECT_EQ(test, platforms[i]->caps,
				(u32)(UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_PMI_TRIAL));
		KUNIT_EXPECT_EQ(test, table->nr_pci + table->nr_mmio, 0U);
		KUNIT_ASSERT_EQ(test, table->nr_msr, 2U);
		for (r = 0; r < 2; r++) {
			KUNIT_EXPECT_EQ(test, table->msr[r].layout->box_ctl, UCORE_REG_NONE);
			KUNIT_EXPECT_EQ(test, table->msr[r].layout->status, UCORE_REG_NONE);
		}
		expect_uncore(test, &table->msr[0]);
		expect_clock(test, &table->msr[1]);
		KUNIT_EXPECT_EQ(test, global->ctl, (u32)CTL);
		KUNIT_EXPECT_EQ(test, global->status, (u32)STATUS);
		KUNIT_EXPECT_EQ(test, global->clear, (u32)CLEAR);
		KUNIT_EXPECT_EQ(test, global->clear_mask, COUNTERS | OTHERS);
		KUNIT_EXPECT_EQ(test, global->overflows, 0xffULL);
		KUNIT_EXPECT_TRUE(test, global->wraps);
		KUNIT_EXPECT_EQ(test, global->unfreeze, EN);
		KUNIT_EXPECT_EQ(test, global->freeze | global->wake, 0ULL);
		KUNIT_EXPECT_EQ(test, global->on_overflow, PMI_FRZ);
		KUNIT_EXPECT_EQ(test, global->core_sel, CORES);
		KUNIT_EXPECT_EQ(test, global->keep, EN | CORES | PMI_FRZ);
		KUNIT_EXPECT_TRUE(test, global->untried && global->sel_untried);
		KUNIT_EXPECT_FALSE(test, global->clear_untried);
	}
}

static void models_are_as_listed(struct kunit *test)
{
	static const struct {
		u8 model;
		const struct ucore_platform *platform;
	} models[] = {
		{ 0x1a, &ucore_platform_nhm }, { 0x1e, &ucore_platform_nhm },
		{ 0x1f, &ucore_platform_nhm }, { 0x25, &ucore_platform_wsm },
		{ 0x2c, &ucore_platform_wsm }, { 0x2e, &ucore_platform_generic },
		{ 0x2f, &ucore_platform_generic },
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

/* Nehalem-EP: each package has its own block, which only its CPUs reach. */
static void each_package_has_a_block(struct kunit *test)
{
	const struct ucore_domain *domain;
	u32 die;

	fake_kernel_reset();
	fake_cpus_need_two(test);
	fake_kernel.nr_dies = 2;
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = 0x1a;
	fake_msr_add(0x3c0, 0);
	fake_msr_add(0x394, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_domains, 2U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
	for (die = 0; die < 2; die++) {
		KUNIT_ASSERT_NOT_NULL(test, box_find("uncore", die, 0));
		KUNIT_ASSERT_NOT_NULL(test, box_find("clock", die, 0));
		domain = box_find("uncore", die, 0)->domain;
		KUNIT_EXPECT_EQ(test, domain->die, die);
		KUNIT_EXPECT_PTR_EQ(test, box_find("uncore", die, 0)->desc.reported_in,
				    domain->global);
		/* the trial's counter 0 has the first bit; no overflow of the clock is tried */
		KUNIT_EXPECT_EQ(test, box_find("uncore", die, 0)->desc.status_position, 0U);
		KUNIT_EXPECT_NULL(test, box_find("clock", die, 0)->desc.reported_in);
	}
	fake_catalog_exit(test);
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(platforms_are_as_listed),
	KUNIT_CASE(models_are_as_listed),
	KUNIT_CASE(each_package_has_a_block),
	{ }
};

static struct kunit_suite table_suite = {
	.name = "ucore_nhm_tables",
	.test_cases = table_cases,
};

/* ---- the global control of two packages ---- */

static void value_found_is_restored_on_each_die(struct kunit *test)
{
	static const u64 found[] = { 0, EN, 0x3 | BIT_ULL(48), EN | CORES | PMI_FRZ };
	struct ucore_domain *domain;
	struct fake_window *gw;
	u32 i, die;

	for (i = 0; i < ARRAY_SIZE(found); i++) {
		for (die = 0; die < 2; die++) {
			domain = &ucore_catalog.domains[die];
			gw = fake_global(die);
			fake_poke(gw, CTL, found[i]);
			raw_spin_lock_irq(&domain->lock);
			ucore_domain_acquire(domain);
			fake_bus_clear(bus_of(test));
			ucore_freeze_domain(domain, 1);
			ucore_unfreeze_domain(domain, false);
			domain->overflow_mode = true;
			ucore_domain_set_route(domain, BIT_ULL(50));
			domain->overflow_mode = false;
			ucore_domain_release(domain);
			raw_spin_unlock_irq(&domain->lock);
			FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, CTL, 0), FAKE_W(gw, CTL, EN),
				    FAKE_W(gw, CTL, EN | PMI_FRZ | BIT_ULL(50)),
				    FAKE_W(gw, CTL, found[i]));
		}
	}
}

/* OVF_PMI and CHG are no overflows. They are cleared with the bits of counters. */
static void status_has_the_bit_of_every_counter(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[1];
	struct fake_window *gw = fake_global(1);

	raw_spin_lock_irq(&domain->lock);
	fake_poke(gw, STATUS, OTHERS);
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), 0ULL);
	fake_poke(gw, STATUS, OTHERS | 0x81);
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), 0x81ULL);
	/* while a counter is armed, the wraps of the others are no overflows */
	domain->armed = 1;
	domain->armed_mask = BIT(7);
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), 0x80ULL);
	domain->armed = 0;
	domain->armed_mask = 0;
	fake_bus_clear(bus_of(test));
	ucore_domain_clear_status(domain);
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, CLEAR, OTHERS | 0x81));
	KUNIT_EXPECT_EQ(test, fake_peek(gw, STATUS), 0ULL);
}

static void count_here(void *count)
{
	*(u32 *)count = ucore_overflow_count(&ucore_catalog.domains[0]);
}

/* Count the overflows of die 0 on its CPU, because an MSR is that of the CPU's die. */
static u32 overflows(u64 status)
{
	u32 count = ~0U;

	fake_poke(fake_global(0), STATUS, status);
	smp_call_function_single(0, count_here, &count, 1);
	return count;
}

/* The NMI handler must not take a PMI of another source for its own. */
static void nmi_counts_overflows_only(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, overflows(OTHERS), 0U);
	KUNIT_EXPECT_EQ(test, overflows(OTHERS | 0x5), 2U);
	ucore_catalog.domains[0].armed_mask = BIT(2);
	KUNIT_EXPECT_EQ(test, overflows(OTHERS | 0x5), 1U);
	ucore_catalog.domains[0].armed_mask = 0;
}

static void each_counter_has_its_bit(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	u32 i, bit;

	for (i = 0; i < 8; i++)
		fake_ctx_add(ctx, fake_box(test, 0, "uncore", 0), i, 0x500309, 100);
	for (i = 0; i < 8; i++) {
		KUNIT_EXPECT_EQ(test, ucore_counter_global_bit(&ctx->ctr[i]), BIT_ULL(i));
		for (bit = 0; bit < 8; bit++)
			KUNIT_EXPECT_EQ(test, ucore_counter_has_overflowed(&ctx->ctr[i], 0,
									   BIT_ULL(bit)),
					i == bit);
	}
}

/* While no trial has passed, and if it fails, the end of a period is polled. */
static void periods_can_be_polled(struct kunit *test)
{
	struct ucore_event_spec spec = { .value = { 0x309 } };
	struct ucore_box *box = fake_box(test, 0, "uncore", 0);

	KUNIT_EXPECT_EQ(test, ucore_event_restrict(box, 0, 1 << 24, UCORE_END_ANY, &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.counters, 0xffULL);
	KUNIT_EXPECT_GT(test, spec.poll_ns, 0ULL);
	box->desc.reported_in = box->desc.global;
	spec = (struct ucore_event_spec){ .value = { 0x309 } };
	KUNIT_EXPECT_EQ(test, ucore_event_restrict(box, 0, 1 << 24, UCORE_END_ANY, &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.poll_ns, 0ULL);
	KUNIT_EXPECT_GT(test, spec.fallback_poll_ns, 0ULL);
}

static struct kunit_case global_cases[] = {
	KUNIT_CASE(value_found_is_restored_on_each_die),
	KUNIT_CASE(status_has_the_bit_of_every_counter),
	KUNIT_CASE(nmi_counts_overflows_only),
	KUNIT_CASE(each_counter_has_its_bit),
	KUNIT_CASE(periods_can_be_polled),
	{ }
};

static struct kunit_suite global_suite = {
	.name = "ucore_nhm_global",
	.init = fake_machine_init_nhm,
	.exit = fake_machine_exit,
	.test_cases = global_cases,
};

kunit_test_suites(&table_suite, &global_suite);
