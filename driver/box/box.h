/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Boxes, built from a description (find/desc.h). Part of the box layer. Functions
 * know registers and the order of accesses, and neither sessions nor rings.
 */
#ifndef UCORE_BOX_H
#define UCORE_BOX_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/types.h>

#include "find/desc.h"
#include "reg/reg.h"
#include "ucore_uapi.h"

struct ucore_domain;

/**
 * struct ucore_selftest - result of a box's self-test (selftest.c)
 * @tested: UCORE_SELFTEST_*: checks that were made
 * @failed: checks in @tested that failed
 * @found: UCORE_FOUND_*: state of the registers before the self-test
 * @missing: bits of a general control that did not read back
 * @width: smallest width of the general counters in bits, 0: not tested, or no value was
 *         retained
 * @fixed_width: the same for the fixed counters
 * @reads: register reads of the self-test
 * @writes: register writes of the self-test
 * @partial: the checks that are possible while other sessions count have been made
 * @done: all checks have been made
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
};

/**
 * struct ucore_box - a box and its state
 * @desc: description, constant once the box is published
 * @io: register window
 * @aux: register window in the box's second PCI function; ops is NULL if there is none
 * @id: index in the catalog
 * @caps: UCORE_BOX_F_* of this box: the capabilities of its type, except those that the
 *        description lacks or that the self-test found not to work
 * @domain: domain
 * @node: entry in the domain's list of boxes that are frozen one by one
 * @claims: counters claimed by sessions (session/claim.h); protected by the catalog's lock
 * @users: domain contexts that have programmed counters here; protected by the domain's lock
 * @status: status register as read for the overflow being serviced; protected by the domain's
 *          lock
 * @status_read: @status has been read for this overflow; protected by the domain's lock
 * @saved: original values of the shared registers; protected by the domain's lock
 * @width: width of the general counters if sources disagree, 0: not known yet; written once,
 *         with the domain's lock held
 * @fixed_width: the same for the fixed counters
 * @absent: box control bits that do not exist in this box; protected by the domain's lock
 * @tried: @absent is valid; protected by the domain's lock
 * @selftest: result of the self-test
 * @fixed: shared control of the fixed counters; protected by the domain's lock
 * @dirty: programmed and not restored yet, as is a box that died; protected by the domain's
 *         lock
 * @dead: the box reads all ones; written with the domain's lock held. Cleared when the box
 *        answers again and no running context uses it. The counts of a running context stay
 *        invalid.
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
	bool status_read;
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

/* Return the width of the general or fixed counters in bits, as far as known. */
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

static inline void ucore_box_set_dead(struct ucore_box *box)
{
	WRITE_ONCE(box->dead, true);
}

/* Return true if a counter of this width can have this value. */
static inline bool ucore_box_value_is_possible(u64 raw, u64 mask)
{
	return !(raw & ~mask) && raw != UCORE_REG_DEAD;
}

/* Return true if the box reset zeroes the given registers (UCORE_RESET_*). */
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

#endif /* UCORE_BOX_H */
