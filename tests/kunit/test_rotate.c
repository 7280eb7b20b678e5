// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups that take turns: who gets which counter, what a switch reads and writes, access by
 * access, and how long each event could count.
 */
#include <linux/smp.h>

#include "fake_machine.h"
#include "cpu/budget.h"
#include "irq/conflict.h"

#define MS	((u64)NSEC_PER_MSEC)
#define FIXED	BIT_ULL(UCORE_COUNTER_FIXED)

/* Registers of an iMC channel of v2 */
#define IMC_BOX_CTL	0xf4
#define IMC_CTL(i)	(0xd8 + 4 * (i))
#define IMC_CTR(i)	(0xa0 + 8 * (i))

static struct ucore_session *rotating(struct kunit *test)
{
	return fake_session_config(test, &(struct ucore_create_session){ .rotate_ns = 10 * MS });
}

static int add_group(struct ucore_session *s, struct ucore_box *box, u64 event, u64 counters,
		     u32 group)
{
	const struct ucore_term term = { .field = UCORE_FIELD_EVENT, .value = event };
	struct ucore_add_event add = {
		.box = box->id, .nr_terms = 1, .counters = counters, .group = group,
	};
	int ret;

	mutex_lock(&s->lock);
	ret = ucore_session_add_event(s, &add, &term);
	mutex_unlock(&s->lock);
	return ret;
}

static struct ucore_domain_ctx *ctx_of(const struct ucore_session *s)
{
	return s->ctx[0];
}

/* The timer, when it is the next group's turn */
static void next_turn(struct ucore_session *s)
{
	fake_clock_advance(10 * MS);
	fake_timer_fire(&ctx_of(s)->rotate);
}

static u8 counter_of(const struct ucore_session *s, u32 i)
{
	const struct ucore_event *event;

	list_for_each_entry(event, &s->events, node)
		if (!i--)
			return event->counter;
	return U8_MAX;
}

/* ---- counters ---- */

static void groups_have_the_same_counters(struct kunit *test)
{
	struct ucore_session *s = rotating(test), *other = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	u32 i, group;

	KUNIT_ASSERT_EQ(test, add_group(s, box, 1, 0, 0), 0);
	for (group = 1; group <= 3; group++) {
		for (i = 0; i < 3; i++)
			KUNIT_ASSERT_EQ(test, add_group(s, box, 4 + i, 0, group), 0);
		KUNIT_EXPECT_EQ(test, add_group(s, box, 9, 0, group), -ENOSPC);
	}
	KUNIT_EXPECT_EQ(test, add_group(s, box, 9, 0, 0), -ENOSPC);
	/* they are the session's, whosever turn it is */
	KUNIT_EXPECT_EQ(test, fake_add(other, box, 4, 0, 0, NULL), -EBUSY);
}

/* Group 0 makes room for what can count on one counter alone, in whatever group. */
static void group_0_makes_room(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	KUNIT_ASSERT_EQ(test, add_group(s, box, 1, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, counter_of(s, 0), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, BIT(0), 1), 0);
	KUNIT_EXPECT_NE(test, counter_of(s, 0), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, BIT(0), 2), 0);
	KUNIT_EXPECT_EQ(test, counter_of(s, 1), 0);
	KUNIT_EXPECT_EQ(test, counter_of(s, 2), 0);
	KUNIT_EXPECT_EQ(test, add_group(s, box, 4, BIT(0), 2), -ENOSPC);
}

static void what_does_not_rotate_is_refused(struct kunit *test)
{
	struct ucore_session *s = rotating(test), *plain = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	KUNIT_EXPECT_EQ(test, add_group(plain, box, 4, 0, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, add_group(s, box, 4, 0, UCORE_GROUP_MAX + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 4, 0, 1000000, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, add_group(s, box, 4, 0, UCORE_GROUP_MAX), 0);
}

/* ---- switches ---- */

static void switch_access_by_access(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *gw = fake_global(0), *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, add_group(s, box, 1, BIT(0), 0), 0);	/* always */
	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, BIT(1), 1), 0);	/* another event follows */
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, BIT(2), 1), 0);	/* the same event follows */
	KUNIT_ASSERT_EQ(test, add_group(s, box, 6, BIT(1), 2), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, BIT(2), 2), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 7, BIT(3), 2), 0);	/* nobody had it */
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(3)), 0ULL);
	fake_poke(w, IMC_CTR(0), 1000);
	fake_poke(w, IMC_CTR(1), 100);
	fake_poke(w, IMC_CTR(2), 50);
	fake_bus_clear(bus_of(test));

	next_turn(s);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(w, IMC_CTR(1)), FAKE_R(w, IMC_CTR(1) + 4),
		    FAKE_W(w, IMC_CTL(1), 0x400006),
		    FAKE_R(w, IMC_CTR(2)), FAKE_R(w, IMC_CTR(2) + 4),
		    FAKE_W(w, IMC_CTL(3), 0x400007), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	fake_poke(w, IMC_CTR(1), 107);		/* goes on from where it was */
	fake_poke(w, IMC_CTR(2), 53);
	fake_poke(w, IMC_CTR(3), 9);
	next_turn(s);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(w, IMC_CTR(1)), FAKE_R(w, IMC_CTR(1) + 4),
		    FAKE_W(w, IMC_CTL(1), 0x400004),
		    FAKE_R(w, IMC_CTR(2)), FAKE_R(w, IMC_CTR(2) + 4),
		    FAKE_R(w, IMC_CTR(3)), FAKE_R(w, IMC_CTR(3) + 4),
		    FAKE_W(w, IMC_CTL(3), 0), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	fake_poke(w, IMC_CTR(1), 207);
	/* a READ reads group 0 and whose turn it is */
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(w, IMC_CTR(0)), FAKE_R(w, IMC_CTR(0) + 4),
		    FAKE_R(w, IMC_CTR(1)), FAKE_R(w, IMC_CTR(1) + 4),
		    FAKE_R(w, IMC_CTR(2)), FAKE_R(w, IMC_CTR(2) + 4),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_EQ(test, s->values[0].count, 1000ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 200ULL);
	KUNIT_EXPECT_EQ(test, s->values[2].count, 50ULL);
	KUNIT_EXPECT_EQ(test, s->values[3].count, 7ULL);
	KUNIT_EXPECT_EQ(test, s->values[4].count, 3ULL);
	KUNIT_EXPECT_EQ(test, s->values[5].count, 9ULL);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[3].count, 7ULL);
}

/* A READ without freeze, too */
static void a_live_read_knows_whose_turn_it_is(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, BIT(1), 1), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, BIT(1), 2), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(w, IMC_CTR(1), 30);
	fake_bus_clear(bus_of(test));
	KUNIT_EXPECT_EQ(test, session_read(s, true), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, IMC_CTR(1) + 4), FAKE_R(w, IMC_CTR(1)),
		    FAKE_R(w, IMC_CTR(1) + 4));
	KUNIT_EXPECT_EQ(test, s->values[0].count, 30ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 0ULL);
	next_turn(s);
	fake_poke(w, IMC_CTR(1), 37);
	KUNIT_EXPECT_EQ(test, session_read(s, true), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 30ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 7ULL);
}

/* The timer was on its way when the domain fell asleep. */
static void no_turn_of_a_ctx_that_sleeps(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, BIT(1), 1), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, BIT(1), 2), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	ctx_of(s)->running = false;
	fake_clock_advance(10 * MS);
	fake_bus_clear(bus_of(test));
	KUNIT_EXPECT_EQ(test, (int)fake_timer_fire(&ctx_of(s)->rotate), HRTIMER_NORESTART);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, ctx_of(s)->group, 1);
	ctx_of(s)->running = true;
}

/* What is always counted, and a domain on which nothing takes turns, has no timer. */
static void without_groups_nothing_is_switched(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, 0, 7), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&ctx_of(s)->rotate)->queued);
	fake_poke(fake_window(box), IMC_CTR(counter_of(s, 1)), 12);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 12ULL);
	KUNIT_EXPECT_EQ(test, s->ran_ns[1], s->domains[0].time_running);
}

/* ---- time ---- */

static void time_is_each_groups_own(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	u64 running, ran;

	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, 0, 1), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 6, 0, 2), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 7, 0, 3), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->ran_ns[2], 0ULL);
	next_turn(s);
	next_turn(s);
	next_turn(s);
	next_turn(s);			/* the second group's again */
	KUNIT_EXPECT_EQ(test, ctx_of(s)->group, 2);
	fake_clock_advance(5 * MS);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	running = s->domains[0].time_running;
	KUNIT_EXPECT_EQ(test, s->ran_ns[0], running);
	KUNIT_EXPECT_EQ(test, s->ran_ns[1] + s->ran_ns[2] + s->ran_ns[3], running);
	KUNIT_EXPECT_GE(test, s->ran_ns[1], 20 * MS);
	KUNIT_EXPECT_LT(test, s->ran_ns[1], 21 * MS);
	KUNIT_EXPECT_GE(test, s->ran_ns[2], 15 * MS);
	KUNIT_EXPECT_LT(test, s->ran_ns[3], 11 * MS);
	/* it goes on behind STOP, and RESET forgets it */
	ran = s->ran_ns[2];
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_GE(test, s->ran_ns[2], ran);
	ran = s->ran_ns[2];
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->ran_ns[2], ran);
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->ran_ns[2], 0ULL);
}

/* Whose turn it is follows from the instant, though the timer came late. */
static void late_turns_stay_in_step(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	u32 group;

	for (group = 1; group <= 4; group++)
		KUNIT_ASSERT_EQ(test, add_group(s, box, 4 + group, 0, group), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_clock_advance(20 * MS);
	next_turn(s);			/* 30 ms */
	KUNIT_EXPECT_EQ(test, ctx_of(s)->group, 4);
	fake_clock_advance(30 * MS);
	next_turn(s);			/* 70 ms: a whole round later */
	KUNIT_EXPECT_EQ(test, ctx_of(s)->group, 4);
}

static void spend_here(void *arg)
{
	ucore_budget_enter(ktime_get_mono_fast_ns());
	fake_clock_advance(10 * MS);
	ucore_budget_leave();
}

static void fire_here(void *arg)
{
	fake_timer_fire(arg);
}

/*
 * Somebody has spent two windows of the CPU's time: two turns are put off, and a third, so
 * that the group that would have been next is.
 */
static void turns_beyond_the_budget(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_domain_ctx *ctx;
	struct fake_timer *timer;
	u32 i;

	for (i = 1; i <= 3; i++)
		KUNIT_ASSERT_EQ(test, add_group(s, box, 4 + i, 0, i), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	ctx = ctx_of(s);
	timer = fake_timer_find(&ctx->rotate);
	for (i = 0; i < 2; i++)
		smp_call_function_single(0, spend_here, NULL, 1);
	smp_call_function_single(0, fire_here, &ctx->rotate, 1);	/* 20 ms */
	KUNIT_EXPECT_EQ(test, ctx->group, 3);
	KUNIT_EXPECT_EQ(test, ctx->stats.delayed, 1ULL);
	KUNIT_EXPECT_EQ(test, ktime_to_ns(timer->expires) - ctx->rotate_base, 60 * MS);
	fake_clock_advance(40 * MS);
	smp_call_function_single(0, fire_here, &ctx->rotate, 1);
	KUNIT_EXPECT_EQ(test, ctx->group, 1);
}

/* ---- beside others ---- */

static void shared_box_is_left_alone(struct kunit *test)
{
	struct ucore_session *s = rotating(test), *other = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, fake_add(other, box, 1, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	fake_poke(w, IMC_CTR(0), 700);
	fake_poke(w, IMC_CTR(2), 30);		/* of whoever had it before */
	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, BIT(1), 1), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, BIT(2), 2), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(2)), 0ULL);
	next_turn(s);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(1)), 0ULL);
	fake_poke(w, IMC_CTR(2), 4);
	next_turn(s);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 4ULL);
	fake_session_close(test, s);
	KUNIT_EXPECT_EQ(test, session_read(other, false), 0);
	KUNIT_EXPECT_EQ(test, other->values[0].count, 700ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400001ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(1)), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(2)), 0ULL);
}

/* The guard's look for what somebody else wrote: at the controls of the group that counts. */
static void controls_are_those_of_whose_turn_it_is(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, BIT(1), 1), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, BIT(1), 2), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	next_turn(s);
	KUNIT_ASSERT_EQ(test, ctx_of(s)->group, 2);
	fake_clock_advance(UCORE_CONFLICT_PERIOD_NS);
	fake_timer_fire(&ctx_of(s)->domain->watchdog);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 0U);
	fake_poke(w, IMC_CTL(1), 4);
	fake_clock_advance(UCORE_CONFLICT_PERIOD_NS);
	fake_timer_fire(&ctx_of(s)->domain->watchdog);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 1U);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, 0U);
	KUNIT_EXPECT_EQ(test, s->values[1].flags, (u32)UCORE_VALUE_F_CONFLICT);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(groups_have_the_same_counters),
	KUNIT_CASE(group_0_makes_room),
	KUNIT_CASE(what_does_not_rotate_is_refused),
	KUNIT_CASE(switch_access_by_access),
	KUNIT_CASE(a_live_read_knows_whose_turn_it_is),
	KUNIT_CASE(no_turn_of_a_ctx_that_sleeps),
	KUNIT_CASE(without_groups_nothing_is_switched),
	KUNIT_CASE(time_is_each_groups_own),
	KUNIT_CASE(late_turns_stay_in_step),
	KUNIT_CASE(turns_beyond_the_budget),
	KUNIT_CASE(shared_box_is_left_alone),
	KUNIT_CASE(controls_are_those_of_whose_turn_it_is),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_rotate",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
