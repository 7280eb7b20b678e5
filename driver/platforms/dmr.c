// SPDX-License-Identifier: GPL-2.0-only
/*
 * Platform table of Diamond Rapids: names of box types, and differences of the counter controls.
 *
 * A second set of rules also has the fields and counters that are marked as uncertain in
 * hw/dmr.h. The module parameter uncertain=1 selects this set. Intel has not published a list of
 * the events. intel_uncore (the driver in the kernel tree) is the source of the event
 * constraints of CXLCM, CBO and SBO. Data only.
 */
#include "hw/dmr.h"
#include "platforms/discovery_common.h"

/* Event fields of box types with an extended umask of 32 bits */
static const struct ucore_field_desc wide_fields[] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, DISC_CTL_THRESH),
	CTL_FIELD(UMASK_EXT, DISC_CTL_UMASK_EXT32),
};

/* Event fields of an iMC. Edge detection is left out, because it requires a threshold. */
static const struct ucore_field_desc imc_fields[] = {
	CTL_FIELD(EVENT, DISC_CTL_EV_SEL),
	CTL_FIELD(UMASK, DISC_CTL_UMASK),
};

static const struct ucore_field_desc uncertain_imc_fields[] = {
	CTL_FIELD(EVENT, DISC_CTL_EV_SEL),
	CTL_FIELD(UMASK, DISC_CTL_UMASK),
	CTL_FIELD(EDGE, DISC_CTL_EDGE_DET),
	CTL_FIELD(THRESH, DMR_CTL_IMC_THRESH),
};

static const struct ucore_field_desc cxlcm_fields[] = {
	CTL_FIELD(EVENT, DISC_CTL_EV_SEL),
	CTL_FIELD(UMASK, DISC_CTL_UMASK),
	CTL_FIELD(EDGE, DISC_CTL_EDGE_DET),
	CTL_FIELD(INVERT, DMR_CTL_CXLCM_INVERT),
	CTL_FIELD(THRESH, DMR_CTL_CXLCM_THRESH),
	CTL_FIELD(UMASK_EXT, DMR_CTL_CXLCM_PORT_EN),
};

static const struct ucore_field_desc pcie_fields[] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, DMR_CTL_PCIE_THRESH),
	CTL_FIELD(UMASK_EXT, DMR_CTL_PCIE_SELECT),
};

static const struct ucore_constraint cxlcm_constraints[] = {
	{ 0x01, 0x24, GENMASK(3, 0) },
	{ 0x41, 0x41, GENMASK(7, 4) },
	{ 0x50, 0x5e, GENMASK(7, 4) },
	{ 0x60, 0x61, GENMASK(7, 4) },
	{ }
};

static const struct ucore_constraint cbo_constraints[] = {
	{ 0x11, 0x11, BIT(0) },
	{ 0x19, 0x1a, BIT(0) },
	{ 0x1f, 0x1f, BIT(0) },
	{ 0x21, 0x21, BIT(0) },
	{ 0x25, 0x25, BIT(0) },
	{ 0x36, 0x36, BIT(0) },
	{ }
};

static const struct ucore_constraint sbo_constraints[] = {
	{ 0x1f, 0x1f, BIT(0) },
	{ 0x25, 0x25, BIT(0) },
	{ }
};

static const struct ucore_box_type cxlcm = {
	BOX_TYPE("cxlcm", cxlcm_fields),
	.constraints = cxlcm_constraints,
};

static const struct ucore_box_type cbo = {
	BOX_TYPE("cbo", wide_fields),
	.constraints = cbo_constraints,
};

static const struct ucore_box_type sbo = {
	BOX_TYPE("sbo", wide_fields),
	.constraints = sbo_constraints,
};

static const struct ucore_box_type uncertain_imc = { BOX_TYPE("imc", uncertain_imc_fields) };
static const struct ucore_box_type pcu = { BOX_TYPE("pcu", ucore_disc_narrow_fields) };
static const struct ucore_box_type ubox = { BOX_TYPE("ubox", ucore_disc_narrow_fields) };
static const struct ucore_box_type imc = { BOX_TYPE("imc", imc_fields) };
static const struct ucore_box_type sb2ucie = {
	BOX_TYPE("sb2ucie", ucore_disc_narrow_fields)
};

static const struct ucore_box_type sca = { BOX_TYPE("sca", wide_fields) };
static const struct ucore_box_type hamvf = { BOX_TYPE("hamvf", wide_fields) };
static const struct ucore_box_type santa = { BOX_TYPE("santa", ucore_disc_narrow_fields) };
static const struct ucore_box_type cncu = { BOX_TYPE("cncu", ucore_disc_narrow_fields) };
static const struct ucore_box_type sncu = { BOX_TYPE("sncu", ucore_disc_narrow_fields) };
static const struct ucore_box_type ula = { BOX_TYPE("ula", wide_fields) };
static const struct ucore_box_type dda = { BOX_TYPE("dda", wide_fields) };
static const struct ucore_box_type ubr = { BOX_TYPE("ubr", wide_fields) };
static const struct ucore_box_type pcie4 = { BOX_TYPE("pcie4", pcie_fields) };
static const struct ucore_box_type crs = { BOX_TYPE("crs", ucore_disc_narrow_fields) };
static const struct ucore_box_type cpc = { BOX_TYPE("cpc", wide_fields) };
static const struct ucore_box_type itc = { BOX_TYPE("itc", wide_fields) };
static const struct ucore_box_type otc = { BOX_TYPE("otc", wide_fields) };
static const struct ucore_box_type cms = { BOX_TYPE("cms", ucore_disc_narrow_fields) };
static const struct ucore_box_type pcie6 = { BOX_TYPE("pcie6", pcie_fields) };

/* Box types that are the same with uncertain=0 and uncertain=1 */
#define CERTAIN_TYPES \
	{ .id = DMR_TYPE_PCU, .type = &pcu }, \
	{ .id = DMR_TYPE_SCA, .type = &sca }, \
	{ .id = DMR_TYPE_CXLCM, .type = &cxlcm, .port = true, .access = UCORE_ACCESS_MMIO, \
	  .ctl_stride = DISC_MMIO_CTL_STRIDE_CXL }, \
	{ .id = DMR_TYPE_HAMVF, .type = &hamvf }, \
	{ .id = DMR_TYPE_CBO, .type = &cbo }, \
	{ .id = DMR_TYPE_SANTA, .type = &santa }, \
	{ .id = DMR_TYPE_CNCU, .type = &cncu }, \
	{ .id = DMR_TYPE_SNCU, .type = &sncu }, \
	{ .id = DMR_TYPE_ULA, .type = &ula }, \
	{ .id = DMR_TYPE_DDA, .type = &dda }, \
	{ .id = DMR_TYPE_SBO, .type = &sbo }, \
	{ .id = DMR_TYPE_UBR, .type = &ubr }, \
	{ .id = DMR_TYPE_PCIE4, .type = &pcie4, .port = true }, \
	{ .id = DMR_TYPE_CRS, .type = &crs }, \
	{ .id = DMR_TYPE_CPC, .type = &cpc }, \
	{ .id = DMR_TYPE_ITC, .type = &itc }, \
	{ .id = DMR_TYPE_OTC, .type = &otc }, \
	{ .id = DMR_TYPE_CMS, .type = &cms }, \
	{ .id = DMR_TYPE_PCIE6, .type = &pcie6, .port = true }

#define FIXED_IN_IMC \
	.access = UCORE_ACCESS_MMIO, \
	.fixed_ctl = DMR_IMC_FIXED_CTL, .fixed_ctr = DMR_IMC_FIXED_CTR

static const struct ucore_disc_type types[] = {
	CERTAIN_TYPES,
	{ .id = DMR_TYPE_UBOX, .type = &ubox },
	{ .id = DMR_TYPE_IMC, .type = &imc, FIXED_IN_IMC },
};

static const struct ucore_disc_type uncertain_types[] = {
	CERTAIN_TYPES,
	{ .id = DMR_TYPE_SB2UCIE, .type = &sb2ucie },
	{ .id = DMR_TYPE_UBOX, .type = &ubox, .access = UCORE_ACCESS_MSR,
	  .fixed_ctl = GNR_UBOX_FIXED_CTL, .fixed_ctr = GNR_UBOX_FIXED_CTR },
	{ .id = DMR_TYPE_IMC, .type = &uncertain_imc, FIXED_IN_IMC },
};

static const u16 broken[] = { DMR_TYPE_MSE, DMR_TYPE_SB2UCIE, 0 };
static const u16 uncertain_broken[] = { DMR_TYPE_MSE, 0 };

/* ---- free-running counters of the I/O ports, only with uncertain=1 ---- */

/*
 * Free-running counters, described as fixed counters: clock, inbound bandwidth of each port,
 * outbound bandwidth of each port, inbound data of each port. The first 17 are as on other
 * platforms.
 */
static const struct ucore_box_type iio_free = {
	.name = "iio_free",
	.caps = UCORE_BOX_F_FREE_RUNNING,
	.nr_fixed = 1 + 3 * DMR_HIOP_PORTS,
	.fixed_width = DMR_HIOP_FREE_WIDTH,
};

/* Offsets of the counters of eight ports from the first counter of the box */
#define PORT(reg, n)	((reg) - DMR_HIOP_FREE_DATA + 8 * (n))
#define EIGHT(reg)	PORT(reg, 0), PORT(reg, 1), PORT(reg, 2), PORT(reg, 3), \
			PORT(reg, 4), PORT(reg, 5), PORT(reg, 6), PORT(reg, 7)

static const struct ucore_layout iio_free_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.fixed_ctl = { [0 ... 3 * DMR_HIOP_PORTS] = UCORE_REG_NONE },
	.fixed_ctr = { PORT(DMR_HIOP_FREE_CLOCK, 0), EIGHT(DMR_HIOP_FREE_IN),
		       EIGHT(DMR_HIOP_FREE_OUT), EIGHT(DMR_HIOP_FREE_DATA) },
};

static const u64 hiop_addresses[] = DMR_HIOP_ADDRESSES;

static const struct ucore_disc_free_fixed iio_free_boxes = {
	.type = &iio_free,
	.layout = &iio_free_layout,
	.address = hiop_addresses,
	.nr = ARRAY_SIZE(hiop_addresses),
	.first = DMR_HIOP_FREE_DATA,
	.size = DMR_HIOP_FREE_END - DMR_HIOP_FREE_DATA,
};

#define TABLES \
	.unknown = &ucore_disc_unknown, \
	.table_device = DMR_PCI_IMH, \
	.table_msr = DMR_MSR_CBB_TABLE, \
	.table_msr_expected = true

static const struct ucore_disc_rules uncertain_rules = {
	.types = uncertain_types,
	.nr_types = ARRAY_SIZE(uncertain_types),
	TABLES,
	.broken = uncertain_broken,
	.free_fixed = &iio_free_boxes,
};

static const struct ucore_disc_rules rules = {
	.types = types,
	.nr_types = ARRAY_SIZE(types),
	TABLES,
	.broken = broken,
	.uncertain = &uncertain_rules,
};

const struct ucore_platform ucore_platform_dmr = {
	DISC_PLATFORM("dmr", &rules),
};
