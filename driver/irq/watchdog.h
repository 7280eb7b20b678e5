/* SPDX-License-Identifier: GPL-2.0-only */
/* Watchdog of a domain: lost PMIs, wraps, spurious overflows, conflicts, end of throttling. */
#ifndef UCORE_WATCHDOG_H
#define UCORE_WATCHDOG_H

struct ucore_domain;

void ucore_watchdog_init(struct ucore_domain *domain);

/* Under the domain's lock, on a CPU of the domain: */
void ucore_watchdog_start(struct ucore_domain *domain);
void ucore_watchdog_end_throttling(struct ucore_domain *domain);

#endif /* UCORE_WATCHDOG_H */
