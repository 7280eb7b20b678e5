/* SPDX-License-Identifier: GPL-2.0-only */
/* May registers be at an address? */
#ifndef UCORE_MEMORY_H
#define UCORE_MEMORY_H

#include <linux/compiler_types.h>
#include <linux/types.h>

/**
 * struct ucore_range - addresses
 * @start: the first
 * @end: the first behind them
 */
struct ucore_range {
	u64 start;
	u64 end;
};

/* What is at the same place in every PC */
#define UCORE_NR_FIXED	2
extern const struct ucore_range ucore_memory_fixed[UCORE_NR_FIXED];

bool ucore_memory_is_ram(u64 address, u64 size);
bool ucore_memory_is_safe(u64 address, u64 size);

void __iomem *ucore_memory_map(phys_addr_t address, u32 size);
bool ucore_memory_unmapped(void);

#endif /* UCORE_MEMORY_H */
