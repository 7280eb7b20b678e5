/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts: what a session has on one domain: counters, a ring, times.
 */
#ifndef UCORE_PART_H
#define UCORE_PART_H

#include "sample/domain_ctx_state.h"

/* Is it its group's turn? */
static inline bool ucore_part_counts(const struct ucore_part *part,
				     const struct ucore_counter *ctr)
{
	return !ctr->group || ctr->group == part->group;
}

/* Register reads that a counter takes: at the timer's period, or at most. */
static inline u32 ucore_part_read_cost(const struct ucore_part *part,
				       const struct ucore_counter *ctr)
{
	bool low = part->timer_ns && part->timer_ns < ctr->low_ns;

	return low ? 1 : ctr->box->io.ops->counter_cost;
}

void ucore_part_program(struct ucore_part *part);
u64 ucore_part_freeze(struct ucore_part *part);
u64 ucore_part_thaw(struct ucore_part *part);
void ucore_part_release(struct ucore_part *part);
void ucore_part_go(struct ucore_part *part, u64 now);
void ucore_part_halt(struct ucore_part *part, u64 now, u64 end, u64 before);
void ucore_part_read(struct ucore_part *part, u64 now);
u64 ucore_part_since_read(const struct ucore_part *part);
void ucore_part_was_read(struct ucore_part *part, u64 now);
bool ucore_part_poll(struct ucore_part *part);
bool ucore_part_poll_end(struct ucore_part *part, u64 now);
u64 ucore_part_silent(const struct ucore_part *part);
void ucore_part_read_running(struct ucore_part *part, u64 now);
void ucore_part_reset(struct ucore_part *part, u64 now);
void ucore_part_times(const struct ucore_part *part, u64 now, u64 before, u64 *enabled,
		      u64 *running);
void ucore_part_turn(struct ucore_part *part, u8 group, u64 now, u64 before);
u64 ucore_part_ran(const struct ucore_part *part, const struct ucore_counter *ctr, u64 running);
void ucore_part_forget(struct ucore_part *part);

#endif /* UCORE_PART_H */
