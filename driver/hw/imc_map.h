/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the registers of memory controllers are in memory, Ice Lake-SP to Emerald
 * Rapids: facts only, see e5.h.
 *
 * A PCI function on each die tells, beside the UBox: bits 28:0 of one register are
 * address bits from 23 on, bits 10:0 of another, one for each controller, those from
 * 12 on.  Where nothing was set up they read 0.
 */
#ifndef UCORE_HW_IMC_MAP_H
#define UCORE_HW_IMC_MAP_H

#define IMC_MAP_BASE			0xd0
#define IMC_MAP_OFFSET(m)		(0xd8 + 4 * (m))
#define IMC_MAP_BASE_BITS		GENMASK_ULL(28, 0)
#define IMC_MAP_OFFSET_BITS		GENMASK_ULL(10, 0)
#define IMC_MAP_ADDRESS(base, offset) \
	((((base) & IMC_MAP_BASE_BITS) << 23) + (((offset) & IMC_MAP_OFFSET_BITS) << 12))

/* From there: free-running counters of a controller, read only, 48 bits */
#define IMC_FREE_DCLK			0x22b0
#define IMC_FREE_WIDTH			48

#endif /* UCORE_HW_IMC_MAP_H */
