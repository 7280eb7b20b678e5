// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recovery: spurious overflows, which are overflows of counters that no session has armed, and
 * boxes that did not respond. Part of the irq layer.
 *
 * A dead box cannot be stopped. When it responds again, its counters still run as programmed,
 * and their overflows freeze the domain. Counters that firmware or other software left armed
 * freeze it, too. While no counter is armed, no sample reads the status. The watchdog
 * therefore reads it periodically. It also probes dead boxes and resets those that respond
 * again.
 *
 * All functions except ucore_recovery_box_is_alive() run under the domain's lock, on a CPU of
 * the domain, with interrupts off.
 */
#include <linux/cpu.h>
#include <linux/ktime.h>

#include "box/catalog.h"
#include "box/freeze.h"
#include "cpu/budget.h"
#include "irq/box_recovery.h"
#include "sample/sample.h"

/*
 * Return true if a context of the domain has counters of the box. The context may be waiting
 * for the domain to get a CPU.
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

/*
 * Probe a dead box. Restore it if it responds again and was programmed. A box of a running
 * context remains dead, because its counts are invalid. Return true if the box is alive.
 */
static bool probe(struct ucore_box *box)
{
	struct ucore_domain *domain = box->domain;

	if (!box->dead)
		return true;
	if (in_use(box) || !ucore_box_responds(box))
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
	probe(box);
	raw_spin_unlock(&box->domain->lock);
}

/**
 * ucore_recovery_box_is_alive() - check whether a box is alive
 * @box: the box
 *
 * Process context, the domain is not locked. A dead box is probed, which waits until the
 * reader is within its budget.
 *
 * Return: true if the box is alive, or alive again.
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
 * ucore_recovery_reset() - probe all dead boxes of a domain
 * @domain: the domain
 */
void ucore_recovery_reset(struct ucore_domain *domain)
{
	bool stray = false;
	u32 i;

	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		if (ucore_catalog.boxes[i].domain == domain &&
		    !probe(&ucore_catalog.boxes[i]))
			stray |= ucore_catalog.boxes[i].dirty;
	domain->spurious = stray;
}

/**
 * ucore_recovery_find_spurious() - handle an overflow that occurred while no counter is armed
 * @domain: the domain, on which contexts run
 * @now: the time
 *
 * Only the bit in the global status is cleared. The box cannot signal again while its own
 * status bit is set.
 */
void ucore_recovery_find_spurious(struct ucore_domain *domain, u64 now)
{
	struct ucore_interval iv;

	if (domain->armed || domain->freeze_count || !ucore_domain_overflow_freezes(domain))
		return;
	if (ucore_domain_status(domain)) {
		domain->spurious = true;
		ucore_interval_begin_overflow(&iv, domain, domain->status_clear, false);
		ucore_interval_end(&iv);
	}
	domain->status_clear = now;
}

/**
 * ucore_recovery_scan() - check for spurious overflows and probe dead boxes, once a period
 * @domain: the domain, on which contexts run
 * @now: the time
 *
 * Called by the watchdog.
 */
void ucore_recovery_scan(struct ucore_domain *domain, u64 now)
{
	if (now - max(domain->probed, domain->status_clear) < UCORE_RECOVERY_PERIOD_NS / 2)
		return;
	ucore_recovery_find_spurious(domain, now);
	ucore_recovery_reset(domain);
	domain->probed = now;
}
