/* SPDX-License-Identifier: GPL-2.0-only */
/* Time slices of groups. The domain is locked and frozen. */
#ifndef UCORE_SAMPLE_TIME_SLICES_H
#define UCORE_SAMPLE_TIME_SLICES_H

#include "sample/domain_ctx_state.h"

u64 ucore_slice_ran(const struct ucore_domain_ctx *ctx, const struct ucore_counter *ctr, u64 now,
		    u64 running);
void ucore_slice_end(struct ucore_domain_ctx *ctx, u64 now, u64 running);
void ucore_slice_switch_group(struct ucore_domain_ctx *ctx, u8 group, u64 now, u64 running);
void ucore_slice_prepare_others(struct ucore_domain_ctx *ctx);

#endif /* UCORE_SAMPLE_TIME_SLICES_H */
