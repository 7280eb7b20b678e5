/* SPDX-License-Identifier: GPL-2.0-only */
/* Ports of IIO stacks: the PCI functions whose traffic each port counts. */
#ifndef UCORE_IIO_PORTS_H
#define UCORE_IIO_PORTS_H

#include <linux/pci.h>

#include "find/desc.h"

struct ucore_finder;

#define UCORE_PORT_WHOLE_BUS	0xff	/* ucore_port_rule.slot */

/**
 * struct ucore_port_rule - PCI functions whose traffic some ports of a stack count
 * @ports: mask of the ports; 0 ends an array of rules
 * @slot: function 0 of this PCI device on a bus, or UCORE_PORT_WHOLE_BUS: all functions of the root
 *        bus; not used with @device
 * @bus: distance of the bus with @slot from the root bus
 * @device: PCI device id of Intel: all functions with this id; 0: @slot is used
 * @buses: number of buses, from the root bus on, that may have functions with the id @device
 * @unverified: true if the only source contradicts itself
 */
struct ucore_port_rule {
	u8 ports;
	u8 slot;
	u8 bus;
	u16 device;
	u16 buses;
	bool unverified;
};

/**
 * struct ucore_port_walk - position in the list of PCI functions of a box
 * @desc: the box
 * @rule: current rule, NULL at the end
 * @pdev: last function that matched @rule, with a reference; NULL if there is none
 */
struct ucore_port_walk {
	const struct ucore_box_desc *desc;
	const struct ucore_port_rule *rule;
	struct pci_dev *pdev;
};

void ucore_port_walk_begin(struct ucore_port_walk *walk, const struct ucore_box_desc *desc);
bool ucore_port_walk_next(struct ucore_port_walk *walk, struct ucore_port_info *out);
void ucore_port_walk_end(struct ucore_port_walk *walk);
bool ucore_port_set_bus(struct ucore_finder *finder, u32 die, u32 stack,
			const struct ucore_link_info *link, const struct ucore_port_rule *ports);

#endif /* UCORE_IIO_PORTS_H */
