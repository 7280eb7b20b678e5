// SPDX-License-Identifier: GPL-2.0-only
/*
 * Freezing and unfreezing a domain, what every global write carries, who reads,
 * and what CPU hotplug does to it.
 */
#include <linux/cpu.h>

#include "fake_machine.h"
#include "cpu/budget.h"
#include "irq/pmi.h"
#include "irq/timer.h"

#define CORE(n)	BIT_ULL(n)

static struct ucore_domain *domain_of(struct kunit *test)
{
	return &ucore_catalog.domains[0];
}

static void hold(struct ucore_domain *domain, u64 now)
{
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, now);
	raw_spin_unlock_irq(&domain->lock);
}

static void hold_overflow(struct ucore_domain *domain, u64 now)
{
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_after_overflow(domain, now);
	raw_spin_unlock_irq(&domain->lock);
}

static void unfreeze(struct ucore_domain *domain, bool pending)
{
	raw_spin_lock_irq(&domain->lock);
	ucore_unfreeze_domain(domain, pending);
	raw_spin_unlock_irq(&domain->lock);
}

static void set_route(struct ucore_domain *domain, u64 route)
{
	raw_spin_lock_irq(&domain->lock);
	ucore_domain_set_route(domain, route);
	raw_spin_unlock_irq(&domain->lock);
}

static void frozen_once_unfrozen_once(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	hold(domain, 100);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE));
	hold(domain, 200);
	hold(domain, 300);
	unfreeze(domain, true);
	unfreeze(domain, true);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_TRUE(test, gw->frozen);
	KUNIT_EXPECT_EQ(test, domain->frozen_since, 100ULL);
	unfreeze(domain, true);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_FALSE(test, domain->frozen);
	KUNIT_EXPECT_EQ(test, domain->freeze_count, 0U);
}

/* A write without the route would unset it. */
static void every_write_carries_the_route(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	set_route(domain, CORE(3) | WAKE);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, CORE(3) | WAKE));
	hold(domain, 1);
	unfreeze(domain, false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE | CORE(3) | WAKE),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE | CORE(3) | WAKE));
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), CORE(3) | WAKE);
}

/* Routing a frozen domain's PMI must not unfreeze it. */
static void route_changes_nothing_else(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	hold(domain, 1);
	set_route(domain, CORE(0));
	KUNIT_EXPECT_TRUE(test, gw->frozen);
	unfreeze(domain, false);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	set_route(domain, 0);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
}

/* Whoever unfreezes while an overflow waits must leave the domain frozen to it. */
static void waiting_overflow_keeps_it_frozen(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	domain->armed = 1;
	domain->armed_mask = BIT_ULL(20);
	hold(domain, 100);
	fake_poke(gw, GLOBAL_STATUS, BIT_ULL(20));
	fake_bus_clear(bus_of(test));
	unfreeze(domain, true);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_STATUS));
	KUNIT_EXPECT_TRUE(test, domain->frozen);
	KUNIT_EXPECT_EQ(test, domain->freeze_count, 0U);

	hold(domain, 500);			/* frozen already: no second write */
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, domain->frozen_since, 100ULL);
	unfreeze(domain, false);		/* and the service unfreezes it */
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_FALSE(test, domain->frozen);
}

/* A bit that no armed box owns froze the domain, too. */
static void unknown_overflow_keeps_it_frozen(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	domain->armed = 1;
	domain->armed_mask = BIT_ULL(20);
	hold(domain, 100);
	fake_poke(gw, GLOBAL_STATUS, BIT_ULL(2));
	unfreeze(domain, true);
	KUNIT_EXPECT_TRUE(test, gw->frozen);
}

/* Nothing is armed: the status is not even read. */
static void unfreezing_unarmed_is_one_access(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	hold(domain, 1);
	fake_bus_clear(bus_of(test));
	unfreeze(domain, true);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
}

/* Frozen by the hardware, and by a write: a unfreeze may have crossed it. */
static void holding_what_an_overflow_froze(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	hold_overflow(domain, 700);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE));
	KUNIT_EXPECT_TRUE(test, domain->frozen);
	KUNIT_EXPECT_EQ(test, domain->frozen_since, 700ULL);
	hold(domain, 800);
	FAKE_EXPECT_NONE(test, bus_of(test));
	unfreeze(domain, false);
	unfreeze(domain, false);
	KUNIT_EXPECT_FALSE(test, domain->frozen);
}

static void frozen_time(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);
	u64 begin;

	domain->frozen_ns = 1000;
	KUNIT_EXPECT_EQ(test, ucore_domain_frozen_ns(domain, 99999), 1000ULL);
	hold(domain, 5000);
	KUNIT_EXPECT_EQ(test, ucore_domain_frozen_ns(domain, 5000), 1000ULL);
	KUNIT_EXPECT_EQ(test, ucore_domain_frozen_ns(domain, 5300), 1300ULL);
	/* before it froze */
	KUNIT_EXPECT_EQ(test, ucore_domain_frozen_ns(domain, 4000), 1000ULL);
	unfreeze(domain, false);

	domain->frozen_ns = 0;
	begin = ktime_get_mono_fast_ns();
	hold(domain, begin);
	unfreeze(domain, false);
	KUNIT_EXPECT_LE(test, domain->frozen_ns, ktime_get_mono_fast_ns() - begin);
}

static void status_is_whole(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	domain->armed_mask = BIT_ULL(20) | BIT_ULL(2);
	fake_poke(gw, GLOBAL_STATUS, BIT_ULL(20) | BIT_ULL(5));
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), BIT_ULL(20) | BIT_ULL(5));
	gw->dead = true;
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), 0ULL);
}

static void clearing_is_by_writing_ones(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);

	fake_poke(gw, GLOBAL_STATUS, 0x100001);
	ucore_domain_status(domain_of(test));
	fake_poke(gw, GLOBAL_STATUS, 0x300005);		/* two more have come since */
	fake_bus_clear(bus_of(test));
	ucore_domain_clear_status(domain_of(test));
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_STATUS, 0x100001));
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_STATUS), 0x200004ULL);
}

static void taken_and_given_back(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	fake_poke(gw, GLOBAL_CTL, CORE(6) | WAKE);
	fake_poke(gw, GLOBAL_STATUS, 0x5);
	raw_spin_lock_irq(&domain->lock);
	ucore_domain_acquire(domain);
	ucore_domain_clear_stale(domain);
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_CTL), FAKE_R(gw, GLOBAL_STATUS),
		    FAKE_W(gw, GLOBAL_STATUS, 0x5));
	KUNIT_EXPECT_EQ(test, domain->found, CORE(6) | WAKE);

	set_route(domain, CORE(1) | WAKE);
	raw_spin_lock_irq(&domain->lock);
	ucore_domain_release(domain);
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), CORE(6) | WAKE);
}

/* Its CPUs are gone: whoever comes back first routes nothing to them. */
static void an_abandoned_domain_routes_as_found(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	fake_poke(gw, GLOBAL_CTL, CORE(6) | WAKE);
	raw_spin_lock_irq(&domain->lock);
	ucore_domain_acquire(domain);
	ucore_domain_set_route(domain, CORE(1) | WAKE);
	ucore_domain_release_offline(domain);
	ucore_freeze_domain(domain, 1);
	ucore_unfreeze_domain(domain, true);
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), CORE(6) | WAKE);
}

/* Boxes are given back after the domain was given back: that must not undo it. */
static void what_was_found_stays_after_a_late_give_back(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	fake_poke(gw, GLOBAL_CTL, CORE(6) | WAKE);
	raw_spin_lock_irq(&domain->lock);
	ucore_domain_acquire(domain);
	ucore_domain_release(domain);
	ucore_freeze_domain(domain, 1);
	ucore_unfreeze_domain(domain, true);
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), CORE(6) | WAKE);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
}

static void nothing_stale_nothing_cleared(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	raw_spin_lock_irq(&domain->lock);
	ucore_domain_clear_stale(domain);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_STATUS));
	gw->dead = true;
	ucore_domain_clear_stale(domain);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_STATUS));
	raw_spin_unlock_irq(&domain->lock);
}

/* ---- the reader ---- */

static void which_cores_can_be_named(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);

	fake_kernel.core_id[1] = 14;
	KUNIT_EXPECT_TRUE(test, ucore_domain_cpu_selectable(domain, 0));
	KUNIT_EXPECT_TRUE(test, ucore_domain_cpu_selectable(domain, 1));
	fake_kernel.core_id[1] = 15;
	KUNIT_EXPECT_FALSE(test, ucore_domain_cpu_selectable(domain, 1));
	fake_kernel.core_id[1] = 64;
	KUNIT_EXPECT_FALSE(test, ucore_domain_cpu_selectable(domain, 1));
	fake_kernel.core_id[1] = ~0U;
	KUNIT_EXPECT_FALSE(test, ucore_domain_cpu_selectable(domain, 1));
}

static void cpu_note(void *arg)
{
	*(int *)arg = raw_smp_processor_id();
}

static void runs_on_the_reader(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);
	int cpu = -5;

	cpus_read_lock();
	domain->reader = 1;
	ucore_domain_run(domain, cpu_note, &cpu);
	KUNIT_EXPECT_EQ(test, cpu, 1);
	cpu = -5;
	domain->reader = UCORE_NO_CPU;
	ucore_domain_run(domain, cpu_note, &cpu);
	KUNIT_EXPECT_EQ(test, cpu, -5);
	cpus_read_unlock();
}

static void moving_the_reader(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);

	cpus_read_lock();
	ucore_reader_choose(domain, 1, cpumask_of(1));
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	KUNIT_EXPECT_EQ(test, domain->pin_cpu, 1);
	ucore_reader_choose(domain, UCORE_NO_CPU, cpu_none_mask);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	KUNIT_EXPECT_EQ(test, domain->pin_cpu, UCORE_NO_CPU);
	cpus_read_unlock();
	FAKE_EXPECT_NONE(test, bus_of(test));	/* nothing armed, nothing touched */
}

/* The domain stands still meanwhile: an overflow would go unnoticed. */
static void moving_takes_the_interrupt_along(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	cpus_read_lock();
	domain->armed = 1;
	ucore_pmi_enable(domain);
	fake_bus_clear(bus_of(test));
	ucore_reader_choose(domain, 1, cpumask_of(1));
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE | CORE(0) | WAKE),
		    FAKE_R(gw, GLOBAL_STATUS), FAKE_W(gw, GLOBAL_CTL, 0),
		    FAKE_W(gw, GLOBAL_CTL, CORE(1) | WAKE), FAKE_R(gw, GLOBAL_STATUS),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE | CORE(1) | WAKE));
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&domain->pmi.cpus, cpumask_of(1)));
	domain->armed = 0;
	ucore_pmi_disable(domain);
	KUNIT_EXPECT_TRUE(test, cpumask_empty(&domain->pmi.cpus));
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), 0ULL);
	cpus_read_unlock();
}

/* ---- hotplug: the callbacks, called by hand ---- */

static struct ucore_domain_ctx *running_ctx(struct kunit *test, u32 domain)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, domain, 4096);

	fake_ctx_add(ctx, fake_box(test, domain, "imc", 0), 0, 0x400304, 0);
	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_ctx_program(ctx);
	fake_ctx_list(ctx);
	ucore_ctx_start_times(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&ctx->domain->lock);
	fake_bus_clear(bus_of(test));
	return ctx;
}

static void cpu_down(u32 cpu)
{
	cpus_read_lock();
	fake_kernel.cpu_down(cpu);
	cpus_read_unlock();
}

static void cpu_up(u32 cpu)
{
	cpus_read_lock();
	fake_kernel.cpu_up(cpu);
	cpus_read_unlock();
}

static void gap_check(struct kunit *test, struct ucore_domain_ctx *ctx, u32 reason, int from, int to)
{
	const struct ucore_gap *gap = fake_record(ctx->ring);

	KUNIT_ASSERT_NOT_NULL(test, gap);
	KUNIT_EXPECT_EQ(test, gap->hdr.type, (u32)UCORE_RECORD_GAP);
	KUNIT_EXPECT_EQ(test, gap->hdr.size, (u32)sizeof(*gap));
	KUNIT_EXPECT_EQ(test, gap->reason, reason);
	KUNIT_EXPECT_EQ(test, gap->cpu_from, from);
	KUNIT_EXPECT_EQ(test, gap->cpu_to, to);
	KUNIT_EXPECT_EQ(test, gap->domain, ctx->domain->id);
	KUNIT_EXPECT_EQ(test, gap->box, 0xffffffffU);
	KUNIT_EXPECT_EQ(test, gap->reserved, 0U);
	KUNIT_EXPECT_GT(test, gap->time, 0ULL);
}

static int hotplug_init(struct kunit *test)
{
	int ret = fake_machine_init(test);

	return ret ?: ucore_readers_init();
}

static void reader_leaves(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 0);

	cpu_down(0);
	KUNIT_EXPECT_EQ(test, ctx->domain->reader, 1);
	KUNIT_EXPECT_TRUE(test, ctx->running);
	gap_check(test, ctx, UCORE_GAP_READER_MOVED, 0, 1);
	FAKE_EXPECT_NONE(test, bus_of(test));	/* the boxes count on */
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&ctx->domain->watchdog)->queued);
}

static void another_cpu_leaves(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 0);

	cpu_down(1);
	KUNIT_EXPECT_EQ(test, ctx->domain->reader, 0);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&ctx->domain->watchdog)->queued);
}

/* An isolated CPU reads only if there is no other. */
static void readers_are_not_isolated(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);

	fake_kernel.isolated = BIT_ULL(0);
	domain->reader = UCORE_NO_CPU;
	cpu_up(0);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	fake_kernel.isolated = 0;
	fake_kernel.nohz_full = BIT_ULL(0);
	domain->reader = UCORE_NO_CPU;
	cpu_up(0);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	fake_kernel.core_id[1] = 33;	/* better no PMI than one there */
	domain->reader = UCORE_NO_CPU;
	cpu_up(0);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	fake_kernel.nohz_full = ~0ULL;
	domain->reader = UCORE_NO_CPU;
	cpu_up(1);
	KUNIT_EXPECT_EQ(test, domain->reader, 0);
}

static void isolated_reader_makes_way(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 0);
	struct ucore_domain *domain = ctx->domain;

	fake_kernel.isolated = BIT_ULL(0);
	domain->pin_cpu = 0;
	cpu_up(1);
	KUNIT_EXPECT_EQ(test, domain->reader, 0);	/* a session chose it */
	domain->pin_cpu = UCORE_NO_CPU;
	cpu_up(1);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	gap_check(test, ctx, UCORE_GAP_READER_MOVED, 0, 1);
	KUNIT_EXPECT_TRUE(test, ctx->running);
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&domain->watchdog)->queued);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* A core that pmi_core_sel can name is preferred, and what a session chose before it. */
static void choice_of_the_next_reader(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);

	if (num_online_cpus() < 2)
		return;
	domain->reader = 1;
	domain->pins = 1;
	domain->pin_cpu = 0;
	cpu_down(1);
	KUNIT_EXPECT_EQ(test, domain->reader, 0);
	fake_kernel.core_id[1] = 33;	/* not selectable, but all there is */
	cpu_down(0);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	domain->pins = 0;
}

/* What a session chose holds until that CPU leaves. */
static void choice_ends_with_its_cpu(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);

	domain->pins = 1;
	domain->pin_cpu = 1;
	domain->reader = 1;
	cpu_down(1);
	KUNIT_EXPECT_EQ(test, domain->pin_cpu, UCORE_NO_CPU);
	KUNIT_EXPECT_EQ(test, domain->reader, 0);
	domain->pins = 0;
}

/* The CPU that leaves is no receiver any more when another takes over. */
static void leaving_cpu_takes_no_interrupt(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct ucore_domain *domain = ctx->domain;

	fake_kernel.core_id[1] = 0;	/* threads of one core */
	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 0x500304, 100);
	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_program(ctx);
	fake_ctx_list(ctx);
	ucore_ctx_start_times(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	cpus_read_lock();
	ucore_pmi_enable(domain);
	KUNIT_EXPECT_EQ(test, cpumask_weight(&domain->pmi.cpus), 2U);
	cpus_read_unlock();
	cpu_down(0);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&domain->pmi.cpus, cpumask_of(1)));
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[0], 0ULL);
	gap_check(test, ctx, UCORE_GAP_READER_MOVED, 0, 1);
	cpu_up(0);
	KUNIT_EXPECT_EQ(test, cpumask_weight(&domain->pmi.cpus), 2U);
	KUNIT_EXPECT_FALSE(test, domain->frozen);
}

static void throttling_ends_when_a_cpu_leaves(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 0);
	struct ucore_domain *domain = ctx->domain;

	hold(domain, ktime_get_mono_fast_ns());
	domain->throttled = true;
	domain->kept_frozen = true;
	cpu_down(1);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_EXPECT_FALSE(test, domain->frozen);
}

static void queue_here(void *arg)
{
	irq_work_queue(arg);
}

/* The CPU has had its share, and an overflow comes. */
static void overflow_too_much(void *arg)
{
	ucore_budget_enter(ktime_get_mono_fast_ns());
	fake_clock_advance(8 * NSEC_PER_MSEC);
	ucore_budget_leave();
	fake_overflow(arg, 0xa0, 0, BIT(1), BIT_ULL(20));
}

/*
 * Its service, queued before, throttles when another CPU is the reader already.  The guard
 * must not be left to a CPU that goes: the kernel would move it to any.
 */
static void service_on_the_cpu_that_leaves(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct ucore_domain *domain = ctx->domain;
	const struct fake_timer *watchdog = fake_timer_find(&domain->watchdog);

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 0x500304, 100);
	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_program(ctx);
	fake_ctx_list(ctx);
	ucore_ctx_start_times(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	fake_kernel.hold_work = true;
	fake_kernel.before_work = overflow_too_much;
	fake_kernel.work_arg = ctx->box[0].box;
	smp_call_function_single(0, queue_here, &domain->pmi.work, 1);
	cpu_down(0);
	fake_work_deliver();		/* the CPU dies: what is queued there runs */
	KUNIT_EXPECT_EQ(test, domain->throttles, 1ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.overflows, 1ULL);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	KUNIT_EXPECT_TRUE(test, watchdog->queued);
	KUNIT_EXPECT_EQ(test, watchdog->cpu, 1);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_EXPECT_FALSE(test, domain->frozen);
}

static int hotplug_init_2(struct kunit *test)
{
	int ret = fake_machine_init_2(test);

	return ret ?: ucore_readers_init();
}

static void last_cpu_leaves_and_one_comes(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 1);
	struct fake_window *win = fake_window(ctx->ctr[0].box);
	struct ucore_domain *domain = ctx->domain;
	u64 enabled, running, later;

	fake_poke(win, 0xa0, 500);
	cpu_down(1);
	KUNIT_EXPECT_EQ(test, domain->reader, UCORE_NO_CPU);
	KUNIT_EXPECT_FALSE(test, ctx->running);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 500ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(win, 0xd8), 0ULL);	/* nothing is left armed */
	KUNIT_EXPECT_FALSE(test, domain->frozen);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&domain->watchdog)->queued);
	gap_check(test, ctx, UCORE_GAP_OFFLINE, 1, -1);
	ctx_times(ctx, ktime_get_mono_fast_ns(), &enabled, &running);

	cpu_up(1);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	KUNIT_EXPECT_TRUE(test, ctx->running);
	KUNIT_EXPECT_EQ(test, fake_peek(win, 0xd8), 0x400304ULL);
	gap_check(test, ctx, UCORE_GAP_ONLINE, -1, 1);
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&domain->watchdog)->queued);
	KUNIT_EXPECT_FALSE(test, domain->frozen);

	/* counts go on from where they were */
	fake_poke(win, 0xa0, 30);
	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_read_running(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 530ULL);
	ctx_times(ctx, ktime_get_mono_fast_ns(), &later, &running);
	KUNIT_EXPECT_GE(test, later, enabled);
}

/* Instants of the timer that are due when the last CPU leaves are told, as by STOP; no others. */
static void last_cpu_samples_what_is_due(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 1);
	const struct ucore_sample *sample;
	const struct ucore_lost *lost;

	ctx->timer_ns = NSEC_PER_SEC;
	ucore_timer_start(ctx, ctx->resumed);
	fake_clock_advance(2 * (u64)NSEC_PER_SEC + NSEC_PER_SEC / 2);
	cpu_down(1);
	lost = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, lost);
	KUNIT_EXPECT_EQ(test, lost->hdr.type, (u32)UCORE_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, lost->lost, 1ULL);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->hdr.type, (u32)UCORE_RECORD_SAMPLE);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_TIMER);
	gap_check(test, ctx, UCORE_GAP_OFFLINE, 1, -1);

	fake_clock_advance(3 * (u64)NSEC_PER_SEC);
	cpu_up(1);
	gap_check(test, ctx, UCORE_GAP_ONLINE, -1, 1);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 1ULL);
	KUNIT_EXPECT_GT(test, ctx->timer_due, ctx->resumed);
	KUNIT_EXPECT_LE(test, ctx->timer_due, ctx->resumed + NSEC_PER_SEC);
}

/* A box whose session closed while its domain had no CPU is cleaned up later. */
static void first_cpu_cleans_up(struct kunit *test)
{
	struct ucore_box *left = fake_box(test, 1, "cbo", 0), *clean = fake_box(test, 1, "cbo", 1);
	struct fake_window *w = fake_window(left);
	static const u64 filters[UCORE_MAX_SHARED] = { 0x1f, 0x2 };

	fake_poke(w, 0x14, 0xab);
	ucore_box_program(left, filters);
	ucore_catalog.domains[1].reader = UCORE_NO_CPU;
	cpu_up(1);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x14), 0xabULL);
	KUNIT_EXPECT_FALSE(test, left->dirty);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(clean), 0), 0U);
	KUNIT_EXPECT_FALSE(test, fake_global(1)->frozen);
}

/* At load, say: electing a reader changes no hardware. */
static void cpu_comes_and_there_is_nothing_to_do(struct kunit *test)
{
	ucore_catalog.domains[1].reader = UCORE_NO_CPU;
	cpu_up(1);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].reader, 1);
	cpu_up(0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].reader, 0);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(frozen_once_unfrozen_once),
	KUNIT_CASE(every_write_carries_the_route),
	KUNIT_CASE(route_changes_nothing_else),
	KUNIT_CASE(waiting_overflow_keeps_it_frozen),
	KUNIT_CASE(unknown_overflow_keeps_it_frozen),
	KUNIT_CASE(unfreezing_unarmed_is_one_access),
	KUNIT_CASE(holding_what_an_overflow_froze),
	KUNIT_CASE(frozen_time),
	KUNIT_CASE(status_is_whole),
	KUNIT_CASE(clearing_is_by_writing_ones),
	KUNIT_CASE(taken_and_given_back),
	KUNIT_CASE(an_abandoned_domain_routes_as_found),
	KUNIT_CASE(what_was_found_stays_after_a_late_give_back),
	KUNIT_CASE(nothing_stale_nothing_cleared),
	KUNIT_CASE(which_cores_can_be_named),
	KUNIT_CASE(runs_on_the_reader),
	KUNIT_CASE(moving_the_reader),
	KUNIT_CASE(moving_takes_the_interrupt_along),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_domain",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

static struct kunit_case hotplug_cases[] = {
	KUNIT_CASE(reader_leaves),
	KUNIT_CASE(another_cpu_leaves),
	KUNIT_CASE(choice_of_the_next_reader),
	KUNIT_CASE(readers_are_not_isolated),
	KUNIT_CASE(isolated_reader_makes_way),
	KUNIT_CASE(choice_ends_with_its_cpu),
	KUNIT_CASE(leaving_cpu_takes_no_interrupt),
	KUNIT_CASE(throttling_ends_when_a_cpu_leaves),
	KUNIT_CASE(service_on_the_cpu_that_leaves),
	{ }
};

static struct kunit_suite hotplug_suite = {
	.name = "ucore_hotplug",
	.init = hotplug_init,
	.exit = fake_machine_exit,
	.test_cases = hotplug_cases,
};

static struct kunit_case hotplug_2_cases[] = {
	KUNIT_CASE(last_cpu_leaves_and_one_comes),
	KUNIT_CASE(last_cpu_samples_what_is_due),
	KUNIT_CASE(first_cpu_cleans_up),
	KUNIT_CASE(cpu_comes_and_there_is_nothing_to_do),
	{ }
};

static struct kunit_suite hotplug_2_suite = {
	.name = "ucore_hotplug_2_domains",
	.init = hotplug_init_2,
	.exit = fake_machine_exit,
	.test_cases = hotplug_2_cases,
};

static int hotplug_init_cpu(struct kunit *test)
{
	int ret = fake_machine_init_cpu(test);

	return ret ?: ucore_readers_init();
}

/* A CPU leaves its die, which another one reads then, and its own domain, which stops. */
static void cpu_leaves_both_its_domains(struct kunit *test)
{
	struct ucore_domain_ctx *die = running_ctx(test, 0), *cpu = running_ctx(test, 1);

	cpu_down(0);
	KUNIT_EXPECT_EQ(test, die->domain->reader, 1);
	KUNIT_EXPECT_TRUE(test, die->running);
	gap_check(test, die, UCORE_GAP_READER_MOVED, 0, 1);
	KUNIT_EXPECT_EQ(test, cpu->domain->reader, UCORE_NO_CPU);
	KUNIT_EXPECT_FALSE(test, cpu->running);
	gap_check(test, cpu, UCORE_GAP_OFFLINE, 0, -1);

	cpu_up(0);
	KUNIT_EXPECT_EQ(test, die->domain->reader, 1);
	KUNIT_EXPECT_EQ(test, cpu->domain->reader, 0);
	KUNIT_EXPECT_TRUE(test, cpu->running);
	gap_check(test, cpu, UCORE_GAP_ONLINE, -1, 0);
}

/* Another CPU is nothing to a CPU's own domain. */
static void another_cpu_is_not_of_the_domain(struct kunit *test)
{
	struct ucore_domain_ctx *cpu = running_ctx(test, 1);

	cpu_down(1);
	KUNIT_EXPECT_EQ(test, cpu->domain->reader, 0);
	KUNIT_EXPECT_TRUE(test, cpu->running);
	KUNIT_EXPECT_NULL(test, fake_record(cpu->ring));
}

static struct kunit_case hotplug_cpu_cases[] = {
	KUNIT_CASE(cpu_leaves_both_its_domains),
	KUNIT_CASE(another_cpu_is_not_of_the_domain),
	{ }
};

static struct kunit_suite hotplug_cpu_suite = {
	.name = "ucore_hotplug_cpu_scope",
	.init = hotplug_init_cpu,
	.exit = fake_machine_exit,
	.test_cases = hotplug_cpu_cases,
};

kunit_test_suites(&suite, &hotplug_suite, &hotplug_2_suite, &hotplug_cpu_suite);
