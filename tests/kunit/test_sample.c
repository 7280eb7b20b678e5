// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a trigger to a record: every register access of a sample, at the limit
 * that the design gives, and what the record says.
 */
#include "fake_machine.h"
#include "sample/bulk_read.h"

#define IMC0	BIT_ULL(20)	/* global status bits */
#define IMC1	BIT_ULL(21)
#define PCU	BIT_ULL(2)

/* Put a part at work on its domain, from @now on. */
static void ctx_run(struct kunit *test, struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_domain *domain = ctx->domain;

	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, now);
	ucore_ctx_program(ctx);
	fake_ctx_list(ctx);
	ucore_unfreeze_domain(domain, true);
	ucore_ctx_start_times(ctx, now);
	raw_spin_unlock_irq(&domain->lock);
	fake_bus_clear(bus_of(test));
}

static void timer_sample(struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_interval iv;

	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_interval_begin(&iv, ctx->domain, now);
	ucore_sample_timer_due(&iv, ctx);
	ucore_interval_end(&iv);
	raw_spin_unlock_irq(&ctx->domain->lock);
}

static void overflow_sample(struct ucore_domain *domain, u64 now, bool recovered)
{
	struct ucore_interval iv;

	raw_spin_lock_irq(&domain->lock);
	ucore_interval_begin_overflow(&iv, domain, now, recovered);
	ucore_interval_end(&iv);
	raw_spin_unlock_irq(&domain->lock);
}

static u64 now_ns(void)
{
	return ktime_get_mono_fast_ns();
}

static void halt_ctx(struct ucore_domain_ctx *ctx)
{
	struct ucore_interval iv;

	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_interval_begin(&iv, ctx->domain, now_ns());
	ucore_interval_halt(&iv, ctx);
	ucore_interval_end(&iv);
	raw_spin_unlock_irq(&ctx->domain->lock);
}

static void reset_ctx(struct ucore_domain_ctx *ctx)
{
	struct ucore_interval iv;

	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_interval_begin(&iv, ctx->domain, now_ns());
	ucore_interval_reset(&iv, ctx);
	ucore_interval_end(&iv);
	raw_spin_unlock_irq(&ctx->domain->lock);
}

static const struct ucore_sample *sample_next(struct kunit *test, struct ucore_domain_ctx *ctx)
{
	const struct ucore_sample *sample = fake_record(ctx->ring);

	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_ASSERT_EQ(test, sample->hdr.type, (u32)UCORE_RECORD_SAMPLE);
	KUNIT_ASSERT_EQ(test, sample->hdr.size,
			(u32)(sizeof(*sample) + ctx->nr_ctr * sizeof(struct ucore_value)));
	KUNIT_ASSERT_EQ(test, sample->nr_values, ctx->nr_ctr);
	return sample;
}

/* ---- accesses ---- */

/* One freeze, each counter once, box by box, one unfreeze. */
static void timer_sample_at_the_limit(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *cbo = fake_box(test, 0, "cbo", 1);
	struct fake_window *gw = fake_global(0), *i = fake_window(imc), *c = fake_window(cbo);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);

	fake_ctx_add(ctx, imc, 0, 0x400304, 0);
	fake_ctx_add(ctx, cbo, 2, 0x400000, 0);
	fake_ctx_add(ctx, imc, UCORE_COUNTER_FIXED, 0x400000, 0);
	ctx_run(test, ctx, now_ns());
	timer_sample(ctx, now_ns());
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(i, 0xa0),
		    FAKE_R(i, 0xa4), FAKE_R(i, 0xd0), FAKE_R(i, 0xd4), FAKE_R(c, 0x18),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_EQ(test, ctx->stats.reads, 5ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.writes, 2ULL);
}

/* One counter of every box of a domain. */
static void timer_sample_of_a_whole_domain(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 65536);
	u32 i, reads = 0, used = 0;
	struct ucore_box *box;

	for (i = 0; i < ucore_catalog.nr_boxes && used < FAKE_PART_BOXES; i += 3, used++) {
		box = &ucore_catalog.boxes[i];
		fake_ctx_add(ctx, box, 0, box->desc.type->ctl_en, 0);
		reads += box->io.ops->counter_cost;
	}
	ctx_run(test, ctx, now_ns());
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), NULL, 'R'), reads);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), NULL, 'W'), 2U);
	KUNIT_EXPECT_EQ(test, ctx->stats.reads, (u64)reads);
}

/* The walk, the reads, box cleared before global, preload, unfreeze last. */
static void overflow_sample_at_the_limit(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 1), *cbo = fake_box(test, 0, "cbo", 0);
	struct fake_window *gw = fake_global(0), *i = fake_window(imc), *c = fake_window(cbo);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);

	fake_ctx_add(ctx, imc, 1, 0x500304, 1000);
	fake_ctx_add(ctx, cbo, 0, 0x400000, 0);
	ctx_run(test, ctx, now_ns());
	fake_overflow(imc, 0xa8, 3, BIT(2), IMC0);
	overflow_sample(ctx->domain, now_ns(), false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(gw, GLOBAL_STATUS), FAKE_R(i, 0xf8),
		    FAKE_R(i, 0xa8), FAKE_R(i, 0xac), FAKE_R(c, 0x16),
		    FAKE_W(i, 0xf8, BIT(2)), FAKE_W(gw, GLOBAL_STATUS, IMC0),
		    FAKE_W(i, 0xac, 0), FAKE_W(i, 0xa8, BIT_ULL(48) - 1000),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_STATUS), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(i, 0xf8), 0ULL);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 1003ULL);
}

/* Every part's boxes are cleared before the one global clear. */
static void two_sessions_overflow_at_once(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *pcu = fake_box(test, 0, "pcu", 0);
	struct fake_window *gw = fake_global(0), *i = fake_window(imc), *p = fake_window(pcu);
	struct ucore_domain_ctx *a = fake_ctx(test, 0, 4096), *b = fake_ctx(test, 0, 4096);

	fake_ctx_add(a, imc, 0, 0x500304, 100);
	fake_ctx_add(b, pcu, 0, 0x500000, 200);
	ctx_run(test, a, now_ns());
	ctx_run(test, b, now_ns());
	fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
	fake_overflow(pcu, 0xc36, 7, BIT(0), PCU);
	overflow_sample(a->domain, now_ns(), false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(gw, GLOBAL_STATUS), FAKE_R(i, 0xf8), FAKE_R(p, 0xc35),
		    FAKE_R(i, 0xa0), FAKE_R(i, 0xa4), FAKE_W(i, 0xf8, BIT(1)),
		    FAKE_R(p, 0xc36), FAKE_W(p, 0xc35, BIT(0)),
		    FAKE_W(gw, GLOBAL_STATUS, IMC0 | PCU), FAKE_W(i, 0xa4, 0),
		    FAKE_W(i, 0xa0, BIT_ULL(48) - 100), FAKE_W(p, 0xc36, BIT_ULL(48) - 200),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_EQ(test, sample_next(test, a)->values[0].count, 100ULL);
	KUNIT_EXPECT_EQ(test, sample_next(test, b)->values[0].count, 207ULL);
}

/* The other session pauses, and is neither read nor recorded. */
static void only_who_overflowed_is_read(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *ha = fake_box(test, 0, "ha", 0);
	struct ucore_domain_ctx *a = fake_ctx(test, 0, 4096), *b = fake_ctx(test, 0, 4096);

	fake_ctx_add(a, imc, 0, 0x500304, 100);
	fake_ctx_add(b, ha, 0, 0x500000, 200);
	ctx_run(test, a, now_ns());
	ctx_run(test, b, now_ns());
	fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
	overflow_sample(a->domain, now_ns(), false);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(ha), 0), 0U);
	sample_next(test, a);
	KUNIT_EXPECT_NULL(test, fake_record(b->ring));
	KUNIT_EXPECT_EQ(test, b->stats.samples, 0ULL);
	KUNIT_EXPECT_EQ(test, b->stats.reads, 0ULL);
}

/* One bit for four channels: each armed one under it is looked at, no other. */
static void global_bit_covers_several_functions(struct kunit *test)
{
	struct ucore_box *ch[5];
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	u32 i;

	for (i = 0; i < 5; i++) {
		ch[i] = fake_box(test, 0, "imc", i);	/* the fifth is iMC1's */
		fake_ctx_add(ctx, ch[i], 0, 0x500304, i == 1 ? 0 : 100);
	}
	ctx_run(test, ctx, now_ns());
	fake_overflow(ch[3], 0xa0, 0, BIT(1), IMC0);
	overflow_sample(ctx->domain, now_ns(), false);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(ch[0]), 'R'), 3U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(ch[1]), 'R'), 2U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(ch[2]), 'R'), 3U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(ch[3]), 'R'), 3U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(ch[4]), 'R'), 2U);
	KUNIT_EXPECT_EQ(test, sample_next(test, ctx)->trigger_event, 103U);
}

/* A bit that no armed box owns: the map is wrong somewhere, so all are asked. */
static void unknown_bit_asks_all_armed_boxes(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *pcu = fake_box(test, 0, "pcu", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct fake_window *gw = fake_global(0);

	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	fake_ctx_add(ctx, pcu, 0, 0x500000, 100);
	ctx_run(test, ctx, now_ns());
	fake_overflow(imc, 0xa0, 0, BIT(1), BIT_ULL(30));
	overflow_sample(ctx->domain, now_ns(), false);
	KUNIT_EXPECT_EQ(test, sample_next(test, ctx)->trigger_event, 100U);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_STATUS), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(imc), 0xf8), 0ULL);
	KUNIT_EXPECT_FALSE(test, gw->frozen);

	/* known bits do not ask the others */
	fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
	fake_bus_clear(bus_of(test));
	overflow_sample(ctx->domain, now_ns(), false);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(pcu), 'R'), 1U);
}

/* Only what overflowed is loaded anew: the others' periods go on. */
static void rearms_what_overflowed(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct fake_window *w = fake_window(imc);

	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	fake_ctx_add(ctx, imc, 1, 0x500304, 100);
	ctx_run(test, ctx, now_ns());
	fake_poke(w, 0xa0, BIT_ULL(48) - 60);
	fake_overflow(imc, 0xa8, 2, BIT(2), IMC0);
	overflow_sample(ctx->domain, now_ns(), false);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xa0), BIT_ULL(48) - 60);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xa8), BIT_ULL(48) - 100);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 40ULL);
	KUNIT_EXPECT_EQ(test, ctx->ctr[1].total, 102ULL);
}

/* The UBox's fixed counter: the global status alone tells. */
static void ubox_fixed_counter_overflows(struct kunit *test)
{
	struct ucore_box *ubox = fake_box(test, 0, "ubox", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	const struct ucore_sample *sample;

	fake_ctx_add(ctx, ubox, UCORE_COUNTER_FIXED, 0x500000, 100000);
	ctx_run(test, ctx, now_ns());
	fake_overflow(ubox, 0xc09, 4, 0, BIT(0));
	overflow_sample(ctx->domain, now_ns(), false);
	sample = sample_next(test, ctx);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, 100U);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 100004ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(ubox), 0xc09), BIT_ULL(48) - 100000);
}

/* A timer that finds an overflow waiting services it along the way. */
static void timer_meets_a_waiting_overflow(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	const struct ucore_sample *sample;
	struct fake_window *gw = fake_global(0);

	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	ctx_run(test, ctx, now_ns());
	fake_overflow(imc, 0xa0, 1, BIT(1), IMC0);
	timer_sample(ctx, now_ns());
	sample = sample_next(test, ctx);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, 100U);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));	/* one sample, not two */
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_STATUS), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(imc), 0xa0), BIT_ULL(48) - 100);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
}

/* The status is clear: the interrupt came late, or was nobody's. */
static void overflow_without_a_status(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct fake_window *gw = fake_global(0);

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 0x500304, 100);
	ctx_run(test, ctx, now_ns());
	overflow_sample(ctx->domain, now_ns(), false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(gw, GLOBAL_STATUS), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_FALSE(test, ctx->domain->frozen);
}

/* Halted by the very interval that services its overflow, a counter stays at rest. */
static void halted_ctx_is_not_rearmed(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct fake_window *w = fake_window(imc);

	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	ctx_run(test, ctx, now_ns());
	fake_overflow(imc, 0xa0, 5, BIT(1), IMC0);
	halt_ctx(ctx);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 105ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xd8), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xa0), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xf8), 0ULL);
	KUNIT_EXPECT_EQ(test, sample_next(test, ctx)->values[0].count, 105ULL);
}

/* ---- what a record says ---- */

/* The unfreeze's write lets it overflow; the clock is read for the unfreeze only after the NMI. */
static void overflow_before_the_unfreeze_has_its_time(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	const struct ucore_sample *sample;
	u64 at, enabled, running;

	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	ctx_run(test, ctx, now_ns());
	at = now_ns();
	timer_sample(ctx, at);
	sample = sample_next(test, ctx);
	enabled = sample->time_enabled;
	running = sample->time_running;
	fake_overflow(imc, 0xa0, 5, BIT(1), IMC0);
	overflow_sample(ctx->domain, at + 1, false);
	sample = sample_next(test, ctx);
	KUNIT_EXPECT_GT(test, sample->time, at + 1);
	KUNIT_EXPECT_GT(test, sample->time_enabled, enabled);
	KUNIT_EXPECT_EQ(test, sample->time_running, running);
	KUNIT_EXPECT_EQ(test, ctx->domain->frozen_ns, ctx->stats.frozen_ns + ctx->frozen_base);
}

static void record_of_a_timer(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	const struct ucore_sample *sample;
	u64 begin = now_ns(), at;

	fake_ctx_add(ctx, imc, 0, 0x400304, 0);
	fake_ctx_add(ctx, imc, 3, 0x400304, 0);
	ctx_run(test, ctx, begin);
	fake_poke(fake_window(imc), 0xa0, 11);
	fake_poke(fake_window(imc), 0xb8, 22);
	at = now_ns();
	timer_sample(ctx, at);
	sample = sample_next(test, ctx);
	KUNIT_EXPECT_EQ(test, sample->hdr.seq, 0ULL);
	KUNIT_EXPECT_EQ(test, sample->time, at);
	KUNIT_EXPECT_EQ(test, sample->time_enabled, at - begin);
	KUNIT_EXPECT_LE(test, sample->time_running, sample->time_enabled);
	KUNIT_EXPECT_LE(test, sample->frozen_ns, now_ns() - at);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_TIMER);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, UCORE_EVENT_NONE);
	KUNIT_EXPECT_EQ(test, sample->flags, 0U);
	KUNIT_EXPECT_EQ(test, sample->domain, 0U);
	KUNIT_EXPECT_EQ(test, sample->ip, 0ULL);
	KUNIT_EXPECT_EQ(test, sample->values[0].event, 100U);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 11ULL);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, 0U);
	KUNIT_EXPECT_EQ(test, sample->values[1].event, 101U);
	KUNIT_EXPECT_EQ(test, sample->values[1].count, 22ULL);

	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, sample_next(test, ctx)->hdr.seq, 1ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 2ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.overflows, 0ULL);
}

static void record_of_an_overflow(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	const struct ucore_sample *sample;

	fake_ctx_add(ctx, imc, 0, 0x400304, 0);
	fake_ctx_add(ctx, imc, 1, 0x500304, 10);
	fake_ctx_add(ctx, imc, 2, 0x500304, 10);
	ctx_run(test, ctx, now_ns());
	fake_overflow(imc, 0xb0, 0, BIT(3), IMC0);
	fake_overflow(imc, 0xa8, 1, BIT(2), IMC0);
	overflow_sample(ctx->domain, now_ns(), false);
	sample = sample_next(test, ctx);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, 101U);	/* the lowest */
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, 0U);
	KUNIT_EXPECT_EQ(test, sample->values[1].flags, (u32)UCORE_VALUE_F_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->values[2].flags, (u32)UCORE_VALUE_F_OVERFLOW);
	KUNIT_EXPECT_EQ(test, ctx->stats.overflows, 2ULL);

	timer_sample(ctx, now_ns());		/* the flags were for one interval */
	sample = sample_next(test, ctx);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_TIMER);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, UCORE_EVENT_NONE);
	KUNIT_EXPECT_EQ(test, sample->values[1].flags, 0U);
}

static void record_of_a_recovered_overflow(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);

	fake_ctx_add(ctx, imc, 0, 0x500304, 10);
	ctx_run(test, ctx, now_ns());
	fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
	overflow_sample(ctx->domain, now_ns(), true);
	KUNIT_EXPECT_EQ(test, sample_next(test, ctx)->flags, (u32)UCORE_SAMPLE_F_RECOVERED);
	KUNIT_EXPECT_EQ(test, ctx->stats.recovered, 1ULL);
	KUNIT_EXPECT_EQ(test, ctx->domain->recovered, 1ULL);
	KUNIT_EXPECT_EQ(test, ctx->domain->pmis, 0ULL);
	fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
	overflow_sample(ctx->domain, now_ns(), false);
	KUNIT_EXPECT_EQ(test, sample_next(test, ctx)->flags, 0U);
}

/* What was interrupted is for those who may see it. */
static void record_with_context(struct kunit *test)
{
	static const struct ucore_pmi_regs context = {
		.ip = 0x1234, .pid = 10, .tid = 11, .cpu = 7, .user = true,
	};
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	const struct ucore_sample *sample;
	struct ucore_interval iv;
	u32 allowed;

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 0x400304, 0);
	ctx_run(test, ctx, now_ns());
	for (allowed = 0; allowed < 2; allowed++) {
		fake_machine(test)->sink.context = allowed;
		raw_spin_lock_irq(&ctx->domain->lock);
		ucore_interval_begin(&iv, ctx->domain, now_ns());
		ucore_interval_set_context(&iv, &context);
		ucore_sample_timer_due(&iv, ctx);
		ucore_interval_end(&iv);
		raw_spin_unlock_irq(&ctx->domain->lock);
		sample = sample_next(test, ctx);
		KUNIT_EXPECT_EQ(test, sample->cpu, 7U);
		KUNIT_EXPECT_EQ(test, sample->ip, allowed ? 0x1234ULL : 0ULL);
		KUNIT_EXPECT_EQ(test, sample->pid, allowed ? 10U : 0U);
		KUNIT_EXPECT_EQ(test, sample->tid, allowed ? 11U : 0U);
		KUNIT_EXPECT_EQ(test, sample->flags,
				(u32)(allowed ? UCORE_SAMPLE_F_CONTEXT | UCORE_SAMPLE_F_USER : 0));
	}
}

/* ---- dead boxes ---- */

static void box_domains_between_samples(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *ha = fake_box(test, 0, "ha", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	const struct ucore_sample *sample;
	const struct ucore_gap *gap;

	fake_ctx_add(ctx, imc, 0, 0x400304, 0);
	fake_ctx_add(ctx, ha, 0, 0x400000, 0);
	ctx_run(test, ctx, now_ns());
	fake_poke(fake_window(imc), 0xa0, 40);
	timer_sample(ctx, now_ns());
	sample_next(test, ctx);

	fake_window(imc)->dead = true;
	fake_poke(fake_window(ha), 0xa0, 9);
	timer_sample(ctx, now_ns());
	gap = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, gap);
	KUNIT_ASSERT_EQ(test, gap->hdr.type, (u32)UCORE_RECORD_GAP);
	KUNIT_EXPECT_EQ(test, gap->reason, (u32)UCORE_GAP_BOX_DEAD);
	KUNIT_EXPECT_EQ(test, gap->box, imc->id);
	sample = sample_next(test, ctx);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 40ULL);
	KUNIT_EXPECT_EQ(test, sample->values[1].flags, 0U);
	KUNIT_EXPECT_EQ(test, sample->values[1].count, 9ULL);

	fake_bus_clear(bus_of(test));
	timer_sample(ctx, now_ns());		/* told once, and left alone */
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(imc), 0), 0U);
	sample = sample_next(test, ctx);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
}

static void box_is_dead_when_its_overflow_is_walked(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct fake_window *gw = fake_global(0), *w = fake_window(imc);

	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	ctx_run(test, ctx, now_ns());
	fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
	w->dead = true;
	overflow_sample(ctx->domain, now_ns(), false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(gw, GLOBAL_STATUS), FAKE_R(w, 0xf8), FAKE_R(w, 0xf8),
		    FAKE_W(gw, GLOBAL_STATUS, IMC0), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_FALSE(test, ctx->domain->frozen);
}

/* Its status was read, then it went: neither status nor preload is written. */
static void box_domains_within_a_sample(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct fake_window *w = fake_window(imc);

	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	ctx_run(test, ctx, now_ns());
	fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
	w->domains_after = 1;
	overflow_sample(ctx->domain, now_ns(), false);
	KUNIT_EXPECT_TRUE(test, imc->dead);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w, 'W'), 0U);
	KUNIT_EXPECT_FALSE(test, ctx->domain->frozen);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
}

/* ---- low halves ---- */

/* A counter whose low half is enough for so long; its part is ready to run. */
static struct ucore_counter *add_low(struct ucore_domain_ctx *ctx, struct ucore_box *box, u32 counter,
				     u64 low_ns)
{
	struct ucore_counter *ctr = fake_ctx_add(ctx, box, counter, 0x400304, 0);

	ctr->low_ns = low_ns;
	ucore_bulk_read_sort(ctx);
	return ctr;
}

static u32 reads_of(struct kunit *test, const struct ucore_box *box)
{
	return fake_bus_count(bus_of(test), fake_window(box), 'R');
}

/* One in 256 is whole, and the first. */
static void low_halves_while_that_is_exact(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *cbo = fake_box(test, 0, "cbo", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 65536);
	u64 truth = 0xfffff000;		/* its low half wraps soon */
	u32 i;

	add_low(ctx, imc, 0, NSEC_PER_SEC);
	fake_ctx_add(ctx, cbo, 0, 0x400000, 0);	/* one access anyway: always whole */
	ctx_run(test, ctx, now_ns());
	for (i = 0; i < 600; i++) {
		truth += 100;
		fake_poke(fake_window(imc), 0xa0, truth & (BIT_ULL(48) - 1));
		fake_bus_clear(bus_of(test));
		timer_sample(ctx, now_ns());
		KUNIT_ASSERT_EQ(test, reads_of(test, imc), i % 256 ? 1U : 2U);
		KUNIT_ASSERT_EQ(test, reads_of(test, cbo), 1U);
		KUNIT_ASSERT_EQ(test, ctx->ctr[0].total, truth);
		KUNIT_ASSERT_EQ(test, ctx->stats.reads, 2ULL * (i + 1) + i / 256 + 1);
		fake_record(ctx->ring);
	}
}

static void whole_reads_after_a_pause(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);

	add_low(ctx, imc, 0, 60 * NSEC_PER_SEC);
	ctx_run(test, ctx, now_ns());
	timer_sample(ctx, now_ns());
	fake_bus_clear(bus_of(test));
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, reads_of(test, imc), 1U);
	fake_clock_advance(60 * NSEC_PER_SEC);
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, reads_of(test, imc), 3U);
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, reads_of(test, imc), 4U);
}

/* Those that are read alike are a run, whatever box they are of. */
static void each_counter_is_whole_in_its_time(struct kunit *test)
{
	struct ucore_box *a = fake_box(test, 0, "imc", 0), *b = fake_box(test, 0, "imc", 1);
	struct ucore_box *ha = fake_box(test, 0, "ha", 0), *qpi = fake_box(test, 0, "qpi", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);

	add_low(ctx, a, 0, 60 * NSEC_PER_SEC);
	add_low(ctx, b, 0, 60 * NSEC_PER_SEC);
	add_low(ctx, ha, 0, NSEC_PER_SEC);
	add_low(ctx, ha, 1, 60 * NSEC_PER_SEC);
	add_low(ctx, qpi, 0, 0);
	KUNIT_EXPECT_EQ(test, ctx->order[0]->run_end, 3U);
	KUNIT_EXPECT_PTR_EQ(test, ctx->order[2], &ctx->ctr[3]);
	KUNIT_EXPECT_EQ(test, ctx->order[3]->run_end, 4U);
	KUNIT_EXPECT_EQ(test, ctx->order[4]->run_end, 5U);
	ctx_run(test, ctx, now_ns());
	timer_sample(ctx, now_ns());
	fake_bus_clear(bus_of(test));
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, reads_of(test, a) + reads_of(test, b), 2U);
	KUNIT_EXPECT_EQ(test, reads_of(test, ha), 2U);
	KUNIT_EXPECT_EQ(test, reads_of(test, qpi), 2U);
	fake_clock_advance(2 * NSEC_PER_SEC);
	fake_bus_clear(bus_of(test));
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, reads_of(test, a) + reads_of(test, b), 2U);
	KUNIT_EXPECT_EQ(test, reads_of(test, ha), 3U);
	KUNIT_EXPECT_EQ(test, reads_of(test, qpi), 2U);
	KUNIT_EXPECT_EQ(test, ctx->stats.reads, 10ULL + 6 + 7);
}

/* All ones in the low half: a count, or a box that is gone. */
static void ones_in_a_low_half_are_looked_at(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct fake_window *w = fake_window(imc);

	add_low(ctx, imc, 0, 60 * NSEC_PER_SEC);
	add_low(ctx, imc, 1, 60 * NSEC_PER_SEC);
	ctx_run(test, ctx, now_ns());
	timer_sample(ctx, now_ns());
	fake_poke(w, 0xa0, U32_MAX);
	fake_poke(w, 0xa8, 7);
	fake_bus_clear(bus_of(test));
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, (u64)U32_MAX);
	KUNIT_EXPECT_EQ(test, ctx->ctr[1].total, 7ULL);
	KUNIT_EXPECT_EQ(test, reads_of(test, imc), 6U);		/* low, then whole */
	KUNIT_EXPECT_NE(test, ctx->ctr[1].low_ns, 0ULL);
	KUNIT_EXPECT_FALSE(test, imc->dead);
	w->dead = true;
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_TRUE(test, imc->dead);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, (u64)U32_MAX);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[0].flags & UCORE_VALUE_F_DEAD);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[1].flags & UCORE_VALUE_F_DEAD);
}

/* What counts on is one dword, too, and cannot tear. */
static void what_no_freeze_reaches_is_low_too(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);

	add_low(ctx, imc, 0, NSEC_PER_SEC)->flags = UCORE_VALUE_F_UNFROZEN;
	ucore_bulk_read_sort(ctx);
	ctx_run(test, ctx, now_ns());
	fake_poke(fake_window(imc), 0xa0, 0xfffffff0);
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, reads_of(test, imc), 3U);
	fake_poke(fake_window(imc), 0xa0, 0x100000005ULL);
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, reads_of(test, imc), 4U);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 0x100000005ULL);
}

/* Whoever finds that a box is dead: samples take nothing of it any more. */
static void samples_know_who_died_in_between(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *cbo = fake_box(test, 0, "cbo", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct fake_window *w = fake_window(imc);

	add_low(ctx, imc, 0, 60 * NSEC_PER_SEC);
	fake_ctx_add(ctx, cbo, 0, 0x400000, 0);
	ctx_run(test, ctx, now_ns());
	fake_poke(w, 0xa0, 1000);
	timer_sample(ctx, now_ns());
	w->dead = true;
	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_ctx_read_running(ctx, now_ns());	/* as the guard does */
	raw_spin_unlock_irq(&ctx->domain->lock);
	KUNIT_EXPECT_TRUE(test, imc->dead);
	w->dead = false;
	fake_poke(w, 0xa0, 7);
	fake_poke(fake_window(cbo), 0x16, 5);
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 1000ULL);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[0].flags & UCORE_VALUE_F_DEAD);
	KUNIT_EXPECT_EQ(test, ctx->ctr[1].total, 5ULL);
}

/* More than it can add, as a table has it: it is seen, all of its run are read whole. */
static void who_counts_too_fast_is_read_whole(struct kunit *test)
{
	struct ucore_box *a = fake_box(test, 0, "imc", 0), *b = fake_box(test, 0, "imc", 1);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);

	add_low(ctx, a, 0, 60 * NSEC_PER_SEC);
	add_low(ctx, b, 0, 60 * NSEC_PER_SEC);
	ctx_run(test, ctx, now_ns());
	timer_sample(ctx, now_ns());
	fake_poke(fake_window(a), 0xa0, 5);
	fake_poke(fake_window(b), 0xa0, 0x7c0000000ULL);
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 5ULL);
	KUNIT_EXPECT_EQ(test, ctx->ctr[1].total, 0x7c0000000ULL);
	fake_poke(fake_window(a), 0xa0, 6);
	fake_poke(fake_window(b), 0xa0, 0xf00000000ULL);
	fake_bus_clear(bus_of(test));
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 6ULL);
	KUNIT_EXPECT_EQ(test, ctx->ctr[1].total, 0xf00000000ULL);
	KUNIT_EXPECT_EQ(test, reads_of(test, a) + reads_of(test, b), 4U);
}

/* The same of one that is read by itself, for no freeze reaches it. */
static void who_runs_too_fast_is_read_whole(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);

	add_low(ctx, imc, 0, 60 * NSEC_PER_SEC)->flags = UCORE_VALUE_F_UNFROZEN;
	ucore_bulk_read_sort(ctx);
	ctx_run(test, ctx, now_ns());
	timer_sample(ctx, now_ns());
	fake_poke(fake_window(imc), 0xa0, 0x7c0000000ULL);
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 0x7c0000000ULL);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].low_ns, 0ULL);
}

/* More than it can add, by so much that it is not seen: the last read puts it right. */
static void the_last_read_is_whole(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);

	add_low(ctx, imc, 0, 60 * NSEC_PER_SEC);
	ctx_run(test, ctx, now_ns());
	timer_sample(ctx, now_ns());
	fake_poke(fake_window(imc), 0xa0, 0x700000001ULL);
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 1ULL);
	halt_ctx(ctx);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 0x700000001ULL);
}

/* ---- throttling ---- */

/* The next record tells that so many were lost. */
static void lost_check(struct kunit *test, struct ucore_domain_ctx *ctx, u64 lost)
{
	const struct ucore_record *rec = fake_record(ctx->ring);

	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_ASSERT_EQ(test, rec->type, (u32)UCORE_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, ((const struct ucore_lost *)rec)->lost, lost);
}

/* As an overflow too many leaves it: an overflow in a window that has had enough of them. */
static void overflow_too_many(struct ucore_box *box, u64 count)
{
	struct ucore_domain *domain = box->domain;

	domain->throttle_start = now_ns();
	domain->throttle_count = 1000000;
	fake_overflow(box, 0xa0, count, BIT(1), IMC0);
	overflow_sample(domain, now_ns(), false);
	domain->throttle_count = 0;
}

/* A part that has a counter with this period, and has been throttled. */
static struct ucore_domain_ctx *resting_ctx(struct kunit *test, u64 period)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 65536);

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 0x500304, period);
	ctx_run(test, ctx, now_ns());
	overflow_too_many(ctx->ctr[0].box, 0);
	KUNIT_EXPECT_TRUE(test, ctx->domain->throttled);
	KUNIT_EXPECT_EQ(test, sample_next(test, ctx)->flags, (u32)UCORE_SAMPLE_F_THROTTLED);
	fake_bus_clear(bus_of(test));
	return ctx;
}

static u64 left_of_period(const struct ucore_domain_ctx *ctx)
{
	return BIT_ULL(48) - fake_peek(fake_window(ctx->ctr[0].box), 0xa0);
}

/*
 * It counts on, from zero, and others with it.  When the guard comes its period goes on where
 * it is, and those that ended meanwhile are lost.
 */
static void what_overflows_too_often_rests(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 65536);
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct fake_window *gw = fake_global(0), *i = fake_window(imc);
	struct ucore_domain *domain = ctx->domain;

	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	ctx_run(test, ctx, now_ns());
	fake_bus_clear(bus_of(test));
	overflow_too_many(imc, 3);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(gw, GLOBAL_STATUS), FAKE_R(i, 0xf8), FAKE_R(i, 0xa0), FAKE_R(i, 0xa4),
		    FAKE_W(i, 0xf8, BIT(1)), FAKE_W(gw, GLOBAL_STATUS, IMC0),
		    FAKE_W(i, 0xa4, 0), FAKE_W(i, 0xa0, 0), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	KUNIT_EXPECT_EQ(test, sample_next(test, ctx)->flags, (u32)UCORE_SAMPLE_F_THROTTLED);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 103ULL);

	fake_poke(i, 0xa0, 250);
	fake_clock_advance(5 * NSEC_PER_MSEC);
	fake_bus_clear(bus_of(test));
	fake_timer_fire(&domain->watchdog);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(gw, GLOBAL_STATUS), FAKE_R(i, 0xa0), FAKE_R(i, 0xa4),
		    FAKE_W(i, 0xa4, 0), FAKE_W(i, 0xa0, BIT_ULL(48) - 50),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE), FAKE_R(gw, GLOBAL_STATUS));
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 353ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 2ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 3ULL);

	/* at 103 + 300 */
	fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
	overflow_sample(domain, now_ns(), false);
	lost_check(test, ctx, 2);
	KUNIT_EXPECT_EQ(test, sample_next(test, ctx)->values[0].count, 403ULL);
	KUNIT_EXPECT_EQ(test, left_of_period(ctx), 100ULL);
}

/* Whoever shares the domain is not frozen for it. */
static void others_count_while_one_rests(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = resting_ctx(test, 100), *other = fake_ctx(test, 0, 0);
	u64 enabled, running, before = ucore_domain_frozen_ns(ctx->domain, now_ns());

	fake_ctx_add(other, fake_box(test, 0, "imc", 1), 0, 0x400304, 0);
	ctx_run(test, other, now_ns());
	before = ucore_domain_frozen_ns(ctx->domain, now_ns());
	fake_clock_advance(5 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, ucore_domain_frozen_ns(ctx->domain, now_ns()), before);
	ucore_ctx_times(other, now_ns(), ucore_domain_frozen_ns(ctx->domain, now_ns()), &enabled,
			 &running);
	KUNIT_EXPECT_EQ(test, enabled, running);
	timer_sample(other, now_ns());
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, sample_next(test, ctx)->flags, 0U);
}

/* In a pause each has one overflow more, and then rests, too: no new pause for it. */
static void all_rest_one_by_one(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 65536);
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain *domain = ctx->domain;

	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	fake_ctx_add(ctx, imc, 1, 0x500304, 100);
	ctx_run(test, ctx, now_ns());
	overflow_too_many(imc, 0);
	KUNIT_EXPECT_FALSE(test, ctx->ctr[1].throttled);
	fake_overflow(imc, 0xa8, 0, BIT(2), IMC0);
	overflow_sample(domain, now_ns(), false);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[0].throttled);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[1].throttled);
	KUNIT_EXPECT_FALSE(test, domain->kept_frozen);
	KUNIT_EXPECT_EQ(test, domain->throttles, 1ULL);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_FALSE(test, ctx->ctr[0].throttled);
	KUNIT_EXPECT_FALSE(test, ctx->ctr[1].throttled);
	KUNIT_EXPECT_FALSE(test, ctx->has_throttled);
}

/* A status bit that no counter of ours has set: nothing could rest, so the domain does. */
static void what_cannot_rest_is_held(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 65536);
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain *domain = ctx->domain;

	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	ctx_run(test, ctx, now_ns());
	domain->throttle_start = now_ns();
	domain->throttle_count = 1000000;
	fake_poke(fake_global(0), GLOBAL_STATUS, IMC0);
	fake_global(0)->frozen = true;
	overflow_sample(domain, now_ns(), false);
	KUNIT_EXPECT_TRUE(test, domain->kept_frozen);
	KUNIT_EXPECT_TRUE(test, fake_global(0)->frozen);
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, sample_next(test, ctx)->flags, (u32)UCORE_SAMPLE_F_THROTTLED);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_FALSE(test, domain->kept_frozen);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_EQ(test, domain->freeze_count, 0U);
}

static void halted_while_it_rests(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = resting_ctx(test, 100);

	fake_poke(fake_window(ctx->ctr[0].box), 0xa0, 777);
	halt_ctx(ctx);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 877ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 7ULL);
	fake_timer_fire(&ctx->domain->watchdog);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 7ULL);
}

/* All begins anew, the period, too. */
static void reset_while_it_rests(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = resting_ctx(test, 100);

	fake_poke(fake_window(ctx->ctr[0].box), 0xa0, 777);
	reset_ctx(ctx);
	KUNIT_EXPECT_EQ(test, left_of_period(ctx), 100ULL);
	fake_bus_clear(bus_of(test));
	fake_timer_fire(&ctx->domain->watchdog);
	KUNIT_EXPECT_EQ(test, left_of_period(ctx), 100ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 0ULL);
}

/* Its last overflow is ours: others on the domain are not held up for it. */
static void halted_beyond_the_budget(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0), *other = fake_ctx(test, 0, 0);
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain *domain = ctx->domain;

	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	fake_ctx_add(other, fake_box(test, 0, "imc", 1), 0, 0x400304, 0);
	ctx_run(test, ctx, now_ns());
	ctx_run(test, other, now_ns());
	domain->throttle_start = now_ns();
	domain->throttle_count = 1000000;
	fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
	halt_ctx(ctx);
	KUNIT_EXPECT_FALSE(test, domain->kept_frozen);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_FALSE(test, ctx->ctr[0].throttled);
	domain->throttle_count = 0;
	fake_timer_fire(&domain->watchdog);
}

/* What it missed up to then is told; it is not armed, nor is its box touched. */
static void a_box_dies_while_its_counter_rests(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = resting_ctx(test, 100);

	fake_poke(fake_window(ctx->ctr[0].box), 0xa0, 777);
	timer_sample(ctx, now_ns());
	fake_window(ctx->ctr[0].box)->dead = true;
	fake_timer_fire(&ctx->domain->watchdog);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[0].box->dead);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 7ULL);
	KUNIT_EXPECT_FALSE(test, ctx->ctr[0].throttled);
}

/* Nothing of the time before is missed later. */
static void reset_of_a_box_that_died_meanwhile(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = resting_ctx(test, 100);

	fake_window(ctx->ctr[0].box)->dead = true;
	timer_sample(ctx, now_ns());
	KUNIT_ASSERT_TRUE(test, ctx->ctr[0].box->dead);
	reset_ctx(ctx);
	KUNIT_EXPECT_FALSE(test, ctx->ctr[0].throttled);
	fake_timer_fire(&ctx->domain->watchdog);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 0ULL);
}

/* 50000 a second, counted in windows of 10 ms: the 501st is too many. */
static void too_many_overflows(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 65536);
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = ctx->domain;
	const struct ucore_sample *sample;
	u64 left;
	u32 i;

	fake_ctx_add(ctx, imc, 0, 0x500304, 10);
	ctx_run(test, ctx, now_ns());
	for (i = 0; i < 501; i++) {
		KUNIT_ASSERT_FALSE(test, domain->throttled);
		fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
		overflow_sample(domain, now_ns(), false);
		sample = sample_next(test, ctx);
		KUNIT_ASSERT_EQ(test, sample->flags, (u32)(i < 500 ? 0 : UCORE_SAMPLE_F_THROTTLED));
	}
	KUNIT_EXPECT_TRUE(test, domain->throttled);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[0].throttled);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	KUNIT_EXPECT_EQ(test, domain->throttles, 1ULL);
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&domain->watchdog)->queued);
	left = ktime_to_ns(fake_timer_find(&domain->watchdog)->expires) - now_ns();
	KUNIT_EXPECT_LE(test, left, (u64)(10 * NSEC_PER_MSEC));

	/* the guard ends it; the overflow itself had been serviced */
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_STATUS), 0ULL);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_EXPECT_FALSE(test, ctx->ctr[0].throttled);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	KUNIT_EXPECT_EQ(test, domain->freeze_count, 0U);
}

/* Samples in the pause are charged for their own time, not for all of it, each anew. */
static void samples_of_a_throttled_domain(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct ucore_domain *domain = ctx->domain;
	const struct ucore_sample *sample;
	u64 frozen;
	u32 i;

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 0x400304, 0);
	ctx_run(test, ctx, now_ns());
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, now_ns());
	domain->throttled = true;
	domain->kept_frozen = true;
	raw_spin_unlock_irq(&domain->lock);
	frozen = now_ns();
	for (i = 1; i <= 3; i++) {
		fake_clock_advance(20 * NSEC_PER_MSEC);
		timer_sample(ctx, now_ns());
		sample = sample_next(test, ctx);
		KUNIT_EXPECT_LE(test, sample->time, frozen);
		KUNIT_EXPECT_GE(test, sample->frozen_ns, i * 20 * (u64)NSEC_PER_MSEC);
	}
	KUNIT_EXPECT_LT(test, ctx->stats.frozen_ns, 20 * (u64)NSEC_PER_MSEC);
	KUNIT_EXPECT_LT(test, ctx->stats.cost_ns, 20 * (u64)NSEC_PER_MSEC);
}

static void many_overflows_in_more_time(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	u32 i;

	fake_ctx_add(ctx, imc, 0, 0x500304, 10);
	ctx_run(test, ctx, now_ns());
	for (i = 0; i < 1200; i++) {
		fake_clock_advance(20000);
		fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
		overflow_sample(ctx->domain, now_ns(), false);
		KUNIT_ASSERT_FALSE(test, ctx->domain->throttled);
	}
}

/* ---- ring ---- */

static void full_ring_loses_and_says_so(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	const struct ucore_record *rec;
	u64 seq = 0, lost = 0;
	u32 i;

	fake_ctx_add(ctx, imc, 0, 0x400304, 0);
	ctx_run(test, ctx, now_ns());
	for (i = 0; i < 100; i++)
		timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 100ULL);
	KUNIT_EXPECT_GT(test, ctx->ring->lost, 0ULL);
	while ((rec = fake_record(ctx->ring)))
		KUNIT_EXPECT_EQ(test, rec->seq, seq++);
	timer_sample(ctx, now_ns());
	rec = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_ASSERT_EQ(test, rec->type, (u32)UCORE_RECORD_LOST);
	lost = ((const struct ucore_lost *)rec)->lost;
	KUNIT_EXPECT_EQ(test, lost, 100 - seq);
	KUNIT_EXPECT_EQ(test, sample_next(test, ctx)->hdr.seq, 101ULL);
}

static void ctx_without_a_ring(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 0x400304, 0);
	ctx_run(test, ctx, now_ns());
	timer_sample(ctx, now_ns());
	ucore_emit_gap(ctx, 1, UCORE_GAP_BOX_DEAD, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 1ULL);
}

/* ---- times, reset ---- */

static void times_leave_out_what_was_frozen(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_domain *domain = ctx->domain;
	u64 enabled, running;

	ctx->enabled_ns = 1000;
	ctx->running_ns = 900;
	ctx_times(ctx, 99999, &enabled, &running);	/* stopped: as it was left */
	KUNIT_EXPECT_EQ(test, enabled, 1000ULL);
	KUNIT_EXPECT_EQ(test, running, 900ULL);

	domain->frozen_ns = 70;		/* before it began */
	ucore_ctx_start_times(ctx, 5000);
	ctx_times(ctx, 5000, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, 1000ULL);
	domain->frozen_ns = 100;
	ctx_times(ctx, 5400, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, 1400ULL);
	KUNIT_EXPECT_EQ(test, running, 1270ULL);
	domain->frozen = true;		/* and it is frozen now */
	domain->frozen_since = 5300;
	ctx_times(ctx, 5400, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, 1400ULL);
	KUNIT_EXPECT_EQ(test, running, 1170ULL);
	domain->frozen = false;
}

static void reset_begins_anew(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct fake_window *w = fake_window(imc);
	u64 begin = now_ns(), enabled, running;
	struct ucore_interval iv;

	fake_ctx_add(ctx, imc, 0, 0x500304, 1000);
	fake_ctx_add(ctx, imc, 1, 0x400304, 0);
	ctx_run(test, ctx, begin);
	fake_poke(w, 0xa0, BIT_ULL(48) - 300);
	fake_poke(w, 0xa8, 44);
	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_interval_begin(&iv, ctx->domain, begin + 500);
	ucore_ctx_reset(ctx, iv.now);
	ucore_interval_end(&iv);
	raw_spin_unlock_irq(&ctx->domain->lock);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 0ULL);
	KUNIT_EXPECT_EQ(test, ctx->ctr[1].total, 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xa0), BIT_ULL(48) - 1000);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xa8), 0ULL);
	ctx_times(ctx, begin + 800, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, 300ULL);
	fake_poke(w, 0xa8, 3);
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_EQ(test, ctx->ctr[1].total, 3ULL);
}

/* Two who share a freeze share its cost. */
static void cost_is_shared(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *pcu = fake_box(test, 0, "pcu", 0);
	struct ucore_domain_ctx *a = fake_ctx(test, 0, 0), *b = fake_ctx(test, 0, 0);
	struct ucore_interval iv;

	fake_ctx_add(a, imc, 0, 0x400304, 0);
	fake_ctx_add(b, pcu, 0, 0x400000, 0);
	ctx_run(test, a, now_ns());
	ctx_run(test, b, now_ns());
	raw_spin_lock_irq(&a->domain->lock);
	ucore_interval_begin(&iv, a->domain, now_ns());
	ucore_sample_timer_due(&iv, a);
	ucore_sample_timer_due(&iv, b);
	ucore_interval_end(&iv);
	raw_spin_unlock_irq(&a->domain->lock);
	KUNIT_EXPECT_EQ(test, a->stats.writes, 1ULL);
	KUNIT_EXPECT_EQ(test, b->stats.writes, 1ULL);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), NULL, 'W'), 2U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(timer_sample_at_the_limit),
	KUNIT_CASE(timer_sample_of_a_whole_domain),
	KUNIT_CASE(overflow_sample_at_the_limit),
	KUNIT_CASE(two_sessions_overflow_at_once),
	KUNIT_CASE(only_who_overflowed_is_read),
	KUNIT_CASE(global_bit_covers_several_functions),
	KUNIT_CASE(unknown_bit_asks_all_armed_boxes),
	KUNIT_CASE(rearms_what_overflowed),
	KUNIT_CASE(ubox_fixed_counter_overflows),
	KUNIT_CASE(timer_meets_a_waiting_overflow),
	KUNIT_CASE(overflow_without_a_status),
	KUNIT_CASE(halted_ctx_is_not_rearmed),
	KUNIT_CASE(overflow_before_the_unfreeze_has_its_time),
	KUNIT_CASE(record_of_a_timer),
	KUNIT_CASE(record_of_an_overflow),
	KUNIT_CASE(record_of_a_recovered_overflow),
	KUNIT_CASE(record_with_context),
	KUNIT_CASE(box_domains_between_samples),
	KUNIT_CASE(box_is_dead_when_its_overflow_is_walked),
	KUNIT_CASE(box_domains_within_a_sample),
	KUNIT_CASE(low_halves_while_that_is_exact),
	KUNIT_CASE(whole_reads_after_a_pause),
	KUNIT_CASE(each_counter_is_whole_in_its_time),
	KUNIT_CASE(ones_in_a_low_half_are_looked_at),
	KUNIT_CASE(what_no_freeze_reaches_is_low_too),
	KUNIT_CASE(samples_know_who_died_in_between),
	KUNIT_CASE(who_counts_too_fast_is_read_whole),
	KUNIT_CASE(who_runs_too_fast_is_read_whole),
	KUNIT_CASE(the_last_read_is_whole),
	KUNIT_CASE(too_many_overflows),
	KUNIT_CASE(what_overflows_too_often_rests),
	KUNIT_CASE(others_count_while_one_rests),
	KUNIT_CASE(all_rest_one_by_one),
	KUNIT_CASE(what_cannot_rest_is_held),
	KUNIT_CASE(halted_while_it_rests),
	KUNIT_CASE(reset_while_it_rests),
	KUNIT_CASE(a_box_dies_while_its_counter_rests),
	KUNIT_CASE(reset_of_a_box_that_died_meanwhile),
	KUNIT_CASE(halted_beyond_the_budget),
	KUNIT_CASE(samples_of_a_throttled_domain),
	KUNIT_CASE(many_overflows_in_more_time),
	KUNIT_CASE(full_ring_loses_and_says_so),
	KUNIT_CASE(ctx_without_a_ring),
	KUNIT_CASE(times_leave_out_what_was_frozen),
	KUNIT_CASE(reset_begins_anew),
	KUNIT_CASE(cost_is_shared),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_sample",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
