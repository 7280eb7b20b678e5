/* SPDX-License-Identifier: GPL-2.0-only */
/* Recovery from spurious overflows and from boxes that did not respond. */
#ifndef UCORE_DEAD_BOX_RECOVERY_H
#define UCORE_DEAD_BOX_RECOVERY_H

#include <linux/types.h>

struct ucore_box;
struct ucore_domain;

/*
 * Period (ns) in which the watchdog checks for spurious overflows while no counter is armed, and
 * probes dead boxes. GET_BOXES probes an absent box at most once in this time.
 */
#define UCORE_RECOVERY_PERIOD_NS	(1ULL * NSEC_PER_SEC)

/* Process context: */
bool ucore_recovery_box_is_alive(struct ucore_box *box);
void ucore_recovery_probe_absent(struct ucore_box *box);

/* Under the domain's lock, on a CPU of the domain: */
void ucore_recovery_reset(struct ucore_domain *domain);
void ucore_recovery_find_spurious(struct ucore_domain *domain, u64 now);
void ucore_recovery_scan(struct ucore_domain *domain, u64 now);

#endif /* UCORE_DEAD_BOX_RECOVERY_H */
