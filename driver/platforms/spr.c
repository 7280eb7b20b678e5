// SPDX-License-Identifier: GPL-2.0-only
/*
 * Platform tables of Sapphire Rapids and Emerald Rapids: names of box types, and corrections of
 * the discovery tables. Data only.
 */
#include "find/iio_bus_table.h"
#include "find/iio_ports.h"
#include "hw/iio_stacks.h"
#include "hw/imc_map.h"
#include "platforms/discovery_common.h"

static const struct ucore_field_desc cha_fields[] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, DISC_CTL_THRESH),
	CTL_FIELD(UMASK_EXT, DISC_CTL_UMASK_EXT32),
	CTL_FIELD(TID_EN, DISC_CTL_TID_EN),
	SHARED_FIELD(FILTER_TID, 0, DISC_CHA_FILTER0_TID),
};

static const struct ucore_box_type cha = {
	BOX_TYPE("cha", cha_fields),
	.constraints = ucore_disc_cha_constraints,
};

/*
 * Event constraints: counters that both Intel's event list and intel_uncore (the driver in the
 * kernel tree) allow
 */
static const struct ucore_constraint iio_constraints[] = {
	{ 0x02, 0x03, GENMASK(1, 0) },
	{ 0x40, 0x40, BIT(0) },
	{ 0x41, 0x41, BIT(0), .umask = 0xc0 },
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

static const struct ucore_constraint pcu_constraints[] = {
	{ 0x06, 0x06, BIT(0) },
	{ }
};

static const struct ucore_constraint ubox_constraints[] = {
	{ 0x4c, 0x4f, BIT(0) },
	{ }
};

static const struct ucore_constraint m3upi_constraints[] = {
	{ 0x1c, 0x1f, BIT(0) },
	{ 0x21, 0x21, BIT(0) },
	{ 0x30, 0x30, BIT(0) },
	{ 0x35, 0x35, BIT(0) },
	{ 0x40, 0x40, GENMASK(2, 0) },
	{ 0x43, 0x43, BIT(0) },
	{ 0x47, 0x4d, BIT(0) },
	{ 0x4e, 0x50, GENMASK(2, 0) },
	{ 0x51, 0x61, BIT(0) },
	{ 0x7d, 0x7e, BIT(0) },
	{ }
};

static const struct ucore_constraint cxlcm_constraints[] = {
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

static const struct ucore_box_type m2pcie = {
	BOX_TYPE("m2pcie", ucore_disc_fields),
	.constraints = m2pcie_constraints,
};

static const struct ucore_box_type pcu = {
	BOX_TYPE("pcu", ucore_disc_narrow_fields),
	.constraints = pcu_constraints,
};

static const struct ucore_box_type ubox = {
	BOX_COMMON("ubox", ucore_disc_narrow_fields),
	.constraints = ubox_constraints,
};

static const struct ucore_box_type m3upi = {
	BOX_TYPE("m3upi", ucore_disc_fields),
	.constraints = m3upi_constraints,
};

static const struct ucore_box_type cxlcm = {
	BOX_COMMON("cxlcm", ucore_disc_fields),
	.clock = UCORE_CLOCK(0x201),
	.constraints = cxlcm_constraints,
};

static const struct ucore_box_type upi = {
	BOX_TYPE("upi", ucore_disc_fields),
	.link_kind = UCORE_LINK_UPI,
};

static const struct ucore_box_type irp = { BOX_TYPE("irp", ucore_disc_fields) };
static const struct ucore_box_type imc = { BOX_TYPE("imc", ucore_disc_fields) };
static const struct ucore_box_type m2m = { BOX_TYPE("m2m", ucore_disc_fields) };
static const struct ucore_box_type pcie = { BOX_COMMON("pcie", ucore_disc_fields) };
static const struct ucore_box_type mdf = { BOX_TYPE("mdf", ucore_disc_fields) };

static const struct ucore_box_type cxldp = {
	BOX_COMMON("cxldp", ucore_disc_fields),
	.clock = UCORE_CLOCK(0x101),
};

static const struct ucore_box_type mchbm = { BOX_TYPE("mchbm", ucore_disc_fields) };

static const struct ucore_disc_type types[] = {
	{ .id = SPR_TYPE_CHA, .type = &cha, .access = UCORE_ACCESS_MSR,
	  .filter = DISC_CHA_FILTER0 },
	{ .id = SPR_TYPE_IIO, .type = &iio },
	{ .id = SPR_TYPE_IRP, .type = &irp },
	{ .id = SPR_TYPE_M2PCIE, .type = &m2pcie },
	{ .id = SPR_TYPE_PCU, .type = &pcu },
	{ .id = SPR_TYPE_UBOX, .type = &ubox, .access = UCORE_ACCESS_MSR,
	  .fixed_ctl = SPR_UBOX_FIXED_CTL, .fixed_ctr = SPR_UBOX_FIXED_CTR },
	{ .id = SPR_TYPE_IMC, .type = &imc, .access = UCORE_ACCESS_MMIO,
	  .ctl_stride = DISC_MMIO_CTL_STRIDE,
	  .fixed_ctl = DISC_IMC_FIXED_CTL, .fixed_ctr = DISC_IMC_FIXED_CTR },
	{ .id = SPR_TYPE_M2M, .type = &m2m },
	{ .id = SPR_TYPE_UPI, .type = &upi },
	{ .id = SPR_TYPE_M3UPI, .type = &m3upi },
	{ .id = SPR_TYPE_PCIE, .type = &pcie, .port = true },
	{ .id = SPR_TYPE_MDF, .type = &mdf },
	{ .id = SPR_TYPE_CXLCM, .type = &cxlcm, .port = true, .access = UCORE_ACCESS_MMIO,
	  .ctl_stride = DISC_MMIO_CTL_STRIDE_CXL },
	{ .id = SPR_TYPE_CXLDP, .type = &cxldp, .port = true, .access = UCORE_ACCESS_MMIO,
	  .ctl_stride = DISC_MMIO_CTL_STRIDE_CXL },
	{ .id = SPR_TYPE_MCHBM, .type = &mchbm, .access = UCORE_ACCESS_MMIO,
	  .ctl_stride = DISC_MMIO_CTL_STRIDE,
	  .fixed_ctl = DISC_IMC_FIXED_CTL, .fixed_ctr = DISC_IMC_FIXED_CTR },
};

/* Correct value of word 0 in the unit records of UPI links and of their mesh agents (M3UPI) */
#define UPI_WORD0	(SPR_UPI_NUM_REGS | SPR_UPI_CTL_OFFSET << 8 | SPR_UPI_WIDTH << 16 | \
			 SPR_UPI_CTR_OFFSET << 24 | (u64)DISC_ACCESS_PCI << 62)

static const struct ucore_disc_place places[] = {
	{ .type = SPR_TYPE_UPI, .device = SPR_PCI_UPI, .slot = SPR_PCI_UPI_SLOT0,
	  .function = SPR_PCI_UPI_FUNCTION, .nr = SPR_NR_UPI, .word0 = UPI_WORD0,
	  .offset = SPR_UPI_BOX_CTL },
	{ .type = SPR_TYPE_M3UPI, .device = SPR_PCI_M3UPI, .slot = SPR_PCI_M3UPI_SLOT0,
	  .function = SPR_PCI_UPI_FUNCTION, .nr = SPR_NR_UPI, .word0 = UPI_WORD0,
	  .offset = SPR_M3UPI_BOX_CTL },
};

static const struct ucore_ubox_map ubox_map = {
	.device = SPR_PCI_UBOX,
	.nodeid = SPR_UBOX_CPUNODEID,
	.gidnidmap = SPR_UBOX_GIDNIDMAP,
};

/* ---- ports of the IIO stacks ---- */

#define PORT(p)		{ .ports = BIT(p), .slot = SPR_PORT0_DEVICE + (p) }

static const struct ucore_port_rule pcie_ports[] = {
	PORT(0), PORT(1), PORT(2), PORT(3), PORT(4), PORT(5), PORT(6), PORT(7), { }
};

static const struct ucore_port_rule dmi_ports[] = {
	{ .ports = BIT(DMI_PORT), .slot = UCORE_PORT_WHOLE_BUS }, { }
};

/* Accelerators are on four buses from the root bus on. */
#define ACCEL(_device, _ports)	{ .ports = (_ports), .device = (_device), .buses = 4 }
#define ACCELS(_hqm, _qat) \
	ACCEL(ACCEL_PCI_DSA, GENMASK(2, 0)), ACCEL(ACCEL_PCI_IAX, GENMASK(2, 0)), \
	ACCEL(ACCEL_PCI_HQM, BIT(_hqm)), ACCEL(ACCEL_PCI_QAT, BIT(_qat)), { }

static const struct ucore_port_rule xcc_accels[] = { ACCELS(5, 4) };
static const struct ucore_port_rule mcc_accels[] = { ACCELS(4, 5) };

/* ---- root buses of the IIO stacks ---- */

static const struct ucore_iio_stack xcc_stacks[] = {
	{ .id = 0, .stack = 1, .ports = dmi_ports },
	{ .id = 1, .stack = 2, .ports = pcie_ports },
	{ .id = 2, .stack = 4, .ports = pcie_ports },
	{ .id = 3, .stack = 6, .ports = pcie_ports },
	{ .id = 4, .stack = 7, .ports = pcie_ports },
	{ .id = 5, .stack = 9, .ports = pcie_ports },
	{ .id = 8, .stack = 0, .ports = xcc_accels },
	{ .id = 9, .stack = 3, .ports = xcc_accels },
	{ .id = 10, .stack = 5, .ports = xcc_accels },
	{ .id = 11, .stack = 8, .ports = xcc_accels },
};

/* The source calls stacks 0 and 4 an assumption. */
static const struct ucore_iio_stack mcc_stacks[] = {
	{ .id = 0, .stack = 0, .ports = pcie_ports, .unverified = true },
	{ .id = 1, .stack = 1, .ports = pcie_ports },
	{ .id = 2, .stack = 2, .ports = pcie_ports },
	{ .id = 3, .stack = 10, .ports = dmi_ports },
	{ .id = 4, .stack = 4, .ports = pcie_ports, .unverified = true },
	{ .id = 5, .stack = 5, .ports = pcie_ports },
	{ .id = 8, .stack = 3, .ports = mcc_accels },
};

/* The names of the stacks in the source contradict the numbers of these boxes. */
static const struct ucore_iio_stack emr_stacks[] = {
	{ .id = 0, .stack = 7, .ports = dmi_ports, .unverified = true },
	{ .id = 1, .stack = 1, .ports = pcie_ports, .unverified = true },
	{ .id = 2, .stack = 2, .ports = pcie_ports, .unverified = true },
	{ .id = 3, .stack = 3, .ports = pcie_ports, .unverified = true },
	{ .id = 4, .stack = 8, .ports = pcie_ports, .unverified = true },
	{ .id = 5, .stack = 6, .ports = pcie_ports, .unverified = true },
	{ .id = 8, .stack = 0, .ports = xcc_accels, .unverified = true },
	{ .id = 9, .stack = 4, .ports = xcc_accels, .unverified = true },
	{ .id = 10, .stack = 5, .ports = xcc_accels, .unverified = true },
	{ .id = 11, .stack = 9, .ports = xcc_accels, .unverified = true },
};

#define MAP(_variant, _stacks) \
	{ .variant = (_variant), .nr = ARRAY_SIZE(_stacks), .stacks = (_stacks) }

static const struct ucore_iio_map spr_maps[] = {
	MAP(SPR_CHOP_XCC, xcc_stacks), MAP(SPR_CHOP_MCC, mcc_stacks),
};

static const struct ucore_iio_map emr_maps[] = { MAP(0, emr_stacks) };

static const struct ucore_bus_table spr_bus_table = {
	.maps = spr_maps,
	.nr_maps = ARRAY_SIZE(spr_maps),
	.variant_device = SPR_PCI_CAPS,
	.variant_devfn = PCI_DEVFN(SPR_PCI_CAPS_SLOT, SPR_PCI_CAPS_FUNCTION),
	.variant_reg = SPR_CAPS_CAPID4,
	.variant_field = SPR_CAPS_CAPID4_CHOP,
};

static const struct ucore_bus_table emr_bus_table = {
	.maps = emr_maps,
	.nr_maps = ARRAY_SIZE(emr_maps),
};

/* ---- UPI links ---- */

static const u16 upi_speeds[] = SPR_UPI_SPEEDS;

static const struct ucore_link_speed upi_speed = {
	.function = UPI_SPEED_FUNCTION,
	.reg = UPI_SPEED,
	.field = SPR_UPI_SPEED_FIELD,
	.mts = upi_speeds,
	.nr = ARRAY_SIZE(upi_speeds),
};

#define PEER_REGS \
	.link_status = SPR_UPI_KTIPCSTS, \
	.link_trained = SPR_UPI_KTIPCSTS_TRAINED, \
	.link_peer = SPR_UPI_KTILP0, \
	.peer_link = SPR_UPI_KTILP0_PORT, \
	.peer_node = SPR_UPI_KTILP0_NODEID

static const struct ucore_link_regs link_regs = {
	PEER_REGS, .bus_table = &spr_bus_table, .speed = &upi_speed,
};

static const struct ucore_link_regs emr_link_regs = { PEER_REGS, .bus_table = &emr_bus_table };

/* ---- free-running counters of the IIO stacks ---- */

#define FREE_IN		(SPR_MSR_IIO_FREE_IN - SPR_MSR_IIO_FREE_CLOCK)
#define FREE_OUT	(SPR_MSR_IIO_FREE_OUT - SPR_MSR_IIO_FREE_CLOCK)
#define EIGHT(reg)	(reg), (reg) + 1, (reg) + 2, (reg) + 3, \
			(reg) + 4, (reg) + 5, (reg) + 6, (reg) + 7

static const struct ucore_layout iio_free_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.fixed_ctl = { [0 ... 2 * SPR_IIO_FREE_PORTS] = UCORE_REG_NONE },
	.fixed_ctr = { 0, EIGHT(FREE_IN), EIGHT(FREE_OUT) },
};

static const struct ucore_disc_free_msr iio_free_boxes = {
	.type = &ucore_disc_iio_free,
	.layout = &iio_free_layout,
	.unit = SPR_TYPE_IIO,
	.msr = SPR_MSR_IIO_FREE_CLOCK,
	.stride = SPR_MSR_IIO_FREE_STRIDE,
	.max = SPR_NR_IIO_FREE,
};

/* ---- free-running counters of the memory controllers ---- */

/*
 * Free-running counters of a memory controller, described as fixed counters. Fixed counter 0 is
 * the DRAM clock. The next counters are the cycles of the read pending queue and of the write
 * pending queue.
 */
static const struct ucore_box_type imc_free = {
	.name = "imc_free",
	.caps = UCORE_BOX_F_FREE_RUNNING,
	.nr_fixed = 3,
	.fixed_width = IMC_FREE_WIDTH,
	.fixed_increment = 255,	/* an assumption: no manual documents it */
};

static const struct ucore_layout imc_free_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.fixed_ctl = { UCORE_REG_NONE, UCORE_REG_NONE, UCORE_REG_NONE },
	.fixed_ctr = { 0, SPR_IMC_FREE_RPQ - IMC_FREE_DCLK,
		       SPR_IMC_FREE_WPQ - IMC_FREE_DCLK },
};

static const struct ucore_disc_free_mmio imc_free_boxes = {
	.type = &imc_free,
	.layout = &imc_free_layout,
	.unit = SPR_TYPE_IMC,
	.units_each = SPR_IMC_CHANNELS,
	.device = SPR_PCI_IMC_MAP,
	.first = IMC_FREE_DCLK,
	.size = SPR_IMC_FREE_END - IMC_FREE_DCLK,
};

#define RULES(_links) { \
	.types = types, \
	.nr_types = ARRAY_SIZE(types), \
	.unknown = &ucore_disc_unknown, \
	.places = places, \
	.nr_places = ARRAY_SIZE(places), \
	.count_type = SPR_TYPE_CHA, \
	.count_msr = SPR_MSR_CHA_COUNT, \
	.ubox = &ubox_map, \
	.free_msr = &iio_free_boxes, \
	.free_mmio = &imc_free_boxes, \
	.links = &(_links), \
}

static const struct ucore_disc_rules spr_rules = RULES(link_regs);
static const struct ucore_disc_rules emr_rules = RULES(emr_link_regs);

const struct ucore_platform ucore_platform_spr = {
	DISC_PLATFORM("spr", &spr_rules),
};

const struct ucore_platform ucore_platform_emr = {
	DISC_PLATFORM("emr", &emr_rules),
};
