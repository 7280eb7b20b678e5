/* SPDX-License-Identifier: GPL-2.0-only */
/* Links: root buses of IIO stacks and peers of UPI links. */
#ifndef UCORE_UPI_IIO_LINKS_H
#define UCORE_UPI_IIO_LINKS_H

#include <linux/types.h>

struct ucore_finder;
struct ucore_ubox_map;

/**
 * struct ucore_link_regs - link registers of a generation, 0 for absent ones
 * @bus_msr: MSR of a die whose byte s is the root bus of stack s
 * @bus_valid: bit of @bus_msr that marks the content as valid
 * @stack_device: PCI device id of a function on the root bus of each stack
 * @stack_reg: config offset of the stack number in that function
 * @stack_id: bits of the stack number
 * @stack_of_id: map from stack number to stack
 * @nr_stacks: number of stacks of a die
 * @first_stack: the only stack that can have root bus 0
 * @port_stacks: bit mask of the stacks with consecutive root ports
 * @nr_ports: number of root ports of such a stack
 * @port0: PCI device number of the first root port
 * @no_model: CPUID model of the platform without these registers, or 0
 * @link_status: config offset of the status in a link's function
 * @link_trained: status bit of a working link
 * @link_peer: config offset of the data received from the remote end
 * @peer_link: bits of the remote port
 * @peer_node: bits of the remote socket's node id, in the numbering of the UBoxes
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
