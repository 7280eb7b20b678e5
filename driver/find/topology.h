/* SPDX-License-Identifier: GPL-2.0-only */
/* Which dies there are, and which of them a PCI bus belongs to. */
#ifndef UCORE_TOPOLOGY_H
#define UCORE_TOPOLOGY_H

#include <linux/types.h>

struct pci_bus;

#define UCORE_NR_BUSES	256

/* In the place of a die: */
#define UCORE_DIE_UNKNOWN	(-1)	/* nothing tells */
#define UCORE_DIE_OFFLINE	(-2)	/* one of a socket without CPUs online */

/**
 * struct ucore_ubox_map - the function that maps a bus to a socket
 * @device: its PCI device id
 * @nodeid: config offset of CPUNODEID
 * @gidnidmap: config offset of GIDNIDMAP
 * @lower: a bus without one belongs to the next lower bus that has one, not to the
 *         next higher
 */
struct ucore_ubox_map {
	u16 device;
	u16 nodeid;
	u16 gidnidmap;
	bool lower;
};

/**
 * struct ucore_dies - a list of dies
 * @id: their logical ids, ascending
 * @nr: how many
 * @max: room for how many
 */
struct ucore_dies {
	u32 *id;
	u32 nr;
	u32 max;
};

int ucore_dies_list(struct ucore_dies *dies);
void ucore_dies_free(struct ucore_dies *dies);
int ucore_cpu_of_die(s32 die);
int ucore_die_of_bus(struct pci_bus *bus, const struct ucore_ubox_map *ubox);
void ucore_bus_map(const struct ucore_ubox_map *ubox, int segment, s16 *die_of_bus);
int ucore_die_of_node_id(const struct ucore_ubox_map *ubox, u32 node);

/* Which socket a UBox function belongs to; pure, for unit tests. */
int ucore_bus_package(u32 nodeid, u32 gidnidmap);

#endif /* UCORE_TOPOLOGY_H */
