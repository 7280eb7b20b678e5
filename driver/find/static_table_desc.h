/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Static table of a generation without discovery, from the Xeon E5-2600 on: addresses and
 * counts of its boxes.
 */
#ifndef UCORE_STATIC_TABLE_DESC_H
#define UCORE_STATIC_TABLE_DESC_H

#include "find/desc.h"
#include "find/die_topology.h"
#include "find/upi_iio_links.h"

/* Device and function number on the bus, for device ids that several functions share */
#define E5_PCI_AT(_slot, _function)	((_slot) << 3 | (_function))

/**
 * struct ucore_static_msr - MSR boxes of one type
 * @type: box type
 * @layout: registers, relative to the box's base
 * @global_gp: global status bits of instance 0, shifted left by n for instance n. All ones are
 *             not shifted and mean that any bit may belong to any instance.
 * @global_fixed: the same for fixed counters
 * @base: base MSR of instance 0
 * @stride: distance between instances (MSRs)
 * @bases: base MSR of each instance, NULL if @base and @stride apply
 * @max: largest number of instances
 * @small: largest number of instances on the smallest die variant
 * @per_core: true if there is one instance per core, or per enabled slice of the fuses
 * @by_chop: true if the smallest die variant has @small instances; the table's chop register
 *           identifies the variant
 * @each: true if @layout is an array of @max elements, one per instance
 */
struct ucore_static_msr {
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	u64 global_gp;
	u64 global_fixed;
	u32 base;
	u32 stride;
	const u16 *bases;
	u32 max;
	u32 small;
	bool per_core;
	bool by_chop;
	bool each;
};

/* Return the global status bits of an instance, derived from those of instance 0. */
static inline u64 ucore_static_instance_bits(u64 bits, u32 instance)
{
	return bits == ~0ULL ? bits : bits << instance;
}

/* Return the base MSR of an instance. */
static inline u32 ucore_static_base(const struct ucore_static_msr *row, u32 instance)
{
	return row->bases ? row->bases[instance] : row->base + instance * row->stride;
}

/* Return the register layout of an instance. */
static inline const struct ucore_layout *ucore_static_layout(const struct ucore_static_msr *row,
							     u32 instance)
{
	return row->each ? &row->layout[instance] : row->layout;
}

/**
 * struct ucore_static_pci - PCI box of each socket
 * @type: box type
 * @layout: registers, as config offsets
 * @global_gp: global status bits that the general counters may set
 * @global_fixed: global status bits that the fixed counters may set
 * @device: PCI device id
 * @at: device and function number, E5_PCI_AT(); 0 if @device is unique
 * @aux: PCI device id of the second function, 0 for none
 * @instance: number among the boxes of this type
 */
struct ucore_static_pci {
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	u64 global_gp;
	u64 global_fixed;
	u16 device;
	u16 at;
	u16 aux;
	u32 instance;
};

/**
 * struct ucore_static_mmio - memory-mapped boxes of each memory controller
 * @type: box type
 * @layout: registers, as byte offsets
 * @global_gp: global status bits that the general counters of any box may set
 * @global_fixed: global status bits that the fixed counters of any box may set
 * @first: offset of the first box from the controller's address (bytes)
 * @stride: distance between boxes (bytes)
 * @nr: largest number of boxes of a controller; box i of controller m is instance m * @nr + i
 * @size: window size of a box (bytes)
 */
struct ucore_static_mmio {
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	u64 global_gp;
	u64 global_fixed;
	u32 first;
	u32 stride;
	u32 nr;
	u32 size;
};

/**
 * struct ucore_static_table - one generation
 * @global: global control of every socket, NULL if there is none
 * @msr: MSR boxes
 * @nr_msr: number of rows of @msr
 * @pci: PCI boxes
 * @nr_pci: number of rows of @pci
 * @mmio: boxes of memory-mapped controllers; may be NULL
 * @nr_mmio: number of rows of @mmio
 * @nr_imc: largest number of memory controllers of a socket
 * @imc_map: PCI device id of the function with the controllers' addresses (hw/imc_map.h)
 * @ubox: function that maps a bus to a socket
 * @global_config: MSR with the number of C-Boxes (CHAs), 0 for none
 * @num_cbo: bits of that number
 * @fuse_device: PCI device id of the function with the slice fuses
 * @fuse_reg: config offset of the fuses
 * @fuse_above: bus number of that function minus the bus number of its socket's UBox. The
 *              function's own bus may map to another socket.
 * @fuses: slice bits of that register and the next dword; 0 without fuses
 * @chop_device: PCI device id of the function that identifies the die variant
 * @chop_reg: config offset of the variant
 * @chop: bits of the variant; 0 is the smallest die
 * @links: registers of stacks and links; may be NULL
 */
struct ucore_static_table {
	const struct ucore_global *global;
	const struct ucore_static_msr *msr;
	const struct ucore_static_pci *pci;
	const struct ucore_static_mmio *mmio;
	u32 nr_msr;
	u32 nr_pci;
	u32 nr_mmio;
	u32 nr_imc;
	u16 imc_map;
	struct ucore_ubox_map ubox;
	u32 global_config;
	u64 num_cbo;
	u16 fuse_device;
	u16 fuse_reg;
	u8 fuse_above;
	u64 fuses;
	u16 chop_device;
	u16 chop_reg;
	u32 chop;
	const struct ucore_link_regs *links;
};

#endif /* UCORE_STATIC_TABLE_DESC_H */
