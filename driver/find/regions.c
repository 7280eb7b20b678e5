// SPDX-License-Identifier: GPL-2.0-only
/*
 * What memory is known to be others'?
 *
 * Collects it, with the kernel's help: the BARs of PCI functions, memory-mapped config
 * space, what drivers and the kernel hold, what every PC has at the same place.  What
 * firmware merely reserves is not others': there, too, uncore registers are.  Process
 * context, at load.
 */
#include <linux/acpi.h>
#include <linux/ioport.h>
#include <linux/pci.h>
#include <linux/processor.h>

#include "find/array.h"
#include "find/memory.h"
#include "find/regions.h"

static int region_add(struct ucore_regions *regions, u64 start, u64 end, bool port)
{
	struct ucore_region *region = ucore_array_grow(regions->region, regions->nr,
						       &regions->max, sizeof(*region));

	if (!region)
		return -ENOMEM;
	regions->region = region;
	region[regions->nr++] = (struct ucore_region){ start, end, port };
	return 0;
}

static int add_fixed(struct ucore_regions *regions)
{
	const struct ucore_range *range = ucore_memory_fixed;
	int ret = 0;

	for (; range < ucore_memory_fixed + UCORE_NR_FIXED && !ret; range++)
		ret = region_add(regions, range->start, range->end, false);
	return ret;
}

/* The kernel hides its window of config space among what is busy, if it uses it. */
static int add_ecam(struct ucore_regions *regions)
{
	struct acpi_mcfg_allocation *entry;
	struct acpi_table_header *table;
	int ret = 0;
	void *end;

	if (acpi_disabled || ACPI_FAILURE(acpi_get_table(ACPI_SIG_MCFG, 0, &table)))
		return 0;
	entry = (void *)table + sizeof(struct acpi_table_mcfg);
	end = (void *)table + table->length;
	for (; (void *)(entry + 1) <= end && !ret; entry++)
		ret = region_add(regions, entry->address + ((u64)entry->start_bus_number << 20),
				 entry->address + ((entry->end_bus_number + 1ULL) << 20), false);
	acpi_put_table(table);
	return ret;
}

/* Called for each resource; what it returns ends the walk. */
static int add_busy(struct resource *resource, void *regions)
{
	return region_add(regions, resource->start, resource->end + 1, false);
}

/* Finding nothing is an error to the walk, not to us. */
static int add_all_busy(struct ucore_regions *regions)
{
	int ret = walk_iomem_res_desc(IORES_DESC_NONE, IORESOURCE_MEM | IORESOURCE_BUSY, 0,
				      BIT_ULL(boot_cpu_data.x86_phys_bits) - 1, regions, add_busy);

	return ret == -ENOMEM ? ret : 0;
}

static int add_bars(struct ucore_regions *regions, const struct pci_dev *pdev,
		    ucore_regions_own own, const void *ctx)
{
	bool port = pdev->class >> 8 == PCI_CLASS_BRIDGE_PCI;
	const struct resource *bar = pdev->resource;
	int ret = 0;

	for (; bar < pdev->resource + PCI_BRIDGE_RESOURCES && !ret; bar++) {
		if (!(bar->flags & IORESOURCE_MEM) || bar->flags & IORESOURCE_UNSET || !bar->end)
			continue;
		if (!own || !own(ctx, pdev, bar))
			ret = region_add(regions, bar->start, bar->end + 1, port);
	}
	return ret;
}

static int add_all_bars(struct ucore_regions *regions, ucore_regions_own own, const void *ctx)
{
	struct pci_dev *pdev = NULL;
	int ret = 0;

	while (!ret && (pdev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, pdev)))
		ret = add_bars(regions, pdev, own, ctx);
	pci_dev_put(pdev);	/* not NULL if the loop was left early */
	return ret;
}

/**
 * ucore_regions_collect() - memory that is others'
 * @regions: takes it; empty before
 * @own: is this BAR of a function no other's but ours?  NULL: none is
 * @ctx: @own's
 *
 * Return: 0 or -ENOMEM; what was found until then is there in either case.
 */
int ucore_regions_collect(struct ucore_regions *regions, ucore_regions_own own, const void *ctx)
{
	return add_fixed(regions) ?: add_ecam(regions) ?: add_all_busy(regions) ?:
	       add_all_bars(regions, own, ctx);
}

/**
 * ucore_regions_drop() - forget it
 * @regions: what has it
 */
void ucore_regions_drop(struct ucore_regions *regions)
{
	kvfree(regions->region);
	*regions = (struct ucore_regions){ };
}
