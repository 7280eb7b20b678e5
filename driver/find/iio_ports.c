// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ports of IIO stacks: the PCI functions whose traffic each port counts.
 *
 * Functions are searched in the kernel's list of PCI devices, without an access to hardware.
 * Process context, at module load and for GET_PORTS.
 */
#include "find/found_boxes.h"
#include "find/iio_ports.h"

/**
 * ucore_port_set_bus() - set the root bus and the ports of all boxes of an IIO stack
 * @finder: collection of box descriptions
 * @die: logical die id
 * @stack: number of the stack, which is the instance of its boxes
 * @link: root bus
 * @ports: rules for the ports of the stack, NULL if the ports are unknown
 *
 * Return: true if the stack has a box.
 */
bool ucore_port_set_bus(struct ucore_finder *finder, u32 die, u32 stack,
			const struct ucore_link_info *link, const struct ucore_port_rule *ports)
{
	struct ucore_box_desc *desc;
	bool found = false;

	for (desc = finder->desc; desc < finder->desc + finder->nr; desc++) {
		if (desc->type->link_kind != UCORE_LINK_BUS || desc->die != die ||
		    desc->instance != stack)
			continue;
		desc->link = *link;
		desc->ports = ports;
		found = true;
	}
	return found;
}

/**
 * ucore_port_walk_begin() - begin a walk over the PCI functions of a box's ports
 * @walk: position; ucore_port_walk_end() must be called
 * @desc: the box
 */
void ucore_port_walk_begin(struct ucore_port_walk *walk, const struct ucore_box_desc *desc)
{
	*walk = (struct ucore_port_walk){
		.desc = desc,
		.rule = desc->link.kind == UCORE_LINK_BUS ? desc->ports : NULL,
	};
}

static bool rule_matches(const struct ucore_port_rule *rule, const struct ucore_link_info *link,
			 const struct pci_dev *pdev)
{
	u32 bus = pdev->bus->number;

	if (pci_domain_nr(pdev->bus) != link->segment)
		return false;
	if (rule->device)
		return bus >= link->bus && bus - link->bus < rule->buses;
	return bus == link->bus + rule->bus && pdev->devfn == PCI_DEVFN(rule->slot, 0);
}

/* Return the next function of the current rule with a reference, NULL if there is none. */
static struct pci_dev *function_next(const struct ucore_port_walk *walk)
{
	u32 vendor = walk->rule->device ? PCI_VENDOR_ID_INTEL : PCI_ANY_ID;
	u32 device = walk->rule->device ?: PCI_ANY_ID;
	struct pci_dev *pdev = walk->pdev;

	do
		pdev = pci_get_device(vendor, device, pdev);
	while (pdev && !rule_matches(walk->rule, &walk->desc->link, pdev));
	return pdev;
}

/* Describe the root bus (@pdev is NULL) or a function. */
static void rule_describe(const struct ucore_port_walk *walk, const struct pci_dev *pdev,
			  struct ucore_port_info *out)
{
	const struct ucore_port_rule *rule = walk->rule;

	*out = (struct ucore_port_info){
		.ports = rule->ports,
		.flags = rule->unverified ? UCORE_PORT_F_UNVERIFIED : 0,
		.segment = walk->desc->link.segment,
		.bus = pdev ? pdev->bus->number : walk->desc->link.bus,
		.device = pdev ? PCI_SLOT(pdev->devfn) : UCORE_ALL_DEVICES,
		.function = pdev ? PCI_FUNC(pdev->devfn) : 0,
	};
}

/**
 * ucore_port_walk_next() - find the next PCI function
 * @walk: position
 * @out: out: the function and its ports
 *
 * Return: false if there is no further function.
 */
bool ucore_port_walk_next(struct ucore_port_walk *walk, struct ucore_port_info *out)
{
	for (; walk->rule && walk->rule->ports; walk->rule++) {
		if (!walk->rule->device && walk->rule->slot == UCORE_PORT_WHOLE_BUS) {
			rule_describe(walk, NULL, out);
			walk->rule++;
			return true;
		}
		walk->pdev = function_next(walk);
		if (walk->pdev) {
			rule_describe(walk, walk->pdev, out);
			return true;
		}
	}
	return false;
}

/**
 * ucore_port_walk_end() - drop the reference of a walk, whether or not it has reached the end
 * @walk: position
 */
void ucore_port_walk_end(struct ucore_port_walk *walk)
{
	pci_dev_put(walk->pdev);
	walk->pdev = NULL;
}
