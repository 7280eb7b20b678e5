// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watchdog of a domain: one timer, pinned to the reader, for work that must be done in time
 * without an interrupt. It reads counters before they wrap twice, services overflows whose PMI
 * was lost, checks for spurious overflows and for conflicts, and ends throttling. Part of the
 * irq layer.
 *
 * The timer callback runs in hard-IRQ context on a CPU of the domain and takes the domain's
 * lock. ucore_domain_kick_watchdog() is in box/domain_global_ctl.c, because lower layers start
 * the timer, too.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>

#include "box/freeze.h"
#include "compat.h"
#include "cpu/budget.h"
#include "cpu/nmi_handler.h"
#include "find/desc.h"
#include "irq/conflict.h"
#include "irq/dead_box_recovery.h"
#include "irq/pmi_route_and_service.h"
#include "irq/unreported_overflow.h"
#include "irq/watchdog.h"
#include "sample/readout.h"

/* Period (ns) of checks for lost PMIs while counters are armed */
#define ARMED_NS	(20 * NSEC_PER_MSEC)
/* Time (ns) in which the PMI must arrive after the watchdog has seen its overflow */
#define SUSPECT_NS	(1 * NSEC_PER_MSEC)
/* Longest period of the watchdog (ns) */
#define MAX_NS		UCORE_CONFLICT_PERIOD_NS

/* Return the time until the watchdog must run again (ns). */
static u64 watchdog_period(const struct ucore_domain *domain, u64 now)
{
	bool spurious = domain->spurious || ucore_domain_overflow_freezes(domain);
	u64 period = domain->armed ? ARMED_NS : spurious ? UCORE_RECOVERY_PERIOD_NS : MAX_NS;
	const struct ucore_domain_ctx *ctx;

	list_for_each_entry(ctx, &domain->ctxs, node)
		period = min3(period, ctx->watchdog_ns / 2, ucore_conflict_wait_ns(ctx, now));
	return period;
}

/*
 * Read counters before they can wrap twice. Skip contexts that were read less than half a
 * watchdog period ago.
 */
static void fold_wraps(struct ucore_domain *domain, u64 now)
{
	struct ucore_domain_ctx *ctx;

	list_for_each_entry(ctx, &domain->ctxs, node)
		if (now - ctx->last_read >= ctx->watchdog_ns / 4)
			ucore_ctx_read_running(ctx, now);
}

/*
 * Find an overflow whose PMI was lost, because the overflow is still pending SUSPECT_NS after
 * the watchdog saw it. Service the overflow and set the PMI's route again. Return true if the
 * watchdog has seen an overflow for the first time and must check it again.
 */
static bool find_lost(struct ucore_domain *domain, u64 now)
{
	struct ucore_readout ro;

	/*
	 * An interrupted context is saved if the PMI has arrived and its service is queued. No PMI
	 * is lost while the global status is polled (overflow_poll.c).
	 */
	if (!domain->armed || domain->freeze_count || ucore_nmi_context(domain) ||
	    domain->pmi.poll_ns) {
		domain->pmi.suspect = 0;
		return false;
	}
	if (!ucore_domain_status(domain)) {
		domain->pmi.suspect = 0;
		domain->pmi.clear = now;
		return false;
	}
	if (domain->pmi.suspect != domain->pmi.seq + 1) {
		domain->pmi.suspect = domain->pmi.seq + 1;
		domain->pmi.suspect_time = now;
		return true;
	}
	domain->pmi.suspect = 0;
	/*
	 * The overflow has frozen a die, at the latest when the watchdog first saw the overflow.
	 * Core counters (global->enables) are not frozen by an overflow and have counted until now.
	 */
	if (!domain->global->enables)
		now = domain->pmi.suspect_time;
	ucore_readout_begin_overflow(&ro, domain, now, true);
	ucore_readout_end(&ro);
	ucore_pmi_lost(domain);
	return false;
}

/**
 * ucore_watchdog_end_throttling() - end the throttling of a domain, if it is throttled
 * @domain: the domain, locked
 */
void ucore_watchdog_end_throttling(struct ucore_domain *domain)
{
	lockdep_assert_held(&domain->lock);

	if (!domain->throttled)
		return;
	domain->throttled = false;
	domain->extended = false;
	ucore_readout_unthrottle(domain);
	if (!domain->kept_frozen)
		return;
	domain->kept_frozen = false;
	ucore_unfreeze_domain(domain, true);
}

/*
 * Extend the throttling of a domain, at most once, if overflows have exceeded the budget again
 * while it was throttled. Return true if the domain remains throttled. A domain that is not
 * throttled does not become throttled here.
 */
static bool throttling_extend(struct ucore_domain *domain)
{
	u64 pause;

	if (!domain->throttled || domain->extended)
		return false;
	pause = ucore_budget_pause_ns(ktime_get_mono_fast_ns());
	if (!pause)
		return false;
	domain->extended = true;
	ucore_domain_kick_watchdog(domain, pause);
	return true;
}

/*
 * Return false if there is nothing to watch: no context is started, or all contexts were stopped
 * because the last CPU of the domain goes offline or the machine is suspended. Stopped boxes have
 * been reset, so that a read of their counters would add a wrap.
 */
static bool any_runs(struct ucore_domain *domain)
{
	const struct ucore_domain_ctx *first;

	first = list_first_entry_or_null(&domain->ctxs, struct ucore_domain_ctx, node);
	return first && first->running;		/* such a stop ends all contexts at once */
}

static void watchdog_work(struct ucore_domain *domain, u64 now)
{
	bool suspect;

	if (!any_runs(domain))
		return;
	suspect = find_lost(domain, now);
	fold_wraps(domain, now);
	ucore_unreported_read(domain, now);
	suspect |= ucore_unreported_find(domain, now);
	ucore_recovery_scan(domain, now);
	if (!suspect)
		ucore_conflict_scan(domain, now);
	if (!domain->throttled)
		ucore_domain_kick_watchdog(domain, suspect ? SUSPECT_NS :
						     watchdog_period(domain, now));
}

static enum hrtimer_restart watchdog_tick(struct hrtimer *timer)
{
	struct ucore_domain *domain = container_of(timer, struct ucore_domain, watchdog);
	u64 start = ucore_budget_entered_at(timer);

	raw_spin_lock(&domain->lock);
	ucore_budget_enter(start);
	domain->watchdog_at = 0;
	if (domain->reader != UCORE_NO_CPU) {
		if (!throttling_extend(domain))
			ucore_watchdog_end_throttling(domain);
		watchdog_work(domain, ktime_get_mono_fast_ns());
	}
	ucore_budget_leave();
	raw_spin_unlock(&domain->lock);
	/* watchdog_work() or a START has started the timer again if it is needed */
	return HRTIMER_NORESTART;
}

/**
 * ucore_watchdog_init() - initialize the watchdog of a domain
 * @domain: the domain
 */
void ucore_watchdog_init(struct ucore_domain *domain)
{
	hrtimer_setup(&domain->watchdog, watchdog_tick, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/**
 * ucore_watchdog_start() - start the watchdog, or adapt its period to the contexts that now run
 * @domain: the domain, locked
 *
 * If the watchdog timer is already set, its expiry is never postponed. Otherwise one START after
 * the other could delay the watchdog without end.
 */
void ucore_watchdog_start(struct ucore_domain *domain)
{
	u64 now = ktime_get_mono_fast_ns(), at = now + watchdog_period(domain, now);

	lockdep_assert_held(&domain->lock);

	if (domain->throttled)
		return;
	if (domain->watchdog_at)
		at = min(at, max(domain->watchdog_at, now));
	ucore_domain_kick_watchdog(domain, at - now);
}
