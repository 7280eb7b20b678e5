// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recovery: spurious overflows, which are overflows of counters that no session has armed, and
 * boxes that did not respond. Part of the irq layer.
 *
 * A dead box cannot be stopped. When it responds again, its counters still run as programmed,
 * and their overflows freeze the domain. Counters that firmware or other software left armed
 * freeze the domain, too. While no session has armed a counter, no sample reads the global
 * status. The watchdog therefore reads the global status periodically. It also probes dead
 * boxes. A box that responds again is restored, or counted again by the sessions that use it.
 *
 * A box that did not respond at load is absent. The watchdog does not probe it. GET_BOXES and
 * ADD_EVENT do.
 *
 * All functions except those of process context (dead_box_recovery.h) run under the domain's lock,
 * on a CPU of the domain, with interrupts off.
 */
#include <linux/cpu.h>
#include <linux/ktime.h>

#include "box/catalog.h"
#include "box/freeze.h"
#include "cpu/budget.h"
#include "irq/dead_box_recovery.h"
#include "sample/domain_ctx_counters.h"
#include "sample/readout.h"
#include "sample/shared_counter.h"

/* Number of boxes that one scan recovers. Each costs a walk over the boxes of all sessions. */
#define MAX_RECOVERED	8

/* Return a context's data of a box, NULL if the context has no counters of the box. */
static struct ucore_domain_ctx_box *ctx_box(const struct ucore_domain_ctx *ctx,
					    const struct ucore_box *box)
{
	u32 i;

	for (i = 0; i < ctx->nr_box; i++)
		if (ctx->box[i].box == box)
			return &ctx->box[i];
	return NULL;
}

/* Return true if the context counts now, so that its boxes are programmed. */
static bool is_counting(const struct ucore_domain_ctx *ctx)
{
	return ctx->running && !ctx->paused;
}

/*
 * End the use of a box by a context, whose counters have lost their values. Accesses no register.
 * The next READ and the next sample report that the context did not count for some time.
 */
static void detach(struct ucore_domain_ctx *ctx, const struct ucore_box *box)
{
	struct ucore_domain_ctx_box *pb = ctx_box(ctx, box);
	u32 i;

	if (!pb)
		return;
	pb->joined = false;
	pb->reported = false;
	for (i = pb->last; i != U32_MAX; i = ctx->ctr[i].sibling) {
		ucore_shared_detach(&ctx->ctr[i]);
		ctx->ctr[i].flags &= ~UCORE_VALUE_F_DEAD;
	}
	for (i = 0; ctx->turns && i < UCORE_MAX_COUNTERS; i++)
		ctx->turns[(pb - ctx->box) * UCORE_MAX_COUNTERS + i].prev = 0;
	ctx->gap_sample = true;
	ctx->gap_read = true;
}

/*
 * Let a context join a box that responds again. The first context resets the box, whose registers
 * may have any value. Return true if the context counts on the box.
 */
static bool rejoin(struct ucore_domain_ctx *ctx, const struct ucore_box *box)
{
	struct ucore_domain_ctx_box *pb = ctx_box(ctx, box);

	if (!pb || !is_counting(ctx))
		return false;
	ucore_ctx_join_box(pb);
	return true;
}

/* Program the counters with which a context counts now on a box that was reset. */
static void counters_program(struct ucore_domain_ctx *ctx, const struct ucore_box *box)
{
	const struct ucore_domain_ctx_box *pb = ctx_box(ctx, box);
	u32 i;

	for (i = pb && is_counting(ctx) ? pb->last : U32_MAX; i != U32_MAX;
	     i = ctx->ctr[i].sibling)
		if (ucore_ctx_counts(ctx, &ctx->ctr[i]))
			ucore_shared_program(&ctx->ctr[i]);
}

static void counters_start_unfrozen(struct ucore_domain_ctx *ctx, const struct ucore_box *box)
{
	const struct ucore_domain_ctx_box *pb = ctx_box(ctx, box);
	u32 i;

	for (i = pb && is_counting(ctx) ? pb->last : U32_MAX; i != U32_MAX;
	     i = ctx->ctr[i].sibling)
		if (ucore_ctx_counts(ctx, &ctx->ctr[i]))
			ucore_shared_start_unfrozen(&ctx->ctr[i]);
}

/*
 * Count on a box again for all contexts that have counters of the box. Their counts continue from
 * the last values. The domain is frozen. Return false if no context counts on the box.
 */
static bool box_rejoin(struct ucore_box *box)
{
	struct ucore_domain *domain = box->domain;
	struct ucore_domain_ctx *ctx;
	bool any = false;

	box->users = 0;
	list_for_each_entry(ctx, &domain->ctxs, node)
		detach(ctx, box);
	list_for_each_entry(ctx, &domain->ctxs, node)
		any |= rejoin(ctx, box);
	if (!any)
		return false;
	list_for_each_entry(ctx, &domain->ctxs, node)
		counters_program(ctx, box);
	ucore_shared_load_spent(domain);
	ucore_unfreeze_add_box(domain, box);
	list_for_each_entry(ctx, &domain->ctxs, node)
		counters_start_unfrozen(ctx, box);
	return true;
}

/*
 * Probe a dead box. If the box responds again and was programmed, let the started sessions count on
 * it again, or restore its registers if there is none. Return true if the box is alive.
 */
static bool probe(struct ucore_box *box)
{
	struct ucore_domain *domain = box->domain;

	if (!ucore_box_responds(box))
		return false;
	if (box->dirty) {
		ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
		if (!box_rejoin(box))
			ucore_box_restore(box);
		ucore_unfreeze_domain(domain, true);
	}
	return true;
}

static void probe_here(void *arg)
{
	struct ucore_box *box = arg;

	raw_spin_lock(&box->domain->lock);
	if (box->dead)
		probe(box);
	raw_spin_unlock(&box->domain->lock);
}

/**
 * ucore_recovery_box_is_alive() - check whether a box responds, and probe it if it is dead
 * @box: the box
 *
 * Process context, the domain is not locked. Before a probe the function waits until the reader
 * is within its budget.
 *
 * Return: true if the box responds, or responds again.
 */
bool ucore_recovery_box_is_alive(struct ucore_box *box)
{
	if (READ_ONCE(box->dead) && !ucore_budget_await(box->domain)) {
		cpus_read_lock();
		ucore_budget_run(box->domain, probe_here, box);
		cpus_read_unlock();
	}
	return !READ_ONCE(box->dead);
}

/**
 * ucore_recovery_probe_absent() - probe a box that has not responded since ucore was loaded
 * @box: the box
 *
 * Process context, the domain is not locked. Does nothing if the box is not absent, if its last
 * probe was less than UCORE_RECOVERY_PERIOD_NS ago, or if the reader exceeds its budget. Callers at
 * the same time may both probe.
 */
void ucore_recovery_probe_absent(struct ucore_box *box)
{
	u64 now, probed;
	int reader;

	if (!ucore_box_is_absent(box))
		return;
	now = ktime_get_mono_fast_ns();
	probed = READ_ONCE(box->probed);
	reader = READ_ONCE(box->domain->reader);
	if ((probed && now - probed < UCORE_RECOVERY_PERIOD_NS) || reader == UCORE_NO_CPU ||
	    ucore_budget_wait_ns(reader, now))
		return;
	WRITE_ONCE(box->probed, now);
	cpus_read_lock();
	ucore_budget_run(box->domain, probe_here, box);
	cpus_read_unlock();
}

/**
 * ucore_recovery_reset() - probe the dead boxes of a domain, and recover those that respond
 * @domain: the domain
 *
 * Recovers at most MAX_RECOVERED boxes. Does not probe absent boxes, because they may never
 * respond, and no session uses them. Sets domain->spurious if a programmed box is still dead,
 * because its counters may overflow.
 */
void ucore_recovery_reset(struct ucore_domain *domain)
{
	struct ucore_box *box;
	bool stray = false;
	u32 nr = 0;

	ucore_for_each_box(box, domain) {
		if (!box->dead || ucore_box_is_absent(box))
			continue;
		if (nr < MAX_RECOVERED && probe(box))
			nr++;
		else
			stray |= box->dirty;
	}
	domain->spurious = stray && ucore_domain_overflow_freezes(domain);
}

/**
 * ucore_recovery_find_spurious() - handle an overflow that occurred while no counter is armed
 * @domain: the domain, on which contexts run
 * @now: current time (ns)
 *
 * Clears the global status, but not the status register of the box that overflowed. That box
 * cannot set its bit in the global status again while its own status register shows the overflow.
 * Does nothing if the status may show a mere wrap.
 */
void ucore_recovery_find_spurious(struct ucore_domain *domain, u64 now)
{
	struct ucore_readout ro;

	if (domain->armed || domain->freeze_count || !ucore_domain_overflow_freezes(domain) ||
	    domain->global->wraps)
		return;
	if (ucore_domain_status(domain)) {
		domain->spurious = true;
		ucore_readout_begin_overflow(&ro, domain, domain->status_clear, false);
		ucore_readout_end(&ro);
	}
	domain->status_clear = now;
}

/**
 * ucore_recovery_scan() - check a domain for spurious overflows, and probe its dead boxes
 * @domain: the domain, on which contexts run
 * @now: current time (ns)
 *
 * Called by the watchdog. Does nothing if the last scan was less than half of
 * UCORE_RECOVERY_PERIOD_NS ago.
 */
void ucore_recovery_scan(struct ucore_domain *domain, u64 now)
{
	if (now - max(domain->probed, domain->status_clear) < UCORE_RECOVERY_PERIOD_NS / 2)
		return;
	ucore_recovery_find_spurious(domain, now);
	ucore_recovery_reset(domain);
	domain->probed = now;
}
