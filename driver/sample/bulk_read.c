// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bulk read of all counters of a domain context, with few instructions for each counter. Part
 * of the sample layer.
 *
 * Counters that a freeze stops are kept as arrays of register addresses. Consecutive counters
 * that are read in the same way form a run. One function call reads the registers of a run, and
 * another call adds the increments to the counts. Counters that no freeze stops, the counters of
 * boxes with a counter that several sessions use, and all counters if a box is dead or a wrap may
 * have been missed, are read one by one.
 *
 * A counter in two dwords is read by its low dword alone if that dword cannot have wrapped since
 * the last read (low read). The time limit follows from the largest increment of the event in
 * one clock. The driver checks each low read. If a counter has counted more than this increment
 * allows, it is read fully at once and from then on. A periodic full read and the last read
 * before STOP correct smaller errors.
 *
 * The functions run on a frozen domain, with the domain's lock held or on behalf of the lock
 * holder (parallel_read.c).
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "box/domain_global_ctl.h"
#include "sample/bulk_read.h"
#include "sample/domain_ctx_state.h"
#include "sample/shared_counter.h"
#include "ucore_trace.h"

/* One of so many reads of a context is a full read, although low dwords would suffice. */
#define LOW_READS_PER_WHOLE	256

/* Return true if the next read of the context may read the low dwords of counters alone. */
static bool may_be_low(const struct ucore_domain_ctx *ctx)
{
	return ctx->nr_reads % LOW_READS_PER_WHOLE;
}

static enum ucore_read_mode read_mode(const struct ucore_domain_ctx *ctx,
				      const struct ucore_counter *ctr, u64 elapsed)
{
	if (elapsed < ctr->low_ns && may_be_low(ctx))
		return UCORE_LOW;
	return ctr->flags & UCORE_VALUE_F_UNFROZEN ? UCORE_RUNNING : UCORE_FROZEN;
}

/*
 * Return the largest plausible increment (counts) of a counter in @elapsed ns. At its highest rate
 * the counter adds 2^31 counts in @low_ns ns.
 */
static u32 low_limit(u64 elapsed, u64 low_ns)
{
	return mul_u64_u64_div_u64(elapsed, BIT_ULL(31), low_ns);
}

/*
 * Read the low dword of a counter. If the increment is implausible, restore the counter's former
 * state, disable reads of its low dword alone, and return false. The caller must then read the full
 * counter.
 */
static bool read_low(struct ucore_counter *ctr, const struct ucore_io *io, u64 elapsed)
{
	const u64 total = ctr->total, prev = ctr->prev;
	const bool wrapped = ctr->wrapped;

	ucore_counter_update_by(ctr, io, UCORE_LOW);
	if (ctr->total - total <= low_limit(elapsed, ctr->low_ns))
		return true;
	ctr->total = total;
	ctr->prev = prev;
	ctr->wrapped = wrapped;
	ctr->low_ns = 0;
	return false;
}

static void counter_read(const struct ucore_domain_ctx *ctx, struct ucore_counter *ctr,
			 const struct ucore_io *io, u64 elapsed)
{
	enum ucore_read_mode mode = read_mode(ctx, ctr, elapsed);

	if (mode != UCORE_LOW || !read_low(ctr, io, elapsed))
		ucore_counter_update_by(ctr, io, read_mode(ctx, ctr, elapsed));
}

/**
 * ucore_bulk_read_counter() - read one counter, by its low dword alone if the time allows
 * @ctx: domain context
 * @ctr: counter of @ctx
 * @io: register window of the counter's box
 * @elapsed: time since the last read, from ucore_ctx_since_read() (ns)
 *
 * A hardware counter that several sessions use is read once in a readout.
 */
void ucore_bulk_read_counter(const struct ucore_domain_ctx *ctx, struct ucore_counter *ctr,
			     const struct ucore_io *io, u64 elapsed)
{
	if (!ctr->leader) {
		counter_read(ctx, ctr, io, elapsed);
	} else {
		if (ucore_shared_begin_read(ctr))
			counter_read(ctx, ctr->leader, io, elapsed);
		ucore_shared_take(ctr);
	}
	ucore_bulk_read_distrust(ctr, elapsed);
}

/* Read counters of a box one by one: @all of them, or only those that no freeze stops. */
static noinline void box_read(const struct ucore_domain_ctx *ctx,
			      const struct ucore_domain_ctx_box *pb, bool all, u64 elapsed,
			      struct ucore_tally *tally)
{
	struct ucore_io io = pb->box->io;
	u32 i;

	io.tally = tally;
	for (i = 0; all && i < pb->nr_frozen; i++)
		ucore_bulk_read_counter(ctx, ctx->order[pb->first + i], &io, elapsed);
	for (i = 0; i < pb->nr_running; i++)
		ucore_bulk_read_counter(ctx, ctx->order[pb->first_running + i], &io, elapsed);
}

/*
 * Return true if the counters of the boxes @first to @end - 1 may be read in bulk. A possible
 * wrap, a dead box or the tracepoint ucore_reg requires single reads.
 */
static bool can_read_in_bulk(const struct ucore_domain_ctx *ctx, u32 first, u32 end, u64 elapsed)
{
	const struct ucore_domain_ctx_box *pb;

	if (!ctx->bulk_ok || elapsed > ctx->wrap_ns || trace_ucore_reg_enabled())
		return false;
	for (pb = ctx->box + first; pb < ctx->box + end; pb++)
		if (READ_ONCE(pb->box->dead))
			return false;
	return true;
}

/* Require full reads of @nr counters until the session is prepared again, as by START. */
static void disable_low(struct ucore_counter * const *ctr, u32 nr)
{
	while (nr--)
		ctr[nr]->low_ns = 0;
}

/*
 * Read a run: @nr consecutive counters from index @i of ctx->order that are read in the same way.
 * @limit is the largest plausible increment (counts) if the low dwords alone may be read, 0 for
 * full reads.
 */
static void run_read(struct ucore_domain_ctx *ctx, u32 i, u32 nr, u32 limit,
		     struct ucore_tally *tally)
{
	struct ucore_counter * const *ctr = ctx->order + i;
	const struct ucore_io_ops *ops = (*ctr)->box->io.ops;
	const unsigned long *address = ctx->address + i;
	u64 *raw = ctx->raw + i;
	int ret;

	if (limit) {
		ops->read_many_low(address, raw, nr);
		tally->reads += nr;
		ret = ucore_counter_accumulate_many_low(ctr, raw, nr, limit);
		if (!ret)
			return;
		if (ret == -ERANGE)
			disable_low(ctr, nr);
	}
	ops->read_many(address, raw, nr);
	tally->reads += nr * ops->counter_cost;
	ucore_counter_accumulate_many(ctr, raw, nr, tally);
}

/*
 * Read the counters of the boxes @first to @end - 1 that a freeze stops, in runs of consecutive
 * counters that are read in the same way.
 */
static void runs_read(struct ucore_domain_ctx *ctx, u32 first, u32 end, u64 elapsed,
		      struct ucore_tally *tally)
{
	const struct ucore_domain_ctx_box *last = &ctx->box[end - 1];
	bool may = may_be_low(ctx);
	u32 i, next, to = last->first + last->nr_frozen;
	const struct ucore_counter *ctr;

	for (i = ctx->box[first].first; i < to; i = next) {
		ctr = ctx->order[i];
		next = min(ctr->run_end, to);
		run_read(ctx, i, next - i, may && elapsed < ctr->low_ns ?
					    max(low_limit(elapsed, ctr->low_ns), 1U) : 0, tally);
	}
}

/* Return the index of the next box from @i on whose counters several sessions use; @end if none. */
static u32 next_sharing(const struct ucore_domain_ctx *ctx, u32 i, u32 end)
{
	while (i < end && !ctx->box[i].box->sharing)
		i++;
	return i;
}

/* Read boxes with counters that several sessions use one by one, and the boxes between in bulk. */
static noinline void read_around_shared(struct ucore_domain_ctx *ctx, u32 first, u32 end,
					u64 elapsed, struct ucore_tally *tally)
{
	const struct ucore_domain_ctx_box *pb;
	u32 i, next;

	for (i = first; i < end; i = next + 1) {
		next = next_sharing(ctx, i, end);
		if (next > i)
			runs_read(ctx, i, next, elapsed, tally);
	}
	for (pb = ctx->box + first; pb < ctx->box + end; pb++)
		if (pb->nr_running || pb->box->sharing)
			box_read(ctx, pb, pb->box->sharing, elapsed, tally);
}

/**
 * ucore_bulk_read_boxes() - read the counters of consecutive boxes
 * @ctx: domain context without groups
 * @first: index of the first box in @ctx->box
 * @end: index after the last box
 * @elapsed: time since the last read, from ucore_ctx_since_read() (ns)
 * @tally: receives the number of register accesses
 *
 * A helper CPU of the domain may call this without the lock while the lock holder waits. Only
 * these boxes, their counters and @tally are written.
 */
void ucore_bulk_read_boxes(struct ucore_domain_ctx *ctx, u32 first, u32 end, u64 elapsed,
			   struct ucore_tally *tally)
{
	bool bulk = can_read_in_bulk(ctx, first, end, elapsed);
	const struct ucore_domain_ctx_box *pb;

	if (bulk && ctx->domain->nr_shared) {
		read_around_shared(ctx, first, end, elapsed, tally);
		return;
	}
	if (bulk)
		runs_read(ctx, first, end, elapsed, tally);
	for (pb = ctx->box + first; pb < ctx->box + end; pb++)
		if (!bulk || pb->nr_running)
			box_read(ctx, pb, !bulk, elapsed, tally);
}

/*
 * ---- order of the reads, set when a session is prepared ----
 */

/*
 * Put counters of a box into ctx->order from index @i. @unfrozen selects the counters that no
 * freeze stops (UCORE_VALUE_F_UNFROZEN) or the others (0). Return their number.
 */
static u32 order_box(struct ucore_domain_ctx *ctx, const struct ucore_domain_ctx_box *pb, u32 i,
		     u32 unfrozen)
{
	u32 n = 0, j;

	for (j = pb->last; j != U32_MAX; j = ctx->ctr[j].sibling)
		n += (ctx->ctr[j].flags & UCORE_VALUE_F_UNFROZEN) == unfrozen;
	i += n;
	for (j = pb->last; j != U32_MAX; j = ctx->ctr[j].sibling)
		if ((ctx->ctr[j].flags & UCORE_VALUE_F_UNFROZEN) == unfrozen)
			ctx->order[--i] = &ctx->ctr[j];
	return n;
}

/* Sort a box's counters by low_ns, so that counters with the same low_ns are read in one run. */
static void sort_by_low_ns(struct ucore_counter **ctr, u32 nr)
{
	u32 i, j;

	for (i = 1; i < nr; i++)
		for (j = i; j && ctr[j - 1]->low_ns < ctr[j]->low_ns; j--)
			swap(ctr[j - 1], ctr[j]);
}

/* Return true if two counters can belong to the same run, because they are read in the same way. */
static bool same_read(const struct ucore_counter *a, const struct ucore_counter *b)
{
	return a->box->io.ops == b->box->io.ops && a->low_ns == b->low_ns;
}

/*
 * Set the register addresses of the first @nr_frozen counters of ctx->order, and the ends of the
 * runs, which are consecutive counters that are read in the same way.
 */
static void ctx_address(struct ucore_domain_ctx *ctx, u32 nr_frozen)
{
	const struct ucore_io *io;
	u32 i, end = nr_frozen;

	ctx->bulk_ok = true;
	for (i = nr_frozen; i--;) {
		io = &ctx->order[i]->box->io;
		ctx->bulk_ok &= !!io->ops->read_many;
		if (io->ops->address)
			ctx->address[i] = io->ops->address(io, ctx->order[i]->reg);
		if (i + 1 < nr_frozen && !same_read(ctx->order[i], ctx->order[i + 1]))
			end = i + 1;
		ctx->order[i]->run_end = end;
	}
}

/**
 * ucore_bulk_read_sort() - sort the counters of a context for bulk reads
 * @ctx: domain context that does not run, with all its counters and boxes
 */
void ucore_bulk_read_sort(struct ucore_domain_ctx *ctx)
{
	struct ucore_domain_ctx_box *pb;
	struct ucore_counter *ctr;
	u32 i = 0;

	ctx->wrap_ns = U64_MAX;
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++)
		ctx->wrap_ns = min(ctx->wrap_ns, ctr->wrap_ns ?: U64_MAX);
	if (ctx->nr_groups)
		return;		/* counters in groups are read one by one */
	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		pb->first = i;
		pb->nr_frozen = order_box(ctx, pb, i, 0);
		sort_by_low_ns(ctx->order + i, pb->nr_frozen);
		i += pb->nr_frozen;
	}
	ctx_address(ctx, i);
	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		pb->first_running = i;
		pb->nr_running = order_box(ctx, pb, i, UCORE_VALUE_F_UNFROZEN);
		i += pb->nr_running;
	}
}
