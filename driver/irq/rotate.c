// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rotation: groups of events take turns on counters.
 *
 * A timer on each domain's reader ends a turn.  All domains of a session have one grid, and
 * whose turn it is follows from the instant: so they switch together, also after one of
 * them came late.  What a switch is part.c knows.
 *
 * Callbacks run in hard-irq context on a CPU of the domain and take its lock.
 */
#include <linux/ktime.h>
#include <linux/math64.h>

#include "box/domain.h"
#include "compat.h"
#include "cpu/budget.h"
#include "sample/domain_ctx.h"
#include "irq/rotate.h"
#include "sample/sample.h"

/* Whose turn is it at an instant? */
static u8 group_at(const struct ucore_domain_ctx *ctx, u64 now)
{
	u64 turns = now > ctx->rotate_base ?
		    div64_u64(now - ctx->rotate_base, ctx->rotate_ns) : 0;
	u32 i;

	div_u64_rem(turns, ctx->nr_groups, &i);
	return ctx->groups[i];
}

/* One freeze, the counters of the group that leaves, controls that differ, one unfreeze. */
static void turn_here(struct ucore_domain_ctx *ctx, u64 now)
{
	u8 group = group_at(ctx, now);
	struct ucore_interval iv;

	if (group == ctx->group)
		return;
	ucore_interval_begin_ctx(&iv, ctx, now);
	ucore_ctx_switch_group(ctx, group, iv.now, ucore_interval_frozen_before(&iv, ctx));
	ucore_interval_end(&iv);
}

/*
 * The next turn, or a later one if this CPU is beyond its budget: then the group that would
 * have been next, so that none is left out for good.
 */
static void next_turn(struct ucore_domain_ctx *ctx, struct hrtimer *timer)
{
	u64 now = ucore_budget_leave(), wait = ucore_budget_wait_ns(raw_smp_processor_id(), now);
	u64 skipped;
	u32 rest;

	hrtimer_forward(timer, ns_to_ktime(now), ns_to_ktime(ctx->rotate_ns));
	skipped = wait ? hrtimer_forward(timer, ns_to_ktime(now + wait),
					 ns_to_ktime(ctx->rotate_ns)) : 0;
	if (!skipped)
		return;
	ctx->stats.delayed++;
	div_u64_rem(skipped, ctx->nr_groups, &rest);
	if (!rest)
		return;
	hrtimer_forward(timer, ktime_add_ns(hrtimer_get_expires(timer),
					    ctx->rotate_ns * (ctx->nr_groups - rest - 1)),
			ns_to_ktime(ctx->rotate_ns));
}

static enum hrtimer_restart turn_tick(struct hrtimer *timer)
{
	struct ucore_domain_ctx *ctx = container_of(timer, struct ucore_domain_ctx, rotate);
	struct ucore_domain *domain = ctx->domain;
	u64 start = ucore_budget_entered_at(timer);

	raw_spin_lock(&domain->lock);
	if (!ctx->running) {
		raw_spin_unlock(&domain->lock);
		return HRTIMER_NORESTART;
	}
	ucore_budget_enter(start);
	turn_here(ctx, ktime_get_mono_fast_ns());
	next_turn(ctx, timer);
	raw_spin_unlock(&domain->lock);
	return HRTIMER_RESTART;
}

/**
 * ucore_rotate_init() - prepare the timer of a part's turns
 * @part: the part
 */
void ucore_rotate_init(struct ucore_domain_ctx *ctx)
{
	hrtimer_setup(&ctx->rotate, turn_tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
}

/**
 * ucore_rotate_start() - start it on this CPU; the first group's turn has begun
 * @part: the part
 * @base: instant from which all domains of the session count turns
 */
void ucore_rotate_start(struct ucore_domain_ctx *ctx, u64 base)
{
	ctx->rotate_base = base;
	hrtimer_start(&ctx->rotate, ns_to_ktime(base + ctx->rotate_ns),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}
