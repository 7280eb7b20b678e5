// SPDX-License-Identifier: GPL-2.0-only
/*
 * Links of boxes: the PCI root bus of each IIO stack, and the die and port at the remote end of
 * each UPI link.
 *
 * A box whose registers contain an implausible value gets no link and is listed by number only.
 * Process context, at module load. Only reads registers.
 */
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/pci.h>

#include "find/die_topology.h"
#include "find/found_boxes.h"
#include "find/upi_iio_links.h"
#include "reg/reg.h"

static u32 field_get(u32 mask, u32 val)
{
	return (val & mask) >> __ffs(mask);
}

/* ---- root buses of the IIO stacks ---- */

/* Set the PCI root bus of IIO stack @stack in the descriptions of all boxes of this stack. */
static void stack_set_bus(struct ucore_finder *finder, const struct ucore_link_regs *regs, u32 die,
			  u32 stack, u32 segment, u32 bus)
{
	struct ucore_link_info link = {
		.kind = UCORE_LINK_BUS, .segment = segment, .bus = bus,
	};
	struct ucore_box_desc *desc;

	/* bus 0 may also mean that the stack does not exist */
	if (!bus && stack != regs->first_stack)
		return;
	if (regs->port_stacks & BIT(stack)) {
		link.nr_ports = regs->nr_ports;
		link.port0 = regs->port0;
	}
	for (desc = finder->desc; desc < finder->desc + finder->nr; desc++)
		if (desc->type->link_kind == UCORE_LINK_BUS && desc->die == die &&
		    desc->instance == stack)
			desc->link = link;
}

/*
 * Return the PCI segment of a die. All PCI functions of a die are in the same segment. Return
 * -ENOENT if firmware has hidden them all.
 */
static int segment_of_die(const struct ucore_finder *finder, u32 die)
{
	const struct ucore_box_desc *desc;

	for (desc = finder->desc; desc < finder->desc + finder->nr; desc++)
		if (desc->pdev && desc->die == die)
			return pci_domain_nr(desc->pdev->bus);
	return -ENOENT;
}

static bool read_bus_numbers(const struct ucore_link_regs *regs, u32 die, u64 *val)
{
	bool valid;
	int cpu;

	cpus_read_lock();
	cpu = ucore_cpu_of_die(die);
	valid = cpu < nr_cpu_ids && ucore_msr_probe(cpu, regs->bus_msr, val) &&
		*val & regs->bus_valid;
	cpus_read_unlock();
	return valid;
}

static void find_by_msr(struct ucore_finder *finder, const struct ucore_link_regs *regs)
{
	const struct ucore_box_desc *desc;
	s64 die = -1;
	u64 numbers;
	int segment;
	u32 s;

	for (desc = finder->desc; desc < finder->desc + finder->nr; desc++) {
		if (desc->type->link_kind != UCORE_LINK_BUS || desc->die == die)
			continue;
		die = desc->die;
		segment = segment_of_die(finder, die);
		if (segment < 0 || !read_bus_numbers(regs, die, &numbers))
			continue;
		for (s = 0; s < regs->nr_stacks; s++)
			stack_set_bus(finder, regs, die, s, segment, numbers >> 8 * s & 0xff);
	}
}

static void find_by_function(struct ucore_finder *finder, const struct ucore_link_regs *regs,
			     const struct ucore_ubox_map *ubox)
{
	struct pci_dev *pdev = NULL;
	s16 die_of_bus[UCORE_NR_BUSES];
	u32 val, id;
	int segment, bus;

	while ((pdev = pci_get_device(PCI_VENDOR_ID_INTEL, regs->stack_device, pdev))) {
		if (pci_read_config_dword(pdev, regs->stack_reg, &val) || val == ~0U)
			continue;
		id = field_get(regs->stack_id, val);
		segment = pci_domain_nr(pdev->bus);
		bus = pdev->bus->number;
		ucore_bus_map(ubox, segment, die_of_bus);
		if (id < regs->nr_stacks && die_of_bus[bus] >= 0)
			stack_set_bus(finder, regs, die_of_bus[bus], regs->stack_of_id[id],
				      segment, bus);
	}
}

/* ---- remote ends of the UPI links ---- */

static void link_set_peer(struct ucore_box_desc *desc, const struct ucore_link_regs *regs,
			  const struct ucore_ubox_map *ubox)
{
	u32 status, peer;
	int die;

	if (pci_read_config_dword(desc->pdev, regs->link_status, &status) || status == ~0U)
		return;
	if (!(status & regs->link_trained)) {
		desc->link.kind = UCORE_LINK_DOWN;
		return;
	}
	if (pci_read_config_dword(desc->pdev, regs->link_peer, &peer) || peer == ~0U)
		return;
	die = ucore_die_of_node_id(ubox, field_get(regs->peer_node, peer));
	desc->link = (struct ucore_link_info){
		.kind = UCORE_LINK_UPI,
		.die = die < 0 ? UCORE_NO_DIE : die,
		.link = field_get(regs->peer_link, peer),
	};
}

/**
 * ucore_links_find() - find the root bus of each IIO stack and the remote end of each UPI link
 * @finder: collection of box descriptions, in which this function sets the member link
 * @regs: registers that describe stacks and links, NULL if the generation has none
 * @ubox: UBox function, whose registers map buses and nodes to sockets
 */
void ucore_links_find(struct ucore_finder *finder, const struct ucore_link_regs *regs,
		      const struct ucore_ubox_map *ubox)
{
	struct ucore_box_desc *desc;

	if (!regs || boot_cpu_data.x86_model == regs->no_model)
		return;
	if (regs->bus_msr)
		find_by_msr(finder, regs);
	if (regs->stack_device)
		find_by_function(finder, regs, ubox);
	for (desc = finder->desc; regs->link_status && desc < finder->desc + finder->nr; desc++)
		if (desc->type->link_kind == UCORE_LINK_UPI && desc->pdev)
			link_set_peer(desc, regs, ubox);
}
