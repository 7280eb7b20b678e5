// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the sample path from trigger to record: exact register accesses, and record
 * contents.
 */
#include "fake_machine.h"
#include "sample/bulk_read.h"

#define IMC0	BIT_ULL(20)	/* global status bits */
#define IMC1	BIT_ULL(21)
#define PCU	BIT_ULL(2)

/* Start a context on its domain at the time @now. */
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
	struct ucore_readout ro;

	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_readout_begin(&ro, ctx->domain, now);
	ucore_ctx_timer_due(ctx);
	ucore_readout_end(&ro);
	raw_spin_unlock_irq(&ctx->domain->lock);
}

static void overflow_sample(struct ucore_domain *domain, u64 now, bool recovered)
{
	struct ucore_readout ro;

	raw_spin_lock_irq(&domain->lock);
	ucore_readout_begin_overflow(&ro, domain, now, recovered);
	ucore_readout_end(&ro);
	raw_spin_unlock_irq(&domain->lock);
}

static u64 now_ns(void)
{
	return ktime_get_mono_fast_ns();
}

static void halt_ctx(struct ucore_domain_ctx *ctx)
{
	struct ucore_readout ro;

	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_readout_begin(&ro, ctx->domain, now_ns());
	ucore_readout_halt(&ro, ctx);
	ucore_readout_end(&ro);
	raw_spin_unlock_irq(&ctx->domain->lock);
}

static void reset_ctx(struct ucore_domain_ctx *ctx)
{
	struct ucore_readout ro;

	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_readout_begin(&ro, ctx->domain, now_ns());
	ucore_readout_reset(&ro, ctx);
	ucore_readout_end(&ro);
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

/* ---- register accesses ---- */

/* The accesses are a freeze, a read per counter, box by box, and an unfreeze. */
static void timer_sample_access_sequence_is_exact(struct kunit *test)
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

/* A counter on every third box of the domain. */
static void timer_sample_reads_each_counter_once(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 65536);
	u32 i, reads = 0, used = 0;
	struct ucore_box *box;

	for (i = 0; i < ucore_catalog.nr_boxes && used < FAKE_CTX_BOXES; i += 3, used++) {
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

/*
 * Status reads, counter reads, box status cleared before global status, preload, unfreeze
 * last.
 */
static void overflow_sample_access_sequence_is_exact(struct kunit *test)
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

/* The box status of all contexts is cleared before the global status is cleared once. */
static void overflows_of_two_sessions_are_cleared_together(struct kunit *test)
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

/* The other session is frozen, but neither read nor recorded. */
static void overflow_reads_only_its_session(struct kunit *test)
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

/* The bit covers four channels: the armed ones are checked, and no other boxes. */
static void shared_global_bit_checks_its_boxes_only(struct kunit *test)
{
	struct ucore_box *ch[5];
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	u32 i;

	for (i = 0; i < 5; i++) {
		ch[i] = fake_box(test, 0, "imc", i);	/* the fifth channel belongs to iMC 1 */
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

/*
 * No armed box owns the bit, so that the status map is wrong somewhere: all armed boxes are
 * checked.
 */
static void unknown_global_bit_checks_all_armed_boxes(struct kunit *test)
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

	/* known bits do not check other boxes */
	fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
	fake_bus_clear(bus_of(test));
	overflow_sample(ctx->domain, now_ns(), false);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(pcu), 'R'), 1U);
}

/* Only the overflowed counter is reloaded: the periods of the others continue. */
static void overflow_reloads_only_its_counter(struct kunit *test)
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

/* Only the global status reports an overflow of the UBox's fixed counter. */
static void ubox_fixed_overflow_is_found_in_global_status(struct kunit *test)
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
	/* the bit alone shows an overflow, whatever the counter has */
	fake_overflow(ubox, 0xc09, BIT_ULL(48) - 99990, 0, BIT(0));
	overflow_sample(ctx->domain, now_ns(), false);
	KUNIT_EXPECT_EQ(test, sample_next(test, ctx)->trigger_event, 100U);
}

/* A timer that finds a pending overflow services it in the same sample. */
static void timer_with_pending_overflow_takes_one_sample(struct kunit *test)
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
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));	/* no second sample */
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_STATUS), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(imc), 0xa0), BIT_ULL(48) - 100);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
}

/* The status is clear: the interrupt came late, or belongs to another handler. */
static void overflow_without_status_is_ignored(struct kunit *test)
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

/* The readout that services the overflow also stops the counter: no reload. */
static void stopped_context_is_not_reloaded(struct kunit *test)
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

/* ---- record contents ---- */

/* The write of the unfreeze lets a counter overflow before the clock is read for the unfreeze. */
static void overflow_time_before_unfreeze_is_corrected(struct kunit *test)
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

static void timer_record_is_complete(struct kunit *test)
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

static void overflow_record_names_lowest_event(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, sample->trigger_event, 101U);	/* the lowest event id */
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, 0U);
	KUNIT_EXPECT_EQ(test, sample->values[1].flags, (u32)UCORE_VALUE_F_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->values[2].flags, (u32)UCORE_VALUE_F_OVERFLOW);
	KUNIT_EXPECT_EQ(test, ctx->stats.overflows, 2ULL);

	timer_sample(ctx, now_ns());		/* the flags apply to one readout only */
	sample = sample_next(test, ctx);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_TIMER);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, UCORE_EVENT_NONE);
	KUNIT_EXPECT_EQ(test, sample->values[1].flags, 0U);
}

static void recovered_overflow_is_flagged(struct kunit *test)
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

static void context_is_recorded_with_permission_only(struct kunit *test)
{
	static const struct ucore_pmi_regs context = {
		.ip = 0x1234, .pid = 10, .tid = 11, .cpu = 7, .user = true,
	};
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	const struct ucore_sample *sample;
	struct ucore_readout ro;
	u32 allowed;

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 0x400304, 0);
	ctx_run(test, ctx, now_ns());
	for (allowed = 0; allowed < 2; allowed++) {
		fake_machine(test)->sink.context = allowed;
		raw_spin_lock_irq(&ctx->domain->lock);
		ucore_readout_begin(&ro, ctx->domain, now_ns());
		ucore_readout_set_context(&ro, &context);
		ucore_ctx_timer_due(ctx);
		ucore_readout_end(&ro);
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

static void box_dying_between_samples_is_flagged(struct kunit *test)
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
	timer_sample(ctx, now_ns());		/* reported once, and not accessed any more */
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(imc), 0), 0U);
	sample = sample_next(test, ctx);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
}

static void box_dead_at_its_overflow_is_skipped(struct kunit *test)
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

/* The box dies after its status was read: neither status nor preload is written. */
static void box_dying_within_a_sample_is_not_written(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct fake_window *w = fake_window(imc);

	fake_ctx_add(ctx, imc, 0, 0x500304, 100);
	ctx_run(test, ctx, now_ns());
	fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
	w->dies_after = 1;
	overflow_sample(ctx->domain, now_ns(), false);
	KUNIT_EXPECT_TRUE(test, imc->dead);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w, 'W'), 0U);
	KUNIT_EXPECT_FALSE(test, ctx->domain->frozen);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
}

/* ---- low halves ---- */

/* Add a counter whose low half is sufficient for @low_ns. */
static struct ucore_counter *add_low(struct ucore_domain_ctx *ctx, struct ucore_box *box,
				     u32 counter, u64 low_ns)
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

/* The first read and one in 256 are full reads. */
static void low_halves_are_exact_between_full_reads(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *cbo = fake_box(test, 0, "cbo", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 65536);
	u64 truth = 0xfffff000;		/* the low half wraps soon */
	u32 i;

	add_low(ctx, imc, 0, NSEC_PER_SEC);
	fake_ctx_add(ctx, cbo, 0, 0x400000, 0);	/* needs one access anyway: always a full read */
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

static void full_read_follows_a_long_pause(struct kunit *test)
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

/* Counters with the same read mode form one run across boxes. */
static void full_read_is_due_per_counter(struct kunit *test)
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

/* All ones in the low half are a count, or a dead box. */
static void low_half_of_all_ones_is_read_in_full(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, reads_of(test, imc), 6U);		/* low halves, then full reads */
	KUNIT_EXPECT_NE(test, ctx->ctr[1].low_ns, 0ULL);
	KUNIT_EXPECT_FALSE(test, imc->dead);
	w->dead = true;
	timer_sample(ctx, now_ns());
	KUNIT_EXPECT_TRUE(test, imc->dead);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, (u64)U32_MAX);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[0].flags & UCORE_VALUE_F_DEAD);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[1].flags & UCORE_VALUE_F_DEAD);
}

/* A low half of a running counter is one dword and cannot tear. */
static void unfrozen_counter_is_read_by_low_half(struct kunit *test)
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

/* Any code may detect a dead box. Samples then skip it. */
static void box_found_dead_between_samples_stays_flagged(struct kunit *test)
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
	ucore_ctx_read_running(ctx, now_ns());	/* as the watchdog does */
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

/* A difference above the event's maximum is detected: all counters of the run get full reads. */
static void implausible_low_half_switches_to_full_reads(struct kunit *test)
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

/* At its highest rate the counter adds 2^31 counts in low_ns, and 2^30 in half of this time. */
static void increment_is_implausible_above_the_highest_rate(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	u32 i, increment[] = { 0x3ff00000, 0x40100000 };
	u64 count = 0;

	add_low(ctx, imc, 0, 60 * NSEC_PER_SEC);
	ctx_run(test, ctx, now_ns());
	timer_sample(ctx, now_ns());
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_NE(test, ctx->ctr[0].low_ns, 0ULL);
		fake_clock_advance(30 * NSEC_PER_SEC);
		count += increment[i];
		fake_poke(fake_window(imc), 0xa0, count);
		timer_sample(ctx, now_ns());
		KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, count);
	}
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].low_ns, 0ULL);
}

/* A counter that is read alone, because a freeze does not stop it, also switches. */
static void implausible_unfrozen_low_half_switches_to_full_reads(struct kunit *test)
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

/*
 * The low half hides a difference above the event's maximum: the last, full read corrects the
 * count.
 */
static void last_read_is_a_full_read(struct kunit *test)
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

/* Expect a LOST record with this count. */
static void lost_check(struct kunit *test, struct ucore_domain_ctx *ctx, u64 lost)
{
	const struct ucore_record *rec = fake_record(ctx->ring);

	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_ASSERT_EQ(test, rec->type, (u32)UCORE_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, ((const struct ucore_lost *)rec)->lost, lost);
}

/* Let a counter overflow in a window that has reached the maximum rate. */
static void overflow_too_many(struct ucore_box *box, u64 count)
{
	struct ucore_domain *domain = box->domain;

	domain->throttle_start = now_ns();
	domain->throttle_count = 1000000;
	fake_overflow(box, 0xa0, count, BIT(1), IMC0);
	overflow_sample(domain, now_ns(), false);
	domain->throttle_count = 0;
}

/* Return a context with one counter of this period, which has been throttled. */
static struct ucore_domain_ctx *throttled_ctx(struct kunit *test, u64 period)
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
 * A throttled counter continues from zero, as do all others. When the watchdog unthrottles
 * the counter, its period continues, and periods that ended in between are reported lost.
 */
static void throttled_counter_counts_without_interrupts(struct kunit *test)
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

/* Other sessions on the domain are not frozen. */
static void throttling_does_not_freeze_others(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = throttled_ctx(test, 100), *other = fake_ctx(test, 0, 0);
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

/* While throttled, each other counter can overflow once more before it is throttled too. */
static void counters_are_throttled_one_by_one(struct kunit *test)
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

/*
 * A status bit without an overflowed counter: no counter can be throttled, so that the domain
 * is frozen.
 */
static void unattributed_overflow_throttles_the_domain(struct kunit *test)
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

static void stop_while_throttled_reports_missed_periods(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = throttled_ctx(test, 100);

	fake_poke(fake_window(ctx->ctr[0].box), 0xa0, 777);
	halt_ctx(ctx);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 877ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 7ULL);
	fake_timer_fire(&ctx->domain->watchdog);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 7ULL);
}

/* RESET restarts everything, including the period. */
static void reset_while_throttled_restarts_the_period(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = throttled_ctx(test, 100);

	fake_poke(fake_window(ctx->ctr[0].box), 0xa0, 777);
	reset_ctx(ctx);
	KUNIT_EXPECT_EQ(test, left_of_period(ctx), 100ULL);
	fake_bus_clear(bus_of(test));
	fake_timer_fire(&ctx->domain->watchdog);
	KUNIT_EXPECT_EQ(test, left_of_period(ctx), 100ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 0ULL);
}

/*
 * The last overflow belongs to the stopped context: the domain is not frozen for other
 * sessions.
 */
static void stop_beyond_rate_does_not_throttle(struct kunit *test)
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

/*
 * Periods missed so far are reported. The counter is not reloaded, and the box is not
 * accessed.
 */
static void box_dying_while_throttled_reports_missed_periods(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = throttled_ctx(test, 100);

	fake_poke(fake_window(ctx->ctr[0].box), 0xa0, 777);
	timer_sample(ctx, now_ns());
	fake_window(ctx->ctr[0].box)->dead = true;
	fake_timer_fire(&ctx->domain->watchdog);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[0].box->dead);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 7ULL);
	KUNIT_EXPECT_FALSE(test, ctx->ctr[0].throttled);
}

/* Periods before the RESET are not reported. */
static void reset_of_dead_throttled_box_reports_nothing(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = throttled_ctx(test, 100);

	fake_window(ctx->ctr[0].box)->dead = true;
	timer_sample(ctx, now_ns());
	KUNIT_ASSERT_TRUE(test, ctx->ctr[0].box->dead);
	reset_ctx(ctx);
	KUNIT_EXPECT_FALSE(test, ctx->ctr[0].throttled);
	fake_timer_fire(&ctx->domain->watchdog);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 0ULL);
}

/* 50000 per second, counted in windows of 10 ms: the 501st overflow throttles. */
static void overflows_above_rate_throttle(struct kunit *test)
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

	/* the watchdog unthrottles, but the overflow itself has been serviced before */
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_STATUS), 0ULL);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_EXPECT_FALSE(test, ctx->ctr[0].throttled);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	KUNIT_EXPECT_EQ(test, domain->freeze_count, 0U);
}

/* Samples while throttled are charged for their own time only, not for the frozen time. */
static void throttled_samples_are_charged_separately(struct kunit *test)
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

static void overflows_below_rate_do_not_throttle(struct kunit *test)
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

static void full_ring_reports_lost_samples(struct kunit *test)
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

static void context_without_ring_counts_samples(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 0x400304, 0);
	ctx_run(test, ctx, now_ns());
	timer_sample(ctx, now_ns());
	ucore_emit_gap(ctx, 1, UCORE_GAP_BOX_DEAD, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 1ULL);
}

/* ---- times and reset ---- */

static void running_time_excludes_frozen_time(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);
	struct ucore_domain *domain = ctx->domain;
	u64 enabled, running;

	ctx->enabled_ns = 1000;
	ctx->running_ns = 900;
	ctx_times(ctx, 99999, &enabled, &running);	/* stopped: the stored times */
	KUNIT_EXPECT_EQ(test, enabled, 1000ULL);
	KUNIT_EXPECT_EQ(test, running, 900ULL);

	domain->frozen_ns = 70;		/* before the start */
	ucore_ctx_start_times(ctx, 5000);
	ctx_times(ctx, 5000, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, 1000ULL);
	domain->frozen_ns = 100;
	ctx_times(ctx, 5400, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, 1400ULL);
	KUNIT_EXPECT_EQ(test, running, 1270ULL);
	domain->frozen = true;		/* the domain is frozen now */
	domain->frozen_since = 5300;
	ctx_times(ctx, 5400, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, 1400ULL);
	KUNIT_EXPECT_EQ(test, running, 1170ULL);
	domain->frozen = false;
}

static void reset_restarts_counts_and_times(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct fake_window *w = fake_window(imc);
	u64 begin = now_ns(), enabled, running;
	struct ucore_readout ro;

	fake_ctx_add(ctx, imc, 0, 0x500304, 1000);
	fake_ctx_add(ctx, imc, 1, 0x400304, 0);
	ctx_run(test, ctx, begin);
	fake_poke(w, 0xa0, BIT_ULL(48) - 300);
	fake_poke(w, 0xa8, 44);
	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_readout_begin(&ro, ctx->domain, begin + 500);
	ucore_ctx_reset(ctx, ro.now);
	ucore_readout_end(&ro);
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

static void cost_of_common_freeze_is_shared(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *pcu = fake_box(test, 0, "pcu", 0);
	struct ucore_domain_ctx *a = fake_ctx(test, 0, 0), *b = fake_ctx(test, 0, 0);
	struct ucore_readout ro;

	fake_ctx_add(a, imc, 0, 0x400304, 0);
	fake_ctx_add(b, pcu, 0, 0x400000, 0);
	ctx_run(test, a, now_ns());
	ctx_run(test, b, now_ns());
	raw_spin_lock_irq(&a->domain->lock);
	ucore_readout_begin(&ro, a->domain, now_ns());
	ucore_ctx_timer_due(a);
	ucore_ctx_timer_due(b);
	ucore_readout_end(&ro);
	raw_spin_unlock_irq(&a->domain->lock);
	KUNIT_EXPECT_EQ(test, a->stats.writes, 1ULL);
	KUNIT_EXPECT_EQ(test, b->stats.writes, 1ULL);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), NULL, 'W'), 2U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(timer_sample_access_sequence_is_exact),
	KUNIT_CASE(timer_sample_reads_each_counter_once),
	KUNIT_CASE(overflow_sample_access_sequence_is_exact),
	KUNIT_CASE(overflows_of_two_sessions_are_cleared_together),
	KUNIT_CASE(overflow_reads_only_its_session),
	KUNIT_CASE(shared_global_bit_checks_its_boxes_only),
	KUNIT_CASE(unknown_global_bit_checks_all_armed_boxes),
	KUNIT_CASE(overflow_reloads_only_its_counter),
	KUNIT_CASE(ubox_fixed_overflow_is_found_in_global_status),
	KUNIT_CASE(timer_with_pending_overflow_takes_one_sample),
	KUNIT_CASE(overflow_without_status_is_ignored),
	KUNIT_CASE(stopped_context_is_not_reloaded),
	KUNIT_CASE(overflow_time_before_unfreeze_is_corrected),
	KUNIT_CASE(timer_record_is_complete),
	KUNIT_CASE(overflow_record_names_lowest_event),
	KUNIT_CASE(recovered_overflow_is_flagged),
	KUNIT_CASE(context_is_recorded_with_permission_only),
	KUNIT_CASE(box_dying_between_samples_is_flagged),
	KUNIT_CASE(box_dead_at_its_overflow_is_skipped),
	KUNIT_CASE(box_dying_within_a_sample_is_not_written),
	KUNIT_CASE(low_halves_are_exact_between_full_reads),
	KUNIT_CASE(full_read_follows_a_long_pause),
	KUNIT_CASE(full_read_is_due_per_counter),
	KUNIT_CASE(low_half_of_all_ones_is_read_in_full),
	KUNIT_CASE(unfrozen_counter_is_read_by_low_half),
	KUNIT_CASE(box_found_dead_between_samples_stays_flagged),
	KUNIT_CASE(implausible_low_half_switches_to_full_reads),
	KUNIT_CASE(increment_is_implausible_above_the_highest_rate),
	KUNIT_CASE(implausible_unfrozen_low_half_switches_to_full_reads),
	KUNIT_CASE(last_read_is_a_full_read),
	KUNIT_CASE(overflows_above_rate_throttle),
	KUNIT_CASE(throttled_counter_counts_without_interrupts),
	KUNIT_CASE(throttling_does_not_freeze_others),
	KUNIT_CASE(counters_are_throttled_one_by_one),
	KUNIT_CASE(unattributed_overflow_throttles_the_domain),
	KUNIT_CASE(stop_while_throttled_reports_missed_periods),
	KUNIT_CASE(reset_while_throttled_restarts_the_period),
	KUNIT_CASE(box_dying_while_throttled_reports_missed_periods),
	KUNIT_CASE(reset_of_dead_throttled_box_reports_nothing),
	KUNIT_CASE(stop_beyond_rate_does_not_throttle),
	KUNIT_CASE(throttled_samples_are_charged_separately),
	KUNIT_CASE(overflows_below_rate_do_not_throttle),
	KUNIT_CASE(full_ring_reports_lost_samples),
	KUNIT_CASE(context_without_ring_counts_samples),
	KUNIT_CASE(running_time_excludes_frozen_time),
	KUNIT_CASE(reset_restarts_counts_and_times),
	KUNIT_CASE(cost_of_common_freeze_is_shared),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_sample",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
