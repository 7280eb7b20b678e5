/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about the addresses of memory-mapped memory controllers, Ice Lake-SP to Emerald Rapids:
 * offsets, fields and encodings only.
 *
 * A PCI function on each die, next to the UBox function, contains the addresses. The base
 * register (IMC_MAP_BASE) contains the base address from bit 23 on. The register of each
 * controller (IMC_MAP_OFFSET) contains the offset from this base, from bit 12 on. Both read 0 if
 * firmware has not initialized the controller.
 */
#ifndef UCORE_HW_IMC_MAP_H
#define UCORE_HW_IMC_MAP_H

#define IMC_MAP_BASE			0xd0
#define IMC_MAP_OFFSET(m)		(0xd8 + 4 * (m))
#define IMC_MAP_BASE_BITS		GENMASK_ULL(28, 0)
#define IMC_MAP_OFFSET_BITS		GENMASK_ULL(10, 0)
#define IMC_MAP_ADDRESS(base, offset) \
	((((base) & IMC_MAP_BASE_BITS) << 23) + (((offset) & IMC_MAP_OFFSET_BITS) << 12))

/*
 * Free-running counter of the DRAM clock of a memory controller: offset from the controller's
 * address (bytes) and width (bits). The register is read-only.
 */
#define IMC_FREE_DCLK			0x22b0
#define IMC_FREE_WIDTH			48

#endif /* UCORE_HW_IMC_MAP_H */
