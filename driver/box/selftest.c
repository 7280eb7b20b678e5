// SPDX-License-Identifier: GPL-2.0-only
/*
 * Selftests: what a manual, a table or a discovery record says of a box is tried
 * before a session counts with it, once.
 *
 * Owns which checks there are, and what follows from one that fails.  A selftest runs
 * under the domain's lock, on one of its CPUs with interrupts off, and leaves the
 * box stopped and the domain as it was found.  A domain on which nothing runs is
 * frozen meanwhile, but for the moments in which a clock shall run; on one that is
 * in use no freeze is tried, and nothing but the box is touched; freezes follow when the
 * box is had while nothing runs.  Must not know sessions.
 *
 * Boxes of cores are not tried: CPUID tells what they have, and find/core.c has
 * asked their registers.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/cpufeature.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>

#include "box/catalog.h"
#include "box/selftest.h"

/* A clock of some 100 MHz and more counts hundreds of times meanwhile. */
#define MOMENT_US	5

static u64 selftest_read(const struct ucore_box *box, u16 reg)
{
	return box->io.ops->read(&box->io, reg);
}

static void selftest_write(const struct ucore_box *box, u16 reg, u64 val)
{
	box->io.ops->write(&box->io, reg, val);
}

/* A check has been made. */
static void note(struct ucore_box *box, u32 check, bool held)
{
	box->selftest.tested |= check;
	if (!held)
		box->selftest.failed |= check;
}

static void disclaim(struct ucore_box *box, u32 caps)
{
	WRITE_ONCE(box->caps, box->caps & ~caps);
}

/*
 * ---- what was there ----
 */

static void look(struct ucore_box *box)
{
	const struct ucore_layout *layout = box->desc.layout;
	u64 val;
	u32 i;

	for (i = 0; i < box->desc.type->nr_gp; i++) {
		val = selftest_read(box, layout->ctl[i]);
		if (val && val != UCORE_REG_DEAD)
			box->selftest.found |= UCORE_FOUND_CONTROL;
	}
	if (box->domain->taken && box->domain->found)
		box->selftest.found |= UCORE_FOUND_GLOBAL;
	if (boot_cpu_has(X86_FEATURE_HYPERVISOR))
		box->selftest.found |= UCORE_FOUND_HYPERVISOR;
}

/*
 * ---- widths: all ones are written, and read back ----
 */

/* Bits that a counter shows, which stands; 0: it does not keep ones from bit 0 on. */
static u8 bits_shown(const struct ucore_box *box, u16 reg, u8 width)
{
	const struct ucore_io *io = &box->io;
	u64 val;

	io->ops->write64(io, reg, GENMASK_ULL(width - 1, 0));
	val = io->ops->read64(io, reg);
	io->ops->write64(io, reg, 0);
	return val & (val + 1) ? 0 : fls64(val);
}

static bool box_went(struct ucore_box *box)
{
	u16 first = ucore_layout_first(box->desc.layout);

	return selftest_read(box, first) == UCORE_REG_DEAD;
}

/* The least that any counter shows; @least: what some source allows beside the type's width. */
static u8 widths_tried(struct ucore_box *box, const u16 *reg, u32 nr, u8 width, u8 least,
		       u32 check)
{
	u8 shown = width;
	u32 i;

	for (i = 0; i < nr; i++)
		shown = min(shown, bits_shown(box, reg[i], width));
	note(box, check, shown == width || (least && shown == least));
	return shown;
}

static void try_widths(struct ucore_box *box)
{
	const struct ucore_box_type *type = box->desc.type;
	const struct ucore_layout *layout = box->desc.layout;
	struct ucore_selftest *selftest = &box->selftest;

	if (type->nr_gp)
		selftest->width = widths_tried(box, layout->ctr, type->nr_gp, type->width,
					    type->least_width, UCORE_SELFTEST_WIDTH);
	/* those that run freely have no control, and are never written */
	if (type->nr_fixed && layout->fixed_ctl[0] != UCORE_REG_NONE)
		selftest->fixed_width = widths_tried(box, layout->fixed_ctr, type->nr_fixed,
						  type->fixed_width, type->least_fixed_width,
						  UCORE_SELFTEST_FIXED_WIDTH);
	if (selftest->width)
		WRITE_ONCE(box->width, selftest->width);
	if (selftest->fixed_width)
		WRITE_ONCE(box->fixed_width, selftest->fixed_width);
}

/*
 * ---- controls: the bits that an event may want are written, and read back ----
 */

/**
 * ucore_selftest_event_bits() - the bits of a general control that keep what an event says
 * @box: the box
 *
 * Return: of the lower half: what is above is asked for event by event (control_verify()).
 */
u32 ucore_selftest_event_bits(const struct ucore_box *box)
{
	const struct ucore_box_type *type = box->desc.type;
	const struct ucore_field_desc *field;
	u32 bits = 0, i, j;

	for (i = 0; i < type->nr_fields; i++) {
		field = &type->fields[i];
		if (field->field == UCORE_FIELD_OCC_RST)
			continue;	/* it acts, and reads 0 */
		for (j = 0; j < ARRAY_SIZE(field->piece); j++)
			if (field->piece[j].slot == UCORE_SLOT_CTL)
				bits |= lower_32_bits(field->piece[j].mask);
	}
	return bits;
}

static u32 missing(const struct ucore_box *box, u16 reg, u32 word)
{
	u64 val;

	if (!word)
		return 0;
	selftest_write(box, reg, word);
	val = selftest_read(box, reg);
	selftest_write(box, reg, 0);
	return word & ~(u32)val;
}

static void try_controls(struct ucore_box *box)
{
	const struct ucore_box_type *type = box->desc.type;
	const struct ucore_layout *layout = box->desc.layout;
	u32 ov = box->caps & UCORE_BOX_F_OVERFLOW ? type->ctl_ov_en : 0;
	u32 fixed_ov = box->caps & UCORE_BOX_F_FIXED_OVERFLOW ? type->fixed_ov_en : 0;
	struct ucore_selftest *selftest = &box->selftest;
	u32 i, not_fixed = 0;

	/* all events at once are no event: it is not enabled */
	for (i = 0; i < type->nr_gp; i++) {
		selftest->missing |= missing(box, layout->ctl[i],
					  ucore_selftest_event_bits(box));
		selftest->missing |= missing(box, layout->ctl[i], type->ctl_en | ov);
	}
	if (type->nr_gp)
		note(box, UCORE_SELFTEST_CONTROL, !selftest->missing);
	if (selftest->missing & ov)
		disclaim(box, UCORE_BOX_F_OVERFLOW);

	for (i = 0; i < type->nr_fixed; i++)
		if (layout->fixed_ctl[i] != UCORE_REG_NONE)
			not_fixed |= missing(box, layout->fixed_ctl[i], type->fixed_en | fixed_ov);
	if (type->nr_fixed && layout->fixed_ctl[0] != UCORE_REG_NONE)
		note(box, UCORE_SELFTEST_FIXED_CONTROL, !not_fixed);
	if (not_fixed & fixed_ov)
		disclaim(box, UCORE_BOX_F_FIXED_OVERFLOW);
}

/*
 * ---- a clock runs when it is let, and stands when it is frozen ----
 */

/**
 * struct clock - a counter that can count clocks
 * @ctl: its control
 * @ctr: the counter
 * @word: what makes it count them
 */
struct clock {
	u16 ctl;
	u16 ctr;
	u32 word;
};

static bool clock_of(const struct ucore_box *box, struct clock *clock)
{
	const struct ucore_box_type *type = box->desc.type;
	const struct ucore_layout *layout = box->desc.layout;

	if (type->nr_fixed && layout->fixed_ctl[0] != UCORE_REG_NONE) {
		*clock = (struct clock){ layout->fixed_ctl[0], layout->fixed_ctr[0],
					 type->fixed_en };
		return true;
	}
	if (!type->clock || !type->nr_gp)
		return false;
	*clock = (struct clock){ layout->ctl[0], layout->ctr[0],
				 (type->clock & ~UCORE_CLOCK(0)) | type->ctl_en };
	return true;
}

static u64 clock_read(const struct ucore_box *box, const struct clock *clock)
{
	return box->io.ops->read_running(&box->io, clock->ctr);
}

static bool clock_stands(const struct ucore_box *box, const struct clock *clock)
{
	u64 before = clock_read(box, clock);

	udelay(MOMENT_US);
	return clock_read(box, clock) == before;
}

/* It counts from here on, ... */
static void clock_let(struct ucore_box *box)
{
	ucore_box_unfreeze(box);
	if (box->domain->global)
		ucore_domain_unfreeze(box->domain, false);
}

/* ... and is frozen as its domain is: by one write for all, or by its own. */
static void clock_halt(struct ucore_box *box)
{
	if (box->domain->global)
		ucore_domain_freeze(box->domain, ktime_get_mono_fast_ns());
	else
		ucore_box_freeze(box);
}

/* The box's own freeze, while its domain runs. */
static void try_box_freeze(struct ucore_box *box, const struct clock *clock)
{
	bool held;

	clock_let(box);
	ucore_box_freeze(box);
	held = clock_stands(box, clock);
	clock_halt(box);
	note(box, UCORE_SELFTEST_BOX_FREEZE, held);
	if (!held)
		disclaim(box, UCORE_BOX_F_FREEZE);
}

static void try_clock(struct ucore_box *box)
{
	bool freezes = box->caps & UCORE_BOX_F_FREEZE && box->desc.type->words;
	struct clock clock;

	if (!clock_of(box, &clock))
		return;
	selftest_write(box, clock.ctl, clock.word);
	clock_let(box);
	udelay(MOMENT_US);
	clock_halt(box);
	note(box, UCORE_SELFTEST_RUN, clock_read(box, &clock));
	if (box->selftest.failed & UCORE_SELFTEST_RUN)
		return;		/* what does not run cannot be stopped */
	if (box->domain->global)
		note(box, UCORE_SELFTEST_GLOBAL_FREEZE, clock_stands(box, &clock));
	if (freezes)
		try_box_freeze(box, &clock);
}

/*
 * ---- the whole ----
 */

/* Stop it for good: a counter that no freeze reaches counts as long as it has a control. */
static void leave(struct ucore_box *box)
{
	struct clock clock;

	ucore_box_freeze(box);
	if (clock_of(box, &clock))
		selftest_write(box, clock.ctl, 0);
	ucore_box_reset(box);
	ucore_box_unfreeze(box);
}

/* May it be frozen?  Without its lock that may change at once. */
static bool domain_idle(const struct ucore_domain *domain)
{
	return list_empty(&domain->ctxs) && !READ_ONCE(domain->frozen);
}

static void checks(struct ucore_box *box, bool idle)
{
	bool whole = idle || !box->domain->global;

	look(box);
	ucore_box_reset_first(box);
	try_widths(box);
	try_controls(box);
	if (whole && box->selftest.width)
		try_clock(box);
	leave(box);
	if (box_went(box)) {	/* what was seen says nothing */
		box->selftest = (struct ucore_selftest){ };
		return;
	}
	/* others may have the box without a selftest, and know what came of this one */
	smp_store_release(&box->selftest.beside, true);	/* something_left() */
	smp_store_release(&box->selftest.done, whole);	/* something_left() */
}

/**
 * ucore_selftest_run() - try what is believed of a box
 * @box: a box that is due
 *
 * On a domain that is in use no freeze is tried; it is when the box is had the next
 * time, if nothing runs then.
 */
void ucore_selftest_run(struct ucore_box *box)
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
		ucore_domain_freeze(domain, ktime_get_mono_fast_ns());
	}
	checks(box, idle);
	if (idle) {
		ucore_domain_unfreeze(domain, false);
		ucore_domain_release(domain);
	}
	box->selftest.reads = domain->tally.reads - before.reads;
	box->selftest.writes = domain->tally.writes - before.writes;
}

/* Is there something that has not been tried, and can be now? */
static bool something_left(const struct ucore_box *box)
{
	/* pairs with checks() */
	if (smp_load_acquire(&box->selftest.done))
		return false;
	/* pairs with checks() */
	return !smp_load_acquire(&box->selftest.beside) || domain_idle(box->domain);
}

/**
 * ucore_selftest_needed() - is a box to be tried?
 * @box: a box that the caller's session owns, which does not run
 *
 * Return: true if it has not been, or not whole and its domain is idle now, and nothing is
 * programmed.  What only runs freely is never written.
 */
bool ucore_selftest_needed(const struct ucore_box *box)
{
	bool written = box->desc.type->nr_gp || box->desc.layout->fixed_ctl[0] != UCORE_REG_NONE;

	return box->domain->scope == UCORE_SCOPE_DIE && written && !box->dirty &&
	       something_left(box);
}

/**
 * ucore_selftest_failed() - has the selftest shown that a box cannot count?
 * @box: the box
 *
 * Return: true if its general counters do not keep what is written.
 */
bool ucore_selftest_failed(const struct ucore_box *box)
{
	return box->selftest.failed & UCORE_SELFTEST_WIDTH && !box->selftest.width;
}

/*
 * ---- what is told of it ----
 */

/**
 * ucore_selftest_get() - what trying a box has shown, whoever has it
 * @box: the box, its domain not locked
 *
 * Return: a copy.
 */
struct ucore_selftest ucore_selftest_get(struct ucore_box *box)
{
	struct ucore_selftest selftest;
	unsigned long flags;

	raw_spin_lock_irqsave(&box->domain->lock, flags);
	selftest = box->selftest;
	raw_spin_unlock_irqrestore(&box->domain->lock, flags);
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
	{ UCORE_SELFTEST_RUN, "its clock does not run when it is let" },
	{ UCORE_SELFTEST_GLOBAL_FREEZE, "the die's freeze does not stop it: values are flagged" },
	{ UCORE_SELFTEST_BOX_FREEZE, "its own freeze does not stop it" },
};

/**
 * ucore_selftest_reason() - the worst that a selftest has shown, in a sentence
 * @selftest: the selftest
 *
 * Return: a string that lasts, empty when all that was tried held.
 */
const char *ucore_selftest_reason(const struct ucore_selftest *selftest)
{
	u32 i;

	if (selftest->failed & UCORE_SELFTEST_WIDTH && !selftest->width)
		return selftest->found & UCORE_FOUND_HYPERVISOR ?
		       "its registers do not keep what is written: a hypervisor ignores it" :
		       "its registers do not keep what is written";
	for (i = 0; i < ARRAY_SIZE(failures); i++)
		if (selftest->failed & failures[i].check)
			return failures[i].text;
	return "";
}

/* One line for each kind, however many boxes there are. */
static void tell_once(const struct ucore_box *box, u32 kind, const char *text)
{
	lockdep_assert_held(&ucore_catalog.lock);

	if (ucore_catalog.told & kind)
		return;
	ucore_catalog.told |= kind;
	pr_notice("%s%u of die %u: %s; 'ucoretool verify' tries all boxes\n",
		  box->desc.type->name, box->desc.instance, box->desc.die, text);
}

/* For INFO: the first box that is not what it should be. */
static void tell_info(const struct ucore_box *box, const char *text)
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

/**
 * ucore_selftest_report() - log what a selftest has shown; claim for the machine what is left
 * @box: a box that has been tried
 */
void ucore_selftest_report(struct ucore_box *box)
{
	const struct ucore_selftest *selftest = &box->selftest;

	mutex_lock(&ucore_catalog.lock);
	if (selftest->failed) {
		tell_once(box, selftest->failed & -selftest->failed, ucore_selftest_reason(selftest));
		tell_info(box, ucore_selftest_reason(selftest));
	}
	if (selftest->found & UCORE_FOUND_CONTROL)
		tell_once(box, UCORE_FOUND_CONTROL << 16,
			  "a control was not zero: another program uses it, or has");
	if (selftest->found & UCORE_FOUND_GLOBAL)
		tell_once(box, UCORE_FOUND_GLOBAL << 16,
			  "its die's global control was not zero: firmware or another program uses it");
	if (selftest->failed & UCORE_SELFTEST_GLOBAL_FREEZE)
		WRITE_ONCE(ucore_catalog.caps, ucore_catalog.caps & ~UCORE_CAP_GLOBAL_FREEZE);
	mutex_unlock(&ucore_catalog.lock);
}
