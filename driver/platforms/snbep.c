// SPDX-License-Identifier: GPL-2.0-only
/*
 * Platform table of the first generation of Xeon E5-2600, E5-1600 and E5-4600.
 *
 * Source: Intel 327043-001. Comments explain decisions about facts that this manual lacks. These
 * processors have no global control and no overflow interrupt. Each box is frozen by its own box
 * control, if it has one. Data only.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "hw/snbep.h"
#include "platforms/e5_common.h"

/*
 * Box control of a frozen box. The bit frz has no effect without frz_en. Therefore frz_en is set
 * first and stays set for the whole session. Bit 17 must be 0.
 */
#define FROZEN	(E5_BOX_CTL_FRZ_EN | E5_BOX_CTL_FRZ)

/*
 * Box control values of boxes with reset bits. The reset clears only the counters (value 2 in
 * 2.1.1 step e). Controls are cleared one by one.
 */
static const struct ucore_box_words words = {
	.enable = E5_BOX_CTL_FRZ_EN,
	.freeze = FROZEN,
	.reset = FROZEN | E5_BOX_CTL_RST_CTRS,
	.run = E5_BOX_CTL_FRZ_EN,
	.reach = UCORE_RESET_CTR,
};

/* Box control values of HA and iMC, whose reset bits must be 0 (2.1.1, note at step e) */
static const struct ucore_box_words words_without_reset = {
	.enable = E5_BOX_CTL_FRZ_EN,
	.freeze = FROZEN,
	.reset = FROZEN,
	.run = E5_BOX_CTL_FRZ_EN,
};

/* ---- event fields that differ from later generations ---- */

#define COMMON_FIELDS \
	CTL_FIELD(EVENT, E5_CTL_EV_SEL), \
	CTL_FIELD(UMASK, E5_CTL_UMASK), \
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET), \
	CTL_FIELD(INVERT, E5_CTL_INVERT)

static const struct ucore_field_desc cbo_fields[] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, E5_CTL_THRESH),
	CTL_FIELD(TID_EN, E5_CTL_TID_EN),
	SHARED_FIELD(FILTER_TID, 0, SNBEP_CBO_FILTER_TID),
	SHARED_FIELD(FILTER_NID, 0, SNBEP_CBO_FILTER_NID),
	SHARED_FIELD(FILTER_STATE, 0, SNBEP_CBO_FILTER_STATE),
	SHARED_FIELD(FILTER_OPC, 0, SNBEP_CBO_FILTER_OPC),
};

static const struct ucore_field_desc ubox_fields[] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, E5_CTL_THRESH5),
};

/* ---- event constraints ---- */

static const struct ucore_constraint cbo_constraints[] = {
	{ 0x01, 0x01, BIT(0) },
	{ 0x02, 0x07, GENMASK(1, 0) },
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
	{ }
};

static const struct ucore_constraint r2pcie_constraints[] = {
	{ 0x10, 0x11, GENMASK(1, 0) },
	{ 0x12, 0x12, BIT(0) },
	{ 0x23, 0x23, BIT(0) },
	{ 0x24, 0x24, GENMASK(1, 0) },
	{ 0x25, 0x25, BIT(0) },
	{ 0x26, 0x26, GENMASK(1, 0) },
	{ 0x32, 0x34, GENMASK(1, 0) },
	{ }
};

/* ---- largest increments of events ---- */

/*
 * Events of a C-Box that add at most 1 per clock (2.3.5, Table 2-14). Other events add up to 20
 * per clock (2.3.2).
 */
static const struct ucore_increment cbo_increments[] = {
	{ 0x00, 0x00, 1 },	/* CLOCKTICKS */
	{ 0x02, 0x02, 1 },	/* TxR_INSERTS */
	{ 0x04, 0x05, 1 },	/* TxR_ADS_USED, RING_BOUNCES */
	{ 0x07, 0x07, 1 },	/* RING_SRC_THRTL */
	{ 0x12, 0x13, 1 },	/* RxR_EXT_STARVED, RxR_INSERTS */
	{ 0x1b, 0x1e, 1 },	/* RING_*_USED */
	{ 0x31, 0x32, 1 },	/* RxR_IPQ_RETRY, RxR_IRQ_RETRY */
	{ }
};

/* Events of the UBox that add at most 1 per clock (Table 2-6) */
static const struct ucore_increment ubox_increments[] = {
	{ 0x42, 0x42, 1 },	/* EVENT_MSG */
	{ 0x44, 0x44, 1 },	/* LOCK_CYCLES */
	{ }
};

/*
 * Largest increments of iMC events per clock (2.5.5). All other iMC events add up to 139 per
 * clock. The manual's table lacks POWER_SELF_REFRESH, for which 139 is assumed.
 */
static const struct ucore_increment imc_increments[] = {
	{ 0x00, 0x00, 1 },	/* CLOCKTICKS */
	{ 0x01, 0x01, 1 },	/* ACT_COUNT */
	{ 0x02, 0x02, 1 },	/* PRE_COUNT */
	{ 0x04, 0x04, 1 },	/* CAS_COUNT */
	{ 0x05, 0x05, 1 },	/* DRAM_REFRESH */
	{ 0x06, 0x06, 1 },	/* DRAM_PRE_ALL */
	{ 0x07, 0x07, 1 },	/* MAJOR_MODES */
	{ 0x08, 0x08, 1 },	/* PREEMPTION */
	{ 0x09, 0x09, 1 },	/* ECC_CORRECTABLE_ERRORS */
	{ 0x10, 0x10, 1 },	/* RPQ_INSERTS */
	{ 0x11, 0x11, 1 },	/* RPQ_CYCLES_NE */
	{ 0x12, 0x12, 1 },	/* RPQ_CYCLES_FULL */
	{ 0x20, 0x20, 1 },	/* WPQ_INSERTS */
	{ 0x21, 0x21, 1 },	/* WPQ_CYCLES_NE */
	{ 0x22, 0x22, 1 },	/* WPQ_CYCLES_FULL */
	{ 0x23, 0x23, 1 },	/* WPQ_READ_HIT */
	{ 0x24, 0x24, 1 },	/* WPQ_WRITE_HIT */
	{ 0x41, 0x41, 1 },	/* POWER_THROTTLE_CYCLES */
	{ 0x80, 0x80, 22 },	/* RPQ_OCCUPANCY */
	{ 0x81, 0x81, 32 },	/* WPQ_OCCUPANCY */
	{ 0x83, 0x83, 16 },	/* POWER_CKE_CYCLES */
	{ 0x84, 0x84, 1 },	/* POWER_CHANNEL_DLLOFF */
	{ 0x85, 0x85, 4 },	/* POWER_CHANNEL_PPD */
	{ 0x86, 0x86, 1 },	/* POWER_CRITICAL_THROTTLE_CYCLES */
	{ }
};

#define CBO_MAX_INCREMENT	20
#define IMC_MAX_INCREMENT	139

/* ---- box types ---- */

static const struct ucore_box_type cbo = {
	.name = "cbo",
	.words = &words,
	FIELDS(cbo_fields),
	.constraints = cbo_constraints,
	.increments = cbo_increments,
	.clock = UCORE_CLOCK(0x00),
	.max_increment = CBO_MAX_INCREMENT,
	.caps = UCORE_BOX_F_FREEZE,
	.ctl_en = E5_CTL_EN,
	.ctl_rst = E5_CTL_RST,
	.nr_gp = 4,
	.width = SNBEP_WIDTH_CBO,
};

/* The UBox has no box control and no freeze: a counter counts as soon as its control is set. */
static const struct ucore_box_type ubox = {
	.name = "ubox",
	FIELDS(ubox_fields),
	.increments = ubox_increments,
	.max_increment = E5_MAX_INCREMENT,
	.ctl_en = E5_CTL_EN,
	.ctl_rst = E5_CTL_RST,
	.fixed_en = E5_FIXED_CTL_EN,
	.nr_gp = 2,
	.nr_fixed = 1,
	.width = SNBEP_WIDTH_UBOX,
	.fixed_width = SNBEP_WIDTH,
	.least_fixed_width = E5_WIDTH_LEAST,
};

/*
 * Bit 21 of the PCU controls (ev_sel_ext) is used, because it selects core transition events,
 * although the manual's table of the register lists it as reserved.
 */
static const struct ucore_box_type pcu = {
	.name = "pcu",
	.words = &words,
	FIELDS(ucore_e5_invert_pcu_fields),
	.increments = ucore_e5_clockticks_00,
	.clock = UCORE_CLOCK(0x00),
	E5_COUNTERS(4, SNBEP_WIDTH),
	.ctl_rst = E5_CTL_RST,
};

static const struct ucore_box_type ha = {
	.name = "ha",
	.words = &words_without_reset,
	FIELDS(ucore_e5_invert_ha_fields),
	.increments = ucore_e5_clockticks_00,
	.clock = UCORE_CLOCK(0x00),
	E5_COUNTERS(4, SNBEP_WIDTH),
};

static const struct ucore_box_type imc = {
	.name = "imc",
	.words = &words_without_reset,
	FIELDS(ucore_e5_invert_fields),
	.increments = imc_increments,
	.max_increment = IMC_MAX_INCREMENT,
	.caps = UCORE_BOX_F_FREEZE,
	.ctl_en = E5_CTL_EN,
	.fixed_en = E5_FIXED_CTL_EN,
	.fixed_rst = E5_FIXED_CTL_RST,
	.nr_gp = 4,
	.nr_fixed = 1,
	.width = SNBEP_WIDTH,
	.fixed_width = SNBEP_WIDTH,
};

static const struct ucore_box_type qpi = {
	.name = "qpi",
	.words = &words,
	FIELDS(ucore_e5_invert_qpi_fields),
	.socket_link = true,
	.link_kind = UCORE_LINK_UPI,
	.increments = ucore_e5_clockticks_14,
	.clock = UCORE_CLOCK(0x14),
	E5_COUNTERS(4, SNBEP_WIDTH),
	.ctl_rst = E5_CTL_RST,
};

static const struct ucore_box_type r2pcie = {
	.name = "r2pcie",
	.words = &words,
	FIELDS(ucore_e5_invert_fields),
	.constraints = r2pcie_constraints,
	.increments = ucore_e5_clockticks_01,
	.clock = UCORE_CLOCK(0x01),
	E5_COUNTERS(4, SNBEP_WIDTH_R2PCIE),
	.ctl_rst = E5_CTL_RST,
};

static const struct ucore_box_type r3qpi = {
	.name = "r3qpi",
	.words = &words,
	FIELDS(ucore_e5_invert_fields),
	.socket_link = true,
	.constraints = ucore_e5_r3qpi_constraints,
	.increments = ucore_e5_clockticks_01,
	.clock = UCORE_CLOCK(0x01),
	E5_COUNTERS(3, SNBEP_WIDTH_R3QPI),
	.ctl_rst = E5_CTL_RST,
};

/* ---- layouts: no box has a status register ---- */

static const struct ucore_layout cbo_layout = {
	.box_ctl = SNBEP_CBO_BOX_CTL,
	.status = UCORE_REG_NONE,
	.ctl = E5_MSRS(SNBEP_CBO_CTL0),
	.ctr = E5_MSRS(SNBEP_CBO_CTR0),
	.shared = { SNBEP_CBO_FILTER },
	.nr_shared = 1,
};

static const struct ucore_layout ubox_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.ctl = { SNBEP_MSR_UBOX_CTL0, SNBEP_MSR_UBOX_CTL0 + 1 },
	.ctr = { SNBEP_MSR_UBOX_CTR0, SNBEP_MSR_UBOX_CTR0 + 1 },
	.fixed_ctl = { SNBEP_MSR_UBOX_FIXED_CTL },
	.fixed_ctr = { SNBEP_MSR_UBOX_FIXED_CTR },
};

static const struct ucore_layout pcu_layout = {
	.box_ctl = SNBEP_MSR_PCU_BOX_CTL,
	.status = UCORE_REG_NONE,
	.ctl = E5_MSRS(SNBEP_MSR_PCU_CTL0),
	.ctr = E5_MSRS(SNBEP_MSR_PCU_CTR0),
	.shared = { SNBEP_MSR_PCU_FILTER },
	.nr_shared = 1,
};

static const struct ucore_layout pci_layout = {
	E5_PCI_REGS(UCORE_REG_NONE),
	E5_IMC_FIXED,
};

static const struct ucore_layout ha_layout = {
	E5_PCI_REGS(UCORE_REG_NONE),
	E5_HA_MATCHES,
};

static const struct ucore_layout qpi_layout = {
	E5_PCI_REGS(UCORE_REG_NONE),
	E5_QPI_MATCHES,
};

/* ---- addresses and numbers of boxes ---- */

static const struct ucore_static_msr msr_boxes[] = {
	{ .type = &cbo, .layout = &cbo_layout,
	  .base = SNBEP_MSR_CBO, .stride = SNBEP_MSR_CBO_STRIDE,
	  .max = SNBEP_NR_CBO, .per_core = true },
	{ .type = &ubox, .layout = &ubox_layout, .max = 1 },
	{ .type = &pcu, .layout = &pcu_layout, .max = 1 },
};

#define QPI_PORT(_instance, _device, _aux) \
	{ .type = &qpi, .layout = &qpi_layout, .instance = (_instance), \
	  .device = (_device), .aux = (_aux) }

static const struct ucore_static_pci pci_boxes[] = {
	E5_PCI_BOX(ha, ha_layout, 0, SNBEP_PCI_HA, 0),
	E5_PCI_BOX(imc, pci_layout, 0, SNBEP_PCI_IMC_CH0, 0),
	E5_PCI_BOX(imc, pci_layout, 1, SNBEP_PCI_IMC_CH1, 0),
	E5_PCI_BOX(imc, pci_layout, 2, SNBEP_PCI_IMC_CH2, 0),
	E5_PCI_BOX(imc, pci_layout, 3, SNBEP_PCI_IMC_CH3, 0),
	QPI_PORT(0, SNBEP_PCI_QPI0, SNBEP_PCI_QPI0_FILTER),
	QPI_PORT(1, SNBEP_PCI_QPI1, SNBEP_PCI_QPI1_FILTER),
	E5_PCI_BOX(r2pcie, pci_layout, 0, SNBEP_PCI_R2PCIE, 0),
	E5_PCI_BOX(r3qpi, pci_layout, 0, SNBEP_PCI_R3QPI0, 0),
	E5_PCI_BOX(r3qpi, pci_layout, 1, SNBEP_PCI_R3QPI1, 0),
};

static const struct ucore_static_table table = {
	E5_ROWS(msr_boxes, pci_boxes),
	.ubox = E5_UBOX(SNBEP_PCI_UBOX),
	.links = &ucore_e5_link_regs,
};

const struct ucore_platform ucore_platform_snbep = {
	E5_PLATFORM("snbep", "snbep_uncore", &table),
};
