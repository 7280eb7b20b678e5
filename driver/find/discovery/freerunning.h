/* SPDX-License-Identifier: GPL-2.0-only */
/* PMON discovery: boxes that no table has. */
#ifndef UCORE_BESIDE_H
#define UCORE_BESIDE_H

#include "find/discovery/discovery.h"

int ucore_freerunning_add(struct ucore_finder *finder, const struct ucore_disc_rules *rules,
			  struct ucore_unit *unit, const struct ucore_global *global);
int ucore_freerunning_add_banks(struct ucore_finder *finder, const struct ucore_disc *disc, u32 die,
			 const struct ucore_global *global);

#endif /* UCORE_BESIDE_H */
