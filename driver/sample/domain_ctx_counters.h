/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations on a domain context (struct ucore_domain_ctx), such as program, read and stop.
 * Part of the sample layer. All functions run with the domain's lock held, on a CPU of the
 * domain, with interrupts off.
 */
#ifndef UCORE_DOMAIN_CTX_COUNTERS_H
#define UCORE_DOMAIN_CTX_COUNTERS_H

#include "sample/domain_ctx_state.h"

/* Return true if the counter counts now: it is in no group, or in the group of this time slice. */
static inline bool ucore_ctx_counts(const struct ucore_domain_ctx *ctx,
				    const struct ucore_counter *ctr)
{
	return !ctr->group || ctr->group == ctx->group;
}

/* Return the first counter that counts now, or NULL. */
static inline struct ucore_counter *ucore_ctx_first_counting(const struct ucore_domain_ctx *ctx)
{
	return ctx->always || !ctx->group ? ctx->always : ctx->in_group[ctx->group];
}

/* Return the next counter after @ctr that counts now, or NULL. */
static inline struct ucore_counter *ucore_ctx_next_counting(const struct ucore_domain_ctx *ctx,
							    const struct ucore_counter *ctr)
{
	if (ctr->next_in_group || ctr->group || !ctx->group)
		return ctr->next_in_group;
	return ctx->in_group[ctx->group];
}

/* Iterate over the counters that count now: those of group 0, then those of this time slice. */
#define ucore_for_each_counting(_ctr, _ctx)				\
	for ((_ctr) = ucore_ctx_first_counting(_ctx); (_ctr);		\
	     (_ctr) = ucore_ctx_next_counting(_ctx, _ctr))

/*
 * Return the number of register reads for one read of the counter: 1 if the timer period is so
 * short that the low dword suffices, otherwise the number for a full read.
 */
static inline u32 ucore_ctx_read_cost(const struct ucore_domain_ctx *ctx,
				      const struct ucore_counter *ctr)
{
	bool low = ctx->timer_ns && ctx->timer_ns < ctr->low_ns;

	return low ? 1 : ctr->box->io.ops->counter_cost;
}

void ucore_ctx_link_counters(struct ucore_domain_ctx *ctx);
void ucore_ctx_join_box(struct ucore_domain_ctx_box *pb);
void ucore_ctx_program(struct ucore_domain_ctx *ctx);
u64 ucore_ctx_freeze(struct ucore_domain_ctx *ctx);
u64 ucore_ctx_unfreeze(struct ucore_domain_ctx *ctx);
void ucore_ctx_start_unfrozen(struct ucore_domain_ctx *ctx);
void ucore_ctx_start_times(struct ucore_domain_ctx *ctx, u64 now);
void ucore_ctx_pause(struct ucore_domain_ctx *ctx, u64 now, u64 end, u64 before);
void ucore_ctx_resume(struct ucore_domain_ctx *ctx, u64 now);
void ucore_ctx_stop(struct ucore_domain_ctx *ctx, u64 now, u64 end, u64 before);
void ucore_ctx_read(struct ucore_domain_ctx *ctx, u64 now);
u64 ucore_ctx_since_read(const struct ucore_domain_ctx *ctx);
void ucore_ctx_was_read(struct ucore_domain_ctx *ctx, u64 now);
bool ucore_ctx_poll(struct ucore_domain_ctx *ctx);
bool ucore_ctx_poll_end(struct ucore_domain_ctx *ctx, u64 now);
u64 ucore_ctx_unreported_overflows(const struct ucore_domain_ctx *ctx);
void ucore_ctx_read_running(struct ucore_domain_ctx *ctx, u64 now);
void ucore_ctx_reset(struct ucore_domain_ctx *ctx, u64 now);
void ucore_ctx_times(const struct ucore_domain_ctx *ctx, u64 now, u64 before, u64 *enabled,
		     u64 *running);
void ucore_ctx_timer_due(struct ucore_domain_ctx *ctx);
void ucore_ctx_core_due(struct ucore_domain_ctx *ctx, const struct ucore_pmi_regs *context);
void ucore_ctx_flag_conflict(struct ucore_domain_ctx *ctx);
void ucore_ctx_forget(struct ucore_domain_ctx *ctx);

#endif /* UCORE_DOMAIN_CTX_COUNTERS_H */
