// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the session timer and the watchdog. The tests fire both timers by hand. */
#include <linux/cpu.h>

#include "fake_machine.h"
#include "irq/dead_box_recovery.h"
#include "irq/pmi_route_and_service.h"

#define IMC0	BIT_ULL(20)
#define MS	((u64)NSEC_PER_MSEC)

static struct ucore_domain_ctx *imc_ctx(struct kunit *test, u64 period)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 0x500304, period);
	ctx->watchdog_ns = 1000000 * MS;
	return ctx;
}

static void ctx_run(struct kunit *test, struct ucore_domain_ctx *ctx)
{
	struct ucore_domain *domain = ctx->domain;

	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_program(ctx);
	ucore_domain_clear_stale(domain);
	fake_ctx_list(ctx);
	ucore_ctx_start_times(ctx, ktime_get_mono_fast_ns());
	ucore_watchdog_start(domain);
	raw_spin_unlock_irq(&domain->lock);
	fake_bus_clear(bus_of(test));
}

/* Return the time until a timer expires (ns). */
static u64 due_in(struct hrtimer *timer)
{
	return ktime_to_ns(fake_timer_find(timer)->expires) - ktime_get_mono_fast_ns();
}

static void expect_due_in(struct kunit *test, struct hrtimer *timer, u64 ns)
{
	KUNIT_EXPECT_TRUE(test, fake_timer_find(timer)->queued);
	KUNIT_EXPECT_LE(test, due_in(timer), ns);
	KUNIT_EXPECT_GT(test, due_in(timer), ns / 2);
}

/* ---- session timer ---- */

static void timer_samples_and_restarts(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);
	struct fake_window *gw = fake_global(0), *w = fake_window(ctx->box[0].box);
	const struct ucore_sample *sample;

	ctx->timer_ns = 500 * MS;
	ctx_run(test, ctx);
	ucore_timer_start(ctx, ktime_get_mono_fast_ns());
	expect_due_in(test, &ctx->timer, 500 * MS);
	KUNIT_EXPECT_EQ(test, fake_timer_fire(&ctx->timer), HRTIMER_RESTART);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(w, 0xa0),
		    FAKE_R(w, 0xa4), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	expect_due_in(test, &ctx->timer, 500 * MS);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_TIMER);
}

/* A timer's sample has the interrupted context if the session may see it. */
static void timer_sample_has_context(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);
	const struct ucore_sample *sample;

	fake_machine(test)->sink.context = true;
	ctx->timer_ns = MS;
	ctx_run(test, ctx);
	fake_timer_fire(&ctx->timer);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_CONTEXT);
	KUNIT_EXPECT_EQ(test, sample->pid, (u32)current->tgid);
	KUNIT_EXPECT_EQ(test, sample->tid, (u32)current->pid);
}

static void timer_of_stopped_context_ends(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);

	ctx->timer_ns = MS;
	ctx_run(test, ctx);
	ctx->running = false;
	KUNIT_EXPECT_EQ(test, fake_timer_fire(&ctx->timer), HRTIMER_NORESTART);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static void context_without_timer_starts_none(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);

	ucore_timer_start(ctx, 1);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&ctx->timer)->queued);
}

/* ---- watchdog: lost interrupts ---- */

static void overflow(struct ucore_domain_ctx *ctx)
{
	fake_overflow(ctx->box[0].box, 0xa0, 0, BIT(1), IMC0);
}

/* The watchdog waits once for the interrupt of a pending overflow. The second time it is lost. */
static void lost_pmi_is_recovered(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;
	const struct ucore_sample *sample;
	u64 suspected;

	ctx_run(test, ctx);
	expect_due_in(test, &domain->watchdog, 20 * MS);
	fake_timer_fire(&domain->watchdog);		/* nothing pending */
	fake_clock_advance(20 * MS);
	overflow(ctx);
	suspected = ktime_get_mono_fast_ns();
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_TRUE(test, fake_global(0)->frozen);
	expect_due_in(test, &domain->watchdog, MS);

	fake_clock_advance(MS);
	fake_timer_fire(&domain->watchdog);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	/* the time when the overflow was first seen */
	KUNIT_EXPECT_GE(test, sample->time, suspected);
	KUNIT_EXPECT_LT(test, sample->time, suspected + MS);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_RECOVERED);
	/* late_ns: the overflow may have occurred any time since the previous check */
	KUNIT_EXPECT_GE(test, sample->late_ns, 20 * MS);
	KUNIT_EXPECT_LT(test, sample->late_ns, 21 * MS);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, 100U);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_EQ(test, domain->recovered, 1ULL);
	expect_due_in(test, &domain->watchdog, 20 * MS);
}

/* Unfreezing single boxes in between does not mean that the die was running. */
static void late_ns_ignores_box_freezes(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100), *boxes = fake_ctx(test, 0, 4096);
	struct ucore_domain *domain = ctx->domain;
	const struct ucore_sample *sample;
	struct ucore_readout ro;

	fake_ctx_add(boxes, fake_box(test, 0, "cbo", 0), 2, 0x400000, 0);
	boxes->watchdog_ns = 1000000 * MS;
	boxes->box_freeze = true;
	ctx_run(test, ctx);
	ctx_run(test, boxes);
	fake_timer_fire(&domain->watchdog);
	overflow(ctx);
	fake_clock_advance(15 * MS);
	raw_spin_lock_irq(&domain->lock);
	ucore_readout_begin_ctx(&ro, boxes, ktime_get_mono_fast_ns());
	ucore_ctx_timer_due(boxes);
	ucore_readout_end(&ro);
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(boxes->ring));
	fake_clock_advance(5 * MS);
	fake_timer_fire(&domain->watchdog);
	fake_timer_fire(&domain->watchdog);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_RECOVERED);
	KUNIT_EXPECT_GE(test, sample->late_ns, 20 * MS);
}

/* Another overflow than the one seen first gets its own waiting time. */
static void later_overflow_is_not_recovered_early(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;
	struct ucore_readout ro;

	ctx_run(test, ctx);
	overflow(ctx);
	fake_timer_fire(&domain->watchdog);
	raw_spin_lock_irq(&domain->lock);		/* the interrupt arrives after all */
	ucore_readout_begin_overflow(&ro, domain, ktime_get_mono_fast_ns(), false);
	ucore_readout_end(&ro);
	raw_spin_unlock_irq(&domain->lock);
	overflow(ctx);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, domain->recovered, 0ULL);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, domain->recovered, 1ULL);
}

static void pending_overflow_while_frozen_is_not_recovered(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;

	ctx_run(test, ctx);
	overflow(ctx);
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, 1);
	raw_spin_unlock_irq(&domain->lock);
	fake_timer_fire(&domain->watchdog);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, domain->recovered, 0ULL);
	raw_spin_lock_irq(&domain->lock);
	ucore_unfreeze_domain(domain, true);
	raw_spin_unlock_irq(&domain->lock);
}

/* ---- watchdog: spurious overflows ---- */

/* Without armed counters the status is read once a second, and not by samples. */
static void unarmed_watchdog_reads_status_once_a_second(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);

	ctx_run(test, ctx);
	expect_due_in(test, &ctx->domain->watchdog, 1000 * MS);
	fake_timer_fire(&ctx->domain->watchdog);	/* START has read it */
	FAKE_EXPECT_NONE(test, bus_of(test));
	fake_clock_advance(1000 * MS);
	fake_timer_fire(&ctx->domain->watchdog);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(fake_global(0), GLOBAL_STATUS));
	expect_due_in(test, &ctx->domain->watchdog, 1000 * MS);
}

static void expect_gap(struct kunit *test, struct ucore_domain_ctx *ctx)
{
	const struct ucore_gap *gap = fake_record(ctx->ring);

	KUNIT_ASSERT_NOT_NULL(test, gap);
	KUNIT_ASSERT_EQ(test, gap->hdr.type, (u32)UCORE_RECORD_GAP);
	KUNIT_EXPECT_EQ(test, gap->reason, (u32)UCORE_GAP_FROZEN);
	KUNIT_EXPECT_EQ(test, gap->box, ~0U);
}

/*
 * An overflow that no session armed froze the domain at an unknown time: all time since the
 * previous check counts as not running.
 */
static void spurious_freeze_is_found(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);
	struct fake_window *gw = fake_global(0);
	const struct ucore_sample *sample;
	u64 enabled, running;

	ctx_run(test, ctx);
	fake_overflow(fake_box(test, 0, "imc", 1), 0xa0, 0, BIT(1), BIT_ULL(21));
	fake_clock_advance(1000 * MS);
	fake_timer_fire(&ctx->domain->watchdog);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_STATUS), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(gw, GLOBAL_STATUS), FAKE_W(gw, GLOBAL_STATUS, BIT_ULL(21)),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	expect_gap(test, ctx);
	KUNIT_EXPECT_TRUE(test, ctx->gap_read);
	ctx_times(ctx, ktime_get_mono_fast_ns(), &enabled, &running);
	KUNIT_EXPECT_GE(test, enabled, 1000 * MS);
	KUNIT_EXPECT_LT(test, running, 100 * MS);

	ctx->timer_ns = 1000000 * MS;
	ucore_timer_start(ctx, ktime_get_mono_fast_ns());
	fake_timer_fire(&ctx->timer);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_GAP);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	fake_clock_advance(1000 * MS);
	fake_timer_fire(&ctx->domain->watchdog);		/* no further freeze */
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	ctx_times(ctx, ktime_get_mono_fast_ns(), &enabled, &running);
	KUNIT_EXPECT_GE(test, running, 1000 * MS);

	/* an earlier watchdog run checks at most twice a second */
	fake_bus_clear(bus_of(test));
	fake_clock_advance(450 * MS);
	fake_timer_fire(&ctx->domain->watchdog);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), gw, 'R'), 0U);
	fake_clock_advance(100 * MS);
	fake_timer_fire(&ctx->domain->watchdog);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), gw, 'R'), 1U);
}

/* Any box of the domain, including the first one */
static void every_dead_armed_box_is_probed(struct kunit *test)
{
	struct ucore_box *first = &ucore_catalog.boxes[0];

	first->dead = true;
	first->dirty = true;
	fake_window(first)->dead = true;
	raw_spin_lock_irq(&first->domain->lock);
	ucore_recovery_reset(first->domain);
	raw_spin_unlock_irq(&first->domain->lock);
	KUNIT_EXPECT_TRUE(test, first->domain->spurious);
}

static void read_running(struct ucore_domain_ctx *ctx)
{
	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_ctx_read_running(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&ctx->domain->lock);
}

static void recover(struct ucore_domain *domain)
{
	raw_spin_lock_irq(&domain->lock);
	ucore_recovery_reset(domain);
	raw_spin_unlock_irq(&domain->lock);
}

/* A box that responds again counts for all contexts that use it. Other boxes are not written. */
static void dead_box_in_use_counts_again(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0), *other = fake_ctx(test, 0, 0);
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *ha = fake_box(test, 0, "ha", 0);
	struct ucore_box *unused = fake_box(test, 0, "imc", 1);
	struct fake_window *w = fake_window(imc);

	fake_ctx_add(ctx, imc, 0, 0x400304, 0);
	fake_ctx_add(ctx, ha, 0, 0x400000, 0);
	fake_ctx_add(other, imc, 1, 0x400504, 0);
	ctx_run(test, ctx);
	ctx_run(test, other);
	fake_poke(w, 0xa0, 40);
	fake_poke(w, 0xa8, 60);
	read_running(ctx);
	read_running(other);
	w->dead = true;
	read_running(ctx);
	read_running(other);
	KUNIT_ASSERT_TRUE(test, imc->dead);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[0].flags & UCORE_VALUE_F_DEAD);

	unused->dead = true;
	recover(imc->domain);			/* it still does not respond */
	KUNIT_EXPECT_TRUE(test, imc->dead);
	KUNIT_EXPECT_FALSE(test, unused->dead);
	KUNIT_EXPECT_FALSE(test, ctx->gap_read);

	w->dead = false;
	fake_poke(w, 0xd8, 0);			/* and has lost its controls */
	fake_poke(w, 0xdc, 0);
	fake_bus_clear(bus_of(test));
	recover(imc->domain);
	KUNIT_EXPECT_FALSE(test, imc->dead);
	KUNIT_EXPECT_EQ(test, imc->users, 2U);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xd8), 0x400304ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xdc), 0x400504ULL);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(ha), 0), 0U);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].flags, 0U);
	KUNIT_EXPECT_EQ(test, other->ctr[0].flags, 0U);
	KUNIT_EXPECT_TRUE(test, ctx->gap_read && ctx->gap_sample);
	KUNIT_EXPECT_TRUE(test, other->gap_read && other->gap_sample);

	/* counts continue from their last values */
	fake_poke(w, 0xa0, 7);
	fake_poke(w, 0xa8, 8);
	read_running(ctx);
	read_running(other);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 47ULL);
	KUNIT_EXPECT_EQ(test, other->ctr[0].total, 68ULL);
}

/*
 * A box died armed: while it may recover, each sample checks for a spurious freeze and
 * reports it.
 */
static void sample_finds_freeze_of_recovered_box(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096), *gone = fake_ctx(test, 0, 0);
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(imc);
	const struct ucore_sample *sample;
	struct ucore_domain *domain = ctx->domain;

	fake_ctx_add(gone, imc, 0, 0x500304, 100);
	fake_ctx_add(ctx, fake_box(test, 0, "ha", 0), 0, 0x400304, 0);
	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_program(gone);
	raw_spin_unlock_irq(&domain->lock);
	imc->dead = true;
	w->dead = true;
	ctx_run(test, ctx);
	fake_clock_advance(1000 * MS);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_TRUE(test, domain->spurious);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));

	w->dead = false;
	fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
	fake_clock_advance(300 * MS);
	ctx->timer_ns = 1000000 * MS;
	ucore_timer_start(ctx, ktime_get_mono_fast_ns());
	fake_timer_fire(&ctx->timer);
	expect_gap(test, ctx);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_GAP);
	KUNIT_EXPECT_GE(test, sample->time_enabled, 1300 * MS);
	KUNIT_EXPECT_LT(test, sample->time_running, 1200 * MS);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_STATUS), 0ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);

	fake_clock_advance(1000 * MS);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_FALSE(test, domain->spurious);
	KUNIT_EXPECT_FALSE(test, imc->dead);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xd8), 0ULL);
	fake_bus_clear(bus_of(test));
	fake_timer_fire(&ctx->timer);			/* samples do not check any more */
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_global(0), 'R'), 0U);
}

static void enable_pmi(struct ucore_domain *domain)
{
	cpus_read_lock();
	ucore_pmi_enable(domain);
	cpus_read_unlock();
}

/* Disable the PMI, as the last armed session does. */
static void disable_pmi(struct ucore_domain *domain)
{
	domain->armed = 0;
	cpus_read_lock();
	ucore_pmi_disable(domain);
	cpus_read_unlock();
}

/* Let an overflow occur whose interrupt never arrives: the watchdog services it. */
static void lose_pmi(struct ucore_domain_ctx *ctx)
{
	overflow(ctx);
	fake_timer_fire(&ctx->domain->watchdog);
	fake_timer_fire(&ctx->domain->watchdog);
	flush_work(&ctx->domain->pmi.mend);
}

/*
 * A route that never delivered a PMI is widened to all cores, after the second loss, by a
 * work item. Without armed counters the route is narrow again.
 */
static void unproven_route_is_widened_after_two_losses(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;
	u64 narrow = BIT_ULL(0) | WAKE, wide = 0x7fff | WAKE;

	ctx_run(test, ctx);
	enable_pmi(domain);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), narrow);
	lose_pmi(ctx);
	KUNIT_EXPECT_FALSE(test, domain->pmi.wide);
	lose_pmi(ctx);
	KUNIT_EXPECT_TRUE(test, domain->pmi.wide);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), wide);
	KUNIT_EXPECT_EQ(test, cpumask_weight(&domain->pmi.cpus), num_online_cpus());
	disable_pmi(domain);
	KUNIT_EXPECT_FALSE(test, domain->pmi.wide);

	domain->armed = 1;
	enable_pmi(domain);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), narrow);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&domain->pmi.cpus, cpumask_of(0)));
	lose_pmi(ctx);
	KUNIT_EXPECT_TRUE(test, domain->pmi.wide);
	disable_pmi(domain);
}

/* After that the chosen CPUs get the PMI again. */
static void widened_route_returns_to_chosen_cpus(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;
	struct cpumask one = { };

	ctx_run(test, ctx);
	enable_pmi(domain);
	lose_pmi(ctx);
	lose_pmi(ctx);
	KUNIT_EXPECT_TRUE(test, domain->pmi.wide);
	disable_pmi(domain);
	cpumask_set_cpu(1, &one);
	fake_reader_choose(domain, 1, &one);
	domain->armed = 1;
	enable_pmi(domain);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), BIT_ULL(1) | WAKE);
	disable_pmi(domain);
}

/* The work item of the last loss runs late: it must not widen the next session's route. */
static void late_widening_does_not_affect_next_session(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;

	ctx_run(test, ctx);
	enable_pmi(domain);
	domain->pmi.losses = 5;
	disable_pmi(domain);
	domain->armed = 1;
	enable_pmi(domain);
	schedule_work(&domain->pmi.mend);
	flush_work(&domain->pmi.mend);
	KUNIT_EXPECT_FALSE(test, domain->pmi.wide);
	disable_pmi(domain);
}

/* Other software cleared the enable of uncore PMIs: after a loss it is set again. */
static void lost_pmi_restores_debugctl_enable(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;
	u32 cpu;

	fake_kernel.core_id[1] = 0;		/* a thread of the reader's core */
	ctx_run(test, ctx);
	enable_pmi(domain);
	for (cpu = 0; cpu < 2; cpu++) {
		KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[cpu], BIT_ULL(13));
		fake_kernel.debugctl[cpu] = 1;
	}
	lose_pmi(ctx);
	for (cpu = 0; cpu < 2; cpu++)
		KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[cpu], BIT_ULL(13) | 1);
	KUNIT_EXPECT_FALSE(test, domain->pmi.wide);
	disable_pmi(domain);
	for (cpu = 0; cpu < 2; cpu++)
		KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[cpu], 1ULL);
}

static void proven_route_is_widened_after_nine_losses(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;
	u32 i;

	ctx_run(test, ctx);
	enable_pmi(domain);
	domain->pmi.proven = true;
	for (i = 0; i < 8; i++)
		lose_pmi(ctx);
	KUNIT_EXPECT_FALSE(test, domain->pmi.wide);
	lose_pmi(ctx);
	KUNIT_EXPECT_TRUE(test, domain->pmi.wide);
	disable_pmi(domain);
}

/* After STOP, or with all cores in the route, there is nothing to repair. */
static void late_repair_writes_no_route(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;
	u32 i;

	ctx_run(test, ctx);
	enable_pmi(domain);
	for (i = 0; i < 2; i++) {
		if (i)
			disable_pmi(domain);
		domain->pmi.wide = !i;
		fake_bus_clear(bus_of(test));
		schedule_work(&domain->pmi.mend);
		flush_work(&domain->pmi.mend);
		FAKE_EXPECT_NONE(test, bus_of(test));
	}
}

/* ---- watchdog: overflows that are not reported ---- */

/* Let a counter wrap without a bit in the global status: no freeze, no interrupt. */
static void unreported_overflow(struct ucore_domain_ctx *ctx, u64 status)
{
	fake_poke(fake_window(ctx->box[0].box), 0xa0, 7);
	fake_poke(fake_window(ctx->box[0].box), 0xf8, status);
}

static void expect_recovered(struct kunit *test, struct ucore_domain_ctx *ctx)
{
	struct fake_window *w = fake_window(ctx->box[0].box);
	const struct ucore_sample *sample = fake_record(ctx->ring);

	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_RECOVERED);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, 100U);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 107ULL);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, (u32)UCORE_VALUE_F_OVERFLOW);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xa0), BIT_ULL(48) - 100);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xf8), 0ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_EQ(test, ctx->domain->recovered, 1ULL);
}

/*
 * The watchdog's read finds the wrap. The second time, the box status is checked and the
 * counter reloaded.
 */
static void unreported_overflow_is_found_by_watchdog(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;

	ctx->watchdog_ns = 400 * MS;
	ctx_run(test, ctx);
	unreported_overflow(ctx, BIT(1));
	fake_timer_fire(&domain->watchdog);	/* read a moment ago */
	KUNIT_EXPECT_FALSE(test, ctx->ctr[0].wrapped);
	fake_clock_advance(100 * MS);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[0].wrapped);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	expect_due_in(test, &domain->watchdog, MS);
	fake_clock_advance(MS);
	fake_timer_fire(&domain->watchdog);
	expect_recovered(test, ctx);
	expect_due_in(test, &domain->watchdog, 20 * MS);
	fake_timer_fire(&domain->watchdog);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
}

/* Another armed counter of the box has not overflowed: it is not reloaded. */
static void unreported_overflow_is_of_the_wrapped_counter(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;
	const struct ucore_sample *sample;

	fake_ctx_add(ctx, ctx->box[0].box, 1, 0x500304, 1000);
	ctx_run(test, ctx);
	fake_poke(fake_window(ctx->box[0].box), 0xa8, BIT_ULL(48) - 900);
	unreported_overflow(ctx, 0);
	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_read_running(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	fake_timer_fire(&domain->watchdog);
	fake_timer_fire(&domain->watchdog);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, (u32)UCORE_VALUE_F_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->values[1].flags, 0U);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(ctx->box[0].box), 0xa8), BIT_ULL(48) - 900);
}

/* Any read finds the wrap, even without a bit in the box status. */
static void unreported_overflow_is_found_by_read(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;

	ctx_run(test, ctx);
	unreported_overflow(ctx, 0);
	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_read_running(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	fake_timer_fire(&domain->watchdog);
	fake_timer_fire(&domain->watchdog);
	expect_recovered(test, ctx);
}

/* Let the counter wrap to @raw, and let the watchdog find it within a second. */
static void unreported_wrap(struct kunit *test, struct ucore_domain_ctx *ctx, u64 raw)
{
	struct hrtimer *watchdog = &ctx->domain->watchdog;

	fake_poke(fake_window(ctx->box[0].box), 0xa0, raw);
	fake_poke(fake_window(ctx->box[0].box), 0xf8, BIT(1));
	fake_timer_fire(watchdog);
	KUNIT_EXPECT_FALSE(test, ctx->ctr[0].wrapped);
	fake_clock_advance(981 * MS);
	fake_timer_fire(watchdog);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[0].wrapped);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	fake_clock_advance(MS);
	fake_timer_fire(watchdog);
}

static void expect_unreported_sample(struct kunit *test, struct ucore_domain_ctx *ctx, u64 count)
{
	const struct ucore_sample *sample = fake_record(ctx->ring);

	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->hdr.type, (u32)UCORE_RECORD_SAMPLE);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_RECOVERED);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, count);
	KUNIT_EXPECT_GE(test, sample->late_ns, 982 * MS);
	KUNIT_EXPECT_LT(test, sample->late_ns, 2000 * MS);
}

/* The watchdog reads the counter once per second. After the second wrap its period is polled. */
static void box_without_status_bit_is_polled(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_box *box = ctx->box[0].box;
	const struct ucore_sample *sample;

	ctx->ctr[0].poll_ns = MS;
	ctx_run(test, ctx);
	unreported_wrap(test, ctx, 7);
	expect_unreported_sample(test, ctx, 107);
	KUNIT_EXPECT_EQ(test, ctx->poll_ns, 0ULL);
	KUNIT_EXPECT_TRUE(test, box->caps & UCORE_BOX_F_OVERFLOW);
	unreported_wrap(test, ctx, 7);
	expect_unreported_sample(test, ctx, 214);
	KUNIT_EXPECT_EQ(test, ctx->poll_ns, MS);
	KUNIT_EXPECT_EQ(test, box->caps & UCORE_BOX_F_ANY_OVERFLOW, 0U);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(box), 0xd8), 0x400304ULL);	/* no ov_en */
	expect_due_in(test, &ctx->poll, MS);
	fake_poke(fake_window(box), 0xa0, BIT_ULL(48) - 100 + 85);
	fake_timer_fire(&ctx->poll);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	fake_poke(fake_window(box), 0xa0, BIT_ULL(48) - 100 + 86);
	fake_timer_fire(&ctx->poll);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->flags & ~UCORE_SAMPLE_F_CONTEXT, (u32)UCORE_SAMPLE_F_POLLED);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 300ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.recovered, 2ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.polled, 1ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 0ULL);
}

/* One overflow with a status bit shows that the box has one. Later wraps have other causes. */
static void box_with_status_bit_is_not_polled(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;
	u32 i;

	ctx->ctr[0].poll_ns = MS;
	ctx_run(test, ctx);
	overflow(ctx);
	fake_timer_fire(&domain->watchdog);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, ctx->stats.recovered, 1ULL);
	for (i = 2; i <= 4; i++) {
		unreported_overflow(ctx, BIT(1));
		fake_clock_advance(1100 * MS);
		fake_timer_fire(&domain->watchdog);
		KUNIT_EXPECT_FALSE(test, ctx->ctr[0].wrapped);	/* not read once per second */
		raw_spin_lock_irq(&domain->lock);
		ucore_ctx_read_running(ctx, ktime_get_mono_fast_ns());
		raw_spin_unlock_irq(&domain->lock);
		fake_timer_fire(&domain->watchdog);
		fake_timer_fire(&domain->watchdog);
		KUNIT_EXPECT_EQ(test, ctx->stats.recovered, (u64)i);
	}
	KUNIT_EXPECT_EQ(test, ctx->poll_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].period, 100ULL);
	KUNIT_EXPECT_TRUE(test, ctx->box[0].box->caps & UCORE_BOX_F_OVERFLOW);
}

/* A status bit of another box that overflowed at the same time proves nothing. */
static void status_bit_of_another_box_does_not_stop_polling(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_box *other = fake_box(test, 0, "imc", 4);
	struct ucore_domain *domain = ctx->domain;

	fake_ctx_add(ctx, other, 0, 0x500304, 100);
	ctx->ctr[0].poll_ns = MS;
	ctx_run(test, ctx);
	unreported_overflow(ctx, BIT(1));
	fake_overflow(other, 0xa0, 0, BIT(1), BIT_ULL(2) | BIT_ULL(21));
	fake_timer_fire(&domain->watchdog);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, ctx->stats.recovered, 2ULL);
	KUNIT_EXPECT_FALSE(test, ctx->box[0].box->reports);
	KUNIT_EXPECT_FALSE(test, other->reports);
}

/* Periods that ended before the watchdog found the first one have no sample. */
static void unreported_periods_count_as_dropped(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	const struct ucore_lost *lost;

	ctx_run(test, ctx);
	unreported_wrap(test, ctx, 257);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 2ULL);
	lost = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, lost);
	KUNIT_EXPECT_EQ(test, lost->hdr.type, (u32)UCORE_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, lost->lost, 2ULL);
	expect_unreported_sample(test, ctx, 357);
	/* a period that must not be polled stays with the watchdog */
	unreported_wrap(test, ctx, 7);
	expect_unreported_sample(test, ctx, 464);
	unreported_wrap(test, ctx, 7);
	KUNIT_EXPECT_EQ(test, ctx->stats.recovered, 3ULL);
	KUNIT_EXPECT_EQ(test, ctx->poll_ns, 0ULL);
}

/* After ADD_EVENT the box turned out to report no overflow: the next START polls the event. */
static void event_of_box_without_status_bit_is_polled_from_start(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.ring_size = 8192 });
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_add_event add;

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(0), 1000000, &add), 0);
	KUNIT_EXPECT_EQ(test, add.poll_ns, 0ULL);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, ucore_session_ctx(s, 0)->poll_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, ucore_session_ctx(s, 0)->ctr[0].poll_ns, 200000ULL);
	fake_stop(s);
	box->caps &= ~UCORE_BOX_F_ANY_OVERFLOW;
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, ucore_session_ctx(s, 0)->poll_ns, 200000ULL);
	KUNIT_EXPECT_EQ(test, ucore_session_ctx(s, 0)->armed_mask, 0ULL);
	fake_stop(s);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(1), 1000000, &add), 0);
	KUNIT_EXPECT_EQ(test, add.poll_ns, 200000ULL);
}

/* The wrap was only seen early: the status bit and the interrupt follow. */
static void late_status_bit_cancels_recovery(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;

	ctx_run(test, ctx);
	unreported_overflow(ctx, BIT(1));
	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_read_running(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	fake_timer_fire(&domain->watchdog);
	fake_poke(fake_global(0), GLOBAL_STATUS, IMC0);
	fake_global(0)->frozen = true;
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, domain->recovered, 0ULL);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	fake_timer_fire(&domain->watchdog);		/* unless the interrupt does not arrive */
	expect_recovered(test, ctx);
}

/* ---- watchdog: wraps ---- */

static void watchdog_reads_counters_before_they_wrap(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);
	struct fake_window *w = fake_window(ctx->box[0].box);

	ctx->watchdog_ns = 400 * MS;
	ctx_run(test, ctx);
	expect_due_in(test, &ctx->domain->watchdog, 200 * MS);
	fake_poke(w, 0xa0, 123);
	fake_timer_fire(&ctx->domain->watchdog);	/* read a moment ago: not yet due */
	FAKE_EXPECT_NONE(test, bus_of(test));

	fake_clock_advance(100 * MS);
	fake_timer_fire(&ctx->domain->watchdog);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0xa4), FAKE_R(w, 0xa0), FAKE_R(w, 0xa4));
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 123ULL);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	fake_timer_fire(&ctx->domain->watchdog);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* Periodic reads see each wrap of 48 bits. */
static void watchdog_reads_count_every_wrap(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);
	struct fake_window *w = fake_window(ctx->box[0].box);
	u64 truth = 0;
	u32 i;

	ctx->watchdog_ns = 400 * MS;
	ctx_run(test, ctx);
	for (i = 0; i < 20; i++) {
		truth += BIT_ULL(47) - 12345;	/* half of the range between two reads */
		fake_poke(w, 0xa0, truth & (BIT_ULL(48) - 1));
		fake_clock_advance(200 * MS);
		fake_timer_fire(&ctx->domain->watchdog);
	}
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, truth);
}

static void shortest_wrap_time_sets_watchdog_period(struct kunit *test)
{
	struct ucore_domain_ctx *a = imc_ctx(test, 0), *b = fake_ctx(test, 0, 0);

	fake_ctx_add(b, fake_box(test, 0, "cbo", 0), 0, 0x400000, 0);
	a->watchdog_ns = 10000 * MS;
	b->watchdog_ns = 1000 * MS;
	ctx_run(test, a);
	expect_due_in(test, &a->domain->watchdog, 1000 * MS);
	ctx_run(test, b);
	expect_due_in(test, &a->domain->watchdog, 500 * MS);
}

static void repeated_start_does_not_delay_watchdog(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);
	struct ucore_domain *domain = ctx->domain;
	ktime_t first;
	u32 i;

	ctx->watchdog_ns = 400 * MS;
	ctx_run(test, ctx);
	first = fake_timer_find(&domain->watchdog)->expires;
	for (i = 0; i < 3; i++) {
		fake_clock_advance(90 * MS);
		raw_spin_lock_irq(&domain->lock);
		ucore_watchdog_start(domain);
		raw_spin_unlock_irq(&domain->lock);
		KUNIT_EXPECT_LE(test, ktime_to_ns(fake_timer_find(&domain->watchdog)->expires),
				max_t(u64, ktime_to_ns(first), ktime_get_mono_fast_ns()) + 1000);
	}
}

/* ---- watchdog: throttling ---- */

static void throttle(struct ucore_domain *domain)
{
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	domain->throttled = true;
	domain->kept_frozen = true;
	raw_spin_unlock_irq(&domain->lock);
}

static void watchdog_ends_throttling(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);
	struct ucore_domain *domain = ctx->domain;

	ctx_run(test, ctx);
	throttle(domain);
	KUNIT_EXPECT_TRUE(test, fake_global(0)->frozen);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
}

/* Adapting the watchdog to a new context must not shorten the pause. */
static void start_does_not_end_throttling(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);
	struct ucore_domain *domain = ctx->domain;

	ctx_run(test, ctx);
	throttle(domain);
	raw_spin_lock_irq(&domain->lock);
	ucore_domain_kick_watchdog(domain, 5 * MS);
	ucore_watchdog_start(domain);
	raw_spin_unlock_irq(&domain->lock);
	expect_due_in(test, &domain->watchdog, 5 * MS);
	fake_timer_fire(&domain->watchdog);
}

/* The watchdog's own recovery may exceed the rate: the timer must not be started twice. */
static void recovery_beyond_rate_throttles(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;

	ctx_run(test, ctx);
	overflow(ctx);
	fake_timer_fire(&domain->watchdog);
	domain->throttle_start = ktime_get_mono_fast_ns();
	domain->throttle_count = 1000000;
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_TRUE(test, domain->throttled);
	KUNIT_EXPECT_FALSE(test, fake_kernel.timer_misuse);
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&domain->watchdog)->queued);
	KUNIT_EXPECT_LE(test, due_in(&domain->watchdog), 10 * MS);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
}

static void watchdog_of_idle_domain_ends(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];

	throttle(domain);
	fake_bus_clear(bus_of(test));
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&domain->watchdog)->queued);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
}

/* ---- all timers of a domain ---- */

static void timers_follow_the_reader(struct kunit *test)
{
	struct ucore_domain_ctx *a = imc_ctx(test, 0), *b = fake_ctx(test, 0, 0);
	struct ucore_domain *domain = a->domain;

	fake_ctx_add(b, fake_box(test, 0, "cbo", 0), 0, 0x400000, 0);
	a->timer_ns = 3 * MS;
	ctx_run(test, a);
	ctx_run(test, b);
	ucore_timer_start(a, ktime_get_mono_fast_ns());
	ucore_timers_cancel(domain);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&domain->watchdog)->queued);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&a->timer)->queued);
	cpus_read_lock();
	ucore_timers_restart(domain);
	cpus_read_unlock();
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&domain->watchdog)->queued);
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&a->timer)->queued);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&b->timer)->queued);
	KUNIT_EXPECT_FALSE(test, fake_kernel.timer_misuse);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(timer_samples_and_restarts),
	KUNIT_CASE(timer_sample_has_context),
	KUNIT_CASE(timer_of_stopped_context_ends),
	KUNIT_CASE(context_without_timer_starts_none),
	KUNIT_CASE(lost_pmi_is_recovered),
	KUNIT_CASE(late_ns_ignores_box_freezes),
	KUNIT_CASE(later_overflow_is_not_recovered_early),
	KUNIT_CASE(pending_overflow_while_frozen_is_not_recovered),
	KUNIT_CASE(unarmed_watchdog_reads_status_once_a_second),
	KUNIT_CASE(spurious_freeze_is_found),
	KUNIT_CASE(every_dead_armed_box_is_probed),
	KUNIT_CASE(dead_box_in_use_counts_again),
	KUNIT_CASE(sample_finds_freeze_of_recovered_box),
	KUNIT_CASE(unproven_route_is_widened_after_two_losses),
	KUNIT_CASE(widened_route_returns_to_chosen_cpus),
	KUNIT_CASE(late_widening_does_not_affect_next_session),
	KUNIT_CASE(lost_pmi_restores_debugctl_enable),
	KUNIT_CASE(proven_route_is_widened_after_nine_losses),
	KUNIT_CASE(late_repair_writes_no_route),
	KUNIT_CASE(unreported_overflow_is_found_by_watchdog),
	KUNIT_CASE(unreported_overflow_is_found_by_read),
	KUNIT_CASE(unreported_overflow_is_of_the_wrapped_counter),
	KUNIT_CASE(box_without_status_bit_is_polled),
	KUNIT_CASE(box_with_status_bit_is_not_polled),
	KUNIT_CASE(status_bit_of_another_box_does_not_stop_polling),
	KUNIT_CASE(unreported_periods_count_as_dropped),
	KUNIT_CASE(event_of_box_without_status_bit_is_polled_from_start),
	KUNIT_CASE(late_status_bit_cancels_recovery),
	KUNIT_CASE(watchdog_reads_counters_before_they_wrap),
	KUNIT_CASE(watchdog_reads_count_every_wrap),
	KUNIT_CASE(shortest_wrap_time_sets_watchdog_period),
	KUNIT_CASE(repeated_start_does_not_delay_watchdog),
	KUNIT_CASE(watchdog_ends_throttling),
	KUNIT_CASE(start_does_not_end_throttling),
	KUNIT_CASE(recovery_beyond_rate_throttles),
	KUNIT_CASE(watchdog_of_idle_domain_ends),
	KUNIT_CASE(timers_follow_the_reader),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_timer",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
