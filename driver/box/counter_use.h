/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Use of one hardware counter by sessions. Part of the box layer. session/claim.c decides which
 * sessions use a hardware counter, sample/shared_counter.c lets them count by it.
 */
#ifndef UCORE_BOX_COUNTER_USE_H
#define UCORE_BOX_COUNTER_USE_H

#include "box/counter.h"

/**
 * struct ucore_counter_use - the sessions that use one hardware counter of a box
 * @event: word for the counter's control that selects the event of all holders, without enable
 *         bits
 * @holders: number of claims that hold the counter
 * @shareable: further sessions may hold the counter for the same event
 * @users: number of running domain contexts that use the counter
 * @started: the control of a counter that no freeze stops has been written for its users
 * @first: the only user while the counter is not shared and @users is 1
 * @leader: the counter as hardware: count, control and last register value. NULL while one session
 *          alone has claimed the box
 * @sharing: @leader counts, and the users take their counts from it
 * @armed: list of the users that have a period (ucore_counter.next_armed)
 * @spent: the counter must be loaded for the next end of a period, because it has overflowed or
 *         its users have changed; it is in the list ucore_domain.spent
 * @next_spent: next entry of that list
 * @in_turns: groups of a session with UCORE_SESSION_F_MULTIPLEX use the counter in turns now
 * @slice: number of the multiplexing time slice for which the counter is reserved
 *         (ucore_domain.slices)
 * @slice_ctl: control for which it is reserved
 * @slice_in_turns: it is reserved for groups
 * @read_at: instant of the last read of @leader while it counts (ns)
 * @readout: number of the readout in which @leader was read last (ucore_domain.readouts)
 *
 * @event, @holders and @shareable are protected by the catalog's lock, @leader is set with that
 * lock held before a second user can appear. The other members are protected by the domain's lock.
 */
struct ucore_counter_use {
	u64 event;
	u32 holders;
	bool shareable;
	bool sharing;
	bool spent;
	bool started;
	u32 users;
	struct ucore_counter *first;
	struct ucore_counter *leader;
	struct ucore_counter *armed;
	struct ucore_counter_use *next_spent;
	u64 read_at;
	u64 readout;
	u64 slice;
	u64 slice_ctl;
	bool slice_in_turns;
	bool in_turns;
};

/* Return the index in ucore_box.uses of a counter number (ucore_add_event.counter). */
static inline u32 ucore_counter_use_index(const struct ucore_box *box, u8 counter)
{
	if (counter < UCORE_COUNTER_FIXED)
		return counter;
	return box->desc.type->nr_gp + counter - UCORE_COUNTER_FIXED;
}

#endif /* UCORE_BOX_COUNTER_USE_H */
