/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks whether control registers still hold the values that ucore wrote. Part of the box
 * layer.
 */
#ifndef UCORE_BOX_CONTROL_READBACK_H
#define UCORE_BOX_CONTROL_READBACK_H

#include "box/counter.h"

u32 ucore_control_readback_bits(const struct ucore_box *box);

/* With the domain's lock held, on a CPU of the domain, while the domain is not frozen: */
bool ucore_control_readback_counter(const struct ucore_counter *ctr);
bool ucore_control_readback_box(const struct ucore_box *box, u64 *control, bool *seen);

#endif /* UCORE_BOX_CONTROL_READBACK_H */
