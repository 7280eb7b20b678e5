// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding memory controllers whose registers are in memory: Ice Lake-SP, Snow Ridge.
 *
 * A PCI function of each socket tells where its controllers are.  What it tells is
 * believed when it can be registers, and no other box's or device's; a box exists if it
 * answers there.  Process context, at load; only reads.
 */
#include <linux/io.h>
#include <linux/pci.h>

#include "find/mmio_imc.h"
#include "find/memory.h"
#include "find/regions.h"
#include "hw/imc_map.h"

static u64 box_address(const struct ucore_e5_mmio *row, u64 controller, u32 i)
{
	return controller + row->first + i * row->stride;
}

struct search {
	struct ucore_finder *finder;
	const struct ucore_e5_table *table;
	struct ucore_regions others;
};

/* Why a controller cannot be at an address; NULL if it can. */
static const char *refusal(const struct search *search, u64 controller)
{
	const struct ucore_e5_table *table = search->table;
	const struct ucore_e5_mmio *row;
	u64 address;
	u32 i;

	for (row = table->mmio; row < table->mmio + table->nr_mmio; row++) {
		for (i = 0; i < row->nr; i++) {
			address = box_address(row, controller, i);
			if (!ucore_memory_is_safe(address, row->size))
				return "is RAM, an APIC or no address";
			if (ucore_regions_have(&search->others, address, row->size, false))
				return "is another device's";
			if (ucore_finder_has(search->finder, address, row->size))
				return "is another controller's";
		}
	}
	return NULL;
}

/* A channel that is not there may read all ones; a counter has no upper half like that. */
static bool box_there(const struct ucore_e5_mmio *row, u64 address)
{
	u32 reg = row->type->nr_gp ? ucore_layout_first(row->layout) :
		  row->layout->fixed_ctr[0] + sizeof(u32);
	void __iomem *base = ucore_memory_map(address, row->size);
	bool there;

	if (!base)
		return false;
	there = readl(base + reg) != ~0U;
	iounmap(base);
	return there;
}

/* Controller @m of a die: all boxes of each row. */
static int add_controller(struct ucore_finder *finder, const struct ucore_e5_table *table, u32 die,
			  u32 m, u64 controller)
{
	const struct ucore_e5_mmio *row;
	int ret = 0;
	u32 i;

	for (row = table->mmio; row < table->mmio + table->nr_mmio; row++) {
		for (i = 0; i < row->nr && !ret; i++) {
			const struct ucore_box_desc desc = {
				.type = row->type,
				.layout = row->layout,
				.global = table->global,
				.global_gp = row->global_gp,
				.global_fixed = row->global_fixed,
				.die = die,
				.instance = m * row->nr + i,
				.phys = box_address(row, controller, i),
				.size = row->size,
			};

			if (!ucore_finder_knows(finder, &desc) && box_there(row, desc.phys))
				ret = ucore_finder_add(finder, &desc);
		}
	}
	return ret;
}

static int find_controllers(const struct search *search, struct pci_dev *pdev, u32 die)
{
	u32 m, base, offset;
	const char *why;
	u64 controller;
	int ret = 0;

	if (pci_read_config_dword(pdev, IMC_MAP_BASE, &base) || base == ~0U ||
	    !(base & IMC_MAP_BASE_BITS)) {
		pci_info(pdev, "ucore: tells no address of memory controllers\n");
		return 0;
	}
	for (m = 0; m < search->table->nr_imc && !ret; m++) {
		if (pci_read_config_dword(pdev, IMC_MAP_OFFSET(m), &offset) || offset == ~0U ||
		    !(offset & IMC_MAP_OFFSET_BITS)) {
			pci_info(pdev, "ucore: tells no address of memory controller %u\n", m);
			continue;
		}
		controller = IMC_MAP_ADDRESS(base, offset);
		why = refusal(search, controller);
		if (why)
			pci_info(pdev, "ucore: address %#llx of memory controller %u %s\n",
				 controller, m, why);
		else
			ret = add_controller(search->finder, search->table, die, m, controller);
	}
	return ret;
}

/**
 * ucore_mmio_imc_find() - the memory controllers in memory of all sockets of a segment
 * @finder: takes the descriptions
 * @table: says which boxes they have; may have none
 * @segment: PCI segment
 * @die_of_bus: logical die of each of its buses, or UCORE_DIE_*
 *
 * Return: 0 or -ENOMEM; no controller at all is no error.
 */
int ucore_mmio_imc_find(struct ucore_finder *finder, const struct ucore_e5_table *table, int segment,
		   const s16 *die_of_bus)
{
	struct search search = { .finder = finder, .table = table };
	struct pci_dev *pdev = NULL;
	int die, ret;

	if (!table->nr_mmio)
		return 0;
	ret = ucore_regions_collect(&search.others, NULL, NULL);
	while (!ret && (pdev = pci_get_device(PCI_VENDOR_ID_INTEL, table->imc_map, pdev))) {
		if (pci_domain_nr(pdev->bus) != segment)
			continue;
		die = die_of_bus[pdev->bus->number];
		if (die < 0)
			pci_info(pdev, "ucore: belongs to no socket that is online\n");
		else
			ret = find_controllers(&search, pdev, die);
	}
	pci_dev_put(pdev);	/* not NULL if the loop was left early */
	ucore_regions_drop(&search.others);
	return ret;
}
