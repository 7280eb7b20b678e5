/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about the uncore registers of Diamond Rapids that differ from discovery.h: offsets,
 * fields and encodings only.
 *
 * The only source is intel_uncore (the driver in the kernel tree) of early 2026, which calls some
 * facts preliminary. Facts that this source contradicts or leaves open are marked here.
 *
 * A package consists of hubs for memory and I/O (IMH) and blocks of cores (CBB). The discovery
 * tables of IMHs are found through PCI functions, those of CBBs through an MSR. Each table has
 * its own global control, which is memory-mapped for CBBs. The freeze bit of each global control
 * stops all units and is set at power-on. Therefore the units count only if all freeze bits are
 * cleared.
 */
#ifndef UCORE_HW_DMR_H
#define UCORE_HW_DMR_H

#define DMR_PCI_IMH			0x09a1
#define DMR_MSR_CBB_TABLE		0x710	/* contains the physical address of a CBB's table */

/* ---- box types; unit ids of the second IMH begin at 8000h ---- */

#define DMR_TYPE_PCU			4
#define DMR_TYPE_UBOX			5
#define DMR_TYPE_IMC			6
#define DMR_TYPE_MSE			19	/* units do not work: rejected by the driver */
#define DMR_TYPE_SCA			23
#define DMR_TYPE_CXLCM			24
#define DMR_TYPE_HAMVF			30
#define DMR_TYPE_CBO			31
#define DMR_TYPE_SANTA			32
#define DMR_TYPE_CNCU			33
#define DMR_TYPE_SNCU			34
#define DMR_TYPE_ULA			35
#define DMR_TYPE_DDA			36
/*
 * intel_uncore rejects these units as broken. A later backport by Intel lists them on a real
 * Diamond Rapids, under the name d2d_sb2ucie: UNCERTAIN(dmr-sb2ucie).
 */
#define DMR_TYPE_SB2UCIE		37
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
 * Threshold field in the control of an iMC counter. The field has ten bits. Its lowest bit is the
 * invert bit of other boxes, and intel_uncore lists both fields at it: UNCERTAIN(dmr-thresh). The
 * tenth bit is in the upper dword of a 64-bit control. intel_uncore does not write this dword, and
 * controls that are 4 bytes apart have no such dword. Therefore the tenth bit is left out here.
 */
#define DMR_CTL_IMC_THRESH		GENMASK_ULL(31, 23)

/* Fixed counter of an iMC: offsets from the box control (bytes) */
#define DMR_IMC_FIXED_CTL		0x10
#define DMR_IMC_FIXED_CTR		0x18

/* The fixed counter of the UBox is at the offsets of GNR, or of SPR: UNCERTAIN(dmr-ubox). */

#define DMR_CTL_CXLCM_INVERT		BIT_ULL(21)
#define DMR_CTL_CXLCM_THRESH		GENMASK_ULL(31, 23)
#define DMR_CTL_CXLCM_PORT_EN		GENMASK_ULL(35, 32)

/*
 * Fields in the control of a PCIE4 or PCIE6 counter. DMR_CTL_PCIE_SELECT consists of rs3_sel,
 * rx_sel, tx_sel and iep_sel of one bit each, then vc_sel and port_sel of 8 bits each.
 */
#define DMR_CTL_PCIE_THRESH		GENMASK_ULL(35, 24)
#define DMR_CTL_PCIE_SELECT		GENMASK_ULL(55, 36)

/* ---- free-running counters of I/O ports (HIOP) of the first IMH ---- */

/*
 * Physical addresses of four HIOPs, and offsets of their counters (bytes): inbound data, inbound
 * bandwidth and outbound bandwidth of eight ports, then a clock. The addresses are a constant of
 * intel_uncore. No register contains them, so that they may be wrong on another board. A bandwidth
 * counter counts units of 4 bytes, or of 32 bytes as on Sapphire Rapids: UNCERTAIN(dmr-free).
 */
#define DMR_HIOP_ADDRESSES \
	{ 0x1ffff6ae7000, 0x1ffff6aef000, 0x1ffff6aff000, 0x1ffff6b07000 }
#define DMR_HIOP_PORTS			8
#define DMR_HIOP_FREE_DATA		0x4d40
#define DMR_HIOP_FREE_IN		0x6b00
#define DMR_HIOP_FREE_OUT		0x6b60
#define DMR_HIOP_FREE_CLOCK		0x6bb0
#define DMR_HIOP_FREE_END		0x6bb8
#define DMR_HIOP_FREE_WIDTH		48

#endif /* UCORE_HW_DMR_H */
