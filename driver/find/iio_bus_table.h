/* SPDX-License-Identifier: GPL-2.0-only */
/* PCI root buses of the IIO stacks, from the table of root buses of each package. */
#ifndef UCORE_IIO_BUS_TABLE_H
#define UCORE_IIO_BUS_TABLE_H

#include <linux/types.h>

struct ucore_finder;
struct ucore_port_rule;
struct ucore_ubox_map;

/**
 * struct ucore_iio_stack - IIO stack of a root bus
 * @id: index of the root bus in the table of its package
 * @stack: number of the stack's boxes
 * @unverified: true if the only source assumes @stack or contradicts itself
 * @ports: rules for the ports of the stack
 */
struct ucore_iio_stack {
	u8 id;
	u8 stack;
	bool unverified;
	const struct ucore_port_rule *ports;
};

/**
 * struct ucore_iio_map - all IIO stacks of a die variant
 * @variant: value of the field that identifies the variant
 * @nr: number of @stacks
 * @stacks: the stacks
 */
struct ucore_iio_map {
	u32 variant;
	u32 nr;
	const struct ucore_iio_stack *stacks;
};

/**
 * struct ucore_bus_table - how to find and to interpret the tables of root buses of a platform
 * @maps: stacks of each die variant
 * @nr_maps: number of @maps
 * @variant_device: PCI device id of the function with the die variant, 0 if there is one variant
 * @variant_devfn: device and function number of this function
 * @variant_reg: config offset of the register with the die variant
 * @variant_field: bits of this register that contain the die variant
 * @no_stacks: mask of the ids that are known to belong to no stack
 * @doubted: CPUID models on which the whole map is unverified, 0 for none
 */
struct ucore_bus_table {
	const struct ucore_iio_map *maps;
	u32 nr_maps;
	u16 variant_device;
	u16 variant_devfn;
	u16 variant_reg;
	u32 variant_field;
	u32 no_stacks;
	u8 doubted[2];
};

void ucore_stacks_find(struct ucore_finder *finder, const struct ucore_bus_table *regs,
		       const struct ucore_ubox_map *ubox);

#endif /* UCORE_IIO_BUS_TABLE_H */
