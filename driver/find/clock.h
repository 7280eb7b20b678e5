/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters that count the clock cycles of a box, or memory requests, so that tests see whether the
 * box counts.
 */
#ifndef UCORE_FIND_CLOCK_H
#define UCORE_FIND_CLOCK_H

#include <linux/bitops.h>

#include "find/desc.h"

/**
 * struct ucore_clock - counter of a box that can count clock cycles or memory requests
 * @ctl: offset of the control register
 * @ctr: offset of the counter register
 * @word: value of the control register that makes the counter count
 * @gp: number of the general counter, 0 for a fixed counter
 * @traffic: the counter counts memory requests (struct ucore_box_type.traffic)
 */
struct ucore_clock {
	u16 ctl;
	u16 ctr;
	u32 word;
	u32 gp;
	bool traffic;
};

/* Return the first general counter of a box type that can count an event, UCORE_CLOCK(). */
static inline u32 ucore_find_clock_counter(const struct ucore_box_type *type, u32 word)
{
	u32 event = word & 0xff, umask = word >> 8 & 0xff;
	const struct ucore_constraint *c;

	for (c = type->constraints; c && c->counters; c++)
		if (event >= c->event && event <= c->last && (!c->umask || c->umask == umask))
			return __ffs(c->counters);
	return 0;
}

/*
 * Find a general counter that can count clocks, or memory requests if no clock event is known.
 * Return false if neither event is known.
 */
static inline bool ucore_find_general_clock(const struct ucore_box_type *type,
					    const struct ucore_layout *layout,
					    struct ucore_clock *clock)
{
	u32 word = type->clock ?: type->traffic;
	u32 gp = ucore_find_clock_counter(type, word);

	if (!word || gp >= type->nr_gp)
		return false;
	*clock = (struct ucore_clock){ layout->ctl[gp], layout->ctr[gp],
				       (word & ~UCORE_CLOCK(0)) | type->ctl_en, gp, !type->clock };
	return true;
}

/* Find a counter that can count clocks: the fixed counter if it has a control, or a general one. */
static inline bool ucore_find_clock(const struct ucore_box_type *type,
				    const struct ucore_layout *layout, struct ucore_clock *clock)
{
	if (!type->nr_fixed || layout->fixed_ctl[0] == UCORE_REG_NONE)
		return ucore_find_general_clock(type, layout, clock);
	*clock = (struct ucore_clock){ layout->fixed_ctl[0], layout->fixed_ctr[0],
				       type->fixed_en };
	return true;
}

#endif /* UCORE_FIND_CLOCK_H */
