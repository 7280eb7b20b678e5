/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Coexistence with intel_uncore, the driver in the kernel tree for the same hardware. Part of
 * the box layer.
 */
#ifndef UCORE_INTEL_UNCORE_H
#define UCORE_INTEL_UNCORE_H

#include <linux/types.h>

int ucore_intel_uncore_register(void);
void ucore_intel_uncore_unregister(void);
bool ucore_intel_uncore_hold(void);
void ucore_intel_uncore_release(void);
bool ucore_intel_uncore_present(void);
bool ucore_intel_uncore_is_module(void);

#endif /* UCORE_INTEL_UNCORE_H */
