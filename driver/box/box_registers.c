// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on one box (PMU instance): reset, program, freeze and restore. Part of the box
 * layer.
 * Owns the order of register accesses within a box.
 *
 * The caller holds the domain's lock and runs on a CPU of the domain with interrupts off. The
 * domain is frozen unless a function says otherwise.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/minmax.h>

#include "box/box_registers.h"

/* Write @word to the box control, without the bits that the box lacks (box->absent). */
static void box_write_control(struct ucore_box *box, u32 word)
{
	ucore_box_write(box, box->desc.layout->box_ctl, word & ~box->absent);
}

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
 * ucore_box_responds() - check whether a dead box answers again
 * @box: box without a running context
 *
 * Reads a counter register of a dead box. If the value fits the width of the counter, the box is
 * no longer dead or absent. A box that is not dead is not accessed.
 *
 * Return: true if the box is not dead.
 */
bool ucore_box_responds(struct ucore_box *box)
{
	const struct ucore_layout *layout = box->desc.layout;
	bool fixed = !box->desc.type->nr_gp;
	u64 raw;

	if (!box->dead)
		return true;
	if (ucore_box_is_absent(box) &&
	    (u32)ucore_box_read(box, ucore_layout_first(layout)) == ~0U)
		return false;
	raw = box->io.ops->read_running(&box->io, fixed ? layout->fixed_ctr[0] : layout->ctr[0]);
	if (!ucore_box_value_is_possible(raw, GENMASK_ULL(ucore_box_width(box, fixed) - 1, 0)))
		return false;
	if (box->desc.absent)
		WRITE_ONCE(*box->desc.absent, 0);
	WRITE_ONCE(box->dead, false);
	return true;
}

/**
 * ucore_box_status() - read the status register of a box, which shows the overflowed counters
 * @box: box
 *
 * Return: value of the status register, 0 if there is none or the box is dead.
 */
u64 ucore_box_status(struct ucore_box *box)
{
	u16 reg = box->desc.layout->status;
	u64 status;

	if (reg == UCORE_REG_NONE || box->dead)
		return 0;
	status = ucore_box_read(box, reg);
	if (status == UCORE_REG_DEAD)
		status = ucore_box_read(box, reg);
	if (status == UCORE_REG_DEAD) {
		ucore_box_set_dead(box);
		return 0;
	}
	return status;
}

/**
 * ucore_box_clear_status() - clear overflow bits of a box's status register (write 1 to clear)
 * @box: box
 * @status: status bits to be cleared
 */
void ucore_box_clear_status(struct ucore_box *box, u64 status)
{
	if (status && !box->dead)
		ucore_box_write(box, box->desc.layout->status, status);
}

/*
 * Return false if only a trial of overflows (overflow_trial.c) reads the status of the box. The
 * trial clears the status itself.
 */
static bool status_is_used(const struct ucore_box *box)
{
	return !box->desc.reported_in || box->caps & UCORE_BOX_F_OVERFLOW;
}

/**
 * ucore_box_clear_stale() - clear overflow bits that an earlier use of the box has left set
 * @box: box
 * @bits: status bits to be cleared if they are set
 *
 * Accesses no register if samples do not read the status.
 */
void ucore_box_clear_stale(struct ucore_box *box, u64 bits)
{
	if (status_is_used(box))
		ucore_box_clear_status(box, ucore_box_status(box) & bits);
}

/*
 * Write @word to the box control and read the control back. Return the bits of @word that are
 * set in the value read, 0 if the box does not answer.
 */
static u32 control_read_back(struct ucore_box *box, u32 word)
{
	u64 val;

	box_write_control(box, word);
	val = ucore_box_read(box, box->desc.layout->box_ctl);
	return val == UCORE_REG_DEAD ? 0 : val & word;
}

/*
 * Find the optional bits of the box control that this box lacks. All bits are written at once
 * first. If they do not all read back, each bit is written alone. A write with a missing bit may
 * fault and be dropped as a whole.
 */
static void find_absent_bits(struct ucore_box *box)
{
	const struct ucore_box_words *words = box->desc.type->words;
	u32 rest, bit, there;

	if (box->tried)
		return;
	box->tried = true;
	there = control_read_back(box, words->reset) & words->tried;
	for (rest = words->tried & ~there; rest; rest &= ~bit) {
		bit = BIT(__ffs(rest));
		there |= control_read_back(box, (words->reset & ~words->tried) | bit) & bit;
	}
	box->absent = words->tried & ~there;
}

/*
 * Reset the box: write to its box control the values steps, then the value reset of struct
 * ucore_box_words. The box stays frozen.
 */
static void control_reset(struct ucore_box *box)
{
	const struct ucore_box_words *words = box->desc.type->words;
	const u32 *step;

	for (step = words->steps; step && *step; step++)
		box_write_control(box, *step);
	box_write_control(box, words->reset);
}

/*
 * Freeze the box, and reset it by its box control if this resets anything. If struct
 * ucore_box_words has an enable value, this value and then the freeze value must be written before
 * the reset.
 */
static void reset_by_word(struct ucore_box *box)
{
	const struct ucore_box_words *words = box->desc.type->words;

	if (words->enable) {
		box_write_control(box, words->enable);
		box_write_control(box, words->freeze);
	}
	if (words->reach || !words->enable)
		control_reset(box);
}

/* Zero the controls of the fixed counters. No manual says that the box reset zeroes them. */
static void fixed_stop(struct ucore_box *box)
{
	const struct ucore_layout *layout = box->desc.layout;
	u32 i, nr = box->desc.type->nr_fixed;

	box->fixed = 0;
	if (box->desc.type->fixed_step)
		nr = min(nr, 1U);	/* all fixed counters share one control */
	for (i = 0; i < nr; i++)
		if (layout->fixed_ctl[i] != UCORE_REG_NONE)
			ucore_box_write(box, layout->fixed_ctl[i], box->desc.type->fixed_rst);
}

static void fixed_zero(struct ucore_box *box)
{
	const struct ucore_layout *layout = box->desc.layout;
	u32 i;

	if (box->desc.type->fixed_rst)
		return;		/* fixed_stop() has set the reset bit of the controls */
	for (i = 0; i < box->desc.type->nr_fixed; i++)
		if (layout->fixed_ctl[i] != UCORE_REG_NONE)
			box->io.ops->write64(&box->io, layout->fixed_ctr[i], 0);
}

/**
 * ucore_box_reset() - stop a box and zero its controls, counters and status
 * @box: box
 *
 * Registers that the reset value of the box control does not clear are written one by one.
 * Counter controls come first, because a counter must not count while it is written. The reset
 * must precede programming, because it clears the controls. The order in the manual (329468-002
 * 2.1.2 step d) would clear programmed controls.
 */
void ucore_box_reset(struct ucore_box *box)
{
	const struct ucore_box_type *type = box->desc.type;
	const struct ucore_layout *layout = box->desc.layout;
	u32 i;

	if (type->words)
		reset_by_word(box);
	for (i = 0; i < type->nr_gp && !ucore_box_reset_reaches(box, UCORE_RESET_CTL); i++)
		ucore_box_write(box, layout->ctl[i], 0);
	fixed_stop(box);
	for (i = 0; i < type->nr_gp && !ucore_box_reset_reaches(box, UCORE_RESET_CTR); i++)
		box->io.ops->write64(&box->io, layout->ctr[i], 0);
	fixed_zero(box);
	ucore_box_clear_stale(box, ~0ULL);
}

/**
 * ucore_box_reset_first() - find the optional control bits that a box lacks, and reset the box
 * @box: box
 */
void ucore_box_reset_first(struct ucore_box *box)
{
	if (box->desc.type->words && box->desc.type->words->tried)
		find_absent_bits(box);
	ucore_box_reset(box);
}

/*
 * Return the width (bits) of a stopped counter: @least or @width. The counter has the width @least
 * if a write of all ones sets only so many bits, or if it refuses them and takes fewer. If @least
 * is 0, all sources agree on @width.
 */
static u8 find_width(struct ucore_box *box, u16 reg, u8 width, u8 least)
{
	const struct ucore_io *io = &box->io;
	u64 val;

	if (!least)
		return width;
	io->ops->write64(io, reg, GENMASK_ULL(width - 1, 0));
	val = io->ops->read64(io, reg);
	if (!val) {
		io->ops->write64(io, reg, GENMASK_ULL(least - 1, 0));
		val = io->ops->read64(io, reg);
	}
	io->ops->write64(io, reg, 0);
	return val == GENMASK_ULL(least - 1, 0) ? least : width;
}

static void find_widths(struct ucore_box *box)
{
	const struct ucore_box_type *type = box->desc.type;
	const struct ucore_layout *layout = box->desc.layout;

	if (!box->width)
		WRITE_ONCE(box->width, find_width(box, layout->ctr[0], type->width,
						  type->least_width));
	if (!box->fixed_width)
		WRITE_ONCE(box->fixed_width, find_width(box, layout->fixed_ctr[0],
							type->fixed_width,
							 type->least_fixed_width));
}

/**
 * ucore_box_program() - reset a box and set its shared registers
 * @box: box
 * @shared: values of the filter and match registers
 *
 * The first call after load or restore saves the shared registers for ucore_box_restore().
 * The first call also finds the counter widths, if sources disagree on them.
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
	find_widths(box);
	shared_write(box, shared);
}

/**
 * ucore_box_join() - set the shared registers of a box that another context has programmed
 * @box: box
 * @shared: values of the filter and match registers, NULL to leave them unchanged
 *
 * The counters of other contexts are not affected, because all events of a box that use the
 * shared registers need the same values.
 */
void ucore_box_join(struct ucore_box *box, const u64 *shared)
{
	if (shared)
		shared_write(box, shared);
}

/**
 * ucore_box_write_fixed() - write the control that all fixed counters of a box share
 * @box: box with a shared control of its fixed counters
 */
void ucore_box_write_fixed(struct ucore_box *box)
{
	if (!box->dead)
		ucore_box_write(box, box->desc.layout->fixed_ctl[0], box->fixed);
}

/**
 * ucore_box_freeze() - freeze a box by its own control
 * @box: box
 */
void ucore_box_freeze(struct ucore_box *box)
{
	if (box->desc.type->words && !box->dead)
		box_write_control(box, box->desc.type->words->freeze);
}

/**
 * ucore_box_unfreeze() - end the freeze of a box by its own control
 * @box: programmed box, which counts as soon as its domain is unfrozen
 */
void ucore_box_unfreeze(struct ucore_box *box)
{
	if (box->fixed && !box->dead)
		ucore_box_write(box, box->desc.layout->fixed_ctl[0], box->fixed);
	if (box->desc.type->words && !box->dead)
		box_write_control(box, box->desc.type->words->run);
}

/**
 * ucore_box_stop() - stop a box, so that it does not count after the unfreeze
 * @box: box
 *
 * Clears all general controls by a box reset, so that no counter counts or interrupts any more.
 * Zeroes the shared control of the fixed counters. If boxes are frozen one by one, the box is
 * removed from domain->boxes. The caller clears the controls that the box reset does not clear, by
 * ucore_counter_stop().
 */
void ucore_box_stop(struct ucore_box *box)
{
	list_del_init(&box->node);
	if (box->dead)
		return;
	if (ucore_box_reset_reaches(box, UCORE_RESET_CTL))
		control_reset(box);
	if (box->fixed)
		fixed_stop(box);
}

/**
 * ucore_box_restore() - reset a box and restore its filters
 * @box: box
 *
 * The box control gets the value that unfreezes the box. It is not zeroed: bits 17:16 of a box
 * control of the E5-2600 v2 must never be written 0. No counter counts, because all counter
 * controls are zero. A dead box is not restored now. It may respond again later, while its old
 * controls are still set. Therefore box->dirty stays set, and irq/dead_box_recovery.c probes the
 * box again.
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
