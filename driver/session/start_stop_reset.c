// SPDX-License-Identifier: GPL-2.0-only
/*
 * START, STOP and RESET of a session, on all its domains at once. Part of the session
 * layer. Process context; functions that a rendezvous executes run in hard-irq context with
 * the domain's lock held. No function of this file accesses user memory or decides which
 * session may use a box.
 */
#include <linux/cpu.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "box/catalog.h"
#include "box/freeze.h"
#include "cpu/budget.h"
#include "irq/dead_box_recovery.h"
#include "irq/multiplex.h"
#include "irq/overflow_poll.h"
#include "irq/pmi_route_and_service.h"
#include "irq/timer.h"
#include "irq/watchdog.h"
#include "sample/parallel_read.h"
#include "sample/readout.h"
#include "sample/running_tasks.h"
#include "session/budget_admission.h"
#include "session/core_triggers.h"
#include "session/prepare_contexts.h"
#include "session/rendezvous.h"
#include "session/session_and_events.h"
#include "session/start_stop_reset.h"

/*
 * Execute a function that changes what counts. ucore_run_lock excludes a suspend and changes of
 * readers.
 */
static void rendezvous_changing(struct ucore_session *session, struct ucore_rendezvous_state *m)
{
	lockdep_assert_held(&ucore_run_lock);

	ucore_rendezvous(session, m);
}

/*
 * ---- START and STOP ----
 */

static void acquire(struct ucore_domain_ctx *ctx, const struct ucore_rendezvous_state *m)
{
	struct ucore_domain *domain = ctx->domain;
	bool idle = list_empty(&domain->ctxs);

	if (idle)
		ucore_domain_acquire(domain);
	else
		ucore_recovery_find_spurious(domain, ktime_get_mono_fast_ns());
	if (!domain->armed)
		ucore_domain_clear_stale(domain);
	ucore_recovery_reset(domain);
	if (idle && ctx->box_freeze)
		ucore_unfreeze_found(domain);
}

/*
 * Freeze the domain and program the session's boxes, after all readers have arrived. The readers
 * wait for each other once more, so that all domains begin to count at once. Interrupts stay off
 * until the unfreeze in start(), so that preemption does not extend the frozen time of other
 * sessions' counters. With box freeze only the programmed boxes are frozen.
 */
static void start_prepare(struct ucore_domain_ctx *ctx)
{
	struct ucore_domain *domain = ctx->domain;

	if (!ctx->box_freeze)
		ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	ucore_multiplex_program(ctx);
	ctx->stopped = 0;
	ctx->stopped_skew_ns = 0;
	list_add_tail(&ctx->node, &domain->ctxs);
	domain->nr_ctxs++;
	if (ctx->armed_mask) {
		domain->armed++;
		domain->armed_mask |= ctx->armed_mask;
	}
}

/*
 * Return the instant at which the first period of all timers of the session begins (ns): the
 * time at which the first domain was started.
 */
static u64 base_of(const struct ucore_domain_ctx *ctx, const struct ucore_rendezvous_state *m)
{
	return atomic64_cmpxchg(m->base, 0, ctx->resumed) ?: ctx->resumed;
}

static void start(struct ucore_domain_ctx *ctx, const struct ucore_rendezvous_state *m)
{
	if (!ctx->paused)
		ucore_ctx_start_unfrozen(ctx);
	ucore_ctx_start_times(ctx, ctx->box_freeze ? ucore_ctx_unfreeze(ctx) :
					       ucore_unfreeze_domain(ctx->domain, true));
	ucore_watchdog_start(ctx->domain);
	ucore_multiplex_start(ctx->domain);
	ucore_timer_start(ctx, base_of(ctx, m));
	ucore_overflow_poll_start(ctx->domain);
}

static int rings_prepare(struct ucore_session *session)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains && !ret; i++)
		if (session->ctx[i])
			ret = ucore_prepare_ring(session, session->ctx[i]);
	return ret;
}

/*
 * Return true if each ring has room for two samples with LOST and TASKS records. With twice the
 * size of a sample, one sample fits even if the end of the ring must be padded.
 */
static bool rings_hold_samples(struct ucore_session *session)
{
	struct ucore_sample *sample;
	struct ucore_domain_ctx *ctx;

	ucore_for_each_ctx(ctx, session)
		if (ctx->ring && ctx->ring->size / 2 < sizeof(struct ucore_lost) +
							 struct_size(sample, values, ctx->nr_ctr) +
							 ucore_tasks_size(ctx))
			return false;
	return true;
}

static int tasks_get(const struct ucore_session *session)
{
	return session->flags & UCORE_SESSION_F_TASKS ? ucore_tasks_get() : 0;
}

static void tasks_put(const struct ucore_session *session)
{
	if (session->flags & UCORE_SESSION_F_TASKS)
		ucore_tasks_put();
}

static bool boxes_alive(struct ucore_session *session)
{
	struct ucore_event *event;

	list_for_each_entry(event, &session->events, node)
		if (!ucore_recovery_box_is_alive(event->box))
			return false;
	return true;
}

static bool domains_online(struct ucore_session *session)
{
	struct ucore_domain_ctx *ctx;

	ucore_for_each_ctx(ctx, session)
		if (ctx->domain->reader == UCORE_NO_CPU)
			return false;
	return true;
}

/**
 * ucore_counting_start() - program a session's boxes and start all its domains at the same time
 * @session: the session, locked
 *
 * Return: 0 or -errno as in the ABI.
 */
int ucore_counting_start(struct ucore_session *session)
{
	atomic64_t base = ATOMIC64_INIT(0);
	struct ucore_rendezvous_state begin = {
		.prepare = start_prepare, .act = start, .together = true, .base = &base,
	};
	struct ucore_domain_ctx *ctx;
	int ret;

	lockdep_assert_held(&session->lock);

	if (session->running)
		return -EALREADY;
	if (!session->nr_events)
		return -ENOENT;
	ret = ucore_session_may_change(session);
	if (ret)
		return ret;
	if (!boxes_alive(session))
		return -ENODEV;
	ret = rings_prepare(session) ?: ucore_prepare_session(session);
	if (ret)
		return ret;
	if (!rings_hold_samples(session))
		return -ENOSPC;
	if (!ucore_admit_period(session))
		return -ERANGE;
	ret = tasks_get(session);
	if (ret)
		return ret;

	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	if (!domains_online(session)) {
		ret = -EAGAIN;
		goto unlock;
	}
	ucore_for_each_ctx(ctx, session)
		ucore_parallel_elect(ctx, UCORE_NO_CPU);
	rendezvous_changing(session, &(struct ucore_rendezvous_state){ .act = acquire });
	ucore_for_each_ctx(ctx, session)
		if (ctx->armed_mask && !ctx->status_poll_ns)
			ucore_pmi_require(ctx->domain);
	rendezvous_changing(session, &begin);
	session->running = true;
unlock:
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
	if (ret)
		tasks_put(session);
	else
		ucore_core_triggers_start(session);
	return ret;
}

/*
 * Remove a context from its domain's list, and compute the domain's mask of armed counters
 * again. The domain is locked.
 */
static void domain_unlist(struct ucore_domain *domain, struct ucore_domain_ctx *ctx)
{
	struct ucore_domain_ctx *other;

	lockdep_assert_held(&domain->lock);

	list_del(&ctx->node);
	ucore_multiplex_end(ctx);
	domain->nr_ctxs--;
	if (!ctx->armed_mask)
		return;
	domain->armed--;
	domain->armed_mask = 0;
	list_for_each_entry(other, &domain->ctxs, node)
		domain->armed_mask |= other->armed_mask;
}

static void stop(struct ucore_domain_ctx *ctx, const struct ucore_rendezvous_state *m)
{
	struct ucore_readout ro;

	ucore_readout_begin_ctx(&ro, ctx, ktime_get_mono_fast_ns());
	ucore_readout_extend_to_domain(&ro);
	ucore_timer_last(ctx, &ro);
	ucore_readout_halt(&ro, ctx);
	ucore_readout_end(&ro);
	ctx->stopped = ro.now;
	ctx->stopped_skew_ns = ro.skew_ns;
	domain_unlist(ctx->domain, ctx);
}

static void release_here(void *arg)
{
	struct ucore_domain *domain = arg;

	raw_spin_lock(&domain->lock);
	ucore_watchdog_end_throttling(domain);
	ucore_domain_release(domain);
	raw_spin_unlock(&domain->lock);
}

static void ctx_settle(struct ucore_domain_ctx *ctx)
{
	struct ucore_domain *domain = ctx->domain;

	lockdep_assert_held(&ucore_run_lock);

	if (domain->reader == UCORE_NO_CPU) {
		raw_spin_lock_irq(&domain->lock);
		domain_unlist(domain, ctx);
		raw_spin_unlock_irq(&domain->lock);
	}
	ucore_timer_end(ctx);
	ucore_pmi_settle(domain);
	if (!list_empty(&domain->ctxs))
		return;
	hrtimer_cancel(&domain->watchdog);
	hrtimer_cancel(&domain->multiplex);
	domain->multiplexing = false;
	if (domain->reader == UCORE_NO_CPU) {
		raw_spin_lock_irq(&domain->lock);
		ucore_domain_release_offline(domain);
		raw_spin_unlock_irq(&domain->lock);
	}
	ucore_budget_run(domain, release_here, domain);
}

static void halt_ctxs(struct ucore_session *session)
{
	struct ucore_rendezvous_state m = { .act = stop, .together = true };
	struct ucore_domain_ctx *ctx;

	ucore_core_triggers_stop(session);
	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	rendezvous_changing(session, &m);
	ucore_for_each_ctx(ctx, session)
		ctx_settle(ctx);
	session->running = false;
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
	tasks_put(session);
}

/**
 * ucore_counting_stop() - stop a session's counters and copy the last counts to its events
 * @session: the session, locked; no READ is copying the snapshot to user memory
 *
 * Does nothing if the session is stopped.
 */
void ucore_counting_stop(struct ucore_session *session)
{
	lockdep_assert_held(&session->lock);

	if (!session->running)
		return;
	halt_ctxs(session);
	ucore_prepare_keep_counts(session);
}

/**
 * ucore_counting_halt() - stop the boxes of a session that is being revoked or freed
 * @session: the session, locked
 *
 * Does nothing if the session is stopped. Does not change the snapshot, which a READ may be
 * copying to user memory.
 */
void ucore_counting_halt(struct ucore_session *session)
{
	lockdep_assert_held(&session->lock);

	if (session->running)
		halt_ctxs(session);
}

/*
 * ---- RESET ----
 */

static void reset(struct ucore_domain_ctx *ctx, const struct ucore_rendezvous_state *m)
{
	struct ucore_readout ro;

	ucore_readout_begin_ctx(&ro, ctx, ktime_get_mono_fast_ns());
	ucore_readout_reset(&ro, ctx);
	ucore_readout_end(&ro);
}

/**
 * ucore_counting_reset() - set the counts and times of a session to 0
 * @session: the session, locked
 *
 * Return: 0, or -EAGAIN if the session runs and one of its domains has no online CPU.
 */
int ucore_counting_reset(struct ucore_session *session)
{
	struct ucore_rendezvous_state m = { .act = reset, .together = true };
	struct ucore_event *event;
	int ret = 0;
	u32 i;

	lockdep_assert_held(&session->lock);

	if (session->running) {
		mutex_lock(&ucore_run_lock);	/* excludes a suspend */
		cpus_read_lock();
		if (domains_online(session))
			rendezvous_changing(session, &m);
		else
			ret = -EAGAIN;
		cpus_read_unlock();
		mutex_unlock(&ucore_run_lock);
		return ret;
	}
	list_for_each_entry(event, &session->events, node) {
		event->total = 0;
		event->ran_ns = 0;
		event->flags &= ~(UCORE_VALUE_F_STICKY |
				  (event->box->dead ? 0 : UCORE_VALUE_F_DEAD));
	}
	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		if (!session->ctx[i])
			continue;
		session->ctx[i]->enabled_ns = 0;
		session->ctx[i]->running_ns = 0;
		session->ctx[i]->paused_ns = 0;
		session->ctx[i]->gap_sample = false;
		session->ctx[i]->gap_read = false;
		session->ctx[i]->stopped = 0;
		session->ctx[i]->stopped_skew_ns = 0;
	}
	return 0;
}
