/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's perf, which uses the cores' counters too. */
#ifndef UCORE_PERF_H
#define UCORE_PERF_H

#include <linux/types.h>

/* With the catalog's lock held: */
int ucore_pmc_reserve(u32 nr);
void ucore_pmc_release(u32 nr);

bool ucore_pmc_available(void);

#endif /* UCORE_PERF_H */
