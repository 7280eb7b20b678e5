/* SPDX-License-Identifier: GPL-2.0-only */
/* Finder of the core boxes: derives the counters of a core from CPUID.0AH. */
#ifndef UCORE_CORE_CPUID_H
#define UCORE_CORE_CPUID_H

#include "find/found_boxes.h"

/**
 * struct ucore_core_cpuid - values of CPUID.0AH and of related registers on a CPU
 * @eax: EAX of CPUID.0AH
 * @ebx: EBX of CPUID.0AH
 * @ecx: ECX of CPUID.0AH
 * @edx: EDX of CPUID.0AH
 * @capabilities: value of IA32_PERF_CAPABILITIES, 0 if the MSR does not exist
 * @hybrid: true if the machine has CPUs of several kinds
 * @cpu_type: CPUID.1AH:EAX[31:24], the kind of a CPU; 0 if not @hybrid, or without that leaf
 * @hypervisor: true if the kernel runs under a hypervisor
 */
struct ucore_core_cpuid {
	u32 eax;
	u32 ebx;
	u32 ecx;
	u32 edx;
	u64 capabilities;
	u32 cpu_type;
	bool hybrid;
	bool hypervisor;
};

/**
 * struct ucore_core_pmu - properties of the core PMU, validated by ucore_core_decode()
 * @version: version of architectural performance monitoring
 * @nr_gp: number of general counters
 * @width: width of a general counter (bits)
 * @nr_fixed: number of fixed counters
 * @fixed_width: width of a fixed counter (bits)
 * @events: bit mask of the predefined architectural events that exist
 * @full_width: general counters have alias MSRs whose writes set all bits (IA32_A_PMCx)
 * @any: controls of the counters have the AnyThread bit
 */
struct ucore_core_pmu {
	u32 version;
	u32 nr_gp;
	u32 width;
	u32 nr_fixed;
	u32 fixed_width;
	u32 events;
	bool full_width;
	bool any;
};

/**
 * struct ucore_core_table - properties of core boxes that do not depend on CPUID
 * @type: box type, without the numbers and widths of the counters
 * @layout: register offsets on CPUs without full-width counter writes
 * @full_layout: register offsets on CPUs with full-width counter writes (IA32_A_PMCx)
 * @nr_fields: number of event fields of @type without AnyThread, which is the last field
 */
struct ucore_core_table {
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	const struct ucore_layout *full_layout;
	u32 nr_fields;
};

u32 ucore_core_decode(const struct ucore_core_cpuid *leaf, struct ucore_core_pmu *pmu);
int ucore_core_find(struct ucore_finder *finder, const struct ucore_platform *platform);
void ucore_core_drop(void);
int ucore_core_describe(struct ucore_get_core *out);

#endif /* UCORE_CORE_CPUID_H */
