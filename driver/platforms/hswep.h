/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data that the E5-2600 v3 and v4 platforms have in common: registers and fields of boxes in
 * MSRs, and box types. Later platforms use parts of this data.
 */
#ifndef UCORE_PLATFORMS_HSWEP_H
#define UCORE_PLATFORMS_HSWEP_H

#include "hw/hswep.h"
#include "platforms/e5_common.h"

/*
 * Global status bits of a box whose bits are unknown. Any bit may belong to any box. Therefore
 * the status of every armed box is read after an overflow.
 */
#define HSWEP_ANY_BIT		(~0ULL)

#define HSWEP_NR_CBO_FIELDS	14

extern const struct ucore_box_words ucore_hswep_words;
extern const struct ucore_box_words ucore_hswep_sbox_words;
extern const struct ucore_field_desc ucore_hswep_cbo_fields[HSWEP_NR_CBO_FIELDS];
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

/*
 * Box types C-Box, SBOX, PCU, R2PCIe and R3QPI of v3 and v4. The event constraints differ between
 * the generations.
 */
#define HSWEP_CBO(_constraints) \
	.name = "cbo", \
	.words = &ucore_hswep_words, \
	FIELDS(ucore_hswep_cbo_fields), \
	.constraints = (_constraints), \
	.increments = ucore_e5_clockticks_00, \
	.clock = UCORE_CLOCK(0x00), \
	E5_COUNTERS(4, HSWEP_WIDTH)

#define HSWEP_SBOX(_width) \
	.name = "sbox", \
	.words = &ucore_hswep_sbox_words, \
	FIELDS(ucore_e5_invert_fields), \
	.increments = ucore_e5_clockticks_00, \
	.clock = UCORE_CLOCK(0x00), \
	E5_COUNTERS(4, _width)

#define HSWEP_PCU(_constraints) \
	.name = "pcu", \
	.words = &ucore_hswep_words, \
	FIELDS(ucore_e5_invert_pcu_fields), \
	.constraints = (_constraints), \
	.increments = ucore_e5_clockticks_00, \
	.clock = UCORE_CLOCK(0x00), \
	E5_OVERFLOW_COUNTERS(4, HSWEP_WIDTH)

#define HSWEP_R2PCIE(_constraints) \
	.name = "r2pcie", \
	.words = &ucore_hswep_words, \
	FIELDS(ucore_e5_invert_fields), \
	.constraints = (_constraints), \
	.increments = ucore_e5_clockticks_01, \
	.clock = UCORE_CLOCK(0x01), \
	E5_OVERFLOW_COUNTERS(4, HSWEP_WIDTH)

#define HSWEP_R3QPI(_constraints, _width) \
	.name = "r3qpi", \
	.words = &ucore_hswep_words, \
	FIELDS(ucore_e5_invert_ext_fields), \
	.socket_link = true, \
	.constraints = (_constraints), \
	.increments = ucore_e5_clockticks_01, \
	.clock = UCORE_CLOCK(0x01), \
	E5_OVERFLOW_COUNTERS(3, _width)

/* Initializers of rows of the static table: boxes in MSRs and boxes in PCI config space */
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

/*
 * Rows of all boxes in PCI config space. @_gen is the prefix of the PCI device ids, @_r2pcie and
 * @_r3qpi are box types, and @_qpi2_filter is the device id of the filter function of QPI port 2,
 * or 0.
 */
#define HSWEP_PCI_ROWS(_gen, _r2pcie, _r3qpi, _qpi2_filter) \
	HSWEP_PCI_BOX(ucore_hswep_ha, ucore_e5_ha_layout, 0, _gen##_PCI_HA0), \
	HSWEP_PCI_BOX(ucore_hswep_ha, ucore_e5_ha_layout, 1, _gen##_PCI_HA1), \
	HSWEP_PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 0, _gen##_PCI_IMC0_CH0), \
	HSWEP_PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 1, _gen##_PCI_IMC0_CH1), \
	HSWEP_PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 2, _gen##_PCI_IMC0_CH2), \
	HSWEP_PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 3, _gen##_PCI_IMC0_CH3), \
	HSWEP_PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 4, _gen##_PCI_IMC1_CH0), \
	HSWEP_PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 5, _gen##_PCI_IMC1_CH1), \
	HSWEP_PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 6, _gen##_PCI_IMC1_CH2), \
	HSWEP_PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 7, _gen##_PCI_IMC1_CH3), \
	HSWEP_QPI_PORT(0, _gen##_PCI_QPI0, _gen##_PCI_QPI0_FILTER), \
	HSWEP_QPI_PORT(1, _gen##_PCI_QPI1, _gen##_PCI_QPI1_FILTER), \
	HSWEP_QPI_PORT(2, _gen##_PCI_QPI2, _qpi2_filter), \
	HSWEP_PCI_BOX(_r2pcie, ucore_e5_pci_layout, 0, _gen##_PCI_R2PCIE), \
	HSWEP_PCI_BOX(_r3qpi, ucore_e5_pci_layout, 0, _gen##_PCI_R3QPI0), \
	HSWEP_PCI_BOX(_r3qpi, ucore_e5_pci_layout, 1, _gen##_PCI_R3QPI1), \
	HSWEP_PCI_BOX(_r3qpi, ucore_e5_pci_layout, 2, _gen##_PCI_R3QPI2), \
	E5_PCI_BOX(ucore_hswep_irp, ucore_e5_pci_layout, 0, _gen##_PCI_IRP, 0)

/* Register that identifies the die variant, because the smallest die has fewer SBOXes */
#define HSWEP_CHOP(_gen) \
	.chop_device = _gen##_PCI_PCU, \
	.chop_reg = HSWEP_PCU_CAPID4, \
	.chop = HSWEP_PCU_CAPID4_CHOP

#endif /* UCORE_PLATFORMS_HSWEP_H */
