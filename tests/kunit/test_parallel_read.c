// SPDX-License-Identifier: GPL-2.0-only
/*
 * Crews: who helps, what of a part each reads, and that helpers which come late, slowly or
 * not at all change nothing but the time.  CPU 0 reads domain 0, CPU 1 can help.
 */
#include <linux/cpu.h>
#include <linux/smp.h>

#include "fake_machine.h"
#include "cpu/budget.h"
#include "sample/parallel_read.h"
#include "session/prepare.h"
#include "session/admission.h"

#define IMC0		BIT_ULL(20)
#define IMC_CTR0	0xa0
#define MS		((u64)NSEC_PER_MSEC)
#define US		((u64)NSEC_PER_USEC)

/* Each has one event, at two reads */
#define NR_IMC		4

static struct ucore_box *imc(struct kunit *test, u32 i)
{
	return fake_box(test, 0, "imc", i);
}

static struct ucore_session *session_of(struct kunit *test, u32 parallel)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.nr_readers = parallel, .ring_size = 4096, .timer_ns = 10 * MS,
		.flags = UCORE_SESSION_F_FULL_READS });
	u32 i;

	for (i = 0; i < NR_IMC; i++)
		KUNIT_ASSERT_EQ(test, fake_add(s, imc(test, i), 4, BIT(0), 0, NULL), 0);
	return s;
}

/* What a sample is charged of whose longest share are so many reads: session/admission.c, budget.c. */
static u64 charged(u64 reads, u64 values, u64 helpers)
{
	u64 ns = 2300 + 2 * 200 + reads * 240 + values * 10 +
		 (helpers ? 1500 + helpers * 1250 : 0);

	return ns + ns / 8 + 1000;
}

static struct ucore_session *running(struct kunit *test, u32 parallel)
{
	struct ucore_session *s = session_of(test, parallel);

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

/* A READ; who has read how much? */
static void expect_read(struct kunit *test, struct ucore_session *s, u64 n, u32 by_0, u32 by_1)
{
	struct ucore_get_status before = session_status(s), after;

	count(test, n);
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_EQ(test, session_read(s, false), 0);
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

/* ---- who reads what ---- */

static void two_read_half_each(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);
	u64 reads = ucore_catalog.domains[0].tally.reads;

	expect_read(test, s, 100, 4, 4);
	expect_read(test, s, 250, 4, 4);
	expect_helped(test, s, 2);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 2U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].tally.reads - reads, 4ULL * NR_IMC);
}

static void without_a_parallel_one_reads(struct kunit *test)
{
	struct ucore_session *s = running(test, 1), *other;

	expect_read(test, s, 100, 8, 0);
	fake_session_close(test, s);
	other = running(test, 0);
	expect_read(test, other, 100, 8, 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 0U);
	KUNIT_EXPECT_NULL(test, ucore_catalog.domains[0].shares);
}

static void four_read_a_quarter_each(struct kunit *test)
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

/* There are two CPUs; and a single box cannot be shared. */
static void parallels_are_as_large_as_they_can_be(struct kunit *test)
{
	struct ucore_session *s = running(test, UCORE_READERS_MAX), *one;

	KUNIT_EXPECT_EQ(test, parallel_of(s)->nr_cpus, 2U);
	expect_read(test, s, 100, 4, 4);
	one = fake_session_config(test, &(struct ucore_create_session){ .nr_readers = 2 });
	KUNIT_ASSERT_EQ(test, fake_add(one, fake_box(test, 0, "cbo", 0), 0, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(one), 0);
	KUNIT_EXPECT_EQ(test, session_read(one, false), 0);
	expect_helped(test, one, 0);
}

static void add_events(struct kunit *test, struct ucore_session *s, const char *type, u32 i,
		       u32 n)
{
	while (n--)
		KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, type, i), 4, 0, 0, NULL), 0);
}

/* A box is read by one CPU; what is left is as even as it can be. */
static void the_longest_share_is_short(struct kunit *test)
{
	struct ucore_session *s =
		fake_session_config(test, &(struct ucore_create_session){ .nr_readers = 4 });
	struct ucore_get_budget budget;

	fake_kernel.more_cpus = BIT_ULL(2) | BIT_ULL(3);
	add_events(test, s, "imc", 0, 2);	/* 4 reads, 2, 2, 8, 2 */
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

/* BUDGET of a session that does not run: as START would have it. */
static void estimates_know_the_parallel(struct kunit *test)
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

static void low_halves_are_shared_too(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.nr_readers = 2 });
	u32 i;

	for (i = 0; i < NR_IMC; i++)
		KUNIT_ASSERT_EQ(test, fake_add(s, imc(test, i), 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_ASSERT_EQ(test, session_read(s, false), 0);	/* whole */
	count(test, 7);
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_EQ(test, session_read(s, false), 0);
	expect_counts(test, s, 7);
	KUNIT_EXPECT_EQ(test, fake_bus_count_cpu(bus_of(test), 0), 2U);
	KUNIT_EXPECT_EQ(test, fake_bus_count_cpu(bus_of(test), 1), 2U);
}

static void boxes_that_freeze_alone_are_shared(struct kunit *test)
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

/* ---- when ---- */

static void fire_here(void *arg)
{
	fake_timer_fire(arg);
}

static void samples_have_a_parallel(struct kunit *test)
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
	struct ucore_interval iv;

	raw_spin_lock(&domain->lock);
	ucore_interval_begin_overflow(&iv, domain, ktime_get_mono_fast_ns(), false);
	ucore_interval_end(&iv);
	raw_spin_unlock(&domain->lock);
}

/* Whichever CPU took the PMI: the other one helps, the reader, too. */
static void overflows_have_a_parallel(struct kunit *test)
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

static void what_has_no_parallel(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);

	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	KUNIT_EXPECT_EQ(test, session_read(s, true), 0);	/* live */
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 0U);
	expect_helped(test, s, 0);
}

/* Each with its own crew, one after the other. */
static void two_sessions_end_an_interval(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	expect_helped(test, s, 1);
	expect_helped(test, other, 1);
}

/* ---- helpers that do not come as expected ---- */

static void a_helper_that_does_not_come(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);

	fake_kernel.calls = FAKE_CALLS_HELD;
	expect_read(test, s, 100, 8, 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 1U);
	expect_read(test, s, 200, 8, 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 1U);	/* it is still on the way */
	expect_helped(test, s, 0);

	fake_bus_clear(bus_of(test));
	fake_calls_deliver();
	FAKE_EXPECT_NONE(test, bus_of(test));
	fake_kernel.calls = FAKE_CALLS_PROMPT;
	expect_read(test, s, 300, 4, 4);
	expect_helped(test, s, 1);
}

static void a_call_that_cannot_be_made(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);

	fake_kernel.calls = FAKE_CALLS_BUSY;
	expect_read(test, s, 100, 8, 0);
	fake_kernel.calls = FAKE_CALLS_PROMPT;
	expect_read(test, s, 200, 4, 4);
	expect_helped(test, s, 1);
}

/* It came for something that is no more. */
static void a_session_closed_under_a_call(struct kunit *test)
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

/* The helper begins, and reads when the reader has read its own two counters. */
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

static void a_slow_helper_is_waited_for(struct kunit *test)
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

/* Whoever wins: each counter is read once. */
static void helpers_race(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);
	u32 i;

	fake_kernel.calls = FAKE_CALLS_REAL;
	for (i = 1; i <= 500; i++) {
		count(test, i);
		fake_bus_clear(bus_of(test));
		KUNIT_ASSERT_EQ(test, session_read(s, false), 0);
		expect_counts(test, s, i);
		KUNIT_ASSERT_EQ(test, fake_bus_count(bus_of(test), NULL, 'R'), 2U * NR_IMC);
	}
	KUNIT_EXPECT_EQ(test, session_status(s).reads, 500ULL * 2 * NR_IMC);
	KUNIT_EXPECT_LE(test, session_status(s).parallel_reads, 500ULL);
}

/* ---- boxes that die ---- */

static void a_box_dies_in_a_helpers_share(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);
	struct ucore_box *last = imc(test, NR_IMC - 1);
	u32 i;

	expect_read(test, s, 100, 4, 4);
	fake_window(last)->dead = true;
	KUNIT_ASSERT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_TRUE(test, last->dead);
	for (i = 0; i < NR_IMC; i++) {
		KUNIT_EXPECT_EQ(test, s->values[i].count, 100ULL * (i + 1));
		KUNIT_EXPECT_EQ(test, s->values[i].flags, i == NR_IMC - 1 ? UCORE_VALUE_F_DEAD : 0U);
	}
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_EQ(test, session_read(s, false), 0);
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

static void whoever_is_beyond_its_budget_is_not_asked(struct kunit *test)
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

static void helpers_are_charged(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);
	u64 busy = ucore_budget_busy_ns(1), cost = session_status(s).cost_ns;

	bus_of(test)->hook = time_passes;
	expect_read(test, s, 100, 4, 4);
	bus_of(test)->hook = NULL;
	KUNIT_EXPECT_GE(test, ucore_budget_busy_ns(1) - busy, 200 * US);
	KUNIT_EXPECT_LE(test, ucore_budget_busy_ns(1) - busy, 300 * US);
	/* the helper's time, and the reader's, which waited */
	KUNIT_EXPECT_GE(test, session_status(s).cost_ns - cost, 400 * US);
}

/* ---- who may help ---- */

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

/* But for those that the session itself chose. */
static void chosen_cpus_help(struct kunit *test)
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

/* A thread of the reader's core only if there is nobody else. */
static void other_cores_help_first(struct kunit *test)
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

/* CPUs that the creator may run on, unless it may change that. */
static void cpus_of_others_do_not_help(struct kunit *test)
{
	struct ucore_session *s;
	cpumask_var_t was;

	KUNIT_ASSERT_TRUE(test, alloc_cpumask_var(&was, GFP_KERNEL));
	cpumask_copy(was, current->cpus_ptr);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
	fake_kernel.lacks = BIT_ULL(CAP_SYS_NICE);
	s = running(test, 2);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->nr_cpus, 1U);
	expect_read(test, s, 100, 8, 0);
	fake_session_close(test, s);
	fake_kernel.lacks = 0;
	s = running(test, 2);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->nr_cpus, 2U);
	set_cpus_allowed_ptr(current, was);
	free_cpumask_var(was);
}

/* ---- CPUs come and go ---- */

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

static void a_helper_goes_offline(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);

	KUNIT_ASSERT_EQ(test, ucore_readers_init(), 0);
	cpu_down(1);
	expect_read(test, s, 100, 8, 0);
	cpu_up(1);
	expect_read(test, s, 200, 4, 4);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 1U);
}

static void another_one_takes_its_place(struct kunit *test)
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

static void the_reader_goes_offline(struct kunit *test)
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
static void the_reader_moves(struct kunit *test)
{
	struct ucore_session *s = running(test, 2), *other = fake_session(test);

	KUNIT_ASSERT_EQ(test, session_set_cpu(other, 1), 0);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->cpu[0], 1);
	KUNIT_EXPECT_EQ(test, parallel_of(s)->cpu[1], 0);
	expect_read(test, s, 100, 4, 4);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[0], 1U);
}

static void parallels_sleep(struct kunit *test)
{
	struct ucore_session *s = running(test, 2);

	KUNIT_ASSERT_EQ(test, ucore_readers_init(), 0);
	ucore_readers_suspend();
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 0U);
	ucore_readers_resume();
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 1U);
	expect_helped(test, s, 1);
}

/* ---- memory ---- */

static void memory_for_shares_runs_out(struct kunit *test)
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

/* Whoever comes second has the first one's, and leaks none. */
static void two_sessions_prepare_at_once(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];

	fake_kernel.meanwhile = another_session_prepares;
	KUNIT_EXPECT_EQ(test, ucore_parallel_prepare(domain), 0);
	KUNIT_ASSERT_NOT_NULL(test, first_shares);
	KUNIT_EXPECT_PTR_EQ(test, domain->shares, first_shares);
	first_shares = NULL;
	expect_read(test, running(test, 2), 100, 4, 4);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(two_read_half_each),
	KUNIT_CASE(without_a_parallel_one_reads),
	KUNIT_CASE(four_read_a_quarter_each),
	KUNIT_CASE(parallels_are_as_large_as_they_can_be),
	KUNIT_CASE(the_longest_share_is_short),
	KUNIT_CASE(estimates_know_the_parallel),
	KUNIT_CASE(low_halves_are_shared_too),
	KUNIT_CASE(boxes_that_freeze_alone_are_shared),
	KUNIT_CASE(samples_have_a_parallel),
	KUNIT_CASE(overflows_have_a_parallel),
	KUNIT_CASE(what_has_no_parallel),
	KUNIT_CASE(two_sessions_end_an_interval),
	KUNIT_CASE(a_helper_that_does_not_come),
	KUNIT_CASE(a_call_that_cannot_be_made),
	KUNIT_CASE(a_session_closed_under_a_call),
	KUNIT_CASE(a_slow_helper_is_waited_for),
	KUNIT_CASE(helpers_race),
	KUNIT_CASE(a_box_dies_in_a_helpers_share),
	KUNIT_CASE(whoever_is_beyond_its_budget_is_not_asked),
	KUNIT_CASE(helpers_are_charged),
	KUNIT_CASE(isolated_cpus_do_not_help),
	KUNIT_CASE(chosen_cpus_help),
	KUNIT_CASE(other_cores_help_first),
	KUNIT_CASE(cpus_of_others_do_not_help),
	KUNIT_CASE(a_helper_goes_offline),
	KUNIT_CASE(another_one_takes_its_place),
	KUNIT_CASE(the_reader_goes_offline),
	KUNIT_CASE(the_reader_moves),
	KUNIT_CASE(parallels_sleep),
	KUNIT_CASE(memory_for_shares_runs_out),
	KUNIT_CASE(two_sessions_prepare_at_once),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_parallel",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

/* ---- cores ---- */

static void cores_have_no_parallel(struct kunit *test)
{
	struct ucore_session *s =
		fake_session_config(test, &(struct ucore_create_session){ .nr_readers = 2 });

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 1, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 1, "imc", 1), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 0U);
	KUNIT_EXPECT_NULL(test, ucore_catalog.domains[1].shares);
}

/* Its die's does, though the same CPU reads both. */
static void a_die_and_a_core_of_one_session(struct kunit *test)
{
	struct ucore_session *s =
		fake_session_config(test, &(struct ucore_create_session){ .nr_readers = 2 });

	add_events(test, s, "imc", 0, 1);
	add_events(test, s, "imc", 1, 1);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 1, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.called[1], 1U);
	expect_helped(test, s, 1);
}

static struct kunit_case core_cases[] = {
	KUNIT_CASE(cores_have_no_parallel),
	KUNIT_CASE(a_die_and_a_core_of_one_session),
	{ }
};

static struct kunit_suite core_suite = {
	.name = "ucore_parallel_core",
	.init = fake_machine_init_cpu,
	.exit = fake_machine_exit,
	.test_cases = core_cases,
};

kunit_test_suites(&suite, &core_suite);
