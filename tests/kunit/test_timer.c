// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timer trigger and the guard, fired by hand.
 */
#include <linux/cpu.h>

#include "fake_machine.h"
#include "irq/pmi.h"
#include "irq/recovery.h"

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

/* How far ahead a timer is set. */
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

/* ---- the trigger ---- */

static void trigger_samples_and_goes_on(struct kunit *test)
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

/* The timer tells who was interrupted, to those who may know. */
static void trigger_tells_the_context(struct kunit *test)
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

static void trigger_of_a_stopped_ctx(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);

	ctx->timer_ns = MS;
	ctx_run(test, ctx);
	ctx->running = false;
	KUNIT_EXPECT_EQ(test, fake_timer_fire(&ctx->timer), HRTIMER_NORESTART);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static void no_timer_none_started(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);

	ucore_timer_start(ctx, 1);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&ctx->timer)->queued);
}

/* ---- the guard: lost interrupts ---- */

static void overflow(struct ucore_domain_ctx *ctx)
{
	fake_overflow(ctx->box[0].box, 0xa0, 0, BIT(1), IMC0);
}

/* Seen once, the interrupt gets its time; seen twice, it was lost. */
static void lost_interrupt_is_recovered(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;
	const struct ucore_sample *sample;
	u64 suspected;

	ctx_run(test, ctx);
	expect_due_in(test, &domain->watchdog, 20 * MS);
	fake_timer_fire(&domain->watchdog);		/* nothing yet */
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
	KUNIT_EXPECT_GE(test, sample->time, suspected);		/* when it was first seen */
	KUNIT_EXPECT_LT(test, sample->time, suspected + MS);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_RECOVERED);
	/* at any time since the look before, which is told */
	KUNIT_EXPECT_GE(test, sample->late_ns, 20 * MS);
	KUNIT_EXPECT_LT(test, sample->late_ns, 21 * MS);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, 100U);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_EQ(test, domain->recovered, 1ULL);
	expect_due_in(test, &domain->watchdog, 20 * MS);
}

/* That boxes of the die were unfrozen meanwhile does not mean that the die ran. */
static void how_late_beside_box_freeze(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100), *beside = fake_ctx(test, 0, 4096);
	struct ucore_domain *domain = ctx->domain;
	const struct ucore_sample *sample;
	struct ucore_interval iv;

	fake_ctx_add(beside, fake_box(test, 0, "cbo", 0), 2, 0x400000, 0);
	beside->watchdog_ns = 1000000 * MS;
	beside->box_freeze = true;
	ctx_run(test, ctx);
	ctx_run(test, beside);
	fake_timer_fire(&domain->watchdog);
	overflow(ctx);
	fake_clock_advance(15 * MS);
	raw_spin_lock_irq(&domain->lock);
	ucore_interval_begin_ctx(&iv, beside, ktime_get_mono_fast_ns());
	ucore_sample_timer_due(&iv, beside);
	ucore_interval_end(&iv);
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(beside->ring));
	fake_clock_advance(5 * MS);
	fake_timer_fire(&domain->watchdog);
	fake_timer_fire(&domain->watchdog);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_RECOVERED);
	KUNIT_EXPECT_GE(test, sample->late_ns, 20 * MS);
}

/* Another overflow than the one suspected gets its own time. */
static void a_later_overflow_is_not_the_suspect(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;
	struct ucore_interval iv;

	ctx_run(test, ctx);
	overflow(ctx);
	fake_timer_fire(&domain->watchdog);
	raw_spin_lock_irq(&domain->lock);		/* its interrupt came after all */
	ucore_interval_begin_overflow(&iv, domain, ktime_get_mono_fast_ns(), false);
	ucore_interval_end(&iv);
	raw_spin_unlock_irq(&domain->lock);
	overflow(ctx);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, domain->recovered, 0ULL);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, domain->recovered, 1ULL);
}

static void no_suspicion_while_the_domain_is_held(struct kunit *test)
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

/* ---- the guard: what nobody armed ---- */

/* With nothing armed the status is read once a second, and by no sample. */
static void unarmed_watchdog_looks_once_a_second(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);

	ctx_run(test, ctx);
	expect_due_in(test, &ctx->domain->watchdog, 1000 * MS);
	fake_timer_fire(&ctx->domain->watchdog);	/* START has looked */
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
 * Something that no session armed has frozen the domain, at a time that nobody knows:
 * none of the time since the look before is counted as running.
 */
static void stray_freeze_is_found(struct kunit *test)
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
	fake_timer_fire(&ctx->domain->watchdog);		/* that was all */
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	ctx_times(ctx, ktime_get_mono_fast_ns(), &enabled, &running);
	KUNIT_EXPECT_GE(test, running, 1000 * MS);

	/* a guard that comes more often looks no more often than twice a second */
	fake_bus_clear(bus_of(test));
	fake_clock_advance(450 * MS);
	fake_timer_fire(&ctx->domain->watchdog);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), gw, 'R'), 0U);
	fake_clock_advance(100 * MS);
	fake_timer_fire(&ctx->domain->watchdog);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), gw, 'R'), 1U);
}

/* Whichever box it is */
static void each_box_that_died_armed_is_asked(struct kunit *test)
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

/* A box that died armed: as long as it may come back each sample looks, and tells. */
static void sample_finds_the_freeze_of_a_box_that_died(struct kunit *test)
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
	fake_timer_fire(&ctx->timer);			/* and no sample looks any more */
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_global(0), 'R'), 0U);
}

static void open_way(struct ucore_domain *domain)
{
	cpus_read_lock();
	ucore_pmi_enable(domain);
	cpus_read_unlock();
}

/* As the end of the last session that is armed does. */
static void close_way(struct ucore_domain *domain)
{
	domain->armed = 0;
	cpus_read_lock();
	ucore_pmi_disable(domain);
	cpus_read_unlock();
}

/* An overflow whose interrupt never comes: the guard services it. */
static void lose_pmi(struct ucore_domain_ctx *ctx)
{
	overflow(ctx);
	fake_timer_fire(&ctx->domain->watchdog);
	fake_timer_fire(&ctx->domain->watchdog);
	flush_work(&ctx->domain->pmi.mend);
}

/*
 * A route by which nothing ever came is widened to all cores, but not by the first loss; and
 * by that, later.  With nothing armed it is narrow again.
 */
static void never_proven_route_is_widened(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;
	u64 narrow = BIT_ULL(0) | WAKE, wide = 0x7fff | WAKE;

	ctx_run(test, ctx);
	open_way(domain);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), narrow);
	lose_pmi(ctx);
	KUNIT_EXPECT_FALSE(test, domain->pmi.wide);
	lose_pmi(ctx);
	KUNIT_EXPECT_TRUE(test, domain->pmi.wide);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), wide);
	KUNIT_EXPECT_EQ(test, cpumask_weight(&domain->pmi.cpus), num_online_cpus());
	close_way(domain);
	KUNIT_EXPECT_FALSE(test, domain->pmi.wide);

	domain->armed = 1;
	open_way(domain);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), narrow);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&domain->pmi.cpus, cpumask_of(0)));
	lose_pmi(ctx);
	KUNIT_EXPECT_TRUE(test, domain->pmi.wide);
	close_way(domain);
}

/* Then the CPUs that were chosen get it again. */
static void route_is_narrowed_to_the_chosen(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;
	struct cpumask one = { };

	ctx_run(test, ctx);
	open_way(domain);
	lose_pmi(ctx);
	lose_pmi(ctx);
	KUNIT_EXPECT_TRUE(test, domain->pmi.wide);
	close_way(domain);
	cpumask_set_cpu(1, &one);
	cpus_read_lock();
	ucore_reader_choose(domain, 1, &one);
	cpus_read_unlock();
	domain->armed = 1;
	open_way(domain);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), BIT_ULL(1) | WAKE);
	close_way(domain);
}

/* The work that the last loss asked for comes too late: it is another arming's route. */
static void nothing_is_widened_for_the_next(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;

	ctx_run(test, ctx);
	open_way(domain);
	domain->pmi.losses = 5;
	close_way(domain);
	domain->armed = 1;
	open_way(domain);
	schedule_work(&domain->pmi.mend);
	flush_work(&domain->pmi.mend);
	KUNIT_EXPECT_FALSE(test, domain->pmi.wide);
	close_way(domain);
}

/* Somebody cleared the bit that lets uncore PMIs in: after a loss it is set again. */
static void lost_interrupt_opens_the_way_again(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;
	u32 cpu;

	fake_kernel.core_id[1] = 0;		/* a thread of the reader's core */
	ctx_run(test, ctx);
	open_way(domain);
	for (cpu = 0; cpu < 2; cpu++) {
		KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[cpu], BIT_ULL(13));
		fake_kernel.debugctl[cpu] = 1;
	}
	lose_pmi(ctx);
	for (cpu = 0; cpu < 2; cpu++)
		KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[cpu], BIT_ULL(13) | 1);
	KUNIT_EXPECT_FALSE(test, domain->pmi.wide);
	close_way(domain);
	for (cpu = 0; cpu < 2; cpu++)
		KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[cpu], 1ULL);
}

static void proven_route_stays(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;

	ctx_run(test, ctx);
	domain->pmi.proven = true;
	lose_pmi(ctx);
	lose_pmi(ctx);
	KUNIT_EXPECT_FALSE(test, domain->pmi.wide);
}

/* ---- the guard: overflows that signal to nobody ---- */

/* A carry of which the global status has no bit: nothing freezes, nothing interrupts. */
static void silent_overflow(struct ucore_domain_ctx *ctx, u64 status)
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

/* Folding finds it; seen twice, its box is asked, and it is armed again. */
static void silent_overflow_is_found_by_folding(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;

	ctx->watchdog_ns = 400 * MS;
	ctx_run(test, ctx);
	silent_overflow(ctx, BIT(1));
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

/* So does any read, and the box need not know. */
static void silent_overflow_is_found_by_a_read(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;

	ctx_run(test, ctx);
	silent_overflow(ctx, 0);
	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_read_running(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	fake_timer_fire(&domain->watchdog);
	fake_timer_fire(&domain->watchdog);
	expect_recovered(test, ctx);
}

/* It was no more than early: the bit comes, and with it the interrupt. */
static void overflow_that_is_not_silent(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 100);
	struct ucore_domain *domain = ctx->domain;

	ctx_run(test, ctx);
	silent_overflow(ctx, BIT(1));
	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_read_running(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	fake_timer_fire(&domain->watchdog);
	fake_poke(fake_global(0), GLOBAL_STATUS, IMC0);
	fake_global(0)->frozen = true;
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, domain->recovered, 0ULL);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	fake_timer_fire(&domain->watchdog);		/* but if that never comes */
	expect_recovered(test, ctx);
}

/* ---- the guard: wraps ---- */

static void wraps_are_folded_in_time(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);
	struct fake_window *w = fake_window(ctx->box[0].box);

	ctx->watchdog_ns = 400 * MS;
	ctx_run(test, ctx);
	expect_due_in(test, &ctx->domain->watchdog, 200 * MS);
	fake_poke(w, 0xa0, 123);
	fake_timer_fire(&ctx->domain->watchdog);	/* read a moment ago: not yet */
	FAKE_EXPECT_NONE(test, bus_of(test));

	fake_clock_advance(100 * MS);
	fake_timer_fire(&ctx->domain->watchdog);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0xa4), FAKE_R(w, 0xa0), FAKE_R(w, 0xa4));
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 123ULL);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	fake_timer_fire(&ctx->domain->watchdog);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* Fold after fold, nothing is missed: each wrap of 48 bits is seen. */
static void folding_counts_every_wrap(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = imc_ctx(test, 0);
	struct fake_window *w = fake_window(ctx->box[0].box);
	u64 truth = 0;
	u32 i;

	ctx->watchdog_ns = 400 * MS;
	ctx_run(test, ctx);
	for (i = 0; i < 20; i++) {
		truth += BIT_ULL(47) - 12345;	/* half of the width between two looks */
		fake_poke(w, 0xa0, truth & (BIT_ULL(48) - 1));
		fake_clock_advance(200 * MS);
		fake_timer_fire(&ctx->domain->watchdog);
	}
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, truth);
}

static void soonest_ctx_sets_the_pace(struct kunit *test)
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

/* Many a START must not put the guard off. */
static void start_does_not_put_the_watchdog_off(struct kunit *test)
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

/* ---- the guard: throttling ---- */

static void throttle(struct ucore_domain *domain)
{
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	domain->throttled = true;
	domain->kept_frozen = true;
	raw_spin_unlock_irq(&domain->lock);
}

static void throttling_ends(struct kunit *test)
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

/* Whoever adapts the guard to a new part must not shorten the pause. */
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

/* The guard's own service may be the one too many: it must not be queued twice. */
static void recovery_may_throttle(struct kunit *test)
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

static void watchdog_of_an_idle_domain_ends(struct kunit *test)
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
	KUNIT_CASE(trigger_samples_and_goes_on),
	KUNIT_CASE(trigger_tells_the_context),
	KUNIT_CASE(trigger_of_a_stopped_ctx),
	KUNIT_CASE(no_timer_none_started),
	KUNIT_CASE(lost_interrupt_is_recovered),
	KUNIT_CASE(how_late_beside_box_freeze),
	KUNIT_CASE(a_later_overflow_is_not_the_suspect),
	KUNIT_CASE(no_suspicion_while_the_domain_is_held),
	KUNIT_CASE(unarmed_watchdog_looks_once_a_second),
	KUNIT_CASE(stray_freeze_is_found),
	KUNIT_CASE(each_box_that_died_armed_is_asked),
	KUNIT_CASE(sample_finds_the_freeze_of_a_box_that_died),
	KUNIT_CASE(never_proven_route_is_widened),
	KUNIT_CASE(route_is_narrowed_to_the_chosen),
	KUNIT_CASE(nothing_is_widened_for_the_next),
	KUNIT_CASE(lost_interrupt_opens_the_way_again),
	KUNIT_CASE(proven_route_stays),
	KUNIT_CASE(silent_overflow_is_found_by_folding),
	KUNIT_CASE(silent_overflow_is_found_by_a_read),
	KUNIT_CASE(overflow_that_is_not_silent),
	KUNIT_CASE(wraps_are_folded_in_time),
	KUNIT_CASE(folding_counts_every_wrap),
	KUNIT_CASE(soonest_ctx_sets_the_pace),
	KUNIT_CASE(start_does_not_put_the_watchdog_off),
	KUNIT_CASE(throttling_ends),
	KUNIT_CASE(start_does_not_end_throttling),
	KUNIT_CASE(recovery_may_throttle),
	KUNIT_CASE(watchdog_of_an_idle_domain_ends),
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
