/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output of the firmware's discovery tables, as text and as JSON.
 */
#ifndef UCORETOOL_DISCOVERY_DUMP_H
#define UCORETOOL_DISCOVERY_DUMP_H

#include "output/table.h"
#include "tool.h"

/** discovery_rejected() - print rejected units and tables with the reason; return an exit code */
int discovery_rejected(struct tool *tool, struct ucore_device *dev, const struct out *how,
		       const char *pattern);

/** discovery_dump() - print all tables and units, decoded; return an exit code */
int discovery_dump(struct tool *tool, struct ucore_device *dev, bool json);

#endif /* UCORETOOL_DISCOVERY_DUMP_H */
