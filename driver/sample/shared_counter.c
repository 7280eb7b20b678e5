// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hardware counters that several sessions use for the same event. Part of the sample layer.
 *
 * A counter that one running session uses belongs to that session, as box/counter.c describes.
 * When a second session starts, the leader takes over: a struct ucore_counter that stands for the
 * hardware counter alone. Only the leader is read and written. Each session's counter takes from it
 * what has been counted since the session's START, RESET or last read. The leader remains until
 * the last of its users stops.
 *
 * The hardware counter overflows when the first period of its users ends. It is loaded with the
 * distance to that end, whenever the end changes. All users with a period are checked after an
 * overflow, so that the periods of two users may end in the same instant. Each period is as long as
 * if the session used the hardware counter alone.
 *
 * All functions run with the domain's lock held, on a CPU of the domain, with interrupts off. The
 * domain is frozen unless a function says otherwise. ucore_shared_begin_read() and
 * ucore_shared_take() may also run on a helper CPU that reads the box (parallel_read.c).
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "box/counter_use.h"
#include "box/domain_global_ctl.h"
#include "sample/shared_counter.h"

/*
 * ---- counts ----
 */

/**
 * ucore_shared_take() - add what the leader has counted since the last call to a counter's total
 * @ctr: counter with a leader
 */
void ucore_shared_take(struct ucore_counter *ctr)
{
	const struct ucore_counter *leader = ctr->leader;

	ctr->total += leader->total - ctr->seen;
	ctr->seen = leader->total;
	ctr->wrapped |= ctr->period && !ctr->throttled && ctr->total >= ctr->period_end;
	if (READ_ONCE(ctr->box->dead))
		ctr->flags |= UCORE_VALUE_F_DEAD;
}

/**
 * ucore_shared_begin_read() - begin to read a leader, once in a readout
 * @ctr: counter with a leader, in a readout
 *
 * Return: true if the leader must be read; false if it has been read in this readout. A counter
 * that no freeze stops is always read.
 */
bool ucore_shared_begin_read(const struct ucore_counter *ctr)
{
	u64 readout = ctr->box->domain->readouts + 1;

	if (ctr->flags & UCORE_VALUE_F_UNFROZEN)
		return true;
	if (ctr->use->readout == readout)
		return false;
	ctr->use->readout = readout;
	return true;
}

/**
 * ucore_shared_update() - read a counter, by its leader if it has one
 * @ctr: counter
 * @mode: frozen, running, or low half only
 *
 * The domain need not be frozen if @mode is UCORE_RUNNING or UCORE_LOW.
 */
void ucore_shared_update(struct ucore_counter *ctr, enum ucore_read_mode mode)
{
	if (!ctr->leader) {
		ucore_counter_update(ctr, mode);
		return;
	}
	ucore_counter_update(ctr->leader, mode);
	ucore_shared_take(ctr);
}

/**
 * ucore_shared_update_at() - read a counter while it counts, its leader once for all its users
 * @ctr: counter
 * @now: current time (ns), the same for all counters that are read together
 */
void ucore_shared_update_at(struct ucore_counter *ctr, u64 now)
{
	if (ctr->leader && ctr->use->read_at == now) {
		ucore_shared_take(ctr);
		return;
	}
	if (ctr->leader)
		ctr->use->read_at = now;
	ucore_shared_update(ctr, UCORE_RUNNING);
}

static enum ucore_read_mode whole(const struct ucore_counter *ctr)
{
	return ctr->flags & UCORE_VALUE_F_UNFROZEN ? UCORE_RUNNING : UCORE_FROZEN;
}

/* Read the leader of a counter, unless it has been read in this readout. */
static void leader_read(struct ucore_counter *ctr)
{
	if (ucore_shared_begin_read(ctr))
		ucore_counter_update(ctr->leader, whole(ctr));
	ucore_shared_take(ctr);
}

/*
 * ---- periods ----
 */

/* Return the number of counts to the nearest end of a period (counts), 0 if there is none. */
static u64 nearest_end(const struct ucore_counter_use *use)
{
	struct ucore_counter *ctr;
	u64 nearest = U64_MAX;

	for (ctr = use->armed; ctr; ctr = ctr->next_armed) {
		ucore_shared_take(ctr);
		/* the service of a period that has ended already is pending */
		if (!ctr->throttled && ctr->total < ctr->period_end)
			nearest = min(nearest, ctr->period_end - ctr->total);
	}
	return nearest == U64_MAX ? 0 : nearest;
}

/* Let the hardware counter be loaded by the next ucore_shared_load_spent(). */
static void load_later(struct ucore_counter_use *use)
{
	struct ucore_domain *domain = use->leader->box->domain;

	if (use->spent)
		return;
	use->spent = true;
	use->next_spent = domain->spent;
	domain->spent = use;
}

/*
 * Load the hardware counter, which has just been read, so that it overflows at the nearest end of a
 * period. Without such an end, load 0, from which no overflow follows for hours.
 */
static void leader_load(struct ucore_counter_use *use)
{
	struct ucore_counter *leader = use->leader;
	u64 val = (0 - nearest_end(use)) & leader->mask;

	leader->wrapped = false;
	if (leader->prev != val && !leader->box->dead)
		ucore_counter_load(leader, val);
}

/* Change the control of the hardware counter, which counts. */
static void leader_control(struct ucore_counter *leader, u64 ctl)
{
	struct ucore_box *box = leader->box;

	if (leader->ctl == ctl || box->dead)
		return;
	ucore_counter_change_control(leader, leader->ctl, ctl);
	leader->ctl = ctl;
	if (ucore_counter_is_fixed(leader) && box->desc.type->fixed_step)
		ucore_box_write_fixed(box);
}

/* Add a counter with a period to the armed users of its leader. The next load arms the period. */
static void arm(struct ucore_counter *ctr)
{
	struct ucore_counter_use *use = ctr->use;

	ctr->next_armed = use->armed;
	use->armed = ctr;
	leader_control(use->leader, use->leader->ctl | ucore_counter_overflow_bits(ctr));
}

/**
 * ucore_shared_disarm() - remove a counter with a leader from the counters with a period
 * @ctr: counter with a leader and a period; the leader has just been read
 */
void ucore_shared_disarm(struct ucore_counter *ctr)
{
	struct ucore_counter_use *use = ctr->use;
	struct ucore_counter **link = &use->armed;

	while (*link != ctr)
		link = &(*link)->next_armed;
	*link = ctr->next_armed;
	if (!use->armed)
		leader_control(use->leader,
			       use->leader->ctl & ~ucore_counter_overflow_bits(ctr));
	load_later(use);
}

/**
 * ucore_shared_period_ended() - check, after an overflow, whether a user's period has ended
 * @ctr: counter with a leader that has overflowed
 *
 * Reads the leader once in a readout.
 *
 * Return: true if the counter's period has ended.
 */
bool ucore_shared_period_ended(struct ucore_counter *ctr)
{
	load_later(ctr->use);
	leader_read(ctr);
	return !ctr->throttled && ctr->total >= ctr->period_end;
}

/**
 * ucore_shared_counted_past_end() - get what a counter has counted after the end of its period
 * @ctr: counter whose period has ended, just read
 *
 * Return: number of counts.
 */
u64 ucore_shared_counted_past_end(const struct ucore_counter *ctr)
{
	return ctr->leader ? ctr->total - ctr->period_end : ctr->prev;
}

static void period_begin(struct ucore_counter *ctr)
{
	ctr->wrapped = false;
	ctr->throttled = false;
	ctr->period_end = ctr->total + ctr->period;
}

/**
 * ucore_shared_rearm() - begin the next period of a counter
 * @ctr: counter with a period, just read
 *
 * With a leader, no register is written before ucore_shared_load_spent().
 */
void ucore_shared_rearm(struct ucore_counter *ctr)
{
	if (ctr->leader)
		period_begin(ctr);
	else
		ucore_counter_arm(ctr);
}

/**
 * ucore_shared_throttle() - stop the overflow interrupts of a counter that continues to count
 * @ctr: counter with a period, just read
 *
 * With a leader, no register is written before ucore_shared_load_spent().
 */
void ucore_shared_throttle(struct ucore_counter *ctr)
{
	if (!ctr->leader) {
		ucore_counter_throttle(ctr);
		return;
	}
	ctr->wrapped = false;
	ctr->throttled = true;
	ctr->throttle_total = ctr->total;
}

/**
 * ucore_shared_unthrottle() - let the end of a throttled counter's period interrupt again
 * @ctr: throttled counter, just read
 */
void ucore_shared_unthrottle(struct ucore_counter *ctr)
{
	u64 missed = ucore_counter_missed_periods(ctr);

	if (!ctr->leader) {
		ucore_counter_unthrottle(ctr);
		return;
	}
	ctr->wrapped = false;
	ctr->throttled = false;
	ctr->period_end = ctr->throttle_total + (missed + 1) * ctr->period;
	load_later(ctr->use);
}

/**
 * ucore_shared_load_spent() - load the hardware counters of a domain for their next overflows
 * @domain: domain, about to be unfrozen. The leaders of these counters have been read.
 *
 * Called after the next period of all counters with ended periods has begun. Each hardware counter
 * is loaded once, however many of its users changed.
 */
void ucore_shared_load_spent(struct ucore_domain *domain)
{
	struct ucore_counter_use *use;

	while ((use = domain->spent)) {
		domain->spent = use->next_spent;
		use->spent = false;
		if (use->sharing)
			leader_load(use);
	}
}

/*
 * ---- begin and end ----
 */

/* Return the total with which the period of an armed counter without a leader ends. */
static u64 end_of_period(const struct ucore_counter *ctr)
{
	return ctr->total - ctr->prev + (ctr->wrapped ? 0 : ctr->mask + 1);
}

static void sharing_set(struct ucore_counter_use *use, bool sharing)
{
	struct ucore_box *box;

	if (use->sharing == sharing)
		return;
	box = use->leader->box;
	box->sharing += sharing ? 1 : -1;
	box->domain->nr_shared += sharing ? 1 : -1;
	use->sharing = sharing;
}

/* Let the leader count for the first user, whose count goes on. No register is accessed. */
static void leader_begin(struct ucore_counter_use *use)
{
	struct ucore_counter *first = use->first, *leader = use->leader;

	*leader = (struct ucore_counter){
		.event = UCORE_EVENT_NONE,
		.box = first->box,
		.prev = first->prev,
		.mask = first->mask,
		.low_ns = first->low_ns,
		.reg = first->reg,
		.ctl = first->ctl,
		.ctl_reg = first->ctl_reg,
		.index = first->index,
		.flags = first->flags & (UCORE_VALUE_F_UNFROZEN | UCORE_VALUE_F_PARTIAL),
	};
	sharing_set(use, true);
	use->read_at = 0;
	use->first = NULL;
	use->readout = 0;
	first->leader = leader;
	first->seen = leader->total;
	use->armed = NULL;
	if (!first->period)
		return;
	first->period_end = end_of_period(first);
	first->next_armed = NULL;
	use->armed = first;
}

/* Start a counter on a hardware counter that counts for other sessions. */
static void join(struct ucore_counter *ctr)
{
	struct ucore_counter_use *use = ctr->use;

	if (!use->sharing)
		leader_begin(use);
	ucore_counter_limit_width(ctr);
	ucore_counter_update(use->leader, whole(ctr));
	ctr->leader = use->leader;
	ctr->seen = use->leader->total;
	ctr->flags &= ~UCORE_VALUE_F_PARTIAL;
	ctr->flags |= use->leader->flags & UCORE_VALUE_F_PARTIAL;
	use->leader->low_ns = min(use->leader->low_ns, ctr->low_ns);
	ctr->wrapped = false;
	ctr->throttled = false;
	if (!ctr->period)
		return;
	period_begin(ctr);
	arm(ctr);
	load_later(use);
}

/**
 * ucore_shared_program() - program a counter, or let it join a hardware counter that counts already
 * @ctr: counter of a context that is being programmed
 *
 * A user more costs one register read. With a period it may cost a write of the counter and one of
 * its control.
 */
void ucore_shared_program(struct ucore_counter *ctr)
{
	struct ucore_counter_use *use = ctr->use;

	ctr->leader = NULL;
	if (!use || ctr->group) {
		ucore_counter_program(ctr);
		return;
	}
	ctr->counted = true;
	if (use->users++) {
		join(ctr);
		return;
	}
	use->first = ctr;
	use->started = false;
	ucore_counter_program(ctr);
}

/**
 * ucore_shared_start_unfrozen() - start a counter that no freeze stops, unless it counts already
 * @ctr: programmed counter; nothing happens if a freeze stops it
 *
 * The caller unfreezes the domain immediately afterwards. The control of a counter that counts for
 * another session already has this value and is not written again.
 */
void ucore_shared_start_unfrozen(struct ucore_counter *ctr)
{
	if (ctr->counted) {
		if (ctr->use->started)
			return;
		ctr->use->started = true;
	}
	ucore_counter_start_unfrozen(ctr->leader ?: ctr);
}

/**
 * ucore_shared_detach() - end the use of a hardware counter that has lost its value
 * @ctr: counter of a box that stopped responding; its count ends with the last value read
 *
 * Accesses no register. The caller detaches all users of the hardware counter.
 */
void ucore_shared_detach(struct ucore_counter *ctr)
{
	struct ucore_counter_use *use = ctr->use;

	if (!use || !ctr->counted)
		return;
	if (ctr->leader)
		ucore_shared_take(ctr);
	ctr->leader = NULL;
	ctr->counted = false;
	use->users = 0;
	use->first = NULL;
	use->armed = NULL;
	sharing_set(use, false);
}

/**
 * ucore_shared_leave() - end the use of a hardware counter
 * @ctr: counter of a context that stops, just read
 *
 * Return: true if other sessions use the hardware counter, which therefore continues to count.
 */
bool ucore_shared_leave(struct ucore_counter *ctr)
{
	struct ucore_counter_use *use = ctr->use;

	if (!use || !ctr->counted)
		return false;
	ctr->counted = false;
	if (--use->users) {
		if (ctr->period)
			ucore_shared_disarm(ctr);
		ctr->leader = NULL;
		return true;
	}
	ctr->leader = NULL;
	use->first = NULL;
	use->armed = NULL;
	sharing_set(use, false);
	return false;
}

/**
 * ucore_shared_reload() - set a counter to zero, or to the beginning of a new period
 * @ctr: counter of a running session, whose total has been set to 0
 */
void ucore_shared_reload(struct ucore_counter *ctr)
{
	if (!ctr->leader) {
		ucore_counter_reload(ctr);
		return;
	}
	leader_read(ctr);
	ctr->total = 0;
	ctr->wrapped = false;
	if (!ctr->period)
		return;
	period_begin(ctr);
	load_later(ctr->use);
}
