// SPDX-License-Identifier: GPL-2.0-only
/*
 * Touching memory-mapped registers.
 *
 * Box controls, status and controls are dwords, counters and global registers
 * are 64 bits, each one access: nothing tears.  Legal in any context.
 */
#include <linux/errno.h>
#include <linux/io.h>

#include "reg/reg.h"
#include "ucore_trace.h"
#include "ucore_uapi.h"

static u64 mmio_read(const struct ucore_io *io, u32 reg)
{
	u32 val;

	io->tally->reads++;
	val = readl(io->mmio + reg);
	trace_ucore_reg(UCORE_ACCESS_MMIO, false, io->phys + reg, val);
	return val == ~0U ? UCORE_REG_DEAD : val;
}

static void mmio_write(const struct ucore_io *io, u32 reg, u64 val)
{
	io->tally->writes++;
	writel(val, io->mmio + reg);
	trace_ucore_reg(UCORE_ACCESS_MMIO, true, io->phys + reg, (u32)val);
}

static u64 mmio_read64(const struct ucore_io *io, u32 reg)
{
	u64 val;

	io->tally->reads++;
	val = readq(io->mmio + reg);
	trace_ucore_reg(UCORE_ACCESS_MMIO, false, io->phys + reg, val);
	return val;
}

static u64 mmio_read_low(const struct ucore_io *io, u32 reg)
{
	u64 val = mmio_read64(io, reg);

	return val == UCORE_REG_DEAD ? val : (u32)val;
}

static void mmio_write64(const struct ucore_io *io, u32 reg, u64 val)
{
	io->tally->writes++;
	writeq(val, io->mmio + reg);
	trace_ucore_reg(UCORE_ACCESS_MMIO, true, io->phys + reg, val);
}

const struct ucore_io_ops ucore_mmio_ops = {
	.access = UCORE_ACCESS_MMIO,
	.counter_cost = 1,
	.read = mmio_read,
	.write = mmio_write,
	.read64 = mmio_read64,
	.read_running = mmio_read64,
	.read_low = mmio_read_low,
	.write64 = mmio_write64,
};

/**
 * ucore_io_init_mmio() - map a window of memory-mapped registers
 * @io: the window
 * @address: its first byte
 * @size: bytes; not RAM
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_io_init_mmio(struct ucore_io *io, phys_addr_t address, u32 size)
{
	io->mmio = ioremap(address, size);
	if (!io->mmio)
		return -ENOMEM;
	io->phys = address;
	io->ops = &ucore_mmio_ops;
	return 0;
}
