// SPDX-License-Identifier: GPL-2.0-only
/*
 * Controls that are not as ucore has written them: somebody else uses the registers, a
 * program with /dev/cpu/N/msr or firmware.
 *
 * Owns which bits of a control can tell.  Reads only, under the domain's lock, on one of
 * its CPUs, while the domain counts.  Must not know what follows from it.
 */
#include <linux/bits.h>
#include <linux/compiler.h>

#include "box/control_check.h"
#include "box/selftest.h"

/* A general control keeps the event and both enables, but for what its selftest missed. */
static u64 general_bits(const struct ucore_box *box)
{
	const struct ucore_box_type *type = box->desc.type;
	u32 ov = READ_ONCE(box->caps) & UCORE_BOX_F_OVERFLOW ? type->ctl_ov_en : 0;

	return (ucore_selftest_event_bits(box) | type->ctl_en | ov) & ~box->selftest.missing;
}

/* A fixed one its enables; where all fixed counters share one, its own field. */
static u64 fixed_bits(const struct ucore_counter *ctr)
{
	const struct ucore_box *box = ctr->box;
	const struct ucore_box_type *type = box->desc.type;
	u32 ov = READ_ONCE(box->caps) & UCORE_BOX_F_FIXED_OVERFLOW ? type->fixed_ov_en : 0;
	u32 field = type->fixed_step * (ctr->index - UCORE_COUNTER_FIXED);

	if (box->selftest.failed & UCORE_SELFTEST_FIXED_CONTROL)
		return 0;
	if (type->fixed_step)
		return GENMASK_ULL(field + type->fixed_step - 1, field);
	return type->fixed_en | ov;
}

/**
 * ucore_control_check_counter() - has somebody else written a counter's control?
 * @ctr: a counter of a part that runs
 *
 * One read, none of a counter that runs freely.
 *
 * Return: true if bits that read back are not those that were written; false, too, if the
 * box does not answer.
 */
bool ucore_control_check_counter(const struct ucore_counter *ctr)
{
	struct ucore_box *box = ctr->box;
	u64 bits, val;

	if (box->dead || ctr->ctl_reg == UCORE_REG_NONE)
		return false;
	bits = ucore_counter_is_fixed(ctr) ? fixed_bits(ctr) : general_bits(box);
	val = box->io.ops->read(&box->io, ctr->ctl_reg);
	return val != UCORE_REG_DEAD && ((val ^ ctr->ctl) & bits);
}

/**
 * ucore_control_check_box() - has somebody else written a box's control?
 * @box: a box of a part that runs
 * @control: what it held when it was first seen
 * @seen: @control is valid
 *
 * One read, none of a box without control.  No manual tells which of its bits read back:
 * so the first look takes what is there, unless it says that the box is frozen.
 *
 * Return: true if it is frozen or not as it was seen first.
 */
bool ucore_control_check_box(const struct ucore_box *box, u64 *control, bool *seen)
{
	const struct ucore_box_words *words = box->desc.type->words;
	u64 val;

	if (box->dead || !words)
		return false;
	val = box->io.ops->read(&box->io, box->desc.layout->box_ctl);
	if (val == UCORE_REG_DEAD)
		return false;
	if (val & words->freeze & ~words->run)
		return true;
	if (!*seen)
		*control = val;
	*seen = true;
	return val != *control;
}
