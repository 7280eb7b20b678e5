// SPDX-License-Identifier: GPL-2.0-only
/*
 * Domain contexts, which are the state of a session on one domain. Part of the sample layer.
 * Programs, reads, resets and stops the context's counters and boxes, and keeps their times.
 *
 * All functions run with the domain's lock held, on a CPU of the domain, with interrupts off.
 * The domain is frozen unless a function says otherwise.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "box/counter_use.h"
#include "box/domain_global_ctl.h"
#include "box/freeze.h"
#include "sample/bulk_read.h"
#include "sample/domain_ctx_counters.h"
#include "sample/shared_counter.h"
#include "sample/time_slices.h"

/*
 * ---- reads and times of a context ----
 */

/* Read the counters of group 0, which always count, and of the group of this time slice. */
static void slice_read(struct ucore_domain_ctx *ctx, u64 elapsed)
{
	struct ucore_counter *ctr;

	ucore_for_each_counting(ctr, ctx)
		ucore_bulk_read_counter(ctx, ctr, &ctr->box->io, elapsed);
}

/**
 * ucore_ctx_since_read() - get an upper bound of the time for which counters ran since a read
 * @ctx: domain context whose domain has just been frozen
 *
 * Return: time since the last read (ns). The counters ran for less time, because the last read
 * precedes the last unfreeze, and because the clock is read after this freeze.
 */
u64 ucore_ctx_since_read(const struct ucore_domain_ctx *ctx)
{
	return ktime_get_mono_fast_ns() - ctx->last_read;
}

/**
 * ucore_ctx_was_read() - record that all counters of a context have been read
 * @ctx: domain context
 * @now: instant of the freeze (ns)
 */
void ucore_ctx_was_read(struct ucore_domain_ctx *ctx, u64 now)
{
	ctx->last_read = now;
	ctx->nr_reads++;
	ctx->fresh = true;
}

/**
 * ucore_ctx_read() - read all counters of a context, at most once in a readout
 * @ctx: domain context
 * @now: instant of the freeze (ns)
 *
 * Counters of groups outside their time slice do not count and are not read, nor are those of a
 * paused context.
 */
void ucore_ctx_read(struct ucore_domain_ctx *ctx, u64 now)
{
	u64 elapsed;

	if (ctx->fresh)
		return;
	if (ctx->paused) {
		ucore_ctx_was_read(ctx, now);
		return;
	}
	elapsed = ucore_ctx_since_read(ctx);
	if (ctx->nr_groups)
		slice_read(ctx, elapsed);
	else
		ucore_bulk_read_boxes(ctx, 0, ctx->nr_box, elapsed, &ctx->domain->tally);
	ucore_ctx_was_read(ctx, now);
}

/**
 * ucore_ctx_read_running() - read all counters of a context while they count
 * @ctx: domain context
 * @now: current time (ns)
 */
void ucore_ctx_read_running(struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_counter *ctr;

	for (ctr = ctx->paused ? NULL : ucore_ctx_first_counting(ctx); ctr;
	     ctr = ucore_ctx_next_counting(ctx, ctr)) {
		ucore_shared_update_at(ctr, now);
		ucore_bulk_read_distrust(ctr, now - ctx->last_read);
	}
	ctx->last_read = now;
}

/**
 * ucore_ctx_unreported_overflows() - find armed counters that wrapped before the last read
 * @ctx: domain context
 *
 * Return: mask of the global status bits that the boxes of these counters should have set.
 */
u64 ucore_ctx_unreported_overflows(const struct ucore_domain_ctx *ctx)
{
	const struct ucore_domain_ctx_box *pb;
	u64 bits = 0;
	u32 j;

	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		if (!pb->armed_mask || pb->box->dead)
			continue;
		for (j = pb->last; j != U32_MAX; j = ctx->ctr[j].sibling)
			if (ctx->ctr[j].period && ctx->ctr[j].wrapped)
				bits |= pb->armed_mask;
	}
	return bits;
}

/**
 * ucore_ctx_poll() - read the counters whose periods are polled
 * @ctx: domain context, running; the domain need not be frozen
 *
 * Reads only the low dword of a counter if the dword cannot have wrapped since the last read.
 *
 * Return: true if a polled period has ended.
 */
bool ucore_ctx_poll(struct ucore_domain_ctx *ctx)
{
	u64 now = ktime_get_mono_fast_ns(), elapsed = now - max(ctx->last_read, ctx->last_poll);
	u64 reads = ctx->domain->tally.reads;
	struct ucore_counter *ctr;
	bool over = false;

	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		if (!ctr->poll_period)
			continue;
		ucore_shared_update(ctr, elapsed > (ctr->leader ?: ctr)->low_ns ? UCORE_RUNNING :
									     UCORE_LOW);
		over |= ctr->total >= ctr->period_end;
	}
	ctx->last_poll = now;
	if (!over)
		ctx->last_poll_clear = now;
	ctx->stats.polls++;
	ctx->stats.reads += ctx->domain->tally.reads - reads;
	return over;
}

/**
 * ucore_ctx_poll_end() - mark the counters whose polled periods have ended, begin new periods
 * @ctx: domain context whose counters have just been read
 * @now: instant of that read (ns)
 *
 * The next period of a counter ends when the count reaches the next multiple of the period.
 *
 * Return: true if a polled period has ended.
 */
bool ucore_ctx_poll_end(struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_counter *ctr;

	/* If the domain was frozen before this readout, @now may be older than the last poll. */
	ctx->late_ns = now > ctx->last_poll_clear ? now - ctx->last_poll_clear : 0;
	ctx->last_poll_clear = max(now, ctx->last_poll_clear);
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		if (!ctr->poll_period || ctr->total < ctr->period_end)
			continue;
		ucore_counter_poll_from(ctr);
		ctr->flags |= UCORE_VALUE_F_OVERFLOW;
		ctx->overflowed = true;
		ctx->stats.overflows++;
		ctx->stats.polled++;
		ctx->polled = true;
		ctx->trigger_event = min(ctx->trigger_event, ctr->event);
	}
	return ctx->polled;
}

/**
 * ucore_ctx_times() - calculate a context's time enabled and time running up to an instant
 * @ctx: domain context
 * @now: instant (ns)
 * @before: frozen time of the domain and of the context's own boxes before @now (ns); ignored
 *          if the context is stopped
 * @enabled: out: time since the first START or the last RESET, without times in which the
 *           context was stopped (ns)
 * @running: out: part of @enabled in which the counters were not frozen (ns)
 */
void ucore_ctx_times(const struct ucore_domain_ctx *ctx, u64 now, u64 before, u64 *enabled,
		     u64 *running)
{
	u64 since = 0, frozen = 0;

	if (ctx->running && now > ctx->resumed) {
		since = now - ctx->resumed;
		frozen = before - ctx->frozen_base;
	}
	*enabled = ctx->enabled_ns + since;
	*running = ctx->running_ns + since - min(frozen, since);
}

/**
 * ucore_ctx_timer_due() - request a timer sample of a context, unless another sample is due
 * @ctx: domain context, in a readout
 */
void ucore_ctx_timer_due(struct ucore_domain_ctx *ctx)
{
	if (ctx->due)
		return;
	ctx->due = true;
	ctx->trigger = UCORE_TRIGGER_TIMER;
}

/**
 * ucore_ctx_core_due() - request a core-trigger sample of a context, unless one is due
 * @ctx: domain context, in a readout
 * @context: context that the core event interrupted; valid until the end of the readout
 *
 * Samples of other sessions in this readout contain the context that their trigger interrupted.
 */
void ucore_ctx_core_due(struct ucore_domain_ctx *ctx, const struct ucore_pmi_regs *context)
{
	if (ctx->due)
		return;
	ctx->due = true;
	ctx->trigger = UCORE_TRIGGER_CORE;
	ctx->core_context = context;
}

/**
 * ucore_ctx_flag_conflict() - flag the values of a context that counted on after an overflow
 * @ctx: domain context
 */
void ucore_ctx_flag_conflict(struct ucore_domain_ctx *ctx)
{
	struct ucore_counter *ctr;

	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++)
		ctr->flags |= UCORE_VALUE_F_CONFLICT;
}

/**
 * ucore_ctx_forget() - clear the members of a context that belong to the readout just ended
 * @ctx: domain context
 */
void ucore_ctx_forget(struct ucore_domain_ctx *ctx)
{
	struct ucore_counter *ctr;

	if (ctx->overflowed)
		for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++)
			ctr->flags &= ~UCORE_VALUE_F_OVERFLOW;
	ctx->overflowed = false;
	ctx->due = false;
	ctx->fresh = false;
	ctx->recovered = false;
	ctx->throttled = false;
	ctx->polled = false;
	ctx->core_context = NULL;
	ctx->trigger_event = UCORE_EVENT_NONE;
}

/*
 * ---- program, start and stop a context ----
 */

/* Return true if no other context runs on the domain. */
static bool is_alone(const struct ucore_domain_ctx *ctx)
{
	const struct ucore_domain_ctx *other;

	list_for_each_entry(other, &ctx->domain->ctxs, node)
		if (other != ctx && other->running)
			return false;
	return true;
}

/*
 * Return the bits of the context's counters in a global status that has a bit for each counter,
 * without those of counters that other running sessions use, too.
 */
static u64 own_global_bits(const struct ucore_domain_ctx *ctx)
{
	const struct ucore_counter *ctr;
	u64 bits = ctx->global_bits;

	for (ctr = ctx->ctr; bits && ctr < ctx->ctr + ctx->nr_ctr; ctr++)
		if (ctr->use && ctr->use->users > ctr->counted)
			bits &= ~ucore_counter_global_bit(ctr);
	return bits;
}

/*
 * Clear the overflow bits of the context's counters in a global status that has a bit for each
 * counter. The bits of other sessions' counters stay, because their overflows must still be
 * serviced. If no other session runs on the domain, clear the whole global status.
 */
static void clear_overflows(const struct ucore_domain_ctx *ctx)
{
	if (is_alone(ctx))
		ucore_domain_clear_all(ctx->domain);
	else
		ucore_domain_clear_bits(ctx->domain, own_global_bits(ctx));
}

/**
 * ucore_ctx_join_box() - program a box for a context
 * @pb: box of the context
 *
 * The first context on a box resets the box. A further context does not change the counters of
 * other contexts.
 */
void ucore_ctx_join_box(struct ucore_domain_ctx_box *pb)
{
	struct ucore_box *box = pb->box;

	if (!pb->joined)
		box->users++;
	pb->joined = true;
	pb->seen = false;
	if (box->users == 1)
		ucore_box_program(box, pb->shared);
	else
		ucore_box_join(box, pb->filters ? pb->shared : NULL);
}

/* Let a multiplexed context hold the counters that its groups use in turns, or release them. */
static void turns_mark(struct ucore_domain_ctx *ctx, bool in_turns)
{
	struct ucore_counter *ctr;

	if (!ctx->multiplex || !ctx->nr_groups)
		return;
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++)
		if (ctr->group && ctr->use)
			ctr->use->in_turns = in_turns;
}

/* End the context's use of a box. The last context on a box stops the box. */
static void box_leave(struct ucore_domain_ctx_box *pb)
{
	if (pb->joined)
		pb->box->users--;
	pb->joined = false;
	if (!pb->box->users)
		ucore_box_stop(pb->box);
}

/**
 * ucore_ctx_link_counters() - make the lists of the counters of each group
 * @ctx: domain context, stopped, whose array of counters is complete
 *
 * Counters of groups other than 0 need @ctx->in_group and ucore_counter.turns.
 */
void ucore_ctx_link_counters(struct ucore_domain_ctx *ctx)
{
	struct ucore_counter *ctr, **list;

	ctx->always = NULL;
	ctx->global_bits = 0;
	for (ctr = ctx->ctr + ctx->nr_ctr; ctr-- > ctx->ctr;) {
		list = ctr->group ? &ctx->in_group[ctr->group] : &ctx->always;
		ctr->next_in_group = *list;
		*list = ctr;
		if (ctr->group)
			ctr->turns->any = ctr;
		ctx->global_bits |= ucore_counter_global_bit(ctr);
	}
}

/**
 * ucore_ctx_program() - program the boxes of a context
 * @ctx: domain context
 *
 * The counters begin to count when the domain is unfrozen, or with @ctx->box_freeze when the
 * boxes are unfrozen. Counters of other contexts keep their counts.
 */
void ucore_ctx_program(struct ucore_domain_ctx *ctx)
{
	struct ucore_domain_ctx_box *pb;
	struct ucore_counter *ctr;

	clear_overflows(ctx);
	turns_mark(ctx, true);
	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++)
		if (!pb->box->dead)
			ucore_ctx_join_box(pb);
	ucore_for_each_counting(ctr, ctx)
		if (!ctr->box->dead)
			ucore_shared_program(ctr);
	ucore_shared_load_spent(ctx->domain);
	ucore_slice_prepare_others(ctx);
	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++)
		if (!pb->box->dead && !ctx->box_freeze)
			ucore_unfreeze_add_box(ctx->domain, pb->box);
	ucore_ctx_forget(ctx);
}

/**
 * ucore_ctx_freeze() - freeze the context's own boxes one by one
 * @ctx: domain context with @ctx->box_freeze, whose domain is not frozen
 *
 * Return: time from before the first freeze to after the last one (ns), 0 for a single box.
 */
u64 ucore_ctx_freeze(struct ucore_domain_ctx *ctx)
{
	u64 start = ktime_get_mono_fast_ns();
	struct ucore_box *box;
	u32 i, n = 0;

	for (i = 0; i < ctx->nr_box; i++) {
		box = ctx->box[i].box;
		if (box->dead || !box->desc.type->words)
			continue;
		ucore_box_freeze(box);
		n++;
	}
	return n > 1 ? ktime_get_mono_fast_ns() - start : 0;
}

/**
 * ucore_ctx_unfreeze() - unfreeze the context's own boxes one by one
 * @ctx: domain context with @ctx->box_freeze
 *
 * Return: current time (ns).
 */
u64 ucore_ctx_unfreeze(struct ucore_domain_ctx *ctx)
{
	struct ucore_domain_ctx_box *pb;

	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		ucore_unfreeze_add_box(ctx->domain, pb->box);
		/* a freeze of the domain that is in effect includes the box */
		if (!pb->box->desc.global && !ctx->domain->frozen)
			ucore_box_unfreeze(pb->box);
	}
	return ktime_get_mono_fast_ns();
}

/**
 * ucore_ctx_start_unfrozen() - start the counters that no freeze stops
 * @ctx: domain context, programmed; its domain is about to be unfrozen
 */
void ucore_ctx_start_unfrozen(struct ucore_domain_ctx *ctx)
{
	struct ucore_counter *ctr;

	ucore_for_each_counting(ctr, ctx)
		if (!ctr->box->dead)
			ucore_shared_start_unfrozen(ctr);
}

/**
 * ucore_ctx_start_times() - start a context's time enabled and time running
 * @ctx: domain context; its domain has just been unfrozen
 * @now: current time (ns)
 */
void ucore_ctx_start_times(struct ucore_domain_ctx *ctx, u64 now)
{
	ctx->running = true;
	ctx->has_throttled = false;
	ctx->resumed = now;
	ctx->frozen_base = ucore_domain_frozen_ns(ctx->domain, now);
	ctx->box_frozen_ns = 0;
	ctx->paused_from = ctx->running_ns;
	ctx->slice_start_ns = ctx->running_ns;
	ctx->slice_since = now;
	ctx->last_read = now;
	ctx->last_poll = now;
	ctx->last_poll_clear = now;
	ctx->silent_read = now;
	ctx->silent_before = now;
	ctx->conflict = (struct ucore_conflict){ .last_scan = now };
}

/**
 * ucore_ctx_pause() - stop the counters of a context that remains started
 * @ctx: domain context, running
 * @now: instant of the freeze (ns)
 * @end: instant at which the pause begins, @now or later (ns)
 * @before: frozen time before @end, as in ucore_ctx_times() (ns)
 */
void ucore_ctx_pause(struct ucore_domain_ctx *ctx, u64 now, u64 end, u64 before)
{
	ucore_ctx_stop(ctx, now, end, before);
	ctx->running = true;
	ctx->paused = true;
	ctx->resumed = end;
	ctx->paused_at = end;
	ctx->frozen_base = before;
	ctx->paused_from = ctx->running_ns;
}

/* Add the time of a pause to the context's times, up to @now. */
static void pause_end(struct ucore_domain_ctx *ctx, u64 now, u64 before)
{
	ucore_ctx_times(ctx, now, before, &ctx->enabled_ns, &ctx->running_ns);
	ctx->paused_ns += ctx->running_ns - ctx->paused_from;
	ctx->paused = false;
}

/**
 * ucore_ctx_resume() - continue the times of a paused context, which has been programmed
 * @ctx: domain context; its domain has just been unfrozen
 * @now: current time (ns)
 */
void ucore_ctx_resume(struct ucore_domain_ctx *ctx, u64 now)
{
	const struct ucore_conflict conflict = ctx->conflict;

	pause_end(ctx, now, ucore_domain_frozen_ns(ctx->domain, now));
	ucore_ctx_start_times(ctx, now);
	ctx->conflict = conflict;	/* scans go on, however short the time slices are */
}

/**
 * ucore_ctx_stop() - read a context for the last time and stop its boxes
 * @ctx: domain context
 * @now: instant of the freeze (ns)
 * @end: end of the context's time enabled, @now or later (ns)
 * @before: frozen time before @end, as in ucore_ctx_times() (ns)
 *
 * In boxes that other sessions use, only the context's own counters are stopped. A paused context
 * has no counters to stop.
 */
void ucore_ctx_stop(struct ucore_domain_ctx *ctx, u64 now, u64 end, u64 before)
{
	struct ucore_domain_ctx_box *pb;
	struct ucore_counter *ctr;

	if (ctx->paused) {
		pause_end(ctx, end, before);
		ctx->running = false;
		return;
	}
	ctx->nr_reads = 0;	/* makes the last read a full read, which is always exact */
	ucore_ctx_read(ctx, now);
	turns_mark(ctx, false);
	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++)
		box_leave(pb);
	/* the controls of other groups are zero */
	ucore_for_each_counting(ctr, ctx) {
		if (ucore_shared_leave(ctr))
			continue;
		if (ctr->box->users)
			ucore_counter_disable(ctr);
		else
			ucore_counter_stop(ctr);
	}
	clear_overflows(ctx);
	ucore_ctx_times(ctx, end, before, &ctx->enabled_ns, &ctx->running_ns);
	ucore_slice_end(ctx, now, ctx->running_ns);
	ctx->running = false;
}

/**
 * ucore_ctx_reset() - zero the counts and times of a context and restart its periods
 * @ctx: domain context
 * @now: current time (ns); the domain is frozen
 */
void ucore_ctx_reset(struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_counter *ctr;

	if (ctx->running && !ctx->paused)
		clear_overflows(ctx);
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		if (ctr->leader)
			ctr->seen = ctr->leader->total;
		ctr->total = 0;
		ctr->throttled = false;
		ctr->ran_ns = 0;
		ctr->flags &= ~(UCORE_VALUE_F_STICKY | (ctr->box->dead ? 0 : UCORE_VALUE_F_DEAD));
		ucore_counter_poll_from(ctr);
		if (ctx->running && !ctx->paused && !ctr->box->dead && ucore_ctx_counts(ctx, ctr))
			ucore_shared_reload(ctr);
	}
	ctx->enabled_ns = 0;
	ctx->running_ns = 0;
	ctx->paused_ns = 0;
	ctx->delayed = false;
	ctx->gap_sample = false;
	ctx->gap_read = false;
	if (ctx->running)
		ucore_ctx_start_times(ctx, now);
}
