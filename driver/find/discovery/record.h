/* SPDX-License-Identifier: GPL-2.0-only */
/* PMON discovery: decode the 64-bit words of a record of a table. Pure functions. */
#ifndef UCORE_RECORD_H
#define UCORE_RECORD_H

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/types.h>

#include "hw/discovery.h"
#include "ucore_uapi.h"

/* Return the kind of register access (UCORE_ACCESS_*) in a record, ~0 if it is invalid. */
static inline u32 ucore_record_access(const u64 *word)
{
	switch (FIELD_GET(DISC_WORD0_ACCESS, word[0])) {
	case DISC_ACCESS_MSR:
		return UCORE_ACCESS_MSR;
	case DISC_ACCESS_MMIO:
		return UCORE_ACCESS_MMIO;
	case DISC_ACCESS_PCI:
		return UCORE_ACCESS_PCI;
	default:
		return ~0U;
	}
}

/* Return true if a word of a record is all ones, which memory without a device returns. */
static inline bool ucore_record_all_ones(const u64 *word)
{
	return word[0] == ~0ULL || word[1] == ~0ULL || word[2] == ~0ULL;
}

/* Return the type number of a unit record. */
static inline u32 ucore_record_type(const u64 *word)
{
	return FIELD_GET(DISC_UNIT2_TYPE, word[2]);
}

/* Return the unit id of a unit record. */
static inline u32 ucore_record_id(const u64 *word)
{
	return FIELD_GET(DISC_UNIT2_ID, word[2]);
}

#endif /* UCORE_RECORD_H */
