/* SPDX-License-Identifier: GPL-2.0-only */
/* Macros that define event fields in the tables of all platforms. */
#ifndef UCORE_FIELDS_H
#define UCORE_FIELDS_H

#include <linux/kernel.h>

#include "find/desc.h"

/* Event field whose bits are all in the counter control, or all in shared register @reg */
#define CTL_FIELD(id, bits) \
	{ .field = UCORE_FIELD_##id, .piece = { { .mask = (bits) } } }
#define SHARED_FIELD(id, reg, bits) \
	{ .field = UCORE_FIELD_##id, \
	  .piece = { { .slot = UCORE_SLOT_SHARED(reg), .mask = (bits) } } }

/* Initializer of the list of event fields of a box type */
#define FIELDS(table)	.fields = (table), .nr_fields = ARRAY_SIZE(table)

#endif /* UCORE_FIELDS_H */
