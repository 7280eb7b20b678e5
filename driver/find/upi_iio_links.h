/* SPDX-License-Identifier: GPL-2.0-only */
/* Links of boxes: the PCI root buses of IIO stacks and the remote ends (peers) of UPI links. */
#ifndef UCORE_UPI_IIO_LINKS_H
#define UCORE_UPI_IIO_LINKS_H

#include <linux/types.h>

struct ucore_bus_table;
struct ucore_finder;
struct ucore_port_rule;
struct ucore_ubox_map;

/**
 * struct ucore_link_speed - register with the speed of a QPI or UPI link
 * @function: number of the PCI function with the register, in the PCI device of the link's box
 * @reg: config offset of the register
 * @field: bits of the register that contain the speed
 * @mts: speed of each value (MT/s), 0 if the value has no meaning
 * @nr: number of @mts
 * @slowest_or_down: value 0 stands for the lowest speed, but also for a link that is not trained,
 *                   and no other register contains the state of the link
 */
struct ucore_link_speed {
	u8 function;
	u16 reg;
	u32 field;
	const u16 *mts;
	u8 nr;
	bool slowest_or_down;
};

/**
 * struct ucore_link_regs - registers that describe the IIO stacks and UPI links of a generation
 * @bus_msr: MSR whose byte s is the number of the PCI root bus of IIO stack s of the die, or 0
 * @bus_valid: bit of @bus_msr that marks the value of the MSR as valid
 * @stack_device: PCI device id of a function that exists on the root bus of each IIO stack, or 0
 * @stack_reg: config offset of the register with the stack id in this function
 * @stack_id: bits of this register that contain the stack id
 * @stack_of_id: array that maps a stack id to the number of the IIO stack
 * @nr_stacks: number of IIO stacks of a die
 * @first_stack: number of the only IIO stack that can have root bus 0
 * @ports: rules for the ports of each IIO stack, with NULL for stacks whose ports are unknown; NULL
 *         if the ports of all stacks are unknown
 * @bus_table: tables of root buses, NULL if the generation has none
 * @no_model: CPUID model of this platform that lacks these registers, or 0
 * @link_status: config offset of the status register in the PCI function of a UPI link, or 0
 * @link_trained: bit of the status register that is set if the link works
 * @link_peer: config offset of the register with the data received from the remote end
 * @peer_link: bits of this register that contain the port number of the remote end
 * @peer_node: bits of this register that contain the node id of the remote socket, in the
 *             numbering of the UBoxes
 * @speed: register with the speed of a link, NULL if it is unknown
 */
struct ucore_link_regs {
	u32 bus_msr;
	u64 bus_valid;
	u16 stack_device;
	u16 stack_reg;
	u32 stack_id;
	const u8 *stack_of_id;
	u8 nr_stacks;
	u8 first_stack;
	const struct ucore_port_rule *const *ports;
	const struct ucore_bus_table *bus_table;
	u8 no_model;
	u16 link_status;
	u16 link_peer;
	u32 link_trained;
	u32 peer_link;
	u32 peer_node;
	const struct ucore_link_speed *speed;
};

void ucore_links_find(struct ucore_finder *finder, const struct ucore_link_regs *regs,
		      const struct ucore_ubox_map *ubox);

#endif /* UCORE_UPI_IIO_LINKS_H */
