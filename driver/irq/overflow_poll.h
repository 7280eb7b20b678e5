/* SPDX-License-Identifier: GPL-2.0-only */
/* Overflows that freeze a domain without a PMI: polls of the global status. */
#ifndef UCORE_OVERFLOW_POLL_H
#define UCORE_OVERFLOW_POLL_H

#include <linux/types.h>

struct ucore_domain;

void ucore_overflow_poll_init(struct ucore_domain *domain);
u64 ucore_overflow_poll_ns(const struct ucore_domain *domain);

/* Under the domain's lock, on the reader: */
void ucore_overflow_poll_start(struct ucore_domain *domain);

/* Process context, CPU hotplug held off: */
void ucore_overflow_poll_settle(struct ucore_domain *domain);
void ucore_overflow_poll_stop(struct ucore_domain *domain);

#endif /* UCORE_OVERFLOW_POLL_H */
