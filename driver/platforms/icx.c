// SPDX-License-Identifier: GPL-2.0-only
/*
 * Platform tables of Ice Lake-SP, Ice Lake-D and Snow Ridge.
 *
 * Intel's manual was not available. hw/icx.h marks the facts on which sources disagree. Comments
 * explain which of these facts are used. Data only.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "find/iio_ports.h"
#include "hw/icx.h"
#include "hw/imc_map.h"
#include "platforms/skx.h"

/* ---- event fields ---- */

#define COMMON_FIELDS \
	CTL_FIELD(EVENT, E5_CTL_EV_SEL), \
	CTL_FIELD(UMASK, E5_CTL_UMASK), \
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET), \
	CTL_FIELD(INVERT, E5_CTL_INVERT)

/* Fields of a CHA. The extended umask replaces most filters of Skylake-SP. */
static const struct ucore_field_desc cha_fields[] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, E5_CTL_THRESH),
	CTL_FIELD(UMASK_EXT, ICX_CHA_CTL_UMASK_EXT),
	CTL_FIELD(TID_EN, E5_CTL_TID_EN),
	SHARED_FIELD(FILTER_TID, 0, ICX_CHA_FILTER0_TID),
};

static const struct ucore_field_desc iio_fields[] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, SKX_IIO_CTL_THRESH),
	CTL_FIELD(CH_MASK, ICX_IIO_CTL_CH_MASK),
	CTL_FIELD(FC_MASK, ICX_IIO_CTL_FC_MASK),
};

static const struct ucore_field_desc upi_fields[] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, E5_CTL_THRESH),
	CTL_FIELD(UMASK_EXT, ICX_UPI_CTL_UMASK_EXT),
};

static const struct ucore_field_desc m2m_fields[] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, E5_CTL_THRESH),
	CTL_FIELD(UMASK_EXT, ICX_M2M_CTL_UMASK_EXT),
};

/* ---- event constraints ---- */

/*
 * The source of the constraints is Intel's event list, also for Snow Ridge, whose CHA events are
 * those of Ice Lake. intel_uncore allows some of these events on all counters of Snow Ridge.
 */
static const struct ucore_constraint cha_constraints[] = {
	{ 0x11, 0x11, BIT(0) },
	{ 0x36, 0x36, BIT(0) },
	{ }
};

static const struct ucore_constraint iio_constraints[] = {
	{ 0x02, 0x03, GENMASK(1, 0) },
	{ 0x83, 0x83, GENMASK(1, 0) },
	{ 0x88, 0x88, GENMASK(3, 2) },
	{ 0xc0, 0xc0, GENMASK(3, 2) },
	{ 0xc5, 0xc5, GENMASK(3, 2) },
	{ 0xd5, 0xd5, GENMASK(3, 2) },
	{ }
};

static const struct ucore_constraint m2pcie_constraints[] = {
	{ 0x14, 0x14, GENMASK(1, 0) },
	{ 0x23, 0x23, GENMASK(1, 0) },
	{ 0x2d, 0x2d, GENMASK(1, 0) },
	{ }
};

static const struct ucore_constraint m3upi_constraints[] = {
	{ 0x1c, 0x1f, BIT(0) },
	{ 0x40, 0x40, GENMASK(2, 0) },
	{ 0x4e, 0x50, GENMASK(2, 0) },
	{ }
};

/* ---- box types: overflow interrupts are used on Ice Lake only ---- */

#define CHA \
	.name = "cha", \
	.words = &ucore_hswep_words, \
	FIELDS(cha_fields), \
	.constraints = cha_constraints, \
	.increments = ucore_e5_clockticks_00, \
	.clock = UCORE_CLOCK(0x00)

#define IIO \
	.name = "iio", \
	.words = &ucore_hswep_words, \
	FIELDS(iio_fields), \
	.constraints = iio_constraints, \
	.increments = ucore_e5_clockticks_01, \
	.clock = UCORE_CLOCK(0x01), \
	.link_kind = UCORE_LINK_BUS

#define M2PCIE \
	.name = "m2pcie", \
	.words = &ucore_hswep_words, \
	FIELDS(ucore_e5_invert_fields), \
	.constraints = m2pcie_constraints, \
	.increments = ucore_e5_clockticks_01, \
	.clock = UCORE_CLOCK(0x01), \
	.link_kind = UCORE_LINK_BUS

#define M2M \
	.name = "m2m", \
	.words = &ucore_hswep_words, \
	FIELDS(m2m_fields), \
	.increments = ucore_e5_clockticks_00, \
	.clock = UCORE_CLOCK(0x00)

static const struct ucore_box_type cha = { CHA, E5_OVERFLOW_COUNTERS(4, ICX_WIDTH) };
static const struct ucore_box_type iio = { IIO, E5_OVERFLOW_COUNTERS(4, ICX_WIDTH) };
static const struct ucore_box_type m2pcie = { M2PCIE, E5_OVERFLOW_COUNTERS(4, ICX_WIDTH) };
static const struct ucore_box_type m2m = { M2M, E5_OVERFLOW_COUNTERS(4, ICX_WIDTH) };

static const struct ucore_box_type upi = {
	.name = "upi",
	.words = &ucore_hswep_words,
	FIELDS(upi_fields),
	.socket_link = true,
	.increments = ucore_e5_clockticks_01,
	.clock = UCORE_CLOCK(0x01),
	E5_OVERFLOW_COUNTERS(4, ICX_WIDTH),
	.link_kind = UCORE_LINK_UPI,
};

static const struct ucore_box_type m3upi = {
	.name = "m3upi",
	.words = &ucore_hswep_words,
	FIELDS(ucore_e5_invert_fields),
	.socket_link = true,
	.constraints = m3upi_constraints,
	.increments = ucore_e5_clockticks_01,
	.clock = UCORE_CLOCK(0x01),
	E5_OVERFLOW_COUNTERS(4, ICX_WIDTH),
};

/*
 * Free-running counters of an IIO stack, described as fixed counters. Fixed counter 0 is the
 * clock. The next counters are the inbound traffic of each port, then the outbound traffic of
 * each port. The outbound counters exist only with uncertain=1, because no source has their
 * addresses.
 */
#define IIO_FREE(_directions) { \
	.name = "iio_free", \
	.caps = UCORE_BOX_F_FREE_RUNNING, \
	.nr_fixed = 1 + (_directions) * ICX_IIO_FREE_PORTS, \
	.fixed_width = ICX_WIDTH, \
	.link_kind = UCORE_LINK_BUS, \
}

static const struct ucore_box_type iio_free = IIO_FREE(1);
static const struct ucore_box_type uncertain_iio_free = IIO_FREE(2);

/*
 * Free-running counters of a memory controller, described as fixed counters: reads, writes, reads
 * of persistent memory, writes of persistent memory, DRAM clock. Snow Ridge has no persistent
 * memory, and its fixed counters are reads, writes, DRAM clock.
 */
#define IMC_FREE(_nr) { \
	.name = "imc_free", \
	.caps = UCORE_BOX_F_FREE_RUNNING, \
	.nr_fixed = (_nr), \
	.fixed_width = IMC_FREE_WIDTH, \
	.fixed_increment = 255,	/* an assumption: no manual documents it */ \
}

static const struct ucore_box_type imc_free = IMC_FREE(5);
static const struct ucore_box_type snr_imc_free = IMC_FREE(3);

static const struct ucore_box_type snr_cha = { CHA, E5_COUNTERS(4, ICX_WIDTH) };
static const struct ucore_box_type snr_iio = { IIO, E5_COUNTERS(4, ICX_WIDTH) };
static const struct ucore_box_type snr_m2pcie = { M2PCIE, E5_COUNTERS(4, ICX_WIDTH) };
static const struct ucore_box_type snr_m2m = { M2M, E5_COUNTERS(4, ICX_WIDTH) };

static const struct ucore_box_type snr_irp = {
	.name = "irp",
	.words = &ucore_hswep_words,
	FIELDS(ucore_e5_invert_fields),
	.increments = ucore_e5_clockticks_01,
	.clock = UCORE_CLOCK(0x01),
	E5_COUNTERS(2, ICX_WIDTH),
	.link_kind = UCORE_LINK_BUS,
};

static const struct ucore_box_type snr_pcu = {
	.name = "pcu",
	.words = &ucore_hswep_words,
	FIELDS(ucore_skx_pcu_fields),
	.increments = ucore_e5_clockticks_00,
	.clock = UCORE_CLOCK(0x00),
	E5_COUNTERS(4, ICX_WIDTH),
};

/* UBox of Snow Ridge: no box control and no freeze. Thresholds have eight bits. */
static const struct ucore_box_type snr_ubox = {
	.name = "ubox",
	FIELDS(ucore_e5_invert_fields),
	.max_increment = E5_MAX_INCREMENT,
	.ctl_en = E5_CTL_EN,
	.fixed_en = E5_FIXED_CTL_EN,
	.nr_gp = 2,
	.nr_fixed = 1,
	.width = ICX_WIDTH,
	.fixed_width = ICX_WIDTH,
};

static const struct ucore_box_type snr_imc = {
	.name = "imc",
	.words = &ucore_hswep_words,
	FIELDS(ucore_e5_invert_fields),
	.increments = ucore_e5_clockticks_00,
	.clock = UCORE_CLOCK(0x00),
	E5_COUNTERS(4, ICX_WIDTH),
	.fixed_en = E5_FIXED_CTL_EN,
	.nr_fixed = 1,
	.fixed_width = ICX_WIDTH,
};

static const struct ucore_box_type snr_pcie3 = {
	.name = "pcie3",
	.words = &ucore_hswep_words,
	FIELDS(ucore_skx_iio_fields),
	E5_COUNTERS(4, ICX_WIDTH),
};

/* ---- layouts ---- */

#define CHA_LAYOUT(_status) { \
	.box_ctl = SKX_CHA_BOX_CTL, \
	.status = (_status), \
	.ctl = E5_MSRS(SKX_CHA_CTL0), \
	.ctr = E5_MSRS(SKX_CHA_CTR0), \
	.shared = { SKX_CHA_FILTER0 }, \
	.nr_shared = 1, \
	.wide_ctl = true, \
}

static const struct ucore_layout cha_layout = CHA_LAYOUT(SKX_CHA_STATUS);
static const struct ucore_layout snr_cha_layout = CHA_LAYOUT(UCORE_REG_NONE);

static const struct ucore_layout irp_layout = {
	.box_ctl = SKX_IRP_BOX_CTL,
	.status = ICX_IRP_STATUS,
	.ctl = { SKX_IRP_CTL0, SKX_IRP_CTL0 + 1 },
	.ctr = { SKX_IRP_CTR0, SKX_IRP_CTR0 + 1 },
};

static const struct ucore_layout m2pcie_layout = {
	.box_ctl = ICX_M2PCIE_BOX_CTL,
	.status = ICX_M2PCIE_STATUS,
	.ctl = E5_MSRS(ICX_M2PCIE_CTL0),
	.ctr = E5_MSRS(ICX_M2PCIE_CTR0),
};

static const struct ucore_layout upi_layout = {
	.box_ctl = ICX_UPI_BOX_CTL,
	.status = ICX_UPI_STATUS,
	.ctl = EIGHT_APART(ICX_UPI_CTL0),
	.ctr = EIGHT_APART(ICX_UPI_CTR0),
	.wide_ctl = true,
};

static const struct ucore_layout m3upi_layout = {
	.box_ctl = ICX_M3UPI_BOX_CTL,
	.status = ICX_M3UPI_STATUS,
	.ctl = FOUR_APART(ICX_M3UPI_CTL0),
	.ctr = EIGHT_APART(ICX_M3UPI_CTR0),
};

#define M2M_LAYOUT(_status) { \
	.box_ctl = ICX_M2M_BOX_CTL, \
	.status = (_status), \
	.ctl = EIGHT_APART(ICX_M2M_CTL0), \
	.ctr = EIGHT_APART(ICX_M2M_CTR0), \
	.wide_ctl = true, \
}

static const struct ucore_layout m2m_layout = M2M_LAYOUT(ICX_M2M_STATUS);
static const struct ucore_layout snr_m2m_layout = M2M_LAYOUT(UCORE_REG_NONE);

#define IMC_LAYOUT(_status) { \
	.box_ctl = ICX_IMC_BOX_CTL, \
	.status = (_status), \
	.ctl = FOUR_APART(ICX_IMC_CTL0), \
	.ctr = EIGHT_APART(ICX_IMC_CTR0), \
	.fixed_ctl = { ICX_IMC_FIXED_CTL }, \
	.fixed_ctr = { ICX_IMC_FIXED_CTR }, \
}

static const struct ucore_layout imc_layout = IMC_LAYOUT(ICX_IMC_STATUS);
static const struct ucore_layout snr_imc_layout = IMC_LAYOUT(UCORE_REG_NONE);

static const struct ucore_layout imc_free_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.fixed_ctl = { [0 ... 4] = UCORE_REG_NONE },
	.fixed_ctr = { 0, ICX_IMC_FREE_WRITE - ICX_IMC_FREE_READ,
		       ICX_IMC_FREE_PMM_READ - ICX_IMC_FREE_READ,
		       ICX_IMC_FREE_PMM_WRITE - ICX_IMC_FREE_READ,
		       IMC_FREE_DCLK - ICX_IMC_FREE_READ },
};

static const struct ucore_layout snr_imc_free_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.fixed_ctl = { [0 ... 2] = UCORE_REG_NONE },
	.fixed_ctr = { 0, ICX_IMC_FREE_WRITE - ICX_IMC_FREE_READ,
		       IMC_FREE_DCLK - ICX_IMC_FREE_READ },
};

/* Offsets of eight consecutive MSRs: the counters of the eight ports of an IIO stack */
#define EIGHT(reg)	(reg), (reg) + 1, (reg) + 2, (reg) + 3, \
			(reg) + 4, (reg) + 5, (reg) + 6, (reg) + 7
/*
 * Layout of the free-running counters of an IIO stack: clock, inbound ports, outbound ports. All
 * offsets are in MSRs from the clock of the stack. @in is the offset of the first inbound port.
 */
#define FREE_LAYOUT(in) { \
	.box_ctl = UCORE_REG_NONE, \
	.status = UCORE_REG_NONE, \
	.fixed_ctl = { [0 ... 2 * ICX_IIO_FREE_PORTS] = UCORE_REG_NONE }, \
	.fixed_ctr = { 0, EIGHT(in), EIGHT((in) + ICX_IIO_FREE_OUT) }, \
}

#define STACK_FREE_LAYOUT(s) \
	FREE_LAYOUT(ICX_MSR_IIO_FREE_IN(s) - ICX_MSR_STACK(s) - ICX_STACK_FREE_CLOCK)

static const struct ucore_layout iio_free_layouts[ICX_NR_IIO] = {
	STACK_FREE_LAYOUT(0), STACK_FREE_LAYOUT(1), STACK_FREE_LAYOUT(2),
	STACK_FREE_LAYOUT(3), STACK_FREE_LAYOUT(4), STACK_FREE_LAYOUT(5),
};

static const struct ucore_layout snr_iio_free_layout =
	FREE_LAYOUT(SNR_MSR_IIO_FREE_IN - SNR_MSR_IIO_FREE_CLOCK);

#define SNR_STACK_LAYOUT(_wide) { \
	.box_ctl = SKX_IIO_BOX_CTL, \
	.status = UCORE_REG_NONE, \
	.ctl = E5_MSRS(SKX_IIO_CTL0), \
	.ctr = E5_MSRS(SKX_IIO_CTR0), \
	.wide_ctl = (_wide), \
}

static const struct ucore_layout snr_iio_layout = SNR_STACK_LAYOUT(true);
static const struct ucore_layout snr_m2pcie_layout = SNR_STACK_LAYOUT(false);

static const struct ucore_layout snr_irp_layout = {
	.box_ctl = SKX_IRP_BOX_CTL,
	.status = UCORE_REG_NONE,
	.ctl = { SNR_IRP_CTL0, SNR_IRP_CTL0 + 1 },
	.ctr = { SKX_IRP_CTR0, SKX_IRP_CTR0 + 1 },
};

static const struct ucore_layout snr_pcu_layout = {
	.box_ctl = SNR_MSR_PCU_BOX_CTL,
	.status = UCORE_REG_NONE,
	.ctl = E5_MSRS(SNR_MSR_PCU_CTL0),
	.ctr = E5_MSRS(SNR_MSR_PCU_CTR0),
	.shared = { SNR_MSR_PCU_FILTER },
	.nr_shared = 1,
};

static const struct ucore_layout snr_ubox_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.ctl = { SNR_MSR_UBOX_CTL0, SNR_MSR_UBOX_CTL0 + 1 },
	.ctr = { SNR_MSR_UBOX_CTR0, SNR_MSR_UBOX_CTR0 + 1 },
	.fixed_ctl = { SNR_MSR_UBOX_FIXED_CTL },
	.fixed_ctr = { SNR_MSR_UBOX_FIXED_CTR },
};

static const struct ucore_layout snr_pcie3_layout = {
	.box_ctl = SNR_PCIE3_BOX_CTL,
	.status = UCORE_REG_NONE,
	.ctl = EIGHT_APART(SNR_PCIE3_CTL0),
	.ctr = EIGHT_APART(SNR_PCIE3_CTR0),
	.wide_ctl = true,
};

/* ---- addresses and numbers of boxes ---- */

#define CHA4(n)		ICX_MSR_CHA(n), ICX_MSR_CHA((n) + 1), ICX_MSR_CHA((n) + 2), \
			ICX_MSR_CHA((n) + 3)
#define CHA20(n)	CHA4(n), CHA4((n) + 4), CHA4((n) + 8), CHA4((n) + 12), CHA4((n) + 16)

static const u16 cha_bases[ICX_NR_CHA] = { CHA20(0), CHA20(20) };

#define STACKS(at) { \
	ICX_MSR_STACK(0) + (at), ICX_MSR_STACK(1) + (at), ICX_MSR_STACK(2) + (at), \
	ICX_MSR_STACK(3) + (at), ICX_MSR_STACK(4) + (at), ICX_MSR_STACK(5) + (at), \
}

static const u16 m2pcie_bases[ICX_NR_IIO] = STACKS(ICX_STACK_M2PCIE);
static const u16 irp_bases[ICX_NR_IIO] = STACKS(ICX_STACK_IRP);
static const u16 iio_bases[ICX_NR_IIO] = STACKS(ICX_STACK_IIO);
static const u16 iio_free_bases[ICX_NR_IIO] = STACKS(ICX_STACK_FREE_CLOCK);

/* Any bit of the global status may belong to any box, as on the E5-2600 v3 (HSWEP_ANY_BIT). */
#define MSR_ROWS(_iio_free) \
	{ .type = &cha, .layout = &cha_layout, .bases = cha_bases, .max = ICX_NR_CHA, \
	  .per_core = true, .global_gp = HSWEP_ANY_BIT }, \
	{ .type = &iio, .layout = &ucore_skx_iio_layout, .bases = iio_bases, .max = ICX_NR_IIO, \
	  .global_gp = HSWEP_ANY_BIT }, \
	{ .type = &(_iio_free), .layout = iio_free_layouts, .each = true, \
	  .bases = iio_free_bases, .max = ICX_NR_IIO }, \
	{ .type = &ucore_skx_irp, .layout = &irp_layout, .bases = irp_bases, .max = ICX_NR_IIO, \
	  .global_gp = HSWEP_ANY_BIT }, \
	{ .type = &m2pcie, .layout = &m2pcie_layout, .bases = m2pcie_bases, .max = ICX_NR_IIO, \
	  .global_gp = HSWEP_ANY_BIT }, \
	SKX_UBOX_AND_PCU_ROWS

static const struct ucore_static_msr msr_boxes[] = { MSR_ROWS(iio_free) };
static const struct ucore_static_msr uncertain_msr_boxes[] = { MSR_ROWS(uncertain_iio_free) };

#define SNR_MSR_ROWS(_iio_free) \
	{ .type = &snr_cha, .layout = &snr_cha_layout, .base = SNR_MSR_CHA, \
	  .stride = SNR_MSR_CHA_STRIDE, .max = SNR_NR_CHA }, \
	{ .type = &snr_iio, .layout = &snr_iio_layout, .base = SNR_MSR_IIO, \
	  .stride = SNR_MSR_IIO_STRIDE, .max = SNR_NR_IIO }, \
	{ .type = &(_iio_free), .layout = &snr_iio_free_layout, .base = SNR_MSR_IIO_FREE_CLOCK, \
	  .stride = SNR_MSR_IIO_FREE_STRIDE, .max = SNR_NR_IIO }, \
	{ .type = &snr_irp, .layout = &snr_irp_layout, .base = SNR_MSR_IRP, \
	  .stride = SNR_MSR_IIO_STRIDE, .max = SNR_NR_IIO }, \
	{ .type = &snr_m2pcie, .layout = &snr_m2pcie_layout, .base = SNR_MSR_M2PCIE, \
	  .stride = SNR_MSR_IIO_STRIDE, .max = SNR_NR_IIO }, \
	{ .type = &snr_ubox, .layout = &snr_ubox_layout, .max = 1 }, \
	{ .type = &snr_pcu, .layout = &snr_pcu_layout, .max = 1 }

static const struct ucore_static_msr snr_msr_boxes[] = { SNR_MSR_ROWS(iio_free) };
static const struct ucore_static_msr snr_uncertain_msr_boxes[] = {
	SNR_MSR_ROWS(uncertain_iio_free)
};

#define PCI_BOX(...)		SKX_PCI_BOX(HSWEP_ANY_BIT, __VA_ARGS__)
#define SNR_PCI_BOX(...)	SKX_PCI_BOX(0, __VA_ARGS__)

static const struct ucore_static_pci pci_boxes[] = {
	PCI_BOX(upi, upi_layout, 0, ICX_PCI_UPI, 2, 1),
	PCI_BOX(upi, upi_layout, 1, ICX_PCI_UPI, 3, 1),
	PCI_BOX(upi, upi_layout, 2, ICX_PCI_UPI, 4, 1),
	PCI_BOX(m3upi, m3upi_layout, 0, ICX_PCI_M3UPI, 5, 1),
	PCI_BOX(m3upi, m3upi_layout, 1, ICX_PCI_M3UPI, 6, 1),
	PCI_BOX(m3upi, m3upi_layout, 2, ICX_PCI_M3UPI, 7, 1),
	PCI_BOX(m2m, m2m_layout, 0, ICX_PCI_M2M, 12, 0),
	PCI_BOX(m2m, m2m_layout, 1, ICX_PCI_M2M, 13, 0),
	PCI_BOX(m2m, m2m_layout, 2, ICX_PCI_M2M, 14, 0),
	PCI_BOX(m2m, m2m_layout, 3, ICX_PCI_M2M, 15, 0),
};

/*
 * PCI boxes of Snow Ridge. intel_uncore has one M2M, other sources have four. Each M2M is used if
 * its PCI function exists.
 */
static const struct ucore_static_pci snr_pci_boxes[] = {
	SNR_PCI_BOX(snr_m2m, snr_m2m_layout, 0, ICX_PCI_M2M, 12, 0),
	SNR_PCI_BOX(snr_m2m, snr_m2m_layout, 1, ICX_PCI_M2M, 13, 0),
	SNR_PCI_BOX(snr_m2m, snr_m2m_layout, 2, ICX_PCI_M2M, 14, 0),
	SNR_PCI_BOX(snr_m2m, snr_m2m_layout, 3, ICX_PCI_M2M, 15, 0),
	SNR_PCI_BOX(snr_pcie3, snr_pcie3_layout, 0, SNR_PCI_PCIE3, 4, 0),
};

/*
 * Memory channels. @_nr is the number of channels per controller. Channels have the same numbers
 * as in intel_uncore, which assumes three channels per controller on Ice Lake.
 */
#define IMC_ROW(_type, _layout, _nr, _bits) \
	{ .type = &(_type), .layout = &(_layout), .first = ICX_IMC_CHANNEL(0), \
	  .stride = ICX_IMC_CHANNEL(1) - ICX_IMC_CHANNEL(0), .nr = (_nr), \
	  .size = ICX_IMC_END, .global_gp = (_bits), .global_fixed = (_bits) }
#define IMC_FREE_ROW(_type, _layout) \
	{ .type = &(_type), .layout = &(_layout), .first = ICX_IMC_FREE_READ, .nr = 1, \
	  .size = IMC_FREE_DCLK + sizeof(u64) - ICX_IMC_FREE_READ }

static const struct ucore_static_mmio mmio_boxes[] = {
	IMC_ROW(ucore_hswep_imc, imc_layout, ICX_IMC_CHANNELS, HSWEP_ANY_BIT),
	IMC_FREE_ROW(imc_free, imc_free_layout),
};

static const struct ucore_static_mmio snr_mmio_boxes[] = {
	IMC_ROW(snr_imc, snr_imc_layout, SNR_IMC_CHANNELS, 0),
	IMC_FREE_ROW(snr_imc_free, snr_imc_free_layout),
};

static const struct ucore_global global = {
	SKX_GLOBAL_CTL(ICX_GLOBAL_CTL_PMI_CORE_SEL),
	.status = ICX_MSR_GLOBAL_STATUS,
	.status_stride = 1,
	.nr_status = ICX_NR_GLOBAL_STATUS,
};

static const u8 stack_of_sad[ICX_NR_IIO] = ICX_STACK_OF_SAD;
static const u8 snr_stack_of_sad[SNR_NR_IIO] = SNR_STACK_OF_SAD;

#define PORT(p)		{ .ports = BIT(p), .slot = ICX_PORT0_DEVICE + (p) }

static const struct ucore_port_rule stack_ports[] = { PORT(0), PORT(1), PORT(2), PORT(3), { } };

/* The ports of the stack with the DMI are unknown. */
static const struct ucore_port_rule *const ports[ICX_NR_IIO] = {
	stack_ports, stack_ports, stack_ports, stack_ports, stack_ports,
};

#define STACK_REGS(_of, _dmi) \
	.stack_device = ICX_PCI_STACK, \
	.stack_reg = ICX_STACK_SAD_CONTROL_CFG, \
	.stack_id = ICX_SAD_CONTROL_CFG_ID, \
	.stack_of_id = (_of), \
	.nr_stacks = ARRAY_SIZE(_of), \
	.first_stack = (_dmi)

static const struct ucore_link_regs link_regs = {
	STACK_REGS(stack_of_sad, ICX_STACK_DMI),
	SKX_LINK_REGS,
	.ports = ports,
	.no_model = ICX_D_MODEL,
};

static const struct ucore_link_regs snr_link_regs = {
	STACK_REGS(snr_stack_of_sad, SNR_STACK_DMI),
};

#define COMMON_TABLE(_mmio, _nr_imc, _ubox) \
	.mmio = (_mmio), \
	.nr_mmio = ARRAY_SIZE(_mmio), \
	.nr_imc = (_nr_imc), \
	.imc_map = ICX_PCI_IMC_MAP, \
	.ubox = { \
		.device = (_ubox), \
		.nodeid = SKX_UBOX_CPUNODEID, \
		.gidnidmap = SKX_UBOX_GIDNIDMAP, \
	}

#define TABLE(_msr) \
	.global = &global, \
	E5_ROWS(_msr, pci_boxes), \
	COMMON_TABLE(mmio_boxes, ICX_NR_IMC, ICX_PCI_UBOX), \
	.global_config = SKX_MSR_GLOBAL_CONFIG, \
	.num_cbo = SKX_GLOBAL_CONFIG_NUM_CHA, \
	.fuse_device = ICX_PCI_CAPS, \
	.fuse_reg = ICX_CAPS_CAPID6, \
	.fuse_above = 1, \
	.fuses = ICX_CAPS_CHA, \
	.links = &link_regs

static const struct ucore_static_table uncertain_table = { TABLE(uncertain_msr_boxes) };
static const struct ucore_static_table table = {
	TABLE(msr_boxes),
	.uncertain = &uncertain_table,
};

/*
 * Table of Snow Ridge, without a global control and without overflow interrupts, because no
 * source documents them. Boxes are frozen one by one.
 */
#define SNR_TABLE(_msr) \
	E5_ROWS(_msr, snr_pci_boxes), \
	COMMON_TABLE(snr_mmio_boxes, SNR_NR_IMC, SNR_PCI_UBOX), \
	.links = &snr_link_regs

static const struct ucore_static_table snr_uncertain_table = {
	SNR_TABLE(snr_uncertain_msr_boxes),
};

static const struct ucore_static_table snr_table = {
	SNR_TABLE(snr_msr_boxes),
	.uncertain = &snr_uncertain_table,
};

const struct ucore_platform ucore_platform_icx = {
	E5_PLATFORM("icx", "icx_uncore", &table),
	.caps = UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI,
};

const struct ucore_platform ucore_platform_snr = {
	E5_PLATFORM("snr", "snr_uncore", &snr_table),
};
