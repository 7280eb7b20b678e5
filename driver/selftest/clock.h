/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Clock of a box: a counter that counts clock cycles, or the memory traffic of this CPU, so that
 * self-tests see whether the box counts or stands. Part of the selftest layer. The functions run
 * with the domain's lock held, on a CPU of the domain, with interrupts off.
 */
#ifndef UCORE_SELFTEST_CLOCK_H
#define UCORE_SELFTEST_CLOCK_H

#include <linux/ktime.h>

#include "box/box_registers.h"
#include "box/domain_global_ctl.h"
#include "box/freeze.h"
#include "find/clock.h"

void ucore_clock_wait(bool traffic);
void ucore_clock_preload(const struct ucore_box *box, const struct ucore_clock *clock);

static inline bool ucore_clock_find_general(const struct ucore_box *box, struct ucore_clock *clock)
{
	return ucore_find_general_clock(box->desc.type, box->desc.layout, clock);
}

static inline bool ucore_clock_find(const struct ucore_box *box, struct ucore_clock *clock)
{
	return ucore_find_clock(box->desc.type, box->desc.layout, clock);
}

/* Return true if the fixed counter overflows in trials, because the box has no general counters. */
static inline bool ucore_clock_is_fixed(const struct ucore_box *box)
{
	return !box->desc.type->nr_gp;
}

/* Find the counter that overflows in trials. */
static inline bool ucore_clock_find_own(const struct ucore_box *box, struct ucore_clock *clock)
{
	return ucore_clock_is_fixed(box) ? ucore_clock_find(box, clock) :
					   ucore_clock_find_general(box, clock);
}

/* Return the overflow enable of this counter's control. */
static inline u32 ucore_clock_overflow_enable(const struct ucore_box *box)
{
	return ucore_clock_is_fixed(box) ? box->desc.type->fixed_ov_en :
					   box->desc.type->ctl_ov_en;
}

static inline u64 ucore_clock_read(const struct ucore_box *box, const struct ucore_clock *clock)
{
	return box->io.ops->read_running(&box->io, clock->ctr);
}

static inline bool ucore_clock_stands(const struct ucore_box *box, const struct ucore_clock *clock)
{
	u64 before = ucore_clock_read(box, clock);

	ucore_clock_wait(clock->traffic);
	return ucore_clock_read(box, clock) == before;
}

/*
 * Let the counter count clocks: end the freeze of the box, and that of the domain if a global
 * control stops the box.
 */
static inline void ucore_clock_start(struct ucore_box *box)
{
	ucore_box_unfreeze(box);
	if (box->desc.global)
		ucore_unfreeze_domain(box->domain, false);
}

/* Stop the counter: by the global control, or by the box control if it does not stop the box. */
static inline void ucore_clock_freeze(struct ucore_box *box)
{
	if (box->desc.global)
		ucore_freeze_domain(box->domain, ktime_get_mono_fast_ns());
	else
		ucore_box_freeze(box);
}

#endif /* UCORE_SELFTEST_CLOCK_H */
