// SPDX-License-Identifier: GPL-2.0-only
/*
 * Polls of the global status, for overflows that freeze the domain without a PMI. Owns
 * ucore_pmi.poll_ns and its timer. Part of the irq layer.
 *
 * If pmi_core_sel selects no core, an overflow still freezes the die and sets its bit of the
 * global status. A poll finds the overflow later, but all counters have stood still since. The
 * counts of the sample are therefore exact. A domain is polled while its counters are armed and
 * all sessions that armed them need no PMI. Otherwise the PMI serves all sessions of the domain.
 *
 * A poll reads the global status only. The timer callback runs in hard-IRQ context on the reader
 * and takes the domain's lock.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "compat.h"
#include "cpu/budget.h"
#include "cpu/nmi_handler.h"
#include "irq/overflow_poll.h"
#include "sample/readout.h"

/**
 * ucore_overflow_poll_ns() - get the time between polls that the contexts of a domain require
 * @domain: the domain; its list of contexts cannot change
 *
 * Return: time from one poll to the next (ns), 0 if no counter is armed or a session needs a PMI.
 */
u64 ucore_overflow_poll_ns(const struct ucore_domain *domain)
{
	const struct ucore_domain_ctx *ctx;
	u64 ns = U64_MAX;

	list_for_each_entry(ctx, &domain->ctxs, node) {
		if (!ctx->armed_mask)
			continue;
		if (!ctx->status_poll_ns)
			return 0;
		ns = min(ns, ctx->status_poll_ns);
	}
	return ns == U64_MAX ? 0 : ns;
}

/*
 * Read the global status, and service the overflows that it shows. Nothing is read during a
 * freeze that will be ended by its own service of pending overflows.
 */
static void poll_status(struct ucore_domain *domain, u64 now)
{
	struct ucore_readout ro;

	if (domain->freeze_count)
		return;
	if (!ucore_domain_status(domain)) {
		domain->pmi.clear = now;
		return;
	}
	ucore_readout_begin_overflow(&ro, domain, now, false);
	ucore_readout_end(&ro);
}

/* Add a poll and its cost to the statistics of the contexts that share the poll. */
static void poll_account(struct ucore_domain *domain, u64 cost_ns, u64 reads)
{
	struct ucore_domain_ctx *ctx;

	list_for_each_entry(ctx, &domain->ctxs, node) {
		if (!ctx->armed_mask)
			continue;
		ctx->stats.polls++;
		ctx->stats.cost_ns += div_u64(cost_ns, domain->armed);
		ctx->stats.reads += div_u64(reads, domain->armed);
	}
}

static void note_delay(struct ucore_domain *domain)
{
	struct ucore_domain_ctx *ctx;

	list_for_each_entry(ctx, &domain->ctxs, node) {
		if (!ctx->armed_mask)
			continue;
		ctx->stats.delayed++;
		ctx->delayed = true;
	}
}

static enum hrtimer_restart status_tick(struct hrtimer *timer)
{
	struct ucore_domain *domain = container_of(timer, struct ucore_domain, pmi.poll);
	u64 start = ucore_budget_entered_at(timer), now, reads;

	raw_spin_lock(&domain->lock);
	if (!domain->pmi.poll_ns || !domain->armed) {
		raw_spin_unlock(&domain->lock);
		return HRTIMER_NORESTART;
	}
	ucore_budget_enter(start);
	now = ktime_get_mono_fast_ns();
	reads = domain->tally.reads;
	poll_status(domain, now);
	poll_account(domain, ktime_get_mono_fast_ns() - now, domain->tally.reads - reads);
	if (ucore_budget_leave_timer(timer, domain->pmi.poll_ns))
		note_delay(domain);
	raw_spin_unlock(&domain->lock);
	return HRTIMER_RESTART;
}

/**
 * ucore_overflow_poll_init() - initialize the polls of a domain
 * @domain: the domain
 */
void ucore_overflow_poll_init(struct ucore_domain *domain)
{
	hrtimer_setup(&domain->pmi.poll, status_tick, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/**
 * ucore_overflow_poll_start() - start polls of the global status, or make them more frequent
 * @domain: the domain, locked, on whose reader the function runs
 *
 * Does nothing while the PMI is enabled, or if the polls are frequent enough.
 */
void ucore_overflow_poll_start(struct ucore_domain *domain)
{
	u64 ns = ucore_overflow_poll_ns(domain);

	lockdep_assert_held(&domain->lock);

	if (!ns || domain->pmi.enabled ||
	    (domain->pmi.poll_ns && domain->pmi.poll_ns <= ns))
		return;
	domain->pmi.poll_ns = ns;
	hrtimer_start(&domain->pmi.poll, ns_to_ktime(ktime_get_mono_fast_ns() + ns),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/* Set the time between polls of a domain that is polled, 0 to stop. Wait for a running poll. */
static void poll_set(struct ucore_domain *domain, u64 ns)
{
	if (!domain->pmi.poll_ns)
		return;
	raw_spin_lock_irq(&domain->lock);
	domain->pmi.poll_ns = ns;
	raw_spin_unlock_irq(&domain->lock);
	if (!ns)
		hrtimer_cancel(&domain->pmi.poll);
}

/**
 * ucore_overflow_poll_settle() - adapt the time between polls to the remaining contexts
 * @domain: the domain, not locked, on which a context has stopped
 */
void ucore_overflow_poll_settle(struct ucore_domain *domain)
{
	poll_set(domain, ucore_overflow_poll_ns(domain));
}

/**
 * ucore_overflow_poll_stop() - stop polls of the global status, because a PMI will be enabled
 * @domain: the domain, not locked. The caller keeps it frozen
 */
void ucore_overflow_poll_stop(struct ucore_domain *domain)
{
	poll_set(domain, 0);
}
