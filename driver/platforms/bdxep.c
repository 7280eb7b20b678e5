// SPDX-License-Identifier: GPL-2.0-only
/*
 * Platform tables of the Xeon E5-2600 v4, E7 v4 and Xeon D-1500. The data that is the same as on
 * v3 is in hswep.c. Data only.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "hw/bdxep.h"
#include "platforms/hswep.h"

/* ---- event constraints ---- */

static const struct ucore_constraint cbo_constraints[] = {
	{ 0x09, 0x09, GENMASK(1, 0) },
	{ 0x11, 0x11, BIT(0) },
	{ 0x36, 0x36, BIT(0) },
	{ 0x3e, 0x3e, BIT(0) },
	{ }
};

/* PCU events from 80h on (bit 7 is set) use an occupancy counter, and cannot use counter 0. */
static const struct ucore_constraint pcu_constraints[] = {
	{ 0x80, 0xff, GENMASK(3, 1) },
	{ }
};

static const struct ucore_constraint r2pcie_constraints[] = {
	{ 0x10, 0x11, GENMASK(1, 0) },
	{ 0x13, 0x13, BIT(0) },
	{ 0x23, 0x23, BIT(0) },
	{ 0x25, 0x25, BIT(0) },
	{ 0x26, 0x26, GENMASK(1, 0) },
	{ 0x28, 0x28, GENMASK(1, 0) },
	{ 0x2a, 0x2a, BIT(0) },
	{ 0x2c, 0x2d, GENMASK(1, 0) },
	{ 0x32, 0x33, GENMASK(1, 0) },
	{ }
};

/* Event 01h may use all counters: intel_uncore and Intel's event list agree on this for v4. */
static const struct ucore_constraint r3qpi_constraints[] = {
	{ 0x10, 0x11, GENMASK(1, 0) },
	{ 0x13, 0x13, BIT(0) },
	{ 0x14, 0x15, GENMASK(1, 0) },
	{ 0x1f, 0x23, GENMASK(1, 0) },
	{ 0x25, 0x26, GENMASK(1, 0) },
	{ 0x28, 0x29, GENMASK(1, 0) },
	{ 0x2a, 0x2b, BIT(0) },
	{ 0x2c, 0x2f, GENMASK(1, 0) },
	{ 0x33, 0x34, GENMASK(1, 0) },
	{ 0x36, 0x39, GENMASK(1, 0) },
	{ }
};

/* ---- box types ---- */

static const struct ucore_box_type cbo = { HSWEP_CBO(cbo_constraints) };
static const struct ucore_box_type sbox = { HSWEP_SBOX(BDXEP_WIDTH) };
static const struct ucore_box_type pcu = { HSWEP_PCU(pcu_constraints) };
static const struct ucore_box_type r2pcie = { HSWEP_R2PCIE(r2pcie_constraints) };
static const struct ucore_box_type r3qpi = { HSWEP_R3QPI(r3qpi_constraints, BDXEP_WIDTH) };

/* ---- addresses and numbers of boxes ---- */

static const struct ucore_static_msr msr_boxes[] = {
	HSWEP_CBO_ROW(cbo, BDXEP_NR_CBO),
	HSWEP_SBOX_ROW(sbox, BDXEP_NR_SBOX_SMALL),
	HSWEP_UBOX_ROW,
	HSWEP_PCU_ROW(pcu),
};

static const struct ucore_static_pci pci_boxes[] = {
	HSWEP_PCI_ROWS(BDXEP, r2pcie, r3qpi, BDXEP_PCI_QPI2_FILTER),
};

/*
 * Table of the E5-2600 v4 and E7 v4. The registers GLOBAL_CONFIG and CAPID4 are assumed to be
 * those of v3, because no source documents them for v4.
 */
static const struct ucore_static_table table = {
	.global = &ucore_hswep_global,
	E5_ROWS(msr_boxes, pci_boxes),
	.ubox = E5_UBOX(BDXEP_PCI_UBOX),
	.links = &ucore_e5_link_regs,
	E5_CBO_COUNT(HSWEP),
	HSWEP_CHOP(BDXEP),
};

const struct ucore_platform ucore_platform_bdxep = {
	E5_PLATFORM("bdxep", "bdx_uncore", &table),
	.caps = UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI,
};

/* ---- Xeon D: a single die without links and SBOXes ---- */

static const struct ucore_static_msr d_msr_boxes[] = {
	HSWEP_CBO_ROW(cbo, BDXEP_NR_CBO),
	HSWEP_UBOX_ROW,
	HSWEP_PCU_ROW(pcu),
};

static const struct ucore_static_pci d_pci_boxes[] = {
	HSWEP_PCI_BOX(ucore_hswep_ha, ucore_e5_ha_layout, 0, BDXEP_PCI_HA0),
	HSWEP_PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 0, BDXEP_PCI_IMC0_CH0),
	HSWEP_PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 1, BDXEP_PCI_IMC0_CH1),
	HSWEP_PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 2, BDXEP_PCI_IMC0_CH2),
	HSWEP_PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 3, BDXEP_PCI_IMC0_CH3),
	HSWEP_PCI_BOX(r2pcie, ucore_e5_pci_layout, 0, BDXEP_PCI_R2PCIE),
	E5_PCI_BOX(ucore_hswep_irp, ucore_e5_pci_layout, 0, BDXEP_PCI_IRP, 0),
};

static const struct ucore_static_table d_table = {
	.global = &ucore_hswep_global,
	E5_ROWS(d_msr_boxes, d_pci_boxes),
	.ubox = E5_UBOX(BDXEP_PCI_UBOX),
	E5_CBO_COUNT(HSWEP),
};

const struct ucore_platform ucore_platform_bdxde = {
	E5_PLATFORM("bdxde", "bdx_uncore", &d_table),
	.caps = UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI,
};
