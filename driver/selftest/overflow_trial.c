// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trials of overflows, whose effect no manual states. Part of the selftest layer. A trial is a part
 * of the self-test of a box (selftest.c), on a domain that no session uses. It lets a counter
 * overflow that counts clocks, or memory requests that the trial makes.
 *
 * Public sources about discovery platforms state the overflow enable of a control, the bit of a box
 * in the global status, and that the global control freezes the die. No source states that an
 * overflow freezes the die, or how that freeze ends. The manual of client processors states that an
 * overflow freezes the die, but not what clears the status. The trial observes each step on the box
 * itself, and the freeze also on other boxes that are not in use. If all steps are as assumed, the
 * box gets the capability. The trial is made only for a session that needs no PMI
 * (UCORE_SESSION_F_NO_PMI), and on client processors also for a period that may interrupt.
 *
 * All functions except ucore_overflow_trial_open() run with the domain's lock held, on a CPU of the
 * domain, with interrupts off. The caller has frozen the domain and reset the box. It resets the
 * box and unfreezes the domain afterwards.
 */
#include <linux/bits.h>

#include "box/catalog.h"
#include "selftest/clock.h"
#include "selftest/overflow_trial.h"

/*
 * Largest number of other boxes whose clocks a trial observes, and of boxes whose controls it reads
 * to find them
 */
#define MAX_OTHERS	3
#define MAX_READ	8

/*
 * ---- overflow enable that the manual reserves, on E5-2600 v2 ----
 */

/**
 * ucore_overflow_trial_reserved() - try an overflow enable that the manual reserves
 * @box: box whose clock runs, and whose type has a clock event
 *
 * Lets a counter overflow, and finds out whether the global status shows it. No PMI is routed, and
 * an overflow at most freezes the idle domain until the next unfreeze. A write that faults is
 * dropped. The driver does not use the result.
 */
void ucore_overflow_trial_reserved(struct ucore_box *box)
{
	const struct ucore_box_type *type = box->desc.type;
	struct ucore_domain *domain = box->domain;
	struct ucore_clock clock;

	box->selftest.tested |= UCORE_SELFTEST_OVERFLOW;
	ucore_clock_find_general(box, &clock);
	ucore_box_write(box, clock.ctl, 0);
	box->selftest.missing |= ucore_box_missing_bits(box, clock.ctl, type->ctl_ov_try);
	if (box->selftest.missing & type->ctl_ov_try)
		return;
	ucore_clock_preload(box, &clock);
	ucore_box_write(box, clock.ctl, clock.word | type->ctl_ov_try);
	ucore_clock_start(box);
	ucore_clock_wait(false);
	ucore_clock_freeze(box);
	ucore_box_write(box, clock.ctl, 0);
	ucore_box_clear_status(box, ucore_box_status(box));
	if (!ucore_domain_status(domain))
		return;
	ucore_domain_clear_status(domain);
	box->selftest.found |= UCORE_FOUND_OVERFLOW;
}

/*
 * ---- overflow that freezes the die ----
 */

/**
 * struct observed - a box whose clock the trial observes
 * @box: the box
 * @clock: counter that counts clocks
 * @before: value before the domain was unfrozen
 * @after: value when the overflow must have frozen the domain
 * @stood: the value did not change any more
 * @frozen: value after the global control has frozen the domain
 * @unstoppable: the value changed during this freeze
 * @resumed: the value changed again after the end of the freeze
 */
struct observed {
	struct ucore_box *box;
	struct ucore_clock clock;
	u64 before;
	u64 after;
	u64 frozen;
	bool stood;
	bool unstoppable;
	bool resumed;
};

/**
 * struct trial - trial of the overflow of a box
 * @box: the box
 * @own: clock of the box; its counter overflows
 * @other: clocks of other boxes of the domain
 * @traffic: one of the clocks counts memory requests
 * @nr: number of entries in @other
 * @nr_read: number of other boxes whose controls have been read
 */
struct trial {
	struct ucore_box *box;
	struct observed own;
	struct observed other[MAX_OTHERS];
	bool traffic;
	u32 nr;
	u32 nr_read;
};

static void record(struct ucore_box *box, u32 check, bool held)
{
	box->selftest.tested |= check;
	if (!held)
		box->selftest.failed |= check;
}

static bool is_chosen(const struct trial *t, const struct ucore_box_type *type)
{
	u32 i;

	for (i = 0; i < t->nr; i++)
		if (t->other[i].box->desc.type->name == type->name)
			return true;
	return t->box->desc.type->name == type->name;
}

/*
 * Return true if nobody has programmed the box, and its clock can be observed. A box that no global
 * control stops shows nothing.
 */
static bool is_free(const struct ucore_box *box, struct ucore_clock *clock)
{
	return !box->dirty && !box->dead && box->desc.global && ucore_clock_find(box, clock);
}

/* Observe the box, too, unless its control shows that other software uses it. */
static void choose(struct trial *t, struct ucore_box *box, const struct ucore_clock *clock)
{
	if (t->nr_read++ >= MAX_READ || ucore_box_read(box, clock->ctl))
		return;
	t->other[t->nr++] = (struct observed){ .box = box, .clock = *clock };
	t->traffic |= clock->traffic;
}

/*
 * Choose the other boxes: first one behind another global control, then boxes of other types. If
 * there are none, choose a box of the same type.
 */
static void choose_others(struct trial *t)
{
	const struct ucore_global *own = t->box->desc.reported_in;
	struct ucore_domain *domain = t->box->domain;
	struct ucore_clock clock;
	struct ucore_box *box;

	ucore_for_each_box(box, domain)
		if (!t->nr && box->desc.reported_in && box->desc.reported_in != own &&
		    is_free(box, &clock))
			choose(t, box, &clock);
	ucore_for_each_box(box, domain)
		if (t->nr < MAX_OTHERS && !is_chosen(t, box->desc.type) && is_free(box, &clock))
			choose(t, box, &clock);
	ucore_for_each_box(box, domain)
		if (!t->nr && box != t->box && is_free(box, &clock))
			choose(t, box, &clock);
}

/* Call a function for the box itself and for the other boxes. */
static void observe_all(struct trial *t, void (*func)(struct observed *obs))
{
	u32 i;

	func(&t->own);
	for (i = 0; i < t->nr; i++)
		func(&t->other[i]);
}

static void observe_start(struct observed *obs)
{
	ucore_box_unfreeze(obs->box);
	ucore_box_write(obs->box, obs->clock.ctl, obs->clock.word);
	obs->before = ucore_clock_read(obs->box, &obs->clock);
}

static void observe_first(struct observed *obs)
{
	obs->after = ucore_clock_read(obs->box, &obs->clock);
}

static void observe_again(struct observed *obs)
{
	obs->stood = ucore_clock_read(obs->box, &obs->clock) == obs->after;
}

static void observe_frozen(struct observed *obs)
{
	obs->frozen = ucore_clock_read(obs->box, &obs->clock);
}

static void observe_unstoppable(struct observed *obs)
{
	obs->unstoppable = ucore_clock_read(obs->box, &obs->clock) != obs->frozen;
}

static void observe_resumed(struct observed *obs)
{
	obs->resumed = ucore_clock_read(obs->box, &obs->clock) != obs->after;
}

static void observe_end(struct observed *obs)
{
	ucore_box_write(obs->box, obs->clock.ctl, 0);
	obs->box->io.ops->write64(&obs->box->io, obs->clock.ctr, 0);
}

/* Return true if the words of a global status show the bit of the box and no other. */
static bool shows_only(const struct ucore_box *box, const struct ucore_global *global,
		       const u64 *word)
{
	u32 position = box->desc.status_position, i;
	bool own;

	for (i = 0; i < global->nr_status; i++) {
		own = global == box->desc.reported_in && i == position / 64;
		if (ucore_global_ctl_overflows(global, word[i]) !=
		    (own ? BIT_ULL(position % 64) : 0))
			return false;
	}
	return true;
}

/* Read all status registers. Return true if they show the overflow of a counter and no other. */
static bool status_is_exact(struct ucore_box *box, u32 counter, u64 *status)
{
	const struct ucore_box_type *type = box->desc.type;
	struct ucore_domain *domain = box->domain;
	struct ucore_control *c;
	bool exact;

	ucore_domain_status(domain);
	*status = ucore_box_status(box);
	exact = box->desc.layout->status == UCORE_REG_NONE ||
		*status == BIT_ULL(type->status_gp_shift + counter);
	exact &= shows_only(box, domain->global, domain->status);
	ucore_domain_for_each_further(domain, c)
		exact &= shows_only(box, c->global, c->status);
	return exact;
}

/*
 * Return true if all other boxes whose clocks ran stood after the overflow. A box that no freeze
 * stops shows nothing. @ran: out: number of the boxes
 */
static bool others_stood(const struct trial *t, u32 *ran)
{
	const struct observed *obs;
	bool stood = true;

	*ran = 0;
	for (obs = t->other; obs < t->other + t->nr; obs++) {
		if (obs->before == obs->after || obs->unstoppable)
			continue;
		(*ran)++;
		stood &= obs->stood;
	}
	return stood;
}

/* Return true if a clock that ran before the overflow does not run again. */
static bool stands_still(const struct observed *obs)
{
	return obs->before != obs->after && !obs->resumed;
}

static bool all_resumed(const struct trial *t)
{
	u32 i;

	for (i = 0; i < t->nr; i++)
		if (stands_still(&t->other[i]))
			return false;
	return !stands_still(&t->own);
}

/* A box in low power responds with all ones. Its clock stands still without a freeze. */
static bool responds(const struct observed *obs)
{
	return (u32)ucore_box_read(obs->box, obs->clock.ctl) != ~0U;
}

static bool all_respond(const struct trial *t)
{
	u32 i;

	for (i = 0; i < t->nr; i++)
		if (!responds(&t->other[i]))
			return false;
	return responds(&t->own);
}

/*
 * Test whether the control of each general counter, or of the fixed one, retains the overflow
 * enable. Return true if it does.
 */
static bool test_enable(struct ucore_box *box)
{
	const struct ucore_layout *layout = box->desc.layout;
	u32 enable = ucore_clock_overflow_enable(box);
	u32 missing = 0, i;

	for (i = 0; i < box->desc.type->nr_gp; i++)
		missing |= ucore_box_missing_bits(box, layout->ctl[i], enable);
	if (ucore_clock_is_fixed(box))
		missing = ucore_box_missing_bits(box, layout->fixed_ctl[0], enable);
	else
		box->selftest.missing |= missing;
	record(box, UCORE_SELFTEST_OVERFLOW_ENABLE, !missing);
	return !missing;
}

/*
 * Let the counter overflow, and observe the status and the clocks before any write. Return false
 * if the counter did not overflow, so that nothing can be observed.
 */
static bool test_overflow(struct trial *t, u64 *status)
{
	struct ucore_box *box = t->box;
	bool exact, stood, ran_on;
	u32 ran;

	ucore_clock_preload(box, &t->own.clock);
	observe_all(t, observe_start);
	ucore_clock_start(box);
	ucore_clock_wait(t->traffic);
	observe_all(t, observe_first);
	exact = status_is_exact(box, t->own.clock.gp, status);
	ucore_clock_wait(t->traffic);
	observe_all(t, observe_again);
	ran_on = ucore_freeze_ran_on(box->domain);
	ucore_clock_freeze(box);
	observe_all(t, observe_frozen);
	ucore_clock_wait(t->traffic);
	observe_all(t, observe_unstoppable);
	if (t->own.after >= t->own.before)
		return false;
	record(box, UCORE_SELFTEST_OVERFLOW_STATUS, exact);
	/* later freezes notice by the control whether the boxes stood */
	record(box, UCORE_SELFTEST_OVERFLOW_FREEZE, t->own.stood && !ran_on);
	stood = others_stood(t, &ran);
	if (ran)
		record(box, UCORE_SELFTEST_OVERFLOW_DIE, stood);
	return true;
}

/*
 * Acknowledge the overflow in the order of a service (sample/readout.c), and test whether all
 * clocks run again. If they do not, no further trial is made on this machine.
 */
static void test_resume(struct trial *t, u64 status)
{
	struct ucore_box *box = t->box;
	struct ucore_domain *domain = box->domain;
	bool clear;

	ucore_box_write(box, t->own.clock.ctl,
			t->own.clock.word & ~ucore_clock_overflow_enable(box));
	ucore_box_clear_status(box, status);
	clear = ucore_domain_find_clear(domain);
	observe_all(t, observe_first);
	ucore_clock_start(box);
	ucore_clock_wait(t->traffic);
	observe_all(t, observe_resumed);
	/* a mode that does not read back would look like a conflict with other software */
	if (domain->global->on_overflow && ucore_domain_control_changed(domain))
		record(box, UCORE_SELFTEST_OVERFLOW_ENABLE, false);
	ucore_clock_freeze(box);
	if (!clear)
		WRITE_ONCE(domain->overflow_proven, false);
	record(box, UCORE_SELFTEST_OVERFLOW_RESUME, clear && all_resumed(t));
	if (!all_resumed(t) && all_respond(t))
		WRITE_ONCE(ucore_catalog.overflow_sticks, true);
}

/* Return true if sessions that are stopped have programmed boxes of the domain. */
static bool any_dirty(const struct ucore_domain *domain)
{
	const struct ucore_box *box;

	ucore_for_each_box(box, domain)
		if (box->dirty)
			return true;
	return false;
}

/* Give the box its capability if all checks passed. */
static void conclude(struct ucore_box *box)
{
	struct ucore_domain *domain = box->domain;
	u32 cap = ucore_clock_is_fixed(box) ? UCORE_BOX_F_FIXED_OVERFLOW : UCORE_BOX_F_OVERFLOW;

	if ((box->selftest.tested & ~box->selftest.failed & UCORE_OVERFLOW_TRIAL_CHECKS) ==
	    UCORE_OVERFLOW_TRIAL_CHECKS) {
		WRITE_ONCE(domain->overflow_proven, true);
		WRITE_ONCE(box->caps, box->caps | cap);
	}
	domain->overflow_mode = domain->overflow_proven;
}

/* Return false if the trial could not observe other boxes now, but may be able to later. */
static bool run(struct trial *t)
{
	struct ucore_box *box = t->box;
	u64 status = 0;

	t->own.clock.word |= ucore_clock_overflow_enable(box);
	t->traffic = t->own.clock.traffic;
	if (ucore_domain_status(box->domain))
		ucore_domain_find_clear(box->domain);
	choose_others(t);
	if (!t->nr && any_dirty(box->domain))
		return false;
	ucore_box_clear_status(box, ucore_box_status(box));
	box->domain->overflow_mode = true;
	if (test_overflow(t, &status))
		test_resume(t, status);
	observe_all(t, observe_end);
	ucore_box_clear_status(box, ucore_box_status(box));
	conclude(box);
	return box->selftest.tested & UCORE_SELFTEST_OVERFLOW_DIE || !any_dirty(box->domain);
}

/**
 * ucore_overflow_trial_run() - find out what an overflow of the box does
 * @box: box for which ucore_overflow_trial_open() returned true, whose clock runs and stands
 *       during a freeze by the global control
 *
 * The box gets UCORE_BOX_F_OVERFLOW if its overflow sets its bits of the status registers and no
 * others, freezes the box itself and other boxes, and if the freeze ends like that of a service. A
 * box without general counters gets UCORE_BOX_F_FIXED_OVERFLOW instead.
 * A check is not in @box->selftest.tested if nothing could be observed.
 */
void ucore_overflow_trial_run(struct ucore_box *box)
{
	struct trial t = { .box = box, .own.box = box };
	bool tried = true;

	if (ucore_clock_find_own(box, &t.own.clock) && test_enable(box))
		tried = run(&t);
	/* pairs with ucore_overflow_trial_open(): the capabilities are complete */
	smp_store_release(&box->selftest.overflow_tried, tried);
}

/**
 * ucore_overflow_trial_open() - check whether a trial would show if the box reports overflows
 * @box: the box
 *
 * Return: true if the box may report overflows, and no trial of this box has been made. After a
 * freeze that did not end, no further trial is made on the machine.
 */
bool ucore_overflow_trial_open(const struct ucore_box *box)
{
	/* pairs with ucore_overflow_trial_run() */
	return box->desc.reported_in && !smp_load_acquire(&box->selftest.overflow_tried) &&
	       !READ_ONCE(ucore_catalog.overflow_sticks);
}
