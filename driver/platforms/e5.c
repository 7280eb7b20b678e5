// SPDX-License-Identifier: GPL-2.0-only
/*
 * E5-2600 platforms: what their generations have in common.
 *
 * Data only.
 */
#include <linux/build_bug.h>

#include "platforms/e5.h"

/* ---- event fields ---- */

/* Those of most boxes; invert is not there on v2 */
#define PLAIN_FIELDS \
	CTL_FIELD(EVENT, E5_CTL_EV_SEL), \
	CTL_FIELD(UMASK, E5_CTL_UMASK), \
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET), \
	CTL_FIELD(THRESH, E5_CTL_THRESH)

#define INVERT_FIELD	CTL_FIELD(INVERT, E5_CTL_INVERT)

const struct ucore_field_desc ucore_e5_fields[] = { PLAIN_FIELDS };
const struct ucore_field_desc ucore_e5_invert_fields[] = { PLAIN_FIELDS, INVERT_FIELD };

static_assert(ARRAY_SIZE(ucore_e5_fields) == E5_NR_FIELDS);
static_assert(ARRAY_SIZE(ucore_e5_invert_fields) == E5_NR_FIELDS + 1);

const struct ucore_field_desc ucore_e5_ubox_fields[] = {
	CTL_FIELD(EVENT, E5_CTL_EV_SEL),
	CTL_FIELD(UMASK, E5_CTL_UMASK),
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET),
	CTL_FIELD(THRESH, E5_CTL_THRESH5),
};

static_assert(ARRAY_SIZE(ucore_e5_ubox_fields) == E5_NR_UBOX_FIELDS);

#define PCU_FIELDS \
	E5_EVENT_EXT_FIELD, \
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET), \
	CTL_FIELD(THRESH, E5_CTL_THRESH5), \
	E5_PCU_FIELDS

const struct ucore_field_desc ucore_e5_pcu_fields[] = { PCU_FIELDS };
const struct ucore_field_desc ucore_e5_invert_pcu_fields[] = { PCU_FIELDS, INVERT_FIELD };

static_assert(ARRAY_SIZE(ucore_e5_pcu_fields) == E5_NR_PCU_FIELDS);
static_assert(ARRAY_SIZE(ucore_e5_invert_pcu_fields) == E5_NR_PCU_FIELDS + 1);

#define HA_FIELDS	PLAIN_FIELDS, E5_HA_MATCH_FIELDS

const struct ucore_field_desc ucore_e5_ha_fields[] = { HA_FIELDS };
const struct ucore_field_desc ucore_e5_invert_ha_fields[] = { HA_FIELDS, INVERT_FIELD };

static_assert(ARRAY_SIZE(ucore_e5_ha_fields) == E5_NR_HA_FIELDS);
static_assert(ARRAY_SIZE(ucore_e5_invert_ha_fields) == E5_NR_HA_FIELDS + 1);

#define EXT_FIELDS \
	E5_EVENT_EXT_FIELD, \
	CTL_FIELD(UMASK, E5_CTL_UMASK), \
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET), \
	CTL_FIELD(THRESH, E5_CTL_THRESH)

#define QPI_FIELDS	EXT_FIELDS, E5_QPI_MATCH_FIELDS

const struct ucore_field_desc ucore_e5_qpi_fields[] = { QPI_FIELDS };
const struct ucore_field_desc ucore_e5_invert_qpi_fields[] = { QPI_FIELDS, INVERT_FIELD };
const struct ucore_field_desc ucore_e5_invert_ext_fields[] = { EXT_FIELDS, INVERT_FIELD };

static_assert(ARRAY_SIZE(ucore_e5_qpi_fields) == E5_NR_QPI_FIELDS);
static_assert(ARRAY_SIZE(ucore_e5_invert_qpi_fields) == E5_NR_QPI_FIELDS + 1);
static_assert(ARRAY_SIZE(ucore_e5_invert_ext_fields) == E5_NR_FIELDS + 1);

/* ---- layouts ---- */

const struct ucore_layout ucore_e5_pci_layout = {
	.box_ctl = E5_PCI_BOX_CTL,
	.status = E5_PCI_BOX_STATUS,
	.ctl = E5_PCI_CTLS,
	.ctr = E5_PCI_CTRS,
	.fixed_ctl = { E5_PCI_FIXED_CTL },	/* iMC */
	.fixed_ctr = { E5_PCI_FIXED_CTR },
};

const struct ucore_layout ucore_e5_ha_layout = {
	.box_ctl = E5_PCI_BOX_CTL,
	.status = E5_PCI_BOX_STATUS,
	.ctl = E5_PCI_CTLS,
	.ctr = E5_PCI_CTRS,
	.shared = { E5_HA_ADDRMATCH0, E5_HA_ADDRMATCH1, E5_HA_OPCODEMATCH },
	.nr_shared = 3,
};

const struct ucore_layout ucore_e5_qpi_layout = {
	.box_ctl = E5_PCI_BOX_CTL,
	.status = E5_PCI_BOX_STATUS,
	.ctl = E5_PCI_CTLS,
	.ctr = E5_PCI_CTRS,
	.shared = { E5_QPI_MATCH0, E5_QPI_MATCH1, E5_QPI_MASK0, E5_QPI_MASK1 },
	.shared_aux = GENMASK(3, 0),
	.nr_shared = 4,
};
