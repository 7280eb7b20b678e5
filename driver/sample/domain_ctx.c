// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parts: what a session has on one domain.
 *
 * All of it runs under the domain's lock, on a CPU of the domain, interrupts
 * off, and unless a function says otherwise on a frozen domain.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "box/domain.h"
#include "sample/domain_ctx.h"
#include "sample/bulk_read.h"

/*
 * ---- read ----
 */

/* Those that always count, and those whose turn it is. */
static void turn_read(struct ucore_domain_ctx *ctx, u64 elapsed)
{
	struct ucore_counter *ctr;

	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++)
		if (ucore_ctx_counts(ctx, ctr))
			ucore_bulk_read_counter(ctx, ctr, &ctr->box->io, elapsed);
}

/**
 * ucore_ctx_since_read() - how long may a part have counted since it was read?
 * @part: the part, whose domain has just been frozen
 *
 * Return: ns, at most: it was read before its domain froze last time, the clock is read
 * after it froze this time.
 */
u64 ucore_ctx_since_read(const struct ucore_domain_ctx *ctx)
{
	return ktime_get_mono_fast_ns() - ctx->last_read;
}

/**
 * ucore_ctx_was_read() - all counters of a part have been read
 * @part: the part
 * @now: the instant: when the domain froze
 */
void ucore_ctx_was_read(struct ucore_domain_ctx *ctx, u64 now)
{
	ctx->last_read = now;
	ctx->nr_reads++;
	ctx->fresh = true;
}

/**
 * ucore_ctx_read() - read all counters of a part, once an interval
 * @part: the part
 * @now: the instant: when the domain froze
 *
 * Those whose group has not its turn stand still.
 */
void ucore_ctx_read(struct ucore_domain_ctx *ctx, u64 now)
{
	u64 elapsed;

	if (ctx->fresh)
		return;
	elapsed = ucore_ctx_since_read(ctx);
	if (ctx->nr_groups)
		turn_read(ctx, elapsed);
	else
		ucore_bulk_read_boxes(ctx, 0, ctx->nr_box, elapsed, &ctx->domain->tally);
	ucore_ctx_was_read(ctx, now);
}

/**
 * ucore_ctx_read_running() - read all counters of a part while they count
 * @part: the part
 * @now: time
 */
void ucore_ctx_read_running(struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_counter *ctr;

	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		if (!ucore_ctx_counts(ctx, ctr))
			continue;
		ucore_counter_update(ctr, UCORE_RUNNING);
		ucore_bulk_read_distrust(ctr, now - ctx->last_read);
	}
	ctx->last_read = now;
}

/**
 * ucore_ctx_unreported_overflows() - have armed counters carried, as far as reads have shown?
 * @part: the part
 *
 * Return: the global status bits that their boxes should have set.
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
 * ucore_ctx_poll() - look at the counters whose periods are polled
 * @part: the part, running
 *
 * The low half alone is read as long as it cannot have wrapped.
 *
 * Return: true if a period is over.
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
		ucore_counter_update(ctr, elapsed > ctr->low_ns ? UCORE_RUNNING : UCORE_LOW);
		over |= ctr->total >= ctr->poll_next;
	}
	ctx->last_poll = now;
	if (!over)
		ctx->looked = now;
	ctx->stats.polls++;
	ctx->stats.reads += ctx->domain->tally.reads - reads;
	return over;
}

/**
 * ucore_ctx_poll_end() - end the polled periods that are over
 * @part: the part, just read
 * @now: the instant of that
 *
 * The next one ends at the next multiple of the period.
 *
 * Return: true if there is one.
 */
bool ucore_ctx_poll_end(struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_counter *ctr;

	/* what froze the domain earlier may have been before the last look */
	ctx->late_ns = now > ctx->looked ? now - ctx->looked : 0;
	ctx->looked = max(now, ctx->looked);
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		if (!ctr->poll_period || ctr->total < ctr->poll_next)
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
 * ucore_ctx_times() - time enabled and time running, up to an instant
 * @part: the part
 * @now: the instant
 * @before: how long the domain, or the part's own boxes, had been frozen before it; 0
 *          if the part is stopped
 * @enabled: out: how long it has been started
 * @running: out: how much of that its domain was not frozen
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
 * ucore_ctx_ran() - how long could a counter count, up to an instant?
 * @part: the part
 * @ctr: one of its counters
 * @running: the part's time running up to then, of ucore_ctx_times()
 *
 * Return: ns: all of it, or its group's turns.
 */
u64 ucore_ctx_ran(const struct ucore_domain_ctx *ctx, const struct ucore_counter *ctr, u64 running)
{
	if (!ctr->group)
		return running;
	if (!ctx->running || ctr->group != ctx->group)
		return ctr->ran_ns;
	return ctr->ran_ns + running - ctx->turn_ns;
}

/**
 * ucore_ctx_forget() - an interval has ended: what it found belongs to the past
 * @part: the part
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
	ctx->by = NULL;
	ctx->trigger_event = UCORE_EVENT_NONE;
}

/*
 * ---- turns ----
 */

/* A turn has ended: that long could its group's counters count. */
static void turn_end(struct ucore_domain_ctx *ctx, u64 running)
{
	struct ucore_counter *ctr;

	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++)
		if (ctr->group && ctr->group == ctx->group)
			ctr->ran_ns += running - ctx->turn_ns;
	ctx->turn_ns = running;
}

/* Whoever has the register next goes on from what it was last seen to hold. */
static void twins_follow(struct ucore_domain_ctx *ctx, const struct ucore_counter *ctr)
{
	struct ucore_counter *twin = &ctx->ctr[ctr->twin];

	if (!ctr->group)
		return;		/* its register is its own */
	for (; twin != ctr; twin = &ctx->ctr[twin->twin])
		twin->prev = ctr->prev;
}

/* Who has the register in a group's turn; NULL: nobody. */
static struct ucore_counter *twin_of(struct ucore_domain_ctx *ctx, const struct ucore_counter *ctr,
				     u8 group)
{
	struct ucore_counter *twin = &ctx->ctr[ctr->twin];

	for (; twin != ctr; twin = &ctx->ctr[twin->twin])
		if (twin->group == group)
			return twin;
	return NULL;
}

static bool has_shared_fixed(const struct ucore_domain_ctx_box *pb)
{
	return pb->box->desc.type->fixed_step;
}

/**
 * ucore_ctx_switch_group() - the turn of another group begins
 * @part: the part, running
 * @group: the group
 * @now: the instant: when the domain froze
 * @before: how long it had been frozen before that
 *
 * Reads the counters of the group whose turn ends, and writes the controls that differ: what
 * a register holds is known from when it was last read.
 */
void ucore_ctx_switch_group(struct ucore_domain_ctx *ctx, u8 group, u64 now, u64 before)
{
	u64 elapsed = ktime_get_mono_fast_ns() - ctx->last_read, enabled, running;
	struct ucore_domain_ctx_box *pb;
	struct ucore_counter *ctr;

	ucore_ctx_times(ctx, now, before, &enabled, &running);
	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++)
		pb->fixed = pb->box->fixed;
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		if (ctr->group != ctx->group)
			continue;
		ucore_bulk_read_counter(ctx, ctr, &ctr->box->io, elapsed);
		twins_follow(ctx, ctr);
		ucore_counter_switch(ctr, twin_of(ctx, ctr, group));
	}
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++)
		if (ctr->group == group && !twin_of(ctx, ctr, ctx->group))
			ucore_counter_switch(NULL, ctr);
	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++)
		if (has_shared_fixed(pb) && pb->box->fixed != pb->fixed)
			ucore_box_write_fixed(pb->box);
	turn_end(ctx, running);
	ctx->group = group;
	ctx->fresh = true;	/* it is charged for this interval */
}

/*
 * ---- life ----
 */

/* Does no other part count on its domain? */
static bool is_alone(const struct ucore_domain_ctx *ctx)
{
	const struct ucore_domain_ctx *other;

	list_for_each_entry(other, &ctx->domain->ctxs, node)
		if (other != ctx && other->running)
			return false;
	return true;
}

/*
 * Forget what its counters have overflowed, where the global status has a bit for each.
 * Those of others are theirs to be serviced.
 */
static void forget_overflows(const struct ucore_domain_ctx *ctx)
{
	const struct ucore_counter *ctr;
	u64 bits = 0;

	if (is_alone(ctx)) {
		ucore_domain_clear_all(ctx->domain);
		return;
	}
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++)
		bits |= ucore_counter_global_bit(ctr);
	ucore_domain_clear_bits(ctx->domain, bits);
}

/* The first part on a box resets it, further ones have their counters alone. */
static void box_join(struct ucore_domain_ctx_box *pb)
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

/* The last one stops the box. */
static void box_leave(struct ucore_domain_ctx_box *pb)
{
	if (pb->joined)
		pb->box->users--;
	pb->joined = false;
	if (!pb->box->users)
		ucore_box_stop(pb->box);
}

/* Does the register count for another one now, or has it been prepared for another? */
static bool has_register(const struct ucore_domain_ctx *ctx, const struct ucore_counter *ctr)
{
	const struct ucore_counter *twin = &ctx->ctr[ctr->twin];

	for (; twin != ctr; twin = &ctx->ctr[twin->twin])
		if (twin < ctr || ucore_ctx_counts(ctx, twin))
			return true;
	return false;
}

/* Registers of groups whose turn comes later; those that count now were zeroed, too. */
static void program_others(struct ucore_domain_ctx *ctx)
{
	struct ucore_counter *ctr;

	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		if (ctr->box->dead || ucore_ctx_counts(ctx, ctr))
			continue;
		ucore_counter_prepare(ctr, !has_register(ctx, ctr));
	}
}

/**
 * ucore_ctx_program() - program the boxes of a part and let them loose
 * @part: the part
 *
 * They begin to count when the domain is unfrozen; with @box_freeze, when they are.  What
 * other parts have there counts on.
 */
void ucore_ctx_program(struct ucore_domain_ctx *ctx)
{
	struct ucore_domain_ctx_box *pb;
	struct ucore_counter *ctr;

	forget_overflows(ctx);
	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++)
		if (!pb->box->dead)
			box_join(pb);
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++)
		if (!ctr->box->dead && ucore_ctx_counts(ctx, ctr))
			ucore_counter_program(ctr);
	program_others(ctx);
	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++)
		if (!pb->box->dead && !ctx->box_freeze)
			ucore_domain_enable_box(ctx->domain, pb->box);
	ucore_ctx_forget(ctx);
}

/**
 * ucore_ctx_freeze() - freeze a part's own boxes, one after the other
 * @part: a part with @box_freeze; its domain runs
 *
 * Return: ns from before the first one's freeze to after the last one's; 0 if there is one.
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
 * ucore_ctx_unfreeze() - a part's own boxes count again, when their domain does
 * @part: a part with @box_freeze
 *
 * Return: the time.
 */
u64 ucore_ctx_unfreeze(struct ucore_domain_ctx *ctx)
{
	struct ucore_domain_ctx_box *pb;

	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		ucore_domain_enable_box(ctx->domain, pb->box);
		if (!ctx->domain->global)
			ucore_box_unfreeze(pb->box);
	}
	return ktime_get_mono_fast_ns();
}

/**
 * ucore_ctx_start_unfrozen() - counters that no freeze reaches begin to count
 * @part: the part, programmed; its domain is about to be unfrozen
 */
void ucore_ctx_start_unfrozen(struct ucore_domain_ctx *ctx)
{
	struct ucore_counter *ctr;

	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++)
		if (!ctr->box->dead && ucore_ctx_counts(ctx, ctr))
			ucore_counter_start_unfrozen(ctr);
}

/**
 * ucore_ctx_start_times() - its time begins; the domain has just been unfrozen
 * @part: the part
 * @now: time
 */
void ucore_ctx_start_times(struct ucore_domain_ctx *ctx, u64 now)
{
	ctx->running = true;
	ctx->resting = false;
	ctx->resumed = now;
	ctx->frozen_base = ucore_domain_frozen_ns(ctx->domain, now);
	ctx->box_frozen_ns = 0;
	ctx->turn_ns = ctx->running_ns;
	ctx->last_read = now;
	ctx->last_poll = now;
	ctx->looked = now;
	ctx->watch = (struct ucore_conflict){ .looked = now };
}

/**
 * ucore_ctx_stop() - last counts, stop its boxes, or its counters where others count on
 * @part: the part
 * @now: the instant: when the domain froze
 * @end: when the part's time ends: @now or later
 * @before: how long the domain had been frozen before @end
 */
void ucore_ctx_stop(struct ucore_domain_ctx *ctx, u64 now, u64 end, u64 before)
{
	struct ucore_domain_ctx_box *pb;
	struct ucore_counter *ctr;

	ctx->nr_reads = 0;	/* whole: the last count rests on no belief */
	ucore_ctx_read(ctx, now);
	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++)
		box_leave(pb);
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		if (!ucore_ctx_counts(ctx, ctr))
			continue;	/* it has no control */
		if (ctr->box->users)
			ucore_counter_disable(ctr);
		else
			ucore_counter_stop(ctr);
	}
	forget_overflows(ctx);
	ucore_ctx_times(ctx, end, before, &ctx->enabled_ns, &ctx->running_ns);
	turn_end(ctx, ctx->running_ns);
	ctx->running = false;
}

/**
 * ucore_ctx_reset() - counts and times to zero, periods anew
 * @part: the part
 * @now: time; the domain is frozen
 */
void ucore_ctx_reset(struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_counter *ctr;

	if (ctx->running)
		forget_overflows(ctx);
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		ctr->total = 0;
		ctr->resting = false;
		ctr->ran_ns = 0;
		ctr->flags &= ~(UCORE_VALUE_F_STICKY | (ctr->box->dead ? 0 : UCORE_VALUE_F_DEAD));
		ucore_counter_poll_from(ctr);
		if (ctx->running && !ctr->box->dead && ucore_ctx_counts(ctx, ctr)) {
			ucore_counter_reload(ctr);
			twins_follow(ctx, ctr);
		}
	}
	ctx->enabled_ns = 0;
	ctx->running_ns = 0;
	ctx->stretched = false;
	ctx->gap_sample = false;
	ctx->gap_read = false;
	if (ctx->running)
		ucore_ctx_start_times(ctx, now);
}
