/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hardware counters of a box. Part of the box layer. The functions run with the domain's lock
 * held, on a CPU of the domain, with interrupts off.
 */
#ifndef UCORE_BOX_COUNTER_H
#define UCORE_BOX_COUNTER_H

#include <linux/cache.h>
#include <linux/types.h>

#include "box/box.h"
#include "find/desc.h"
#include "ucore_uapi.h"

/**
 * struct ucore_counter - a hardware counter that counts an event
 * @event: event id
 * @flags: UCORE_VALUE_F_*
 * @total: 64-bit count
 * @value: the three members above in the layout of the uapi
 * @prev: register value at the last read
 * @mask: GENMASK(width - 1, 0)
 * @box: box
 * @period: overflow period, 0: none
 * @low_ns: longest interval between reads that cannot miss a wrap of the low 32 bits (ns), 0 to
 *          disable reads of the low half alone
 * @reg: counter register
 * @wrapped: wrapped since the period began
 * @group: group in whose time slice the counter counts, 0: always
 * @run_end: index after the run of counters that are read in the same way (sample/bulk_read.c)
 * @slot: index in a snapshot of the whole session
 * @ctl: control word, including the enable bit
 * @poll_period: polled period, 0: none; if set, @period is 0
 * @poll_next: value of @total at which the polled period ends
 * @wrap_ns: longest interval between reads that cannot miss a wrap (ns), 0 if none can be
 *           missed
 * @ran_ns: time that the counter could count in earlier time slices (ns)
 * @throttle_total: value of @total when throttling began
 * @twin: index of the next counter in the ring of counters that share the register
 * @sibling: index of another counter of the box, U32_MAX at the end
 * @ctl_reg: control register
 * @index: counter number, UCORE_COUNTER_FIXED + n for fixed counters
 * @verified: the control was read back after a group switch
 * @throttled: the counter counts, but its periods end without an interrupt
 *
 * Protected by the domain's lock while the session runs.
 */
struct ucore_counter {
	/* hot members of a sample: one cache line */
	union {
		struct {
			u32 event;
			u32 flags;
			u64 total;
		};
		struct ucore_value value;
	};
	u64 prev;
	u64 mask;
	struct ucore_box *box;
	u64 period;
	u64 low_ns;
	u16 reg;
	bool wrapped;
	u8 group;
	u32 run_end;

	u32 slot;
	u64 ctl;
	u64 poll_period;
	u64 poll_next;
	u64 wrap_ns;
	u64 ran_ns;
	u64 throttle_total;
	u32 twin;
	u32 sibling;
	u16 ctl_reg;
	u8 index;
	bool verified;
	bool throttled;
} ____cacheline_aligned;

static_assert(offsetof(struct ucore_counter, total) ==
	      offsetof(struct ucore_counter, value.count));

/* Ways to read a counter: at rest, while it counts, or the low half alone. */
enum ucore_read_mode {
	UCORE_FROZEN,
	UCORE_RUNNING,
	UCORE_LOW,
};

static inline bool ucore_counter_is_fixed(const struct ucore_counter *ctr)
{
	return ctr->index >= UCORE_COUNTER_FIXED;
}

void ucore_counter_poll_from(struct ucore_counter *ctr);
bool ucore_counter_accumulate(struct ucore_counter *ctr, u64 raw);
void ucore_counter_accumulate_low(struct ucore_counter *ctr, u32 low);
void ucore_counter_update(struct ucore_counter *ctr, enum ucore_read_mode mode);
void ucore_counter_update_by(struct ucore_counter *ctr, const struct ucore_io *io,
			     enum ucore_read_mode mode);
void ucore_counter_accumulate_many(struct ucore_counter * const *ctr, const u64 *raw, u32 nr,
				   struct ucore_tally *tally);
int ucore_counter_accumulate_many_low(struct ucore_counter * const *ctr, const u64 *raw, u32 nr,
				      u32 limit);
void ucore_counter_arm(struct ucore_counter *ctr);
void ucore_counter_throttle(struct ucore_counter *ctr);
u64 ucore_counter_missed_periods(const struct ucore_counter *ctr);
void ucore_counter_unthrottle(struct ucore_counter *ctr);

void ucore_counter_program(struct ucore_counter *ctr);
void ucore_counter_prepare(struct ucore_counter *ctr, bool zero);
void ucore_counter_switch(const struct ucore_counter *from, struct ucore_counter *to);
void ucore_counter_start_unfrozen(struct ucore_counter *ctr);
void ucore_counter_reload(struct ucore_counter *ctr);
void ucore_counter_stop(const struct ucore_counter *ctr);
void ucore_counter_disable(const struct ucore_counter *ctr);
u64 ucore_counter_global_bit(const struct ucore_counter *ctr);
bool ucore_counter_has_overflowed(const struct ucore_counter *ctr, u64 status,
				  u64 global);

#endif /* UCORE_BOX_COUNTER_H */
