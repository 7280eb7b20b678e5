// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sweeps: all counters of a part are read, as fast as can be.
 *
 * Nothing is decided for each counter that could be decided for all.  The registers of
 * those that a freeze reaches are lists of addresses, one kind of access after the other:
 * one call reads all of a kind, a second pass adds them up.  What needs a look at each
 * counter (low halves, what no freeze reaches, a dead box, a doubt) is read one by one.
 *
 * On a frozen domain, by whoever holds its lock, or for it (crew.c).
 */
#include <linux/compiler.h>
#include <linux/minmax.h>

#include "sample/state.h"
#include "sample/sweep.h"
#include "ucore_trace.h"

/* In low-dword mode, one read in this many is whole: it finds dead boxes. */
#define LOW_READS_PER_WHOLE	64

static enum ucore_read_mode read_mode(const struct ucore_part *part,
				      const struct ucore_counter *ctr, u64 elapsed)
{
	if (ctr->flags & UCORE_VALUE_UNFROZEN)
		return UCORE_RUNNING;
	if (!part->low_dword || elapsed > ctr->low_ns ||
	    part->nr_reads % LOW_READS_PER_WHOLE == 0)
		return UCORE_FROZEN;
	return UCORE_LOW;
}

/**
 * ucore_part_read_one() - read one counter, as the time since it was read last asks for
 * @part: the part
 * @ctr: the counter
 * @io: its box's window
 * @elapsed: ucore_part_since_read()
 */
void ucore_part_read_one(const struct ucore_part *part, struct ucore_counter *ctr,
			 const struct ucore_io *io, u64 elapsed)
{
	ucore_counter_update_by(ctr, io, read_mode(part, ctr, elapsed));
	ucore_counter_doubt(ctr, elapsed);
}

/* One counter after the other: all of a box, or those that no freeze reaches. */
static noinline void box_read(const struct ucore_part *part, const struct ucore_part_box *pb,
			      bool all, u64 elapsed, struct ucore_tally *tally)
{
	struct ucore_io io = pb->box->io;
	u32 i;

	io.tally = tally;
	for (i = 0; all && i < pb->nr_frozen; i++)
		ucore_part_read_one(part, part->order[pb->first + i], &io, elapsed);
	for (i = 0; i < pb->nr_running; i++)
		ucore_part_read_one(part, part->order[pb->first_running + i], &io, elapsed);
}

/* Low halves, a doubt, or a dead box ask for a look at each counter; so does a trace. */
static bool all_are_plain(const struct ucore_part *part, u64 elapsed)
{
	return part->many && !part->low_dword && !part->lost && elapsed <= part->wrap_ns &&
	       !trace_ucore_reg_enabled();
}

/* What stands when frozen: all registers of one kind by one call. */
static void many_read(const struct ucore_part *part, u32 first, u32 end,
		      struct ucore_tally *tally)
{
	const struct ucore_part_box *pb, *last;
	const struct ucore_io_ops *ops;
	u32 i, next, nr;

	for (i = first; i < end; i = next) {
		pb = &part->box[i];
		next = min(pb->run_end, end);
		last = &part->box[next - 1];
		nr = last->first + last->nr_frozen - pb->first;
		ops = pb->box->io.ops;
		ops->read_many(part->address + pb->first, part->raw + pb->first, nr);
		tally->reads += nr * ops->counter_cost;
	}
}

static void many_take(struct ucore_part *part, u32 first, u32 end, struct ucore_tally *tally)
{
	const struct ucore_part_box *last = &part->box[end - 1];
	u32 from = part->box[first].first;

	if (!ucore_counters_take(part->order + from, part->raw + from,
				 last->first + last->nr_frozen - from, tally))
		WRITE_ONCE(part->lost, true);
}

/**
 * ucore_part_read_boxes() - read the counters of some boxes
 * @part: a part without groups
 * @first: the first box
 * @end: the box after the last one
 * @elapsed: ucore_part_since_read()
 * @tally: where accesses are counted
 *
 * Also without the lock, on another CPU of the domain, while its holder waits: what it
 * writes is of those boxes and their counters, and @tally; and that a box is lost.
 */
void ucore_part_read_boxes(struct ucore_part *part, u32 first, u32 end, u64 elapsed,
			   struct ucore_tally *tally)
{
	bool plain = all_are_plain(part, elapsed);
	const struct ucore_part_box *pb;

	if (plain) {
		many_read(part, first, end, tally);
		many_take(part, first, end, tally);
	}
	for (pb = part->box + first; pb < part->box + end; pb++)
		if (!plain || pb->nr_running)
			box_read(part, pb, !plain, elapsed, tally);
}

/*
 * ---- order: when a session is built ----
 */

/* A box's counters that a freeze reaches, or those that it does not, from place @i on. */
static u32 order_some(struct ucore_part *part, const struct ucore_part_box *pb, u32 i, u32 unfrozen)
{
	u32 n = 0, j;

	for (j = pb->last; j != U32_MAX; j = part->ctr[j].sibling)
		n += (part->ctr[j].flags & UCORE_VALUE_UNFROZEN) == unfrozen;
	i += n;
	for (j = pb->last; j != U32_MAX; j = part->ctr[j].sibling)
		if ((part->ctr[j].flags & UCORE_VALUE_UNFROZEN) == unfrozen)
			part->order[--i] = &part->ctr[j];
	return n;
}

/* Where is read what can be read many at once? */
static void part_address(struct ucore_part *part)
{
	const struct ucore_io_ops *ops, *next = NULL;
	struct ucore_part_box *pb;
	u32 i, end = part->nr_box;

	part->many = true;
	for (pb = part->box + part->nr_box; pb-- > part->box; next = ops) {
		ops = pb->box->io.ops;
		part->many &= !!ops->read_many;
		if (ops != next)
			end = pb - part->box + 1;
		pb->run_end = end;
		for (i = pb->first; i < pb->first + pb->nr_frozen && ops->address; i++)
			part->address[i] = ops->address(&pb->box->io, part->order[i]->reg);
	}
}

/**
 * ucore_part_order() - put a part's counters into the order in which they are read
 * @part: the part, which does not run; all its counters and boxes are there
 */
void ucore_part_order(struct ucore_part *part)
{
	struct ucore_part_box *pb;
	struct ucore_counter *ctr;
	u32 i = 0;

	part->wrap_ns = U64_MAX;
	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++)
		part->wrap_ns = min(part->wrap_ns, ctr->wrap_ns ?: U64_MAX);
	for (pb = part->box; pb < part->box + part->nr_box; pb++) {
		pb->first = i;
		pb->nr_frozen = order_some(part, pb, i, 0);
		i += pb->nr_frozen;
	}
	for (pb = part->box; pb < part->box + part->nr_box; pb++) {
		pb->first_running = i;
		pb->nr_running = order_some(part, pb, i, UCORE_VALUE_UNFROZEN);
		i += pb->nr_running;
	}
	part_address(part);
}
