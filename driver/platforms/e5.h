/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the generations of the E5-2600 have in common: fields of their box types
 * and layouts of their PCI boxes.  The manuals of v1 to v4 tell them alike;
 * what one of them does otherwise is in its own file.
 */
#ifndef UCORE_PLATFORMS_E5_H
#define UCORE_PLATFORMS_E5_H

#include <linux/bits.h>
#include <linux/kernel.h>

#include "find/e5.h"
#include "hw/e5.h"
#include "platforms/fields.h"
#include "platforms/list.h"

/* ev_sel with the extension bit as bit 8 */
#define E5_EVENT_EXT_FIELD \
	{ .field = UCORE_FIELD_EVENT, \
	  .piece = { { .mask = E5_CTL_EV_SEL }, \
		     { .mask = E5_CTL_EV_SEL_EXT, .shift = 8 } } }

/* What only a PCU has */
#define E5_PCU_FIELDS \
	CTL_FIELD(OCC_SEL, E5_PCU_CTL_OCC_SEL), \
	CTL_FIELD(OCC_INVERT, E5_PCU_CTL_OCC_INVERT), \
	CTL_FIELD(OCC_EDGE, E5_PCU_CTL_OCC_EDGE_DET), \
	SHARED_FIELD(BAND0, 0, E5_PCU_FILTER_BAND0), \
	SHARED_FIELD(BAND1, 0, E5_PCU_FILTER_BAND1), \
	SHARED_FIELD(BAND2, 0, E5_PCU_FILTER_BAND2), \
	SHARED_FIELD(BAND3, 0, E5_PCU_FILTER_BAND3)

/* What only an HA has */
#define E5_HA_MATCH_FIELDS \
	{ .field = UCORE_FIELD_ADDR_MATCH, \
	  .piece = { { .slot = UCORE_SLOT_SHARED(0), .shift = 6, \
		       .mask = E5_HA_ADDRMATCH0_LOW }, \
		     { .slot = UCORE_SLOT_SHARED(1), .shift = 32, \
		       .mask = E5_HA_ADDRMATCH1_HIGH } } }, \
	SHARED_FIELD(OPC_MATCH, 2, E5_HA_OPCODEMATCH_OPC)

/*
 * QPI's match and mask fields are spelled as the whole register, whose lowest
 * bit in use is bit 3 (MATCH0) or bit 0 (MATCH1).
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

#define E5_NR_FIELDS	4
#define E5_NR_UBOX_FIELDS	4
#define E5_NR_PCU_FIELDS	10
#define E5_NR_HA_FIELDS	6
#define E5_NR_QPI_FIELDS	8

extern const struct ucore_field_desc ucore_e5_fields[E5_NR_FIELDS];
extern const struct ucore_field_desc ucore_e5_ubox_fields[E5_NR_UBOX_FIELDS];
extern const struct ucore_field_desc ucore_e5_pcu_fields[E5_NR_PCU_FIELDS];
extern const struct ucore_field_desc ucore_e5_ha_fields[E5_NR_HA_FIELDS];
extern const struct ucore_field_desc ucore_e5_qpi_fields[E5_NR_QPI_FIELDS];

/* The same and invert: v1, v3 and v4; "ext": with the extended event of QPI */
extern const struct ucore_field_desc ucore_e5_invert_fields[E5_NR_FIELDS + 1];
extern const struct ucore_field_desc ucore_e5_invert_ext_fields[E5_NR_FIELDS + 1];
extern const struct ucore_field_desc ucore_e5_invert_pcu_fields[E5_NR_PCU_FIELDS + 1];
extern const struct ucore_field_desc ucore_e5_invert_ha_fields[E5_NR_HA_FIELDS + 1];
extern const struct ucore_field_desc ucore_e5_invert_qpi_fields[E5_NR_QPI_FIELDS + 1];

/* Four general controls and counters, as most PCI boxes have them */
#define E5_PCI_CTLS	{ E5_PCI_CTL0, E5_PCI_CTL0 + 4, E5_PCI_CTL0 + 8, E5_PCI_CTL0 + 12 }
#define E5_PCI_CTRS	{ E5_PCI_CTR0, E5_PCI_CTR0 + 8, E5_PCI_CTR0 + 16, E5_PCI_CTR0 + 24 }

extern const struct ucore_layout ucore_e5_pci_layout;
extern const struct ucore_layout ucore_e5_ha_layout;
extern const struct ucore_layout ucore_e5_qpi_layout;

/* A row of struct ucore_e5_pci */
#define E5_PCI_BOX(_type, _layout, _instance, _device, bits) \
	{ .type = &(_type), .layout = &(_layout), .instance = (_instance), \
	  .device = (_device), .global_gp = (bits), .global_fixed = (bits) }

#endif /* UCORE_PLATFORMS_E5_H */
