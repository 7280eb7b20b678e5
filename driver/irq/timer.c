// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timers of a domain context: the timer trigger, polling, and the rotation timer (rotate.c).
 * Part of the irq layer.
 *
 * A session's timers are pinned to the readers of its domains. They expire at the same instants
 * on all domains: base + n * period, the grid of the timer, where base is an instant during START.
 * No IPI is sent. Polling reads counters that cannot interrupt, and takes a sample when a period
 * has ended.
 *
 * Timer callbacks run in hard-IRQ context on a CPU of the domain and take the domain's lock.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <asm/irq_regs.h>

#include "box/freeze.h"
#include "compat.h"
#include "cpu/budget.h"
#include "irq/multiplex.h"
#include "irq/overflow_poll.h"
#include "irq/rotate.h"
#include "irq/timer.h"
#include "irq/watchdog.h"

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

/* Sample a domain context. The record contains what the timer interrupted (IP, PID, TID). */
static void sample_here(struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_pmi_regs context;
	struct ucore_readout ro;

	context_here(&context, now);
	ucore_readout_begin_ctx(&ro, ctx, now);
	ucore_readout_set_context(&ro, &context);
	ucore_ctx_timer_due(ctx);
	ucore_readout_end(&ro);
}

/* Charge the CPU time of a timer callback, and set the timer's next expiry. */
static void next_period(struct ucore_domain_ctx *ctx, struct hrtimer *timer, u64 period)
{
	if (!ucore_budget_leave_timer(timer, period))
		return;
	ctx->stats.delayed++;
	ctx->delayed = true;
}

/* Return the number of expiries of the timer trigger from ctx->timer_due up to before @instant. */
static u64 due_before(const struct ucore_domain_ctx *ctx, u64 instant)
{
	if (instant <= ctx->timer_due)
		return 0;
	return div64_u64(instant - ctx->timer_due - 1, ctx->timer_ns) + 1;
}

/* Count the timer expiries before @instant that had no sample as dropped. */
static void drop_missed(struct ucore_domain_ctx *ctx, u64 instant)
{
	ucore_emit_drop(ctx, due_before(ctx, instant));
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
	drop_missed(ctx, ktime_to_ns(hrtimer_get_expires(timer)));
	sample_here(ctx, ktime_get_mono_fast_ns());
	next_period(ctx, timer, ctx->timer_ns);
	raw_spin_unlock(&domain->lock);
	return HRTIMER_RESTART;
}

/* Poll the context's counters. Nothing is frozen unless a period has ended. */
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
 * ucore_timer_init() - initialize the timers of a context
 * @ctx: the domain context
 */
void ucore_timer_init(struct ucore_domain_ctx *ctx)
{
	hrtimer_setup(&ctx->timer, timer_trigger, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
	hrtimer_setup(&ctx->poll, poll_tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	ucore_rotate_init(ctx);
}

/*
 * Return the first expiry of the timer trigger (ns) after the context began to count
 * (ctx->resumed), which may have been later than @base.
 */
static u64 first_due(const struct ucore_domain_ctx *ctx, u64 base)
{
	u64 late = ctx->resumed > base ? ctx->resumed - base : 0;

	return base + (div64_u64(late, ctx->timer_ns) + 1) * ctx->timer_ns;
}

/**
 * ucore_timer_start() - start the timers of a context on this CPU
 * @ctx: the domain context, which has just begun to count
 * @base: instant at which the first periods begin, the same on all domains of the session (ns)
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
 * ucore_timer_last() - request the last timer sample of a context, if one is due
 * @ctx: the domain context, which is about to be stopped
 * @ro: the readout that stops the context
 *
 * An expiry of the timer may have no sample yet, because interrupts were off or because the
 * timer was cancelled.
 */
void ucore_timer_last(struct ucore_domain_ctx *ctx, struct ucore_readout *ro)
{
	u64 due = ctx->timer_ns ? due_before(ctx, ro->now + 1) : 0;

	if (!due)
		return;
	drop_missed(ctx, ctx->timer_due + (due - 1) * ctx->timer_ns);
	ucore_ctx_timer_due(ctx);
}

/**
 * ucore_timer_stop() - stop the timers of a context
 * @ctx: the domain context; its domain is not locked
 */
void ucore_timer_stop(struct ucore_domain_ctx *ctx)
{
	hrtimer_cancel(&ctx->timer);
	hrtimer_cancel(&ctx->poll);
	hrtimer_cancel(&ctx->rotate);
}

/**
 * ucore_timer_end() - stop the timers of a context after STOP
 * @ctx: the domain context, no longer in the domain's list
 *
 * Timer expiries without a sample are counted as dropped.
 */
void ucore_timer_end(struct ucore_domain_ctx *ctx)
{
	ucore_timer_stop(ctx);
	if (ctx->timer_ns)
		ucore_emit_drop(ctx, due_before(ctx, ctx->last_read + 1));
}

/*
 * ---- all timers of a domain, when its reader changes ----
 */

/**
 * ucore_timers_cancel() - stop all timers of a domain
 * @domain: the domain, not locked; its list of contexts cannot change
 */
void ucore_timers_cancel(struct ucore_domain *domain)
{
	struct ucore_domain_ctx *ctx;

	hrtimer_cancel(&domain->watchdog);
	hrtimer_cancel(&domain->pmi.poll);
	hrtimer_cancel(&domain->multiplex);
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

/* Skip timer expiries that passed while the domain did not count. They are not dropped periods. */
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
	restart_at(&domain->pmi.poll, now, domain->pmi.poll_ns);
	ucore_overflow_poll_start(domain);	/* the last session with a PMI may have stopped */
	domain->multiplexing = false;
	ucore_multiplex_start(domain);
	ucore_watchdog_end_throttling(domain);
	if (!list_empty(&domain->ctxs))
		ucore_watchdog_start(domain);
	raw_spin_unlock(&domain->lock);
}

/**
 * ucore_timers_restart() - start all timers of a domain again, on its reader
 * @domain: the domain, not locked; its list of contexts cannot change
 */
void ucore_timers_restart(struct ucore_domain *domain)
{
	ucore_budget_run(domain, restart_here, domain);
}
