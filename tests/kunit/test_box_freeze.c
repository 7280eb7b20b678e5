// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of sessions with box freeze: such a session freezes its boxes by their box
 * controls, and no other box.
 */
#include "fake_machine.h"

#define FIXED	BIT_ULL(UCORE_COUNTER_FIXED)
#define EN	BIT(22)
#define OV_EN	BIT(20)
#define IMC0	BIT_ULL(20)

/* Box control values of the E5-2600 v2 and of the E5-2600 */
#define FROZEN	0x30100
#define RUN	0x30000
#define RESET	0x30103
#define FROZEN1	0x10100
#define RUN1	0x10000

static struct ucore_session *box_session(struct kunit *test)
{
	return fake_session_config(test, &(struct ucore_create_session){
		.flags = UCORE_SESSION_F_BOX_FREEZE, .ring_size = 4096 });
}

/* Count the writes that freeze or unfreeze the die. */
static u32 global_freezes(struct kunit *test)
{
	struct fake_bus *bus = bus_of(test);
	u32 i, n = 0;

	for (i = 0; i < min_t(u32, bus->nr, FAKE_LOG); i++)
		n += bus->log[i].win == fake_global(0) && bus->log[i].op == 'W' &&
		     bus->log[i].reg == GLOBAL_CTL && (bus->log[i].val & (FREEZE | UNFREEZE));
	return n;
}

static void start_freezes_each_box_separately(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *r3 = fake_box(test, 0, "r3qpi", 0);
	struct fake_window *gw = fake_global(0), *m = fake_window(imc), *r = fake_window(r3);
	struct ucore_session *s = box_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, r3, 1, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_CTL), FAKE_R(gw, GLOBAL_STATUS),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE), FAKE_W(m, 0xf4, RESET),
		    FAKE_W(m, 0xf0, 0), FAKE_W(m, 0xd4, 0), FAKE_W(m, 0xd0, 0),
		    FAKE_R(m, 0xf8), FAKE_W(r, 0xf4, RESET), FAKE_R(r, 0xf8),
		    FAKE_W(m, 0xd8, EN | 4), FAKE_W(r, 0xdc, EN | 1), FAKE_W(m, 0xf4, RUN),
		    FAKE_W(r, 0xf4, RUN));
	KUNIT_EXPECT_FALSE(test, ucore_catalog.domains[0].frozen);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].freeze_count, 0U);
}

static void read_and_stop_do_not_write_global_control(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *cbo = fake_box(test, 0, "cbo", 0);
	struct fake_window *m = fake_window(imc), *c = fake_window(cbo);
	struct ucore_session *s = box_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, cbo, 0, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_bus_clear(bus_of(test));
	session_read(s, false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(m, 0xf4, FROZEN), FAKE_W(c, 0x04, FROZEN),
		    FAKE_R(m, 0xa0), FAKE_R(m, 0xa4), FAKE_R(c, 0x17), FAKE_W(m, 0xf4, RUN),
		    FAKE_W(c, 0x04, RUN));
	KUNIT_EXPECT_GT(test, s->domains[0].skew_ns, 0ULL);
	KUNIT_EXPECT_GT(test, s->domains[0].frozen_ns, s->domains[0].skew_ns);
	KUNIT_EXPECT_EQ(test, s->skew_ns, s->domains[0].skew_ns);
	session_reset(s);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(m, 0xf4, FROZEN), FAKE_W(c, 0x04, FROZEN),
		    FAKE_W(m, 0xa4, 0), FAKE_W(m, 0xa0, 0), FAKE_W(c, 0x17, 0),
		    FAKE_W(m, 0xf4, RUN), FAKE_W(c, 0x04, RUN));
	fake_stop(s);
	fake_session_close(test, s);
	KUNIT_EXPECT_EQ(test, global_freezes(test), 0U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].frozen_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(m, 0xd8), 0ULL);
}

static void stop_leaves_boxes_frozen_and_reset(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct fake_window *m = fake_window(imc);
	struct ucore_session *s = box_session(test), *other = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(other, fake_box(test, 0, "ha", 0), 1, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_bus_clear(bus_of(test));
	fake_stop(s);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(m, 0xf4, FROZEN), FAKE_R(m, 0xa0),
		    FAKE_R(m, 0xa4), FAKE_W(m, 0xf4, RESET));
}

/* A session's running time excludes the freezes of its boxes, and no other ones. */
static void running_time_excludes_only_own_freezes(struct kunit *test)
{
	struct ucore_session *s = box_session(test), *other = fake_session(test);
	u64 others, mine;

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(other, fake_box(test, 0, "ha", 0), 1, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	others = ucore_catalog.domains[0].frozen_ns;
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->domains[0].time_running, s->domains[0].time_enabled);
	mine = s->domains[0].frozen_ns;
	KUNIT_EXPECT_GT(test, mine, 0ULL);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].frozen_ns, others);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->domains[0].time_enabled - s->domains[0].time_running, mine);
	session_read(other, false);
	KUNIT_EXPECT_EQ(test, other->domains[0].time_running, other->domains[0].time_enabled);
	others = other->domains[0].frozen_ns;
	mine += s->domains[0].frozen_ns;
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->domains[0].time_enabled - s->domains[0].time_running,
			mine + others);
}

/* Counters without a box control are enabled last, and flagged. */
static void box_without_box_control_is_flagged_unfrozen(struct kunit *test)
{
	struct ucore_box *ubox = fake_box(test, 0, "ubox", 0);
	struct fake_window *u = fake_window(ubox);
	struct ucore_session *s = box_session(test);
	const struct fake_access *last;

	KUNIT_ASSERT_EQ(test, fake_add(s, ubox, 0x41, BIT(0), 1000, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	last = &bus_of(test)->log[bus_of(test)->nr - 1];
	KUNIT_EXPECT_PTR_EQ(test, last->win, u);
	KUNIT_EXPECT_EQ(test, last->reg, 0xc10U);
	KUNIT_EXPECT_EQ(test, last->val, (u64)(EN | OV_EN | 0x41));
	KUNIT_EXPECT_EQ(test, last[-1].val, BIT_ULL(44) - 1000);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_UNFROZEN);
	KUNIT_EXPECT_EQ(test, s->domains[0].skew_ns, 0ULL);
}

/* RESET does not write to a running counter: one with a period is disabled for the write. */
static void reset_of_unfrozen_counter_disables_it(struct kunit *test)
{
	struct ucore_box *ubox = fake_box(test, 0, "ubox", 0);
	struct fake_window *u = fake_window(ubox);
	struct ucore_session *s = box_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, ubox, 0x41, BIT(0), 1000, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, ubox, 0, FIXED, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(u, 0xc09, 500);
	fake_bus_clear(bus_of(test));
	session_reset(s);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(u, 0xc10, 0), FAKE_W(u, 0xc16, BIT_ULL(44) - 1000),
		    FAKE_W(u, 0xc10, EN | OV_EN | 0x41), FAKE_R(u, 0xc09));
	fake_poke(u, 0xc09, 507);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 7ULL);
}

/* An overflow freezes the die. A READ with box freeze leaves the overflow to the PMI. */
static void read_with_pending_overflow_leaves_it_to_the_pmi(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct fake_window *gw = fake_global(0);
	struct ucore_session *s = box_session(test), *other = fake_session(test);
	const struct ucore_sample *sample;

	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_overflow(imc, 0xa0, 2, BIT(1), IMC0);
	session_read(s, false);
	KUNIT_EXPECT_TRUE(test, gw->frozen);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_STATUS), IMC0);
	KUNIT_EXPECT_NULL(test, fake_record(ucore_session_ctx(s, 0)->ring));

	KUNIT_ASSERT_EQ(test, fake_add(other, fake_box(test, 0, "ha", 0), 1, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	session_read(other, false);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	sample = fake_record(ucore_session_ctx(s, 0)->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 102ULL);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, (u32)UCORE_VALUE_F_OVERFLOW);
}

/* Without the service in STOP the die would stay frozen for all sessions. */
static void stop_with_pending_overflow_services_it(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct fake_window *gw = fake_global(0), *m = fake_window(imc);
	struct ucore_session *s = box_session(test), *other = fake_session(test);
	const struct ucore_sample *sample;

	KUNIT_ASSERT_EQ(test, fake_add(other, fake_box(test, 0, "ha", 0), 1, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_overflow(imc, 0xa0, 2, BIT(1), IMC0);
	fake_stop(s);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_STATUS), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(m, 0xf8), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(m, 0xd8), 0ULL);
	KUNIT_EXPECT_FALSE(test, ucore_catalog.domains[0].frozen);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].freeze_count, 0U);
	sample = fake_record(ucore_session_ctx(s, 0)->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 102ULL);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, (u32)UCORE_VALUE_F_OVERFLOW);
}

/* A left-over freeze is not visible in any register. START with box freeze ends it as well. */
static void start_ends_a_left_over_freeze(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_session *s = box_session(test), *more = box_session(test);

	gw->frozen = true;
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	/* from here on a freeze may be due to the first session's overflow, and stays */
	gw->frozen = true;
	KUNIT_ASSERT_EQ(test, fake_add(more, fake_box(test, 0, "ha", 0), 1, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(more), 0);
	KUNIT_EXPECT_TRUE(test, gw->frozen);
}

/* The die is frozen already: the boxes are not unfrozen by their box controls. */
static void read_of_frozen_die_keeps_it_frozen(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_session *s = box_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	fake_bus_clear(bus_of(test));
	session_read(s, false);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(fake_window(imc), 0xa0),
		    FAKE_R(fake_window(imc), 0xa4));
	KUNIT_EXPECT_TRUE(test, domain->frozen);
	raw_spin_lock_irq(&domain->lock);
	ucore_unfreeze_domain(domain, true);
	raw_spin_unlock_irq(&domain->lock);
}

static void timer_sample_freezes_only_its_boxes(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct fake_window *m = fake_window(imc);
	const struct ucore_sample *sample;
	struct ucore_session *s;

	s = fake_session_config(test, &(struct ucore_create_session){
		.flags = UCORE_SESSION_F_BOX_FREEZE, .ring_size = 4096,
		.timer_ns = NSEC_PER_MSEC });
	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(m, 0xa0, 77);
	fake_bus_clear(bus_of(test));
	fake_timer_fire(&ucore_session_ctx(s, 0)->timer);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(m, 0xf4, FROZEN), FAKE_R(m, 0xa0),
		    FAKE_R(m, 0xa4), FAKE_W(m, 0xf4, RUN));
	sample = fake_record(ucore_session_ctx(s, 0)->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 77ULL);
	KUNIT_EXPECT_EQ(test, sample->skew_ns, 0ULL);
	KUNIT_EXPECT_GT(test, sample->frozen_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, sample->time_running, sample->time_enabled);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(start_freezes_each_box_separately),
	KUNIT_CASE(read_and_stop_do_not_write_global_control),
	KUNIT_CASE(stop_leaves_boxes_frozen_and_reset),
	KUNIT_CASE(running_time_excludes_only_own_freezes),
	KUNIT_CASE(box_without_box_control_is_flagged_unfrozen),
	KUNIT_CASE(reset_of_unfrozen_counter_disables_it),
	KUNIT_CASE(read_with_pending_overflow_leaves_it_to_the_pmi),
	KUNIT_CASE(stop_with_pending_overflow_services_it),
	KUNIT_CASE(start_ends_a_left_over_freeze),
	KUNIT_CASE(read_of_frozen_die_keeps_it_frozen),
	KUNIT_CASE(timer_sample_freezes_only_its_boxes),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_box_freeze",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

/* ---- E5-2600: each session freezes its own boxes ---- */

static void v1_box_freeze_freezes_only_own_boxes(struct kunit *test)
{
	struct fake_window *m = fake_window(fake_box(test, 0, "imc", 0));
	struct fake_window *h = fake_window(fake_box(test, 0, "ha", 0));
	struct ucore_session *s = box_session(test), *other = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(other, fake_box(test, 0, "ha", 0), 1, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, BIT(0), 0, NULL), 0);
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), h, 0), 0U);
	fake_bus_clear(bus_of(test));
	session_read(s, false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(m, 0xf4, FROZEN1), FAKE_R(m, 0xa0),
		    FAKE_R(m, 0xa4), FAKE_W(m, 0xf4, RUN1));
	session_read(other, false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(h, 0xf4, FROZEN1), FAKE_W(m, 0xf4, FROZEN1),
		    FAKE_R(h, 0xa0), FAKE_R(h, 0xa4), FAKE_W(h, 0xf4, RUN1),
		    FAKE_W(m, 0xf4, RUN1));
}

static struct kunit_case v1_cases[] = {
	KUNIT_CASE(v1_box_freeze_freezes_only_own_boxes),
	{ }
};

static struct kunit_suite v1_suite = {
	.name = "ucore_box_freeze_v1",
	.init = fake_machine_init_v1,
	.exit = fake_machine_exit,
	.test_cases = v1_cases,
};

kunit_test_suites(&suite, &v1_suite);
