// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the CPU time budget: charges, refunds, and the work that waits for time. All
 * of it runs on CPU 0, the reader of domain 0.
 */
#include <linux/cpu.h>
#include <linux/smp.h>

#include "cpu/budget.h"
#include "fake_machine.h"
#include "irq/dead_box_recovery.h"
#include "irq/pmi_route_and_service.h"
#include "session/budget_admission.h"

#define IMC0	BIT_ULL(20)
#define MS	((u64)NSEC_PER_MSEC)
#define US	((u64)NSEC_PER_USEC)

static u64 now_ns(void)
{
	return ktime_get_mono_fast_ns();
}

static void set_percent(u32 percent)
{
	*(unsigned int *)fake_param("cpu_time_max_percent") = percent;
}

static void budget_exit(struct kunit *test)
{
	set_percent(50);
	fake_machine_exit(test);
}

static void spend_here(void *arg)
{
	ucore_budget_enter(now_ns());
	fake_clock_advance(*(u64 *)arg);
	ucore_budget_leave();
}

static void spend(u64 ns)
{
	smp_call_function_single(0, spend_here, &ns, 1);
}

static void pause_here(void *arg)
{
	*(u64 *)arg = ucore_budget_pause_ns(now_ns());
}

static u64 pause_ns(void)
{
	u64 ns;

	smp_call_function_single(0, pause_here, &ns, 1);
	return ns;
}

static u64 wait_ns(void)
{
	return ucore_budget_wait_ns(0, now_ns());
}

static void expect_about(struct kunit *test, u64 ns, u64 wanted)
{
	KUNIT_EXPECT_GE(test, ns, wanted - 50 * US);
	KUNIT_EXPECT_LE(test, ns, wanted + 50 * US);
}

/* ---- arithmetic ---- */

/* Work of 2 ms is charged with 1/8 more for cache misses. Nothing waits. */
static void work_within_budget_does_not_wait(struct kunit *test)
{
	u64 busy = ucore_budget_busy_ns(0);

	spend(2 * MS);
	KUNIT_EXPECT_EQ(test, pause_ns(), 0ULL);
	KUNIT_EXPECT_EQ(test, wait_ns(), 0ULL);
	expect_about(test, ucore_budget_busy_ns(0) - busy, 2250 * US);
}

/*
 * 8 ms are charged as 9 ms, which are refunded in 18 ms: 10 ms from now, of which 5 may be
 * outstanding.
 */
static void spent_time_is_refunded_over_time(struct kunit *test)
{
	spend(8 * MS);
	expect_about(test, pause_ns(), 10 * MS);
	expect_about(test, wait_ns(), 5 * MS);
	fake_clock_advance(4 * MS);
	expect_about(test, pause_ns(), 6 * MS);
	expect_about(test, wait_ns(), 1 * MS);
	fake_clock_advance(1100 * US);
	KUNIT_EXPECT_EQ(test, pause_ns(), 0ULL);
	KUNIT_EXPECT_EQ(test, wait_ns(), 0ULL);
	spend(1 * MS);			/* 5 ms are still outstanding */
	expect_about(test, pause_ns(), 4900 * US + 2250 * US - MS);
}

/* Unused budget is limited to the window's share. */
static void idle_time_does_not_accumulate(struct kunit *test)
{
	fake_clock_advance(3600ULL * NSEC_PER_SEC);
	spend(8 * MS);
	expect_about(test, pause_ns(), 10 * MS);
}

static void work_on_a_cpu_adds_up(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, wait_ns() > 0, i == 3);
		spend(2 * MS);
		fake_clock_advance(100 * US);
	}
	/* 4 * 4.5 ms are refunded, 8.4 ms have passed */
	expect_about(test, pause_ns(), 18 * MS - 8400 * US);
	KUNIT_EXPECT_EQ(test, ucore_budget_wait_ns(1, now_ns()), 0ULL);
}

static void short_gaps_are_charged(struct kunit *test)
{
	u64 busy;

	spend(US);
	busy = ucore_budget_busy_ns(0);
	fake_clock_advance(5 * US);
	spend(US);
	KUNIT_EXPECT_GE(test, ucore_budget_busy_ns(0) - busy, 6 * US);
	busy = ucore_budget_busy_ns(0);
	fake_clock_advance(20 * US);
	spend(US);
	KUNIT_EXPECT_LE(test, ucore_budget_busy_ns(0) - busy, 4 * US);
}

static void enter_early(void *arg)
{
	ucore_budget_enter(now_ns() - *(u64 *)arg);
	ucore_budget_leave();
}

/*
 * An NMI that arrived while the CPU was charged already is charged from the end of that
 * charge.
 */
static void overlapping_work_is_charged_once(struct kunit *test)
{
	u64 busy, ago = 3 * MS;

	spend(4 * MS);
	busy = ucore_budget_busy_ns(0);
	smp_call_function_single(0, enter_early, &ago, 1);
	KUNIT_EXPECT_LE(test, ucore_budget_busy_ns(0) - busy, 10 * US);
	fake_clock_advance(4 * MS);
	busy = ucore_budget_busy_ns(0);
	smp_call_function_single(0, enter_early, &ago, 1);
	expect_about(test, ucore_budget_busy_ns(0) - busy, 3 * MS + 3 * MS / 8);
}

/* Time in which the machine stood still is charged with one window only. */
static void stalled_machine_is_charged_one_window(struct kunit *test)
{
	u64 busy = ucore_budget_busy_ns(0);

	spend(30ULL * NSEC_PER_SEC);
	expect_about(test, ucore_budget_busy_ns(0) - busy, 10 * MS + 10 * MS / 8);
	KUNIT_EXPECT_EQ(test, pause_ns(), 0ULL);
}

static void pause_is_limited_to_one_second(struct kunit *test)
{
	u32 i;

	set_percent(1);
	for (i = 0; i < 10; i++)
		spend(5 * MS);
	KUNIT_EXPECT_LE(test, pause_ns(), (u64)NSEC_PER_SEC);
	KUNIT_EXPECT_GE(test, pause_ns(), (u64)NSEC_PER_SEC / 2);
}

static void percentage_is_clamped(struct kunit *test)
{
	set_percent(0);
	KUNIT_EXPECT_EQ(test, ucore_budget_percent(), 1U);
	set_percent(1000);
	KUNIT_EXPECT_EQ(test, ucore_budget_percent(), 100U);
	spend(9 * MS);
	KUNIT_EXPECT_EQ(test, pause_ns() + wait_ns(), 0ULL);
	set_percent(25);
	/* 8 us with 1/8 more, and one microsecond */
	KUNIT_EXPECT_EQ(test, ucore_budget_charge_ns(8001), 10001ULL);
	KUNIT_EXPECT_EQ(test, ucore_budget_period_ns(8001), 40004ULL);
	set_percent(99);
	KUNIT_EXPECT_EQ(test, ucore_budget_period_ns(80000), 91920ULL);
	/* at least 10 us of each period are left to other work, except at 100 % */
	KUNIT_EXPECT_EQ(test, ucore_budget_period_ns(8000), 18000ULL);
	set_percent(100);
	KUNIT_EXPECT_EQ(test, ucore_budget_period_ns(8000), 10000ULL);
}

/* ---- waiting ---- */

static struct ucore_domain_ctx *running_ctx(struct kunit *test, u64 period, u64 timer_ns)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 0x500304, period);
	ctx->watchdog_ns = U64_MAX;
	ctx->timer_ns = timer_ns;
	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_ctx_program(ctx);
	fake_ctx_list(ctx);
	ucore_ctx_start_times(ctx, now_ns());
	raw_spin_unlock_irq(&ctx->domain->lock);
	ucore_timer_start(ctx, now_ns());
	return ctx;
}

static void fire_here(void *arg)
{
	fake_timer_fire(arg);
}

static void fire(struct hrtimer *timer)
{
	smp_call_function_single(0, fire_here, timer, 1);
}

static void overflow_here(void *arg)
{
	struct ucore_domain *domain = arg;
	struct ucore_readout ro;

	raw_spin_lock(&domain->lock);
	ucore_readout_begin_overflow(&ro, domain, now_ns(), false);
	ucore_readout_end(&ro);
	raw_spin_unlock(&domain->lock);
}

static void overflow(struct ucore_domain_ctx *ctx)
{
	fake_overflow(ctx->box[0].box, 0xa0, 0, BIT(1), IMC0);
	smp_call_function_single(0, overflow_here, ctx->domain, 1);
}

static u64 expiry(struct hrtimer *timer)
{
	return ktime_to_ns(fake_timer_find(timer)->expires);
}

static u64 due_in(struct hrtimer *timer)
{
	return expiry(timer) - now_ns();
}

/* Only a few overflows, but the CPU's budget is spent. */
static void overflow_beyond_budget_throttles(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 10, 0);
	struct ucore_domain *domain = ctx->domain;
	const struct ucore_sample *sample;

	overflow(ctx);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	fake_record(ctx->ring);
	spend(8 * MS);
	overflow(ctx);
	KUNIT_EXPECT_TRUE(test, domain->throttled);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[0].throttled);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	expect_about(test, due_in(&domain->watchdog), 10 * MS);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_THROTTLED);
	fake_clock_advance(10 * MS);
	fire(&domain->watchdog);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	overflow(ctx);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
}

/* Time spent during a pause extends the pause. The expiry is checked once. */
static void work_while_throttled_extends_the_pause(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 10, 0);
	struct ucore_domain *domain = ctx->domain;

	spend(8 * MS);
	overflow(ctx);
	KUNIT_EXPECT_TRUE(test, domain->throttled);
	spend(9 * MS);
	fire(&domain->watchdog);
	KUNIT_EXPECT_TRUE(test, domain->throttled);
	KUNIT_EXPECT_TRUE(test, ctx->ctr[0].throttled);
	KUNIT_EXPECT_GT(test, due_in(&domain->watchdog), 10 * MS);
	spend(9 * MS);
	fire(&domain->watchdog);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_EXPECT_FALSE(test, ctx->ctr[0].throttled);
}

/* The service itself takes too long: the time spent so far counts before it ends. */
static void begin_and_overflow(void *arg)
{
	ucore_budget_enter(now_ns());
	fake_clock_advance(8 * MS);
	overflow_here(arg);
	ucore_budget_leave();
}

static void long_service_throttles_its_domain(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 10, 0);

	fake_overflow(ctx->box[0].box, 0xa0, 0, BIT(1), IMC0);
	smp_call_function_single(0, begin_and_overflow, ctx->domain, 1);
	KUNIT_EXPECT_TRUE(test, ctx->domain->throttled);
	expect_about(test, due_in(&ctx->domain->watchdog), 10 * MS);
	fire(&ctx->domain->watchdog);
}

static void expect_lost(struct kunit *test, struct ucore_domain_ctx *ctx, u64 lost, u32 flags)
{
	const struct ucore_record *record = fake_record(ctx->ring);
	u64 seq;

	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_ASSERT_EQ(test, record->type, (u32)UCORE_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, ((const struct ucore_lost *)record)->lost, lost);
	seq = record->seq;
	record = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_ASSERT_EQ(test, record->type, (u32)UCORE_RECORD_SAMPLE);
	KUNIT_EXPECT_EQ(test, record->seq, seq + 1);
	KUNIT_EXPECT_EQ(test, ((const struct ucore_sample *)record)->flags, flags);
}

/* The timer keeps its grid. Skipped periods are reported as lost records. */
static void timer_beyond_budget_is_delayed_and_reported(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 0, MS);
	const struct ucore_sample *sample;
	u64 due;

	spend(8 * MS);
	ucore_timer_start(ctx, now_ns() - MS);
	due = expiry(&ctx->timer);
	fire(&ctx->timer);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->flags, 0U);
	KUNIT_EXPECT_EQ(test, sample->hdr.seq, 0ULL);
	/* 5 ms and the sample's own time: the sixth period */
	KUNIT_EXPECT_EQ(test, expiry(&ctx->timer), due + 6 * MS);
	KUNIT_EXPECT_EQ(test, ctx->stats.delayed, 1ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 0ULL);

	fake_clock_advance(6 * MS);
	fire(&ctx->timer);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 5ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 7ULL);
	KUNIT_EXPECT_EQ(test, ctx->ring->producer->lost, 5ULL);
	expect_lost(test, ctx, 5, UCORE_SAMPLE_F_DELAYED);
	fake_clock_advance(MS);
	fire(&ctx->timer);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->flags, 0U);
}

/* The timer is late because interrupts were off, not because of the budget. */
static void late_timer_counts_missed_periods(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 0, MS);

	fire(&ctx->timer);
	fake_record(ctx->ring);
	fake_clock_advance(5 * MS);
	fire(&ctx->timer);			/* four more periods have passed */
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
	fake_clock_advance(MS);
	fire(&ctx->timer);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 4ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.delayed, 0ULL);
	expect_lost(test, ctx, 4, 0);
}

static void timer_without_ring_counts_missed_periods(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 0, MS);

	ucore_ring_put(ctx->ring);
	ctx->ring = NULL;
	fake_clock_advance(5 * MS);
	fire(&ctx->timer);
	ctx->last_read = now_ns();		/* as if the context had been stopped here */
	ucore_timer_end(ctx);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 4ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 5ULL);
}

/* Delayed polls lose nothing: the next sample reports its delay. */
static void poll_beyond_budget_is_delayed(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 0, 0);

	ctx->poll_ns = MS;
	ucore_timer_start(ctx, now_ns());
	fire(&ctx->poll);
	KUNIT_EXPECT_FALSE(test, ctx->delayed);
	spend(8 * MS);
	fire(&ctx->poll);
	KUNIT_EXPECT_TRUE(test, ctx->delayed);
	KUNIT_EXPECT_EQ(test, ctx->stats.delayed, 1ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 0ULL);
	KUNIT_EXPECT_GE(test, due_in(&ctx->poll), 4 * MS);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
}

/* Periods pass while another CPU becomes the reader. */
static void migrated_timer_counts_missed_periods(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 0, MS);

	fire(&ctx->timer);
	fake_record(ctx->ring);
	ucore_timers_cancel(ctx->domain);
	fake_clock_advance(3 * MS);
	cpus_read_lock();
	ucore_timers_restart(ctx->domain);
	cpus_read_unlock();
	fake_clock_advance(MS);
	fire(&ctx->timer);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 3ULL);
	/* periods without counting are not missed */
	ucore_timers_cancel(ctx->domain);
	fake_clock_advance(7 * MS);
	ctx->resumed = now_ns();
	cpus_read_lock();
	ucore_timers_restart(ctx->domain);
	cpus_read_unlock();
	fake_clock_advance(MS);
	fire(&ctx->timer);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 3ULL);
}

/* ---- sessions ---- */

static struct ucore_session *timer_session(struct kunit *test, u64 timer_ns)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.timer_ns = timer_ns, .ring_size = 4096 });

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), 0);
	return s;
}

static struct ucore_get_budget budget_of(struct kunit *test, struct ucore_session *s)
{
	struct ucore_get_budget budget = { };

	mutex_lock(&s->lock);
	KUNIT_EXPECT_EQ(test, ucore_admit_budget(s, &budget), 0);
	mutex_unlock(&s->lock);
	return budget;
}

/* Return the estimated time of a sample (ns) with so many words, reads and values. */
static u64 work_of(u64 words, u64 reads, u64 values)
{
	return 2300 + words * 200 + reads * 240 + values * 10;
}

static u64 charged(u64 ns)
{
	return ns + ns / 8 + 1000;
}

/* The low dword of a counter, freeze, unfreeze, and the fixed overhead of a sample. */
static void start_with_too_short_period_fails(struct kunit *test)
{
	u64 ns = work_of(2, 1, 1);
	struct ucore_session *s = timer_session(test, charged(ns) * 100 - 1), *t;

	set_percent(1);
	KUNIT_EXPECT_EQ(test, fake_start(s), -ERANGE);
	KUNIT_EXPECT_EQ(test, budget_of(test, s).sample_ns, charged(ns));
	KUNIT_EXPECT_EQ(test, budget_of(test, s).timer_min_ns, charged(ns) * 100);
	set_percent(50);
	KUNIT_EXPECT_EQ(test, budget_of(test, s).timer_min_ns, ns + 10000);
	KUNIT_EXPECT_EQ(test, fake_start(s), 0);
	fake_session_close(test, s);
	set_percent(1);
	t = timer_session(test, charged(ns) * 100);
	KUNIT_EXPECT_EQ(test, fake_start(t), 0);
}

static void dropped_periods_are_reported(struct kunit *test)
{
	struct ucore_session *s = timer_session(test, 0);

	s->ctx[0]->stats.dropped = 3;
	KUNIT_EXPECT_EQ(test, budget_of(test, s).dropped, 3ULL);
}

static void sample_estimate_depends_on_counters(struct kunit *test)
{
	struct ucore_session *s = timer_session(test, 0);

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "cbo", 0), 0x35, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, budget_of(test, s).sample_ns, charged(work_of(2, 3, 2)));
	fake_session_close(test, s);
	s = fake_session_config(test, &(struct ucore_create_session){
		.flags = UCORE_SESSION_F_BOX_FREEZE });
	KUNIT_EXPECT_EQ(test, budget_of(test, s).sample_ns, 0ULL);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 1), 4, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, budget_of(test, s).sample_ns, charged(work_of(4, 4, 2)));
}

/* The task on each CPU of the die is looked up in each sample. */
static void sample_estimate_depends_on_recorded_cpus(struct kunit *test)
{
	struct ucore_session *s;

	s = fake_session_config(test, &(struct ucore_create_session){
		.ring_size = 4096, .flags = UCORE_SESSION_F_TASKS });
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, budget_of(test, s).sample_ns,
			charged(work_of(2, 2, 1) + s->ctx[0]->nr_cpus * 100));
	KUNIT_EXPECT_EQ(test, s->ctx[0]->nr_cpus, num_online_cpus());
}

/* One CPU takes the samples of its die and of its own counters. */
static void sample_estimate_adds_up_the_domains_of_a_reader(struct kunit *test)
{
	u64 die = work_of(2, 2, 1), cpu = work_of(2, 2, 1);
	struct ucore_session *s = timer_session(test, 0);

	KUNIT_EXPECT_EQ(test, budget_of(test, s).sample_ns, charged(die));
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 1, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, s->ctx[0]->domain->reader, s->ctx[1]->domain->cpu);
	KUNIT_EXPECT_EQ(test, budget_of(test, s).sample_ns, charged(die + charged(0) + cpu));
}

static void commands_are_charged_to_the_reader(struct kunit *test)
{
	struct ucore_session *s = timer_session(test, 0);
	u64 busy = ucore_budget_busy_ns(0), started;

	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	started = ucore_budget_busy_ns(0);
	KUNIT_EXPECT_GT(test, started, busy);
	mutex_lock(&s->lock);
	ucore_snapshot_take(s, false);
	mutex_unlock(&s->lock);
	KUNIT_EXPECT_GT(test, ucore_budget_busy_ns(0), started);
	KUNIT_EXPECT_EQ(test, budget_of(test, s).busy_ns, ucore_budget_busy_ns(0));
	KUNIT_EXPECT_EQ(test, budget_of(test, s).percent, 50U);
}

static u64 slow_ns[2];

/* Make the first read on each of two CPUs slow. */
static void slow_read(void)
{
	u32 cpu = raw_smp_processor_id();

	if (cpu >= ARRAY_SIZE(slow_ns) || !slow_ns[cpu])
		return;
	fake_clock_advance(slow_ns[cpu]);
	slow_ns[cpu] = 0;
}

/*
 * A session moves another session's domain: each CPU is charged once for its share of the
 * work.
 */
static void moving_a_domain_is_charged_to_both_cpus(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 10, 0);
	struct ucore_session *s = fake_session(test);
	u64 from = ucore_budget_busy_ns(0), to = ucore_budget_busy_ns(1);

	slow_ns[0] = 3 * MS;
	slow_ns[1] = 2 * MS;
	bus_of(test)->hook = slow_read;
	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 1), 0);
	bus_of(test)->hook = NULL;
	KUNIT_EXPECT_EQ(test, ctx->domain->reader, 1);
	expect_about(test, ucore_budget_busy_ns(0) - from, 3 * MS + 3 * MS / 8);
	expect_about(test, ucore_budget_busy_ns(1) - to, 2 * MS + 2 * MS / 8);
}

/* Without an armed context only the timers are moved. */
static void moving_timers_is_charged_to_the_new_reader(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = running_ctx(test, 0, MS);
	struct ucore_session *s = fake_session(test);
	u64 busy = ucore_budget_busy_ns(1);

	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 1), 0);
	KUNIT_EXPECT_EQ(test, ctx->domain->reader, 1);
	KUNIT_EXPECT_GT(test, ucore_budget_busy_ns(1), busy);
}

/* The reader restores released boxes and probes dead boxes. Both are charged to it. */
static void restoring_and_probing_boxes_is_charged(struct kunit *test)
{
	struct ucore_box *ha = fake_box(test, 0, "ha", 0);
	struct ucore_session *s = fake_session(test);
	struct ucore_add_event add;
	u64 busy;

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 0, &add), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_stop(s);
	busy = ucore_budget_busy_ns(0);
	KUNIT_EXPECT_EQ(test, session_remove(s, add.event), 0);
	KUNIT_EXPECT_GT(test, ucore_budget_busy_ns(0), busy);
	ha->dead = true;
	fake_window(ha)->dead = true;
	busy = ucore_budget_busy_ns(0);
	KUNIT_EXPECT_EQ(test, fake_add(s, ha, 1, 0, 0, NULL), -ENODEV);
	KUNIT_EXPECT_GT(test, ucore_budget_busy_ns(0), busy);
}

/* An absent box is read once in a second within the budget, and never by scans of the watchdog. */
static void absent_box_is_probed_once_in_a_second(struct kunit *test)
{
	struct ucore_box *ha = fake_box(test, 0, "ha", 0);
	u32 absent = UCORE_UNIT_NO_ANSWER;
	u32 reads;

	ha->desc.absent = &absent;
	ha->dead = true;
	fake_window(ha)->dead = true;
	fake_clock_advance(NSEC_PER_SEC);
	ucore_recovery_probe_absent(ha);
	reads = bus_of(test)->nr;
	KUNIT_EXPECT_GT(test, reads, 0U);
	fake_clock_advance(NSEC_PER_SEC / 2);
	ucore_recovery_probe_absent(ha);
	KUNIT_EXPECT_EQ(test, bus_of(test)->nr, reads);
	raw_spin_lock_irq(&ha->domain->lock);
	ucore_recovery_reset(ha->domain);
	raw_spin_unlock_irq(&ha->domain->lock);
	KUNIT_EXPECT_EQ(test, bus_of(test)->nr, reads);
	fake_clock_advance(NSEC_PER_SEC / 2);
	spend(8 * MS);
	ucore_recovery_probe_absent(ha);	/* beyond the budget: not now */
	KUNIT_EXPECT_EQ(test, bus_of(test)->nr, reads);
	fake_clock_advance(20 * MS);
	fake_window(ha)->dead = false;
	ucore_recovery_probe_absent(ha);
	KUNIT_EXPECT_GT(test, bus_of(test)->nr, reads);
	KUNIT_EXPECT_FALSE(test, ha->dead);
	KUNIT_EXPECT_EQ(test, absent, 0U);
	reads = bus_of(test)->nr;
	fake_clock_advance(2 * NSEC_PER_SEC);
	ucore_recovery_probe_absent(ha);
	KUNIT_EXPECT_EQ(test, bus_of(test)->nr, reads);
	ha->desc.absent = NULL;
}

#undef ktime_get_mono_fast_ns

/* The driver's fake clock stands still during the wait, the kernel's clock does not. */
static void command_beyond_budget_sleeps(struct kunit *test)
{
	struct ucore_session *s = timer_session(test, 0);
	u64 start;

	spend(8 * MS);
	expect_about(test, budget_of(test, s).wait_ns, 5 * MS);
	start = ktime_get_mono_fast_ns();
	KUNIT_EXPECT_EQ(test, ucore_admit_begin(s, false), 0);
	KUNIT_EXPECT_GE(test, ktime_get_mono_fast_ns() - start, 4 * MS);
	KUNIT_EXPECT_FALSE(test, mutex_trylock(&s->admission));
	ucore_admit_end(s);
	fake_clock_advance(10 * MS);
	KUNIT_EXPECT_EQ(test, budget_of(test, s).wait_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, ucore_admit_begin(s, false), 0);
	ucore_admit_end(s);
}

/* A command that may move any domain waits for the budget of all readers. */
static void reader_change_waits_for_all_readers(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	u64 start;

	spend(8 * MS);
	start = ktime_get_mono_fast_ns();
	KUNIT_EXPECT_EQ(test, ucore_admit_begin(s, true), 0);
	KUNIT_EXPECT_GE(test, ktime_get_mono_fast_ns() - start, 4 * MS);
	ucore_admit_end(s);
}

static void probing_dead_box_waits_for_budget(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_session *s = fake_session(test);
	u64 start;

	imc->dead = true;
	fake_window(imc)->dead = true;
	spend(8 * MS);
	start = ktime_get_mono_fast_ns();
	KUNIT_EXPECT_EQ(test, fake_add(s, imc, 4, 0, 0, NULL), -ENODEV);
	KUNIT_EXPECT_GE(test, ktime_get_mono_fast_ns() - start, 4 * MS);
}

static void selftest_of_box_waits_for_budget(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_session *s = fake_session(test);
	u64 start, busy;

	imc->selftest = (struct ucore_selftest){ };
	spend(8 * MS);
	busy = ucore_budget_busy_ns(0);
	start = ktime_get_mono_fast_ns();
	KUNIT_EXPECT_EQ(test, fake_add(s, imc, 4, 0, 0, NULL), 0);
	KUNIT_EXPECT_GE(test, ktime_get_mono_fast_ns() - start, 4 * MS);
	KUNIT_EXPECT_NE(test, imc->selftest.tested, 0U);
	KUNIT_EXPECT_GT(test, ucore_budget_busy_ns(0), busy);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(work_within_budget_does_not_wait),
	KUNIT_CASE(spent_time_is_refunded_over_time),
	KUNIT_CASE(idle_time_does_not_accumulate),
	KUNIT_CASE(work_on_a_cpu_adds_up),
	KUNIT_CASE(short_gaps_are_charged),
	KUNIT_CASE(overlapping_work_is_charged_once),
	KUNIT_CASE(stalled_machine_is_charged_one_window),
	KUNIT_CASE(pause_is_limited_to_one_second),
	KUNIT_CASE(percentage_is_clamped),
	KUNIT_CASE(overflow_beyond_budget_throttles),
	KUNIT_CASE(work_while_throttled_extends_the_pause),
	KUNIT_CASE(long_service_throttles_its_domain),
	KUNIT_CASE(timer_beyond_budget_is_delayed_and_reported),
	KUNIT_CASE(late_timer_counts_missed_periods),
	KUNIT_CASE(timer_without_ring_counts_missed_periods),
	KUNIT_CASE(poll_beyond_budget_is_delayed),
	KUNIT_CASE(migrated_timer_counts_missed_periods),
	KUNIT_CASE(start_with_too_short_period_fails),
	KUNIT_CASE(dropped_periods_are_reported),
	KUNIT_CASE(sample_estimate_depends_on_counters),
	KUNIT_CASE(sample_estimate_depends_on_recorded_cpus),
	KUNIT_CASE(commands_are_charged_to_the_reader),
	KUNIT_CASE(command_beyond_budget_sleeps),
	KUNIT_CASE(moving_a_domain_is_charged_to_both_cpus),
	KUNIT_CASE(moving_timers_is_charged_to_the_new_reader),
	KUNIT_CASE(restoring_and_probing_boxes_is_charged),
	KUNIT_CASE(absent_box_is_probed_once_in_a_second),
	KUNIT_CASE(reader_change_waits_for_all_readers),
	KUNIT_CASE(probing_dead_box_waits_for_budget),
	KUNIT_CASE(selftest_of_box_waits_for_budget),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_budget",
	.init = fake_machine_init,
	.exit = budget_exit,
	.test_cases = cases,
};

static struct kunit_case cases_cpu[] = {
	KUNIT_CASE(sample_estimate_adds_up_the_domains_of_a_reader),
	{ }
};

static struct kunit_suite suite_cpu = {
	.name = "ucore_budget_cpu",
	.init = fake_machine_init_cpu,
	.exit = budget_exit,
	.test_cases = cases_cpu,
};

kunit_test_suites(&suite, &suite_cpu);
