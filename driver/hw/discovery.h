/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about PMON discovery, and about the uncore registers of the processors that have it
 * (Sapphire Rapids and later).
 *
 * Offsets, fields and encodings only. The driver and the fuzzer (tests/fuzz) include this file.
 * Each of them defines BIT_ULL() and GENMASK_ULL(). The machine model (tests/lab/qemu) has a
 * separate reading.
 *
 * Intel's guide for the uncore of Sapphire Rapids is not public as text. The facts are those
 * on which Linux, Intel PCM and Intel's datasheets for Core Ultra 200 (831649, 844345, whose
 * uncore counters have the same registers) agree. Intel 817760 describes the same counter block as
 * an IP for FPGAs.
 */
#ifndef UCORE_HW_DISCOVERY_H
#define UCORE_HW_DISCOVERY_H

/* ---- location of the table: a DVSEC of a PCI function ---- */

#define DISC_PCI_DEVICE			0x09a7	/* usual device id of the function with the DVSEC */

#define DISC_EXT_CAP_FIRST		0x100
#define DISC_EXT_CAP_ID			GENMASK_ULL(15, 0)
#define DISC_EXT_CAP_VERSION		GENMASK_ULL(19, 16)
#define DISC_EXT_CAP_NEXT		GENMASK_ULL(31, 20)	/* offset; ignore its bits 1:0 */
#define DISC_EXT_CAP_ID_DVSEC		0x23

#define DISC_DVSEC_HEADER1		0x4
#define DISC_DVSEC_VENDOR		GENMASK_ULL(15, 0)
#define DISC_DVSEC_REVISION		GENMASK_ULL(19, 16)
#define DISC_DVSEC_LENGTH		GENMASK_ULL(31, 20)
#define DISC_DVSEC_HEADER2		0x8
#define DISC_DVSEC_ENTRY_ID		GENMASK_ULL(15, 0)
#define DISC_DVSEC_ENTRY_PMON		1
#define DISC_DVSEC_NUM_ENTRIES		GENMASK_ULL(23, 16)
#define DISC_DVSEC_ENTRY_SIZE		GENMASK_ULL(31, 24)
#define DISC_DVSEC_TABLE		0xc
#define DISC_DVSEC_TBIR			GENMASK_ULL(2, 0)
#define DISC_DVSEC_TABLE_OFFSET		GENMASK_ULL(31, 3)	/* offset in the BAR (bytes) */
#define DISC_DVSEC_SIZE			0x10

/*
 * MSRs with the physical address of a table: on client processors from Panther Lake on, on Nova
 * Lake, and on Diamond Rapids (dmr.h). intel_uncore reads the first one on each processor that it
 * does not know. It raises #GP if it does not exist.
 */
#define DISC_MSR_TABLE			0x201e
#define NVL_MSR_TABLE			0x711
#define NVL_FAMILY			18	/* CPUID family and models of Nova Lake */
#define NVL_MODEL			1
#define NVL_MODEL_L			3

/* ---- the table: record 0 is global, all others are units ---- */

/* Number of 64-bit words of a record that are used. The size of a record is in the table. */
#define DISC_RECORD_WORDS		3

#define DISC_GLOBAL0_TYPE		GENMASK_ULL(7, 0)
#define DISC_GLOBAL0_STRIDE		GENMASK_ULL(15, 8)	/* record size (64-bit words) */
#define DISC_GLOBAL0_MAX_UNITS		GENMASK_ULL(25, 16)
#define DISC_GLOBAL2_STATUS_OFFSET	GENMASK_ULL(7, 0)	/* offset from the global control */
#define DISC_GLOBAL2_NUM_STATUS		GENMASK_ULL(23, 8)	/* number of global status bits */

#define DISC_UNIT0_NUM_REGS		GENMASK_ULL(7, 0)
#define DISC_UNIT0_CTL_OFFSET		GENMASK_ULL(15, 8)	/* offset from the box control */
#define DISC_UNIT0_WIDTH		GENMASK_ULL(23, 16)
#define DISC_UNIT0_CTR_OFFSET		GENMASK_ULL(31, 24)
#define DISC_UNIT0_STATUS_OFFSET	GENMASK_ULL(39, 32)
#define DISC_UNIT2_TYPE			GENMASK_ULL(15, 0)
#define DISC_UNIT2_ID			GENMASK_ULL(31, 16)
#define DISC_UNIT2_STATUS_POS		GENMASK_ULL(47, 32)	/* bit of the global status */

/*
 * In both kinds of records, word 0 contains the kind of register access, and word 1 the address
 * of the global control or box control.
 */
#define DISC_WORD0_ACCESS		GENMASK_ULL(63, 62)
#define DISC_ACCESS_MSR			0
#define DISC_ACCESS_MMIO		1
#define DISC_ACCESS_PCI			2
#define DISC_ACCESS_INVALID		3

/* Fields of word 1 of a record whose registers are in PCI config space */
#define DISC_PCI_OFFSET			GENMASK_ULL(11, 0)
#define DISC_PCI_FUNCTION		GENMASK_ULL(14, 12)
#define DISC_PCI_SLOT			GENMASK_ULL(19, 15)
#define DISC_PCI_BUS			GENMASK_ULL(27, 20)
#define DISC_PCI_SEGMENT		GENMASK_ULL(30, 28)
#define DISC_PCI_ADDRESS		GENMASK_ULL(30, 0)	/* bit 31 may be an enable bit */

/* ---- registers, for every kind of access ---- */

/* Fields of the box control. All other bits may be written 0. */
#define DISC_BOX_CTL_FRZ		BIT_ULL(0)
#define DISC_BOX_CTL_RST_CTRL		BIT_ULL(8)
#define DISC_BOX_CTL_RST_CTRS		BIT_ULL(9)

/*
 * Fields of a counter control. There is no enable bit for a counter: a counter with an event
 * counts unless it is frozen. Bit 22 may be written 0 or 1: LIKWID never sets it, and Intel PCM
 * sets it. OV_EN lets an overflow send a message to the global control, which should freeze all
 * boxes: UNCERTAIN(overflow-freeze).
 */
#define DISC_CTL_EV_SEL			GENMASK_ULL(7, 0)
#define DISC_CTL_UMASK			GENMASK_ULL(15, 8)
#define DISC_CTL_TID_EN			BIT_ULL(16)	/* only CHAs of SPR and EMR */
#define DISC_CTL_RST			BIT_ULL(17)
#define DISC_CTL_EDGE_DET		BIT_ULL(18)
#define DISC_CTL_OV_EN			BIT_ULL(20)
#define DISC_CTL_EN			BIT_ULL(22)
#define DISC_CTL_INVERT			BIT_ULL(23)
#define DISC_CTL_THRESH			GENMASK_ULL(31, 24)
#define DISC_CTL_UMASK_EXT32		GENMASK_ULL(63, 32)	/* extended umask of a CHA */
#define DISC_CTL_UMASK_EXT		GENMASK_ULL(55, 32)	/* of other boxes that have one */
#define DISC_CTL_IIO_THRESH		GENMASK_ULL(35, 24)
#define DISC_CTL_IIO_CH_MASK		GENMASK_ULL(47, 36)
#define DISC_CTL_IIO_FC_MASK		GENMASK_ULL(50, 48)

/* Enable bit in the control of a fixed counter */
#define DISC_FIXED_CTL_EN		BIT_ULL(22)

/* FILTER0 of a CHA of SPR and EMR: offset from the box control (MSRs), and thread id field */
#define DISC_CHA_FILTER0		0xe
#define DISC_CHA_FILTER0_TID		GENMASK_ULL(9, 0)

/*
 * Distances between the controls and between the counters of a box. In MSRs both distances are 1.
 * In PCI config space both are 8 bytes, because a control has two dwords. In MMIO counters are 8
 * bytes apart. MMIO controls are 8 bytes apart in general (Intel 817760, 5.4.2 to 5.4.7) and in CXL
 * boxes, and 4 bytes apart in memory controllers (32 bits).
 */
#define DISC_PCI_CTL_STRIDE		8
#define DISC_MMIO_CTL_STRIDE		4
#define DISC_MMIO_CTL_STRIDE_CXL	8
#define DISC_CTR_STRIDE			8

/* Fixed counter of iMC and HBM boxes in MMIO: offsets from the box control (bytes) */
#define DISC_IMC_FIXED_CTR		0x38
#define DISC_IMC_FIXED_CTL		0x54
#define DISC_FIXED_WIDTH		48

/* Fixed counter of the UBox in MSRs: offsets from the box control */
#define SPR_UBOX_FIXED_CTL		0xe
#define SPR_UBOX_FIXED_CTR		0xf
#define GNR_UBOX_FIXED_CTR		0xd
#define GNR_UBOX_FIXED_CTL		0xe

/* ---- global control and status ---- */

/*
 * Freezes all boxes while it is set. Three independent programs write 1 to freeze and 0 to run
 * (Intel PCM, LIKWID, Linux). The other bits are unknown, and must be written 0.
 */
#define DISC_GLOBAL_CTL_FRZ_ALL		BIT_ULL(0)

/*
 * Distances between the words of the global status, in MSRs and otherwise in bytes. Status bits
 * are cleared by writing 1. Status position p of a unit is bit p % 64 of word p / 64.
 */
#define DISC_GLOBAL_STATUS_STRIDE_MSR	1
#define DISC_GLOBAL_STATUS_STRIDE	8	/* bytes, in PCI config space and MMIO */

/*
 * Largest known number of global controls of a die: those of two IMHs and of a CBB (dmr.h). Other
 * processors are known with one, but intel_uncore accepts several.
 */
#define DISC_MAX_GLOBALS		3

/* ---- box types ---- */

#define SPR_TYPE_CHA			0
#define SPR_TYPE_IIO			1
#define SPR_TYPE_IRP			2
#define SPR_TYPE_M2PCIE			3
#define SPR_TYPE_PCU			4
#define SPR_TYPE_UBOX			5
#define SPR_TYPE_IMC			6
#define SPR_TYPE_M2M			7
#define SPR_TYPE_UPI			8
#define SPR_TYPE_M3UPI			9
#define SPR_TYPE_PCIE			10
#define SPR_TYPE_MDF			11
#define SPR_TYPE_CXLCM			12
#define SPR_TYPE_CXLDP			13
#define SPR_TYPE_MCHBM			14

#define GNR_TYPE_CHA			0
#define GNR_TYPE_IIO			1
#define GNR_TYPE_IRP			2
#define GNR_TYPE_PCU			4
#define GNR_TYPE_UBOX			5
#define GNR_TYPE_IMC			6
#define GNR_TYPE_UPI			8
#define GNR_TYPE_CXLCM			12
#define GNR_TYPE_CXLDP			13
#define GNR_TYPE_B2HOT			15
#define GNR_TYPE_B2CMI			16
#define GNR_TYPE_B2CXL			17
#define GNR_TYPE_B2UPI			18
#define GNR_TYPE_MDF			20
#define GNR_TYPE_PCIEX16		21
#define GNR_TYPE_PCIEX8			22

/* ---- corrections of the tables of SPR and EMR ---- */

/* MSR with the real number of CHAs; 0 means that the table is correct (EMR XCC) */
#define SPR_MSR_CHA_COUNT		0x2ffe

/*
 * PCI functions of the UPI and M3UPI boxes. UPI unit n is function 1 of PCI slot 1 + n, and M3UPI
 * unit n is function 1 of PCI slot 5 + n.
 */
#define SPR_PCI_UPI			0x3241
#define SPR_PCI_UPI_SLOT0		1
#define SPR_PCI_M3UPI			0x3246
#define SPR_PCI_M3UPI_SLOT0		5
#define SPR_PCI_UPI_FUNCTION		1
#define SPR_NR_UPI			4
#define SPR_UPI_BOX_CTL			0x318
#define SPR_M3UPI_BOX_CTL		0xa0
#define SPR_UPI_CTL_OFFSET		0x38	/* from box control: at 350h (UPI), d8h (M3UPI) */
#define SPR_UPI_CTR_OFFSET		0x8	/* from box control: at 320h (UPI), a8h (M3UPI) */
#define SPR_UPI_NUM_REGS		4
#define SPR_UPI_WIDTH			48

/*
 * Remote end (peer) of a UPI link, in the PCI function of the link. skx.h explains the registers:
 * UNCERTAIN(link-node).
 */
#define SPR_UPI_KTILP0			0x94
#define SPR_UPI_KTILP0_PORT		GENMASK(12, 8)
#define SPR_UPI_KTILP0_NODEID		GENMASK(19, 16)
#define SPR_UPI_KTIPCSTS		0x120
#define SPR_UPI_KTIPCSTS_TRAINED	BIT(4)

/* UBox function: PCI device id, and config offsets of registers with the number of its socket */
#define SPR_PCI_UBOX			0x3250
#define SPR_UBOX_CPUNODEID		0xc0
#define SPR_UBOX_GIDNIDMAP		0xd4

/* ---- free-running counters of an IIO stack: read only, never frozen ---- */

#define SPR_MSR_IIO_FREE_CLOCK		0x340e
#define SPR_MSR_IIO_FREE_IN		0x3800	/* traffic of 8 ports, in units of 32 bytes */
#define SPR_MSR_IIO_FREE_OUT		0x3808
#define SPR_MSR_IIO_FREE_STRIDE		0x10	/* MSRs from stack to stack */
#define SPR_IIO_FREE_PORTS		8
#define SPR_NR_IIO_FREE			32	/* number of stacks that fit into the MSR range */
#define SPR_IIO_FREE_WIDTH		48

#define GNR_MSR_IIO_FREE_CLOCK		0x290e
#define GNR_MSR_IIO_FREE_OUT		0x2e0e
#define GNR_MSR_IIO_FREE_IN		0x360e
#define GNR_MSR_IIO_FREE_STRIDE		0x10	/* MSRs from stack to stack, for the clock */
#define GNR_MSR_IIO_FREE_PORT		0x10	/* MSRs from port to port */
#define GNR_MSR_IIO_FREE_PORTS		0x80	/* MSRs from stack to stack, for the ports */
#define GNR_NR_IIO_FREE			16	/* number of stacks that fit into the MSR range */

/* ---- free-running counters of a memory controller, see imc_map.h ---- */

#define SPR_PCI_IMC_MAP			0x3251
#define SPR_IMC_FREE_RPQ		0x2318	/* cycles of the read pending queue */
#define SPR_IMC_FREE_WPQ		0x2320	/* cycles of the write pending queue */
#define SPR_IMC_FREE_END		0x2328
#define SPR_IMC_CHANNELS		2	/* channels per controller; each is a unit */

#endif /* UCORE_HW_DISCOVERY_H */
