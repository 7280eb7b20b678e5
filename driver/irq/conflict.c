// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conflicts: find out whether other software (Intel PCM, LIKWID, VTune, wrmsr, firmware) has
 * written controls that sessions use. Part of the irq layer. Runs under the domain's lock on a
 * CPU of the domain, called by the watchdog.
 *
 * Nothing prevents such writes, and a sample could only notice them with one more
 * access for each counter. The watchdog therefore scans the controls every ten seconds. A
 * conflict is reported by UCORE_VALUE_F_CONFLICT, a GAP record, GET_STATUS, GET_SELFTEST and
 * the log. The driver does not repair a control, because the intended owner is not known. START
 * programs all controls again. A level that the hardware has lost is the exception
 * (ucore_domain_restart()).
 *
 * A scan reads each global control, and the controls of a context's boxes and of its counters
 * that count at present. A scan proceeds in steps of a few boxes, so that timers are not
 * delayed.
 */
#include <linux/ktime.h>
#include <linux/workqueue.h>

#include "box/control_readback.h"
#include "box/domain_global_ctl.h"
#include "irq/conflict.h"
#include "sample/readout.h"

/* Number of register reads after which a step of a scan ends, and time between two steps (ns) */
#define STEP_READS	16
#define STEP_NS		(1 * NSEC_PER_MSEC)

/*
 * Print the conflict of a domain. Runs as a work, because a serial console may print a line for
 * milliseconds, and the watchdog finds conflicts with interrupts off.
 */
static void print_conflict(struct work_struct *work)
{
	const struct ucore_box *box = container_of(work, struct ucore_domain,
						   conflict_log)->conflict;

	pr_notice("%s%u of die %u: another program or firmware writes controls with which a session counts: its values are flagged\n",
		  box->desc.type->name, box->desc.instance, box->desc.die);
}

/*
 * Report a conflict in the log, once for each domain, because other software may write all the
 * time.
 */
static void log_conflict(struct ucore_domain *domain, const struct ucore_box *box)
{
	if (domain->conflict)
		return;
	domain->conflict = box;
	schedule_work(&domain->conflict_log);
}

/*
 * Set UCORE_VALUE_F_CONFLICT for the counters of a box that count at present, and log the
 * conflict. Write a GAP record unless all these counters had the flag before.
 */
static void conflict_flag(struct ucore_domain_ctx *ctx, struct ucore_domain_ctx_box *cb, u64 now)
{
	struct ucore_counter *ctr;
	bool first = false;
	u32 j;

	for (j = cb->last; j != U32_MAX; j = ctr->sibling) {
		ctr = &ctx->ctr[j];
		if (!ucore_ctx_counts(ctx, ctr))
			continue;
		first |= !(ctr->flags & UCORE_VALUE_F_CONFLICT);
		ctr->flags |= UCORE_VALUE_F_CONFLICT;
	}
	cb->box->selftest.found |= UCORE_FOUND_CONFLICT;
	if (first)
		ucore_emit_gap(ctx, now, UCORE_GAP_CONFLICT, ctx->domain->reader,
			       ctx->domain->reader, cb->box->id);
	log_conflict(ctx->domain, cb->box);
}

/*
 * Return true if the box control or a counter control does not have the value that the driver
 * wrote. All controls are always read, so that each scan has the same overhead. @reads is
 * increased by the number of register reads.
 */
static bool box_has_conflict(const struct ucore_domain_ctx *ctx, struct ucore_domain_ctx_box *cb,
			     u32 *reads)
{
	bool conflict = ucore_control_readback_box(cb->box, &cb->control, &cb->seen);
	u32 j;

	(*reads)++;
	for (j = cb->last; j != U32_MAX; j = ctx->ctr[j].sibling) {
		if (!ucore_ctx_counts(ctx, &ctx->ctr[j]))
			continue;
		conflict |= ucore_control_readback_counter(ctx->ctr[j].leader ?: &ctx->ctr[j]);
		(*reads)++;
	}
	return conflict;
}

/* Report a conflict on a box. The statistics count a scan that finds several conflicts once. */
static void conflict_record(struct ucore_domain_ctx *ctx, struct ucore_domain_ctx_box *cb, u64 now)
{
	conflict_flag(ctx, cb, now);
	ctx->stats.changed += !ctx->conflict.found;
	ctx->conflict.found = true;
}

/* Do one step of a context's scan: check some boxes, from the end of the previous step on. */
static void ctx_scan(struct ucore_domain_ctx *ctx, u64 now)
{
	struct ucore_conflict *watch = &ctx->conflict;
	struct ucore_domain_ctx_box *cb;
	u32 reads = 0;

	if (!watch->next && ucore_domain_control_changed(ctx->domain)) {
		for (cb = ctx->box; cb < ctx->box + ctx->nr_box; cb++)
			if (cb->box->desc.global && !(cb->box->caps & UCORE_BOX_F_FREE_RUNNING))
				conflict_record(ctx, cb, now);
		ucore_domain_restart(ctx->domain);
	}
	while (watch->next < ctx->nr_box && reads < STEP_READS) {
		cb = &ctx->box[watch->next++];
		if (box_has_conflict(ctx, cb, &reads))
			conflict_record(ctx, cb, now);
	}
	if (watch->next < ctx->nr_box)
		return;
	*watch = (struct ucore_conflict){ .last_scan = now };
}

static bool is_due(const struct ucore_domain_ctx *ctx, u64 now)
{
	return ctx->running && !ctx->paused &&
	       (ctx->conflict.next || now - ctx->conflict.last_scan >= UCORE_CONFLICT_PERIOD_NS);
}

/**
 * ucore_conflict_init() - initialize the report of conflicts of a domain
 * @domain: the domain
 */
void ucore_conflict_init(struct ucore_domain *domain)
{
	INIT_WORK(&domain->conflict_log, print_conflict);
}

/**
 * ucore_conflict_exit() - wait until the report of a conflict is printed
 * @domain: the domain, whose watchdog is stopped
 */
void ucore_conflict_exit(struct ucore_domain *domain)
{
	flush_work(&domain->conflict_log);
}

/**
 * ucore_conflict_wait_ns() - get the time until the next step of a context's scan
 * @ctx: the domain context
 * @now: current time (ns)
 *
 * Return: time (ns). STEP_NS if a scan is in progress, or due but delayed by the scan of another
 * context. One second if a scan is due but the domain is frozen.
 */
u64 ucore_conflict_wait_ns(const struct ucore_domain_ctx *ctx, u64 now)
{
	u64 since = now - ctx->conflict.last_scan;

	if (!ctx->running || ctx->paused)
		return UCORE_CONFLICT_PERIOD_NS;
	if (ctx->conflict.next)
		return STEP_NS;
	if (since < UCORE_CONFLICT_PERIOD_NS)
		return UCORE_CONFLICT_PERIOD_NS - since;
	return ctx->domain->frozen ? NSEC_PER_SEC : STEP_NS;
}

/**
 * ucore_conflict_scan() - do one step of a scan for conflicts on a domain, if one is due
 * @domain: the domain, on which contexts run and no overflow is pending
 * @now: current time (ns)
 *
 * Called by the watchdog. A frozen domain is not scanned, because a freeze changes the values of
 * controls.
 */
void ucore_conflict_scan(struct ucore_domain *domain, u64 now)
{
	struct ucore_domain_ctx *ctx;

	if (domain->frozen)
		return;
	list_for_each_entry(ctx, &domain->ctxs, node) {
		if (!is_due(ctx, now))
			continue;
		ctx_scan(ctx, now);
		return;
	}
}
