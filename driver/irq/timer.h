/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers: the trigger in nanoseconds, polling, and the guard. */
#ifndef UCORE_TIMER_H
#define UCORE_TIMER_H

#include "sample/sample.h"

void ucore_watchdog_init(struct ucore_domain *domain);
void ucore_watchdog_start(struct ucore_domain *domain);
void ucore_watchdog_end_throttling(struct ucore_domain *domain);
void ucore_timer_init(struct ucore_domain_ctx *ctx);
void ucore_timer_start(struct ucore_domain_ctx *ctx, u64 base);
void ucore_timer_last(struct ucore_domain_ctx *ctx, struct ucore_interval *iv);
void ucore_timer_stop(struct ucore_domain_ctx *ctx);
void ucore_timer_end(struct ucore_domain_ctx *ctx);
void ucore_timers_cancel(struct ucore_domain *domain);
void ucore_timers_restart(struct ucore_domain *domain);

#endif /* UCORE_TIMER_H */
