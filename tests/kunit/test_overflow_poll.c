// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of overflows that freeze the domain without a PMI (UCORE_SESSION_F_NO_PMI): the
 * route, the time between polls, and the samples.
 */
#include <linux/cpu.h>

#include "cpu/budget.h"
#include "cpu/nmi_handler.h"
#include "fake_machine.h"

#define FIXED	BIT_ULL(UCORE_COUNTER_FIXED)
#define N	8000000ULL		/* polled every 200 us */
#define US	((u64)NSEC_PER_USEC)
#define MS	((u64)NSEC_PER_MSEC)
#define IMC0	BIT_ULL(20)
#define CORES	0x7fffULL
#define SILENT	(UCORE_SAMPLE_F_POLLED | UCORE_SAMPLE_F_FROZEN)

static struct ucore_session *session_with(struct kunit *test, u32 flags, const char *type,
					  u32 instance, u64 period)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.ring_size = 8192, .flags = flags });

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, type, instance), 0, BIT(0), period,
				       NULL), 0);
	return s;
}

static struct ucore_session *started(struct kunit *test, u32 flags)
{
	struct ucore_session *s = session_with(test, flags, "imc", 0, N);

	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_bus_clear(bus_of(test));
	return s;
}

static struct ucore_domain *die(void)
{
	return &ucore_catalog.domains[0];
}

static void overflow(struct kunit *test)
{
	fake_overflow(fake_box(test, 0, "imc", 0), 0xa0, 0, BIT(1), IMC0);
}

static enum hrtimer_restart poll_now(void)
{
	return fake_timer_fire(&die()->pmi.poll);
}

static bool is_polled(void)
{
	return fake_timer_find(&die()->pmi.poll)->queued;
}

static u64 due_in(void)
{
	return ktime_to_ns(fake_timer_find(&die()->pmi.poll)->expires) - ktime_get_mono_fast_ns();
}

static const struct ucore_sample *next_sample(struct ucore_session *s)
{
	return fake_record(ucore_session_ctx(s, 0)->ring);
}

static void expect_silent(struct kunit *test, const struct ucore_sample *sample, u64 count)
{
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)SILENT);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, count);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, (u32)UCORE_VALUE_F_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->ip, 0ULL);
	KUNIT_EXPECT_EQ(test, sample->pid, 0U);
}

/* ---- the time between polls ---- */

/* Eight polls in the shortest period, between 100 us and 10 ms. */
static void time_between_polls_follows_the_period(struct kunit *test)
{
	static const struct {
		const char *type;
		u64 counters;
		u64 period;
		u64 poll_ns;
	} cases[] = {
		{ "imc", BIT(0), 1, 100 * US },
		{ "imc", BIT(0), N / 2 + 39, 100 * US },
		{ "imc", BIT(0), N / 2 + 40, 100 * US + 1 },
		{ "imc", BIT(0), N, 200 * US },
		{ "imc", BIT(0), 400000000 - 40, 10 * MS - 1 },
		{ "imc", BIT(0), 400000000, 10 * MS },
		{ "imc", BIT(0), BIT_ULL(47), 10 * MS },	/* the longest time */
		{ "ubox", FIXED, N, 200 * US },
	};
	struct ucore_add_event add;
	struct ucore_session *s;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		s = fake_session_config(test, &(struct ucore_create_session){
			.flags = UCORE_SESSION_F_NO_PMI });
		KUNIT_EXPECT_EQ_MSG(test, fake_add(s, fake_box(test, 0, cases[i].type, 0), 0,
						   cases[i].counters, cases[i].period, &add), 0,
				    "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, add.poll_ns, cases[i].poll_ns, "case %u", i);
		fake_session_close(test, s);
	}
}

/* A C-Box of v2 has no overflow. An event without a period needs none. */
static void period_without_overflow_is_refused(struct kunit *test)
{
	struct ucore_session *s = session_with(test, UCORE_SESSION_F_NO_PMI, "imc", 0, 0);
	struct ucore_add_event add;

	KUNIT_EXPECT_EQ(test, fake_add(s, fake_box(test, 0, "cbo", 0), 0, BIT(0), N, &add),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, fake_add(s, fake_box(test, 0, "cbo", 0), 0, BIT(0), 0, &add), 0);
	KUNIT_EXPECT_EQ(test, add.poll_ns, 0ULL);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_FALSE(test, is_polled());
}

/* The shortest time of all sessions applies while they run. */
static void shortest_time_between_polls_applies(struct kunit *test)
{
	struct ucore_session *slow = session_with(test, UCORE_SESSION_F_NO_PMI, "imc", 0, 4 * N);
	struct ucore_session *fast = session_with(test, UCORE_SESSION_F_NO_PMI, "imc", 4, N);

	KUNIT_ASSERT_EQ(test, fake_start(slow), 0);
	KUNIT_EXPECT_EQ(test, die()->pmi.poll_ns, 800 * US);
	KUNIT_ASSERT_EQ(test, fake_start(fast), 0);
	KUNIT_EXPECT_EQ(test, die()->pmi.poll_ns, 200 * US);
	KUNIT_EXPECT_LE(test, due_in(), 200 * US);
	fake_stop(fast);
	KUNIT_EXPECT_EQ(test, die()->pmi.poll_ns, 800 * US);
	KUNIT_EXPECT_TRUE(test, is_polled());
	KUNIT_EXPECT_EQ(test, poll_now(), HRTIMER_RESTART);
	KUNIT_EXPECT_GT(test, due_in(), 700 * US);
	KUNIT_ASSERT_EQ(test, fake_start(fast), 0);
	fake_stop(slow);
	KUNIT_EXPECT_EQ(test, die()->pmi.poll_ns, 200 * US);
	fake_stop(fast);
	KUNIT_EXPECT_FALSE(test, is_polled());
	KUNIT_EXPECT_EQ(test, poll_now(), HRTIMER_NORESTART);
}

/* ---- samples ---- */

static void poll_reads_the_global_status_only(struct kunit *test)
{
	struct ucore_session *s = started(test, UCORE_SESSION_F_NO_PMI);

	KUNIT_EXPECT_TRUE(test, is_polled());
	KUNIT_EXPECT_LE(test, due_in(), 200 * US);
	KUNIT_EXPECT_EQ(test, poll_now(), HRTIMER_RESTART);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(fake_global(0), GLOBAL_STATUS));
	KUNIT_EXPECT_NULL(test, next_sample(s));
	KUNIT_EXPECT_EQ(test, session_status(s).polls, 1ULL);
	KUNIT_EXPECT_EQ(test, session_status(s).reads, 1ULL);
	KUNIT_EXPECT_GT(test, session_status(s).cost_ns, 0ULL);
}

static void poll_after_an_overflow_takes_an_exact_sample(struct kunit *test)
{
	struct fake_window *gw = fake_global(0), *m = fake_window(fake_box(test, 0, "imc", 0));
	struct ucore_session *s = started(test, UCORE_SESSION_F_NO_PMI);
	const struct ucore_sample *sample;
	u64 clear;

	poll_now();
	clear = ktime_get_mono_fast_ns();
	fake_clock_advance(150 * US);
	overflow(test);
	fake_bus_clear(bus_of(test));
	poll_now();
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_STATUS), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(gw, GLOBAL_STATUS), FAKE_R(m, 0xf8), FAKE_R(m, 0xa0), FAKE_R(m, 0xa4),
		    FAKE_W(m, 0xf8, BIT(1)), FAKE_W(gw, GLOBAL_STATUS, IMC0),
		    FAKE_W(m, 0xa4, 0), FAKE_W(m, 0xa0, BIT_ULL(48) - N),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	sample = next_sample(s);
	expect_silent(test, sample, N);
	KUNIT_EXPECT_GE(test, sample->late_ns, 150 * US);
	KUNIT_EXPECT_GE(test, sample->time - sample->late_ns, clear - 50 * US);
	KUNIT_EXPECT_LT(test, sample->time - sample->late_ns, clear);
	KUNIT_EXPECT_GT(test, sample->frozen_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, session_status(s).overflows, 1ULL);
	KUNIT_EXPECT_EQ(test, session_status(s).polled, 1ULL);
	KUNIT_EXPECT_EQ(test, session_status(s).recovered, 0ULL);
	KUNIT_EXPECT_EQ(test, die()->pmis, 0ULL);
	KUNIT_EXPECT_EQ(test, die()->recovered, 0ULL);
}

/* The delay counts from the previous sample if no poll was in between. */
static void late_ns_counts_from_the_previous_sample(struct kunit *test)
{
	struct ucore_session *s = started(test, UCORE_SESSION_F_NO_PMI);
	const struct ucore_sample *sample;
	u64 first;

	overflow(test);
	poll_now();
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	first = sample->time;
	fake_clock_advance(MS);
	overflow(test);
	poll_now();
	sample = next_sample(s);
	expect_silent(test, sample, 2 * N);
	KUNIT_EXPECT_EQ(test, sample->late_ns, sample->time - first);
}

/* READ, the timer and STOP find overflows before the poll does. */
static void read_finds_the_overflow_before_the_poll(struct kunit *test)
{
	struct ucore_session *s = started(test, UCORE_SESSION_F_NO_PMI);
	u64 before = ktime_get_mono_fast_ns();
	const struct ucore_sample *sample;

	fake_clock_advance(100 * US);
	overflow(test);
	session_read(s, false);
	sample = next_sample(s);
	expect_silent(test, sample, N);
	KUNIT_EXPECT_GE(test, sample->late_ns, sample->time - before);
	poll_now();
	KUNIT_EXPECT_NULL(test, next_sample(s));
	overflow(test);
	fake_stop(s);
	expect_silent(test, next_sample(s), 2 * N);
}

static void timer_finds_the_overflow_before_the_poll(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.ring_size = 8192, .timer_ns = 50 * MS, .flags = UCORE_SESSION_F_NO_PMI });

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 0, BIT(0), N, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	overflow(test);
	fake_timer_fire(&ucore_session_ctx(s, 0)->timer);
	expect_silent(test, next_sample(s), N);
	fake_timer_fire(&ucore_session_ctx(s, 0)->timer);
	KUNIT_EXPECT_FALSE(test, next_sample(s)->flags & SILENT);
}

/* The die waits for the poll: no PMI is lost, and no counter wrapped unnoticed. */
static void watchdog_leaves_the_overflow_to_the_poll(struct kunit *test)
{
	struct ucore_session *s = started(test, UCORE_SESSION_F_NO_PMI);
	u32 i;

	overflow(test);
	for (i = 0; i < 3; i++) {
		fake_clock_advance(20 * MS);
		fake_timer_fire(&die()->watchdog);
	}
	KUNIT_EXPECT_NULL(test, next_sample(s));
	KUNIT_EXPECT_EQ(test, die()->pmi.losses, 0U);
	poll_now();
	expect_silent(test, next_sample(s), N);
	KUNIT_EXPECT_EQ(test, die()->recovered, 0ULL);
	KUNIT_EXPECT_FALSE(test, die()->pmi.wide);
}

/* Without a bit in the global status, the watchdog recovers the overflow as with a PMI. */
static void unreported_overflow_is_recovered_by_the_watchdog(struct kunit *test)
{
	struct ucore_session *s = started(test, UCORE_SESSION_F_NO_PMI);
	const struct ucore_sample *sample;
	u32 i;

	fake_poke(fake_window(fake_box(test, 0, "imc", 0)), 0xa0, 7);
	poll_now();
	for (i = 0; i < 2; i++) {
		fake_clock_advance(1000 * MS);
		fake_timer_fire(&die()->watchdog);
	}
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_RECOVERED);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, N + 7);
	KUNIT_EXPECT_TRUE(test, is_polled());
}

static int nmi_here(void)
{
	struct pt_regs regs = { .cs = __KERNEL_CS };
	int ret;

	local_irq_disable();
	ret = fake_nmi(&regs);
	local_irq_enable();
	return ret;
}

/* No PMI is on its way, so that an NMI of another source is not taken for one. */
static void nmi_after_a_sample_without_pmi_is_not_claimed(struct kunit *test)
{
	struct ucore_session *loud = started(test, 0), *s;
	int handled;

	fake_stop(loud);		/* all CPUs of the die have expected PMIs before */
	fake_clock_advance(2000 * MS);
	fake_session_close(test, loud);
	s = started(test, UCORE_SESSION_F_NO_PMI);
	overflow(test);
	poll_now();
	expect_silent(test, next_sample(s), N);
	handled = nmi_here();
	KUNIT_EXPECT_EQ(test, handled, NMI_DONE);
}

static void poll_beyond_the_budget_is_delayed(struct kunit *test)
{
	struct ucore_session *s = started(test, UCORE_SESSION_F_NO_PMI);
	const struct ucore_sample *sample;

	local_irq_disable();
	ucore_budget_enter(ktime_get_mono_fast_ns());
	fake_clock_advance(8 * MS);
	ucore_budget_leave();
	local_irq_enable();
	poll_now();
	KUNIT_EXPECT_GT(test, due_in(), MS);
	KUNIT_EXPECT_EQ(test, ucore_session_ctx(s, 0)->stats.delayed, 1ULL);
	fake_clock_advance(20 * MS);
	overflow(test);
	poll_now();
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)(SILENT | UCORE_SAMPLE_F_DELAYED));
	KUNIT_EXPECT_GE(test, sample->late_ns, 20 * MS);
}

/* ---- the route ---- */

/* Capital letters start and small letters stop a session: s needs no PMI, l needs one. */
static void route_is_set_while_a_session_needs_a_pmi(struct kunit *test)
{
	static const char * const orders[] = {
		"Ss", "Ll", "SLls", "SLsl", "LSsl", "LSls", "SLlLls", "LSlsSs",
	};
	struct ucore_session *silent, *loud;
	const char *step;
	bool s, l;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		silent = session_with(test, UCORE_SESSION_F_NO_PMI, "imc", 0, N);
		loud = session_with(test, 0, "imc", 4, N);
		s = false;
		l = false;
		for (step = orders[i]; *step; step++) {
			switch (*step) {
			case 'S':
				KUNIT_ASSERT_EQ(test, fake_start(silent), 0);
				s = true;
				break;
			case 'L':
				KUNIT_ASSERT_EQ(test, fake_start(loud), 0);
				l = true;
				break;
			case 's':
				fake_stop(silent);
				s = false;
				break;
			default:
				fake_stop(loud);
				l = false;
			}
			KUNIT_EXPECT_EQ_MSG(test, fake_peek(fake_global(0), GLOBAL_CTL) & CORES,
					    l ? BIT_ULL(0) : 0ULL, "%s, %s", orders[i], step);
			KUNIT_EXPECT_EQ_MSG(test, !cpumask_empty(&die()->pmi.cpus), l, "%s, %s",
					    orders[i], step);
			KUNIT_EXPECT_EQ_MSG(test, is_polled(), s && !l, "%s, %s", orders[i], step);
			KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
			KUNIT_EXPECT_EQ(test, die()->freeze_count, 0U);
		}
		fake_session_close(test, silent);
		fake_session_close(test, loud);
	}
}

/* An overflow that sent no PMI is serviced before the route is set, and keeps its flags. */
static void overflow_before_the_route_is_set_is_serviced(struct kunit *test)
{
	struct ucore_session *s = started(test, UCORE_SESSION_F_NO_PMI);
	struct ucore_session *loud = session_with(test, 0, "imc", 4, N);
	const struct ucore_sample *sample;

	overflow(test);
	KUNIT_ASSERT_EQ(test, fake_start(loud), 0);
	expect_silent(test, next_sample(s), N);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	overflow(test);
	nmi_here();
	irq_work_sync(&die()->pmi.work);
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_CONTEXT);
	KUNIT_EXPECT_EQ(test, sample->late_ns, 0ULL);
}

/* A PMI that was sent before the route is cleared is claimed later. */
static void pmi_before_the_route_is_cleared_is_claimed(struct kunit *test)
{
	struct ucore_session *s = started(test, UCORE_SESSION_F_NO_PMI);
	struct ucore_session *loud = session_with(test, 0, "imc", 4, N);
	const struct ucore_sample *sample;
	int first, second;

	KUNIT_ASSERT_EQ(test, fake_start(loud), 0);
	overflow(test);
	fake_stop(loud);
	first = nmi_here();
	second = nmi_here();
	KUNIT_EXPECT_EQ(test, first, NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, second, NMI_DONE);
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_FALSE(test, sample->flags & SILENT);
}

static void poll_moves_with_the_reader(struct kunit *test)
{
	struct ucore_session *s = started(test, UCORE_SESSION_F_NO_PMI);

	overflow(test);
	fake_reader_choose(die(), 1, cpumask_of(1));
	expect_silent(test, next_sample(s), N);
	KUNIT_EXPECT_EQ(test, die()->reader, 1);
	KUNIT_EXPECT_TRUE(test, is_polled());
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL) & CORES, 0ULL);
	KUNIT_EXPECT_TRUE(test, cpumask_empty(&die()->pmi.cpus));
	overflow(test);
	poll_now();
	expect_silent(test, next_sample(s), 2 * N);
	fake_reader_choose(die(), UCORE_NO_CPU, cpu_none_mask);
}

static struct ucore_session *started_on_die_1(struct kunit *test, u32 flags, u32 imc)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.ring_size = 8192, .flags = flags });

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 1, "imc", imc), 0, BIT(0), N, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	return s;
}

/* The last session with a PMI stops while the die has no CPU. Polls begin with the next CPU. */
static void polls_begin_with_the_next_cpu(struct kunit *test)
{
	struct ucore_session *pmi = started_on_die_1(test, 0, 0);
	struct ucore_domain *domain = &ucore_catalog.domains[1];

	started_on_die_1(test, UCORE_SESSION_F_NO_PMI, 1);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&domain->pmi.poll)->queued);
	cpus_read_lock();
	fake_kernel.cpu_down(1);
	cpus_read_unlock();
	fake_stop(pmi);
	cpus_read_lock();
	fake_kernel.cpu_up(1);
	cpus_read_unlock();
	KUNIT_EXPECT_TRUE(test, cpumask_empty(&domain->pmi.cpus));
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&domain->pmi.poll)->queued);
}

static int poll_init_2(struct kunit *test)
{
	return fake_machine_init_2(test) ?: ucore_readers_init() ?: ucore_nmi_register();
}

static int poll_init(struct kunit *test)
{
	return fake_machine_init(test) ?: ucore_nmi_register();
}

static struct kunit_case cases[] = {
	KUNIT_CASE(time_between_polls_follows_the_period),
	KUNIT_CASE(period_without_overflow_is_refused),
	KUNIT_CASE(shortest_time_between_polls_applies),
	KUNIT_CASE(poll_reads_the_global_status_only),
	KUNIT_CASE(poll_after_an_overflow_takes_an_exact_sample),
	KUNIT_CASE(late_ns_counts_from_the_previous_sample),
	KUNIT_CASE(read_finds_the_overflow_before_the_poll),
	KUNIT_CASE(timer_finds_the_overflow_before_the_poll),
	KUNIT_CASE(watchdog_leaves_the_overflow_to_the_poll),
	KUNIT_CASE(unreported_overflow_is_recovered_by_the_watchdog),
	KUNIT_CASE(nmi_after_a_sample_without_pmi_is_not_claimed),
	KUNIT_CASE(poll_beyond_the_budget_is_delayed),
	KUNIT_CASE(route_is_set_while_a_session_needs_a_pmi),
	KUNIT_CASE(overflow_before_the_route_is_set_is_serviced),
	KUNIT_CASE(pmi_before_the_route_is_cleared_is_claimed),
	KUNIT_CASE(poll_moves_with_the_reader),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_overflow_poll",
	.init = poll_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

/* A period of a core cannot freeze its die, and needs its interrupt. */
static void period_of_a_core_is_refused(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.flags = UCORE_SESSION_F_NO_PMI });

	fake_machine(test)->cpu_global.enables = true;
	KUNIT_EXPECT_EQ(test, fake_add(s, fake_box(test, 1, "imc", 0), 0, BIT(0), N, NULL),
			-EOPNOTSUPP);
	fake_machine(test)->cpu_global.enables = false;
}

static struct kunit_case cases_cpu[] = {
	KUNIT_CASE(period_of_a_core_is_refused),
	{ }
};

static struct kunit_suite suite_cpu = {
	.name = "ucore_overflow_poll_cpu_scope",
	.init = fake_machine_init_cpu,
	.exit = fake_machine_exit,
	.test_cases = cases_cpu,
};

static struct kunit_case cases_2[] = {
	KUNIT_CASE(polls_begin_with_the_next_cpu),
	{ }
};

static struct kunit_suite suite_2 = {
	.name = "ucore_overflow_poll_2_domains",
	.init = poll_init_2,
	.exit = fake_machine_exit,
	.test_cases = cases_2,
};

kunit_test_suites(&suite, &suite_cpu, &suite_2);
