/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about the uncore registers of the Xeon E5-2600 v3 and E7 v3 (CPUID 06_3FH): offsets,
 * fields and encodings only. They are also valid for v4, except for the differences in bdxep.h.
 *
 * Sources: public transcriptions of Intel 331051 (MSR names and numbers, legal bits of each
 * register), and intel_uncore (the driver in the kernel tree). Differences between the sources
 * are marked where they apply.
 */
#ifndef UCORE_HW_HSWEP_H
#define UCORE_HW_HSWEP_H

/*
 * Global control, global status and configuration register. The mapping from bits of the global
 * status to boxes is UNCERTAIN(status), but bits from 32 on are known to be used.
 */
#define HSWEP_MSR_GLOBAL_CTL		0x700
#define HSWEP_MSR_GLOBAL_STATUS		0x701
#define HSWEP_MSR_GLOBAL_CONFIG		0x702
/* Field of the global control with one bit per core, also on v4: UNCERTAIN(core-sel) */
#define HSWEP_GLOBAL_CTL_PMI_CORE_SEL	GENMASK(17, 0)
#define HSWEP_GLOBAL_CONFIG_NUM_CBO	GENMASK(4, 0)

/* C-Box n: MSRs at 0xe00 + 0x10 n */
#define HSWEP_NR_CBO			18
#define HSWEP_MSR_CBO			0xe00
#define HSWEP_MSR_CBO_STRIDE		0x10
#define HSWEP_CBO_BOX_CTL		0x0
#define HSWEP_CBO_CTL0			0x1
#define HSWEP_CBO_FILTER0		0x5
#define HSWEP_CBO_FILTER1		0x6
#define HSWEP_CBO_STATUS		0x7
#define HSWEP_CBO_CTR0			0x8

/* C-Box filters. intel_uncore uses the fields link and c6, which other sources list as reserved. */
#define HSWEP_CBO_FILTER0_TID		GENMASK(5, 0)	/* core in 5:1, thread in 0 */
#define HSWEP_CBO_FILTER0_LINK		GENMASK(9, 6)
#define HSWEP_CBO_FILTER0_STATE		GENMASK(23, 17)
#define HSWEP_CBO_FILTER1_NID		GENMASK(15, 0)
#define HSWEP_CBO_FILTER1_OPC		GENMASK(28, 20)
#define HSWEP_CBO_FILTER1_C6		BIT(29)
#define HSWEP_CBO_FILTER1_NC		BIT(30)
#define HSWEP_CBO_FILTER1_ISOC		BIT(31)

/*
 * SBOX n: MSRs at 0x720 + 0xa n. The MSR at offset 5 is the box status in some sources, and a
 * filter in another source.
 */
#define HSWEP_NR_SBOX			4
#define HSWEP_NR_SBOX_SMALL		2	/* SBOXes on a die whose CAPID4.CHOP is 0 */
#define HSWEP_MSR_SBOX			0x720
#define HSWEP_MSR_SBOX_STRIDE		0xa
#define HSWEP_SBOX_BOX_CTL		0x0
#define HSWEP_SBOX_CTL0			0x1
#define HSWEP_SBOX_CTR0			0x6

/* MSRs of the UBox, which has no box control */
#define HSWEP_MSR_UBOX_FIXED_CTL	0x703
#define HSWEP_MSR_UBOX_FIXED_CTR	0x704
#define HSWEP_MSR_UBOX_CTL0		0x705
#define HSWEP_MSR_UBOX_FILTER		0x707
#define HSWEP_MSR_UBOX_STATUS		0x708
#define HSWEP_MSR_UBOX_CTR0		0x709
#define HSWEP_UBOX_FILTER_TID		BIT(0)
#define HSWEP_UBOX_FILTER_CID		GENMASK(5, 1)

/* MSRs of the PCU */
#define HSWEP_MSR_PCU_BOX_CTL		0x710
#define HSWEP_MSR_PCU_CTL0		0x711
#define HSWEP_MSR_PCU_FILTER		0x715
#define HSWEP_MSR_PCU_STATUS		0x716
#define HSWEP_MSR_PCU_CTR0		0x717

/* Widths of counters (bits) */
#define HSWEP_WIDTH_R3QPI		44
#define HSWEP_WIDTH_SBOX		44
#define HSWEP_WIDTH			48	/* other boxes than R3QPI, SBOX; fixed counters */

/* Capability register with the die variant, in config space of a PCU function */
#define HSWEP_PCU_CAPID4		0x94
#define HSWEP_PCU_CAPID4_CHOP		GENMASK(7, 6)	/* die variant: 0 is the smallest */

/* PCI device ids of vendor 8086h. The comments contain the location on the uncore PCI bus. */
#define HSWEP_PCI_UBOX			0x2f1e	/* device 16, function 5: has socket number */
#define HSWEP_PCI_PCU			0x2fc0	/* contains the capability registers */
#define HSWEP_PCI_HA0			0x2f30	/* device 18, function 1 */
#define HSWEP_PCI_HA1			0x2f38	/* device 18, function 5 */
#define HSWEP_PCI_IMC0_CH0		0x2fb0	/* device 20, function 0 */
#define HSWEP_PCI_IMC0_CH1		0x2fb1	/* device 20, function 1 */
#define HSWEP_PCI_IMC0_CH2		0x2fb4	/* device 21, function 0 */
#define HSWEP_PCI_IMC0_CH3		0x2fb5	/* device 21, function 1 */
#define HSWEP_PCI_IMC1_CH0		0x2fd0	/* device 23, function 0 */
#define HSWEP_PCI_IMC1_CH1		0x2fd1	/* device 23, function 1 */
#define HSWEP_PCI_IMC1_CH2		0x2fd4	/* device 24, function 0 */
#define HSWEP_PCI_IMC1_CH3		0x2fd5	/* device 24, function 1 */
#define HSWEP_PCI_IRP			0x2f39	/* device 5, function 6, on the IIO bus */
#define HSWEP_PCI_QPI0			0x2f32	/* device 8, function 2 */
#define HSWEP_PCI_QPI1			0x2f33	/* device 9, function 2 */
#define HSWEP_PCI_QPI2			0x2f3a	/* device 10, function 2; no known filter */
#define HSWEP_PCI_QPI0_FILTER		0x2f86	/* device 8, function 6 */
#define HSWEP_PCI_QPI1_FILTER		0x2f96	/* device 9, function 6 */
#define HSWEP_PCI_R2PCIE		0x2f34	/* device 16, function 1 */
#define HSWEP_PCI_R3QPI0		0x2f36	/* device 11, function 1 */
#define HSWEP_PCI_R3QPI1		0x2f37	/* device 11, function 2 */
#define HSWEP_PCI_R3QPI2		0x2f3e	/* device 11, function 5 */

#endif /* UCORE_HW_HSWEP_H */
