/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Static table: addresses and numbers of the boxes of a processor generation without discovery
 * tables (Xeon E5-2600 to Ice Lake-SP, Snow Ridge).
 */
#ifndef UCORE_STATIC_TABLE_DESC_H
#define UCORE_STATIC_TABLE_DESC_H

#include "find/desc.h"
#include "find/die_topology.h"
#include "find/upi_iio_links.h"

/* PCI device and function number on the bus, for PCI device ids that several functions share */
#define E5_PCI_AT(_slot, _function)	((_slot) << 3 | (_function))

/**
 * struct ucore_static_msr - all boxes of one type whose registers are MSRs
 * @type: box type
 * @layout: register offsets, relative to the base MSR of a box
 * @global_gp: global status bits that the general counters of box 0 may set, shifted left by n
 *             for box n. All ones are not shifted and mean that any bit may belong to any box.
 * @global_fixed: global status bits that the fixed counters of box 0 may set, as @global_gp
 * @base: base MSR of box 0
 * @stride: distance between the base MSRs of two boxes
 * @bases: array of the base MSR of each box, NULL if @base and @stride give the base MSRs
 * @max: largest number of boxes on a die
 * @small: largest number of boxes on the smallest die variant
 * @per_core: true if there is one box for each core, or for each cache slice that the fuses
 *            enable
 * @by_chop: true if the smallest die variant has only @small boxes; the table's member chop_reg
 *           identifies the variant
 * @each: true if @layout is an array of @max elements, one for each box
 * @one_bit: true if all boxes share the bits @global_gp, which are not shifted
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
	bool one_bit;
};

/* Return the global status bits of box @instance. @bits are the global status bits of box 0. */
static inline u64 ucore_static_instance_bits(const struct ucore_static_msr *row, u64 bits,
					     u32 instance)
{
	return row->one_bit || bits == ~0ULL ? bits : bits << instance;
}

/* Return the base MSR of box @instance. */
static inline u32 ucore_static_base(const struct ucore_static_msr *row, u32 instance)
{
	return row->bases ? row->bases[instance] : row->base + instance * row->stride;
}

/* Return the register layout of box @instance. */
static inline const struct ucore_layout *ucore_static_layout(const struct ucore_static_msr *row,
							     u32 instance)
{
	return row->each ? &row->layout[instance] : row->layout;
}

/**
 * struct ucore_static_pci - one box in PCI config space, which each socket has
 * @type: box type
 * @layout: register offsets in config space
 * @global_gp: global status bits that the general counters may set
 * @global_fixed: global status bits that the fixed counters may set
 * @device: PCI device id of the function with the box's registers
 * @at: device and function number of this function, E5_PCI_AT(); 0 if only one function of a
 *      socket has the id @device
 * @aux: PCI device id of the second function of the box, 0 for none
 * @instance: number of the box among the boxes of this type on a socket
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
 * struct ucore_static_mmio - memory-mapped boxes of one type, which each memory controller has
 * @type: box type
 * @layout: register offsets (bytes)
 * @global_gp: global status bits that the general counters of any box may set
 * @global_fixed: global status bits that the fixed counters of any box may set
 * @first: offset of the first box from the address of its memory controller (bytes)
 * @stride: distance between two boxes (bytes)
 * @nr: largest number of boxes of a memory controller; box i of controller m has the number
 *      m * @nr + i
 * @size: size of the register window of a box (bytes)
 * @apart: the global control does not stop the boxes, so that each is frozen by its box control
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
	bool apart;
};

/**
 * struct ucore_static_table - all boxes of one processor generation without discovery tables
 * @global: description of the global control of each socket, NULL if there is none
 * @msr: boxes in MSRs, one row for each box type
 * @nr_msr: number of rows of @msr
 * @pci: boxes in PCI config space, one row for each box of a socket
 * @nr_pci: number of rows of @pci
 * @mmio: boxes of memory-mapped memory controllers, one row for each box type; may be NULL
 * @nr_mmio: number of rows of @mmio
 * @nr_imc: largest number of memory-mapped memory controllers of a socket
 * @imc_map: PCI device id of the function with the addresses of the memory controllers
 *           (hw/imc_map.h); 0 if the host bridge has the address
 * @mchbar: the host bridge has the address of the first memory controller (hw/client.h)
 * @ubox: UBox function, whose registers map a PCI bus to a socket
 * @global_config: MSR that contains the number of C-Boxes (CHAs), 0 for none
 * @num_cbo: bits of @global_config that contain the number of C-Boxes (CHAs)
 * @cbo_by_register: true if only this register gives the number of C-Boxes, and false if the number
 *                   of cores is used, too
 * @cbo_extra: number of other units that @num_cbo counts, too
 * @cbo_exact: value of @num_cbo that counts C-Boxes only, 0 for none
 * @fuse_device: PCI device id of the function with the fuses of the cache slices
 * @fuse_reg: config offset of the register with the fuses
 * @fuse_above: bus number of the function with the fuses minus the bus number of its socket's
 *              UBox. The bus of the function itself may map to another socket.
 * @fuses: bits of the register at @fuse_reg and of the next dword, one for each slice; 0 if
 *         there are no fuses
 * @chop_device: PCI device id of the function with the register that identifies the die variant
 * @chop_reg: config offset of the register that identifies the die variant
 * @chop: bits of this register that contain the die variant; value 0 is the smallest die
 * @links: registers with the root buses of IIO stacks and the peers of UPI links; may be NULL
 * @uncertain: table that also contains likely facts which no source confirms, for the module
 *             parameter uncertain=1; NULL if there are none
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
	bool mchbar;
	struct ucore_ubox_map ubox;
	u32 global_config;
	u64 num_cbo;
	bool cbo_by_register;
	u32 cbo_extra;
	u32 cbo_exact;
	u16 fuse_device;
	u16 fuse_reg;
	u8 fuse_above;
	u64 fuses;
	u16 chop_device;
	u16 chop_reg;
	u32 chop;
	const struct ucore_link_regs *links;
	const struct ucore_static_table *uncertain;
};

#endif /* UCORE_STATIC_TABLE_DESC_H */
