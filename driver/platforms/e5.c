// SPDX-License-Identifier: GPL-2.0-only
/*
 * E5-2600 platforms: what their generations have in common.
 *
 * Data only.
 */
#include <linux/build_bug.h>

#include "platforms/e5.h"

/* ---- event fields ---- */

const struct ucore_field_desc ucore_e5_fields[] = {
	CTL_FIELD(EVENT, E5_CTL_EV_SEL),
	CTL_FIELD(UMASK, E5_CTL_UMASK),
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET),
	CTL_FIELD(THRESH, E5_CTL_THRESH),
};

static_assert(ARRAY_SIZE(ucore_e5_fields) == E5_NR_FIELDS);

const struct ucore_field_desc ucore_e5_ubox_fields[] = {
	CTL_FIELD(EVENT, E5_CTL_EV_SEL),
	CTL_FIELD(UMASK, E5_CTL_UMASK),
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET),
	CTL_FIELD(THRESH, E5_CTL_THRESH5),
};

static_assert(ARRAY_SIZE(ucore_e5_ubox_fields) == E5_NR_UBOX_FIELDS);

const struct ucore_field_desc ucore_e5_pcu_fields[] = {
	E5_EVENT_EXT_FIELD,
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET),
	CTL_FIELD(THRESH, E5_CTL_THRESH5),
	E5_PCU_FIELDS,
};

static_assert(ARRAY_SIZE(ucore_e5_pcu_fields) == E5_NR_PCU_FIELDS);

const struct ucore_field_desc ucore_e5_ha_fields[] = {
	CTL_FIELD(EVENT, E5_CTL_EV_SEL),
	CTL_FIELD(UMASK, E5_CTL_UMASK),
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET),
	CTL_FIELD(THRESH, E5_CTL_THRESH),
	E5_HA_MATCH_FIELDS,
};

static_assert(ARRAY_SIZE(ucore_e5_ha_fields) == E5_NR_HA_FIELDS);

const struct ucore_field_desc ucore_e5_qpi_fields[] = {
	E5_EVENT_EXT_FIELD,
	CTL_FIELD(UMASK, E5_CTL_UMASK),
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET),
	CTL_FIELD(THRESH, E5_CTL_THRESH),
	E5_QPI_MATCH_FIELDS,
};

static_assert(ARRAY_SIZE(ucore_e5_qpi_fields) == E5_NR_QPI_FIELDS);

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
