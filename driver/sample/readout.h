/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Intervals, the only path from a trigger to a record. Part of the sample layer.
 *
 * Code between begin and end runs on a frozen domain:
 *
 *	ucore_interval_begin()	freeze, find the counters that overflowed
 *	   ... the caller reads, stops or resets a domain context ...
 *	ucore_interval_end()	read contexts with a due sample, acknowledge,
 *				re-arm, unfreeze, write the records
 *
 * ucore_interval_begin_ctx() freezes only the boxes of one context if possible,
 * so that other sessions on the domain are not disturbed.
 *
 * All functions run with the domain's lock held, on a CPU of the domain, with
 * interrupts off.
 */
#ifndef UCORE_SAMPLE_H
#define UCORE_SAMPLE_H

#include <linux/types.h>

#include "box/domain.h"
#include "sample/domain_ctx.h"
#include "sample/emit.h"
#include "sample/interval_state.h"

void ucore_interval_begin(struct ucore_interval *iv, struct ucore_domain *domain, u64 now);
void ucore_interval_begin_ctx(struct ucore_interval *iv, struct ucore_domain_ctx *ctx, u64 now);
void ucore_interval_extend_to_domain(struct ucore_interval *iv);
void ucore_interval_halt(const struct ucore_interval *iv, struct ucore_domain_ctx *ctx);
void ucore_interval_reset(const struct ucore_interval *iv, struct ucore_domain_ctx *ctx);
void ucore_interval_begin_overflow(struct ucore_interval *iv, struct ucore_domain *domain,
				   u64 now, bool recovered);
void ucore_interval_begin_unreported(struct ucore_interval *iv, struct ucore_domain *domain,
				     u64 now);
void ucore_interval_set_context(struct ucore_interval *iv, const struct ucore_pmi_regs *context);
void ucore_interval_end(struct ucore_interval *iv);
void ucore_interval_unthrottle(struct ucore_domain *domain);

void ucore_sample_timer_due(struct ucore_interval *iv, struct ucore_domain_ctx *ctx);
void ucore_sample_core_due(struct ucore_interval *iv, struct ucore_domain_ctx *ctx,
			   const struct ucore_pmi_regs *context);

#endif /* UCORE_SAMPLE_H */
