// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which die does a PCI bus belong to?
 *
 * Each socket's UBox function tells its socket's number, in registers that
 * differ in place from generation to generation.  Process context, at load.
 */
#include <linux/cpu.h>
#include <linux/minmax.h>
#include <linux/pci.h>

#include "bus.h"
#include "platform.h"

/**
 * ucore_bus_package() - socket of a UBox
 * @nodeid: its CPUNODEID register
 * @gidnidmap: its GIDNIDMAP register: field i holds the node id of socket i
 *
 * Return: physical package id, or -ENOENT if no field holds the node.
 */
int ucore_bus_package(u32 nodeid, u32 gidnidmap)
{
	u32 node = nodeid & 7;
	int i;

	for (i = 0; i < 8; i++)
		if (((gidnidmap >> (3 * i)) & 7) == node)
			return i;
	return -ENOENT;
}

/* The only socket, if there is but one: then no map is needed. */
static int only_die(void)
{
	int cpu, die = UCORE_DIE_UNKNOWN;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (die == UCORE_DIE_UNKNOWN)
			die = topology_logical_die_id(cpu);
		if (die != topology_logical_die_id(cpu)) {
			die = UCORE_DIE_UNKNOWN;
			break;
		}
	}
	cpus_read_unlock();
	return die;
}

/**
 * ucore_bus_map() - which die does each PCI bus belong to?
 * @ubox: the function that tells
 * @segment: PCI segment
 * @die_of_bus: out: logical die of each of UCORE_NR_BUSES buses, or UCORE_DIE_*
 *
 * A bus with a UBox belongs to the UBox's socket, one without (an IIO bus) to
 * that of the next higher bus that has one.
 */
void ucore_bus_map(const struct ucore_ubox_map *ubox, int segment, s16 *die_of_bus)
{
	struct pci_dev *pdev = NULL;
	u32 nodeid, map;
	int bus, die = only_die(), package, found;

	for (bus = 0; bus < UCORE_NR_BUSES; bus++)
		die_of_bus[bus] = UCORE_DIE_UNKNOWN;

	while ((pdev = pci_get_device(PCI_VENDOR_ID_INTEL, ubox->device, pdev))) {
		if (pci_domain_nr(pdev->bus) != segment ||
		    pci_read_config_dword(pdev, ubox->nodeid, &nodeid) ||
		    pci_read_config_dword(pdev, ubox->gidnidmap, &map))
			continue;
		package = ucore_bus_package(nodeid, map);
		found = package < 0 ? UCORE_DIE_OFFLINE : ucore_platform_die_of_package(package);
		die_of_bus[pdev->bus->number] = max(found, UCORE_DIE_OFFLINE);
	}

	for (bus = UCORE_NR_BUSES - 1; bus >= 0; bus--) {
		if (die_of_bus[bus] != UCORE_DIE_UNKNOWN)
			die = die_of_bus[bus];
		else
			die_of_bus[bus] = die;
	}
}
