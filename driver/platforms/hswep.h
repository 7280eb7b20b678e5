/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the E5-2600 v3 and v4 have in common beside what all generations have:
 * registers and fields of their MSR boxes, and the types that do not differ.
 */
#ifndef UCORE_PLATFORMS_HSWEP_H
#define UCORE_PLATFORMS_HSWEP_H

#include "hw/hswep.h"
#include "platforms/e5.h"

#define HSWEP_MAX_INCREMENT	256	/* no manual tells; beyond any queue's length */

/*
 * Nobody knows for sure which bit of the global status speaks of which box:
 * any of them may, so every box that is armed is asked.
 */
#define HSWEP_ANY_BIT		(~0ULL)

#define HSWEP_NR_CBO_FIELDS	14

extern const struct ucore_box_words ucore_hswep_words;
extern const struct ucore_box_words ucore_hswep_sbox_words;
extern const struct ucore_field_desc ucore_hswep_cbo_fields[HSWEP_NR_CBO_FIELDS];
extern const struct ucore_increment ucore_hswep_clockticks_00[];
extern const struct ucore_increment ucore_hswep_clockticks_01[];
extern const struct ucore_constraint ucore_hswep_ha_constraints[];

extern const struct ucore_layout ucore_hswep_cbo_layout;
extern const struct ucore_layout ucore_hswep_sbox_layout;
extern const struct ucore_layout ucore_hswep_ubox_layout;
extern const struct ucore_layout ucore_hswep_pcu_layout;

extern const struct ucore_box_type ucore_hswep_ubox;
extern const struct ucore_box_type ucore_hswep_ha;
extern const struct ucore_box_type ucore_hswep_imc;
extern const struct ucore_box_type ucore_hswep_qpi;
extern const struct ucore_box_type ucore_hswep_irp;

extern const struct ucore_global ucore_hswep_global;

/* General counters with or without an overflow of their own */
#define HSWEP_COUNTERS(_nr, _width) \
	.max_increment = HSWEP_MAX_INCREMENT, \
	.caps = UCORE_BOX_FREEZE, \
	.ctl_en = E5_CTL_EN, \
	.nr_gp = (_nr), \
	.width = (_width)

#define HSWEP_OVERFLOW_COUNTERS(_nr, _width) \
	.max_increment = HSWEP_MAX_INCREMENT, \
	.caps = UCORE_BOX_FREEZE | UCORE_BOX_OVERFLOW, \
	.ctl_en = E5_CTL_EN, \
	.ctl_ov_en = E5_CTL_OV_EN, \
	.nr_gp = (_nr), \
	.width = (_width)

/* The C-Box, SBOX, PCU, R2PCIe and R3QPI; the generations constrain them in their own ways */
#define HSWEP_CBO(_constraints) \
	.name = "cbo", \
	.words = &ucore_hswep_words, \
	FIELDS(ucore_hswep_cbo_fields), \
	.constraints = (_constraints), \
	.increments = ucore_hswep_clockticks_00, \
	HSWEP_COUNTERS(4, HSWEP_WIDTH)

#define HSWEP_SBOX(_width) \
	.name = "sbox", \
	.words = &ucore_hswep_sbox_words, \
	FIELDS(ucore_e5_invert_fields), \
	.increments = ucore_hswep_clockticks_00, \
	HSWEP_COUNTERS(4, _width)

#define HSWEP_PCU(_constraints) \
	.name = "pcu", \
	.words = &ucore_hswep_words, \
	FIELDS(ucore_e5_invert_pcu_fields), \
	.constraints = (_constraints), \
	.increments = ucore_hswep_clockticks_00, \
	HSWEP_OVERFLOW_COUNTERS(4, HSWEP_WIDTH)

#define HSWEP_R2PCIE(_constraints) \
	.name = "r2pcie", \
	.words = &ucore_hswep_words, \
	FIELDS(ucore_e5_invert_fields), \
	.constraints = (_constraints), \
	.increments = ucore_hswep_clockticks_01, \
	HSWEP_OVERFLOW_COUNTERS(4, HSWEP_WIDTH)

#define HSWEP_R3QPI(_constraints, _width) \
	.name = "r3qpi", \
	.words = &ucore_hswep_words, \
	FIELDS(ucore_e5_invert_ext_fields), \
	.constraints = (_constraints), \
	.increments = ucore_hswep_clockticks_01, \
	HSWEP_OVERFLOW_COUNTERS(3, _width)

/* Rows of struct ucore_e5_msr and struct ucore_e5_pci */
#define HSWEP_CBO_ROW(_type, _max) \
	{ .type = &(_type), .layout = &ucore_hswep_cbo_layout, .base = HSWEP_MSR_CBO, \
	  .stride = HSWEP_MSR_CBO_STRIDE, .max = (_max), .per_core = true }

#define HSWEP_SBOX_ROW(_type, _small) \
	{ .type = &(_type), .layout = &ucore_hswep_sbox_layout, .base = HSWEP_MSR_SBOX, \
	  .stride = HSWEP_MSR_SBOX_STRIDE, .max = HSWEP_NR_SBOX, .small = (_small), \
	  .by_chop = true }

#define HSWEP_UBOX_ROW \
	{ .type = &ucore_hswep_ubox, .layout = &ucore_hswep_ubox_layout, .max = 1, \
	  .global_gp = HSWEP_ANY_BIT, .global_fixed = HSWEP_ANY_BIT }

#define HSWEP_PCU_ROW(_type) \
	{ .type = &(_type), .layout = &ucore_hswep_pcu_layout, .max = 1, \
	  .global_gp = HSWEP_ANY_BIT }

#define HSWEP_PCI_BOX(_type, _layout, _instance, _device) \
	E5_PCI_BOX(_type, _layout, _instance, _device, HSWEP_ANY_BIT)

#define HSWEP_QPI_PORT(_instance, _device, _aux) \
	{ .type = &ucore_hswep_qpi, .layout = &ucore_e5_qpi_layout, \
	  .instance = (_instance), .device = (_device), .aux = (_aux), \
	  .global_gp = HSWEP_ANY_BIT }

#endif /* UCORE_PLATFORMS_HSWEP_H */
