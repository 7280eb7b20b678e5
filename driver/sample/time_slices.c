// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time slices of groups, in which the groups of a session use counters in turn. Part of the sample
 * layer. irq/rotate.c decides when a time slice ends.
 *
 * All functions run with the domain's lock held, on a CPU of the domain, with interrupts off. The
 * domain is frozen. The cost of a switch grows with the counters of the two groups.
 */
#include <linux/ktime.h>

#include "box/domain_global_ctl.h"
#include "sample/bulk_read.h"
#include "sample/time_slices.h"

/*
 * Return the time in which a counter could count in the current time slice, up to @now (ns). A
 * counter that no freeze stops counts in frozen times, too.
 */
static u64 slice_ns(const struct ucore_domain_ctx *ctx, const struct ucore_counter *ctr, u64 now,
		    u64 running)
{
	if (ctr->flags & UCORE_VALUE_F_UNFROZEN)
		return now > ctx->slice_since ? now - ctx->slice_since : 0;
	return running - ctx->slice_start_ns;
}

/**
 * ucore_slice_ran() - calculate the time in which a counter could count, up to an instant
 * @ctx: domain context
 * @ctr: counter of @ctx
 * @now: that instant (ns)
 * @running: time running of @ctx at @now, from ucore_ctx_times() (ns)
 *
 * Return: time (ns). For a counter in a group the sum of the group's time slices, otherwise
 * @running without the pauses of the context.
 */
u64 ucore_slice_ran(const struct ucore_domain_ctx *ctx, const struct ucore_counter *ctr, u64 now,
		    u64 running)
{
	if (!ctr->group)
		return (ctx->paused ? ctx->paused_from : running) - ctx->paused_ns;
	if (!ctx->running || ctx->paused || ctr->group != ctx->group)
		return ctr->ran_ns;
	return ctr->ran_ns + slice_ns(ctx, ctr, now, running);
}

/* Return the first counter of a group other than group 0, NULL if it has none or is group 0. */
static struct ucore_counter *group_first(const struct ucore_domain_ctx *ctx, u8 group)
{
	return group ? ctx->in_group[group] : NULL;
}

/* Let the registers of a group point to the group's counters, which use them next. */
static void registers_mark_next(struct ucore_domain_ctx *ctx, u8 group)
{
	struct ucore_counter *ctr;

	for (ctr = group_first(ctx, group); ctr; ctr = ctr->next_in_group)
		ctr->turns->next = ctr;
}

/**
 * ucore_slice_end() - end a time slice: add its time to the times of the group's counters
 * @ctx: domain context
 * @now: end of the time slice (ns)
 * @running: time running of @ctx at @now, from ucore_ctx_times() (ns)
 */
void ucore_slice_end(struct ucore_domain_ctx *ctx, u64 now, u64 running)
{
	struct ucore_counter *ctr;

	for (ctr = group_first(ctx, ctx->group); ctr; ctr = ctr->next_in_group)
		ctr->ran_ns += slice_ns(ctx, ctr, now, running);
	ctx->slice_start_ns = running;
	ctx->slice_since = now;
}

/*
 * Clear the overflow bit of a core counter that has wrapped, before its control selects another
 * event (IA32_PERF_GLOBAL_OVF_CTRL). Bits of other boxes are not set, because only counters
 * without a period rotate.
 */
static void wrap_clear(struct ucore_domain_ctx *ctx, struct ucore_counter *ctr)
{
	if (ctr->wrapped)
		ucore_domain_clear_bits(ctx->domain, ucore_counter_global_bit(ctr));
	ctr->wrapped = false;
}

/*
 * Switch the registers of the current group to the counters of the next group, or to none. The
 * member @next of the registers points to those counters, until they are switched.
 */
static void registers_hand_over(struct ucore_domain_ctx *ctx, u64 elapsed)
{
	struct ucore_register_turns *turns;
	struct ucore_counter *ctr, *next;

	for (ctr = group_first(ctx, ctx->group); ctr; ctr = ctr->next_in_group) {
		ucore_bulk_read_counter(ctx, ctr, &ctr->box->io, elapsed);
		wrap_clear(ctx, ctr);
		turns = ctr->turns;
		turns->prev = ctr->prev;
		next = turns->next;
		turns->next = NULL;
		if (next)
			next->prev = ctr->prev;
		ucore_counter_switch(ctr, next);
	}
}

/* Start the counters of @group whose registers the previous group did not use. */
static void registers_take_up(struct ucore_domain_ctx *ctx, u8 group)
{
	struct ucore_counter *ctr;

	for (ctr = group_first(ctx, group); ctr; ctr = ctr->next_in_group) {
		if (!ctr->turns->next)
			continue;
		ctr->turns->next = NULL;
		ctr->prev = ctr->turns->prev;
		ucore_counter_switch(NULL, ctr);
	}
}

/* Return true if the fixed counters of the box share one control register. */
static bool has_shared_fixed(const struct ucore_domain_ctx_box *pb)
{
	return pb->box->desc.type->fixed_step;
}

/**
 * ucore_slice_switch_group() - start the time slice of another group
 * @ctx: domain context, running
 * @group: id of the group that counts next
 * @now: instant of the freeze (ns)
 * @running: time running of @ctx at @now, from ucore_ctx_times() (ns)
 *
 * Reads the counters of the previous group and writes the controls that differ. Counter
 * registers are not written, because their values are known from the last read.
 */
void ucore_slice_switch_group(struct ucore_domain_ctx *ctx, u8 group, u64 now, u64 running)
{
	u64 elapsed = ktime_get_mono_fast_ns() - ctx->last_read;
	struct ucore_domain_ctx_box *pb;

	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++)
		pb->fixed = pb->box->fixed;
	registers_mark_next(ctx, group);
	registers_hand_over(ctx, elapsed);
	registers_take_up(ctx, group);
	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++)
		if (has_shared_fixed(pb) && pb->box->fixed != pb->fixed)
			ucore_box_write_fixed(pb->box);
	ucore_slice_end(ctx, now, running);
	ctx->group = group;
	ctx->fresh = true;	/* charge the readout's cost to the context */
}

/**
 * ucore_slice_prepare_others() - zero the counter registers that only later time slices use
 * @ctx: domain context that is being programmed
 *
 * The counters of these time slices take the value from struct ucore_register_turns.
 */
void ucore_slice_prepare_others(struct ucore_domain_ctx *ctx)
{
	struct ucore_register_turns *turns = ctx->turns;
	struct ucore_register_turns *end = turns + ctx->nr_box * UCORE_MAX_COUNTERS;

	if (!turns)
		return;
	registers_mark_next(ctx, ctx->group);
	for (; turns < end; turns++) {
		turns->prev = 0;
		if (turns->any && !turns->next && !turns->any->box->dead)
			ucore_counter_prepare(turns->any);
		turns->next = NULL;
	}
}
