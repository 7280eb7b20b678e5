// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: facts about other devices, as input for register_address_check.c.
 *
 * Describes PCI functions, and lists the memory ranges of other devices. BARs that contain
 * uncore registers are excluded from this list. Process context, at module load.
 */
#include <linux/ioport.h>
#include <linux/pci.h>

#include "find/discovery/other_pci_devices.h"
#include "find/discovery/probe_units.h"
#include "find/discovery/register_address_check.h"
#include "find/static_table_desc.h"

/* ---- PCI functions ---- */

static u32 config_read(const struct ucore_disc_config *config, u32 reg)
{
	u32 val;

	if (pci_read_config_dword(container_of(config, struct ucore_pci_config, config)->pdev,
				  reg, &val))
		return ~0U;
	return val;
}

/**
 * ucore_other_devices_init_config() - initialize the access to a PCI function's config space
 * @config: access to the config space, to be initialized
 * @pdev: PCI function
 */
void ucore_other_devices_init_config(struct ucore_pci_config *config, struct pci_dev *pdev)
{
	*config = (struct ucore_pci_config){
		.config = { .read = config_read, .size = pdev->cfg_size },
		.pdev = pdev,
	};
}

/*
 * Return true if a PCI function sleeps (D1 to D3). A function that the kernel has suspended is
 * not accessed, and its state is not changed. The kernel may not know the state of a function
 * without a driver. The function's power management register gives the state then.
 */
static bool function_sleeps(struct pci_dev *pdev)
{
	u16 control;

	if (pdev->current_state == PCI_D1 || pdev->current_state == PCI_D2 ||
	    pdev->current_state == PCI_D3hot || pdev->current_state == PCI_D3cold)
		return true;
	return pdev->pm_cap &&
	       !pci_read_config_word(pdev, pdev->pm_cap + PCI_PM_CTRL, &control) &&
	       control & PCI_PM_CTRL_STATE_MASK;
}

/**
 * ucore_other_devices_unreadable() - check whether the DVSECs of a PCI function can be read
 * @pdev: PCI function
 *
 * Return: reason why they cannot be read, UCORE_TABLE_OK for none.
 */
u32 ucore_other_devices_unreadable(struct pci_dev *pdev)
{
	if (function_sleeps(pdev))
		return UCORE_TABLE_ASLEEP;
	if (pci_is_pcie(pdev) && pdev->cfg_size <= PCI_CFG_SPACE_SIZE)
		return UCORE_TABLE_CONFIG;
	return UCORE_TABLE_OK;
}

/**
 * ucore_other_devices_own() - describe a PCI function of Intel
 * @segment: PCI segment
 * @bus: PCI bus
 * @devfn: device and function number
 * @function: out: facts about the function; zeroed by the caller
 *
 * Functions of other vendors are never described, because they have no uncore registers.
 *
 * Return: true if there is a PCI function at this location and its vendor is Intel.
 */
bool ucore_other_devices_own(u32 segment, u32 bus, u32 devfn, struct ucore_disc_function *function)
{
	struct pci_dev *pdev = ucore_probe_pdev(segment, bus, devfn);
	bool found = pdev && pdev->vendor == PCI_VENDOR_ID_INTEL;
	struct ucore_pci_config config;

	if (found) {
		function->size = pdev->cfg_size;
		function->class = pdev->class;
		function->driven = READ_ONCE(pdev->dev.driver);
		ucore_other_devices_init_config(&config, pdev);
		ucore_validate_caps(&config.config, function);
	}
	pci_dev_put(pdev);
	return found;
}

/*
 * ---- memory ranges of other devices ----
 */

/*
 * Return true for a BAR that may contain registers of units: a BAR of a PCI function whose DVSEC
 * points to a table, except for the BARs that contain the tables. A sleeping function may belong
 * to any device.
 */
static bool bar_holds_units(const void *ctx, const struct pci_dev *pdev, const struct resource *bar)
{
	const struct ucore_disc *disc = ctx;
	const struct ucore_disc_table *t = disc->table;
	bool any = false;

	for (; t < disc->table + disc->nr_tables; t++) {
		if (t->msr || t->reason == UCORE_TABLE_ASLEEP ||
		    t->segment != pci_domain_nr(pdev->bus) ||
		    t->bus != pdev->bus->number || t->devfn != pdev->devfn)
			continue;
		any = true;
		if (t->address >= bar->start && t->address <= bar->end)
			return false;
	}
	return any;
}

/**
 * ucore_other_devices_collect() - list the memory ranges of other devices
 * @env: facts about the machine; this function adds the ranges to its list foreign
 * @disc: results of discovery, after all tables have been found
 *
 * On a client processor units may be in the ranges of the chipset, as other registers are.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_other_devices_collect(struct ucore_disc_env *env, const struct ucore_disc *disc)
{
	const struct ucore_static_table *beside = disc->rules->beside;

	return ucore_resource_collect(&env->foreign, bar_holds_units, disc,
				      beside && beside->mchbar);
}

/**
 * ucore_other_devices_drop() - free the list of memory ranges of other devices
 * @env: facts about the machine, which own the list
 */
void ucore_other_devices_drop(struct ucore_disc_env *env)
{
	ucore_resource_drop(&env->foreign);
}
