// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of counter arithmetic: accumulation of 44-bit and 48-bit counters, full reads
 * and low halves, and dead boxes.
 */
#include <linux/random.h>

#include "fake_machine.h"

static const u32 widths[] = { 44, 48 };

static void width_name(const u32 *width, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%u bits", *width);
}

KUNIT_ARRAY_PARAM(width, widths, width_name);

static struct ucore_counter counter_of(struct kunit *test, u64 prev)
{
	u32 width = *(const u32 *)test->param_value;

	return (struct ucore_counter){ .mask = BIT_ULL(width) - 1, .prev = prev };
}

static void counts(struct kunit *test, u64 prev, u64 raw, u64 expected)
{
	struct ucore_counter ctr = counter_of(test, prev);

	ctr.total = 1000;
	KUNIT_EXPECT_TRUE(test, ucore_counter_accumulate(&ctr, raw));
	KUNIT_EXPECT_EQ(test, ctr.total, 1000 + expected);
	KUNIT_EXPECT_EQ(test, ctr.prev, raw);
}

static void accumulate_adds_forward_difference(struct kunit *test)
{
	u64 top = counter_of(test, 0).mask;

	counts(test, 0, 0, 0);
	counts(test, 0, 1, 1);
	counts(test, 0, top, top);
	counts(test, top, top, 0);
	counts(test, 0xffffffff, 0x100000000ULL, 1);
}

static void accumulate_wraps_at_counter_width(struct kunit *test)
{
	u64 top = counter_of(test, 0).mask;

	counts(test, top, 0, 1);
	counts(test, top - 9, 5, 15);
	counts(test, 1, 0, top);
	/* a preload for a period of 100, and 7 counts beyond */
	counts(test, top + 1 - 100, 7, 107);
}

static void accumulate_across_any_bit_is_exact(struct kunit *test)
{
	u32 width = *(const u32 *)test->param_value;
	u64 edge;
	u32 bit;

	for (bit = 0; bit < width; bit++) {
		edge = BIT_ULL(bit);
		counts(test, edge - 1, edge, 1);
		counts(test, edge, edge - 1, BIT_ULL(width) - 1);
	}
}

static void accumulate_of_impossible_value_fails(struct kunit *test)
{
	u32 width = *(const u32 *)test->param_value;
	struct ucore_counter ctr = counter_of(test, 5);
	u32 bit;

	ctr.total = 77;
	for (bit = width; bit < 64; bit++)
		KUNIT_EXPECT_FALSE(test, ucore_counter_accumulate(&ctr, BIT_ULL(bit) | 9));
	KUNIT_EXPECT_FALSE(test, ucore_counter_accumulate(&ctr, UCORE_REG_DEAD));
	KUNIT_EXPECT_EQ(test, ctr.total, 77ULL);
	KUNIT_EXPECT_EQ(test, ctr.prev, 5ULL);
}

static void low_half_wraps_at_32_bits(struct kunit *test)
{
	struct ucore_counter ctr = counter_of(test, 0xfffffff0);

	ucore_counter_accumulate_low(&ctr, 0x10);
	KUNIT_EXPECT_EQ(test, ctr.total, 0x20ULL);
	KUNIT_EXPECT_EQ(test, ctr.prev, 0x100000010ULL);
	/* the largest difference that a low half can show */
	ucore_counter_accumulate_low(&ctr, 0xf);
	KUNIT_EXPECT_EQ(test, ctr.total, 0x10000001fULL);
	KUNIT_EXPECT_FALSE(test, ctr.wrapped);
}

static void low_half_wraps_with_the_counter(struct kunit *test)
{
	struct ucore_counter ctr = counter_of(test, 0);

	ctr.prev = ctr.mask - 3;
	ucore_counter_accumulate_low(&ctr, 6);
	KUNIT_EXPECT_EQ(test, ctr.total, 10ULL);
	KUNIT_EXPECT_EQ(test, ctr.prev, 6ULL);
	KUNIT_EXPECT_TRUE(test, ctr.wrapped);
}

/* Any mixture of full reads and low halves adds up to the true count. */
static void mixed_full_and_low_reads_are_exact(struct kunit *test)
{
	struct ucore_counter ctr = counter_of(test, 0);
	u64 truth = 0, step;
	u32 i;

	ctr.prev = ctr.mask - 0x123456789ULL;
	for (i = 0; i < 20000; i++) {
		if (get_random_u32() & 1) {
			step = get_random_u32();
			truth += step;
			ucore_counter_accumulate_low(&ctr, ctr.prev + step);
		} else {
			step = get_random_u64() & ctr.mask;
			truth += step;
			KUNIT_ASSERT_TRUE(test, ucore_counter_accumulate(&ctr, (ctr.prev + step) &
									       ctr.mask));
		}
	}
	KUNIT_EXPECT_EQ(test, ctr.total, truth);
}

/* A polled period ends at the next multiple. Beyond 2^64 counts there is no next multiple. */
static void polled_period_beyond_64_bits_never_ends(struct kunit *test)
{
	struct ucore_counter ctr = { .poll_period = 1000, .total = 2500 };

	ucore_counter_poll_from(&ctr);
	KUNIT_EXPECT_EQ(test, ctr.period_end, 3000ULL);
	ctr.total = U64_MAX - 5;
	ucore_counter_poll_from(&ctr);
	KUNIT_EXPECT_EQ(test, ctr.period_end, U64_MAX);
}

static struct kunit_case arithmetic_cases[] = {
	KUNIT_CASE_PARAM(accumulate_adds_forward_difference, width_gen_params),
	KUNIT_CASE_PARAM(accumulate_wraps_at_counter_width, width_gen_params),
	KUNIT_CASE_PARAM(accumulate_across_any_bit_is_exact, width_gen_params),
	KUNIT_CASE_PARAM(accumulate_of_impossible_value_fails, width_gen_params),
	KUNIT_CASE_PARAM(low_half_wraps_at_32_bits, width_gen_params),
	KUNIT_CASE_PARAM(low_half_wraps_with_the_counter, width_gen_params),
	KUNIT_CASE_PARAM(mixed_full_and_low_reads_are_exact, width_gen_params),
	KUNIT_CASE(polled_period_beyond_64_bits_never_ends),
	{ }
};

static struct kunit_suite arithmetic_suite = {
	.name = "ucore_counter",
	.test_cases = arithmetic_cases,
};

/* ---- register accesses ---- */

static struct ucore_counter *imc_counter(struct kunit *test)
{
	return fake_ctx_add(fake_ctx(test, 0, 0), fake_box(test, 0, "imc", 0), 1, 0, 0);
}

static void read_modes_have_expected_accesses(struct kunit *test)
{
	struct fake_bus *bus = &fake_machine(test)->bus;
	struct ucore_counter *ctr = imc_counter(test);
	struct fake_window *win = fake_window(ctr->box);

	fake_poke(win, 0xa8, 10);
	ucore_counter_update(ctr, UCORE_FROZEN);
	FAKE_EXPECT(test, bus, FAKE_R(win, 0xa8), FAKE_R(win, 0xac));
	fake_poke(win, 0xa8, 30);
	ucore_counter_update(ctr, UCORE_LOW);
	FAKE_EXPECT(test, bus, FAKE_R(win, 0xa8));
	fake_poke(win, 0xa8, 0x100000000ULL);
	ucore_counter_update(ctr, UCORE_RUNNING);
	FAKE_EXPECT(test, bus, FAKE_R(win, 0xac), FAKE_R(win, 0xa8), FAKE_R(win, 0xac));
	KUNIT_EXPECT_EQ(test, ctr->total, 0x100000000ULL);
	KUNIT_EXPECT_EQ(test, ctr->flags, 0U);
}

static void low_half_of_all_ones_is_a_count(struct kunit *test)
{
	struct ucore_counter *ctr = imc_counter(test);

	fake_poke(fake_window(ctr->box), 0xa8, 0x100000005ULL);
	ucore_counter_update(ctr, UCORE_FROZEN);
	fake_poke(fake_window(ctr->box), 0xa8, 0x1ffffffffULL);
	ucore_counter_update(ctr, UCORE_LOW);
	KUNIT_EXPECT_EQ(test, ctr->total, 0x1ffffffffULL);
	KUNIT_EXPECT_FALSE(test, ctr->box->dead);
}

static void dead_keeps_the_last_count(struct kunit *test, enum ucore_read_mode mode)
{
	struct fake_bus *bus = &fake_machine(test)->bus;
	struct ucore_counter *ctr = imc_counter(test);
	struct fake_window *win = fake_window(ctr->box);

	fake_poke(win, 0xa8, 55);
	ucore_counter_update(ctr, UCORE_FROZEN);
	win->dead = true;
	ucore_counter_update(ctr, mode);
	KUNIT_EXPECT_TRUE(test, ctr->box->dead);
	KUNIT_EXPECT_EQ(test, ctr->flags, (u32)UCORE_VALUE_F_DEAD);
	KUNIT_EXPECT_EQ(test, ctr->total, 55ULL);

	fake_bus_clear(bus);
	ucore_counter_update(ctr, mode);	/* a dead counter is not read again */
	FAKE_EXPECT_NONE(test, bus);
	KUNIT_EXPECT_EQ(test, ctr->total, 55ULL);
}

static void dead_box_in_frozen_read_keeps_last_count(struct kunit *test)
{
	dead_keeps_the_last_count(test, UCORE_FROZEN);
}

static void dead_box_in_running_read_keeps_last_count(struct kunit *test)
{
	dead_keeps_the_last_count(test, UCORE_RUNNING);
}

static void dead_box_in_low_read_keeps_last_count(struct kunit *test)
{
	dead_keeps_the_last_count(test, UCORE_LOW);
}

/*
 * The first read of a sleeping link returns all ones and wakes it: one such read is no proof
 * of death.
 */
static void all_ones_of_sleeping_link_are_read_again(struct kunit *test)
{
	static const enum ucore_read_mode modes[] = { UCORE_FROZEN, UCORE_RUNNING, UCORE_LOW };
	struct ucore_counter *ctr = imc_counter(test);
	struct fake_window *win = fake_window(ctr->box);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		fake_poke(win, 0xa8, 100 + i);
		win->ones_left = 1;
		ucore_counter_update(ctr, modes[i]);
		KUNIT_EXPECT_FALSE(test, ctr->box->dead);
		KUNIT_EXPECT_EQ(test, ctr->flags, 0U);
		KUNIT_EXPECT_EQ(test, ctr->total, 100ULL + i);
	}
}

/* The other counters of the box are flagged without a register access. */
static void dead_counter_marks_its_box_dead(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_box *box = fake_box(test, 0, "imc", 2);
	struct ucore_counter *a = fake_ctx_add(ctx, box, 0, 0, 0);
	struct ucore_counter *b = fake_ctx_add(ctx, box, 1, 0, 0);

	fake_window(box)->dead = true;
	ucore_counter_update(a, UCORE_FROZEN);
	fake_bus_clear(&fake_machine(test)->bus);
	ucore_counter_update(b, UCORE_FROZEN);
	FAKE_EXPECT_NONE(test, &fake_machine(test)->bus);
	KUNIT_EXPECT_EQ(test, b->flags, (u32)UCORE_VALUE_F_DEAD);
}

static void arm_preloads_at_counter_width(struct kunit *test)
{
	struct fake_bus *bus = &fake_machine(test)->bus;
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_box *r2 = fake_box(test, 0, "r2pcie", 0);
	struct ucore_counter *ctr;

	ctr = fake_ctx_add(ctx, imc, 0, 0, 100);
	ucore_counter_arm(ctr);
	FAKE_EXPECT(test, bus, FAKE_W(fake_window(imc), 0xa4, 0),
		    FAKE_W(fake_window(imc), 0xa0, BIT_ULL(48) - 100));
	KUNIT_EXPECT_EQ(test, ctr->prev, BIT_ULL(48) - 100);

	ctr = fake_ctx_add(ctx, r2, 3, 0, 1);
	ucore_counter_arm(ctr);
	FAKE_EXPECT(test, bus, FAKE_W(fake_window(r2), 0xbc, 0),
		    FAKE_W(fake_window(r2), 0xb8, BIT_ULL(44) - 1));

	ctr->period = BIT_ULL(44) - 1;	/* the longest period */
	ucore_counter_arm(ctr);
	FAKE_EXPECT(test, bus, FAKE_W(fake_window(r2), 0xbc, 0), FAKE_W(fake_window(r2), 0xb8, 1));

	ctr->period = 0;
	ucore_counter_arm(ctr);
	FAKE_EXPECT(test, bus, FAKE_W(fake_window(r2), 0xbc, 0), FAKE_W(fake_window(r2), 0xb8, 0));
}

/* The total grows by each period and by the counts beyond the overflow. */
static void total_over_periods_adds_up(struct kunit *test)
{
	struct ucore_counter *ctr = imc_counter(test);
	u64 past, truth = 0;
	u32 i;

	ctr->period = 1000;
	ucore_counter_arm(ctr);
	for (i = 0; i < 50; i++) {
		past = i * 3;
		truth += 1000 + past;
		fake_poke(fake_window(ctr->box), ctr->reg, past);
		ucore_counter_update(ctr, i & 1 ? UCORE_LOW : UCORE_FROZEN);
		ucore_counter_arm(ctr);
		KUNIT_ASSERT_EQ(test, ctr->total, truth);
	}
}

static struct kunit_case update_cases[] = {
	KUNIT_CASE(read_modes_have_expected_accesses),
	KUNIT_CASE(low_half_of_all_ones_is_a_count),
	KUNIT_CASE(dead_box_in_frozen_read_keeps_last_count),
	KUNIT_CASE(dead_box_in_running_read_keeps_last_count),
	KUNIT_CASE(dead_box_in_low_read_keeps_last_count),
	KUNIT_CASE(all_ones_of_sleeping_link_are_read_again),
	KUNIT_CASE(dead_counter_marks_its_box_dead),
	KUNIT_CASE(arm_preloads_at_counter_width),
	KUNIT_CASE(total_over_periods_adds_up),
	{ }
};

static struct kunit_suite update_suite = {
	.name = "ucore_counter_bus",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = update_cases,
};

kunit_test_suites(&arithmetic_suite, &update_suite);
