/* SPDX-License-Identifier: GPL-2.0-only */
/* Platforms that describe their boxes themselves: what their tables/ files use. */
#ifndef UCORE_DISCOVERY_PCI_H
#define UCORE_DISCOVERY_PCI_H

#include "platform.h"

int ucore_discovery_find(struct ucore_finder *finder, const struct ucore_platform *platform);
void ucore_discovery_drop(void);

extern const struct ucore_report ucore_discovery_report;

#endif /* UCORE_DISCOVERY_PCI_H */
