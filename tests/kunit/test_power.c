// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of suspend, resume, reboot and panic: the registers that each leaves, what
 * sessions report, and paused machines.
 */
#include <linux/cpu.h>

#include "fake_machine.h"
#include "hotplug/suspend_reboot_panic.h"

#define IMC0	BIT_ULL(20)
#define MS	((u64)NSEC_PER_MSEC)
#define SEC	((u64)NSEC_PER_SEC)

static void send_pm_event(unsigned long event)
{
	fake_kernel.suspend_notifier->notifier_call(fake_kernel.suspend_notifier, event, NULL);
}

/* Clear the registers of a box, as S3 does. */
static void power_off(struct fake_window *win)
{
	u32 i;

	for (i = 0; i < win->nr; i++)
		win->regs[i].val = 0;
	win->frozen = false;
}

static void expect_gap(struct kunit *test, struct ucore_domain_ctx *ctx, u32 reason, int from,
		       int to)
{
	const struct ucore_gap *gap = fake_record(ctx->ring);

	KUNIT_ASSERT_NOT_NULL(test, gap);
	KUNIT_EXPECT_EQ(test, gap->hdr.type, (u32)UCORE_RECORD_GAP);
	KUNIT_EXPECT_EQ(test, gap->reason, reason);
	KUNIT_EXPECT_EQ(test, gap->cpu_from, from);
	KUNIT_EXPECT_EQ(test, gap->cpu_to, to);
}

/**
 * struct found - a running session, and registers that were not zero before START
 * @s: session with an armed counter of imc0 and a counter of cbo0, on each domain
 * @gw: windows of the global controls
 * @imc: windows of imc0
 * @cbo: windows of cbo0
 */
struct found {
	struct ucore_session *s;
	struct fake_window *gw[2];
	struct fake_window *imc[2];
	struct fake_window *cbo[2];
};

static void found_init(struct kunit *test, struct found *f,
		       const struct ucore_create_session *config)
{
	u32 i;

	f->s = fake_session_config(test, config);
	for (i = 0; i < 2; i++) {
		f->gw[i] = fake_global(i);
		f->imc[i] = fake_window(fake_box(test, i, "imc", 0));
		f->cbo[i] = fake_window(fake_box(test, i, "cbo", 0));
		fake_poke(f->gw[i], GLOBAL_CTL, 0x40);
		fake_poke(f->cbo[i], 0x14, 0xab);
		KUNIT_ASSERT_EQ(test, fake_add(f->s, fake_box(test, i, "imc", 0), 4, BIT(0), 1000,
					       NULL), 0);
		KUNIT_ASSERT_EQ(test, fake_add(f->s, fake_box(test, i, "cbo", 0), 4, BIT(0), 0,
					       NULL), 0);
	}
	KUNIT_ASSERT_EQ(test, fake_start(f->s), 0);
	KUNIT_ASSERT_NE(test, fake_peek(f->gw[0], GLOBAL_CTL), 0x40ULL);
	KUNIT_ASSERT_EQ(test, fake_peek(f->cbo[0], 0x14), 0ULL);
}

static void expect_restored(struct kunit *test, const struct found *f, u32 i)
{
	KUNIT_EXPECT_EQ(test, fake_peek(f->gw[i], GLOBAL_CTL), 0x40ULL);
	KUNIT_EXPECT_FALSE(test, f->gw[i]->frozen);
	KUNIT_EXPECT_EQ(test, fake_peek(f->imc[i], 0xd8), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(f->imc[i], 0xa0), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(f->cbo[i], 0x10), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(f->cbo[i], 0x14), 0xabULL);
}

static const struct ucore_create_session ring = { .ring_size = 4096 };

/* ---- suspend and resume ---- */

static void suspend_restores_registers(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[1];
	struct found f;
	u32 i;

	found_init(test, &f, &ring);
	KUNIT_EXPECT_NE(test, fake_kernel.debugctl[1], 0ULL);
	send_pm_event(PM_SUSPEND_PREPARE);
	for (i = 0; i < 2; i++)
		expect_restored(test, &f, i);
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[1], 0ULL);
	KUNIT_EXPECT_EQ(test, domain->reader, UCORE_NO_CPU);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&domain->watchdog)->queued);
	KUNIT_EXPECT_TRUE(test, f.s->running);
	KUNIT_EXPECT_FALSE(test, f.s->ctx[1]->running);
	expect_gap(test, f.s->ctx[1], UCORE_GAP_SUSPEND, 1, -1);

	/* a second suspend has nothing to do */
	fake_bus_clear(bus_of(test));
	send_pm_event(PM_HIBERNATION_PREPARE);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_NULL(test, fake_record(f.s->ctx[1]->ring));
}

static void resume_continues_counts(struct kunit *test)
{
	u64 enabled, running, later;
	struct ucore_domain_ctx *ctx;
	struct found f;

	found_init(test, &f, &ring);
	ctx = f.s->ctx[1];
	fake_poke(f.cbo[1], 0x16, 500);
	send_pm_event(PM_SUSPEND_PREPARE);
	ctx_times(ctx, ktime_get_mono_fast_ns(), &enabled, &running);
	fake_clock_advance(100 * SEC);
	power_off(f.gw[1]);
	power_off(f.imc[1]);
	power_off(f.cbo[1]);
	send_pm_event(PM_POST_SUSPEND);

	KUNIT_EXPECT_EQ(test, ctx->domain->reader, 1);
	KUNIT_EXPECT_EQ(test, fake_peek(f.imc[1], 0xa0), BIT_ULL(48) - 1000);
	KUNIT_EXPECT_NE(test, fake_peek(f.imc[1], 0xd8), 0ULL);
	KUNIT_EXPECT_NE(test, fake_kernel.debugctl[1], 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(f.gw[1], GLOBAL_CTL) & ~UNFREEZE, BIT_ULL(1) | WAKE);
	KUNIT_EXPECT_FALSE(test, f.gw[1]->frozen);
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&ctx->domain->watchdog)->queued);
	expect_gap(test, ctx, UCORE_GAP_SUSPEND, 1, -1);
	expect_gap(test, ctx, UCORE_GAP_RESUME, -1, 1);

	fake_poke(f.cbo[1], 0x16, 30);
	session_read(f.s, false);
	KUNIT_EXPECT_EQ(test, f.s->values[3].count, 530ULL);
	KUNIT_EXPECT_EQ(test, f.s->values[3].flags, (u32)UCORE_VALUE_F_GAP);
	session_read(f.s, false);
	KUNIT_EXPECT_EQ(test, f.s->values[3].flags, 0U);
	/* suspended time is not enabled time */
	ctx_times(ctx, ktime_get_mono_fast_ns(), &later, &running);
	KUNIT_EXPECT_LT(test, later, enabled + SEC);
	KUNIT_EXPECT_LE(test, running, later);
	fake_session_close(test, f.s);
	/* restores the values found at resume, not those before the suspend */
	KUNIT_EXPECT_EQ(test, fake_peek(f.gw[1], GLOBAL_CTL), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(f.cbo[1], 0x14), 0ULL);
}

static void first_sample_after_resume_has_gap_flag(struct kunit *test)
{
	const struct ucore_create_session config = { .ring_size = 4096, .timer_ns = MS };
	const struct ucore_sample *sample;
	struct ucore_domain_ctx *ctx;
	struct found f;

	found_init(test, &f, &config);
	ctx = f.s->ctx[0];
	send_pm_event(PM_HIBERNATION_PREPARE);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&ctx->timer)->queued);
	send_pm_event(PM_POST_HIBERNATION);
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&ctx->timer)->queued);
	expect_gap(test, ctx, UCORE_GAP_SUSPEND, 0, -1);
	expect_gap(test, ctx, UCORE_GAP_RESUME, -1, 0);
	fake_timer_fire(&ctx->timer);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_TRUE(test, sample->flags & UCORE_SAMPLE_F_GAP);
	fake_timer_fire(&ctx->timer);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_FALSE(test, sample->flags & UCORE_SAMPLE_F_GAP);
}

static void commands_while_suspended_touch_no_hardware(struct kunit *test)
{
	struct ucore_session *other = fake_session(test);
	struct found f;

	found_init(test, &f, &ring);
	KUNIT_ASSERT_EQ(test, fake_add(other, fake_box(test, 0, "imc", 1), 4, 0, 0, NULL), 0);
	fake_poke(f.cbo[0], 0x16, 70);
	send_pm_event(PM_SUSPEND_PREPARE);
	fake_bus_clear(bus_of(test));
	session_read(f.s, false);
	KUNIT_EXPECT_EQ(test, f.s->values[1].count, 70ULL);
	KUNIT_EXPECT_EQ(test, f.s->values[1].flags, (u32)UCORE_VALUE_F_OFFLINE);
	session_read(f.s, true);
	KUNIT_EXPECT_EQ(test, session_reset(f.s), -EAGAIN);
	KUNIT_EXPECT_EQ(test, fake_start(other), -EAGAIN);
	KUNIT_EXPECT_EQ(test, session_set_cpu(other, 1), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].reader, UCORE_NO_CPU);
	FAKE_EXPECT_NONE(test, bus_of(test));
	send_pm_event(PM_POST_SUSPEND);
	KUNIT_EXPECT_EQ(test, fake_start(other), 0);
	/* the earlier READs did not consume the gap flag, because the domain was offline */
	session_read(f.s, false);
	KUNIT_EXPECT_EQ(test, f.s->values[1].flags, (u32)UCORE_VALUE_F_GAP);
}

static void stop_while_suspended_keeps_counts(struct kunit *test)
{
	struct found f;
	u32 i;

	found_init(test, &f, &ring);
	fake_poke(f.cbo[0], 0x16, 70);
	send_pm_event(PM_SUSPEND_PREPARE);
	fake_stop(f.s);
	fake_bus_clear(bus_of(test));
	send_pm_event(PM_POST_SUSPEND);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].armed, 0U);
	session_read(f.s, false);
	KUNIT_EXPECT_EQ(test, f.s->values[1].count, 70ULL);
	KUNIT_EXPECT_EQ(test, f.s->values[1].flags, 0U);
	KUNIT_ASSERT_EQ(test, fake_start(f.s), 0);
	fake_session_close(test, f.s);
	for (i = 0; i < 2; i++)
		expect_restored(test, &f, i);
}

static void close_while_suspended_releases_boxes(struct kunit *test)
{
	struct found f;

	found_init(test, &f, &ring);
	send_pm_event(PM_SUSPEND_PREPARE);
	fake_bus_clear(bus_of(test));
	fake_session_close(test, f.s);
	send_pm_event(PM_POST_SUSPEND);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].reader, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&fake_box(test, 0, "imc", 0)->claims));
	expect_restored(test, &f, 0);
}

/* Suspend takes all CPUs but one offline. These hotplug callbacks are ignored. */
static void hotplug_while_suspended_is_ignored(struct kunit *test)
{
	struct ucore_session *chooser = fake_session(test);
	struct found f;

	KUNIT_ASSERT_EQ(test, session_set_cpu(chooser, 1), 0);
	found_init(test, &f, &ring);
	send_pm_event(PM_SUSPEND_PREPARE);
	fake_bus_clear(bus_of(test));
	cpus_read_lock();
	fake_kernel.cpu_down(1);
	fake_kernel.cpu_up(1);
	cpus_read_unlock();
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].pin_cpu, 1);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].reader, UCORE_NO_CPU);
	send_pm_event(PM_POST_SUSPEND);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].reader, 1);
	KUNIT_EXPECT_TRUE(test, f.s->ctx[1]->running);
}

static void suspend_while_throttled_unthrottles(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct found f;

	found_init(test, &f, &ring);
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	domain->throttled = true;
	domain->kept_frozen = true;
	raw_spin_unlock_irq(&domain->lock);
	send_pm_event(PM_SUSPEND_PREPARE);
	expect_restored(test, &f, 0);
	KUNIT_EXPECT_EQ(test, domain->freeze_count, 0U);
	send_pm_event(PM_POST_SUSPEND);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_EXPECT_FALSE(test, domain->frozen);
	KUNIT_EXPECT_FALSE(test, f.gw[0]->frozen);
}

/* An overflow without service belongs to the last sample. */
static void suspend_with_pending_overflow_samples(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	const struct ucore_sample *sample;
	struct found f;

	found_init(test, &f, &ring);
	fake_overflow(imc, 0xa0, 3, BIT(1), IMC0);
	send_pm_event(PM_SUSPEND_PREPARE);
	sample = fake_record(f.s->ctx[0]->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->hdr.type, (u32)UCORE_RECORD_SAMPLE);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 1003ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(f.gw[0], GLOBAL_STATUS), 0ULL);
	expect_restored(test, &f, 0);
}

static void box_freeze_session_suspends_and_resumes(struct kunit *test)
{
	const struct ucore_create_session config = {
		.ring_size = 4096, .flags = UCORE_SESSION_F_BOX_FREEZE,
	};
	struct found f;

	found_init(test, &f, &config);
	fake_poke(f.cbo[0], 0x16, 11);
	send_pm_event(PM_SUSPEND_PREPARE);
	expect_restored(test, &f, 0);
	send_pm_event(PM_POST_SUSPEND);
	fake_poke(f.cbo[0], 0x16, 4);
	session_read(f.s, false);
	KUNIT_EXPECT_EQ(test, f.s->values[1].count, 15ULL);
}

static void suspend_without_sessions_touches_no_hardware(struct kunit *test)
{
	fake_bus_clear(bus_of(test));
	send_pm_event(PM_SUSPEND_PREPARE);
	send_pm_event(PM_POST_SUSPEND);
	send_pm_event(PM_POST_SUSPEND);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].reader, 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].reader, 1);
}

/* ---- reboot ---- */

static void reboot_restores_registers(struct kunit *test)
{
	struct ucore_session *other = fake_session(test);
	struct found f;
	u32 i;

	found_init(test, &f, &ring);
	KUNIT_ASSERT_EQ(test, fake_add(other, fake_box(test, 0, "imc", 1), 4, 0, 0, NULL), 0);
	fake_kernel.reboot_notifier->notifier_call(fake_kernel.reboot_notifier, SYS_RESTART, NULL);
	for (i = 0; i < 2; i++)
		expect_restored(test, &f, i);
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[0], 0ULL);
	KUNIT_EXPECT_EQ(test, fake_start(other), -EAGAIN);
}

/* ---- panic ---- */

static void panic_here(void *arg)
{
	fake_kernel.panic_notifier->notifier_call(fake_kernel.panic_notifier, 0, NULL);
}

/*
 * Call the panic notifier on CPU 0 with the lock of its die held: the notifier must not wait
 * for locks.
 */
static void panic_with_the_lock_held(void *arg)
{
	raw_spinlock_t *lock = &ucore_catalog.domains[0].lock;

	raw_spin_lock(lock);
	panic_here(arg);
	raw_spin_unlock(lock);
}

/* Return the first value that was written to the global control of die 0. */
static u64 first_write(struct fake_bus *bus)
{
	const struct fake_access *at;

	for (at = bus->log; at < bus->log + min_t(u32, bus->nr, FAKE_LOG); at++)
		if (at->win == fake_global(0) && at->op == 'W' && at->reg == GLOBAL_CTL)
			return at->val;
	return 0;
}

static void panic_restores_accessible_registers(struct kunit *test)
{
	struct found f;

	found_init(test, &f, &ring);
	fake_overflow(fake_box(test, 0, "imc", 0), 0xa0, 3, BIT(1), IMC0);
	fake_bus_clear(bus_of(test));
	smp_call_function_single(0, panic_with_the_lock_held, NULL, 1);
	/* the freeze selects no core for the PMI */
	KUNIT_EXPECT_EQ(test, first_write(bus_of(test)), FREEZE);
	expect_restored(test, &f, 0);
	KUNIT_EXPECT_EQ(test, fake_peek(f.gw[0], GLOBAL_STATUS), 0ULL);
	/* on the other die, memory-mapped config space is accessible, MSRs are not */
	KUNIT_EXPECT_EQ(test, fake_peek(f.imc[1], 0xd8), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), f.gw[1], 0), 0U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), f.cbo[1], 0), 0U);
	/* makes the end of the test restore the box */
	fake_box(test, 1, "imc", 0)->dirty = true;
}

/* Config cycles take a kernel lock, which a stopped CPU may hold. */
static void panic_skips_boxes_behind_config_cycles(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_io_ops cycles = *imc->io.ops;
	const struct ucore_io_ops *ops = imc->io.ops;
	struct found f;

	found_init(test, &f, &ring);
	cycles.access = UCORE_ACCESS_PCI;
	imc->io.ops = &cycles;
	fake_bus_clear(bus_of(test));
	smp_call_function_single(0, panic_here, NULL, 1);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), f.imc[0], 0), 0U);
	KUNIT_EXPECT_EQ(test, fake_peek(f.cbo[0], 0x10), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(f.gw[0], GLOBAL_CTL), 0x40ULL);
	imc->io.ops = ops;
}

static void panic_without_sessions_touches_no_hardware(struct kunit *test)
{
	fake_bus_clear(bus_of(test));
	smp_call_function_single(0, panic_here, NULL, 1);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* ---- a machine that stood still ---- */

static void possible_wrap_is_flagged_until_reset(struct kunit *test)
{
	struct found f;

	found_init(test, &f, &ring);
	fake_clock_advance(5 * SEC);		/* 44 bits, at most 256 per clock: 13 s */
	session_read(f.s, false);
	KUNIT_EXPECT_EQ(test, f.s->values[1].flags, 0U);
	fake_clock_advance(3600 * SEC);
	session_read(f.s, false);
	KUNIT_EXPECT_EQ(test, f.s->values[1].flags, (u32)UCORE_VALUE_F_MAYBE_WRAPPED);
	/* a wrap would have frozen the domain */
	KUNIT_EXPECT_EQ(test, f.s->values[0].flags, 0U);
	session_read(f.s, true);
	KUNIT_EXPECT_EQ(test, f.s->values[1].flags, (u32)UCORE_VALUE_F_MAYBE_WRAPPED);
	fake_stop(f.s);
	KUNIT_ASSERT_EQ(test, fake_start(f.s), 0);
	session_read(f.s, false);
	KUNIT_EXPECT_EQ(test, f.s->values[1].flags, (u32)UCORE_VALUE_F_MAYBE_WRAPPED);
	KUNIT_EXPECT_EQ(test, session_reset(f.s), 0);
	session_read(f.s, false);
	KUNIT_EXPECT_EQ(test, f.s->values[1].flags, 0U);
	fake_clock_advance(3600 * SEC);
	session_read(f.s, true);
	KUNIT_EXPECT_EQ(test, f.s->values[1].flags, (u32)UCORE_VALUE_F_MAYBE_WRAPPED);
	fake_stop(f.s);
	KUNIT_EXPECT_EQ(test, session_reset(f.s), 0);
	session_read(f.s, false);
	KUNIT_EXPECT_EQ(test, f.s->values[1].flags, 0U);
}

/* A die that was offline in between is reported in the same way. */
static void read_after_hotplug_has_gap_flag(struct kunit *test)
{
	struct found f;

	found_init(test, &f, &ring);
	cpus_read_lock();
	fake_kernel.cpu_down(1);
	fake_kernel.cpu_up(1);
	cpus_read_unlock();
	session_read(f.s, false);
	KUNIT_EXPECT_EQ(test, f.s->values[1].flags, 0U);
	KUNIT_EXPECT_EQ(test, f.s->values[3].flags, (u32)UCORE_VALUE_F_GAP);
	KUNIT_EXPECT_EQ(test, session_reset(f.s), 0);
	KUNIT_EXPECT_FALSE(test, f.s->ctx[1]->gap_sample);
}

static void undelivered_read_repeats_gap_flag(struct kunit *test)
{
	struct found f;

	found_init(test, &f, &ring);
	cpus_read_lock();
	fake_kernel.cpu_down(1);
	fake_kernel.cpu_up(1);
	cpus_read_unlock();
	session_read(f.s, false);
	session_unread(f.s);
	session_read(f.s, false);
	KUNIT_EXPECT_EQ(test, f.s->values[1].flags, 0U);
	KUNIT_EXPECT_EQ(test, f.s->values[3].flags, (u32)UCORE_VALUE_F_GAP);
	session_read(f.s, false);
	session_unread(f.s);
	session_read(f.s, false);
	KUNIT_EXPECT_EQ(test, f.s->values[3].flags, 0U);
}

static void failed_registration_is_undone(struct kunit *test)
{
	u32 i;

	ucore_power_unregister();
	for (i = 1; i <= 3; i++) {
		fake_kernel.refuse_in = i;
		KUNIT_EXPECT_EQ(test, ucore_power_register(), -EEXIST);
		KUNIT_EXPECT_NULL(test, fake_kernel.suspend_notifier);
		KUNIT_EXPECT_NULL(test, fake_kernel.reboot_notifier);
		KUNIT_EXPECT_NULL(test, fake_kernel.panic_notifier);
	}
	KUNIT_EXPECT_EQ(test, ucore_power_register(), 0);
}

static int pm_init(struct kunit *test)
{
	int ret = fake_machine_init_2(test);

	return ret ?: ucore_readers_init() ?: ucore_power_register();
}

static void pm_exit(struct kunit *test)
{
	if (fake_kernel.suspend_notifier)
		ucore_power_unregister();
	fake_machine_exit(test);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(suspend_restores_registers),
	KUNIT_CASE(resume_continues_counts),
	KUNIT_CASE(first_sample_after_resume_has_gap_flag),
	KUNIT_CASE(commands_while_suspended_touch_no_hardware),
	KUNIT_CASE(stop_while_suspended_keeps_counts),
	KUNIT_CASE(close_while_suspended_releases_boxes),
	KUNIT_CASE(hotplug_while_suspended_is_ignored),
	KUNIT_CASE(suspend_while_throttled_unthrottles),
	KUNIT_CASE(suspend_with_pending_overflow_samples),
	KUNIT_CASE(box_freeze_session_suspends_and_resumes),
	KUNIT_CASE(suspend_without_sessions_touches_no_hardware),
	KUNIT_CASE(reboot_restores_registers),
	KUNIT_CASE(panic_restores_accessible_registers),
	KUNIT_CASE(panic_skips_boxes_behind_config_cycles),
	KUNIT_CASE(panic_without_sessions_touches_no_hardware),
	KUNIT_CASE(possible_wrap_is_flagged_until_reset),
	KUNIT_CASE(read_after_hotplug_has_gap_flag),
	KUNIT_CASE(undelivered_read_repeats_gap_flag),
	KUNIT_CASE(failed_registration_is_undone),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_pm",
	.init = pm_init,
	.exit = pm_exit,
	.test_cases = cases,
};

/* ---- without global control: each box by its own box control ---- */

static int pm_init_v1(struct kunit *test)
{
	int ret = fake_machine_init_v1(test);

	return ret ?: ucore_readers_init() ?: ucore_power_register();
}

static void v1_suspend_and_panic_restore_each_box(struct kunit *test)
{
	struct ucore_box *cbo = fake_box(test, 0, "cbo", 0), *ha = fake_box(test, 0, "ha", 0);
	struct fake_window *c = fake_window(cbo), *h = fake_window(ha);
	struct ucore_session *s = fake_session(test);
	u16 ctl = cbo->desc.layout->ctl[0], ctr = cbo->desc.layout->ctr[0];

	KUNIT_ASSERT_EQ(test, fake_add(s, cbo, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, ha, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(c, ctr, 500);
	send_pm_event(PM_SUSPEND_PREPARE);
	KUNIT_EXPECT_EQ(test, fake_peek(c, ctl), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(h, ha->desc.layout->ctl[0]), 0ULL);
	KUNIT_EXPECT_TRUE(test, list_empty(&ucore_catalog.domains[0].boxes));
	power_off(c);
	power_off(h);
	send_pm_event(PM_POST_SUSPEND);
	KUNIT_EXPECT_NE(test, fake_peek(c, ctl), 0ULL);
	fake_poke(c, ctr, 30);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 530ULL);

	smp_call_function_single(0, panic_here, NULL, 1);
	KUNIT_EXPECT_EQ(test, fake_peek(c, ctl), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(h, ha->desc.layout->ctl[0]), 0ULL);
}

static struct kunit_case v1_cases[] = {
	KUNIT_CASE(v1_suspend_and_panic_restore_each_box),
	{ }
};

static struct kunit_suite v1_suite = {
	.name = "ucore_pm_v1",
	.init = pm_init_v1,
	.exit = pm_exit,
	.test_cases = v1_cases,
};

kunit_test_suites(&suite, &v1_suite);
