// SPDX-License-Identifier: GPL-2.0-only
/*
 * May registers be at an address?  Firmware and hardware tell addresses, and nothing
 * is read there before this file was asked.  Process context, at load, one after the other.
 */
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/processor.h>

#include "find/memory.h"

const struct ucore_range ucore_memory_fixed[UCORE_NR_FIXED] = {
	{ 0, 0x100000 },			/* BIOS data, VGA, option ROMs */
	{ 0xfec00000, 0xfef00000 },		/* I/O and local APICs, HPET, TPM */
};

/**
 * ucore_memory_is_ram() - would a write there change memory?
 * @address: first byte
 * @size: bytes, not 0
 *
 * Return: true if any of it is RAM.
 */
bool ucore_memory_is_ram(u64 address, u64 size)
{
	return region_intersects(address, size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) !=
	       REGION_DISJOINT;
}

static bool is_fixed(u64 address, u64 size)
{
	const struct ucore_range *range = ucore_memory_fixed;

	for (; range < ucore_memory_fixed + UCORE_NR_FIXED; range++)
		if (address < range->end && address + size > range->start)
			return true;
	return false;
}

/**
 * ucore_memory_is_safe() - can registers be there?
 * @address: first byte
 * @size: bytes, not 0
 *
 * Return: true if all of it is an address of this processor, and none of it RAM, an
 * APIC's or what every PC has there.
 */
bool ucore_memory_is_safe(u64 address, u64 size)
{
	u32 bits = boot_cpu_data.x86_phys_bits;

	return !(address >> bits) && !((address + size - 1) >> bits) &&
	       !is_fixed(address, size) && !ucore_memory_is_ram(address, size);
}

/* Whoever looks for boxes found registers that could not be mapped. */
static bool unmapped;

/**
 * ucore_memory_map() - map registers, to see what is there
 * @address: the first byte
 * @size: bytes; not RAM
 *
 * Return: NULL if that cannot be; then boxes may be missing: ucore_memory_unmapped().
 */
void __iomem *ucore_memory_map(phys_addr_t address, u32 size)
{
	void __iomem *base = ioremap(address, size);

	unmapped |= !base;
	return base;
}

/**
 * ucore_memory_unmapped() - could some registers not be mapped, since it was asked last?
 *
 * Return: true or false.
 */
bool ucore_memory_unmapped(void)
{
	bool ret = unmapped;

	unmapped = false;
	return ret;
}
