// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of conflict detection, when other software writes controls that a session uses.
 * The tests check what the watchdog's scan reads, when it runs, and what it reports.
 */
#include "fake_machine.h"
#include "irq/conflict.h"

#define SCAN_NS	UCORE_CONFLICT_PERIOD_NS
#define BOX_CTL	0xf4
#define CTL0	0xd8
#define CTL1	0xdc

static const struct ucore_create_session ring = { .ring_size = 4096 };

/**
 * struct watched - a running session with two counters of imc0 and one of cbo0
 * @s: the session
 * @ctx: domain context of the session
 * @gw: window of the global control
 * @imc: window of imc0
 * @cbo: window of cbo0
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

/* Advance the clock by one scan period (10 s) and run the watchdog. */
static void run_scan(struct watched *w)
{
	fake_clock_advance(SCAN_NS);
	fake_timer_fire(&w->ctx->domain->watchdog);
}

static u32 flags_of(struct kunit *test, struct watched *w, u32 event)
{
	session_read(w->s, false);
	return w->s->values[event].flags;
}

static void expect_gap(struct kunit *test, struct watched *w, struct ucore_box *box)
{
	const struct ucore_gap *gap = fake_record(w->ctx->ring);

	KUNIT_ASSERT_NOT_NULL(test, gap);
	KUNIT_EXPECT_EQ(test, gap->hdr.type, (u32)UCORE_RECORD_GAP);
	KUNIT_EXPECT_EQ(test, gap->reason, (u32)UCORE_GAP_CONFLICT);
	KUNIT_EXPECT_EQ(test, gap->box, box->id);
	KUNIT_EXPECT_EQ(test, box->selftest.found & UCORE_FOUND_CONFLICT,
			(u32)UCORE_FOUND_CONFLICT);
}

/* Each control is read once in ten seconds, whatever the result. Samples and READs read none. */
static void scan_reads_each_control_once(struct kunit *test)
{
	struct watched w;

	watched_init(test, &w, 0);
	fake_timer_fire(&w.ctx->domain->watchdog);	/* START was less than a period ago */
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w.imc, 'R'), 0U);
	run_scan(&w);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w.gw, GLOBAL_STATUS), FAKE_R(w.gw, GLOBAL_CTL),
		    FAKE_R(w.imc, BOX_CTL), FAKE_R(w.imc, CTL1), FAKE_R(w.imc, CTL0),
		    FAKE_R(w.cbo, 0x04), FAKE_R(w.cbo, 0x10));
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 0U);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), 0U);
	KUNIT_EXPECT_NULL(test, fake_record(w.ctx->ring));
}

/* Another session's context is scanned ten seconds after its own START. */
static void scan_of_each_context_has_its_own_period(struct kunit *test)
{
	struct ucore_session *other = fake_session(test);
	struct watched w;

	watched_init(test, &w, 0);
	fake_clock_advance(SCAN_NS / 2);
	KUNIT_ASSERT_EQ(test, fake_add(other, fake_box(test, 0, "imc", 1), 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	fake_clock_advance(SCAN_NS / 2);
	fake_bus_clear(bus_of(test));
	fake_timer_fire(&w.ctx->domain->watchdog);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w.imc, 'R'), 3U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test),
					     fake_window(fake_box(test, 0, "imc", 1)), 'R'), 0U);
}

/* An earlier run of the watchdog does not delay the scan. */
static void watchdog_runs_when_scan_is_due(struct kunit *test)
{
	struct watched w;
	u64 wait;

	watched_init(test, &w, 0);
	fake_clock_advance(SCAN_NS - 400 * NSEC_PER_MSEC);
	fake_timer_fire(&w.ctx->domain->watchdog);
	wait = w.ctx->domain->watchdog_at - ktime_get_mono_fast_ns();
	KUNIT_EXPECT_LE(test, wait, (u64)400 * NSEC_PER_MSEC);
	KUNIT_EXPECT_GT(test, wait, (u64)399 * NSEC_PER_MSEC);
}

/* Another program selects another event: counters of that box are flagged, others are not. */
static void changed_control_flags_its_box(struct kunit *test)
{
	struct watched w;

	watched_init(test, &w, 0);
	fake_poke(w.imc, CTL1, fake_peek(w.imc, CTL1) ^ 0x01);
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), (u32)UCORE_VALUE_F_CONFLICT);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 1), (u32)UCORE_VALUE_F_CONFLICT);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 2), 0U);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 1U);
	expect_gap(test, &w, w.ctx->box[0].box);
	KUNIT_EXPECT_EQ(test, w.ctx->box[1].box->selftest.found & UCORE_FOUND_CONFLICT, 0U);

	/* the conflict is counted again, without a second record */
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 2U);
	KUNIT_EXPECT_NULL(test, fake_record(w.ctx->ring));
}

/*
 * After some boxes the scan yields the CPU. The rest follows later and counts as the same
 * scan.
 */
static void long_scan_is_split(struct kunit *test)
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
	fake_clock_advance(SCAN_NS);
	fake_timer_fire(&domain->watchdog);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), imc[i], 'R'), 5U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(cbo), 'R'), 0U);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 1U);
	KUNIT_EXPECT_LE(test, domain->watchdog_at - ktime_get_mono_fast_ns(), (u64)NSEC_PER_MSEC);

	/* boxes already scanned are next scanned in ten seconds */
	fake_poke(imc[0], CTL0, 0);
	fake_bus_clear(bus_of(test));
	fake_clock_advance(NSEC_PER_MSEC);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(cbo), 'R'), 2U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), imc[0], 'R'), 0U);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 1U);
	KUNIT_EXPECT_GT(test, domain->watchdog_at - ktime_get_mono_fast_ns(), (u64)NSEC_PER_MSEC);
	fake_clock_advance(SCAN_NS / 2);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 1U);
}

/* If the scans of two contexts are due, the second one follows a moment later. */
static void scans_of_two_sessions_alternate(struct kunit *test)
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
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w.imc, 'R') +
			fake_bus_count(bus_of(test), imc1, 'R'), 3U);
	KUNIT_EXPECT_LE(test, domain->watchdog_at - ktime_get_mono_fast_ns(), (u64)NSEC_PER_MSEC);
	fake_clock_advance(NSEC_PER_MSEC);
	fake_timer_fire(&domain->watchdog);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w.imc, 'R'), 3U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), imc1, 'R'), 2U);
}

/* RESET clears the flag, but the next scan sets it again until START programs the control. */
static void conflict_flag_lasts_until_reset_and_start(struct kunit *test)
{
	struct watched w;

	watched_init(test, &w, 0);
	fake_poke(w.imc, CTL0, 0);
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), (u32)UCORE_VALUE_F_CONFLICT);
	KUNIT_ASSERT_EQ(test, session_reset(w.s), 0);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), 0U);
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), (u32)UCORE_VALUE_F_CONFLICT);
	fake_stop(w.s);
	KUNIT_ASSERT_EQ(test, session_reset(w.s), 0);
	KUNIT_ASSERT_EQ(test, fake_start(w.s), 0);
	w.ctx = w.s->ctx[0];
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), 0U);
}

/* Another program freezes a box, before the first scan or after it. */
static void changed_box_control_is_reported(struct kunit *test)
{
	struct watched w;
	u64 run;

	watched_init(test, &w, 0);
	run = fake_peek(w.imc, BOX_CTL);
	fake_poke(w.imc, BOX_CTL, run | BIT(8));
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 1U);
	expect_gap(test, &w, w.ctx->box[0].box);
	fake_poke(w.imc, BOX_CTL, run);
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 1U);
	fake_poke(w.imc, BOX_CTL, run ^ BIT(16));	/* no freeze bit, but a changed value */
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 2U);
}

/* Another program clears the PMI route: all counters of the domain are flagged. */
static void changed_global_control_flags_all_boxes(struct kunit *test)
{
	struct watched w;

	watched_init(test, &w, 100);
	fake_poke(w.gw, GLOBAL_CTL, 0);
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), (u32)UCORE_VALUE_F_CONFLICT);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 2), (u32)UCORE_VALUE_F_CONFLICT);
	expect_gap(test, &w, w.ctx->box[0].box);
	expect_gap(test, &w, w.ctx->box[1].box);
}

/* The watchdog finds a conflict, and a work logs the first one of each domain. */
static void first_conflict_is_logged_by_a_work(struct kunit *test)
{
	struct ucore_domain *domain;
	struct watched w;

	watched_init(test, &w, 0);
	domain = w.ctx->domain;
	KUNIT_EXPECT_NULL(test, domain->conflict);
	fake_poke(w.cbo, 0x10, 0);
	run_scan(&w);
	KUNIT_EXPECT_PTR_EQ(test, domain->conflict, w.ctx->box[1].box);
	flush_work(&domain->conflict_log);
	KUNIT_EXPECT_FALSE(test, fake_kernel.printed_in_irq);

	/* a second conflict on another box is not logged */
	fake_poke(w.imc, CTL0, 0);
	run_scan(&w);
	KUNIT_EXPECT_PTR_EQ(test, domain->conflict, w.ctx->box[1].box);
	KUNIT_EXPECT_FALSE(test, work_pending(&domain->conflict_log));
}

/* Bits that the self-test found missing are ignored. */
static void missing_control_bits_are_ignored(struct kunit *test)
{
	struct watched w;

	watched_init(test, &w, 0);
	w.ctx->box[0].box->selftest.missing = 0x01;
	fake_poke(w.imc, CTL1, fake_peek(w.imc, CTL1) ^ 0x01);
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 0U);
}

/* All ones are not a control value: the box is dead, which a read of its counters finds. */
static void dead_box_is_no_conflict(struct kunit *test)
{
	struct watched w;

	watched_init(test, &w, 0);
	w.imc->dead = true;
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 0U);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), (u32)UCORE_VALUE_F_DEAD);
	fake_bus_clear(bus_of(test));
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w.cbo, 'R'), 2U);
}

/* A freeze by ucore itself is no conflict. */
static void frozen_domain_is_not_scanned(struct kunit *test)
{
	struct ucore_domain *domain;
	struct watched w;

	watched_init(test, &w, 0);
	domain = w.ctx->domain;
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	fake_clock_advance(SCAN_NS);
	fake_bus_clear(bus_of(test));
	ucore_conflict_scan(domain, ktime_get_mono_fast_ns());
	FAKE_EXPECT_NONE(test, bus_of(test));
	ucore_unfreeze_domain(domain, false);
	ucore_conflict_scan(domain, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), w.imc, 'R'), 3U);
	KUNIT_EXPECT_EQ(test, session_status(w.s).conflicts, 0U);
}

/*
 * The enables of a fixed counter are checked unless the self-test found that they do not read
 * back.
 */
static void changed_fixed_control_is_reported(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 1);
	struct ucore_session *s = fake_session_config(test, &ring);
	u16 reg = box->desc.layout->fixed_ctl[0];
	struct watched w;

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0, BIT(UCORE_COUNTER_FIXED), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	w = (struct watched){ .s = s, .ctx = s->ctx[0] };
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 0U);
	fake_poke(fake_window(box), reg, 0);
	box->selftest.failed = UCORE_SELFTEST_FIXED_CONTROL;
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 0U);
	box->selftest.failed = 0;
	run_scan(&w);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 1U);
	KUNIT_EXPECT_EQ(test, flags_of(test, &w, 0), (u32)UCORE_VALUE_F_CONFLICT);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(scan_reads_each_control_once),
	KUNIT_CASE(scan_of_each_context_has_its_own_period),
	KUNIT_CASE(watchdog_runs_when_scan_is_due),
	KUNIT_CASE(long_scan_is_split),
	KUNIT_CASE(scans_of_two_sessions_alternate),
	KUNIT_CASE(changed_control_flags_its_box),
	KUNIT_CASE(changed_fixed_control_is_reported),
	KUNIT_CASE(conflict_flag_lasts_until_reset_and_start),
	KUNIT_CASE(changed_box_control_is_reported),
	KUNIT_CASE(changed_global_control_flags_all_boxes),
	KUNIT_CASE(first_conflict_is_logged_by_a_work),
	KUNIT_CASE(missing_control_bits_are_ignored),
	KUNIT_CASE(dead_box_is_no_conflict),
	KUNIT_CASE(frozen_domain_is_not_scanned),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_conflict",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
