/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Coexistence with the kernel's own driver of the same hardware, intel_uncore. Part of the box
 * layer.
 */
#ifndef UCORE_INTREE_H
#define UCORE_INTREE_H

#include <linux/types.h>

int ucore_intree_register(void);
void ucore_intree_unregister(void);
bool ucore_intree_present(void);
bool ucore_intree_is_module(void);

#endif /* UCORE_INTREE_H */
