/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples: the one path from a trigger to a record.
 *
 * An interval ends on a frozen domain:
 *
 *	ucore_interval_begin()	freeze; who overflowed?
 *	   ... the caller's business: read a part, stop it, reset it ...
 *	ucore_interval_end()	read what is due, acknowledge, re-arm, unfreeze
 *				the domain, and only then write the records
 *
 * or, of a part that shall not disturb others, on its own boxes frozen
 * (ucore_interval_begin_part()).
 *
 * All of it runs under the domain's lock, on a CPU of the domain, interrupts off.
 */
#ifndef UCORE_SAMPLE_H
#define UCORE_SAMPLE_H

#include <linux/types.h>

#include "box/domain.h"
#include "sample/domain_ctx.h"

/**
 * struct ucore_interval - an interval that is ending
 * @domain: where
 * @part: only its own boxes are frozen; NULL: the domain is
 * @now: the instant: when the domain froze
 * @entered: when this CPU's work began
 * @held: since when the domain is frozen for this: after @now where it was so for others
 * @frozen_before: how long the domain had been frozen before that, without the times
 *                 of single parts' boxes
 * @skew_ns: from the first box's freeze to the last one's
 * @status: global status bits that are being serviced
 * @walk: bits whose boxes are asked: @status, or if it has bits that no armed box
 *        owns, those of all armed boxes
 * @context: what was interrupted
 * @has_context: @context is known
 * @recovered: the guard found the overflow
 * @late_ns: so long before @now the overflow may have frozen the domain, if @recovered
 * @silent: counters carried, and the global status does not tell
 * @stray: nothing is armed, and yet something overflowed: the domain was frozen before
 * @tally: the domain's accesses at the beginning
 */
struct ucore_interval {
	struct ucore_domain *domain;
	struct ucore_domain_ctx *ctx;
	u64 now;
	u64 entered;
	u64 held;
	u64 frozen_before;
	u64 skew_ns;
	u64 late_ns;
	u64 status;
	u64 walk;
	struct ucore_pmi_regs context;
	bool has_context;
	bool recovered;
	bool silent;
	bool stray;
	struct ucore_tally tally;
};

void ucore_interval_begin(struct ucore_interval *iv, struct ucore_domain *domain, u64 now);
void ucore_interval_begin_ctx(struct ucore_interval *iv, struct ucore_domain_ctx *ctx, u64 now);
void ucore_interval_extend_to_domain(struct ucore_interval *iv);
u64 ucore_interval_frozen_before(const struct ucore_interval *iv, const struct ucore_domain_ctx *ctx);
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
void ucore_sample_drop(struct ucore_domain_ctx *ctx, u64 n);
void ucore_sample_gap(struct ucore_domain_ctx *ctx, u64 now, u32 reason, int from, int to, u32 box);

#endif /* UCORE_SAMPLE_H */
