// SPDX-License-Identifier: GPL-2.0-only
/*
 * Platform tables of Meteor Lake, Arrow Lake, Lunar Lake and Panther Lake. No counter reports its
 * overflow. Data only.
 */
#include "platforms/client.h"
#include "platforms/discovery_common.h"

static const struct ucore_field_desc fields[] = {
	CTL_FIELD(EVENT, CLIENT_CTL_EVENT),
	CTL_FIELD(UMASK, CLIENT_CTL_UMASK),
	CTL_FIELD(EDGE, CLIENT_CTL_EDGE),
	CTL_FIELD(INVERT, CLIENT_CTL_INVERT),
	CTL_FIELD(THRESH, MTL_CTL_THRESH),
};

#define GENERAL_COUNTERS \
	FIELDS(fields), \
	.max_increment = CLIENT_MAX_INCREMENT, \
	.ctl_en = CLIENT_CTL_EN, \
	.nr_gp = 2, \
	.width = MTL_WIDTH

/* The clock of a tile, a fixed counter without an event */
#define FIXED_COUNTER \
	.fixed_en = CLIENT_FIXED_CTL_EN, \
	.status_fixed = UCORE_STATUS_VALUE, \
	.nr_fixed = 1, \
	.fixed_width = MTL_WIDTH

static const struct ucore_box_type cbo = {
	.name = "cbo",
	.increments = ucore_client_cbo_increments,
	.traffic = UCORE_CLOCK(CLIENT_CBO_LOOKUPS),
	GENERAL_COUNTERS,
};

static const struct ucore_box_type arb = {
	.name = "arb",
	.constraints = ucore_client_arb_constraints,
	.increments = ucore_client_arb_increments,
	.traffic = UCORE_CLOCK(CLIENT_ARB_REQUESTS),
	GENERAL_COUNTERS,
};

static const struct ucore_box_type hac_arb = {
	.name = "hac_arb",
	.increments = ucore_client_arb_increments,
	.traffic = UCORE_CLOCK(MTL_HAC_ARB_REQUESTS),
	GENERAL_COUNTERS,
};

static const struct ucore_box_type hac_cbo = {
	.name = "hac_cbo",
	.traffic = UCORE_CLOCK(MTL_HAC_CBO_REQUESTS),
	GENERAL_COUNTERS,
};

/* No source has an event of these. */
static const struct ucore_box_type santa = { .name = "santa", GENERAL_COUNTERS };
static const struct ucore_box_type core_bridge = { .name = "ia_core_bridge", GENERAL_COUNTERS };

static const struct ucore_box_type compute_clock = { .name = "clock", FIXED_COUNTER };
static const struct ucore_box_type soc_clock = { .name = "sncu", FIXED_COUNTER };

static const struct ucore_layout box_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.ctl = { MTL_CTL0, MTL_CTL0 + 1 },
	.ctr = { MTL_CTR0, MTL_CTR0 + 1 },
};

static const struct ucore_layout clock_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.fixed_ctl = { MTL_CTL0 },
	.fixed_ctr = { MTL_CTR0 },
};

#define BOX_ROW(_type, _msr, _nr) \
	.type = &(_type), .layout = &box_layout, .base = (_msr), .stride = MTL_MSR_STRIDE, \
	.max = (_nr)
#define CLOCK_ROW(_type, _msr) \
	{ .type = &(_type), .layout = &clock_layout, .base = (_msr), .max = 1 }

static const struct ucore_static_msr mtl_msr_boxes[] = {
	{ BOX_ROW(cbo, MTL_MSR_CBO, MTL_NR_CBO), .per_core = true },
	{ BOX_ROW(arb, MTL_MSR_ARB, MTL_NR_ARB) },
	CLOCK_ROW(compute_clock, MTL_MSR_CNCU),
	{ BOX_ROW(hac_arb, MTL_MSR_HAC_ARB, MTL_NR_HAC) },
	{ BOX_ROW(hac_cbo, MTL_MSR_HAC_CBO, MTL_NR_HAC) },
	CLOCK_ROW(soc_clock, MTL_MSR_SNCU),
};

static const struct ucore_static_msr lnl_msr_boxes[] = {
	{ BOX_ROW(cbo, MTL_MSR_CBO, LNL_NR_CBO) },
	{ BOX_ROW(arb, MTL_MSR_ARB, MTL_NR_ARB) },
};

static const struct ucore_static_msr ptl_msr_boxes[] = {
	{ BOX_ROW(cbo, MTL_MSR_CBO, PTL_NR_CBO) },
	{ BOX_ROW(santa, MTL_MSR_ARB, MTL_NR_ARB) },
	{ .type = &compute_clock, .layout = &clock_layout, .base = MTL_MSR_CNCU,
	  .stride = PTL_MSR_CNCU_STRIDE, .max = PTL_NR_CNCU },
	{ BOX_ROW(core_bridge, PTL_MSR_CORE_BRIDGE, 1) },
};

static const struct ucore_static_mmio mtl_mmio_boxes[] = {
	CLIENT_MC_64_ROW(ucore_adl_imc_free_layout, ADL),
	GENERAL_MC_ROW(ucore_mtl_imc),
};

static const struct ucore_static_mmio lnl_mmio_boxes[] = {
	CLIENT_MC_64_ROW(ucore_adl_imc_free_layout, ADL),
	GENERAL_MC_ROW(ucore_adl_imc),
};

static const struct ucore_static_mmio ptl_mmio_boxes[] = {
	CLIENT_MC_64_ROW(ucore_adl_imc_free_layout, ADL),
};

/*
 * Initializer of the global control of a tile. The other bits of older processors may exist, so
 * that they are restored, too.
 */
#define GLOBAL(_msr, _next) { \
	.ctl = (_msr), \
	.unfreeze = CLIENT_GLOBAL_CTL_EN, \
	.keep = CLIENT_GLOBAL_CTL_PMI_SEL | CLIENT_GLOBAL_CTL_EN | CLIENT_GLOBAL_CTL_WAKE | \
		CLIENT_GLOBAL_CTL_FREEZE, \
	.level = true, \
	.run_level = true, \
	.next = (_next), \
}

static const struct ucore_global soc_global = GLOBAL(MTL_MSR_SOC_GLOBAL_CTL, NULL);
static const struct ucore_global mtl_global = GLOBAL(MTL_MSR_COMPUTE_GLOBAL_CTL, &soc_global);
static const struct ucore_global lnl_global = GLOBAL(MTL_MSR_COMPUTE_GLOBAL_CTL, NULL);
static const struct ucore_global ptl_second = GLOBAL(PTL_MSR_SECOND_GLOBAL_CTL, NULL);
static const struct ucore_global ptl_global = GLOBAL(MTL_MSR_COMPUTE_GLOBAL_CTL, &ptl_second);

static const struct ucore_static_table mtl_table = {
	CLIENT_TABLE(mtl_global, mtl_msr_boxes, mtl_mmio_boxes, TGL_NR_MC),
};

static const struct ucore_static_table lnl_table = {
	CLIENT_BOXES(lnl_global, lnl_msr_boxes, lnl_mmio_boxes, TGL_NR_MC),
};

const struct ucore_platform ucore_platform_mtl = {
	CLIENT_PLATFORM("mtl", NULL, mtl_table, 0),
};

/* Intel has an event list of its own for Arrow Lake. */
const struct ucore_platform ucore_platform_arl = {
	CLIENT_PLATFORM("arl", NULL, mtl_table, 0),
};

const struct ucore_platform ucore_platform_lnl = {
	CLIENT_PLATFORM("lnl", NULL, lnl_table, 0),
};

/* ---- boxes of the discovery table of Panther Lake ---- */

static const struct ucore_box_words unit_words = {
	.freeze = DISC_BOX_CTL_FRZ,
	.reset = DISC_BOX_CTL_FRZ,
};

#define UNIT_TYPE(_name) \
	.name = (_name), \
	.words = &unit_words, \
	FIELDS(ucore_disc_narrow_fields), \
	.max_increment = CLIENT_MAX_INCREMENT, \
	.caps = UCORE_BOX_F_FREEZE

static const struct ucore_box_type ptl_imc = {
	UNIT_TYPE("imc"),
	.increments = ucore_client_imc_increments,
	.clock = UCORE_CLOCK(ADL_MC_CLOCK),
};

static const struct ucore_box_type ptl_sncu = { UNIT_TYPE("sncu") };
static const struct ucore_box_type ptl_hbo = { UNIT_TYPE("hbo") };
static const struct ucore_box_type ptl_unknown = { UNIT_TYPE("") };

#define UNIT_ROW(_id, _type) \
	{ .id = (_id), .type = &(_type), .access = UCORE_ACCESS_MMIO, .ctl_stride = PTL_CTL_STRIDE }

static const struct ucore_disc_type ptl_types[] = {
	UNIT_ROW(PTL_TYPE_IMC, ptl_imc),
	UNIT_ROW(PTL_TYPE_SNCU, ptl_sncu),
	UNIT_ROW(PTL_TYPE_HBO, ptl_hbo),
};

static const struct ucore_static_table ptl_beside = {
	CLIENT_BOXES(ptl_global, ptl_msr_boxes, ptl_mmio_boxes, TGL_NR_MC),
};

static const struct ucore_disc_rules ptl_rules = {
	.types = ptl_types,
	.nr_types = ARRAY_SIZE(ptl_types),
	.unknown = &ptl_unknown,
	.table_msr = DISC_MSR_TABLE,
	.table_msr_expected = true,
	.beside = &ptl_beside,
};

const struct ucore_platform ucore_platform_ptl = {
	DISC_PLATFORM("ptl", &ptl_rules),
	.caps = UCORE_CAP_GLOBAL_FREEZE,
};
