/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data that the platforms of all four generations of the Xeon E5-2600 (v1 to v4) have in common:
 * event fields of the box types, and register offsets of the boxes in PCI config space. The
 * manuals agree on these. The file of each platform has the differences.
 */
#ifndef UCORE_PLATFORMS_E5_COMMON_H
#define UCORE_PLATFORMS_E5_COMMON_H

#include <linux/bits.h>
#include <linux/kernel.h>

#include "find/static_table.h"
#include "hw/e5.h"
#include "platforms/fields.h"
#include "platforms/match.h"

/* Event select field of nine bits: bit 8 is in the extension bit of the control */
#define E5_EVENT_EXT_FIELD \
	{ .field = UCORE_FIELD_EVENT, \
	  .piece = { { .mask = E5_CTL_EV_SEL }, \
		     { .mask = E5_CTL_EV_SEL_EXT, .shift = 8 } } }

/* Event fields that only a PCU has */
#define E5_PCU_FIELDS \
	CTL_FIELD(OCC_SEL, E5_PCU_CTL_OCC_SEL), \
	CTL_FIELD(OCC_INVERT, E5_PCU_CTL_OCC_INVERT), \
	CTL_FIELD(OCC_EDGE, E5_PCU_CTL_OCC_EDGE_DET), \
	SHARED_FIELD(BAND0, 0, E5_PCU_FILTER_BAND0), \
	SHARED_FIELD(BAND1, 0, E5_PCU_FILTER_BAND1), \
	SHARED_FIELD(BAND2, 0, E5_PCU_FILTER_BAND2), \
	SHARED_FIELD(BAND3, 0, E5_PCU_FILTER_BAND3)

/* Event fields that only an HA has */
#define E5_HA_MATCH_FIELDS \
	{ .field = UCORE_FIELD_ADDR_MATCH, \
	  .piece = { { .slot = UCORE_SLOT_SHARED(0), .shift = 6, \
		       .mask = E5_HA_ADDRMATCH0_LOW }, \
		     { .slot = UCORE_SLOT_SHARED(1), .shift = 32, \
		       .mask = E5_HA_ADDRMATCH1_HIGH } } }, \
	SHARED_FIELD(OPC_MATCH, 2, E5_HA_OPCODEMATCH_OPC)

/*
 * Match and mask fields of a QPI port. The value of such a field is the value of the whole
 * register. The lowest bit in use is bit 3 in MATCH0 and MASK0, and bit 0 in MATCH1 and MASK1.
 */
#define E5_QPI_PACKET0_FIELD(id, reg) \
	{ .field = UCORE_FIELD_##id, \
	  .piece = { { .slot = UCORE_SLOT_SHARED(reg), .shift = 3, \
		       .mask = E5_QPI_MATCH0_BITS } } }
#define E5_QPI_MATCH_FIELDS \
	E5_QPI_PACKET0_FIELD(MATCH0, 0), \
	SHARED_FIELD(MATCH1, 1, E5_QPI_MATCH1_BITS), \
	E5_QPI_PACKET0_FIELD(MASK0, 2), \
	SHARED_FIELD(MASK1, 3, E5_QPI_MATCH1_BITS)

/* Largest increment of a general counter (counts per clock), if no manual states it */
#define E5_MAX_INCREMENT	256	/* an assumption; exceeds the length of every queue */

/*
 * Members of struct ucore_box_type for the general counters of a box with a box control:
 * E5_COUNTERS() without overflow interrupts, E5_OVERFLOW_COUNTERS() with them
 */
#define E5_COUNTERS(_nr, _width) \
	.max_increment = E5_MAX_INCREMENT, \
	.caps = UCORE_BOX_F_FREEZE, \
	.ctl_en = E5_CTL_EN, \
	.nr_gp = (_nr), \
	.width = (_width)

#define E5_OVERFLOW_COUNTERS(_nr, _width) \
	.max_increment = E5_MAX_INCREMENT, \
	.caps = UCORE_BOX_F_FREEZE | UCORE_BOX_F_OVERFLOW, \
	.ctl_en = E5_CTL_EN, \
	.ctl_ov_en = E5_CTL_OV_EN, \
	.nr_gp = (_nr), \
	.width = (_width)

/* Event constraints of the R3QPI boxes of v1 and v2 */
extern const struct ucore_constraint ucore_e5_r3qpi_constraints[];

/*
 * Lists with the clock event of a box type, which adds one per clock. The name of the list
 * contains the event select of the clock event.
 */
extern const struct ucore_increment ucore_e5_clockticks_00[];
extern const struct ucore_increment ucore_e5_clockticks_01[];
extern const struct ucore_increment ucore_e5_clockticks_14[];

#define E5_NR_FIELDS	4
#define E5_NR_UBOX_FIELDS	4
#define E5_NR_PCU_FIELDS	10
#define E5_NR_HA_FIELDS	6
#define E5_NR_QPI_FIELDS	8

extern const struct ucore_field_desc ucore_e5_fields[E5_NR_FIELDS];
extern const struct ucore_field_desc ucore_e5_ubox_fields[E5_NR_UBOX_FIELDS];
extern const struct ucore_field_desc ucore_e5_pcu_fields[E5_NR_PCU_FIELDS];
extern const struct ucore_field_desc ucore_e5_ha_fields[E5_NR_HA_FIELDS + 1];
extern const struct ucore_field_desc ucore_e5_qpi_fields[E5_NR_QPI_FIELDS];

/*
 * Event fields of boxes of v1, v3 and v4, which have the field invert. Boxes of v2 do not have it.
 * Lists with "ext" in their name have an event select of nine bits.
 */
extern const struct ucore_field_desc ucore_e5_invert_fields[E5_NR_FIELDS + 1];
extern const struct ucore_field_desc ucore_e5_invert_ext_fields[E5_NR_FIELDS + 1];
extern const struct ucore_field_desc ucore_e5_invert_pcu_fields[E5_NR_PCU_FIELDS + 1];
extern const struct ucore_field_desc ucore_e5_invert_ha_fields[E5_NR_HA_FIELDS + 1];
extern const struct ucore_field_desc ucore_e5_invert_qpi_fields[E5_NR_QPI_FIELDS + 1];

/* Offsets of four consecutive MSRs, and register offsets of boxes in PCI config space */
#define E5_MSRS(_first)	{ (_first), (_first) + 1, (_first) + 2, (_first) + 3 }
#define E5_PCI_CTLS	{ E5_PCI_CTL0, E5_PCI_CTL0 + 4, E5_PCI_CTL0 + 8, E5_PCI_CTL0 + 12 }
#define E5_PCI_CTRS	{ E5_PCI_CTR0, E5_PCI_CTR0 + 8, E5_PCI_CTR0 + 16, E5_PCI_CTR0 + 24 }
#define E5_PCI_REGS(_status) \
	.box_ctl = E5_PCI_BOX_CTL, \
	.status = (_status), \
	.ctl = E5_PCI_CTLS, \
	.ctr = E5_PCI_CTRS

/* Additional registers of an iMC, an HA and a QPI port */
#define E5_IMC_FIXED \
	.fixed_ctl = { E5_PCI_FIXED_CTL }, \
	.fixed_ctr = { E5_PCI_FIXED_CTR }
#define E5_HA_MATCHES \
	.shared = { E5_HA_ADDRMATCH0, E5_HA_ADDRMATCH1, E5_HA_OPCODEMATCH }, \
	.nr_shared = 3
#define E5_QPI_MATCHES \
	.shared = { E5_QPI_MATCH0, E5_QPI_MATCH1, E5_QPI_MASK0, E5_QPI_MASK1 }, \
	.shared_aux = GENMASK(3, 0), \
	.nr_shared = 4

extern const struct ucore_layout ucore_e5_pci_layout;
extern const struct ucore_layout ucore_e5_ha_layout;
extern const struct ucore_layout ucore_e5_qpi_layout;
extern const struct ucore_link_regs ucore_e5_link_regs;

/* Initializer of a row of the static table: one box in PCI config space */
#define E5_PCI_BOX(_type, _layout, _instance, _device, bits) \
	{ .type = &(_type), .layout = &(_layout), .instance = (_instance), \
	  .device = (_device), .global_gp = (bits), .global_fixed = (bits) }

/*
 * Initializers of a global control, of the rows of a static table, and of a platform. @_gen is
 * the prefix of the register names.
 */
#define E5_GLOBAL(_gen) { \
	.ctl = _gen##_MSR_GLOBAL_CTL, \
	.status = _gen##_MSR_GLOBAL_STATUS, \
	.nr_status = 1, \
	.freeze = E5_GLOBAL_CTL_FRZ_ALL, \
	.unfreeze = E5_GLOBAL_CTL_UNFRZ_ALL, \
	.wake = E5_GLOBAL_CTL_WK_ON_PMI, \
	.core_sel = _gen##_GLOBAL_CTL_PMI_CORE_SEL, \
	.keep = _gen##_GLOBAL_CTL_PMI_CORE_SEL | E5_GLOBAL_CTL_WK_ON_PMI, \
}

#define E5_ROWS(_msr, _pci) \
	.msr = (_msr), \
	.nr_msr = ARRAY_SIZE(_msr), \
	.pci = (_pci), \
	.nr_pci = ARRAY_SIZE(_pci)

/* UBox function (struct ucore_ubox_map), whose registers contain the number of its socket */
#define E5_UBOX(_device) { \
	.device = (_device), \
	.nodeid = E5_UBOX_CPUNODEID, \
	.gidnidmap = E5_UBOX_GIDNIDMAP, \
}

#define E5_CBO_COUNT(_gen) \
	.global_config = _gen##_MSR_GLOBAL_CONFIG, \
	.num_cbo = _gen##_GLOBAL_CONFIG_NUM_CBO

#define E5_PLATFORM(_name, _intree, _table) \
	.name = (_name), \
	.intree = (_intree), \
	.find = ucore_static_table_find, \
	.table = (_table)

#endif /* UCORE_PLATFORMS_E5_COMMON_H */
