// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rotation: groups of events use the counters in time slices. Part of the irq layer.
 *
 * A timer on the reader of each domain ends a time slice. The time slices of all domains of a
 * session begin at the same instants, and the current time determines the group that counts.
 * The domains therefore switch together, even after one timer was late. sample/time_slices.c
 * switches the counters.
 *
 * Timer callbacks run in hard-IRQ context on a CPU of the domain and take the domain's lock.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "box/domain_global_ctl.h"
#include "compat.h"
#include "cpu/budget.h"
#include "irq/rotate.h"
#include "sample/domain_ctx_counters.h"
#include "sample/readout.h"
#include "sample/time_slices.h"

/* Find the group whose time slice contains an instant. */
static u8 group_at(const struct ucore_domain_ctx *ctx, u64 now)
{
	u64 slices = now > ctx->rotate_base ?
		    div64_u64(now - ctx->rotate_base, ctx->rotate_ns) : 0;
	u32 i;

	div_u64_rem(slices, ctx->nr_groups, &i);
	return ctx->groups[i];
}

/*
 * Switch a context to the group whose time slice contains @now: one freeze, reads of the old
 * group's counters, writes of the controls that differ, one unfreeze.
 */
static void switch_here(struct ucore_domain_ctx *ctx, u64 now)
{
	u8 group = group_at(ctx, now);
	struct ucore_readout ro;
	u64 enabled, running;

	if (group == ctx->group)
		return;
	ucore_readout_begin_ctx(&ro, ctx, now);
	ucore_ctx_times(ctx, ro.now, ucore_readout_frozen_before(&ro, ctx), &enabled, &running);
	ucore_slice_switch_group(ctx, group, ro.now, running);
	ucore_readout_end(&ro);
}

/*
 * Set the timer for the next time slice. If this CPU exceeds its budget, skip so many time
 * slices that the next group in order still follows. Otherwise a group might never count.
 */
static void next_slice(struct ucore_domain_ctx *ctx, struct hrtimer *timer)
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

static enum hrtimer_restart rotate_tick(struct hrtimer *timer)
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
	if (!ctx->paused)
		switch_here(ctx, ktime_get_mono_fast_ns());
	next_slice(ctx, timer);
	raw_spin_unlock(&domain->lock);
	return HRTIMER_RESTART;
}

/**
 * ucore_rotate_init() - initialize the rotation timer of a context
 * @ctx: the domain context
 */
void ucore_rotate_init(struct ucore_domain_ctx *ctx)
{
	hrtimer_setup(&ctx->rotate, rotate_tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
}

/**
 * ucore_rotate_resume() - choose the group of a paused context that is about to count again
 * @ctx: the domain context
 * @now: current time (ns)
 *
 * The time slices of groups do not pass while the context is paused.
 */
void ucore_rotate_resume(struct ucore_domain_ctx *ctx, u64 now)
{
	ctx->rotate_base += now - min(now, ctx->paused_at);
	if (ctx->rotate_ns)
		ctx->group = group_at(ctx, now);
}

/**
 * ucore_rotate_start() - start the rotation timer on this CPU, in the first group's time slice
 * @ctx: the domain context
 * @base: start of the first time slice on all domains of the session (ns)
 */
void ucore_rotate_start(struct ucore_domain_ctx *ctx, u64 base)
{
	ctx->rotate_base = base;
	hrtimer_start(&ctx->rotate, ns_to_ktime(base + ctx->rotate_ns),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}
