// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of domains: freeze and unfreeze, the contents of each global write, the choice
 * of the reader, and CPU hotplug.
 */
#include <linux/cpu.h>

#include "box/core_select.h"
#include "cpu/budget.h"
#include "fake_machine.h"
#include "irq/pmi_route_and_service.h"
#include "irq/timer.h"

#define CORE(n)	BIT_ULL(n)

static struct ucore_domain *domain_of(struct kunit *test)
{
	return &ucore_catalog.domains[0];
}

static void freeze(struct ucore_domain *domain, u64 now)
{
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, now);
	raw_spin_unlock_irq(&domain->lock);
}

static void freeze_overflow(struct ucore_domain *domain, u64 now)
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

static void nested_freezes_write_once(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	freeze(domain, 100);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE));
	freeze(domain, 200);
	freeze(domain, 300);
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

/* A write without the route would clear the route. */
static void every_global_write_includes_the_route(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	set_route(domain, CORE(3) | WAKE);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, CORE(3) | WAKE));
	freeze(domain, 1);
	unfreeze(domain, false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE | CORE(3) | WAKE),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE | CORE(3) | WAKE));
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), CORE(3) | WAKE);
}

/* Routing the PMI of a frozen domain must not unfreeze the domain. */
static void route_write_keeps_freeze_state(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	freeze(domain, 1);
	set_route(domain, CORE(0));
	KUNIT_EXPECT_TRUE(test, gw->frozen);
	unfreeze(domain, false);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	set_route(domain, 0);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
}

/* An unfreeze with a pending overflow must leave the domain frozen for the overflow's service. */
static void pending_overflow_keeps_domain_frozen(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	domain->armed = 1;
	domain->armed_mask = BIT_ULL(20);
	freeze(domain, 100);
	fake_poke(gw, GLOBAL_STATUS, BIT_ULL(20));
	fake_bus_clear(bus_of(test));
	unfreeze(domain, true);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_STATUS));
	KUNIT_EXPECT_TRUE(test, domain->frozen);
	KUNIT_EXPECT_EQ(test, domain->freeze_count, 0U);

	freeze(domain, 500);			/* frozen already: no second write */
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, domain->frozen_since, 100ULL);
	unfreeze(domain, false);		/* the overflow's service unfreezes the domain */
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_FALSE(test, domain->frozen);
}

/* An overflow bit that belongs to no armed box has frozen the domain as well. */
static void unknown_overflow_keeps_domain_frozen(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	domain->armed = 1;
	domain->armed_mask = BIT_ULL(20);
	freeze(domain, 100);
	fake_poke(gw, GLOBAL_STATUS, BIT_ULL(2));
	unfreeze(domain, true);
	KUNIT_EXPECT_TRUE(test, gw->frozen);
}

/* Without armed counters the status is not read. */
static void unfreeze_of_unarmed_domain_is_one_write(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	freeze(domain, 1);
	fake_bus_clear(bus_of(test));
	unfreeze(domain, true);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
}

/*
 * Frozen by hardware. The driver writes the freeze too, because an unfreeze may have raced
 * with it.
 */
static void freeze_after_overflow_writes_once(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	freeze_overflow(domain, 700);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE));
	KUNIT_EXPECT_TRUE(test, domain->frozen);
	KUNIT_EXPECT_EQ(test, domain->frozen_since, 700ULL);
	freeze(domain, 800);
	FAKE_EXPECT_NONE(test, bus_of(test));
	unfreeze(domain, false);
	unfreeze(domain, false);
	KUNIT_EXPECT_FALSE(test, domain->frozen);
}

static void frozen_time_includes_current_freeze(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);
	u64 begin;

	domain->frozen_ns = 1000;
	KUNIT_EXPECT_EQ(test, ucore_domain_frozen_ns(domain, 99999), 1000ULL);
	freeze(domain, 5000);
	KUNIT_EXPECT_EQ(test, ucore_domain_frozen_ns(domain, 5000), 1000ULL);
	KUNIT_EXPECT_EQ(test, ucore_domain_frozen_ns(domain, 5300), 1300ULL);
	/* before the freeze */
	KUNIT_EXPECT_EQ(test, ucore_domain_frozen_ns(domain, 4000), 1000ULL);
	unfreeze(domain, false);

	domain->frozen_ns = 0;
	begin = ktime_get_mono_fast_ns();
	freeze(domain, begin);
	unfreeze(domain, false);
	KUNIT_EXPECT_LE(test, domain->frozen_ns, ktime_get_mono_fast_ns() - begin);
}

static void status_includes_unarmed_bits(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	domain->armed_mask = BIT_ULL(20) | BIT_ULL(2);
	fake_poke(gw, GLOBAL_STATUS, BIT_ULL(20) | BIT_ULL(5));
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), BIT_ULL(20) | BIT_ULL(5));
	gw->dead = true;
	KUNIT_EXPECT_EQ(test, ucore_domain_status(domain), 0ULL);
}

static void clear_status_writes_bits_as_read(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);

	fake_poke(gw, GLOBAL_STATUS, 0x100001);
	ucore_domain_status(domain_of(test));
	fake_poke(gw, GLOBAL_STATUS, 0x300005);		/* two more bits have been set since */
	fake_bus_clear(bus_of(test));
	ucore_domain_clear_status(domain_of(test));
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_STATUS, 0x100001));
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_STATUS), 0x200004ULL);
}

static void release_restores_global_control(struct kunit *test)
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

/* After the last CPU went offline, the next global write has the original route. */
static void release_offline_restores_original_route(struct kunit *test)
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

/* Boxes may be restored after the domain: the global control must keep its original value. */
static void freeze_after_release_keeps_original_control(struct kunit *test)
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

static void clear_stale_without_bits_writes_nothing(struct kunit *test)
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

static void core_above_14_is_not_selectable(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);

	fake_kernel.core_id[1] = 14;
	KUNIT_EXPECT_TRUE(test, ucore_core_select_possible(domain, 0));
	KUNIT_EXPECT_TRUE(test, ucore_core_select_possible(domain, 1));
	fake_kernel.core_id[1] = 15;
	KUNIT_EXPECT_FALSE(test, ucore_core_select_possible(domain, 1));
	fake_kernel.core_id[1] = 64;
	KUNIT_EXPECT_FALSE(test, ucore_core_select_possible(domain, 1));
	fake_kernel.core_id[1] = ~0U;
	KUNIT_EXPECT_FALSE(test, ucore_core_select_possible(domain, 1));
}

static void cpu_note(void *arg)
{
	*(int *)arg = raw_smp_processor_id();
}

static void domain_run_executes_on_the_reader(struct kunit *test)
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

static void chosen_reader_is_pinned(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);

	fake_reader_choose(domain, 1, cpumask_of(1));
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	KUNIT_EXPECT_EQ(test, domain->pin_cpu, 1);
	fake_reader_choose(domain, UCORE_NO_CPU, cpu_none_mask);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	KUNIT_EXPECT_EQ(test, domain->pin_cpu, UCORE_NO_CPU);
	FAKE_EXPECT_NONE(test, bus_of(test));	/* nothing is armed, so nothing is written */
}

/* The domain is frozen during the move, so that no overflow is missed. */
static void reader_change_moves_the_pmi(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_domain *domain = domain_of(test);

	cpus_read_lock();
	domain->armed = 1;
	ucore_pmi_enable(domain);
	cpus_read_unlock();
	fake_bus_clear(bus_of(test));
	fake_reader_choose(domain, 1, cpumask_of(1));
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE | CORE(0) | WAKE),
		    FAKE_R(gw, GLOBAL_STATUS), FAKE_W(gw, GLOBAL_CTL, 0),
		    FAKE_W(gw, GLOBAL_CTL, CORE(1) | WAKE), FAKE_R(gw, GLOBAL_STATUS),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE | CORE(1) | WAKE));
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&domain->pmi.cpus, cpumask_of(1)));
	domain->armed = 0;
	cpus_read_lock();
	ucore_pmi_disable(domain);
	cpus_read_unlock();
	KUNIT_EXPECT_TRUE(test, cpumask_empty(&domain->pmi.cpus));
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), 0ULL);
}

/* ---- hotplug callbacks, called by hand ---- */

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

static void gap_check(struct kunit *test, struct ucore_domain_ctx *ctx, u32 reason, int from,
		      int to)
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

static void reader_going_offline_moves_domain(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 0);

	cpu_down(0);
	KUNIT_EXPECT_EQ(test, ctx->domain->reader, 1);
	KUNIT_EXPECT_TRUE(test, ctx->running);
	gap_check(test, ctx, UCORE_GAP_READER_MOVED, 0, 1);
	FAKE_EXPECT_NONE(test, bus_of(test));	/* the boxes continue to count */
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&ctx->domain->watchdog)->queued);
}

static void other_cpu_going_offline_changes_nothing(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 0);

	cpu_down(1);
	KUNIT_EXPECT_EQ(test, ctx->domain->reader, 0);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&ctx->domain->watchdog)->queued);
}

/* An isolated CPU becomes reader only if there is no other CPU. */
static void isolated_cpu_reads_only_if_no_other(struct kunit *test)
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
	fake_kernel.core_id[1] = 33;	/* no PMI is better than one on an isolated CPU */
	domain->reader = UCORE_NO_CPU;
	cpu_up(0);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	fake_kernel.nohz_full = ~0ULL;
	domain->reader = UCORE_NO_CPU;
	cpu_up(1);
	KUNIT_EXPECT_EQ(test, domain->reader, 0);
}

static void isolated_reader_is_replaced(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 0);
	struct ucore_domain *domain = ctx->domain;

	fake_kernel.isolated = BIT_ULL(0);
	domain->pin_cpu = 0;
	cpu_up(1);
	KUNIT_EXPECT_EQ(test, domain->reader, 0);	/* a session chose this CPU */
	domain->pin_cpu = UCORE_NO_CPU;
	cpu_up(1);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	gap_check(test, ctx, UCORE_GAP_READER_MOVED, 0, 1);
	KUNIT_EXPECT_TRUE(test, ctx->running);
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&domain->watchdog)->queued);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* Cores that pmi_core_sel can select are preferred, and a session's choice takes precedence. */
static void next_reader_prefers_chosen_cpu(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);

	domain->reader = 1;
	domain->pins = 1;
	domain->pin_cpu = 0;
	cpu_down(1);
	KUNIT_EXPECT_EQ(test, domain->reader, 0);
	fake_kernel.core_id[1] = 33;	/* not selectable, but the only one */
	cpu_down(0);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	domain->pins = 0;
}

/* A session's choice is in force until that CPU goes offline. */
static void choice_ends_when_its_cpu_goes_offline(struct kunit *test)
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

/* A CPU that goes offline is removed from the PMI targets when the next reader takes over. */
static void cpu_going_offline_leaves_pmi_targets(struct kunit *test)
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

static void throttling_ends_when_a_cpu_goes_offline(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 0);
	struct ucore_domain *domain = ctx->domain;

	freeze(domain, ktime_get_mono_fast_ns());
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

/* Spend the CPU's budget, then let a counter overflow. */
static void overflow_too_much(void *arg)
{
	ucore_budget_enter(ktime_get_mono_fast_ns());
	fake_clock_advance(8 * NSEC_PER_MSEC);
	ucore_budget_leave();
	fake_overflow(arg, 0xa0, 0, BIT(1), BIT_ULL(20));
}

/*
 * A service that was queued on the old reader throttles after the new reader has taken over.
 * The watchdog must not be started on the CPU that goes offline, because the kernel would
 * migrate it.
 */
static void service_on_old_reader_starts_no_timer_there(struct kunit *test)
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
	fake_work_deliver();		/* irq_work queued on the dying CPU runs */
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

static void domain_resumes_with_its_next_cpu(struct kunit *test)
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

	/* counts continue */
	fake_poke(win, 0xa0, 30);
	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_read_running(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 530ULL);
	ctx_times(ctx, ktime_get_mono_fast_ns(), &later, &running);
	KUNIT_EXPECT_GE(test, later, enabled);
}

/*
 * Periods that are due when the last CPU goes offline are sampled or reported lost, as in
 * STOP.
 */
static void last_cpu_going_offline_samples_due_periods(struct kunit *test)
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

/* A run of the watchdog just before the domain loses its last CPU must not read reset counters. */
static void late_watchdog_reads_no_stopped_counter(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 1);
	struct fake_window *win = fake_window(ctx->ctr[0].box);
	struct ucore_domain *domain = ctx->domain;

	fake_poke(win, 0xa0, 500);
	cpu_down(1);
	fake_poke(win, 0xa0, 0);	/* the reset of the box */
	ctx->watchdog_ns = 0;
	domain->reader = 1;
	fake_bus_clear(bus_of(test));
	fake_timer_fire(&domain->watchdog);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 500ULL);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&domain->watchdog)->queued);
	domain->reader = UCORE_NO_CPU;
	cpu_up(1);
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&domain->watchdog)->queued);
}

/*
 * The PMI of an overflow just before the stop arrives when the boxes have been reset. Its service
 * takes no sample, and does not change the counts.
 */
static void late_pmi_samples_no_stopped_counter(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 1, 4096);
	struct ucore_domain *domain = ctx->domain;
	struct ucore_box *box = fake_box(test, 1, "imc", 0);

	fake_ctx_add(ctx, box, 0, 0x500304, 1000);
	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_program(ctx);
	fake_ctx_list(ctx);
	ucore_ctx_start_times(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	cpu_down(1);
	gap_check(test, ctx, UCORE_GAP_OFFLINE, 1, -1);
	domain->reader = 1;
	fake_overflow(box, 0xa0, 0, BIT(1), BIT_ULL(20));
	ctx->ctr[0].total = 500;
	fake_bus_clear(bus_of(test));
	smp_call_function_single(1, queue_here, &domain->pmi.work, 1);
	irq_work_sync(&domain->pmi.work);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(box), 0), 0U);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].total, 500ULL);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	domain->reader = UCORE_NO_CPU;
	cpu_up(1);
	KUNIT_EXPECT_FALSE(test, domain->frozen);
	KUNIT_EXPECT_FALSE(test, fake_global(1)->frozen);
	gap_check(test, ctx, UCORE_GAP_ONLINE, -1, 1);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
}

/* A box whose session closed while its domain was offline is restored later. */
static void first_cpu_online_restores_dirty_boxes(struct kunit *test)
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

/* For example at module load: the election of a reader does not access hardware. */
static void reader_election_touches_no_hardware(struct kunit *test)
{
	ucore_catalog.domains[1].reader = UCORE_NO_CPU;
	cpu_up(1);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].reader, 1);
	cpu_up(0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].reader, 0);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(nested_freezes_write_once),
	KUNIT_CASE(every_global_write_includes_the_route),
	KUNIT_CASE(route_write_keeps_freeze_state),
	KUNIT_CASE(pending_overflow_keeps_domain_frozen),
	KUNIT_CASE(unknown_overflow_keeps_domain_frozen),
	KUNIT_CASE(unfreeze_of_unarmed_domain_is_one_write),
	KUNIT_CASE(freeze_after_overflow_writes_once),
	KUNIT_CASE(frozen_time_includes_current_freeze),
	KUNIT_CASE(status_includes_unarmed_bits),
	KUNIT_CASE(clear_status_writes_bits_as_read),
	KUNIT_CASE(release_restores_global_control),
	KUNIT_CASE(release_offline_restores_original_route),
	KUNIT_CASE(freeze_after_release_keeps_original_control),
	KUNIT_CASE(clear_stale_without_bits_writes_nothing),
	KUNIT_CASE(core_above_14_is_not_selectable),
	KUNIT_CASE(domain_run_executes_on_the_reader),
	KUNIT_CASE(chosen_reader_is_pinned),
	KUNIT_CASE(reader_change_moves_the_pmi),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_domain",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

static struct kunit_case hotplug_cases[] = {
	KUNIT_CASE(reader_going_offline_moves_domain),
	KUNIT_CASE(other_cpu_going_offline_changes_nothing),
	KUNIT_CASE(next_reader_prefers_chosen_cpu),
	KUNIT_CASE(isolated_cpu_reads_only_if_no_other),
	KUNIT_CASE(isolated_reader_is_replaced),
	KUNIT_CASE(choice_ends_when_its_cpu_goes_offline),
	KUNIT_CASE(cpu_going_offline_leaves_pmi_targets),
	KUNIT_CASE(throttling_ends_when_a_cpu_goes_offline),
	KUNIT_CASE(service_on_old_reader_starts_no_timer_there),
	{ }
};

static struct kunit_suite hotplug_suite = {
	.name = "ucore_hotplug",
	.init = hotplug_init,
	.exit = fake_machine_exit,
	.test_cases = hotplug_cases,
};

static struct kunit_case hotplug_2_cases[] = {
	KUNIT_CASE(domain_resumes_with_its_next_cpu),
	KUNIT_CASE(last_cpu_going_offline_samples_due_periods),
	KUNIT_CASE(late_watchdog_reads_no_stopped_counter),
	KUNIT_CASE(late_pmi_samples_no_stopped_counter),
	KUNIT_CASE(first_cpu_online_restores_dirty_boxes),
	KUNIT_CASE(reader_election_touches_no_hardware),
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

/* A CPU goes offline: the die gets another reader, and the CPU's own domain stops. */
static void cpu_going_offline_leaves_both_domains(struct kunit *test)
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

/* Other CPUs do not affect a domain with the scope CPU. */
static void other_cpu_does_not_affect_cpu_domain(struct kunit *test)
{
	struct ucore_domain_ctx *cpu = running_ctx(test, 1);

	cpu_down(1);
	KUNIT_EXPECT_EQ(test, cpu->domain->reader, 0);
	KUNIT_EXPECT_TRUE(test, cpu->running);
	KUNIT_EXPECT_NULL(test, fake_record(cpu->ring));
}

static struct kunit_case hotplug_cpu_cases[] = {
	KUNIT_CASE(cpu_going_offline_leaves_both_domains),
	KUNIT_CASE(other_cpu_does_not_affect_cpu_domain),
	{ }
};

static struct kunit_suite hotplug_cpu_suite = {
	.name = "ucore_hotplug_cpu_scope",
	.init = hotplug_init_cpu,
	.exit = fake_machine_exit,
	.test_cases = hotplug_cpu_cases,
};

kunit_test_suites(&suite, &hotplug_suite, &hotplug_2_suite, &hotplug_cpu_suite);
