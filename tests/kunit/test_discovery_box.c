// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of boxes described by discovery: exact register accesses, and properties of the
 * global control. Its freeze bit is level-triggered, it has several status words, and its
 * core mask begins at bit 16.
 */
#include <linux/cpu.h>

#include "box/core_select.h"
#include "fake_machine.h"
#include "find/discovery/discovery.h"
#include "irq/pmi_route_and_service.h"
#include "platforms/match.h"

#define RESET	0x301
#define RUN	0

static const struct ucore_box_type *type_of(struct kunit *test, u32 id)
{
	const struct ucore_disc_rules *rules = ucore_platform_spr.table;
	u32 i;

	for (i = 0; i < rules->nr_types; i++)
		if (rules->types[i].id == id)
			return rules->types[i].type;
	KUNIT_ASSERT_TRUE(test, false);
	return NULL;
}

/* Make a box as discovery describes it. The fake does not emulate its registers. */
static struct ucore_box *box_make(struct kunit *test, u32 type, u8 nr_fixed,
				  const struct ucore_layout *layout,
				  const struct ucore_io_ops *ops)
{
	struct ucore_box_type *own = kunit_kzalloc(test, sizeof(*own), GFP_KERNEL);
	struct fake_window *win = kunit_kzalloc(test, sizeof(*win), GFP_KERNEL);
	struct ucore_box *box = kunit_kzalloc(test, sizeof(*box), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, own);
	KUNIT_ASSERT_NOT_NULL(test, win);
	KUNIT_ASSERT_NOT_NULL(test, box);
	*own = *type_of(test, type);
	own->nr_gp = 4;
	own->nr_fixed = nr_fixed;
	own->width = 48;
	win->bus = bus_of(test);
	strscpy(win->name, own->name, sizeof(win->name));
	box->desc.type = own;
	box->desc.layout = layout;
	INIT_LIST_HEAD(&box->node);
	INIT_LIST_HEAD(&box->claims);
	box->domain = &ucore_catalog.domains[0];
	box->io = (struct ucore_io){ .ops = ops, .tally = &box->domain->tally, .priv = win };
	return box;
}

static const struct ucore_layout cha_layout = {
	.status = 1,
	.ctl = { 2, 3, 4, 5 },
	.ctr = { 8, 9, 10, 11 },
	.shared = { 0xe },
	.nr_shared = 1,
	.wide_ctl = true,
};

static const struct ucore_layout imc_layout = {
	.status = UCORE_REG_NONE,
	.ctl = { 0x40, 0x44, 0x48, 0x4c },
	.ctr = { 0x08, 0x10, 0x18, 0x20 },
	.fixed_ctl = { 0x54 },
	.fixed_ctr = { 0x38 },
};

static const struct ucore_layout upi_layout = {
	.box_ctl = 0x318,
	.status = 0x31c,
	.ctl = { 0x350, 0x358, 0x360, 0x368 },
	.ctr = { 0x320, 0x328, 0x330, 0x338 },
	.wide_ctl = true,
};

static const struct ucore_layout free_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.fixed_ctl = { UCORE_REG_NONE, UCORE_REG_NONE },
	.fixed_ctr = { 0, 0x3f2 },
};

static const u64 no_filters[UCORE_MAX_SHARED];

static void msr_box_access_sequence_is_exact(struct kunit *test)
{
	static const u64 filters[UCORE_MAX_SHARED] = { 0x123 };
	struct ucore_box *box = box_make(test, 0, 0, &cha_layout, &fake_msr_ops);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct fake_window *w = fake_window(box);
	struct ucore_counter *ctr;

	fake_poke(w, 0xe, 0x77);
	fake_poke(w, 1, 0x3);
	ucore_box_program(box, filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0xe), FAKE_W(w, 0, RESET), FAKE_R(w, 1),
		    FAKE_W(w, 1, 0x3), FAKE_W(w, 0xe, 0x123));
	/* an MSR write has all 64 bits */
	ctr = fake_ctx_add(ctx, box, 2, 0xabcd000000100304ULL, 1000);
	ucore_counter_program(ctr);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 10, BIT_ULL(48) - 1000),
		    FAKE_W(w, 4, 0xabcd000000100304ULL), FAKE_R(w, 4));
	ucore_box_unfreeze(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0, RUN));
	ucore_box_stop(box);
	ucore_counter_stop(ctr);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0, RESET));
	fake_poke(w, 1, 0);
	ucore_box_restore(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0, RESET), FAKE_R(w, 1), FAKE_W(w, 0xe, 0x77),
		    FAKE_W(w, 0, RUN));
}

/* A control of two dwords: the upper one is written only if it is not zero. */
static void pci_box_access_sequence_is_exact(struct kunit *test)
{
	struct ucore_box *box = box_make(test, 8, 0, &upi_layout, &fake_pci_ops);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct fake_window *w = fake_window(box);
	struct ucore_counter *plain, *wide;

	ucore_box_program(box, no_filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x318, RESET), FAKE_R(w, 0x31c));
	plain = fake_ctx_add(ctx, box, 0, 0x0f02, 0);
	wide = fake_ctx_add(ctx, box, 3, 0xff000000000f02ULL, 50);
	ucore_counter_program(plain);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x350, 0x0f02));
	ucore_counter_program(wide);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x33c, 0), FAKE_W(w, 0x338, BIT_ULL(48) - 50),
		    FAKE_W(w, 0x36c, 0), FAKE_W(w, 0x368, 0xff000000000f02ULL),
		    FAKE_R(w, 0x368), FAKE_R(w, 0x36c));
	KUNIT_EXPECT_EQ(test, wide->flags, 0U);
	ucore_box_unfreeze(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x318, RUN));
	ucore_box_stop(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x318, RESET));
}

/* A control can drop an event with reserved bits. The event would count 0: START sets a flag. */
static void control_that_drops_event_is_flagged(struct kunit *test)
{
	struct ucore_box *box = box_make(test, 8, 0, &upi_layout, &fake_pci_ops);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct fake_window *w = fake_window(box);
	struct ucore_counter *plain, *wide;

	w->reserved = BIT_ULL(32);
	plain = fake_ctx_add(ctx, box, 0, 0x0f02, 0);
	wide = fake_ctx_add(ctx, box, 1, BIT_ULL(32) | 0x0f02, 0);
	ucore_box_program(box, no_filters);
	ucore_counter_program(plain);
	ucore_counter_program(wide);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x350), 0x0f02ULL);
	KUNIT_EXPECT_EQ(test, plain->flags, 0U);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x358), 0ULL);
	KUNIT_EXPECT_EQ(test, wide->flags, (u32)UCORE_VALUE_F_PARTIAL);
	/* the flag describes the last START */
	w->reserved = 0;
	ucore_box_program(box, no_filters);
	ucore_counter_program(wide);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x358), BIT_ULL(32) | 0x0f02);
	KUNIT_EXPECT_EQ(test, wide->flags, 0U);
}

/* The box control's reset does not cover the fixed counter. */
static void mmio_box_access_sequence_is_exact(struct kunit *test)
{
	struct ucore_box *box = box_make(test, 6, 1, &imc_layout, &fake_mmio_ops);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct fake_window *w = fake_window(box);
	struct ucore_counter *ctr, *fixed;

	ucore_box_program(box, no_filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0, RESET), FAKE_W(w, 0x54, 0),
		    FAKE_W(w, 0x38, 0));
	ctr = fake_ctx_add(ctx, box, 1, 0xcf05, 0);
	fixed = fake_ctx_add(ctx, box, UCORE_COUNTER_FIXED, BIT(22), 0);
	ucore_counter_program(ctr);
	ucore_counter_program(fixed);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x44, 0xcf05), FAKE_W(w, 0x54, BIT(22)));
	fake_poke(w, 0x10, 500);
	fake_poke(w, 0x38, BIT_ULL(40));
	fake_bus_clear(bus_of(test));
	ucore_counter_update(ctr, UCORE_FROZEN);
	ucore_counter_update(fixed, UCORE_RUNNING);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0x10), FAKE_R(w, 0x38));
	KUNIT_EXPECT_EQ(test, ctr->total, 500ULL);
	KUNIT_EXPECT_EQ(test, fixed->total, BIT_ULL(40));
	ucore_box_stop(box);
	ucore_counter_stop(ctr);
	ucore_counter_stop(fixed);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0, RESET), FAKE_W(w, 0x54, 0));
}

/* Counting starts from the current value, and nothing is written. */
static void free_running_counters_are_never_written(struct kunit *test)
{
	struct ucore_box *box = box_make(test, 1, 2, &free_layout, &fake_msr_ops);
	struct ucore_box_type *type = (struct ucore_box_type *)box->desc.type;
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct fake_window *w = fake_window(box);
	struct ucore_counter *ctr;

	type->words = NULL;
	type->nr_gp = 0;
	type->fixed_width = 48;
	fake_poke(w, 0x3f2, BIT_ULL(48) - 10);
	ucore_box_program(box, no_filters);
	FAKE_EXPECT_NONE(test, bus_of(test));
	ctr = fake_ctx_add(ctx, box, UCORE_COUNTER_FIXED + 1, 0, 0);
	ucore_counter_program(ctr);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0x3f2));
	KUNIT_EXPECT_EQ(test, ctr->prev, BIT_ULL(48) - 10);
	ucore_box_unfreeze(box);
	FAKE_EXPECT_NONE(test, bus_of(test));
	fake_poke(w, 0x3f2, 15);
	ucore_counter_update(ctr, UCORE_RUNNING);
	KUNIT_EXPECT_EQ(test, ctr->total, 25ULL);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0x3f2));
	ucore_box_stop(box);
	ucore_counter_stop(ctr);
	ucore_box_restore(box);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static void free_running_counter_starts_from_current_value(struct kunit *test)
{
	struct ucore_box *box = box_make(test, 1, 2, &free_layout, &fake_msr_ops);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct fake_window *w = fake_window(box);
	struct ucore_counter *ctr;

	((struct ucore_box_type *)box->desc.type)->fixed_width = 48;
	ctr = fake_ctx_add(ctx, box, UCORE_COUNTER_FIXED, 0, 0);
	fake_poke(w, 0, 1000);
	ucore_counter_arm(ctr);
	fake_poke(w, 0, 1007);
	ucore_counter_update(ctr, UCORE_RUNNING);
	KUNIT_EXPECT_EQ(test, ctr->total, 7ULL);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), NULL, 'W'), 0U);
}

/* ---- global control ---- */

#define CTL	0x2ff0
#define FRZ	BIT_ULL(0)
#define WK	BIT_ULL(1)

static const struct ucore_global two_words = {
	.ctl = CTL,
	.status = CTL + 2,
	.status_stride = 1,
	.nr_status = 2,
	.freeze = FRZ,
	.wake = WK,
	.core_sel = GENMASK_ULL(63, 16),
	.keep = FRZ | WK | GENMASK_ULL(63, 16),
	.level = true,
};

static const struct ucore_global no_interrupts = {
	.ctl = CTL,
	.freeze = FRZ,
	.keep = FRZ,
	.level = true,
};

static struct ucore_domain *domain_with(const struct ucore_global *global)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];

	domain->global = global;
	fake_global(0)->global = global;
	return domain;
}

static void status_words_are_combined(struct kunit *test)
{
	struct ucore_domain *domain = domain_with(&two_words);
	struct fake_window *gw = fake_global(0);

	fake_poke(gw, CTL + 2, BIT_ULL(3));
	fake_poke(gw, CTL + 3, BIT_ULL(3) | BIT_ULL(40));
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), BIT_ULL(3) | BIT_ULL(40));
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, CTL + 2), FAKE_R(gw, CTL + 3));
	ucore_domain_clear_status(domain);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, CTL + 2, BIT_ULL(3)),
		    FAKE_W(gw, CTL + 3, BIT_ULL(3) | BIT_ULL(40)));
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), 0ULL);
}

/* A status word without set bits is not written. */
static void status_words_are_cleared_as_last_read(struct kunit *test)
{
	struct ucore_domain *domain = domain_with(&two_words);
	struct fake_window *gw = fake_global(0);

	fake_poke(gw, CTL + 3, BIT_ULL(7));
	ucore_domain_status(domain);
	fake_poke(gw, CTL + 2, BIT_ULL(1));		/* set since the read */
	fake_poke(gw, CTL + 3, BIT_ULL(7) | BIT_ULL(8));
	fake_bus_clear(bus_of(test));
	ucore_domain_clear_status(domain);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, CTL + 3, BIT_ULL(7)));
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), BIT_ULL(1) | BIT_ULL(8));
}

static void status_word_of_all_ones_is_ignored(struct kunit *test)
{
	struct ucore_domain *domain = domain_with(&two_words);
	struct fake_window *gw = fake_global(0);

	fake_poke(gw, CTL + 2, ~0ULL);
	fake_poke(gw, CTL + 3, BIT_ULL(2));
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), BIT_ULL(2));
	fake_bus_clear(bus_of(test));
	ucore_domain_clear_status(domain);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, CTL + 3, BIT_ULL(2)));
}

static void domain_without_status_is_not_accessed(struct kunit *test)
{
	struct ucore_domain *domain = domain_with(&no_interrupts);

	raw_spin_lock_irq(&domain->lock);
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), 0ULL);
	ucore_domain_clear_stale(domain);
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* Granite Rapids: frozen by firmware before and after ucore, running in between. */
static void freeze_of_firmware_is_restored(struct kunit *test)
{
	struct ucore_domain *domain = domain_with(&no_interrupts);
	struct fake_window *gw = fake_global(0);

	fake_poke(gw, CTL, FRZ | BIT_ULL(5));
	gw->frozen = true;
	raw_spin_lock_irq(&domain->lock);
	ucore_domain_acquire(domain);
	KUNIT_EXPECT_EQ(test, domain->found, FRZ);
	ucore_freeze_domain(domain, 1);
	ucore_unfreeze_domain(domain, true);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	ucore_domain_release(domain);
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_TRUE(test, gw->frozen);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, CTL), FRZ);
	/* boxes that are restored later do not change it */
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, 2);
	ucore_unfreeze_domain(domain, true);
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_TRUE(test, gw->frozen);
}

/* With a level-triggered freeze bit, a write without the bit unfreezes the domain. */
static void route_write_keeps_domain_frozen(struct kunit *test)
{
	struct ucore_domain *domain = domain_with(&two_words);
	struct fake_window *gw = fake_global(0);

	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, 1);
	ucore_domain_set_route(domain, BIT_ULL(16) | WK);
	KUNIT_EXPECT_TRUE(test, gw->frozen);
	ucore_unfreeze_domain(domain, false);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	ucore_domain_set_route(domain, BIT_ULL(17) | WK);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	/* a frozen domain with a pending overflow must stay frozen */
	domain->armed = 1;
	fake_poke(gw, CTL + 3, BIT_ULL(9));
	gw->frozen = true;
	ucore_domain_set_route(domain, BIT_ULL(18) | WK);
	KUNIT_EXPECT_TRUE(test, gw->frozen);
	domain->armed = 0;
	raw_spin_unlock_irq(&domain->lock);
}

static void core_mask_begins_at_bit_16(struct kunit *test)
{
	static const struct {
		u32 core;
		u64 bit;
	} cores[] = {
		{ 0, BIT_ULL(16) }, { 1, BIT_ULL(17) }, { 47, BIT_ULL(63) }, { 48, 0 },
		{ 63, 0 }, { 64, 0 }, { ~0U, 0 },
	};
	struct ucore_domain *domain = domain_with(&two_words);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cores); i++) {
		fake_kernel.core_id[1] = cores[i].core;
		KUNIT_EXPECT_EQ(test, ucore_core_select_bit(domain, 1), cores[i].bit);
		KUNIT_EXPECT_EQ(test, ucore_core_select_possible(domain, 1), !!cores[i].bit);
	}
}

static void pmi_is_routed_to_the_readers_core(struct kunit *test)
{
	struct ucore_domain *domain = domain_with(&two_words);
	struct fake_window *gw = fake_global(0);

	fake_kernel.core_id[0] = 40;
	cpus_read_lock();
	domain->armed = 1;
	ucore_pmi_enable(domain);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, CTL), BIT_ULL(56) | WK);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&domain->pmi.cpus, cpumask_of(0)));
	domain->armed = 0;
	ucore_pmi_disable(domain);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, CTL), 0ULL);
	cpus_read_unlock();
}

/* Without PMI routing all CPUs are equally suitable readers. */
static void reader_without_pmi_routing_is_any_cpu(struct kunit *test)
{
	struct ucore_domain *domain = domain_with(&no_interrupts);

	fake_kernel.core_id[0] = 100;
	fake_kernel.core_id[1] = 200;
	KUNIT_EXPECT_EQ(test, ucore_core_select_bit(domain, 1), 0ULL);
	KUNIT_EXPECT_TRUE(test, ucore_core_select_possible(domain, 1));
	fake_reader_choose(domain, 1, cpumask_of(1));
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	fake_reader_choose(domain, 0, cpumask_of(0));
	KUNIT_EXPECT_EQ(test, domain->reader, 0);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(msr_box_access_sequence_is_exact),
	KUNIT_CASE(pci_box_access_sequence_is_exact),
	KUNIT_CASE(control_that_drops_event_is_flagged),
	KUNIT_CASE(mmio_box_access_sequence_is_exact),
	KUNIT_CASE(free_running_counters_are_never_written),
	KUNIT_CASE(free_running_counter_starts_from_current_value),
	KUNIT_CASE(status_words_are_combined),
	KUNIT_CASE(status_words_are_cleared_as_last_read),
	KUNIT_CASE(status_word_of_all_ones_is_ignored),
	KUNIT_CASE(domain_without_status_is_not_accessed),
	KUNIT_CASE(freeze_of_firmware_is_restored),
	KUNIT_CASE(route_write_keeps_domain_frozen),
	KUNIT_CASE(core_mask_begins_at_bit_16),
	KUNIT_CASE(pmi_is_routed_to_the_readers_core),
	KUNIT_CASE(reader_without_pmi_routing_is_any_cpu),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_disc_box",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
