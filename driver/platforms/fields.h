/* SPDX-License-Identifier: GPL-2.0-only */
/* Macros for event fields in the tables of all platforms. */
#ifndef UCORE_FIELDS_H
#define UCORE_FIELDS_H

#include <linux/kernel.h>

#include "find/desc.h"

/* A field whose bits are all in the counter control, or all in one shared register */
#define CTL_FIELD(id, bits) \
	{ .field = UCORE_FIELD_##id, .piece = { { .mask = (bits) } } }
#define SHARED_FIELD(id, reg, bits) \
	{ .field = UCORE_FIELD_##id, \
	  .piece = { { .slot = UCORE_SLOT_SHARED(reg), .mask = (bits) } } }

/* Fields of a box type */
#define FIELDS(table)	.fields = (table), .nr_fields = ARRAY_SIZE(table)

#endif /* UCORE_FIELDS_H */
