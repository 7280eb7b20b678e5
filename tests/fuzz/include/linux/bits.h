/* SPDX-License-Identifier: GPL-2.0-only */
/* Bit masks. */
#ifndef FUZZ_LINUX_BITS_H
#define FUZZ_LINUX_BITS_H

#include <linux/types.h>

#define BIT_ULL(n)		(1ULL << (n))
#define BIT(n)			(1UL << (n))
#define GENMASK_ULL(high, low)	((~0ULL << (low)) & (~0ULL >> (63 - (high))))
#define GENMASK(high, low)	((unsigned long)GENMASK_ULL(high, low))

#endif /* FUZZ_LINUX_BITS_H */
