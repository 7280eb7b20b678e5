/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One hardware counter of a box: value, period and control. Part of the box layer. The functions
 * run with the domain's lock held, on a CPU of the domain, with interrupts off.
 */
#ifndef UCORE_BOX_COUNTER_H
#define UCORE_BOX_COUNTER_H

#include <linux/cache.h>
#include <linux/types.h>

#include "box/box_registers.h"
#include "find/desc.h"
#include "ucore_uapi.h"

struct ucore_counter;
struct ucore_counter_use;

/**
 * struct ucore_register_turns - a counter register that groups use in turn
 * @prev: value of the register at the end of the last time slice that used it
 * @any: one of the counters that use the register, NULL if none does
 * @next: counter of the next time slice, during a group switch or START; otherwise NULL
 */
struct ucore_register_turns {
	u64 prev;
	struct ucore_counter *any;
	struct ucore_counter *next;
};

/**
 * struct ucore_counter - one event of a session on the hardware counter that counts it
 * @event: id of the event in the session
 * @flags: flags of the value, UCORE_VALUE_F_*
 * @total: 64-bit count, accumulated from register values
 * @value: the members event, flags and total in the layout of the uapi
 * @prev: value of the counter register at the last read
 * @mask: mask of the implemented bits of the counter register, GENMASK(width - 1, 0)
 * @box: box that the counter belongs to
 * @period: number of counts after which an overflow interrupts, 0 if the counter has no
 *          interrupt
 * @low_ns: longest time between reads of the low 32 bits alone that cannot miss a wrap of these
 *          bits (ns), 0 to always read the full counter
 * @reg: offset of the counter register
 * @wrapped: the counter register has wrapped since the current period began
 * @group: group in whose time slices the counter counts, 0 to count in all time slices
 * @run_end: index after the last of the consecutive counters that are read in the same way
 *           (sample/bulk_read.c)
 * @slot: index of the event in the arrays of a session's READ (values, ran_ns)
 * @ctl: value of the control register, including the enable bit
 * @poll_period: number of counts after which a poll takes a sample, for counters that cannot
 *               interrupt; 0 for none. If set, @period is 0.
 * @poll_ns: time from one poll to the next if @period must be polled (ns), 0 if it must not be
 * @period_end: value of @total at which the current period ends, for polled periods and while
 *              the counter is shared
 * @wrap_ns: longest time between reads of the full counter that cannot miss a wrap (ns), 0 if
 *           no wrap can be missed
 * @ran_ns: time for which the counter counted in earlier time slices (ns)
 * @throttle_total: value of @total when throttling began
 * @use: the sessions that use the hardware counter, NULL for a free-running counter
 * @leader: the hardware counter that counts for several sessions, NULL while this session alone
 *          uses it. If set, @prev is not used.
 * @seen: value of @leader's total up to which @total includes the counts
 * @next_armed: next counter in the list ucore_counter_use.armed
 * @turns: the counter register, which counters of several groups use in turn; NULL for a counter
 *         of group 0, which shares its register with no other
 * @next_in_group: next counter of the same group in the domain context, NULL at the end
 * @sibling: index of the next counter in the list of counters of the same box, U32_MAX at the
 *           end
 * @ctl_reg: offset of the control register, UCORE_REG_NONE for a free-running counter
 * @index: number of the counter in the box, UCORE_COUNTER_FIXED + n for fixed counters
 * @verified: the control has been checked for missing bits, when a time slice of @group began
 * @counted: the counter is one of ucore_counter_use.users
 * @throttled: the counter counts, but the end of its period does not interrupt
 *
 * Protected by the domain's lock while the session runs.
 */
struct ucore_counter {
	/* members that each sample accesses, in one cache line */
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
	u64 poll_ns;
	u64 period_end;
	u64 wrap_ns;
	u64 ran_ns;
	u64 throttle_total;
	struct ucore_counter_use *use;
	struct ucore_counter *leader;
	u64 seen;
	struct ucore_counter *next_armed;
	struct ucore_register_turns *turns;
	struct ucore_counter *next_in_group;
	u32 sibling;
	u16 ctl_reg;
	u8 index;
	bool verified;
	bool throttled;
	bool counted;
} ____cacheline_aligned;

static_assert(offsetof(struct ucore_counter, total) ==
	      offsetof(struct ucore_counter, value.count));

/*
 * Ways to read a counter register: frozen, while it may be counting, or the low 32 bits alone
 * (frozen).
 */
enum ucore_read_mode {
	UCORE_FROZEN,
	UCORE_RUNNING,
	UCORE_LOW,
};

static inline bool ucore_counter_is_fixed(const struct ucore_counter *ctr)
{
	return ctr->index >= UCORE_COUNTER_FIXED;
}

/* Return the bits of the counter's control that enable its overflow. */
static inline u64 ucore_counter_overflow_bits(const struct ucore_counter *ctr)
{
	const struct ucore_box_type *type = ctr->box->desc.type;

	if (!ucore_counter_is_fixed(ctr))
		return type->ctl_ov_en;
	return (u64)type->fixed_ov_en << (type->fixed_step * (ctr->index - UCORE_COUNTER_FIXED));
}

/*
 * Return true if no status bit reports an overflow of the counter, but its value alone: a general
 * counter of a box without a status register, or a fixed counter that has no bit there.
 */
static inline bool ucore_counter_has_no_status(const struct ucore_counter *ctr)
{
	const struct ucore_box_desc *desc = &ctr->box->desc;

	if (ucore_counter_is_fixed(ctr))
		return desc->type->status_fixed == UCORE_STATUS_VALUE;
	return desc->layout->status == UCORE_REG_NONE && !desc->type->status_global;
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
void ucore_counter_prepare(const struct ucore_counter *ctr);
void ucore_counter_switch(const struct ucore_counter *from, struct ucore_counter *to);
void ucore_counter_start_unfrozen(struct ucore_counter *ctr);
void ucore_counter_reload(struct ucore_counter *ctr);
void ucore_counter_limit_width(struct ucore_counter *ctr);
void ucore_counter_load(struct ucore_counter *ctr, u64 val);
void ucore_counter_change_control(const struct ucore_counter *ctr, u64 old, u64 new);
void ucore_counter_stop(const struct ucore_counter *ctr);
void ucore_counter_disable(const struct ucore_counter *ctr);
u64 ucore_counter_global_bit(const struct ucore_counter *ctr);
bool ucore_counter_has_overflowed(const struct ucore_counter *ctr, u64 status,
				  u64 global);

#endif /* UCORE_BOX_COUNTER_H */
