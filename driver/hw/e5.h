/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about the uncore registers that all Xeon E5-2600 generations (v1 to v4) have in common.
 *
 * Offsets, fields and encodings only. The machine model (tests/lab/qemu) has a separate reading.
 *
 * Source: Intel 329468-002 ("Xeon E5-2600 v2 and E7 v2 uncore performance monitoring reference
 * manual"). The comments contain its section and table numbers. 327043-001, the manual of the
 * first generation, agrees except for the differences in snbep.h.
 */
#ifndef UCORE_HW_E5_H
#define UCORE_HW_E5_H

/* Fields of GLOBAL_CTL (section 2.1.5, Tables 2-1 to 2-3) */
#define E5_GLOBAL_CTL_FRZ_ALL		BIT(31)
#define E5_GLOBAL_CTL_WK_ON_PMI		BIT(30)
#define E5_GLOBAL_CTL_UNFRZ_ALL		BIT(29)

/* Fields of BOX_CTL (Tables 2-13, 2-72, 2-119, 2-129). Bits 17:16 "must be written 1". */
#define E5_BOX_CTL_RST_CTRL		BIT(0)
#define E5_BOX_CTL_RST_CTRS		BIT(1)
#define E5_BOX_CTL_FRZ			BIT(8)
#define E5_BOX_CTL_FRZ_EN		BIT(16)
#define E5_BOX_CTL_OV_EN		BIT(17)

/* Fields of a counter control (Tables 2-14, 2-74, 2-120, 2-131) */
#define E5_CTL_EV_SEL			GENMASK(7, 0)
#define E5_CTL_UMASK			GENMASK(15, 8)
#define E5_CTL_RST			BIT(17)
#define E5_CTL_EDGE_DET			BIT(18)
#define E5_CTL_TID_EN			BIT(19)	/* C-Box only */
#define E5_CTL_OV_EN			BIT(20)
#define E5_CTL_EV_SEL_EXT		BIT(21)	/* QPI and PCU only */
#define E5_CTL_EN			BIT(22)
#define E5_CTL_INVERT			BIT(23)	/* reserved on v2 */
#define E5_CTL_THRESH			GENMASK(31, 24)
#define E5_CTL_THRESH5			GENMASK(28, 24)	/* UBox and PCU */
#define E5_HA_CTL_Q_OCC_RST		BIT(16)

/*
 * Smallest width (bits) that a source states for some counters of 48 bits, namely the fixed
 * counter of the UBox (the manual's tables show its bits 43:0), the IRP of v2 and the UBox of v3.
 */
#define E5_WIDTH_LEAST			44
#define E5_PCU_CTL_OCC_SEL		GENMASK(15, 14)
#define E5_PCU_CTL_OCC_INVERT		BIT(30)
#define E5_PCU_CTL_OCC_EDGE_DET		BIT(31)

/* Fields of a fixed counter's control (iMC: Table 2-75, UBox: Table 2-8) */
#define E5_FIXED_CTL_RST		BIT(19)	/* iMC only */
#define E5_FIXED_CTL_OV_EN		BIT(20)
#define E5_FIXED_CTL_EN			BIT(22)

/*
 * Config offsets of the registers of a box in a PCI function (Tables 1-3, 2-33, 2-59, 2-84).
 * Counters are 8 bytes apart, with the low dword at the lower offset. Controls are 4 bytes apart.
 */
#define E5_PCI_CTR0			0xa0
#define E5_PCI_FIXED_CTR		0xd0	/* iMC only */
#define E5_PCI_CTL0			0xd8
#define E5_PCI_FIXED_CTL		0xf0	/* iMC only */
#define E5_PCI_BOX_CTL			0xf4
#define E5_PCI_BOX_STATUS		0xf8

/* Address and opcode match registers of an HA: config offsets and fields (Tables 2-37, 2-38) */
#define E5_HA_ADDRMATCH0		0x40
#define E5_HA_ADDRMATCH1		0x44
#define E5_HA_OPCODEMATCH		0x48
#define E5_HA_ADDRMATCH0_LOW		GENMASK(31, 6)	/* bits 31:6 of the address */
#define E5_HA_ADDRMATCH1_HIGH		GENMASK(13, 0)	/* bits 45:32 of the address */
#define E5_HA_OPCODEMATCH_OPC		GENMASK(5, 0)

/*
 * Packet match and mask registers of a QPI port, in the port's filter function (Tables 2-133 to
 * 2-136). The event select of the event CTO_COUNT, which uses them, is 138h. On v1 it may be 38h:
 * UNCERTAIN(cto-count).
 */
#define E5_QPI_MATCH0			0x228
#define E5_QPI_MATCH1			0x22c
#define E5_QPI_MASK0			0x238
#define E5_QPI_MASK1			0x23c
#define E5_QPI_MATCH0_BITS		(BIT(31) | GENMASK(17, 3))
#define E5_QPI_MATCH1_BITS		(GENMASK(19, 16) | GENMASK(3, 0))

/* Registers of the UBox function that contain the number of its socket (config offsets) */
#define E5_UBOX_CPUNODEID		0x40
#define E5_UBOX_CPUNODEID_NODE		GENMASK(2, 0)
#define E5_UBOX_GIDNIDMAP		0x54	/* eight fields of three bits, one per socket */

/* Fields of the PCU filter: one threshold for each of the events 0x0b to 0x0e (Table 2-121) */
#define E5_PCU_FILTER_BAND0		GENMASK(7, 0)
#define E5_PCU_FILTER_BAND1		GENMASK(15, 8)
#define E5_PCU_FILTER_BAND2		GENMASK(23, 16)
#define E5_PCU_FILTER_BAND3		GENMASK(31, 24)

/* BOX_STATUS of an iMC: bit 0 is for the fixed counter, bit i + 1 is for counter i. */
#define E5_IMC_STATUS_FIXED		BIT(0)
#define E5_IMC_STATUS_CTR_SHIFT		1

#endif /* UCORE_HW_E5_H */
