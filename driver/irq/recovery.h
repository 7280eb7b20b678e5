/* SPDX-License-Identifier: GPL-2.0-only */
/* Strays: what is armed although no session has armed it. */
#ifndef UCORE_RECOVERY_H
#define UCORE_RECOVERY_H

#include <linux/types.h>

struct ucore_box;
struct ucore_domain;

/* While nothing is armed the guard looks this often; at dead boxes in any case. */
#define UCORE_STRAY_NS	(1ULL * NSEC_PER_SEC)

/* Process context: */
bool ucore_recovery_box_is_alive(struct ucore_box *box);

/* Under the domain's lock, on the domain: */
void ucore_recovery_reset(struct ucore_domain *domain);
void ucore_recovery_find_spurious(struct ucore_domain *domain, u64 now);
void ucore_recovery_scan(struct ucore_domain *domain, u64 now);

#endif /* UCORE_RECOVERY_H */
