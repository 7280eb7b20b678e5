// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timers: the trigger in nanoseconds, polling, and each domain's guard; turns of groups
 * have theirs in rotate.c.
 *
 * A session's timers are pinned to the readers of its domains and expire at the
 * same instants everywhere; nothing is broadcast.  Polling looks at counters
 * that cannot interrupt, and takes their samples.  The guard does what nothing
 * else would do in time: fold a counter before it can wrap twice, find an
 * overflow whose interrupt was lost, look who else writes controls, and end throttling.
 *
 * Callbacks run in hard-irq context on a CPU of the domain and take its lock.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <asm/irq_regs.h>

#include "compat.h"
#include "find/desc.h"
#include "cpu/budget.h"
#include "cpu/nmi.h"
#include "irq/pmi.h"
#include "irq/rotate.h"
#include "irq/recovery.h"
#include "irq/timer.h"
#include "irq/conflict.h"

/* While overflows are armed, look this often whether one went unnoticed ... */
#define WATCHDOG_ARMED_NS		(20 * NSEC_PER_MSEC)
/* ... and give its interrupt this long to show up. */
#define WATCHDOG_SUSPECT_NS	(1 * NSEC_PER_MSEC)
#define WATCHDOG_MAX_NS		UCORE_WATCH_NS

static void context_here(struct ucore_pmi_regs *context, u64 now)
{
	struct pt_regs *regs = get_irq_regs();

	*context = (struct ucore_pmi_regs){
		.time = now,
		.ip = regs ? instruction_pointer(regs) : 0,
		.user = regs && user_mode(regs),
		.pid = current->tgid,
		.tid = current->pid,
		.cpu = raw_smp_processor_id(),
	};
}

/* A sample of a part, frozen by software; a timer interrupted this CPU. */
static void sample_here(struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_pmi_regs context;
	struct ucore_interval iv;

	context_here(&context, now);
	ucore_interval_begin_ctx(&iv, ctx, now);
	ucore_interval_set_context(&iv, &context);
	ucore_sample_timer_due(&iv, ctx);
	ucore_interval_end(&iv);
}

/*
 * What was begun here has ended.  The next one is at the next instant of the timer's
 * grid at which this CPU is within its budget.
 */
static void next_period(struct ucore_domain_ctx *ctx, struct hrtimer *timer, u64 period)
{
	u64 now = ucore_budget_leave(), wait = ucore_budget_wait_ns(raw_smp_processor_id(), now);

	hrtimer_forward(timer, ns_to_ktime(now), ns_to_ktime(period));
	if (!wait || !hrtimer_forward(timer, ns_to_ktime(now + wait), ns_to_ktime(period)))
		return;
	ctx->stats.delayed++;
	ctx->stretched = true;
}

/* How many instants of the timer's grid are due before this one? */
static u64 due_before(const struct ucore_domain_ctx *ctx, u64 instant)
{
	if (instant <= ctx->timer_due)
		return 0;
	return div64_u64(instant - ctx->timer_due - 1, ctx->timer_ns) + 1;
}

/* Those before the one that expires now had no sample. */
static void drop_before(struct ucore_domain_ctx *ctx, u64 instant)
{
	ucore_sample_drop(ctx, due_before(ctx, instant));
	ctx->timer_due = instant + ctx->timer_ns;
}

static enum hrtimer_restart timer_trigger(struct hrtimer *timer)
{
	struct ucore_domain_ctx *ctx = container_of(timer, struct ucore_domain_ctx, timer);
	struct ucore_domain *domain = ctx->domain;
	u64 start = ucore_budget_entered_at(timer);

	raw_spin_lock(&domain->lock);
	if (!ctx->running) {
		raw_spin_unlock(&domain->lock);
		return HRTIMER_NORESTART;
	}
	ucore_budget_enter(start);
	drop_before(ctx, ktime_to_ns(hrtimer_get_expires(timer)));
	sample_here(ctx, ktime_get_mono_fast_ns());
	next_period(ctx, timer, ctx->timer_ns);
	raw_spin_unlock(&domain->lock);
	return HRTIMER_RESTART;
}

/*
 * A look touches no more than the counters in question, and freezes nothing until
 * one of them is past its multiple.
 */
static enum hrtimer_restart poll_tick(struct hrtimer *timer)
{
	struct ucore_domain_ctx *ctx = container_of(timer, struct ucore_domain_ctx, poll);
	struct ucore_domain *domain = ctx->domain;
	u64 entry = ucore_budget_entered_at(timer), start;
	bool over;

	raw_spin_lock(&domain->lock);
	if (!ctx->running) {
		raw_spin_unlock(&domain->lock);
		return HRTIMER_NORESTART;
	}
	ucore_budget_enter(entry);
	start = ktime_get_mono_fast_ns();
	over = ucore_ctx_poll(ctx);
	ctx->stats.cost_ns += ktime_get_mono_fast_ns() - start;
	if (over)
		sample_here(ctx, ktime_get_mono_fast_ns());
	next_period(ctx, timer, ctx->poll_ns);
	raw_spin_unlock(&domain->lock);
	return HRTIMER_RESTART;
}

/**
 * ucore_timer_init() - prepare a part's timers: trigger, polling, turns
 * @part: the part
 */
void ucore_timer_init(struct ucore_domain_ctx *ctx)
{
	hrtimer_setup(&ctx->timer, timer_trigger, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
	hrtimer_setup(&ctx->poll, poll_tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	ucore_rotate_init(ctx);
}

/* Where a part went late there was nothing to be sampled before. */
static u64 first_due(const struct ucore_domain_ctx *ctx, u64 base)
{
	u64 late = ctx->resumed > base ? ctx->resumed - base : 0;

	return base + (div64_u64(late, ctx->timer_ns) + 1) * ctx->timer_ns;
}

/**
 * ucore_timer_start() - start a part's timers on this CPU
 * @part: the part, which has just begun to count
 * @base: instant from which all domains of the session count periods
 */
void ucore_timer_start(struct ucore_domain_ctx *ctx, u64 base)
{
	ctx->timer_due = ctx->timer_ns ? first_due(ctx, base) : 0;
	if (ctx->timer_ns)
		hrtimer_start(&ctx->timer, ns_to_ktime(ctx->timer_due),
			      HRTIMER_MODE_ABS_PINNED_HARD);
	if (ctx->poll_ns)
		hrtimer_start(&ctx->poll, ns_to_ktime(base + ctx->poll_ns),
			      HRTIMER_MODE_ABS_PINNED_HARD);
	if (ctx->rotate_ns)
		ucore_rotate_start(ctx, base);
}

/**
 * ucore_timer_last() - a part is about to be halted: what is due has its sample now
 * @part: the part
 * @iv: the interval that halts it
 *
 * Its timer may have expired while its reader's interrupts were off, or been cancelled.
 */
void ucore_timer_last(struct ucore_domain_ctx *ctx, struct ucore_interval *iv)
{
	u64 due = ctx->timer_ns ? due_before(ctx, iv->now + 1) : 0;

	if (!due)
		return;
	drop_before(ctx, ctx->timer_due + (due - 1) * ctx->timer_ns);
	ucore_sample_timer_due(iv, ctx);
}

/**
 * ucore_timer_stop() - stop them
 * @part: the part; its domain is not locked
 */
void ucore_timer_stop(struct ucore_domain_ctx *ctx)
{
	hrtimer_cancel(&ctx->timer);
	hrtimer_cancel(&ctx->poll);
	hrtimer_cancel(&ctx->rotate);
}

/**
 * ucore_timer_end() - the same, for a part that was halted for good
 * @part: the part, in its domain's list no more
 *
 * Instants that were due and had no sample are dropped.
 */
void ucore_timer_end(struct ucore_domain_ctx *ctx)
{
	ucore_timer_stop(ctx);
	if (ctx->timer_ns)
		ucore_sample_drop(ctx, due_before(ctx, ctx->last_read + 1));
}

/*
 * ---- guard ----
 */

static u64 watchdog_period(const struct ucore_domain *domain, u64 now)
{
	bool stray = domain->stray || ucore_domain_overflow_freezes(domain);
	u64 period = domain->armed ? WATCHDOG_ARMED_NS : stray ? UCORE_STRAY_NS : WATCHDOG_MAX_NS;
	const struct ucore_domain_ctx *ctx;

	list_for_each_entry(ctx, &domain->ctxs, node)
		period = min3(period, ctx->watchdog_ns / 2, ucore_conflict_wait_ns(ctx, now));
	return period;
}

/* Read what was not read for long: half of the time in which it could wrap. */
static void fold_wraps(struct ucore_domain *domain, u64 now)
{
	struct ucore_domain_ctx *ctx;

	list_for_each_entry(ctx, &domain->ctxs, node)
		if (now - ctx->last_read >= ctx->watchdog_ns / 4)
			ucore_ctx_read_running(ctx, now);
}

/*
 * An overflow that is still there after its interrupt had its time: the PMI
 * was lost.  Service it, and if none ever came, route it to every core.
 */
static bool find_lost(struct ucore_domain *domain, u64 now)
{
	struct ucore_interval iv;

	/* with its context there, the interrupt came: its service is queued */
	if (!domain->armed || domain->holds || ucore_nmi_context(domain)) {
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
	/* what an overflow does not freeze has counted until now */
	if (!domain->global->enables)
		now = domain->pmi.suspect_time;
	ucore_interval_begin_overflow(&iv, domain, now, true);
	ucore_interval_end(&iv);
	ucore_pmi_lost(domain);
	return false;
}

/*
 * A counter that carried, as a read has shown, and no bit in the global status: its box
 * has signalled to nobody, and will not again.  It gets as long as an interrupt.
 */
static bool find_silent(struct ucore_domain *domain, u64 now)
{
	struct ucore_interval iv;
	struct ucore_domain_ctx *ctx;
	u64 silent = 0;

	list_for_each_entry(ctx, &domain->ctxs, node)
		silent |= ucore_ctx_unreported_overflows(ctx);
	if (!silent || domain->holds || ucore_domain_status(domain)) {
		domain->pmi.silent = 0;
		return false;
	}
	if (domain->pmi.silent != domain->pmi.seq + 1) {
		domain->pmi.silent = domain->pmi.seq + 1;
		return true;
	}
	domain->pmi.silent = 0;
	ucore_interval_begin_unreported(&iv, domain, now);
	ucore_interval_end(&iv);
	return false;
}

/**
 * ucore_watchdog_end_throttling() - end the pause, if there is one
 * @domain: the domain, locked
 */
void ucore_watchdog_end_throttling(struct ucore_domain *domain)
{
	if (!domain->throttled)
		return;
	domain->throttled = false;
	domain->prolonged = false;
	ucore_interval_unthrottle(domain);
	if (!domain->held)
		return;
	domain->held = false;
	ucore_domain_unfreeze(domain, true);
}

/*
 * The pause is over, but others have overflowed meanwhile before they came to rest: what that
 * took has to come back, too.  Once: what else is done here waits for itself.
 */
static bool pause_goes_on(struct ucore_domain *domain)
{
	u64 pause;

	if (!domain->throttled || domain->prolonged)
		return false;
	pause = ucore_budget_pause_ns(ktime_get_mono_fast_ns());
	if (!pause)
		return false;
	domain->prolonged = true;
	ucore_watchdog_kick(domain, pause);
	return true;
}

static void watchdog_work(struct ucore_domain *domain, u64 now)
{
	bool suspect;

	if (list_empty(&domain->ctxs))
		return;
	suspect = find_lost(domain, now);
	fold_wraps(domain, now);
	suspect |= find_silent(domain, now);
	ucore_recovery_scan(domain, now);
	if (!suspect)
		ucore_conflict_scan(domain, now);
	if (!domain->throttled)
		ucore_watchdog_kick(domain, suspect ? WATCHDOG_SUSPECT_NS :
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
		if (!pause_goes_on(domain))
			ucore_watchdog_end_throttling(domain);
		watchdog_work(domain, ktime_get_mono_fast_ns());
	}
	ucore_budget_leave();
	raw_spin_unlock(&domain->lock);
	/* guard_work() or a START has started it again, or nobody wants it any more */
	return HRTIMER_NORESTART;
}

/**
 * ucore_watchdog_init() - prepare a domain's guard
 * @domain: the domain
 */
void ucore_watchdog_init(struct ucore_domain *domain)
{
	hrtimer_setup(&domain->watchdog, watchdog_tick, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/**
 * ucore_watchdog_start() - start, or adapt to the parts that now run
 * @domain: the domain, locked
 *
 * It never runs later than it would have anyway: a series of STARTs must not put
 * it off.
 */
void ucore_watchdog_start(struct ucore_domain *domain)
{
	u64 now = ktime_get_mono_fast_ns(), at = now + watchdog_period(domain, now);

	if (domain->throttled)
		return;
	if (domain->watchdog_at)
		at = min(at, max(domain->watchdog_at, now));
	ucore_watchdog_kick(domain, at - now);
}

/*
 * ---- all timers of a domain, when its reader changes ----
 */

/**
 * ucore_timers_cancel() - stop the timers of a domain
 * @domain: the domain, not locked; its list of parts cannot change
 */
void ucore_timers_cancel(struct ucore_domain *domain)
{
	struct ucore_domain_ctx *ctx;

	hrtimer_cancel(&domain->watchdog);
	list_for_each_entry(ctx, &domain->ctxs, node)
		ucore_timer_stop(ctx);
}

static void restart_at(struct hrtimer *timer, u64 now, u64 period)
{
	if (!period)
		return;
	hrtimer_forward(timer, ns_to_ktime(now), ns_to_ktime(period));
	hrtimer_start_expires(timer, HRTIMER_MODE_ABS_PINNED_HARD);
}

/* Nothing was due while nothing counted. */
static void due_from_resume(struct ucore_domain_ctx *ctx)
{
	if (ctx->timer_ns)
		ctx->timer_due += due_before(ctx, ctx->resumed + 1) * ctx->timer_ns;
}

static void restart_here(void *arg)
{
	struct ucore_domain *domain = arg;
	struct ucore_domain_ctx *ctx;
	u64 now;

	raw_spin_lock(&domain->lock);
	now = ktime_get_mono_fast_ns();
	list_for_each_entry(ctx, &domain->ctxs, node) {
		due_from_resume(ctx);
		restart_at(&ctx->timer, now, ctx->timer_ns);
		restart_at(&ctx->poll, now, ctx->poll_ns);
		restart_at(&ctx->rotate, now, ctx->rotate_ns);
	}
	ucore_watchdog_end_throttling(domain);
	if (!list_empty(&domain->ctxs))
		ucore_watchdog_start(domain);
	raw_spin_unlock(&domain->lock);
}

/**
 * ucore_timers_restart() - start them again on the reader
 * @domain: the domain, not locked; its list of parts cannot change
 */
void ucore_timers_restart(struct ucore_domain *domain)
{
	ucore_budget_run(domain, restart_here, domain);
}
