// SPDX-License-Identifier: GPL-2.0-only
/*
 * Boxes that sessions share: whose counters are whose, who has the filters, and that
 * nothing that one session does touches what another has, access by access.
 */
#include "fake_machine.h"
#include "session/claim.h"

#define FIXED	BIT_ULL(UCORE_COUNTER_FIXED)
#define IMC0	BIT_ULL(20)
#define ROUTE	(BIT_ULL(0) | WAKE)

/* Registers of an iMC channel of v2 */
#define IMC_STATUS	0xf8
#define IMC_BOX_CTL	0xf4
#define IMC_CTL(i)	(0xd8 + 4 * (i))
#define IMC_CTR(i)	(0xa0 + 8 * (i))
#define RUN		0x30000

static struct ucore_box_info told(const struct ucore_box *box)
{
	struct ucore_box_info info = { };

	ucore_claim_describe(box, &info);
	return info;
}

/* ---- who has what ---- */

static void counters_are_one_sessions(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_add_event first, second;

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(1), 0, &first), 0);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 4, BIT(1), 0, NULL), -EBUSY);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 4, BIT(0) | BIT(1), 0, NULL), -EBUSY);
	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, 0, 0, &second), 0);
	KUNIT_EXPECT_EQ(test, second.counter, 2U);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 4, 0, 0, NULL), 0);
	/* all four are taken: of each session some by the other one */
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 4, 0, 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 4, 0, 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 0, FIXED, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 0, FIXED, 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 0, FIXED, 0, NULL), -ENOSPC);
	KUNIT_EXPECT_EQ(test, session_remove(a, first.event), 0);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 4, BIT(1), 0, NULL), 0);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 0, FIXED, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, a->nr_boxes, 1U);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* Events make room for others of their session, not for those of another. */
static void events_of_others_stay_where_they_are(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "cbo", 0);
	struct ucore_add_event add;

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 0x00, 0, 0, &add), 0);
	KUNIT_EXPECT_EQ(test, add.counter, 0U);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 0x36, 0, 0, NULL), -EBUSY);	/* counter 0 only */
	KUNIT_EXPECT_EQ(test, b->nr_boxes, 0U);
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 0x36, 0, 0, &add), 0);
	KUNIT_EXPECT_EQ(test, add.counter, 0U);
}

static void filters_are_wanted_alike(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_session *c = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "cbo", 0);

	KUNIT_ASSERT_EQ(test, fake_add(c, box, 0x00, BIT(3), 0, NULL), 0);	/* does not care */
	KUNIT_EXPECT_EQ(test, told(box).owner, c->id);
	KUNIT_EXPECT_FALSE(test, told(box).caps & UCORE_BOX_F_SHARED);
	KUNIT_ASSERT_EQ(test, fake_add_field(a, box, UCORE_FIELD_FILTER_OPC, 0x182), 0);
	/* who has the filters is named */
	KUNIT_EXPECT_EQ(test, told(box).owner, a->id);
	KUNIT_EXPECT_TRUE(test, told(box).caps & UCORE_BOX_F_SHARED);
	KUNIT_EXPECT_EQ(test, fake_add_field(b, box, UCORE_FIELD_FILTER_OPC, 0x180), -EADDRINUSE);
	/* another field, that a's event does without */
	KUNIT_EXPECT_EQ(test, fake_add_field(b, box, UCORE_FIELD_FILTER_NID, 1), -EADDRINUSE);
	/* nobody would get what it wants of a filter that says nothing of threads */
	KUNIT_EXPECT_EQ(test, fake_add_field(b, box, UCORE_FIELD_TID_EN, 1), -EADDRINUSE);
	KUNIT_EXPECT_EQ(test, b->nr_boxes, 0U);
	KUNIT_EXPECT_EQ(test, fake_add_field(b, box, UCORE_FIELD_FILTER_OPC, 0x182), 0);
	/* from here on neither can have more of it */
	KUNIT_EXPECT_EQ(test, fake_add_field(a, box, UCORE_FIELD_FILTER_NID, 1), -EADDRINUSE);
	fake_session_close(test, a);
	KUNIT_EXPECT_EQ(test, told(box).owner, b->id);
	KUNIT_EXPECT_EQ(test, fake_add_field(b, box, UCORE_FIELD_FILTER_NID, 1), 0);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_add_field(c, box, UCORE_FIELD_FILTER_OPC, 0x180), 0);
}

/* Its freeze would stop the counters of others, too. */
static void box_freeze_shares_no_box(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b;
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	b = fake_session_config(test, &(struct ucore_create_session){
		.flags = UCORE_SESSION_F_BOX_FREEZE });
	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 4, 0, 0, NULL), -EBUSY);
	KUNIT_ASSERT_EQ(test, fake_add(b, fake_box(test, 0, "imc", 1), 4, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_add(a, fake_box(test, 0, "imc", 1), 4, 0, 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_add(b, fake_box(test, 0, "imc", 1), 5, 0, 0, NULL), 0);
}

/* ---- what is written ---- */

static void second_session_access_by_access(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *gw = fake_global(0), *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	fake_poke(w, IMC_CTR(0), 700);
	fake_poke(w, IMC_CTR(1), 30);		/* of whoever had it before */
	fake_bus_clear(bus_of(test));

	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_STATUS), FAKE_R(gw, GLOBAL_STATUS),
		    FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(w, IMC_STATUS),
		    FAKE_W(w, IMC_CTR(1) + 4, 0), FAKE_W(w, IMC_CTR(1), 0),
		    FAKE_W(w, IMC_CTL(1), 0x400005), FAKE_W(w, IMC_BOX_CTL, RUN),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	/* a READ of one is at its limit beside the other */
	fake_poke(w, IMC_CTR(1), 8);
	KUNIT_EXPECT_EQ(test, session_read(b, false), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(w, IMC_CTR(1)),
		    FAKE_R(w, IMC_CTR(1) + 4), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_EQ(test, b->values[0].count, 8ULL);
	KUNIT_EXPECT_EQ(test, session_reset(b), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE),
		    FAKE_W(w, IMC_CTR(1) + 4, 0), FAKE_W(w, IMC_CTR(1), 0),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	fake_stop(b);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(w, IMC_CTR(1)),
		    FAKE_R(w, IMC_CTR(1) + 4), FAKE_W(w, IMC_CTL(1), 0),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	fake_session_close(test, b);
	FAKE_EXPECT_NONE(test, bus_of(test));

	KUNIT_EXPECT_EQ(test, session_read(a, false), 0);
	KUNIT_EXPECT_EQ(test, a->values[0].count, 700ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400004ULL);
	fake_session_close(test, a);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0ULL);
	KUNIT_EXPECT_EQ(test, box->users, 0U);
	KUNIT_EXPECT_FALSE(test, box->dirty);
}

/* The first one goes, the second stays; the last one leaves the box as it was found. */
static void first_session_goes_first(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "cbo", 0);
	struct fake_window *w = fake_window(box);

	fake_poke(w, 0x14, 0xab);
	fake_poke(w, 0x1a, 0xcd);
	KUNIT_ASSERT_EQ(test, fake_add(a, box, 0, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add_field(b, box, UCORE_FIELD_FILTER_OPC, 0x182), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x1a), 0ULL);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x1a), 0x18200000ULL);
	fake_poke(w, 0x17, 55);
	fake_session_close(test, a);		/* while it runs */
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x10), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x11), 0x400035ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x1a), 0x18200000ULL);
	KUNIT_EXPECT_EQ(test, session_read(b, false), 0);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 55ULL);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x11), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x14), 0xabULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x1a), 0xcdULL);
	KUNIT_EXPECT_FALSE(test, box->dirty);
}

/* While the second counts, the first stops, starts, and leaves events. */
static void comings_and_goings(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);
	struct ucore_add_event extra;

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(a, box, 6, BIT(2), 0, &extra), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, box->users, 2U);
	fake_poke(w, IMC_CTR(0), 10);
	fake_poke(w, IMC_CTR(1), 20);
	fake_stop(a);
	KUNIT_EXPECT_EQ(test, box->users, 1U);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(2)), 0ULL);
	KUNIT_EXPECT_EQ(test, session_remove(a, extra.event), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), 0ULL);	/* it begins at zero */
	fake_poke(w, IMC_CTR(0), 3);
	KUNIT_EXPECT_EQ(test, session_read(a, false), 0);
	KUNIT_EXPECT_EQ(test, a->values[0].count, 13ULL);
	KUNIT_EXPECT_EQ(test, session_read(b, false), 0);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 20ULL);
	fake_stop(b);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400004ULL);
	fake_stop(a);
	KUNIT_EXPECT_EQ(test, box->users, 0U);
	/* nobody counts: whoever starts now resets the box */
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(1)), 0x400005ULL);
}

/* ---- overflows ---- */

/* Each status is read and cleared once, each counter read once, whoever wants them. */
static void both_overflow_at_once(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *gw = fake_global(0), *w = fake_window(box);
	const struct ucore_sample *sample;

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, BIT(1), 50, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	fake_overflow(box, IMC_CTR(0), 2, BIT(1), IMC0);
	fake_overflow(box, IMC_CTR(1), 3, BIT(2), IMC0);
	fake_bus_clear(bus_of(test));
	KUNIT_EXPECT_EQ(test, session_read(a, false), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE | ROUTE),
		    FAKE_R(gw, GLOBAL_STATUS), FAKE_R(w, IMC_STATUS),
		    FAKE_R(w, IMC_CTR(0)), FAKE_R(w, IMC_CTR(0) + 4),
		    FAKE_W(w, IMC_STATUS, BIT(1) | BIT(2)),
		    FAKE_R(w, IMC_CTR(1)), FAKE_R(w, IMC_CTR(1) + 4),
		    FAKE_W(gw, GLOBAL_STATUS, IMC0),
		    FAKE_W(w, IMC_CTR(0) + 4, 0), FAKE_W(w, IMC_CTR(0), BIT_ULL(48) - 100),
		    FAKE_W(w, IMC_CTR(1) + 4, 0), FAKE_W(w, IMC_CTR(1), BIT_ULL(48) - 50),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE | ROUTE));
	KUNIT_EXPECT_EQ(test, a->values[0].count, 102ULL);
	sample = fake_record(ucore_session_ctx(a, 0)->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 102ULL);
	sample = fake_record(ucore_session_ctx(b, 0)->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->nr_values, 1U);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 53ULL);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, (u32)UCORE_VALUE_F_OVERFLOW);
}

/* One overflows: the other has no sample of it, and its period goes on. */
static void one_overflows_beside_the_other(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 0, FIXED, 50, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	fake_overflow(box, IMC_CTR(0), 2, BIT(1), IMC0);
	fake_poke(w, 0xd0, BIT_ULL(48) - 10);
	KUNIT_EXPECT_EQ(test, session_read(a, false), 0);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ucore_session_ctx(a, 0)->ring));
	KUNIT_EXPECT_NULL(test, fake_record(ucore_session_ctx(b, 0)->ring));
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xd0), BIT_ULL(48) - 10);
	fake_session_close(test, a);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xd0), BIT_ULL(48) - 10);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xf0), 0x500000ULL);
	fake_overflow(box, 0xd0, 1, BIT(0), IMC0);
	KUNIT_EXPECT_EQ(test, session_read(b, false), 0);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 51ULL);
}

/* A start clears what its own counters have left in the status, and nothing else. */
static void start_beside_a_waiting_overflow(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, BIT(1), 50, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	fake_overflow(box, IMC_CTR(0), 0, BIT(1) | BIT(2), IMC0);
	KUNIT_EXPECT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_STATUS), BIT_ULL(1));
	KUNIT_EXPECT_TRUE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_EQ(test, session_read(a, false), 0);
	KUNIT_EXPECT_EQ(test, a->values[0].count, 100ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_NULL(test, fake_record(ucore_session_ctx(b, 0)->ring));
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(1)), BIT_ULL(48) - 50);
}

/* ---- what happens to all of them ---- */

static void a_box_that_dies_is_told_to_all(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	w->dead = true;
	KUNIT_EXPECT_EQ(test, session_read(a, false), 0);
	KUNIT_EXPECT_EQ(test, session_read(b, false), 0);
	KUNIT_EXPECT_EQ(test, a->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	KUNIT_EXPECT_EQ(test, b->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	w->dead = false;
	fake_stop(a);
	KUNIT_EXPECT_EQ(test, fake_start(a), -ENODEV);	/* b's counts there are broken */
	fake_stop(b);
	KUNIT_EXPECT_EQ(test, box->users, 0U);
	KUNIT_EXPECT_EQ(test, fake_start(a), 0);
	KUNIT_EXPECT_EQ(test, fake_start(b), 0);
	fake_poke(w, IMC_CTR(1), 9);
	KUNIT_EXPECT_EQ(test, session_read(b, false), 0);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 9ULL);
}

/* One session has seen it die; the other finds it back, with counters that are not its own. */
static void a_box_that_died_for_another_counts_for_nobody(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);
	u32 i;

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	fake_poke(w, IMC_CTR(1), 1000);
	KUNIT_EXPECT_EQ(test, session_read(b, false), 0);
	w->dead = true;
	KUNIT_EXPECT_EQ(test, session_read(a, false), 0);
	w->dead = false;
	for (i = 0; i < 2; i++) {
		fake_poke(w, IMC_CTR(1), i);
		KUNIT_EXPECT_EQ(test, session_read(b, false), 0);
		KUNIT_EXPECT_EQ(test, b->values[0].count, 1000ULL);
		KUNIT_EXPECT_EQ(test, b->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	}
}

/* The machine sleeps: given back once, programmed again by whoever comes first. */
static void both_sleep_and_wake(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	fake_poke(w, IMC_CTR(0), 70);
	fake_poke(w, IMC_CTR(1), 80);
	ucore_readers_suspend();
	KUNIT_EXPECT_EQ(test, box->users, 0U);
	KUNIT_EXPECT_FALSE(test, box->dirty);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(1)), 0ULL);
	ucore_readers_resume();
	KUNIT_EXPECT_EQ(test, box->users, 2U);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400004ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(1)), 0x400005ULL);
	fake_poke(w, IMC_CTR(0), 7);
	fake_poke(w, IMC_CTR(1), 8);
	KUNIT_EXPECT_EQ(test, session_read(a, false), 0);
	KUNIT_EXPECT_EQ(test, session_read(b, false), 0);
	KUNIT_EXPECT_EQ(test, a->values[0].count, 77ULL);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 88ULL);
	KUNIT_EXPECT_EQ(test, b->values[0].flags, (u32)UCORE_VALUE_F_GAP);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(counters_are_one_sessions),
	KUNIT_CASE(events_of_others_stay_where_they_are),
	KUNIT_CASE(filters_are_wanted_alike),
	KUNIT_CASE(box_freeze_shares_no_box),
	KUNIT_CASE(second_session_access_by_access),
	KUNIT_CASE(first_session_goes_first),
	KUNIT_CASE(comings_and_goings),
	KUNIT_CASE(both_overflow_at_once),
	KUNIT_CASE(one_overflows_beside_the_other),
	KUNIT_CASE(start_beside_a_waiting_overflow),
	KUNIT_CASE(a_box_that_dies_is_told_to_all),
	KUNIT_CASE(a_box_that_died_for_another_counts_for_nobody),
	KUNIT_CASE(both_sleep_and_wake),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_share",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

/* ---- without a global control ---- */

static void box_by_box(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&box->domain->boxes));
	fake_stop(a);
	/* it is still frozen and unfrozen with its domain */
	KUNIT_EXPECT_TRUE(test, list_is_singular(&box->domain->boxes));
	fake_bus_clear(bus_of(test));
	KUNIT_EXPECT_EQ(test, session_read(b, false), 0);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(box), 'W'), 2U);
	fake_stop(b);
	KUNIT_EXPECT_TRUE(test, list_empty(&box->domain->boxes));
}

static struct kunit_case cases_v1[] = {
	KUNIT_CASE(box_by_box),
	{ }
};

static struct kunit_suite suite_v1 = {
	.name = "ucore_share_v1",
	.init = fake_machine_init_v1,
	.exit = fake_machine_exit,
	.test_cases = cases_v1,
};

/* ---- counters that are nobody's ---- */

static void free_running_counters_are_anybodys(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc_free", 0);

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 0, FIXED, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 0, FIXED, 0, NULL), -ENOSPC);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 0, FIXED, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	fake_session_close(test, a);
	KUNIT_EXPECT_EQ(test, session_read(b, false), 0);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(box), 'W'), 0U);
}

/* What sessions spend together has an end. */
static void no_more_sessions_than_counters(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc_free", 0);
	struct ucore_session *s[6];
	u32 i;

	KUNIT_ASSERT_EQ(test, box->desc.type->nr_fixed, 5);
	for (i = 0; i < ARRAY_SIZE(s); i++)
		s[i] = fake_session(test);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, fake_add(s[i], box, 0, FIXED, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_add(s[5], box, 0, FIXED, 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_add(s[4], box, 0, FIXED << 1, 0, NULL), 0);
	fake_session_close(test, s[2]);
	KUNIT_EXPECT_EQ(test, fake_add(s[5], box, 0, FIXED, 0, NULL), 0);
}

static struct kunit_case cases_icx[] = {
	KUNIT_CASE(free_running_counters_are_anybodys),
	KUNIT_CASE(no_more_sessions_than_counters),
	{ }
};

static struct kunit_suite suite_icx = {
	.name = "ucore_share_icx",
	.init = fake_machine_init_icx,
	.exit = fake_machine_exit,
	.test_cases = cases_icx,
};

kunit_test_suites(&suite, &suite_v1, &suite_icx);
