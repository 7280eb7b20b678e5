// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: sorted lists of reserved registers and unit names.
 *
 * There is one list for each kind of address space. A reserved range contains the registers or
 * the name of a unit, or registers that are not part of a unit. Pure functions, also built in
 * user space (tests/fuzz). Process context, at module load.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "find/array.h"
#include "find/discovery/range_list.h"
#include "hw/discovery.h"

/**
 * ucore_range_space() - encode the address space that a register belongs to
 * @access: kind of register access, UCORE_ACCESS_*
 * @die: logical die, for MSRs
 * @address: address of the register, in the format of word 1 of a record
 *
 * Return: the value for ucore_disc_range.space.
 */
u64 ucore_range_space(u32 access, s32 die, u64 address)
{
	switch (access) {
	case UCORE_ACCESS_MSR:
		return SPACE_MSR | (u32)die;
	case UCORE_ACCESS_MMIO:
		return SPACE_MEMORY;
	default:
		return SPACE_PCI | (address & DISC_PCI_ADDRESS & ~DISC_PCI_OFFSET);
	}
}

/**
 * ucore_range_start() - get the address of a register in its address space
 * @access: kind of register access, UCORE_ACCESS_*
 * @address: address of the register, in the format of word 1 of a record
 *
 * Return: MSR number, physical address or config offset.
 */
u64 ucore_range_start(u32 access, u64 address)
{
	return access == UCORE_ACCESS_PCI ? FIELD_GET(DISC_PCI_OFFSET, address) : address;
}

static struct ucore_disc_ranges *list_of(struct ucore_disc *disc,
					 const struct ucore_disc_range *range)
{
	return &disc->ranges[FIELD_GET(SPACE_KIND, range->space)];
}

/*
 * Return the index at which @new must be inserted into @list, which is sorted by space and start:
 * after all ranges that begin before @new or at the same register.
 */
static u32 insert_index(const struct ucore_disc_ranges *list, const struct ucore_disc_range *new)
{
	const struct ucore_disc_range *range = list->range;
	u32 low = 0, high = list->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (range[mid].space < new->space ||
		    (range[mid].space == new->space && range[mid].start <= new->start))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Return a range that overlaps @new, whose insertion index is @i; NULL if there is none. */
static const struct ucore_disc_range *overlap_at(const struct ucore_disc_ranges *list,
						 const struct ucore_disc_range *new, u32 i)
{
	const struct ucore_disc_range *other;

	/* ranges in the list do not overlap, so that only the two neighbours can overlap @new */
	if (i > 0) {
		other = &list->range[i - 1];
		if (other->space == new->space && other->end > new->start)
			return other;
	}
	if (i < list->nr) {
		other = &list->range[i];
		if (other->space == new->space && other->start < new->end)
			return other;
	}
	return NULL;
}

/**
 * ucore_range_overlap() - find a reserved range that overlaps a new range
 * @disc: results of discovery so far
 * @new: new range, not reserved yet
 *
 * Return: the overlapping reserved range, NULL if there is none.
 */
const struct ucore_disc_range *ucore_range_overlap(struct ucore_disc *disc,
						   const struct ucore_disc_range *new)
{
	const struct ucore_disc_ranges *list = list_of(disc, new);

	return overlap_at(list, new, insert_index(list, new));
}

static int insert(struct ucore_disc_ranges *list, const struct ucore_disc_range *new, u32 nr,
		  u32 i)
{
	struct ucore_disc_range *range = ucore_array_grow_by(list->range, list->nr, nr,
							     &list->max, sizeof(*range));

	if (!range)
		return -ENOMEM;
	list->range = range;
	memmove(&range[i + nr], &range[i], (list->nr - i) * sizeof(*range));
	memcpy(&range[i], new, nr * sizeof(*range));
	list->nr += nr;
	return 0;
}

/**
 * ucore_range_add() - reserve new ranges that do not overlap reserved ranges
 * @disc: results of discovery so far
 * @new: ranges of one address space, in ascending order, with no reserved range between them
 * @nr: number of entries of @new
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_range_add(struct ucore_disc *disc, const struct ucore_disc_range *new, u32 nr)
{
	struct ucore_disc_ranges *list = list_of(disc, new);

	return insert(list, new, nr, insert_index(list, new));
}

/*
 * Extend the range before index @i by @new, if it belongs to the same unit and @new follows
 * directly. Return true if it was extended. Many consecutive registers thus become one range,
 * so that later insertions are fast.
 */
static bool extend(struct ucore_disc_ranges *list, const struct ucore_disc_range *new, u32 i)
{
	struct ucore_disc_range *prev = i ? &list->range[i - 1] : NULL;

	if (!prev || prev->space != new->space || prev->unit != new->unit ||
	    prev->end != new->start)
		return false;
	prev->end = new->end;
	return true;
}

/**
 * ucore_range_add_foreign() - reserve registers that are not part of a unit
 * @disc: results of discovery so far
 * @space: address space of the registers (SPACE_*)
 * @start: first register
 * @end: first register after the range
 *
 * Nothing is reserved if the new range overlaps a reserved range.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_range_add_foreign(struct ucore_disc *disc, u64 space, u64 start, u64 end)
{
	const struct ucore_disc_range range = {
		.space = space, .start = start, .end = end, .unit = UCORE_DISC_FOREIGN,
	};
	struct ucore_disc_ranges *list = list_of(disc, &range);
	u32 i = insert_index(list, &range);

	if (overlap_at(list, &range, i) || extend(list, &range, i))
		return 0;
	return insert(list, &range, 1, i);
}

/**
 * ucore_range_add_row() - reserve the registers of a range that are not reserved yet
 * @disc: results of discovery so far
 * @space: address space of the registers (SPACE_*)
 * @start: first register
 * @end: first register after the range; @start for an empty range
 *
 * Registers that are already reserved are skipped.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_range_add_row(struct ucore_disc *disc, u64 space, u64 start, u64 end)
{
	const struct ucore_disc_range range = { .space = space, .start = start, .end = end };
	int ret = 0;

	if (start < end && !ucore_range_overlap(disc, &range))
		return ucore_range_add_foreign(disc, space, start, end);
	for (; start < end && !ret; start++)
		ret = ucore_range_add_foreign(disc, space, start, start + 1);
	return ret;
}
