/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Overflow interrupt route of the machine model, for discovery platforms.
 *
 * No public source documents wk_on_pmi and pmi_core_sel of this generation. The machine model
 * implements them at private positions (pmi = private), so that tests reach the path from an
 * overflow to a sample. Only a module built with UCORE_PRIVATE_PMI=y contains this route, and
 * only private_pmi=1 enables it. Such a module must not run on hardware.
 */
#ifndef UCORE_EMULATED_PMI_H
#define UCORE_EMULATED_PMI_H

#include "find/discovery/discovery.h"

#ifdef UCORE_PRIVATE_PMI
bool ucore_emulated_pmi(void);
void ucore_emulated_pmi_describe(struct ucore_global *global, const struct ucore_disc_table *t);
#else
static inline bool ucore_emulated_pmi(void)
{
	return false;
}

static inline void ucore_emulated_pmi_describe(struct ucore_global *global,
					       const struct ucore_disc_table *t) { }
#endif

#endif /* UCORE_EMULATED_PMI_H */
