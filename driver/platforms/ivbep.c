// SPDX-License-Identifier: GPL-2.0-only
/*
 * Platform table of the Xeon E5-2600 v2, E5-1600 v2 and E7 v2.
 *
 * Source: Intel 329468-002. Comments explain decisions about facts that this manual lacks. Data
 * only.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "hw/ivbep.h"
#include "platforms/e5_common.h"

/* Bits 17:16 of the box control, which enable freeze and overflow and "must be written 1" */
#define BOX_ENABLES	(E5_BOX_CTL_FRZ_EN | E5_BOX_CTL_OV_EN)

static const struct ucore_box_words words = {
	.freeze = BOX_ENABLES | E5_BOX_CTL_FRZ,
	.reset = BOX_ENABLES | E5_BOX_CTL_FRZ | E5_BOX_CTL_RST_CTRS | E5_BOX_CTL_RST_CTRL,
	.run = BOX_ENABLES,
	.reach = UCORE_RESET_CTL | UCORE_RESET_CTR,
};

/* ---- event fields ---- */

static const struct ucore_field_desc cbo_fields[] = {
	CTL_FIELD(EVENT, E5_CTL_EV_SEL),
	CTL_FIELD(UMASK, E5_CTL_UMASK),
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET),
	CTL_FIELD(THRESH, E5_CTL_THRESH),
	CTL_FIELD(TID_EN, E5_CTL_TID_EN),
	SHARED_FIELD(FILTER_TID, 0, IVBEP_CBO_FILTER0_TID),
	SHARED_FIELD(FILTER_LINK, 0, IVBEP_CBO_FILTER0_LINK),
	SHARED_FIELD(FILTER_STATE, 0, IVBEP_CBO_FILTER0_STATE),
	SHARED_FIELD(FILTER_NID, 1, IVBEP_CBO_FILTER1_NID),
	SHARED_FIELD(FILTER_OPC, 1, IVBEP_CBO_FILTER1_OPC),
	SHARED_FIELD(FILTER_C6, 1, IVBEP_CBO_FILTER1_C6),
	SHARED_FIELD(FILTER_NC, 1, IVBEP_CBO_FILTER1_NC),
	SHARED_FIELD(FILTER_ISOC, 1, IVBEP_CBO_FILTER1_ISOC),
};

/* ---- event constraints ---- */

static const struct ucore_constraint cbo_constraints[] = {
	{ 0x01, 0x01, BIT(0) },
	{ 0x02, 0x02, GENMASK(1, 0) },
	{ 0x03, 0x07, GENMASK(1, 0) },
	{ 0x09, 0x09, GENMASK(1, 0) },
	{ 0x11, 0x11, BIT(0) },
	{ 0x12, 0x14, GENMASK(1, 0) },
	{ 0x1b, 0x1e, GENMASK(3, 2) },
	{ 0x1f, 0x1f, GENMASK(3, 1) },	/* filters the occupancy count of counter 0 */
	{ 0x21, 0x21, GENMASK(1, 0) },
	{ 0x23, 0x23, GENMASK(1, 0) },
	{ 0x31, 0x35, GENMASK(1, 0) },
	{ 0x36, 0x36, BIT(0) },
	{ 0x37, 0x39, GENMASK(1, 0) },
	{ 0x3b, 0x3b, BIT(0) },
	{ 0x3c, 0x3c, GENMASK(1, 0) },
	{ }
};

static const struct ucore_constraint r2pcie_constraints[] = {
	{ 0x10, 0x11, GENMASK(1, 0) },
	{ 0x12, 0x13, BIT(0) },
	{ 0x23, 0x23, BIT(0) },
	{ 0x24, 0x24, GENMASK(1, 0) },
	{ 0x25, 0x25, BIT(0) },
	{ 0x26, 0x26, GENMASK(1, 0) },
	{ 0x28, 0x28, GENMASK(1, 0) },
	{ 0x32, 0x34, GENMASK(1, 0) },
	{ }
};

/* ---- largest increments of events ---- */

/* Largest increments of iMC events per clock. All other iMC events add up to 139 per clock. */
static const struct ucore_increment imc_increments[] = {
	{ 0x00, 0x12, 1 },
	{ 0x20, 0x24, 1 },
	{ 0x41, 0x43, 1 },
	{ 0x80, 0x80, 22 },
	{ 0x81, 0x81, 32 },
	{ 0x83, 0x83, 16 },
	{ 0x84, 0x84, 1 },
	{ 0x85, 0x85, 4 },
	{ 0x86, 0x86, 1 },
	{ }
};

#define IMC_MAX_INCREMENT	139

/* ---- box types ---- */

/*
 * The driver uses no overflow interrupts of C-Boxes, because bit 20 of a counter control is
 * reserved and there is no box status. The text of the manual mentions overflow messages (5.3),
 * and the global status has bits for C-Boxes. With try_overflow=1 the self-test tries the bit:
 * UNCERTAIN(cbo-overflow).
 */
static const struct ucore_box_type cbo = {
	.name = "cbo",
	.words = &words,
	FIELDS(cbo_fields),
	.constraints = cbo_constraints,
	.increments = ucore_e5_clockticks_00,
	.clock = UCORE_CLOCK(0x00),
	.ctl_ov_try = E5_CTL_OV_EN,
	E5_COUNTERS(4, IVBEP_WIDTH_CBO),
};

/* The UBox has no box control: its controls and counters are cleared one by one. */
static const struct ucore_box_type ubox = {
	.name = "ubox",
	FIELDS(ucore_e5_ubox_fields),
	.max_increment = E5_MAX_INCREMENT,
	.caps = UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW,
	.ctl_en = E5_CTL_EN,
	.ctl_ov_en = E5_CTL_OV_EN,
	.fixed_en = E5_FIXED_CTL_EN,
	.fixed_ov_en = E5_FIXED_CTL_OV_EN,
	.nr_gp = 2,
	.nr_fixed = 1,
	.width = IVBEP_WIDTH_UBOX,
	.fixed_width = IVBEP_WIDTH,
	.least_fixed_width = E5_WIDTH_LEAST,
	.status_fixed = UCORE_STATUS_GLOBAL,	/* global status bit 0: UNCERTAIN(fixed-status) */
};

static const struct ucore_box_type pcu = {
	.name = "pcu",
	.words = &words,
	FIELDS(ucore_e5_pcu_fields),
	.increments = ucore_e5_clockticks_00,
	.clock = UCORE_CLOCK(0x00),
	E5_OVERFLOW_COUNTERS(4, IVBEP_WIDTH),
};

static const struct ucore_box_type ha = {
	.name = "ha",
	.words = &words,
	FIELDS(ucore_e5_ha_fields),
	.increments = ucore_e5_clockticks_00,
	.clock = UCORE_CLOCK(0x00),
	E5_OVERFLOW_COUNTERS(4, IVBEP_WIDTH),
};

static const struct ucore_box_type imc = {
	.name = "imc",
	.words = &words,
	FIELDS(ucore_e5_fields),
	.increments = imc_increments,
	.max_increment = IMC_MAX_INCREMENT,
	.caps = UCORE_BOX_F_FREEZE | UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW,
	.ctl_en = E5_CTL_EN,
	.ctl_ov_en = E5_CTL_OV_EN,
	.fixed_en = E5_FIXED_CTL_EN,
	.fixed_ov_en = E5_FIXED_CTL_OV_EN,
	.nr_gp = 4,
	.nr_fixed = 1,
	.width = IVBEP_WIDTH,
	.fixed_width = IVBEP_WIDTH,
	.status_gp_shift = E5_IMC_STATUS_CTR_SHIFT,
	.status_fixed = 0,
};

static const struct ucore_box_type qpi = {
	.name = "qpi",
	.words = &words,
	FIELDS(ucore_e5_qpi_fields),
	.socket_link = true,
	.link_kind = UCORE_LINK_UPI,
	.increments = ucore_e5_clockticks_14,
	.clock = UCORE_CLOCK(0x14),
	E5_OVERFLOW_COUNTERS(4, IVBEP_WIDTH),
};

static const struct ucore_box_type r2pcie = {
	.name = "r2pcie",
	.words = &words,
	FIELDS(ucore_e5_fields),
	.constraints = r2pcie_constraints,
	.increments = ucore_e5_clockticks_01,
	.clock = UCORE_CLOCK(0x01),
	E5_OVERFLOW_COUNTERS(4, IVBEP_WIDTH_R2PCIE),
};

static const struct ucore_box_type r3qpi = {
	.name = "r3qpi",
	.words = &words,
	FIELDS(ucore_e5_fields),
	.socket_link = true,
	.constraints = ucore_e5_r3qpi_constraints,
	.increments = ucore_e5_clockticks_01,
	.clock = UCORE_CLOCK(0x01),
	E5_OVERFLOW_COUNTERS(3, IVBEP_WIDTH_R3QPI),
};

/*
 * Box with the counters of both IRPs, which have one box control: counters 0 and 1 belong to
 * IRP0, counters 2 and 3 to IRP1. The driver uses no overflow interrupts of IRPs, because the
 * global status has no bit for them: UNCERTAIN(status). With try_overflow=1 the self-test tries
 * whether an overflow sets any bit there.
 */
static const struct ucore_box_type irp = {
	.name = "irp",
	.words = &words,
	FIELDS(ucore_e5_fields),
	.increments = ucore_e5_clockticks_00,
	.clock = UCORE_CLOCK(0x00),
	.ctl_ov_try = E5_CTL_OV_EN,
	E5_COUNTERS(4, IVBEP_WIDTH),
	.least_width = E5_WIDTH_LEAST,
};

/* ---- layouts ---- */

static const struct ucore_layout cbo_layout = {
	.box_ctl = IVBEP_CBO_BOX_CTL,
	.status = UCORE_REG_NONE,
	.ctl = E5_MSRS(IVBEP_CBO_CTL0),
	.ctr = E5_MSRS(IVBEP_CBO_CTR0),
	.shared = { IVBEP_CBO_FILTER0, IVBEP_CBO_FILTER1 },
	.nr_shared = 2,
};

static const struct ucore_layout ubox_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = IVBEP_MSR_UBOX_STATUS,
	.ctl = { IVBEP_MSR_UBOX_CTL0, IVBEP_MSR_UBOX_CTL0 + 1 },
	.ctr = { IVBEP_MSR_UBOX_CTR0, IVBEP_MSR_UBOX_CTR0 + 1 },
	.fixed_ctl = { IVBEP_MSR_UBOX_FIXED_CTL },
	.fixed_ctr = { IVBEP_MSR_UBOX_FIXED_CTR },
};

static const struct ucore_layout pcu_layout = {
	.box_ctl = IVBEP_MSR_PCU_BOX_CTL,
	.status = IVBEP_MSR_PCU_STATUS,
	.ctl = E5_MSRS(IVBEP_MSR_PCU_CTL0),
	.ctr = E5_MSRS(IVBEP_MSR_PCU_CTR0),
	.shared = { IVBEP_MSR_PCU_FILTER },
	.nr_shared = 1,
};

static const struct ucore_layout irp_layout = {
	.box_ctl = E5_PCI_BOX_CTL,
	.status = E5_PCI_BOX_STATUS,
	.ctl = E5_PCI_CTLS,
	.ctr = { IVBEP_IRP_CTR0, IVBEP_IRP_CTR1, IVBEP_IRP_CTR2, IVBEP_IRP_CTR3 },
};

/* ---- addresses and numbers of boxes ---- */

static const struct ucore_static_msr msr_boxes[] = {
	{ .type = &cbo, .layout = &cbo_layout, .global_gp = BIT(IVBEP_STATUS_CBO0),
	  .base = IVBEP_MSR_CBO, .stride = IVBEP_MSR_CBO_STRIDE,
	  .max = IVBEP_NR_CBO, .per_core = true },
	{ .type = &ubox, .layout = &ubox_layout, .global_gp = BIT(IVBEP_STATUS_UBOX),
	  .global_fixed = BIT(IVBEP_STATUS_UBOX_FIXED), .max = 1 },
	{ .type = &pcu, .layout = &pcu_layout, .global_gp = BIT(IVBEP_STATUS_PCU), .max = 1 },
};

/*
 * Global status bits of the QPI and R3QPI boxes. The manual's bits ov_q0, ov_q1 and ov_rq0,
 * ov_rq1 may refer to QPI agents or to QPI ports. There are three ports for two bits. Therefore
 * each port is assumed to set either bit.
 */
#define QPI_BITS	GENMASK(IVBEP_STATUS_QPI0 + 1, IVBEP_STATUS_QPI0)
#define R3QPI_BITS	GENMASK(IVBEP_STATUS_R3QPI0 + 1, IVBEP_STATUS_R3QPI0)

#define QPI_PORT(_instance, _device, _aux) \
	{ .type = &qpi, .layout = &ucore_e5_qpi_layout, .instance = (_instance), \
	  .device = (_device), .aux = (_aux), .global_gp = QPI_BITS }

static const struct ucore_static_pci pci_boxes[] = {
	E5_PCI_BOX(ha, ucore_e5_ha_layout, 0, IVBEP_PCI_HA0, BIT(IVBEP_STATUS_HA0)),
	E5_PCI_BOX(ha, ucore_e5_ha_layout, 1, IVBEP_PCI_HA1, BIT(IVBEP_STATUS_HA0 + 1)),
	E5_PCI_BOX(imc, ucore_e5_pci_layout, 0, IVBEP_PCI_IMC0_CH0, BIT(IVBEP_STATUS_IMC0)),
	E5_PCI_BOX(imc, ucore_e5_pci_layout, 1, IVBEP_PCI_IMC0_CH1, BIT(IVBEP_STATUS_IMC0)),
	E5_PCI_BOX(imc, ucore_e5_pci_layout, 2, IVBEP_PCI_IMC0_CH2, BIT(IVBEP_STATUS_IMC0)),
	E5_PCI_BOX(imc, ucore_e5_pci_layout, 3, IVBEP_PCI_IMC0_CH3, BIT(IVBEP_STATUS_IMC0)),
	E5_PCI_BOX(imc, ucore_e5_pci_layout, 4, IVBEP_PCI_IMC1_CH0, BIT(IVBEP_STATUS_IMC0 + 1)),
	E5_PCI_BOX(imc, ucore_e5_pci_layout, 5, IVBEP_PCI_IMC1_CH1, BIT(IVBEP_STATUS_IMC0 + 1)),
	E5_PCI_BOX(imc, ucore_e5_pci_layout, 6, IVBEP_PCI_IMC1_CH2, BIT(IVBEP_STATUS_IMC0 + 1)),
	E5_PCI_BOX(imc, ucore_e5_pci_layout, 7, IVBEP_PCI_IMC1_CH3, BIT(IVBEP_STATUS_IMC0 + 1)),
	QPI_PORT(0, IVBEP_PCI_QPI0, IVBEP_PCI_QPI0_FILTER),
	QPI_PORT(1, IVBEP_PCI_QPI1, IVBEP_PCI_QPI1_FILTER),
	QPI_PORT(2, IVBEP_PCI_QPI2, IVBEP_PCI_QPI2_FILTER),
	E5_PCI_BOX(r2pcie, ucore_e5_pci_layout, 0, IVBEP_PCI_R2PCIE, BIT(IVBEP_STATUS_R2PCIE)),
	E5_PCI_BOX(r3qpi, ucore_e5_pci_layout, 0, IVBEP_PCI_R3QPI0, R3QPI_BITS),
	E5_PCI_BOX(r3qpi, ucore_e5_pci_layout, 1, IVBEP_PCI_R3QPI1, R3QPI_BITS),
	E5_PCI_BOX(r3qpi, ucore_e5_pci_layout, 2, IVBEP_PCI_R3QPI2, R3QPI_BITS),
	E5_PCI_BOX(irp, irp_layout, 0, IVBEP_PCI_IRP, 0),
};

static const struct ucore_global global = E5_GLOBAL(IVBEP);

static const struct ucore_static_table table = {
	.global = &global,
	E5_ROWS(msr_boxes, pci_boxes),
	.ubox = E5_UBOX(IVBEP_PCI_UBOX),
	.links = &ucore_e5_link_regs,
	E5_CBO_COUNT(IVBEP),
};

const struct ucore_platform ucore_platform_ivbep = {
	E5_PLATFORM("ivbep", "ivbep_uncore", &table),
	.caps = UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI,
};
