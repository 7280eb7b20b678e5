// SPDX-License-Identifier: GPL-2.0-only
/*
 * Others who write the controls that sessions count with: what the guard's look reads,
 * when, and what it tells.
 */
#include "fake_machine.h"
#include "irq/conflict.h"

#define LOOK	UCORE_CONFLICT_PERIOD_NS
#define BOX_CTL	0xf4
#define CTL0	0xd8
#define CTL1	0xdc

static const struct ucore_create_session ring = { .ring_size = 4096 };

/**
 * struct watched - a session with two counters of imc0 and one of cbo0, which runs
 * @s: the session
 * @ctx: its part
 * @gw: global control
 * @imc: imc0's registers
 * @cbo: cbo0's
 */
struct watched {
	struct ucore_session *s;
	struct ucore_domain_ctx *ctx;
	struct fake_window *gw;
	struct fake_window *imc;
	struct fake_window *cbo;
};

static void watched_init(struct kunit *test, struct watched *w, u64 period)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *cbo = fake_box(test, 0, "cbo", 0);

	w->s = fake_session_config(test, &ring);
	KUNIT_ASSERT_EQ(test, fake_add(w->s, imc, 4, BIT(0), period, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(w->s, imc, 5, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(w->s, cbo, 0, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(w->s), 0);
	w->ctx = w->s->ctx[0];
	w->gw = fake_global(0);
	w->imc = fake_window(imc);
	w->cbo = fake_window(cbo);
	fake_bus_clear(bus_of(test));
}

/* Ten seconds pass, and the guard runs. */
static void look(struct watched *w)
{
	fake_clock_advance(LOOK);
	fake_timer_fire(&w->ctx->domain->watchdog);
}

static u32 flags_of(struct kunit *test, struct watched *w, u32 event)
{
	KUNIT_EXPECT_EQ(test, session_read(w->s, false), 0);
	return w->s->values[event].flags;
}

static void expect_told(struct kunit *test, struct watched *w, struct ucore_box *box)
{
	const struct ucore_gap *gap = fake_record(w->ctx->ring);

	KUNIT_ASSERT_NOT_NULL(test, gap);
	KUNIT_EXPECT_EQ(test, gap->hdr.type, (u32)UCORE_RECORD_GAP);
	KUNIT_EXPECT_EQ(test, gap->reason, (u32)UCORE_GAP_CONFLICT);
	KUNIT_EXPECT_EQ(test, gap->box, box->id);
	KUNIT_EXPECT_EQ(test, box->selftest.found & UCORE_FOUND_CONFLICT, (u32)UCORE_FOUND_CONFLICT);
}

/* One read for each control, every ten seconds, whatever comes of it; samples and READs none. */
static void a_look_reads_each_control(struct kunit *test)
{
	struct watched w;

	watched_init(test, &w, 0);
	fake_timer_fire(&w.ctx->domain->watchdog);	/* START was a moment ago */
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w.imc, 'R'), 0U);
	look(&w);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w.gw, GLOBAL_STATUS), FAKE_R(w.gw, GLOBAL_CTL),
		    FAKE_R(w.imc, BOX_CTL), FAKE_R(w.imc, CTL1), FAKE_R(w.imc, CTL0),
		    FAKE_R(w.cbo, 0x04), FAKE_R(w.cbo, 0x10));
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 0U);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), 0U);
	KUNIT_EXPECT_NULL(test, fake_record(w.ctx->ring));
}

/* Others on the domain are looked at ten seconds after their own START. */
static void each_ctx_has_its_time(struct kunit *test)
{
	struct ucore_session *other = fake_session(test);
	struct watched w;

	watched_init(test, &w, 0);
	fake_clock_advance(LOOK / 2);
	KUNIT_ASSERT_EQ(test, fake_add(other, fake_box(test, 0, "imc", 1), 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	fake_clock_advance(LOOK / 2);
	fake_bus_clear(bus_of(test));
	fake_timer_fire(&w.ctx->domain->watchdog);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w.imc, 'R'), 3U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test),
					     fake_window(fake_box(test, 0, "imc", 1)), 'R'), 0U);
}

/* A guard that runs before, for whatever reason, does not put it off. */
static void the_watchdog_runs_when_a_look_is_due(struct kunit *test)
{
	struct watched w;
	u64 wait;

	watched_init(test, &w, 0);
	fake_clock_advance(LOOK - 400 * NSEC_PER_MSEC);
	fake_timer_fire(&w.ctx->domain->watchdog);
	wait = w.ctx->domain->watchdog_at - ktime_get_mono_fast_ns();
	KUNIT_EXPECT_LE(test, wait, (u64)400 * NSEC_PER_MSEC);
	KUNIT_EXPECT_GT(test, wait, (u64)399 * NSEC_PER_MSEC);
}

/* The event that somebody else selects: counters of that box are flagged, others not. */
static void a_control_that_changed(struct kunit *test)
{
	struct watched w;

	watched_init(test, &w, 0);
	fake_poke(w.imc, CTL1, fake_peek(w.imc, CTL1) ^ 0x01);
	look(&w);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), (u32)UCORE_VALUE_F_CONFLICT);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 1), (u32)UCORE_VALUE_F_CONFLICT);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 2), 0U);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 1U);
	expect_told(test, &w, w.ctx->box[0].box);
	KUNIT_EXPECT_EQ(test, w.ctx->box[1].box->selftest.found & UCORE_FOUND_CONFLICT, 0U);

	/* it is counted again, and no second record tells of it */
	look(&w);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 2U);
	KUNIT_EXPECT_NULL(test, fake_record(w.ctx->ring));
}

/* Others have the CPU after some boxes: the rest follows, and all of it is one look. */
static void a_long_look_is_made_in_pieces(struct kunit *test)
{
	struct ucore_box *cbo = fake_box(test, 0, "cbo", 0);
	struct ucore_session *s = fake_session_config(test, &ring);
	struct ucore_domain *domain = cbo->domain;
	struct fake_window *imc[4];
	u32 i, j;

	for (i = 0; i < 4; i++) {
		imc[i] = fake_window(fake_box(test, 0, "imc", i));
		for (j = 0; j < 4; j++)
			KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", i), 4, BIT(j), 0,
						       NULL), 0);
	}
	KUNIT_ASSERT_EQ(test, fake_add(s, cbo, 0, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(imc[0], CTL1, 0);
	fake_bus_clear(bus_of(test));
	fake_clock_advance(LOOK);
	fake_timer_fire(&domain->watchdog);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), imc[i], 'R'), 5U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(cbo), 'R'), 0U);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 1U);
	KUNIT_EXPECT_LE(test, domain->watchdog_at - ktime_get_mono_fast_ns(), (u64)NSEC_PER_MSEC);

	/* what has been looked at is looked at in ten seconds */
	fake_poke(imc[0], CTL0, 0);
	fake_bus_clear(bus_of(test));
	fake_clock_advance(NSEC_PER_MSEC);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(cbo), 'R'), 2U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), imc[0], 'R'), 0U);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 1U);
	KUNIT_EXPECT_GT(test, domain->watchdog_at - ktime_get_mono_fast_ns(), (u64)NSEC_PER_MSEC);
	fake_clock_advance(LOOK / 2);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 1U);
}

/* Of two parts whose look is due the other one follows a moment later. */
static void looks_of_two_sessions(struct kunit *test)
{
	struct ucore_session *other = fake_session(test);
	struct fake_window *imc1 = fake_window(fake_box(test, 0, "imc", 1));
	struct ucore_domain *domain;
	struct watched w;

	watched_init(test, &w, 0);
	domain = w.ctx->domain;
	KUNIT_ASSERT_EQ(test, fake_add(other, fake_box(test, 0, "imc", 1), 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	fake_bus_clear(bus_of(test));
	look(&w);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w.imc, 'R') +
			fake_bus_count(bus_of(test), imc1, 'R'), 3U);
	KUNIT_EXPECT_LE(test, domain->watchdog_at - ktime_get_mono_fast_ns(), (u64)NSEC_PER_MSEC);
	fake_clock_advance(NSEC_PER_MSEC);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w.imc, 'R'), 3U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), imc1, 'R'), 2U);
}

/* What RESET forgets comes again, until START has programmed it. */
static void until_reset_and_start(struct kunit *test)
{
	struct watched w;

	watched_init(test, &w, 0);
	fake_poke(w.imc, CTL0, 0);
	look(&w);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), (u32)UCORE_VALUE_F_CONFLICT);
	KUNIT_ASSERT_EQ(test, session_reset(w.s), 0);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), 0U);
	look(&w);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), (u32)UCORE_VALUE_F_CONFLICT);
	fake_stop(w.s);
	KUNIT_ASSERT_EQ(test, session_reset(w.s), 0);
	KUNIT_ASSERT_EQ(test, fake_start(w.s), 0);
	w.ctx = w.s->ctx[0];
	look(&w);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), 0U);
}

/* A box that somebody froze, before the first look or after it. */
static void a_box_control_that_changed(struct kunit *test)
{
	struct watched w;
	u64 run;

	watched_init(test, &w, 0);
	run = fake_peek(w.imc, BOX_CTL);
	fake_poke(w.imc, BOX_CTL, run | BIT(8));
	look(&w);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 1U);
	expect_told(test, &w, w.ctx->box[0].box);
	fake_poke(w.imc, BOX_CTL, run);
	look(&w);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 1U);
	fake_poke(w.imc, BOX_CTL, run ^ BIT(16));	/* no freeze, but not what it was */
	look(&w);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 2U);
}

/* The route that somebody took away: all counters of the domain. */
static void a_global_control_that_changed(struct kunit *test)
{
	struct watched w;

	watched_init(test, &w, 100);
	fake_poke(w.gw, GLOBAL_CTL, 0);
	look(&w);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), (u32)UCORE_VALUE_F_CONFLICT);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 2), (u32)UCORE_VALUE_F_CONFLICT);
	expect_told(test, &w, w.ctx->box[0].box);
	expect_told(test, &w, w.ctx->box[1].box);
}

/* Bits that a box has not, as its selftest has seen, say nothing. */
static void bits_that_are_not_there(struct kunit *test)
{
	struct watched w;

	watched_init(test, &w, 0);
	w.ctx->box[0].box->selftest.missing = 0x01;
	fake_poke(w.imc, CTL1, fake_peek(w.imc, CTL1) ^ 0x01);
	look(&w);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 0U);
}

/* All ones are no control: the box has died, which a read of its counters finds. */
static void a_box_that_is_gone(struct kunit *test)
{
	struct watched w;

	watched_init(test, &w, 0);
	w.imc->dead = true;
	look(&w);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 0U);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), (u32)UCORE_VALUE_F_DEAD);
	fake_bus_clear(bus_of(test));
	look(&w);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w.cbo, 'R'), 2U);
}

/* What ucore itself holds frozen is no change. */
static void not_while_it_is_held(struct kunit *test)
{
	struct ucore_domain *domain;
	struct watched w;

	watched_init(test, &w, 0);
	domain = w.ctx->domain;
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	fake_clock_advance(LOOK);
	fake_bus_clear(bus_of(test));
	ucore_conflict_scan(domain, ktime_get_mono_fast_ns());
	FAKE_EXPECT_NONE(test, bus_of(test));
	ucore_unfreeze_domain(domain, false);
	ucore_conflict_scan(domain, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w.imc, 'R'), 3U);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 0U);
}

/* A fixed counter's enables; not if its selftest has shown that they do not read back. */
static void a_fixed_control_that_changed(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 1);
	struct ucore_session *s = fake_session_config(test, &ring);
	u16 reg = box->desc.layout->fixed_ctl[0];
	struct watched w;

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0, BIT(UCORE_COUNTER_FIXED), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	w = (struct watched){ .s = s, .ctx = s->ctx[0] };
	look(&w);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 0U);
	fake_poke(fake_window(box), reg, 0);
	box->selftest.failed = UCORE_SELFTEST_FIXED_CONTROL;
	look(&w);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 0U);
	box->selftest.failed = 0;
	look(&w);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 1U);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), (u32)UCORE_VALUE_F_CONFLICT);
}

static struct kunit_case watch_cases[] = {
	KUNIT_CASE(a_look_reads_each_control),
	KUNIT_CASE(each_ctx_has_its_time),
	KUNIT_CASE(the_watchdog_runs_when_a_look_is_due),
	KUNIT_CASE(a_long_look_is_made_in_pieces),
	KUNIT_CASE(looks_of_two_sessions),
	KUNIT_CASE(a_control_that_changed),
	KUNIT_CASE(a_fixed_control_that_changed),
	KUNIT_CASE(until_reset_and_start),
	KUNIT_CASE(a_box_control_that_changed),
	KUNIT_CASE(a_global_control_that_changed),
	KUNIT_CASE(bits_that_are_not_there),
	KUNIT_CASE(a_box_that_is_gone),
	KUNIT_CASE(not_while_it_is_held),
	{ }
};

static struct kunit_suite watch_suite = {
	.name = "ucore_conflict",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = watch_cases,
};

kunit_test_suite(watch_suite);
