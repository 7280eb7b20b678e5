// SPDX-License-Identifier: GPL-2.0-only
/*
 * Data that all platforms with discovery tables have in common, and the generic platform for
 * unknown processor models. Data only.
 */
#include "platforms/discovery_common.h"

const struct ucore_box_words ucore_disc_words = {
	.freeze = DISC_BOX_CTL_FRZ,
	.reset = DISC_BOX_CTL_FRZ | DISC_BOX_CTL_RST_CTRL | DISC_BOX_CTL_RST_CTRS,
	.run = 0,
	.reach = UCORE_RESET_CTL | UCORE_RESET_CTR,
};

/* Event fields of most box types. The extended umask exists only in 64-bit controls. */
const struct ucore_field_desc ucore_disc_fields[NR_GENERIC_FIELDS] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, DISC_CTL_THRESH),
	CTL_FIELD(UMASK_EXT, DISC_CTL_UMASK_EXT),
};

/*
 * Event fields of box types whose controls use bits 31:0 only. intel_uncore has no extended umask
 * for them, and no event of Intel's lists needs one.
 */
const struct ucore_field_desc ucore_disc_narrow_fields[NR_NARROW_FIELDS] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, DISC_CTL_THRESH),
};

const struct ucore_field_desc ucore_disc_iio_fields[NR_IIO_FIELDS] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, DISC_CTL_IIO_THRESH),
	CTL_FIELD(CH_MASK, DISC_CTL_IIO_CH_MASK),
	CTL_FIELD(FC_MASK, DISC_CTL_IIO_FC_MASK),
};

static const struct ucore_field_desc unknown_fields[] = {
	COMMON_FIELDS,
	CTL_FIELD(THRESH, DISC_CTL_THRESH),
	CTL_FIELD(UMASK_EXT, DISC_CTL_UMASK_EXT32),
};

const struct ucore_constraint ucore_disc_cha_constraints[] = {
	{ 0x11, 0x11, BIT(0) },
	{ 0x36, 0x36, BIT(0) },
	{ }
};

/*
 * Free-running counters of an IIO stack, described as fixed counters. Fixed counter 0 is the
 * clock. The next counters are the inbound traffic of each port, then the outbound traffic of
 * each port.
 */
const struct ucore_box_type ucore_disc_iio_free = {
	.name = "iio_free",
	.caps = UCORE_BOX_F_FREE_RUNNING,
	.nr_fixed = 1 + 2 * SPR_IIO_FREE_PORTS,
	.fixed_width = SPR_IIO_FREE_WIDTH,
	.link_kind = UCORE_LINK_BUS,
};

/* Box type of units with an unknown type number N. Such a unit gets the type name "type_N". */
const struct ucore_box_type ucore_disc_unknown = {
	BOX_COMMON("", unknown_fields),
};

static const struct ucore_disc_msr other_msrs[] = {
	{ NVL_FAMILY, NVL_MODEL, NVL_MSR_TABLE },
	{ NVL_FAMILY, NVL_MODEL_L, NVL_MSR_TABLE },
	{ }
};

static const struct ucore_disc_rules rules = {
	.unknown = &ucore_disc_unknown,
	.table_msr = DISC_MSR_TABLE,
	.other_msrs = other_msrs,
};

/* Platform for all other Intel processors. Finds boxes if there are discovery tables. */
const struct ucore_platform ucore_platform_generic = {
	DISC_PLATFORM("generic", &rules),
};
