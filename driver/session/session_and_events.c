// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions: create and release sessions, own their event lists, and check permissions for
 * events. Part of the session layer; claim.c chooses counters, start_stop_reset.c runs sessions,
 * pmi_cpus.c chooses readers.
 *
 * Process context. The session's lock is held unless a function states otherwise.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "box/catalog.h"
#include "box/intel_uncore.h"
#include "selftest/overflow_trial.h"
#include "irq/dead_box_recovery.h"
#include "session/claim.h"
#include "session/core_triggers.h"
#include "session/pmi_cpus.h"
#include "session/prepare_contexts.h"
#include "session/session_and_events.h"

/* Id of the next session. */
static atomic64_t next_session = ATOMIC64_INIT(1);

/*
 * ---- events of a session ----
 */

static struct ucore_event *event_find(struct ucore_session *session, u32 id)
{
	struct ucore_event *event;

	list_for_each_entry(event, &session->events, node)
		if (event->id == id)
			return event;
	return NULL;
}

/* Make room in the buffers of READ for the values of @nr events. */
static int values_reserve(struct ucore_session *session, u32 nr)
{
	struct ucore_value *values;
	u64 *ran_ns;

	if (nr <= session->max_values)
		return 0;
	nr = roundup_pow_of_two(nr);
	values = kvcalloc(nr, sizeof(*values), GFP_KERNEL_ACCOUNT);
	ran_ns = kvcalloc(nr, sizeof(*ran_ns), GFP_KERNEL_ACCOUNT);
	if (!values || !ran_ns) {
		kvfree(values);
		kvfree(ran_ns);
		return -ENOMEM;
	}
	kvfree(session->values);
	kvfree(session->ran_ns);
	session->values = values;
	session->ran_ns = ran_ns;
	session->max_values = nr;
	return 0;
}

/* Make room in the buffer of READ for the times of @nr domains. */
static int domains_reserve(struct ucore_session *session, u32 nr)
{
	struct ucore_read_domain *domains;

	if (nr <= session->max_domains)
		return 0;
	nr = roundup_pow_of_two(nr);
	domains = kvcalloc(nr, sizeof(*domains), GFP_KERNEL_ACCOUNT);
	if (!domains)
		return -ENOMEM;
	kvfree(session->domains);
	session->domains = domains;
	session->max_domains = nr;
	return 0;
}

/* Add @by to the numbers of events of the domain context and of the session. */
static void events_account(struct ucore_session *session, const struct ucore_event *event, int by)
{
	struct ucore_domain_ctx *ctx = session->ctx[event->box->domain->id];

	session->nr_domains -= ctx->nr_events > 0;
	ctx->nr_events += by;
	session->nr_domains += ctx->nr_events > 0;
	session->nr_events += by;
}

static enum ucore_period_end period_end(const struct ucore_session *session,
					const struct ucore_add_event *add)
{
	if (session->flags & UCORE_SESSION_F_NO_PMI)
		return UCORE_END_FREEZE;
	return add->flags & UCORE_EVENT_F_NO_POLL ? UCORE_END_INTERRUPT : UCORE_END_ANY;
}

/* Encode an event for its box, with the box's capabilities known so far. */
static int event_encode(struct ucore_event *event, const struct ucore_add_event *add,
			const struct ucore_term *terms, enum ucore_period_end end)
{
	int ret;

	memset(&event->spec, 0, sizeof(event->spec));
	ret = ucore_event_encode(event->box, terms, add->nr_terms, &event->spec);
	if (ret)
		return ret;
	return ucore_event_restrict(event->box, add->counters, add->period, end, &event->spec);
}

/*
 * Encode an event again after the self-test of its box, which may have changed the capabilities. If
 * a trial must show what an overflow does, and other sessions count on the die, poll the period.
 * Return -EBUSY if the period must not be polled.
 */
static int event_encode_again(const struct ucore_session *session, struct ucore_event *event,
			      const struct ucore_add_event *add, const struct ucore_term *terms)
{
	enum ucore_period_end end = period_end(session, add);

	if (!add->period)
		return event->box->selftest.failed ? event_encode(event, add, terms, end) : 0;
	if (ucore_event_needs_trial(event->box, end)) {
		if (end != UCORE_END_ANY)
			return -EBUSY;
		end = UCORE_END_POLL;
	}
	return event_encode(event, add, terms, end);
}

static struct ucore_event *event_create(const struct ucore_session *session,
					struct ucore_box *box,
					const struct ucore_add_event *add,
					const struct ucore_term *terms)
{
	struct ucore_event *event = kzalloc(sizeof(*event), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!event)
		return ERR_PTR(-ENOMEM);
	event->box = box;
	event->group = add->group;
	ret = event_encode(event, add, terms, period_end(session, add));
	if (ret) {
		kfree(event);
		return ERR_PTR(ret);
	}
	return event;
}

/*
 * Return true if intel_uncore holds all boxes of the machine. intel_uncore never holds core
 * boxes. If core boxes exist, claim.c checks for intel_uncore when an uncore box is claimed.
 */
static bool intree_has_all(void)
{
	return ucore_intel_uncore_present() && !(ucore_catalog.caps & UCORE_CAP_CORE);
}

/**
 * ucore_session_may_change() - check whether events may be added or the session may be started
 * @session: the session, locked
 *
 * Return: 0, or -EBUSY if the session runs or intel_uncore holds the hardware.
 */
int ucore_session_may_change(const struct ucore_session *session)
{
	lockdep_assert_held(&session->lock);

	return session->running || intree_has_all() ? -EBUSY : 0;
}

/* Return true if the opener of the device had CAP_PERFMON, or if the caller has it. */
static bool has_perfmon(const struct ucore_session *session)
{
	return session->sink.context || perfmon_capable();
}

/*
 * Check the permission for an event. CAP_PERFMON is required for filters that observe single
 * programs, and for a CPU's own counters. A CPU's counters count all tasks, and perf and the NMI
 * watchdog use them, too.
 */
static int check_perfmon(const struct ucore_event *event, const struct ucore_add_event *add,
			 const struct ucore_term *terms)
{
	bool sensitive = event->box->domain->scope == UCORE_SCOPE_CPU ||
			 ucore_event_needs_perfmon(terms, add->nr_terms);

	return event->perfmon || !sensitive ? 0 : -EACCES;
}

/*
 * Check the group and the period of an event. A session with rotation takes no samples, and a
 * multiplexed session counts no periods.
 */
static int check_group(const struct ucore_session *session, const struct ucore_add_event *add)
{
	if (session->flags & UCORE_SESSION_F_MULTIPLEX && add->period)
		return -EINVAL;
	if (!session->rotate_ns)
		return add->group ? -EINVAL : 0;
	return add->group > UCORE_GROUP_MAX || add->period ? -EINVAL : 0;
}

/* Check whether the caller may add an event to the session. Return 0 or -errno as in the ABI. */
static int check_add(const struct ucore_session *session, struct ucore_box *box,
		     const struct ucore_add_event *add)
{
	int ret = ucore_session_may_change(session) ?: check_group(session, add);

	if (ret)
		return ret;
	if (session->nr_events >= UCORE_EVENTS_MAX)
		return -ENOSPC;
	if (!box)
		return -ENOENT;
	if (!ucore_recovery_box_is_alive(box))
		return -ENODEV;
	return 0;
}

/*
 * Allocate what the session needs for one more event on the box: the domain's context, and room
 * in the buffers of READ, which therefore allocates nothing.
 */
static int event_reserve(struct ucore_session *session, const struct ucore_box *box)
{
	return ucore_prepare_ctx(session, box->domain) ?:
	       values_reserve(session, session->nr_events + 1) ?:
	       domains_reserve(session, session->nr_domains + 1);
}

/*
 * Claim the event's box, and choose a counter. The self-test of a new claim may have changed the
 * capabilities of the box, so that the event is encoded again.
 */
static int event_place(struct ucore_session *session, struct ucore_event *event,
		       const struct ucore_add_event *add, const struct ucore_term *terms)
{
	enum ucore_period_end end = period_end(session, add);
	struct ucore_claim *claim;
	int ret;

	claim = ucore_claim_get(session, event->box,
				add->period && ucore_event_needs_trial(event->box, end),
				add->period && end != UCORE_END_FREEZE);
	if (IS_ERR(claim))
		return PTR_ERR(claim);
	ret = event_encode_again(session, event, add, terms) ?:
	      ucore_claim_add_event(claim, event);
	if (ret)
		ucore_claim_settle(claim);
	return ret;
}

/**
 * ucore_session_add_event() - add an event to a session, for ADD_EVENT
 * @session: the session, locked
 * @add: the request; receives the event's id, its counter, and the time between polls
 * @terms: fields of the event, @add->nr_terms elements
 *
 * Return: 0 or -errno as in the ABI.
 */
int ucore_session_add_event(struct ucore_session *session, struct ucore_add_event *add,
			    const struct ucore_term *terms)
{
	struct ucore_box *box = ucore_catalog_box(add->box);
	int ret = check_add(session, box, add);
	struct ucore_event *event;

	lockdep_assert_held(&session->lock);

	if (ret)
		return ret;
	event = event_create(session, box, add, terms);
	if (IS_ERR(event))
		return PTR_ERR(event);
	event->perfmon = has_perfmon(session);
	ret = check_perfmon(event, add, terms) ?: event_reserve(session, box) ?:
	      event_place(session, event, add, terms);
	if (ret) {
		kfree(event);
		return ret;
	}
	event->id = session->next_event++;
	list_add_tail(&event->node, &session->events);
	events_account(session, event, 1);
	add->event = event->id;
	add->counter = event->counter;
	add->poll_ns = event->spec.poll_ns ?: event->spec.status_poll_ns;
	return 0;
}

/* Remove an event from the session, but not from its claim. */
static void event_unlist(struct ucore_session *session, struct ucore_event *event)
{
	list_del(&event->node);
	events_account(session, event, -1);
	ucore_prepare_settle(session, event->box->domain);
}

/**
 * ucore_session_remove_event() - remove an event from a session
 * @session: the session, locked
 * @id: event id
 *
 * Return: 0, -EBUSY if the session runs, or -ENOENT if it has no such event.
 */
int ucore_session_remove_event(struct ucore_session *session, u32 id)
{
	struct ucore_event *event;

	lockdep_assert_held(&session->lock);

	if (session->running)
		return -EBUSY;
	event = event_find(session, id);
	if (!event)
		return -ENOENT;
	event_unlist(session, event);
	ucore_claim_remove_event(event);
	kfree(event);
	return 0;
}

/**
 * ucore_session_get_status() - report a session's state and statistics, for GET_STATUS
 * @session: the session, locked
 * @status: the answer; size and flags are not changed
 */
void ucore_session_get_status(const struct ucore_session *session, struct ucore_get_status *status)
{
	const struct ucore_domain_ctx *ctx;
	u32 i;

	lockdep_assert_held(&session->lock);

	status->session = session->id;
	status->state = session->running ? UCORE_SESSION_RUNNING : UCORE_SESSION_STOPPED;
	status->nr_events = session->nr_events;
	status->nr_domains = session->nr_domains;
	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		ctx = session->ctx[i];
		if (!ctx)
			continue;
		status->samples += READ_ONCE(ctx->stats.samples);
		status->lost += ctx->stats.lost + (ctx->ring ? READ_ONCE(ctx->ring->lost) : 0);
		status->overflows += READ_ONCE(ctx->stats.overflows);
		status->recovered += READ_ONCE(ctx->stats.recovered);
		status->polled += READ_ONCE(ctx->stats.polled);
		status->polls += READ_ONCE(ctx->stats.polls);
		status->conflicts += READ_ONCE(ctx->stats.changed);
		status->cost_ns += READ_ONCE(ctx->stats.cost_ns);
		status->frozen_ns += READ_ONCE(ctx->stats.frozen_ns);
		status->reads += READ_ONCE(ctx->stats.reads);
		status->writes += READ_ONCE(ctx->stats.writes);
		status->parallel_reads += READ_ONCE(ctx->stats.parallel_reads);
	}
}

/*
 * ---- creation and release of sessions ----
 */

static void sink_wake_up(struct irq_work *work)
{
	struct ucore_sink *sink = container_of(work, struct ucore_sink, wake);

	wake_up_interruptible_all(&sink->wait);
}

/**
 * ucore_session_alloc() - create a session without events
 * @config: parameters, checked by the caller
 * @context: samples may contain the interrupted context (IP, PID, TID)
 *
 * Return: the session, or an ERR_PTR with -ENODEV, -EBUSY or -ENOMEM.
 */
struct ucore_session *ucore_session_alloc(const struct ucore_create_session *config, bool context)
{
	struct ucore_session *session;

	if (!ucore_catalog.nr_boxes)
		return ERR_PTR(-ENODEV);
	if (intree_has_all())
		return ERR_PTR(-EBUSY);
	session = kzalloc(struct_size(session, ctx, ucore_catalog.nr_domains), GFP_KERNEL_ACCOUNT);
	if (!session)
		return ERR_PTR(-ENOMEM);
	session->pinned = bitmap_zalloc(ucore_catalog.nr_domains, GFP_KERNEL_ACCOUNT);
	if (!session->pinned)
		goto free;
	session->ctx_on_cpu = kvcalloc(nr_cpu_ids, sizeof(*session->ctx_on_cpu),
				       GFP_KERNEL_ACCOUNT);
	if (!session->ctx_on_cpu)
		goto free;
	if (!alloc_cpumask_var(&session->rendezvous_cpus, GFP_KERNEL_ACCOUNT))
		goto free;
	if (!alloc_cpumask_var(&session->readers_cpus, GFP_KERNEL_ACCOUNT))
		goto free_rendezvous_cpus;
	mutex_init(&session->admission);
	mutex_init(&session->caller);
	mutex_init(&session->lock);
	session->id = atomic64_fetch_inc(&next_session);
	session->pid = get_task_pid(current->group_leader, PIDTYPE_TGID);
	get_task_comm(session->comm, current->group_leader);
	session->uid = current_uid();
	session->user = get_uid(current_user());
	refcount_set(&session->refs, 1);
	session->flags = config->flags;
	session->timer_ns = config->timer_ns;
	session->rotate_ns = config->rotate_ns;
	session->nr_readers = config->nr_readers;
	/* without CAP_SYS_NICE only CPUs on which the caller may run become helper CPUs */
	session->readers_any = config->nr_readers > 1 && capable(CAP_SYS_NICE);
	cpumask_copy(session->readers_cpus, current->cpus_ptr);
	session->ring_size = config->ring_size;
	session->wakeup = config->wakeup;
	session->sink.context = context;
	init_waitqueue_head(&session->sink.wait);
	init_irq_work(&session->sink.wake, sink_wake_up);
	spin_lock_init(&session->rings);
	INIT_LIST_HEAD(&session->events);
	INIT_LIST_HEAD(&session->triggers);
	return session;

free_rendezvous_cpus:
	free_cpumask_var(session->rendezvous_cpus);
free:
	kvfree(session->ctx_on_cpu);
	bitmap_free(session->pinned);
	kfree(session);
	return ERR_PTR(-ENOMEM);
}

/**
 * ucore_session_release() - release all resources of a session; cannot fail
 * @session: the session, locked and stopped; all its later commands fail
 */
void ucore_session_release(struct ucore_session *session)
{
	struct ucore_event *event, *next;

	lockdep_assert_held(&session->lock);

	WRITE_ONCE(session->revoked, true);
	ucore_core_triggers_remove(session);
	ucore_claim_restore_boxes(session);
	list_for_each_entry_safe(event, next, &session->events, node) {
		event_unlist(session, event);
		ucore_claim_drop_event(event);
		kfree(event);
		cond_resched();
	}
	ucore_pmi_cpus_unset(session);
}

/**
 * ucore_session_free() - release all resources of a session and free it; cannot fail
 * @session: the session, stopped and no longer reachable
 */
void ucore_session_free(struct ucore_session *session)
{
	if (WARN_ON_ONCE(session->running))
		return;		/* leak the session, because its timers still use it */
	mutex_lock(&session->lock);
	ucore_session_release(session);
	mutex_unlock(&session->lock);

	irq_work_sync(&session->sink.wake);
	ucore_prepare_free(session);
	kvfree(session->values);
	kvfree(session->ran_ns);
	kvfree(session->domains);
	free_cpumask_var(session->readers_cpus);
	free_cpumask_var(session->rendezvous_cpus);
	kvfree(session->ctx_on_cpu);
	bitmap_free(session->pinned);
	put_pid(session->pid);
	free_uid(session->user);
	kfree(session);
}

/**
 * ucore_session_ctx() - get the session's context on a domain, without a lock
 * @session: the session
 * @index: domain id, not checked by the caller
 *
 * Return: NULL if the session never had an event on the domain.
 */
struct ucore_domain_ctx *ucore_session_ctx(const struct ucore_session *session, u64 index)
{
	if (index >= ucore_catalog.nr_domains)
		return NULL;
	index = array_index_nospec(index, ucore_catalog.nr_domains);
	return smp_load_acquire(&session->ctx[index]);	/* pairs with ucore_prepare_ctx() */
}

/**
 * ucore_session_ring() - get the session's ring on a domain, without the session's lock
 * @session: the session
 * @index: domain id, not checked by the caller
 *
 * Return: the ring, to be released with ucore_ring_put(); NULL if the session has no events on
 * the domain, or no rings.
 */
struct ucore_ring *ucore_session_ring(struct ucore_session *session, u64 index)
{
	struct ucore_domain_ctx *ctx = ucore_session_ctx(session, index);
	struct ucore_ring *ring = NULL;

	if (!ctx)
		return NULL;
	spin_lock(&session->rings);
	if (ctx->ring)
		ring = ucore_ring_get(ctx->ring);
	spin_unlock(&session->rings);
	return ring;
}

/**
 * ucore_session_readable() - check whether poll() reports a session as readable
 * @session: the session
 *
 * Return: true if a ring has as many unread bytes as ucore_create_session.wakeup states, or
 * unread bytes and lost records.
 */
bool ucore_session_readable(struct ucore_session *session)
{
	struct ucore_domain_ctx *ctx;
	bool readable = false;
	u32 i;

	spin_lock(&session->rings);
	for (i = 0; i < ucore_catalog.nr_domains && !readable; i++) {
		ctx = ucore_session_ctx(session, i);
		readable = ctx && ctx->ring && ucore_ring_readable(ctx->ring);
	}
	spin_unlock(&session->rings);
	return readable;
}
