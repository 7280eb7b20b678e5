// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of multiplexing: sessions that agree use the same counters in turns. Tests the choice
 * of counters, the register accesses of a switch, counts and times, and that others do not notice.
 */
#include "fake_machine.h"
#include "irq/dead_box_recovery.h"
#include "irq/multiplex.h"

#define MS	((u64)NSEC_PER_MSEC)

/* Registers of an iMC channel of the E5-2600 v2 */
#define IMC_BOX_CTL	0xf4
#define IMC_STATUS	0xf8
#define IMC_FIXED_CTL	0xf0
#define IMC_FIXED	0xd0
#define IMC_CTL(i)	(0xd8 + 4 * (i))
#define IMC_CTR(i)	(0xa0 + 8 * (i))
#define RUN		0x30000
#define RESET		0x30103

static struct ucore_session *agreeing(struct kunit *test)
{
	return fake_session_config(test, &(struct ucore_create_session){
		.flags = UCORE_SESSION_F_MULTIPLEX });
}

/* Make an agreeing session with one event on a counter of imc0. */
static struct ucore_session *agreeing_on(struct kunit *test, u64 event, u32 counter)
{
	struct ucore_session *s = agreeing(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), event, BIT(counter), 0,
				       NULL), 0);
	return s;
}

static struct ucore_domain *domain0(void)
{
	return &ucore_catalog.domains[0];
}

static struct fake_window *imc_window(struct kunit *test)
{
	return fake_window(fake_box(test, 0, "imc", 0));
}

static enum hrtimer_restart next_slice(void)
{
	fake_clock_advance(10 * MS);
	return fake_timer_fire(&domain0()->multiplex);
}

static u64 count_of(struct ucore_session *s)
{
	u64 count;

	session_read(s, false);
	count = s->values[0].count;
	session_unread(s);
	return count;
}

static bool waits(const struct ucore_session *s)
{
	return s->ctx[0]->paused;
}

/* ---- choice of counters ---- */

static void sessions_that_agree_hold_the_same_counter(struct kunit *test)
{
	struct ucore_session *a = agreeing(test), *b = agreeing(test), *c = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_add_event add;

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(1), 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_add(c, box, 5, BIT(1), 0, NULL), -EBUSY);
	/* a free counter is used first */
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, BIT(0) | BIT(1), 0, &add), 0);
	KUNIT_EXPECT_EQ(test, add.counter, 0U);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 6, BIT(1), 0, NULL), 0);
	/* from now on the counter has two events, so that a session that does not agree waits */
	KUNIT_EXPECT_EQ(test, fake_add(c, box, 4, BIT(1), 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_add(c, box, 5, BIT(0), 0, NULL), 0);
	/* and the counter of a session that does not agree is not taken */
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 7, BIT(0), 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 7, BIT(2), 1000, NULL), -EINVAL);
}

/* ---- time slices ---- */

static void switch_access_sequence_is_exact(struct kunit *test)
{
	struct ucore_session *a = agreeing_on(test, 4, 0), *b = agreeing_on(test, 5, 0);
	struct fake_window *gw = fake_global(0), *w = imc_window(test);

	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_STATUS), FAKE_R(gw, GLOBAL_STATUS),
		    FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_TRUE(test, waits(b));
	fake_poke(w, IMC_CTR(0), 700);
	KUNIT_EXPECT_EQ(test, next_slice(), HRTIMER_RESTART);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_R(w, IMC_CTR(0)), FAKE_R(w, IMC_CTR(0) + 4),
		    /* a was the only one on the box, which it resets, and so is b */
		    FAKE_W(w, IMC_BOX_CTL, RESET), FAKE_W(w, IMC_BOX_CTL, RESET),
		    FAKE_W(w, IMC_FIXED_CTL, 0), FAKE_W(w, IMC_FIXED + 4, 0),
		    FAKE_W(w, IMC_FIXED, 0), FAKE_R(w, IMC_STATUS),
		    FAKE_W(w, IMC_CTL(0), 0x400005), FAKE_W(w, IMC_BOX_CTL, RUN),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_TRUE(test, waits(a));
	KUNIT_EXPECT_FALSE(test, waits(b));
}

static void sessions_count_in_turns_and_report_their_times(struct kunit *test)
{
	struct ucore_session *a = agreeing_on(test, 4, 0), *b = agreeing_on(test, 5, 0);
	struct fake_window *w = imc_window(test);
	struct ucore_read_domain *of_a, *of_b;
	u64 ran;
	u32 i;

	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	for (i = 0; i < 6; i++) {
		fake_poke(w, IMC_CTR(0), fake_peek(w, IMC_CTR(0)) + 100 + i);
		next_slice();
		KUNIT_EXPECT_EQ(test, waits(a), !(i & 1));
		KUNIT_EXPECT_EQ(test, waits(b), i & 1);
	}
	session_read(a, false);
	session_read(b, false);
	of_a = &a->domains[0];
	of_b = &b->domains[0];
	KUNIT_EXPECT_EQ(test, a->values[0].count, 100ULL + 102 + 104);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 101ULL + 103 + 105);
	KUNIT_EXPECT_GE(test, of_a->time_enabled, 60 * MS);
	KUNIT_EXPECT_GE(test, of_b->time_enabled, 60 * MS);
	KUNIT_EXPECT_GE(test, of_a->time_running, 60 * MS);
	KUNIT_EXPECT_GE(test, a->ran_ns[0], 30 * MS);
	KUNIT_EXPECT_GE(test, b->ran_ns[0], 30 * MS);
	KUNIT_EXPECT_LE(test, a->ran_ns[0] + b->ran_ns[0], of_a->time_running);
	ran = a->ran_ns[0];
	session_unread(a);
	fake_stop(a);				/* while it waits, or not */
	session_read(a, false);
	KUNIT_EXPECT_EQ(test, a->ran_ns[0] >= ran && a->ran_ns[0] < ran + 10 * MS, true);
	session_unread(a);
	session_unread(b);
}

/* Sessions with equal events count together. The one that waited longest is always among them. */
static void sessions_that_fit_count_together(struct kunit *test)
{
	struct ucore_session *a = agreeing_on(test, 4, 0), *b = agreeing_on(test, 5, 0);
	struct ucore_session *c = agreeing_on(test, 4, 0), *d = agreeing_on(test, 6, 0);
	struct ucore_session *e = agreeing_on(test, 4, 1);
	struct ucore_session *all[] = { a, b, c, d, e };
	static const char counts[][6] = { "10101", "01001", "00011", "10101", "01001" };
	u32 slice, i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		KUNIT_ASSERT_EQ(test, fake_start(all[i]), 0);
	for (slice = 0; slice < ARRAY_SIZE(counts); slice++) {
		for (i = 0; i < ARRAY_SIZE(all); i++)
			KUNIT_EXPECT_EQ_MSG(test, !waits(all[i]), counts[slice][i] == '1',
					    "session %u in slice %u", i, slice);
		next_slice();
	}
}

/* A session whose counters nobody else needs is not stopped by a switch. */
static void session_without_conflict_counts_all_the_time(struct kunit *test)
{
	struct ucore_session *a = agreeing_on(test, 4, 0), *b = agreeing_on(test, 5, 0);
	struct ucore_session *c = agreeing_on(test, 6, 1), *d = fake_session(test);
	struct fake_window *w = imc_window(test);

	KUNIT_ASSERT_EQ(test, fake_add(d, fake_box(test, 0, "imc", 0), 7, BIT(2), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(c), 0);
	KUNIT_ASSERT_EQ(test, fake_start(d), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	fake_poke(w, IMC_CTR(1), 10);
	fake_poke(w, IMC_CTR(2), 20);
	fake_bus_clear(bus_of(test));
	next_slice();
	next_slice();
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(1)), 10ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(1)), 0x400006ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(2)), 0x400007ULL);
	KUNIT_EXPECT_EQ(test, count_of(c), 10ULL);
	KUNIT_EXPECT_EQ(test, count_of(d), 20ULL);
	KUNIT_EXPECT_EQ(test, c->ran_ns[0], c->domains[0].time_running);
}

/* A session that does not agree shares a counter with one that waits for another counter. */
static void shared_counter_goes_on_while_a_session_waits(struct kunit *test)
{
	struct ucore_session *n = fake_session(test), *a = agreeing_on(test, 4, 0), *b;
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = imc_window(test);

	KUNIT_ASSERT_EQ(test, fake_add(n, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(a, box, 5, BIT(1), 0, NULL), 0);
	b = agreeing_on(test, 6, 1);
	KUNIT_ASSERT_EQ(test, fake_start(n), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	fake_poke(w, IMC_CTR(0), 10);
	next_slice();				/* a waits */
	fake_poke(w, IMC_CTR(0), 15);
	next_slice();				/* a counts again */
	fake_poke(w, IMC_CTR(0), 18);
	KUNIT_EXPECT_EQ(test, count_of(n), 18ULL);
	KUNIT_EXPECT_EQ(test, count_of(a), 13ULL);
}

static void timer_runs_only_while_a_session_waits(struct kunit *test)
{
	struct ucore_session *a = agreeing_on(test, 4, 0), *b = agreeing_on(test, 5, 0);
	struct hrtimer *timer = &domain0()->multiplex;

	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_EXPECT_FALSE(test, hrtimer_is_queued(timer));
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_TRUE(test, hrtimer_is_queued(timer));
	next_slice();
	KUNIT_EXPECT_TRUE(test, waits(a));
	fake_stop(b);
	KUNIT_EXPECT_EQ(test, next_slice(), HRTIMER_RESTART);
	KUNIT_EXPECT_FALSE(test, waits(a));
	KUNIT_EXPECT_EQ(test, next_slice(), HRTIMER_NORESTART);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_TRUE(test, hrtimer_is_queued(timer));
	fake_stop(a);
	fake_stop(b);
	KUNIT_EXPECT_FALSE(test, hrtimer_is_queued(timer));
	KUNIT_EXPECT_TRUE(test, list_empty(&domain0()->multiplexed));
}

/* ---- commands while a session waits ---- */

static void waiting_session_accesses_no_counter(struct kunit *test)
{
	struct ucore_session *a = agreeing_on(test, 4, 0), *b = agreeing_on(test, 5, 0);
	struct fake_window *gw = fake_global(0), *w = imc_window(test);

	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	fake_poke(w, IMC_CTR(0), 33);
	next_slice();
	fake_poke(w, IMC_CTR(0), 5);
	fake_bus_clear(bus_of(test));
	KUNIT_EXPECT_EQ(test, count_of(a), 33ULL);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_EQ(test, session_reset(a), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_EQ(test, count_of(a), 0ULL);
	next_slice();
	fake_poke(w, IMC_CTR(0), 7);
	KUNIT_EXPECT_EQ(test, count_of(a), 7ULL);
	KUNIT_EXPECT_EQ(test, count_of(b), 5ULL);
	fake_bus_clear(bus_of(test));
	fake_stop(b);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_EQ(test, count_of(b), 5ULL);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400004ULL);
}

static void suspend_and_resume_keep_the_turns(struct kunit *test)
{
	struct ucore_session *a = agreeing_on(test, 4, 0), *b = agreeing_on(test, 5, 0);
	struct fake_window *w = imc_window(test);

	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	fake_poke(w, IMC_CTR(0), 3);
	ucore_readers_suspend();
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0ULL);
	ucore_readers_resume();
	KUNIT_EXPECT_NE(test, waits(a), waits(b));
	KUNIT_EXPECT_TRUE(test, hrtimer_is_queued(&domain0()->multiplex));
	fake_poke(w, IMC_CTR(0), 4);
	next_slice();
	fake_poke(w, IMC_CTR(0), 5);
	KUNIT_EXPECT_EQ(test, count_of(a) + count_of(b), 12ULL);
}

/* A box dies and responds again: the session that counts has its counter again, the other waits. */
static void recovered_box_keeps_the_turns(struct kunit *test)
{
	struct ucore_session *a = agreeing_on(test, 4, 0), *b = agreeing_on(test, 5, 0);
	struct fake_window *w = imc_window(test);

	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	w->dead = true;
	count_of(a);
	w->dead = false;
	fake_poke(w, IMC_CTL(0), 0);
	raw_spin_lock_irq(&domain0()->lock);
	ucore_recovery_reset(domain0());
	raw_spin_unlock_irq(&domain0()->lock);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400004ULL);
	fake_poke(w, IMC_CTR(0), 7);
	next_slice();
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400005ULL);
	fake_poke(w, IMC_CTR(0), 8);
	KUNIT_EXPECT_EQ(test, count_of(a), 7ULL);
	KUNIT_EXPECT_EQ(test, count_of(b), 8ULL);
}

/* Make a session whose two groups use counter 0 of imc0 for @slice ns each. */
static struct ucore_session *rotating(struct kunit *test, u64 slice)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_term term = { .field = UCORE_FIELD_EVENT };
	struct ucore_add_event add;
	struct ucore_session *s;

	s = fake_session_config(test, &(struct ucore_create_session){
		.flags = UCORE_SESSION_F_MULTIPLEX, .rotate_ns = slice });
	mutex_lock(&s->lock);
	for (term.value = 1; term.value <= 2; term.value++) {
		add = (struct ucore_add_event){
			.box = box->id, .nr_terms = 1, .counters = BIT(0), .group = term.value,
		};
		KUNIT_ASSERT_EQ(test, ucore_session_add_event(s, &add, &term), 0);
	}
	mutex_unlock(&s->lock);
	return s;
}

/*
 * The groups of a session go on where they were when the session had to wait, even if the rotation
 * timer expires only while it waits.
 */
static void groups_do_not_miss_their_time_slices(struct kunit *test)
{
	static const u64 slices[] = { 10 * MS, 20 * MS };
	struct fake_window *w = imc_window(test);
	struct ucore_session *a, *b;
	u32 i, j, seen;

	for (j = 0; j < ARRAY_SIZE(slices); j++) {
		a = rotating(test, slices[j]);
		b = agreeing_on(test, 9, 0);
		KUNIT_ASSERT_EQ(test, fake_start(a), 0);
		KUNIT_ASSERT_EQ(test, fake_start(b), 0);
		for (i = seen = 0; i < 16; i++) {
			KUNIT_EXPECT_EQ(test, waits(a), i & 1);
			if (i & 1)
				fake_timer_fire(&a->ctx[0]->rotate);
			else
				seen |= BIT(fake_peek(w, IMC_CTL(0)) & 0xff);
			fake_poke(w, IMC_CTR(0), fake_peek(w, IMC_CTR(0)) + 10);
			next_slice();
		}
		KUNIT_EXPECT_EQ_MSG(test, seen, BIT(1) | BIT(2), "slices of %llu ns", slices[j]);
		session_read(a, false);
		KUNIT_EXPECT_EQ(test, a->values[0].count, 40ULL);
		KUNIT_EXPECT_EQ(test, a->values[1].count, 40ULL);
		session_unread(a);
		KUNIT_EXPECT_EQ(test, count_of(b), 80ULL);
		fake_session_close(test, a);
		fake_session_close(test, b);
	}
}

/* A session that needs no counter of others is not paused, however many counters they have. */
static void waiting_session_with_many_events_pauses_only_its_rivals(struct kunit *test)
{
	struct ucore_session *a = agreeing_on(test, 9, 0), *c = agreeing(test), *b;
	struct ucore_box *box = fake_box(test, 0, "imc", 1);

	KUNIT_ASSERT_EQ(test, fake_add(c, box, 4, 0, 0, NULL), 0);
	b = rotating(test, 10 * MS);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(c), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	b->ctx[0]->domain->nr_counters = 1;	/* as if b had more than twice of the counters */
	next_slice();
	KUNIT_EXPECT_TRUE(test, waits(a));
	KUNIT_EXPECT_FALSE(test, waits(b));
	KUNIT_EXPECT_FALSE(test, waits(c));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(sessions_that_agree_hold_the_same_counter),
	KUNIT_CASE(switch_access_sequence_is_exact),
	KUNIT_CASE(sessions_count_in_turns_and_report_their_times),
	KUNIT_CASE(sessions_that_fit_count_together),
	KUNIT_CASE(session_without_conflict_counts_all_the_time),
	KUNIT_CASE(shared_counter_goes_on_while_a_session_waits),
	KUNIT_CASE(timer_runs_only_while_a_session_waits),
	KUNIT_CASE(waiting_session_accesses_no_counter),
	KUNIT_CASE(suspend_and_resume_keep_the_turns),
	KUNIT_CASE(recovered_box_keeps_the_turns),
	KUNIT_CASE(groups_do_not_miss_their_time_slices),
	KUNIT_CASE(waiting_session_with_many_events_pauses_only_its_rivals),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_multiplex",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
