// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multiplexing: sessions with UCORE_SESSION_F_MULTIPLEX use the counters of a domain in turns, if
 * they need the same counter for different events. Part of the irq layer.
 *
 * A context that has to wait is paused: it is started, its time enabled goes on, but it has no
 * counter. A timer on the reader ends a time slice. The context that has waited longest counts
 * next, together with all others that need no counter of it. The timer runs only while a context is
 * paused.
 *
 * The timer callback runs in hard-IRQ context on a CPU of the domain and takes the domain's lock.
 * All functions run with interrupts off. A time slice looks at a limited number of counters of
 * waiting contexts, and at those of the contexts that count.
 */
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/lockdep.h>

#include "box/counter_use.h"
#include "box/domain_global_ctl.h"
#include "box/freeze.h"
#include "compat.h"
#include "cpu/budget.h"
#include "irq/multiplex.h"
#include "irq/rotate.h"
#include "sample/domain_ctx_counters.h"
#include "sample/readout.h"

/* Length of a time slice (ns) */
#define SLICE_NS	(10 * NSEC_PER_MSEC)

/* Return true if two control words of the counter select the same event. */
static bool same_event(const struct ucore_counter *ctr, u64 a, u64 b)
{
	return !((a ^ b) & ~ucore_counter_overflow_bits(ctr));
}

/* Return the control with which a hardware counter counts now. */
static u64 control_of(const struct ucore_counter_use *use)
{
	return use->sharing ? use->leader->ctl : use->first->ctl;
}

/* Return true if the context can count beside the contexts that count now. */
static bool fits_now(const struct ucore_domain_ctx *ctx)
{
	const struct ucore_counter_use *use;
	const struct ucore_counter *ctr;

	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		use = ctr->use;
		if (!use)
			continue;
		if (use->in_turns)
			return false;
		if (use->users && (ctr->group || !same_event(ctr, control_of(use), ctr->ctl)))
			return false;
	}
	return true;
}

/**
 * ucore_multiplex_program() - program a context, or pause it until its counters are free
 * @ctx: domain context whose domain is frozen
 */
void ucore_multiplex_program(struct ucore_domain_ctx *ctx)
{
	if (ctx->multiplex) {
		if (list_empty(&ctx->multiplex_node))
			list_add_tail(&ctx->multiplex_node, &ctx->domain->multiplexed);
		ctx->paused = !fits_now(ctx);
		ctx->paused_at = ktime_get_mono_fast_ns();
	}
	if (ctx->paused)
		ucore_ctx_forget(ctx);
	else
		ucore_ctx_program(ctx);
}

/**
 * ucore_multiplex_end() - remove a context that has stopped
 * @ctx: domain context
 *
 * Its counters become free for the next time slice.
 */
void ucore_multiplex_end(struct ucore_domain_ctx *ctx)
{
	list_del_init(&ctx->multiplex_node);
	ctx->paused = false;
}

/*
 * ---- time slices ----
 */

/* Return true if the context can count beside the contexts chosen for this time slice. */
static bool fits(const struct ucore_domain_ctx *ctx, u64 slice)
{
	const struct ucore_counter_use *use;
	const struct ucore_counter *ctr;

	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		use = ctr->use;
		if (!use || use->slice != slice)
			continue;
		if (ctr->group || use->slice_in_turns || !same_event(ctr, use->slice_ctl, ctr->ctl))
			return false;
	}
	return true;
}

/* Reserve the counters of a context for this time slice. */
static void reserve(const struct ucore_domain_ctx *ctx, u64 slice)
{
	struct ucore_counter_use *use;
	const struct ucore_counter *ctr;

	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		use = ctr->use;
		if (!use)
			continue;
		use->slice = slice;
		use->slice_ctl = ctr->ctl;
		use->slice_in_turns = ctr->group;
	}
}

/*
 * Move contexts that count in the next time slice from the domain's list to @chosen: of those that
 * wait, or of those that count now. @left is the number of counters that may still be looked at.
 */
static void choose_of(struct ucore_domain *domain, bool paused, u64 left,
		      struct list_head *chosen)
{
	struct ucore_domain_ctx *ctx, *next;

	list_for_each_entry_safe(ctx, next, &domain->multiplexed, multiplex_node) {
		if (ctx->paused != paused)
			continue;
		if (!list_empty(chosen) && ctx->nr_ctr > left)
			break;
		left -= min_t(u64, left, ctx->nr_ctr);
		if (!fits(ctx, domain->slices))
			continue;
		reserve(ctx, domain->slices);
		list_move_tail(&ctx->multiplex_node, chosen);
	}
}

/*
 * Choose the contexts that count in the next time slice. The one that has waited longest is always
 * among them. Of the waiting contexts, at most twice the counters of the domain are looked at,
 * unless the first one has more. The contexts that count now are all looked at, because a pause
 * costs more.
 */
static void choose(struct ucore_domain *domain, struct list_head *chosen)
{
	domain->slices++;
	choose_of(domain, true, 2 * domain->nr_counters, chosen);
	choose_of(domain, false, U64_MAX, chosen);
}

/* Pause the contexts that count now and were not chosen. They wait behind all others. */
static void pause_others(struct ucore_domain *domain, u64 now)
{
	struct ucore_domain_ctx *ctx, *next;
	struct ucore_readout ro;
	LIST_HEAD(paused);

	ucore_readout_begin(&ro, domain, now);
	list_for_each_entry_safe(ctx, next, &domain->multiplexed, multiplex_node) {
		if (ctx->paused)
			continue;
		ucore_readout_pause(&ro, ctx);
		list_move_tail(&ctx->multiplex_node, &paused);
	}
	list_splice_tail(&paused, &domain->multiplexed);
	ucore_readout_end(&ro);
}

static void slice_begin(struct ucore_domain *domain, u64 now)
{
	struct ucore_domain_ctx *ctx;
	LIST_HEAD(chosen);

	choose(domain, &chosen);
	ucore_freeze_domain(domain, now);
	pause_others(domain, now);
	list_for_each_entry(ctx, &chosen, multiplex_node)
		if (ctx->paused) {
			ucore_rotate_resume(ctx, now);
			ucore_ctx_program(ctx);
		}
	list_for_each_entry(ctx, &chosen, multiplex_node)
		if (ctx->paused)
			ucore_ctx_start_unfrozen(ctx);
	now = ucore_unfreeze_domain(domain, true);
	list_for_each_entry(ctx, &chosen, multiplex_node)
		if (ctx->paused)
			ucore_ctx_resume(ctx, now);
	list_splice_tail(&chosen, &domain->multiplexed);
}

static bool any_paused(const struct ucore_domain *domain)
{
	const struct ucore_domain_ctx *ctx;

	list_for_each_entry(ctx, &domain->multiplexed, multiplex_node)
		if (ctx->paused)
			return true;
	return false;
}

/* Set the timer for the end of the time slice, later if this CPU exceeds its budget. */
static void next_slice(struct hrtimer *timer)
{
	u64 now = ucore_budget_leave(), wait = ucore_budget_wait_ns(raw_smp_processor_id(), now);

	hrtimer_forward(timer, ns_to_ktime(now + wait), ns_to_ktime(SLICE_NS));
}

static enum hrtimer_restart multiplex_tick(struct hrtimer *timer)
{
	struct ucore_domain *domain = container_of(timer, struct ucore_domain, multiplex);
	u64 start = ucore_budget_entered_at(timer);

	raw_spin_lock(&domain->lock);
	domain->multiplexing = domain->reader != UCORE_NO_CPU && any_paused(domain);
	if (!domain->multiplexing) {
		raw_spin_unlock(&domain->lock);
		return HRTIMER_NORESTART;
	}
	ucore_budget_enter(start);
	slice_begin(domain, ktime_get_mono_fast_ns());
	next_slice(timer);
	raw_spin_unlock(&domain->lock);
	return HRTIMER_RESTART;
}

/**
 * ucore_multiplex_init() - initialize the multiplexing of a domain
 * @domain: the domain
 */
void ucore_multiplex_init(struct ucore_domain *domain)
{
	INIT_LIST_HEAD(&domain->multiplexed);
	hrtimer_setup(&domain->multiplex, multiplex_tick, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/**
 * ucore_multiplex_start() - start the timer of the time slices, if a context waits for counters
 * @domain: the domain, locked; this CPU is its reader
 */
void ucore_multiplex_start(struct ucore_domain *domain)
{
	lockdep_assert_held(&domain->lock);

	if (domain->multiplexing || !any_paused(domain))
		return;
	domain->multiplexing = true;
	hrtimer_start(&domain->multiplex, ns_to_ktime(ktime_get_mono_fast_ns() + SLICE_NS),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}
