/* SPDX-License-Identifier: GPL-2.0-only */
/* Bulk read of the counters of a domain context. Part of the sample layer. */
#ifndef UCORE_SAMPLE_BULK_READ_H
#define UCORE_SAMPLE_BULK_READ_H

#include <linux/types.h>

#include "box/counter.h"
#include "ucore_uapi.h"

struct ucore_domain_ctx;

/*
 * Set UCORE_VALUE_F_MAYBE_WRAPPED if @elapsed, the time since the counter's last read (ns), was
 * long enough for a wrap that the next read cannot detect.
 */
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

#endif /* UCORE_SAMPLE_BULK_READ_H */
