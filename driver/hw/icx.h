/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about the uncore registers of Ice Lake-SP and Ice Lake-D (CPUID 06_6AH, 06_6CH) and Snow
 * Ridge (06_86H): offsets, fields and encodings only. skx.h has the facts that are the same as on
 * Skylake-SP, namely GLOBAL_CTL, GLOBAL_CONFIG, UBox and PCU of Ice Lake, and the register
 * offsets of a CHA, of an IIO and of the counters of an IRP.
 *
 * Intel's manual was not available. Sources: intel_uncore (the driver in the kernel tree), Intel
 * PCM and SEP, and public register lists made from Intel 613864. Facts on which sources differ,
 * and facts of a single source, are marked here.
 */
#ifndef UCORE_HW_ICX_H
#define UCORE_HW_ICX_H

/*
 * Global control and configuration register are as in skx.h, with a wider pmi_core_sel. One
 * source has two words of global status, another source has none, and no source maps the bits to
 * boxes: UNCERTAIN(status).
 */
#define ICX_MSR_GLOBAL_STATUS		0x70e
#define ICX_NR_GLOBAL_STATUS		2
#define ICX_GLOBAL_CTL_PMI_CORE_SEL	GENMASK_ULL(60, 0)

/*
 * Base MSR of CHA n: the bases are 14 MSRs apart, in three ranges. The register offsets are
 * those of skx.h, without the second filter.
 */
#define ICX_NR_CHA			40
#define ICX_MSR_CHA(n) \
	((n) < 18 ? 0xe00 + 0xe * (n) : (n) < 34 ? 0xf0a + 0xe * ((n) - 18) : \
	 0xb60 + 0xe * ((n) - 34))

/*
 * Thread id filter: one source uses bits 9:0 in its event format, and bits 8:0 in its mask of
 * valid bits: UNCERTAIN(icx-tid).
 */
#define ICX_CHA_FILTER0_TID		GENMASK(9, 0)
#define ICX_CHA_CTL_UMASK_EXT		GENMASK_ULL(57, 32)

/*
 * Base MSR of IIO stack s, and the offsets of its boxes: M2PCIe, IRP and IIO, whose registers
 * are interleaved, and the free-running clock. An IIO has the register offsets of skx.h. An IRP
 * differs from skx.h only in its status.
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

/*
 * Fields in the control of an IIO counter. The channel mask has four bits more than in skx.h, so
 * that the flow class mask begins at a higher bit.
 */
#define ICX_IIO_CTL_CH_MASK		GENMASK_ULL(47, 36)
#define ICX_IIO_CTL_FC_MASK		GENMASK_ULL(50, 48)

/*
 * Free-running traffic counters of IIO stack s (units of 32 bytes): eight inbound ports, then
 * eight outbound ports. The event lists name outbound counters, but no source has their
 * addresses. intel_uncore has none of them. With uncertain=1 the offset of Sapphire Rapids is used:
 * UNCERTAIN(free-out).
 */
#define ICX_IIO_FREE_PORTS		8
#define ICX_MSR_IIO_FREE_IN(s) \
	((s) < 3 ? 0xaa0 + 0x10 * (s) : 0xb30 + 0x10 * ((s) - 3))
#define ICX_IIO_FREE_OUT		8	/* MSRs from inbound to outbound counters */

/*
 * PCI function on the root bus of each IIO stack. Its register contains the number of the stack
 * in the order of the system address decoder (SAD), which starts at the DMI. On Ice Lake-D, one
 * source maps the numbers to other stacks, and another source has no map. The register is not
 * used there: UNCERTAIN(icx-d-stacks).
 */
#define ICX_PCI_STACK			0x09a2
#define ICX_STACK_SAD_CONTROL_CFG	0x3f4
#define ICX_SAD_CONTROL_CFG_ID		GENMASK(6, 4)
#define ICX_STACK_OF_SAD		{ 5, 0, 1, 2, 3, 4 }
#define ICX_STACK_DMI			5	/* the only stack that can have root bus 0 */
#define ICX_PORT0_DEVICE		2	/* device of first root port: UNCERTAIN(ports) */
#define ICX_D_MODEL			108	/* CPUID model of Ice Lake-D (models.h) */

/* Width of the counters of all boxes (bits) */
#define ICX_WIDTH			48

/*
 * UPI link: counter controls of two dwords. The upper dword contains the extended umask. The
 * registers about the remote end of the link (KTILP0, KTIPCSTS) are in skx.h.
 */
#define ICX_UPI_BOX_CTL			0x318
#define ICX_UPI_CTR0			0x320
#define ICX_UPI_CTL0			0x350
#define ICX_UPI_STATUS			0x37c
#define ICX_UPI_CTL_UMASK_EXT		GENMASK_ULL(55, 32)

/* M3UPI: controls are 4 bytes apart, counters are 8 bytes apart. */
#define ICX_M3UPI_BOX_CTL		0xa0
#define ICX_M3UPI_CTR0			0xa8
#define ICX_M3UPI_CTL0			0xd8
#define ICX_M3UPI_STATUS		0xf8

/* M2M: controls of two dwords. Only one source has the status: UNCERTAIN(m2m-status). */
#define ICX_M2M_BOX_CTL			0x438
#define ICX_M2M_CTR0			0x440
#define ICX_M2M_CTL0			0x468
#define ICX_M2M_STATUS			0x4a8
#define ICX_M2M_CTL_UMASK_EXT		GENMASK_ULL(39, 32)

/*
 * Memory-mapped memory controllers (imc_map.h). Each has free-running counters (traffic in units
 * of 64 bytes), and one box for each memory channel. The sources disagree on the numbers: Ice
 * Lake-SP has two channels per controller and Ice Lake-D three, or both have three. Snow Ridge
 * has one controller or two (UNCERTAIN(imc-there)). The registers of an absent channel read 0 or
 * all ones.
 */
#define ICX_NR_IMC			4
#define ICX_IMC_CHANNELS		3
#define ICX_IMC_FREE_READ		0x2290
#define ICX_IMC_FREE_WRITE		0x2298
#define ICX_IMC_FREE_PMM_READ		0x22a0	/* persistent memory: not on Snow Ridge */
#define ICX_IMC_FREE_PMM_WRITE		0x22a8
#define ICX_IMC_CHANNEL(c)		(0x22800 + 0x4000 * (c))

/*
 * Registers of a memory channel: controls are 4 bytes apart, counters are 8 bytes apart. The
 * fields of the box control are in e5.h.
 */
#define ICX_IMC_BOX_CTL			0x0
#define ICX_IMC_CTR0			0x8
#define ICX_IMC_FIXED_CTR		0x38	/* counts half the DRAM clock */
#define ICX_IMC_CTL0			0x40
#define ICX_IMC_FIXED_CTL		0x54
#define ICX_IMC_STATUS			0x5c
#define ICX_IMC_END			0x60

/*
 * Fuses of the cache slices (each slice has one CHA), in config space of a function on the PCI
 * bus after the UBox's bus
 */
#define ICX_PCI_CAPS			0x345b	/* device 30, function 3 */
#define ICX_CAPS_CAPID6			0x9c
#define ICX_CAPS_CAPID7			0xa0
#define ICX_CAPS_CHA			GENMASK_ULL(63, 0)	/* low dword CAPID6, high CAPID7 */

/*
 * PCI device ids of vendor 8086h. The comments contain the device and function number on the
 * UBox's bus ("2:1" is device 2, function 1).
 */
#define ICX_PCI_UBOX			0x3450	/* device 0, function 0: has socket number */
#define ICX_PCI_IMC_MAP			0x3451	/* device 0, function 1 */
#define ICX_PCI_UPI			0x3441	/* 2:1, 3:1, 4:1 */
#define ICX_PCI_M3UPI			0x3446	/* 5:1, 6:1, 7:1 */
#define ICX_PCI_M2M			0x344a	/* 12:0, 13:0, 14:0, 15:0 */

/*
 * The UBox function has CPUNODEID and GIDNIDMAP as in skx.h. A PCI bus without a UBox belongs to
 * the socket of the next higher bus with a UBox.
 */

/* ---- Snow Ridge ---- */

/*
 * The global control is probably MSR 1f80h. It is not used, because its fields, the global status
 * and the route of the overflow interrupt are unknown: UNCERTAIN(snr-global).
 */

/* MSRs of the UBox */
#define SNR_MSR_UBOX_CTL0		0x1f91
#define SNR_MSR_UBOX_FIXED_CTL		0x1f93
#define SNR_MSR_UBOX_FIXED_CTR		0x1f94
#define SNR_MSR_UBOX_CTR0		0x1f98

/* MSRs of the PCU. One source has the filter at 1efch, another at 1ef5h: UNCERTAIN(snr-filter). */
#define SNR_MSR_PCU_BOX_CTL		0x1ef0
#define SNR_MSR_PCU_CTL0		0x1ef1
#define SNR_MSR_PCU_CTR0		0x1ef8
#define SNR_MSR_PCU_FILTER		0x1efc

/* MSRs of the CHAs, with the register offsets of Ice Lake */
#define SNR_NR_CHA			6
#define SNR_MSR_CHA			0x1c00
#define SNR_MSR_CHA_STRIDE		0x10

/*
 * MSRs of the IIO stacks. An M2PCIe has the register offsets of an IIO. The counters of an IRP
 * have the offsets of skx.h.
 */
#define SNR_NR_IIO			5
#define SNR_MSR_IIO			0x1e00
#define SNR_MSR_M2PCIE			0x1e50
#define SNR_MSR_IRP			0x1ea0
#define SNR_MSR_IIO_STRIDE		0x10
#define SNR_IRP_CTL0			0x8
#define SNR_MSR_IIO_FREE_CLOCK		0x1eac
#define SNR_MSR_IIO_FREE_IN		0x1f00	/* outbound MSRs at +8: UNCERTAIN(free-out) */
#define SNR_MSR_IIO_FREE_STRIDE		0x10	/* MSRs from stack to stack, for clock and ports */

#define SNR_STACK_OF_SAD		{ 1, 4, 3, 2, 0 }
#define SNR_STACK_DMI			1	/* the only stack that can have root bus 0 */

#define SNR_NR_IMC			2
#define SNR_IMC_CHANNELS		2

/* PCIe 3.0 root port: controls of two dwords. No source has a status register. */
#define SNR_PCIE3_BOX_CTL		0x4e0
#define SNR_PCIE3_CTR0			0x4e8
#define SNR_PCIE3_CTL0			0x508

#define SNR_PCI_UBOX			0x3460	/* device 0, function 0: has socket number */
#define SNR_PCI_PCIE3			0x334a	/* device 4, function 0 */

#endif /* UCORE_HW_ICX_H */
