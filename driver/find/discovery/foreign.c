// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: what of the machine is known to be others'?
 *
 * Collects it, with the kernel's help, for window.c to decide on: the BARs of PCI
 * functions, memory-mapped config space, what drivers and the kernel hold, what every
 * PC has at the same place.  What firmware merely reserves is not others': there, too,
 * uncore registers are.  Process context, at load.
 */
#include <linux/acpi.h>
#include <linux/ioport.h>
#include <linux/pci.h>

#include "find/array.h"
#include "find/discovery/foreign.h"
#include "find/memory.h"

/*
 * ---- functions ----
 */

static u32 config_read(const struct ucore_disc_config *config, u32 reg)
{
	u32 val;

	if (pci_read_config_dword(container_of(config, struct ucore_pci_config, config)->pdev,
				  reg, &val))
		return ~0U;
	return val;
}

/**
 * ucore_pci_config_init() - let the parser see a function's config space
 * @config: the view
 * @pdev: the function
 */
void ucore_pci_config_init(struct ucore_pci_config *config, struct pci_dev *pdev)
{
	*config = (struct ucore_pci_config){
		.config = { .read = config_read, .size = pdev->cfg_size },
		.pdev = pdev,
	};
}

/**
 * ucore_foreign_function() - what is there to know of a PCI function?
 * @segment: PCI segment
 * @bus: bus
 * @devfn: device and function
 * @function: takes it; zero before
 *
 * Return: true if it is there, and Intel's: what is written to any other is not for a PMU.
 */
bool ucore_foreign_function(u32 segment, u32 bus, u32 devfn, struct ucore_disc_function *function)
{
	struct pci_dev *pdev = pci_get_domain_bus_and_slot(segment, bus, devfn);
	bool there = pdev && pdev->vendor == PCI_VENDOR_ID_INTEL;
	struct ucore_pci_config config;

	if (there) {
		function->size = pdev->cfg_size;
		function->class = pdev->class;
		function->driven = READ_ONCE(pdev->dev.driver);
		ucore_pci_config_init(&config, pdev);
		ucore_disc_caps(&config.config, function);
	}
	pci_dev_put(pdev);
	return there;
}

/*
 * ---- memory ----
 */

static int region_add(struct ucore_disc_env *env, u64 start, u64 end, bool port)
{
	struct ucore_disc_region *region = ucore_array_grow(env->region, env->nr_regions,
							    &env->max_regions, sizeof(*region));

	if (!region)
		return -ENOMEM;
	env->region = region;
	region[env->nr_regions++] = (struct ucore_disc_region){ start, end, port };
	return 0;
}

static int add_fixed(struct ucore_disc_env *env)
{
	const struct ucore_range *range = ucore_memory_fixed;
	int ret = 0;

	for (; range < ucore_memory_fixed + UCORE_NR_FIXED && !ret; range++)
		ret = region_add(env, range->start, range->end, false);
	return ret;
}

/* The kernel hides its window of config space among what is busy, if it uses it. */
static int add_ecam(struct ucore_disc_env *env)
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
		ret = region_add(env, entry->address + ((u64)entry->start_bus_number << 20),
				 entry->address + ((entry->end_bus_number + 1ULL) << 20), false);
	acpi_put_table(table);
	return ret;
}

/* Called for each resource; what it returns ends the walk. */
static int add_busy(struct resource *resource, void *env)
{
	return region_add(env, resource->start, resource->end + 1, false);
}

/* Finding nothing is an error to the walk, not to us. */
static int add_all_busy(struct ucore_disc_env *env)
{
	int ret = walk_iomem_res_desc(IORES_DESC_NONE, IORESOURCE_MEM | IORESOURCE_BUSY, 0,
				      BIT_ULL(env->phys_bits) - 1, env, add_busy);

	return ret == -ENOMEM ? ret : 0;
}

/* Has the function tables, and if so, is one of them here? */
static bool has_tables(const struct ucore_disc *disc, const struct pci_dev *pdev,
		       const struct resource *bar, bool *here)
{
	const struct ucore_disc_table *t = disc->table;
	bool any = false;

	*here = false;
	for (; t < disc->table + disc->nr_tables; t++) {
		if (t->msr || t->segment != pci_domain_nr(pdev->bus) ||
		    t->bus != pdev->bus->number || t->devfn != pdev->devfn)
			continue;
		any = true;
		*here |= t->address >= bar->start && t->address <= bar->end;
	}
	return any;
}

/* All BARs but those that a function with tables has for its units. */
static int add_bars(struct ucore_disc_env *env, const struct ucore_disc *disc,
		    const struct pci_dev *pdev)
{
	bool port = pdev->class >> 8 == PCI_CLASS_BRIDGE_PCI, here;
	const struct resource *bar = pdev->resource;
	int ret = 0;

	for (; bar < pdev->resource + PCI_BRIDGE_RESOURCES && !ret; bar++) {
		if (!(bar->flags & IORESOURCE_MEM) || bar->flags & IORESOURCE_UNSET || !bar->end)
			continue;
		if (!has_tables(disc, pdev, bar, &here) || here)
			ret = region_add(env, bar->start, bar->end + 1, port);
	}
	return ret;
}

static int add_all_bars(struct ucore_disc_env *env, const struct ucore_disc *disc)
{
	struct pci_dev *pdev = NULL;
	int ret = 0;

	while (!ret && (pdev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, pdev)))
		ret = add_bars(env, disc, pdev);
	pci_dev_put(pdev);	/* not NULL if the loop was left early */
	return ret;
}

/**
 * ucore_foreign_regions() - memory that is others'
 * @env: takes it; its @phys_bits are set
 * @disc: its tables have been found
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_foreign_regions(struct ucore_disc_env *env, const struct ucore_disc *disc)
{
	return add_fixed(env) ?: add_ecam(env) ?: add_all_busy(env) ?: add_all_bars(env, disc);
}

/**
 * ucore_foreign_drop() - forget it
 * @env: what has it
 */
void ucore_foreign_drop(struct ucore_disc_env *env)
{
	kvfree(env->region);
	env->region = NULL;
	env->nr_regions = 0;
	env->max_regions = 0;
}
