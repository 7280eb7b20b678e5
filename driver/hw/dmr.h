/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Diamond Rapids: what differs from discovery.h, facts only, see there.
 *
 * There is one source, Linux's driver of early 2026, which calls some of it preliminary.
 * What it contradicts itself in, or leaves open, is marked here.
 *
 * A package is made of hubs for memory and I/O (IMH), whose functions show their tables,
 * and of blocks of cores (CBB), of whose tables an MSR tells.  Each table has a global
 * control of its own, those of CBBs in memory.  One freeze reaches all units, and is set
 * at power-on: who wants to count clears it in all of them.
 */
#ifndef UCORE_HW_DMR_H
#define UCORE_HW_DMR_H

#define DMR_PCI_IMH			0x09a1
#define DMR_MSR_CBB_TABLE		0x710	/* physical address of the CBB's table */
#define DMR_NR_GLOBALS			3	/* two IMHs and a CBB, if all are of one die */

/* ---- box types; ids of the second IMH's units begin at 8000h ---- */

#define DMR_TYPE_PCU			4
#define DMR_TYPE_UBOX			5
#define DMR_TYPE_IMC			6
#define DMR_TYPE_MSE			19	/* broken */
#define DMR_TYPE_SCA			23
#define DMR_TYPE_CXLCM			24
#define DMR_TYPE_HAMVF			30
#define DMR_TYPE_CBO			31
#define DMR_TYPE_SANTA			32
#define DMR_TYPE_CNCU			33
#define DMR_TYPE_SNCU			34
#define DMR_TYPE_ULA			35
#define DMR_TYPE_DDA			36
#define DMR_TYPE_SB2UCIE		37	/* broken */
#define DMR_TYPE_SBO			38
#define DMR_TYPE_UBR			43
#define DMR_TYPE_PCIE4			45
#define DMR_TYPE_CRS			46
#define DMR_TYPE_CPC			47
#define DMR_TYPE_ITC			48
#define DMR_TYPE_OTC			49
#define DMR_TYPE_CMS			50
#define DMR_TYPE_PCIE6			51

/* ---- controls ---- */

/*
 * iMC: the threshold has ten bits, the lowest of which is where others have invert, and
 * the source's list of fields has both there: UNCERTAIN(dmr-thresh).  The tenth is in the
 * upper half, which that source does not write, and controls 4 bytes apart do not have.
 */
#define DMR_CTL_IMC_THRESH		GENMASK_ULL(31, 23)

/* From the box control */
#define DMR_IMC_FIXED_CTL		0x10
#define DMR_IMC_FIXED_CTR		0x18

/* UBox: a fixed counter as GNR has it, or SPR: UNCERTAIN(dmr-ubox) */

#define DMR_CTL_CXLCM_INVERT		BIT_ULL(21)
#define DMR_CTL_CXLCM_THRESH		GENMASK_ULL(31, 23)
#define DMR_CTL_CXLCM_PORT_EN		GENMASK_ULL(35, 32)

/* PCIE4, PCIE6: rs3_sel, rx_sel, tx_sel, iep_sel, then vc_sel and port_sel of 8 bits */
#define DMR_CTL_PCIE_THRESH		GENMASK_ULL(35, 24)
#define DMR_CTL_PCIE_SELECT		GENMASK_ULL(55, 36)

#endif /* UCORE_HW_DMR_H */
