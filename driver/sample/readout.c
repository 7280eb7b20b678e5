// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readouts, from the freeze to the unfreeze. Part of the sample layer. All functions run with
 * the domain's lock held, on a CPU of the domain, with interrupts off.
 *
 * The order of accesses at the end of a readout follows the manual (329468-002 2.1.3, 2.1.4).
 * Registers come first, so that the domain is frozen for a short time. Records are written
 * after the domain has been unfrozen. Counters that did not overflow are not reset between
 * samples. Their 64-bit count continues, and a reset would cost one more write for each box.
 *
 * A timer sample costs one freeze write, one read for each counter and one unfreeze write. An
 * overflow sample also reads the global status and the status of each armed box under a set
 * bit, or each armed counter of a box without a status. Then it clears these bits and writes the
 * preload values. Without a global control, freeze and unfreeze cost one write for each box.
 * Polled periods add the reads of each poll.
 */
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>

#include "box/freeze.h"
#include "cpu/budget.h"
#include "cpu/nmi_handler.h"
#include "sample/parallel_read.h"
#include "sample/readout.h"
#include "sample/shared_counter.h"
#include "ucore_trace.h"

static unsigned int max_sample_rate = 50000;
module_param(max_sample_rate, uint, 0644);
MODULE_PARM_DESC(max_sample_rate, "overflows per second and domain before it is throttled");

/* Window in which overflows are counted and compared with max_sample_rate (ns) */
#define THROTTLE_WINDOW_NS	(10 * NSEC_PER_MSEC)

/*
 * ---- begin of a readout ----
 */

/*
 * Return true if an armed counter overflowed. @status is the status of its box. An unreported
 * overflow has no global status bit, so that only @status or a wrapped count shows the overflow.
 * The overflow of a shared counter ends the periods of some sessions.
 */
static bool overflowed(const struct ucore_readout *ro, struct ucore_counter *ctr, u64 status)
{
	u64 global = ro->unreported ? 0 : ro->status;
	bool wrapped = ro->unreported && ctr->wrapped;

	if (ctr->leader)
		return (wrapped || ucore_counter_has_no_status(ctr) ||
			ucore_counter_has_overflowed(ctr->leader, status, global)) &&
		       ucore_shared_period_ended(ctr);
	return wrapped || ucore_counter_has_overflowed(ctr, status, global);
}

/*
 * Read the box status of the context's boxes that may have set a global status bit. Each status
 * is read once in a readout, even if several sessions use the box.
 */
static void ctx_read_box_status(const struct ucore_readout *ro, const struct ucore_domain_ctx *ctx)
{
	const struct ucore_domain_ctx_box *pb;
	struct ucore_box *box;

	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		box = pb->box;
		if (!(pb->armed_mask & ro->box_bits) || box->status_read)
			continue;
		box->status = ucore_box_status(box);
		box->status_read = true;
	}
}

/* Mark the armed counters of a context that overflowed. If any did, request a sample. */
static void ctx_mark_overflows(struct ucore_readout *ro, struct ucore_domain_ctx *ctx)
{
	struct ucore_domain_ctx_box *pb;
	struct ucore_counter *ctr;
	struct ucore_box *box;
	u32 i, j;

	for (i = 0; i < ctx->nr_box; i++) {
		pb = &ctx->box[i];
		box = pb->box;
		if (!pb->armed_mask || !box->status_read)
			continue;
		for (j = pb->last; j != U32_MAX; j = ctr->sibling) {
			ctr = &ctx->ctr[j];
			if (!ctr->period || box->dead || !overflowed(ro, ctr, box->status))
				continue;
			ro->several |= ro->overflowed && ro->overflowed != box;
			ro->overflowed = box;
			ctr->flags |= UCORE_VALUE_F_OVERFLOW;
			ctx->overflowed = true;
			ctx->stats.overflows++;
			ctx->stats.recovered += ro->recovered;
			ctx->stats.polled += ro->no_pmi;
			ctx->due = true;
			ctx->recovered = ro->recovered;
			ctx->trigger = UCORE_TRIGGER_OVERFLOW;
			ctx->trigger_event = min(ctx->trigger_event, ctr->event);
		}
	}
}

/*
 * Begin the service of overflows: save the interrupted context and find the counters that
 * overflowed.
 */
static void service_begin(struct ucore_readout *ro, u64 box_bits)
{
	const struct ucore_pmi_regs *context;
	struct ucore_domain *domain = ro->domain;
	struct ucore_domain_ctx *ctx;

	ro->box_bits = box_bits;
	ro->no_pmi = domain->pmi.poll_ns && !ro->unreported;
	ro->recovered &= !ro->no_pmi;
	ro->late_ns = ro->unreported ? 0 : ro->now - min(ro->now, domain->pmi.clear);
	ucore_nmi_service_begin(domain);
	context = ucore_nmi_context(domain);
	if (context) {
		ucore_readout_set_context(ro, context);
		domain->pmis++;
	}
	if (ro->recovered)
		domain->recovered++;
	/*
	 * While the domain has no reader, its contexts are listed, but stopped, and their boxes
	 * have been reset. A PMI that arrives late must not read them.
	 */
	list_for_each_entry(ctx, &domain->ctxs, node)
		if (ctx->running && ctx->armed_mask & ro->box_bits)
			ctx_read_box_status(ro, ctx);
	list_for_each_entry(ctx, &domain->ctxs, node) {
		if (!ctx->running || !ctx->armed_mask)
			continue;
		ctx_mark_overflows(ro, ctx);
		if (domain->ran_on)
			ucore_ctx_flag_conflict(ctx);
	}
	/* if several boxes overflowed, the status bits may be those of the others */
	if (ro->overflowed && !ro->several && !ro->unreported)
		ro->overflowed->reports = true;
}

/* Read the global status of a frozen domain, and begin the service of pending overflows. */
static void readout_read_status(struct ucore_readout *ro)
{
	struct ucore_domain *domain = ro->domain;

	ro->status = domain->armed || domain->spurious ? ucore_domain_status(domain) : 0;
	ro->spurious = ro->status && !domain->armed;
	if (ro->spurious)
		ucore_freeze_backdate(domain);
	if (ro->status)
		ucore_freeze_found_overflow(domain);
	ro->frozen_before = ucore_domain_frozen_ns(domain, ro->now);
	ro->skew_ns = domain->skew_ns;
	if (!ro->status)
		return;
	/*
	 * If a status bit belongs to no armed box, the assumed map of status bits to boxes is
	 * wrong. In that case read the status of all armed boxes.
	 */
	service_begin(ro, ro->status & ~domain->armed_mask ? domain->armed_mask : ro->status);
}

/**
 * ucore_readout_set_context() - set the interrupted context (IP, PID, TID) of a readout
 * @ro: readout; if it has a context already, nothing is changed
 * @context: interrupted context; copied, because the next PMI may overwrite the buffer
 */
void ucore_readout_set_context(struct ucore_readout *ro, const struct ucore_pmi_regs *context)
{
	if (ro->has_context)
		return;
	ro->context = *context;
	ro->has_context = true;
}

/**
 * ucore_readout_begin() - begin a readout: freeze the domain
 * @ro: readout to be initialized
 * @domain: domain
 * @now: current time (ns)
 *
 * A pending overflow is serviced in the readout. Otherwise the unfreeze would start counters
 * whose overflow has not been sampled yet.
 */
void ucore_readout_begin(struct ucore_readout *ro, struct ucore_domain *domain, u64 now)
{
	lockdep_assert_held(&domain->lock);

	*ro = (struct ucore_readout){ .domain = domain, .entered = now, .charged_from = now,
				       .tally = domain->tally };
	ucore_freeze_domain(domain, now);
	ro->now = domain->frozen_since;	/* earlier than @now if the domain was already frozen */
	readout_read_status(ro);
}

/**
 * ucore_readout_begin_ctx() - begin a readout of one domain context
 * @ro: readout to be initialized
 * @ctx: domain context; with @ctx->box_freeze only its own boxes are frozen
 * @now: current time (ns)
 *
 * With @ctx->box_freeze, pending overflows are not serviced here but by their PMI. The unfreeze of
 * single boxes does not end a freeze of the domain by an overflow.
 */
void ucore_readout_begin_ctx(struct ucore_readout *ro, struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_domain *domain = ctx->domain;

	if (!ctx->box_freeze || domain->frozen) {
		ucore_readout_begin(ro, domain, now);
		return;
	}
	*ro = (struct ucore_readout){ .domain = domain, .ctx = ctx, .now = now,
				       .entered = now, .charged_from = now,
				       .tally = domain->tally };
	ro->frozen_before = ucore_domain_frozen_ns(domain, now) + ctx->box_frozen_ns;
	ro->skew_ns = ucore_ctx_freeze(ctx);
	trace_ucore_freeze(domain->id, UCORE_FROZEN_BOXES, now, ro->skew_ns);
}

/**
 * ucore_readout_extend_to_domain() - freeze the domain if the context may have an overflow
 * @ro: readout that may have frozen only the boxes of one armed context
 *
 * Call before a context with ctx->box_freeze is stopped. A stopped context is no longer armed, so
 * that its overflow would not be serviced and the domain would stay frozen.
 */
void ucore_readout_extend_to_domain(struct ucore_readout *ro)
{
	struct ucore_domain *domain = ro->domain;

	if (!ro->ctx || !ro->ctx->armed_mask || !ucore_domain_status(domain))
		return;
	ro->ctx = NULL;
	ucore_freeze_after_overflow(domain, ro->now);
	readout_read_status(ro);
}

/*
 * Return the instant at which this CPU began to handle the readout, or of the freeze if that is
 * later (ns). The freeze may be much older, for example if the domain was throttled.
 */
static u64 latest_time(const struct ucore_readout *ro)
{
	return max(ro->now, ro->entered);
}

/**
 * ucore_readout_reset() - reset a context's counts and times in a readout, for RESET
 * @ro: readout
 * @ctx: domain context on the readout's domain
 */
void ucore_readout_reset(const struct ucore_readout *ro, struct ucore_domain_ctx *ctx)
{
	ucore_ctx_reset(ctx, latest_time(ro));
}

/**
 * ucore_readout_begin_overflow() - begin a readout after an overflow froze the domain
 * @ro: readout to be initialized
 * @domain: domain
 * @now: time at which the overflow was noticed (ns)
 * @recovered: the watchdog found the overflow, and no PMI arrived
 */
void ucore_readout_begin_overflow(struct ucore_readout *ro, struct ucore_domain *domain,
				  u64 now, bool recovered)
{
	lockdep_assert_held(&domain->lock);

	/* @now may precede the time stamp of the last unfreeze, taken after the register write. */
	*ro = (struct ucore_readout){ .domain = domain,
				       .now = max(now, ucore_domain_counted_at(domain)),
				       .recovered = recovered, .tally = domain->tally };
	ro->charged_from = ro->now;
	ro->entered = recovered ? ktime_get_mono_fast_ns() : ro->now;
	ucore_freeze_after_overflow(domain, ro->now);
	readout_read_status(ro);
}

/**
 * ucore_readout_begin_unreported() - begin a readout for wraps without a global status bit
 * @ro: readout to be initialized
 * @domain: domain whose global status is clear although armed counters wrapped
 * @now: current time (ns)
 *
 * A box whose own status was not cleared cannot set its global status bit again. The readout
 * reads and clears the status of such boxes, and re-arms their counters.
 */
void ucore_readout_begin_unreported(struct ucore_readout *ro, struct ucore_domain *domain,
				    u64 now)
{
	struct ucore_domain_ctx *ctx;

	lockdep_assert_held(&domain->lock);

	*ro = (struct ucore_readout){ .domain = domain, .entered = now, .charged_from = now,
				       .recovered = true, .tally = domain->tally };
	ucore_freeze_domain(domain, now);
	ro->now = domain->frozen_since;
	readout_read_status(ro);
	if (ro->status)
		return;		/* a global status bit has been set since the watchdog's scan */
	ro->unreported = true;
	list_for_each_entry(ctx, &domain->ctxs, node)
		ro->status |= ucore_ctx_unreported_overflows(ctx);
	service_begin(ro, ro->status);
}

/*
 * ---- end of a readout, and throttling ----
 */

/* Clear the status of the context's boxes whose status was read in this readout. */
static void ctx_acknowledge(const struct ucore_domain_ctx *ctx)
{
	const struct ucore_domain_ctx_box *pb;

	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		if (!pb->box->status_read)
			continue;	/* not read, or already cleared for another context */
		ucore_box_clear_status(pb->box, pb->box->status);
		pb->box->status_read = false;
	}
}

/*
 * Start the next period of each counter of the context that overflowed. If @throttle, disable the
 * overflow interrupts of these counters. Polled counters need no write. After an unreported
 * overflow, count the periods that have ended since as dropped.
 */
static void ctx_rearm(const struct ucore_readout *ro, struct ucore_domain_ctx *ctx, bool throttle)
{
	struct ucore_counter *ctr;

	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		if (!ctr->period || !(ctr->flags & UCORE_VALUE_F_OVERFLOW) || ctr->box->dead)
			continue;
		if (ro->unreported && ctr->wrapped)
			ucore_emit_drop(ctx, div64_u64(ucore_shared_counted_past_end(ctr),
						       ctr->period));
		if (throttle)
			ucore_shared_throttle(ctr);
		else
			ucore_shared_rearm(ctr);
		ctx->has_throttled |= throttle;
		ctx->throttled |= throttle;
	}
}

/* Re-arm or throttle the overflowed counters of all contexts. Return true if there are any. */
static bool ctxs_rearm(const struct ucore_readout *ro, bool throttle)
{
	struct ucore_domain_ctx *ctx;
	bool ours = false;

	list_for_each_entry(ctx, &ro->domain->ctxs, node) {
		ours |= ctx->overflowed;
		if (ctx->running && ctx->overflowed)
			ctx_rearm(ro, ctx, throttle);
	}
	return ours;
}

/*
 * Return the number of overflows allowed in one throttle window. A PMI that is routed to all
 * cores interrupts all CPUs of the die. In that case the limit is divided by their number.
 */
static u64 count_limit(const struct ucore_domain *domain)
{
	u64 limit = (u64)READ_ONCE(max_sample_rate) * THROTTLE_WINDOW_NS / NSEC_PER_SEC;

	return max_t(u64, div_u64(limit, max(READ_ONCE(domain->pmi.spread), 1U)), 1);
}

/*
 * Count an overflow service. If the limit of the window is exceeded, return the time for which
 * overflows must pause: the rest of the window (ns). Otherwise return 0.
 */
static u64 count_pause_ns(struct ucore_domain *domain, u64 now)
{
	u64 limit = count_limit(domain);

	if (now - domain->throttle_start >= THROTTLE_WINDOW_NS) {
		domain->throttle_start = now;
		domain->throttle_count = 0;
	}
	if (++domain->throttle_count <= limit)
		return 0;
	return domain->throttle_start + THROTTLE_WINDOW_NS - now;
}

/*
 * Return the time for which overflows of the domain must pause (ns), because of their rate or
 * of the CPU time budget. Return 0 if no pause is necessary.
 */
static u64 pause_ns(struct ucore_domain *domain)
{
	u64 now = ktime_get_mono_fast_ns();

	return max(count_pause_ns(domain, now), ucore_budget_pause_ns(now));
}

/*
 * Throttle a domain for @pause (ns), unless @pause is 0. A throttled counter still counts, but
 * its period ends without a PMI or a sample (see ctx_rearm()). Thus other work on this CPU and
 * other sessions of the domain can proceed. If no counter of a session overflowed (@ours is
 * false), for example with a stuck status bit, each unfreeze would raise the PMI again. In that
 * case the domain stays frozen until the watchdog unfreezes it.
 */
static void domain_throttle(struct ucore_domain *domain, u64 pause, bool ours)
{
	if (!pause)
		return;
	if (!domain->throttled) {
		domain->throttled = true;
		domain->throttles++;
		ucore_domain_kick_watchdog(domain, pause);
	}
	if (!ours && !domain->kept_frozen) {
		domain->kept_frozen = true;
		domain->freeze_count++;	/* the watchdog ends this freeze */
	}
}

/*
 * End the throttling of a context's counters, which have just been read. Periods that ended
 * during the throttling count as dropped. With @rearm the counters interrupt again.
 */
static void ctx_end_throttling(struct ucore_domain_ctx *ctx, bool rearm)
{
	struct ucore_counter *ctr;

	if (!ctx->has_throttled)
		return;
	ctx->has_throttled = false;
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		if (!ctr->throttled)
			continue;
		ucore_emit_drop(ctx, ucore_counter_missed_periods(ctr));
		if (rearm && !ctr->box->dead)
			ucore_shared_unthrottle(ctr);
		ctr->throttled = false;
	}
}

/**
 * ucore_readout_unthrottle() - enable overflow interrupts of throttled counters again
 * @domain: domain, locked, whose throttling ends
 */
void ucore_readout_unthrottle(struct ucore_domain *domain)
{
	struct ucore_readout ro;
	struct ucore_domain_ctx *ctx;
	bool any = false;

	list_for_each_entry(ctx, &domain->ctxs, node)
		any |= ctx->has_throttled;
	if (!any)
		return;
	ucore_readout_begin(&ro, domain, ktime_get_mono_fast_ns());
	list_for_each_entry(ctx, &domain->ctxs, node) {
		if (!ctx->has_throttled)
			continue;
		ucore_parallel_read(ctx, ro.now);
		ctx_end_throttling(ctx, true);
	}
	ucore_readout_end(&ro);
}

/**
 * ucore_readout_halt() - read a context for the last time in a readout, and stop it
 * @ro: readout
 * @ctx: domain context on the readout's domain
 *
 * If the domain was frozen before the readout, for example because it was throttled, the
 * counts end at that freeze. From then until now the context counts as enabled but not running.
 */
void ucore_readout_halt(const struct ucore_readout *ro, struct ucore_domain_ctx *ctx)
{
	u64 end = latest_time(ro);

	ucore_ctx_stop(ctx, ro->now, end,
		       ucore_readout_frozen_before(ro, ctx) + (end - ro->now));
	ctx_end_throttling(ctx, false);
}

/**
 * ucore_readout_pause() - read a context in a readout, and pause it
 * @ro: readout
 * @ctx: domain context on the readout's domain, without periods
 */
void ucore_readout_pause(const struct ucore_readout *ro, struct ucore_domain_ctx *ctx)
{
	u64 end = latest_time(ro);

	ucore_ctx_pause(ctx, ro->now, end, ucore_readout_frozen_before(ro, ctx) + (end - ro->now));
}

/*
 * Add the cost of a readout to a context's statistics. CPU time and register accesses are
 * divided by @sharers, the number of contexts that were read in the readout.
 */
static void ctx_account(struct ucore_domain_ctx *ctx, const struct ucore_readout *ro,
			u64 unfrozen, u64 end, u32 sharers)
{
	struct ucore_stats *stats = &ctx->stats;

	stats->frozen_ns += unfrozen - ro->charged_from;
	stats->cost_ns += div_u64(end - ro->entered, sharers);
	stats->reads += div_u64(ro->domain->tally.reads - ro->tally.reads, sharers);
	stats->writes += div_u64(ro->domain->tally.writes - ro->tally.writes, sharers);
}

/* Request a sample of a context that was read in the readout if a polled period has ended. */
static void ctx_end_polled_periods(const struct ucore_readout *ro, struct ucore_domain_ctx *ctx)
{
	if (!ctx->poll_ns || !ctx->fresh || !ucore_ctx_poll_end(ctx, ro->now))
		return;
	ctx->due = true;
	ctx->trigger = UCORE_TRIGGER_OVERFLOW;
}

/*
 * Unfreeze the domain, or the context's boxes unless the context was stopped in the readout.
 * This is the last register write of a readout. Return the instant of the unfreeze (ns).
 */
static u64 readout_unfreeze(const struct ucore_readout *ro)
{
	struct ucore_domain_ctx *ctx = ro->ctx;
	u64 now;

	if (!ctx)
		return ucore_unfreeze_domain(ro->domain, false);
	now = ctx->running ? ucore_ctx_unfreeze(ctx) : ktime_get_mono_fast_ns();
	ctx->box_frozen_ns += now - ro->now;
	ro->domain->boxes_unfrozen = now;
	if (ctx->running)
		trace_ucore_unfreeze(ro->domain->id, true, now, now - ro->now);
	return now;
}

/**
 * ucore_readout_end() - end a readout: read, unfreeze and write records
 * @ro: readout
 *
 * Reads the contexts with a due sample, acknowledges overflows, re-arms, unfreezes and then
 * writes the records. The box status is cleared before the global status, because a box whose
 * bit is still set could not signal again.
 */
void ucore_readout_end(struct ucore_readout *ro)
{
	struct ucore_domain *domain = ro->domain;
	struct ucore_domain_ctx *ctx;
	u64 unfrozen, end, pause;
	u32 sharers = 0;
	bool ours;

	list_for_each_entry(ctx, &domain->ctxs, node) {
		if (ctx->due)
			ucore_parallel_read(ctx, ro->now);
		ctx_end_polled_periods(ro, ctx);
		if (ro->status)
			ctx_acknowledge(ctx);
		sharers += ctx->fresh;
	}
	if (ro->status) {
		ucore_domain_clear_status(domain);
		pause = pause_ns(domain);
		ours = ctxs_rearm(ro, pause || domain->throttled);
		ucore_nmi_service_end(domain);
		if (ro->no_pmi)
			ucore_pmi_expect_none(&domain->pmi);
		domain_throttle(domain, pause, ours);
	}
	if (!ro->ctx)
		domain->pmi.clear = max(domain->pmi.clear, ro->now);
	ucore_shared_load_spent(domain);
	unfrozen = readout_unfreeze(ro);
	domain->readouts++;

	ucore_emit_spurious(ro);
	list_for_each_entry(ctx, &domain->ctxs, node)
		if (ctx->due)
			ucore_emit_sample(ro, ctx, unfrozen - ro->now);
	end = ktime_get_mono_fast_ns();
	list_for_each_entry(ctx, &domain->ctxs, node) {
		if (ctx->fresh)
			ctx_account(ctx, ro, unfrozen, end, sharers);
		ucore_ctx_forget(ctx);
	}
}
