// SPDX-License-Identifier: GPL-2.0-only
/*
 * Freeze and unfreeze of a domain: stop all its counters, and let them count again. Part of the
 * box layer.
 *
 * Freezes are counted. The counters count again when the last freeze ends, unless an overflow
 * waits to be serviced, because the overflow froze the domain as well. A domain without a global
 * control is frozen and unfrozen by writing the box control of each box that counts. The same
 * applies to the boxes of a domain that its global control does not stop.
 *
 * The functions run with the domain's lock held, on a CPU of the domain, except in a panic.
 */
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/smp.h>

#include "box/box_registers.h"
#include "box/domain_global_ctl.h"
#include "box/freeze.h"
#include "find/desc.h"
#include "ucore_trace.h"
#include "ucore_uapi.h"

/*
 * Freeze the boxes of the list one by one by their box controls. Boxes are unfrozen in the same
 * order, so that each counts for about the same time. A box freezes at an unknown time during the
 * register write. Therefore the skew is the time from before the first write to after the last
 * write.
 */
static void boxes_freeze(struct ucore_domain *domain)
{
	struct ucore_box *box;

	list_for_each_entry(box, &domain->boxes, node)
		ucore_box_freeze(box);
}

/*
 * Return true if the freeze needs several writes. No manual says whether the write of one of
 * several global controls freezes all boxes of the domain or only the boxes of this control. The
 * skew covers both cases.
 */
static bool freezes_in_steps(const struct ucore_domain *domain)
{
	if (domain->global)
		return domain->nr_further || !list_empty(&domain->boxes);
	return !list_empty(&domain->boxes) && !list_is_singular(&domain->boxes);
}

static void domain_freeze(struct ucore_domain *domain)
{
	bool steps = freezes_in_steps(domain);
	u64 start = steps ? ktime_get_mono_fast_ns() : 0;

	if (domain->global)
		ucore_domain_write_freeze(domain);
	boxes_freeze(domain);
	domain->skew_ns = steps ? ktime_get_mono_fast_ns() - start : 0;
	domain->skew_max_ns = max(domain->skew_max_ns, domain->skew_ns);
}

static void domain_unfreeze(struct ucore_domain *domain)
{
	struct ucore_box *box;

	if (domain->global)
		ucore_domain_write_run(domain);
	list_for_each_entry(box, &domain->boxes, node)
		ucore_box_unfreeze(box);
}

/**
 * ucore_unfreeze_add_box() - let a programmed box count from the next unfreeze of its domain on
 * @domain: domain, kept frozen by the caller
 * @box: programmed box
 *
 * If a global control stops the box, the freeze by the box control ends now. Otherwise it ends with
 * the next unfreeze of the domain.
 */
void ucore_unfreeze_add_box(struct ucore_domain *domain, struct ucore_box *box)
{
	lockdep_assert_held(&domain->lock);

	if (box->desc.global)
		ucore_box_unfreeze(box);
	else if (box->desc.type->words && list_empty(&box->node))
		list_add_tail(&box->node, &domain->boxes);
}

/*
 * Record @now as the time at which a freeze began. If @now is earlier than the recorded time of
 * the last unfreeze, record the time of that unfreeze instead: an overflow may freeze the domain
 * after the unfreeze is written, but before the clock is read for the unfreeze.
 */
static void frozen_at(struct ucore_domain *domain, u64 now, u32 by)
{
	if (domain->frozen)
		return;
	domain->frozen = true;
	domain->frozen_since = max(now, ucore_domain_counted_at(domain));
	trace_ucore_freeze(domain->id, by, domain->frozen_since, domain->skew_ns);
}

/**
 * ucore_freeze_ran_on() - check whether an overflow has not stopped the boxes
 * @domain: domain whose status shows an overflow
 *
 * Return: true if the boxes are enabled, because other software has cleared the mode with which an
 * overflow stops them. False without such a mode.
 */
bool ucore_freeze_ran_on(const struct ucore_domain *domain)
{
	const struct ucore_global *global = domain->global;
	u64 val;

	if (!global || !global->on_overflow)
		return false;
	val = domain->io.ops->read64(&domain->io, global->ctl);
	return val != UCORE_REG_DEAD && val & global->unfreeze;
}

/**
 * ucore_freeze_found_overflow() - correct the skew of a freeze that has found an overflow
 * @domain: domain, frozen
 *
 * The overflow has stopped all boxes but those that the global control does not stop. The skew then
 * includes the time for which these ran longer. The overflow came after the last time at which all
 * overflows had been serviced.
 */
void ucore_freeze_found_overflow(struct ucore_domain *domain)
{
	u64 since;

	if (!domain->global || list_empty(&domain->boxes))
		return;
	since = max(ucore_domain_counted_at(domain), domain->pmi.clear);
	domain->skew_ns = ktime_get_mono_fast_ns() - since;
	domain->skew_max_ns = max(domain->skew_max_ns, domain->skew_ns);
}

/**
 * ucore_freeze_domain() - begin a freeze of a domain, which may be frozen already
 * @domain: domain
 * @now: current time (ns)
 */
void ucore_freeze_domain(struct ucore_domain *domain, u64 now)
{
	lockdep_assert_held(&domain->lock);

	if (!domain->freeze_count++ && !domain->frozen) {
		if (!domain->acquired)
			ucore_domain_note_found(domain);
		domain->ran_on = false;
		domain_freeze(domain);
	}
	frozen_at(domain, now, UCORE_FROZEN_BY_WRITE);
}

/**
 * ucore_freeze_after_overflow() - begin a freeze of a domain that an overflow has frozen
 * @domain: domain
 * @now: time at which the overflow was noticed (ns)
 *
 * The freeze is written in any case, because an unfreeze in progress may have ended the freeze
 * by the overflow.
 */
void ucore_freeze_after_overflow(struct ucore_domain *domain, u64 now)
{
	lockdep_assert_held(&domain->lock);

	if (!domain->freeze_count++) {
		domain->ran_on = ucore_freeze_ran_on(domain);
		domain_freeze(domain);
	}
	frozen_at(domain, now, UCORE_FROZEN_BY_OVERFLOW);
}

/**
 * ucore_unfreeze_domain() - end one freeze of a domain, and unfreeze it if this was the last one
 * @domain: domain
 * @pending: read the global status, and keep the domain frozen if an overflow waits for its
 *           service; false right after a service
 *
 * Return: current time (ns), taken after the unfreeze.
 */
u64 ucore_unfreeze_domain(struct ucore_domain *domain, bool pending)
{
	u64 now;

	lockdep_assert_held(&domain->lock);

	if (--domain->freeze_count)
		return ktime_get_mono_fast_ns();
	if (pending && domain->armed && ucore_domain_status(domain))
		return ktime_get_mono_fast_ns();	/* the PMI's service will unfreeze */
	domain_unfreeze(domain);
	now = ktime_get_mono_fast_ns();
	domain->frozen = false;
	domain->frozen_ns += now - domain->frozen_since;
	domain->unfrozen = now;
	trace_ucore_unfreeze(domain->id, false, now, now - domain->frozen_since);
	return now;
}

/**
 * ucore_freeze_backdate() - set an earlier start of a freeze by an overflow without a PMI
 * @domain: domain, frozen
 *
 * The exact start of the freeze is unknown. The whole time since the domain was last seen
 * unfrozen is counted as frozen.
 */
void ucore_freeze_backdate(struct ucore_domain *domain)
{
	lockdep_assert_held(&domain->lock);

	domain->frozen_since = min(domain->frozen_since,
				   max(domain->status_clear, domain->unfrozen));
}

/**
 * ucore_unfreeze_found() - end a freeze that existed before ucore used the domain
 * @domain: domain on which no session runs
 *
 * Firmware, another driver or an earlier overflow may have left the domain frozen. The global
 * status of the E5-2600 generations does not show such a freeze. If a freeze by ucore is in
 * progress, the domain stays frozen until that freeze ends.
 */
void ucore_unfreeze_found(struct ucore_domain *domain)
{
	lockdep_assert_held(&domain->lock);

	if (domain->global && !domain->frozen)
		domain_unfreeze(domain);
}

/**
 * ucore_freeze_write_shared() - write the shared registers of a box that is in use
 * @arg: struct ucore_shared
 *
 * Runs on a CPU of the domain, with interrupts off and without the domain's lock. Freezes the
 * domain for the writes. If no context counts on the box, nothing is written, because the next
 * START writes the registers.
 */
void ucore_freeze_write_shared(void *arg)
{
	struct ucore_shared *shared = arg;
	struct ucore_domain *domain = shared->box->domain;

	raw_spin_lock(&domain->lock);
	if (shared->box->users && !shared->box->dead) {
		ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
		ucore_box_join(shared->box, shared->value);
		ucore_unfreeze_domain(domain, true);
	}
	raw_spin_unlock(&domain->lock);
}

/*
 * ---- panic: the other CPUs have been stopped, perhaps with the lock held ----
 */

/* Return true if this CPU can access a register window of the domain without a lock. */
static bool within_reach(const struct ucore_domain *domain, const struct ucore_io *io)
{
	switch (io->ops->access) {
	case UCORE_ACCESS_MSR:
		return ucore_domain_has_cpu(domain, raw_smp_processor_id());
	case UCORE_ACCESS_ECAM:
	case UCORE_ACCESS_MMIO:
		return true;
	default:
		return false;	/* the kernel's PCI config accessors take a lock */
	}
}

/**
 * ucore_freeze_panic() - freeze a domain in a panic, without sending interrupts to other CPUs
 * @domain: domain
 *
 * Return: false if a global control is not accessible, or if there is none.
 */
bool ucore_freeze_panic(struct ucore_domain *domain)
{
	const struct ucore_control *c;

	if (!domain->global || !within_reach(domain, &domain->io))
		return false;
	ucore_domain_for_each_further(domain, c)
		if (!within_reach(domain, &c->io))
			return false;
	if (!domain->acquired)
		ucore_domain_note_found(domain);
	ucore_domain_assign_routes(domain, 0);
	ucore_domain_write_freeze(domain);
	return true;
}

/**
 * ucore_unfreeze_panic() - restore the global control in a panic, for the next kernel
 * @domain: domain frozen by ucore_freeze_panic(), whose boxes have been restored
 */
void ucore_unfreeze_panic(struct ucore_domain *domain)
{
	ucore_domain_clear_stale(domain);
	ucore_domain_clear_all(domain);
	domain->acquired = false;
	ucore_domain_assign_found_routes(domain);
	ucore_domain_write_run(domain);
}

/**
 * ucore_freeze_panic_reaches() - check whether a box is accessible in a panic
 * @box: box of the domain
 *
 * Return: false if a register needs another CPU or a lock.
 */
bool ucore_freeze_panic_reaches(const struct ucore_box *box)
{
	return within_reach(box->domain, &box->io) &&
	       (!box->aux.ops || within_reach(box->domain, &box->aux));
}
