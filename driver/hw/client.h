/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about the uncore registers of client processors from Sandy Bridge to Panther Lake, and of
 * the Xeons made of the same dies (E3, E-2100 to E-2400, W-1200, W-1300, 6300): offsets, fields and
 * encodings only.
 *
 * Sources: SDM, Intel 325384 volume 3 (18.9.6 and 18.11.6 of edition 059) and 335592 volume 4
 * (tables 2-22, 2-30, 2-40, 2-43, 2-49 of edition 079); Linux 6.12,
 * arch/x86/events/intel/uncore_snb.c. A die is a package. Every CPU reaches all its registers.
 */
#ifndef UCORE_HW_CLIENT_H
#define UCORE_HW_CLIENT_H

/*
 * Global control (SDM 18.9.6). Its enable bit is a level: all boxes but the memory controllers
 * count while it is 1. The PMI select has cores or slices: UNCERTAIN(client-pmi). SDM 18.9.6 and
 * the table of Haswell have 3:0, all other tables have 4:0. A trial finds the CPUs of each bit.
 */
#define CLIENT_GLOBAL_CTL_PMI_SEL	GENMASK(4, 0)
#define SNB_GLOBAL_CTL_PMI_SEL		GENMASK(3, 0)
#define SKL_GLOBAL_CTL_PMI_SEL		GENMASK(4, 0)
#define ADL_GLOBAL_CTL_PMI_SEL		GENMASK(4, 0)
#define CLIENT_GLOBAL_CTL_EN		BIT(29)
#define CLIENT_GLOBAL_CTL_WAKE		BIT(30)
#define CLIENT_GLOBAL_CTL_FREEZE	BIT(31)		/* an overflow clears the enable bit */

/*
 * Bits of the global status: one for all boxes of a type (SDM 18.9.6). No source states how they
 * are cleared: UNCERTAIN(client-overflow). LIKWID writes 0 on Skylake, writes the bits back on
 * Tiger Lake, and names 393h as on Nehalem on Sandy Bridge. A trial finds what clears them.
 */
#define CLIENT_STATUS_CLOCK		BIT(0)
#define CLIENT_STATUS_ARB		BIT(1)
#define CLIENT_STATUS_CBO		BIT(3)

/* Control of a general counter (SDM 18.9.6). Bits 16, 17, 19 and 21 are reserved. */
#define CLIENT_CTL_EVENT		GENMASK(7, 0)
#define CLIENT_CTL_UMASK		GENMASK(15, 8)
#define CLIENT_CTL_EDGE			BIT(18)
#define CLIENT_CTL_OV_EN		BIT(20)
#define CLIENT_CTL_EN			BIT(22)
#define CLIENT_CTL_INVERT		BIT(23)
#define CLIENT_CTL_THRESH		GENMASK(28, 24)
#define ADL_CBO_CTL_THRESH		GENMASK(29, 24)	/* Linux only */

/*
 * Events that count memory requests, umask and event select (Intel's event lists). From Ice Lake on
 * the lists have no event of a CBO. PmcReader counts the same one on Alder Lake:
 * UNCERTAIN(client-traffic).
 */
#define CLIENT_CBO_LOOKUPS		0x8f34		/* CACHE_LOOKUP.ANY_MESI */
#define CLIENT_ARB_REQUESTS		0x0181		/* TRK_REQUESTS.ALL */

/* Control of the clock's fixed counter (SDM 2-22) */
#define CLIENT_FIXED_CTL_OV_EN		BIT(20)
#define CLIENT_FIXED_CTL_EN		BIT(22)

/*
 * Widths (bits). Linux has 48 for the fixed counter everywhere. Tables 2-40 and 2-49 have 44:
 * UNCERTAIN(clock-width).
 */
#define CLIENT_WIDTH			44
#define CLIENT_FIXED_WIDTH		48
#define CLIENT_FIXED_WIDTH_LEAST	44

/*
 * Sandy Bridge to Broadwell (SDM 2-22, 2-30). CBO n: MSRs at 700h + 10h n. Table 2-22 has four
 * counters for each CBO, all other sources have two: UNCERTAIN(cbo-counters). Two are used.
 */
#define SNB_MSR_GLOBAL_CTL		0x391
#define SNB_MSR_GLOBAL_STATUS		0x392
#define SNB_MSR_STATUS_CLEAR		0x393		/* LIKWID only, as on Nehalem */
#define SNB_MSR_CLOCK			0x394		/* control, then counter */
#define SNB_MSR_ARB			0x3b0		/* counters, then controls */
#define SNB_MSR_CBO			0x700
#define SNB_MSR_CBO_STRIDE		0x10
#define SNB_NR_CBO			4
#define SNB_CBO_CTL0			0x0
#define SNB_CBO_CTR0			0x6
#define SNB_ARB_CTR0			0x0
#define SNB_ARB_CTL0			0x2
#define CLIENT_CLOCK_CTL		0x0
#define CLIENT_CLOCK_CTR		0x1

/*
 * Number of CBOs, bits 3:0. Up to Comet Lake the processor graphics counts as one more, except
 * that 10 means ten: UNCERTAIN(cbo-config). From Ice Lake on it is the number.
 */
#define CLIENT_MSR_CBO_CONFIG		0x396
#define CLIENT_CBO_CONFIG_NUM		GENMASK(3, 0)
#define SKL_CBO_CONFIG_EXACT		10

/*
 * Skylake to Comet Lake (SDM 2-40). From Skylake on, MSRs 390h to 392h belong to the core. CBOs 0
 * to 6 are where they were. 770h is IA32_PM_ENABLE, so that CBO 7 is at F70h. F80h and F90h are
 * inferred from the access list of Intel's driver: UNCERTAIN(late-cbos). A box is probed first.
 */
#define SKL_MSR_GLOBAL_CTL		0xe01
#define SKL_MSR_GLOBAL_STATUS		0xe02
#define SKL_MSR_STATUS_CLEAR		0		/* none is known */
#define SKL_NR_CBO			10
#define SKL_MSR_CBO_LOW(n)		(0x700 + 0x10 * (n))
#define SKL_MSR_CBO_HIGH(n)		(0xf00 + 0x10 * (n))

/* Ice Lake, Rocket Lake, Tiger Lake (SDM 2-43, printed for Cannon Lake; Linux) */
#define ICL_MSR_CBO_STRIDE		0x8
#define ICL_NR_CBO			8
#define ICL_CBO_CTL0			0x0
#define ICL_CBO_CTR0			0x2
#define ICL_MSR_ARB			0x3b1		/* the only counter */
#define ICL_ARB_CTL0			0x2

/* Alder Lake, Raptor Lake (SDM 2-49). 2FF0h has another meaning on servers. */
#define ADL_MSR_GLOBAL_CTL		0x2ff0
#define ADL_MSR_GLOBAL_STATUS		0x2ff2
#define ADL_MSR_STATUS_CLEAR		0		/* none is known */
#define ADL_MSR_CBO			0x2000
#define ADL_NR_CBO			12
#define ADL_MSR_ARB			0x2fd0
#define ADL_MSR_ARB_STRIDE		0x8
#define ADL_NR_ARB			2
#define ADL_MSR_CLOCK			0x2fde

/*
 * Meteor Lake, Arrow Lake (Linux; SEP has the ranges). Compute tile: CBOs, ARBs, cNCU. SoC tile:
 * HAC_ARBs, HAC_CBOs, sNCU. Each tile has a global control. Only its enable bit (29) is known. A
 * status, a PMI and a freeze on overflow are not: UNCERTAIN(tile-control). Controls are as on Alder
 * Lake, without an overflow enable. All counters have 48 bits. 396h has the number of CBOs, and
 * their largest number is not known.
 */
#define MTL_MSR_COMPUTE_GLOBAL_CTL	0x240e
#define MTL_MSR_SOC_GLOBAL_CTL		0x200e
#define MTL_MSR_CNCU			0x2402
#define MTL_MSR_ARB			0x2412
#define MTL_MSR_CBO			0x2442
#define MTL_MSR_SNCU			0x2002
#define MTL_MSR_HAC_ARB			0x2012
#define MTL_MSR_HAC_CBO			0x2042
#define MTL_MSR_STRIDE			0x10
#define MTL_NR_CBO			15		/* as many as 396h can state */
#define MTL_NR_ARB			2
#define MTL_NR_HAC			2
#define MTL_CTL0			0x0
#define MTL_CTR0			0x6
#define MTL_CTL_THRESH			GENMASK(29, 24)
#define MTL_WIDTH			48
#define MTL_HAC_ARB_REQUESTS		0x0181		/* HAC_ARB_TRK_REQUESTS.ALL */
#define MTL_HAC_CBO_REQUESTS		0x0835		/* HAC_CBO_TOR_ALLOCATION.ALL */

/* Lunar Lake (Linux): the CBOs and ARBs of Meteor Lake, under the control of the compute tile */
#define LNL_NR_CBO			4

/*
 * Panther Lake, Wildcat Lake (Linux only): MSRs as on Lunar Lake, and a second clock with a control
 * of its own. Linux writes these two controls only, and counts with all of these boxes. The core
 * bridge is among the addresses of the SoC tile of Meteor Lake. Which of the controls stops the
 * core bridge and which the other boxes: UNCERTAIN(core-bridge).
 */
#define PTL_NR_CBO			6
#define PTL_NR_CNCU			2
#define PTL_MSR_CNCU_STRIDE		0x140
#define PTL_MSR_SECOND_GLOBAL_CTL	(MTL_MSR_COMPUTE_GLOBAL_CTL + PTL_MSR_CNCU_STRIDE)
#define PTL_MSR_CORE_BRIDGE		0x2022

/*
 * A discovery table lists all other boxes of Panther Lake: DISC_MSR_TABLE has its address. The
 * global freeze is set at power-on. Controls are 4 bytes apart, as Linux accesses them and as an
 * HBO of Lunar Lake has them. The bits of a box control that reset are 8 and 9 by Linux, and 1
 * and 2 on Lunar Lake, so that only the freeze is used: UNCERTAIN(unit-reset).
 */
#define PTL_TYPE_IMC			6
#define PTL_TYPE_SNCU			34
#define PTL_TYPE_HBO			41
#define PTL_CTL_STRIDE			4

/*
 * Memory controllers. The host bridge 00:00.0 has the address of their registers (MCHBAR). A
 * counter counts lines of 64 bytes. It cannot be written, and nothing stops it. Counters of 32 bits
 * are next to each other, so that each needs an access of 32 bits (Linux).
 */
#define CLIENT_MCHBAR			0x48
#define CLIENT_MCHBAR_EN		BIT(0)
#define CLIENT_MCHBAR_ADDRESS		GENMASK_ULL(63, 15)
#define CLIENT_MC_STRIDE		0x10000

#define SNB_MC_GT			0x5040		/* requests of graphics */
#define SNB_MC_IA			0x5044		/* requests of cores */
#define SNB_MC_IO			0x5048		/* requests of devices */
#define SNB_MC_READ			0x5050
#define SNB_MC_WRITE			0x5054
#define SNB_MC_WIDTH			32

#define TGL_NR_MC			2
#define TGL_MC_TOTAL			0x5040
#define TGL_MC_READ			0x5058
#define TGL_MC_WRITE			0x50a0
#define ADL_MC_TOTAL			0xd840
#define ADL_MC_READ			0xd858
#define ADL_MC_WRITE			0xd8a0
#define TGL_MC_WIDTH			64

/*
 * General counters of a memory controller, Alder Lake to Lunar Lake (Linux, SEP). Only the box
 * control freezes them. No bit enables a counter. A mask of 0 is taken for all channels. Linux
 * writes 6 to C0h of the second controller once, for both: UNCERTAIN(imc-control). ucore never
 * writes it.
 */
#define ADL_MC_PMON			0xd900
#define ADL_MC_PMON_SIZE		0x110
#define ADL_MC_BOX_CTL			0xc4
#define ADL_MC_CTL0			0xd0
#define ADL_MC_CTR0			0xe8
#define ADL_MC_WIDTH			64
#define ADL_MC_CTL_CHANNELS		GENMASK(11, 8)
#define ADL_MC_BOX_CTL_FRZ		BIT(0)
#define ADL_MC_CLOCK			0x01		/* M_CLOCKTICKS (not of MTL, ARL) */

#endif /* UCORE_HW_CLIENT_H */
