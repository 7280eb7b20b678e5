/* SPDX-License-Identifier: GPL-2.0-only */
/* Platforms that describe their boxes themselves: what their files in platforms/ use. */
#ifndef UCORE_FIND_H
#define UCORE_FIND_H

#include "find/finder.h"

int ucore_discovery_find(struct ucore_finder *finder, const struct ucore_platform *platform);
void ucore_discovery_drop(void);

extern const struct ucore_report ucore_disc_report;

#endif /* UCORE_FIND_H */
