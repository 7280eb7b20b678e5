/* SPDX-License-Identifier: GPL-2.0-only */
/* Rotation: groups of events use the counters in time slices. */
#ifndef UCORE_ROTATE_H
#define UCORE_ROTATE_H

#include <linux/types.h>

struct ucore_domain_ctx;

void ucore_rotate_init(struct ucore_domain_ctx *ctx);
void ucore_rotate_resume(struct ucore_domain_ctx *ctx, u64 now);
void ucore_rotate_start(struct ucore_domain_ctx *ctx, u64 base);

#endif /* UCORE_ROTATE_H */
