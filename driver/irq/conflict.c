// SPDX-License-Identifier: GPL-2.0-only
/*
 * Others who write the controls that sessions count with: Intel PCM, LIKWID, VTune, a
 * person with wrmsr, firmware.  Nothing keeps them from it, and no sample could tell
 * without an access more for each counter.  So the guard looks, every ten seconds, and what
 * it finds is told: by the values, a record, STATUS, GET_SELFTEST and the log.  It
 * writes nothing: who is right is not known here, and START programs all of it anew.
 *
 * Accesses of a look: a read for each global control, for the control of each box of a
 * part and for that of each of its counters that has its turn.  It is made in pieces, some
 * boxes at a time, so that it keeps no timer waiting.
 */
#include <linux/ktime.h>

#include "box/control_check.h"
#include "box/domain.h"
#include "sample/sample.h"
#include "irq/conflict.h"

/* After so many reads of a look others have the CPU, and for so long */
#define PIECE_READS	16
#define PIECE_NS	(1 * NSEC_PER_MSEC)

/* Once for each domain: another program that goes on writes for ever. */
static void tell_log(struct ucore_domain *domain, const struct ucore_box *box)
{
	if (domain->told)
		return;
	domain->told = true;
	pr_notice("%s%u of die %u: another program or firmware writes controls with which a session counts: its values are flagged\n",
		  box->desc.type->name, box->desc.instance, box->desc.die);
}

/* The counters of a box that changed, those that count; a record at the first time. */
static void mark(struct ucore_domain_ctx *ctx, struct ucore_domain_ctx_box *pb, u64 now)
{
	struct ucore_counter *ctr;
	bool news = false;
	u32 j;

	for (j = pb->last; j != U32_MAX; j = ctr->sibling) {
		ctr = &ctx->ctr[j];
		if (!ucore_ctx_counts(ctx, ctr))
			continue;
		news |= !(ctr->flags & UCORE_VALUE_F_CONFLICT);
		ctr->flags |= UCORE_VALUE_F_CONFLICT;
	}
	pb->box->selftest.found |= UCORE_FOUND_CONFLICT;
	if (news)
		ucore_sample_gap(ctx, now, UCORE_GAP_CONFLICT, ctx->domain->reader,
			       ctx->domain->reader, pb->box->id);
	tell_log(ctx->domain, pb->box);
}

/*
 * Each control is read, whatever the others say: a look always costs the same, but for boxes
 * without control.
 */
static bool box_changed(const struct ucore_domain_ctx *ctx, struct ucore_domain_ctx_box *pb, u32 *reads)
{
	bool changed = ucore_control_check_box(pb->box, &pb->control, &pb->seen);
	u32 j;

	(*reads)++;
	for (j = pb->last; j != U32_MAX; j = ctx->ctr[j].sibling) {
		if (!ucore_ctx_counts(ctx, &ctx->ctr[j]))
			continue;
		changed |= ucore_control_check_counter(&ctx->ctr[j]);
		(*reads)++;
	}
	return changed;
}

/* However much a look finds, it is one. */
static void found(struct ucore_domain_ctx *ctx, struct ucore_domain_ctx_box *pb, u64 now)
{
	mark(ctx, pb, now);
	ctx->stats.changed += !ctx->watch.found;
	ctx->watch.found = true;
}

/* Some of its boxes, from where the last piece has ended. */
static void ctx_look(struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_conflict *watch = &ctx->watch;
	struct ucore_domain_ctx_box *pb;
	u32 reads = 0;

	if (!watch->next && ucore_domain_control_changed(ctx->domain))
		for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++)
			found(ctx, pb, now);
	while (watch->next < ctx->nr_box && reads < PIECE_READS) {
		pb = &ctx->box[watch->next++];
		if (box_changed(ctx, pb, &reads))
			found(ctx, pb, now);
	}
	if (watch->next < ctx->nr_box)
		return;
	*watch = (struct ucore_conflict){ .looked = now };
}

static bool due(const struct ucore_domain_ctx *ctx, u64 now)
{
	return ctx->running &&
	       (ctx->watch.next || now - ctx->watch.looked >= UCORE_WATCH_NS);
}

/**
 * ucore_conflict_wait_ns() - when is a part's next look due?
 * @part: the part
 * @now: time
 *
 * Return: ns from now on: of its next piece, if one is under way or another part's was; of
 * one that is overdue, because its domain is frozen, a second.
 */
u64 ucore_conflict_wait_ns(const struct ucore_domain_ctx *ctx, u64 now)
{
	u64 since = now - ctx->watch.looked;

	if (!ctx->running)
		return UCORE_WATCH_NS;
	if (ctx->watch.next)
		return PIECE_NS;
	if (since < UCORE_WATCH_NS)
		return UCORE_WATCH_NS - since;
	return ctx->domain->frozen ? NSEC_PER_SEC : PIECE_NS;
}

/**
 * ucore_conflict_scan() - has somebody else written controls of the domain's parts?
 * @domain: the domain, on which parts run and no overflow waits
 * @now: time
 *
 * The guard's.  What is frozen is not looked at: its controls say so.
 */
void ucore_conflict_scan(struct ucore_domain *domain, u64 now)
{
	struct ucore_domain_ctx *ctx;

	if (domain->frozen)
		return;
	list_for_each_entry(ctx, &domain->ctxs, node) {
		if (!due(ctx, now))
			continue;
		ctx_look(ctx, now);
		return;
	}
}
