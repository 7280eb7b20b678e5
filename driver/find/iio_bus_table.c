// SPDX-License-Identifier: GPL-2.0-only
/*
 * PCI root buses of the IIO stacks, from the table of root buses of each package.
 *
 * A root bus is skipped and reported if its id is unknown, if two ids have the same bus, or if its
 * stack has no box. The other root buses are used. Process context, at module load. Only reads
 * registers: 9 of each table, one with the die variant, and one of each package whose die the bus
 * does not give.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/pci.h>

#include "find/die_topology.h"
#include "find/found_boxes.h"
#include "find/iio_bus_table.h"
#include "find/iio_ports.h"
#include "hw/iio_stacks.h"

/**
 * struct package_buses - table of root buses of a package
 * @segment: PCI segment of all buses
 * @die: logical die of the package
 * @valid: mask of the ids with a root bus
 * @bus: number of the root bus of each id
 */
struct package_buses {
	u32 segment;
	u32 die;
	u32 valid;
	u8 bus[MSM_NR_BUSES];
};

/* Return false if the function is a spare, or if its registers cannot be read. */
static bool read_table(struct pci_dev *msm, struct package_buses *buses)
{
	u32 i, reg, val;

	if (pci_read_config_dword(msm, MSM_BUS_MASK, &buses->valid) || buses->valid == ~0U ||
	    !buses->valid)
		return false;
	for (i = 0; i < MSM_NR_BUSES; i++) {
		reg = (i < 16 ? MSM_BUS_LOW : MSM_BUS_HIGH - 16) + i / 4 * 4;
		if (i % 4 == 0 && pci_read_config_dword(msm, reg, &val))
			return false;
		buses->bus[i] = val >> i % 4 * 8;
	}
	buses->segment = pci_domain_nr(msm->bus);
	return true;
}

/* Return the mask of the ids whose bus another id also has. */
static u32 duplicates(const struct package_buses *buses)
{
	u32 i, j, mask = 0;

	for (i = 0; i < MSM_NR_BUSES; i++)
		for (j = 0; j < MSM_NR_BUSES; j++)
			if (i != j && buses->valid & BIT(i) && buses->valid & BIT(j) &&
			    buses->bus[i] == buses->bus[j])
				mask |= BIT(i);
	return mask;
}

/* Return the number of the package in a register of a root bus, -ENOENT if it is absent. */
static int package_of_bus(u32 segment, u32 bus)
{
	struct pci_dev *pdev = NULL;
	u32 val = ~0U;

	while ((pdev = pci_get_device(PCI_VENDOR_ID_INTEL, PCI_ANY_ID, pdev)))
		if (pci_domain_nr(pdev->bus) == segment && pdev->bus->number == bus && !pdev->devfn)
			break;
	if (pdev && pci_read_config_dword(pdev, STACK_SAD_CONTROL_CFG, &val))
		val = ~0U;
	pci_dev_put(pdev);
	return val == ~0U ? -ENOENT : FIELD_GET(STACK_SAD_CONTROL_CFG_PACKAGE, val);
}

/* Return the logical die of a table, or UCORE_DIE_*. */
static int die_of_table(struct pci_dev *msm, const struct package_buses *buses,
			const struct ucore_ubox_map *ubox)
{
	int die = ucore_die_of_bus(msm->bus, ubox), package;

	if (die != UCORE_DIE_UNKNOWN)
		return die;
	package = package_of_bus(buses->segment, buses->bus[__ffs(buses->valid)]);
	return package < 0 ? UCORE_DIE_UNKNOWN : ucore_die_of_package(package);
}

static bool is_doubted(const struct ucore_bus_table *regs)
{
	return boot_cpu_data.x86_model == regs->doubted[0] ||
	       boot_cpu_data.x86_model == regs->doubted[1];
}

/* Set the root buses of the stacks of a die. */
static void set_buses(struct ucore_finder *finder, const struct ucore_bus_table *regs,
		      const struct ucore_iio_map *map, const struct package_buses *buses)
{
	u32 twice = duplicates(buses), unknown = buses->valid & ~regs->no_stacks;
	const struct ucore_iio_stack *stack;
	struct ucore_link_info link = {
		.kind = UCORE_LINK_BUS, .segment = buses->segment,
	};

	for (stack = map->stacks; stack < map->stacks + map->nr; stack++) {
		if (!(buses->valid & BIT(stack->id)))
			continue;
		unknown &= ~BIT(stack->id);
		if (twice & BIT(stack->id))
			continue;
		link.bus = buses->bus[stack->id];
		link.flags = stack->unverified || is_doubted(regs) ? UCORE_LINK_F_UNVERIFIED : 0;
		if (!ucore_port_set_bus(finder, buses->die, stack->stack, &link, stack->ports))
			pr_info("die %u: root bus %04x:%02x belongs to IIO stack %u, which has no box\n",
				buses->die, link.segment, link.bus, stack->stack);
	}
	if (twice)
		pr_info("die %u: the table of root buses is contradictory, ids in the mask %#x have no bus of their own\n",
			buses->die, twice);
	if (unknown)
		pr_info("die %u: the stacks of the root buses with the ids in the mask %#x are unknown\n",
			buses->die, unknown);
}

/* Return the stacks of this machine's die variant, NULL if the variant is unknown. */
static const struct ucore_iio_map *map_find(const struct ucore_bus_table *regs)
{
	const struct ucore_iio_map *map;
	struct pci_dev *pdev = NULL;
	u32 val = ~0U;

	if (!regs->variant_device)
		return regs->maps;
	while (val == ~0U &&
	       (pdev = pci_get_device(PCI_VENDOR_ID_INTEL, regs->variant_device, pdev)))
		if (pdev->devfn != regs->variant_devfn ||
		    pci_read_config_dword(pdev, regs->variant_reg, &val))
			val = ~0U;
	pci_dev_put(pdev);
	for (map = regs->maps; val != ~0U && map < regs->maps + regs->nr_maps; map++)
		if ((val & regs->variant_field) >> __ffs(regs->variant_field) == map->variant)
			return map;
	return NULL;
}

/**
 * ucore_stacks_find() - set the root bus of each IIO stack from the tables of all packages
 * @finder: collection of box descriptions, in which this function sets the members link and ports
 * @regs: table of the platform
 * @ubox: UBox function, whose registers map a bus to a socket; may be NULL
 */
void ucore_stacks_find(struct ucore_finder *finder, const struct ucore_bus_table *regs,
		       const struct ucore_ubox_map *ubox)
{
	const struct ucore_iio_map *map = NULL;
	struct package_buses buses;
	struct pci_dev *msm = NULL;
	int die;

	while ((msm = pci_get_device(PCI_VENDOR_ID_INTEL, MSM_PCI_TABLE, msm))) {
		if (!read_table(msm, &buses))
			continue;
		map = map ?: map_find(regs);
		if (!map) {
			pr_info("the IIO stacks of the root buses are unknown, because the die variant is unknown\n");
			pci_dev_put(msm);
			return;
		}
		die = die_of_table(msm, &buses, ubox);
		if (die < 0) {
			pr_info("the die of the table of root buses at %s is unknown\n",
				pci_name(msm));
			continue;
		}
		buses.die = die;
		set_buses(finder, regs, map, &buses);
	}
}
