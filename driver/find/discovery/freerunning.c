// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: boxes that no table has.
 *
 * Free-running counters only, which are read and never written: those of an IIO
 * stack are MSRs beside the stack's unit, those of memory controllers are in memory
 * that a PCI function tells of.  Nothing is believed that does not answer.  Process
 * context, at load.
 */
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/pci.h>

#include "find/discovery/freerunning.h"
#include "find/discovery/fetch.h"
#include "find/discovery/probe.h"
#include "find/memory.h"
#include "hw/imc_map.h"

/*
 * ---- beside a unit ----
 */

/* Do all registers of a box beside a unit answer? */
static bool msrs_there(const struct ucore_unit *unit, u32 msr, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (!ucore_probe_msr(unit->die, msr + unit->beside.fixed_ctr[i]))
			return false;
	return true;
}

/**
 * ucore_freerunning_add() - the box beside a unit, if its type has one
 * @finder: takes it
 * @rules: what the platform knows
 * @unit: the unit; gets the layout of the box
 * @global: global control of its die
 *
 * Return: 0, also if there is none, or -ENOMEM.
 */
int ucore_freerunning_add(struct ucore_finder *finder, const struct ucore_disc_rules *rules,
			  struct ucore_unit *unit, const struct ucore_global *global)
{
	const struct ucore_disc_beside *beside = rules->beside;
	struct ucore_box_desc desc = {
		.layout = &unit->beside,
		.global = global,
		.die = unit->die,
		.instance = ucore_disc_unit_id(unit),
	};
	u32 i;

	if (!beside || ucore_disc_unit_type(unit) != beside->unit || desc.instance >= beside->max)
		return 0;
	desc.type = beside->type;
	desc.msr = beside->msr + desc.instance * beside->stride;
	unit->beside = *beside->layout;
	for (i = 1; i < beside->type->nr_fixed; i++)
		unit->beside.fixed_ctr[i] += desc.instance * beside->spread;
	if (!msrs_there(unit, desc.msr, beside->type->nr_fixed))
		return 0;
	return ucore_finder_add(finder, &desc);
}

/*
 * ---- in memory ----
 */

/* Ids of a type's units on a die end here. */
static u32 ids_end(const struct ucore_disc *disc, u32 die, u32 type)
{
	const struct ucore_unit *unit;
	u32 end = 0;

	for (unit = disc->unit; unit < disc->unit + disc->nr_units; unit++)
		if (!unit->reason && unit->die == die && ucore_disc_unit_type(unit) == type)
			end = max(end, ucore_disc_unit_id(unit) + 1);
	return end;
}

/* Is it memory that may be read, and do all counters answer? */
static bool bank_there(const struct ucore_disc *disc, const struct ucore_disc_bank *bank,
		       u64 address)
{
	void __iomem *base;
	bool there = true;
	u32 i;

	if (ucore_validate_unit(disc->env, NULL, UCORE_ACCESS_MMIO, address, bank->size))
		return false;
	base = ucore_memory_map(address, bank->size);
	if (!base)
		return false;
	for (i = 0; i < bank->type->nr_fixed && there; i++)
		there = readl(base + bank->layout->fixed_ctr[i] + sizeof(u32)) != ~0U;
	iounmap(base);
	return there;
}

/* The boxes that one function tells of; no address is believed twice, 0 is none. */
static int add_banks_of(struct ucore_finder *finder, const struct ucore_disc *disc,
			struct pci_dev *pdev, u32 die, const struct ucore_global *global)
{
	const struct ucore_disc_bank *bank = disc->rules->bank;
	u32 nr = ids_end(disc, die, bank->unit) / bank->units_each, base, offset;
	struct ucore_box_desc desc = {
		.type = bank->type,
		.layout = bank->layout,
		.global = global,
		.die = die,
		.size = bank->size,
	};
	int ret = 0;

	if (pci_read_config_dword(pdev, IMC_MAP_BASE, &base) || base == ~0U ||
	    !(base & IMC_MAP_BASE_BITS))
		return 0;
	for (; desc.instance < nr && !ret; desc.instance++) {
		if (pci_read_config_dword(pdev, IMC_MAP_OFFSET(desc.instance), &offset) ||
		    offset == ~0U || !(offset & IMC_MAP_OFFSET_BITS))
			continue;
		desc.phys = IMC_MAP_ADDRESS(base, offset) + bank->first;
		if (!ucore_finder_has(finder, desc.phys, bank->size) &&
		    bank_there(disc, bank, desc.phys))
			ret = ucore_finder_add(finder, &desc);
	}
	return ret;
}

/**
 * ucore_freerunning_add_banks() - a die's boxes in memory that no table has
 * @finder: takes them
 * @disc: units
 * @die: the die
 * @global: its global control
 *
 * Return: 0, also if there are none, or -ENOMEM.
 */
int ucore_freerunning_add_banks(struct ucore_finder *finder, const struct ucore_disc *disc, u32 die,
			 const struct ucore_global *global)
{
	struct pci_dev *pdev = NULL;
	int ret = 0;

	if (!disc->rules->bank)
		return 0;
	/* a die has one such function: two would number their controllers alike */
	do {
		pdev = pci_get_device(PCI_VENDOR_ID_INTEL, disc->rules->bank->device, pdev);
	} while (pdev && ucore_fetch_die_of_bus(disc, pdev->bus) != (int)die);
	if (pdev)
		ret = add_banks_of(finder, disc, pdev, die, global);
	pci_dev_put(pdev);
	return ret;
}
