// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of parallel reads: which CPUs help, and which share each one reads. A helper
 * that comes late or not at all must affect only the time. CPU 0 reads domain 0, CPU 1 can
 * help.
 */
#include <linux/cpu.h>
#include <linux/smp.h>

#include "cpu/budget.h"
#include "fake_machine.h"
#include "sample/parallel_read.h"
#include "session/budget_admission.h"
#include "session/prepare_contexts.h"

#define IMC0		BIT_ULL(20)
#define IMC_CTR0	0xa0
#define MS		((u64)NSEC_PER_MSEC)
#define US		((u64)NSEC_PER_USEC)

/* boxes with one event each, at two reads per event */
#define NR_IMC		4

static struct ucore_box *imc(struct kunit *test, u32 i)
{
	return fake_box(test, 0, "imc", i);
}

static struct ucore_session *session_of(struct kunit *test, u32 nr_readers)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.nr_readers = nr_readers, .ring_size = 4096, .timer_ns = 10 * MS,
		.flags = UCORE_SESSION_F_FULL_READS });
	u32 i;

	for (i = 0; i < NR_IMC; i++)
		KUNIT_ASSERT_EQ(test, fake_add(s, imc(test, i), 4, BIT(0), 0, NULL), 0);
	return s;
}

/*
 * Charge for a sample whose longest share has @reads reads (session/budget_admission.c,
 * cpu/budget.c).
 */
static u64 charged(u64 reads, u64 values, u64 helpers)
{
	u64 ns = 2300 + 2 * 200 + reads * 240 + values * 10 +
		 (helpers ? 1500 + helpers * 1250 : 0);

	return ns + ns / 8 + 1000;
}

static struct ucore_session *running(struct kunit *test, u32 nr_readers)
{
	struct ucore_session *s = session_of(test, nr_readers);

	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_bus_clear(bus_of(test));
	return s;
}

static const struct ucore_parallel *parallel_of(const struct ucore_session *s)
{
	return &s->ctx[0]->parallel;
}

static void count(struct kunit *test, u64 n)
{
	u32 i;

	for (i = 0; i < NR_IMC; i++)
		fake_poke(fake_window(imc(test, i)), IMC_CTR0, n * (i + 1));
}

static void expect_counts(struct kunit *test, const struct ucore_session *s, u64 n)
{
	u32 i;

	for (i = 0; i < NR_IMC; i++) {
		KUNIT_EXPECT_EQ(test, s->values[i].count, n * (i + 1));
		KUNIT_EXPECT_EQ(test, s->values[i].flags, 0U);
	}
}

/* READ, and check the number of register reads on CPU 0 and CPU 1. */
static void expect_read(struct kunit *test, struct ucore_session *s, u64 n, u32 by_0, u32 by_1)
{
	struct ucore_get_status before = session_status(s), after;

	count(test, n);
	fake_bus_clear(bus_of(test));
	session_read(s, false);
	expect_counts(test, s, n);
	KUNIT_EXPECT_EQ(test, fake_bus_count_cpu(bus_of(test), 0), by_0);
	KUNIT_EXPECT_EQ(test, fake_bus_count_cpu(bus_of(test), 1), by_1);
	after = session_status(s);
	KUNIT_EXPECT_EQ(test, after.reads - before.reads, 2ULL * NR_IMC);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
}

static void expect_helped(struct kunit *test, struct ucore_session *s, u64 n)
{
	KUNIT_EXPECT_EQ(test, session_status(s).parallel_reads, n);
}

/* ---- shares ---- */

static void two_readers_read_half_each(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);
	u64 reads = ucore_catalog.domains[0].tally.reads;

	expect_read(test, s, 100, 4, 4);
	expect_read(test, s, 250, 4, 4);
	expect_helped(test, s, 2);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 2U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].tally.reads - reads, 4ULL * NR_IMC);
}

static void single_reader_calls_no_other_cpu(struct kunit *test)
{
	struct ucore_session *s = running(test, 1), *other;

	expect_read(test, s, 100, 8, 0);
	fake_session_close(test, s);
	other = running(test, 0);
	expect_read(test, other, 100, 8, 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 0U);
	KUNIT_EXPECT_NULL(test, ucore_catalog.domains[0].shares);
}

static void four_readers_read_a_quarter_each(struct kunit *test)
{
	struct ucore_session *s;

	fake_kernel.more_cpus = BIT_ULL(2) | BIT_ULL(3);
	s = running(test, 4);
	expect_read(test, s, 100, 2, 6);
	expect_helped(test, s, 3);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 1U);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[2], 1U);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[3], 1U);
}

/* There are only two CPUs, and a single box cannot be shared. */
static void readers_are_limited_by_cpus_and_boxes(struct kunit *test)
{
	struct ucore_session *s = running(test, UCORE_READERS_MAX), *one;

	KUNIT_EXPECT_EQ(test, parallel_of(s)->nr_cpus, 2U);
	expect_read(test, s, 100, 4, 4);
	one = fake_session_config(test, &(struct ucore_create_session){ .nr_readers = 2 });
	KUNIT_ASSERT_EQ(test, fake_add(one, fake_box(test, 0, "cbo", 0), 0, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(one), 0);
	session_read(one, false);
	expect_helped(test, one, 0);
}

static void add_events(struct kunit *test, struct ucore_session *s, const char *type, u32 i,
		       u32 n)
{
	while (n--)
		KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, type, i), 4, 0, 0, NULL), 0);
}

/* All counters of a box are read by one CPU. Otherwise shares are as equal as possible. */
static void longest_share_is_minimal(struct kunit *test)
{
	struct ucore_session *s =
		fake_session_config(test, &(struct ucore_create_session){ .nr_readers = 4 });
	struct ucore_get_budget budget;

	fake_kernel.more_cpus = BIT_ULL(2) | BIT_ULL(3);
	add_events(test, s, "imc", 0, 2);	/* 4, 2, 2, 8 and 2 reads */
	add_events(test, s, "imc", 1, 1);
	add_events(test, s, "imc", 2, 1);
	add_events(test, s, "imc", 3, 4);
	add_events(test, s, "imc", 4, 1);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->nr, 3U);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->longest, 8U);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->end[0], 3U);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->end[1], 4U);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->end[2], 5U);
	mutex_lock(&s->lock);
	KUNIT_EXPECT_EQ(test, ucore_admit_budget(s, &budget), 0);
	mutex_unlock(&s->lock);
	/* freeze and unfreeze, the longest share, nine values, two helpers */
	KUNIT_EXPECT_EQ(test, budget.sample_ns, charged(8, 9, 2));
}

/* GET_BUDGET of a stopped session estimates the readers that START would use. */
static void sample_estimate_depends_on_readers(struct kunit *test)
{
	struct ucore_session *alone = session_of(test, 0), *s;
	struct ucore_get_budget budget;

	mutex_lock(&alone->lock);
	KUNIT_EXPECT_EQ(test, ucore_admit_budget(alone, &budget), 0);
	mutex_unlock(&alone->lock);
	KUNIT_EXPECT_EQ(test, budget.sample_ns, charged(8, 4, 0));
	fake_session_close(test, alone);
	s = session_of(test, 2);
	mutex_lock(&s->lock);
	KUNIT_EXPECT_EQ(test, ucore_admit_budget(s, &budget), 0);
	mutex_unlock(&s->lock);
	KUNIT_EXPECT_EQ(test, budget.sample_ns, charged(4, 4, 1));
}

static void low_halves_are_read_in_parallel(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.nr_readers = 2 });
	u32 i;

	for (i = 0; i < NR_IMC; i++)
		KUNIT_ASSERT_EQ(test, fake_add(s, imc(test, i), 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	session_read(s, false);	/* a full read */
	count(test, 7);
	fake_bus_clear(bus_of(test));
	session_read(s, false);
	expect_counts(test, s, 7);
	KUNIT_EXPECT_EQ(test, fake_bus_count_cpu(bus_of(test), 0), 2U);
	KUNIT_EXPECT_EQ(test, fake_bus_count_cpu(bus_of(test), 1), 2U);
}

static void box_freeze_session_is_read_in_parallel(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.nr_readers = 2, .flags = UCORE_SESSION_F_BOX_FREEZE });
	u32 i;

	for (i = 0; i < NR_IMC; i++)
		KUNIT_ASSERT_EQ(test, fake_add(s, imc(test, i), 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	expect_read(test, s, 100, 4, 4);
	expect_helped(test, s, 1);
}

/* ---- operations that are read in parallel ---- */

static void fire_here(void *arg)
{
	fake_timer_fire(arg);
}

static void timer_sample_is_read_in_parallel(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);
	const struct ucore_sample *sample;
	u32 i;

	count(test, 10);
	fake_bus_clear(bus_of(test));
	smp_call_function_single(0, fire_here, &s->ctx[0]->timer, 1);
	sample = fake_record(s->ctx[0]->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_ASSERT_EQ(test, sample->nr_values, (u32)NR_IMC);
	for (i = 0; i < NR_IMC; i++)
		KUNIT_EXPECT_EQ(test, sample->values[i].count, 10ULL * (i + 1));
	KUNIT_EXPECT_EQ(test, fake_bus_count_cpu(bus_of(test), 0), 4U);
	KUNIT_EXPECT_EQ(test, fake_bus_count_cpu(bus_of(test), 1), 4U);
	expect_helped(test, s, 1);
}

static void overflow_here(void *arg)
{
	struct ucore_domain *domain = arg;
	struct ucore_readout ro;

	raw_spin_lock(&domain->lock);
	ucore_readout_begin_overflow(&ro, domain, ktime_get_mono_fast_ns(), false);
	ucore_readout_end(&ro);
	raw_spin_unlock(&domain->lock);
}

/* Any CPU may take the PMI. The other one helps, even if it is the reader. */
static void overflow_sample_is_read_in_parallel(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.nr_readers = 2, .ring_size = 4096 });
	const struct ucore_sample *sample;
	u32 cpu;

	KUNIT_ASSERT_EQ(test, fake_add(s, imc(test, 0), 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, imc(test, 1), 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	for (cpu = 0; cpu < 2; cpu++) {
		fake_poke(fake_window(imc(test, 1)), IMC_CTR0, 5 * (cpu + 1));
		fake_overflow(imc(test, 0), IMC_CTR0, 0, BIT(1), IMC0);
		smp_call_function_single(cpu, overflow_here, &ucore_catalog.domains[0], 1);
		sample = fake_record(s->ctx[0]->ring);
		KUNIT_ASSERT_NOT_NULL(test, sample);
		KUNIT_EXPECT_EQ(test, sample->values[0].count, 100ULL * (cpu + 1));
		KUNIT_EXPECT_EQ(test, sample->values[0].flags, (u32)UCORE_VALUE_F_OVERFLOW);
		KUNIT_EXPECT_EQ(test, sample->values[1].count, 5ULL * (cpu + 1));
		KUNIT_EXPECT_EQ(test, fake_kernel.called[!cpu], 1U);
		expect_helped(test, s, cpu + 1);
	}
}

static void reset_stop_and_no_freeze_read_use_one_reader(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);

	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	session_read(s, true);	/* without freeze */
	fake_stop(s);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 0U);
	expect_helped(test, s, 0);
}

/* Two sessions are read one after the other, each with its own shares. */
static void two_sessions_in_one_readout_are_read_in_parallel(struct kunit *test)
{
	struct ucore_session *s = running(test, 2), *other;
	u32 i;

	other = fake_session_config(test, &(struct ucore_create_session){
		.nr_readers = 2, .ring_size = 4096, .timer_ns = 10 * MS });
	for (i = 0; i < 3; i++)
		add_events(test, other, "cbo", i, 1);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	raw_spin_lock_irq(&ucore_catalog.domains[0].lock);
	s->ctx[0]->due = true;
	other->ctx[0]->due = true;
	raw_spin_unlock_irq(&ucore_catalog.domains[0].lock);
	session_read(s, false);
	expect_helped(test, s, 1);
	expect_helped(test, other, 1);
}

/* ---- late and missing helpers ---- */

static void missing_helper_leaves_all_reads_to_reader(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);

	fake_kernel.calls = FAKE_CALLS_HELD;
	expect_read(test, s, 100, 8, 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 1U);
	expect_read(test, s, 200, 8, 0);
	/* the first call is still pending */
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 1U);
	expect_helped(test, s, 0);

	fake_bus_clear(bus_of(test));
	fake_calls_deliver();
	FAKE_EXPECT_NONE(test, bus_of(test));
	fake_kernel.calls = FAKE_CALLS_PROMPT;
	expect_read(test, s, 300, 4, 4);
	expect_helped(test, s, 1);
}

static void failed_call_leaves_all_reads_to_reader(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);

	fake_kernel.calls = FAKE_CALLS_BUSY;
	expect_read(test, s, 100, 8, 0);
	fake_kernel.calls = FAKE_CALLS_PROMPT;
	expect_read(test, s, 200, 4, 4);
	expect_helped(test, s, 1);
}

/* The helper arrives after its session has been closed. */
static void late_helper_after_close_reads_nothing(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);

	fake_kernel.calls = FAKE_CALLS_HELD;
	expect_read(test, s, 100, 8, 0);
	fake_session_close(test, s);
	fake_bus_clear(bus_of(test));
	fake_calls_deliver();
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static bool begun;
static u32 own_reads;

/* Block the helper in its first read until the reader has read its own two counters. */
static void slow_hook(void)
{
	if (raw_smp_processor_id() == 0) {
		WRITE_ONCE(own_reads, own_reads + 1);
		return;
	}
	smp_store_release(&begun, true);	/* pairs with wait_for() */
	while (READ_ONCE(own_reads) < 2)
		cpu_relax();
}

static void slow_helper_is_waited_for(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);

	begun = false;
	own_reads = 0;
	fake_kernel.calls = FAKE_CALLS_REAL;
	fake_kernel.until = &begun;
	bus_of(test)->hook = slow_hook;
	expect_read(test, s, 100, 4, 4);
	KUNIT_EXPECT_EQ(test, own_reads, 2U);
	bus_of(test)->hook = NULL;
	expect_helped(test, s, 1);
}

/* In any interleaving each counter is read once. */
static void racing_helper_reads_each_counter_once(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);
	u32 i;

	fake_kernel.calls = FAKE_CALLS_REAL;
	for (i = 1; i <= 500; i++) {
		count(test, i);
		fake_bus_clear(bus_of(test));
		session_read(s, false);
		expect_counts(test, s, i);
		KUNIT_ASSERT_EQ(test, fake_bus_count(bus_of(test), NULL, 'R'), 2U * NR_IMC);
	}
	KUNIT_EXPECT_EQ(test, session_status(s).reads, 500ULL * 2 * NR_IMC);
	KUNIT_EXPECT_LE(test, session_status(s).parallel_reads, 500ULL);
}

/* ---- dead boxes ---- */

static void box_dying_in_helpers_share_is_flagged(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);
	struct ucore_box *last = imc(test, NR_IMC - 1);
	u32 i;

	expect_read(test, s, 100, 4, 4);
	fake_window(last)->dead = true;
	session_read(s, false);
	KUNIT_EXPECT_TRUE(test, last->dead);
	for (i = 0; i < NR_IMC; i++) {
		KUNIT_EXPECT_EQ(test, s->values[i].count, 100ULL * (i + 1));
		KUNIT_EXPECT_EQ(test, s->values[i].flags,
				i == NR_IMC - 1 ? UCORE_VALUE_F_DEAD : 0U);
	}
	fake_bus_clear(bus_of(test));
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, fake_bus_count_cpu(bus_of(test), 1), 2U);
	KUNIT_EXPECT_EQ(test, s->values[NR_IMC - 1].flags, (u32)UCORE_VALUE_F_DEAD);
	expect_helped(test, s, 3);
}

/* ---- budgets ---- */

static void spend_here(void *arg)
{
	ucore_budget_enter(ktime_get_mono_fast_ns());
	fake_clock_advance(8 * MS);
	ucore_budget_leave();
}

static void helper_beyond_budget_is_not_called(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);

	smp_call_function_single(1, spend_here, NULL, 1);
	expect_read(test, s, 100, 8, 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 0U);
	fake_clock_advance(20 * MS);
	expect_read(test, s, 200, 4, 4);
	expect_helped(test, s, 1);
}

static void time_passes(void)
{
	if (raw_smp_processor_id() == 1)
		fake_clock_advance(100 * US);
}

static void helper_time_is_charged(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);
	u64 busy = ucore_budget_busy_ns(1), cost = session_status(s).cost_ns;

	bus_of(test)->hook = time_passes;
	expect_read(test, s, 100, 4, 4);
	bus_of(test)->hook = NULL;
	KUNIT_EXPECT_GE(test, ucore_budget_busy_ns(1) - busy, 200 * US);
	KUNIT_EXPECT_LE(test, ucore_budget_busy_ns(1) - busy, 300 * US);
	/* the helper's time, and that of the waiting reader */
	KUNIT_EXPECT_GE(test, session_status(s).cost_ns - cost, 400 * US);
}

/* ---- CPUs that may help ---- */

static void isolated_cpus_do_not_help(struct kunit *test)
{
	struct ucore_session *s;

	fake_kernel.isolated = BIT_ULL(1);
	s = running(test, 2);
	expect_read(test, s, 100, 8, 0);
	fake_stop(s);
	fake_kernel.isolated = 0;
	fake_kernel.nohz_full = BIT_ULL(1);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->nr_cpus, 1U);
	fake_stop(s);
	fake_kernel.nohz_full = 0;
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->nr_cpus, 2U);
}

/* Isolated CPUs help only if the session itself chose them. */
static void chosen_isolated_cpus_help(struct kunit *test)
{
	static const u32 both[] = { 0, 1 };
	struct ucore_session *s = session_of(test, 2), *other;

	fake_kernel.isolated = BIT_ULL(1);
	KUNIT_ASSERT_EQ(test, session_set_cpus(s, both, 2), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	expect_read(test, s, 100, 4, 4);
	other = fake_session_config(test, &(struct ucore_create_session){ .nr_readers = 2 });
	add_events(test, other, "cbo", 0, 1);
	add_events(test, other, "cbo", 1, 1);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	KUNIT_EXPECT_EQ(test, parallel_of(other)->nr_cpus, 1U);
}

/* A thread of the reader's core helps only if no other core is available. */
static void other_cores_help_before_sibling_threads(struct kunit *test)
{
	struct ucore_session *s;

	fake_kernel.more_cpus = BIT_ULL(2);
	fake_kernel.core_id[1] = fake_kernel.core_id[0];
	s = running(test, 2);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->cpu[1], 2);
	fake_stop(s);
	fake_session_close(test, s);
	s = running(test, 3);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->cpu[1], 2);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->cpu[2], 1);
}

/* CPUs outside the creator's affinity mask help only with CAP_SYS_NICE. */
static void cpus_outside_affinity_do_not_help(struct kunit *test)
{
	struct ucore_session *s;
	cpumask_var_t was;

	KUNIT_ASSERT_TRUE(test, alloc_cpumask_var(&was, GFP_KERNEL));
	cpumask_copy(was, current->cpus_ptr);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
	fake_kernel.missing_caps = BIT_ULL(CAP_SYS_NICE);
	s = running(test, 2);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->nr_cpus, 1U);
	expect_read(test, s, 100, 8, 0);
	fake_session_close(test, s);
	fake_kernel.missing_caps = 0;
	s = running(test, 2);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->nr_cpus, 2U);
	set_cpus_allowed_ptr(current, was);
	free_cpumask_var(was);
}

/* ---- CPU hotplug ---- */

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

static void offline_helper_is_not_called(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);

	KUNIT_ASSERT_EQ(test, ucore_readers_init(), 0);
	cpu_down(1);
	expect_read(test, s, 100, 8, 0);
	cpu_up(1);
	expect_read(test, s, 200, 4, 4);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 1U);
}

static void offline_helper_is_replaced(struct kunit *test)
{
	struct ucore_session *s;

	fake_kernel.more_cpus = BIT_ULL(2);
	s = running(test, 2);
	KUNIT_ASSERT_EQ(test, ucore_readers_init(), 0);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->cpu[1], 1);
	cpu_down(1);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->cpu[1], 2);
	expect_read(test, s, 100, 4, 4);
}

static void helper_becomes_reader_when_reader_goes_offline(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);

	KUNIT_ASSERT_EQ(test, ucore_readers_init(), 0);
	cpu_down(0);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->nr_cpus, 1U);
	expect_read(test, s, 100, 0, 8);
	cpu_up(0);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->cpu[0], 1);
	expect_read(test, s, 200, 4, 4);
}

/* Another session chooses the reader. */
static void readers_follow_the_moved_reader(struct kunit *test)
{
	struct ucore_session *s = running(test, 2), *other = fake_session(test);

	KUNIT_ASSERT_EQ(test, session_set_cpu(other, 1), 0);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->cpu[0], 1);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->cpu[1], 0);
	expect_read(test, s, 100, 4, 4);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[0], 1U);
}

static void suspended_session_calls_no_helper(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);

	KUNIT_ASSERT_EQ(test, ucore_readers_init(), 0);
	ucore_readers_suspend();
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 0U);
	ucore_readers_resume();
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 1U);
	expect_helped(test, s, 1);
}

/* ---- memory ---- */

static void start_without_memory_for_shares_fails(struct kunit *test)
{
	struct ucore_session *s = session_of(test, 2);
	int ret = -ENOMEM;
	u32 n;

	for (n = 1; n < 20 && ret; n++) {
		fake_kernel.fail_in = n;
		ret = fake_start(s);
		fake_kernel.fail_in = 0;
		KUNIT_EXPECT_TRUE(test, !ret || ret == -ENOMEM);
	}
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_GT(test, n, 3U);
	expect_read(test, s, 100, 4, 4);
}

static struct ucore_shares *first_shares;

static void another_session_prepares(void)
{
	ucore_parallel_prepare(&ucore_catalog.domains[0]);
	first_shares = ucore_catalog.domains[0].shares;
}

/* The second session uses the shares that the first one allocated, and leaks nothing. */
static void concurrent_prepare_allocates_shares_once(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];

	fake_kernel.on_kzalloc = another_session_prepares;
	KUNIT_EXPECT_EQ(test, ucore_parallel_prepare(domain), 0);
	KUNIT_ASSERT_NOT_NULL(test, first_shares);
	KUNIT_EXPECT_PTR_EQ(test, domain->shares, first_shares);
	first_shares = NULL;
	expect_read(test, running(test, 2), 100, 4, 4);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(two_readers_read_half_each),
	KUNIT_CASE(single_reader_calls_no_other_cpu),
	KUNIT_CASE(four_readers_read_a_quarter_each),
	KUNIT_CASE(readers_are_limited_by_cpus_and_boxes),
	KUNIT_CASE(longest_share_is_minimal),
	KUNIT_CASE(sample_estimate_depends_on_readers),
	KUNIT_CASE(low_halves_are_read_in_parallel),
	KUNIT_CASE(box_freeze_session_is_read_in_parallel),
	KUNIT_CASE(timer_sample_is_read_in_parallel),
	KUNIT_CASE(overflow_sample_is_read_in_parallel),
	KUNIT_CASE(reset_stop_and_no_freeze_read_use_one_reader),
	KUNIT_CASE(two_sessions_in_one_readout_are_read_in_parallel),
	KUNIT_CASE(missing_helper_leaves_all_reads_to_reader),
	KUNIT_CASE(failed_call_leaves_all_reads_to_reader),
	KUNIT_CASE(late_helper_after_close_reads_nothing),
	KUNIT_CASE(slow_helper_is_waited_for),
	KUNIT_CASE(racing_helper_reads_each_counter_once),
	KUNIT_CASE(box_dying_in_helpers_share_is_flagged),
	KUNIT_CASE(helper_beyond_budget_is_not_called),
	KUNIT_CASE(helper_time_is_charged),
	KUNIT_CASE(isolated_cpus_do_not_help),
	KUNIT_CASE(chosen_isolated_cpus_help),
	KUNIT_CASE(other_cores_help_before_sibling_threads),
	KUNIT_CASE(cpus_outside_affinity_do_not_help),
	KUNIT_CASE(offline_helper_is_not_called),
	KUNIT_CASE(offline_helper_is_replaced),
	KUNIT_CASE(helper_becomes_reader_when_reader_goes_offline),
	KUNIT_CASE(readers_follow_the_moved_reader),
	KUNIT_CASE(suspended_session_calls_no_helper),
	KUNIT_CASE(start_without_memory_for_shares_fails),
	KUNIT_CASE(concurrent_prepare_allocates_shares_once),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_parallel_read",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

/* ---- core PMUs ---- */

static void core_domain_is_read_by_its_cpu(struct kunit *test)
{
	struct ucore_session *s =
		fake_session_config(test, &(struct ucore_create_session){ .nr_readers = 2 });

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 1, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 1, "imc", 1), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 0U);
	KUNIT_EXPECT_NULL(test, ucore_catalog.domains[1].shares);
}

/* The die of the same session is read in parallel, although both have the same reader. */
static void die_is_read_in_parallel_next_to_core_domain(struct kunit *test)
{
	struct ucore_session *s =
		fake_session_config(test, &(struct ucore_create_session){ .nr_readers = 2 });

	add_events(test, s, "imc", 0, 1);
	add_events(test, s, "imc", 1, 1);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 1, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 1U);
	expect_helped(test, s, 1);
}

static struct kunit_case core_cases[] = {
	KUNIT_CASE(core_domain_is_read_by_its_cpu),
	KUNIT_CASE(die_is_read_in_parallel_next_to_core_domain),
	{ }
};

static struct kunit_suite core_suite = {
	.name = "ucore_parallel_read_core",
	.init = fake_machine_init_cpu,
	.exit = fake_machine_exit,
	.test_cases = core_cases,
};

kunit_test_suites(&suite, &core_suite);
