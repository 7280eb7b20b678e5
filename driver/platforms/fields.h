/* SPDX-License-Identifier: GPL-2.0-only */
/* How the tables of all platforms spell event fields. */
#ifndef UCORE_FIELDS_H
#define UCORE_FIELDS_H

#include <linux/kernel.h>

#include "find/desc.h"

/* All bits of a field are in the counter's control, or in a shared register. */
#define CTL_FIELD(id, bits) \
	{ .field = UCORE_FIELD_##id, .piece = { { .mask = (bits) } } }
#define SHARED_FIELD(id, reg, bits) \
	{ .field = UCORE_FIELD_##id, \
	  .piece = { { .slot = UCORE_SLOT_SHARED(reg), .mask = (bits) } } }

/* The fields of a box type */
#define FIELDS(table)	.fields = (table), .nr_fields = ARRAY_SIZE(table)

#endif /* UCORE_FIELDS_H */
