// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access to memory-mapped registers. Part of the reg layer. Runs in any context.
 *
 * Control and status registers of boxes have 32 bits. Counters and global registers have 64
 * bits. Each register is read or written by one access, so that a value cannot tear.
 *
 * Some free-running counters have 32 bits. The next counter follows after four bytes. The window of
 * such counters has separate operations, which read dwords only.
 */
#include <linux/errno.h>
#include <linux/io.h>

#include "reg/reg.h"
#include "reg/traced.h"
#include "ucore_uapi.h"

static __always_inline u64 mmio_read_do(const struct ucore_io *io, u32 reg, bool traced)
{
	u32 val;

	io->tally->reads++;
	val = readl(io->mmio + reg);
	if (traced)
		trace_ucore_reg(UCORE_ACCESS_MMIO, false, io->phys + reg, val);
	return val == ~0U ? UCORE_REG_DEAD : val;
}

static __always_inline void mmio_write_do(const struct ucore_io *io, u32 reg, u64 val, bool traced)
{
	io->tally->writes++;
	writel(val, io->mmio + reg);
	if (traced)
		trace_ucore_reg(UCORE_ACCESS_MMIO, true, io->phys + reg, (u32)val);
}

static __always_inline u64 mmio_read64_do(const struct ucore_io *io, u32 reg, bool traced)
{
	u64 val;

	io->tally->reads++;
	val = readq(io->mmio + reg);
	if (traced)
		trace_ucore_reg(UCORE_ACCESS_MMIO, false, io->phys + reg, val);
	return val;
}

static __always_inline u64 mmio_read_low_do(const struct ucore_io *io, u32 reg, bool traced)
{
	u64 val = mmio_read64_do(io, reg, traced);

	return val == UCORE_REG_DEAD ? val : (u32)val;
}

static __always_inline void mmio_write64_do(const struct ucore_io *io, u32 reg, u64 val,
					    bool traced)
{
	io->tally->writes++;
	writeq(val, io->mmio + reg);
	if (traced)
		trace_ucore_reg(UCORE_ACCESS_MMIO, true, io->phys + reg, val);
}

static unsigned long mmio_address(const struct ucore_io *io, u32 reg)
{
	return (unsigned long)io->mmio + reg;
}

static void mmio_read_many(const unsigned long *address, u64 *val, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		val[i] = readq((void __iomem *)address[i]);
}

UCORE_READ_OP(mmio_read)
UCORE_READ_OP(mmio_read64)
UCORE_READ_OP(mmio_read_low)
UCORE_WRITE_OP(mmio_write)
UCORE_WRITE_OP(mmio_write64)

const struct ucore_io_ops ucore_mmio_ops = {
	.access = UCORE_ACCESS_MMIO,
	.counter_cost = 1,
	.read = mmio_read,
	.write = mmio_write,
	.read64 = mmio_read64,
	.address = mmio_address,
	.read_many = mmio_read_many,
	.read_running = mmio_read64,
	.read_low = mmio_read_low,
	.write64 = mmio_write64,
};

/* Read a counter of 32 bits, which may be all ones. */
static __always_inline u64 mmio32_read_do(const struct ucore_io *io, u32 reg, bool traced)
{
	u32 val;

	io->tally->reads++;
	val = readl(io->mmio + reg);
	if (traced)
		trace_ucore_reg(UCORE_ACCESS_MMIO, false, io->phys + reg, val);
	return val;
}

static void mmio32_read_many(const unsigned long *address, u64 *val, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		val[i] = readl((void __iomem *)address[i]);
}

UCORE_READ_OP(mmio32_read)

/* The writes are never used, because these counters are read-only. */
const struct ucore_io_ops ucore_mmio32_ops = {
	.access = UCORE_ACCESS_MMIO,
	.counter_cost = 1,
	.read = mmio32_read,
	.write = mmio_write,
	.read64 = mmio32_read,
	.address = mmio_address,
	.read_many = mmio32_read_many,
	.read_running = mmio32_read,
	.read_low = mmio32_read,
	.write64 = mmio_write64,
};

/**
 * ucore_mmio_init() - map a window of memory-mapped registers
 * @io: window to be initialized
 * @address: physical address of the window
 * @size: size of the window (bytes), which must not contain RAM
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_mmio_init(struct ucore_io *io, phys_addr_t address, u32 size)
{
	io->mmio = ioremap(address, size);
	if (!io->mmio)
		return -ENOMEM;
	io->phys = address;
	io->ops = &ucore_mmio_ops;
	return 0;
}

/**
 * ucore_mmio_init_32() - map a window of memory-mapped counters of 32 bits
 * @io: window to be initialized
 * @address: physical address of the window
 * @size: size of the window (bytes), which must not contain RAM
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_mmio_init_32(struct ucore_io *io, phys_addr_t address, u32 size)
{
	int ret = ucore_mmio_init(io, address, size);

	if (!ret)
		io->ops = &ucore_mmio32_ops;
	return ret;
}
