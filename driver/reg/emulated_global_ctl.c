// SPDX-License-Identifier: GPL-2.0-only
/*
 * Soft global control: software emulation of a global control for counters in MSRs that have
 * none, and of its status. Part of the reg layer. Runs on a CPU of the domain with the domain's
 * lock held, unless a function says otherwise.
 *
 * The soft global control has one bit for each counter control. Values written to the counter
 * controls are saved. The enable bit of a counter control reaches the hardware only while the
 * corresponding bit of the soft global control is set. Thus the caller stops all counters by one
 * write of the soft global control, and lets them continue by another write.
 *
 * The soft status has one bit for each counter, too. A preload sets the sign bit, which is the
 * highest bit of the counter, and an overflow clears the sign bit. Therefore a preloaded counter
 * whose sign bit is clear has overflowed. The bit of the soft status is set until the counter is
 * loaded again or a 1 is written to the bit in the soft clear register.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/compiler.h>

#include "compat.h"
#include "reg/reg.h"
#include "reg/traced.h"
#include "ucore_uapi.h"

static __always_inline void hardware_write_do(const struct ucore_io *io, u32 reg, u64 val,
					      bool traced)
{
	io->tally->writes++;
	wrmsrq_safe(reg, val);
	if (traced)
		trace_ucore_reg(UCORE_ACCESS_MSR, true, reg, val);
}

static __always_inline u64 msr_read(u32 reg, bool traced)
{
	u64 val;

	if (rdmsrq_safe(reg, &val))
		val = UCORE_REG_DEAD;
	if (traced)
		trace_ucore_reg(UCORE_ACCESS_MSR, false, reg, val);
	return val;
}

static __always_inline u64 hardware_read_do(const struct ucore_io *io, u32 reg, bool traced)
{
	io->tally->reads++;
	return msr_read(reg, traced);
}

UCORE_READ_OP(hardware_read)

/* Return the value that counter control @i must have in the hardware. */
static u64 passed(const struct ucore_gate *gate, u32 i)
{
	return gate->open & BIT_ULL(i) ? gate->word[i] : gate->word[i] & ~gate->enable;
}

/*
 * ---- window of the counter controls and counters ----
 */

static unsigned long gated_address(const struct ucore_io *io, u32 reg)
{
	return reg;
}

/* Record whether counter @i is preloaded. An NMI may read the record at any time. */
static void set_preloaded(struct ucore_gate *gate, u32 i, bool preloaded)
{
	u64 others = gate->preloaded & ~BIT_ULL(i);

	WRITE_ONCE(gate->preloaded, preloaded ? others | BIT_ULL(i) : others);
}

static __always_inline void gated_write_do(const struct ucore_io *io, u32 reg, u64 val, bool traced)
{
	struct ucore_gate *gate = io->gate;
	u32 ctl = reg - gate->ctl, ctr = reg - gate->ctr;

	if (ctl < gate->nr) {
		WRITE_ONCE(gate->word[ctl], val);
		val = passed(gate, ctl);
	}
	if (ctr < gate->nr)
		set_preloaded(gate, ctr, false);
	hardware_write_do(io, reg, val, traced);
	if (ctr < gate->nr)
		set_preloaded(gate, ctr, val & gate->sign);
}

static __always_inline u64 gated_read_low_do(const struct ucore_io *io, u32 reg, bool traced)
{
	u64 val = hardware_read_do(io, reg, traced);

	return val == UCORE_REG_DEAD ? val : (u32)val;
}

UCORE_WRITE_OP(gated_write)
UCORE_READ_OP(gated_read_low)

static const struct ucore_io_ops gated_ops = {
	.access = UCORE_ACCESS_MSR,
	.counter_cost = 1,
	.read = hardware_read,
	.write = gated_write,
	.read64 = hardware_read,
	.address = gated_address,
	.read_many = ucore_msr_read_many,
	.read_running = hardware_read,
	.read_low = gated_read_low,
	.write64 = gated_write,
};

/*
 * ---- window of the soft global control ----
 */

/* Return the bits of the preloaded counters that have overflowed. A counter that faults has not. */
static __always_inline u64 overflowed(const struct ucore_gate *gate, bool traced)
{
	u64 preloaded = READ_ONCE(gate->preloaded), bits = 0;
	u32 i;

	for (i = 0; i < gate->nr; i++)
		if (preloaded & BIT_ULL(i) && !(msr_read(gate->ctr + i, traced) & gate->sign))
			bits |= BIT_ULL(i);
	return bits;
}

static __always_inline u64 gate_read_do(const struct ucore_io *io, u32 reg, bool traced)
{
	const struct ucore_gate *gate = io->gate;

	if (reg != gate->status)
		return gate->open;
	io->tally->reads += hweight64(gate->preloaded);
	return overflowed(gate, traced);
}

static __always_inline void gate_write_do(const struct ucore_io *io, u32 reg, u64 val, bool traced)
{
	struct ucore_gate *gate = io->gate;
	u64 before = gate->open;
	u32 i;

	if (reg == gate->clear) {
		WRITE_ONCE(gate->preloaded, gate->preloaded & ~val);
		return;
	}
	gate->open = val;
	for (i = 0; i < gate->nr; i++)
		if ((before ^ val) & BIT_ULL(i) && gate->word[i] & gate->enable)
			hardware_write_do(io, gate->ctl + i, passed(gate, i), traced);
}

UCORE_READ_OP(gate_read)
UCORE_WRITE_OP(gate_write)

static const struct ucore_io_ops gate_ops = {
	.access = UCORE_ACCESS_MSR,
	.counter_cost = 1,
	.read = gate_read,
	.write = gate_write,
	.read64 = gate_read,
	.read_running = gate_read,
	.read_low = gate_read,
	.write64 = gate_write,
};

/**
 * ucore_soft_global_init() - initialize the window of a soft global control
 * @io: window; the offsets @gate->status and @gate->clear access the soft status, all others the
 *      soft global control
 * @gate: soft global control, with all bits clear
 */
void ucore_soft_global_init(struct ucore_io *io, struct ucore_gate *gate)
{
	io->ops = &gate_ops;
	io->gate = gate;
}

/**
 * ucore_soft_global_init_box() - initialize the window of a box that a soft global control gates
 * @io: window; offsets are MSR numbers
 * @gate: soft global control of the box's domain
 */
void ucore_soft_global_init_box(struct ucore_io *io, struct ucore_gate *gate)
{
	io->ops = &gated_ops;
	io->gate = gate;
}

/*
 * ---- in an NMI: without the lock, at any instant of the functions above ----
 */

/**
 * ucore_soft_global_status_in_nmi() - read the soft status
 * @gate: soft global control of this CPU
 *
 * The reads are not counted in a tally.
 *
 * Return: bits of the counters that have overflowed.
 */
u64 ucore_soft_global_status_in_nmi(const struct ucore_gate *gate)
{
	return overflowed(gate, true);
}

/**
 * ucore_soft_global_freeze_in_nmi() - stop all counters
 * @gate: soft global control of this CPU
 *
 * The soft global control does not change. The interrupted code may write controls with their
 * enable bits afterwards. The service of the overflow freezes and unfreezes the counters again.
 */
void ucore_soft_global_freeze_in_nmi(const struct ucore_gate *gate)
{
	u64 word;
	u32 i;

	for (i = 0; i < gate->nr; i++) {
		word = READ_ONCE(gate->word[i]);
		if (!(word & gate->enable))
			continue;
		word &= ~gate->enable;
		wrmsrq_safe(gate->ctl + i, word);
		trace_ucore_reg(UCORE_ACCESS_MSR, true, gate->ctl + i, word);
	}
}
