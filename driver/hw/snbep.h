/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about the uncore registers of the first generation of Xeon E5-2600, E5-1600 and E5-4600
 * (CPUID 06_2DH): offsets, fields and encodings only.
 *
 * Source: Intel 327043-001. The comments contain its section and table numbers. These processors
 * have no global control, no overflow status and no overflow interrupt (2.1). BOX_CTL bit 17 is
 * reserved and must be written 0.
 */
#ifndef UCORE_HW_SNBEP_H
#define UCORE_HW_SNBEP_H

/* C-Box n: MSRs at 0xd00 + 0x20 n (2.3.3) */
#define SNBEP_NR_CBO			8
#define SNBEP_MSR_CBO			0xd00
#define SNBEP_MSR_CBO_STRIDE		0x20
#define SNBEP_CBO_BOX_CTL		0x04
#define SNBEP_CBO_CTL0			0x10
#define SNBEP_CBO_FILTER		0x14
#define SNBEP_CBO_CTR0			0x16

/* C-Box filter, one register (2.3.3.3) */
#define SNBEP_CBO_FILTER_TID		GENMASK(4, 0)
#define SNBEP_CBO_FILTER_NID		GENMASK(17, 10)
#define SNBEP_CBO_FILTER_STATE		GENMASK(22, 18)
#define SNBEP_CBO_FILTER_OPC		GENMASK(31, 23)

/* MSRs of the UBox, which has no box control (2.2, Tables 2-4, 2-5) */
#define SNBEP_MSR_UBOX_FIXED_CTL	0xc08
#define SNBEP_MSR_UBOX_FIXED_CTR	0xc09
#define SNBEP_MSR_UBOX_CTL0		0xc10
#define SNBEP_MSR_UBOX_CTR0		0xc16

/* MSRs of the PCU (2.6.3) */
#define SNBEP_MSR_PCU_BOX_CTL		0xc24
#define SNBEP_MSR_PCU_CTL0		0xc30
#define SNBEP_MSR_PCU_FILTER		0xc34
#define SNBEP_MSR_PCU_CTR0		0xc36

/* Widths of counters (bits, Table 1-1) */
#define SNBEP_WIDTH_CBO			44
#define SNBEP_WIDTH_UBOX		44
#define SNBEP_WIDTH_R2PCIE		44
#define SNBEP_WIDTH_R3QPI		44
#define SNBEP_WIDTH			48	/* HA, iMC, QPI, PCU; all fixed counters */

/*
 * PCI device ids of vendor 8086h. The comments contain the location on the uncore PCI bus, which
 * is fixed (Table 1-3).
 */
#define SNBEP_PCI_UBOX			0x3ce0	/* device 11, function 0: has socket number */
#define SNBEP_PCI_HA			0x3c46	/* device 14, function 1 */
#define SNBEP_PCI_IMC_CH0		0x3cb0	/* device 16, function 0 */
#define SNBEP_PCI_IMC_CH1		0x3cb1	/* device 16, function 1 */
#define SNBEP_PCI_IMC_CH2		0x3cb4	/* device 16, function 4 */
#define SNBEP_PCI_IMC_CH3		0x3cb5	/* device 16, function 5 */
#define SNBEP_PCI_QPI0			0x3c41	/* device 8, function 2 */
#define SNBEP_PCI_QPI1			0x3c42	/* device 9, function 2 */
#define SNBEP_PCI_QPI0_FILTER		0x3c86	/* device 8, function 6 */
#define SNBEP_PCI_QPI1_FILTER		0x3c96	/* device 9, function 6 */
#define SNBEP_PCI_R2PCIE		0x3c43	/* device 19, function 1 */
#define SNBEP_PCI_R3QPI0		0x3c44	/* device 19, function 5 */
#define SNBEP_PCI_R3QPI1		0x3c45	/* device 19, function 6 */

#endif /* UCORE_HW_SNBEP_H */
