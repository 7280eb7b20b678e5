// SPDX-License-Identifier: GPL-2.0-only
/* Platform tables of Ice Lake, Rocket Lake, Tiger Lake, Alder Lake and Raptor Lake. Data only. */
#include "platforms/client.h"

/* ARB of Ice Lake: only the second counter of the others exists. */
static const struct ucore_box_type icl_arb = {
	.name = "arb",
	FIELDS(ucore_client_fields),
	.increments = ucore_client_arb_increments,
	.traffic = UCORE_CLOCK(CLIENT_ARB_REQUESTS),
	CLIENT_COUNTERS(1),
};

/* The threshold of Alder Lake's CBO has six bits. */
static const struct ucore_field_desc adl_cbo_fields[] = {
	CTL_FIELD(EVENT, CLIENT_CTL_EVENT),
	CTL_FIELD(UMASK, CLIENT_CTL_UMASK),
	CTL_FIELD(EDGE, CLIENT_CTL_EDGE),
	CTL_FIELD(INVERT, CLIENT_CTL_INVERT),
	CTL_FIELD(THRESH, ADL_CBO_CTL_THRESH),
};

static const struct ucore_box_type adl_cbo = {
	.name = "cbo",
	FIELDS(adl_cbo_fields),
	.increments = ucore_client_cbo_increments,
	.traffic = UCORE_CLOCK(CLIENT_CBO_LOOKUPS),
	CLIENT_COUNTERS(2),
};

/* A CBO, and an ARB of Alder Lake */
static const struct ucore_layout cbo_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.ctl = { ICL_CBO_CTL0, ICL_CBO_CTL0 + 1 },
	.ctr = { ICL_CBO_CTR0, ICL_CBO_CTR0 + 1 },
};

static const struct ucore_layout icl_arb_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.ctl = { ICL_ARB_CTL0 },
	.ctr = { 0 },
};

static const struct ucore_layout tgl_imc_free_layout = CLIENT_MC_64_LAYOUT(TGL);

#define ICL_CBO_ROW \
	{ CLIENT_CBO_ROW(ucore_client_cbo, cbo_layout, ICL_NR_CBO), .base = SNB_MSR_CBO, \
	  .stride = ICL_MSR_CBO_STRIDE }

static const struct ucore_static_msr icl_msr_boxes[] = {
	ICL_CBO_ROW,
	{ CLIENT_ARB_ROW(icl_arb, icl_arb_layout, ICL_MSR_ARB) },
	CLIENT_CLOCK_ROW(SNB_MSR_CLOCK),
};

static const struct ucore_static_msr tgl_msr_boxes[] = {
	ICL_CBO_ROW,
	{ CLIENT_ARB_ROW(ucore_client_arb, ucore_client_arb_layout, SNB_MSR_ARB) },
	CLIENT_CLOCK_ROW(SNB_MSR_CLOCK),
};

static const struct ucore_static_msr adl_msr_boxes[] = {
	{ CLIENT_CBO_ROW(adl_cbo, cbo_layout, ADL_NR_CBO), .base = ADL_MSR_CBO,
	  .stride = ICL_MSR_CBO_STRIDE },
	{ .type = &ucore_client_arb, .layout = &cbo_layout, .base = ADL_MSR_ARB,
	  .stride = ADL_MSR_ARB_STRIDE, .max = ADL_NR_ARB, .global_gp = CLIENT_STATUS_ARB,
	  .one_bit = true },
	CLIENT_CLOCK_ROW(ADL_MSR_CLOCK),
};

static const struct ucore_static_mmio icl_mmio_boxes[] = { CLIENT_MC_32_ROW };

static const struct ucore_static_mmio tgl_mmio_boxes[] = {
	CLIENT_MC_64_ROW(tgl_imc_free_layout, TGL),
};

static const struct ucore_static_mmio tglh_mmio_boxes[] = {
	CLIENT_MC_64_ROW(ucore_adl_imc_free_layout, ADL),
};

static const struct ucore_static_mmio adl_mmio_boxes[] = {
	CLIENT_MC_64_ROW(ucore_adl_imc_free_layout, ADL),
	GENERAL_MC_ROW(ucore_adl_imc),
};

static const struct ucore_global icl_global = CLIENT_GLOBAL(SKL);
static const struct ucore_global adl_global = CLIENT_GLOBAL(ADL);

static const struct ucore_static_table icl_table = {
	CLIENT_TABLE(icl_global, icl_msr_boxes, icl_mmio_boxes, 1),
};

static const struct ucore_static_table rkl_table = {
	CLIENT_TABLE(icl_global, tgl_msr_boxes, icl_mmio_boxes, 1),
};

static const struct ucore_static_table tgl_table = {
	CLIENT_TABLE(icl_global, tgl_msr_boxes, tgl_mmio_boxes, TGL_NR_MC),
};

/* Tiger Lake H has the free-running counters of Alder Lake. */
static const struct ucore_static_table tglh_table = {
	CLIENT_TABLE(icl_global, tgl_msr_boxes, tglh_mmio_boxes, TGL_NR_MC),
};

static const struct ucore_static_table adl_table = {
	CLIENT_TABLE(adl_global, adl_msr_boxes, adl_mmio_boxes, TGL_NR_MC),
};

const struct ucore_platform ucore_platform_icl = {
	CLIENT_PLATFORM("icl", "icl_uncore", icl_table, UCORE_CAP_PMI_TRIAL),
};

const struct ucore_platform ucore_platform_rkl = {
	CLIENT_PLATFORM("rkl", "rkl_uncore", rkl_table, UCORE_CAP_PMI_TRIAL),
};

const struct ucore_platform ucore_platform_tgl = {
	CLIENT_PLATFORM("tgl", NULL, tgl_table, UCORE_CAP_PMI_TRIAL),
};

const struct ucore_platform ucore_platform_tglh = {
	CLIENT_PLATFORM("tglh", NULL, tglh_table, UCORE_CAP_PMI_TRIAL),
};

const struct ucore_platform ucore_platform_adl = {
	CLIENT_PLATFORM("adl", NULL, adl_table, UCORE_CAP_PMI_TRIAL),
};
