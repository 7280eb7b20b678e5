// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the trial that shows what an overflow of a box does, for sessions that need no
 * PMI (UCORE_SESSION_F_NO_PMI).
 */
#include "selftest/overflow_trial.h"
#include "selftest/selftest.h"
#include "fake_machine.h"

#define N	BIT_ULL(40)
#define OV_EN	BIT(20)
#define HA0	BIT_ULL(20)
#define HA1	BIT_ULL(21)

/*
 * Return an untested box whose status position is known but not its overflows. Its clock and that
 * of a C-Box run.
 */
static struct ucore_box *new_box(struct kunit *test, u32 instance)
{
	struct ucore_box *box = fake_box(test, 0, "ha", instance);
	struct ucore_box *other = fake_box(test, 0, "cbo", 0);
	struct fake_window *win = fake_window(box);
	struct fake_bus *bus = bus_of(test);

	box->selftest = (struct ucore_selftest){ };
	box->caps &= ~UCORE_BOX_F_ANY_OVERFLOW;
	box->desc.reported_in = box->desc.global;
	box->desc.status_position = 20 + instance;
	win->die = fake_global(0);
	win->overflow = FAKE_OVERFLOW_FREEZES;
	win->ov_sets = HA0 << instance;
	win->ov_status = BIT(0);
	fake_window(other)->die = fake_global(0);
	bus->clocked = win;
	bus->clocked_too = fake_window(other);
	bus->clocks = 100;
	ucore_catalog.overflow_sticks = false;
	fake_bus_clear(bus);
	return box;
}

static int add(struct kunit *test, struct ucore_box *box, u32 flags, struct ucore_add_event *out)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.flags = flags });

	return fake_add(s, box, 4, BIT(0), N, out);
}

static u32 of_trial(u32 checks)
{
	return checks & UCORE_OVERFLOW_TRIAL_CHECKS;
}

/* Check that a trial left the domain, the box and the other box as found. */
static void expect_no_trace(struct kunit *test, const struct ucore_box *box)
{
	const struct ucore_box *other = fake_box(test, 0, "cbo", 0);
	const struct ucore_layout *layout = box->desc.layout;

	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_STATUS), 0ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_FALSE(test, box->domain->frozen);
	KUNIT_EXPECT_FALSE(test, box->domain->acquired);
	KUNIT_EXPECT_EQ(test, box->domain->freeze_count, 0U);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(box), layout->ctl[0]), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(box), layout->ctr[0]), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(box), layout->status), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(other), other->desc.layout->ctl[0]), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(other), other->desc.layout->ctr[0]), 0ULL);
}

static void overflow_that_freezes_gives_the_capability(struct kunit *test)
{
	struct ucore_box *box = new_box(test, 0);
	struct ucore_add_event out;

	KUNIT_ASSERT_EQ(test, add(test, box, UCORE_SESSION_F_NO_PMI, &out), 0);
	KUNIT_EXPECT_EQ(test, of_trial(box->selftest.tested), (u32)UCORE_OVERFLOW_TRIAL_CHECKS);
	KUNIT_EXPECT_EQ(test, box->selftest.failed, 0U);
	KUNIT_EXPECT_EQ(test, box->caps & UCORE_BOX_F_ANY_OVERFLOW, (u32)UCORE_BOX_F_OVERFLOW);
	KUNIT_EXPECT_EQ(test, out.poll_ns, UCORE_POLL_MAX_NS);
	expect_no_trace(test, box);
	/* at most some ten accesses for each box that is observed */
	KUNIT_EXPECT_LT(test, box->selftest.reads + box->selftest.writes, 300U);
}

static void failed_trial_gives_no_capability(struct kunit *test)
{
	static const struct {
		enum fake_overflow overflow;
		u64 sets;
		u64 status;
		u64 absent;
		u32 tested;
		u32 failed;
	} cases[] = {
		{ FAKE_OVERFLOW_FREEZES, HA0, 1, OV_EN, UCORE_SELFTEST_OVERFLOW_ENABLE,
		  UCORE_SELFTEST_OVERFLOW_ENABLE },
		{ FAKE_OVERFLOW_IGNORED, HA0, 1, 0, UCORE_OVERFLOW_TRIAL_CHECKS,
		  UCORE_SELFTEST_OVERFLOW_STATUS | UCORE_SELFTEST_OVERFLOW_FREEZE |
		  UCORE_SELFTEST_OVERFLOW_DIE },
		{ FAKE_OVERFLOW_FREEZES, 0, 1, 0, UCORE_OVERFLOW_TRIAL_CHECKS,
		  UCORE_SELFTEST_OVERFLOW_STATUS },
		{ FAKE_OVERFLOW_FREEZES, HA1, 1, 0, UCORE_OVERFLOW_TRIAL_CHECKS,
		  UCORE_SELFTEST_OVERFLOW_STATUS },
		{ FAKE_OVERFLOW_FREEZES, HA0 | HA1, 1, 0, UCORE_OVERFLOW_TRIAL_CHECKS,
		  UCORE_SELFTEST_OVERFLOW_STATUS },
		{ FAKE_OVERFLOW_FREEZES, HA0, 2, 0, UCORE_OVERFLOW_TRIAL_CHECKS,
		  UCORE_SELFTEST_OVERFLOW_STATUS },
		{ FAKE_OVERFLOW_SETS_BITS, HA0, 1, 0, UCORE_OVERFLOW_TRIAL_CHECKS,
		  UCORE_SELFTEST_OVERFLOW_FREEZE | UCORE_SELFTEST_OVERFLOW_DIE },
		{ FAKE_OVERFLOW_FREEZES_BOX, HA0, 1, 0, UCORE_OVERFLOW_TRIAL_CHECKS,
		  UCORE_SELFTEST_OVERFLOW_DIE },
	};
	struct ucore_add_event out;
	struct ucore_box *box;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		box = new_box(test, 0);
		fake_window(box)->overflow = cases[i].overflow;
		fake_window(box)->ov_sets = cases[i].sets;
		fake_window(box)->ov_status = cases[i].status;
		fake_window(box)->ctl_absent = cases[i].absent;
		KUNIT_EXPECT_EQ_MSG(test, add(test, box, UCORE_SESSION_F_NO_PMI, NULL),
				    -EOPNOTSUPP, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, of_trial(box->selftest.tested), cases[i].tested,
				    "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, of_trial(box->selftest.failed), cases[i].failed,
				    "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, box->caps & UCORE_BOX_F_ANY_OVERFLOW, 0U, "case %u", i);
		KUNIT_EXPECT_NE(test, (int)*ucore_selftest_reason(&box->selftest), 0);
		KUNIT_EXPECT_NULL_MSG(test, ucore_catalog.failed, "case %u", i);
		expect_no_trace(test, box);
		/* the trial is not repeated */
		fake_bus_clear(bus_of(test));
		KUNIT_EXPECT_EQ(test, add(test, box, UCORE_SESSION_F_NO_PMI, NULL), -EOPNOTSUPP);
		FAKE_EXPECT_NONE(test, bus_of(test));
		/* the period of a session that may poll is polled */
		KUNIT_EXPECT_EQ_MSG(test, add(test, box, 0, &out), 0, "case %u", i);
		KUNIT_EXPECT_NE_MSG(test, out.poll_ns, 0ULL, "case %u", i);
	}
}

/* The die of the first trial is lost. No other box is tried. */
static void freeze_that_sticks_ends_all_trials(struct kunit *test)
{
	struct ucore_box *box = new_box(test, 0), *next;

	fake_window(box)->overflow = FAKE_OVERFLOW_STICKS;
	KUNIT_EXPECT_EQ(test, add(test, box, UCORE_SESSION_F_NO_PMI, NULL), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, of_trial(box->selftest.failed),
			(u32)UCORE_SELFTEST_OVERFLOW_RESUME);
	KUNIT_EXPECT_NOT_NULL(test, ucore_catalog.failed);
	next = new_box(test, 1);
	ucore_catalog.overflow_sticks = true;
	KUNIT_EXPECT_EQ(test, add(test, next, UCORE_SESSION_F_NO_PMI, NULL), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, of_trial(next->selftest.tested), 0U);
	ucore_catalog.overflow_sticks = false;
}

static void trial_sets_the_mark_of_a_freeze_that_sticks(struct kunit *test)
{
	struct ucore_box *box = new_box(test, 0);

	fake_window(box)->overflow = FAKE_OVERFLOW_STICKS;
	add(test, box, UCORE_SESSION_F_NO_PMI, NULL);
	KUNIT_EXPECT_TRUE(test, ucore_catalog.overflow_sticks);
	ucore_catalog.overflow_sticks = false;
}

static void trial_is_made_for_sessions_without_pmi_only(struct kunit *test)
{
	struct ucore_box *box = new_box(test, 0);

	KUNIT_ASSERT_EQ(test, add(test, box, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, of_trial(box->selftest.tested), 0U);
	KUNIT_EXPECT_TRUE(test, ucore_overflow_trial_open(box));
	KUNIT_ASSERT_EQ(test, add(test, box, UCORE_SESSION_F_NO_PMI, NULL), 0);
	KUNIT_EXPECT_EQ(test, of_trial(box->selftest.tested), (u32)UCORE_OVERFLOW_TRIAL_CHECKS);
	KUNIT_EXPECT_FALSE(test, ucore_overflow_trial_open(box));
}

/* A running session is not frozen. The trial is made when the die is idle. */
static void trial_waits_for_an_idle_domain(struct kunit *test)
{
	struct ucore_session *other = fake_session(test);
	struct ucore_box *box;

	KUNIT_ASSERT_EQ(test, fake_add(other, fake_box(test, 0, "imc", 0), 1, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	box = new_box(test, 0);
	KUNIT_EXPECT_EQ(test, add(test, box, UCORE_SESSION_F_NO_PMI, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, of_trial(box->selftest.tested), 0U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_global(0), 'W'), 0U);
	fake_stop(other);
	KUNIT_EXPECT_EQ(test, add(test, box, UCORE_SESSION_F_NO_PMI, NULL), 0);
}

/* A box whose control is not zero belongs to other software, and is not written. */
static void trial_does_not_touch_controls_of_others(struct kunit *test)
{
	struct ucore_box *box = new_box(test, 0), *other = fake_box(test, 0, "cbo", 0);
	u16 ctl = other->desc.layout->ctl[0];

	fake_poke(fake_window(other), ctl, BIT(22) | 0x11);
	KUNIT_EXPECT_EQ(test, add(test, box, UCORE_SESSION_F_NO_PMI, NULL), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(other), ctl), (u64)(BIT(22) | 0x11));
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(other), 'W'), 0U);
	/* no other clock ran, so that the effect on the die is unknown */
	KUNIT_EXPECT_EQ(test, of_trial(box->selftest.tested),
			(u32)(UCORE_OVERFLOW_TRIAL_CHECKS & ~UCORE_SELFTEST_OVERFLOW_DIE));
	KUNIT_EXPECT_EQ(test, box->selftest.failed, 0U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(overflow_that_freezes_gives_the_capability),
	KUNIT_CASE(failed_trial_gives_no_capability),
	KUNIT_CASE(freeze_that_sticks_ends_all_trials),
	KUNIT_CASE(trial_sets_the_mark_of_a_freeze_that_sticks),
	KUNIT_CASE(trial_is_made_for_sessions_without_pmi_only),
	KUNIT_CASE(trial_waits_for_an_idle_domain),
	KUNIT_CASE(trial_does_not_touch_controls_of_others),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_overflow_trial",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
