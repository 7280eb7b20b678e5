/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about Ice Lake-SP and Ice Lake-D (CPUID 06_6AH, 06_6CH) and Snow Ridge (06_86H), in
 * the form of e5.h. The facts that are the same are in skx.h. These are GLOBAL_CTL,
 * GLOBAL_CONFIG, UBox and PCU of Ice Lake, and the layouts of a CHA, an IIO and an IRP's
 * counters.
 *
 * Intel's manual was not available. Sources: the kernel's own driver, Intel PCM and SEP, and
 * public register lists made from Intel 613864. Facts on which sources differ, and facts of a
 * single source, are marked here.
 */
#ifndef UCORE_HW_ICX_H
#define UCORE_HW_ICX_H

/*
 * Global control and configuration are as in skx.h, with a wider pmi_core_sel. One source has
 * two status words, another none, and no source maps the bits to boxes: UNCERTAIN(status).
 */
#define ICX_MSR_GLOBAL_STATUS		0x70e
#define ICX_NR_GLOBAL_STATUS		2
#define ICX_GLOBAL_CTL_PMI_CORE_SEL	GENMASK_ULL(60, 0)

/*
 * CHA n: MSRs 14 apart in three ranges, with the layout of skx.h except for the second filter
 */
#define ICX_NR_CHA			40
#define ICX_MSR_CHA(n) \
	((n) < 18 ? 0xe00 + 0xe * (n) : (n) < 34 ? 0xf0a + 0xe * ((n) - 18) : \
	 0xb60 + 0xe * ((n) - 34))

/* Thread id: bits 9:0 by a format, 8:0 by the mask of the same source (UNCERTAIN(icx-tid)) */
#define ICX_CHA_FILTER0_TID		GENMASK(9, 0)
#define ICX_CHA_CTL_UMASK_EXT		GENMASK_ULL(57, 32)

/*
 * Stack s: M2PCIe, IRP and IIO with interleaved registers, and a free-running clock. An IIO
 * has the layout of skx.h. An IRP differs in its status only.
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

/* Control of an IIO counter: four more channels than in skx.h move the flow classes up */
#define ICX_IIO_CTL_CH_MASK		GENMASK_ULL(47, 36)
#define ICX_IIO_CTL_FC_MASK		GENMASK_ULL(50, 48)

/*
 * Free-running traffic of stack s (units of 32 bytes): eight inbound ports, then eight
 * outbound ports. The outbound registers are at the offset of Sapphire Rapids
 * (UNCERTAIN(free-out)). The event lists name them, but no source has their addresses.
 */
#define ICX_IIO_FREE_PORTS		8
#define ICX_MSR_IIO_FREE_IN(s) \
	((s) < 3 ? 0xaa0 + 0x10 * (s) : 0xb30 + 0x10 * ((s) - 3))
#define ICX_IIO_FREE_OUT		8	/* from the first inbound port */

/*
 * Function on the root bus of each stack with the stack's number in the order of the system
 * address decoder, which starts at the DMI. On Ice Lake-D, one source maps the numbers to
 * other stacks and another has no map: UNCERTAIN(icx-d-stacks), not used.
 */
#define ICX_PCI_STACK			0x09a2
#define ICX_STACK_SAD_CONTROL_CFG	0x3f4
#define ICX_SAD_CONTROL_CFG_ID		GENMASK(6, 4)
#define ICX_STACK_OF_SAD		{ 5, 0, 1, 2, 3, 4 }
#define ICX_STACK_DMI			5	/* the only stack that can have root bus 0 */
#define ICX_PORT0_DEVICE		2	/* first of four ports: UNCERTAIN(ports) */
#define ICX_NR_PORTS			4
#define ICX_D_MODEL			108	/* also in models.h */

/* Counter width of all boxes */
#define ICX_WIDTH			48

/*
 * UPI link: controls of two dwords, with an extended umask in the upper one; link peer as in
 * skx.h
 */
#define ICX_UPI_BOX_CTL			0x318
#define ICX_UPI_CTR0			0x320
#define ICX_UPI_CTL0			0x350
#define ICX_UPI_STATUS			0x37c
#define ICX_UPI_CTL_UMASK_EXT		GENMASK_ULL(55, 32)

/* M3UPI: controls are 4 bytes apart, counters 8 */
#define ICX_M3UPI_BOX_CTL		0xa0
#define ICX_M3UPI_CTR0			0xa8
#define ICX_M3UPI_CTL0			0xd8
#define ICX_M3UPI_STATUS		0xf8

/* M2M: controls of two dwords. A single source has the status (UNCERTAIN(m2m-status)) */
#define ICX_M2M_BOX_CTL			0x438
#define ICX_M2M_CTR0			0x440
#define ICX_M2M_CTL0			0x468
#define ICX_M2M_STATUS			0x4a8
#define ICX_M2M_CTL_UMASK_EXT		GENMASK_ULL(39, 32)

/*
 * Memory-mapped memory controllers (imc_map.h), each with free-running counters (units of 64
 * bytes for traffic) and a box per channel. Ice Lake-SP has two channels per controller and
 * Ice Lake-D three, or both have three. Snow Ridge has one controller or two
 * (UNCERTAIN(imc-there)). An absent channel reads 0 or all ones.
 */
#define ICX_NR_IMC			4
#define ICX_IMC_CHANNELS		3
#define ICX_IMC_FREE_READ		0x2290
#define ICX_IMC_FREE_WRITE		0x2298
#define ICX_IMC_FREE_PMM_READ		0x22a0	/* persistent memory: not on Snow Ridge */
#define ICX_IMC_FREE_PMM_WRITE		0x22a8
#define ICX_IMC_CHANNEL(c)		(0x22800 + 0x4000 * (c))

/* Registers of a channel: controls are 4 bytes apart, counters 8; box control as in e5.h */
#define ICX_IMC_BOX_CTL			0x0
#define ICX_IMC_CTR0			0x8
#define ICX_IMC_FIXED_CTR		0x38	/* counts half the DRAM clock */
#define ICX_IMC_CTL0			0x40
#define ICX_IMC_FIXED_CTL		0x54
#define ICX_IMC_STATUS			0x5c
#define ICX_IMC_END			0x60

/* Slice fuses (a slice has a CHA), in config space of a function on the bus above the UBox's */
#define ICX_PCI_CAPS			0x345b	/* 30:3 */
#define ICX_CAPS_CAPID6			0x9c
#define ICX_CAPS_CAPID7			0xa0
#define ICX_CAPS_CHA			GENMASK_ULL(63, 0)	/* CAPID6 low, CAPID7 high */

/* PCI device ids, vendor 8086h; device:function on the UBox's bus */
#define ICX_PCI_UBOX			0x3450	/* 0:0 socket map */
#define ICX_PCI_IMC_MAP			0x3451	/* 0:1 */
#define ICX_PCI_UPI			0x3441	/* 2:1 3:1 4:1 */
#define ICX_PCI_M3UPI			0x3446	/* 5:1 6:1 7:1 */
#define ICX_PCI_M2M			0x344a	/* 12:0 13:0 14:0 15:0 */

/*
 * UBox function: CPUNODEID and GIDNIDMAP as in skx.h. A bus without a UBox belongs to the next
 * higher bus with one.
 */

/* ---- Snow Ridge ---- */

/*
 * Global control would be at 1f80h. Its layout, the status and all overflow routes are
 * UNCERTAIN(snr-global): not used.
 */

/* UBox */
#define SNR_MSR_UBOX_CTL0		0x1f91
#define SNR_MSR_UBOX_FIXED_CTL		0x1f93
#define SNR_MSR_UBOX_FIXED_CTR		0x1f94
#define SNR_MSR_UBOX_CTR0		0x1f98

/* PCU: one source has the filter at 1efch, another at 1ef5h (UNCERTAIN(snr-filter)) */
#define SNR_MSR_PCU_BOX_CTL		0x1ef0
#define SNR_MSR_PCU_CTL0		0x1ef1
#define SNR_MSR_PCU_CTR0		0x1ef8
#define SNR_MSR_PCU_FILTER		0x1efc

/* CHA n, with the layout of Ice Lake */
#define SNR_NR_CHA			6
#define SNR_MSR_CHA			0x1c00
#define SNR_MSR_CHA_STRIDE		0x10

/* Stacks: M2PCIe has the layout of an IIO. An IRP shares the counter offsets of skx.h. */
#define SNR_NR_IIO			5
#define SNR_MSR_IIO			0x1e00
#define SNR_MSR_M2PCIE			0x1e50
#define SNR_MSR_IRP			0x1ea0
#define SNR_MSR_IIO_STRIDE		0x10
#define SNR_IRP_CTL0			0x8
#define SNR_MSR_IIO_FREE_CLOCK		0x1eac
#define SNR_MSR_IIO_FREE_IN		0x1f00	/* outbound as on Ice Lake (UNCERTAIN(free-out)) */
#define SNR_MSR_IIO_FREE_STRIDE		0x10	/* for clock and ports */

#define SNR_STACK_OF_SAD		{ 1, 4, 3, 2, 0 }
#define SNR_STACK_DMI			1	/* the only stack that can have root bus 0 */

#define SNR_NR_IMC			2
#define SNR_IMC_CHANNELS		2

/* PCIe 3.0 root port: controls of two dwords, no known status register */
#define SNR_PCIE3_BOX_CTL		0x4e0
#define SNR_PCIE3_CTR0			0x4e8
#define SNR_PCIE3_CTL0			0x508

#define SNR_PCI_UBOX			0x3460	/* 0:0 socket map */
#define SNR_PCI_PCIE3			0x334a	/* 4:0 */

#endif /* UCORE_HW_ICX_H */
