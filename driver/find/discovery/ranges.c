// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: what has been taken already?
 *
 * Sorted lists, one for each kind of space, of the registers and names that units have
 * taken, and of those that are known to be others'.  Pure, and built in user space, too.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "find/array.h"
#include "find/discovery/ranges.h"

static struct ucore_disc_claims *claims_of(struct ucore_disc *disc,
					   const struct ucore_disc_claim *claim)
{
	return &disc->claims[FIELD_GET(SPACE_KIND, claim->space)];
}

/* Where a claim goes: behind all that start before it. */
static u32 place_of(const struct ucore_disc_claims *claims, const struct ucore_disc_claim *new)
{
	const struct ucore_disc_claim *claim = claims->claim;
	u32 low = 0, high = claims->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (claim[mid].space < new->space ||
		    (claim[mid].space == new->space && claim[mid].start <= new->start))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* One that overlaps a claim whose place is known. */
static const struct ucore_disc_claim *hit_at(const struct ucore_disc_claims *claims,
					     const struct ucore_disc_claim *new, u32 i)
{
	const struct ucore_disc_claim *other;

	/* claims in the list do not overlap each other: two neighbours tell */
	if (i > 0) {
		other = &claims->claim[i - 1];
		if (other->space == new->space && other->end > new->start)
			return other;
	}
	if (i < claims->nr) {
		other = &claims->claim[i];
		if (other->space == new->space && other->start < new->end)
			return other;
	}
	return NULL;
}

/**
 * ucore_range_overlap() - what would a new claim overlap?
 * @disc: what was found so far
 * @new: the claim
 *
 * Return: one that is there; NULL if all of it is free.
 */
const struct ucore_disc_claim *ucore_range_overlap(struct ucore_disc *disc,
					       const struct ucore_disc_claim *new)
{
	const struct ucore_disc_claims *claims = claims_of(disc, new);

	return hit_at(claims, new, place_of(claims, new));
}

static int insert(struct ucore_disc_claims *claims, const struct ucore_disc_claim *new, u32 nr,
		  u32 i)
{
	struct ucore_disc_claim *claim = ucore_array_grow_by(claims->claim, claims->nr, nr,
							     &claims->max, sizeof(*claim));

	if (!claim)
		return -ENOMEM;
	claims->claim = claim;
	memmove(&claim[i + nr], &claim[i], (claims->nr - i) * sizeof(*claim));
	memcpy(&claim[i], new, nr * sizeof(*claim));
	claims->nr += nr;
	return 0;
}

/**
 * ucore_range_add() - add claims that overlap none
 * @disc: what was found so far
 * @new: claims of one space, in order of their starts, with no other one between them
 * @nr: how many
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_range_add(struct ucore_disc *disc, const struct ucore_disc_claim *new, u32 nr)
{
	struct ucore_disc_claims *claims = claims_of(disc, new);

	return insert(claims, new, nr, place_of(claims, new));
}

/*
 * A claim that begins where another of the same unit ends makes that one longer: a thousand
 * registers in a row are one claim, and no thousand to be moved for each that comes before.
 */
static bool extend(struct ucore_disc_claims *claims, const struct ucore_disc_claim *new, u32 i)
{
	struct ucore_disc_claim *before = i ? &claims->claim[i - 1] : NULL;

	if (!before || before->space != new->space || before->unit != new->unit ||
	    before->end != new->start)
		return false;
	before->end = new->end;
	return true;
}

/**
 * ucore_range_add_others() - registers are known, and no unit's
 * @disc: what was found so far
 * @space: their space
 * @start: the first
 * @end: the first behind them
 *
 * If somebody has any of them already, so be it.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_range_add_others(struct ucore_disc *disc, u64 space, u64 start, u64 end)
{
	const struct ucore_disc_claim claim = {
		.space = space, .start = start, .end = end, .unit = UCORE_DISC_OTHERS,
	};
	struct ucore_disc_claims *claims = claims_of(disc, &claim);
	u32 i = place_of(claims, &claim);

	if (hit_at(claims, &claim, i) || extend(claims, &claim, i))
		return 0;
	return insert(claims, &claim, 1, i);
}

/**
 * ucore_range_add_row() - the same of registers in a row, of which some may be somebody's
 * @disc: what was found so far
 * @space: their space
 * @start: the first
 * @end: the first behind them; @start, if there are none
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_range_add_row(struct ucore_disc *disc, u64 space, u64 start, u64 end)
{
	const struct ucore_disc_claim claim = { .space = space, .start = start, .end = end };
	int ret = 0;

	if (start < end && !ucore_range_overlap(disc, &claim))
		return ucore_range_add_others(disc, space, start, end);
	for (; start < end && !ret; start++)
		ret = ucore_range_add_others(disc, space, start, start + 1);
	return ret;
}
