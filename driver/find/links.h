/* SPDX-License-Identifier: GPL-2.0-only */
/* What is at the other end of IIO stacks and UPI links. */
#ifndef UCORE_ENDS_H
#define UCORE_ENDS_H

#include <linux/types.h>

struct ucore_finder;
struct ucore_ubox_map;

/**
 * struct ucore_link_regs - how a generation tells it; what it has none of is 0
 * @bus_msr: MSR of a die whose byte s is the root bus of stack s
 * @bus_valid: bit of it without which it tells nothing
 * @stack_device: PCI device id of a function that each stack has on its root bus
 * @stack_reg: config offset of the stack's number there
 * @stack_id: bits of that
 * @stack_of_id: stack that such a number is
 * @nr_stacks: stacks of a die
 * @first_stack: the only one whose root bus can have number 0
 * @port_stacks: stacks, a bit each, whose ports are root ports in a row
 * @nr_ports: so many of them
 * @port0: device number of the first
 * @no_model: CPUID model of the platform on which this is not so, or 0
 * @link_status: config offset in a link's function
 * @link_trained: bit of it that tells whether the link works
 * @link_peer: config offset of what the other end has sent
 * @peer_link: bits of that: the link there
 * @peer_node: bits of that: the socket's node id, as UBoxes number it
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

void ucore_links_find(struct ucore_finder *finder, const struct ucore_link_regs *ends,
		     const struct ucore_ubox_map *ubox);

#endif /* UCORE_ENDS_H */
