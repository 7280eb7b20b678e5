/* SPDX-License-Identifier: GPL-2.0-only */
/* PMON discovery: what has been taken already? */
#ifndef UCORE_CLAIMS_H
#define UCORE_CLAIMS_H

#include <linux/bits.h>
#include <linux/types.h>

#include "find/discovery/discovery.h"

/* ucore_disc_claim.space: its kind, and what it is of */
#define SPACE_KIND	GENMASK_ULL(63, 60)
#define SPACE_MEMORY	((u64)UCORE_DISC_MEMORY << 60)
#define SPACE_MSR	((u64)UCORE_DISC_MSR << 60)	/* and the die */
#define SPACE_PCI	((u64)UCORE_DISC_PCI << 60)	/* and the function */
#define SPACE_NAME	((u64)UCORE_DISC_NAME << 60)	/* and the die */

const struct ucore_disc_claim *ucore_range_overlap(struct ucore_disc *disc,
					       const struct ucore_disc_claim *new);
int ucore_range_add(struct ucore_disc *disc, const struct ucore_disc_claim *new, u32 nr);
int ucore_range_add_others(struct ucore_disc *disc, u64 space, u64 start, u64 end);
int ucore_range_add_row(struct ucore_disc *disc, u64 space, u64 start, u64 end);

#endif /* UCORE_CLAIMS_H */
