/* SPDX-License-Identifier: GPL-2.0-only */
/* Data that all platforms with discovery tables have in common. */
#ifndef UCORE_DISCOVERY_COMMON_H
#define UCORE_DISCOVERY_COMMON_H

#include <linux/bits.h>
#include <linux/kernel.h>

#include "find/die_topology.h"
#include "find/discovery/discovery.h"
#include "find/discovery/make_boxes.h"
#include "hw/discovery.h"
#include "platforms/fields.h"
#include "platforms/match.h"

/*
 * Event fields in bits 31:0 that every counter control has. The field thresh is not in this list,
 * because its bits depend on the box type.
 */
#define COMMON_FIELDS \
	CTL_FIELD(EVENT, DISC_CTL_EV_SEL), \
	CTL_FIELD(UMASK, DISC_CTL_UMASK), \
	CTL_FIELD(EDGE, DISC_CTL_EDGE_DET), \
	CTL_FIELD(INVERT, DISC_CTL_INVERT)

/*
 * Properties of a box type that unit records lack. No manual documents the largest increment of
 * an event. 256 is assumed, because it exceeds the length of every queue.
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

/* Box type whose clock event has event select 1 and umask 0, as most types in Intel's lists */
#define BOX_TYPE(_name, _fields) \
	BOX_COMMON(_name, _fields), \
	.clock = UCORE_CLOCK(0x01)

#define DISC_PLATFORM(_name, _rules) \
	.name = (_name), \
	.find = ucore_discovery_find, \
	.drop = ucore_discovery_drop, \
	.report = &ucore_discovery_report, \
	.table = (_rules)

#define NR_GENERIC_FIELDS	6

#define NR_NARROW_FIELDS	5

extern const struct ucore_box_words ucore_disc_words;
extern const struct ucore_field_desc ucore_disc_fields[NR_GENERIC_FIELDS];
extern const struct ucore_field_desc ucore_disc_narrow_fields[NR_NARROW_FIELDS];
extern const struct ucore_box_type ucore_disc_unknown;
extern const struct ucore_box_type ucore_disc_iio_free;
extern const struct ucore_constraint ucore_disc_cha_constraints[];

#define NR_IIO_FIELDS		7

extern const struct ucore_field_desc ucore_disc_iio_fields[NR_IIO_FIELDS];

#endif /* UCORE_DISCOVERY_COMMON_H */
