// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the records of a readout: samples, tasks and gaps. Part of the sample layer.
 *
 * All functions run with the domain's lock held, on a CPU of the domain, with interrupts off.
 * Samples are written after the unfreeze, so that the domain is frozen for a short time.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/smp.h>

#include "sample/domain_ctx_counters.h"
#include "sample/emit.h"
#include "sample/readout_state.h"
#include "sample/running_tasks.h"
#include "ucore_trace.h"

static void sink_wake(struct ucore_sink *sink)
{
	if (wq_has_sleeper(&sink->wait))
		irq_work_queue(&sink->wake);
}

/*
 * Reserve a record in the context's ring. Return NULL if the ring is full; the record then
 * counts as lost.
 */
static void *ctx_reserve(const struct ucore_domain_ctx *ctx, u32 type, u32 size, u64 now)
{
	struct ucore_ring *ring = ctx->ring;
	void *record = ucore_ring_reserve(ring, type, size, now);

	if (!record)
		trace_ucore_lost(ctx->sink, ctx->domain->id, ring->seq - 1, ring->lost);
	return record;
}

/**
 * ucore_emit_gap() - write a gap record
 * @ctx: domain context
 * @now: time stamp of the gap record (ns)
 * @reason: UCORE_GAP_*
 * @from: previous reader CPU, or UCORE_NO_CPU
 * @to: new reader CPU, or UCORE_NO_CPU
 * @box: box id, ~0 (UCORE_NO_BOX) if the gap concerns the whole domain
 */
void ucore_emit_gap(struct ucore_domain_ctx *ctx, u64 now, u32 reason, int from, int to, u32 box)
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
 * ucore_emit_drop() - count periods of a trigger that ended without a sample
 * @ctx: domain context
 * @n: number of periods
 */
void ucore_emit_drop(struct ucore_domain_ctx *ctx, u64 n)
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

/**
 * ucore_emit_spurious() - report a spurious overflow to all sessions of the domain
 * @ro: readout; nothing happens if it has no spurious overflow
 *
 * A counter that no session armed has frozen the domain for an unknown time.
 */
void ucore_emit_spurious(const struct ucore_readout *ro)
{
	int reader = ro->domain->reader;
	struct ucore_domain_ctx *ctx;

	if (!ro->spurious)
		return;
	list_for_each_entry(ctx, &ro->domain->ctxs, node) {
		ctx->gap_sample = true;
		ctx->gap_read = true;
		ucore_emit_gap(ctx, ro->now, UCORE_GAP_FROZEN, reader, reader, ~0U);
	}
}

/* Write a gap record for each dead box of the context that no record has reported yet. */
static void emit_dead_boxes(struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_domain_ctx_box *pb;

	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		if (!pb->box->dead || pb->reported)
			continue;
		pb->reported = true;
		ucore_emit_gap(ctx, now, UCORE_GAP_BOX_DEAD, ctx->domain->reader,
			       ctx->domain->reader, pb->box->id);
	}
}

/* Return true if an overflow that sent no PMI froze the domain, and caused the sample. */
static bool overflow_was_silent(const struct ucore_readout *ro, const struct ucore_domain_ctx *ctx)
{
	return ro->no_pmi && ctx->overflowed && !ctx->polled;
}

/* Return ucore_sample.late_ns: upper bound of the time from the trigger to the sample (ns). */
static u64 late_ns(const struct ucore_readout *ro, const struct ucore_domain_ctx *ctx)
{
	if (ctx->core_context)
		return ro->now - min(ro->now, ctx->core_context->time);
	if (ctx->polled)
		return ctx->late_ns;
	return ctx->recovered || overflow_was_silent(ro, ctx) ? ro->late_ns : 0;
}

/*
 * Copy the values of all counters to a sample. struct ucore_counter contains a value in the
 * layout of the uapi, because this loop takes most of the time that a record needs.
 */
static void sample_values(struct ucore_value *value, const struct ucore_counter *ctr,
			  const struct ucore_counter *end)
{
	for (; ctr < end; ctr++)
		*value++ = ctr->value;
}

static void sample_fill(struct ucore_sample *sample, const struct ucore_readout *ro,
			const struct ucore_domain_ctx *ctx)
{
	bool silent = overflow_was_silent(ro, ctx);
	/* what the CPU executes when a silent overflow is found has no relation to the overflow */
	const struct ucore_pmi_regs *own = ro->has_context && !silent ? &ro->context : NULL;
	const struct ucore_pmi_regs *context = ctx->core_context ?: own;
	bool visible = context && ctx->sink->context;

	sample->time = ro->now;
	ucore_ctx_times(ctx, ro->now, ucore_readout_frozen_before(ro, ctx),
			&sample->time_enabled, &sample->time_running);
	sample->skew_ns = ro->skew_ns;
	sample->late_ns = late_ns(ro, ctx);
	sample->ip = visible ? context->ip : 0;
	sample->pid = visible ? context->pid : 0;
	sample->tid = visible ? context->tid : 0;
	sample->cpu = context ? context->cpu : raw_smp_processor_id();
	sample->domain = ro->domain->id;
	sample->trigger = ctx->trigger;
	sample->trigger_event = ctx->trigger_event;
	sample->flags = (visible ? UCORE_SAMPLE_F_CONTEXT : 0) |
			(visible && context->user ? UCORE_SAMPLE_F_USER : 0) |
			(ctx->recovered ? UCORE_SAMPLE_F_RECOVERED : 0) |
			(ctx->polled || silent ? UCORE_SAMPLE_F_POLLED : 0) |
			(silent && !ro->domain->ran_on ? UCORE_SAMPLE_F_FROZEN : 0) |
			(ctx->gap_sample ? UCORE_SAMPLE_F_GAP : 0) |
			(ctx->delayed ? UCORE_SAMPLE_F_DELAYED : 0) |
			(ctx->throttled || ro->domain->kept_frozen ? UCORE_SAMPLE_F_THROTTLED : 0);
	sample->nr_values = ctx->nr_ctr;
	sample_values(sample->values, ctx->ctr, ctx->ctr + ctx->nr_ctr);
}

/* Write the TASKS record that precedes a sample: the tasks that ran on the domain's CPUs. */
static void emit_tasks(const struct ucore_readout *ro, struct ucore_domain_ctx *ctx)
{
	struct ucore_tasks *tasks = ctx_reserve(ctx, UCORE_RECORD_TASKS, ucore_tasks_size(ctx),
						 ro->now);

	if (tasks)
		ucore_tasks_fill(ctx, tasks, ro->now);
	if (!tasks || ucore_ring_commit(ctx->ring))
		sink_wake(ctx->sink);
}

/**
 * ucore_emit_sample() - write a context's due sample, and the records that precede it
 * @ro: readout
 * @ctx: domain context; its domain has already been unfrozen
 * @frozen_ns: frozen time of the readout (ns)
 */
void ucore_emit_sample(const struct ucore_readout *ro, struct ucore_domain_ctx *ctx, u64 frozen_ns)
{
	struct ucore_sample *sample;

	ctx->stats.samples++;
	if (!ctx->ring)
		return;
	emit_dead_boxes(ctx, ro->now);
	if (ctx->nr_cpus)
		emit_tasks(ro, ctx);
	sample = ctx_reserve(ctx, UCORE_RECORD_SAMPLE,
			     struct_size(sample, values, ctx->nr_ctr), ro->now);
	if (sample) {
		sample_fill(sample, ro, ctx);
		sample->frozen_ns = frozen_ns;
		ctx->delayed = false;
		ctx->gap_sample = false;
		trace_ucore_sample(ctx->sink, sample);
	}
	if (!sample || ucore_ring_commit(ctx->ring))
		sink_wake(ctx->sink);
}
