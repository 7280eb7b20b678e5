/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes samples, tasks and gaps to the rings of sessions. Part of the sample layer. All
 * functions run with the domain's lock held, on a CPU of the domain, with interrupts off.
 */
#ifndef UCORE_SAMPLE_EMIT_H
#define UCORE_SAMPLE_EMIT_H

#include <linux/types.h>

struct ucore_domain_ctx;
struct ucore_readout;

void ucore_emit_sample(const struct ucore_readout *ro, struct ucore_domain_ctx *ctx,
		       u64 frozen_ns);
void ucore_emit_spurious(const struct ucore_readout *ro);
void ucore_emit_gap(struct ucore_domain_ctx *ctx, u64 now, u32 reason, int from, int to, u32 box);
void ucore_emit_drop(struct ucore_domain_ctx *ctx, u64 n);

#endif /* UCORE_SAMPLE_EMIT_H */
