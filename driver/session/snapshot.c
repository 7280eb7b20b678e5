// SPDX-License-Identifier: GPL-2.0-only
/*
 * READ of a session: a coherent snapshot of all its counters. Part of the session layer. Process
 * context; functions that a rendezvous executes run in hard-irq context with the domain's lock
 * held. User memory is not accessed here.
 */
#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>

#include "box/catalog.h"
#include "sample/parallel_read.h"
#include "sample/readout.h"
#include "sample/time_slices.h"
#include "session/prepare_contexts.h"
#include "session/rendezvous.h"
#include "session/session_state.h"
#include "session/snapshot.h"

/* Return the flag of all values of a domain that does not count now, or did not for some time. */
static u32 gap_flag(const struct ucore_session *session, const struct ucore_domain_ctx *ctx)
{
	if (READ_ONCE(ctx->domain->reader) == UCORE_NO_CPU || (session->running && !ctx->running))
		return UCORE_VALUE_F_OFFLINE;
	return ctx->gap_read ? UCORE_VALUE_F_GAP : 0;
}

static struct ucore_value value_of(u32 event, u32 flags, u64 count)
{
	return (struct ucore_value){
		.event = event, .flags = flags & ~UCORE_VALUE_F_OVERFLOW, .count = count,
	};
}

/*
 * Copy the times of one domain to the snapshot, as of @now. @before is as in ucore_ctx_times().
 * Return the domain's entry of the snapshot. The caller sets its frozen_ns and skew_ns, which
 * are 0 without a freeze.
 */
static struct ucore_read_domain *snapshot_times(struct ucore_session *session,
						const struct ucore_domain_ctx *ctx, u64 now,
						u64 before)
{
	struct ucore_read_domain *rd = &session->domains[ctx->index];

	*rd = (struct ucore_read_domain){
		.domain = ctx->domain->id,
		.cpu = READ_ONCE(ctx->domain->reader),
		.time = now,
	};
	ucore_ctx_times(ctx, now, before, &rd->time_enabled, &rd->time_running);
	return rd;
}

/* Copy the times and the values of one domain to the snapshot, like snapshot_times(). */
static struct ucore_read_domain *snapshot_fill(struct ucore_session *session,
					       struct ucore_domain_ctx *ctx, u64 now, u64 before)
{
	struct ucore_read_domain *rd = snapshot_times(session, ctx, now, before);
	u32 gap = gap_flag(session, ctx);
	const struct ucore_counter *ctr;

	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		session->values[ctr->slot] = value_of(ctr->event, ctr->flags | gap, ctr->total);
		session->ran_ns[ctr->slot] = ucore_slice_ran(ctx, ctr, now, rd->time_running);
	}
	ctx->gap_reported = gap & UCORE_VALUE_F_GAP;
	return rd;
}

static void snapshot_no_freeze(struct ucore_domain_ctx *ctx, const struct ucore_rendezvous_state *m)
{
	struct ucore_domain *domain = ctx->domain;
	u64 now = ktime_get_mono_fast_ns(), reads = domain->tally.reads;

	if (ctx->running)	/* false while the domain is suspended */
		ucore_ctx_read_running(ctx, now);
	ctx->stats.reads += domain->tally.reads - reads;
	snapshot_fill(m->session, ctx, now,
		      ucore_domain_frozen_ns(domain, now) + ctx->box_frozen_ns);
	ctx->gap_read &= !ctx->running;
}

static void snapshot(struct ucore_domain_ctx *ctx, const struct ucore_rendezvous_state *m);

/*
 * Make the snapshot of a domain that was suspended between the call of READ and the
 * rendezvous. The counts were read before the suspend and are still valid.
 */
static void snapshot_suspended(struct ucore_domain_ctx *ctx, const struct ucore_rendezvous_state *m)
{
	if (ctx->next_here)
		snapshot(ctx->next_here, m);
	snapshot_fill(m->session, ctx, ktime_get_mono_fast_ns(), 0);
}

/*
 * Freeze, read and unfreeze a domain. A CPU may read two domains: its die and its own core
 * counters. The recursive call freezes the second domain before the first one is read. The
 * second freeze is short and lies within the first.
 */
static void snapshot(struct ucore_domain_ctx *ctx, const struct ucore_rendezvous_state *m)
{
	u64 before = ctx->stats.frozen_ns, frozen_before;
	struct ucore_read_domain *rd;
	struct ucore_readout ro;

	if (!ctx->running) {
		snapshot_suspended(ctx, m);
		return;
	}
	ucore_readout_begin_ctx(&ro, ctx, ktime_get_mono_fast_ns());
	if (ctx->next_here)
		snapshot(ctx->next_here, m);
	ucore_parallel_read(ctx, ro.now);
	frozen_before = ucore_readout_frozen_before(&ro, ctx);
	ucore_readout_end(&ro);
	rd = snapshot_fill(m->session, ctx, ro.now, frozen_before);
	rd->frozen_ns = ctx->stats.frozen_ns - before;
	rd->skew_ns = ro.skew_ns;
	ctx->gap_read = false;
}

/* Make the snapshot of a domain without a reader. A resume may start its contexts meanwhile. */
static void snapshot_no_reader(struct ucore_session *session, struct ucore_domain_ctx *ctx,
			       u64 now)
{
	struct ucore_domain *domain = ctx->domain;

	raw_spin_lock_irq(&domain->lock);
	snapshot_fill(session, ctx, now, ucore_domain_frozen_ns(domain, now) + ctx->box_frozen_ns);
	raw_spin_unlock_irq(&domain->lock);
}

static void snapshot_running(struct ucore_session *session, bool no_freeze)
{
	struct ucore_rendezvous_state m = {
		.act = no_freeze ? snapshot_no_freeze : snapshot,
		.together = true,
		.nested = !no_freeze,
	};
	u64 first = U64_MAX, last = 0, now;
	struct ucore_domain_ctx *ctx;

	cpus_read_lock();
	ucore_rendezvous(session, &m);
	now = ktime_get_mono_fast_ns();
	ucore_for_each_ctx(ctx, session) {
		if (ctx->meets_on == UCORE_NO_CPU) {
			snapshot_no_reader(session, ctx, now);
		} else {
			first = min(first, session->domains[ctx->index].time);
			last = max(last, session->domains[ctx->index].time +
					 session->domains[ctx->index].skew_ns);
		}
	}
	cpus_read_unlock();
	session->skew_ns = last > first ? last - first : 0;
}

/*
 * Copy the times of a stopped session's domains to the snapshot. The counts are those of the freeze
 * by STOP, and so is the skew.
 */
static void snapshot_stopped_times(struct ucore_session *session)
{
	u64 now = ktime_get_mono_fast_ns(), first = U64_MAX, last = 0;
	struct ucore_domain_ctx *ctx;
	u32 i, n = 0;

	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		ctx = session->ctx[i];
		if (!ctx || !ctx->nr_events)
			continue;
		ctx->index = n++;
		snapshot_times(session, ctx, now, 0)->skew_ns = ctx->stopped_skew_ns;
		ctx->gap_reported = gap_flag(session, ctx) & UCORE_VALUE_F_GAP;
		if (!ctx->stopped)
			continue;
		first = min(first, ctx->stopped);
		last = max(last, ctx->stopped + ctx->stopped_skew_ns);
	}
	session->skew_ns = last > first ? last - first : 0;
}

/*
 * Make a snapshot of a stopped session from its events, which hold the counts of the last STOP.
 * The contexts may be older, because events can be added and removed after STOP.
 */
static void snapshot_stopped(struct ucore_session *session)
{
	const struct ucore_domain_ctx *ctx;
	const struct ucore_event *event;
	u32 slot = 0;

	snapshot_stopped_times(session);
	list_for_each_entry(event, &session->events, node) {
		ctx = session->ctx[event->box->domain->id];
		session->values[slot] = value_of(event->id, ucore_prepare_flags(ctx, event) |
						 gap_flag(session, ctx), event->total);
		session->ran_ns[slot++] = event->group ? event->ran_ns :
					  session->domains[ctx->index].time_running -
					  ctx->paused_ns;
	}
}

/* A READ has reported the gaps of a session's domains: forget those that have ended. */
static void gaps_forget(struct ucore_session *session)
{
	struct ucore_domain_ctx *ctx;
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		ctx = session->ctx[i];
		if (ctx && ctx->gap_reported)
			ctx->gap_read = false;
	}
}

/**
 * ucore_snapshot_take() - make a coherent snapshot of all counters of a session, for READ
 * @session: the session, locked
 * @no_freeze: read the counters while they count
 *
 * The snapshot is in @values, @ran_ns, @domains and @skew_ns of the session until the next
 * call. That of a stopped session costs no register access.
 */
void ucore_snapshot_take(struct ucore_session *session, bool no_freeze)
{
	lockdep_assert_held(&session->lock);

	if (session->running) {
		snapshot_running(session, no_freeze);
	} else {
		snapshot_stopped(session);
		gaps_forget(session);
	}
}

/**
 * ucore_snapshot_undo() - restore gap flags of a snapshot that could not be copied out
 * @session: the session, locked
 *
 * The next READ reports the gaps of this snapshot again.
 */
void ucore_snapshot_undo(struct ucore_session *session)
{
	struct ucore_domain_ctx *ctx;
	u32 i;

	lockdep_assert_held(&session->lock);

	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		ctx = session->ctx[i];
		if (ctx && ctx->gap_reported)
			WRITE_ONCE(ctx->gap_read, true);
	}
}
