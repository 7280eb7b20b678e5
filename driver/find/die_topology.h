/* SPDX-License-Identifier: GPL-2.0-only */
/* Die topology: the dies of the machine, their CPUs, and the die of each PCI bus. */
#ifndef UCORE_DIE_TOPOLOGY_H
#define UCORE_DIE_TOPOLOGY_H

#include <linux/types.h>

struct pci_bus;

#define UCORE_NR_BUSES	256

/* Special values of a logical die id */
#define UCORE_DIE_UNKNOWN	(-1)	/* the die cannot be found */
#define UCORE_DIE_OFFLINE	(-2)	/* die of a socket without an online CPU */
#define UCORE_DIE_NO_NODE	(-3)	/* neither the UBox nor the bus's NUMA node gives the die */

/**
 * struct ucore_ubox_map - UBox function, whose registers contain the number of its socket
 * @device: PCI device id of the UBox function
 * @nodeid: config offset of the register CPUNODEID
 * @gidnidmap: config offset of the register GIDNIDMAP
 * @lower: a PCI bus without a UBox belongs to the socket of the next lower bus with a UBox if
 *         true, of the next higher bus with a UBox if false
 */
struct ucore_ubox_map {
	u16 device;
	u16 nodeid;
	u16 gidnidmap;
	bool lower;
};

/**
 * struct ucore_dies - list of the dies that have an online CPU
 * @id: logical die ids, ascending
 * @nr: number of dies
 * @max: number of dies that @id has room for
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
int ucore_die_of_package(u32 number);
int ucore_die_of_node_id(const struct ucore_ubox_map *ubox, u32 node);

/* Pure function, exported for unit tests: */
int ucore_bus_package(u32 nodeid, u32 gidnidmap);

#endif /* UCORE_DIE_TOPOLOGY_H */
