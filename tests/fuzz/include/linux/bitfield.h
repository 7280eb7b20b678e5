/* SPDX-License-Identifier: GPL-2.0-only */
/* Field access with constant 64-bit masks. */
#ifndef FUZZ_LINUX_BITFIELD_H
#define FUZZ_LINUX_BITFIELD_H

#include <linux/bits.h>

#define FIELD_GET(mask, val)	(((val) & (mask)) >> __builtin_ctzll(mask))
#define FIELD_PREP(mask, val)	(((u64)(val) << __builtin_ctzll(mask)) & (mask))

#endif /* FUZZ_LINUX_BITFIELD_H */
