// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is at the other end of the boxes that were found: the PCI root bus of an IIO
 * stack, the die and link that a UPI link leads to.
 *
 * An answer that makes no sense is no answer: the box stands there by its number.
 * Process context, at load; only reads.
 */
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/pci.h>

#include "find/links.h"
#include "find/finder.h"
#include "find/topology.h"
#include "reg/reg.h"

static u32 field_of(u32 mask, u32 val)
{
	return (val & mask) >> __ffs(mask);
}

/* ---- stacks ---- */

/* The root bus of a stack, which all its boxes share. */
static void stack_leads_to(struct ucore_finder *finder, const struct ucore_link_regs *ends, u32 die,
			   u32 stack, u32 segment, u32 bus)
{
	struct ucore_link_info end = {
		.kind = UCORE_LINK_BUS, .segment = segment, .bus = bus,
	};
	struct ucore_box_desc *desc;

	/* that of a stack which the part does not have reads 0, too */
	if (!bus && stack != ends->first_stack)
		return;
	if (ends->port_stacks & BIT(stack)) {
		end.nr_ports = ends->nr_ports;
		end.port0 = ends->port0;
	}
	for (desc = finder->desc; desc < finder->desc + finder->nr; desc++)
		if (desc->type->end == UCORE_LINK_BUS && desc->die == die &&
		    desc->instance == stack)
			desc->end = end;
}

/* The segment of a die's functions, all of which share it; negative if they are hidden. */
static int segment_of_die(const struct ucore_finder *finder, u32 die)
{
	const struct ucore_box_desc *desc;

	for (desc = finder->desc; desc < finder->desc + finder->nr; desc++)
		if (desc->pdev && desc->die == die)
			return pci_domain_nr(desc->pdev->bus);
	return -ENOENT;
}

static bool read_bus_numbers(const struct ucore_link_regs *ends, u32 die, u64 *val)
{
	bool valid;
	int cpu;

	cpus_read_lock();
	cpu = ucore_cpu_of_die(die);
	valid = cpu < nr_cpu_ids && ucore_msr_probe(cpu, ends->bus_msr, val) &&
		*val & ends->bus_valid;
	cpus_read_unlock();
	return valid;
}

static void find_by_msr(struct ucore_finder *finder, const struct ucore_link_regs *ends)
{
	const struct ucore_box_desc *desc;
	s64 die = -1;
	u64 numbers;
	int segment;
	u32 s;

	for (desc = finder->desc; desc < finder->desc + finder->nr; desc++) {
		if (desc->type->end != UCORE_LINK_BUS || desc->die == die)
			continue;
		die = desc->die;
		segment = segment_of_die(finder, die);
		if (segment < 0 || !read_bus_numbers(ends, die, &numbers))
			continue;
		for (s = 0; s < ends->nr_stacks; s++)
			stack_leads_to(finder, ends, die, s, segment, numbers >> 8 * s & 0xff);
	}
}

static void find_by_function(struct ucore_finder *finder, const struct ucore_link_regs *ends,
			     const struct ucore_ubox_map *ubox)
{
	struct pci_dev *pdev = NULL;
	s16 die_of_bus[UCORE_NR_BUSES];
	u32 val, id;
	int segment, bus;

	while ((pdev = pci_get_device(PCI_VENDOR_ID_INTEL, ends->stack_device, pdev))) {
		if (pci_read_config_dword(pdev, ends->stack_reg, &val) || val == ~0U)
			continue;
		id = field_of(ends->stack_id, val);
		segment = pci_domain_nr(pdev->bus);
		bus = pdev->bus->number;
		ucore_bus_map(ubox, segment, die_of_bus);
		if (id < ends->nr_stacks && die_of_bus[bus] >= 0)
			stack_leads_to(finder, ends, die_of_bus[bus], ends->stack_of_id[id],
				       segment, bus);
	}
}

/* ---- links ---- */

static void link_leads_to(struct ucore_box_desc *desc, const struct ucore_link_regs *ends,
			  const struct ucore_ubox_map *ubox)
{
	u32 status, peer;
	int die;

	if (pci_read_config_dword(desc->pdev, ends->link_status, &status) || status == ~0U)
		return;
	if (!(status & ends->link_trained)) {
		desc->end.kind = UCORE_LINK_DOWN;
		return;
	}
	if (pci_read_config_dword(desc->pdev, ends->link_peer, &peer) || peer == ~0U)
		return;
	die = ucore_die_of_node_id(ubox, field_of(ends->peer_node, peer));
	desc->end = (struct ucore_link_info){
		.kind = UCORE_LINK_UPI,
		.die = die < 0 ? UCORE_NO_DIE : die,
		.link = field_of(ends->peer_link, peer),
	};
}

/**
 * ucore_links_find() - what is at the other end of each stack and link
 * @finder: the boxes, which get @end
 * @ends: how the generation tells; NULL: it does not
 * @ubox: the function that maps buses and nodes to sockets
 */
void ucore_links_find(struct ucore_finder *finder, const struct ucore_link_regs *ends,
		     const struct ucore_ubox_map *ubox)
{
	struct ucore_box_desc *desc;

	if (!ends || boot_cpu_data.x86_model == ends->no_model)
		return;
	if (ends->bus_msr)
		find_by_msr(finder, ends);
	if (ends->stack_device)
		find_by_function(finder, ends, ubox);
	for (desc = finder->desc; ends->link_status && desc < finder->desc + finder->nr; desc++)
		if (desc->type->end == UCORE_LINK_UPI && desc->pdev)
			link_leads_to(desc, ends, ubox);
}
