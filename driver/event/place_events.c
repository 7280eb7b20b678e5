// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement: choose counters of a box for the events of one session. Pure functions: no hardware
 * access, no locks, no allocation. Part of the session layer.
 *
 * Events of group 0 always count, so that no other group can use their counters. Each other group
 * uses the remaining counters in its own time slices. A placement therefore is a set of general
 * counters for group 0, such that each other group fits on the counters outside the set.
 *
 * A box has at most UCORE_MAX_GP general counters. All sets of them are tried: struct counter_sets
 * has one bit for each set. The bits of a group are computed from those without its last event.
 * The cost is therefore proportional to the number of events on the box. No placement that exists
 * is missed. A fixed counter counts only its own event, so that there is no choice.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/list.h>

#include "event/event.h"
#include "event/place_events.h"

#define NR_SETS		BIT(UCORE_MAX_GP)
#define GENERAL		((u64)NR_SETS - 1)
#define NO_SET		NR_SETS

/**
 * struct counter_sets - sets of general counters that suffice for certain events
 * @word: bitmap. Bit s is set if the counters in the mask s suffice.
 */
struct counter_sets {
	u64 word[NR_SETS / 64];
};

static const struct counter_sets all_sets = { .word = { [0 ... NR_SETS / 64 - 1] = U64_MAX } };

/* Bits of the sets with the counter 0 to 5, within each word of struct counter_sets */
static const u64 sets_with[] = {
	0xaaaaaaaaaaaaaaaaULL, 0xccccccccccccccccULL, 0xf0f0f0f0f0f0f0f0ULL,
	0xff00ff00ff00ff00ULL, 0xffff0000ffff0000ULL, 0xffffffff00000000ULL,
};

static bool sets_test(const struct counter_sets *sets, u32 set)
{
	return sets->word[set / 64] & BIT_ULL(set % 64);
}

static void sets_and(struct counter_sets *sets, const struct counter_sets *other)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sets->word); i++)
		sets->word[i] &= other->word[i];
}

/* Add to @sum each set of @sets without counter @c, together with this counter. */
static void sets_add_counter(struct counter_sets *sum, const struct counter_sets *sets, u32 c)
{
	u32 i, step = c < ARRAY_SIZE(sets_with) ? 0 : BIT(c - ARRAY_SIZE(sets_with));

	for (i = 0; i < ARRAY_SIZE(sum->word); i++) {
		if (!step)
			sum->word[i] |= (sets->word[i] & ~sets_with[c]) << BIT(c);
		else if (i & step)
			sum->word[i] |= sets->word[i ^ step];
	}
}

/* Change @sets from the sets that suffice for some events to those with one more event. */
static void sets_add_event(struct counter_sets *sets, u64 counters)
{
	struct counter_sets sum = {};

	for (counters &= GENERAL; counters; counters &= counters - 1)
		sets_add_counter(&sum, sets, __ffs64(counters));
	*sets = sum;
}

static bool is_fixed(const struct ucore_event *event)
{
	return event->spec.counters & ~GENERAL;
}

/*
 * Return the counters that an event may use: those that no other session holds (@taken), and those
 * on which other sessions count the same event.
 */
static u64 usable(const struct ucore_event *event, u64 taken)
{
	return event->spec.counters & (~taken | event->joins);
}

/**
 * struct plan - sets of counters that suffice for the groups of a session on a box
 * @always: sets of counters that suffice for group 0
 * @others: sets of counters that suffice for each of the other groups
 * @nr_always: number of counters that group 0 uses
 */
struct plan {
	struct counter_sets always;
	struct counter_sets others;
	u32 nr_always;
};

/*
 * Add the group of @event, which is the group's first event, to the plan. Return the first event of
 * the next group, or the entry of the list head.
 */
static struct ucore_event *group_plan(struct list_head *events, struct ucore_event *event,
				      u64 taken, struct plan *plan)
{
	struct counter_sets sets = all_sets;
	u8 group = event->group;

	list_for_each_entry_from(event, events, claim_node) {
		if (event->group != group)
			break;
		if (is_fixed(event))
			continue;
		sets_add_event(&sets, usable(event, taken));
		plan->nr_always += !group;
	}
	sets_and(group ? &plan->others : &plan->always, &sets);
	return event;
}

static void plan_make(struct list_head *events, u64 taken, struct plan *plan)
{
	struct ucore_event *event = list_first_entry(events, struct ucore_event, claim_node);

	*plan = (struct plan){ .always = all_sets, .others = all_sets };
	while (!list_entry_is_head(event, events, claim_node))
		event = group_plan(events, event, taken, plan);
}

static bool suffices(const struct plan *plan, u32 set)
{
	return hweight32(set) == plan->nr_always && sets_test(&plan->always, set) &&
	       sets_test(&plan->others, GENERAL & ~set);
}

/*
 * Choose the set of counters for group 0. A set with more counters that other sessions hold for the
 * same events (@taken) is better, because it leaves more counters free. Of equal sets the lowest is
 * chosen. Return NO_SET if the events do not fit.
 */
static u32 plan_choose(const struct plan *plan, u64 taken)
{
	u32 set, best = NO_SET;

	for (set = 0; set < NR_SETS; set++) {
		if (!suffices(plan, set))
			continue;
		if (best == NO_SET || hweight32(set & taken) > hweight32(best & taken))
			best = set;
		if (!(taken & GENERAL))
			break;
	}
	return best;
}

/*
 * Assign a counter of the mask @set, which suffices for the group, to each event of the group of
 * @first. Return the first event of the next group, or the entry of the list head.
 */
static struct ucore_event *group_assign(struct list_head *events, struct ucore_event *first,
					u64 set, u64 taken)
{
	struct ucore_event *event = first, *general[UCORE_MAX_GP];
	u64 allowed[UCORE_MAX_GP];
	u8 counter[UCORE_MAX_GP];
	u32 i, nr = 0;

	list_for_each_entry_from(event, events, claim_node) {
		if (event->group != first->group)
			break;
		if (is_fixed(event)) {
			event->counter = __ffs64(event->spec.counters);
		} else {
			general[nr] = event;
			allowed[nr++] = usable(event, taken) & set;
		}
	}
	ucore_event_assign(allowed, nr, counter);
	for (i = 0; i < nr; i++)
		general[i]->counter = counter[i];
	return event;
}

static void assign(struct list_head *events, u32 set, u64 taken)
{
	struct ucore_event *event = list_first_entry(events, struct ucore_event, claim_node);

	while (!list_entry_is_head(event, events, claim_node))
		event = group_assign(events, event, event->group ? GENERAL & ~(u64)set : set,
				     taken);
}

/* Return true if another event needs the new event's fixed counter in the same time slices. */
static bool fixed_in_use(struct list_head *events, const struct ucore_event *new)
{
	const struct ucore_event *event;

	list_for_each_entry(event, events, claim_node)
		if (event != new && event->spec.counters == new->spec.counters &&
		    (!event->group || !new->group || event->group == new->group))
			return true;
	return false;
}

/**
 * ucore_place_events() - choose counters for the events of a session on one box
 * @events: the events (ucore_event.claim_node), including @new, ascending by group. On success
 *          their @counter is set.
 * @new: event to be added
 * @taken: mask of the counters that other sessions hold. An event may use those of its @joins.
 *
 * Cost: proportional to the number of events on the box.
 *
 * Return: 0; -ENOSPC if the counters of the box do not suffice; -EBUSY if they would suffice
 * without those that other sessions hold. No event changes then.
 */
int ucore_place_events(struct list_head *events, const struct ucore_event *new, u64 taken)
{
	struct plan plan;
	u32 set;

	if (is_fixed(new)) {
		if (fixed_in_use(events, new))
			return -ENOSPC;
		if (!usable(new, taken))
			return -EBUSY;
	}
	plan_make(events, taken, &plan);
	set = plan_choose(&plan, taken);
	if (set != NO_SET) {
		assign(events, set, taken);
		return 0;
	}
	if (!taken)
		return -ENOSPC;
	plan_make(events, 0, &plan);
	return plan_choose(&plan, 0) == NO_SET ? -ENOSPC : -EBUSY;
}
