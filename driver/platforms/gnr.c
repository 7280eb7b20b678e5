// SPDX-License-Identifier: GPL-2.0-only
/*
 * Platform tables of Granite Rapids, Sierra Forest, Grand Ridge and Clearwater Forest: names of
 * box types, and data that the discovery tables lack. Data only.
 */
#include "platforms/discovery_common.h"

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
};

static const struct ucore_box_type cxlcm = {
	BOX_COMMON("cxlcm", ucore_disc_fields),
	.clock = UCORE_CLOCK(0x201),
	.constraints = cxlcm_constraints,
};

static const struct ucore_box_type irp = { BOX_TYPE("irp", ucore_disc_fields) };
static const struct ucore_box_type pcu = { BOX_TYPE("pcu", ucore_disc_fields) };
static const struct ucore_box_type ubox = { BOX_COMMON("ubox", ucore_disc_fields) };
static const struct ucore_box_type imc = { BOX_TYPE("imc", ucore_disc_fields) };
static const struct ucore_box_type upi = { BOX_TYPE("upi", ucore_disc_fields) };

static const struct ucore_box_type cxldp = {
	BOX_COMMON("cxldp", ucore_disc_fields),
	.clock = UCORE_CLOCK(0x101),
};

static const struct ucore_box_type b2hot = {
	BOX_COMMON("b2hot", ucore_disc_fields),
	.clock = UCORE_CLOCK(0x101),
};

static const struct ucore_box_type b2cmi = { BOX_TYPE("b2cmi", ucore_disc_fields) };
static const struct ucore_box_type b2cxl = { BOX_TYPE("b2cxl", ucore_disc_fields) };
static const struct ucore_box_type b2upi = { BOX_TYPE("b2upi", ucore_disc_fields) };
static const struct ucore_box_type mdf = { BOX_TYPE("mdf", ucore_disc_fields) };
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

static const struct ucore_disc_rules rules = {
	.types = types,
	.nr_types = ARRAY_SIZE(types),
	.unknown = &ucore_disc_unknown,
	.free_msr = &iio_free_boxes,
};

const struct ucore_platform ucore_platform_gnr = {
	DISC_PLATFORM("gnr", &rules),
};

const struct ucore_platform ucore_platform_srf = {
	DISC_PLATFORM("srf", &rules),
};

const struct ucore_platform ucore_platform_grr = {
	DISC_PLATFORM("grr", &rules),
};

const struct ucore_platform ucore_platform_cwf = {
	DISC_PLATFORM("cwf", &rules),
};
