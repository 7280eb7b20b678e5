// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the self-test of a new box: what it checks, the findings on faulty hardware,
 * and that it runs once.
 */
#include "selftest/selftest.h"
#include "fake_machine.h"

#define FIXED		BIT_ULL(UCORE_COUNTER_FIXED)
#define EN		BIT(22)
#define OV_EN		BIT(20)
#define RUN		0x30000	/* box control */

#define ALL_OF_IMC	(UCORE_SELFTEST_WIDTH | UCORE_SELFTEST_FIXED_WIDTH | \
			 UCORE_SELFTEST_CONTROL | UCORE_SELFTEST_FIXED_CONTROL | \
			 UCORE_SELFTEST_RUN | \
			 UCORE_SELFTEST_GLOBAL_FREEZE | UCORE_SELFTEST_BOX_FREEZE)

/* Return an untested box whose clock runs, on a machine with a global freeze. */
static struct ucore_box *new_box(struct kunit *test, const char *type)
{
	struct ucore_box *box = fake_box(test, 0, type, 0);
	struct fake_window *win = fake_window(box);

	box->selftest = (struct ucore_selftest){ };
	win->die = fake_global(0);
	win->bus->clocked = win;
	ucore_catalog.caps = UCORE_CAP_GLOBAL_FREEZE;
	fake_bus_clear(bus_of(test));
	return box;
}

/* Add an event: the first one on a box runs the self-test. */
static int add_event(struct kunit *test, struct ucore_box *box, u64 period)
{
	return fake_add(fake_session(test), box, 4, 0, period, NULL);
}

/* Check the reason that GET_INFO reports, including the name of the box. */
static void expect_reason(struct kunit *test, const char *text)
{
	KUNIT_ASSERT_NOT_NULL(test, ucore_catalog.failed);
	KUNIT_EXPECT_NOT_NULL(test, strstr(ucore_catalog.failed, "imc0 of die 0: "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(ucore_catalog.failed, text));
}

static void selftest_of_good_box_passes(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");
	u32 caps = box->caps;

	KUNIT_ASSERT_EQ(test, add_event(test, box, 0), 0);
	KUNIT_EXPECT_EQ(test, box->selftest.tested, (u32)ALL_OF_IMC);
	KUNIT_EXPECT_EQ(test, box->selftest.failed, 0U);
	KUNIT_EXPECT_EQ(test, box->selftest.found, box->selftest.found & UCORE_FOUND_HYPERVISOR);
	KUNIT_EXPECT_EQ(test, (u32)box->selftest.width, 48U);
	KUNIT_EXPECT_EQ(test, (u32)box->selftest.fixed_width, 48U);
	KUNIT_EXPECT_EQ(test, box->caps, caps);
	KUNIT_EXPECT_STREQ(test, ucore_selftest_reason(&box->selftest), "");
	KUNIT_EXPECT_NULL(test, ucore_catalog.failed);
	KUNIT_EXPECT_EQ(test, ucore_catalog.caps, (u32)UCORE_CAP_GLOBAL_FREEZE);
}

static void selftest_restores_registers(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");
	struct fake_window *win = fake_window(box);
	const struct ucore_layout *layout = box->desc.layout;
	u32 i;

	fake_poke(win, layout->ctr[1], 77);
	KUNIT_ASSERT_EQ(test, add_event(test, box, 0), 0);
	for (i = 0; i < box->desc.type->nr_gp; i++) {
		KUNIT_EXPECT_EQ(test, fake_peek(win, layout->ctl[i]), 0ULL);
		KUNIT_EXPECT_EQ(test, fake_peek(win, layout->ctr[i]), 0ULL);
	}
	KUNIT_EXPECT_EQ(test, fake_peek(win, layout->fixed_ctl[0]), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(win, layout->fixed_ctr[0]), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(win, layout->box_ctl), (u64)RUN);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_FALSE(test, box->dirty);
	KUNIT_EXPECT_FALSE(test, box->domain->acquired);
	KUNIT_EXPECT_EQ(test, box->domain->freeze_count, 0U);
}

static void selftest_runs_once(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, box->selftest.reads + box->selftest.writes,
			fake_bus_count(bus_of(test), NULL, 0));
	fake_session_close(test, s);
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_EQ(test, add_event(test, box, 0), 0);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* START writes the same registers with and without a self-test before it. */
static void start_after_selftest_has_same_accesses(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");
	struct ucore_session *s = fake_session(test);
	u32 reads, writes;

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, 0, 0, NULL), 0);
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	reads = fake_bus_count(bus_of(test), NULL, 'R');
	writes = fake_bus_count(bus_of(test), NULL, 'W');
	fake_session_close(test, s);

	box = fake_box(test, 0, "imc", 1);
	s = fake_session(test);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, 0, 0, NULL), 0);
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, reads, fake_bus_count(bus_of(test), NULL, 'R'));
	KUNIT_EXPECT_EQ(test, writes, fake_bus_count(bus_of(test), NULL, 'W'));
}

/* A write of a reserved bit faults on an MSR. */
static void selftest_writes_no_bits_above_the_width(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "cbo");

	fake_window(box)->reserved = GENMASK_ULL(63, 44);
	KUNIT_ASSERT_EQ(test, add_event(test, box, 0), 0);
	KUNIT_EXPECT_EQ(test, box->selftest.failed, 0U);
	KUNIT_EXPECT_EQ(test, (u32)box->selftest.width, 44U);
}

static void narrow_counters_are_detected(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");

	fake_window(box)->width = 40;
	KUNIT_EXPECT_EQ(test, add_event(test, box, BIT_ULL(45)), -ERANGE);
	KUNIT_EXPECT_EQ(test, box->selftest.failed,
			(u32)(UCORE_SELFTEST_WIDTH | UCORE_SELFTEST_FIXED_WIDTH));
	KUNIT_EXPECT_EQ(test, (u32)ucore_box_width(box, false), 40U);
	KUNIT_EXPECT_EQ(test, (u32)ucore_box_width(box, true), 40U);
	KUNIT_EXPECT_NE(test, (int)*ucore_selftest_reason(&box->selftest), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&box->claims));
	KUNIT_EXPECT_EQ(test, add_event(test, box, BIT_ULL(35)), 0);
}

static void box_that_drops_values_is_refused(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");

	fake_window(box)->drops_values = true;
	KUNIT_EXPECT_EQ(test, add_event(test, box, 0), -ENODEV);
	KUNIT_EXPECT_TRUE(test, ucore_selftest_failed(box));
	KUNIT_EXPECT_EQ(test, box->selftest.width, (u8)0);
	KUNIT_EXPECT_FALSE(test, box->selftest.tested & UCORE_SELFTEST_RUN);
	KUNIT_EXPECT_TRUE(test, list_empty(&box->claims));
	fake_bus_clear(bus_of(test));
	KUNIT_EXPECT_EQ(test, add_event(test, box, 0), -ENODEV);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static void missing_overflow_enable_clears_capability(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");
	struct ucore_session *s = fake_session(test);
	const struct ucore_add_event add = {
		.box = box->id, .period = 1000000, .flags = UCORE_EVENT_F_NO_POLL,
	};
	struct ucore_add_event out = add;

	fake_window(box)->ctl_absent = OV_EN;
	mutex_lock(&s->lock);
	KUNIT_EXPECT_EQ(test, ucore_session_add_event(s, &out, NULL), -EOPNOTSUPP);
	mutex_unlock(&s->lock);
	KUNIT_EXPECT_EQ(test, box->selftest.missing, (u32)OV_EN);
	KUNIT_EXPECT_EQ(test, box->caps & (UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW), 0U);
	KUNIT_EXPECT_EQ(test, box->selftest.failed,
			(u32)(UCORE_SELFTEST_CONTROL | UCORE_SELFTEST_FIXED_CONTROL));
}

static void event_with_missing_bits_is_flagged(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");
	struct ucore_session *s = fake_session(test);

	fake_window(box)->ctl_absent = BIT(2);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 3, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_TRUE(test, s->first->ctr[0].flags & UCORE_VALUE_F_PARTIAL);
	KUNIT_EXPECT_FALSE(test, s->first->ctr[1].flags & UCORE_VALUE_F_PARTIAL);
}

static void ineffective_global_freeze_is_reported(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");
	struct ucore_session *s = fake_session(test);

	fake_window(box)->die = NULL;
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, box->selftest.failed, (u32)UCORE_SELFTEST_GLOBAL_FREEZE);
	KUNIT_EXPECT_EQ(test, ucore_catalog.caps & UCORE_CAP_GLOBAL_FREEZE, 0U);
	expect_reason(test, "the die's freeze does not stop it");
	KUNIT_EXPECT_TRUE(test, box->caps & UCORE_BOX_F_FREEZE);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_TRUE(test, s->first->ctr[0].flags & UCORE_VALUE_F_UNFROZEN);
}

static void ineffective_box_freeze_clears_capability(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.flags = UCORE_SESSION_F_BOX_FREEZE });

	fake_window(box)->ignores_freeze = true;
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, box->selftest.failed, (u32)UCORE_SELFTEST_BOX_FREEZE);
	KUNIT_EXPECT_FALSE(test, box->caps & UCORE_BOX_F_FREEZE);
	KUNIT_EXPECT_EQ(test, ucore_catalog.caps, (u32)UCORE_CAP_GLOBAL_FREEZE);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_TRUE(test, s->first->ctr[0].flags & UCORE_VALUE_F_UNFROZEN);
}

/* Without a running clock a stop cannot be observed. */
static void stopped_clock_skips_freeze_tests(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");

	bus_of(test)->clocked = NULL;
	KUNIT_ASSERT_EQ(test, add_event(test, box, 0), 0);
	KUNIT_EXPECT_EQ(test, box->selftest.failed, (u32)UCORE_SELFTEST_RUN);
	KUNIT_EXPECT_FALSE(test, box->selftest.tested & UCORE_SELFTEST_GLOBAL_FREEZE);
	KUNIT_EXPECT_FALSE(test, box->selftest.tested & UCORE_SELFTEST_BOX_FREEZE);
}

/* The self-test must not freeze a domain on which another session runs. */
static void selftest_next_to_running_session_does_not_freeze(struct kunit *test)
{
	struct ucore_session *other = fake_session(test);
	struct ucore_box *box;
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(other, fake_box(test, 0, "ha", 0), 1, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	box = new_box(test, "imc");
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_global(0), 0), 0U);
	KUNIT_EXPECT_TRUE(test, box->selftest.tested & UCORE_SELFTEST_WIDTH);
	KUNIT_EXPECT_FALSE(test, box->selftest.tested & UCORE_SELFTEST_RUN);

	/* tests that need no freeze run once, not again for the next session */
	fake_session_close(test, s);
	fake_bus_clear(bus_of(test));
	s = fake_session(test);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, 0, 0, NULL), 0);
	FAKE_EXPECT_NONE(test, bus_of(test));

	fake_session_close(test, s);
	fake_stop(other);
	KUNIT_ASSERT_EQ(test, add_event(test, box, 0), 0);
	KUNIT_EXPECT_EQ(test, box->selftest.tested, (u32)ALL_OF_IMC);
}

static void enabled_controls_before_selftest_are_reported(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");

	fake_poke(fake_window(box), box->desc.layout->ctl[2], EN | 4);
	fake_poke(fake_global(0), GLOBAL_CTL, BIT(0));
	KUNIT_ASSERT_EQ(test, add_event(test, box, 0), 0);
	KUNIT_EXPECT_EQ(test, box->selftest.found & ~UCORE_FOUND_HYPERVISOR,
			(u32)(UCORE_FOUND_CONTROL | UCORE_FOUND_GLOBAL));
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), BIT_ULL(0));
}

static void selftest_of_box_without_box_control_passes(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "ubox");
	struct fake_window *win = fake_window(box);

	KUNIT_ASSERT_EQ(test, fake_add(fake_session(test), box, 0x42, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, box->selftest.failed, 0U);
	KUNIT_EXPECT_EQ(test, box->selftest.tested, (u32)(ALL_OF_IMC & ~UCORE_SELFTEST_BOX_FREEZE));
	KUNIT_EXPECT_EQ(test, fake_peek(win, box->desc.layout->fixed_ctl[0]), 0ULL);
}

static void box_dying_in_selftest_is_not_failed(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");

	fake_window(box)->dies_after = 20;
	add_event(test, box, 0);
	KUNIT_EXPECT_EQ(test, box->selftest.tested, 0U);
	KUNIT_EXPECT_FALSE(test, ucore_selftest_failed(box));
}

/* In a virtual machine the reason names the hypervisor. */
static void dropped_values_in_vm_name_the_hypervisor(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");

	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_HYPERVISOR);
	fake_window(box)->drops_values = true;
	KUNIT_EXPECT_EQ(test, add_event(test, box, 0), -ENODEV);
	KUNIT_EXPECT_EQ(test, box->selftest.found, (u32)UCORE_FOUND_HYPERVISOR);
	KUNIT_EXPECT_STREQ(test, ucore_selftest_reason(&box->selftest),
			   "its registers do not keep what is written: a hypervisor ignores it");
}

/* ---- trial of a reserved overflow enable ---- */

#define CBO0	BIT_ULL(3)	/* global status */

static bool *try_overflow(void)
{
	return fake_param("try_overflow");
}

static void reserved_overflow_enable_is_not_written_by_default(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "cbo");

	fake_window(box)->ov_try_sets = CBO0;
	KUNIT_ASSERT_EQ(test, add_event(test, box, 0), 0);
	KUNIT_EXPECT_FALSE(test, box->selftest.tested & UCORE_SELFTEST_OVERFLOW);
	KUNIT_EXPECT_FALSE(test, box->selftest.found & UCORE_FOUND_OVERFLOW);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_STATUS), 0ULL);
}

/* Run the self-test of a box with the trial, and check that it leaves no trace. */
static void trial(struct kunit *test, struct ucore_box *box)
{
	struct fake_window *win = fake_window(box);
	u32 caps = box->caps;

	*try_overflow() = true;
	KUNIT_EXPECT_EQ(test, add_event(test, box, 0), 0);
	*try_overflow() = false;
	KUNIT_EXPECT_EQ(test, box->selftest.failed, 0U);
	KUNIT_EXPECT_EQ(test, box->caps, caps);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_STATUS), 0ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_EQ(test, box->domain->freeze_count, 0U);
	KUNIT_EXPECT_EQ(test, fake_peek(win, box->desc.layout->ctl[0]), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(win, box->desc.layout->ctr[0]), 0ULL);
}

static void working_reserved_overflow_enable_is_found(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "cbo");

	fake_window(box)->ov_try_sets = CBO0;
	trial(test, box);
	KUNIT_EXPECT_TRUE(test, box->selftest.tested & UCORE_SELFTEST_OVERFLOW);
	KUNIT_EXPECT_TRUE(test, box->selftest.found & UCORE_FOUND_OVERFLOW);
	KUNIT_EXPECT_EQ(test, box->selftest.missing, 0U);
}

static void reserved_overflow_enable_without_effect_is_not_found(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "cbo");

	trial(test, box);
	KUNIT_EXPECT_TRUE(test, box->selftest.tested & UCORE_SELFTEST_OVERFLOW);
	KUNIT_EXPECT_FALSE(test, box->selftest.found & UCORE_FOUND_OVERFLOW);
	KUNIT_EXPECT_EQ(test, box->selftest.missing, 0U);
}

static void faulting_reserved_overflow_enable_is_missing(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "cbo");

	fake_window(box)->reserved = OV_EN;
	fake_window(box)->width = 20;	/* or the counters would have the reserved bit, too */
	fake_window(box)->ov_try_sets = CBO0;
	*try_overflow() = true;
	add_event(test, box, 0);
	*try_overflow() = false;
	KUNIT_EXPECT_TRUE(test, box->selftest.tested & UCORE_SELFTEST_OVERFLOW);
	KUNIT_EXPECT_FALSE(test, box->selftest.found & UCORE_FOUND_OVERFLOW);
	KUNIT_EXPECT_EQ(test, box->selftest.missing, (u32)OV_EN);
}

static void reserved_overflow_enable_of_irp_is_tried(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "irp");

	trial(test, box);
	KUNIT_EXPECT_TRUE(test, box->selftest.tested & UCORE_SELFTEST_OVERFLOW);
	box = new_box(test, "imc");
	trial(test, box);
	KUNIT_EXPECT_FALSE(test, box->selftest.tested & UCORE_SELFTEST_OVERFLOW);
}

/* The trial freezes the domain, which must not happen to another session. */
static void reserved_overflow_enable_is_tried_on_idle_domain_only(struct kunit *test)
{
	struct ucore_session *other = fake_session(test);
	struct ucore_box *box;

	KUNIT_ASSERT_EQ(test, fake_add(other, fake_box(test, 0, "ha", 0), 1, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	box = new_box(test, "cbo");
	trial(test, box);
	KUNIT_EXPECT_FALSE(test, box->selftest.tested & UCORE_SELFTEST_OVERFLOW);
	fake_stop(other);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(selftest_of_good_box_passes),
	KUNIT_CASE(selftest_restores_registers),
	KUNIT_CASE(selftest_runs_once),
	KUNIT_CASE(start_after_selftest_has_same_accesses),
	KUNIT_CASE(selftest_writes_no_bits_above_the_width),
	KUNIT_CASE(narrow_counters_are_detected),
	KUNIT_CASE(box_that_drops_values_is_refused),
	KUNIT_CASE(dropped_values_in_vm_name_the_hypervisor),
	KUNIT_CASE(missing_overflow_enable_clears_capability),
	KUNIT_CASE(event_with_missing_bits_is_flagged),
	KUNIT_CASE(ineffective_global_freeze_is_reported),
	KUNIT_CASE(ineffective_box_freeze_clears_capability),
	KUNIT_CASE(stopped_clock_skips_freeze_tests),
	KUNIT_CASE(selftest_next_to_running_session_does_not_freeze),
	KUNIT_CASE(enabled_controls_before_selftest_are_reported),
	KUNIT_CASE(selftest_of_box_without_box_control_passes),
	KUNIT_CASE(box_dying_in_selftest_is_not_failed),
	KUNIT_CASE(reserved_overflow_enable_is_not_written_by_default),
	KUNIT_CASE(working_reserved_overflow_enable_is_found),
	KUNIT_CASE(reserved_overflow_enable_without_effect_is_not_found),
	KUNIT_CASE(faulting_reserved_overflow_enable_is_missing),
	KUNIT_CASE(reserved_overflow_enable_of_irp_is_tried),
	KUNIT_CASE(reserved_overflow_enable_is_tried_on_idle_domain_only),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_selftest",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

/* ---- E5-2600: only box controls freeze the boxes ---- */

static void selftest_without_global_control_passes(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "cbo");

	fake_window(box)->die = NULL;
	KUNIT_ASSERT_EQ(test, fake_add(fake_session(test), box, 0, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, box->selftest.failed, 0U);
	KUNIT_EXPECT_EQ(test, box->selftest.tested,
			(u32)(UCORE_SELFTEST_WIDTH | UCORE_SELFTEST_CONTROL |
			      UCORE_SELFTEST_RUN | UCORE_SELFTEST_BOX_FREEZE));
}

static struct kunit_case v1_cases[] = {
	KUNIT_CASE(selftest_without_global_control_passes),
	{ }
};

static struct kunit_suite v1_suite = {
	.name = "ucore_selftest_v1",
	.init = fake_machine_init_v1,
	.exit = fake_machine_exit,
	.test_cases = v1_cases,
};

/* ---- Alder Lake: only its box control freezes a memory controller ---- */

#define ALL_OF_APART	(UCORE_SELFTEST_WIDTH | UCORE_SELFTEST_CONTROL | UCORE_SELFTEST_RUN | \
			 UCORE_SELFTEST_BOX_FREEZE)

static struct ucore_box *new_apart(struct kunit *test)
{
	struct ucore_box *box = new_box(test, "imc");

	KUNIT_ASSERT_NULL(test, box->desc.global);
	fake_window(box)->die = NULL;
	return box;
}

static void selftest_beside_the_global_control_passes(struct kunit *test)
{
	struct ucore_box *box = new_apart(test);

	KUNIT_ASSERT_EQ(test, fake_add(fake_session(test), box, 1, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, box->selftest.failed, 0U);
	KUNIT_EXPECT_EQ(test, box->selftest.tested, (u32)ALL_OF_APART);
	KUNIT_EXPECT_EQ(test, (u32)box->selftest.width, 64U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.caps, (u32)UCORE_CAP_GLOBAL_FREEZE);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(box), box->desc.layout->ctl[0]), 0ULL);
}

/* The freeze of the domain is not needed, so that a running session is not disturbed. */
static void selftest_beside_a_running_session_is_whole(struct kunit *test)
{
	struct ucore_session *running = fake_session(test);
	struct ucore_box *box = new_apart(test);
	u32 freezes;

	KUNIT_ASSERT_EQ(test, fake_add(running, fake_box(test, 0, "cbo", 0), 0x34, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(running), 0);
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_EQ(test, fake_add(fake_session(test), box, 1, 0, 0, NULL), 0);
	freezes = fake_bus_count(bus_of(test), fake_global(0), 'W');
	KUNIT_EXPECT_EQ(test, freezes, 0U);
	KUNIT_EXPECT_EQ(test, box->selftest.tested, (u32)ALL_OF_APART);
	KUNIT_EXPECT_EQ(test, box->selftest.failed, 0U);
	KUNIT_EXPECT_TRUE(test, box->selftest.done);
}

static void box_apart_without_freeze_is_found(struct kunit *test)
{
	struct ucore_box *box = new_apart(test);

	fake_window(box)->ignores_freeze = true;
	fake_add(fake_session(test), box, 1, 0, 0, NULL);
	KUNIT_EXPECT_EQ(test, box->selftest.failed, (u32)UCORE_SELFTEST_BOX_FREEZE);
}

static struct kunit_case apart_cases[] = {
	KUNIT_CASE(selftest_beside_the_global_control_passes),
	KUNIT_CASE(selftest_beside_a_running_session_is_whole),
	KUNIT_CASE(box_apart_without_freeze_is_found),
	{ }
};

static struct kunit_suite apart_suite = {
	.name = "ucore_selftest_apart",
	.init = fake_machine_init_adl,
	.exit = fake_machine_exit,
	.test_cases = apart_cases,
};

kunit_test_suites(&suite, &v1_suite, &apart_suite);
