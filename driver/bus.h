/* SPDX-License-Identifier: GPL-2.0-only */
/* Which die a PCI bus belongs to. */
#ifndef UCORE_BUS_H
#define UCORE_BUS_H

#include <linux/types.h>

#define UCORE_NR_BUSES	256

/* In the place of a die: */
#define UCORE_DIE_UNKNOWN	(-1)	/* nothing tells */
#define UCORE_DIE_OFFLINE	(-2)	/* one of a socket without CPUs online */

/**
 * struct ucore_ubox_map - the function that maps a bus to a socket
 * @device: its PCI device id
 * @nodeid: config offset of CPUNODEID
 * @gidnidmap: config offset of GIDNIDMAP
 */
struct ucore_ubox_map {
	u16 device;
	u16 nodeid;
	u16 gidnidmap;
};

void ucore_bus_map(const struct ucore_ubox_map *ubox, int segment, s16 *die_of_bus);

/* Which socket a UBox function belongs to; pure, for unit tests. */
int ucore_bus_package(u32 nodeid, u32 gidnidmap);

#endif /* UCORE_BUS_H */
