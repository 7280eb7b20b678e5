// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rotation: groups of events take turns on counters.
 *
 * A timer on each domain's reader ends a turn.  All domains of a session have one grid, and
 * whose turn it is follows from the instant: so they switch together, also after one of
 * them came late.  What a switch is part.c knows.
 *
 * Callbacks run in hard-irq context on a CPU of the domain and take its lock.
 */
#include <linux/ktime.h>
#include <linux/math64.h>

#include "box/domain.h"
#include "compat.h"
#include "cpu/budget.h"
#include "sample/domain_ctx.h"
#include "irq/rotate.h"
#include "sample/sample.h"

/* Whose turn is it at an instant? */
static u8 group_at(const struct ucore_part *part, u64 now)
{
	u64 turns = now > part->rotate_base ?
		    div64_u64(now - part->rotate_base, part->rotate_ns) : 0;
	u32 i;

	div_u64_rem(turns, part->nr_groups, &i);
	return part->groups[i];
}

/* One freeze, the counters of the group that leaves, controls that differ, one thaw. */
static void turn_here(struct ucore_part *part, u64 now)
{
	u8 group = group_at(part, now);
	struct ucore_interval iv;

	if (group == part->group)
		return;
	ucore_interval_begin_part(&iv, part, now);
	ucore_part_turn(part, group, iv.now, ucore_interval_frozen_before(&iv, part));
	ucore_interval_end(&iv);
}

/*
 * The next turn, or a later one if this CPU is beyond its budget: then the group that would
 * have been next, so that none is left out for good.
 */
static void next_turn(struct ucore_part *part, struct hrtimer *timer)
{
	u64 now = ucore_budget_leave(), wait = ucore_budget_wait_ns(raw_smp_processor_id(), now);
	u64 skipped;
	u32 rest;

	hrtimer_forward(timer, ns_to_ktime(now), ns_to_ktime(part->rotate_ns));
	skipped = wait ? hrtimer_forward(timer, ns_to_ktime(now + wait),
					 ns_to_ktime(part->rotate_ns)) : 0;
	if (!skipped)
		return;
	part->stats.put_off++;
	div_u64_rem(skipped, part->nr_groups, &rest);
	if (!rest)
		return;
	hrtimer_forward(timer, ktime_add_ns(hrtimer_get_expires(timer),
					    part->rotate_ns * (part->nr_groups - rest - 1)),
			ns_to_ktime(part->rotate_ns));
}

static enum hrtimer_restart turn_tick(struct hrtimer *timer)
{
	struct ucore_part *part = container_of(timer, struct ucore_part, rotate);
	struct ucore_domain *domain = part->domain;
	u64 start = ucore_budget_entered_at(timer);

	raw_spin_lock(&domain->lock);
	if (!part->running) {
		raw_spin_unlock(&domain->lock);
		return HRTIMER_NORESTART;
	}
	ucore_budget_enter(start);
	turn_here(part, ktime_get_mono_fast_ns());
	next_turn(part, timer);
	raw_spin_unlock(&domain->lock);
	return HRTIMER_RESTART;
}

/**
 * ucore_rotate_init() - prepare the timer of a part's turns
 * @part: the part
 */
void ucore_rotate_init(struct ucore_part *part)
{
	hrtimer_setup(&part->rotate, turn_tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
}

/**
 * ucore_rotate_start() - start it on this CPU; the first group's turn has begun
 * @part: the part
 * @base: instant from which all domains of the session count turns
 */
void ucore_rotate_start(struct ucore_part *part, u64 base)
{
	part->rotate_base = base;
	hrtimer_start(&part->rotate, ns_to_ktime(base + part->rotate_ns),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}
