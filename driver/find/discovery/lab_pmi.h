/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab's own route for overflow interrupts of the discovery generation.
 *
 * No public source tells where this generation keeps wk_on_pmi and
 * pmi_core_sel.  The machine model offers places of its own for them (pmi =
 * private), so that the path from an overflow to a sample can be driven.  Only
 * a module built with UCORE_PRIVATE_PMI=y knows them, and uses them only when it
 * is loaded with private_pmi=1: such a module is not for hardware.
 */
#ifndef UCORE_PRIVATE_PMI_H
#define UCORE_PRIVATE_PMI_H

#include "find/discovery/discovery.h"

#ifdef UCORE_PRIVATE_PMI
bool ucore_lab_pmi(void);
void ucore_lab_pmi_describe(struct ucore_global *global, const struct ucore_disc_table *t);
#else
static inline bool ucore_lab_pmi(void)
{
	return false;
}

static inline void ucore_lab_pmi_describe(struct ucore_global *global,
					      const struct ucore_disc_table *t) { }
#endif

#endif /* UCORE_PRIVATE_PMI_H */
