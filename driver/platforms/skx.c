// SPDX-License-Identifier: GPL-2.0-only
/*
 * Platform tables of Skylake-SP, Cascade Lake-SP and Cooper Lake.
 *
 * Intel's manual was not available. hw/skx.h marks the facts on which sources disagree. Comments
 * explain which of these facts are used. Data only.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>

#include "find/iio_ports.h"
#include "platforms/skx.h"

/* ---- event fields ---- */

#define COMMON_FIELDS \
	CTL_FIELD(EVENT, E5_CTL_EV_SEL), \
	CTL_FIELD(UMASK, E5_CTL_UMASK), \
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET), \
	CTL_FIELD(INVERT, E5_CTL_INVERT)

/* Bit 29 of FILTER1 ("c6") is left out: only one source lists it, and does not use it. */
static const struct ucore_field_desc cha_fields[] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, E5_CTL_THRESH),
	CTL_FIELD(TID_EN, E5_CTL_TID_EN),
	SHARED_FIELD(FILTER_TID, 0, SKX_CHA_FILTER0_TID),
	SHARED_FIELD(FILTER_LINK, 0, SKX_CHA_FILTER0_LINK),
	SHARED_FIELD(FILTER_STATE, 0, SKX_CHA_FILTER0_STATE),
	SHARED_FIELD(FILTER_REM, 1, SKX_CHA_FILTER1_REM),
	SHARED_FIELD(FILTER_LOC, 1, SKX_CHA_FILTER1_LOC),
	SHARED_FIELD(FILTER_ALL_OP, 1, SKX_CHA_FILTER1_ALL_OPC),
	SHARED_FIELD(FILTER_NM, 1, SKX_CHA_FILTER1_NM),
	SHARED_FIELD(FILTER_NOT_NM, 1, SKX_CHA_FILTER1_NOT_NM),
	SHARED_FIELD(FILTER_OPC_0, 1, SKX_CHA_FILTER1_OPC0),
	SHARED_FIELD(FILTER_OPC_1, 1, SKX_CHA_FILTER1_OPC1),
	SHARED_FIELD(FILTER_NC, 1, SKX_CHA_FILTER1_NC),
	SHARED_FIELD(FILTER_ISOC, 1, SKX_CHA_FILTER1_ISOC),
};

const struct ucore_field_desc ucore_skx_iio_fields[] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, SKX_IIO_CTL_THRESH),
	CTL_FIELD(CH_MASK, SKX_IIO_CTL_CH_MASK),
	CTL_FIELD(FC_MASK, SKX_IIO_CTL_FC_MASK),
};

static_assert(ARRAY_SIZE(ucore_skx_iio_fields) == SKX_NR_IIO_FIELDS);

static const struct ucore_field_desc upi_fields[] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, E5_CTL_THRESH),
	CTL_FIELD(UMASK_EXT, SKX_UPI_CTL_UMASK_EXT),
};

/* The event select of the PCU has eight bits. No source uses the ninth bit of the E5-2600 v3. */
const struct ucore_field_desc ucore_skx_pcu_fields[] = {
	CTL_FIELD(EVENT, E5_CTL_EV_SEL),
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET),
	CTL_FIELD(INVERT, E5_CTL_INVERT),
	CTL_FIELD(THRESH, E5_CTL_THRESH5),
	E5_PCU_FIELDS,
};

static_assert(ARRAY_SIZE(ucore_skx_pcu_fields) == SKX_NR_PCU_FIELDS);

/* ---- event constraints ---- */

static const struct ucore_constraint cha_constraints[] = {
	{ 0x11, 0x11, BIT(0) },
	{ 0x36, 0x36, BIT(0) },
	{ 0x3b, 0x3b, BIT(0) },
	{ }
};

static const struct ucore_constraint iio_constraints[] = {
	{ 0x83, 0x83, GENMASK(1, 0) },
	{ 0x88, 0x88, GENMASK(3, 2) },
	{ 0x95, 0x95, GENMASK(3, 2) },
	{ 0xc0, 0xc0, GENMASK(3, 2) },
	{ 0xc5, 0xc5, GENMASK(3, 2) },
	{ 0xd4, 0xd5, GENMASK(3, 2) },
	{ }
};

static const struct ucore_constraint m2pcie_constraints[] = {
	{ 0x23, 0x23, GENMASK(1, 0) },
	{ }
};

static const struct ucore_constraint m3upi_constraints[] = {
	{ 0x1c, 0x1e, BIT(0) },
	{ 0x3c, 0x3c, BIT(0) },
	{ 0x8e, 0x8e, BIT(0) },
	{ }
};

/* ---- box types ---- */

static const struct ucore_box_type cha = {
	.name = "cha",
	.words = &ucore_hswep_words,
	FIELDS(cha_fields),
	.constraints = cha_constraints,
	.increments = ucore_e5_clockticks_00,
	.clock = UCORE_CLOCK(0x00),
	E5_OVERFLOW_COUNTERS(4, SKX_WIDTH),
};

static const struct ucore_box_type iio = {
	.name = "iio",
	.words = &ucore_hswep_words,
	FIELDS(ucore_skx_iio_fields),
	.constraints = iio_constraints,
	.increments = ucore_e5_clockticks_01,
	.clock = UCORE_CLOCK(0x01),
	E5_OVERFLOW_COUNTERS(4, SKX_WIDTH),
	.link_kind = UCORE_LINK_BUS,
};

const struct ucore_box_type ucore_skx_irp = {
	.name = "irp",
	.words = &ucore_hswep_words,
	FIELDS(ucore_e5_invert_fields),
	.increments = ucore_e5_clockticks_01,
	.clock = UCORE_CLOCK(0x01),
	E5_OVERFLOW_COUNTERS(2, SKX_WIDTH),
	.link_kind = UCORE_LINK_BUS,
};

const struct ucore_box_type ucore_skx_pcu = {
	.name = "pcu",
	.words = &ucore_hswep_words,
	FIELDS(ucore_skx_pcu_fields),
	.increments = ucore_e5_clockticks_00,
	.clock = UCORE_CLOCK(0x00),
	E5_OVERFLOW_COUNTERS(4, SKX_WIDTH),
};

/* Bit 23 inverts the threshold comparison of a UBox, too (intel_uncore and libpfm4). */
static const struct ucore_field_desc ubox_fields[] = {
	CTL_FIELD(EVENT, E5_CTL_EV_SEL),
	CTL_FIELD(UMASK, E5_CTL_UMASK),
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET),
	CTL_FIELD(INVERT, E5_CTL_INVERT),
	CTL_FIELD(THRESH, E5_CTL_THRESH5),
};

/* The UBox has no box control: its controls and counters are cleared one by one. */
const struct ucore_box_type ucore_skx_ubox = {
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
	.width = SKX_WIDTH,
	.fixed_width = SKX_WIDTH,
	.least_fixed_width = E5_WIDTH_LEAST,
	.status_fixed = UCORE_STATUS_VALUE,
};

static const struct ucore_box_type upi = {
	.name = "upi",
	.words = &ucore_hswep_words,
	FIELDS(upi_fields),
	.socket_link = true,
	.increments = ucore_e5_clockticks_01,
	.clock = UCORE_CLOCK(0x01),
	E5_OVERFLOW_COUNTERS(4, SKX_WIDTH),
	.link_kind = UCORE_LINK_UPI,
};

static const struct ucore_box_type m2m = {
	.name = "m2m",
	.words = &ucore_hswep_words,
	FIELDS(ucore_e5_invert_fields),
	.increments = ucore_e5_clockticks_00,
	.clock = UCORE_CLOCK(0x00),
	E5_OVERFLOW_COUNTERS(4, SKX_WIDTH),
};

static const struct ucore_box_type m2pcie = {
	.name = "m2pcie",
	.words = &ucore_hswep_words,
	FIELDS(ucore_e5_invert_fields),
	.constraints = m2pcie_constraints,
	.increments = ucore_e5_clockticks_01,
	.clock = UCORE_CLOCK(0x01),
	E5_OVERFLOW_COUNTERS(4, SKX_WIDTH),
};

static const struct ucore_box_type m3upi = {
	.name = "m3upi",
	.words = &ucore_hswep_words,
	FIELDS(ucore_e5_invert_fields),
	.socket_link = true,
	.constraints = m3upi_constraints,
	.increments = ucore_e5_clockticks_01,
	.clock = UCORE_CLOCK(0x01),
	E5_OVERFLOW_COUNTERS(3, SKX_WIDTH),
};

/*
 * Free-running counters of an IIO stack, described as fixed counters. Fixed counter 0 is the
 * clock. The next counters are the inbound traffic of each port, the outbound traffic of each
 * port, the inbound utilization of each port, and the outbound utilization of each port.
 */
static const struct ucore_box_type iio_free = {
	.name = "iio_free",
	.caps = UCORE_BOX_F_FREE_RUNNING,
	.nr_fixed = 1 + 4 * SKX_IIO_FREE_PORTS,
	.fixed_width = SKX_IIO_FREE_WIDTH,
	.link_kind = UCORE_LINK_BUS,
};

/* ---- layouts ---- */

static const struct ucore_layout cha_layout = {
	.box_ctl = SKX_CHA_BOX_CTL,
	.status = SKX_CHA_STATUS,
	.ctl = E5_MSRS(SKX_CHA_CTL0),
	.ctr = E5_MSRS(SKX_CHA_CTR0),
	.shared = { SKX_CHA_FILTER0, SKX_CHA_FILTER1 },
	.nr_shared = 2,
};

const struct ucore_layout ucore_skx_iio_layout = {
	.box_ctl = SKX_IIO_BOX_CTL,
	.status = SKX_IIO_STATUS,
	.ctl = E5_MSRS(SKX_IIO_CTL0),
	.ctr = E5_MSRS(SKX_IIO_CTR0),
	.wide_ctl = true,
};

static const struct ucore_layout irp_layout = {
	.box_ctl = SKX_IRP_BOX_CTL,
	.status = SKX_IRP_STATUS,
	.ctl = { SKX_IRP_CTL0, SKX_IRP_CTL0 + 1 },
	.ctr = { SKX_IRP_CTR0, SKX_IRP_CTR0 + 1 },
};

const struct ucore_layout ucore_skx_pcu_layout = {
	.box_ctl = SKX_MSR_PCU_BOX_CTL,
	.status = SKX_MSR_PCU_STATUS,
	.ctl = E5_MSRS(SKX_MSR_PCU_CTL0),
	.ctr = E5_MSRS(SKX_MSR_PCU_CTR0),
	.shared = { SKX_MSR_PCU_FILTER },
	.nr_shared = 1,
};

const struct ucore_layout ucore_skx_ubox_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = SKX_MSR_UBOX_STATUS,
	.ctl = { SKX_MSR_UBOX_CTL0, SKX_MSR_UBOX_CTL0 + 1 },
	.ctr = { SKX_MSR_UBOX_CTR0, SKX_MSR_UBOX_CTR0 + 1 },
	.fixed_ctl = { SKX_MSR_UBOX_FIXED_CTL },
	.fixed_ctr = { SKX_MSR_UBOX_FIXED_CTR },
};

static const struct ucore_layout upi_layout = {
	.box_ctl = SKX_UPI_BOX_CTL,
	.status = SKX_UPI_STATUS,
	.ctl = EIGHT_APART(SKX_UPI_CTL0),
	.ctr = EIGHT_APART(SKX_UPI_CTR0),
	.wide_ctl = true,
};

static const struct ucore_layout m2m_layout = {
	.box_ctl = SKX_M2M_BOX_CTL,
	.status = SKX_M2M_STATUS,
	.ctl = EIGHT_APART(SKX_M2M_CTL0),
	.ctr = EIGHT_APART(SKX_M2M_CTR0),
};

/* Offset of a free-running counter of stack s from the clock of this stack (MSRs) */
#define FREE(s, first) \
	((first) + (s) * SKX_MSR_IIO_FREE_STRIDE - \
	 (SKX_MSR_IIO_FREE_CLOCK + (s) * SKX_MSR_IIO_STRIDE))
#define FOUR(s, first, step) \
	FREE(s, first), FREE(s, (first) + (step)), FREE(s, (first) + 2 * (step)), \
	FREE(s, (first) + 3 * (step))
#define FREE_LAYOUT(s) { \
	.box_ctl = UCORE_REG_NONE, \
	.status = UCORE_REG_NONE, \
	.fixed_ctl = { [0 ... 4 * SKX_IIO_FREE_PORTS] = UCORE_REG_NONE }, \
	.fixed_ctr = { 0, FOUR(s, SKX_MSR_IIO_FREE_IN, 1), FOUR(s, SKX_MSR_IIO_FREE_OUT, 1), \
		       FOUR(s, SKX_MSR_IIO_FREE_UTIL, 2), \
		       FOUR(s, SKX_MSR_IIO_FREE_UTIL + 1, 2) }, \
}

static const struct ucore_layout iio_free_layouts[SKX_NR_IIO] = {
	FREE_LAYOUT(0), FREE_LAYOUT(1), FREE_LAYOUT(2),
	FREE_LAYOUT(3), FREE_LAYOUT(4), FREE_LAYOUT(5),
};

/* ---- addresses and numbers of boxes ---- */

/*
 * The only source that maps global status bits to boxes is not used, because it lacks boxes that
 * can overflow. Any bit may belong to any box, as on the E5-2600 v3 (HSWEP_ANY_BIT).
 */
static const struct ucore_static_msr msr_boxes[] = {
	{ .type = &cha, .layout = &cha_layout, .base = SKX_MSR_CHA, .stride = SKX_MSR_CHA_STRIDE,
	  .max = SKX_NR_CHA, .per_core = true, .global_gp = HSWEP_ANY_BIT },
	{ .type = &iio, .layout = &ucore_skx_iio_layout, .base = SKX_MSR_IIO,
	  .stride = SKX_MSR_IIO_STRIDE, .max = SKX_NR_IIO, .global_gp = HSWEP_ANY_BIT },
	{ .type = &iio_free, .layout = iio_free_layouts, .each = true,
	  .base = SKX_MSR_IIO_FREE_CLOCK, .stride = SKX_MSR_IIO_STRIDE, .max = SKX_NR_IIO },
	{ .type = &ucore_skx_irp, .layout = &irp_layout, .base = SKX_MSR_IRP,
	  .stride = SKX_MSR_IIO_STRIDE, .max = SKX_NR_IIO, .global_gp = HSWEP_ANY_BIT },
	SKX_UBOX_AND_PCU_ROWS,
};

#define PCI_BOX(...)	SKX_PCI_BOX(HSWEP_ANY_BIT, __VA_ARGS__)

#define MEMORY_ROWS \
	PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 0, SKX_PCI_IMC_CH0, 10, 2), \
	PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 1, SKX_PCI_IMC_CH1, 10, 6), \
	PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 2, SKX_PCI_IMC_CH2, 11, 2), \
	PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 3, SKX_PCI_IMC_CH0, 12, 2), \
	PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 4, SKX_PCI_IMC_CH1, 12, 6), \
	PCI_BOX(ucore_hswep_imc, ucore_e5_pci_layout, 5, SKX_PCI_IMC_CH2, 13, 2), \
	PCI_BOX(m2m, m2m_layout, 0, SKX_PCI_M2M, 8, 0), \
	PCI_BOX(m2m, m2m_layout, 1, SKX_PCI_M2M, 9, 0)

#define IO_ROWS \
	PCI_BOX(m2pcie, ucore_e5_pci_layout, 0, SKX_PCI_M2PCIE, 21, 1), \
	PCI_BOX(m2pcie, ucore_e5_pci_layout, 1, SKX_PCI_M2PCIE, 22, 1), \
	PCI_BOX(m2pcie, ucore_e5_pci_layout, 2, SKX_PCI_M2PCIE, 23, 1), \
	PCI_BOX(m2pcie, ucore_e5_pci_layout, 3, SKX_PCI_M2PCIE, 22, 5)

#define LINK_ROWS \
	PCI_BOX(upi, upi_layout, 0, SKX_PCI_UPI, 14, 0), \
	PCI_BOX(upi, upi_layout, 1, SKX_PCI_UPI, 15, 0), \
	PCI_BOX(upi, upi_layout, 2, SKX_PCI_UPI, 16, 0)

static const struct ucore_static_pci pci_boxes[] = {
	MEMORY_ROWS,
	LINK_ROWS,
	PCI_BOX(m3upi, ucore_e5_pci_layout, 0, SKX_PCI_M3UPI_EVEN, 18, 1),
	PCI_BOX(m3upi, ucore_e5_pci_layout, 1, SKX_PCI_M3UPI_ODD, 18, 2),
	PCI_BOX(m3upi, ucore_e5_pci_layout, 2, SKX_PCI_M3UPI_EVEN, 18, 5),
	IO_ROWS,
};

/*
 * Cooper Lake has six UPI links. The PCI device ids of links 3 to 5 are inferred from those of
 * links 0 to 2.
 */
static const struct ucore_static_pci cpx_pci_boxes[] = {
	MEMORY_ROWS,
	LINK_ROWS,
	PCI_BOX(upi, upi_layout, 3, SKX_PCI_UPI, 14, 4),
	PCI_BOX(upi, upi_layout, 4, SKX_PCI_UPI, 15, 4),
	PCI_BOX(upi, upi_layout, 5, SKX_PCI_UPI, 16, 4),
	PCI_BOX(m3upi, ucore_e5_pci_layout, 0, SKX_PCI_M3UPI_EVEN, 18, 1),
	PCI_BOX(m3upi, ucore_e5_pci_layout, 1, SKX_PCI_M3UPI_ODD, 18, 2),
	PCI_BOX(m3upi, ucore_e5_pci_layout, 2, SKX_PCI_M3UPI_EVEN, 19, 1),
	PCI_BOX(m3upi, ucore_e5_pci_layout, 3, SKX_PCI_M3UPI_ODD, 19, 2),
	PCI_BOX(m3upi, ucore_e5_pci_layout, 4, SKX_PCI_M3UPI_EVEN, 20, 1),
	PCI_BOX(m3upi, ucore_e5_pci_layout, 5, SKX_PCI_M3UPI_ODD, 20, 2),
	IO_ROWS,
};

static const struct ucore_global global = {
	SKX_GLOBAL_CTL(SKX_GLOBAL_CTL_PMI_CORE_SEL),
	.status = SKX_MSR_GLOBAL_STATUS,
	.nr_status = 1,
};

#define PORT(p)		{ .ports = BIT(p), .slot = SKX_PORT0_DEVICE + (p) }

static const struct ucore_port_rule stack_ports[] = { PORT(0), PORT(1), PORT(2), PORT(3), { } };
static const struct ucore_port_rule *const ports[SKX_NR_IIO] = {
	stack_ports, stack_ports, stack_ports, stack_ports, stack_ports, stack_ports,
};

/*
 * Registers about IIO stacks (struct ucore_link_regs). M2PCIe boxes get no link, because no
 * source maps them to stacks.
 */
#define STACK_REGS \
	.bus_msr = SKX_MSR_CPU_BUS_NUMBER, \
	.bus_valid = SKX_CPU_BUS_NUMBER_VALID, \
	.nr_stacks = SKX_NR_IIO, \
	.ports = ports

static const struct ucore_link_regs link_regs = { STACK_REGS, SKX_LINK_REGS };
static const struct ucore_link_regs cpx_link_regs = { STACK_REGS };

#define TABLE(_pci, _links) { \
	.global = &global, \
	E5_ROWS(msr_boxes, _pci), \
	.ubox = { \
		.device = SKX_PCI_UBOX, \
		.nodeid = SKX_UBOX_CPUNODEID, \
		.gidnidmap = SKX_UBOX_GIDNIDMAP, \
		.lower = true, \
	}, \
	.global_config = SKX_MSR_GLOBAL_CONFIG, \
	.num_cbo = SKX_GLOBAL_CONFIG_NUM_CHA, \
	.fuse_device = SKX_PCI_CAPS, \
	.fuse_reg = SKX_CAPS_CAPID6, \
	.fuses = SKX_CAPS_CAPID6_CHA, \
	.links = &(_links), \
}

static const struct ucore_static_table table = TABLE(pci_boxes, link_regs);
static const struct ucore_static_table cpx_table = TABLE(cpx_pci_boxes, cpx_link_regs);

#define PLATFORM(_name, _table) { \
	E5_PLATFORM(_name, "skx_uncore", &(_table)), \
	.caps = UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI, \
}

const struct ucore_platform ucore_platform_skx = PLATFORM("skx", table);
const struct ucore_platform ucore_platform_clx = PLATFORM("clx", table);
const struct ucore_platform ucore_platform_cpx = PLATFORM("cpx", cpx_table);
