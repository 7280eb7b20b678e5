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
