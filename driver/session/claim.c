// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims: what sessions have of a box: counters, and a say in the registers that all its
 * counters share (filters, matches).
 *
 * Sessions share a box as long as no counter is two sessions', and as those that say
 * something of its shared registers want the same of all of them: a field that an event
 * leaves out is 0 for it, and may select as any other value does.  Counters without a
 * control run whoever reads them, and are nobody's.  Groups of a session that take turns
 * may have the same counters, which are the session's all the time.  A box that its
 * session freezes by the box's own control is its alone: that freeze would stop the
 * counters of others, too.
 *
 * Who claims a box first takes it from the kernel, who leaves it last gives it back as it
 * was found; in between it is reset only while no part counts there (box->users).
 * Process context; the session's lock is held.
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
#include "box/intree.h"
#include "box/pmc_reserve.h"
#include "cpu/budget.h"
#include "session/claim.h"
#include "session/session_state.h"

/*
 * ---- coming ----
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

/* Have a box that no session has, unless the kernel has it. */
static int box_take(const struct ucore_box *box)
{
	if (box->domain->scope == UCORE_SCOPE_CPU)
		return ucore_pmc_reserve(box->desc.type->nr_gp);
	return ucore_intree_present() ? -EBUSY : 0;
}

/*
 * May it be one more?  There are no more sessions on a box than it has counters: what
 * sessions spend together has an end also where counters are nobody's.
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

static int claim_enter(struct ucore_claim *claim)
{
	struct ucore_box *box = claim->box;
	int ret = 0;

	mutex_lock(&ucore_catalog.lock);
	if (list_empty(&box->claims))
		ret = box_take(box);
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
 * ucore_claim_get() - the session's claim on a box, perhaps a new one
 * @session: the session, locked
 * @box: the box
 *
 * One without events is to be settled.
 *
 * Return: the claim or an ERR_PTR: -EBUSY, -ENOMEM.
 */
struct ucore_claim *ucore_claim_get(struct ucore_session *session, struct ucore_box *box)
{
	struct ucore_claim *claim;
	int ret;

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
	ret = claim_enter(claim);
	if (ret) {
		kfree(claim);
		return ERR_PTR(ret);
	}
	return claim;
}

/*
 * ---- events on counters ----
 */

/**
 * struct place - events of a claim, on their way to counters
 * @nr: how many
 * @event: the events
 * @allowed: counters that each may use
 * @counter: the counter of each
 */
struct place {
	u32 nr;
	struct ucore_event *event[UCORE_MAX_COUNTERS + 1];
	u64 allowed[UCORE_MAX_COUNTERS + 1];
	u8 counter[UCORE_MAX_COUNTERS + 1];
};

static void place_put(struct place *place, struct ucore_event *event)
{
	if (place->nr < ARRAY_SIZE(place->event))
		place->event[place->nr++] = event;
}

static void place_reverse(struct place *place)
{
	u32 i;

	for (i = 0; i < place->nr / 2; i++)
		swap(place->event[i], place->event[place->nr - 1 - i]);
}

/* The events of some groups that the session has on the box, by id, and the new one. */
static void place_collect(struct place *place, const struct ucore_claim *claim,
			  struct ucore_event *new, u64 groups)
{
	struct ucore_event *event;
	u32 left = claim->nr_events;

	place->nr = 0;
	if (groups & BIT_ULL(new->group))
		place_put(place, new);
	/* from the end: they were most likely added lately */
	list_for_each_entry_reverse(event, &claim->session->events, node) {
		if (!left)
			break;
		if (event->claim != claim)
			continue;
		left--;
		if (groups & BIT_ULL(event->group))
			place_put(place, event);
	}
	place_reverse(place);
}

/* The groups that the session has on the box, the new event's among them. */
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

static bool place_assign(struct place *place, u64 taken)
{
	u32 i;

	for (i = 0; i < place->nr; i++)
		place->allowed[i] = place->event[i]->spec.counters & ~taken;
	return ucore_event_assign(place->allowed, place->nr, place->counter);
}

/* Counters of other sessions. */
static u64 counters_taken(const struct ucore_claim *claim)
{
	const struct ucore_claim *other;
	u64 taken = 0;

	list_for_each_entry(other, &claim->box->claims, node)
		if (other != claim)
			taken |= other->counters;
	return taken;
}

/* One without a control runs freely. */
static u64 counter_bit(const struct ucore_box *box, u8 counter)
{
	const struct ucore_layout *layout = box->desc.layout;

	if (counter >= UCORE_COUNTER_FIXED &&
	    layout->fixed_ctl[counter - UCORE_COUNTER_FIXED] == UCORE_REG_NONE)
		return 0;
	return BIT_ULL(counter);
}

/* One more event of the claim: its counter, what it says of the shared registers. */
static void claim_count(struct ucore_claim *claim, const struct ucore_event *event)
{
	u32 i;

	claim->counters |= counter_bit(claim->box, event->counter);
	claim->filters |= event->spec.filters;
	for (i = 0; i < UCORE_MAX_SHARED; i++)
		claim->shared[i] |= event->spec.value[UCORE_SLOT_SHARED(i)];
}

static void claim_forget(struct ucore_claim *claim)
{
	claim->counters = 0;
	claim->filters = false;
	memset(claim->shared, 0, sizeof(claim->shared));
}

/* With the new event, do all sessions that say something of them want the same? */
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
 * struct layout - a choice of counters for all groups, in the making
 * @claim: whose
 * @new: the new event
 * @groups: all groups
 * @lead: the group for which group 0 is placed
 * @taken: counters of others
 * @always: counters that group 0 gets
 */
struct layout {
	struct ucore_claim *claim;
	struct ucore_event *new;
	u64 groups;
	u32 lead;
	u64 taken;
	u64 always;
};

static void place_commit(const struct place *place)
{
	u32 i;

	for (i = 0; i < place->nr; i++)
		place->event[i]->counter = place->counter[i];
}

/* Group 0 together with the group that leads. */
static bool lead_assign(struct layout *layout, struct place *place)
{
	u32 i;

	place_collect(place, layout->claim, layout->new, BIT_ULL(0) | BIT_ULL(layout->lead));
	if (!place_assign(place, layout->taken))
		return false;
	layout->always = 0;
	for (i = 0; i < place->nr; i++)
		if (!place->event[i]->group)
			layout->always |= BIT_ULL(place->counter[i]);
	return true;
}

/* Each of the others beside group 0. */
static bool rest_assign(const struct layout *layout, struct place *place, bool commit)
{
	u64 rest = layout->groups & ~(BIT_ULL(0) | BIT_ULL(layout->lead));
	u32 group;

	for (; rest; rest &= rest - 1) {
		group = __ffs64(rest);
		place_collect(place, layout->claim, layout->new, BIT_ULL(group));
		if (!place_assign(place, layout->taken | layout->always))
			return false;
		if (commit)
			place_commit(place);
	}
	return true;
}

/* The first group for which group 0 can be placed so that all others find room. */
static bool layout_find(struct layout *layout, struct place *place)
{
	u64 leads = layout->groups & ~BIT_ULL(0) ?: BIT_ULL(0);

	for (; leads; leads &= leads - 1) {
		layout->lead = __ffs64(leads);
		if (lead_assign(layout, place) && rest_assign(layout, place, false))
			return true;
	}
	return false;
}

static int claim_assign(struct ucore_claim *claim, struct ucore_event *new, u64 groups,
			struct place *place)
{
	struct layout layout = { .claim = claim, .new = new, .groups = groups };
	const struct ucore_event *event;

	if (!filters_agree(claim, new))
		return -EADDRINUSE;
	layout.taken = counters_taken(claim);
	if (!layout_find(&layout, place)) {
		layout.taken = 0;
		return layout_find(&layout, place) ? -EBUSY : -ENOSPC;
	}
	rest_assign(&layout, place, true);
	lead_assign(&layout, place);
	place_commit(place);
	claim_forget(claim);
	list_for_each_entry(event, &claim->session->events, node)
		if (event->claim == claim)
			claim_count(claim, event);
	claim_count(claim, new);
	return 0;
}

/**
 * ucore_claim_place() - place a new event beside those that sessions have on its box
 * @claim: the session's claim, session locked and stopped
 * @new: the event, not in the session's list as yet; others may be moved for it
 *
 * Return: 0; -EADDRINUSE if another event wants other values of the shared registers,
 * -EBUSY if other sessions have the counters that it needs, -ENOSPC if this one has: in its
 * group, or in group 0.
 */
int ucore_claim_place(struct ucore_claim *claim, struct ucore_event *new)
{
	struct place place;
	u64 groups;
	int ret;

	ret = groups_collect(claim, new, &groups);
	if (ret)
		return ret;
	mutex_lock(&ucore_catalog.lock);
	ret = claim_assign(claim, new, groups, &place);
	mutex_unlock(&ucore_catalog.lock);
	return ret;
}

/*
 * ---- going ----
 */

/**
 * struct give_back - boxes to be given back on one domain
 * @session: the session; the catalog is locked for it
 * @domain: the domain
 * @box: which; NULL: all that only this session has there
 */
struct give_back {
	const struct ucore_session *session;
	struct ucore_domain *domain;
	struct ucore_box *box;
};

static void give_back_here(void *arg)
{
	struct give_back *back = arg;
	struct ucore_domain *domain = back->domain;
	bool box_freeze = ucore_session_freezes_boxes(back->session, domain);
	struct ucore_event *event;

	raw_spin_lock(&domain->lock);
	if (!box_freeze)
		ucore_domain_freeze(domain, ktime_get_mono_fast_ns());
	if (back->box)
		ucore_box_restore(back->box);
	else
		list_for_each_entry(event, &back->session->events, node)
			if (event->box->domain == domain &&
			    list_is_singular(&event->box->claims))
				ucore_box_restore(event->box);
	if (!box_freeze)
		ucore_domain_unfreeze(domain, true);
	raw_spin_unlock(&domain->lock);
}

/*
 * The last one goes, and nobody comes before the box is as it was: the catalog is locked.
 * A domain without CPU cannot be reached: then its first CPU cleans up.  A core's
 * counters were stopped before their CPU went, and may be perf's when it is back.
 */
static void box_leave(struct ucore_claim *claim)
{
	struct ucore_box *box = claim->box;
	struct give_back back = { .session = claim->session, .domain = box->domain, .box = box };

	if (box->dirty)
		ucore_budget_run(box->domain, give_back_here, &back);
	if (box->domain->scope != UCORE_SCOPE_CPU)
		return;
	box->dirty = false;
	ucore_pmc_release(box->desc.type->nr_gp);
}

static void claim_leave(struct ucore_claim *claim)
{
	cpus_read_lock();
	mutex_lock(&ucore_catalog.lock);
	if (list_is_singular(&claim->box->claims))
		box_leave(claim);
	list_del(&claim->node);
	claim->session->nr_boxes--;
	mutex_unlock(&ucore_catalog.lock);
	cpus_read_unlock();
	kfree(claim);
}

/* An event has gone: so has what only that one wanted. */
static void claim_renew(struct ucore_claim *claim)
{
	const struct ucore_event *event;

	mutex_lock(&ucore_catalog.lock);
	claim_forget(claim);
	list_for_each_entry(event, &claim->session->events, node)
		if (event->claim == claim)
			claim_count(claim, event);
	mutex_unlock(&ucore_catalog.lock);
}

/**
 * ucore_claim_settle() - an event of it has gone, or did not come; without events it ends
 * @claim: the claim, its session locked and stopped
 */
void ucore_claim_settle(struct ucore_claim *claim)
{
	if (claim->nr_events)
		claim_renew(claim);
	else
		claim_leave(claim);
}

/**
 * ucore_claims_give_back() - give back the hardware of all boxes that only this session has
 * @session: the session, locked and stopped; its claims are about to end
 *
 * Each domain is frozen once.
 */
void ucore_claims_give_back(struct ucore_session *session)
{
	struct give_back back = { .session = session };
	struct ucore_event *event;

	cpus_read_lock();
	mutex_lock(&ucore_catalog.lock);
	list_for_each_entry(event, &session->events, node) {
		if (!event->box->dirty || !list_is_singular(&event->box->claims))
			continue;	/* never programmed, its domain is done, or another's too */
		back.domain = event->box->domain;
		ucore_budget_run(back.domain, give_back_here, &back);
	}
	mutex_unlock(&ucore_catalog.lock);
	cpus_read_unlock();
}

/*
 * ---- telling ----
 */

/* Who has its shared registers, else who came first; NULL if nobody has it. */
static const struct ucore_claim *claim_told(const struct ucore_box *box)
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
 * ucore_claim_describe() - which session has a box, for GET_BOXES
 * @box: the box
 * @out: gets @owner, @owner_pid and @owner_comm, unless the box is free, and
 *       UCORE_BOX_F_SHARED if there is more than one
 */
void ucore_claim_describe(const struct ucore_box *box, struct ucore_box_info *out)
{
	const struct ucore_claim *claim;

	mutex_lock(&ucore_catalog.lock);
	claim = claim_told(box);
	if (claim) {
		out->owner = claim->session->id;
		out->owner_pid = pid_vnr(claim->session->pid);
		strscpy(out->owner_comm, claim->session->comm, sizeof(out->owner_comm));
		if (!list_is_singular(&box->claims))
			out->caps |= UCORE_BOX_F_SHARED;
	}
	mutex_unlock(&ucore_catalog.lock);
}
