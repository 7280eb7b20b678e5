// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rendezvous: execute a function on the readers of all domains of a session. Each remote
 * reader receives an IPI. If the function has to run at the same time everywhere, the readers
 * first wait for each other. Part of the session layer.
 *
 * Process context. The functions called run in hard-irq context. Lock order:
 * session->admission, session->caller, session->lock, ucore_run_lock, CPU hotplug,
 * rendezvous_lock, domain->lock.
 */
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/smp.h>

#include "box/catalog.h"
#include "cpu/budget.h"
#include "session/rendezvous.h"
#include "session/session_state.h"

/*
 * Serializes the rendezvous of different sessions. Otherwise two CPUs could each wait for the
 * other in different rendezvous.
 */
static DEFINE_MUTEX(rendezvous_lock);

/*
 * Maximum time for which readers wait for each other with interrupts off (ns). An IPI normally
 * takes microseconds, but a CPU may keep interrupts off, and a virtual CPU may be preempted.
 */
#define RENDEZVOUS_NS	(2 * NSEC_PER_MSEC)

/*
 * Announce this reader, and wait until @missing readers have done so. Return false if a reader has
 * not come in time.
 */
static bool wait_for_others(atomic_t *missing)
{
	u64 deadline = ktime_get_mono_fast_ns() + RENDEZVOUS_NS;
	u32 spins;

	atomic_dec(missing);
	for (spins = 1; atomic_read(missing) > 0; spins++) {
		/* read the clock rarely, because that takes longer than an iteration */
		if (spins % 64 == 0 && ktime_get_mono_fast_ns() > deadline)
			return false;
		cpu_relax();
	}
	return true;
}

/*
 * Lock the domains that this CPU reads, at most two: its die and its own core counters. The two
 * locks are of different lockdep classes and are taken in the order of domain ids.
 */
static void lock_here(struct ucore_domain_ctx *ctx)
{
	for (; ctx; ctx = ctx->next_here) {
		raw_spin_lock(&ctx->domain->lock);
		__release(&ctx->domain->lock);	/* sparse cannot count locks in a loop */
	}
}

/*
 * Prepare the domains that this CPU reads, and wait until the other readers have prepared theirs.
 * If a reader has not arrived (@all_here is false), do not wait for it a second time.
 */
static void prepare_here(struct ucore_rendezvous_state *m, struct ucore_domain_ctx *first,
			 bool all_here)
{
	struct ucore_domain_ctx *ctx;

	for (ctx = first; ctx; ctx = ctx->next_here)
		m->prepare(ctx);
	if (all_here)
		wait_for_others(&m->unprepared);
	else
		atomic_dec(&m->unprepared);
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

static void rendezvous_here(void *arg)
{
	struct ucore_rendezvous_state *m = arg;
	struct ucore_domain_ctx *first = m->session->ctx_on_cpu[smp_processor_id()];
	bool all_here = true;

	ucore_budget_enter(ktime_get_mono_fast_ns());
	/*
	 * Wait without a lock. A reader that has not arrived may be servicing a PMI or a core
	 * trigger of another domain, which needs the lock of that domain.
	 */
	if (m->together)
		all_here = wait_for_others(&m->missing);
	lock_here(first);
	if (m->prepare)
		prepare_here(m, first, all_here);
	act_here(m, first);
	ucore_budget_leave();
}

/* Append a context to the list of contexts that the reader of its domain handles. */
static void ctx_append(struct ucore_session *session, struct ucore_domain_ctx *ctx)
{
	struct ucore_domain_ctx **end = &session->ctx_on_cpu[ctx->meets_on];

	if (!cpumask_test_and_set_cpu(ctx->meets_on, session->rendezvous_cpus))
		*end = NULL;	/* discard the list of an earlier rendezvous */
	while (*end)
		end = &(*end)->next_here;
	*end = ctx;
}

/**
 * ucore_rendezvous() - execute a function on all readers of a session, and wait for its end
 * @session: the session, locked
 * @m: the function to execute, and how the readers wait for each other
 *
 * The caller holds the CPU hotplug lock. If another session changes a reader at the same time,
 * the old reader executes the function. Domains without an online CPU are skipped.
 */
void ucore_rendezvous(struct ucore_session *session, struct ucore_rendezvous_state *m)
{
	struct ucore_domain_ctx *ctx;
	u32 n;

	lockdep_assert_held(&session->lock);

	cpumask_clear(session->rendezvous_cpus);
	ucore_for_each_ctx(ctx, session) {
		ctx->next_here = NULL;
		ctx->meets_on = READ_ONCE(ctx->domain->reader);
		if (ctx->meets_on != UCORE_NO_CPU)
			ctx_append(session, ctx);
	}
	n = cpumask_weight(session->rendezvous_cpus);
	m->session = session;
	atomic_set(&m->missing, n);
	atomic_set(&m->unprepared, n);
	if (n > 1)
		mutex_lock(&rendezvous_lock);
	on_each_cpu_mask(session->rendezvous_cpus, rendezvous_here, m, true);
	if (n > 1)
		mutex_unlock(&rendezvous_lock);
}
