// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the box driver: the exact register accesses of each operation. */
#include "fake_machine.h"

#define RESET	0x30103
#define RUN	0x30000

static const u64 no_filters[UCORE_MAX_SHARED];

static void ctx_program(struct ucore_domain_ctx *ctx)
{
	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_ctx_program(ctx);
	raw_spin_unlock_irq(&ctx->domain->lock);
}

static void program_imc_writes_reset_sequence(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	ucore_box_program(box, no_filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xf4, RESET), FAKE_W(w, 0xf0, 0),
		    FAKE_W(w, 0xd4, 0), FAKE_W(w, 0xd0, 0), FAKE_R(w, 0xf8));
}

/* Old overflow bits must be cleared, because a set bit raises no further PMI. */
static void program_clears_old_status(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "ha", 0);
	struct fake_window *w = fake_window(box);

	fake_poke(w, 0xf8, 0x5);
	ucore_box_program(box, no_filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0x40), FAKE_R(w, 0x44), FAKE_R(w, 0x48),
		    FAKE_W(w, 0xf4, RESET), FAKE_R(w, 0xf8), FAKE_W(w, 0xf8, 0x5),
		    FAKE_W(w, 0x40, 0), FAKE_W(w, 0x44, 0), FAKE_W(w, 0x48, 0));
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xf8), 0ULL);
}

/* The C-Box has no status register: none is accessed. */
static void program_cbo_saves_and_writes_filters(struct kunit *test)
{
	static const u64 filters[UCORE_MAX_SHARED] = { 0x1f, 0x18200000 };
	struct ucore_box *box = fake_box(test, 0, "cbo", 1);
	struct fake_window *w = fake_window(box);

	ucore_box_program(box, filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0x14), FAKE_R(w, 0x1a),
		    FAKE_W(w, 0x04, RESET), FAKE_W(w, 0x14, 0x1f), FAKE_W(w, 0x1a, 0x18200000));
}

static void program_pcu_saves_and_writes_filter(struct kunit *test)
{
	static const u64 filters[UCORE_MAX_SHARED] = { 0x20100804 };
	struct ucore_box *box = fake_box(test, 0, "pcu", 0);
	struct fake_window *w = fake_window(box);

	ucore_box_program(box, filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0xc34), FAKE_W(w, 0xc24, RESET),
		    FAKE_R(w, 0xc35), FAKE_W(w, 0xc34, 0x20100804));
}

/*
 * The UBox has no box control. Controls are cleared first, so that no counter runs while it
 * is written.
 */
static void program_ubox_clears_each_register(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "ubox", 0);
	struct fake_window *w = fake_window(box);

	ucore_box_program(box, no_filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xc10, 0), FAKE_W(w, 0xc11, 0),
		    FAKE_W(w, 0xc08, 0), FAKE_W(w, 0xc16, 0), FAKE_W(w, 0xc17, 0),
		    FAKE_W(w, 0xc09, 0), FAKE_R(w, 0xc15), FAKE_W(w, 0xc09, BIT_ULL(48) - 1),
		    /* finds out whether the counter has 44 or 48 bits */
		    FAKE_R(w, 0xc09), FAKE_W(w, 0xc09, 0));
	ucore_box_unfreeze(box);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* The match registers of a QPI port are in its second PCI function. */
static void program_qpi_writes_filters_of_second_function(struct kunit *test)
{
	static const u64 filters[UCORE_MAX_SHARED] = { 1, 2, 3, 4 };
	struct ucore_box *box = fake_box(test, 0, "qpi", 0);
	struct fake_window *w = fake_window(box), *aux = box->aux.priv;

	ucore_box_program(box, filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(aux, 0x228), FAKE_R(aux, 0x22c),
		    FAKE_R(aux, 0x238), FAKE_R(aux, 0x23c), FAKE_W(w, 0xf4, RESET),
		    FAKE_R(w, 0xf8), FAKE_W(aux, 0x228, 1), FAKE_W(aux, 0x22c, 2),
		    FAKE_W(aux, 0x238, 3), FAKE_W(aux, 0x23c, 4));
}

static void program_qpi_without_filter_function_works(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "qpi", 0);
	struct fake_window *w = fake_window(box);

	box->aux.ops = NULL;
	ucore_box_program(box, no_filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xf4, RESET), FAKE_R(w, 0xf8));
	ucore_box_restore(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xf4, RESET), FAKE_R(w, 0xf8),
		    FAKE_W(w, 0xf4, RUN));
}

/* A second program must not save the session's own filters as the values to restore. */
static void filters_of_box_started_twice_are_saved_once(struct kunit *test)
{
	static const u64 filters[UCORE_MAX_SHARED] = { 0x11, 0x22 };
	struct ucore_box *box = fake_box(test, 0, "cbo", 0);
	struct fake_window *w = fake_window(box);

	fake_poke(w, 0x14, 0xaa);
	fake_poke(w, 0x1a, 0xbb);
	ucore_box_program(box, filters);
	fake_bus_clear(bus_of(test));
	ucore_box_program(box, filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x04, RESET), FAKE_W(w, 0x14, 0x11),
		    FAKE_W(w, 0x1a, 0x22));
	ucore_box_restore(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x04, RESET), FAKE_W(w, 0x14, 0xaa),
		    FAKE_W(w, 0x1a, 0xbb), FAKE_W(w, 0x04, RUN));
	ucore_box_restore(box);		/* everything is restored already */
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static void restore_of_unused_box_writes_nothing(struct kunit *test)
{
	ucore_box_restore(fake_box(test, 0, "imc", 0));
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static void restore_stops_all_counters(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_box *box = fake_box(test, 0, "imc", 3);
	struct fake_window *w = fake_window(box);
	u32 i;

	for (i = 0; i < 4; i++)
		fake_ctx_add(ctx, box, i, BIT(22) | BIT(20) | 4, 50);
	fake_ctx_add(ctx, box, UCORE_COUNTER_FIXED, BIT(22), 0);
	ctx_program(ctx);
	KUNIT_EXPECT_NE(test, fake_peek(w, 0xd8), 0ULL);
	ucore_box_restore(box);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, fake_peek(w, 0xd8 + 4 * i), 0ULL);
		KUNIT_EXPECT_EQ(test, fake_peek(w, 0xa0 + 8 * i), 0ULL);
	}
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xf0), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xd0), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xf4), (u64)RUN);
}

/* The preload is written before the control, so that the counter does not run unloaded. */
static void counter_with_period_is_preloaded_before_control(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);
	struct ucore_counter *ctr;

	ctr = fake_ctx_add(fake_ctx(test, 0, 0), box, 2, 0x500304, 1000);
	ctr->prev = 77;
	ucore_counter_program(ctr);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xb4, 0),
		    FAKE_W(w, 0xb0, BIT_ULL(48) - 1000), FAKE_W(w, 0xe0, 0x500304));
	KUNIT_EXPECT_EQ(test, ctr->prev, BIT_ULL(48) - 1000);
}

/* Without a period the box reset has already cleared the counter. */
static void counter_without_period_writes_only_control(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "cbo", 0);
	struct ucore_counter *ctr;

	ctr = fake_ctx_add(fake_ctx(test, 0, 0), box, 3, 0x400000, 0);
	ctr->prev = 77;
	ucore_counter_program(ctr);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(fake_window(box), 0x13, 0x400000));
	KUNIT_EXPECT_EQ(test, ctr->prev, 0ULL);
}

/* Stop a box and those of its counters that the context uses. */
static void counters_stop(struct ucore_domain_ctx *ctx, struct ucore_box *box)
{
	u32 i;

	ucore_box_stop(box);
	for (i = 0; i < ctx->nr_ctr; i++)
		if (ctx->ctr[i].box == box)
			ucore_counter_stop(&ctx->ctr[i]);
}

static void unfreeze_and_stop_write_box_control(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	ucore_box_unfreeze(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xf4, RUN));
	ucore_box_stop(box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xf4, RESET));
}

/* A single write resets the general-purpose controls. The fixed control needs its own write. */
static void stop_imc_leaves_nothing_armed(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 1), UCORE_COUNTER_FIXED, 0x400000, 0);
	fake_ctx_add(ctx, box, 0, 0x500304, 9);
	fake_ctx_add(ctx, box, UCORE_COUNTER_FIXED, 0x400000, 0);
	ctx_program(ctx);
	fake_bus_clear(bus_of(test));
	counters_stop(ctx, box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xf4, RESET), FAKE_W(w, 0xf0, 0));
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xd8), 0ULL);
}

/* Without a box control, the control of each used counter is cleared, and no other one. */
static void stop_ubox_clears_each_used_control(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_box *box = fake_box(test, 0, "ubox", 0);
	struct fake_window *w = fake_window(box);

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 1, 0);
	fake_ctx_add(ctx, box, 1, 1, 0);
	fake_ctx_add(ctx, box, UCORE_COUNTER_FIXED, 1, 0);
	counters_stop(ctx, box);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xc11, 0), FAKE_W(w, 0xc08, 0));
}

static void status_bits_are_cleared_by_writing_ones(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 1);
	struct fake_window *w = fake_window(box);

	fake_poke(w, 0xf8, 0x1f);
	KUNIT_EXPECT_EQ(test, ucore_box_status(box), 0x1fULL);
	ucore_box_clear_status(box, 0x06);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0xf8), FAKE_W(w, 0xf8, 0x06));
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xf8), 0x19ULL);
	ucore_box_clear_status(box, 0);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static void status_of_box_without_register_is_zero(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ucore_box_status(fake_box(test, 0, "cbo", 0)), 0ULL);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static void status_of_dead_box_is_zero(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 1);

	fake_window(box)->dead = true;
	KUNIT_EXPECT_EQ(test, ucore_box_status(box), 0ULL);
	KUNIT_EXPECT_TRUE(test, box->dead);
	fake_bus_clear(bus_of(test));
	KUNIT_EXPECT_EQ(test, ucore_box_status(box), 0ULL);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static void status_of_sleeping_link_is_read_twice(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "qpi", 1);
	struct fake_window *w = fake_window(box);

	fake_poke(w, 0xf8, 0x2);
	w->ones_left = 1;
	KUNIT_EXPECT_EQ(test, ucore_box_status(box), 0x2ULL);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0xf8), FAKE_R(w, 0xf8));
	KUNIT_EXPECT_FALSE(test, box->dead);
}

/* A dead box is not accessed, except that restore checks whether it answers again. */
static void dead_box_is_not_written(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_box *ubox = fake_box(test, 0, "ubox", 0), *imc = fake_box(test, 0, "imc", 0);

	fake_ctx_add(ctx, ubox, 0, 1, 0);
	fake_ctx_add(ctx, imc, 0, 1, 0);
	ctx_program(ctx);
	ubox->dead = true;
	imc->dead = true;
	fake_window(ubox)->dead = true;
	fake_window(imc)->dead = true;
	fake_bus_clear(bus_of(test));
	counters_stop(ctx, ubox);
	counters_stop(ctx, imc);
	ctx_program(ctx);
	FAKE_EXPECT_NONE(test, bus_of(test));
	ucore_box_restore(ubox);
	ucore_box_restore(imc);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(fake_window(ubox), 0xc16),
		    FAKE_R(fake_window(imc), 0xa4), FAKE_R(fake_window(imc), 0xa0),
		    FAKE_R(fake_window(imc), 0xa4));
	KUNIT_EXPECT_TRUE(test, ubox->dirty && ubox->dead);
	KUNIT_EXPECT_TRUE(test, imc->dirty && imc->dead);
}

/* A recovered box still has its old controls. Restore makes up for the missed reset. */
static void recovered_box_is_reset(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(imc);

	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	ctx_program(ctx);
	imc->dead = true;
	w->dead = true;
	counters_stop(ctx, imc);
	ucore_box_restore(imc);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xd8), 0x500304ULL);
	w->dead = false;
	fake_poke(w, 0xf8, BIT(1));
	fake_bus_clear(bus_of(test));
	ucore_box_restore(imc);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0xa4), FAKE_R(w, 0xa0), FAKE_R(w, 0xa4),
		    FAKE_W(w, 0xf4, RESET), FAKE_W(w, 0xf0, 0), FAKE_W(w, 0xd4, 0),
		    FAKE_W(w, 0xd0, 0), FAKE_R(w, 0xf8), FAKE_W(w, 0xf8, BIT(1)),
		    FAKE_W(w, 0xf4, RUN));
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xd8), 0ULL);
	KUNIT_EXPECT_FALSE(test, imc->dead);
	KUNIT_EXPECT_FALSE(test, imc->dirty);
}

static void box_dying_while_programmed_stops_the_sequence(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(imc);

	fake_ctx_add(ctx, imc, 0, 1, 0);
	w->dead = true;
	ctx_program(ctx);
	KUNIT_EXPECT_TRUE(test, imc->dead);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xf4, RESET), FAKE_W(w, 0xf0, 0),
		    FAKE_W(w, 0xd4, 0), FAKE_W(w, 0xd0, 0), FAKE_R(w, 0xf8), FAKE_R(w, 0xf8));
}

static void all_boxes_are_programmed_before_unfreeze(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_box *r2 = fake_box(test, 0, "r2pcie", 0), *irp = fake_box(test, 0, "irp", 0);
	struct fake_window *a = fake_window(r2), *b = fake_window(irp);

	fake_ctx_add(ctx, r2, 1, 0x400024, 0);
	fake_ctx_add(ctx, irp, 3, 0x400001, 0);
	ctx_program(ctx);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(a, 0xf4, RESET), FAKE_R(a, 0xf8),
		    FAKE_W(b, 0xf4, RESET), FAKE_R(b, 0xf8), FAKE_W(b, 0xa4, 0),
		    FAKE_W(b, 0xa0, BIT_ULL(48) - 1), FAKE_R(b, 0xa0), FAKE_R(b, 0xa4),
		    FAKE_W(b, 0xa4, 0), FAKE_W(b, 0xa0, 0), FAKE_W(a, 0xdc, 0x400024),
		    FAKE_W(b, 0xe4, 0x400001), FAKE_W(a, 0xf4, RUN), FAKE_W(b, 0xf4, RUN));
}

static bool overflowed(struct kunit *test, const char *type, u32 counter, u64 status,
		       u64 global)
{
	struct ucore_counter ctr = { .box = fake_box(test, 0, type, 0), .index = counter };

	return ucore_counter_has_overflowed(&ctr, status, global);
}

/* Box status bits of 329468-002 */
static void status_bits_belong_to_their_counters(struct kunit *test)
{
	u32 i, bit;

	for (i = 0; i < 4; i++) {
		for (bit = 0; bit < 6; bit++) {
			KUNIT_EXPECT_EQ(test, overflowed(test, "imc", i, BIT(bit), 0),
					bit == i + 1);
			KUNIT_EXPECT_EQ(test, overflowed(test, "ha", i, BIT(bit), 0), bit == i);
			KUNIT_EXPECT_EQ(test, overflowed(test, "pcu", i, BIT(bit), 0), bit == i);
			KUNIT_EXPECT_EQ(test, overflowed(test, "qpi", i, BIT(bit), 0), bit == i);
		}
	}
	for (bit = 0; bit < 6; bit++)
		KUNIT_EXPECT_EQ(test, overflowed(test, "imc", UCORE_COUNTER_FIXED, BIT(bit), 0),
				bit == 0);
	KUNIT_EXPECT_TRUE(test, overflowed(test, "ubox", 1, BIT(1), 0));
	/* an overflow of the UBox's fixed counter is reported in the global status only */
	KUNIT_EXPECT_TRUE(test, overflowed(test, "ubox", UCORE_COUNTER_FIXED, 0, BIT(0)));
	KUNIT_EXPECT_FALSE(test, overflowed(test, "ubox", UCORE_COUNTER_FIXED, ~0ULL, BIT(1)));
	KUNIT_EXPECT_FALSE(test, overflowed(test, "ubox", 0, 0, ~0ULL));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(program_imc_writes_reset_sequence),
	KUNIT_CASE(program_clears_old_status),
	KUNIT_CASE(program_cbo_saves_and_writes_filters),
	KUNIT_CASE(program_pcu_saves_and_writes_filter),
	KUNIT_CASE(program_ubox_clears_each_register),
	KUNIT_CASE(program_qpi_writes_filters_of_second_function),
	KUNIT_CASE(program_qpi_without_filter_function_works),
	KUNIT_CASE(filters_of_box_started_twice_are_saved_once),
	KUNIT_CASE(restore_of_unused_box_writes_nothing),
	KUNIT_CASE(restore_stops_all_counters),
	KUNIT_CASE(counter_with_period_is_preloaded_before_control),
	KUNIT_CASE(counter_without_period_writes_only_control),
	KUNIT_CASE(unfreeze_and_stop_write_box_control),
	KUNIT_CASE(stop_imc_leaves_nothing_armed),
	KUNIT_CASE(stop_ubox_clears_each_used_control),
	KUNIT_CASE(status_bits_are_cleared_by_writing_ones),
	KUNIT_CASE(status_of_box_without_register_is_zero),
	KUNIT_CASE(status_of_dead_box_is_zero),
	KUNIT_CASE(status_of_sleeping_link_is_read_twice),
	KUNIT_CASE(dead_box_is_not_written),
	KUNIT_CASE(recovered_box_is_reset),
	KUNIT_CASE(box_dying_while_programmed_stops_the_sequence),
	KUNIT_CASE(all_boxes_are_programmed_before_unfreeze),
	KUNIT_CASE(status_bits_belong_to_their_counters),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_box",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
