// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on one hardware counter: values, periods, overflows and control. Part of the box
 * layer. Owns the counter and control registers of a box.
 *
 * The caller holds the domain's lock and runs on a CPU of the domain with interrupts off. The
 * domain is frozen unless a function says otherwise.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/overflow.h>

#include "box/counter.h"

/* ---- values ---- */

/**
 * ucore_counter_poll_from() - set the end of the polled period: the next multiple of the period
 * @ctr: counter; nothing happens if it has no polled period
 */
void ucore_counter_poll_from(struct ucore_counter *ctr)
{
	u64 periods;

	if (!ctr->poll_period)
		return;
	periods = div64_u64(ctr->total, ctr->poll_period) + 1;
	/* the period does not end if the multiple exceeds 64 bits */
	if (check_mul_overflow(periods, ctr->poll_period, &ctr->period_end))
		ctr->period_end = U64_MAX;
}

static __always_inline bool accumulate(struct ucore_counter *ctr, u64 raw)
{
	if (!ucore_box_value_is_possible(raw, ctr->mask))
		return false;
	ctr->total += (raw - ctr->prev) & ctr->mask;
	ctr->wrapped |= raw < ctr->prev;
	ctr->prev = raw;
	return true;
}

/**
 * ucore_counter_accumulate() - add a register value to the 64-bit count
 * @ctr: counter
 * @raw: register value
 *
 * The register may have wrapped at most once since the last call. The watchdog reads often
 * enough to ensure this.
 *
 * Return: false if a counter of this width cannot have the value @raw, for example if the box
 * is dead.
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
 * ucore_counter_accumulate_low() - add the low 32 bits of a register value to the 64-bit count
 * @ctr: counter
 * @low: low half of the register value
 *
 * The count is exact if the counter advanced by less than 2^32 since the last read. The caller
 * ensures this: the time since the last read is at most ctr->low_ns.
 */
void ucore_counter_accumulate_low(struct ucore_counter *ctr, u32 low)
{
	accumulate_low(ctr, low);
}

/*
 * Read a counter again after an impossible value. The first read may have woken hardware in a
 * power-saving state, in which its registers read all ones. If the second value is impossible,
 * too, mark the box as dead.
 */
static noinline void counter_retry(struct ucore_counter *ctr, const struct ucore_io *io)
{
	if (!ctr->box->dead) {
		if (accumulate(ctr, io->ops->read_running(io, ctr->reg)))
			return;
		ucore_box_set_dead(ctr->box);
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
 * ucore_counter_update() - read a counter register and add the increment to the total
 * @ctr: counter
 * @mode: frozen, running, or low half only
 *
 * Registers in a power-saving state read all ones, and the read may wake the hardware. Therefore
 * a failed read is repeated once. A counter of a dead box keeps its last count and gets
 * UCORE_VALUE_F_DEAD.
 */
void ucore_counter_update(struct ucore_counter *ctr, enum ucore_read_mode mode)
{
	counter_update(ctr, &ctr->box->io, mode);
}

/**
 * ucore_counter_update_by() - read a counter register through a copy of its box's window
 * @ctr: counter
 * @io: copy of the box's register window with a different tally
 * @mode: frozen, running, or low half only
 */
void ucore_counter_update_by(struct ucore_counter *ctr, const struct ucore_io *io,
			     enum ucore_read_mode mode)
{
	counter_update(ctr, io, mode);
}

/**
 * ucore_counter_accumulate_many() - add register values to the totals of several counters
 * @ctr: counters
 * @raw: values of the counter registers, read while frozen
 * @nr: number of counters
 * @tally: tally in which repeated reads are counted
 *
 * Handles impossible values as ucore_counter_update() does.
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
 * ucore_counter_accumulate_many_low() - add low 32 bits to the totals of several counters
 * @ctr: counters
 * @raw: values of the counter registers, of which only the low 32 bits were read
 * @nr: number of counters
 * @limit: largest possible increment since the last read (counts)
 *
 * Return: 0, or an error if the caller must read the full registers. -EIO means that the low 32
 * bits of a counter are all ones, which is a count or a dead box. -ERANGE means that an
 * increment exceeds @limit.
 */
int ucore_counter_accumulate_many_low(struct ucore_counter * const *ctr, const u64 *raw, u32 nr,
				      u32 limit)
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

/* ---- periods ---- */

static u32 counter_rst(const struct ucore_counter *ctr)
{
	const struct ucore_box_type *type = ctr->box->desc.type;

	return ucore_counter_is_fixed(ctr) ? type->fixed_rst : type->ctl_rst;
}

/*
 * Return true if the counter register must not be written: the counter is free-running, or counts
 * without a period while its domain is frozen.
 */
static bool counter_is_read_only(const struct ucore_counter *ctr)
{
	return ctr->ctl_reg == UCORE_REG_NONE ||
	       (!ctr->period && (ctr->flags & UCORE_VALUE_F_UNFROZEN));
}

/**
 * ucore_counter_arm() - load a counter register so that it overflows after @period counts
 * @ctr: counter
 *
 * A counter without a period starts at zero. It is zeroed by the reset bit of its control if
 * there is one, because this costs only one register write. A counter without a period starts at
 * its current value if it is free-running or if a freeze does not stop it.
 */
void ucore_counter_arm(struct ucore_counter *ctr)
{
	const struct ucore_io *io = &ctr->box->io;

	ctr->wrapped = false;
	ctr->throttled = false;
	if (counter_is_read_only(ctr)) {
		ctr->prev = io->ops->read_running(io, ctr->reg) & ctr->mask;
		return;
	}
	ctr->prev = (0 - ctr->period) & ctr->mask;
	if (!ctr->period && counter_rst(ctr))
		io->ops->write(io, ctr->ctl_reg, ctr->ctl | counter_rst(ctr));
	else
		io->ops->write64(io, ctr->reg, ctr->prev);
}

/**
 * ucore_counter_load() - write a counter register; a period begins that ends with its overflow
 * @ctr: counter, just read
 * @val: value, truncated to the width of the counter
 */
void ucore_counter_load(struct ucore_counter *ctr, u64 val)
{
	ctr->wrapped = false;
	ctr->prev = val & ctr->mask;
	ctr->box->io.ops->write64(&ctr->box->io, ctr->reg, ctr->prev);
}

/**
 * ucore_counter_throttle() - stop the overflow interrupts of a counter that continues to count
 * @ctr: counter with a period, just read
 *
 * Sets the counter register to 0, so that it does not overflow for hours, and keeps the control.
 */
void ucore_counter_throttle(struct ucore_counter *ctr)
{
	ctr->throttled = true;
	ctr->throttle_total = ctr->total;
	ucore_counter_load(ctr, 0);
}

/**
 * ucore_counter_missed_periods() - count the periods that ended while a counter was throttled
 * @ctr: throttled counter, just read
 *
 * Return: number of periods.
 */
u64 ucore_counter_missed_periods(const struct ucore_counter *ctr)
{
	return div64_u64(ctr->total - ctr->throttle_total, ctr->period);
}

/**
 * ucore_counter_unthrottle() - load a throttled counter so that the end of its period interrupts
 * @ctr: throttled counter, just read
 */
void ucore_counter_unthrottle(struct ucore_counter *ctr)
{
	u64 missed = ucore_counter_missed_periods(ctr) * ctr->period;
	u64 into = ctr->total - ctr->throttle_total - missed;

	ctr->throttled = false;
	ucore_counter_load(ctr, into - ctr->period);
}

/* ---- overflows ---- */

/* Return true if the counter register has wrapped since the current period began. */
static bool counter_wrapped(const struct ucore_counter *ctr)
{
	const struct ucore_io *io = &ctr->box->io;

	return ctr->wrapped || io->ops->read64(io, ctr->reg) < ctr->prev;
}

/**
 * ucore_counter_has_overflowed() - check the status bits of a counter for an overflow
 * @ctr: counter
 * @status: value of the status register of the counter's box
 * @global: value of the global status of the domain
 *
 * Return: true if the counter overflowed.
 */
bool ucore_counter_has_overflowed(const struct ucore_counter *ctr, u64 status, u64 global)
{
	const struct ucore_box_type *type = ctr->box->desc.type;

	if (ucore_counter_has_no_status(ctr))
		return counter_wrapped(ctr);
	if (type->status_global)
		status = global;
	if (!ucore_counter_is_fixed(ctr))
		return status & BIT_ULL(type->status_gp_shift + ctr->index);
	if (type->status_fixed == UCORE_STATUS_GLOBAL)
		return global & ctr->box->desc.global_fixed;
	return status & BIT_ULL(type->status_fixed + ctr->index - UCORE_COUNTER_FIXED);
}

/**
 * ucore_counter_global_bit() - get the counter's own bit in the global status
 * @ctr: counter
 *
 * Return: bit mask, 0 if the bits of the global status belong to boxes.
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

/* ---- program and stop ---- */

/*
 * Read the control of a counter back, and set UCORE_VALUE_F_PARTIAL if a bit that was written does
 * not read back. No manual says which boxes have an extended umask (UNCERTAIN(control)). A write
 * with a bit that does not exist may be dropped as a whole.
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
		ctr->box->fixed |= ctr->ctl;	/* ucore_box_unfreeze() writes box->fixed */
		return;
	}
	if (ctr->ctl & ctr->box->selftest.missing && !ucore_counter_is_fixed(ctr))
		ctr->flags |= UCORE_VALUE_F_PARTIAL;
	/* Bits 63:32 of the control are zero after the box reset. */
	if (ctr->ctl >> 32) {
		io->ops->write64(io, ctr->ctl_reg, ctr->ctl);
		control_verify(ctr);
	} else {
		io->ops->write(io, ctr->ctl_reg, ctr->ctl);
	}
}

/**
 * ucore_counter_limit_width() - limit the mask and the period to the width found in the box
 * @ctr: counter, whose event may have been added before the width was known
 */
void ucore_counter_limit_width(struct ucore_counter *ctr)
{
	u8 width = ucore_box_width(ctr->box, ucore_counter_is_fixed(ctr));

	ctr->mask &= GENMASK_ULL(width - 1, 0);
	ctr->period = min(ctr->period, ctr->mask);
}

/* Return the bit of the counter in the box's status register, 0 if the counter has no bit. */
static u64 counter_status(const struct ucore_counter *ctr)
{
	const struct ucore_box_type *type = ctr->box->desc.type;

	if (type->status_global || (ucore_counter_is_fixed(ctr) && type->status_fixed < 0))
		return 0;
	if (!ucore_counter_is_fixed(ctr))
		return BIT_ULL(type->status_gp_shift + ctr->index);
	return BIT_ULL(type->status_fixed + ctr->index - UCORE_COUNTER_FIXED);
}

/*
 * Zero or preload a counter of a box that was not reset, because other sessions count in it. The
 * status bit of the counter is cleared first, because a bit that an earlier use left set would
 * suppress the next overflow.
 */
static void counter_load_shared(struct ucore_counter *ctr)
{
	struct ucore_box *box = ctr->box;

	ucore_box_clear_stale(box, counter_status(ctr));
	ucore_counter_arm(ctr);
}

/**
 * ucore_counter_program() - load a counter register, then write its control
 * @ctr: counter whose control is zero after a box reset or an earlier session
 *
 * A free-running counter starts at its current value. A counter that a freeze does not stop
 * would count as soon as its control selects an event. Therefore the event of such a counter is
 * written later, by ucore_counter_start_unfrozen(). Here only the enable bit of its control is
 * set, and only on a domain without a global control (327043-001 2.1.1, note at step f).
 */
void ucore_counter_program(struct ucore_counter *ctr)
{
	ucore_counter_limit_width(ctr);
	if (ctr->ctl_reg == UCORE_REG_NONE) {
		ucore_counter_arm(ctr);
		return;
	}
	ctr->prev = 0;
	ctr->flags &= ~UCORE_VALUE_F_PARTIAL;
	if (ctr->box->users > 1)
		counter_load_shared(ctr);
	else if (ctr->period)
		ucore_counter_arm(ctr);
	if (!(ctr->flags & UCORE_VALUE_F_UNFROZEN))
		control_write(ctr);
	else if (!ucore_counter_is_fixed(ctr) && !ctr->box->desc.global)
		ucore_box_write(ctr->box, ctr->ctl_reg, ctr->box->desc.type->ctl_en);
}

/* Zero a counter whose control is zero: by the control's reset bit, or by writing the counter. */
static void counter_zero(const struct ucore_counter *ctr)
{
	const struct ucore_io *io = &ctr->box->io;

	if (counter_rst(ctr) && !(ucore_counter_is_fixed(ctr) && ctr->box->desc.type->fixed_step))
		io->ops->write(io, ctr->ctl_reg, counter_rst(ctr));
	else
		io->ops->write64(io, ctr->reg, 0);
}

/**
 * ucore_counter_prepare() - zero a counter register before the first time slice that uses it
 * @ctr: counter whose control is zero after a box reset or an earlier session
 *
 * Writes no register if the box was reset, which has zeroed the counter. The register keeps its
 * value outside the time slices, because its control is zero then.
 */
void ucore_counter_prepare(const struct ucore_counter *ctr)
{
	if (ctr->ctl_reg != UCORE_REG_NONE && ctr->box->users > 1)
		counter_zero(ctr);
}

/**
 * ucore_counter_change_control() - change the control of a counter that counts or is to count
 * @ctr: counter
 * @old: value of the control
 * @new: new value. No register is written if it equals @old.
 *
 * A control that fixed counters share is not written here. The caller calls
 * ucore_box_write_fixed() afterwards.
 */
void ucore_counter_change_control(const struct ucore_counter *ctr, u64 old, u64 new)
{
	const struct ucore_io *io = &ctr->box->io;

	if (ucore_counter_is_fixed(ctr) && ctr->box->desc.type->fixed_step)
		ctr->box->fixed = (ctr->box->fixed & ~old) | new;
	else if ((old | new) >> 32 && old != new)
		io->ops->write64(io, ctr->ctl_reg, new);
	else if (old != new)
		io->ops->write(io, ctr->ctl_reg, new);
}

/* Check once that the control of a general counter has retained the value written. */
static void switch_verify(struct ucore_counter *ctr)
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
 * ucore_counter_switch() - let a counter register count another event, or none
 * @from: counter that used the register in the last time slice, just read, or NULL
 * @to: counter that uses the register in the next time slice, or NULL. Its member prev is the value
 *      of the register at the last read.
 *
 * Writes the control only. The counter register is read if a freeze does not stop it, and is
 * never written. A control shared by fixed counters is not written here. The caller calls
 * ucore_box_write_fixed() afterwards.
 */
void ucore_counter_switch(const struct ucore_counter *from, struct ucore_counter *to)
{
	const struct ucore_counter *ctr = to ?: from;

	if (ctr->box->dead)
		return;
	if (ctr->ctl_reg != UCORE_REG_NONE) {
		ucore_counter_change_control(ctr, from ? from->ctl : 0, to ? to->ctl : 0);
		if (to)
			switch_verify(to);
	}
	if (to && counter_is_read_only(to))
		to->prev = ctr->box->io.ops->read_running(&ctr->box->io, to->reg) & to->mask;
}

/**
 * ucore_counter_start_unfrozen() - start a counter that a freeze does not stop
 * @ctr: programmed counter; nothing happens if a freeze stops it
 *
 * The caller unfreezes the domain immediately afterwards.
 */
void ucore_counter_start_unfrozen(struct ucore_counter *ctr)
{
	if ((ctr->flags & UCORE_VALUE_F_UNFROZEN) && ctr->ctl_reg != UCORE_REG_NONE)
		control_write(ctr);
}

/**
 * ucore_counter_reload() - set a counter to zero, or to the beginning of a new period
 * @ctr: counter of a running session
 *
 * A counter with a period that a freeze does not stop is disabled while it is written.
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
 * ucore_counter_stop() - zero the control of a counter if the box reset does not clear it
 * @ctr: counter
 */
void ucore_counter_stop(const struct ucore_counter *ctr)
{
	struct ucore_box *box = ctr->box;

	if (box->dead || ctr->ctl_reg == UCORE_REG_NONE)
		return;
	if (ucore_counter_is_fixed(ctr) && box->desc.type->fixed_step)
		return;
	if (!ucore_box_reset_reaches(box, UCORE_RESET_CTL) || ucore_counter_is_fixed(ctr))
		ucore_box_write(box, ctr->ctl_reg, 0);
}

/* Clear the counter's field in the shared control of the fixed counters. */
static void fixed_disable(const struct ucore_counter *ctr)
{
	ctr->box->fixed &= ~ctr->ctl;
	ucore_box_write(ctr->box, ctr->box->desc.layout->fixed_ctl[0], ctr->box->fixed);
}

/**
 * ucore_counter_disable() - stop a counter of a box in which other counters continue
 * @ctr: counter
 *
 * All bits of the control are zero afterwards, because ucore_counter_program() expects this.
 */
void ucore_counter_disable(const struct ucore_counter *ctr)
{
	struct ucore_box *box = ctr->box;

	if (box->dead || ctr->ctl_reg == UCORE_REG_NONE)
		return;
	if (ucore_counter_is_fixed(ctr) && box->desc.type->fixed_step)
		fixed_disable(ctr);
	else if (ctr->ctl >> 32)
		box->io.ops->write64(&box->io, ctr->ctl_reg, 0);
	else
		ucore_box_write(box, ctr->ctl_reg, 0);
}
