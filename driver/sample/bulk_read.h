/* SPDX-License-Identifier: GPL-2.0-only */
/* Sweeps: all counters of a part are read. */
#ifndef UCORE_SWEEP_H
#define UCORE_SWEEP_H

#include <linux/types.h>

#include "box/box.h"
#include "ucore_uapi.h"

struct ucore_part;

/* The machine stood still for so long that a wrap may have been missed. */
static inline void ucore_counter_doubt(struct ucore_counter *ctr, u64 elapsed)
{
	if (ctr->wrap_ns && elapsed > ctr->wrap_ns)
		ctr->flags |= UCORE_VALUE_UNSURE;
}

void ucore_part_order(struct ucore_part *part);
void ucore_part_read_one(const struct ucore_part *part, struct ucore_counter *ctr,
			 const struct ucore_io *io, u64 elapsed);
void ucore_part_read_boxes(struct ucore_part *part, u32 first, u32 end, u64 elapsed,
			   struct ucore_tally *tally);

#endif /* UCORE_SWEEP_H */
