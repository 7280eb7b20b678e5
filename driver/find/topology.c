// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which dies are there, which CPUs do they have, and which die does a PCI bus
 * belong to?
 *
 * Each socket's UBox function tells its socket's number, in registers that
 * differ in place from generation to generation.  Process context, at load.
 */
#include <linux/cpu.h>
#include <linux/minmax.h>
#include <linux/nodemask.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "compat.h"
#include "find/array.h"
#include "find/topology.h"

/* CPUNODEID and GIDNIDMAP tell nodes by three bits. */
#define UBOX_NODES	8

/**
 * ucore_dies_list() - the dies with a CPU online, in order
 * @dies: an empty list
 *
 * Return: 0 or -ENOMEM; the list can be freed in any case.
 */
int ucore_dies_list(struct ucore_dies *dies)
{
	u32 *array, i, die;
	int cpu, ret = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		die = topology_logical_die_id(cpu);
		for (i = 0; i < dies->nr && dies->id[i] < die; i++)
			;
		if (i < dies->nr && dies->id[i] == die)
			continue;
		array = ucore_array_grow(dies->id, dies->nr, &dies->max, sizeof(*array));
		if (!array) {
			ret = -ENOMEM;
			break;
		}
		dies->id = array;
		memmove(&array[i + 1], &array[i], (dies->nr - i) * sizeof(*array));
		array[i] = die;
		dies->nr++;
	}
	cpus_read_unlock();
	return ret;
}

/**
 * ucore_dies_free() - forget a list
 * @dies: the list; it is empty afterwards
 */
void ucore_dies_free(struct ucore_dies *dies)
{
	kvfree(dies->id);
	*dies = (struct ucore_dies){ };
}

/**
 * ucore_cpu_of_die() - a CPU of a die
 * @die: logical die
 *
 * CPU hotplug is held off.
 *
 * Return: the first that is online, nr_cpu_ids if there is none.
 */
int ucore_cpu_of_die(s32 die)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (topology_logical_die_id(cpu) == die)
			return cpu;
	return nr_cpu_ids;
}

/* Is there a package of several dies, as Cascade Lake-AP is?  CPU hotplug is held off. */
static bool packages_have_dies(void)
{
	int cpu, other, package;

	for_each_online_cpu(cpu) {
		package = topology_physical_package_id(cpu);
		for_each_online_cpu(other)
			if (topology_physical_package_id(other) == package &&
			    topology_logical_die_id(other) != topology_logical_die_id(cpu))
				return true;
	}
	return false;
}

/*
 * The logical die that UBoxes number @number, UCORE_DIE_OFFLINE if none of its CPUs is
 * online.  They number packages, and dies where packages have several.
 */
static int die_of_ubox_number(u32 number)
{
	int cpu, die = UCORE_DIE_OFFLINE;
	bool dies;

	cpus_read_lock();
	dies = packages_have_dies();
	for_each_online_cpu(cpu) {
		if ((dies ? topology_logical_die_id(cpu) : topology_physical_package_id(cpu)) ==
		    number) {
			die = topology_logical_die_id(cpu);
			break;
		}
	}
	cpus_read_unlock();
	return die;
}

/**
 * ucore_bus_package() - socket of a UBox; die, where a socket has several
 * @nodeid: its CPUNODEID register
 * @gidnidmap: its GIDNIDMAP register: field i holds the node id of socket i
 *
 * Return: physical package id (logical die), or -ENOENT if no field holds the node.
 */
int ucore_bus_package(u32 nodeid, u32 gidnidmap)
{
	u32 node = nodeid & 7;
	int i;

	for (i = 0; i < UBOX_NODES; i++)
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

/* The die of all of a NUMA node's CPUs, or UCORE_DIE_*. */
static int die_of_node(int node)
{
	int cpu, die = UCORE_DIE_OFFLINE;

	if (node == NUMA_NO_NODE || num_online_nodes() < 2)
		return UCORE_DIE_UNKNOWN;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (cpu_to_node(cpu) != node)
			continue;
		if (die >= 0 && die != topology_logical_die_id(cpu)) {
			die = UCORE_DIE_UNKNOWN;
			break;
		}
		die = topology_logical_die_id(cpu);
	}
	cpus_read_unlock();
	return die;
}

/* The die of a bus with a UBox; UCORE_DIE_OFFLINE if that cannot be told. */
static int die_of_ubox(struct pci_dev *pdev, const struct ucore_ubox_map *ubox)
{
	int die, number;
	u32 nodeid, map;

	if (num_online_nodes() > UBOX_NODES) {
		die = die_of_node(pcibus_to_node(pdev->bus));
		/* not that of a neighbour, then */
		return die == UCORE_DIE_UNKNOWN ? UCORE_DIE_OFFLINE : die;
	}
	if (pci_read_config_dword(pdev, ubox->nodeid, &nodeid) ||
	    pci_read_config_dword(pdev, ubox->gidnidmap, &map))
		return UCORE_DIE_UNKNOWN;
	number = ucore_bus_package(nodeid, map);
	return number < 0 ? UCORE_DIE_OFFLINE : die_of_ubox_number(number);
}

/* @die: of buses whose segment has no UBox */
static void bus_map(const struct ucore_ubox_map *ubox, int segment, int die, s16 *die_of_bus)
{
	struct pci_dev *pdev = NULL;
	int i, bus, found;

	for (bus = 0; bus < UCORE_NR_BUSES; bus++)
		die_of_bus[bus] = UCORE_DIE_UNKNOWN;

	while ((pdev = pci_get_device(PCI_VENDOR_ID_INTEL, ubox->device, pdev))) {
		if (pci_domain_nr(pdev->bus) != segment)
			continue;
		found = die_of_ubox(pdev, ubox);
		if (found != UCORE_DIE_UNKNOWN)
			die_of_bus[pdev->bus->number] = found;
	}

	for (i = 0; i < UCORE_NR_BUSES; i++) {
		bus = ubox->lower ? i : UCORE_NR_BUSES - 1 - i;
		if (die_of_bus[bus] != UCORE_DIE_UNKNOWN)
			die = die_of_bus[bus];
		else
			die_of_bus[bus] = die;
	}
}

/**
 * ucore_bus_map() - which die does each PCI bus belong to?
 * @ubox: the function that tells
 * @segment: PCI segment
 * @die_of_bus: out: logical die of each of UCORE_NR_BUSES buses, or UCORE_DIE_*
 *
 * A bus with a UBox belongs to the UBox's socket, one without (an IIO bus) to
 * that of the next higher bus that has one, or the next lower, as the generation
 * has it.  The registers number no more than eight nodes: where there are more,
 * NUMA tells.
 */
void ucore_bus_map(const struct ucore_ubox_map *ubox, int segment, s16 *die_of_bus)
{
	bus_map(ubox, segment, only_die(), die_of_bus);
}

/**
 * ucore_die_of_bus() - the die that one PCI bus belongs to
 * @bus: the bus
 * @ubox: the function that tells, where NUMA does not; NULL if there is none
 *
 * Return: its logical die, or UCORE_DIE_*.
 */
int ucore_die_of_bus(struct pci_bus *bus, const struct ucore_ubox_map *ubox)
{
	int die = die_of_node(pcibus_to_node(bus));
	s16 map[UCORE_NR_BUSES];

	if (die >= 0 || !ubox)
		return die;
	/* a node without a CPU online may be of a socket that has others: the UBox knows */
	bus_map(ubox, pci_domain_nr(bus), die == UCORE_DIE_OFFLINE ? die : only_die(), map);
	return map[bus->number];
}

/**
 * ucore_die_of_node_id() - the die that a node id means to other sockets
 * @ubox: the function that tells: of any socket, they agree
 * @node: node id
 *
 * Return: its logical die, or UCORE_DIE_*.
 */
int ucore_die_of_node_id(const struct ucore_ubox_map *ubox, u32 node)
{
	struct pci_dev *pdev = NULL;
	int number = -ENOENT;
	u32 map;

	if (node >= UBOX_NODES || num_online_nodes() > UBOX_NODES)
		return UCORE_DIE_UNKNOWN;
	while (number < 0 && (pdev = pci_get_device(PCI_VENDOR_ID_INTEL, ubox->device, pdev)))
		if (!pci_read_config_dword(pdev, ubox->gidnidmap, &map))
			number = ucore_bus_package(node, map);
	pci_dev_put(pdev);
	return number < 0 ? UCORE_DIE_UNKNOWN : die_of_ubox_number(number);
}
