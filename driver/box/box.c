// SPDX-License-Identifier: GPL-2.0-only
/*
 * Driving one box: program, run, stop, read, acknowledge, give back.
 *
 * Owns the order of register accesses within a box.  The caller holds the
 * domain's lock, runs on a CPU of the domain with interrupts off, and has frozen the
 * domain unless a function says otherwise.  Must not know sessions, rings or why
 * it is called.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/overflow.h>

#include "box/box.h"

static u64 box_read(struct ucore_box *box, u32 reg)
{
	return box->io.ops->read(&box->io, reg);
}

static void box_write(struct ucore_box *box, u32 reg, u64 val)
{
	box->io.ops->write(&box->io, reg, val);
}

/* Box control, but for the bits that this box has not. */
static void box_control(struct ucore_box *box, u32 word)
{
	box_write(box, box->desc.layout->box_ctl, word & ~box->absent);
}

static void box_lost(struct ucore_box *box)
{
	WRITE_ONCE(box->dead, true);
}

/*
 * ---- counters: arithmetic on the counter's own width ----
 */

/**
 * ucore_counter_poll_from() - a polled period ends at the next multiple of it
 * @ctr: a counter, polled or not
 */
void ucore_counter_poll_from(struct ucore_counter *ctr)
{
	u64 periods;

	if (!ctr->poll_period)
		return;
	periods = div64_u64(ctr->total, ctr->poll_period) + 1;
	/* beyond 2^64 counts there is no next one */
	if (check_mul_overflow(periods, ctr->poll_period, &ctr->poll_next))
		ctr->poll_next = U64_MAX;
}

/* Can a counter of this width show that? */
static bool shows(u64 raw, u64 mask)
{
	return !(raw & ~mask) && raw != UCORE_REG_DEAD;
}

static __always_inline bool accumulate(struct ucore_counter *ctr, u64 raw)
{
	if (!shows(raw, ctr->mask))
		return false;
	ctr->total += (raw - ctr->prev) & ctr->mask;
	ctr->wrapped |= raw < ctr->prev;
	ctr->prev = raw;
	return true;
}

/**
 * ucore_counter_accumulate() - fold a hardware value into the exact count
 * @ctr: the counter
 * @raw: what the hardware shows
 *
 * At most one wrap may have passed since the last call: the guard timer sees
 * to that.
 *
 * Return: false if no counter of this width can show @raw (a dead box).
 */
bool ucore_counter_accumulate(struct ucore_counter *ctr, u64 raw)
{
	return accumulate(ctr, raw);
}

static __always_inline void accumulate_low(struct ucore_counter *ctr, u32 low)
{
	u32 delta = low - (u32)ctr->prev;
	u64 next = (ctr->prev + delta) & ctr->mask;

	ctr->total += delta;
	ctr->wrapped |= next < ctr->prev;
	ctr->prev = next;
}

/**
 * ucore_counter_accumulate_low() - the same, from the low 32 bits alone
 * @ctr: the counter
 * @low: low half of the hardware value
 *
 * Exact if fewer than 2^32 counts passed since the last read (@low_ns).
 */
void ucore_counter_accumulate_low(struct ucore_counter *ctr, u32 low)
{
	accumulate_low(ctr, low);
}

/* It showed what it cannot: a link that sleeps may wake up by that, or the box is gone. */
static noinline void counter_retry(struct ucore_counter *ctr, const struct ucore_io *io)
{
	if (!ctr->box->dead) {
		if (accumulate(ctr, io->ops->read_running(io, ctr->reg)))
			return;
		box_lost(ctr->box);
	}
	ctr->flags |= UCORE_VALUE_F_DEAD;
}

static __always_inline void counter_update(struct ucore_counter *ctr, const struct ucore_io *io,
					   enum ucore_read_mode mode)
{
	u64 raw;

	if (ctr->box->dead) {
		ctr->flags |= UCORE_VALUE_F_DEAD;
		return;
	}

	switch (mode) {
	case UCORE_LOW:
		raw = io->ops->read_low(io, ctr->reg);
		if (raw != UCORE_REG_DEAD) {
			accumulate_low(ctr, raw);
			return;
		}
		break;
	case UCORE_RUNNING:
		raw = io->ops->read_running(io, ctr->reg);
		break;
	default:
		raw = io->ops->read64(io, ctr->reg);
		break;
	}
	if (!accumulate(ctr, raw))
		counter_retry(ctr, io);
}

/**
 * ucore_counter_update() - read a counter into its total
 * @ctr: the counter
 * @mode: frozen, running, or low half only
 *
 * A sleeping link reads all ones, and may wake up by that: so it is read again, once.
 * A box that has died keeps its last count, flagged.
 */
void ucore_counter_update(struct ucore_counter *ctr, enum ucore_read_mode mode)
{
	counter_update(ctr, &ctr->box->io, mode);
}

/**
 * ucore_counter_update_by() - the same, by a window that counts its accesses elsewhere
 * @ctr: the counter
 * @io: its box's window, with another tally
 * @mode: frozen, running, or low half only
 */
void ucore_counter_update_by(struct ucore_counter *ctr, const struct ucore_io *io,
			     enum ucore_read_mode mode)
{
	counter_update(ctr, io, mode);
}

/**
 * ucore_counter_accumulate_many() - fold what was read of several counters into their totals
 * @ctr: the counters
 * @raw: what their registers showed, when they stood
 * @nr: how many
 * @tally: where further accesses are counted
 *
 * What ucore_counter_update() does after reading.
 */
void ucore_counter_accumulate_many(struct ucore_counter * const *ctr, const u64 *raw, u32 nr,
			 struct ucore_tally *tally)
{
	struct ucore_io io;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (likely(accumulate(ctr[i], raw[i])))
			continue;
		io = ctr[i]->box->io;
		io.tally = tally;
		counter_retry(ctr[i], &io);
	}
}

/**
 * ucore_counter_accumulate_many_low() - the same of low halves
 * @ctr: the counters
 * @raw: what the low halves of their registers showed
 * @nr: how many
 * @limit: most that each can have counted
 *
 * Return: 0; or the counters are to be read whole: -EIO: one shows all ones, a count or a box
 * that is dead; -ERANGE: one has counted more than it can, so that its low half tells nothing.
 */
int ucore_counter_accumulate_many_low(struct ucore_counter * const *ctr, const u64 *raw, u32 nr, u32 limit)
{
	u32 i, low;

	for (i = 0; i < nr; i++) {
		low = raw[i];
		if (unlikely(low == U32_MAX))
			return -EIO;
		if (unlikely(low - (u32)ctr[i]->prev > limit))
			return -ERANGE;
		accumulate_low(ctr[i], low);
	}
	return 0;
}

static u32 counter_rst(const struct ucore_counter *ctr)
{
	const struct ucore_box_type *type = ctr->box->desc.type;

	return ucore_counter_is_fixed(ctr) ? type->fixed_rst : type->ctl_rst;
}

/* Must it not be written?  It has no control, or counts although its domain is frozen. */
static bool counter_goes_on(const struct ucore_counter *ctr)
{
	return ctr->ctl_reg == UCORE_REG_NONE ||
	       (!ctr->period && (ctr->flags & UCORE_VALUE_F_UNFROZEN));
}

/**
 * ucore_counter_arm() - begin a period: the carry comes after @period counts
 * @ctr: a counter with a period, or without: then it begins at zero; one that
 *       runs freely, or that no freeze reaches, begins where it is
 *
 * Others are zeroed by their control, if they can be, in one write.
 */
void ucore_counter_arm(struct ucore_counter *ctr)
{
	const struct ucore_io *io = &ctr->box->io;

	ctr->wrapped = false;
	ctr->resting = false;
	if (counter_goes_on(ctr)) {
		ctr->prev = io->ops->read_running(io, ctr->reg) & ctr->mask;
		return;
	}
	ctr->prev = (0 - ctr->period) & ctr->mask;
	if (!ctr->period && counter_rst(ctr))
		io->ops->write(io, ctr->ctl_reg, ctr->ctl | counter_rst(ctr));
	else
		io->ops->write64(io, ctr->reg, ctr->prev);
}

static void counter_load(struct ucore_counter *ctr, u64 val)
{
	ctr->wrapped = false;
	ctr->prev = val & ctr->mask;
	ctr->box->io.ops->write64(&ctr->box->io, ctr->reg, ctr->prev);
}

/**
 * ucore_counter_throttle() - a period begins, and its end shall interrupt nobody
 * @ctr: a counter with a period, read a moment ago
 *
 * From zero on it does not carry for hours.  The control stays as it is.
 */
void ucore_counter_throttle(struct ucore_counter *ctr)
{
	ctr->resting = true;
	ctr->rested = ctr->total;
	counter_load(ctr, 0);
}

/**
 * ucore_counter_missed_periods() - how many periods have ended since it began to rest?
 * @ctr: a counter that rests, read a moment ago
 *
 * Return: the number.
 */
u64 ucore_counter_missed_periods(const struct ucore_counter *ctr)
{
	return div64_u64(ctr->total - ctr->rested, ctr->period);
}

/**
 * ucore_counter_unthrottle() - the end of the period that it is in interrupts again
 * @ctr: a counter that rests, read a moment ago
 */
void ucore_counter_unthrottle(struct ucore_counter *ctr)
{
	u64 into = ctr->total - ctr->rested - ucore_counter_missed_periods(ctr) * ctr->period;

	ctr->resting = false;
	counter_load(ctr, into - ctr->period);
}

/*
 * ---- the box ----
 */

static const struct ucore_io *shared_window(const struct ucore_box *box, u32 i)
{
	return box->desc.layout->shared_aux & BIT(i) ? &box->aux : &box->io;
}

static void shared_save(struct ucore_box *box)
{
	const struct ucore_layout *layout = box->desc.layout;
	const struct ucore_io *io;
	u64 val;
	u32 i;

	for (i = 0; i < layout->nr_shared; i++) {
		io = shared_window(box, i);
		if (!io->ops)
			continue;
		val = io->ops->read(io, layout->shared[i]);
		box->saved[i] = val == UCORE_REG_DEAD ? 0 : val;
	}
}

static void shared_write(struct ucore_box *box, const u64 *val)
{
	const struct ucore_layout *layout = box->desc.layout;
	const struct ucore_io *io;
	u32 i;

	for (i = 0; i < layout->nr_shared; i++) {
		io = shared_window(box, i);
		if (io->ops)
			io->ops->write(io, layout->shared[i], val[i]);
	}
}

/**
 * ucore_box_responds() - does a box answer, perhaps again?
 * @box: a box that no part that runs has
 *
 * One that is not dead is not asked.
 *
 * Return: true if it does: then it is dead no longer.
 */
bool ucore_box_responds(struct ucore_box *box)
{
	const struct ucore_layout *layout = box->desc.layout;
	bool fixed = !box->desc.type->nr_gp;
	u64 raw;

	if (!box->dead)
		return true;
	raw = box->io.ops->read_running(&box->io, fixed ? layout->fixed_ctr[0] : layout->ctr[0]);
	if (!shows(raw, GENMASK_ULL(ucore_box_width(box, fixed) - 1, 0)))
		return false;
	WRITE_ONCE(box->dead, false);
	return true;
}

/**
 * ucore_box_status() - which counters overflowed
 * @box: the box
 *
 * Return: the status register, 0 if there is none or the box is dead.
 */
u64 ucore_box_status(struct ucore_box *box)
{
	u16 reg = box->desc.layout->status;
	u64 status;

	if (reg == UCORE_REG_NONE || box->dead)
		return 0;
	status = box_read(box, reg);
	if (status == UCORE_REG_DEAD)
		status = box_read(box, reg);
	if (status == UCORE_REG_DEAD) {
		box_lost(box);
		return 0;
	}
	return status;
}

/**
 * ucore_box_clear_status() - acknowledge overflows (write 1 to clear)
 * @box: the box
 * @status: the bits that were read
 */
void ucore_box_clear_status(struct ucore_box *box, u64 status)
{
	if (status && !box->dead)
		box_write(box, box->desc.layout->status, status);
}

/* Has it wrapped, at the last read or since? */
static bool counter_wrapped(const struct ucore_counter *ctr)
{
	const struct ucore_io *io = &ctr->box->io;

	return ctr->wrapped || io->ops->read64(io, ctr->reg) < ctr->prev;
}

/**
 * ucore_counter_has_overflowed() - did this counter set the status?
 * @ctr: the counter
 * @status: its box's status
 * @global: its domain's global status
 *
 * Return: true if it did.
 */
bool ucore_counter_has_overflowed(const struct ucore_counter *ctr, u64 status,
				  u64 global)
{
	const struct ucore_box_type *type = ctr->box->desc.type;

	if (type->status_global)
		status = global;
	if (!ucore_counter_is_fixed(ctr))
		return status & BIT_ULL(type->status_gp_shift + ctr->index);
	if (type->status_fixed == UCORE_STATUS_VALUE)
		return counter_wrapped(ctr);
	if (type->status_fixed == UCORE_STATUS_GLOBAL)
		return global & ctr->box->desc.global_fixed;
	return status & BIT_ULL(type->status_fixed + ctr->index - UCORE_COUNTER_FIXED);
}

/**
 * ucore_counter_global_bit() - its own bit in the global status
 * @ctr: the counter
 *
 * Return: 0 where bits of the global status are those of boxes.
 */
u64 ucore_counter_global_bit(const struct ucore_counter *ctr)
{
	const struct ucore_box_type *type = ctr->box->desc.type;

	if (!type->status_global)
		return 0;
	if (!ucore_counter_is_fixed(ctr))
		return BIT_ULL(type->status_gp_shift + ctr->index);
	return BIT_ULL(type->status_fixed + ctr->index - UCORE_COUNTER_FIXED);
}

/* The bits of @word that the box control shows when it is written; 0 if it does not answer. */
static u32 control_shows(struct ucore_box *box, u32 word)
{
	u64 val;

	box_control(box, word);
	val = box_read(box, box->desc.layout->box_ctl);
	return val == UCORE_REG_DEAD ? 0 : val & word;
}

/*
 * Which of the bits that a box may lack has it got?  If they do not all read
 * back each is tried alone: a write of a bit that is not there may fault, and
 * is then dropped whole.
 */
static void control_try(struct ucore_box *box)
{
	const struct ucore_box_words *words = box->desc.type->words;
	u32 rest, bit, there;

	if (box->tried)
		return;
	box->tried = true;
	there = control_shows(box, words->reset) & words->tried;
	for (rest = words->tried & ~there; rest; rest &= ~bit) {
		bit = BIT(__ffs(rest));
		there |= control_shows(box, (words->reset & ~words->tried) | bit) & bit;
	}
	box->absent = words->tried & ~there;
}

/* Reset controls and counters by the box control, and stay frozen. */
static void control_reset(struct ucore_box *box)
{
	const struct ucore_box_words *words = box->desc.type->words;
	const u32 *step;

	for (step = words->steps; step && *step; step++)
		box_control(box, *step);
	box_control(box, words->reset);
}

/* Does the box's reset word zero these, UCORE_RESET_*? */
static bool reset_reaches(const struct ucore_box *box, u8 what)
{
	const struct ucore_box_words *words = box->desc.type->words;

	return words && (words->reach & what);
}

/* The box control: first what makes it listen, and frozen before it is reset. */
static void reset_by_word(struct ucore_box *box)
{
	const struct ucore_box_words *words = box->desc.type->words;

	if (words->enable) {
		box_control(box, words->enable);
		box_control(box, words->freeze);
	}
	if (words->reach)
		control_reset(box);
}

/* No manual says that the box reset reaches the fixed control. */
static void fixed_stop(struct ucore_box *box)
{
	const struct ucore_layout *layout = box->desc.layout;
	u32 i, nr = box->desc.type->nr_fixed;

	box->fixed = 0;
	if (box->desc.type->fixed_step)
		nr = min(nr, 1U);	/* all have the same control */
	for (i = 0; i < nr; i++)
		if (layout->fixed_ctl[i] != UCORE_REG_NONE)
			box_write(box, layout->fixed_ctl[i], box->desc.type->fixed_rst);
}

static void fixed_zero(struct ucore_box *box)
{
	const struct ucore_layout *layout = box->desc.layout;
	u32 i;

	if (box->desc.type->fixed_rst)
		return;		/* fixed_stop() has done it */
	for (i = 0; i < box->desc.type->nr_fixed; i++)
		if (layout->fixed_ctl[i] != UCORE_REG_NONE)
			box->io.ops->write64(&box->io, layout->fixed_ctr[i], 0);
}

/**
 * ucore_box_reset() - stop a box and zero its controls, counters and status
 * @box: the box
 *
 * What no reset word reaches is zeroed by hand, controls first: a counter must
 * not run while it is written.  The reset comes before programming: its
 * control-reset bit would erase what was programmed (the manual's own order,
 * 329468-002 2.1.2 step d, does).
 */
void ucore_box_reset(struct ucore_box *box)
{
	const struct ucore_box_type *type = box->desc.type;
	const struct ucore_layout *layout = box->desc.layout;
	u32 i;

	if (type->words)
		reset_by_word(box);
	for (i = 0; i < type->nr_gp && !reset_reaches(box, UCORE_RESET_CTL); i++)
		box_write(box, layout->ctl[i], 0);
	fixed_stop(box);
	for (i = 0; i < type->nr_gp && !reset_reaches(box, UCORE_RESET_CTR); i++)
		box->io.ops->write64(&box->io, layout->ctr[i], 0);
	fixed_zero(box);
	ucore_box_clear_status(box, ucore_box_status(box));
}

/**
 * ucore_box_reset_first() - the same for a box of which it is not known what it lacks
 * @box: the box
 */
void ucore_box_reset_first(struct ucore_box *box)
{
	if (box->desc.type->words && box->desc.type->words->tried)
		control_try(box);
	ucore_box_reset(box);
}

/* A counter that stands shows which of two widths it has when all ones are written. */
static u8 width_found(struct ucore_box *box, u16 reg, u8 width, u8 least)
{
	const struct ucore_io *io = &box->io;
	u64 val;

	if (!least)
		return width;
	io->ops->write64(io, reg, GENMASK_ULL(width - 1, 0));
	val = io->ops->read64(io, reg);
	io->ops->write64(io, reg, 0);
	return val == GENMASK_ULL(least - 1, 0) ? least : width;
}

static void widths_find(struct ucore_box *box)
{
	const struct ucore_box_type *type = box->desc.type;
	const struct ucore_layout *layout = box->desc.layout;

	if (!box->width)
		WRITE_ONCE(box->width, width_found(box, layout->ctr[0], type->width,
						   type->least_width));
	if (!box->fixed_width)
		WRITE_ONCE(box->fixed_width, width_found(box, layout->fixed_ctr[0],
							 type->fixed_width,
							 type->least_fixed_width));
}

/**
 * ucore_box_program() - take a box: reset it and set its shared registers
 * @box: the box
 * @shared: values of its filter and match registers
 *
 * What the shared registers held is kept for ucore_box_restore().  The first time
 * counters are asked how wide they are, where sources differ.
 */
void ucore_box_program(struct ucore_box *box, const u64 *shared)
{
	if (box->dirty) {
		ucore_box_reset(box);
	} else {
		shared_save(box);
		ucore_box_reset_first(box);
		box->dirty = true;
	}
	widths_find(box);
	shared_write(box, shared);
}

/**
 * ucore_box_join() - have counters of a box that another part has programmed
 * @box: the box
 * @shared: values of its filter and match registers; NULL: whatever they hold
 *
 * Nothing that its other counters use is touched: who says something of the shared
 * registers says the same.
 */
void ucore_box_join(struct ucore_box *box, const u64 *shared)
{
	if (shared)
		shared_write(box, shared);
}

/*
 * Has it got all that the event says?  No manual tells which boxes have an extended
 * umask (UNCERTAIN(control)), and a write with a bit that is not there may be dropped whole.
 */
static void control_verify(struct ucore_counter *ctr)
{
	const struct ucore_io *io = &ctr->box->io;

	if (ctr->ctl & ~io->ops->read64(io, ctr->ctl_reg))
		ctr->flags |= UCORE_VALUE_F_PARTIAL;
}

static void control_write(struct ucore_counter *ctr)
{
	const struct ucore_io *io = &ctr->box->io;

	if (ucore_counter_is_fixed(ctr) && ctr->box->desc.type->fixed_step) {
		ctr->box->fixed |= ctr->ctl;	/* ucore_box_unfreeze() writes it */
		return;
	}
	if (ctr->ctl & ctr->box->selftest.missing && !ucore_counter_is_fixed(ctr))
		ctr->flags |= UCORE_VALUE_F_PARTIAL;
	/* the reset has left the upper half zero */
	if (ctr->ctl >> 32) {
		io->ops->write64(io, ctr->ctl_reg, ctr->ctl);
		control_verify(ctr);
	} else {
		io->ops->write(io, ctr->ctl_reg, ctr->ctl);
	}
}

/* It was made when its width was not known for sure. */
static void counter_narrow(struct ucore_counter *ctr)
{
	u8 width = ucore_box_width(ctr->box, ucore_counter_is_fixed(ctr));

	ctr->mask &= GENMASK_ULL(width - 1, 0);
	ctr->period = min(ctr->period, ctr->mask);
}

/* Its bit in the status of its box; 0 if it has none there. */
static u64 counter_status(const struct ucore_counter *ctr)
{
	const struct ucore_box_type *type = ctr->box->desc.type;

	if (type->status_global)
		return 0;
	if (!ucore_counter_is_fixed(ctr))
		return BIT_ULL(type->status_gp_shift + ctr->index);
	if (type->status_fixed < 0)
		return 0;
	return BIT_ULL(type->status_fixed + ctr->index - UCORE_COUNTER_FIXED);
}

/*
 * Zero or preload what no reset has zeroed, for others count in the box.  A bit that it has
 * left in the status would keep it from signalling.
 */
static void counter_take(struct ucore_counter *ctr)
{
	struct ucore_box *box = ctr->box;

	ucore_box_clear_status(box, ucore_box_status(box) & counter_status(ctr));
	ucore_counter_arm(ctr);
}

/**
 * ucore_counter_program() - preload a counter, then set its control
 * @ctr: a counter of a box that has been reset, or joined: then its control is zero
 *
 * One that runs freely begins where it is.  One that no freeze reaches counts as
 * soon as it has an event: it waits for ucore_counter_start_unfrozen(), on the first
 * generation enabled (327043-001 2.1.1, note at step f).
 */
void ucore_counter_program(struct ucore_counter *ctr)
{
	counter_narrow(ctr);
	if (ctr->ctl_reg == UCORE_REG_NONE) {
		ucore_counter_arm(ctr);
		return;
	}
	ctr->prev = 0;
	ctr->flags &= ~UCORE_VALUE_F_PARTIAL;
	if (ctr->box->users > 1)
		counter_take(ctr);
	else if (ctr->period)
		ucore_counter_arm(ctr);
	if (!(ctr->flags & UCORE_VALUE_F_UNFROZEN))
		control_write(ctr);
	else if (!ucore_counter_is_fixed(ctr) && !ctr->box->desc.global)
		box_write(ctr->box, ctr->ctl_reg, ctr->box->desc.type->ctl_en);
}

/* Zero it by its control, which stays zero, if it can be. */
static void counter_zero(struct ucore_counter *ctr)
{
	const struct ucore_io *io = &ctr->box->io;

	if (counter_rst(ctr) && !(ucore_counter_is_fixed(ctr) && ctr->box->desc.type->fixed_step))
		io->ops->write(io, ctr->ctl_reg, counter_rst(ctr));
	else
		io->ops->write64(io, ctr->reg, 0);
}

/**
 * ucore_counter_prepare() - a counter whose turn comes later begins at zero
 * @ctr: a counter of a box that has been reset, or joined: then its control is zero
 * @zero: nobody else has zeroed the register
 *
 * From then on it is known what the register holds: its control is zero until its turn,
 * and again after it.
 */
void ucore_counter_prepare(struct ucore_counter *ctr, bool zero)
{
	counter_narrow(ctr);
	ctr->prev = 0;
	ctr->flags &= ~UCORE_VALUE_F_PARTIAL;
	if (zero && ctr->ctl_reg != UCORE_REG_NONE && ctr->box->users > 1)
		counter_zero(ctr);
}

/* Another word for a register's control, if it is another one. */
static void control_change(const struct ucore_counter *ctr, u64 old, u64 new)
{
	const struct ucore_io *io = &ctr->box->io;

	if (ucore_counter_is_fixed(ctr) && ctr->box->desc.type->fixed_step)
		ctr->box->fixed = (ctr->box->fixed & ~old) | new;
	else if ((old | new) >> 32 && old != new)
		io->ops->write64(io, ctr->ctl_reg, new);
	else if (old != new)
		io->ops->write(io, ctr->ctl_reg, new);
}

/* Has the box taken what it was given for the first time? */
static void turn_verify(struct ucore_counter *ctr)
{
	if (ucore_counter_is_fixed(ctr))
		return;
	if (ctr->ctl & ctr->box->selftest.missing)
		ctr->flags |= UCORE_VALUE_F_PARTIAL;
	if (ctr->ctl >> 32 && !ctr->verified)
		control_verify(ctr);
	ctr->verified = true;
}

/**
 * ucore_counter_switch() - a register counts for another event, or for none
 * @from: who had it, read a moment ago; NULL: nobody
 * @to: who has it now, with @prev as it was left; NULL: nobody
 *
 * The register is neither read nor written, but where it went on meanwhile.  A control that
 * fixed counters share is written afterwards: ucore_box_write_fixed().
 */
void ucore_counter_switch(const struct ucore_counter *from, struct ucore_counter *to)
{
	const struct ucore_counter *ctr = to ?: from;

	if (ctr->box->dead)
		return;
	if (ctr->ctl_reg != UCORE_REG_NONE) {
		control_change(ctr, from ? from->ctl : 0, to ? to->ctl : 0);
		if (to)
			turn_verify(to);
	}
	if (to && counter_goes_on(to))
		to->prev = ctr->box->io.ops->read_running(&ctr->box->io, to->reg) & to->mask;
}

/**
 * ucore_box_write_fixed() - write the control that a box's fixed counters share
 * @box: a box that has one
 */
void ucore_box_write_fixed(struct ucore_box *box)
{
	if (!box->dead)
		box_write(box, box->desc.layout->fixed_ctl[0], box->fixed);
}

/**
 * ucore_counter_start_unfrozen() - let a counter that no freeze reaches count
 * @ctr: a counter that has been programmed; all others are left alone
 *
 * The last write before its domain is unfrozen.
 */
void ucore_counter_start_unfrozen(struct ucore_counter *ctr)
{
	if ((ctr->flags & UCORE_VALUE_F_UNFROZEN) && ctr->ctl_reg != UCORE_REG_NONE)
		control_write(ctr);
}

/**
 * ucore_counter_reload() - begin anew
 * @ctr: a counter of a running session
 *
 * One that no freeze reaches is stopped while its period is written.
 */
void ucore_counter_reload(struct ucore_counter *ctr)
{
	bool counts = ctr->period && (ctr->flags & UCORE_VALUE_F_UNFROZEN);

	if (counts)
		ucore_counter_stop(ctr);
	ucore_counter_arm(ctr);
	if (counts)
		control_write(ctr);
}

/**
 * ucore_box_freeze() - stop a box's counters by its own control
 * @box: a box that counts
 */
void ucore_box_freeze(struct ucore_box *box)
{
	if (box->desc.type->words && !box->dead)
		box_control(box, box->desc.type->words->freeze);
}

/**
 * ucore_box_unfreeze() - let a programmed box count as soon as its domain does
 * @box: the box
 */
void ucore_box_unfreeze(struct ucore_box *box)
{
	if (box->fixed && !box->dead)
		box_write(box, box->desc.layout->fixed_ctl[0], box->fixed);
	if (box->desc.type->words && !box->dead)
		box_control(box, box->desc.type->words->run);
}

/**
 * ucore_box_stop() - keep a box from counting when its domain does
 * @box: the box
 *
 * Where boxes are unfrozen one by one this one is unfrozen no more.
 * The reset of all general controls, so that nothing stays armed, and another
 * write for the control that fixed counters share.  Counters keep a control of
 * their own where that does not reach: ucore_counter_stop().
 */
void ucore_box_stop(struct ucore_box *box)
{
	list_del_init(&box->node);
	if (box->dead)
		return;
	if (reset_reaches(box, UCORE_RESET_CTL))
		control_reset(box);
	if (box->fixed)
		fixed_stop(box);
}

/**
 * ucore_counter_stop() - stop a counter that the box's reset does not reach
 * @ctr: the counter
 */
void ucore_counter_stop(const struct ucore_counter *ctr)
{
	struct ucore_box *box = ctr->box;

	if (box->dead || ctr->ctl_reg == UCORE_REG_NONE)
		return;
	if (ucore_counter_is_fixed(ctr) && box->desc.type->fixed_step)
		return;
	if (!reset_reaches(box, UCORE_RESET_CTL) || ucore_counter_is_fixed(ctr))
		box_write(box, ctr->ctl_reg, 0);
}

/* Its field in the control that fixed counters share. */
static void fixed_leave(const struct ucore_counter *ctr)
{
	ctr->box->fixed &= ~ctr->ctl;
	box_write(ctr->box, ctr->box->desc.layout->fixed_ctl[0], ctr->box->fixed);
}

/**
 * ucore_counter_disable() - stop a counter of a box that is not reset: others count in it
 * @ctr: the counter
 *
 * Its control is left whole zero, for whoever joins next.
 */
void ucore_counter_disable(const struct ucore_counter *ctr)
{
	struct ucore_box *box = ctr->box;

	if (box->dead || ctr->ctl_reg == UCORE_REG_NONE)
		return;
	if (ucore_counter_is_fixed(ctr) && box->desc.type->fixed_step)
		fixed_leave(ctr);
	else if (ctr->ctl >> 32)
		box->io.ops->write64(&box->io, ctr->ctl_reg, 0);
	else
		box_write(box, ctr->ctl_reg, 0);
}

/**
 * ucore_box_restore() - give a box back: reset, filters as they were found
 * @box: the box
 *
 * The box control is left at its running value: with all controls zero
 * nothing counts, and bits 17:16 of an E5 box must never be written 0.  A dead
 * box may come back armed: it stays dirty, and is tried again (stray.c).
 */
void ucore_box_restore(struct ucore_box *box)
{
	if (!box->dirty || !ucore_box_responds(box))
		return;
	box->dirty = false;
	ucore_box_reset(box);
	shared_write(box, box->saved);
	ucore_box_unfreeze(box);
}
