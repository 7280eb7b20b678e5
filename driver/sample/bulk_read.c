// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sweeps: all counters of a part are read, as fast as can be.
 *
 * Nothing is decided for each counter that could be decided for all.  The registers of
 * those that a freeze reaches are lists of addresses, and those that are read alike a run
 * of it: one call reads it, another adds it up.  What needs a look at each
 * counter (what no freeze reaches, a dead box, a doubt) is read one by one.
 *
 * A counter of two dwords is read by its low one alone while that cannot have wrapped since
 * it was read last, at the most that its event adds in a clock.  That most is not believed
 * blindly: who seems to have counted more is read whole at once, and from then on; and who
 * only seems to keep to it is put right by a whole read now and then, and when it stops.
 *
 * On a frozen domain, by whoever holds its lock, or for it (crew.c).
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "sample/domain_ctx_state.h"
#include "sample/bulk_read.h"
#include "ucore_trace.h"

/* One read in this many is whole. */
#define LOW_READS_PER_WHOLE	256

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

/* Most that a counter can have counted: 2^31 in @low_ns. */
static u32 low_limit(u64 elapsed, u64 low_ns)
{
	return mul_u64_u64_div_u64(elapsed, BIT_ULL(31), low_ns);
}

/* False: it is to be read whole; nothing has been taken. */
static bool one_is_low(struct ucore_counter *ctr, const struct ucore_io *io, u64 elapsed)
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

/**
 * ucore_bulk_read_counter() - read one counter, as the time since it was read last asks for
 * @part: the part
 * @ctr: the counter
 * @io: its box's window
 * @elapsed: ucore_ctx_since_read()
 */
void ucore_bulk_read_counter(const struct ucore_domain_ctx *ctx, struct ucore_counter *ctr,
			 const struct ucore_io *io, u64 elapsed)
{
	enum ucore_read_mode mode = read_mode(ctx, ctr, elapsed);

	if (mode != UCORE_LOW || !one_is_low(ctr, io, elapsed))
		ucore_counter_update_by(ctr, io, read_mode(ctx, ctr, elapsed));
	ucore_bulk_read_distrust(ctr, elapsed);
}

/* One counter after the other: all of a box, or those that no freeze reaches. */
static noinline void box_read(const struct ucore_domain_ctx *ctx, const struct ucore_domain_ctx_box *pb,
			      bool all, u64 elapsed, struct ucore_tally *tally)
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
 * A doubt or a dead box, whoever found it to be so, asks for a look at each counter; so
 * does a trace.
 */
static bool all_are_plain(const struct ucore_domain_ctx *ctx, u32 first, u32 end, u64 elapsed)
{
	const struct ucore_domain_ctx_box *pb;

	if (!ctx->many || elapsed > ctx->wrap_ns || trace_ucore_reg_enabled())
		return false;
	for (pb = ctx->box + first; pb < ctx->box + end; pb++)
		if (READ_ONCE(pb->box->dead))
			return false;
	return true;
}

/* Their low halves are not to be trusted any more. */
static void never_low(struct ucore_counter * const *ctr, u32 nr)
{
	while (nr--)
		ctr[nr]->low_ns = 0;
}

/* Counters that are read alike, from place @i on; @limit: most that each has counted, 0: whole. */
static void run_read(struct ucore_domain_ctx *ctx, u32 i, u32 nr, u32 limit, struct ucore_tally *tally)
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
			never_low(ctr, nr);
	}
	ops->read_many(address, raw, nr);
	tally->reads += nr * ops->counter_cost;
	ucore_counter_accumulate_many(ctr, raw, nr, tally);
}

/* What stands when frozen, run by run. */
static void many_read(struct ucore_domain_ctx *ctx, u32 first, u32 end, u64 elapsed,
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

/**
 * ucore_bulk_read_boxes() - read the counters of some boxes
 * @part: a part without groups
 * @first: the first box
 * @end: the box after the last one
 * @elapsed: ucore_ctx_since_read()
 * @tally: where accesses are counted
 *
 * Also without the lock, on another CPU of the domain, while its holder waits: what it
 * writes is of those boxes and their counters, and @tally.
 */
void ucore_bulk_read_boxes(struct ucore_domain_ctx *ctx, u32 first, u32 end, u64 elapsed,
			   struct ucore_tally *tally)
{
	bool plain = all_are_plain(ctx, first, end, elapsed);
	const struct ucore_domain_ctx_box *pb;

	if (plain)
		many_read(ctx, first, end, elapsed, tally);
	for (pb = ctx->box + first; pb < ctx->box + end; pb++)
		if (!plain || pb->nr_running)
			box_read(ctx, pb, !plain, elapsed, tally);
}

/*
 * ---- order: when a session is built ----
 */

/* A box's counters that a freeze reaches, or those that it does not, from place @i on. */
static u32 order_some(struct ucore_domain_ctx *ctx, const struct ucore_domain_ctx_box *pb, u32 i, u32 unfrozen)
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

/* Counters of a box whose low halves are enough for equally long follow each other. */
static void sort_by_low_ns(struct ucore_counter **ctr, u32 nr)
{
	u32 i, j;

	for (i = 1; i < nr; i++)
		for (j = i; j && ctr[j - 1]->low_ns < ctr[j]->low_ns; j--)
			swap(ctr[j - 1], ctr[j]);
}

static bool are_read_alike(const struct ucore_counter *a, const struct ucore_counter *b)
{
	return a->box->io.ops == b->box->io.ops && a->low_ns == b->low_ns;
}

/* Where is read what can be read many at once? */
static void ctx_address(struct ucore_domain_ctx *ctx, u32 nr_frozen)
{
	const struct ucore_io *io;
	u32 i, end = nr_frozen;

	ctx->many = true;
	for (i = nr_frozen; i--;) {
		io = &ctx->order[i]->box->io;
		ctx->many &= !!io->ops->read_many;
		if (io->ops->address)
			ctx->address[i] = io->ops->address(io, ctx->order[i]->reg);
		if (i + 1 < nr_frozen && !are_read_alike(ctx->order[i], ctx->order[i + 1]))
			end = i + 1;
		ctx->order[i]->run_end = end;
	}
}

/**
 * ucore_bulk_read_sort() - put a part's counters into the order in which they are read
 * @part: the part, which does not run; all its counters and boxes are there
 */
void ucore_bulk_read_sort(struct ucore_domain_ctx *ctx)
{
	struct ucore_domain_ctx_box *pb;
	struct ucore_counter *ctr;
	u32 i = 0;

	ctx->wrap_ns = U64_MAX;
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++)
		ctx->wrap_ns = min(ctx->wrap_ns, ctr->wrap_ns ?: U64_MAX);
	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		pb->first = i;
		pb->nr_frozen = order_some(ctx, pb, i, 0);
		sort_by_low_ns(ctx->order + i, pb->nr_frozen);
		i += pb->nr_frozen;
	}
	ctx_address(ctx, i);
	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		pb->first_running = i;
		pb->nr_running = order_some(ctx, pb, i, UCORE_VALUE_F_UNFROZEN);
		i += pb->nr_running;
	}
}
