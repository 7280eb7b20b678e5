// SPDX-License-Identifier: GPL-2.0-only
/*
 * Platform tables of Granite Rapids, Sierra Forest, Grand Ridge and Clearwater Forest: names of
 * box types, and data that the discovery tables lack. Data only.
 */
#include "find/iio_bus_table.h"
#include "find/iio_ports.h"
#include "hw/iio_stacks.h"
#include "platforms/discovery_common.h"

/*
 * A CHA has no thread filter here. intel_uncore and LIKWID use that of Sapphire Rapids (tid_en, and
 * FILTER0 at offset eh), but this may be an inheritance: Intel's event lists use it on Sapphire
 * Rapids only. If bit 16 were reserved, a write would fault, or the filter would count all.
 */
static const struct ucore_field_desc cha_fields[] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, DISC_CTL_THRESH),
	CTL_FIELD(UMASK_EXT, DISC_CTL_UMASK_EXT32),
};

static const struct ucore_box_type cha = {
	BOX_TYPE("cha", cha_fields),
	.constraints = ucore_disc_cha_constraints,
};

/*
 * Event constraints: counters that both Intel's event lists and intel_uncore (the driver in the
 * kernel tree) allow. intel_uncore uses the constraints of Sapphire Rapids on these processors.
 */
static const struct ucore_constraint iio_constraints[] = {
	{ 0x02, 0x03, GENMASK(1, 0) },
	{ 0x83, 0x84, GENMASK(1, 0) },
	{ 0x88, 0x88, GENMASK(3, 2) },
	{ 0xc0, 0xc1, GENMASK(3, 2) },
	{ 0xc5, 0xc5, GENMASK(3, 2) },
	{ 0xd5, 0xd5, GENMASK(3, 2) },
	{ }
};

static const struct ucore_constraint cxlcm_constraints[] = {
	{ 0x01, 0x01, GENMASK(7, 4) },
	{ 0x02, 0x02, GENMASK(3, 0) },
	{ 0x05, 0x05, GENMASK(3, 0) },
	{ 0x40, 0x43, GENMASK(7, 4) },
	{ 0x4b, 0x4b, GENMASK(7, 4) },
	{ 0x52, 0x52, GENMASK(7, 4) },
	{ }
};

static const struct ucore_box_type iio = {
	BOX_TYPE("iio", ucore_disc_iio_fields),
	.constraints = iio_constraints,
	.link_kind = UCORE_LINK_BUS,
};

static const struct ucore_box_type cxlcm = {
	BOX_COMMON("cxlcm", ucore_disc_fields),
	.clock = UCORE_CLOCK(0x201),
	.constraints = cxlcm_constraints,
};

static const struct ucore_box_type irp = { BOX_TYPE("irp", ucore_disc_fields) };
static const struct ucore_box_type pcu = { BOX_TYPE("pcu", ucore_disc_narrow_fields) };
static const struct ucore_box_type ubox = { BOX_COMMON("ubox", ucore_disc_narrow_fields) };
static const struct ucore_box_type imc = { BOX_TYPE("imc", ucore_disc_fields) };

static const struct ucore_box_type upi = {
	BOX_TYPE("upi", ucore_disc_fields),
	.link_kind = UCORE_LINK_UPI,
};

static const struct ucore_box_type cxldp = {
	BOX_COMMON("cxldp", ucore_disc_fields),
	.clock = UCORE_CLOCK(0x101),
};

static const struct ucore_box_type b2hot = {
	BOX_COMMON("b2hot", ucore_disc_narrow_fields),
	.clock = UCORE_CLOCK(0x101),
};

static const struct ucore_box_type b2cmi = { BOX_TYPE("b2cmi", ucore_disc_fields) };
static const struct ucore_box_type b2cxl = { BOX_TYPE("b2cxl", ucore_disc_fields) };
static const struct ucore_box_type b2upi = { BOX_TYPE("b2upi", ucore_disc_fields) };
static const struct ucore_box_type mdf = { BOX_TYPE("mdf", ucore_disc_narrow_fields) };
static const struct ucore_box_type pciex16 = { BOX_COMMON("pciex16", ucore_disc_fields) };
static const struct ucore_box_type pciex8 = { BOX_COMMON("pciex8", ucore_disc_fields) };

static const struct ucore_disc_type types[] = {
	{ .id = GNR_TYPE_CHA, .type = &cha },
	{ .id = GNR_TYPE_IIO, .type = &iio },
	{ .id = GNR_TYPE_IRP, .type = &irp },
	{ .id = GNR_TYPE_PCU, .type = &pcu },
	{ .id = GNR_TYPE_UBOX, .type = &ubox, .access = UCORE_ACCESS_MSR,
	  .fixed_ctl = GNR_UBOX_FIXED_CTL, .fixed_ctr = GNR_UBOX_FIXED_CTR },
	{ .id = GNR_TYPE_IMC, .type = &imc, .access = UCORE_ACCESS_MMIO,
	  .ctl_stride = DISC_MMIO_CTL_STRIDE,
	  .fixed_ctl = DISC_IMC_FIXED_CTL, .fixed_ctr = DISC_IMC_FIXED_CTR },
	{ .id = GNR_TYPE_UPI, .type = &upi },
	{ .id = GNR_TYPE_CXLCM, .type = &cxlcm, .port = true, .access = UCORE_ACCESS_MMIO,
	  .ctl_stride = DISC_MMIO_CTL_STRIDE_CXL },
	{ .id = GNR_TYPE_CXLDP, .type = &cxldp, .port = true, .access = UCORE_ACCESS_MMIO,
	  .ctl_stride = DISC_MMIO_CTL_STRIDE_CXL },
	{ .id = GNR_TYPE_B2HOT, .type = &b2hot },
	{ .id = GNR_TYPE_B2CMI, .type = &b2cmi },
	{ .id = GNR_TYPE_B2CXL, .type = &b2cxl, .port = true, .access = UCORE_ACCESS_MMIO,
	  .ctl_stride = DISC_MMIO_CTL_STRIDE_CXL },
	{ .id = GNR_TYPE_B2UPI, .type = &b2upi },
	{ .id = GNR_TYPE_MDF, .type = &mdf },
	{ .id = GNR_TYPE_PCIEX16, .type = &pciex16, .port = true },
	{ .id = GNR_TYPE_PCIEX8, .type = &pciex8, .port = true },
};

/* ---- free-running counters of the IIO stacks ---- */

#define FREE_IN		(GNR_MSR_IIO_FREE_IN - GNR_MSR_IIO_FREE_CLOCK)
#define FREE_OUT	(GNR_MSR_IIO_FREE_OUT - GNR_MSR_IIO_FREE_CLOCK)
#define PORT(reg, n)	((reg) + (n) * GNR_MSR_IIO_FREE_PORT)
#define EIGHT(reg)	PORT(reg, 0), PORT(reg, 1), PORT(reg, 2), PORT(reg, 3), \
			PORT(reg, 4), PORT(reg, 5), PORT(reg, 6), PORT(reg, 7)

static const struct ucore_layout iio_free_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.fixed_ctl = { [0 ... 2 * SPR_IIO_FREE_PORTS] = UCORE_REG_NONE },
	.fixed_ctr = { 0, EIGHT(FREE_IN), EIGHT(FREE_OUT) },
};

static const struct ucore_disc_free_msr iio_free_boxes = {
	.type = &ucore_disc_iio_free,
	.layout = &iio_free_layout,
	.unit = GNR_TYPE_IIO,
	.msr = GNR_MSR_IIO_FREE_CLOCK,
	.stride = GNR_MSR_IIO_FREE_STRIDE,
	.extra_stride = GNR_MSR_IIO_FREE_PORTS - GNR_MSR_IIO_FREE_STRIDE,
	.max = GNR_NR_IIO_FREE,
};

/* ---- ports and root buses of the IIO stacks ---- */

#define SLOT_PORT(p)	{ .ports = BIT(p), .slot = GNR_PORT0_DEVICE + (p) }

static const struct ucore_port_rule pcie_ports[] = {
	SLOT_PORT(0), SLOT_PORT(1), SLOT_PORT(2), SLOT_PORT(3),
	SLOT_PORT(4), SLOT_PORT(5), SLOT_PORT(6), SLOT_PORT(7), { }
};

/*
 * Accelerators: DSA and IAX are on the root bus, QAT and HQM on later buses. The source has the HQM
 * on the third bus after the root bus, and on the second in a comment.
 */
static const struct ucore_port_rule accel_ports[] = {
	{ .ports = BIT(0), .slot = 1 },
	{ .ports = BIT(0), .slot = 2 },
	{ .ports = BIT(4), .slot = 0, .bus = 1 },
	{ .ports = BIT(5), .slot = 0, .bus = 3, .unverified = true },
	{ }
};

/*
 * Boxes 11 and 12 are 13 and 10 if the stacks of the flexible UPI links are PCIe stacks. How to
 * find out is not documented.
 */
static const struct ucore_iio_stack gnr_stacks[] = {
	{ .id = 0, .stack = 0, .ports = pcie_ports },
	{ .id = 1, .stack = 2, .ports = pcie_ports },
	{ .id = 2, .stack = 3, .ports = pcie_ports },
	{ .id = 3, .stack = 4, .ports = pcie_ports },
	{ .id = 4, .stack = 5, .ports = pcie_ports },
	{ .id = 5, .stack = 7, .ports = pcie_ports },
	{ .id = 8, .stack = 1, .ports = accel_ports },
	{ .id = 12, .stack = 6, .ports = accel_ports },
	{ .id = 16, .stack = 9, .ports = accel_ports },
	{ .id = 20, .stack = 14, .ports = accel_ports },
	{ .id = 26, .stack = 12, .ports = pcie_ports, .unverified = true },
	{ .id = 28, .stack = 8, .ports = pcie_ports },
	{ .id = 29, .stack = 11, .ports = pcie_ports, .unverified = true },
};

static const struct ucore_iio_map gnr_map = {
	.nr = ARRAY_SIZE(gnr_stacks), .stacks = gnr_stacks,
};

static const struct ucore_bus_table bus_table = {
	.maps = &gnr_map,
	.nr_maps = 1,
	.no_stacks = GNR_OTHER_BUSES,
	.doubted = { GNR_D_MODEL, CWF_MODEL },
};

static const u8 grr_stack_of_sad[] = GRR_STACK_OF_SAD;

static const struct ucore_port_rule grr_dmi_ports[] = {
	{ .ports = BIT(DMI_PORT), .slot = UCORE_PORT_WHOLE_BUS }, { }
};

/* The HQM may be on any bus from the root bus on. */
static const struct ucore_port_rule grr_hqm_ports[] = {
	{ .ports = BIT(0), .device = GRR_PCI_HQM, .buses = 256 }, { }
};

static const struct ucore_port_rule grr_network_ports[] = {
	{ .ports = BIT(0), .slot = GRR_NIS_DEVICE },
	{ .ports = BIT(1), .slot = GRR_QAT_DEVICE },
	{ }
};

static const struct ucore_port_rule *const grr_ports[] = {
	grr_network_ports, grr_hqm_ports, grr_dmi_ports,
};

/* ---- UPI links ---- */

static const u16 upi_speeds[] = GNR_UPI_SPEEDS;

static const struct ucore_link_speed upi_speed = {
	.function = UPI_SPEED_FUNCTION,
	.reg = UPI_SPEED,
	.field = GNR_UPI_SPEED_FIELD,
	.mts = upi_speeds,
	.nr = ARRAY_SIZE(upi_speeds),
	.slowest_or_down = true,
};

static const struct ucore_link_regs gnr_link_regs = {
	.bus_table = &bus_table, .speed = &upi_speed,
};

/* The sources do not cover Clearwater Forest. Its stacks are marked as unverified. */
static const struct ucore_link_regs cwf_link_regs = { .bus_table = &bus_table };

static const struct ucore_link_regs grr_link_regs = {
	.stack_device = STACK_PCI,
	.stack_reg = STACK_SAD_CONTROL_CFG,
	.stack_id = STACK_SAD_CONTROL_CFG_ID,
	.stack_of_id = grr_stack_of_sad,
	.nr_stacks = ARRAY_SIZE(grr_stack_of_sad),
	.first_stack = GRR_STACK_DMI,
	.ports = grr_ports,
};

#define RULES(_links) { \
	.types = types, \
	.nr_types = ARRAY_SIZE(types), \
	.unknown = &ucore_disc_unknown, \
	.free_msr = &iio_free_boxes, \
	.links = &(_links), \
}

static const struct ucore_disc_rules gnr_rules = RULES(gnr_link_regs);
static const struct ucore_disc_rules grr_rules = RULES(grr_link_regs);
static const struct ucore_disc_rules cwf_rules = RULES(cwf_link_regs);

const struct ucore_platform ucore_platform_gnr = {
	DISC_PLATFORM("gnr", &gnr_rules),
};

const struct ucore_platform ucore_platform_srf = {
	DISC_PLATFORM("srf", &gnr_rules),
};

const struct ucore_platform ucore_platform_grr = {
	DISC_PLATFORM("grr", &grr_rules),
};

const struct ucore_platform ucore_platform_cwf = {
	DISC_PLATFORM("cwf", &cwf_rules),
};
