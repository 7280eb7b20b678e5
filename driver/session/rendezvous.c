// SPDX-License-Identifier: GPL-2.0-only
/*
 * Meetings: what has to happen on all domains of a session is sent to their
 * readers, in parallel, one IPI for each remote one.  Where domains shall do a
 * thing at the same moment the readers first wait for each other.
 *
 * Process context.  Lock order: session->turn, session->caller, session->lock,
 * ucore_run_lock, CPU hotplug, snapshot_lock, domain->lock.
 */
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/smp.h>

#include "box/catalog.h"
#include "cpu/budget.h"
#include "session/rendezvous.h"
#include "session/session_state.h"

/*
 * One meeting of readers at a time: two could each wait for a CPU that waits
 * in the other.
 */
static DEFINE_MUTEX(snapshot_lock);

/*
 * How long readers wait for each other at most, interrupts off: an IPI takes
 * microseconds, a CPU that keeps interrupts off or a preempted virtual one more.
 */
#define MEETING_NS	(2 * NSEC_PER_MSEC)

static void meeting_wait(struct ucore_rendezvous_state *m)
{
	u64 deadline = ktime_get_mono_fast_ns() + MEETING_NS;
	u32 spins;

	atomic_dec(&m->missing);
	for (spins = 1; atomic_read(&m->missing) > 0; spins++) {
		/* reading the clock costs more than a turn */
		if (spins % 64 == 0 && ktime_get_mono_fast_ns() > deadline)
			break;
		cpu_relax();
	}
}

/*
 * A CPU may read two domains, its die and itself: the parts in its chain.  Their
 * locks are of two classes, and are taken in the order of the domains.
 */
static void lock_here(struct ucore_domain_ctx *ctx)
{
	for (; ctx; ctx = ctx->next_here) {
		raw_spin_lock(&ctx->domain->lock);
		__release(&ctx->domain->lock);	/* sparse cannot count in a loop */
	}
}

static void act_here(const struct ucore_rendezvous_state *m, struct ucore_domain_ctx *first)
{
	struct ucore_domain_ctx *ctx;

	for (ctx = first; ctx; ctx = m->nested ? NULL : ctx->next_here)
		m->act(ctx, m);
	for (ctx = first; ctx; ctx = ctx->next_here) {
		__acquire(&ctx->domain->lock);
		raw_spin_unlock(&ctx->domain->lock);
	}
}

static void meet_here(void *arg)
{
	struct ucore_rendezvous_state *m = arg;
	struct ucore_domain_ctx *ctx, *first = m->session->here[smp_processor_id()];

	ucore_budget_enter(ktime_get_mono_fast_ns());
	if (m->prepare) {
		lock_here(first);
		for (ctx = first; ctx; ctx = ctx->next_here)
			m->prepare(ctx);
	}
	if (m->together)
		meeting_wait(m);
	if (!m->prepare)
		lock_here(first);
	act_here(m, first);
	ucore_budget_leave();
}

/* One more part for the CPU that reads it now. */
static void chain(struct ucore_session *session, struct ucore_domain_ctx *ctx)
{
	struct ucore_domain_ctx **end = &session->here[ctx->meets_on];

	if (!cpumask_test_and_set_cpu(ctx->meets_on, session->readers))
		*end = NULL;	/* of an earlier meeting */
	while (*end)
		end = &(*end)->next_here;
	*end = ctx;
}

/**
 * ucore_rendezvous() - have all readers of a session's domains do a thing, and wait
 * @session: the session, locked
 * @m: what they do
 *
 * CPU hotplug is held off.  Another session may choose other readers meanwhile:
 * then the old ones do it.  Domains without a CPU are left out.
 */
void ucore_rendezvous(struct ucore_session *session, struct ucore_rendezvous_state *m)
{
	struct ucore_domain_ctx *ctx;
	u32 n;

	cpumask_clear(session->readers);
	ucore_for_each_ctx(ctx, session) {
		ctx->next_here = NULL;
		ctx->meets_on = READ_ONCE(ctx->domain->reader);
		if (ctx->meets_on != UCORE_NO_CPU)
			chain(session, ctx);
	}
	n = cpumask_weight(session->readers);
	m->session = session;
	atomic_set(&m->missing, n);
	if (n > 1)
		mutex_lock(&snapshot_lock);
	on_each_cpu_mask(session->readers, meet_here, m, true);
	if (n > 1)
		mutex_unlock(&snapshot_lock);
}
