// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims: the counters of a box that a session holds, and the values that the session requires
 * in shared registers. All counters of a box share those registers (filters, matches). Part of
 * the session layer. Process context; the session's lock is held.
 *
 * Several sessions can use a box if their counters differ and if all sessions that set shared
 * registers require the same values. A field that an event leaves out is required to be 0,
 * because 0 can select as any other value does. Counters without a control register run freely
 * and belong to no session. Groups of a session may use the same counters by rotation; the
 * session holds these counters all the time. A session with box freeze has its boxes alone,
 * because the freeze would stop the counters of other sessions.
 *
 * The first claim on a box acquires the box from the kernel. The end of the last claim restores
 * the registers to the values found. Between the two the box is reset only while no domain
 * context uses it (box->users is 0).
 */
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "box/catalog.h"
#include "box/freeze.h"
#include "box/intel_uncore.h"
#include "box/pmc_reserve.h"
#include "cpu/budget.h"
#include "session/claim.h"
#include "session/session_state.h"

/*
 * ---- creation of claims ----
 */

static struct ucore_claim *claim_find(const struct ucore_session *session,
				      const struct ucore_box *box)
{
	struct ucore_claim *claim;

	list_for_each_entry(claim, &box->claims, node)
		if (claim->session == session)
			return claim;
	return NULL;
}

/* Acquire a box that no session uses. Return -EBUSY if perf or intel_uncore uses the box. */
static int box_acquire(const struct ucore_box *box)
{
	if (box->domain->scope == UCORE_SCOPE_CPU)
		return ucore_pmc_reserve(box->desc.type->nr_gp);
	return ucore_intel_uncore_present() ? -EBUSY : 0;
}

/*
 * Return true if one more session may use the box. A box has at most as many sessions as
 * counters. The limit also bounds the cost of free-running counters, which belong to no
 * session.
 */
static bool box_has_room(const struct ucore_claim *claim)
{
	const struct ucore_box_type *type = claim->box->desc.type;
	u32 room = type->nr_gp + type->nr_fixed;
	const struct ucore_claim *other;

	list_for_each_entry(other, &claim->box->claims, node) {
		if (other->alone || claim->alone)
			return false;
		room--;
	}
	return room;
}

static int claim_acquire(struct ucore_claim *claim)
{
	struct ucore_box *box = claim->box;
	int ret = 0;

	mutex_lock(&ucore_catalog.lock);
	if (list_empty(&box->claims))
		ret = box_acquire(box);
	else if (!box_has_room(claim))
		ret = -EBUSY;
	if (!ret) {
		list_add_tail(&claim->node, &box->claims);
		claim->session->nr_boxes++;
	}
	mutex_unlock(&ucore_catalog.lock);
	return ret;
}

/**
 * ucore_claim_get() - find the session's claim on a box, or create it
 * @session: the session, locked
 * @box: the box
 *
 * A new claim has no events. The caller adds one or calls ucore_claim_settle().
 *
 * Return: the claim, or an ERR_PTR with -EBUSY or -ENOMEM.
 */
struct ucore_claim *ucore_claim_get(struct ucore_session *session, struct ucore_box *box)
{
	struct ucore_claim *claim;
	int ret;

	lockdep_assert_held(&session->lock);

	mutex_lock(&ucore_catalog.lock);
	claim = claim_find(session, box);
	mutex_unlock(&ucore_catalog.lock);
	if (claim)
		return claim;
	claim = kzalloc(sizeof(*claim), GFP_KERNEL_ACCOUNT);
	if (!claim)
		return ERR_PTR(-ENOMEM);
	claim->session = session;
	claim->box = box;
	claim->alone = ucore_session_freezes_boxes(session, box->domain);
	ret = claim_acquire(claim);
	if (ret) {
		kfree(claim);
		return ERR_PTR(ret);
	}
	return claim;
}

/*
 * ---- placement of events on counters ----
 */

/**
 * struct placement - events of a claim in certain groups, and the counters chosen for them
 * @nr: number of entries in @event
 * @event: events for which counters are chosen
 * @allowed: for each event, mask of the counters that it may use
 * @counter: for each event, number of the chosen counter
 */
struct placement {
	u32 nr;
	struct ucore_event *event[UCORE_MAX_COUNTERS + 1];
	u64 allowed[UCORE_MAX_COUNTERS + 1];
	u8 counter[UCORE_MAX_COUNTERS + 1];
};

static void place_add(struct placement *place, struct ucore_event *event)
{
	if (place->nr < ARRAY_SIZE(place->event))
		place->event[place->nr++] = event;
}

static void place_reverse(struct placement *place)
{
	u32 i;

	for (i = 0; i < place->nr / 2; i++)
		swap(place->event[i], place->event[place->nr - 1 - i]);
}

/* Collect the claim's events of @groups (mask) in @place, by ascending id, the new event last. */
static void place_collect(struct placement *place, const struct ucore_claim *claim,
			  struct ucore_event *new, u64 groups)
{
	struct ucore_event *event;
	u32 left = claim->nr_events;

	place->nr = 0;
	if (groups & BIT_ULL(new->group))
		place_add(place, new);
	/* from the end of the list, because the box's events were probably added last */
	list_for_each_entry_reverse(event, &claim->session->events, node) {
		if (!left)
			break;
		if (event->claim != claim)
			continue;
		left--;
		if (groups & BIT_ULL(event->group))
			place_add(place, event);
	}
	place_reverse(place);
}

/*
 * Set @groups to a mask of the groups of the claim's events and of the new event. Return
 * -EADDRINUSE if the new event requires other filter values than an event of the claim.
 */
static int groups_collect(const struct ucore_claim *claim, const struct ucore_event *new,
			  u64 *groups)
{
	u32 left = claim->nr_events;
	struct ucore_event *event;

	*groups = BIT_ULL(new->group);
	list_for_each_entry_reverse(event, &claim->session->events, node) {
		if (!left)
			break;
		if (event->claim != claim)
			continue;
		left--;
		if (ucore_event_conflicts(&event->spec, &new->spec))
			return -EADDRINUSE;
		*groups |= BIT_ULL(event->group);
	}
	return 0;
}

static bool place_assign(struct placement *place, u64 taken)
{
	u32 i;

	for (i = 0; i < place->nr; i++)
		place->allowed[i] = place->event[i]->spec.counters & ~taken;
	return ucore_event_assign(place->allowed, place->nr, place->counter);
}

/* Return a mask of the counters of the claim's box that other sessions hold. */
static u64 counters_taken(const struct ucore_claim *claim)
{
	const struct ucore_claim *other;
	u64 taken = 0;

	list_for_each_entry(other, &claim->box->claims, node)
		if (other != claim)
			taken |= other->counters;
	return taken;
}

/* Return a mask with the counter's bit; 0 for a free-running counter, which no session holds. */
static u64 counter_bit(const struct ucore_box *box, u8 counter)
{
	const struct ucore_layout *layout = box->desc.layout;

	if (counter >= UCORE_COUNTER_FIXED &&
	    layout->fixed_ctl[counter - UCORE_COUNTER_FIXED] == UCORE_REG_NONE)
		return 0;
	return BIT_ULL(counter);
}

/* Add an event's counter and its values of shared registers to the claim. */
static void claim_add_event(struct ucore_claim *claim, const struct ucore_event *event)
{
	u32 i;

	claim->counters |= counter_bit(claim->box, event->counter);
	claim->filters |= event->spec.filters;
	for (i = 0; i < UCORE_MAX_SHARED; i++)
		claim->shared[i] |= event->spec.value[UCORE_SLOT_SHARED(i)];
}

static void claim_clear(struct ucore_claim *claim)
{
	claim->counters = 0;
	claim->filters = false;
	memset(claim->shared, 0, sizeof(claim->shared));
}

/*
 * Return true if the claim, with the new event, requires the same values of shared registers
 * as the claims of other sessions on the box.
 */
static bool filters_agree(const struct ucore_claim *claim, const struct ucore_event *new)
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

/**
 * struct plan - a choice of counters for all groups of a claim
 * @claim: claim of the session on the box
 * @new: event to be added
 * @groups: mask of the groups of the claim's events and of @new
 * @lead: lead group: the group that is placed first, together with group 0, which always counts
 * @taken: mask of the counters that other sessions hold
 * @always: mask of the counters chosen for group 0, which no other group can use
 */
struct plan {
	struct ucore_claim *claim;
	struct ucore_event *new;
	u64 groups;
	u32 lead;
	u64 taken;
	u64 always;
};

static void place_commit(const struct placement *place)
{
	u32 i;

	for (i = 0; i < place->nr; i++)
		place->event[i]->counter = place->counter[i];
}

/*
 * Choose counters for the events of group 0, which always count, together with those of the lead
 * group, which is the group that is placed first.
 */
static bool lead_assign(struct plan *plan, struct placement *place)
{
	u32 i;

	place_collect(place, plan->claim, plan->new, BIT_ULL(0) | BIT_ULL(plan->lead));
	if (!place_assign(place, plan->taken))
		return false;
	plan->always = 0;
	for (i = 0; i < place->nr; i++)
		if (!place->event[i]->group)
			plan->always |= BIT_ULL(place->counter[i]);
	return true;
}

/*
 * Choose counters for each group except group 0 and the lead group (plan->lead), among the
 * counters that group 0 leaves free.
 */
static bool rest_assign(const struct plan *plan, struct placement *place, bool commit)
{
	u64 rest = plan->groups & ~(BIT_ULL(0) | BIT_ULL(plan->lead));
	u32 group;

	for (; rest; rest &= rest - 1) {
		group = __ffs64(rest);
		place_collect(place, plan->claim, plan->new, BIT_ULL(group));
		if (!place_assign(place, plan->taken | plan->always))
			return false;
		if (commit)
			place_commit(place);
	}
	return true;
}

/*
 * Choose counters for all groups. The events of group 0 always count, so that their counters are
 * not free for any other group. Each group is tried as the lead group, which is placed together
 * with group 0 before the others, until the others fit. Return false if none is suitable.
 */
static bool plan_find(struct plan *plan, struct placement *place)
{
	u64 leads = plan->groups & ~BIT_ULL(0) ?: BIT_ULL(0);

	for (; leads; leads &= leads - 1) {
		plan->lead = __ffs64(leads);
		if (lead_assign(plan, place) && rest_assign(plan, place, false))
			return true;
	}
	return false;
}

static int claim_assign(struct ucore_claim *claim, struct ucore_event *new, u64 groups,
			struct placement *place)
{
	struct plan plan = { .claim = claim, .new = new, .groups = groups };
	const struct ucore_event *event;

	if (!filters_agree(claim, new))
		return -EADDRINUSE;
	plan.taken = counters_taken(claim);
	if (!plan_find(&plan, place)) {
		plan.taken = 0;
		return plan_find(&plan, place) ? -EBUSY : -ENOSPC;
	}
	rest_assign(&plan, place, true);
	lead_assign(&plan, place);
	place_commit(place);
	claim_clear(claim);
	list_for_each_entry(event, &claim->session->events, node)
		if (event->claim == claim)
			claim_add_event(claim, event);
	claim_add_event(claim, new);
	return 0;
}

/**
 * ucore_claim_place() - choose a counter for a new event
 * @claim: the session's claim; the session is locked and stopped
 * @new: the event, not yet in the session's list; events of the session may move to other
 *       counters
 *
 * Return: 0; -EADDRINUSE if another event requires other values of the shared registers;
 * -EBUSY if other sessions hold the counters that the event needs; -ENOSPC if events of this
 * session, in the same group or in group 0, use the counters that the event needs.
 */
int ucore_claim_place(struct ucore_claim *claim, struct ucore_event *new)
{
	struct placement place;
	u64 groups;
	int ret;

	lockdep_assert_held(&claim->session->lock);

	ret = groups_collect(claim, new, &groups);
	if (ret)
		return ret;
	mutex_lock(&ucore_catalog.lock);
	ret = claim_assign(claim, new, groups, &place);
	mutex_unlock(&ucore_catalog.lock);
	return ret;
}

/*
 * ---- end of claims ----
 */

/**
 * struct restore - boxes of one domain whose registers are to be restored
 * @session: session that releases the boxes; the catalog is locked
 * @domain: domain of the boxes
 * @box: box to restore, or NULL for all boxes of @domain that only @session uses
 */
struct restore {
	const struct ucore_session *session;
	struct ucore_domain *domain;
	struct ucore_box *box;
};

static void restore_here(void *arg)
{
	struct restore *restore = arg;
	struct ucore_domain *domain = restore->domain;
	bool box_freeze = ucore_session_freezes_boxes(restore->session, domain);
	struct ucore_event *event;

	raw_spin_lock(&domain->lock);
	if (!box_freeze)
		ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	if (restore->box)
		ucore_box_restore(restore->box);
	else
		list_for_each_entry(event, &restore->session->events, node)
			if (event->box->domain == domain &&
			    list_is_singular(&event->box->claims))
				ucore_box_restore(event->box);
	if (!box_freeze)
		ucore_unfreeze_domain(domain, true);
	raw_spin_unlock(&domain->lock);
}

/*
 * Restore the registers of a box whose last claim ends. The catalog is locked, so that no
 * session can claim the box before the restore. The registers of a domain without an online CPU
 * cannot be accessed. Its first CPU that comes online restores the box. The counters of a core
 * were stopped before the CPU went offline, and may belong to perf when the CPU is online again.
 */
static void box_release(struct ucore_claim *claim)
{
	struct ucore_box *box = claim->box;
	struct restore restore = { .session = claim->session, .domain = box->domain, .box = box };

	lockdep_assert_held(&ucore_catalog.lock);

	if (box->dirty)
		ucore_budget_run(box->domain, restore_here, &restore);
	if (box->domain->scope != UCORE_SCOPE_CPU)
		return;
	box->dirty = false;
	ucore_pmc_release(box->desc.type->nr_gp);
}

static void claim_release(struct ucore_claim *claim)
{
	cpus_read_lock();
	mutex_lock(&ucore_catalog.lock);
	if (list_is_singular(&claim->box->claims))
		box_release(claim);
	list_del(&claim->node);
	claim->session->nr_boxes--;
	mutex_unlock(&ucore_catalog.lock);
	cpus_read_unlock();
	kfree(claim);
}

/* Compute the claim's counters and shared register values again, after an event was removed. */
static void claim_update(struct ucore_claim *claim)
{
	const struct ucore_event *event;

	mutex_lock(&ucore_catalog.lock);
	claim_clear(claim);
	list_for_each_entry(event, &claim->session->events, node)
		if (event->claim == claim)
			claim_add_event(claim, event);
	mutex_unlock(&ucore_catalog.lock);
}

/**
 * ucore_claim_settle() - update a claim after an event was removed or could not be added
 * @claim: the claim, freed if it has no events; its session is locked and stopped
 */
void ucore_claim_settle(struct ucore_claim *claim)
{
	lockdep_assert_held(&claim->session->lock);

	if (claim->nr_events)
		claim_update(claim);
	else
		claim_release(claim);
}

/**
 * ucore_claim_restore_boxes() - restore all boxes that only this session uses
 * @session: the session, locked and stopped; its claims are about to be released
 *
 * Freezes each domain only once, unlike the release of one claim after the other.
 */
void ucore_claim_restore_boxes(struct ucore_session *session)
{
	struct restore restore = { .session = session };
	struct ucore_event *event;

	lockdep_assert_held(&session->lock);

	cpus_read_lock();
	mutex_lock(&ucore_catalog.lock);
	list_for_each_entry(event, &session->events, node) {
		if (!event->box->dirty || !list_is_singular(&event->box->claims))
			continue;	/* box not programmed since its restore, or shared */
		restore.domain = event->box->domain;
		ucore_budget_run(restore.domain, restore_here, &restore);
	}
	mutex_unlock(&ucore_catalog.lock);
	cpus_read_unlock();
}

/*
 * ---- owner of a box, for GET_BOXES ----
 */

/*
 * Find the claim to report for a box: the one that sets shared registers, otherwise the
 * oldest; NULL if there is none.
 */
static const struct ucore_claim *claim_to_report(const struct ucore_box *box)
{
	const struct ucore_claim *claim, *first = NULL;

	list_for_each_entry(claim, &box->claims, node) {
		if (claim->filters)
			return claim;
		first = first ?: claim;
	}
	return first;
}

/**
 * ucore_claim_describe() - fill in the owner of a box, for GET_BOXES
 * @box: the box
 * @out: receives @owner, @owner_pid and @owner_comm, unless the box is free, and
 *       UCORE_BOX_F_SHARED if several sessions use it
 */
void ucore_claim_describe(const struct ucore_box *box, struct ucore_box_info *out)
{
	const struct ucore_claim *claim;

	mutex_lock(&ucore_catalog.lock);
	claim = claim_to_report(box);
	if (claim) {
		out->owner = claim->session->id;
		out->owner_pid = pid_vnr(claim->session->pid);
		strscpy(out->owner_comm, claim->session->comm, sizeof(out->owner_comm));
		if (!list_is_singular(&box->claims))
			out->flags |= UCORE_BOX_F_SHARED;
	}
	mutex_unlock(&ucore_catalog.lock);
}
