// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds control registers that no longer hold the value that ucore wrote, because other software
 * or firmware has written them (a conflict). Part of the box layer.
 *
 * Owns the choice of the bits to compare. The functions only read registers. They run with the
 * domain's lock held, on a CPU of the domain, while the domain is not frozen.
 */
#include <linux/bits.h>
#include <linux/compiler.h>

#include "box/control_readback.h"

/**
 * ucore_control_readback_bits() - get the bits of a general control that select an event
 * @box: box
 *
 * Return: mask of the event bits in bits 31:0. Bits 63:32 are checked when an event is
 * programmed (control_verify()).
 */
u32 ucore_control_readback_bits(const struct ucore_box *box)
{
	const struct ucore_box_type *type = box->desc.type;
	const struct ucore_field_desc *field;
	u32 bits = 0, i, j;

	for (i = 0; i < type->nr_fields; i++) {
		field = &type->fields[i];
		if (field->field == UCORE_FIELD_OCC_RST)
			continue;	/* this bit resets an occupancy counter, and reads 0 */
		for (j = 0; j < ARRAY_SIZE(field->piece); j++)
			if (field->piece[j].slot == UCORE_SLOT_CTL)
				bits |= lower_32_bits(field->piece[j].mask);
	}
	return bits;
}

/*
 * Return the bits of a general control that must read back as written: event, enable and
 * overflow enable, except bits that the self-test found missing.
 */
static u64 general_bits(const struct ucore_box *box)
{
	const struct ucore_box_type *type = box->desc.type;
	u32 ov = READ_ONCE(box->caps) & UCORE_BOX_F_OVERFLOW ? type->ctl_ov_en : 0;

	return (ucore_control_readback_bits(box) | type->ctl_en | ov) & ~box->selftest.missing;
}

/*
 * Return the bits of a fixed control that must read back as written: the enable and overflow
 * enable bits, or the counter's field in a control shared by all fixed counters.
 */
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
 * ucore_control_readback_counter() - check whether other software wrote a counter's control
 * @ctr: counter of a running context
 *
 * Costs one register read, or none for a free-running counter.
 *
 * Return: true if the compared bits differ from the value written; false if they are equal or
 * the box does not answer.
 */
bool ucore_control_readback_counter(const struct ucore_counter *ctr)
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
 * ucore_control_readback_box() - check whether other software wrote a box control
 * @box: box of a running context
 * @control: in, out: value of the box control that the first check read
 * @seen: in, out: @control is valid
 *
 * Costs one register read, or none for a box without a box control. No manual says which bits of
 * the box control read back. Therefore the first check accepts any value that does not freeze
 * the box, and later checks compare with this value.
 *
 * Return: true if the box is frozen, or the box control differs from @control.
 */
bool ucore_control_readback_box(const struct ucore_box *box, u64 *control, bool *seen)
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
