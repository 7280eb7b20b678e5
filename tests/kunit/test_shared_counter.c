// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of hardware counters that several sessions use for the same event: register
 * accesses, counts, periods, and that no session notices the others.
 */
#include "box/counter_use.h"
#include "fake_core.h"
#include "fake_machine.h"
#include "irq/dead_box_recovery.h"
#include "irq/unreported_overflow.h"
#include "session/claim.h"

#define FIXED	BIT_ULL(UCORE_COUNTER_FIXED)
#define IMC0	BIT_ULL(20)
#define ROUTE	(BIT_ULL(0) | WAKE)

/* Registers of an iMC channel of the E5-2600 v2 */
#define IMC_STATUS	0xf8
#define IMC_BOX_CTL	0xf4
#define IMC_CTL(i)	(0xd8 + 4 * (i))
#define IMC_CTR(i)	(0xa0 + 8 * (i))
#define RUN		0x30000
#define OV_EN		0x100000ULL
/* Value of a counter that overflows after n counts */
#define BEFORE_END(n)	(BIT_ULL(48) - (n))

static struct fake_window *imc_window(struct kunit *test)
{
	return fake_window(fake_box(test, 0, "imc", 0));
}

/* Add event 4 on any counter of imc0 and start the session. */
static void start_period(struct kunit *test, struct ucore_session *s, u64 period)
{
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, period, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
}

static u64 count_of(struct ucore_session *s)
{
	u64 count;

	session_read(s, false);
	count = s->values[0].count;
	session_unread(s);
	return count;
}

/* Let counter 0 of imc0 overflow, with @count counts since. The next readout services it. */
static void overflow(struct kunit *test, u64 count)
{
	fake_overflow(fake_box(test, 0, "imc", 0), IMC_CTR(0), count, BIT(1), IMC0);
}

/* Return the count of the next sample of the session, 0 without one. Counts are not 0 here. */
static u64 sampled(struct ucore_session *s)
{
	const struct ucore_record *record;

	do
		record = fake_record(ucore_session_ctx(s, 0)->ring);
	while (record && record->type != UCORE_RECORD_SAMPLE);
	return record ? container_of(record, struct ucore_sample, hdr)->values[0].count : 0;
}

/* ---- choice of counters ---- */

static void equal_events_share_one_counter(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_add_event add;

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(2), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, 0, 0, &add), 0);
	KUNIT_EXPECT_EQ(test, add.counter, 0U);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 4, 0, 0, &add), 0);
	KUNIT_EXPECT_EQ(test, add.counter, 2U);
	/* one session has two counters for two equal events */
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 4, 0, 0, &add), 0);
	KUNIT_EXPECT_NE(test, add.counter, 2U);
	/* a counter that the caller asked for is used even if it is not shared */
	KUNIT_ASSERT_EQ(test, fake_add(a, box, 5, BIT(3), 0, &add), 0);
	KUNIT_EXPECT_EQ(test, add.counter, 3U);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static void any_number_of_sessions_shares_four_counters(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_session *s = NULL;
	u32 i, event;

	for (i = 0; i < UCORE_BOX_SESSIONS_MAX; i++) {
		s = fake_session(test);
		for (event = 4; event < 8; event++)
			KUNIT_ASSERT_EQ(test, fake_add(s, box, event, 0, 0, NULL), 0);
	}
	KUNIT_EXPECT_EQ(test, fake_add(fake_session(test), box, 4, 0, 0, NULL), -EBUSY);
	fake_session_close(test, s);
	s = fake_session(test);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 8, 0, 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 4, 0, 0, NULL), 0);
}

/* The counter of an event that its only holder has removed is free for other events. */
static void counter_without_holders_is_free(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_add_event of_a, of_b;

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(1), 0, &of_a), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 4, BIT(1), 0, &of_b), 0);
	KUNIT_EXPECT_EQ(test, session_remove(a, of_a.event), 0);
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 5, BIT(1), 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 4, BIT(1), 0, &of_a), 0);
	KUNIT_EXPECT_EQ(test, session_remove(b, of_b.event), 0);
	KUNIT_EXPECT_EQ(test, session_remove(a, of_a.event), 0);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 5, BIT(1), 0, NULL), 0);
}

/* A session moves its event to another counter while the other session keeps the counter. */
static void shared_event_makes_room_for_its_own_session(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "cbo", 0);
	struct ucore_add_event add;

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 0, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 0, 0, 0, &add), 0);
	KUNIT_EXPECT_EQ(test, add.counter, 0U);
	/* event 36h needs counter 0, which a holds for its event */
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 0x36, 0, 0, NULL), -EBUSY);
	fake_session_close(test, a);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 0x36, 0, 0, &add), 0);
	KUNIT_EXPECT_EQ(test, add.counter, 0U);
}

static void events_of_groups_share_no_counter(struct kunit *test)
{
	struct ucore_session *a, *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_term term = { .field = UCORE_FIELD_EVENT, .value = 4 };
	struct ucore_add_event add = {
		.box = box->id, .nr_terms = 1, .counters = BIT(1), .group = 1,
	};

	a = fake_session_config(test, &(struct ucore_create_session){
		.rotate_ns = 10 * NSEC_PER_MSEC });
	mutex_lock(&a->lock);
	KUNIT_EXPECT_EQ(test, ucore_session_add_event(a, &add, &term), 0);
	mutex_unlock(&a->lock);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 4, BIT(1), 0, NULL), -EBUSY);
}

/* ---- counting ---- */

static void second_user_access_sequence_is_exact(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_window *gw = fake_global(0), *w = imc_window(test);

	start_period(test, a, 0);
	fake_poke(w, IMC_CTR(0), 700);
	fake_bus_clear(bus_of(test));
	start_period(test, b, 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_STATUS), FAKE_R(gw, GLOBAL_STATUS),
		    FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(w, IMC_CTR(0)),
		    FAKE_R(w, IMC_CTR(0) + 4), FAKE_W(w, IMC_BOX_CTL, RUN),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	fake_poke(w, IMC_CTR(0), 708);
	KUNIT_EXPECT_EQ(test, count_of(b), 8ULL);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(w, IMC_CTR(0)),
		    FAKE_R(w, IMC_CTR(0) + 4), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_EQ(test, session_reset(b), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(w, IMC_CTR(0)),
		    FAKE_R(w, IMC_CTR(0) + 4), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	fake_stop(b);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(w, IMC_CTR(0)),
		    FAKE_R(w, IMC_CTR(0) + 4), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	fake_session_close(test, b);
	FAKE_EXPECT_NONE(test, bus_of(test));
	fake_poke(w, IMC_CTR(0), 710);
	KUNIT_EXPECT_EQ(test, count_of(a), 710ULL);
	fake_stop(a);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0ULL);
}

/* Each session counts from its own START or RESET on, whichever of them stops first. */
static void each_user_counts_from_its_own_start(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_session *c = fake_session(test);
	struct fake_window *w = imc_window(test);

	start_period(test, a, 0);
	fake_poke(w, IMC_CTR(0), 100);
	start_period(test, b, 0);
	fake_poke(w, IMC_CTR(0), 150);
	KUNIT_EXPECT_EQ(test, session_reset(a), 0);
	start_period(test, c, 0);
	fake_poke(w, IMC_CTR(0), 155);
	KUNIT_EXPECT_EQ(test, count_of(a), 5ULL);
	KUNIT_EXPECT_EQ(test, count_of(b), 55ULL);
	fake_stop(a);			/* the first user leaves */
	fake_poke(w, IMC_CTR(0), 160);
	KUNIT_EXPECT_EQ(test, count_of(a), 5ULL);
	KUNIT_EXPECT_EQ(test, count_of(b), 60ULL);
	KUNIT_EXPECT_EQ(test, fake_start(a), 0);	/* and continues */
	fake_stop(b);
	fake_poke(w, IMC_CTR(0), 163);
	KUNIT_EXPECT_EQ(test, count_of(a), 8ULL);
	KUNIT_EXPECT_EQ(test, count_of(c), 13ULL);
	fake_stop(a);
	fake_stop(c);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0ULL);
	/* the next session is alone again, and starts at zero */
	KUNIT_EXPECT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), 0ULL);
	KUNIT_EXPECT_NULL(test, b->first->ctr->leader);
	KUNIT_EXPECT_EQ(test, b->first->ctr->box->sharing, 0U);
}

static void wrap_is_counted_by_all_users(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_window *w = imc_window(test);

	start_period(test, a, 0);
	fake_poke(w, IMC_CTR(0), BEFORE_END(10));
	start_period(test, b, 0);
	fake_poke(w, IMC_CTR(0), 7);
	KUNIT_EXPECT_EQ(test, count_of(b), 17ULL);
	KUNIT_EXPECT_EQ(test, count_of(a), BIT_ULL(48) + 7);
	KUNIT_EXPECT_EQ(test, b->values[0].flags, 0U);
}

/* A counter is read once for the samples of all sessions at one instant. */
static void one_read_serves_all_samples_of_an_instant(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_window *gw = fake_global(0), *w = imc_window(test);
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct ucore_domain_ctx *ctx;
	struct ucore_readout ro;

	start_period(test, a, 0);
	fake_poke(w, IMC_CTR(0), 100);
	start_period(test, b, 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, fake_box(test, 0, "imc", 0), 5, 0, 0, NULL), -EBUSY);
	fake_poke(w, IMC_CTR(0), 130);
	fake_bus_clear(bus_of(test));
	raw_spin_lock_irq(&domain->lock);
	ucore_readout_begin(&ro, domain, ktime_get_mono_fast_ns());
	list_for_each_entry(ctx, &domain->ctxs, node)
		ucore_ctx_timer_due(ctx);
	ucore_readout_end(&ro);
	raw_spin_unlock_irq(&domain->lock);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(w, IMC_CTR(0)),
		    FAKE_R(w, IMC_CTR(0) + 4), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_EQ(test, sampled(a), 130ULL);
	KUNIT_EXPECT_EQ(test, sampled(b), 30ULL);
	/* the next readout reads again */
	fake_poke(w, IMC_CTR(0), 131);
	KUNIT_EXPECT_EQ(test, count_of(b), 31ULL);
}

/* Boxes without shared counters are still read in bulk, those with such counters one by one. */
static void boxes_around_a_shared_one_are_read(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box;
	u32 i;

	for (i = 0; i < 4; i++)
		KUNIT_ASSERT_EQ(test, fake_add(a, fake_box(test, 0, "imc", i), 4, BIT(0), 0, NULL),
				0);
	for (i = 1; i < 4; i += 2)
		KUNIT_ASSERT_EQ(test, fake_add(b, fake_box(test, 0, "imc", i), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	for (i = 0; i < 4; i++) {
		box = fake_box(test, 0, "imc", i);
		KUNIT_EXPECT_EQ(test, box->sharing, i & 1U);
		fake_poke(fake_window(box), IMC_CTR(0), 10 + i);
	}
	session_read(a, false);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, a->values[i].count, 10ULL + i);
	session_read(b, false);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 11ULL);
	KUNIT_EXPECT_EQ(test, b->values[1].count, 13ULL);
}

/* ---- periods ---- */

/* a ends a period after each 100 counts, b after each 150, which begins 20 counts later. */
static void two_periods_on_one_counter_are_exact(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_window *w = imc_window(test);
	static const struct {
		u64 loaded, past, of_a, of_b;
	} overflows[] = {
		{ 80, 1, 101, 0 },	/* b: 81 of 150 */
		{ 69, 0, 0, 150 },	/* a: 69 of 100 */
		{ 31, 2, 203, 0 },	/* b: 33 of 150 */
		{ 100, 0, 303, 0 },	/* b: 133 of 150 */
		{ 17, 90, 410, 390 },	/* the end of a's period comes before the service, too */
		{ 100, 0, 510, 0 },
	};
	u32 i;

	start_period(test, a, 100);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(100));
	fake_poke(w, IMC_CTR(0), BEFORE_END(80));
	start_period(test, b, 150);
	for (i = 0; i < ARRAY_SIZE(overflows); i++) {
		KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(overflows[i].loaded));
		overflow(test, overflows[i].past);
		count_of(a);
		KUNIT_EXPECT_EQ_MSG(test, sampled(a), overflows[i].of_a, "a, overflow %u", i);
		KUNIT_EXPECT_EQ_MSG(test, sampled(b), overflows[i].of_b, "b, overflow %u", i);
	}
	KUNIT_EXPECT_EQ(test, a->first->stats.overflows, 5ULL);
	KUNIT_EXPECT_EQ(test, b->first->stats.overflows, 2ULL);
}

static void overflow_of_two_periods_access_sequence_is_exact(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_window *gw = fake_global(0), *w = imc_window(test);

	start_period(test, a, 100);
	start_period(test, b, 150);
	overflow(test, 2);
	fake_bus_clear(bus_of(test));
	count_of(a);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE | ROUTE),
		    FAKE_R(gw, GLOBAL_STATUS), FAKE_R(w, IMC_STATUS),
		    FAKE_R(w, IMC_CTR(0)), FAKE_R(w, IMC_CTR(0) + 4),
		    FAKE_W(w, IMC_STATUS, BIT(1)), FAKE_W(gw, GLOBAL_STATUS, IMC0),
		    FAKE_W(w, IMC_CTR(0) + 4, 0), FAKE_W(w, IMC_CTR(0), BEFORE_END(48)),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE | ROUTE));
}

/* A session that only counts is exact while another one loads the counter for its periods. */
static void period_of_another_session_does_not_change_a_count(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_session *c = fake_session(test);
	struct fake_window *w = imc_window(test);

	start_period(test, a, 0);
	fake_poke(w, IMC_CTR(0), 40);
	start_period(test, b, 100);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(100));
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400004ULL | OV_EN);
	start_period(test, c, 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(100));
	overflow(test, 3);
	KUNIT_EXPECT_EQ(test, count_of(a), 143ULL);
	KUNIT_EXPECT_EQ(test, count_of(c), 103ULL);
	KUNIT_EXPECT_EQ(test, sampled(b), 103ULL);
	KUNIT_EXPECT_NULL(test, fake_record(ucore_session_ctx(a, 0)->ring));
	fake_poke(w, IMC_CTR(0), BEFORE_END(60));
	fake_stop(b);			/* no overflow enable and no overflow remain */
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400004ULL);
	fake_poke(w, IMC_CTR(0), 5);
	KUNIT_EXPECT_EQ(test, count_of(a), 188ULL);
	KUNIT_EXPECT_EQ(test, count_of(c), 148ULL);
}

/* The periods of a session that was alone continue when others join and leave. */
static void joining_and_leaving_do_not_shift_a_period(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_window *w = imc_window(test);

	start_period(test, a, 100);
	fake_poke(w, IMC_CTR(0), BEFORE_END(70));
	start_period(test, b, 10);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(10));
	fake_poke(w, IMC_CTR(0), BEFORE_END(4));
	fake_stop(b);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(64));
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400004ULL | OV_EN);
	KUNIT_EXPECT_EQ(test, fake_start(b), 0);	/* a new period of b begins */
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(10));
	KUNIT_EXPECT_EQ(test, session_reset(a), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(10));
	fake_stop(b);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(100));
	overflow(test, 1);
	KUNIT_EXPECT_EQ(test, count_of(a), 101ULL);
	KUNIT_EXPECT_EQ(test, sampled(a), 101ULL);
}

/* A session starts while an overflow of the session that was alone is pending. */
static void pending_overflow_survives_the_start_of_another_session(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_window *w = imc_window(test);

	start_period(test, a, 100);
	overflow(test, 2);
	start_period(test, b, 30);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(30));
	KUNIT_EXPECT_TRUE(test, fake_global(0)->frozen);
	count_of(b);
	KUNIT_EXPECT_EQ(test, sampled(a), 102ULL);
	KUNIT_EXPECT_EQ(test, sampled(b), 0ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	overflow(test, 0);
	count_of(b);
	KUNIT_EXPECT_EQ(test, sampled(b), 30ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(30));
}

/* STOP or RESET of a session services the overflow of another one, whose next period is armed. */
static void pending_overflow_survives_the_stop_of_another_session(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_window *w = imc_window(test);

	start_period(test, a, 100);
	start_period(test, b, 1000);
	overflow(test, 2);
	KUNIT_EXPECT_EQ(test, session_reset(b), 0);
	KUNIT_EXPECT_EQ(test, sampled(a), 102ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(100));
	overflow(test, 3);
	fake_stop(b);
	KUNIT_EXPECT_EQ(test, sampled(a), 205ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(100));
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400004ULL | OV_EN);
	KUNIT_EXPECT_PTR_EQ(test, ucore_catalog.domains[0].spent, NULL);
}

/* A throttled session takes no sample, but counts its periods, also at overflows of others. */
static void overflow_of_another_session_does_not_sample_a_throttled_one(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct fake_window *w = imc_window(test);

	start_period(test, a, 1000);
	start_period(test, b, 100);
	domain->throttle_start = ktime_get_mono_fast_ns();
	domain->throttle_count = 1000000;
	overflow(test, 0);
	count_of(a);
	KUNIT_EXPECT_EQ(test, sampled(b), 100ULL);
	overflow(test, 0);		/* of a, after nine more periods of b */
	count_of(a);
	domain->throttle_count = 0;
	KUNIT_EXPECT_EQ(test, sampled(a), 1000ULL);
	KUNIT_EXPECT_EQ(test, sampled(b), 0ULL);
	KUNIT_EXPECT_EQ(test, b->first->stats.overflows, 1ULL);
	fake_poke(w, IMC_CTR(0), fake_peek(w, IMC_CTR(0)) + 30);
	raw_spin_lock_irq(&domain->lock);
	ucore_watchdog_end_throttling(domain);
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_EQ(test, b->first->stats.dropped, 9ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(70));
}

static void throttled_session_does_not_delay_the_other(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct fake_window *w = imc_window(test);

	start_period(test, a, 100);
	start_period(test, b, 1000);
	domain->throttle_start = ktime_get_mono_fast_ns();
	domain->throttle_count = 1000000;
	overflow(test, 0);
	count_of(a);
	domain->throttle_count = 0;
	KUNIT_EXPECT_EQ(test, sampled(a), 100ULL);
	KUNIT_EXPECT_TRUE(test, domain->throttled);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(900));
	fake_poke(w, IMC_CTR(0), BEFORE_END(650));	/* two and a half periods of a */
	raw_spin_lock_irq(&domain->lock);
	ucore_watchdog_end_throttling(domain);
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(50));
	KUNIT_EXPECT_EQ(test, a->first->stats.dropped, 2ULL);
	KUNIT_EXPECT_EQ(test, b->first->stats.dropped, 0ULL);
	KUNIT_EXPECT_EQ(test, sampled(b), 0ULL);
}

/* The box has overflowed, but the global status does not say so. */
static void unreported_overflow_ends_the_periods_that_are_due(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct fake_window *w = imc_window(test);
	u64 now;
	u32 i;

	start_period(test, a, 100);
	start_period(test, b, 1000);
	fake_poke(w, IMC_CTR(0), 250);
	raw_spin_lock_irq(&domain->lock);
	for (i = 0; i < 2; i++) {
		now = ktime_get_mono_fast_ns() + 10 * NSEC_PER_SEC;
		ucore_unreported_read(domain, now);
		ucore_unreported_find(domain, now);
	}
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_EQ(test, sampled(a), 350ULL);
	KUNIT_EXPECT_EQ(test, a->first->stats.dropped, 2ULL);
	KUNIT_EXPECT_NULL(test, fake_record(ucore_session_ctx(b, 0)->ring));
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(100));
	KUNIT_EXPECT_EQ(test, count_of(b), 350ULL);
}

/* ---- events that affect all sessions ---- */

static void dead_box_is_flagged_in_all_users(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_window *w = imc_window(test);

	start_period(test, a, 0);
	start_period(test, b, 0);
	fake_poke(w, IMC_CTR(0), 9);
	KUNIT_EXPECT_EQ(test, count_of(a), 9ULL);
	w->dead = true;
	KUNIT_EXPECT_EQ(test, count_of(a), 9ULL);
	KUNIT_EXPECT_EQ(test, count_of(b), 9ULL);
	session_read(a, false);
	session_read(b, false);
	KUNIT_EXPECT_EQ(test, a->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	KUNIT_EXPECT_EQ(test, b->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	session_unread(a);
	session_unread(b);
}

/* Let the watchdog find that the boxes of the domain respond again. */
static void recover(void)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];

	raw_spin_lock_irq(&domain->lock);
	ucore_recovery_reset(domain);
	raw_spin_unlock_irq(&domain->lock);
}

static void recovered_box_counts_for_all_users(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_window *w = imc_window(test);

	start_period(test, a, 0);
	start_period(test, b, 100);
	fake_poke(w, IMC_CTR(0), BEFORE_END(80));
	KUNIT_EXPECT_EQ(test, count_of(a), 20ULL);	/* also read for b, which does not look */
	w->dead = true;
	KUNIT_EXPECT_EQ(test, count_of(a), 20ULL);
	w->dead = false;
	fake_poke(w, IMC_CTR(0), 12345);
	fake_poke(w, IMC_CTL(0), 0);
	recover();
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400004ULL | OV_EN);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(100));
	fake_poke(w, IMC_CTR(0), BEFORE_END(95));
	KUNIT_EXPECT_EQ(test, count_of(a), 25ULL);
	KUNIT_EXPECT_EQ(test, count_of(b), 25ULL);
	fake_stop(b);
	fake_stop(a);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_box(test, 0, "imc", 0)->users, 0U);
}

static void suspend_and_resume_keep_all_users(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_window *w = imc_window(test);

	start_period(test, a, 0);
	start_period(test, b, 100);
	fake_poke(w, IMC_CTR(0), BEFORE_END(30));
	ucore_readers_suspend();
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0ULL);
	ucore_readers_resume();
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), BEFORE_END(100));
	overflow(test, 1);
	KUNIT_EXPECT_EQ(test, count_of(a), 171ULL);
	KUNIT_EXPECT_EQ(test, sampled(b), 171ULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(equal_events_share_one_counter),
	KUNIT_CASE(any_number_of_sessions_shares_four_counters),
	KUNIT_CASE(counter_without_holders_is_free),
	KUNIT_CASE(shared_event_makes_room_for_its_own_session),
	KUNIT_CASE(events_of_groups_share_no_counter),
	KUNIT_CASE(second_user_access_sequence_is_exact),
	KUNIT_CASE(each_user_counts_from_its_own_start),
	KUNIT_CASE(wrap_is_counted_by_all_users),
	KUNIT_CASE(one_read_serves_all_samples_of_an_instant),
	KUNIT_CASE(boxes_around_a_shared_one_are_read),
	KUNIT_CASE(two_periods_on_one_counter_are_exact),
	KUNIT_CASE(overflow_of_two_periods_access_sequence_is_exact),
	KUNIT_CASE(period_of_another_session_does_not_change_a_count),
	KUNIT_CASE(joining_and_leaving_do_not_shift_a_period),
	KUNIT_CASE(pending_overflow_survives_the_start_of_another_session),
	KUNIT_CASE(pending_overflow_survives_the_stop_of_another_session),
	KUNIT_CASE(overflow_of_another_session_does_not_sample_a_throttled_one),
	KUNIT_CASE(throttled_session_does_not_delay_the_other),
	KUNIT_CASE(unreported_overflow_ends_the_periods_that_are_due),
	KUNIT_CASE(dead_box_is_flagged_in_all_users),
	KUNIT_CASE(recovered_box_counts_for_all_users),
	KUNIT_CASE(suspend_and_resume_keep_all_users),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_shared_counter",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
