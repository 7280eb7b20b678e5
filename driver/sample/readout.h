/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readouts, the only path from a trigger to a record. Part of the sample layer.
 *
 * Code between begin and end runs on a frozen domain:
 *
 *	ucore_readout_begin()	freeze, find the counters that overflowed
 *	   ... the caller reads, stops or resets a domain context ...
 *	ucore_readout_end()	read contexts with a due sample, acknowledge,
 *				re-arm, unfreeze, write the records
 *
 * ucore_readout_begin_ctx() freezes only the boxes of one context if possible,
 * so that other sessions on the domain are not disturbed.
 *
 * All functions run with the domain's lock held, on a CPU of the domain, with
 * interrupts off.
 */
#ifndef UCORE_SAMPLE_H
#define UCORE_SAMPLE_H

#include <linux/types.h>

#include "box/domain_global_ctl.h"
#include "sample/domain_ctx_counters.h"
#include "sample/emit.h"
#include "sample/readout_state.h"

void ucore_readout_begin(struct ucore_readout *ro, struct ucore_domain *domain, u64 now);
void ucore_readout_begin_ctx(struct ucore_readout *ro, struct ucore_domain_ctx *ctx, u64 now);
void ucore_readout_extend_to_domain(struct ucore_readout *ro);
void ucore_readout_pause(const struct ucore_readout *ro, struct ucore_domain_ctx *ctx);
void ucore_readout_halt(const struct ucore_readout *ro, struct ucore_domain_ctx *ctx);
void ucore_readout_reset(const struct ucore_readout *ro, struct ucore_domain_ctx *ctx);
void ucore_readout_begin_overflow(struct ucore_readout *ro, struct ucore_domain *domain,
				  u64 now, bool recovered);
void ucore_readout_begin_unreported(struct ucore_readout *ro, struct ucore_domain *domain,
				    u64 now);
void ucore_readout_set_context(struct ucore_readout *ro, const struct ucore_pmi_regs *context);
void ucore_readout_end(struct ucore_readout *ro);
void ucore_readout_unthrottle(struct ucore_domain *domain);

#endif /* UCORE_SAMPLE_H */
