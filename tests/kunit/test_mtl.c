// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of Meteor Lake to Lunar Lake: the tables against a second copy of the numbers, and a
 * global control for each of two tiles.
 */
#include "fake_machine.h"
#include "find/static_table.h"

#define EN	BIT_ULL(29)
#define OLDER	(BIT_ULL(31) | BIT_ULL(30) | 0x1f)	/* bits of older processors */

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
 * @traffic: control value of an event that counts requests, 0 for a clock
 * @regs: MSRs of the controls, then of the counters, ended by 0
 */
struct expected {
	const struct ucore_platform *platform;
	const char *name;
	u32 max;
	u32 instance;
	u32 traffic;
	u16 regs[FAKE_ROW_REGS];
};

static const struct expected rows[] = {
	{ &ucore_platform_mtl, "cbo", 15, 0, 0x8f34, { 0x2442, 0x2443, 0x2448, 0x2449 } },
	{ &ucore_platform_mtl, "cbo", 15, 14, 0x8f34, { 0x2522, 0x2523, 0x2528, 0x2529 } },
	{ &ucore_platform_mtl, "arb", 2, 1, 0x0181, { 0x2422, 0x2423, 0x2428, 0x2429 } },
	{ &ucore_platform_mtl, "clock", 1, 0, 0, { 0x2402, 0x2408 } },
	{ &ucore_platform_mtl, "hac_arb", 2, 1, 0x0181, { 0x2022, 0x2023, 0x2028, 0x2029 } },
	{ &ucore_platform_mtl, "hac_cbo", 2, 1, 0x0835, { 0x2052, 0x2053, 0x2058, 0x2059 } },
	{ &ucore_platform_mtl, "sncu", 1, 0, 0, { 0x2002, 0x2008 } },
	{ &ucore_platform_arl, "hac_cbo", 2, 0, 0x0835, { 0x2042, 0x2043, 0x2048, 0x2049 } },
	{ &ucore_platform_lnl, "cbo", 4, 3, 0x8f34, { 0x2472, 0x2473, 0x2478, 0x2479 } },
	{ &ucore_platform_lnl, "arb", 2, 0, 0x0181, { 0x2412, 0x2413, 0x2418, 0x2419 } },
};

static void row_name(const struct expected *e, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %s%u", e->platform->name, e->name, e->instance);
}

KUNIT_ARRAY_PARAM(row, rows, row_name);

static u32 field_bits(const struct ucore_box_type *type)
{
	u32 i, bits = 0;

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
	/* the number of CBOs is in a register, except on Lunar Lake */
	KUNIT_EXPECT_EQ(test, row->per_core, e->max == 15);
	KUNIT_EXPECT_EQ(test, field_bits(type), e->traffic ? 0x3f84ffffU : 0U);
	KUNIT_EXPECT_EQ(test, type->ctl_en | type->fixed_en, (u32)BIT(22));
	KUNIT_EXPECT_EQ(test, type->traffic, e->traffic ? (u32)BIT(31) | e->traffic : 0U);
	KUNIT_EXPECT_EQ(test, type->nr_gp, e->traffic ? 2 : 0);
	KUNIT_EXPECT_EQ(test, type->nr_fixed, e->traffic ? 0 : 1);
	KUNIT_EXPECT_EQ(test, type->width | type->fixed_width, 48);
	KUNIT_EXPECT_EQ(test, type->caps, 0U);
	KUNIT_EXPECT_NULL(test, type->words);
	KUNIT_EXPECT_EQ(test, row->layout->box_ctl, UCORE_REG_NONE);
	/* nothing reports an overflow */
	KUNIT_EXPECT_EQ(test, type->ctl_ov_en | type->fixed_ov_en | type->ctl_ov_try, 0U);
	KUNIT_EXPECT_EQ(test, row->layout->status, UCORE_REG_NONE);
	KUNIT_EXPECT_EQ(test, row->global_gp | row->global_fixed, 0ULL);
	fake_expect_registers(test, row, e->instance, e->regs);
}

static void platforms_are_as_listed(struct kunit *test)
{
	static const struct {
		const struct ucore_platform *platform;
		u32 nr_types;
		u32 ctl[2];
	} platforms[] = {
		{ &ucore_platform_mtl, 6, { 0x240e, 0x200e } },
		{ &ucore_platform_arl, 6, { 0x240e, 0x200e } },
		{ &ucore_platform_lnl, 2, { 0x240e } },
	};
	const struct ucore_static_table *table;
	const struct ucore_global *global;
	const struct ucore_static_mmio *mc;
	u32 i, g;

	for (i = 0; i < ARRAY_SIZE(platforms); i++) {
		table = table_of(platforms[i].platform);
		mc = table->mmio;
		global = table->global;
		KUNIT_EXPECT_NULL(test, platforms[i].platform->intree);
		KUNIT_EXPECT_EQ(test, platforms[i].platform->caps, (u32)UCORE_CAP_GLOBAL_FREEZE);
		KUNIT_EXPECT_EQ(test, table->nr_msr, platforms[i].nr_types);
		for (g = 0; g < 2 && platforms[i].ctl[g]; g++, global = global->next) {
			KUNIT_EXPECT_EQ(test, global->ctl, platforms[i].ctl[g]);
			KUNIT_EXPECT_EQ(test, global->unfreeze, EN);
			KUNIT_EXPECT_EQ(test, global->freeze | global->on_overflow |
					global->core_sel | global->wake, 0ULL);
			KUNIT_EXPECT_EQ(test, global->nr_status, 0U);
			KUNIT_EXPECT_FALSE(test, global->untried);
			KUNIT_EXPECT_EQ(test, global->keep, EN | OLDER);
		}
		KUNIT_EXPECT_NULL(test, global);
		KUNIT_EXPECT_EQ(test, table->global_config, platforms[i].ctl[1] ? 0x396U : 0U);
		KUNIT_EXPECT_EQ(test, table->num_cbo, platforms[i].ctl[1] ? 0xfULL : 0ULL);
		KUNIT_EXPECT_EQ(test, table->cbo_extra, 0U);
		KUNIT_EXPECT_EQ(test, table->nr_imc, 2U);
		KUNIT_ASSERT_EQ(test, table->nr_mmio, 2U);
		KUNIT_EXPECT_EQ(test, mc->first + mc->layout->fixed_ctr[0], 0xd858U);
		KUNIT_EXPECT_EQ(test, mc->first + mc->layout->fixed_ctr[1], 0xd8a0U);
		KUNIT_EXPECT_EQ(test, mc->first + mc->layout->fixed_ctr[2], 0xd840U);
	}
}

/* The general counters of a memory controller are those of Alder Lake. */
static void memory_controllers_are_as_listed(struct kunit *test)
{
	static const struct ucore_platform *const with[] = {
		&ucore_platform_adl, &ucore_platform_mtl, &ucore_platform_arl, &ucore_platform_lnl,
	};
	const struct ucore_static_mmio *row;
	u32 i, c;

	for (i = 0; i < ARRAY_SIZE(with); i++) {
		row = &table_of(with[i])->mmio[1];
		KUNIT_EXPECT_STREQ(test, row->type->name, "imc");
		KUNIT_EXPECT_TRUE(test, row->apart);
		KUNIT_EXPECT_EQ(test, row->nr, 1U);
		KUNIT_EXPECT_EQ(test, row->first + row->layout->box_ctl, 0xd9c4U);
		KUNIT_ASSERT_EQ(test, row->type->nr_gp, 5);
		KUNIT_EXPECT_EQ(test, row->type->width, 64);
		KUNIT_EXPECT_EQ(test, field_bits(row->type), 0xfffU);
		KUNIT_EXPECT_EQ(test, row->type->ctl_en | row->type->ctl_ov_en, 0U);
		/* Intel's lists of the other two have no clock */
		KUNIT_EXPECT_EQ(test, row->type->clock,
				i == 0 || i == 3 ? (u32)BIT(31) | 0x01 : 0U);
		KUNIT_EXPECT_EQ(test, row->type->words->freeze, 1U);
		KUNIT_EXPECT_EQ(test, row->type->words->reset, 1U);
		KUNIT_EXPECT_EQ(test, row->type->words->run, 0U);
		for (c = 0; c < 5; c++) {
			KUNIT_EXPECT_EQ(test, row->first + row->layout->ctl[c], 0xd9d0U + 4 * c);
			KUNIT_EXPECT_EQ(test, row->first + row->layout->ctr[c], 0xd9e8U + 8 * c);
		}
		KUNIT_EXPECT_EQ(test, row->size, 0x110U);
		/* not on Tiger Lake H */
		KUNIT_EXPECT_EQ(test, table_of(&ucore_platform_tglh)->nr_mmio, 1U);
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
		for (event = 0; rows[i].traffic && event < 256; event++) {
			bool first = !strcmp(rows[i].name, "arb") &&
				     (event == 0x80 || event == 0x83 || event == 0x85);

			spec = (struct ucore_event_spec){ .value = { event } };
			KUNIT_EXPECT_EQ(test, fake_restrict(&box, 0, 0, &spec), 0);
			KUNIT_EXPECT_EQ(test, spec.counters, first ? 1ULL : 3ULL);
		}
	}
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE_PARAM(msr_boxes_are_as_listed, row_gen_params),
	KUNIT_CASE(platforms_are_as_listed),
	KUNIT_CASE(memory_controllers_are_as_listed),
	KUNIT_CASE(events_are_restricted_to_their_counters),
	{ }
};

static struct kunit_suite table_suite = {
	.name = "ucore_mtl_tables",
	.test_cases = table_cases,
};

/* ---- two global controls ---- */

#define COMPUTE	0x240e
#define SOC	0x200e

static struct ucore_domain *domain_of(struct kunit *test)
{
	return &ucore_catalog.domains[0];
}

static struct fake_window *soc_window(struct kunit *test)
{
	return domain_of(test)->further[0].io.priv;
}

static int tiles_init(struct kunit *test)
{
	int ret = fake_machine_init_mtl(test);
	struct fake_window *win;
	struct ucore_control *soc;

	if (ret)
		return ret;
	KUNIT_ASSERT_EQ(test, domain_of(test)->nr_further, 1U);
	soc = domain_of(test)->further;
	KUNIT_ASSERT_EQ(test, soc->global->ctl, SOC);
	win = kunit_kzalloc(test, sizeof(*win), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, win);
	win->bus = bus_of(test);
	win->global = soc->global;
	strscpy(win->name, "global.soc", sizeof(win->name));
	soc->io = (struct ucore_io){
		.ops = &fake_msr_ops, .tally = &domain_of(test)->tally, .priv = win,
	};
	return 0;
}

/* Begin a use of the global controls as found, with all counters frozen. */
static struct ucore_domain *begin(struct kunit *test, u64 compute, u64 soc)
{
	struct ucore_domain *domain = domain_of(test);

	fake_poke(fake_global(0), COMPUTE, compute);
	fake_poke(soc_window(test), SOC, soc);
	raw_spin_lock_irq(&domain->lock);
	ucore_domain_acquire(domain);
	fake_bus_clear(bus_of(test));
	ucore_freeze_domain(domain, 1);
	return domain;
}

static void both_levels_stop_and_start_the_boxes(struct kunit *test)
{
	struct fake_window *gw = fake_global(0), *soc = soc_window(test);
	struct ucore_domain *domain = begin(test, EN, 0);

	ucore_unfreeze_domain(domain, true);
	KUNIT_EXPECT_FALSE(test, ucore_domain_control_changed(domain));
	KUNIT_EXPECT_FALSE(test, ucore_domain_overflow_freezes(domain));
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, COMPUTE, 0), FAKE_W(soc, SOC, 0),
		    FAKE_W(gw, COMPUTE, EN), FAKE_W(soc, SOC, EN), FAKE_R(gw, COMPUTE),
		    FAKE_R(soc, SOC));
}

static void each_control_gets_its_own_value_back(struct kunit *test)
{
	static const u64 found[][2] = { { 0, 0 }, { EN, 0 }, { 0, EN }, { EN | 3, EN | OLDER } };
	struct fake_window *gw = fake_global(0), *soc = soc_window(test);
	struct ucore_domain *domain;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(found); i++) {
		domain = begin(test, found[i][0], found[i][1]);
		ucore_domain_release(domain);
		/* a box is restored after the release, with a freeze that is still in progress */
		ucore_unfreeze_domain(domain, false);
		ucore_freeze_domain(domain, 2);
		ucore_unfreeze_domain(domain, false);
		raw_spin_unlock_irq(&domain->lock);
		FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, COMPUTE, 0), FAKE_W(soc, SOC, 0),
			    FAKE_W(gw, COMPUTE, found[i][0]), FAKE_W(soc, SOC, found[i][1]),
			    FAKE_R(gw, COMPUTE), FAKE_R(soc, SOC),
			    FAKE_W(gw, COMPUTE, 0), FAKE_W(soc, SOC, 0),
			    FAKE_W(gw, COMPUTE, found[i][0]), FAKE_W(soc, SOC, found[i][1]));
	}
}

static void values_found_are_restored_while_counting(struct kunit *test)
{
	struct fake_window *gw = fake_global(0), *soc = soc_window(test);
	struct ucore_domain *domain = begin(test, 0, EN | 1);

	ucore_unfreeze_domain(domain, false);
	fake_bus_clear(bus_of(test));
	ucore_domain_release(domain);
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, COMPUTE, 0), FAKE_W(soc, SOC, EN | 1));
}

static void panic_restores_both_values(struct kunit *test)
{
	struct fake_window *gw = fake_global(0), *soc = soc_window(test);
	struct ucore_domain *domain = begin(test, 0, EN);

	ucore_unfreeze_domain(domain, false);
	raw_spin_unlock_irq(&domain->lock);
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_TRUE(test, ucore_freeze_panic(domain));
	ucore_unfreeze_panic(domain);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, COMPUTE, 0), FAKE_W(soc, SOC, 0),
		    FAKE_W(gw, COMPUTE, 0), FAKE_W(soc, SOC, EN));
}

/* Only the control that the hardware has cleared is written again. */
static void lost_level_of_one_tile_is_set_again(struct kunit *test)
{
	struct fake_window *gw = fake_global(0), *soc = soc_window(test);
	struct ucore_domain *domain = begin(test, 0, 0);

	ucore_unfreeze_domain(domain, false);
	fake_poke(gw, COMPUTE, EN | 1);
	fake_poke(soc, SOC, 0);
	KUNIT_EXPECT_TRUE(test, ucore_domain_control_changed(domain));
	fake_bus_clear(bus_of(test));
	ucore_domain_restart(domain);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, COMPUTE), FAKE_R(soc, SOC),
		    FAKE_W(soc, SOC, EN));
	fake_poke(gw, COMPUTE, 0);
	ucore_domain_restart(domain);
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, COMPUTE), FAKE_W(gw, COMPUTE, EN),
		    FAKE_R(soc, SOC));
}

/* The boxes that no global control stops are frozen after the others. */
static void memory_controllers_are_frozen_one_by_one(struct kunit *test)
{
	struct fake_window *gw = fake_global(0), *soc = soc_window(test);
	struct ucore_box *imc[] = { box_find("imc", 0, 0), box_find("imc", 0, 1) };
	struct fake_window *m[] = { fake_window(imc[0]), fake_window(imc[1]) };
	struct ucore_domain *domain = begin(test, 0, 0);

	fake_bus_clear(bus_of(test));
	ucore_unfreeze_add_box(domain, imc[0]);
	ucore_unfreeze_add_box(domain, imc[1]);
	FAKE_EXPECT_NONE(test, bus_of(test));
	ucore_unfreeze_domain(domain, false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, COMPUTE, EN), FAKE_W(soc, SOC, EN),
		    FAKE_W(m[0], 0xc4, 0), FAKE_W(m[1], 0xc4, 0));
	ucore_freeze_domain(domain, 2);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, COMPUTE, 0), FAKE_W(soc, SOC, 0),
		    FAKE_W(m[0], 0xc4, 1), FAKE_W(m[1], 0xc4, 1));
	ucore_box_stop(imc[0]);
	fake_bus_clear(bus_of(test));
	ucore_unfreeze_domain(domain, false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, COMPUTE, EN), FAKE_W(soc, SOC, EN),
		    FAKE_W(m[1], 0xc4, 0));
	raw_spin_unlock_irq(&domain->lock);
}

/* After an overflow they ran until the driver saw it. */
static void time_after_an_overflow_is_skew(struct kunit *test)
{
	struct ucore_domain *domain = begin(test, 0, 0);
	u64 unfrozen;

	ucore_unfreeze_add_box(domain, box_find("imc", 0, 0));
	unfrozen = ucore_unfreeze_domain(domain, false);
	domain->pmi.clear = 0;
	ucore_freeze_after_overflow(domain, ktime_get_mono_fast_ns());
	KUNIT_EXPECT_GE(test, domain->skew_ns, domain->frozen_since - unfrozen);
	KUNIT_EXPECT_GT(test, domain->skew_ns, 0ULL);
	raw_spin_unlock_irq(&domain->lock);
}

static struct kunit_case tile_cases[] = {
	KUNIT_CASE(both_levels_stop_and_start_the_boxes),
	KUNIT_CASE(each_control_gets_its_own_value_back),
	KUNIT_CASE(values_found_are_restored_while_counting),
	KUNIT_CASE(panic_restores_both_values),
	KUNIT_CASE(lost_level_of_one_tile_is_set_again),
	KUNIT_CASE(memory_controllers_are_frozen_one_by_one),
	KUNIT_CASE(time_after_an_overflow_is_skew),
	{ }
};

static struct kunit_suite tile_suite = {
	.name = "ucore_mtl_tiles",
	.init = tiles_init,
	.exit = fake_machine_exit,
	.test_cases = tile_cases,
};

kunit_test_suites(&table_suite, &tile_suite);
