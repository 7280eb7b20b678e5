// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of rotation: the counters of each group, the exact register accesses of a
 * switch, and the running time of each event.
 */
#include <linux/smp.h>

#include "cpu/budget.h"
#include "fake_machine.h"
#include "irq/conflict.h"
#include "session/budget_admission.h"

#define MS	((u64)NSEC_PER_MSEC)
#define FIXED	BIT_ULL(UCORE_COUNTER_FIXED)

/* Registers of an iMC channel of the E5-2600 v2 */
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

/* Let the rotation timer expire at the end of the time slice. */
static void next_slice(struct ucore_session *s)
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

static void groups_share_the_counters_of_a_box(struct kunit *test)
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
	/* the session holds the counters in every time slice */
	KUNIT_EXPECT_EQ(test, fake_add(other, box, 4, 0, 0, NULL), -EBUSY);
}

/* Events of group 0 make room for an event of any group that has only one suitable counter. */
static void group_0_event_moves_to_make_room(struct kunit *test)
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

static void group_or_period_without_rotation_support_fails(struct kunit *test)
{
	struct ucore_session *s = rotating(test), *plain = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	KUNIT_EXPECT_EQ(test, add_group(plain, box, 4, 0, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, add_group(s, box, 4, 0, UCORE_GROUP_MAX + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 4, 0, 1000000, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, add_group(s, box, 4, 0, UCORE_GROUP_MAX), 0);
}

/* ---- switches ---- */

static void switch_access_sequence_is_exact(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *gw = fake_global(0), *w = fake_window(box);

	/* counts in all time slices */
	KUNIT_ASSERT_EQ(test, add_group(s, box, 1, BIT(0), 0), 0);
	/* followed by another event */
	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, BIT(1), 1), 0);
	/* followed by the same event */
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, BIT(2), 1), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 6, BIT(1), 2), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, BIT(2), 2), 0);
	/* unused in the previous time slice */
	KUNIT_ASSERT_EQ(test, add_group(s, box, 7, BIT(3), 2), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(3)), 0ULL);
	fake_poke(w, IMC_CTR(0), 1000);
	fake_poke(w, IMC_CTR(1), 100);
	fake_poke(w, IMC_CTR(2), 50);
	fake_bus_clear(bus_of(test));

	next_slice(s);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(w, IMC_CTR(1)), FAKE_R(w, IMC_CTR(1) + 4),
		    FAKE_W(w, IMC_CTL(1), 0x400006),
		    FAKE_R(w, IMC_CTR(2)), FAKE_R(w, IMC_CTR(2) + 4),
		    FAKE_W(w, IMC_CTL(3), 0x400007), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	fake_poke(w, IMC_CTR(1), 107);		/* continues from its last value */
	fake_poke(w, IMC_CTR(2), 53);
	fake_poke(w, IMC_CTR(3), 9);
	next_slice(s);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(w, IMC_CTR(1)), FAKE_R(w, IMC_CTR(1) + 4),
		    FAKE_W(w, IMC_CTL(1), 0x400004),
		    FAKE_R(w, IMC_CTR(2)), FAKE_R(w, IMC_CTR(2) + 4),
		    FAKE_R(w, IMC_CTR(3)), FAKE_R(w, IMC_CTR(3) + 4),
		    FAKE_W(w, IMC_CTL(3), 0), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	fake_poke(w, IMC_CTR(1), 207);
	/* a READ reads group 0 and the active group */
	session_read(s, false);
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
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[3].count, 7ULL);
}

/* The same for a READ without freeze. */
static void no_freeze_read_reads_active_group_only(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, BIT(1), 1), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, BIT(1), 2), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(w, IMC_CTR(1), 30);
	fake_bus_clear(bus_of(test));
	session_read(s, true);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, IMC_CTR(1) + 4), FAKE_R(w, IMC_CTR(1)),
		    FAKE_R(w, IMC_CTR(1) + 4));
	KUNIT_EXPECT_EQ(test, s->values[0].count, 30ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 0ULL);
	next_slice(s);
	fake_poke(w, IMC_CTR(1), 37);
	session_read(s, true);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 30ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 7ULL);
}

/* The timer expired while the domain was being suspended. */
static void suspended_context_is_not_switched(struct kunit *test)
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

/* A domain without two groups to switch between has no rotation timer. */
static void single_group_starts_no_timer(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, 0, 7), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&ctx_of(s)->rotate)->queued);
	fake_poke(fake_window(box), IMC_CTR(counter_of(s, 1)), 12);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 12ULL);
	KUNIT_EXPECT_EQ(test, s->ran_ns[1], s->domains[0].time_running);
}

/* ---- time ---- */

/* The estimate is that of the longest switch, whichever group has most events. */
static void switch_estimate_does_not_depend_on_the_order(struct kunit *test)
{
	struct ucore_get_budget budget[2] = { };
	struct ucore_session *s;
	u32 i, event;

	for (i = 0; i < 2; i++) {
		s = rotating(test);
		for (event = 1; event < 5; event++)
			KUNIT_ASSERT_EQ(test, add_group(s, fake_box(test, 0, "imc", 0), event, 0,
							event == 1 ? 1 + i : 2 - i), 0);
		mutex_lock(&s->lock);
		KUNIT_EXPECT_EQ(test, ucore_admit_budget(s, &budget[i]), 0);
		mutex_unlock(&s->lock);
		fake_session_close(test, s);
	}
	KUNIT_EXPECT_GT(test, budget[0].sample_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, budget[0].sample_ns, budget[1].sample_ns);
}

static void running_time_is_per_group(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	u64 running, ran;

	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, 0, 1), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 6, 0, 2), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 7, 0, 3), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->ran_ns[2], 0ULL);
	next_slice(s);
	next_slice(s);
	next_slice(s);
	next_slice(s);			/* the second group again */
	KUNIT_EXPECT_EQ(test, ctx_of(s)->group, 2);
	fake_clock_advance(5 * MS);
	session_read(s, false);
	running = s->domains[0].time_running;
	KUNIT_EXPECT_EQ(test, s->ran_ns[0], running);
	KUNIT_EXPECT_EQ(test, s->ran_ns[1] + s->ran_ns[2] + s->ran_ns[3], running);
	KUNIT_EXPECT_GE(test, s->ran_ns[1], 20 * MS);
	KUNIT_EXPECT_LT(test, s->ran_ns[1], 21 * MS);
	KUNIT_EXPECT_GE(test, s->ran_ns[2], 15 * MS);
	KUNIT_EXPECT_LT(test, s->ran_ns[3], 11 * MS);
	/* the time survives STOP, and RESET clears it */
	ran = s->ran_ns[2];
	fake_stop(s);
	session_read(s, false);
	KUNIT_EXPECT_GE(test, s->ran_ns[2], ran);
	ran = s->ran_ns[2];
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->ran_ns[2], ran);
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->ran_ns[2], 0ULL);
}

/* The active group depends on the time, even if the timer is late. */
static void late_switch_keeps_the_grid(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	u32 group;

	for (group = 1; group <= 4; group++)
		KUNIT_ASSERT_EQ(test, add_group(s, box, 4 + group, 0, group), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_clock_advance(20 * MS);
	next_slice(s);			/* 30 ms */
	KUNIT_EXPECT_EQ(test, ctx_of(s)->group, 4);
	fake_clock_advance(30 * MS);
	next_slice(s);			/* 70 ms: a full round later */
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
 * Two windows of the CPU's time are spent: three switches are delayed, and the group that the
 * grid then gives becomes active.
 */
static void switch_beyond_budget_is_delayed(struct kunit *test)
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

/* ---- with other sessions ---- */

static void rotation_on_shared_box_keeps_other_session(struct kunit *test)
{
	struct ucore_session *s = rotating(test), *other = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, fake_add(other, box, 1, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	fake_poke(w, IMC_CTR(0), 700);
	fake_poke(w, IMC_CTR(2), 30);		/* left by the counter's previous user */
	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, BIT(1), 1), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, BIT(2), 2), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(2)), 0ULL);
	next_slice(s);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(1)), 0ULL);
	fake_poke(w, IMC_CTR(2), 4);
	next_slice(s);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 4ULL);
	fake_session_close(test, s);
	session_read(other, false);
	KUNIT_EXPECT_EQ(test, other->values[0].count, 700ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400001ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(1)), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(2)), 0ULL);
}

static void conflict_scan_checks_active_group(struct kunit *test)
{
	struct ucore_session *s = rotating(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, add_group(s, box, 4, BIT(1), 1), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 5, BIT(1), 2), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	next_slice(s);
	KUNIT_ASSERT_EQ(test, ctx_of(s)->group, 2);
	fake_clock_advance(UCORE_CONFLICT_PERIOD_NS);
	fake_timer_fire(&ctx_of(s)->domain->watchdog);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 0U);
	fake_poke(w, IMC_CTL(1), 4);
	fake_clock_advance(UCORE_CONFLICT_PERIOD_NS);
	fake_timer_fire(&ctx_of(s)->domain->watchdog);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 1U);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, 0U);
	KUNIT_EXPECT_EQ(test, s->values[1].flags, (u32)UCORE_VALUE_F_CONFLICT);
}

/* No freeze stops the UBox of v1, so that it counts for longer than the others of its group. */
static void running_time_of_unfrozen_counter_includes_freezes(struct kunit *test)
{
	struct ucore_box *ubox = fake_box(test, 0, "ubox", 0), *cbo = fake_box(test, 0, "cbo", 0);
	struct ucore_session *s = rotating(test);
	struct ucore_read_domain *d;
	u32 group, i;

	for (group = 1; group <= 2; group++) {
		KUNIT_ASSERT_EQ(test, add_group(s, ubox, 0x42, 0, group), 0);
		KUNIT_ASSERT_EQ(test, add_group(s, cbo, 0x1d, 0, group), 0);
	}
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	for (i = 0; i < 6; i++) {
		if (i % 2)
			next_slice(s);
		session_read(s, false);
	}
	d = s->domains;
	KUNIT_EXPECT_TRUE(test, s->values[0].flags & UCORE_VALUE_F_UNFROZEN);
	KUNIT_EXPECT_GT(test, d->time_enabled, d->time_running);
	KUNIT_EXPECT_EQ(test, s->ran_ns[0] + s->ran_ns[2], d->time_enabled);
	KUNIT_EXPECT_EQ(test, s->ran_ns[1] + s->ran_ns[3], d->time_running);
	fake_stop(s);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->ran_ns[0] + s->ran_ns[2], s->domains->time_enabled);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(groups_share_the_counters_of_a_box),
	KUNIT_CASE(group_0_event_moves_to_make_room),
	KUNIT_CASE(group_or_period_without_rotation_support_fails),
	KUNIT_CASE(switch_access_sequence_is_exact),
	KUNIT_CASE(no_freeze_read_reads_active_group_only),
	KUNIT_CASE(suspended_context_is_not_switched),
	KUNIT_CASE(single_group_starts_no_timer),
	KUNIT_CASE(switch_estimate_does_not_depend_on_the_order),
	KUNIT_CASE(running_time_is_per_group),
	KUNIT_CASE(late_switch_keeps_the_grid),
	KUNIT_CASE(switch_beyond_budget_is_delayed),
	KUNIT_CASE(rotation_on_shared_box_keeps_other_session),
	KUNIT_CASE(conflict_scan_checks_active_group),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_rotate",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

static struct kunit_case cases_v1[] = {
	KUNIT_CASE(running_time_of_unfrozen_counter_includes_freezes),
	{ }
};

static struct kunit_suite suite_v1 = {
	.name = "ucore_rotate_v1",
	.init = fake_machine_init_v1,
	.exit = fake_machine_exit,
	.test_cases = cases_v1,
};

kunit_test_suites(&suite, &suite_v1);
