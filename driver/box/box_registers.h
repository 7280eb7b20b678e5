/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State and operations of one box (PMU instance), which is built from a description
 * (find/desc.h). Part of the box layer. The functions access registers in the required order.
 * They do not use sessions or rings.
 */
#ifndef UCORE_BOX_REGISTERS_H
#define UCORE_BOX_REGISTERS_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/seqlock.h>
#include <linux/types.h>

#include "find/desc.h"
#include "reg/reg.h"
#include "ucore_uapi.h"

struct ucore_counter;
struct ucore_counter_use;
struct ucore_domain;

/**
 * struct ucore_selftest - result of a box's self-test (selftest.c)
 * @tested: bit mask of the checks that were made, UCORE_SELFTEST_*
 * @failed: bit mask of the checks in @tested that failed
 * @found: bit mask of unexpected values in the registers before the self-test, UCORE_FOUND_*
 * @missing: bits of the general controls that did not read back as written
 * @width: smallest width found among the general counters (bits), 0 if the width was not tested
 *         or no counter retained a value
 * @fixed_width: smallest width found among the fixed counters (bits), 0 as in @width
 * @reads: number of register reads of the self-test
 * @writes: number of register writes of the self-test
 * @partial: all checks that are possible while other sessions count have been made
 * @done: all checks have been made, except the trial of overflows
 * @overflow_tried: the trial of overflows has been made (overflow_trial.c)
 *
 * Written with the domain's lock held.
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
	bool partial;
	bool done;
	bool overflow_tried;
};

/* Capabilities of boxes whose counters can interrupt at the end of a period */
#define UCORE_BOX_F_ANY_OVERFLOW	(UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW)

/**
 * struct ucore_box - a box (one PMU instance) and its state
 * @desc: description of the box, constant once the box is published
 * @io: register window of the box
 * @aux: register window in the box's second PCI function; ops is NULL if there is none
 * @id: index of the box in the catalog
 * @caps: capabilities of this box, UCORE_BOX_F_*: those of its type and its description, without
 *        those that failed in the self-test
 * @domain: domain that the box belongs to
 * @node: entry in the list of boxes that a domain without a global control freezes one by one
 * @claims: list of the sessions' claims on counters of the box (session/claim.h); protected by
 *          the catalog's lock
 * @uses: use of each hardware counter by sessions, indexed by ucore_counter_use_index(); allocated
 *        while sessions claim the box
 * @leaders: hardware counters that count for several sessions; allocated when a second session
 *           claims the box, and until the last claim ends
 * @sharing: number of hardware counters that several running sessions use; protected by the
 *           domain's lock
 * @users: number of domain contexts that have programmed counters of the box; protected by the
 *         domain's lock
 * @status: status register as read for the overflow being serviced; protected by the domain's
 *          lock
 * @status_read: @status has been read for this overflow; protected by the domain's lock
 * @saved: values of the shared registers before ucore's first use; protected by the domain's
 *         lock
 * @width: width of the general counters that was found in the box (bits), 0 if not known yet;
 *         written once, with the domain's lock held
 * @fixed_width: width of the fixed counters that was found in the box (bits), 0 if not known
 *               yet; written once, with the domain's lock held
 * @absent: optional bits of the box control that this box lacks; protected by the domain's lock
 * @tried: @absent is valid; protected by the domain's lock
 * @selftest: result of the self-test
 * @selftest_seq: odd while @selftest is being written, so that it is read without a lock
 * @reports: the global status has reported an overflow of the box; protected by the domain's lock
 * @unreported: number of overflows that the global status did not report; protected by the
 *              domain's lock
 * @unreported_seq: service (ucore_pmi.seq) of the last overflow in @unreported
 * @fixed: value of the control that all fixed counters of the box share; protected by the
 *         domain's lock
 * @dirty: the box has been programmed, and its registers have not been restored yet. A dead box
 *         stays dirty. Protected by the domain's lock.
 * @probed: time of the last probe of a box that is absent (ns)
 * @dead: the registers of the box read all ones; written with the domain's lock held. Cleared
 *        when the box answers again.
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
	struct ucore_counter_use *uses;
	struct ucore_counter *leaders;
	u32 sharing;
	u32 users;
	u64 status;
	bool status_read;
	u64 saved[UCORE_MAX_SHARED];
	u8 width;
	u8 fixed_width;
	u32 absent;
	bool tried;
	struct ucore_selftest selftest;
	seqcount_t selftest_seq;
	bool reports;
	u32 unreported;
	u64 unreported_seq;
	u64 fixed;
	u64 probed;
	bool dirty;
	bool dead;
};

/*
 * Return the width of the general or fixed counters (bits): the width found in the box, or the
 * width of the type if the box has not been tested.
 */
static inline u8 ucore_box_width(const struct ucore_box *box, bool fixed)
{
	const struct ucore_box_type *type = box->desc.type;

	if (fixed)
		return READ_ONCE(box->fixed_width) ?: type->fixed_width;
	return READ_ONCE(box->width) ?: type->width;
}

static inline u64 ucore_box_read(const struct ucore_box *box, u32 reg)
{
	return box->io.ops->read(&box->io, reg);
}

static inline void ucore_box_write(const struct ucore_box *box, u32 reg, u64 val)
{
	box->io.ops->write(&box->io, reg, val);
}

/*
 * Write the bits @word to a control, read them back and write 0. Return the bits that the control
 * did not retain. Without bits nothing is accessed.
 */
static inline u32 ucore_box_missing_bits(const struct ucore_box *box, u16 reg, u32 word)
{
	u64 val;

	if (!word)
		return 0;
	ucore_box_write(box, reg, word);
	val = ucore_box_read(box, reg);
	ucore_box_write(box, reg, 0);
	return word & ~(u32)val;
}

/* Return true if a box has not responded since ucore was loaded. Such a box is also dead. */
static inline bool ucore_box_is_absent(const struct ucore_box *box)
{
	return box->desc.absent && READ_ONCE(*box->desc.absent);
}

static inline void ucore_box_set_dead(struct ucore_box *box)
{
	WRITE_ONCE(box->dead, true);
}

/*
 * Return true if a counter register can have the value @raw: bits outside of @mask, the mask of
 * the implemented bits, are zero, and the value is not 64 ones (UCORE_REG_DEAD).
 */
static inline bool ucore_box_value_is_possible(u64 raw, u64 mask)
{
	return !(raw & ~mask) && raw != UCORE_REG_DEAD;
}

/* Return true if the reset value of the box control zeroes @registers (UCORE_RESET_*). */
static inline bool ucore_box_reset_reaches(const struct ucore_box *box, u8 registers)
{
	const struct ucore_box_words *words = box->desc.type->words;

	return words && (words->reach & registers);
}

void ucore_box_reset(struct ucore_box *box);
void ucore_box_reset_first(struct ucore_box *box);
void ucore_box_program(struct ucore_box *box, const u64 *shared);
void ucore_box_join(struct ucore_box *box, const u64 *shared);
void ucore_box_write_fixed(struct ucore_box *box);
void ucore_box_freeze(struct ucore_box *box);
void ucore_box_unfreeze(struct ucore_box *box);
void ucore_box_stop(struct ucore_box *box);
void ucore_box_restore(struct ucore_box *box);
bool ucore_box_responds(struct ucore_box *box);
u64 ucore_box_status(struct ucore_box *box);
void ucore_box_clear_status(struct ucore_box *box, u64 status);
void ucore_box_clear_stale(struct ucore_box *box, u64 bits);

#endif /* UCORE_BOX_REGISTERS_H */
