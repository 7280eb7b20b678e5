// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stubs of driver functions to which the platforms' tables refer and which are never called.
 */
#include <linux/errno.h>

#include "find/discovery/make_boxes.h"

int ucore_discovery_find(struct ucore_finder *finder, const struct ucore_platform *platform)
{
	return -ENODEV;
}

void ucore_discovery_drop(void)
{
}

const struct ucore_report ucore_discovery_report;
