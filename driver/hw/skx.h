/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about the uncore registers of Skylake-SP, Cascade Lake-SP and Cooper Lake (CPUID
 * 06_55H): offsets, fields and encodings only.
 *
 * Intel's manual was not available. Sources: intel_uncore (the driver in the kernel tree), and
 * public lists of registers and fields made from Intel 336274. Facts on which sources differ, and
 * facts of a single source, are marked here.
 */
#ifndef UCORE_HW_SKX_H
#define UCORE_HW_SKX_H

/*
 * Global control, global status and configuration register. The fields of the global control are
 * documented for Ice Lake, and one source uses them for Skylake-SP. pmi_core_sel has the bits
 * 47:0 or 60:0 (UNCERTAIN(core-sel)). Only one source assigns bits of the global status to
 * boxes, and its list is incomplete (UNCERTAIN(status)).
 */
#define SKX_MSR_GLOBAL_CTL		0x700
#define SKX_MSR_GLOBAL_STATUS		0x701
#define SKX_MSR_GLOBAL_CONFIG		0x702
#define SKX_GLOBAL_CTL_FRZ_ALL		BIT_ULL(63)
#define SKX_GLOBAL_CTL_WK_ON_PMI	BIT_ULL(62)
#define SKX_GLOBAL_CTL_UNFRZ_ALL	BIT_ULL(61)
#define SKX_GLOBAL_CTL_PMI_CORE_SEL	GENMASK_ULL(47, 0)
#define SKX_GLOBAL_CONFIG_NUM_CHA	GENMASK_ULL(5, 0)

/* UBox: no box control. No source has a filter. */
#define SKX_MSR_UBOX_FIXED_CTL		0x703
#define SKX_MSR_UBOX_FIXED_CTR		0x704
#define SKX_MSR_UBOX_CTL0		0x705
#define SKX_MSR_UBOX_STATUS		0x708
#define SKX_MSR_UBOX_CTR0		0x709

/* MSRs of the PCU */
#define SKX_MSR_PCU_BOX_CTL		0x710
#define SKX_MSR_PCU_CTL0		0x711
#define SKX_MSR_PCU_FILTER		0x715
#define SKX_MSR_PCU_STATUS		0x716
#define SKX_MSR_PCU_CTR0		0x717

/* CHA n: MSRs at 0xe00 + 0x10 n */
#define SKX_NR_CHA			28
#define SKX_MSR_CHA			0xe00
#define SKX_MSR_CHA_STRIDE		0x10
#define SKX_CHA_BOX_CTL			0x0
#define SKX_CHA_CTL0			0x1
#define SKX_CHA_FILTER0			0x5
#define SKX_CHA_FILTER1			0x6
#define SKX_CHA_STATUS			0x7
#define SKX_CHA_CTR0			0x8

#define SKX_CHA_FILTER0_TID		GENMASK(8, 0)	/* source id in 8:3, thread in 2:0 */
#define SKX_CHA_FILTER0_LINK		GENMASK(12, 9)
#define SKX_CHA_FILTER0_STATE		GENMASK(26, 17)
#define SKX_CHA_FILTER1_REM		BIT(0)
#define SKX_CHA_FILTER1_LOC		BIT(1)
#define SKX_CHA_FILTER1_ALL_OPC		BIT(3)	/* any opcode; overrides OPC0 and OPC1 */
#define SKX_CHA_FILTER1_NM		BIT(4)	/* accesses of near memory */
#define SKX_CHA_FILTER1_NOT_NM		BIT(5)
#define SKX_CHA_FILTER1_OPC0		GENMASK(18, 9)
#define SKX_CHA_FILTER1_OPC1		GENMASK(28, 19)
#define SKX_CHA_FILTER1_NC		BIT(30)
#define SKX_CHA_FILTER1_ISOC		BIT(31)

/* IIO stack s: MSRs at 0xa40 + 0x20 s. The MSRs of the stack's IRP are in the same range. */
#define SKX_NR_IIO			6
#define SKX_MSR_IIO			0xa40
#define SKX_MSR_IRP			0xa58
#define SKX_MSR_IIO_STRIDE		0x20
#define SKX_IIO_BOX_CTL			0x0
#define SKX_IIO_CTR0			0x1
#define SKX_IIO_STATUS			0x7
#define SKX_IIO_CTL0			0x8
#define SKX_IRP_BOX_CTL			0x0
#define SKX_IRP_CTR0			0x1
#define SKX_IRP_CTL0			0x3
#define SKX_IRP_STATUS			0x7

/* Fields in the control of an IIO counter: threshold, channel mask, flow class mask */
#define SKX_IIO_CTL_THRESH		GENMASK_ULL(35, 24)
#define SKX_IIO_CTL_CH_MASK		GENMASK_ULL(43, 36)
#define SKX_IIO_CTL_FC_MASK		GENMASK_ULL(46, 44)

/*
 * Free-running counters of an IIO stack: read-only, never frozen. The MSRs contain the inbound
 * traffic of four ports, the outbound traffic of four ports (units of 4 bytes), then for each
 * port a pair of inbound and outbound utilization.
 */
#define SKX_IIO_FREE_PORTS		4
#define SKX_MSR_IIO_FREE_CLOCK		0xa45
#define SKX_MSR_IIO_FREE_IN		0xb00
#define SKX_MSR_IIO_FREE_OUT		0xb04
#define SKX_MSR_IIO_FREE_UTIL		0xb08
#define SKX_MSR_IIO_FREE_STRIDE		0x10	/* MSRs from stack to stack; 0x20 for the clock */
#define SKX_IIO_FREE_WIDTH		36

/* Width of all counters except the free-running counters of an IIO stack (bits) */
#define SKX_WIDTH			48

/*
 * Memory channels, M2PCIe and M3UPI have the register offsets E5_PCI_* of e5.h. M3UPI has only
 * three counters.
 */

/* PCI root buses of a socket: byte s is the bus of IIO stack s. Only stack 0 can have bus 0. */
#define SKX_MSR_CPU_BUS_NUMBER		0x300
#define SKX_CPU_BUS_NUMBER_VALID	BIT_ULL(63)
/* PCI device number of a stack's first root port, from a single source: UNCERTAIN(ports) */
#define SKX_PORT0_DEVICE		0

/*
 * UPI link: counter controls of two dwords. The upper dword contains the extended umask, without
 * bit 44.
 */
#define SKX_UPI_CTR0			0x318
#define SKX_UPI_CTL0			0x350
#define SKX_UPI_BOX_CTL			0x378
#define SKX_UPI_STATUS			0x37c
#define SKX_UPI_CTL_UMASK_EXT		(GENMASK_ULL(55, 32) & ~BIT_ULL(44))

/*
 * Remote end (peer) of a UPI link, in the same PCI function: KTILP0 contains data received from
 * the remote socket, and KTIPCSTS the training state of the link. Only one source reads both
 * registers, also on Ice Lake and Sapphire Rapids, but not on Cooper Lake. According to its name,
 * NODEID is a node id as in CPUNODEID (UNCERTAIN(link-node)). The source uses it as a die number.
 */
#define SKX_UPI_KTILP0			0x94
#define SKX_UPI_KTILP0_PORT		GENMASK(12, 8)
#define SKX_UPI_KTILP0_NODEID		GENMASK(19, 16)
#define SKX_UPI_KTIPCSTS		0x120
#define SKX_UPI_KTIPCSTS_TRAINED	BIT(4)

/* M2M: controls are 8 bytes apart. Only one source has the status: UNCERTAIN(m2m-status). */
#define SKX_M2M_CTR0			0x200
#define SKX_M2M_CTL0			0x228
#define SKX_M2M_BOX_CTL			0x258
#define SKX_M2M_STATUS			0x260

/* Fuses of the cache slices (each slice has one CHA), in config space of a PCU function */
#define SKX_PCI_CAPS			0x2083	/* device 30, function 3 */
#define SKX_CAPS_CAPID6			0x9c
#define SKX_CAPS_CAPID6_CHA		GENMASK(27, 0)

/*
 * PCI device ids of vendor 8086h. The comments contain the device and function number on a bus
 * of the socket, which distinguish functions with the same id ("10:2" is device 10, function 2).
 */
#define SKX_PCI_UBOX			0x2014	/* device 8, function 0: has socket number */
#define SKX_PCI_IMC_CH0			0x2042	/* 10:2, 12:2 (second controller) */
#define SKX_PCI_IMC_CH1			0x2046	/* 10:6, 12:6 */
#define SKX_PCI_IMC_CH2			0x204a	/* 11:2, 13:2 */
#define SKX_PCI_UPI			0x2058	/* 14-16:0, CPX also 14-16:4: UNCERTAIN(agents) */
#define SKX_PCI_M2M			0x2066	/* 8:0, 9:0, on another bus than the UBox */
#define SKX_PCI_M2PCIE			0x2088	/* 21:1, 22:1, 23:1, 22:5 */

/*
 * Functions of M3UPI, one for each UPI link. Their function numbers are UNCERTAIN(agents): in one
 * source, each number is lower by one.
 */
#define SKX_PCI_M3UPI_EVEN		0x204d	/* 18:1, 18:5; Cooper Lake: 18:1 19:1 20:1 */
#define SKX_PCI_M3UPI_ODD		0x204e	/* 18:2; Cooper Lake: 18:2 19:2 20:2 */

/*
 * Config offsets in the UBox function, which contains the number of its socket. A PCI bus without
 * a UBox belongs to the socket of the next lower bus with a UBox.
 */
#define SKX_UBOX_CPUNODEID		0xc0
#define SKX_UBOX_GIDNIDMAP		0xd4

#endif /* UCORE_HW_SKX_H */
