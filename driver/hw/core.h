/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about architectural performance monitoring of the cores, versions 1 to 5.
 *
 * Registers, fields and encodings only. The machine model (tests/lab/qemu) can include this
 * file. A file that includes it must define BIT() and GENMASK().
 *
 * Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3B,
 * "Architectural performance monitoring", and volume 4, table 2-2.
 */
#ifndef UCORE_HW_CORE_H
#define UCORE_HW_CORE_H

/* ---- CPUID.0AH ---- */

#define CORE_CPUID		0xa

#define CORE_EAX_VERSION	GENMASK(7, 0)
#define CORE_EAX_NR_GP		GENMASK(15, 8)
#define CORE_EAX_WIDTH		GENMASK(23, 16)
#define CORE_EAX_NR_EVENTS	GENMASK(31, 24)	/* number of valid bits in EBX */
#define CORE_EDX_NR_FIXED	GENMASK(4, 0)	/* from version 2 on */
#define CORE_EDX_FIXED_WIDTH	GENMASK(12, 5)
#define CORE_EDX_NO_ANY		BIT(15)		/* AnyThread is deprecated: version 5 */
/*
 * A set bit i of EBX means that predefined event i does NOT exist. A set bit i of ECX means
 * that fixed counter i exists (version 5).
 */

#define CORE_NR_EVENTS		7	/* predefined events of all versions up to 5 */
#define CORE_MAX_VERSION	5
#define CORE_MAX_GP		8
#define CORE_MAX_FIXED		4
#define CORE_MIN_FIXED		3	/* fixed counters of versions 2 to 4 if CPUID has fewer */

/* ---- CPUID.1AH: the kind of a CPU of a hybrid processor (CPUID.07H:EDX[15]) ---- */

#define CORE_TYPE_CPUID		0x1a
#define CORE_TYPE_EAX		GENMASK(31, 24)
#define CORE_TYPE_EFFICIENT	0x20
#define CORE_TYPE_PERFORMANCE	0x40

/* ---- MSRs of the core counters ---- */

#define CORE_PMC0		0x0c1	/* IA32_PMCx; a write sign-extends its low 32 bits */
#define CORE_EVTSEL0		0x186	/* IA32_PERFEVTSELx */
#define CORE_FIXED0		0x309	/* IA32_FIXED_CTRx */
#define CORE_PERF_CAPABILITIES	0x345
#define CORE_FIXED_CTL		0x38d	/* IA32_FIXED_CTR_CTRL */
#define CORE_GLOBAL_STATUS	0x38e
#define CORE_GLOBAL_CTL		0x38f
#define CORE_OVF_CTL		0x390	/* IA32_PERF_GLOBAL_OVF_CTRL, write 1 to clear */
#define CORE_A_PMC0		0x4c1	/* IA32_A_PMCx: full-width alias of IA32_PMCx */

#define CORE_CAP_FULL_WIDTH	BIT(13)	/* IA32_PERF_CAPABILITIES: CORE_A_PMC0 exists */
#define CORE_WRITE_BITS		32	/* number of low bits that a write of IA32_PMCx sets */

/* Fields of IA32_PERFEVTSELx */
#define CORE_CTL_EV_SEL		GENMASK(7, 0)
#define CORE_CTL_UMASK		GENMASK(15, 8)
#define CORE_CTL_USR		BIT(16)
#define CORE_CTL_OS		BIT(17)
#define CORE_CTL_EDGE		BIT(18)
#define CORE_CTL_INT		BIT(20)
#define CORE_CTL_ANY		BIT(21)	/* versions 3 and 4, and 5 unless deprecated */
#define CORE_CTL_EN		BIT(22)
#define CORE_CTL_INV		BIT(23)
#define CORE_CTL_CMASK		GENMASK(31, 24)

/* Fields of IA32_FIXED_CTR_CTRL: four bits for each fixed counter */
#define CORE_FIXED_STEP		4
#define CORE_FIXED_OS		BIT(0)
#define CORE_FIXED_USR		BIT(1)
#define CORE_FIXED_ANY		BIT(2)
#define CORE_FIXED_INT		BIT(3)

/*
 * Bits of IA32_PERF_GLOBAL_CTRL, _STATUS and _OVF_CTRL: bit i is for general counter i, and bit
 * 32 + i for fixed counter i.
 */
#define CORE_STATUS_FIXED	32
#define CORE_STATUS_FROZEN	BIT_ULL(59)	/* CTR_Frz: all counters are frozen (version 4) */
#define CORE_STATUS_UNCORE	BIT_ULL(61)	/* Ovf_Uncore: the uncore has sent a PMI */
#define CORE_STATUS_BUFFER	BIT_ULL(62)	/* OvfBuf: the PEBS buffer is full */
#define CORE_STATUS_CHANGED	BIT_ULL(63)	/* CondChgd: status bits have changed */
/*
 * Status bits of counters, metrics and buffers of the core. The other bits are no overflows of the
 * core.
 */
#define CORE_STATUS_OVERFLOWS	((BIT_ULL(56) - 1) | CORE_STATUS_BUFFER)

#endif /* UCORE_HW_CORE_H */
