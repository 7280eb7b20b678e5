// SPDX-License-Identifier: GPL-2.0-only
/*
 * Platform tables of Nehalem and Westmere: one block of counters and a clock in each package. Data
 * only.
 */
#include <linux/bits.h>

#include "find/static_table.h"
#include "hw/nhm.h"
#include "platforms/fields.h"
#include "platforms/match.h"

static const struct ucore_field_desc fields[] = {
	CTL_FIELD(EVENT, NHM_CTL_EVENT),
	CTL_FIELD(UMASK, NHM_CTL_UMASK),
	CTL_FIELD(EDGE, NHM_CTL_EDGE),
	CTL_FIELD(INVERT, NHM_CTL_INVERT),
	CTL_FIELD(THRESH, NHM_CTL_THRESH),
};

/* An assumption: each core looks up one line, and each channel transfers one, in each clock. */
static const struct ucore_increment increments[] = {
	{ 0x08, 0x0b, 4 },
	{ 0x2c, 0x2f, 4 },
	{ }
};

static const struct ucore_box_type uncore = {
	.name = "uncore",
	FIELDS(fields),
	.increments = increments,
	.max_increment = 256,	/* an assumption; exceeds the length of every queue */
	.traffic = UCORE_CLOCK(NHM_LLC_MISSES),
	.ctl_en = NHM_CTL_EN,
	.ctl_ov_en = NHM_CTL_PMI,
	.nr_gp = NHM_NR_COUNTERS,
	.width = NHM_WIDTH,
	.status_global = true,
};

/* The uncore's clock, a fixed counter without an event. Its overflows are not used. */
static const struct ucore_box_type clock = {
	.name = "clock",
	.fixed_en = NHM_FIXED_CTL_EN,
	.status_fixed = UCORE_STATUS_VALUE,
	.nr_fixed = 1,
	.fixed_width = NHM_WIDTH,
};

static const struct ucore_layout uncore_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.ctl = { NHM_CTL(0), NHM_CTL(1), NHM_CTL(2), NHM_CTL(3),
		 NHM_CTL(4), NHM_CTL(5), NHM_CTL(6), NHM_CTL(7) },
	.ctr = { NHM_CTR(0), NHM_CTR(1), NHM_CTR(2), NHM_CTR(3),
		 NHM_CTR(4), NHM_CTR(5), NHM_CTR(6), NHM_CTR(7) },
};

static const struct ucore_layout clock_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.fixed_ctl = { NHM_CLOCK_CTL },
	.fixed_ctr = { NHM_CLOCK_CTR },
};

static const struct ucore_static_msr msr_boxes[] = {
	{ .type = &uncore, .layout = &uncore_layout, .base = NHM_MSR_UNCORE, .max = 1,
	  .global_gp = NHM_STATUS_PC, .one_bit = true },
	{ .type = &clock, .layout = &clock_layout, .base = NHM_MSR_CLOCK, .max = 1 },
};

static const struct ucore_global global = {
	.ctl = NHM_MSR_GLOBAL_CTL,
	.status = NHM_MSR_GLOBAL_STATUS,
	.nr_status = 1,
	.clear = NHM_MSR_STATUS_CLEAR,
	.clear_mask = NHM_STATUS_PC | NHM_STATUS_FC | NHM_STATUS_PMI | NHM_STATUS_CHG,
	.overflows = NHM_STATUS_PC,
	.wraps = true,
	.unfreeze = NHM_GLOBAL_CTL_EN_PC | NHM_GLOBAL_CTL_EN_FC,
	.on_overflow = NHM_GLOBAL_CTL_PMI_FRZ,
	.core_sel = NHM_GLOBAL_CTL_PMI_SEL,
	.sel_untried = true,
	.keep = NHM_GLOBAL_CTL_EN_PC | NHM_GLOBAL_CTL_EN_FC | NHM_GLOBAL_CTL_PMI_SEL |
		NHM_GLOBAL_CTL_PMI_FRZ,
	.level = true,
	.run_level = true,
	.untried = true,
};

static const struct ucore_static_table table = {
	.global = &global,
	.msr = msr_boxes,
	.nr_msr = ARRAY_SIZE(msr_boxes),
};

/* Linux's driver has no PCI driver on these processors. */
#define PLATFORM(_name) \
	.name = (_name), \
	.find = ucore_static_table_find, \
	.table = &table, \
	.caps = UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_PMI_TRIAL

const struct ucore_platform ucore_platform_nhm = { PLATFORM("nhm") };
const struct ucore_platform ucore_platform_wsm = { PLATFORM("wsm") };
