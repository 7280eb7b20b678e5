/* SPDX-License-Identifier: GPL-2.0-only */
/* The cores' own monitors: what CPUID says of them, and what is believed. */
#ifndef UCORE_CORE_H
#define UCORE_CORE_H

#include "find/finder.h"

/**
 * struct ucore_core_cpuid - what a processor says
 * @eax: of CPUID.0AH
 * @ebx: of the same
 * @ecx: of the same
 * @edx: of the same
 * @capabilities: IA32_PERF_CAPABILITIES, 0 if there is none
 * @hybrid: CPUs are of more than one kind
 * @hypervisor: a hypervisor answers
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
 * struct ucore_core_pmu - what is believed of it
 * @version: of architectural performance monitoring
 * @nr_gp: general counters
 * @width: bits of one
 * @nr_fixed: fixed counters
 * @fixed_width: bits of one
 * @events: predefined events that there are, a bit each
 * @full_width: general counters can be written whole
 * @any: events can count for both threads of a core
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
 * struct ucore_core_table - what core boxes are, whatever CPUID says
 * @type: the box type; counters and widths are missing
 * @layout: registers
 * @full_layout: registers where counters can be written whole
 * @nr_fields: fields of the type without the last, "any"
 */
struct ucore_core_table {
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	const struct ucore_layout *full_layout;
	u32 nr_fields;
};

u32 ucore_core_decode(const struct ucore_core_cpuid *says, struct ucore_core_pmu *pmu);
int ucore_core_find(struct ucore_finder *finder, const struct ucore_platform *platform);
void ucore_core_drop(void);
void ucore_core_describe(struct ucore_get_core *out);

#endif /* UCORE_CORE_H */
