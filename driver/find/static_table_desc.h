/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The static table of a generation without discovery, from the Xeon E5-2600 on:
 * where its boxes are.
 */
#ifndef UCORE_E5_TABLE_H
#define UCORE_E5_TABLE_H

#include "find/desc.h"
#include "find/links.h"
#include "find/topology.h"

/* Where on its bus a PCI function is, in place of an id that several have */
#define E5_PCI_AT(_slot, _function)	((_slot) << 3 | (_function))

/**
 * struct ucore_e5_msr - MSR boxes of one type
 * @type: box type
 * @layout: registers, relative to the box's base
 * @global_gp: global status bits of instance 0; instance n has them << n, but all
 *             ones stay all ones: any bit may speak of any instance
 * @global_fixed: the same for fixed counters
 * @base: MSR base of instance 0
 * @stride: from one instance to the next
 * @bases: MSR base of each instance, where no stride tells; else NULL
 * @max: instances at most
 * @small: instances at most, on the smallest die
 * @per_core: there are as many as cores in the package, or as the table's fuses tell
 * @by_chop: the smallest die has @small: the table's chop tells
 * @each: @layout is an array of @max, one for each instance
 */
struct ucore_e5_msr {
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

/* Global status bits of an instance, from those of the first. */
static inline u64 ucore_e5_instance_bits(u64 bits, u32 instance)
{
	return bits == ~0ULL ? bits : bits << instance;
}

/* Where an instance begins. */
static inline u32 ucore_e5_base(const struct ucore_e5_msr *row, u32 instance)
{
	return row->bases ? row->bases[instance] : row->base + instance * row->stride;
}

/* The registers of an instance. */
static inline const struct ucore_layout *ucore_e5_layout(const struct ucore_e5_msr *row,
							 u32 instance)
{
	return row->each ? &row->layout[instance] : row->layout;
}

/**
 * struct ucore_e5_pci - one PCI box of each socket
 * @type: box type
 * @layout: registers, as config offsets
 * @global_gp: global status bits that may speak of it
 * @global_fixed: the same for fixed counters
 * @device: PCI device id
 * @at: where on its bus, E5_PCI_AT(); 0: the id alone tells
 * @aux: PCI device id of its second function, 0 if it has none
 * @instance: number among its type
 */
struct ucore_e5_pci {
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
 * struct ucore_e5_mmio - boxes of each memory controller whose registers are in memory
 * @type: box type
 * @layout: registers, as byte offsets
 * @global_gp: global status bits that may speak of any of them
 * @global_fixed: the same for fixed counters
 * @first: bytes from the controller's address to its first box
 * @stride: bytes from there to the next
 * @nr: boxes of a controller, at most; box i of controller m is instance m * @nr + i
 * @size: bytes of a box
 */
struct ucore_e5_mmio {
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
 * struct ucore_e5_table - one generation
 * @global: global control of every socket, NULL where there is none
 * @msr: MSR boxes
 * @nr_msr: rows
 * @pci: PCI boxes
 * @nr_pci: rows
 * @mmio: boxes of memory controllers in memory; may be NULL
 * @nr_mmio: rows
 * @nr_imc: memory controllers of a socket, at most
 * @imc_map: PCI device id of the function that tells where they are (hw/imc_map.h)
 * @ubox: the function that maps a bus to a socket
 * @global_config: MSR whose low bits count the C-Boxes (CHAs), 0 if there is none
 * @num_cbo: those bits
 * @fuse_device: PCI device id of the function that tells which slices have a CHA
 * @fuse_reg: register in its config space
 * @fuse_above: its bus is so many above the UBox's, whatever socket buses without a
 *              UBox belong to
 * @fuses: bits of it and of the next dword, one for each slice; 0: nothing tells
 * @chop_device: PCI device id of the function that tells which die it is
 * @chop_reg: register in its config space
 * @chop: bits of it; 0 is the smallest die
 * @ends: how stacks and links tell where they lead; may be NULL
 */
struct ucore_e5_table {
	const struct ucore_global *global;
	const struct ucore_e5_msr *msr;
	const struct ucore_e5_pci *pci;
	const struct ucore_e5_mmio *mmio;
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
	const struct ucore_link_regs *ends;
};

#endif /* UCORE_E5_TABLE_H */
