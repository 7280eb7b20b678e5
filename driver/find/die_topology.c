// SPDX-License-Identifier: GPL-2.0-only
/*
 * Die topology: the dies of the machine, their CPUs, and the die of each PCI bus.
 *
 * The UBox function of each socket contains the number of the socket, in registers whose offsets
 * depend on the processor generation. Process context, at module load.
 */
#include <linux/cpu.h>
#include <linux/minmax.h>
#include <linux/nodemask.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "compat.h"
#include "find/array.h"
#include "find/die_topology.h"

/* Largest number of sockets, because a node id has three bits in CPUNODEID and GIDNIDMAP */
#define UBOX_NODES	8

/**
 * ucore_dies_list() - list the dies with an online CPU, in ascending order
 * @dies: empty list that receives the logical die ids
 *
 * Return: 0 or -ENOMEM; the list must be freed in both cases.
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
 * ucore_dies_free() - free a list of dies
 * @dies: list of dies; empty afterwards
 */
void ucore_dies_free(struct ucore_dies *dies)
{
	kvfree(dies->id);
	*dies = (struct ucore_dies){ };
}

/**
 * ucore_cpu_of_die() - find an online CPU of a die
 * @die: logical die id
 *
 * The caller holds the CPU hotplug lock.
 *
 * Return: the first online CPU of the die, nr_cpu_ids if there is none.
 */
int ucore_cpu_of_die(s32 die)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (topology_logical_die_id(cpu) == die)
			return cpu;
	return nr_cpu_ids;
}

/*
 * Return true if a package has several dies, as on Cascade Lake-AP. The caller holds the CPU
 * hotplug lock.
 */
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

/**
 * ucore_die_of_package() - find the die with the number that its UBox or stacks contain
 * @number: number of a package, or of a die if packages have several dies
 *
 * Return: logical die id, or UCORE_DIE_OFFLINE if this die has no online CPU.
 */
int ucore_die_of_package(u32 number)
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
 * ucore_bus_package() - decode the socket number in the registers of a UBox
 * @nodeid: value of CPUNODEID, the node id of the UBox's socket
 * @gidnidmap: value of GIDNIDMAP, whose field i contains the node id of socket i
 *
 * Return: physical package id, or logical die id if sockets have several dies; -ENOENT if no
 * field of @gidnidmap contains the node id.
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

/*
 * Return the logical die id if the machine has a single die with online CPUs, otherwise
 * UCORE_DIE_UNKNOWN.
 */
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

/* Return the die that all CPUs of a NUMA node belong to, or UCORE_DIE_*. */
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

/*
 * Return the number of the socket in the registers of a UBox function, -ENOENT if they contain
 * none, -EIO if they cannot be read.
 */
static int ubox_number(struct pci_dev *pdev, const struct ucore_ubox_map *ubox)
{
	u32 nodeid, map;

	if (pci_read_config_dword(pdev, ubox->nodeid, &nodeid) ||
	    pci_read_config_dword(pdev, ubox->gidnidmap, &map))
		return -EIO;
	return ucore_bus_package(nodeid, map);
}

/* Return true if the machine has so few UBoxes that each can have its own node id. */
static bool node_ids_unique(const struct ucore_ubox_map *ubox)
{
	struct pci_dev *pdev = NULL;
	u32 n = 0;

	while ((pdev = pci_get_device(PCI_VENDOR_ID_INTEL, ubox->device, pdev)))
		n++;
	return n <= UBOX_NODES;
}

/*
 * Return the logical die of a UBox function, or UCORE_DIE_*. @unique is the result of
 * node_ids_unique(). On a machine with more than eight NUMA nodes, the node of the bus has
 * priority. The node is unknown if firmware does not report it (ACPI _PXM), and it does not
 * identify a die if it has no CPU.
 */
static int die_of_ubox(struct pci_dev *pdev, const struct ucore_ubox_map *ubox, bool unique)
{
	int number = unique ? ubox_number(pdev, ubox) : -ENOENT;
	int die = die_of_node(pcibus_to_node(pdev->bus));

	if (number >= 0 && (die < 0 || num_online_nodes() <= UBOX_NODES))
		return ucore_die_of_package(number);
	if (die >= 0)
		return die;
	/* bus_map() replaces UCORE_DIE_UNKNOWN by the die of a neighbouring bus */
	return number == -EIO ? UCORE_DIE_UNKNOWN : UCORE_DIE_NO_NODE;
}

/*
 * Set @die_of_bus to the die of each bus of a PCI segment. @die is the initial die, which all
 * buses get if the segment has no UBox.
 */
static void bus_map(const struct ucore_ubox_map *ubox, int segment, int die, s16 *die_of_bus)
{
	bool unique = node_ids_unique(ubox);
	struct pci_dev *pdev = NULL;
	int i, bus;

	for (bus = 0; bus < UCORE_NR_BUSES; bus++)
		die_of_bus[bus] = UCORE_DIE_UNKNOWN;

	while ((pdev = pci_get_device(PCI_VENDOR_ID_INTEL, ubox->device, pdev)))
		if (pci_domain_nr(pdev->bus) == segment)
			die_of_bus[pdev->bus->number] = die_of_ubox(pdev, ubox, unique);

	for (i = 0; i < UCORE_NR_BUSES; i++) {
		bus = ubox->lower ? i : UCORE_NR_BUSES - 1 - i;
		if (die_of_bus[bus] != UCORE_DIE_UNKNOWN)
			die = die_of_bus[bus];
		else
			die_of_bus[bus] = die;
	}
}

/**
 * ucore_bus_map() - find the die of each PCI bus of a segment
 * @ubox: UBox function, whose registers map a bus to a socket
 * @segment: number of the PCI segment
 * @die_of_bus: out: logical die of each of UCORE_NR_BUSES buses, or UCORE_DIE_*
 *
 * A bus with a UBox belongs to the UBox's socket. A bus without a UBox (an IIO bus) belongs to
 * the socket of the next higher bus with a UBox. On some generations the next lower bus applies
 * (@ubox->lower). The registers can number up to eight sockets. On larger machines only the NUMA
 * nodes of the buses are used.
 */
void ucore_bus_map(const struct ucore_ubox_map *ubox, int segment, s16 *die_of_bus)
{
	bus_map(ubox, segment, only_die(), die_of_bus);
}

/**
 * ucore_die_of_bus() - find the die of one PCI bus
 * @bus: PCI bus
 * @ubox: UBox function, whose registers map a bus to a socket; used if the NUMA node of the bus
 *        does not identify the die. May be NULL.
 *
 * Return: logical die id, or UCORE_DIE_*.
 */
int ucore_die_of_bus(struct pci_bus *bus, const struct ucore_ubox_map *ubox)
{
	int die = die_of_node(pcibus_to_node(bus));
	s16 map[UCORE_NR_BUSES];

	if (die >= 0 || !ubox)
		return die;
	/*
	 * A NUMA node without an online CPU may be in the same socket as another node. The UBox
	 * finds the socket in this case.
	 */
	bus_map(ubox, pci_domain_nr(bus), die == UCORE_DIE_OFFLINE ? die : only_die(), map);
	return map[bus->number];
}

/**
 * ucore_die_of_node_id() - find the die with a node id in the numbering of the UBoxes
 * @ubox: UBox function, whose register GIDNIDMAP maps nodes to sockets and has the same value on
 *        all sockets
 * @node: node id
 *
 * Return: logical die id, or UCORE_DIE_*.
 */
int ucore_die_of_node_id(const struct ucore_ubox_map *ubox, u32 node)
{
	struct pci_dev *pdev = NULL;
	int number = -ENOENT;
	u32 map;

	if (node >= UBOX_NODES || !node_ids_unique(ubox))
		return UCORE_DIE_UNKNOWN;
	while (number < 0 && (pdev = pci_get_device(PCI_VENDOR_ID_INTEL, ubox->device, pdev)))
		if (!pci_read_config_dword(pdev, ubox->gidnidmap, &map))
			number = ucore_bus_package(node, map);
	pci_dev_put(pdev);
	return number < 0 ? UCORE_DIE_UNKNOWN : ucore_die_of_package(number);
}
