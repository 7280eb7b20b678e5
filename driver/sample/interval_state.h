/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data of an interval. The functions are declared in sample.h. Part of the sample layer. An
 * interval lives on the stack of the code that ends it.
 */
#ifndef UCORE_SAMPLE_INTERVAL_STATE_H
#define UCORE_SAMPLE_INTERVAL_STATE_H

#include <linux/types.h>

#include "box/domain.h"
#include "sample/domain_ctx_state.h"

/**
 * struct ucore_interval - state of an interval that is ending
 * @domain: domain
 * @ctx: context whose boxes alone are frozen, NULL if the domain is frozen
 * @now: the interval's instant: time of the freeze (ns)
 * @entered: start of this CPU's work (ns)
 * @charged_from: start of the frozen time charged to this interval (ns); later than @now if
 *                the domain was frozen before
 * @frozen_before: frozen time of the domain before @now (ns), without box freezes except those
 *                 of @ctx
 * @skew_ns: time from the first box's freeze to the last one's (ns)
 * @late_ns: longest time that the overflow may have preceded @now (ns), if @recovered
 * @status: global status bits being serviced
 * @box_bits: global status bits whose boxes are read: @status, or all armed bits if @status has a
 *        bit of no armed box
 * @context: interrupted context
 * @has_context: @context is valid
 * @recovered: the watchdog found the overflow
 * @unreported: armed counters wrapped without a global status bit
 * @spurious: spurious overflow, so that a global status bit is set although nothing is armed
 * @tally: register accesses of the domain at the beginning
 */
struct ucore_interval {
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
	bool has_context;
	bool recovered;
	bool unreported;
	bool spurious;
	struct ucore_tally tally;
};

/**
 * ucore_interval_frozen_before() - get the frozen time of a context up to the interval
 * @iv: interval
 * @ctx: domain context on the interval's domain
 *
 * Return: frozen time (ns), as ucore_ctx_times() expects.
 */
static inline u64 ucore_interval_frozen_before(const struct ucore_interval *iv,
					       const struct ucore_domain_ctx *ctx)
{
	/*
	 * With iv->ctx the box frozen time was added at the beginning, and may have grown
	 * since.
	 */
	return iv->frozen_before + (iv->ctx ? 0 : ctx->box_frozen_ns);
}

#endif /* UCORE_SAMPLE_INTERVAL_STATE_H */
