// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: what of the machine is known to be others'?
 *
 * Collects it for window.c to decide on: what is known of PCI functions, and memory
 * (find/regions.c), but for the BARs that functions with tables have for their units.
 * Process context, at load.
 */
#include <linux/ioport.h>
#include <linux/pci.h>

#include "find/discovery/other_devices.h"
#include "find/discovery/probe.h"

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
 * ucore_other_devices_own() - what is there to know of a PCI function?
 * @segment: PCI segment
 * @bus: bus
 * @devfn: device and function
 * @function: takes it; zero before
 *
 * Return: true if it is there, and Intel's: what is written to any other is not for a PMU.
 */
bool ucore_other_devices_own(u32 segment, u32 bus, u32 devfn, struct ucore_disc_function *function)
{
	struct pci_dev *pdev = ucore_probe_pdev(segment, bus, devfn);
	bool there = pdev && pdev->vendor == PCI_VENDOR_ID_INTEL;
	struct ucore_pci_config config;

	if (there) {
		function->size = pdev->cfg_size;
		function->class = pdev->class;
		function->driven = READ_ONCE(pdev->dev.driver);
		ucore_pci_config_init(&config, pdev);
		ucore_validate_caps(&config.config, function);
	}
	pci_dev_put(pdev);
	return there;
}

/*
 * ---- memory ----
 */

/* Has the function tables, but none of them here?  Then the BAR is its units'. */
static bool is_of_units(const void *ctx, const struct pci_dev *pdev, const struct resource *bar)
{
	const struct ucore_disc *disc = ctx;
	const struct ucore_disc_table *t = disc->table;
	bool any = false;

	for (; t < disc->table + disc->nr_tables; t++) {
		if (t->msr || t->segment != pci_domain_nr(pdev->bus) ||
		    t->bus != pdev->bus->number || t->devfn != pdev->devfn)
			continue;
		any = true;
		if (t->address >= bar->start && t->address <= bar->end)
			return false;
	}
	return any;
}

/**
 * ucore_other_devices_collect() - memory that is others'
 * @env: takes it
 * @disc: its tables have been found
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_other_devices_collect(struct ucore_disc_env *env, const struct ucore_disc *disc)
{
	return ucore_regions_collect(&env->others, is_of_units, disc);
}

/**
 * ucore_other_devices_drop() - forget it
 * @env: what has it
 */
void ucore_other_devices_drop(struct ucore_disc_env *env)
{
	ucore_regions_drop(&env->others);
}
