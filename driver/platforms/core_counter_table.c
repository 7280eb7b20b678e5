// SPDX-License-Identifier: GPL-2.0-only
/*
 * Platform table of the core counters: architectural registers and event fields. The number and
 * width of the counters and the AnyThread bit come from CPUID (find/core_cpuid.c). Data only.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "find/core_cpuid.h"
#include "hw/core.h"
#include "platforms/fields.h"
#include "platforms/match.h"

/* Event fields of a core counter. AnyThread ("any") must be last: some versions do not have it. */
static const struct ucore_field_desc fields[] = {
	CTL_FIELD(EVENT, CORE_CTL_EV_SEL),
	CTL_FIELD(UMASK, CORE_CTL_UMASK),
	CTL_FIELD(USR, CORE_CTL_USR),
	CTL_FIELD(OS, CORE_CTL_OS),
	CTL_FIELD(EDGE, CORE_CTL_EDGE),
	CTL_FIELD(INVERT, CORE_CTL_INV),
	CTL_FIELD(THRESH, CORE_CTL_CMASK),
	CTL_FIELD(ANY, CORE_CTL_ANY),
};

static const struct ucore_fixed_bit fixed_bits[] = {
	{ CORE_CTL_USR, CORE_FIXED_USR },
	{ CORE_CTL_OS, CORE_FIXED_OS },
	{ CORE_CTL_ANY, CORE_FIXED_ANY },
	{ }
};

#define ROW(first)	{ (first), (first) + 1, (first) + 2, (first) + 3, \
			  (first) + 4, (first) + 5, (first) + 6, (first) + 7 }

#define LAYOUT(counters) { \
	.box_ctl = UCORE_REG_NONE, \
	.status = UCORE_REG_NONE, \
	.ctl = ROW(CORE_EVTSEL0), \
	.ctr = ROW(counters), \
	.fixed_ctl = { CORE_FIXED_CTL, CORE_FIXED_CTL, CORE_FIXED_CTL, CORE_FIXED_CTL }, \
	.fixed_ctr = { CORE_FIXED0, CORE_FIXED0 + 1, CORE_FIXED0 + 2, CORE_FIXED0 + 3 }, \
}

static const struct ucore_layout layout = LAYOUT(CORE_PMC0);
static const struct ucore_layout full_layout = LAYOUT(CORE_A_PMC0);

/*
 * Box type of the core counters. No manual documents the largest increment of an event. 256 is
 * assumed for general counters, because it exceeds the length of every queue. 16 is assumed for
 * fixed counters, because it exceeds the number of instructions retired per clock.
 */
static const struct ucore_box_type type = {
	.name = "core",
	FIELDS(fields),
	.fixed_bits = fixed_bits,
	.max_increment = 256,
	.fixed_increment = 16,
	.caps = UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW,
	.ctl_en = CORE_CTL_EN,
	.ctl_ov_en = CORE_CTL_INT,
	.ctl_default = CORE_CTL_USR | CORE_CTL_OS,
	.fixed_ov_en = CORE_FIXED_INT,
	.fixed_step = CORE_FIXED_STEP,
	.status_fixed = CORE_STATUS_FIXED,
	.status_global = true,
};

static const struct ucore_core_table table = {
	.type = &type,
	.layout = &layout,
	.full_layout = &full_layout,
	.nr_fields = ARRAY_SIZE(fields) - 1,
};

/* Platform of the core counters, used on every machine in addition to the uncore platform */
const struct ucore_platform ucore_platform_core = {
	.name = "core",
	.find = ucore_core_find,
	.drop = ucore_core_drop,
	.table = &table,
};
