/* SPDX-License-Identifier: GPL-2.0-only */
/* PMON discovery: boxes of free-running counters, which no table lists. */
#ifndef UCORE_FREERUNNING_H
#define UCORE_FREERUNNING_H

#include "find/discovery/discovery.h"

int ucore_freerunning_add(struct ucore_finder *finder, const struct ucore_disc_rules *rules,
			  struct ucore_unit *unit, const struct ucore_global *global);
int ucore_freerunning_add_mmio(struct ucore_finder *finder, const struct ucore_disc *disc, u32 die,
			       const struct ucore_global *global);
int ucore_freerunning_add_fixed(struct ucore_finder *finder, const struct ucore_disc *disc,
				u32 die, const struct ucore_global *global);

#endif /* UCORE_FREERUNNING_H */
