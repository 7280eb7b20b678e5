// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holders: how many claims hold each hardware counter of a box, and the event for which they hold
 * it. A further session may hold the counter for the same event. Part of the event layer. No
 * hardware access.
 *
 * Process context. The caller holds the catalog's lock.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/slab.h>

#include "box/counter_use.h"
#include "selftest/selftest.h"
#include "event/counter_holders.h"

static u32 nr_counters(const struct ucore_box *box)
{
	return box->desc.type->nr_gp + box->desc.type->nr_fixed;
}

static struct ucore_counter_use *use_of(const struct ucore_box *box, u8 counter)
{
	return &box->uses[ucore_counter_use_index(box, counter)];
}

/* Return the bits of an event's control that select the event. */
static u64 selected(const struct ucore_event *event)
{
	return event->spec.value[UCORE_SLOT_CTL];
}

/*
 * Return true if several sessions may hold the counter of an event. Groups use counters in turn. A
 * counter that a freeze does not stop cannot be loaded for the period of one session without a loss
 * of counts of the others.
 */
static bool may_share(const struct ucore_event *event)
{
	return !event->group &&
	       !(event->spec.period && ucore_selftest_freeze_fails(event->box, false));
}

/**
 * ucore_holders_create() - allocate the uses of the counters of a box for the first claim
 * @box: the box
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_holders_create(struct ucore_box *box)
{
	box->uses = kcalloc(nr_counters(box), sizeof(*box->uses), GFP_KERNEL_ACCOUNT);
	return box->uses ? 0 : -ENOMEM;
}

/**
 * ucore_holders_share() - allocate what a second claim on a box needs, unless it is allocated
 * @box: the box, which has claims
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_holders_share(struct ucore_box *box)
{
	u32 i;

	if (box->leaders)
		return 0;
	box->leaders = kcalloc(nr_counters(box), sizeof(*box->leaders), GFP_KERNEL_ACCOUNT);
	if (!box->leaders)
		return -ENOMEM;
	for (i = 0; i < nr_counters(box); i++)
		box->uses[i].leader = &box->leaders[i];
	return 0;
}

/**
 * ucore_holders_destroy() - free the uses of the counters of a box
 * @box: the box, whose last claim ends
 */
void ucore_holders_destroy(struct ucore_box *box)
{
	kfree(box->leaders);
	kfree(box->uses);
	box->leaders = NULL;
	box->uses = NULL;
}

/**
 * ucore_holders_joins() - find the counters on which other sessions count the same event
 * @event: event of a session
 * @taken: mask of the counters that other sessions hold
 *
 * The filters of the two events agree, because all counters of a box use the same filters.
 *
 * Return: mask of those counters of @taken that the event may use.
 */
u64 ucore_holders_joins(const struct ucore_event *event, u64 taken)
{
	u64 counters = may_share(event) ? event->spec.counters & taken : 0, joins = 0;
	const struct ucore_counter_use *use;

	for (; counters; counters &= counters - 1) {
		use = use_of(event->box, __ffs64(counters));
		if (use->shareable && use->event == selected(event))
			joins |= BIT_ULL(__ffs64(counters));
	}
	return joins;
}

/**
 * ucore_holders_add() - let a claim hold the counter of an event
 * @event: event of the claim, with the chosen counter, which is not free-running
 * @more: the claim does not hold the counter yet for another event
 */
void ucore_holders_add(const struct ucore_event *event, bool more)
{
	struct ucore_counter_use *use = use_of(event->box, event->counter);

	if (more && !use->holders++) {
		use->event = selected(event);
		use->shareable = true;
	}
	use->shareable &= may_share(event) && use->event == selected(event);
}

/**
 * ucore_holders_drop() - let a claim hold counters no longer
 * @box: the box of the claim
 * @counters: mask of the counters that the claim has held
 */
void ucore_holders_drop(struct ucore_box *box, u64 counters)
{
	for (; counters; counters &= counters - 1)
		use_of(box, __ffs64(counters))->holders--;
}
