/* SPDX-License-Identifier: GPL-2.0-only */
/* Core PMU finder: CPUID.0AH, and the core PMU derived from it. */
#ifndef UCORE_CORE_COUNTERS_H
#define UCORE_CORE_COUNTERS_H

#include "find/finder.h"

/**
 * struct ucore_core_cpuid - CPUID.0AH and related capabilities
 * @eax: EAX of CPUID.0AH
 * @ebx: EBX of CPUID.0AH
 * @ecx: ECX of CPUID.0AH
 * @edx: EDX of CPUID.0AH
 * @capabilities: IA32_PERF_CAPABILITIES, 0 if the MSR does not exist
 * @hybrid: true if the machine has CPUs of several types
 * @hypervisor: true if the kernel runs under a hypervisor
 */
struct ucore_core_cpuid {
	u32 eax;
	u32 ebx;
	u32 ecx;
	u32 edx;
	u64 capabilities;
	bool hybrid;
	bool hypervisor;
};

/**
 * struct ucore_core_pmu - the core PMU, as validated
 * @version: version of architectural performance monitoring
 * @nr_gp: number of general counters
 * @width: width of a general counter (bits)
 * @nr_fixed: number of fixed counters
 * @fixed_width: width of a fixed counter (bits)
 * @events: available predefined events, one bit each
 * @full_width: general counters have full-width write aliases (IA32_A_PMCx)
 * @any: controls have the AnyThread bit
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
 * @type: box type, without numbers and widths of counters
 * @layout: registers
 * @full_layout: registers on CPUs with full-width counter writes
 * @nr_fields: number of fields of @type without the last one, AnyThread
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
void ucore_core_describe(struct ucore_get_core *out);

#endif /* UCORE_CORE_COUNTERS_H */
