/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers of a domain context: timer trigger, polling, rotation. */
#ifndef UCORE_TIMER_H
#define UCORE_TIMER_H

#include "sample/readout.h"

void ucore_timer_init(struct ucore_domain_ctx *ctx);
void ucore_timer_start(struct ucore_domain_ctx *ctx, u64 base);
void ucore_timer_last(struct ucore_domain_ctx *ctx, struct ucore_readout *ro);
void ucore_timer_stop(struct ucore_domain_ctx *ctx);
void ucore_timer_end(struct ucore_domain_ctx *ctx);
void ucore_timers_cancel(struct ucore_domain *domain);
void ucore_timers_restart(struct ucore_domain *domain);

#endif /* UCORE_TIMER_H */
