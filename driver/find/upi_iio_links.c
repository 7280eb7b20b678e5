// SPDX-License-Identifier: GPL-2.0-only
/*
 * Links of boxes: the PCI root bus of each IIO stack, the die and port at the remote end of each
 * UPI link, and the speed of each QPI and UPI link.
 *
 * A box whose registers contain an implausible value gets no link and is listed by number only.
 * Process context, at module load. Only reads registers.
 */
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/pci.h>

#include "find/die_topology.h"
#include "find/found_boxes.h"
#include "find/iio_bus_table.h"
#include "find/iio_ports.h"
#include "find/upi_iio_links.h"
#include "hw/iio_stacks.h"
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
	const struct ucore_link_info link = {
		.kind = UCORE_LINK_BUS, .segment = segment, .bus = bus,
	};

	/* bus 0 may also mean that the stack does not exist */
	if (bus || stack == regs->first_stack)
		ucore_port_set_bus(finder, die, stack, &link,
				   regs->ports ? regs->ports[stack] : NULL);
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

/*
 * Return the logical die of the function of a stack, or UCORE_DIE_*. @val is the value of its
 * register with the stack id.
 */
static int die_of_function(struct pci_dev *pdev, const struct ucore_ubox_map *ubox, u32 val)
{
	s16 die_of_bus[UCORE_NR_BUSES];
	int die;

	if (ubox) {
		ucore_bus_map(ubox, pci_domain_nr(pdev->bus), die_of_bus);
		return die_of_bus[pdev->bus->number];
	}
	die = ucore_die_of_bus(pdev->bus, NULL);
	return die == UCORE_DIE_UNKNOWN ?
	       ucore_die_of_package(field_get(STACK_SAD_CONTROL_CFG_PACKAGE, val)) : die;
}

static void find_by_function(struct ucore_finder *finder, const struct ucore_link_regs *regs,
			     const struct ucore_ubox_map *ubox)
{
	struct pci_dev *pdev = NULL;
	u32 val, id;
	int die;

	while ((pdev = pci_get_device(PCI_VENDOR_ID_INTEL, regs->stack_device, pdev))) {
		if (pci_read_config_dword(pdev, regs->stack_reg, &val) || val == ~0U)
			continue;
		id = field_get(regs->stack_id, val);
		die = die_of_function(pdev, ubox, val);
		if (id < regs->nr_stacks && die >= 0)
			stack_set_bus(finder, regs, die, regs->stack_of_id[id],
				      pci_domain_nr(pdev->bus), pdev->bus->number);
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

/* ---- speed of the links ---- */

/* Set the speed of a link. A link that is not trained has none. */
static void link_set_speed(struct ucore_box_desc *desc, const struct ucore_link_speed *speed)
{
	u32 val = ~0U, devfn = PCI_DEVFN(PCI_SLOT(desc->pdev->devfn), speed->function);
	struct pci_dev *pdev = pci_get_slot(desc->pdev->bus, devfn);

	if (desc->link.kind == UCORE_LINK_DOWN || !pdev ||
	    pci_read_config_dword(pdev, speed->reg, &val))
		val = ~0U;
	pci_dev_put(pdev);
	if (val == ~0U)
		return;
	val = field_get(speed->field, val);
	if (!val && speed->slowest_or_down) {
		desc->link.kind = UCORE_LINK_DOWN;
		desc->link.flags = UCORE_LINK_F_UNVERIFIED;
	} else if (val < speed->nr) {
		desc->link.speed = speed->mts[val];
	}
}

/**
 * ucore_links_find() - find the root bus of each IIO stack, and the remote end and speed of links
 * @finder: collection of box descriptions, in which this function sets the member link
 * @regs: registers that describe stacks and links, NULL if the generation has none
 * @ubox: UBox function, whose registers map buses and nodes to sockets; may be NULL if @regs has
 *        no registers about remote ends
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
	if (regs->bus_table)
		ucore_stacks_find(finder, regs->bus_table, ubox);
	for (desc = finder->desc; desc < finder->desc + finder->nr; desc++) {
		if (desc->type->link_kind != UCORE_LINK_UPI || !desc->pdev)
			continue;
		if (regs->link_status)
			link_set_peer(desc, regs, ubox);
		if (regs->speed)
			link_set_speed(desc, regs->speed);
	}
}
