/* SPDX-License-Identifier: GPL-2.0-only */
/* Platform data that Ice Lake-SP and Snow Ridge have in common with Skylake-SP. */
#ifndef UCORE_PLATFORMS_SKX_H
#define UCORE_PLATFORMS_SKX_H

#include "hw/skx.h"
#include "platforms/hswep.h"

#define SKX_NR_IIO_FIELDS	7
#define SKX_NR_PCU_FIELDS	11

extern const struct ucore_field_desc ucore_skx_iio_fields[SKX_NR_IIO_FIELDS];
extern const struct ucore_field_desc ucore_skx_pcu_fields[SKX_NR_PCU_FIELDS];

extern const struct ucore_box_type ucore_skx_irp;
extern const struct ucore_box_type ucore_skx_pcu;
extern const struct ucore_box_type ucore_skx_ubox;

extern const struct ucore_layout ucore_skx_iio_layout;
extern const struct ucore_layout ucore_skx_pcu_layout;
extern const struct ucore_layout ucore_skx_ubox_layout;

/* Offsets of four registers that are 8 or 4 bytes apart */
#define EIGHT_APART(first)	{ (first), (first) + 8, (first) + 16, (first) + 24 }
#define FOUR_APART(first)	{ (first), (first) + 4, (first) + 8, (first) + 12 }

/* Initializers of rows of the static table: boxes in MSRs and boxes in PCI config space */
#define SKX_UBOX_AND_PCU_ROWS \
	{ .type = &ucore_skx_ubox, .layout = &ucore_skx_ubox_layout, .max = 1, \
	  .global_gp = HSWEP_ANY_BIT, .global_fixed = HSWEP_ANY_BIT }, \
	{ .type = &ucore_skx_pcu, .layout = &ucore_skx_pcu_layout, .max = 1, \
	  .global_gp = HSWEP_ANY_BIT }

#define SKX_PCI_BOX(bits, _type, _layout, _instance, _device, _slot, _function) \
	{ .type = &(_type), .layout = &(_layout), .instance = (_instance), \
	  .device = (_device), .at = E5_PCI_AT(_slot, _function), \
	  .global_gp = (bits), .global_fixed = (bits) }

/*
 * Members of struct ucore_global that Skylake-SP and Ice Lake-SP have in common. @_core_sel is
 * the mask of pmi_core_sel. The global status differs.
 */
#define SKX_GLOBAL_CTL(_core_sel) \
	.ctl = SKX_MSR_GLOBAL_CTL, \
	.freeze = SKX_GLOBAL_CTL_FRZ_ALL, \
	.unfreeze = SKX_GLOBAL_CTL_UNFRZ_ALL, \
	.wake = SKX_GLOBAL_CTL_WK_ON_PMI, \
	.core_sel = (_core_sel), \
	.keep = (_core_sel) | SKX_GLOBAL_CTL_WK_ON_PMI

/* Registers about the remote end of a UPI link (struct ucore_link_regs) */
#define SKX_LINK_REGS \
	.link_status = SKX_UPI_KTIPCSTS, \
	.link_trained = SKX_UPI_KTIPCSTS_TRAINED, \
	.link_peer = SKX_UPI_KTILP0, \
	.peer_link = SKX_UPI_KTILP0_PORT, \
	.peer_node = SKX_UPI_KTILP0_NODEID

#endif /* UCORE_PLATFORMS_SKX_H */
