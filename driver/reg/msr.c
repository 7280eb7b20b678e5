// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access to MSRs of the current CPU or its die. Part of the reg layer. The operations must run on
 * a CPU of the domain.
 *
 * An access to an uncore MSR that does not exist raises #GP. Therefore the operations use the
 * kernel's safe accessors: a faulting read returns all ones, and a faulting write has no effect.
 */
#include <linux/errno.h>
#include <linux/smp.h>

#include "compat.h"
#include "reg/reg.h"
#include "reg/traced.h"
#include "ucore_uapi.h"

static __always_inline u64 msr_read_do(const struct ucore_io *io, u32 reg, bool traced)
{
	u64 val;

	io->tally->reads++;
	if (rdmsrq_safe(io->msr + reg, &val))
		val = UCORE_REG_DEAD;
	if (traced)
		trace_ucore_reg(UCORE_ACCESS_MSR, false, io->msr + reg, val);
	return val;
}

static __always_inline u64 msr_read_low_do(const struct ucore_io *io, u32 reg, bool traced)
{
	u64 val = msr_read_do(io, reg, traced);

	return val == UCORE_REG_DEAD ? val : (u32)val;
}

static __always_inline void msr_write_do(const struct ucore_io *io, u32 reg, u64 val, bool traced)
{
	io->tally->writes++;
	wrmsrq_safe(io->msr + reg, val);
	if (traced)
		trace_ucore_reg(UCORE_ACCESS_MSR, true, io->msr + reg, val);
}

static unsigned long msr_address(const struct ucore_io *io, u32 reg)
{
	return io->msr + reg;
}

/**
 * ucore_msr_read_many() - read several MSRs (ucore_io_ops.read_many)
 * @address: MSR numbers
 * @val: array that receives the values
 * @nr: number of MSRs
 */
void ucore_msr_read_many(const unsigned long *address, u64 *val, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (unlikely(native_rdmsrq_safe(address[i], &val[i])))
			val[i] = UCORE_REG_DEAD;
}

UCORE_READ_OP(msr_read)
UCORE_READ_OP(msr_read_low)
UCORE_WRITE_OP(msr_write)

const struct ucore_io_ops ucore_msr_ops = {
	.access = UCORE_ACCESS_MSR,
	.counter_cost = 1,
	.read = msr_read,
	.write = msr_write,
	.read64 = msr_read,
	.address = msr_address,
	.read_many = ucore_msr_read_many,
	.read_running = msr_read,
	.read_low = msr_read_low,
	.write64 = msr_write,
};

/* One access to an MSR of another CPU */
struct msr_probe {
	u32 msr;
	u64 val;
	int err;
};

static void msr_probe_here(void *arg)
{
	struct msr_probe *probe = arg;

	probe->err = rdmsrq_safe(probe->msr, &probe->val);
}

/**
 * ucore_msr_probe() - read an MSR on another CPU
 * @cpu: CPU on which the MSR is read
 * @msr: MSR number
 * @val: out: value read, unchanged if the read fails
 *
 * Return: false if the read faults or the CPU is offline.
 */
bool ucore_msr_probe(int cpu, u32 msr, u64 *val)
{
	struct msr_probe probe = { .msr = msr, .err = -ENODEV };

	if (smp_call_function_single(cpu, msr_probe_here, &probe, 1) || probe.err)
		return false;
	*val = probe.val;
	return true;
}

static void msr_set_here(void *arg)
{
	struct msr_probe *probe = arg;

	probe->err = wrmsrq_safe(probe->msr, probe->val);
}

/**
 * ucore_msr_set() - write an MSR on another CPU
 * @cpu: CPU on which the MSR is written
 * @msr: MSR number
 * @val: value
 *
 * Return: false if the write faults or the CPU is offline.
 */
bool ucore_msr_set(int cpu, u32 msr, u64 val)
{
	struct msr_probe probe = { .msr = msr, .val = val, .err = -ENODEV };

	return !smp_call_function_single(cpu, msr_set_here, &probe, 1) && !probe.err;
}

void ucore_msr_init(struct ucore_io *io, u32 base)
{
	io->ops = &ucore_msr_ops;
	io->msr = base;
}
