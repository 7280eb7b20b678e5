/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Discovery tables for people and programs.
 */
#ifndef UCORETOOL_TABLES_H
#define UCORETOOL_TABLES_H

#include "output/table.h"
#include "tool.h"

/** discovery_rejected() - print what became no box, and why; returns an exit code */
int discovery_rejected(struct tool *tool, struct ucore_device *dev, const struct out *how,
		       const char *pattern);

/** discovery_dump() - print all tables and units, decoded; returns an exit code */
int discovery_dump(struct tool *tool, struct ucore_device *dev, bool json);

#endif /* UCORETOOL_TABLES_H */
