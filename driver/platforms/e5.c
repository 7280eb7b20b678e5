// SPDX-License-Identifier: GPL-2.0-only
/*
 * E5-2600 platforms: what their generations have in common.
 *
 * Data only.
 */
#include <linux/build_bug.h>

#include "platforms/e5.h"

/* ---- event fields ---- */

/* ev_sel with the extension bit as bit 8 */
#define EVENT_EXT_FIELD \
	{ .field = UCORE_FIELD_EVENT, \
	  .piece = { { .mask = E5_CTL_EV_SEL }, \
		     { .mask = E5_CTL_EV_SEL_EXT, .shift = 8 } } }

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
	EVENT_EXT_FIELD, \
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET), \
	CTL_FIELD(THRESH, E5_CTL_THRESH5), \
	CTL_FIELD(OCC_SEL, E5_PCU_CTL_OCC_SEL), \
	CTL_FIELD(OCC_INVERT, E5_PCU_CTL_OCC_INVERT), \
	CTL_FIELD(OCC_EDGE, E5_PCU_CTL_OCC_EDGE_DET), \
	SHARED_FIELD(BAND0, 0, E5_PCU_FILTER_BAND0), \
	SHARED_FIELD(BAND1, 0, E5_PCU_FILTER_BAND1), \
	SHARED_FIELD(BAND2, 0, E5_PCU_FILTER_BAND2), \
	SHARED_FIELD(BAND3, 0, E5_PCU_FILTER_BAND3)

const struct ucore_field_desc ucore_e5_pcu_fields[] = { PCU_FIELDS };
const struct ucore_field_desc ucore_e5_invert_pcu_fields[] = { PCU_FIELDS, INVERT_FIELD };

static_assert(ARRAY_SIZE(ucore_e5_pcu_fields) == E5_NR_PCU_FIELDS);
static_assert(ARRAY_SIZE(ucore_e5_invert_pcu_fields) == E5_NR_PCU_FIELDS + 1);

#define HA_FIELDS \
	PLAIN_FIELDS, \
	{ .field = UCORE_FIELD_ADDR_MATCH, \
	  .piece = { { .slot = UCORE_SLOT_SHARED(0), .shift = 6, \
		       .mask = E5_HA_ADDRMATCH0_LOW }, \
		     { .slot = UCORE_SLOT_SHARED(1), .shift = 32, \
		       .mask = E5_HA_ADDRMATCH1_HIGH } } }, \
	SHARED_FIELD(OPC_MATCH, 2, E5_HA_OPCODEMATCH_OPC)

const struct ucore_field_desc ucore_e5_ha_fields[] = { HA_FIELDS };
const struct ucore_field_desc ucore_e5_invert_ha_fields[] = { HA_FIELDS, INVERT_FIELD };

static_assert(ARRAY_SIZE(ucore_e5_ha_fields) == E5_NR_HA_FIELDS);
static_assert(ARRAY_SIZE(ucore_e5_invert_ha_fields) == E5_NR_HA_FIELDS + 1);

/*
 * The match and mask fields are spelled as the whole register, whose lowest
 * bit in use is bit 3 (MATCH0) or bit 0 (MATCH1).
 */
#define QPI_PACKET0_FIELD(id, reg) \
	{ .field = UCORE_FIELD_##id, \
	  .piece = { { .slot = UCORE_SLOT_SHARED(reg), .shift = 3, \
		       .mask = E5_QPI_MATCH0_BITS } } }

#define EXT_FIELDS \
	EVENT_EXT_FIELD, \
	CTL_FIELD(UMASK, E5_CTL_UMASK), \
	CTL_FIELD(EDGE, E5_CTL_EDGE_DET), \
	CTL_FIELD(THRESH, E5_CTL_THRESH)

#define QPI_FIELDS \
	EXT_FIELDS, \
	QPI_PACKET0_FIELD(MATCH0, 0), \
	SHARED_FIELD(MATCH1, 1, E5_QPI_MATCH1_BITS), \
	QPI_PACKET0_FIELD(MASK0, 2), \
	SHARED_FIELD(MASK1, 3, E5_QPI_MATCH1_BITS)

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
