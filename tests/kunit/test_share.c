// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of boxes that several sessions share: ownership of counters and filters, and
 * that register accesses of one session do not affect the other.
 */
#include "fake_machine.h"
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

static struct ucore_box_info describe(const struct ucore_box *box)
{
	struct ucore_box_info info = { };

	ucore_claim_describe(box, &info);
	return info;
}

/* ---- ownership ---- */

static void counter_belongs_to_the_sessions_of_one_event(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_add_event first, second;

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(1), 0, &first), 0);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 5, BIT(1), 0, NULL), -EBUSY);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 6, BIT(0) | BIT(1), 0, NULL), -EBUSY);
	KUNIT_ASSERT_EQ(test, fake_add(a, box, 6, 0, 0, &second), 0);
	KUNIT_EXPECT_EQ(test, second.counter, 2U);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 7, 0, 0, NULL), 0);
	/* all four counters are in use, some of them by each session */
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 8, 0, 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 8, 0, 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 0, FIXED, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 0, FIXED, 0, NULL), -ENOSPC);
	KUNIT_EXPECT_EQ(test, session_remove(a, first.event), 0);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 4, BIT(1), 0, NULL), 0);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 0, FIXED, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, a->nr_boxes, 1U);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* Events make room for events of the same session only. */
static void events_of_other_sessions_do_not_move(struct kunit *test)
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

static void shared_box_needs_equal_filters(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_session *c = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "cbo", 0);

	/* does not use filters */
	KUNIT_ASSERT_EQ(test, fake_add(c, box, 0x00, BIT(3), 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, describe(box).owner, c->id);
	KUNIT_EXPECT_FALSE(test, describe(box).flags & UCORE_BOX_F_SHARED);
	KUNIT_ASSERT_EQ(test, fake_add_field(a, box, UCORE_FIELD_FILTER_OPC, 0x182), 0);
	/* the reported owner is the session that uses the filters */
	KUNIT_EXPECT_EQ(test, describe(box).owner, a->id);
	KUNIT_EXPECT_TRUE(test, describe(box).flags & UCORE_BOX_F_SHARED);
	KUNIT_EXPECT_EQ(test, fake_add_field(b, box, UCORE_FIELD_FILTER_OPC, 0x180), -EADDRINUSE);
	/* events without filters are allowed */
	KUNIT_EXPECT_EQ(test, fake_add(c, box, 0x00, BIT(2), 0, NULL), 0);
	/* another field, which a's event leaves unset */
	KUNIT_EXPECT_EQ(test, fake_add_field(b, box, UCORE_FIELD_FILTER_NID, 1), -EADDRINUSE);
	/* a filter without thread selection would be wrong for this event */
	KUNIT_EXPECT_EQ(test, fake_add_field(b, box, UCORE_FIELD_TID_EN, 1), -EADDRINUSE);
	KUNIT_EXPECT_EQ(test, b->nr_boxes, 0U);
	KUNIT_EXPECT_EQ(test, fake_add_field(b, box, UCORE_FIELD_FILTER_OPC, 0x182), 0);
	/* from here on neither session can add to the filters */
	KUNIT_EXPECT_EQ(test, fake_add_field(a, box, UCORE_FIELD_FILTER_NID, 1), -EADDRINUSE);
	fake_session_close(test, a);
	KUNIT_EXPECT_EQ(test, describe(box).owner, b->id);
	KUNIT_EXPECT_EQ(test, fake_add_field(b, box, UCORE_FIELD_FILTER_NID, 1), 0);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_add_field(c, box, UCORE_FIELD_FILTER_OPC, 0x180), 0);
}

/*
 * A session without CAP_PERFMON does not count under filters that need CAP_PERFMON: neither when it
 * comes second nor when the session with the filters does.
 */
static void perfmon_filters_and_events_without_perfmon_share_no_box(struct kunit *test)
{
	struct ucore_session *root = fake_session(test), *user = fake_session(test);
	struct ucore_box *cbo = fake_box(test, 0, "cbo", 0), *ha = fake_box(test, 0, "ha", 0);
	struct ucore_add_event plain;

	user->sink.context = false;
	fake_kernel.missing_caps = BIT_ULL(CAP_PERFMON) | BIT_ULL(CAP_SYS_ADMIN);
	/* fields that need no capability are shared */
	KUNIT_ASSERT_EQ(test, fake_add_field(root, cbo, UCORE_FIELD_FILTER_NID, 1), 0);
	KUNIT_EXPECT_EQ(test, fake_add(user, cbo, 0, 0, 0, &plain), 0);
	KUNIT_EXPECT_EQ(test, fake_add_field(root, cbo, UCORE_FIELD_FILTER_OPC, 0x182),
			-EADDRINUSE);
	KUNIT_EXPECT_EQ(test, session_remove(user, plain.event), 0);
	KUNIT_EXPECT_EQ(test, fake_add_field(root, cbo, UCORE_FIELD_FILTER_OPC, 0x182), 0);
	KUNIT_EXPECT_EQ(test, fake_add(user, cbo, 0, 0, 0, NULL), -EADDRINUSE);
	KUNIT_EXPECT_EQ(test, user->nr_boxes, 0U);

	KUNIT_ASSERT_EQ(test, fake_add_field(root, ha, UCORE_FIELD_ADDR_MATCH, 0x1000), 0);
	KUNIT_EXPECT_EQ(test, fake_add_field(user, ha, UCORE_FIELD_UMASK, 1), -EADDRINUSE);
	/* CAP_PERFMON of the caller is as good as that of the opener */
	fake_kernel.missing_caps = 0;
	KUNIT_EXPECT_EQ(test, fake_add_field(user, ha, UCORE_FIELD_UMASK, 1), 0);
	fake_session_close(test, root);
	fake_kernel.missing_caps = BIT_ULL(CAP_PERFMON) | BIT_ULL(CAP_SYS_ADMIN);
	KUNIT_EXPECT_EQ(test, fake_add(user, cbo, 0, 0, 0, NULL), 0);
}

/* OCC_RST empties a counter that all sessions on the box use. */
static void event_that_resets_occupancy_shares_no_box(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "ha", 0);

	KUNIT_ASSERT_EQ(test, fake_add_field(a, box, UCORE_FIELD_OCC_RST, 1), 0);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 0, 0, 0, NULL), -EADDRINUSE);
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 0, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, session_remove(a, 0), 0);
	KUNIT_EXPECT_EQ(test, fake_add_field(b, box, UCORE_FIELD_OCC_RST, 1), -EADDRINUSE);
	KUNIT_EXPECT_EQ(test, fake_add_field(b, box, UCORE_FIELD_OCC_RST, 0), 0);
	KUNIT_EXPECT_EQ(test, fake_add_field(a, box, UCORE_FIELD_OCC_RST, 1), -EADDRINUSE);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_add_field(a, box, UCORE_FIELD_OCC_RST, 1), 0);
}

/* Freezing the box would stop the counters of other sessions. */
static void box_freeze_session_does_not_share_boxes(struct kunit *test)
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

/* ---- register accesses ---- */

static void second_session_access_sequence_is_exact(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *gw = fake_global(0), *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	fake_poke(w, IMC_CTR(0), 700);
	fake_poke(w, IMC_CTR(1), 30);		/* left by the counter's previous user */
	fake_bus_clear(bus_of(test));

	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_STATUS), FAKE_R(gw, GLOBAL_STATUS),
		    FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(w, IMC_STATUS),
		    FAKE_W(w, IMC_CTR(1) + 4, 0), FAKE_W(w, IMC_CTR(1), 0),
		    FAKE_W(w, IMC_CTL(1), 0x400005), FAKE_W(w, IMC_BOX_CTL, RUN),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	/* a READ of one session costs the same with another session on the box */
	fake_poke(w, IMC_CTR(1), 8);
	session_read(b, false);
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

	session_read(a, false);
	KUNIT_EXPECT_EQ(test, a->values[0].count, 700ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400004ULL);
	fake_session_close(test, a);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0ULL);
	KUNIT_EXPECT_EQ(test, box->users, 0U);
	KUNIT_EXPECT_FALSE(test, box->dirty);
}

/* The first session leaves, the second one stays. The last one restores the box. */
static void last_session_restores_the_box(struct kunit *test)
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
	fake_session_close(test, a);		/* while the session runs */
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x10), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x11), 0x400035ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x1a), 0x18200000ULL);
	session_read(b, false);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 55ULL);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x11), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x14), 0xabULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x1a), 0xcdULL);
	KUNIT_EXPECT_FALSE(test, box->dirty);
}

/*
 * A filter ends with the last session that requires it, under a freeze, while another session
 * counts on the box. Without such a session only the next START writes the registers.
 */
static void filter_ends_with_the_last_session_that_requires_it(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_session *c = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "cbo", 0);
	struct fake_window *gw = fake_global(0), *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 0, BIT(3), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add_field(b, box, UCORE_FIELD_FILTER_OPC, 0x182), 0);
	KUNIT_ASSERT_EQ(test, fake_add_field(c, box, UCORE_FIELD_FILTER_OPC, 0x182), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	fake_stop(b);
	KUNIT_EXPECT_EQ(test, session_remove(b, 0), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x1a), 0x18200000ULL);	/* c requires it */
	fake_bus_clear(bus_of(test));
	fake_session_close(test, c);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_W(w, 0x14, 0),
		    FAKE_W(w, 0x1a, 0), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_FALSE(test, a->ctx[0]->domain->frozen);

	/* one of two fields ends */
	KUNIT_ASSERT_EQ(test, fake_add_field(b, box, UCORE_FIELD_FILTER_OPC, 0x182), 0);
	KUNIT_ASSERT_EQ(test, fake_add_field(b, box, UCORE_FIELD_FILTER_NID, 1), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x1a), 0x18200001ULL);
	fake_stop(b);
	KUNIT_EXPECT_EQ(test, session_remove(b, 1), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x1a), 1ULL);
	fake_stop(a);
	fake_bus_clear(bus_of(test));
	KUNIT_EXPECT_EQ(test, session_remove(b, 2), 0);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x1a), 0ULL);
}

/* While the second session counts, the first one stops, starts, and removes events. */
static void stop_and_start_next_to_running_session_works(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), 0ULL);	/* starts at zero */
	fake_poke(w, IMC_CTR(0), 3);
	session_read(a, false);
	KUNIT_EXPECT_EQ(test, a->values[0].count, 13ULL);
	session_read(b, false);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 20ULL);
	fake_stop(b);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(0)), 0x400004ULL);
	fake_stop(a);
	KUNIT_EXPECT_EQ(test, box->users, 0U);
	/* no session counts: the next START resets the box */
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(0)), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTL(1)), 0x400005ULL);
}

/* ---- overflows ---- */

/* Each status is read and cleared once, and each counter is read once, for both sessions. */
static void overflows_of_two_sessions_are_serviced_once(struct kunit *test)
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
	session_read(a, false);
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

/* If one session overflows, the other one gets no sample, and its period continues. */
static void overflow_does_not_sample_the_other_session(struct kunit *test)
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
	session_read(a, false);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ucore_session_ctx(a, 0)->ring));
	KUNIT_EXPECT_NULL(test, fake_record(ucore_session_ctx(b, 0)->ring));
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xd0), BIT_ULL(48) - 10);
	fake_session_close(test, a);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xd0), BIT_ULL(48) - 10);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xf0), 0x500000ULL);
	fake_overflow(box, 0xd0, 1, BIT(0), IMC0);
	session_read(b, false);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 51ULL);
}

static void start_clears_only_its_own_status_bits(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_session *c = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, BIT(1), 50, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(c, box, 0, FIXED, 50, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	fake_overflow(box, IMC_CTR(0), 0, BIT(0) | BIT(1) | BIT(2), IMC0);
	KUNIT_EXPECT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_STATUS), BIT_ULL(0) | BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, fake_start(c), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_STATUS), BIT_ULL(1));
	KUNIT_EXPECT_TRUE(test, fake_global(0)->frozen);
	session_read(a, false);
	KUNIT_EXPECT_EQ(test, a->values[0].count, 100ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_NULL(test, fake_record(ucore_session_ctx(b, 0)->ring));
	KUNIT_EXPECT_EQ(test, fake_peek(w, IMC_CTR(1)), BIT_ULL(48) - 50);
}

/* ---- events that affect all sessions ---- */

static void dead_box_is_flagged_in_all_sessions(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(box);

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	w->dead = true;
	session_read(a, false);
	session_read(b, false);
	KUNIT_EXPECT_EQ(test, a->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	KUNIT_EXPECT_EQ(test, b->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	fake_stop(a);
	KUNIT_EXPECT_EQ(test, fake_start(a), -ENODEV);
	w->dead = false;
	KUNIT_EXPECT_EQ(test, fake_start(a), 0);	/* b counts again, too */
	KUNIT_EXPECT_EQ(test, box->users, 2U);
	fake_poke(w, IMC_CTR(1), 9);
	session_read(b, false);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 9ULL);
	KUNIT_EXPECT_EQ(test, b->values[0].flags, (u32)UCORE_VALUE_F_GAP);
	session_read(b, false);
	KUNIT_EXPECT_EQ(test, b->values[0].flags, 0U);
}

/*
 * A session found the box dead. For the other one the box answers again, with unrelated
 * values.
 */
static void box_found_dead_by_other_session_keeps_count(struct kunit *test)
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
	session_read(b, false);
	w->dead = true;
	session_read(a, false);
	w->dead = false;
	for (i = 0; i < 2; i++) {
		fake_poke(w, IMC_CTR(1), i);
		session_read(b, false);
		KUNIT_EXPECT_EQ(test, b->values[0].count, 1000ULL);
		KUNIT_EXPECT_EQ(test, b->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	}
}

/* Suspend restores the box once. On resume the first session programs it again. */
static void suspend_and_resume_keep_both_sessions(struct kunit *test)
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
	session_read(a, false);
	session_read(b, false);
	KUNIT_EXPECT_EQ(test, a->values[0].count, 77ULL);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 88ULL);
	KUNIT_EXPECT_EQ(test, b->values[0].flags, (u32)UCORE_VALUE_F_GAP);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(counter_belongs_to_the_sessions_of_one_event),
	KUNIT_CASE(events_of_other_sessions_do_not_move),
	KUNIT_CASE(shared_box_needs_equal_filters),
	KUNIT_CASE(perfmon_filters_and_events_without_perfmon_share_no_box),
	KUNIT_CASE(event_that_resets_occupancy_shares_no_box),
	KUNIT_CASE(box_freeze_session_does_not_share_boxes),
	KUNIT_CASE(second_session_access_sequence_is_exact),
	KUNIT_CASE(last_session_restores_the_box),
	KUNIT_CASE(filter_ends_with_the_last_session_that_requires_it),
	KUNIT_CASE(stop_and_start_next_to_running_session_works),
	KUNIT_CASE(overflows_of_two_sessions_are_serviced_once),
	KUNIT_CASE(overflow_does_not_sample_the_other_session),
	KUNIT_CASE(start_clears_only_its_own_status_bits),
	KUNIT_CASE(dead_box_is_flagged_in_all_sessions),
	KUNIT_CASE(box_found_dead_by_other_session_keeps_count),
	KUNIT_CASE(suspend_and_resume_keep_both_sessions),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_share",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

/* ---- without a global control ---- */

static void shared_box_without_global_control_is_frozen_once(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 5, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&box->domain->boxes));
	fake_stop(a);
	/* the box is still frozen and unfrozen with its domain */
	KUNIT_EXPECT_TRUE(test, list_is_singular(&box->domain->boxes));
	fake_bus_clear(bus_of(test));
	session_read(b, false);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(box), 'W'), 2U);
	fake_stop(b);
	KUNIT_EXPECT_TRUE(test, list_empty(&box->domain->boxes));
}

static void control_of_a_running_counter_is_written_by_its_first_session_only(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "ubox", 0);
	struct fake_window *u = fake_window(box);

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 0x41, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 0x41, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), u, 'W'), 0U);
	fake_stop(b);
	fake_stop(a);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(u, 0xc10), (u64)(BIT(22) | 0x41));
	fake_stop(b);
}

static struct kunit_case cases_v1[] = {
	KUNIT_CASE(shared_box_without_global_control_is_frozen_once),
	KUNIT_CASE(control_of_a_running_counter_is_written_by_its_first_session_only),
	{ }
};

static struct kunit_suite suite_v1 = {
	.name = "ucore_share_v1",
	.init = fake_machine_init_v1,
	.exit = fake_machine_exit,
	.test_cases = cases_v1,
};

/* ---- free-running counters ---- */

static void dead_free_running_box_is_probed_by_its_first_counter(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc_free", 0);
	struct fake_window *w = fake_window(box);

	box->dead = true;
	w->dead = true;
	KUNIT_EXPECT_FALSE(test, ucore_box_responds(box));
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, box->desc.layout->fixed_ctr[0]));
	w->dead = false;
	KUNIT_EXPECT_TRUE(test, ucore_box_responds(box));
}

static void free_running_counter_is_shared(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc_free", 0);

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 0, FIXED, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 0, FIXED, 0, NULL), -ENOSPC);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 0, FIXED, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	fake_session_close(test, a);
	session_read(b, false);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(box), 'W'), 0U);
}

static struct kunit_case cases_icx[] = {
	KUNIT_CASE(dead_free_running_box_is_probed_by_its_first_counter),
	KUNIT_CASE(free_running_counter_is_shared),
	{ }
};

static struct kunit_suite suite_icx = {
	.name = "ucore_share_icx",
	.init = fake_machine_init_icx,
	.exit = fake_machine_exit,
	.test_cases = cases_icx,
};

kunit_test_suites(&suite, &suite_v1, &suite_icx);
