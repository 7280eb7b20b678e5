/* SPDX-License-Identifier: GPL-2.0-only */
/* Others who write the controls that sessions count with. */
#ifndef UCORE_CONFLICT_H
#define UCORE_CONFLICT_H

#include <linux/types.h>

struct ucore_domain;
struct ucore_domain_ctx;

/* Controls of a part that runs are looked at this often. */
#define UCORE_WATCH_NS	(10ULL * NSEC_PER_SEC)

/* Under the domain's lock, on the domain: */
void ucore_conflict_scan(struct ucore_domain *domain, u64 now);
u64 ucore_conflict_wait_ns(const struct ucore_domain_ctx *ctx, u64 now);

#endif /* UCORE_CONFLICT_H */
