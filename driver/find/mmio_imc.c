// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finder of the boxes of memory-mapped memory controllers: Ice Lake-SP, Snow Ridge, client
 * processors.
 *
 * A PCI function of each socket contains the physical addresses of the memory controllers. On
 * client processors the host bridge contains the address of the first one. An address is used only
 * if registers can be there and neither another box nor another device uses it. A box exists if its
 * registers do not read all ones. Process context, at module load. Only reads registers.
 */
#include <linux/io.h>
#include <linux/pci.h>

#include "find/iomem_resources.h"
#include "find/mmio_imc.h"
#include "hw/client.h"
#include "hw/imc_map.h"

static u64 box_address(const struct ucore_static_mmio *row, u64 controller, u32 i)
{
	return controller + row->first + i * row->stride;
}

struct search {
	struct ucore_finder *finder;
	const struct ucore_static_table *table;
	struct ucore_regions foreign;
};

/* Return the reason why a memory controller cannot be at an address, NULL if it can be there. */
static const char *address_problem(const struct search *search, u64 controller)
{
	const struct ucore_static_table *table = search->table;
	const struct ucore_static_mmio *row;
	u64 address;
	u32 i;

	for (row = table->mmio; row < table->mmio + table->nr_mmio; row++) {
		for (i = 0; i < row->nr; i++) {
			address = box_address(row, controller, i);
			if (!ucore_resource_is_safe(address, row->size, table->mchbar))
				return "not an address of registers";
			if (ucore_resource_overlaps(&search->foreign, address, row->size, false))
				return "used by another device";
			if (ucore_finder_has(search->finder, address, row->size))
				return "used by another box";
		}
	}
	return NULL;
}

/*
 * Return the offset of the dword that is read to find whether a box exists. The registers of an
 * absent memory channel may read all ones. The box control of an existing box and the high dword of
 * an existing free-running counter never read all ones. A counter of 32 bits may.
 */
static u32 first_dword(const struct ucore_static_mmio *row)
{
	if (row->type->nr_gp)
		return ucore_layout_first(row->layout);
	return row->layout->fixed_ctr[0] + (row->type->fixed_width > 32 ? sizeof(u32) : 0);
}

static bool box_exists(const struct ucore_static_mmio *row, u64 address)
{
	u32 reg = first_dword(row);
	void __iomem *base = ucore_resource_map(address, row->size);
	bool exists;

	if (!base)
		return false;
	exists = readl(base + reg) != ~0U;
	iounmap(base);
	return exists;
}

/* Add all boxes of memory controller @m of a die, whose physical address is @controller. */
static int add_controller(struct ucore_finder *finder, const struct ucore_static_table *table,
			  u32 die, u32 m, u64 controller)
{
	const struct ucore_static_mmio *row;
	int ret = 0;
	u32 i;

	for (row = table->mmio; row < table->mmio + table->nr_mmio; row++) {
		for (i = 0; i < row->nr && !ret; i++) {
			const struct ucore_box_desc desc = {
				.type = row->type,
				.layout = row->layout,
				.global = row->apart ? NULL : table->global,
				.global_gp = row->global_gp,
				.global_fixed = row->global_fixed,
				.die = die,
				.instance = m * row->nr + i,
				.phys = box_address(row, controller, i),
				.size = row->size,
			};

			if (!ucore_finder_knows(finder, &desc) && box_exists(row, desc.phys))
				ret = ucore_finder_add(finder, &desc);
		}
	}
	return ret;
}

/* Add the boxes of memory controller @m of a die, unless registers cannot be at the address. */
static int check_controller(const struct search *search, struct pci_dev *pdev, u32 die, u32 m,
			    u64 controller)
{
	const char *problem = address_problem(search, controller);

	if (!problem)
		return add_controller(search->finder, search->table, die, m, controller);
	pci_info(pdev, "ucore: memory controller %u: address %#llx is %s. Ignoring it.\n", m,
		 controller, problem);
	return 0;
}

static int find_controllers(const struct search *search, struct pci_dev *pdev, u32 die)
{
	u32 m, base, offset;
	int ret = 0;

	if (pci_read_config_dword(pdev, IMC_MAP_BASE, &base) || base == ~0U ||
	    !(base & IMC_MAP_BASE_BITS)) {
		pci_info(pdev, "ucore: memory controllers: no base address. Ignoring them.\n");
		return 0;
	}
	for (m = 0; m < search->table->nr_imc && !ret; m++) {
		if (pci_read_config_dword(pdev, IMC_MAP_OFFSET(m), &offset) || offset == ~0U ||
		    !(offset & IMC_MAP_OFFSET_BITS)) {
			pci_info(pdev, "ucore: memory controller %u: no address. Ignoring it.\n",
				 m);
			continue;
		}
		ret = check_controller(search, pdev, die, m, IMC_MAP_ADDRESS(base, offset));
	}
	return ret;
}

/* Add the boxes of all memory controllers behind MCHBAR of the host bridge @pdev. */
static int find_behind_mchbar(const struct search *search, struct pci_dev *pdev, u32 die)
{
	u32 m, low, high;
	u64 base;
	int ret = 0;

	if (pci_read_config_dword(pdev, CLIENT_MCHBAR, &low) ||
	    pci_read_config_dword(pdev, CLIENT_MCHBAR + sizeof(low), &high))
		return 0;
	base = ((u64)high << 32 | low) & CLIENT_MCHBAR_ADDRESS;
	if (!(low & CLIENT_MCHBAR_EN) || low == ~0U || !base) {
		pci_info(pdev, "ucore: MCHBAR is disabled. Ignoring the memory controllers.\n");
		return 0;
	}
	for (m = 0; m < search->table->nr_imc && !ret; m++)
		ret = check_controller(search, pdev, die, m, base + m * CLIENT_MC_STRIDE);
	return ret;
}

/* Return the next PCI function after @pdev that contains addresses of memory controllers. */
static struct pci_dev *next_function(const struct ucore_static_table *table, struct pci_dev *pdev)
{
	u32 device = table->mchbar ? PCI_ANY_ID : table->imc_map;

	while ((pdev = pci_get_device(PCI_VENDOR_ID_INTEL, device, pdev)))
		if (!table->mchbar ||
		    (!pci_domain_nr(pdev->bus) && !pdev->bus->number && !pdev->devfn))
			break;
	return pdev;
}

/**
 * ucore_mmio_imc_find() - add the boxes of the memory controllers in a PCI segment
 * @finder: collection that receives the box descriptions
 * @table: static table with the boxes of a memory controller (mmio); may contain none
 * @segment: number of the PCI segment
 * @die_of_bus: logical die of each PCI bus of the segment, or UCORE_DIE_*
 *
 * Return: 0 or -ENOMEM. A segment without memory controllers is not an error.
 */
int ucore_mmio_imc_find(struct ucore_finder *finder, const struct ucore_static_table *table,
			int segment, const s16 *die_of_bus)
{
	struct search search = { .finder = finder, .table = table };
	struct pci_dev *pdev = NULL;
	int die, ret;

	if (!table->nr_mmio)
		return 0;
	ret = ucore_resource_collect(&search.foreign, NULL, NULL, table->mchbar);
	while (!ret && (pdev = next_function(table, pdev))) {
		if (pci_domain_nr(pdev->bus) != segment)
			continue;
		die = die_of_bus[pdev->bus->number];
		if (die < 0)
			pci_info(pdev, "ucore: not in an online socket. Ignoring this function.\n");
		else if (table->mchbar)
			ret = find_behind_mchbar(&search, pdev, die);
		else
			ret = find_controllers(&search, pdev, die);
	}
	pci_dev_put(pdev);	/* pdev is not NULL if an error ended the loop */
	ucore_resource_drop(&search.foreign);
	return ret;
}
