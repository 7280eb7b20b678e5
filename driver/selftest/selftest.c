// SPDX-License-Identifier: GPL-2.0-only
/*
 * Self-tests of boxes. A box is tested once, before a session counts with it. The box must work as
 * described by its manual, its static table or its discovery record.
 *
 * Owns the checks and the consequences of a failed check. A self-test runs with the domain's
 * lock held, on a CPU of the domain, with interrupts off. The box is stopped afterwards, and
 * the domain is restored as found.
 *
 * If no session runs on the domain, the domain is frozen except for the short times in which a
 * counter must count clocks. Otherwise only the box is accessed, and the freeze by the global
 * control is not tested. It is tested when a session next claims the box on an idle domain.
 *
 * Core boxes are not tested, because CPUID describes their counters, and find/core_cpuid.c
 * has read their registers.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/cpufeature.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>

#include "box/catalog.h"
#include "box/control_readback.h"
#include "box/freeze.h"
#include "selftest/clock.h"
#include "selftest/overflow_trial.h"
#include "selftest/selftest.h"

static bool try_overflow;
module_param(try_overflow, bool, 0444);
MODULE_PARM_DESC(try_overflow,
		 "let self-tests set a reserved bit of E5-2600 v2: the overflow enable of C-Box and IRP");

/* Record the result of a check. @held is true if the box behaved as described. */
static void record_check(struct ucore_box *box, u32 check, bool held)
{
	box->selftest.tested |= check;
	if (!held)
		box->selftest.failed |= check;
}

static void clear_caps(struct ucore_box *box, u32 caps)
{
	WRITE_ONCE(box->caps, box->caps & ~caps);
}

/*
 * ---- state before the self-test ----
 */

/* Return true if a global control of the domain was not zero before ucore's use. */
static bool found_global(const struct ucore_domain *domain)
{
	const struct ucore_control *c;
	u64 found = domain->found;

	ucore_domain_for_each_further(domain, c)
		found |= c->found;
	return found;
}

static void read_state(struct ucore_box *box)
{
	const struct ucore_layout *layout = box->desc.layout;
	u64 val;
	u32 i;

	for (i = 0; i < box->desc.type->nr_gp; i++) {
		val = ucore_box_read(box, layout->ctl[i]);
		if (val && val != UCORE_REG_DEAD)
			box->selftest.found |= UCORE_FOUND_CONTROL;
	}
	if (box->domain->acquired && found_global(box->domain))
		box->selftest.found |= UCORE_FOUND_GLOBAL;
	if (boot_cpu_has(X86_FEATURE_HYPERVISOR))
		box->selftest.found |= UCORE_FOUND_HYPERVISOR;
}

/*
 * ---- widths: write all ones and read back ----
 */

/*
 * Return the number of bits of a stopped counter that read back ones after a write of ones. 0
 * means that the counter retains no bit, or that the retained bits have a gap.
 */
static u8 width_shown(const struct ucore_box *box, u16 reg, u8 width)
{
	const struct ucore_io *io = &box->io;
	u64 val;

	io->ops->write64(io, reg, GENMASK_ULL(width - 1, 0));
	val = io->ops->read64(io, reg);
	io->ops->write64(io, reg, 0);
	return val & (val + 1) ? 0 : fls64(val);
}

static bool box_is_gone(struct ucore_box *box)
{
	u16 first = ucore_layout_first(box->desc.layout);

	return ucore_box_read(box, first) == UCORE_REG_DEAD;
}

/*
 * Test the widths of several counters against @width, the width of the box type (bits). Return
 * the smallest width found (bits). @least is a smaller width that another source states and that
 * also passes the check, or 0. A counter may refuse a write beyond its width. Then @least is
 * tested.
 */
static u8 test_widths(struct ucore_box *box, const u16 *reg, u32 nr, u8 width, u8 least,
		      u32 check)
{
	u8 shown = width, one;
	u32 i;

	for (i = 0; i < nr; i++) {
		one = width_shown(box, reg[i], width);
		if (!one && least)
			one = width_shown(box, reg[i], least);
		shown = min(shown, one);
	}
	record_check(box, check, shown == width || (least && shown == least));
	return shown;
}

static void test_box_widths(struct ucore_box *box)
{
	const struct ucore_box_type *type = box->desc.type;
	const struct ucore_layout *layout = box->desc.layout;
	struct ucore_selftest *selftest = &box->selftest;

	if (type->nr_gp)
		selftest->width = test_widths(box, layout->ctr, type->nr_gp, type->width,
					      type->least_width, UCORE_SELFTEST_WIDTH);
	/* Free-running counters have no control and must not be written. */
	if (type->nr_fixed && layout->fixed_ctl[0] != UCORE_REG_NONE)
		selftest->fixed_width = test_widths(box, layout->fixed_ctr, type->nr_fixed,
						    type->fixed_width, type->least_fixed_width,
						  UCORE_SELFTEST_FIXED_WIDTH);
	if (selftest->width)
		WRITE_ONCE(box->width, selftest->width);
	if (selftest->fixed_width)
		WRITE_ONCE(box->fixed_width, selftest->fixed_width);
}

/*
 * ---- controls: write the event bits and read back ----
 */

static void test_controls(struct ucore_box *box)
{
	const struct ucore_box_type *type = box->desc.type;
	const struct ucore_layout *layout = box->desc.layout;
	u32 ov = box->caps & UCORE_BOX_F_OVERFLOW ? type->ctl_ov_en : 0;
	u32 fixed_ov = box->caps & UCORE_BOX_F_FIXED_OVERFLOW ? type->fixed_ov_en : 0;
	struct ucore_selftest *selftest = &box->selftest;
	u32 i, not_fixed = 0;

	/*
	 * Write all event bits without the enable bit, so that this invalid event does not
	 * count.
	 */
	for (i = 0; i < type->nr_gp; i++) {
		selftest->missing |= ucore_box_missing_bits(box, layout->ctl[i],
							     ucore_control_readback_bits(box));
		selftest->missing |= ucore_box_missing_bits(box, layout->ctl[i],
							     type->ctl_en | ov);
	}
	if (type->nr_gp)
		record_check(box, UCORE_SELFTEST_CONTROL, !selftest->missing);
	if (selftest->missing & ov)
		clear_caps(box, UCORE_BOX_F_OVERFLOW);

	for (i = 0; i < type->nr_fixed; i++)
		if (layout->fixed_ctl[i] != UCORE_REG_NONE)
			not_fixed |= ucore_box_missing_bits(box, layout->fixed_ctl[i],
							    type->fixed_en | fixed_ov);
	if (type->nr_fixed && layout->fixed_ctl[0] != UCORE_REG_NONE)
		record_check(box, UCORE_SELFTEST_FIXED_CONTROL, !not_fixed);
	if (not_fixed & fixed_ov)
		clear_caps(box, UCORE_BOX_F_FIXED_OVERFLOW);
}

/*
 * ---- clock: a counter counts clocks, unless a freeze stops it ----
 */

/* Test whether the box control freezes the box while the domain is not frozen. */
static void test_box_freeze(struct ucore_box *box, const struct ucore_clock *clock)
{
	bool held;

	ucore_clock_start(box);
	ucore_box_freeze(box);
	held = ucore_clock_stands(box, clock);
	ucore_clock_freeze(box);
	record_check(box, UCORE_SELFTEST_BOX_FREEZE, held);
	if (!held)
		clear_caps(box, UCORE_BOX_F_FREEZE);
}

static void test_clock(struct ucore_box *box)
{
	bool freezes = box->caps & UCORE_BOX_F_FREEZE && box->desc.type->words;
	struct ucore_clock clock;
	bool runs;

	if (!ucore_clock_find(box, &clock))
		return;
	ucore_box_write(box, clock.ctl, clock.word);
	ucore_clock_start(box);
	ucore_clock_wait(clock.traffic);
	ucore_clock_freeze(box);
	runs = ucore_clock_read(box, &clock);
	/* no source states that the traffic of a self-test reaches each box */
	if (runs || !clock.traffic)
		record_check(box, UCORE_SELFTEST_RUN, runs);
	if (!runs)
		return;		/* a freeze cannot be tested if the counter counts nothing */
	if (box->desc.global)
		record_check(box, UCORE_SELFTEST_GLOBAL_FREEZE, ucore_clock_stands(box, &clock));
	if (freezes)
		test_box_freeze(box, &clock);
}

/*
 * ---- trials of overflows ----
 */

/* Return true if the clock of the box runs, so that a counter can overflow. */
static bool clock_runs(const struct ucore_box *box)
{
	return box->selftest.tested & ~box->selftest.failed & UCORE_SELFTEST_RUN;
}

/* Return true if the user allows the trial of a reserved bit, and its result will be valid. */
static bool may_try_reserved(const struct ucore_box *box)
{
	const struct ucore_box_type *type = box->desc.type;

	return try_overflow && type->ctl_ov_try && type->clock && box->domain->global &&
	       clock_runs(box);
}

/*
 * Let the box overflow for a session that needs this. The result is only valid if the clock of
 * the box runs, and stands while the global control freezes the domain.
 */
static void try_freeze_by_overflow(struct ucore_box *box)
{
	if (!ucore_overflow_trial_open(box))
		return;
	if (clock_runs(box) && !(box->selftest.failed & UCORE_SELFTEST_GLOBAL_FREEZE))
		ucore_overflow_trial_run(box);
	else
		box->selftest.overflow_tried = true;
}

/*
 * ---- self-test of a box ----
 */

/*
 * Stop the box. The control of the counter that counted clocks in the test is cleared first,
 * because a freeze may not stop this counter.
 */
static void stop_box(struct ucore_box *box)
{
	struct ucore_clock clock;

	ucore_box_freeze(box);
	if (ucore_clock_find(box, &clock))
		ucore_box_write(box, clock.ctl, 0);
	ucore_box_reset(box);
	ucore_box_unfreeze(box);
}

/*
 * Return true if no session runs on the domain and the domain is not frozen, so that a test may
 * freeze it. Without the domain's lock the result may change at any time.
 */
static bool domain_idle(const struct ucore_domain *domain)
{
	return list_empty(&domain->ctxs) && !READ_ONCE(domain->frozen);
}

/* Make the checks that are the same for all sessions. @whole: including freezes */
static void common_checks(struct ucore_box *box, bool whole)
{
	read_state(box);
	ucore_box_reset_first(box);
	test_box_widths(box);
	test_controls(box);
	if (whole && (box->selftest.width || box->selftest.fixed_width))
		test_clock(box);
	if (whole && may_try_reserved(box))
		ucore_overflow_trial_reserved(box);
}

/* @overflow: the session needs overflows that freeze the domain without a PMI */
static void checks(struct ucore_box *box, bool idle, bool overflow)
{
	bool whole = idle || !box->desc.global;

	if (box->selftest.done)
		ucore_box_reset(box);
	else
		common_checks(box, whole);
	if (idle && overflow)
		try_freeze_by_overflow(box);
	stop_box(box);
	if (box_is_gone(box)) {	/* a dead box: the results are invalid */
		box->selftest = (struct ucore_selftest){ };
		return;
	}
	/* Publish the result. Other sessions that use the box do not repeat the self-test. */
	smp_store_release(&box->selftest.partial, true);	/* pairs with has_work() */
	smp_store_release(&box->selftest.done, whole);	/* pairs with has_work() */
}

/**
 * ucore_selftest_run() - test a box
 * @box: box for which ucore_selftest_needed() returned true
 * @overflow: try whether an overflow freezes the domain
 *
 * The freeze by the global control is not tested while a session runs on the domain. It is
 * tested when a session next claims the box on an idle domain.
 */
void ucore_selftest_run(struct ucore_box *box, bool overflow)
{
	struct ucore_domain *domain = box->domain;
	struct ucore_tally before = domain->tally;
	bool idle = domain_idle(domain);

	lockdep_assert_held(&domain->lock);

	if (box->dead)
		return;
	if (idle) {
		ucore_domain_acquire(domain);
		ucore_domain_clear_stale(domain);
		ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	}
	raw_write_seqcount_begin(&box->selftest_seq);
	checks(box, idle, overflow);
	if (idle) {
		ucore_unfreeze_domain(domain, false);
		ucore_domain_release(domain);
	}
	box->selftest.reads += domain->tally.reads - before.reads;
	box->selftest.writes += domain->tally.writes - before.writes;
	raw_write_seqcount_end(&box->selftest_seq);
}

/* Return true if a check of the box has not been made yet and is possible now. */
static bool has_work(const struct ucore_box *box, bool overflow)
{
	if (overflow && ucore_overflow_trial_open(box) && domain_idle(box->domain))
		return true;
	/* pairs with checks() */
	if (smp_load_acquire(&box->selftest.done))
		return false;
	/* pairs with checks() */
	return !smp_load_acquire(&box->selftest.partial) || domain_idle(box->domain);
}

/**
 * ucore_selftest_needed() - check whether a box needs a self-test
 * @box: box that the caller's session has claimed; the session does not run
 * @overflow: a trial must show what an overflow does
 *
 * A box that has only free-running counters is never written and needs no self-test.
 *
 * Return: true if no counter of the box is programmed, and a check that is possible now has not
 * been made yet.
 */
bool ucore_selftest_needed(const struct ucore_box *box, bool overflow)
{
	bool written = box->desc.type->nr_gp || box->desc.layout->fixed_ctl[0] != UCORE_REG_NONE;

	return box->domain->scope == UCORE_SCOPE_DIE && written && !box->dirty &&
	       has_work(box, overflow);
}

/*
 * Return true if a counter of a tested box retains no value: a general counter, or the fixed
 * counter of a box without general counters.
 */
static bool retains_nothing(const struct ucore_selftest *selftest)
{
	if (selftest->tested & UCORE_SELFTEST_WIDTH)
		return selftest->failed & UCORE_SELFTEST_WIDTH && !selftest->width;
	return selftest->failed & UCORE_SELFTEST_FIXED_WIDTH && !selftest->fixed_width;
}

/**
 * ucore_selftest_failed() - check whether the self-test found that a box cannot count
 * @box: box
 *
 * Return: true if the general counters do not retain a written value. Of a box without general
 * counters, true if the fixed counter does not.
 */
bool ucore_selftest_failed(const struct ucore_box *box)
{
	return retains_nothing(&box->selftest);
}

/*
 * ---- result of a self-test: query, log and report to the user ----
 */

/**
 * ucore_selftest_get() - get a copy of a box's self-test result
 * @box: box
 *
 * Waits for the end of a self-test that is running, but takes no lock and leaves interrupts on.
 * Otherwise the wait would delay the IPI of a rendezvous.
 *
 * Return: copy of the result.
 */
struct ucore_selftest ucore_selftest_get(const struct ucore_box *box)
{
	struct ucore_selftest selftest;
	u32 seq;

	do {
		seq = raw_read_seqcount_begin(&box->selftest_seq);
		selftest = box->selftest;
	} while (read_seqcount_retry(&box->selftest_seq, seq));
	return selftest;
}

static const struct {
	u32 check;
	const char *text;
} failures[] = {
	{ UCORE_SELFTEST_WIDTH, "its counters have fewer bits than they should" },
	{ UCORE_SELFTEST_FIXED_WIDTH, "its fixed counters have fewer bits than they should" },
	{ UCORE_SELFTEST_CONTROL, "a control does not keep all bits: values are flagged" },
	{ UCORE_SELFTEST_FIXED_CONTROL, "a fixed counter's control does not keep all bits" },
	{ UCORE_SELFTEST_RUN, "its clock does not run" },
	{ UCORE_SELFTEST_GLOBAL_FREEZE, "the die's freeze does not stop it: values are flagged" },
	{ UCORE_SELFTEST_BOX_FREEZE, "its own freeze does not stop it" },
	{ UCORE_SELFTEST_OVERFLOW_RESUME,
	  "its overflow does not end: its status stays set, or clocks stand until a reboot" },
	{ UCORE_SELFTEST_OVERFLOW_ENABLE, "its controls do not keep the overflow enable" },
	{ UCORE_SELFTEST_OVERFLOW_STATUS,
	  "its overflow does not set the bit that the table states" },
	{ UCORE_SELFTEST_OVERFLOW_FREEZE, "its overflow does not freeze it" },
	{ UCORE_SELFTEST_OVERFLOW_DIE, "its overflow freezes only some boxes of the die" },
	{ UCORE_SELFTEST_PMI, "its overflow interrupts no CPU" },
};

/**
 * ucore_selftest_reason() - describe the most important failure of a self-test
 * @selftest: result of the self-test
 *
 * Return: text for the user (static string), empty if no check failed.
 */
const char *ucore_selftest_reason(const struct ucore_selftest *selftest)
{
	u32 i;

	if (retains_nothing(selftest))
		return selftest->found & UCORE_FOUND_HYPERVISOR ?
		       "its registers do not keep what is written: a hypervisor ignores it" :
		       "its registers do not keep what is written";
	for (i = 0; i < ARRAY_SIZE(failures); i++)
		if (selftest->failed & failures[i].check)
			return failures[i].text;
	return "";
}

/*
 * Log a self-test result, unless a result of this kind has been logged for any box. @kind is a
 * bit in ucore_catalog.logged.
 */
static void log_once(const struct ucore_box *box, u32 kind, const char *text)
{
	lockdep_assert_held(&ucore_catalog.lock);

	if (ucore_catalog.logged & kind)
		return;
	ucore_catalog.logged |= kind;
	pr_notice("%s%u of die %u: %s; 'ucoretool verify' tries all boxes\n",
		  box->desc.type->name, box->desc.instance, box->desc.die, text);
}

/* Set the text of GET_INFO about the first box that failed a self-test. */
static void set_failed_text(const struct ucore_box *box, const char *text)
{
	lockdep_assert_held(&ucore_catalog.lock);

	if (ucore_catalog.failed)
		return;
	snprintf(ucore_catalog.failed_text, sizeof(ucore_catalog.failed_text),
		 "%s%u of die %u: %s; 'ucoretool verify' tries all boxes", box->desc.type->name,
		 box->desc.instance, box->desc.die, text);
	/* pairs with ucore_describe_reason() */
	smp_store_release(&ucore_catalog.failed, ucore_catalog.failed_text);
}

/* Failures that only mean that the box offers no overflows */
#define HARMLESS \
	(UCORE_SELFTEST_PMI | (UCORE_OVERFLOW_TRIAL_CHECKS & ~UCORE_SELFTEST_OVERFLOW_RESUME))

/**
 * ucore_selftest_report() - log a self-test result and update the capabilities of the machine
 * @box: box that has been tested
 */
void ucore_selftest_report(struct ucore_box *box)
{
	const struct ucore_selftest *selftest = &box->selftest;
	u32 kind = selftest->failed & UCORE_SELFTEST_OVERFLOW_RESUME ?:
		   selftest->failed & -selftest->failed;

	mutex_lock(&ucore_catalog.lock);
	if (selftest->failed) {
		log_once(box, kind, ucore_selftest_reason(selftest));
		if (selftest->failed & ~HARMLESS)
			set_failed_text(box, ucore_selftest_reason(selftest));
	}
	if (selftest->found & UCORE_FOUND_CONTROL)
		log_once(box, UCORE_FOUND_CONTROL << 16,
			 "a control was not zero: another program uses it, or has");
	if (selftest->found & UCORE_FOUND_GLOBAL)
		log_once(box, UCORE_FOUND_GLOBAL << 16,
			 "its die's global control was not zero: firmware or another program uses it");
	if (selftest->failed & UCORE_SELFTEST_GLOBAL_FREEZE)
		WRITE_ONCE(ucore_catalog.caps, ucore_catalog.caps & ~UCORE_CAP_GLOBAL_FREEZE);
	if (READ_ONCE(box->domain->pmi.reached))
		WRITE_ONCE(ucore_catalog.caps, ucore_catalog.caps | UCORE_CAP_OVERFLOW_PMI);
	mutex_unlock(&ucore_catalog.lock);
}
