/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Driving one box: struct ucore_box drives what a description (desc.h) tells.
 * box.c knows registers and their order, and neither sessions nor rings.
 */
#ifndef UCORE_BOX_H
#define UCORE_BOX_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/types.h>

#include "find/desc.h"
#include "reg/reg.h"
#include "ucore_uapi.h"

struct ucore_domain;

/**
 * struct ucore_selftest - what became of trying a box (selftest.c)
 * @tried: UCORE_SELFTEST_*: checks that were made
 * @failed: of these, those that failed
 * @found: UCORE_FOUND_*: what was there before
 * @missing: bits of a general control that did not read back
 * @width: bits that its general counters showed, 0: not tried, or none
 * @fixed_width: the same of its fixed counters
 * @reads: register reads that it took
 * @writes: register writes
 * @beside: a selftest has ended: what can be tried beside others has been
 * @done: and so has all else
 *
 * Written under the domain's lock.
 */
struct ucore_selftest {
	u32 tested;
	u32 failed;
	u32 found;
	u32 missing;
	u8 width;
	u8 fixed_width;
	u32 reads;
	u32 writes;
	bool beside;
	bool done;
};

/**
 * struct ucore_box - a box being driven
 * @desc: what was found, const from publication on
 * @io: its registers
 * @aux: registers in its second PCI function; ops NULL if there is none
 * @id: index in the catalog
 * @caps: UCORE_BOX_* of this very box (a description may lack what its type has; what
 *        its selftest shows not to be so is taken away)
 * @domain: the domain it belongs to
 * @node: in the domain's list of boxes that are frozen and unfrozen one by one
 * @claims: what sessions have of it (session/claim.h); guarded by the catalog's lock
 * @users: parts that have programmed counters of it; guarded by the domain's lock
 * @status: its status, as read for the overflow that is being serviced; the same
 * @asked: @status has been read
 * @saved: shared registers as found; guarded by the domain's lock
 * @width: bits of its general counters, where sources differ; 0: not known yet; written
 *         once, under the domain's lock
 * @fixed_width: the same for its fixed counters
 * @absent: bits of its box control that are not there; guarded by the domain's lock
 * @tried: it is known which; guarded by the domain's lock
 * @selftest: what trying it has shown
 * @fixed: the control that its fixed counters share; guarded by the domain's lock
 * @dirty: programmed since it was last given back, which a dead box cannot be; guarded by
 *         the domain's lock
 * @dead: reads all ones; written under the domain's lock, cleared when it answers again and
 *        no part that runs has it: counts of such a part are broken
 */
struct ucore_box {
	struct ucore_box_desc desc;
	struct ucore_io io;
	struct ucore_io aux;
	u32 id;
	u32 caps;
	struct ucore_domain *domain;
	struct list_head node;
	struct list_head claims;
	u32 users;
	u64 status;
	bool asked;
	u64 saved[UCORE_MAX_SHARED];
	u8 width;
	u8 fixed_width;
	u32 absent;
	bool tried;
	struct ucore_selftest selftest;
	u64 fixed;
	bool dirty;
	bool dead;
};

/**
 * struct ucore_counter - one hardware counter at work for one event
 * @event: event id
 * @flags: UCORE_VALUE_F_*
 * @total: exact count, 64 bits
 * @value: these three, as user space has them
 * @prev: hardware value at the last read
 * @mask: GENMASK(width - 1, 0)
 * @box: its box
 * @period: overflow period, 0 for none
 * @low_ns: two reads closer than this cannot miss a wrap of the low 32 bits; 0
 *          where the low half cannot be read alone to advantage, or must not be
 * @reg: counter register
 * @wrapped: it has wrapped since its period began
 * @group: it counts when it is this group's turn; 0: always
 * @run_end: place of the next one that is read in another way (sample/bulk_read.c)
 * @slot: its place in a snapshot of the whole session
 * @ctl: whole control word, enable included
 * @poll_period: period that is polled, 0 for none: then @period is 0
 * @poll_next: @total at which the next one ends
 * @wrap_ns: two reads closer than this cannot miss a wrap; 0: nothing wraps unseen
 * @ran_ns: how long it could count in its group's turns, but for the present one
 * @rested: @total at which it began to rest
 * @twin: index of a counter of another group that has the same register; a ring
 * @sibling: index of another counter of the same box, U32_MAX at the end
 * @ctl_reg: control register
 * @index: counter number, UCORE_COUNTER_FIXED + n for fixed ones
 * @verified: its control was read back after a switch
 * @resting: it counts, and periods that end interrupt nobody
 *
 * All under the domain's lock while the session runs.
 */
struct ucore_counter {
	/* what a sample touches: one cache line */
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
	u64 rested;
	u32 twin;
	u32 sibling;
	u16 ctl_reg;
	u8 index;
	bool verified;
	bool resting;
} ____cacheline_aligned;

static_assert(offsetof(struct ucore_counter, total) ==
	      offsetof(struct ucore_counter, value.count));

/* Bits of a box's general or fixed counters, as far as that is known now. */
static inline u8 ucore_box_width(const struct ucore_box *box, bool fixed)
{
	const struct ucore_box_type *type = box->desc.type;

	if (fixed)
		return READ_ONCE(box->fixed_width) ?: type->fixed_width;
	return READ_ONCE(box->width) ?: type->width;
}

/* How ucore_counter_update() reads. */
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
int ucore_counter_accumulate_many_low(struct ucore_counter * const *ctr, const u64 *raw, u32 nr, u32 limit);
void ucore_counter_arm(struct ucore_counter *ctr);
void ucore_counter_throttle(struct ucore_counter *ctr);
u64 ucore_counter_missed_periods(const struct ucore_counter *ctr);
void ucore_counter_unthrottle(struct ucore_counter *ctr);

void ucore_box_reset(struct ucore_box *box);
void ucore_box_reset_first(struct ucore_box *box);
void ucore_box_program(struct ucore_box *box, const u64 *shared);
void ucore_box_join(struct ucore_box *box, const u64 *shared);
void ucore_counter_program(struct ucore_counter *ctr);
void ucore_counter_prepare(struct ucore_counter *ctr, bool zero);
void ucore_counter_switch(const struct ucore_counter *from, struct ucore_counter *to);
void ucore_box_write_fixed(struct ucore_box *box);
void ucore_counter_start_unfrozen(struct ucore_counter *ctr);
void ucore_counter_reload(struct ucore_counter *ctr);
void ucore_box_freeze(struct ucore_box *box);
void ucore_box_unfreeze(struct ucore_box *box);
void ucore_box_stop(struct ucore_box *box);
void ucore_counter_stop(const struct ucore_counter *ctr);
void ucore_counter_disable(const struct ucore_counter *ctr);
void ucore_box_restore(struct ucore_box *box);
bool ucore_box_responds(struct ucore_box *box);
u64 ucore_box_status(struct ucore_box *box);
void ucore_box_clear_status(struct ucore_box *box, u64 status);
u64 ucore_counter_global_bit(const struct ucore_counter *ctr);
bool ucore_counter_has_overflowed(const struct ucore_counter *ctr, u64 status,
				  u64 global);

#endif /* UCORE_BOX_H */
