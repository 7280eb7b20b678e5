// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters of a shared box: check whether sessions may use the shared registers of a box together,
 * and write these registers when a session ends its use of them. Part of the session layer.
 * Process context; the catalog is locked.
 *
 * All sessions that set shared registers must require the same values. A field that an event
 * leaves out is required to be 0, because 0 can select as any other value does. An event without
 * filters counts with the filters of other sessions. Therefore filters that need CAP_PERFMON do
 * not share a box with events that were added without CAP_PERFMON. An event that resets an
 * occupancy counter of the box would change counts of other sessions. Therefore its session has
 * the box alone.
 */
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/string.h>

#include "box/catalog.h"
#include "box/freeze.h"
#include "cpu/budget.h"
#include "session/claim_filters.h"

/*
 * Return true if the claim, with the new event, requires the same values of shared registers
 * as the claims of other sessions on the box.
 */
static bool values_agree(const struct ucore_claim *claim, const struct ucore_event *new)
{
	const struct ucore_claim *other;
	u32 i;

	if (!claim->filters && !new->spec.filters)
		return true;
	list_for_each_entry(other, &claim->box->claims, node)
		for (i = 0; i < UCORE_MAX_SHARED; i++)
			if (other != claim && other->filters &&
			    other->shared[i] != (claim->shared[i] |
						 new->spec.value[UCORE_SLOT_SHARED(i)]))
				return false;
	return true;
}

/*
 * Return true unless the new event needs filters that require CAP_PERFMON, beside events of
 * other sessions that were added without CAP_PERFMON, or the other way round. An event without
 * filters counts with the filters of other sessions. Therefore it could count what its session
 * may not observe.
 */
static bool permissions_agree(const struct ucore_claim *claim, const struct ucore_event *new)
{
	bool perfmon_filters = claim->perfmon_filters || new->spec.perfmon_filters;
	bool unprivileged = claim->unprivileged || !new->perfmon;
	const struct ucore_claim *other;

	list_for_each_entry(other, &claim->box->claims, node)
		if (other != claim && ((perfmon_filters && other->unprivileged) ||
				       (unprivileged && other->perfmon_filters)))
			return false;
	return true;
}

/* Return true unless the new event, or another session on the box, resets an occupancy counter. */
static bool resets_agree(const struct ucore_claim *claim, const struct ucore_event *new)
{
	bool resets = claim->resets || new->spec.resets;
	const struct ucore_claim *other;

	list_for_each_entry(other, &claim->box->claims, node)
		if (other != claim && (resets || other->resets))
			return false;
	return true;
}

/**
 * ucore_filters_agree() - check whether a new event's filters permit it to share the box
 * @claim: claim of the event's session on the box
 * @new: the event
 *
 * Return: false if another session on the box requires other values of the shared registers, if
 * one of the two needs CAP_PERFMON for its filters and the other lacks it, or if one of the two
 * resets an occupancy counter.
 */
bool ucore_filters_agree(const struct ucore_claim *claim, const struct ucore_event *new)
{
	lockdep_assert_held(&ucore_catalog.lock);

	return values_agree(claim, new) && permissions_agree(claim, new) &&
	       resets_agree(claim, new);
}

/**
 * ucore_filters_collect() - get the values that the claims of a box require
 * @filters: receives the values
 * @box: the box
 */
void ucore_filters_collect(struct ucore_filters *filters, struct ucore_box *box)
{
	const struct ucore_claim *claim;
	u32 i;

	lockdep_assert_held(&ucore_catalog.lock);

	*filters = (struct ucore_filters){ .box = box };
	list_for_each_entry(claim, &box->claims, node)
		for (i = 0; i < UCORE_MAX_SHARED; i++)
			filters->shared[i] |= claim->shared[i];
}

static void filters_write_here(void *arg)
{
	struct ucore_filters *filters = arg;
	struct ucore_domain *domain = filters->box->domain;

	raw_spin_lock(&domain->lock);
	/* without a user, the next START writes the shared registers */
	if (filters->box->users && !filters->box->dead) {
		ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
		ucore_box_join(filters->box, filters->shared);
		ucore_unfreeze_domain(domain, true);
	}
	raw_spin_unlock(&domain->lock);
}

/**
 * ucore_filters_update() - write a box's shared registers after a claim has changed
 * @before: values required before the change
 *
 * While other sessions count on the box, a filter that no session requires any more gets the value
 * 0. The catalog stays locked, so that no session can claim the box before the write. The caller
 * holds the CPU hotplug lock.
 */
void ucore_filters_update(const struct ucore_filters *before)
{
	struct ucore_box *box = before->box;
	struct ucore_filters now;

	lockdep_assert_held(&ucore_catalog.lock);

	ucore_filters_collect(&now, box);
	if (box->dirty && memcmp(now.shared, before->shared, sizeof(now.shared)))
		ucore_budget_run(box->domain, filters_write_here, &now);
}
