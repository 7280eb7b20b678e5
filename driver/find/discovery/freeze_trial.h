/* SPDX-License-Identifier: GPL-2.0-only */
/* Freeze trial: finds the die of a table by the freeze that stops a counter of its units. */
#ifndef UCORE_FREEZE_TRIAL_H
#define UCORE_FREEZE_TRIAL_H

#include "find/discovery/discovery.h"

struct ucore_dies;

bool ucore_freeze_trial_idle(const struct ucore_disc *disc, const struct ucore_disc_table *t);
s32 ucore_freeze_trial_table(const struct ucore_disc *disc, const struct ucore_disc_table *t,
			     const struct ucore_dies *dies);

#endif /* UCORE_FREEZE_TRIAL_H */
