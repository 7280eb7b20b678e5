/* SPDX-License-Identifier: GPL-2.0-only */
/* Reservation of the core counters, which the kernel's perf also uses. Part of the cpu layer. */
#ifndef UCORE_PMC_RESERVE_H
#define UCORE_PMC_RESERVE_H

#include <linux/types.h>

/* With the catalog's lock held: */
int ucore_pmc_reserve(u32 nr);
void ucore_pmc_release(void);

#endif /* UCORE_PMC_RESERVE_H */
