/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about the uncore registers of the Xeon E5-2600 v2, E5-1600 v2 and E7 v2 (CPUID 06_3EH):
 * offsets, fields and encodings only.
 *
 * Source: Intel 329468-002. The comments contain its section and table numbers.
 */
#ifndef UCORE_HW_IVBEP_H
#define UCORE_HW_IVBEP_H

/* MSRs of the global control and the global status (section 2.1.5) */
#define IVBEP_MSR_GLOBAL_CTL		0xc00
#define IVBEP_MSR_GLOBAL_STATUS		0xc01
#define IVBEP_MSR_GLOBAL_CONFIG		0xc06
/* Field of the global control: bit i selects the core with id i: UNCERTAIN(core-sel) */
#define IVBEP_GLOBAL_CTL_PMI_CORE_SEL	GENMASK(14, 0)
#define IVBEP_GLOBAL_CONFIG_NUM_CBO	GENMASK(4, 0)

/*
 * Bit numbers of GLOBAL_STATUS (Table 2-3). C-Box n has bit 3 + n. The bit of an iMC is set by
 * its 4 channels.
 */
#define IVBEP_STATUS_UBOX_FIXED		0
#define IVBEP_STATUS_UBOX		1
#define IVBEP_STATUS_PCU		2
#define IVBEP_STATUS_CBO0		3
#define IVBEP_STATUS_HA0		18
#define IVBEP_STATUS_IMC0		20
#define IVBEP_STATUS_QPI0		22	/* two bits for three ports: UNCERTAIN(status) */
#define IVBEP_STATUS_R3QPI0		24
#define IVBEP_STATUS_R2PCIE		26

/* C-Box n: MSRs at 0xd00 + 0x20 n (Table 2-11) */
#define IVBEP_NR_CBO			15
#define IVBEP_MSR_CBO			0xd00
#define IVBEP_MSR_CBO_STRIDE		0x20
#define IVBEP_CBO_BOX_CTL		0x04
#define IVBEP_CBO_CTL0			0x10
#define IVBEP_CBO_FILTER0		0x14
#define IVBEP_CBO_CTR0			0x16
#define IVBEP_CBO_FILTER1		0x1a

/* C-Box filters (Tables 2-16 to 2-18) */
#define IVBEP_CBO_FILTER0_TID		GENMASK(4, 0)
#define IVBEP_CBO_FILTER0_LINK		GENMASK(8, 5)
#define IVBEP_CBO_FILTER0_STATE		GENMASK(22, 17)
#define IVBEP_CBO_FILTER1_NID		GENMASK(15, 0)
#define IVBEP_CBO_FILTER1_OPC		GENMASK(28, 20)
#define IVBEP_CBO_FILTER1_C6		BIT(29)
#define IVBEP_CBO_FILTER1_NC		BIT(30)
#define IVBEP_CBO_FILTER1_ISOC		BIT(31)

/* MSRs of the UBox, which has no box control (Tables 2-5 to 2-9) */
#define IVBEP_MSR_UBOX_FIXED_CTL	0xc08
#define IVBEP_MSR_UBOX_FIXED_CTR	0xc09
#define IVBEP_MSR_UBOX_CTL0		0xc10
#define IVBEP_MSR_UBOX_STATUS		0xc15
#define IVBEP_MSR_UBOX_CTR0		0xc16

/* MSRs of the PCU (Tables 2-117 to 2-121) */
#define IVBEP_MSR_PCU_BOX_CTL		0xc24
#define IVBEP_MSR_PCU_CTL0		0xc30
#define IVBEP_MSR_PCU_FILTER		0xc34
#define IVBEP_MSR_PCU_STATUS		0xc35
#define IVBEP_MSR_PCU_CTR0		0xc36

/* Widths of counters (bits, Table 1-1) */
#define IVBEP_WIDTH_CBO			44
#define IVBEP_WIDTH_UBOX		44
#define IVBEP_WIDTH_R2PCIE		44
#define IVBEP_WIDTH_R3QPI		44
/*
 * Width of all counters except the general counters of C-Box, UBox, R2PCIe and R3QPI (bits). For
 * the fixed counter of the UBox and for the IRP the width is UNCERTAIN(width).
 */
#define IVBEP_WIDTH			48

/*
 * PCI device ids of vendor 8086h. The comments contain the location on the uncore PCI bus, which
 * is fixed (Table 1-3).
 */
#define IVBEP_PCI_UBOX			0x0e1e	/* device 11, function 0: has socket number */
#define IVBEP_PCI_HA0			0x0e30	/* device 14, function 1 */
#define IVBEP_PCI_HA1			0x0e38	/* device 28, function 1 */
#define IVBEP_PCI_IMC0_CH0		0x0eb4	/* device 16, function 4 */
#define IVBEP_PCI_IMC0_CH1		0x0eb5	/* device 16, function 5 */
#define IVBEP_PCI_IMC0_CH2		0x0eb0	/* device 16, function 0 */
#define IVBEP_PCI_IMC0_CH3		0x0eb1	/* device 16, function 1 */
#define IVBEP_PCI_IMC1_CH0		0x0ef4	/* device 30, function 4 */
#define IVBEP_PCI_IMC1_CH1		0x0ef5	/* device 30, function 5 */
#define IVBEP_PCI_IMC1_CH2		0x0ef0	/* device 30, function 0 */
#define IVBEP_PCI_IMC1_CH3		0x0ef1	/* device 30, function 1 */
#define IVBEP_PCI_IRP			0x0e39	/* device 5, function 6, on the IIO bus */
#define IVBEP_PCI_QPI0			0x0e32	/* device 8, function 2 */
#define IVBEP_PCI_QPI1			0x0e33	/* device 9, function 2 */
#define IVBEP_PCI_QPI2			0x0e3a	/* device 24, function 2 */
/* PCI device ids of the QPI filters, by analogy with v4: UNCERTAIN(link-filter) */
#define IVBEP_PCI_QPI0_FILTER		0x0e86	/* device 8, function 6 */
#define IVBEP_PCI_QPI1_FILTER		0x0e96	/* device 9, function 6 */
#define IVBEP_PCI_QPI2_FILTER		0x0e46	/* device 24, function 6 */
#define IVBEP_PCI_R2PCIE		0x0e34	/* device 19, function 1 */
#define IVBEP_PCI_R3QPI0		0x0e36	/* device 19, function 5 */
#define IVBEP_PCI_R3QPI1		0x0e37	/* device 19, function 6 */
#define IVBEP_PCI_R3QPI2		0x0e3e	/* device 18, function 5 */

/*
 * IRP: one PCI function contains both IRPs, with two counters each. The register offsets are
 * irregular.
 */
#define IVBEP_IRP_CTR0			0xa0
#define IVBEP_IRP_CTR1			0xb0
#define IVBEP_IRP_CTR2			0xb8
#define IVBEP_IRP_CTR3			0xc0

#endif /* UCORE_HW_IVBEP_H */
