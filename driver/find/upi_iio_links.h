/* SPDX-License-Identifier: GPL-2.0-only */
/* Links of boxes: the PCI root buses of IIO stacks and the remote ends (peers) of UPI links. */
#ifndef UCORE_UPI_IIO_LINKS_H
#define UCORE_UPI_IIO_LINKS_H

#include <linux/types.h>

struct ucore_finder;
struct ucore_ubox_map;

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
 * @port_stacks: bit mask of the IIO stacks whose root ports have consecutive device numbers
 * @nr_ports: number of root ports of an IIO stack in @port_stacks
 * @port0: PCI device number of the first root port of such a stack
 * @no_model: CPUID model of this platform that lacks these registers, or 0
 * @link_status: config offset of the status register in the PCI function of a UPI link, or 0
 * @link_trained: bit of the status register that is set if the link works
 * @link_peer: config offset of the register with the data received from the remote end
 * @peer_link: bits of this register that contain the port number of the remote end
 * @peer_node: bits of this register that contain the node id of the remote socket, in the
 *             numbering of the UBoxes
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
	u32 port_stacks;
	u8 nr_ports;
	u8 port0;
	u8 no_model;
	u16 link_status;
	u16 link_peer;
	u32 link_trained;
	u32 peer_link;
	u32 peer_node;
};

void ucore_links_find(struct ucore_finder *finder, const struct ucore_link_regs *regs,
		      const struct ucore_ubox_map *ubox);

#endif /* UCORE_UPI_IIO_LINKS_H */
