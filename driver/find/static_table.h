/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding the boxes of a generation without discovery from its static table. */
#ifndef UCORE_E5_H
#define UCORE_E5_H

#include "find/static_table_desc.h"
#include "find/finder.h"

int ucore_static_table_find(struct ucore_finder *finder, const struct ucore_platform *platform);

#endif /* UCORE_E5_H */
