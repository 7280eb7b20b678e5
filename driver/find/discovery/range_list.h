/* SPDX-License-Identifier: GPL-2.0-only */
/* PMON discovery: sorted lists of reserved registers and unit names. */
#ifndef UCORE_RANGE_LIST_H
#define UCORE_RANGE_LIST_H

#include <linux/bits.h>
#include <linux/types.h>

#include "find/discovery/discovery.h"

/* Encoding of ucore_disc_range.space: kind of address space, plus the die or PCI function */
#define SPACE_KIND	GENMASK_ULL(63, 60)
#define SPACE_MEMORY	((u64)UCORE_DISC_MEMORY << 60)
#define SPACE_MSR	((u64)UCORE_DISC_MSR << 60)	/* plus the logical die id */
#define SPACE_PCI	((u64)UCORE_DISC_PCI << 60)	/* plus the PCI function's address */
#define SPACE_NAME	((u64)UCORE_DISC_NAME << 60)	/* plus the logical die id */

u64 ucore_range_space(u32 access, s32 die, u64 address);
u64 ucore_range_start(u32 access, u64 address);
const struct ucore_disc_range *ucore_range_overlap(struct ucore_disc *disc,
						   const struct ucore_disc_range *new);
int ucore_range_add(struct ucore_disc *disc, const struct ucore_disc_range *new, u32 nr);
int ucore_range_add_foreign(struct ucore_disc *disc, u64 space, u64 start, u64 end);
int ucore_range_add_row(struct ucore_disc *disc, u64 space, u64 start, u64 end);

#endif /* UCORE_RANGE_LIST_H */
