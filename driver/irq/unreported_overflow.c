// SPDX-License-Identifier: GPL-2.0-only
/*
 * Overflows that no bit of the global status reports, so that neither a freeze nor a PMI
 * follows. Either the box has no bit there, or its own status was not cleared and it cannot
 * signal. Part of the irq layer.
 *
 * The watchdog reads the armed counters of boxes that have reported no overflow yet, and finds
 * the wraps. It takes the sample and arms the counters again. A box whose overflows are never
 * reported is polled from then on.
 *
 * All functions run with the domain's lock held, on a CPU of the domain, with interrupts off.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "box/domain_global_ctl.h"
#include "irq/unreported_overflow.h"
#include "sample/readout.h"
#include "sample/shared_counter.h"

/* Longest time (ns) from one run of the watchdog to the next while counters are armed */
#define WATCHDOG_NS	(20 * NSEC_PER_MSEC)

/* Read the armed counters of the context's boxes that have reported no overflow. */
static void read_silent(struct ucore_domain_ctx *ctx, u64 now)
{
	const struct ucore_domain_ctx_box *pb;
	u32 j;

	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		if (!pb->armed_mask || pb->box->reports)
			continue;
		for (j = pb->last; j != U32_MAX; j = ctx->ctr[j].sibling)
			if (ctx->ctr[j].period)
				ucore_shared_update_at(&ctx->ctr[j], now);
	}
	ctx->silent_before = ctx->silent_read;
	ctx->silent_read = now;
}

/**
 * ucore_unreported_read() - read armed counters whose overflows may be unreported
 * @domain: the domain
 * @now: current time (ns)
 *
 * Costs one read of each armed counter once per UCORE_SILENT_NS, until its box has reported an
 * overflow.
 */
void ucore_unreported_read(struct ucore_domain *domain, u64 now)
{
	struct ucore_domain_ctx *ctx;

	list_for_each_entry(ctx, &domain->ctxs, node)
		if (ctx->armed_mask && now - ctx->silent_read > UCORE_SILENT_NS - WATCHDOG_NS)
			read_silent(ctx, now);
}

static bool has_wrapped(const struct ucore_domain_ctx *ctx, const struct ucore_domain_ctx_box *pb)
{
	u32 j;

	for (j = pb->last; j != U32_MAX && pb->armed_mask && !pb->box->dead;
	     j = ctx->ctr[j].sibling)
		if (ctx->ctr[j].period && ctx->ctr[j].wrapped)
			return true;
	return false;
}

/* Count an unreported overflow of each box with a wrapped counter, once for all contexts. */
static void boxes_count(struct ucore_domain *domain, struct ucore_readout *ro)
{
	struct ucore_domain_ctx_box *pb;
	struct ucore_domain_ctx *ctx;
	u64 since;

	list_for_each_entry(ctx, &domain->ctxs, node) {
		for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
			if (!has_wrapped(ctx, pb))
				continue;
			since = pb->box->reports ? ctx->resumed : ctx->silent_before;
			ro->late_ns = max(ro->late_ns, ro->now - min(ro->now, since));
			if (pb->box->unreported_seq == domain->pmi.seq)
				continue;
			pb->box->unreported_seq = domain->pmi.seq;
			pb->box->unreported++;
		}
	}
}

/* Poll a context at least once per @poll_ns. A poll that is already due follows the old period. */
static void ctx_poll(struct ucore_domain_ctx *ctx, u64 poll_ns, u64 now)
{
	if (!ctx->poll_ns)
		hrtimer_start(&ctx->poll, ns_to_ktime(now + poll_ns),
			      HRTIMER_MODE_ABS_PINNED_HARD);
	ctx->poll_ns = min(ctx->poll_ns ?: U64_MAX, poll_ns);
	ctx->last_poll_clear = now;
}

/*
 * Poll the counter's period from now on. Without the overflow enable in the control, a wrap does
 * not set the box status.
 */
static void counter_poll(struct ucore_domain_ctx *ctx, struct ucore_counter *ctr, u64 now)
{
	u64 ctl = ctr->ctl & ~ucore_counter_overflow_bits(ctr);

	if (ctr->leader) {
		ucore_shared_update(ctr, UCORE_FROZEN);
		ucore_shared_disarm(ctr);
	} else {
		ucore_counter_change_control(ctr, ctr->ctl, ctl);
	}
	ctr->ctl = ctl;
	ctr->poll_period = ctr->period;
	ctr->period = 0;
	ucore_counter_poll_from(ctr);
	ctx_poll(ctx, ctr->poll_ns, now);
}

/* Return true if the periods of a counter must be polled that still interrupts, but in vain. */
static bool must_be_polled(const struct ucore_counter *ctr)
{
	const struct ucore_box *box = ctr->box;

	return ctr->period && ctr->poll_ns && !ctr->throttled && !box->dead && !box->reports &&
	       box->unreported >= UCORE_MAX_UNREPORTED;
}

static bool any_must_be_polled(const struct ucore_domain *domain)
{
	const struct ucore_domain_ctx *ctx;
	u32 i;

	list_for_each_entry(ctx, &domain->ctxs, node)
		for (i = 0; i < ctx->nr_ctr; i++)
			if (must_be_polled(&ctx->ctr[i]))
				return true;
	return false;
}

/*
 * Poll the boxes that have never reported their overflows. Their capabilities change, so that
 * later events are polled from the beginning.
 */
static void boxes_poll(struct ucore_domain *domain)
{
	u64 now = ktime_get_mono_fast_ns();
	struct ucore_domain_ctx *ctx;
	struct ucore_counter *ctr;
	struct ucore_readout ro;

	if (!any_must_be_polled(domain))
		return;
	ucore_readout_begin(&ro, domain, now);
	list_for_each_entry(ctx, &domain->ctxs, node) {
		for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
			if (!must_be_polled(ctr))
				continue;
			WRITE_ONCE(ctr->box->caps, ctr->box->caps & ~UCORE_BOX_F_ANY_OVERFLOW);
			counter_poll(ctx, ctr, now);
		}
	}
	ucore_readout_end(&ro);
}

/**
 * ucore_unreported_find() - find armed counters that wrapped without a bit in the global status
 * @domain: the domain
 * @now: current time (ns)
 *
 * The counters are serviced if the global status is still clear in the next call, a moment
 * later.
 *
 * Return: true if such a wrap was seen for the first time and must be checked again.
 */
bool ucore_unreported_find(struct ucore_domain *domain, u64 now)
{
	struct ucore_domain_ctx *ctx;
	struct ucore_readout ro;
	u64 unreported = 0;

	list_for_each_entry(ctx, &domain->ctxs, node)
		unreported |= ucore_ctx_unreported_overflows(ctx);
	if (!unreported || domain->freeze_count || ucore_domain_status(domain)) {
		domain->pmi.unreported = 0;
		return false;
	}
	if (domain->pmi.unreported != domain->pmi.seq + 1) {
		domain->pmi.unreported = domain->pmi.seq + 1;
		return true;
	}
	domain->pmi.unreported = 0;
	ucore_readout_begin_unreported(&ro, domain, now);
	if (ro.unreported)
		boxes_count(domain, &ro);
	ucore_readout_end(&ro);
	boxes_poll(domain);
	return false;
}
