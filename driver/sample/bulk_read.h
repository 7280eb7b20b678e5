/* SPDX-License-Identifier: GPL-2.0-only */
/* Sweeps: all counters of a part are read. */
#ifndef UCORE_SWEEP_H
#define UCORE_SWEEP_H

#include <linux/types.h>

#include "box/box.h"
#include "ucore_uapi.h"

struct ucore_domain_ctx;

/* The machine stood still for so long that a wrap may have been missed. */
static inline void ucore_bulk_read_distrust(struct ucore_counter *ctr, u64 elapsed)
{
	if (ctr->wrap_ns && elapsed > ctr->wrap_ns)
		ctr->flags |= UCORE_VALUE_F_MAYBE_WRAPPED;
}

void ucore_bulk_read_sort(struct ucore_domain_ctx *ctx);
void ucore_bulk_read_counter(const struct ucore_domain_ctx *ctx, struct ucore_counter *ctr,
			 const struct ucore_io *io, u64 elapsed);
void ucore_bulk_read_boxes(struct ucore_domain_ctx *ctx, u32 first, u32 end, u64 elapsed,
			   struct ucore_tally *tally);

#endif /* UCORE_SWEEP_H */
