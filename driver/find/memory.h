/* SPDX-License-Identifier: GPL-2.0-only */
/* May registers be at an address? */
#ifndef UCORE_MEMORY_H
#define UCORE_MEMORY_H

#include <linux/types.h>

bool ucore_memory_is_ram(u64 address, u64 size);
bool ucore_memory_is_safe(u64 address, u64 size);

#endif /* UCORE_MEMORY_H */
