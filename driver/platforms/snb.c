// SPDX-License-Identifier: GPL-2.0-only
/* Platform tables of Sandy Bridge to Comet Lake. Data only. */
#include "platforms/client.h"

static const struct ucore_layout cbo_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.ctl = { SNB_CBO_CTL0, SNB_CBO_CTL0 + 1 },
	.ctr = { SNB_CBO_CTR0, SNB_CBO_CTR0 + 1 },
};

static const struct ucore_static_msr snb_msr_boxes[] = {
	{ CLIENT_CBO_ROW(ucore_client_cbo, cbo_layout, SNB_NR_CBO),
	  .base = SNB_MSR_CBO, .stride = SNB_MSR_CBO_STRIDE },
	{ CLIENT_ARB_ROW(ucore_client_arb, ucore_client_arb_layout, SNB_MSR_ARB) },
	CLIENT_CLOCK_ROW(SNB_MSR_CLOCK),
};

static const u16 skl_cbo_bases[SKL_NR_CBO] = {
	SKL_MSR_CBO_LOW(0), SKL_MSR_CBO_LOW(1), SKL_MSR_CBO_LOW(2), SKL_MSR_CBO_LOW(3),
	SKL_MSR_CBO_LOW(4), SKL_MSR_CBO_LOW(5), SKL_MSR_CBO_LOW(6),
	SKL_MSR_CBO_HIGH(7), SKL_MSR_CBO_HIGH(8), SKL_MSR_CBO_HIGH(9),
};

static const struct ucore_static_msr skl_msr_boxes[] = {
	{ CLIENT_CBO_ROW(ucore_client_cbo, cbo_layout, SKL_NR_CBO), .bases = skl_cbo_bases },
	{ CLIENT_ARB_ROW(ucore_client_arb, ucore_client_arb_layout, SNB_MSR_ARB) },
	CLIENT_CLOCK_ROW(SNB_MSR_CLOCK),
};

static const struct ucore_static_mmio mmio_boxes[] = {
	CLIENT_MC_32_ROW,
};

static const struct ucore_global snb_global = CLIENT_GLOBAL(SNB);
static const struct ucore_global skl_global = CLIENT_GLOBAL(SKL);

static const struct ucore_static_table snb_table = {
	CLIENT_TABLE(snb_global, snb_msr_boxes, mmio_boxes, 1),
	.cbo_extra = 1,
};

static const struct ucore_static_table skl_table = {
	CLIENT_TABLE(skl_global, skl_msr_boxes, mmio_boxes, 1),
	.cbo_extra = 1,
	.cbo_exact = SKL_CBO_CONFIG_EXACT,
};

const struct ucore_platform ucore_platform_snb = {
	CLIENT_PLATFORM("snb", "snb_uncore", snb_table, UCORE_CAP_PMI_TRIAL),
};

const struct ucore_platform ucore_platform_ivb = {
	CLIENT_PLATFORM("ivb", "ivb_uncore", snb_table, UCORE_CAP_PMI_TRIAL),
};

const struct ucore_platform ucore_platform_hsw = {
	CLIENT_PLATFORM("hsw", "hsw_uncore", snb_table, UCORE_CAP_PMI_TRIAL),
};

const struct ucore_platform ucore_platform_bdw = {
	CLIENT_PLATFORM("bdw", "bdw_uncore", snb_table, UCORE_CAP_PMI_TRIAL),
};

const struct ucore_platform ucore_platform_skl = {
	CLIENT_PLATFORM("skl", "skl_uncore", skl_table, UCORE_CAP_PMI_TRIAL),
};
