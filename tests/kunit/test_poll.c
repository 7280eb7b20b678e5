// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of polled periods: how often a counter is polled, which registers a poll reads,
 * and which samples are taken.
 */
#include "fake_machine.h"

#define FIXED	BIT_ULL(UCORE_COUNTER_FIXED)
#define N	1000000ULL
#define MS	((u64)NSEC_PER_MSEC)

/* Box control values of the E5-2600 */
#define FROZEN	0x10100
#define RUN	0x10000

static int restricted(struct ucore_box *box, u64 event, u64 thresh, u64 counters, u64 period,
		      enum ucore_period_end end, struct ucore_event_spec *spec)
{
	const struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EVENT, .value = event },
		{ .field = UCORE_FIELD_THRESH, .value = thresh },
	};
	int ret = ucore_event_encode(box, terms, counters ? 0 : ARRAY_SIZE(terms), spec);

	return ret ?: ucore_event_restrict(box, counters, period, end, spec);
}

/* At most one period may end between two polls, at 5 GHz and the event's largest increment. */
static void poll_interval_follows_period_and_increment(struct kunit *test)
{
	static const struct {
		const char *type;
		u64 event;
		u64 thresh;
		u64 counters;
		u64 period;
		int ret;
		u64 poll_ns;
	} cases[] = {
		{ "imc", 0x04, 0, 0, 500000, 0, 100000 },
		{ "imc", 0x04, 0, 0, 499999, -ERANGE },
		{ "imc", 0x04, 0, 0, 1, -ERANGE },
		{ "imc", 0x80, 0, 0, 22 * 500000, 0, 100000 },		/* RPQ_OCCUPANCY */
		{ "imc", 0x80, 0, 0, 22 * 500000 - 1, -ERANGE },
		{ "imc", 0x80, 3, 0, 500000, 0, 100000 },		/* 0 or 1 per clock */
		{ "imc", 0x43, 0, 0, 139 * 500000, 0, 100000 },
		{ "imc", 0x43, 0, 0, 139 * 500000 - 1, -ERANGE },
		{ "imc", 0, 0, FIXED, 600000, 0, 120000 },
		{ "imc", 0, 0, FIXED, 499999, -ERANGE },
		{ "cbo", 0x36, 0, 0, 20 * 750000, 0, 150000 },
		{ "cbo", 0x1d, 0, 0, 750000, 0, 150000 },
		{ "ubox", 0x42, 0, 0, N, 0, 200000 },
		{ "imc", 0x04, 0, 0, 50000000, 0, 10000000 },
		{ "imc", 0x04, 0, 0, 50000001, 0, 10000000 },		/* the longest interval */
		{ "imc", 0x04, 0, 0, ~0ULL, 0, 10000000 },
	};
	struct ucore_event_spec spec;
	struct ucore_box *box;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		box = fake_box(test, 0, cases[i].type, 0);
		KUNIT_EXPECT_EQ_MSG(test, restricted(box, cases[i].event, cases[i].thresh,
						     cases[i].counters, cases[i].period,
						     UCORE_END_ANY, &spec),
				    cases[i].ret, "case %u", i);
		if (!cases[i].ret)
			KUNIT_EXPECT_EQ_MSG(test, spec.poll_ns, cases[i].poll_ns, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, restricted(box, cases[i].event, cases[i].thresh,
						     cases[i].counters, cases[i].period,
						     UCORE_END_INTERRUPT, &spec),
				    -EOPNOTSUPP, "case %u", i);
	}
}

static void event_without_period_is_not_polled(struct kunit *test)
{
	struct ucore_event_spec spec;

	KUNIT_EXPECT_EQ(test, restricted(fake_box(test, 0, "imc", 0), 4, 0, 0, 0,
					 UCORE_END_INTERRUPT, &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.poll_ns, 0ULL);
}

/* ---- a session with a polled event on counter 0 of imc0, and an event on cbo0 ---- */

static struct ucore_session *polling(struct kunit *test, u64 timer_ns)
{
	const struct ucore_create_session config = { .ring_size = 8192, .timer_ns = timer_ns };
	struct ucore_session *s = fake_session_config(test, &config);
	struct ucore_add_event add;

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, BIT(0), N, &add), 0);
	KUNIT_EXPECT_EQ(test, add.poll_ns, N / 5);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "cbo", 0), 0x1d, BIT(2), 0, &add), 0);
	KUNIT_EXPECT_EQ(test, add.poll_ns, 0ULL);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_bus_clear(bus_of(test));
	return s;
}

static struct fake_window *imc(struct kunit *test)
{
	return fake_window(fake_box(test, 0, "imc", 0));
}

static struct fake_window *cbo(struct kunit *test)
{
	return fake_window(fake_box(test, 0, "cbo", 0));
}

static const struct ucore_sample *next_sample(struct ucore_session *s)
{
	return fake_record(ucore_session_ctx(s, 0)->ring);
}

static void poll_now(struct ucore_session *s)
{
	fake_timer_fire(&ucore_session_ctx(s, 0)->poll);
}

static void poll_timer_runs_with_the_session(struct kunit *test)
{
	struct ucore_session *s = polling(test, 0);
	struct ucore_domain_ctx *ctx = ucore_session_ctx(s, 0);

	KUNIT_EXPECT_TRUE(test, fake_timer_find(&ctx->poll)->queued);
	KUNIT_EXPECT_EQ(test, (u64)ktime_to_ns(fake_timer_find(&ctx->poll)->expires),
			ctx->resumed + N / 5);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&ctx->timer)->queued);
	KUNIT_EXPECT_EQ(test, fake_timer_fire(&ctx->poll), HRTIMER_RESTART);
	fake_stop(s);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&ctx->poll)->queued);
	KUNIT_EXPECT_EQ(test, fake_timer_fire(&ctx->poll), HRTIMER_NORESTART);
}

/* A poll reads the counter's low half: nothing is frozen, and no other counter is read. */
static void poll_reads_one_low_half(struct kunit *test)
{
	struct ucore_session *s = polling(test, 0);

	fake_poke(imc(test), 0xa0, N - 1);
	poll_now(s);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(imc(test), 0xa0));
	KUNIT_EXPECT_NULL(test, next_sample(s));
	KUNIT_EXPECT_EQ(test, session_status(s).polls, 1ULL);
	KUNIT_EXPECT_EQ(test, session_status(s).reads, 1ULL);
	KUNIT_EXPECT_GT(test, session_status(s).cost_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, session_status(s).samples, 0ULL);
}

/* After a long time the low half may have wrapped: the whole counter is read without tearing. */
static void late_poll_reads_the_whole_counter(struct kunit *test)
{
	struct ucore_session *s = polling(test, 0);

	fake_clock_advance(500 * MS);
	fake_poke(imc(test), 0xa0, BIT_ULL(32) + 7);
	poll_now(s);
	KUNIT_ASSERT_GE(test, bus_of(test)->nr, 3U);
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_NOT_NULL(test, next_sample(s));
	/* across a wrap of the low half a timely poll is exact */
	fake_poke(imc(test), 0xa0, 2 * BIT_ULL(32) - 1);
	fake_clock_advance(500 * MS);
	poll_now(s);
	KUNIT_ASSERT_NOT_NULL(test, next_sample(s));
	fake_poke(imc(test), 0xa0, 2 * BIT_ULL(32) + N);
	poll_now(s);
	KUNIT_EXPECT_EQ(test, next_sample(s)->values[0].count, 2 * BIT_ULL(32) + N);
}

static void first_poll_after_period_samples(struct kunit *test)
{
	struct fake_window *c = cbo(test), *m = imc(test);
	struct ucore_session *s = polling(test, 0);
	const struct ucore_sample *sample;

	fake_poke(m, 0xa0, N + 5);
	fake_poke(c, 0x18, 77);
	poll_now(s);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(m, 0xa0), FAKE_W(m, 0xf4, FROZEN),
		    FAKE_W(c, 0x04, FROZEN), FAKE_R(m, 0xa0), FAKE_R(m, 0xa4), FAKE_R(c, 0x18),
		    FAKE_W(m, 0xf4, RUN), FAKE_W(c, 0x04, RUN));
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, sample->values[0].event);
	KUNIT_EXPECT_TRUE(test, sample->flags & UCORE_SAMPLE_F_POLLED);
	KUNIT_EXPECT_EQ(test, sample->late_ns, sample->time - ucore_session_ctx(s, 0)->resumed);
	KUNIT_EXPECT_TRUE(test, sample->flags & UCORE_SAMPLE_F_CONTEXT);
	KUNIT_EXPECT_FALSE(test, sample->flags & UCORE_SAMPLE_F_RECOVERED);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, N + 5);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, (u32)UCORE_VALUE_F_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->values[1].count, 77ULL);
	KUNIT_EXPECT_EQ(test, sample->values[1].flags, 0U);
	KUNIT_EXPECT_EQ(test, session_status(s).overflows, 1ULL);
	KUNIT_EXPECT_EQ(test, session_status(s).polled, 1ULL);
	KUNIT_EXPECT_EQ(test, session_status(s).recovered, 0ULL);
}

static void samples_follow_multiples_of_the_period(struct kunit *test)
{
	struct ucore_session *s = polling(test, 0);

	fake_poke(imc(test), 0xa0, N);		/* the N-th count ends the period */
	poll_now(s);
	KUNIT_EXPECT_NOT_NULL(test, next_sample(s));
	poll_now(s);
	fake_poke(imc(test), 0xa0, 2 * N - 1);
	poll_now(s);
	KUNIT_EXPECT_NULL(test, next_sample(s));
	fake_poke(imc(test), 0xa0, 7 * N + 3);	/* a very late poll takes one sample */
	poll_now(s);
	KUNIT_EXPECT_NOT_NULL(test, next_sample(s));
	KUNIT_EXPECT_NULL(test, next_sample(s));
	fake_poke(imc(test), 0xa0, 8 * N - 1);
	poll_now(s);
	KUNIT_EXPECT_NULL(test, next_sample(s));
	fake_poke(imc(test), 0xa0, 8 * N);
	poll_now(s);
	KUNIT_EXPECT_NOT_NULL(test, next_sample(s));
}

/* The lateness of a sample counts from the last poll, even one that found nothing. */
static void late_ns_counts_from_the_last_poll(struct kunit *test)
{
	struct ucore_session *s = polling(test, 0);
	const struct ucore_sample *sample;
	u64 looked;

	fake_clock_advance(5 * MS);
	poll_now(s);
	looked = ktime_get_mono_fast_ns();
	fake_clock_advance(200000);
	fake_poke(imc(test), 0xa0, N);
	poll_now(s);
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_GE(test, sample->late_ns, 200000ULL);
	KUNIT_EXPECT_LT(test, sample->late_ns, 5 * MS);
	KUNIT_EXPECT_GE(test, sample->time - sample->late_ns, looked - MS);
	looked = sample->time;
	fake_clock_advance(300000);		/* a sample counts as a poll */
	fake_poke(imc(test), 0xa0, 2 * N);
	poll_now(s);
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->late_ns, sample->time - looked);
}

/* READ, STOP and the timer poll as well. */
static void read_after_period_end_samples(struct kunit *test)
{
	struct ucore_session *s = polling(test, 0);
	const struct ucore_sample *sample;

	fake_poke(imc(test), 0xa0, N + 1);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, 0U);
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, N + 1);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_OVERFLOW);
	poll_now(s);
	KUNIT_EXPECT_NULL(test, next_sample(s));
}

static void stop_after_period_end_samples(struct kunit *test)
{
	struct ucore_session *s = polling(test, 0);
	const struct ucore_sample *sample;

	fake_poke(imc(test), 0xa0, N + 2);
	fake_stop(s);
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, N + 2);
	KUNIT_EXPECT_NULL(test, next_sample(s));
}

static void timer_after_period_end_samples_once(struct kunit *test)
{
	struct ucore_session *s = polling(test, 5 * MS);
	struct ucore_domain_ctx *ctx = ucore_session_ctx(s, 0);
	const struct ucore_sample *sample;

	fake_timer_fire(&ctx->timer);
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_TIMER);
	KUNIT_EXPECT_FALSE(test, sample->flags & UCORE_SAMPLE_F_POLLED);
	fake_poke(imc(test), 0xa0, N);
	fake_timer_fire(&ctx->timer);
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_OVERFLOW);
	KUNIT_EXPECT_TRUE(test, sample->flags & UCORE_SAMPLE_F_POLLED);
	KUNIT_EXPECT_NULL(test, next_sample(s));
}

static void reset_restarts_the_period(struct kunit *test)
{
	struct ucore_session *s = polling(test, 0);

	fake_poke(imc(test), 0xa0, 3 * N + 4);
	poll_now(s);
	KUNIT_EXPECT_NOT_NULL(test, next_sample(s));
	session_reset(s);
	fake_poke(imc(test), 0xa0, N - 1);
	poll_now(s);
	KUNIT_EXPECT_NULL(test, next_sample(s));
	fake_poke(imc(test), 0xa0, N);
	poll_now(s);
	KUNIT_EXPECT_NOT_NULL(test, next_sample(s));
}

/* Counts and periods continue over STOP and START. */
static void period_continues_over_stop_and_start(struct kunit *test)
{
	struct ucore_session *s = polling(test, 0);

	fake_poke(imc(test), 0xa0, N / 4);
	fake_stop(s);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(imc(test), 0xa0, N - N / 4 - 1);
	poll_now(s);
	KUNIT_EXPECT_NULL(test, next_sample(s));
	fake_poke(imc(test), 0xa0, N - N / 4);
	poll_now(s);
	KUNIT_EXPECT_EQ(test, next_sample(s)->values[0].count, N);
}

/* The event with the shortest interval sets the timer. Each event has its own multiples. */
static void two_polled_events_have_their_own_periods(struct kunit *test)
{
	struct fake_window *m = imc(test);
	struct ucore_session *s = fake_session(test);
	const struct ucore_sample *sample;

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, BIT(0), 3 * N, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 1, BIT(1), 2 * N, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, ucore_session_ctx(s, 0)->poll_ns, 2 * N / 5);
	fake_bus_clear(bus_of(test));
	fake_poke(m, 0xa0, 2 * N);
	fake_poke(m, 0xa8, 2 * N);
	poll_now(s);
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, sample->values[1].event);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, 0U);
	KUNIT_EXPECT_EQ(test, sample->values[1].flags, (u32)UCORE_VALUE_F_OVERFLOW);
	fake_poke(m, 0xa0, 3 * N);
	poll_now(s);
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, sample->values[0].event);
}

/* The count of a dead box does not change: no further sample is taken. */
static void polled_dead_box_takes_no_sample(struct kunit *test)
{
	struct ucore_session *s = polling(test, 0);

	fake_poke(imc(test), 0xa0, N);
	poll_now(s);
	KUNIT_EXPECT_NOT_NULL(test, next_sample(s));
	imc(test)->dead = true;
	poll_now(s);
	poll_now(s);
	KUNIT_EXPECT_NULL(test, next_sample(s));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(poll_interval_follows_period_and_increment),
	KUNIT_CASE(event_without_period_is_not_polled),
	KUNIT_CASE(poll_timer_runs_with_the_session),
	KUNIT_CASE(poll_reads_one_low_half),
	KUNIT_CASE(late_poll_reads_the_whole_counter),
	KUNIT_CASE(first_poll_after_period_samples),
	KUNIT_CASE(samples_follow_multiples_of_the_period),
	KUNIT_CASE(late_ns_counts_from_the_last_poll),
	KUNIT_CASE(read_after_period_end_samples),
	KUNIT_CASE(stop_after_period_end_samples),
	KUNIT_CASE(timer_after_period_end_samples_once),
	KUNIT_CASE(reset_restarts_the_period),
	KUNIT_CASE(period_continues_over_stop_and_start),
	KUNIT_CASE(two_polled_events_have_their_own_periods),
	KUNIT_CASE(polled_dead_box_takes_no_sample),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_poll",
	.init = fake_machine_init_v1,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

/* ---- E5-2600 v2: boxes without overflow under a global control ---- */

static void polled_box_is_sampled_with_global_freeze(struct kunit *test)
{
	struct fake_window *gw = fake_global(0), *c = cbo(test), *m = imc(test);
	struct ucore_session *s = fake_session(test);
	const struct ucore_sample *sample;

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "cbo", 0), 0, BIT(0), N, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].armed, 0U);
	fake_bus_clear(bus_of(test));
	poll_now(s);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(c, 0x16));
	fake_poke(c, 0x16, N + 9);
	poll_now(s);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(c, 0x16), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(c, 0x16), FAKE_R(m, 0xa0), FAKE_R(m, 0xa4),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_TRUE(test, sample->flags & UCORE_SAMPLE_F_POLLED);
	KUNIT_EXPECT_EQ(test, sample->skew_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, N + 9);
}

/* A session with an interrupt and a polled event: each sample shows its cause. */
static void polled_and_interrupt_samples_are_distinguished(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_session *s = fake_session(test);
	const struct ucore_sample *sample;

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "irp", 0), 0, BIT(0), N, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(0), 1000, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_overflow(box, 0xa0, 3, BIT(1), BIT_ULL(20));
	session_read(s, false);
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_FALSE(test, sample->flags & UCORE_SAMPLE_F_POLLED);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, sample->values[1].event);
	fake_poke(fake_window(fake_box(test, 0, "irp", 0)), 0xa0, N);
	poll_now(s);
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_TRUE(test, sample->flags & UCORE_SAMPLE_F_POLLED);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, sample->values[0].event);
	KUNIT_EXPECT_EQ(test, sample->values[1].flags, 0U);
}

/* A single READ finds the end of both periods: only the interrupt's counter is reloaded. */
static void polled_and_interrupt_period_end_in_one_sample(struct kunit *test)
{
	struct ucore_box *irp = fake_box(test, 0, "irp", 0), *box = fake_box(test, 0, "imc", 0);
	struct fake_window *gw = fake_global(0), *m = fake_window(box), *i = fake_window(irp);
	struct ucore_session *s = fake_session(test);
	const struct ucore_sample *sample;

	KUNIT_ASSERT_EQ(test, fake_add(s, irp, 0, BIT(0), N, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(0), 1000, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(i, 0xa0, N + 5);
	fake_overflow(box, 0xa0, 3, BIT(1), BIT_ULL(20));
	fake_bus_clear(bus_of(test));
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), i, 'R'), 2U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), i, 'W'), 0U);
	KUNIT_EXPECT_EQ(test, fake_peek(i, 0xa0), N + 5);
	KUNIT_EXPECT_EQ(test, fake_peek(m, 0xa0), BIT_ULL(48) - 1000);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	sample = next_sample(s);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, (u32)UCORE_VALUE_F_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->values[1].flags, (u32)UCORE_VALUE_F_OVERFLOW);
	fake_poke(i, 0xa0, N + 9);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, N + 9);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 1003ULL);
}

static struct kunit_case v2_cases[] = {
	KUNIT_CASE(polled_box_is_sampled_with_global_freeze),
	KUNIT_CASE(polled_and_interrupt_samples_are_distinguished),
	KUNIT_CASE(polled_and_interrupt_period_end_in_one_sample),
	{ }
};

static struct kunit_suite v2_suite = {
	.name = "ucore_poll_v2",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = v2_cases,
};

kunit_test_suites(&suite, &v2_suite);
