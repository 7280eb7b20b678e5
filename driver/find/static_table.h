/* SPDX-License-Identifier: GPL-2.0-only */
/* Finder for processor generations without discovery tables: reads a static table. */
#ifndef UCORE_STATIC_TABLE_H
#define UCORE_STATIC_TABLE_H

#include "find/found_boxes.h"
#include "find/static_table_desc.h"

int ucore_static_table_add(struct ucore_finder *finder, const struct ucore_static_table *table);
int ucore_static_table_find(struct ucore_finder *finder, const struct ucore_platform *platform);

#endif /* UCORE_STATIC_TABLE_H */
