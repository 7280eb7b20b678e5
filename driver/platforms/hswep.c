// SPDX-License-Identifier: GPL-2.0-only
/*
 * Platform table of the Xeon E5-2600 v3 and E7 v3, and the data that v4 has in common with v3.
 *
 * The sources are lists of registers and of their legal bits, made from Intel's manual, which
 * was not available. Comments explain decisions about uncertain facts. Data only.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>

#include "platforms/hswep.h"

/*
 * Bits 17:16 of the box control, which must be set on v2. They may not exist on v3, because one
 * list of legal bits has neither of them. Therefore the driver tests whether they read back.
 */
#define BOX_ENABLES	(E5_BOX_CTL_FRZ_EN | E5_BOX_CTL_OV_EN)
#define BOX_RESET	(E5_BOX_CTL_FRZ | E5_BOX_CTL_RST_CTRS | E5_BOX_CTL_RST_CTRL)

const struct ucore_box_words ucore_hswep_words = {
	.freeze = BOX_ENABLES | E5_BOX_CTL_FRZ,
	.reset = BOX_ENABLES | BOX_RESET,
	.run = BOX_ENABLES,
	.reach = UCORE_RESET_CTL | UCORE_RESET_CTR,
	.tried = BOX_ENABLES,	/* UNCERTAIN(box-bits) */
};

/*
 * Values that are written to the box control of an SBOX before its reset value. Each sets one
 * more bit, because a write that sets several bits at once may fault. Bit 16 is known to exist.
 * Bit 17 is not needed, because SBOX counters have no overflow interrupt.
 */
static const u32 sbox_steps[] = {
	E5_BOX_CTL_RST_CTRL,
	E5_BOX_CTL_RST_CTRL | E5_BOX_CTL_RST_CTRS,
	E5_BOX_CTL_RST_CTRL | E5_BOX_CTL_RST_CTRS | E5_BOX_CTL_FRZ_EN,
	0
};

const struct ucore_box_words ucore_hswep_sbox_words = {
	.freeze = E5_BOX_CTL_FRZ_EN | E5_BOX_CTL_FRZ,
	.reset = E5_BOX_CTL_FRZ_EN | BOX_RESET,
	.run = E5_BOX_CTL_FRZ_EN,
	.reach = UCORE_RESET_CTL | UCORE_RESET_CTR,
	.steps = sbox_steps,
};

/* ---- event fields ---- */

const struct ucore_field_desc ucore_hswep_cbo_fields[] = {
	CTL_FIELD(EVENT, E5_CTL_EV_SEL),
	CTL_FIELD(UMASK, E5_CTL_UMASK),
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET),
	CTL_FIELD(INVERT, E5_CTL_INVERT),
	CTL_FIELD(THRESH, E5_CTL_THRESH),
	CTL_FIELD(TID_EN, E5_CTL_TID_EN),
	SHARED_FIELD(FILTER_TID, 0, HSWEP_CBO_FILTER0_TID),
	SHARED_FIELD(FILTER_LINK, 0, HSWEP_CBO_FILTER0_LINK),
	SHARED_FIELD(FILTER_STATE, 0, HSWEP_CBO_FILTER0_STATE),
	SHARED_FIELD(FILTER_NID, 1, HSWEP_CBO_FILTER1_NID),
	SHARED_FIELD(FILTER_OPC, 1, HSWEP_CBO_FILTER1_OPC),
	SHARED_FIELD(FILTER_C6, 1, HSWEP_CBO_FILTER1_C6),
	SHARED_FIELD(FILTER_NC, 1, HSWEP_CBO_FILTER1_NC),
	SHARED_FIELD(FILTER_ISOC, 1, HSWEP_CBO_FILTER1_ISOC),
};

static_assert(ARRAY_SIZE(ucore_hswep_cbo_fields) == HSWEP_NR_CBO_FIELDS);

static const struct ucore_field_desc ubox_fields[] = {
	CTL_FIELD(EVENT, E5_CTL_EV_SEL),
	CTL_FIELD(UMASK, E5_CTL_UMASK),
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET),
	CTL_FIELD(INVERT, E5_CTL_INVERT),
	CTL_FIELD(THRESH, E5_CTL_THRESH5),
	SHARED_FIELD(FILTER_TID, 0, HSWEP_UBOX_FILTER_TID),
	SHARED_FIELD(FILTER_CID, 0, HSWEP_UBOX_FILTER_CID),
};

/* ---- event constraints ---- */

static const struct ucore_constraint cbo_constraints[] = {
	{ 0x01, 0x01, BIT(0) },
	{ 0x09, 0x09, BIT(0) },
	{ 0x11, 0x11, BIT(0) },
	{ 0x36, 0x36, BIT(0) },
	{ 0x38, 0x38, GENMASK(1, 0) },
	{ 0x3b, 0x3b, BIT(0) },
	{ 0x3e, 0x3e, BIT(0) },
	{ }
};

const struct ucore_constraint ucore_hswep_ha_constraints[] = {
	{ 0x61, 0x62, GENMASK(2, 0) },
	{ 0x64, 0x65, GENMASK(2, 0) },
	{ }
};

static const struct ucore_constraint r2pcie_constraints[] = {
	{ 0x10, 0x11, GENMASK(1, 0) },
	{ 0x13, 0x13, BIT(0) },
	{ 0x23, 0x25, BIT(0) },
	{ 0x26, 0x26, GENMASK(1, 0) },
	{ 0x27, 0x27, BIT(0) },
	{ 0x28, 0x29, GENMASK(1, 0) },
	{ 0x2a, 0x2a, BIT(0) },
	{ 0x2b, 0x2d, GENMASK(1, 0) },
	{ 0x32, 0x35, GENMASK(1, 0) },
	{ }
};

/*
 * Event 01h: intel_uncore allows counters 0 and 1, Intel's event list allows all. A counter that
 * cannot count an event would count 0, so that the smaller set is used.
 */
static const struct ucore_constraint r3qpi_constraints[] = {
	{ 0x01, 0x01, GENMASK(1, 0) },
	{ 0x10, 0x12, GENMASK(1, 0) },
	{ 0x13, 0x13, BIT(0) },
	{ 0x14, 0x15, GENMASK(1, 0) },
	{ 0x1f, 0x23, GENMASK(1, 0) },
	{ 0x25, 0x26, GENMASK(1, 0) },
	{ 0x28, 0x29, GENMASK(1, 0) },
	{ 0x2a, 0x2b, BIT(0) },
	{ 0x2c, 0x2f, GENMASK(1, 0) },
	{ 0x31, 0x34, GENMASK(1, 0) },
	{ 0x36, 0x39, GENMASK(1, 0) },
	{ }
};

/* ---- box types ---- */

/*
 * The driver uses no overflow interrupts of C-Boxes, because a counter control has no overflow
 * enable bit, although there is a box status: UNCERTAIN(cbo-overflow).
 */
static const struct ucore_box_type cbo = { HSWEP_CBO(cbo_constraints) };

/* No overflow interrupts of SBOXes are used, because the sources disagree on the box status. */
static const struct ucore_box_type sbox = { HSWEP_SBOX(HSWEP_WIDTH_SBOX) };

static const struct ucore_box_type pcu = { HSWEP_PCU(NULL) };
static const struct ucore_box_type r2pcie = { HSWEP_R2PCIE(r2pcie_constraints) };
static const struct ucore_box_type r3qpi = {
	HSWEP_R3QPI(r3qpi_constraints, HSWEP_WIDTH_R3QPI)
};

/* The UBox has no box control: its controls and counters are cleared one by one. */
const struct ucore_box_type ucore_hswep_ubox = {
	.name = "ubox",
	FIELDS(ubox_fields),
	.max_increment = E5_MAX_INCREMENT,
	.caps = UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW,
	.ctl_en = E5_CTL_EN,
	.ctl_ov_en = E5_CTL_OV_EN,
	.fixed_en = E5_FIXED_CTL_EN,
	.fixed_ov_en = E5_FIXED_CTL_OV_EN,
	.nr_gp = 2,
	.nr_fixed = 1,
	.width = HSWEP_WIDTH,
	.fixed_width = HSWEP_WIDTH,
	.least_width = E5_WIDTH_LEAST,		/* UNCERTAIN(width) */
	.least_fixed_width = E5_WIDTH_LEAST,
	.status_fixed = UCORE_STATUS_VALUE,	/* UNCERTAIN(fixed-status) */
};

const struct ucore_box_type ucore_hswep_ha = {
	.name = "ha",
	.words = &ucore_hswep_words,
	FIELDS(ucore_e5_invert_ha_fields),
	.constraints = ucore_hswep_ha_constraints,
	.increments = ucore_e5_clockticks_00,
	.clock = UCORE_CLOCK(0x00),
	E5_OVERFLOW_COUNTERS(4, HSWEP_WIDTH),
};

const struct ucore_box_type ucore_hswep_imc = {
	.name = "imc",
	.words = &ucore_hswep_words,
	FIELDS(ucore_e5_invert_fields),
	.increments = ucore_e5_clockticks_00,
	.clock = UCORE_CLOCK(0x00),
	.max_increment = E5_MAX_INCREMENT,
	.caps = UCORE_BOX_F_FREEZE | UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW,
	.ctl_en = E5_CTL_EN,
	.ctl_ov_en = E5_CTL_OV_EN,
	.fixed_en = E5_FIXED_CTL_EN,
	.fixed_ov_en = E5_FIXED_CTL_OV_EN,
	.nr_gp = 4,
	.nr_fixed = 1,
	.width = HSWEP_WIDTH,
	.fixed_width = HSWEP_WIDTH,
	.status_gp_shift = E5_IMC_STATUS_CTR_SHIFT,
	.status_fixed = 0,
};

const struct ucore_box_type ucore_hswep_qpi = {
	.name = "qpi",
	.words = &ucore_hswep_words,
	FIELDS(ucore_e5_invert_qpi_fields),
	.socket_link = true,
	.link_kind = UCORE_LINK_UPI,
	.increments = ucore_e5_clockticks_14,
	.clock = UCORE_CLOCK(0x14),
	E5_OVERFLOW_COUNTERS(4, HSWEP_WIDTH),
};

/*
 * Box with the counters of both IRPs: counters 0 and 1 belong to IRP0, counters 2 and 3 to IRP1.
 * The controls have no overflow enable bit.
 */
const struct ucore_box_type ucore_hswep_irp = {
	.name = "irp",
	.words = &ucore_hswep_words,
	FIELDS(ucore_e5_invert_fields),
	.increments = ucore_e5_clockticks_00,
	.clock = UCORE_CLOCK(0x00),
	E5_COUNTERS(4, HSWEP_WIDTH),
};

/* ---- layouts ---- */

const struct ucore_layout ucore_hswep_cbo_layout = {
	.box_ctl = HSWEP_CBO_BOX_CTL,
	.status = HSWEP_CBO_STATUS,
	.ctl = E5_MSRS(HSWEP_CBO_CTL0),
	.ctr = E5_MSRS(HSWEP_CBO_CTR0),
	.shared = { HSWEP_CBO_FILTER0, HSWEP_CBO_FILTER1 },
	.nr_shared = 2,
};

const struct ucore_layout ucore_hswep_sbox_layout = {
	.box_ctl = HSWEP_SBOX_BOX_CTL,
	.status = UCORE_REG_NONE,
	.ctl = E5_MSRS(HSWEP_SBOX_CTL0),
	.ctr = E5_MSRS(HSWEP_SBOX_CTR0),
};

const struct ucore_layout ucore_hswep_ubox_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = HSWEP_MSR_UBOX_STATUS,
	.ctl = { HSWEP_MSR_UBOX_CTL0, HSWEP_MSR_UBOX_CTL0 + 1 },
	.ctr = { HSWEP_MSR_UBOX_CTR0, HSWEP_MSR_UBOX_CTR0 + 1 },
	.fixed_ctl = { HSWEP_MSR_UBOX_FIXED_CTL },
	.fixed_ctr = { HSWEP_MSR_UBOX_FIXED_CTR },
	.shared = { HSWEP_MSR_UBOX_FILTER },
	.nr_shared = 1,
};

const struct ucore_layout ucore_hswep_pcu_layout = {
	.box_ctl = HSWEP_MSR_PCU_BOX_CTL,
	.status = HSWEP_MSR_PCU_STATUS,
	.ctl = E5_MSRS(HSWEP_MSR_PCU_CTL0),
	.ctr = E5_MSRS(HSWEP_MSR_PCU_CTR0),
	.shared = { HSWEP_MSR_PCU_FILTER },
	.nr_shared = 1,
};

/* ---- addresses and numbers of boxes ---- */

static const struct ucore_static_msr msr_boxes[] = {
	HSWEP_CBO_ROW(cbo, HSWEP_NR_CBO),
	HSWEP_SBOX_ROW(sbox, HSWEP_NR_SBOX_SMALL),
	HSWEP_UBOX_ROW,
	HSWEP_PCU_ROW(pcu),
};

static const struct ucore_static_pci pci_boxes[] = {
	HSWEP_PCI_ROWS(HSWEP, r2pcie, r3qpi, 0),
};

/*
 * Global control of v3 and v4. pmi_core_sel has 18 bits. It may be wider on v4, which has up to
 * 24 cores, but no source confirms this. Therefore no PMI is routed to cores from the 19th on.
 */
const struct ucore_global ucore_hswep_global = E5_GLOBAL(HSWEP);

static const struct ucore_static_table table = {
	.global = &ucore_hswep_global,
	E5_ROWS(msr_boxes, pci_boxes),
	.ubox = E5_UBOX(HSWEP_PCI_UBOX),
	.links = &ucore_e5_link_regs,
	E5_CBO_COUNT(HSWEP),
	HSWEP_CHOP(HSWEP),
};

const struct ucore_platform ucore_platform_hswep = {
	E5_PLATFORM("hswep", "hswep_uncore", &table),
	.caps = UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI,
};
