/* SPDX-License-Identifier: GPL-2.0-only */
/* Conflicts: detection of other software that writes controls which sessions use. */
#ifndef UCORE_CONFLICT_H
#define UCORE_CONFLICT_H

#include <linux/types.h>

struct ucore_domain;
struct ucore_domain_ctx;

/* Period (ns) in which the watchdog scans the controls of a running context */
#define UCORE_CONFLICT_PERIOD_NS	(10ULL * NSEC_PER_SEC)

void ucore_conflict_init(struct ucore_domain *domain);
void ucore_conflict_exit(struct ucore_domain *domain);

/* Under the domain's lock, on a CPU of the domain: */
void ucore_conflict_scan(struct ucore_domain *domain, u64 now);
u64 ucore_conflict_wait_ns(const struct ucore_domain_ctx *ctx, u64 now);

#endif /* UCORE_CONFLICT_H */
