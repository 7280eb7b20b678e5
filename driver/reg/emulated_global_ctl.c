// SPDX-License-Identifier: GPL-2.0-only
/*
 * Soft global control: software emulation of a global control for counters in MSRs that have
 * none. Part of the reg layer. Runs on a CPU of the domain with the domain's lock held.
 *
 * The soft global control has one bit for each counter control. Values written to the counter
 * controls are saved. The enable bit of a counter control reaches the hardware only while the
 * corresponding bit of the soft global control is set. Thus the caller stops all counters by one
 * write of the soft global control, and lets them continue by another write.
 */
#include <linux/bits.h>

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

static __always_inline u64 hardware_read_do(const struct ucore_io *io, u32 reg, bool traced)
{
	u64 val;

	io->tally->reads++;
	if (rdmsrq_safe(reg, &val))
		val = UCORE_REG_DEAD;
	if (traced)
		trace_ucore_reg(UCORE_ACCESS_MSR, false, reg, val);
	return val;
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

static __always_inline void gated_write_do(const struct ucore_io *io, u32 reg, u64 val, bool traced)
{
	struct ucore_gate *gate = io->gate;
	u32 i = reg - gate->ctl;

	if (i < gate->nr) {
		gate->word[i] = val;
		val = passed(gate, i);
	}
	hardware_write_do(io, reg, val, traced);
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

static u64 gate_read(const struct ucore_io *io, u32 reg)
{
	return io->gate->open;
}

static __always_inline void gate_write_do(const struct ucore_io *io, u32 reg, u64 val, bool traced)
{
	struct ucore_gate *gate = io->gate;
	u64 before = gate->open;
	u32 i;

	gate->open = val;
	for (i = 0; i < gate->nr; i++)
		if ((before ^ val) & BIT_ULL(i) && gate->word[i] & gate->enable)
			hardware_write_do(io, gate->ctl + i, passed(gate, i), traced);
}

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
 * @io: window; all offsets access the soft global control
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
