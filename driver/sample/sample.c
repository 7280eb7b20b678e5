// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples: who overflowed, read, re-arm, unfreeze, record.
 *
 * The order within an interval's end is the manual's (329468-002 2.1.3, 2.1.4)
 * and the frozen window's: registers first, records when the domain runs again.
 * Counters that did not overflow are not reset between samples: their exact
 * 64-bit count goes on, and a reset would be one more write for each box.
 *
 * Accesses of a timer sample: one freeze, each counter once, one unfreeze; a
 * sample by overflow adds the walk: global status, the status of armed boxes
 * under the bits set, their clearing, and the preloads.  Without global control
 * freeze and unfreeze are one write for each box; a polled period adds the looks.
 */
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/moduleparam.h>
#include <linux/overflow.h>

#include "cpu/budget.h"
#include "sample/parallel_read.h"
#include "cpu/nmi.h"
#include "sample/sample.h"
#include "sample/tasks.h"
#include "ucore_trace.h"

static unsigned int max_sample_rate = 50000;
module_param(max_sample_rate, uint, 0644);
MODULE_PARM_DESC(max_sample_rate, "overflows per second and domain before it is throttled");

#define THROTTLE_WINDOW_NS	(10 * NSEC_PER_MSEC)

/*
 * ---- begin ----
 */

/* Without its global bit a carry is told by the box, or by the count alone. */
static bool overflowed(const struct ucore_interval *iv, const struct ucore_counter *ctr,
		       u64 status)
{
	return ucore_counter_has_overflowed(ctr, status, iv->silent ? 0 : iv->status) ||
	       (iv->silent && ctr->wrapped);
}

/* Ask the boxes of a part that may have signalled, each once whoever has counters there. */
static void ctx_ask(const struct ucore_interval *iv, const struct ucore_domain_ctx *ctx)
{
	const struct ucore_domain_ctx_box *pb;
	struct ucore_box *box;

	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		box = pb->box;
		if (!(pb->armed_mask & iv->walk) || box->asked)
			continue;
		box->status = ucore_box_status(box);
		box->asked = true;
	}
}

/* Mark a part whose armed counters overflowed. */
static void ctx_walk(struct ucore_interval *iv, struct ucore_domain_ctx *ctx)
{
	const struct ucore_box *box;
	struct ucore_domain_ctx_box *pb;
	struct ucore_counter *ctr;
	u32 i, j;

	for (i = 0; i < ctx->nr_box; i++) {
		pb = &ctx->box[i];
		box = pb->box;
		if (!pb->armed_mask || !box->asked)
			continue;
		for (j = pb->last; j != U32_MAX; j = ctr->sibling) {
			ctr = &ctx->ctr[j];
			if (!ctr->period || box->dead || !overflowed(iv, ctr, box->status))
				continue;
			ctr->flags |= UCORE_VALUE_F_OVERFLOW;
			ctx->overflowed = true;
			ctx->stats.overflows++;
			ctx->stats.recovered += iv->recovered;
			ctx->due = true;
			ctx->recovered = iv->recovered;
			ctx->trigger = UCORE_TRIGGER_OVERFLOW;
			ctx->trigger_event = min(ctx->trigger_event, ctr->event);
		}
	}
}

/* Overflows are serviced: of which boxes, and what was interrupted? */
static void service_open(struct ucore_interval *iv, u64 walk)
{
	const struct ucore_pmi_regs *context;
	struct ucore_domain *domain = iv->domain;
	struct ucore_domain_ctx *ctx;

	iv->walk = walk;
	ucore_nmi_service_begin(domain);
	context = ucore_nmi_context(domain);
	if (context) {
		ucore_interval_set_context(iv, context);
		domain->pmis++;
	}
	if (iv->recovered)
		domain->recovered++;
	list_for_each_entry(ctx, &domain->ctxs, node)
		if (ctx->armed_mask & iv->walk)
			ctx_ask(iv, ctx);
	list_for_each_entry(ctx, &domain->ctxs, node)
		if (ctx->armed_mask)
			ctx_walk(iv, ctx);
}

static void interval_open(struct ucore_interval *iv)
{
	struct ucore_domain *domain = iv->domain;

	iv->status = domain->armed || domain->stray ? ucore_domain_status(domain) : 0;
	iv->stray = iv->status && !domain->armed;
	if (iv->stray)
		ucore_domain_frozen_unseen(domain);
	iv->frozen_before = ucore_domain_frozen_ns(domain, iv->now);
	iv->skew_ns = domain->skew_ns;
	if (!iv->status)
		return;
	/* a bit that no armed box owns: the map is wrong somewhere, ask them all */
	service_open(iv, iv->status & ~domain->armed_mask ? domain->armed_mask : iv->status);
}

/**
 * ucore_interval_set_context() - note what was interrupted, unless that is known
 * @iv: the interval
 * @context: copied: the next PMI may overwrite it before the record is written
 */
void ucore_interval_set_context(struct ucore_interval *iv, const struct ucore_pmi_regs *context)
{
	if (iv->has_context)
		return;
	iv->context = *context;
	iv->has_context = true;
}

/**
 * ucore_interval_begin() - freeze a domain
 * @iv: the interval
 * @domain: the domain
 * @now: time
 *
 * An overflow that is waiting is serviced along the way: unfreezing the domain
 * without would let counters run whose sample is still to be taken.
 */
void ucore_interval_begin(struct ucore_interval *iv, struct ucore_domain *domain, u64 now)
{
	lockdep_assert_held(&domain->lock);

	*iv = (struct ucore_interval){ .domain = domain, .entered = now, .held = now,
				       .tally = domain->tally };
	ucore_domain_freeze(domain, now);
	iv->now = domain->frozen_since;	/* frozen before: that is the instant */
	interval_open(iv);
}

/**
 * ucore_interval_begin_part() - freeze what a part wants frozen
 * @iv: the interval
 * @part: the part; with @box_freeze its own boxes are enough
 * @now: time
 *
 * Then overflows that wait are left to their interrupt: a unfreeze of single boxes
 * does not unfreeze what they froze.
 */
void ucore_interval_begin_ctx(struct ucore_interval *iv, struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_domain *domain = ctx->domain;

	if (!ctx->box_freeze || domain->frozen) {
		ucore_interval_begin(iv, domain, now);
		return;
	}
	*iv = (struct ucore_interval){ .domain = domain, .ctx = ctx, .now = now,
				       .entered = now, .held = now, .tally = domain->tally };
	iv->frozen_before = ucore_domain_frozen_ns(domain, now) + ctx->box_frozen_ns;
	iv->skew_ns = ucore_ctx_freeze(ctx);
	trace_ucore_freeze(domain->id, UCORE_FROZEN_BOXES, now, iv->skew_ns);
}

/**
 * ucore_interval_extend_to_domain() - freeze the domain, too, if an overflow of the part waits
 * @iv: the interval
 *
 * For a part with @box_freeze that is about to be halted: once it is not armed any
 * more nobody services its overflow, and the domain would stay as the overflow left it.
 */
void ucore_interval_extend_to_domain(struct ucore_interval *iv)
{
	struct ucore_domain *domain = iv->domain;

	if (!iv->ctx || !iv->ctx->armed_mask || !ucore_domain_status(domain))
		return;
	iv->ctx = NULL;
	ucore_domain_freeze_overflow(domain, iv->now);
	interval_open(iv);
}

/**
 * ucore_interval_frozen_before() - how long a part had been frozen before the instant
 * @iv: the interval
 * @part: a part of its domain
 *
 * Return: ns, for ucore_ctx_times().
 */
u64 ucore_interval_frozen_before(const struct ucore_interval *iv, const struct ucore_domain_ctx *ctx)
{
	/* with @iv->part it was taken at the beginning, and may have grown since */
	return iv->frozen_before + (iv->ctx ? 0 : ctx->box_frozen_ns);
}

/* The present; the domain may have been frozen long before. */
static u64 present(const struct ucore_interval *iv)
{
	return max(iv->now, iv->entered);
}

/**
 * ucore_interval_reset() - counts and times of a part to zero, from now on
 * @iv: the interval
 * @part: a part of its domain
 */
void ucore_interval_reset(const struct ucore_interval *iv, struct ucore_domain_ctx *ctx)
{
	ucore_ctx_reset(ctx, present(iv));
}

/**
 * ucore_interval_begin_overflow() - the hardware froze a domain
 * @iv: the interval
 * @domain: the domain
 * @now: when that was noticed
 * @recovered: by the guard, not by an interrupt
 */
void ucore_interval_begin_overflow(struct ucore_interval *iv, struct ucore_domain *domain,
				   u64 now, bool recovered)
{
	lockdep_assert_held(&domain->lock);

	/* it may have come before the clock was read for the last unfreeze */
	*iv = (struct ucore_interval){ .domain = domain,
				       .now = max(now, ucore_domain_counted_at(domain)),
				       .recovered = recovered, .tally = domain->tally };
	iv->held = iv->now;
	iv->entered = recovered ? ktime_get_mono_fast_ns() : iv->now;
	/* it ran again after it was frozen last; when the clock was read for that is later still */
	if (recovered)
		iv->late_ns = iv->now - min(iv->now, max(domain->pmi.clear, domain->frozen_since));
	ucore_domain_freeze_overflow(domain, iv->now);
	interval_open(iv);
}

/**
 * ucore_interval_begin_unreported() - counters of the domain carried, and nothing froze it
 * @iv: the interval
 * @domain: the domain, whose global status is clear
 * @now: time
 *
 * A box whose own status was never cleared cannot signal.  It is asked, cleared and armed
 * again.
 */
void ucore_interval_begin_unreported(struct ucore_interval *iv, struct ucore_domain *domain, u64 now)
{
	struct ucore_domain_ctx *ctx;

	lockdep_assert_held(&domain->lock);

	*iv = (struct ucore_interval){ .domain = domain, .entered = now, .held = now,
				       .recovered = true, .tally = domain->tally };
	ucore_domain_freeze(domain, now);
	iv->now = domain->frozen_since;
	interval_open(iv);
	if (iv->status)
		return;		/* its bit came after all */
	iv->silent = true;
	list_for_each_entry(ctx, &domain->ctxs, node)
		iv->status |= ucore_ctx_unreported_overflows(ctx);
	service_open(iv, iv->status);
}

/**
 * ucore_sample_timer_due() - its timer ends the interval, unless an overflow did
 * @iv: the interval
 * @part: the part
 */
void ucore_sample_timer_due(struct ucore_interval *iv, struct ucore_domain_ctx *ctx)
{
	if (ctx->due)
		return;
	ctx->due = true;
	ctx->trigger = UCORE_TRIGGER_TIMER;
}

/**
 * ucore_sample_core_due() - an event of a core ends the interval, unless an overflow did
 * @iv: the interval
 * @part: the part
 * @context: what that event interrupted; valid until the interval's end
 *
 * Samples of others that end here, too, have the context of what they are due to.
 */
void ucore_sample_core_due(struct ucore_interval *iv, struct ucore_domain_ctx *ctx,
			 const struct ucore_pmi_regs *context)
{
	if (ctx->due)
		return;
	ctx->due = true;
	ctx->trigger = UCORE_TRIGGER_CORE;
	ctx->by = context;
}

/*
 * ---- end ----
 */

static void ctx_acknowledge(const struct ucore_domain_ctx *ctx)
{
	const struct ucore_domain_ctx_box *pb;

	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		if (!pb->box->asked)
			continue;	/* nothing is there, or another part has done it */
		ucore_box_clear_status(pb->box, pb->box->status);
		pb->box->asked = false;
	}
}

/* Polled ones, whose period may have ended here, too, go on. */
static void ctx_rearm(struct ucore_domain_ctx *ctx, bool rest)
{
	struct ucore_counter *ctr;

	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		if (!ctr->period || !(ctr->flags & UCORE_VALUE_F_OVERFLOW) || ctr->box->dead)
			continue;
		if (rest)
			ucore_counter_throttle(ctr);
		else
			ucore_counter_arm(ctr);
		ctx->resting |= rest;
		ctx->throttled |= rest;
	}
}

/* Return: true if there was an overflow of ours. */
static bool ctxs_rearm(struct ucore_domain *domain, bool rest)
{
	struct ucore_domain_ctx *ctx;
	bool ours = false;

	list_for_each_entry(ctx, &domain->ctxs, node) {
		ours |= ctx->overflowed;
		if (ctx->running)
			ctx_rearm(ctx, rest);
	}
	return ours;
}

/*
 * Overflows in a window.  One that interrupts all CPUs of the die counts for each of them:
 * it is charged where it is serviced alone.
 */
static u64 count_limit(const struct ucore_domain *domain)
{
	u64 limit = (u64)READ_ONCE(max_sample_rate) * THROTTLE_WINDOW_NS / NSEC_PER_SEC;

	return max_t(u64, div_u64(limit, max(READ_ONCE(domain->pmi.spread), 1U)), 1);
}

/* One more overflow; for how long are these too many?  Until the window is over. */
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

/* Too many overflows, or too much of this CPU's time spent?  For how long is there to be none? */
static u64 pause_ns(struct ucore_domain *domain)
{
	u64 now = ktime_get_mono_fast_ns();

	return max(count_pause_ns(domain, now), ucore_budget_pause_ns(now));
}

/*
 * Whoever shares this CPU must get on, and whoever shares the domain must count: so what
 * overflowed too often goes on, and its periods end without a sample (part_rearm()).  What
 * interrupts without a counter that could rest, a status bit that is stuck say, does so as
 * long as the domain runs: then it stays frozen.
 */
static void throttle(struct ucore_domain *domain, u64 pause, bool ours)
{
	if (!pause)
		return;
	if (!domain->throttled) {
		domain->throttled = true;
		domain->throttles++;
		ucore_watchdog_kick(domain, pause);
	}
	if (!ours && !domain->held) {
		domain->held = true;
		domain->holds++;	/* the guard's: it unfreezes the domain */
	}
}

static void sink_wake(struct ucore_sink *sink)
{
	if (wq_has_sleeper(&sink->wait))
		irq_work_queue(&sink->wake);
}

/* Room for a record in the part's ring; NULL: it counts as lost. */
static void *ctx_reserve(const struct ucore_domain_ctx *ctx, u32 type, u32 size, u64 now)
{
	struct ucore_ring *ring = ctx->ring;
	void *record = ucore_ring_reserve(ring, type, size, now);

	if (!record)
		trace_ucore_lost(ctx->sink, ctx->domain->id, ring->seq - 1, ring->lost);
	return record;
}

/**
 * ucore_sample_gap() - record that the series was interrupted
 * @part: the part
 * @now: time
 * @reason: UCORE_GAP_*
 * @from: CPU that was the reader
 * @to: CPU that is
 * @box: box id
 */
void ucore_sample_gap(struct ucore_domain_ctx *ctx, u64 now, u32 reason, int from, int to, u32 box)
{
	struct ucore_gap *gap;

	if (!ctx->ring)
		return;
	gap = ctx_reserve(ctx, UCORE_RECORD_GAP, sizeof(*gap), now);
	if (gap) {
		gap->time = now;
		gap->domain = ctx->domain->id;
		gap->reason = reason;
		gap->cpu_from = from;
		gap->cpu_to = to;
		gap->box = box;
		gap->reserved = 0;
	}
	if (!gap || ucore_ring_commit(ctx->ring))
		sink_wake(ctx->sink);
}

/**
 * ucore_sample_drop() - periods of its timer or of core events had no sample: they are lost
 * @part: the part
 * @n: how many
 */
void ucore_sample_drop(struct ucore_domain_ctx *ctx, u64 n)
{
	if (!n)
		return;
	ctx->stats.samples += n;
	ctx->stats.dropped += n;
	if (!ctx->ring)
		return;
	ucore_ring_skip(ctx->ring, n);
	trace_ucore_lost(ctx->sink, ctx->domain->id, ctx->ring->seq - 1, ctx->ring->lost);
}

/* A part has been read: periods of its counters that ended while they rested are lost. */
static void rest_ends(struct ucore_domain_ctx *ctx, bool rouse)
{
	struct ucore_counter *ctr;

	if (!ctx->resting)
		return;
	ctx->resting = false;
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		if (!ctr->resting)
			continue;
		ucore_sample_drop(ctx, ucore_counter_missed_periods(ctr));
		if (rouse && !ctr->box->dead)
			ucore_counter_unthrottle(ctr);
		ctr->resting = false;
	}
}

/**
 * ucore_interval_unthrottle() - the pause is over: counters that rest shall interrupt again
 * @domain: the domain, locked
 */
void ucore_interval_unthrottle(struct ucore_domain *domain)
{
	struct ucore_interval iv;
	struct ucore_domain_ctx *ctx;
	bool any = false;

	list_for_each_entry(ctx, &domain->ctxs, node)
		any |= ctx->resting;
	if (!any)
		return;
	ucore_interval_begin(&iv, domain, ktime_get_mono_fast_ns());
	list_for_each_entry(ctx, &domain->ctxs, node) {
		if (!ctx->resting)
			continue;
		ucore_parallel_read(ctx, iv.now);
		rest_ends(ctx, true);
	}
	ucore_interval_end(&iv);
}

/**
 * ucore_interval_halt() - last counts of a part, whose time ends now
 * @iv: the interval
 * @part: a part of its domain
 *
 * A domain that was frozen before, throttled say, has counted until then: up to the present
 * the part is enabled, and not running.
 */
void ucore_interval_halt(const struct ucore_interval *iv, struct ucore_domain_ctx *ctx)
{
	u64 end = present(iv);

	ucore_ctx_stop(ctx, iv->now, end,
			ucore_interval_frozen_before(iv, ctx) + (end - iv->now));
	rest_ends(ctx, false);
}

/* Sessions without an overflow trigger were frozen all the same, for a time that nobody knows. */
static void report_stray(const struct ucore_interval *iv)
{
	int reader = iv->domain->reader;
	struct ucore_domain_ctx *ctx;

	if (!iv->stray)
		return;
	list_for_each_entry(ctx, &iv->domain->ctxs, node) {
		ctx->gap_sample = true;
		ctx->gap_read = true;
		ucore_sample_gap(ctx, iv->now, UCORE_GAP_FROZEN, reader, reader, ~0U);
	}
}

static void report_deaths(struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_domain_ctx_box *pb;

	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		if (!pb->box->dead || pb->reported)
			continue;
		pb->reported = true;
		ucore_sample_gap(ctx, now, UCORE_GAP_BOX_DEAD, ctx->domain->reader,
			       ctx->domain->reader, pb->box->id);
	}
}

/* What the sample is due to came so long before it. */
static u64 late_ns(const struct ucore_interval *iv, const struct ucore_domain_ctx *ctx)
{
	if (ctx->by)
		return iv->now - min(iv->now, ctx->by->time);
	if (ctx->polled)
		return ctx->late_ns;
	return ctx->recovered ? iv->late_ns : 0;
}

/* A counter's value goes as it is: of a record, most of the work is here. */
static void sample_values(struct ucore_value *value, const struct ucore_counter *ctr,
			  const struct ucore_counter *end)
{
	for (; ctr < end; ctr++)
		*value++ = ctr->value;
}

static void sample_fill(struct ucore_sample *sample, const struct ucore_interval *iv,
			const struct ucore_domain_ctx *ctx)
{
	const struct ucore_pmi_regs *context = ctx->by ?: iv->has_context ? &iv->context : NULL;
	bool visible = context && ctx->sink->context;

	sample->time = iv->now;
	ucore_ctx_times(ctx, iv->now, ucore_interval_frozen_before(iv, ctx),
			 &sample->time_enabled, &sample->time_running);
	sample->skew_ns = iv->skew_ns;
	sample->late_ns = late_ns(iv, ctx);
	sample->ip = visible ? context->ip : 0;
	sample->pid = visible ? context->pid : 0;
	sample->tid = visible ? context->tid : 0;
	sample->cpu = context ? context->cpu : raw_smp_processor_id();
	sample->domain = iv->domain->id;
	sample->trigger = ctx->trigger;
	sample->trigger_event = ctx->trigger_event;
	sample->flags = (visible ? UCORE_SAMPLE_F_CONTEXT : 0) |
			(visible && context->user ? UCORE_SAMPLE_F_USER : 0) |
			(ctx->recovered ? UCORE_SAMPLE_F_RECOVERED : 0) |
			(ctx->polled ? UCORE_SAMPLE_F_POLLED : 0) |
			(ctx->gap_sample ? UCORE_SAMPLE_F_GAP : 0) |
			(ctx->stretched ? UCORE_SAMPLE_F_DELAYED : 0) |
			(ctx->throttled || iv->domain->held ? UCORE_SAMPLE_F_THROTTLED : 0);
	sample->nr_values = ctx->nr_ctr;
	sample_values(sample->values, ctx->ctr, ctx->ctr + ctx->nr_ctr);
}

/* Who ran where at that instant: before the sample, so that a reader has it at hand. */
static void tasks_emit(const struct ucore_interval *iv, struct ucore_domain_ctx *ctx)
{
	struct ucore_tasks *tasks = ctx_reserve(ctx, UCORE_RECORD_TASKS, ucore_tasks_size(ctx),
						 iv->now);

	if (tasks)
		ucore_tasks_fill(ctx, tasks, iv->now);
	if (!tasks || ucore_ring_commit(ctx->ring))
		sink_wake(ctx->sink);
}

/* Write the record of a part that is due.  The domain runs already. */
static void ctx_emit(const struct ucore_interval *iv, struct ucore_domain_ctx *ctx, u64 frozen_ns)
{
	struct ucore_sample *sample;

	ctx->stats.samples++;
	if (!ctx->ring)
		return;
	report_deaths(ctx, iv->now);
	if (ctx->nr_cpus)
		tasks_emit(iv, ctx);
	sample = ctx_reserve(ctx, UCORE_RECORD_SAMPLE,
			      struct_size(sample, values, ctx->nr_ctr), iv->now);
	if (sample) {
		sample_fill(sample, iv, ctx);
		sample->frozen_ns = frozen_ns;
		ctx->stretched = false;
		ctx->gap_sample = false;
		trace_ucore_sample(ctx->sink, sample);
	}
	if (!sample || ucore_ring_commit(ctx->ring))
		sink_wake(ctx->sink);
}

static void ctx_account(struct ucore_domain_ctx *ctx, const struct ucore_interval *iv,
			 u64 unfrozen, u64 end, u32 sharers)
{
	struct ucore_stats *stats = &ctx->stats;

	stats->frozen_ns += unfrozen - iv->held;
	stats->cost_ns += div_u64(end - iv->entered, sharers);
	stats->reads += div_u64(iv->domain->tally.reads - iv->tally.reads, sharers);
	stats->writes += div_u64(iv->domain->tally.writes - iv->tally.writes, sharers);
}

/* Whoever reads a part on a frozen domain looks at its polled periods, too. */
static void ctx_look(const struct ucore_interval *iv, struct ucore_domain_ctx *ctx)
{
	if (!ctx->poll_ns || !ctx->fresh || !ucore_ctx_poll_end(ctx, iv->now))
		return;
	ctx->due = true;
	ctx->trigger = UCORE_TRIGGER_OVERFLOW;
}

/* The last write; a part that was halted meanwhile stays as it is. */
static u64 interval_unfreeze(const struct ucore_interval *iv)
{
	struct ucore_domain_ctx *ctx = iv->ctx;
	u64 now;

	if (!ctx)
		return ucore_domain_unfreeze(iv->domain, false);
	now = ctx->running ? ucore_ctx_unfreeze(ctx) : ktime_get_mono_fast_ns();
	ctx->box_frozen_ns += now - iv->now;
	iv->domain->boxes_unfrozen = now;
	if (ctx->running)
		trace_ucore_unfreeze(iv->domain->id, true, now, now - iv->now);
	return now;
}

/**
 * ucore_interval_end() - finish an interval and let the domain run
 * @iv: the interval
 *
 * Reads the parts that are due, acknowledges (box first, then global: a box
 * bit still set could not signal again), re-arms, unfreezes (the last write),
 * and then writes the records.
 */
void ucore_interval_end(struct ucore_interval *iv)
{
	struct ucore_domain *domain = iv->domain;
	struct ucore_domain_ctx *ctx;
	u64 unfrozen, end, pause;
	u32 sharers = 0;
	bool ours;

	list_for_each_entry(ctx, &domain->ctxs, node) {
		if (ctx->due)
			ucore_parallel_read(ctx, iv->now);
		ctx_look(iv, ctx);
		if (iv->status)
			ctx_acknowledge(ctx);
		sharers += ctx->fresh;
	}
	if (iv->status) {
		ucore_domain_clear_status(domain);
		pause = pause_ns(domain);
		ours = ctxs_rearm(domain, pause || domain->throttled);
		ucore_nmi_service_end(domain);
		throttle(domain, pause, ours);
	}
	unfrozen = interval_unfreeze(iv);

	report_stray(iv);
	list_for_each_entry(ctx, &domain->ctxs, node)
		if (ctx->due)
			ctx_emit(iv, ctx, unfrozen - iv->now);
	end = ktime_get_mono_fast_ns();
	list_for_each_entry(ctx, &domain->ctxs, node) {
		if (ctx->fresh)
			ctx_account(ctx, iv, unfrozen, end, sharers);
		ucore_ctx_forget(ctx);
	}
}
