// SPDX-License-Identifier: GPL-2.0-only
/*
 * May registers be at an address?  Firmware and hardware tell addresses, and nothing
 * is read there before this file was asked.  Process context, at load.
 */
#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/processor.h>

#include "find/memory.h"

/* Where I/O and local APICs are */
#define INTERRUPT_START		0xfec00000ULL
#define INTERRUPT_END		0xfef00000ULL

/**
 * ucore_memory_is_ram() - would it harm to write there?
 * @address: first byte
 * @size: bytes, not 0
 *
 * Return: true if any of it is RAM, or an APIC's.
 */
bool ucore_memory_is_ram(u64 address, u64 size)
{
	/* not RAM, but no less harmful to write to */
	if (address < INTERRUPT_END && address + size > INTERRUPT_START)
		return true;
	return region_intersects(address, size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) !=
	       REGION_DISJOINT;
}

/**
 * ucore_memory_is_safe() - can registers be there?
 * @address: first byte
 * @size: bytes, not 0
 *
 * Return: true if all of it is an address of this processor, and none of it RAM.
 */
bool ucore_memory_is_safe(u64 address, u64 size)
{
	u32 bits = boot_cpu_data.x86_phys_bits;

	return !(address >> bits) && !((address + size - 1) >> bits) &&
	       !ucore_memory_is_ram(address, size);
}
