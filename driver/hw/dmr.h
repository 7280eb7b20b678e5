/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about Diamond Rapids that differ from discovery.h, in the same form.
 *
 * The only source is Linux's driver of early 2026, which calls some facts preliminary. Facts
 * that it contradicts or leaves open are marked here.
 *
 * A package consists of hubs for memory and I/O (IMH) and blocks of cores (CBB). The tables of
 * IMHs are found through PCI functions, those of CBBs through an MSR. Each table has its own
 * global control, which is memory-mapped for CBBs. Each freeze bit reaches all units and is
 * set at power-on, so that counting requires all of them to be cleared.
 */
#ifndef UCORE_HW_DMR_H
#define UCORE_HW_DMR_H

#define DMR_PCI_IMH			0x09a1
#define DMR_MSR_CBB_TABLE		0x710	/* physical address of the CBB's table */
#define DMR_NR_GLOBALS			3	/* two IMHs and a CBB, if all belong to one die */

/* ---- box types; unit ids of the second IMH begin at 8000h ---- */

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
 * The threshold of an iMC has ten bits. Its lowest bit is the invert bit of other boxes, and
 * the source's list of fields has both there (UNCERTAIN(dmr-thresh)). The tenth bit is in the
 * upper half of the control, which the source does not write and which controls 4 bytes apart
 * lack.
 */
#define DMR_CTL_IMC_THRESH		GENMASK_ULL(31, 23)

/* From the box control */
#define DMR_IMC_FIXED_CTL		0x10
#define DMR_IMC_FIXED_CTR		0x18

/* UBox with a fixed counter as on GNR, or as on SPR: UNCERTAIN(dmr-ubox) */

#define DMR_CTL_CXLCM_INVERT		BIT_ULL(21)
#define DMR_CTL_CXLCM_THRESH		GENMASK_ULL(31, 23)
#define DMR_CTL_CXLCM_PORT_EN		GENMASK_ULL(35, 32)

/* PCIE4, PCIE6: rs3_sel, rx_sel, tx_sel, iep_sel, then vc_sel and port_sel of 8 bits */
#define DMR_CTL_PCIE_THRESH		GENMASK_ULL(35, 24)
#define DMR_CTL_PCIE_SELECT		GENMASK_ULL(55, 36)

#endif /* UCORE_HW_DMR_H */
