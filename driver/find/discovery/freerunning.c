// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: boxes of free-running counters, which no table lists.
 *
 * The free-running counters of an IIO stack are MSRs, with one box for each IIO unit. Those of
 * memory controllers are memory-mapped, and a PCI function contains the addresses of the
 * controllers. Boxes whose registers do not respond are left out. Process context, at module
 * load. Only reads registers.
 */
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/pci.h>

#include "find/discovery/fetch_tables.h"
#include "find/discovery/freerunning.h"
#include "find/discovery/probe_units.h"
#include "find/discovery/record.h"
#include "find/discovery/register_address_check.h"
#include "find/iomem_resources.h"
#include "hw/imc_map.h"

/* ---- MSR boxes of units ---- */

/* Return true if all counters of a unit's free-running box respond. @msr is the base MSR. */
static bool msrs_respond(const struct ucore_unit *unit, u32 msr, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (!ucore_probe_msr(unit->die, msr + unit->free_layout.fixed_ctr[i]))
			return false;
	return true;
}

/**
 * ucore_freerunning_add() - add the box of free-running counters that belongs to a unit
 * @finder: collection that receives the box description
 * @rules: data of the platform
 * @unit: unit; this function sets its member free_layout
 * @global: global control of the die
 *
 * Return: 0 or -ENOMEM. A unit whose type has no free-running box is not an error.
 */
int ucore_freerunning_add(struct ucore_finder *finder, const struct ucore_disc_rules *rules,
			  struct ucore_unit *unit, const struct ucore_global *global)
{
	const struct ucore_disc_free_msr *boxes = rules->free_msr;
	struct ucore_box_desc desc = {
		.layout = &unit->free_layout,
		.global = global,
		.die = unit->die,
		.instance = ucore_record_id(unit->word),
	};
	u32 i;

	if (!boxes || ucore_record_type(unit->word) != boxes->unit || desc.instance >= boxes->max)
		return 0;
	desc.type = boxes->type;
	desc.msr = boxes->msr + desc.instance * boxes->stride;
	unit->free_layout = *boxes->layout;
	for (i = 1; i < boxes->type->nr_fixed; i++)
		unit->free_layout.fixed_ctr[i] += desc.instance * boxes->extra_stride;
	if (!msrs_respond(unit, desc.msr, boxes->type->nr_fixed))
		return 0;
	return ucore_finder_add(finder, &desc);
}

/* ---- memory-mapped boxes ---- */

/* Return the highest unit id of a type on a die, plus 1. */
static u32 unit_id_limit(const struct ucore_disc *disc, u32 die, u32 type)
{
	const struct ucore_unit *unit;
	u32 end = 0;

	for (unit = disc->unit; unit < disc->unit + disc->nr_units; unit++)
		if (!unit->reason && unit->die == die && ucore_record_type(unit->word) == type)
			end = max(end, ucore_record_id(unit->word) + 1);
	return end;
}

/*
 * Return true if registers can be at @address, and all free-running counters of a box there
 * respond. @size is the size of the box (bytes).
 */
static bool mmio_responds(const struct ucore_disc *disc, const struct ucore_box_type *type,
			  const struct ucore_layout *layout, u64 address, u32 size)
{
	void __iomem *base;
	bool responds = true;
	u32 i;

	if (ucore_validate_unit(disc->env, NULL, UCORE_ACCESS_MMIO, address, size))
		return false;
	base = ucore_resource_map(address, size);
	if (!base)
		return false;
	for (i = 0; i < type->nr_fixed && responds; i++)
		responds = readl(base + layout->fixed_ctr[i] + sizeof(u32)) != ~0U;
	iounmap(base);
	return responds;
}

/*
 * Add the free-running boxes of the memory controllers whose addresses a PCI function contains.
 * A controller does not exist if the function contains 0 as the offset of its address from the
 * base address. An address that a box already uses is skipped.
 */
static int add_free_mmio(struct ucore_finder *finder, const struct ucore_disc *disc,
			 struct pci_dev *pdev, u32 die, const struct ucore_global *global)
{
	const struct ucore_disc_free_mmio *boxes = disc->rules->free_mmio;
	u32 nr = unit_id_limit(disc, die, boxes->unit) / boxes->units_each, base, offset;
	struct ucore_box_desc desc = {
		.type = boxes->type,
		.layout = boxes->layout,
		.global = global,
		.die = die,
		.size = boxes->size,
	};
	int ret = 0;

	if (pci_read_config_dword(pdev, IMC_MAP_BASE, &base) || base == ~0U ||
	    !(base & IMC_MAP_BASE_BITS))
		return 0;
	for (; desc.instance < nr && !ret; desc.instance++) {
		if (pci_read_config_dword(pdev, IMC_MAP_OFFSET(desc.instance), &offset) ||
		    offset == ~0U || !(offset & IMC_MAP_OFFSET_BITS))
			continue;
		desc.phys = IMC_MAP_ADDRESS(base, offset) + boxes->first;
		if (!ucore_finder_has(finder, desc.phys, boxes->size) &&
		    mmio_responds(disc, boxes->type, boxes->layout, desc.phys, boxes->size))
			ret = ucore_finder_add(finder, &desc);
	}
	return ret;
}

/**
 * ucore_freerunning_add_mmio() - add the memory-mapped free-running boxes of a die
 * @finder: collection that receives the box descriptions
 * @disc: results of discovery, with all units
 * @die: logical die
 * @global: global control of the die
 *
 * Return: 0 or -ENOMEM. A die without such boxes is not an error.
 */
int ucore_freerunning_add_mmio(struct ucore_finder *finder, const struct ucore_disc *disc, u32 die,
			       const struct ucore_global *global)
{
	struct pci_dev *pdev = NULL;
	int ret = 0;

	if (!disc->rules->free_mmio)
		return 0;
	/*
	 * use only the first such PCI function of a die, because the controllers of a second
	 * function would have the same numbers
	 */
	do {
		pdev = pci_get_device(PCI_VENDOR_ID_INTEL, disc->rules->free_mmio->device, pdev);
	} while (pdev && ucore_fetch_die_of_bus(disc, pdev->bus) != (int)die);
	if (pdev)
		ret = add_free_mmio(finder, disc, pdev, die, global);
	pci_dev_put(pdev);
	return ret;
}

/**
 * ucore_freerunning_add_fixed() - add the free-running boxes at fixed physical addresses
 * @finder: collection that receives the box descriptions
 * @disc: results of discovery, with all units
 * @die: logical die of the boxes
 * @global: global control of the die
 *
 * Return: 0 or -ENOMEM. It is not an error if no registers respond at these addresses.
 */
int ucore_freerunning_add_fixed(struct ucore_finder *finder, const struct ucore_disc *disc,
				u32 die, const struct ucore_global *global)
{
	const struct ucore_disc_free_fixed *boxes = disc->rules->free_fixed;
	struct ucore_box_desc desc = { .global = global, .die = die };
	int ret = 0;
	u32 i;

	for (i = 0; boxes && i < boxes->nr && !ret; i++) {
		desc.type = boxes->type;
		desc.layout = boxes->layout;
		desc.instance = i;
		desc.size = boxes->size;
		desc.phys = boxes->address[i] + boxes->first;
		if (!ucore_finder_has(finder, desc.phys, boxes->size) &&
		    mmio_responds(disc, boxes->type, boxes->layout, desc.phys, boxes->size))
			ret = ucore_finder_add(finder, &desc);
	}
	return ret;
}
