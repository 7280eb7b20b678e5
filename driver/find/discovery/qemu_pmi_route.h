/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMI route of the machine model (tests/lab/qemu), for platforms with discovery tables.
 *
 * No public source documents the bits wk_on_pmi and pmi_core_sel of these platforms. The machine
 * model implements them at bit positions of its own (pmi = private), so that tests can cover the
 * path from an overflow to a sample. Only a module built with UCORE_PRIVATE_PMI=y contains this
 * route, and only the module parameter private_pmi=1 enables it. Such a module must not run on
 * hardware.
 */
#ifndef UCORE_QEMU_PMI_ROUTE_H
#define UCORE_QEMU_PMI_ROUTE_H

#include "find/discovery/discovery.h"

#ifdef UCORE_PRIVATE_PMI
bool ucore_qemu_pmi_route_enabled(void);
void ucore_qemu_pmi_route_describe(struct ucore_global *global, const struct ucore_disc_table *t);
#else
static inline bool ucore_qemu_pmi_route_enabled(void)
{
	return false;
}

static inline void ucore_qemu_pmi_route_describe(struct ucore_global *global,
						 const struct ucore_disc_table *t) { }
#endif

#endif /* UCORE_QEMU_PMI_ROUTE_H */
