/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data of a readout. The functions are declared in readout.h. Part of the sample layer. A
 * struct ucore_readout is a local variable of the function that begins and ends the readout.
 */
#ifndef UCORE_SAMPLE_READOUT_STATE_H
#define UCORE_SAMPLE_READOUT_STATE_H

#include <linux/types.h>

#include "box/domain_global_ctl.h"
#include "sample/domain_ctx_state.h"

/**
 * struct ucore_readout - state of a readout in progress
 * @domain: domain of the readout
 * @ctx: context whose boxes are frozen one by one, NULL if the whole domain is frozen
 * @now: instant of the freeze (ns), which becomes the time stamp of the sample
 * @entered: instant at which this CPU began to handle the readout (ns)
 * @charged_from: start of the frozen time charged to this readout (ns); later than @now if
 *                the domain was frozen before
 * @frozen_before: frozen time of the domain before @now (ns), without box freezes except those
 *                 of @ctx
 * @skew_ns: upper bound of the time from the freeze of the first box to that of the last (ns)
 * @late_ns: longest time by which the overflow may precede @now (ns), if @recovered or @no_pmi
 * @status: global status bits of the overflows that the readout services
 * @box_bits: global status bits of the boxes whose status is read: @status, or all armed bits if
 *            @status has a bit of no armed box
 * @context: context that the PMI or the timer interrupted (IP, PID, TID)
 * @overflowed: box whose counter overflowed, NULL if none has
 * @several: counters of other boxes overflowed, too
 * @has_context: @context is valid
 * @recovered: the watchdog found the overflow, because its PMI was lost
 * @no_pmi: the overflow froze the domain, but sent no PMI (ucore_pmi.poll_ns)
 * @unreported: armed counters wrapped without a global status bit
 * @spurious: a global status bit is set although no counter is armed
 * @tally: value of domain->tally (register accesses) at the beginning of the readout
 */
struct ucore_readout {
	struct ucore_domain *domain;
	struct ucore_domain_ctx *ctx;
	u64 now;
	u64 entered;
	u64 charged_from;
	u64 frozen_before;
	u64 skew_ns;
	u64 late_ns;
	u64 status;
	u64 box_bits;
	struct ucore_pmi_regs context;
	struct ucore_box *overflowed;
	bool several;
	bool has_context;
	bool recovered;
	bool no_pmi;
	bool unreported;
	bool spurious;
	struct ucore_tally tally;
};

/**
 * ucore_readout_frozen_before() - get the frozen time of a context up to the readout
 * @ro: readout
 * @ctx: domain context on the readout's domain
 *
 * Return: frozen time (ns), as ucore_ctx_times() expects.
 */
static inline u64 ucore_readout_frozen_before(const struct ucore_readout *ro,
					      const struct ucore_domain_ctx *ctx)
{
	/*
	 * If only boxes are frozen, ro->frozen_before includes box_frozen_ns as of the beginning of
	 * the readout. readout_unfreeze() may have increased box_frozen_ns since.
	 */
	return ro->frozen_before + (ro->ctx ? 0 : ctx->box_frozen_ns);
}

#endif /* UCORE_SAMPLE_READOUT_STATE_H */
