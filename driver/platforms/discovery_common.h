/* SPDX-License-Identifier: GPL-2.0-only */
/* What the box types of the discovery generation have in common. */
#ifndef UCORE_TABLES_GENERIC_H
#define UCORE_TABLES_GENERIC_H

#include <linux/bits.h>
#include <linux/kernel.h>

#include "find/discovery/discovery.h"
#include "find/discovery/find.h"
#include "find/topology.h"
#include "hw/discovery.h"
#include "platforms/fields.h"
#include "platforms/match.h"

/* What every control has below bit 32, but for thresh */
#define COMMON_FIELDS \
	CTL_FIELD(EVENT, DISC_CTL_EV_SEL), \
	CTL_FIELD(UMASK, DISC_CTL_UMASK), \
	CTL_FIELD(EDGE, DISC_CTL_EDGE_DET), \
	CTL_FIELD(INVERT, DISC_CTL_INVERT)

/*
 * A box type; what its units' records do not tell.  No manual tells how much an
 * event can add in a clock: 256 is beyond any queue's length.
 */
#define BOX_COMMON(_name, _fields) \
	.name = (_name), \
	.words = &ucore_disc_words, \
	FIELDS(_fields), \
	.max_increment = 256, \
	.caps = UCORE_BOX_F_FREEZE, \
	.ctl_ov_en = DISC_CTL_OV_EN, \
	.fixed_en = DISC_FIXED_CTL_EN, \
	.fixed_width = DISC_FIXED_WIDTH

/* The same, with event 1, umask 0 for its clock, as Intel's lists have it for most types */
#define BOX_TYPE(_name, _fields) \
	BOX_COMMON(_name, _fields), \
	.clock = UCORE_CLOCK(0x01)

#define DISC_PLATFORM(_name, _rules) \
	.name = (_name), \
	.find = ucore_discovery_find, \
	.drop = ucore_discovery_drop, \
	.report = &ucore_disc_report, \
	.table = (_rules)

#define NR_GENERIC_FIELDS	6

extern const struct ucore_box_words ucore_disc_words;
extern const struct ucore_field_desc ucore_disc_fields[NR_GENERIC_FIELDS];
extern const struct ucore_box_type ucore_disc_unknown;
extern const struct ucore_box_type ucore_disc_iio_free;
extern const struct ucore_constraint ucore_disc_cha_constraints[];

#define NR_IIO_FIELDS		7

extern const struct ucore_field_desc ucore_disc_iio_fields[NR_IIO_FIELDS];

#endif /* UCORE_TABLES_GENERIC_H */
