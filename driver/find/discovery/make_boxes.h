/* SPDX-License-Identifier: GPL-2.0-only */
/* PMON discovery: finds the boxes of platforms with discovery tables. */
#ifndef UCORE_MAKE_BOXES_H
#define UCORE_MAKE_BOXES_H

#include "find/found_boxes.h"

int ucore_discovery_find(struct ucore_finder *finder, const struct ucore_platform *platform);
void ucore_discovery_drop(void);

extern const struct ucore_report ucore_discovery_report;

#endif /* UCORE_MAKE_BOXES_H */
