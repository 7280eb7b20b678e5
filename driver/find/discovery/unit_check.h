/* SPDX-License-Identifier: GPL-2.0-only */
/* PMON discovery: decides whether a unit record is a box. Pure functions. */
#ifndef UCORE_UNIT_CHECK_H
#define UCORE_UNIT_CHECK_H

#include "find/discovery/discovery.h"

int ucore_unit_judge(struct ucore_disc *disc, struct ucore_unit *unit);
int ucore_unit_judge_absent(struct ucore_disc *disc);
bool ucore_unit_name_reserved(struct ucore_disc *disc, s32 die, u32 type, u32 id);
int ucore_unit_note_pci(struct ucore_disc *disc, s32 die, const struct ucore_disc_place *place,
			u32 id, u32 segment, u32 bus);
void ucore_unit_limit(struct ucore_disc *disc, s32 die, u32 count);

#endif /* UCORE_UNIT_CHECK_H */
