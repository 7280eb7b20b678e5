// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of Panther Lake: the tables against a second copy of the numbers, boxes of a
 * discovery table beside boxes in MSRs, and a domain with a level and a freeze bit.
 */
#include <kunit/test.h>

#include "box/catalog.h"
#include "box/freeze.h"
#include "fake_machine.h"
#include "find/discovery/discovery.h"
#include "find/discovery/make_boxes.h"
#include "find/static_table.h"
#include "platforms/match.h"

#define EN		BIT_ULL(29)
#define LEVEL		0x240e
#define SECOND		0x254e
#define MCHBAR		0xfedc0000ULL
#define TABLE		0xfedf0000ULL
#define FREEZE_AT	0xfedeb700ULL
#define IMC_AT		0xfede60c4ULL
#define HBO_AT		0xfede4548ULL

static const struct ucore_disc_rules *rules(void)
{
	return ucore_platform_ptl.table;
}

/* ---- the tables ---- */

static const struct expected {
	const char *name;
	u32 max;
	u16 last[FAKE_ROW_REGS];	/* MSRs of the last box, ended by 0 */
} rows[] = {
	{ "cbo", 6, { 0x2492, 0x2493, 0x2498, 0x2499 } },
	{ "santa", 2, { 0x2422, 0x2423, 0x2428, 0x2429 } },
	{ "clock", 2, { 0x2542, 0x2548 } },
	{ "ia_core_bridge", 1, { 0x2022, 0x2023, 0x2028, 0x2029 } },
};

static void msr_boxes_are_as_listed(struct kunit *test)
{
	const struct ucore_static_table *beside = rules()->beside;
	const struct ucore_static_msr *row;
	u32 i;

	KUNIT_ASSERT_EQ(test, beside->nr_msr, (u32)ARRAY_SIZE(rows));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		row = &beside->msr[i];
		KUNIT_EXPECT_STREQ(test, row->type->name, rows[i].name);
		KUNIT_EXPECT_EQ(test, row->max, rows[i].max);
		KUNIT_EXPECT_FALSE(test, row->per_core);
		KUNIT_EXPECT_EQ(test, row->type->ctl_en | row->type->fixed_en, (u32)BIT(22));
		KUNIT_EXPECT_EQ(test, row->type->ctl_ov_en | row->type->fixed_ov_en, 0U);
		KUNIT_EXPECT_EQ(test, row->type->width | row->type->fixed_width, 48);
		fake_expect_registers(test, row, rows[i].max - 1, rows[i].last);
	}
	KUNIT_EXPECT_NULL(test, beside->msr[1].type->constraints);
	KUNIT_EXPECT_EQ(test, beside->msr[1].type->traffic, 0U);
}

static void global_and_memory_are_as_listed(struct kunit *test)
{
	const struct ucore_static_table *beside = rules()->beside;

	KUNIT_EXPECT_EQ(test, beside->global->ctl, LEVEL);
	KUNIT_ASSERT_NOT_NULL(test, beside->global->next);
	KUNIT_EXPECT_EQ(test, beside->global->next->ctl, SECOND);
	KUNIT_EXPECT_NULL(test, beside->global->next->next);
	KUNIT_EXPECT_EQ(test, beside->global->unfreeze, EN);
	KUNIT_EXPECT_EQ(test, beside->global->nr_status, 0U);
	KUNIT_EXPECT_TRUE(test, beside->mchbar);
	KUNIT_EXPECT_EQ(test, beside->nr_imc, 2U);
	KUNIT_ASSERT_EQ(test, beside->nr_mmio, 1U);
	KUNIT_EXPECT_EQ(test, beside->mmio->first + beside->mmio->layout->fixed_ctr[0], 0xd858U);
	KUNIT_EXPECT_EQ(test, beside->mmio->first + beside->mmio->layout->fixed_ctr[1], 0xd8a0U);
	KUNIT_EXPECT_EQ(test, beside->mmio->first + beside->mmio->layout->fixed_ctr[2], 0xd840U);
	KUNIT_EXPECT_EQ(test, rules()->table_msr, 0x201eU);
	KUNIT_EXPECT_TRUE(test, rules()->table_msr_expected);
	KUNIT_EXPECT_EQ(test, ucore_platform_ptl.caps, (u32)UCORE_CAP_GLOBAL_FREEZE);
}

static void unit_types_are_as_listed(struct kunit *test)
{
	static const struct {
		u32 id;
		const char *name;
		u32 clock;
	} types[] = {
		{ 6, "imc", BIT(31) | 1 }, { 34, "sncu", 0 }, { 41, "hbo", 0 },
	};
	const struct ucore_disc_type *type;
	u32 i, f, bits;

	KUNIT_ASSERT_EQ(test, rules()->nr_types, (u32)ARRAY_SIZE(types));
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		type = &rules()->types[i];
		KUNIT_EXPECT_EQ(test, type->id, types[i].id);
		KUNIT_EXPECT_STREQ(test, type->type->name, types[i].name);
		KUNIT_EXPECT_EQ(test, type->type->clock, types[i].clock);
		KUNIT_EXPECT_EQ(test, type->access, UCORE_ACCESS_MMIO);
		KUNIT_EXPECT_EQ(test, type->ctl_stride, 4);
		for (f = bits = 0; f < type->type->nr_fields; f++)
			bits |= type->type->fields[f].piece[0].mask;
		KUNIT_EXPECT_EQ(test, bits, 0xff84ffffU);
		KUNIT_EXPECT_EQ(test, type->type->ctl_en | type->type->ctl_ov_en, 0U);
		/* the reset bits are not certain, so that no reset reaches a register */
		KUNIT_EXPECT_EQ(test, type->type->words->freeze, 1U);
		KUNIT_EXPECT_EQ(test, type->type->words->reset, 1U);
		KUNIT_EXPECT_EQ(test, type->type->words->run, 0U);
		KUNIT_EXPECT_EQ(test, type->type->words->reach, 0);
		KUNIT_EXPECT_TRUE(test, type->type->words == rules()->unknown->words);
	}
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(msr_boxes_are_as_listed),
	KUNIT_CASE(global_and_memory_are_as_listed),
	KUNIT_CASE(unit_types_are_as_listed),
	{ }
};

static struct kunit_suite table_suite = {
	.name = "ucore_ptl_tables",
	.test_cases = table_cases,
};

/* ---- from both sources to one domain ---- */

#define MMIO		BIT_ULL(62)
/* counters, control, width, counter: offsets from the box control */
#define IMC_WORD	(MMIO | 0x24ULL << 24 | 48 << 16 | 0xc << 8 | 5)
#define HBO_WORD	(MMIO | 0x60ULL << 32 | 0x28ULL << 24 | 48 << 16 | 8 << 8 | 4)
#define MSR_WORD	(8ULL << 24 | 48 << 16 | 2 << 8 | 2)

static int find_init(struct kunit *test)
{
	fake_kernel_reset();
	fake_cpus_need_two(test);
	fake_pci_init(test);
	fake_kernel.buses[0].number = 0;	/* of the host bridge */
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = 0xcc;
	fake_boot_cpu.x86_phys_bits = 42;
	fake_kernel.nr_nodes = 1;
	return 0;
}

/* Add a table with two units in memory, and the registers of these units. */
static u64 *table_add(struct kunit *test)
{
	static const u64 words[] = {
		/* the status has two bits, at 8 bytes from the control */
		MMIO | 2 << 16 | 3 << 8, FREEZE_AT, 2 << 8 | 8,
		IMC_WORD, IMC_AT, 6,
		HBO_WORD, HBO_AT, 1ULL << 32 | 41,
	};
	u64 *word = (u64 *)fake_memory_add(test, TABLE, sizeof(words));

	memcpy(word, words, sizeof(words));
	*(u64 *)fake_memory_add(test, FREEZE_AT, 16) = 1;
	fake_memory_add(test, IMC_AT, 0x4c);
	fake_memory_add(test, HBO_AT, 0x64);
	fake_msr_add(0x201e, TABLE);
	return word;
}

static void beside_add(struct kunit *test)
{
	struct fake_function *bridge = fake_pci_add(0xb000, 0, 0, 0);

	bridge->config[0x48 / 4] = MCHBAR | 1;
	fake_memory_add(test, MCHBAR + 0xd840, 0x68);
	fake_memory_add(test, MCHBAR + 0x1d840, 0x68);
	fake_msr_add(LEVEL, 0);
	fake_msr_add(SECOND, 0);
	fake_msr_add(0x2442, 0);
	fake_msr_add(0x2492, 0);
	fake_msr_add(0x2422, 0);
	fake_msr_add(0x2548, 0);
	fake_msr_add(0x2022, 0);
}

static const struct ucore_box *box_at(const char *name, u32 instance)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		if (!strcmp(ucore_catalog.boxes[i].desc.type->name, name) &&
		    ucore_catalog.boxes[i].desc.instance == instance)
			return &ucore_catalog.boxes[i];
	return NULL;
}

static void both_sources_are_one_domain(struct kunit *test)
{
	static const struct {
		const char *name;
		u32 instance;
	} found[] = {
		{ "imc", 0 }, { "hbo", 0 }, { "cbo", 0 }, { "cbo", 5 }, { "santa", 1 },
		{ "clock", 1 }, { "ia_core_bridge", 0 }, { "imc_free", 0 },
		{ "imc_free", 1 },
	};
	const struct ucore_domain *domain;
	const struct ucore_box *box;
	u32 i;

	table_add(test);
	beside_add(test);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_domains, 1U);
	KUNIT_EXPECT_STREQ(test, ucore_catalog.hidden, "");
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, (u32)ARRAY_SIZE(found));
	domain = &ucore_catalog.domains[0];
	KUNIT_EXPECT_EQ(test, domain->global->ctl, LEVEL);
	KUNIT_EXPECT_TRUE(test, domain->global->run_level);
	KUNIT_ASSERT_EQ(test, domain->nr_further, 2U);
	KUNIT_EXPECT_EQ(test, domain->further[0].global->ctl, SECOND);
	KUNIT_EXPECT_TRUE(test, domain->further[0].global->run_level);
	KUNIT_EXPECT_EQ(test, (u64)domain->further[1].global->phys, FREEZE_AT);
	KUNIT_EXPECT_FALSE(test, domain->further[1].global->run_level);
	KUNIT_EXPECT_EQ(test, domain->further[1].global->freeze, 1ULL);
	for (i = 0; i < ARRAY_SIZE(found); i++) {
		box = box_at(found[i].name, found[i].instance);
		KUNIT_ASSERT_NOT_NULL_MSG(test, box, "%s%u", found[i].name, found[i].instance);
		KUNIT_EXPECT_TRUE_MSG(test, box->desc.global == domain->global, "%s",
				      found[i].name);
	}
	/* Controls of an HBO are 4 bytes apart, although 8 would fit. */
	KUNIT_EXPECT_EQ(test, box_at("hbo", 0)->desc.layout->ctl[3], 0x14);
	KUNIT_EXPECT_EQ(test, box_at("imc", 0)->desc.layout->ctr[4], 0x44);
	KUNIT_EXPECT_EQ(test, box_at("imc", 0)->desc.type->nr_gp, 5);
}

/* An overflow would stop the units, and not the boxes beside them. */
static void status_of_the_table_is_not_used(struct kunit *test)
{
	table_add(test);
	beside_add(test);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.domains[0].nr_further, 2U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].further[1].global->nr_status, 0U);
	KUNIT_ASSERT_NOT_NULL(test, box_at("hbo", 0));
	KUNIT_EXPECT_NULL(test, box_at("hbo", 0)->desc.reported_in);
	KUNIT_EXPECT_EQ(test, box_at("hbo", 0)->desc.layout->status, UCORE_REG_NONE);
}

static void boxes_without_a_table_are_found(struct kunit *test)
{
	beside_add(test);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 7U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].nr_further, 1U);
	KUNIT_EXPECT_TRUE(test, strstr(ucore_catalog.hidden, "discovery table"));
	KUNIT_EXPECT_TRUE(test, ucore_catalog.caps & UCORE_CAP_GLOBAL_FREEZE);
}

static void units_without_other_boxes_are_found(struct kunit *test)
{
	table_add(test);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 2U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].global->ctl, LEVEL);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].nr_further, 2U);
}

/* A record could otherwise name the registers of a box beside the table. */
static void unit_in_msrs_is_rejected(struct kunit *test)
{
	struct ucore_unit_info info;
	u64 *word = table_add(test);

	beside_add(test);
	word[3] = MSR_WORD;
	word[4] = 0x2442;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	ucore_discovery_report.unit(0, &info);
	KUNIT_EXPECT_EQ(test, info.reason, (u32)UCORE_UNIT_FOREIGN);
	KUNIT_EXPECT_NULL(test, box_at("imc", 0));
	KUNIT_EXPECT_NOT_NULL(test, box_at("cbo", 0));
}

/* A write would otherwise change the level of the clock. */
static void table_with_the_control_of_other_boxes_is_rejected(struct kunit *test)
{
	struct ucore_table_info info;
	u64 *word = table_add(test);

	beside_add(test);
	word[0] &= ~MMIO;
	word[1] = SECOND;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	ucore_discovery_report.table(0, &info);
	KUNIT_EXPECT_EQ(test, info.reason, (u32)UCORE_TABLE_GLOBAL);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 7U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].nr_further, 1U);
}

/* Each allocation fails in turn: nothing stays mapped or referenced. */
static void build_without_memory_leaks_nothing(struct kunit *test)
{
	table_add(test);
	beside_add(test);
	fake_build_without_memory(test);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].nr_further, 2U);
}

static struct kunit_case find_cases[] = {
	KUNIT_CASE(both_sources_are_one_domain),
	KUNIT_CASE(status_of_the_table_is_not_used),
	KUNIT_CASE(boxes_without_a_table_are_found),
	KUNIT_CASE(units_without_other_boxes_are_found),
	KUNIT_CASE(unit_in_msrs_is_rejected),
	KUNIT_CASE(table_with_the_control_of_other_boxes_is_rejected),
	KUNIT_CASE(build_without_memory_leaks_nothing),
	{ }
};

static struct kunit_suite find_suite = {
	.name = "ucore_ptl_find",
	.init = find_init,
	.exit = fake_catalog_exit,
	.test_cases = find_cases,
};

/* ---- a level, then a freeze bit ---- */

/* The second global control is in memory: its offsets begin at 0. */
static const struct ucore_global freeze_global = { .freeze = 1, .keep = 1, .level = true };

static const struct ucore_global level_global = {
	.ctl = LEVEL, .unfreeze = EN, .keep = EN, .level = true, .run_level = true,
	.next = &freeze_global,
};

static struct fake_window *freeze_window(void)
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
	domain->global = &level_global;
	fake_global(0)->global = &level_global;
	/* freed with the domain */
	domain->further = kzalloc(sizeof(*domain->further), GFP_KERNEL);
	win = kunit_kzalloc(test, sizeof(*win), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, domain->further);
	KUNIT_ASSERT_NOT_NULL(test, win);
	win->bus = bus_of(test);
	win->global = &freeze_global;
	strscpy(win->name, "global.freeze", sizeof(win->name));
	domain->further[0].global = &freeze_global;
	domain->further[0].io = (struct ucore_io){
		.ops = &fake_msr_ops, .tally = &domain->tally, .priv = win,
	};
	domain->nr_further = 1;
	return 0;
}

/* Begin a use of the global controls as found, with all counters frozen. */
static struct ucore_domain *begin(struct kunit *test, u64 level, u64 freeze)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];

	fake_poke(fake_global(0), LEVEL, level);
	fake_poke(freeze_window(), 0, freeze);
	raw_spin_lock_irq(&domain->lock);
	ucore_domain_acquire(domain);
	fake_bus_clear(bus_of(test));
	ucore_freeze_domain(domain, 1);
	return domain;
}

#define W_LEVEL(val)	FAKE_W(fake_global(0), LEVEL, val)
#define W_FREEZE(val)	FAKE_W(freeze_window(), 0, val)
#define R_BOTH		FAKE_R(fake_global(0), LEVEL), FAKE_R(freeze_window(), 0)

static void each_control_has_its_own_words(struct kunit *test)
{
	struct ucore_domain *domain = begin(test, 0, 1);

	ucore_unfreeze_domain(domain, true);
	KUNIT_EXPECT_FALSE(test, ucore_domain_control_changed(domain));
	KUNIT_EXPECT_FALSE(test, ucore_domain_overflow_freezes(domain));
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT(test, bus_of(test), W_LEVEL(0), W_FREEZE(1), W_LEVEL(EN), W_FREEZE(0), R_BOTH);
	KUNIT_EXPECT_GT(test, domain->skew_ns, 0ULL);
}

static void each_control_gets_its_own_value_back(struct kunit *test)
{
	static const u64 found[][2] = { { 0, 1 }, { EN, 0 }, { 0, 0 }, { EN, 1 } };
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
		FAKE_EXPECT(test, bus_of(test), W_LEVEL(0), W_FREEZE(1),
			    W_LEVEL(found[i][0]), W_FREEZE(found[i][1]),
			    FAKE_R(fake_global(0), LEVEL), W_LEVEL(0), W_FREEZE(1),
			    W_LEVEL(found[i][0]), W_FREEZE(found[i][1]));
	}
}

static void panic_restores_both_values(struct kunit *test)
{
	struct ucore_domain *domain = begin(test, 0, 1);

	ucore_unfreeze_domain(domain, false);
	raw_spin_unlock_irq(&domain->lock);
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_TRUE(test, ucore_freeze_panic(domain));
	ucore_unfreeze_panic(domain);
	FAKE_EXPECT(test, bus_of(test), W_LEVEL(0), W_FREEZE(1), W_LEVEL(0), W_FREEZE(1));
}

/* Hardware may clear the level, but only software sets the freeze bit. */
static void only_a_lost_level_is_set_again(struct kunit *test)
{
	struct ucore_domain *domain = begin(test, 0, 1);

	ucore_unfreeze_domain(domain, false);
	fake_poke(freeze_window(), 0, 1);
	KUNIT_EXPECT_TRUE(test, ucore_domain_control_changed(domain));
	fake_bus_clear(bus_of(test));
	ucore_domain_restart(domain);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(fake_global(0), LEVEL));
	fake_poke(fake_global(0), LEVEL, 0);
	ucore_domain_restart(domain);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(fake_global(0), LEVEL), W_LEVEL(EN));
	raw_spin_unlock_irq(&domain->lock);
}

static struct kunit_case domain_cases[] = {
	KUNIT_CASE(each_control_has_its_own_words),
	KUNIT_CASE(each_control_gets_its_own_value_back),
	KUNIT_CASE(panic_restores_both_values),
	KUNIT_CASE(only_a_lost_level_is_set_again),
	{ }
};

static struct kunit_suite domain_suite = {
	.name = "ucore_ptl_domain",
	.init = domain_init,
	.exit = fake_machine_exit,
	.test_cases = domain_cases,
};

kunit_test_suites(&table_suite, &find_suite, &domain_suite);
