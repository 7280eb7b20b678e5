/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ice Lake-SP, Ice Lake-D (CPUID 06_6AH, 06_6CH), Snow Ridge (06_86H): facts only, see
 * e5.h.  What is not here is as in skx.h: GLOBAL_CTL and GLOBAL_CONFIG, the UBox and
 * the PCU of Ice Lake, the layout of a CHA, of an IIO, of an IRP's counters.
 *
 * No manual was at hand.  Sources: the kernel's own driver, Intel PCM and SEP, and
 * public lists of registers that were made from Intel 613864; where they differ, or
 * one of them stands alone, it is marked here.
 */
#ifndef UCORE_HW_ICX_H
#define UCORE_HW_ICX_H

/*
 * Global control and configuration are those of skx.h, and pmi_core_sel is wider.  Two
 * status words are one source's, another has none, and which bit is whose
 * nobody tells: UNCERTAIN(status).
 */
#define ICX_MSR_GLOBAL_STATUS		0x70e
#define ICX_NR_GLOBAL_STATUS		2
#define ICX_GLOBAL_CTL_PMI_CORE_SEL	GENMASK_ULL(60, 0)

/* CHA n: MSRs 14 apart in three ranges, laid out as in skx.h without the second filter */
#define ICX_NR_CHA			40
#define ICX_MSR_CHA(n) \
	((n) < 18 ? 0xe00 + 0xe * (n) : (n) < 34 ? 0xf0a + 0xe * ((n) - 18) : \
	 0xb60 + 0xe * ((n) - 34))

/* Bits of the thread id: 9:0 by a format, 8:0 by the mask of the same source: UNCERTAIN(icx-tid) */
#define ICX_CHA_FILTER0_TID		GENMASK(9, 0)
#define ICX_CHA_CTL_UMASK_EXT		GENMASK_ULL(57, 32)

/*
 * Stack s: its M2PCIe, IRP and IIO, whose registers interleave, and a clock that runs
 * freely.  An IIO is laid out as in skx.h, an IRP but for its status.
 */
#define ICX_NR_IIO			6
#define ICX_MSR_STACK(s) \
	((s) < 3 ? 0xa40 + 0x20 * (s) : 0xad0 + 0x20 * ((s) - 3))
#define ICX_STACK_M2PCIE		0x0
#define ICX_STACK_IRP			0xa
#define ICX_STACK_IIO			0x10
#define ICX_STACK_FREE_CLOCK		0x15
#define ICX_IRP_STATUS			0x5
#define ICX_M2PCIE_BOX_CTL		0x0
#define ICX_M2PCIE_CTR0			0x1
#define ICX_M2PCIE_STATUS		0x5
#define ICX_M2PCIE_CTL0			0x6

/* Control of an IIO counter: the classes are above four more channels */
#define ICX_IIO_CTL_CH_MASK		GENMASK_ULL(47, 36)
#define ICX_IIO_CTL_FC_MASK		GENMASK_ULL(50, 48)

/*
 * Free-running traffic of stack s, in units of 32 bytes: of eight ports in, then of
 * eight ports out.  Those out are where Sapphire Rapids has them: UNCERTAIN(free-out), the event
 * lists name them, and no source says where they are.
 */
#define ICX_IIO_FREE_PORTS		8
#define ICX_MSR_IIO_FREE_IN(s) \
	((s) < 3 ? 0xaa0 + 0x10 * (s) : 0xb30 + 0x10 * ((s) - 3))
#define ICX_IIO_FREE_OUT		8	/* from the first port in */

/*
 * A function of each stack, on the stack's root bus, has its number as the system address
 * decoder counts, from the DMI on.  On Ice Lake-D the numbers mean other stacks, by one
 * source, and another gives up: UNCERTAIN(icx-d-stacks), not used.
 */
#define ICX_PCI_STACK			0x09a2
#define ICX_STACK_SAD_CONTROL_CFG	0x3f4
#define ICX_SAD_CONTROL_CFG_ID		GENMASK(6, 4)
#define ICX_STACK_OF_SAD		{ 5, 0, 1, 2, 3, 4 }
#define ICX_STACK_DMI			5	/* alone can have root bus 0 */
#define ICX_PORT0_DEVICE		2	/* of the first of four ports: UNCERTAIN(ports) */
#define ICX_NR_PORTS			4
#define ICX_D_MODEL			108	/* in models.h, too */

/* Counter widths: all */
#define ICX_WIDTH			48

/* UPI link: controls of two dwords, the upper one an extended umask; its ends as in skx.h */
#define ICX_UPI_BOX_CTL			0x318
#define ICX_UPI_CTR0			0x320
#define ICX_UPI_CTL0			0x350
#define ICX_UPI_STATUS			0x37c
#define ICX_UPI_CTL_UMASK_EXT		GENMASK_ULL(55, 32)

/* M3UPI: controls 4 bytes apart, counters 8 */
#define ICX_M3UPI_BOX_CTL		0xa0
#define ICX_M3UPI_CTR0			0xa8
#define ICX_M3UPI_CTL0			0xd8
#define ICX_M3UPI_STATUS		0xf8

/* M2M: controls of two dwords; the place of the status is one source's: UNCERTAIN(m2m-status) */
#define ICX_M2M_BOX_CTL			0x438
#define ICX_M2M_CTR0			0x440
#define ICX_M2M_CTL0			0x468
#define ICX_M2M_STATUS			0x4a8
#define ICX_M2M_CTL_UMASK_EXT		GENMASK_ULL(39, 32)

/*
 * Memory controllers, in memory (imc_map.h): from a controller's address its free-running
 * counters, 64 bytes for each count of traffic, and a box for each channel.  Sources have
 * two channels each for Ice Lake-SP and three for Ice Lake-D, or three for both, and one
 * controller of Snow Ridge, or two: UNCERTAIN(imc-there).  A channel that is not there
 * reads 0, or all ones.
 */
#define ICX_NR_IMC			4
#define ICX_IMC_CHANNELS		3
#define ICX_IMC_FREE_READ		0x2290
#define ICX_IMC_FREE_WRITE		0x2298
#define ICX_IMC_FREE_PMM_READ		0x22a0	/* of persistent memory: not on Snow Ridge */
#define ICX_IMC_FREE_PMM_WRITE		0x22a8
#define ICX_IMC_CHANNEL(c)		(0x22800 + 0x4000 * (c))

/* Registers of a channel: controls 4 bytes apart, counters 8; box control as in e5.h */
#define ICX_IMC_BOX_CTL			0x0
#define ICX_IMC_CTR0			0x8
#define ICX_IMC_FIXED_CTR		0x38	/* counts half the DRAM clock */
#define ICX_IMC_CTL0			0x40
#define ICX_IMC_FIXED_CTL		0x54
#define ICX_IMC_STATUS			0x5c
#define ICX_IMC_END			0x60

/* Which slices have a CHA: fuses, in config space of a function on the bus above the UBox's */
#define ICX_PCI_CAPS			0x345b	/* 30:3 */
#define ICX_CAPS_CAPID6			0x9c
#define ICX_CAPS_CAPID7			0xa0
#define ICX_CAPS_CHA			GENMASK_ULL(63, 0)	/* CAPID6 below, CAPID7 above */

/* PCI device ids, vendor 8086h; device:function on the UBox's bus */
#define ICX_PCI_UBOX			0x3450	/* 0:0 socket map */
#define ICX_PCI_IMC_MAP			0x3451	/* 0:1 */
#define ICX_PCI_UPI			0x3441	/* 2:1 3:1 4:1 */
#define ICX_PCI_M3UPI			0x3446	/* 5:1 6:1 7:1 */
#define ICX_PCI_M2M			0x344a	/* 12:0 13:0 14:0 15:0 */

/*
 * UBox function: CPUNODEID and GIDNIDMAP as in skx.h; a bus without one belongs to the
 * next higher with one.
 */

/* ---- Snow Ridge ---- */

/*
 * Global control would be at 1f80h, its layout, the status and all routes of an
 * overflow are UNCERTAIN(snr-global): nothing is used.
 */

/* UBox */
#define SNR_MSR_UBOX_CTL0		0x1f91
#define SNR_MSR_UBOX_FIXED_CTL		0x1f93
#define SNR_MSR_UBOX_FIXED_CTR		0x1f94
#define SNR_MSR_UBOX_CTR0		0x1f98

/* PCU: the filter is at 1efch by one source, at 1ef5h by another: UNCERTAIN(snr-filter) */
#define SNR_MSR_PCU_BOX_CTL		0x1ef0
#define SNR_MSR_PCU_CTL0		0x1ef1
#define SNR_MSR_PCU_CTR0		0x1ef8
#define SNR_MSR_PCU_FILTER		0x1efc

/* CHA n, laid out as Ice Lake's */
#define SNR_NR_CHA			6
#define SNR_MSR_CHA			0x1c00
#define SNR_MSR_CHA_STRIDE		0x10

/* Stacks: M2PCIe is laid out as an IIO, of an IRP the counters */
#define SNR_NR_IIO			5
#define SNR_MSR_IIO			0x1e00
#define SNR_MSR_M2PCIE			0x1e50
#define SNR_MSR_IRP			0x1ea0
#define SNR_MSR_IIO_STRIDE		0x10
#define SNR_IRP_CTL0			0x8
#define SNR_MSR_IIO_FREE_CLOCK		0x1eac
#define SNR_MSR_IIO_FREE_IN		0x1f00	/* those out: as on Ice Lake: UNCERTAIN(free-out) */
#define SNR_MSR_IIO_FREE_STRIDE		0x10	/* of both */

#define SNR_STACK_OF_SAD		{ 1, 4, 3, 2, 0 }
#define SNR_STACK_DMI			1	/* alone can have root bus 0 */

#define SNR_NR_IMC			2
#define SNR_IMC_CHANNELS		2

/* PCIe root port of the third generation: controls of two dwords, no status that is known */
#define SNR_PCIE3_BOX_CTL		0x4e0
#define SNR_PCIE3_CTR0			0x4e8
#define SNR_PCIE3_CTL0			0x508

#define SNR_PCI_UBOX			0x3460	/* 0:0 socket map */
#define SNR_PCI_PCIE3			0x334a	/* 4:0 */

#endif /* UCORE_HW_ICX_H */
