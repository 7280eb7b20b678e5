// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims: the counters of a box that a session holds, and the values that the session requires
 * in shared registers. All counters of a box share those registers (filters, matches). Part of
 * the session layer. Process context; the session's lock is held.
 *
 * Several sessions can use a box if their filters agree (ucore_filters_agree()). They hold
 * different counters, or the same counter for the same event. Counters without a control register
 * run freely and belong to no session. Groups of a session may use the same counters by rotation;
 * the session holds these counters alone and all the time. Sessions that agree to count in turns
 * may hold the same counter for different events (UCORE_SESSION_F_MULTIPLEX). A session with box
 * freeze has its boxes alone, because the freeze would stop the counters of other sessions.
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
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "box/catalog.h"
#include "box/freeze.h"
#include "box/intel_uncore.h"
#include "selftest/selftest.h"
#include "cpu/budget.h"
#include "cpu/pmc_reserve.h"
#include "cpu/pmi_trial.h"
#include "event/counter_holders.h"
#include "event/place_events.h"
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
 * Return true if one more session may use the box. The limit bounds the cost of a command, which
 * walks over the claims of its boxes.
 */
static bool box_has_room(const struct ucore_claim *claim)
{
	u32 room = UCORE_BOX_SESSIONS_MAX;
	const struct ucore_claim *other;

	list_for_each_entry(other, &claim->box->claims, node) {
		if (other->alone || claim->alone)
			return false;
		room--;
	}
	return room;
}

static int claim_first(struct ucore_box *box)
{
	int ret = ucore_holders_create(box) ?: box_acquire(box);

	if (ret)
		ucore_holders_destroy(box);
	return ret;
}

static int claim_acquire(struct ucore_claim *claim)
{
	struct ucore_box *box = claim->box;
	int ret;

	mutex_lock(&ucore_catalog.lock);
	if (list_empty(&box->claims))
		ret = claim_first(box);
	else
		ret = box_has_room(claim) ? ucore_holders_share(box) : -EBUSY;
	if (!ret) {
		list_add_tail(&claim->node, &box->claims);
		claim->session->nr_boxes++;
	}
	mutex_unlock(&ucore_catalog.lock);
	return ret;
}

static struct ucore_claim *claim_create(struct ucore_session *session, struct ucore_box *box)
{
	struct ucore_claim *claim = kzalloc(sizeof(*claim), GFP_KERNEL_ACCOUNT);
	struct ucore_domain_ctx *ctx = session->ctx[box->domain->id];
	int ret;

	if (!claim)
		return ERR_PTR(-ENOMEM);
	claim->session = session;
	claim->box = box;
	claim->alone = ucore_session_freezes_boxes(session, box->domain);
	INIT_LIST_HEAD(&claim->events);
	ret = claim_acquire(claim);
	if (ret) {
		kfree(claim);
		return ERR_PTR(ret);
	}
	list_add_tail(&claim->ctx_node, &ctx->claims);
	ctx->nr_claims++;
	return claim;
}

/**
 * struct selftest - self-test of a claimed box
 * @box: the box
 * @overflow: also try what an overflow does
 * @pmi: also try which CPUs a PMI reaches
 */
struct selftest {
	struct ucore_box *box;
	bool overflow;
	bool pmi;
};

static void selftest_here(void *arg)
{
	const struct selftest *test = arg;
	struct ucore_box *box = test->box;

	raw_spin_lock(&box->domain->lock);
	/* another session may have tested or started the box since claim_selftest() checked it */
	if (ucore_selftest_needed(box, test->overflow))
		ucore_selftest_run(box, test->overflow);
	raw_spin_unlock(&box->domain->lock);
}

/*
 * Run the self-test of a claimed box, unless it has run before. A box whose domain has no online
 * CPU is tested at the next opportunity. Return 0, -ENODEV if the box cannot count, or -EINTR if
 * the caller is being killed.
 */
static int claim_selftest(struct ucore_claim *claim, bool trial, bool interrupt)
{
	bool freeze = claim->session->flags & UCORE_SESSION_F_NO_PMI;
	struct selftest test = { claim->box, trial || freeze, interrupt };
	struct ucore_box *box = claim->box;

	if (ucore_selftest_needed(box, test.overflow) ||
	    (test.pmi && ucore_pmi_trial_wanted(box))) {
		/* sleeps with the session's lock held; only a revoke can wait for that lock */
		if (ucore_budget_await(box->domain))
			return -EINTR;
		mutex_lock(&ucore_run_lock);
		cpus_read_lock();
		ucore_budget_run(box->domain, selftest_here, &test);
		if (test.pmi && ucore_pmi_trial_wanted(box))
			ucore_pmi_trial_run(box);
		cpus_read_unlock();
		mutex_unlock(&ucore_run_lock);
		ucore_selftest_report(box);
	}
	return ucore_selftest_failed(box) ? -ENODEV : 0;
}

/**
 * ucore_claim_get() - find the session's claim on a box, or create it
 * @session: the session, locked, with a context on the box's domain
 * @box: the box
 * @trial: only a trial shows if the event's period can end as required
 * @interrupt: the end of the event's period may interrupt
 *
 * Runs the self-test of a box that has not been tested, and the trial. The self-test may change the
 * capabilities of the box. A new claim has no events. The caller adds one or calls
 * ucore_claim_settle().
 *
 * Return: the claim, or an ERR_PTR with -EBUSY, -ENOMEM, -ENODEV if the box cannot count, or
 * -EINTR.
 */
struct ucore_claim *ucore_claim_get(struct ucore_session *session, struct ucore_box *box,
				    bool trial, bool interrupt)
{
	struct ucore_claim *claim;
	int ret;

	lockdep_assert_held(&session->lock);

	mutex_lock(&ucore_catalog.lock);
	claim = claim_find(session, box);
	mutex_unlock(&ucore_catalog.lock);
	if (!claim)
		claim = claim_create(session, box);
	if (IS_ERR(claim))
		return claim;
	ret = claim_selftest(claim, trial, interrupt);
	if (ret) {
		ucore_claim_settle(claim);
		return ERR_PTR(ret);
	}
	return claim;
}

/*
 * ---- events of a claim ----
 */

static bool is_multiplexed(const struct ucore_claim *claim)
{
	return claim->session->flags & UCORE_SESSION_F_MULTIPLEX;
}

/* Return the counters of counters_taken() whose sessions do not agree to count in turns. */
static u64 counters_fixed(const struct ucore_claim *claim)
{
	const struct ucore_claim *other;
	u64 fixed = 0;

	list_for_each_entry(other, &claim->box->claims, node)
		if (other != claim && !is_multiplexed(other))
			fixed |= other->counters;
	return fixed;
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

/* Let the claim hold the counter of an event, and add the event's filters to the claim. */
static void claim_add_event(struct ucore_claim *claim, const struct ucore_event *event)
{
	u64 bit = counter_bit(claim->box, event->counter);

	if (bit)
		ucore_holders_add(event, !(claim->counters & bit));
	claim->counters |= bit;
	ucore_filters_add(&claim->filters, event);
}

/* Let the claim hold no counter. */
static void claim_drop_counters(struct ucore_claim *claim)
{
	ucore_holders_drop(claim->box, claim->counters);
	claim->counters = 0;
}

/* Return true if the claim's filters, with those of the new event, agree with other sessions'. */
static bool filters_agree(const struct ucore_claim *claim, const struct ucore_event *new)
{
	struct ucore_filters filters = claim->filters;
	const struct ucore_claim *other;

	ucore_filters_add(&filters, new);
	list_for_each_entry(other, &claim->box->claims, node)
		if (other != claim && !ucore_filters_agree(&filters, &other->filters))
			return false;
	return true;
}

/* Insert an event into the claim's list, after the events of its group and of lower groups. */
static void claim_insert(struct ucore_claim *claim, struct ucore_event *new)
{
	struct ucore_event *event;

	list_for_each_entry_reverse(event, &claim->events, claim_node)
		if (event->group <= new->group)
			break;
	list_add(&new->claim_node, &event->claim_node);
	new->claim = claim;
}

/* Compute the claim's counters and filters from its events. */
static void claim_update(struct ucore_claim *claim)
{
	const struct ucore_event *event;

	lockdep_assert_held(&ucore_catalog.lock);

	claim_drop_counters(claim);
	claim->filters = (struct ucore_filters){ };
	list_for_each_entry(event, &claim->events, claim_node)
		claim_add_event(claim, event);
}

/* Return true if an event of the claim requires other filter values than the new event. */
static bool claim_conflicts(const struct ucore_claim *claim, const struct ucore_event *new)
{
	const struct ucore_event *event;

	list_for_each_entry(event, &claim->events, claim_node)
		if (ucore_event_conflicts(&event->spec, &new->spec))
			return true;
	return false;
}

/**
 * ucore_claim_add_event() - add an event to a claim, and choose counters for its events
 * @claim: the session's claim; the session is locked and stopped
 * @new: the event; events of the claim may move to other counters
 *
 * Return: 0; -EADDRINUSE if the event's filters do not agree with those of another event
 * (ucore_filters_agree()); -EBUSY if other sessions hold the counters that the event needs, for
 * other events;
 * -ENOSPC if events of this session, in the same group or in group 0, use the counters that the
 * event needs. On failure the claim is unchanged, and the caller calls ucore_claim_settle().
 */
int ucore_claim_add_event(struct ucore_claim *claim, struct ucore_event *new)
{
	struct ucore_event *event;
	int ret = -EADDRINUSE;
	u64 taken;

	lockdep_assert_held(&claim->session->lock);

	if (claim_conflicts(claim, new))
		return ret;
	mutex_lock(&ucore_catalog.lock);
	if (!filters_agree(claim, new))
		goto unlock;
	claim_insert(claim, new);
	taken = counters_taken(claim);
	if (taken)
		list_for_each_entry(event, &claim->events, claim_node)
			event->joins = ucore_holders_joins(event, taken);
	ret = ucore_place_events(&claim->events, new, taken);
	if (ret == -EBUSY && is_multiplexed(claim))
		ret = ucore_place_events(&claim->events, new, counters_fixed(claim));
	if (ret)
		list_del(&new->claim_node);
	else
		claim_update(claim);
unlock:
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
	struct ucore_claim *claim;

	raw_spin_lock(&domain->lock);
	if (!box_freeze)
		ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	if (restore->box)
		ucore_box_restore(restore->box);
	else
		list_for_each_entry(claim, &restore->session->ctx[domain->id]->claims, ctx_node)
			if (list_is_singular(&claim->box->claims))
				ucore_box_restore(claim->box);
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
	ucore_pmc_release();
}

/* Collect the values that the claims of a box require in its shared registers, 0 if none does. */
static void shared_collect(struct ucore_shared *shared, struct ucore_box *box)
{
	const struct ucore_claim *claim;
	u32 i;

	*shared = (struct ucore_shared){ .box = box };
	list_for_each_entry(claim, &box->claims, node)
		for (i = 0; i < UCORE_MAX_SHARED; i++)
			shared->value[i] |= claim->filters.shared[i];
}

/* Write the shared registers of a box, if its claims require other values than @before. */
static void shared_update(const struct ucore_shared *before)
{
	struct ucore_shared now;

	lockdep_assert_held(&ucore_catalog.lock);

	shared_collect(&now, before->box);
	if (now.box->dirty && memcmp(now.value, before->value, sizeof(now.value)))
		ucore_budget_run(now.box->domain, ucore_freeze_write_shared, &now);
}

static void claim_release(struct ucore_claim *claim)
{
	struct ucore_shared before;

	cpus_read_lock();
	mutex_lock(&ucore_catalog.lock);
	shared_collect(&before, claim->box);
	claim_drop_counters(claim);
	if (list_is_singular(&claim->box->claims)) {
		box_release(claim);
		ucore_holders_destroy(claim->box);
	}
	list_del(&claim->node);
	shared_update(&before);
	claim->session->nr_boxes--;
	mutex_unlock(&ucore_catalog.lock);
	cpus_read_unlock();
	list_del(&claim->ctx_node);
	claim->session->ctx[claim->box->domain->id]->nr_claims--;
	kfree(claim);
}

/**
 * ucore_claim_settle() - release a claim if it has no events
 * @claim: the claim, freed if it has no events; its session is locked and stopped
 */
void ucore_claim_settle(struct ucore_claim *claim)
{
	lockdep_assert_held(&claim->session->lock);

	if (list_empty(&claim->events))
		claim_release(claim);
}

/**
 * ucore_claim_remove_event() - remove an event from its claim, which is released after the last
 * @event: the event; its session is locked and stopped
 *
 * The other events keep their counters.
 */
void ucore_claim_remove_event(struct ucore_event *event)
{
	struct ucore_claim *claim = event->claim;
	struct ucore_shared before;

	list_del(&event->claim_node);
	cpus_read_lock();
	mutex_lock(&ucore_catalog.lock);
	shared_collect(&before, claim->box);
	claim_update(claim);
	shared_update(&before);
	mutex_unlock(&ucore_catalog.lock);
	cpus_read_unlock();
	ucore_claim_settle(claim);
}

/**
 * ucore_claim_drop_event() - remove an event of a session whose events are all removed
 * @event: the event; its session is locked and stopped
 *
 * The claim holds the counters of its events until its last event is dropped.
 */
void ucore_claim_drop_event(struct ucore_event *event)
{
	list_del(&event->claim_node);
	ucore_claim_settle(event->claim);
}

/* Return true if the context's session alone uses a box that has to be restored. */
static bool ctx_is_dirty(const struct ucore_domain_ctx *ctx)
{
	const struct ucore_claim *claim;

	list_for_each_entry(claim, &ctx->claims, ctx_node)
		if (claim->box->dirty && list_is_singular(&claim->box->claims))
			return true;
	return false;
}

/**
 * ucore_claim_restore_boxes() - restore all boxes that only this session uses
 * @session: the session, locked and stopped; its claims are about to be released
 *
 * Freezes each domain only once, unlike the release of one claim after the other. The catalog is
 * locked for one domain at a time, so that other sessions need not wait for all domains.
 */
void ucore_claim_restore_boxes(struct ucore_session *session)
{
	struct restore restore = { .session = session };
	u32 i;

	lockdep_assert_held(&session->lock);

	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		if (!session->ctx[i])
			continue;
		restore.domain = &ucore_catalog.domains[i];
		cpus_read_lock();
		mutex_lock(&ucore_catalog.lock);
		if (ctx_is_dirty(session->ctx[i]))
			ucore_budget_run(restore.domain, restore_here, &restore);
		mutex_unlock(&ucore_catalog.lock);
		cpus_read_unlock();
	}
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
		if (claim->filters.used)
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
