/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about the uncore registers of the Xeon E5-2600 v4, E7 v4 (CPUID 06_4FH) and Xeon D-1500
 * (06_56H) that differ from v3: offsets and encodings only. hswep.h has the facts that are the
 * same, and lists the sources.
 */
#ifndef UCORE_HW_BDXEP_H
#define UCORE_HW_BDXEP_H

#define BDXEP_NR_CBO			24
#define BDXEP_NR_SBOX_SMALL		0	/* SBOXes on a die whose CAPID4.CHOP is 0 */

/* Width of the counters of all boxes (bits) */
#define BDXEP_WIDTH			48

/*
 * PCI device ids of vendor 8086h. The functions have the device and function numbers of v3
 * (hswep.h).
 */
#define BDXEP_PCI_UBOX			0x6f1e	/* also on the Xeon D */
#define BDXEP_PCI_PCU			0x6fc0
#define BDXEP_PCI_HA0			0x6f30	/* also on the Xeon D */
#define BDXEP_PCI_HA1			0x6f38
#define BDXEP_PCI_IMC0_CH0		0x6fb0	/* also on the Xeon D */
#define BDXEP_PCI_IMC0_CH1		0x6fb1	/* also on the Xeon D */
#define BDXEP_PCI_IMC0_CH2		0x6fb4	/* also on the Xeon D */
#define BDXEP_PCI_IMC0_CH3		0x6fb5	/* also on the Xeon D */
#define BDXEP_PCI_IMC1_CH0		0x6fd0
#define BDXEP_PCI_IMC1_CH1		0x6fd1
#define BDXEP_PCI_IMC1_CH2		0x6fd4
#define BDXEP_PCI_IMC1_CH3		0x6fd5
#define BDXEP_PCI_IRP			0x6f39	/* also on the Xeon D */
#define BDXEP_PCI_QPI0			0x6f32
#define BDXEP_PCI_QPI1			0x6f33
#define BDXEP_PCI_QPI2			0x6f3a
#define BDXEP_PCI_QPI0_FILTER		0x6f86
#define BDXEP_PCI_QPI1_FILTER		0x6f96
#define BDXEP_PCI_QPI2_FILTER		0x6f46
#define BDXEP_PCI_R2PCIE		0x6f34	/* Xeon D; PCI function 1 or 0: UNCERTAIN(r2pcie) */
#define BDXEP_PCI_R3QPI0		0x6f36	/* exists on a Xeon D, which has no QPI links */
#define BDXEP_PCI_R3QPI1		0x6f37
#define BDXEP_PCI_R3QPI2		0x6f3e

#endif /* UCORE_HW_BDXEP_H */
