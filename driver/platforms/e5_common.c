// SPDX-License-Identifier: GPL-2.0-only
/* Data that the platforms of the Xeon E5-2600 v1 to v4 have in common. Data only. */
#include <linux/build_bug.h>

#include "find/upi_iio_links.h"
#include "hw/iio_stacks.h"
#include "platforms/e5_common.h"

/* ---- event fields ---- */

/* Event fields of most box types. Boxes of v2 do not have the field invert. */
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

/* Fields of an HA of v2. Only v2 can reset the queue occupancy counter of an event (OCC_RST). */
const struct ucore_field_desc ucore_e5_ha_fields[] = {
	HA_FIELDS,
	CTL_FIELD(OCC_RST, E5_HA_CTL_Q_OCC_RST),
};

const struct ucore_field_desc ucore_e5_invert_ha_fields[] = { HA_FIELDS, INVERT_FIELD };

static_assert(ARRAY_SIZE(ucore_e5_ha_fields) == E5_NR_HA_FIELDS + 1);
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

/* ---- event constraints ---- */

const struct ucore_constraint ucore_e5_r3qpi_constraints[] = {
	{ 0x10, 0x12, GENMASK(1, 0) },
	{ 0x13, 0x13, BIT(0) },
	{ 0x20, 0x26, GENMASK(1, 0) },
	{ 0x28, 0x34, GENMASK(1, 0) },
	{ 0x36, 0x39, GENMASK(1, 0) },
	{ }
};

/* ---- largest increments of events ---- */

const struct ucore_increment ucore_e5_clockticks_00[] = { { 0x00, 0x00, 1 }, { } };
const struct ucore_increment ucore_e5_clockticks_01[] = { { 0x01, 0x01, 1 }, { } };
const struct ucore_increment ucore_e5_clockticks_14[] = { { 0x14, 0x14, 1 }, { } };

/* ---- layouts ---- */

const struct ucore_layout ucore_e5_pci_layout = {
	E5_PCI_REGS(E5_PCI_BOX_STATUS),
	E5_IMC_FIXED,
};

const struct ucore_layout ucore_e5_ha_layout = {
	E5_PCI_REGS(E5_PCI_BOX_STATUS),
	E5_HA_MATCHES,
};

const struct ucore_layout ucore_e5_qpi_layout = {
	E5_PCI_REGS(E5_PCI_BOX_STATUS),
	E5_QPI_MATCHES,
};

/* ---- speed of the QPI links ---- */

static const u16 qpi_speeds[] = QPI_SPEEDS;

static const struct ucore_link_speed qpi_speed = {
	.function = QPI_SPEED_FUNCTION,
	.reg = QPI_SPEED,
	.field = QPI_SPEED_FIELD,
	.mts = qpi_speeds,
	.nr = ARRAY_SIZE(qpi_speeds),
};

const struct ucore_link_regs ucore_e5_link_regs = { .speed = &qpi_speed };
