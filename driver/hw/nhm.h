/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about the uncore registers of Nehalem and Westmere (models 1Ah, 1Eh, 1Fh, 25h and 2Ch; not
 * 2Eh and 2Fh, whose uncore differs): offsets, fields and encodings only.
 *
 * Sources: SDM, Intel 325384 volume 3, edition 059 (18.8.2, table 35-14); Linux 6.12,
 * arch/x86/events/intel/uncore_snb.c; libpfm4. A package is a die. Every CPU of the package reaches
 * all its registers.
 */
#ifndef UCORE_HW_NHM_H
#define UCORE_HW_NHM_H

/*
 * Global control (SDM 18.8.2). Each counter counts while its enable bit here and that of its
 * control are 1. With PMI_FRZ an overflow that requests a PMI stops all counters. The handler must
 * set the enable bits again, so that they are taken to read 0 until then. The manual does not state
 * whether the counters stop if no core is selected: UNCERTAIN(nhm-freeze).
 *
 * Each bit of the PMI select reaches both threads of a core, and only four cores can be selected.
 * No source states which cores these are on a processor with six: UNCERTAIN(nhm-pmi).
 */
#define NHM_MSR_GLOBAL_CTL		0x391
#define NHM_GLOBAL_CTL_EN_PC		GENMASK_ULL(7, 0)
#define NHM_GLOBAL_CTL_EN_FC		BIT_ULL(32)
#define NHM_GLOBAL_CTL_PMI_SEL		GENMASK_ULL(51, 48)
#define NHM_GLOBAL_CTL_PMI_FRZ		BIT_ULL(63)

/*
 * Global status: a bit for each counter. The manual does not tie it to the PMI that a control
 * requests, so that any wrap may set it. OVF_PMI and CHG show no counter. A write of 1 to the clear
 * register clears the same bit of the status.
 */
#define NHM_MSR_GLOBAL_STATUS		0x392
#define NHM_MSR_STATUS_CLEAR		0x393
#define NHM_STATUS_PC			GENMASK_ULL(7, 0)
#define NHM_STATUS_FC			BIT_ULL(32)
#define NHM_STATUS_PMI			BIT_ULL(61)
#define NHM_STATUS_CHG			BIT_ULL(63)

/*
 * Clock: the fixed counter, then its control. From Sandy Bridge on it is the other way round. Bit 2
 * of the control enables its PMI. A specification update is said to have an erratum by which this
 * PMI is ignored unless a general counter is enabled. Therefore the bit is not used.
 */
#define NHM_MSR_CLOCK			0x394
#define NHM_CLOCK_CTR			0x0
#define NHM_CLOCK_CTL			0x1
#define NHM_FIXED_CTL_EN		BIT(0)

/*
 * General counters, then their controls. Bit 17 of a control clears the queue occupancy that the
 * event accumulates. It is never set, because the requests that are in the queue at that time would
 * not be counted. The match register 396h is not used.
 */
#define NHM_MSR_UNCORE			0x3b0
#define NHM_NR_COUNTERS			8
#define NHM_CTR(i)			(0x0 + (i))
#define NHM_CTL(i)			(0x10 + (i))
#define NHM_CTL_EVENT			GENMASK(7, 0)
#define NHM_CTL_UMASK			GENMASK(15, 8)
#define NHM_CTL_EDGE			BIT(18)
#define NHM_CTL_PMI			BIT(20)
#define NHM_CTL_EN			BIT(22)
#define NHM_CTL_INVERT			BIT(23)
#define NHM_CTL_THRESH			GENMASK(31, 24)

#define NHM_WIDTH			48	/* all counters (bits) */

/* Event that counts memory requests of a CPU, umask and event select: LLC_MISS.ANY */
#define NHM_LLC_MISSES			0x0309

#endif /* UCORE_HW_NHM_H */
