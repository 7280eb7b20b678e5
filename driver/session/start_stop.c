// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running a session: start, stop, reset and read on all its domains at once.
 *
 * Process context.  Must not know user memory, nor who may have which box
 * (session.c).
 */
#include <linux/cpu.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "box/catalog.h"
#include "cpu/budget.h"
#include "sample/parallel_read.h"
#include "irq/pmi.h"
#include "sample/sample.h"
#include "irq/recovery.h"
#include "irq/timer.h"
#include "sample/tasks.h"
#include "session/prepare.h"
#include "session/core_trigger.h"
#include "session/rendezvous.h"
#include "session/start_stop.h"
#include "session/session.h"
#include "session/admission.h"

/*
 * ---- start and stop ----
 */

static void take(struct ucore_part *part, const struct ucore_meeting *m)
{
	struct ucore_domain *domain = part->domain;
	bool idle = list_empty(&domain->parts);

	if (idle)
		ucore_domain_take(domain);
	else
		ucore_stray_find(domain, ktime_get_mono_fast_ns());
	if (!domain->armed)
		ucore_domain_clear_stale(domain);
	ucore_stray_reset(domain);
	if (idle && part->box_freeze)
		ucore_domain_let_run(domain);
}

/*
 * The domain freezes first and waits for the others with its interrupts off: what
 * it holds up, other sessions' counters among it, shall not be preempted.  With
 * box freeze nothing is held up but the boxes that are being programmed.
 */
static void go_prepare(struct ucore_part *part)
{
	struct ucore_domain *domain = part->domain;

	if (!part->box_freeze)
		ucore_domain_hold(domain, ktime_get_mono_fast_ns());
	ucore_part_program(part);
	list_add_tail(&part->node, &domain->parts);
	if (part->armed_mask) {
		domain->armed++;
		domain->armed_mask |= part->armed_mask;
	}
}

/* All domains count their periods from the same instant: when the first of them went. */
static u64 base_of(const struct ucore_part *part, const struct ucore_meeting *m)
{
	return atomic64_cmpxchg(m->base, 0, part->resumed) ?: part->resumed;
}

static void go(struct ucore_part *part, const struct ucore_meeting *m)
{
	ucore_part_release(part);
	ucore_part_go(part, part->box_freeze ? ucore_part_thaw(part) :
					       ucore_domain_thaw(part->domain, true));
	ucore_guard_start(part->domain);
	ucore_timer_start(part, base_of(part, m));
}

/* Two samples, so that one fits wherever the ring's end is, and a LOST record. */
static bool rings_hold_samples(struct ucore_session *session)
{
	struct ucore_sample *sample;
	struct ucore_part *part;

	ucore_for_each_part(part, session)
		if (part->ring && part->ring->size / 2 < sizeof(struct ucore_lost) +
							 struct_size(sample, values, part->nr_ctr) +
							 ucore_who_size(part))
			return false;
	return true;
}

static int who_get(const struct ucore_session *session)
{
	return session->flags & UCORE_SESSION_TASKS ? ucore_who_get() : 0;
}

static void who_put(const struct ucore_session *session)
{
	if (session->flags & UCORE_SESSION_TASKS)
		ucore_who_put();
}

static bool boxes_alive(struct ucore_session *session)
{
	struct ucore_event *event;

	list_for_each_entry(event, &session->events, node)
		if (!ucore_stray_alive(event->box))
			return false;
	return true;
}

static bool domains_online(struct ucore_session *session)
{
	struct ucore_part *part;

	ucore_for_each_part(part, session)
		if (part->domain->reader == UCORE_NO_CPU)
			return false;
	return true;
}

/**
 * ucore_session_start() - program the boxes and let all domains count together
 * @session: the session, locked
 *
 * Return: 0 or -errno as in the ABI.
 */
int ucore_session_start(struct ucore_session *session)
{
	atomic64_t base = ATOMIC64_INIT(0);
	struct ucore_meeting begin = { .prepare = go_prepare, .act = go, .together = true,
				       .base = &base };
	struct ucore_part *part;
	int ret;

	if (session->running)
		return -EALREADY;
	if (!session->nr_events)
		return -ENOENT;
	ret = ucore_session_may_change(session);
	if (ret)
		return ret;
	if (!boxes_alive(session))
		return -ENODEV;
	ret = ucore_session_build(session);
	if (ret)
		return ret;
	if (!rings_hold_samples(session))
		return -ENOSPC;
	if (!ucore_turn_affordable(session))
		return -ERANGE;
	ret = who_get(session);
	if (ret)
		return ret;

	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	if (!domains_online(session)) {
		ret = -EAGAIN;
		goto unlock;
	}
	ucore_for_each_part(part, session)
		ucore_crew_elect(part, UCORE_NO_CPU);
	ucore_meet(session, &(struct ucore_meeting){ .act = take });
	ucore_for_each_part(part, session)
		if (part->armed_mask)
			ucore_pmi_enable(part->domain);
	ucore_meet(session, &begin);
	session->running = true;
unlock:
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
	if (ret)
		who_put(session);
	else
		ucore_core_triggers_start(session);
	return ret;
}

/* Forget a part's claim on the interrupt; the domain is locked. */
static void domain_unlist(struct ucore_domain *domain, struct ucore_part *part)
{
	struct ucore_part *other;

	list_del(&part->node);
	if (!part->armed_mask)
		return;
	domain->armed--;
	domain->armed_mask = 0;
	list_for_each_entry(other, &domain->parts, node)
		domain->armed_mask |= other->armed_mask;
}

static void stop(struct ucore_part *part, const struct ucore_meeting *m)
{
	struct ucore_interval iv;

	ucore_interval_begin_part(&iv, part, ktime_get_mono_fast_ns());
	ucore_interval_widen(&iv);
	ucore_timer_last(part, &iv);
	ucore_interval_halt(&iv, part);
	ucore_interval_end(&iv);
	domain_unlist(part->domain, part);
}

static void give_back_here(void *arg)
{
	struct ucore_domain *domain = arg;

	raw_spin_lock(&domain->lock);
	ucore_guard_end_throttling(domain);
	ucore_domain_give_back(domain);
	raw_spin_unlock(&domain->lock);
}

static void part_settle(struct ucore_part *part)
{
	struct ucore_domain *domain = part->domain;

	if (domain->reader == UCORE_NO_CPU) {
		raw_spin_lock_irq(&domain->lock);
		domain_unlist(domain, part);
		raw_spin_unlock_irq(&domain->lock);
	}
	ucore_timer_end(part);
	if (!domain->armed)
		ucore_pmi_disable(domain);
	if (!list_empty(&domain->parts))
		return;
	hrtimer_cancel(&domain->guard);
	if (domain->reader == UCORE_NO_CPU) {
		raw_spin_lock_irq(&domain->lock);
		ucore_domain_abandon(domain);
		raw_spin_unlock_irq(&domain->lock);
	}
	ucore_budget_run(domain, give_back_here, domain);
}

static void halt_parts(struct ucore_session *session)
{
	struct ucore_part *part;

	ucore_core_triggers_stop(session);
	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	ucore_meet(session, &(struct ucore_meeting){ .act = stop, .together = true });
	ucore_for_each_part(part, session)
		part_settle(part);
	session->running = false;
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
	who_put(session);
}

/**
 * ucore_session_stop() - last counts, which go back to the events, then stop the boxes;
 * idempotent
 * @session: the session, locked; nobody delivers what it answered to READ
 */
void ucore_session_stop(struct ucore_session *session)
{
	if (!session->running)
		return;
	halt_parts(session);
	ucore_session_keep_counts(session);
}

/**
 * ucore_session_halt() - stop the boxes for good; idempotent
 * @session: the session, locked
 *
 * What READ answered may still be on its way.
 */
void ucore_session_halt(struct ucore_session *session)
{
	if (session->running)
		halt_parts(session);
}

/*
 * ---- reset, read ----
 */

static void reset(struct ucore_part *part, const struct ucore_meeting *m)
{
	struct ucore_interval iv;

	ucore_interval_begin_part(&iv, part, ktime_get_mono_fast_ns());
	ucore_interval_reset(&iv, part);
	ucore_interval_end(&iv);
}

/**
 * ucore_session_reset() - counts and times to zero
 * @session: the session, locked
 *
 * Return: 0, or -EAGAIN if a running session has a domain without CPU.
 */
int ucore_session_reset(struct ucore_session *session)
{
	struct ucore_meeting m = { .act = reset, .together = true };
	struct ucore_event *event;
	int ret = 0;
	u32 i;

	if (session->running) {
		mutex_lock(&ucore_run_lock);	/* no domain falls asleep */
		cpus_read_lock();
		if (domains_online(session))
			ucore_meet(session, &m);
		else
			ret = -EAGAIN;
		cpus_read_unlock();
		mutex_unlock(&ucore_run_lock);
		return ret;
	}
	list_for_each_entry(event, &session->events, node) {
		event->total = 0;
		event->ran_ns = 0;
		event->flags &= ~(UCORE_VALUE_PAST | (event->box->dead ? 0 : UCORE_VALUE_DEAD));
	}
	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		if (!session->part[i])
			continue;
		session->part[i]->enabled_ns = 0;
		session->part[i]->running_ns = 0;
		session->part[i]->gap_sample = false;
		session->part[i]->gap_read = false;
	}
	return 0;
}

/*
 * Put one domain's share into the answer; @before as in ucore_part_times().
 * Returns where times are to be added that only a freeze has.
 */
static struct ucore_read_domain *snapshot_fill(struct ucore_session *session,
					       const struct ucore_part *part, u64 now, u64 before)
{
	struct ucore_read_domain *rd = &session->domains[part->index];
	int reader = READ_ONCE(part->domain->reader);
	bool away = reader == UCORE_NO_CPU || (session->running && !part->running);
	const struct ucore_counter *ctr;
	struct ucore_value *value;

	*rd = (struct ucore_read_domain){
		.domain = part->domain->id,
		.cpu = reader,
		.time = now,
	};
	ucore_part_times(part, now, before, &rd->time_enabled, &rd->time_running);
	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++) {
		value = &session->values[ctr->slot];
		value->event = ctr->event;
		value->flags = ctr->flags & ~UCORE_VALUE_OVERFLOW;
		if (away)
			value->flags |= UCORE_VALUE_OFFLINE;
		else if (part->gap_read)
			value->flags |= UCORE_VALUE_GAP;
		value->count = ctr->total;
		session->ran_ns[ctr->slot] = ucore_part_ran(part, ctr, rd->time_running);
	}
	return rd;
}

static void snapshot_live(struct ucore_part *part, const struct ucore_meeting *m)
{
	struct ucore_domain *domain = part->domain;
	u64 now = ktime_get_mono_fast_ns(), reads = domain->tally.reads;

	if (part->running)	/* it may have gone to sleep meanwhile */
		ucore_part_read_running(part, now);
	part->stats.reads += domain->tally.reads - reads;
	snapshot_fill(m->session, part, now,
		      ucore_domain_frozen_ns(domain, now) + part->box_frozen_ns);
	part->gap_read &= !part->running;
}

static void snapshot(struct ucore_part *part, const struct ucore_meeting *m);

/* Its domain went to sleep between the call and the meeting: it has its last counts. */
static void snapshot_asleep(struct ucore_part *part, const struct ucore_meeting *m)
{
	if (part->next_here)
		snapshot(part->next_here, m);
	snapshot_fill(m->session, part, ktime_get_mono_fast_ns(), 0);
}

/*
 * A CPU that reads its die and itself freezes both before it reads the first: within
 * a die's frozen time its own is a moment.
 */
static void snapshot(struct ucore_part *part, const struct ucore_meeting *m)
{
	u64 before = part->stats.frozen_ns, frozen_before;
	struct ucore_read_domain *rd;
	struct ucore_interval iv;

	if (!part->running) {
		snapshot_asleep(part, m);
		return;
	}
	ucore_interval_begin_part(&iv, part, ktime_get_mono_fast_ns());
	if (part->next_here)
		snapshot(part->next_here, m);
	ucore_crew_read(part, iv.now);
	frozen_before = ucore_interval_frozen_before(&iv, part);
	ucore_interval_end(&iv);
	rd = snapshot_fill(m->session, part, iv.now, frozen_before);
	rd->frozen_ns = part->stats.frozen_ns - before;
	rd->skew_ns = iv.skew_ns;
	part->gap_read = false;
}

static void snapshot_running(struct ucore_session *session, bool live)
{
	struct ucore_meeting m = {
		.act = live ? snapshot_live : snapshot, .together = true, .nested = !live,
	};
	u64 first = U64_MAX, last = 0, now;
	struct ucore_part *part;

	cpus_read_lock();
	ucore_meet(session, &m);
	now = ktime_get_mono_fast_ns();
	ucore_for_each_part(part, session) {
		if (part->meets_on == UCORE_NO_CPU) {
			snapshot_fill(session, part, now, 0);
		} else {
			first = min(first, session->domains[part->index].time);
			last = max(last, session->domains[part->index].time +
					 session->domains[part->index].skew_ns);
		}
	}
	cpus_read_unlock();
	session->skew_ns = last > first ? last - first : 0;
}

/*
 * A session that never ran, or has changed since it did, has no parts to
 * match its events: they are built as START would.
 */
static int snapshot_stopped(struct ucore_session *session)
{
	u64 now = ktime_get_mono_fast_ns();
	struct ucore_part *part;
	int ret = ucore_session_build(session);

	if (ret)
		return ret;
	ucore_for_each_part(part, session) {
		snapshot_fill(session, part, now, 0);
		part->gap_read &= part->domain->reader == UCORE_NO_CPU;
	}
	session->skew_ns = 0;
	return 0;
}

/**
 * ucore_session_read() - one coherent snapshot of all counters of all domains
 * @session: the session, locked
 * @live: do not freeze
 *
 * The answer is in @values, @domains and @skew_ns until the next call.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_session_read(struct ucore_session *session, bool live)
{
	if (!session->running)
		return snapshot_stopped(session);
	snapshot_running(session, live);
	return 0;
}

/**
 * ucore_session_unread() - the last snapshot did not reach the caller
 * @session: the session, locked
 *
 * The next one tells of the gaps that this one had.
 */
void ucore_session_unread(struct ucore_session *session)
{
	struct ucore_part *part;

	ucore_for_each_part(part, session)
		if (session->values[part->ctr->slot].flags & UCORE_VALUE_GAP)
			WRITE_ONCE(part->gap_read, true);
}
