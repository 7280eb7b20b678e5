// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finder of the core boxes: one box with the core counters of each online CPU.
 *
 * Owns the state that GET_CORE reports. ucore_core_decode() validates CPUID.0AH and is a pure
 * function. Hybrid machines, whose CPUs are of several types, get no core boxes. Process
 * context, at module load.
 */
#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/cpufeature.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/processor.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include "compat.h"
#include "find/core_cpuid.h"
#include "hw/core.h"

static bool core_pmu = true;
module_param(core_pmu, bool, 0444);
MODULE_PARM_DESC(core_pmu, "provide the counters of the cores, which perf uses, too");

/* Core PMU of this machine, constant once the catalog is built */
static struct {
	u32 state;
	struct ucore_core_cpuid leaf;
	struct ucore_core_pmu pmu;
	struct ucore_box_type type;
	struct ucore_global global;
} core = { .state = UCORE_CORE_NONE };

/* ---- validating CPUID.0AH ---- */

static u32 available_events(const struct ucore_core_cpuid *leaf)
{
	u32 nr = min_t(u32, FIELD_GET(CORE_EAX_NR_EVENTS, leaf->eax), CORE_NR_EVENTS);

	return nr ? GENMASK(nr - 1, 0) & ~leaf->ebx : 0;
}

static u32 fixed_counters(const struct ucore_core_cpuid *leaf, u32 version)
{
	u32 nr = FIELD_GET(CORE_EDX_NR_FIXED, leaf->edx), i = 0;

	if (version < 2)
		return 0;
	if (version >= 5)	/* use only fixed counters below the first missing one */
		while (leaf->ecx & BIT(i) || i < nr)
			i++;
	else if (!leaf->hypervisor)	/* early CPUs report too few fixed counters */
		i = max_t(u32, nr, CORE_MIN_FIXED);
	else
		i = nr;
	return min_t(u32, i, CORE_MAX_FIXED);
}

static bool width_sane(u32 width)
{
	return width >= CORE_WRITE_BITS && width <= 64;
}

/**
 * ucore_core_decode() - derive the properties of the core PMU from CPUID.0AH
 * @leaf: values of CPUID.0AH and of related registers
 * @pmu: out: properties of the core PMU; filled in as far as possible if it is unusable
 *
 * Return: UCORE_CORE_READY, or the UCORE_CORE_* reason why there are no core boxes.
 */
u32 ucore_core_decode(const struct ucore_core_cpuid *leaf, struct ucore_core_pmu *pmu)
{
	u32 version = FIELD_GET(CORE_EAX_VERSION, leaf->eax);

	*pmu = (struct ucore_core_pmu){ .version = version };
	if (!version)
		return UCORE_CORE_NONE;
	pmu->nr_gp = min_t(u32, FIELD_GET(CORE_EAX_NR_GP, leaf->eax), CORE_MAX_GP);
	pmu->width = FIELD_GET(CORE_EAX_WIDTH, leaf->eax);
	pmu->events = available_events(leaf);
	pmu->nr_fixed = fixed_counters(leaf, version);
	pmu->fixed_width = FIELD_GET(CORE_EDX_FIXED_WIDTH, leaf->edx);
	if (!width_sane(pmu->fixed_width))
		pmu->fixed_width = pmu->width;
	if (!pmu->nr_fixed)
		pmu->fixed_width = 0;
	pmu->full_width = leaf->capabilities & CORE_CAP_FULL_WIDTH;
	pmu->any = version >= 3 && !(leaf->edx & CORE_EDX_NO_ANY);

	if (leaf->hybrid)
		return UCORE_CORE_HYBRID;
	if (version > CORE_MAX_VERSION)
		return UCORE_CORE_VERSION;
	return pmu->nr_gp && width_sane(pmu->width) ? UCORE_CORE_READY : UCORE_CORE_BAD_CPUID;
}

/* ---- probing the machine ---- */

static void leaf_read(struct ucore_core_cpuid *out)
{
	*out = (struct ucore_core_cpuid){ };
	if (boot_cpu_data.cpuid_level < CORE_CPUID)
		return;
	cpuid(CORE_CPUID, &out->eax, &out->ebx, &out->ecx, &out->edx);
	out->hybrid = boot_cpu_has(X86_FEATURE_HYBRID_CPU);
	out->hypervisor = boot_cpu_has(X86_FEATURE_HYPERVISOR);
	if (boot_cpu_has(X86_FEATURE_PDCM) &&
	    rdmsrq_safe(CORE_PERF_CAPABILITIES, &out->capabilities))
		out->capabilities = 0;
}

static bool msrs_readable(u32 first, u32 nr)
{
	u64 val;

	while (nr--)
		if (rdmsrq_safe(first + nr, &val))
			return false;
	return true;
}

/*
 * Return true if all MSRs of the core PMU can be read. Some hypervisors report counters in CPUID
 * although accesses to their MSRs fault.
 */
static bool registers_readable(const struct ucore_core_pmu *pmu)
{
	if (!msrs_readable(CORE_EVTSEL0, pmu->nr_gp) ||
	    !msrs_readable(pmu->full_width ? CORE_A_PMC0 : CORE_PMC0, pmu->nr_gp))
		return false;
	if (pmu->version < 2)
		return true;
	return msrs_readable(CORE_GLOBAL_STATUS, 1) && msrs_readable(CORE_GLOBAL_CTL, 1) &&
	       (!pmu->nr_fixed ||
		(msrs_readable(CORE_FIXED_CTL, 1) && msrs_readable(CORE_FIXED0, pmu->nr_fixed)));
}

/* ---- describing the boxes ---- */

static u64 bits(u32 nr)
{
	return nr ? GENMASK_ULL(nr - 1, 0) : 0;
}

static void describe_global(struct ucore_global *global, const struct ucore_core_pmu *pmu,
			    const struct ucore_layout *layout)
{
	*global = (struct ucore_global){
		.ctl = CORE_GLOBAL_CTL,
		.status = CORE_GLOBAL_STATUS,
		.nr_status = 1,
		.clear = CORE_OVF_CTL,
		.unfreeze = bits(pmu->nr_gp) | bits(pmu->nr_fixed) << CORE_STATUS_FIXED,
		.keep = ~0ULL,
		.level = true,
		.enables = true,
	};
	global->clear_mask = global->unfreeze | CORE_STATUS_BUFFER | CORE_STATUS_CHANGED;
	if (pmu->version < 2) {		/* no global registers: they are emulated */
		global->nr_gated = pmu->nr_gp;
		global->gated_ctl = layout->ctl[0];
		global->gated_ctr = layout->ctr[0];
		global->gated = CORE_CTL_EN;
		global->gated_sign = BIT_ULL(pmu->width - 1);
	}
	/*
	 * A PMI sets the status bit CTR_Frz if IA32_DEBUGCTL requests a freeze. The counters
	 * stay frozen until this bit is cleared, regardless of IA32_PERF_GLOBAL_CTRL.
	 */
	if (pmu->version >= 4)
		global->clear_mask |= CORE_STATUS_FROZEN;
}

static void describe_type(struct ucore_box_type *type, const struct ucore_core_pmu *pmu,
			  const struct ucore_core_table *table)
{
	*type = *table->type;
	type->nr_gp = pmu->nr_gp;
	type->width = pmu->width;
	type->nr_fixed = pmu->nr_fixed;
	type->fixed_width = pmu->fixed_width;
	type->nr_fields = pmu->any ? type->nr_fields : table->nr_fields;
	type->preload_bits = CORE_WRITE_BITS;
	if (pmu->full_width)
		/* the emulated status of version 1 needs the highest bit of the preload */
		type->preload_bits = pmu->version < 2 ? pmu->width : 0;
	if (!pmu->nr_fixed)
		type->caps &= ~UCORE_BOX_F_FIXED_OVERFLOW;
}

static int add_boxes(struct ucore_finder *finder, const struct ucore_layout *layout)
{
	struct ucore_box_desc desc = {
		.type = &core.type,
		.layout = layout,
		.global = &core.global,
		.scope = UCORE_SCOPE_CPU,
		.global_gp = bits(core.pmu.nr_gp),
		.global_fixed = bits(core.pmu.nr_fixed) << CORE_STATUS_FIXED,
	};
	int cpu, ret = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		desc.cpu = cpu;
		desc.die = topology_logical_die_id(cpu);
		ret = ucore_finder_add(finder, &desc);
		if (ret)
			break;
	}
	cpus_read_unlock();
	return ret;
}

/**
 * ucore_core_find() - add a core box for each online CPU
 * @finder: collection that receives the box descriptions
 * @platform: platform whose table is a struct ucore_core_table
 *
 * Return: 0 or -ENOMEM. A machine without a usable core PMU is not an error.
 */
int ucore_core_find(struct ucore_finder *finder, const struct ucore_platform *platform)
{
	const struct ucore_core_table *table = platform->table;
	const struct ucore_layout *layout;

	leaf_read(&core.leaf);
	core.state = ucore_core_decode(&core.leaf, &core.pmu);
	if (core.state == UCORE_CORE_READY && !core_pmu)
		core.state = UCORE_CORE_DISABLED;
	if (core.state == UCORE_CORE_READY && !UCORE_CAN_RESERVE)
		core.state = UCORE_CORE_KERNEL;
	if (core.state == UCORE_CORE_READY && !registers_readable(&core.pmu))
		core.state = UCORE_CORE_BAD_CPUID;
	if (core.state != UCORE_CORE_READY)
		return 0;
	layout = core.pmu.full_width ? table->full_layout : table->layout;
	describe_global(&core.global, &core.pmu, layout);
	describe_type(&core.type, &core.pmu, table);
	finder->caps |= UCORE_CAP_CORE;
	return add_boxes(finder, layout);
}

/** ucore_core_drop() - reset the state that GET_CORE reports, after the core boxes were freed */
void ucore_core_drop(void)
{
	core.state = UCORE_CORE_NONE;
}

/**
 * ucore_core_describe() - fill in the answer to GET_CORE, except for the member reason
 * @out: answer; the member size is kept
 */
void ucore_core_describe(struct ucore_get_core *out)
{
	*out = (struct ucore_get_core){
		.size = out->size,
		.state = core.state,
		.version = core.pmu.version,
		.nr_counters = core.pmu.nr_gp,
		.width = core.pmu.width,
		.nr_fixed = core.pmu.nr_fixed,
		.fixed_width = core.pmu.fixed_width,
		.events = core.pmu.events,
		.caps = (core.pmu.full_width ? UCORE_CORE_CAP_FULL_WIDTH : 0) |
			(core.pmu.any ? UCORE_CORE_CAP_ANY : 0) |
			(core.pmu.version >= 2 ? UCORE_CORE_CAP_GLOBAL : 0),
		.eax = core.leaf.eax,
		.ebx = core.leaf.ebx,
		.ecx = core.leaf.ecx,
		.edx = core.leaf.edx,
	};
}
