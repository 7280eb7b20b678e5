// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples: who overflowed, read, re-arm, thaw, record.
 *
 * The order within an interval's end is the manual's (329468-002 2.1.3, 2.1.4)
 * and the frozen window's: registers first, records when the domain runs again.
 * Counters that did not overflow are not reset between samples: their exact
 * 64-bit count goes on, and a reset would be one more write for each box.
 *
 * Accesses of a timer sample: one freeze, each counter once, one thaw; a
 * sample by overflow adds the walk: global status, the status of armed boxes
 * under the bits set, their clearing, and the preloads.  Without global control
 * freeze and thaw are one write for each box; a polled period adds the looks.
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

static unsigned int max_rate = 50000;
module_param(max_rate, uint, 0644);
MODULE_PARM_DESC(max_rate, "overflows per second and domain before it is throttled");

#define THROTTLE_WINDOW_NS	(10 * NSEC_PER_MSEC)

/*
 * ---- begin ----
 */

/* Without its global bit a carry is told by the box, or by the count alone. */
static bool overflowed(const struct ucore_interval *iv, const struct ucore_counter *ctr,
		       u64 status)
{
	return ucore_box_counter_overflowed(ctr, status, iv->silent ? 0 : iv->status) ||
	       (iv->silent && ctr->wrapped);
}

/* Ask the boxes of a part that may have signalled, each once whoever has counters there. */
static void part_ask(const struct ucore_interval *iv, const struct ucore_part *part)
{
	const struct ucore_part_box *pb;
	struct ucore_box *box;

	for (pb = part->box; pb < part->box + part->nr_box; pb++) {
		box = pb->box;
		if (!(pb->armed_mask & iv->walk) || box->asked)
			continue;
		box->status = ucore_box_status(box);
		box->asked = true;
	}
}

/* Mark a part whose armed counters overflowed. */
static void part_walk(struct ucore_interval *iv, struct ucore_part *part)
{
	const struct ucore_box *box;
	struct ucore_part_box *pb;
	struct ucore_counter *ctr;
	u32 i, j;

	for (i = 0; i < part->nr_box; i++) {
		pb = &part->box[i];
		box = pb->box;
		if (!pb->armed_mask || !box->asked)
			continue;
		for (j = pb->last; j != U32_MAX; j = ctr->sibling) {
			ctr = &part->ctr[j];
			if (!ctr->period || box->dead || !overflowed(iv, ctr, box->status))
				continue;
			ctr->flags |= UCORE_VALUE_OVERFLOW;
			part->overflowed = true;
			part->stats.overflows++;
			part->stats.recovered += iv->recovered;
			part->due = true;
			part->recovered = iv->recovered;
			part->trigger = UCORE_TRIGGER_OVERFLOW;
			part->trigger_event = min(part->trigger_event, ctr->event);
		}
	}
}

/* Overflows are serviced: of which boxes, and what was interrupted? */
static void service_open(struct ucore_interval *iv, u64 walk)
{
	const struct ucore_context *context;
	struct ucore_domain *domain = iv->domain;
	struct ucore_part *part;

	iv->walk = walk;
	ucore_nmi_service_begin(domain);
	context = ucore_nmi_context(domain);
	if (context) {
		ucore_interval_set_context(iv, context);
		domain->pmis++;
	}
	if (iv->recovered)
		domain->recovered++;
	list_for_each_entry(part, &domain->parts, node)
		if (part->armed_mask & iv->walk)
			part_ask(iv, part);
	list_for_each_entry(part, &domain->parts, node)
		if (part->armed_mask)
			part_walk(iv, part);
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
void ucore_interval_set_context(struct ucore_interval *iv, const struct ucore_context *context)
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
 * An overflow that is waiting is serviced along the way: thawing the domain
 * without would let counters run whose sample is still to be taken.
 */
void ucore_interval_begin(struct ucore_interval *iv, struct ucore_domain *domain, u64 now)
{
	lockdep_assert_held(&domain->lock);

	*iv = (struct ucore_interval){ .domain = domain, .entered = now, .held = now,
				       .tally = domain->tally };
	ucore_domain_hold(domain, now);
	iv->now = domain->frozen_since;	/* frozen before: that is the instant */
	interval_open(iv);
}

/**
 * ucore_interval_begin_part() - freeze what a part wants frozen
 * @iv: the interval
 * @part: the part; with @box_freeze its own boxes are enough
 * @now: time
 *
 * Then overflows that wait are left to their interrupt: a thaw of single boxes
 * does not thaw what they froze.
 */
void ucore_interval_begin_part(struct ucore_interval *iv, struct ucore_part *part, u64 now)
{
	struct ucore_domain *domain = part->domain;

	if (!part->box_freeze || domain->frozen) {
		ucore_interval_begin(iv, domain, now);
		return;
	}
	*iv = (struct ucore_interval){ .domain = domain, .part = part, .now = now,
				       .entered = now, .held = now, .tally = domain->tally };
	iv->frozen_before = ucore_domain_frozen_ns(domain, now) + part->box_frozen_ns;
	iv->skew_ns = ucore_part_freeze(part);
	trace_ucore_freeze(domain->id, UCORE_FROZEN_BOXES, now, iv->skew_ns);
}

/**
 * ucore_interval_widen() - freeze the domain, too, if an overflow of the part waits
 * @iv: the interval
 *
 * For a part with @box_freeze that is about to be halted: once it is not armed any
 * more nobody services its overflow, and the domain would stay as the overflow left it.
 */
void ucore_interval_widen(struct ucore_interval *iv)
{
	struct ucore_domain *domain = iv->domain;

	if (!iv->part || !iv->part->armed_mask || !ucore_domain_status(domain))
		return;
	iv->part = NULL;
	ucore_domain_hold_overflow(domain, iv->now);
	interval_open(iv);
}

/**
 * ucore_interval_frozen_before() - how long a part had been frozen before the instant
 * @iv: the interval
 * @part: a part of its domain
 *
 * Return: ns, for ucore_part_times().
 */
u64 ucore_interval_frozen_before(const struct ucore_interval *iv, const struct ucore_part *part)
{
	/* with @iv->part it was taken at the beginning, and may have grown since */
	return iv->frozen_before + (iv->part ? 0 : part->box_frozen_ns);
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
void ucore_interval_reset(const struct ucore_interval *iv, struct ucore_part *part)
{
	ucore_part_reset(part, present(iv));
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

	/* it may have come before the clock was read for the last thaw */
	*iv = (struct ucore_interval){ .domain = domain,
				       .now = max(now, ucore_domain_counted_at(domain)),
				       .recovered = recovered, .tally = domain->tally };
	iv->held = iv->now;
	iv->entered = recovered ? ktime_get_mono_fast_ns() : iv->now;
	/* it ran again after it was frozen last; when the clock was read for that is later still */
	if (recovered)
		iv->late_ns = iv->now - min(iv->now, max(domain->pmi.clear, domain->frozen_since));
	ucore_domain_hold_overflow(domain, iv->now);
	interval_open(iv);
}

/**
 * ucore_interval_begin_silent() - counters of the domain carried, and nothing froze it
 * @iv: the interval
 * @domain: the domain, whose global status is clear
 * @now: time
 *
 * A box whose own status was never cleared cannot signal.  It is asked, cleared and armed
 * again.
 */
void ucore_interval_begin_silent(struct ucore_interval *iv, struct ucore_domain *domain, u64 now)
{
	struct ucore_part *part;

	lockdep_assert_held(&domain->lock);

	*iv = (struct ucore_interval){ .domain = domain, .entered = now, .held = now,
				       .recovered = true, .tally = domain->tally };
	ucore_domain_hold(domain, now);
	iv->now = domain->frozen_since;
	interval_open(iv);
	if (iv->status)
		return;		/* its bit came after all */
	iv->silent = true;
	list_for_each_entry(part, &domain->parts, node)
		iv->status |= ucore_part_silent(part);
	service_open(iv, iv->status);
}

/**
 * ucore_part_timer_due() - its timer ends the interval, unless an overflow did
 * @iv: the interval
 * @part: the part
 */
void ucore_part_timer_due(struct ucore_interval *iv, struct ucore_part *part)
{
	if (part->due)
		return;
	part->due = true;
	part->trigger = UCORE_TRIGGER_TIMER;
}

/**
 * ucore_part_core_due() - an event of a core ends the interval, unless an overflow did
 * @iv: the interval
 * @part: the part
 * @context: what that event interrupted; valid until the interval's end
 *
 * Samples of others that end here, too, have the context of what they are due to.
 */
void ucore_part_core_due(struct ucore_interval *iv, struct ucore_part *part,
			 const struct ucore_context *context)
{
	if (part->due)
		return;
	part->due = true;
	part->trigger = UCORE_TRIGGER_CORE;
	part->by = context;
}

/*
 * ---- end ----
 */

static void part_acknowledge(const struct ucore_part *part)
{
	const struct ucore_part_box *pb;

	for (pb = part->box; pb < part->box + part->nr_box; pb++) {
		if (!pb->box->asked)
			continue;	/* nothing is there, or another part has done it */
		ucore_box_clear_status(pb->box, pb->box->status);
		pb->box->asked = false;
	}
}

/* Polled ones, whose period may have ended here, too, go on. */
static void part_rearm(struct ucore_part *part, bool rest)
{
	struct ucore_counter *ctr;

	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++) {
		if (!ctr->period || !(ctr->flags & UCORE_VALUE_OVERFLOW) || ctr->box->dead)
			continue;
		if (rest)
			ucore_counter_rest(ctr);
		else
			ucore_counter_arm(ctr);
		part->resting |= rest;
		part->throttled |= rest;
	}
}

/* Return: true if there was an overflow of ours. */
static bool parts_rearm(struct ucore_domain *domain, bool rest)
{
	struct ucore_part *part;
	bool ours = false;

	list_for_each_entry(part, &domain->parts, node) {
		ours |= part->overflowed;
		if (part->running)
			part_rearm(part, rest);
	}
	return ours;
}

/*
 * Overflows in a window.  One that interrupts all CPUs of the die counts for each of them:
 * it is charged where it is serviced alone.
 */
static u64 count_limit(const struct ucore_domain *domain)
{
	u64 limit = (u64)READ_ONCE(max_rate) * THROTTLE_WINDOW_NS / NSEC_PER_SEC;

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
		ucore_domain_guard_soon(domain, pause);
	}
	if (!ours && !domain->held) {
		domain->held = true;
		domain->holds++;	/* the guard's: it thaws the domain */
	}
}

static void sink_wake(struct ucore_sink *sink)
{
	if (wq_has_sleeper(&sink->wait))
		irq_work_queue(&sink->wake);
}

/* Room for a record in the part's ring; NULL: it counts as lost. */
static void *part_reserve(const struct ucore_part *part, u32 type, u32 size, u64 now)
{
	struct ucore_ring *ring = part->ring;
	void *record = ucore_ring_reserve(ring, type, size, now);

	if (!record)
		trace_ucore_lost(part->sink, part->domain->id, ring->seq - 1, ring->lost);
	return record;
}

/**
 * ucore_part_gap() - record that the series was interrupted
 * @part: the part
 * @now: time
 * @reason: UCORE_GAP_*
 * @from: CPU that was the reader
 * @to: CPU that is
 * @box: box id
 */
void ucore_part_gap(struct ucore_part *part, u64 now, u32 reason, int from, int to, u32 box)
{
	struct ucore_gap *gap;

	if (!part->ring)
		return;
	gap = part_reserve(part, UCORE_RECORD_GAP, sizeof(*gap), now);
	if (gap) {
		gap->time = now;
		gap->domain = part->domain->id;
		gap->reason = reason;
		gap->cpu_from = from;
		gap->cpu_to = to;
		gap->box = box;
		gap->reserved = 0;
	}
	if (!gap || ucore_ring_commit(part->ring))
		sink_wake(part->sink);
}

/**
 * ucore_part_drop() - periods of its timer or of core events had no sample: they are lost
 * @part: the part
 * @n: how many
 */
void ucore_part_drop(struct ucore_part *part, u64 n)
{
	if (!n)
		return;
	part->stats.samples += n;
	part->stats.dropped += n;
	if (!part->ring)
		return;
	ucore_ring_skip(part->ring, n);
	trace_ucore_lost(part->sink, part->domain->id, part->ring->seq - 1, part->ring->lost);
}

/* A part has been read: periods of its counters that ended while they rested are lost. */
static void rest_ends(struct ucore_part *part, bool rouse)
{
	struct ucore_counter *ctr;

	if (!part->resting)
		return;
	part->resting = false;
	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++) {
		if (!ctr->resting)
			continue;
		ucore_part_drop(part, ucore_counter_missed(ctr));
		if (rouse && !ctr->box->dead)
			ucore_counter_rouse(ctr);
		ctr->resting = false;
	}
}

/**
 * ucore_interval_rouse() - the pause is over: counters that rest shall interrupt again
 * @domain: the domain, locked
 */
void ucore_interval_rouse(struct ucore_domain *domain)
{
	struct ucore_interval iv;
	struct ucore_part *part;
	bool any = false;

	list_for_each_entry(part, &domain->parts, node)
		any |= part->resting;
	if (!any)
		return;
	ucore_interval_begin(&iv, domain, ktime_get_mono_fast_ns());
	list_for_each_entry(part, &domain->parts, node) {
		if (!part->resting)
			continue;
		ucore_crew_read(part, iv.now);
		rest_ends(part, true);
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
void ucore_interval_halt(const struct ucore_interval *iv, struct ucore_part *part)
{
	u64 end = present(iv);

	ucore_part_halt(part, iv->now, end,
			ucore_interval_frozen_before(iv, part) + (end - iv->now));
	rest_ends(part, false);
}

/* Sessions without an overflow trigger were frozen all the same, for a time that nobody knows. */
static void report_stray(const struct ucore_interval *iv)
{
	int reader = iv->domain->reader;
	struct ucore_part *part;

	if (!iv->stray)
		return;
	list_for_each_entry(part, &iv->domain->parts, node) {
		part->gap_sample = true;
		part->gap_read = true;
		ucore_part_gap(part, iv->now, UCORE_GAP_FROZEN, reader, reader, ~0U);
	}
}

static void report_deaths(struct ucore_part *part, u64 now)
{
	struct ucore_part_box *pb;

	for (pb = part->box; pb < part->box + part->nr_box; pb++) {
		if (!pb->box->dead || pb->reported)
			continue;
		pb->reported = true;
		ucore_part_gap(part, now, UCORE_GAP_BOX_DEAD, part->domain->reader,
			       part->domain->reader, pb->box->id);
	}
}

/* What the sample is due to came so long before it. */
static u64 late_ns(const struct ucore_interval *iv, const struct ucore_part *part)
{
	if (part->by)
		return iv->now - min(iv->now, part->by->time);
	if (part->polled)
		return part->late_ns;
	return part->recovered ? iv->late_ns : 0;
}

/* A counter's value goes as it is: of a record, most of the work is here. */
static void sample_values(struct ucore_value *value, const struct ucore_counter *ctr,
			  const struct ucore_counter *end)
{
	for (; ctr < end; ctr++)
		*value++ = ctr->value;
}

static void sample_fill(struct ucore_sample *sample, const struct ucore_interval *iv,
			const struct ucore_part *part)
{
	const struct ucore_context *context = part->by ?: iv->has_context ? &iv->context : NULL;
	bool visible = context && part->sink->context;

	sample->time = iv->now;
	ucore_part_times(part, iv->now, ucore_interval_frozen_before(iv, part),
			 &sample->time_enabled, &sample->time_running);
	sample->skew_ns = iv->skew_ns;
	sample->late_ns = late_ns(iv, part);
	sample->ip = visible ? context->ip : 0;
	sample->pid = visible ? context->pid : 0;
	sample->tid = visible ? context->tid : 0;
	sample->cpu = context ? context->cpu : raw_smp_processor_id();
	sample->domain = iv->domain->id;
	sample->trigger = part->trigger;
	sample->trigger_event = part->trigger_event;
	sample->flags = (visible ? UCORE_SAMPLE_CONTEXT : 0) |
			(visible && context->user ? UCORE_SAMPLE_USER : 0) |
			(part->recovered ? UCORE_SAMPLE_RECOVERED : 0) |
			(part->polled ? UCORE_SAMPLE_POLLED : 0) |
			(part->gap_sample ? UCORE_SAMPLE_GAP : 0) |
			(part->stretched ? UCORE_SAMPLE_STRETCHED : 0) |
			(part->throttled || iv->domain->held ? UCORE_SAMPLE_THROTTLED : 0);
	sample->nr_values = part->nr_ctr;
	sample_values(sample->values, part->ctr, part->ctr + part->nr_ctr);
}

/* Who ran where at that instant: before the sample, so that a reader has it at hand. */
static void tasks_emit(const struct ucore_interval *iv, struct ucore_part *part)
{
	struct ucore_tasks *tasks = part_reserve(part, UCORE_RECORD_TASKS, ucore_who_size(part),
						 iv->now);

	if (tasks)
		ucore_who_fill(part, tasks, iv->now);
	if (!tasks || ucore_ring_commit(part->ring))
		sink_wake(part->sink);
}

/* Write the record of a part that is due.  The domain runs already. */
static void part_emit(const struct ucore_interval *iv, struct ucore_part *part, u64 frozen_ns)
{
	struct ucore_sample *sample;

	part->stats.samples++;
	if (!part->ring)
		return;
	report_deaths(part, iv->now);
	if (part->nr_cpus)
		tasks_emit(iv, part);
	sample = part_reserve(part, UCORE_RECORD_SAMPLE,
			      struct_size(sample, values, part->nr_ctr), iv->now);
	if (sample) {
		sample_fill(sample, iv, part);
		sample->frozen_ns = frozen_ns;
		part->stretched = false;
		part->gap_sample = false;
		trace_ucore_sample(part->sink, sample);
	}
	if (!sample || ucore_ring_commit(part->ring))
		sink_wake(part->sink);
}

static void part_account(struct ucore_part *part, const struct ucore_interval *iv,
			 u64 thawed, u64 end, u32 sharers)
{
	struct ucore_stats *stats = &part->stats;

	stats->frozen_ns += thawed - iv->held;
	stats->cost_ns += div_u64(end - iv->entered, sharers);
	stats->reads += div_u64(iv->domain->tally.reads - iv->tally.reads, sharers);
	stats->writes += div_u64(iv->domain->tally.writes - iv->tally.writes, sharers);
}

/* Whoever reads a part on a frozen domain looks at its polled periods, too. */
static void part_look(const struct ucore_interval *iv, struct ucore_part *part)
{
	if (!part->poll_ns || !part->fresh || !ucore_part_poll_end(part, iv->now))
		return;
	part->due = true;
	part->trigger = UCORE_TRIGGER_OVERFLOW;
}

/* The last write; a part that was halted meanwhile stays as it is. */
static u64 interval_thaw(const struct ucore_interval *iv)
{
	struct ucore_part *part = iv->part;
	u64 now;

	if (!part)
		return ucore_domain_thaw(iv->domain, false);
	now = part->running ? ucore_part_thaw(part) : ktime_get_mono_fast_ns();
	part->box_frozen_ns += now - iv->now;
	iv->domain->boxes_thawed = now;
	if (part->running)
		trace_ucore_thaw(iv->domain->id, true, now, now - iv->now);
	return now;
}

/**
 * ucore_interval_end() - finish an interval and let the domain run
 * @iv: the interval
 *
 * Reads the parts that are due, acknowledges (box first, then global: a box
 * bit still set could not signal again), re-arms, thaws (the last write),
 * and then writes the records.
 */
void ucore_interval_end(struct ucore_interval *iv)
{
	struct ucore_domain *domain = iv->domain;
	struct ucore_part *part;
	u64 thawed, end, pause;
	u32 sharers = 0;
	bool ours;

	list_for_each_entry(part, &domain->parts, node) {
		if (part->due)
			ucore_crew_read(part, iv->now);
		part_look(iv, part);
		if (iv->status)
			part_acknowledge(part);
		sharers += part->fresh;
	}
	if (iv->status) {
		ucore_domain_clear_status(domain);
		pause = pause_ns(domain);
		ours = parts_rearm(domain, pause || domain->throttled);
		ucore_nmi_service_end(domain);
		throttle(domain, pause, ours);
	}
	thawed = interval_thaw(iv);

	report_stray(iv);
	list_for_each_entry(part, &domain->parts, node)
		if (part->due)
			part_emit(iv, part, thawed - iv->now);
	end = ktime_get_mono_fast_ns();
	list_for_each_entry(part, &domain->parts, node) {
		if (part->fresh)
			part_account(part, iv, thawed, end, sharers);
		ucore_part_forget(part);
	}
}
