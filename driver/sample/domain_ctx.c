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
static void turn_read(struct ucore_part *part, u64 elapsed)
{
	struct ucore_counter *ctr;

	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++)
		if (ucore_part_counts(part, ctr))
			ucore_part_read_one(part, ctr, &ctr->box->io, elapsed);
}

/**
 * ucore_part_since_read() - how long may a part have counted since it was read?
 * @part: the part, whose domain has just been frozen
 *
 * Return: ns, at most: it was read before its domain froze last time, the clock is read
 * after it froze this time.
 */
u64 ucore_part_since_read(const struct ucore_part *part)
{
	return ktime_get_mono_fast_ns() - part->last_read;
}

/**
 * ucore_part_was_read() - all counters of a part have been read
 * @part: the part
 * @now: the instant: when the domain froze
 */
void ucore_part_was_read(struct ucore_part *part, u64 now)
{
	part->last_read = now;
	part->nr_reads++;
	part->fresh = true;
}

/**
 * ucore_part_read() - read all counters of a part, once an interval
 * @part: the part
 * @now: the instant: when the domain froze
 *
 * Those whose group has not its turn stand still.
 */
void ucore_part_read(struct ucore_part *part, u64 now)
{
	u64 elapsed;

	if (part->fresh)
		return;
	elapsed = ucore_part_since_read(part);
	if (part->nr_groups)
		turn_read(part, elapsed);
	else
		ucore_part_read_boxes(part, 0, part->nr_box, elapsed, &part->domain->tally);
	ucore_part_was_read(part, now);
}

/**
 * ucore_part_read_running() - read all counters of a part while they count
 * @part: the part
 * @now: time
 */
void ucore_part_read_running(struct ucore_part *part, u64 now)
{
	struct ucore_counter *ctr;

	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++) {
		if (!ucore_part_counts(part, ctr))
			continue;
		ucore_counter_update(ctr, UCORE_RUNNING);
		ucore_counter_doubt(ctr, now - part->last_read);
	}
	part->last_read = now;
}

/**
 * ucore_part_silent() - have armed counters carried, as far as reads have shown?
 * @part: the part
 *
 * Return: the global status bits that their boxes should have set.
 */
u64 ucore_part_silent(const struct ucore_part *part)
{
	const struct ucore_part_box *pb;
	u64 bits = 0;
	u32 j;

	for (pb = part->box; pb < part->box + part->nr_box; pb++) {
		if (!pb->armed_mask || pb->box->dead)
			continue;
		for (j = pb->last; j != U32_MAX; j = part->ctr[j].sibling)
			if (part->ctr[j].period && part->ctr[j].wrapped)
				bits |= pb->armed_mask;
	}
	return bits;
}

/**
 * ucore_part_poll() - look at the counters whose periods are polled
 * @part: the part, running
 *
 * The low half alone is read as long as it cannot have wrapped.
 *
 * Return: true if a period is over.
 */
bool ucore_part_poll(struct ucore_part *part)
{
	u64 now = ktime_get_mono_fast_ns(), elapsed = now - max(part->last_read, part->last_poll);
	u64 reads = part->domain->tally.reads;
	struct ucore_counter *ctr;
	bool over = false;

	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++) {
		if (!ctr->poll_period)
			continue;
		ucore_counter_update(ctr, elapsed > ctr->low_ns ? UCORE_RUNNING : UCORE_LOW);
		over |= ctr->total >= ctr->poll_next;
	}
	part->last_poll = now;
	if (!over)
		part->looked = now;
	part->stats.polls++;
	part->stats.reads += part->domain->tally.reads - reads;
	return over;
}

/**
 * ucore_part_poll_end() - end the polled periods that are over
 * @part: the part, just read
 * @now: the instant of that
 *
 * The next one ends at the next multiple of the period.
 *
 * Return: true if there is one.
 */
bool ucore_part_poll_end(struct ucore_part *part, u64 now)
{
	struct ucore_counter *ctr;

	/* what froze the domain earlier may have been before the last look */
	part->late_ns = now > part->looked ? now - part->looked : 0;
	part->looked = max(now, part->looked);
	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++) {
		if (!ctr->poll_period || ctr->total < ctr->poll_next)
			continue;
		ucore_counter_poll_from(ctr);
		ctr->flags |= UCORE_VALUE_OVERFLOW;
		part->overflowed = true;
		part->stats.overflows++;
		part->stats.polled++;
		part->polled = true;
		part->trigger_event = min(part->trigger_event, ctr->event);
	}
	return part->polled;
}

/**
 * ucore_part_times() - time enabled and time running, up to an instant
 * @part: the part
 * @now: the instant
 * @before: how long the domain, or the part's own boxes, had been frozen before it; 0
 *          if the part is stopped
 * @enabled: out: how long it has been started
 * @running: out: how much of that its domain was not frozen
 */
void ucore_part_times(const struct ucore_part *part, u64 now, u64 before, u64 *enabled,
		      u64 *running)
{
	u64 since = 0, frozen = 0;

	if (part->running && now > part->resumed) {
		since = now - part->resumed;
		frozen = before - part->frozen_base;
	}
	*enabled = part->enabled_ns + since;
	*running = part->running_ns + since - min(frozen, since);
}

/**
 * ucore_part_ran() - how long could a counter count, up to an instant?
 * @part: the part
 * @ctr: one of its counters
 * @running: the part's time running up to then, of ucore_part_times()
 *
 * Return: ns: all of it, or its group's turns.
 */
u64 ucore_part_ran(const struct ucore_part *part, const struct ucore_counter *ctr, u64 running)
{
	if (!ctr->group)
		return running;
	if (!part->running || ctr->group != part->group)
		return ctr->ran_ns;
	return ctr->ran_ns + running - part->turn_ns;
}

/**
 * ucore_part_forget() - an interval has ended: what it found belongs to the past
 * @part: the part
 */
void ucore_part_forget(struct ucore_part *part)
{
	struct ucore_counter *ctr;

	if (part->overflowed)
		for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++)
			ctr->flags &= ~UCORE_VALUE_OVERFLOW;
	part->overflowed = false;
	part->due = false;
	part->fresh = false;
	part->recovered = false;
	part->throttled = false;
	part->polled = false;
	part->by = NULL;
	part->trigger_event = UCORE_EVENT_NONE;
}

/*
 * ---- turns ----
 */

/* A turn has ended: that long could its group's counters count. */
static void turn_end(struct ucore_part *part, u64 running)
{
	struct ucore_counter *ctr;

	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++)
		if (ctr->group && ctr->group == part->group)
			ctr->ran_ns += running - part->turn_ns;
	part->turn_ns = running;
}

/* Whoever has the register next goes on from what it was last seen to hold. */
static void twins_follow(struct ucore_part *part, const struct ucore_counter *ctr)
{
	struct ucore_counter *twin = &part->ctr[ctr->twin];

	if (!ctr->group)
		return;		/* its register is its own */
	for (; twin != ctr; twin = &part->ctr[twin->twin])
		twin->prev = ctr->prev;
}

/* Who has the register in a group's turn; NULL: nobody. */
static struct ucore_counter *twin_of(struct ucore_part *part, const struct ucore_counter *ctr,
				     u8 group)
{
	struct ucore_counter *twin = &part->ctr[ctr->twin];

	for (; twin != ctr; twin = &part->ctr[twin->twin])
		if (twin->group == group)
			return twin;
	return NULL;
}

static bool has_shared_fixed(const struct ucore_part_box *pb)
{
	return pb->box->desc.type->fixed_step;
}

/**
 * ucore_part_turn() - the turn of another group begins
 * @part: the part, running
 * @group: the group
 * @now: the instant: when the domain froze
 * @before: how long it had been frozen before that
 *
 * Reads the counters of the group whose turn ends, and writes the controls that differ: what
 * a register holds is known from when it was last read.
 */
void ucore_part_turn(struct ucore_part *part, u8 group, u64 now, u64 before)
{
	u64 elapsed = ktime_get_mono_fast_ns() - part->last_read, enabled, running;
	struct ucore_part_box *pb;
	struct ucore_counter *ctr;

	ucore_part_times(part, now, before, &enabled, &running);
	for (pb = part->box; pb < part->box + part->nr_box; pb++)
		pb->fixed = pb->box->fixed;
	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++) {
		if (ctr->group != part->group)
			continue;
		ucore_part_read_one(part, ctr, &ctr->box->io, elapsed);
		twins_follow(part, ctr);
		ucore_counter_turn(ctr, twin_of(part, ctr, group));
	}
	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++)
		if (ctr->group == group && !twin_of(part, ctr, part->group))
			ucore_counter_turn(NULL, ctr);
	for (pb = part->box; pb < part->box + part->nr_box; pb++)
		if (has_shared_fixed(pb) && pb->box->fixed != pb->fixed)
			ucore_box_write_fixed(pb->box);
	turn_end(part, running);
	part->group = group;
	part->fresh = true;	/* it is charged for this interval */
}

/*
 * ---- life ----
 */

/* Does no other part count on its domain? */
static bool is_alone(const struct ucore_part *part)
{
	const struct ucore_part *other;

	list_for_each_entry(other, &part->domain->parts, node)
		if (other != part && other->running)
			return false;
	return true;
}

/*
 * Forget what its counters have overflowed, where the global status has a bit for each.
 * Those of others are theirs to be serviced.
 */
static void forget_overflows(const struct ucore_part *part)
{
	const struct ucore_counter *ctr;
	u64 bits = 0;

	if (is_alone(part)) {
		ucore_domain_clear_all(part->domain);
		return;
	}
	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++)
		bits |= ucore_counter_global_bit(ctr);
	ucore_domain_clear_bits(part->domain, bits);
}

/* The first part on a box resets it, further ones have their counters alone. */
static void box_join(struct ucore_part_box *pb)
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
static void box_leave(struct ucore_part_box *pb)
{
	if (pb->joined)
		pb->box->users--;
	pb->joined = false;
	if (!pb->box->users)
		ucore_box_stop(pb->box);
}

/* Does the register count for another one now, or has it been prepared for another? */
static bool has_register(const struct ucore_part *part, const struct ucore_counter *ctr)
{
	const struct ucore_counter *twin = &part->ctr[ctr->twin];

	for (; twin != ctr; twin = &part->ctr[twin->twin])
		if (twin < ctr || ucore_part_counts(part, twin))
			return true;
	return false;
}

/* Registers of groups whose turn comes later; those that count now were zeroed, too. */
static void program_others(struct ucore_part *part)
{
	struct ucore_counter *ctr;

	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++) {
		if (ctr->box->dead || ucore_part_counts(part, ctr))
			continue;
		ucore_counter_prepare(ctr, !has_register(part, ctr));
	}
}

/**
 * ucore_part_program() - program the boxes of a part and let them loose
 * @part: the part
 *
 * They begin to count when the domain is thawed; with @box_freeze, when they are.  What
 * other parts have there counts on.
 */
void ucore_part_program(struct ucore_part *part)
{
	struct ucore_part_box *pb;
	struct ucore_counter *ctr;

	forget_overflows(part);
	for (pb = part->box; pb < part->box + part->nr_box; pb++)
		if (!pb->box->dead)
			box_join(pb);
	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++)
		if (!ctr->box->dead && ucore_part_counts(part, ctr))
			ucore_box_program_counter(ctr);
	program_others(part);
	for (pb = part->box; pb < part->box + part->nr_box; pb++)
		if (!pb->box->dead && !part->box_freeze)
			ucore_domain_let_box(part->domain, pb->box);
	ucore_part_forget(part);
}

/**
 * ucore_part_freeze() - freeze a part's own boxes, one after the other
 * @part: a part with @box_freeze; its domain runs
 *
 * Return: ns from before the first one's freeze to after the last one's; 0 if there is one.
 */
u64 ucore_part_freeze(struct ucore_part *part)
{
	u64 start = ktime_get_mono_fast_ns();
	struct ucore_box *box;
	u32 i, n = 0;

	for (i = 0; i < part->nr_box; i++) {
		box = part->box[i].box;
		if (box->dead || !box->desc.type->words)
			continue;
		ucore_box_freeze(box);
		n++;
	}
	return n > 1 ? ktime_get_mono_fast_ns() - start : 0;
}

/**
 * ucore_part_thaw() - a part's own boxes count again, when their domain does
 * @part: a part with @box_freeze
 *
 * Return: the time.
 */
u64 ucore_part_thaw(struct ucore_part *part)
{
	struct ucore_part_box *pb;

	for (pb = part->box; pb < part->box + part->nr_box; pb++) {
		ucore_domain_let_box(part->domain, pb->box);
		if (!part->domain->global)
			ucore_box_run(pb->box);
	}
	return ktime_get_mono_fast_ns();
}

/**
 * ucore_part_release() - counters that no freeze reaches begin to count
 * @part: the part, programmed; its domain is about to be thawed
 */
void ucore_part_release(struct ucore_part *part)
{
	struct ucore_counter *ctr;

	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++)
		if (!ctr->box->dead && ucore_part_counts(part, ctr))
			ucore_counter_release(ctr);
}

/**
 * ucore_part_go() - its time begins; the domain has just been thawed
 * @part: the part
 * @now: time
 */
void ucore_part_go(struct ucore_part *part, u64 now)
{
	part->running = true;
	part->resting = false;
	part->resumed = now;
	part->frozen_base = ucore_domain_frozen_ns(part->domain, now);
	part->box_frozen_ns = 0;
	part->turn_ns = part->running_ns;
	part->last_read = now;
	part->last_poll = now;
	part->looked = now;
	part->watch = (struct ucore_watch){ .looked = now };
}

/**
 * ucore_part_halt() - last counts, stop its boxes, or its counters where others count on
 * @part: the part
 * @now: the instant: when the domain froze
 * @end: when the part's time ends: @now or later
 * @before: how long the domain had been frozen before @end
 */
void ucore_part_halt(struct ucore_part *part, u64 now, u64 end, u64 before)
{
	struct ucore_part_box *pb;
	struct ucore_counter *ctr;

	part->nr_reads = 0;	/* whole: the last count rests on no belief */
	ucore_part_read(part, now);
	for (pb = part->box; pb < part->box + part->nr_box; pb++)
		box_leave(pb);
	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++) {
		if (!ucore_part_counts(part, ctr))
			continue;	/* it has no control */
		if (ctr->box->users)
			ucore_counter_leave(ctr);
		else
			ucore_counter_stop(ctr);
	}
	forget_overflows(part);
	ucore_part_times(part, end, before, &part->enabled_ns, &part->running_ns);
	turn_end(part, part->running_ns);
	part->running = false;
}

/**
 * ucore_part_reset() - counts and times to zero, periods anew
 * @part: the part
 * @now: time; the domain is frozen
 */
void ucore_part_reset(struct ucore_part *part, u64 now)
{
	struct ucore_counter *ctr;

	if (part->running)
		forget_overflows(part);
	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++) {
		ctr->total = 0;
		ctr->resting = false;
		ctr->ran_ns = 0;
		ctr->flags &= ~(UCORE_VALUE_PAST | (ctr->box->dead ? 0 : UCORE_VALUE_DEAD));
		ucore_counter_poll_from(ctr);
		if (part->running && !ctr->box->dead && ucore_part_counts(part, ctr)) {
			ucore_counter_restart(ctr);
			twins_follow(part, ctr);
		}
	}
	part->enabled_ns = 0;
	part->running_ns = 0;
	part->stretched = false;
	part->gap_sample = false;
	part->gap_read = false;
	if (part->running)
		ucore_part_go(part, now);
}
