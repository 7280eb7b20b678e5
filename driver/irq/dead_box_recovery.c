// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recovery: spurious overflows, which are overflows of counters that no session has armed, and
 * boxes that did not respond. Part of the irq layer.
 *
 * A dead box cannot be stopped. When it responds again, its counters still run as programmed,
 * and their overflows freeze the domain. Counters that firmware or other software left armed
 * freeze the domain, too. While no session has armed a counter, no sample reads the global
 * status. The watchdog therefore reads the global status periodically. It also probes dead
 * boxes and restores those that respond again.
 *
 * All functions except ucore_recovery_box_is_alive() run under the domain's lock, on a CPU of
 * the domain, with interrupts off.
 */
#include <linux/cpu.h>
#include <linux/ktime.h>

#include "box/catalog.h"
#include "box/freeze.h"
#include "cpu/budget.h"
#include "irq/dead_box_recovery.h"
#include "sample/readout.h"

/*
 * Return true if a started session has counters of the box, even if the domain has no CPU
 * online.
 */
static bool in_use(const struct ucore_box *box)
{
	const struct ucore_domain_ctx *ctx;
	u32 i;

	list_for_each_entry(ctx, &box->domain->ctxs, node)
		for (i = 0; i < ctx->nr_box; i++)
			if (ctx->box[i].box == box)
				return true;
	return false;
}

/* Set ucore_box.in_use of all boxes of the domain, at the cost of one in_use(). */
static void boxes_mark_in_use(struct ucore_domain *domain)
{
	const struct ucore_domain_ctx *ctx;
	struct ucore_box *box;
	u32 i;

	ucore_for_each_box(box, domain)
		box->in_use = false;
	list_for_each_entry(ctx, &domain->ctxs, node)
		for (i = 0; i < ctx->nr_box; i++)
			ctx->box[i].box->in_use = true;
}

/*
 * Probe a dead box. If the box responds again and was programmed, restore its registers. A box of a
 * started session (@used) remains dead, because its counts are invalid. Return true if the box is
 * alive.
 */
static bool probe(struct ucore_box *box, bool used)
{
	struct ucore_domain *domain = box->domain;

	if (used || !ucore_box_responds(box))
		return false;
	if (box->dirty) {
		ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
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
		probe(box, in_use(box));
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
 * ucore_recovery_reset() - probe all dead boxes of a domain, and restore those that respond
 * @domain: the domain
 *
 * Sets domain->spurious if a programmed box is still dead, because its counters may overflow.
 */
void ucore_recovery_reset(struct ucore_domain *domain)
{
	bool stray = false, marked = false;
	struct ucore_box *box;

	ucore_for_each_box(box, domain) {
		if (!box->dead)
			continue;
		if (!marked)
			boxes_mark_in_use(domain);
		marked = true;
		if (!probe(box, box->in_use))
			stray |= box->dirty;
	}
	domain->spurious = stray;
}

/**
 * ucore_recovery_find_spurious() - handle an overflow that occurred while no counter is armed
 * @domain: the domain, on which contexts run
 * @now: current time (ns)
 *
 * Clears the global status, but not the status register of the box that overflowed. That box
 * cannot set its bit in the global status again while its own status register shows the overflow.
 */
void ucore_recovery_find_spurious(struct ucore_domain *domain, u64 now)
{
	struct ucore_readout ro;

	if (domain->armed || domain->freeze_count || !ucore_domain_overflow_freezes(domain))
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
