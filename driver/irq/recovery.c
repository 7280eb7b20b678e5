// SPDX-License-Identifier: GPL-2.0-only
/*
 * Strays: what is armed although no session has armed it.
 *
 * A box that died could not be stopped.  When it comes back it counts on as it was
 * programmed, and its overflow freezes the domain, and so does what firmware or
 * another tool left armed.  With nothing armed no sample asks for the status, so
 * the guard does, now and then; and what died is asked now and then whether it answers
 * again, and is reset then.
 *
 * But for ucore_recovery_box_is_alive() all of it runs under the domain's lock, on a CPU of the
 * domain, interrupts off.
 */
#include <linux/cpu.h>
#include <linux/ktime.h>

#include "box/catalog.h"
#include "cpu/budget.h"
#include "sample/sample.h"
#include "irq/recovery.h"

/* Has a part that runs, or will go on when the domain has a CPU, counters of the box? */
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
 * Does a dead box answer again?  Then reset it, if that is due.  One of a running part
 * stays dead: its counts are broken.  Returns whether it is alive.
 */
static bool probe(struct ucore_box *box)
{
	struct ucore_domain *domain = box->domain;

	if (!box->dead)
		return true;
	if (in_use(box) || !ucore_box_responds(box))
		return false;
	if (box->dirty) {
		ucore_domain_freeze(domain, ktime_get_mono_fast_ns());
		ucore_box_restore(box);
		ucore_domain_unfreeze(domain, true);
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
 * ucore_recovery_box_is_alive() - is a box alive, perhaps again?
 * @box: the box
 *
 * Process context, the domain not locked.  A box that is not dead is not asked; to be asked
 * it waits for the reader's time.
 *
 * Return: true if it is.
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
	domain->stray = stray;
}

/**
 * ucore_recovery_find_spurious() - has something overflowed although nothing is armed?
 * @domain: the domain, on which parts run
 * @now: time
 *
 * Its bit is acknowledged in the global status only: as long as the box has its own it
 * cannot signal again.
 */
void ucore_recovery_find_spurious(struct ucore_domain *domain, u64 now)
{
	struct ucore_interval iv;

	if (domain->armed || domain->holds || !ucore_domain_overflow_freezes(domain))
		return;
	if (ucore_domain_status(domain)) {
		domain->stray = true;
		ucore_interval_begin_overflow(&iv, domain, domain->looked, false);
		ucore_interval_end(&iv);
	}
	domain->looked = now;
}

/**
 * ucore_recovery_scan() - both, now and then; the guard's
 * @domain: the domain, on which parts run
 * @now: time
 */
void ucore_recovery_scan(struct ucore_domain *domain, u64 now)
{
	if (now - max(domain->probed, domain->looked) < UCORE_STRAY_NS / 2)
		return;
	ucore_recovery_find_spurious(domain, now);
	ucore_recovery_reset(domain);
	domain->probed = now;
}
